"""Test whether a judge errs on one run as it errs on others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct

from nescio.comparison.judge_traits import preferences
from nescio.data.assessors import Resolution
from nescio.data.evidence import UNGRADED
from nescio.data.notes import note
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.scoring.corrected_scores import open_labelled
from nescio.scoring.judge_agreement import chosen_labels
from nescio.scoring.labels import Labels, read_labels
from nescio.stats.contrasts import FEWEST, contrast
from nescio.stats.intervals import wilson

Answer = Literal["pass", "fail", "inconclusive", "not graded", "not checked"]
Error = Literal["bias", "false-positives", "false-negatives"]
_OF: Mapping[Error, str] = {
    "bias": "labelled answers",
    "false-positives": "labelled answers that people call not correct",
    "false-negatives": "labelled answers that people call correct",
}


class Shift(Row, frozen=True):
    """Whether a judge errs on a run as it errs on the runs from which its correction was learned, and the reason.

    `value` is the judge's error on the run, and `learned` its error on the other runs. `difference` is the first minus
    the second, with its interval. `labels` and `learned_labels` count the labelled answers from which the two errors
    were computed. Values that were not computed are NaN.
    """

    run: Annotated[str, Shown()]
    learned_on: Annotated[str, Shown()]
    answer: Annotated[Answer, Shown(after="both_labels")]
    why: str
    value: Annotated[float, Shown("here", form="signed", undefined="–")]
    learned: Annotated[float, Shown("there", form="signed", undefined="–")]
    difference: Annotated[float, Shown(form="signed", undefined="–", interval=("low", "high"))]
    low: float
    high: float
    labels: int
    learned_labels: int

    @property
    def both_labels(self) -> Annotated[str, Shown("labels", numeric=True)]:
        """Return two numbers of labels: of the run, and of the runs from which the correction was learned."""
        return f"{self.labels:,} and {self.learned_labels:,}"

    @classmethod
    def below(cls, rows: Sequence[Shift]) -> Iterable[str]:
        """Return a sentence for each run, which gives the verdict on the judge and the reason."""
        return [f"{row.run}: {row.answer}, as {row.why}." for row in rows]


class JudgeError(Struct, frozen=True):
    """One kind of error of the judge on a run, computed from `labels` of people.

    The bias (the judge's share correct minus people's) has Student's interval. The shares of false positives and false
    negatives have Wilson's.
    """

    run: Annotated[str, Shown("judge on")]
    error: Error
    value: Annotated[float, Shown(undefined="–", interval=("low", "high"))]
    low: float
    high: float
    labels: Annotated[int, Shown("of labels")]

    @property
    def which(self) -> Annotated[str, Shown("error", after="run")]:
        """Return the name of the error in words, such as "false positives"."""
        return self.error.replace("-", " ")


def judge_shift(
    source: Any,
    options: Mapping[str, Any],
    labels: Any,
    *,
    margin: float,
    learned_on: Sequence[str] = (),
    error: Error = "bias",
    by: Sequence[str] = (),
    own: Sequence[str] = (),
    ci: float = 95.0,
    resolve: Resolution = "adjudicated",
) -> Results[Shift]:
    """Test whether the judge errs on each run as on the runs from which its correction was learned (`learned_on`).

    Without `learned_on`, each run is compared with all other runs. A run passes if the interval of the difference lies
    within ± `margin`, and fails if it lies outside. `labels` must be of a random sample of each run's answers; the
    figures then describe all its answers. The bias is also shown for each value of the columns in `by`. `own` names the
    runs of the judge's own model. Raises MismatchError for a single run, UsageError for labels that are not a simple
    random sample.
    """
    how = {"texts": True, "graded": ("length", "position"), **options}
    loaded = open_labelled(source, None, how, labels, ("position", *by))
    laid = read_labels(loaded, labels, resolve=resolve)
    if laid.inclusion is not None:
        raise UsageError(
            "an audit needs labels of a simple random sample, but these labels have probabilities of inclusion"
        )
    data, runs = laid.data, laid.data.runs
    for name in (*learned_on, *own):
        if name not in runs:
            raise UnknownNameError("run", name, runs)
    if len(runs) == 1 or {*runs} == {*learned_on}:
        raise MismatchError(
            "the correction was learned on all runs, so no run is left to check; add another run, or name fewer runs "
            "on which it was learned"
        )
    run_of, question = np.nonzero(laid.labelled)
    unit = question if data.clusters is None else data.clusters[question]
    judge = (data.column("correct")[laid.labelled] == 1).astype(float)
    people = laid.said[laid.labelled].astype(float)
    errors: dict[Error, tuple[Any, Any]] = {
        "bias": (judge - people, np.ones(len(judge), dtype=bool)),
        "false-positives": (judge, people == 0),
        "false-negatives": (1 - judge, people == 1),
    }
    values, shows = errors[error]
    rows, all_errors = list[Shift](), list[JudgeError]()
    for run, name in enumerate(runs):
        here = run_of == run
        for which, (off, defined) in errors.items():
            all_errors.append(_error(name, which, ci / 100, off=off, unit=unit, of=defined & here))
        if name in learned_on:
            continue
        names = list(learned_on) or [other for other in runs if other != name]
        learned = shows & np.isin(run_of, [runs.index(other) for other in names])
        made = contrast(values, unit, shows & here, learned)
        low, high = made.interval(ci / 100)
        answer, why = _unchecked(laid, run, made.sizes, _OF[error]) or _answer(low, high, margin)
        figures = (made.first, made.second, made.difference, low, high)
        if answer in ("not graded", "not checked"):
            figures = (math.nan,) * 5
        rows.append(Shift(name, " + ".join(names), answer, why, *figures, *made.sizes))
    by_trait, unchecked = preferences(loaded, laid, errors["bias"][0], unit, by=by, own=own, level=ci / 100)
    about = note(
        "shift.about",
        "the bias is the judge's share of correct answers minus people's share, on {labels:n labelled answer}. "
        "The figures describe all answers of the runs, if each run's labels are a random sample of its answers",
        labels=len(judge),
    )
    chosen = chosen_labels(runs, data.column("correct") == 1, data.present & ~laid.known, laid.labelled)
    asked = {"learned_on": "+".join(learned_on) or "all others", "error": error, "margin": f"{margin:g}"}
    line = sign(**loaded.signature, **laid.signature, **asked, ci=f"{ci:g}")
    notes = tuple(dict.fromkeys([*loaded.notes, *laid.notes, about, *chosen, *unchecked]))
    return Results(tuple(rows), line, notes, "shift", {"errors": tuple(all_errors), "preferences": tuple(by_trait)})


def _unchecked(laid: Labels, run: int, sizes: tuple[int, int], what: str) -> tuple[Answer, str] | None:
    """Return "not checked" or "not graded" with the reason if a run cannot be checked, or None if it can.

    `sizes` has the numbers of labels of the run and of the other runs, and `what` names these labels.
    """
    if not (laid.data.present[run] & ~laid.known[run]).any():
        if (laid.data.absence[run] == UNGRADED).any():
            return "not graded", "the judge gave no verdict on its answers"
        return "not checked", "it gave no answer that needs a verdict"
    for whose, many in zip(("it has", "the runs that the correction was learned on have"), sizes, strict=True):
        if many < FEWEST:
            return "not checked", f"{whose} {many:,} {what}, and {FEWEST} are needed"
    return None


def _answer(low: float, high: float, margin: float) -> tuple[Answer, str]:
    """Return "pass", "fail" or "inconclusive", with the reason, by comparing the interval with ± `margin`."""
    if -margin <= low and high <= margin:
        return "pass", f"the difference is within ±{margin:g}"
    if low > margin or high < -margin:
        return "fail", f"the difference is more than {margin:g}"
    return "inconclusive", f"the interval extends beyond ±{margin:g}: label more answers to decide"


def _error(run: str, error: Error, level: float, *, off: Any, unit: Any, of: Any) -> JudgeError:
    """Return the mean error of the judge over the labels that the mask `of` marks, with its interval.

    The error is NaN if the mask marks no label. `off` is the judge's error on each label, and `unit` the label's
    question or cluster.
    """
    many = int(of.sum())
    if error == "bias":
        made = contrast(off, unit, of, np.zeros(len(of), dtype=bool))
        return JudgeError(run, error, made.first, *made.interval(level), many)
    times = float(off[of].sum())
    return JudgeError(run, error, times / many if many else math.nan, *wilson(times, many, level), many)
