"""What a page shows of people's files: question, gold answer, answer, confidence and reason, wherever a file has them;
and its outcomes, decisions, labels and scores, unpacked as its scripts do."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.evidence import Evidence
from nescio.pipeline import Loaded, Options, load, read_collection
from nescio.reporting.page import page
from nescio.reporting.page.browser import browser, certainties, seen_by
from nescio.reporting.page.graded import graded_scores
from nescio.reporting.page.question_texts import texts_of
from nescio.reporting.page.report_data import gather
from tests.reporting.files import EXAMPLES, ROOT, SHARED, embedded, inflated, make, marks, written

READING: dict[str, Any] = {"missing": "common", "ungraded": "exclude", "missing_confidence": "exclude"}
# Files that are read together, how, the parts that a page has of them (question, gold, answer, confidence, reason; "-"
# where they hold no answers to questions), and the beginning of a question, of its gold answer and of an answer.
with Path(__file__).with_name("logs.csv").open(newline="", encoding="utf-8") as table:
    LOGS = list(csv.DictReader(table))
LARGE = ("pan", "mmlu_pro hf", "mmlu_pro mathstral", "mmlu_pro outcomes", "simpleqa", "squad2 odds")


def files_of(log: dict[str, str]) -> list[Path]:
    return [
        path
        for pattern in log["files"].split()
        for path in sorted(ROOT.glob(pattern) if pattern.startswith("examples") else SHARED.glob(pattern))
    ]


def parts(loaded: Loaded) -> str:
    """The first letters of the parts that some answer has in the page."""
    words = texts_of(loaded)
    has: set[str] = set()
    for question, gold in words.asked.values() if words else ():
        has |= {name for name, text in (("q", question), ("g", gold)) if text}
    for said in words.said.values() if words else ():
        for one in said.values():
            has |= {name for name, text in (("a", one.answer), ("r", one.reason)) if text}
    sure = certainties(loaded.data) if isinstance(loaded.data, Evidence) else None
    has |= {"c"} if sure is not None and np.isfinite(sure).any() else set()
    return "".join(part for part in "qgacr" if part in has)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(log, id=log["name"], marks=[pytest.mark.proof] * (log["name"] in LARGE))
        for log in LOGS
        if log["parts"] != "-"
    ],
)
def test_what_a_file_holds_is_shown(log: dict[str, str]) -> None:
    files = files_of(log)
    if not files:
        pytest.skip("../shared/data is not here")
    loaded = load(files, Options(texts=True, **{**READING, **json.loads(log["reading"] or "{}")}))
    assert parts(loaded) == log["parts"]
    words = texts_of(loaded)
    if words:
        assert any(log["question"] in asked and log["gold"] in gold for asked, gold in words.asked.values())
        first = next(iter(words.said.values()))
        assert any(log["answer"] in one.answer for one in first.values())
    browsing, _ = browser(seen_by(gather(loaded, ci=None, resamples=100)), words)
    assert browsing is not None
    assert (browsing.texts is not None) == bool({*log["parts"]} - {"c"})


def test_every_file_of_shared_data_is_among_them() -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared/data is not here")
    files = {path for path in SHARED.rglob("*") if path.is_file()}
    for log in LOGS:
        taken = [file for path in files_of(log) for file in ([path] if path.is_file() else path.rglob("*"))]
        assert taken, f"{log['files']} is nowhere"
        files -= {*taken}
    assert files == set()


@pytest.mark.parametrize("names", [["mctest/mc160.dev.tsv", "mctest/mc160.dev.ans"], ["qa4mre/QA4MRE-2012-EN_GS.xml"]])
def test_collections_have_their_options_beside_a_run(names: list[str], tmp_path: Path) -> None:
    files = [SHARED / name for name in names]
    if not files[0].is_file():
        pytest.skip("../shared/data is not here")
    questions = read_collection(files)[0].questions
    rows = [
        {"id": one.id, "answer": one.options[i % len(one.options)] if i % 7 else None, "confidence": (i % 10) / 10}
        for i, one in enumerate(questions)
    ]
    run = tmp_path / "mine.jsonl"
    run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = load([*files, run], Options(texts=True, **READING))
    assert parts(loaded) == "qgac"
    words = texts_of(loaded)
    assert words is not None
    for row, one in zip(rows, questions, strict=True):
        asked, gold = words.asked[one.id, None]
        assert one.text in asked
        assert all(option in asked for option in one.options)
        assert gold == " | ".join(one.answers)
        if row["answer"] is not None:
            assert words.said["mine"][one.id, None].answer == row["answer"]


# Figure 3 of the AVE 2008 overview, shortened: what a validator was shown of each answer, and what it decided.
AVE = """<ave><q id="116" lang="EN"><q_str>What is Zanussi?</q_str>
<a id="116_1" value="VALIDATED"><a_str>an Italian producer</a_str><t_str doc="d">Zanussi was an Italian producer.</t_str></a>
<a id="116_2" value="REJECTED"><a_str>in Cassibile</a_str><t_str doc="e">Only after the signing</t_str></a>
<a id="116_4" value="UNKNOWN"><a_str>3</a_str><t_str doc="f">(1985) 3 Out of 5 Live</t_str></a></q></ave>"""


def test_a_validators_decisions_or_its_selection_stand_beside_the_texts(tmp_path: Path) -> None:
    """A run that selects the second answer, and one that selects none; the unknown answer counts nowhere."""
    collection = written(tmp_path / "collection.xml", AVE, [])
    picks = written(tmp_path / "picks.txt", "116 116_1 REJECTED", ["116 116_2 SELECTED", "116 116_4 REJECTED"])
    none = written(tmp_path / "no.txt", "116 116_1 REJECTED", [])
    words = texts_of(loaded := load([collection, picks, none], Options(texts=True)))
    assert words is not None
    assert isinstance(loaded.data, Evidence)
    assert {*loaded.data.questions} < {name for name, _ in words.asked}
    assert words.asked["116", None] == ("What is Zanussi?", "")
    shown = "What is Zanussi?\n\nAnswer: in Cassibile\n\nText: Only after the signing"
    assert words.asked["116 116_2", None] == (shown, "REJECTED")
    assert words.asked["116 116_4", None][1] == "UNKNOWN"
    decided = {"116 116_1": "REJECTED", "116 116_2": "SELECTED", "116 116_4": "REJECTED"}
    assert {name: one.answer for (name, _), one in words.said["picks"].items()} == decided
    page = make(tmp_path / "page.html", collection, picks, none)
    # 3 is a right answer that was rejected, 2 a wrong one that was accepted, and 4 a wrong one that was rejected.
    assert embedded(page)["browser"]["runs"] == ["picks", "no"]
    assert marks(page) == {"116 116_1": [3, 3], "116 116_2": [2, 4]}
    assert embedded(page)["browser"]["words"][1:5] == [
        "right, accepted",
        "wrong, accepted",
        "right, rejected",
        "wrong, rejected",
    ]
    words = texts_of(load([collection, picks, none], Options(texts=True, choose={"view": "selection"})))
    assert words is not None
    assert words.asked == {("116", None): ("What is Zanussi?", "an Italian producer")}
    selected = words.said["picks"]["116", None]
    assert (selected.answer, selected.reason) == ("in Cassibile", "Only after the signing")
    assert words.said["no"]["116", None].answer == ""


def test_texts_are_not_read_where_nobody_looks_at_them() -> None:
    assert load([EXAMPLES / "log.eval"], Options()).in_words is None


def test_outcomes_candidates_confidences_and_labels_are_in_the_page(tmp_path: Path) -> None:
    """0 is what a run lacks, 1 right, 2 wrong, 3 unanswered, 4 rightly silent, 5 not graded."""
    rows = [
        *("a,q1,correct,true,,0.5,x", "a,q2,unanswered,false,,,x", "a,q3,unanswered,true,correct,0.25,y"),
        *("b,q1,,true,,0.75,x", "b,q2,incorrect,false,,1,x", "b,q3,unanswered,true,incorrect,0.125,y"),
        *("a,q4,correct,true,,0,y", "b,q4,incorrect,true,,0,y"),
    ]
    head = "run,question,outcome,answerable,candidate,confidence,cluster"
    table = written(tmp_path / "table.csv", head, rows)
    labels = written(tmp_path / "people.csv", "run,question,verdict", ["a,q1,R", "b,q4,R", "b,q2,W"])
    options = ("--ungraded", "exclude", "--missing-confidence", "exclude", "--labels", labels)
    page = make(tmp_path / "page.html", table, *options)
    held = embedded(page)["browser"]
    assert held["runs"] == ["a", "b"]
    assert marks(page) == {"q1": [1, 5], "q2": [4, 2], "q3": [3, 3], "q4": [1, 2]}
    assert marks(page, "candidates") == {"q1": [0, 0], "q2": [0, 0], "q3": [1, 2], "q4": [0, 0]}
    assert marks(page, "people") == {"q1": [1, 0], "q2": [0, 2], "q3": [0, 0], "q4": [0, 1]}
    sure = struct.unpack("<8f", inflated(held["confidence"]))
    assert sure == pytest.approx((0.5, np.nan, 0.25, 0, 0.75, 1, 0.125, 0), nan_ok=True)
    assert held["clusters"] == [0, 0, 1, 1]
    assert held["level"] == 0.95
    assert held["z"] == pytest.approx(1.959963984540054)
    lacking = written(
        tmp_path / "lacking.csv",
        "run,question,outcome",
        ["a,q1,correct", "b,q2,incorrect", *(f"{run},q3,correct" for run in "ab")],
    )
    assert marks(make(tmp_path / "p.html", lacking, "--missing", "unanswered")) == {
        "q1": [1, 3],
        "q2": [3, 2],
        "q3": [1, 1],
    }


def test_strata_are_filters_or_texts_and_repeats_are_rows(tmp_path: Path) -> None:
    rows = [f"a,q{i // 2},{i % 2},correct,{'xy'[i // 2]},one" for i in range(4)]
    page = make(tmp_path / "page.html", written(tmp_path / "t.csv", "run,question,repeat,outcome,kind,same", rows))
    held = embedded(page)["browser"]
    assert held["repeats"] == [0, 0, 1, 1]
    assert list(marks(page)) == ["q0 · 0", "q0 · 1", "q1 · 0", "q1 · 1"]
    assert json.loads(inflated(held["ids"])) == ["q0", "q0", "q1", "q1"]
    facets = {one["name"]: (one["values"], list(inflated(one["codes"]))) for one in held["facets"]}
    # A stratum with one value is no filter.
    assert facets == {"repeat": (["0", "1"], [0, 1, 0, 1]), "kind": (["x", "y"], [0, 0, 1, 1])}
    many = written(tmp_path / "m.csv", "run,question,outcome,story", [f"a,q{i},correct,story {i}" for i in range(61)])
    held = embedded(make(tmp_path / "many.html", many))["browser"]
    assert held["facets"] == []
    assert (held["further"][0]["name"], held["further"][0]["texts"][60]) == ("story", "story 60")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["ap.csv"], ["mean(ap)"]),
        (["key.txt", "runs/first.txt", "assessor.txt"], ["nuggets.F", "nuggets.NR", "nuggets.NP"]),
        (["developset", "student-run.response"], ["read.recall", "read.precision", "read.AutSent"]),
        (["outcomes.csv"], []),  # of outcomes the marks say it all
    ],
)
def test_scores_are_of_measures_that_are_means_of_questions(files: list[str], expected: list[str]) -> None:
    loaded = load([EXAMPLES / name for name in files], Options(texts=True))
    report = gather(loaded, ci=None)
    assert '<h1 id="sentence">' in page(report)
    scores, notes = graded_scores(loaded, report.runs, report.measures)
    assert (list(scores), notes) == (expected, ())
    for name, values in scores.items():
        means = nescio.score(loaded, name, ci=None)
        for run, own in zip(report.runs, values, strict=True):
            assert np.nanmean(own) == pytest.approx(means.value(run, name), abs=1e-6)


def test_graded_scores_of_a_file_are_in_the_page(tmp_path: Path) -> None:
    with (EXAMPLES / "ap.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    held = embedded(make(tmp_path / "page.html", EXAMPLES / "ap.csv"))["browser"]
    (graded,) = held["graded"]
    values = struct.unpack(f"<{3 * len(rows)}f", inflated(graded["values"]))
    assert values == pytest.approx([float(row[run]) for run in held["runs"] for row in rows], abs=1e-6)
    assert held["words"][5:] == ["no score", "scored"]
