"""How often does a nominal 95% interval hold the true value? The study behind the default intervals, in
docs/evidence/coverage.md.

    python studies/interval_coverage.py  writes docs/evidence/coverage.md and coverage*.csv (half an hour on one
                                                   core)

A simulated system answers a question with chance 1 - silence and is then right with chance `rate`; a collection of n
questions gives one table of counts, whose intervals are computed by nescio itself. Coverage is the share of simulated
tables whose interval holds the true value of the measure (that of the system, not of the table), among tables where the
measure is defined; an interval that the method cannot give counts as a miss.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
import ordered_coverage  # the other parts of the study, beside this file
import ordered_differences
from cells import read_cells, write_cells
from pages import fill, write_table

from nescio.data.evidence import outcome_tally
from nescio.measures import parse
from nescio.scoring.confidence_intervals import DOUBTS, ResamplingPlan, bounds
from nescio.scoring.samples import measure_inputs
from nescio.stats.resampling import blocks

SIZES = (20, 50, 200, 1_000, 10_000)
RATES = (0.02, 0.1, 0.5, 0.9, 0.98)
SILENCE = (0.0, 0.1, 0.3, 0.6, 0.9)
MEASURES = ("c@1", "accuracy", "precision", "UF")
METHODS = {"percentile": MEASURES, "bca": MEASURES, "dirichlet": MEASURES, "wilson": ("accuracy", "precision")}
ENOUGH = 100  # defined tables below which a coverage is not reported
Row = tuple[float, float, float, bool]  # value, low, high, warned of
DOCS = Path(__file__).parents[1] / "docs" / "evidence"


class Cell(Struct, frozen=True):
    """The coverage of one method for one measure of one system at one size; `defined` counts tables with a value,
    `warned` is the share of them whose interval nescio doubts, `silent_misses` the share that misses without a warning.
    """

    n: int
    rate: float
    silence: float
    measure: str
    method: str
    coverage: float
    error: float
    defined: int
    warned: float
    silent_misses: float


def resamples_for(n: int) -> int:
    """Resamples an interval: as many as nescio's default where few tables are possible, so that one of them weighs
    much."""
    return 10_000 if n <= 200 else 2_000


def truth(rate: float, silence: float) -> dict[str, float]:
    """Return the value that each measure tends to as n grows."""
    right, wrong = (1 - silence) * rate, (1 - silence) * (1 - rate)
    return {"c@1": right * (1 + silence), "accuracy": right, "precision": rate, "UF": right - wrong}


def study(n: int, rate: float, silence: float, tables: int, resamples: int) -> list[Cell]:
    """All methods and measures on `tables` simulated tables."""
    rng = np.random.default_rng([n, round(rate * 100), round(silence * 100)])
    counts = rng.multinomial(n, [(1 - silence) * rate, (1 - silence) * (1 - rate), silence], size=tables)
    # A table that was drawn several times is computed once, and counts as often.
    counts, times = np.unique(counts, axis=0, return_counts=True)
    runs = [f"table {i}" for i in range(len(counts))]
    found, _ = measure_inputs(outcome_tally(runs, counts), [parse(name) for name in MEASURES])
    found.sort(key=lambda sample: sample.run)
    true = truth(rate, silence)
    cells = []
    for method, measures in METHODS.items():
        rows: dict[str, list[Row]] = {measure: [] for measure in measures}
        for run, group in groupby(found, key=lambda sample: sample.run):
            members = [sample for sample in group if sample.measure.label in measures]
            # A seed a table, so that the noise of the resamples is not shared by all of them.
            plan = ResamplingPlan(0.95, blocks(resamples, run))
            found_bounds = bounds(members, dict.fromkeys(measures, method), plan)
            for sample, (low, high, remarks) in zip(members, found_bounds, strict=True):
                doubted = any(remark.code in DOUBTS for remark in remarks)
                rows[sample.measure.label] += [(sample.value, low, high, doubted)] * int(times[run])
        cells += [
            _cell(measure, method, true[measure], rows[measure], n=n, rate=rate, silence=silence)
            for measure in measures
        ]
    return cells


def _cell(measure: str, method: str, true: float, rows: Sequence[Row], **system: float) -> Cell:
    value, low, high, warned = (np.array(column) for column in zip(*rows, strict=True))
    defined = ~np.isnan(value)
    m = int(defined.sum())
    with np.errstate(invalid="ignore"):
        held = ((low - 1e-12 <= true) & (true <= high + 1e-12))[defined]
    share = float(held.mean()) if m else float("nan")
    # Where every table covers, or none, the error is that of one table more or less.
    error = float(np.sqrt(max(share * (1 - share), 1 / m) / m)) if m else float("nan")
    told = warned[defined].astype(bool)
    return Cell(
        n=int(system["n"]),
        rate=system["rate"],
        silence=system["silence"],
        measure=measure,
        method=method,
        coverage=share,
        error=error,
        defined=m,
        warned=float(told.mean()) if m else float("nan"),
        silent_misses=float((~held & ~told).mean()) if m else float("nan"),
    )


def by_size(cells: Sequence[Cell]) -> list[str]:
    """Return a row a measure and method: the lowest and the mean coverage at each size."""
    lines = [
        "| measure | method | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |",
        "| --- | --- |" + " ---: |" * len(SIZES),
    ]
    for measure, method in ((measure, method) for measure in MEASURES for method in METHODS):
        shown = []
        for n in SIZES if measure in METHODS[method] else ():
            found = [c for c in cells if (c.measure, c.method, c.n) == (measure, method, n) and c.defined >= ENOUGH]
            low = min(found, key=lambda c: c.coverage)
            shown.append(f"{low.coverage:.3f} ± {low.error:.3f} (mean {np.mean([c.coverage for c in found]):.3f})")
        lines += [f"| {measure} | {method} | {' | '.join(shown)} |"] if shown else []
    return lines


ON_PAGE = (("c@1", "dirichlet"), ("c@1", "percentile"), ("c@1", "bca"), ("accuracy", "wilson"))
DEFAULT = "dirichlet"
SHOWN = SIZES[:4]  # numbers of questions


def summary(cells: Sequence[Cell], confidence: Sequence[ordered_coverage.Cell]) -> list[str]:
    """Return a row a measure and method: the lowest coverage at each size, and then for measures of confidence."""
    heads = [f"n = {n:,}" + (f" ({m})" if m != n else "") for n, m in zip(SHOWN, ordered_coverage.SIZES, strict=True)]
    groups = []
    for measure, method in ON_PAGE:
        found = [c for c in cells if (c.measure, c.method) == (measure, method) and c.defined >= ENOUGH]
        name = f"**{method}**" if method == DEFAULT else method
        groups.append((measure, name, [min(c.coverage for c in found if c.n == n) for n in SHOWN]))
    return [
        f"| measure | method | {' | '.join(heads)} |",
        f"| --- | --- |{' ---: |' * len(SHOWN)}",
        *(
            f"| {measure} | {name} | {' | '.join(f'{share:.3f}' for share in shares)} |"
            for measure, name, shares in [*groups, *ordered_coverage.lowest(confidence)]
        ),
    ]


def fails(cell: Cell) -> bool:
    """Whether a method covers less than 93%, by more than two standard errors."""
    return cell.defined >= ENOUGH and cell.coverage < 0.93 - 2 * cell.error


def lowest(cells: Sequence[Cell], method: str) -> str:
    """Return the lowest coverage of a method over all settings."""
    return f"{min(c.coverage for c in cells if c.method == method and c.defined >= ENOUGH):.1%}"


def page(cells: Sequence[Cell], tables: int) -> str:
    """docs/evidence/coverage.md: fixed prose around the figures of this run."""
    confidence = read_cells(ordered_coverage.Cell, ordered_coverage.CSV)
    differences = read_cells(ordered_differences.Cell, ordered_differences.CSV)
    own = [c for c in cells if c.method == DEFAULT and c.defined >= ENOUGH]
    given = [c for c in confidence if c.method == "auto" and c.given >= ordered_coverage.ENOUGH]
    facts = {
        "summary": summary(cells, confidence),
        "tables": f"{tables:,}",
        "systems": str(len(RATES) * len(SILENCE)),
        "settings": str(len(own)),
        "fails": str(sum(map(fails, own))),
        "silent": f"{max(*(c.silent_misses for c in own), *(c.silent_misses for c in given)):.1%}",
        "differences least": ordered_differences.least(differences),
        "error": f"{max(c.error for c in given):.3f}",
    }
    facts |= {f"lowest {method}": lowest(cells, method) for method in METHODS}
    return fill("interval_coverage", facts | ordered_coverage.facts(confidence))


@click.command()
@click.option("--tables", default=2_000, show_default=True, help="Simulated tables a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for coverage.md and coverage.csv."
)
@click.option("--page-only", is_flag=True, help="Write the page again from the coverage.csv that is there.")
def main(tables: int, jobs: int, output: Path, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if page_only:
        cells = read_cells(Cell, output / "coverage.csv")
    else:
        settings = [(n, rate, silence) for n in SIZES for rate in RATES for silence in SILENCE]
        work = (joblib.delayed(study)(*setting, tables, resamples_for(setting[0])) for setting in settings)
        cells = [cell for part in joblib.Parallel(n_jobs=jobs, verbose=1)(work) for cell in part]
        write_cells(cells, output / "coverage.csv")
    write_table(by_size(cells), output / "coverage_lowest.csv")
    (output / "coverage.md").write_text(page(cells, tables), encoding="utf-8")


if __name__ == "__main__":
    main()
