"""Files on a web server of this machine."""

from __future__ import annotations

import gzip
import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import pytest

import nescio
from nescio.errors import FormatError

pytest.importorskip("aiohttp")
pytestmark = pytest.mark.slow

TABLE = "run,question,outcome\na,q1,correct\na,q2,unanswered\nb,q1,incorrect\nb,q2,correct\n"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a folder; what ends in .cut.csv breaks off half-way, and .broken is an error of the server.

    Of what ends in .short.csv it first says that it is shorter than it is. It sends only a part of .part.csv, and
    compresses .packed.csv whatever the client accepts. It states no length for .bare.csv, and sends .chunks.csv in
    chunks, of which the last is missing for .lost.chunks.csv.
    """

    def do_HEAD(self) -> None:
        if self.path.endswith(".short.csv"):
            self.send_response(http.HTTPStatus.OK)
            self.send_header("Content-Length", str(TABLE.index("b,q1")))
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()
        else:
            super().do_HEAD()

    def do_GET(self) -> None:
        if self.path.endswith(".broken"):
            self.send_error(http.HTTPStatus.INTERNAL_SERVER_ERROR)
        elif self.path.endswith(".cut.csv"):
            self.send_response(http.HTTPStatus.OK)
            self.send_header("Content-Length", str(2 * len(TABLE)))
            self.end_headers()
            self.wfile.write(TABLE.encode())
        elif self.path.endswith(".part.csv"):
            part = TABLE[: TABLE.index("b,q1")].encode()
            self.send_response(http.HTTPStatus.PARTIAL_CONTENT)
            self.send_header("Content-Length", str(len(part)))
            self.send_header("Content-Range", f"bytes 0-{len(part) - 1}/{len(TABLE)}")
            self.end_headers()
            self.wfile.write(part)
        elif self.path.endswith(".packed.csv"):
            packed = gzip.compress(TABLE.encode())
            self.send_response(http.HTTPStatus.OK)
            self.send_header("Content-Length", str(len(packed)))
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(packed)
        elif self.path.endswith(".bare.csv"):
            self.send_response(http.HTTPStatus.OK)
            self.end_headers()
            self.wfile.write(TABLE[: TABLE.index("b,q2")].encode())
        elif self.path.endswith(".chunks.csv"):
            self.protocol_version = "HTTP/1.1"
            self.send_response(http.HTTPStatus.OK)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            end = b"" if self.path.endswith(".lost.chunks.csv") else b"0\r\n\r\n"
            self.wfile.write(f"{len(TABLE):x}\r\n{TABLE}\r\n".encode() + end)
            self.close_connection = True
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and its address."""
    (folder := tmp_path / "site").mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_query_is_no_pattern_and_no_name(site: tuple[Path, str]) -> None:
    folder, address = site
    (folder / "t.csv").write_text(TABLE)
    scores = nescio.score(f"{address}/t.csv?X-Amz-Signature=a/b*c[d]&e=1", "accuracy", ci=None)
    assert [(row.run, row.value) for row in scores] == [("a", 0.5), ("b", 0.5)]


def test_tables_are_read_and_what_was_fetched_is_deleted(
    site: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    folder, address = site
    (folder / "t.csv").write_text(TABLE)
    (folder / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    duckdb.read_csv(str(folder / "t.csv")).write_parquet(str(folder / "t.parquet"))
    expected = list(nescio.score(folder / "t.csv", "c@1", ci=None))
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        assert list(nescio.score(f"{address}/{name}", "c@1", ci=None)) == expected
    assert not [*temporary.iterdir()]


def test_a_file_is_as_long_as_what_comes_and_no_shorter(site: tuple[Path, str]) -> None:
    folder, address = site
    (folder / "t.short.csv").write_text(TABLE)
    assert [row.run for row in nescio.score(f"{address}/t.short.csv", "accuracy", ci=None)] == ["a", "b"]


def test_what_cannot_be_had_is_one_line_that_names_the_address(site: tuple[Path, str]) -> None:
    folder, address = site
    for name in ("t.csv.broken", "long.cut.csv"):
        (folder / name).write_text(TABLE)
    for name, rule in (("none.csv", "there is no such file"), ("t.csv.broken", ""), ("long.cut.csv", "cannot be fetc")):
        with pytest.raises(FormatError) as caught:
            nescio.score(f"{address}/{name}")
        assert str(caught.value).startswith(f"{address}/{name}: {rule}")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "sent"), [("t.part.csv", "status 206"), ("t.packed.csv", "the encoding gzip")])
def test_a_server_that_does_not_send_the_whole_file_as_it_is_is_refused(
    name: str, sent: str, site: tuple[Path, str]
) -> None:
    folder, address = site
    (folder / name).write_text(TABLE)
    with pytest.raises(FormatError, match=f"does not send the whole file as it is .{sent}.; download it first"):
        nescio.score(f"{address}/{name}")


def test_a_file_whose_end_nobody_can_know_is_refused(site: tuple[Path, str]) -> None:
    folder, address = site
    for name in ("t.bare.csv", "t.chunks.csv", "t.lost.chunks.csv"):
        (folder / name).write_text(TABLE)
    with pytest.raises(
        FormatError, match="the server does not say how long the file is, so the file may end too early"
    ):
        nescio.score(f"{address}/t.bare.csv", "accuracy", ci=None)
    with pytest.raises(FormatError, match="cannot be fetched"):
        nescio.score(f"{address}/t.lost.chunks.csv", "accuracy", ci=None)
    assert [row.value for row in nescio.score(f"{address}/t.chunks.csv", "accuracy", ci=None)] == [0.5, 0.5]
