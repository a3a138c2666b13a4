"""Training, control, a judge that is checked, questions that are drawn, runs that come late, and the organiser's page."""

from __future__ import annotations

import csv
import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update

import nescio
from nescio.cli.app import run
from nescio.people.assessing import creating, database, saving
from nescio.people.assessing.opening import open_database
from nescio.people.assessing.tables import about, records, units
from nescio.people.campaigns.pooling import NAMED
from nescio.people.campaigns.shown_texts import CHANGED
from tests.campaign import made

from .client import HOME, Browser, Room
from .test_judging import handed_in

NewRoom = Callable[..., Room]
NOW = "2999-01-01T00:00:00Z"  # The server replaces a time in the future by the present one.
KNOWN = "question,answer,verdict,why\nWhat is one?,1,R,it is\nWhat is two?,3,W,it is 2\n"


RANKS = ((1, "thing"), (2, "other"))


def runs_of(folder: Path, n: int) -> list[Path]:
    """Questions, and two runs that differ on every second of them."""
    asked = [{"id": f"q{i}", "question": f"What is {i}?", "answers": [f"thing {i}"]} for i in range(n)]
    files = [made.lines(folder / "q.jsonl", asked)]
    for name, other in (("one", "thing"), ("two", "other")):
        said = [{"id": f"q{i}", "answer": f"{other if i % 2 else 'thing'} {i}"} for i in range(n)]
        files.append(made.lines(folder / f"{name}.jsonl", said))
    return files


def graded(folder: Path, n: int, *, wrong: str = "") -> Path:
    """A judge's grades of these runs: what differs of the second is incorrect, and so is `wrong`."""
    rows = [(name, f"q{i}", name == "two" and i % 2) for name in ("one", "two") for i in range(n)]
    lines = [f"{name},{q},{'incorrect' if odd or f'{name},{q}' == wrong else 'correct'}\n" for name, q, odd in rows]
    return made.text(folder / "graded.csv", "run,question_id,outcome\n" + "".join(lines))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_training_comes_first_and_is_told_only_after_a_verdict(
    new_room: NewRoom, campaign: Path, tmp_path: Path
) -> None:
    room = new_room(campaign, training=made.text(tmp_path / "known.csv", KNOWN))
    for who, right in (("ana", "R"), ("ben", "W")):
        person = room.join(who)
        left = person.next()
        first = next(item for item in left if item["question"] == "What is one?")
        assert {item["question"] for item in left[:2]} == {"What is one?", "What is two?"}
        assert "known" not in first
        assert first["again"]
        person.send(person.row(first["id"], right))
        again = next(item for item in person.next() if item["id"] == first["id"])
        assert (again["known"], again["why"]) == ("R", "it is")
        person.send(person.row(first["id"], "R", 1))  # what is said once one knows counts for nothing
        person.judge_all()
    people = room.status().people
    assert people["ana"].training == (1, 2)
    assert people["ben"].training == (0, 2)
    assert people["ana"].judged + people["ben"].judged == 9
    assert "training answers right" in str(room.status())
    place = room.export()
    assert [row["verdict"] for row in table(place / "known.csv") if row["known"] == "R"] == ["R", "W"]
    assert nescio.campaign.collect(campaign, handed_in(place), resamples=10).sound


def test_control_looks_like_any_answer_and_all_judge_it(new_room: NewRoom, campaign: Path, tmp_path: Path) -> None:
    room = new_room(campaign, control=made.text(tmp_path / "known.csv", KNOWN), overlap=2)
    ana = room.join("ana")
    seen: list[dict[str, Any]] = []
    while left := ana.left():
        seen += left
        ana.send(*(ana.row(item["id"]) for item in left))
    room.join("ben").judge_all()
    controls = [item for item in seen if item["question"] in ("What is one?", "What is two?")]
    assert len({item["id"] for item in controls}) == 2
    assert {*controls[0]} == {*seen[0]} == {"id", "kind", "topic", "question", "answer", "supports", "texts"}
    assert {len(item["id"]) for item in seen} == {len(seen[0]["id"])}
    standing = room.status()
    assert standing.people["ana"].control == standing.people["ben"].control == (1, 2)
    assert standing.items == 9
    assert {row.n for row in standing.agreement} == {9}


def test_no_name_gives_a_known_answer_away(new_room: NewRoom, tmp_path: Path) -> None:
    """A topic without a name, one whose name is taken, and one of another look: screens call no topic by its own name,
    and the names of topics and answers follow from the secret of the database, so that nobody works them out."""
    asked = [{"id": f"q{i:02}", "question": f"What is {i}?", "answers": ["x"]} for i in range(4)]
    files = [made.lines(tmp_path / "q.jsonl", asked)]
    files.append(made.lines(tmp_path / "r.jsonl", [{"id": f"q{i:02}", "answer": "x"} for i in range(4)]))
    known = "question,answer,verdict,question_id\nOne?,1,R,\nTwo?,2,R,q01\nThree?,3,R,control\n"
    seen: list[str] = []
    for _ in range(2):
        ana = new_room(*files, control=made.text(tmp_path / "known.csv", known)).join("ana")
        items: dict[str, str] = {}
        while left := ana.left():
            items |= {item["id"]: item["topic"] for item in left}
            ana.send(*(ana.row(item["id"]) for item in left))
        assert (len(items), len({*items.values()})) == (7, 7)
        seen += [*items, *items.values()]
    assert [name for name in seen if not re.fullmatch("[b-df-hj-np-tv-xz]{12}", name)] == []
    assert len({*seen}) == len(seen)


def test_a_grade_is_shown_after_the_verdict_and_the_second_one_feeds_nothing(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(*runs_of(tmp_path, 4), grades=graded(tmp_path, 4), overlap=2)
    for who in ("ana", "ben"):
        person = room.join(who)
        item = person.next()[0]["id"]
        assert person.send(person.row(f"second:{item}")) == ([], ["give your own verdict first"])
        while left := person.left():
            assert all(("grade" in item) == item["id"].startswith("second:") for item in left)
            for kind, verdict in (("answer", "R"), ("second", "W")):
                rows = [person.row(item["id"], verdict, 1) for item in left if item["kind"] == kind]
                assert person.send(*rows)[1] == []
    standing = room.status()
    assert (standing.agreement[0].value, standing.disputed) == (1, 0)
    assert standing.people["ana"].judged == 6  # 4 questions, 2 of them with two answers
    place = room.export()
    assert {row["verdict"] for row in table(place / "verdicts.csv")} == {"R"}
    seconds = table(place / "second.csv")
    assert len(seconds) == 12
    assert {(row["first"], row["second"]) for row in seconds} == {("R", "W")}
    assert {row["answer"][:5]: row["by_judge"] for row in seconds} == {"thing": "correct", "other": "incorrect"}
    with pytest.raises(nescio.FormatError, match="the table of judgements has no column of verdicts"):
        nescio.lab.assessors(place / "second.csv")  # the judge's grades are not people's verdicts
    assert "second:" not in (place / "ana.judgements.jsonl").read_text(encoding="utf-8")


def test_a_grade_of_rank_1_is_no_grade_of_another_rank(new_room: NewRoom, tmp_path: Path) -> None:
    questions, one, _ = runs_of(tmp_path, 2)
    rows = [{"id": f"q{i}", "answer": f"{word} {i}", "rank": rank} for i in range(2) for rank, word in RANKS]
    room = new_room(questions, made.lines(one, rows), grades=graded(tmp_path, 2))
    ana, grades = room.join("ana"), dict[str, str]()
    while left := ana.left():
        grades |= {item["answer"]: item["grade"] for item in left if "grade" in item}
        assert ana.send(*(ana.row(item["id"]) for item in left))[1] == []
    assert grades == {"thing 0": "correct", "thing 1": "correct"}


def test_a_first_verdict_stays_as_it_was_once_the_grade_was_shown(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(*runs_of(tmp_path, 1), grades=graded(tmp_path, 1))
    ana = room.join("ana")
    (first,) = [item["id"] for item in ana.next()]
    assert ana.send(ana.row(first, "W", 1), ana.row(first, "R", 2))[1] == []  # blind, so that it may change
    assert ana.send(ana.row(f"second:{first}", "R", 1))[1] == ["give your own verdict first"]  # nothing was shown yet
    second = next(item for item in ana.next() if item["kind"] == "second")
    assert (second["grade"], second.get("held")) == ("correct", None)
    stays = "you have seen the judge's grade, so your first verdict stays as it is; give a second verdict"
    assert ana.send(ana.row(first, "W", 3)) == ([], [stays])
    assert ana.send(ana.row(first, "", 4, mark="skip", comment="hard")) == ([], [stays])
    assert ana.send(ana.row(first, "R", 5, comment="I am sure", mark="flag"))[1] == []
    assert ana.send(ana.row(second["id"], "W", 6), ana.row(first, "W", 7)) == (
        [ana.row(second["id"], "W", 6)["id"]],
        [stays],
    )
    assert ana.next()[-1]["held"]["verdict"] == "W"
    place = room.export()
    assert [row["verdict"] for row in table(place / "verdicts.csv")] == ["R"]
    assert [(row["first"], row["second"]) for row in table(place / "second.csv")] == [("R", "W")]


def test_a_second_verdict_is_refused_with_the_same_words_whatever_the_answer_is(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """Else the words would tell which answers are the organisers'."""
    known = made.text(tmp_path / "known.csv", KNOWN)
    room = new_room(*runs_of(tmp_path, 4), grades=graded(tmp_path, 4), control=known)
    ana, asked = room.join("ana"), set[str]()
    while left := ana.left():
        asked |= {item["question"] for item in left}
        for item in left:
            if item["kind"] != "second":
                assert ana.send(ana.row(f"second:{item['id']}")) == ([], ["give your own verdict first"])
            ana.send(ana.row(item["id"], "R", 1))
    assert {"What is one?", "What is two?", "What is 0?"} <= asked
    assert ana.send(ana.row("second:nothing")) == ([], ["give your own verdict first"])


def test_what_its_only_assessor_skips_is_offered_to_another(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign, overlap=1)
    ana, ben = room.join("ana"), room.join("ben")
    hard = ana.left()[0]
    skip = ana.row(hard["id"], "", 1, mark="skip", comment="no Latin")
    assert ana.send(skip)[1] == []
    ana.judge_all()
    assert room.status().open == 1
    assert ana.left() == []  # nobody is offered again what they skipped
    mine = ben.left()
    assert {item["topic"] for item in mine} == {hard["topic"]}
    ben.judge_all()
    assert room.status().open == 0
    assert room.held()[hard["id"], "ben"] == "R"
    # Ana thinks better of it: both judged it now, and nothing waits for a third.
    assert ana.send(ana.row(hard["id"], "W", 2))[1] == []
    assert room.join("eva").next() == []


def test_answers_that_a_judge_graded_in_two_ways_are_said_and_stand_without_a_grade(tmp_path: Path) -> None:
    grades = graded(tmp_path, 4, wrong="two,q0")  # of q0, to which both give one answer
    created = nescio.assess.create(str(tmp_path / "j.db"), runs_of(tmp_path, 4), grades=grades)
    assert (created.items, created.graded, created.split) == (6, 5, 1)
    assert "grade on 5 of these items, but not on 1 answer that the judge graded differently in two runs" in str(
        created
    )


def test_grades_that_fit_no_answer_are_counted(tmp_path: Path) -> None:
    """A grade of an answer that nobody is asked about, because its run declined, is no stranger."""
    files, grades = runs_of(tmp_path, 4), graded(tmp_path, 4)
    made.edit(files[2], '"other 1"', "null")
    assert nescio.assess.create(str(tmp_path / "a.db"), files, grades=grades).notes == ()
    grades.write_text(grades.read_text().replace("two,q", "two,Q"))
    (note,) = nescio.assess.create(str(tmp_path / "b.db"), files, grades=grades).notes
    assert str(note).startswith("4 judgements are for runs or questions that are not in the data (first: run 'two'")


def test_only_its_owner_reads_a_database(tmp_path: Path) -> None:
    with closing(open_database(str(tmp_path / "a.db"), new=True)) as database, database.reading():
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("a.db", "a.db-wal", "a.db-shm"), "0o600")


def test_a_database_is_made_whole_or_not_at_all(
    new_db: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stops it: what is left can be made again, and no command takes it for a database."""
    db, files = new_db(), runs_of(tmp_path, 4)

    def full(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(creating, "write", full)
        with pytest.raises(KeyboardInterrupt):
            nescio.assess.create(db, files)
    with pytest.raises(nescio.UsageError, match="is not a database that nescio assess create made"):
        nescio.assess.status(db)
    assert nescio.assess.create(db, files).topics == 4
    assert nescio.assess.status(db).topics == 4


def test_a_database_that_holds_nothing_to_judge_is_one_error(new_db: Callable[[], str], tmp_path: Path) -> None:
    """As an earlier nescio left it where `create` was killed."""
    db, files = new_db(), runs_of(tmp_path, 4)
    nescio.assess.create(db, files)
    with closing(open_database(db)) as database, database.writing() as connection:
        connection.execute(delete(about).where(about.c.name != "schema"))
    for command in (
        partial(nescio.assess.create, db, files),
        partial(nescio.assess.status, db),
        partial(nescio.assess.update, db, files),
        partial(nescio.assess.export, db, tmp_path / "out"),
        partial(nescio.assess.invite, db, ["ana"], address=HOME),
    ):
        with pytest.raises(nescio.UsageError, match="nescio assess create was interrupted"):
            command()


@pytest.mark.parametrize(
    "tables", [["about (name text, value text)"], ["about (x int)"], ["items (id int)", "people (x int)"]]
)
def test_a_database_of_another_program_is_left_alone(
    tables: list[str], new_db: Callable[[], str], tmp_path: Path
) -> None:
    db, files = new_db(), runs_of(tmp_path, 4)
    with closing(database.Database(db)) as other, other.writing() as connection:
        for table in tables:
            connection.exec_driver_sql(f"CREATE TABLE {table}")
    with pytest.raises(nescio.UsageError, match="already holds tables of another program; name another database"):
        nescio.assess.create(db, files)
    with pytest.raises(nescio.UsageError, match="is not a database that nescio assess create made"):
        nescio.assess.status(db)


def test_questions_are_drawn_with_the_probabilities_that_the_export_says(new_room: NewRoom, tmp_path: Path) -> None:
    """30 questions of weight 1.5 and 30 of .1 share 18: .5625 and .0375, by hand; 18 are drawn, give or take 2.9."""
    files = runs_of(tmp_path, 60)
    room = new_room(*files, grades=graded(tmp_path, 60), draw=18)
    drawn = room.status().topics
    assert 2 <= drawn <= 34
    room.join("ana").judge_all(lambda answer: "W" if "other" in answer else "R")
    verdicts = room.export() / "verdicts.csv"
    odds = {row["question_id"]: float(row["inclusion"]) for row in table(verdicts)}
    assert len(odds) == drawn
    expected = {topic: 0.5625 if int(topic[1:]) % 2 else 0.0375 for topic in odds}
    assert odds == pytest.approx(expected)
    scores = nescio.score(files, ["accuracy"], judge="exact", labels=verdicts, ci=None)
    assert scores["one", "accuracy"].value == pytest.approx(1)  # people say what the judge says
    assert any("drawn with the probabilities" in note.text for note in scores.notes)


def test_judged_in_part_the_probability_is_of_being_drawn_and_judged(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(*runs_of(tmp_path, 20), draw=20)
    ana = room.join("ana")
    for _ in range(5):
        left = ana.left()
        ana.send(*(ana.row(item["id"]) for item in left if item["topic"] == left[0]["topic"]))
    exported = nescio.assess.export(room.db, tmp_path / "out")
    assert exported.drawn == (5, 20)
    assert "note: 5 of 20 drawn questions have a verdict" in str(exported)
    assert {row["inclusion"] for row in table(tmp_path / "out" / "verdicts.csv")} == {"0.25"}


def test_verdicts_are_exported_in_the_order_in_which_they_came(new_room: NewRoom, tmp_path: Path) -> None:
    """A later look at labels adds to an earlier one; the verdict that ended a dispute comes at the end."""
    questions, run, _ = runs_of(tmp_path, 30)
    room = new_room(questions, run)
    ana, said = room.join("ana"), list[str]()

    def judge(count: int) -> list[str]:
        for _ in range(count):
            item = next(one["id"] for one in ana.next() if one["id"] not in said)
            ana.send(ana.row(item, "R", len(said) + 1))
            said.append(item)
        with (room.export() / "verdicts.csv").open(encoding="utf-8") as file:
            return [row["item"] for row in csv.DictReader(file)]

    assert judge(8) == said != sorted(said)
    assert judge(8) == said
    ana.send(ana.row(said[0], "W", 90))
    assert judge(0) == [*said[1:], said[0]]


def test_answers_that_nobody_judged_to_judged_questions_are_counted(new_room: NewRoom, tmp_path: Path) -> None:
    """Those of a late run, say, which then has labels on answers of other runs alone."""
    questions, run, other = runs_of(tmp_path, 4)
    room = new_room(questions, run)
    room.join("ana").judge_all()
    for files, told in (
        ([run], "4 verdicts"),
        ([run, other], "4 verdicts; no verdict yet on 2 other answers to the same"),
    ):
        nescio.assess.update(room.db, [questions, *files])
        said = str(nescio.assess.export(room.db, tmp_path / str(len(files))))
        assert told in said
        assert ("no verdict yet" in told) == ("no verdict yet" in said)


def test_implausible_work_is_told(new_room: NewRoom, tmp_path: Path) -> None:
    """Each says something every second; ana says W of the first half of 54 answers and R of the others, ben R of all."""
    room = new_room(*runs_of(tmp_path, 36), overlap=2)
    for who, verdicts in (("ana", "W" * 27 + "R" * 27), ("ben", "R" * 54)):
        person, n = room.join(who), 0
        while left := person.left():
            person.send(*(person.row(item["id"], verdicts[n + i], n + i) for i, item in enumerate(left)))
            n += len(left)
    remarks = room.status().remarks
    assert "ana judges half of the items in less than 2 s each" in remarks
    assert "ana gives the verdict W 27 times in a row" in remarks
    assert "ben gives the verdict R on all 54 answers" in remarks


def test_judgements_that_are_older_than_their_items_are_told(new_room: NewRoom, tmp_path: Path) -> None:
    """Each is dated 41 s after the one before, from two hours ago on, and all come within seconds."""
    room, n = new_room(*runs_of(tmp_path, 36)), 0
    ana, start = room.join("ana"), datetime.now(UTC) - timedelta(hours=2)
    while left := ana.left():
        rows = [
            ana.row(item["id"], "R", n + i) | {"at": (start + timedelta(seconds=41 * (n + i))).isoformat()}
            for i, item in enumerate(left)
        ]
        assert ana.save(*rows, sent=datetime.now(UTC).isoformat()).status_code == 200
        n += len(left)
    assert f"ana has {n} judgements with a time before the items were given to ana" in room.status().remarks


def test_a_run_that_comes_late_is_taken_in_and_one_that_goes_leaves_what_was_judged(
    new_room: NewRoom, tmp_path: Path
) -> None:
    questions, one, two = runs_of(tmp_path, 4)  # `two` has answers of its own to q1 and q3
    room = new_room(questions, one)
    ana, ben = room.join("ana"), room.join("ben")

    def take_in(*sources: Path) -> tuple[int, int, int]:
        updated = nescio.assess.update(room.db, [questions, *sources])
        return updated.new, updated.gone, updated.judged

    assert ana.judge_all() == 4
    before = room.held()
    assert take_in(one, two) == (2, 0, 0)
    assert take_in(one, two) == (0, 0, 0)  # twice is once
    left = ana.left()  # of a server that runs, in topics that she was done with
    assert {item["answer"] for item in left} == {"other 1", "other 3"}
    assert ben.left() == []
    ana.send(ana.row(left[0]["id"], "W"))
    assert take_in(one) == (0, 2, 1)  # `two` is withdrawn, and one of its answers is judged
    assert ana.left() == []
    assert room.status().items == 4
    assert ana.send(ana.row(left[1]["id"], "W"))[1] == []  # she had it on her screen
    assert len(table(room.export() / "verdicts.csv")) == 6
    assert before.items() <= room.held().items()
    assert take_in(two) == (0, 2, 2)  # it is back, and `one` is gone
    assert room.status().items == 4


def test_an_update_asks_again_where_a_verdict_does_not_hold_for_the_present_texts(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """The question q0 was corrected, and a second run gives the same answers with other supports."""

    def run(name: str, document: str) -> Path:
        answers = [{"id": f"q{i}", "answer": f"thing {i}", "support": f"text of {document}"} for i in range(3)]
        return made.lines(tmp_path / f"{name}.jsonl", answers)

    def asked(first: str) -> Path:
        texts = (first, "What is 1?", "What is 2?")
        return made.lines(
            tmp_path / "q.jsonl", [{"id": f"q{i}", "question": text, "answers": ["x"]} for i, text in enumerate(texts)]
        )

    questions, first, second = asked("What is 0?"), run("first", "D1"), run("second", "D2")
    room = new_room(questions, first)
    ana = room.join("ana")
    verdicts = {"q0": "R", "q1": "R", "q2": "U"}
    shown = {item["topic"]: item for item in ana.left()}
    while item := next(iter(ana.left()), None):
        shown[item["topic"]] = item
        ana.send(ana.row(item["id"], verdicts[item["topic"]]))
    assert nescio.assess.update(room.db, [questions, first]).changed == 0
    asked("What is nought?")
    updated = nescio.assess.update(room.db, [questions, first, second])
    assert (updated.new, updated.changed, updated.outdated) == (0, 3, 2)
    assert "judgements of 2 items no longer count, because the texts changed" in str(updated)
    assert [row["verdict"] for row in table(room.export() / "verdicts.csv")] == ["R"]  # a text supports q1, as before
    old = shown["q0"]
    stale = ana.row(old["id"], "W", 2, texts=old["texts"], at=NOW)  # from a page that shows the earlier texts
    assert ana.send(stale)[1] == [CHANGED]
    again = {item["topic"]: item for item in ana.left()}
    assert {*again} == {"q0", "q2"}
    assert again["q0"]["question"] == "What is nought?"
    assert all("text of D2" in str(item["supports"]) for item in again.values())
    rows = [ana.row(item["id"], "U", 3, texts=item["texts"], at=NOW) for item in again.values()]
    assert ana.send(*rows)[1] == []
    assert nescio.assess.update(room.db, [questions, first, second]).changed == 0
    assert sorted(row["verdict"] for row in table(room.export() / "verdicts.csv")) == ["R", "U", "U"]
    assert room.status().people["ana"].judged == 3


def test_an_answer_that_some_are_asked_to_judge_again_has_no_verdict_until_they_did(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """R, R and W on an answer that loses a support: the W holds, and decides nothing alone."""

    def run(name: str) -> Path:
        answers = [{"id": f"q{i}", "answer": f"thing {i}", "support": f"text of {name}"} for i in range(3)]
        return made.lines(tmp_path / f"{name}.jsonl", answers)

    rows = [{"id": f"q{i}", "question": f"What is {i}?", "answers": ["x"]} for i in range(3)]
    questions, first, second = made.lines(tmp_path / "q.jsonl", rows), run("first"), run("second")
    room = new_room(questions, first, second, overlap=3)
    people = {who: room.join(who) for who in ("ana", "ben", "eva")}
    for who, browser in people.items():
        browser.judge_all({"eva": lambda _: "W"}.get(who, lambda _: "R"))
    assert len(room.status().disputes) == 3
    assert nescio.assess.update(room.db, [questions, first]).outdated == 3
    exported = nescio.assess.export(room.db, tmp_path / "open")
    assert "no verdict on 3 answers that people are asked to judge again" in str(exported)
    assert (exported.agreed, exported.disputed, table(tmp_path / "open" / "verdicts.csv")) == (0, 0, [])
    standing = room.status()
    assert standing.disputes == ()
    assert "people are asked to judge 3 items again" in str(standing)
    for who in ("ana", "ben"):
        rows = [people[who].row(item["id"], "W", 9, texts=item["texts"], at=NOW) for item in people[who].left()]
        assert people[who].send(*rows)[1] == []
        held = [row["verdict"] for row in table(room.export() / "verdicts.csv")]
        assert held == ([] if who == "ana" else ["W"] * 3)


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("names", [("ana", "eva"), ("eva", "ana")])
def test_whether_an_answer_is_judged_again_depends_on_no_order_of_files(
    names: tuple[str, str], early: bool, tmp_path: Path, portal: Any
) -> None:
    """One person says U; a new support takes it back; the other says W by the present texts, or said so before."""
    campaign = made.pooled(tmp_path, {"alpha_a": [{"answer": "thing", "support": "text of a"}]})
    db = str(tmp_path / "j.db")
    nescio.assess.create(db, [campaign], overlap=2)
    room = Room(db, portal, tmp_path)
    first, other = (room.join(name) for name in names)

    def say(person: Browser, verdict: str, **at: Any) -> None:
        (item,) = person.left()
        assert person.send(person.row(item["id"], verdict, texts=item["texts"], **at))[1] == []

    say(first, "U")
    if early:
        say(other, "W", n=5)
    made.take(campaign, {"beta_b": [{"answer": "thing", "support": "text of b"}]})
    nescio.campaign.pool(campaign)
    assert nescio.assess.update(db, [campaign]).outdated == 1
    if not early:
        say(other, "W", at=NOW)
    files = sorted(room.export().glob("*.jsonl"))
    room.close()
    for place, order in enumerate((files, files[::-1])):
        own = shutil.copytree(campaign, tmp_path / str(place))
        for path in order:
            nescio.campaign.collect(own, [path], resamples=10)
        (judging,) = [one for one in nescio.campaign.status(own).steps if one.name == "judgements"]
        assert judging.done is not early
        assert ("1 to be judged again" in judging.what) is early


def test_an_adjudicator_who_saw_earlier_texts_decides_nothing_that_people_judge_again(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """R and W on an answer that loses a support; a W would hold for the answer alone."""

    def run(name: str) -> Path:
        return made.lines(tmp_path / f"{name}.jsonl", [{"id": "q0", "answer": "thing", "support": f"text of {name}"}])

    questions = made.lines(tmp_path / "q.jsonl", [{"id": "q0", "question": "What is 0?", "answers": ["x"]}])
    first, second = run("first"), run("second")
    room = new_room(questions, first, second, overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "W")):
        person = room.join(who)
        (item,) = person.left()
        person.send(person.row(item["id"], verdict, texts=item["texts"]))
    chair = room.join("adjudication")
    (item,) = chair.left()
    assert nescio.assess.update(room.db, [questions, first]).outdated == 1
    (refused,) = chair.send(chair.row(item["id"], "W", 9, texts=item["texts"], at=NOW))[1]
    assert "changed after this item was shown" in str(refused)
    assert table(room.export() / "verdicts.csv") == []


def test_verdicts_by_earlier_words_of_a_question_are_taken_back_although_no_run_gives_the_answer(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """A table of labels has the question's id alone, so such a verdict would count for the new words."""
    questions, first, second = runs_of(tmp_path, 1)
    room = new_room(questions, first)
    ana = room.join("ana")
    (item,) = ana.left()
    ana.send(ana.row(item["id"], "R"))
    assert len(table(room.export() / "verdicts.csv")) == 1
    made.lines(questions, [{"id": "q0", "question": "What was nought?", "answers": ["x"]}])
    made.lines(second, [{"id": "q0", "answer": "another"}])
    updated = nescio.assess.update(room.db, [questions, second])
    assert (updated.new, updated.gone, updated.outdated) == (1, 1, 1)
    assert table(room.export() / "verdicts.csv") == []
    assert "asked to judge" not in str(nescio.assess.status(room.db))  # the new answer alone is asked for
    made.lines(questions, [{"id": "q0", "question": item["question"], "answers": ["x"]}])
    nescio.assess.update(room.db, [questions, second])
    assert len(table(room.export() / "verdicts.csv")) == 1  # it holds again


def test_who_saw_the_grade_of_an_earlier_text_is_not_asked_again_but_somebody_else_is(
    new_room: NewRoom, tmp_path: Path
) -> None:
    questions, run, _ = runs_of(tmp_path, 1)
    room = new_room(questions, run, grades=graded(tmp_path, 1))
    ana = room.join("ana")
    (item,) = ana.left()
    ana.send(ana.row(item["id"], "R"))
    assert "second:" in ana.left()[0]["id"]  # with the judge's grade
    made.lines(questions, [{"id": "q0", "question": "What is nought?", "answers": ["x"]}])
    assert nescio.assess.update(room.db, [questions, run]).outdated == 1
    assert ana.left() == []
    assert table(room.export() / "verdicts.csv") == []
    ben = room.join("ben")
    (item,) = ben.left()
    assert item["question"] == "What is nought?"
    assert ben.send(ben.row(item["id"], "W", texts=item["texts"], at=NOW))[1] == []
    assert ben.left() == []  # The judge's grade is of the earlier question, and is not shown.
    assert [row["verdict"] for row in table(room.export() / "verdicts.csv")] == ["W"]


def test_a_new_question_is_not_among_the_known_answers(new_room: NewRoom, tmp_path: Path) -> None:
    """A control answer is about the question q2, which no run answers yet; later a run answers a question of that name."""
    questions, run, _ = runs_of(tmp_path, 3)
    first = made.lines(tmp_path / "first.jsonl", [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(2)])
    known = made.text(tmp_path / "known.csv", "question_id,question,answer,verdict\nq2,What is 2?,3,W\n")
    room = new_room(questions, first, control=known)
    assert nescio.assess.update(room.db, [questions, first, run]).new == 1
    room.join("ana").judge_all()
    assert room.status().people["ana"].control[1] == 1
    place = room.export()
    assert sorted(row["answer"] for row in table(place / "verdicts.csv")) == ["thing 0", "thing 1", "thing 2"]
    assert len(table(place / "known.csv")) == 1


def test_a_topic_of_which_nothing_is_left_is_given_to_nobody_and_a_new_one_is(
    new_room: NewRoom, tmp_path: Path
) -> None:
    questions, *_ = runs_of(tmp_path, 4)

    def run_of(name: str, *topics: int) -> list[Path]:
        said = [{"id": f"q{i}", "answer": f"thing {i}"} for i in topics]
        return [questions, made.lines(tmp_path / f"{name}.jsonl", said)]

    room = new_room(*run_of("some", 0, 1))
    updated = nescio.assess.update(room.db, run_of("more", 1, 2, 3))
    assert (updated.new, updated.topics, updated.gone) == (2, 2, 1)
    assert str(updated) == "2 new items of 2 topics to judge; 1 item no longer in the sources"
    assert room.join("ana").judge_all() == 3
    assert nescio.assess.update(room.db, run_of("strange", 0)).gone == 3
    other = made.lines(tmp_path / "o.jsonl", [{"id": "z", "question": "What is z?", "answers": ["z"]}])
    with pytest.raises(nescio.UsageError, match="give the sources from which the database was made"):
        nescio.assess.update(room.db, [other, made.lines(tmp_path / "z.jsonl", [{"id": "z", "answer": "z"}])])
    with pytest.raises(nescio.UsageError, match="asks for verdicts, but these files ask for nuggets"):
        nescio.assess.update(room.db, [made.listed(tmp_path / "n", ["a"])])
    silent = made.lines(tmp_path / "silent.jsonl", [{"id": "q0", "answer": None}])
    with pytest.raises(nescio.UsageError, match="there is nothing to judge"):
        nescio.assess.update(room.db, [questions, silent])
    with pytest.raises(nescio.UsageError, match="there is nothing to judge"):
        nescio.assess.create(str(tmp_path / "new.db"), [questions, silent])


UNSOUND: list[tuple[str, dict[str, Any], str]] = [
    ("campaign", {"control": "question,answer,verdict\nq,a,maybe\n"}, "a known verdict is one of R, W, X, U"),
    ("campaign", {"training": "question,answer\nq,a\n"}, "verdict"),
    ("campaign", {"training": "question,answer,verdict\nq,a,R\nq,a,R\n"}, "and no answer twice"),
    ("campaign", {"training": "question,answer,verdict\n"}, "at least one answer"),
    ("campaign", {"overlap": 1.5}, r"a whole number of assessors \(found 1.5\)"),
    ("campaign", {"overlap": 1e300}, r"at most 1,000 \(found 1e\+300\)"),
    ("campaign", {"draw": 2}, "these sources are a campaign"),
    ("campaign", {"sentences": True}, "no topic of this campaign has a story"),
    ("runs", {"sentences": True}, "people can judge sentences only in a campaign of the task reading"),
]


@pytest.mark.parametrize(("of", "options", "rule"), UNSOUND)
def test_what_cannot_be_asked_of_people_is_refused(
    of: str, options: dict[str, Any], rule: str, template: Path, tmp_path: Path
) -> None:
    for name in options.keys() & {"control", "training"}:
        options = options | {name: made.text(tmp_path / f"{name}.csv", options[name])}
    sources = [template / "campaign"] if of == "campaign" else runs_of(tmp_path, 4)
    with pytest.raises(nescio.NescioError, match=rule):
        nescio.assess.create(str(tmp_path / "j.db"), sources, **options)


def spoken(folder: Path, languages: Sequence[str]) -> list[Path]:
    """A question in each of these languages, and a run."""
    rows = [{"id": f"q{i}", "question": "?", "answers": ["x"], "language": name} for i, name in enumerate(languages)]
    said = [{"id": f"q{i}", "answer": f"a{i}"} for i in range(len(rows))]
    return [made.lines(folder / "q.jsonl", rows), made.lines(folder / "r.jsonl", said)]


def test_people_get_the_languages_that_they_read(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(*spoken(tmp_path, ["EN", "ES"] * 4))
    (link,) = room.invite("ana=ES")
    assert Browser(room, "ana", link).judge_all() == 4
    assert str(room.status()).startswith(
        "8 items of 8 topics; 4 topics still to be assigned\n  ana: 4 judged, 0 skipped"
    )


def test_languages_are_those_of_the_questions_and_a_new_link_may_change_them(new_room: NewRoom, tmp_path: Path) -> None:
    room = new_room(*spoken(tmp_path, ["EN", "ES"] * 4))
    with pytest.raises(nescio.UsageError, match="no question is in 'es'; the questions are in EN, ES"):
        room.invite("ana=es")
    room.invite("ana=ES")
    (link,) = room.invite("ana=EN")
    assert Browser(room, "ana", link).judge_all() == 4
    (link,) = room.invite("ana")
    assert Browser(room, "ana", link).left() == []
    (link,) = room.invite("ana=EN,ES")
    assert Browser(room, "ana", link).judge_all() == 4


def test_an_update_gives_topics_their_corrected_languages(new_room: NewRoom, tmp_path: Path) -> None:
    """Whoever holds a topic and does not judge in its present language need not finish it."""
    room = new_room(*spoken(tmp_path, ["EN", "EN", "ES", "ES"]))
    links = dict(zip(("ana", "ben"), room.invite("ana=EN", "ben=ES"), strict=True))
    ana = Browser(room, "ana", links["ana"])
    assert len(ana.left()) == 2
    updated = nescio.assess.update(room.db, spoken(tmp_path, ["ES", "EN", "ES", "FR"]))
    assert "note: the language of 2 topics changed; people and known answers follow" in str(updated)
    assert [Browser(room, name, link).judge_all() for name, link in links.items()] == [1, 2]
    assert nescio.assess.update(room.db, spoken(tmp_path, ["ES", "EN", "ES", "FR"])).moved == 0


def test_people_and_known_answers_follow_a_language_with_another_name(new_room: NewRoom, tmp_path: Path) -> None:
    """One known answer has the same text in two languages."""
    head = "question,answer,verdict,language\n"
    known = made.text(tmp_path / "c.csv", f"{head}2 + 2?,4,R,EN\n2 + 2?,4,R,ES\n")
    room = new_room(*spoken(tmp_path, ["EN", "ES", "FR"]), control=known)
    links = dict(zip(("ana", "ben"), room.invite("ana=ES", "ben=FR"), strict=True))
    nescio.assess.update(room.db, spoken(tmp_path, ["EN", "SP", "EN"]))
    assert [Browser(room, name, link).judge_all() for name, link in links.items()] == [2, 0]
    assert room.status().people["ana"].control == (1, 1)


def test_people_follow_a_language_that_gets_another_name_and_new_topics_at_once(
    new_room: NewRoom, tmp_path: Path
) -> None:
    room = new_room(*spoken(tmp_path, ["EN", "ES"]))
    links = dict(zip(("ana", "ben"), room.invite("ana=ES", "ben=EN"), strict=True))
    nescio.assess.update(room.db, spoken(tmp_path, ["EN", "SP", "SP"]))
    assert [Browser(room, name, link).judge_all() for name, link in links.items()] == [2, 1]


@pytest.mark.parametrize("at_once", [True, False])
def test_new_answers_of_a_moved_topic_go_to_people_who_judge_in_its_language(
    at_once: bool, new_room: NewRoom, tmp_path: Path
) -> None:
    """Ana had finished the topic in the language that was corrected."""
    room = new_room(*spoken(tmp_path, ["EN", "ES"]))
    links = dict(zip(("ana", "ben"), room.invite("ana=EN", "ben=ES"), strict=True))
    assert Browser(room, "ana", links["ana"]).judge_all() == 1
    files = spoken(tmp_path, ["ES", "ES"])
    if not at_once:
        nescio.assess.update(room.db, files)
    nescio.assess.update(room.db, [*files, made.lines(tmp_path / "late.jsonl", [{"id": "q0", "answer": "late"}])])
    assert [Browser(room, name, link).judge_all() for name, link in links.items()] == [0, 3]


def test_an_update_wants_the_pool_of_the_present_topics(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "question": "?", "language": name} for i, name in enumerate(("EN", "ES"))]
    campaign = made.start(tmp_path, "qa", [made.lines(tmp_path / "q.jsonl", rows)])
    for i, name in enumerate(("EN", "ES")):
        made.lines(tmp_path / "alpha" / f"r-{name}.jsonl", [{"id": f"q{i}", "answer": "a"}])
    made.ready(campaign)
    db = str(tmp_path / "j.db")
    nescio.assess.create(db, [campaign])
    made.edit(campaign / "topics" / "questions.jsonl", '"ES"', '"FR"')
    with pytest.raises(nescio.MismatchError, match=r"the pool is older than topics/questions\.jsonl; run nescio"):
        nescio.assess.update(db, [campaign])
    nescio.campaign.pool(campaign)
    assert nescio.assess.update(db, [campaign]).moved == 1


def test_sentences_of_stories_are_asked_for_while_runs_come(tmp_path: Path) -> None:
    campaign, db = made.reading(tmp_path), str(tmp_path / "j.db")
    made.sound("reading", tmp_path / "alpha" / "r")
    made.ready(campaign)
    made.edit(made.sound("reading", tmp_path / "beta" / "r"), "Ann went", "She went")
    assert not nescio.campaign.intake(campaign, [tmp_path / "beta"]).refused
    assert "made" in str(nescio.assess.create(db, [campaign], sentences=True))
    assert nescio.assess.update(db, [campaign]).new == 0
    with pytest.raises(nescio.MismatchError, match="the pool is older than run beta_r"):
        nescio.assess.create(str(tmp_path / "answers.db"), [campaign])


@pytest.mark.parametrize("step", ["create", "update"])
def test_a_language_is_spelled_in_one_way(step: str, tmp_path: Path) -> None:
    db = str(tmp_path / "j.db")
    if step == "update":
        nescio.assess.create(db, spoken(tmp_path, ["EN", "EN"]))
    with pytest.raises(nescio.NescioError, match="some questions are in 'EN', others in 'en'; spell each language"):
        getattr(nescio.assess, step)(db, spoken(tmp_path, ["EN", "en"]))


def test_people_follow_a_language_that_is_spelled_in_one_way_now(
    new_room: NewRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:  # an earlier version of nescio made the database
        earlier.setattr(creating, "check_languages", list)
        room = new_room(*spoken(tmp_path, ["EN", "en", "ES"]))
    (link,) = room.invite("ana=en")
    nescio.assess.update(room.db, spoken(tmp_path, ["EN", "EN", "ES"]))
    assert Browser(room, "ana", link).judge_all() == 2


def test_people_get_known_answers_in_the_languages_that_they_read(new_room: NewRoom, tmp_path: Path) -> None:
    """A known question that is asked in two languages is two, and each person gets one of them."""
    head = "question_id,question,answer,verdict,language\n"
    known = {
        name: made.text(tmp_path / f"{name}.csv", f"{head}k,{name} one?,1,R,EN\nk,{name} uno?,1,W,ES\n")
        for name in ("control", "training")
    }
    room = new_room(*spoken(tmp_path, ["EN", "EN", "ES"]), **known)
    for name, items, right in (("ana=EN", 4, 1), ("ben=ES", 3, 0), ("eva", 4, 1)):
        (link,) = room.invite(name)
        assert Browser(room, name.partition("=")[0], link).judge_all() == items, name
        person = room.status().people[name.partition("=")[0]]
        assert person.control == person.training == ((right, 1) if "=" in name else (1, 2)), name


@pytest.mark.parametrize(
    ("languages", "rows", "said"),
    [
        (["EN", "ES"], ["EN", ""], "1 of 2 control questions has no language, so everybody gets them, and people who"),
        (["EN", "ES", "FR"], ["EN"], "people who judge in ES and FR only get no control answer: add rows"),
        (["EN", "ES"], ["ES", "EN"], ""),
        (["EN", "EN"], ["", ""], ""),
        (["", ""], ["EN"], ""),
    ],
)
def test_control_answers_that_their_language_gives_away_are_noted(
    languages: list[str], rows: list[str], said: str, tmp_path: Path
) -> None:
    lines = [f"K{i}?,1,R,{name}\n" for i, name in enumerate(rows)]
    known = made.text(tmp_path / "c.csv", "question,answer,verdict,language\n" + "".join(lines))
    created = nescio.assess.create(str(tmp_path / "j.db"), spoken(tmp_path, languages), control=known)
    assert said in created.apart
    assert bool(created.apart) == bool(said)


@pytest.mark.parametrize("part", ["control", "training"])
def test_a_known_answer_in_another_language_than_the_questions_is_refused(part: str, tmp_path: Path) -> None:
    known = made.text(tmp_path / "c.csv", "question,answer,verdict,language\nK?,1,R,EN\nL?,1,R,en\n")
    rule = r"line 3: no question is in this language; the questions are in EN, ES \(found 'en'\)"
    with pytest.raises(nescio.NescioError, match=rule):
        nescio.assess.create(str(tmp_path / "j.db"), spoken(tmp_path, ["EN", "ES"]), **{part: known})  # type: ignore[arg-type]


@pytest.mark.parametrize(("names", "how", "rule"), [
    (["ana", "Ana"], {}, "'Ana' and 'ana' differ only in case"),
    (["ADJUDICATION"], {}, "'ADJUDICATION' and 'adjudication' differ only in case"),
    (["ana"], {"days": -5}, "above 0"),
])  # fmt: skip
def test_names_that_differ_in_case_alone_and_links_of_no_days_are_refused(
    names: list[str], how: dict[str, Any], rule: str, room: Room
) -> None:
    with pytest.raises(nescio.UsageError, match=rule):
        room.invite(*names, **how)


def test_a_name_that_the_campaign_has_in_another_case_is_refused(
    room: Room, new_room: NewRoom, campaign: Path, tmp_path: Path
) -> None:
    """At the invitation, and when judgements are collected by a database from before the sheets; and the reverse."""
    room.join("Ana").judge_all()
    files = sorted(room.export().glob("*.judgements.jsonl"))
    other = shutil.copytree(campaign, tmp_path / "other")
    nescio.campaign.sheets(campaign, ["ana"])
    later = new_room(campaign)
    with pytest.raises(nescio.UsageError, match="'Ana' and 'ana' differ only in case"):
        later.invite("Ana")
    later.invite("ana")
    (fault,) = nescio.campaign.collect(campaign, files, resamples=10).rows
    assert fault.rule == "the name differs only in case from the assessor 'ana'"
    assert made.verdicts(campaign) == {}
    assert nescio.campaign.collect(other, files, resamples=10).sound
    with pytest.raises(nescio.UsageError, match="'ana' and the earlier assessor 'Ana' differ only in case"):
        nescio.campaign.sheets(other, ["ana"])


@pytest.mark.parametrize(("column", "apart"), [("", True), (",support", False)])
def test_control_answers_that_nothing_supports_are_noted(column: str, apart: bool, tmp_path: Path) -> None:
    questions, run, _ = runs_of(tmp_path, 4)
    rows = [json.loads(line) | {"doc": "D", "support": "s"} for line in run.read_text().splitlines()]
    known = made.text(tmp_path / "c.csv", f"question,answer,verdict,why{column}\nOne?,1,R,x{column and ',s'}\n")
    made_of = nescio.assess.create(str(tmp_path / "j.db"), [questions, made.lines(run, rows)], control=known)
    assert ("people can recognize control answers: fill in the columns" in str(made_of)) == apart


@pytest.mark.parametrize(("other", "apart"), [("Two?", True), ("One?", False)])
def test_control_questions_with_one_answer_are_noted_where_others_have_several(
    other: str, apart: bool, tmp_path: Path
) -> None:
    questions, one, two = runs_of(tmp_path, 4)
    rows = [json.loads(line) | {"answer": f"{two.stem} {i}"} for i, line in enumerate(two.read_text().splitlines())]
    made.lines(two, rows)  # so that all four have two
    known = made.text(tmp_path / "c.csv", f"question,answer,verdict\nOne?,1,R\n{other},2,W\n")
    made_of = nescio.assess.create(str(tmp_path / "j.db"), [questions, one, two], control=known)
    note = (
        "4 of 4 questions and 0 of 2 control questions have several answers, so people can recognize control questions"
    )
    assert (note in str(made_of)) == apart
    assert ("give each question several rows" in str(made_of)) == apart


@pytest.mark.parametrize("graded_too", [(), ("correct",), ("correct", "incorrect")])
def test_control_answers_are_followed_by_a_grade_as_others_are_or_a_note_says_that_they_are_not(
    graded_too: tuple[str, ...], new_room: NewRoom, tmp_path: Path
) -> None:
    lines = KNOWN.strip().split("\n")
    cells = ["grade", *graded_too, "", ""]
    known = made.text(tmp_path / "c.csv", "".join(f"{line},{cells[n]}\n" for n, line in enumerate(lines)))
    files, grades = runs_of(tmp_path, 4), graded(tmp_path, 4)
    note = f"6 of 6 answers and {len(graded_too)} of 2 control answers have a judge's grade"
    said = str(nescio.assess.create(str(tmp_path / "j.db"), files, grades=grades, control=known))
    assert (note in said) == (len(graded_too) == 0)  # a share that differs by no more than half is not noted
    room = new_room(*files, grades=grades, control=known)
    ana, seen, seconds = room.join("ana"), set[str](), set[str]()
    while left := ana.left():
        seen |= {item["question"] for item in left if item["kind"] == "answer"}
        seconds |= {item["question"] for item in left if item["kind"] == "second"}
        assert len({tuple(sorted(item)) for item in left}) == len({item["kind"] for item in left})
        ana.send(*(ana.row(item["id"]) for item in left))
    assert len(seen - seconds) == 2 - len(graded_too)
    place = room.export()
    assert len(table(place / "known.csv")) == 2
    assert len(table(place / "second.csv")) == 6  # the grades of control answers are the organisers'
    assert room.status().people["ana"].control == (1, 2)


def test_a_grade_of_a_control_answer_that_is_none_is_refused(tmp_path: Path) -> None:
    known = made.text(tmp_path / "c.csv", "question,answer,verdict,grade\nOne?,1,R,good\n")
    with pytest.raises(nescio.NescioError, match="a grade is one of correct, incorrect, or empty"):
        nescio.assess.create(str(tmp_path / "j.db"), runs_of(tmp_path, 2), grades=graded(tmp_path, 2), control=known)


def test_an_update_takes_no_other_campaign_of_the_same_topics(new_room: NewRoom, tmp_path: Path) -> None:
    one, other = (made.pooled(tmp_path / name, {"alpha_a": ["thing"] * 2}) for name in ("one", "other"))
    room = new_room(one)
    room.join("ana").judge_all()
    before = room.status().items
    with pytest.raises(nescio.UsageError, match="give the campaign from which it was made"):
        nescio.assess.update(room.db, [other])
    assert room.status().items == before
    moved = shutil.copytree(one, tmp_path / "moved")
    assert nescio.assess.update(room.db, [moved]).gone == 0


def test_what_is_exported_is_for_its_owner_alone(room: Room, ana: Browser, tmp_path: Path) -> None:
    ana.judge_all()
    nescio.assess.export(room.db, tmp_path / "out")
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "out").iterdir()} == {0o600}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


OTHERS = {
    "ana.judgements.jsonl": '{"format":"nescio judgements 1","campaign":"c","assessor":"ana","key":"x"}\n',
    "ben.judgements.jsonl": "a note of mine\n",
    "verdicts.csv": "question,verdict\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_an_export_overwrites_and_deletes_nothing_that_it_did_not_write(
    name: str, room: Room, ana: Browser, tmp_path: Path
) -> None:
    room.join("ben")
    ana.judge_all()
    held = made.text(tmp_path / "out" / name, OTHERS[name])
    with pytest.raises(nescio.UsageError, match=r"the export would overwrite it; export into another folder"):
        nescio.assess.export(room.db, tmp_path / "out")
    assert [path.name for path in held.parent.iterdir()] == [name]
    assert held.read_text() == OTHERS[name]


def test_an_export_is_repeated_and_keeps_judgements_that_the_database_has_not(
    room: Room, ana: Browser, tmp_path: Path
) -> None:
    first, *others = ana.left()
    ana.send(ana.row(first["id"]))
    nescio.assess.export(room.db, tmp_path / "out")
    ana.send(*(ana.row(item["id"], "R", 1) for item in others))
    nescio.assess.export(room.db, tmp_path / "out")
    path = tmp_path / "out" / "ana.judgements.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 2 + len(others)
    path.write_text("".join(lines) + lines[-1].replace('"id": "ana', '"id": "eva'))  # from a page of the same campaign
    with pytest.raises(nescio.UsageError, match="the export would overwrite"):
        nescio.assess.export(room.db, tmp_path / "out")
    assert len(path.read_text().splitlines()) == 3 + len(others)


@pytest.mark.parametrize("edit", ["a row", "a verdict", "an answer", "another database"])
def test_an_export_keeps_rows_that_its_database_did_not_write(
    edit: str, room: Room, ana: Browser, new_room: NewRoom, campaign: Path, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    first, *others = ana.left()
    ana.send(ana.row(first["id"]))
    nescio.assess.export(room.db, place)
    room.join("ben").judge_all()
    nescio.assess.export(room.db, place)  # what was said since is no reason to refuse
    ana.send(*(ana.row(item["id"], "W", 1) for item in others))
    nescio.assess.export(room.db, place)
    path = place / "verdicts.csv"
    rows = table(path)
    if edit == "another database":
        (campaign / "campaign.secret").write_text("x" * 64)
        nescio.campaign.pool(campaign)
        other = new_room(campaign)
        other.join("ana").judge_all()
        path.unlink()
        nescio.assess.export(other.db, tmp_path / "other")
        shutil.copy(tmp_path / "other" / "verdicts.csv", path)
    else:
        changed = {"a verdict": {"verdict": "X"}, "an answer": {"answer": "mine"}, "a row": {"item": "mine"}}[edit]
        lines = (
            ",".join(row.values()) + "\n" for row in ({name: name for name in rows[0]}, *rows[1:], rows[0] | changed)
        )
        path.write_text("".join(lines), encoding="utf-8")
    held = path.read_bytes()
    with pytest.raises(nescio.UsageError, match="holds a row that this database did not write"):
        nescio.assess.export(room.db, place)
    assert path.read_bytes() == held


URLS = {
    "postgresql://bob:s3cret@host:notaport/x": "a database is an SQLite file or a URL",
    "postgresql://bob@host:s3cret/x": "a database is an SQLite file or a URL",
    "nosuch://bob:s3cret@host/x": "a database is an SQLite file or a URL",
    "://bob:s3cret": "a database is an SQLite file or a URL",
    "sqlite:////nowhere/x.db?password=s3cret&nosuch=1": "cannot have a query",
    "postgresql://bob@127.0.0.1:1/x?password=s3cret&sslpassword=s3cret": "password=hidden",
    "postgresql://bob:s3cret@127.0.0.1:1/x?nosuch=s3cret_": "cannot be opened",
}


@pytest.mark.parametrize(
    ("url", "command"),
    [*((url, "status") for url in URLS), *((next(iter(URLS)), command) for command in ("serve", "invite", "export"))],
)
def test_a_url_that_is_none_is_one_error_and_no_message_shows_a_password(
    url: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"invite": ["ana"], "export": [str(tmp_path / "out")]}.get(command, [])
    with pytest.raises(SystemExit) as ended:
        run(["assess", command, *more, "--db", url])
    assert ended.value.code == 2
    said = "".join(capsys.readouterr())
    assert URLS[url] in said
    assert "s3" not in said.replace("nosuch=s3cret_", "")
    assert said.count("nescio:") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["100%41.db", "a?b.db"])
def test_a_file_of_any_name_is_a_database(
    name: str, campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a URL has parts and percent signs with a meaning."""
    monkeypatch.chdir(tmp_path)
    nescio.assess.create(name, [campaign])
    assert Path(name).is_file()
    assert nescio.assess.invite(name, ["ana"]).links
    assert "ana" in str(nescio.assess.status(name))


@pytest.mark.parametrize("proxy", ["localhost", "127.0.0.1, nginx", "999.1.1.1"])
def test_a_proxy_that_is_no_address_is_refused(proxy: str, room: Room) -> None:
    """Else no proxy would be trusted, and cookies would be sent without TLS."""
    with pytest.raises(nescio.UsageError, match="is no IP address"):
        nescio.assess.serve(room.db, proxy=proxy)


def test_a_port_in_use_is_one_error_before_anything_is_served(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(SystemExit) as ended:
        run(["assess", "serve", "--db", room.db, "--port", str(other.getsockname()[1])])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("nescio: no server can listen at --host 127.0.0.1 --port")
    assert said.count("\n") == 1


@pytest.mark.slow
def test_no_command_prints_the_password_of_the_database(
    postgres: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA secrets")
    url = f"{postgres.replace('judge@', 'judge:s3cret@')}?options=-csearch_path%3Dsecrets&sslpassword=s3cret"
    files = [str(path) for path in runs_of(tmp_path, 2)]
    for command in (["create", *files], ["invite", "ana"], ["status"], ["export", str(tmp_path / "out")]):
        with pytest.raises(SystemExit) as ended:
            run(["assess", *command, "--db", url])
        assert ended.value.code == 0
    said = "".join(capsys.readouterr())
    assert said.count("next: nescio assess") == 2
    assert "s3cret" not in said


def organiser(room: Room) -> Any:
    """The browser of an organiser."""
    (link,) = room.invite("boss", organiser=True)
    client = room.client()
    assert client.post(link).status_code == 303
    assert client.get("/").headers["location"] == "/organiser"
    return client


def test_an_organiser_sees_how_far_people_agree_and_judges_nothing(new_room: NewRoom, campaign: Path) -> None:
    """Two people differ on one answer, each answer judged under one of two guidelines."""
    room = new_room(campaign, overlap=2)
    assert room.client().get("/organiser").status_code == 401
    for who in ("ana", "ben"):
        person = room.join(who)
        assert person.client.get("/organiser").status_code == 403
        while left := person.left():
            for item in left:
                odd = item["answer"] == "other 0" and who == "ben"
                more = {"comment": f"I am {who}" * odd, "guidelines": item["answer"][0]}  # o or t
                person.send(person.row(item["id"], "W" if odd else "R", **more))
    client = organiser(room)
    page = client.get("/organiser")
    assert page.status_code == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    for text in ("ana, ben", "kappa", "AC1", "guidelines o", "guidelines t", "1 for the adjudicator to decide"):
        assert text in page.text
    disputes = page.text.split("In dispute")[1]
    for text in ("<b>W</b>", "<b>R</b>"):
        assert text in disputes
    for text in (">ana<", ">ben<"):
        assert text not in disputes
    assert client.get("/api/next", headers={"X-CSRF-Token": "x"}).status_code == 403
    judge = room.join("adjudication")
    judge.send(judge.row(judge.next()[0]["id"], "X"))
    assert "decided: <b>X</b>" in client.get("/organiser").text


def test_agreement_is_told_within_what_is_known_of_the_questions(new_room: NewRoom, tmp_path: Path) -> None:
    """Two agree on all twelve questions of one type, and on six of twelve of the other; the last two come late. A column
    with a value for each is named and left out, one with a single value tells nothing apart."""

    def files(n: int) -> list[Path]:
        types = ["<b>who", "when"]
        asked = [
            {"id": f"q{i}", "question": f"{i}?", "answers": ["x"], "type": types[i % 2], "source": f"s{i}", "one": "1"}
            for i in range(n)
        ]
        said = [{"id": f"q{i}", "answer": f"{i}"} for i in range(n)]
        return [made.lines(tmp_path / "q.jsonl", asked), made.lines(tmp_path / "run.jsonl", said)]

    room = new_room(*files(22), overlap=2)
    nescio.assess.update(room.db, files(24))
    assert room.join("ana").judge_all(lambda answer: "RX"[int(answer) % 3 == 0]) == 24
    room.join("ben").judge_all(lambda answer: "W" if int(answer) % 4 == 1 else "RX"[int(answer) % 3 == 0])
    standing = room.status()
    told = {where: (row.value, row.n) for where, rows in standing.apart for row in rows if row.measure == "p_o"}
    assert told == {"type <b>who": (1, 12), "type when": (0.5, 12)}
    assert "agreement is not shown for each value of source, because source has 24 values" in standing.remarks
    assert "<caption>type &lt;b&gt;who</caption>" in organiser(room).get("/organiser").text


def test_links_and_the_state_of_judging_go_to_standard_output(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    """Links are shown once, so that an organiser keeps them in a file; what comes next is no part of it."""

    def told(*command: str) -> Any:
        with pytest.raises(SystemExit):
            run(["assess", *command, "--db", room.db])
        return capsys.readouterr()

    shown = told("invite", "ana")
    assert re.fullmatch(r"ana: http://127\.0\.0\.1:8000/start/[\w-]{43}\n", shown.out)
    assert "next: nescio assess serve" in shown.err
    assert "ana: 0 judged, 0 skipped" in told("status").out
    assert told("invite", "ana", "--revoke").out == "ana: revoked\n"
    for command, rule in (
        (("invite", "eva", "--revoke"), "nobody has the name 'eva'"),
        (("invite", "adjudication", "--organiser"), "adjudication decides where others differ, and is no organiser"),
        (("invite", "ana", "--organiser"), "can have only one role"),
        (("invite", "a b"), "the name of a person must start with"),
    ):
        assert rule in told(*command).err


@pytest.mark.parametrize("name", ["<b>", "", "'; --", "../x", "x" * 41, "\u202eana", "-ana"])
def test_hostile_names_are_refused(name: str, room: Room) -> None:
    with pytest.raises(nescio.UsageError, match=r"the name of a person must|names takes NAME"):
        nescio.assess.invite(room.db, [name], address=HOME)


def test_a_database_whose_names_can_be_worked_out_takes_nothing_in(new_room: NewRoom, tmp_path: Path) -> None:
    """It is as an earlier version of nescio made it; what is there can be judged and exported."""
    files = runs_of(tmp_path, 4)
    room = new_room(*files)
    with closing(open_database(room.db)) as database, database.writing() as connection:
        connection.execute(delete(about).where(about.c.name == NAMED))
    with pytest.raises(nescio.UsageError, match="an earlier version of nescio made this database"):
        nescio.assess.update(room.db, files)


def test_judgements_of_a_server_are_collected_beside_the_sheets_of_others(new_room: NewRoom, tmp_path: Path) -> None:
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"] * 2}, ["ana", "ben"])
    room = new_room(campaign)
    room.join("cleo").judge_all()
    collected = nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    assert (collected.rows, len(made.verdicts(campaign))) == ((), 2)


def test_judgements_count_again_when_the_texts_are_as_they_were(new_room: NewRoom, tmp_path: Path) -> None:
    """In the server and in the campaign; whoever judged the other texts keeps that judgement."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"] * 2})
    room = new_room(campaign)
    ana = room.join("ana")
    ana.judge_all(lambda _: "W")
    nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    topics = next((campaign / "topics").iterdir())
    for question, again in (("What is nought?", 1), ("What is 0?", 0)):
        made.lines(topics, [{"id": f"q{i}", "question": text} for i, text in enumerate((question, "What is 1?"))])
        nescio.campaign.pool(campaign)
        nescio.assess.update(room.db, [campaign])
        assert len(ana.left()) == again
        nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    assert sorted(made.verdicts(campaign).values()) == ["W", "W"]
    nescio.campaign.score(campaign, resamples=10)
    assert sorted(room.held().values()) == ["W", "W"]


def answered(campaign: Path, name: str) -> None:
    """Take a run into the campaign that gives the same two answers as others with a support of its own, and pool."""
    made.take(campaign, {name: [{"answer": "thing", "support": f"text of {name}"}] * 2})
    nescio.campaign.pool(campaign)


@pytest.mark.parametrize("verdict", ["R", "U"])
def test_what_a_server_took_back_counts_no_more_at_the_next_pool(
    verdict: str, new_room: NewRoom, tmp_path: Path
) -> None:
    """The question changes (R) or a run brings a support (U) before the judgements are collected for the first time."""
    answered(campaign := made.qa(tmp_path, 2, key=False), "alpha_a")
    room = new_room(campaign)
    ana = room.join("ana")
    ana.judge_all(lambda _: verdict)
    if verdict == "R":
        made.edit(next((campaign / "topics").iterdir()), "What is", "Who is")
    else:
        made.take(campaign, {"beta_b": [{"answer": "thing", "support": "text of b"}] * 2})
    nescio.campaign.pool(campaign)
    assert nescio.assess.update(room.db, [campaign]).outdated == 2
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    for _ in range(2):
        assert nescio.campaign.pool(campaign).restored == 0
        with pytest.raises(nescio.MismatchError, match="2 answers must be judged again"):
            nescio.campaign.score(campaign, resamples=10)
    rows = [ana.row(item["id"], verdict, 9, texts=item["texts"], at=NOW) for item in ana.left()]
    assert ana.send(*rows)[1] == []
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert nescio.campaign.score(campaign, resamples=10).scores


def test_a_judgement_holds_by_the_texts_that_its_person_saw(new_room: NewRoom, tmp_path: Path) -> None:
    """A second run brings another support, and leaves; the R rests on the support of the first run alone."""
    answered(campaign := made.qa(tmp_path, 2, key=False), "alpha_a")
    room = new_room(campaign)
    room.join("ana").judge_all()
    answered(campaign, "beta_b")
    assert nescio.assess.update(room.db, [campaign]).outdated == 0
    nescio.campaign.withdraw(campaign, "beta_b", reason="as asked")
    nescio.campaign.pool(campaign)
    assert nescio.assess.update(room.db, [campaign]).outdated == 0
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert {*made.verdicts(campaign).values()} == {"R"}


def test_the_judgement_that_was_taken_back_is_restored_and_no_older_one(new_room: NewRoom, campaign: Path) -> None:
    """Her phone was offline, and sends an earlier R after the W."""
    room = new_room(campaign)
    ana = room.join("ana")
    (item, *_) = ana.left()
    for n, verdict in ((9, "W"), (2, "R")):
        assert ana.send(ana.row(item["id"], verdict, n, texts=item["texts"]))[1] == []
    topics = next((campaign / "topics").iterdir())
    for change in ("What is", "Who is"), ("Who is", "What is"):
        made.edit(topics, *change)
        nescio.campaign.pool(campaign)
        nescio.assess.update(room.db, [campaign])
    assert room.held() == {(item["id"], "ana"): "W"}


def to_previous_version(room: Room) -> None:
    """Turn a database into one of the previous version, which did not store what was shown."""
    with room.database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE records DROP COLUMN texts")
        connection.execute(update(about).where(about.c.name == "schema").values(value=2))
    room.database.close()


def test_verdicts_of_the_previous_version_do_not_count_for_another_question(new_room: NewRoom, campaign: Path) -> None:
    room = new_room(campaign)
    room.join("ana").judge_all(lambda _: "W")
    shown = sorted(record["texts"] for record in room.records())
    to_previous_version(room)
    assert "ana: 9 judged" in str(room.status())
    assert sorted(record["texts"] for record in room.records()) == shown
    assert all(shown)
    with room.database.writing() as connection:  # as a server of the previous version that still runs
        connection.execute(update(records).values(texts=""))
    assert sorted(record["texts"] for record in room.records()) == shown
    made.edit(next((campaign / "topics").iterdir()), "What is", "Who is")
    nescio.campaign.pool(campaign)
    assert len(nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).rows) == 9
    with pytest.raises(nescio.MismatchError, match="9 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


def test_a_verdict_that_the_previous_version_took_back_has_no_known_texts(new_room: NewRoom, tmp_path: Path) -> None:
    """What nobody knows restores nothing in the campaign; on the server, the very same texts do."""
    answered(campaign := made.qa(tmp_path, 2, key=False), "alpha_a")
    room = new_room(campaign)
    ana = room.join("ana")
    ana.judge_all(lambda _: "W")
    topics = next((campaign / "topics").iterdir())
    made.edit(topics, "What is", "Who is")
    nescio.campaign.pool(campaign)
    assert nescio.assess.update(room.db, [campaign]).outdated == 2
    to_previous_version(room)
    assert {record["texts"] for record in room.records()} == {""}
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert nescio.campaign.pool(campaign).restored == 0
    made.edit(topics, "Who is", "What is")
    assert nescio.campaign.pool(campaign).restored == 0
    nescio.assess.update(room.db, [campaign])
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert {*made.verdicts(campaign).values()} == {"W"}


def test_what_the_previous_version_exported_after_a_take_back_is_not_restored(
    new_room: NewRoom, tmp_path: Path
) -> None:
    """It exported each judgement with the key of the item's texts at that time."""
    answered(campaign := made.qa(tmp_path, 2, key=False), "alpha_a")
    room = new_room(campaign)
    ana = room.join("ana")
    ana.judge_all(lambda _: "R")
    made.edit(next((campaign / "topics").iterdir()), "What is", "Who is")
    nescio.campaign.pool(campaign)
    nescio.assess.update(room.db, [campaign])
    now = {item["id"]: item["texts"] for item in ana.left()}
    (file,) = handed_in(room.export())
    heading, *rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    made.lines(file, [heading, *(row | {"texts": now[row["item"]]} for row in rows)])
    assert nescio.campaign.collect(campaign, [file], resamples=10).sound
    assert nescio.campaign.pool(campaign).restored == 0
    with pytest.raises(nescio.MismatchError, match="2 answers must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


def test_an_adjudication_of_present_texts_by_the_previous_version_counts(new_room: NewRoom, tmp_path: Path) -> None:
    answered(campaign := made.qa(tmp_path, 2, key=False), "alpha_a")
    room = new_room(campaign, overlap=2)
    people = {room.join(who): verdict for who, verdict in (("ana", "R"), ("ben", "W"), ("adjudication", "W"))}
    for minute in range(2):
        for person, verdict in people.items():
            rows = [person.row(item["id"], verdict, minute, texts=item["texts"]) for item in person.left()]
            assert len(rows) == 2
            assert person.send(*rows)[1] == []
        if not minute:
            nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
            made.edit(next((campaign / "topics").iterdir()), "What is", "Who is")
            nescio.campaign.pool(campaign)
            nescio.assess.update(room.db, [campaign])
    to_previous_version(room)
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    assert {verdict for (_, who), verdict in made.verdicts(campaign).items() if who == "adjudication"} == {"W"}
    assert nescio.campaign.score(campaign, resamples=10).scores


@pytest.mark.parametrize("texts", ["\0", "x" * 20_000, "'; DROP TABLE records"])
def test_texts_that_no_page_shows_are_asked_again(texts: str, ana: Browser) -> None:
    item = ana.left()[0]
    assert ana.send(ana.row(item["id"], "W", texts=f"{item['texts']}-{texts}")) == ([], [CHANGED])


@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize("first", ["adjudication", "ana"])
def test_an_adjudication_by_earlier_supports_decides_no_open_answer(
    first: str, previous: bool, new_room: NewRoom, tmp_path: Path
) -> None:
    campaign = made.qa(tmp_path, 1, key=False)
    for name, text in (("alpha_a", "text of a"), ("beta_b", "text of b")):
        made.take(campaign, {name: [{"answer": "thing", "support": text}]})
    nescio.campaign.pool(campaign)
    room = new_room(campaign, overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "W"), ("adjudication", "W")):
        person = room.join(who)
        (item,) = person.left()
        assert person.send(person.row(item["id"], verdict, texts=item["texts"]))[1] == []
    nescio.campaign.withdraw(campaign, "beta_b", reason="as asked")
    nescio.campaign.pool(campaign)
    nescio.assess.update(room.db, [campaign])
    if previous:
        to_previous_version(room)
    files = sorted(handed_in(room.export()), key=lambda path: not path.name.startswith(first))
    for file in files:
        nescio.campaign.collect(campaign, [file], resamples=10)
    with pytest.raises(nescio.MismatchError, match="1 answer must be judged again"):
        nescio.campaign.score(campaign, resamples=10)


def test_a_reworded_nugget_of_the_key_is_asked_again(new_room: NewRoom, tmp_path: Path) -> None:
    """By the server and in the campaign, for the strings of its target."""
    campaign = made.nuggets(tmp_path)
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": ["one", "two"]} for i in range(4)])
    made.ready(campaign)
    room = new_room(campaign)
    ana = room.join("ana")
    assert ana.judge_all(lambda _: "1") == 8
    nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    made.edit(next((campaign / "key").iterdir()), "fact 0 of 2", "another fact")
    with pytest.raises(nescio.MismatchError, match="the pool is older than the key of nuggets"):
        nescio.campaign.score(campaign, resamples=10)
    assert nescio.campaign.pool(campaign).taken_back == 2
    assert nescio.assess.update(room.db, [campaign]).outdated == 2
    again = ana.left()
    assert {item["topic"] for item in again} == {"t2"}
    rows = [ana.row(item["id"], "-", 9, texts=item["texts"], at=NOW) for item in again]
    assert ana.send(*rows)[1] == []
    assert nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10).sound
    nescio.campaign.score(campaign, resamples=10)


def test_a_verdict_by_nuggets_of_which_one_is_gone_is_saved(new_room: NewRoom, tmp_path: Path) -> None:
    """The organisers may name nuggets as they like."""
    own = [{"id": f"1.{n}", "text": f"fact {n}", "vital": True} for n in range(3)]
    rows = [{"id": "t0", "target": "Target 0", "nuggets": own}]
    campaign = made.start(tmp_path, "nuggets", [made.lines(tmp_path / "given" / "key.jsonl", rows)])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": ["one"]}])
    made.ready(campaign)
    room = new_room(campaign)
    ana = room.join("ana")
    (item,) = ana.left()
    made.edit(next((campaign / "key").iterdir()), f", {json.dumps(own[2])}", "")
    nescio.campaign.pool(campaign)
    nescio.assess.update(room.db, [campaign])
    assert ana.send(ana.row(item["id"], "1.2", texts=item["texts"]))[1] != []
    assert ana.send(ana.row(item["id"], "1.0", 1, texts=item["texts"]))[1] == []


def judged_by_nuggets(new_room: NewRoom, folder: Path) -> tuple[Path, Room, Browser]:
    """Return a campaign with nuggets of the organisers, its server, and Ana, who found nugget 1 in each answer."""
    campaign = made.nuggets(folder)
    made.lines(folder / "alpha" / "r.jsonl", [{"id": f"t{i}", "strings": ["one"]} for i in range(4)])
    made.ready(campaign)
    room = new_room(campaign)
    ana = room.join("ana")
    ana.judge_all(lambda _: "1")
    return campaign, room, ana


def test_a_question_that_returns_does_not_return_verdicts_by_other_nuggets(new_room: NewRoom, tmp_path: Path) -> None:
    campaign, room, ana = judged_by_nuggets(new_room, tmp_path)
    topics, key = next((campaign / "topics").iterdir()), next((campaign / "key").iterdir())
    for path, *change in (
        (topics, "Target 2", "Another target"),
        (key, "fact 0 of 2", "another fact"),
        (topics, "Another target", "Target 2"),
    ):
        made.edit(path, *change)
        if path == key or change[1] == "Target 2":
            nescio.campaign.pool(campaign)
            nescio.assess.update(room.db, [campaign])
            assert {item["topic"] for item in ana.left()} == {"t2"}
    made.edit(key, "another fact", "fact 0 of 2")
    nescio.campaign.pool(campaign)
    nescio.assess.update(room.db, [campaign])
    assert ana.left() == []


def test_a_verdict_during_an_update_is_by_the_nuggets_that_are_shown(
    new_room: NewRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ana judges between two transactions of the update: by the present nuggets, or she is asked again."""
    campaign, room, ana = judged_by_nuggets(new_room, tmp_path)
    key = next((campaign / "key").iterdir())
    for topic in (1, 2):
        made.edit(key, f"fact 0 of {topic}", f"another fact of {topic}")
    nescio.campaign.pool(campaign)
    seen: list[str] = []

    def judge_meanwhile(_: float) -> None:
        answer = ana.ask().json()
        for item in answer["items"]:
            if not item.get("held", {}).get("verdict"):
                seen.extend(text for _, _, text in answer["nuggets"][item["topic"]])
                ana.send(ana.row(item["id"], "1", 10 + len(seen), texts=item["texts"], at=NOW))

    monkeypatch.setattr("nescio.people.assessing.updating.time.sleep", judge_meanwhile)
    assert nescio.assess.update(room.db, [campaign]).outdated == 2
    assert {text for text in seen if text.startswith("fact 0")} == set()
    assert {text for text in seen if text.startswith("another")} == {"another fact of 1", "another fact of 2"}


def test_an_invitation_to_a_path_of_a_host_is_refused(room: Room) -> None:
    """The page would send the token of the link to another application at the root of this host."""
    with pytest.raises(nescio.UsageError, match="at the root of a host"):
        nescio.assess.invite(room.db, ["ana"], address="https://example.org/judging")
    for address in ("https://example.org/", "example.org", "192.168.1.5:8000"):
        assert nescio.assess.invite(room.db, ["ana"], address=address).links


def test_judgements_of_a_server_by_earlier_texts_are_faults_in_the_campaign(new_room: NewRoom, tmp_path: Path) -> None:
    """The pool has the corrected question already, and the database does not."""
    campaign = made.pooled(tmp_path, {"alpha_a": ["thing"] * 2})
    room = new_room(campaign)
    room.join("ana").judge_all(lambda _: "W")
    made.edit(next((campaign / "topics").iterdir()), "What is 0?", "What is nought?")
    nescio.campaign.pool(campaign)
    collected = nescio.campaign.collect(campaign, handed_in(room.export()), resamples=10)
    assert [fault.rule.startswith(CHANGED) for fault in collected.rows] == [True]
    assert len(made.verdicts(campaign)) == 1


def test_an_adjudication_by_an_earlier_question_is_refused(new_room: NewRoom, tmp_path: Path) -> None:
    questions, run, _ = runs_of(tmp_path, 1)
    room = new_room(questions, run, overlap=2)
    for who, verdict in (("ana", "R"), ("ben", "W")):
        person = room.join(who)
        (item,) = person.left()
        person.send(person.row(item["id"], verdict))
    chair = room.join("adjudication")
    (shown,) = chair.next()
    made.lines(questions, [{"id": "q0", "question": "What is nought?", "answers": ["x"]}])
    assert nescio.assess.update(room.db, [questions, run]).outdated == 1
    assert chair.send(chair.row(shown["id"], "R", 1, texts=shown["texts"], at=NOW)) == ([], [CHANGED])
    assert table(room.export() / "verdicts.csv") == []


def test_people_judge_while_an_update_changes_the_answers_of_a_topic(new_room: NewRoom, tmp_path: Path) -> None:
    """Both lock the topic first; in another order PostgreSQL would end one of them."""
    questions, one, two = runs_of(tmp_path, 2)
    room = new_room(questions, one, two)
    ana = room.join("ana")
    items = ana.left()
    ana.send(*(ana.row(item["id"], "W") for item in items))
    seen: list[int] = []
    changes = partial(nescio.assess.update, room.db, [questions, one, two])
    for n in range(4):
        asked = [{"id": f"q{i}", "question": f"What is {i}, asked {n} times?", "answers": ["x"]} for i in range(2)]
        made.lines(questions, asked)
        with ThreadPoolExecutor(2) as threads:
            update = threads.submit(changes)
            seen += [ana.save(ana.row(item["id"], "W", 10 * n + k + 1)).status_code for k, item in enumerate(items)]
            assert update.result().changed
    assert {*seen} == {200}


def test_an_update_takes_answers_away_while_somebody_judges_them(
    new_room: NewRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request has the topic and wants the item; the update waits for the topic before it changes the item."""
    questions, one, two = runs_of(tmp_path, 2)
    room = new_room(questions, one, two)
    ana, reached = room.join("ana"), threading.Event()
    gone = [ana.row(item["id"]) for item in ana.left() if item["answer"].startswith("other")]
    save = saving._save

    def slow(*given: Any) -> Any:
        reached.set()
        time.sleep(1)
        return save(*given)

    monkeypatch.setattr(saving, "_save", slow)
    monkeypatch.setattr(database, "TRIES", 1)
    with ThreadPoolExecutor(2) as threads:
        saved = threads.submit(ana.save, *gone)
        assert reached.wait(30)
        update = threads.submit(nescio.assess.update, room.db, [questions, one])
        assert saved.result().status_code == 200
        assert update.result().gone == 1


@pytest.mark.slow
def test_a_change_that_postgresql_ends_is_made_again_and_an_update_says_to_run_it_again(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA ended")
    db, files = f"{postgres}?options=-csearch_path%3Dended", runs_of(tmp_path, 2)
    nescio.assess.create(db, files)
    meet, tries = threading.Barrier(2, timeout=30), list[str]()

    def change(first: str, second: str) -> Callable[[Any], str]:
        def work(connection: Any) -> str:
            tries.append(first)
            connection.execute(update(units).where(units.c.topic == first).values(taken=1))
            if len(tries) < 3:
                meet.wait()
            connection.execute(update(units).where(units.c.topic == second).values(taken=1))
            return first

        return work

    with closing(open_database(db)) as opened, ThreadPoolExecutor(2) as threads:
        both = [threads.submit(opened.change, change(*pair)) for pair in (("q0", "q1"), ("q1", "q0"))]
        assert [one.result() for one in both] == ["q0", "q1"]
        assert len(tries) == 3
        monkeypatch.setattr(database, "BUSY", 500)
        with opened.writing() as held:
            held.execute(update(units).values(taken=1))
            late = made.lines(tmp_path / "late.jsonl", [{"id": "q0", "answer": "late"}])
            with pytest.raises(nescio.UsageError, match="the update is not complete, so run it again"):
                nescio.assess.update(db, [*files, late])
    assert nescio.assess.update(db, [*files, late]).new == 1
