"""What the members, columns and headings of people's files are called: read without any of the readers of nescio."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

# What a part of an answer may be called, in the formats that people use.
NAMES = {
    "question": r"question|problem|prompt|input|query|ctx|instruction|vars",
    "gold": r"gold|target|expected|reference|correct.?answer|ideal|ground.?truth|true.?label|assert",
    "answer": r"answer|response|output|completion|predict|^pred|generat|sampled|resps",
    "confidence": r"confiden|certain|log.?prob|probability|max_prob|na_prob|odds",
    "reason": r"reason|explanation|rationale|critique|comment|feedback|justif",
}

Held = dict[str, list[Any]]  # of each name the plain values under it


def names_in(path: Path) -> Held:
    """Return the names in a file, or in all files of a folder."""
    held: Held = {}
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            _of_file(file, held)
    return held


def called(held: Held, part: str) -> dict[str, list[Any]]:
    """Return the names that may mean this part, with their values."""
    return {name: values for name, values in held.items() if len(name) < 60 and re.search(NAMES[part], name, re.I)}


def _of_file(path: Path, held: Held) -> None:
    name = path.name.removesuffix("-test")
    if name.endswith(".eval"):
        for text in _members(path):
            _walk(json.loads(text), held)
    elif name.endswith((".json", ".jsonl")):
        text = path.read_text(encoding="utf-8-sig")
        try:
            _walk(json.loads(text), held)
        except ValueError:
            for line in filter(str.strip, text.splitlines()):
                _walk(json.loads(line), held)
    elif name.endswith((".csv", ".csv.gz", ".parquet")):
        rows = duckdb.execute(f"SELECT * FROM '{path}' LIMIT 1000")
        columns = [column[0] for column in rows.description or ()]
        for column, values in zip(columns, zip(*rows.fetchall(), strict=True), strict=True):
            held.setdefault(column, []).extend(values)
    elif name.endswith(".html"):
        text = path.read_text(encoding="utf-8")
        for heading in re.findall(r"<h\d>(.*?)</h\d>|<p>([\w ]+):", text):
            held.setdefault("".join(heading), []).append("")
    else:  # lines "Name: text", or a table of tabs without a head
        for label in re.findall(r"^(\w+):", path.read_text(encoding="utf-8", errors="replace"), re.M):
            held.setdefault(label, []).append("")


def _walk(value: Any, held: Held) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            if part not in (None, "", [], {}):
                held.setdefault(name, []).append(part if not isinstance(part, (dict, list)) else ...)
            _walk(part, held)
    elif isinstance(value, list):
        for part in value:
            _walk(part, held)


def _members(path: Path) -> Iterator[str]:
    """Yield the samples of a log of Inspect."""
    import zipfile

    import zstandard

    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for info in archive.infolist():
            if not info.filename.startswith("samples/"):
                continue
            if info.compress_type != 93:
                yield archive.read(info).decode()
                continue
            file.seek(info.header_offset + 26)  # the lengths of the name and of what follows it, before the data
            lengths = [int.from_bytes(file.read(2), "little") for _ in range(2)]
            file.seek(sum(lengths), 1)
            packed = file.read(info.compress_size)
            yield zstandard.ZstdDecompressor().decompressobj().decompress(packed).decode()
