"""What is said alike of several measures and runs is said once, with every count."""

from __future__ import annotations

import numpy as np
import pandas as pd

import nescio
from nescio.data.notes import gather, note, texts
from tests.notes import in_words

WHY, OTHERWISE = note("why", "why"), note("else", "else")


def test_measures_and_runs_of_one_remark_share_a_line() -> None:
    remarks = [(WHY, "F", "run 'a'"), (WHY, "P", "run 'a'"), (WHY, "F", "run 'b'"), (WHY, "P", "run 'b'")]
    assert texts(gather([*remarks, (WHY, "R", "run 'a'"), (OTHERWISE, "F", "run 'a'")])) == [
        "F, P: why (run 'a', run 'b')",
        "R: why (run 'a')",
        "F: else (run 'a')",
    ]
    many = [(WHY, "F", f"run {i}") for i in range(5)]
    assert texts(gather(many)) == ["F: why (run 0, run 1, run 2 and 2 more)"]
    assert gather([]) == []


def test_what_measures_leave_out_is_one_line_a_count() -> None:
    rows = []
    for run, silent in (("a", 1), ("b", 1), ("c", 2)):
        rows += [
            (run, f"q{i}", "unanswered" if i < silent else "correct" if i % 2 else "incorrect", i) for i in range(9)
        ]
    table = pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence"])
    table["confidence"] = np.where(table.outcome == "unanswered", np.nan, table.confidence / 10)
    without = "questions left out because they lack a confidence or an answer or a judged candidate"
    assert in_words(nescio.score(table, ["Brier", "AURC", "AUROC"], ci=None).notes) == (
        f"Brier, AURC, AUROC: 1 of 9 {without} (run 'a', run 'b')",
        f"Brier, AURC, AUROC: 2 of 9 {without} (run 'c')",
    )
    table.loc[table.run == "a", "confidence"] = np.nan
    said = in_words(nescio.score(table, ["Brier", "AURC"], ci=None).notes)
    assert (
        "Brier, AURC: undefined because none of the questions has a confidence and an answer or a judged "
        "candidate (run 'a')" in said
    )
