"""Whether a correction of a judge holds for another run: five answers, errors by hand, and whom the judge favours."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy.stats import t as student

import nescio
from nescio.errors import MismatchError, UnknownNameError, UsageError

Rows = list[dict[str, Any]]


def codes(found: nescio.Results[Any]) -> set[str]:
    return {note.code for note in found.notes}


def made(runs: dict[str, str], **columns: Any) -> tuple[Rows, Rows]:
    """Answers and people's verdicts. A run is a text of pairs, the judge's verdict and people's: "CC WC C-"; "?" is
    none of the judge, "-" none of people, U is silence. A column is a function of the run and the place."""
    words = {"C": "correct", "W": "incorrect", "U": "unanswered", "?": ""}
    answers, people = [], []
    for run, pairs in runs.items():
        for i, pair in enumerate(pairs.split()):
            judge, said = pair[0], pair[1]
            more = {name: of(run, i) for name, of in columns.items()}
            answers.append({"run": run, "question": f"q{i}", "outcome": words[judge], **more})
            if said != "-":
                people.append({"run": run, "question": f"q{i}", "verdict": words[said]})
    return answers, people


def audit(runs: dict[str, str], margin: float = 0.1, columns: dict[str, Any] | None = None, **how: Any) -> Any:
    answers, people = made(runs, **(columns or {}))
    return nescio.labels.shift(answers, labels=people, margin=margin, missing="own", **how)


AGREES = "CC WW " * 150


def test_the_five_answers() -> None:
    """The judge agrees on the first run and on `same`; of `kind` it calls every wrong answer correct, a bias of ½."""
    found = audit(
        {
            "first": AGREES,
            "same": AGREES,
            "kind": "CC CW " * 150,
            "little": "CC WW " * 15,
            "ungraded": "?C ?W " * 150,
            "few": "CC WW " * 5,
            "silent": "U- " * 300,
        },
        learned_on=["first"],
    )
    assert {row.run: row.answer for row in found} == {
        "same": "pass",
        "kind": "fail",
        "little": "inconclusive",
        "ungraded": "not graded",
        "few": "not checked",
        "silent": "not checked",
    }
    kind, few = (next(row for row in found if row.run == run) for run in ("kind", "few"))
    assert (kind.value, kind.learned, kind.difference) == (0.5, 0.0, 0.5)
    assert (few.labels, few.learned_labels) == (10, 300)
    assert math.isnan(few.difference)


def test_a_run_that_nobody_labelled_is_not_checked() -> None:
    found = audit({"first": AGREES, "unseen": "C- W- " * 150})
    assert [(row.run, row.answer, row.labels) for row in found] == [
        ("first", "not checked", 300),
        ("unseen", "not checked", 0),
    ]


def test_errors_by_hand() -> None:
    """Of ten answers that people call wrong the judge calls three correct, of ten right ones it misses one: a bias of
    (10 - 1 + 3 - 10)/20 = .1. Wilson's interval of 3/10 is [.1078, .6032] (Newcombe 1998's formula)."""
    runs = {"a": "CW " * 3 + "WW " * 7 + "CC " * 9 + "WC", "b": "CC WW " * 10}
    bias, positives, negatives, *others = audit(runs).tables["errors"]
    assert (bias.run, bias.error, bias.value, bias.labels) == ("a", "bias", pytest.approx(0.1), 20)
    assert (positives.error, positives.value, positives.labels) == ("false-positives", 0.3, 10)
    assert (positives.low, positives.high) == pytest.approx((0.1078, 0.6032), abs=1e-4)
    assert (negatives.error, negatives.value, negatives.labels) == ("false-negatives", 0.1, 10)
    assert [(row.run, row.value) for row in others] == [("b", 0)] * 3


def test_the_same_bias_may_be_other_errors() -> None:
    """Both biases are 0; of `b` the judge is wrong as often in either direction, and its false positives differ."""
    runs = {"a": AGREES, "b": "CW WC CC WW " * 100}
    assert audit(runs, learned_on=["a"]).rows[0].answer == "pass"
    worse = audit(runs, learned_on=["a"], error="false-positives").rows[0]
    assert (worse.answer, worse.value, worse.learned, worse.labels) == ("fail", 0.5, 0.0, 200)
    assert audit(runs, learned_on=["a"], error="false-negatives").rows[0].value == 0.5


def test_runs_that_err_on_the_same_questions_are_paired() -> None:
    """The judge errs on the same 40 of 280 questions of both, so no difference was seen: what was not seen are two
    squares in either group, each with 279 degrees of freedom, and 558 together."""
    pairs = "CW " + "CC WW " * 3
    row = audit({"a": pairs * 40, "b": pairs * 40}, learned_on=["a"]).rows[0]
    half = student.ppf(0.975, 558) * math.sqrt(4 / (280 * 279))
    assert (row.difference, row.low, row.high, row.answer) == (0, pytest.approx(-half), pytest.approx(half), "pass")
    apart = audit({"a": pairs * 40, "b": "CC WW " * 3 * 40 + "CW " * 40}, learned_on=["a"]).rows[0]
    assert apart.high > 3 * half


def test_silence_and_what_was_not_judged_do_not_count() -> None:
    runs = {"a": AGREES, "b": "UC U- " * 50 + "CW " * 30 + "?W " * 7}
    row = audit(runs, learned_on=["a"]).rows[0]
    assert (row.labels, row.value) == (30, 1.0)
    assert "labels.of_silence" in codes(audit(runs, learned_on=["a"]))


def test_without_a_learned_run_each_is_held_against_all_others() -> None:
    found = audit({"a": AGREES, "b": AGREES, "c": "CC CW " * 150})
    assert [(row.run, row.learned_on) for row in found] == [("a", "b + c"), ("b", "a + c"), ("c", "a + b")]
    assert found.rows[2].learned_labels == 600


def test_the_bias_by_length_position_and_own_model() -> None:
    """The judge calls long wrong answers correct, and only those; its own model has the longer ones."""
    runs = {"gpt-x": "CC CW " * 50, "other": "CC WW " * 50}
    columns = {
        "length": lambda run, i: 100 if run == "gpt-x" else 10,  # noqa: ARG005
        "position": lambda run, i: 1 + i % 2,  # noqa: ARG005
        "judge": lambda run, i: "lab/GPT-X",  # noqa: ARG005
        "topic": lambda run, i: "abc"[i % 3],  # noqa: ARG005
    }
    found = audit(runs, columns=columns, by=["topic"])
    rows = {(row.trait, row.group): row for row in found.tables["preferences"]}
    assert set(rows) == {
        ("length", "longer than 55"),
        ("position", "2"),
        ("own model", "own: gpt-x"),
        ("topic", "a"),
        ("topic", "b"),
        ("topic", "c"),
    }
    for key in (("length", "longer than 55"), ("own model", "own: gpt-x")):
        assert (rows[key].bias, rows[key].other, rows[key].labels) == (0.5, 0.0, 100)
    assert rows["position", "2"].difference == pytest.approx(0.5)  # wrong answers are all in the second place
    ps = sorted(row.p for row in rows.values())
    assert min(row.p_adjusted for row in rows.values()) == pytest.approx(6 * ps[0])  # Holm over all six
    assert all(row.p_adjusted >= row.p for row in rows.values())


def test_what_is_not_checked_is_said() -> None:
    found = audit({"a": AGREES, "b": AGREES})
    (note,) = [note for note in found.notes if note.code == "shift.unchecked"]
    assert "length, position, own model" in str(note)
    few = audit({"a": AGREES, "b": AGREES}, columns={"topic": lambda run, i: "x" if i < 5 else "y"}, by=["topic"])  # noqa: ARG005
    assert "shift.few" in codes(few)


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(MismatchError, match="no run is left to check"):
        audit({"a": AGREES})
    with pytest.raises(MismatchError, match="no run is left to check"):
        audit({"a": AGREES, "b": AGREES}, learned_on=["a", "b"])
    with pytest.raises(UnknownNameError, match="zork"):
        audit({"a": AGREES, "b": AGREES}, learned_on=["zork"])
    with pytest.raises(MismatchError, match="no column 'zork'"):
        audit({"a": AGREES, "b": AGREES}, by=["zork"])
    answers, people = made({"a": AGREES, "b": AGREES})
    with pytest.raises(UsageError, match="people's verdicts"):
        nescio.labels.shift(answers)
    drawn = [{**row, "inclusion": 0.5} for row in people]
    with pytest.raises(UsageError, match="simple random sample"):
        nescio.labels.shift(answers, labels=drawn)
