"""What was made to do harm ends in one message, soon and in little memory, whichever reader it is made for; and each
limit holds in the same way on the command line, in Python and for assistants."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import nescio
from nescio.cli import app
from nescio.errors import NescioError
from nescio.hosts.mcp import answer
from nescio.sources.limits import Limits
from nescio.verbs import every_verb
from tests.formats.excerpts import EVERY
from tests.rings import sample, together

MB = 1 << 20
MOST_SECONDS, MOST_MB = 5, 500
VALUE = re.compile(rb'(":\s*)("[^"\\]*"|[0-9.]+|true|false|null)')


# Runs a command in a process whose memory begins with none of the tests', and prints what became of it.
LAUNCH = """
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10)
"""


def assert_held(words: list[str], what: str) -> None:
    """Assert that a command reads a trap or refuses it in bounds, and refuses it in one message."""
    command = [sys.executable, "-S", "-c", LAUNCH, sys.executable, "-m", "nescio", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, seconds, megabytes = map(float, done.stdout.split())
    found = (what, done.stdout, done.stderr)
    assert status in (0, 2), found
    assert "Traceback" not in done.stderr, found
    assert len([line for line in done.stderr.splitlines() if line.startswith("nescio: ")]) == (status == 2), found
    assert seconds < MOST_SECONDS, found
    assert megabytes < MOST_MB, found


# ---- traps of every reader: an excerpt that unpacks, nests, widens or goes on without end ----


def nested(content: bytes) -> bytes:
    """The first value of JSON, 100,000 lists deep."""
    return VALUE.sub(lambda match: match[1] + b"[" * 100_000 + b"]" * 100_000, content, count=1)


def wide(content: bytes) -> bytes:
    """An object with 100,000 more keys; a table with as many more columns."""
    if VALUE.search(content):
        return content.replace(b"{", b"{" + b"".join(b'"k%d":1,' % i for i in range(100_000)), 1)
    head, _, rest = content.partition(b"\n")
    mark = b"\t" if b"\t" in head else b","
    return b"".join((head, *(mark + b"k%d" % i for i in range(100_000)), b"\n", rest))


def long(content: bytes) -> bytes:
    """A text of 80 MB in the place of the first; else a line of as many."""
    text = b"a" * (80 * MB)
    if VALUE.search(content):
        return VALUE.sub(lambda match: match[1] + b'"' + text + b'"', content, count=1)
    return content.replace(b">", b">" + text, 1) if content.lstrip().startswith(b"<") else content + text


def many(content: bytes) -> bytes:
    """An element, or a value, three million times."""
    if content.lstrip().startswith(b"<"):
        return re.sub(rb"(</[^>]*>\s*)$", lambda match: b"<a/>" * 3_000_000 + match[1], content)
    return VALUE.sub(lambda match: match[1] + b"[" + b"{}," * 3_000_000 + b"{}]", content, count=1)


CHANGES: dict[str, Callable[[bytes], bytes]] = {"nested": nested, "wide": wide, "long": long, "many": many}


def packed(content: bytes) -> bytes:
    """What unpacks to the content and a gigabyte of blanks, or of its last line."""
    blank = b" " * MB
    if content.count(b"\n") > 1 and not content.lstrip().startswith((b"<", b"{\n", b"[\n")):
        line = content.rstrip(b"\n").rpartition(b"\n")[2] + b"\n"
        blank = line * (MB // len(line) + 1)
    return gzip.compress(content) + gzip.compress(blank * 16) * (1024 * MB // len(blank) // 16)


def archived(path: Path, change: Callable[[bytes], bytes]) -> bytes:
    """An archive of which every member that is JSON is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for info in old.infolist():
            new.writestr(info.filename, change(old.read(info)) if info.filename.endswith(".json") else old.read(info))
    return out.getvalue()


def trapped(path: Path) -> dict[str, bytes]:
    """What may stand in the place of a file, by the name of the trap."""
    content = path.read_bytes()
    if path.suffix in (".eval", ".zip"):
        return {name: archived(path, change) for name, change in CHANGES.items()}
    if path.suffix == ".parquet":
        return {}
    changed = {name: change(content) for name, change in CHANGES.items()}
    return {name: new for name, new in changed.items() if new != content} | {"packed": packed(content)}


def traps(paths: list[Path], into: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield traps: the files and folders of an excerpt, one file of which is changed; of a folder, the first of each
    kind."""
    for at, path in enumerate(paths):
        inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for changed in {file.suffix: file for file in reversed(inside)}.values():
            for name, new in trapped(changed).items():
                copies = [into / other.parent.name / other.name for other in paths]
                for other, copy in zip(paths, copies, strict=True):
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copytree(other, copy) if other.is_dir() else shutil.copyfile(other, copy)
                place = copies[at] / changed.relative_to(path) if path.is_dir() else copies[at]
                if name == "packed":
                    place.unlink()
                    place = place.with_name(f"{place.name}.gz")
                    copies[at] = copies[at] if path.is_dir() else place
                place.write_bytes(new)
                yield f"{at} {name} {changed.suffix}", copies
                shutil.rmtree(into)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", sample(EVERY, 4))
def test_no_reader_falls_into_a_trap(name: str, tmp_path: Path) -> None:
    excerpt, tried = EVERY[name], 0
    for trap, paths in traps(excerpt.files, tmp_path / "traps"):
        assert_held(["score", "--ci", "none", *excerpt.arguments(), *map(str, paths)], f"{name}, {trap}")
        tried += 1
    assert tried


def parquet_of_many_rows(path: Path) -> None:
    """Forty million rows, all alike, in a few kilobytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    same = pa.DictionaryArray.from_arrays(pa.array([0] * 10_000_000, pa.int8()), ["correct"])
    part = pa.table({"run": same, "question": same, "outcome": same})
    with pq.ParquetWriter(path, part.schema, compression="zstd") as writer:
        for _ in range(4):
            writer.write_table(part, row_group_size=10_000_000)


def large_bomb(path: Path) -> None:
    """Nineteen gigabytes in 36 MB, of which a file that size may hold four."""
    path.write_bytes(gzip.compress(b"run,question,outcome\n") + gzip.compress(b"a,q,correct\n" * MB) * 1500)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"),
    [("b.parquet", parquet_of_many_rows), ("f.csv.gz", large_bomb), ("d.csv", os.mkfifo)],
)
def test_a_file_of_another_kind_that_is_a_trap(name: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / name)
    assert_held(["score", str(tmp_path / name)], name)


# ---- the limits that a user sets ----


def table(folder: Path, name: str) -> list[Path]:
    """A table of 30 rows and 5 columns, in which one cell has 3,000 letters."""
    rows = pd.DataFrame({"run": "a", "question": [f"q{i}" for i in range(30)], "outcome": "correct", "x": 1, "y": "b"})
    rows.loc[7, "y"] = "b" * 3_000
    path = folder / name
    match path.name.partition(".")[2]:
        case "csv" | "csv.gz":
            rows.to_csv(path, index=False)
        case "jsonl" | "jsonl.zst":
            rows.to_json(path, orient="records", lines=True)
        case "parquet":
            rows.to_parquet(path)
        case "xlsx":
            rows.to_excel(path, index=False)
    return [path]


TIGHT = {"max_rows": 29, "max_columns": 4, "max_text": 0.002}
WIDE = {"max_rows": 30, "max_columns": 5, "max_text": 0.004}
LIMITS: dict[str, float] = {"max_unpacked": 1e-6, "max_depth": 5, "max_files": 1, **TIGHT}


@together("name", ["t.csv", "t.csv.gz", "t.jsonl", "t.jsonl.zst", "t.parquet", "t.xlsx"])
def test_a_limit_of_a_table_holds_and_is_named(name: str, tmp_path: Path) -> None:
    paths = table(tmp_path, name)
    for option, most in TIGHT.items():
        with pytest.raises(NescioError, match=f"{option} raises the limit"):
            nescio.score(paths, **{option: most})  # type: ignore[arg-type]
    assert nescio.score(paths, **WIDE).rows[0].n == 30  # type: ignore[arg-type]


@together("option", LIMITS)
def test_a_limit_is_named_alike_on_the_command_line_in_python_and_for_an_assistant(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {*LIMITS} == {*Limits.__struct_fields__}
    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"run": "a", "question": "q", "outcome": "correct", "x": [[[[[1]]]]]}\n')
    paths = [deep] if option == "max_depth" else table(tmp_path, "t.csv.gz") + [deep] * (option == "max_files")
    flag, most = f"--{option.replace('_', '-')}", LIMITS[option]
    with pytest.raises(NescioError) as error:
        nescio.score(paths, **{option: most})  # type: ignore[arg-type]
    python = str(error.value).replace(option, "@")
    score = next(verb for verb in every_verb() if verb.name == "score")
    told, failed = answer(score, "score", {"source": [str(path) for path in paths], option: most}, lambda *_: None)
    assert failed
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        app.run(["score", *map(str, paths), flag, str(most)])
    assert capsys.readouterr().err.strip().removeprefix("nescio: ").replace(flag, "@") == python
    assert told.replace(f'"{option}"', "@").replace(option, "@") == python
    assert "@ raises the limit" in python
