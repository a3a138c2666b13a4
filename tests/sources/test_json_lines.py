"""JSON Lines: what stands on each line, and one refusal for each way in which a line can be broken."""

import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from nescio.errors import FormatError
from tests.bars import heard
from tests.rings import together
from tests.formats.encodings import assert_refused, evidence, read

A1 = '{"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.5}'
A2 = '{"run": "a", "question": "q2", "outcome": "incorrect", "confidence": 0.25}'
WHOLE = "not a JSON object: the object does not end on its line; each line must hold one complete object"


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


def test_ndjson_is_another_suffix_of_it(tmp_path: Path) -> None:
    assert evidence(lines(tmp_path, A1, A2).rename(tmp_path / "table.ndjson")).questions == ("q1", "q2")


def test_an_array_of_all_is_the_same_table(tmp_path: Path) -> None:
    assert evidence(lines(tmp_path, "[", A1 + ",", A2, "]")).digest() == sound_digest()


BROKEN = {
    "truncated": ((A1, A2[:-10]), "line 2", WHOLE),
    "truncated within a character of many bytes": ((A1, '{"run": "' + "x" * 29 + "é" * 20), "line 2", WHOLE),
    "broken in the middle": ((A1, A1[:-1], A2), "line 2", WHOLE),
    "spread over lines": (json.dumps(json.loads(A1), indent=1).split("\n"), "line 1", WHOLE),
    "an array of all, cut off": (("[", A1 + ",", A2), "line 1", "not a JSON object"),
    "an array": ((A1, "[1, 2]"), "line 2", "each line must be a JSON object (found [1, 2])"),
    "a number": (("", A1, "7"), "line 3", "each line must be a JSON object (found 7)"),
    "null": (("null", A1), "line 1", "each line must be a JSON object"),
    "single quotes": ((A1, A2.replace('"', "'")), "line 2", "not a JSON object: "),
    "a comma at the end": ((A1, A2.replace("}", ",}")), "line 2", "not a JSON object: "),
    "two objects": ((A1, A2 + A2), "line 2", "not a JSON object: "),
    "a comment": (("// mine", A1), "line 1", "not a JSON object: "),
    "NaN": ((A1, A2.replace("0.25", "NaN")), "line 2", "not a JSON object: JSON has no NaN; write null if there "
                                                       "is no number"),
    "Infinity": ((A1, A2.replace("0.25", "-Infinity")), "line 2", "JSON has no -Infinity; write null"),
    "a number out of range": ((A1, A2.replace("0.25", "1e999")), "line 2", "a number is out of range"),
    "an endless number": ((A1, A2.replace("0.25", "9" * 5000)), "line 2", "a number is out of range"),
    "half of a pair": ((A1, A2.replace("q2", "\\ud800")), "line 2", "a text contains half of a surrogate pair"),
    "half of a pair at the end": (('{"question": "q", "outcome": "correct", "run": "\\uD83D"}',), "line 1", "half of a surr"),
    "a key twice": ((A1, A2.replace("{", '{"outcome": "correct", ')), "line 2", "a key appears twice in one "
                                                                                "object (found 'outcome')"),
    "a key twice, deep": ((A1, A2.replace("}", ', "x": {"k": 1, "k": 2}}')), "line 2", "a key appears twice in "
                                                                                       "one object (found 'k')"),
    "very deep": ((A1, '{"x": ' + "[" * 100_000), "line 2", "not a JSON object: "),
    "NUL": ((A1, A2.replace("q2", "\0")), "line 2", "a NUL byte: is this a text file?"),
    "blank lines": (("", " "), None, "the file has only blank lines"),
    "an empty object": (("{}", A1), "line 1", "questions id, question and answers, and runs id and answer; "
                                              "rename yours"),
    "no run": ((A1, '{"question": "q2", "outcome": "correct"}'), "line 2", "the run is empty"),
    "no question, after blank lines": (("", "", A1, '{"run": "a", "outcome": "correct"}'), "line 4", "the "
                                                                                                     "question "
                                                                                                     "is empty"),
    "an object for an outcome": ((A1, A2.replace('"incorrect"', '{"grade": "C"}')), "line 2", """(found '{"grade":"C"}')"""),
    "a list for a confidence": ((A1, A2.replace("0.25", "[0.25]")), "line 2", "confidence must be a finite number"),
    "true for a confidence": ((A1, A2.replace("0.25", "true")), "line 2", "confidence must be a finite number"),
    "a confidence of 400 digits": ((A1, A2.replace("0.25", "1" + "0" * 400)), "line 2", "confidence must be a "
                                                                                        "finite number"),
}  # fmt: skip


@together("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    given, where, rule = BROKEN[twin]
    assert_refused(lines(tmp_path, *given), where, rule)


def test_what_is_shown_is_where_the_line_breaks(tmp_path: Path) -> None:
    assert_refused(
        lines(tmp_path, A1, A2.replace('"incorrect"', "incorrect")), "line 2", """"outcome": incorrect, "confi"""
    )


def test_a_number_in_quotes_is_a_number(tmp_path: Path) -> None:
    quoted = A2.replace("0.25", '"0.25"')
    assert evidence(lines(tmp_path, A1, quoted)).digest() == sound_digest()


def test_colons_within_texts_are_no_keys(tmp_path: Path) -> None:
    spoken = A1.replace("q1", "is 'a: b: c' {x: 1}?")
    assert evidence(lines(tmp_path, spoken)).questions == ("is 'a: b: c' {x: 1}?",)


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


def test_escaped_nul_is_a_character_like_any_other(tmp_path: Path) -> None:
    found = evidence(lines(tmp_path, A1.replace("q1", "q\\u0000"), A2.replace("q2", "q")))
    assert found.questions == ("q\0", "q")


def test_reading_tells_how_many_bytes_are_read(tmp_path: Path) -> None:
    """The last word is that all is read, after an error too; large files speak in between."""
    path = tmp_path / "table.jsonl"
    row = json.dumps({"run": "a", "question": "q", "outcome": "correct", "said": "x" * 100_000})
    path.write_text("".join(row.replace('"q"', f'"q{i}"') + "\n" for i in range(120)))
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
