"""Neither the order of the questions nor the company of other runs and measures changes a score or a comparison: not
one bit. Each example is drawn once for all measures of the day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import nescio
from nescio.comparison.corrections import Test
from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence, outcome_tally
from nescio.data.results import Results
from nescio.scoring.confidence_intervals import IntervalMethod
from tests import strategies as some
from tests.laws.catalogue import close, of_today, varied
from tests.notes import in_words

Study = Callable[..., Results]
METHODS = st.sampled_from(["auto", "percentile", "bca"])
TESTS = st.sampled_from(["auto", "permutation"])


def score(data: Evidence, names: list[str], **how: Any) -> Results:
    return nescio.score(data, names, **{"mark": False, "resamples": 64, **how})


def compare(data: Evidence, names: list[str], **how: Any) -> Results:
    return nescio.compare(data, names, correction="none", **{"resamples": 64, **how})


def rows(results: Results, *runs: str) -> list[str]:
    """The rows of these runs as text, equal where they are equal to the last bit."""
    return sorted(repr(row) for row in results if not runs or row.run in runs)


def same(one: Results, other: Results) -> bool:
    assert rows(one) == rows(other)
    assert one.signature == other.signature
    assert sorted(in_words(one.notes)) == sorted(in_words(other.notes))
    return True


@pytest.mark.sampled
@given(pair=some.shuffled(some.evidence(max_runs=2)), method=METHODS, seed=some.seeds)
def test_a_shuffle_of_the_questions_changes_no_score(
    pair: tuple[Evidence, Evidence], method: IntervalMethod, seed: int
) -> None:
    names = of_today("shuffled scores", 15)
    one, other = (score(data, names, interval=method, seed=seed) for data in pair)
    assert same(one, other)


@pytest.mark.sampled
@given(pair=some.shuffled(some.evidence(min_runs=2, max_runs=2, max_questions=6)), test=TESTS, seed=some.seeds)
def test_a_shuffle_of_the_questions_changes_no_comparison(
    pair: tuple[Evidence, Evidence], test: Test, seed: int
) -> None:
    names = of_today("shuffled comparisons", 15)
    one, other = (compare(data, names, test=test, seed=seed) for data in pair)
    assert same(one, other)


@pytest.mark.sampled
@given(pair=some.shuffled(some.clustered(some.evidence(min_runs=2, max_runs=2, max_questions=6))))
def test_a_shuffle_of_clustered_questions_changes_nothing(pair: tuple[Evidence, Evidence]) -> None:
    names = of_today("shuffled clusters", 15)
    assert same(*(score(data, names) for data in pair))
    assert same(*(compare(data, names, test="permutation") for data in pair))


@pytest.mark.sampled
@pytest.mark.parametrize("clusters", [None, np.arange(90) % 7])
@pytest.mark.parametrize(("study", "how"), [(score, {"interval": "percentile"}), (compare, {"test": "permutation"})])
def test_a_shuffle_of_many_questions_changes_nothing(study: Study, how: dict[str, Any], clusters: Array | None) -> None:
    """Sums of many different numbers would betray the order in which they were added."""
    data = replace(varied(90), clusters=clusters)
    shuffled, names = data.select(np.random.default_rng(1).permutation(90)), of_today("many questions", 40)
    assert same(study(data, names, **how), study(shuffled, names, **how))


@pytest.mark.sampled
@given(data=some.evidence(max_runs=2), order=st.permutations(range(2)), keep=st.integers(1, 2), seed=some.seeds)
def test_the_other_runs_and_measures_change_no_score(data: Evidence, order: list[int], keep: int, seed: int) -> None:
    chosen, names = [run for run in order if run < len(data.runs)][:keep], of_today("company of scores", 13)
    among = score(data, names, seed=seed)
    assert rows(score(data.take_runs(chosen), names, seed=seed)) == rows(among, *(data.runs[run] for run in chosen))
    for name in names:
        alone = score(data, [name], seed=seed)
        assert rows(alone) == sorted(repr(row) for row in among if row.measure == name)


@pytest.mark.sampled
@given(data=some.evidence(min_runs=3), test=TESTS)
def test_the_other_runs_and_measures_change_no_comparison(data: Evidence, test: Test) -> None:
    names = of_today("company of comparisons", 15)
    pair, among = data.take_runs([1, 2]), compare(data, names, test=test, baseline="run 1")
    of_the_pair = {row.measure: row for row in among if row.run == "run 2"}
    for name in names:
        (alone,) = compare(pair, [name], test=test, baseline="run 1")
        assert repr(of_the_pair[name]) == repr(alone)


@pytest.mark.sampled
@given(data=some.evidence(lacking_confidence=False))
def test_strata_part_the_questions_and_score_as_their_questions_alone(data: Evidence) -> None:
    names = of_today("strata", 15)
    found = nescio.score(data, names, by="topic", ci=None)
    numbers = {(row.run, row.measure, row.stratum): row.n for row in found}
    topics = set(data.strata["topic"])
    for run in data.runs:
        for name in names:
            assert numbers[run, name, None] == sum(numbers[run, name, topic] for topic in topics), name
    for topic in topics:
        for row in nescio.score(data.select(data.strata["topic"] == topic), names, ci=None):
            assert repr(found.value(row.run, row.measure, topic)) == repr(row.value)


@given(pair=some.shuffled(some.evidence()))
def test_the_digest_of_the_data_knows_no_order(pair: tuple[Evidence, Evidence]) -> None:
    one, other = pair
    backwards = other.take_runs(range(len(other.runs))[::-1])
    renamed = replace(one, columns=dict(reversed(list(one.columns.items()))))
    assert one.digest() == other.digest() == backwards.digest() == renamed.digest()


@given(data=some.evidence(absences=False), run=st.integers(0, 2), question=st.integers(0, 7))
def test_the_digest_of_the_data_sees_every_cell(data: Evidence, run: int, question: int) -> None:
    graded = data.columns["graded"].copy()
    graded[run % len(data.runs), question % len(data.questions)] = 2.0
    assert replace(data, columns={**data.columns, "graded": graded}).digest() != data.digest()


@given(table=st.lists(some.counts, min_size=1, max_size=4))
def test_a_counts_table_scores_as_the_questions_it_counts(table: list[tuple[int, int, int]]) -> None:
    runs = [f"run {i}" for i in range(len(table))]
    names = ["c@1", "accuracy", "UF", "UF01", "eq6", "precision", "coverage", "simpleqa.F", "penalty(t=0.9)"]
    from_counts = nescio.score(outcome_tally(runs, np.array(table)), names, ci=None)
    for run, counts in zip(runs, table, strict=True):
        for row in nescio.score(_questions(run, counts), names, ci=None):
            assert row.value == close(from_counts.value(run, row.measure))
            assert row.n == sum(counts)


def _questions(run: str, counts: tuple[int, int, int]) -> Evidence:
    which = np.repeat([0, 1, 2], counts)[None]
    columns = {name: (which == i).astype(np.int8) for i, name in enumerate(OUTCOMES)} | {"answered": (which < 2) * 1}
    questions = tuple(f"q{i}" for i in range(which.shape[1]))
    return Evidence((run,), questions, columns, np.zeros(which.shape, dtype=np.uint8))
