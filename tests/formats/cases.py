"""What readers are tested with, as data: `tests/data/readers/FORMAT.toml` holds the excerpts and the cases of a format.

[[excerpt]]  `name`, `paths` in `tests/data/excerpts` or `examples/logs`, `options`, and `counts` by run: correct, incorrect
             and unanswered (`excerpts.py`)
[files]      the sound files, by name, for all cases of the file; a case changes, adds or loses some
[template]   objects by name; a table with `like = "name"` is that object, changed, and one with `excerpt = "path"` is
             what an excerpt holds
[rows]       where the rows of a case go: `file`, `at` (a key in its document), `like`, and the key that `number`s them
[damage]     options under which damaged files are read
[[case]]     `says` what must be true; then files, options of reading, and what must be found
[[twins]]    broken twins of the sound files, or of `files`, a line each. `rows`: place, rule, the row after a sound
             one; `lines`: file, place, rule, the line after a sound file; `edits`: file, place, rule, old, new;
             `documents`: file, place, rule, change
[[real]]     a case of files beside the checkout, where they are

Files. A text is written as it is; a list of objects as the suffix says (JSON, JSON Lines, CSV, Parquet); a table as a
JSON document, or as the members of an archive. Where a file was sound, a table changes it. In a change, "<null>" is
null and "<lost>" takes the key or the file away; where a list was, the keys are places in it, and "+" goes to its end.
`rows` are laid out as [rows] says, `times` of each; `table` is one table, in all encodings or those of `encodings`;
`edit` replaces texts: file, old, new; `add` appends: file, text. `given` names what is read, "." the folder.

What must be found. `states`: a letter an answer, C correct, I incorrect, U unanswered, S silence that is correct,
x incorrect and not an answer, and . nothing; a text of one run or a table of all, "" where there are no outcomes.
`clusters`: numbered in the order of their first questions. `counts`: of the correct, incorrect, unanswered and absent. `notes`: parts of notes; `only` all of them; `unsaid` parts
of none. `error`: the rule, with its `place` in the file `of`, or its `kind` of error. `also`: the same files read with
other options. {folder} and {path} stand for the folder of the case.
"""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import nescio
from nescio.data.evidence import Evidence
from nescio.errors import FormatError, MismatchError, NescioError, UnknownNameError, UsageError
from tests.notes import in_words

from .encodings import ENCODINGS, LEFT, encode, read, refusal
from .excerpts import READERS, place_of
from .fuzz import write_files

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
KINDS: dict[str, type[NescioError]] = {
    "format": FormatError,
    "mismatch": MismatchError,
    "usage": UsageError,
    "name": UnknownNameError,
}
OPTIONS = {"choose", "column", "declined_pattern", "empty", "format_in", "graded", "judge", "max_unpacked", "missing"}
OPTIONS |= {"outcome_map", "rest", "total", "ungraded"}
FILES = {"files", "rows", "table", "encodings", "edit", "add", "given", "shared"}
FOUND = {"states", "counts", "questions", "runs", "columns", "strata", "repeats", "clusters", "size", "measures"}
FOUND |= {"score", "notes", "only", "unsaid", "error", "place", "of", "kind", "format"}


def changed(sound: Any, change: Any, templates: Mapping[str, Any]) -> Any:
    """Return a value changed by a table of a case."""
    if change == "<null>":
        return None
    if isinstance(change, list):
        return [changed(None, item, templates) for item in change]
    if not isinstance(change, dict):
        return change
    if "excerpt" in change:
        text = place_of(change["excerpt"]).read_text(encoding="utf-8")
        sound = json.loads(text) if change["excerpt"].endswith(".json") else text
        return changed(sound, {key: value for key, value in change.items() if key != "excerpt"} or sound, templates)
    if "like" in change:
        sound = changed(None, templates[change["like"]], templates) if change["like"] else {}
        if len(change) == 1:
            return sound
    if isinstance(sound, list):
        items = list(sound)
        for key, value in change.items():
            if key == "+":
                items.append(changed(None, value, templates))
            else:
                items[int(key)] = changed(items[int(key)], value, templates)
        return items
    found = copy.deepcopy(sound) if isinstance(sound, dict) else {}
    for key, value in change.items():
        if value == "<lost>":
            del found[key]
        elif key != "like":
            found[key] = changed(found.get(key), value, templates)
    return found


def written(name: str, content: Any) -> str | bytes:
    """Return the content of a file in the format of its suffix."""
    if isinstance(content, str | bytes):
        return content
    if name.endswith((".eval", ".zip")):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, held in content.items():
                archive.writestr(member, written(member, held))
        return packed.getvalue()
    if name.endswith(".parquet"):
        table = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(content), table)
        return table.getvalue()
    if isinstance(content, list) and not name.endswith((".json", ".json-test")):
        return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in content)
    return json.dumps(content)


@dataclass(frozen=True)
class Case:
    """A case of a reader: its input, and its expected result."""

    reader: str
    says: str
    held: dict[str, Any] = field(compare=False)

    def __post_init__(self) -> None:
        known = OPTIONS | FILES | FOUND | {"says", "also"}
        for part in (self.held, *self.held.get("also", ())):
            assert known >= {*part}, f"{self}: {known ^ {*part} - known}"
            assert FOUND & {*part}, f"{self} expects nothing"

    def __str__(self) -> str:
        return f"{self.reader}: {self.says}"

    def files(self) -> dict[str, Any]:
        """Return the contents of the files, before they are written."""
        reader = READERS[self.reader]
        templates = reader.get("template", {})
        contents = {name: changed(None, content, templates) for name, content in reader.get("files", {}).items()}
        for name, change in self.held.get("files", {}).items():
            if change == "<lost>":
                del contents[name]
            else:
                contents[name] = changed(contents.get(name), change, templates)
        if "rows" in self.held:
            self._laid_out(contents, templates)
        for name, old, new in self.held.get("edit", ()):
            text = written(name, contents[name])
            assert isinstance(text, str), f"{self}: {name} is no text"
            assert old in text, f"{self}: {name} has no {old!r}"
            contents[name] = text.replace(old, new)
        for name, text in self.held.get("add", ()):
            contents[name] = str(written(name, contents[name])) + text
        return contents

    def texts(self) -> dict[str, str | bytes]:
        """Return the files as they are written."""
        return {name: written(name, held) for name, held in self.files().items()}

    def _laid_out(self, contents: dict[str, Any], templates: Mapping[str, Any]) -> None:
        layout, rows = READERS[self.reader]["rows"], []
        for row in self.held["rows"]:
            if not isinstance(row, dict):
                rows.append(row)
                continue
            for _ in range(row.get("times", 1)):
                number = layout.get("numbers", "{}").format(len(rows) + layout.get("first", 1))
                base = {"like": layout["like"]} if "like" in layout else {}
                base |= {layout["number"]: int(number) if number.isdecimal() else number} if "number" in layout else {}
                own = {key: value for key, value in row.items() if key != "times"}
                rows.append(changed(changed(None, base, templates), own, templates))
        name = layout["file"]
        if "at" not in layout:
            contents[name] = rows
            return
        *above, last = layout["at"].split(".")
        inside = contents[name]
        for key in above:
            inside = inside[key]
        inside[last] = rows

    def given(self, folder: Path) -> Iterator[Any]:
        """Yield the input of the reader, once or in each encoding."""
        if "shared" in self.held:
            yield [path for pattern in self.held["shared"] for path in _beside(pattern)]
            return
        if "table" in self.held:
            templates = READERS[self.reader].get("template", {})
            rows = changed(None, self.held["table"], templates)
            for encoding in self.held.get("encodings", ENCODINGS):
                yield encode(rows, encoding, folder)
            return
        paths = write_files(folder, self.texts())
        names = self.held.get("given")
        if names is None:
            yield paths if len(paths) > 1 else paths[0]
        elif isinstance(names, str):
            yield folder / names
        else:
            yield [folder / name if (folder / name).exists() else place_of(name) for name in names]

    def check(self, folder: Path) -> None:
        """Read the files and compare the result with the expected one."""
        for given in self.given(folder):
            for part in ({name: held for name, held in self.held.items() if name not in FILES}, *self._others()):
                options = {name: _option(value) for name, value in part.items() if name in OPTIONS}
                if "error" in part:
                    _check_error(given, options, part, folder)
                elif FOUND & {*part}:
                    _check_found(given, options, part, folder)

    def _others(self) -> list[dict[str, Any]]:
        first = {name: held for name, held in self.held.items() if name in OPTIONS}
        return [first | other for other in self.held.get("also", ())]


def _beside(pattern: str) -> list[Path]:
    """Return files beside the checkout."""
    found = sorted(SHARED.glob(pattern))
    if not SHARED.exists():
        pytest.skip("the shared files are not beside the checkout")
    assert found, pattern
    return found


def _option(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _filled(value: Any, folder: Path) -> Any:
    """Return the value with the names of the folder in its texts."""
    if isinstance(value, str):
        return value.replace("{folder}", folder.name).replace("{path}", str(folder))
    if isinstance(value, list):
        return [_filled(item, folder) for item in value]
    if isinstance(value, dict):
        return {_filled(key, folder): _filled(item, folder) for key, item in value.items()}
    return value


def _check_error(given: Any, options: dict[str, Any], part: Mapping[str, Any], folder: Path) -> None:
    message = str(refusal(given, KINDS[part.get("kind", "format")], **options))
    assert _filled(part["error"], folder) in message, message
    if "of" in part or "place" in part:
        file = folder / part["of"] if "of" in part else given
        start = f"{file}, {part['place']}: " if part.get("place") else f"{file}: "
        assert message.startswith(start), message


def states_of(data: Evidence) -> dict[str, str]:
    """Return the states of the answers of each run, one letter each."""
    if "correct" not in data.columns:
        return dict.fromkeys(data.runs, "")
    answered = data.columns.get("answered", 1 - data.columns["unanswered"])

    def letter(run: int, question: int) -> str:
        if not data.present[run, question]:
            return "."
        silent = not answered[run, question]
        if data.columns["correct"][run, question]:
            return "S" if silent else "C"
        if data.columns["incorrect"][run, question]:
            return "x" if silent else "I"
        return "U" if data.columns["unanswered"][run, question] else "?"

    return {run: "".join(letter(r, q) for q in range(len(data.questions))) for r, run in enumerate(data.runs)}


def _check_found(given: Any, options: dict[str, Any], part: Mapping[str, Any], folder: Path) -> None:
    loaded = read(given, **options)
    data, notes = loaded.data, in_words(loaded.notes)
    wanted = {name: _filled(value, folder) for name, value in part.items() if name in FOUND}
    if "format" in wanted:
        assert loaded.format == wanted["format"]
    if "measures" in wanted:
        assert [name for name in loaded.measures if name in wanted["measures"]] == wanted["measures"], loaded.measures
    if "only" in wanted:
        assert list(notes) == wanted["only"], notes
    for words in wanted.get("notes", ()):
        assert any(words in note for note in notes), (words, notes)
    for words in wanted.get("unsaid", ()):
        assert not any(words in note for note in notes), (words, notes)
    if "score" in wanted:
        scores = nescio.score(given, list(wanted["score"]), ci=None, **{**LEFT, **options})
        for measure, value in wanted["score"].items():
            values = [row.value for row in scores if row.measure == measure]
            assert values == pytest.approx(value if isinstance(value, list) else [value]), measure
    assert isinstance(data, Evidence)
    _check_data(data, wanted)


def _check_data(data: Evidence, wanted: Mapping[str, Any]) -> None:
    if "states" in wanted:
        states = states_of(data)
        found = states if isinstance(wanted["states"], dict) else "|".join(states.values())
        assert found == wanted["states"], found
    if "counts" in wanted:
        counted = [int((data.columns[n] * data.present).sum()) for n in ("correct", "incorrect", "unanswered")]
        counted.append(int((~data.present).sum()))
        assert counted[: len(wanted["counts"])] == wanted["counts"], counted
    for name in ("runs", "questions"):
        if name in wanted:
            assert list(getattr(data, name)) == wanted[name], getattr(data, name)
    for name, values in wanted.get("columns", {}).items():
        if values == "<lost>":
            assert name not in data.columns
        else:
            rows = values if isinstance(values[0], list) else [values]
            assert_allclose(data.columns[name], np.array(rows, dtype=float), rtol=1e-9, err_msg=name)
    for name, values in wanted.get("strata", {}).items():
        assert [data.strata[name].tolist() if name in data.strata else "<lost>"] == [values], name
    if "repeats" in wanted:
        assert ([] if data.repeats is None else list(data.repeats.label)) == wanted["repeats"]
    if "clusters" in wanted:
        order: dict[int, int] = {}
        clusters = [] if data.clusters is None else list(data.clusters)
        numbered = [order.setdefault(cluster, len(order)) for cluster in clusters]
        assert numbered == wanted["clusters"], numbered
    if "size" in wanted:
        assert data.size == wanted["size"]


def _twins(reader: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of the broken twins."""
    templates = READERS[reader].get("template", {})
    for group in READERS[reader].get("twins", ()):
        options, files = group.get("options", {}), group.get("files", {})
        for place, rule, row in group.get("rows", ()):
            yield _twin(READERS[reader]["rows"]["file"], place, rule, {"rows": [{}, row], "files": files}, options)
        for name, place, rule, line in group.get("lines", ()):
            yield _twin(name, place, rule, {"add": [[name, f"{line}\n"]], "files": files}, options)
        for name, place, rule, old, new in group.get("edits", ()):
            yield _twin(name, place, rule, {"edit": [[name, old, new]], "files": files}, options)
        for name, place, rule, change in group.get("documents", ()):
            own = changed(changed(None, files[name], templates), change, templates) if name in files else change
            yield _twin(name, place, rule, {"files": files | {name: own}}, options)


def _twin(of: str, place: str, rule: str, held: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    return {"says": f"{of}: {rule}", "of": of, "place": place, "error": rule, **held, **options}


def _cases(kind: str, twins: Callable[[str], Iterable[dict[str, Any]]]) -> dict[str, list[Case]]:
    cases = {
        reader: [Case(reader, one["says"], one) for one in (*held.get(kind, ()), *twins(reader))]
        for reader, held in READERS.items()
    }
    return {reader: found for reader, found in cases.items() if found}


CASES, REAL = _cases("case", _twins), _cases("real", lambda _: ())
