"""What is acknowledged is there, once, whatever comes twice, late or in another order; and it ends in the campaign.

Every test is of commands and requests: in SQLite, and in the slow ring in PostgreSQL, with the same results.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

import nescio
from nescio.people.assessing import clocks, saving, work
from nescio.people.assessing.saving import OF_REFUSED, UNSEEN
from nescio.people.assessing.tables import claims, records, units
from nescio.people.campaigns.folder import open_campaign
from nescio.people.campaigns.handed_in import FORMAT, Heading, Record, hand_in_lines
from nescio.people.campaigns.judgements import read_history, read_judgements
from nescio.people.campaigns.screens import page_key
from nescio.people.campaigns.shown_texts import CHANGED
from tests.campaign import made

from .client import Browser, Room

NewRoom = Callable[..., Room]


def handed_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.judgements.jsonl"))


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let time pass."""
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + seconds)


def test_every_item_is_judged_by_as_many_as_were_asked_for(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=2)
    people = [room.join(who) for who in ("ana", "ben", "eva")]
    assert [person.judge_all() for person in people] == [9, 9, 0]
    assert people[2].next() == []


def test_what_is_sent_twice_counts_once_and_the_newest_holds(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=2)
    ana = room.join("ana")
    item = ana.next()[0]["id"]
    first, last = ana.row(item, "R", 1), ana.row(item, "W", 9)
    for _ in range(3):
        assert ana.send(first, last) == ([first["id"], last["id"]], [])
    ana.send(ana.row(item, "X", 5))  # said before W, and sent after it
    assert ana.ask().json()["judged"] == 1
    with ThreadPoolExecutor(8) as threads:  # and many at once
        results = list(threads.map(lambda n: ana.send(ana.row(item, "U", n % 3 + 2)), range(24)))
    assert all(saved and not refused for saved, refused in results)
    assert room.held() == {(item, "ana"): "W"}
    assert sorted(record["id"][-4:] for record in room.records()) == ["0001", "0002", "0003", "0004", "0005", "0009"]


def test_a_clock_that_is_wrong_keeps_no_later_judgement_from_counting(new_room: NewRoom, campaign: Path) -> None:
    """A page says by its own clock when it sends; a page that does not is taken to have said nothing later than now."""
    room = new_room(campaign, overlap=2)
    ana = room.join("ana")
    ahead, behind, old = [item["id"] for item in ana.next()][:3]

    def says(item: str, verdict: str, n: int, hours: float, told: bool = True) -> None:
        clock = (datetime.now(UTC) + timedelta(hours=hours)).isoformat()
        answer = ana.save(ana.row(item, verdict, n) | {"at": clock}, sent=clock if told else "")
        assert answer.json()["refused"] == []

    for item, hours in ((ahead, 23), (behind, -23)):
        says(item, "R", 1, hours)
        says(item, "W", 2, 0)  # corrected on another computer
        says(item, "X", 3, hours)  # and on the first again
    says(old, "R", 1, 23, told=False)
    says(old, "W", 2, 0)
    assert room.held() == {(ahead, "ana"): "X", (behind, "ana"): "X", (old, "ana"): "W"}
    held = {item["id"]: item["held"]["verdict"] for item in ana.next() if "held" in item}
    assert held == {ahead: "X", behind: "X", old: "W"}


def test_a_request_that_is_slow_on_its_way_makes_nothing_newer(new_room: NewRoom, campaign: Path) -> None:
    """The first verdict was sent six seconds before it came in whole, and the second two seconds after it was said."""
    room = new_room(campaign)
    ana = room.join("ana")
    item = ana.next()[0]["id"]
    began = datetime.now(UTC)

    def says(verdict: str, n: int, at: float, sent: float) -> None:
        said, told = ((began + timedelta(seconds=seconds)).isoformat() for seconds in (at, sent))
        assert ana.save(ana.row(item, verdict, n) | {"at": said}, sent=told).json()["refused"] == []

    says("W", 1, at=-6, sent=-6)
    says("R", 2, at=-4, sent=0)
    assert room.held() == {(item, "ana"): "R"}
    # The page gets times by its own clock, as it compares them with what is said on it: after W, and no later than R.
    (held,) = [one["held"]["at"] for one in ana.next() if one["id"] == item]
    assert timedelta(seconds=-6) < datetime.fromisoformat(held) - began <= timedelta(seconds=-4)


def test_a_correction_counts_although_another_server_took_the_first_judgement(
    new_room: NewRoom, campaign: Path
) -> None:
    """The first request took 12 seconds, so that its server believed the browser's clock to be behind."""
    room = new_room(campaign)
    ana = room.join("ana")
    item = ana.left()[0]["id"]
    start = datetime.now(UTC) - timedelta(seconds=12)
    first = ana.row(item, "R", 1) | {"at": start.isoformat()}
    ana.save(first, sent=start.isoformat())
    room.app.state.clocks = clocks.Clocks()
    corrected = ana.row(item, "W", 2) | {"at": (start + timedelta(seconds=5)).isoformat(), "after": first["id"]}
    ana.save(corrected, sent=datetime.now(UTC).isoformat())
    assert room.held()[item, "ana"] == "W"


def test_what_is_said_after_the_servers_clock_was_set_back_counts(
    new_room: NewRoom, campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = new_room(campaign)
    ana = room.join("ana")
    item = ana.next()[0]["id"]

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(days=1)

    def says(verdict: str, n: int) -> None:
        now = datetime.now(UTC).isoformat()
        assert ana.save(ana.row(item, verdict, n) | {"at": now}, sent=now).json()["refused"] == []

    with monkeypatch.context() as patched:
        for module in (saving, clocks):
            patched.setattr(module, "datetime", Tomorrow)
        says("W", 1)
    says("R", 2)
    says("X", 3)
    assert room.held() == {(item, "ana"): "X"}
    assert [one["held"]["verdict"] for one in ana.next() if "held" in one] == ["X"]


def test_two_requests_at_once_take_a_topic_once(new_room: NewRoom, campaign: Path) -> None:
    """Who skipped an item, and then judges it in two tabs at the same time, leaves the place of a second assessor."""
    room = new_room(campaign, overlap=2)
    ana, ben = room.join("ana"), room.join("ben")
    while left := ana.left():
        ana.send(*(ana.row(item["id"], "", mark="skip") for item in left))
    skipped = [item["id"] for item in ana.next()]
    with ThreadPoolExecutor(2) as threads:
        for item in skipped:
            rows = [ana.row(item, "R", n) for n in (1, 2)]
            assert [answer.status_code for answer in threads.map(ana.save, rows)] == [200, 200]
        [*threads.map(lambda _: ana.next(), range(4))]
    with room.database.reading() as connection:
        taken = {row.topic: row.taken for row in connection.execute(select(units))}
        claimed = Counter(row.topic for row in connection.execute(select(claims)) if row.done in work.PLACES)
    assert taken == {topic: claimed[topic] for topic in taken}
    assert ben.judge_all() == 9


def test_many_ask_at_once_and_no_topic_is_given_too_often(new_room: NewRoom, campaign: Path) -> None:
    people = [room.join(f"p{i}") for room in [new_room(campaign, overlap=2)] for i in range(10)]
    with ThreadPoolExecutor(10) as threads:
        given = list(threads.map(Browser.next, people))
    times = Counter(topic for items in given for topic in {item["topic"] for item in items})
    assert len(times) == 6
    assert max(times.values()) <= 2


def test_a_lease_that_expires_frees_the_topic_and_late_work_is_still_saved(
    new_room: NewRoom, campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = new_room(campaign, overlap=2)
    ana, ben, eva = (room.join(who) for who in ("ana", "ben", "eva"))
    mine = {item["id"] for item in ana.next()}
    later(monkeypatch, 44 * 60)
    assert {item["id"] for item in ana.next()} == mine  # which holds them for 45 minutes from now
    later(monkeypatch, 44 * 60)
    assert ben.judge_all() == 9
    assert eva.judge_all() < 9
    later(monkeypatch, 2 * 60)
    assert eva.judge_all() > 0
    assert len(room.held()) == 18  # each of nine twice, without ana
    assert ana.send(*(ana.row(item, "W") for item in mine))[1] == []
    assert {(item, "ana") for item in mine} <= room.held().keys()


def test_it_goes_on_on_another_machine(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=2)
    here = room.join("ana")
    first = here.next()
    here.send(here.row(first[0]["id"], comment="so"))
    shown = Browser(room, "ana", here.link).next()
    assert {item["id"] for item in first} <= {item["id"] for item in shown}
    assert [item["held"]["comment"] for item in shown if "held" in item] == ["so"]


def test_only_what_was_given_can_be_judged_and_an_id_is_of_one_person(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=2)
    assert room.join("eva").judge_all() == 9
    ana, ben = room.join("ana"), room.join("ben")
    mine, theirs = ({item["id"] for item in person.next()} for person in (ana, ben))
    strange = [min({item for item, _ in room.held()} - mine), "nothing", "x' OR 1=1 --", "x" * 900]
    rows = [ana.row("any", n=n) | {"item": item} for n, item in enumerate(strange)]
    assert ana.send(*rows) == ([], ["you were not asked to judge this item"] * 4)
    taken = ana.row(min(mine))
    assert ana.send(taken)[1] == []
    assert ben.send(ben.row(min(theirs)) | {"id": taken["id"]}) == ([], ["another judgement has this id"])
    assert len(room.records()) == 10
    assert "ana" not in str(ben.next())


NO_JUDGEMENT = [
    ({"verdict": "Q"}, "an item of this kind cannot have this verdict"),
    ({"verdict": "1,2"}, "an item of this kind cannot have this verdict"),
    ({"verdict": "R" * 10_001}, "a verdict 10,000"),
    ({"comment": "x" * 10_001}, "a comment has at most 10,000 characters"),
    ({"mark": "gold"}, "a mark must be flag or skip"),
    ({"at": "now"}, "`at` must be a time"),
    ({"at": "0001-01-01T00:00:00+14:00"}, "`at` must be a time"),
    ({"id": "x"}, "an id must have 8 to 64"),
    ({"id": "x" * 65}, "an id must have 8 to 64"),
    ({"id": "under_score"}, "an id must have 8 to 64"),
]


def test_what_is_no_judgement_is_refused_by_itself_and_hostile_comments_are_cleaned(
    new_room: NewRoom, campaign: Path
) -> None:
    room = new_room(campaign, overlap=2)
    ana = room.join("ana")
    item = ana.next()[0]["id"]
    bad = [ana.row(item, n=n) | change for n, (change, _) in enumerate(NO_JUDGEMENT)]
    good = ana.row(item, comment=" a\x00b\u202ec ", n=50)
    saved, refused = ana.send(*bad, good)
    assert saved == [good["id"]]
    for why, (change, rule) in zip(refused, NO_JUDGEMENT, strict=True):
        assert rule in why, change
    assert [(record["verdict"], record["comment"]) for record in room.records()] == [("R", "a\ufffdb\ufffdc")]


def test_an_adjudicator_sees_what_differs_without_names_and_takes_nothing_away(
    new_room: NewRoom, campaign: Path
) -> None:
    room = new_room(campaign, overlap=2)
    room.join("ana").judge_all()
    room.join("ben").judge_all(lambda answer: "W" if answer.startswith("other") else "R", comment="because")
    assert room.status().disputed == 3
    judge = room.join("adjudication")
    rows = judge.next()
    assert {row["answer"][:5] for row in rows} == {"other"}
    assert all(row["said"] == [["R", ""], ["W", "because"]] for row in rows)
    assert "ana" not in json.dumps(rows)
    before = room.held()
    others = {item for item, _ in before} - {row["id"] for row in rows}
    assert {*judge.send(*(judge.row(item, "X") for item in others))[1]} == {"you were not asked to judge this item"}
    assert judge.send(*(judge.row(row["id"], "X", 9) for row in rows))[1] == []
    assert [row["held"]["verdict"] for row in judge.next()] == ["X"] * 3
    assert before.items() <= room.held().items()
    standing = room.status()
    assert standing.disputed == 0
    assert {row.n for row in standing.agreement} == {9}


def test_an_adjudicator_decides_what_people_differed_on_when_it_was_shown(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=2)
    ana, ben, judge = (room.join(who) for who in ("ana", "ben", "adjudication"))
    ana.judge_all()
    item = ben.next()[0]["id"]
    assert judge.send(judge.row(item)) == ([], ["you were not asked to judge this item"])
    ben.send(ben.row(item, "W"))
    assert [shown["id"] for shown in judge.next()] == [item]
    assert judge.send(judge.row(item, "X"))[1] == []
    ben.send(ben.row(item, "R", 9))
    assert judge.next() == []
    assert judge.send(judge.row(item, "U", 9))[1] == []  # she had it on her screen
    assert room.held()[item, "adjudication"] == "U"


def test_an_export_notes_texts_whose_verdicts_depend_on_the_document(new_room: NewRoom, tmp_path: Path) -> None:
    campaign = made.qa(tmp_path)
    made.edit(campaign / "campaign.toml", 'distinct = "answer"', 'distinct = "answer and document"')
    said = {name: [{"answer": "a", "doc": name, "support": "s"}] * 6 for name in ("alpha_one", "alpha_two")}
    made.take(campaign, said)
    nescio.campaign.pool(campaign)
    room = new_room(campaign)
    ana = room.join("ana")
    rights = {"alpha_one": "R", "alpha_two": "U"}
    while left := ana.left():
        for item in left:
            (document, _), *_ = item["supports"]
            ana.send(ana.row(item["id"], "R" if item["topic"] == "q0" else rights[document]))
    exported = nescio.assess.export(room.db, tmp_path / "out")
    assert exported.contradicted == 5
    assert "\nnote: verdicts.csv has different verdicts on 5 texts" in str(exported)


def test_the_export_is_the_history_of_the_campaign(new_room: NewRoom, campaign: Path) -> None:
    """What is exported is collected, twice, and scored."""
    room = new_room(campaign, overlap=2)
    for who in ("ana", "ben"):
        room.join(who).judge_all(lambda answer: "R" if answer.startswith("thing") else "W")
    place = room.export()
    wrote = f"wrote {place}: 18 judgements in ana.judgements.jsonl, ben.judgements.jsonl, verdicts.csv; 9 verdicts"
    assert str(nescio.assess.export(room.db, place)) == wrote
    for _ in range(2):
        collected = nescio.campaign.collect(campaign, handed_in(place), resamples=10)
        assert collected.sound, str(collected)
    assert len(read_history(open_campaign(campaign))) == 18
    assert {judgement.assessor for judgement in read_judgements(open_campaign(campaign))} == {"ana", "ben"}
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "accuracy") == 1
    assert scores.value("beta_r", "accuracy") == 0.5


def test_questions_and_runs_are_judged_and_read_back(new_room: NewRoom, tmp_path: Path) -> None:
    asked = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(4)]
    questions = made.lines(tmp_path / "q.jsonl", asked)
    said = [{"id": f"q{i}", "answer": f"=thing {i}" if i else None} for i in range(4)]
    run = made.lines(tmp_path / "run.jsonl", said)
    room = new_room(questions, run)
    assert room.join("ana").judge_all(lambda answer: "R" if "1" in answer else "W") == 3
    place = room.export()
    verdicts = place / "verdicts.csv"
    text = verdicts.read_text(encoding="utf-8")
    assert ",=" not in text  # no formula
    assert '"=' not in text
    assert {path.name for path in place.iterdir()} == {"ana.judgements.jsonl", "verdicts.csv"}
    judged = nescio.judge([questions, run], judge="human", against=verdicts)
    assert "run        1          2           1  4" in str(judged)  # q1 right, q2 and q3 wrong, q0 silent
    scores = nescio.score([questions, run], ["accuracy"], judge="exact", labels=verdicts)
    assert scores["run", "accuracy"].value == pytest.approx(1 / 4)  # the gold answer x is nobody's: people decide


def test_questions_without_a_key_are_judged_and_read_back(new_room: NewRoom, tmp_path: Path) -> None:
    questions = made.lines(tmp_path / "q.jsonl", [{"id": f"q{i}", "question": f"What is {i}?"} for i in range(2)])
    said = [[{"id": f"q{i}", "answer": f"thing {i or n}"} for i in range(2)] for n in range(2)]
    runs = [made.lines(tmp_path / f"r{n}.jsonl", rows) for n, rows in enumerate(said)]
    room = new_room(questions, runs[0])
    assert nescio.assess.update(room.db, [questions, *runs]).new == 1
    assert room.join("ana").judge_all(lambda answer: "R" if "1" in answer else "W") == 3
    judged = nescio.judge([questions, *runs], judge="human", against=room.export() / "verdicts.csv")
    assert [line.split() for line in str(judged).splitlines()[2:4]] == [
        ["r0", "1", "1", "0", "2"],
        ["r1", "2", "0", "0", "2"],
    ]


def test_nuggets_are_listed_by_one_and_found_by_others(new_room: NewRoom, tmp_path: Path) -> None:
    campaign = made.listed(tmp_path, ["a", "b"], 2)
    room = new_room(campaign, overlap=2)
    ana, ben = room.join("ana"), room.join("ben")
    listed = json.dumps([{"id": "1", "text": "one", "vital": True}, {"id": "2", "text": "two", "vital": False}])
    rows = ana.next()
    assert ana.send(ana.row(rows[1]["id"], "1")) == ([], ["an item of this kind cannot have this verdict"])
    theirs = ben.next()  # the other target, whose list is ben's to make
    assert {row["topic"] for row in rows}.isdisjoint(row["topic"] for row in theirs)
    for person, given in ((ana, rows), (ben, theirs)):
        assert [row["kind"] for row in given] == ["nuggets", "answer", "answer"]
        for n, row in enumerate(given):
            verdict = listed if row["kind"] == "nuggets" else "2,1"
            assert person.send(person.row(row["id"], verdict, n))[1] == []
    assert room.held()[rows[1]["id"], "ana"] == "1,2"
    for person in (ana, ben):
        strings = person.left()
        assert [row["kind"] for row in strings] == ["answer"] * 2  # the strings of the other's list
        assert person.send(*(person.row(row["id"], "1,2", n) for n, row in enumerate(strings)))[1] == []
    assert {row.measure: (row.value, row.n) for row in room.status().agreement}["p_o"] == (1, 8)
    collected = nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1


def test_a_list_that_somebody_made_is_nobody_elses(new_room: NewRoom, tmp_path: Path) -> None:
    """Who judges the strings of a target is refused another list of it, and all see the one that there is."""
    room = new_room(made.listed(tmp_path, ["a"]), overlap=2)
    ben = room.join("ben")
    listed, evil = (json.dumps([{"id": "1", "text": text, "vital": True}]) for text in ("ours", "evil"))
    assert [item["kind"] for item in ben.next()] == ["nuggets", "answer"]
    assert ben.send(ben.row("nuggets:t0", listed))[1] == []
    ana = room.join("ana")
    assert [item["kind"] for item in ana.next()] == ["answer"]
    saved, refused = ana.send(ana.row("nuggets:t0", evil))
    assert (saved, refused) == (
        [],
        ["somebody else already listed the nuggets of this target; use that list for the strings"],
    )
    for person in (ana, ben):
        assert person.ask().json()["nuggets"] == {"t0": [["1", "vital", "ours"]]}
    theirs = ben.row("nuggets:t0", listed.replace("ours", "also ours"), 9, after="ben-nuggets-t0-0000")
    assert ben.send(theirs)[1] == []  # it is theirs to change


def test_what_a_server_gave_is_taken_beside_sheets(new_room: NewRoom, campaign: Path, tmp_path: Path) -> None:
    """Each export says that its items were given to this person, whatever sheets gave to whom."""
    nescio.campaign.sheets(campaign, ["ana", "ben"])
    room = new_room(campaign, overlap=2)
    assert room.join("ana").judge_all() == 9
    exported = handed_in(room.export())
    collected = nescio.campaign.collect(campaign, exported, resamples=10)
    assert collected.sound, str(collected)
    assert len(made.verdicts(campaign)) == 9
    nescio.campaign.sheets(campaign, ["ben"])
    heading, *rows = map(json.loads, exported[0].read_text(encoding="utf-8").splitlines())
    own = made.lines(tmp_path / "own.jsonl", [heading, *(row | {"given": "", "id": row["id"] + "b"} for row in rows)])
    rules = {fault.rule for fault in nescio.campaign.collect(campaign, [own], resamples=10).rows}
    assert rules == {"ana was not asked to judge this item"}


def test_people_judge_by_the_present_list_after_an_earlier_one_was_collected(new_room: NewRoom, tmp_path: Path) -> None:
    """The campaign has Ana's first list as its key; she changes it, and Ben's page still shows the first."""
    campaign = made.listed(tmp_path, ["a"])
    room = new_room(campaign, overlap=2)
    ana, ben = room.join("ana"), room.join("ben")
    item = next(row["id"] for row in ana.next() if row["kind"] == "answer")
    first = json.dumps([{"id": "1", "text": "baker", "vital": True}])
    assert ana.send(ana.row("nuggets:t0", first), ana.row(item, "1", 1))[1] == []
    (shown,) = ben.left()
    nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    nescio.assess.update(room.db, [campaign])
    second = json.dumps(
        [{"id": "1", "text": "baker in Ulm", "vital": True}, {"id": "2", "text": "new", "vital": False}]
    )
    changed = ana.row("nuggets:t0", second, 2, after="ana-nuggets-t0-0000")
    assert ana.send(changed, ana.row(item, "1,2", 3))[1] == []
    assert ben.send(ben.row(item, "1", texts=shown["texts"])) == ([], [CHANGED])
    assert ben.ask().json()["nuggets"] == {"t0": [["1", "vital", "baker in Ulm"], ["2", "okay", "new"]]}
    (shown,) = ben.left()
    assert ben.send(ben.row(item, "2", 1, texts=shown["texts"]))[1] == []
    third = json.dumps([*json.loads(second), {"id": "3", "text": "newer", "vital": False}])
    assert room.status().remarks == ()
    assert ana.send(ana.row("nuggets:t0", third, 4))[1] == []
    (remark,) = room.status().remarks
    assert remark == "ben judged 1 string of t0 by an earlier list, which lacked 'newer'; ask ben to look again"
    (own,) = (row for row in ben.next() if row["id"] == item)
    assert own["texts"] != own["held"]["texts"] == shown["texts"]
    flagged = ben.row(item, "2", 5, texts=own["held"]["texts"], mark="flag")
    assert ben.send(flagged)[1] == []  # The verdict stays as it is.
    assert ben.send(ben.row(item, "1", 6, texts=own["held"]["texts"])) == ([], [CHANGED])


def test_a_list_that_a_sheet_has_is_not_asked_for(new_room: NewRoom, tmp_path: Path) -> None:
    """Where somebody made another list meanwhile, nobody's verdict by it counts."""
    campaign = made.listed(tmp_path, ["fact"], 1)
    nescio.campaign.sheets(campaign, ["eva"])
    listing, empty = new_room(campaign, overlap=2), new_room(campaign, overlap=2)
    ana, ben = listing.join("ana"), listing.join("ben")
    listed = json.dumps([{"id": "1", "text": "of ana", "vital": True}])
    item = ana.next()[1]["id"]
    assert ana.send(ana.row("nuggets:t0", listed), ana.row(item, "1", 1))[1] == []
    assert [row["id"] for row in ben.next()] == [item]
    assert ben.send(ben.row(item, "1"))[1] == []
    row = {"question_id": "t0", "nugget": "1", "vital": "vital", "text": "of eva"}
    made.write_rows(campaign / "sheets" / "nuggets.csv", [row])
    nescio.campaign.collect(campaign)
    a_list, *others = nescio.campaign.collect(campaign, sorted(listing.export().glob("*.jsonl"))).rows
    assert "has another one, from sheets/nuggets.csv" in a_list.rule
    assert ["by the list of ana" in fault.rule for fault in others] == [True, True]
    assert made.verdicts(campaign) == {}
    nescio.assess.update(empty.db, [campaign])
    for room in (empty, new_room(campaign, overlap=2)):
        for who in ("ana", "ben"):
            person = room.join(who)
            assert [row["kind"] for row in person.next()] == ["answer"]
            assert person.ask().json()["nuggets"] == {"t0": [["1", "vital", "of eva"]]}
            person.judge_all(lambda _: "1")
    nescio.assess.export(room.db, tmp_path / "new")
    assert nescio.campaign.collect(campaign, sorted((tmp_path / "new").glob("*.jsonl"))).sound
    assert made.verdicts(campaign) == {(item, "ana"): "1", (item, "ben"): "1"}


def test_a_corrected_list_of_a_sheet_takes_verdicts_back_beside_lists_of_a_page(
    new_room: NewRoom, tmp_path: Path
) -> None:
    campaign = made.listed(tmp_path, ["fact"], 2)
    nescio.campaign.sheets(campaign, ["eva"])
    row = {"question_id": "t0", "nugget": "1", "vital": "vital", "text": "baker"}
    made.write_rows(campaign / "sheets" / "nuggets.csv", [row])
    nescio.campaign.collect(campaign)
    room = new_room(campaign, overlap=1)
    ana = room.join("ana")
    listed = json.dumps([{"id": "1", "text": "of ana", "vital": True}])
    while left := ana.left():
        rows = [
            ana.row(item["id"], listed if item["kind"] == "nuggets" else "1", n, texts=item["texts"])
            for n, item in enumerate(left)
        ]
        assert ana.send(*rows)[1] == []
    assert len(room.held()) == 3  # a list, and a string of each target
    made.write_rows(campaign / "sheets" / "nuggets.csv", [row | {"text": "miller"}])
    nescio.campaign.collect(campaign)
    assert nescio.assess.update(room.db, [campaign]).outdated == 1
    assert [item["topic"] for item in ana.left()] == ["t0"]


@pytest.mark.parametrize("change", [{"mark": "flag"}, {"comment": "see q2"}, {"verdict": ""}])
def test_a_page_with_an_older_verdict_takes_back_no_newer_one(change: dict[str, str], ana: Browser, room: Room) -> None:
    """A page sends the verdict that it shows with each flag and comment, and none to undo it."""
    item = ana.next()[0]["id"]
    shown = ana.row(item, "R", 1)
    assert ana.send(shown, ana.row(item, "W", 2, after=shown["id"]))[1] == []
    older = ana.row(item, "R", 3, after=shown["id"]) | change
    assert ana.send(older) == ([], [UNSEEN])
    assert ana.send(ana.row(item, "", 4, mark="skip", comment="too long")) == ([], [UNSEEN])  # it showed none
    assert room.held() == {(item, "ana"): "W"}
    assert ana.send(ana.row(item, "X", 5, after=shown["id"]))[1] == []  # a new verdict
    assert room.held() == {(item, "ana"): "X"}


def test_who_sees_the_verdict_that_counts_may_take_it_back(ana: Browser, room: Room) -> None:
    """Also where another page has flagged the answer meanwhile, which says the same verdict again."""
    item = ana.next()[0]["id"]
    shown = ana.row(item, "R", 1)
    assert ana.send(shown, ana.row(item, "R", 2, after=shown["id"], mark="flag"))[1] == []
    assert ana.send(ana.row(item, "", 3, after=shown["id"]))[1] == []
    assert room.held() == {(item, "ana"): ""}


def test_a_page_with_an_older_list_takes_back_no_nugget_of_a_newer_one(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(made.listed(tmp_path, ["a"]))
    ana = room.join("ana")
    (item,) = [row["id"] for row in ana.next() if row["kind"] == "answer"]

    def listed(n: int, *texts: str, after: int | None = None) -> dict[str, str]:
        nuggets = [{"id": str(i), "text": text, "vital": True} for i, text in enumerate(texts, 1)]
        last = "" if after is None else f"ana-nuggets-t0-{after:04}"
        return ana.row("nuggets:t0", json.dumps(nuggets), n, after=last)

    assert ana.send(listed(0, "painter"), listed(1, "painter", "died in Rome", after=0))[1] == []
    refused = [listed(2, "painter", "friend of Klimt", after=0), listed(3, "died in Rome"), listed(4, after=0)]
    assert ana.send(*refused) == ([], [UNSEEN] * 3)
    earlier = listed(7, "died in Rome") | {"at": "2026-06-01T11:00:00.000Z"}
    assert ana.send(earlier, ana.row(item, "1", 8)) == ([], [UNSEEN, OF_REFUSED])
    assert ana.send(listed(5, "Painter", "died in Rome", "friend of Klimt", after=0))[1] == []
    assert ana.send(listed(6, "friend of Klimt", after=5))[1] == []
    assert "died in Rome" not in room.held()["nuggets:t0", "ana"]


def test_a_list_that_a_page_has_is_not_asked_for(new_room: NewRoom, tmp_path: Path) -> None:
    """Nor made there any more, where somebody began to make one before it was collected."""
    campaign = made.listed(tmp_path, ["fact"], 1)
    nescio.campaign.sheets(campaign, ["eva"], html=True)
    early = new_room(campaign)
    cid = early.join("cid")
    assert [row["kind"] for row in cid.next()] == ["nuggets", "answer"]
    listed = json.dumps([{"id": "1", "text": "of eva", "vital": True}])
    heading = Heading(FORMAT, "c", "eva", page_key(open_campaign(campaign).secret, "eva"))
    page = tmp_path / "eva.jsonl"
    page.write_bytes(b"".join(hand_in_lines(heading, [Record("of-eva", "nuggets:t0", "2026-06-01T12:00:00Z", listed)])))
    assert nescio.campaign.collect(campaign, [page], resamples=10).sound
    nescio.assess.update(early.db, [campaign])
    other = cid.row("nuggets:t0", listed.replace("eva", "cid"))
    assert cid.send(other)[1] == [
        "somebody else already listed the nuggets of this target; use that list for the strings"
    ]
    for room in (early, new_room(campaign)):
        ben = room.join("ben") if room is not early else cid
        assert [row["kind"] for row in ben.next()] == ["answer"]
        assert ben.ask().json()["nuggets"] == {"t0": [["1", "vital", "of eva"]]}
        ben.judge_all(lambda _: "1")
        assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert [*made.verdicts(campaign).values()] == [listed, "1", "1"]


def test_a_list_of_nuggets_is_cleaned_and_a_long_one_is_saved(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(made.listed(tmp_path, ["a"]))
    ana = room.join("ana")
    assert [item["kind"] for item in ana.next()] == ["nuggets", "answer"]
    for n, text in enumerate(("\x00\u202ereversed", "x" * 1_000)):
        nuggets = [{"id": str(i), "text": text, "vital": True} for i in range(200)]
        assert ana.send(ana.row("nuggets:t0", json.dumps(nuggets), n, after="ana-nuggets-t0-0000" * n))[1] == []
    half = json.dumps([{"id": "1", "text": "half \ud83d", "vital": True}])
    ana.send(ana.row("nuggets:t0", half, 5, after="ana-nuggets-t0-0001"))
    stored = "".join(record["verdict"] for record in room.records())
    assert not [c for c in stored if c in "\x00\u202e\ud83d"]
    assert "\\u0000" not in stored
    assert "\ufffdreversed" in stored


def test_an_id_that_comes_again_with_another_verdict_is_refused(ana: Browser, room: Room) -> None:
    """And with the same it is saved once."""
    item = ana.next()[0]["id"]
    said = ana.row(item, "R")
    assert ana.send(said)[1] == []
    assert ana.send(said, said | {"verdict": "W"}, said | {"verdict": ""}) == (
        [said["id"]],
        ["another judgement has this id"] * 2,
    )
    assert [record["verdict"] for record in room.records()] == ["R"]


def test_a_list_that_is_nested_too_deep_is_refused_alone(new_room: NewRoom, tmp_path: Path) -> None:
    ana = new_room(made.listed(tmp_path, ["a"])).join("ana")
    ana.next()
    deep = '[{"id": "1", "text": "x", "vital": true, "z": ' + "[" * 60_000 + "]" * 60_000 + "}]"
    good = json.dumps([{"id": "1", "text": "x", "vital": True}])
    saved, refused = ana.send(ana.row("nuggets:t0", deep), ana.row("nuggets:t0", good, 1))
    assert (len(saved), refused) == (1, ["an item of this kind cannot have this verdict"])


def test_a_nugget_that_somebody_found_stays_in_the_list(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(made.listed(tmp_path, ["a"]))
    ana = room.join("ana")
    answer = next(item["id"] for item in ana.next() if item["kind"] == "answer")
    one, two = ({"id": str(i), "text": f"fact {i}", "vital": True} for i in (1, 2))
    assert ana.send(ana.row("nuggets:t0", json.dumps([one, two])), ana.row(answer, "1", 1))[1] == []
    assert ana.send(ana.row("nuggets:t0", json.dumps([two]), 2))[1] == [
        "the list must keep nugget 1, because somebody found it in an answer"
    ]
    shorter = ana.row("nuggets:t0", json.dumps([two]), 4, after="ana-nuggets-t0-0000")
    assert ana.send(ana.row(answer, "2", 3), shorter)[1] == []


def test_sentences_are_named_by_their_places(new_room: NewRoom, tmp_path: Path) -> None:
    """Two decide of each of six sentences, and differ on one."""
    campaign = made.reading(tmp_path)
    made.sound("reading", tmp_path / "alpha" / "r")
    made.ready(campaign)
    room = new_room(campaign, sentences=True, overlap=2)
    verdicts = {"sentences:r0": "1,0", "sentences:r1": "-", "sentences:r2": "1"}
    for who in ("ana", "ben"):
        person = room.join(who)
        while left := person.left():
            for item in left:
                assert person.send(person.row(item["id"], "2", 9))[1] == [
                    "an item of this kind cannot have this verdict"
                ]
                odd = who == "ben" and item["id"] == "sentences:r2"
                assert person.send(person.row(item["id"], "-" if odd else verdicts[item["id"]]))[1] == []
    held = {item: verdict for (item, who), verdict in room.held().items() if who == "ana"}
    assert held == verdicts | {"sentences:r0": "0,1"}
    standing = room.status()
    assert {row.measure: (row.value, row.n, row.unit) for row in standing.agreement}["p_o"] == (
        pytest.approx(5 / 6),
        6,
        "decision",
    )
    assert [dispute.said for dispute in standing.disputes] == [(("none", ""), ("2", ""))]
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound


SQL = ("'; DROP TABLE records; --", "x') UNION SELECT token FROM people --", "\\'; --", '%" OR ""=" ${1}')


@pytest.mark.parametrize("text", SQL)
def test_sql_in_every_place_is_a_text(text: str, new_room: NewRoom, tmp_path: Path) -> None:
    questions = made.lines(
        tmp_path / "q.jsonl", [{"id": text, "question": text, "answers": [text], "language": text, "type": text}]
    )
    run = made.lines(tmp_path / "r.jsonl", [{"id": text, "answer": text, "doc": text, "support": text}])
    quoted = '"' + text.replace('"', '""') + '"'
    head = "question,answer,verdict,why,question_id,language"
    known = made.text(tmp_path / "known.csv", f"{head}\n{quoted},{quoted},R,{quoted},{quoted},{quoted}\n")
    room = new_room(questions, run, control=known)
    room.invite(f"ana={text}")
    ben = room.join("ben")
    for path in (f"/start/{text}", "/api/next"):
        ben.client.get(path, params={text: text})
    ben.client.post(f"/start/{text}")
    given = ben.next()
    assert [item["answer"] for item in given] == [text, text]
    assert ben.send(*(ben.row(item["id"], comment=text, guidelines=text) for item in given))[1] == []
    assert [record["comment"] for record in room.records()] == [text]  # that on the known answer is no judgement


def test_hostile_texts_are_taken_in_clean_and_capped(new_room: NewRoom, tmp_path: Path) -> None:
    """NUL, which PostgreSQL stores nowhere, marks that turn the text around, and an answer of 60 kB."""
    texts = ["a\x00b", "\u202ereversed", "x" * 60_000, "\x1b[31mred"]
    names = ["q\x00", *(f"q\u202e{i}" for i in range(1, len(texts)))]
    asked = [{"id": q, "question": f"What{text[:50]}?", "answers": ["x"]} for q, text in zip(names, texts, strict=True)]
    said = [{"id": q, "answer": text, "doc": text, "support": text} for q, text in zip(names, texts, strict=True)]
    files = [
        made.text(tmp_path / name, "".join(json.dumps(row) + "\n" for row in rows))
        for name, rows in (("q.jsonl", asked), ("r.jsonl", said))
    ]
    room = new_room(*files)
    ana = room.join("ana")
    seen: dict[str, str] = {}
    while left := ana.left():
        seen |= {item["topic"]: item["answer"] for item in left}
        assert not [c for c in json.dumps(left, ensure_ascii=False) if c in "\x00\u202e\x1b"]
        assert ana.send(*(ana.row(item["id"]) for item in left))[1] == []
    assert len(seen) == len(texts)
    assert any(text.endswith("(10,000 more characters)") for text in seen.values())
    exported = nescio.assess.export(room.db, tmp_path / "out")
    assert (exported.judgements, exported.unwritten) == (4, 1)
    assert "1 verdict cannot be matched to answers of a run" in str(exported)
    judged = nescio.judge(files, judge="human", against=tmp_path / "out" / "verdicts.csv")
    assert "\nr          3          0 " in str(judged)  # found again by what the run says, not by what is shown


def test_a_database_of_a_version_that_is_not_known_is_refused(template: Path, tmp_path: Path) -> None:
    shutil.copy(template / "j.db", tmp_path / "j.db")
    with closing(sqlite3.connect(tmp_path / "j.db")) as connection, connection:
        connection.execute("UPDATE about SET value = '1' WHERE name = 'schema'")
    with pytest.raises(nescio.UsageError, match="another version of nescio made it"):
        nescio.assess.status(str(tmp_path / "j.db"))


def test_a_database_is_made_once_and_only_there(template: Path, tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match="already holds judgements"):
        nescio.assess.create(str(template / "j.db"), [template / "campaign"])
    (tmp_path / "text.db").write_text("no database, but a text that is long enough to be read as a header" * 20)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)").connection.close()
    for db, rule in (
        (str(tmp_path / "none.db"), "there is no database"),
        (str(tmp_path / "text.db"), "cannot be opened"),
        (str(tmp_path / "other.db"), "is not a database that nescio assess create made"),
        ("mysql://x/y", "a database is an SQLite file"),
        (":memory:", "on disk"),
        ("postgresql://ana:secret@127.0.0.1:1/x", r"postgresql\+psycopg://ana:\*\*\*@127.0.0.1:1/x cannot be opened"),
    ):
        with pytest.raises(nescio.UsageError, match=rule):
            nescio.assess.status(db)


def test_a_reader_sees_one_state_of_the_database_while_others_judge(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign)
    ana = room.join("ana")
    first, second, *_ = (item["id"] for item in ana.left())
    ana.send(ana.row(first))
    count = select(func.count()).select_from(records)
    with room.database.reading() as connection:
        assert connection.scalar(count) == 1
        ana.send(ana.row(second))
        assert connection.scalar(count) == 1
    with room.database.reading() as connection:
        assert connection.scalar(count) == 2
