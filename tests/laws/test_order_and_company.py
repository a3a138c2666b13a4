"""Neither the order of the questions nor the company of other runs changes a value or an interval: not one bit.

Each example is drawn once for all measures.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import nescio
from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence, outcome_tally
from nescio.data.results import Results, Scores
from nescio.scoring.confidence_intervals import IntervalMethod
from tests import strategies as some
from tests.laws.catalogue import MEASURES, close, one_in, varied
from tests.notes import in_words

few = one_in(4)
METHODS = ("auto", "percentile", "bca")


def rows(results: Results, *runs: str) -> list[str]:
    """The rows of these runs as text, equal where they are equal to the last bit."""
    return sorted(repr(row) for row in results if not runs or row.run in runs)


def moved(one: Scores, other: Scores) -> list[str]:
    """The measures whose rows differ in a bit."""
    return [row.measure for row, twin in zip(one, other, strict=True) if repr(row) != repr(twin)]


@few
@given(pair=some.shuffled(some.evidence(max_runs=2)), method=st.sampled_from(METHODS), seed=some.seeds)
def test_a_shuffle_of_the_questions_changes_nothing(
    pair: tuple[Evidence, Evidence], method: IntervalMethod, seed: int
) -> None:
    for name in MEASURES:
        one, other = (nescio.score(data, name, interval=method, resamples=300, seed=seed) for data in pair)
        assert rows(one) == rows(other)
        assert one.signature == other.signature, name
        assert sorted(in_words(one.notes)) == sorted(in_words(other.notes)), name


@few
@given(pair=some.shuffled(some.clustered(some.evidence(max_runs=1))))
def test_a_shuffle_of_clustered_questions_changes_nothing(pair: tuple[Evidence, Evidence]) -> None:
    one, other = (nescio.score(data, list(MEASURES), resamples=300) for data in pair)
    assert moved(one, other) == []


@pytest.mark.parametrize("clusters", [None, np.arange(90) % 7])
def test_a_shuffle_of_many_questions_changes_nothing(clusters: Array | None) -> None:
    """Sums of many different numbers would betray the order in which they were added."""
    data = replace(varied(90), clusters=clusters)
    order = np.random.default_rng(1).permutation(90)
    one, other = (
        nescio.score(form, list(MEASURES), interval="percentile", resamples=64) for form in (data, data.select(order))
    )
    assert moved(one, other) == []


@few
@given(data=some.evidence(), order=st.permutations(range(3)), keep=st.integers(1, 3))
def test_the_other_runs_change_nothing(data: Evidence, order: list[int], keep: int) -> None:
    chosen = [run for run in order if run < len(data.runs)][:keep]
    alone, among = (
        nescio.score(runs, list(MEASURES), interval="percentile", mark=False, resamples=64)
        for runs in (data.take_runs(chosen), data)
    )
    assert rows(alone) == rows(among, *(data.runs[run] for run in chosen))


@few
@given(data=some.evidence(), seed=some.seeds)
def test_the_other_measures_change_nothing(data: Evidence, seed: int) -> None:
    among = nescio.score(data, list(MEASURES), resamples=64, seed=seed)
    for name in MEASURES:
        alone = nescio.score(data, name, resamples=64, seed=seed)
        assert rows(alone) == sorted(repr(row) for row in among if row.measure == name)


@one_in(3)
@given(data=some.evidence(lacking_confidence=False))
def test_the_strata_part_the_questions(data: Evidence) -> None:
    found = nescio.score(data, list(MEASURES), by="topic", ci=None)
    for run in data.runs:
        for name in MEASURES:
            numbers = {row.stratum: row.n for row in found if (row.run, row.measure) == (run, name)}
            assert numbers.pop(None) == sum(numbers.values()), name


@one_in(3)
@given(data=some.evidence(lacking_confidence=False))
def test_a_stratum_scores_as_its_questions_alone(data: Evidence) -> None:
    found = nescio.score(data, list(MEASURES), by="topic", ci=None)
    for topic in set(data.strata["topic"]):
        alone = nescio.score(data.select(data.strata["topic"] == topic), list(MEASURES), ci=None)
        for row in alone:
            assert repr(found.value(row.run, row.measure, topic)) == repr(row.value)


@given(pair=some.shuffled(some.evidence()))
def test_the_digest_of_the_data_knows_no_order(pair: tuple[Evidence, Evidence]) -> None:
    one, other = pair
    backwards = other.take_runs(range(len(other.runs))[::-1])
    renamed = replace(one, columns=dict(reversed(list(one.columns.items()))))
    assert one.digest() == other.digest() == backwards.digest() == renamed.digest()


@given(data=some.evidence(absences=False), run=st.integers(0, 2), question=st.integers(0, 7))
def test_the_digest_of_the_data_sees_every_cell(data: Evidence, run: int, question: int) -> None:
    run, question = run % len(data.runs), question % len(data.questions)
    graded = data.columns["graded"].copy()
    graded[run, question] = 2.0
    assert replace(data, columns={**data.columns, "graded": graded}).digest() != data.digest()


@given(table=st.lists(some.counts, min_size=1, max_size=4))
def test_a_counts_table_scores_as_the_questions_it_counts(table: list[tuple[int, int, int]]) -> None:
    runs = [f"run {i}" for i in range(len(table))]
    tally = outcome_tally(runs, np.array(table))
    names = ["c@1", "accuracy", "UF", "UF01", "eq6", "precision", "coverage", "simpleqa.F", "penalty(t=0.9)"]
    from_counts = nescio.score(tally, names, ci=None)
    for run, (correct, incorrect, unanswered) in zip(runs, table, strict=True):
        one = _questions(run, correct, incorrect, unanswered)
        for row in nescio.score(one, names, ci=None):
            assert row.value == close(from_counts.value(run, row.measure))
            assert row.n == correct + incorrect + unanswered


def _questions(run: str, correct: int, incorrect: int, unanswered: int) -> Evidence:
    which = np.repeat([0, 1, 2], [correct, incorrect, unanswered])[None]
    columns = {name: (which == i).astype(np.int8) for i, name in enumerate(OUTCOMES)} | {"answered": (which < 2) * 1}
    questions = tuple(f"q{i}" for i in range(which.shape[1]))
    return Evidence((run,), questions, columns, np.zeros(which.shape, dtype=np.uint8))
