"""How many questions tell two systems apart, and what difference so many questions can resolve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Unpack

import numpy as np

from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.measures import Measure, Measures
from nescio.meta.planning._joint import COLUMNS, from_pilot, from_rates
from nescio.meta.planning._plans import FEW, RESAMPLES, Answer, PlanRequest, PowerPlan, Spread, Table, answer, spread
from nescio.meta.planning._rejections import LARGEST, TABLES, Aim
from nescio.pipeline import Loaded, ReadingOptions, check_names
from nescio.scoring.samples import by_question, columns_for
from nescio.scoring.score import check_resampling, open_data, parse_all
from nescio.stats.parallel import Progress

__all__ = ["PowerPlan", "System", "plan"]

Rates = Sequence[float]
Shares = tuple[tuple[float, ...], tuple[float, ...]]
MOST_POWER = 0.999
ROUNDED = 0.015  # three shares of two decimals miss their sum by no more


@dataclass(frozen=True, slots=True)
class System:
    """What a plan starts from: the shares of correct, incorrect and unanswered of one of the two systems."""

    system: str
    correct: float
    incorrect: float
    unanswered: float


def plan(
    pilot: Any = None,
    measures: Measures = None,
    *,
    run: str | None = None,
    baseline: str | None = None,
    difference: float | None = None,
    questions: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    rates: Rates | Sequence[Rates] | None = None,
    agreement: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Results[PowerPlan]:
    """Say how many questions a paired comparison needs to find `difference`, and what difference `questions` can
    resolve.

        nescio.plan("outcomes.csv", run="mine", baseline="old", difference=0.05).rows[0].questions
        nescio.plan(rates=[(0.6, 0.3, 0.1), (0.55, 0.45, 0)], questions=500)  # correct, incorrect, unanswered

    The plan starts from a pilot (`pilot`, as `score` takes it; `run` and `baseline` name two of its runs) or from
    `rates`: correct, incorrect and unanswered, as shares, percentages or counts, of both systems or of the run and of
    the baseline. Answers known by their rates alone are independent, but for `agreement`: 0 is independent, 1 as alike
    as the rates allow (Cohen's kappa where the rates are equal). `difference` is run minus baseline; without it the one
    that the start has is planned for, and without `questions` the pilot's number is looked at; without `measures` it is
    c@1, or the first that suits the pilot.

    For measures of counts, the joint table is tilted exponentially along the influence of the measure until it has the
    difference, collections are drawn from it, and each is tested as `compare` would: `power` is the share with p ≤
    `alpha`, in either direction. For others, and with clusters, the standard error on the pilot is scaled by √n: a
    normal approximation. Rows are `PowerPlan`; `tables["systems"]` has the rates that the plan starts from.

    Raises UsageError where the options make no sense or no plan meets them, MismatchError for a pilot without two runs.
    """
    check_names(plan, options)
    check_resampling(None, 1, 1, seed)
    request = _asked(difference, questions, power, alpha, seed)
    shares, notes = _shares(pilot, rates, agreement)
    sources: list[Table | Spread] = []
    if shares is not None:
        if run or baseline:
            raise UsageError("run and baseline name runs of a pilot, but rates have no run names")
        wanted = parse_all(measures or "c@1", None)
        sources += [_from_rates(measure, shares, agreement or 0.0) for measure in wanted]
        start: dict[str, Any] = {"rates": "/".join(",".join(f"{s:.6g}" for s in side) for side in shares)}
        start["agreement"] = f"{agreement or 0:g}"
        systems = _systems(("run", "baseline"), shares)
    else:
        loaded, data = _pilot(pilot, options, measures)
        wanted = parse_all(measures, loaded) if measures else parse_all(None, loaded)[:1]
        pair = _pair(data, run, baseline)
        names = data.runs[pair[0]], data.runs[pair[1]]
        notes += loaded.notes
        if not (run and baseline):
            notes.append(note("plan.pair", "planned for {run!r} against {baseline!r}", run=names[0], baseline=names[1]))
        sources += [_from_pilot(data, measure, pair, seed, notes) for measure in wanted]
        start = {**loaded.signature, "run": names[0], "baseline": names[1]}
        systems = _observed(data, pair)
    answers: list[Answer] = []
    for source in sources:
        answers.append(answer(source, request))
        if progress:
            progress(len(answers), len(sources))
    rows = [row for reply in answers for row in reply.rows]
    refusals = [refusal for reply in answers for refusal in reply.refusals]
    if not rows:
        raise UsageError(str(refusals[0]))
    notes += [remark for reply in answers for remark in reply.notes] + refusals
    aims = {"difference": "own" if difference is None else f"{difference:g}", "size": questions or "own"}
    aims |= {"power": f"{power:g}", "alpha": f"{alpha:g}"}
    aims |= {"tables": TABLES} if any(isinstance(source, Table) for source in sources) else {}
    aims |= {"resamples": RESAMPLES} if any(isinstance(source, Spread) for source in sources) else {}
    aims |= {"model": "+".join(dict.fromkeys(source.model for source in sources)), "seed": seed}
    line = sign(measures="+".join(m.name for m in wanted), **start, **aims)
    return Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "plan", {"systems": systems} if systems else {})


def _asked(difference: Any, questions: Any, power: Any, alpha: Any, seed: int) -> PlanRequest:
    for name, value in (("difference", difference), ("power", power), ("alpha", alpha)):
        is_set = value is not None or name != "difference"
        if is_set and (isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value)):
            raise UsageError(f"{name} must be a number (found {value!r})")
    if difference == 0:
        raise UsageError("no number of questions can detect a difference of 0; give a difference that matters to you")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha must lie between 0 and 1 (found {alpha!r})")
    if not alpha < power <= MOST_POWER:
        raise UsageError(
            f"power must be above alpha, which chance alone reaches, and at most {MOST_POWER}, the limit of the "
            f"simulation (found {power!r})"
        )
    if questions is not None and (
        isinstance(questions, bool) or not isinstance(questions, int) or not 1 <= questions <= LARGEST
    ):
        raise UsageError(f"questions must be a whole number between 1 and {LARGEST:,} (found {questions!r})")
    return PlanRequest(
        Aim(float(power), float(alpha), seed), None if difference is None else float(difference), questions
    )


def _shares(pilot: Any, rates: Any, agreement: Any) -> tuple[Shares | None, list[Note]]:
    """Return the shares of the run and of the baseline where rates are stated, and how they were read."""
    if rates is None:
        if pilot is None:
            raise UsageError(
                "a plan starts from a pilot (files with two runs) or from rates (correct, incorrect, unanswered)"
            )
        if agreement is not None:
            raise UsageError("agreement is only for rates; a pilot shows how far the answers of its runs agree")
        return None, []
    if pilot is not None:
        raise UsageError("a plan starts from a pilot or from rates, not from both")
    if agreement is not None and not (isinstance(agreement, (int, float)) and 0 <= agreement <= 1):
        raise UsageError(
            f"agreement must lie between 0 (independent) and 1 (as alike as the rates allow) (found {agreement!r})"
        )
    sides = list(rates) if isinstance(rates, Sequence) and not isinstance(rates, str) else [rates]
    if sides and isinstance(sides[0], Real):
        sides = [sides]
    if len(sides) not in (1, 2):
        raise UsageError(
            f"give rates once for both systems, or twice for the run and the baseline (found {len(sides)})"
        )
    notes: list[Note] = []
    read = [_read(side, notes) for side in sides]
    if agreement is None:
        notes.append(
            note(
                "plan.independent",
                "the plan assumes that the answers of the two systems are independent; systems that fail on the same "
                "questions need fewer, so state an agreement if you can",
            )
        )
    return (read[0], read[-1]), notes


def _read(side: Any, notes: list[Note]) -> tuple[float, ...]:
    """Shares that sum to 1, from shares, percentages or counts."""
    try:
        values = [float(value) for value in side]
    except (TypeError, ValueError):
        values = []
    shown = ", ".join(f"{value:g}" for value in values) or repr(side)
    if len(values) != 3 or not all(math.isfinite(value) for value in values):
        raise UsageError(f"rates must be three numbers: correct, incorrect, unanswered (found {shown})")
    if min(values) < 0:
        raise UsageError(f"rates cannot be negative (found {shown})")
    total = sum(values)
    for whole in (1, 100):
        if abs(total / whole - 1) <= ROUNDED:
            if abs(total / whole - 1) > 1e-9:
                notes.append(
                    note(
                        "plan.scaled",
                        "rates {rates} sum to {total:g} and are scaled to {whole}",
                        rates=shown,
                        total=total,
                        whole=whole,
                    )
                )
            return tuple(value / total for value in values)
    if total > 0 and all(value.is_integer() for value in values):
        notes.append(
            note("plan.counts", "rates {rates} are read as counts of {total:,.0f} questions", rates=shown, total=total)
        )
        return tuple(value / total for value in values)
    raise UsageError(
        f"rates must sum to 1, or to 100 in percent, or be whole numbers (found {shown}, which sum to {total:g})"
    )


def _from_rates(measure: Measure, shares: Shares, agreement: float) -> Table:
    if measure.order is not None or not {*measure.needs} <= {*COLUMNS, "n"}:
        raise UsageError(
            f"{measure.label} is not a measure of the three outcomes, so rates say nothing about it; use a pilot"
        )
    model = "independent" if not agreement else "agreement"
    return Table(from_rates(measure, *shares, agreement), None, f"tilted table ({model})")


def _pilot(source: Any, options: Mapping[str, Any], measures: Any) -> tuple[Loaded, Evidence]:
    loaded = open_data(source, {"strata": (), **options}, measures)
    if not isinstance(loaded.data, Evidence):
        raise MismatchError(
            "a counts table does not say how the answers of its runs agree, so it cannot be a pilot; give its counts "
            "as rates"
        )
    if len(loaded.data.runs) < 2:
        raise MismatchError(f"there is one run, {loaded.data.runs[0]!r}; a plan needs two, or stated rates")
    return loaded, loaded.data


def _pair(data: Evidence, run: str | None, baseline: str | None) -> tuple[int, int]:
    """(run, baseline) as indices; of two runs the later one is the run."""
    for name in (run, baseline):
        if name is not None and name not in data.runs:
            raise UnknownNameError("run", name, data.runs)
    if run is not None and run == baseline:
        raise UsageError(f"run and baseline are both {run!r}")
    if run is not None and baseline is not None:
        return data.runs.index(run), data.runs.index(baseline)
    if len(data.runs) > 2:
        raise UsageError(f"the pilot has {len(data.runs)} runs; choose two of them as run and baseline")
    if run is None and baseline is None:
        return 1, 0
    named = data.runs.index(str(run or baseline))
    return (named, 1 - named) if run is not None else (1 - named, named)


def _from_pilot(
    data: Evidence, measure: Measure, pair: tuple[int, int], seed: int, notes: list[Note]
) -> Table | Spread:
    data, measure = by_question(data, measure)
    read, usable = columns_for(data, measure)
    x, y = pair
    by_name = np.array(data.sorted_rows(), dtype=np.int64)  # the order in which questions are drawn
    use = by_name[(usable[x] & usable[y])[by_name]]
    n, some = len(use), int((data.present[x] | data.present[y]).sum())
    if n == 0:
        raise MismatchError(f"{measure.label}: no question of the pilot has the data it needs in both runs")
    if n < some:
        notes.append(
            note(
                "plan.part",
                "{subject}: the pilot uses the {questions} of {total} questions for which both runs have the data it "
                "needs",
                measure.label,
                questions=n,
                total=some,
            )
        )
    counted = measure.order is None and all(values.dtype.kind in "iu" for values in read.values())
    if counted and data.clusters is None:
        # All of the outcome, though the measure may need less, so that the table can be told.
        more = {name: data.column(name) for name in COLUMNS if name in data.columns}
        columns = _both(read | more, pair, use)
        joint = from_pilot(measure, columns)
        if joint.pair.exchanges() is not None:
            _warn(n, "questions", notes)
            return Table(joint, n, "tilted table (pilot)")
    clusters = None if data.clusters is None else data.clusters[use]
    source, remarks = spread(measure, _both(read, pair, use), clusters, seed)
    _warn(source.units, "clusters" if source.clustered else "questions", notes)
    notes += remarks
    if source.clustered:
        notes.append(
            note(
                "plan.clusters",
                "{subject}: the pilot's {questions:,} questions form {clusters:,} clusters, whose questions move "
                "together",
                measure.label,
                questions=n,
                clusters=source.units,
            )
        )
    return source


def _both(columns: dict[str, Array], pair: tuple[int, int], use: Array) -> dict[str, tuple[Array, Array]]:
    return {name: (values[pair[0]][use], values[pair[1]][use]) for name, values in columns.items()}


def _warn(count: int, units: str, notes: list[Note]) -> None:
    if count < FEW:
        notes.append(
            note(
                "plan.few",
                "the pilot has only {count} {units}, so read the plan as rough",
                count=count,
                units=units,
            )
        )


def _systems(names: Sequence[str], shares: Shares) -> tuple[System, ...]:
    return tuple(System(name, *side) for name, side in zip(names, shares, strict=True))


def _observed(data: Evidence, pair: tuple[int, int]) -> tuple[System, ...]:
    """Return the rates of the pilot on the questions that both runs have; nothing where its data have no outcomes."""
    if not set(OUTCOMES) <= set(data.columns):
        return ()
    both = data.present[pair[0]] & data.present[pair[1]]
    one, other = (tuple(float(data.columns[name][i][both].mean()) for name in OUTCOMES) for i in pair)
    return _systems([data.runs[i] for i in pair], (one, other))
