"""What somebody might try who wants to win, to peek, or to spoil a campaign: each is refused, or told."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import nescio
from nescio.people.campaigns import chain, handing_out
from nescio.people.campaigns.folder import contents, open_campaign
from nescio.people.campaigns.log import digest, read_log
from nescio.people.campaigns.retyped import guarded, unguarded
from nescio.sources.writing import draft_of
from tests.rings import SEED, many

from . import made
from .made import edit, rows_of, write_rows
from .test_intake import told

# ---- looking ----

PUBLIC = {"topics", "handout", "site"}


def test_others_on_the_machine_open_only_what_is_public(tmp_path: Path) -> None:
    """By the folders, whatever the mode of a file in them; a mode that the organisers gave stays."""
    campaign = made.pooled(tmp_path / "new", {"alpha_a": ["a0"], "beta_b": ["b0"]}, ["ana"])
    made.judge(campaign)
    for _ in range(2):
        nescio.campaign.score(campaign, resamples=10)
        nescio.campaign.publish(campaign)
        folders = {path.name: path.stat().st_mode & 0o777 for path in campaign.iterdir() if path.is_dir()}
        private = {name: mode for name, mode in folders.items() if name not in PUBLIC}
        assert private == dict.fromkeys(
            ("judgements", "pool", "receipts", "results", "returns", "runs", "sheets"), 0o700
        )
        assert folders["site"] == folders["topics"] == 0o755
    (campaign / "results").chmod(0o750)
    nescio.campaign.score(campaign, resamples=10)
    assert (campaign / "results").stat().st_mode & 0o777 == 0o750


# ---- tampering ----


def forge(campaign: Path) -> None:
    made.lines(campaign / "runs" / "beta" / "beta_b" / "2.jsonl", [{"id": f"q{i}", "answer": "a0"} for i in range(10)])


def cut(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))


TAMPERING: dict[str, tuple[Callable[[Path], None], str]] = {
    "a stored run": (lambda c: edit(c / "runs/beta/beta_b/1.jsonl", "b9", "b0"), "runs/beta/beta_b/1.jsonl"),
    "a forged run": (forge, "runs/beta/beta_b/2.jsonl: no line of the log mentions this file"),
    "a receipt": (
        lambda c: edit(next((c / "receipts/beta").glob("*.json")), '"version": 1', '"version": 2'),
        "receipts/beta",
    ),
    "a table": (lambda c: edit(c / "results/tables/counts.csv", "0.52", "0.99"), "results/tables/counts.csv"),
    "the scores": (lambda c: edit(c / "results/data.json", '"correct"', '"incorrect"'), "results/data.json"),
    "a judgement": (lambda c: edit(c / "judgements/history.jsonl", '"after": "W"', '"after": "R"'), "history.jsonl"),
    "a line of the log": (lambda c: edit(c / "campaign.log", '"version": 1', '"version": 3'), "campaign.log, line"),
    "the end of the log": (lambda c: cut(c / "campaign.log"), "lines were removed"),
    "the last judgements": (
        lambda c: cut(c / "judgements/history.jsonl"),
        "history.jsonl: lines of the collected judgements are missing",
    ),
    "a table that is gone": (lambda c: (c / "results/tables/counts.csv").unlink(), "results/tables/counts.csv"),
    "the log": (lambda c: (c / "campaign.log").unlink(), "the log is missing"),
    "a page": (lambda c: edit(c / "site/index.html", ">0.52<", ">0.99<"), "site/index.html"),
}


def test_verifying_says_how_far_it_is(scored: Path) -> None:
    said: list[tuple[int, int]] = []
    assert nescio.campaign.verify(scored, progress=lambda done, of: said.append((done, of))).sound
    assert said
    assert all(0 < done <= of for done, of in said)


@pytest.mark.parametrize("what", TAMPERING)
def test_what_was_tampered_with_is_named_and_not_published(what: str, scored: Path) -> None:
    spoil, name = TAMPERING[what]
    spoil(scored)
    found = nescio.campaign.verify(scored)
    assert found.status == 2
    assert name in str(found)
    assert nescio.campaign.status(scored).after is not None
    if what != "a page":  # publishing writes it anew
        with pytest.raises(nescio.NescioError):
            nescio.campaign.publish(scored)


def test_a_stored_run_is_not_scored_under_the_receipt_of_another(scored: Path, tmp_path: Path) -> None:
    path = scored / "runs" / "beta" / "beta_b" / "1.jsonl"
    held = path.read_bytes()
    path.write_bytes(held.replace(b"b9", b"b0"))
    for repeat in (nescio.campaign.score, nescio.campaign.pool):
        with pytest.raises(nescio.MismatchError, match=r"1\.jsonl was changed after it was accepted"):
            repeat(scored)
    assert told(scored, tmp_path / "beta", received="2026-05-03")[0][0] == "refused"  # the original puts it back
    assert path.read_bytes() == held
    assert nescio.campaign.verify(scored).sound


CHANGES = [
    ("measures = []", 'measures = ["accuracy"]', "measures in campaign.toml", True),
    ('"Beta Institute"', '"Beta University"', "groups in campaign.toml", True),
    ("blind = false", "blind = true", "blind in campaign.toml", False),
    ('deadline = ""', 'deadline = "2026-06-01"', "outdated, because topics or settings changed", False),
]


@pytest.mark.parametrize(("old", "new", "name", "waits"), CHANGES)
def test_status_names_what_changed_and_publishing_waits_for_it(
    old: str, new: str, name: str, waits: bool, scored: Path
) -> None:
    nescio.campaign.handout(scored)
    edit(scored / "campaign.toml", old, new)
    assert name in str(nescio.campaign.status(scored))
    assert nescio.campaign.status(scored).after is not None
    if waits:
        with pytest.raises(nescio.MismatchError, match=re.escape(name)):
            nescio.campaign.publish(scored)


def test_files_for_teams_of_another_version_of_nescio_are_not_outdated(
    scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = nescio.campaign.handout(scored).path / "README.md"
    monkeypatch.setattr(handing_out, "_readme", lambda _: "as another version writes it")
    assert "done  handout     the files for teams" in str(nescio.campaign.status(scored))
    readme.write_text("as somebody wrote it", encoding="utf-8")
    assert "open  handout     changed later" in str(nescio.campaign.status(scored))


def test_a_key_that_changes_while_runs_are_scored_is_newer_than_the_scores(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, judge="exact")
    made.take(campaign, {"alpha_a": ["thing 0"] * 6, "beta_b": ["thing 9"] * 6})
    (key,) = (campaign / "key").iterdir()
    before = key.read_bytes()

    def correct(*_: object) -> None:
        key.write_bytes(before.replace(b"thing 0", b"thing 9"))

    nescio.campaign.score(campaign, resamples=10, progress=correct)
    assert key.read_bytes() != before
    with pytest.raises(nescio.MismatchError, match="the results are older than key/"):
        nescio.campaign.publish(campaign)
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)


def test_all_faults_that_changed_topics_make_in_a_run_are_counted(tmp_path: Path) -> None:
    """Each of 60 lines has an unknown id, and the file lacks an answer to each topic, which is one fault more."""
    campaign = made.qa(tmp_path, 60)
    made.take(campaign, {"alpha_a": [f"thing {i}" for i in range(60)]})
    edit(campaign / "topics" / "questions.jsonl", '"id": "q', '"id": "z')
    assert "the changed topics make 61 faults in this run" in str(nescio.campaign.verify(campaign))


def test_topics_that_changed_are_told_and_runs_that_no_longer_fit_are_named(scored: Path) -> None:
    path = scored / "topics" / "questions.jsonl"
    held = path.read_text()
    edit(path, "What is 3?", "What was 3?")
    assert "topics/questions.jsonl" in str(nescio.campaign.status(scored))
    path.write_text(held + '{"id": "q99", "question": "?"}\n')
    assert "the changed topics make" in str(nescio.campaign.verify(scored))
    assert nescio.campaign.status(scored).after.command == f"nescio campaign verify {scored}"  # type: ignore[union-attr]
    path.write_text(held)
    assert nescio.campaign.status(scored).after is None


def test_the_log_says_what_each_step_read_and_wrote(scored: Path) -> None:
    """By the digests of the bytes that are there; a step that is repeated adds no line."""
    lengths = set()
    for _ in range(2):
        nescio.campaign.handout(scored)
        nescio.campaign.sheets(scored, ["ana"])
        entries = read_log(open_campaign(scored))
        lengths.add(len(entries))
    assert len(lengths) == 1
    steps = {entry.step: entry for entry in entries}
    assert {*steps} == {"init", "handout", "intake", "pool", "sheets", "collect", "score", "publish"}
    for name in ("handout", "intake", "pool", "score"):
        assert steps[name].read["topics/questions.jsonl"] == digest(scored / "topics" / "questions.jsonl"), name
    assert "campaign.toml" in steps["intake"].read, "the rules that a run was held against"
    assert all(entry.wrote for entry in steps.values())
    for name, held in {**steps["publish"].wrote, **steps["score"].wrote, **steps["sheets"].wrote}.items():
        assert digest(scored / name) == held
    assert nescio.campaign.verify(scored).sound


# ---- what goes on after a change ----


def test_a_group_that_the_settings_no_longer_name_does_not_count(scored: Path) -> None:
    edit(scored / "campaign.toml", '"beta" = "Beta Institute"\n', "")
    assert "runs of beta do not count" in str(nescio.campaign.status(scored))
    with pytest.raises(nescio.MismatchError, match="older than"):
        nescio.campaign.publish(scored)
    nescio.campaign.pool(scored)
    nescio.campaign.score(scored, resamples=10)
    nescio.campaign.publish(scored)
    assert "beta" not in "".join(page.read_text() for page in (scored / "site").rglob("*.html"))


def test_judgements_outlive_the_run_that_gave_the_answer(scored: Path) -> None:
    """A run replaced after the sheets were written: complete sheets are taken, and status goes on to the end."""
    made.take(scored, {"beta_b": [f"new {i}" for i in range(10)]}, "2026-05-02")
    assert nescio.campaign.pool(scored).gone == 10
    assert nescio.campaign.collect(scored, resamples=10).sound  # ana's old, complete sheet
    assert "that nobody was asked to judge" in str(nescio.campaign.status(scored))
    assert nescio.campaign.sheets(scored, ["ana"]).sheets[0].answers == 10
    made.judge(scored)
    scores = nescio.campaign.score(scored, resamples=10).scores[""]
    assert scores.value("beta_b", "accuracy") == 1
    assert scores.value("alpha_a", "c@1") == pytest.approx(0.52)
    nescio.campaign.publish(scored)
    assert nescio.campaign.verify(scored).sound
    assert nescio.campaign.status(scored).after is None


def test_dropping_every_topic_is_one_error(scored: Path) -> None:
    edit(scored / "campaign.toml", "dropped = []", f"dropped = {[f'q{i}' for i in range(10)]}".replace("'", '"'))
    for step in (nescio.campaign.status, nescio.campaign.score, nescio.campaign.pool):
        with pytest.raises(nescio.UsageError, match=r"`dropped` in campaign\.toml has every topic"):
            step(scored)


def test_a_dropped_topic_counts_nowhere_and_old_runs_stay(scored: Path) -> None:
    edit(scored / "campaign.toml", "dropped = []", 'dropped = ["q8", "q9"]')
    said = str(nescio.campaign.pool(scored))
    assert "left out 2 answers of an earlier pool, which no run that counts still gives" in said
    scores = nescio.campaign.score(scored, resamples=10).scores[""]
    assert scores.value("beta_b", "accuracy") == pytest.approx(5 / 8)
    nescio.campaign.publish(scored)
    counts = (scored / "results" / "tables" / "counts.csv").read_text().splitlines()
    assert "Beta Institute,b,0.63,5,3,0,0,0,0,0.63,0.63" in counts


# ---- peeking ----


def test_a_team_is_told_nothing_of_another(tmp_path: Path) -> None:
    """Whatever it hands in, no other group, and no run of one, stands in its receipts."""
    campaign = made.qa(tmp_path, runs=1)
    made.sound("qa", tmp_path / "alpha" / "secretive")
    made.sound("qa", tmp_path / "beta" / "mine")  # the same bytes
    made.submit(tmp_path, {"beta_alpha_two": ["a"] * 6, "beta_own": ["b"] * 6, "beta_more": ["c"] * 6})
    rows = nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"]).rows
    assert "alpha submitted the same file" in " ".join(map(str, rows))  # the organisers are told
    text = (campaign / "receipts" / "beta" / "receipts.txt").read_text().replace("alpha_two", "")
    assert not [name for name in ("alpha", "gamma", "secretive", "Alpha", "Gamma") if name in text]
    assert "there is no group 'x'" in told(campaign, made.sound("qa", tmp_path / "x" / "r").parent)[0][1]
    strangers = (campaign / "receipts" / "x" / "receipts.txt").read_text()
    assert not [name for name in ("alpha", "beta", "gamma") if name in strangers]


def blind_campaign(folder: Path, chance: random.Random) -> tuple[Path, list[str], dict[str, str]]:
    """A blind campaign of six runs whose scores tie, taken in in a random order; its runs as they came in, and by each
    answer to the last two questions the run that gave it."""
    rows = [{"id": f"q{i}", "question": f"What is {i}?", "answers": [f"thing {i}"]} for i in range(3)]
    campaign = made.start(folder, "qa", [made.lines(folder / "q.jsonl", rows)], judge="exact")
    edit(campaign / "campaign.toml", "blind = false", "blind = true")
    names = chance.sample([f"{group}_{n}" for group in made.GROUPS for n in "ab"], 6)
    gave: dict[str, str] = {}
    for name in names:
        answers = ["thing 0", f"no {chance.random()}", f"no {chance.random()}"]
        gave |= dict.fromkeys(answers[1:], name)
        group, _, run = name.partition("_")
        made.submit(folder, {name: answers})
        nescio.campaign.intake(campaign, [folder / group / f"{run}.jsonl"], received="2026-05-01")
    return campaign, names, gave


def is_named(name: str, content: bytes) -> bool:
    """Whether a name stands there as a word."""
    return re.search(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", content) is not None


def digest_of(seed: str, name: str) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


@pytest.mark.sampled
def test_the_number_of_a_run_tells_nobody_whose_it_is(tmp_path: Path) -> None:
    """An attacker who knows all names, and who came when, guesses by every order there is: of the names, of digests of
    them with whatever stands in the handout, of the intake; by the order of rows that tie; and on assessors' sheets by
    the order of rows and of ids. Of six runs chance names one."""
    campaigns = many(3, 200)
    hits: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    keys: dict[str, Callable[[str], str]] = {"name": str}
    keys |= {f"sha256 of {seed!r}": partial(digest_of, seed) for seed in ("0", "", "campaign")}

    def guess(by: str, tried: Sequence[str], truth: Sequence[str]) -> None:
        hits[by] += sum(one == other for one, other in zip(tried, truth, strict=True))
        expected[by] += 1

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
        held = contents(campaign)
        public = b"".join(held[name] for name in held if name.startswith(("site/", "handout/")))
        assert held["campaign.secret"] not in public
        assert not [name for name in (*names, *made.GROUPS.values(), "ana", "ben") if is_named(name, public)]
        truth: dict[str, str] = {}
        for group in made.GROUPS:
            own = held[f"returns/{group}/index.html"].decode()
            said = re.findall(r"<h2><bdi>(\w+)</bdi>.*?On the public pages it is (run \d)", own, re.DOTALL)
            truth |= {run: name for name, run in said}
        assert sorted(truth.values()) == names
        numbered = [truth[f"run {n}"] for n in range(1, len(names) + 1)]
        orders = {by: sorted(names, key=key) for by, key in keys.items()} | {"intake": came}
        for by, order in orders.items():
            guess(f"number by {by}", order, numbered)
        for who in ("ana", "ben"):
            assert not [name for name in (*names, *made.GROUPS) if is_named(name, held[f"sheets/{who}.csv"])]
            for question in ("q1", "q2"):
                rows = [row for row in rows_of(campaign / "sheets" / f"{who}.csv") if row["question_id"] == question]
                by_id = sorted(rows, key=lambda row: row["item"])
                for by, order in orders.items():
                    guess(f"row by {by}", order, [gave[row["answer"]] for row in rows])
                    guess(f"id by {by}", order, [gave[row["answer"]] for row in by_id])
        shown = list(dict.fromkeys(re.findall(r"\brun \d\b", held["site/index.html"].decode())))
        assert shown == sorted(shown), "runs that tie stand by their numbers"
        shutil.rmtree(folder)
    for by, count in hits.items():  # one hit is expected of a random order, with variance 1; few are skewed
        assert abs(count - expected[by]) < 4 * expected[by] ** 0.5 + 5, (by, count, expected[by])


# ---- formulas ----


FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2+3",
    "\t=1+1",
    "s;=cmd|' /C calc'!A0;x",
    '=HYPERLINK("http://x")',
]


def is_harmless(cell: str) -> bool:
    """Whether no spreadsheet takes a cell for a formula: it begins otherwise, or is a number."""
    bare = cell.strip()
    return not bare.startswith(("=", "+", "@", "-")) or re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?|-", bare) is not None


def test_no_table_of_a_campaign_holds_a_formula(tmp_path: Path) -> None:
    """Whatever teams answer and assessors comment, no cell of any CSV is what a spreadsheet would run."""
    groups = ["alpha==SUM(A1)", "beta=@Beta"]
    campaign = made.qa(tmp_path, len(FORMULAS), judge="exact", groups=groups)
    made.take(campaign, {"alpha_a": FORMULAS, "beta_b": ["thing 0", None, *["x"] * (len(FORMULAS) - 2)]})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "W")):
        path = campaign / "sheets" / f"{who}.csv"
        write_rows(path, [{**row, "verdict": verdict, "comment": f"'{FORMULAS[0]}"} for row in rows_of(path)])
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.judge(campaign, lambda who, row: "W" if who == "adjudication" else row["verdict"])
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    tables = sorted(campaign.rglob("*.csv"))
    cut = [";'=", "; =", "a;b", ";", ";''@x"]  # where a semicolon separates cells, the rest is a cell of its own
    assert [unguarded(guarded(text)) for text in (*cut, *FORMULAS)] == [*cut, *FORMULAS]
    assert {path.parent.name for path in tables} >= {"sheets", "results", "tables", "alpha", "beta"}
    for path in tables:
        for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()):
            assert [cell for cell in row if not is_harmless(cell)] == [], path
        if path.parent.name != "results":  # whose judgements nescio reads again
            parts = [part for line in path.read_text(encoding="utf-8-sig").splitlines() for part in line.split(";")[1:]]
            assert [part for part in parts if part.startswith(("=", "+", "-", "@"))] == [], path
    answers = [row["answer"] for row in rows_of(campaign / "returns" / "alpha" / "alpha_a.csv")]
    assert answers[:4] == [f"'{formula}" for formula in FORMULAS[:4]]
    assert not (campaign / "site" / "returns").exists()


def test_the_id_of_a_question_is_no_formula_in_a_table_of_results(tmp_path: Path) -> None:
    ids = ["=1+1", "-2+3", "@SUM(A1)"]
    topics = made.lines(tmp_path / "q.jsonl", [{"id": name, "question": "?", "answers": ["x"]} for name in ids])
    campaign = made.start(tmp_path, "qa", [topics], judge="exact")
    made.lines(tmp_path / "alpha" / "a.jsonl", [{"id": name, "answer": "x"} for name in ids])
    made.ready(campaign)
    nescio.campaign.score(campaign, resamples=10)
    for path in (campaign / "results").rglob("*.csv"):
        assert [
            cell for row in csv.reader(path.read_text().splitlines()) for cell in row if not is_harmless(cell)
        ] == []
    results = campaign / "results"
    files = [campaign / "topics" / "questions.jsonl", *(results / "runs").iterdir()]
    (row,) = nescio.ave.build(files, tmp_path / "ave.xml", judgements=results / "judgements.csv").rows
    assert (row.answers, row.validated) == (3, 3)  # found again by their ids


# ---- what the organisers keep, and a log written anew ----

KEPT = {
    "the guidelines": ("guidelines.md", None),
    "the secret": ("campaign.secret", "campaign.secret: this file was changed"),
    "what a group is told": (
        "receipts/beta/receipts.txt",
        "receipts/beta/receipts.txt: this text differs from the receipts",
    ),
    "the settings": ("campaign.toml", None),
    "the topics": ("topics/*", None),
}


@pytest.mark.parametrize("what", KEPT)
def test_one_byte_of_what_is_kept_is_noticed(what: str, scored: Path) -> None:
    """Settings, topics and guidelines are the organisers' to edit: a note says that they changed."""
    place, fault = KEPT[what]
    path = next(path for path in sorted(scored.glob(place)) if path.is_file())
    path.write_bytes(path.read_bytes() + b"\n")
    found = nescio.campaign.verify(scored)
    if fault is None:
        assert any("changed since the last line of the log" in str(note) for note in found.notes)
    else:
        assert fault in str(found)
        assert found.status == 2


def edited(dice: random.Random, content: bytes) -> bytes | None:
    """The content with one place edited; None: the file is gone."""
    lines = content.splitlines(keepends=True)
    at, line = dice.randrange(len(content)), dice.randrange(len(lines))
    edits = [content + b"\n", None, content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]]
    edits += [
        content[:at] + dice.choice([b"7", b"\xff", b"\0"]) + content[at + 1 :],
        b"".join(lines[:line] + lines[line + 1 :]),
        content + lines[line],
    ]
    return dice.choice([edit for edit in edits if edit != content])


@pytest.mark.sampled
def test_an_edit_anywhere_is_noticed(scored: Path) -> None:
    """But in the sheets of assessors, who fill them in. Of settings and topics a note says it."""
    dice = random.Random(SEED)
    files = [path for path in sorted(scored.rglob("*")) if path.is_file() and path.parent.name != "sheets"]
    missed = []
    for _ in range(many(20, 1_000)):
        path = dice.choice(files)
        content = path.read_bytes()
        path.unlink()
        if (new := edited(dice, content)) is not None:
            path.write_bytes(new)
        try:
            found = nescio.campaign.verify(scored)
            told = bool(found.rows or found.notes)
        except nescio.NescioError:  # the folder is no campaign any more
            told = True
        if not told:
            missed.append((path.name, new))
        path.write_bytes(content)
    assert missed == []
    assert nescio.campaign.verify(scored).sound


@pytest.mark.parametrize("place", ["key/.hidden.jsonl", "site/.hidden.html", "site/topics/.htaccess", "site/.git/x"])
def test_a_hidden_file_is_noticed(place: str, scored: Path) -> None:
    """A key has all files of its folder in it, and a site serves them. One that is named like the draft of a step is
    told, and goes with the next step."""
    (scored / place).parent.mkdir(exist_ok=True)
    draft = draft_of((scored / place).with_name("index.html"))
    draft.write_text("")
    assert [fault.file for fault in nescio.campaign.verify(scored).rows] == [draft.relative_to(scored).as_posix()]
    assert nescio.campaign.status(scored).after is None
    nescio.campaign.publish(scored)
    assert nescio.campaign.verify(scored).sound
    (scored / place).parent.mkdir(exist_ok=True)
    (scored / place).write_text("{}\n")
    assert place in str(nescio.campaign.verify(scored))


@pytest.mark.parametrize("place", ["key", "handout"])
def test_one_byte_of_the_key_or_of_what_was_handed_out_is_noticed(place: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    nescio.campaign.handout(campaign)
    assert nescio.campaign.verify(campaign).sound
    path = next(path for path in sorted((campaign / place).rglob("*")) if path.is_file())
    path.write_bytes(path.read_bytes() + b"\n")
    assert f"{place}/{path.name}: this file was changed since the last step" in str(nescio.campaign.verify(campaign))


def anew(campaign: Path) -> None:
    """Write the log anew, sound in itself: the last line, of publishing, is gone."""
    path = campaign / "campaign.log"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["nescio"] = "0"
    path.unlink()
    chain.append(path, [{name: value for name, value in row.items() if name != chain.FOLLOWS} for row in rows])


def test_a_log_that_was_written_anew_is_found_by_a_digest_that_was_kept(scored: Path, tmp_path: Path) -> None:
    kept = shutil.copyfile(scored / "receipts" / "beta" / "receipts.txt", tmp_path / "kept.txt")
    head = nescio.campaign.verify(scored).tables["log"][0].head
    log = shutil.copyfile(scored / "campaign.log", tmp_path / "kept.log")
    for against in (kept, head, head.upper(), log, scored / "site" / "digests.json"):
        assert nescio.campaign.verify(scored, against=against).sound
    anew(scored)
    for against in (kept, head, log):
        assert "was kept earlier: somebody rewrote the log" in str(nescio.campaign.verify(scored, against=against))
    with pytest.raises(nescio.UsageError, match="neither a digest"):
        nescio.campaign.verify(scored, against="abc")
    with pytest.raises(nescio.UsageError, match="nor a file that begins with one digest of the log"):
        nescio.campaign.verify(scored, against=f"results.csv {'0' * 64}, log {head}")


def test_a_receipt_that_quotes_another_head_blames_nobody(scored: Path, tmp_path: Path) -> None:
    """Only its first line is nescio's; below it groups are quoted."""
    receipt = (scored / "receipts" / "beta" / "receipts.txt").read_text()
    kept = made.text(tmp_path / "kept.txt", f"{receipt}campaign.log: the last line is {'0' * 64}\n")
    assert nescio.campaign.verify(scored, against=kept).sound
    assert not nescio.campaign.verify(scored, against=made.text(kept, "0" * 64)).sound


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
@pytest.mark.parametrize("name", ["campaign.log", "judgements/history.jsonl"])
def test_no_step_cuts_a_file_whose_line_ends_were_changed(name: str, end: bytes, scored: Path) -> None:
    """As Git and editors do: it is told, no step goes on, and the file stays as it is."""
    path = scored / name
    content = path.read_bytes().replace(b"\n", end)
    path.write_bytes(content)
    assert "somebody changed the line ends" in str(nescio.campaign.verify(scored))
    for step in (
        partial(nescio.campaign.withdraw, scored, ["beta_b"], reason="asked for"),
        partial(nescio.campaign.collect, scored),
        partial(nescio.campaign.score, scored, resamples=10),
    ):
        with suppress(nescio.MismatchError):
            step()
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["campaign.log", "judgements/history.jsonl"])
def test_a_byte_below_the_last_line_is_a_fault_unless_a_killed_step_left_it(name: str, scored: Path) -> None:
    path = scored / name
    content = path.read_bytes()
    if name == "campaign.log":  # below the judgements it makes the scores older than these
        path.write_bytes(content + b'{"at": "20')
        assert nescio.campaign.verify(scored).sound
    path.write_bytes(content + b" ")
    assert f"{name}, line {len(content.splitlines()) + 1}" in str(nescio.campaign.verify(scored))


def test_line_ends_of_a_receipt_are_part_of_it(scored: Path) -> None:
    path = scored / "receipts" / "beta" / "receipts.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "receipts/beta/receipts.txt: this text differs" in str(nescio.campaign.verify(scored))
