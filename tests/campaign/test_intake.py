"""Runs come in whole, or are refused with a receipt; a step that is killed and repeated ends in the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

import nescio
from nescio.people.campaigns import receiving
from nescio.people.campaigns.entries import Receipt
from nescio.people.campaigns.folder import contents, open_campaign, step
from nescio.people.campaigns.receipts import taken_in
from nescio.sources.writing import draft_of
from tests.rings import together

from . import made

EARLY, LATER, LATE = "2026-05-01T10:00:00", "2026-05-02T10:00:00", "2026-07-01T10:00:00"
DEADLINE = "2026-06-30"
SAME = [f"a{i}" for i in range(6)]


def told(campaign: Path, *folders: Path, **options: object) -> list[tuple[str, str]]:
    """What became of each file: its status, and why."""
    rows = nescio.campaign.intake(campaign, folders, **{"received": EARLY, **options}).rows  # type: ignore[arg-type]
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
    first = run.read_bytes()

    def again(confidence: bytes, received: str) -> tuple[str, str]:
        run.write_bytes(first.replace(b"0.5", confidence))
        return told(campaign, tmp_path / "alpha", received=received)[0]

    assert again(b"0.5", EARLY) == ("accepted", "")
    assert again(b"0.6", LATER) == ("accepted", "")
    second = run.read_bytes()
    why = "a version received later (2026-05-02T10:00:00+00:00) was already accepted"
    assert again(b"0.8", EARLY) == ("refused", why)
    assert again(b"0.7", LATE) == ("refused", "the file came after the deadline, 2026-06-30 23:59 UTC")
    (counts,) = taken_in(open_campaign(campaign))
    assert (counts.version, counts.path.read_bytes()) == (2, second)
    assert (campaign / "runs" / "alpha" / "alpha_first" / "1.jsonl").read_bytes() == first


def test_what_was_replaced_counts_when_it_is_handed_in_again_at_the_same_time(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    for version, answer in enumerate("abaab", 1):
        made.submit(tmp_path, {"alpha_mine": [answer] * 6})
        assert told(campaign, tmp_path / "alpha") == [("accepted", "")]
        (counts,) = taken_in(open_campaign(campaign))
        assert (counts.version, answer in counts.path.read_text()) == (min(version, 3) + (version == 5), True)
    assert nescio.campaign.verify(campaign).sound


@pytest.mark.parametrize("replaced", [True, False])
def test_a_delivery_taken_in_again_brings_no_replaced_or_withdrawn_run_back(replaced: bool, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, runs=1)
    old = made.submit(tmp_path / "monday", {"alpha_mine": ["a"] * 6, "alpha_other": ["b"] * 6})
    assert [status for status, _ in told(campaign, *old)] == ["accepted", "refused"]
    if replaced:
        assert told(campaign, *made.submit(tmp_path / "tuesday", {"alpha_mine": ["c"] * 6})) == [("accepted", "")]
        made.edit(campaign / "campaign.toml", "runs = 1", "runs = 2")
    else:
        nescio.campaign.withdraw(campaign, ["alpha_mine"], reason="asked for by mail")
    (mine, why), other = told(campaign, *old)
    assert (mine, other) == ("refused", ("accepted", ""))
    assert why.endswith("and does not count any more; to let it count again, hand it in alone")
    counting = {run.run: run.version for run in taken_in(open_campaign(campaign))}
    assert counting == {"alpha_other": 1} | ({"alpha_mine": 2} if replaced else {})
    assert nescio.campaign.verify(campaign).sound


def test_a_file_whose_digest_begins_like_another_gets_a_receipt_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a receipt holds a part of the digest. All parts are the same here."""
    place = Receipt.place.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Receipt, "place", property(lambda self: place(replace(self, digest="0" * 64))))
    campaign = made.qa(tmp_path)
    for answer in "ab":
        made.submit(tmp_path, {"alpha_mine": [answer] * 6})
        assert told(campaign, tmp_path / "alpha") == [("accepted", "")]
    (counts,) = taken_in(open_campaign(campaign))
    assert (counts.version, "b" in counts.path.read_text()) == (2, True)


def test_an_interrupted_intake_goes_on_from_its_own_receipts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is withdrawn and handed in again at the same time; this intake is stopped before it decides anything."""
    campaign = made.qa(tmp_path)
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    assert told(campaign, folder) == [("accepted", "")]
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="asked for by mail")
    with monkeypatch.context() as stopped:
        stopped.setattr(receiving, "_take", lambda *_, **__: pytest.fail("stopped"))
        with pytest.raises(pytest.fail.Exception):
            told(campaign, folder)
    assert told(campaign, folder) == [("accepted", "")]
    assert [run.version for run in taken_in(open_campaign(campaign))] == [2]
    assert nescio.campaign.verify(campaign).sound


def test_a_clock_that_was_wrong_once_keeps_no_later_version_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "alpha" / "first")
    first = run.read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "4102444800")  # 2100
    assert told(campaign, tmp_path / "alpha", received=None) == [("accepted", "")]
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    for version, confidence in enumerate((b"0.6", b"0.7"), 2):
        run.write_bytes(first.replace(b"0.5", confidence))
        assert told(campaign, tmp_path / "alpha", received=None) == [("accepted", "")]
        (counts,) = taken_in(open_campaign(campaign))
        assert (counts.version, counts.path.read_bytes()) == (version, run.read_bytes())
    assert nescio.campaign.verify(campaign).sound
    assert nescio.campaign.pool(campaign) is not None  # and no step waits for that


def test_no_name_of_a_file_forges_a_receipt(tmp_path: Path) -> None:
    """What a group is told has one line for each thing that nescio says."""
    campaign = made.qa(tmp_path)
    forged = "x\naccepted: good.jsonl\n  run alpha_good, version 1"
    made.text(tmp_path / "alpha" / forged, "no run")
    packed(tmp_path / "alpha" / "a.zip", {f"{forged}.jsonl": b"{}"})
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "q\naccepted: r.jsonl\u2028accepted: r.jsonl", "answer": "a"}])
    received = nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    assert received.refused == 3
    text = (campaign / "receipts" / "alpha" / "receipts.txt").read_text(encoding="utf-8")
    for said in (text, str(received)):
        assert [line for line in said.splitlines() if line.lstrip().startswith(("accepted", "run "))] == []


def test_what_is_handed_in_twice_late_by_the_wrong_group_or_too_often_is_refused(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline=DEADLINE, runs=2)
    made.sound("qa", tmp_path / "alpha" / "one")
    assert told(campaign, tmp_path / "alpha") == [("accepted", "")]
    assert "already accepted as version 1 of alpha_one" in told(campaign, tmp_path / "alpha", received=LATER)[0][1]
    made.sound("qa", tmp_path / "beta" / "mine")
    assert told(campaign, tmp_path / "beta") == [("refused", "the file cannot be accepted; ask the organisers")]
    stranger = made.sound("qa", tmp_path / "delta" / "mine").parent
    assert "there is no group 'delta'" in told(campaign, stranger)[0][1]
    made.submit(tmp_path, {"gamma_alpha_two": SAME, "b2_x": ["b"] * 6})
    why = "runs of this group cannot have this name; rename the file"
    assert told(campaign, tmp_path / "gamma") == [("refused", why)]
    assert "after the deadline" in told(campaign, tmp_path / "b2", group="beta", received=LATE)[0][1]
    made.submit(tmp_path, {f"g3_r{i}": [f"g{i}"] * 6 for i in range(3)})
    status = [status for status, _ in told(campaign, tmp_path / "g3", group="gamma")]
    assert status == ["accepted", "accepted", "refused"]
    receipts = [json.loads(path.read_text()) for path in (campaign / "receipts").rglob("*.json")]
    assert [receipt["status"] for receipt in receipts].count("refused") == 6
    assert sorted(run.run for run in taken_in(open_campaign(campaign))) == ["alpha_one", "gamma_r0", "gamma_r1"]


def test_a_run_with_a_fault_is_refused_whole_and_its_receipt_lists_all(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.lines(tmp_path / "alpha" / "x.jsonl", [{"id": "q0"}, {"id": "q1"}])
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows
    assert receipt.reasons == ("3 faults",)
    assert [fault.line for fault in receipt.faults] == [1, 2, None]
    assert not (campaign / "runs").exists()


@pytest.mark.parametrize(
    ("lines", "reason", "last"),
    [
        # 50 are listed, and the missing answers to six questions are the last fault.
        (200, "201 faults", "151 more faults that the list leaves out"),
        (15_000, "at least 10,050 faults", "10,000 more faults that the list leaves out; the file was read no further"),
    ],
)
def test_a_run_of_nothing_but_faults_gets_a_short_receipt(lines: int, reason: str, last: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    (tmp_path / "alpha").mkdir()
    with zipfile.ZipFile(tmp_path / "alpha" / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.jsonl", "{}\n" * lines)
    (checked,) = nescio.campaign.check(campaign, [tmp_path / "alpha"]).tables["files"]
    assert checked.faults == int(reason.split()[-2].replace(",", ""))
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows
    assert receipt.reasons == (reason,)
    assert len(receipt.faults) == 51
    assert receipt.faults[-1].rule == last
    assert sum(path.stat().st_size for path in (campaign / "receipts").rglob("*.*")) < 50_000
    assert nescio.campaign.verify(campaign).sound


def test_a_text_of_megabytes_is_cut_in_receipt_and_console(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.lines(tmp_path / "alpha" / "run.jsonl", [{"id": "q" * 1_000_000, "answer": "x"}])
    received = nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    value = received.rows[0].faults[0].value
    assert value is not None
    assert len(value) == 300
    assert value.endswith("q… (1,000,000 characters)")
    assert len(str(received)) < 2_000
    assert all(path.stat().st_size < 5_000 for path in (campaign / "receipts").rglob("*.*"))
    assert nescio.campaign.verify(campaign).sound
    long = f"{'a/' * 300}run.jsonl"
    with zipfile.ZipFile(tmp_path / "long.zip", "w") as archive:
        archive.writestr(long, "{}")
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "long.zip"], group="alpha").rows
    assert receipt.reasons == ("a name in the archive has more than 500 characters",)


def test_folders_are_of_groups_and_each_run_has_one_name(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "inbox" / "alpha" / "a" / "run")
    made.submit(tmp_path / "inbox" / "alpha", {"b_run": SAME})
    made.submit(tmp_path / "inbox", {"beta_b": ["b"] * 6})
    rows = nescio.campaign.intake(campaign, sorted((tmp_path / "inbox").iterdir())).rows
    twice = ("alpha", "refused", ("another file in this delivery has the same run name",))
    assert [(row.group, row.status, row.reasons) for row in rows] == [twice, twice, ("beta", "accepted", ())]
    made.submit(tmp_path, {"alpha_new": ["n"] * 6})
    (tmp_path / "gamma").mkdir()
    given, said = [tmp_path / "alpha", tmp_path / "gamma"], f"{tmp_path / 'gamma'} holds no file"
    assert [str(note) for note in nescio.campaign.check(campaign, given).notes] == [said]
    assert [str(note) for note in nescio.campaign.intake(campaign, given).notes] == [said]
    with pytest.raises(nescio.UsageError, match="no file to accept"):
        nescio.campaign.intake(campaign, [tmp_path / "gamma"])


def test_a_group_keeps_its_own_name_where_another_is_the_beginning_of_it(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, groups=["uned=UNED", "uned-nlp=NLP"])
    made.submit(tmp_path, {"uned-nlp_uned-nlp_a": SAME, "uned_uned-nlp_b": ["b"] * 6})
    assert told(campaign, tmp_path / "uned-nlp") == [("accepted", "")]
    assert told(campaign, tmp_path / "uned") == [
        ("refused", "runs of this group cannot have this name; rename the file")
    ]


def test_a_name_that_another_groups_run_has_is_refused_though_the_group_came_later(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, groups=["uned=UNED"])
    made.submit(tmp_path, {"uned_uned-nlp_a": SAME, "uned-nlp_a": ["b"] * 6})
    assert told(campaign, tmp_path / "uned") == [("accepted", "")]
    made.edit(campaign / "campaign.toml", '"uned" = "UNED"', '"uned" = "UNED"\n"uned-nlp" = "NLP"')
    assert told(campaign, tmp_path / "uned-nlp") == [
        ("refused", "runs of this group cannot have this name; rename the file")
    ]
    assert [(run.run, run.group) for run in taken_in(open_campaign(campaign))] == [("uned-nlp_a", "uned")]


def test_two_files_of_one_delivery_that_make_one_name_are_refused_both(tmp_path: Path) -> None:
    """`first` and `alpha_first` of alpha are both the run alpha_first, and neither replaces the other unseen."""
    campaign = made.qa(tmp_path)
    made.submit(tmp_path, {"alpha_first": SAME, "alpha_alpha_first": ["b"] * 6})
    why = "another file in this delivery has the same run name"
    assert told(campaign, tmp_path / "alpha") == [("refused", why)] * 2
    assert taken_in(open_campaign(campaign)) == []


def test_what_lies_beside_the_folders_of_groups_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    """One well-named folder lets no other file vanish."""
    campaign, inbox = made.qa(tmp_path), tmp_path / "inbox"
    made.sound("qa", inbox / "alpha" / "a")
    made.submit(inbox, {"Beta_b": ["b"] * 6})
    loose = made.lines(inbox / "beta_b.jsonl", [{"id": f"q{i}", "answer": "c"} for i in range(6)])
    packed(inbox / "beta.zip", {"beta_c.jsonl": loose.read_bytes()})
    (inbox / ".hidden").write_text("x")
    (inbox / "alpha" / "Thumbs.db").write_text("x")
    received = nescio.campaign.intake(campaign, sorted(inbox.glob("[!.]*")))  # as a shell names `inbox/*`
    assert {row.file: (row.status, *row.reasons) for row in received.rows} == {
        "a.jsonl": ("accepted",),
        "b.jsonl": ("refused", "there is no group 'Beta'"),
        "beta_b.jsonl": ("refused", "there is no group 'inbox'"),
        "beta_c.jsonl": ("refused", "there is no group 'inbox'"),
    }
    assert received.status == 2
    assert len([*(campaign / "receipts").rglob("*.json")]) == 4


def test_a_link_gives_its_own_name_to_the_runs_behind_it(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "beta" / "r")
    (tmp_path / "alpha").symlink_to(tmp_path / "beta")
    assert [row.run for row in nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows] == ["alpha_r"]


def test_a_folder_inside_a_delivery_gives_its_runs_to_no_other_group(tmp_path: Path) -> None:
    """The sender chose the names of the folders inside, and the organisers that of the folder which they name."""
    campaign, inbox = made.qa(tmp_path), tmp_path / "inbox"
    made.sound("qa", inbox / "alpha" / "a")
    assert told(campaign, inbox / "alpha") == [("accepted", "")]
    for stranger in ("Stranger", "BETA"):
        made.lines(inbox / stranger / "alpha" / "a.jsonl", [{"id": f"q{i}", "answer": "junk"} for i in range(6)])
        assert told(campaign, inbox / stranger, received=LATER) == [("refused", f"there is no group {stranger!r}")]
    received = nescio.campaign.intake(campaign, sorted(inbox.iterdir()), received="2026-05-03")
    assert [row.group for row in received.rows] == ["BETA", "Stranger", "alpha"]
    assert {row.status for row in received.rows} == {"refused"}
    assert {row.status for row in nescio.campaign.intake(campaign, [inbox]).rows} == {"refused"}
    (run,) = taken_in(open_campaign(campaign))
    assert (run.run, run.version) == ("alpha_a", 1)


@pytest.mark.parametrize(
    ("first", "second", "runs"),
    [
        ("gpt-4.0.jsonl", "gpt-4.1.jsonl", ["alpha_gpt-4.0", "alpha_gpt-4.1"]),
        ("a+b.jsonl", "a_b.jsonl", ["alpha_a+b", "alpha_a_b"]),
        (f"{'x' * 70}1.jsonl", f"{'x' * 70}2.jsonl", [f"alpha_{'x' * 70}1", f"alpha_{'x' * 70}2"]),
        ("v1.0.jsonl.gz", "v1.1.jsonl.gz", ["alpha_v1.0", "alpha_v1.1"]),
    ],
)
def test_two_names_of_files_are_two_runs(first: str, second: str, runs: list[str], tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    for day, (name, answer) in enumerate(((first, "a"), (second, "b")), 1):
        path = made.lines(tmp_path / "alpha" / name, [{"id": f"q{i}", "answer": answer} for i in range(6)])
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(path.read_bytes()))
        assert [row.run for row in nescio.campaign.check(campaign, [path]).tables["files"]] == [runs[day - 1][6:]]
        assert told(campaign, path.parent, received=f"2026-05-0{day}") == [("accepted", "")]
        path.unlink()
    assert [run.run for run in taken_in(open_campaign(campaign))] == runs
    assert nescio.campaign.verify(campaign).sound


def test_a_run_in_one_language_replaces_none_in_another(tmp_path: Path) -> None:
    asked = [{"id": f"{name}{i}", "question": f"{i}?", "language": name} for name in ("EN", "ES") for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", asked)])

    def best(language: str, answer: str) -> list[tuple[str, str]]:
        made.lines(tmp_path / "alpha" / "best.jsonl", [{"id": f"{language}{i}", "answer": answer} for i in range(3)])
        return told(campaign, tmp_path / "alpha")

    assert best("EN", "a") == [("accepted", "")]
    assert best("ES", "a") == [("refused", "alpha_best is already a run in EN; give this file another name")]
    assert best("EN", "b") == [("accepted", "")]
    nescio.campaign.withdraw(campaign, ["alpha_best"], reason="asked for by mail")
    assert best("ES", "a") == [("accepted", "")]
    assert [(run.run, run.language) for run in taken_in(open_campaign(campaign))] == [("alpha_best", "ES")]


def test_the_runs_of_a_group_are_counted_and_compared_by_the_present_languages(tmp_path: Path) -> None:
    asked = [{"id": f"q{i}", "question": f"{i}?", "language": "GB" if i < 3 else "ES"} for i in range(6)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", asked)], runs=1)

    def hand_in(name: str, answer: str) -> list[tuple[str, str]]:
        made.lines(tmp_path / "alpha" / f"{name}.jsonl", [{"id": f"q{i}", "answer": answer} for i in range(3)])
        return told(campaign, tmp_path / "alpha" / f"{name}.jsonl")

    assert hand_in("a", "a") == [("accepted", "")]
    for path in (campaign / "topics" / "questions.jsonl", campaign / "campaign.toml"):
        path.write_text(path.read_text().replace('"GB"', '"EN"'))
    why = "alpha already has 1 run in EN (alpha_a), and no group may have more"
    assert hand_in("b", "b") == [("refused", why)]
    nescio.campaign.disqualify(campaign, ["alpha_a"], reason="made by hand")
    why = "the file gives the same answers as alpha_a, which is disqualified: made by hand"
    assert hand_in("c", "A") == [("refused", why)]
    nescio.campaign.disqualify(campaign, ["alpha_a"], reason="not so", lift=True)
    assert hand_in("a", "b") == [("accepted", "")]


@pytest.mark.parametrize("own", [[0], [1, 2]])
def test_a_run_that_fits_no_topics_any_more_has_a_next_version_in_any_language(own: list[int], tmp_path: Path) -> None:
    asked = [{"id": f"q{i}", "question": f"{i}?", "language": "EN"} for i in range(3)]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", asked)], runs=1)
    path = made.lines(tmp_path / "alpha" / "a.jsonl", [{"id": f"q{i}", "answer": "a"} for i in range(3)])
    assert told(campaign, path) == [("accepted", "")]
    corrected = [{**row, "language": "ES" if at else "EN"} for at, row in enumerate(asked)]
    made.lines(campaign / "topics" / "questions.jsonl", corrected)
    made.lines(path, [{"id": f"q{i}", "answer": "b"} for i in own])
    assert told(campaign, path) == [("accepted", "")]
    made.lines(tmp_path / "alpha" / "b.jsonl", [{"id": f"q{i}", "answer": "c"} for i in own])
    why = f"alpha already has 1 run in {'ES' if 1 in own else 'EN'} (alpha_a), and no group may have more"
    assert told(campaign, tmp_path / "alpha" / "b.jsonl") == [("refused", why)]


@pytest.mark.parametrize("together", [True, False])
def test_two_runs_that_tables_print_alike_are_not_taken(together: bool, tmp_path: Path) -> None:
    """Tables print alpha_1 and alpha-1 as "Alpha University 1", and a blind page gave one the number of the other."""
    campaign = made.qa(tmp_path)
    paths = [
        made.lines(tmp_path / "alpha" / f"{name}.jsonl", [{"id": f"q{i}", "answer": name} for i in range(6)])
        for name in ("alpha_1", "alpha-1")
    ]
    why = "the name differs from alpha_1 only in case, or in the mark after the group's name"
    if together:
        assert {status for status, _ in told(campaign, tmp_path / "alpha")} == {"refused"}
    else:
        assert [told(campaign, path) for path in paths] == [[("accepted", "")], [("refused", why)]]


def test_two_groups_have_two_names_in_tables(tmp_path: Path) -> None:
    with pytest.raises(nescio.FormatError, match="two groups have the same name for tables"):
        made.qa(tmp_path, groups=["one=The Lab", "two=the lab "])


def test_a_version_in_a_file_of_another_name_says_what_it_replaces(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    for day, (name, answer) in enumerate((("first", "a"), ("alpha_first", "b"), ("alpha_first", "c")), 1):
        path = made.lines(tmp_path / "alpha" / f"{name}.jsonl", [{"id": f"q{i}", "answer": answer} for i in range(6)])
        received = nescio.campaign.intake(campaign, [path], received=f"2026-05-0{day}")
        assert ("version 2, which replaces first.jsonl (" in str(received)) is (day == 2)
        path.unlink()
    text = (campaign / "receipts" / "alpha" / "receipts.txt").read_text()
    assert text.count("which replaces") == 1
    assert nescio.campaign.verify(campaign).sound


def test_the_name_of_a_receipt_is_no_longer_than_a_file_system_takes(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    for name in (f"a{'文' * 79}", f"a{'文' * 24}"):  # of 3 bytes each
        made.sound("qa", tmp_path / "alpha" / name)
    assert sorted(told(campaign, tmp_path / "alpha")) == [
        ("accepted", ""),
        ("refused", "the file name of a run has at most 80 bytes, and only letters, digits, and . _ + -"),
    ]


@pytest.mark.parametrize("task", ["qa", "reading"])
def test_a_question_is_answered_once_in_a_run(task: str, tmp_path: Path) -> None:
    """Repeats would weigh in the tables of others, and one verdict would hold for all of them."""
    campaign = made.MAKE[task](tmp_path)
    path = made.sound(task, tmp_path / "alpha" / "r")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    made.lines(path, [{**row, "repeat": k} for row in rows for k in ("1", "2")])
    (fault,) = nescio.campaign.check(campaign, [path]).rows
    assert fault.rule == "a run of a campaign answers each question once, so it cannot have the column 'repeat'"
    assert told(campaign, tmp_path / "alpha") == [("refused", "1 fault")]


def test_a_file_that_cannot_be_opened_takes_no_name_from_a_run(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "neg")
    (tmp_path / "alpha" / "neg.tar").write_bytes(b"")
    rows = nescio.campaign.intake(campaign, [tmp_path / "alpha"]).rows
    assert {row.file: row.status for row in rows} == {"neg.jsonl": "accepted", "neg.tar": "refused"}


@pytest.mark.parametrize("until", ["2026-04-30", "2026-05-01"])
def test_a_deadline_is_extended_to_a_later_time_alone(until: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    with pytest.raises(nescio.UsageError, match="the deadline is 2026-05-01 23:59 UTC; give a later time"):
        nescio.campaign.extend(campaign, "alpha", until=until, reason="power cut")


def test_an_extended_group_has_the_common_deadline_where_that_was_moved_beyond_it(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    nescio.campaign.extend(campaign, "alpha", until="2026-05-04", reason="power cut")
    made.edit(campaign / "campaign.toml", "2026-05-01", "2026-05-10")
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    assert ", of alpha" not in str(nescio.campaign.status(campaign))
    assert told(campaign, folder, received="2026-05-11")[0][0] == "refused"
    assert told(campaign, folder, received="2026-05-10") == [("accepted", "")]


def test_runs_that_came_after_a_deadline_that_was_moved_are_counted_in_the_status(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-10")
    nescio.campaign.extend(campaign, "gamma", until="2026-05-20", reason="power cut")
    for group, day in (("alpha", "2026-05-02"), ("beta", "2026-05-03"), ("gamma", "2026-05-03")):
        folder = made.lines(
            tmp_path / group / "one.jsonl", [{"id": f"q{i}", "answer": f"{group} {i}"} for i in range(6)]
        )
        assert told(campaign, folder.parent, received=day) == [("accepted", "")]
    assert "after the deadline" not in str(nescio.campaign.status(campaign))
    made.edit(campaign / "campaign.toml", "2026-05-10", "2026-05-02")
    assert "; 1 run that counts came after the deadline" in str(nescio.campaign.status(campaign))
    made.edit(campaign / "campaign.toml", "2026-05-02", "2026-05-01")
    assert "; 2 runs that count came after the deadline" in str(nescio.campaign.status(campaign))


def test_withdrawn_disqualified_and_extended(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    late = "2026-05-03"
    assert "after the deadline" in told(campaign, folder, received=late)[0][1]
    nescio.campaign.extend(campaign, "alpha", until="2026-05-04", reason="power cut")
    assert "2026-05-01 23:59 UTC, for alpha 2026-05-04 23:59 UTC" in str(nescio.campaign.status(campaign))
    assert told(campaign, folder, received=late + "T12:00:00") == [("accepted", "")]
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="asked for by mail")
    assert taken_in(open_campaign(campaign)) == []
    assert told(campaign, folder, received=late + "T13:00:00") == [("accepted", "")]  # which counts again
    assert taken_in(open_campaign(campaign))[0].version == 2
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    assert taken_in(open_campaign(campaign)) == []
    assert "disqualified: alpha_one" in str(nescio.campaign.status(campaign))
    assert "disqualified: trained on the topics" in told(campaign, folder, received=late + "T14:00:00")[0][1]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="it was not", lift=True)
    assert taken_in(open_campaign(campaign))[0].version == 2
    with pytest.raises(nescio.UsageError, match="give a reason"):
        nescio.campaign.withdraw(campaign, ["alpha_one"], reason=" ")
    with pytest.raises(nescio.UsageError, match="'beta_x' is not one of the names"):
        nescio.campaign.withdraw(campaign, ["beta_x"], reason="because")
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="as asked")
    with pytest.raises(nescio.UsageError, match="the log says with this reason that it was withdrawn"):
        nescio.campaign.withdraw(campaign, ["alpha_one"], reason="as asked")
    assert nescio.campaign.verify(campaign).sound


def test_a_campaign_made_again_without_a_group_holds_no_trace_of_it_and_has_all_other_verdicts(tmp_path: Path) -> None:
    runs: dict[str, list[str | None]] = {
        "alpha_a": ["a0", "both", None],
        "beta_b": ["veiled", "both", "covert"],
        "gamma_c": ["a0", "c1", "c2"],
    }
    old = made.pooled(tmp_path / "old", runs, ["ana", "ben"], overlap=2)
    made.judge(old, lambda who, row: "R" if who == "ana" or row["answer"] != "a0" else "W")
    back = shutil.copytree(old / "sheets", tmp_path / "back")
    nescio.campaign.sheets(old, adjudicate=True)
    asked = old / "sheets" / "adjudication.csv"
    made.write_rows(asked, [{**row, "verdict": "W"} for row in made.rows_of(asked)])
    nescio.campaign.collect(old, resamples=10)
    shutil.copy(asked, back)
    nescio.campaign.withdraw(old, ["beta_b"], reason="asked for by law")
    nescio.campaign.pool(old)
    new = made.qa(tmp_path / "new", 3, key=False, groups=["alpha=Alpha University", "gamma=Gamma"])
    for name in ("campaign.secret", "guidelines.md"):
        shutil.copy(old / name, new)
    made.take(new, {name: said for name, said in runs.items() if name != "beta_b"})
    nescio.campaign.pool(new)
    nescio.campaign.sheets(new, ["ana", "ben"], overlap=2)
    found = nescio.campaign.collect(new, sorted(back.glob("*.csv")), resamples=10)
    assert {fault.rule for fault in found.rows} == {"no pool of this campaign had this item"}
    for campaign in (old, new):
        nescio.campaign.score(campaign, resamples=10)
    for name in ("scores.csv", "topics.csv", "judgements.csv"):
        assert (new / "results" / name).read_text() == (old / "results" / name).read_text()
    nescio.campaign.publish(new)
    assert nescio.campaign.verify(new).sound
    held = b"".join(path.read_bytes() for path in new.rglob("*") if path.is_file()).decode().casefold()
    assert not [word for word in ("beta", "veiled", "covert") if word in held]


def test_a_ruling_on_two_runs_that_was_stopped_after_the_first_is_repeated(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.take(campaign, {"alpha_a": ["a"] * 6, "beta_b": ["b"] * 6})
    for rule in (nescio.campaign.withdraw, nescio.campaign.disqualify):
        rule(campaign, ["alpha_a"], reason="trained on the topics")  # as far as it came
        rule(campaign, ["alpha_a", "beta_b"], reason="trained on the topics")
        assert taken_in(open_campaign(campaign)) == []
        with pytest.raises(nescio.UsageError, match="'alpha_a' is not one of the names"):
            rule(campaign, ["alpha_a", "beta_b"], reason="trained on the topics")


def test_a_disqualified_file_comes_in_under_no_other_name(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    path = made.sound("qa", tmp_path / "alpha" / "one")
    assert told(campaign, path.parent) == [("accepted", "")]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    path = path.rename(path.with_name("two.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    why = "the file gives the same answers as alpha_one, which is disqualified: trained on the topics"
    assert told(campaign, path.parent, received=LATER) == [("refused", why)]
    shutil.copytree(path.parent, tmp_path / "beta")
    assert told(campaign, tmp_path / "beta") == [("refused", "the file cannot be accepted; ask the organisers")]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="it was not", lift=True)
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="renamed")
    assert told(campaign, path.parent, received="2026-05-03") == [("accepted", "")]


def written_anew(task: str, path: Path, target: Path) -> Path:
    """Write a run with the same answers and other bytes: the lines in another order, with other confidences."""
    lines = path.read_text().splitlines()[::-1]
    if task == "ave":
        lines = [f"{line[:-1]}1" for line in lines]
    elif task == "pan":
        lines = [line.replace("0.9", "0.8") for line in lines]
    else:
        lines = [
            json.dumps({**json.loads(line), "confidence": 0.25}, indent=None, separators=(",", ":")) for line in lines
        ]
        lines = [line.replace("thing", "THING").replace("Ann", "ann") for line in lines]
    return made.text(target.with_suffix(path.suffix), "\n".join(lines) + "\n")


@pytest.mark.parametrize("task", ["qa", "ave", "nuggets", "reading", "pan"])
def test_the_answers_of_a_disqualified_run_come_in_under_no_name(tmp_path: Path, task: str) -> None:
    campaign = getattr(made, task)(tmp_path)
    path = made.sound(task, tmp_path / "alpha" / "one")
    assert told(campaign, path) == [("accepted", "")]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    anew = written_anew(task, path, tmp_path / "in" / "alpha" / "two")
    why = "the file gives the same answers as alpha_one, which is disqualified: trained on the topics"
    assert told(campaign, anew, received=LATER) == [("refused", why)]
    same_name = anew.rename(anew.with_stem("one"))
    assert told(campaign, same_name, received=LATER)[0] == ("refused", "the run is disqualified: trained on the topics")
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="it was not", lift=True)
    assert told(campaign, same_name, received="2026-05-03") == [("accepted", "")]
    assert nescio.campaign.verify(campaign).sound


@pytest.mark.parametrize("disguise", ["a lower answer", "full stops", "quotation marks", "another order"])
def test_the_answers_of_a_disqualified_run_come_in_in_no_disguise(tmp_path: Path, disguise: str) -> None:
    task = "nuggets" if disguise == "another order" else "qa"
    campaign = getattr(made, task)(tmp_path)
    path = made.sound(task, tmp_path / "alpha" / "one")
    assert told(campaign, path) == [("accepted", "")]
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    rows = list(map(json.loads, path.read_text().splitlines()))
    if disguise == "another order":
        rows = [{**row, "strings": row["strings"][::-1]} for row in rows]
    elif disguise == "a lower answer":
        rows = [{**row, "rank": 1} for row in rows] + [
            {"id": row["id"], "answer": "filler", "rank": 2} for row in rows if row["answer"]
        ]
    else:
        form = "{}." if disguise == "full stops" else "“{}”"
        rows = [{**row, "answer": row["answer"] and form.format(row["answer"])} for row in rows]
    disguised = made.lines(tmp_path / "in" / "alpha" / "two.jsonl", rows)
    why = "the file gives the same answers as alpha_one, which is disqualified: trained on the topics"
    assert told(campaign, disguised, received=LATER) == [("refused", why)]


def test_organisers_are_told_of_answers_that_are_mostly_those_of_a_disqualified_run(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    mine = ["a", "b", "c", "d", "e", None]
    made.submit(tmp_path / "in", {"alpha_one": mine, "alpha_early": [*mine[:4], "x", "y"], "beta_own": ["z"] * 6})
    told(campaign, tmp_path / "in" / "alpha", tmp_path / "in" / "beta")
    ruled = nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    early = "alpha_early counts: 4 of 6 answers, abstentions included, are those of alpha_one"
    assert ruled.alike == (early,)
    assert f"note: {early}" in str(ruled)
    shutil.rmtree(tmp_path / "in")
    made.submit(tmp_path / "in", {"alpha_two": [*mine[:5], "x"], "alpha_three": [*mine[:3], "x", "y", "z"]})
    made.submit(tmp_path / "in", {"beta_two": [{"answer": answer, "confidence": 0.1} for answer in mine]})
    folders = [tmp_path / "in" / "alpha", tmp_path / "in" / "beta"]
    rows = {row.run: row for row in nescio.campaign.intake(campaign, folders, received=LATER).rows}
    # Another group may give the same answers by chance, so this is for the organisers to decide.
    assert {row.status for row in rows.values()} == {"accepted"}
    assert (
        rows["alpha_two"].aside == "5 of 6 answers, abstentions included, are those of alpha_one, which is disqualified"
    )
    assert rows["alpha_three"].aside == ""  # half of its answers are other
    assert rows["beta_two"].aside.startswith("6 of 6 answers")
    assert rows["beta_two"].aside in str(rows["beta_two"])
    assert "alpha_one" not in rows["beta_two"].told


def test_a_refusal_is_decided_anew_when_its_reason_is_gone(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    late = "2026-05-03T10:00:00"
    why = "the file came after the deadline, 2026-05-01 23:59 UTC"
    assert told(campaign, folder, received=late) == [("refused", why)]
    lines = len((campaign / "campaign.log").read_bytes().splitlines())
    assert told(campaign, folder, received=late) == [("refused", why)]
    assert len((campaign / "campaign.log").read_bytes().splitlines()) == lines  # the same again is no news
    nescio.campaign.extend(campaign, "alpha", until="2026-05-04", reason="power cut")
    assert told(campaign, folder, received=late) == [("accepted", "")]
    assert told(campaign, folder, received=late) == [("accepted", "")]
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="asked for by mail")
    assert told(campaign, folder, received=late) == [("accepted", "")]
    (run,) = taken_in(open_campaign(campaign))
    assert run.version == 2  # which counts, and version 1 stays withdrawn
    nescio.campaign.disqualify(campaign, ["alpha_one"], reason="trained on the topics")
    assert told(campaign, folder, received=late) == [("refused", "the run is disqualified: trained on the topics")]
    assert nescio.campaign.verify(campaign).sound


def test_a_replaced_version_counts_again_with_its_time_once_the_later_one_is_withdrawn(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-04")
    first = made.sound("qa", tmp_path / "alpha" / "one")
    second = made.lines(
        tmp_path / "in" / "alpha" / "one.jsonl", [{"id": f"q{i}", "answer": "by mistake"} for i in range(6)]
    )
    assert told(campaign, first, received="2026-05-01") == [("accepted", "")]
    assert told(campaign, second, received="2026-05-02") == [("accepted", "")]
    assert told(campaign, first, received="2026-05-01")[0][0] == "refused"  # the later version counts
    nescio.campaign.withdraw(campaign, ["alpha_one"], reason="asked for by mail")
    never = made.lines(tmp_path / "old" / "alpha" / "one.jsonl", [{"id": f"q{i}", "answer": "x"} for i in range(6)])
    assert told(campaign, never, received="2026-05-01")[0][0] == "refused"
    assert told(campaign, first, received="2026-05-01") == [("accepted", "")]
    (run,) = taken_in(open_campaign(campaign))
    assert (run.version, run.path.read_bytes()) == (3, first.read_bytes())
    assert nescio.campaign.verify(campaign).sound


def test_the_files_of_a_delivery_are_not_all_held_at_once(tmp_path: Path) -> None:
    campaign, size = made.qa(tmp_path), 1 << 20
    (tmp_path / "alpha").mkdir()
    for number in range(24):
        (tmp_path / "alpha" / f"r{number}.jsonl.gz").write_bytes(gzip.compress(bytes(size)))
    tracemalloc.start()
    try:
        received = nescio.campaign.intake(campaign, [tmp_path / "alpha"])
        assert tracemalloc.get_traced_memory()[1] < 12 * size
    finally:
        tracemalloc.stop()
    assert [row.bytes for row in received.rows] == [size] * 24


def test_a_time_that_the_environment_sets_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = made.qa(tmp_path, deadline="2026-05-01")
    folder = made.sound("qa", tmp_path / "alpha" / "one").parent
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "315532800")  # the first second of 1980
    said = "the time of receipt is 1980-01-01T00:00:00+00:00: SOURCE_DATE_EPOCH sets it, not the clock"
    assert [str(note) for note in nescio.campaign.intake(campaign, [folder]).notes] == [said]
    assert not nescio.campaign.intake(campaign, [folder], received=EARLY).notes
    assert "(it is 1980-01-01 00:00 UTC, as SOURCE_DATE_EPOCH says)" in str(nescio.campaign.status(campaign))


# ---- archives ----


def packed(path: Path, names: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, names: dict[str, bytes], link: str | None = None) -> Path:
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


def test_what_intake_takes_of_archives_check_takes(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    one = made.sound("qa", tmp_path / "one").read_bytes()
    good = packed(tmp_path / "alpha" / "all.zip", {"runs/one.jsonl": one, "__MACOSX/._one.jsonl": b"x"})
    tarred(tmp_path / "alpha" / "more.tar.gz", {"two.jsonl": one.replace(b"0.5", b"0.4")})
    assert nescio.campaign.check(campaign, [good]).sound
    bad = packed(tmp_path / "bad.zip", {"../one.jsonl": one})
    assert "outside the archive" in str(nescio.campaign.check(campaign, [bad]))
    faulty = packed(tmp_path / "faulty.zip", {"one.jsonl": one.replace(b"q1", b"q7")})
    assert not nescio.campaign.check(campaign, [faulty]).sound
    rows = nescio.campaign.intake(campaign, [tmp_path / "alpha"], received=EARLY).rows
    assert [(row.run, row.status, row.archive) for row in rows] == [
        ("alpha_one", "accepted", "all.zip"),
        ("alpha_two", "accepted", "more.tar.gz"),
    ]
    (tmp_path / "alpha" / "more.tar.gz").unlink()
    for content in (one, b"\xef\xbb\xbf" + one, one.replace(b"\n", b"\r\n")):  # a delivery that is replayed
        packed(good, {"one.jsonl": content})
        ((status, why),) = told(campaign, tmp_path / "alpha", received=LATER)
        assert status == "refused"
        assert "already accepted" in why
    assert [run.version for run in taken_in(open_campaign(campaign))] == [1, 1]


HARM = [
    ("gzip in zip", "'run.jsonl.gz' in the archive is compressed again"),
    ("gzip in gzip", "'run.jsonl.gz' in the archive is compressed again"),
    ("zip bomb", "at most 1 MB"),
    ("gzip bomb", "at most 1 MB"),
    ("tar bomb", "at most 1 MB"),
    ("zip ..", "points outside the archive"),
    ("tar ..", "points outside the archive"),
    ("tar link", ""),
    ("no zip", "not a readable ZIP"),
    ("zip of nothing but its list", "the list of the archive's members has more than 1 MB"),
    ("tar of folders", "more than 1,000 files"),
    ("tar with a long header", "longer headers than a name needs"),
    ("tar of header upon header", "longer headers than a name needs"),
    ("sparse tar", "is sparse"),
    ("tar whose header changes a size", "states a wrong size"),
    ("tar with a negative size", "states a wrong size"),
    ("link", ""),
]


@together("kind, rule", HARM)
def test_an_archive_that_could_do_harm_is_refused_and_leaves_nothing(kind: str, rule: str, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.edit(campaign / "campaign.toml", "megabytes = 100", "megabytes = 1")
    folder, bomb = tmp_path / "alpha", b"\0" * (2 << 20)
    folder.mkdir()
    if kind == "gzip in zip":
        packed(folder / "a.zip", {"run.jsonl.gz": gzip.compress(bomb)})
    elif kind == "gzip in gzip":
        (folder / "run.jsonl.gz.gz").write_bytes(gzip.compress(gzip.compress(bomb)))
    elif kind == "zip bomb":
        packed(folder / "a.zip", {"run.jsonl": bomb})
    elif kind == "gzip bomb":
        (folder / "run.jsonl.gz").write_bytes(gzip.compress(bomb))
    elif kind == "tar bomb":
        tarred(folder / "a.tar.gz", {"run.jsonl": bomb})
    elif kind == "zip ..":
        packed(folder / "a.zip", {"../../campaign.toml": b"x", "run.jsonl": b"{}"})
    elif kind == "tar ..":
        tarred(folder / "a.tar.gz", {"../run.jsonl": b"x"})
    elif kind == "tar link":
        tarred(folder / "a.tar.gz", {}, link="/etc/passwd")
    elif kind == "zip of nothing but its list":
        line = b"PK\1\2" + bytes(24) + b"\1" + bytes(17) + b"a"
        end = struct.pack("<4s4HLLH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 26_000 * len(line), 0, 0)
        made.edit(campaign / "campaign.toml", "megabytes = 1", "megabytes = 2")
        (folder / "a.zip").write_bytes(26_000 * line + end)
    elif kind == "tar of folders":
        with tarfile.open(folder / "a.tar.gz", "w:gz") as archive:
            for number in range(1_001):
                info = tarfile.TarInfo(f"f{number}")
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
    elif "header" in kind or kind in ("sparse tar", "tar with a negative size"):
        long = tarfile.TarInfo("././@LongLink")
        contents_of = {
            "tar with a long header": (b"x", b"9" * 70_000, 1),
            "tar of header upon header": (b"L", b"name\0", 3_000),
            "sparse tar": (b"x", b"22 GNU.sparse.major=1\n", 1),
            "tar whose header changes a size": (b"x", b"15 size=999999\n", 1),
            "tar with a negative size": (b"0", b"", 1),
        }
        long.type, content, times = contents_of[kind]
        long.size = len(content)
        if kind == "tar with a negative size":
            long.size = -tarfile.BLOCKSIZE
        header = long.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)
        tarred(folder / "a.tar.gz", {"run.jsonl": b"{}"})
        (folder / "a.tar.gz").write_bytes(
            gzip.compress(header * times + gzip.decompress((folder / "a.tar.gz").read_bytes()))
        )
    elif kind == "no zip":
        (folder / "a.zip").write_bytes(b"PK no archive")
    else:
        (folder / "run.jsonl").symlink_to("/etc/passwd")
    before = contents(campaign)
    ((status, why),) = told(campaign, folder)
    assert status == "refused"
    assert rule in why
    after = contents(campaign)
    assert after.pop("campaign.log").startswith(before.pop("campaign.log"))
    assert after.pop("campaign.head") != before.pop("campaign.head")
    assert {name: held for name, held in after.items() if not name.startswith("receipts/")} == before
    assert len(after) == len(before) + 2  # the receipt, and what the team is told
    assert not (tmp_path / "campaign.toml").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_in_a_folder_gets_a_receipt_and_is_a_fault(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "r")
    os.mkfifo(tmp_path / "alpha" / "p.jsonl")
    rule = "this is not a file, but a pipe, a socket or a device"
    assert told(campaign, tmp_path / "alpha") == [("refused", rule), ("accepted", "")]
    (fault,) = nescio.campaign.check(campaign, [tmp_path / "alpha"]).rows
    assert (fault.file, fault.rule) == (str(tmp_path / "alpha" / "p.jsonl"), rule)


def test_a_receipt_names_no_file_that_was_there_for_a_moment(tmp_path: Path) -> None:
    """Whatever the library says that reads Parquet; in an archive, too, and where a team checks it at home."""
    campaign = made.qa(tmp_path)
    broken = b"PAR1" + b"x" * 50 + b"PAR1"
    for name in ("alpha/r.parquet", "alpha/s.zip"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(broken)
    with zipfile.ZipFile(tmp_path / "alpha" / "s.zip", "w") as packed:
        packed.writestr("s.parquet", broken)
    assert [status for status, _ in told(campaign, tmp_path / "alpha")] == ["refused", "refused"]
    held = "".join(content.decode() for name, content in contents(campaign).items() if name.startswith("receipts"))
    assert "not a readable Parquet file" in held
    faults = nescio.campaign.check(campaign, [tmp_path / "alpha"]).rows
    assert len(faults) == 2
    for text in (held, *(fault.rule for fault in faults)):
        assert "nescio-" not in text.replace(str(tmp_path), "")
        assert "run.parquet" not in text


# ---- steps that are killed ----


def test_the_drafts_of_a_killed_step_are_swept(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    (campaign / "receipts").mkdir()
    names = ("1.jsonl", "table", "judges.tar.gz")
    kept = [campaign / f".{name}" for name in names]
    drafts = [draft_of(campaign / "receipts" / name) for name in names] + [draft_of(campaign / "runs")]
    for path in [*kept, *drafts[:-1]]:
        path.touch()
    drafts[-1].mkdir()
    told(campaign, made.sound("qa", tmp_path / "alpha" / "first").parent)
    assert all(path.exists() for path in kept)
    assert not [path for path in drafts if path.exists()]


@pytest.mark.parametrize(("stated", "counts"), [(None, EARLY), (EARLY, EARLY), (LATE, LATE)])
def test_an_interrupted_intake_goes_on_with_its_own_time_unless_another_is_stated(
    tmp_path: Path, stated: str | None, counts: str
) -> None:
    campaign = made.qa(tmp_path)
    run = made.sound("qa", tmp_path / "alpha" / "one")
    digest = hashlib.sha256(run.read_bytes()).hexdigest()
    pending = {"received": f"{EARLY}+00:00", "items": [["alpha", "one.jsonl", digest]]}
    made.text(campaign / "receipts" / "pending.json", json.dumps(pending))
    (receipt,) = nescio.campaign.intake(campaign, [tmp_path / "alpha"], received=stated).rows
    assert receipt.received.startswith(counts)
    assert not (campaign / "receipts" / "pending.json").exists()


def test_one_step_at_a_time(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.sound("qa", tmp_path / "alpha" / "one")
    with step(campaign), pytest.raises(nescio.UsageError, match="another step of this campaign is running"):
        nescio.campaign.intake(campaign, [tmp_path / "alpha"])


def test_a_fault_of_a_run_advises_no_option_that_the_command_lacks(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 1)
    run = made.text(tmp_path / "alpha" / "deep.jsonl", f'{{"id": "q0", "answer": {"[" * 250}{"]" * 250}}}\n')
    first, *_ = nescio.campaign.check(campaign, [run]).rows
    assert first.rule.endswith("values are nested more than 200 levels deep")
