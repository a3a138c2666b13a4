"""Runs that were read from files of several kinds, as runs on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.errors import MismatchError


def join_runs(parts: Sequence[Outcomes]) -> Outcomes:
    """Return the runs of all parts on the questions of all parts; a question that a part lacks is absent from its runs.

    What several parts say of a question (its strata, its cluster) is what the first of them says. Raises MismatchError
    where two parts share no question, name a run alike, disagree on whether a question has an answer, or have repeats.
    """
    if any(part.repeats is not None for part in parts):
        raise MismatchError("runs with repeats of a question cannot be joined with runs of another format")
    first = parts[0]
    for part in parts[1:]:
        if not {*first.questions} & {*part.questions}:
            raise MismatchError(
                f"they share no question (the first are {first.questions[0]!r} and {part.questions[0]!r})"
            )
    runs = [run for part in parts for run in part.runs]
    if twice := next((run for run in runs if runs.count(run) > 1), None):
        raise MismatchError(f"run {twice!r} appears in two files")
    place = {question: i for i, question in enumerate(dict.fromkeys(q for part in parts for q in part.questions))}
    columns = [np.array([place[question] for question in part.questions]) for part in parts]
    starts = np.cumsum([0, *(len(part.runs) for part in parts)])

    def cells(arrays: Sequence[Array | None], empty: object) -> Array | None:
        """Return one value a run and question."""
        given = [array for array in arrays if array is not None]
        if not given:
            return None
        joined: Array = np.full((len(runs), len(place)), empty, dtype=given[0].dtype)
        for array, start, at in zip(arrays, starts, columns, strict=False):
            if array is not None:
                joined[start : start + len(array), at] = array
        return joined

    def per_question(arrays: Sequence[Array | None], empty: Any) -> Array | None:
        """Return one value a question, from the first part that has one."""
        given = [array for array in arrays if array is not None]
        if not given:
            return None
        joined: Array = np.full(len(place), empty, dtype=given[0].dtype)
        for array, at in zip(reversed(arrays), reversed(columns), strict=True):
            if array is not None:
                known = array != empty
                joined[at[known]] = array[known]
        return joined

    answerable = [part.answerable for part in parts]
    joined_answerable = per_question(answerable, -1)
    if joined_answerable is not None:
        for array, at in zip(answerable, columns, strict=True):
            if array is not None and (differs := (array >= 0) & (array != joined_answerable[at])).any():
                question = [*place][at[np.flatnonzero(differs)[0]]]
                raise MismatchError(f"they disagree on whether question {question!r} has an answer")
    clusters = per_question([part.clusters for part in parts], None)
    if clusters is not None:
        clusters = np.array(
            [own if own is not None else name for own, name in zip(clusters, place, strict=True)], object
        )
    state = cells([part.state for part in parts], ABSENT)
    assert state is not None
    names = dict.fromkeys(name for part in parts for name in part.extra_columns)
    strata = dict.fromkeys(name for part in parts for name in part.strata)
    extra = {name: cells([part.extra_columns.get(name) for part in parts], np.nan) for name in names}
    groups = {name: per_question([part.strata.get(name) for part in parts], "") for name in strata}
    return Outcomes(
        tuple(runs),
        tuple(place),
        state,
        confidence=cells([part.confidence for part in parts], np.nan),
        candidate=cells([part.candidate for part in parts], -1),
        answerable=joined_answerable,
        extra_columns={name: values for name, values in extra.items() if values is not None},
        strata={name: values for name, values in groups.items() if values is not None},
        clusters=clusters,
        why=cells([part.why for part in parts], None),
        files=tuple(file for part in parts for file in (part.files or ("",) * len(part.runs))),
        judges=tuple(judge for part in parts for judge in (part.judges or (None,) * len(part.runs))),
        texts=cells([part.texts for part in parts], None),
    )
