"""Compute plans from a joint table, by simulated collections, or from a standard error alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from nescio.comparison.paired_data import pair_up
from nescio.data.columns import Array
from nescio.data.notes import Note, note
from nescio.data.shown import Row, Shown
from nescio.errors import UsageError
from nescio.measures import Measure
from nescio.meta_evaluation.planning._joint import Joint, tilt
from nescio.meta_evaluation.planning.rejections import LARGEST, Aim, SimulatedPlan, needed, resolvable
from nescio.stats import resampling
from nescio.stats.streams import Stream
from nescio.text import plural

EXACT = "simulated exact test"
PERMUTATION = "simulated permutation"
NORMAL = "normal approximation"
RESAMPLES = 4_000  # of a pilot, for the standard error of the difference
FEW = 30  # A note warns about fewer units.
NAN = float("nan")


class PowerPlan(Row, frozen=True):
    """A plan: with `questions` questions, a two-sided test at `alpha` detects `difference` with probability `power`.

    `solved` is "questions" or "difference", whichever was computed from the other. Without a solution, that number is
    None or NaN, and a note says why. `difference` is run minus baseline. `error` is the Monte Carlo standard error of
    the power (None if it was not simulated). `apart` is the share of questions with different outcomes of the two
    systems (None if only scores are known). `clusters` is the number of clusters (None if there are none).
    """

    measure: Annotated[str, Shown()]
    solved: str
    difference: Annotated[float, Shown(form="short", undefined="–")]
    questions: Annotated[int | None, Shown(always=True)]
    power: float
    error: float | None
    alpha: float
    apart: Annotated[float | None, Shown("outcomes differ", form="percent")]
    clusters: Annotated[int | None, Shown(after="questions")]
    method: Annotated[str, Shown()]

    @property
    def power_sure(self) -> Annotated[str | None, Shown("power", numeric=True, after="clusters")]:
        """Return the power as text, such as "0.803", or "0.803 ± 0.004" with the Monte Carlo error of a simulation.

        Returns None if the power is undefined.
        """
        if math.isnan(self.power):
            return None
        return f"{self.power:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")

    @property
    def sentence(self) -> str:
        """Return the plan as a sentence, such as "c@1: 1,200 questions detect a difference of 0.05 with power …"."""
        if self.questions is None:
            return f"{self.measure}: no feasible number of questions detects a difference of {self.difference:.4g}"
        single = self.questions == 1
        size = f"{self.questions:,} question{'' if single else 's'}"
        size += "" if self.clusters is None else f" ({plural(self.clusters, 'cluster')})"
        if math.isnan(self.difference):
            return f"{self.measure}: {size} detect{'s' * single} no difference at alpha {self.alpha:g}"
        difference = f"{self.difference:.{4 if self.solved == 'questions' else 3}g}"
        how = f"with power {self.power:.2f} at alpha {self.alpha:g}"
        return f"{self.measure}: {size} detect{'s' * single} a difference of {difference} {how}"

    @classmethod
    def above(cls, rows: Sequence[PowerPlan]) -> Iterable[str]:
        """Return the sentence of each plan, to be shown above the table."""
        return [row.sentence for row in rows]

    @classmethod
    def below(cls, rows: Sequence[PowerPlan]) -> Iterable[str]:
        """Return sentences that explain the number of questions, and the "±" after a power."""
        yield "Both systems answer the same questions, and each question counts once."
        if any(row.error is not None for row in rows):
            yield "±: the standard error of the simulated power."


class Answer(Struct):
    """The plans for one measure as `rows`, notes on them, and `refusals`, which are notes on why a row is missing."""

    rows: list[PowerPlan] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    refusals: list[Note] = field(default_factory=list)


class PlanRequest(Struct, frozen=True):
    """The request of a call of `plan`: a power (`aim`), and a difference or a number of questions.

    The difference or the number is None if the caller gave none.
    """

    aim: Aim
    difference: float | None
    questions: int | None


class Table(Struct, frozen=True, eq=False):
    """The start of a plan: the joint distribution observed on a pilot of `n` questions, or that of stated rates.

    For stated rates `n` is None.
    """

    joint: Joint
    n: int | None
    model: str

    @property
    def measure(self) -> Measure:
        """Return the measure of the plan."""
        return self.joint.pair.measure

    @property
    def method(self) -> str:
        """Return the name of the method that computes the power."""
        return EXACT if self.joint.linear else PERMUTATION

    @property
    def observed(self) -> float:
        """Return the difference from which the plan starts; NaN if it is undefined."""
        return self.joint.difference

    def size(self, difference: float, aim: Aim) -> PowerPlan | float:
        """Return the plan with the number of questions that `difference` needs.

        If this number is too large for a simulation, returns only the number, as a float.
        """
        simulated = needed(tilt(self.joint, difference), aim)
        return self._row("questions", difference, simulated, aim) if isinstance(simulated, SimulatedPlan) else simulated

    def resolved(self, questions: int, sign: float, aim: Aim) -> PowerPlan | None:
        """Return the plan with the smallest difference of this `sign` that `questions` questions detect.

        Returns None if they detect no difference.
        """
        simulated = resolvable(self.joint, questions, aim, sign)
        return None if simulated is None else self._row("difference", simulated.joint.difference, simulated, aim)

    def _row(self, solved: str, difference: float, simulated: SimulatedPlan, aim: Aim) -> PowerPlan:
        how = (simulated.power, simulated.error, aim.alpha, simulated.joint.apart, None, self.method)
        return PowerPlan(self.measure.label, solved, difference, simulated.questions, *how)


class Spread(Struct, frozen=True, eq=False):
    """The start of a plan by normal approximation: the difference on a pilot of `n` questions in `units` units.

    `deviation` is the standard error of this difference times √units.
    """

    measure: Measure
    observed: float
    deviation: float
    n: int
    units: int
    clustered: bool
    model: str = "normal"
    method: str = NORMAL

    def size(self, difference: float, aim: Aim) -> PowerPlan | float:
        """Return the same as `Table.size`, by the normal approximation."""
        self._check(difference)
        enough = math.ceil((distance(aim) * self.deviation / abs(difference)) ** 2 - 1e-9)
        units = max(enough, fewest(aim.alpha))
        questions = math.ceil(units * self.n / self.units - 1e-9)
        return self._row("questions", difference, questions, units, aim) if questions <= LARGEST else float(questions)

    def resolved(self, questions: int, sign: float, aim: Aim) -> PowerPlan | None:
        """Return the same as `Table.resolved`, by the normal approximation."""
        self._check(sign)
        units = round(questions * self.units / self.n)
        if units < fewest(aim.alpha):
            return None
        difference = sign * distance(aim) * self.deviation / units**0.5
        low, high = self.measure.bounds
        return self._row("difference", difference, questions, units, aim) if abs(difference) <= high - low else None

    def _check(self, difference: float) -> None:
        label, width = self.measure.label, self.measure.bounds[1] - self.measure.bounds[0]
        if not self.deviation > 0:
            raise UsageError(
                f"{label}: all resamples of the pilot give the same difference, "
                "so the pilot cannot show how much the difference varies"
            )
        if abs(difference) > width:
            raise UsageError(
                f"{label}: a difference of {difference:g} is impossible; the largest possible difference is {width:g}"
            )

    def _row(self, solved: str, difference: float, questions: int, units: int, aim: Aim) -> PowerPlan:
        from scipy.special import ndtr

        away = abs(difference) * units**0.5 / self.deviation
        power = float(ndtr(away - aim.critical) + ndtr(-away - aim.critical))
        clusters = units if self.clustered else None
        return PowerPlan(
            self.measure.label, solved, difference, questions, power, None, aim.alpha, None, clusters, self.method
        )


def fewest(alpha: float) -> int:
    """Return the fewest units with which an exchange test can reach p = alpha.

    The least p on m units is $2/2^m$.
    """
    return 1 + math.ceil(-math.log2(alpha) - 1e-9)


def distance(aim: Aim) -> float:
    """Return the true difference, in standard errors, at which a two-sided normal test has the wanted power."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    z = aim.critical
    return float(brentq(lambda d: ndtr(d - z) + ndtr(-d - z) - aim.power, 0.0, z + 40.0))


def spread(
    measure: Measure, columns: dict[str, tuple[Array, Array]], clusters: NDArray[np.int64] | None, seed: int
) -> tuple[Spread, list[Note]]:
    """Return the `Spread` of the difference of two runs on a pilot, from the bootstrap, and notes on it.

    `columns` maps each name to the values of the run and those of the baseline.
    """
    pair = pair_up(measure, columns, clusters)
    units = int(pair.counts.sum())
    differences = np.concatenate(
        [
            pair.resampled(resampling.bootstrap(pair.counts, block.size, block.generator(Stream.PLANNING)))
            for block in resampling.blocks(RESAMPLES, seed)
        ]
    )
    known = differences[~np.isnan(differences)]
    deviation = float(np.std(known, ddof=1) * units**0.5) if len(known) > 1 else NAN
    if deviation <= 1e-12:
        deviation = 0.0
    observed = float(pair.resampled(pair.counts))
    remarks = []
    if lost := len(differences) - len(known):
        remarks.append(
            note(
                "plan.undefined_resamples",
                "{subject}: the measure is undefined on {lost} of {resamples} resamples of the pilot; the plan leaves "
                "these resamples out",
                measure.label,
                lost=lost,
                resamples=len(differences),
            )
        )
    return Spread(measure, observed, deviation, pair.n, units, clusters is not None), remarks


def answer(source: Table | Spread, request: PlanRequest) -> Answer:
    """Return the plans for one measure: the questions for a difference, and the difference for a number of questions.

    A plan without a solution is missing, and `refusals` say why.
    """
    reply = Answer()
    if math.isnan(source.observed):
        reply.refusals.append(
            note(
                "plan.undefined",
                "{subject}: the measure is undefined for one of the two systems, so no plan is possible",
                source.measure.label,
            )
        )
        return reply
    some = abs(source.observed) > 1e-12
    wanted = request.difference if request.difference is not None else source.observed if some else None
    try:
        if wanted is not None:
            _size(source, wanted, request.aim, reply)
        if request.difference is None:
            _remark_on_difference(source, wanted, request, reply)
        if size := request.questions or source.n:
            _resolve(source, size, math.copysign(1.0, wanted or 1.0), request.aim, reply)
    except UsageError as error:
        reply.refusals.append(note("plan.refused", "{reason}", reason=str(error)))
    reply.notes += _rough(reply.rows, source.measure.label)
    return reply


def _remark_on_difference(source: Table | Spread, wanted: float | None, request: PlanRequest, reply: Answer) -> None:
    """Add a note to `reply` on the difference to plan for, because the user stated none.

    `wanted` is the difference on the pilot. If it is None, the two systems do not differ, and the note says so.
    """
    label = source.measure.label
    if wanted is not None and source.n is not None:
        reply.notes.append(
            note(
                "plan.happened",
                "{subject}: the plan uses {difference:.4g}, the difference on the {questions:,} pilot questions, "
                "which is partly due to chance; it is better to plan for the smallest difference that matters to you",
                label,
                difference=wanted,
                questions=source.n,
            )
        )
    elif wanted is None and source.n is not None:
        reply.notes.append(
            note(
                "plan.pilot_alike",
                "{subject}: the two runs do not differ on the pilot; give a difference to plan for",
                label,
            )
        )
    elif wanted is None and request.questions is None:
        reply.refusals.append(
            note(
                "plan.rates_alike",
                "{subject}: both systems score the same at these rates; give the difference to detect, or the number "
                "of questions",
                label,
            )
        )


def _rough(rows: Sequence[PowerPlan], label: str) -> Iterator[Note]:
    """Yield a note for each plan that relies on a normal approximation although it has few questions or clusters."""
    for row in rows:
        units = row.questions if row.clusters is None else row.clusters
        if row.method == NORMAL and units is not None and units < FEW and not math.isnan(row.power):
            yield note(
                "plan.normal",
                "{subject}: a normal approximation is unreliable for {count} {units}",
                label,
                count=units,
                units="questions" if row.clusters is None else "clusters",
            )


def _size(source: Table | Spread, difference: float, aim: Aim, reply: Answer) -> None:
    row = source.size(difference, aim)
    if isinstance(row, float):
        reply.notes.append(
            note(
                "plan.too_many",
                "{subject}: a difference of {difference:.4g} needs about {questions:.2g} questions; plans end at "
                "{largest:,}",
                source.measure.label,
                difference=difference,
                questions=row,
                largest=LARGEST,
            )
        )
        row = PowerPlan(source.measure.label, "questions", difference, None, NAN, None, aim.alpha, None, None, NORMAL)
    reply.rows.append(row)


def _resolve(source: Table | Spread, questions: int, sign: float, aim: Aim, reply: Answer) -> None:
    row = source.resolved(questions, sign, aim)
    if row is None:
        label = source.measure.label
        reply.notes.append(
            note(
                "plan.no_difference",
                "{subject}: a collection of {questions:,} questions cannot detect any difference with power {power:g}",
                label,
                questions=questions,
                power=aim.power,
            )
        )
        row = PowerPlan(label, "difference", NAN, questions, NAN, None, aim.alpha, None, None, source.method)
    reply.rows.append(row)
