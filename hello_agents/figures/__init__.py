"""The figures of the chapters: legible on light and dark pages, with words for who cannot see them."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .canvas import DONE, INK, MODEL, TOOL, USER, Picture
    from .contexts import four_stages, tokens_by_size, tokens_over_steps, two_rankings, what_compression_keeps
    from .evaluations import an_evaluation, how_many_tasks, rates_and_costs
    from .loops import five_loops, the_loop, the_react_loop, two_drivers
    from .mapping import the_map
    from .patterns import draft_and_critique, one_against_teams, plan_and_runs, reflection_rounds, the_assembly
    from .running import four_views, who_holds_what
    from .tooling import the_border, the_breaker, way_of_a_call

__all__ = [
    "DONE",
    "INK",
    "MODEL",
    "TOOL",
    "USER",
    "Picture",
    "an_evaluation",
    "draft_and_critique",
    "five_loops",
    "four_stages",
    "four_views",
    "how_many_tasks",
    "one_against_teams",
    "plan_and_runs",
    "rates_and_costs",
    "reflection_rounds",
    "the_assembly",
    "the_border",
    "the_breaker",
    "the_loop",
    "the_map",
    "the_react_loop",
    "tokens_by_size",
    "tokens_over_steps",
    "two_drivers",
    "two_rankings",
    "way_of_a_call",
    "what_compression_keeps",
    "who_holds_what",
]

_HOMES = {
    "USER": "canvas",
    "TOOL": "canvas",
    "MODEL": "canvas",
    "INK": "canvas",
    "DONE": "canvas",
    "Picture": "canvas",
    "an_evaluation": "evaluations",
    "draft_and_critique": "patterns",
    "five_loops": "loops",
    "four_stages": "contexts",
    "four_views": "running",
    "how_many_tasks": "evaluations",
    "one_against_teams": "patterns",
    "plan_and_runs": "patterns",
    "rates_and_costs": "evaluations",
    "reflection_rounds": "patterns",
    "the_assembly": "patterns",
    "the_border": "tooling",
    "the_breaker": "tooling",
    "the_loop": "loops",
    "the_map": "mapping",
    "the_react_loop": "loops",
    "tokens_by_size": "contexts",
    "tokens_over_steps": "contexts",
    "two_drivers": "loops",
    "two_rankings": "contexts",
    "way_of_a_call": "tooling",
    "what_compression_keeps": "contexts",
    "who_holds_what": "running",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES)
