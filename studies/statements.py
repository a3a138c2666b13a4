"""How often is a sentence of the report true? The study behind docs/evidence/statements.md.

    python studies/statements.py          writes the page and its CSV files (about five minutes on two cores)

Collections are drawn from systems whose truth is known, the report is made of each, and every sentence with a level is
held against the truth: of the run and the threshold that this report chose. Beside it stands what a plain sentence
would have said, as of a run that was picked in advance.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import joblib
import numpy as np
import pyarrow as pa
from cells import read_cells, write_cells
from msgspec import Struct
from numpy.typing import NDArray
from pages import fill

from nescio.reporting import page as pages
from nescio.reporting.page.deciding import TOLERATED, promises, tolerated
from nescio.reporting.page.report_data import ReportData
from nescio.reporting.page.sentence import statements
from nescio.reporting.page.statements import KINDS, LEVEL, Statement
from nescio.stats.chosen import upper_of_chosen

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
SIZES = (80, 300)
COLLECTIONS = {1: 200, 3: 150, 30: 30}  # by the number of runs
TOLERANCES = (TOLERATED, 0.1, 0.2, 0.3, 0.5)
SIMULATED = tuple(name for name, kind in KINDS.items() if kind.simulated)
ESTIMATE = "held out"  # a kind whose figure has no level: the truth is to be as often above as below
WORDS = np.array(["correct", "incorrect", "unanswered"], dtype=object)

Floats = NDArray[np.float64]


class System(Struct, frozen=True):
    """Runs that are drawn together. Without `sure`, a run is right and wrong with these chances and else silent, and
    `shared` is the share of a question's luck that its runs have in common. With it, all answer, with a confidence c of
    density 2c; run j of k is right with chance q·c, the quality q falling evenly from 1 to `worst`."""

    name: str
    right: float = 0.55
    wrong: float = 0.25
    shared: float = 0.0
    sure: bool = False
    worst: float = 1.0

    def qualities(self, k: int) -> Floats:
        """Say how good each of k runs is; 1 where runs are equal."""
        return np.linspace(1.0, self.worst, k)

    def draw(self, n: int, k: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Floats | None]:
        """Return states (0 correct, 1 incorrect, 2 unanswered) and confidences, shape (runs, questions)."""
        if self.sure:
            confidence = np.sqrt(1 - rng.random((k, n)))
            wrong = rng.random((k, n)) >= self.qualities(k)[:, None] * confidence
            return wrong.astype(np.int64), confidence
        from scipy.special import ndtr

        common, own = rng.standard_normal((1, n)), rng.standard_normal((k, n))
        luck = ndtr(np.sqrt(self.shared) * common + np.sqrt(1 - self.shared) * own)
        return np.where(luck < self.right, 0, np.where(luck < self.right + self.wrong, 1, 2)), None

    def value(self, quality: float) -> float:
        """Return the c@1 that a run tends to, as it comes."""
        if self.sure:
            return quality * 2 / 3  # E[q·c] for density 2c
        return self.right * (2 - self.right - self.wrong)

    def risk(self, quality: float, threshold: float | None) -> float:
        """Return the chance that an answer from t on is wrong: 1 - q·E[c | c ≥ t], E being (2/3)(1 - t³)/(1 - t²)."""
        if not self.sure:
            return self.wrong / (self.right + self.wrong)
        t = max(threshold or 0.0, 0.0)
        return 1 - quality * (2 / 3) * (1 - t**3) / (1 - t**2) if t < 1 else 1 - quality


SYSTEMS = (
    System("equal runs, a fifth silent"),
    System("the same, luck shared (.6)", shared=0.6),
    System("confidences, equal runs", sure=True),
    System("confidences, unequal runs", sure=True, worst=0.85),
)


def drawn(system: System, n: int, k: int, rng: np.random.Generator) -> tuple[pa.Table, Mapping[str, float]]:
    """Return a table as people have it, and how good each run is."""
    states, confidence = system.draw(n, k, rng)
    names = [f"run {r:02}" for r in rng.permutation(k)]  # so that the order of names tells nothing
    columns = {
        "run": np.repeat(np.array(names, dtype=object), n),
        "question": np.tile(np.array([f"q{q:04}" for q in range(n)], dtype=object), k),
        "outcome": WORDS[states.ravel()],
    }
    if confidence is not None:
        columns["confidence"] = confidence.ravel()
    return pa.table(columns), dict(zip(names, system.qualities(k), strict=True))


Claim = tuple[str, bool, bool]  # a kind of sentence, whether one was true, and whether the plain one would have been


def claims(number: int, n: int, k: int, seed: Sequence[int]) -> list[Claim]:
    """Make the report of one collection, and hold its sentences against the truth."""
    system = SYSTEMS[number]
    rng = np.random.default_rng(seed)
    table, quality = drawn(system, n, k, rng)
    report = pages.gather(table, ["c@1"], seed=int(rng.integers(1 << 30)))
    said = {one.kind: one for one in statements(report) if one.level is not None}
    found = [
        _hold(system, report, one, quality, rng) for one in said.values() if one.figures.get("upper", 0) is not None
    ]
    made = promises(report)
    for risk in TOLERANCES:
        if (one := tolerated(made, risk)) is not None:
            truth = system.risk(quality[one.run], one.threshold)
            merits = [(upper_of_chosen(m.wrong, m.answered, 1, LEVEL) <= risk, m.answered - m.wrong) for m in made]
            plain = made[merits.index(max(merits))]
            found.append(("tolerated", truth <= risk, system.risk(quality[plain.run], plain.threshold) <= risk))
    shipping = report.shipping
    if shipping is not None and shipping.tuned is not None and shipping.expected is not None:
        truth = system.risk(quality[shipping.run], shipping.tuned.threshold)
        found.append((ESTIMATE, truth <= shipping.expected[1], truth <= shipping.tuned.risk))
    return found


def _hold(
    system: System, report: ReportData, one: Statement, quality: Mapping[str, float], rng: np.random.Generator
) -> Claim:
    best = report.runs[0]
    figures: dict[str, Any] = dict(one.figures)
    row = report.row(best, report.main)
    assert row is not None
    assert row.low is not None
    assert row.high is not None
    if one.kind == "best":
        truth = system.value(quality[best])
        return ("best", figures["low"] <= truth <= figures["high"], row.low <= truth <= row.high)
    if one.kind == "better":
        told = [run for run in report.runs[1:] if (pair := report.pairs.get((best, run))) and pair.significant]
        plain = [
            run for run in report.runs[1:] if (pair := report.pairs.get((best, run))) and (pair.p or 1) <= 1 - LEVEL
        ]
        right = [all(quality[best] > quality[run] for run in runs) for runs in (told, plain)]
        return ("better", right[0], right[1])
    if one.kind == "another sample":
        states, _ = System(**{f: getattr(system, f) for f in System.__struct_fields__} | {"worst": quality[best]}).draw(
            figures["n"], 2 if system.sure else 1, rng
        )
        counts = np.bincount(states[-1], minlength=3)
        value = counts[0] / counts.sum() * (1 + counts[2] / counts.sum())
        held = figures["low"] - 1e-9 <= value <= figures["high"] + 1e-9
        return ("another sample", held, row.low <= value <= row.high)
    shipping = report.shipping
    assert shipping is not None
    truth = system.risk(quality[shipping.run], shipping.tuned.threshold if shipping.tuned else None)
    plain_upper = upper_of_chosen(figures["wrong"], figures["answered"], 1, LEVEL)
    return ("wrong", truth <= figures["upper"], truth <= plain_upper)


class Kept(Struct, frozen=True):
    """How often sentences of a kind were true in one setting, and how often plain ones would have been."""

    kind: str
    system: str
    n: int
    runs: int
    said: int
    true: float
    plain: float


def kept(number: int, n: int, k: int, collections: int, jobs: int = 1) -> list[Kept]:
    """Judge each kind of sentence in one setting."""
    system = SYSTEMS[number]
    work = (joblib.delayed(claims)(number, n, k, (29, number, n, k, i)) for i in range(collections))
    by_kind: dict[str, list[Claim]] = defaultdict(list)
    for found in joblib.Parallel(jobs, backend="multiprocessing")(work):
        for claim in found:
            by_kind[claim[0]].append(claim)
    return [
        Kept(
            kind,
            system.name,
            n,
            k,
            len(found),
            float(np.mean([true for _, true, _ in found])),
            float(np.mean([plain for _, _, plain in found])),
        )
        for kind in (*SIMULATED, ESTIMATE)
        if (found := by_kind.get(kind))
    ]


def error(many: int) -> float:
    """Return the Monte Carlo standard error of a share of 95%."""
    return float((0.95 * 0.05 / many) ** 0.5)


class Pooled(Struct, frozen=True):
    """How often sentences of a kind were true over all systems and sizes, as the CSV has it."""

    sentence: str
    runs: int
    sentences: int
    true: str
    plain: str


def pooled(found: Sequence[Kept]) -> list[Pooled]:
    """Return a row a kind with a level and a number of runs."""
    rows = []
    for kind in SIMULATED:
        for k in COLLECTIONS:
            of = [one for one in found if (one.kind, one.runs) == (kind, k)]
            if many := sum(one.said for one in of):
                true, plain = (
                    sum(one.said * share for one, share in zip(of, shares, strict=True)) / many
                    for shares in ([one.true for one in of], [one.plain for one in of])
                )
                rows.append(Pooled(kind, k, many, f"{true:.1%} ± {error(many):.1%}", f"{plain:.1%}"))
    return rows


def page(found: Sequence[Kept], of_kinds: Sequence[Pooled]) -> str:
    """docs/evidence/statements.md: fixed prose around the figures of this run."""
    true = {name: ", ".join(one.true for one in of_kinds if one.sentence == name) for name in KINDS}
    true[ESTIMATE] = "no level"
    declared = [
        f"| {name} | {kind.claim} | {kind.given} | {kind.method} | {true[name] or 'recomputed'} |"
        for name, kind in KINDS.items()
    ]
    worst = min((one for one in found if one.kind != ESTIMATE), key=lambda one: one.true)
    parts = {
        "declared": [
            "| sentence | what it claims | conditional on | method | true with 1, 3, 30 runs |",
            "| --- | --- | --- | --- | --- |",
            *declared,
        ],
        "least": min((one.true.split(" ")[0] for one in of_kinds), key=lambda share: float(share[:-1])),
        "plain": min((one.plain for one in of_kinds), key=lambda share: float(share[:-1])),
        "worst": f'{worst.true:.1%} ± {error(worst.said):.1%} ("{worst.kind}", {worst.n} questions, {worst.runs} runs)',
        "collections": ", ".join(f"{many} of {k} run{'s' * (k > 1)}" for k, many in COLLECTIONS.items()),
    }
    return fill("statements", parts)


def simulated(share: float, jobs: int) -> list[Kept]:
    """Simulate all settings, with a share of their collections."""
    found = []
    for number, system in enumerate(SYSTEMS):
        for n in SIZES:
            for k, collections in COLLECTIONS.items():
                begun = time.perf_counter()
                found += kept(number, n, k, max(1, round(collections * share)), jobs)
                print(f"{system.name}, {n} questions, {k} runs: {time.perf_counter() - begun:.1f} s", flush=True)
    return found


@click.command()
@click.option("--share", default=1.0, show_default=True, help="Of the collections of each setting.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Write the page again from the CSV that is there.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=DOCS, help="The folder for the page and the figures."
)
def main(share: float, jobs: int, output: Path, *, page_only: bool) -> None:
    """Make the reports, and write the figures and the page."""
    if not page_only:
        write_cells(simulated(share, jobs), output / "statements.csv")
    found = read_cells(Kept, output / "statements.csv")
    write_cells(of_kinds := pooled(found), output / "statements-pooled.csv")
    (output / "statements.md").write_text(page(found, of_kinds), encoding="utf-8")


if __name__ == "__main__":
    main()
