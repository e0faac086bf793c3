"""Makes inspector.png and inspector-dark.png: LoopInspector on chapter 1's question, answered by the offline model.

`python book/figures/make_inspector.py` from the root of a checkout with the `dev` extra. The run is a real one; the
picture is taken in the machine's Chromium at twice the size, and cropped to the widget.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "tests")]

from hello_agents_widgets import LoopInspector  # noqa: E402
from PIL import Image  # noqa: E402
from widgets.page import browser, show  # noqa: E402

from hello_agents import CalculatorTool, HelloAgentsLLM, ReActAgent, ToolRegistry  # noqa: E402
from hello_agents.book import sandbox  # noqa: E402
from hello_agents.tools.builtin import ReadTool, TodoWriteTool  # noqa: E402

QUESTION = "Read budget.md and work out 2 * 320 + 180, then make a todo list: book the hotel, buy the train ticket"


def inspector() -> LoopInspector:
    """The inspector of chapter 1, with an edited branch, at the step in which two tools were called at once."""
    folder = sandbox({"budget.md": "hotel: 320 a night, two nights\ntrain: 180 return\n"})
    registry = ToolRegistry()
    registry.register_tool(ReadTool(project_root=str(folder)))
    registry.register_tool(CalculatorTool())
    registry.register_tool(TodoWriteTool())
    agent = ReActAgent("assistant", HelloAgentsLLM(model="offline"), tool_registry=registry, max_steps=8)
    widget = LoopInspector(agent, QUESTION)
    widget.step(4)
    widget.debugger.fork()
    widget.step()
    widget.dispatch({"op": "switch", "args": {"name": "main"}})
    return widget


def main(folder: Path) -> None:
    for theme, name in (("light", "inspector.png"), ("dark", "inspector-dark.png")):
        with browser(theme, 1088, 700, scale=2) as page:
            show(page, inspector(), dark=theme == "dark")
            page.locator(".hai").screenshot(path=folder / name)
        # 256 colours are enough for text and lines, and a third of the bytes.
        Image.open(folder / name).convert("RGB").quantize(256).save(folder / name, optimize=True)


if __name__ == "__main__":
    os.environ.pop("LLM_MODEL_ID", None)
    main(Path(__file__).parent)
