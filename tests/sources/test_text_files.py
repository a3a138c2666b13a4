"""Delimited text: what of its many shapes is read, and what is refused with the line on which it stands."""

import errno
import tomllib
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from tests.formats.encodings import assert_refused, evidence
from tests.rings import together

SOUND = "run,question,outcome\na,q1,correct\na,q2,incorrect\nb,q1,unanswered\nb,q2,correct\n"
CHUNK = 1 << 20  # how much of a file is looked at in one go


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Where the table of a test is written."""
    return tmp_path / "table.csv"


def write(path: Path, text: str | bytes) -> Path:
    """Write text as it is, line ends and all."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@cache
def sound_digest() -> str:
    """The digest of the sound table."""
    return evidence(pd.read_csv(StringIO(SOUND))).digest()


TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
FINE: dict[str, str] = TEXTS["fine"]
HEADER = "run,question,outcome\n"
BROKEN: dict[str, tuple[str | bytes, str, str]] = TEXTS["broken"] | {
    "Latin-1": (
        SOUND.replace("b,q1", "b,é").encode("latin-1"),
        "line 4",
        "not UTF-8 text; save it as UTF-8 (in Excel:",
    ),
    "UTF-16": (SOUND.encode("utf-16"), "line 1", "this is UTF-16 text; save it as UTF-8"),
    "half a character": (SOUND.encode() + "é".encode()[:1], "line 6", "it ends in the middle of a character"),
}


@together("shape", FINE)
def test_the_same_table(shape: str, tmp_path: Path) -> None:
    found = evidence(write(tmp_path / f"table.{'tsv' if shape == 'tabs' else 'csv'}", FINE[shape]))
    assert (found.runs, found.questions) == (("a", "b"), ("q1", "q2"))
    assert found.digest() == sound_digest()


@together("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    text, where, rule = BROKEN[twin]
    assert_refused(write(tmp_path / "table.csv", text), where or None, rule)


@pytest.mark.parametrize("space", ["", " "], ids=["plain", "with a space before a quote"])
def test_line_numbers_count_the_lines_within_fields(space: str, table: Path) -> None:
    text = f'run,question,outcome,note\na,q1,correct,{space}"x\ny\n\nz"\na,"q,""2""",correct,\n\na,q3,wat,\n'
    assert_refused(write(table, text), "line 8", "what does 'wat' in 'outcome' mean?")
    assert_refused(
        write(table, text.replace("wat,", "correct")), "line 8", "this row has 3 fields, but the header has 4"
    )
    assert evidence(write(table, text.replace("wat", "correct"))).questions == ("q1", 'q,"2"', "q3")


@pytest.mark.parametrize("shift", range(-2, 3))
def test_a_wide_character_across_two_chunks_is_fine(shift: int, table: Path) -> None:
    text = "run,question,outcome,note\na,q,correct,"
    text += "x" * (CHUNK - len(text) - 2 + shift) + "漢😀\n"
    assert evidence(write(table, text), strata=()).questions == ("q",)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1])
def test_a_byte_that_is_not_utf8_at_the_border_of_chunks_is_found_on_its_line(shift: int, table: Path) -> None:
    filler = b"run,question,outcome,note\n" + b"a,q,correct,x\n" * 1000
    filler += b"a,q,correct," + b"x" * (CHUNK - len(filler) - 13 + shift) + b"\n"
    assert_refused(
        write(table, filler + b"\xe6\xbc,q,correct,\n"),
        "line 1003",
        "not UTF-8 text; save it as UTF-8 (in Excel: CSV UTF-8) (found b'\\xe6')",
    )


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_nul_beyond_the_first_chunk_is_found_on_its_line(shift: int, table: Path) -> None:
    assert_refused(
        write(table, HEADER.encode() + b"\n" * (CHUNK - 21 + shift) + b"\0"), f"line {CHUNK - 19 + shift}", "a NUL byte"
    )


def test_a_line_longer_than_the_fast_reader_takes(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nescio.sources.tables._LONGEST_LINE", 10_000)
    write(table, "run,question,outcome,note\na,q1,correct," + "x" * 300_000 + "\na,q2,wat,\n")
    assert_refused(table, "line 3", "what does 'wat' in 'outcome' mean?")
    assert evidence(table, outcome_map={"wat": "unanswered"}).questions == ("q1", "q2")


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    assert_refused(tmp_path, None, "this is a folder; give the files inside")
    assert_refused(tmp_path / "nothing.csv", None, "there is no such file")
    assert_refused(tmp_path / ("x" * 300 + ".csv"), None, "cannot be read: ")
    broken = tmp_path / "broken.csv"
    broken.symlink_to(tmp_path / "nothing.csv")
    assert_refused(broken, None, "there is no such file")


def test_a_full_folder_for_temporary_files_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip
    import tempfile

    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(SOUND.encode()))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert_refused(path, None, f"the folder for temporary files {tmp_path / 'gone'} cannot be written: No such file")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("nescio.sources.compressed.check_size", full)
    assert_refused(
        path,
        None,
        f"the folder for temporary files {tmp_path} is full; the environment variable TMPDIR can name another folder",
    )


@pytest.mark.parametrize("name", ["table.txt", "table"])
def test_a_suffix_that_says_nothing(name: str, tmp_path: Path) -> None:
    rule = "this text looks like a table; rename it to end in .csv (.tsv if tabs separate the columns)"
    assert_refused(write(tmp_path / name, SOUND), "line 1", f"{rule} (found {SOUND.splitlines()[0]!r})")
    assert_refused(tmp_path / name, "line 1", rule, format_in="outcomes")
    ends = ".csv, .tsv, .jsonl, .ndjson, .json, .parquet, .xml, .zip, .eval"
    rule = f"the name of a file in another form must end in {ends} (found 'My results, in short')"
    known = "its first line matches no text format that nescio knows (ave, cbc, mctest, nuggets, pan, trec); "
    assert_refused(write(tmp_path / name, f"My results, in short\n{SOUND}"), "line 1", known + rule)
    assert_refused(tmp_path / name, "line 1", rule, format_in="outcomes")


@together("name", ["a[1]?*.csv", "~home.csv", "it's.csv", "%20 {}.csv", "größe.csv"])
def test_a_file_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    write(tmp_path / "a1xx.csv", SOUND.replace("q1", "of another file"))
    assert evidence(write(tmp_path / name, SOUND)).questions == ("q1", "q2")


def test_a_folder_name_adds_no_column(tmp_path: Path) -> None:
    (tmp_path / "run=7").mkdir()
    assert evidence(write(tmp_path / "run=7" / "mine.csv", "question,outcome\nq,correct\n")).runs == ("mine",)
