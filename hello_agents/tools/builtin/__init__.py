"""Built-in tools."""

from __future__ import annotations

from .calculator import CalculatorTool
from .file_tools import ReadTool, WriteTool
from .todowrite_tool import TodoItem, TodoList, TodoWriteTool

__all__ = ["CalculatorTool", "ReadTool", "TodoItem", "TodoList", "TodoWriteTool", "WriteTool"]
