"""Generate harmful files of every kind of source from a seed, and run commands on them.

`python -m tests.hostile 2000 FOLDER` runs that many cases (`500-2000` skips the first 500) and keeps the failed ones in
a folder. `python -m tests.hostile 40 FOLDER tars zips` runs these kinds, and `NESCIO_SEED` sets the seed. Each file
meets `score`, `compare`, `check`, `convert` and the intake of a campaign in a separate process, which a server forks.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import csv
import gzip
import io
import itertools
import json
import lzma
import os
import random
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.rings import SEED

MB, GB = 1 << 20, 1 << 30
SECONDS, MEMORY = 20, 2 * GB  # limits of one command
_WALL = 6 * SECONDS  # allows for other work on the machine; waiting for a pipe uses no processor
DRAFT = re.compile(r"\..+\.[0-9a-f]{16}(\.[^.]*)?")
Counts = dict[str, tuple[int, int, int]]

# ---- a table in every form ----

OUTCOMES = ("correct", "incorrect", "unanswered")
TRUTH: Counts = {"ana": (14, 4, 2), "böb": (10, 6, 4)}
HEADER = ("run", "question", "outcome", "confidence")
Row = tuple[str, str, str, float]


def table(counts: Counts = TRUTH) -> list[Row]:
    """Return the rows of a table with these counts, the correct first."""
    rows = []
    for run, each in counts.items():
        states = [state for state, times in zip(OUTCOMES, each, strict=True) for _ in range(times)]
        rows += [(run, f"q{i}", state, round(0.95 - i / 40, 3)) for i, state in enumerate(states)]
    return rows


def delimited(rows: Sequence[Sequence[object]], mark: str = ",", header: Sequence[str] = HEADER) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def objects(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(zip(HEADER, row, strict=True)) for row in rows]


def json_lines(rows: Sequence[Row]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in objects(rows)).encode()


def json_list(rows: Sequence[Row]) -> bytes:
    return json.dumps(objects(rows), ensure_ascii=False).encode()


def workbook(rows: Sequence[Row]) -> bytes:
    import openpyxl

    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in (HEADER, *rows):
        book.active.append(list(row))
    book.save(content)
    return content.getvalue()


def parquet(rows: Sequence[Row]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    content = io.BytesIO()
    pa.parquet.write_table(pa.table([list(column) for column in zip(*rows, strict=True)], list(HEADER)), content)
    return content.getvalue()


def zstandard(content: bytes) -> bytes:
    import zstandard as zstd

    return zstd.ZstdCompressor(write_checksum=True).compress(content)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard,
}
TEXTS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    ".csv": delimited,
    ".tsv": lambda rows: delimited(rows, "\t"),
    ".jsonl": json_lines,
    ".json": json_list,
}
FORMS: dict[str, Callable[[Sequence[Row]], bytes]] = {**TEXTS, ".xlsx": workbook, ".parquet": parquet}


def packed(suffix: str, packing: str, rows: Sequence[Row]) -> bytes:
    return PACKERS[packing](TEXTS[suffix](rows))


FORMS |= {f"{suffix}{packing}": partial(packed, suffix, packing) for suffix in TEXTS for packing in PACKERS}


# ---- cases ----


@dataclass
class Case:
    """A case: its damage and its files.

    `truth` holds the counts that a reader without complaints must find, and `sheet` a sheet to collect.
    """

    what: str
    files: list[str]
    truth: Counts | None = None
    options: list[str] = field(default_factory=list)
    sheet: bool = False
    made: list[list[Any]] = field(default_factory=list)  # objects that the process makes itself: pipes, sockets


Kind = Callable[[random.Random, Path], Case]
KINDS: dict[str, Kind] = {}


def kind(make: Kind) -> Kind:
    KINDS[make.__name__] = make
    return make


def put(folder: Path, name: str, content: bytes) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return name


def some_form(dice: random.Random, forms: Mapping[str, Any] = FORMS) -> tuple[str, bytes]:
    suffix = dice.choice(sorted(forms))
    return suffix, forms[suffix](table())


def cut(dice: random.Random, suffix: str, content: bytes) -> bytes:
    """Return the content without its end; a text with a row on each line is cut before a row's last cell."""
    if suffix in (".csv", ".tsv", ".jsonl"):
        lines = content.splitlines(keepends=True)
        at = dice.randrange(2, len(lines))
        last = lines[at]
        mark = max(last.rfind(b","), last.rfind(b"\t"))
        return b"".join(lines[:at]) + last[: dice.randrange(1, mark)]
    return content[: dice.randrange(1, len(content) - (2 if suffix == ".json" else 1))]


@kind
def truncated(dice: random.Random, folder: Path) -> Case:
    """Make a file that a transfer cut off."""
    suffix, content = some_form(dice)
    return Case(f"cut {suffix}", [put(folder, f"t{suffix}", cut(dice, suffix, content))], TRUTH)


@kind
def flipped(dice: random.Random, folder: Path) -> Case:
    """Change a byte in a file with checksums."""
    checked = {s: f for s, f in FORMS.items() if s.endswith((*PACKERS, ".xlsx"))}
    suffix, content = some_form(dice, checked)
    held = bytearray(content)
    for _ in range(dice.choice([1, 1, 1, 5])):
        held[dice.randrange(len(held))] ^= 1 << dice.randrange(8)
    return Case(f"bits of {suffix}", [put(folder, f"t{suffix}", bytes(held))], TRUTH)


@kind
def nuls(dice: random.Random, folder: Path) -> Case:
    """Insert NUL bytes, as a disk without power leaves them."""
    suffix, content = some_form(dice, TEXTS)
    at, many = dice.randrange(len(content)), dice.choice([1, 2, 512, 4096])
    over = dice.random() < 0.5
    damaged = content[:at] + b"\0" * many + content[at + (many if over else 0) :]
    return Case(f"{many} NULs in {suffix}", [put(folder, f"t{suffix}", damaged)], None if over else TRUTH)


ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp1252", "cp037", "utf-7")


@kind
def encoded(dice: random.Random, folder: Path) -> Case:
    """Write a text in another encoding, with all kinds of marks and line ends."""
    suffix, content = some_form(dice, TEXTS)
    text = content.decode()
    end = dice.choice(["\n", "\r\n", "\r", "\x85", "\u2028", "\n\n", "\n \n", "\x0b"])
    name = dice.choice([*ENCODINGS, "bom twice", "bom inside", "bad byte", "surrogate", "overlong"])
    whole = text.replace("\n", end)
    if name == "bom twice":
        damaged = codecs.BOM_UTF8 * 2 + whole.encode()
    elif name == "bom inside":
        at = dice.randrange(len(whole))
        damaged = (whole[:at] + "\ufeff" + whole[at:]).encode()
    elif name in ("bad byte", "surrogate", "overlong"):
        at = dice.randrange(len(content))
        odd = {"bad byte": bytes([dice.randrange(128, 256)]), "surrogate": b"\xed\xa0\x80", "overlong": b"\xc0\xaf"}
        damaged = content[:at] + odd[name] + content[at:]
    else:
        damaged = whole.encode(name, "replace")
    truth = None if name == "utf-7" else TRUTH  # its text is a different text in ASCII
    return Case(f"{suffix} in {name}, lines end {end!r}", [put(folder, f"t{suffix}", damaged)], truth)


@kind
def nested(dice: random.Random, folder: Path) -> Case:
    """Nest values in values."""
    depth = dice.choice([150, 250, 990, 1_000, 5_000, 100_000, 1_000_000])
    opening, closing = dice.choice([("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ("[", ""), ('{"a":', "")])
    deep = opening * depth + ("1" if closing else "") + closing * depth
    suffix = dice.choice([".json", ".jsonl", ".csv"])
    rows = table()
    if suffix == ".csv":
        more = [(*row, deep if i == 7 else "") for i, row in enumerate(rows)]
        return Case(f"{depth} deep in .csv", [put(folder, "t.csv", delimited(more, header=(*HEADER, "x")))], TRUTH)
    text = (json_lines(rows) if suffix == ".jsonl" else json_list(rows)).decode()
    at = dice.choice(["beside", "instead", "around"])
    if at == "around":
        text = opening * depth + text + closing * depth
    else:
        old = '"question": "q3"'
        text = text.replace(old, f'{old}, "x": {deep}' if at == "beside" else f'"question": {deep}', 1)
    return Case(f"{depth} deep {at} {suffix}", [put(folder, f"t{suffix}", text.encode())], TRUTH)


NUMBERS = (
    "1e400", "-1e400", "1e-400", "9" * 400, "9" * 5_000, "9" * 1_000_000, "NaN", "Infinity", "-Infinity", "-0", "0x10",
    "1e5", "1_000", "１", "0.1e", "--1", "1.7976931348623159e308", "5e-324", "4.9e-325", "2" + "0" * 22, "1,5",
)  # fmt: skip
IDS = ("9007199254740992", "9007199254740993", "18446744073709551616", "18446744073709551617")  # equal as doubles


@kind
def numbers(dice: random.Random, folder: Path) -> Case:
    """Write numbers that no machine number holds, as confidences, and as question names that round to equal ones."""
    suffix = dice.choice([".json", ".jsonl", ".csv", ".tsv"])
    rows, odd = table(), dice.choice(NUMBERS)
    text = TEXTS[suffix](rows).decode()
    if dice.random() < 0.4:
        for old, new in zip(("q0", "q1", "q2", "q3"), IDS, strict=True):
            text = re.sub(rf'"{old}"|\b{old}\b', new, text)
        return Case(f"large ids in {suffix}", [put(folder, f"t{suffix}", text.encode())], TRUTH)
    text = text.replace("0.925", odd, dice.choice([1, 2]))
    return Case(f"{odd[:12]} as a confidence in {suffix}", [put(folder, f"t{suffix}", text.encode())], TRUTH)


@kind
def doubled(dice: random.Random, folder: Path) -> Case:
    """Write the same key, column or row twice, with different content."""
    suffix = dice.choice(sorted(TEXTS))
    rows, what = table(), dice.choice(["key", "row", "column", "case"])
    other = dice.choice([state for state in OUTCOMES if state != "correct"])
    if what == "row":
        content = TEXTS[suffix]([*rows, (*rows[0][:2], other, 0.1)])
    elif suffix in (".csv", ".tsv"):
        name = {"key": "outcome", "column": "question", "case": "Outcome"}[what]
        mark = "," if suffix == ".csv" else "\t"
        content = delimited([(*row, other) for row in rows], mark, (*HEADER, name))
    else:
        name = "Outcome" if what == "case" else "outcome"
        twice = f'"outcome": "correct", "{name}": "{other}"'
        content = TEXTS[suffix](rows).decode().replace('"outcome": "correct"', twice, 1).encode()
    return Case(f"a {what} twice in {suffix}", [put(folder, f"t{suffix}", content)], TRUTH)


@kind
def unseen(dice: random.Random, folder: Path) -> Case:
    """Put invisible or confusable characters into the cells that count."""
    suffix = dice.choice(sorted(TEXTS))
    odd = dice.choice(["\u200b", "\u200e", "\u202e", "\u00ad", "\ufeff", "\u2060", "\x1b[2K", "\x08", "\u0435", "\x7f"])
    word = dice.choice(["correct", "ana", "q3", "outcome", "run"])
    at = dice.randrange(len(word) + 1)
    content = TEXTS[suffix](table()).decode()
    times = dice.choice([1, -1])
    other = word[:at] + odd + word[at:]
    content = content.replace(word, other, times)
    # A run with another name in one row is another run: all of it except that row is missing, which nescio reports.
    counts = {other if run == word and times < 0 else run: each for run, each in TRUTH.items()}
    return Case(f"{odd!r} in {word!r} of {suffix}", [put(folder, f"t{suffix}", content.encode())], counts)


@kind
def quoted(dice: random.Random, folder: Path) -> Case:
    """Write quotes that never end, rows of several lengths, and endless lines and headers."""
    rows, what = table(), dice.choice(["open", "short", "long row", "long cell", "wide", "semicolon", "mixed", "blank"])
    suffix = dice.choice([".csv", ".tsv"])
    mark = "," if suffix == ".csv" else "\t"
    lines = delimited(rows, mark).decode().splitlines()
    at = dice.randrange(2, len(lines))
    truth: Counts | None = TRUTH
    if what == "open":
        lines[at] = lines[at].replace("q", '"q', 1)
    elif what == "short":
        lines[at] = lines[at].rsplit(mark, 2)[0]
    elif what == "long row":
        lines[at] += f"{mark}x" * dice.choice([1, 2, 100_000])
    elif what == "long cell":
        lines = [f"{lines[0]}{mark}x", *(f"{line}{mark}" for line in lines[1:])]
        lines[at] += "a" * dice.choice([MB, 63 * MB, 65 * MB, 100 * MB])
    elif what == "wide":
        more = dice.choice([1_000, 20_000, 200_000])
        lines = [lines[0] + "".join(f"{mark}c{i}" for i in range(more)), *(line + mark * more for line in lines[1:])]
    elif what == "semicolon":
        lines = [line.replace(mark, ";") for line in lines]
    elif what == "mixed":
        lines[at] = lines[at].replace(mark, ";")
    else:
        lines = [line + "\n" * dice.choice([1, 3, 1000]) for line in lines]
    return Case(f"{what} in {suffix}", [put(folder, f"t{suffix}", ("\n".join(lines) + "\n").encode())], truth)


def again(packing: str, fill: bytes, size: int) -> Iterator[bytes]:
    """Return the parts of a compressed file with `size` bytes, each the same stream of a megabyte."""
    return itertools.repeat(PACKERS[packing](fill * (MB // len(fill))), size // MB)


@kind
def bombs(dice: random.Random, folder: Path) -> Case:
    """Make small files that unpack to gigabytes."""
    packing, suffix = (
        dice.choice(sorted(PACKERS)),
        dice.choice([".csv", ".jsonl", ".json", ".tsv", ".xml", ".eval", ""]),
    )
    row = {".csv": b"ana,q0,correct,0.9\n", ".jsonl": b'{"run":"ana","question":"q0"}\n', ".json": b"[", "": b"\n"}
    fill = dice.choice([b"\0", b"\n", b" ", row.get(suffix, b"<a>"), os.urandom(16)])
    head = TEXTS[suffix](table()) if suffix in TEXTS else b"<a>"
    name = f"t{suffix}{packing}"
    with (folder / name).open("wb") as file:
        file.write(PACKERS[packing](head))
        file.writelines(again(packing, fill, dice.choice([128 * MB, GB, 8 * GB])))
    return Case(f"{name} of {fill[:6]!r}", [name])


@kind
def sparse(dice: random.Random, folder: Path) -> Case:
    """Make files that take no room on the disk but claim gigabytes."""
    suffix = dice.choice([*TEXTS, ".xml", ".parquet", ".xlsx", ".eval", ".zip", ".gz", ".csv.zst", ".tar", ".html"])
    head = FORMS[suffix](table()) if suffix in FORMS else dice.choice([b"", b"<a>", b"PK\3\4", b"[{", b'{"a": "'])
    name = f"t{suffix}"
    with (folder / name).open("wb") as file:
        file.write(head if dice.random() < 0.7 else b"")
        file.truncate(dice.choice([3 * GB, 20 * GB, 50 * GB]))
        if dice.random() < 0.3:
            file.seek(0, 2)
            file.write(head)
    return Case(f"sparse {name}", [name])


SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
STRINGS = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</sst>'


DECLARED = (
    b'<Override PartName="/xl/sharedStrings.xml"'
    b' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)


def laughs(levels: int = 12) -> str:
    """Return entities of entities."""
    return "".join(
        ['<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">']
        + [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, levels)]
        + ["]>"]
    )


def zipped(parts: Mapping[str, bytes], packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packed) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return content.getvalue()


@kind
def workbooks(dice: random.Random, folder: Path) -> Case:
    """Make workbooks whose parts amplify one another."""
    with zipfile.ZipFile(io.BytesIO(workbook(table()))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    first, strings, types = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "[Content_Types].xml"
    what = dice.choice(
        ["shared", "shared number", "entities", "far row", "far column", "spaces", "tags", "gone", "attributes", "raw",
         "dimension", "external", "bytes"]
    )  # fmt: skip
    cell = '<c r="{}{}" t="s"><v>{}</v></c>'
    if what == "shared":
        size, many = dice.choice([(MB, 2_000), (10 * MB, 200), (32_000, 50_000), (30 * MB, 20)])
        parts[strings] = STRINGS.format(f"<si><t>{'a' * size}</t></si>").encode()
        parts[types] = parts[types].replace(b"</Types>", DECLARED + b"</Types>")
        rows = "".join(f'<row r="{i}">{cell.format("A", i, 0)}{cell.format("B", i, 0)}</row>' for i in range(1, many))
        parts[first] = SHEET.format(f"<sheetData>{rows}</sheetData>").encode()
    elif what == "shared number":
        parts[first] = parts[first].replace(b"<v>0</v>", b"<v>%d</v>" % dice.choice([-1, 10**9, 10**30]), 1)
    elif what == "entities":
        text = parts[first].decode()
        parts[first] = (laughs() + text.replace("<sheetData>", "<sheetData>&a11;", 1)).encode()
    elif what == "external":
        doctype = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{dice.choice(["file:///etc/passwd", "http://127.0.0.1:9/"])}">]>'
        parts[strings] = (doctype + STRINGS.format("<si><t>&a;</t></si>")).encode()
    elif what in ("far row", "far column"):
        place = ("A", dice.choice([10**7, 10**18])) if what == "far row" else (dice.choice(["XFD", "ZZZZZ"]), 2)
        row = f'<row r="{place[1]}"><c r="{place[0]}{place[1]}" t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
        parts[first] = parts[first].replace(b"</sheetData>", row.encode())
    elif what == "spaces":
        parts[first] = parts[first].replace(b"<sheetData>", b"<sheetData>" + b" " * dice.choice([MB, 60 * MB]), 1)
    elif what == "tags":
        parts[first] = SHEET.format("<sheetData>" + dice.choice(["<row>", "<row><c>", "<c><f>"]) * 100_000).encode()
    elif what == "gone":
        parts.pop(dice.choice([strings, first, "xl/workbook.xml", "[Content_Types].xml"]), None)
    elif what == "attributes":
        attributes = "".join(f' a{i}="1"' for i in range(dice.choice([1_000, 100_000])))
        parts[first] = parts[first].replace(b"<sheetData>", f"<sheetData{attributes}>".encode(), 1)
    elif what == "raw":
        odd = dice.choice(["<v>" * 7_000, "<c " * 7_000, '<c r="' * 7_000, "<is><t>" * 7_000, "<f>" * 50_000])
        parts[first] = parts[first].replace(b"</sheetData>", odd.encode() + b"</sheetData>")
    elif what == "dimension":
        parts[first] = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', parts[first])
    else:
        name = dice.choice(sorted(parts))
        held = bytearray(parts[name])
        for _ in range(3):
            held[dice.randrange(len(held))] = dice.randrange(256)
        parts[name] = bytes(held)
    truth = TRUTH if what in ("spaces", "dimension", "attributes") else None
    return Case(f"{what} in .xlsx", [put(folder, "t.xlsx", zipped(parts))], truth)


def trees(dice: random.Random, folder: Path) -> Case:
    """Write XML and HTML with entities, external references, and tags without end."""
    from tests.campaign.made import collection

    sound = collection("EN", 4)
    what = dice.choice(
        ["laughs", "quadratic", "external", "deep", "attributes", "comments", "cut", "cdata", "encoding"]
    )
    if what == "laughs":
        text = laughs(dice.choice([5, 12, 30])) + sound.replace("answer 1", "&a4;", 1)
    elif what == "quadratic":
        text = f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>' + sound.replace("answer 1", "&a;" * 20_000, 1)
    elif what == "external":
        place = dice.choice(["file:///etc/passwd", "http://127.0.0.1:9/x", "/dev/zero", "php://filter"])
        text = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{place}"><!ENTITY % b SYSTEM "{place}"> %b;]>' + sound.replace(
            "answer 1", "&a;", 1
        )
    elif what == "deep":
        text = sound.replace("answer 1", "<x>" * dice.choice([300, 50_000, 2_000_000]), 1)
    elif what == "attributes":
        text = sound.replace("<q ", "<q " + "".join(f'a{i}="" ' for i in range(200_000)), 1)
    elif what == "comments":
        text = sound.replace("answer 1", "<!--" + "-" * 5_000_000, 1)
    elif what == "cut":
        text = sound[: dice.randrange(1, len(sound) - 1)]
    elif what == "cdata":
        text = sound.replace("answer 1", "<![CDATA[" * 20_000, 1)
    else:
        text = f'<?xml version="1.0" encoding="{dice.choice(["utf-16", "x-user", "ebcdic-cp-us", "utf-7"])}"?>' + sound
    run = "".join(f"{q} {q}_{a} {'SELECTED' if a == 1 else 'REJECTED'} 0.5\n" for q in range(1, 5) for a in range(1, 4))
    if dice.random() < 0.3:
        return Case(f"{what} in .html", [put(folder, "mmlu_lamp-2b.html", text.encode())])
    return Case(f"{what} in .xml", [put(folder, "c.xml", text.encode()), put(folder, "r.txt", run.encode())])


RUN = "".join(f'{{"id": "q{i}", "answer": "thing {i}"}}\n' for i in range(6)).encode()


@kind
def tars(dice: random.Random, folder: Path) -> Case:
    """Make archives of runs with headers of gigabytes, links, devices, outside names, and wrong sizes."""
    what = dice.choice(
        ["long name", "pax", "link", "hard link", "device", "fifo", "outside", "absolute", "twice", "size", "many",
         "sparse", "cut", "bits", "member", "pax size"]
    )  # fmt: skip
    name = f"r{dice.choice(['.tar', '.tgz', '.tar.gz', '.tar.bz2', '.tar.xz'])}"
    plain = folder / "plain"

    def member(label: str, **fields: Any) -> tarfile.TarInfo:
        info = tarfile.TarInfo(label)
        for key, value in fields.items():
            setattr(info, key, value)
        return info

    with plain.open("wb") as file:
        large = dice.choice([10 * MB, 3 * GB])
        if what in ("long name", "pax"):
            kind_ = b"L" if what == "long name" else b"x"
            file.write(member("././@LongLink", type=kind_, size=large).tobuf(tarfile.GNU_FORMAT))
            file.truncate(file.tell() + large)
            file.seek(0, 2)
        form = dice.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
        with tarfile.open(fileobj=file, mode="w", format=form) as archive:
            kinds = {"link": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE, "device": tarfile.CHRTYPE}
            kinds["fifo"] = tarfile.FIFOTYPE
            if what in kinds:
                archive.addfile(member("r.jsonl", type=kinds[what], linkname="/etc/passwd"))
            label = {"outside": "../../r.jsonl", "absolute": "/tmp/r.jsonl"}.get(what, "r.jsonl")
            for i in range({"twice": 2, "many": 3_000}.get(what, 1)):
                pax = {"size": "99999999999"} if what == "pax size" else {}
                archive.addfile(
                    member(label if what != "many" else f"r{i}.jsonl", size=len(RUN), pax_headers=pax), io.BytesIO(RUN)
                )
            if what == "member":
                file.seek(archive.offset)
                file.write(member("x.jsonl", size=large).tobuf(tarfile.GNU_FORMAT))
        if what == "member":
            file.truncate(file.tell() + large)
    content = plain.read_bytes() if plain.stat().st_size < 64 * MB else None
    if content is not None and what == "size":
        info = member("r.jsonl", size=dice.choice([8 * GB - 1, 10**12, 2**63 - 1])).tobuf(tarfile.GNU_FORMAT)
        content = info + content
    if content is not None and what == "sparse":
        content = member("r.jsonl", type=b"S", size=512).tobuf(tarfile.GNU_FORMAT) + content
    if content is not None and what == "cut":
        content = content[: dice.randrange(1, len(content))]
    if content is not None and what == "bits":
        held = bytearray(content)
        held[dice.randrange(512)] ^= 1 << dice.randrange(8)
        content = bytes(held)
    packing = {".tgz": ".gz", ".tar": ""}.get(name[1:], name.rpartition("r")[2])
    if content is None and not packing:
        plain.rename(folder / name)
        return Case(f"{what} in {name}", [name])
    with (folder / name).open("wb") as out, plain.open("rb") as whole:
        if content is None:  # a header, gigabytes of zeros, and the bytes after them
            head, size = whole.read(512), plain.stat().st_size
            out.write(PACKERS[packing](head))
            out.writelines(again(packing, b"\0", large))
            whole.seek(min(size, 512 + large))
            out.write(PACKERS[packing](whole.read()))
        else:
            out.write(PACKERS[packing](content) if packing else content)
    plain.unlink()
    return Case(f"{what} in {name}", [name])


@kind
def zips(dice: random.Random, folder: Path) -> Case:
    """Make ZIP archives, of runs and as logs."""
    what = dice.choice(
        ["bomb", "overlap", "outside", "absolute", "link", "twice", "many", "lie", "nested", "encrypted", "cut", "bits",
         "comment", "names"]
    )  # fmt: skip
    header = b'{"status": "success", "eval": {"task": "t", "model": "m"}}'
    sample = b'{"id": 1, "epoch": 1, "input": "?", "target": "a", "scores": {"s": {"value": "C"}}}'
    log = dice.random() < 0.5
    inner = {"header.json": header, "samples/1_epoch_1.json": sample} if log else {"r.jsonl": RUN}
    name = "log.eval" if log else "r.zip"
    last = sorted(inner)[-1]
    if what == "bomb":
        inner[last] = inner[last][:-1] + dice.choice([b" ", b"\n", b"a"]) * 100 * MB + b"}"
    elif what in ("outside", "absolute"):
        inner["../../x.jsonl" if what == "outside" else "/tmp/x.jsonl"] = RUN
    elif what == "many":
        inner |= {f"samples/{i}_epoch_1.json" if log else f"r{i}.jsonl": b"{}" for i in range(2, 12_000)}
    elif what == "names":
        inner |= dict.fromkeys(("a\x1b[2J.jsonl", "b\u202egnp.jsonl", "CON.jsonl", "c" * 300 + ".jsonl", "x:y"), RUN)
    content = zipped(inner)
    if what == "nested":
        for _ in range(dice.choice([1, 50])):
            content = zipped({name: content})
    if what == "link":
        info, out = zipfile.ZipInfo("l.jsonl"), io.BytesIO(content)
        info.external_attr = 0o120777 << 16
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr(info, "/etc/passwd")
        content = out.getvalue()
    if what == "twice":
        out = io.BytesIO(content)
        with zipfile.ZipFile(out, "a") as archive, contextlib.suppress(UserWarning):
            archive.writestr(last, RUN.replace(b"thing", b"other"))
        content = out.getvalue()
    held = bytearray(content)
    at = content.rindex(b"PK\1\2")
    if what == "lie":  # the sizes unpacked, and packed
        held[at + 20 : at + 28] = dice.randbytes(8)
    elif what == "encrypted":
        held[at + 8] |= 1
        held[6] |= 1
    elif what == "overlap":
        held[at + 42 : at + 46] = (0).to_bytes(4, "little")
    elif what == "bits":
        held[dice.randrange(len(held))] ^= 1 << dice.randrange(8)
    elif what == "comment":
        held[-2:] = (65_535).to_bytes(2, "little")
        held += b"PK\5\6" * 16_000
    elif what == "cut":
        held = held[: dice.randrange(1, len(held))]
    truth = {"m": (1, 0, 0)} if log and what in ("cut", "bits", "lie") else None
    return Case(f"{what} in {name}", [put(folder, name, bytes(held))], truth)


@kind
def columnar(dice: random.Random, folder: Path) -> Case:
    """Make Parquet and Arrow files with wrong footers, or one text for millions of rows."""
    import pyarrow as pa
    import pyarrow.parquet

    what = dice.choice(["footer", "footer", "cut", "texts", "rows", "types", "arrow", "feather", "magic"])
    content = parquet(table())
    if what == "footer":
        size = int.from_bytes(content[-8:-4], "little")
        held = bytearray(content)
        for _ in range(dice.choice([1, 1, 3, 20])):
            held[len(held) - 8 - dice.randrange(size)] = dice.randrange(256)
        content = bytes(held)
    elif what == "cut":
        content = content[: dice.randrange(4, len(content))]
    elif what == "magic":
        content = b"PAR1" + os.urandom(dice.choice([8, 1_000])) + dice.randbytes(4) + b"PAR1"
    elif what == "types":
        odd = dice.choice(
            [
                pa.array([{"a": [{"b": i}]} for i in range(40)]),
                pa.array([b"\xff\xfe"] * 40, pa.binary()),
                pa.array([None] * 40, pa.null()),
                pa.array([float("nan")] * 40),
                pa.array([2**63 - 1] * 40, pa.timestamp("ns")),
                pa.array([10**37] * 40, pa.decimal128(38, 0)),
            ]
        )
        columns = [pa.array(list(column)) for column in zip(*table(), strict=True)]
        at = dice.randrange(len(columns))
        columns[at] = odd
        out = io.BytesIO()
        pa.parquet.write_table(pa.table(columns, list(HEADER)), out)
        content = out.getvalue()
    elif what in ("texts", "rows"):
        text, many = ("a" * dice.choice([MB, 8 * MB]), 5_000) if what == "texts" else ("a", 3_000_000)
        names = pa.DictionaryArray.from_arrays(pa.array([0] * many, pa.int32()), pa.array([text]))
        out = io.BytesIO()
        alike = pa.table([names, names, names, pa.array([0.5] * many)], list(HEADER))
        pa.parquet.write_table(alike, out, compression="zstd", write_statistics=False)
        content = out.getvalue()
    else:
        out = io.BytesIO()
        made = pa.table([list(column) for column in zip(*table(), strict=True)], list(HEADER))
        with pa.ipc.new_file(out, made.schema) as writer:
            writer.write_table(made)
        held = bytearray(out.getvalue())
        for _ in range(dice.choice([0, 1, 30])):
            held[dice.randrange(len(held))] = dice.randrange(256)
        name = "t.arrow" if what == "arrow" else "t.feather"
        return Case(f"{what} as {name}", [put(folder, name, bytes(held))])
    truth = TRUTH if what == "cut" else None
    return Case(f"{what} in .parquet", [put(folder, "t.parquet", content)], truth)


@kind
def disguised(dice: random.Random, folder: Path) -> Case:
    """Name one kind of file like another."""
    database = folder / "made.db"
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE t (run, question, outcome, confidence)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", table())
    contents = {name: form(table()) for name, form in FORMS.items() if name.count(".") == 1}
    contents |= {".db": database.read_bytes(), ".zip": zipped({"t.csv": delimited(table())}), ".elf": b"\x7fELF" * 99}
    contents |= {
        ".pdf": b"%PDF-1.7\n" + dice.randbytes(400),
        ".random": dice.randbytes(3_000),
        ".png": b"\x89PNG\r\n\x1a\n",
    }
    contents[".tar"] = tarred()
    database.unlink()
    real = dice.choice(sorted(contents))
    suffix = dice.choice(
        [
            *FORMS,
            ".db",
            ".sqlite",
            ".xml",
            ".eval",
            ".zip",
            ".txt",
            ".html",
            ".tar",
            ".ods",
            ".arrow",
            ".yaml",
        ]
    )
    return Case(f"{real} as {suffix}", [put(folder, f"t{suffix}", contents[real])], TRUTH)


def tarred() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        info = tarfile.TarInfo("r.jsonl")
        info.size = len(RUN)
        archive.addfile(info, io.BytesIO(RUN))
    return content.getvalue()


@kind
def places(dice: random.Random, folder: Path) -> Case:
    """Make inputs that are not plain files (links, pipes, sockets, devices, folders), and unprintable names."""
    what = dice.choice(
        ["loop", "zero", "pipe", "socket", "folder", "full folder", "gone", "closed", "name", "null", "tty"]
    )
    suffix = dice.choice([*TEXTS, ".parquet", ".xlsx", ".eval", ".xml", ".zip", ".tar", ".csv.gz"])
    name, made = f"t{suffix}", list[list[Any]]()
    path, truth = folder / name, None
    if what == "loop":
        path.symlink_to(path.name)
    elif what in ("zero", "null", "tty"):
        path.symlink_to(f"/dev/{what}")
    elif what == "gone":
        path.symlink_to("nowhere")
    elif what in ("pipe", "socket"):
        made.append([what, name])
    elif what == "folder":
        path.mkdir()
        (path / "loop").symlink_to("..")
    elif what == "full folder":
        for i in range(150):
            put(folder, f"{name}/{i % 40}/{i}.csv", b"x" if i % 7 else delimited(table()))
    elif what == "closed":
        put(folder, name, b"x")
        path.chmod(0)
    else:
        odd = dice.choice(["\x1b]0;x\x07", "\n", "\u202e", "a" * 240, "-o", "*", "'; DROP", " ", "%s", "{0}"])
        form = dice.choice(sorted(FORMS))
        name, truth = put(folder, f"{odd}{form}", FORMS[form](table())), TRUTH
    return Case(f"{what} called {name!r}", [name], truth, made=made)


@kind
def named(dice: random.Random, folder: Path) -> Case:
    """Name runs and questions with terminal commands, paths, formulas or endless texts."""
    odd = dice.choice(
        ["\x1b[31m", "\x1b]8;;http://x\x07", "\u202e", "../../x", "=1+1", "<script>", "a" * 100_000, "\r\n", "\0", "{x}",
         "%s%n", "NaN", "null", "-", "", " ", "\ud800", "\U000e0041", "$(id)", "a\tb"]
    )  # fmt: skip
    suffix = dice.choice([".json", ".jsonl", ".csv", ".parquet"])
    which = dice.choice([0, 1])
    rows = []
    for row in table():
        cells = list(row)
        if which == 0 and cells[0] == "ana":
            cells[0] = odd
        if which == 1 and cells[1] == "q3":
            cells[1] = odd
        rows.append(tuple(cells))
    counts = {odd if which == 0 and run == "ana" else run: each for run, each in TRUTH.items()}
    try:
        content = FORMS[suffix](rows)  # type: ignore[arg-type]
    except (UnicodeEncodeError, ValueError):
        content = json.dumps(objects(rows)).encode()  # type: ignore[arg-type]
        suffix = ".json"
    return Case(f"{odd[:8]!r} in {suffix}", [put(folder, f"t{suffix}", content)], counts)


@kind
def logs(dice: random.Random, folder: Path) -> Case:
    """Take an excerpt of a tool's log, and cut, replace, nest, lengthen or widen it."""
    from tests.formats.excerpts import EVERY

    name = dice.choice(sorted(EVERY))
    excerpt = EVERY[name]
    place = folder / "log"
    for one, path in zip(excerpt.paths, excerpt.files, strict=True):
        (place / one).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(path, place / one) if path.is_dir() else shutil.copyfile(path, place / one)
    victim = dice.choice(sorted(path for path in place.rglob("*") if path.is_file()))
    content = victim.read_bytes()
    what = dice.choice(
        ["cut", "bits", "nul", "nested", "long", "wide", "sparse", "utf-16", "numbers", "values", "empty"]
    )
    value = re.compile(rb'(":\s*)("[^"\\]*"|[0-9.]+|true|false|null)')
    places_ = [*value.finditer(content)]
    chosen = dice.choice(places_) if places_ else None

    def instead(new: bytes) -> bytes:
        if chosen is None:
            at = dice.randrange(len(content))
            return content[:at] + new + content[at + dice.randrange(4) :]
        return content[: chosen.start()] + chosen[1] + new + content[chosen.end() :]

    if what == "cut":
        content = content[: dice.randrange(1, max(2, len(content) - 2))]
    elif what == "bits":
        held = bytearray(content)
        for _ in range(dice.choice([1, 5, 50])):
            held[dice.randrange(len(held))] = dice.randrange(256)
        content = bytes(held)
    elif what == "nul":
        content = instead(b"\0\0")
    elif what == "nested":
        content = instead(
            b"[" * 100_000 + b"]" * 100_000 if dice.random() < 0.5 else b'{"a":' * 300 + b"1" + b"}" * 300
        )
    elif what == "long":
        content = instead(b'"' + b"a" * dice.choice([MB, 80 * MB]) + b'"')
    elif what == "wide":
        content = instead(b"{" + b",".join(b'"k%d":1' % i for i in range(100_000)) + b"}")
    elif what == "utf-16":
        content = content.decode("utf-8", "replace").encode("utf-16")
    elif what == "numbers":
        content = instead(dice.choice([b"1e400", b"9" * 5_000, b"-1", b"NaN", b"1e-400", b"9" * 400]))
    elif what == "values":
        content = instead(
            dice.choice([b"null", b"[]", b"{}", b'""', b"true", b"[null]", b'{"": 0}', b'"\\ud800"', b"0"])
        )
    elif what == "empty":
        content = b""
    victim.write_bytes(content)
    if what == "sparse":
        os.truncate(victim, 20 * GB)
    sound = what == "cut" and victim.suffix in (".json", ".eval") and bool(excerpt.counts)
    # Without one file a log may be a smaller valid log: only for a single file do we know that nothing was lost.
    truth = dict(excerpt.counts) if sound and len([*place.rglob("*")]) == 1 else None
    files = [str(Path("log") / one) for one in excerpt.paths]
    return Case(f"{what} in {victim.name} of {name}", files, truth, excerpt.arguments())


# ---- commands ----

READING = ("score", "compare", "check", "convert")
_CHOICES = ("--ungraded", "--missing", "--judge", "--empty", "--unparsed", "--choose", "--declined-pattern")


def commands(case: Case) -> Iterator[list[str]]:
    """Yield the commands for the files.

    The first two do not draw, because that takes most of the time of small files.
    """
    files = [f"./{name}" for name in case.files]
    if case.sheet:
        yield ["campaign", "collect", "campaign", *files]
        return
    judged = [word for word in case.options if not word.startswith("--judge")]
    short = ["--resamples", "50"]
    yield ["score", *files, *case.options, *short, "-f", "json"]
    yield ["compare", *files, *case.options, *short, "-f", "json"]
    yield ["check", *files, *judged]
    yield ["convert", *files, "out.csv", *case.options]
    yield ["campaign", "intake", "campaign", *files, "--group", "alpha"]


def attack(folder: Path) -> None:
    """Run each command on the files of a folder in a separate process, and write down the results."""
    from nescio.cli.app import run

    case = Case(**json.loads((folder / "case.json").read_text()))
    os.chdir(folder)
    held = []
    for what, name in case.made:
        if what == "pipe":
            os.mkfifo(name)
        else:
            held.append(socket.socket(socket.AF_UNIX))
            held[-1].bind(name)
    resource.setrlimit(resource.RLIMIT_AS, (10 * GB, 10 * GB))  # leaves memory for other programs
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with open("/dev/null", "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    with open("report.jsonl", "w") as report:
        for number, words in enumerate(commands(case)):
            done: dict[str, Any] = {"number": number, "words": words}
            print(json.dumps(done), file=report, flush=True)
            for stream, place in ((1, f"{number}.out"), (2, f"{number}.err")):
                opened = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(opened, stream)
                os.close(opened)
            before = resource.getrusage(resource.RUSAGE_SELF)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.setitimer(signal.ITIMER_REAL, _WALL)
            try:
                run(words)
                status: Any = None
            except SystemExit as end:
                status = end.code
            except BaseException:
                traceback.print_exc()
                status = 70
            sys.stdout.flush()
            sys.stderr.flush()
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            after = resource.getrusage(resource.RUSAGE_SELF)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            done |= {"status": status, "seconds": seconds, "peak": after.ru_maxrss << 10}
            print(json.dumps(done), file=report, flush=True)


def serve() -> None:
    """Fork a process for each folder named on standard input, and print how it ended."""
    import duckdb  # noqa: F401  # what every command imports, once
    import lxml.etree  # noqa: F401
    import numpy as np  # noqa: F401

    from nescio.cli.derive import command_named

    for name in ("score", "compare", "check", "convert", "campaign"):
        command_named(name)
    for line in sys.stdin:
        process = os.fork()
        if not process:
            attack(Path(line.rstrip("\n")))
            os._exit(0)
        _, status = os.waitpid(process, 0)
        print(status, flush=True)


class Server:
    """The process that forks; each case is one line to it."""

    def __init__(self, template: Path) -> None:
        self.template = template
        command = [sys.executable, "-m", "tests.hostile", "serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def met(self, make: Kind, seed: str, folder: Path) -> list[str]:
        """Make a case, run the commands, and return the faults in their behaviour."""
        folder.mkdir(parents=True)
        case = make(random.Random(seed), folder)
        (folder / "case.json").write_text(json.dumps(vars(case)))
        shutil.copytree(self.template, folder / "campaign")
        stdin, stdout = self.process.stdin, self.process.stdout
        assert isinstance(stdin, io.TextIOBase)
        assert isinstance(stdout, io.TextIOBase)
        stdin.write(f"{folder}\n")
        stdin.flush()
        ended = os.waitstatus_to_exitcode(int(stdout.readline()))
        return [f"{case.what}: {fault}" for fault in faults(case, folder, ended)]

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)


def campaign(folder: Path) -> Path:
    """Return a campaign with a pool and a sheet, which receives runs."""
    import nescio
    from tests.campaign import made

    opened = made.pooled(folder, {"beta_r": [f"thing {i}" for i in range(6)]}, ["ana"])
    assert not nescio.campaign.verify(opened).rows
    return opened


# ---- faults ----


def faults(case: Case, folder: Path, ended: int) -> Iterator[str]:
    """Yield the forbidden effects of a case."""
    report: dict[int, dict[str, Any]] = {}
    words: list[str] = []
    for line in (folder / "report.jsonl").read_text().splitlines():
        done = json.loads(line)
        report[done["number"]] = done
    for number, done in report.items():
        what = " ".join(done["words"][: 2 if done["words"][0] == "campaign" else 1])
        if "status" not in done:
            names = {-signal.SIGPROF: f"more than {SECONDS} s", -signal.SIGALRM: f"waits for more than {_WALL} s"}
            yield f"{what}: {names.get(ended, f'the process ended with {ended}')}"
            continue
        err = (folder / f"{number}.err").read_text(encoding="utf-8", errors="replace")
        out = (folder / f"{number}.out").read_bytes()
        status = done["status"]
        messages = [one for one in err.splitlines() if one.startswith("nescio: ")]
        if "Traceback" in err or status == 70:
            yield f"{what}: a traceback, {err.strip().splitlines()[-1][:200]}"
        elif status not in (0, 2, 1, 3):
            yield f"{what}: exit status {status}"
        elif status == 2 and what != "campaign intake" and not (messages or out.strip()):
            yield f"{what}: refused without a word"
        if done["peak"] > MEMORY:
            yield f"{what}: {done['peak'] / GB:.1f} GB"
        if b"\x1b" in out or "\x1b" in err or "\u202e" in err:
            yield f"{what}: a control character reaches the terminal"
        if what == "score":
            words = ["refused"] * bool(status) + said(err)
        if what == "convert":
            yield from wrong(case, folder, status, [*words, *said(err)])
    left = [path.name for path in folder.rglob(".*") if DRAFT.fullmatch(path.name)]
    if left:
        yield f"drafts are left: {left[:3]}"


def said(err: str) -> list[str]:
    """Return the notes on standard error, except those about few questions."""
    return [one for one in err.splitlines() if one.startswith("note: ") and "treat the" not in one]


def wrong(case: Case, folder: Path, status: int, words: Sequence[object]) -> Iterator[str]:
    """Yield the faults of a converted table.

    It is there only in part, or it has other counts and neither it nor the scores report that.
    """
    path = folder / "out.csv"
    if status:
        if path.exists():
            yield "convert: refused, and there is an output"
        return
    if not path.exists():
        yield "convert: accepted, and there is no output"
        return
    counts = counted(path)
    if case.truth is not None and counts != case.truth and not words:
        yield f"convert: in silence {str(counts)[:200]}"


def counted(path: Path) -> Counts:
    """Return the counts of the outcomes of each run in a table."""
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8-sig", newline="") as file:
        found = Counter((row.get("run", ""), row.get("outcome", "")) for row in csv.DictReader(file))
    return {run: tuple(found[run, state] for state in OUTCOMES) for run, _ in found}  # type: ignore[misc]


def numbered(kinds: Sequence[str], many: range) -> Iterator[tuple[int, str, str]]:
    """Yield cases in turn: the number, the name of a kind, and its seed."""
    for i in many:
        name = kinds[i % len(kinds)]
        yield i, name, f"{SEED}:{name}:{i // len(kinds)}"


def main(many: range, kinds: Sequence[str], place: Path) -> None:
    """Run cases, and print the failed ones and the number of each kind."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    server, fallen, tried = Server(campaign(place / "template")), Counter[str](), Counter[str]()
    for i, name, seed in numbered(kinds, many):
        folder, tried[name] = place / f"{i:04}-{name}", tried[name] + 1
        found = server.met(KINDS[name], seed, folder)
        for fault in found:
            print(f"{folder.name} ({seed}): {fault}", flush=True)
        fallen[name] += bool(found)
        if not found:
            shutil.rmtree(folder)
    print(f"{tried.total()} files, {fallen.total()} fell: {dict(fallen)}")
    server.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        first, _, end = sys.argv[1].rpartition("-")
        place, *kinds = sys.argv[2:] or ["hostile"]
        main(range(int(first or 0), int(end)), kinds or [*KINDS], Path(place))
