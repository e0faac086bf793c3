"""An expandable tool: its methods marked with @tool_action become tools of their own."""

from hello_agents import HelloAgentsLLM, SimpleAgent, ToolRegistry
from hello_agents.tools import Tool, tool_action


class NotesTool(Tool):
    def __init__(self) -> None:
        super().__init__(name="notes", description="Keeps notes.", expandable=True)
        self.notes: list[str] = []

    @tool_action("notes_add", "Writes a note down")
    def _add(self, content: str) -> str:
        """Writes a note down.

        Args:
            content: What to write down.
        """
        self.notes.append(content)
        return f"Noted: {content}"

    @tool_action()
    def _count(self) -> str:
        """Says how many notes there are."""
        return f"{len(self.notes)} notes"

    def get_parameters(self):
        return []

    def run(self, parameters):
        return "Use the actions."


notes = NotesTool()
registry = ToolRegistry()
registry.register_tool(notes)
assert registry.list_tools() == ["notes_add", "notes_count"]

agent = SimpleAgent("secretary", HelloAgentsLLM(), tool_registry=registry)
agent.run("Write down a note with the content 'buy milk'.")
print(notes.notes)
assert notes.notes == ["buy milk"]

by_hand = SimpleAgent("secretary", HelloAgentsLLM())
by_hand.add_tool(NotesTool())
assert by_hand.list_tools() == ["notes_add", "notes_count"]
by_hand.add_tool(NotesTool(), auto_expand=False)
assert by_hand.remove_tool("notes") and by_hand.has_tools()
