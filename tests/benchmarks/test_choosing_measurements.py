"""The measurements of building a context measure, with small sizes."""

import pytest
from benchmarks.test_context_measurements import in_benchmarks


@pytest.mark.parametrize(
    ("name", "sizes", "others"),
    [
        ("mmr", "choosing.CANDIDATES = choosing.NAIVE_CANDIDATES = (60, 80)", "naive, all pairs"),
        ("building", "choosing.PACKETS = (60, 80)", "this library, words compared"),
    ],
)
def test_each_size_is_measured_for_this_library_and_others(name, sizes, others):
    figures = in_benchmarks(f"import json, choosing; {sizes}\nprint(json.dumps(choosing.{name}().plain()))")
    measured = {(row[0], row[1]) for row in figures["rows"]}
    assert {("60", others), ("80", others)} <= measured
    assert any(who.startswith("this library") for _, who in measured)
    assert all(len(row) == len(figures["head"]) for row in figures["rows"])
