"""Define what the writers of folders share: file names, lines of JSON, and notes on data that a format cannot hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nescio.data.model import Run
from nescio.data.notes import Note, note
from nescio.data.reasons import kind_of
from nescio.errors import FormatError, MismatchError
from nescio.formats.registry import Unjudged, matching_formats
from nescio.sources.opening import open_source
from nescio.sources.writing import atomic_folder
from nescio.text import plural

_STRANGE = re.compile(r"[^\w.@+=,()\[\] -]")
_LONGEST = 100  # bytes: any file system takes this many with a prefix and a suffix


@contextmanager
def folder_of(path: Path, format_: str) -> Iterator[Path]:
    """Yield an empty folder for the caller to fill with files of the format `format_`.

    The folder appears at `path` completely or not at all. Raises MismatchError if nescio would not recognise a written
    file as one of this format.
    """
    with atomic_folder(path) as folder:
        yield folder
        for file in sorted(entry for entry in folder.rglob("*") if entry.is_file()):
            name = file.relative_to(folder)
            try:
                source = open_source(file)
                names = [format_.name for format_ in matching_formats(source)]
            except FormatError as error:
                raise MismatchError(f"{path}: {name} could not be read back: {error.rule}") from None
            if names != [format_]:
                what = " or ".join(names) or "no known format"
                raise MismatchError(
                    f"{path}: nescio would read {name} back as {what}, because of the names in this file"
                )


def file_names(names: Sequence[str], alike: Callable[[str], Hashable] = str.casefold) -> list[str]:
    """Return a file name, without suffix, for each of `names`, such as names of runs.

    Strange characters are replaced, so that any file system accepts the file name. If `alike` returns the same for two
    file names (by default, if only their case differs), a number is added to the second.
    """
    stems: list[str] = []
    taken: set[Hashable] = set()
    for name in names:
        plain = _STRANGE.sub("_", name).encode()[:_LONGEST].decode(errors="ignore").strip(" .") or "run"
        stem, number = plain, 1
        while alike(stem) in taken:
            number += 1
            stem = f"{plain}-{number}"
        taken.add(alike(stem))
        stems.append(stem)
    return stems


def renamed(names: Sequence[str], files: Sequence[str]) -> list[Note]:
    """Return a note on the runs whose name is not their file name; `names` and `files` have both names of each run.

    When such a file is read back, the run has the file's name.
    """
    other = [f"{name!r} as {file}" for name, file in zip(names, files, strict=True) if name != file]
    if not other:
        return []
    return [
        note(
            "writer.renamed",
            "{runs:n run} {runs:is/are} named after {runs:its/their} file: {names:list 3}",
            runs=len(other),
            names=other,
        )
    ]


def without_answers(runs: Iterable[Run]) -> list[Note]:
    """Return a note for each run that has no answer, and therefore gets no file."""
    return [
        note("writer.no_answers", "run {subject!r} holds no answer, so it gets no file", run.name)
        for run in runs
        if not run.responses
    ]


def what_is(unjudged: Unjudged) -> str:
    """Return the numbers of questions and of runs as a phrase, such as "3 questions and 2 runs"."""
    return f"{plural(len(unjudged.collection.questions), 'question')} and {plural(len(unjudged.runs), 'run')}"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON Lines. Half of a surrogate pair, which UTF-8 cannot encode, becomes a question mark."""
    import json

    with path.open("wb") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode(errors="replace") + b"\n")


def write_document(path: Path, document: Any) -> None:
    """Write one JSON document, in the same encoding as JSON Lines."""
    import json

    path.write_bytes(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(errors="replace") + b"\n")


def _texts(unjudged: Unjudged) -> Iterator[str]:
    for question in unjudged.collection.questions:
        yield from (question.id, question.text, *question.answers, *question.options, *question.strata.values())
    for run in unjudged.runs:
        yield from (response.answer for response in run.responses if response.answer is not None)


def _halved(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def left_out(unjudged: Unjudged, format_: str, holds: Collection[str], strata: Collection[str] = ()) -> list[Note]:
    """Return a note that counts the data which the format `format_` cannot hold; empty if it can hold all.

    `holds` lists what the format can hold: "options", "answers" and the other keys of `counts` below. `strata` lists
    the strata of questions that it can hold. Raises MismatchError for repeated questions if the format cannot hold
    these.
    """
    questions = unjudged.collection.questions
    responses = [response for run in unjudged.runs for response in run.responses]
    if "repeats" not in holds and any(response.repeat is not None for response in responses):
        raise MismatchError(f"questions were asked several times, but {format_} cannot hold repeats")
    labels = dict.fromkeys(name for question in questions for name in question.strata if name not in strata)
    unanswerable = sum(q.answerable is False and bool(q.answers) for q in questions)
    declined = sum(r.answer is not None and not r.answered for r in responses)
    lacking = sum(kind_of(r.why or "") != "declined" for r in responses)
    columns = dict.fromkeys((*unjudged.extra_columns, *(name for r in responses for name in r.numbers)))
    counts = {  # of each part: how many there are, and the noun with what follows it
        "options": (sum(bool(q.options) for q in questions), "question", " with options"),
        "answers": (unanswerable, "unanswerable question", " with answers"),
        "clusters": (sum(q.cluster is not None for q in questions), "cluster mark", ""),
        "stories": (sum(bool(q.story) for q in questions), "question", " with a story"),
        "accepted": (sum(q.accepted is not None for q in questions), "list", " of accepted sentences"),
        "confidence": (sum(r.confidence is not None for r in responses), "confidence", ""),
        "candidates": (declined, "declined candidate", ""),
        "ranks": (sum(r.rank > 1 for r in responses), "answer", " below rank 1"),
        "supports": (sum(r.support is not None for r in responses), "support", ""),
        "documents": (sum(r.document is not None for r in responses), "name", " of documents"),
        "reasons": (lacking, "reason", " for the lack of an answer, which becomes an abstention"),
        "strata": (len(labels), "column", f" of questions ({', '.join(labels)})"),
        "own gold": (
            sum(len(run.gold) for run in unjudged.runs),
            "list",
            " of a run's own gold answers, which differ from those of the first run",
        ),
        "columns": (len(columns), "column", f" of scores ({', '.join(columns)})"),
        "pairs": (sum(map(_halved, _texts(unjudged))), "half", " of a surrogate pair (written as ?)"),
    }
    lost = [plural(many, noun) + rest for part, (many, noun, rest) in counts.items() if part not in holds and many]
    if not lost:
        return []
    return [
        note(
            "writer.no_place",
            "left out, because {format} cannot hold this: {lost:list}",
            format=format_,
            lost=lost,
        )
    ]
