"""Serve the chat completions protocol locally, including its failures."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, dict[str, str], bytes]


def completion(content: object, *, usage: object = None, **message: object) -> Reply:
    """Return a sound reply with this content."""
    told = {"role": "assistant", "content": content, **message}
    body: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "model": "judge-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": told}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10} if usage is None else usage,
    }
    return 200, {}, json.dumps(body).encode()


def refusal(status: int, message: str, **headers: str) -> Reply:
    """Return a reply that refuses."""
    return status, headers, json.dumps({"error": {"message": message, "type": "error"}}).encode()


def by_the_answer(told: dict[str, Any], tries: int) -> Reply:  # noqa: ARG001
    """Return the grade that the first word of the answer asks for: right, wrong, or nothing."""
    word = str(told["answer"]).split()[0]
    grade = {"right": "CORRECT", "wrong": "INCORRECT", "nothing": "NOT_ATTEMPTED"}[word]
    return completion(json.dumps({"grade": grade}))


def always(reply: Reply) -> Callable[[dict[str, Any], int], Reply]:
    """Return a function that gives the same reply to every call."""
    return lambda told, tries: reply  # noqa: ARG005


def first(reply: Reply, times: int = 1) -> Callable[[dict[str, Any], int], Reply]:
    """Return a function that gives this reply to the first calls about an answer, and then the requested grade."""
    return lambda told, tries: reply if tries <= times else by_the_answer(told, tries)


@dataclass
class Server:
    """The calls received, and the replies to send.

    `reply` is called with the data about an answer, and with the number of calls about it so far.
    """

    reply: Callable[[dict[str, Any], int], Reply] = by_the_answer
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    served: Counter[str] = field(default_factory=Counter)  # number of replies sent completely, by answer
    came: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> int:
        return len(self.bodies)


class Http(ThreadingHTTPServer):
    """The server's socket; a call belongs to the `server` in charge when it arrives."""

    daemon_threads = True
    server: Server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        assert isinstance(self.server, Http)
        server = self.server.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = json.loads(body["messages"][-1]["content"])
        with server.lock:
            server.bodies.append(body)
            server.headers.append(dict(self.headers.items()))
            server.paths.append(self.path)
            server.came[told["answer"]] += 1
            tries = server.came[told["answer"]]
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            status, headers, content = server.reply(told, tries)
        finally:
            with server.lock:
                server.at_once -= 1
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            return
        if status == 200:
            with server.lock:
                server.served[told["answer"]] += 1


@contextmanager
def listening() -> Iterator[Http]:
    """Yield a running server on a free port of this machine."""
    http = Http(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield http
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Yield the server, running on its own port."""
    with listening() as http:
        http.server, server.url = server, http.url
        yield server


@pytest.fixture(scope="session")
def http() -> Iterator[Http]:
    """Yield the one port of this process."""
    with listening() as running:
        yield running


@pytest.fixture
def server(http: Http) -> Server:
    """Return a server that has received nothing yet, and grades by the answer."""
    http.server = Server(url=http.url)
    return http.server
