"""What clients send and get, as models: they check what comes, and describe it in the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SESSION = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
SessionId = Annotated[str, Field(pattern=SESSION, description="Letters, digits, `_` and `-`; at most 64.")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Question(_Body):
    """A message to the agent."""

    message: str = Field(min_length=1, description="What is said to the agent.")
    after: int | None = Field(
        None, ge=-1, description="Take the message only if the journal ends with this entry (-1: if there is none)."
    )


class Verdict(_Body):
    """What a person says to a call that waits."""

    call: str = Field(description="The id of the call.")
    allowed: bool
    arguments: dict[str, Any] | None = Field(None, description="Run the call with these instead.")
    reason: str = Field("", description="Why not; the model reads it.")


class Fork(_Body):
    """A new session from the beginning of another."""

    session: SessionId
    at: int | None = Field(None, ge=-1, description="The last entry that the new session shares; by default all.")


class WaitingCall(BaseModel):
    call: str
    tool: str
    arguments: dict[str, Any]
    frame: str


Status = Literal["new", "running", "waiting", "finished", "failed", "interrupted"]


class SessionState(BaseModel):
    """A session as it stands."""

    session: SessionId
    status: Status
    waiting: list[WaitingCall]
    error: str | None
    last: int = Field(description="The number of the last entry; -1 when there is none.")
    answer: str | None
    reason: str | None = Field(description="Why the last question ended: `finished`, `max_steps`, `stopped`, …")
    created_at: str
    saved_at: str
    forked_from: str | None
    run: dict[str, Any] = Field(description="The run, as `Run.from_json` reads it.")


class SessionLine(BaseModel):
    session: str
    created_at: str
    saved_at: str
    entries: int
    forked_from: str | None


class SessionList(BaseModel):
    sessions: list[SessionLine]


class Entries(BaseModel):
    entries: list[dict[str, Any]] = Field(description="Lines of the journal.")
    more: bool


class Accepted(BaseModel):
    """The work is written down, and goes on; follow it at `/sessions/{session}/events?after={after}`."""

    session: SessionId
    after: int


class Stopped(BaseModel):
    session: SessionId
    status: Status


class Health(BaseModel):
    status: Literal["ok"]


class ProblemDetails(BaseModel):
    """RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    detail: str
