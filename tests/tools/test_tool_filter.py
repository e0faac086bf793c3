"""Tool filters, alone and as views of a registry."""

import pytest

from hello_agents.core.message import ToolCall
from hello_agents.tools import (
    CustomFilter,
    FullAccessFilter,
    ReadOnlyFilter,
    ReadTool,
    Tool,
    ToolFilter,
    ToolRegistry,
    WriteTool,
)

NAMES = ["Read", "Write", "Bash", "lookup", "Grep"]


class Bash(Tool):
    def __init__(self):
        super().__init__("Bash", "Runs a command.")

    def run(self, parameters):
        return "ran"


def lookup() -> str:
    """Looks something up."""
    return "found"


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (ReadOnlyFilter(), ["Read", "Grep"]),
        (ReadOnlyFilter(["lookup"]), ["Read", "lookup", "Grep"]),
        (ReadOnlyFilter([]), ["Read", "Grep"]),
        (FullAccessFilter(), ["Read", "Write", "lookup", "Grep"]),
        (FullAccessFilter(["Write"]), ["Read", "lookup", "Grep"]),
        (CustomFilter(), NAMES),
        (CustomFilter(allowed=[]), []),
        (CustomFilter(allowed=["Grep", "Read", "none"]), ["Read", "Grep"]),
        (CustomFilter(denied=["Bash"]), ["Read", "Write", "lookup", "Grep"]),
        (CustomFilter(["Read", "Bash"], ["Bash"]), ["Read"]),
        (CustomFilter(denied=["Bash"], mode="blacklist"), ["Read", "Write", "lookup", "Grep"]),
        (CustomFilter(mode="blacklist"), NAMES),
        (CustomFilter(allowed=["Read"], denied=[], mode="blacklist"), NAMES),
        (ReadOnlyFilter("lookup"), ["Read", "lookup", "Grep"]),
        (FullAccessFilter("Write"), ["Read", "lookup", "Grep"]),
        (CustomFilter("Read"), ["Read"]),
        (CustomFilter(denied="Write"), ["Read", "Bash", "lookup", "Grep"]),
        (CustomFilter(""), []),
    ],
)
def test_what_is_allowed(chosen, names):
    assert chosen.filter(NAMES) == names
    assert [name for name in NAMES if chosen.is_allowed(name)] == names


def test_an_unknown_mode():
    with pytest.raises(ValueError, match=r"'greylist'.*whitelist, blacklist"):
        CustomFilter(mode="greylist")


def test_own_filters():
    class Short(ToolFilter):
        def is_allowed(self, tool_name):
            return len(tool_name) < 5

    class Sorted(ToolFilter):
        def filter(self, all_tools):
            return sorted(name for name in all_tools if name != "Bash")

    assert Short().filter(NAMES) == ["Read", "Bash", "Grep"]
    assert Sorted().is_allowed("Read")
    assert not Sorted().is_allowed("Bash")
    with pytest.raises(NotImplementedError, match="is_allowed"):
        ToolFilter().is_allowed("Read")


@pytest.fixture
def registry(tmp_path):
    registry = ToolRegistry()
    for tool in (ReadTool(tmp_path), WriteTool(tmp_path), Bash()):
        registry.register_tool(tool)
    registry.register_function(lookup)
    return registry


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (None, ["Read", "Write", "Bash", "lookup"]),
        ([], []),
        (ReadOnlyFilter(), ["Read"]),
        (FullAccessFilter(), ["Read", "Write", "lookup"]),
        (CustomFilter(allowed=[]), []),
        (CustomFilter(["lookup"]), ["lookup"]),
    ],
)
def test_a_view_offers_and_runs_what_its_filter_allows_functions_as_well(registry, chosen, names):
    view = registry.view(allow=chosen)
    assert view.list_tools() == names
    assert [schema["function"]["name"] for schema in view.schemas()] == names
    for name in ("Bash", "lookup"):
        answered = view.answer(ToolCall("1", name, {}))
        assert (answered.status == "success") == (name in names)
        assert (view.get_function(name) is not None) == (name in names and name == "lookup")
    assert registry.list_tools() == ["Read", "Write", "Bash", "lookup"]


def test_filters_of_views_add_up_and_extras_are_on_top(registry):
    inner = registry.view(allow=FullAccessFilter()).view([Bash()], allow=ReadOnlyFilter(["lookup"]))
    assert inner.list_tools() == ["Bash", "Read", "lookup"]
    registry.unregister("lookup")
    assert inner.list_tools() == ["Bash", "Read"]


def test_a_name_alone_is_one_name(registry):
    assert registry.view(allow="Read").list_tools() == ["Read"]


def test_an_empty_view_says_that_there_is_nothing(registry):
    answered = registry.view(allow=[]).answer(ToolCall("1", "Read", {}))
    assert "no tools are on offer" in answered.content
