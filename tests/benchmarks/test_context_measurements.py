"""The page of measurements is put together from sections, and the measurements of searching measure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


def in_benchmarks(code):
    """What a fresh process prints that can import the measurements; sizes are small there."""
    process = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (BENCHMARKS, ROOT)))},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.mark.parametrize("name", ["lexical", "dense"])
def test_each_size_is_measured_for_this_library_and_others(name):
    code = "import json, searching; searching.SIZES = searching.PLAIN_SIZES = (1000, 2000)\n"
    figures = in_benchmarks(code + f"print(json.dumps(searching.{name}().plain()))")
    measured = {(row[0], row[1]) for row in figures["rows"]}
    others = {"lexical": "bm25s", "dense": "numpy, product and partial sort"}
    for size in ("1,000", "2,000"):
        for who in ("this library", "this library, nothing installed", others[name]):
            assert (size, who) in measured
    assert all(len(row) == len(figures["head"]) for row in figures["rows"])
    assert all(row[-1] in ("yes", "no") for row in figures["targets"])


def test_the_page_shows_what_the_sample_gives():
    """The table of what is found does not depend on the machine, so the page must have it as it is."""
    figures = in_benchmarks("import json, searching; print(json.dumps(searching.found().plain()))")
    page = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert [row[0] for row in figures["rows"]] == ["lexical", "vector", "fused"]
    for row in figures["rows"]:
        assert "| " + " | ".join(row) + " |" in page


def test_a_section_takes_the_place_of_the_one_before_and_leaves_the_others(tmp_path):
    page = str(tmp_path / "README.md")
    code = f"""
import json, sections
from pathlib import Path
page = Path({page!r})
for name, text in (("one", "1"), ("two", "2 \\\\1"), ("one", "eins\\n\\n"), ("three", "3")):
    sections.put(name, text, page)
print(json.dumps(page.read_text(encoding="utf-8")))
"""
    expected = [("one", "eins"), ("two", "2 \\1"), ("three", "3")]
    assert in_benchmarks(code) == "\n".join(
        f"<!-- {name} -->\n{text}\n<!-- end of {name} -->\n" for name, text in expected
    )


@pytest.mark.parametrize("name", ["loop", "context"])
def test_the_page_has_the_section_of_each_command(name):
    page = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert page.count(f"<!-- {name} -->\n") == page.count(f"<!-- end of {name} -->\n") == 1
