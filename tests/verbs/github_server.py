"""A stand-in for the part of GitHub's API that comments on pull requests are written by.

Its answers have the shape of https://docs.github.com/rest/issues/comments: lists come in pages, whose next one the header
Link names; a token of a job belongs to github-actions[bot], and may not ask who it is.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

EVENT = Path(__file__).parents[1] / "data" / "github" / "pull_request.json"
BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
TOKEN = "ghs_of-the-job"
LIST = "/repos/lamplighter/harbour/issues/12/comments"


@dataclass
class GitHub:
    """The comments of the pull request, and every request that came. `writes` says whether the token may write."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    writes: bool = True
    page: int = 100  # comments on a page, at most
    fails: int = 0  # the status of every answer, where it is not 0

    def add(self, body: str, user: dict[str, Any]) -> dict[str, Any]:
        number = 1000 + len(self.comments)
        address = f"https://github.example/lamplighter/harbour/pull/12#issuecomment-{number}"
        self.comments.append({"id": number, "body": body, "user": user, "html_url": address})
        return self.comments[-1]

    def environment(self, event: Path = EVENT, token: str = TOKEN) -> dict[str, str]:
        """What GitHub Actions sets for a job."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "lamplighter/harbour",
            "GITHUB_TOKEN": token,
        }

    def answer(self, method: str, path: str, body: Any, token: str) -> tuple[int, Any, dict[str, str]]:
        parts = urlsplit(path)
        self.calls.append((method, parts.path))
        if self.fails:
            return self.fails, {"message": "Server Error"}, {"Location": f"{self.url}/elsewhere"}
        if token != f"Bearer {TOKEN}":
            return 401, {"message": "Bad credentials"}, {}
        if parts.path == "/user":
            return 403, {"message": "Resource not accessible by integration"}, {}
        if method == "GET" and parts.path == LIST:
            asked = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
            size, page = min(asked.get("per_page", 30), self.page), asked.get("page", 1)
            further = page * size < len(self.comments)
            link = {"Link": f'<{self.url}{LIST}?per_page={size}&page={page + 1}>; rel="next", <x>; rel="last"'}
            return 200, self.comments[(page - 1) * size : page * size], link if further else {}
        if not self.writes:
            return 403, {"message": "Resource not accessible by integration"}, {}
        if method == "POST" and parts.path == LIST:
            return 201, self.add(body["body"], BOT), {}
        for one in self.comments:
            if method == "PATCH" and parts.path == f"/repos/lamplighter/harbour/issues/comments/{one['id']}":
                return 200, self.change(one, body["body"]), {}
        return 404, {"message": "Not Found"}, {}

    def change(self, one: dict[str, Any], body: str) -> dict[str, Any]:
        one["body"] = body
        return one


@contextmanager
def served() -> Iterator[GitHub]:
    """A server that runs while the block does."""
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            status, value, headers = github.answer(
                self.command, self.path, body, self.headers.get("Authorization") or ""
            )
            data = json.dumps(value).encode()
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _reply

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    github.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
