"""The pool is blind and holds each answer once; sheets are read back with every fault named; verdicts by the rule."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.folder import contents, open_campaign
from nescio.campaigns.judgements import read_judgements
from nescio.campaigns.pooling import read_pool
from nescio.campaigns.settings import read_settings
from nescio.campaigns.verdicts import come_to_one, resolved
from nescio.data.assessors import resolve

from . import made


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def write_rows(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        sheet = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        sheet.writeheader()
        sheet.writerows(rows)


def fill(campaign: Path, say: Callable[[str, dict[str, str]], str], column: str = "verdict") -> None:
    """Fill every sheet in, as assessors would."""
    for path in (campaign / "sheets").glob("*.csv"):
        if path.name != "nuggets.csv" and (rows := rows_of(path)):
            write_rows(path, [{**row, column: say(path.stem, row)} for row in rows])


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    campaign = made.qa(tmp_path, 3)
    made.lines(
        tmp_path / "alpha" / "a.jsonl",
        [
            {"id": "q0", "answer": "Paris", "support": "Paris is.", "doc": "D1"},
            {"id": "q1", "answer": "=1+1", "answered": False},
            {"id": "q2", "answer": None},
        ],
    )
    made.lines(
        tmp_path / "beta" / "b.jsonl",
        [
            {"id": "q0", "answer": " PARIS ", "doc": "D2"},
            {"id": "q0", "answer": "Lyon", "rank": 2},
            {"id": "q1", "answer": "two"},
            {"id": "q2", "answer": "cafe\u0301"},
        ],
    )
    nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"])
    return campaign


def test_alike_answers_are_pooled_once_declined_ones_too_and_no_run_is_named(two_runs: Path) -> None:
    pooled = nescio.campaign.pool(two_runs)
    assert (pooled.given, pooled.distinct, pooled.judged) == (5, 4, 0)
    items = read_pool(open_campaign(two_runs))
    assert sorted(item.answer for item in items) == [" PARIS ", "=1+1", "cafe\u0301", "two"]
    held = (two_runs / "pool" / "pool.jsonl").read_text()
    assert not {"alpha", "beta"} & set(held.replace('"', " ").split())
    (paris,) = [item for item in items if item.question == "q0"]
    assert paris.supports == (("D1", "Paris is."), ("D2", None))


def test_the_depth_and_the_document_decide_what_is_pooled(two_runs: Path) -> None:
    path = two_runs / "campaign.toml"
    text = (
        path.read_text()
        .replace("depth = 1", "depth = 2")
        .replace('distinct = "answer"', 'distinct = "answer and document"')
    )
    path.write_text(text)
    assert nescio.campaign.pool(two_runs).distinct == 6  # Paris of D1 and of D2, Lyon, =1+1, two, café


def test_nothing_is_pooled_where_the_key_decides(tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match="scored by its key alone"):
        nescio.campaign.pool(made.ave(tmp_path))


def test_sheets_are_blind_and_even_and_each_has_an_order_of_its_own(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 30)
    for group in ("alpha", "beta"):
        made.lines(tmp_path / group / "r.jsonl", [{"id": f"q{i}", "answer": f"{group[0]} {i}"} for i in range(30)])
    nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"])
    nescio.campaign.pool(campaign)
    written = nescio.campaign.sheets(campaign, ["ana", "ben", "eva"], overlap=2)
    assert [(sheet.answers, sheet.questions) for sheet in written.sheets] == [(40, 20)] * 3
    sheets = {who: rows_of(campaign / "sheets" / f"{who}.csv") for who in ("ana", "ben", "eva")}
    times = [row["item"] for rows in sheets.values() for row in rows]
    assert sorted(times) == sorted([item.id for item in read_pool(open_campaign(campaign))] * 2)
    for rows in sheets.values():
        questions = [row["question_id"] for row in rows]
        assert questions[::2] == questions[1::2], "the answers to a question stand together"
    both = {row["question_id"] for row in sheets["ana"]} & {row["question_id"] for row in sheets["ben"]}
    order = [
        [q for q in dict.fromkeys(row["question_id"] for row in sheets[who]) if q in both] for who in ("ana", "ben")
    ]
    assert order[0] != order[1]
    assert not any(name in (campaign / "sheets" / "ana.csv").read_text() for name in ("alpha", "beta"))


def test_a_text_like_a_formula_is_guarded_and_read_back(two_runs: Path) -> None:
    nescio.campaign.pool(two_runs)
    nescio.campaign.sheets(two_runs, ["ana"])
    assert "'=1+1" in (two_runs / "sheets" / "ana.csv").read_text(encoding="utf-8-sig")
    fill(two_runs, lambda _who, _row: "R")
    assert nescio.campaign.collect(two_runs, resamples=10).sound
    assert len(read_judgements(open_campaign(two_runs))) == 4


def test_every_fault_of_a_sheet_is_named_and_every_other_row_is_taken(two_runs: Path) -> None:
    nescio.campaign.pool(two_runs)
    nescio.campaign.sheets(two_runs, ["ana", "ben"], overlap=2)
    fill(two_runs, lambda _who, _row: "right")
    path = two_runs / "sheets" / "ana.csv"
    rows = rows_of(path)
    rows[0]["verdict"] = "maybe"
    rows[1]["answer"], rows[2]["answer"] = rows[2]["answer"], rows[1]["answer"]
    rows += [{**rows[3], "verdict": "W"}, {**rows[3], "item": "q9.0123456789"}]
    write_rows(path, rows, ";")
    collected = nescio.campaign.collect(two_runs)
    assert [(fault.line, fault.rule.partition(" (")[0]) for fault in collected.rows] == [
        (2, "a verdict is R"),
        (3, "the answer differs from that of this item in the pool; was one column sorted alone?"),
        (4, "the answer differs from that of this item in the pool; was one column sorted alone?"),
        (6, "the item appears twice; first on line 5"),
        (7, "no pool had such an item"),
    ]
    taken = {(one.assessor, one.item) for one in read_judgements(open_campaign(two_runs))}
    assert taken == {("ana", rows[3]["item"]), *(("ben", row["item"]) for row in rows[:4])}
    write_rows(path, [{**row, "verdict": ""} for row in rows[:4]])
    collected = nescio.campaign.collect(two_runs, resamples=10)
    assert collected.sound is False  # two answers still stand beside other items
    back = {row.assessor: (row.answers, row.judged, row.new, row.blank) for row in collected.tables["sheets"]}
    assert back == {"ana": (4, 0, 0, 1), "ben": (4, 4, 0, 0)}


def test_what_is_judged_is_carried_over_and_no_verdict_is_overwritten(two_runs: Path, tmp_path: Path) -> None:
    nescio.campaign.pool(two_runs)
    nescio.campaign.sheets(two_runs, ["ana"])
    fill(two_runs, lambda _who, _row: "W")
    with pytest.raises(nescio.UsageError, match="not collected"):
        nescio.campaign.sheets(two_runs, ["ana"])
    nescio.campaign.collect(two_runs, resamples=10)
    made.lines(tmp_path / "gamma" / "g.jsonl", [{"id": f"q{i}", "answer": "paris"} for i in range(3)])
    nescio.campaign.intake(two_runs, [tmp_path / "gamma"])
    pooled = nescio.campaign.pool(two_runs)
    assert (pooled.distinct, pooled.judged) == (6, 4)
    assert [sheet.answers for sheet in nescio.campaign.sheets(two_runs, ["ana"]).sheets] == [2]


RULES = [
    ({"a": "R", "b": "R"}, ("R", "R", "R")),
    ({"a": "R", "b": "W"}, (None, None, None)),
    ({"a": "R", "b": "W", "adjudication": "X"}, ("X", "X", None)),
    ({"a": "R", "b": "R", "c": "U"}, (None, "R", None)),
    ({"a": "R", "b": "R", "c": "U", "adjudication": "U"}, ("U", "R", None)),
    ({"a": "R", "b": "W", "c": "U"}, (None, None, None)),
    ({"a": "U"}, ("U", "U", "U")),
]


@pytest.mark.parametrize(("verdicts", "expected"), RULES)
def test_verdicts_come_to_one_by_the_rule_of_the_campaign(
    verdicts: dict[str, str], expected: tuple[str | None, ...]
) -> None:
    assert tuple(resolve(verdicts, rule) for rule in ("adjudicated", "majority", "refused")) == expected


def test_a_campaign_may_weigh_its_assessors_and_lists_go_by_votes(tmp_path: Path) -> None:
    """Few answers, so votes decide; lists of nuggets are no categories of a model."""
    campaign = made.qa(tmp_path, 2)
    settings = campaign / "campaign.toml"
    settings.write_text(settings.read_text().replace('resolve = "adjudicated"', 'resolve = "dawid-skene"'))
    assert read_settings(campaign).resolve == "dawid-skene"
    marks = {f"i{at}": {"a": "R", "b": "W", "c": "W"} for at in range(3)}
    lists = {"n": {"a": "1,2", "b": "1,2", "c": "2"}}
    assert come_to_one(marks | lists, "dawid-skene") == {"i0": "W", "i1": "W", "i2": "W", "n": "1,2"}


def test_two_judgements_an_answer_are_adjudicated_and_their_agreement_is_printed(tmp_path: Path) -> None:
    """Twenty answers, ana says R of all but four, ben differs on two of them: 18 of 20 agree."""
    campaign = made.qa(tmp_path, 20)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": f"a{i}"} for i in range(20)])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    wrong = {"ana": {"q0", "q1", "q2", "q3"}, "ben": {"q0", "q1", "q2", "q4"}}
    fill(campaign, lambda who, row: "W" if row["question_id"] in wrong[who] else "R")
    collected = nescio.campaign.collect(campaign, resamples=200)
    found = {row.measure: row for row in collected.tables["agreement"]}
    assert found["p_o"].value == pytest.approx(18 / 20)
    assert found["kappa"].value == pytest.approx((0.9 - (0.8**2 + 0.2**2)) / (1 - (0.8**2 + 0.2**2)))
    assert found["alpha"].value == pytest.approx(1 - 39 * 4 / (40**2 - 32**2 - 8**2))  # two items, 2 pairs each
    assert found["AC1"].value == pytest.approx((0.9 - 2 * 0.8 * 0.2 / 3) / (1 - 2 * 0.8 * 0.2 / 3))  # four categories
    with pytest.raises(nescio.MismatchError, match="2 answers judged differently") as caught:
        resolved(open_campaign(campaign))
    assert "'a3' to q3" in str(caught.value)
    assert "ana W, ben R" in str(caught.value)
    assert "--adjudicate" in str(nescio.campaign.status(campaign))
    written = nescio.campaign.sheets(campaign, adjudicate=True)
    assert written.sheets[0].answers == 2
    rows = rows_of(campaign / "sheets" / "adjudication.csv")
    assert {row["verdicts"] for row in rows} == {"R / W"}
    write_rows(campaign / "sheets" / "adjudication.csv", [{**row, "verdict": "X"} for row in rows])
    nescio.campaign.collect(campaign, resamples=10)
    final = resolved(open_campaign(campaign))
    assert sorted(final.values()) == ["R"] * 15 + ["W"] * 3 + ["X"] * 2
    assert nescio.campaign.sheets(campaign, adjudicate=True).sheets[0].answers == 0


@pytest.mark.parametrize("name", ["Copy of ana", "ana (1)", "eva"])
def test_a_sheet_that_was_written_for_nobody_is_refused(name: str, two_runs: Path, tmp_path: Path) -> None:
    nescio.campaign.pool(two_runs)
    nescio.campaign.sheets(two_runs, ["ana", "ben"], overlap=2)
    fill(two_runs, lambda _who, _row: "R")
    (two_runs / "sheets" / "ana.csv").rename(tmp_path / f"{name}.csv")
    collected = nescio.campaign.collect(two_runs, [two_runs / "sheets" / "ben.csv", tmp_path / f"{name}.csv"])
    rule = f"no sheet was written for {name!r}; assessors are ana, ben; rename the file"
    assert [(fault.file, fault.rule) for fault in collected.rows] == [(str(tmp_path / f"{name}.csv"), rule)]
    assert {one.assessor for one in read_judgements(open_campaign(two_runs))} == {"ben"}
    (tmp_path / f"{name}.csv").rename(tmp_path / "adjudication.csv")
    assert nescio.campaign.collect(two_runs, [tmp_path / "adjudication.csv"], resamples=10).sound


def test_judging_is_open_until_each_answer_has_as_many_verdicts_as_were_asked_for(two_runs: Path) -> None:
    nescio.campaign.pool(two_runs)
    nescio.campaign.sheets(two_runs, ["ana", "ben"], overlap=2)
    fill(two_runs, lambda _who, _row: "R")
    nescio.campaign.collect(two_runs, [two_runs / "sheets" / "ben.csv"], resamples=10)

    def judging() -> tuple[bool, str]:
        (step,) = [step for step in nescio.campaign.status(two_runs).steps if step.name == "judgements"]
        return step.done, step.what

    assert judging() == (False, "4 of 4 answers judged, 0 in dispute; 4 of 8 verdicts; ana has returned none")
    (scores,) = nescio.campaign.score(two_runs, resamples=10).scores.values()
    said = "judging is not finished: assessors returned 4 of 8 verdicts"
    assert said in [str(note) for note in scores.notes]
    nescio.campaign.collect(two_runs, resamples=10)
    assert judging() == (True, "4 of 4 answers judged, 0 in dispute")
    (scores,) = nescio.campaign.score(two_runs, resamples=10).scores.values()
    assert not any("judging" in str(note) for note in scores.notes)


def test_nuggets_are_written_beside_strings_and_held_against_the_key(tmp_path: Path) -> None:
    campaign = made.nuggets(tmp_path)
    made.sound("nuggets", tmp_path / "alpha" / "r")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    assert nescio.campaign.pool(campaign).distinct == 6  # a fact and noise of three targets
    nescio.campaign.sheets(campaign, ["ana"])
    key = rows_of(campaign / "sheets" / "nuggets.csv")
    assert [(row["question_id"], row["nugget"], row["vital"]) for row in key[:3]] == [
        ("t0", "1", "vital"),
        ("t0", "2", "vital"),
        ("t0", "3", "okay"),
    ]
    fill(campaign, lambda _who, row: "1; 9" if row["answer"] == "noise" else "1", "nuggets")
    collected = nescio.campaign.collect(campaign)
    assert len(collected.rows) == 3
    assert all("has no such nugget; it has 1, 2, 3" in fault.rule for fault in collected.rows)
    fill(campaign, lambda _who, row: "-" if row["answer"] == "noise" else "1", "nuggets")
    assert nescio.campaign.collect(campaign).sound


def test_each_step_repeated_ends_in_the_same_bytes(two_runs: Path) -> None:
    for step in (
        lambda: nescio.campaign.handout(two_runs),
        lambda: nescio.campaign.pool(two_runs),
        lambda: nescio.campaign.sheets(two_runs, ["ana", "ben"], overlap=2),
        lambda: nescio.campaign.collect(two_runs, resamples=10),
    ):
        step()
        once = contents(two_runs)
        step()
        assert contents(two_runs) == once


def test_agreement_on_nuggets_is_over_each_nugget_of_each_string(tmp_path: Path) -> None:
    """Two strings, three nuggets in the key: of six decisions ana and ben agree on five. By hand: ana finds 1, ben 1
    and 2 of the first string, nobody anything in the second. p_o 5/6; kappa: p_e = (1*2 + 5*4)/36, (30 - 22)/(36 - 22) = 4/7;
    alpha 1 - 11 * 2 / (2 * 3 * 9) = 16/27; AC1: pi = 1/4, p_gamma = 3/8, (5/6 - 3/8)/(5/8) = 11/15."""
    campaign = made.nuggets(tmp_path)
    rows = [{"id": f"t{i}", "strings": [f"said {n}" for n in range(2)] if i == 0 else []} for i in range(4)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    found = {("ana", "said 0"): "1", ("ben", "said 0"): "1,2"}
    fill(campaign, lambda who, row: found.get((who, row["answer"]), "-"), "nuggets")
    collected = nescio.campaign.collect(campaign, resamples=100)
    values = {row.measure: (row.value, row.answers) for row in collected.tables["agreement"]}
    assert values["p_o"] == (pytest.approx(5 / 6), 2)
    assert values["alpha"] == (pytest.approx(16 / 27), 2)
    assert values["AC1"] == (pytest.approx(11 / 15), 2)
    assert values["kappa"] == (pytest.approx(4 / 7), 2)
