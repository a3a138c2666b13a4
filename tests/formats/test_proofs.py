"""What the cells of a table prove beyond its names: texts in numbers, sums of yes and no, objects, what was declined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nescio.errors import NescioError

from .fuzz import evidence_and_notes, write_files
from .test_unread import base, written

RIGHT = [i < 4 for i in range(10)]


def test_numbers_are_the_text_of_an_answer(tmp_path: Path) -> None:
    """Nothing is wrong with an answer that was not given; that all others are numbers changes nothing."""
    texts = ["3.14", "-1", "", "0.50", "", "7", "-7", "314", "", "2"]
    files = written(tmp_path, base(has_hallucination=[int(not right) for right in RIGHT], output_text=[*texts]))
    evidence, _ = evidence_and_notes(files)
    by_hand = [i < 4 and texts[i] != "" for i in range(10)]
    assert evidence.columns["correct"].sum() == sum(by_hand) == 3
    assert evidence.columns["unanswered"].sum() == 3


def test_a_last_row_sums_up_yes_and_no(tmp_path: Path) -> None:
    rows = [f"q{i},{right},{right}" for i, right in enumerate(RIGHT)]
    files = write_files(tmp_path, {"t.csv": "\n".join(["id,is_right,seen", *rows, "Overview,,0.4"]) + "\n"})
    with pytest.raises(NescioError, match="sums or the means"):
        evidence_and_notes(files)


def test_two_judges_in_objects_are_no_runs(tmp_path: Path) -> None:
    rows = [
        {"id": i, "metrics": {"est_correct": right}, "meta": {"human2_marked_correct": i < 6}}
        for i, right in enumerate(RIGHT)
    ]
    with pytest.raises(NescioError):
        evidence_and_notes(write_files(tmp_path, {"t.json": json.dumps(rows)}))


def test_runs_with_dots_in_their_names_are_runs(tmp_path: Path) -> None:
    files = written(tmp_path, base(**{f"gpt-{v} correct": [int(r) for r in RIGHT] for v in ("4.1", "3.5", "4o")}))
    assert evidence_and_notes(files)[0].runs == ("gpt-4.1", "gpt-3.5", "gpt-4o")


@pytest.mark.parametrize("others", [0, 2])
def test_what_is_not_graded_may_have_been_declined(others: int, tmp_path: Path) -> None:
    verdict = ["" if i > 6 else "YES" if right else "NO" for i, right in enumerate(RIGHT)]
    fallback = [i > 6 or i < others for i in range(10)]
    files = written(tmp_path, base(model_verdict_bool=[*verdict], fallback_used=[*fallback]))
    with pytest.raises(NescioError, match=rf"says yes of {3 + others} answers, among them all 3.*abstained=fallback"):
        evidence_and_notes(files)
