"""Graded scores of tallies: resampled by weights that are functions of a question's name, and compared by coins that
are. The weights of the seed 7 were computed elsewhere (tests/stats/test_hashed_draws.py)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import nescio
from nescio.data.graded_sums import UNIT, Drawn, GradedSums, sum_scores
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.stats import hashed_draws


def table(path: Path, scores: Mapping[str, Sequence[float | None]], outcome: str = "correct") -> Path:
    """Write a table of these runs, each with a score for the questions q0, q1, …"""
    lines = ["run,question,outcome,f1"]
    for run, values in scores.items():
        lines += [f"{run},q{i},{outcome},{'' if v is None else repr(v)}" for i, v in enumerate(values)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_means_on_resamples_by_hand() -> None:
    """q0 weighs 2 1 0 0 1 and q1 1 0 0 2 0. a has 0.5 and 0.25 there, b has 0.5 on q0 alone."""
    scores = np.array([[0.5, 0.25], [0.5, np.nan]])
    drawn = Drawn(5, 7, exchanges=True)
    sums = GradedSums(sum_scores({"f1": scores}, ["q0", "q1"], drawn)["f1"], drawn)
    assert sums.n.tolist() == [2, 1]
    assert sums.total.tolist() == [UNIT * 3 // 4, UNIT // 2]
    assert sums.weights.tolist() == [[3, 1, 0, 2, 1], [2, 1, 0, 0, 1]]
    # By hand: (2 * 0.5 + 0.25) / 3, 0.5, nothing drawn, (2 * 0.25) / 2, 0.5; b is 0.5 wherever q0 is drawn.
    np.testing.assert_array_equal(sums.means()[0], [1.25 / 3, 0.5, np.nan, 0.25, 0.5])
    np.testing.assert_array_equal(sums.means()[1], [0.5, 0.5, np.nan, np.nan, 0.5])
    assert not sums.same_questions(0, 1)
    coins = hashed_draws.coins(hashed_draws.keys(["q0", "q1"], 7), 5)
    assert (sums.swapped_sums[0] == UNIT // 4 * (2 * coins[0].astype(int) + coins[1])).all()


def test_sums_of_scores_of_any_size_are_those_of_whole_numbers() -> None:
    """Large scores take the way of two pieces; Python's whole numbers are the oracle."""
    rng = np.random.default_rng(2)
    names = [f"q{i}" for i in range(700)]  # more than are taken at once
    for largest in (1.0, 600.0, 2.0**20):
        scores = rng.uniform(-largest, largest, size=(2, 700))
        scores[0, ::7] = np.nan
        drawn = Drawn(3, 1, exchanges=True)
        sums = GradedSums(sum_scores({"f1": scores}, names, drawn)["f1"], drawn)
        of = hashed_draws.keys(names, 1)
        tables = hashed_draws.poisson(of, 3), hashed_draws.coins(of, 3)
        for run in range(2):
            parts = [0 if math.isnan(x) else round(x * UNIT) for x in scores[run].tolist()]
            for b in range(3):
                weighted, handed = (sum(w * x for w, x in zip(t[:, b].tolist(), parts, strict=True)) for t in tables)
                assert (int(sums.weighted[run, b]), int(sums.swapped_sums[run, b])) == (weighted, handed)
        assert sums.questions.tolist() != sums.questions[::-1].tolist()


def test_a_score_too_large_is_refused_by_the_name_of_its_question() -> None:
    scores = np.array([[0.5, np.nan, 1e300], [0.5, 1.0, np.nan]])
    with pytest.raises(MismatchError, match=r"question 'q2': the score of f1 .* beyond 1,048,576 \(found 1e\+300\)"):
        sum_scores({"f1": scores}, ["q0", "q1", "q2"], Drawn())


def test_a_difference_by_hand(tmp_path: Path) -> None:
    """0.75 against 0 on one question alone: every exchange is ±0.75, so p is 1; the difference is 0.75 wherever the
    question is drawn, and undefined elsewhere."""
    path = table(tmp_path / "all.csv", {"new": [0.75], "old": [0.0]})
    nescio.tally(path, tmp_path / "all.tally", measures="mean(f1)", resamples=50)
    (row,) = nescio.compare(tmp_path / "all.tally", "mean(f1)", baseline="old").rows
    assert (row.difference, row.low, row.high, row.p, row.n) == (0.75, 0.75, 0.75, 1.0, 1)


def test_marks_ranks_and_what_is_said(tmp_path: Path) -> None:
    drawn = np.random.default_rng(1).normal(size=300)
    scores = {name: (drawn + shift).tolist() for name, shift in (("a", 1.0), ("b", 0.5), ("c", 0.0))}
    path = table(tmp_path / "all.csv", scores)
    nescio.tally(path, tmp_path / "all.tally", measures="mean(f1)", seed=4)
    found = nescio.score(tmp_path / "all.tally", ["accuracy", "mean(f1)"], mark=True)
    by_run = {row.run: row for row in found if row.measure == "mean(f1)"}
    assert by_run["a"].best
    assert by_run["a"].better_than == ("b", "c")  # each question is 0.5 higher
    signature = found.signature
    assert signature["interval"] == "dirichlet+percentile"
    assert signature["draw"] == "patterns of questions+poisson, by question id"
    assert (signature["resamples"], signature["seed"]) == ("10000+1000", "0+4")
    note = next(note for note in found.notes if note.code == "interval.poisson")
    assert "1,000 Poisson resamples by question id" in str(note)
    assert "seed 4" in str(note)
    compared = nescio.compare(tmp_path / "all.tally", "mean(f1)")
    assert compared.signature["draw"] == "poisson, by question id"
    # Each question scores 0.5 more for the one than for the next, so in every resample they are in this order.
    assert [(rank.rank, rank.p_best, rank.expected_rank) for rank in compared.tables["ranks"]] == [
        (1, 1, 1), (2, 0, 2), (3, 0, 3)
    ]  # fmt: skip
    assert "interval.poisson" in {note.code for note in compared.notes}
    with pytest.raises(UsageError, match="bca needs the scores of single questions"):
        nescio.score(tmp_path / "all.tally", "mean(f1)", interval="bca")


def test_what_sums_cannot_tell_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "all.csv", {"a": [0.5, None, 1.0], "b": [0.5, 0.25, None]})
    nescio.tally(path, tmp_path / "all.tally", measures="mean(f1)")
    found = nescio.score(tmp_path / "all.tally", "mean(f1)")
    assert [row.n for row in found] == [2, 2]
    assert any("1 of 3 questions left out" in str(note) for note in found.notes)
    with pytest.raises(MismatchError, match="'a' and 'b' have scores on different questions"):
        nescio.compare(tmp_path / "all.tally", "mean(f1)")
    assert nescio.compare(tmp_path / "all.tally", "accuracy").rows
    nescio.tally(path, tmp_path / "none.tally", measures="mean(f1)", resamples=0)
    assert [row.low for row in nescio.score(tmp_path / "none.tally", "mean(f1)")] == [None, None]
    with pytest.raises(MismatchError, match="hold no resamples of it"):
        nescio.compare(tmp_path / "none.tally", "mean(f1)")
    more = table(tmp_path / "more.csv", {"a": [0.5], "b": [0.5]})
    more.write_text(more.read_text().replace("q0", "q9"))
    nescio.tally(more, tmp_path / "more.tally", measures="mean(f1)", seed=1)
    with pytest.raises(
        MismatchError, match="1,000 resamples of the seed 0, and others with 1,000 resamples of the seed 1"
    ):
        nescio.score([tmp_path / "all.tally", tmp_path / "more.tally"])
    for options in ({"resamples": -1}, {"resamples": 10**6}, {"seed": -1}):
        with pytest.raises(UsageError, match=f"{next(iter(options))} takes a whole number, (from 0 to|0 or more)"):
            nescio.tally(path, tmp_path / "x.tally", measures="mean(f1)", **options)  # type: ignore[arg-type]


def test_tallies_of_the_first_version_are_read(tmp_path: Path) -> None:
    path = table(tmp_path / "all.csv", {"a": [0.5, 1.0], "b": [0.5, 0.25]})
    nescio.tally(path, tmp_path / "all.tally", measures="mean(f1)", resamples=0)
    written = pa.ipc.open_file(str(tmp_path / "all.tally")).read_all()
    made = json.loads(written.schema.metadata[b"nescio.made"])
    assert made.pop("drawn") == [0, 0, False]
    for version, first in (("1", True), ("3", False)):
        said = {b"nescio.tally": version.encode(), b"nescio.made": json.dumps(made).encode()}
        old = written.replace_schema_metadata(said)
        with pa.OSFile(str(tmp_path / "old.tally"), "wb") as file, pa.ipc.new_file(file, old.schema) as writer:
            writer.write_table(old)
        if first:
            assert nescio.score(tmp_path / "old.tally", "mean(f1)").value("a", "mean(f1)") == 0.75
        else:
            with pytest.raises(FormatError, match="versions up to 2"):
                nescio.score(tmp_path / "old.tally")
