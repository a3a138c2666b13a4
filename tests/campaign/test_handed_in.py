"""What pages hand in: every judgement with its own time, so that nothing is lost or doubled in whatever order it comes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.campaigns.judgements import read_history, read_judgements
from nescio.campaigns.pooling import read_pool
from nescio.campaigns.screens import page_key

from . import made
from .test_judging import fill, rows_of, write_rows


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    folder = made.qa(tmp_path, 4)
    rows = [{"id": f"q{i}", "answer": f"thing {i}", "doc": "D", "support": "s"} for i in range(4)]
    made.lines(tmp_path / "alpha" / "r.jsonl", rows)
    nescio.campaign.intake(folder, [tmp_path / "alpha"])
    nescio.campaign.pool(folder)
    nescio.campaign.sheets(folder, ["ana", "ben"], overlap=2, html=True)
    return folder


def items_of(campaign: Path) -> list[str]:
    return [item.id for item in read_pool(open_campaign(campaign))]


def hand_in(path: Path, campaign: Path, said: Sequence[tuple[Any, ...]], who: str = "ana", **heading: str) -> Path:
    """A file handed in: (item, verdict, minute, more) each; the id follows from what is said, as it does of a click."""
    records = [
        Record(f"{who}-{item}-{minute}", item, f"2026-06-01T12:{minute:02}:00.000Z", verdict, **dict(*more))
        for item, verdict, minute, *more in said
    ]
    top = {"format": FORMAT, "campaign": "c", "assessor": who, "key": page_key(open_campaign(campaign), who)}
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(hand_in_lines(Heading(**(top | heading)), records)))
    return path


def verdicts(campaign: Path) -> dict[tuple[str, str], str]:
    return {(one.item, one.assessor): one.verdict for one in read_judgements(open_campaign(campaign))}


def collect(campaign: Path, *files: Path, **options: Any) -> Any:
    return nescio.campaign.collect(campaign, files, resamples=10, **options)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_the_newest_holds_in_whatever_order_files_come(order: tuple[int, ...], campaign: Path, tmp_path: Path) -> None:
    a, b, c, _ = items_of(campaign)
    files = [
        hand_in(tmp_path / "in" / "old.jsonl", campaign, [(a, "R", 1), (b, "R", 2)]),
        hand_in(tmp_path / "in" / "new.jsonl", campaign, [(a, "R", 1), (b, "R", 2), (a, "W", 5), (c, "X", 6)]),
        hand_in(tmp_path / "in" / "phone.jsonl", campaign, [(b, "U", 4), (a, "X", 3)]),
    ]
    for i in order:
        assert collect(campaign, files[i]).sound
    assert verdicts(campaign) == {(a, "ana"): "W", (b, "ana"): "U", (c, "ana"): "X"}
    history = read_history(open_campaign(campaign))
    assert sorted(line.record for line in history) == sorted({line.record for line in history})
    assert len(history) == 6
    collect(campaign, *files)
    assert len(read_history(open_campaign(campaign))) == 6  # nothing is doubled


def test_each_file_says_what_it_changed(campaign: Path, tmp_path: Path) -> None:
    a, b, c, d = items_of(campaign)
    first = hand_in(tmp_path / "1.jsonl", campaign, [(a, "R", 1), (b, "R", 2), (a, "W", 9), (d, "R", 3), (d, "", 4)])
    assert "2 of 3 answers judged; 2 new" in str(collect(campaign, first))
    marks = [(a, "X", 10, {"mark": "flag"}), (b, "", 11), (c, "", 12, {"mark": "skip", "comment": "no document"})]
    second = hand_in(tmp_path / "2.jsonl", campaign, marks)
    assert "1 of 3 answers judged; 0 new, 1 changed, 1 withdrawn, 1 skipped, 1 flagged" in str(
        collect(campaign, second)
    )
    late = hand_in(tmp_path / "3.jsonl", campaign, [(a, "U", 5)])
    assert "0 new, 1 older than what holds" in str(collect(campaign, late))
    assert verdicts(campaign) == {(a, "ana"): "X"}
    kinds = [line.kind for line in read_history(open_campaign(campaign))]
    assert (kinds.count("skipped"), kinds.count("withdrawn")) == (1, 2)
    (skipped,) = [line for line in read_history(open_campaign(campaign)) if line.mark == "skip"]
    assert skipped.comment == "no document"


def test_a_sheet_does_not_take_back_what_a_page_said_later(campaign: Path, tmp_path: Path) -> None:
    """A person fills a sheet in, then judges on a page; the old sheet is collected again, and with `--withdraw`."""
    a, b, *_ = items_of(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda who, row: {a: "R"}.get(row["item"], "") if who == "ana" else "")
    collect(campaign)
    page = hand_in(tmp_path / "p.jsonl", campaign, [(a, "W", 1), (b, "X", 2)])
    page.write_text(page.read_text().replace("2026-06-01", "2099-06-01"))  # later than the sheet
    collect(campaign, page)
    assert verdicts(campaign) == {(a, "ana"): "W", (b, "ana"): "X"}
    assert "changed" not in str(collect(campaign, withdraw=True))
    assert verdicts(campaign) == {(a, "ana"): "W", (b, "ana"): "X"}
    fill(campaign, lambda who, row: {a: "U"}.get(row["item"], "") if who == "ana" else "")
    assert "1 changed" in str(collect(campaign))  # the sheet says something new
    assert verdicts(campaign)[a, "ana"] == "U"


def test_two_sheets_of_one_person_withdraw_once(campaign: Path, tmp_path: Path) -> None:
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    fill(campaign, lambda *_: "R")
    collect(campaign)
    rows = [{**row, "verdict": ""} for row in rows_of(campaign / "sheets" / "ana.csv")]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_rows(tmp_path / folder / "ana.csv", rows)
    collected = collect(campaign, tmp_path / "one" / "ana.csv", tmp_path / "two" / "ana.csv", withdraw=True)
    assert [(row.withdrawn, row.blank) for row in collected.tables["sheets"]] == [(4, 0), (0, 0)]
    assert [line.kind for line in read_history(open_campaign(campaign))].count("withdrawn") == 4


BAD = [
    ({"item": "nothing"}, "no pool had such an item"),
    ({"verdict": "Q"}, "a verdict is R"),
    ({"at": "yesterday"}, "at must be a time"),
    ({"id": ""}, "has an id"),
    ({"comment": "x" * 20_000}, "at most 10,000 characters"),
    ({"mark": "gold"}, "no judgement that a page wrote"),
    ({"verdict": 3}, "no judgement that a page wrote"),
    ({"pool": "x"}, "no judgement that a page wrote"),
]


@pytest.mark.parametrize(("change", "rule"), BAD)
def test_a_broken_line_is_named_and_the_others_are_taken(
    change: dict[str, Any], rule: str, campaign: Path, tmp_path: Path
) -> None:
    a, b, *_ = items_of(campaign)
    path = hand_in(tmp_path / "x.jsonl", campaign, [(a, "R", 1), (b, "R", 2)])
    first, second, third = path.read_text().splitlines()
    path.write_text("\n".join([first, json.dumps(json.loads(second) | change), third]) + "\n")
    collected = collect(campaign, path)
    (fault,) = collected.rows
    assert (fault.file, fault.line) == (str(path), 2)
    assert rule in fault.rule
    assert verdicts(campaign) == {(b, "ana"): "R"}


def test_a_download_that_was_cut_off_gives_all_that_is_whole(campaign: Path, tmp_path: Path) -> None:
    path = hand_in(tmp_path / "x.jsonl", campaign, [(item, "R", i) for i, item in enumerate(items_of(campaign))])
    path.write_bytes(path.read_bytes()[:-20])
    (fault,) = collect(campaign, path).rows
    assert fault.line == 5
    assert len(verdicts(campaign)) == 3


@pytest.mark.parametrize(
    ("heading", "rule"),
    [
        ({"assessor": "ben"}, "no page of this campaign"),
        ({"key": "0" * 32}, "no page of this campaign"),
        ({"format": "nescio judgements 9"}, "the format must be"),
    ],
)
def test_a_file_under_another_name_is_refused_whole(
    heading: dict[str, str], rule: str, campaign: Path, tmp_path: Path
) -> None:
    path = hand_in(tmp_path / "x.jsonl", campaign, [(items_of(campaign)[0], "R", 1)], **heading)
    (fault,) = collect(campaign, path).rows
    assert rule in fault.rule
    assert not verdicts(campaign)


def test_lines_copied_from_another_assessor_are_refused(campaign: Path, tmp_path: Path) -> None:
    a, *_ = items_of(campaign)
    ana = hand_in(tmp_path / "ana.jsonl", campaign, [(a, "R", 1)])
    ben = hand_in(tmp_path / "ben.jsonl", campaign, [], "ben")
    ben.write_text(ben.read_text() + ana.read_text().splitlines()[1] + "\n")
    collected = collect(campaign, ana, ben)
    assert [fault.rule for fault in collected.rows] == ["this judgement is ana's"]
    assert verdicts(campaign) == {(a, "ana"): "R"}


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"{}\n", b"[]", b'{"format": 1}\n', b"item,answer,verdict\n"])
def test_what_no_page_handed_in_is_one_fault(content: bytes, campaign: Path, tmp_path: Path) -> None:
    path = tmp_path / "ana.jsonl"
    path.write_bytes(content)
    (fault,) = collect(campaign, path, tmp_path / "none.jsonl").rows[:1]
    assert "page for assessors" in fault.rule


def test_a_history_of_before_pages_is_read(campaign: Path, tmp_path: Path) -> None:
    a, *_ = items_of(campaign)
    collect(campaign, hand_in(tmp_path / "x.jsonl", campaign, [(a, "R", 1)]))
    path = campaign / "judgements" / "history.jsonl"
    row = json.loads(path.read_text())
    path.write_text(
        json.dumps({name: value for name, value in row.items() if name not in ("mark", "said", "record")}) + "\n"
    )
    assert verdicts(campaign) == {(a, "ana"): "R"}


def test_the_page_shows_every_support_and_no_run(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 1)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "q0", "answer": "Rome", "doc": "D1", "support": "In Rome."}])
    made.lines(
        tmp_path / "beta" / "r.jsonl", [{"id": "q0", "answer": "ROME", "doc": "D2", "support": "<b>Rome</script>"}]
    )
    nescio.campaign.intake(campaign, [tmp_path / "alpha", tmp_path / "beta"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    text = (campaign / "sheets" / "ana.html").read_text()
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert data["items"][0]["supports"] == [["D1", "In Rome."], ["D2", "<b>Rome</script>"]]
    assert not {"alpha", "beta"} & set(text.replace('"', " ").replace("_", " ").split())


def test_nuggets_are_listed_and_mapped_on_one_page(tmp_path: Path) -> None:
    topics = made.lines(tmp_path / "t.jsonl", [{"id": "t0", "target": "Ada Lovelace"}])
    campaign = made.start(tmp_path, "nuggets", [topics])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": ["wrote notes", "was a countess", "noise"]}])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    named = {item.answer: item.id for item in read_pool(open_campaign(campaign))}
    listed = json.dumps(
        [{"id": "1", "text": "programmer", "vital": True}, {"id": "2", "text": "noble", "vital": False}]
    )
    said = [("nuggets:t0", listed, 1), (named["wrote notes"], "1", 2), (named["was a countess"], "2", 3)]
    path = hand_in(tmp_path / "ana.jsonl", campaign, [*said, (named["noise"], "-", 4)])
    collected = collect(campaign, path)
    assert collected.sound, str(collected)
    assert "4 of 4 answers judged; 4 new" in str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1
    assert nescio.campaign.verify(campaign).sound
    bad = hand_in(tmp_path / "bad.jsonl", campaign, [("nuggets:t0", "[{}]", 8), (named["noise"], "7", 9)])
    assert [
        fault.rule[: len(start)]
        for fault, start in zip(
            collect(campaign, bad).rows, ("a list has up to", "question t0 has no such"), strict=True
        )
    ] == ["a list has up to", "question t0 has no such"]


@pytest.mark.parametrize("key", [True, False])
def test_sentences_that_people_accept_are_marked(key: bool, tmp_path: Path) -> None:
    stories = [{"id": f"s{i}", "sentences": [f"Ann went to town {i}.", "It rained."]} for i in range(3)]
    rows: list[dict[str, Any]] = [{"id": f"r{i}", "question": "Where did Ann go?", "story": f"s{i}"} for i in range(3)]
    if key:
        rows = [row | {"answers": [f"town {i}"]} for i, row in enumerate(rows)]
    files = [made.lines(tmp_path / "q.jsonl", rows), made.lines(tmp_path / "s.jsonl", stories)]
    campaign = made.start(tmp_path, "reading", files)
    answers = ["Ann went to town 0.", "It rained.", "It rained."]
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": text} for i, text in enumerate(answers)])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2, html=True, sentences=True)
    said = [("sentences:r0", "0", 1), ("sentences:r1", "1,0", 2), ("sentences:r2", "-", 3)]
    for who in ("ana", "ben"):
        collected = collect(campaign, hand_in(tmp_path / f"{who}.jsonl", campaign, said, who))
        assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "read.HumSent") == pytest.approx(2 / 3)  # 0 of {0}, 1 of {0, 1}, 1 of none
    out = hand_in(tmp_path / "out.jsonl", campaign, [("sentences:r0", "2", 9)])
    assert "are 0 to 1" in collect(campaign, out).rows[0].rule
    with pytest.raises(nescio.UsageError, match="needs html"):
        nescio.campaign.sheets(campaign, ["ana"], sentences=True)
