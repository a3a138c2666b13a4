"""statsmodels' clustered errors, regressions and exact bounds against ours."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.stats.components import WITHIN, balanced, clustered
from nescio.stats.control_variates import adjust
from nescio.stats.few_units import unit_error
from nescio.stats.intervals import clopper_pearson_upper, student

api = pytest.importorskip(
    "statsmodels.api", reason="statsmodels is not installed: its errors are not compared with ours"
)


@pytest.mark.parametrize(("clusters", "size"), [(6, 5), (10, 5), (30, 2), (40, 1)])
def test_a_mean_over_clusters_of_one_size(clusters: int, size: int) -> None:
    """Of equal sizes the clustered error with its small-sample factor is ours, and so is Student's interval."""
    rng = np.random.default_rng([clusters, size])
    groups = np.repeat(np.arange(clusters), size)
    y = (rng.random(clusters * size) < 0.4 + 0.3 * (groups % 2)).astype(float)
    fit = api.OLS(y, np.ones_like(y)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    influence = np.bincount(groups, y - y.mean()) / len(y)
    ones = np.ones(clusters, dtype=np.int64)
    error, freedom = unit_error(influence, np.full(clusters, float(size)), ones, skewed=False)
    assert error == pytest.approx(float(fit.bse[0]), abs=1e-12)
    assert freedom == pytest.approx(clusters - 1)
    low, high = fit.conf_int()[0]
    assert student(freedom, 0.95) * error == pytest.approx((high - low) / 2, abs=1e-9)


def test_a_mean_over_two_crossed_factors() -> None:
    """Questions and prompts of unlike numbers of answers: the two-way clustered variance of Cameron, Gelbach & Miller."""
    cov_cluster_2groups = pytest.importorskip("statsmodels.stats.sandwich_covariance").cov_cluster_2groups
    rng = np.random.default_rng(4)
    question, prompt = (code.ravel() for code in np.meshgrid(np.arange(40), np.arange(5), indexing="ij"))
    keep = rng.random(200) < 0.8
    question, prompt = question[keep], prompt[keep]
    y = rng.normal(size=len(question)) + rng.normal(size=40)[question] + rng.normal(size=5)[prompt]
    fit = api.OLS(y, np.ones_like(y)).fit()
    theirs = float(cov_cluster_2groups(fit, question, prompt)[0].item())
    moved = (y - y.mean()) / len(y)
    assert clustered(moved, [question, prompt], (0, 1)).variance == pytest.approx(theirs, rel=1e-9)


def test_components_of_a_balanced_design() -> None:
    """REML of a balanced design whose components are all above 0 is the analysis of variance."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    codes = [code.ravel() for code in np.indices((8, 5, 3))]
    values = rng.normal(0, 1, 8)[codes[0]] + rng.normal(0, 0.7, 5)[codes[1]]
    values = values + rng.normal(0, 0.6, (8, 5))[codes[0], codes[1]] + rng.normal(0, 0.8, values.shape)
    found = balanced(values, codes[:2])
    assert found is not None
    assert min(found.components.values()) > 0
    frame = {"y": values, "q": codes[0], "p": codes[1], "qp": codes[0] * 5 + codes[1], "one": np.ones(len(values))}
    parts = {"q": "0 + C(q)", "p": "0 + C(p)", "qp": "0 + C(qp)"}
    model = api.MixedLM.from_formula("y ~ 1", groups="one", vc_formula=parts, data=pandas.DataFrame(frame))
    peer = model.fit(reml=True, method=["lbfgs"])
    named = dict(zip(model.exog_vc.names, peer.vcomp, strict=True))
    mine = {"q": found.components[0,], "p": found.components[1,], "qp": found.components[0, 1]}
    assert named == pytest.approx(mine, rel=2e-3)
    assert peer.scale == pytest.approx(found.components[WITHIN], rel=2e-3)
    assert float(peer.bse_fe.iloc[0]) == pytest.approx(found.spread((0, 1)).error, rel=2e-3)


def test_a_mean_that_an_older_run_corrects() -> None:
    """A control variate is the regression's value at the pool's mean, and its residuals are those left one out."""
    rng = np.random.default_rng(9)
    pool = rng.integers(0, 2, (300, 2)).astype(float)
    drawn = rng.permutation(300)[:50]
    y = (pool[drawn, :1] + rng.normal(size=(50, 1)) > 0.5).astype(float)
    fit = adjust(y, pool[drawn], pool)
    theirs = api.OLS(y[:, 0], api.add_constant(pool[drawn])).fit()
    assert fit.means[0] == pytest.approx(float(theirs.predict([1, *pool.mean(axis=0)])[0]), abs=1e-12)
    left_out = theirs.get_influence().resid_press
    assert fit.residuals[:, 0] / (1 - fit.leverages) == pytest.approx(left_out, abs=1e-12)


def test_the_exact_bound_of_an_error_rate() -> None:
    proportion_confint = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    for wrong, answers in ((0, 12), (1, 25), (14, 70)):
        theirs = proportion_confint(wrong, answers, alpha=0.1, method="beta")[1]
        assert clopper_pearson_upper([wrong], [answers], 0.05) == pytest.approx([theirs], abs=1e-12)
