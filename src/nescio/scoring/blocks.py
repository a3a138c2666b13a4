"""Read runs whose answers arrive in blocks: each file is a block, in the given order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import NO_ROW, Evidence, with_questions
from nescio.errors import MismatchError, RunInTwoFilesError, UsageError, opt
from nescio.pipeline import Loaded
from nescio.scoring.score import open_data
from nescio.sources.arrow import items_of, told


def open_blocks(source: Any, options: Mapping[str, Any]) -> tuple[Loaded, Evidence]:
    """Return the files as loaded, and their data.

    The files are read together or, if a run is in two files, as consecutive blocks. Raises MismatchError if a run
    answers a question in two files, or if the data lacks outcomes of single questions. Raises UsageError if questions
    were asked several times or are clustered.
    """
    try:
        loaded = open_data(source, options)
        return loaded, _single_answers(loaded)
    except RunInTwoFilesError:
        items = items_of(source)
        blocks = [open_data([item], options) for item in items]
    parts = {told([item]): _single_answers(block) for item, block in zip(items, blocks, strict=True)}
    runs = tuple(dict.fromkeys(run for part in parts.values() for run in part.runs))
    place = {
        question: i for i, question in enumerate(dict.fromkeys(q for part in parts.values() for q in part.questions))
    }
    absence = np.full((len(runs), len(place)), NO_ROW, dtype=np.uint8)
    names: tuple[str, ...] = (*OUTCOMES, "answered")
    if any("answerable" in part.columns for part in parts.values()):
        names = (*names, "answerable")
    columns = {name: np.full(absence.shape, int(name == "answerable"), dtype=np.int8) for name in names}
    for file, part in parts.items():
        for row, run in enumerate(part.runs):
            given = np.flatnonzero(part.absence[row] != NO_ROW)
            at = runs.index(run), np.array([place[part.questions[i]] for i in given], dtype=np.int64)
            if (absence[at] != NO_ROW).any():
                question = part.questions[given[np.argmax(absence[at] != NO_ROW)]]
                raise MismatchError(
                    f"{file}: run {run!r} answers question {question!r} in this file and in an earlier one, but "
                    "each answer counts only once; leave out the rows that an earlier file has"
                )
            absence[at] = part.absence[row, given]
            for name in names:
                if name != "answerable" or name in part.columns:
                    columns[name][at] = part.column(name)[row, given]
    data = Evidence(runs, tuple(place), columns, absence)
    notes = tuple(dict.fromkeys(note for block in blocks for note in block.notes))
    judges = tuple(dict.fromkeys(judge for block in blocks for judge in block.judges))
    return replace(blocks[0], data=data, notes=notes, judges=judges, texts=None, in_words=None), data


def _single_answers(loaded: Loaded) -> Evidence:
    """Return the data if each row is the outcome of a separate question.

    Raises UsageError for repeated or clustered questions, and MismatchError for data without outcomes of questions.
    """
    data = with_questions(loaded.data, "follow one after another")
    if data.repeats is not None or data.clusters is not None:
        what = "answers to the same question" if data.repeats is not None else "questions in clusters"
        raise UsageError(f"a stream cannot hold {what}: each row must be a separate question")
    if data.origins:
        raise UsageError(
            f"{opt('ungraded', 'bounds')} gives two results per run, but a stream needs one; use another value"
        )
    if "correct" not in data.columns or data.answer_rows is not None:
        raise MismatchError("a stream needs outcomes of its questions, but this data has none")
    return data
