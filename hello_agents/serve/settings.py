"""The settings of the service, as one value."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..core.exceptions import ConfigException


@dataclass(frozen=True, slots=True)
class Settings:
    """How far the service goes for its clients. Times in seconds, sizes in bytes, numbers per worker."""

    max_body: int = 1_000_000
    """A request that is longer is refused (413)."""
    body_seconds: float = 20
    """A request whose body takes longer to arrive is given up (408)."""
    rate: float = 20
    """Requests a second that one client address may make in the long run; beyond that 429."""
    burst: int = 100
    """Requests that one client address may make at once."""
    max_runs: int = 50
    """Runs under way at once; one more is refused (503)."""
    max_streams: int = 2_000
    """Event streams open at once; one more is refused (503)."""
    run_seconds: float = 3_600
    """A run that takes longer is stopped, with the reason `timed_out`."""
    ping_seconds: float = 15
    """A comment is sent on a stream that has been silent for so long."""
    send_seconds: float = 30
    """A client that takes nothing for so long loses its stream; the run goes on."""
    queue: int = 1_000
    """Pieces kept for a client that reads slowly; beyond that it loses its stream."""
    lease_seconds: float = 10
    """A worker that has not been heard of for so long is taken for dead, and its runs are taken over."""
    grace_seconds: float = 20
    """What runs are given to come to an end, or to a place where they can be parked, when the service ends."""
    poll_seconds: float = 0.2
    """How often the journal of a run at another worker is looked at."""
    max_takeovers: int = 3
    """A question that has brought down so many workers is left as it is, until somebody resumes it."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value > 0:
                raise ConfigException(f"{name}={value!r} leaves nothing to serve. Give a number above 0.")
