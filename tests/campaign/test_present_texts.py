"""A verdict counts only for the question and the supports by which it was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import MismatchError
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.people.campaigns.judgements import TAKEN_BACK, Change, Present
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.screens import page_key, shown_item
from nescio.people.campaigns.shown_texts import CHANGED, still_holds, texts_key
from tests.campaign import made


@pytest.mark.parametrize(
    ("verdict", "then", "now", "holds"),
    [
        ("R", ["a"], ["a", "b"], True),  # a text supports the answer, as before
        ("R", ["a", "b"], ["a"], False),
        ("U", ["a"], ["a", "b"], False),  # the new text may support the answer
        ("U", ["a", "b"], ["a"], True),
        ("W", ["a"], ["b"], True),  # the answer itself is wrong
        ("X", ["a"], ["b"], True),
    ],
)
def test_a_verdict_holds_while_the_texts_that_it_rests_on_are_there(
    verdict: str, then: Sequence[str], now: Sequence[str], holds: bool
) -> None:
    assert still_holds("answer", verdict, texts_key("q", then), texts_key("q", now)) is holds
    assert not still_holds("answer", verdict, texts_key("q", then), texts_key("another question", now))
    assert still_holds("answer", verdict, "", texts_key("q", now))  # nobody knows by which texts
    assert not still_holds("sentences", "0", texts_key("q", ["a"]), texts_key("q", ["a", "b"]))


def campaign_of(folder: Path, verdict: str) -> Path:
    """A campaign in which ana gave one verdict on the answers of the first run, which all have a bad support."""
    bad = [{"answer": "thing", "support": "a bad text"}] * 2
    campaign = made.pooled(folder, {"alpha_a": bad}, ["ana"])
    made.judge(campaign, lambda *_: verdict)
    return campaign


def second_run(campaign: Path) -> Any:
    good = [{"answer": "thing", "support": "a good text"}] * 2
    made.take(campaign, {"beta_b": good})
    return nescio.campaign.pool(campaign)


@pytest.mark.parametrize(("verdict", "taken_back"), [("U", 2), ("R", 0), ("W", 0)])
def test_a_new_support_takes_back_that_nothing_supports_the_answer(
    verdict: str, taken_back: int, tmp_path: Path
) -> None:
    campaign = campaign_of(tmp_path, verdict)
    pooled = second_run(campaign)
    assert (pooled.taken_back, pooled.judged) == (taken_back, 2 - taken_back)
    assert ("took back 2 verdicts" in str(pooled)) is bool(taken_back)
    assert len(made.verdicts(campaign)) == 2 - taken_back
    assert nescio.campaign.verify(campaign).rows == ()
    assert second_run(campaign).taken_back == 0


@pytest.mark.parametrize("mark", [TAKEN_BACK, "pool.jsonl"])  # the second is that of earlier campaigns
def test_an_equal_verdict_on_the_present_texts_is_new(mark: str) -> None:
    sheet = Change("2026-06-01T12:00:00Z", "ana", "i", "", "U", "", 1, "", "ana.csv")
    back = Change("2026-06-02T12:00:00Z", "ana", "i", "U", "", "", 2, "", mark, said=sheet.at * (mark == TAKEN_BACK))
    assert Present([sheet, back]).by_sheet == {}


def test_an_equal_verdict_on_the_present_texts_counts(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "U")
    second_run(campaign)
    collected = nescio.campaign.collect(campaign, resamples=10)  # the earlier sheet still lies there
    assert (collected.rows, made.verdicts(campaign)) == ((), {})
    nescio.campaign.sheets(campaign, ["ana"])
    rows = made.rows_of(campaign / "sheets" / "ana.csv")
    assert all("a good text" in row["support"] for row in rows)
    made.judge(campaign, lambda *_: "U")
    assert sorted(made.verdicts(campaign).values()) == ["U", "U"]
    assert nescio.campaign.verify(campaign).rows == ()


def test_a_sheet_with_earlier_texts_that_comes_late_is_a_fault(tmp_path: Path) -> None:
    bad = [{"answer": "thing", "support": "a bad text"}] * 2
    campaign = made.pooled(tmp_path, {"alpha_a": bad}, ["ana"])
    second_run(campaign)
    collected = made.judge(campaign, lambda _, row: "U" if row["question_id"] == "q0" else "R")
    assert [fault.rule[: len(CHANGED)] for fault in collected.rows] == [CHANGED]
    assert [*made.verdicts(campaign).values()] == ["R"]
    with pytest.raises(nescio.UsageError, match="holds verdicts that were not collected"):
        nescio.campaign.sheets(campaign, ["ana"])


def test_a_page_with_earlier_texts_that_comes_late_is_a_fault(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2})
    before = {item.question: item for item in read_pool(open_campaign(campaign))}
    second_run(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    records = [
        Record(f"ana-{question}", item.id, "2026-06-01T12:00:00Z", verdict, texts=shown_item(item)["texts"])
        for (question, item), verdict in zip(sorted(before.items()), "UR", strict=True)
    ]
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    path = tmp_path / "ana.judgements.jsonl"
    path.write_bytes(b"".join(hand_in_lines(heading, records)))
    collected = nescio.campaign.collect(campaign, [path], resamples=10)
    assert [fault.rule[: len(CHANGED)] for fault in collected.rows] == [CHANGED]
    assert [*made.verdicts(campaign).values()] == ["R"]


@pytest.mark.parametrize("name", ["ana.judgements.jsonl", "pool.jsonl"])
def test_a_later_judgement_that_arrives_after_the_taking_back_counts(name: str, tmp_path: Path) -> None:
    """Ana changed her mind on a page before a second run brought another support; R holds for both supports."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2})
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    items = {item.question: item for item in read_pool(open_campaign(campaign))}
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    path = tmp_path / name
    records = []
    for hour, verdict in (("12", "U"), ("13", "R")):
        for question, item in sorted(items.items()):
            at = f"2026-06-01T{hour}:00:00Z"
            records.append(
                Record(f"{question}-{verdict}-of-ana", item.id, at, verdict, texts=shown_item(item)["texts"])
            )
        path.write_bytes(b"".join(hand_in_lines(heading, records)))
        nescio.campaign.collect(campaign, [path], resamples=10)
        if verdict == "U":
            assert second_run(campaign).taken_back == 2
            assert made.verdicts(campaign) == {}
    assert sorted(made.verdicts(campaign).values()) == ["R", "R"]
    assert nescio.campaign.verify(campaign).rows == ()


def test_a_corrected_question_takes_back_every_verdict_on_its_answers(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "W")
    made.edit(next((campaign / "topics").iterdir()), "What is 0?", "What is nought?")
    assert nescio.campaign.pool(campaign).taken_back == 1
    assert len(made.verdicts(campaign)) == 1


def test_nothing_is_scored_by_a_pool_that_is_older_than_its_questions(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "W")
    made.edit(next((campaign / "topics").iterdir()), "What is 0?", "What is nought?")
    with pytest.raises(MismatchError, match="nescio campaign pool"):
        nescio.campaign.score(campaign)


def test_a_changed_story_takes_back_the_numbers_of_its_sentences(tmp_path: Path) -> None:
    campaign = made.reading(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": "It rained."} for i in range(3)])
    made.ready(campaign, "ana", sentences=True)
    made.judge(campaign, lambda *_: "0", column="sentences")
    assert len(made.verdicts(campaign)) == 3
    (stories,) = [path for path in (campaign / "topics").iterdir() if "It rained." in path.read_text()]
    made.edit(stories, "Ann went to town 0.", "Ann was at home.")
    assert nescio.campaign.pool(campaign).taken_back == 1
    assert len(made.verdicts(campaign)) == 2
    assert nescio.campaign.pool(campaign).taken_back == 0
    assert [fault for fault in nescio.campaign.verify(campaign).rows if "stories.json" in fault.file] == []


@pytest.mark.parametrize("lost", ["deleted", "edited"])
def test_a_lost_pool_is_not_made_again_over_verdicts_on_an_earlier_question(lost: str, tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "W")
    path = campaign / "pool" / "pool.jsonl"
    before = path.read_bytes()
    path.unlink() if lost == "deleted" else path.write_bytes(b"{")
    nescio.campaign.pool(campaign)  # from the same questions and runs
    assert path.read_bytes() == before
    made.edit(next((campaign / "topics").iterdir()), "What is 0?", "What is nought?")
    path.unlink() if lost == "deleted" else path.write_bytes(b"{")
    with pytest.raises(MismatchError, match="cannot tell which verdicts still hold; put the file back"):
        nescio.campaign.pool(campaign)
    path.write_bytes(before)
    assert nescio.campaign.pool(campaign).taken_back == 1
