"""Makes what other frameworks write of a run, with models that are scripted: beside this file, and in the package.

    python -m venv env && env/bin/pip install langgraph openai-agents llama-index-core
    env/bin/python tests/guests/make.py

Each framework asks about the weather in two cities at once, one of which is on no map, and then answers.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "hello_agents" / "observability" / "samples"
COME_ALONG = ("langgraph_state", "openai_agents", "llama_index")
QUESTION = "How warm is it in 北京 and in Atlantis?"
ANSWER = "北京 has 22 degrees; Atlantis is on no map."
CITIES = ("北京", "Atlantis")


def look(city: str) -> str:
    """Looks up how warm it is in a city."""
    if city == "Atlantis":
        raise ValueError("Atlantis is on no map")
    return f"22 degrees in {city}"


def write(name: str, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    folder = SAMPLES if name in COME_ALONG else HERE
    (folder / f"{name}.json").write_text(re.sub(r"/[\w/.-]*/(?=[\w.-]+\.py)", "", text) + "\n", encoding="utf-8")


# -- langgraph --------------------------------------------------------------------------------------


def langgraph() -> None:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.tools import tool
    from langgraph.prebuilt import ToolNode, create_react_agent

    calls = [{"name": "look", "args": {"city": city}, "id": f"c{n}"} for n, city in enumerate(CITIES)]
    usage = {"input_tokens": 30, "output_tokens": 9, "total_tokens": 39}

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **given: Any) -> Any:
            return self

        def _generate(self, messages: Any, *rest: Any, **given: Any) -> Any:
            done = any(message.type == "tool" for message in messages)
            said = {"content": ANSWER} if done else {"content": "", "tool_calls": calls}
            return ChatResult(generations=[ChatGeneration(message=AIMessage(**said, usage_metadata=usage))])

    class Streaming(Scripted):
        def _stream(self, messages: Any, *rest: Any, **given: Any) -> Iterator[Any]:
            if any(message.type == "tool" for message in messages):
                for word in re.findall(r"\S+\s*", ANSWER):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            else:
                for n, call in enumerate(calls):
                    written = json.dumps(call["args"], ensure_ascii=False)
                    head = {"name": "look", "args": written[:6], "id": call["id"], "index": n}
                    tail = {"name": None, "args": written[6:], "id": None, "index": n}
                    for piece in (head, tail):
                        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))

    def agent(model: Any) -> Any:
        return create_react_agent(model, ToolNode([tool(look)], handle_tool_errors=True), prompt="Be brief.")

    asked = {"messages": [HumanMessage(QUESTION)]}
    plain = Scripted()
    updates = [
        {node: {"messages": [message.model_dump() for message in update["messages"]]} for node, update in one.items()}
        for one in agent(plain).stream(asked, stream_mode="updates")
    ]
    write("langgraph_updates", updates)
    pieces = agent(Streaming()).stream(asked, stream_mode="messages")
    write("langgraph_messages", [[message.model_dump(), meta] for message, meta in pieces])
    write("langgraph_state", {"messages": [m.model_dump() for m in agent(plain).invoke(asked)["messages"]]})


# -- a server that speaks Chat Completions -----------------------------------------------------------


class Completions(BaseHTTPRequestHandler):
    """Asks for the two calls, and answers when it has their results."""

    bodies: list[Any] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.bodies.append(body)
        done = any(message["role"] == "tool" for message in body["messages"])
        calls = [
            {
                "id": f"call_{n}",
                "type": "function",
                "function": {"name": "look", "arguments": json.dumps({"city": city}, ensure_ascii=False)},
            }
            for n, city in enumerate(CITIES)
        ]
        message = {"role": "assistant", "content": ANSWER} if done else {"role": "assistant", "tool_calls": calls}
        reply = {
            "id": "r",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted-1",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop" if done else "tool_calls"}],
            "usage": {"prompt_tokens": 30, "completion_tokens": 9, "total_tokens": 39},
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


# -- OpenAI Agents SDK --------------------------------------------------------------------------------


def openai_agents() -> None:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_trace_processors
    from agents.tracing import TracingProcessor
    from openai import AsyncOpenAI

    exported: list[Any] = []

    class Collect(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None:
            exported.append(trace.export())

        def on_trace_end(self, trace: Any) -> None:
            pass

        def on_span_start(self, span: Any) -> None:
            pass

        def on_span_end(self, span: Any) -> None:
            exported.append(span.export())

        def shutdown(self) -> None:
            pass

        def force_flush(self) -> None:
            pass

    set_trace_processors([Collect()])
    server = HTTPServer(("127.0.0.1", 0), Completions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}", api_key="none")
        model = OpenAIChatCompletionsModel("scripted-1", client)
        agent = Agent(name="guide", instructions="Be brief.", tools=[function_tool(look)], model=model)
        asyncio.run(Runner.run(agent, QUESTION))
    finally:
        server.shutdown()
        server.server_close()
    write("openai_agents", exported)
    # What was asked last, with the answer to it, is the conversation in the form of Chat Completions.
    write("chat_completions", [*Completions.bodies[-1]["messages"], {"role": "assistant", "content": ANSWER}])


# -- llama-index --------------------------------------------------------------------------------------


def llama_index() -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.llms.llm import ToolSelection
    from llama_index.core.tools import FunctionTool
    from workflows.context.serializers import JsonSerializer

    class Scripted(FunctionCallingLLM):
        @property
        def metadata(self) -> Any:
            return LLMMetadata(is_function_calling_model=True, model_name="scripted-1")

        def _reply(self, messages: Any) -> Any:
            done = any(message.role == "tool" for message in messages)
            calls = (
                []
                if done
                else [
                    ToolSelection(tool_id=f"c{n}", tool_name="look", tool_kwargs={"city": city})
                    for n, city in enumerate(CITIES)
                ]
            )
            said = ChatMessage(role="assistant", content=ANSWER if done else "", additional_kwargs={"calls": calls})
            return ChatResponse(message=said)

        async def achat_with_tools(self, tools: Any, *rest: Any, chat_history: Any = None, **given: Any) -> Any:
            return self._reply(chat_history)

        async def astream_chat_with_tools(self, tools: Any, *rest: Any, chat_history: Any = None, **given: Any) -> Any:
            async def pieces() -> Any:
                yield self._reply(chat_history)

            return pieces()

        def get_tool_calls_from_response(self, response: Any, **given: Any) -> Any:
            return response.message.additional_kwargs.get("calls", [])

        def _prepare_chat_with_tools(self, *rest: Any, **given: Any) -> Any:
            return {}

        async def achat(self, messages: Any, **given: Any) -> Any:
            return self._reply(messages)

        def chat(self, messages: Any, **given: Any) -> Any:
            return self._reply(messages)

        def complete(self, *rest: Any, **given: Any) -> Any: ...
        def stream_chat(self, *rest: Any, **given: Any) -> Any: ...
        def stream_complete(self, *rest: Any, **given: Any) -> Any: ...
        async def acomplete(self, *rest: Any, **given: Any) -> Any: ...
        async def astream_chat(self, *rest: Any, **given: Any) -> Any: ...
        async def astream_complete(self, *rest: Any, **given: Any) -> Any: ...

    async def run() -> list[Any]:
        tools = [FunctionTool.from_defaults(look)]
        agent = FunctionAgent(name="guide", tools=tools, llm=Scripted(), system_prompt="Be brief.")
        handler = agent.run(user_msg=QUESTION)
        events = [json.loads(JsonSerializer().serialize(event)) async for event in handler.stream_events()]
        await handler
        return events

    write("llama_index", asyncio.run(run()))


if __name__ == "__main__":
    langgraph()
    openai_agents()
    llama_index()
