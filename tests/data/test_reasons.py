"""Only a declined answer abstains: what the four reasons for no answer count as, and that no gate is won by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.comparison.verdicts import CANNOT_TELL, decisions
from nescio.data.outcomes import CORRECT, GRADED_RIGHT, INCORRECT, NOT_GRADED, SILENT, NonAnswers, Outcomes
from nescio.data.reasons import (
    BLOCKED,
    BY_OUTCOME,
    EMPTY,
    ERRORED,
    NO_FORM,
    REASONS_CHANGED,
    REFUSED,
    NoAnswer,
    kind_of,
    notes_on_pairs,
    settle,
)
from tests.notes import in_words
from tests.rings import together

# Why there is no answer, and what it counts as where empty and unparsed outputs are incorrect, unanswered, ungraded.
COUNTS: list[tuple[str | None, int, int, int]] = [
    (None, SILENT, SILENT, SILENT),
    (REFUSED, SILENT, SILENT, SILENT),
    ("declined in words", SILENT, SILENT, SILENT),
    (f"declined in words{GRADED_RIGHT}", SILENT, SILENT, SILENT),
    (EMPTY, INCORRECT, SILENT, NOT_GRADED),
    (NO_FORM, INCORRECT, SILENT, NOT_GRADED),
    (f"{EMPTY}{GRADED_RIGHT}", CORRECT, SILENT, NOT_GRADED),
    (f"{NO_FORM}{GRADED_RIGHT}", CORRECT, SILENT, NOT_GRADED),
    (f"{EMPTY}{BY_OUTCOME}", INCORRECT, SILENT, NOT_GRADED),
    (BLOCKED, NOT_GRADED, NOT_GRADED, NOT_GRADED),
    (ERRORED, NOT_GRADED, NOT_GRADED, NOT_GRADED),
    (f"{BLOCKED}{GRADED_RIGHT}", NOT_GRADED, NOT_GRADED, NOT_GRADED),
]


def silent(*why: str | None, answerable: int = 1) -> Outcomes:
    """One run that gave no answer to any question, for these reasons."""
    return Outcomes(
        ("a",),
        tuple(f"q{i}" for i in range(len(why))),
        np.full((1, len(why)), SILENT, dtype=np.int8),
        answerable=np.full(len(why), answerable, dtype=np.int8),
        why=np.array([why], dtype=object),
    )


@together("why, incorrect, unanswered, ungraded", COUNTS)
def test_what_no_answer_counts_as(why: str | None, incorrect: int, unanswered: int, ungraded: int) -> None:
    for answerable in (1, 0):  # an output that broke is no silence, also where silence is right
        found = [
            int(settle(silent(why, answerable=answerable), NoAnswer(word, word))[0].state[0, 0])
            for word in ("incorrect", "unanswered", "ungraded")
        ]
        assert found == [incorrect, unanswered, ungraded]


def test_one_option_is_not_the_other() -> None:
    every = silent(EMPTY, NO_FORM)
    called = silent(f"{EMPTY}{BY_OUTCOME}", f"{NO_FORM}{BY_OUTCOME}")
    assert settle(called, NoAnswer())[0].state.tolist() == [[SILENT, SILENT]]
    assert settle(called, NoAnswer(empty="incorrect"))[0].state.tolist() == [[INCORRECT, SILENT]]
    assert settle(every, NoAnswer(empty="unanswered"))[0].state.tolist() == [[SILENT, INCORRECT]]
    assert settle(every, NoAnswer(unparsed="ungraded"))[0].state.tolist() == [[INCORRECT, NOT_GRADED]]


def test_a_note_counts_what_is_incorrect_and_an_answer_graded_right_is_not() -> None:
    _, notes = settle(silent(EMPTY, EMPTY, NO_FORM, REFUSED, f"{EMPTY}{GRADED_RIGHT}"), NoAnswer())
    assert in_words(notes) == (
        "run 'a': 2 empty outputs count as incorrect; empty=\"unanswered\" makes them abstentions",
        "run 'a': 1 unparsed output counts as incorrect; unparsed=\"unanswered\" makes it an abstention",
    )
    assert settle(silent(EMPTY, NO_FORM), NoAnswer("unanswered", "unanswered"))[1] == ()


def told(run: str, **counts: int) -> list[NonAnswers]:
    words = {"declined": REFUSED, "empty": EMPTY, "unparsed": NO_FORM, "failed": BLOCKED}
    return [NonAnswers(run, words[kind], taken_for="incorrect", n=n, of=100) for kind, n in counts.items()]


@together(
    "before, after, words",
    [
        ({}, {}, ""),
        ({"declined": 1}, {"declined": 30}, ""),  # which measures of abstention count
        ({"empty": 2}, {"empty": 40}, "empty 2 → 40"),
        ({"declined": 9, "unparsed": 1}, {"declined": 3, "unparsed": 7}, "declined 9 → 3, unparsed 1 → 7"),
        ({"failed": 5}, {}, "failed 5 → 0"),
        ({"empty": 2, "failed": 1}, {"empty": 2, "failed": 1}, ""),
    ],
)
def test_what_changed_between_two_runs(before: dict[str, int], after: dict[str, int], words: str) -> None:
    notes = notes_on_pairs([("new", "old")], [told("old", **before), told("new", **after)])
    assert [note["change"] for note in notes if note.code == REASONS_CHANGED] == ([words] if words else [])


def test_every_reason_is_of_one_kind() -> None:
    kinds = [kind_of(why) for why in (REFUSED, EMPTY, f"{EMPTY}{GRADED_RIGHT}", NO_FORM, BLOCKED, ERRORED)]
    assert kinds == ["declined", "empty", "empty", "unparsed", "failed", "failed"]


# ---- a gate ----


def log(path: Path, right: int, wrong: int, invalid: int) -> Path:
    """A log of lm-eval: so many answers right, wrong, and without what the filter looks for, which the tool calls
    wrong as well."""
    answers = ["4"] * right + ["5"] * wrong + ["[invalid]"] * invalid
    rows: list[dict[str, Any]] = [
        {
            "doc_id": i,
            "doc": {"question": f"What is {i}?"},
            "target": "4",
            "resps": [[answer]],
            "filtered_resps": [answer],
            "filter": "strict",
            "metrics": ["exact_match"],
            "doc_hash": "h",
            "exact_match": float(answer == "4"),
        }
        for i, answer in enumerate(answers)
    ]
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """A run with 120 of 200 right, and the same with half of its wrong answers broken."""
    name = "samples_sums_2025-01-02T03-04-05.678.jsonl"
    return [log(tmp_path / "old" / name, 120, 80, 0), log(tmp_path / "new" / name, 120, 40, 40)]


def test_no_run_gains_by_breaking_its_wrong_answers(logs: list[Path]) -> None:
    (row,) = found = nescio.compare(logs, "c@1", baseline="old", resamples=300)
    assert (row.difference, row.verdict != "better") == (0, True)
    said = in_words(found.notes)
    assert "run 'new' against 'old': unparsed 0 → 40" in said
    assert "run 'new': 40 unparsed outputs count as incorrect; unparsed=\"unanswered\" makes them abstentions" in said


def test_whoever_says_so_lets_unparsed_outputs_abstain_and_is_told_what_changed(logs: list[Path]) -> None:
    """By hand: 120 right and 40 silent of 200 are (120 + 40·0.6)/200 = 0.72 by c@1, 0.12 more than 0.6."""
    (row,) = found = nescio.compare(logs, "c@1", baseline="old", unparsed="unanswered", resamples=300)
    assert row.difference == pytest.approx(0.12)
    assert "run 'new' against 'old': unparsed 0 → 40" in in_words(found.notes)


def test_answers_that_no_file_shows_pass_no_gate(tmp_path: Path) -> None:
    """Score files of BFCL alone: where no call is right, a run of which every call failed has no failure."""
    failure = {"valid": False, "error": ["a call"], "model_result": "[f()]", "prompt": {"question": "Who?"}}
    paths = []
    for run, wrong in (("old", 60), ("new", 0)):
        path = tmp_path / run / "BFCL_v4_irrelevance_score.json"
        path.parent.mkdir()
        head = {"accuracy": 1 - wrong / 200, "correct_count": 200 - wrong, "total_count": 200}
        rows = [{"id": f"irrelevance_{q}", "model_name": run} | failure for q in range(wrong)]
        path.write_text("".join(json.dumps(row) + "\n" for row in (head, *rows)))
        paths.append(path)
    (gate,) = decisions(nescio.compare(paths, "accuracy", baseline="old", margin=0.05))
    assert gate.status == CANNOT_TELL
    assert "right according to BFCL; the output was not given" in gate.why
