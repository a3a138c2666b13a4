"""Answers that a file holds with their grades, one after another, and all of them together as Outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array, user
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes, reasons_note
from nescio.data.repeats import FIRST, repeats_of
from nescio.data.texts import AnswerTexts
from nescio.errors import FormatError, differs_between_runs
from nescio.formats.registry import ReadOptions
from nescio.text import composed

NOTHING: Mapping[str, Any] = MappingProxyType({})  # one for all answers: a log may have millions
SCORE = "score"  # what the graded score of an answer is called, as in mean(score)
FEW_REPEATS = 0.01  # the share of repeats from which on intervals and tests are those of clusters


class Answer(Struct, gc=False):
    """An answer of a run to a question. A reader fills in what the file says; `logs.kit` makes `state` and `why` of it.

    What became of the answer is the first of these that holds: `ungraded` is why nothing graded it (an error, a judge
    that failed); `silent`, why the tool itself calls it silence; words that decline in `answer` or `extracted`;
    `nothing`, why it is none (empty, without an answer in the requested form); `right` (the tool's verdict) or `score`;
    else nothing graded it, and `lacking` is why.

    If a question is asked several times, all of its answers have the same `question`. `repeat` names the epoch,
    trial or seed, and is None if the log has no repeats. Questions of one `cluster` are resampled together. `strata`
    are constant within the question; `labels` are values of the log, and may be strata. `where` names the place in the
    file `path`. `scores` holds graded scores by name, and `task` the task where each has metrics of its own.
    `answerable` is 0 if declining is right, and -1 if the log does not say. `asked`, `gold`, `answer`, `extracted` (the
    part of the answer that was graded) and `reason` are for people to read.
    """

    run: str
    question: str
    state: int = NOT_GRADED
    confidence: float | None = None
    candidate: int = -1
    cluster: str | None = None
    why: str | None = None
    strata: Mapping[str, str] = NOTHING
    where: str | None = None
    path: object = None
    scores: Mapping[str, float] = NOTHING
    answerable: int = -1
    repeat: str | int | None = None
    texts: AnswerTexts | None = None
    task: str = ""
    right: bool | None = None
    score: float | None = None
    ungraded: str | None = None
    silent: str | None = None
    nothing: str | None = None
    lacking: str | None = None
    labels: Mapping[str, Any] = NOTHING
    asked: Any = None
    gold: Any = None
    answer: Any = None
    extracted: Any = None
    reason: Any = None


def number_repeats(answers: Iterable[Answer]) -> int:
    """Return how many answers come after the first of their run and question, having numbered them as repeats."""
    seen: Counter[tuple[str, str]] = Counter()
    for one in answers:
        seen[one.run, one.question] += 1
        one.repeat = seen[one.run, one.question]
    return seen.total() - len(seen)


def outcomes_of(answers: Iterable[Answer], path: object, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the answers of one file, or of several that belong together; a question that a run lacks is absent.

    Answers to one question with different `repeat` share its weight. Raises FormatError if a run answers a question
    twice otherwise. `notes` gets one note a run on the reasons for its silence and its ungraded answers.
    """
    answers = list(answers)
    if not answers:
        raise FormatError(path, "the file holds no answers")
    runs: dict[str, int] = {}
    questions: dict[tuple[str, str], int] = {}
    first: list[Answer] = []  # of each question
    files: list[object] = []
    reasons: list[Counter[str]] = []
    seen: set[tuple[int, int]] = set()
    places = np.empty((2, len(answers)), dtype=np.int64)
    for i, one in enumerate(answers):
        r = runs.setdefault(one.run, len(runs))
        key = composed(one.question) or "", FIRST if one.repeat is None else str(one.repeat)
        q = questions.setdefault(key, len(questions))
        if (r, q) in seen:
            again = "" if one.repeat is None else f" in repeat {one.repeat}"
            rule = f"question {one.question!r} appears twice for run {one.run!r}{again}"
            raise FormatError(one.path or path, rule, where=one.where)
        seen.add((r, q))
        places[:, i] = r, q
        if r == len(files):
            files.append(one.path or path)
            reasons.append(Counter())
        if q == len(first):
            first.append(one)
        else:
            _same_in_all_runs(first[q], one, path, options)
        if one.why:
            reasons[r][one.why] += 1
    shape, at = (len(runs), len(questions)), (places[0], places[1])

    def grid(values: Iterable[Any], empty: object, dtype: type) -> Array:
        filled: Array = np.full(shape, empty, dtype=dtype)
        column: Array = np.empty(len(answers), dtype=dtype)
        for i, value in enumerate(values):
            column[i] = value
        filled[at] = column
        return filled

    confidence = grid((np.nan if one.confidence is None else one.confidence for one in answers), np.nan, float)
    candidate = grid((one.candidate for one in answers), -1, np.int8)
    answerable = grid((one.answerable for one in answers), -1, np.int8).max(axis=0)
    names = dict.fromkeys(name for one in answers for name in one.scores)
    columns = {user(name): grid((one.scores.get(name, np.nan) for one in answers), np.nan, float) for name in names}
    if SCORE not in names and any(one.score is not None for one in answers):
        scores = (np.nan if one.score is None else one.score for one in answers)
        columns[user(SCORE)] = grid(scores, np.nan, float)
    notes += [reasons_note(run, reasons[r], shape[1]) for run, r in runs.items() if reasons[r]]
    asked = tuple(question for question, _ in questions)
    return Outcomes(
        tuple(runs),
        asked,
        grid((one.state for one in answers), ABSENT, np.int8),
        confidence=None if np.isnan(confidence).all() else confidence,
        candidate=candidate if (candidate >= 0).any() else None,
        answerable=answerable if (answerable >= 0).any() else None,
        extra_columns=columns,
        strata=_strata([one.strata for one in first], options),
        clusters=_clusters([one.cluster for one in first], notes),
        why=grid((one.why or None for one in answers), None, object) if any(reasons) else None,
        repeats=repeats_of(asked, [repeat for _, repeat in questions]),
        files=tuple(map(str, files)),
        texts=grid((one.texts for one in answers), None, object) if any(one.texts for one in answers) else None,
    )


def _same_in_all_runs(first: Answer, other: Answer, path: object, options: ReadOptions) -> None:
    """Raise MismatchError if two runs disagree on a column of questions that a measure or an option asked for."""
    for name in options.strata or ():
        value, differs = first.strata.get(name, ""), other.strata.get(name, "")
        if first.run != other.run and value != differs:
            places = [f"{of.path or path}, {of.where}" if of.where else f"{of.path or path}" for of in (first, other)]
            raise differs_between_runs(
                name, other.question, (first.run, places[0], value), (other.run, places[1], differs)
            )


def _strata(rows: Sequence[Mapping[str, str]], options: ReadOptions) -> dict[str, Array]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, "") for row in rows], dtype=object) for name in options.kept(names)}


def _clusters(clusters: Sequence[str | None], notes: list[Note]) -> Array | None:
    """Return the clusters of questions that ask the same, and note them. Return None if there are none, or too few for
    any interval to notice."""
    sizes = Counter(clusters)
    repeats, total = sum(size for size in sizes.values() if size > 1), len(clusters)
    if None in sizes or not repeats:
        return None
    if repeats < FEW_REPEATS * total:
        notes.append(
            note(
                "answers.few_repeats",
                "{repeats} of {total:n question} repeat the text of another question: too few to matter, so all are "
                "resampled separately",
                repeats=repeats,
                total=total,
            )
        )
        return None
    notes.append(
        note(
            "answers.repeats",
            "{repeats} of {total:n question} repeat the text of another question: questions with the same text are "
            "resampled together, in {clusters} clusters",
            repeats=repeats,
            total=total,
            clusters=len(sizes),
        )
    )
    return np.array(clusters, dtype=object)
