"""How often do the intervals of the run that was picked as the best hold? docs/evidence/chosen.md.

    python studies/chosen.py                    writes docs/evidence/chosen.md and chosen.csv (an hour on one core)
    python studies/chosen.py --only '6 × 5'     makes these settings anew, and keeps the others
    python studies/chosen.py --page-only        writes the page from the figures that are there

Equal systems answer the same questions, which are hard or easy for all of them alike: the best of them is the luckiest,
and nothing but luck. Intervals are those of `nescio score --simultaneous`, and with `--next` of as many other
questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import click
import numpy as np
from cells import read_cells, write_cells
from few_units import OF_CLUSTER, OF_QUESTION, SILENT, Floats
from msgspec import Struct
from pages import fill, least_table
from scipy.special import ndtri
from scipy.stats import norm

from nescio.data.evidence import PRESENT, Evidence, outcome_tally
from nescio.data.patterns import Patterns, compress
from nescio.data.results import Score
from nescio.measures import Measure, parse
from nescio.scoring.confidence_intervals import ResamplingPlan, bounds, method_for
from nescio.scoring.next_sample import next_samples
from nescio.scoring.samples import MeasureInput, measure_inputs
from nescio.stats import resampling
from nescio.stats.chosen import level_of_each

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
COUNTED, ORDERED = ("accuracy", "c@1", "UF"), ("AUROC",)
RUNS, RIGHT, LEVEL = (3, 10, 30), (0.5, 0.9, 0.97), 0.95
RESAMPLES = 1_000  # of measures of an order, whose interval uses their spread alone
KINDS = ("correct", "incorrect", "unanswered")
LEAST_IN_TAIL = 5  # resamples beyond each end of an interval whose ends are quantiles of resamples
APART = 1.0  # between the confidences of right and of wrong answers, in their standard deviations


class Setting(Struct, frozen=True):
    """So many clusters of so many questions, each asked so many times; and whether each has a confidence."""

    name: str
    clusters: int
    size: int = 1
    repeats: int = 1
    ordered: bool = False

    @property
    def clustered(self) -> bool:
        return self.size > 1 or self.repeats > 1


SETTINGS = (
    Setting("30", 30),
    Setting("200", 200),
    Setting("6 × 5", 6, 5),
    Setting("10 × 5", 10, 5),
    Setting("30 × 5", 30, 5),
    Setting("30, asked 4 times", 30, 1, 4),
    Setting("200, by confidence", 200, ordered=True),
)


class Cell(Struct, frozen=True):
    """How often intervals hold: of the run that scored best, of all runs together, and of the best where the level is
    not shared; and how often another sample of the best lies in its prediction interval, shared and not. Trials in
    which the best has none do not count; `none` is their share."""

    setting: str
    runs: int
    right: float
    measure: str
    best: float
    together: float
    plain: float
    other: float
    plain_other: float
    none: float
    replications: int


FIGURES = ("best", "together", "plain", "other", "plain_other", "none")


def outcomes(rng: np.random.Generator, setting: Setting, right: float, runs: int) -> Iterator[dict[str, Floats]]:
    """Draw the outcomes of equal systems on the same questions, as shares of the times they were asked."""
    units = setting.clusters * setting.size
    shared = OF_CLUSTER**0.5 * np.repeat(rng.normal(size=setting.clusters), setting.size)
    shared += OF_QUESTION**0.5 * rng.normal(size=units)
    for _ in range(runs):
        shape = (setting.repeats, units)
        correct = shared + (1 - OF_CLUSTER - OF_QUESTION) ** 0.5 * rng.normal(size=shape) < ndtri(right)
        silent = ~correct & (rng.random(shape) < (0.0 if setting.ordered else SILENT))
        three = {"correct": correct, "incorrect": ~correct & ~silent, "unanswered": silent}
        drawn = {name: value.mean(axis=0) for name, value in three.items()}
        sure = {"confidence": rng.normal(size=units) + APART * drawn["correct"]} if setting.ordered else {}
        yield {**drawn, "answered": 1 - drawn["unanswered"], **sure}


def truth(measure: Measure, right: float) -> float:
    """Return the value of a measure where questions are without end."""
    if measure.order is not None:
        return float(norm.cdf(APART / 2**0.5))
    shares = {"correct": right, "incorrect": (1 - right) * (1 - SILENT), "unanswered": (1 - right) * SILENT}
    kinds = {name: np.array([float(name == kind) for kind in shares]) for name in shares}
    whole = Patterns({**measure.each({**kinds, "answered": 1 - kinds["unanswered"]}), "n": np.ones(3)}, np.ones(3, int))
    return float(measure.value(whole, np.array(list(shares.values()))))


def seen(measure: Measure, setting: Setting, drawn: dict[str, Floats]) -> MeasureInput:
    """See a run by a measure, as `nescio score` does."""
    if not setting.clustered:
        columns = {
            name: value[None] if name == "confidence" else value[None].astype(np.int8) for name, value in drawn.items()
        }
        questions = tuple(f"q{i}" for i in range(setting.clusters))
        data = Evidence(("",), questions, columns, np.full((1, setting.clusters), PRESENT, dtype=np.uint8))
        return measure_inputs(data, [measure])[0][0]
    groups = np.repeat(np.arange(setting.clusters), setting.size)
    return MeasureInput(0, measure, compress(drawn, groups, measure.each), len(groups), ())


def interval(
    measure: Measure, setting: Setting, drawn: dict[str, Floats], level: float
) -> tuple[float, float, float, float]:
    """Return the interval of a score and that of another sample, as `nescio score --next` does. Of single questions
    these are a function of three counts."""
    if setting.clustered or setting.ordered:
        return _interval(seen(measure, setting, drawn), setting.clustered, level)
    right, wrong, silent = (int(drawn[kind].sum()) for kind in KINDS)
    return _of_counts(measure.label, (right, wrong, silent), level)


@cache
def _of_counts(name: str, counts: tuple[int, int, int], level: float) -> tuple[float, float, float, float]:
    (sample,), _ = measure_inputs(outcome_tally(("",), np.array([counts])), [parse(name)])
    return _interval(sample, False, level)


def _interval(sample: MeasureInput, clustered: bool, level: float) -> tuple[float, float, float, float]:
    measure = sample.measure
    methods = {measure.label: method_for(measure, "auto", clustered=clustered, shared=level > LEVEL)}
    draws = RESAMPLES if measure.order is not None else max(10_000, math.ceil(2 * LEAST_IN_TAIL / (1 - level) - 1e-6))
    ((low, high, _),) = bounds([sample], methods, ResamplingPlan(level, resampling.blocks(draws, 0)))
    if measure.order is not None:
        return low, high, np.nan, np.nan
    own = Score("", measure.label, sample.value, low, high, sample.n)
    (row,), _ = next_samples([""], [sample], [own], sample.n, level=level, seed=0, clustered=clustered)
    return low, high, row.low, row.high


def replicate(
    setting: Setting, measure: Measure, true: float, each: Sequence[dict[str, Floats]], other: dict[str, Floats]
) -> tuple[float, ...]:
    """Return what holds of one collection, and of one more run of another, in the order of `FIGURES`."""
    values = np.array([seen(measure, setting, drawn).value for drawn in each])
    if np.isnan(values).all():
        return (np.nan,) * 5 + (1.0,)
    sign = -1 if measure.declaration.lower_is_better else 1
    best, shared = int(np.nanargmax(sign * values)), level_of_each(LEVEL, len(each))
    of_all = [interval(measure, setting, drawn, shared) for drawn in each]
    missed = [not low <= true <= high for low, high, *_ in of_all if not np.isnan(low)]
    low, high, least, most = of_all[best]
    plain_low, plain_high, plain_least, plain_most = interval(measure, setting, each[best], LEVEL)
    value = float(seen(measure, setting, other).value)

    def holds(low: float, high: float, value: float) -> float:
        return np.nan if np.isnan([low, high, value]).any() else float(low - 1e-9 <= value <= high + 1e-9)

    together = float(not any(missed))
    best_holds, other_holds = holds(low, high, true), holds(least, most, value)
    plain, plain_other = holds(plain_low, plain_high, true), holds(plain_least, plain_most, value)
    return best_holds, together, plain, other_holds, plain_other, float(np.isnan(low))


def study(setting: Setting, runs: int, replications: int) -> Iterator[Cell]:
    """All measures in one setting, for so many runs."""
    for right in RIGHT[:2] if setting.ordered else RIGHT:
        rng = np.random.default_rng([5, SETTINGS.index(setting), runs, round(100 * right)])
        for measure in map(parse, ORDERED if setting.ordered else COUNTED):
            true = truth(measure, right)
            drawn = (
                [*outcomes(rng, setting, right, runs), *outcomes(rng, setting, right, 1)] for _ in range(replications)
            )
            rows = np.array([replicate(setting, measure, true, some[:-1], some[-1]) for some in drawn])
            known = ~np.isnan(rows).all(axis=0)
            means = np.where(known, np.nanmean(np.where(known, rows, 0.0), axis=0), np.nan).tolist()
            figures = dict(zip(FIGURES, means, strict=True))
            yield Cell(setting.name, runs, right, measure.label, **figures, replications=replications)


HEADS = ("best", "all together", "another sample", "best, alone")
COLUMNS = ("best", "together", "other", "plain")


def table(cells: Sequence[Cell]) -> list[str]:
    """Return a row a setting, of the fewest and of the most runs: the least over measures and shares of right answers;
    the CSV has all."""
    of = {(cell.setting, cell.runs) for cell in cells}
    runs = {setting: [runs for name, runs in of if name == setting.name] for setting in SETTINGS}
    groups = [
        ((setting.name, str(many)), [cell for cell in cells if (cell.setting, cell.runs) == (setting.name, many)])
        for setting in SETTINGS
        for many in (min(runs[setting]), max(runs[setting]))
    ]
    return least_table(("questions", "runs"), HEADS, COLUMNS, groups)


@click.command()
@click.option("--replications", default=2_000, show_default=True)
@click.option("--only", multiple=True, help="The name of a setting to make anew.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option("--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the CSV.")
def main(replications: int, only: Sequence[str], page_only: bool, output: Path) -> None:
    """Simulate, and write the figures and the page."""
    path = output / "chosen.csv"
    cells = list(read_cells(Cell, path)) if only or page_only else []
    for setting in SETTINGS if not page_only else ():
        if only and setting.name not in only:
            continue
        cells = [cell for cell in cells if cell.setting != setting.name]
        for runs in RUNS[:2] if setting.ordered else RUNS:
            slow = setting.ordered or runs == max(RUNS)
            cells += study(setting, runs, replications // 2 if slow else replications)
            write_cells(cells, path)
            click.echo(f"{setting.name}: {runs} runs")
    places = [setting.name for setting in SETTINGS]
    cells.sort(key=lambda cell: (places.index(cell.setting), cell.runs))
    write_cells(cells, path)
    facts = {
        "replications": f"{max(cell.replications for cell in cells):,}",
        "fewer": f"{min(cell.replications for cell in cells):,}",
        "best": f"{min(cell.best for cell in cells):.1%}",
        "plain": f"{min(cell.plain for cell in cells):.0%}",
        "plain_other": f"{min(cell.plain_other for cell in cells if not np.isnan(cell.plain_other)):.0%}",
        "table": table(cells),
    }
    (output / "chosen.md").write_text(fill("chosen", facts), encoding="utf-8")


if __name__ == "__main__":
    main()
