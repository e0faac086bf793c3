"""The parallel executor of version 0.1.1: tools of a registry side by side. In an agent, `arun` does so by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from .background import wait_for_awaitable
from .registry import ToolRegistry, result_text
from .response import ToolStatus

Task = Mapping[str, str]
"""`tool_name` and `input_data`."""


class AsyncToolExecutor:
    """Runs tools of a registry, `max_workers` of them at once."""

    def __init__(self, registry: ToolRegistry, max_workers: int = 4) -> None:
        if max_workers < 1:
            raise ValueError(f"max_workers is {max_workers}. It must be 1 or more.")
        self.registry = registry
        self.max_workers = max_workers

    async def execute_tool_async(self, tool_name: str, input_data: str) -> str:
        """The result of one tool, as text; an error is told in it."""
        return result_text(await self.registry.aexecute_tool(tool_name, input_data))

    async def execute_tools_parallel(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """The results in the order of the tasks: `task_id`, `tool_name`, `input_data`, `result`, `status`."""
        import asyncio

        gate = asyncio.Semaphore(self.max_workers)

        async def one(number: int, task: Task) -> dict[str, Any]:
            name, given = task.get("tool_name", ""), task.get("input_data", "")
            async with gate:
                response = await self.registry.aexecute_tool(name, given)
            return {
                "task_id": number,
                "tool_name": name,
                "input_data": given,
                "result": result_text(response),
                "status": "error" if response.status is ToolStatus.ERROR else "success",
            }

        return list(await asyncio.gather(*(one(number, task) for number, task in enumerate(tasks))))

    async def execute_tools_batch(self, tool_name: str, input_list: Sequence[str]) -> list[dict[str, Any]]:
        """One tool for several inputs."""
        return await self.execute_tools_parallel(
            [{"tool_name": tool_name, "input_data": given} for given in input_list]
        )

    def close(self) -> None:
        """There is nothing to close: nothing is kept between calls."""

    def __enter__(self) -> AsyncToolExecutor:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.close()


async def run_parallel_tools(
    registry: ToolRegistry, tasks: Sequence[Task], max_workers: int = 4
) -> list[dict[str, Any]]:
    return await AsyncToolExecutor(registry, max_workers).execute_tools_parallel(tasks)


async def run_batch_tool(
    registry: ToolRegistry, tool_name: str, input_list: Sequence[str], max_workers: int = 4
) -> list[dict[str, Any]]:
    return await AsyncToolExecutor(registry, max_workers).execute_tools_batch(tool_name, input_list)


def run_parallel_tools_sync(
    registry: ToolRegistry, tasks: Sequence[Task], max_workers: int = 4
) -> list[dict[str, Any]]:
    """`run_parallel_tools` for synchronous code, in a notebook cell as well."""
    return wait_for_awaitable(run_parallel_tools(registry, tasks, max_workers))


def run_batch_tool_sync(
    registry: ToolRegistry, tool_name: str, input_list: Sequence[str], max_workers: int = 4
) -> list[dict[str, Any]]:
    """`run_batch_tool` for synchronous code, in a notebook cell as well."""
    return wait_for_awaitable(run_batch_tool(registry, tool_name, input_list, max_workers))


async def demo_parallel_execution() -> list[dict[str, Any]]:
    """Three sums at once, as an example to run: `await demo_parallel_execution()`."""
    from .builtin.calculator import CalculatorTool

    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    return await run_batch_tool(registry, "python_calculator", ["1 + 2", "3 * 4", "5 ** 2"])
