"""Change one value of a log, and tell what a comparison of the changed log with the log itself rests on."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nescio.data.kept import held_in_words
from nescio.data.outcomes import Outcomes
from nescio.errors import NescioError
from nescio.pipeline import Options, load
from nescio.scoring.grounds import why_unfit

from .excerpts import Excerpt

Path_ = tuple[str | int, ...]
_SAMPLE = re.compile(r"\d+|samples/\d+_epoch_\d+\.json|\{.*|HumanEval/\d+")  # keys that name one of many samples


class Content:
    """The content of a file: `held` is a JSON value, or the contents of the members of an archive."""

    def __init__(self, name: str, raw: bytes) -> None:
        self.kind, self.form = name.rpartition(".")[2], None
        self.held: Any
        if self.kind == "parquet":
            table = pq.read_table(io.BytesIO(raw))
            self.form, self.held = table.schema, table.to_pylist()
        elif self.kind == "eval":
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                self.held = {member: Content(member, archive.read(member)) for member in archive.namelist()}
        elif self.kind == "csv":
            self.held = list(csv.DictReader(io.StringIO(raw.decode())))
        else:
            lines = raw.decode().splitlines()
            try:
                self.kind, self.held = "json", json.loads(raw)
            except ValueError:
                self.kind, self.held = "lines", [json.loads(line) for line in lines if line.strip()]

    def written(self) -> bytes:
        """Return the content as a file."""
        packed, text = io.BytesIO(), io.StringIO()
        if self.kind == "parquet":
            pq.write_table(pa.Table.from_pylist(self.held, schema=self.form), packed)
            return packed.getvalue()
        if self.kind == "eval":
            with zipfile.ZipFile(packed, "w") as archive:
                for name, member in self.held.items():
                    archive.writestr(name, member.written())
            return packed.getvalue()
        if self.kind == "csv":
            table = csv.DictWriter(text, list(self.held[0]))
            table.writeheader()
            table.writerows(self.held)
            return text.getvalue().encode()
        if self.kind == "lines":
            return "".join(f"{json.dumps(row)}\n" for row in self.held).encode()
        return json.dumps(self.held).encode()

    def leaves(self) -> Iterator[tuple[Path_, Any]]:
        """Yield the path and the value of each text, number and truth value."""
        yield from _leaves(self, ())

    def put(self, path: Path_, value: Any) -> None:
        """Put a value at a path."""
        place: Any = self
        for part in path[:-1]:
            place = (place.held if isinstance(place, Content) else place)[part]
        (place.held if isinstance(place, Content) else place)[path[-1]] = value


def _leaves(value: Any, path: Path_) -> Iterator[tuple[Path_, Any]]:
    if isinstance(value, Content):
        yield from _leaves(value.held, path)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _leaves(part, (*path, i))
    elif isinstance(value, (str, int, float)):
        yield path, value


def kind_of(path: Path_) -> str:
    """Return a path with # for the places in lists, and for the names of samples."""
    return ".".join("#" if _SAMPLE.fullmatch(str(part)) else str(part) for part in path)


def _others(value: Any) -> list[Any]:
    """Return values like this one that differ from it: the other verdict, one more, or other words in each line."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [1 - value, value + 1] if value in (0, 1) else [value + 1]
    if value.lower() in ("true", "false"):
        return ["False" if value.lower() == "true" else "True"]
    try:
        return [str(other) for other in _others(float(value))]
    except ValueError:
        return [f"{value} changed".replace("\n", " changed\n")]


class Changed:
    """A copy of an excerpt's files in a folder, of which single values are changed."""

    def __init__(self, excerpt: Excerpt, folder: Path) -> None:
        self.excerpt, self.files, self.given = excerpt, list[Path](), list[Path]()
        for place in excerpt.files:
            base = folder.joinpath(*place.parts[place.parts.index("tests" if "tests" in place.parts else "examples") :])
            self.given.append(base)
            for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if file.is_file():
                    copy = base / file.relative_to(place)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_bytes(Content(file.name, file.read_bytes()).written())
                    self.files.append(copy)

    def unseen(self) -> Iterator[str]:
        """Yield the kinds of values that may change without a trace in what comparisons rest on."""
        before = self.evidence()
        assert before[0], before
        for file in self.files:
            raw = file.read_bytes()
            places: dict[str, list[tuple[Path_, Any]]] = {}
            for path, value in Content(file.name, raw).leaves():
                places.setdefault(kind_of(path), []).append((path, value))
            for kind, every in places.items():
                some = [every[0], every[len(every) // 2], every[-1]]
                # Equal values of a slow format are tried once, and one place once.
                chosen = {value if file.suffix == ".parquet" else path: (path, value) for path, value in some}
                tried = [(path, other) for path, value in chosen.values() for other in _others(value)]
                if all(self._with(file, raw, path, other) == before for path, other in tried):
                    yield kind
            file.write_bytes(raw)

    def lost(self) -> Iterator[str]:
        """Yield the kinds of values that state who graded, or what was asked, and whose absence leaves no trace.

        Of the answers that state such a value, one no longer does.
        """
        before = self.evidence()
        for file in self.files:
            raw = file.read_bytes()
            places: dict[str, list[tuple[Path_, Any]]] = {}
            for path, value in Content(file.name, raw).leaves():
                places.setdefault(kind_of(path), []).append((path, value))
            nothing = "" if file.suffix == ".csv" else None
            for kind, every in places.items():
                given = [(path, value) for path, value in every if value not in (False, "", "default")]
                stating = [path for path, value in given if self._states(file, raw, path, value, before)]
                if len(stating) > 1 and all(self._with(file, raw, path, nothing) == before for path in stating):
                    yield kind
            file.write_bytes(raw)

    def _states(self, file: Path, raw: bytes, path: Path_, value: Any, before: tuple[Any, ...]) -> bool:
        """Return whether another value at a path shows another grader, question or gold answer."""
        after = self._with(file, raw, path, _others(value)[0])
        return after[0] and after[1] == before[1] and after[3:5] != before[3:5]

    def _with(self, file: Path, raw: bytes, path: Path_, value: Any) -> tuple[Any, ...]:
        content = Content(file.name, raw)
        content.put(path, value)
        file.write_bytes(content.written())
        return self.evidence()

    def evidence(self) -> tuple[Any, ...]:
        """Return what comparisons and gates rest on: the data, the words of questions and gold answers, who judged,
        which answers are lost, and why no gate can rest on a run; or (False, the error)."""
        try:
            found = load(self.given, Options(**self.excerpt.options, written=True))
        except NescioError as error:
            return False, str(error)
        outcomes = found.whole.data if found.whole is not None else None
        words = outcomes.words if isinstance(outcomes, Outcomes) else None
        said = None if words is None else words.tolist()
        lost = tuple(held_in_words(found.notes).items())
        runs = found.data.runs
        unfit = [why_unfit(found.notes, run, runs) for run in runs]
        return True, found.data.digest(), runs, said, [str(judge) for judge in found.judges], lost, unfit
