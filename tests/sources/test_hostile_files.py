"""Files made to do harm: more than memory holds, nesting without end, halves of characters, keys and bytes that
stand for two."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import resource
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.errors import FormatError, MismatchError
from nescio.people.campaigns import archives
from nescio.sources import workbooks
from nescio.sources.json import FREE, MemoryBudget, decode_document, decode_object, most_keys
from tests.formats.encodings import assert_refused, evidence, refusal
from tests.formats.fuzz import write_files
from tests.rings import sample, together

TABLE = "run,question,outcome\na,q1,correct\na,q2,unanswered\n"
HEADER = '{"status": "success", "eval": {"task": "t", "model": "m"}}'
SAMPLE = '{"id": 1, "epoch": 1, "input": "?", "target": "a", "scores": {"s": {"value": "C"}}}'
ROOM = MemoryBudget(0, packed=False)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def packed_members(members: dict[str, str]) -> bytes:
    """A ZIP archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


# ---- memory ----


def peak() -> int:
    """The most memory that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@contextmanager
def assert_bounded(path: Path, size: int | None = None) -> Iterator[None]:
    """Assert that what is done takes at most 64 MB and ten times the file (or what it unpacks to) beside what was
    taken before."""
    before = peak()
    yield
    assert peak() - before <= FREE + 10 * (size or path.stat().st_size)


@pytest.mark.sampled
@pytest.mark.parametrize("text", sample(["{}", "[]", '{"a":{}}', '"","a"', '{"a":1}'], 1))
def test_values_that_take_much_more_memory_than_their_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "dense.json"
    path.write_text(f"[{','.join([text] * (8_000_000 // len(text)))}]")
    with assert_bounded(path):
        assert_refused(path, None, "MB of memory, which is too much for a file of this size")
    lines = tmp_path / "dense.jsonl"
    lines.write_text(f'{{"question": "q", "outcome": "correct"}}\n{{"x": {path.read_text()}}}\n')
    with assert_bounded(lines):
        assert_refused(lines, "line 2", "MB of memory, which is too much for a file of this size")


def test_a_small_file_that_unpacks_to_much_memory(tmp_path: Path) -> None:
    dense = f"[{','.join(['{}'] * 2_000_000)}]"
    for name, pack in (("gz", gzip.compress), ("zst", zstandard.compress)):
        path = tmp_path / f"dense.json.{name}"
        path.write_bytes(pack(dense.encode()))
        with assert_bounded(path):
            assert_refused(path, None, "MB of memory, which is too much for a file of this size")
    members = {"header.json": "{}", "samples/1_epoch_1.json": dense}
    path = write_files(tmp_path, {"a.eval": packed_members(members)})[0]
    with assert_bounded(path):
        assert_refused(path, "member samples/1_epoch_1.json", "MB of memory, which is too much for a file of this size")


def test_many_members_that_take_much_memory_together(tmp_path: Path) -> None:
    dense = f"[{','.join(['{}'] * 200_000)}]"  # some 15 MB of memory each
    members = {
        f"samples/{i}_epoch_1.json": SAMPLE.replace('"id": 1', f'"id": {i}, "metadata": {dense}') for i in range(12)
    }
    path = write_files(tmp_path, {"a.eval": packed_members({"header.json": HEADER, **members})})[0]
    with assert_bounded(path, sum(map(len, members.values()))):
        assert_refused(path, "member samples/8_epoch_1.json", "MB of memory, which is too much for a file of this size")


def test_a_tree_that_takes_much_more_memory_than_its_text(tmp_path: Path) -> None:
    path = tmp_path / "dense.xml"
    path.write_text(f"<test-set>{'<a/>' * 1_500_000}</test-set>")
    with assert_bounded(path):
        assert_refused(path, None, "MB of memory, which is too much for a file of this size")


def test_more_columns_than_memory(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(20_000)]
    path = tmp_path / "wide.csv"
    path.write_text(f"question,{','.join(names)}\nq,{','.join('1' for _ in names)}\n")
    assert_refused(path, None, "there are 20,001 columns, which is too many for a table of this size")
    path = tmp_path / "wide.jsonl"
    rows = [
        {"question": str(i), "outcome": "correct"} | dict.fromkeys(names[i * 4 : i * 4 + 4], 1) for i in range(5000)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with assert_bounded(path):
        assert_refused(path, None, "columns, which is too many for a table of this size")


# ---- what is packed ----


@together("name", PACKERS)
def test_every_packing(name: str, tmp_path: Path) -> None:
    pack = PACKERS[name]
    path = tmp_path / f"table.csv.{name.upper()}"
    path.write_bytes(pack(TABLE.encode()))
    assert evidence(path).questions == ("q1", "q2")
    path.write_bytes(pack(TABLE[:20].encode()) + pack(TABLE[20:].encode()))  # one after the other, as logs are appended
    assert evidence(path).questions == ("q1", "q2")
    path.write_bytes(pack(TABLE.replace("correct", "korrect").encode()))
    assert_refused(path, "line 2", "what does 'korrect' in 'outcome' mean?")
    for damaged in (pack(TABLE.encode())[:-9], b"run,question,outcome\n"):
        path.write_bytes(damaged)
        assert_refused(path, None, "not a readable ")
    path.write_bytes(pack(b""))
    assert_refused(path, None, "the file is empty")
    path.write_bytes(pack(b"\n" * ((1 << 20) + 1)))
    rule = "unpacks to more than 0.000976562 GB; --max-unpacked raises the limit (in GB)"
    assert_refused(path, None, rule, max_unpacked=1 / 1024)
    assert_refused(path, None, "only blank lines", max_unpacked=1 / 512)


def overlapping(many: int, body: bytes = b"{}") -> bytes:
    """An archive with a sound header, and many members that are all one place in it."""
    whole = packed_members({"header.json": HEADER, "samples/1_epoch_1.json": body.decode()})
    at = whole.index(b"PK\1\2")
    end = whole.index(b"PK\5\6")
    first, second = whole[at : whole.index(b"PK\1\2", at + 1)], whole[whole.index(b"PK\1\2", at + 1) : end]
    entries = [second.replace(b"samples/1_", f"samples/{i % 10}_".encode()) for i in range(many)]
    central = first + b"".join(entries)
    count = (many + 1).to_bytes(2, "little")
    tail = b"PK\5\6\0\0\0\0" + count * 2 + len(central).to_bytes(4, "little") + at.to_bytes(4, "little") + b"\0\0"
    return whole[:at] + central + tail


def test_members_that_overlap(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(overlapping(1, SAMPLE.encode()))
    assert evidence(path).questions == ("1",)
    path.write_bytes(overlapping(2, SAMPLE.encode()))
    assert_refused(path, "member samples/0_epoch_1.json", "this member overlaps member samples/1_epoch_1.json")
    path.write_bytes(overlapping(9_000, SAMPLE.encode() + b" " * 50_000))
    assert_refused(path, "member samples/0_epoch_1.json", "this member overlaps")
    assert_refused(path, "member samples/0_epoch_1.json", "this member overlaps", max_unpacked=0.01)


# ---- nesting ----


def nested(depth: int, brackets: str = "{}") -> str:
    """Objects, or lists, in one another."""
    return '{"a":' * depth + "1" + "}" * depth if brackets == "{}" else "[" * depth + "]" * depth


@together("brackets", ["{}", "[]"])
@together("depth", [250, 980, 1000, 100_000])
def test_values_nested_without_end(depth: int, brackets: str, tmp_path: Path) -> None:
    deep = nested(depth, brackets)
    row = f'{{"run": "a", "question": "q", "outcome": "correct", "x": {deep}}}\n'
    path = tmp_path / "deep.jsonl"
    for text in (row, '{"run": "a", "question": "p", "outcome": "correct", "x": 1}\n' + row):
        path.write_text(text)
        error = refusal(path, ungraded="exclude")
        assert (error.where, "nest" in error.rule) == (f"line {text.count(chr(10))}", True)
    path = tmp_path / "deep.json"
    path.write_text(f'{{"version": 3, "prompts": [], "results": {deep}}}')
    assert str(refusal(path)).startswith(f"{path}: ")
    sample = SAMPLE.replace('"?"', deep)
    path = write_files(tmp_path, {"a.eval": packed_members({"header.json": HEADER, "samples/1.json": sample})})[0]
    assert refusal(path).where == "member samples/1.json"


# ---- halves of characters ----


@pytest.mark.parametrize("half", [r"\ud800", r"\uDC00", r"\ud83d b", r"\ude00\ud83d", r"\\\ud800"])
def test_half_of_a_surrogate_pair_becomes_a_mark(half: str) -> None:
    found = decode_document("f", f'{{"x{half}": "{half}"}}'.encode(), ROOM)
    (key, value), *_ = found.items()
    assert key == f"x{value}"
    assert "�" in value
    value.encode()
    with pytest.raises(FormatError, match="surrogate"):
        decode_object(Path("f"), f'{{"x": "{half}"}}'.encode(), 1)
    assert decode_object(Path("f"), f'{{"x": "{half}"}}'.encode(), 1, lenient=True) == {"x": value}


@pytest.mark.skipif(os.name == "nt", reason="names of files are texts there")
def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "\udcff.csv"
    try:
        path.write_text(TABLE)
    except OSError:
        pytest.skip("this file system takes no such name")
    error = refusal(path)
    assert "is not UTF-8; rename it" in error.rule


# ---- keys that stand twice, and what only looks like it ----

TWICE = [
    '{"a": 1, "a": 2}',
    '{"a" : 1, "b": [{"a": 1, "a"\n:2}]}',
    r'{"a\\": 1, "a\\": 2}',
    r'{"x": "a\":b", "y": {"k": 1, "k": 2}}',
    r'{"\u0061": 1, "a": 2}',
    '{"a": {"z": 1}, "a": {}}',
    '[[{"a": 1}, {"a": NaN, "a": 2}]]',
]
ONCE = ['{"a": "\\"a\\": 1"}', '[{"a": 1}, {"a": 2}]', r'{"a\\": 1, "a": "\\\":"}', '{"a" : " : :", "b": ": \\" :"}']


@pytest.mark.parametrize("text", TWICE)
def test_a_key_that_stands_twice_in_a_document(text: str) -> None:
    with pytest.raises(FormatError, match="a key appears twice in one object"):
        decode_document("f", text.encode(), ROOM)


@pytest.mark.parametrize("text", ONCE)
def test_a_key_that_stands_once(text: str) -> None:
    assert decode_document("f", text.encode(), ROOM) == json.loads(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab":\\ {}[],\n', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab":\\ ', max_size=3), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.sampled
@given(JSON, st.sampled_from([None, 0, 1]), st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :"), (",\n", "\t\n:")]))
def test_sound_documents_are_read_whatever_they_hold(
    value: Any, indent: int | None, separators: tuple[str, str]
) -> None:
    text = json.dumps(value, indent=indent, separators=separators).encode()
    assert decode_document("f", text, ROOM) == value
    assert most_keys(text) >= keys_in(value)
    doubled = b'{"k":1,"x":%b,"k":2}' % text
    with pytest.raises(FormatError, match="a key appears twice"):
        decode_document("f", doubled, ROOM)


def keys_in(value: Any) -> int:
    """How many keys a value holds, at any depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (len(value) if isinstance(value, dict) else 0) + sum(map(keys_in, inner))


# ---- the rest ----


NUMBERS = [
    ({"t.csv": "run,question,outcome,confidence\na,q,correct,1_0\n"}, "confidence must be a finite number"),
    ({"t.csv": "run,question,outcome,rank\na,q,correct,1_0\n"}, "rank must be a whole number"),
    ({"c.csv": "run,correct,incorrect,unanswered\na,1_0,1,1\n"}, "correct must be a whole number"),
    ({"a.qrels": "1 0 d 1\n", "b.run": "1 Q0 d 1 0.5 t\n1 Q0 e 2 0_5 t\n"}, "the score must be a finite number"),
]


@together("files, said", NUMBERS)
def test_python_s_own_way_to_write_numbers_is_no_number(files: dict[str, str], said: str, tmp_path: Path) -> None:
    assert said in str(refusal(write_files(tmp_path, files)))


# ---- much from little ----


def test_one_long_text_that_many_cells_name_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "plain.xlsx"
    sheet = openpyxl.Workbook()
    for _ in range(2):
        sheet.active.append(["x" * 32_000] * 2)
    sheet.save(book)
    with zipfile.ZipFile(book) as packed:
        members = {name: packed.read(name).decode() for name in packed.namelist()}
    cell = '<c t="s"><v>0</v></c>'
    rows = "".join(f"<row>{cell * 100}</row>" for _ in range(2_000))
    name = "xl/worksheets/sheet1.xml"
    start, end = members[name].index("<sheetData>") + len("<sheetData>"), members[name].index("</sheetData>")
    members[name] = members[name][:start] + rows + members[name][end:]
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(packed_members(members))
    with pytest.raises(FormatError):
        workbooks.unpack(path)


@pytest.mark.parametrize("name", ["a.json", "a.xml"])
def test_a_file_that_is_only_made_large_is_refused_at_its_first_hole(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("[" if name == "a.json" else "<a>")
    os.truncate(path, 1 << 30)
    before = peak()
    refusal(path)
    assert peak() - before < 1 << 29


def test_the_header_of_a_member_is_held_to_the_limit(tmp_path: Path) -> None:
    """A name of 40 MB, of which gzip leaves 40 kB."""
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("n" * 40_000_000))
    assert path.stat().st_size < 200_000
    with pytest.raises(MismatchError, match="unpacks to more"):
        list(archives.unpacked(path, 1 << 20))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_whose_runs_are_ids_of_answers_is_refused(form: str, tmp_path: Path) -> None:
    """Each run has a cell for each question: 400 million of them for 20,000 answers."""
    path = tmp_path / f"t.{form}"
    query = "SELECT 'r' || i AS run, 'q' || i AS question, 'correct' AS outcome FROM range({}) AS r(i)"
    duckdb.sql(f"COPY ({query.format(20_000)}) TO '{path}'")
    rule = (
        "there are 20,000 runs and 20,000 questions, but only 20,000 answers; the column of runs may be the wrong one"
    )
    with pytest.raises(FormatError, match=rule):
        nescio.score(path, "accuracy", ci=None)
    duckdb.sql(f"COPY ({query.format(500)}) TO '{path}'")
    assert len(nescio.score(path, "accuracy", ci=None, missing="own")) == 500


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_marks_without_end_on_a_letter_take_no_time(form: str, tmp_path: Path) -> None:
    """Unicode sorts them in quadratic time: these would take half a minute."""
    marks, before = "a" + "\u0315" * 20_000 + "\u0327" * 20_000, time.process_time()
    path = tmp_path / f"t.{form}"
    if form == "csv":
        path.write_text(f"run,question,outcome\na,q1,correct\na,{marks},correct\n", encoding="utf-8")
        assert nescio.score(path, "accuracy", ci=None).rows[0].n == 2
    else:
        questions = tmp_path / "q.jsonl"
        questions.write_text('{"id": "q1", "question": "1?", "answers": ["1"]}\n')
        for row in ({"id": "q1", "answer": marks}, {"id": marks, "answer": "1"}):
            path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
            with suppress(nescio.NescioError):
                nescio.score([questions, path], "accuracy", ci=None)
    assert time.process_time() - before < 5
