"""Does a guaranteed risk hold, and is the cross-fitted c@1 what new questions bring? The study behind
docs/evidence/selective.md.

    python studies/selective.py  writes docs/evidence/selective.md and its CSV files (a few minutes on two cores)
    python studies/selective.py --page-only  writes the page from the figures that are there

A law says how confidences are spread and how often an answer of each confidence is right, so that the true risk and the
true expected c@1 of any threshold have a closed form. Collections are drawn from it, nescio tunes a threshold on each,
and the truth about that threshold is compared with what nescio said of it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from cells import read_cells, write_cells
from pages import cells_of, fill

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from nescio.selective import Guarantee, bounds_on_grid, certify

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
RISKS = (0.05, 0.1, 0.2)
CONFIDENCE = 0.95
GUARANTEED_SIZES = (200, 1_000)
TUNED_SIZES = (100, 200, 1_000)
RESAMPLES = 1_000  # of the interval of each collection


class Law(Struct, frozen=True):
    """Confidences c in [0, 1] with P(c ≤ x) = x^spread; an answer is right with chance Σ coefficient_k c^k, by the
    piece (from, to, coefficients) that c lies in. With `steps`, c is rounded up to that many values, before it means
    anything. `silent` is the chance of no answer and no candidate."""

    name: str
    spread: float
    pieces: tuple[tuple[float, float, tuple[float, ...]], ...]
    steps: int = 0
    silent: float = 0.0

    def right(self, c: Array) -> Array:
        """Return the chance that an answer of this confidence is right."""
        found = np.zeros(np.shape(c))
        for low, high, coefficients in self.pieces:
            inside = (c > low) & (c <= high)
            found[inside] = np.polynomial.polynomial.polyval(c[inside], coefficients)
        return found

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """n questions: confidence, whether the answer is wrong, and whether there is none."""
        c = (1 - rng.random(n)) ** (1 / self.spread)  # never 0
        if self.steps:
            c = np.ceil(c * self.steps) / self.steps
        return c, rng.random(n) >= self.right(c), rng.random(n) < self.silent

    def accepted(self, threshold: float) -> tuple[float, float]:
        """Return the chances that a question which can be answered has c ≥ threshold, and that it also is answered
        rightly."""
        if self.steps:
            values = np.arange(1, self.steps + 1) / self.steps
            mass = values**self.spread - (values - 1 / self.steps) ** self.spread
            above = values >= threshold
            return float(mass[above].sum()), float((mass * self.right(values))[above].sum())
        a, right = self.spread, 0.0
        for low, high, coefficients in self.pieces:
            low_ = min(max(low, threshold), high)
            for k, coefficient in enumerate(coefficients):
                right += coefficient * a / (a + k) * (high ** (a + k) - low_ ** (a + k))
        return 1 - min(max(threshold, 0.0), 1.0) ** a, right

    def risk(self, threshold: float) -> float:
        """Return the chance that an accepted answer is wrong."""
        mass, right = self.accepted(threshold)
        return 1 - right / mass if mass > 1e-15 else 0.0

    def expected(self, measure: str, threshold: float, n: float) -> float:
        """Return the expected c@1 or UF of a new collection of n questions; for n = inf, what the measure tends to as n
        grows.

        E[A/n + AU/n²] = a + (1 - 1/n) a u, since the counts of the three outcomes are multinomial; UF is a mean.
        """
        mass, right = self.accepted(threshold) if threshold < np.inf else (0.0, 0.0)
        a, u = (1 - self.silent) * right, 1 - (1 - self.silent) * mass
        return a + (1 - 1 / n) * a * u if measure == "c@1" else a - (1 - u - a)


def whole(*coefficients: float) -> tuple[tuple[float, float, tuple[float, ...]], ...]:
    """One piece for all confidences."""
    return ((0.0, 1.0, coefficients),)


def guaranteed_laws(risk: float) -> tuple[Law, ...]:
    """Laws to certify a risk on; the last is unsafe at every threshold, by very little."""
    return (
        Law("calibrated", 8, whole(0, 1)),
        Law("overconfident (c³)", 8, whole(0, 0, 0, 1)),
        Law("underconfident (2c - c²)", 2, whole(0, 2, -1)),
        Law("calibrated, 20 values", 8, whole(0, 1), steps=20),
        Law("the surest tenth worse", 2, ((0.0, 0.9, (0.97,)), (0.9, 1.0, (0.85,)))),
        Law("20% without an answer", 8, whole(0, 1), silent=0.2),
        Law("flat, just unsafe", 1, whole(1 - 1.001 * risk)),
    )


TUNED_LAWS = (
    Law("calibrated", 2, whole(0, 1)),
    Law("overconfident (c³)", 2, whole(0, 0, 0, 1)),
    Law("underconfident (2c - c²)", 1, whole(0, 2, -1)),
    Law("calibrated, 20 values", 2, whole(0, 1), steps=20),
    Law("20% without an answer", 2, whole(0, 1), silent=0.2),
    Law("weak (0.4 + 0.2c)", 1, whole(0.4, 0.2)),
    Law("uninformative (0.5)", 1, whole(0.5)),
)


class Guaranteed(Struct, frozen=True):
    """How often a certified risk is exceeded in a setting, how often one was certified, and the mean coverage then."""

    law: str
    n: int
    risk: float
    broken: float
    error: float
    found: float
    coverage: float


def guarantee(which: int, n: int, risk: float, collections: int) -> Guaranteed:
    """How often the returned threshold breaks the risk, how often there is one, and what it covers."""
    law, wanted = guaranteed_laws(risk)[which], Guarantee(risk, CONFIDENCE)
    rng = np.random.default_rng([1, which, n, round(risk * 100)])
    broken, found, covered = 0, 0, 0.0
    for _ in range(collections):
        c, wrong, none = law.draw(n, rng)
        point = certify(bounds_on_grid(c[~none], wrong[~none], wanted), wanted)
        if point is not None:
            found += 1
            covered += point.accepted / n
            broken += law.risk(point.threshold) > risk
    share = broken / collections
    error, coverage = share_error(share, collections), covered / found if found else float("nan")
    return Guaranteed(law.name, n, risk, share, error, found / collections, coverage)


def share_error(share: float, m: int) -> float:
    """Return the Monte Carlo standard error of a share; where it is 0 or 1, that of one collection more or less."""
    return float(np.sqrt(max(share * (1 - share), 1 / m) / m))


def evidence(c: Array, wrong: Array, none: Array) -> Evidence:
    """One run that answers all that it can."""
    columns = {
        "correct": ~wrong & ~none,
        "incorrect": wrong & ~none,
        "unanswered": none,
        "answered": ~none,
    }
    cells = {name: values.astype(np.int8)[None] for name, values in columns.items()}
    names = tuple(f"{i:06}" for i in range(len(c)))
    return Evidence(
        ("run",), names, cells | {"confidence": np.where(none, np.nan, c)[None]}, np.zeros((1, len(c)), np.uint8)
    )


def best(law: Law, measure: str, n: int) -> float:
    """Return the threshold that is best under the law, to a thousandth."""
    return max(np.arange(1_001) / 1_000, key=lambda threshold: law.expected(measure, float(threshold), n))


def crossfit(measure: str, which: int, n: int, collections: int) -> dict[str, Any]:
    """Return what tune says of a measure, in sample and cross-fitted, minus the truth about the threshold that it
    returns."""
    law = TUNED_LAWS[which]
    rng = np.random.default_rng([2, which, n])
    at_best = best(law, measure, n)
    rows = []
    for seed in range(collections):
        c, wrong, none = law.draw(n, rng)
        row = nescio.tune(evidence(c, wrong, none), measure, resamples=RESAMPLES, seed=seed).rows[0]
        threshold = np.inf if row.threshold is None else row.threshold
        truth, limit = (law.expected(measure, threshold, size) for size in (n, np.inf))
        answered = (c >= at_best) & ~none
        right, silent = (answered & ~wrong).sum() / n, 1 - answered.sum() / n
        scored = right + right * silent if measure == "c@1" else right - (1 - silent - right)
        luck = scored - law.expected(measure, at_best, n)
        assert row.low is not None
        assert row.high is not None
        held = row.low <= truth <= row.high
        rows.append((row.value_in_sample - truth, row.value - truth, row.value - limit, luck, held, truth))
    inside, value, limit_, luck, held, truth = np.array(rows, dtype=float).T
    found: dict[str, Any] = {
        "measure": measure,
        "law": law.name,
        "n": n,
        "truth": truth.mean(),
        "spread": value.std(ddof=1),
    }
    for name, values in {
        "in_sample": inside,
        "cross": value,
        "sharp": value - luck,
        "limit": limit_,
        "limit_sharp": limit_ - luck,
    }.items():
        found[name] = values.mean()
        found[f"{name}_error"] = values.std(ddof=1) / collections**0.5
    return found | {"held": held.mean(), "held_error": share_error(float(held.mean()), collections)}


def crossfit_table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return a row a law and size: the differences from the truth, in thousandths of c@1."""
    lines = [
        "| law | n | true c@1 | in sample | cross-fitted | in SE | sharp | from the limit, sharp | interval holds it |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for c in found:
        cells = [_with_error(c, "in_sample"), _with_error(c, "cross"), f"{c['cross'] / c['cross_error']:+.1f}"]
        cells += [_with_error(c, "sharp"), _with_error(c, "limit_sharp"), f"{c['held']:.3f} ± {c['held_error']:.3f}"]
        lines.append(f"| {c['law']} | {c['n']:,} | {c['truth']:.3f} | " + " | ".join(cells) + " |")
    return lines


def mean_table(tuned: Sequence[dict[str, Any]]) -> list[str]:
    """Return a row a measure and size: the mean of the differences over the laws, in thousandths."""
    names = ("in_sample", "cross", "sharp", "limit", "limit_sharp")
    lines = [
        "| measure | n | in sample | cross-fitted | sharp | from the limit | from the limit, sharp |",
        "| --- | ---: |" + " ---: |" * len(names),
    ]
    for measure, n in dict.fromkeys((c["measure"], c["n"]) for c in tuned):
        own = [c for c in tuned if (c["measure"], c["n"]) == (measure, n)]
        mean = {name: np.mean([c[name] for c in own]) for name in names}
        mean |= {f"{name}_error": sum(c[f"{name}_error"] ** 2 for c in own) ** 0.5 / len(own) for name in names}
        lines.append(f"| {measure} | {n:,} | " + " | ".join(_with_error(mean, name) for name in names) + " |")
    return lines


def _with_error(cell: dict[str, Any], name: str) -> str:
    return f"{1e3 * cell[name]:+.2f} ± {1e3 * cell[f'{name}_error']:.2f}"


def first(cell: str) -> float:
    """Return the number of a cell, before its error."""
    return float(cell.partition(" ± ")[0])


def page(output: Path) -> str:
    """Return the page, from the figures in the CSV files."""
    guaranteed = read_cells(Guaranteed, output / "selective-guarantee.csv")
    with (output / "selective.csv").open(newline="", encoding="utf-8") as file:
        tuned = [*csv.DictReader(file)]
    few = {row["law"]: row for row in tuned if row["n"] == str(TUNED_SIZES[0])}
    worst = {one.law: one for one in sorted(guaranteed, key=lambda one: one.broken)}
    lines = [
        "| confidences | certified risk exceeded | c@1 in sample, error in 1/1,000 |"
        " c@1 cross-fitted, error in 1/1,000 | 95% interval holds c@1 |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for law in dict.fromkeys([*worst, *few]):
        broken = f"{worst[law].broken:.4f} ± {worst[law].error:.4f}" if law in worst else "–"
        others = [few[law][name] if law in few else "–" for name in ("in sample", "cross-fitted", "interval holds it")]
        lines.append(f"| {law} | {broken} | {' | '.join(others)} |")
    facts = {
        "table": lines,
        "broken": f"{max(one.broken for one in guaranteed):.1%}",
        "inside": f"{max(first(row['in sample']) for row in tuned) / 1e3:.3f}",
        "cross": f"{max(abs(first(row['cross-fitted'])) for row in tuned) / 1e3:.3f}",
        "large": f"{max(abs(first(row['cross-fitted'])) for row in tuned if row['n'] == '1,000') / 1e3:.3f}",
        "settings": f"{len(guaranteed)}",
        "tuned": f"{len(tuned)}",
    }
    return fill("selective", facts)


def write_table(table: Sequence[str], path: Path) -> None:
    """Write a Markdown table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(map(cells_of, [table[0], *table[2:]]))


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the figures."
)
def main(collections: int, jobs: int, output: Path, *, page_only: bool) -> None:
    """Simulate, and write the figures and the page."""
    if not page_only:
        simulate(collections, jobs, output)
    (output / "selective.md").write_text(page(output), encoding="utf-8")


def simulate(collections: int, jobs: int, output: Path) -> None:
    """Simulate all settings, and write the figures."""
    start = perf_counter()
    parallel = joblib.Parallel(n_jobs=jobs, verbose=1)
    laws = range(len(guaranteed_laws(0.1)))
    guaranteed = [(which, n, risk) for which in laws for n in GUARANTEED_SIZES for risk in RISKS]
    found = parallel(joblib.delayed(guarantee)(*setting, collections) for setting in guaranteed)
    write_cells(found, output / "selective-guarantee.csv")
    settings = [("c@1", which, n) for which in range(len(TUNED_LAWS)) for n in TUNED_SIZES]
    settings += [("UF", which, n) for which in range(len(TUNED_LAWS)) for n in TUNED_SIZES[:2]]
    tuned = parallel(joblib.delayed(crossfit)(*setting, collections) for setting in settings)
    write_table(crossfit_table([c for c in tuned if c["measure"] == "c@1"]), output / "selective.csv")
    write_table(mean_table(tuned), output / "selective-means.csv")
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
