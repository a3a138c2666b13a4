"""`nescio lab assessors`, `judge --alternative` and `--resolve`: held against a plain recount of a real log."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from scipy.stats import t

import nescio as package
from tests.notes import in_words

from .conftest import ANSWERED, EXAMPLES, written

NQ = EXAMPLES.parents[1] / "shared" / "data" / "nq301" / "runs_human.csv"
PEOPLE = ("annotator1", "annotator2", "annotator3")
needs_data = pytest.mark.skipif(not NQ.is_file(), reason="the shared data are not beside the checkout")
ANNOTATORS = EXAMPLES / "annotators.csv"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with NQ.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@needs_data
def test_the_third_person_of_nq301_decides_disputes(rows: list[dict[str, str]]) -> None:
    """And is told so; as the adjudicator, the verdicts are those that the collection has for its own."""
    found = package.lab.assessors(NQ, resamples=20)
    (note,) = [one for one in found.notes if one.code == "assessors.called_in"]
    assert (note["who"], note["answers"], note["disputed"]) == ("annotator3", 336, 300)
    assert 'adjudicator="annotator3"' in note.text
    decided = package.lab.assessors(NQ, adjudicator="annotator3", resamples=20)
    assert [row.assessor for row in decided] == ["annotator1", "annotator2"]
    assert not [one for one in decided.notes if one.code == "assessors.called_in"]
    final = {(one.run, one.question_id): one.verdict for one in decided.tables["verdicts"]}
    words = {"correct": "Yes", "incorrect": "No"}
    assert {item: words[str(verdict)] for item, verdict in final.items()} == {
        (r["run"], r["question_id"]): r["acceptable"] for r in rows if r["acceptable"]
    }
    with pytest.raises(package.NescioError, match="unknown assessor 'annotator4'"):
        package.lab.assessors(NQ, adjudicator="annotator4")


@needs_data
def test_people_of_nq301_recounted(rows: list[dict[str, str]]) -> None:
    found = package.lab.assessors(NQ, resolve="majority", resamples=20)
    for row in found:
        judged = [r for r in rows if r[row.assessor]]
        shares = [
            mean(r[who] == r[row.assessor] for who in others)
            for r in judged
            if (others := [who for who in PEOPLE if who != row.assessor and r[who]])
        ]
        assert (row.answers, row.with_others) == (len(judged), len(shares))
        assert row.agrees == pytest.approx(mean(shares), abs=1e-12)
    agreement = {(one.assessors, one.measure): one for one in found.tables["agreement"]}
    two = [(r["annotator1"], r["annotator2"]) for r in rows if r["annotator1"] and r["annotator2"]]
    observed = mean(a == b for a, b in two)
    chance = sum(mean(a == word for a, _ in two) * mean(b == word for _, b in two) for word in ("Yes", "No"))
    pair = agreement["annotator1, annotator2", "kappa"]
    assert (pair.answers, pair.value) == (len(two), pytest.approx((observed - chance) / (1 - chance), abs=1e-12))
    votes = [[r[who] for who in PEOPLE if r[who]] for r in rows]
    alike = [mean(a == b for a, b in combinations(one, 2)) for one in votes if len(one) > 1]
    assert agreement[", ".join(PEOPLE), "p_o"].value == pytest.approx(mean(alike), abs=1e-12)
    theirs = Counter(max({*one}, key=one.count) for one in votes if one)
    ours = Counter(one.verdict for one in found.tables["verdicts"])
    assert ours == {"correct": theirs["Yes"], "incorrect": theirs["No"]}


@needs_data
def test_a_judge_in_the_place_of_people_of_nq301_recounted(rows: list[dict[str, str]]) -> None:
    """The judge compares texts; the differences d of each question are counted anew, and their t test by hand."""
    columns = "+".join(PEOPLE)
    judged = package.judge(NQ, judge="exact", against=NQ, verdict=columns, resolve="majority", alternative=0.15)
    outcomes = judged.outcomes
    said = {
        (run, question): {1: "Yes", 0: "No"}.get(int(outcomes.state[r, q]))
        for r, run in enumerate(outcomes.runs)
        for q, question in enumerate(outcomes.questions)
    }
    assert judged.results is not None
    table = {one.assessor: one for one in judged.results.tables["alternative"]}
    for person in PEOPLE:
        by_question = defaultdict(list)
        for r in rows:
            others = [r[who] for who in PEOPLE if who != person and r[who]]
            verdict = said[r["run"], r["question_id"]]
            if r[person] and others and verdict:
                judge, own = others.count(verdict), others.count(r[person])
                by_question[r["question_id"]].append((judge >= own, own >= judge))
        wins = [mean(w for w, _ in pairs) for pairs in by_question.values()]
        d = [mean(h - w for w, h in pairs) for pairs in by_question.values()]
        one = table[person]
        assert (one.questions, one.answers) == (len(d), sum(map(len, by_question.values())))
        assert one.judge_agrees == pytest.approx(mean(wins), abs=1e-12)
        assert one.difference == pytest.approx(mean(d), abs=1e-12)
        assert one.p == pytest.approx(t.cdf((mean(d) - 0.15) / (stdev(d) / len(d) ** 0.5), len(d) - 1), abs=1e-9)
    (stands,) = judged.results.tables["stand_in"]
    assert (stands.winning_rate, stands.passes) == (pytest.approx(1 / 3), False)


def test_columns_of_people_and_a_table_of_one_person(tmp_path: Path) -> None:
    wide = written(tmp_path / "wide.csv", "id,ana,ben,rater1,rater2\nq1,R,W,R,R\nq2,R,R,R,W\nq3,,W,U,U\n")
    named = package.lab.assessors(wide, verdict="ana+ben")
    assert [(one.assessor, one.answers) for one in named] == [("ana", 2), ("ben", 3)]
    assert "1 verdict is empty, and is left out" in in_words(named.notes)
    assert [one.verdict for one in named.tables["verdicts"]] == [None, "correct", "incorrect"]
    assert [one.assessor for one in package.lab.assessors(wide)] == ["rater1", "rater2"]
    with pytest.raises(package.NescioError, match="there is no column 'eve'"):
        package.lab.assessors(wide, verdict="ana+eve")
    with pytest.raises(package.NescioError, match="does not name two or more assessors"):
        package.lab.assessors(written(tmp_path / "alone.csv", "id,verdict\nq1,R\nq2,W\n"))
    lone = written(tmp_path / "lone.csv", "run,question_id,annotator,verdict\nmine,lighthouse-what,ana,R\n")
    asked: dict[str, Any] = {"against": lone, "alternative": 0.1}
    with pytest.raises(package.NescioError, match="answers that two or more named people judged"):
        package.judge(ANSWERED[:2], **asked)
