"""The rules of the outcome: from what the readers and judges found to Evidence, by the policies that the user chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.evidence import NO_ROW, PRESENT, UNGRADED, Evidence
from nescio.data.judges import JudgeRecord
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UsageError

INCORRECT, CORRECT, SILENT, NOT_GRADED, ABSENT = 0, 1, 2, 3, -1
STATES = {"incorrect": INCORRECT, "correct": CORRECT, "unanswered": SILENT}

Missing = Literal["error", "unanswered", "common"]  # what to do with a question that a run lacks
Ungraded = Literal["error", "exclude", "bounds"]  # with an answer that has no grade
Unanswerable = Literal["correct", "exclude"]  # with a question that has no answer
MissingConfidence = Literal["error", "exclude"]  # with an answer without a confidence, in a run that has some
MISSING: tuple[Missing, ...] = get_args(Missing)
UNGRADED_POLICIES: tuple[Ungraded, ...] = get_args(Ungraded)
UNANSWERABLE: tuple[Unanswerable, ...] = get_args(Unanswerable)
MISSING_CONFIDENCE: tuple[MissingConfidence, ...] = get_args(MissingConfidence)

UNGRADED_LEFT_OUT = "outcomes.ungraded_left_out"  # the code of a note that a ranking has no need of


@dataclass(frozen=True, slots=True)
class Label:
    """A person's verdict on one answer: CORRECT, INCORRECT, SILENT, or NOT_GRADED where there is none.

    Whose answer it was, `run` says, or its text `answer`, or both; `place` is where the verdict stands, for messages.
    """

    question: str
    state: int
    run: str | None = None
    answer: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Policies:
    """What to do with a missing row, an ungraded answer, a question that has no answer, and an answer without a confidence in a
    run that has some."""

    missing: Missing = "error"
    ungraded: Ungraded = "error"
    unanswerable: Unanswerable = "correct"
    missing_confidence: MissingConfidence = "error"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("missing", self.missing, MISSING),
            ("ungraded", self.ungraded, UNGRADED_POLICIES),
            ("unanswerable", self.unanswerable, UNANSWERABLE),
            ("missing_confidence", self.missing_confidence, MISSING_CONFIDENCE),
        ):
            if value not in allowed:
                raise UsageError(f"{name} must be one of {', '.join(allowed)} (found {value!r})")


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What is known of every answer before any policy is applied; arrays have shape (runs, questions).

    `state` is INCORRECT, CORRECT, SILENT, NOT_GRADED or ABSENT. `candidate` is 1 or 0 for a declined candidate that would
    have been right or wrong, -1 where there is none; `answerable`, one a question, is -1 where the collection does not say.
    `why` says in a few words why an answer is silent or not graded, where its source tells such apart, else None. `files`
    names the file that each run came from, for messages, `judges` who judged its answers (None where that is not known), and
    `origins` the run of the files that a run was made from, where a policy made two of it.
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
    files: tuple[str, ...] = ()
    judges: tuple[JudgeRecord | None, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)

    def select(self, questions: Array) -> Outcomes:
        """Return the same runs on some of the questions (a mask)."""

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
        )

    def where(self, run: int, question: int) -> str:
        """Return a run and a question as a message names them."""
        origin = f"{self.files[run]}: " if self.files else ""
        return f"{origin}run {self.runs[run]!r}, question {self.questions[question]!r}"


@dataclass(frozen=True, slots=True)
class NonAnswers:
    """How many of a run's answers are none, by kind: `taken_for` is silence, not graded or missing; `of` is all questions."""

    run: str
    why: str
    taken_for: str
    n: int
    of: int


def non_answers(outcomes: Outcomes) -> tuple[NonAnswers, ...]:
    """Return the non-answers of each run by kind, the most frequent first, before any policy is applied."""
    kinds = {SILENT: "silence", NOT_GRADED: "not graded", ABSENT: "missing"}
    of, rows = len(outcomes.questions), []
    for r, run in enumerate(outcomes.runs):
        counted: Counter[tuple[int, str | None]] = Counter()
        for state in kinds:
            there = outcomes.state[r] == state
            if outcomes.why is None:
                counted[state, None] += int(there.sum())
            else:
                counted.update((state, why) for why in outcomes.why[r, there])
        rows += [NonAnswers(run, why or kinds[s], kinds[s], n, of) for (s, why), n in counted.most_common() if n]
    return tuple(rows)


def reasons_note(run: str, reasons: Mapping[str, int], total: int) -> Note:
    """Count what stands behind the silence and the ungraded answers of a run, the most frequent reason first."""
    counted = [(count, reason) for reason, count in Counter(reasons).most_common()]
    return note(
        "outcomes.reasons", "run {subject!r}: {counted:each %d %s} (of {total})", run, counted=counted, total=total
    )


def gather(cells: Mapping[str, Array], runs: tuple[str, ...], questions: tuple[str, ...]) -> tuple[Outcomes, int]:
    """Outcomes from one row an answer: `run` and `question` as indices, `rank`, `state`, `confidence`, `candidate`, `known`.

    The answer of rank 1 gives the outcome; all of them give the rank of the first right one and the credit in K. Returns
    the number of rows below rank 1 too.
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
    """Σ score·eval over a question's answers, by rank, over max(known answers, answers given); NaN without confidence."""
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


def apply_policies(outcomes: Outcomes, policies: Policies) -> tuple[Evidence, list[Note]]:
    """Apply the policies, and say in notes what each of them touched."""
    notes: list[Note] = []
    outcomes = _settle_unanswerable(_settle_missing(outcomes, policies.missing, notes), policies.unanswerable, notes)
    outcomes = _settle_ungraded(outcomes, policies.ungraded, notes)
    absence = np.full(outcomes.state.shape, PRESENT, dtype=np.uint8)
    absence[outcomes.state == ABSENT] = NO_ROW
    absence[outcomes.state == NOT_GRADED] = UNGRADED
    clusters = None if outcomes.clusters is None else np.unique(outcomes.clusters, return_inverse=True)[1]
    evidence = Evidence(
        outcomes.runs,
        outcomes.questions,
        _columns(outcomes),
        absence,
        strata=dict(outcomes.strata),
        clusters=clusters,
        origins=outcomes.origins,
    )
    return evidence, notes


def _columns(outcomes: Outcomes) -> dict[str, Array]:
    state = outcomes.state
    unanswerable = (
        np.zeros(len(outcomes.questions), dtype=bool) if outcomes.answerable is None else outcomes.answerable == 0
    )
    answered = ((state == CORRECT) & ~unanswerable) | (state == INCORRECT)
    columns: dict[str, Array] = {
        "correct": (state == CORRECT) | ((state == SILENT) & unanswerable),
        "incorrect": state == INCORRECT,
        "unanswered": (state == SILENT) & ~unanswerable,
        "answered": answered,
    }
    if outcomes.candidate is not None and (outcomes.candidate >= 0).any():
        declined = (outcomes.candidate >= 0) & ((state == SILENT) | ((state == CORRECT) & unanswerable))
        columns["candidate_correct"] = declined & (outcomes.candidate == 1) & ~unanswerable
        columns["candidate_incorrect"] = declined & ~columns["candidate_correct"]
    columns = {name: column.astype(np.int8) for name, column in columns.items()}
    if outcomes.answerable is not None and (outcomes.answerable >= 0).any():
        known = np.broadcast_to(outcomes.answerable, state.shape)
        whole = bool((known >= 0).all())
        columns["answerable"] = known.astype(np.int8) if whole else np.where(known < 0, np.nan, known).astype(float)
    if outcomes.confidence is not None and not np.isnan(outcomes.confidence).all():
        columns["confidence"] = outcomes.confidence
    if outcomes.first_right is not None:
        columns["first_right"] = outcomes.first_right
    return columns | dict(outcomes.extra_columns)


def _settle_missing(outcomes: Outcomes, policy: str, notes: list[Note]) -> Outcomes:
    lacking = outcomes.state == ABSENT
    if not lacking.any():
        return outcomes
    total = len(outcomes.questions)
    if policy == "error":
        run = int(np.flatnonzero(lacking.any(axis=1))[0])
        first = int(np.flatnonzero(lacking[run])[0])
        others = int(lacking.any(axis=1).sum()) - 1
        more = f"; {others} more run{'s lack' if others > 1 else ' lacks'} some" if others else ""
        origin = f"{outcomes.files[run]}: " if outcomes.files else ""
        raise MismatchError(
            f"{origin}run {outcomes.runs[run]!r} lacks {lacking[run].sum()} of {total} questions (first: "
            f"{outcomes.questions[first]!r}){more}; use --missing unanswered to count them as unanswered, or "
            "--missing common to keep only the questions that all runs have"
        )
    if policy == "unanswered":
        for run in map(int, np.flatnonzero(lacking.any(axis=1))):
            notes.append(
                note(
                    "outcomes.missing_silent",
                    "run {subject!r}: {missing} of {total} questions {missing:is/are} missing and counted as "
                    "unanswered",
                    outcomes.runs[run],
                    missing=int(lacking[run].sum()),
                    total=total,
                )
            )
        return replace(outcomes, state=np.where(lacking, SILENT, outcomes.state).astype(np.int8))
    common = ~lacking.any(axis=0)
    if not common.any():
        raise MismatchError("the runs have no question in common")
    notes.append(
        note(
            "outcomes.common",
            "{common} of {total} questions are common to all runs; the other {others} are left out",
            common=int(common.sum()),
            total=total,
            others=int((~common).sum()),
        )
    )
    return outcomes.select(common)


def _settle_unanswerable(outcomes: Outcomes, policy: str, notes: list[Note]) -> Outcomes:
    if outcomes.answerable is None or not (outcomes.answerable == 0).any():
        return outcomes
    unanswerable = outcomes.answerable == 0
    count, total = int(unanswerable.sum()), len(unanswerable)
    if policy == "exclude":
        if unanswerable.all():
            raise MismatchError("every question is unanswerable, so --unanswerable exclude leaves none")
        notes.append(
            note(
                "outcomes.unanswerable_left_out",
                "{count} of {total} questions {count:has/have} no answer and {count:is/are} left out",
                count=count,
                total=total,
            )
        )
        return outcomes.select(~unanswerable)
    notes.append(
        note(
            "outcomes.unanswerable",
            "{count} of {total} questions {count:has/have} no answer: abstaining is correct there, and answering is "
            "incorrect",
            count=count,
            total=total,
        )
    )
    return outcomes


def _settle_ungraded(outcomes: Outcomes, policy: str, notes: list[Note]) -> Outcomes:
    ungraded = outcomes.state == NOT_GRADED
    if not ungraded.any():
        return outcomes
    if policy == "error":
        run, question = (int(i[0]) for i in np.nonzero(ungraded))
        total = int(ungraded.sum())
        raise MismatchError(
            f"{outcomes.where(run, question)}: the answer is not graded ({total} such answer{'s' if total > 1 else ''} "
            "in all); use --ungraded exclude to leave them out, or --ungraded bounds to report both extremes"
        )
    for run in map(int, np.flatnonzero(ungraded.any(axis=1))):
        notes.append(_ungraded_note(policy, outcomes.runs[run], int(ungraded[run].sum()), ungraded.shape[1]))
    if policy == "bounds" and "k_credit" in outcomes.extra_columns:
        notes.append(note("outcomes.k_without_bounds", "K has no such bounds: it uses only the graded answers"))
    return outcomes if policy == "exclude" else _both_extremes(outcomes, ungraded)


def _ungraded_note(policy: str, run: str, count: int, total: int) -> Note:
    if policy == "exclude":
        return note(
            UNGRADED_LEFT_OUT,
            "run {subject!r}: {count} of {total} answers {count:is/are} not graded and left out",
            run,
            count=count,
            total=total,
        )
    return note(
        "outcomes.ungraded_bounds",
        "run {subject!r}: {count} of {total} answers {count:is/are} not graded; counted once as wrong and once as "
        "right",
        run,
        count=count,
        total=total,
    )


def _both_extremes(outcomes: Outcomes, ungraded: Array) -> Outcomes:
    """Each run with ungraded answers twice: all of them wrong, and all of them right."""
    take, states, names = [], [], []
    origins: dict[str, str] = {}
    for run, name in enumerate(outcomes.runs):
        touched = bool(ungraded[run].any())
        for state, suffix in (
            ((INCORRECT, " [ungraded wrong]"), (CORRECT, " [ungraded right]")) if touched else ((0, ""),)
        ):
            take.append(run)
            states.append(np.where(ungraded[run], state, outcomes.state[run]))
            names.append(name + suffix)
            if touched:
                origins[name + suffix] = name

    def rows(array: Array | None) -> Array | None:
        return None if array is None else array[take]

    settled, first = np.array(states, dtype=np.int8), rows(outcomes.first_right)
    return replace(
        outcomes,
        runs=tuple(names),
        origins=origins,
        state=settled,
        confidence=rows(outcomes.confidence),
        candidate=rows(outcomes.candidate),
        first_right=None if first is None else np.where(ungraded[take] & (settled == CORRECT), 1, first),
        extra_columns={name: array[take] for name, array in outcomes.extra_columns.items()},
        why=rows(outcomes.why),
        files=tuple(outcomes.files[i] for i in take) if outcomes.files else (),
        judges=tuple(outcomes.judges[i] for i in take) if outcomes.judges else (),
    )
