"""How long the widgets take: `python benchmarks/widgets.py [--write] [name …]`; `--write` puts the table on the page.

For each widget with much in it, and with a megabyte of text in one message: the time Python takes to make it, the time
until it is drawn in a real page, and how long a control takes until the page is drawn again, and until Python has
answered where it is asked. Each figure is the median of several; it says what this machine does and is checked by
nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import sections

ROOT = Path(__file__).parents[1]
# In the place of this script's own folder, in which `widgets` is this file.
sys.path[:1] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "tests")]

from hello_agents_widgets import (  # noqa: E402
    ContextMeter,
    ContextPipeline,
    FaultLab,
    HistoryCompression,
    LoopInspector,
    MemoryExplorer,
    RunTree,
    ToolSchema,
    TraceTimeline,
)
from widgets.page import browser, show  # noqa: E402
from widgets.test_history_compression import conversation  # noqa: E402

from hello_agents import Message, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry  # noqa: E402
from hello_agents.context import ContextBuilder, ContextConfig, ContextPacket  # noqa: E402
from hello_agents.core.message import Messages  # noqa: E402
from hello_agents.core.run import Outcome, Run  # noqa: E402
from hello_agents.memory import MemoryConfig, MemoryManager  # noqa: E402

ABOUT = """# Widgets

How long a widget takes with much in it, measured by

    python benchmarks/widgets.py --write

on {machine}. *Made* is Python's part, in CPU time; *drawn* is from the widget's own data to a page that is
laid out; *drawn again* is from a key, a click or a field to the page laid out again, and *answered* until Python's
answer is drawn too, where it is asked. Milliseconds, controls the median of {times}; Chromium, without JupyterLab.
"""

TIMES = 5

USE = """async ([selector, how, value, first]) => {
  if (first) document.querySelector(first).click();
  const all = document.querySelectorAll(selector);
  const at = all[how === "click last" ? all.length - 1 : 0];
  if (!at) throw new Error(`there is no ${selector}`);
  const { put, python } = window;
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const begun = performance.now();
  let asked = 0;
  let answered = null;
  window.python = (message) => {
    asked += 1;
    return python(message);
  };
  window.put = (part) => {
    put(part);
    document.body.getBoundingClientRect();
    asked -= 1;
    answered = performance.now() - begun;
  };
  if (how === "key") at.dispatchEvent(new KeyboardEvent("keydown", { key: value, bubbles: true, cancelable: true }));
  else if (how === "set") {
    at.value = value;
    at.dispatchEvent(new Event("input", { bubbles: true }));
    at.dispatchEvent(new Event("change", { bubbles: true }));
  } else at.click();
  document.body.getBoundingClientRect();
  const drawn = performance.now() - begun;
  do await pause(20);
  while (asked > 0 || performance.now() - begun < 300);
  Object.assign(window, { put, python });
  return [drawn, answered];
}"""

LINE = "a line of the text that a tool gave back\n"
MEGABYTE = (LINE * (1_000_000 // len(LINE) + 1))[:1_000_000]


@dataclass(frozen=True)
class Control:
    """Something that a reader uses, and what it is called on the page."""

    name: str
    selector: str
    """Where it is; `{}` stands for the value."""
    how: str = "click"
    values: tuple[str, ...] = ("",)
    """Used in turn."""
    first: str = ""
    """What has to be clicked before, each time, which is not measured."""


@dataclass(frozen=True)
class Case:
    widget: str
    what: str
    subject: Callable[[], Any]
    make: Callable[[Any], Any]
    control: Control


def walker(steps: int, text: str = "") -> SimpleAgent:
    """An agent that has made a run of so many steps, the first of which gave this text back."""
    tools = ToolRegistry()

    def look(place: int) -> str:
        """Looks."""
        return text if text and place == 1 else f"place {place} is empty"

    tools.register_function(look)
    calls = [ToolCall(f"c{n}", "look", {"place": n}) for n in range(1, steps)]
    return SimpleAgent("walker", ScriptedLLM(*calls, "done"), tool_registry=tools, max_tool_iterations=steps + 1)


def walked(steps: int, text: str = "") -> SimpleAgent:
    agent = walker(steps, text)
    agent.run("Look everywhere.")
    return agent


def family(children: int) -> Run:
    child = Run("worker", Messages([Message("Look.", "user"), Message("Nothing.", "assistant")]), 1)
    child = Run("worker", child.messages, 1, outcome=Outcome("finished", "Nothing."))
    return Run("planner", child.messages, 1, children={f"c{n}": child for n in range(children)})


def tools(number: int) -> ToolRegistry:
    registry = ToolRegistry()

    def page(of: int) -> str:
        """Gives a page."""
        return MEGABYTE

    for n in range(number):
        registry.register_function(page, name=f"page_{n}")
    return registry


def memories(*texts: str) -> MemoryManager:
    manager = MemoryManager(MemoryConfig(max_capacity=10_000))
    for text in texts:
        manager.add(text, "semantic", 0.5)
    return manager


def packets(*texts: str) -> list[ContextPacket]:
    return [ContextPacket(text) for text in texts]


def pipeline(packets: list[ContextPacket]) -> ContextPipeline:
    builder = ContextBuilder(config=ContextConfig(max_tokens=2000, min_relevance=0.0))
    return ContextPipeline(builder, "minutes from the station", additional_packets=packets)


def laboratory(agent: SimpleAgent) -> FaultLab:
    lab = FaultLab(agent, "Look everywhere.")
    lab.go()
    return lab


NOTES = [f"Place {n} is {n % 97} minutes from the station." for n in range(5000)]
BIG = [Message("Look.", "user"), Message(MEGABYTE, "assistant"), *conversation(3)[1:]]
STEP = Control("ArrowLeft, ArrowRight", ".hai-cur", "key", ("ArrowLeft", "ArrowRight"))
ROW = Control("a row", ".hai-roundrow")
SLIDER = Control("threshold", "input[type=range]", "set", ("2000", "900"))
RELEVANCE = Control("least relevance", "[data-field=min_relevance]", "set", ("0.2", "0.4"))
TOOL = Control("a tool", "[data-op=take][data-arg=page_{}]", "click", ("1", "2"), "[data-op=find]")
CALL = Control("call", "[data-form=call] [type=submit], [data-op=call]")
SEARCH = Control("search", "[data-form=search] [type=submit]")
FRAME = Control("a frame", "[role=treeitem]", "click last")
SPAN = Control("a span", ".hai-span", "click last")
FAULT = Control("a fault", "[data-live=fault]", "set", ("failing", ""))

CASES = (
    Case("LoopInspector", "1,000 steps", lambda: walked(1000), LoopInspector, STEP),
    Case("LoopInspector", "1 MB in a result", lambda: walked(5, MEGABYTE), LoopInspector, STEP),
    Case("ToolSchema", "5,000 tools", lambda: tools(5000), ToolSchema, TOOL),
    Case("ToolSchema", "1 MB in an answer", lambda: tools(1), lambda one: ToolSchema(one, '{"of": 1}'), CALL),
    Case("ContextMeter", "5,000 items", lambda: walked(2500), ContextMeter, ROW),
    Case("ContextMeter", "1 MB in an item", lambda: walked(5, MEGABYTE), ContextMeter, ROW),
    Case("HistoryCompression", "5,000 rounds", lambda: conversation(5000), HistoryCompression, SLIDER),
    Case("HistoryCompression", "1 MB in a reply", lambda: BIG, HistoryCompression, SLIDER),
    Case("ContextPipeline", "5,000 packets", lambda: packets(*NOTES), pipeline, RELEVANCE),
    Case("ContextPipeline", "1 MB in a packet", lambda: packets(MEGABYTE), pipeline, RELEVANCE),
    Case("MemoryExplorer", "5,000 memories", lambda: memories(*NOTES), MemoryExplorer, SEARCH),
    Case("MemoryExplorer", "1 MB in a memory", lambda: memories(MEGABYTE), MemoryExplorer, SEARCH),
    Case("RunTree", "5,000 frames", lambda: family(5000), RunTree, FRAME),
    Case("RunTree", "1 MB in a result", lambda: walked(5, MEGABYTE), RunTree, FRAME),
    Case("TraceTimeline", "5,000 spans", lambda: walked(2500), TraceTimeline, SPAN),
    Case("TraceTimeline", "1 MB in a result", lambda: walked(5, MEGABYTE), TraceTimeline, SPAN),
    Case("FaultLab", "1,000 steps", lambda: walker(1000), laboratory, FAULT),
    Case("FaultLab", "1 MB in a result", lambda: walker(5, MEGABYTE), laboratory, FAULT),
)


def measured(case: Case) -> list[str]:
    """A row of the table."""
    drawn: list[float] = []
    used: list[float] = []
    answered: list[float] = []
    subject = case.subject()
    begun = time.process_time()
    widget = case.make(subject)
    made = [(time.process_time() - begun) * 1000]
    with browser() as page:
        show(page, widget)
        drawn.append(page.evaluate("window.painted"))
        for n in range(TIMES):
            value = case.control.values[n % len(case.control.values)]
            control = case.control
            own, whole = page.evaluate(USE, [control.selector.format(value), control.how, value, control.first])
            used.append(own)
            if whole is not None:
                answered.append(whole)
    if widget.error:
        raise RuntimeError(f"{case.widget} with {case.what} reports {widget.error!r}. Look at its control.")
    figures = [f"{median(one):,.0f}" if one else "" for one in (made, drawn, used, answered)]
    return [case.widget, case.what, figures[0], figures[1], case.control.name, figures[2], figures[3]]


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the widgets take.")
    parser.add_argument("--write", action="store_true", help="put the table on benchmarks/README.md")
    parser.add_argument("names", nargs="*", help="widgets to measure; all of them if none is named")
    options = parser.parse_args()
    rows: list[list[str]] = []
    for case in CASES:
        if options.names and case.widget not in options.names:
            continue
        rows.append(measured(case))
        sys.stdout.write(" | ".join(rows[-1]) + "\n")
        sys.stdout.flush()
    machine = f"{os.cpu_count()} cores ({platform.system()}, {platform.machine()}), Python {platform.python_version()}"
    table = sections.table(["widget", "with", "made", "drawn", "control", "drawn again", "answered"], rows)
    if options.write:
        sections.put("widgets", f"{ABOUT.format(machine=machine, times=TIMES)}\n{table}")


if __name__ == "__main__":
    main()
