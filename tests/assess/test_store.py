"""What is acknowledged is there, once, whatever comes twice, late or in another order; leases; export; migrations."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, inspect, select, update

import nescio
from nescio.assessing import access, exporting, work
from nescio.assessing.creating import create
from nescio.assessing.database import Database, migrate, open_database
from nescio.assessing.following import status
from nescio.assessing.tables import claims, items, metadata, people, records, units
from nescio.campaigns.folder import open_campaign
from nescio.campaigns.judgements import read_history, read_judgements
from tests.campaign import made

from .conftest import pool_of


@pytest.fixture
def database(new_db: Callable[[], str], tmp_path: Path) -> Iterator[Database]:
    db = new_db()
    create(db, [pool_of(tmp_path)], overlap=2)
    opened = open_database(db)
    access.invite(opened, ["ana", "ben", "eva"], address="http://x")
    yield opened
    opened.close()


def own(database: Database) -> dict[str, Any]:
    with database.reading() as connection:
        return work.facts(connection)


def following(database: Database, who: str, languages: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    return work.next_items(database, who, languages, own(database))


def said(item: str, verdict: str = "R", n: int = 0, who: str = "ana", **more: Any) -> work.Said:
    return work.Said(
        f"{who}-{item.replace(':', '-')}-{n:04}", item, f"2026-06-01T12:00:{n % 60:02}.000Z", verdict, **more
    )


def save(database: Database, who: str, *all_said: work.Said) -> tuple[list[str], list[dict[str, str]]]:
    return work.save(database, who, all_said, own(database))


def judge_all(database: Database, who: str, verdict: Callable[[str], str]) -> int:
    """Judge until nothing comes any more, and count."""
    n = 0
    while left := [row for row in following(database, who) if not work._is_done(row.get("held"))]:
        saved, refused = save(
            database, who, *(said(row["id"], verdict(row["answer"]), n + i, who) for i, row in enumerate(left))
        )
        assert not refused
        n += len(saved)
    return n


def held(database: Database) -> dict[tuple[str, str], str]:
    with database.reading() as connection:
        return {(row.item, row.person): row.verdict for row in connection.execute(work.present())}


def test_every_item_is_judged_by_as_many_as_were_asked_for(database: Database) -> None:
    with database.reading() as connection:
        total = connection.scalar(select(func.count()).select_from(items)) or 0
    counts = [judge_all(database, who, lambda _: "R") for who in ("ana", "ben", "eva")]
    assert sum(counts) == 2 * total
    assert counts[2] == 0  # ana and ben were first
    assert not following(database, "eva")


def test_what_is_sent_twice_counts_once_and_the_newest_holds(database: Database) -> None:
    item = following(database, "ana")[0]["id"]
    for _ in range(3):
        assert save(database, "ana", said(item, "R", 1), said(item, "W", 9)) == (
            [said(item, "R", 1).id, said(item, "W", 9).id],
            [],
        )
    save(database, "ana", said(item, "X", 5))  # said before W, and sent after it
    assert held(database) == {(item, "ana"): "W"}
    with database.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(records)) == 3


def test_many_send_the_same_at_once(database: Database) -> None:
    item = following(database, "ana")[0]["id"]
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda n: save(database, "ana", said(item, "R", n % 4)), range(40)))
    assert all(saved and not refused for saved, refused in results)
    with database.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(records)) == 4


def test_many_ask_at_once_and_no_topic_is_given_too_often(database: Database) -> None:
    names = [f"p{i}" for i in range(10)]
    access.invite(database, names, address="http://x")
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(lambda who: following(database, who), names))
    with database.reading() as connection:
        counts = connection.execute(select(func.count()).select_from(claims).group_by(claims.c.topic)).scalars().all()
        taken = connection.execute(select(units.c.taken, units.c.times)).all()
    assert max(counts) <= 2
    assert all(row.taken <= row.times for row in taken)
    assert sum(row.taken for row in taken) == sum(counts)


def test_a_lease_that_expires_frees_the_topic_and_late_work_is_still_saved(database: Database) -> None:
    mine = [row["id"] for row in following(database, "ana")]
    with database.writing() as connection:
        connection.execute(update(claims).values(until=time.time() - 1))
    assert judge_all(database, "ben", lambda _: "R") == judge_all(database, "eva", lambda _: "R")  # twice, without ana
    assert save(database, "ana", *(said(item, "W", i) for i, item in enumerate(mine)))[1] == []
    assert {(item, "ana") for item in mine} <= held(database).keys()


def test_it_goes_on_on_another_machine(database: Database) -> None:
    first = following(database, "ana")
    save(database, "ana", said(first[0]["id"], "R", 1, comment="so"))
    again = following(database, "ana")
    assert {row["id"] for row in first} <= {row["id"] for row in again}
    assert [row["held"]["comment"] for row in again if "held" in row] == ["so"]


def test_only_what_was_given_can_be_judged(database: Database) -> None:
    mine = {row["id"] for row in following(database, "ana")}
    with database.reading() as connection:
        others = [one for one in connection.scalars(select(items.c.id)) if one not in mine]
    foreign = work.Said("an-id-of-mine", "x' OR 1=1 --", "2026-06-01T12:00:00Z")
    _, refused = save(database, "ana", said(others[0]), said("nothing"), foreign)
    assert {row["why"] for row in refused} == {"this was not given to you to judge"}
    assert not held(database)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"verdict": "Q"}, "no verdict"),
        ({"verdict": "R" * 20_000}, "at most"),
        ({"mark": "gold"}, "a mark"),
        ({"at": "now"}, "a time"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "a time"),
        ({"id": "x"}, "an id"),
    ],
)
def test_what_is_no_judgement_is_refused(change: dict[str, Any], why: str, database: Database) -> None:
    from msgspec.structs import replace

    item = following(database, "ana")[0]["id"]
    _, (refused,) = save(database, "ana", replace(said(item), **change))
    assert why in refused["why"]


def test_hostile_comments_are_stored_as_what_can_be_shown(database: Database) -> None:
    item = following(database, "ana")[0]["id"]
    saved, _ = save(database, "ana", said(item, comment="a\x00b\u202ec\ud800d"))
    assert saved
    with database.reading() as connection:
        assert connection.scalar(select(records.c.comment)) == "a\ufffdb\ufffdc\ufffdd"


def test_an_id_of_somebody_else_is_refused(database: Database) -> None:
    one, other = following(database, "ana")[0]["id"], following(database, "ben")[0]["id"]
    save(database, "ana", said(one))
    _, (refused,) = save(database, "ben", work.Said(said(one).id, other, "2026-06-01T12:00:00Z", "W"))
    assert refused["why"] == "this id is taken"


def test_an_adjudicator_sees_what_differs_without_names_and_takes_nothing_away(database: Database) -> None:
    judge_all(database, "ana", lambda _: "R")
    judge_all(database, "ben", lambda answer: "W" if answer.startswith("other") else "R")
    access.invite(database, ["adjudication"], address="http://x")
    rows = following(database, "adjudication")
    assert {row["answer"][:5] for row in rows} == {"other"}
    assert all(row["said"] == [["R", ""], ["W", ""]] for row in rows)
    assert "ana" not in json.dumps(rows)
    before = held(database)
    save(database, "adjudication", *(said(row["id"], "X", i, "adjudication") for i, row in enumerate(rows)))
    assert before.items() <= held(database).items()
    standing = status(database, resamples=10)
    assert standing.disputed == 0
    assert {row.n for row in standing.agreement} == {9}


def test_the_export_is_the_history_of_the_campaign(new_db: Callable[[], str], tmp_path: Path) -> None:
    """The same by A and by B: what is exported is collected, twice, and scored; verdicts.csv is read by `judge`."""
    campaign, db = pool_of(tmp_path), new_db()
    create(db, [campaign], overlap=2)
    database = open_database(db)
    access.invite(database, ["ana", "ben"], address="http://x")
    n = judge_all(database, "ana", lambda answer: "R" if answer.startswith("thing") else "W")
    judge_all(database, "ben", lambda answer: "R" if answer.startswith("thing") else "W")
    exported = exporting.export(database, tmp_path / "out")
    database.close()
    assert (exported.judgements, exported.agreed, exported.disputed) == (2 * n, n, 0)
    for _ in range(2):
        collected = nescio.campaign.collect(campaign, sorted((tmp_path / "out").glob("*.jsonl")), resamples=10)
        assert collected.sound, str(collected)
    assert len(read_history(open_campaign(campaign))) == 2 * n
    assert {one.assessor for one in read_judgements(open_campaign(campaign))} == {"ana", "ben"}
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "accuracy") == 1
    assert scores.value("beta_r", "accuracy") == 0.5


def test_questions_and_runs_are_judged_and_read_back(new_db: Callable[[], str], tmp_path: Path) -> None:
    questions = made.lines(
        tmp_path / "q.jsonl", [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(4)]
    )
    run = made.lines(
        tmp_path / "run.jsonl", [{"id": f"q{i}", "answer": f"=thing {i}" if i else None} for i in range(4)]
    )
    db = new_db()
    assert create(db, [questions, run]).items == 3
    database = open_database(db)
    access.invite(database, ["ana"], address="http://x")
    judge_all(database, "ana", lambda answer: "R" if "1" in answer else "W")
    exporting.export(database, tmp_path / "out")
    database.close()
    verdicts = tmp_path / "out" / "verdicts.csv"
    judged = nescio.judge([questions, run], judge="human", against=verdicts)
    assert "run        1          2           1  4" in str(judged)  # q1 right, q2 and q3 wrong, q0 silent
    scores = nescio.score([questions, run], ["accuracy"], judge="exact", labels=verdicts)
    assert scores["run", "accuracy"].value == pytest.approx(1 / 4)  # the gold answer x is nobody's: people decide


def test_nuggets_are_listed_by_one_and_found_by_others(new_db: Callable[[], str], tmp_path: Path) -> None:
    topics = made.lines(tmp_path / "t.jsonl", [{"id": f"t{i}", "target": f"Target {i}"} for i in range(2)])
    campaign = made.start(tmp_path, "nuggets", [topics])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": ["a", "b"]} for i in range(2)])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    db = new_db()
    create(db, [campaign], overlap=2)
    database = open_database(db)
    access.invite(database, ["ana", "ben"], address="http://x")
    listed = json.dumps([{"id": "1", "text": "one", "vital": True}, {"id": "2", "text": "two", "vital": False}])
    rows = following(database, "ana")
    assert save(database, "ana", said(rows[1]["id"], "1"))[1][0]["why"] == "this is no verdict on such an item"
    theirs = following(database, "ben")  # the other target, whose list is ben's to make
    assert {row["topic"] for row in rows}.isdisjoint(row["topic"] for row in theirs)
    for who, given in (("ana", rows), ("ben", theirs)):
        assert [row["kind"] for row in given] == ["nuggets", "answer", "answer"]
        for i, row in enumerate(given):
            verdict = listed if row["kind"] == "nuggets" else "2,1"
            assert save(database, who, said(row["id"], verdict, i, who))[1] == []
    assert held(database)[rows[1]["id"], "ana"] == "1,2"
    for who in ("ana", "ben"):
        theirs = [row for row in following(database, who) if not work._is_done(row.get("held"))]
        assert [row["kind"] for row in theirs] == ["answer"] * 2  # the strings of the other's list
        for i, row in enumerate(theirs):
            assert save(database, who, said(row["id"], "1,2", i, who))[1] == []
    exporting.export(database, tmp_path / "out")
    database.close()
    collected = nescio.campaign.collect(campaign, sorted((tmp_path / "out").glob("*.jsonl")), resamples=10)
    assert collected.sound, str(collected)
    (scores,) = nescio.campaign.score(campaign, resamples=10).scores.values()
    assert scores.value("alpha_r", "nuggets.NR") == 1


def test_a_database_of_the_first_migration_is_upgraded_with_its_data(new_db: Callable[[], str]) -> None:
    db = new_db()
    old = Database(db)
    migrate(old, "0001")
    with old.writing() as connection:
        connection.execute(insert(units).values(topic="t", language="", times=1, taken=0, rank=0.5))
        connection.execute(insert(people).values(name="ana", role="assessor", languages=[], token="x", expires=0))
        row = {"kind": "answer", "question": "?", "answer": "a", "supports": [], "pool": 1}
        connection.execute(insert(items).values(id="i", topic="t", **row))
        more = {"verdict": "R", "comment": "", "mark": "", "pool": 1, "guidelines": "", "received": 0.0}
        connection.execute(insert(records).values(id="r", person="ana", item="i", at="2026-01-01", **more))
    old.close()
    new = open_database(db)
    assert held(new) == {("i", "ana"): "R"}
    with new.reading() as connection:
        known = inspect(connection)
        for table in metadata.sorted_tables:  # the migrations make what the code reads
            assert {column["name"] for column in known.get_columns(table.name)} == {
                column.name for column in table.columns
            }
            assert {index.name for index in table.indexes} <= {index["name"] for index in known.get_indexes(table.name)}
    new.close()


def test_a_database_is_made_once_and_only_there(tmp_path: Path) -> None:
    campaign = pool_of(tmp_path)
    create(str(tmp_path / "j.db"), [campaign])
    with pytest.raises(nescio.UsageError, match="already holds"):
        create(str(tmp_path / "j.db"), [campaign])
    for db, rule in (
        (tmp_path / "none.db", "there is no database"),
        ("mysql://x/y", "a database is a file"),
        (":memory:", "on disk"),
    ):
        with pytest.raises(nescio.UsageError, match=rule):
            open_database(str(db))
    (tmp_path / "text.db").write_text(
        "not a database, but a text that is long enough to be read as a header of one" * 20
    )
    with pytest.raises(nescio.UsageError, match="cannot be opened"):
        open_database(str(tmp_path / "text.db"))
