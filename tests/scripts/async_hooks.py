"""Hooks of the life of an agent, and a stream of what it does."""

import asyncio

from hello_agents import HelloAgentsLLM, ReActAgent, ToolRegistry
from hello_agents.core.lifecycle import AgentEvent, EventType
from hello_agents.core.streaming import StreamEventType
from hello_agents.tools.builtin import CalculatorTool

seen: list[EventType] = []


async def note(event: AgentEvent) -> None:
    seen.append(event.type)


async def broken(event: AgentEvent) -> None:
    raise RuntimeError("a hook that fails must not end the run")


async def main() -> None:
    registry = ToolRegistry()
    registry.register_tool(CalculatorTool())
    agent = ReActAgent("calculator", HelloAgentsLLM(), registry)

    answer = await agent.arun("What is 12 * 9?", on_start=note, on_step=note, on_finish=note, on_tool_call=note)
    assert "108" in answer
    assert seen[0] is EventType.AGENT_START and seen[-1] is EventType.AGENT_FINISH
    assert EventType.STEP_FINISH in seen and EventType.TOOL_CALL in seen

    assert "63" in await agent.arun("What is 7 * 9?", on_start=broken, on_step=broken, on_finish=broken)

    text, kinds = "", []
    async for event in agent.arun_stream("What is 8 * 8?"):
        kinds.append(event.type)
        if event.type == StreamEventType.LLM_CHUNK:
            text += event.data["chunk"]
        assert event.to_sse().startswith("event:") or event.to_sse().startswith("data:")
    assert kinds[0] == StreamEventType.AGENT_START and kinds[-1] == StreamEventType.AGENT_FINISH
    assert StreamEventType.TOOL_CALL_FINISH in kinds


asyncio.run(main())
