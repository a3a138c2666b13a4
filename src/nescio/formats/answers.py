"""The answers in a file with their grades, and their conversion to Outcomes."""

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
from nescio.data.policies import said_by_some
from nescio.data.repeats import FIRST, repeats_of
from nescio.data.texts import AnswerTexts
from nescio.errors import FormatError, MismatchError, differs_between_runs
from nescio.formats.registry import ReadOptions
from nescio.sources.limits import check_cells
from nescio.text import composed

# All answers share this object, because a log may have millions of them.
NOTHING: Mapping[str, Any] = MappingProxyType({})
SCORE = "score"  # the name of the graded score of an answer, as in mean(score)
FEW_REPEATS = 0.01  # From this share of repeats on, intervals and tests treat questions as clusters.


class Answer(Struct, gc=False):
    """An answer of a run to a question. A reader fills in what the file says, and `logs.kit` derives `state` and `why`.

    The first field that is set decides the state of an answer. `ungraded`: why nothing graded it (an error, a judge
    that failed). `silent`: why the tool itself calls it an abstention. Words that decline, in `answer` or `extracted`.
    `nothing`: why there is no answer (empty, or not in the requested form). `right`, the tool's verdict, or `score`.
    Otherwise nothing graded it, and `lacking` says why.

    If a question is asked several times, all of its answers have the same `question`. `repeat` names the epoch, trial
    or seed, and is None if the log has no repeats. Questions of one `cluster` are resampled together. `strata` are
    constant within the question; `labels` are values of the log that may serve as strata. `where` names the place in
    the file `path`. `scores` holds graded scores, keyed by name. `task` is the task, if each task has its own metrics.
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
    """Return how many answers come after the first of their run and question, after numbering them as repeats."""
    seen: Counter[tuple[str, str]] = Counter()
    for answer in answers:
        seen[answer.run, answer.question] += 1
        answer.repeat = seen[answer.run, answer.question]
    return seen.total() - len(seen)


def outcomes_of(answers: Iterable[Answer], path: object, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the answers of one file, or of several that belong together, as Outcomes. A question that a run lacks is
    absent.

    Answers to one question with different `repeat` share its weight. Raises FormatError if a run answers a question
    twice without different `repeat`. `notes` gets one note per run with the reasons for its abstentions and its
    ungraded answers.
    """
    answers = list(answers)
    if not answers:
        raise FormatError(path, "the file holds no answers")
    runs: dict[str, int] = {}
    questions: dict[tuple[str, str], int] = {}
    first: list[Answer] = []  # the first answer to each question
    files: list[object] = []
    reasons: list[Counter[str]] = []
    seen: set[tuple[int, int]] = set()
    places = np.empty((2, len(answers)), dtype=np.int64)
    for i, answer in enumerate(answers):
        r = runs.setdefault(answer.run, len(runs))
        key = composed(answer.question) or "", FIRST if answer.repeat is None else str(answer.repeat)
        q = questions.setdefault(key, len(questions))
        if (r, q) in seen:
            again = "" if answer.repeat is None else f" in repeat {answer.repeat}"
            rule = f"question {answer.question!r} appears twice for run {answer.run!r}{again}"
            raise FormatError(answer.path or path, rule, where=answer.where)
        seen.add((r, q))
        places[:, i] = r, q
        if r == len(files):
            files.append(answer.path or path)
            reasons.append(Counter())
        if q == len(first):
            first.append(answer)
        else:
            _same_in_all_runs(first[q], answer, path, options)
        if answer.why:
            reasons[r][answer.why] += 1
    check_cells(str(path), len(runs), len(questions), len(answers))
    shape, at = (len(runs), len(questions)), (places[0], places[1])

    def grid(values: Iterable[Any], empty: object, dtype: type) -> Array:
        filled: Array = np.full(shape, empty, dtype=dtype)
        column: Array = np.empty(len(answers), dtype=dtype)
        for i, value in enumerate(values):
            column[i] = value
        filled[at] = column
        return filled

    confidence = grid((np.nan if answer.confidence is None else answer.confidence for answer in answers), np.nan, float)
    candidate = grid((answer.candidate for answer in answers), -1, np.int8)
    known = grid((answer.answerable for answer in answers), -1, np.int8)
    answerable = known.max(axis=0)
    _check_answerable(known, [*runs], [question for question, _ in questions], path)
    names = dict.fromkeys(name for answer in answers for name in answer.scores)
    columns = {
        user(name): grid((answer.scores.get(name, np.nan) for answer in answers), np.nan, float) for name in names
    }
    if SCORE not in names and any(answer.score is not None for answer in answers):
        scores = (np.nan if answer.score is None else answer.score for answer in answers)
        columns[user(SCORE)] = grid(scores, np.nan, float)
    notes += [reasons_note(run, reasons[r], shape[1]) for run, r in runs.items() if reasons[r]]
    asked = tuple(question for question, _ in questions)
    notes += said_by_some([*runs], grid((True for _ in answers), False, np.bool_), known, asked)
    return Outcomes(
        tuple(runs),
        asked,
        grid((answer.state for answer in answers), ABSENT, np.int8),
        confidence=None if np.isnan(confidence).all() else confidence,
        candidate=candidate if (candidate >= 0).any() else None,
        answerable=answerable if (answerable >= 0).any() else None,
        extra_columns=columns,
        strata=_strata([answer.strata for answer in first], options),
        clusters=_clusters([answer.cluster for answer in first], notes),
        why=grid((answer.why or None for answer in answers), None, object) if any(reasons) else None,
        repeats=repeats_of(asked, [repeat for _, repeat in questions]),
        files=tuple(map(str, files)),
        texts=grid((answer.texts for answer in answers), None, object)
        if any(answer.texts for answer in answers)
        else None,
    )


def _check_answerable(known: Array, runs: Sequence[str], questions: Sequence[str], path: object) -> None:
    """Raise MismatchError if two runs disagree on whether a question has an answer."""
    differ = np.flatnonzero((known == 0).any(axis=0) & (known == 1).any(axis=0))
    if len(differ):
        at = int(differ[0])
        without, with_answer = (runs[int(np.flatnonzero(known[:, at] == says)[0])] for says in (0, 1))
        raise MismatchError(
            f"{path}: question {questions[at]!r} has no answer in run {without!r}, and one in run {with_answer!r} "
            f"({len(differ):,} such in all)"
        )


def _same_in_all_runs(first: Answer, other: Answer, path: object, options: ReadOptions) -> None:
    """Raise MismatchError if two runs disagree on a question's column that a measure or an option needs."""
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
    """Return the clusters of questions that ask the same, and add a note on them.

    Return None if there are none, or too few to change any interval.
    """
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
