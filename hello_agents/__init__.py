"""Hello Agents: a small, typed agent library, and the one that its book takes apart."""

from typing import TYPE_CHECKING

from .lazy import lazily
from .version import __author__, __description__, __email__, __version__

if TYPE_CHECKING:
    from .agents.react_agent import ReActAgent
    from .agents.simple_agent import SimpleAgent
    from .core.agent import Agent, Waiting
    from .core.config import Config
    from .core.debugger import Debugger
    from .core.exceptions import HelloAgentsException
    from .core.message import Message, ToolCall, Usage
    from .core.run import Entry, Limits, Run, evolve, settle

__all__ = [
    "Agent",
    "Config",
    "Debugger",
    "Entry",
    "HelloAgentsException",
    "Limits",
    "Message",
    "ReActAgent",
    "Run",
    "SimpleAgent",
    "ToolCall",
    "Usage",
    "Waiting",
    "__author__",
    "__description__",
    "__email__",
    "__version__",
    "evolve",
    "settle",
]

_HOMES = {
    "Agent": "core.agent",
    "Config": "core.config",
    "Debugger": "core.debugger",
    "Entry": "core.run",
    "HelloAgentsException": "core.exceptions",
    "Limits": "core.run",
    "Message": "core.message",
    "ReActAgent": "agents.react_agent",
    "Run": "core.run",
    "SimpleAgent": "agents.simple_agent",
    "ToolCall": "core.message",
    "Usage": "core.message",
    "Waiting": "core.agent",
    "evolve": "core.run",
    "settle": "core.run",
}
if not TYPE_CHECKING:  # A type checker reads the imports above, and so still finds a name that does not exist.
    __getattr__, __dir__ = lazily(__name__, _HOMES)
