"""Runs come in whole, or are refused with a receipt; a step that is killed and repeated ends in the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import nescio
from nescio.campaigns.folder import contents, open_campaign
from nescio.campaigns.receipts import taken_in
from nescio.sources.writing import draft_of

from . import made

EARLY, LATER, LATE = "2026-05-01T10:00:00", "2026-05-02T10:00:00", "2026-07-01T10:00:00"
DEADLINE = "2026-06-30"


def told(campaign: Path, *folders: Path, **options: object) -> list[tuple[str, str]]:
    """What became of each file: its status, and why."""
    given = {"received": EARLY, **options}
    rows = nescio.campaign.intake(campaign, folders, **given).rows  # type: ignore[arg-type]
    return [(row.status, "; ".join(row.reasons)) for row in rows]


def test_a_receipt_has_digest_time_and_group(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "alpha" / "first")
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"], received="2026-05-01T12:00:00+02:00").rows
    assert (receipt.group, receipt.run, receipt.version, receipt.status) == ("alpha", "alpha_first", 1, "accepted")
    assert receipt.received == "2026-05-01T10:00:00+00:00"
    assert receipt.digest == hashlib.sha256(run.read_bytes()).hexdigest()
    assert (campaign / "runs" / "alpha" / "alpha_first" / "1.jsonl").read_bytes() == run.read_bytes()
    (written,) = (campaign / "receipts" / "alpha").glob("*.json")
    assert json.loads(written.read_text())["digest"] == receipt.digest


def test_a_later_version_replaces_an_earlier_one_and_both_are_kept(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline=DEADLINE)
    run = made.sound("qa", tmp_path / "alpha" / "first")
    told(campaign, tmp_path / "alpha")
    first = run.read_bytes()
    run.write_bytes(first.replace(b"0.5", b"0.6"))
    assert told(campaign, tmp_path / "alpha", received=LATER) == [("accepted", "")]
    (counts,) = taken_in(open_campaign(campaign))
    assert counts.version == 2
    assert counts.path.read_bytes() == run.read_bytes()
    assert (campaign / "runs" / "alpha" / "alpha_first" / "1.jsonl").read_bytes() == first
    run.write_bytes(first.replace(b"0.5", b"0.7"))
    assert told(campaign, tmp_path / "alpha", received=LATE)[0] == (
        "refused",
        "it came after the deadline, 2026-06-30 23:59 UTC",
    )
    assert taken_in(open_campaign(campaign))[0].version == 2


def test_a_version_that_came_earlier_does_not_replace_a_later_one(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "alpha" / "first")
    assert told(campaign, tmp_path / "alpha", received=LATER) == [("accepted", "")]
    later = run.read_bytes()
    run.write_bytes(later.replace(b"0.5", b"0.6"))
    why = "a version received later (2026-05-02T10:00:00+00:00) is in"
    assert told(campaign, tmp_path / "alpha", received=EARLY) == [("refused", why)]
    (counts,) = taken_in(open_campaign(campaign))
    assert (counts.version, counts.path.read_bytes()) == (1, later)


def test_what_is_handed_in_twice_late_by_the_wrong_group_or_too_often_is_refused(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline=DEADLINE, runs=2)
    made.sound("qa", tmp_path / "alpha" / "one")
    assert told(campaign, tmp_path / "alpha") == [("accepted", "")]
    assert "already accepted, as version 1 of alpha_one" in told(campaign, tmp_path / "alpha", received=LATER)[0][1]
    made.sound("qa", tmp_path / "beta" / "mine")
    assert told(campaign, tmp_path / "beta") == [("refused", "it cannot be accepted as it is; ask the organisers")]
    stranger = made.sound("qa", tmp_path / "delta" / "mine").parent
    assert "there is no group 'delta'" in told(campaign, stranger)[0][1]
    made.lines(tmp_path / "gamma" / "alpha_two.jsonl", [{"id": f"q{i}", "answer": "a"} for i in range(6)])
    assert told(campaign, tmp_path / "gamma") == [
        ("refused", "no run of this group may have this name; rename the file")
    ]
    made.lines(tmp_path / "b2" / "x.jsonl", [{"id": f"q{i}", "answer": "b"} for i in range(6)])
    assert "after the deadline" in told(campaign, tmp_path / "b2", group="beta", received=LATE)[0][1]
    for i in range(3):
        made.lines(tmp_path / "g3" / f"r{i}.jsonl", [{"id": f"q{j}", "answer": f"g{i}"} for j in range(6)])
    assert [status for status, _ in told(campaign, tmp_path / "g3", group="gamma")] == [
        "accepted",
        "accepted",
        "refused",
    ]
    refused = [r for r in (campaign / "receipts").rglob("*.json") if json.loads(r.read_text())["status"] == "refused"]
    assert len(refused) == 6
    assert sorted(run.run for run in taken_in(open_campaign(campaign))) == ["alpha_one", "gamma_r0", "gamma_r1"]


def test_a_run_with_a_fault_is_refused_whole_and_its_receipt_lists_all(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.lines(tmp_path / "alpha" / "x.jsonl", [{"id": "q0"}, {"id": "q1"}])
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows
    assert receipt.reasons == ("3 faults",)
    assert [fault.line for fault in receipt.faults] == [1, 2, None]
    assert not (campaign / "runs").exists()


def packed(path: Path, names: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, names: dict[str, bytes], link: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in names.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo("run.jsonl")
            info.type, info.linkname = tarfile.SYMTYPE, link
            archive.addfile(info)
    return path


def test_runs_in_archives_are_taken_in(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    one = made.sound("qa", tmp_path / "one").read_bytes()
    two = one.replace(b"0.5", b"0.4")
    packed(tmp_path / "alpha" / "all.zip", {"runs/one.jsonl": one, "__MACOSX/._one.jsonl": b"x"})
    tarred(tmp_path / "alpha" / "more.tar.gz", {"two.jsonl": two})
    rows = nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows
    assert [(row.run, row.status, row.archive) for row in rows] == [
        ("alpha_one", "accepted", "all.zip"),
        ("alpha_two", "accepted", "more.tar.gz"),
    ]


@pytest.mark.parametrize(
    "kind", ["zip bomb", "gzip bomb", "tar bomb", "zip ..", "tar ..", "tar link", "no zip", "link"]
)
def test_an_archive_that_could_do_harm_is_refused_and_leaves_nothing(kind: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    settings = campaign / "campaign.toml"
    settings.write_text(settings.read_text().replace("megabytes = 100", "megabytes = 1"))
    folder, bomb = tmp_path / "alpha", b"\0" * (2 << 20)
    folder.mkdir()
    if kind == "zip bomb":
        packed(folder / "a.zip", {"run.jsonl": bomb})
    elif kind == "gzip bomb":
        import gzip

        (folder / "run.jsonl.gz").write_bytes(gzip.compress(bomb))
    elif kind == "tar bomb":
        tarred(folder / "a.tar.gz", {"run.jsonl": bomb})
    elif kind == "zip ..":
        packed(folder / "a.zip", {"../../campaign.toml": b"x", "run.jsonl": b"{}"})
    elif kind == "tar ..":
        tarred(folder / "a.tar.gz", {"../run.jsonl": b"x"})
    elif kind == "tar link":
        tarred(folder / "a.tar.gz", {}, link="/etc/passwd")
    elif kind == "no zip":
        (folder / "a.zip").write_bytes(b"PK no archive")
    else:
        (folder / "run.jsonl").symlink_to("/etc/passwd")
    before = contents(campaign)
    ((status, why),) = told(campaign, folder)
    assert status == "refused"
    expected = {"bomb": "at most 1 MB", "..": "points outside the archive", "zip": "not a readable ZIP", "link": ""}
    assert expected[kind.rsplit(maxsplit=1)[-1]] in why
    after = contents(campaign)
    log = after.pop("campaign.log"), before.pop("campaign.log")
    assert log[0].startswith(log[1])
    assert {name: held for name, held in after.items() if not name.startswith("receipts/")} == before
    assert len(after) == len(before) + 2  # the receipt, and what the team is told
    assert not (tmp_path / "campaign.toml").exists()


def test_two_files_of_one_name_in_one_delivery_are_both_refused(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "a" / "run")
    made.lines(tmp_path / "alpha" / "b" / "run.jsonl", [{"id": f"q{i}", "answer": "a"} for i in range(6)])
    assert {why for _, why in told(campaign, tmp_path / "alpha")} == {
        "two files in this delivery are runs with this name"
    }


def test_a_folder_without_a_file_is_named(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "one")
    (tmp_path / "beta").mkdir()
    given = [tmp_path / "alpha", tmp_path / "beta"]
    said = f"{tmp_path / 'beta'} holds no file"
    assert [str(note) for note in nescio.campaign.check(campaign, given).notes] == [said]
    assert [str(note) for note in nescio.campaign.intake(campaign, given).notes] == [said]
    with pytest.raises(nescio.UsageError, match="no file to take in"):
        nescio.campaign.intake(campaign, [tmp_path / "beta"])


KILLED = """
import sys, nescio
nescio.campaign.handout(sys.argv[1])
print("go", flush=True)
nescio.campaign.intake(sys.argv[1], sys.argv[2:], received={received!r})
"""


@pytest.mark.parametrize("name", ["1.jsonl", "table", "judges.tar.gz"])
@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_the_drafts_of_a_killed_step_are_swept(tmp_path: Path, name: str, make: Callable[[Path], None]) -> None:
    campaign = made.qa(tmp_path)
    kept, draft = campaign / f".{name}", draft_of(campaign / "receipts" / name)
    draft.parent.mkdir()
    make(kept)
    make(draft)
    told(campaign, made.sound("qa", tmp_path / "alpha" / "first").parent)
    assert kept.exists()
    assert not draft.exists()


@pytest.mark.slow
def test_a_killed_intake_repeated_ends_in_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at ten random moments; benchmarks/campaign.py does so fifty times for every step."""
    inbox = [tmp_path / "in" / group for group in made.GROUPS]
    for number, folder in enumerate(inbox):
        for i in range(3):
            rows = [{"id": f"q{j}", "answer": f"{number} {i} {j}"} for j in range(40)]
            made.lines(folder / f"r{i}.jsonl", rows if i else rows[1:])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    straight = made.qa(tmp_path / "straight", 40)
    program = KILLED.format(received=EARLY)
    subprocess.run([sys.executable, "-c", program, straight, *inbox], check=True, capture_output=True)
    expected = contents(straight)
    assert sum("receipts/" in name and name.endswith(".json") for name in expected) == 9
    chance = random.Random(0)
    for attempt in range(10):
        campaign = made.qa(tmp_path / str(attempt), 40)
        running = subprocess.Popen([sys.executable, "-c", program, campaign, *inbox], stdout=subprocess.PIPE)
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(chance.random() * 0.04)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        running.stdout.close()
        subprocess.run([sys.executable, "-c", program, campaign, *inbox], check=True, capture_output=True)
        held = contents(campaign)
        held["campaign.toml"] = expected["campaign.toml"]
        held["campaign.secret"] = expected["campaign.secret"]
        assert held == expected, attempt


def test_an_interrupted_intake_goes_on_with_its_own_time(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "alpha" / "one")
    digest = hashlib.sha256(run.read_bytes()).hexdigest()
    pending = {"received": f"{EARLY}+00:00", "items": [["alpha", "one.jsonl", digest]]}
    made.text(campaign / "receipts" / "pending.json", json.dumps(pending))
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"], received=LATE).rows
    assert receipt.received.startswith(EARLY)
    assert not (campaign / "receipts" / "pending.json").exists()


def test_one_step_at_a_time(tmp_path: Path) -> None:
    from nescio.campaigns.folder import step

    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "one")
    with step(campaign), pytest.raises(nescio.UsageError, match="another step of this campaign is running"):
        nescio.campaign.intake(campaign, [tmp_path / "alpha"])
