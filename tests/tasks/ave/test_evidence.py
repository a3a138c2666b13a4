"""Validators' decisions as Evidence: what each row holds, which rules a response keeps, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

import nescio
from nescio.data.model import Question
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.errors import MismatchError
from nescio.tasks.ave.evidence import evidence, pair_evidence, roc, selections
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Pair, Validation, Value, problems
from tests.notes import in_words

S, V, R = Decision.SELECTED, Decision.VALIDATED, Decision.REJECTED
VALUES = {"V": Value.VALIDATED, "R": Value.REJECTED, "U": Value.UNKNOWN, "-": None}


def exercise(**groups: str) -> Exercise:
    """Questions with their answers' values as letters: q1="VRU" has the answers 1, 2 and 3."""
    questions = tuple(Question(name, "?", strata={"language": "EN"}) for name in groups)
    candidates = tuple(
        Candidate(name, str(i), f"answer {i}", "", value=VALUES[letter])
        for name, letters in groups.items()
        for i, letter in enumerate(letters, 1)
    )
    return Exercise("toy", questions, candidates)


def run(*decisions: tuple[str, Decision] | tuple[str, Decision, float]) -> list[Validation]:
    """Decisions as ("q1 2", SELECTED, confidence)."""
    rows = [(*place.split(), decision, *more) for place, decision, *more in decisions]
    return [Validation(*row) for row in rows]  # type: ignore[arg-type]


def test_rows_are_questions_and_judged_answers() -> None:
    data, notes = evidence(exercise(q1="VRU", q2="R"), {"a": run(("q1 1", S), ("q1 3", V), ("q2 1", R))})
    assert data.questions == ("q1", "q2", "q1 1", "q1 2", "q2 1")
    assert data.clusters is not None
    assert data.clusters.tolist() == [0, 1, 0, 0, 1]
    nan = np.nan
    np.testing.assert_array_equal(data.columns["ave.selected_right"], [[1, 0, nan, nan, nan]])
    np.testing.assert_array_equal(data.columns["ave.rejected_right"], [[0, 1, nan, nan, nan]])
    np.testing.assert_array_equal(data.columns["ave.solvable"], [[1, 0, nan, nan, nan]])
    np.testing.assert_array_equal(data.columns["ave.random"], [[0.5, 0, nan, nan, nan]])
    np.testing.assert_array_equal(data.columns["ave.right"], [[nan, nan, 1, 0, 0]])
    np.testing.assert_array_equal(data.columns["ave.accepted"], [[nan, nan, 1, 0, 0]])
    assert in_words(notes) == (
        "1 of 4 answers are UNKNOWN (or have no value), and are left out",
        "run 'a': the file holds 3 of 4 answers; missing answers count as REJECTED",
    )


def test_n_counts_what_a_measure_is_about_and_no_note_speaks_of_the_other_rows() -> None:
    data, _ = evidence(exercise(q1="VR", q2="R"), {"a": run(("q1 1", S), ("q1 2", R), ("q2 1", R))})
    scores = nescio.score(data, ["ave.F", "ave.qa_accuracy"], ci=None)
    assert [row.n for row in scores] == [3, 2]
    assert in_words(scores.notes) == ()


@pytest.mark.parametrize(
    ("groups", "given", "expected"),
    [
        # an unknown answer that is selected earns nothing, and is no rejection
        (
            {"q1": "UR", "q2": "RV"},
            run(("q1 1", S), ("q1 2", R), ("q2 1", R), ("q2 2", S)),
            {"ave.qa_accuracy": 0.5, "ave.qa_rej_accuracy": 0, "ave.precision": 1},
        ),
        # a question whose answers are all unknown stays in the denominators
        (
            {"q1": "V", "q2": "U"},
            run(("q1 1", S), ("q2 1", R)),
            {"ave.qa_accuracy": 0.5, "ave.random_qa_accuracy": 0.5, "ave.normalized_qa_accuracy": 1},
        ),
    ],
)
def test_unknown_answers(groups: dict[str, str], given: list[Validation], expected: dict[str, float]) -> None:
    data, _ = evidence(exercise(**groups), {"a": given})
    assert {row.measure: row.value for row in nescio.score(data, list(expected), ci=None)} == expected


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (run(("q9 1", R)), "no such question"),
        (run(("q1 9", R)), "no such answer"),
        (run(("q1 1", R), ("q1 1", R)), "has two decisions"),
        (run(("q1 1", S), ("q1 2", S)), "already has a SELECTED answer"),
        (run(("q1 1", V)), "one of them must be SELECTED"),
        (run(("q1 1", R, float("nan"))), "finite number"),
        (run(("q1 1", R, float("inf"))), "finite number"),
        (run(("q1 1", R, 0.5), ("q1 2", R)), "answer '2' of question 'q1' has no confidence"),
    ],
)
def test_a_run_that_breaks_a_rule_is_refused(given: list[Validation], says: str) -> None:
    with pytest.raises(MismatchError, match=f"run 'a': .*{says}"):
        evidence(exercise(q1="VR"), {"a": given})


def test_a_sound_run_has_no_problem() -> None:
    assert not list(problems(exercise(q1="VRU", q2="R"), run(("q1 2", V), ("q1 1", S), ("q1 3", R), ("q2 1", R))))


def test_without_gold_there_is_nothing_to_score() -> None:
    with pytest.raises(MismatchError, match="its answers have no values, as in a test set"):
        evidence(exercise(q1="--"), {"a": []})
    with pytest.raises(MismatchError, match="only UNKNOWN answers"):
        evidence(exercise(q1="U"), {"a": []})


def test_selections_are_outcomes_of_questions() -> None:
    """Selected right, selected wrong, nothing selected (the surest rejected answer is the candidate), missing."""
    collection = exercise(q1="VR", q2="VR", q3="RV", q4="V", q5="U")
    given = run(
        ("q1 1", S, 0.9), ("q1 2", V, 0.95), ("q2 2", S, 0.6), ("q3 1", R, 0.1), ("q3 2", R, 0.4), ("q5 1", S, 0.7)
    )
    found, notes = selections(collection, {"a": given})
    assert found.state.tolist() == [[CORRECT, INCORRECT, SILENT, SILENT, INCORRECT]]
    assert found.candidate is not None
    assert found.candidate.tolist() == [[-1, -1, 1, -1, -1]]
    np.testing.assert_array_equal(found.confidence, [[0.9, 0.6, 0.4, np.nan, 0.7]])
    assert in_words(notes)[-1] == "1 SELECTED answers are UNKNOWN in the gold, and count as incorrect"


def test_pairs_are_answers_alone() -> None:
    pairs = [
        Pair(str(i), "t", "h", VALUES[letter], q) for i, (letter, q) in enumerate((("V", "a"), ("R", "a"), ("U", None)))
    ]
    given = [Validation(str(i), str(i), V) for i in range(3)]
    data, notes = pair_evidence(pairs, {"run": given})
    assert data.questions == ("0", "1")
    assert data.clusters is not None
    assert data.clusters.tolist() == [0, 0]
    assert "ave.selected_right" not in data.columns
    assert len(notes) == 1


def test_the_area_under_the_roc_points_is_auc() -> None:
    rng = np.random.default_rng(0)
    letters = "".join(rng.choice(list("VR"), 40))
    sure = (rng.integers(0, 8, 40) / 8).tolist()
    given = [Validation("q", str(i), R, s) for i, s in enumerate(sure, 1)]
    data, _ = evidence(exercise(q=letters), {"a": given})
    points = roc(data)
    x, y = (np.array([getattr(p, name) for p in points]) for name in ("false_positive_rate", "true_positive_rate"))
    area = float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
    assert nescio.score(data, "ave.AUC", ci=None).rows[0].value == pytest.approx(area)


def test_what_becomes_of_a_selected_unknown_answer_is_said() -> None:
    chosen = {
        "a": run(("q1 2", S), ("q1 1", R)),
        "b": run(("q1 1", S), ("q1 2", V)),
        "c": run(("q1 2", S), ("q1 1", V)),
    }
    _, notes = evidence(exercise(q1="VU"), chosen)
    assert in_words(notes) == (
        "1 of 2 answers are UNKNOWN (or have no value), and are left out",
        "run 'a': 1, run 'c': 1 SELECTED answers are UNKNOWN in the gold: measures over answers ignore these, and QA accuracy counts their questions as not right",
    )


def test_missing_answers_of_each_run_are_noted() -> None:
    _, notes = evidence(exercise(q1="VR", q2="R"), {"a": run(("q1 1", S)), "b": run(("q1 1", S), ("q1 2", R))})
    assert in_words(notes) == (
        "run 'a': the file holds 1 of 3 answers; missing answers count as REJECTED",
        "run 'b': the file holds 2 of 3 answers; missing answers count as REJECTED",
    )
