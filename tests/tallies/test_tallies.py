"""Tallies: any partition of the questions into shards, counted and merged in any order, is the same bytes, and scores
as the questions do."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import nescio
from nescio.data.graded_sums import Drawn
from nescio.data.outcomes import Outcomes
from nescio.data.tallied import OutcomeCounts, count_outcomes, hashes, merged
from nescio.data.tally_bins import bin_answers
from nescio.errors import MismatchError, MissingColumnError
from nescio.formats.native import tally as files
from nescio.meta_evaluation import swap

ROWS = [  # run, question, outcome, f1
    ("old", "q1", "correct", "0.5"), ("old", "q2", "incorrect", "0.25"), ("old", "q3", "unanswered", ""), ("old", "q4", "incorrect", "1"),
    ("new", "q1", "correct", "0.1"), ("new", "q2", "correct", "0.2"), ("new", "q3", "unanswered", "0.3"), ("new", "q4", "correct", ""),
]  # fmt: skip


def table(rows: Any, path: Path) -> Path:
    path.write_text("run,question,outcome,f1\n" + "\n".join(map(",".join, rows)) + "\n")
    return path


def sample(questions: int, runs: int, seed: int, *, whole: bool = True) -> Outcomes:
    """Outcomes of every kind: declined candidates, questions without an answer, answers nobody graded."""
    rng = np.random.default_rng(seed)
    state = rng.choice([0, 1, 2, 3] if whole else [-1, 0, 1, 2, 3], size=(runs, questions)).astype(np.int8)
    candidate = np.where(state == 2, rng.integers(-1, 2, size=state.shape), -1).astype(np.int8)
    return Outcomes(
        tuple(f"run {i}" for i in range(runs)),
        tuple(f"q{i}" for i in range(questions)),
        state,
        candidate=candidate,
        answerable=rng.integers(-1, 2, size=questions).astype(np.int8),
    )


def counted(outcomes: Outcomes, scores: Any = None) -> OutcomeCounts:
    one = count_outcomes(outcomes, {} if scores is None else {"f1": scores}, drawn=Drawn(40, 3, exchanges=True))
    if outcomes.confidence is not None:
        one = replace(one, bins=bin_answers(outcomes))
    return replace(one, ids=hashes(outcomes.questions)[:1024], made=("format=outcomes",))


@pytest.mark.sampled
@given(st.integers(0, 2**32), st.integers(32, 200), st.integers(1, 5), st.booleans())
def test_any_partition_in_any_order_is_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, questions: int, runs: int, whole: bool
) -> None:
    folder, order = tmp_path_factory.mktemp("tallies"), random.Random(seed)
    outcomes = sample(questions, runs, seed, whole=whole)
    scores = np.random.default_rng(seed).normal(size=outcomes.state.shape)
    outcomes = replace(outcomes, confidence=np.random.default_rng(seed + 1).uniform(size=outcomes.state.shape))
    written = set()
    for shards in (1, 2, 7, 32):
        of = np.array([order.randrange(shards) for _ in range(questions)])
        parts = []
        for shard in range(shards):
            chosen = of == shard
            if chosen.any():
                own = list(range(runs))
                order.shuffle(own)  # runs stand in another order in each shard
                part = outcomes.select(chosen)
                part = Outcomes(
                    tuple(part.runs[i] for i in own), part.questions, part.state[own],
                    candidate=None if part.candidate is None else part.candidate[own], answerable=part.answerable,
                    confidence=None if part.confidence is None else part.confidence[own],
                )  # fmt: skip
                parts.append(counted(part, scores[own][:, chosen]))
        order.shuffle(parts)
        while len(parts) > 1:  # merged in any order and grouping
            some = [parts.pop(order.randrange(len(parts))) for _ in range(min(len(parts), order.randrange(2, 5)))]
            parts.append(merged(some))
        path = folder / f"{shards}.tally"
        files.write(parts[0], path)
        written.add(path.read_bytes())
    assert len(written) == 1


def test_a_run_that_a_shard_lacks_is_counted_as_missing_there() -> None:
    # By hand: q1, q2 in the one shard with runs a and b, q3 in the other with a alone.
    one = counted(Outcomes(("a", "b"), ("q1", "q2"), np.array([[1, 0], [1, 1]], dtype=np.int8)))
    other = counted(Outcomes(("a",), ("q3",), np.array([[1]], dtype=np.int8)))
    total = merged([other, one])
    assert total.runs == ("a", "b")
    assert total.size == 3
    assert total.kinds[:, 0].tolist() == [0, 1]  # incorrect, correct
    assert total.counts.tolist() == [[1, 2], [0, 2]]
    assert total.pairs is not None
    assert total.pairs.tolist() == [[[0, 1], [0, 1]]]  # a wrong and b right on q2, both right on q1


def test_tallies_score_and_compare_as_the_questions_do(tmp_path: Path) -> None:
    measures = ["c@1", "accuracy", "penalty(t=0.75)"]
    rng = np.random.default_rng(5)
    words = np.array(["incorrect", "correct", "unanswered"])
    rows = [(f"run{r}", f"q{i}", words[rng.choice(3, p=[0.4, 0.4, 0.2])], "1") for r in range(3) for i in range(600)]
    whole = table(rows, tmp_path / "all.csv")
    parts = [
        table([row for row in rows if int(row[1][1:]) % 3 == shard], tmp_path / f"part{shard}.csv")
        for shard in range(3)
    ]
    nescio.tally(parts, tmp_path / "all.tally")
    for one, other in zip(nescio.score(whole, measures), nescio.score(tmp_path / "all.tally", measures), strict=True):
        assert one == other
    left, right = nescio.compare(whole, measures), nescio.compare(tmp_path / "all.tally", measures)
    assert left.rows == right.rows
    # Counts say nothing of which questions a resample would hold: a tally has no P(best).
    assert [replace(rank, p_best=None, expected_rank=None) for rank in left.tables["ranks"]] == [*right.tables["ranks"]]
    assert left.tables.keys() == right.tables.keys()
    assert repr(swap(whole, measures, fresh=True).rows) == repr(swap(tmp_path / "all.tally", measures).rows)
    assert right.signature["questions"] == "600"
    assert right.signature["format"] == "tally"


def test_a_measure_whose_bins_pair_no_runs_has_no_marks(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    rows = (
        f"{run},q{i},{('incorrect', 'correct')[i < right]},{i / 20}\n"
        for run, right in (("a", 9), ("b", 7))
        for i in range(20)
    )
    path.write_text("run,question,outcome,confidence\n" + "".join(rows))
    nescio.tally(path, tmp_path / "bins.tally", measures="AUROC")
    marked = nescio.score(tmp_path / "bins.tally", ["accuracy", "AUROC"], ci=None, mark=True)
    assert {(row.measure, row.run): row.best for row in marked} == {
        ("accuracy", "a"): True,
        ("accuracy", "b"): False,
        ("AUROC", "a"): None,
        ("AUROC", "b"): None,
    }


@pytest.mark.parametrize(
    "options",
    [{"ungraded": "bounds"}, {"ungraded": "exclude", "unanswerable": "exclude"}, {"ungraded": "exclude"}],
)
def test_policies_on_counts_are_those_on_outcomes(tmp_path: Path, options: dict[str, Any]) -> None:
    words, known = {0: "incorrect", 1: "correct", 2: "unanswered", 3: ""}, {0: "false", 1: "true", -1: ""}
    outcomes = sample(200, 3, 11, whole=False)
    assert outcomes.answerable is not None
    lines = [
        f"{run},{question},{words[int(outcomes.state[r, q])]},{known[int(outcomes.answerable[q])]}"
        for r, run in enumerate(outcomes.runs)
        for q, question in enumerate(outcomes.questions)
        if outcomes.state[r, q] >= 0
    ]
    path, tally = tmp_path / "all.csv", tmp_path / "all.tally"
    path.write_text("\n".join(["run,question,outcome,answerable", *lines]) + "\n")
    nescio.tally(path, tally)
    how: dict[str, Any] = {"missing": "unanswered", **options}
    scores = [nescio.score(source, ["accuracy", "UF"], ci=None, mark=False, **how) for source in (path, tally)]
    counted, read = [sorted((r.run, r.measure, r.value, r.n) for r in found) for found in scores]
    assert counted == read
    compared = [nescio.compare(source, "accuracy", **how) for source in (path, tally)]
    counted, read = [sorted((r.run, str(r.baseline), r.difference, r.n) for r in found.rows) for found in compared]
    assert counted == read


def test_a_question_in_two_shards_is_found_where_ids_are_kept_and_else_said_to_be_unchecked(tmp_path: Path) -> None:
    one = table([("a", f"q{i}", "correct", "") for i in range(3000)], tmp_path / "one.csv")
    other = table([("a", f"q{i}", "correct", "") for i in range(2999, 6000)], tmp_path / "other.csv")
    with pytest.raises(MismatchError, match=r"one\.csv and .*other\.csv have questions in common"):
        nescio.tally([one, other], tmp_path / "all.tally", ids=True)
    apart = table([("a", f"q{i}", "correct", "") for i in range(3000, 6000)], tmp_path / "apart.csv")
    note = nescio.tally([one, apart], tmp_path / "all.tally", ids=True).notes[-1]
    assert "no question is in two" in str(note)
    note = nescio.tally([one, apart], tmp_path / "all.tally").notes[-1]
    assert "1,024 of 6,000 questions, not on all" in str(note)


def test_what_counts_do_not_hold_is_refused(tmp_path: Path) -> None:
    path = table(ROWS, tmp_path / "all.csv")
    nescio.tally(path, tmp_path / "all.tally", pairs=False)
    with pytest.raises(MismatchError, match="counted with pairs=False"):
        nescio.compare(tmp_path / "all.tally")
    nescio.tally(path, tmp_path / "all.tally")
    with pytest.raises(MissingColumnError, match="AURC needs a confidence, but a tally"):
        nescio.score(tmp_path / "all.tally", "AURC")
    with pytest.raises(MismatchError, match="a tally has no questions"):
        nescio.score(tmp_path / "all.tally", by="f1")
    with pytest.raises(MismatchError, match='has no questions to exchange the labels of all runs on; use test="exact"'):
        nescio.compare(tmp_path / "all.tally", test="tukey")
    clustered = tmp_path / "clustered.csv"
    clustered.write_text("run,question,outcome,cluster\na,q1,correct,x\n")
    with pytest.raises(MismatchError, match="clusters"):
        nescio.tally(clustered, tmp_path / "c.tally")
