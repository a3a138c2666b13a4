"""What was made to do harm ends in one message, soon and in little memory, whichever reader it is made for; and each
limit holds in the same way on the command line, in Python and for assistants."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nescio
from nescio.errors import NescioError
from nescio.hosts.mcp import answer
from nescio.sources.limits import Limits
from nescio.verbs import every_verb
from tests.formats.excerpts import EVERY
from tests.sources.traps import MB, made

MOST_SECONDS, MOST_MB = 5, 500
A_DAY = ("outcomes", "qa4mre")
Become = Callable[[list[str]], dict[str, Any]]


@pytest.fixture(scope="module")
def become(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Become]:
    """What becomes of `nescio` with some words, each time in a process of its own."""
    said = tmp_path_factory.mktemp("said") / "said"
    command = [sys.executable, "-m", "tests.sources.traps"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "SAID": str(said)}
    ) as child:
        assert child.stdin
        assert child.stdout

        def ask(words: list[str]) -> dict[str, Any]:
            assert child.stdin
            assert child.stdout
            print(json.dumps(words), file=child.stdin, flush=True)
            found: dict[str, Any] = json.loads(child.stdout.readline())
            return found

        yield ask
        child.stdin.close()


def assert_held(found: dict[str, Any], what: str) -> None:
    """Assert that a trap was read or refused in bounds, and refused in one message."""
    lines = [line for line in found["said"].splitlines() if line.startswith("nescio: ")]
    assert found["status"] in (0, 2), (what, found)
    assert "Traceback" not in found["said"], (what, found)
    assert len(lines) == (found["status"] == 2), (what, found)
    assert found["cpu"] < MOST_SECONDS, (what, found)
    assert found["mb"] < MOST_MB, (what, found)


@pytest.mark.parametrize(
    "name", [name if name in A_DAY else pytest.param(name, marks=pytest.mark.slow) for name in EVERY]
)
def test_no_reader_falls_into_a_trap(name: str, become: Become, tmp_path: Path) -> None:
    excerpt = EVERY[name]
    traps = 0
    for trap, paths in made(excerpt.files, tmp_path):
        assert_held(become(["score", "--ci", "none", *excerpt.arguments(), *map(str, paths)]), f"{name}, {trap}")
        shutil.rmtree(paths[0].parents[1])
        traps += 1
    assert traps


def parquet_of_one_text(path: Path) -> None:
    """A million rows of one text of a megabyte, which the file holds once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), ["a" * (1 << 20)])
    columns = {"run": ["a"] * 1_000_000, "question": text, "outcome": ["correct"] * 1_000_000}
    pq.write_table(pa.table(columns), path, compression="zstd")


def parquet_of_many_rows(path: Path) -> None:
    """Forty million rows, all alike, in a few kilobytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    same = pa.DictionaryArray.from_arrays(pa.array([0] * 10_000_000, pa.int8()), ["correct"])
    part = pa.table({"run": same, "question": same, "outcome": same})
    with pq.ParquetWriter(path, part.schema, compression="zstd") as writer:
        for _ in range(4):
            writer.write_table(part, row_group_size=10_000_000)


def workbook(path: Path) -> None:
    """A sheet of a gigabyte of blanks."""
    pd.DataFrame({"run": ["a"], "question": ["q"], "outcome": ["correct"]}).to_excel(path, index=False)
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, content in members.items():
            with new.open(name, "w") as member:
                member.write(content)
                for _ in range(1024 if "sheet1" in name else 0):
                    member.write(b" " * (1 << 20))


def large_bomb(path: Path) -> None:
    """Nineteen gigabytes in 36 MB, of which a file that size may hold four."""
    path.write_bytes(gzip.compress(b"run,question,outcome\n") + gzip.compress(b"a,q,correct\n" * MB) * 1500)


def fifo(path: Path) -> None:
    """A pipe that nobody writes to."""
    os.mkfifo(path)


def loop(path: Path) -> None:
    """A link to itself."""
    path.symlink_to(path)


MADE = [
    ("a.parquet", parquet_of_one_text),
    ("b.parquet", parquet_of_many_rows),
    ("c.xlsx", workbook),
    ("f.csv.gz", large_bomb),
]


@pytest.mark.parametrize(("name", "make"), [*MADE, ("d.csv", fifo), ("e.csv", loop)])
def test_a_file_of_another_kind_that_is_a_trap(
    name: str, make: Callable[[Path], None], become: Become, tmp_path: Path
) -> None:
    make(tmp_path / name)
    found = become(["score", str(tmp_path / name)])
    assert_held(found, name)
    assert found["status"] == 2


def test_a_word_of_a_million_letters_and_a_pattern(become: Become, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "q", "question": "?", "answers": ["a"]}) + "\n")
    (tmp_path / "r.jsonl").write_text(json.dumps({"id": "q", "answer": "ab" * 500_000}) + "\n")
    for pattern in ("(a+)+$", ".*a.*b.*c", "(ab|a|b)*c"):
        found = become(["score", str(tmp_path / "q.jsonl"), str(tmp_path / "r.jsonl"), "--declined-pattern", pattern])
        assert_held(found, pattern)


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


TABLES = ("t.csv", "t.csv.gz", "t.jsonl", "t.jsonl.zst", "t.parquet", "t.xlsx")
TIGHT = {"max_rows": 29, "max_columns": 4, "max_text": 0.002}
WIDE = {"max_rows": 30, "max_columns": 5, "max_text": 0.004}


@pytest.mark.parametrize("name", TABLES)
def test_a_limit_of_a_table_holds_and_is_named(name: str, tmp_path: Path) -> None:
    paths = table(tmp_path, name)
    for option, most in TIGHT.items():
        with pytest.raises(NescioError, match=f"{option} says how "):
            nescio.score(paths, **{option: most})  # type: ignore[arg-type]
    assert nescio.score(paths, **WIDE).rows[0].n == 30  # type: ignore[arg-type]


def asked(paths: list[Path], option: str, most: float) -> tuple[str, str, str]:
    """What is said where a limit is reached: on the command line, in Python, to an assistant."""
    flag = f"--{option.replace('_', '-')}"
    words = [sys.executable, "-m", "nescio", "score", *map(str, paths), flag, str(most)]
    shell = subprocess.run(words, capture_output=True, text=True, check=False)
    assert shell.returncode == 2
    with pytest.raises(NescioError) as error:
        nescio.score(paths, **{option: most})  # type: ignore[arg-type]
    score = next(verb for verb in every_verb() if verb.name == "score")
    told, failed = answer(score, "score", {"source": [str(path) for path in paths], option: most}, lambda *_: None)
    assert failed
    return shell.stderr.strip().removeprefix("nescio: ").replace(flag, "@"), str(error.value), told


def test_each_limit_is_the_same_in_all_ways_to_ask(tmp_path: Path) -> None:
    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"run": "a", "question": "q", "outcome": "correct", "x": [[[[[1]]]]]}\n')
    small = table(tmp_path, "t.csv.gz")
    cases: dict[str, tuple[list[Path], float]] = {
        "max_unpacked": (small, 1e-6),
        "max_depth": ([deep], 5),
        "max_files": ([*small, deep], 1),
        **{option: (small, most) for option, most in TIGHT.items()},
    }
    assert {*cases} == {*Limits.__struct_fields__}
    for option, (paths, most) in cases.items():
        shell, python, assistant = asked(paths, option, int(most) if most >= 1 else most)
        assert shell == python.replace(option, "@") == assistant.replace(f'"{option}"', "@").replace(option, "@")
        assert "@ says how " in shell
