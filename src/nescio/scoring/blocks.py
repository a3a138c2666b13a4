"""Runs whose answers arrive one after another, in one file or in several: each file is a block, in the order given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, Evidence, with_questions
from nescio.errors import MismatchError, RunInTwoFilesError, UsageError, opt
from nescio.pipeline import Loaded
from nescio.scoring.score import open_data
from nescio.sources.arrow import items_of, told

PURPOSE = "follow one after another"
_KEPT = (*OUTCOMES, "answered")


def open_blocks(source: Any, options: Mapping[str, Any]) -> tuple[Loaded, tuple[str, ...]]:
    """Read files together, or one after another where a run is in two of them; return the data and the file of each
    question. Raises MismatchError for a question that a run answers in two files, and for data without single outcomes,
    UsageError where answers belong together."""
    items = items_of(source)
    try:
        loaded = open_data(source, options)
    except RunInTwoFilesError:
        blocks = [open_data([item], options) for item in items]
        return _joined(blocks, [told([item]) for item in items])
    return loaded, (told(items),) * len(_single_answers(loaded).questions)


def _single_answers(loaded: Loaded) -> Evidence:
    """Return data of single answers; raises UsageError where some belong together, MismatchError for other data."""
    data = with_questions(loaded.data, PURPOSE)
    if data.repeats is not None or data.clusters is not None:
        what = "answers to the same question" if data.repeats is not None else "questions in clusters"
        raise UsageError(f"{what} cannot be followed one by one: each row must be a question of its own")
    if data.origins:
        raise UsageError(f"{opt('ungraded', 'bounds')} splits each run into two, and a stream is one")
    if "correct" not in data.columns or data.answer_rows is not None:
        raise MismatchError("a stream is followed by the outcomes of its questions, and this data has none")
    return data


def _joined(blocks: Sequence[Loaded], files: Sequence[str]) -> tuple[Loaded, tuple[str, ...]]:
    """Return the answers of all blocks, in their order, and the file of each question."""
    parts = [_single_answers(block) for block in blocks]
    runs = tuple(dict.fromkeys(run for part in parts for run in part.runs))
    place: dict[str, int] = {}
    home: list[str] = []
    for part, file in zip(parts, files, strict=True):
        for question in part.questions:
            if question not in place:
                place[question] = len(place)
                home.append(file)
    shape = (len(runs), len(place))
    names = (*_KEPT, "answerable") if any("answerable" in part.columns for part in parts) else _KEPT
    columns = {name: np.full(shape, int(name == "answerable"), dtype=np.int8) for name in names}
    absence = np.full(shape, NO_ROW, dtype=np.uint8)
    for part, file in zip(parts, files, strict=True):
        rows = [runs.index(run) for run in part.runs]
        at = np.ix_(rows, [place[question] for question in part.questions])
        _check_new(part, absence[at], home, place, file)
        given = part.absence != NO_ROW
        absence[at] = np.where(given, part.absence, absence[at])
        for name in names:
            if name in part.columns or name in _KEPT:
                columns[name][at] = np.where(given, part.column(name), columns[name][at])
    data = Evidence(runs, tuple(place), columns, absence)
    notes = tuple(dict.fromkeys(note for block in blocks for note in block.notes))
    judges = tuple(dict.fromkeys(judge for block in blocks for judge in block.judges))
    return replace(blocks[0], data=data, notes=notes, judges=judges, texts=None, in_words=None), tuple(home)


def _check_new(part: Evidence, before: Any, home: Sequence[str], place: Mapping[str, int], file: str) -> None:
    """Raise MismatchError where an earlier file holds an answer of the same run to the same question."""
    twice = np.argwhere((before != NO_ROW) & (part.absence != NO_ROW))
    if len(twice):
        run, question = part.runs[twice[0][0]], part.questions[twice[0][1]]
        raise MismatchError(
            f"run {run!r} answers question {question!r} in both {home[place[question]]} and {file}: an answer counts"
            " once, so leave out the rows that were exported before"
        )
