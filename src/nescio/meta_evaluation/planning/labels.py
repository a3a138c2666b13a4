"""Plan the number of human labels for a corrected score or difference.

The aim is an interval of some width, or the detection of a difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from msgspec import Struct

from nescio.data.judge_record import Target
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError, opt
from nescio.measures import Measures
from nescio.meta_evaluation.planning._start import run_and_baseline
from nescio.scoring.corrected import FEW
from nescio.scoring.corrected_scores import WHERE, lay_labels, open_labelled, suitable
from nescio.scoring.label_spreads import Spreads, spreads
from nescio.scoring.labels import no_labels
from nescio.scoring.score import open_data
from nescio.stats.intervals import student
from nescio.stats.prediction_powered import FEWEST, allocation, labels_needed
from nescio.text import plural


class LabelPlan(Row, frozen=True):
    """A plan: with `labels` human labels the interval has `half_width` or less, or `difference` is found with `power`.

    `people_alone` is the number of labels needed without the judge. `answers` is the number of answers that could be
    labelled; if labelling all of them is not enough, `labels` and `people_alone` are None. Over these answers, `spread`
    is the standard deviation of people's values, and `correlation` is between people's and the judge's values.
    `narrowest` is the half width if all answers are labelled.
    """

    run: str
    baseline: str | None
    measure: Annotated[str, Shown()]
    half_width: float | None
    difference: float | None
    power: float | None
    labels: Annotated[int | None, Shown(always=True)]
    people_alone: Annotated[int | None, Shown(always=True)]
    correlation: Annotated[float, Shown(form="short", digits=3, after="spread")]
    spread: Annotated[float, Shown(form="short", after="answers")]
    answers: Annotated[int, Shown(after="people_alone")]
    n: int
    narrowest: float

    @property
    def sentence(self) -> str:
        """Return the plan as a sentence, which says how many labels are enough for the aim."""
        whose = f"{self.run} against {self.baseline}" if self.baseline else self.run
        what = "the value" if self.measure == "value" else f"{self.measure} of {whose}"
        aim = (
            f"a half width of {self.half_width:g}"
            if self.half_width is not None
            else f"finding a difference of {self.difference:g} with power {self.power:g}"
        )
        if self.labels is None:
            return f"{what}: no number of labels is enough for {aim}"
        alone = (
            "labels on all of them would not be enough"
            if self.people_alone is None
            else f"{self.people_alone:,} would be needed"
        )
        return (
            f"{what}: labels on {self.labels:,} of {plural(self.answers, 'answer')} are enough for {aim}; "
            f"without the judge, {alone}"
        )

    @classmethod
    def above(cls, rows: Sequence[LabelPlan]) -> Iterable[str]:
        """Return the sentence of each plan, to be shown above the table."""
        return [row.sentence for row in rows]


class Share(Struct, frozen=True):
    """The number of labels for the questions on which the judge gave these `verdicts`.

    With a baseline, `verdicts` holds the verdict on the run, and then the one on the baseline. These numbers apply if
    labels are drawn by verdicts (`--labels-by verdicts`).
    """

    run: str
    baseline: str | None
    measure: Annotated[str, Shown()]
    verdicts: Annotated[str, Shown("{whose}")]
    answers: Annotated[int, Shown()]
    spread: Annotated[float, Shown(digits=4)]
    labels: Annotated[int, Shown()]

    @property
    def whose(self) -> str:
        """Return the heading of the column `verdicts`.

        With a baseline it names the two runs, in the order of their verdicts.
        """
        return "verdicts" if self.baseline is None else f"verdicts ({self.run}, {self.baseline})"


def plan_labels(
    pilot: Any,
    measures: Measures,
    *,
    labels: Any,
    run: str | None,
    baseline: str | None,
    half_width: float | None,
    difference: float | None,
    power: float,
    alpha: float,
    correlation: float | None,
    spread: float | None,
    questions: int | None,
    target: Target,
    **options: Any,
) -> Results[LabelPlan]:
    r"""Return the number of human labels for an interval of `half_width`, or to detect `difference`.

        nescio.plan_labels(spread=0.4**0.5, correlation=0.7, questions=1000, half_width=0.07).rows[0].labels

    The plan starts from judged answers (`pilot`, as `score` takes it), some of which people have labelled (`labels`).
    The labels show the variance of people's verdicts and the agreement of the judge with them. Without labels, state
    the `correlation` of people's and the judge's values that you expect; the judge's own verdicts then replace
    people's. Without a pilot, also state the standard deviation `spread` of people's values and the number of
    `questions`. With `baseline` the plan is for the difference of two runs, otherwise for the score of one. `target`
    says which questions the figure describes. The plan is for the interval that `score` and `compare` print with these
    labels (`labels_needed`): in half of the samples its half width is at most `half_width`.
    `tables["shares"]` has the best allocation of the labels to the judge's verdicts.

    Raises UsageError if the options contradict each other, MismatchError for fewer than 3 answers to label.
    """
    aim = (half_width, difference, power, alpha)
    notes: list[Note] = []
    if pilot is None:
        measured, start = _stated(spread, correlation, questions)
    else:
        measured, start, notes = _of_pilot(
            pilot, measures, options, labels, run=run, baseline=baseline, correlation=correlation, target=target
        )
    for figures in measured:
        if figures.answers < FEWEST:
            raise MismatchError(
                f"{figures.measure}: only {plural(figures.answers, 'answer')} could be labelled, but a corrected "
                f"figure needs labels on {FEWEST} or more"
            )
    rows = [_row(spreads, aim, target) for spreads in measured]
    notes += [remark for spreads, row in zip(measured, rows, strict=True) for remark in _remarks(spreads, row)]
    shares = tuple(
        share
        for spreads, row in zip(measured, rows, strict=True)
        if row.labels is not None
        for share in _shares(spreads, row)
    )
    aims: dict[str, Any] = {"half_width": f"{half_width:g}"} if half_width else {"difference": f"{difference:g}"}
    aims |= {"power": f"{power:g}"} if difference else {}
    aims |= {"alpha": f"{alpha:g}", "correlation": "own" if correlation is None else f"{correlation:g}"}
    notes.append(
        note(
            "planning.labels_about",
            "the plan is for values that describe {where}",
            where=WHERE[target],
        )
    )
    if shares:
        notes.append(
            note(
                "planning.shares",
                "the number of labels is for a simple random sample; if labels are drawn by verdicts "
                f"({opt('labels_by', 'verdicts')}), the interval may be wider, because it allows for rare errors among "
                "each verdict",
            )
        )
    line = sign(measures="+".join(spreads.measure for spreads in measured), **start, **aims, target=target)
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "plan", {"shares": shares} if shares else {})


def _stated(
    spread: float | None, correlation: float | None, questions: int | None
) -> tuple[list[Spreads], dict[str, Any]]:
    """Return the spreads from which a plan of labels starts, as the user stated them, and the signature fields on them.

    Raises UsageError if one of the values is missing.
    """
    if spread is None or correlation is None or questions is None:
        raise UsageError(
            "a plan of labels starts from judged answers (files), or from a stated spread, correlation and number"
            " of questions"
        )
    stated = Spreads("stated", None, "value", spread, correlation, spread**2, questions, questions, ())
    return [stated], {"spread": f"{spread:g}", "questions": questions}


def _of_pilot(
    pilot: Any,
    measures: Measures,
    options: Any,
    labels: Any,
    *,
    run: str | None,
    baseline: str | None,
    correlation: float | None,
    target: Target,
) -> tuple[list[Spreads], dict[str, Any], list[Note]]:
    if labels is None and correlation is None:
        raise UsageError(
            f"without labels, it is unknown how far the judge agrees with people; give {opt('labels', of='FILE')}, or "
            f"the {opt('correlation')}"
            " that you expect"
        )
    if labels is None:
        loaded = open_data(pilot, {"strata": (), **options}, measures)
        laid = no_labels(loaded)
        notes = [
            note(
                "plan.judge_for_people",
                "no labels are given, so the plan assumes that people's verdicts vary as much as the judge's verdicts",
            )
        ]
    else:
        loaded = open_labelled(pilot, measures, options, labels, ())
        laid = lay_labels(loaded, labels, options, target=target, labels_by=None, also_judged=())
        notes = list(laid.notes)
        if laid.inclusion is not None:
            notes.append(
                note(
                    "plan.inclusion",
                    "the plan does not weigh labels by their column `inclusion`, so spread and correlation are of "
                    "the labelled answers, which may vary more than the others",
                )
            )
    wanted = suitable(measures, loaded)[: None if measures else 1]
    sides = run_and_baseline(laid.data.runs, run, baseline)
    measured = [spreads(laid, measure, sides, correlation) for measure in wanted]
    for spread_row in measured:
        if labels is not None and not math.isfinite(spread_row.correlation):
            raise MismatchError(
                f"{spread_row.measure}: these labels are too few to plan with; give 3 labels or more that are not all "
                "the same"
            )
    start = {**loaded.signature, "run": laid.data.runs[sides[0]]}
    start |= {"baseline": laid.data.runs[sides[1]]} if len(sides) > 1 else {}
    start |= {} if labels is None else laid.signature
    return measured, start, [*loaded.notes, *notes]


def _row(spreads: Spreads, aim: tuple[float | None, float | None, float, float], target: Target) -> LabelPlan:
    half_width, difference, power, alpha = aim
    share = spreads.answers / spreads.n if spreads.n else 1.0
    sought = abs(difference or 0.0)
    # Verdicts that differ by d on average vary by d(1 - d) at least.
    least = sought * (spreads.scale - sought) if share == 1 else 0.0
    goal: dict[str, Any] = {"level": 1 - alpha, "power": power, "difference": sought / share}
    goal |= {"half_width": half_width and half_width / share, "scale": spreads.scale}
    goal |= {"population": max(spreads.population, least) / share if target == "population" else None}
    varies = max(spreads.spread**2, least)
    needed = [labels_needed(varies, rho, spreads.answers, **goal) for rho in (spreads.correlation, 0.0)]
    labels, alone = (None if math.isinf(m) else int(m) for m in needed)
    quantile = float(student(max(spreads.answers - 2, 1), 1 - alpha))
    narrowest = quantile * math.sqrt(spreads.population / spreads.n) if target == "population" else 0.0
    return LabelPlan(
        spreads.run,
        spreads.baseline,
        spreads.measure,
        half_width,
        difference,
        power if difference else None,
        labels,
        alone,
        spreads.correlation,
        spreads.spread,
        spreads.answers,
        spreads.n,
        narrowest,
    )


def _remarks(spreads: Spreads, row: LabelPlan) -> Iterator[Note]:
    """Yield a note if labels on all answers would not be enough, or if intervals from so few labels are approximate."""
    if row.labels is None:
        yield note(
            "plan.labels_too_few",
            "{subject}: labels on all {answers} answers would not be enough, because these questions are a "
            "sample (the narrowest half width is {narrowest:.4f}); ask more questions, or plan for these questions "
            f"alone with {opt('target', 'collection')}",
            spreads.measure,
            answers=spreads.answers,
            narrowest=row.narrowest,
        )
    elif row.labels < FEW:
        yield note(
            "plan.few_labels",
            "{subject}: intervals from fewer than {few} labels are approximate; ask for {few} labels",
            spreads.measure,
            few=min(FEW, spreads.answers),
        )


def _shares(spreads: Spreads, row: LabelPlan) -> list[Share]:
    """Return the allocation of the planned labels to the verdicts of the judge.

    The numbers are in proportion to the verdict's answers times the standard deviation of people's values. They sum to
    the planned labels: each is rounded down, and those with the largest fractions get one more. If all verdicts that
    vary are labelled completely, the rest is allocated in proportion to the answers.
    """
    assert row.labels is not None
    given = allocation([(answers, sd) for _, answers, sd in spreads.patterns], row.labels)
    if (rest := row.labels - sum(given)) > 1e-9:
        room = [(answers - round(labels), 1.0) for (_, answers, _), labels in zip(spreads.patterns, given, strict=True)]
        given = [labels + more for labels, more in zip(given, allocation(room, rest), strict=True)]
    whole = [math.floor(labels + 1e-9) for labels in given]
    larger = sorted(range(len(given)), key=lambda i: whole[i] - given[i])[: row.labels - sum(whole)]
    return [
        Share(spreads.run, spreads.baseline, spreads.measure, name, answers, sd, whole[i] + (i in larger))
        for i, (name, answers, sd) in enumerate(spreads.patterns)
    ]
