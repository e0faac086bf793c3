"""Work that leaves the caller's thread: functions with a time limit, and coroutines called from synchronous code.

Both keep the caller's context variables. An outcome travels as a pair rather than as an exception of a future, since
futures refuse some exceptions and event loops die of others.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

R = TypeVar("R")

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
    return unwrap(await outcome_in_thread(function))


async def outcome_in_thread(function: Callable[[], Any]) -> Outcome:
    """What comes of the function, computed in a thread while this loop goes on."""
    import asyncio

    return await asyncio.wrap_future(start_thread(function))


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


class LoopThread:
    """An event loop in a thread of its own, started when first needed; it does not keep the interpreter alive."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._running: tuple[threading.Thread, asyncio.AbstractEventLoop] | None = None

    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop; `None` in its own thread."""
        import asyncio

        with self._lock:
            # A forked child inherits the variable but not the thread.
            if self._running is None or not self._running[0].is_alive():
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=loop.run_forever, daemon=True, name=self._name)
                thread.start()
                self._running = thread, loop
            thread, loop = self._running
        return None if thread is threading.current_thread() else loop

    def submit(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Begins the work on the loop. Raises `RuntimeError` in the loop's own thread, which would wait for itself."""
        import asyncio

        loop = self.loop()
        if loop is None:
            work.close()
            raise RuntimeError(f"{self._name} cannot wait for its own work. Await it instead.")
        return asyncio.run_coroutine_threadsafe(work, loop)

    async def run(self, work: Coroutine[Any, Any, R]) -> R:
        """What the work comes to, from any loop. Cancelling this cancels the work."""
        import asyncio

        if self.loop() is None:
            return await work
        return await asyncio.wrap_future(self.submit(work))


_tools = LoopThread("hello-agents-loop")


def _background_loop() -> asyncio.AbstractEventLoop | None:
    """The loop for synchronous callers; `None` in its own thread."""
    return _tools.loop()
