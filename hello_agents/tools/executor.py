"""The executor: the one place where arguments are converted, a tool runs, and what comes of it becomes a response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any, cast

from ..catalogue import text
from .background import Outcome, TimedOut, outcome_in_thread, unwrap, wait_for_awaitable, wait_in_thread, within
from .base import FunctionTool, Tool
from .errors import ToolErrorCode
from .response import ToolResponse, ToolStatus
from .values import describe, to_json

SUCCESS = ToolStatus.SUCCESS


Now = Callable[[dict[str, Any]], Any]
Later = Callable[[dict[str, Any]], Awaitable[Any]]
Entries = tuple[Now | None, Later | None]


@dataclass(frozen=True, slots=True)
class Ready:
    """A tool made ready to run: everything about it that is the same at each call."""

    read: Callable[[Any], dict[str, Any]]
    """Arguments as sent -> arguments as received."""
    now: Now | None
    """Runs it in this thread."""
    later: Later | None
    """Runs it on an event loop. One of the two is there."""
    timeout: float | None


def ready_of(tool: Tool) -> Ready:
    """The tool made ready; done on its first call. Raises `TypeError` when its parameters cannot be described."""
    now, later = _function_entries(tool) if isinstance(tool, FunctionTool) else _tool_entries(tool)
    tool._ready = Ready(tool.parameters.read, now, later, tool.timeout)  # pyright: ignore[reportPrivateUsage]
    return tool._ready  # pyright: ignore[reportPrivateUsage]


def _function_entries(tool: FunctionTool) -> Entries:
    function, positional = _collecting(tool.function), tool.parameters.positional

    if positional:

        def call(arguments: dict[str, Any]) -> Any:
            first = [arguments.pop(name) for name in positional if name in arguments]
            return function(*first, **arguments)
    else:

        def call(arguments: dict[str, Any]) -> Any:
            return function(**arguments)

    return (None, call) if iscoroutinefunction(function) else (call, None)


def _collecting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; of one that yields, one that returns the list of all that."""
    if isgeneratorfunction(function):
        return lambda *given, **named: list(function(*given, **named))
    if isasyncgenfunction(function):

        async def collected(*given: Any, **named: Any) -> list[Any]:
            return [item async for item in function(*given, **named)]

        return collected
    return function


def _tool_entries(tool: Tool) -> Entries:
    # The methods are looked up at each call, so that a tool whose `run` is replaced runs the new one.
    def run(arguments: dict[str, Any]) -> Any:
        return tool.run(arguments)

    def arun(arguments: dict[str, Any]) -> Awaitable[Any]:
        return tool.arun(arguments)

    own_arun = type(tool).arun is not Tool.arun or "arun" in vars(tool)
    own_run = type(tool).run is not Tool.run or "run" in vars(tool)
    if iscoroutinefunction(tool.run):
        return None, arun if own_arun else run
    return run if own_run or not own_arun else None, arun if own_arun else None


def execute(
    tool: Tool, arguments: dict[str, Any], language: str = "en", default_timeout: float | None = None
) -> ToolResponse:
    """Runs a tool in this thread. Only an asynchronous one, or one with a time limit, leaves it.

    `default_timeout` is the limit for a tool that has none of its own, in seconds.
    Whatever `Exception` the tool raises becomes an error response; `KeyboardInterrupt` and its like pass.
    """
    try:
        ready = tool._ready or ready_of(tool)  # pyright: ignore[reportPrivateUsage]
    except Exception as error:
        return ToolResponse.error(ToolErrorCode.INTERNAL_ERROR, say(error))
    try:
        received = ready.read(arguments)
    except Exception as error:
        return misfit(tool, error, language)
    seconds = default_timeout if ready.timeout is None else ready.timeout
    try:
        if ready.now is None or seconds is not None:
            value = _elsewhere(ready, received, seconds)
        else:
            value = ready.now(received)
            if isinstance(value, Awaitable):
                value = wait_for_awaitable(cast("Awaitable[Any]", value))
        return respond(value, language)
    except TimedOut:
        return _timed_out(tool, seconds, language)
    except Exception as error:
        return ToolResponse.error(ToolErrorCode.EXECUTION_ERROR, say(error))
    except BaseException as error:
        return _if_cancelled(error, False)


async def aexecute(
    tool: Tool, arguments: dict[str, Any], language: str = "en", default_timeout: float | None = None
) -> ToolResponse:
    """Runs a tool from asynchronous code: an asynchronous one is awaited, another runs in a thread of its own."""
    try:
        ready = tool._ready or ready_of(tool)  # pyright: ignore[reportPrivateUsage]
    except Exception as error:
        return ToolResponse.error(ToolErrorCode.INTERNAL_ERROR, say(error))
    try:
        received = ready.read(arguments)
    except Exception as error:
        return misfit(tool, error, language)
    seconds = default_timeout if ready.timeout is None else ready.timeout
    try:
        work = _await(ready, received)
        value = unwrap(await (work if seconds is None else within(work, seconds)))
        return respond(value, language)
    except TimedOut:
        return _timed_out(tool, seconds, language)
    except Exception as error:
        return ToolResponse.error(ToolErrorCode.EXECUTION_ERROR, say(error))
    except BaseException as error:
        return _if_cancelled(error, _is_being_cancelled())


def _elsewhere(ready: Ready, received: dict[str, Any], seconds: float | None) -> Any:
    if ready.now is None:
        assert ready.later is not None
        return wait_for_awaitable(ready.later(received), seconds)
    assert seconds is not None
    now = ready.now
    value = wait_in_thread(lambda: now(received), seconds)
    if isinstance(value, Awaitable):
        return wait_for_awaitable(cast("Awaitable[Any]", value), seconds)
    return value


async def _await(ready: Ready, received: dict[str, Any]) -> Outcome:
    """An outcome, since a coroutine cannot raise `StopIteration`, and a function may."""
    if ready.later is not None:
        return True, await ready.later(received)
    assert ready.now is not None
    now = ready.now
    fine, value = await outcome_in_thread(lambda: now(received))
    return fine, await cast("Awaitable[Any]", value) if fine and isinstance(value, Awaitable) else value


def respond(value: Any, language: str = "en") -> ToolResponse:
    """What a tool returned, as a response: text and responses as they are, nothing as words, the rest as JSON."""
    if type(value) is str:
        return ToolResponse(SUCCESS, value)
    match value:
        case ToolResponse():
            return value
        case None:
            return ToolResponse(SUCCESS, text("tool.none", language))
        case str():
            return ToolResponse(SUCCESS, str.__str__(value))
        case _:
            return ToolResponse(SUCCESS, to_json(value))


def misfit(tool: Tool, error: Exception, language: str) -> ToolResponse:
    """The answer to arguments that do not fit."""
    from .schema import explain

    return ToolResponse.error(ToolErrorCode.INVALID_PARAM, explain(error, tool.name, tool.parameters, language))


def say(error: BaseException) -> str:
    """An exception in words: its type and message, without a traceback and without the machine's folders."""
    name = type(error).__name__
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        from pathlib import Path

        return f"{name}: {error.strerror}: {Path(str(error.filename)).name!r}"
    message = describe(error)
    return f"{name}: {message}" if message else name


def _timed_out(tool: Tool, seconds: float | None, language: str) -> ToolResponse:
    return ToolResponse.error(ToolErrorCode.TIMEOUT, text("tool.timeout", language, tool=tool.name, seconds=seconds))


def _is_being_cancelled() -> bool:
    import asyncio

    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _if_cancelled(error: BaseException, from_outside: bool) -> ToolResponse:
    """A tool that cancelled itself has failed; what comes from outside, such as Ctrl-C, goes on its way."""
    import asyncio

    if isinstance(error, asyncio.CancelledError) and not from_outside:
        return ToolResponse.error(ToolErrorCode.EXECUTION_ERROR, say(error))
    raise error
