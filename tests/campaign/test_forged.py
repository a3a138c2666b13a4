"""What somebody edits or writes who holds the folder of a campaign: each is a fault, and none a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

import nescio
from nescio.people.campaigns import chain, log, own_files, repeating, scoring
from nescio.people.campaigns.entries import Receipt
from nescio.people.campaigns.folder import contents, open_campaign
from nescio.people.campaigns.freshness import done, inputs
from nescio.people.campaigns.log import digest, read_log
from nescio.sources.locks import locked

from . import made
from .made import edit
from .test_attacks import cut, forge


def test_a_judgement_that_nobody_collected_is_named_and_counts_for_nothing(scored: Path) -> None:
    path, before = scored / "judgements" / "history.jsonl", made.verdicts(scored)
    whole = path.read_bytes()
    rows = [json.loads(line) for line in whole.splitlines()]
    wrong = next(row for row in rows if row["after"] == "W")
    chain.append(path, [{**wrong, "before": "W", "after": "R", chain.FOLLOWS: ""}])
    (fault,) = nescio.campaign.verify(scored).rows
    assert (fault.file, fault.line) == ("judgements/history.jsonl", len(rows) + 1)
    assert "the log does not mention the lines from this one on" in fault.rule
    assert made.verdicts(scored) == before
    notes = nescio.campaign.collect(scored, resamples=10).notes
    assert "nescio removed 1 line from judgements/history.jsonl, because the log does not mention it" in " ".join(
        map(str, notes)
    )
    assert path.read_bytes() == whole
    assert nescio.campaign.verify(scored).sound


def test_a_file_beside_the_judgements_is_named_and_makes_no_result_old(scored: Path) -> None:
    copy = scored / "judgements" / "history (conflicted copy).jsonl"
    copy.write_bytes((scored / "judgements" / "history.jsonl").read_bytes())
    for _ in range(2):
        (fault,) = nescio.campaign.verify(scored).rows
        assert fault.file == "judgements/history (conflicted copy).jsonl"
        assert fault.rule == "no line of the log mentions this file, and it does not count; delete it"
        with pytest.raises(nescio.MismatchError, match=r"judgements/history \(conflicted copy\)\.jsonl: no line"):
            nescio.campaign.publish(scored)
        nescio.campaign.score(scored, resamples=10)  # which is not made from this file
    copy.unlink()
    assert nescio.campaign.verify(scored).sound


def test_judgements_that_were_taken_out_stay_missed_after_another_collect(scored: Path) -> None:
    cut(scored / "judgements" / "history.jsonl")
    with pytest.raises(nescio.MismatchError, match="judgements are missing"):
        nescio.campaign.collect(scored, resamples=10)


@pytest.mark.parametrize("step", ["pool", "score", "publish"])
def test_what_was_edited_with_its_line_in_the_log_is_found(step: str, scored: Path) -> None:
    """The log is whole, and holds the head that somebody kept before the edit."""
    kept = chain.links(scored / "campaign.log")[3]
    name, old, new = {
        "pool": ("pool/pool.jsonl", "What is 3?", "What is 4?"),
        "score": ("results/tables/counts.csv", "0.52", "0.99"),
        "publish": ("site/index.html", ">0.52<", ">0.99<"),
    }[step]
    edit(scored / name, old, new)
    opened = open_campaign(scored)
    for again in ("pool", "score", "publish"):
        done(opened, again, inputs(opened, again), {entry.step: entry.about for entry in read_log(opened)}[again])
    for against in (None, kept):
        found = nescio.campaign.verify(scored, against=against)
        assert [fault.file for fault in found.rows][:1] == [name], str(found)
        assert "both the file and the log" in found.rows[0].rule


def test_what_desktops_write_into_folders_is_no_file_of_the_campaign(scored: Path) -> None:
    nescio.campaign.publish(scored)
    before = str(nescio.campaign.status(scored))
    for place in [path for path in scored.rglob("*") if path.is_dir()]:
        for name in (".DS_Store", "Thumbs.db", "desktop.ini"):
            (place / name).write_bytes(b"\0\0\0\1Bud1")
    assert nescio.campaign.verify(scored).rows == ()
    assert str(nescio.campaign.status(scored)) == before
    assert nescio.campaign.score(scored, resamples=10).scores
    nescio.campaign.publish(scored)
    for path in [*scored.rglob("Thumbs.db"), *scored.rglob(".DS_Store")]:
        path.unlink()
    assert nescio.campaign.verify(scored).rows == ()


def test_what_editors_leave_beside_the_key_is_no_key(scored: Path) -> None:
    before = str(nescio.campaign.status(scored))
    (scored / "key").mkdir()
    for name in (".gold.jsonl.swp", "gold.jsonl~", ".~lock.gold.csv#", "~$gold.xlsx", "#gold.jsonl#"):
        (scored / "key" / name).write_bytes(b"\0\0")
    assert nescio.campaign.verify(scored).rows == ()
    assert str(nescio.campaign.status(scored)) == before
    assert nescio.campaign.score(scored, resamples=10).scores
    (scored / "site" / "index.html~").write_text("")  # which a site would serve
    assert [fault.file for fault in nescio.campaign.verify(scored).rows][:1] == ["site/index.html~"]


def test_files_of_desktops_in_a_log_of_an_earlier_version_are_no_edits(
    scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nescio.campaign.handout(scored)
    stray = [scored / place / ".DS_Store" for place in ("topics", "handout")]
    for path in stray:
        path.write_bytes(b"Bud1")
    with monkeypatch.context() as patch:
        patch.setattr(own_files, "is_own", lambda _: True)
        patch.setattr(log, "of_own", dict)
        nescio.campaign.pool(scored)
        nescio.campaign.score(scored, resamples=10)
        nescio.campaign.publish(scored)
    said = str(nescio.campaign.status(scored))
    assert "everything is done" in said
    assert (scored / "campaign.log").read_text(encoding="utf-8").count("topics/.DS_Store") > 3
    for change in (Path.touch, lambda path: path.write_bytes(b"Bud2"), Path.unlink):
        for path in stray:
            change(path)
        found = nescio.campaign.verify(scored)
        assert (found.rows, found.notes) == ((), ())
        assert str(nescio.campaign.status(scored)) == said
    before = (scored / "campaign.log").read_bytes()
    nescio.campaign.pool(scored)
    assert (scored / "campaign.log").read_bytes() == before
    edit(scored / "site" / "digests.json", '"topics/', '"topics/x')
    opened = open_campaign(scored)
    done(opened, "publish", inputs(opened, "publish"))
    assert [fault.file for fault in nescio.campaign.verify(scored).rows] == ["site/digests.json"]


@pytest.mark.parametrize(
    ("change", "sound"),
    [
        (lambda number: f"{float(number) * (1 + 1e-15)!r}", True),
        (lambda number: f"{float(number) + 1e-6!r}", False),
        (lambda _: "", False),
    ],
)
def test_the_last_digits_of_another_processor_are_no_edit(
    change: Callable[[str], str], sound: bool, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = scoring.write_results

    def elsewhere(campaign: Any, folder: Path, *more: Any, **options: Any) -> None:
        write(campaign, folder, *more, **options)
        path = folder / "comparisons.csv"
        path.write_text(re.sub(r"0\.\d{12,}", lambda found: change(found[0]), path.read_text()))

    monkeypatch.setattr(repeating, "write_results", elsewhere)
    assert re.search(r"0\.\d{12,}", (scored / "results" / "comparisons.csv").read_text())
    assert nescio.campaign.verify(scored).sound is sound


def test_questions_whose_ids_are_equal_numbers_cannot_be_exchanged(tmp_path: Path) -> None:
    rows = [{"id": name, "question": f"What is {name}?"} for name in ("1.1", "1.10")]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "given" / "q.jsonl", rows)])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": row["id"], "answer": f"{n}.50"} for n, row in enumerate(rows)])
    made.ready(campaign, "ana")
    made.judge(campaign, lambda _, row: "R" if row["answer"] == "0.50" else "W")
    nescio.campaign.score(campaign, resamples=10)
    assert nescio.campaign.verify(campaign).sound
    path, opened = campaign / "results" / "topics.csv", open_campaign(campaign)
    held = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"^1\.10?,", lambda id_: {"1.1,": "1.10,"}.get(id_[0], "1.1,"), held, flags=re.M))
    assert path.read_text(encoding="utf-8") != held
    done(opened, "score", inputs(opened, "score"), {entry.step: entry.about for entry in read_log(opened)}["score"])
    assert nescio.campaign.verify(campaign).rows[0].file == "results/topics.csv"


def test_what_could_not_be_checked_does_not_count_as_sound(scored: Path) -> None:
    """A stale step is not repeated, nor those after it; a forged line could claim that it read other files."""
    edit(scored / "campaign.toml", "measures = []", 'measures = ["accuracy"]')
    found = nescio.campaign.verify(scored)
    assert found.status == 2
    assert [fault.rule.partition(",")[0] for fault in found.rows] == [
        "not checked: the output of nescio campaign score",
        "not checked: the output of nescio campaign publish",
    ]
    assert "older than measures in campaign.toml" in found.rows[0].rule
    assert "everything matches the log" not in str(found)


def add(campaign: Path, step: str, about: dict[str, Any], **more: Any) -> None:
    """Append a line to the log that is sound in its chain, as somebody can who has the folder."""
    path = campaign / "campaign.log"
    chain.append(path, [{"at": "2099-01-01T00:00:00+00:00", "step": step, "about": about, **more}])
    (campaign / "campaign.head").write_text(f"{chain.links(path)[-1]}\n")


def receipt_of(campaign: Path, **changed: Any) -> dict[str, Any]:
    """What the log says of the first run that came in, changed."""
    (first, *_) = (entry for entry in read_log(open_campaign(campaign)) if entry.step == "intake")
    return {**first.about, **changed}


FORGED: dict[str, Callable[[Path], object]] = {
    "no history": lambda c: add(c, "collect", {}),
    "a number for a history": lambda c: add(c, "collect", {"history": 3}),
    "no receipt": lambda c: add(c, "intake", {"status": "accepted"}),
    "a received that is no time": lambda c: add(c, "intake", receipt_of(c, received="never")),
    "a run that is stored elsewhere": lambda c: add(c, "intake", receipt_of(c, stored="/etc/passwd")),
    "a group above the folder": lambda c: add(c, "intake", receipt_of(c, group="../../elsewhere")),
    "a run above the folder": lambda c: add(c, "intake", receipt_of(c, run="../x")),
    "no run that is withdrawn": lambda c: add(c, "withdraw", {}),
    "a list of runs": lambda c: add(c, "disqualify", {"about": ["a"], "reason": "x"}),
    "a deadline that is no time": lambda c: add(c, "extend", {"about": "beta", "reason": "x", "until": "never"}),
    "an unknown step": lambda c: add(c, "judge", {}),
    "a line that is of no time": lambda c: add(c, "handout", {}, at="zzz"),
    "a score by nothing": lambda c: add(c, "score", {"seed": "x"}),
    "resamples without end": lambda c: add(c, "score", {"resamples": 10**15}),
    "a file that can be none": lambda c: add(c, "score", {}, read={"/" + "a" * 5_000: "x", "/a\0b": "x"}),
    "a file elsewhere": lambda c: add(c, "publish", {}, read={"/etc/hostname": "x"}),
    "a file elsewhere beside a ranking": lambda c: add(
        c, "score", {"ranking": ["EN=results/rankings/EN/en.csv"]}, read={"/etc/en.csv": "x"}
    ),
    "a ranking elsewhere": lambda c: add(c, "score", {"ranking": ["/etc/hostname"]}),
    "a ranking of a language elsewhere": lambda c: add(c, "score", {"ranking": ["EN=/etc/hostname"]}),
    "a ranking beside the folder": lambda c: add(c, "score", {"ranking": ["EN=results/rankings/../../../x.csv"]}),
    "a ranking without a name": lambda c: add(c, "score", {"ranking": [3]}),
    "a deep line": lambda c: (c / "campaign.log").write_text('{"follows": "", "x": ' + DEEP + "}\n"),
}
DEEP = "[" * 100_000 + "]" * 100_000


def test_a_plan_that_somebody_edited_decides_nothing(scored: Path) -> None:
    """Neither now nor after a further `sheets`, which would take the edited file over."""
    path = scored / "sheets" / "assessors.json"
    asked = json.loads(path.read_bytes())
    path.write_text(json.dumps(asked | {"answers": {}}))
    for step in (nescio.campaign.score, partial(nescio.campaign.sheets, assessors=["ana"])):
        with pytest.raises(nescio.FormatError, match=r"assessors.json: this file is not as nescio wrote it"):
            step(scored)
    (fault,) = nescio.campaign.verify(scored).rows
    assert fault.file == "sheets/assessors.json"
    path.unlink()
    with pytest.raises(nescio.FormatError, match="this file is missing; run nescio campaign sheets"):
        nescio.campaign.score(scored)
    nescio.campaign.sheets(scored, ["ana"])
    nescio.campaign.score(scored, resamples=10)
    nescio.campaign.publish(scored)
    assert nescio.campaign.verify(scored).sound


@pytest.mark.parametrize("what", FORGED)
def test_a_line_of_the_log_that_no_step_writes_is_a_fault(what: str, scored: Path) -> None:
    """No step goes on from it, and none writes what it names."""
    FORGED[what](scored)
    before = {*contents(scored.parent)}
    assert nescio.campaign.verify(scored).status == 2
    assert nescio.campaign.status(scored).after is not None
    with pytest.raises(nescio.NescioError):
        nescio.campaign.publish(scored)
    with suppress(nescio.MismatchError):
        nescio.campaign.verify(scored, restore=True)
    assert {*contents(scored.parent)} == before


NOT_OURS = {
    "sheets/assessors.json": "this file is not as nescio wrote it; delete it, then run nescio campaign sheets",
    "receipts/pending.json": "receipts/pending.json",
    "results/data.json": "results/data.json",
    "results/tables/index.json": "index.json",
    "site/digests.json": "site",
    "pool/pool.jsonl": "pool/pool.jsonl",
    "judgements/history.jsonl": "history.jsonl",
    "topics/questions.jsonl": "questions.jsonl",
}


@pytest.mark.parametrize("content", ["x", "[]\n", '{"x": 1}\n', f'{{"x": {DEEP}}}\n'], ids=["x", "list", "map", "deep"])
@pytest.mark.parametrize("name", NOT_OURS)
def test_a_file_that_nescio_did_not_write_ends_no_step_in_a_traceback(name: str, content: str, scored: Path) -> None:
    (scored / name).write_text(content)
    found = nescio.campaign.verify(scored)
    assert found.status == 2
    assert NOT_OURS[name] in str(found)
    for step in (nescio.campaign.status, nescio.campaign.collect, nescio.campaign.publish, nescio.campaign.pool):
        with suppress(nescio.NescioError):
            step(scored)
    with suppress(nescio.NescioError):
        nescio.campaign.sheets(scored, ["ana"])
    with suppress(nescio.NescioError):
        nescio.campaign.intake(scored, [scored.parent / "beta"])


def test_an_intake_that_has_begun_switches_no_check_off(scored: Path) -> None:
    made.lines(scored / "receipts" / "pending.json", [{"received": "2026-05-01", "items": []}])
    edit(scored / "receipts" / "beta" / "receipts.txt", "accepted", "refused")
    forge(scored)
    assert [fault.file for fault in nescio.campaign.verify(scored).rows] == [
        "receipts/pending.json",
        "runs/beta/beta_b/2.jsonl",
        "receipts/beta/receipts.txt",
    ]


def test_a_receipt_among_the_returns_is_held_against_the_log(scored: Path) -> None:
    """Even where the line of the log that tells of it was edited with it."""
    name = "returns/beta/receipts.txt"
    edit(scored / name, "accepted", "refused")
    opened = open_campaign(scored)
    done(
        opened, "publish", inputs(opened, "publish"), {entry.step: entry.about for entry in read_log(opened)}["publish"]
    )
    assert [fault.file for fault in nescio.campaign.verify(scored).rows] == [name]


LINKED = ["site/topics/more", "receipts/delta", "returns/delta", "key/more", "topics/more", "handout/more"]


@pytest.mark.parametrize("place", LINKED)
def test_a_folder_that_is_a_link_is_a_fault(place: str, scored: Path, tmp_path: Path) -> None:
    """No digest tells of what is in it, and nothing is written through it."""
    made.text(tmp_path / "elsewhere" / "x.html", "x")
    (scored / place).parent.mkdir(exist_ok=True)
    (scored / place).symlink_to(tmp_path / "elsewhere")
    assert f"{place}: it is a link" in str(nescio.campaign.verify(scored))
    with suppress(nescio.MismatchError):
        nescio.campaign.verify(scored, restore=True)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["x.html"]


FOLDERS = ["topics", "runs", "receipts", "pool", "sheets", "judgements", "results", "site", "returns"]
FILES = ["campaign.log", "campaign.head", "campaign.secret", "guidelines.md", "runs/beta/beta_b/1.jsonl"]


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_what_was_moved_and_linked_is_a_fault_and_nothing_is_read_through_it(
    name: str, scored: Path, tmp_path: Path
) -> None:
    """What a link names may be any file of who verifies, and no message quotes it."""
    (scored / name).rename(tmp_path / "moved")
    (scored / name).symlink_to(tmp_path / "moved")
    found = nescio.campaign.verify(scored)
    assert [(fault.file, fault.rule) for fault in found.rows] == [
        (name, "it is a link, but nescio makes no links; put the original file back")
    ]
    assert nescio.campaign.status(scored).after is not None


@pytest.mark.parametrize("name", ["campaign.log", "judgements/history.jsonl", "pool/pool.jsonl", "campaign.toml"])
def test_no_message_quotes_a_file_outside_the_campaign(name: str, scored: Path, tmp_path: Path) -> None:
    secret = made.text(tmp_path / "secret", '{"token-of-mine": 1}\n[token-of-mine]\n')
    (scored / name).unlink()
    (scored / name).symlink_to(secret)
    try:
        said = str(nescio.campaign.verify(scored))
    except nescio.MismatchError as error:
        said = str(error)
    assert f"{name}" in said
    assert "is a link" in said
    assert "token-of-mine" not in said


def test_a_file_that_cannot_be_read_ends_no_check_of_the_others(scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs the tests may read all, so that opening is what fails."""
    locked, opening = scored / "receipts" / "beta" / "receipts.txt", Path.open

    def opened(path: Path, *how: Any, **more: Any) -> Any:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return opening(path, *how, **more)

    forge(scored)
    edit(scored / "site" / "index.html", ">0.52<", ">0.99<")
    monkeypatch.setattr(Path, "open", opened)
    files = [fault.file for fault in nescio.campaign.verify(scored).rows]
    assert str(locked) in files
    assert {"runs/beta/beta_b/2.jsonl", "site/index.html"} <= {*files}


@pytest.mark.parametrize("name", ["campaign.log", "campaign.head", "judgements/history.jsonl", "pool/pool.jsonl"])
def test_no_step_writes_through_a_link(name: str, scored: Path, tmp_path: Path) -> None:
    """A campaign that a stranger made is no way to the files of who looks at it."""
    other = tmp_path / "other"
    content = (scored / name).read_bytes() if name.endswith(("log", "history.jsonl")) else b"mine"
    other.write_bytes(content)
    (scored / name).unlink()
    (scored / name).symlink_to(other)
    for step in (
        partial(nescio.campaign.withdraw, scored, ["beta_b"], reason="asked for"),
        partial(nescio.campaign.pool, scored),
        partial(made.judge, scored, lambda *_: "W"),
        partial(nescio.campaign.verify, scored, restore=True),
    ):
        with suppress(nescio.NescioError):
            step()
    assert other.read_bytes() == content


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_no_calendar_has_is_refused(time: str, scored: Path) -> None:
    with pytest.raises(nescio.UsageError, match="time"):
        nescio.campaign.intake(scored, [scored.parent / "beta"], received=time)
    edit(scored / "campaign.toml", 'deadline = ""', f'deadline = "{time}"')
    with pytest.raises(nescio.FormatError, match="a time is written as"):
        nescio.campaign.verify(scored)


def test_a_clock_that_was_set_back_leaves_the_lines_of_the_log_in_order(
    scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ahead:
        ahead.setenv("SOURCE_DATE_EPOCH", "4102444800")  # 2100
        nescio.campaign.score(scored, resamples=11)
    nescio.campaign.publish(scored)
    assert [entry.at for entry in read_log(open_campaign(scored))][-2:] == ["2100-01-01T00:00:00+00:00"] * 2
    found = nescio.campaign.verify(scored)
    assert found.sound
    assert "time" not in " ".join(map(str, found.notes))


def test_a_log_whose_times_are_not_in_order_is_noted_and_hides_no_edit(
    scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier nescio wrote such lines."""
    with monkeypatch.context() as earlier:
        earlier.setattr(chain, "last_row", lambda *_: None)
        earlier.setenv("SOURCE_DATE_EPOCH", "4102444800")
        nescio.campaign.score(scored, resamples=11)
        earlier.delenv("SOURCE_DATE_EPOCH")
        nescio.campaign.publish(scored)
    found = nescio.campaign.verify(scored)
    assert found.sound
    assert "but the line before it has the later time 2100-01-01T00:00:00+00:00" in " ".join(map(str, found.notes))
    edit(scored / "results" / "tables" / "counts.csv", "0.52", "0.99")
    opened = open_campaign(scored)
    for again in ("score", "publish"):
        done(opened, again, inputs(opened, again), {entry.step: entry.about for entry in read_log(opened)}[again])
    assert "results/tables/counts.csv: nescio campaign score makes a different file" in str(
        nescio.campaign.verify(scored)
    )


@pytest.mark.parametrize("place", ["receipts/beta/receipts.txt", "runs/beta/more.jsonl"])
def test_a_fault_elsewhere_hides_no_edited_result(place: str, scored: Path) -> None:
    """The steps are repeated, unless a fault is in what they read; then a note says so, and nobody is accused."""
    edit(scored / "results" / "tables" / "counts.csv", "0.52", "0.99")
    opened = open_campaign(scored)
    for again in ("score", "publish"):
        done(opened, again, inputs(opened, again), {entry.step: entry.about for entry in read_log(opened)}[again])
    (scored / place).write_text("x")
    said = str(nescio.campaign.verify(scored))
    assert place in said
    assert "results/tables/counts.csv: nescio campaign score makes a different file" in said
    edit(scored / "runs" / "beta" / "beta_b" / "1.jsonl", '"id"', ' "id"')
    found = nescio.campaign.verify(scored)
    assert "makes a different file" not in str(found)
    assert "nescio did not repeat all steps" in " ".join(map(str, found.notes))


def test_a_step_that_runs_beside_verify_accuses_nobody(scored: Path) -> None:
    def withdraw(_: int, __: int) -> None:
        if len(read_log(open_campaign(scored))) == lines:
            nescio.campaign.withdraw(scored, ["beta_b"], reason="asked for")

    lines = len(read_log(open_campaign(scored)))
    with pytest.raises(
        nescio.UsageError, match=r"a step of .* ran meanwhile; run nescio campaign verify again"
    ) as told:
        nescio.campaign.verify(scored, progress=withdraw)
    assert "\n" not in str(told.value)
    assert "not checked" in str(nescio.campaign.verify(scored))  # the results have the run that was withdrawn


def test_verify_tells_of_no_fault_while_a_step_runs_and_restores_none(scored: Path) -> None:
    with locked(scored) as free:
        assert free
        assert nescio.campaign.verify(scored).sound
        with pytest.raises(nescio.UsageError, match="another step of this campaign is running"):
            nescio.campaign.verify(scored, restore=True)
        (scored / "receipts" / "beta" / "receipts.txt").unlink()
        with pytest.raises(nescio.UsageError, match="ran meanwhile"):
            nescio.campaign.verify(scored)
    assert "receipts/beta/receipts.txt" in str(nescio.campaign.verify(scored))
    assert nescio.campaign.verify(scored, restore=True).sound


def test_a_step_that_was_killed_before_the_head_was_written_is_no_fault(scored: Path) -> None:
    """The next step writes the head, whatever step it is; a head that was never the log's own stays, and is told."""
    head, log = scored / "campaign.head", scored / "campaign.log"
    last = head.read_text()
    for earlier in (chain.links(log)[-2], chain.links(log)[0]):
        head.write_text(f"{earlier}\n")
        nescio.campaign.publish(scored)
        assert head.read_text() == last
        assert nescio.campaign.verify(scored).sound
    head.write_text(f"{'0' * 64}\n")
    with pytest.raises(nescio.MismatchError, match=r"campaign\.head: it is not the digest"):
        nescio.campaign.publish(scored)


# ---- runs and their receipts ----


def two_versions(folder: Path) -> Path:
    """A campaign in which a second version of beta_b replaced the first, and a run of gamma was refused."""
    campaign = made.qa(folder)
    for day, answer in ((1, "a"), (2, "b")):
        made.take(campaign, {"beta_b": [answer] * 6}, f"2026-05-0{day}")
    made.submit(folder, {"gamma_c": ["a"]})
    assert nescio.campaign.intake(campaign, [folder / "gamma"], received="2026-05-03").refused == 1
    assert nescio.campaign.verify(campaign).sound
    return campaign


def rewrite(campaign: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the lines of the log, and make its chain and its head anew."""
    path = campaign / "campaign.log"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        change(row)
    path.unlink()
    chain.append(path, [{name: value for name, value in row.items() if name != chain.FOLLOWS} for row in rows])
    (campaign / "campaign.head").write_text(f"{chain.links(path)[-1]}\n")


RUN = "runs/beta/beta_b/1.jsonl"


def in_its_own_line(campaign: Path) -> None:
    rewrite(campaign, lambda row: row["wrote"].update({RUN: digest(campaign / RUN)} if RUN in row["wrote"] else {}))


def in_another_intake(campaign: Path) -> None:
    """In a line of a run that was refused, so that nothing else follows from it."""
    refused = read_log(open_campaign(campaign))[-1]
    add(campaign, "intake", dict(refused.about), wrote={**refused.wrote, RUN: digest(campaign / RUN)})


def in_a_line_of_the_same_receipt(campaign: Path) -> None:
    first = next(entry for entry in read_log(open_campaign(campaign)) if RUN in entry.wrote)
    about = {**first.about, "digest": digest(campaign / RUN)}
    place = convert(about, Receipt).place
    content = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    made.text(campaign / (name := f"receipts/{place}"), content)
    add(campaign, "intake", about, wrote={name: digest(campaign / name), RUN: digest(campaign / RUN)})


def in_a_handout(campaign: Path) -> None:
    add(campaign, "handout", {}, wrote={RUN: digest(campaign / RUN)})


HIDDEN: list[tuple[Callable[[Path], None], str]] = [
    (in_its_own_line, "is not the submitted run"),
    (in_another_intake, "the intake of this run writes only"),
    (in_a_line_of_the_same_receipt, f"an earlier line has {RUN} already"),
    (in_a_handout, f"nescio campaign handout does not write {RUN}"),
]


@pytest.mark.parametrize(("hide", "rule"), HIDDEN, ids=[hide.__name__ for hide, _ in HIDDEN])
def test_a_stored_run_is_the_one_of_its_receipt_whatever_the_log_says(
    hide: Callable[[Path], None], rule: str, tmp_path: Path
) -> None:
    """Also of a version that was replaced, where no step scores anything."""
    campaign = two_versions(tmp_path)
    edit(campaign / RUN, '"a"', '"z"')
    hide(campaign)
    with suppress(nescio.MismatchError):
        nescio.campaign.verify(campaign, restore=True)
    assert rule in str(nescio.campaign.verify(campaign))


@pytest.mark.parametrize("group", ["beta", "gamma"])
def test_the_file_of_a_receipt_says_what_the_log_says(group: str, tmp_path: Path) -> None:
    """Of a run that was taken in, and of one that was refused for its faults, which the file alone lists."""
    campaign = two_versions(tmp_path)
    path = sorted((campaign / "receipts" / group).glob("*.json"))[0]
    name = path.relative_to(campaign).as_posix()
    edit(path, '"received": "2026', '"received": "2025')
    rewrite(campaign, lambda row: row["wrote"].update({name: digest(path)} if name in row["wrote"] else {}))
    assert f"{name}: it differs from the receipt in the log" in str(nescio.campaign.verify(campaign))


# ---- what is beside the files of the log ----


def test_a_file_of_the_key_that_is_added_between_two_steps_is_noted(scored: Path) -> None:
    made.text(scored / "key" / "more.jsonl", "")
    nescio.campaign.disqualify(scored, ["beta_b"], reason="asked for")
    notes = " ".join(map(str, nescio.campaign.verify(scored).notes))
    assert "key/more.jsonl changed between lines 8 and 9 of the log" in notes
    nescio.campaign.handout(scored)
    after = " ".join(map(str, nescio.campaign.verify(scored).notes))
    assert "handout/" not in after  # which the step itself wrote


@pytest.mark.parametrize("forged", ["answer", "support", "new"])
def test_an_answer_that_no_run_ever_gave_is_no_part_of_the_pool(forged: str, scored: Path) -> None:
    """Also where no run is said to give it any more; those that a run once gave stay, whatever made them distinct."""
    made.take(scored, {"beta_b": [f"new {i}" for i in range(10)]}, "2026-05-02")
    nescio.campaign.pool(scored)
    edit(scored / "campaign.toml", 'distinct = "answer"', 'distinct = "answer and document"')
    nescio.campaign.pool(scored)
    nescio.campaign.sheets(scored, ["ana"])
    path = scored / "pool" / "pool.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    gone = [row for row in rows if not row["current"]]
    assert len(gone) > 10

    def faults_of_the_pool() -> list[str]:
        return [fault.file for fault in nescio.campaign.verify(scored).rows if fault.file.startswith("pool")]

    assert faults_of_the_pool() == []
    change: dict[str, dict[str, Any]] = {
        "answer": {"answer": "forged"},
        "support": {"supports": [["D", "forged"]]},
        "new": {"id": "bcdfghjkmnpq"},
    }
    forged_row = {**gone[0], **change[forged]}
    made.lines(path, [*(row for row in rows if row != gone[0] or forged == "new"), forged_row])
    opened = open_campaign(scored)
    done(opened, "pool", inputs(opened, "pool"), {entry.step: entry.about for entry in read_log(opened)}["pool"])
    assert faults_of_the_pool() == ["pool/pool.jsonl"]


def test_verifying_takes_no_more_resamples_from_a_log_than_scoring_takes(scored: Path) -> None:
    add(scored, "score", {"resamples": 1_000_001})
    assert "nescio campaign score does not write such a line" in str(nescio.campaign.verify(scored))
    with pytest.raises(nescio.UsageError, match="resamples"):
        nescio.campaign.score(scored, resamples=1_000_001)


def test_what_was_kept_of_the_log_may_be_given_as_a_text(scored: Path) -> None:
    """A text of many lines is no name of a file, and what a message quotes of it is short."""
    text = (scored / "receipts" / "beta" / "receipts.txt").read_text()
    assert nescio.campaign.verify(scored, against=text + "x" * 5_000).sound
    with pytest.raises(nescio.UsageError, match="neither a digest") as raised:
        nescio.campaign.verify(scored, against="nothing\n" * 5_000)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


def test_results_of_another_version_are_no_edits(scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of that version was mended, so this one computes other figures, or refuses to."""

    def other(_: Any, draft: Path, *__: Any, **___: Any) -> None:
        (draft / "scores.csv").write_text("other", encoding="utf-8")

    def refuse(*_: Any, **__: Any) -> None:
        raise nescio.MismatchError("the key does not fit")

    monkeypatch.setattr("nescio.people.campaigns.repeating.__version__", "9.9")
    for made_anew, says in (
        (other, rf"different file from the same input: nescio {nescio.__version__} computed it, and 9\.9 computes"),
        (refuse, rf"cannot be repeated by nescio 9\.9, though {nescio.__version__} did this step: the key does not"),
    ):
        monkeypatch.setattr("nescio.people.campaigns.repeating.write_results", made_anew)
        verified = nescio.campaign.verify(scored)
        assert not verified.sound
        assert re.search(says, str(verified)), str(verified)
        assert "somebody edited" not in str(verified)
