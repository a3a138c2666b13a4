"""Attempts on the application, each of which is refused or does nothing: from outside, and from who was let in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

import nescio
from nescio.assessing import access, exporting, server, work
from nescio.assessing.creating import create
from nescio.assessing.database import Database, open_database
from nescio.assessing.server import application
from nescio.assessing.tables import items, people, records
from tests.campaign import made

from .client import Browser, row
from .conftest import pool_of

BIDI, SCRIPT, IMAGE = "\u202ereversed", "</script><script>window.pwned = 1</script>", "<img src=x onerror=pwned=2>"


def count(database: Database) -> int:
    with database.reading() as connection:
        return connection.scalar(select(func.count()).select_from(records)) or 0


# ---- who may do what ----


@pytest.mark.parametrize("more", [{"person": "ben"}, {"role": "organiser"}, {"received": 0}, {"known": "R"}])
def test_a_judgement_names_nobody_and_sets_no_role(more: dict[str, Any], ana: Browser, database: Database) -> None:
    item = ana.next()[0]["id"]
    assert ana.save(row(item, **more)).status_code == 422
    assert count(database) == 0
    assert ana.client.get("/organiser").status_code == 403


def test_a_name_has_one_role(database: Database, ana: Browser) -> None:
    with pytest.raises(nescio.UsageError, match="one person has one role"):
        access.invite(database, ["ana"], address="http://x", organiser=True)
    with database.reading() as connection:
        assert connection.scalars(select(people.c.role)).all() == ["assessor"]
    assert ana.client.get("/api/next").status_code == 200  # nothing was changed before it was refused


def test_an_organiser_saves_no_judgement(database: Database, ana: Browser) -> None:
    item = ana.next()[0]["id"]
    link = access.invite(database, ["boss"], address="http://testserver", organiser=True).links["boss"]
    cookie = access.begin(database, link.rsplit("/", 1)[1])
    assert cookie
    boss = access.who(database, cookie)
    assert boss
    ana.client.cookies.set("nescio", cookie)
    answer = ana.save(row(item), csrf=boss.csrf)
    assert answer.status_code == 403
    assert count(database) == 0


def test_an_assessor_sees_no_dispute_and_no_verdict_of_another(database: Database, ana: Browser) -> None:
    ben = Browser(database, ana.client.app, "ben")
    item = ben.next()[0]["id"]
    ben.save(row(item, "X", comment="ben's remark"))
    seen = json.dumps([ana.next(), ana.page])
    assert "ben" not in seen
    assert '"X"' not in seen


def test_an_invitation_that_is_over_lets_nobody_in(database: Database, ana: Browser) -> None:
    link = access.invite(database, ["eva"], address="http://testserver", days=1e-9).links["eva"]
    assert ana.client.post(link).status_code == 403


def test_a_page_of_somebody_else_begins_no_session(database: Database, ana: Browser) -> None:
    """Else whoever was invited could have others judge in their name."""
    link = access.invite(database, ["eva"], address="http://testserver").links["eva"]
    for site in ("cross-site", "same-site"):
        answer = ana.client.post(link, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    assert ana.client.post(link, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303


def test_a_made_up_cookie_buys_no_more_guesses(ana: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server.RATE, "/start", 5)
    ana.client.cookies.clear()
    codes = [ana.client.post("/start/guess", headers={"Cookie": f"nescio={n}; a={n}"}).status_code for n in range(10)]
    assert codes[-1] == 429


def test_made_up_sessions_buy_no_more_guesses_of_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server.RATE, "/start", 5)
    limiter = server.Limiter()
    assert [limiter.allows("1.2.3.4", "/start/guess") for _ in range(6)] == [True] * 5 + [False]
    for n in range(10_100):
        limiter.allows(f"made-up-{n}", "/api/next")
    assert not limiter.allows("1.2.3.4", "/start/guess")


def test_an_adjudicator_decides_only_what_people_differ_on(new_db: Callable[[], str], tmp_path: Path) -> None:
    db = new_db()
    create(db, [pool_of(tmp_path)], overlap=2)
    database = open_database(db)
    app = application(database)
    ana, ben, judge = (Browser(database, app, name) for name in ("ana", "ben", "adjudication"))
    with database.reading() as connection:
        known = connection.scalars(select(items.c.id)).all()
    while not (both := {one["id"] for one in ana.next()} & {one["id"] for one in ben.next()}):
        ana.save(*(row(one["id"]) for one in ana.next()))
    theirs = min(both)
    assert ana.save(row(theirs, "R", 1)).json()["saved"]
    assert judge.save(row(theirs, "X", 2)).json()["refused"]
    assert ben.save(row(theirs, "W", 3)).json()["saved"]
    assert [one["id"] for one in judge.next()] == [theirs]
    for item in {*known} - {theirs}:
        assert judge.save(row(item, "X", 7)).json()["refused"][0]["why"] == "this was not given to you to judge"
    assert judge.save(row(theirs, "X", 8)).json()["saved"]
    assert ben.save(row(theirs, "R", 9)).json()["saved"]  # they agree by now; what was said of it late is kept
    assert judge.save(row(theirs, "U", 10)).json()["saved"]
    database.close()


# ---- where one is led ----


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80@x", "127.0.0.1.evil.example"])
@pytest.mark.parametrize("path", ["/", "/api/next/", "//evil.example/", "/start/x/", "/organiser/", "/start/x"])
def test_no_answer_leads_to_the_host_that_a_request_names(host: str, path: str, ana: Browser) -> None:
    for method in ("GET", "POST"):
        answer = ana.client.request(method, path, headers={"Host": host, "X-Forwarded-Host": host})
        assert answer.status_code < 500
        assert "evil" not in answer.headers.get("location", "")
        assert "evil.example" not in answer.text


@pytest.mark.parametrize("query", ["?next=//evil.example", "?url=https://evil.example", "?r=%2f%2fevil.example"])
def test_nobody_is_led_elsewhere(query: str, database: Database, ana: Browser) -> None:
    link = access.invite(database, ["eva"], address="http://testserver").links["eva"]
    assert ana.client.post(link + query).headers["location"] == "/"


def test_no_address_takes_a_file(ana: Browser) -> None:
    """Runs are taken in by the organiser's command, which refuses bombs and paths that leave (tests/campaign)."""
    headers = {"X-CSRF-Token": ana.csrf}
    files = {"file": ("../../x.zip", b"PK")}
    for path in ("/", "/api/next", "/api/judgements", "/organiser", "/start/x"):
        assert ana.client.post(path, files=files, headers=headers).status_code in (403, 404, 405, 422)
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/start/..%2f..%2fetc%2fpasswd"):
        assert "root:" not in ana.client.get(path).text


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "9" * 5_000, "²"])
def test_a_length_that_is_none_is_refused(length: str, ana: Browser) -> None:
    headers = {b"X-CSRF-Token": ana.csrf.encode(), b"Content-Length": length.encode()}
    answer = ana.client.post("/api/judgements", content=b"{}", headers=headers)
    assert answer.status_code in (400, 413)


# ---- what is stored ----


SQL = ("'; DROP TABLE records; --", '" OR ""="', "x') UNION SELECT token FROM people --", "\\'; --", "%' --", "${1}")


@pytest.mark.parametrize("text", SQL)
def test_sql_in_every_place_is_a_text(text: str, new_db: Callable[[], str], tmp_path: Path) -> None:
    questions = [{"id": text, "question": text, "answers": [text], "language": text}]
    files = [made.lines(tmp_path / "q.jsonl", questions)]
    files.append(made.lines(tmp_path / "r.jsonl", [{"id": text, "answer": text, "doc": text, "support": text}]))
    known = made.text(tmp_path / "known.csv", "")
    rows = ["question,answer,verdict,why,question_id,language", ",".join(['"' + text.replace('"', '""') + '"'] * 2)]
    quoted = rows[1].split(",")[0]
    known.write_text(f"{rows[0]}\n{quoted},{quoted},R,{quoted},{quoted},{quoted}\n", encoding="utf-8")
    db = new_db()
    create(db, files, control=known)
    database = open_database(db)
    access.invite(database, [f"ana={text}", "ben"], address="http://testserver")
    ben = Browser(database, application(database), "ben")
    given = ben.next()
    assert {one["answer"] for one in given} == {text}
    for one in given:
        assert ben.save(row(one["id"], comment=text, guidelines=text)).json()["saved"]
    for path in (f"/start/{text}", "/api/next"):
        ben.client.get(path, params={text: text})
    ben.client.post(f"/start/{text}")
    exporting.export(database, tmp_path / "out")
    assert count(database) == 2
    with database.reading() as connection:
        assert {*connection.scalars(select(records.c.comment))} == {text}
    database.close()


def test_hostile_texts_are_taken_in_clean_and_capped(new_db: Callable[[], str], tmp_path: Path) -> None:
    """NUL, which PostgreSQL stores nowhere, marks that turn the text around, and an answer of 60 kB."""
    texts = ["a\x00b", BIDI, "x" * 60_000, "\x1b[31mred"]
    names = ["q\x00", *(f"q{BIDI}{i}" for i in range(1, len(texts)))]
    questions = [
        {"id": q, "question": f"What{text[:50]}?", "answers": ["x"]} for q, text in zip(names, texts, strict=True)
    ]
    answers = [{"id": q, "answer": text, "doc": text, "support": text} for q, text in zip(names, texts, strict=True)]
    given = (("q.jsonl", questions), ("r.jsonl", answers))
    files = [made.text(tmp_path / name, "".join(json.dumps(each) + "\n" for each in rows)) for name, rows in given]
    db = new_db()
    create(db, files)
    database = open_database(db)
    ana = Browser(database, application(database), "ana")
    seen: dict[str, str] = {}
    while left := [one for one in ana.next() if "held" not in one]:
        for one in left:
            seen[one["topic"]] = one["answer"]
            assert not [c for c in json.dumps(one, ensure_ascii=False) if c in "\x00\u202e\x1b"]
        assert len(ana.save(*(row(one["id"]) for one in left)).json()["saved"]) == len(left)
    assert len(seen) == len(texts)
    assert any(text.endswith("(10,000 more characters)") for text in seen.values())
    exported = exporting.export(database, tmp_path / "out")
    assert exported.judgements == len(texts)
    database.close()
    assert exported.unwritten == 1
    assert "1 verdict on answers with a NUL" in str(exported)
    judged = nescio.judge(files, judge="human", against=tmp_path / "out" / "verdicts.csv")
    assert "people judged none" not in str(judged)
    assert re.search(r"^r +3 +0 ", str(judged), re.M), judged  # found again by what the run says, not by what is shown


def test_a_list_of_nuggets_is_cleaned_and_a_long_one_is_saved(new_db: Callable[[], str], tmp_path: Path) -> None:
    topics = made.lines(tmp_path / "t.jsonl", [{"id": "t0", "target": "Target"}])
    campaign = made.start(tmp_path, "nuggets", [topics])
    made.lines(tmp_path / "alpha" / "r.jsonl", [{"id": "t0", "strings": ["a"]}])
    nescio.campaign.intake(campaign, [tmp_path / "alpha"])
    nescio.campaign.pool(campaign)
    db = new_db()
    create(db, [campaign])
    database = open_database(db)
    ana = Browser(database, application(database), "ana")
    listing = next(one["id"] for one in ana.next() if one["kind"] == "nuggets")
    for n, text in enumerate(("\x00" + BIDI, "x" * 1_000)):
        nuggets = [{"id": str(i), "text": text, "vital": True} for i in range(200)]
        answer = ana.save({**row(listing.replace(":", "-"), json.dumps(nuggets), n), "item": listing})
        assert answer.json()["saved"], answer.text
    half = json.dumps([{"id": "1", "text": "half \ud83d", "vital": True}])
    bad = ana.save({**row("half-of-one", half, 5), "item": listing})
    assert bad.status_code == 200
    with database.reading() as connection:
        stored = "".join(connection.scalars(select(records.c.verdict)))
    assert not [c for c in stored if c in "\x00\u202e\ud83d"]
    assert "\\u0000" not in stored
    database.close()


def test_one_judgement_that_cannot_be_taken_holds_no_other_back(ana: Browser, database: Database) -> None:
    item = ana.next()[0]["id"]
    bad = [
        {"comment": "x" * 20_000},
        {"mark": "gold"},
        {"at": "now"},
        {"verdict": "Q"},
        {"item": "x" * 900},
        {"id": "x"},
    ]
    rows = [row(item, n=n) | change for n, change in enumerate(bad)]
    answer = ana.save(*rows, row(item, n=99)).json()
    assert answer["saved"] == [f"id-{item}-0099"]
    assert len(answer["refused"]) == len(bad)
    assert count(database) == 1


@pytest.mark.parametrize("odd", ['{"id": "\\ud800aaaaaaaa", %s}', '{"id": "aaaaaaaa", "comment": "\\udc00", %s}'])
def test_half_a_character_is_answered_and_holds_nothing_back(odd: str, ana: Browser) -> None:
    item = ana.next()[0]["id"]
    good = row(item)
    rows = [odd % f'"item": "{item}", "at": "2026-01-01"', json.dumps(good)]
    headers = {"X-CSRF-Token": ana.csrf, "Content-Type": "application/json"}
    answer = ana.client.post("/api/judgements", content=f'{{"records": [{", ".join(rows)}]}}', headers=headers)
    assert answer.status_code == 200
    assert good["id"] in answer.json()["saved"]


@pytest.mark.parametrize(
    "body", ['{"records": NaN}', '{"records": [{"id": Infinity}]}', '{"\\ud800": 1}', "[" * 500_000]
)
def test_what_json_cannot_repeat_is_refused(body: str, ana: Browser, database: Database) -> None:
    headers = {"X-CSRF-Token": ana.csrf, "Content-Type": "application/json"}
    answer = ana.client.post("/api/judgements", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]
    assert count(database) == 0


def test_nobody_fills_the_disk_with_one_answer(
    ana: Browser, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST_SAID", 3)
    item = ana.next()[0]["id"]
    answer = ana.save(*(row(item, n=n) for n in range(5))).json()
    assert (len(answer["saved"]), len(answer["refused"])) == (3, 2)
    assert "no more are taken" in answer["refused"][0]["why"]
    assert ana.save(row(item, n=0)).json()["saved"]  # what is saved is acknowledged again
    assert count(database) == 3


def test_no_name_gives_a_known_answer_away(new_db: Callable[[], str], tmp_path: Path) -> None:
    """A name that is made, one that is taken, and one that the organiser gave: screens call all of them as the others."""
    asked = [{"id": f"q{i:02}", "question": f"What is {i}?", "answers": ["x"]} for i in range(4)]
    files = [made.lines(tmp_path / "q.jsonl", asked)]
    files.append(made.lines(tmp_path / "r.jsonl", [{"id": f"q{i:02}", "answer": "x"} for i in range(4)]))
    known = "question,answer,verdict,question_id\nOne?,1,R,\nTwo?,2,R,q01\nThree?,3,R,control\n"
    db = new_db()
    create(db, files, control=made.text(tmp_path / "known.csv", known))
    database = open_database(db)
    ana = Browser(database, application(database), "ana")
    seen: dict[str, str] = {}
    while left := [one for one in ana.next() if "held" not in one]:
        seen |= {one["question"]: one["topic"] for one in left}
        ana.save(*(row(one["id"]) for one in left))
    assert len(seen) == 7
    assert all(re.fullmatch(r"q\d\d", topic) for topic in seen.values()), seen
    database.close()


def test_what_is_exported_is_no_formula_and_leaves_the_folder_nowhere(tmp_path: Path) -> None:
    files = [made.lines(tmp_path / "q.jsonl", [{"id": "=1+1", "question": "Q?", "answers": ["x"]}])]
    files.append(made.lines(tmp_path / "r.jsonl", [{"id": "=1+1", "answer": "=cmd|' /C calc'!A0"}]))
    create(str(tmp_path / "j.db"), files)
    database = open_database(str(tmp_path / "j.db"))
    ana = Browser(database, application(database), "ana")
    ana.save(row(ana.next()[0]["id"]))
    exporting.export(database, tmp_path / "out")
    text = (tmp_path / "out" / "verdicts.csv").read_text(encoding="utf-8")
    assert ",=" not in text
    assert '"=' not in text
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"ana.judgements.jsonl", "verdicts.csv"}
    database.close()


def test_only_what_the_page_needs_is_told_of_the_database(ana: Browser, database: Database) -> None:
    with database.reading() as connection:
        own = work.facts(connection)
        known = connection.scalars(select(items.c.id)).all()
    told = ana.page
    assert own["secret"] not in told
    assert not [one for one in known if one in told]  # items come one after the other


def test_a_table_that_another_holds_is_said_and_nothing_is_lost(
    postgres: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On PostgreSQL, which would wait for ever; on SQLite: tests/assess/test_server.py."""
    import psycopg

    monkeypatch.setattr("nescio.assessing.database.BUSY", 1_000)
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE held")
    create(f"{postgres}/held", [pool_of(tmp_path)])
    database = open_database(f"{postgres}/held")
    ana = Browser(database, application(database), "ana")
    one = row(ana.next()[0]["id"])
    with psycopg.connect(f"{postgres}/held") as other:
        other.execute("LOCK TABLE records IN ACCESS EXCLUSIVE MODE")
        answer = ana.save(one)
        assert answer.status_code == 503
        assert "lock timeout" in answer.json()["detail"]
        assert "nothing was saved" in answer.json()["detail"]
    assert ana.save(one).json()["saved"] == [one["id"]]
    with database.reading() as connection_:
        assert connection_.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    database.close()
