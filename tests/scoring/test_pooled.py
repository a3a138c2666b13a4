"""Scores that an older run on a larger pool corrects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import NescioError, UsageError
from nescio.verbs._gates import Limit, score_gates

OUTCOMES = ("correct", "incorrect", "unanswered")


def runs(n: int, drawn: int, seed: int = 1) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """An older run of n questions, and a new one of some of them that does mostly as it did."""
    rng = np.random.default_rng(seed)
    old = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    new = np.where(rng.random(n) < 0.8, old, rng.choice(3, n))
    asked = rng.permutation(n)[:drawn]
    older = [{"run": "old", "question": f"q{q}", "outcome": OUTCOMES[old[q]]} for q in range(n)]
    return [{"run": "new", "question": f"q{q}", "outcome": OUTCOMES[new[q]]} for q in asked], older


def test_the_estimate_is_poststratified_by_the_older_runs_outcomes() -> None:
    new, older = runs(400, 80)
    was = {row["question"]: row["outcome"] for row in older}
    share = {word: sum(row["outcome"] == word for row in older) / 400 for word in OUTCOMES}
    means = {}
    for wanted in ("correct", "unanswered"):
        parts = [[row["outcome"] == wanted for row in new if was[row["question"]] == word] for word in OUTCOMES]
        means[wanted] = sum(share[word] * np.mean(part) for word, part in zip(OUTCOMES, parts, strict=True))
    found = nescio.score(new, "c@1", pool=older)
    row = found["new", "c@1"]
    assert row.value == pytest.approx(means["correct"] * (1 + means["unanswered"]), abs=1e-9)
    how = found.tables["pool"][0]
    assert how.plain == pytest.approx(nescio.score(new, "c@1", ci=None)["new", "c@1"].value)
    assert how.gain < 0.7  # two runs that agree on 87%
    assert (how.n, how.pool, row.n, row.interval) == (80, 400, 80, "control-variate")
    assert row.low is not None
    assert row.high is not None
    assert (row.high - row.low) / (how.plain_high - how.plain_low) == pytest.approx(how.gain**0.5, rel=0.02)
    these = nescio.score(new, "c@1", pool=older, target="collection")["new", "c@1"]
    assert these.low is not None
    assert these.low > row.low


def test_accuracy_knows_no_silence_and_all_questions_leave_nothing_open() -> None:
    new, older = runs(300, 60)
    was = {row["question"]: row["outcome"] == "correct" for row in older}
    parts = [[row["outcome"] == "correct" for row in new if was[row["question"]] == right] for right in (True, False)]
    share = np.mean(list(was.values()))
    by_hand = share * np.mean(parts[0]) + (1 - share) * np.mean(parts[1])
    assert nescio.score(new, "accuracy", pool=older)["new", "accuracy"].value == pytest.approx(by_hand, abs=1e-9)
    every, older = runs(100, 100)
    row = nescio.score(every, "UF", pool=older, target="collection")["new", "UF"]
    plain = nescio.score(every, "UF", ci=None)["new", "UF"].value
    assert (row.value, row.low, row.high) == (pytest.approx(plain), pytest.approx(plain), pytest.approx(plain))


def test_no_gate_rests_on_questions_that_seem_chosen_from_the_pool() -> None:
    """The older run answered all of them right; a sample of all questions passes the same gate."""
    new, older = runs(2_000, 600)
    right = {row["question"] for row in older if row["outcome"] == "correct"}
    chosen = [row for row in new if row["question"] in right]
    with pytest.raises(UsageError, match=r"no gate can be decided .* not to be a random sample of the pool"):
        score_gates(nescio.score(chosen, "accuracy", pool=older, missing="own"), [Limit("accuracy", 0.2)])
    (gate,) = score_gates(nescio.score(new, "accuracy", pool=older, missing="own"), [Limit("accuracy", 0.2)])
    assert gate.status == 0


def test_what_is_odd_is_said_or_refused() -> None:
    new, older = runs(300, 60)
    right = {row["question"] for row in older if row["outcome"] == "correct"}
    chosen = [row for row in new if row["question"] in right]
    notes = [one.text for one in nescio.score(chosen, "c@1", pool=older).notes]
    assert any("Scores on chosen questions cannot be corrected" in text for text in notes)
    assert any("only 0 of 2 kinds of outcomes correct the score" in text for text in notes)
    stranger = [*new, {"run": "new", "question": "other", "outcome": "correct"}]
    notes = [one.text for one in nescio.score(stranger, "c@1", pool=older).notes]
    assert any("1 question is not in the pool, and not used" in text for text in notes)
    shuffled = [
        {**row, "outcome": str(outcome)}
        for row, outcome in zip(older, np.random.default_rng(2).choice(OUTCOMES, 300), strict=True)
    ]
    notes = [one.text for one in nescio.score(new[:12], "accuracy", pool=shuffled).notes]
    assert any("only 12 questions" in text for text in notes)
    with pytest.raises(NescioError, match="2 runs"):
        nescio.score(new, pool=[*older, *({**row, "run": "b"} for row in older)])
    with pytest.raises(NescioError, match="none of the questions"):
        nescio.score([{"run": "new", "question": "z", "outcome": "correct"}], pool=older)
    with pytest.raises(NescioError, match="three outcomes"):
        nescio.score([{**row, "confidence": 0.5} for row in new], "AURC", pool=older)


def test_answers_to_one_question_are_no_cluster() -> None:
    table = [
        {"run": "new", "question": f"q{i}", "repeat": str(k), "outcome": ("correct", "incorrect")[(i + k) % 2]}
        for i in range(30)
        for k in range(5)
    ]
    older = [{"run": "old", "question": f"q{i}", "outcome": ("correct", "incorrect")[i % 3 == 0]} for i in range(60)]
    codes = {one.code for one in nescio.score(table, "accuracy", pool=older).notes}
    assert "agreement.clusters" not in codes
    once = [dict(row, cluster=row["question"][:2]) for row in table if row["repeat"] == "0"]
    assert "agreement.clusters" in {one.code for one in nescio.score(once, "accuracy", pool=older).notes}


def test_no_gate_takes_clustered_questions_for_independent() -> None:
    """With labels or a pool, intervals ignore clusters. They do not matter for a figure about these questions alone."""
    new, older = runs(600, 300)
    clustered = [dict(row, cluster=f"c{int(row['question'][1:]) % 30}") for row in new]
    labels = [{"question": row["question"], "run": "new", "label": row["outcome"]} for row in new]
    how: dict[str, Any] = {"cluster": "cluster", "missing": "own", "fail_under": {"accuracy": 0.2}}
    ways: tuple[dict[str, Any], ...] = ({"pool": older}, {"labels": labels})
    for more in ways:
        with pytest.raises(NescioError, match="clustered, but these intervals treat them as independent"):
            nescio.score(clustered, "accuracy", **how, **more)
        assert [g.status for g in nescio.score(clustered, "accuracy", target="collection", **how, **more).gates] == [0]


def test_a_gate_needs_a_statement_that_the_sample_is_random() -> None:
    new, older = runs(400, 120)
    how: dict[str, Any] = {"pool": older, "fail_under": {"accuracy": 0.1}}
    with pytest.raises(NescioError, match="the sender of the answers could have chosen from the pool"):
        nescio.score(new, "accuracy", **how)
    assert [gate.status for gate in nescio.score(new, "accuracy", missing="own", **how).gates] == [0]
    every, older = runs(100, 100)
    assert [gate.status for gate in nescio.score(every, "accuracy", **how | {"pool": older}).gates] == [0]
