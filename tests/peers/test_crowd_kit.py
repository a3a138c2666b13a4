"""crowd-kit's model of assessors (Dawid & Skene) against ours, cycle by cycle."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.stats.dawid_skene import dawid_skene

pandas = pytest.importorskip("pandas")
crowd = pytest.importorskip(
    "crowdkit.aggregation", reason="crowd-kit is not installed: its model of assessors is not compared with ours"
)


@pytest.mark.filterwarnings("ignore")  # of its calls to pandas
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("cycles", [1, 3, 10])
def test_the_same_chances_after_so_many_cycles(seed: int, cycles: int) -> None:
    """Four assessors of unlike skill and 80 answers, one verdict in five missing. Both start from the shares of votes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 80)
    said = np.where(rng.random((80, 4)) < [0.9, 0.8, 0.7, 0.6], truth[:, None], rng.integers(0, 3, (80, 4)))
    said = np.where(rng.random((80, 4)) < 0.2, -1, said)
    said = said[(said >= 0).any(axis=1)]
    rows = [(i, a, int(said[i, a])) for i, a in np.argwhere(said >= 0)]
    table = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    theirs = crowd.DawidSkene(n_iter=cycles, tol=0).fit(table)
    ours = dawid_skene(said, 3, smoothing=0, cycles=cycles)
    assert ours.chances == pytest.approx(theirs.probas_[[0, 1, 2]].to_numpy(), abs=1e-6)
