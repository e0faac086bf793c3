"""The inspector on a reader's screen: by mouse, by keyboard, without Python, and in JupyterLab itself."""

from __future__ import annotations

import json

import pytest
from hello_agents_widgets import LoopInspector
from notebooks.conftest import write_notebook
from widgets.page import show

from hello_agents.core.message import ToolCall
from widgets import demo, test_run_tree

CELLS = [
    """from hello_agents.agents.react_agent import ReActAgent
from hello_agents.core.message import ToolCall
from hello_agents.offline.scripted import ScriptedLLM
from hello_agents.tools.registry import ToolRegistry
from hello_agents_widgets import LoopInspector

def weather(city: str) -> str:
    \"\"\"The weather in a city.\"\"\"
    return f"sunny in {city}"

tools = ToolRegistry()
tools.register_function(weather)
llm = ScriptedLLM(ToolCall("c1", "weather", {"city": "Lyon"}), ToolCall("c2", "Finish", {"answer": "It is sunny."}))
agent = ReActAgent("guide", llm, tools)""",
    "look = LoopInspector(agent, 'How is the weather in Lyon?')\nlook",
    "print(look.debugger.branch, look.run.answer)",
]


@pytest.fixture
def page(chromium):
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(15_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    page.close()


@pytest.fixture
def widget():
    return LoopInspector(demo.agent(), demo.QUESTION)


def current(page) -> str:
    return page.locator(".hai-cur").inner_text()


def test_the_rows_of_a_sub_agent_fold(page):
    team = test_run_tree.team()
    if team.state.outcome is None:
        team.run("How are the roads?")
    show(page, LoopInspector(team))
    rows = page.locator("[data-op=row]")
    fold = page.locator("[data-op=fold]").first
    all_of_them = rows.count()
    fold.click()
    page.wait_for_function("(n) => document.querySelectorAll('[data-op=row]').length < n", arg=all_of_them)
    assert fold.get_attribute("aria-expanded") == "false"
    fold.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("(n) => document.querySelectorAll('[data-op=row]').length === n", arg=all_of_them)


def test_by_mouse(page, widget):
    show(page, widget)
    for _ in range(4):
        page.get_by_role("button", name="Step").click()
    page.locator(".hai-c-err", has_text="has a sign this tool does not read").wait_for()
    page.get_by_role("button", name="edit result: Calculator").click()
    page.get_by_label("result of Calculator").fill("820")
    page.get_by_label("status").select_option("success")
    page.get_by_role("button", name="Save as a branch").click()
    page.get_by_role("radio", name="branch-1").wait_for()
    assert widget.run.messages[-1].text == "820"
    page.get_by_role("button", name="Run to end").click()
    page.locator(".hai-c-done").wait_for()
    assert widget.run.answer == "Two nights and the train cost 820."
    page.get_by_role("radio", name="main").click()
    page.locator(".hai-c-err").wait_for()
    assert widget.debugger.branch == "main"
    page.locator(".hai-row", has_text="Thought").click()
    assert "Thought" in current(page)
    page.get_by_role("button", name="Fork here").click()
    page.get_by_role("radio", name="branch-2").wait_for()
    page.get_by_role("button", name="Run to …").click()
    page.locator("[data-field=tool]").select_option("Calculator")
    page.locator("[data-op=until-tool]").click()
    page.locator(".hai-c-pending").first.wait_for()
    assert [call.name for call in widget.run.pending] == ["Read", "Calculator"]
    page.get_by_role("button", name="exact JSON").first.click()
    shown = json.loads(page.locator(".hai-json pre").inner_text())
    assert shown == widget._timeline.body(widget.debugger.request_at(len(widget.debugger.entries) - 1))


def test_by_keyboard(page, widget):
    show(page, widget)
    page.locator("[data-op=step]").focus()
    for waits in (1, 0, 2, 0):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            """n => document.querySelector('[aria-busy=false]')
                && document.querySelectorAll('.hai-c-pending').length === n""",
            arg=waits,
        )
    page.locator(".hai-c-err").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(".hai-c-pending").first.wait_for()
    page.locator(".hai-cur").focus()
    page.keyboard.press("ArrowUp")
    assert "Thought" in current(page)
    assert page.evaluate("document.activeElement.className").startswith("hai-row")
    page.keyboard.press("End")
    page.locator("[data-op=edit]").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("rfj")
    assert "rfj" in page.locator(".hai-editor textarea").first.input_value()
    page.keyboard.press("Escape")
    assert page.locator(".hai-editor").count() == 0
    assert page.evaluate("document.activeElement.dataset.op") == "step"
    page.keyboard.press("f")
    page.get_by_role("radio", name="branch-1").wait_for()
    page.keyboard.press("r")
    page.locator(".hai-c-done").wait_for()
    page.keyboard.press("Home")
    assert "question" in current(page)
    page.keyboard.press("j")
    page.locator(".hai-json").wait_for()
    assert page.locator("[aria-current=step]").count() == 1


@pytest.mark.parametrize("live", [None, False], ids=["no way to Python", "Python is silent"])
def test_without_python_what_is_recorded_can_be_walked(page, widget, live):
    widget.step(4)
    widget.back(4)
    show(page, widget, live=live)
    for _ in range(4):
        page.get_by_role("button", name="Step").click()
    page.locator(".hai-c-err").wait_for()
    page.get_by_role("button", name="Step").click()
    page.get_by_text("Python does not answer").wait_for()
    page.get_by_role("button", name="Back").click()
    page.locator(".hai-c-pending").first.wait_for()


def test_a_call_that_waits_is_allowed_or_refused(page):
    tools = demo.registry()
    tools.register_function(demo.calculator, name="Pay", needs_approval=True)
    calls = [ToolCall(f"p{n}", "Pay", {"expression": f"{n} + 1"}) for n in range(3)]
    agent = demo.agent(*calls, "done")
    agent.tool_registry = tools
    widget = LoopInspector(agent, "go")
    show(page, widget)
    page.get_by_role("button", name="Run to end").click()
    page.get_by_role("button", name="Allow", exact=True).click()
    page.locator(".hai-pre", has_text="1").first.wait_for()
    page.get_by_role("button", name="Run to end").click()
    page.get_by_role("button", name="Edit and allow").click()
    page.get_by_label("arguments of Pay").fill('{"expression": "40 + 2"}')
    page.get_by_role("button", name="Allow").click()
    page.locator(".hai-c-tool", has_text="42").wait_for()
    page.get_by_role("button", name="Run to end").click()
    page.get_by_label("reason for the refusal").fill("too dear")
    page.get_by_role("button", name="Refuse").click()
    page.locator(".hai-card", has_text="too dear").first.wait_for()
    assert [m.text for m in widget.run.messages if m.role == "tool"][:2] == ["1", "42"]


def test_what_tools_say_never_runs(page):
    nasty = "<img src=x onerror='window.hit=1'><script>window.hit=1</script>"
    agent = demo.agent(ToolCall("a", "Calculator", {"expression": nasty}), nasty)
    widget = LoopInspector(agent, nasty)
    widget.finish()
    show(page, widget)
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "j"):
        page.locator("[data-op=back]").focus()
        page.keyboard.press(key)
    assert page.evaluate("window.hit") is None
    assert page.locator(".hai img, .hai script").count() == 0


@pytest.mark.more
def test_in_jupyterlab(lab, tmp_path):
    write_notebook(lab.folder / "92_inspector.ipynb", CELLS)
    lab.open_notebook("92_inspector.ipynb").run_all()
    assert lab.failures() == []
    lab.widget("[data-op=step]").click()
    lab.widget(".hai-c-pending").wait_for()
    lab.page.keyboard.press("ArrowRight")
    lab.widget(".hai-c-tool").wait_for()
    lab.widget("[data-op=edit][aria-label*='weather']").click()
    lab.widget(".hai-editor textarea").fill("rain in Lyon")
    lab.page.keyboard.press("Control+Enter")
    lab.widget(".hai-branch").first.wait_for()
    lab.page.keyboard.press("r")
    lab.widget(".hai-c-done").wait_for()
    lab.run_cell(3)
    assert "branch-1 It is sunny." in lab.output(3).inner_text()
    lab.screenshot(tmp_path / "light.png", "light", of=lab.output(2))
    lab.screenshot(tmp_path / "dark.png", "dark", of=lab.output(2))
    lab.save()
    assert lab.errors == []
    assert lab.widget(".hai-picture:visible").count() == 0
    lab.shut_down_kernel()
    for kernel in (False, True):
        lab.reload(kernel=kernel)
        lab.widget(".hai-picture").get_by_text("How is the weather in Lyon?").wait_for()
        lab.page.wait_for_timeout(500)
        assert lab.output(2).get_by_text("Error displaying widget").locator("visible=true").count() == 0
        assert lab.output(2).get_by_text("Loading widget").locator("visible=true").count() == 0
