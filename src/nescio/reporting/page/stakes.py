"""Draw the figure of stated stakes: every run's earnings at each, and those of the best fixed policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.data.evidence import Evidence
from nescio.data.stake_labels import are_stated, penalties
from nescio.reporting import abstention, charts
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.report_data import ReportData


def stakes_figure(report: ReportData) -> Figure | None:
    """Return the figure of normalised utility over the stakes that the prompts state; None without such stakes.

    A dashed line shows the best fixed policy of the first run. At each stake the policy never answers, or behaves as
    the run did at one of the stakes, whichever has the higher utility.
    """
    data = report.loaded.data
    if not isinstance(data, Evidence) or data.repeats is None or "correct" not in data.columns:
        return None
    labels = [str(label) for label in data.repeats.label]
    known = penalties(labels) if are_stated(labels) else None
    if known is None or len(stakes := sorted(set(known.values()))) < 2:
        return None
    prices = np.array([float(price) for price in stakes])
    place = np.array([stakes.index(known[str(label)]) for label in data.repeats.label])
    rows: list[dict[str, Any]] = []
    ideal: list[dict[str, Any]] = []
    for run in report.runs:
        at = data.runs.index(run)
        here = data.present[at]
        n, right, wrong = (
            np.bincount(place[here], weights, minlength=len(stakes)).astype(float)
            for weights in (None, data.columns["correct"][at][here], data.columns["incorrect"][at][here])
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            c, w = right / n, wrong / n
        earned = (c - prices * w) / (1 + prices)
        rows += [_row(report.shown[run], *point) for point in zip(prices, earned, strict=True) if n.all()]
        if run == report.runs[0]:
            best = np.maximum(0.0, np.nanmax(c[:, None] - np.outer(w, prices), axis=0)) / (1 + prices)
            ideal = [_row(report.shown[run], *point) for point in zip(prices, best, strict=True)]
    if not rows:
        return None
    top, first = report.highlighted, report.shown[report.runs[0]]
    drawn = [row | {"named": charts.named(row["run"], top), "tip": _tip(row)} for row in rows]
    policy = [row | {"policy": "best fixed policy"} for row in ideal]
    return Figure(
        "stakes",
        "Utility over the stakes",
        "Each system was told the price of an error, λ = t/(1 - t). A right answer earns 1, and an abstention 0. "
        "Utilities are divided by 1 + λ, so that a right answer and an error differ by 1 at every stake.",
        f"Utility at {len(stakes)} stated stakes. Grey dashes: the best fixed policy of {first}. At each stake it does "
        f"what {first} did at one of the stakes, or never answers. A system that follows the stakes comes close to it.",
        (*({"policy": "as asked", **row} for row in rows), *policy),
        lambda width: abstention.stakes(drawn, ideal, top, width),
        report.commands.line("lab stakes", resampled=False),
        "{run}: {value.3} at t = {t}",
    )


def _row(run: str, price: float, value: float) -> dict[str, Any]:
    return {"run": run, "t": price / (1 + price), "value": float(value)}


def _tip(row: dict[str, Any]) -> str:
    return f"{row['run']}: {row['value']:.3f} at t = {row['t']:.3g}"
