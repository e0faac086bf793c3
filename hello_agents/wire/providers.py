"""Providers by name and by address: where each is, which variable holds its key, which protocol it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Protocol = Literal["openai", "anthropic", "gemini"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that readers of the tutorial name by one word."""

    base_url: str
    key: str
    """The environment variable with the key, where `LLM_API_KEY` is not set."""
    model: str
    """The model to use where none is named."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-4o-mini"),
    "deepseek": Provider("https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-chat"),
    "qwen": Provider("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"),
    "modelscope": Provider("https://api-inference.modelscope.cn/v1", "MODELSCOPE_API_KEY", "Qwen/Qwen2.5-72B-Instruct"),
    "kimi": Provider("https://api.moonshot.cn/v1", "KIMI_API_KEY", "moonshot-v1-8k"),
    "zhipu": Provider("https://open.bigmodel.cn/api/paas/v4", "ZHIPU_API_KEY", "glm-4-flash"),
    "ollama": Provider("http://localhost:11434/v1", "OLLAMA_API_KEY", "llama3.2"),
    "vllm": Provider("http://localhost:8000/v1", "VLLM_API_KEY", "default"),
}

_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal")


def is_local(base_url: str) -> bool:
    """Whether the address is on this machine: such servers need no key."""
    return (urlsplit(base_url).hostname or "") in _LOCAL


def protocol_of(base_url: str) -> Protocol:
    """The protocol that is spoken at the address. Everything not known otherwise speaks OpenAI's."""
    address = urlsplit(base_url)
    host, path = address.hostname or "", address.path.rstrip("/")
    if host.endswith("anthropic.com") or path.endswith("/anthropic") or "/anthropic/" in path:
        return "anthropic"
    if host.endswith("googleapis.com") and "/openai" not in path:
        return "gemini"
    return "openai"
