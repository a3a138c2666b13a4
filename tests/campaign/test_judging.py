"""The pool is blind and holds each answer once; sheets are read back with every fault named; verdicts by the rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.assessors import resolve
from nescio.errors import MismatchError
from nescio.people.campaigns.folder import contents, open_campaign
from nescio.people.campaigns.judgements import read_history
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.verdicts import come_to_one, resolved
from tests.rings import together

from . import made
from .made import fill, judge, rows_of, write_rows

RUNS: dict[str, list[Any]] = {
    "alpha_a": [
        {"answer": "Paris", "support": "Paris is.", "doc": "D1"},
        {"answer": "=1+1", "answered": False},
        None,
    ],
    "beta_b": [{"answer": " PARIS ", "doc": "D2"}, "two", "cafe\u0301"],
}


def pool_of(campaign: Path) -> list[Any]:
    return list(read_pool(open_campaign(campaign)))


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    """Two runs, of which one gives a second answer to q0; ana and ben are to judge all four answers."""
    campaign = made.qa(tmp_path, 3)
    folders = made.submit(tmp_path, RUNS)
    with (tmp_path / "beta" / "b.jsonl").open("a") as file:
        file.write('{"id": "q0", "answer": "Lyon", "rank": 2}\n')
    nescio.campaign.intake(campaign, folders)
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    return campaign


def test_alike_answers_are_pooled_once_declined_ones_too_and_no_run_is_named(two_runs: Path) -> None:
    pooled = nescio.campaign.pool(two_runs)
    assert (pooled.given, pooled.distinct, pooled.judged) == (5, 4, 0)
    items = pool_of(two_runs)
    assert sorted(item.answer for item in items) == [" PARIS ", "=1+1", "cafe\u0301", "two"]
    held = (two_runs / "pool" / "pool.jsonl").read_text()
    assert not {"alpha", "beta"} & set(held.replace('"', " ").split())
    (paris,) = [item for item in items if item.question == "q0"]
    assert paris.supports == (("D1", "Paris is."), ("D2", None))
    made.edit(two_runs / "campaign.toml", "depth = 1", "depth = 2")
    made.edit(two_runs / "campaign.toml", 'distinct = "answer"', 'distinct = "answer and document"')
    assert nescio.campaign.pool(two_runs).distinct == 6  # Paris of D1 and of D2, Lyon, =1+1, two, café


def test_the_names_of_answers_follow_from_the_secret(tmp_path: Path) -> None:
    """Nobody works them out from the words; with the secret they are the same again."""
    first, second = (made.pooled(tmp_path / name, RUNS) for name in ("a", "b"))
    ids = [{item.id for item in pool_of(campaign)} for campaign in (first, second)]
    assert [len(one) for one in ids] == [4, 4]
    assert not ids[0] & ids[1]
    (first / "pool" / "pool.jsonl").unlink()
    nescio.campaign.pool(first)
    assert {item.id for item in pool_of(first)} == ids[0]


def test_a_pool_that_was_named_by_words_alone_is_not_mixed_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as an earlier version of nescio made it."""
    with monkeypatch.context() as patched:
        patched.setattr("nescio.people.campaigns.pooling.NAMED", "before")
        campaign = made.pooled(tmp_path, RUNS)
    for step in (nescio.campaign.pool, nescio.campaign.score):
        with pytest.raises(nescio.UsageError, match="people can guess its ids of answers"):
            step(campaign)


def test_answers_that_differ_in_what_nobody_sees_are_one(tmp_path: Path) -> None:
    """A zero-width space, a soft hyphen, a word joiner; white space and accents as before."""
    written = ["caf\u00e9 noir", "caf\u200b\u00e9 noir", "cafe\u0301 no\u00adir", " Caf\u00e9\u2060  noir"]
    names = [f"{group}_{run}" for group in ("alpha", "beta") for run in "ab"]
    campaign = made.pooled(tmp_path, {name: [text, "other"] for name, text in zip(names, written, strict=True)})
    assert sorted(item.question for item in pool_of(campaign)) == ["q0", "q1"]


def test_nothing_is_pooled_where_the_key_decides(tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match="scored only by its key"):
        nescio.campaign.pool(made.ave(tmp_path))


def test_sheets_are_blind_and_even_and_each_has_an_order_of_its_own(tmp_path: Path) -> None:
    runs = {f"{group}_r": [f"{group[0]} {i}" for i in range(30)] for group in ("alpha", "beta")}
    campaign = made.pooled(tmp_path, runs)
    written = nescio.campaign.sheets(campaign, ["ana", "ben", "eva"], overlap=2)
    assert [(sheet.answers, sheet.questions) for sheet in written.sheets] == [(40, 20)] * 3
    sheets = {who: rows_of(campaign / "sheets" / f"{who}.csv") for who in ("ana", "ben", "eva")}
    times = [row["item"] for rows in sheets.values() for row in rows]
    assert all(item.isalpha() and not {*item} & {*"aeiouy"} for item in times), "nothing that a spreadsheet retypes"
    assert sorted(times) == sorted([item.id for item in pool_of(campaign)] * 2)
    asked = {who: [row["question_id"] for row in rows] for who, rows in sheets.items()}
    assert all(own[::2] == own[1::2] for own in asked.values()), "the answers to a question stand together"
    both = {*asked["ana"]} & {*asked["ben"]}
    ana, ben = ([q for q in dict.fromkeys(asked[who]) if q in both] for who in ("ana", "ben"))
    assert ana != ben
    assert not any(name in (campaign / "sheets" / "ana.csv").read_text() for name in ("alpha", "beta"))


def test_a_share_of_the_questions_is_judged_twice_and_languages_go_to_who_reads_them(tmp_path: Path) -> None:
    rows = [{"id": f"{lang}{i}", "question": "?", "language": lang} for lang in ("EN", "ES") for i in range(20)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    for lang in ("EN", "ES"):
        answers = [{"id": f"{lang}{i}", "answer": f"{lang} {i}"} for i in range(20)]
        made.lines(tmp_path / "alpha" / f"r-{lang}.jsonl", answers)
    made.ready(campaign, "ana=EN", "ben=ES", "eva", overlap=0.2)
    asked = {who: rows_of(campaign / "sheets" / f"{who}.csv") for who in ("ana", "ben", "eva")}
    assert sum(map(len, asked.values())) == 48  # 20% of 40 questions, twice
    assert {row["question_id"][:2] for row in asked["ana"]} == {"EN"}
    assert {row["question_id"][:2] for row in asked["ben"]} == {"ES"}
    judge(campaign)
    (judging,) = [one for one in nescio.campaign.status(campaign).steps if one.name == "judgements"]
    assert judging.done
    with pytest.raises(nescio.UsageError, match="no topic is in this language"):
        nescio.campaign.sheets(campaign, ["ana=FR"])


# ---- what comes back ----


def test_every_fault_of_a_sheet_is_named_and_every_other_row_is_taken(two_runs: Path) -> None:
    fill(two_runs, lambda _who, _row: "right")
    path = two_runs / "sheets" / "ana.csv"
    rows = rows_of(path)
    assert "'=1+1" in [row["answer"] for row in rows]  # guarded, and read back
    rows[0]["verdict"] = "maybe"
    rows[1]["answer"], rows[2]["answer"] = rows[2]["answer"], rows[1]["answer"]
    rows += [{**rows[3], "verdict": "W"}, {**rows[3], "item": "q9.0123456789"}]
    write_rows(path, rows, ";")
    collected = nescio.campaign.collect(two_runs)
    sorted_alone = "in the pool, this item has another answer; perhaps one column was sorted without the others"
    assert [(fault.line, fault.rule.partition(" (")[0]) for fault in collected.rows] == [
        (2, "a verdict is R"),
        (3, sorted_alone),
        (4, sorted_alone),
        (6, "the item appears twice; first on line 5"),
        (7, "no pool of this campaign had this item"),
    ]
    assert made.verdicts(two_runs).keys() == {(rows[3]["item"], "ana"), *((row["item"], "ben") for row in rows[:4])}
    write_rows(path, [{**row, "verdict": ""} for row in rows[:4]])
    collected = nescio.campaign.collect(two_runs, resamples=10)
    assert collected.sound is False  # two answers still stand beside other items
    back = {row.assessor: (row.answers, row.judged, row.new, row.blank) for row in collected.tables["sheets"]}
    assert back == {"ana": (4, 0, 0, 1), "ben": (4, 4, 0, 0)}


@pytest.mark.parametrize("name", ["Copy of ana", "eva"])
def test_a_sheet_that_was_written_for_nobody_is_refused(name: str, two_runs: Path, tmp_path: Path) -> None:
    fill(two_runs, lambda _who, _row: "R")
    path = tmp_path / f"{name}.csv"
    (two_runs / "sheets" / "ana.csv").rename(path)
    collected = nescio.campaign.collect(two_runs, [two_runs / "sheets" / "ben.csv", path], resamples=10)
    rule = f"no sheet was written for {name!r}; name the file after its assessor: ana, ben"
    assert [(fault.file, fault.rule) for fault in collected.rows] == [(str(path), rule)]
    assert {who for _, who in made.verdicts(two_runs)} == {"ben"}
    path.rename(tmp_path / "adjudication.csv")  # which nobody asked for
    refused = nescio.campaign.collect(two_runs, [tmp_path / "adjudication.csv"], resamples=10)
    said = "the keys of 4 rows from this line on are not from the sheet of adjudication: this is a copy of the sheet of ana"
    assert [fault.rule for fault in refused.rows] == [said]
    assert {who for _, who in made.verdicts(two_runs)} == {"ben"}


def test_a_copy_of_an_assessors_sheet_is_not_anothers(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": [f"a{i}" for i in range(30)]}, ["ana", "ben"], overlap=2)
    fill(campaign, lambda _who, row: "R" if int(row["question_id"][1:]) % 3 else "W")
    ana, ben = (campaign / "sheets" / f"{who}.csv" for who in ("ana", "ben"))
    ben.write_bytes(ana.read_bytes())
    collected = nescio.campaign.collect(campaign, resamples=10)
    copied = "the keys of 30 rows from this line on are not from the sheet of ben: this is a copy of the sheet of ana"
    assert [fault.rule for fault in collected.rows] == [copied]
    rows, back = rows_of(ana), tmp_path / "back" / "ben.csv"
    back.parent.mkdir()
    write_rows(back, sorted(rows, key=lambda row: row["item"]))
    assert [fault.rule for fault in nescio.campaign.collect(campaign, [back], resamples=10).rows] == [copied]
    write_rows(back, [{**row, "key": "bcdfghjkmnpq"} for row in rows[:2]])
    assert "the keys of 2 rows from this line on are not from the sheet" in str(
        nescio.campaign.collect(campaign, [back], resamples=10)
    )
    assert {who for _, who in made.verdicts(campaign)} == {"ana"}


def test_assessors_who_say_the_same_of_all_are_noted(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": [f"a{i}" for i in range(30)]}, ["ana", "ben"], overlap=2)
    collected = judge(campaign, lambda _who, row: "R" if int(row["question_id"][1:]) % 3 else "W")
    assert "give the same verdicts on all 30 answers; is one sheet a copy?" in " ".join(map(str, collected.notes))


def test_what_is_judged_is_carried_over_and_no_verdict_is_overwritten(two_runs: Path) -> None:
    fill(two_runs, lambda _who, _row: "W")
    with pytest.raises(nescio.UsageError, match="not collected"):
        nescio.campaign.sheets(two_runs, ["ana"])
    nescio.campaign.collect(two_runs, resamples=10)
    made.take(two_runs, {"gamma_g": ["paris"] * 3})
    pooled = nescio.campaign.pool(two_runs)
    assert (pooled.distinct, pooled.judged) == (6, 4)
    assert [sheet.answers for sheet in nescio.campaign.sheets(two_runs, ["ana"]).sheets] == [2]


def test_the_history_keeps_all_that_was_ever_said(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_r": [f"a{i}" for i in range(8)]}, ["ana"])
    numbers = {item.id: n for n, item in enumerate(pool_of(campaign))}

    def say(verdicts: str, **options: Any) -> str:
        """Say a letter of each item, or nothing (-)."""
        spoken = [letter.replace("-", "") for letter in verdicts]
        return str(judge(campaign, lambda _who, row: spoken[numbers[row["item"]]], **options))

    assert "8 of 8 answers judged; 8 new" in say("RRRRRRRR")
    assert "0 new, 2 changed" in say("WWRRRRRR")
    assert "0 new; 3 blank rows left with the earlier verdict" in say("WW---RRR")
    assert "0 new, 3 withdrawn" in say("WW---RRR", withdraw=True)
    assert len(made.verdicts(campaign)) == 5
    history = read_history(open_campaign(campaign))
    kinds = [one.kind for one in history]
    assert [kinds.count(kind) for kind in ("new", "changed", "withdrawn")] == [8, 2, 3]
    assert all(one.assessor == "ana" and one.at and one.guidelines and one.pool == 1 for one in history)
    path = campaign / "sheets" / "ana.csv"
    write_rows(path, rows_of(path)[:4])  # deleted rows take nothing back
    nescio.campaign.collect(campaign, resamples=10)
    assert len(made.verdicts(campaign)) == 5


def test_judging_is_open_until_each_answer_has_as_many_verdicts_as_were_asked_for(two_runs: Path) -> None:
    fill(two_runs, lambda _who, _row: "R")
    nescio.campaign.collect(two_runs, [two_runs / "sheets" / "ben.csv"], resamples=10)

    def judging() -> tuple[bool, str, list[str]]:
        (step,) = [step for step in nescio.campaign.status(two_runs).steps if step.name == "judgements"]
        (scores,) = nescio.campaign.score(two_runs, resamples=10).scores.values()
        return step.done, step.what, [str(note) for note in scores.notes if "judging" in str(note)]

    what = "4 of 4 answers judged, 0 in dispute"
    note = "judging is not finished: assessors returned 4 of 8 verdicts"
    assert judging() == (False, f"{what}; 4 of 8 verdicts returned; ana has returned no verdict", [note])
    nescio.campaign.collect(two_runs, resamples=10)
    assert judging() == (True, what, [])


def test_each_step_repeated_ends_in_the_same_bytes(two_runs: Path) -> None:
    for step in (
        lambda: nescio.campaign.handout(two_runs),
        lambda: nescio.campaign.pool(two_runs),
        lambda: nescio.campaign.sheets(two_runs, ["ana", "ben"], overlap=2),
        lambda: nescio.campaign.collect(two_runs, resamples=10),
        lambda: judge(two_runs),
        lambda: nescio.campaign.score(two_runs, resamples=10),
        lambda: nescio.campaign.publish(two_runs),
    ):
        step()
        once = contents(two_runs)
        step()
        assert contents(two_runs) == once


# ---- verdicts that differ ----


def test_an_agreement_that_is_undefined_is_said_to_be(two_runs: Path) -> None:
    """Where two say the same of everything, chance would agree as well."""
    shown = str(judge(two_runs)).splitlines()
    assert "p_o 1.000 [1.000, 1.000]: ana, ben, 4 answers" in shown
    assert "alpha undefined: ana, ben, 4 answers; undefined in 10 resamples" in shown
    assert "kappa undefined: ana, ben, 4 answers; undefined in 10 resamples" in shown


RULES = [
    ({"a": "R", "b": "R"}, ("R", "R", "R")),
    ({"a": "R", "b": "W"}, (None, None, None)),
    ({"a": "R", "b": "W", "adjudication": "X"}, ("X", "X", None)),
    ({"a": "R", "b": "R", "c": "U"}, (None, "R", None)),
    ({"a": "R", "b": "R", "c": "U", "adjudication": "U"}, ("U", "R", None)),
    ({"a": "R", "b": "W", "c": "U"}, (None, None, None)),
    ({"a": "U"}, ("U", "U", "U")),
]


@together("verdicts, expected", RULES)
def test_verdicts_come_to_one_by_the_rule_of_the_campaign(
    verdicts: dict[str, str], expected: tuple[str | None, ...]
) -> None:
    assert tuple(resolve(verdicts, rule) for rule in ("adjudicated", "majority", "refused")) == expected


def test_a_campaign_may_weigh_its_assessors_and_lists_go_by_votes(tmp_path: Path) -> None:
    """Few answers, so votes decide; lists of nuggets are no categories of a model."""
    campaign = made.qa(tmp_path, 2, resolve="dawid-skene")
    assert 'resolve = "dawid-skene"' in (campaign / "campaign.toml").read_text()
    marks = {f"i{at}": {"a": "R", "b": "W", "c": "W"} for at in range(3)}
    lists = {"n": {"a": "1,2", "b": "1,2", "c": "2"}}
    assert come_to_one(marks | lists, "dawid-skene") == {"i0": "W", "i1": "W", "i2": "W", "n": "1,2"}


def test_two_judgements_an_answer_are_adjudicated_and_their_agreement_is_printed(tmp_path: Path) -> None:
    """Twenty answers, ana says R of all but four, ben differs on two of them: 18 of 20 agree."""
    campaign = made.pooled(tmp_path, {"alpha_r": [f"a{i}" for i in range(20)]}, ["ana", "ben"], overlap=2)
    wrong = {"ana": {"q0", "q1", "q2", "q3"}, "ben": {"q0", "q1", "q2", "q4"}}
    collected = judge(campaign, lambda who, row: "W" if row["question_id"] in wrong[who] else "R", resamples=200)
    found = {row.measure: row.value for row in collected.tables["agreement"]}
    p_e = 0.8**2 + 0.2**2
    assert found == {
        "p_o": pytest.approx(18 / 20),
        "kappa": pytest.approx((0.9 - p_e) / (1 - p_e)),
        "alpha": pytest.approx(1 - 39 * 4 / (40**2 - 32**2 - 8**2)),  # two items, 2 pairs each
        "AC1": pytest.approx((0.9 - 2 * 0.8 * 0.2 / 3) / (1 - 2 * 0.8 * 0.2 / 3)),  # four categories
    }
    for refused in (lambda: resolved(open_campaign(campaign)), lambda: nescio.campaign.score(campaign)):
        with pytest.raises(nescio.MismatchError, match=r"2 answers judged differently.*\n(.*\n)*.*'a3' to q3: ana W"):
            refused()
    assert "--adjudicate" in str(nescio.campaign.status(campaign))
    assert nescio.campaign.sheets(campaign, adjudicate=True).sheets[0].answers == 2
    path = campaign / "sheets" / "adjudication.csv"
    assert {row["verdicts"] for row in rows_of(path)} == {"R / W"}
    write_rows(path, [{**row, "verdict": "X"} for row in rows_of(path)])
    nescio.campaign.collect(campaign, resamples=10)
    assert sorted(resolved(open_campaign(campaign)).values()) == ["R"] * 15 + ["W"] * 3 + ["X"] * 2
    assert nescio.campaign.sheets(campaign, adjudicate=True).sheets[0].answers == 0


def test_the_adjudicator_reads_the_comments_and_every_support_and_no_name(tmp_path: Path) -> None:
    runs = {
        "alpha_r": [{"answer": "Rome", "doc": "D1", "support": "In Rome."}],
        "beta_r": [{"answer": "ROME", "doc": "D2", "support": "Rome it is."}],
    }
    campaign = made.pooled(tmp_path, runs, ["ana", "ben"], overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "U")):
        path = campaign / "sheets" / f"{who}.csv"
        (row,) = rows_of(path)
        assert (row["document"], row["support"]) == ("D1; D2", "[D1] In Rome. ¶ [D2] Rome it is.")
        write_rows(path, [{**row, "verdict": verdict, "comment": f"why {verdict}"}])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, adjudicate=True)
    (row,) = rows_of(campaign / "sheets" / "adjudication.csv")
    assert (row["verdicts"], row["comments"]) == ("R / U", "why R ¶ why U")
    assert not {"ana", "ben"} & {*str(row).replace("'", " ").split()}


# ---- nuggets ----


def test_nuggets_are_written_beside_strings_and_held_against_the_key(tmp_path: Path) -> None:
    campaign = made.nuggets(tmp_path)
    made.sound("nuggets", tmp_path / "alpha" / "r")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    assert nescio.campaign.pool(campaign).distinct == 6  # a fact and noise of three targets
    nescio.campaign.sheets(campaign, ["ana"])
    key = [(row["question_id"], row["nugget"], row["vital"]) for row in rows_of(campaign / "sheets" / "nuggets.csv")]
    assert key[:3] == [("t0", "1", "vital"), ("t0", "2", "vital"), ("t0", "3", "okay")]
    collected = judge(campaign, lambda _, row: "1; 9" if row["answer"] == "noise" else "1", column="nuggets")
    assert ["has no such nugget; its nuggets: 1, 2, 3" in fault.rule for fault in collected.rows] == [True] * 3
    assert judge(campaign, lambda _, row: "-" if row["answer"] == "noise" else "1", column="nuggets").sound


def test_agreement_on_nuggets_is_over_each_nugget_of_each_string(tmp_path: Path) -> None:
    """Two strings, three nuggets in the key: of six decisions ana and ben agree on five. By hand: ana finds 1, ben 1
    and 2 of the first string, nobody anything in the second. p_o 5/6; kappa: p_e = (1*2 + 5*4)/36, (30 - 22)/(36 - 22) = 4/7;
    alpha 1 - 11 * 2 / (2 * 3 * 9) = 16/27; AC1: pi = 1/4, p_gamma = 3/8, (5/6 - 3/8)/(5/8) = 11/15."""
    campaign = made.nuggets(tmp_path)
    rows = [{"id": f"t{i}", "strings": [f"said {n}" for n in range(2)] if i == 0 else []} for i in range(4)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    made.ready(campaign, "ana", "ben", overlap=2)
    found = {("ana", "said 0"): "1", ("ben", "said 0"): "1,2"}
    collected = judge(campaign, lambda who, row: found.get((who, row["answer"]), "-"), column="nuggets")
    assert {row.measure: (row.value, row.answers) for row in collected.tables["agreement"]} == {
        "p_o": (pytest.approx(5 / 6), 2),
        "alpha": (pytest.approx(16 / 27), 2),
        "AC1": (pytest.approx(11 / 15), 2),
        "kappa": (pytest.approx(4 / 7), 2),
    }


def test_nuggets_come_from_the_pool_where_there_is_no_key(tmp_path: Path) -> None:
    """The assessor writes the list, vital or okay, and maps the strings to it; one sheet each, one collect."""
    campaign = made.listed(tmp_path, ["wrote notes", "was a countess", "noise"])
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    rows = rows_of(path)
    rows[0] |= {"vital": "vital", "text": "first programmer"}
    rows[1] |= {"vital": "okay", "text": "a countess"}
    write_rows(path, rows)
    found = {"wrote notes": "1", "was a countess": "2", "noise": "-"}
    collected = judge(campaign, lambda _who, row: found[row["answer"]], column="nuggets")
    assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1
    nescio.campaign.publish(campaign)
    assert nescio.campaign.status(campaign).after is None
    write_rows(path, [rows[0], rows[1] | {"text": "something else"}])
    notes = nescio.campaign.collect(campaign, resamples=10).notes
    assert (
        "nugget 2 of t0 was 'a countess' when assessors found it in strings, but is 'something else' now"
        in " ".join(map(str, notes))
    )


def test_a_list_of_nuggets_that_nobody_handed_in_is_a_fault_until_the_list_is_collected_again(tmp_path: Path) -> None:
    """Scoring, or collecting another sheet, does not make an edited list the assessors' list."""
    campaign = made.listed(tmp_path, ["wrote notes", "noise"])
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    rows = rows_of(path)
    rows[0] |= {"vital": "okay", "text": "first programmer"}
    rows[1] |= {"vital": "vital", "text": "a countess"}
    write_rows(path, rows)
    assert "key_changed" not in str([note.code for note in judge(campaign, lambda *_: "1", column="nuggets").notes])
    made.edit(campaign / "key" / "nuggets.jsonl", '"vital": false', '"vital": true')
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.collect(campaign, [campaign / "sheets" / "ana.csv"], resamples=10)
    nescio.campaign.score(campaign, resamples=10)
    rule = "key/nuggets.jsonl: these are not the nuggets that nescio campaign collect took in"
    assert [str(fault).partition(";")[0] for fault in nescio.campaign.verify(campaign).rows] == [rule]
    assert rule in str(nescio.campaign.status(campaign))
    with pytest.raises(nescio.NescioError, match=rule):
        nescio.campaign.publish(campaign)
    changed = "the list of nuggets (key/nuggets.jsonl) was changed: nugget 1 of t0 is now okay, 'first programmer'"
    assert changed in map(str, nescio.campaign.collect(campaign, resamples=10).notes)
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).sound
    # Organisers may replace the list by a key of their own.
    held = campaign / "key" / "nuggets.jsonl"
    made.text(campaign / "key" / "own.jsonl", held.read_text().replace("a countess", "a noble"))
    held.unlink()
    with pytest.raises(nescio.MismatchError, match="the pool is older than the key of nuggets"):
        nescio.campaign.score(campaign, resamples=10)
    assert "took back 2 verdicts" in str(nescio.campaign.pool(campaign))  # nobody looked for a noble
    nescio.campaign.sheets(campaign, ["ana"])
    judge(campaign, lambda *_: "2", column="nuggets")
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).sound
    made.edit(campaign / "key" / "own.jsonl", "a noble", "A  Noble")  # other white space and case are no other text
    assert "took back" not in str(nescio.campaign.pool(campaign))
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    held.write_text("")
    assert "; delete this list, because there is another key" in str(nescio.campaign.verify(campaign))


def test_the_pool_takes_no_edited_list_for_the_list_that_was_collected(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes", "noise"], topics=2)
    nescio.campaign.sheets(campaign, ["ana"])
    path = campaign / "sheets" / "nuggets.csv"
    rows = rows_of(path)
    first = {"vital": "okay", "text": "first programmer"}
    write_rows(path, [{**row, **(first if row["nugget"] == "1" else {})} for row in rows])
    judge(campaign, lambda *_: "1", column="nuggets")
    made.edit(campaign / "key" / "nuggets.jsonl", '"vital": false', '"vital": true')
    made.edit(next((campaign / "topics").iterdir()), "Target 1", "Target one")
    assert nescio.campaign.pool(campaign).taken_back == 2
    rule = "these are not the nuggets that nescio campaign collect took in"
    assert rule in str(nescio.campaign.verify(campaign))


def test_the_pool_takes_no_key_of_the_organisers_for_a_list_of_assessors(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["wrote notes"], topics=2)
    key = [
        {"id": f"t{i}", "target": f"Target {i}", "nuggets": [{"text": "a countess", "vital": True}]} for i in range(2)
    ]
    made.lines(campaign / "key" / "nuggets.jsonl", key)
    nescio.campaign.sheets(campaign, ["ana"])
    (campaign / "sheets" / "nuggets.csv").unlink()
    judge(campaign, lambda *_: "-", column="nuggets")
    made.edit(next((campaign / "topics").iterdir()), "Target 1", "Target one")
    assert nescio.campaign.pool(campaign).taken_back == 1
    made.edit(campaign / "key" / "nuggets.jsonl", "a countess", "a noble")
    nescio.campaign.sheets(campaign, ["ana"])
    assert "not the nuggets" not in str(nescio.campaign.verify(campaign))


def test_what_the_organisers_call_their_key_is_theirs_to_correct(tmp_path: Path) -> None:
    campaign = made.nuggets(tmp_path)
    made.sound("nuggets", tmp_path / "alpha" / "r")
    own = made.start(tmp_path / "own", "nuggets", [(campaign / "key" / "key.jsonl").rename(tmp_path / "nuggets.jsonl")])
    nescio.campaign.intake(own, [tmp_path / "alpha"])
    nescio.campaign.pool(own)
    nescio.campaign.sheets(own, ["ana"])
    judge(own, lambda *_: "1", column="nuggets")
    path = own / "key" / "nuggets.jsonl"
    path.write_text(path.read_text().replace("fact 0 of 0", "the first fact"))
    nescio.campaign.score(own, resamples=10)
    assert nescio.campaign.verify(own).sound


def test_no_sheet_is_needed_where_all_answers_are_judged(tmp_path: Path) -> None:
    """A server or pages brought the verdicts, so the folder has no sheet."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing", "other"]}, ["ana"])
    made.judge(campaign, lambda *_: "R")
    (campaign / "sheets" / "ana.csv").unlink()
    told = nescio.campaign.status(campaign)
    assert "done  sheets      none needed, because all answers are judged" in str(told)
    assert told.after is not None
    assert told.after.name == "results"
    made.take(campaign, {"beta_b": ["another", "other"]})
    nescio.campaign.pool(campaign)
    told = nescio.campaign.status(campaign)
    assert told.after is not None
    assert told.after.name == "sheets"


def test_people_judge_the_option_that_an_answer_names_and_see_all_options(tmp_path: Path) -> None:
    """A letter, a number and the text of one option are one answer; options that only case tells apart are two."""
    rows = [
        {"id": "q0", "question": "Capital of France?", "options": ["Paris", "Bonn", "Rome"]},
        {"id": "q1", "question": "Which is a charge?", "options": ["q", "Q"]},
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.edit(campaign / "campaign.toml", "options_from = -1", "options_from = 0")
    made.take(campaign, {"alpha_a": ["A", "A"], "beta_b": ["paris", "B"], "gamma_c": ["0", "Q"]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    shown = {(row["question"], row["answer"]) for row in made.rows_of(campaign / "sheets" / "ana.csv")}
    france, charge = "Capital of France? (A) Paris (B) Bonn (C) Rome", "Which is a charge? (A) q (B) Q"
    assert shown == {(france, "Paris"), (charge, "q"), (charge, "Q")}
    made.judge(campaign, lambda _who, row: "R" if row["answer"] in ("Paris", "q") else "W")
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    accuracy = {row.run: row.value for row in scores if row.measure == "accuracy"}
    assert accuracy == {"alpha_a": 1, "beta_b": 1 / 2, "gamma_c": 1 / 2}


def test_a_verdict_holds_only_for_the_options_that_the_assessor_saw(tmp_path: Path) -> None:
    rows = [{"id": "q0", "question": "Capital of France?", "options": ["Paris", "Bonn"]}]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.take(campaign, {"alpha_a": ["Paris"]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign)
    made.edit(campaign / "topics" / "questions.jsonl", '"Bonn"', '"Paris, Texas"')
    assert nescio.campaign.pool(campaign).taken_back == 1
    with pytest.raises(MismatchError, match="must be judged again"):
        nescio.campaign.score(campaign)


def test_a_pool_with_an_option_that_was_corrected_since_is_sound(tmp_path: Path) -> None:
    """The letter B names another text then; the answer with the earlier text stays in the pool."""
    rows = [{"id": f"q{i}", "question": "Which?", "options": ["red", "gren"]} for i in range(2)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.take(campaign, {"alpha_a": ["B", "A"]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign)
    made.edit(campaign / "topics" / "questions.jsonl", '"gren"', '"green"')
    assert nescio.campaign.pool(campaign).unused == 1
    assert nescio.campaign.verify(campaign).sound


def test_assessors_of_answers_see_the_story_and_judge_again_if_it_changes(tmp_path: Path) -> None:
    campaign = made.reading(tmp_path)
    made.edit(campaign / "campaign.toml", 'judge = ""', 'judge = "exact"')
    made.take(campaign, {"alpha_a": [{"id": f"r{i}", "answer": "the baker"} for i in range(3)]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    assert {row["question"] for row in rows_of(campaign / "sheets" / "ana.csv")} == {
        f"Where did Ann go? ¶ Ann went to town {i}. It rained." for i in range(3)
    }
    judge(campaign, lambda *_: "W")
    made.edit(campaign / "topics" / "stories.jsonl", "Ann went to town 1.", "Nobody knows.")
    assert nescio.campaign.pool(campaign).taken_back == 1
