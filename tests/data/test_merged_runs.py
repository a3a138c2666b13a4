"""Several files of one system, taken for one run with repeats."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import UsageError

from .test_repeats import evidence

SEEDS = {"seed1": "CCWU", "seed2": "CWWU", "seed3": "CCC"}  # the third lacks the last question
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}


def files(folder: Path) -> list[Path]:
    paths = []
    for name, letters in SEEDS.items():
        path = folder / f"{name}.csv"
        path.write_text("question,outcome\n" + "".join(f"q{i},{WORDS[c]}\n" for i, c in enumerate(letters)))
        paths.append(path)
    return paths


def test_runs_that_match_are_repeats_of_one(tmp_path: Path) -> None:
    """(3/3 + 2/3 + 1/3 + 0/2)/4 = 1/2; both answers to q3 are silence."""
    data = evidence(files(tmp_path), repeats_of={"mine": "seed*"})
    assert (data.runs, data.size, len(data.questions)) == (("mine",), 4, 11)
    scores = nescio.score(files(tmp_path), ["accuracy", "pass^k(k=3)"], repeats_of={"mine": "seed*"}, ci=None)
    assert scores.value("mine", "accuracy") == pytest.approx(0.5)
    assert (scores.value("mine", "pass^k(k=3)"), scores["mine", "pass^k(k=3)"].n) == (pytest.approx(1 / 3), 3)
    assert (scores.signature["repeats"], scores.signature["repeats_of"]) == ("2-3", "mine=seed*")


def test_other_runs_stay_as_they_are_and_can_be_compared(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("question,outcome\nq0,correct\nq1,correct\nq2,correct\nq3,correct\n")
    row = nescio.compare(
        [*files(tmp_path), other], "accuracy", run="mine", baseline="other", repeats_of={"mine": "seed*"}
    )
    assert (row.rows[0].difference, row.rows[0].n) == (pytest.approx(-0.5), 4)


def test_what_cannot_be_merged_is_refused(tmp_path: Path) -> None:
    for groups, says in (
        (
            {"mine": "nothing*"},
            "the pattern matches none of the runs, but repeats need at least two; the runs are 'seed1', 'seed2', 'seed3'",
        ),
        ({"mine": "seed1"}, "the pattern matches 1 of the runs"),
        ({"a": "seed*", "b": "seed1*"}, "the pattern matches 1 of the runs"),
        ({"a": "seed*", "b": "seed[12]"}, "run 'seed1' matches two patterns"),
        ({"seed3": "seed[12]"}, "a run of this name exists already"),
    ):
        with pytest.raises(UsageError) as refused:
            nescio.score(files(tmp_path), "accuracy", repeats_of=groups, missing="unanswered")
        assert says in str(refused.value)
