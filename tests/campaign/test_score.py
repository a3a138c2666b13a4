"""Scores by verdict, the tables of the papers cell by cell, and the site: figures here are counted by hand."""

from __future__ import annotations

import atexit
import csv
import itertools
import json
import re
import shlex
import shutil
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.cli.app import run as call
from nescio.data.evidence import Evidence
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.people.campaigns import ranking
from nescio.people.campaigns.evidence import group_of
from nescio.people.campaigns.folder import contents, open_campaign
from nescio.people.campaigns.freshness import done, inputs
from nescio.people.campaigns.judgements import Change
from nescio.people.campaigns.layouts import figure
from nescio.people.campaigns.log import read_log
from nescio.people.campaigns.scoring import read_tables
from nescio.people.campaigns.settings import Settings
from nescio.people.campaigns.site import write_site
from nescio.pipeline.judged import load_judged
from tests.rings import together

from . import made
from .made import fill


def tables(campaign: Path) -> dict[str, list[list[str]]]:
    return {one.name: [list(one.head), *map(list, one.rows)] for one in read_tables(open_campaign(campaign))}


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@cache
def judged_once() -> Path:
    """The folder of the campaign below, made once a process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    alpha: list[Any] = [{"answer": f"a{i}" if i < 8 else None, "answered": i < 7} for i in range(10)]
    campaign = made.pooled(folder, {"alpha_a": alpha, "beta_b": [f"b{i}" for i in range(10)]}, ["ana"])
    verdicts = dict(zip([f"a{i}" for i in range(8)], "RRRRWXUR", strict=True))
    verdicts |= {f"b{i}": "R" if i < 5 else "W" for i in range(10)}
    made.judge(campaign, lambda _who, row: verdicts[row["answer"]])
    return campaign


def judged_qa(folder: Path) -> Path:
    """Ten questions: alpha_a has 4 R, 1 W, 1 X, 1 U and 3 silent (one candidate right); beta_b answers all, 5 R, 5
    W."""
    campaign = judged_once()
    return shutil.copytree(campaign.parent, folder, dirs_exist_ok=True) / campaign.name


@together("value, shown", [(0.625, "0.63"), (0.675, "0.68"), (5 / 8 - 1e-16, "0.63"), (0.005, "0.01")])
def test_a_half_is_rounded_up_whatever_its_binary_is(value: float, shown: str) -> None:
    assert figure(value) == shown


def test_counts_by_verdict_strict_and_lenient_accuracy_and_c_at_1(tmp_path: Path) -> None:
    campaign = judged_qa(tmp_path)
    scored = nescio.campaign.score(campaign, resamples=200)
    assert tables(campaign)["counts"] == [
        ["Group", "Run", "c@1", "R", "W", "X", "U", "NoA", "NoA right", "Strict", "Lenient"],
        ["Alpha University", "a", "0.52", "4", "1", "1", "1", "3", "1", "0.40", "0.50"],  # (4 + 3 * 4/10) / 10
        ["Beta Institute", "b", "0.50", "5", "5", "0", "0", "0", "0", "0.50", "0.50"],
    ]
    # ten questions tell a difference of 0.02 from none no better than chance does
    assert [row[2].split(" ")[0] for row in tables(campaign)["scores"][1:]] == ["0.52*", "0.50†"]
    results = campaign / "results"
    latex = (results / "tables" / "scores.tex").read_text(encoding="utf-8")
    assert r"50\textdagger{} [" in latex  # numbers are set on their point
    assert scored.scores[""].value("alpha_a", "coverage") == pytest.approx(0.7)
    comparison = scored.comparisons[""].rows[0]
    assert abs(comparison.difference) == pytest.approx(0.02)
    assert comparison.p is not None
    assert [(row["outcome"], row["verdict"]) for row in read(results / "topics.csv")[4:9]] == [
        ("incorrect", "W"),
        ("incorrect", "X"),
        ("incorrect", "U"),
        ("unanswered", "R"),
        ("unanswered", ""),
    ]
    # what was judged is an outcome table like any other
    again = nescio.score(results / "outcomes.csv", ["c@1", "strict_accuracy", "lenient_accuracy"], ci=None)
    values = {measure: again.value("alpha_a", measure) for measure in ("c@1", "strict_accuracy", "lenient_accuracy")}
    assert values == pytest.approx({"c@1": 0.52, "strict_accuracy": 0.4, "lenient_accuracy": 0.5})
    # R is VALIDATED, W and U are REJECTED, X is UNKNOWN; the declined candidate a7 is left out by AVE's rules
    runs = sorted((results / "runs").iterdir())
    assert [run.name for run in runs] == ["alpha_a.jsonl", "beta_b.jsonl"]
    files = [campaign / "topics" / "questions.jsonl", *runs]
    built = nescio.ave.build(files, tmp_path / "ave.xml", judgements=results / "judgements.csv", systems=True)
    (row,) = built.rows
    assert (row.answers, row.validated, row.rejected, row.unknown) == (17, 4 + 5, 2 + 5, 1)
    assert nescio.campaign.init(tmp_path / "ave", [tmp_path / "ave.xml"], task="ave", groups=["alpha=A"]).key


def test_a_withheld_answer_is_no_answer_to_who_reads_the_judgements(tmp_path: Path) -> None:
    """Whoever ranks QA systems by people's verdicts gets the accuracy of the campaign."""
    results = judged_qa(tmp_path) / "results"
    nescio.campaign.score(results.parent, resamples=10)
    rows = read(results / "judgements.csv")
    assert [row["question"] for row in rows if row["answered"] == "false"] == ["q7"]
    held = load_judged([results / "judgements.csv"]).data
    assert isinstance(held, Evidence)
    assert [int(held.column(word)[0].sum()) for word in ("correct", "incorrect", "unanswered")] == [4, 3, 3]


def test_verdicts_of_the_key_are_not_taken_for_those_of_people(tmp_path: Path) -> None:
    """The key judges the two answers that Ana left open, and overrules her on q3, which has no answer."""
    rows: list[Any] = [{"id": f"q{i}", "question": f"What is {i}?", "answers": [f"thing {i}"]} for i in range(3)]
    rows.append({"id": "q3", "question": "What is 3?", "answerable": False})
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "topics.jsonl", rows)], judge="exact")
    made.take(campaign, {"alpha_a": [f"thing {i}" for i in range(4)]})
    nescio.campaign.score(campaign, resamples=10)
    table, files = campaign / "results" / "judgements.csv", [tmp_path / "topics.jsonl"]
    files += sorted((campaign / "results" / "runs").iterdir())
    with pytest.raises(nescio.FormatError, match="every verdict is of a key"):
        nescio.score(files, "accuracy", labels=table, judge="exact")
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: {"q0": "W", "q3": "R"}.get(row["question_id"], ""))
    nescio.campaign.score(campaign, resamples=10)
    assert [(row["verdict"], row["by_key"]) for row in read(table)] == [
        ("W", "false"),
        ("R", "true"),
        ("R", "true"),
        ("W", "true"),
    ]
    (agreed, *_) = nescio.judge(files, judge="exact", against=table).agreement().rows
    assert (agreed.labels, agreed.agreement) == (1, 0)
    (label,) = nescio.score(files, "accuracy", labels=table, judge="exact").tables["labels"]
    assert label.labels == 1
    built = nescio.ave.build(files, tmp_path / "ave.xml", judgements=table, language="EN")
    assert (built.rows[0].validated, built.rows[0].rejected) == (2, 2)
    held = load_judged([table]).data  # a ranking counts them all
    assert isinstance(held, Evidence)
    assert [int(held.column(word)[0].sum()) for word in ("correct", "incorrect", "unanswered")] == [2, 2, 0]


def test_the_first_rank_counts_to_who_reads_the_judgements(tmp_path: Path) -> None:
    """The run says nothing at rank 1 about c."""
    rows = "s,a,Lyon,W,2\ns,a,Paris,R,1\ns,b,Toledo,W,\ns,b,Madrid,R,2\ns,c,Rome,R,2\n"
    held = load_judged([made.text(tmp_path / "j.csv", f"run,question,answer,verdict,rank\n{rows}")]).data
    assert isinstance(held, Evidence)
    assert held.column("correct").tolist() == [[1, 0, 0]]
    assert held.column("unanswered").tolist() == [[0, 0, 1]]


def test_a_withheld_answer_has_the_verdict_of_the_key_at_every_rank(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2, judge="exact")
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["MRR"]')
    rows = [{"id": "q0", "answer": text, "rank": at, "answered": False} for at, text in ((1, "no"), (2, "thing 0"))]
    made.take(campaign, {"alpha_a": [*rows, {"id": "q1", "answer": None}]})
    nescio.campaign.score(campaign, resamples=10)
    judged = read(campaign / "results" / "judgements.csv")
    assert [(row["rank"], row["verdict"], row["answered"]) for row in judged] == [
        ("1", "W", "false"),
        ("2", "R", "false"),
    ]


@pytest.mark.parametrize("left", [True, False])
def test_the_key_judges_a_withheld_answer_that_people_left(left: bool, tmp_path: Path) -> None:
    """People judge the one answer that is given, and the withheld one unless it is left to the key, which differs."""
    campaign = made.qa(tmp_path, 2, judge="exact")
    made.take(campaign, {"alpha_a": ["thing 0", {"answer": "thing 1", "answered": False}]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: "" if left and row["answer"] == "thing 1" else "W")
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    rows = read(campaign / "results" / "outcomes.csv")
    assert [row["candidate"] for row in rows] == ["", "correct" if left else "incorrect"]
    assert {row["judge"] for row in rows} == {"exact+human" if left else "human"}
    assert "campaign.instead_of_people" not in {one.code for one in scores.notes}


def test_an_answer_to_a_question_without_an_answer_is_wrong_in_every_figure(tmp_path: Path) -> None:
    """The assessor did not know that only q0 has an answer."""
    rows = [{"id": f"q{i}", "question": f"What is {i}?", "answerable": not i} for i in range(5)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "topics.jsonl", rows)])
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["lenient_accuracy", "unsupported_rate"]')
    made.take(campaign, {"alpha_a": ["U", "U", "X", "R", {"answer": "R", "answered": False}]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: row["answer"])
    scored = nescio.campaign.score(campaign, resamples=10)
    (row,) = read(campaign / "results" / "counts.csv")
    assert [row[name] for name in "RWXU"] == ["1", "3", "0", "1"]  # the one R is the abstention
    assert float(row["lenient"]) == scored.scores[""].value("alpha_a", "lenient_accuracy") == pytest.approx(2 / 5)
    assert scored.scores[""].value("alpha_a", "unsupported_rate") == pytest.approx(1 / 5)
    verdicts = [row["verdict"] for row in read(campaign / "results" / "topics.csv")]
    assert verdicts == [row["verdict"] for row in read(campaign / "results" / "judgements.csv")] == [*"UWWWW"]
    (note,) = [str(one) for one in scored.scores[""].notes if one.code == "campaign.overruled"]
    assert note.startswith("4 answers to questions that have no answer by the key count as W")
    assert "(q1, q2, q3, q4)" in note


@pytest.mark.parametrize("judge", [None, "exact"])
def test_people_whom_the_key_overrules_are_counted_and_the_key_is_named_beside_them(judge: Any, tmp_path: Path) -> None:
    """Alpha gives the answer to q1 that ana calls right; both runs were judged in the same way."""
    rows = [
        {"id": f"q{i}", "question": f"What is {i}?", "answers": ["R"] * (not i), "answerable": not i} for i in range(3)
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "topics.jsonl", rows)], judge=judge)
    made.take(campaign, {"alpha_a": ["R", "R", "W"], "beta_b": ["R", None, None]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: row["answer"])
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    (noted,) = (one for one in scores.notes if one.code == "campaign.overruled")
    told = "1 answer to questions that have no answer by the key counts as W, though people say R, X or U (q1); correct"
    assert str(noted).startswith(told)
    assert scores.signature["judge"] == "human+key"
    assert {row["judge"] for row in read(campaign / "results" / "outcomes.csv")} == {"human+key"}
    made.judge(campaign, lambda _who, row: row["answer"] if row["question_id"] == "q0" else "W")
    agreed = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert "campaign.overruled" not in [one.code for one in agreed.notes]
    assert agreed.signature["judge"] == "human"


def test_the_best_run_has_the_lowest_share_of_wrong_answers(tmp_path: Path) -> None:
    """Alpha is wrong on 3 of 10 questions, and Beta on 5."""
    campaign = judged_qa(tmp_path)
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["simpleqa.incorrect"]')
    nescio.campaign.score(campaign, resamples=200)
    shown = tables(campaign)
    assert [row[0] for row in shown["scores"][1:]] == ["Alpha University", "Beta Institute"]
    assert [row[5] for row in shown["groups"][1:]] == ["1 of 2", "2 of 2"]


def test_the_share_over_available_answers_goes_from_the_verdicts_to_table_2(tmp_path: Path) -> None:
    """AVE 2007's test sets have the first question of each topic alone, and Table 2 says what share of the answers to
    these is left. Five questions in topics of two; of q0 and q2 two systems give two answers each, one of which is void
    and two alike, so that of 6 answers 3 are left: 50%. In English both of 2 are."""
    rows = [
        {"id": f"q{i}", "question": f"{i}?", "topic": f"t{i // 2}", "language": "EN" if i == 4 else "ES"}
        for i in range(5)
    ]
    said: dict[str, list[str | None]] = {
        "one": ["Rome", "x", "Paris", "x", "here"],
        "two": ["rome", "x", None, "x", "there"],
        "three": ["Oslo", "x", "Paris", "x", None],
    }
    files = [made.lines(tmp_path / "q.jsonl", rows)]
    for run, answers in said.items():
        own = [{"id": f"q{i}", "answer": a, "support": "s"} for i, a in enumerate(answers) if a or i != 4]
        files.append(made.lines(tmp_path / f"{run}.jsonl", own))
    judged = "question,answer,verdict\nq0,Rome,R\nq0,Oslo,W\nq2,Paris,R\nq4,here,R\nq4,there,W\n"
    known = made.text(tmp_path / "j.csv", judged)
    built = nescio.ave.build(files, tmp_path / "ave.xml", judgements=known, first_of="topic")
    assert "only the first question of each topic is asked: 3 of 5 questions" in " ".join(map(str, built.notes))
    left = {row.language: (row.questions, row.answers, row.available, row.kept) for row in built.rows}
    assert left == {"ES": (2, 3, 6, 0.5), "EN": (1, 2, 2, 1.0)}
    campaign = made.start(tmp_path, "ave", [tmp_path / "ave.xml"])
    for language, many in (("ES", 3), ("EN", 2)):
        topics = (campaign / "topics" / f"{language}.xml").read_text()
        assert "available" not in topics, "it tells teams how many systems agree"
        lines = [f"{a.rpartition('_')[0]} {a} REJECTED 0.5" for a in re.findall(r'<a id="([^"]+)"', topics)]
        assert len(lines) == many
        made.text(tmp_path / "alpha" / f"r-{language}.txt", "\n".join(lines) + "\n")
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"]).refused

    def shares() -> dict[str, list[str]]:
        nescio.campaign.score(campaign, resamples=10)
        return {row[0]: row[1:] for row in tables(campaign)["collections"]}

    assert (shares()["Collection"], shares()["% over available answers"]) == (["EN", "ES"], ["100.00%", "50.00%"])
    made.edit(campaign / "campaign.toml", "dropped = []", 'dropped = ["q0"]')
    assert shares()["% over available answers"] == ["100.00%", "–"], "nobody knows how many answers q0 had"


def test_answers_were_judged_when_people_gave_the_verdicts_that_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first verdict is on a page three days before it is collected; the last one is taken back."""

    def line(day: int, item: str, verdicts: tuple[str, str], said: str = "") -> Change:
        return Change(f"2026-06-{day:02}T10:00:00Z", "ana", item, *verdicts, "", 1, "", "ana.csv", said=said)

    rows = [{"id": f"q{i}", "question": "?", "gold": "a"} for i in range(2)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    given = [{"id": f"q{i}", "answer": f"a{i}"} for i in range(2)]
    made.lines(tmp_path / "alpha" / "r.jsonl", given)
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign)
    history = [line(5, "i0", ("", "R"), "2026-06-02T10:00:00Z"), line(7, "i1", ("", "R")), line(9, "i2", ("", "W"))]
    history.append(line(11, "i2", ("W", "")))
    monkeypatch.setattr("nescio.people.campaigns.facts.read_history", lambda _: history)
    nescio.campaign.score(campaign, resamples=10)
    (judged,) = (row[-1] for row in tables(campaign)["facts"] if row[0] == "Answers judged")
    assert judged == "2026-06-02 to 2026-06-07"


def test_the_campaign_in_figures_and_the_agreement_of_its_assessors(tmp_path: Path) -> None:
    """Four questions in each of two languages; alpha answers all in both, beta three in EN, where q0 is as alpha has
    it: 6 answers in EN and 4 in ES. Two judge all but 2 in EN, and differ on one, which is adjudicated: they agree on
    7 of 8, each says R of 7 or 8: kappa = (7/8 - 7/8) / (1 - 7/8) = 0."""
    rows = [{"id": f"{lang}{i}", "question": "?", "language": lang} for lang in ("EN", "ES") for i in range(4)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    for group, lang, answers in (
        ("alpha", "EN", ["a0", "a1", "a2", "a3"]),
        ("alpha", "ES", ["a0", "a1", "a2", "a3"]),
        ("beta", "EN", [None, "a1", "b2", "b3"]),
    ):
        said = [{"id": f"{lang}{i}", "answer": answer} for i, answer in enumerate(answers)]
        made.lines(tmp_path / group / f"r-{lang}.jsonl", said)
    for group, received in (("alpha", "2026-05-01"), ("beta", "2026-05-04")):
        nescio.campaign.intake(campaign, [tmp_path / group], received=received)
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)

    def say(who: str, row: dict[str, str]) -> str:
        if who == "ben" and row["answer"] in ("b2", "b3"):
            return ""
        return "W" if (who, row["question_id"]) == ("ben", "ES3") else "R"

    made.judge(campaign, say)
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.judge(campaign, lambda who, row: "R" if who == "adjudication" else say(who, row))
    nescio.campaign.score(campaign, resamples=10)
    figures = {row[0]: row[1:] for row in tables(campaign)["facts"]}
    judged = figures.pop("Answers judged")
    assert judged[:2] == ["", ""]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?", judged[2])
    assert figures == {
        "Campaign": ["EN", "ES", "All"],
        "Topics": ["4", "4", "8"],
        "Groups": ["2", "1", "2"],
        "Runs": ["2", "1", "3"],
        "Distinct answers": ["6", "4", "10"],
        "Judged by people": ["6", "4", "10"],
        "Judged by two or more": ["4", "4", "8"],
        "Adjudicated": ["0", "1", "1"],
        "Runs received": ["", "", "2026-05-01 to 2026-05-04"],
    }
    agreed = {row[0]: row[1:] for row in tables(campaign)["agreement"]}
    assert (agreed["Observed agreement"][0], agreed["Observed agreement"][2:]) == ("0.88", ["2", "8 answers"])
    # A resample without the one answer on which they differ has no kappa; any other has 0, as ana says R alone.
    assert agreed["Cohen's kappa"][:3] == ["0.00", "[0.00, 0.00]", "1 and 2"]
    assert agreed["Cohen's kappa"][3].startswith("8 answers")
    nescio.campaign.publish(campaign)
    index = (campaign / "site" / "index.html").read_text()
    assert "8 answers" in index
    assert not [name for name in ("ana", "ben") if re.search(rf"\b{name}\b", index)]
    assert ">nan<" not in index


def test_the_agreement_is_over_the_answers_that_count(tmp_path: Path) -> None:
    """Nobody gives the answers of a withdrawn run any more, and those to a dropped topic count for no run."""
    runs = {"alpha_a": [f"a{i}" for i in range(5)], "beta_b": [f"b{i}" for i in range(5)]}
    campaign = made.pooled(tmp_path, runs, ["ana", "ben"], overlap=2)
    made.judge(campaign, lambda *_: "R")
    nescio.campaign.withdraw(campaign, ["beta_b"], reason="asked by mail")
    made.edit(campaign / "campaign.toml", "dropped = []", 'dropped = ["q0"]')
    nescio.campaign.pool(campaign)
    nescio.campaign.score(campaign, resamples=10)
    assert ["Judged by two or more", "4"] in tables(campaign)["facts"]
    assert {row[-1] for row in tables(campaign)["agreement"][1:]} == {"4 answers"}


def named(*languages: str) -> list[dict[str, Any]]:
    """Return questions q0, q1 and so on in these languages, each with its answer."""
    given = enumerate(languages)
    return [{"id": f"q{i}", "question": f"{i}?", "answers": [f"thing {i}"], "language": name} for i, name in given]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("EN", "EN", "ES"), ("EN", "EN")),  # nobody took part in ES
        (("EN", "EN"), ("EN", "EN", "ES")),
        (("GB", "GB", "ES"), ("EN", "EN", "ES")),
        (("EN", "EN", "ES", "ES"), ("ES", "ES", "EN", "EN")),  # their names were interchanged
        (("EN", "EN", "GB"), ("EN", "EN")),
    ],
)
def test_results_have_every_run_that_counts_though_languages_change(
    before: tuple[str, ...], after: tuple[str, ...], tmp_path: Path
) -> None:
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", named(*before))], judge="exact", runs=2)
    for name in ("alpha", "beta"):
        rows = [{"id": f"q{i}", "answer": f"thing {i}" if name == "alpha" else "?"} for i in range(2)]
        made.lines(tmp_path / name / f"r-{before[0]}.jsonl", rows)
        nescio.campaign.intake(campaign, [tmp_path / name])
    made.lines(campaign / "topics" / "questions.jsonl", [{**row, "answers": []} for row in named(*after)])
    made.lines(campaign / "key" / "q.jsonl", named(*after))
    scored = nescio.campaign.score(campaign, resamples=10)
    ranked = [row for scores in scored.scores.values() for row in scores.rows]
    notes = [str(note) for scores in scored.scores.values() for note in scores.notes]
    assert {(row.run, row.value) for row in ranked if row.measure == "c@1"} == {
        (f"alpha_r-{before[0]}", 1.0),
        (f"beta_r-{before[0]}", 0.0),
    }
    assert [note for note in notes if "no run was accepted" in note] == [
        f"no run was accepted for {name}" for name in dict.fromkeys(after[2:]) if len({*after}) > 1
    ]
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).sound


def test_runs_of_ave_follow_their_topics_where_languages_share_ids(two_languages: Path) -> None:
    """Questions 1 to 3 have one id in EN and ES, whose names are interchanged; one of them no longer counts."""
    campaign = two_languages
    made.edit(campaign / "campaign.toml", "dropped = []", 'dropped = ["2"]')
    nescio.campaign.score(campaign, resamples=10)
    before = tables(campaign)
    for folder in ("topics", "key"):
        english, spanish = (campaign / folder / f"{name}.xml" for name in ("EN", "ES"))
        texts = [path.read_text() for path in (english, spanish)]
        english.write_text(texts[1].replace('"ES"', '"EN"'))
        spanish.write_text(texts[0].replace('"EN"', '"ES"'))
    nescio.campaign.score(campaign, resamples=10)
    after = tables(campaign)
    for one, other in (("EN", "ES"), ("ES", "EN")):
        assert after[f"f-{one}"] == before[f"f-{other}"]


def test_a_run_goes_to_no_other_language_that_shares_ids_because_a_topic_is_removed(tmp_path: Path) -> None:
    files = [made.text(tmp_path / f"{name}.xml", made.collection(name, 6)) for name in ("EN", "ES")]
    made.edit(files[1], "What is", "Que es")
    campaign = made.start(tmp_path, "ave", files)
    for name in ("EN", "ES"):
        run = made.sound("ave", tmp_path / "alpha" / f"r-{name}")
        run.write_text(run.read_text().replace("0.8", "0.7" if name == "EN" else "0.6"))
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"]).refused
    for folder in ("topics", "key"):
        made.text(campaign / folder / "EN.xml", made.collection("EN", 5))
    with pytest.raises(MismatchError, match=r"r-EN/1\.txt, line 16: .*; the topics, settings or nescio's rules"):
        nescio.campaign.score(campaign, resamples=10)


def test_a_run_that_fits_no_language_any_more_is_named_and_a_corrected_version_is_taken(tmp_path: Path) -> None:
    campaign = made.start(
        tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", named("EN", "EN", "GB"))], judge="exact", runs=1
    )
    run = made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(2)])
    nescio.campaign.intake(campaign, [run.parent])
    corrected = named("EN", "EN", "EN")
    made.lines(campaign / "topics" / "questions.jsonl", [{**row, "answers": []} for row in corrected])
    made.lines(campaign / "key" / "q.jsonl", corrected)
    with pytest.raises(
        MismatchError, match=r"alpha_r/1\.jsonl: 1 answer missing.*q2.*take in a version that fits, or "
    ):
        nescio.campaign.score(campaign, resamples=10)
    made.lines(run, [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(3)])
    (receipt,) = nescio.campaign.intake(campaign, [run.parent]).rows
    assert (receipt.status, receipt.version) == ("accepted", 2)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert {row.run for row in scores.rows} == {"alpha_r"}


@pytest.mark.parametrize(("ci", "said"), [(90, "90% interval"), (99.5, "99.5% interval"), (None, "")])
def test_the_level_that_is_published_is_that_of_the_intervals(ci: float | None, said: str, tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": list("abcd"), "beta_b": list("efgh")}, ["ana", "ben"], overlap=2)
    made.judge(campaign, lambda _, row: "R" if row["answer"] in "abe" else "W")
    nescio.campaign.score(campaign, resamples=10, ci=ci)
    nescio.campaign.publish(campaign)
    files = [
        path for path in campaign.rglob("*") if path.suffix in (".md", ".tex", ".html") and "sheets" not in str(path)
    ]
    files += [path for path in files if "tables" in str(path)]
    told = " ".join(path.read_text() for path in files)
    assert {level.replace("\\", "") for level in re.findall(r"[\d.]+\\?% interval", told)} == {said} - {""}
    assert ("All runs, with" in told) is bool(said)
    assert ("interval" in " ".join(tables(campaign)["agreement"][0])) is bool(said)
    assert nescio.campaign.verify(campaign).sound


def test_answers_that_nobody_judged_are_named_and_a_key_may_judge_them(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "a")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    with pytest.raises(nescio.MismatchError, match=r"4 answers have not been judged \(first: q1 of alpha_a"):
        nescio.campaign.score(campaign)
    made.edit(campaign / "campaign.toml", 'judge = ""', 'judge = "exact"')
    key = (campaign / "key").rename(tmp_path / "key")
    with pytest.raises(nescio.MismatchError, match=r"have people judge .*, or put a key into key/"):
        nescio.campaign.score(campaign)
    key.rename(campaign / "key")
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert scores.value("alpha_a", "accuracy") == pytest.approx(4 / 6)


def corrected(tmp_path: Path, options: list[str], *, more: bool = False) -> Path:
    """A campaign of three questions with two options whose organiser changes the topics, but not the key."""
    rows = [
        {"id": f"q{i}", "question": "Which?", "options": ["right", "wrong"], "answers": ["right"]} for i in range(3)
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    changed = [{"id": row["id"], "question": "Which one?", "options": options} for row in rows]
    added = [{"id": "q3", "question": "And?", "options": ["right", "wrong"]}] if more else []
    made.lines(campaign / "topics" / "questions.jsonl", [*changed, *added])
    return campaign


@pytest.mark.parametrize("options", [["wrong", "right"], ["other", "wrong", "right"]])
def test_letters_name_the_options_that_teams_saw(tmp_path: Path, options: list[str]) -> None:
    campaign = corrected(tmp_path, options)
    nescio.campaign.handout(campaign)
    letter = "ABC"[options.index("right")]
    made.take(campaign, {"alpha_a": [{"answer": letter}] * 3, "beta_b": [{"answer": "right"}] * 3})
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert [scores.value(run, "accuracy") for run in ("alpha_a", "beta_b")] == [1, 1]


@pytest.mark.parametrize("gold", ["A", "a)", "0", "RIGHT", " right "])
@pytest.mark.parametrize("options", [["right", "false"], ["false", "Right "], ["right", "wrong", "none of these"]])
def test_a_key_may_name_the_right_option_in_any_way_while_topics_are_corrected(
    gold: str, options: list[str], tmp_path: Path
) -> None:
    """A column of the topics counts, too, if it was corrected there."""
    rows = [
        {"id": f"q{i}", "question": "Which?", "options": ["right", "wrong"], "answers": [gold], "kind": "who"}
        for i in range(3)
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    made.lines(
        campaign / "topics" / "questions.jsonl",
        [{"id": row["id"], "question": "Which?", "options": options, "kind": f"kind {row['id']}"} for row in rows],
    )
    nescio.campaign.handout(campaign)
    right = next(text for text in options if text.strip().casefold() == "right")
    made.take(campaign, {"alpha_a": [right] * 3, "beta_b": [next(text for text in options if text != right)] * 3})
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert [scores.value(run, "accuracy") for run in ("alpha_a", "beta_b")] == [1, 0]
    assert "kind q2" in (campaign / "results" / "outcomes.csv").read_text(encoding="utf-8")


def test_a_key_needs_no_options(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "question": "Which?", "options": ["right", "wrong"]} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    gold = [{"id": row["id"], "question": "Which?", "answers": ["right"]} for row in rows]
    made.lines(campaign / "key" / "key.jsonl", gold)
    nescio.campaign.handout(campaign)
    made.take(campaign, {"alpha_a": ["right"] * 3})
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "accuracy") == 1


@pytest.mark.parametrize(
    ("options", "more", "says"),
    [
        (["right now", "wrong"], False, "state other options for 'q0', and not both have the right answer"),
        (["right", "wrong"], True, "key/ has no answer to 'q3' of topics/"),
    ],
)
def test_a_key_that_does_not_fit_the_topics_is_refused(
    tmp_path: Path, options: list[str], *, more: bool, says: str
) -> None:
    with pytest.raises(MismatchError, match=says):
        nescio.campaign.handout(corrected(tmp_path, options, more=more))


def test_answers_that_teams_did_not_see_do_not_count(tmp_path: Path) -> None:
    """The organiser removes a right answer of AVE, and a problem of PAN, from the topics, and not from the key."""
    campaign = made.ave(tmp_path)
    (topics,) = (campaign / "topics").iterdir()
    held = topics.read_text(encoding="utf-8")
    made.edit(topics, held[held.index('<a id="1_1"') : held.index('<a id="1_2"')], "")
    nescio.campaign.handout(campaign)
    rows = [
        f"{q} {q}_{a} {'SELECTED' if a == 1 and q % 2 else 'REJECTED'} 0.5"
        for q in range(1, 7)
        for a in range(1, 4)
        if (q, a) != (1, 1)
    ]
    made.text(tmp_path / "alpha" / "a.txt", "\n".join(rows) + "\n")
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha"]).refused
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert (scores.value("alpha_a", "ave.F"), [one.code for one in scores.notes if "missing" in one.code]) == (1, [])

    campaign = made.pan(tmp_path / "pan")
    made.lines(campaign / "topics" / "problems.jsonl", [{"id": f"p{i}"} for i in range(4)])
    made.lines(tmp_path / "pan" / "alpha" / "a.jsonl", [{"id": f"p{i}", "value": i % 2} for i in range(4)])
    assert not nescio.campaign.intake(campaign, [tmp_path / "pan" / "alpha"]).refused
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert (scores.value("alpha_a", "c@1"), [one.code for one in scores.notes if "missing" in one.code]) == (1, [])


def test_a_problem_of_pan_can_be_dropped_and_need_not_be_sent_again(tmp_path: Path) -> None:
    """Of the five problems, p1 and p3 have the same author. alpha_a is right on these and abstains on the others:
    c@1 = (2 + 3 * 2/5) / 5. Without p1 it is (1 + 3 * 1/4) / 4."""
    campaign = made.pan(tmp_path)
    made.sound("pan", tmp_path / "alpha" / "a")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 3.2 / 5
    made.edit(campaign / "campaign.toml", "dropped = []", 'dropped = ["p1"]')
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    (row,) = (one for one in scores if one.measure == "c@1")
    assert (row.value, row.n) == (1.75 / 4, 4)
    assert not [one for one in scores.notes if "missing" in one.code]
    assert nescio.campaign.verify(campaign).sound
    made.lines(tmp_path / "beta" / "b.jsonl", [{"id": f"p{i}", "value": 0.1 * i} for i in range(5)])
    assert not nescio.campaign.intake(campaign, [tmp_path / "beta"]).refused


@pytest.mark.parametrize(
    ("make", "old", "new", "says"),
    [
        (made.ave, ">Text 1 of 1.<", ">Another text.<", "state other texts for the answer '1_1' to '1'"),
        (made.ave, '"1_1"', '"1_9"', "key/ has no answer to '1 1_9' of topics/"),
        (made.pan, '"p4"', '"p9"', "key/ has no answer to 'p9' of topics/"),
        (made.reading, '"Ann went', '"It was hot.", "Ann went', "state other sentences for the story of 'r0'"),
    ],
)
def test_a_key_of_other_tasks_that_does_not_fit_the_topics_is_refused(
    tmp_path: Path, make: Any, old: str, new: str, says: str
) -> None:
    campaign = make(tmp_path)
    *_, topics = sorted((campaign / "topics").iterdir())  # of reading, the stories
    made.edit(topics, old, new)
    with pytest.raises(MismatchError, match=says):
        nescio.campaign.handout(campaign)
    assert says in str(nescio.campaign.status(campaign))


@pytest.mark.parametrize("task", ["qa", "reading"])
def test_an_answer_that_the_key_lacks_is_never_counted_as_wrong(tmp_path: Path, task: str) -> None:
    """People must judge it; teams get their files nevertheless."""
    campaign = made.qa(tmp_path, judge="exact") if task == "qa" else made.reading(tmp_path)
    name, answer = ("q5", '"answers": ["thing 5"]') if task == "qa" else ("r1", '"answers": ["town 1"]')
    made.edit(campaign / "key" / "questions.jsonl", answer, '"answers": []')
    if task == "reading":
        rows = (campaign / "key" / "questions.jsonl").read_text(encoding="utf-8").replace(', "sentences": [0]', "")
        made.text(campaign / "key" / "questions.jsonl", rows)
    lacking = f"key/ has no answer to {name}: people must judge the answers, or the key needs one"
    assert lacking in str(nescio.campaign.handout(campaign))
    assert lacking in str(nescio.campaign.status(campaign))
    made.sound(task, tmp_path / "alpha" / "a")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    with pytest.raises(MismatchError, match=f"1 answer has not been judged .first: {name} of alpha_a.*add the answer"):
        nescio.campaign.score(campaign)
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda *_: "R")
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "accuracy") > 0


def test_outcomes_say_whether_people_or_the_key_judged_each_run(tmp_path: Path) -> None:
    """People judged one answer of alpha; then alpha withdraws its run, and the verdict is missing nowhere."""
    campaign = made.qa(tmp_path, 3, judge="exact")
    made.take(campaign, {"alpha_a": ["x", "thing 1", "z"], "beta_b": ["thing 0", "thing 1", "y"]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: "R" if row["answer"] == "x" else "")
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    judges = {row["run"]: row["judge"] for row in read(campaign / "results" / "outcomes.csv")}
    assert judges == {"alpha_a": "exact+human", "beta_b": "exact"}
    assert scores.signature["judge"] == "human+exact"
    nescio.campaign.withdraw(campaign, ["alpha_a"], reason="by mistake")
    nescio.campaign.pool(campaign)
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert [one.code for one in scores.notes] == ["campaign.verdicts"]
    assert scores.signature["judge"] == "exact"


@pytest.mark.parametrize(("setting", "value"), [("distinct", '"answer and document"'), ("options_from", "0")])
def test_the_key_judges_in_place_of_people_only_if_that_is_said(setting: str, value: str, tmp_path: Path) -> None:
    """A setting is changed after people judged; or the verdicts are taken back."""
    rows = [
        {"id": f"q{i}", "question": "Which?", "options": ["right", "wrong"], "answers": ["right"]} for i in range(3)
    ]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "topics.jsonl", rows)], judge="exact")
    made.edit(campaign / "campaign.toml", "options_from = -1", "options_from = 1")
    made.take(campaign, {"alpha_a": [{"answer": "1", "doc": "D"}] * 3})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda *_: "X")
    before = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert (before.value("alpha_a", "accuracy"), [one.code for one in before.notes]) == (0, [])
    made.edit(campaign / "campaign.toml", f"{setting} = ", f"{setting} = {value}  # ")
    with pytest.raises(nescio.MismatchError, match=f"the pool is older than {setting} in campaign.toml; run"):
        nescio.campaign.score(campaign)
    assert "left out 3 answers of an earlier pool" in (told := str(nescio.campaign.pool(campaign)))
    assert "(3 verdicts on them do not count now)" in told
    (noted,) = nescio.campaign.score(campaign, resamples=10).scores[""].notes
    assert (noted.code, noted["answers"], noted["unused"]) == ("campaign.instead_of_people", 3, 3)
    made.edit(campaign / "campaign.toml", f"{setting} = {value}  # ", f"{setting} = ")
    nescio.campaign.pool(campaign)
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "accuracy") == 0
    made.judge(campaign, lambda *_: "", withdraw=True)
    notes = nescio.campaign.score(campaign, resamples=10).scores[""].notes
    assert [(one["answers"], one["withdrawn"]) for one in notes if one.code == noted.code] == [(3, 3)]


def test_nuggets_by_people_are_scored_and_shown_with_check_marks(tmp_path: Path) -> None:
    campaign = made.nuggets(tmp_path)
    rows = [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"] if i else []} for i in range(4)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    made.ready(campaign, "ana")
    made.judge(campaign, lambda _who, row: "-" if row["answer"] == "noise" else "1,3", column="nuggets")
    scored = nescio.campaign.score(campaign, resamples=10)
    # of two vital nuggets one is found in three of four targets
    assert scored.scores[""].value("alpha_r", "nuggets.NR") == pytest.approx(3 / 8)
    nescio.campaign.publish(campaign)
    page = (campaign / "site" / "topics" / "t1.html").read_text()
    lines = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    marks = {line.split("</th>")[0][-1]: "✓" in line for line in lines if "vital" in line or "okay" in line}
    assert marks == {"1": True, "2": False, "3": True}
    assert "✓" not in (campaign / "site" / "topics" / "t0.html").read_text()


def test_targets_whose_nuggets_nobody_listed_are_named_and_stay_in_the_topics(tmp_path: Path) -> None:
    """Two of six targets have a list; of their two vital nuggets each, one is found, so that recall is 1/2."""
    campaign = made.listed(tmp_path, ["fact one", "noise"], topics=6)
    nescio.campaign.sheets(campaign, ["ana"])
    listed = made.rows_of(campaign / "sheets" / "nuggets.csv")
    for row in listed:
        if row["question_id"] in ("t0", "t1") and row["nugget"] in ("1", "2"):
            row |= {"vital": "vital", "text": f"fact {row['nugget']}"}
    made.write_rows(campaign / "sheets" / "nuggets.csv", listed)
    said = {"t0": "1", "t1": "1"}
    collected = made.judge(
        campaign,
        lambda _who, row: said.get(row["question_id"], "-") if row["answer"] == "fact one" else "-",
        column="nuggets",
    )
    named = "4 targets have no list of nuggets and are not scored: t2, t3, t4, t5"
    assert named in map(str, collected.notes)
    assert named in str(nescio.campaign.status(campaign))
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert named in map(str, scores.notes)
    assert scores.value("alpha_r", "nuggets.NR") == 1 / 2
    topics = {row["question"]: (row["score"] != "", row["answer"]) for row in read(campaign / "results" / "topics.csv")}
    assert topics == {f"t{i}": (i < 2, "fact one / noise") for i in range(6)}


# ---- answer validation ----


def validator(folder: Path, name: str, decide: dict[str, str], questions: range = range(1, 7)) -> None:
    """A run of AVE: S, V or R for each of the three answers of a question, R for all others."""
    words = {"S": "SELECTED", "V": "VALIDATED", "R": "REJECTED"}
    rows = []
    for q in questions:
        for a, letter in enumerate(decide.get(str(q), "RRR"), 1):
            rows.append(f"{q} {q}_{a} {words[letter]} {0.5 + a / 10}")
    made.text(folder / f"{name}.txt", "\n".join(rows) + "\n")


@pytest.fixture
def two_languages(tmp_path: Path) -> Path:
    """EN has questions 1 to 6, ES 1 to 3. Answer 1 is right of odd questions; answer 3 of question 4 is UNKNOWN."""
    files = [
        made.text(tmp_path / "EN.xml", made.collection("EN", 6)),
        made.text(tmp_path / "ES.xml", made.collection("ES", 3)),
    ]
    campaign = made.start(tmp_path, "ave", files)
    validator(tmp_path / "alpha", "x-EN", {"1": "SRR", "3": "SVR", "5": "RSR", "4": "RRS"})
    validator(tmp_path / "alpha", "y-EN", {"1": "SRR", "3": "SRR", "5": "SRR"})
    validator(tmp_path / "beta", "z-EN", {str(q): "SVV" for q in range(1, 7)})
    validator(tmp_path / "beta", "z-ES", {"1": "SRR", "2": "SRR"}, range(1, 4))
    received = nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"], received="2026-05-01")
    assert not received.refused
    return campaign


def systems(path: Path, questions: int, right: dict[str, str]) -> Path:
    """Outcomes of QA systems: the questions that each answers rightly."""
    numbers = range(1, questions + 1)
    rows = [f"{run},{q},{'correct' if str(q) in own else 'incorrect'}" for run, own in right.items() for q in numbers]
    return made.text(path, "run,question,outcome\n" + "\n".join(rows) + "\n")


def test_aves_tables_in_their_layouts(two_languages: Path, tmp_path: Path) -> None:
    english = systems(tmp_path / "en.csv", 6, {"gamma_qa1": "135", "MIRA": "1", "beta_qa": "13"})
    spanish = systems(tmp_path / "es.csv", 3, {"beta_qa": "3"})
    nescio.campaign.score(two_languages, ranking=[f"EN={english}", f"ES={spanish}"], resamples=100)
    held = tables(two_languages)
    for name, text in tomllib.loads((Path(__file__).parent / "ave_tables.toml").read_text()).items():
        assert held[name] == [
            [cell if cell != "-" else "" for cell in row.split(" | ")] for row in text.splitlines()
        ], name
    # ES: 9 judged answers, 2 right (1_1, 3_1); z accepts 1_1 and 2_1.
    assert held["f-ES"][1:3] == [
        ["Beta Institute", "z-ES", "0.50", "0.50", "0.50"],
        ["100% VALIDATED", "", "0.36", "0.22", "1.00"],
    ]
    best = {(row[0], row[1]): row[2:] for row in held["best"][1:]}
    assert best["EN", "ave.F"] == ["Alpha University", "y-EN", "1.00"]
    assert best["EN", "ave.qa_accuracy"][-1] == "0.50"
    assert best["ES", "ave.F"] == ["Beta Institute", "z-ES", "0.50"]
    assert [row[:3] + row[5:] for row in held["groups"][1:]] == [
        ["Alpha University", "x-EN", "EN", "2 of 3"],
        ["Alpha University", "y-EN", "EN", "1 of 3"],
        ["Beta Institute", "z-EN", "EN", "3 of 3"],
        ["Beta Institute", "z-ES", "ES", "1 of 1"],
    ]


def test_the_baselines_of_the_table_by_language_are_those_of_its_measure(two_languages: Path) -> None:
    before = "measures = []"
    for first in ("ave.qa_accuracy", "ave.AUC"):
        after = f"measures = ['{first}', 'ave.F', 'ave.precision', 'ave.recall']"
        made.edit(two_languages / "campaign.toml", before, after)
        before = after
        nescio.campaign.score(two_languages, resamples=10)
        held = tables(two_languages)
        rows = {row[0]: row[1] for row in held["languages"]}
        if first == "ave.AUC":
            assert "100% VALIDATED" not in rows
        else:  # choosing at random: 3 of 6 questions have a right answer; one of three or two judged answers
            assert (
                rows["100% VALIDATED"] == dict(zip(held["selection"][0], held["selection"][1], strict=True))["Random"]
            )


@together("measures", ["['ave.F']", "['ave.qa_accuracy']", "['ave.precision', 'ave.recall']"])
def test_the_table_of_f_is_the_same_with_every_list_of_measures(measures: str, tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    validator(tmp_path / "alpha", "x", {"1": "SRR", "2": "RSV"})
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.score(campaign, resamples=10)
    before = tables(campaign)["f-EN"]
    made.edit(campaign / "campaign.toml", "measures = []", f"measures = {measures}")
    nescio.campaign.score(campaign, resamples=10)
    assert tables(campaign)["f-EN"] == before


@pytest.mark.parametrize("measure", ["c@1", "AURC", "nuggets.F"])
def test_a_measure_that_a_task_lacks_is_refused_without_options_that_campaigns_lack(
    measure: str, two_languages: Path
) -> None:
    made.edit(two_languages / "campaign.toml", "measures = []", f'measures = ["ave.F", "{measure}"]')
    with pytest.raises(UsageError, match=r"there is no column '[^']*'; name measures that fit the task ave in") as told:
        nescio.campaign.score(two_languages, resamples=10)
    assert not told.value.offers


@pytest.mark.parametrize("named", [{}, {"language": "EN"}])
def test_a_campaign_in_one_language_counts_all_its_topics_and_runs(named: dict[str, str], tmp_path: Path) -> None:
    """Of two groups, one hands in two runs. Tables have no columns of languages that their parts do not add up to."""
    rows = [{"id": f"q{i}", "question": f"{i}?", "answers": ["x"]} | named for i in range(3)]
    given = [made.lines(tmp_path / "q.jsonl", rows)]
    campaign = made.start(tmp_path, "qa", given, languages=["EN"], judge="exact")
    for group, run, last in (("alpha", "one", "x"), ("alpha", "two", "y"), ("beta", "one", "z")):
        answers = [{"id": f"q{i}", "answer": said} for i, said in enumerate(("x", "x", last))]
        made.lines(tmp_path / group / f"{run}.jsonl", answers)
    nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"], received="2026-05-01")
    nescio.campaign.score(campaign, resamples=10)
    held = tables(campaign)
    assert [row[1:] for row in held["participants"]] == [["Runs"], ["2"], ["1"], ["3"]]
    assert held["facts"][:4] == [["Campaign", "All"], ["Topics", "3"], ["Groups", "2"], ["Runs", "3"]]
    nescio.campaign.publish(campaign)
    assert not nescio.campaign.verify(campaign).rows


def test_a_language_without_a_run_keeps_its_row(tmp_path: Path) -> None:
    """ES has questions 7 to 9: 7_1 and 9_1 are right, 8_3 is UNKNOWN, 6 answers are wrong; a random choice is right on
    7 and 9 with chance 1/3. Nobody judged the 6 answers in FR."""
    unjudged = re.sub(' value="[A-Z]*"', "", made.collection("FR", 2, first=11))
    files = [
        made.text(tmp_path / "EN.xml", made.collection("EN", 6)),
        made.text(tmp_path / "ES.xml", made.collection("ES", 3, first=7)),
        made.text(tmp_path / "FR.xml", unjudged),
    ]
    campaign = made.start(tmp_path, "ave", files)
    validator(tmp_path / "alpha", "x", {"1": "SRR"})
    nescio.campaign.intake(campaign, [tmp_path / "alpha"], received="2026-05-01")
    system = made.text(
        tmp_path / "es.csv", "run,question,outcome\nMIRA,7,correct\nMIRA,8,unanswered\nMIRA,9,incorrect\n"
    )
    scored = nescio.campaign.score(campaign, ranking=[system], resamples=10)
    assert "no run was accepted for ES, FR" in map(str, scored.scores["EN"].notes)
    held = tables(campaign)
    assert held["participants"][-1] == ["Total", "1", "0", "0", "1"]
    assert held["collections"] == [
        ["Collection", "EN", "ES", "FR"],
        ["Questions", "6", "3", "2"],
        ["Answers (final)", "18", "9", "6"],
        ["VALIDATED", "3", "2", "0"],
        ["REJECTED", "14", "6", "0"],
        ["UNKNOWN", "1", "1", "6"],
    ]
    assert held["selection"][2:] == [
        ["ES", "", "MIRA", "0.67", "0.22", "", "", "0.33", "50.00%"],
        ["FR", "", "", "–", "–", "", "", "", ""],
    ]
    assert held["ranking-ES"][1:] == [
        ["Perfect selection", "", "QA", "0.67", "100.00%"],
        ["MIRA", "", "QA", "0.33", "50.00%"],
        ["Random", "", "AV", "0.22", "33.33%"],
    ]
    assert held["languages"][
        2:
    ] == [  # x accepts one right answer of three: F = 2/(1 + 3); all: p = 2/8, F = 2p/(1 + p)
        ["Best", "0.50", "–", "–"],
        ["100% VALIDATED", "0.30", "0.40", "–"],
        ["50% VALIDATED", "0.26", "0.33", "–"],
    ]
    assert [row for row in held["best"] if row[0] != "EN"][1:] == [[name, "", "", "", "–"] for name in ("ES", "FR")]
    nescio.campaign.publish(campaign)
    assert not nescio.campaign.verify(campaign).rows


def test_outcomes_of_qa_systems_are_of_one_language_or_refused_and_belong_to_groups(
    two_languages: Path, tmp_path: Path
) -> None:
    """Questions 1 to 3 are asked in both languages, 4 to 6 in one. A system is a group's by its name, or by a mapping."""
    both = systems(tmp_path / "both.csv", 3, {"MIRA": "1"})
    with pytest.raises(nescio.UsageError, match=r"are in EN and ES; name the language of this file, as in EN="):
        nescio.campaign.score(two_languages, ranking=[both], resamples=10)
    stranger = made.text(tmp_path / "none.csv", "run,question,outcome\nMIRA,99,correct\n")
    with pytest.raises(nescio.MismatchError, match="answer no question of the campaign"):
        nescio.campaign.score(two_languages, ranking=[stranger], resamples=10)
    one = made.text(tmp_path / "one.csv", "run,question,outcome\nMIRA,5,correct\n")
    scored = nescio.campaign.score(two_languages, ranking=[one], resamples=10)
    assert ["MIRA", "", "QA", "0.17", "33.33%"] in tables(two_languages)["ranking-EN"]
    assert len(tables(two_languages)["ranking-ES"]) == 4
    assert any("the QA systems were not asked 5 of 6 questions" in str(note) for note in scored.scores["EN"].notes)
    english = systems(
        tmp_path / "en.csv", 6, {"dfki071dede": "135", "dfki072ende": "1", "odd": "12", "alpha071dede": "2"}
    )
    path = two_languages / "campaign.toml"
    path.write_text(path.read_text() + '"dfki07*" = "gamma"\n"odd" = "beta"\n')
    nescio.campaign.score(two_languages, ranking=[f"EN={english}"], resamples=10)
    groups = {row[1]: row[0] for row in tables(two_languages)["ranking-EN"]}
    assert {name: groups[name] for name in ("dfki071dede", "dfki072ende", "odd", "alpha071dede")} == {
        "dfki071dede": "Gamma",
        "dfki072ende": "Gamma",
        "odd": "Beta Institute",
        "alpha071dede": "Alpha University",
    }


def test_a_ranking_is_copied_and_the_campaign_needs_nothing_outside(two_languages: Path, tmp_path: Path) -> None:
    """It is verified on another computer, in another folder; and what status advises then scores the same."""
    english = systems(tmp_path / "given" / "en.csv", 6, {"gamma_qa1": "135", "MIRA": "1"})
    spanish = made.text(tmp_path / "es.csv", "run,question,outcome\nMIRA,1,correct\n")  # a note names what is missing
    nescio.campaign.score(two_languages, ranking=[f"EN={english}", f"ES={spanish}"], resamples=10)
    held = contents(two_languages / "results")
    assert held["rankings/EN/en.csv"] == english.read_bytes()
    nescio.campaign.publish(two_languages)
    moved = two_languages.rename(tmp_path / "moved")
    english.unlink()
    spanish.unlink()
    assert nescio.campaign.verify(moved).sound
    assert str(tmp_path) not in (moved / "campaign.log").read_text()
    made.edit(moved / "campaign.toml", "measures = []", 'measures = ["ave.F"]')
    after = nescio.campaign.status(moved).after
    assert after is not None
    words = shlex.split(after.command)
    given = [file for option, file in itertools.pairwise(words) if option == "--ranking"]
    made.edit(moved / "campaign.toml", 'measures = ["ave.F"]', "measures = []")
    nescio.campaign.score(moved, ranking=given, resamples=10)
    assert contents(moved / "results") == held


@pytest.mark.parametrize("language", ["", "EN="])
def test_no_line_of_the_log_has_verify_open_a_file_elsewhere(
    language: str, two_languages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = systems(tmp_path / "x.csv", 6, {"MIRA": "1"})
    nescio.campaign.score(two_languages, resamples=10)
    opened = open_campaign(two_languages)
    (about,) = (entry.about for entry in read_log(opened) if entry.step == "score")
    done(opened, "score", inputs(opened, "score"), {**about, "ranking": [f"{language}{elsewhere}"]})
    touched: list[object] = []
    monkeypatch.setattr(ranking, "load_judged", touched.append)
    found = nescio.campaign.verify(two_languages)
    assert "nescio campaign score does not read" in str(found)
    assert touched == []


def test_two_rankings_of_one_name_are_refused(two_languages: Path, tmp_path: Path) -> None:
    given = [f"EN={systems(tmp_path / name / 'x.csv', 6, {name: '1'})}" for name in ("one", "two")]
    with pytest.raises(nescio.UsageError, match=r"two files of outcomes are called x\.csv; rename one"):
        nescio.campaign.score(two_languages, ranking=given, resamples=10)


@pytest.mark.parametrize(
    ("run", "group", "system"),
    [
        ("fuha071dede", "fuha", "fuha071dede"),  # Table 9 of AVE 2007: group FUH
        ("FUHA072dede", "fuha", "FUHA072dede"),
        ("fuha_1", "fuha", "1"),
        ("fuhage071dede", "", "fuhage071dede"),
        ("g12", "", "g12"),  # a group that ends in a digit is named apart: g1_2
        ("g1_2", "g1", "2"),
        ("uned071eses", "uned", "uned071eses"),
    ],
)
def test_a_run_named_in_the_manner_of_clef_is_of_the_group_that_it_begins_with(
    run: str, group: str, system: str
) -> None:
    settings = Settings("AVE", "ave", {name: name.upper() for name in ("fuha", "g1", "uned")})
    assert group_of(run, settings, {}) == (group, system)


@pytest.mark.parametrize("order", [("uned", "uned-nlp"), ("uned-nlp", "uned")])
def test_a_run_is_of_the_group_that_handed_it_in_whatever_its_name_begins_with(
    order: tuple[str, str], tmp_path: Path
) -> None:
    """The table of counts, by hand: uned-nlp's run is right on 2 of 2 questions, uned's on none."""
    titles = {"uned": "UNED", "uned-nlp": "NLP at UNED"}
    campaign = made.qa(tmp_path, 2, groups=[f"{name}={titles[name]}" for name in order], judge="exact")
    made.submit(tmp_path, {"uned_a": ["x", "y"], "uned-nlp_a": ["thing 0", "thing 1"]})
    path = campaign / "campaign.toml"
    path.write_text(path.read_text() + '"*" = "uned"\n')  # of systems that nobody handed in
    rows = nescio.campaign.intake(campaign, [tmp_path / "uned", tmp_path / "uned-nlp"]).rows
    assert [(row.group, row.run, row.status) for row in rows] == [
        ("uned", "uned_a", "accepted"),
        ("uned-nlp", "uned-nlp_a", "accepted"),
    ]
    nescio.campaign.score(campaign, resamples=10)
    held = tables(campaign)
    assert {tuple(row[:3]) for row in held["counts"][1:]} == {("NLP at UNED", "a", "1.00"), ("UNED", "a", "0.00")}
    assert {tuple(row[:2]) for row in held["groups"][1:]} == {("NLP at UNED", "a"), ("UNED", "a")}
    nescio.campaign.publish(campaign)
    page = (campaign / "site" / "index.html").read_text(encoding="utf-8")
    assert "NLP at UNED a" in page
    assert "UNED nlp_a" not in page


def test_a_system_is_of_the_longest_group_that_its_name_begins_with() -> None:
    settings = Settings("AVE", "ave", {"uned": "UNED", "uned-nlp": "NLP"})
    assert group_of("uned-nlp_1", settings, {}) == ("uned-nlp", "1")
    assert group_of("uned-other", settings, {}) == ("uned", "other")


# ---- what is out of date ----


def step(campaign: Path, name: str) -> tuple[bool, str]:
    (found,) = [(each.done, each.what) for each in nescio.campaign.status(campaign).steps if each.name == name]
    return found


def assert_refused(campaign: Path, newer: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Publishing ends with exit 2 and one line, and the old site stays."""
    before = contents(campaign)
    with pytest.raises(SystemExit) as ended:
        call(["campaign", "publish", str(campaign)])
    assert ended.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"the results are older than {newer}; run nescio campaign score" in said
    assert contents(campaign) == before


@pytest.fixture
def published(tmp_path: Path) -> Path:
    campaign = judged_qa(tmp_path)
    nescio.campaign.score(campaign, resamples=100)
    nescio.campaign.publish(campaign)
    return campaign


def test_changed_judgements_make_results_and_site_old(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nescio.campaign.collect(published, resamples=10)  # the same verdicts again: nothing is old
    assert nescio.campaign.status(published).after is None
    index = published / "site" / "index.html"
    assert ">0.52<" in index.read_text()  # c@1 of alpha_a
    made.judge(published, lambda *_: "W")
    assert step(published, "results") == (False, "older than the judgements")
    assert step(published, "site") == (False, "of outdated results")
    assert str(nescio.campaign.status(published)).endswith(f"next: nescio campaign score {published}")
    assert_refused(published, "the judgements", capsys)
    nescio.campaign.score(published, resamples=10)
    assert step(published, "results") == (True, "of all runs")
    assert step(published, "site") == (False, "older than the results")
    nescio.campaign.publish(published)
    assert nescio.campaign.status(published).after is None
    assert ">0.52<" not in index.read_text()


@pytest.mark.parametrize("gone", [False, True])
def test_a_change_of_the_guidelines_stops_no_publication(gone: bool, published: Path) -> None:
    """Nothing that `publish` writes depends on them, and the step that a message names clears what it tells."""
    guidelines = published / "guidelines.md"
    guidelines.unlink() if gone else guidelines.write_text("- typo fixed")
    assert nescio.campaign.status(published).after is None
    assert nescio.campaign.verify(published).sound is not gone
    nescio.campaign.publish(published)
    found = nescio.campaign.verify(published)
    assert found.sound
    assert ("changed since the last line" in " ".join(map(str, found.notes))) is False


def test_nothing_is_published_while_answers_are_in_dispute_or_of_a_version_before_the_last(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = {item: verdict for (item, _), verdict in made.verdicts(published).items()}
    nescio.campaign.sheets(published, ["ana", "ben"], overlap=2)
    fill(published, lambda who, row: verdicts[row["item"]].replace("W", "R") if who == "ben" else "")
    nescio.campaign.collect(published, [published / "sheets" / "ben.csv"], resamples=10)
    assert "6 in dispute" in step(published, "judgements")[1]
    assert_refused(published, "the judgements and the requests to assessors", capsys)
    made.take(published, {"beta_b": [f"new {i}" for i in range(10)]}, "2026-05-02")
    newer = "the judgements, the requests to assessors and run beta_b"
    assert step(published, "results") == (False, f"older than {newer}")
    assert_refused(published, newer, capsys)


# ---- the site ----


def test_the_site_has_returns_with_medians_and_its_links_lead_somewhere(published: Path) -> None:
    site = published / "site"
    assert len([*(site / "topics").iterdir()]) == 10
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert "http" not in text.replace("http-equiv", "").replace('xmlns="http://www.w3.org/2000/svg"', "")
        for link in re.findall(r'href="([^"#][^"]*)"', text):
            assert (page.parent / link).exists(), (page, link)
        assert {*re.findall(r'href="#([^"]*)"', text)} <= {*re.findall(r' id="([^"]*)"', text)}
    rows = read(published / "returns" / "alpha" / "alpha_a.csv")
    # of q4 alpha has 0 and beta 1, of q0 both 1, of q8 both 0
    shown = [(rows[i]["score"], rows[i]["median"]) for i in (4, 0, 8)]
    assert shown == [("0.0", "0.5"), ("1.0", "1.0"), ("0.0", "0.0")]
    assert "Worse than the median on 1 of 10 topics" in (published / "returns" / "alpha" / "index.html").read_text()
    assert not (published / "returns" / "gamma").exists()
    assert not (site / "returns").exists()


def test_the_site_says_who_is_best_and_what_each_run_did_on_each_topic(published: Path) -> None:
    index = (published / "site" / "index.html").read_text()
    held = json.loads((published / "results" / "scores.json").read_text())["scores"]
    tied = {row["run"]: row["tied_with_best"] for row in held if row["measure"] == held[0]["measure"]}
    said = re.search(r'<p class="advice">(.*?)</p>', index)
    assert said
    assert said[1].startswith("Alpha University a is best by c@1: 0.520; ")
    assert tied["beta_b"]
    assert "not significantly different from Beta Institute b" in said[1]
    assert index.count("<svg") == 2  # wide and narrow
    for topic in range(10):  # the first four of alpha's answers and the first five of beta's are right
        line = re.search(rf"<bdi>q{topic}</bdi></a></th>(.*?)</tr>", index)
        assert line
        cells = re.findall(r'class="heated"[^>]*>([^<]*)<', line[1])
        assert [float(cell) for cell in cells] == [topic < 4, topic < 5]


def test_what_is_blind_names_no_group_no_run_and_no_qa_system(
    two_languages: Path,
    tmp_path: Path,
) -> None:
    made.edit(two_languages / "campaign.toml", "blind = false", "blind = true")
    english = systems(tmp_path / "en.csv", 6, {"gamma_qa1": "135", "MIRA": "1"})
    nescio.campaign.score(two_languages, ranking=[f"EN={english}"], resamples=10)
    nescio.campaign.publish(two_languages)
    held = "".join(path.read_text() for path in (two_languages / "site").rglob("*") if path.is_file())
    for name in ("alpha", "beta", "Alpha", "Beta", "Gamma", "qa1", "MIRA", "y-EN", ">x<", ">z<"):
        assert name not in held, name
    assert "QA system 2" in held
    assert "Perfect selection" in held
    own = (two_languages / "returns" / "beta" / "index.html").read_text()
    assert "beta_z" in own
    assert "alpha" not in own
    assert re.search(r"On the public pages it is run [123]", own)


def test_a_blind_site_has_the_notes_that_name_no_run(tmp_path: Path) -> None:
    campaign = judged_qa(tmp_path)
    made.edit(campaign / "campaign.toml", "blind = false", "blind = true")
    nescio.campaign.score(campaign, resamples=10)
    data = campaign / "results" / "data.json"
    held = json.loads(data.read_text())
    # "fin" is a short name, and a part of "finished".
    made.edit(campaign / "campaign.toml", '"gamma" = ', '"fin" = ')
    open_, *named = ["judging is not finished", "run 'alpha_a' is odd", "ALPHA  university is odd", "of 'beta' nothing"]
    named.append("fin_x is odd")
    held["parts"][0]["notes"] = [open_, *named]
    data.write_text(json.dumps(held))
    write_site(open_campaign(campaign), tmp_path / "site", tmp_path / "returns")
    page = (tmp_path / "site" / "index.html").read_text()
    assert open_ in page
    assert not [note for note in (*named, " is odd", "nothing") if note in page]


def test_text_of_strangers_is_inert(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2, judge="exact", groups=["alpha=<b>A & B</b>", "beta=B_1 %"])
    made.take(campaign, {"alpha_a": ["<script>x</script>"] * 2})
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    pages = "".join(page.read_text() for page in (campaign / "site").rglob("*.html"))
    assert "<script" not in pages
    assert "<b>A" not in pages
    assert r"A \& B" in (campaign / "site" / "latex" / "overview.tex").read_text()


# ---- every task, and its LaTeX ----


@pytest.mark.parametrize("name", ["v1.0", "truth.txt", "truth"])
def test_no_name_and_no_line_of_a_run_of_pan_decides_anew_what_it_is(name: str, tmp_path: Path) -> None:
    """A run that was taken in stops no scoring, is no truth file, and keeps its whole name."""
    campaign = made.pan(tmp_path)
    made.text(tmp_path / "alpha" / name, "".join(f"p{i} {0.9 if i % 2 else 0.5}\n" for i in range(5)))
    made.sound("pan", tmp_path / "beta" / "r")
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"]).refused
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    values = {row.run: row.value for row in scores if row.measure == "c@1"}
    assert values == pytest.approx({f"alpha_{name.removesuffix('.txt')}": 0.64, "beta_r": 0.64})  # 2/5 + 3/5 · 2/5


def test_the_key_of_pan_is_the_key_and_a_run_a_run_whatever_they_are_called(tmp_path: Path) -> None:
    truth = {f"EN{i:03}": "YN"[i % 2] for i in range(6)}
    key = made.text(tmp_path / "gold.txt", "".join(f"{name} {said}\n" for name, said in truth.items()))
    campaign = made.start(tmp_path, "pan", [key])
    for group, run, right in (("alpha", "truth-net", 0.1), ("beta", "r", 0.9)):
        rows = (f"{name} {right if said == 'Y' else 1 - right}\n" for name, said in truth.items())
        made.text(tmp_path / group / f"{run}.txt", "".join(rows))
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"]).refused
    scores = nescio.campaign.score(campaign, resamples=10).scores[""]
    assert {row.run: row.value for row in scores if row.measure == "c@1"} == {"alpha_truth-net": 0, "beta_r": 1}


def assert_sound_latex(text: str) -> None:
    """Every environment ends, braces are even, and every row of a table has its cells."""
    stack: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert set(re.findall(r"\\ref\{(.*?)\}", text)) <= set(re.findall(r"\\label\{(.*?)\}", text))
    for columns, body in re.findall(r"\\begin\{tabular\}\{(\S+?)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        width = len(re.sub(r"@\{.\}", "", columns))
        for line in body.splitlines():
            if line.endswith(r"\\"):
                spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d)\}", line))
                assert len(re.findall(r"(?<!\\)&", line)) + 1 + spans == width, line


# What the key decides, without people: a measure of each task, and what the sound run has.
BY_KEY = {"qa": ("accuracy", 4 / 6), "reading": ("read.recall", 1), "pan": ("c@1", 0.4 * 1.6), "ave": ("ave.recall", 1)}


@pytest.mark.parametrize("task", made.MAKE)
def test_what_the_key_decides_is_scored_without_people_and_its_latex_is_sound(
    task: str,
    tmp_path: Path,
) -> None:
    """Names of groups and titles of campaigns are full of what LaTeX takes for commands."""
    odd = ["alpha=Università di {A} & B_1 50% #1 ~^ \\x", "beta=$B$"]
    options: dict[str, Any] = {"judge": "exact"} if task == "qa" else {}
    campaign = made.MAKE[task](tmp_path, groups=odd, name="Q&A_100%", **options)
    made.sound(task, tmp_path / "alpha" / "r_1")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    ranking = [systems(tmp_path / "en.csv", 6, {"beta_qa_1": "135"})] if task == "ave" else []
    (scores,) = nescio.campaign.score(campaign, ranking=ranking, resamples=100).scores.values()
    measure, value = BY_KEY.get(task, ("nuggets.automatic_NR", None))
    found = scores.value("alpha_r_1", measure)
    assert found > 0 if value is None else found == pytest.approx(value)
    published = nescio.campaign.publish(campaign)
    assert published.topics == len(list((campaign / "site" / "topics").iterdir()))
    assert nescio.campaign.status(campaign).steps[-1].done
    files = [*(campaign / "site").rglob("*.tex"), *(campaign / "returns").rglob("*.tex")]
    assert sorted(path.name for path in files) == ["overview.tex", "working-notes.tex"]
    for path in files:
        assert_sound_latex(path.read_text())


@pytest.mark.parametrize(("judge", "said"), [(None, True), ("exact", False)])
def test_a_key_that_judges_nothing_is_said(judge: str | None, said: bool, tmp_path: Path) -> None:
    topics = [Path(__file__).parents[2] / "examples" / "questions.jsonl"]
    made = nescio.campaign.init(tmp_path / "c", topics, task="qa", groups=["a=A"], judge=judge)
    why = (
        "the key judges no answer until campaign.toml names a judge; where the key says that there is no answer, any "
        "answer is wrong"
    )
    assert (why in str(made)) == said


def test_a_note_names_the_groups_whose_runs_are_left_out(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"] * 2, "beta_b": ["other"] * 2}, ["ana"])
    made.judge(campaign)
    made.edit(campaign / "campaign.toml", '"beta" = "Beta Institute"\n', "")
    nescio.campaign.pool(campaign)
    scored = nescio.campaign.score(campaign, resamples=10)
    assert "note: the accepted runs of beta are left out, because campaign.toml does not name the group" in str(scored)
    written = " ".join(path.read_text() for path in (campaign / "results").rglob("*") if path.is_file())
    assert "beta" not in written


def test_runs_of_one_value_by_other_counts_are_all_best(tmp_path: Path) -> None:
    """c@1 is 3/10 with 3 right and 7 wrong answers, and (2 + 5·2/10)/10 with 2 right and 5 silent."""
    campaign = made.qa(tmp_path, 10, judge="exact")
    golds = [f"thing {i}" for i in range(10)]
    made.take(campaign, {"alpha_a": [*golds[:3], *["?"] * 7], "beta_b": [*golds[:2], *[None] * 5, *["?"] * 3]})
    nescio.campaign.score(campaign)
    nescio.campaign.publish(campaign)
    page = (campaign / "site" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"Alpha[^.]*and[^.]*Beta[^.]* are best by c@1: 0\.300\.", page)
    assert "significantly different from every other run" not in page


def test_a_measure_that_only_describes_runs_names_no_best_run(tmp_path: Path) -> None:
    """The more a run answers, the higher is its coverage; beta_b answers less and better."""
    questions = [
        {"id": f"q{i}", "language": lang, "question": f"What is {i}?", "answers": [f"thing {i}"]}
        for i, lang in enumerate(["EN"] * 5 + ["ES"] * 5)
    ]
    topics = made.lines(tmp_path / "given" / "questions.jsonl", questions)
    campaign = made.start(tmp_path, "qa", [topics], judge="exact")
    said: dict[str, list[str | None]] = {
        "alpha": ["thing {}", "?", "?", "?", "?"],
        "beta": ["thing {}", "thing {}", "thing {}", None, None],
    }
    runs = {
        f"{group}_{lang}": [{"id": f"q{i}", "answer": text and text.format(i)} for i, text in enumerate(texts, first)]
        for group, texts in said.items()
        for lang, first in (("en", 0), ("es", 5))
    }
    made.take(campaign, runs)
    nescio.campaign.score(campaign)
    assert {row[1] for row in tables(campaign)["best"][1:]} == {"c@1", "accuracy"}
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["coverage", "c@1"]')
    with pytest.raises(UsageError, match="coverage, by which no run is better than another"):
        nescio.campaign.score(campaign)


def test_returns_count_the_topics_on_which_a_run_is_worse(tmp_path: Path) -> None:
    """By a measure whose lower values are better, worse topics lie above the median."""
    campaign = made.qa(tmp_path, 10, judge="exact")
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["simpleqa.incorrect"]')
    golds = [f"thing {i}" for i in range(10)]
    made.take(campaign, {"alpha_a": [*["?"] * 3, *golds[3:]], "beta_b": golds})
    nescio.campaign.score(campaign)
    nescio.campaign.publish(campaign)
    said = {name: (campaign / "returns" / name / "index.html").read_text() for name in ("alpha", "beta")}
    assert "Worse than the median on 3 of 10 topics" in said["alpha"]
    assert "Worse than the median on 0 of 10 topics" in said["beta"]


@pytest.mark.parametrize("by", ["key", "people", "people and key"])
def test_a_measure_of_ranked_answers_reads_every_rank(by: str, tmp_path: Path) -> None:
    """The first right answers are at ranks 2, 1 and 3; the confidences are 0.5 at rank 1, and lower after it."""
    campaign = made.qa(tmp_path, 3, key=by != "people", judge="exact" if "key" in by else None)
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["MRR", "K", "accuracy"]')
    given = ["no", "thing 0"], ["thing 1", "no"], ["no", "nothing", "thing 2"]
    rows = [
        {"id": f"q{q}", "answer": text, "rank": rank, "confidence": 0.6 - rank / 10}
        for q, texts in enumerate(given)
        for rank, text in enumerate(texts, 1)
    ]
    made.take(campaign, {"alpha_a": rows, "beta_b": ["no", "thing 1", None]})
    if "people" in by:
        nescio.campaign.pool(campaign)
        nescio.campaign.sheets(campaign, ["ana"])
        made.judge(campaign, lambda _who, row: "R" if row["answer"].startswith("thing") else "W")
    if by == "people":
        refused = r"4 answers have not .*\(first: q0 of alpha_a at rank 2, .*\); set depth = 3 in campaign.toml, make a"
        with pytest.raises(MismatchError, match=refused):
            nescio.campaign.score(campaign)
        made.edit(campaign / "campaign.toml", "depth = 1", "depth = 3")
        nescio.campaign.pool(campaign)
        nescio.campaign.sheets(campaign, ["ana"])
        made.judge(campaign, lambda _who, row: "R" if row["answer"].startswith("thing") else "W")
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    values = {name: scores.value("alpha_a", name) for name in ("MRR", "K", "accuracy")}
    credit = (-0.5 + 0.4) / 2 + (0.5 - 0.4) / 2 + (-0.5 - 0.4 + 0.3) / 3
    assert values == pytest.approx({"MRR": (1 / 2 + 1 + 1 / 3) / 3, "K": credit / 3, "accuracy": 1 / 3})
    assert scores.value("beta_b", "MRR") == pytest.approx(1 / 3)
    assert [str(one) for one in scores.notes if one.code == "judging.lower_ranks"]
    judges = {row["run"]: row["judge"] for row in read(campaign / "results" / "outcomes.csv")}
    assert judges["alpha_a"] == {"key": "exact", "people": "human", "people and key": "exact+human"}[by]


@pytest.mark.parametrize("measures", ["[]", '["accuracy", "MRR"]'])
def test_every_answer_that_people_judged_is_in_the_judgements_with_its_rank(measures: str, tmp_path: Path) -> None:
    """Alpha gives at rank 2 what beta gives at rank 1; "here" is right with one document, unsupported by the other."""
    campaign = made.qa(tmp_path, 2, key=False)
    made.edit(campaign / "campaign.toml", "measures = []", f"measures = {measures}")
    made.edit(campaign / "campaign.toml", 'distinct = "answer"', 'distinct = "answer and document"')
    made.edit(campaign / "campaign.toml", "depth = 1", f"depth = {2 if 'MRR' in measures else 1}")
    alpha = [
        {"id": "q0", "answer": "here", "doc": "U", "support": "here it is" * 100},
        {"id": "q0", "answer": "here", "doc": "R", "rank": 2},
        {"id": "q1", "answer": "there", "doc": "W"},
        {"id": "q1", "answer": "nowhere", "doc": "R", "rank": 2},
    ]
    beta = [{"id": "q0", "answer": "here", "doc": "R"}, {"id": "q1", "answer": "nowhere", "doc": "R"}]
    made.take(campaign, {"alpha_a": alpha, "beta_b": beta})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda _who, row: next(letter for letter in "RWU" if letter in row["document"]))
    nescio.campaign.score(campaign, resamples=10)
    results = campaign / "results"
    judged = read(results / "judgements.csv")
    assert [(row["question"], row["verdict"], row["rank"]) for row in judged if row["run"] == "alpha_a"] == [
        ("q0", "U", "1"),
        ("q1", "W", "1"),
        ("q0", "R", "2"),
        ("q1", "R", "2"),
    ]
    files = [campaign / "topics" / "questions.jsonl", *sorted((results / "runs").iterdir())]
    built = nescio.ave.build(files, tmp_path / "ave.xml", judgements=results / "judgements.csv")
    (row,) = built.rows
    assert (row.validated, row.rejected, row.unknown) == (2, 1, 0)
    assert not {"judgements.stale", "ave.duplicates_differ"} & {one.code for one in built.notes}


def test_a_campaign_about_reading_takes_the_measures_of_its_settings(tmp_path: Path) -> None:
    campaign = made.reading(tmp_path)
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["MRR", "read.HumSent"]')
    rows: list[dict[str, Any]] = [{"id": f"r{i}", "answer": "?"} for i in range(3)]
    rows += [{"id": f"r{i}", "answer": f"Ann went to town {i}.", "rank": 2} for i in range(2)]
    made.take(campaign, {"alpha_a": rows})
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert {row.measure: row.value for row in scores} == {"MRR": pytest.approx((1 / 2 + 1 / 2) / 3), "read.HumSent": 0}


def test_a_right_abstention_is_no_answer_on_any_page(tmp_path: Path) -> None:
    """q1 has no answer: alpha_a says nothing, and beta_b withholds a candidate; gamma_c answers."""
    rows = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["yes"], "answerable": True} for i in range(2)]
    rows[1] |= {"answers": [], "answerable": False}
    topics = [made.lines(tmp_path / "given" / "topics.jsonl", rows)]
    campaign = made.start(tmp_path, "qa", topics, judge="exact")
    withheld = {"answer": "Louis", "answered": False}
    made.take(campaign, {"alpha_a": ["yes", None], "beta_b": ["no", withheld], "gamma_c": ["yes", "no"]})
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    nescio.campaign.publish(campaign)
    said = {(row["run"], row["question"]): row for row in read(campaign / "results" / "topics.csv")}
    own = {name: (row["outcome"], row["verdict"]) for (name, question), row in said.items() if question == "q1"}
    assert own == {
        "alpha_a": ("rightly unanswered", ""),
        "beta_b": ("rightly unanswered", "W"),
        "gamma_c": ("incorrect", "W"),
    }
    page = (campaign / "site" / "index.html").read_text(encoding="utf-8")
    answered = [int(number) for number in re.findall(r"</bdi></a></th><td>(\d+)</td><td>3</td>", page)]
    assert answered == [3, 1]
    assert sum(answered) == pytest.approx(2 * sum(row.value for row in scores if row.measure == "coverage"))
    assert "counts as R, not as NoA" in page
    assert [row[3] for row in tables(campaign)["counts"][1:]] == ["2", "1", "1"]


@together("old, new", [('value="VALIDATED"', 'value="REJECTED"'), ('value="UNKNOWN"', "")])
def test_two_files_of_a_key_that_differ_are_refused(old: str, new: str, tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    made.sound("ave", tmp_path / "alpha" / "r")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    (key,) = (campaign / "key").iterdir()
    shutil.copy(key, key.with_name("corrected.xml"))
    nescio.campaign.score(campaign, resamples=10)  # equal copies do no harm
    made.edit(key, old, new)
    with pytest.raises(MismatchError, match=r"EN.xml and .* state two values of answer .*; keep one of these"):
        nescio.campaign.score(campaign, resamples=10)


def test_topics_that_two_files_or_lines_state_are_refused(tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    shutil.copy(campaign / "topics" / "EN.xml", campaign / "topics" / "EN-corrected.xml")
    made.sound("ave", tmp_path / "alpha" / "r")
    with pytest.raises(MismatchError, match="both have questions in EN"):
        nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    twice = [{"id": "t1", "target": text} for text in ("Rome", "Bonn")]
    with pytest.raises(FormatError, match="stated before with another text"):
        made.start(tmp_path / "other", "nuggets", [made.lines(tmp_path / "t.jsonl", twice)])
    campaign = made.listed(tmp_path / "third", ["a"])
    made.lines(campaign / "topics" / "more.jsonl", [{"id": "t0", "target": "Another"}])
    with pytest.raises(FormatError, match="the topic appears twice"):
        nescio.campaign.pool(campaign)


@pytest.mark.parametrize("task", ["qa", "pan"])
def test_a_campaign_with_a_measure_of_no_single_topic_is_published(task: str, tmp_path: Path) -> None:
    """Pages then show accuracy by topic."""
    campaign = made.MAKE[task](tmp_path, **({"judge": "exact"} if task == "qa" else {}))
    measure = "pan.AUC" if task == "pan" else "AURC"
    made.edit(campaign / "campaign.toml", "measures = []", f'measures = ["{measure}"]')
    made.sound(task, tmp_path / "alpha" / "r")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.score(campaign, resamples=10)
    assert {row["measure"] for row in read(campaign / "results" / "topics.csv")} == {"accuracy"}
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).sound


def test_no_note_offers_an_option_that_campaigns_lack(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, judge="exact")
    made.take(campaign, {"alpha_a": ["N/A", *(f"thing {i}" for i in range(1, 6))]})
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_a", "accuracy") == pytest.approx(5 / 6)
    assert "--empty" not in " ".join(map(str, scores.notes))
    assert "empty=" not in " ".join(map(str, scores.notes))


def test_confidences_in_decisions_are_noted_at_intake_and_in_the_scores(tmp_path: Path) -> None:
    campaign = made.ave(tmp_path)
    lines = made.sound("ave", tmp_path / "alpha" / "one").read_text().splitlines()
    surer = "\n".join(line.replace("0.8", "0.1") for line in lines) + "\n"  # of rejected answers than of selected ones
    two = made.text(tmp_path / "alpha" / "two.txt", surer)
    assert [one.code for one in nescio.campaign.check(campaign, [two]).notes] == ["campaign.upside_down"]
    rows = {row.run: row for row in nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows}
    assert rows["alpha_one"].reasons == ()
    assert "REJECTED answers have higher confidences" in rows["alpha_two"].told
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert [one.subject for one in scores.notes if one.code == "campaign.upside_down"] == ["alpha_two"]


def test_answers_below_the_depth_of_the_pool_are_noted_if_a_measure_reads_them(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2, key=False)
    rows = [{"id": f"q{i}", "answer": f"{rank}", "rank": rank} for i in range(2) for rank in (1, 2, 3)]
    run = made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    made.edit(campaign / "campaign.toml", "depth = 1", "depth = 2")
    assert not nescio.campaign.check(campaign, [run]).notes
    made.edit(campaign / "campaign.toml", "measures = []", 'measures = ["accuracy", "MRR"]')
    (noted,) = nescio.campaign.check(campaign, [run]).notes
    assert (noted.code, noted["count"], noted["depth"], noted["deepest"]) == ("campaign.below_depth", 2, 2, 3)
    nescio.campaign.handout(campaign)
    assert "`rank` 2 and so on; an answer without it has rank 1. People judge the first 2." in (
        campaign / "handout" / "README.md"
    ).read_text(encoding="utf-8")
    (row,) = nescio.campaign.intake(campaign, [run.parent]).rows
    assert (
        "2 answers are below rank 2, the last that people judge, and MRR must have a verdict at every rank" in row.told
    )
    (topics,) = (campaign / "topics").iterdir()
    asked = [{"id": f"q{i}", "question": "Which?", "options": ["1", "2", "3"]} for i in range(2)]
    made.lines(topics, asked)  # the key judges every rank
    assert not [one for one in nescio.campaign.check(campaign, [run]).notes if one.code == "campaign.below_depth"]


def test_a_pool_of_less_depth_says_that_the_settings_left_answers_out(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2, key=False)
    made.edit(campaign / "campaign.toml", "depth = 1", "depth = 2")
    rows = [{"id": f"q{i}", "answer": f"{rank}", "rank": rank} for i in range(2) for rank in (1, 2)]
    made.take(campaign, {"alpha_a": rows})
    nescio.campaign.pool(campaign)
    made.edit(campaign / "campaign.toml", "depth = 2", "depth = 1")
    said = str(nescio.campaign.pool(campaign))
    assert (
        "left out 2 answers of an earlier pool, which no run that counts still gives with the present settings" in said
    )
