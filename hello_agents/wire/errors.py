"""What a provider's refusal means: the typed error for a status or an error object, with a remedy."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ..core.exceptions import (
    AuthenticationFailed,
    BadReply,
    ConfigException,
    ConnectionFailed,
    LLMException,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from ..core.loose import mapping, short, string
from ..core.secrets import mask

_USED_UP = (
    "insufficient_quota",
    "insufficient_balance",
    "quota_exceeded",
    "billing_hard_limit_reached",
    "billing_error",
)
_BAD_KEY = ("API_KEY_INVALID",)
"""Google says so with the status of a bad request."""


def refusal(
    status: int | None,
    words: str,
    *,
    code: str = "",
    who: str = "The provider",
    key: str | None = None,
    retry_after: float | None = None,
) -> LLMException:
    """The error for a status and the provider's words. `who` names the model and the address; `key` is masked."""
    kind, remedy = _meaning(status, code)
    retryable = False if kind is RateLimited and code in _USED_UP else None
    words = mask(words.strip(), key)
    said = words if not words or words.endswith((".", "!", "?", "。")) else f"{words}."
    label = "an error" if status is None else str(status)
    return kind(
        " ".join(part for part in (f"{who} answered {label}:", said, remedy) if part),
        provider_message=words,
        status=status,
        retryable=retryable,
        retry_after=retry_after,
    )


def told(error: object, *, key: str | None = None, who: str = "The provider") -> LLMException:
    """The error for an error object that came where a reply was due."""
    fields = mapping(error)
    words = string(fields.get("message")) or short(error)
    status = _status(fields.get("code")) or _status(fields.get("status"))
    code = string(fields.get("code")) or string(fields.get("type"))
    return refusal(status, words, code=code, key=key, who=who)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a transport sends to, and the errors of the way there and back."""

    url: str
    key: str
    """The key that is masked in every text."""
    timeout: float
    """Seconds."""

    def refused(
        self, status: int | None, words: str, code: str = "", headers: Mapping[str, str] | None = None
    ) -> LLMException:
        """The provider said no."""
        wait = seconds((headers or {}).get("retry-after"))
        return refusal(status, words, code=code, who=self.url, key=self.key, retry_after=wait)

    def late(self) -> ModelTimeout:
        return ModelTimeout(f"{self.url} did not answer within {self.timeout:g} s. Ask again, or raise LLM_TIMEOUT.")

    def broken(self, error: BaseException) -> LLMException:
        """The network failed, or took too long."""
        kind, words = type(error).__name__, mask(str(error), self.key)
        if "Timeout" in kind:
            return self.late()
        return ConnectionFailed(
            f"The connection to {self.url} failed ({kind}: {words}). Check LLM_BASE_URL and the network.",
            provider_message=words,
        )

    def unreadable(self, words: str) -> BadReply:
        words = mask(words, self.key)
        return BadReply(
            f"{self.url} sent something that is not JSON ({words}). Look at the base URL: it often ends in /v1.",
            provider_message=words,
        )


def not_installed(provider: str, extra: str) -> ConfigException:
    """The provider's client is an extra that is not there."""
    return ConfigException(
        f"The client for {provider} is not installed. Install it with: pip install 'hello-agents-book[{extra}]'."
    )


def network_errors() -> tuple[type[Exception], ...]:
    """What clients let through when a connection breaks off. Nothing is imported: a client in use is loaded."""
    found: list[type[Exception]] = [TimeoutError, ConnectionError]
    for package, name in (("httpx", "TransportError"), ("httpx2", "TransportError"), ("aiohttp", "ClientError")):
        if package in sys.modules:
            found.append(vars(sys.modules[package])[name])
    return tuple(found)


def seconds(written: str | None) -> float | None:
    """The seconds in a header or field, if it is a number."""
    try:
        return None if written is None else max(float(written), 0.0)
    except ValueError:
        return None


def _status(value: object) -> int | None:
    written = str(value)
    return int(written) if written.isdecimal() and 400 <= int(written) < 600 else None


def _meaning(status: int | None, code: str) -> tuple[type[LLMException], str]:
    if status == 429 or code in _USED_UP or "rate_limit" in code:
        if code in _USED_UP:
            return RateLimited, "The account is used up: top it up or use another key."
        return RateLimited, "Wait a little and ask again."
    if code in _BAD_KEY:
        status = 401
    match status:
        case None:
            return BadReply, "Ask again later."
        case 401 | 403:
            return AuthenticationFailed, "Check LLM_API_KEY, and that it belongs to this base URL."
        case 404:
            return ModelRefused, "Check LLM_MODEL_ID and LLM_BASE_URL."
        case 408 | 504:
            return ModelTimeout, "Ask again, or raise LLM_TIMEOUT."
        case _ if status >= 500:
            return ModelUnavailable, "Ask again later."
        case _:
            return ModelRefused, "Change what the provider names and ask again."
