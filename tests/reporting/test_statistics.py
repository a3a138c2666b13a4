"""What pages compute by themselves (`statistics.js`) is what Python computes, on generated tables."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.reporting import page as package
from nescio.stats.intervals import wilson
from tests.comparison.runs import evidence
from tests.daily import daily

SCRIPT = Path(package.__file__).with_name("statistics.js")
OUTCOMES = ("correct", "incorrect", "unanswered")
MEASURES = ("c@1", "accuracy")
SEEDS = range(50)
Z = 1.959963984540054  # of 95%


def generated(seed: int, path: Path) -> tuple[list[tuple[int, int]], list[int]]:
    """Write a table of two runs that agree now and then, with outcomes that may be rare or missing, in clusters of
    unequal sizes; return the outcomes of both by question, and the clusters."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 7, 30, 211, 1500]))
    shares = rng.dirichlet([0.4, 0.4, 0.4], 2)
    first, second = (rng.choice(3, n, p=share) for share in shares)
    second = np.where(rng.random(n) < rng.random(), first, second)
    clusters = rng.integers(0, max(2, n // 4), n)
    rows = [f"{run},q{i},{OUTCOMES[own[i]]}" for run, own in (("a", first), ("b", second)) for i in range(n)]
    path.write_text("run,question,outcome\n" + "\n".join(rows) + "\n", encoding="utf-8")
    grouped = [f"{row},{clusters[i % n]}" for i, row in enumerate(rows)]
    path.with_suffix(".tsv").write_text(
        "run\tquestion\toutcome\tcluster\n" + "\n".join(row.replace(",", "\t") for row in grouped) + "\n"
    )
    return list(zip(first.tolist(), second.tolist(), strict=True)), clusters.tolist()


def assert_same(found: Any, expected: float | None) -> None:
    """A value that Python leaves undefined is null."""
    assert expected is not None
    assert (found is None) == math.isnan(expected)
    if found is not None:
        assert abs(found - expected) <= 1e-12


@pytest.mark.parametrize("seed", daily(SEEDS, 3))
def test_scores_and_comparisons_are_those_of_the_commands(seed: int, tmp_path: Path, script: Any) -> None:
    cells, _ = generated(seed, tmp_path / "table.csv")
    scores = nescio.score(tmp_path / "table.csv", [*MEASURES, "coverage"])
    for place, run in enumerate("ab"):
        counts = [Counter(cell[place] for cell in cells)[state] for state in range(3)]
        made = script.evaluate("(counts) => statistics.posterior(...counts, 0.95)", counts)
        for name in MEASURES:
            row = scores[run, name]
            values = script.evaluate(
                "([name, [c, w, u]]) => statistics.measures[name](c, u, c + w + u)", [name, counts]
            )
            assert_same(values, row.value)
            for found, expected in zip(made[name], (row.low, row.high), strict=True):
                assert_same(found, expected)
        answered = [counts[0] + counts[1], len(cells)]
        row = scores[run, "coverage"]
        found = script.evaluate("([hits, n, z]) => statistics.wilson(hits, n, z)", [*answered, Z])
        assert found == pytest.approx([row.low, row.high], abs=1e-12)
    pairs = [Counter(cells)[divmod(kind, 3)] for kind in range(9)]
    made = script.evaluate("(pairs) => statistics.paired(pairs, 0.95)", pairs)
    for pair in nescio.compare(tmp_path / "table.csv", MEASURES, baseline="b"):
        found = made[pair.measure]
        assert_same(found["difference"], pair.difference)
        assert pair.test == "exact"
        assert found["p"] == pytest.approx(pair.p, rel=1e-10, abs=0)
        low, high = found["interval"] or [None, None]
        assert_same(low, pair.low)
        assert_same(high, pair.high)


@pytest.mark.parametrize(("first", "second"), [("CW", "WC"), ("CCC", "WWC"), ("WWC", "CCC"), ("CCU", "WWC")])
def test_no_interval_goes_beyond_what_a_difference_can_be(first: str, second: str, script: Any) -> None:
    pairs = [list(zip(first, second, strict=True)).count((a, b)) for a in "CWU" for b in "CWU"]
    made = script.evaluate("(pairs) => statistics.paired(pairs, 0.95)", pairs)
    for pair in nescio.compare(evidence(a=first, b=second), MEASURES, baseline="b"):
        low, high = made[pair.measure]["interval"] or [None, None]
        assert_same(low, pair.low)
        assert_same(high, pair.high)
        assert low is None or -1 <= low < high <= 1


@pytest.mark.parametrize("seed", SEEDS[::5])
def test_intervals_of_clusters_are_those_of_the_command(seed: int, tmp_path: Path, script: Any) -> None:
    cells, clusters = generated(seed, tmp_path / "table.csv")
    scores = nescio.score(tmp_path / "table.tsv", [*MEASURES, "coverage"])
    for place, run in enumerate("ab"):
        counts = [[0, 0, 0] for _ in range(max(clusters) + 1)]
        for cell, cluster in zip(cells, clusters, strict=True):
            counts[cluster][cell[place]] += 1
        made = script.evaluate(
            "(clusters) => statistics.clustered(clusters, 0.95)", [one for one in counts if any(one)]
        )
        for name, ends in zip((*MEASURES, "coverage"), made, strict=True):
            row = scores[run, name]
            low, high = ends or [None, None]
            assert_same(low, row.low)
            assert_same(high, row.high)


def test_the_interval_of_another_seed_and_of_few_draws(tmp_path: Path, script: Any) -> None:
    (tmp_path / "counts.csv").write_text("run,correct,incorrect,unanswered\na,3,9,2\n")
    row = nescio.score(tmp_path / "counts.csv", ["c@1"], seed=2**33 + 5, resamples=1000)["a", "c@1"]
    found = script.evaluate("() => statistics.posterior(3, 9, 2, 0.95, { draws: 1000, seed: 2 ** 33 + 5 })['c@1']")
    assert found == pytest.approx([row.low, row.high], abs=1e-12)


def test_wilson_is_pythons(script: Any) -> None:
    for hits, n in ((0, 4), (4, 4), (50, 100)):
        found = script.evaluate("([hits, n, z]) => statistics.wilson(hits, n, z)", [hits, n, Z])
        assert found == pytest.approx(wilson(hits, n, 0.95), abs=1e-12)
