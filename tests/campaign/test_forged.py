"""What somebody edits or writes who holds the folder of a campaign: each is a fault, and none a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.campaigns import chain
from nescio.campaigns.folder import contents, open_campaign
from nescio.campaigns.freshness import done
from nescio.campaigns.log import read_log

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
    assert "no line of the log names" in fault.rule
    assert made.verdicts(scored) == before
    notes = nescio.campaign.collect(scored, resamples=10).notes
    assert "1 line of judgements/history.jsonl that no line of the log names" in " ".join(map(str, notes))
    assert path.read_bytes() == whole
    assert nescio.campaign.verify(scored).sound


def test_judgements_that_were_taken_out_stay_missed_after_another_collect(scored: Path) -> None:
    cut(scored / "judgements" / "history.jsonl")
    with pytest.raises(nescio.MismatchError, match="lines are gone"):
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
        done(opened, again, {entry.step: entry.about for entry in read_log(opened)}[again])
    for against in (None, kept):
        found = nescio.campaign.verify(scored, against=against)
        assert [fault.file for fault in found.rows][:1] == [name], str(found)
        assert "the log with it" in found.rows[0].rule


def test_what_could_not_be_checked_does_not_count_as_sound(scored: Path) -> None:
    """A stale step is not repeated, nor those after it; a forged line could claim that it read other files."""
    edit(scored / "campaign.toml", "measures = []", 'measures = ["accuracy"]')
    found = nescio.campaign.verify(scored)
    assert found.status == 2
    assert [fault.rule.partition(" wrote")[0] for fault in found.rows] == [
        "not checked: what nescio campaign score",
        "not checked: what nescio campaign publish",
    ]
    assert "older than measures in campaign.toml" in found.rows[0].rule
    assert "everything is what the log says" not in str(found)


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
    "a deep line": lambda c: (c / "campaign.log").write_text('{"follows": "", "x": ' + DEEP + "}\n"),
}
DEEP = "[" * 100_000 + "]" * 100_000


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
    "sheets/assessors.json": "who was asked to judge",
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
    done(opened, "publish", {entry.step: entry.about for entry in read_log(opened)}["publish"])
    assert [fault.file for fault in nescio.campaign.verify(scored).rows] == [name]


@pytest.mark.parametrize("place", ["site/topics/more", "receipts/delta", "returns/delta"])
def test_a_folder_that_is_a_link_is_a_fault(place: str, scored: Path, tmp_path: Path) -> None:
    """No digest tells of what is in it, and nothing is written through it."""
    made.text(tmp_path / "elsewhere" / "x.html", "x")
    (scored / place).symlink_to(tmp_path / "elsewhere")
    assert f"{place}: it is a link" in str(nescio.campaign.verify(scored))
    with suppress(nescio.MismatchError):
        nescio.campaign.verify(scored, restore=True)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["x.html"]


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


def test_time_that_runs_backwards_is_a_fault(scored: Path) -> None:
    path = scored / "campaign.log"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[2]["at"] = "2001-01-01T00:00:00+00:00"
    path.unlink()
    chain.append(path, [{name: value for name, value in row.items() if name != chain.FOLLOWS} for row in rows])
    assert "campaign.log, line 3: it is of 2001-01-01T00:00:00+00:00" in str(nescio.campaign.verify(scored))


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
