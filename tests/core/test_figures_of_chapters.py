"""The figures of the chapters: pictures with words for who cannot see them."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from hello_agents import PlanSolveAgent, ScriptedLLM, SimpleAgent, ToolCall, ToolRegistry, figures
from hello_agents.context.token_counter import TokenCounter
from hello_agents.core.config import Config
from hello_agents.core.message import Usage
from hello_agents.core.run import Replied
from hello_agents.evaluation import Report, Trial
from hello_agents.offline import OfflineLLM


def test_a_figure_is_a_picture_with_words() -> None:
    picture = figures.the_loop()
    data, more = picture._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]) == picture.png
    assert more["image/png"]["alt"] == picture.alt
    assert data["text/plain"] == repr(picture) == f"Figure: {picture.alt}"
    image = Image.open(io.BytesIO(picture.png))
    assert image.size == (1280, 400)
    colours = {colour for _, colour in image.convert("RGBA").getcolors(2**20) or []}
    for name in (figures.USER, figures.MODEL, figures.TOOL, figures.DONE):
        red, green, blue = (int(name[at : at + 2], 16) for at in (1, 3, 5))
        assert (red, green, blue, 255) in colours
    # What is not drawn is clear, so that it is legible on a dark page as well.
    assert (255, 255, 255, 0) in colours


def test_the_same_figure_is_the_same_bytes() -> None:
    assert figures.the_loop().png == figures.the_loop().png


def adder(*replies: object, **settings: object) -> SimpleAgent:
    tools = ToolRegistry()
    tools.register_function(lambda a, b: a + b, "add", "Adds.")
    return SimpleAgent("adder", ScriptedLLM(*replies), tool_registry=tools, config=Config(**settings))


def asked(agent: SimpleAgent, *questions: str) -> SimpleAgent:
    for question in questions:
        agent.run(question)
    return agent


CALL = ToolCall("c", "add", {"a": 1, "b": 2})


def planned(question: str) -> PlanSolveAgent:
    agent = PlanSolveAgent("planner", OfflineLLM())
    agent.run(question)
    return agent


def tried(**passed: int) -> Report:
    """A report on ten tasks, of which each agent passed so many."""
    return Report(
        tuple(
            Trial(name, f"t{task}", 0, "passed" if task < count else "wrong", usage=Usage(700 + 10 * count, 30))
            for name, count in passed.items()
            for task in range(10)
        )
    )


DRAWN = {
    "an_evaluation": lambda: figures.an_evaluation(),
    "rates_and_costs": lambda: figures.rates_and_costs(tried(simple=10, hasty=4, never=0)),
    "the rates of one agent": lambda: figures.rates_and_costs(tried(an_agent_with_a_long_name=7)),
    "how_many_tasks": lambda: figures.how_many_tasks([10, 200], {"none": [0.02, 0.04], "15 points": [0.06, 0.93]}),
    "the_map": lambda: figures.the_map(),
    "the_border": lambda: figures.the_border(),
    "way_of_a_call": lambda: figures.way_of_a_call(),
    "the_breaker": lambda: figures.the_breaker(),
    "the_assembly": lambda: figures.the_assembly(),
    "the_react_loop": lambda: figures.the_react_loop(),
    "two_rankings": lambda: figures.two_rankings(),
    "four_stages": lambda: figures.four_stages(),
    "draft_and_critique": lambda: figures.draft_and_critique(),
    "four_views": lambda: figures.four_views(),
    "two_drivers": lambda: figures.two_drivers(),
    "who_holds_what": lambda: figures.who_holds_what(),
    "five_loops": lambda: figures.five_loops(),
    "reflection_rounds": lambda: figures.reflection_rounds({"kind": [(0.5, 10), (1.0, 25)], "stern": [(0.5, 10)]}),
    "one_against_teams": lambda: figures.one_against_teams(
        [2, 8], {"alone": [(2, 693, 1312), (2, 1334, 7699)], "two": [(2, 365, 1911), (8, 430, 8036)]}
    ),
    "tokens_by_size": lambda: figures.tokens_by_size([1, 50], {"all": [136, 6790], "names": [240, 1112]}, "skills"),
    "tokens_over_steps": lambda: figures.tokens_over_steps(asked(adder(CALL, "3"), "1 + 2?")),
    "two agents": lambda: figures.tokens_over_steps(
        asked(adder(CALL, "3"), "1 + 2?"), asked(adder("3"), "1 + 2?"), names=("one", "other")
    ),
    "what_compression_keeps": lambda: figures.what_compression_keeps(
        asked(adder(*["word " * 60] * 6, memory_buffer_tokens=150, min_retain_rounds=1), *["Say."] * 6)
    ),
    "plan_and_runs": lambda: figures.plan_and_runs(planned("Work out 2 + 3, then work out 4 * 5").state),
}


@pytest.mark.parametrize("name", DRAWN)
def test_each_is_drawn_the_same_every_time_and_told_in_words(name: str) -> None:
    picture, again = DRAWN[name](), DRAWN[name]()
    assert picture.png == again.png
    assert picture.alt == again.alt
    assert picture.alt.endswith(".")
    drawn = Image.open(io.BytesIO(picture.png)).convert("RGBA")
    assert drawn.getchannel("A").getextrema() == (0, 255), "something is drawn, on nothing"
    # Nothing runs out of the picture: its border is clear.
    alpha, (width, height) = drawn.getchannel("A"), drawn.size
    for edge in ((0, 0, width, 1), (0, height - 1, width, height), (0, 0, 1, height), (width - 1, 0, width, height)):
        assert alpha.crop(edge).getextrema() == (0, 0), edge


def test_every_figure_is_drawn_here() -> None:
    drawing = {name for name in figures.__all__ if name[0].islower()}
    assert drawing <= {*DRAWN, "the_loop"}


def test_numbers_in_the_words_are_those_of_the_run() -> None:
    agent = asked(adder(CALL, "3"), "1 + 2?")
    counter, steps = TokenCounter("offline"), agent.steps()
    asks = [steps.request_at(n) for n, entry in enumerate(steps.entries) if isinstance(entry.event, Replied)]
    counts = [counter.count_messages(one.messages) + counter.count_tools(one.tools) for one in asks]
    assert ", ".join(map(str, counts)) in figures.tokens_over_steps(agent).alt


def test_the_words_on_an_evaluation_have_its_rates_and_intervals() -> None:
    alt = figures.rates_and_costs(tried(simple=10, hasty=4)).alt
    assert "simple: 100 % (72 to 100), 830 tokens; hasty: 40 % (17 to 69), 770 tokens." in alt
    alt = figures.how_many_tasks([10, 200], {"none": [0.02, 0.04]}).alt
    assert "10, 200 tasks. none: 2 %, 4 %." in alt


def test_the_map_names_packages_and_chapters_that_are_there() -> None:
    from hello_agents.figures.mapping import LAST, PACKAGES

    root = Path(__file__).parents[2]
    chapters = {int(path.name[:2]) for path in (root / "notebooks").glob("[0-9]*.ipynb")}
    assert {chapter for found in PACKAGES.values() for chapter in found} == chapters
    assert max(chapters) == LAST
    for package in PACKAGES:
        assert (root / "hello_agents" / package / "__init__.py").exists()
    picture = figures.the_map()
    assert "wire in 3;" in picture.alt
    assert Image.open(io.BytesIO(picture.png)).size == (1280, 544)
