"""The results of tuning a threshold."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

from nescio._version import __version__
from nescio.data.evidence import Evidence
from nescio.data.results import Plotted
from nescio.measures import parse


class Tuning(Struct, frozen=True):
    """The effect of a threshold on a run, which answers if the confidence is at least `threshold`.

    threshold             None if nothing is answered (`coverage` 0), or if the guaranteed risk allows every answer
    coverage, risk        at this threshold on the data at hand (in sample): the share of the n questions answered, and
                          the share of these answers that are wrong
    risk_upper            the upper bound of the risk on new questions; None without `max_risk`
    value, low, high      the measure on held-out questions (cross-fitted), with its interval: what to expect
    value_all_answered,   the measure, coverage and risk if every question that can be answered is answered
    coverage_all_answered,
    risk_all_answered
    value_in_sample       the measure at the threshold on the data on which it was chosen: too good
    coverage_held_out,    coverage and risk on held-out questions, as for `value`
    risk_held_out
    value_as_given,       the measure, coverage and risk of the run before tuning
    coverage_as_given,
    risk_as_given
    max_risk, confidence  the requested guarantee; None without one
    answers_needed,       if nothing could be certified: how many accepted answers it would take without an error,
    answers_needed_at_rate  and at the error rate of the most promising threshold (None: no number is enough)
    folds                 how many parts were held out in turn; 0 if nothing could be held out
    n                     the number of questions

    NaN is undefined, as `risk` is if nothing is answered.
    """

    run: str
    measure: str
    threshold: float | None
    coverage: float
    risk: float
    risk_upper: float | None
    value: float
    value_all_answered: float
    value_in_sample: float
    low: float | None
    high: float | None
    n: int
    coverage_held_out: float
    risk_held_out: float
    value_as_given: float
    coverage_as_given: float
    risk_as_given: float
    coverage_all_answered: float
    risk_all_answered: float
    max_risk: float | None = None
    confidence: float | None = None
    answers_needed: int | None = None
    answers_needed_at_rate: int | None = None
    folds: int = 0

    @property
    def helps(self) -> bool | None:
        """Return whether the held-out value is better than that of the run as given.

        Returns None if the interval contains the value as given, or if nothing was held out.
        """
        sign = -1 if parse(self.measure).declaration.lower_is_better else 1
        gained = sign * (self.value - self.value_as_given)
        if math.isnan(gained):
            return None
        if gained <= 0:
            return False
        if self.low is None or self.high is None:
            return True
        return None if self.low <= self.value_as_given <= self.high else True


class Tuned(Plotted[Tuning], frozen=True):
    """The result of `tune`: one row, a `Tuning`.

    `tables` has the risk-coverage `curve` and the `grid` of a guaranteed risk. `applied` is the run with the threshold
    applied and its other answers kept as candidates, to be scored or written. Answers without a confidence or a grade
    are in it as the run gave them. `applied` is None if no threshold could be certified. `whole_curve` says whether a
    terminal shows the curve.
    """

    applied: Evidence | None = None
    whole_curve: bool = False

    @property
    def status(self) -> int:
        """Return the exit status of a command: 3 if no threshold could be certified, else 0."""
        return 3 if self.applied is None else 0

    @property
    def threshold(self) -> float | None:
        """Return the confidence from which the run should answer, or None if there is no threshold to apply."""
        return self.rows[0].threshold

    def to_dict(self) -> dict[str, Any]:
        """Return the row and its tables as a dictionary, as the command line prints it with `-f json`."""
        row = Plotted.records(self)[0]
        more = {name: Plotted.records(self, name) for name in self.tables}
        return {
            "nescio": __version__,
            "signature": str(self.signature),
            **row,
            **more,
            "notes": list(map(str, self.notes)),
        }
