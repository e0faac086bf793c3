"""Journals as training data: conversations in the form that OpenAI's fine-tuning reads, with the tools on offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.message import Messages
from ..core.run import Compacted, Run, evolve
from .tasks import Trial


def trajectories(trial: Trial, sanitize: bool = True) -> Iterator[dict[str, Any]]:
    """The conversations of a trial, that of the agent first, then those of its sub-agents: `messages` and `tools`.

    Each ends in a reply of the model; results that nobody answered are left out. Where a history was compressed, the
    conversation until then and the one from then on are two examples, as the model saw them. Replies that an earlier
    example has already have the weight 0, so that no reply is learnt twice.
    """
    if not trial.start:
        return
    schemas = trial.tools
    for frame, messages, seen in _conversations(trial):
        example = _example(messages, seen, schemas.get(frame, []))
        if example is not None:
            yield _masked(example) if sanitize else example


def _conversations(trial: Trial) -> Iterator[tuple[str, Messages, int]]:
    """Frame, messages, and how many of the replies among them were in an example before."""
    run = Run.from_json(trial.start)
    seen = {frame: _replies(one.messages) for frame, one in run.frames}
    for entry in trial.entries:
        compacted = isinstance(entry.event, Compacted)
        if compacted:
            yield entry.frame, run.at(entry.frame).messages, seen.get(entry.frame, 0)
        run = evolve(run, entry.event, entry.frame)
        if compacted:
            seen[entry.frame] = _replies(run.at(entry.frame).messages)
    for frame, one in run.frames:
        yield frame, one.messages, seen.get(frame, 0)


def _replies(messages: Messages) -> int:
    return sum(message.role == "assistant" for message in messages)


def _example(messages: Messages, seen: int, tools: list[dict[str, Any]]) -> dict[str, Any] | None:
    """One example; `None` where no reply is left to learn."""
    from ..core.action import Request
    from ..core.llm_dicts import dictionaries

    if _replies(messages) <= seen:
        return None
    wire, _, _ = dictionaries(Request(messages), "en")
    while wire[-1]["role"] != "assistant":
        wire.pop()
    for reply in [one for one in wire if one["role"] == "assistant"][:seen]:
        reply["weight"] = 0
    example: dict[str, Any] = {"messages": wire}
    if tools:
        example |= {"tools": tools, "parallel_tool_calls": True}
    return example


def _masked(example: dict[str, Any]) -> dict[str, Any]:
    from ..core.secrets import mask_values

    # Schemas come from the program, and a parameter named `token` is no secret.
    return example | {"messages": mask_values(example["messages"])}
