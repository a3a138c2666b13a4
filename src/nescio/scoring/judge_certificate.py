"""Certify a judge: its agreement with people, by four coefficients with intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nescio.data.columns import Array
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.errors import MismatchError
from nescio.pipeline.certificates import Coefficient
from nescio.scoring.agreement_tables import declining_tables, only_answered, resampled, tables_of
from nescio.stats import resampling
from nescio.stats.agreement import cohen_kappa, observed_agreement
from nescio.stats.intervals import defined, percentile
from nescio.stats.raters import gwet_ac1, krippendorff_alpha, of_two

COEFFICIENTS: dict[str, Callable[[Any], Array]] = {
    "agreement": observed_agreement,
    "kappa": cohen_kappa,
    "AC1": partial(of_two, gwet_ac1),
    "alpha": partial(of_two, krippendorff_alpha),
}
CATEGORIES = ("correct", "incorrect", "unanswered")
DECLINING = ("declined", "answered")


def coefficients(
    judged: Outcomes,
    people: Outcomes,
    sampled: Array,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[int, tuple[str, ...], tuple[Coefficient, ...]]:
    """Return the number of labels that both graded, the categories, and the coefficients of agreement over all runs.

    Questions are resampled, each with all its labels, and intervals are percentiles. The categories are correct and
    incorrect, and unanswered if people or judge use it. If labels say only whether the system answered, the categories
    are declined and answered. The arguments are those of `nescio.scoring.judge_agreement.against`. Raises MismatchError
    if people and judge graded no answer in common.
    """
    categories: tuple[str, ...] = DECLINING
    if only_answered(people.state):
        tables = declining_tables(judged.state, people.state, sampled).sum(axis=0)[..., :2]
    else:
        labelled = sampled & np.isin(people.state, (CORRECT, INCORRECT, SILENT))
        tables = tables_of(judged.state, people.state, labelled).sum(axis=0)[..., :3]
        categories = CATEGORIES if tables[:, 2].any() or tables[..., 2].any() else CATEGORIES[:2]
        tables = tables[:, : len(categories), : len(categories)]
    if not tables.any():
        raise MismatchError("people and judge graded no answer in common, so there is nothing to certify")
    drawn = resampled(tables, resampling.blocks(resamples, seed))
    whole = tables.sum(axis=0)
    rows = []
    for name, coefficient in COEFFICIENTS.items():
        values = coefficient(drawn)
        undefined = int(np.isnan(values).sum())
        low, high = percentile(values[~np.isnan(values)], level) if undefined < len(values) else (np.nan, np.nan)
        value = defined(float(coefficient(whole)))
        rows.append(Coefficient(name, value, defined(low), defined(high), undefined))
    return int(whole.sum()), categories, tuple(rows)
