"""A question asked several times is one question: the worked figures of its means, and what policies and files make
of it.

The figures are derived by hand from counts of right, wrong and silent answers to each question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import nescio
from nescio.data.evidence import Evidence
from nescio.data.repeats import Repeats, means, repeats_of, shares
from nescio.errors import FormatError, MismatchError
from nescio.pipeline import Options, load
from tests.notes import in_words

Counts = Sequence[tuple[int, int, int]]
WORDS = ("correct", "incorrect", "unanswered")
# (right, wrong, silent) of five questions, the fourth of which was asked three times.
FIVE: Counts = [(4, 0, 0), (2, 1, 1), (0, 3, 1), (1, 0, 2), (0, 0, 4)]
X: Counts = [(3, 0, 0), (2, 0, 1), (1, 1, 1), (0, 0, 3), (2, 1, 0), (3, 0, 0)]
Y: Counts = [(1, 2, 0), (2, 1, 0), (0, 3, 0), (0, 2, 1), (2, 0, 1), (1, 1, 1)]


def rows(run: str, counts: Counts, first: int = 1) -> list[dict[str, object]]:
    """A row for each answer, numbered within its question."""
    listed = []
    for i, question in enumerate(counts):
        words = [word for word, many in zip(WORDS, question, strict=True) for _ in range(many)]
        for repeat, word in enumerate(words, first):
            listed.append({"run": run, "question": f"q{i}", "repeat": repeat, "outcome": word})
    return listed


def evidence(table: object, **options: object) -> Evidence:
    data = load(table, Options(**options)).data  # type: ignore[arg-type]
    assert isinstance(data, Evidence)
    return data


def test_a_question_counts_once_however_often_it_was_asked() -> None:
    """x = c/r and s = u/r: A = (1 + 1/2 + 0 + 1/3 + 0)/5 = 11/30, W = (1/4 + 3/4)/5 = 1/5, U = (1/4 + 1/4 + 2/3 +
    1)/5 = 13/30; UF = A - W = 1/6, c@1 = A (1 + U) = 473/900. All 19 answers in one heap would give 7/19 · 27/19 =
    .5235."""
    scores = nescio.score(rows("m", FIVE), ["accuracy", "UF", "c@1", "coverage"], ci=None)
    expected = {
        "accuracy": Fraction(11, 30),
        "UF": Fraction(1, 6),
        "c@1": Fraction(473, 900),
        "coverage": Fraction(17, 30),
    }
    assert_allclose(
        [scores.value("m", name) for name in expected], [float(value) for value in expected.values()], rtol=1e-14
    )
    assert {row.n for row in scores} == {5}
    assert (scores.signature["questions"], scores.signature["repeats"]) == ("5", "3-4")


def test_labels_are_exchanged_of_all_answers_to_a_question_at_once() -> None:
    """Differences 5/18, 2/3 and 127/324; of the 2⁶ exchanges 16, 6 and 6 reach them."""
    compared = nescio.compare([*rows("y", Y), *rows("x", X)], ["accuracy", "UF", "c@1"], baseline="y", run="x")
    by_name = {row.measure: row for row in compared}
    assert_allclose([by_name[m].difference for m in ("accuracy", "UF", "c@1")], [5 / 18, 2 / 3, 127 / 324], rtol=1e-12)
    p_values = [by_name[m].p or math.nan for m in ("accuracy", "UF", "c@1")]
    assert_allclose(p_values, [1 / 4, 3 / 32, 3 / 32], rtol=1e-12)
    assert {(row.n, row.units, row.test) for row in compared} == {(6, 6, "exact")}


def test_runs_may_have_been_asked_a_question_differently_often() -> None:
    """Both are compared on the questions that both were asked: (1 - 1/3) + (0 - 2/3), over two of them."""
    table = [*rows("x", [(1, 0, 0), (0, 1, 0)]), *rows("y", [(1, 2, 0), (2, 1, 0)], first=5)]
    row = nescio.compare(table, "accuracy", baseline="y", run="x").rows[0]
    assert (row.n, row.p) == (2, 1.0)
    assert row.difference == pytest.approx(0, abs=1e-15)
    scores = nescio.score(table, "accuracy", ci=None)
    assert scores.value("x", "accuracy") == scores.value("y", "accuracy") == 0.5


def test_measures_of_an_order_weigh_the_answers_of_a_question_alike() -> None:
    """q0 is right at .5, q1 wrong at .9, .4 and .1, q2 right twice at .2. A right answer of q0 is above a wrong one
    with chance 2/3, one of q2 with 1/3: AUROC is 1/2 where both weigh the same, and 4/9 where answers do."""
    table = [
        {"run": "m", "question": "q0", "repeat": 1, "outcome": "correct", "confidence": 0.5},
        *(
            {"run": "m", "question": "q1", "repeat": i, "outcome": "incorrect", "confidence": confidence}
            for i, confidence in enumerate((0.9, 0.4, 0.1))
        ),
        *({"run": "m", "question": "q2", "repeat": i, "outcome": "correct", "confidence": 0.2} for i in range(2)),
    ]
    assert nescio.score(table, "AUROC", ci=None).value("m", "AUROC") == pytest.approx((2 / 3 + 1 / 3) / 2)
    # Brier: 1/3 (.25 + (.81 + .16 + .01)/3 + .64)
    assert nescio.score(table, "Brier", ci=None).value("m", "Brier") == pytest.approx((0.25 + 0.98 / 3 + 0.64) / 3)


def test_a_run_that_lacks_a_repeat_lacks_no_question() -> None:
    table = [*rows("x", [(2, 0, 0), (1, 1, 0)]), *rows("y", [(1, 0, 0), (0, 2, 0)])]
    loaded = load(table)
    assert not any("missing" in note for note in in_words(loaded.notes))
    assert "run 'y': 1 of 2 questions has fewer than 2 answers" in in_words(loaded.notes)
    more = load([*table, *rows("z", [(0, 1, 0), (1, 1, 0)])])
    assert "each of 2 runs: 1 of 2 questions has fewer than 2 answers" in in_words(more.notes)  # said once
    lacking = [*rows("x", [(2, 0, 0), (1, 1, 0)]), *rows("y", [(1, 1, 0)])]
    with pytest.raises(MismatchError, match="run 'y' lacks 1 of 2 questions"):
        load(lacking)
    assert nescio.score(lacking, "accuracy", missing="unanswered", ci=None).value("y", "accuracy") == 0.25
    assert nescio.score(lacking, "accuracy", missing="common", ci=None).value("x", "accuracy") == 1.0
    ungraded = [*table, {"run": "x", "question": "q0", "repeat": 3, "outcome": ""}]
    assert nescio.score(ungraded, "accuracy", ungraded="exclude", ci=None).value("x", "accuracy") == 0.75


def test_a_table_keeps_its_repeats(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    nescio.convert(rows("m", FIVE), path)
    assert path.read_text().splitlines()[0].startswith("run,question,repeat,outcome")
    assert evidence(path).digest() == evidence(rows("m", FIVE)).digest()
    assert (
        evidence(path).digest() != evidence([row | {"repeat": f"0{row['repeat']}"} for row in rows("m", FIVE)]).digest()
    )


def test_a_repeat_stands_once_and_is_named() -> None:
    twice = [*rows("m", FIVE), rows("m", FIVE)[0]]
    with pytest.raises(FormatError, match="'q0' of run 'm' appears twice"):
        load(twice)
    with pytest.raises(FormatError, match="the repeat is empty"):
        load([*rows("m", FIVE), {"run": "m", "question": "q9", "repeat": "", "outcome": "correct"}])
    seeds = [{"seed" if key == "repeat" else key: value for key, value in row.items()} for row in rows("m", FIVE)]
    assert evidence(seeds).size == evidence(seeds, column={"repeat": "seed"}).size == 5


def test_strata_are_constant_within_a_question_and_repeats_are_one_themselves() -> None:
    table = [row | {"topic": f"t{row['question'] == 'q1'}", "latency": i} for i, row in enumerate(rows("m", FIVE))]
    assert {*evidence(table).strata} == {"topic", "repeat"}
    scores = nescio.score(table, "accuracy", by="repeat", ci=None)
    assert [scores.value("m", "accuracy", str(repeat)) for repeat in (1, 2, 3, 4)] == [0.6, 0.4, 0.2, 0.25]
    assert scores["m", "accuracy", "4"].n == 4
    topics = nescio.score(table, "accuracy", by="topic", ci=None)
    assert topics.value("m", "accuracy", "tFalse") == pytest.approx((1 + 1 / 3) / 4)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_means_and_shares_give_each_question_the_same_weight(question: list[int]) -> None:
    numbers = np.array(question)
    values = np.arange(len(numbers), dtype=float)
    expected = [values[numbers == q].mean() for q in np.unique(numbers)]
    assert_allclose(means(values, numbers), expected)
    weights = shares(numbers)
    totals = [weights[numbers == q].sum() for q in np.unique(numbers)]
    assert min(totals) == max(totals)
    assert all(len(set(weights[numbers == q])) == 1 for q in np.unique(numbers))


def test_repeats_are_numbered_by_the_names_of_their_questions() -> None:
    repeats = repeats_of(["b", "a", "b"], ["1", "1", "2"])
    assert isinstance(repeats, Repeats)
    assert list(repeats.question) == [1, 0, 1]
    assert repeats_of(["b", "a"], ["1", "2"]) is None
    assert repeats.select(np.array([True, True, False])) is None
