"""What is missing, ungraded or unanswerable: the policies, and the notes that count what each of them touched."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.data.evidence import ABSENCES
from nescio.errors import MismatchError
from tests.formats.encodings import encode, evidence, read, refusal
from tests.notes import in_words
from tests.rings import together


def rows(outcomes: dict[str, str], **columns: Any) -> list[dict[str, Any]]:
    """Rows of runs whose outcomes are letters in the order of the questions: c, i, u, ? for ungraded, . for no row."""
    words = {"c": "correct", "i": "incorrect", "u": "unanswered", "?": None}
    return [
        {"run": run, "question": f"q{i}", "outcome": words[letter]} | columns
        for run, letters in outcomes.items()
        for i, letter in enumerate(letters, 1)
        if letter != "."
    ]


def outcome_letters(given: Any, **options: Any) -> dict[str, str]:
    """What the columns of the Evidence say, in the letters of `rows`, with absences as ?, . or _."""
    found = evidence(given, **options)
    marks = {"no row": ".", "ungraded": "?", "empty cell": "_"}
    letters = {}
    for r, run in enumerate(found.runs):
        cells = []
        for q in range(len(found.questions)):
            outcome = [name[0] for name in ("correct", "incorrect", "unanswered") if found.columns[name][r, q]]
            cells.append("".join(outcome) or marks[ABSENCES[found.absence[r, q]]])
        letters[run] = "".join(cells)
    return letters


MISSING = {"a": "ciuc", "b": "i..u", "c": "u.c."}


def test_a_missing_row_is_an_error(tmp_path: Path) -> None:
    path = encode(rows(MISSING), "csv", tmp_path)
    assert str(refusal(path, MismatchError)) == (
        f"{path}: run 'b' lacks 2 of 4 questions (first: 'q2'); 1 more run lacks questions; use --missing common to "
        "keep only the 1 question that all runs have (no gate then passes a run that lacks questions), --missing own to score each run on its own questions, or --missing unanswered if the runs were asked the missing questions and gave no answer"
    )
    path = encode(rows(MISSING | {"d": "c..."}), "csv", tmp_path)
    assert "; 2 more runs lack questions; " in str(refusal(path, MismatchError))


UNGRADED = {"a": "c?u", "b": "ccc"}
POLICIES = tomllib.loads(Path(__file__).with_name("policies.toml").read_text(encoding="utf-8"))


def without_answers(given: list[dict[str, Any]], questions: set[str]) -> list[dict[str, Any]]:
    return [row | {"answerable": str(row["question"] not in questions)} for row in given] if questions else given


@together("name", POLICIES)
def test_a_policy_makes_outcomes_and_says_how_many_it_touched(name: str, tmp_path: Path) -> None:
    policy = POLICIES[name]
    given = without_answers(rows(policy["outcomes"]), set(policy.get("without", ())))
    path, options = encode(given, "csv", tmp_path), policy.get("options", {})
    assert outcome_letters(path, **options) == policy["expected"]
    assert list(in_words(read(path, **options).notes)) == policy["notes"]


def test_policies_keep_what_else_is_known(tmp_path: Path) -> None:
    found = evidence(encode(rows(MISSING, topic="t", cluster="s"), "csv", tmp_path), missing="common")
    assert (found.questions, found.strata["topic"].tolist()) == (("q1",), ["t"])
    origins = evidence(encode(rows(UNGRADED), "csv", tmp_path), ungraded="bounds").origins
    assert origins == {"a [ungraded wrong]": "a", "a [ungraded right]": "a"}
    silent = evidence(encode(without_answers(rows({"a": "uiu"}), {"q1", "q2"}), "csv", tmp_path))
    assert_array_equal(silent.columns["answered"], [[0, 1, 0]])


def test_a_policy_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    path = encode(rows({"a": "c.", "b": ".c"}), "csv", tmp_path)
    assert str(refusal(path, MismatchError, missing="common")).startswith(
        "the two runs share no question; use --missing own"
    )
    apart = encode(rows({"a": "cc.", "b": ".cc", "d": "c.c"}), "csv", tmp_path)
    assert str(refusal(apart, MismatchError, missing="common")) == "the runs have no question in common"
    assert "; use --missing own to score each run on its own questions, or --missing unanswered if the runs" in str(
        refusal(apart, MismatchError)
    )
    path = encode(without_answers(rows({"a": "u"}), {"q1"}), "csv", tmp_path)
    message = str(refusal(path, MismatchError, unanswerable="exclude"))
    assert message == "every question is unanswerable, so --unanswerable exclude leaves none"


def test_an_ungraded_first_answer_taken_for_right_is_the_first_right_one(tmp_path: Path) -> None:
    lower = {"run": "a", "question": "q2", "outcome": "correct", "rank": 2}
    found = evidence(encode([*rows({"a": "c?"}), lower], "csv", tmp_path), ungraded="bounds")
    assert_array_equal(found.columns["first_right"], [[1, 2], [1, 1]])


def test_k_has_no_bounds_and_says_so(tmp_path: Path) -> None:
    ranked = rows({"a": "c?"}, confidence=0.5)
    lower = {"run": "a", "question": "q2", "outcome": "correct", "rank": 2, "confidence": 0.25}
    found = read(encode([*ranked, lower], "csv", tmp_path), ungraded="bounds")
    assert in_words(found.notes)[-1] == "K has no bounds for ungraded answers: it uses only the graded answers"


def test_an_ungraded_answer_is_an_error_that_counts_all(tmp_path: Path) -> None:
    path = encode(rows({"a": "c?u", "b": "?cc"}), "csv", tmp_path)
    message = str(refusal(path, MismatchError))
    assert message.startswith(f"{path}: run 'a', question 'q2': the answer is not graded (2 such answers in all); ")


def test_a_declined_candidate_is_right_or_wrong_and_never_right_where_there_is_no_answer(tmp_path: Path) -> None:
    given = [
        row | {"candidate": candidate, "answerable": answerable}
        for row, candidate, answerable in zip(
            rows({"a": "uuuu"}),
            ["correct", "incorrect", None, "correct"],
            ["true", "true", "true", "false"],
            strict=True,
        )
    ]
    found = evidence(encode(given, "csv", tmp_path))
    assert_array_equal(found.columns["candidate_correct"], [[1, 0, 0, 0]])
    assert_array_equal(found.columns["candidate_incorrect"], [[0, 1, 0, 1]])
    assert_array_equal(found.columns["correct"], [[0, 0, 0, 1]])


CONFIDENT: list[dict[str, Any]] = [
    {"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.9},
    {"run": "a", "question": "q2", "outcome": "incorrect", "confidence": None},
    {"run": "a", "question": "q3", "outcome": "incorrect", "confidence": 0.8},
    {"run": "a", "question": "q4", "outcome": "unanswered", "confidence": None},
]


def test_an_answer_without_a_confidence(tmp_path: Path) -> None:
    """Risk over the two that are left: 0 of 1 and 1 of 2, whose mean is 1/4. c@1 needs no confidence, and keeps all
    four."""
    path = encode(CONFIDENT, "csv", tmp_path)
    with pytest.raises(MismatchError) as refused:
        nescio.score(path, "AURC", ci=None)
    assert str(refused.value) == (
        "AURC: run 'a': 1 answered question has no confidence (first: 'q2'), but only unanswered "
        "questions may lack one; "
        'use missing_confidence="exclude" to leave such answers out of measures that use confidence'
    )
    for given in (path, evidence(path)):
        scores = nescio.score(given, ["AURC", "c@1"], ci=None, missing_confidence="exclude")
        assert [(row.value, row.n) for row in scores] == [(0.25, 2), (0.3125, 4)]
    (one,) = [found for found in scores.notes if found.code == "measure.left_out"]
    assert (one["left_out"], one.measures) == (2, ("AURC",))
    assert "missing_confidence:exclude" in str(scores.signature)
    # With a threshold: two answers can be withheld, and silence stays in n.
    coverage = nescio.score(path, "coverage@risk(0)", ci=None, missing_confidence="exclude")
    assert coverage.rows[0].value == pytest.approx(1 / 3)
    tuned = nescio.tune(path, ci=None, folds=2, missing_confidence="exclude")
    assert tuned.rows[0].n == 3
    assert any(found.code == "tuning.without_confidence" for found in tuned.notes)


def test_questions_cluster_by_a_stratum(tmp_path: Path) -> None:
    stories = {"q1": "x", "q2": "y", "q3": "x"}
    given = [row | {"story": stories[row["question"]]} for row in rows({"a": "ciu", "b": "uic"})]
    found = evidence(encode(given, "csv", tmp_path), cluster="story", strata=())
    assert found.clusters is not None
    assert_array_equal(found.clusters, [0, 1, 0])


def test_a_question_without_a_cluster_is_refused(tmp_path: Path) -> None:
    """Three blank cells are neither one cluster nor three."""
    stories = {"q1": "x", "q2": "", "q3": " "}
    given = [row | {"story": stories[row["question"]]} for row in rows({"a": "ciu", "b": "uic"})]
    message = str(refusal(encode(given, "csv", tmp_path), MismatchError, cluster="story"))
    assert message.startswith(
        "--cluster story: the column is blank for 2 of 3 questions ('q2', 'q3'); fill in a value for each question"
    )


def test_a_cluster_that_is_no_stratum(tmp_path: Path) -> None:
    path = encode(rows(MISSING, topic="t"), "csv", tmp_path)
    message = str(refusal(path, MismatchError, cluster="story", missing="unanswered"))
    assert message == "--cluster story: there is no such column with one value for each question; such columns: topic"


def test_ungraded_answers_may_count_as_incorrect() -> None:
    rows = [
        {"run": "a", "question": i, "outcome": word} for i, word in enumerate(["correct", "correct", "", "incorrect"])
    ]
    scores = nescio.score(rows, "accuracy", ungraded="incorrect", ci=None)
    assert scores.rows[0].value == 0.5
    assert "run 'a': 1 of 4 answers is not graded and counts as incorrect" in [note.text for note in scores.notes]
