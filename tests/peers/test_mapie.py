"""MAPIE's tests of a threshold's risk against our certified ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from nescio.stats.intervals import clopper_pearson_upper

methods = pytest.importorskip(
    "mapie.risk_control.methods", reason="MAPIE is not installed: its p-values are not compared with ours"
)


@pytest.mark.parametrize("risk", [0.1, 0.2])
def test_what_mapie_certifies_we_certify(risk: float) -> None:
    """MAPIE takes the lesser of the binomial p-value and Hoeffding's, which is never much less; our exact bound of the
    error rate is below the risk where the binomial p-value is below the error allowed."""
    wrong, answers = np.meshgrid(np.arange(0, 30), np.array([12, 25, 40, 110, 180]))
    kept = wrong <= answers
    wrong, answers = wrong[kept].astype(float), answers[kept].astype(float)
    theirs = methods.compute_hoeffding_bentkus_p_value(wrong / answers, answers, risk, binary=True)[:, 0]
    exact = binom.cdf(wrong, answers, risk)
    bounds = np.array([float(clopper_pearson_upper(w, n, 0.05)) for w, n in zip(wrong, answers, strict=True)])
    assert ((exact <= 0.05) == (bounds <= risk)).all()
    assert (theirs <= np.minimum(exact, 1) + 1e-9).mean() > 0.95  # but where n times the risk is rounded up
    agree = (theirs <= 0.05) == (bounds <= risk)
    assert agree.mean() > 0.97
