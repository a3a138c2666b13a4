"""What the writers of folders share: names for files, lines of JSON, and a note on what a format has no place for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, MismatchError
from nescio.formats.registry import Unjudged, takers
from nescio.sources.opening import open_source
from nescio.sources.writing import whole_folder

_STRANGE = re.compile(r"[^\w.@+=,()\[\] -]")
_LONGEST = 100  # bytes: with a prefix and a suffix, what any file system takes


@contextmanager
def folder_of(path: Path, format_: str) -> Iterator[Path]:
    """A folder to fill with files of one format, whole or not at all; raises MismatchError where one would not be taken for it."""
    with whole_folder(path) as folder:
        yield folder
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            name = file.relative_to(folder)
            try:
                source = open_source(file)
                names = [format_.name for format_ in takers(source)]
            except FormatError as error:
                raise MismatchError(f"{path}: {name} could not be read back: {error.rule}") from None
            if names != [format_]:
                what = " or ".join(names) or "no format at all"
                raise MismatchError(f"{path}: {name} would be taken for {what}, because of the names in it")


def file_names(names: Sequence[str], alike: Callable[[str], Hashable] = str.casefold) -> list[str]:
    """A file name (without suffix) for each run that any file system takes; no two are `alike`."""
    found: list[str] = []
    taken: set[Hashable] = set()
    for name in names:
        plain = _STRANGE.sub("_", name).encode()[:_LONGEST].decode(errors="ignore").strip(" .") or "run"
        stem, number = plain, 1
        while alike(stem) in taken:
            number += 1
            stem = f"{plain}-{number}"
        taken.add(alike(stem))
        found.append(stem)
    return found


def renamed(names: Sequence[str], files: Sequence[str]) -> list[str]:
    """A note on the runs that bear the name of their file from now on."""
    other = [f"{name!r} {file}" for name, file in zip(names, files, strict=True) if name != file]
    if not other:
        return []
    shown = ", ".join(other[:3]) + (f" and {len(other) - 3:,} more" if len(other) > 3 else "")
    return [f"{many(len(other), 'run')} called by the name of their file: {shown}"]


def many(n: int, what: str) -> str:
    """A number of things."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def what_is(found: Unjudged) -> str:
    """How many questions and runs were written."""
    questions, runs = many(len(found.collection.questions), "question"), many(len(found.runs), "run")
    return f"{questions} and {runs}"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines; half of a surrogate pair, which UTF-8 has no place for, becomes a question mark."""
    import json

    with path.open("wb") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode(errors="replace") + b"\n")


def write_document(path: Path, document: Any) -> None:
    """Write one JSON document, as lines are written."""
    import json

    path.write_bytes(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(errors="replace") + b"\n")


def _texts(found: Unjudged) -> Iterator[str]:
    for question in found.collection.questions:
        yield from (question.id, question.text, *question.answers, *question.options, *question.strata.values())
    for run in found.runs:
        yield from (response.answer for response in run.responses if response.answer is not None)


def _halved(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def left_out(found: Unjudged, format_: str, holds: Collection[str], strata: Collection[str] = ()) -> list[str]:
    """A note that counts what a format has no place for; `holds` names what it has one for, of the keys below."""
    questions = found.collection.questions
    responses = [response for run in found.runs for response in run.responses]
    labels = dict.fromkeys(name for question in questions for name in question.strata if name not in strata)
    counted = {
        "options": many(sum(bool(q.options) for q in questions), "question") + " with options",
        "answers": many(sum(q.answerable is False and bool(q.answers) for q in questions), "unanswerable question")
        + " with answers",
        "clusters": many(sum(q.cluster is not None for q in questions), "cluster mark"),
        "stories": many(sum(bool(q.story) for q in questions), "question") + " with a story",
        "accepted": many(sum(q.accepted is not None for q in questions), "list") + " of accepted sentences",
        "confidence": many(sum(r.confidence is not None for r in responses), "confidence"),
        "candidates": many(sum(r.answer is not None and not r.answered for r in responses), "declined candidate"),
        "ranks": many(sum(r.rank > 1 for r in responses), "answer") + " below rank 1",
        "supports": many(sum(r.support is not None for r in responses), "support"),
        "strata": many(len(labels), "column") + f" of questions ({', '.join(labels)})",
        "more": many(len(found.more), "column") + f" of scores ({', '.join(found.more)})",
        "pairs": many(sum(map(_halved, _texts(found))), "half") + " of a surrogate pair (now ?)",
    }
    lost = [text for name, text in counted.items() if name not in holds and not text.startswith("0 ")]
    return [f"left out, as there is no place for it in {format_}: {', '.join(lost)}"] if lost else []
