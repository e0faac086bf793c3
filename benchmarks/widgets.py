"""How long LoopInspector and ContextPipeline take: `python benchmarks/widgets.py [steps ...]`.

For runs of that many steps, and for one with a megabyte of text in a message: the time Python takes to make the
widget, the bytes a step sends, the time until it is drawn in a real page, and how long a key takes until the page is
drawn again. Each figure is the median of several; it says what this machine does and is checked by nothing.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
# In the place of this script's own folder, in which `widgets` is this file.
sys.path[:1] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "tests")]

from hello_agents_widgets import ContextPipeline, LoopInspector  # noqa: E402
from hello_agents_widgets.timeline import compact_json  # noqa: E402
from widgets.page import browser, show  # noqa: E402

from hello_agents import ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry  # noqa: E402
from hello_agents.context import ContextBuilder, ContextPacket  # noqa: E402

KEYS = ("End", "Home", "ArrowDown", "ArrowRight", "ArrowLeft", "End", "ArrowUp", "j", "j")

PRESS = """async (key) => {
  const at = document.activeElement && document.activeElement !== document.body
    ? document.activeElement : document.querySelector(".hai-cur, [data-op=back]");
  const begun = performance.now();
  at.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  document.body.getBoundingClientRect();
  const drawn = performance.now() - begun;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return [drawn, performance.now() - begun];
}"""


def run_of(steps: int, text: str = "") -> LoopInspector:
    """An inspector on a finished run of so many steps, the first of which gives this text back."""
    tools = ToolRegistry()

    def look(place: int) -> str:
        """Looks."""
        return text if text and place == 1 else f"place {place} is empty"

    tools.register_function(look)
    calls = [ToolCall(f"c{n}", "look", {"place": n}) for n in range(1, steps)]
    agent = SimpleAgent("walker", ScriptedLLM(*calls, "done"), tool_registry=tools, max_tool_iterations=steps + 1)
    agent.run("Look everywhere.")
    return LoopInspector(agent)


def python_side(steps: int) -> tuple[float, int]:
    """Milliseconds to make the widget, and bytes that the last step of a live run sends."""
    begun = time.perf_counter()
    widget = run_of(steps)
    made = (time.perf_counter() - begun) * 1000
    widget.debugger.back(2)
    widget.publish()
    sent: list[int] = []
    widget._send = lambda message, buffers=None: sent.append(len(compact_json(message).encode()))
    widget.dispatch({"op": "step"})
    return made, sum(sent)


def page_side(widget: Any) -> dict[str, float]:
    """Milliseconds to the first drawing, and to the answer of each key."""
    figures: dict[str, list[float]] = {}
    with browser() as page:
        show(page, widget)
        figures["first drawing"] = [page.evaluate("window.painted")]
        for _ in range(3):
            for key in KEYS:
                drawn, _frame = page.evaluate(PRESS, key)
                figures.setdefault(key, []).append(drawn)
                page.wait_for_timeout(60)
        page.evaluate(PRESS, "Home")
        page.evaluate(PRESS, "ArrowDown")
        page.wait_for_timeout(100)
        for more in page.locator(".hai-more [data-op=all]").all()[:1]:
            begun = time.perf_counter()
            more.evaluate("(el) => { el.click(); document.body.getBoundingClientRect(); }")
            figures["show all"] = [(time.perf_counter() - begun) * 1000]
            figures["a key, all shown"] = [page.evaluate(PRESS, "j")[0] for _ in range(4)]
    return {name: median(values) for name, values in figures.items()}


PUT = """async (message) => {
  const part = JSON.parse(JSON.stringify(await window.python(message)));
  const begun = performance.now();
  window.put(part);
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""


def packets(number: int) -> None:
    """A pipeline of so many packets: to make it, to move a knob, the bytes that this sends, and to draw both."""
    stand = [ContextPacket(f"Hotel {n} stands {n % 97} minutes from the station {n % 13}.") for n in range(number)]
    begun = time.perf_counter()
    widget = ContextPipeline(ContextBuilder(), "Which hotel is near the station?", additional_packets=stand)
    made = (time.perf_counter() - begun) * 1000
    moves: list[float] = []
    for least in (0.1, 0.05, 0.02):
        begun = time.perf_counter()
        widget.set(min_relevance=least)
        moves.append((time.perf_counter() - begun) * 1000)
    sent = len(compact_json(widget.head).encode())
    with browser() as page:
        show(page, widget)
        drawn = page.evaluate("window.painted")
        again = median(
            page.evaluate(PUT, compact_json({"op": "set", "args": {"min_relevance": least}})) for least in (0.3, 0.1, 0)
        )
    print(f"{number:,} packets: made in {made:.0f} ms; a knob takes {median(moves):.0f} ms and sends {sent:,} bytes")
    print(f"{number:,} packets: first drawing {drawn:.1f} ms, after a knob {again:.1f} ms")


def main(sizes: list[int]) -> None:
    packets(5000)
    line = "a line of the text that a tool gave back\n"
    lines = (line * (1_000_000 // len(line) + 1))[:1_000_000]
    for name, steps, text in [
        *((f"{n:,} steps", n, "") for n in sizes),
        ("1 MB in lines", 5, lines),
        ("1 MB in one line", 5, "x" * 1_000_000),
    ]:
        if not text:
            made, sent = python_side(steps)
            print(f"{name}: made in {made:.0f} ms; the last step sends {sent:,} bytes")
        figures = page_side(run_of(steps, text))
        print(f"{name}: " + ", ".join(f"{key} {value:.1f} ms" for key, value in figures.items()))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10, 100, 1000])
