"""Read the answers of a run to PAN's problems: scores, decisions, and notes on odd values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.data.dropped import fewer_held
from nescio.data.notes import Note, note
from nescio.errors import FormatError, collected
from nescio.sources.documents import cells_of
from nescio.sources.elements import number
from nescio.sources.json_lines import json_lines, plain_rows
from nescio.sources.source import Source
from nescio.tasks.kit import fault_at
from nescio.tasks.pan.truth import DECIDED, Truth, identifier, shared

# Oddities of an answer: a list with one number, a score outside [0, 1], or a score that contradicts the letter.
LISTED, OUTSIDE, OTHER_SIDE = "listed", "outside", "other side"


class _Answer(Struct, frozen=True):
    """A run's answer to a problem: its score `value`, and its decision `side`.

    The decision is 1 for "same author", 0 for "different authors", and 0.5 for an abstention.
    """

    problem: str
    value: float
    side: float
    line: int


def values_of(
    source: Source, truth: Truth, run: str, notes: list[Note], left_out: Collection[str] = ()
) -> tuple[Array, Array]:
    """Return the scores and the decisions of a run, each of shape (problems,), with 0.5 for missing problems.

    Notes on missing problems, and on odd values, are added to `notes`. The run may also answer problems in `left_out`,
    which do not count.
    """
    odd: Counter[str] = Counter()
    values, sides = answers_of(source, tuple(truth.same), odd=odd, left_out=left_out)
    missing = np.isnan(values)
    values[missing] = 0.5
    if missing.any():
        held = len(values) - int(missing.sum())
        notes.append(fewer_held(f"run {run!r}", (run,), len(values), held, "; the others count as unanswered (0.5)"))
    notes += [_odd_note(run, kind, values=times, clipped="is_human" in source.columns) for kind, times in odd.items()]
    return values, sides


def answers_of(
    source: Source,
    problems: Sequence[str],
    faults: list[FormatError] | None = None,
    odd: Counter[str] | None = None,
    left_out: Collection[str] = (),
) -> tuple[Array, Array]:
    """Return the scores and the decisions in a file, each of shape (problems,).

    A problem that the file lacks has the score NaN and the decision 0.5, an abstention. Answers to problems in
    `left_out` are skipped. Raises FormatError at the first invalid line; with `faults`, such errors are collected there
    instead. Values that are odd but valid are counted in `odd`, keyed by LISTED, OUTSIDE or OTHER_SIDE.
    """
    index = {problem: i for i, problem in enumerate(problems)}
    values, sides = np.full(len(index), np.nan), np.full(len(index), 0.5)
    odd = Counter() if odd is None else odd
    plain = None if source.kind == "text" else _at_once(source, index, odd)
    if plain is not None:
        values[plain[0]] = sides[plain[0]] = plain[1]
        return values, sides
    for answer in _said(source, odd, faults) if source.kind == "text" else _scored(source, odd, faults):
        if answer.problem in left_out:
            continue
        at, where = index.get(answer.problem), f"line {answer.line}"
        with collected(faults):
            if at is None:
                rule = "the truth file does not have this problem"
                raise FormatError(source.label, rule, where=where, value=answer.problem)
            if not np.isnan(values[at]):
                raise FormatError(source.label, "the problem appears twice", where=where, value=answer.problem)
            values[at], sides[at] = answer.value, answer.side
    return values, sides


def _odd_note(run: str, kind: str, *, values: int, clipped: bool) -> Note:
    """Return a note that a run has `values` values of the odd `kind`, such as OUTSIDE.

    `clipped` says that values outside [0, 1] are clipped to it, as PAN did in 2024. In 2025, PAN kept them.
    """
    if kind == LISTED:
        return note(
            "pan.listed",
            "run {subject!r}: {values} {values:value/values} given as a list of one number, and read as this number",
            run,
            values=values,
        )
    if kind == OTHER_SIDE:
        return note(
            "pan.other_side",
            "run {subject!r}: {values} {values:value/values} contradict the letter Y or N in the same line; the "
            "letter decides",
            run,
            values=values,
        )
    if clipped:
        return note(
            "pan.clipped",
            "run {subject!r}: {values} {values:value/values} outside [0, 1], clipped to [0, 1] as in the "
            "organisers' evaluator",
            run,
            values=values,
        )
    return note(
        "pan.outside",
        "run {subject!r}: {values} {values:value/values} outside [0, 1]: AUC uses {values:it unchanged/them "
        "unchanged}, Brier clips {values:it/them}, as in the organisers' evaluator",
        run,
        values=values,
    )


def _at_once(source: Source, index: Mapping[str, int], odd: Counter[str]) -> tuple[Array, Array] | None:
    """Return the indices of the problems in a file, and their scores, read in one fast pass.

    The result is None if a row may be invalid or unusual, so that the rows must be read one by one. `index` is keyed by
    problem.
    """
    key = "value" if "value" in source.columns else shared(source) or "value"
    rows = plain_rows(source, id=str, **{key: float | tuple[float]})
    if rows is None:
        return None
    at = [index.get(row.id, -1) for row in rows]
    scores = [getattr(row, key) for row in rows]
    lists = sum(isinstance(score, tuple) for score in scores)
    values = np.array([score[0] if isinstance(score, tuple) else score for score in scores] if lists else scores)
    if -1 in at or len({*at}) < len(at) or not ((values >= 0) & (values <= 1)).all():
        return None
    if lists:
        odd[LISTED] += lists
    return np.array(at), values


def _scored(source: Source, odd: Counter[str], faults: list[FormatError] | None) -> Iterator[_Answer]:
    key = "value" if "value" in source.columns else shared(source) or "value"
    for row, line in json_lines(source, faults=faults):
        with collected(faults):
            problem, score = identifier(source, row, line), row.get(key)
            if isinstance(score, list) and len(score) == 1:
                score = score[0]
                odd[LISTED] += 1
            value = None if isinstance(score, (bool, str)) else number(score)
            within = value is not None and 0 <= value <= 1
            if value is not None and key != "value" and math.isfinite(value) and not within:
                value, within = (min(1.0, max(0.0, value)) if key == "is_human" else value), True
                odd[OUTSIDE] += 1
            if value is None or not within:
                score_read = score if key in row else list(row)
                rule = f"{key} must be a number in [0, 1]"
                shown = repr(score_read) if score_read is None else score_read
                raise fault_at(source, line, rule, shown)
            yield _Answer(problem, value, value, line)


def _said(source: Source, odd: Counter[str], faults: list[FormatError] | None) -> Iterator[_Answer]:
    for words, line in cells_of(source):
        with collected(faults):
            decided = DECIDED.get(words[1]) if len(words) in (2, 3) else None
            score = words[2] if len(words) == 3 else words[-1]
            value = decided if len(words) == 2 and decided is not None else number(score)
            if value is None or not 0 <= value <= 1 or (len(words) == 3 and decided is None) or len(words) < 2:
                rule = (
                    "a line of answers is a problem and a number in [0, 1], or Y, N or -, or one of these and a number"
                )
                raise fault_at(source, line, rule, " ".join(words))
            if decided is not None and (value - 0.5) * (decided - 0.5) < 0:
                odd[OTHER_SIDE] += 1
            yield _Answer(words[0], value, value if decided is None else decided, line)
