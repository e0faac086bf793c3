"""What a provider's refusal means: the typed error for a status or an error object, with a remedy."""

from __future__ import annotations

from ..core.exceptions import (
    AuthenticationFailed,
    BadReply,
    LLMException,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from ..core.secrets import mask
from .loose import mapping, short, string

_USED_UP = ("insufficient_quota", "insufficient_balance", "quota_exceeded", "billing_hard_limit_reached")


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


def _status(value: object) -> int | None:
    written = str(value)
    return int(written) if written.isdecimal() and 400 <= int(written) < 600 else None


def _meaning(status: int | None, code: str) -> tuple[type[LLMException], str]:
    if status == 429 or code in _USED_UP or "rate_limit" in code:
        if code in _USED_UP:
            return RateLimited, "The account is used up: top it up or use another key."
        return RateLimited, "Wait a little and ask again."
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
