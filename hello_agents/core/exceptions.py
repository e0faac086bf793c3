"""Errors of the library: what went wrong with which value, and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from .secrets import mask


class HelloAgentsException(Exception):
    """Any error of this library."""


class LLMException(HelloAgentsException):
    """The model could not be asked, or its answer not be read. Keys in its texts are masked."""

    may_pass: ClassVar[bool] = False
    """Whether an error of this kind may be gone when the same request is sent again."""

    provider_message: str
    """The provider's own words; empty when it said nothing."""
    status: int | None
    """The HTTP status, when there was a response."""
    retryable: bool
    """Whether the same request may succeed later."""
    retry_after: float | None
    """Seconds the provider asks to wait."""

    def __init__(
        self,
        message: str = "",
        *,
        provider_message: str = "",
        status: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(mask(message))
        self.provider_message = mask(provider_message)
        self.status = status
        self.retryable = self.may_pass if retryable is None else retryable
        self.retry_after = retry_after


class ModelRefused(LLMException):
    """The provider would not accept the request as it is (400, 404, 422 and the like)."""


class AuthenticationFailed(LLMException):
    """The key is wrong, or not allowed to do this (401, 403)."""


class RateLimited(LLMException):
    """Too many requests, or the account is used up (429)."""

    may_pass = True


class ModelUnavailable(LLMException):
    """The provider had an error of its own (5xx)."""

    may_pass = True


class ConnectionFailed(LLMException):
    """The provider could not be reached, or the connection broke."""

    may_pass = True


class ModelTimeout(ConnectionFailed):
    """The provider took longer than the timeout."""


class BadReply(LLMException):
    """The provider answered with something that is not a reply."""

    may_pass = True


class EmptyReply(BadReply):
    """The reply had neither text nor calls."""


class AgentException(HelloAgentsException):
    """An agent was used in a way it cannot serve."""


class ConfigException(HelloAgentsException):
    """Settings are missing or contradict each other."""


class ToolException(HelloAgentsException):
    """A tool was declared or registered wrongly."""
