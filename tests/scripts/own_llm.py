"""Models of a reader's own: with another provider, without `super().__init__`, and with another way of asking."""

import os

from hello_agents import HelloAgentsLLM, SimpleAgent, ToolRegistry


class MyLLM(HelloAgentsLLM):
    """Adds a provider, as the chapter does."""

    def __init__(self, model: str | None = None, provider: str | None = "auto", **kwargs):
        if provider == "mine":
            self.provider = provider
            self.api_key = os.getenv("LLM_API_KEY")
            self.base_url = os.getenv("LLM_BASE_URL")
            self.model = model or os.getenv("LLM_MODEL_ID")
            self.temperature = kwargs.get("temperature", 0.7)
            self.max_tokens = kwargs.get("max_tokens")
            self.timeout = kwargs.get("timeout", 60)
        else:
            super().__init__(model=model, provider=provider, **kwargs)


class Thinker(HelloAgentsLLM):
    """Knows neither an address nor a key."""

    def __init__(self):
        self.model = "thinker"
        self.asked = []

    def think(self, messages, temperature=0):
        self.asked.append(messages)
        yield "I have "
        yield "thought."


class Parrot(HelloAgentsLLM):
    def __init__(self):
        self.model = "parrot"

    def invoke(self, messages, **kwargs):
        return "You said: " + messages[-1]["content"]


for llm in (MyLLM(), MyLLM(provider="mine")):
    assert "5" in SimpleAgent("mine", llm).run("What is 2 + 3?")
    assert "5" in "".join(llm.think([{"role": "user", "content": "What is 2 + 3?"}]))
    print(llm.last_call_stats)

thinker = Thinker()
assert SimpleAgent("thinking", thinker, "Think.").run("Hello") == "I have thought."
assert [message["role"] for message in thinker.asked[0]] == ["system", "user"]
assert list(SimpleAgent("streaming", thinker).stream_run("Hello")) == ["I have thought."]

registry = ToolRegistry()
registry.register_function("nothing", "Does nothing.", lambda text: text)
assert SimpleAgent("parrot", Parrot(), tool_registry=registry).run("Hello") == "You said: Hello"
