"""The tutorial's adapters by name. They hold no code of their own: every call goes through `HelloAgentsLLM`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from .exceptions import HelloAgentsException
from .llm_response import LLMResponse, LLMToolResponse, StreamStats, ToolCall

if TYPE_CHECKING:
    from ..wire.endpoint import Transport
    from .llm import HelloAgentsLLM

__all__ = [
    "AnthropicAdapter",
    "BaseLLMAdapter",
    "GeminiAdapter",
    "HelloAgentsException",
    "LLMResponse",
    "LLMToolResponse",
    "OpenAIAdapter",
    "StreamStats",
    "ToolCall",
    "create_adapter",
]


class BaseLLMAdapter:
    """One endpoint, under the name that the tutorial's code knows."""

    _provider: ClassVar[str | None] = None
    """Whose protocol is spoken; `None` lets the address decide."""

    def __init__(self, api_key: str, base_url: str | None, timeout: int, model: str) -> None:
        self.api_key = api_key
        self.base_url = base_url
        self.timeout = timeout
        self.model = model
        self._made: HelloAgentsLLM | None = None

    @property
    def llm(self) -> HelloAgentsLLM:
        """The model that does the work."""
        if self._made is None:
            from .llm import HelloAgentsLLM

            self._made = HelloAgentsLLM(
                self.model, self.api_key, self.base_url, timeout=self.timeout, provider=self._provider
            )
        return self._made

    @property
    def last_stats(self) -> StreamStats | None:
        """Model, tokens and time of the last streamed reply."""
        return self.llm.last_call_stats

    def create_client(self) -> Any:
        """A client of the provider's own library, for what this library does not wrap."""
        return self._transport().client()

    def create_async_client(self) -> Any:
        """`create_client`, for the current event loop."""
        return self._transport().async_client()

    def _transport(self) -> Transport:
        from ..wire.providers import protocol_of, transport_of

        return transport_of(
            protocol_of(self.llm.base_url or "", self._provider),
            base_url=self.llm.base_url or "",
            api_key=self.llm.api_key,
            timeout=self.timeout,
        )

    def invoke(self, messages: Sequence[Mapping[str, Any]], **kwargs: Any) -> LLMResponse:
        return self.llm.invoke(messages, **kwargs)

    def stream_invoke(self, messages: Sequence[Mapping[str, Any]], **kwargs: Any) -> Iterator[str]:
        return self.llm.stream_invoke(messages, **kwargs)

    def astream_invoke(self, messages: Sequence[Mapping[str, Any]], **kwargs: Any) -> AsyncIterator[str]:
        return self.llm.astream_invoke(messages, **kwargs)

    def invoke_with_tools(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[dict[str, Any]],
        tool_choice: str | Mapping[str, Any] = "auto",
        **kwargs: Any,
    ) -> LLMToolResponse:
        return self.llm.invoke_with_tools(messages, tools, tool_choice, **kwargs)


class OpenAIAdapter(BaseLLMAdapter):
    """Everything that speaks OpenAI's protocol."""

    _provider = "openai"


class AnthropicAdapter(BaseLLMAdapter):
    """Anthropic's own protocol. The clients need the extra `anthropic`; so does the first request."""

    _provider = "anthropic"


class GeminiAdapter(BaseLLMAdapter):
    """Gemini's own protocol. The clients need the extra `gemini`; so does the first request."""

    _provider = "gemini"


def create_adapter(api_key: str, base_url: str | None, timeout: int, model: str) -> BaseLLMAdapter:
    """The adapter for an address."""
    from ..wire.providers import protocol_of

    match protocol_of(base_url or ""):
        case "openai":
            return OpenAIAdapter(api_key, base_url, timeout, model)
        case "anthropic":
            return AnthropicAdapter(api_key, base_url, timeout, model)
        case "gemini":
            return GeminiAdapter(api_key, base_url, timeout, model)
