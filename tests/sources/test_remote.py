"""Files at an address are fetched and read as if they lay here; what cannot be had is one error that names the
address."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import nescio
from nescio.cli.app import run as call
from nescio.errors import FormatError
from nescio.pipeline import load
from nescio.sources import remote

TABLE = "run,question,outcome\na,q1,correct\na,q2,unanswered\nb,q1,incorrect\nb,q2,correct\n"


@pytest.fixture
def bucket() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def put(system: fsspec.AbstractFileSystem, place: str, content: bytes) -> str:
    system.pipe_file(place, content)
    return f"memory:/{place}"


def test_a_table_is_read_and_what_was_fetched_is_deleted(
    bucket: fsspec.AbstractFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    here = tmp_path / "here.csv"
    here.write_text(TABLE)
    expected = list(nescio.score(here, "c@1", ci=None))
    for address in (put(bucket, "/x/t.csv", TABLE.encode()), put(bucket, "/x/t.csv.gz", gzip.compress(TABLE.encode()))):
        assert list(nescio.score(address, "c@1", ci=None)) == expected
        assert list(nescio.score(Path(address), "c@1", ci=None)) == expected  # a path has lost a slash
    assert [path.name for path in tmp_path.iterdir()] == ["here.csv"]


def test_a_pattern_and_a_folder_are_one_table(bucket: fsspec.AbstractFileSystem, tmp_path: Path) -> None:
    for run in "ab":
        path = tmp_path / f"part-{run}.parquet"
        duckdb.read_csv(io.StringIO(TABLE)).filter(f"run = '{run}'").write_parquet(str(path))
        put(bucket, f"/x/outcomes/{path.name}", path.read_bytes())
    for address in ("memory://x/outcomes/part-*.parquet", "memory://x/outcomes", "memory://x/*/part-?.parquet"):
        scores = nescio.score(address, "accuracy", ci=None)
        assert [(row.run, row.value) for row in scores] == [("a", 0.5), ("b", 0.5)]


class Changing(MemoryFileSystem):
    """A store whose file is replaced while it is read, or which lists a name that leads elsewhere."""

    protocol = "changing"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    def _open(self, path: str, mode: str = "rb", **named: Any) -> Any:
        opened = super()._open(path, mode, **named)
        if mode == "rb":
            self.store.pop(path)
            self.pipe_file(path, TABLE.replace("incorrect", "correct").encode())
        return opened

    def find(self, path: str, *values: Any, **named: Any) -> Any:
        return [f"{path}/../../../../{name}" for name in super().find(path, *values, **named)]


def test_a_file_that_is_replaced_while_it_is_fetched_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Changing()
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda _: (store, "/x/t.csv"))
    store.pipe_file("/x/t.csv", TABLE.encode())
    with pytest.raises(FormatError, match="the file changed while it was fetched; fetch it again"):
        load("memory://x/t.csv")


def test_no_name_leads_out_of_the_folder_of_what_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (temporary := tmp_path / "1" / "2" / "3").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    store = Changing()
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda _: (store, "/x"))
    store.pipe_file("/x/precious.parquet", b"bytes of a stranger")
    with pytest.raises(FormatError, match="the name of a file at this address leads outside the file's folder"):
        load("memory://x")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_is_wrong_is_said_of_the_address(bucket: fsspec.AbstractFileSystem) -> None:
    damaged = put(bucket, "/x/damaged.csv", b"run,question,outcome\na,q1,perhaps\n")
    with pytest.raises(FormatError) as caught:
        load(damaged)
    assert str(caught.value).startswith(f"{damaged}, line 2: what does '")
    for address in ("memory://x/none.csv", "memory://x/none-*.parquet"):
        with pytest.raises(FormatError) as caught:
            load(address)
        assert str(caught.value) == f"{address}: there is no such file"
    empty = put(bucket, "/x/empty.csv", b"")
    with pytest.raises(FormatError, match="the file is empty") as caught:
        load(empty)
    assert str(caught.value).startswith(f"{empty}: ")


def test_a_storage_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: str) -> None:
        raise ConnectionError("the host is down\nTraceback …")

    monkeypatch.setattr("fsspec.core.url_to_fs", failing)
    with pytest.raises(FormatError) as caught:
        load("s3://bucket/x.csv")
    assert str(caught.value) == "s3://bucket/x.csv: cannot be fetched: the host is down"


@pytest.mark.parametrize("address", ["https://example.com/a/x.csv", "http://x.org/x.csv.gz", "s3://bucket/x.parquet"])
def test_without_the_extra_an_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for given in (Path(address), address):
        with pytest.raises(FormatError) as caught:
            load(given)
        assert str(caught.value) == f"{address}: {remote.MISSING}"


SECRETS = [
    "http://ana:geheim@x.org/x.csv",
    "https://x.org/x.csv?X-Amz-Signature=geheim&a=b/c",
    "ftp://a:geheim@b@x.org/x.csv",
]


@pytest.mark.parametrize("address", SECRETS)
def test_no_message_has_the_secrets_of_an_address(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_: str) -> None:
        raise ConnectionError(f"500, url=URL({address!r})")

    monkeypatch.setattr("fsspec.core.url_to_fs", failing)
    with pytest.raises(SystemExit) as ended:
        call(["score", address])  # which is no NAME=FILE, whatever its query holds
    assert ended.value.code == 2
    said = "".join(capsys.readouterr())
    assert "x.org/x.csv" in said
    assert "cannot be fetched" in said
    assert "geheim" not in said
