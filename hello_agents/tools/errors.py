"""Codes of tool errors: short words that say what kind of thing went wrong."""

from __future__ import annotations


class ToolErrorCode:
    """The codes an error response may carry. A tool may also use a word of its own."""

    NOT_FOUND = "NOT_FOUND"
    """There is no such tool, file or thing."""
    ACCESS_DENIED = "ACCESS_DENIED"
    """The path lies outside of what the tool may touch."""
    PERMISSION_DENIED = "PERMISSION_DENIED"
    """The operating system refuses."""
    IS_DIRECTORY = "IS_DIRECTORY"
    BINARY_FILE = "BINARY_FILE"
    INVALID_PARAM = "INVALID_PARAM"
    """The arguments do not fit the tool's parameters."""
    INVALID_FORMAT = "INVALID_FORMAT"
    """The arguments could not be read at all."""
    EXECUTION_ERROR = "EXECUTION_ERROR"
    """The tool raised an exception."""
    TIMEOUT = "TIMEOUT"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    CONFLICT = "CONFLICT"
    """What is to be changed was changed by somebody else in between."""
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    """The tool has failed too often and is switched off for a while."""
    NETWORK_ERROR = "NETWORK_ERROR"
    API_ERROR = "API_ERROR"
    RATE_LIMIT = "RATE_LIMIT"
    INTERRUPTED = "INTERRUPTED"
    """The call was started and its result is lost."""
    REFUSED = "REFUSED"
    """A person has refused the call."""
    NOT_RUN = "NOT_RUN"
    """The call was not started, for instance because the step limit was reached."""

    @classmethod
    def get_all_codes(cls) -> list[str]:
        return [name for name in vars(cls) if name.isupper()]

    @classmethod
    def is_valid_code(cls, code: str) -> bool:
        return code in cls.get_all_codes()
