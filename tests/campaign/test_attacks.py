"""What somebody might try who wants to win, to peek, or to spoil a campaign: each is refused, or told."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.folder import contents, open_campaign
from nescio.campaigns.log import digest, read_log
from nescio.campaigns.receipts import taken_in
from nescio.campaigns.texts import encoding_fault

from . import made
from .test_intake import packed, told
from .test_judging import fill, rows_of, write_rows
from .test_score import judged_qa


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    campaign = judged_qa(tmp_path_factory.mktemp("first"))
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    return campaign


@pytest.fixture
def scored(first: Path, tmp_path: Path) -> Path:
    campaign = shutil.copytree(first.parent, tmp_path, dirs_exist_ok=True) / first.name
    assert nescio.campaign.status(campaign).after is None
    assert nescio.campaign.verify(campaign).sound
    return campaign


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def forge(campaign: Path) -> None:
    made.lines(campaign / "runs" / "beta" / "beta_b" / "2.jsonl", [{"id": f"q{i}", "answer": "a0"} for i in range(10)])


def cut(campaign: Path) -> None:
    path = campaign / "campaign.log"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))


TAMPERING: dict[str, tuple[Callable[[Path], None], str]] = {
    "a stored run": (lambda c: edited(c / "runs/beta/beta_b/1.jsonl", "b9", "b0"), "runs/beta/beta_b/1.jsonl"),
    "a forged run": (forge, "runs/beta/beta_b/2.jsonl: no line of the log names it"),
    "a receipt": (
        lambda c: edited(next((c / "receipts/beta").glob("*.json")), '"version": 1', '"version": 2'),
        "receipts/beta",
    ),
    "a table": (lambda c: edited(c / "results/tables/counts.csv", "0.52", "0.99"), "results/tables/counts.csv"),
    "the scores": (lambda c: edited(c / "results/data.json", '"correct"', '"incorrect"'), "results/data.json"),
    "a judgement": (lambda c: edited(c / "judgements/history.jsonl", '"after": "W"', '"after": "R"'), "history.jsonl"),
    "a line of the log": (lambda c: edited(c / "campaign.log", '"version": 1', '"version": 3'), "campaign.log, line"),
    "the end of the log": (cut, "lines are gone"),
    "the log": (lambda c: (c / "campaign.log").unlink(), "the log is gone"),
    "a page": (lambda c: edited(c / "site/index.html", ">0.52<", ">0.99<"), "site/index.html"),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_what_was_tampered_with_is_named_and_not_published(what: str, scored: Path) -> None:
    spoil, named = TAMPERING[what]
    spoil(scored)
    found = nescio.campaign.verify(scored)
    assert found.status == 2
    assert named in str(found)
    reached = nescio.campaign.status(scored)
    assert reached.after is not None
    if what != "a page":  # publishing writes it anew
        with pytest.raises(nescio.NescioError):
            nescio.campaign.publish(scored)


def test_a_stored_run_is_not_scored_under_the_receipt_of_another(scored: Path, tmp_path: Path) -> None:
    path = scored / "runs" / "beta" / "beta_b" / "1.jsonl"
    held = path.read_bytes()
    path.write_bytes(held.replace(b"b9", b"b0"))
    for repeat in (nescio.campaign.score, nescio.campaign.pool):
        with pytest.raises(nescio.MismatchError, match=r"1\.jsonl was changed since it came in"):
            repeat(scored)
    assert told(scored, tmp_path / "beta", received="2026-05-03")[0][0] == "refused"  # the original puts it back
    assert path.read_bytes() == held
    assert nescio.campaign.verify(scored).sound


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("measures = []", 'measures = ["accuracy"]', "measures in campaign.toml"),
        ('"Beta Institute"', '"Beta University"', "groups in campaign.toml"),
        ("blind = false", "blind = true", "blind in campaign.toml"),
        ('deadline = ""', 'deadline = "2026-06-01"', "topics and settings"),
    ],
)
def test_status_names_what_changed_and_publishing_waits_for_it(old: str, new: str, named: str, scored: Path) -> None:
    nescio.campaign.handout(scored)
    edited(scored / "campaign.toml", old, new)
    assert named in str(nescio.campaign.status(scored))
    assert nescio.campaign.status(scored).after is not None
    if "blind" not in new and "deadline" not in new:
        with pytest.raises(nescio.MismatchError, match=re.escape(named)):
            nescio.campaign.publish(scored)


def test_topics_that_changed_are_told_and_runs_that_no_longer_fit_are_named(scored: Path) -> None:
    path = scored / "topics" / "questions.jsonl"
    held = path.read_text()
    edited(path, "What is 3?", "What was 3?")
    assert "topics/questions.jsonl" in str(nescio.campaign.status(scored))
    path.write_text(held + '{"id": "q99", "question": "?"}\n')
    assert "now that the topics have changed" in str(nescio.campaign.verify(scored))
    assert nescio.campaign.status(scored).after.command == f"nescio campaign verify {scored}"  # type: ignore[union-attr]
    path.write_text(held)
    assert nescio.campaign.status(scored).after is None


def test_the_log_says_what_each_step_read_and_wrote(scored: Path) -> None:
    """By the digests of the bytes that are there; a step that is repeated adds no line."""
    nescio.campaign.handout(scored)
    nescio.campaign.sheets(scored, ["ana"])
    entries = read_log(open_campaign(scored))
    steps = {entry.step: entry for entry in entries}
    assert {*steps} == {"init", "handout", "intake", "pool", "sheets", "collect", "score", "publish"}
    for name in ("handout", "intake", "pool", "score"):
        assert steps[name].read["topics/questions.jsonl"] == digest(scored / "topics" / "questions.jsonl"), name
    assert "campaign.toml" in steps["intake"].read, "the rules that a run was held against"
    for entry in steps.values():
        assert entry.wrote, entry.step
    for name, held in {**steps["publish"].wrote, **steps["score"].wrote, **steps["sheets"].wrote}.items():
        assert digest(scored / name) == held
    nescio.campaign.handout(scored)
    nescio.campaign.sheets(scored, ["ana"])
    assert len(read_log(open_campaign(scored))) == len(entries)
    assert nescio.campaign.verify(scored).sound


def test_a_first_collect_that_was_killed_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the history and the log: status goes on, and the repeat completes it."""
    from nescio.campaigns import collecting

    campaign = made.qa(tmp_path, key=False)
    made.sound("qa", tmp_path / "alpha" / "a")
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    fill(campaign, lambda _who, _row: "R")
    with monkeypatch.context() as patch:
        patch.setattr(collecting, "record", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            nescio.campaign.collect(campaign, resamples=10)
    assert (campaign / "judgements" / "history.jsonl").exists()
    assert nescio.campaign.verify(campaign).sound
    assert nescio.campaign.status(campaign).after.name == "results"  # type: ignore[union-attr]
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert nescio.campaign.verify(campaign).sound


def test_a_replayed_delivery_changes_nothing(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "one")
    held = run.read_bytes()
    again = packed(tmp_path / "alpha" / "all.zip", {"one.jsonl": held})
    assert told(campaign, again.parent) == [("accepted", "")]
    for content in (held, b"\xef\xbb\xbf" + held, held.replace(b"\n", b"\r\n")):
        packed(again, {"one.jsonl": content})
        ((status, why),) = told(campaign, again.parent, received="2026-05-02T10:00:00")
        assert status == "refused"
        assert "already accepted" in why
    assert taken_in(open_campaign(campaign))[0].version == 1


def test_a_team_is_told_nothing_of_another(tmp_path: Path) -> None:
    """Whatever it hands in, no other group, and no run of one, stands in its receipts."""
    campaign = made.qa(tmp_path, runs=1)
    made.sound("qa", tmp_path / "alpha" / "secretive")
    made.sound("qa", tmp_path / "beta" / "mine")  # the same bytes
    made.lines(tmp_path / "beta" / "alpha_two.jsonl", [{"id": f"q{i}", "answer": "a"} for i in range(6)])
    made.lines(tmp_path / "beta" / "own.jsonl", [{"id": f"q{i}", "answer": "b"} for i in range(6)])
    made.lines(tmp_path / "beta" / "more.jsonl", [{"id": f"q{i}", "answer": "c"} for i in range(6)])
    rows = nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"]).rows
    assert "alpha submitted the same file" in " ".join(map(str, rows))  # the organisers are told
    text = (campaign / "receipts" / "beta" / "receipts.txt").read_text().replace("alpha_two", "")
    assert not [name for name in ("alpha", "gamma", "secretive", "Alpha", "Gamma") if name in text]
    assert "there is no group 'x'" in told(campaign, made.sound("qa", tmp_path / "x" / "r").parent)[0][1]
    strangers = (campaign / "receipts" / "x" / "receipts.txt").read_text()
    assert not [name for name in ("alpha", "beta", "gamma") if name in strangers]


def test_the_parent_of_group_folders_is_no_group(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "inbox" / "alpha" / "a")
    made.lines(tmp_path / "inbox" / "beta" / "b.jsonl", [{"id": f"q{i}", "answer": "b"} for i in range(6)])
    rows = nescio.campaign.intake(campaign, [tmp_path / "inbox"]).rows
    assert [(row.group, row.status) for row in rows] == [("alpha", "accepted"), ("beta", "accepted")]


# ---- blind ----


def blind_campaign(folder: Path, chance: random.Random) -> tuple[Path, list[str], dict[str, str]]:
    """A blind campaign of six runs whose scores tie, taken in in a random order; its runs as they came in, and by each
    answer to the last two questions the run that gave it."""
    names = [f"{group}_{n}" for group in made.GROUPS for n in "ab"]
    rows = [{"id": f"q{i}", "question": f"What is {i}?", "answers": [f"thing {i}"]} for i in range(3)]
    campaign = made.start(folder, "qa", [made.lines(folder / "q.jsonl", rows)], judge="exact")
    edited(campaign / "campaign.toml", "blind = false", "blind = true")
    gave: dict[str, str] = {}
    names = chance.sample(names, len(names))
    for name in names:
        group, _, run = name.partition("_")
        answers = [{"id": f"q{i}", "answer": "thing 0" if i == 0 else f"no {chance.random()}"} for i in range(3)]
        gave |= {row["answer"]: name for row in answers[1:]}
        made.lines(folder / "in" / group / f"{run}.jsonl", answers)
        nescio.campaign.intake(campaign, [folder / "in" / group / f"{run}.jsonl"], received="2026-05-01")
    return campaign, names, gave


def _digest_of(seed: str, name: str) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def orders(page: str) -> list[str]:
    """The runs of a page, in the order in which they stand in its first table with any."""
    return list(dict.fromkeys(re.findall(r"\brun \d\b", page)))


@pytest.mark.parametrize("campaigns", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_the_number_of_a_run_tells_nobody_whose_it_is(campaigns: int, tmp_path: Path) -> None:
    """An attacker who knows all names, and who came when, guesses by every order there is: of the names, of digests of
    them with whatever stands in the handout, of the intake; by the order of rows that tie; and on assessors' sheets by
    the order of rows and of ids. Of six runs chance names one."""
    hits: dict[str, int] = {}
    expected: dict[str, int] = {}
    guesses: dict[str, Callable[[str], str]] = {"name": str} | {
        f"sha256 of {seed!r}": partial(_digest_of, seed) for seed in ("0", "", "campaign")
    }

    def guess(by: str, tried: Sequence[str], truth: Sequence[str]) -> None:
        hits[by] = hits.get(by, 0) + sum(one == other for one, other in zip(tried, truth, strict=True))
        expected[by] = expected.get(by, 0) + 1

    for number in range(campaigns):
        folder = tmp_path / str(number)
        campaign, came, gave = blind_campaign(folder, random.Random(number))
        names = sorted(came)
        nescio.campaign.pool(campaign)
        nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
        nescio.campaign.handout(campaign)
        nescio.campaign.checker(campaign, folder / "checker.zip")
        nescio.campaign.export(campaign, campaign / "handout" / "bundle.zip", codabench=True)
        nescio.campaign.score(campaign, ci=None, resamples=10)
        nescio.campaign.publish(campaign)
        index = (campaign / "site" / "index.html").read_text()
        public = b"".join(held for name, held in contents(campaign).items() if name.startswith(("site/", "handout/")))
        secret = (campaign / "campaign.secret").read_bytes()
        assert secret not in public
        assert not [name for name in (*names, *made.GROUPS.values(), "ana", "ben") if _named(name, public)]
        truth: dict[str, str] = {}
        for group in made.GROUPS:
            own = (campaign / "returns" / group / "index.html").read_text()
            said = re.findall(r"<h2><bdi>(\w+)</bdi>.*?On the public pages it is (run \d)", own, re.DOTALL)
            truth |= {run: name for name, run in said}
        assert sorted(truth.values()) == names
        numbered = [truth[f"run {n}"] for n in range(1, len(names) + 1)]
        orders_of = {by: sorted(names, key=key) for by, key in guesses.items()} | {"intake": came}
        for by, order in orders_of.items():
            guess(f"number by {by}", order, numbered)
        for who in ("ana", "ben"):
            sheet = (campaign / "sheets" / f"{who}.csv").read_bytes()
            assert not [name for name in (*names, *made.GROUPS) if _named(name, sheet)]
            for question in ("q1", "q2"):
                rows = [row for row in rows_of(campaign / "sheets" / f"{who}.csv") if row["question_id"] == question]
                for by, order in orders_of.items():
                    guess(f"row by {by}", order, [gave[row["answer"]] for row in rows])
                    by_id = sorted(rows, key=lambda row: row["item"])
                    guess(f"id by {by}", order, [gave[row["answer"]] for row in by_id])
        assert orders(index) == sorted(orders(index)), "runs that tie stand by their numbers"
        shutil.rmtree(folder)
    for by, count in hits.items():  # one hit is expected of a random order, with variance 1
        assert abs(count - expected[by]) < 4 * expected[by] ** 0.5, (by, count, expected[by])


def _named(name: str, content: bytes) -> bool:
    """Whether a name stands there as a word."""
    return re.search(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", content) is not None


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "\t=1+1", '=HYPERLINK("http://x")']


def test_no_table_of_a_campaign_holds_a_formula(tmp_path: Path) -> None:
    """Whatever teams answer and assessors comment, no cell of any CSV is what a spreadsheet would run."""
    groups = ["alpha==SUM(A1)", "beta=@Beta"]
    campaign = made.qa(tmp_path, len(FORMULAS), judge="exact", groups=groups)
    made.lines(tmp_path / "alpha" / "a.jsonl", [{"id": f"q{i}", "answer": f} for i, f in enumerate(FORMULAS)])
    made.sound("qa", tmp_path / "beta" / "b")
    assert not nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"]).refused
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    for path in (campaign / "sheets").glob("*.csv"):
        rows = rows_of(path)
        verdict = ["R", "W"][path.stem == "ben"]
        write_rows(path, [{**row, "verdict": verdict, "comment": f"'{FORMULAS[0]}"} for row in rows])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, adjudicate=True)
    fill(campaign, lambda who, row: "W" if who == "adjudication" else row["verdict"])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    tables = sorted(campaign.rglob("*.csv"))
    assert {path.parent.name for path in tables} >= {"sheets", "results", "tables", "alpha", "beta"}
    for path in tables:
        for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()):
            for cell in row:
                bare = cell.strip()
                assert not bare.startswith(("=", "+", "@", "-")) or _is_number(bare), (path, cell)
    held = [row["answer"] for row in rows_of(campaign / "returns" / "alpha" / "alpha_a.csv")]
    assert held[:4] == [f"'{formula}" for formula in FORMULAS[:4]]
    assert not (campaign / "site" / "returns").exists()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text == "-"
    return True


# ---- what teams send ----


@pytest.mark.parametrize(
    ("encoding", "text", "named"),
    [
        ("cp1250", "příliš žluťoučký kůň úpěl ďábelské ódy", "Windows-1250"),
        ("cp1250", "zażółć gęślą jaźń", "Windows-1250"),
        ("cp1252", "où était l’été à la façade", "Windows-1252"),
        ("cp1251", "где находится город", "Windows-1251"),
        ("utf-16", "anything", "UTF-16"),
        ("utf-32", "anything", "UTF-32"),
        ("utf-16-le", "anything at all", "UTF-16"),
    ],
)
def test_the_encoding_of_a_file_is_named_and_other_files_are_taken(
    encoding: str, text: str, named: str, tmp_path: Path
) -> None:
    campaign = made.qa(tmp_path)
    assert named in str(encoding_fault(text.encode(encoding)))
    folder = made.sound("qa", tmp_path / "alpha" / "sound").parent
    rows = "".join(json.dumps({"id": f"q{i}", "answer": text}, ensure_ascii=False) + "\n" for i in range(6))
    (folder / "odd.jsonl").write_bytes(rows.encode(encoding))
    found = nescio.campaign.intake(campaign, [folder]).rows
    assert [row.status for row in found] == ["refused", "accepted"]
    assert named in str(found[0])


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("a\0b", "a NUL character"),
        ("a\x1b[31mb", "a control character"),
        ("a\u202egnp.exe", "turns its direction"),
        ("x" * 10_001, "at most 10,000"),
        ("half \ud800 a character", "pair"),
    ],
)
def test_texts_that_would_spoil_sheets_and_pages_are_refused(answer: str, named: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    rows = [{"id": f"q{i}", "answer": answer if i == 2 else "a"} for i in range(6)]
    path = tmp_path / "alpha" / "r.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    checked = nescio.campaign.check(campaign, [path])
    assert named in str(checked)
    assert told(campaign, path.parent)[0][0] == "refused"


def test_an_answer_of_30_mb_holds_nobody_up(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    rows = [{"id": f"q{i}", "answer": "i do not know " * 2_200_000 if i == 0 else "a"} for i in range(6)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    begun = time.perf_counter()
    assert told(campaign, tmp_path / "alpha")[0][0] == "refused"
    assert time.perf_counter() - begun < 20


def test_marks_of_direction_that_a_script_needs_are_taken(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": "\u200fשלום\u200e"} for i in range(6)])
    assert told(campaign, tmp_path / "alpha") == [("accepted", "")]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"id": "Q2", "answer": "a"}, "there is q2, and case matters"),
        ({"id": "q2", "answer": "a", "confidence": 1.5}, "must be from 0 to 1"),
        ({"id": "q2", "answer": "a", "confidence": -0.1}, "must be from 0 to 1"),
    ],
)
def test_what_a_team_can_mend_is_said_so_that_it_can(row: dict[str, object], named: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    rows = [row if i == 2 else {"id": f"q{i}", "answer": "a"} for i in range(6)]
    assert named in str(nescio.campaign.check(campaign, [made.lines(tmp_path / "r.jsonl", rows)]))


def test_what_intake_takes_check_takes_from_the_same_archive(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    held = made.sound("qa", tmp_path / "one").read_bytes()
    good = packed(tmp_path / "alpha" / "all.zip", {"runs/one.jsonl": held})
    assert nescio.campaign.check(campaign, [good]).sound
    bad = packed(tmp_path / "bad.zip", {"../one.jsonl": held})
    assert "outside the archive" in str(nescio.campaign.check(campaign, [bad]))
    faulty = packed(tmp_path / "faulty.zip", {"one.jsonl": held.replace(b"q1", b"q7")})
    assert not nescio.campaign.check(campaign, [faulty]).sound
    assert told(campaign, good.parent) == [("accepted", "")]


OPTIONS = ["red", "green", "blue", "black", "white"]


def chosen(folder: Path, answers: list[str], settings: str = "options_from = -1") -> tuple[Path, Path]:
    rows = [{"id": f"q{i}", "question": "?", "options": OPTIONS, "answers": [OPTIONS[i]]} for i in range(5)]
    campaign = made.start(folder, "qa", [made.lines(folder / "q.jsonl", rows)])
    edited(campaign / "campaign.toml", "options_from = -1", settings)
    lines = [{"id": f"q{i}", "answer": a} for i, a in enumerate(answers)]
    return campaign, made.lines(folder / "alpha" / "r.jsonl", lines)


def test_a_number_names_an_option_only_where_the_campaign_says_from_which_it_counts(tmp_path: Path) -> None:
    """QA4MRE's own answer ids count from 1: as indices from 0 they would be wrong of every question."""
    campaign, run = chosen(tmp_path / "a", list("12345"))
    assert "may count from 0 or from 1" in str(nescio.campaign.check(campaign, [run]))
    nescio.campaign.handout(campaign)
    assert "by a letter from A to E" in (campaign / "handout" / "README.md").read_text()
    for first, answers in ((1, "12345"), (0, "01234")):
        campaign, run = chosen(tmp_path / f"b{first}", list(answers), f"options_from = {first}")
        assert told(campaign, run.parent) == [("accepted", "")]
        (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
        assert scores.value("alpha_r", "accuracy") == 1
    campaign, run = chosen(tmp_path / "c", ["1", "2", "3", "4", "6"], "options_from = 1")
    assert "count from 1 to 5" in str(nescio.campaign.check(campaign, [run]))


def test_a_number_that_is_the_text_of_one_option_and_the_number_of_another_is_asked_about(tmp_path: Path) -> None:
    """Options 3, 1, 2 count from 1: "3" is the first by its text and the last by its number, "2" the last and the
    middle one; "1" is the middle one and the first."""
    rows = [{"id": f"q{i}", "question": "How many?", "options": ["3", "1", "2"], "answers": ["3"]} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    edited(campaign / "campaign.toml", "options_from = -1", "options_from = 1")
    run = made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": "3"} for i in range(3)])
    checked = nescio.campaign.check(campaign, [run])
    assert [fault.rule.rpartition(" ")[2] for fault in checked.rows] == ["A"] * 3
    assert "could be the number of another" in str(checked)
    made.lines(run, [{"id": f"q{i}", "answer": "A"} for i in range(3)])
    assert nescio.campaign.check(campaign, [run]).sound


@pytest.mark.parametrize("disguise", ["text", "letter", "from 0", "from 1"])
@pytest.mark.parametrize("name", ["target", "hint", "x"])
def test_a_column_that_tells_the_key_does_not_go_to_teams(name: str, disguise: str, tmp_path: Path) -> None:
    values = {"text": OPTIONS, "letter": list("ABCDE"), "from 0": list("01234"), "from 1": list("12345")}[disguise]
    rows = [
        {
            "id": f"q{i}",
            "question": "?",
            "options": OPTIONS,
            "answers": [OPTIONS[i % 5]],
            "topic": "t",
            name: values[i % 5],
        }
        for i in range(10)
    ]
    files = [made.lines(tmp_path / "q.jsonl", rows)]
    with pytest.raises(nescio.MismatchError, match=f"column '{name}' would go to the teams"):
        made.start(tmp_path, "qa", files)
    campaign = made.start(tmp_path, "qa", files, show=[name])
    assert f'"{name}"' in (campaign / "topics" / "questions.jsonl").read_text()


# ---- assessors ----


def test_a_copy_of_an_assessors_sheet_is_not_anothers(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 30)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"q{i}", "answer": f"a{i}"} for i in range(30)])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda _who, row: "R" if int(row["question_id"][1:]) % 3 else "W")
    shutil.copy(campaign / "sheets" / "ana.csv", campaign / "sheets" / "ben.csv")
    collected = nescio.campaign.collect(campaign, resamples=10)
    assert [fault.rule for fault in collected.rows] == ["this is a copy of the sheet of ana"]
    back = tmp_path / "back" / "ben.csv"  # the same, with other bytes
    made.text(back, (campaign / "sheets" / "ana.csv").read_text(encoding="utf-8-sig") + "\n")
    assert "copy of the sheet of ana" in str(nescio.campaign.collect(campaign, [back], resamples=10))
    honest = sorted(rows_of(campaign / "sheets" / "ana.csv"), key=lambda row: row["item"])
    write_rows(back, honest)  # sorted, so that only the verdicts tell
    assert "is one a copy?" in " ".join(map(str, nescio.campaign.collect(campaign, [back], resamples=10).notes))


def test_a_group_that_the_settings_no_longer_name_does_not_count(scored: Path) -> None:
    edited(scored / "campaign.toml", '"beta" = "Beta Institute"\n', "")
    assert "those of beta do not count" in str(nescio.campaign.status(scored))
    with pytest.raises(nescio.MismatchError, match="older than"):
        nescio.campaign.publish(scored)
    nescio.campaign.pool(scored)
    nescio.campaign.score(scored, resamples=10)
    nescio.campaign.publish(scored)
    assert "beta" not in "".join(page.read_text() for page in (scored / "site").rglob("*.html"))


def test_withdrawn_disqualified_and_extended(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    late = "2026-05-03"
    assert "after the deadline" in told(campaign, folder, received=late)[0][1]
    nescio.campaign.extend(campaign, "alpha", until="2026-05-04", reason="power cut")
    assert "2026-05-01 23:59 UTC, of alpha 2026-05-04 23:59 UTC" in str(nescio.campaign.status(campaign))
    assert told(campaign, folder, received=late + "T12:00:00") == [("accepted", "")]
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="asked for by mail")
    assert taken_in(open_campaign(campaign)) == []
    assert told(campaign, folder, received=late + "T13:00:00") == [("accepted", "")]  # which counts again
    assert taken_in(open_campaign(campaign))[0].version == 2
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    assert taken_in(open_campaign(campaign)) == []
    assert "disqualified: trained on the topics" in told(campaign, folder, received=late + "T14:00:00")[0][1]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="it was not", lift=True)
    assert taken_in(open_campaign(campaign))[0].version == 2
    with pytest.raises(nescio.UsageError, match="say why"):
        nescio.campaign.withdraw(campaign, ["alpha_one"], reason=" ")
    with pytest.raises(nescio.UsageError, match="there is no 'beta_x'"):
        nescio.campaign.withdraw(campaign, ["beta_x"], reason="because")
    assert nescio.campaign.verify(campaign).sound


def test_judgements_outlive_the_run_that_gave_the_answer(scored: Path, tmp_path: Path) -> None:
    """A run replaced after the sheets were written: complete sheets are taken, and status goes on to the end."""
    made.lines(tmp_path / "beta" / "b.jsonl", [{"id": f"q{i}", "answer": f"new {i}"} for i in range(10)])
    assert told(scored, tmp_path / "beta", received="2026-05-02") == [("accepted", "")]
    assert nescio.campaign.pool(scored).gone == 10
    back = nescio.campaign.collect(scored, resamples=10)  # ana's old, complete sheet
    assert back.sound
    assert "that nobody was asked about" in str(nescio.campaign.status(scored))
    assert nescio.campaign.sheets(scored, ["ana"]).sheets[0].answers == 10
    fill(scored, lambda _who, _row: "R")
    nescio.campaign.collect(scored, resamples=10)
    scores = nescio.campaign.score(scored, resamples=10).scores[""]
    assert scores.value("beta_b", "accuracy") == 1
    assert scores.value("alpha_a", "c@1") == pytest.approx(0.52)
    nescio.campaign.publish(scored)
    assert nescio.campaign.status(scored).after is None


def test_a_dropped_topic_counts_nowhere_and_old_runs_stay(scored: Path) -> None:
    edited(scored / "campaign.toml", "dropped = []", 'dropped = ["q8", "q9"]')
    nescio.campaign.pool(scored)
    scores = nescio.campaign.score(scored, resamples=10).scores[""]
    assert scores.value("beta_b", "accuracy") == pytest.approx(5 / 8)
    nescio.campaign.publish(scored)
    counts = (scored / "results" / "tables" / "counts.csv").read_text().splitlines()
    assert "Beta Institute,b,0.63,5,3,0,0,0,0,0.63,0.63" in counts
