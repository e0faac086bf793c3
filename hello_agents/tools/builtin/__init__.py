"""Built-in tools."""

from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
    from .calculator import CalculatorTool
    from .devlog_tool import CATEGORIES, DevLogEntry, DevLogStore, DevLogTool
    from .file_tools import EditTool, MultiEditTool, ReadTool, WriteTool
    from .memory_tool import MemoryTool
    from .rag_tool import RAGTool
    from .search import SearchTool
    from .search_files import GlobTool, GrepTool
    from .skill_tool import SkillTool
    from .task_tool import TaskTool
    from .todowrite_tool import TodoItem, TodoList, TodoWriteTool

__all__ = [
    "CATEGORIES",
    "CalculatorTool",
    "DevLogEntry",
    "DevLogStore",
    "DevLogTool",
    "EditTool",
    "GlobTool",
    "GrepTool",
    "MemoryTool",
    "MultiEditTool",
    "RAGTool",
    "ReadTool",
    "SearchTool",
    "SkillTool",
    "TaskTool",
    "TodoItem",
    "TodoList",
    "TodoWriteTool",
    "WriteTool",
]

_HOMES = {
    "CATEGORIES": "devlog_tool",
    "CalculatorTool": "calculator",
    "DevLogEntry": "devlog_tool",
    "DevLogStore": "devlog_tool",
    "DevLogTool": "devlog_tool",
    "EditTool": "file_tools",
    "GlobTool": "search_files",
    "GrepTool": "search_files",
    "MemoryTool": "memory_tool",
    "MultiEditTool": "file_tools",
    "ReadTool": "file_tools",
    "RAGTool": "rag_tool",
    "SearchTool": "search",
    "SkillTool": "skill_tool",
    "TaskTool": "task_tool",
    "TodoItem": "todowrite_tool",
    "TodoList": "todowrite_tool",
    "TodoWriteTool": "todowrite_tool",
    "WriteTool": "file_tools",
}
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
