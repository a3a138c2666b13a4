"""Smooth calibration error against `relplot` (Błasiok & Nakkiran, ICLR 2024), where it is installed.

relplot works on a grid of bins and halves its width ten times, where nescio's zeros and fixed point are exact: the two
differ by the grid.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import nescio

relplot = pytest.importorskip("relplot", reason="relplot is not installed (pip install relplot)")


@pytest.mark.parametrize(("n", "seed", "bend"), [(200, 1, 1.0), (1_000, 2, 1.0), (1_000, 3, 2.0), (5_000, 4, 0.5)])
def test_smooth_calibration_error(n: int, seed: int, bend: float) -> None:
    rng = np.random.default_rng(seed)
    sure = rng.random(n)
    right = rng.random(n) < sure**bend
    table = pa.table(
        {
            "question": [str(i) for i in range(n)],
            "outcome": np.where(right, "correct", "incorrect"),
            "confidence": sure,
        }
    )
    ours = nescio.score(table, "smECE", ci=None).rows[0].value
    assert ours == pytest.approx(float(relplot.smECE(f=sure, y=right.astype(float))), abs=2e-3)


def test_the_toy_of_five_answers() -> None:
    """relplot gives .14478 and the exact fixed point is .1454061193."""
    sure, right = np.array([0.95, 0.9, 0.7, 0.6, 0.55]), np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    assert float(relplot.smECE(f=sure, y=right)) == pytest.approx(0.1454061193, abs=1e-3)
