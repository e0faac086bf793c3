"""The page on how to read: its lists hold the chapters that are there, with times that are counted."""

import json
import runpy

import pytest
from notebooks.execute import ROOT

times = runpy.run_path(str(ROOT / "book" / "reading_times.py"))
PAGE = times["PAGE"].read_text(encoding="utf-8")


def test_the_page_is_up_to_date():
    assert times["filled"](PAGE, times["chapters"]()) == PAGE, "Run `python book/reading_times.py`."


def write(folder, number, *cells):
    path = folder / f"{number}_made.ipynb"
    told = [{"cell_type": kind, "source": source, "metadata": {"tags": list(tags)}} for kind, source, *tags in cells]
    path.write_text(json.dumps({"cells": told}), encoding="utf-8")


def test_each_chapter_that_is_there_is_in_the_week_once():
    week = PAGE.partition("## A week")[2].partition("\n## ")[0]
    for chapter in times["chapters"]().values():
        assert week.count(f"(../notebooks/{chapter.path.name})") == 1


MINUTE = " ".join(["word"] * times["WORDS_A_MINUTE"])
LINES = "\n".join(["pass"] * times["LINES_A_MINUTE"])


@pytest.mark.parametrize(
    ("cells", "minutes"),
    [
        ([("markdown", MINUTE)], 1),
        ([("code", LINES)], 1),
        ([("code", LINES + "\n\n\n")], 1),
        ([("markdown", MINUTE, "solution")], 0),
        ([("code", LINES, "exercise")], 1 + times["AN_EXERCISE"]),
        ([("code", "from hello_agents_widgets import RunTree\n" + LINES)], 1 + 1 / times["LINES_A_MINUTE"] + 2),
        ([("markdown", MINUTE + "\n\n## Stop here\n\n" + MINUTE), ("code", LINES)], 1),
        ([("markdown", "## Stop here and there\n"), ("code", LINES)], 0),
    ],
)
def test_minutes_are_counted_from_words_and_lines(tmp_path, cells, minutes):
    write(tmp_path, "01", *cells)
    chapter = times["chapters"](tmp_path)["01"]
    assert chapter.minutes("Stop here") == pytest.approx(minutes)
    assert chapter.minutes() >= chapter.minutes("Stop here")


def test_lists_hold_only_what_is_there_and_filling_twice_changes_nothing(tmp_path):
    write(tmp_path, "02", ("markdown", "# 2 · Two\n\n" + MINUTE * 22))
    page = "a\n\n<!-- path: 01 02 -->\nold\n<!-- end -->\n\n<!-- path: 03 -->\n<!-- end -->\nb\n"
    filled = times["filled"](page, times["chapters"](tmp_path))
    assert "- [2 · Two](../notebooks/02_made.ipynb), about 20 minutes\n" in filled
    assert "old" not in filled
    assert filled.count("still to come") == 1
    assert times["filled"](filled, times["chapters"](tmp_path)) == filled


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(1, "about 5 minutes"), (27, "about 25 minutes"), (60, "about 1 hour"), (134, "about 2 hours 15 minutes")],
)
def test_times_are_round(minutes, words):
    assert times["_about"](minutes) == words
