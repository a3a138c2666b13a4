"""Join runs that were read from files of several formats into runs on the same questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nescio.data.columns import Array
from nescio.data.kept import GRADES
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.data.policy_notes import said_by_some
from nescio.data.scales import ranges_differ
from nescio.errors import MismatchError, differs_between_runs


def join_runs(parts: Sequence[Outcomes], strata: Sequence[str] = ()) -> Outcomes:
    """Return the runs of all parts together, on the questions of any part; a run lacks the questions of other parts.

    If several parts have a stratum or a cluster of a question, that of the first part is taken. Raises MismatchError if
    parts share no question, have runs with equal names, or have repeats. Also raises it if they disagree on one of the
    `strata`, or on whether a question has an answer.
    """
    _check(parts)
    for name in strata:
        _check_stratum(parts, name)
    place = {question: i for i, question in enumerate(dict.fromkeys(q for part in parts for q in part.questions))}
    columns = [np.array([place[question] for question in part.questions]) for part in parts]

    def cells(name: str, empty: object) -> Array | None:
        return _cells([getattr(part, name) for part in parts], parts, columns, empty)

    def per_question(arrays: Sequence[Array | None], empty: object) -> Array | None:
        return _per_question(arrays, columns, len(place), empty)

    state = cells("state", ABSENT)
    assert state is not None
    clusters = per_question([part.clusters for part in parts], None)
    if clusters is not None:
        clusters = np.where(clusters == np.array(None, dtype=object), np.array([*place], dtype=object), clusters)
    names = dict.fromkeys(name for part in parts for name in part.extra_columns)
    extra = {name: _cells([part.extra_columns.get(name) for part in parts], parts, columns, np.nan) for name in names}
    names = dict.fromkeys(name for part in parts for name in part.strata)
    joined = {name: per_question([part.strata.get(name) for part in parts], "") for name in names}
    return Outcomes(
        tuple(run for part in parts for run in part.runs),
        tuple(place),
        state,
        confidence=cells("confidence", np.nan),
        candidate=cells("candidate", -1),
        answerable=per_question([part.answerable for part in parts], -1),
        extra_columns={name: values for name, values in extra.items() if values is not None},
        strata={name: values for name, values in joined.items() if values is not None},
        clusters=clusters,
        why=cells("why", None),
        files=tuple(file for part in parts for file in (part.files or ("",) * len(part.runs))),
        judges=tuple(judge for part in parts for judge in (part.judges or (None,) * len(part.runs))),
        texts=cells("texts", None),
        words=cells("words", None),
        kept={GRADES: {run: text for part in parts for run, text in part.kept.get(GRADES, {}).items()}},
        scores_only=any(part.scores_only for part in parts),
    )


def notes_on_joined(parts: Sequence[Outcomes]) -> list[Note]:
    """Return notes on grades on two scales, and on questions for which only some runs say if they have an answer."""
    differ = ranges_differ(pair for part in parts for pair in part.kept.get(GRADES, {}).items())
    questions = [*dict.fromkeys(question for part in parts for question in part.questions)]
    place = {question: at for at, question in enumerate(questions)}
    columns = [np.array([place[question] for question in part.questions]) for part in parts]
    known = [None if part.answerable is None else np.tile(part.answerable, (len(part.runs), 1)) for part in parts]
    answerable = _cells(known, parts, columns, -1)
    given = _cells([part.state != ABSENT for part in parts], parts, columns, False)
    if answerable is None or given is None:
        return differ
    return differ + said_by_some([run for part in parts for run in part.runs], given, answerable, questions)


def _check(parts: Sequence[Outcomes]) -> None:
    """Raise MismatchError if `join_runs` cannot join the parts."""
    if any(part.repeats is not None for part in parts):
        raise MismatchError(
            "runs that repeat questions cannot be joined with runs of another format; score them separately"
        )
    first = parts[0]
    for part in parts[1:]:
        if not {*first.questions} & {*part.questions}:
            raise MismatchError(
                f"the files share no question; they begin with {first.questions[0]!r} and {part.questions[0]!r}"
            )
    runs = [run for part in parts for run in part.runs]
    if twice := next((run for run in runs if runs.count(run) > 1), None):
        raise MismatchError(f"run {twice!r} appears in two files")
    known: dict[str, int] = {}
    for part in parts:
        answerable = [-1] * len(part.questions) if part.answerable is None else part.answerable.tolist()
        for question, has_answer in zip(part.questions, answerable, strict=True):
            if has_answer >= 0 and known.setdefault(question, has_answer) != has_answer:
                raise MismatchError(f"the files disagree on whether question {question!r} has an answer")


def _check_stratum(parts: Sequence[Outcomes], name: str) -> None:
    """Raise MismatchError if two parts have different values of the stratum `name` for a question, or only one has a
    value."""
    known: dict[str, tuple[str, str, str]] = {}
    for part in parts:
        values = part.strata.get(name, [""] * len(part.questions))
        shown = part.runs[0], part.files[0] if part.files else "in memory"
        for question, value in zip(part.questions, values, strict=True):
            before = known.setdefault(question, (*shown, value))
            if before[2] != value:
                raise differs_between_runs(name, question, before, (*shown, value))


def _cells(
    arrays: Sequence[Array | None], parts: Sequence[Outcomes], columns: Sequence[Array], empty: object
) -> Array | None:
    """Return one array of the values of all parts, shape (all runs, all questions); None if no part has an array.

    `columns` has the index of each part's questions among all questions. `empty` is the value for a run whose part
    lacks the question or the array.
    """
    kind = next((array.dtype for array in arrays if array is not None), None)
    if kind is None:
        return None
    size = 1 + max(int(at.max()) for at in columns)
    rows = []
    for array, part, at in zip(arrays, parts, columns, strict=True):
        wide: Array = np.full((len(part.runs), size), empty, dtype=kind)
        if array is not None:
            wide[:, at] = array
        rows.append(wide)
    return np.concatenate(rows)


def _per_question(arrays: Sequence[Array | None], columns: Sequence[Array], size: int, empty: object) -> Array | None:
    """Return one value per question, from the first part that has one; None if no part has such values.

    `columns` has the index of each part's questions among all `size` questions. `empty` is the value for other
    questions.
    """
    kind = next((array.dtype for array in arrays if array is not None), None)
    if kind is None:
        return None
    joined: Array = np.full(size, empty, dtype=kind)
    for array, at in zip(reversed(arrays), reversed(columns), strict=True):
        if array is not None:
            known = array != np.array(empty, dtype=kind)
            joined[at[known]] = array[known]
    return joined
