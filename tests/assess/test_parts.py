"""Training, control, a judge that is checked, questions that are drawn, and what an organiser sees."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import nescio
from nescio.assessing import access, exporting, work
from nescio.assessing.creating import create
from nescio.assessing.database import Database, open_database
from nescio.assessing.following import status
from nescio.assessing.server import application
from nescio.assessing.tables import items, units
from nescio.assessing.updating import take_in
from nescio.cli.app import run
from nescio.errors import FormatError, UsageError
from tests.campaign import made

from .client import Browser, row
from .conftest import pool_of
from .test_store import following, held, judge_all, said, save

KNOWN = "question,answer,verdict,why\nWhat is one?,1,R,it is\nWhat is two?,3,W,it is 2\n"


def runs_of(folder: Path, n: int = 20) -> list[Path]:
    """Two runs that differ on every second question, a judge's grades of them, and the questions first."""
    questions = [{"id": f"q{i}", "question": f"What is {i}?", "answers": [f"thing {i}"]} for i in range(n)]
    files = [made.lines(folder / "q.jsonl", questions)]
    for name, wrong in (("one", 0), ("two", 2)):
        rows = [{"id": f"q{i}", "answer": f"other {i}" if wrong and i % wrong else f"thing {i}"} for i in range(n)]
        files.append(made.lines(folder / f"{name}.jsonl", rows))
    return files


def graded(files: list[Path], n: int = 20) -> Path:
    rows = "".join(
        f"{run},q{i},{'incorrect' if run == 'two' and i % 2 else 'correct'}\n"
        for run in ("one", "two")
        for i in range(n)
    )
    return made.text(files[0].with_name("graded.csv"), "run,question_id,outcome\n" + rows)


def opened(db: str, *people: str) -> Database:
    database = open_database(db)
    access.invite(database, people or ("ana",), address="http://x")
    return database


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_training_comes_first_and_is_told_only_after_a_verdict(new_db: Callable[[], str], tmp_path: Path) -> None:
    db, known = new_db(), made.text(tmp_path / "known.csv", KNOWN)
    created = create(db, [pool_of(tmp_path)], training=known)
    assert created.items == 9  # nothing that is known is among what there is to judge
    database = opened(db, "ana", "ben")
    for who, right in (("ana", "R"), ("ben", "W")):
        left = following(database, who)
        first = next(one for one in left if one["question"].startswith("What is one"))
        assert {one["question"] for one in left[:2]} == {"What is one?", "What is two?"}
        assert "known" not in first
        assert first["again"]
        save(database, who, said(first["id"], right, who=who))
        again = next(one for one in following(database, who) if one["id"] == first["id"])
        assert (again["known"], again["why"]) == ("R", "it is")
        save(database, who, said(first["id"], "R", 1, who))  # what is said once one knows counts for nothing
        judge_all(database, who, lambda _: "R")
    found = status(database, resamples=10)
    assert found.people["ana"].training == (1, 2)
    assert found.people["ben"].training == (0, 2)
    assert found.people["ana"].judged + found.people["ben"].judged == 9
    exporting.export(database, tmp_path / "out")
    database.close()
    assert [one["verdict"] for one in rows_of(tmp_path / "out" / "known.csv") if one["known"] == "R"] == ["R", "W"]
    handed = sorted((tmp_path / "out").glob("*.judgements.jsonl"))
    assert nescio.campaign.collect(tmp_path / "campaign", handed, resamples=10).sound


def test_control_looks_like_any_answer_and_all_judge_it(new_db: Callable[[], str], tmp_path: Path) -> None:
    db, known = new_db(), made.text(tmp_path / "known.csv", KNOWN)
    create(db, [pool_of(tmp_path)], control=known, overlap=2)
    database = opened(db, "ana", "ben")
    seen: list[dict[str, Any]] = []
    while left := [one for one in following(database, "ana") if not one.get("held")]:
        seen += left
        save(database, "ana", *(said(one["id"], "R", i) for i, one in enumerate(left)))
    judge_all(database, "ben", lambda _: "R")
    controls = [one for one in seen if one["question"] in ("What is one?", "What is two?")]
    assert len({one["id"] for one in controls}) == 2
    assert {*controls[0]} == {*seen[0]} == {"id", "kind", "topic", "question", "answer", "supports"}
    assert {len(one["id"]) for one in seen} == {len(seen[0]["id"])}
    found = status(database, resamples=10)
    assert found.people["ana"].control == found.people["ben"].control == (1, 2)
    assert found.items == 9
    assert {row.n for row in found.agreement} == {9}
    database.close()


@pytest.mark.parametrize(
    ("text", "why"), [("question,answer,verdict\nq,a,maybe\n", "known verdict"), ("question,answer\nq,a\n", "verdict")]
)
def test_known_answers_that_are_none_are_refused(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=why):
        create(str(tmp_path / "j.db"), [pool_of(tmp_path)], control=made.text(tmp_path / "known.csv", text))


def test_an_overlap_between_two_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="share below 1"):
        create(str(tmp_path / "j.db"), [pool_of(tmp_path)], overlap=1.5)


def test_a_grade_is_shown_after_the_verdict_and_the_second_one_feeds_nothing(
    new_db: Callable[[], str], tmp_path: Path
) -> None:
    files, db = runs_of(tmp_path, 4), new_db()
    create(db, files, grades=graded(files, 4), overlap=2)
    database = opened(db, "ana", "ben")
    for who in ("ana", "ben"):
        while left := [one for one in following(database, who) if not one.get("held")]:
            for one in left:
                assert ("grade" in one) == one["id"].startswith("second:")
            first = [one for one in left if one["kind"] == "answer"]
            second = [one for one in left if one["kind"] == "second"]
            _, refused = save(database, who, *(said(one["id"], "R", who=who) for one in first))
            assert not refused
            save(database, who, *(said(one["id"], "W", who=who) for one in second))
    found = status(database, resamples=10)
    assert found.agreement[0].value == 1
    assert found.disputed == 0
    assert found.people["ana"].judged == 6  # 4 questions, 2 of them with two answers
    exporting.export(database, tmp_path / "out")
    database.close()
    assert {one["verdict"] for one in rows_of(tmp_path / "out" / "verdicts.csv")} == {"R"}
    second_ = rows_of(tmp_path / "out" / "second.csv")
    assert len(second_) == 12
    assert {(one["first"], one["second"]) for one in second_} == {("R", "W")}
    assert {one["grade"] for one in second_ if one["answer"].startswith("other")} == {"incorrect"}
    assert "second:" not in (tmp_path / "out" / "ana.judgements.jsonl").read_text(encoding="utf-8")


def test_nobody_says_a_second_verdict_before_the_first(tmp_path: Path) -> None:
    files = runs_of(tmp_path, 4)
    create(str(tmp_path / "j.db"), files, grades=graded(files, 4))
    database = opened(str(tmp_path / "j.db"))
    one = following(database, "ana")[0]["id"]
    saved, refused = save(database, "ana", said(f"second:{one}"))
    assert not saved
    assert refused[0]["why"] == "your own verdict comes first"
    database.close()


def test_answers_that_a_judge_graded_in_two_ways_are_said_and_stand_without_a_grade(tmp_path: Path) -> None:
    files = runs_of(tmp_path, 4)
    grades = graded(files, 4)
    text = grades.read_text(encoding="utf-8").replace("two,q0,correct", "two,q0,incorrect")  # q0 has one answer
    made_of = create(str(tmp_path / "j.db"), files, grades=made.text(grades, text))
    assert (made_of.items, made_of.graded, made_of.split) == (6, 5, 1)
    assert "1 answer that it graded differently in two runs" in str(made_of)


def test_questions_are_drawn_with_the_probabilities_that_the_export_says(tmp_path: Path) -> None:
    files = runs_of(tmp_path, 200)
    create(str(tmp_path / "j.db"), files, grades=graded(files, 200), draw=60)
    database = opened(str(tmp_path / "j.db"))
    with database.reading() as connection:
        drawn = {row.topic: row.inclusion for row in connection.execute(select(units))}
    # 100 questions of weight 1.5 and 100 of .1 share 60: .5625 and .0375, by hand.
    assert {round(odds, 10) for odds in drawn.values()} <= {0.5625, 0.0375}
    assert 30 <= len(drawn) <= 90
    judge_all(database, "ana", lambda answer: "W" if "other" in answer else "R")
    exporting.export(database, tmp_path / "out")
    verdicts = rows_of(tmp_path / "out" / "verdicts.csv")
    assert {row["question_id"]: float(row["inclusion"]) for row in verdicts} == pytest.approx(drawn)
    scores = nescio.score([files[0], *files[1:]], ["accuracy"], judge="exact", labels=tmp_path / "out" / "verdicts.csv")
    assert scores["one", "accuracy"].value == pytest.approx(1, abs=0.25)
    assert any("drawn with the probabilities" in one.text for one in scores.notes)
    database.close()


def test_judged_in_part_the_probability_is_of_being_drawn_and_judged(tmp_path: Path) -> None:
    files = runs_of(tmp_path, 100)
    create(str(tmp_path / "j.db"), files, draw=100)
    database = opened(str(tmp_path / "j.db"))
    topics: set[str] = set()
    while len(topics) < 25:
        left = [one for one in following(database, "ana") if not one.get("held")]
        topic = left[0]["topic"]
        save(database, "ana", *(said(one["id"]) for one in left if one["topic"] == topic))
        topics.add(topic)
    found = exporting.export(database, tmp_path / "out")
    assert found.drawn == (25, 100)
    assert "note: 25 of 100 drawn questions have a verdict" in str(found)
    assert {float(row["inclusion"]) for row in rows_of(tmp_path / "out" / "verdicts.csv")} == {0.25}
    database.close()


def test_implausible_work_is_told(tmp_path: Path) -> None:
    create(str(tmp_path / "j.db"), runs_of(tmp_path, 40), overlap=2)
    database = opened(str(tmp_path / "j.db"), "ana", "ben")
    n = 0
    for who in ("ana", "ben"):
        while left := [one for one in following(database, who) if not one.get("held")]:
            for one in left:
                n += 1
                at = f"2026-06-01T12:{n // 60:02}:{n % 60:02}.000Z"
                verdict = "W" if n % 2 and n < 40 else "R"
                save(database, who, work.Said(f"{who}-{one['id']}", one["id"], at, verdict))
    remarks = "\n".join(status(database, resamples=10).remarks)
    assert "ana takes less than 2 s" in remarks
    assert "ben says one" in remarks or "ben says R" in remarks
    database.close()


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {one["id"] for one in rows if not one.get("held")}


def test_a_run_that_comes_late_is_taken_in_and_one_that_goes_leaves_what_was_judged(
    new_db: Callable[[], str], tmp_path: Path
) -> None:
    questions, one, two = runs_of(tmp_path, 4)  # `two` has answers of its own to q1 and q3
    db = new_db()
    create(db, [questions, one], grades=None)
    database = opened(db, "ana", "ben")
    facts = work.Facts(database)
    assert judge_all(database, "ana", lambda _: "R") == 4
    before, version = held(database), facts.now().get("version")
    found = take_in(database, [questions, one, two])
    assert (found.new, found.topics, found.gone, found.judged) == (2, 2, 0, 0)
    assert facts.now()["version"] != version  # a server that runs learns of it
    assert take_in(database, [questions, one, two]).new == 0  # twice is once
    left = [row for row in following(database, "ana") if not row.get("held")]
    assert {row["answer"] for row in left} == {"other 1", "other 3"}  # in topics that she was done with
    assert not ids(following(database, "ben"))
    save(database, "ana", said(left[0]["id"], "W"))
    found = take_in(database, [questions, one])  # `two` is withdrawn, and one of its answers is judged
    assert (found.new, found.gone, found.judged) == (0, 2, 1)
    assert not ids(following(database, "ana"))
    assert status(database, resamples=10).items == 4
    assert save(database, "ana", said(left[1]["id"], "W"))[1] == []  # she had it on her screen
    exporting.export(database, tmp_path / "out")
    assert len(rows_of(tmp_path / "out" / "verdicts.csv")) == 6
    assert before.items() <= held(database).items()
    found = take_in(database, [questions, two])  # it is back, and `one` is gone
    assert (found.new, found.gone) == (0, 2)
    assert status(database, resamples=10).items == 4
    database.close()


def test_a_topic_of_which_nothing_is_left_is_given_to_nobody_and_a_new_one_is(tmp_path: Path) -> None:
    questions, *_ = runs_of(tmp_path, 4)
    some = made.lines(tmp_path / "some.jsonl", [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(2)])
    create(str(tmp_path / "j.db"), [questions, some])
    database = opened(str(tmp_path / "j.db"))
    more = made.lines(tmp_path / "more.jsonl", [{"id": f"q{i}", "answer": f"thing {i}"} for i in range(1, 4)])
    found = take_in(database, [questions, more])
    assert (found.new, found.topics, found.gone) == (2, 2, 1)
    assert judge_all(database, "ana", lambda _: "R") == 3
    strange = made.lines(tmp_path / "strange.jsonl", [{"id": "q0", "answer": "thing 0"}])
    assert take_in(database, [questions, more]).new == 0
    assert take_in(database, [questions, strange]).gone == 3
    other = made.lines(tmp_path / "o.jsonl", [{"id": "z", "question": "What is z?", "answers": ["z"]}])
    with pytest.raises(UsageError, match="are these its sources"):
        take_in(database, [other, made.lines(tmp_path / "z.jsonl", [{"id": "z", "answer": "z"}])])
    database.close()


@pytest.fixture
def mixed(tmp_path: Path) -> Database:
    """Two people who differ on one answer, judged under two guidelines."""
    create(str(tmp_path / "j.db"), [pool_of(tmp_path)], overlap=2)
    database = opened(str(tmp_path / "j.db"), "ana", "ben")
    for who in ("ana", "ben"):
        while left := [one for one in following(database, who) if not one.get("held")]:
            for one in left:
                odd = one["answer"] == "other 0" and who == "ben"
                more = {"comment": f"I am {who}" * odd, "guidelines": one["answer"][0]}  # o or t
                save(database, who, said(one["id"], "W" if odd else "R", who=who, **more))
    return database


def test_an_organiser_sees_how_far_people_agree_and_judges_nothing(mixed: Database) -> None:
    app = application(mixed)
    link = access.invite(mixed, ["boss"], address="http://testserver", organiser=True).links["boss"]
    from fastapi.testclient import TestClient

    client = TestClient(app, follow_redirects=False)
    assert client.get("/organiser").status_code == 401
    assert client.post(link).status_code == 303
    assert client.get("/").headers["location"] == "/organiser"
    page = client.get("/organiser")
    assert page.status_code == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    for text in ("ana, ben", "kappa", "AC1", "guidelines o", "guidelines t", "1 to be decided"):
        assert text in page.text
    disputes = page.text.split("In dispute")[1]
    assert "<b>W</b>" in disputes
    assert ">ana<" not in disputes
    assert ">ben<" not in disputes
    assert "<b>R</b>" in disputes
    assert client.get("/api/next").status_code == 403
    before = held(mixed)
    access.invite(mixed, ["adjudication"], address="http://x")
    save(mixed, "adjudication", said(next(i for (i, _), v in before.items() if v == "W"), "X", 0, "adjudication"))
    assert "decided: <b>X</b>" in client.get("/organiser").text
    assert before.items() <= held(mixed).items()
    mixed.close()


def test_agreement_is_told_within_what_is_known_of_the_questions(new_db: Callable[[], str], tmp_path: Path) -> None:
    """Two agree on all twelve questions of one type, and on six of twelve of the other; the last two come late. A column
    with a value for each is named and left out, one with a single value tells nothing apart."""

    def files(n: int) -> list[Path]:
        asked = [
            {"id": f"q{i}", "question": f"{i}?", "answers": ["x"], "type": ["<b>who", "when"][i % 2], "source": f"s{i}"}
            for i in range(n)
        ]
        answers = [{"id": f"q{i}", "answer": f"{i}"} for i in range(n)]
        return [
            made.lines(tmp_path / "q.jsonl", [row | {"one": "1"} for row in asked]),
            made.lines(tmp_path / "run.jsonl", answers),
        ]

    db = new_db()
    create(db, files(22), overlap=2)
    database = opened(db, "ana", "ben")
    take_in(database, files(24))
    assert judge_all(database, "ana", lambda answer: "RX"[int(answer) % 3 == 0]) == 24
    judge_all(database, "ben", lambda answer: "W" if int(answer) % 4 == 1 else "RX"[int(answer) % 3 == 0])
    standing = status(database, resamples=20)
    told = {where: (row.value, row.n) for where, rows in standing.apart for row in rows if row.measure == "p_o"}
    assert told == {"type <b>who": (1, 12), "type when": (0.5, 12)}
    assert "agreement is not told within source, which has 24 values" in standing.remarks
    link = access.invite(database, ["boss"], address="http://testserver", organiser=True).links["boss"]
    from fastapi.testclient import TestClient

    client = TestClient(application(database))
    client.post(link)
    assert "<caption>type &lt;b&gt;who</caption>" in client.get("/organiser").text
    database.close()


def test_links_and_the_state_of_judging_go_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Links are shown once, so that an organiser keeps them in a file; what comes next is no part of it."""
    create(str(tmp_path / "j.db"), [pool_of(tmp_path)])
    with pytest.raises(SystemExit):
        run(["assess", "invite", "ana", "--db", str(tmp_path / "j.db")])
    said = capsys.readouterr()
    assert re.fullmatch(r"ana: http://127\.0\.0\.1:8000/start/[\w-]{43}\n", said.out)
    assert "next: nescio assess serve" in said.err
    with pytest.raises(SystemExit):
        run(["assess", "status", "--db", str(tmp_path / "j.db")])
    assert "ana: 0 judged, 0 skipped" in capsys.readouterr().out


def test_an_assessor_sees_no_organiser_s_page(mixed: Database) -> None:
    ana = Browser(mixed, application(mixed), "ana")
    assert ana.client.get("/organiser").status_code == 403
    with mixed.reading() as connection:
        one = connection.scalar(select(items.c.id))
    assert one is not None
    assert ana.save(row(one)).status_code == 200
    mixed.close()
