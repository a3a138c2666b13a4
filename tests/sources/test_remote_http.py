"""Files on a web server of this machine, one that can send parts of a file and one that cannot."""

from __future__ import annotations

import gzip
import http.server
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path

import duckdb
import pytest

import nescio
from nescio.errors import FormatError

pytest.importorskip("aiohttp")

TABLE = "run,question,outcome\na,q1,correct\na,q2,unanswered\nb,q1,incorrect\nb,q2,correct\n"


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves a few files from memory; what ends in .cut breaks off half-way, and .broken is an error of the server."""

    def __init__(self, site: Site, *arguments: object) -> None:
        self.site = site
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self.reply(send=False)

    def do_GET(self) -> None:
        self.reply(send=True)

    def reply(self, *, send: bool) -> None:
        """Send a file, or the part of it that is asked for."""
        self.site.asked.append(self.path)
        content = self.site.files.get(self.path)
        if content is None or self.path.endswith(".broken"):
            self.send_error(HTTPStatus.NOT_FOUND if content is None else HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if self.site.ranges else None
        start = int(part[1]) if part else 0
        stop = min(len(content), int(part[2]) + 1) if part and part[2] else len(content)
        self.send_response(HTTPStatus.PARTIAL_CONTENT if part else HTTPStatus.OK)
        if self.site.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if part:
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(content)}")
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if send:
            self.wfile.write(content[start : (start + stop) // 2 if self.path.endswith(".cut.csv") else stop])

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@dataclass
class Site:
    """What is served, where, and what was asked for."""

    ranges: bool
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    root: str = ""

    def put(self, path: str, content: bytes) -> str:
        self.files[path] = content
        return self.root + path


@pytest.fixture(params=[True, False], ids=["with ranges", "without ranges"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    own = Site(request.param)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, own)) as server:
        own.root = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield own
        server.shutdown()
        thread.join()


def test_tables_are_read_and_what_was_fetched_is_deleted(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    here, parquet = tmp_path / "here.csv", tmp_path / "here.parquet"
    here.write_text(TABLE)
    duckdb.read_csv(str(here)).write_parquet(str(parquet))
    expected = list(nescio.score(here, "c@1", ci=None))
    for name, content in (
        ("/x/t.csv", TABLE.encode()),
        ("/x/t.csv.gz", gzip.compress(TABLE.encode())),
        ("/x/t.parquet", parquet.read_bytes()),
    ):
        assert list(nescio.score(site.put(name, content), "c@1", ci=None)) == expected
    assert {path.name for path in tmp_path.iterdir()} == {"here.csv", "here.parquet"}
    assert set(site.asked) == set(site.files)  # nothing was fetched that was not named


def test_answers_are_judged(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nescio.formats.native.questions.responses.KEPT", 0)  # they stay in the file that was fetched
    questions = site.put("/questions.jsonl", b'{"id": "1", "question": "?", "answers": ["yes"]}\n')
    runs = [
        site.put(f"/{run.decode()}/answers.jsonl", b'{"id": "1", "answer": "%b"}\n' % run) for run in (b"yes", b"no")
    ]
    scores = nescio.score([questions, *runs], "accuracy", ci=None)
    assert sorted(row.value for row in scores) == [0.0, 1.0]


def test_what_cannot_be_had_is_one_line_that_names_the_address(site: Site) -> None:
    with pytest.raises(FormatError) as caught:
        nescio.score(f"{site.root}/none.csv")
    assert str(caught.value) == f"{site.root}/none.csv: there is no such file"
    for name in ("/t.csv.broken", "/long.cut.csv"):
        address = site.put(name, TABLE.encode() * 1000)
        with pytest.raises(FormatError) as caught:
            nescio.score(address)
        assert str(caught.value).startswith(f"{address}: ")
        assert "\n" not in str(caught.value)
    assert "cannot be fetched" in str(caught.value)
