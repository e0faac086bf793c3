"""Hello Agents: a small, typed agent library, and the one that its book takes apart."""

from typing import TYPE_CHECKING

from .lazy import lazily
from .version import __author__, __description__, __email__, __version__

if TYPE_CHECKING:
    from .agents.function_call_agent import FunctionCallAgent
    from .agents.plan_solve_agent import PlanAndSolveAgent, PlanSolveAgent
    from .agents.react_agent import ReActAgent
    from .agents.reflection_agent import ReflectionAgent
    from .agents.simple_agent import SimpleAgent
    from .agents.tool_aware_agent import ToolAwareSimpleAgent
    from .core.action import Model, Request
    from .core.agent import Agent, Waiting
    from .core.config import Config
    from .core.debugger import Debugger
    from .core.exceptions import HelloAgentsException
    from .core.llm import HelloAgentsLLM
    from .core.message import Message, ToolCall, Usage
    from .core.run import Entry, Limits, Run, evolve, settle
    from .memory.base import MemoryConfig
    from .memory.manager import MemoryManager
    from .offline.offline_llm import OfflineLLM
    from .offline.recorded import RecordedLLM, RecordingMiss
    from .offline.scripted import ScriptedLLM
    from .tools.async_executor import AsyncToolExecutor
    from .tools.base import Tool, ToolParameter, tool_action
    from .tools.builtin.calculator import CalculatorTool, calculate
    from .tools.builtin.memory_tool import MemoryTool
    from .tools.builtin.search import SearchTool, search
    from .tools.chain import ToolChain, ToolChainManager
    from .tools.errors import ToolErrorCode
    from .tools.registry import ToolRegistry, global_registry
    from .tools.response import ToolResponse, ToolStatus

__all__ = [
    "Agent",
    "AsyncToolExecutor",
    "CalculatorTool",
    "Config",
    "Debugger",
    "Entry",
    "FunctionCallAgent",
    "HelloAgentsException",
    "HelloAgentsLLM",
    "Limits",
    "MemoryConfig",
    "MemoryManager",
    "MemoryTool",
    "Message",
    "Model",
    "OfflineLLM",
    "PlanAndSolveAgent",
    "PlanSolveAgent",
    "ReActAgent",
    "RecordedLLM",
    "RecordingMiss",
    "ReflectionAgent",
    "Request",
    "Run",
    "ScriptedLLM",
    "SearchTool",
    "SimpleAgent",
    "Tool",
    "ToolAwareSimpleAgent",
    "ToolCall",
    "ToolChain",
    "ToolChainManager",
    "ToolErrorCode",
    "ToolParameter",
    "ToolRegistry",
    "ToolResponse",
    "ToolStatus",
    "Usage",
    "Waiting",
    "__author__",
    "__description__",
    "__email__",
    "__version__",
    "calculate",
    "evolve",
    "global_registry",
    "search",
    "settle",
    "tool_action",
]

_HOMES = {
    "Agent": "core.agent",
    "AsyncToolExecutor": "tools.async_executor",
    "CalculatorTool": "tools.builtin.calculator",
    "Config": "core.config",
    "Debugger": "core.debugger",
    "Entry": "core.run",
    "FunctionCallAgent": "agents.function_call_agent",
    "HelloAgentsException": "core.exceptions",
    "HelloAgentsLLM": "core.llm",
    "Limits": "core.run",
    "MemoryConfig": "memory.base",
    "MemoryManager": "memory.manager",
    "MemoryTool": "tools.builtin.memory_tool",
    "Message": "core.message",
    "Model": "core.action",
    "OfflineLLM": "offline.offline_llm",
    "PlanAndSolveAgent": "agents.plan_solve_agent",
    "PlanSolveAgent": "agents.plan_solve_agent",
    "ReActAgent": "agents.react_agent",
    "RecordedLLM": "offline.recorded",
    "RecordingMiss": "offline.recorded",
    "ReflectionAgent": "agents.reflection_agent",
    "Request": "core.action",
    "Run": "core.run",
    "ScriptedLLM": "offline.scripted",
    "SearchTool": "tools.builtin.search",
    "SimpleAgent": "agents.simple_agent",
    "Tool": "tools.base",
    "ToolAwareSimpleAgent": "agents.tool_aware_agent",
    "ToolCall": "core.message",
    "ToolChain": "tools.chain",
    "ToolChainManager": "tools.chain",
    "ToolErrorCode": "tools.errors",
    "ToolParameter": "tools.base",
    "ToolRegistry": "tools.registry",
    "ToolResponse": "tools.response",
    "ToolStatus": "tools.response",
    "Usage": "core.message",
    "Waiting": "core.agent",
    "calculate": "tools.builtin.calculator",
    "evolve": "core.run",
    "global_registry": "tools.registry",
    "search": "tools.builtin.search",
    "settle": "core.run",
    "tool_action": "tools.base",
}
if not TYPE_CHECKING:  # A type checker reads the imports above, and so still finds a name that does not exist.
    __getattr__, __dir__ = lazily(__name__, _HOMES)
