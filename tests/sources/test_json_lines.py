"""JSON Lines: what stands on each line, and one refusal for each way in which a line can be broken."""

import json
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from nescio.errors import FormatError
from tests.bars import heard
from tests.formats.encodings import assert_refused, evidence, read
from tests.rings import together

A1 = '{"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.5}'
A2 = '{"run": "a", "question": "q2", "outcome": "incorrect", "confidence": 0.25}'
BROKEN = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))["broken"] | {
    "an endless number": {
        "where": "line 2",
        "rule": "a number is out of range",
        "lines": ["A1", '{"x": %s}' % ("9" * 5000)],
    },
    "very deep": {"where": "line 2", "rule": "not a JSON object: ", "lines": ["A1", '{"x": ' + "[" * 100_000]},
}


def lines(folder: Path, *given: str, end: str = "\n") -> Path:
    """A file of these lines."""
    path = folder / "table.jsonl"
    path.write_bytes("".join(line + end for line in given).encode())
    return path


@cache
def sound_digest() -> str:
    """The digest of the sound table."""
    return evidence(pd.DataFrame([json.loads(line) for line in (A1, A2)])).digest()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("given", [(A1, A2), ("", A1, "  ", A2, "", ""), ("\ufeff" + A1, A2), (f" {A1} ", A2)])
def test_the_same_table(given: tuple[str, ...], end: str, tmp_path: Path) -> None:
    assert evidence(lines(tmp_path, *given, end=end)).digest() == sound_digest()


@together("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    case = BROKEN[twin]
    given = [{"A1": A1, "A2": A2}.get(line, line) for line in case["lines"]]
    assert_refused(lines(tmp_path, *given), case["where"] or None, case["rule"])


def test_keys_may_come_and_go(tmp_path: Path) -> None:
    found = evidence(lines(tmp_path, A1, A2.replace("}", ', "topic": "t"}')))
    assert {name: list(values) for name, values in found.strata.items()} == {"topic": ["", "t"]}


def test_any_key_may_name_a_column(tmp_path: Path) -> None:
    keys = ["row", "row ", " ", "c0", 'a "b"', "Run", "漢", "a\nb", "\x00"]
    more = "".join(f", {json.dumps(key)}: {i}" for i, key in enumerate(keys, 1))
    found = evidence(lines(tmp_path, A1.replace("}", f'{more}, "": 0}}')))
    assert {name: list(values) for name, values in found.strata.items()} == {
        key: [str(i)] for i, key in enumerate(keys, 1)
    }


def test_reading_tells_how_many_bytes_are_read(tmp_path: Path) -> None:
    """The last word is that all is read, after an error too; large files speak in between."""
    path = tmp_path / "table.jsonl"
    row = json.dumps({"run": "a", "question": "q", "outcome": "correct", "said": "x" * 100_000})
    path.write_text("".join(row.replace('"q"', f'"q{i}"') + "\n" for i in range(90)))
    size = path.stat().st_size
    with heard("reading") as told:
        read(path)
    assert len(told) > 2
    assert told == sorted(told)
    assert {total for _, total in told} == {size}
    assert told[-1] == (size, size)
    path.write_text(path.read_text() + "{\n")
    with heard("reading") as told, pytest.raises(FormatError):
        read(path)
    assert told[-1][0] == told[-1][1]


def test_columns_that_begin_in_a_later_batch_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    rows = [{"run": "a", "question": f"q{i}", "outcome": "correct"} for i in range(9_000)]
    rows[8_500]["topic"] = "t"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evidence(path)
    assert len(found.questions) == 9_000
    assert [i for i, topic in enumerate(found.strata["topic"]) if topic] == [8_500]
