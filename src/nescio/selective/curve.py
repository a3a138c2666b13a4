"""Apply thresholds to one run, and compute its risk-coverage curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array, bare, known
from nescio.data.evidence import NO_ROW, Evidence
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.text import listed

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Point(Struct, frozen=True):
    """One point of a risk-coverage curve: answer every question whose confidence is at least `threshold`.

    `coverage` is the share of the questions answered, and `risk` the share of these answers that are wrong; both lie in
    [0, 1].
    """

    threshold: float
    coverage: float
    risk: float


class OneRun(Struct, frozen=True, eq=False):
    """One run, its graded questions in the order of their names; arrays have shape (questions,).

    `confidence` is the confidence of the answer, or of the declined candidate that was judged. It is -inf if there is
    neither, so that no threshold answers the question. `wrong` marks wrong answers and candidates. `left_out` counts
    the answers without a confidence, which are not among the questions. `rows` are the indices of the questions in the
    data from which the run was taken.
    """

    data: Evidence
    confidence: Floats
    wrong: Bools
    rows: NDArray[np.int64]
    left_out: int = 0

    @property
    def has_confidence(self) -> Bools:
        """Return a mask of the questions that can be answered at all."""
        return np.isfinite(self.confidence)

    def accept(self, threshold: Floats | float) -> Bools:
        """Return a mask of the questions answered: those with a confidence of at least `threshold`."""
        return self.has_confidence & (self.confidence >= threshold)

    def apply(self, accepted: Bools) -> Evidence:
        """Return the run with the accepted questions answered, and its other answers turned into declined candidates.

        On a question that has no answer (`answerable` 0), declining is correct and answering is incorrect. The
        declaration of any other column states the value of a declined question. Answers below the first rank are
        dropped, because a threshold on the first answer says nothing about them.
        """
        yes, no = self.has_confidence & accepted, self.has_confidence & ~accepted
        old = {name: values[0] for name, values in self.data.columns.items() if not known(name).lower_ranks}
        impossible = old["answerable"] == 0 if "answerable" in old else np.zeros(len(yes), dtype=bool)
        none = np.zeros(len(yes), dtype=np.int8)
        new = {
            "correct": np.where(yes, ~self.wrong, np.where(no, impossible, old["correct"])),
            "incorrect": np.where(yes, self.wrong, np.where(no, False, old["incorrect"])),
            "unanswered": np.where(yes, False, np.where(no, ~impossible, old["unanswered"])),
            "answered": np.where(yes, True, np.where(no, False, old["answered"])),
            "candidate_correct": np.where(self.has_confidence, no & ~self.wrong, old.get("candidate_correct", none)),
            "candidate_incorrect": np.where(self.has_confidence, no & self.wrong, old.get("candidate_incorrect", none)),
        }
        columns: dict[str, Array] = old | {name: values.astype(np.int8) for name, values in new.items()}
        for name, values in old.items():
            if isinstance(earned := known(name).when_declined, float):
                columns[name] = np.where(no, earned, values)
        return replace(self.data, columns={name: values[None] for name, values in columns.items()})


def one_run(data: Evidence, run: str | int | None = None) -> OneRun:
    """Return one run of the data: by its name, by its index, or the only one.

    Raises UsageError if there are several and none is named, and UnknownNameError for an unknown name. Raises
    MismatchError if the run has no outcomes, no graded question, or answers without confidences. A run that answers
    nothing needs no confidences.
    """
    data = data.take_runs([_place(data.runs, run)])
    rows = _by_name(data, data.present[0])
    data = data.select(rows)
    columns, name = data.columns, data.runs[0]
    if not columns.keys() >= {"correct", "incorrect", "unanswered", "answered"}:
        have = ", ".join(map(bare, columns)) or "none"
        raise MismatchError(
            "a threshold needs outcomes and confidences, because it decides which answers count (columns found: "
            f"{have})"
            f"{data.hint()}"
        )
    if not data.questions:
        raise MismatchError(f"run {name!r} has no graded question")
    if np.isnan(columns.get("confidence", np.nan)).all():
        if any(
            (columns[c] == 1).any() for c in ("answered", "candidate_correct", "candidate_incorrect") if c in columns
        ):
            raise MismatchError(f"run {name!r} has no confidences, and a threshold needs them")
        return OneRun(data, np.full(len(data.questions), -np.inf), np.zeros(len(data.questions), dtype=bool), rows)
    confidence = np.asarray(data.column("selection_score")[0], dtype=np.float64)
    known_ = ~np.isnan(confidence)
    data = data if known_.all() else data.select(known_)
    return OneRun(data, confidence[known_], data.column("right")[0] == 0, rows[known_], int((~known_).sum()))


def _by_name(data: Evidence, mask: Bools) -> NDArray[np.int64]:
    """Return the indices of the rows that the mask marks, in the order of their questions' names."""
    return np.array(sorted(np.flatnonzero(mask).tolist(), key=data.questions.__getitem__), dtype=np.int64)


def with_left_out(data: Evidence, one: OneRun, applied: Evidence) -> Evidence:
    """Return all answers of a run: those of `applied`, and those that `one` left out, as the run gave them.

    `applied` is the run `one` after a threshold, and `data` the data from which the run was taken. So no answer without
    a confidence or a grade is lost from a run that is written.
    """
    data = data.take_runs([data.runs.index(one.data.runs[0])])
    every = _by_name(data, data.absence[0] != NO_ROW)
    if len(every) == len(one.rows):
        return applied
    place = np.full(len(data.questions), -1)
    place[every] = np.arange(len(every))
    whole, columns = data.select(every), dict[str, Array]()
    for name, new in applied.columns.items():
        old = whole.columns.get(name, np.zeros(whole.absence.shape, dtype=np.int8))
        columns[name] = old.astype(np.result_type(old, new))
        columns[name][:, place[one.rows]] = new
    return replace(whole, columns=columns)


def _place(runs: Sequence[str], run: str | int | None) -> int:
    if run is None:
        if len(runs) > 1:
            raise UsageError(
                f"there are {len(runs)} runs, and each needs its own threshold; name one run with {opt('run')}: "
                f"{listed(runs, 20)}"
            )
        return 0
    if isinstance(run, int):
        return range(len(runs))[run]
    if run not in runs:
        raise UnknownNameError("run", run, runs)
    return runs.index(run)


def risk_coverage(data: Evidence, run: str | int | None = None) -> tuple[Point, ...]:
    r"""Return the risk-coverage curve of a run (El-Yaniv & Wiener, JMLR 2010), a point for each distinct confidence.

    The highest confidence comes first. At threshold τ, k of n questions have an answer or a judged candidate of
    confidence ≥ τ, and E of these are wrong. The coverage is $k/n$ and the risk $E/k$. Tied questions are answered
    together. An abstention without a judged candidate is never answered and stays in n, so the curve may end below a
    coverage of 1. The curve is empty if nothing can be answered. Raises the errors of `one_run`.
    """
    return curve_of(one_run(data, run))


def curve_of(run: OneRun, most: int | None = None) -> tuple[Point, ...]:
    """Return the risk-coverage curve of one run, or `most` of its points (at least two).

    The points are evenly spaced in coverage and include both ends.
    """
    values, accepted, wrong = counts(run.confidence[run.has_confidence], run.wrong[run.has_confidence])
    n, at = len(run.confidence), np.arange(len(values))
    if most is not None and len(at) > most:
        at = np.unique(np.searchsorted(accepted, np.linspace(accepted[0], accepted[-1], max(most, 2))))
    return tuple(Point(float(values[i]), int(accepted[i]) / n, int(wrong[i]) / int(accepted[i])) for i in at)


def counts(confidence: Floats, wrong: Bools) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct confidences, the highest first, with two cumulative counts for each.

    The counts are the answers with at least this confidence, and the wrong ones among them.
    """
    values, group = np.unique(-confidence, return_inverse=True)
    accepted = np.cumsum(np.bincount(group, minlength=len(values)))
    failed = np.cumsum(np.bincount(group[wrong], minlength=len(values)))
    return -values, accepted, failed


def as_outcomes(data: Evidence) -> Outcomes:
    """Return data in the form in which readers of files return outcomes; answers without a grade have no outcome.

    `nescio.tables.outcomes_writer` can then write them.
    """
    columns, shape = data.columns, data.absence.shape
    answered = columns["answered"] == 1
    state = np.where(answered, np.where(columns["correct"] == 1, CORRECT, INCORRECT), SILENT).astype(np.int8)
    state[~data.present] = NOT_GRADED
    state[data.absence == NO_ROW] = ABSENT
    none = np.zeros(shape, dtype=np.int8)
    candidate = np.where(columns.get("candidate_correct", none) == 1, 1, -1)
    candidate[columns.get("candidate_incorrect", none) == 1] = 0
    answerable = None
    if "answerable" in columns:
        known = np.asarray(columns["answerable"][0], dtype=np.float64)
        answerable = np.where(np.isnan(known), -1, known).astype(np.int8)
    clusters = None
    if data.groups is not None:
        width = len(str(int(data.groups.max(initial=0))))
        clusters = np.array([f"{int(cluster):0{width}}" for cluster in data.groups], dtype=object)
    return Outcomes(
        data.runs,
        data.questions,
        state,
        confidence=columns.get("confidence"),
        candidate=candidate.astype(np.int8),
        answerable=answerable,
        strata=dict(data.strata),
        clusters=clusters,
        repeats=data.repeats,
    )
