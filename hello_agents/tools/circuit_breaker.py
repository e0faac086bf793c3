"""The circuit breaker: a tool that fails again and again is switched off for a while, then tried again with one call.

Closed, calls pass and failures in a row are counted. At the threshold it opens, and calls are spared until the
recovery time has passed. Half-open then, it lets one call through, the probe, whose outcome closes it or opens it again
for the whole time. An outcome counts only for the state that let its call through: what began before the tool was
switched off says nothing about whether it works now.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from .errors import ToolErrorCode
from .response import ToolResponse, ToolStatus

State = Literal["closed", "open", "half_open"]

BLAMELESS = frozenset(
    {
        ToolErrorCode.INVALID_PARAM,
        ToolErrorCode.INVALID_FORMAT,
        ToolErrorCode.NOT_FOUND,
        ToolErrorCode.ACCESS_DENIED,
        ToolErrorCode.IS_DIRECTORY,
        ToolErrorCode.BINARY_FILE,
        ToolErrorCode.CONFLICT,
        ToolErrorCode.REFUSED,
        ToolErrorCode.NOT_RUN,
        ToolErrorCode.INTERRUPTED,
        ToolErrorCode.CIRCUIT_OPEN,
    }
)
"""Codes that speak of the arguments or of a call that did not run: they count neither for a tool nor against it."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a call may run, and the state that its outcome will be credited to."""

    tool: str
    admitted: bool
    epoch: int = 0
    """Which state of the tool this was: each change of state begins a new one."""
    seconds: float | None = None
    """Refused: the time until the next try. `None` when another call is trying right now."""


@dataclass(slots=True)
class _Circuit:
    """What is known of one tool."""

    failures: int = 0
    """In a row."""
    until: float | None = None
    """When the recovery time ends; `None`: closed."""
    probing: bool = False
    """Half-open, with its one call under way."""
    epoch: int = 0


class CircuitBreaker:
    """A circuit for each tool, by name. Thread-safe.

    `admit` and `settle` enclose a call. `is_open` and `record_result` are for code that keeps no admission; such a
    result is credited to the state at the time it comes in.
    """

    def __init__(
        self,
        failure_threshold: int = 3,
        recovery_timeout: float = 300,
        enabled: bool = True,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`recovery_timeout` is in seconds. Raises `ValueError` for numbers that would make no sense."""
        if failure_threshold < 1:
            raise ValueError(f"failure_threshold is {failure_threshold!r}. It must be 1 or more.")
        if not 0 <= recovery_timeout < inf:
            raise ValueError(f"recovery_timeout is {recovery_timeout!r}. It must be a number of seconds, 0 or more.")
        self.failure_threshold = failure_threshold
        self.recovery_timeout = recovery_timeout
        self.enabled = enabled
        self._clock = clock
        self._circuits: dict[str, _Circuit] = {}
        self._lock = threading.Lock()

    # --- around a call -----------------------------------------------------------------------------------------------

    def admit(self, tool_name: str) -> Admission:
        """Lets a call through or not. One that was let through must be settled, whatever becomes of it."""
        if not self.enabled:
            return Admission(tool_name, True, -1)
        with self._lock:
            circuit = self._circuits.setdefault(tool_name, _Circuit())
            match self._state(circuit):
                case "closed":
                    return Admission(tool_name, True, circuit.epoch)
                case "open":
                    return Admission(tool_name, False, circuit.epoch, self._left(circuit))
                case "half_open":
                    if circuit.probing:
                        return Admission(tool_name, False, circuit.epoch)
                    circuit.probing = True
                    # The probe has an epoch of its own: no other call's outcome may pass for its.
                    circuit.epoch += 1
                    return Admission(tool_name, True, circuit.epoch)

    def settle(self, admission: Admission, response: ToolResponse | None) -> None:
        """Credits the outcome of an admitted call; `None` when it was broken off and there is none."""
        if not admission.admitted or not self.enabled:
            return
        with self._lock:
            circuit = self._circuits.get(admission.tool)
            if circuit is not None and circuit.epoch == admission.epoch:
                self._credit(circuit, response)

    # --- by hand -----------------------------------------------------------------------------------------------------

    def is_open(self, tool_name: str) -> bool:
        """Whether a call would be refused now. Only looks."""
        with self._lock:
            circuit = self._circuits.get(tool_name)
            if circuit is None or not self.enabled:
                return False
            state = self._state(circuit)
            return state == "open" or (state == "half_open" and circuit.probing)

    def record_result(self, tool_name: str, response: ToolResponse) -> None:
        """Credits an outcome to the present state. One that comes in while the tool is off is late and ignored."""
        if not self.enabled:
            return
        with self._lock:
            circuit = self._circuits.setdefault(tool_name, _Circuit())
            state = self._state(circuit)
            if state == "closed" or (state == "half_open" and not circuit.probing):
                self._credit(circuit, response)

    def open(self, tool_name: str) -> None:
        """Switches a tool off, for the whole recovery time from now."""
        with self._lock:
            self._trip(self._circuits.setdefault(tool_name, _Circuit()))

    def close(self, tool_name: str) -> None:
        """Switches a tool on again."""
        with self._lock:
            self._reset(self._circuits.setdefault(tool_name, _Circuit()))

    def get_status(self, tool_name: str) -> dict[str, Any]:
        """`state` (`closed`, `open` or `half_open`), `failure_count` in a row, and `seconds_left` while it is open."""
        with self._lock:
            return self._status(self._circuits.get(tool_name) or _Circuit())

    def get_all_status(self) -> dict[str, dict[str, Any]]:
        """The status of every tool that was called or switched."""
        with self._lock:
            return {name: self._status(circuit) for name, circuit in self._circuits.items()}

    # --- inside, with the lock held ----------------------------------------------------------------------------------

    def _state(self, circuit: _Circuit) -> State:
        if circuit.until is None:
            return "closed"
        return "open" if self._clock() < circuit.until else "half_open"

    def _left(self, circuit: _Circuit) -> float:
        return max(0.0, (circuit.until or 0.0) - self._clock())

    def _status(self, circuit: _Circuit) -> dict[str, Any]:
        state = self._state(circuit)
        status: dict[str, Any] = {"state": state, "failure_count": circuit.failures}
        return {**status, "seconds_left": self._left(circuit)} if state == "open" else status

    def _credit(self, circuit: _Circuit, response: ToolResponse | None) -> None:
        if response is None or response.code in BLAMELESS:
            # Nothing was learned: a probe makes room for another.
            circuit.probing = False
        elif response.status is not ToolStatus.ERROR:
            if circuit.until is None:
                circuit.failures = 0
            else:
                self._reset(circuit)
        else:
            circuit.failures += 1
            if circuit.until is not None or circuit.failures >= self.failure_threshold:
                self._trip(circuit)

    def _trip(self, circuit: _Circuit) -> None:
        circuit.until = self._clock() + self.recovery_timeout
        circuit.probing = False
        circuit.epoch += 1

    def _reset(self, circuit: _Circuit) -> None:
        circuit.until = None
        circuit.failures = 0
        circuit.probing = False
        circuit.epoch += 1
