"""MMLU-Pro result files: JSON arrays of questions with `pred` and the model's text, also inside their ZIP. No letter is silence.

The repository's rule is applied to every text again, because some files hold a random letter where it found none: the answer
is the first letter after "answer is", as in "the answer is (C)".
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nescio.errors import FormatError, MismatchError
from nescio.formats._format import Part, Read, ReadOptions, reader
from nescio.formats._graded import SAID_SO, Graded, choose, declined, outcomes_of
from nescio.formats._source import WHITE, Source, first_line
from nescio.formats._tables import as_text, json_lines
from nescio.formats._whole import printable, read_member
from nescio.outcomes import CORRECT, INCORRECT, SILENT

KEYS = {"question_id", "options", "answer", "pred"}
TEXTS = ("generated_text", "model_outputs", "response")
NO_LETTER, EMPTY = "without an answer in the asked form", "empty"
_STRICT = re.compile(r"answer is \(?([A-J])\)?")
_NAME = re.compile(r"^(?:model_outputs_)?(.+?)(?:_\d+_?shots?)?$")
_HEAD = 1 << 14


def recognise(source: Source) -> str | None:
    """A JSON array (or JSON Lines) of objects with `question_id`, `options`, `answer` and `pred`; or a ZIP of such arrays."""
    if source.kind == "archive":
        names = _members(source)
        return "results" if source.suffix == ".zip" and names and _begins(source, names[0]) else None
    if source.kind == "lines" or (source.kind == "document" and isinstance(source.document, list)):
        return "results" if set(source.columns) >= KEYS and "outcome" not in source.columns else None
    return None


def _members(source: Source) -> list[str]:
    return [name for name in source.members if name.lower().endswith(".json") and not name.startswith("__MACOSX/")]


def _begins(source: Source, name: str) -> bool:
    """Whether a member begins as an array of questions does; a damaged one does not."""
    assert source.path is not None
    try:
        with zipfile.ZipFile(source.path) as archive, archive.open(name) as member:
            head = member.read(_HEAD).lstrip()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError):
        return name.rpartition("/")[2].startswith("model_outputs_")  # the reader will say what is wrong with it
    return head.startswith(b"[") and b'"question_id"' in head


@dataclass(slots=True)
class _Seen:
    """What was met in a run."""

    random: int = 0
    other: int = 0
    textless: int = 0


@dataclass(slots=True)
class _Reading:
    """What all files share: how a letter is found, what was met, and what each question was to every run."""

    extract: str
    options: ReadOptions
    seen: dict[str, _Seen] = field(default_factory=dict)
    kinds: dict[str, set[int]] = field(default_factory=dict)


@reader(
    "mmlu-pro",
    about="MMLU-Pro results: question_id, options, answer, pred and the model's text, as JSON or in a ZIP",
    recognise=recognise,
)
def read(parts: Sequence[Part], options: ReadOptions) -> Read:
    """Read result files, each a run named by its file, or by its folder where there is a file a category (`law_result.json`).

    `--choose extract=pred` believes `pred` instead of the text.
    """
    sources = [source for _, source in parts]
    extract = choose(options, "extract", ["strict", "pred"], "rules") if "extract" in options.choose else "strict"
    reading = _Reading(extract, options)
    rows: list[Graded] = []
    taken: dict[tuple[str, str], str] = {}
    for source in sources:
        for label, name, folder, items in _files(source):
            whole = not name.endswith("_result")
            run = _NAME.sub(r"\1", name) if whole else folder
            key = run, "" if whole else name
            if key in taken or (whole and any(run == other for other, _ in taken)):
                raise MismatchError(
                    f"{taken.get(key, label)} and {label} would both be run {run!r}; rename one of them"
                )
            taken[key] = label
            rows += [_grade(source, run, item, where, reading) for item, where in items]
    notes = _notes(reading)
    found = outcomes_of(rows, sources[0].label, options, notes)
    return Read(found, tuple(notes))


def _files(source: Source) -> Iterator[tuple[str, str, str, Iterator[tuple[Any, str]]]]:
    """Each array in a source: what messages call it, its stem, its folder, and its items with their places."""
    assert source.path is not None
    own = (source.packed.path if source.packed else source.path).absolute().parent.name
    if source.kind == "lines":
        items = ((item, f"line {line}") for item, line in json_lines(source))
        yield str(source.label), source.stem, own, items
    elif source.kind == "document":
        yield str(source.label), source.stem, own, _numbered(source.document, "")
    else:
        for name in _members(source):
            *folders, file = name.split("/")
            folder = folders[-1] if folders else source.stem
            yield f"{source.label}, member {printable(name)}", file[: -len(".json")], folder, _of_member(source, name)


def _of_member(source: Source, name: str) -> Iterator[tuple[Any, str]]:
    import json

    import msgspec

    assert source.path is not None
    text = read_member(source.path, name)
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:
            document = json.loads(text)  # NaN and Infinity, which some tools write
        except (ValueError, RecursionError):
            rule = f"not a JSON document: {first_line(error)}"
            raise FormatError(source.label, rule, where=f"member {printable(name)}") from None
    if not isinstance(document, list):
        raise FormatError(
            source.label, "an array of questions is expected", where=f"member {printable(name)}", value=document
        )
    yield from _numbered(document, f"member {printable(name)}, ")


def _numbered(items: Sequence[Any], place: str) -> Iterator[tuple[Any, str]]:
    for number, item in enumerate(items, 1):
        yield item, f"{place}item {number}"


def strict(text: str) -> str | None:
    """The letter that the repository's strict rule finds in a text: the first after "answer is"."""
    found = _STRICT.search(text)
    return found[1] if found else None


def _grade(source: Source, run: str, item: Any, where: str, reading: _Reading) -> Graded:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=where, value=value)

    if not isinstance(item, dict):
        raise fail("each item must be a JSON object", item)
    name, pred, gold = item.get("question_id"), item.get("pred"), item.get("answer")
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip(WHITE):
        raise fail("question_id must be a text or a whole number", name)
    if not isinstance(gold, str) or not gold.strip(WHITE):
        raise fail("answer must be a letter", gold)
    if pred is not None and not isinstance(pred, str):
        raise fail("pred must be a letter or null", pred)
    text = next((as_text(item[key]) for key in TEXTS if item.get(key) is not None), None)
    said, why = _letter(pred.strip(WHITE) if pred else None, text, reading, run)
    gold = gold.strip(WHITE)
    kind = repr((item.get("question"), item.get("options"), gold))
    reading.kinds.setdefault(str(name).strip(WHITE), set()).add(hash(kind))
    strata = {key: item[key] for key in ("category", "src") if isinstance(item.get(key), str)}
    state = SILENT if said is None else CORRECT if said == gold else INCORRECT
    return Graded(run, str(name).strip(WHITE), state, why=why, strata=strata, where=where, path=source.label)


def _letter(pred: str | None, text: str | None, reading: _Reading, run: str) -> tuple[str | None, str | None]:
    """The letter that an answer is read as, and why there is none."""
    seen = reading.seen.setdefault(run, _Seen())
    if declined(reading.options, text):
        return None, SAID_SO
    if text is None:
        seen.textless += 1
        return pred or None, None if pred else NO_LETTER
    found = strict(text)
    seen.random += found is None and bool(pred)
    seen.other += found is not None and found != pred
    said = found if reading.extract == "strict" else pred or None
    return said, None if said else NO_LETTER if text.strip() else EMPTY


def _notes(reading: _Reading) -> list[str]:
    notes = []
    believed = reading.extract == "pred"
    for run, seen in reading.seen.items():
        if seen.random:
            then = "believed, as asked" if believed else "read as unanswered (--choose extract=pred believes them)"
            notes.append(
                f'run {run!r}: {seen.random} letters in pred do not come of the text by the rule "answer is (X)", and are '
                f"random or of a looser rule: {then}"
            )
        if seen.other:
            then = "pred is believed, as asked" if believed else "the text is read"
            notes.append(f"run {run!r}: {seen.other} texts say another letter than pred: {then}")
        if seen.textless:
            notes.append(f"run {run!r}: {seen.textless} answers have no text: pred is read as it stands")
    if differing := sum(len(kinds) > 1 for kinds in reading.kinds.values()):
        notes.append(
            f"{differing} of {len(reading.kinds)} questions are not the same in all files (text, options or answer differ): "
            "each run is graded by its own file"
        )
    return notes
