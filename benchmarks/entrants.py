"""The entrants: who is measured, what each needs installed, and what a program imports to use it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contender:
    """One way to run the loop. Contenders with the same packages share an environment."""

    name: str
    """As the tables call it."""
    file: str
    """The file in `contenders/`, without its ending."""
    packages: tuple[str, ...] = ()
    """What pip installs, exact. `("this",)` stands for a wheel of this checkout."""
    imports: str = ""
    """What a program that uses it imports. Empty for a variant of the contender before it."""

    @property
    def distribution(self) -> str:
        """The name of what is installed, whose version is told."""
        name = self.packages[0] if self.packages else ""
        return "hello-agents-book" if name == "this" else name.split("==")[0].split("[")[0]


THIS = ("this",)
ORIGINAL = ("hello-agents==1.0.0",)
LANGGRAPH = ("langgraph==1.2.24",)
THREE_NAMES = "from hello_agents import ReActAgent, ToolRegistry, HelloAgentsLLM"

BARE = Contender("bare loop", "bare")
OURS = Contender("this library", "hello_agents_book", THIS, THREE_NAMES)
OURS_JOURNAL = Contender("this library, journal written", "hello_agents_book_journal", THIS)
ORIGINAL_OFF = Contender("HelloAgents, everything off", "hello_agents_original", ORIGINAL, THREE_NAMES)
ORIGINAL_DEFAULT = Contender("HelloAgents, defaults", "hello_agents_original_default", ORIGINAL)
LANGGRAPH_REACT = Contender(
    "langgraph, prebuilt ReAct", "langgraph_react", LANGGRAPH, "from langgraph.prebuilt import create_react_agent"
)

LOCAL = (BARE, OURS, OURS_JOURNAL)
ALL = (
    *LOCAL,
    ORIGINAL_OFF,
    ORIGINAL_DEFAULT,
    LANGGRAPH_REACT,
    Contender("langgraph with MemorySaver", "langgraph_memory", LANGGRAPH),
    Contender(
        "smolagents",
        "smolagents_tool_calling",
        ("smolagents==1.26.0",),
        "from smolagents import ToolCallingAgent, tool",
    ),
    Contender(
        "pydantic-ai", "pydantic_ai_agent", ("pydantic-ai-slim[openai]==2.68.0",), "from pydantic_ai import Agent"
    ),
    Contender(
        "openai-agents",
        "openai_agents_runner",
        ("openai-agents==0.24.0",),
        "from agents import Agent, Runner, function_tool",
    ),
)
