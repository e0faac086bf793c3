"""Providers by name and by address: where each is, which variable holds its key, which protocol it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from ..core.exceptions import ConfigException

if TYPE_CHECKING:
    from .endpoint import Codec, Transport

Protocol = Literal["openai", "anthropic", "gemini"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that readers of the tutorial name by one word."""

    base_url: str
    key: str
    """The environment variable with the key, where `LLM_API_KEY` is not set."""
    model: str
    """The model to use where none is named."""
    protocol: Protocol = "openai"
    send_reasoning: bool = False
    """Whether earlier thinking is asked for: without it, a thinking model's second step is refused."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-4o-mini"),
    "anthropic": Provider("https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-haiku-4-5", "anthropic"),
    "gemini": Provider("https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "gemini-3.8-flash", "gemini"),
    "deepseek": Provider("https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-chat", send_reasoning=True),
    "qwen": Provider("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"),
    "modelscope": Provider("https://api-inference.modelscope.cn/v1", "MODELSCOPE_API_KEY", "Qwen/Qwen2.5-72B-Instruct"),
    "kimi": Provider("https://api.moonshot.cn/v1", "KIMI_API_KEY", "moonshot-v1-8k", send_reasoning=True),
    "zhipu": Provider("https://open.bigmodel.cn/api/paas/v4", "ZHIPU_API_KEY", "glm-4-flash"),
    "ollama": Provider("http://localhost:11434/v1", "OLLAMA_API_KEY", "llama3.2"),
    "vllm": Provider("http://localhost:8000/v1", "VLLM_API_KEY", "default"),
    "lmstudio": Provider("http://localhost:1234/v1", "LMSTUDIO_API_KEY", "default"),
}

_HOSTS = {
    "api.deepseek.com": "deepseek",
    "api.moonshot.cn": "kimi",
    "api.moonshot.ai": "kimi",
}
"""The hosts whose provider differs in more than its address."""

_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal")


def is_local(base_url: str) -> bool:
    """Whether the address is on this machine: such servers need no key."""
    return (urlsplit(base_url).hostname or "") in _LOCAL


def known(name: str | None, base_url: str | None = None) -> Provider | None:
    """The provider of this name; `None` where the address is to decide.

    Raises `ConfigException` for another name, unless an address is given with it: then it is but a label.
    """
    if name is None or name in ("auto", "custom", "local"):
        return None
    if name not in PROVIDERS:
        if base_url:
            return None
        raise ConfigException(f"The provider {name!r} is not known. Use one of {', '.join(PROVIDERS)}, or base_url.")
    return PROVIDERS[name]


def protocol_of(base_url: str, name: str | None = None) -> Protocol:
    """The protocol that is spoken at the address, or by the provider of this name.

    Everything not known otherwise speaks OpenAI's; a subclass may name a provider of its own.
    """
    provider = PROVIDERS.get(name or "")
    if provider is not None:
        return provider.protocol
    address = urlsplit(base_url.lower())
    host = address.hostname or ""
    path = address.path.split("/")
    if "anthropic" in path or "anthropic" in host.split("."):
        return "anthropic"
    if (host.endswith("googleapis.com") or "gemini" in path or "gemini" in host.split(".")) and "openai" not in path:
        return "gemini"
    return "openai"


def wants_reasoning(base_url: str, name: str | None = None) -> bool:
    """Whether earlier thinking goes back to this provider."""
    provider = PROVIDERS.get(name or "") or known(_HOSTS.get((urlsplit(base_url).hostname or "").lower()))
    return provider is not None and provider.send_reasoning


def codec_of(protocol: Protocol) -> Codec:
    """The protocol's codec."""
    match protocol:
        case "openai":
            from . import openai_chat

            return openai_chat
        case "anthropic":
            from . import anthropic

            return anthropic
        case "gemini":
            from . import gemini

            return gemini


def transport_of(
    protocol: Protocol, *, base_url: str, api_key: str | None, timeout: float, max_retries: int = 2
) -> Transport:
    """The protocol's transport. The client behind it is loaded with the first request."""
    match protocol:
        case "openai":
            from .transport import OpenAITransport as Kind
        case "anthropic":
            from .transport import AnthropicTransport as Kind
        case "gemini":
            from .gemini_transport import GeminiTransport as Kind
    return Kind(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries)
