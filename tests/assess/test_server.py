"""What the server lets in and what it refuses: attempts from outside, and from who was let in. Nothing makes it fail."""

from __future__ import annotations

import json
import re
import resource
import shutil
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import nescio
from nescio.people.assessing import connections, guard, saving, server
from tests.rings import many

from .client import HOME, Browser, Room
from .conftest import free_port
from .test_judging import later


def token_of(link: str) -> str:
    return link.rsplit("/", 1)[1]


# ---- what a page is sent ----


def test_the_page_has_a_nonce_for_each_answer_and_no_unsafe_word(ana: Browser) -> None:
    one, other = ana.client.get("/"), ana.client.get("/")
    policies = [answer.headers["content-security-policy"] for answer in (one, other)]
    assert policies[0] != policies[1]
    assert "unsafe" not in policies[0]
    nonce = re.search(r"'nonce-([^']+)'", policies[0])
    assert nonce
    assert one.text.count(f'nonce="{nonce[1]}"') == 2
    for name, value in guard.SAFE.items():
        assert one.headers[name] == value
    cookie = ana.client.post(ana.link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "style=" not in one.text.split("<script")[0]  # a nonce allows no style of an element


def test_only_what_the_page_needs_is_told(ana: Browser, room: Room) -> None:
    shown = {item["id"] for item in ana.next()}
    data = json.loads(ana.page.split('id="data">')[1].split("</script>")[0])
    assert {name: data[name] for name in ("assessor", "campaign", "items", "nuggets", "key")} == {
        "assessor": "ana",
        "campaign": "campaign",
        "items": [],
        "nuggets": {},
        "key": "",
    }
    assert not [item for item in shown if item in ana.page]  # items come one after the other
    assert "secret" not in ana.page
    ben = room.join("ben")
    item = ben.next()[0]["id"]
    ben.send(ben.row(item, "X", comment="ben's remark"))
    seen = json.dumps([ana.next(), ana.client.get("/").text])
    assert "ben" not in seen
    assert '"X"' not in seen


def test_no_secret_is_stored(ana: Browser, room: Room) -> None:
    secrets = [token_of(ana.link), ana.client.http.cookies[room.app.state.cookie]]
    room.close()
    held = b"".join(path.read_bytes() for path in Path(room.db).parent.glob("j.db*"))
    assert b"ana" in held
    assert not [secret for secret in secrets if secret.encode() in held]


def test_the_description_names_every_address(ana: Browser) -> None:
    paths = ana.client.get("/openapi.json").json()["paths"]
    assert {*paths} == {"/api/next", "/api/judgements", "/api/leave"}


# ---- who may come in ----


def test_who_has_no_session_gets_nothing(ana: Browser, room: Room) -> None:
    ana.client.http.cookies.clear()
    for cookie in ("", "x", "'; DROP TABLE people; --", "00"):
        how = {"headers": {"Cookie": f"{room.app.state.cookie}={cookie}", "X-CSRF-Token": ana.csrf}}
        assert [ana.client.get(path, **how).status_code for path in ("/", "/api/next", "/organiser")] == [401] * 3
        assert ana.client.post("/api/judgements", json={"records": []}, **how).status_code == 401


def test_a_link_that_was_revoked_replaced_or_is_over_is_refused_and_ends_its_sessions(
    ana: Browser, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = ana.next()[0]["id"]
    nescio.assess.invite(room.db, ["ana"], revoke=True)
    assert ana.ask().status_code == 401
    assert ana.save(ana.row(item)).status_code == 401
    assert ana.client.post(ana.link).status_code == 403
    (new,) = room.invite("ana", days=1)
    assert ana.client.post(ana.link).status_code == 403  # replayed
    later(monkeypatch, 13 * 3_600)
    assert ana.client.post(new).status_code == 303
    ana.reload()
    later(monkeypatch, 10 * 3_600)
    assert ana.ask().status_code == 200
    later(monkeypatch, 1.5 * 3_600)  # the link is over after a day, and with it a session, which else has twelve hours
    assert ana.client.post(new).status_code == 403
    assert ana.ask().status_code == 401
    assert ana.save(ana.row(item)).status_code == 401


def test_a_session_ends_after_twelve_hours(ana: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    later(monkeypatch, 12 * 3_600 - 60)
    assert ana.ask().status_code == 200
    later(monkeypatch, 120)
    assert ana.ask().status_code == 401


def test_a_link_says_at_once_whether_it_is_good_and_what_for(room: Room) -> None:
    client = room.client()
    (cas,), (boss,) = room.invite("cas"), room.invite("boss", organiser=True)
    assert "Start judging" in client.get(cas).text
    page = client.get(boss).text
    assert "Start</button>" in page
    assert "judges in your name" not in page
    for bad, status in ((cas[:-1], 403), (f"{HOME}/strat", 404)):
        answer = client.get(bad)
        assert answer.status_code == status
        assert "ask the organiser for a new one" in answer.text
        assert "<form" not in answer.text
    assert client.get("/api/nothing").json() == {"detail": "Not Found"}


def test_a_cookie_of_a_session_that_was_left_is_refused(ana: Browser, room: Room) -> None:
    name = room.app.state.cookie
    cookie = f"{name}={ana.client.http.cookies[name]}"
    assert ana.client.post("/api/leave").status_code == 403
    assert ana.ask(Cookie=cookie).status_code == 200
    assert ana.client.post("/api/leave", headers={"X-CSRF-Token": ana.csrf}).json() == {"left": "ana"}
    ana.client.http.cookies.clear()
    assert ana.ask(Cookie=cookie).status_code == 401


def test_two_servers_on_one_host_end_no_session_of_each_other(room: Room, campaign: Path, tmp_path: Path) -> None:
    """A browser sends the cookies of a host to all of its ports."""
    db = str(tmp_path / "other.db")
    nescio.assess.create(db, [campaign])
    other = Room(db, room.portal, tmp_path)
    try:
        ana, same = room.join("ana"), other.join("ana")
        names = [room.app.state.cookie, other.app.state.cookie]
        both = "; ".join(
            f"{name}={who.client.http.cookies[name]}" for name, who in zip(names, (ana, same), strict=True)
        )
        for who in (ana, same):
            who.client.http.cookies.clear()
            assert who.ask(Cookie=both).status_code == 200
    finally:
        other.close()


def test_two_people_who_open_their_links_in_one_browser_see_and_save_nothing_of_each_other(room: Room) -> None:
    """The browser sends the cookie of the link that was opened last, and each page says for whom it was made."""
    ana, ben = room.join("ana"), room.join("ben")
    item = ben.next()[0]["id"]
    ben.send(ben.row(item, "X", comment="ben's remark"))
    ana.next()
    ana.client.post(ben.link)
    for token in (ana.csrf, "", "x"):
        for answer in (ana.ask(token), ana.save(ana.row(item), csrf=token)):
            assert answer.status_code == 403
            assert answer.json()["detail"].endswith("open your own link again")
            assert "ben" not in answer.text
    assert {record["person"] for record in room.records()} == {"ben"}
    ana.client.post(ana.link)  # The page that she had opened before is hers, too.
    assert ana.ask().status_code == 200
    assert ana.send(ana.row(ana.next()[0]["id"]))[1] == []
    assert ana.ask(ben.csrf).status_code == 403


def test_a_page_of_somebody_else_begins_no_session(room: Room) -> None:
    """Else whoever was invited could have others judge in their name."""
    client, (link,) = room.client(), room.invite("eva")
    for site in ("cross-site", "same-site"):
        answer = client.post(link, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    for site in ("same-origin", "none"):
        assert client.post(link, headers={"Sec-Fetch-Site": site}).status_code == 303


@pytest.mark.parametrize("csrf", ["", "x", "%FF"])
def test_a_forged_token_changes_nothing(csrf: str, ana: Browser, room: Room) -> None:
    item = ana.next()[0]["id"]
    assert ana.save(ana.row(item), csrf=csrf).status_code == 403
    assert ana.save(ana.row(item), csrf=room.join("ben").csrf).status_code == 403
    assert ana.client.post("/api/judgements", json={"records": [ana.row(item)]}).status_code == 403
    assert room.records() == []


@pytest.mark.parametrize("more", [{"person": "ben"}, {"role": "organiser"}, {"received": 0}, {"known": "R"}])
def test_a_judgement_names_nobody_and_sets_no_role(more: dict[str, Any], ana: Browser, room: Room) -> None:
    assert ana.save(ana.row(ana.next()[0]["id"], **more)).status_code == 422
    assert room.records() == []


def test_an_organiser_saves_no_judgement(ana: Browser, room: Room) -> None:
    row = ana.row(ana.next()[0]["id"])
    (link,) = room.invite("boss", organiser=True)
    client = room.client()
    client.post(link)
    codes = []
    for csrf in (ana.csrf, "", "x"):
        headers = {"X-CSRF-Token": csrf}
        codes.append(client.post("/api/judgements", json={"records": [row]}, headers=headers).status_code)
    assert codes == [403] * 3
    assert room.records() == []


def test_too_many_requests_are_told_to_wait(ana: Browser, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cookie that is made up buys no more guesses of a link, and made-up sessions take nobody's count away. All come
    from one address, as behind a proxy: who has a good link gets in whatever others guess."""
    monkeypatch.setitem(guard.RATE, "guess", 5)
    client = room.client()
    guesses = [(client.get, "x"), (client.post, "x"), *((client.get, f"{n}") for n in range(5))]
    codes = [
        ask(f"/start/{name}", headers={"Cookie": f"{room.app.state.cookie}={n}"}).status_code
        for n, (ask, name) in enumerate(guesses)
    ]
    assert codes == [403] * 5 + [429] * 2
    assert client.post("/start/guess").headers["retry-after"] == "60"
    assert client.get(ana.link).status_code == 200
    assert client.post(ana.link).status_code == 303
    assert ana.ask().status_code == 200
    monkeypatch.setitem(guard.RATE, "/start", 5)
    limiter = guard.Limiter()
    assert [limiter.allows("1.2.3.4", "/start/guess") for _ in range(6)] == [True] * 5 + [False]
    for n in range(10_100):
        limiter.allows(f"made-up-{n}", "/api/next")
    assert not limiter.allows("1.2.3.4", "/start/guess")
    assert limiter.allows("c" * 60_000, "/api/next")
    assert max(map(len, limiter.times["/api"])) == 64  # digits of a digest, however long a cookie is


# ---- where one is led ----


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80@x", "127.0.0.1.evil.example"])
def test_no_answer_leads_to_the_host_that_a_request_names(host: str, ana: Browser) -> None:
    headers = {"Host": host, "X-Forwarded-Host": host}
    for path in ("/", "/api/next/", "//evil.example/", "/start/x/", "/organiser/", "/start/x"):
        for method in ("GET", "POST"):
            answer = ana.client.request(method, HOME + path, headers=headers)
            assert answer.status_code < 500
            assert "evil" not in answer.headers.get("location", "")
            assert "evil.example" not in answer.text


@pytest.mark.parametrize("query", ["?next=//evil.example", "?url=https://evil.example", "?r=%2f%2fevil.example"])
def test_nobody_is_led_elsewhere(query: str, ana: Browser) -> None:
    assert ana.client.post(ana.link + query).headers["location"] == "/"


def test_no_address_takes_or_gives_a_file(ana: Browser) -> None:
    """Runs are taken in by the organiser's command, which refuses bombs and paths that leave (tests/campaign)."""
    files = {"file": ("../../x.zip", b"PK")}
    for path in ("/", "/api/next", "/api/judgements", "/organiser", "/start/x"):
        answer = ana.client.post(path, files=files, headers={"X-CSRF-Token": ana.csrf})
        assert answer.status_code in (403, 404, 405, 422)
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/start/..%2f..%2fetc%2fpasswd"):
        assert "root:" not in ana.client.get(path).text


# ---- what is sent ----


def raw(ana: Browser, content: Any, **headers: str) -> Any:
    """The answer to a body that is sent as it is."""
    sent = {"X-CSRF-Token": ana.csrf, "Content-Type": "application/json", **headers}
    return ana.client.post("/api/judgements", content=content, headers=sent)


def test_judgements_are_counted_and_not_requests_alone(
    ana: Browser, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes its time in the lock of the database, where everybody else waits."""
    monkeypatch.setitem(guard.RATE, "records", 5)
    item = ana.next()[0]["id"]
    assert ana.save(*[ana.row(item, n=n) for n in range(4)]).status_code == 200
    refused = ana.save(*[ana.row(item, n=n) for n in range(4, 6)])
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    assert ana.save(ana.row(item, n=6)).status_code == 200
    ben = room.join("ben")
    assert ben.save(ben.row(ben.next()[0]["id"])).status_code == 200


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "9" * 5_000, "²", str(guard.MOST_BYTES + 1)])
def test_a_length_that_is_none_or_too_much_is_refused(length: str, ana: Browser) -> None:
    headers = {b"X-CSRF-Token": ana.csrf.encode(), b"Content-Length": length.encode()}
    assert ana.client.post("/api/judgements", content=b"{}", headers=headers).status_code == 413


NO_BODY = [
    *(b"", b"{", b"[]", b'{"records": 1}', b'{"records": [null]}', b"\xff", b'{"records": [{"id": 1}]}'),
    *(b'{"records": NaN}', b'{"records": [{"id": Infinity}]}', b'{"\\ud800": 1}', b"[" * 500_000),
]


def test_a_body_that_is_too_large_or_no_judgements_is_refused(ana: Browser, room: Room) -> None:
    large = b'{"records": [' + b" " * (guard.MOST_BYTES + 1) + b"]}"
    assert raw(ana, large).status_code == 413

    async def pieces() -> Any:  # no length is said
        for i in range(0, len(large), 4096):
            yield large[i : i + 4096]

    assert raw(ana, pieces()).status_code in (400, 413)
    for body in NO_BODY:
        answer = raw(ana, body)
        assert answer.status_code in (400, 422), body[:50]
        assert answer.json()["detail"]
    assert ana.save(*[ana.row("x", n=n) for n in range(server.MOST_RECORDS + 1)]).status_code == 422
    assert room.records() == []
    assert ana.save(*[ana.row("x", n=n) for n in range(server.MOST_RECORDS)]).status_code == 200


@pytest.mark.parametrize("odd", ['{"id": "\\ud800aaaaaaaa", %s}', '{"id": "aaaaaaaa", "comment": "\\udc00", %s}'])
def test_half_a_character_is_answered_and_holds_nothing_back(odd: str, ana: Browser) -> None:
    good = ana.row(ana.next()[0]["id"])
    after = json.dumps(ana.row(good["item"], n=7) | {"after": "\udc00"})
    rows = [odd % f'"item": "{good["item"]}", "at": "2026-01-01"', after, json.dumps(good)]
    answer = raw(ana, f'{{"records": [{", ".join(rows)}]}}')
    assert answer.status_code == 200
    assert good["id"] in answer.json()["saved"]


HOSTILE = (
    *("'; DROP TABLE records; --", '" OR 1=1 --', "</script><script>window.pwned = 1</script>", "\x00\x1b[31m"),
    *("\u202eevil", "{{7*7}}", "%s%n", "\U0001f468\u200d\U0001f469"),
)


@pytest.mark.parametrize("field", ["id", "item", "at", "verdict", "comment", "mark", "guidelines"])
def test_no_field_takes_anything_for_a_command(field: str, ana: Browser) -> None:
    item = ana.next()[0]["id"]
    rows = [ana.row(item, n=n) | {field: text} for n, text in enumerate(HOSTILE, 10)]
    saved, refused = ana.send(*rows)
    assert (len(saved), len(refused)) == ((8, 0) if field in ("comment", "guidelines") else (0, 8))
    assert ana.send(ana.row(item, n=2))[1] == []
    shown = json.dumps(ana.next(), ensure_ascii=False)
    assert not [c for c in shown if c in "\x00\x1b\u202e"]
    assert "<script>window.pwned" not in ana.client.get("/").text


def test_nobody_fills_the_disk_with_one_answer(ana: Browser, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "MOST_SAID", 3)
    item = ana.next()[0]["id"]
    saved, refused = ana.send(*(ana.row(item, n=n) for n in range(5)))
    assert (len(saved), refused) == (3, ["you changed this judgement 3 times; no more changes are accepted"] * 2)
    assert ana.send(ana.row(item, n=0))[1] == []  # what is saved is acknowledged again
    assert len(room.records()) == 3


# ---- what the disk does ----


def test_a_store_that_another_holds_is_said_and_nothing_is_lost(
    new_db: Callable[[], str], template: Path, portal: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a limit of time PostgreSQL would wait for ever."""
    monkeypatch.setattr("nescio.people.assessing.database.BUSY", 500)
    db = new_db()
    nescio.assess.create(db, [template / "campaign"])
    room = Room(db, portal, tmp_path)
    ana = room.join("ana")
    row = ana.row(ana.next()[0]["id"])
    if "://" in db:
        import psycopg

        other: Any = psycopg.connect(db)
        known = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        for (name,) in other.execute(known).fetchall():
            other.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
    else:
        other = sqlite3.connect(db, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    answer = ana.save(row)
    other.close()
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert "not saved yet: the database says" in answer.json()["detail"]
    assert "lock" in answer.json()["detail"]
    assert room.records() == []
    assert ana.send(row) == ([row["id"]], [])
    room.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_database_whose_file_is_gone_takes_nothing(replaced: bool, ana: Browser, room: Room, tmp_path: Path) -> None:
    """SQLite goes on writing into a file that has no name any more."""
    row, file = ana.row(ana.next()[0]["id"]), Path(room.db)
    kept = tmp_path / "kept.db"
    shutil.copy(file, kept)
    file.unlink()
    if replaced:
        shutil.copy(kept, file)
    answer = ana.save(row)
    assert answer.status_code == 503
    assert "not saved yet: the database says 'the database file was deleted or replaced" in answer.json()["detail"]


@pytest.mark.parametrize("read", [False, True])
def test_a_copy_of_the_file_has_what_is_saved(read: bool, ana: Browser, room: Room, tmp_path: Path) -> None:
    """Also where somebody else was reading while it was saved, and the server is killed later."""
    row, copied = ana.row(ana.next()[0]["id"]), tmp_path / "copied.db"
    with ExitStack() as others:
        if read:
            others.enter_context(room.database.reading()).exec_driver_sql("SELECT * FROM records").all()
        assert ana.send(row) == ([row["id"]], [])
    shutil.copy(room.db, copied)
    nescio.assess.export(str(copied), tmp_path / "exported")
    assert any(row["id"] in path.read_text(encoding="utf-8") for path in (tmp_path / "exported").glob("*.jsonl"))


# ---- connections ----


@pytest.fixture
def listens(room: Room) -> Iterator[Callable[..., int]]:
    """A function that serves a room as the command does, and returns the port."""
    servers: list[tuple[Any, threading.Thread]] = []

    def serve(proxy: str | None = None) -> int:
        port, ready = free_port(), threading.Event()
        served = connections.listening(room.app, port=port, proxy=proxy)
        startup = served.startup

        async def started(sockets: Any = None) -> None:
            await startup(sockets)
            ready.set()

        served.startup = started  # type: ignore[method-assign]
        thread = threading.Thread(target=served.run)
        thread.start()
        servers.append((served, thread))
        assert ready.wait(60), "the server did not start"
        return port

    yield serve
    for served, thread in servers:
        served.should_exit = True
        thread.join(30)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST /api/judgements HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"],
)
def test_a_connection_that_does_not_end_its_request_is_closed(
    sent: bytes, listens: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = listens()
    if not sent:
        monkeypatch.setattr(connections, "SLOWEST", 0.05)
    with socket.create_connection(("127.0.0.1", port)) as held:
        if sent:  # each request of a connection has its own time
            held.sendall(b"GET /api/next HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += held.recv(65_536)
            assert b" 401 " in answer
            monkeypatch.setattr(connections, "SLOWEST", 0.05)
        held.sendall(sent)
        held.settimeout(30)
        try:
            rest = held.recv(65_536)
        except ConnectionResetError:
            rest = b""
    assert rest == b""


@pytest.mark.slow
def test_a_request_that_comes_with_another_has_a_time_of_its_own(
    listens: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no byte comes after the answer to the first."""
    monkeypatch.setattr(connections, "SLOWEST", 3.0)
    first = b"GET /api/next HTTP/1.1\r\nHost: x\r\n\r\n"
    slow = b"POST /api/judgements HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", listens())) as held:
        held.settimeout(30)
        held.sendall(first + slow)
        answer = b""
        with suppress(ConnectionResetError):
            while part := held.recv(65_536):
                answer += part
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b" 401 " in answer


@pytest.mark.slow
def test_connections_that_say_nothing_keep_nobody_out(
    listens: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The one that has waited longest is closed, and of the address that has most; of a proxy none is for that."""
    monkeypatch.setattr(connections, "MOST", 20)
    monkeypatch.setattr(connections, "MOST_OF_ONE", 10)
    for proxy, most in ((None, 10), ("127.0.0.1", 20)):
        port = listens(proxy)
        with ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(30)]
            for held in idle:
                held.sendall(b"GET / HTTP/1.1\r\n")
            assert httpx.get(f"http://127.0.0.1:{port}/", timeout=30).status_code == 401
            for held in idle:
                held.settimeout(0.05)
            assert sum(is_open(held) for held in idle) < most
    assert capfd.readouterr().err == ""


def is_open(held: socket.socket) -> bool:
    try:
        return held.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(("proxy", "secure"), [(None, False), ("127.0.0.1", True), ("10.0.0.1", False)])
def test_forwarded_headers_are_believed_of_the_proxy_that_was_named(
    proxy: str | None, secure: bool, listens: Callable[..., int], room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the scheme, on which the cookie depends, and by the address, by which guesses of links are counted."""
    monkeypatch.setitem(guard.RATE, "guess", 3)
    (link,) = room.invite("ben")
    home = f"http://127.0.0.1:{listens(proxy)}"
    with httpx.Client(base_url=home) as client:
        heads = [{"X-Forwarded-For": f"9.9.9.{n}", "X-Forwarded-Proto": "https"} for n in range(5)]
        begun = client.post(f"/start/{token_of(link)}", headers=heads[0])
        assert ("secure" in begun.headers["set-cookie"].lower()) is secure
        codes = [client.post("/start/guess", headers=head).status_code for head in heads]
    assert codes == ([403] * 5 if secure else [403, 403, 403, 429, 429])


def test_a_disk_that_is_full_is_said_and_loses_nothing(ana: Browser, room: Room) -> None:
    """By the limit that a quota sets."""
    item = ana.next()[0]["id"]
    rows = [ana.row(item, "RW"[n % 2], n, comment="x" * 900) for n in range(200)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, limits[1]))
    try:
        answer = ana.save(*rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert answer.status_code == 503
    assert "not saved yet: the database says" in answer.json()["detail"]
    assert room.records() == []  # a batch is saved whole or not at all
    assert len(ana.send(*rows)[0]) == 200


@pytest.mark.slow
@pytest.mark.sampled
def test_schemathesis_finds_no_failure(ana: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    for kind in ("/api", "records"):
        monkeypatch.setitem(guard.RATE, kind, 10**9)
    ana.next()
    schema = schemathesis.openapi.from_asgi("/openapi.json", ana.room.app)
    operations = [operation.ok() for operation in schema.get_all_operations()]
    cases = st.one_of([operation.as_strategy() for operation in operations if operation.path != "/api/leave"])
    seen: set[tuple[str, int]] = set()

    @given(case=cases)
    @settings(max_examples=many(200, 2_000), suppress_health_check=[*HealthCheck], database=None)
    def check(case: Any) -> None:
        headers = {n: v for n, v in (case.headers or {}).items() if n.lower() != "x-csrf-token"}
        body: dict[str, Any] = {}
        if case.body is not None and "NotSet" not in type(case.body).__name__:
            body = {"json": case.body}
        try:
            answer = ana.client.request(case.method, case.path, headers={"X-CSRF-Token": ana.csrf, **headers}, **body)
        except UnicodeEncodeError:  # httpx writes no lone surrogate
            return
        assert answer.status_code < 500, answer.text
        seen.add((case.method, answer.status_code))

    check()
    assert {("GET", 200), ("POST", 200)} <= seen  # it got in
