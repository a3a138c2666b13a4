"""Turn runs into outcomes by judging every answer and every declined candidate."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array, user
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes, gather
from nescio.data.policy_notes import depths
from nescio.data.reasons import EMPTY, failed_call, said_to_abstain
from nescio.data.repeats import FIRST, repeats_of
from nescio.judging._doubts import Doubts
from nescio.judging._judge import AnswerToJudge, Grade, Judge, known
from nescio.options.edge import Progress
from nescio.sources.limits import check_cells
from nescio.text import all_nothing, is_nothing

_CELLS = {"run": "i", "question": "i", "rank": "i", "state": "b", "confidence": "d", "candidate": "b"}  # array types
_TICK = 1 << 12  # answers between two reports of progress


def judge_runs(
    collection: Collection,
    runs: Sequence[Run],
    judge: str | Judge,
    files: Sequence[str] = (),
    watch: Progress | None = None,
    *,
    doubts: Doubts | None = None,
) -> tuple[Outcomes, tuple[Note, ...]]:
    """Return the outcomes of runs, with all answers and declined candidates judged, and notes on the judging.

    On an unanswerable question every answer is incorrect, and the judge is not asked. A judge with `hears_silence` is
    asked, but only its grades SILENT and NOT_GRADED count. The judge's scores of the answers of rank 1 go into
    `extra_columns`; on an unanswerable question an abstention has score 1, and an answer 0. `watch` is called with the
    number of answers judged so far and the number of all. `doubts` is shown the answers of rank 1 with their grades.
    """
    ready = known(judge) if isinstance(judge, str) else judge
    index = _rows(collection, runs)
    by_id = {question.id: question for question in collection.questions}
    questions = [by_id[name] for name, _ in index]
    total = sum(len(run.responses) for run in runs)
    cells: dict[str, Any] = {key: array(code) for key, code in _CELLS.items()}
    # The value of an abstention, also for questions that a run lacks, because a policy may count them as abstentions.
    check_cells(files[0] if files else "the runs", len(runs), len(index), total)
    extra = {name: np.tile(_earned_by_silence(ready, name, questions), (len(runs), 1)) for name in ready.scores}
    why = np.full((len(runs), len(index)), None, dtype=object)
    if watch:
        watch(0, total)
    stated: dict[str, Array] = {}  # the numbers that the files hold beside the answers
    rows: list[tuple[float, ...]] = []  # the most recent rows
    for r, q, response, grade in _graded(ready, runs, questions, index):
        state, candidate = _outcome(grade, response)
        if doubts and grade is not None and response.answered and response.answer and response.rank == 1:
            doubts.see(runs[r].name, _as_run_has_it(questions[q], runs[r]), response.answer, grade)
        confidence = math.nan if response.confidence is None else response.confidence
        rows.append((r, q, response.rank, state, confidence, candidate))
        if response.rank == 1:
            why[r, q] = _why(state, response, grade)
            for name, number in response.numbers.items():
                if name not in stated:
                    stated[name] = np.full(why.shape, np.nan)
                stated[name][r, q] = number
            given = response.answered or response.answer is None  # without a text, if it stands for nothing
            if extra and grade is not None and given and grade.state != SILENT:
                for name, scores in extra.items():
                    scores[r, q] = np.nan if grade.state == NOT_GRADED else grade.scores.get(name, np.nan)
        if len(rows) == _TICK:
            _extend(cells, rows)
            if watch and len(cells["run"]) < total:
                watch(len(cells["run"]), total)
    _extend(cells, rows)
    if watch:
        watch(total, total)
    arrays: dict[str, Array] = {key: np.asarray(values) for key, values in cells.items()}
    arrays["known"] = np.ones(total, dtype=np.int8)
    names = tuple(question.id for question in questions)
    outcomes, lower = gather(arrays, tuple(run.name for run in runs), names)
    ranked = depths(outcomes.runs, arrays["run"], arrays["rank"])
    notes = (*ready.remarks(collection, runs), *(doubts.notes() if doubts else ()), *lower_ranks(lower), *ranked)
    judged = replace(
        outcomes,
        repeats=repeats_of(names, [label for _, label in index]),
        files=tuple(files),
        extra_columns={**outcomes.extra_columns, **extra, **{user(name): numbers for name, numbers in stated.items()}},
        why=why,
        judges=(ready.record,) * len(runs),
        **_of_questions(questions),
    )
    return judged, notes


def lower_ranks(answers: int) -> Iterator[Note]:
    """Yield a note that counts the answers below rank 1, if there are any, because outcomes do not use them."""
    if answers:
        yield note(
            "judging.lower_ranks",
            "{n:n answer} {n:is/are} below rank 1: MRR and K use {n:it/them}; outcomes use rank 1 only",
            n=answers,
        )


def _extend(cells: Mapping[str, Any], rows: list[tuple[float, ...]]) -> None:
    for column, values in zip(cells.values(), zip(*rows, strict=True), strict=False):
        column.extend(values)
    rows.clear()


def _graded(
    judge: Judge, runs: Sequence[Run], questions: Sequence[Question], index: Mapping[tuple[str, str], int]
) -> Iterator[tuple[int, int, Response, Grade | None]]:
    """Yield every response with the index of its run, its row, and its grade (None without an answer).

    A judge that grades one by one is asked for each answer in turn. Any other judge gets all answers at once first. An
    answer that stands for nothing, such as "None", is an empty output unless it is right or a gold answer. It keeps its
    grade for the scores of the judge.
    """
    hears = getattr(judge, "hears_silence", False)

    def responses() -> Iterator[tuple[int, int, Response, AnswerToJudge | None]]:
        for r, run in enumerate(runs):
            for response in run.responses:
                q = index[_key(response)]
                question, asked = questions[q], None
                if response.answer is not None and (hears or question.answerable is not False):
                    asked = AnswerToJudge(run.name, _as_run_has_it(question, run), response.answer, response.rank)
                yield r, q, response, asked

    if one_by_one := getattr(judge, "one_by_one", None):
        grade_of = one_by_one(len(runs) > 1)
    else:
        grades = iter(judge.grade([asked for *_, asked in responses() if asked is not None]))
        grade_of = lambda answer: next(grades)  # noqa: ARG005, E731
    run_texts = (texts for run in runs for texts in (run.gold or {}).values())
    gold = [*{text for texts in (*(q.answers for q in questions), *run_texts) for text in texts if is_nothing(text)}]
    unasked = Grade(INCORRECT, dict.fromkeys(judge.scores, 0.0))  # the grade of an answer to a question without one
    for r, q, response, asked in responses():
        grade = None
        if response.answer is not None:
            grade = unasked if asked is None else grade_of(asked)
            if questions[q].answerable is False and grade.state in (CORRECT, INCORRECT):
                grade = unasked
            if response.why and grade.state != CORRECT and not any(map(failed_call, questions[q].answers)):
                grade = Grade(NOT_GRADED, dict.fromkeys(judge.scores, math.nan), response.why)
            elif grade.state in (INCORRECT, SILENT) and response.answered and all_nothing(response.answer, gold):
                why = EMPTY if grade.state == INCORRECT else said_to_abstain(EMPTY)
                response = replace(response, answer=None, answered=False, why=why)  # noqa: PLW2901
        yield r, q, response, grade


def _key(response: Response) -> tuple[str, str]:
    return response.question_id, FIRST if response.repeat is None else response.repeat


def _rows(collection: Collection, runs: Sequence[Run]) -> dict[tuple[str, str], int]:
    """Return the number of the row for each (question, repeat), in the order of the collection."""
    names = dict.fromkeys(question.id for question in collection.questions)
    repeated = [run.responses for run in runs if getattr(run.responses, "repeated", True)]
    if all(response.repeat is None for responses in repeated for response in responses):
        return {(name, FIRST): i for i, name in enumerate(names)}
    labels: dict[str, dict[str, None]] = {name: {} for name in names}
    for responses in repeated:
        for response in responses:
            labels[response.question_id].setdefault(_key(response)[1])
    keys = ((name, label) for name, repeats in labels.items() for label in repeats or (FIRST,))
    return {key: i for i, key in enumerate(keys)}


def _as_run_has_it(question: Question, run: Run) -> Question:
    """Return a question; if the run has gold answers of its own for this question, they replace the usual ones."""
    return replace(question, answers=run.gold[question.id]) if run.gold and question.id in run.gold else question


def asked_cells(collection: Collection, runs: Sequence[Run]) -> NDArray[np.bool_]:
    """Return a mask of the answers of rank 1 that a judge decides, shape (runs, questions).

    Abstentions and answers to unanswerable questions are not among them.
    """
    index = _rows(collection, runs)
    unanswerable = {question.id for question in collection.questions if question.answerable is False}
    cells = np.zeros((len(runs), len(index)), dtype=bool)
    for r, run in enumerate(runs):
        for response in run.responses:
            asked = response.answered and response.rank == 1 and response.question_id not in unanswerable
            cells[r, index[_key(response)]] |= asked
    return cells


def _outcome(grade: Grade | None, response: Response) -> tuple[int, int]:
    """Return the outcome of a response, and whether its declined candidate is right: 1, 0, or -1 without a verdict."""
    if grade is None or response.answer is None:
        return SILENT, -1
    if response.answered:
        return grade.state, -1
    return SILENT, {CORRECT: 1, INCORRECT: 0}.get(grade.state, -1)


def _why(state: int, response: Response, grade: Grade | None) -> str | None:
    """Return the reason why a response has no answer or no grade; None if it has both."""
    if state != SILENT:
        return grade.why if grade and state == NOT_GRADED else None
    if response.answer is None:
        return response.why or "no answer"
    return "declined in words" if response.answered else "declined, the answer kept"


def _earned_by_silence(ready: Judge, name: str, questions: Sequence[Question]) -> Array:
    """Return the score of an abstention on each question.

    On an unanswerable question the score is 1, unless the judge has no score for abstentions (NaN). On other questions
    the judge `ready` decides.
    """
    silent = ready.scores[name]
    earned = [silent(question) if callable(silent) else silent for question in questions]
    return np.array(
        [1.0 if q.answerable is False and not np.isnan(e) else e for q, e in zip(questions, earned, strict=True)]
    )


def _of_questions(questions: Sequence[Question]) -> dict[str, Any]:
    # A question with gold answers is answerable, even if it does not say so.
    answerable = [int(question.answerable is not False) for question in questions]
    names = list(dict.fromkeys(name for question in questions for name in question.strata))
    clusters = [question.cluster for question in questions]
    return {
        "answerable": np.array(answerable, dtype=np.int8) if 0 in answerable else None,
        "strata": {
            name: np.array([question.strata.get(name, "") for question in questions], dtype=object) for name in names
        },
        "clusters": np.array(clusters, dtype=object) if None not in clusters else None,
    }
