"""What a provider's refusal means: the typed error for a status or an error object, with a remedy."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

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
from ..core.loose import items, mapping, mappings, short, string
from ..core.secrets import mask

_USED_UP = (
    "insufficient_quota",
    "insufficient_balance",
    "quota_exceeded",
    "exceeded_current_quota_error",
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
    retryable = False if _used_up(status, code) else None
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
    words = string(fields.get("message")) or shown(error, key)
    status = _status(fields.get("code")) or _status(fields.get("status"))
    return refusal(status, words, code=kind_of(fields), key=key, who=who)


def shown(value: object, key: str | None = None) -> str:
    """The value for an error text. Masked before it is cut, since half a key is not found any more."""
    return short(mask(value if isinstance(value, str) else repr(value), key))


def fields_of(response: object, *, key: str | None = None, who: str = "The provider") -> Mapping[str, Any]:
    """The fields of a response or chunk. Raises the error that it tells of, or `BadReply` when it has no fields."""
    response = _alone(response)
    if not isinstance(response, Mapping):
        raise BadReply(
            f"{who} sent {shown(response, key)} where a JSON object belongs. "
            "Look at the base URL: it often ends in /v1.",
            provider_message=mask(response, key) if isinstance(response, str) else "",
        )
    fields = mapping(cast("object", response))
    if error := fields.get("error") or _bare(fields):
        raise told(error, key=key, who=who)
    return fields


def error_in(body: object) -> Mapping[str, Any]:
    """The error object in the body of a refusal, which some put into a list."""
    fields = mapping(_alone(body))
    return mapping(fields.get("error")) or fields


def kind_of(error: Mapping[str, Any]) -> str:
    """The provider's word for the kind of an error. Google's is more exact in its details."""
    reasons = [string(detail.get("reason")) for detail in mappings(error.get("details"))]
    return next(filter(None, reasons), "") or string(error.get("code")) or string(error.get("type"))


def _alone(body: object) -> object:
    found = items(body)
    return found[0] if len(found) == 1 else body


def _bare(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The error in a response that is one by itself: words where a reply has none, and nothing of a reply."""
    if fields.get("choices"):
        return {}
    base = mapping(fields.get("base_resp"))
    if base.get("status_code"):
        return {"message": string(base.get("status_msg")), "code": base["status_code"]}
    words = next(filter(None, (string(fields.get(name)) for name in ("message", "msg", "detail"))), "")
    return {**fields, "message": words} if words else {}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a transport sends to, and the errors of the way there and back."""

    url: str
    key: str = field(repr=False)
    """The key that is masked in every text."""
    timeout: float
    """Seconds."""

    def refused(
        self, status: int | None, words: str, code: str = "", headers: Mapping[str, str] | None = None
    ) -> LLMException:
        """The provider said no."""
        wait = seconds((headers or {}).get("retry-after"))
        return refusal(status, words, code=code, who=self.url, key=self.key, retry_after=wait)

    def heard(self, response: object) -> object:
        """What came, unless it is an error or has no fields. Clients take JSON for text that is not marked as such."""
        if isinstance(response, str):
            with suppress(ValueError):
                response = json.loads(response)
        fields_of(response, key=self.key, who=self.url)
        return response

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
    for package, name in (("httpx", "RequestError"), ("httpx2", "RequestError"), ("aiohttp", "ClientError")):
        if package in sys.modules:
            found.append(vars(sys.modules[package])[name])
    return tuple(found)


def seconds(written: str | None) -> float | None:
    """The seconds in a header or field: a number, or the time until which to wait."""
    if written is None:
        return None
    try:
        return max(float(written), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(written) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _status(value: object) -> int | None:
    written = str(value)
    return int(written) if written.isdecimal() and 400 <= int(written) < 600 else None


def _used_up(status: int | None, code: str) -> bool:
    return status == 402 or code in _USED_UP


def _meaning(status: int | None, code: str) -> tuple[type[LLMException], str]:
    if _used_up(status, code):
        return RateLimited, "The account is used up: top it up or use another key."
    if status == 429 or "rate_limit" in code:
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
