"""The map: which package of the library is in which chapter."""

from __future__ import annotations

from .canvas import INK, USER, Picture, finished, plot

PACKAGES = {
    "core": (1, 2, 3, 6, 14, 18),
    "wire": (3,),
    "tools": (4, 5, 15, 16),
    "agents": (6, 7, 8, 9, 15),
    "context": (10, 11, 13),
    "memory": (12,),
    "skills": (16,),
    "observability": (17, 20),
    "serve": (19,),
    "evaluation": (21,),
}
"""Packages of `hello_agents`, each with the chapters that take it apart."""

LAST = max(max(chapters) for chapters in PACKAGES.values())


def the_map() -> Picture:
    """The packages of the library against the chapters."""
    axes = plot(8, 3.4)
    names = list(PACKAGES)
    for row, name in enumerate(names):
        chapters = PACKAGES[name]
        axes.plot((1, LAST), (row, row), color=INK, alpha=0.25, linewidth=1, zorder=1)
        axes.scatter(chapters, [row] * len(chapters), s=150, color=USER, zorder=2)
    axes.set_yticks(range(len(names)), names, fontsize=11)
    axes.set_xticks(range(1, LAST + 1))
    axes.set_xlabel("chapter", fontsize=11)
    axes.invert_yaxis()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    told = "; ".join(f"{name} in {', '.join(map(str, chapters))}" for name, chapters in PACKAGES.items())
    return finished(axes, f"The packages of the library, and the chapters that take each of them apart: {told}.")
