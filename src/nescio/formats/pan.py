"""PAN authorship verification: `truth.jsonl` and `answers.jsonl`. A score of exactly 0.5, or a missing problem, is silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nescio.errors import FormatError, MismatchError
from nescio.evidence import Array
from nescio.formats._format import Part, Read, ReadOptions, reader
from nescio.formats._source import LINES, WHITE, Source, name_runs
from nescio.formats._tables import json_lines
from nescio.outcomes import CORRECT, INCORRECT, SILENT, Outcomes

MEASURES = ("c@1", "accuracy", "coverage", "pan.F0.5u", "pan.F1", "pan.AUC", "pan.Brier")


def recognise(source: Source) -> str | None:
    """JSON Lines of `id` and `same` (truth), or of `id` and `value` (answers)."""
    if source.suffix not in LINES or "id" not in source.columns:
        return None
    if "same" in source.columns and "value" not in source.columns:
        return "gold"
    return "answers" if "value" in source.columns else None


@reader("pan", about="PAN verification: truth.jsonl (id, same) and answers.jsonl (id, value)", recognise=recognise)
def read(parts: Sequence[Part], options: ReadOptions) -> Read:  # noqa: ARG001  PAN's files have no words for outcomes
    """Read one truth file and the answers of any number of runs, each named by its folder."""
    gold = [source for part, source in parts if part == "gold"]
    answers = [source for part, source in parts if part == "answers"]
    if len(gold) != 1:
        raise MismatchError(
            f"PAN answers need one truth file with them, and {len(gold) or 'none'} {'were' if len(gold) > 1 else 'was'} given"
        )
    if not answers:
        raise MismatchError(f"{gold[0].path} is a PAN truth file; give the answers of the runs with it")
    truth = _truth(gold[0])
    index = {problem: i for i, problem in enumerate(truth)}
    same = np.array(list(truth.values()), dtype=np.int8)
    names = name_runs(answers, generic=("answers",))
    notes: list[str] = []
    values = np.stack([_values(source, index, name, notes) for source, name in zip(answers, names, strict=True)])
    missing = np.isnan(values)
    for run in np.flatnonzero(missing.any(axis=1)):
        notes.append(
            f"run {names[run]!r}: {int(missing[run].sum())} of {len(truth)} problems missing, counted as unanswered (0.5)"
        )
    values[missing] = 0.5
    silent = values == 0.5
    state = np.where(silent, SILENT, np.where((values > 0.5) == (same == 1), CORRECT, INCORRECT)).astype(np.int8)
    # How sure the run is of the side it takes; 0.5 is silence, so it carries no confidence.
    confidence = np.where(silent, np.nan, np.maximum(values, 1 - values))
    more: dict[str, Array] = {"same": np.broadcast_to(same, values.shape).copy(), "value": values}
    files = tuple(str(source.path) for source in answers)
    found = Outcomes(tuple(names), tuple(truth), state, confidence=confidence, more=more, files=files)
    return Read(found, tuple(notes), MEASURES)


def _truth(source: Source) -> dict[str, int]:
    truth: dict[str, int] = {}
    for row, line in json_lines(source):
        problem = _id(source, row, line)
        same = row.get("same")
        if not isinstance(same, bool) and same not in (0, 1):
            raise FormatError(source.path, "same must be true or false", where=f"line {line}", value=same)
        if problem in truth:
            raise FormatError(source.path, "the problem stands here again", where=f"line {line}", value=problem)
        truth[problem] = int(same)
    return truth


def _values(
    source: Source, index: dict[str, int], run: str, notes: list[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.full(len(index), np.nan)
    lists = 0
    for row, line in json_lines(source):
        problem, value = _id(source, row, line), row.get("value")
        if isinstance(value, list) and len(value) == 1:
            value, lists = value[0], lists + 1
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            found = value if "value" in row else list(row)
            raise FormatError(
                source.path,
                "value must be a number in [0, 1]",
                where=f"line {line}",
                value=repr(found) if found is None else found,
            )
        at = index.get(problem)
        if at is None:
            raise FormatError(
                source.path, "the truth file does not have this problem", where=f"line {line}", value=problem
            )
        if not np.isnan(values[at]):
            raise FormatError(source.path, "the problem stands here again", where=f"line {line}", value=problem)
        values[at] = value
    if lists:
        many = f"{lists} values are lists" if lists > 1 else "1 value is a list"
        notes.append(f"run {run!r}: {many} of one number, read as that number")
    return values


def _id(source: Source, row: dict[str, Any], line: int) -> str:
    found = row.get("id")
    if isinstance(found, bool) or not isinstance(found, (str, int)) or not str(found).strip(WHITE):
        raise FormatError(source.path, "id must be a text or a whole number", where=f"line {line}", value=found)
    return str(found).strip(WHITE)
