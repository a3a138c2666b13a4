"""Set up a room where people judge: a database, its application in this process, and assessors who send requests."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nescio

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("sqlalchemy", reason="the extra assess is not installed")
pytest.importorskip("fastapi", reason="the extra assess is not installed")
import httpx

from nescio.people.assessing.opening import open_database
from nescio.people.assessing.server import application

HOME = "http://testserver"


class Client:
    """A browser without a screen: it keeps cookies, and follows no redirect."""

    def __init__(self, portal: Any, app: Any) -> None:
        self.portal = portal
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url=HOME)

    def request(self, method: str, path: str, **how: Any) -> Any:
        return self.portal.call(functools.partial(self.http.request, method, path, **how))

    def get(self, path: str, **how: Any) -> Any:
        return self.request("GET", path, **how)

    def post(self, path: str, **how: Any) -> Any:
        return self.request("POST", path, **how)


class Room:
    """A served database, with the results of its commands."""

    def __init__(self, db: str, portal: Any, folder: Path) -> None:
        self.db, self.portal, self.folder = db, portal, folder
        self.database = open_database(db)
        self.app = application(self.database)
        self.home, self.exports = HOME, 0

    def client(self) -> Client:
        return Client(self.portal, self.app)

    def invite(self, *names: str, **how: Any) -> list[str]:
        return [*nescio.assess.invite(self.db, names, address=self.home, **how).links.values()]

    def join(self, who: str) -> Browser:
        return Browser(self, who, *self.invite(who))

    def status(self) -> Any:
        return nescio.assess.status(self.db)

    def export(self) -> Path:
        """Export into a new folder, and return it."""
        self.exports += 1
        place = self.folder / f"export-{self.exports}"
        nescio.assess.export(self.db, place)
        return place

    def records(self) -> list[dict[str, Any]]:
        """Return all exported judgements, each with its assessor."""
        rows = []
        for path in sorted(self.export().glob("*.jsonl")):
            heading, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            rows += [line | {"person": heading["assessor"]} for line in lines]
        return rows

    def held(self) -> dict[tuple[str, str], str]:
        """Return the newest verdict of each person on each item."""
        rows = sorted(self.records(), key=lambda record: record["at"])
        return {(record["item"], record["person"]): record.get("verdict", "") for record in rows}

    def close(self) -> None:
        self.database.close()


class Browser:
    """An assessor who has opened a link."""

    def __init__(self, room: Room, who: str, link: str) -> None:
        self.room, self.who, self.link = room, who, link
        self.client = room.client()
        assert self.client.get(link).status_code == 200
        assert self.client.post(link).status_code == 303
        self.reload()

    def reload(self) -> None:
        """Load the page for the session that the browser has now."""
        self.page = self.client.get("/").text
        token = re.search(r'"token":"([^"]+)"', self.page)
        assert token
        self.csrf = token[1]

    def ask(self, csrf: str | None = None, **headers: str) -> Any:
        """Return the answer to the page's request for the next items."""
        return self.client.get("/api/next", headers={"X-CSRF-Token": self.csrf if csrf is None else csrf, **headers})

    def next(self) -> list[dict[str, Any]]:
        """Return the items on the page: those to judge, and those judged recently."""
        answer = self.ask()
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def left(self) -> list[dict[str, Any]]:
        """Return the items on the page that have no verdict yet."""
        shown = [(item, item.get("held")) for item in self.next()]
        return [item for item, held in shown if not held or not (held["verdict"] or held["mark"] == "skip")]

    def row(self, item: str, verdict: str = "R", n: int = 0, **more: Any) -> dict[str, Any]:
        """Return the n-th judgement of an item, as the page sends it."""
        at = f"2026-06-01T12:{n // 60 % 60:02}:{n % 60:02}.000Z"
        return {"id": f"{self.who}-{item.replace(':', '-')}-{n:04}", "item": item, "at": at, "verdict": verdict, **more}

    def save(self, *rows: dict[str, Any], csrf: str | None = None, sent: str = "") -> Any:
        headers = {"X-CSRF-Token": self.csrf if csrf is None else csrf}
        return self.client.post("/api/judgements", json={"records": rows, "sent": sent}, headers=headers)

    def send(self, *rows: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Send judgements, and return the ids of the saved ones and the reasons for refusing others."""
        answer = self.save(*rows)
        assert answer.status_code == 200, answer.text
        return answer.json()["saved"], [refused["why"] for refused in answer.json()["refused"]]

    def judge_all(self, verdict: Callable[[str], str] = lambda _: "R", **more: Any) -> int:
        """Judge until no item is left, and return the number of judgements."""
        n = 0
        while left := self.left():
            saved, refused = self.send(
                *(self.row(item["id"], verdict(item["answer"]), n + i, **more) for i, item in enumerate(left))
            )
            assert not refused
            n += len(saved)
        return n
