"""Intervals and tests: numbers from the literature, and laws."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hello_agents.evaluation import mcnemar, paired_bootstrap, wilson

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # The worked examples of Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=6e-5)


@settings(deadline=None)
@given(COUNTS, st.floats(0.5, 0.999))
def test_wilson_holds_the_rate_and_stays_inside(counts, confidence):
    successes, trials = counts
    low, high = wilson(successes, trials, confidence)
    assert 0 <= low <= successes / trials <= high <= 1
    assert low < high


@settings(deadline=None)
@given(COUNTS)
def test_wilson_is_the_same_for_failures_mirrored(counts):
    successes, trials = counts
    low, high = wilson(successes, trials)
    assert wilson(trials - successes, trials) == pytest.approx((1 - high, 1 - low))


@settings(deadline=None)
@given(COUNTS, st.integers(2, 10))
def test_wilson_narrows_with_more_trials_and_widens_with_confidence(counts, times):
    successes, trials = counts

    def width(*of):
        low, high = wilson(*of)
        return high - low

    assert width(times * successes, times * trials) < width(successes, trials)
    assert width(successes, trials, 0.9) < width(successes, trials, 0.99)


def test_wilson_knows_nothing_where_nothing_was_tried():
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (1, 0)])
def test_wilson_refuses_counts_that_cannot_be(successes, trials):
    with pytest.raises(ValueError, match=f"{successes} successes in {trials}"):
        wilson(successes, trials)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95])
def test_a_confidence_that_cannot_be_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence)
    with pytest.raises(ValueError, match="confidence"):
        paired_bootstrap([0.0], confidence)


def tosses(n, k):
    """The probability of k heads or fewer in n tosses, by Pascal's triangle."""
    row = [Fraction(1)]
    for _ in range(n):
        row = [(a + b) / 2 for a, b in zip([Fraction(0), *row], [*row, Fraction(0)], strict=True)]
    return sum(row[: k + 1])


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_two_sided_toss_of_a_coin(first, second):
    expected = min(Fraction(1), 2 * tosses(first + second, min(first, second)))
    assert mcnemar(first, second) == pytest.approx(float(expected))
    assert mcnemar(first, second) == mcnemar(second, first)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1), (0, 5, 0.0625), (0, 6, 0.03125), (1, 9, 22 / 1024), (3, 3, 1), (0, 5000, 0)]
)
def test_mcnemar_gives_known_values(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)


DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=30)


@settings(deadline=None, max_examples=examples(40))
@given(DIFFERENCES)
def test_the_bootstrap_is_repeatable_holds_means_and_mirrors(differences):
    low, high, p = paired_bootstrap(differences, resamples=400)
    assert (low, high, p) == paired_bootstrap(differences, resamples=400)
    assert min(differences) <= low <= high <= max(differences)
    assert 0 < p <= 1
    mirrored = paired_bootstrap([-one for one in differences], resamples=400)
    assert mirrored == pytest.approx((-high, -low, p))


@pytest.mark.parametrize(
    ("differences", "expected"),
    [([], (0, 0, 1)), ([0.0] * 9, (0, 0, 1)), ([1.0] * 9, (1, 1, 2 / 10_001)), ([-0.5], (-0.5, -0.5, 2 / 10_001))],
)
def test_the_bootstrap_of_equal_differences(differences, expected):
    assert paired_bootstrap(differences) == pytest.approx(expected)


def test_the_bootstrap_agrees_with_the_normal_interval_on_many_tasks():
    differences = [1.0] * 120 + [0.0] * 200 + [-1.0] * 80
    mean = 40 / 400
    spread = ((200 / 400) - mean**2) ** 0.5 / 400**0.5
    low, high, p = paired_bootstrap(differences)
    assert (low, high) == pytest.approx((mean - 1.96 * spread, mean + 1.96 * spread), abs=0.006)
    assert p < 0.02
