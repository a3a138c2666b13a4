"""Convert decisions to Evidence, with a row per question and per judged answer, and to outcomes of the selected
answers.

A row has only the columns about questions, or only those about answers. A question and its answers form a cluster, so
that resampling is by question. UNKNOWN answers have no row, because no measure reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array
from nescio.data.dropped import fewer_held
from nescio.data.evidence import PRESENT, Evidence
from nescio.data.kept import in_each_run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.errors import MismatchError
from nescio.tasks.ave.exercise import (
    Decision,
    Exercise,
    Key,
    Pair,
    Problem,
    Runs,
    Validation,
    Value,
    groups,
    language,
    pair_problems,
    problems,
)


class Point(Struct, frozen=True):
    """A point of a run's ROC curve: the two rates if all answers with at least the confidence `threshold` are accepted.

    The threshold is None at the first point, which accepts no answer, and at a point that also accepts missing answers.
    """

    run: str
    threshold: float | None
    false_positive_rate: float
    true_positive_rate: float


QUESTION_COLUMNS = ("ave.selected_right", "ave.rejected_right", "ave.solvable", "ave.random")
SELECTED_UNKNOWN = "ave.selected_unknown"  # the code of a note that baselines do not need
_JUDGED = (Value.VALIDATED, Value.REJECTED)


class _Judged(Struct, frozen=True):
    """An answer that the assessors judged, as a row of Evidence; `cluster` is the number of its question."""

    name: str
    key: Key
    cluster: int
    right: bool
    language: str


def evidence(exercise: Exercise, runs: Runs) -> tuple[Evidence, tuple[Note, ...]]:
    """Return the decisions of validators as Evidence with a row for each question and each judged answer, and notes.

    The notes report missing decisions, which count as REJECTED, and unjudged answers, which have no row.

    Raises MismatchError if a run breaks a rule (see `problems`), or if the assessors judged no answer.
    """
    _hold_rules(runs, lambda validations: problems(exercise, validations))
    place = {question.id: i for i, question in enumerate(exercise.questions)}
    tongue = [language(question) for question in exercise.questions]
    rows = [
        _Judged(
            " ".join(candidate.key),
            candidate.key,
            place[candidate.question_id],
            candidate.right,
            tongue[place[candidate.question_id]],
        )
        for candidate in exercise.candidates
        if candidate.judged
    ]
    notes = [
        *_unknown([candidate.value for candidate in exercise.candidates]),
        *_missing(runs, len(exercise.candidates)),
    ]
    notes += _selected_unknown(exercise, runs)
    by_question = [_question_columns(exercise, validations) for validations in runs.values()]
    names = [question.id for question in exercise.questions]
    return _evidence(names, tongue, by_question, rows, runs), tuple(notes)


def pair_evidence(pairs: Sequence[Pair], runs: Runs) -> tuple[Evidence, tuple[Note, ...]]:
    """Return the decisions on AVE 2006's pairs as Evidence with a row for each judged pair, and notes.

    Pairs that name the same question form a cluster.
    """
    _hold_rules(runs, lambda validations: pair_problems(pairs, validations))
    numbers: dict[Key, int] = {}
    rows = []
    for pair in pairs:
        group = ("question", pair.question_id) if pair.question_id is not None else ("pair", pair.id)
        cluster = numbers.setdefault(group, len(numbers))
        if pair.value in _JUDGED:
            right = pair.value is Value.VALIDATED
            rows.append(_Judged(pair.id, (pair.id, pair.id), cluster, right, pair.language))
    notes = [*_unknown([pair.value for pair in pairs]), *_missing(runs, len(pairs))]
    return _evidence([], [], [], rows, runs), tuple(notes)


def _hold_rules(runs: Runs, problems_of: Callable[[Sequence[Validation]], Iterator[Problem]]) -> None:
    for run, validations in runs.items():
        for problem in problems_of(validations):
            value = "" if problem.value is None else f" ({problem.value!r})"
            raise MismatchError(f"run {run!r}: {problem.rule}{value}")


def selections(exercise: Exercise, runs: Runs) -> tuple[Outcomes, tuple[Note, ...]]:
    """Return Outcomes in which the SELECTED answers of validators are the answers of QA systems, such as for c@1.

    A question is correct if its SELECTED answer is VALIDATED in the gold, and incorrect if that is REJECTED or UNKNOWN.
    A question without a SELECTED answer is unanswered; its answer with the highest confidence counts as withheld.
    """
    value = {item.key: item.value for item in exercise.candidates}
    place = {question.id: i for i, question in enumerate(exercise.questions)}
    shape = (len(runs), len(place))
    state = np.full(shape, SILENT, dtype=np.int8)
    candidate, sure = np.full(shape, -1, dtype=np.int8), np.full(shape, np.nan)
    unknown = 0
    for run, validations in enumerate(runs.values()):
        best: dict[str, Validation] = {}
        for item in validations:
            if _stronger(item, best.get(item.question_id)):
                best[item.question_id] = item
        for question, item in best.items():
            at, gold = (run, place[question]), value[question, item.answer_id]
            if item.confidence is not None:
                sure[at] = item.confidence
            if item.decision is Decision.SELECTED:
                state[at] = CORRECT if gold is Value.VALIDATED else INCORRECT
                unknown += gold in (Value.UNKNOWN, None)
            elif gold in _JUDGED and item.confidence is not None:
                candidate[at] = gold is Value.VALIDATED
    strata = {"language": np.array([language(question) for question in exercise.questions])}
    notes = [*_missing(runs, len(exercise.candidates))]
    if unknown:
        notes.append(
            note(
                "ave.selected_unknown_incorrect",
                "{answers} SELECTED answers are UNKNOWN in the gold, and count as incorrect",
                answers=int(unknown),
            )
        )
    right: dict[str, list[str]] = {}
    for answer in exercise.candidates:
        if answer.value is Value.VALIDATED:
            right.setdefault(answer.question_id, []).append(answer.answer)
    asked = [words_digest(question.text, right.get(question.id, [])) for question in exercise.questions]
    words = in_each_run(asked, len(runs))
    outcomes = Outcomes(tuple(runs), tuple(place), state, sure, candidate, strata=strata, words=words)
    return outcomes, tuple(notes)


def roc(data: Evidence) -> list[Point]:
    """Return the points of each run's ROC curve over its judged answers, from the highest confidence to the lowest.

    Answers with equal confidence share a point. The measure ave.AUC is the area under these points, joined by straight
    lines. A run has no curve if it has no confidences, or if its answers are all right or all wrong. Answers that the
    run did not decide rank below all others.
    """
    points = []
    for run, name in enumerate(data.runs):
        right, sure = data.columns["ave.right"][run], data.columns["ave.confidence"][run]
        use = ~np.isnan(right) & ~np.isnan(sure)
        right, sure = right[use], sure[use]
        rights, wrongs = right.sum(), (1 - right).sum()
        if not rights or not wrongs:
            continue
        points.append(Point(name, None, 0.0, 0.0))
        for threshold in np.unique(sure)[::-1]:
            over = sure >= threshold
            rates = float((1 - right)[over].sum() / wrongs), float(right[over].sum() / rights)
            points.append(Point(name, float(threshold) if np.isfinite(threshold) else None, *rates))
    return points


def _stronger(validation: Validation, best: Validation | None) -> bool:
    """Return whether a decision replaces `best`, the best decision of the run on the same question so far.

    A SELECTED answer is best, then an answer with a higher confidence. At a tie, the earlier decision stays.
    """
    if best is None or Decision.SELECTED in (validation.decision, best.decision):
        return best is None or validation.decision is Decision.SELECTED
    return validation.confidence is not None and (best.confidence is None or validation.confidence > best.confidence)


def _unknown(values: Sequence[Value | None]) -> Iterator[Note]:
    known = sum(value in _JUDGED for value in values)
    if not known:
        what = (
            "it has only UNKNOWN answers"
            if Value.UNKNOWN in values
            else "its answers have no values, as in a test set; give the collection with its gold values"
        )
        raise MismatchError(f"no answer of the collection is VALIDATED or REJECTED: {what}")
    if known < len(values):
        yield note(
            "ave.unknown",
            "{answers} of {total:n answer} are UNKNOWN (or have no value), and are left out",
            answers=len(values) - known,
            total=len(values),
        )


def _missing(runs: Runs, answers: int) -> Iterator[Note]:
    for run, validations in runs.items():
        if len(validations) < answers:
            beside = "; missing answers count as REJECTED"
            yield fewer_held(f"run {run!r}", (run,), answers, len(validations), beside)


def _selected_unknown(exercise: Exercise, runs: Runs) -> Iterator[Note]:
    """Yield notes on answers that a run SELECTED but nobody judged, which are neither right nor wrong."""
    unknown = {item.key for item in exercise.candidates if not item.judged}
    counts = {
        run: sum(item.decision is Decision.SELECTED and item.key in unknown for item in validations)
        for run, validations in runs.items()
    }
    if some := [(run, answers) for run, answers in counts.items() if answers]:
        yield note(
            SELECTED_UNKNOWN,
            "{runs:each run %r: %d} SELECTED answers are UNKNOWN in the gold: measures over answers ignore these, "
            "and QA accuracy counts their questions as not right",
            runs=some,
        )


def _question_columns(exercise: Exercise, validations: Sequence[Validation]) -> list[tuple[float, ...]]:
    """Return the values of one run in the columns `QUESTION_COLUMNS`, as one tuple for each question."""
    selected = {item.key for item in validations if item.decision is Decision.SELECTED}
    answered = {question for question, _ in selected}
    rows: list[tuple[float, ...]] = []
    for question, answers, known in groups(exercise):
        right = [item for item in answers if item.right]
        is_selected = any(item.key in selected for item in right)
        rejected = question.id not in answered and not right
        rows.append((is_selected, rejected, bool(right), len(right) / len(known) if known else 0.0))
    return rows


def _evidence(
    questions: Sequence[str],
    languages: Sequence[str],
    by_question: Sequence[Sequence[tuple[float, ...]]],
    rows: Sequence[_Judged],
    runs: Runs,
) -> Evidence:
    """Return Evidence with a row for each question, followed by a row for each answer in `rows`.

    Columns about questions are NaN in the rows of answers, and columns about answers are NaN in the rows of questions.
    `by_question` has the values of the question columns for each run. `languages` has the language of each question.
    """
    shape = (len(runs), len(questions) + len(rows))
    columns: dict[str, Array] = {}
    if questions:
        columns = {name: np.full(shape, np.nan) for name in QUESTION_COLUMNS}
        for run, values in enumerate(by_question):
            for name, column in zip(QUESTION_COLUMNS, zip(*values, strict=True), strict=True):
                columns[name][run, : len(questions)] = column
    columns |= {name: np.full(shape, np.nan) for name in ("ave.right", "ave.accepted", "ave.confidence")}
    columns["ave.right"][:, len(questions) :] = [row.right for row in rows]
    for run, validations in enumerate(runs.values()):
        decided = {item.key: item for item in validations}
        accepted = {key for key, item in decided.items() if item.decision is not Decision.REJECTED}
        columns["ave.accepted"][run, len(questions) :] = [row.key in accepted for row in rows]
        if any(item.confidence is not None for item in validations):
            sure = {key: item.confidence for key, item in decided.items()}
            # A missing decision is no acceptance, so it ranks below all others.
            columns["ave.confidence"][run, len(questions) :] = [sure.get(row.key, -np.inf) for row in rows]
    clusters = np.array([*range(len(questions)), *(row.cluster for row in rows)], dtype=np.int64)
    alone = len(np.unique(clusters)) == len(clusters)
    return Evidence(
        tuple(runs),
        (*questions, *(row.name for row in rows)),
        columns,
        np.full(shape, PRESENT, dtype=np.uint8),
        {"language": np.array([*languages, *(row.language for row in rows)])},
        None if alone else np.unique(clusters, return_inverse=True)[1],
        np.arange(shape[1]) >= len(questions),
    )
