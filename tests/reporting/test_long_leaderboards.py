"""A leaderboard of very many runs: the screen has the first of them and says so, files have all."""

import numpy as np
import pytest

from nescio.data.evidence import outcome_tally
from nescio.data.results import Scores
from nescio.reporting import screen, tables, terminal
from nescio.scoring.score import compute_scores

RUNS = screen.MOST_RUNS + 5


@pytest.fixture
def scores() -> Scores:
    """Run i has i of RUNS right and leaves the rest unanswered; the first five have one wrong answer besides."""
    right = np.arange(RUNS)
    counts = np.stack([right, right < 5, RUNS - right], axis=1).astype(np.int64)
    return compute_scores(outcome_tally([f"run{i:04}" for i in range(RUNS)], counts), ["accuracy", "c@1"], ci=None)


def test_the_screen_has_the_best_and_says_how_many_there_are(
    scores: Scores, capsys: pytest.CaptureFixture[str]
) -> None:
    screen.show(scores)
    printed = capsys.readouterr().out
    lines = [line.split()[0] for line in printed.splitlines() if line.startswith(("run0", "run1"))]
    assert lines == [f"run{i:04}" for i in range(RUNS - 1, 4, -1)]
    assert "the first 1,000 of 1,005 runs; -v prints all, and -f json, -f csv and -o FILE have them." in printed


def test_verbose_and_files_have_all(scores: Scores, capsys: pytest.CaptureFixture[str]) -> None:
    token = terminal.VERBOSE.set(True)
    try:
        screen.show(scores)
    finally:
        terminal.VERBOSE.reset(token)
    printed = capsys.readouterr().out
    assert "run0000" in printed
    assert "the first" not in printed
    assert tables.render(scores, "csv").count("\n") == 2 * RUNS + 1


def test_a_thousand_runs_are_printed_whole(scores: Scores, capsys: pytest.CaptureFixture[str]) -> None:
    fewer = scores.with_rows(scores.rows[: 2 * screen.MOST_RUNS])
    screen.show(fewer)
    printed = capsys.readouterr().out
    assert "run0000" in printed
    assert "the first" not in printed
