"""The server: what it lets in, what it refuses, and that nothing makes it fail."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from nescio.assessing import access, server
from nescio.assessing.database import Database
from nescio.assessing.server import application
from nescio.assessing.tables import items, people, records, sessions

from .client import Browser, row

pytest.importorskip("httpx", reason="httpx is not installed")
from fastapi.testclient import TestClient


def stored(database: Database) -> int:
    with database.reading() as connection:
        return len(connection.execute(select(records.c.id)).all())


def test_a_judgement_is_saved_and_named(ana: Browser, database: Database) -> None:
    item = ana.next()[0]["id"]
    for _ in range(2):
        answer = ana.save(row(item))
        assert answer.json() == {"saved": [f"id-{item}-0000"], "refused": []}
    assert stored(database) == 1
    assert ana.client.get("/api/next").json()["judged"] == 1


def test_the_page_has_a_nonce_for_each_answer_and_no_unsafe_word(ana: Browser) -> None:
    one, other = ana.client.get("/"), ana.client.get("/")
    policies = [answer.headers["content-security-policy"] for answer in (one, other)]
    assert policies[0] != policies[1]
    assert "unsafe" not in policies[0]
    nonce = re.search(r"'nonce-([^']+)'", policies[0])
    assert nonce
    assert one.text.count(f'nonce="{nonce[1]}"') == 2
    for name, value in server.SAFE.items():
        assert one.headers[name] == value
    cookie = ana.client.post(ana.link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "style=" not in one.text.split("<script")[0]  # a nonce allows no style of an element


@pytest.mark.parametrize("csrf", ["", "x", "\xff"])
def test_a_forged_token_changes_nothing(csrf: str, ana: Browser, database: Database) -> None:
    item = ana.next()[0]["id"]
    assert (
        ana.save(row(item), csrf=csrf.encode("latin-1").decode("latin-1") if csrf.isascii() else "%FF").status_code
        == 403
    )
    assert ana.client.post("/api/judgements", json={"records": [row(item)]}).status_code == 403
    assert stored(database) == 0


def test_the_token_of_another_session_is_none(database: Database) -> None:
    app = application(database)
    ana, ben = Browser(database, app, "ana"), Browser(database, app, "ben")
    assert ana.save(row(ana.next()[0]["id"]), csrf=ben.csrf).status_code == 403


def test_another_s_item_and_another_s_id_are_refused(database: Database) -> None:
    app = application(database)
    ana, ben = Browser(database, app, "ana"), Browser(database, app, "ben")
    mine, theirs = {one["id"] for one in ana.next()}, {one["id"] for one in ben.next()}
    with database.reading() as connection:
        foreign = next(one for one in connection.scalars(select(items.c.id)) if one not in mine)
    assert ana.save(row(foreign)).json()["refused"][0]["why"] == "this was not given to you to judge"
    item = next(iter(mine))
    ana.save(row(item))
    taken = row(next(iter(theirs))) | {"id": f"id-{item}-0000"}
    assert ben.save(taken).json()["refused"][0]["why"] == "this id is taken"
    assert "ana" not in str(ben.next())


def test_who_has_no_session_gets_nothing(ana: Browser) -> None:
    ana.client.cookies.clear()
    for path in ("/", "/api/next"):
        assert ana.client.get(path).status_code == 401
    assert ana.save(row("x")).status_code == 401
    for cookie in ("x", "'; DROP TABLE people; --", b"\x00".hex()):
        ana.client.cookies.set("nescio", cookie)
        assert ana.client.get("/api/next").status_code == 401


def test_a_link_that_was_revoked_replaced_or_is_over_is_refused_and_ends_its_sessions(
    ana: Browser, database: Database
) -> None:
    item = ana.next()[0]["id"]
    access.invite(database, ["ana"], address="http://x", revoke=True)
    assert ana.client.get("/api/next").status_code == 401
    assert ana.save(row(item)).status_code == 401
    assert ana.client.post(ana.link).status_code == 403
    new = access.invite(database, ["ana"], address="http://testserver").links["ana"]
    assert ana.client.post(ana.link).status_code == 403  # replayed
    assert ana.client.post(new).status_code == 303
    with database.writing() as connection:
        connection.execute(update(people).values(expires=time.time() - 1))
    assert ana.client.post(new).status_code == 403
    with database.writing() as connection:
        connection.execute(update(sessions).values(expires=time.time() - 1))
    assert ana.client.get("/api/next").status_code == 401


def test_a_link_says_at_once_whether_it_is_good_and_what_for(database: Database) -> None:
    client = TestClient(application(database), follow_redirects=False)
    links = access.invite(database, ["cas"], address="http://testserver").links
    links |= access.invite(database, ["boss"], address="http://testserver", organiser=True).links
    assert "Start judging" in client.get(links["cas"]).text
    boss = client.get(links["boss"]).text
    assert "Start</button>" in boss
    assert "judges in your name" not in boss
    for bad in (links["cas"][:-1], "http://testserver/strat"):
        found = client.get(bad)
        assert found.status_code in (403, 404)
        assert "ask the organiser for a new one" in found.text
        assert "<form" not in found.text
    assert client.get("/api/nothing").json() == {"detail": "Not Found"}


def test_a_cookie_of_a_session_that_was_left_is_refused(ana: Browser) -> None:
    cookie = ana.client.cookies["nescio"]
    assert ana.client.post("/api/leave", headers={"X-CSRF-Token": ana.csrf}).status_code == 200
    ana.client.cookies.set("nescio", cookie)
    assert ana.client.get("/api/next").status_code == 401


def test_no_secret_is_stored(ana: Browser, database: Database, tmp_path: Path) -> None:
    secrets = [ana.link.rsplit("/", 1)[1], ana.client.cookies["nescio"]]
    database.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("j.db*"))
    assert not [secret for secret in secrets if secret.encode() in held]


HOSTILE = (
    "'; DROP TABLE records; --",
    '" OR 1=1 --',
    "</script><script>window.pwned = 1</script>",
    "\x00\x1b[31m",
    "\u202eevil",
    "{{7*7}}",
    "%s%n",
    "\U0001f468\u200d\U0001f469",
)


@pytest.mark.parametrize("field", ["id", "item", "at", "verdict", "comment", "mark", "guidelines"])
def test_no_field_takes_anything_for_a_command(field: str, ana: Browser) -> None:
    item = ana.next()[0]["id"]
    for n, text in enumerate(HOSTILE, 10):
        answer = ana.save(row(item, n=n) | {field: text})
        assert answer.status_code in (200, 422)
        if field in ("comment", "guidelines"):
            assert answer.json()["saved"]
            assert "\x00" not in str(ana.next())
        else:
            assert not answer.json().get("saved")
    assert ana.save(row(item, n=2)).json()["saved"]
    page = ana.client.get("/").text
    assert "<script>window.pwned" not in page


def test_hostile_names_are_refused(database: Database) -> None:
    import nescio

    for name in ("<b>", "a b", "", "'; --", "../x", "x" * 50, "\u202eana"):
        with pytest.raises(nescio.UsageError):
            access.invite(database, [name], address="http://x")


def test_a_body_that_is_too_large_or_no_json_is_refused(ana: Browser, database: Database) -> None:
    headers = {"X-CSRF-Token": ana.csrf, "Content-Type": "application/json"}
    large = b'{"records": [' + b" " * (server.MOST_BYTES + 1) + b"]}"
    assert ana.client.post("/api/judgements", content=large, headers=headers).status_code == 413
    pieces = (large[i : i + 4096] for i in range(0, len(large), 4096))  # no length is said
    assert ana.client.post("/api/judgements", content=pieces, headers=headers).status_code in (400, 413)
    for body in (b"", b"{", b"[]", b'{"records": 1}', b'{"records": [null]}', b"\xff", b'{"records": [{"id": 1}]}'):
        assert ana.client.post("/api/judgements", content=body, headers=headers).status_code in (400, 422)
    many = [row("x", n=n) for n in range(server.MOST_RECORDS + 1)]
    assert ana.save(*many).status_code == 422
    assert stored(database) == 0


def test_too_many_requests_are_told_to_wait(ana: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server.RATE, "/start", 3)
    answers = [ana.client.post("http://testserver/start/guess") for _ in range(5)]
    assert [answer.status_code for answer in answers][-1] == 429
    assert answers[-1].headers["retry-after"] == "60"


def test_a_locked_or_full_database_is_said_and_loses_nothing(
    ana: Browser, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = ana.next()[0]["id"]
    blocker = Database(str(database.path))
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=50")
    monkeypatch.setattr("nescio.assessing.database.BUSY", 50)
    database.engine.dispose()
    with blocker.writing():
        answer = ana.save(row(item))
    assert answer.status_code == 503
    assert "nothing was saved" in answer.json()["detail"]
    assert "locked" in answer.json()["detail"]
    with blocker.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    blocker.close()

    from sqlalchemy import event

    def full(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(database.engine, "connect", full)
    database.engine.dispose()
    codes = [
        ana.save(*[row(item, "RW"[n % 2], n + 200 * k, comment="x" * 900) for n in range(200)]).status_code
        for k in range(3)
    ]
    assert 503 in codes
    before = stored(database)
    event.remove(database.engine, "connect", full)
    database.engine.dispose()
    assert before == 200 * codes.count(200)  # a batch is saved whole or not at all
    assert ana.save(row(item, n=9_000)).json()["saved"]


def test_the_description_names_every_address(ana: Browser) -> None:
    paths = ana.client.get("/openapi.json").json()["paths"]
    assert {*paths} == {"/api/next", "/api/judgements", "/api/leave"}


@pytest.mark.slow
def test_schemathesis_finds_no_failure(ana: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    monkeypatch.setitem(server.RATE, "/api", 10**9)
    ana.next()
    schema = schemathesis.openapi.from_asgi("/openapi.json", ana.client.app)
    cases = st.one_of([one.ok().as_strategy() for one in schema.get_all_operations() if one.ok().path != "/api/leave"])

    seen: set[tuple[str, int]] = set()

    @given(case=cases)
    @settings(max_examples=400, deadline=None, suppress_health_check=[*HealthCheck], database=None)
    def check(case: Any) -> None:
        headers = {
            "X-CSRF-Token": ana.csrf,
            **{n: v for n, v in (case.headers or {}).items() if n.lower() != "x-csrf-token"},
        }
        how: dict[str, Any] = {} if case.body is None or "NotSet" in type(case.body).__name__ else {"json": case.body}
        try:
            answer = ana.client.request(case.method, case.path, headers=headers, **how)
        except UnicodeEncodeError:  # httpx writes no lone surrogate
            return
        assert answer.status_code < 500, answer.text
        seen.add((case.method, answer.status_code))

    check()
    assert {("GET", 200), ("POST", 200)} <= seen  # it got in
