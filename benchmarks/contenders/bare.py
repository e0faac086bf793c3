"""A bare while loop over dicts: the least that a step can cost."""


def add(a: int, b: int) -> int:
    return a + b


def prepare(steps: int):
    tools = {"add": add}

    def model(messages: list, step: int) -> dict:
        if step == steps:
            return {"role": "assistant", "content": "done"}
        call = {"id": f"c{step}", "name": "add", "arguments": {"a": step, "b": 1}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def run() -> str:
        messages = [{"role": "user", "content": "add"}]
        step = 0
        while True:
            reply = model(messages, step)
            messages.append(reply)
            if not reply.get("tool_calls"):
                return reply["content"]
            for call in reply["tool_calls"]:
                result = str(tools[call["name"]](**call["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            step += 1

    return run
