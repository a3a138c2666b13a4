"""Hold the results of readers and judges for every answer, before any policy is applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Verdict
from nescio.data.notes import Note, note
from nescio.data.repeats import Repeats, named

INCORRECT, CORRECT, SILENT, NOT_GRADED, ABSENT = 0, 1, 2, 3, -1
ANSWERED = 4  # for labels only: people say that it is an answer, but not whether it is right
SAID_SO = "declined in words"  # the reason of an abstention that a pattern recognised
GRADED_RIGHT = " (graded right)"  # follows the reason of a non-answer that its tool graded right
STATES = {"incorrect": INCORRECT, "correct": CORRECT, "unanswered": SILENT}
PARTIAL = "partial"  # the word for an incorrect answer that is partly right, and its column
MEANINGS = {**STATES, PARTIAL: INCORRECT, "ungraded": NOT_GRADED}  # the meanings that a word in a file can have


class Label(Struct, frozen=True):
    """A person's verdict on one answer: CORRECT, INCORRECT, SILENT, ANSWERED, or NOT_GRADED if there is none.

    The answer is identified by its `run`, its text `answer`, or both, and by its `rank`. `place` is the place of the
    verdict in its file, for messages. `inclusion` is the probability with which the question was drawn to be judged by
    people, if known.
    `verdict` is the assessor's R, W, X or U (right, wrong, inexact, unsupported), if the file has these.
    """

    question: str
    state: int
    run: str | None = None
    answer: str | None = None
    place: str = ""
    inclusion: float | None = None
    verdict: Verdict | None = None
    empty: bool = False  # Nobody gave a verdict. An inexact answer has a verdict, though it may be ungraded.
    assessor: str | None = None  # the assessor, if the table names one
    rank: int = 1
    answered: bool = True  # False: the run withheld the answer


class Outcomes(Struct, frozen=True, eq=False):
    """The state and properties of every answer before any policy is applied; arrays have shape (runs, questions).

    `state` is INCORRECT, CORRECT, SILENT, NOT_GRADED or ABSENT. `candidate` is 1 for a declined candidate that would
    have been right, 0 for one that would have been wrong, and -1 if there is none. `answerable` has one value per
    question, -1 if the collection does not say. `why` is a short reason why an answer is an abstention or not graded,
    or None. With `repeats`, a row is one of several answers to a question, and `questions` repeats the question's name.
    `files` names each run's file, for messages. `judges` holds the judges of each run's answers (None: unknown judge).
    `origins` maps a run's name here to its name in the files, if a policy made two runs of one. `texts` are
    `nescio.data.texts.AnswerTexts`, if they were wanted. `words` are the digests of `words_digest` for each answer, or
    None. `kept` has the columns about runs that a written file needs (`data/kept.py`): a text for each run.
    `scores_only` says that nobody graded the answers, and that measures average their scores in `extra_columns`.
    """

    runs: tuple[str, ...]
    questions: tuple[str, ...]
    state: NDArray[np.int8]
    confidence: NDArray[np.float64] | None = None
    candidate: NDArray[np.int8] | None = None
    answerable: NDArray[np.int8] | None = None
    first_right: NDArray[np.int64] | None = None
    extra_columns: Mapping[str, Array] = field(default_factory=dict)
    strata: Mapping[str, Array] = field(default_factory=dict)
    clusters: Array | None = None
    why: Array | None = None
    repeats: Repeats | None = None
    files: tuple[str, ...] = ()
    judges: tuple[JudgeRecord | None, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    texts: Array | None = None
    words: Array | None = None
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scores_only: bool = False

    def select(self, questions: Array) -> Outcomes:
        """Return Outcomes of the same runs on some of the questions, given a mask."""

        def columns(array: Array | None) -> Array | None:
            return None if array is None else array[..., questions]

        return replace(
            self,
            questions=tuple(np.asarray(self.questions, dtype=object)[questions]),
            state=self.state[:, questions],
            confidence=columns(self.confidence),
            candidate=columns(self.candidate),
            answerable=columns(self.answerable),
            first_right=columns(self.first_right),
            extra_columns={name: array[:, questions] for name, array in self.extra_columns.items()},
            strata={name: array[questions] for name, array in self.strata.items()},
            clusters=columns(self.clusters),
            why=columns(self.why),
            repeats=None if self.repeats is None else self.repeats.select(questions),
            texts=columns(self.texts),
            words=columns(self.words),
        )

    def take_runs(self, runs: Sequence[int]) -> Outcomes:
        """Return Outcomes of some of the runs, whose indices are given in the wanted order; a run may occur twice."""
        chosen = list(runs)

        def rows(array: Array | None) -> Array | None:
            return None if array is None else array[chosen]

        return replace(
            self,
            runs=tuple(self.runs[i] for i in chosen),
            state=self.state[chosen],
            confidence=rows(self.confidence),
            candidate=rows(self.candidate),
            first_right=rows(self.first_right),
            extra_columns={name: values[chosen] for name, values in self.extra_columns.items()},
            why=rows(self.why),
            texts=rows(self.texts),
            words=rows(self.words),
            files=tuple(self.files[i] for i in chosen) if self.files else (),
            judges=tuple(self.judges[i] for i in chosen) if self.judges else (),
        )

    @property
    def known_judges(self) -> tuple[JudgeRecord, ...]:
        """Return the known judges of the runs, each once."""
        return tuple(dict.fromkeys(record for record in self.judges if record is not None))

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Return a mask of the answers that have a graded score, shape (runs, questions)."""
        columns = [np.isfinite(values.astype(float)) for values in self.extra_columns.values()]
        return np.any(columns, axis=0) if columns else np.zeros(self.state.shape, dtype=bool)

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Return a mask of the rows of questions that a run lacks, shape (runs, questions).

        If a question was asked several times, a run lacks it only if it has none of the answers.
        """
        lacking: NDArray[np.bool_] = self.state == ABSENT
        return lacking if self.repeats is None else ~self.repeats.same_question(~lacking)

    def where(self, run: int, question: int) -> str:
        """Return words for a message that name a run's answer to a question, such as "a.csv: run 'mine', question
        'q1'"."""
        origin = f"{self.files[run]}: " if self.files else ""
        name = self.questions[question]
        shown = repr(name) if self.repeats is None else named(repr(name), self.repeats.label[question])
        return f"{origin}run {self.runs[run]!r}, question {shown}"


class NonAnswers(Struct, frozen=True):
    """The number `n` of a run's non-answers that have one reason `why`, among the `of` questions that it was asked.

    `taken_for` is what these non-answers count as: silence, incorrect, correct, not graded or missing. Missing answers
    are counted among all questions.
    """

    run: str
    why: str
    taken_for: str
    n: int
    of: int


def with_scores_as_grades(outcomes: Outcomes) -> Outcomes:
    """Return outcomes of scores alone with the state CORRECT for each answer that has a score; it lacks no grade."""
    if not outcomes.scores_only:
        return outcomes
    return replace(outcomes, state=np.where(outcomes.scored, CORRECT, outcomes.state).astype(np.int8))


def non_answers(outcomes: Outcomes, *, own_questions: bool = False) -> tuple[NonAnswers, ...]:
    """Return the non-answers of each run before any policy is applied, counted by reason, the most frequent reason
    first.

    With `own_questions`, a run was not asked the questions that it lacks.
    """
    kinds = {SILENT: "silence", NOT_GRADED: "not graded", ABSENT: "missing"}
    outcomes = with_scores_as_grades(outcomes)
    lacking, rows = outcomes.lacking, []
    cells = {state: lacking if state == ABSENT else outcomes.state == state for state in kinds}
    if outcomes.why is not None:  # Outputs that were empty, or could not be parsed, are not counted as abstentions.
        kinds |= {INCORRECT: "incorrect", CORRECT: "correct"}
        reasoned = outcomes.why != np.array(None, dtype=object)
        cells |= {state: (outcomes.state == state) & reasoned for state in (INCORRECT, CORRECT)}
    numbers = {state: there.sum(axis=1) for state, there in cells.items()}
    given = outcomes.state != ABSENT
    every = (given | lacking).sum(axis=1)
    asked = given.sum(axis=1) if own_questions else every
    no_answer = np.zeros(len(outcomes.questions), bool) if outcomes.answerable is None else outcomes.answerable == 0
    for r in np.flatnonzero(sum(numbers.values())).tolist():
        counted: Counter[tuple[int, str | None]] = Counter()
        run, of = outcomes.runs[r], {ABSENT: int(every[r])}
        for state, there in cells.items():
            if outcomes.why is None:
                counted[state, None] += int(numbers[state][r])
            else:
                # Nothing is the right answer to a question without an answer, whoever graded it.
                plain = there[r] & no_answer
                counted.update((state, why) for why in outcomes.why[r, there[r] & ~plain])
                counted.update((state, why and why.removesuffix(GRADED_RIGHT)) for why in outcomes.why[r, plain])
        rows += [
            NonAnswers(run, why or kinds[s], kinds[s], n, of.get(s, int(asked[r])))
            for (s, why), n in counted.most_common()
            if n
        ]
    return tuple(rows)


def reasons_note(run: str, reasons: Mapping[str, int], total: int) -> Note:
    """Return a note that counts the reasons for a run's abstentions and ungraded answers, the most frequent first."""
    counted = [(count, reason) for reason, count in Counter(reasons).most_common()]
    return note(
        "outcomes.reasons", "run {subject!r}: {counted:each %d %s} (of {total})", run, counted=counted, total=total
    )


def gather(cells: Mapping[str, Array], runs: tuple[str, ...], questions: tuple[str, ...]) -> tuple[Outcomes, int]:
    """Return Outcomes, and the number of answers below rank 1, from arrays with one element per answer.

    The arrays are `run` and `question` (indices), `rank`, `state`, `confidence`, `candidate` and `known`. The answer of
    rank 1 gives the outcome of the question. The rank of the first right answer and the credit in the measure K come
    from all answers.
    """
    shape, top = (len(runs), len(questions)), cells["rank"] == 1
    at = (cells["run"][top], cells["question"][top])

    def grid(name: str, empty: float, dtype: type) -> Array:
        values: Array = np.full(shape, empty, dtype=dtype)
        values[at] = cells[name][top]
        return values

    state, confidence = grid("state", ABSENT, np.int8), grid("confidence", np.nan, np.float64)
    candidate = grid("candidate", -1, np.int8)
    lower = int((~top).sum())
    first_right, more = None, {}
    if lower:
        first_right = _first_right(cells, shape)
    if (lower or (cells["known"] > 1).any()) and not np.isnan(cells["confidence"]).all():
        more["k_credit"] = _k_credit(cells, shape)
    return Outcomes(runs, questions, state, confidence, candidate, first_right=first_right, extra_columns=more), lower


def _first_right(cells: Mapping[str, Array], shape: tuple[int, int]) -> Array:
    none = np.iinfo(np.int64).max
    right = cells["state"] == CORRECT
    best = np.full(shape, none)
    np.minimum.at(best, (cells["run"][right], cells["question"][right]), cells["rank"][right])
    return np.where(best == none, 0, best)


def _k_credit(cells: Mapping[str, Array], shape: tuple[int, int]) -> Array:
    """Return each question's credit in the measure K, which sums confidence × verdict over the answers in order of
    rank.

    A verdict is 1 for a right answer, 0 for a right answer beyond the `known` ones, and -1 for a wrong answer. The sum
    is divided by the number of known answers or of given answers, whichever is larger. It is NaN without confidences.
    """
    order = np.lexsort((cells["rank"], cells["question"], cells["run"]))
    key = (cells["run"].astype(np.int64) * shape[1] + cells["question"])[order]
    state, confidence, known = (cells[name][order] for name in ("state", "confidence", "known"))
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    right, answered = state == CORRECT, (state == CORRECT) | (state == INCORRECT)
    sizes = np.diff(np.append(starts, len(key)))
    rights = np.cumsum(right)
    so_far = rights - np.repeat(rights[starts] - right[starts], sizes)
    worth = np.where(right, (so_far <= known).astype(float), -1.0)
    earned = np.add.reduceat(np.where(answered, confidence * worth, 0.0), starts)
    credit = np.full(shape[0] * shape[1], np.nan)
    credit[key[starts]] = earned / np.maximum(known[starts], np.add.reduceat(answered.astype(float), starts))
    return credit.reshape(shape)
