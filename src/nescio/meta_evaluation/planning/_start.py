"""Read the start of a plan: stated rates, or two runs of a pilot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.comparison.two_runs import two_runs
from nescio.data.columns import OUTCOMES, Array
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.estimating.measured import of_shares
from nescio.measures import Measure, Measures
from nescio.meta_evaluation.planning._joint import COLUMNS, from_pilot, from_rates
from nescio.meta_evaluation.planning._plans import FEW, Spread, Table, spread
from nescio.scoring.samples import by_question, columns_for
from nescio.scoring.score import open_data, parse_all

Shares = tuple[tuple[float, ...], tuple[float, ...]]
ROUNDED = 0.015  # the largest deviation of the sum of three shares rounded to two decimals


class System(Struct, frozen=True):
    """The shares of correct, incorrect and unanswered questions of one of the two systems of a plan."""

    system: str
    correct: float
    incorrect: float
    unanswered: float


class Start(Struct, frozen=True):
    """The start of a plan: a `Table` or a `Spread` for each measure, and the outcome rates of the two systems.

    `systems` holds each system's shares of correct, incorrect and unanswered questions; it is empty if the pilot has no
    outcomes. `signature` holds the fields of the plan's signature that describe the start.
    """

    sources: list[Table | Spread]
    signature: Mapping[str, Any]
    systems: tuple[System, ...]
    notes: list[Note]


def start_from_rates(shares: Shares, measures: Measures, agreement: float) -> Start:
    """Return the start of a plan from stated shares of the run and of the baseline."""
    signature = {
        "rates": "/".join(",".join(f"{s:.6g}" for s in side) for side in shares),
        "agreement": f"{agreement:g}",
    }
    wanted = of_shares(parse_all(measures or "c@1", None))
    sources: list[Table | Spread] = [_from_rates(measure, shares, agreement) for measure in wanted]
    return Start(sources, signature, _systems(("run", "baseline"), shares), [])


def start_from_pilot(
    pilot: Any, options: Mapping[str, Any], measures: Measures, asked: tuple[str | None, str | None], seed: int
) -> Start:
    """Return the start of a plan from two runs of a pilot.

    `asked` has the names of the run and of the baseline, as the user gave them (None for a name that was not given).
    """
    loaded = open_data(pilot, {"strata": (), **options}, measures)
    data = with_questions(loaded.data, "see how the answers of two runs agree", "give its counts as rates")
    if len(data.runs) < 2:
        raise MismatchError(f"there is one run, {data.runs[0]!r}; a plan needs two runs, or rates instead of files")
    wanted = of_shares(parse_all(measures, loaded) if measures else parse_all(None, loaded)[:1])
    baseline, run = two_runs(loaded, asked[1], asked[0])
    pair = data.runs.index(run), data.runs.index(baseline)
    notes = list(loaded.notes)
    if not all(asked):
        notes.append(note("plan.pair", "planned for {run!r} against {baseline!r}", run=run, baseline=baseline))
    sources = [_from_pilot(data, measure, pair, seed, notes) for measure in wanted]
    signature = {**loaded.signature, "run": run, "baseline": baseline}
    return Start(sources, signature, _observed(data, pair), notes)


def stated_shares(pilot: Any, rates: Any, agreement: Any) -> tuple[Shares | None, list[Note]]:
    """Return the stated shares of the run and of the baseline, and notes on how `rates` was read.

    The shares are None if the plan starts from a pilot. Raises UsageError if the user gives both a pilot and rates, or
    neither.
    """
    if rates is None:
        if pilot is None:
            raise UsageError(
                "a plan starts from a pilot (files with two runs) or from rates (correct, incorrect, unanswered)"
            )
        if agreement is not None:
            raise UsageError("agreement goes only with rates; a pilot already shows how far its runs agree")
        return None, []
    if pilot is not None:
        raise UsageError("a plan starts from a pilot or from rates, not from both")
    if agreement is not None and not (isinstance(agreement, (int, float)) and 0 <= agreement <= 1):
        raise UsageError(
            f"agreement must lie between 0 (independent) and 1 (as similar as the rates allow) (found {agreement!r})"
        )
    sides = list(rates) if isinstance(rates, Sequence) and not isinstance(rates, str) else [rates]
    if sides and isinstance(sides[0], Real):
        sides = [sides]
    if len(sides) not in (1, 2):
        raise UsageError(
            f"give one set of rates for both systems, or two sets, one for the run and one for the baseline (found "
            f"{len(sides)})"
        )
    notes: list[Note] = []
    read = [_read(side, notes) for side in sides]
    if agreement is None:
        notes.append(
            note(
                "plan.independent",
                "the plan assumes that the two systems answer independently; if they fail on the same questions, "
                "fewer questions are enough, so state an agreement if you can",
            )
        )
    return (read[0], read[-1]), notes


def _read(side: Any, notes: list[Note]) -> tuple[float, ...]:
    """Return the rates of one system as three shares that sum to 1, and add notes on how they were read to `notes`.

    `side` has the rates for correct, incorrect and unanswered, as shares, percentages or counts.
    """
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
            f"{measure.label} is not a measure of the three outcomes, so rates do not determine it; use a pilot"
        )
    model = "independent" if not agreement else "agreement"
    return Table(from_rates(measure, *shares, agreement), None, f"tilted table ({model})")


def run_and_baseline(runs: Sequence[str], run: str | None, baseline: str | None) -> list[int]:
    """Return the index of the run to plan for, followed by that of the baseline if `baseline` is given.

    If `run` is None, it is the only other run. Raises UsageError if there are several.
    """
    for name in (run, baseline):
        if name is not None and name not in runs:
            raise UnknownNameError("run", name, runs)
    if run is not None and run == baseline:
        raise UsageError(f"run and baseline are both {run!r}; name two different runs")
    if run is None:
        others = [name for name in runs if name != baseline]
        if len(others) != 1:
            raise UsageError(f"there are {len(runs)} runs; name the run to plan for with {opt('run')}")
        run = others[0]
    return [runs.index(name) for name in (run, baseline) if name is not None]


def _from_pilot(
    data: Evidence, measure: Measure, pair: tuple[int, int], seed: int, notes: list[Note]
) -> Table | Spread:
    data, measure = by_question(data, measure)
    measure, read, usable = columns_for(data, measure)
    x, y = pair
    by_name = np.array(data.sorted_rows(), dtype=np.int64)  # the order in which questions are drawn
    use = by_name[(usable[x] & usable[y])[by_name]]
    n, some = len(use), int((data.present[x] | data.present[y]).sum())
    if n == 0:
        raise MismatchError(
            f"{measure.label}: no question of the pilot has the data that the measure needs in both runs"
        )
    if n < some:
        notes.append(
            note(
                "plan.part",
                "{subject}: the pilot uses the {questions} of {total:n question} for which both runs have the data "
                "that the measure needs",
                measure.label,
                questions=n,
                total=some,
            )
        )
    counted = measure.order is None and all(values.dtype.kind in "iu" for values in read.values())
    if counted and data.clusters is None:
        # All columns of the outcome, even if the measure needs fewer, so that the table can be described.
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
                "{subject}: the pilot's {questions:,} questions form {clusters:,} clusters, and questions of one "
                "cluster are not independent",
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
                "the pilot has only {count} {units}, so the plan is rough",
                count=count,
                units=units,
            )
        )


def _systems(names: Sequence[str], shares: Shares) -> tuple[System, ...]:
    return tuple(System(name, *side) for name, side in zip(names, shares, strict=True))


def _observed(data: Evidence, pair: tuple[int, int]) -> tuple[System, ...]:
    """Return the rates of two runs on the questions that both have; empty if the data have no outcomes."""
    if not set(OUTCOMES) <= set(data.columns):
        return ()
    both = data.present[pair[0]] & data.present[pair[1]]
    rates, other = (tuple(float(data.columns[name][i][both].mean()) for name in OUTCOMES) for i in pair)
    return _systems([data.runs[i] for i in pair], (rates, other))
