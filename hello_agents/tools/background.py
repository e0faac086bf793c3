"""Work that leaves the caller's thread: functions with a time limit, and coroutines called from synchronous code.

Both keep the caller's context variables. An outcome travels as a pair rather than as an exception of a future, since
futures refuse some exceptions and event loops die of others.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

Outcome = tuple[bool, Any]
"""`(True, value)`, or `(False, exception)`."""


class TimedOut(Exception):
    """The time limit of a call has passed."""


def start_thread(function: Callable[[], Any]) -> Future[Outcome]:
    """Begins the function in a thread that does not keep the interpreter alive."""
    from concurrent.futures import Future

    future: Future[Outcome] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome: Outcome = True, context.run(function)
        except BaseException as error:
            outcome = False, error
        future.set_result(outcome)

    future.set_running_or_notify_cancel()
    threading.Thread(target=work, daemon=True, name="hello-agents-tool").start()
    return future


async def in_thread(function: Callable[[], Any]) -> Any:
    """What the function returns, computed in a thread while this loop goes on."""
    import asyncio

    return unwrap(await asyncio.wrap_future(start_thread(function)))


def wait_in_thread(function: Callable[[], Any], seconds: float) -> Any:
    """What the function returns, if it returns in time. Raises `TimedOut`; then the thread is left to itself."""
    return unwrap(_wait(start_thread(function), seconds))


def wait_for_awaitable(awaitable: Awaitable[Any], seconds: float | None = None) -> Any:
    """The value of an awaitable, for synchronous code: also where an event loop runs in this thread already.

    All such calls share one loop in one thread, so that clients which belong to a loop stay usable. Raises `TimedOut`.
    """
    import asyncio

    loop = _background_loop()
    if loop is None:
        # This *is* the background thread: an asynchronous tool calls synchronous code that calls another.
        return unwrap(_wait(start_thread(lambda: asyncio.run(_plainly(awaitable))), seconds))
    future: Future[Outcome] = asyncio.run_coroutine_threadsafe(_outcome(awaitable), loop)
    try:
        return unwrap(_wait(future, seconds))
    except BaseException:
        future.cancel()
        raise


async def within(awaitable: Awaitable[Any], seconds: float) -> Any:
    """The value of an awaitable, if it comes in time; otherwise the awaitable is cancelled. Raises `TimedOut`."""
    import asyncio

    task = asyncio.ensure_future(_outcome(awaitable))
    try:
        done, _pending = await asyncio.wait([task], timeout=seconds)
    except BaseException:
        task.cancel()
        raise
    if not done:
        task.cancel()
        raise TimedOut
    return unwrap(task.result())


def unwrap(outcome: Outcome) -> Any:
    fine, value = outcome
    if fine:
        return value
    raise value


def _wait(future: Future[Outcome], seconds: float | None) -> Outcome:
    from concurrent.futures import TimeoutError as FutureTimeout

    try:
        return future.result(seconds)
    except FutureTimeout:
        raise TimedOut from None


async def _plainly(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def _outcome(awaitable: Awaitable[Any]) -> Outcome:
    try:
        return True, await awaitable
    except BaseException as error:
        return False, error


_lock = threading.Lock()
_running: tuple[threading.Thread, asyncio.AbstractEventLoop] | None = None


def _background_loop() -> asyncio.AbstractEventLoop | None:
    """The loop for synchronous callers, started when first needed; `None` in its own thread."""
    global _running
    import asyncio

    with _lock:
        # A forked child inherits the variable but not the thread.
        if _running is None or not _running[0].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, daemon=True, name="hello-agents-loop")
            thread.start()
            _running = thread, loop
        thread, loop = _running
    return None if thread is threading.current_thread() else loop
