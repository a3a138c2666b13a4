"""Does a guaranteed risk hold, and is the cross-fitted c@1 what new questions bring? The study behind
docs/evidence/selective.md.

    python studies/selective.py           writes docs/evidence/selective.md (a few minutes on two cores)

A law says how confidences are spread and how often an answer of each confidence is right, so that the true risk and the
true expected c@1 of any threshold have a closed form. Collections are drawn from it, nescio tunes a threshold on each,
and the truth about that threshold is compared with what nescio said of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
from pages import fill, kept_beside

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


def guarantee(which: int, n: int, risk: float, collections: int) -> dict[str, Any]:
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
    return {
        "law": law.name,
        "n": n,
        "risk": risk,
        "broken": broken / collections,
        "error": share_error(broken / collections, collections),
        "found": found / collections,
        "coverage": covered / found if found else float("nan"),
    }


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


def guarantee_table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return a row a law and size; for each risk how often it is exceeded, how often certified, and the mean coverage
    then."""
    lines = [
        "| law | n | " + " | ".join(f"risk {risk:g}: exceeded | certified | coverage" for risk in RISKS) + " |",
        "| --- | ---: |" + " ---: | ---: | ---: |" * len(RISKS),
    ]
    for which in range(len(guaranteed_laws(0.1))):
        for n in GUARANTEED_SIZES:
            cells = []
            for risk in RISKS:
                name = guaranteed_laws(risk)[which].name
                cell = next(c for c in found if (c["law"], c["n"], c["risk"]) == (name, n, risk))
                covered = f"{cell['coverage']:.2f}" if cell["found"] else "–"
                cells.append(f"{cell['broken']:.4f} ± {cell['error']:.4f} | {cell['found']:.3f} | {covered}")
            lines.append(f"| {name} | {n:,} | " + " | ".join(cells) + " |")
    return lines


def in_few_questions(row: Mapping[str, str]) -> bool:
    """Say whether the page shows a row: those of the fewest questions, where a promise is hardest to keep."""
    return row["n"] == str(TUNED_SIZES[0])


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


def facts(guaranteed: Sequence[dict[str, Any]], tuned: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the figures that the prose names, and whether what it says is met."""
    worst = max(guaranteed, key=lambda c: c["broken"])
    over = [c for c in guaranteed if c["broken"] > 0.05 + 2 * c["error"]]
    high = [c for c in tuned if c["in_sample"] > 2 * c["in_sample_error"]]
    gap = {n: max((c for c in tuned if c["n"] == n), key=lambda c: abs(c["sharp"])) for n in TUNED_SIZES}
    return {
        "worst": f"{worst['broken']:.4f} ± {worst['error']:.4f} ({worst['law']}, n = {worst['n']:,}, risk "
        f"{worst['risk']:g})",
        "over": f"**Met**: in none of the {len(guaranteed)} settings"
        if not over
        else f"**Not met**: in {len(over)} settings",
        "unbiased": _verdict(tuned, "cross"),
        "unbiased limit": _verdict(tuned, "limit"),
        "in sample": f"in {len(high)} of {len(tuned)} settings by more than 2 SE",
        "resolved": f"{sum(abs(c['sharp']) > 2 * c['sharp_error'] for c in tuned)} of {len(tuned)}",
        "gaps": "; ".join(
            f"n = {n:,}: {_with_error(c, 'sharp')} ({c['law']}), {abs(c['sharp'] / c['spread']):.0%} of the standard "
            "deviation of the estimate"
            for n, c in gap.items()
        ),
        "held": f"{min(c['held'] for c in tuned):.3f} to {max(c['held'] for c in tuned):.3f}",
    }


def _verdict(tuned: Sequence[dict[str, Any]], name: str) -> str:
    apart = [c for c in tuned if abs(c[name]) > 2 * c[f"{name}_error"]]
    if not apart:
        return f"**met** in all {len(tuned)} settings"
    where = ", ".join(f"{c['law']} at n = {c['n']:,} ({c[name] / c[f'{name}_error']:+.1f} SE)" for c in apart)
    return f"met in {len(tuned) - len(apart)} of {len(tuned)} settings, **not met** in {len(apart)}: {where}"


@click.command()
@click.option("--collections", default=2_000, show_default=True, help="Simulated collections a setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for selective.md and its table."
)
def main(collections: int, jobs: int, output: Path) -> None:
    """Simulate, and write the page."""
    start = perf_counter()
    parallel = joblib.Parallel(n_jobs=jobs, verbose=1)
    laws = range(len(guaranteed_laws(0.1)))
    guaranteed = parallel(
        joblib.delayed(guarantee)(which, n, risk, collections)
        for which in laws
        for n in GUARANTEED_SIZES
        for risk in RISKS
    )
    settings = [("c@1", which, n) for which in range(len(TUNED_LAWS)) for n in TUNED_SIZES]
    settings += [("UF", which, n) for which in range(len(TUNED_LAWS)) for n in TUNED_SIZES[:2]]
    found = parallel(joblib.delayed(crossfit)(*setting, collections) for setting in settings)
    tuned = [c for c in found if c["measure"] == "c@1"]
    crossfitted = kept_beside(crossfit_table(tuned), output / "selective.csv", in_few_questions)
    parts = {"guaranteed": guarantee_table(guaranteed), "crossfit": crossfitted, "means": mean_table(found)}
    text = fill("selective", {**facts(guaranteed, tuned), **parts, "collections": f"{collections:,}"})
    (output / "selective.md").write_text(text, encoding="utf-8")
    click.echo(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
