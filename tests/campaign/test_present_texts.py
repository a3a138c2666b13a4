"""A verdict counts only for the question and the supports by which it was given."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import nescio
from nescio.data.assessors import ADJUDICATION
from nescio.errors import MismatchError, UsageError
from nescio.people.campaigns import collecting
from nescio.people.campaigns.assessors import SEALED, asked_digests, open_items, read_asked
from nescio.people.campaigns.entries import Entry
from nescio.people.campaigns.folder import ASKED, open_campaign
from nescio.people.campaigns.freshness import NUGGETS, POOLING, age
from nescio.people.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import TAKEN_BACK, Change, Present, read_history
from nescio.people.campaigns.log import read_log
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.screens import list_items, page_key, shown_item
from nescio.people.campaigns.shown_texts import CHANGED, AskedAgain, still_holds, taken_back_of, taking_back, texts_key
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


# The document and the text that each of three runs gives in its first version, and the first run, or two, in its second.
# The cells of a sheet do not tell the versions apart: they name no pairs, and a spreadsheet may change a number.
LIKE: Mapping[str, Sequence[Sequence[Any]]] = {
    "documents that change places": ([("D1", "a"), ("D2", "b"), None], [("D2", "a"), ("D1", "b"), None]),
    "a pair of which other runs give each half": ([("D1", "a"), ("", "a"), ("D1", "")], [None, ("", "a"), ("D1", "")]),
    "a document that is a number": ([("7187158", ""), None, None], [("8841203", ""), None, None]),
}


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("versions", LIKE.values(), ids=LIKE)
def test_a_sheet_holds_for_the_texts_with_which_it_was_written(
    versions: Sequence[Sequence[Any]], early: bool, tmp_path: Path
) -> None:
    campaign = made.qa(tmp_path, 1, key=False)
    names = ("alpha_a", "beta_b", "beta_c")
    for day, version in enumerate(versions):
        for name, given in zip(names, version, strict=True):
            fields = dict(zip(("doc", "support"), given or (), strict=False))
            answer = {"answer": "thing"} | {key: text for key, text in fields.items() if text} if given else None
            if given != (versions[0][names.index(name)] if day else None):
                made.take(campaign, {name: [answer]}, received=f"2026-05-0{day + 1}")
        taken_back = nescio.campaign.pool(campaign).taken_back
        if not day:
            nescio.campaign.sheets(campaign, ["ana"])
            made.fill(campaign, lambda *_: "R")
            assert not early or nescio.campaign.collect(campaign, resamples=10).sound
    assert taken_back == early
    collected = nescio.campaign.collect(campaign, resamples=10)
    assert [fault.rule[: len(CHANGED)] for fault in collected.rows] == [CHANGED] * (not early)
    assert made.verdicts(campaign) == {}
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda *_: "R")
    assert [*made.verdicts(campaign).values()] == ["R"]


def test_an_adjudicator_may_say_the_same_of_an_open_answer(tmp_path: Path) -> None:
    """A new sheet shows the present texts; the old one, which is collected again, decides nothing."""
    campaign = two_supports(tmp_path, {"ana": "R", "ben": "W"})
    made.edit(campaign / "campaign.toml", 'resolve = "majority"', 'resolve = "adjudicated"')
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.judge(campaign, lambda who, _: {"ana": "R", "ben": "W"}.get(who, "W"))
    old = shutil.copy(campaign / "sheets" / "adjudication.csv", tmp_path / "adjudication.csv")
    without_a_support(campaign)
    nescio.campaign.sheets(campaign, adjudicate=True)
    nescio.campaign.collect(campaign, [old], resamples=10)
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    made.fill(campaign, lambda who, _: "W" if who == ADJUDICATION else "")
    new = campaign / "sheets" / "adjudication.csv"
    with pytest.raises(UsageError, match="verdicts that were not collected"):
        nescio.campaign.sheets(campaign, adjudicate=True)
    assert "2 of 2 answers judged; 2 new" in str(nescio.campaign.collect(campaign, [new], resamples=10))
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 0
    assert "2 of 2 answers judged; 0 new" in str(nescio.campaign.collect(campaign, [new], resamples=10))


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


def test_an_older_sheet_does_not_count_in_the_place_of_a_verdict_that_was_taken_back(tmp_path: Path) -> None:
    """Ana corrected R to U by a sheet from elsewhere; her R would hold for the new texts, too."""
    campaign = campaign_of(tmp_path, "R")
    rows = [{**row, "verdict": "U"} for row in made.rows_of(campaign / "sheets" / "ana.csv")]
    mail = made.text(tmp_path / "mail" / "ana.csv", "")
    made.write_rows(mail, rows)
    assert nescio.campaign.collect(campaign, [mail], resamples=10).sound
    assert second_run(campaign).taken_back == 2
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert made.verdicts(campaign) == {}
    nescio.campaign.withdraw(campaign, "beta_b", reason="as asked")
    assert nescio.campaign.pool(campaign).restored == 2
    assert nescio.campaign.collect(campaign, resamples=10).sound
    assert [*made.verdicts(campaign).values()] == ["U", "U"]


def test_a_sheet_with_earlier_texts_that_comes_late_is_a_fault(tmp_path: Path) -> None:
    bad = [{"answer": "thing", "support": "a bad text"}] * 2
    campaign = made.pooled(tmp_path, {"alpha_a": bad}, ["ana"])
    second_run(campaign)
    collected = made.judge(campaign, lambda _, row: "U" if row["question_id"] == "q0" else "R")
    assert [fault.rule[: len(CHANGED)] for fault in collected.rows] == [CHANGED]
    assert [*made.verdicts(campaign).values()] == ["R"]
    assert nescio.campaign.collect(campaign, resamples=10).sound  # it has the fault once
    nescio.campaign.sheets(campaign, ["ana"])
    assert [row["question_id"] for row in made.rows_of(campaign / "sheets" / "ana.csv")] == ["q0"]


def test_rows_that_collect_refused_keep_no_new_sheet_from_being_written(tmp_path: Path) -> None:
    """Ana says U of earlier texts in a sheet, and W of the present ones on a page."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2}, ["ana"])
    second_run(campaign)
    page = said_by_ana(campaign, ("W", "", read_pool(open_campaign(campaign))))
    assert nescio.campaign.collect(campaign, [page], resamples=10).sound
    made.fill(campaign, lambda *_: "U")
    with pytest.raises(UsageError, match="verdicts that were not collected"):
        nescio.campaign.sheets(campaign, ["ana"])
    assert nescio.campaign.collect(campaign, resamples=10).count == 2
    nescio.campaign.sheets(campaign, ["ana"])
    assert {*made.verdicts(campaign).values()} == {"W"}


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


def said_by_ana(campaign: Path, *said: tuple[str, str, Sequence[Item]], at: datetime | None = None) -> Path:
    """Write the file of Ana's page: each verdict on the items as they were shown then; a mark comes without one."""
    begun = at or datetime.now(UTC)
    records = [
        Record(
            f"{n}-{item.id}",
            item.id,
            (begun + timedelta(milliseconds=n)).isoformat(),
            verdict,
            mark="flag" if mark else "",
            comment="which one?" if mark else "",
            texts=shown_item(item)["texts"],
        )
        for n, (verdict, mark, items) in enumerate(said)
        for item in items
    ]
    path = campaign.parent / "ana.judgements.jsonl"
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    path.write_bytes(b"".join(hand_in_lines(heading, records)))
    return path


def test_a_verdict_on_earlier_texts_is_no_fault_if_the_file_has_one_on_the_present_texts(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2})
    before = read_pool(open_campaign(campaign))
    second_run(campaign)
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    file = said_by_ana(campaign, ("U", "", before), ("R", "", read_pool(open_campaign(campaign))))
    assert nescio.campaign.collect(campaign, [file], resamples=10).sound
    assert [*made.verdicts(campaign).values()] == ["R", "R"]
    assert nescio.campaign.score(campaign, resamples=10).scores


def test_a_flag_on_a_verdict_that_holds_no_more_does_not_withdraw_it(tmp_path: Path) -> None:
    """The verdict returns with its texts."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2})
    before = read_pool(open_campaign(campaign))
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    nescio.campaign.collect(campaign, [said_by_ana(campaign, ("U", "", before))], resamples=10)
    assert second_run(campaign).taken_back == 2
    file = said_by_ana(campaign, ("U", "", before), ("", "flag", read_pool(open_campaign(campaign))))
    assert "0 of 2 answers judged" in str(nescio.campaign.collect(campaign, [file], resamples=10))
    nescio.campaign.withdraw(campaign, "beta_b", reason="as asked")
    assert nescio.campaign.pool(campaign).restored == 2


@pytest.mark.parametrize("earlier", ["", "R"])
def test_a_comment_on_an_earlier_question_ends_no_collect(earlier: str, tmp_path: Path) -> None:
    """A comment that follows no verdict asks nobody again, so that the verdicts of others decide."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing", "thing"]}, ["ben"], overlap=1)
    nescio.campaign.sheets(campaign, ["ana"], html=True, overlap=1)
    first, other = read_pool(open_campaign(campaign))
    made.edit(campaign / "topics" / "questions.jsonl", "What is 0?", "What is zero?")
    nescio.campaign.pool(campaign)
    file = said_by_ana(campaign, *[(earlier, "", [first])] * bool(earlier), ("", "flag", [first]), ("W", "", [other]))
    collected = nescio.campaign.collect(campaign, [file], resamples=10)
    assert [fault.rule[: len(CHANGED)] for fault in collected.rows] == [CHANGED] * (2 * bool(earlier))
    assert made.verdicts(campaign) == {(other.id, "ana"): "W"}
    assert (first.id in open_items(open_campaign(campaign))) is bool(earlier)


@pytest.mark.parametrize("mark", ["skip", "flag", ""])
def test_who_skips_or_comments_on_an_answer_says_so_although_its_question_was_corrected(
    mark: Any, tmp_path: Path
) -> None:
    """Perhaps because of the reason that they gave; the verdict of the same file on another question counts."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing", "other"]})
    nescio.campaign.sheets(campaign, ["ana"], html=True)
    asked, judged = sorted(read_pool(open_campaign(campaign)), key=lambda item: item.question)
    at = datetime.now(UTC).isoformat()
    records = [
        Record("1", asked.id, at, "", "which?", mark, texts=shown_item(asked)["texts"]),
        Record("2", judged.id, at, "R", texts=shown_item(judged)["texts"]),
    ]
    made.edit(next((campaign / "topics").iterdir()), "What is 0?", "What is nought?")
    nescio.campaign.pool(campaign)
    path = tmp_path / "ana.jsonl"
    path.write_bytes(
        b"".join(hand_in_lines(Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana")), records))
    )
    assert nescio.campaign.collect(campaign, [path], resamples=10).rows == ()
    assert made.verdicts(campaign) == {(judged.id, "ana"): "R"}
    held = Present(read_history(open_campaign(campaign))).of(asked.id, "ana")
    assert (held.comment, held.mark) == ("which?", mark)
    assert open_items(open_campaign(campaign)) == {}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("verdict", ["R", "W"])
def test_a_refused_sheet_ends_no_verdict_that_holds(
    verdict: str, order: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The R is on the present texts, and the W on the same earlier ones as the refused U."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2}, ["ana"])
    before = read_pool(open_campaign(campaign))
    sheet = tmp_path / "returned" / "ana.csv"
    sheet.parent.mkdir()
    made.fill(campaign, lambda *_: "U")
    shutil.move(campaign / "sheets" / "ana.csv", sheet)
    second_run(campaign)
    page = said_by_ana(campaign, (verdict, "", read_pool(open_campaign(campaign)) if verdict == "R" else before))
    monkeypatch.setattr(collecting, "now", lambda: datetime.now(UTC) + timedelta(hours=1))  # long after the page
    for file in [sheet, page][::order]:
        nescio.campaign.collect(campaign, [file], resamples=10)
    assert {*made.verdicts(campaign).values()} == {verdict}
    assert nescio.campaign.verify(campaign).rows == ()


def test_a_clock_that_is_behind_loses_no_verdict_on_the_present_texts(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "U")
    assert second_run(campaign).taken_back == 2
    file = said_by_ana(campaign, ("R", "", read_pool(open_campaign(campaign))), at=datetime(2026, 6, 1, tzinfo=UTC))
    assert nescio.campaign.collect(campaign, [file], resamples=10).sound
    assert [*made.verdicts(campaign).values()] == ["R", "R"]
    assert nescio.campaign.score(campaign, resamples=10).scores


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


@pytest.mark.parametrize("gone", [nescio.campaign.withdraw, nescio.campaign.disqualify])
@pytest.mark.parametrize("lost", [False, True])
def test_nothing_is_scored_by_a_pool_that_has_the_support_of_a_run_which_is_gone(
    lost: bool, gone: Callable[..., Any], tmp_path: Path
) -> None:
    runs: dict[str, list[Any]] = {
        "alpha_a": ["Vienna"],
        "beta_b": [{"answer": "vienna", "support": "They met in Vienna."}],
    }
    campaign = made.pooled(tmp_path, runs, ["ana"])
    made.judge(campaign)
    gone(campaign, ["beta_b"], reason="by mistake")
    with pytest.raises(MismatchError, match=r"the pool is older than run beta_b \(gone\); run nescio campaign pool"):
        nescio.campaign.score(campaign)
    if lost:
        (campaign / "pool" / "pool.jsonl").unlink()
    assert nescio.campaign.pool(campaign).taken_back == 1
    with pytest.raises(MismatchError, match="1 answer must be judged again"):
        nescio.campaign.score(campaign)


def test_nothing_is_scored_by_a_pool_that_was_changed_by_hand(tmp_path: Path) -> None:
    campaign = campaign_of(tmp_path, "W")
    made.edit(campaign / "pool" / "pool.jsonl", "a bad text", "a good text")
    with pytest.raises(MismatchError, match=r"the pool was changed by hand; run nescio campaign pool"):
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


def test_sentences_that_no_score_counts_stop_no_score(tmp_path: Path) -> None:
    stories = [{"id": f"s{i}", "sentences": [f"Ann went to town {i}.", "It rained."]} for i in range(2)]
    rows = [
        {"id": f"r{i}", "question": f"Where did Ann go {i}?", "options": [f"town {i}", "home"], "story": f"s{i}"}
        | {"answers": [f"town {i}"]}
        for i in range(2)
    ]
    given = tmp_path / "given"
    files = [made.lines(given / "questions.jsonl", rows), made.lines(given / "stories.jsonl", stories)]
    campaign = made.start(tmp_path, "reading", files)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": f"town {i}"} for i in range(2)])
    made.ready(campaign, "ana", sentences=True)
    made.judge(campaign, lambda *_: "1", column="sentences")
    for path in (*campaign.glob("topics/*"), *campaign.glob("key/*")):
        path.write_text(path.read_text().replace("Ann go 1?", "Ann go to 1?"))
    assert nescio.campaign.pool(campaign).taken_back == 1
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_r", "accuracy") == 1
    after = nescio.campaign.status(campaign).after
    assert after is not None
    assert after.command.endswith("--assessor NAME --sentences")


def test_sentences_that_a_score_counts_are_open_like_answers(tmp_path: Path) -> None:
    campaign = made.reading(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"r{i}", "answer": "It rained."} for i in range(3)])
    made.ready(campaign, "ana", sentences=True)
    made.judge(campaign, lambda *_: "0", column="sentences")
    (stories,) = [path for path in (campaign / "topics").iterdir() if "It rained." in path.read_text()]
    for path in (stories, *(path for path in campaign.glob("key/*") if "town 0." in path.read_text())):
        made.edit(path, "Ann went to town 0.", "Ann was at home.")
    nescio.campaign.pool(campaign)
    with pytest.raises(MismatchError, match="1 answer must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


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


# ---- an answer of which a verdict was taken back is open ----

SUPPORTED = {"ana": "R", "ben": "R", "eva": "W"}


def two_supports(folder: Path, verdicts: Mapping[str, str] = SUPPORTED, *, judged: bool = True, **options: Any) -> Path:
    """A campaign in which each answer of alpha's and beta's runs has two supports, and three people judged it."""
    campaign = made.qa(folder, 2, key=False, resolve="majority", **options)
    for run, text in (("alpha_a", "text of a"), ("beta_b", "text of b")):
        made.take(campaign, {run: [{"answer": "thing", "support": text}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, [*verdicts], overlap=len(verdicts))
    if judged:
        made.judge(campaign, lambda who, _: verdicts[who])
    return campaign


def without_a_support(campaign: Path) -> Any:
    nescio.campaign.withdraw(campaign, ["beta_b"], reason="asked by mail")
    return nescio.campaign.pool(campaign)


def next_step(campaign: Path) -> str:
    after = nescio.campaign.status(campaign).after
    return after.name if after else ""


def test_what_is_left_after_a_support_was_lost_decides_nothing(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path)
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1
    pooled = without_a_support(campaign)
    assert (pooled.taken_back, pooled.judged) == (4, 0)
    said = str(nescio.campaign.status(campaign))
    assert "2 to be judged again, because the question, its supports or its nuggets changed" in said
    assert "0 in dispute" in said
    assert next_step(campaign) == "sheets"
    with pytest.raises(MismatchError, match=r"2 answers must be judged again.*nescio campaign sheets"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.collect(campaign, resamples=10)  # the earlier sheets still lie there
    assert next_step(campaign) == "sheets"


def test_an_open_answer_is_decided_once_the_same_people_judged_it_again(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path)
    without_a_support(campaign)
    nescio.campaign.sheets(campaign, ["eva", "ben", "ana"])  # without an overlap, and in whatever order
    assert next_step(campaign) == "judgements"
    assert {who: len(made.rows_of(campaign / "sheets" / f"{who}.csv")) for who in SUPPORTED} == {
        "ana": 2,
        "ben": 2,
        "eva": 0,
    }
    assert_closed_by_all(campaign)


def test_somebody_else_may_judge_an_open_answer_in_the_place_of_who_judged_it(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path)
    without_a_support(campaign)
    nescio.campaign.sheets(campaign, ["kim", "leo"])
    made.judge(campaign, lambda who, _: "R" if who in ("kim", "leo") else SUPPORTED[who])
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1


def test_a_sheet_that_is_filed_after_it_was_collected_judges_nothing_again(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "text"}] * 2})
    nescio.campaign.sheets(campaign, ["ana", "ben", "kim"], overlap=3)
    made.judge(campaign, lambda who, _: {"ana": "R", "ben": "X", "kim": "W"}[who])
    mail, sheet = made.text(tmp_path / "mail" / "ben.csv", ""), campaign / "sheets" / "ben.csv"
    made.write_rows(mail, [{**row, "verdict": "W"} for row in made.rows_of(sheet)])
    nescio.campaign.collect(campaign, [mail], resamples=10)
    made.take(campaign, {"alpha_a": [{"answer": "thing", "support": "another text"}] * 2}, received="2026-05-02")
    assert nescio.campaign.pool(campaign).taken_back == 2
    nescio.campaign.sheets(campaign, ["kim", "eva"], overlap=2)
    shutil.copy(mail, sheet)
    assert "changed" not in str(nescio.campaign.collect(campaign, resamples=10))
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("early", [True, False])
def test_a_verdict_that_does_not_hold_opens_the_answer_before_and_after_the_pool(
    early: bool, html: bool, tmp_path: Path
) -> None:
    campaign = two_supports(tmp_path, judged=False)
    files = of_pages(campaign, SUPPORTED) if html else sorted((campaign / "sheets").glob("*.csv"))
    if not html:
        made.fill(campaign, lambda who, _: SUPPORTED[who])
    if early:
        nescio.campaign.collect(campaign, files, resamples=10)
    without_a_support(campaign)
    nescio.campaign.collect(campaign, files, resamples=10)
    assert [*made.verdicts(campaign).values()] == ["W", "W"]
    assert next_step(campaign) == "sheets"
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.sheets(campaign, [*SUPPORTED])
    assert_closed_by_all(campaign)


def assert_closed_by_all(campaign: Path) -> None:
    """Assert that two open answers stay open until all who were asked have judged them again."""
    made.judge(campaign, lambda who, _: "R" if who == "ana" else "")
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    made.judge(campaign, lambda *_: "R")
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1
    assert nescio.campaign.verify(campaign).rows == ()


def of_pages(campaign: Path, verdicts: Mapping[str, str]) -> list[Path]:
    """Write the file of a page for each person, who gives one verdict on all answers."""
    files, secret = [], open_campaign(campaign).secret
    for who, verdict in verdicts.items():
        records = [
            Record(f"{who}-{item.id}", item.id, "2026-06-01T12:00:00Z", verdict, texts=shown_item(item)["texts"])
            for item in read_pool(open_campaign(campaign))
        ]
        files.append(campaign.parent / f"{who}.judgements.jsonl")
        files[-1].write_bytes(b"".join(hand_in_lines(Heading(FORMAT, "c", who, page_key(secret, who)), records)))
    return files


def test_a_campaign_made_again_without_a_group_asks_again_where_the_group_supported_an_answer(tmp_path: Path) -> None:
    old = two_supports(tmp_path / "old")
    campaign = made.qa(tmp_path, 2, key=False, resolve="majority", groups=["alpha=Alpha University"])
    for name in ("campaign.secret", "guidelines.md"):
        shutil.copy(old / name, campaign)
    made.take(campaign, {"alpha_a": [{"answer": "thing", "support": "text of a"}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, [*SUPPORTED], overlap=3)
    assert nescio.campaign.collect(campaign, sorted((old / "sheets").glob("*.csv")), resamples=10).count == 4
    assert next_step(campaign) == "sheets"
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.sheets(campaign, [*SUPPORTED])
    made.judge(campaign)
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).rows == ()


def test_who_was_asked_from_the_start_does_not_fill_the_place_of_another(tmp_path: Path) -> None:
    """Ana's R is taken back before Eva's W and Ben's R come in."""
    campaign = two_supports(tmp_path, judged=False)
    made.fill(campaign, lambda who, _: SUPPORTED[who])
    for who in ("ana", "eva", "ben"):
        nescio.campaign.collect(campaign, [campaign / "sheets" / f"{who}.csv"], resamples=10)
        if who == "ana":
            without_a_support(campaign)
        with pytest.raises(MismatchError, match="2 answers must be judged again"):
            nescio.campaign.score(campaign, resamples=10)
        assert next_step(campaign) == "sheets"


def test_a_late_verdict_on_earlier_texts_does_not_replace_a_later_one(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, {"ana": "R"}, judged=False)
    made.fill(campaign, lambda *_: "R")
    old = (campaign / "sheets" / "ana.csv").rename(tmp_path / "ana.csv")
    without_a_support(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda *_: "X")
    assert nescio.campaign.collect(campaign, [old], resamples=10).count == 2
    assert [*made.verdicts(campaign).values()] == ["X", "X"]
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 0


def test_fewer_people_than_before_can_end_a_campaign(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, dict.fromkeys(SUPPORTED, "R"))
    without_a_support(campaign)
    written = nescio.campaign.sheets(campaign, ["ana", "ben"])  # Eva left
    assert "name others with --assessor, say with --overlap how many are enough" in str(written)
    made.judge(campaign)
    assert next_step(campaign) == "sheets"
    with pytest.raises(MismatchError, match="with --overlap how many are enough, or decide with --adjudicate"):
        nescio.campaign.score(campaign, resamples=10)
    assert "enough" not in str(nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2))
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1
    nescio.campaign.sheets(campaign, ["ana", "ben", "kim"], overlap=3)  # what was judged again stays judged
    nescio.campaign.score(campaign, resamples=10)
    assert nescio.campaign.verify(campaign).rows == ()


@pytest.mark.parametrize(("verdict", "value"), [("R", 1), ("W", 0)])
def test_an_adjudicator_decides_an_open_answer_if_people_are_missing(verdict: str, value: int, tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, {"ana": "R", "ben": "R", "eva": "W", "kim": "W"})
    without_a_support(campaign)
    nescio.campaign.sheets(campaign, adjudicate=True)
    assert "--adjudicate" in str(nescio.campaign.status(campaign))
    rows = made.rows_of(campaign / "sheets" / "adjudication.csv")
    assert [row["verdicts"] for row in rows] == ["W / W"] * 2
    made.judge(campaign, lambda who, row: verdict if who == "adjudication" else row["verdict"])
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == value
    assert next_step(campaign) == "site"


@pytest.mark.parametrize("first", [ADJUDICATION, "ana"])
@pytest.mark.parametrize("other", ["ana", "kim"])
@pytest.mark.parametrize("resolve", ["adjudicated", "majority"])
def test_an_adjudicator_decides_an_open_answer_only_while_people_are_missing(
    resolve: Any, other: str, first: str, tmp_path: Path
) -> None:
    """Ana's R is taken back, and Ben's W holds. Ana, or Kim in her place, says W, too, whatever is collected first."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "text"}] * 2})
    made.edit(campaign / "campaign.toml", 'resolve = "adjudicated"', f'resolve = "{resolve}"')
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    made.judge(campaign, lambda who, _: {"ana": "R", "ben": "W"}[who])
    made.take(campaign, {"alpha_a": [{"answer": "thing", "support": "another text"}] * 2}, received="2026-05-02")
    assert nescio.campaign.pool(campaign).taken_back == 2
    nescio.campaign.sheets(campaign, [other, "ben"], overlap=2)
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.fill(campaign, lambda who, _: "R" if who == ADJUDICATION else "W")
    files = [campaign / "sheets" / f"{who}.csv" for who in (ADJUDICATION, other)]
    for file in files if first == ADJUDICATION else reversed(files):
        nescio.campaign.collect(campaign, [file], resamples=10)
        alone = first == ADJUDICATION and file is files[0]
        value = nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1")
        assert value == (1 if alone else 0)
    assert nescio.campaign.verify(campaign).sound


@pytest.mark.parametrize("html", [False, True])
def test_an_adjudicator_who_saw_earlier_texts_does_not_decide_an_open_answer(html: bool, tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, {"ana": "R", "ben": "W"})
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.fill(campaign, lambda who, _: {"ana": "R"}.get(who, "W"))
    files = of_pages(campaign, {ADJUDICATION: "W"}) if html else [campaign / "sheets" / "adjudication.csv"]
    without_a_support(campaign)
    assert nescio.campaign.collect(campaign, files, resamples=10).count == 2
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.judge(campaign, lambda who, _: {"ana": "", "ben": "W"}.get(who, "R"))
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1


def test_a_new_run_does_not_turn_the_verdict_on_the_answers_of_another(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2, key=False, resolve="majority")
    made.take(campaign, {"alpha_a": [{"answer": "thing", "support": "a bad text"}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben", "eva"], overlap=3)
    made.judge(campaign, lambda who, _: "R" if who == "eva" else "U")
    second_run(campaign)
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


def test_an_adjudicator_alone_does_not_decide_an_open_answer(tmp_path: Path) -> None:
    """Ana's and Ben's verdicts are taken back, and the adjudicator's W would be left."""
    campaign = made.qa(tmp_path, 2, key=False)
    for run, text in (("alpha_a", "text of a"), ("beta_b", "text of b")):
        made.take(campaign, {run: [{"answer": "thing", "support": text}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    made.judge(campaign, lambda who, _: "R" if who == "ana" else "X")
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.judge(campaign, lambda who, _: {"ana": "R", "ben": "X"}.get(who, "W"))
    without_a_support(campaign)
    with pytest.raises(MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.sheets(campaign, ["ana", "ben"])
    made.judge(campaign, lambda who, _: "R" if who == "ana" else "")
    nescio.campaign.score(campaign, resamples=10)  # R and X, and W by the adjudicator, whose verdict holds


def test_runs_without_an_answer_are_scored_and_need_no_sheets(tmp_path: Path) -> None:
    campaign = made.qa(tmp_path, 2)
    made.take(campaign, {"alpha_a": [None, None]})
    assert nescio.campaign.pool(campaign).after == f"nescio campaign score {campaign}"
    with pytest.raises(nescio.UsageError, match="no run answers a question, so there is nothing to judge"):
        nescio.campaign.sheets(campaign, ["ana"])
    assert next_step(campaign) == "results"
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "coverage") == 0


@pytest.mark.parametrize("html", [False, True])
def test_verdicts_count_again_when_the_texts_are_as_they_were(html: bool, tmp_path: Path) -> None:
    """A run is disqualified by mistake; whether a verdict holds depends on the texts, and not on what was between."""
    campaign = made.qa(tmp_path, 2, key=False)
    for run, text in (("alpha_a", "text of a"), ("beta_b", "text of b")):
        made.take(campaign, {run: [{"answer": "thing", "support": text}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    if html:
        nescio.campaign.collect(campaign, of_pages(campaign, {"ana": "R"}), resamples=10)
    else:
        made.judge(campaign)
    before = made.verdicts(campaign)
    nescio.campaign.disqualify(campaign, ["beta_b"], reason="a mistake")
    assert "took back 2 verdicts" in str(nescio.campaign.pool(campaign))
    nescio.campaign.disqualify(campaign, ["beta_b"], reason="a mistake", lift=True)
    assert "2 verdicts count again" in str(nescio.campaign.pool(campaign))
    assert made.verdicts(campaign) == before
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1
    nescio.campaign.publish(campaign)
    assert nescio.campaign.verify(campaign).sound
    collected = made.judge(campaign, lambda *_: "W")  # a sheet replaces its own verdict; of a page's, `collect` asks
    assert collected.count == (2 if html else 0)
    assert {*made.verdicts(campaign).values()} == {"R" if html else "W"}


def test_a_sheet_shows_the_nuggets_and_holds_only_for_them(tmp_path: Path) -> None:
    campaign = made.nuggets(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": ["one"]} for i in range(4)])
    made.ready(campaign, "ana")
    sheet = campaign / "sheets" / "ana.csv"
    shown = {row["question_id"]: row["support"] for row in made.rows_of(sheet)}
    assert shown["t2"] == "1: fact 0 of 2 ¶ 2: fact 1 of 2 ¶ 3: fact 2 of 2"
    made.judge(campaign, lambda *_: "2", column="nuggets")
    key = next((campaign / "key").iterdir())
    made.edit(key, "fact 1 of 2", "another fact")
    assert nescio.campaign.pool(campaign).taken_back == 1
    nescio.campaign.collect(campaign, [sheet], resamples=10)  # the sheet with the earlier nuggets, once more
    with pytest.raises(MismatchError, match="1 answer must be judged again"):
        nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda *_: "2", column="nuggets")
    nescio.campaign.score(campaign, resamples=10)


def test_a_comment_on_a_verdict_that_was_taken_back_does_not_keep_it_from_returning(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, {"ana": "R"})
    nescio.campaign.disqualify(campaign, ["beta_b"], reason="a mistake")
    assert nescio.campaign.pool(campaign).taken_back == 2
    made.fill(campaign, lambda *_: "", column="verdict")
    made.fill(campaign, lambda *_: "which text?", column="comment")
    nescio.campaign.collect(campaign, resamples=10)
    nescio.campaign.disqualify(campaign, ["beta_b"], reason="a mistake", lift=True)
    assert nescio.campaign.pool(campaign).restored == 2


def test_a_sheet_holds_for_the_supports_that_it_shows(tmp_path: Path) -> None:
    """The support that came after the sheet was written goes again before anybody saw it."""
    campaign = made.qa(tmp_path, 2, key=False)
    made.take(campaign, {"alpha_a": [{"answer": "thing", "support": "text of a"}] * 2})
    nescio.campaign.pool(campaign)
    nescio.campaign.sheets(campaign, ["ana"])
    made.take(campaign, {"beta_b": [{"answer": "thing", "support": "text of b"}] * 2})
    nescio.campaign.pool(campaign)
    made.judge(campaign)
    assert without_a_support(campaign).taken_back == 0


def test_a_sheet_that_does_not_say_which_texts_it_shows_is_refused(tmp_path: Path) -> None:
    """An earlier version of nescio wrote it. Nothing is lost: the verdicts go into a new sheet."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing", "other"]}, ["ana"])
    (item, *_), sheet = read_pool(open_campaign(campaign)), campaign / "sheets" / "ana.csv"
    rows = made.rows_of(sheet)
    (key,) = (row["key"] for row in rows if row["item"] == item.id)
    assert key.partition("-")[2] == shown_item(item)["texts"]  # as on a page
    made.write_rows(sheet, [row | {"key": row["key"].partition("-")[0], "verdict": "R"} for row in rows])
    collected = nescio.campaign.collect(campaign, resamples=10)
    said = "the keys of 2 rows from this line on do not say which texts they show; copy the verdicts into a new sheet"
    assert [(fault.line, said in fault.rule) for fault in collected.rows] == [(2, True)]
    assert "0 of 2 answers judged" in str(collected)


def test_an_adjudicator_decides_open_strings_by_the_assessors_list(tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["one", "two"])
    nescio.campaign.sheets(campaign, ["ana", "ben"], overlap=2)
    nuggets = campaign / "sheets" / "nuggets.csv"
    rows = made.rows_of(nuggets)
    made.write_rows(nuggets, [row | {"vital": "vital", "text": f"fact {row['nugget']}"} for row in rows[:2]])
    made.judge(campaign, lambda who, _: "1" if who == "ana" else "2", column="nuggets")
    (topics,) = (campaign / "topics").iterdir()
    made.edit(topics, "Target 0", "Target nought")
    assert nescio.campaign.pool(campaign).taken_back == 4
    nescio.campaign.sheets(campaign, ["ana"])
    made.judge(campaign, lambda who, _: "1" if who == "ana" else "", column="nuggets")
    nescio.campaign.sheets(campaign, adjudicate=True)
    made.fill(campaign, lambda who, row: "2" if who == "adjudication" else row.get("nuggets", ""), column="nuggets")
    assert nescio.campaign.collect(campaign, [campaign / "sheets" / "adjudication.csv"], resamples=10).sound
    nescio.campaign.score(campaign, resamples=10)


def test_a_list_of_a_page_that_a_killed_collect_wrote_is_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made.listed(tmp_path, ["one"])
    opened = open_campaign(campaign)
    listed = '[{"id":"1","text":"fact","vital":true}]'
    items = [*list_items(opened), *read_pool(opened)]
    verdicts = [listed if item.id.startswith("nuggets:") else "1" for item in items]
    records = [
        Record(f"r-{item.id}", item.id, "2026-06-01T12:00:00Z", verdict, texts=shown_item(item)["texts"])
        for item, verdict in zip(items, verdicts, strict=True)
    ]
    path = tmp_path / "ana.judgements.jsonl"
    path.write_bytes(b"".join(hand_in_lines(Heading(FORMAT, "c", "ana", page_key(opened.secret, "ana")), records)))
    with monkeypatch.context() as patched:
        patched.setattr(collecting, "record", lambda *_: sys.exit(9))
        with pytest.raises(SystemExit):
            nescio.campaign.collect(campaign, [path], resamples=10)
    collected = nescio.campaign.collect(campaign, [path], resamples=10)
    assert (collected.rows, len(made.verdicts(campaign))) == ((), 2)


def test_a_pool_of_an_earlier_version_is_not_older_than_the_nuggets(tmp_path: Path) -> None:
    """Its line in the log does not state them."""
    campaign = made.nuggets(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": ["one"]} for i in range(4)])
    made.ready(campaign)
    made.edit(next((campaign / "key").iterdir()), "fact 1 of 2", "another fact")
    opened = open_campaign(campaign)
    log = read_log(opened)
    for entries, fresh in ((log, False), ([replace(one, read=without_nuggets(one.read)) for one in log], True)):
        state = age(opened, POOLING, entries)
        assert state is not None
        assert state.fresh is fresh


def without_nuggets(read: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in read.items() if name != NUGGETS}


def test_what_was_taken_back_is_asked_again_if_an_earlier_version_wrote_the_sheets(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path)
    path = campaign / "sheets" / "assessors.json"
    asked = json.loads(path.read_bytes())
    without_a_support(campaign)
    del asked["lines"]
    path.write_text(json.dumps(asked))
    answers = read_asked(open_campaign(campaign)).answers
    assert {who: len(items) for who, items in answers.items()} == {"ana": 0, "ben": 0, "eva": 2}


def test_only_lines_that_seal_the_requests_say_what_they_are() -> None:
    """In earlier versions of nescio, other steps changed this file without a line."""
    entries = [
        Entry("2026-06-01", "sheets", {}, {ASKED: digest}, about) for digest, about in (("a", {}), ("b", SEALED))
    ]
    assert asked_digests(entries) == ["b"]


def test_an_edit_of_questions_and_pool_alike_keeps_no_verdict(tmp_path: Path) -> None:
    """As a search through the whole folder makes it: the verdicts were given on another question."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"] * 2}, ["ana"])
    made.judge(campaign)
    for path in (campaign / "pool" / "pool.jsonl", next((campaign / "topics").iterdir())):
        made.edit(path, "What is 0?", "What is nought?")
    assert nescio.campaign.pool(campaign).taken_back == 1


def test_who_skipped_an_answer_leaves_it_to_the_others(tmp_path: Path) -> None:
    campaign = two_supports(tmp_path, {"ana": "R", "ben": "", "eva": "R"})
    assert nescio.campaign.score(campaign, resamples=10).scores[""].value("alpha_a", "c@1") == 1


def test_a_file_of_a_server_says_which_verdicts_were_taken_back(tmp_path: Path) -> None:
    """The files of three people, two of whom are asked again, come in any order; the third one's W decides nothing."""
    campaign = made.pooled(
        tmp_path, {"alpha_a": [{"answer": "thing", "support": "text"}]}, ["ana", "ben", "eva"], overlap=3
    )
    (item,) = read_pool(open_campaign(campaign))
    texts = shown_item(item)["texts"]
    files = []
    for who, verdict in SUPPORTED.items():
        records = [Record(f"first-of-{who}", item.id, "2026-06-01T12:00:00Z", verdict, texts=texts)]
        if verdict == "R":
            records.append(Record(taking_back(3, who), item.id, "2026-06-01T12:00:00Z", texts=texts))
        heading = Heading(FORMAT, "c", who, page_key(open_campaign(campaign).secret, who))
        files.append(tmp_path / f"{who}.judgements.jsonl")
        files[-1].write_bytes(b"".join(hand_in_lines(heading, records)))
    for file in files:
        assert nescio.campaign.collect(campaign, [file], resamples=10).sound
    assert made.verdicts(campaign) == {(item.id, "eva"): "W"}
    with pytest.raises(MismatchError, match="1 answer must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


def test_one_person_does_not_decide_in_the_place_of_an_adjudicator_whose_verdict_was_taken_back() -> None:
    """Ben withdrew, and the adjudicator decided against Ana's W; a second person agrees with her, or is in dispute."""
    again = AskedAgain()
    for who, verdict, taken_back in (("ana", "W", 0), ("ben", "R", 0), (ADJUDICATION, "R", 0), ("ben", "", 0)):
        again.add("i", who, verdict, taken_back)
    assert again.open == {}
    again.add("i", ADJUDICATION, "", 1)
    assert again.open == {"i": 2}
    again.add("i", "kim", "R")
    assert again.open == {}


def test_an_adjudicator_who_takes_the_decision_back_leaves_the_answer_open() -> None:
    again = AskedAgain()
    for who, verdict, taken_back in (("ana", "R", 0), ("ben", "W", 0), ("ana", "", 2), (ADJUDICATION, "W", 0)):
        again.add("i", who, verdict, taken_back)
    assert (again.open, again.decided) == ({}, {"i": {"ana"}})
    again.add("i", ADJUDICATION, "")
    assert (again.open, again.decided) == ({"i": 2}, {})


def test_an_id_that_takes_back_gives_no_verdict(tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"]}, ["ana"])
    (item,) = read_pool(open_campaign(campaign))
    record = Record(taking_back(9, "x"), item.id, "2026-06-01T12:00:00Z", "R", texts=shown_item(item)["texts"])
    heading = Heading(FORMAT, "c", "ana", page_key(open_campaign(campaign).secret, "ana"))
    path = tmp_path / "ana.jsonl"
    path.write_bytes(b"".join(hand_in_lines(heading, [record])))
    (fault,) = nescio.campaign.collect(campaign, [path], resamples=10).rows
    assert "takes back a verdict and gives none" in fault.rule
    assert (made.verdicts(campaign), open_items(open_campaign(campaign))) == ({}, {})


def test_a_file_cannot_ask_for_more_people_than_ever_judged() -> None:
    again = AskedAgain()
    again.add("i", "ana", "W")
    again.add("i", "ben", "", 99_999_999_999)
    assert again.open == {"i": 2}


@pytest.mark.parametrize(
    ("record", "judged"), [(taking_back(3, "a"), 3), (taking_back(0, "a"), 1), ("0f3a", 0), ("again:x:y", 0), ("", 0)]
)
def test_the_id_of_a_record_says_whether_it_takes_back_a_verdict(record: str, judged: int) -> None:
    assert taken_back_of(record) == judged
