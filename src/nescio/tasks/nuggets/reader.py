r"""Definition questions as text or JSON Lines: nugget keys, the strings of runs, and assessors' mappings.

Text in TREC's manner, with cells separated by white space:

    key      `qid nugget vital|okay text`; several assessors: `vital,okay,vital`, or a file each
    run      `qid Q0 docid rank score tag text`, the strings of a response in the order of their ranks
    mapping  `qid run rank nugget[,nugget…] [assessor]`; - for the nugget: assessed, and nothing found; - for an
             unknown rank

JSON Lines:

    key      `{"id", "target"?, "nuggets": [{"id"?, "text", "vital": true | {"assessor": true, …}, "weight"?}],
             …strata}`
    run      `{"id", "strings": [text | {"text", "doc"?}], "confidence"?, "run"?}`; an empty list is an abstention
    mapping  `{"id", "run", "nugget", "rank"?, "assessor"?}`

Without a mapping nuggets are matched automatically (`--choose automatic=count|idf|embedding`), and everything says so.
With several assessors, `--choose assessors=majority|each|NAME`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nescio.errors import FormatError, MismatchError, collected
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.documents import cells_of
from nescio.sources.json import as_text
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES, Source, name_runs
from nescio.tables.collection import identifier
from nescio.tasks.nuggets.parts import NOTHING, At, Keys, Mapped, Said, check, number, to_evidence
from nescio.tasks.nuggets.scoring import Nugget
from nescio.tasks.trec.judgements import is_judged_in_numbers
from nescio.text import finite

KEY, RUN, MAPPING = "gold", "answers", "mapping"
LABELS = {"vital": True, "okay": False}
_OWN = ("id", "target", "nuggets")


def recognise(source: Source) -> str | None:
    """Recognise text by the cells of its first line, or JSON Lines by the keys of the first object."""
    if source.suffix in LINES:
        have = {*source.columns}
        if "id" not in have:
            return None
        return (
            KEY if "nuggets" in have else RUN if "strings" in have else MAPPING if {"run", "nugget"} <= have else None
        )
    if source.kind != "text":
        return None
    cells = str(source.first).split()
    if len(cells) >= 4 and _labels(cells[2]):
        return KEY
    if len(cells) >= 7 and _whole(cells[3]) is not None and finite(cells[4]) is not None:
        return RUN
    ranked = len(cells) in (4, 5) and (_whole(cells[2]) is not None or cells[2] == NOTHING)
    # Four cells may also be qrels of numbered documents.
    of_documents = len(cells) == 4 and (_whole(cells[1]) is not None or cells[1].upper() == "Q0")
    return MAPPING if ranked and not of_documents and not is_judged_in_numbers(cells) else None


def _labels(cell: str) -> list[bool] | None:
    words = cell.lower().split(",")
    return [LABELS[word] for word in words] if all(word in LABELS for word in words) else None


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


@reader(
    "nuggets",
    about=(
        "definition questions: nugget keys (qid nugget vital|okay text), runs (qid Q0 docid rank score tag text),"
        " mappings"
    ),
    recognise=recognise,
    text=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read a key (one file, or one per assessor), any number of runs, and the assessors' mappings."""
    by_part = by_role(parts)
    if not by_part[KEY]:
        raise MismatchError(f"{parts[0][1].label} is {_WHAT[parts[0][0]]}: also give the key of nuggets")
    keys, responses = read_keys(by_part[KEY], options), Said()
    for source, name in zip(by_part[RUN], name_runs(by_part[RUN]), strict=True):
        read_run(source, name, responses)
    check(keys, responses)
    mapped: list[Mapped] = []
    for source in by_part[MAPPING]:
        mapped += _json_mapping(source) if source.suffix in LINES else _text_mapping(source)
    if by_part[MAPPING] and not mapped:
        raise MismatchError(f"{by_part[MAPPING][0].label} holds no line of a mapping")
    _no_match_twice(mapped)
    _nothing_beside_matches(mapped)
    return to_evidence(keys, responses, mapped, options)


_WHAT = {RUN: "a run of answer strings", MAPPING: "a mapping of nuggets"}


def _no_match_twice(mapped: Sequence[Mapped]) -> None:
    seen: dict[tuple[object, ...], int] = {}
    for row in mapped:
        key = (row.run, row.target, row.rank, row.nugget, row.assessor)
        if key in seen:
            raise row.at.fail(f"this match is already on line {seen[key]}", row.nugget or NOTHING)
        seen[key] = row.at.line


def _nothing_beside_matches(mapped: Sequence[Mapped]) -> None:
    """Raise FormatError if an assessor's mapping contradicts itself about a response or a string.

    It contradicts itself if one line says that no nugget was found ("-"), and another line names a nugget.
    """
    matched = [(row.run, row.target, row.assessor, row.rank) for row in mapped if row.nugget is not None]
    strings, responses = {*matched}, {key[:3] for key in matched}
    for row in mapped:
        key = row.run, row.target, row.assessor
        if row.nugget is None and (key in responses if row.rank is None else (*key, row.rank) in strings):
            place = "response" if row.rank is None else "string"
            rule = f"this line says that no nugget was found, but other lines name nuggets found in the same {place}"
            raise row.at.fail(rule, f"{row.target} {row.run}")


def _lines(source: Source, most: int) -> Iterator[tuple[list[str], At]]:
    return ((cells, At(source, line)) for cells, line in cells_of(source, most))


# ---- keys ----


def read_keys(sources: Sequence[Source], options: ReadOptions | None = None) -> Keys:
    """Return the targets with the nuggets of a key, which is one file, or one file for each assessor.

    Raises FormatError with the first invalid line.
    """
    keys = Keys()
    for source in sources:
        _key(source, source.stem if len(sources) > 1 else "", keys, options or ReadOptions())
    return keys


def _key(source: Source, file: str, keys: Keys, options: ReadOptions) -> None:
    if source.suffix in LINES:
        for row, line in json_lines(source):
            _json_target(At(source, line), row, file, keys, options)
        return
    people: dict[str, int] = {}
    for cells, at in _lines(source, 4):
        labels = _labels(cells[2]) if len(cells) == 4 else None
        if labels is None:
            raise at.fail("a line of a key is `qid nugget vital|okay text`", " ".join(cells))
        if people.setdefault(cells[0], len(labels)) != len(labels):
            several = "s" if len(labels) > 1 else ""
            earlier = f"earlier lines of question {cells[0]} have {people[cells[0]]}"
            rule = f"this line has {len(labels)} label{several}, but {earlier}"
            raise at.fail(rule, cells[2])
        single = len(labels) == 1
        vital = {file if single else f"{file}{' ' if file else ''}{i}": label for i, label in enumerate(labels, 1)}
        keys.add(at, cells[0], Nugget(cells[1], cells[3], vital))


def _json_target(at: At, row: dict[str, Any], file: str, keys: Keys, options: ReadOptions) -> None:
    target, nuggets = identifier(at.source, row, at.line), row.get("nuggets")
    if not isinstance(nuggets, list) or not all(isinstance(item, dict) for item in nuggets):
        raise at.fail(
            "nuggets must be a list of objects; an empty list means that the collection does not define the target",
            nuggets,
        )
    keys.nuggets.setdefault(target, {})
    keys.texts.setdefault(target, as_text(row.get("target")) or "")
    keys.strata.setdefault(
        target,
        options.kept({name: as_text(value) or "" for name, value in row.items() if name not in _OWN}),
    )
    names = Counter(_nugget_id(at, nugget, i) for i, nugget in enumerate(nuggets, 1))
    twice = next((name for name, times in names.items() if times > 1), None)
    if twice is not None:
        raise at.fail(f"nugget {twice} of question {target} appears twice", twice)
    for i, nugget in enumerate(nuggets, 1):
        text, written = nugget.get("text"), nugget.get("weight")
        if not isinstance(text, str) or not text.strip():
            raise at.fail("the text of a nugget must not be empty", text)
        weight = number(written)
        if written is not None and (weight is None or not 0 <= weight <= 1):
            raise at.fail("a weight must be a number from 0 to 1", written)
        vital = _json_labels(at, nugget.get("vital"), file)
        keys.add(at, target, Nugget(_nugget_id(at, nugget, i), text.strip(), vital, weight))


def _nugget_id(at: At, nugget: dict[str, Any], place: int) -> str:
    return identifier(at.source, nugget, at.line) if "id" in nugget else str(place)


def _json_labels(at: At, labels: Any, file: str) -> dict[str, bool]:
    if isinstance(labels, bool):
        return {file: labels}
    if isinstance(labels, dict) and labels and all(isinstance(label, bool) for label in labels.values()):
        return {f"{file} {name}".strip(): label for name, label in labels.items()}
    raise at.fail(
        'vital must be true or false, or an object with true or false for each assessor ({"A": true})', labels
    )


# ---- runs ----


def read_run(source: Source, name: str, responses: Said, faults: list[FormatError] | None = None) -> None:
    """Add the responses in one file to `responses`, as a run called `name` unless the lines themselves name the run.

    Raises FormatError at the first invalid line; with `faults`, such errors are collected there instead.
    """
    if source.suffix in LINES:
        for row, line in json_lines(source, faults=faults):
            with collected(faults):
                _json_response(At(source, line), row, name, responses)
        return
    lines = []
    for cells, at in _lines(source, 7):
        with collected(faults):
            if len(cells) < 7 or _whole(cells[3]) is None or finite(cells[4]) is None:
                raise at.fail("a line of a run is `qid Q0 docid rank score tag text`", " ".join(cells))
            lines.append((cells, at))
    for cells, at in lines:
        target, _, document, rank, _, tag, text = cells
        with collected(faults):
            responses.run(at, tag)
            responses.where.setdefault((tag, target), at)
            responses.add(at, (tag, target), int(rank), text, document)


def _json_response(at: At, row: dict[str, Any], name: str, responses: Said) -> None:
    run, strings, sure = row.get("run", name), row.get("strings"), row.get("confidence")
    if not isinstance(run, str) or not run.strip():
        raise at.fail("run must be a text", run)
    if not isinstance(strings, list) or not all(isinstance(_text_of(string), str) for string in strings):
        raise at.fail('strings must be a list of texts, or of {"text", "doc"}', strings)
    if sure is not None and number(sure) is None:
        raise at.fail("confidence must be a finite number, or null", sure)
    key = run.strip(), identifier(at.source, row, at.line)
    responses.respond(at, key, number(sure), "responds to question")
    for rank, string in enumerate(strings, 1):
        document = as_text(string.get("doc")) if isinstance(string, dict) else None
        responses.add(at, key, rank, _text_of(string), document)


def _text_of(string: Any) -> Any:
    return string.get("text") if isinstance(string, dict) else string


# ---- mappings ----


def _text_mapping(source: Source) -> Iterator[Mapped]:
    for cells, at in _lines(source, 6):
        if len(cells) not in (4, 5) or (_whole(cells[2]) is None and cells[2] != NOTHING):
            raise at.fail("a line of a mapping is `qid run rank nugget[,nugget…] [assessor]`", " ".join(cells))
        nuggets = [None] if cells[3] == NOTHING else cells[3].split(",")
        for nugget in nuggets:
            if nugget == "":
                raise at.fail("the name of a nugget is empty; separate names by one comma", cells[3])
            yield Mapped(at, cells[1], cells[0], _whole(cells[2]), nugget, cells[4] if len(cells) == 5 else "")


def _json_mapping(source: Source) -> Iterator[Mapped]:
    def text(row: dict[str, Any], name: str, at: At, holds: Callable[[Any], bool]) -> str:
        value = row.get(name)
        if isinstance(value, bool) or not holds(value):
            raise at.fail(f"{name} must be a text or a whole number", value)
        return str(value).strip()

    for row, line in json_lines(source):
        at, nugget, rank = At(source, line), row.get("nugget"), row.get("rank")
        if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int) or rank < 0):
            raise at.fail("rank must be a whole number, or null if unknown", rank)
        yield Mapped(
            at,
            text(row, "run", at, lambda v: isinstance(v, str) and bool(v.strip())),
            identifier(at.source, row, at.line),
            rank,
            None if nugget is None else text(row, "nugget", at, lambda v: isinstance(v, (str, int))),
            "" if row.get("assessor") is None else text(row, "assessor", at, lambda v: isinstance(v, str)),
        )
