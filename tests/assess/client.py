"""An assessor at the server, by requests alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from nescio.assessing import access
from nescio.assessing.database import Database

pytest.importorskip("httpx", reason="httpx is not installed")
from fastapi.testclient import TestClient

AT = "2026-06-01T12:00:00.000Z"


class Browser:
    """An assessor's browser, without a screen."""

    def __init__(self, database: Database, app: Any, who: str) -> None:
        self.link = access.invite(database, [who], address="http://testserver").links[who]
        self.client = TestClient(app, follow_redirects=False, raise_server_exceptions=False)
        assert self.client.get(self.link).status_code == 200
        assert self.client.post(self.link).status_code == 303
        self.page = self.client.get("/").text
        found = re.search(r'"token":"([^"]+)"', self.page)
        assert found
        self.csrf = found[1]

    def next(self) -> list[dict[str, Any]]:
        answer = self.client.get("/api/next")
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def save(self, *rows: dict[str, Any], csrf: str | None = None, **how: Any) -> Any:
        headers = {"X-CSRF-Token": self.csrf if csrf is None else csrf}
        return self.client.post("/api/judgements", json={"records": rows}, headers=headers, **how)


def row(item: str, verdict: str = "R", n: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": f"id-{item}-{n:04}", "item": item, "at": AT, "verdict": verdict, **more}
