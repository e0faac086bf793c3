"""The service: an agent behind HTTP, with sessions that several workers share (the extra `serve`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .application import app
    from .leases import Lease, Leases
    from .local import Local
    from .service import Service
    from .settings import Settings

__all__ = ["Lease", "Leases", "Local", "Service", "Settings", "app"]

_HOMES = {
    "Lease": "leases",
    "Leases": "leases",
    "Local": "local",
    "Service": "service",
    "Settings": "settings",
    "app": "application",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
