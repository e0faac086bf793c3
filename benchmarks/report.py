"""The report: figures as Markdown tables, and whether the targets hold."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from entrants import BARE, LANGGRAPH_REACT, ORIGINAL_DEFAULT, ORIGINAL_OFF, OURS, OURS_JOURNAL, Contender
from figures import HEAVY, MEMORY_SIZE, SIZES, Figures
from sections import table

Results = Mapping[Contender, Figures]

PAGE = """# Benchmarks

What a step of the loop costs in this library and elsewhere, measured side by side in one go by

    {command}

on {machine}. This part of the page is written by that command. Without `--all` it
measures this checkout alone, in a minute.

A step is one reply of a zero-latency fake model that calls `add(a, b)`, and the call's result; a run is N steps and an
answer. Read the ratios: microseconds are those of one machine, with whatever else it did, while the ratios compare
runs that took turns in the same minutes. Costs of a step are CPU time of all threads, the best of several runs in
several fresh processes; imports are wall time, the median of many fresh processes, and memory is the peak of a process
that does nothing but one run. Each framework is used through its own hook for a model, with logs and telemetry off
(“defaults” excepted), and does more than this library in some ways and less in others: the table says what the loop
costs, not which to choose. Next to a real model, which takes seconds a step, none of these costs matter by themselves;
what grows with the run does, because an evaluation makes thousands of runs and a debugger replays them.

## A step

{steps}

## Import, memory, size

{weights}

“Over bare” is over the same interpreter that imports nothing. Size is what `pip install`, without extras, adds to an
empty environment, compiled files included. This library brings the `openai` client, tokenizers and their data with it;
langgraph and smolagents leave the client for a model to a further package, and pydantic-ai is its slim edition with the
`openai` extra. “Least” is the difference between the quickest processes of each kind: what the import takes when the
machine does nothing else.

{loads}

## Targets

{targets}

## Adding a contender

Write `contenders/NAME.py` with `prepare(steps)`, which returns what is timed, and enter it in `entrants.py` with exact
versions. `measure.py` runs in the contender's environment and measures one thing; `loop.py` makes the rounds.
"""


def page(results: Results, command: str, load: float) -> str:
    """The README; `load` is how many processes wanted to run at a time, on average."""
    return PAGE.format(
        command=command,
        machine=machine(load),
        steps=steps(results),
        weights=weights(results),
        loads=loads(results),
        targets=targets(results),
    )


def machine(load: float) -> str:
    system = f"{platform.system()}, {platform.machine()}"
    return f"{os.cpu_count()} cores ({system}), Python {platform.python_version()}, under an average load of {load:.1f}"


def steps(results: Results) -> str:
    """µs a step, its growth, and ratios at 100 steps."""
    ratios = [(name, results[one].us["100"]) for name, one in _references(results)]
    head = ["contender", *(f"µs a step, N={size}" if size == SIZES[0] else f"N={size}" for size in SIZES)]
    head += ["growth 100→1000", *(f"× {name}" for name, _ in ratios)]
    rows = []
    for one, figures in results.items():
        cells = [_us(figures.us[str(size)]) for size in SIZES] + [f"×{figures.growth:.2f}"]
        rows.append([_name(one, figures), *cells, *(_ratio(figures.us["100"] / us) for _, us in ratios)])
    return table(head, rows)


def weights(results: Results) -> str:
    """Import, memory and size; a variant of a contender has its own memory only."""
    ours = results[OURS].import_median
    head = [
        "contender",
        "import ms over bare",
        "least",
        "× this library",
        f"peak MiB, {MEMORY_SIZE} steps",
        "over bare",
    ]
    rows = []
    for one, figures in results.items():
        imports = ["", "", ""]
        if one.imports:
            ms = figures.import_median
            imports = [f"{ms:.0f}", f"{figures.import_least:.0f}", _ratio(ms / ours)]
        memory = [f"{figures.peak_mib:.1f}", f"{figures.peak_mib - figures.alone_mib:.1f}"]
        size = [f"{figures.megabytes:.0f}", str(len(figures.added))] if one.imports and figures.added else ["", ""]
        rows.append([one.name, *imports, *memory, *size])
    return table([*head, "installed MB", "distributions"], rows)


def loads(results: Results) -> str:
    """Which heavy packages the import of this library loads."""
    loaded = results[OURS].loads
    names = ", ".join(f"`{name}`" for name in HEAVY)
    return f"Of {names}, `{OURS.imports}` loads {', '.join(f'`{name}`' for name in loaded) or 'none'}."


def targets(results: Results) -> str:
    """Each target with what was measured and whether it holds."""
    ours, journal = results[OURS], results[OURS_JOURNAL]
    off, default, langgraph = results[ORIGINAL_OFF], results[ORIGINAL_DEFAULT], results[LANGGRAPH_REACT]
    rows = [
        _each("a step, events and snapshots only, at most 3 × HelloAgents with everything off", ours, off, 3),
        _each("a step at most 1/20 of langgraph's", ours, langgraph, 1 / 20),
        _each("a step with the journal written at most HelloAgents' with its defaults", journal, default, 1),
        _target("growth of a step's cost from 100 to 1000 steps at most ×1.3", ours.growth, 1.3, "×{:.2f}"),
        _target("the same with the journal written", journal.growth, 1.3, "×{:.2f}"),
        _target("import at most 60 ms over bare, least disturbed", ours.import_least, 60, "{:.0f} ms"),
        _target("the same, median under the load of this run", ours.import_median, 60, "{:.0f} ms"),
        _target(f"import loads none of {', '.join(HEAVY)}", len(ours.loads), 0, "{}"),
        _target("installed at most 60 MB", ours.megabytes, 60, "{:.0f} MB"),
        _target("installed at most 25 distributions", len(ours.added), 25, "{}"),
        _target(f"peak memory of {MEMORY_SIZE} steps at most 60 MiB", ours.peak_mib, 60, "{:.1f} MiB"),
    ]
    return table(["target", "measured", "holds"], rows)


def _each(target: str, one: Figures, other: Figures, most: float) -> list[str]:
    """A target for a ratio of steps, at each number of steps."""
    worst = max(one.us[str(size)] / other.us[str(size)] for size in SIZES)
    said = " · ".join(f"N={size}: {_part(one.us[str(size)] / other.us[str(size)])}" for size in SIZES)
    return [target, said, "yes" if worst <= most else "no"]


def _target(target: str, value: float, most: float, form: str) -> list[str]:
    return [target, form.format(value), "yes" if value <= most else "no"]


def _references(results: Results) -> list[tuple[str, Contender]]:
    named = [("this library", OURS), ("bare loop", BARE), ("HelloAgents off", ORIGINAL_OFF)]
    return [(name, one) for name, one in named if one in results]


def _name(one: Contender, figures: Figures) -> str:
    """The contender's name with its version."""
    return f"{one.name} {figures.added.get(one.distribution, {}).get('version', '')}".rstrip()


def _us(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _part(ratio: float) -> str:
    """A ratio below one as a fraction, which is how one says it."""
    return f"×{ratio:.2f}" if ratio > 0.5 else f"1/{1 / ratio:.0f}"
