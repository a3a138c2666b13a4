"""Measure how much people's verdicts vary and how well a judge predicts them, to plan the number of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.measures import Measure
from nescio.scoring.corrected import Side, judged_of
from nescio.scoring.labels import Labels
from nescio.scoring.verdict_form import form_of
from nescio.stats.prediction_powered import FEWEST, OWN_WEIGHT, Values, spread_over_strata


class Spreads(Struct, frozen=True):
    """The figures from which labels are planned: how much people's values vary, and how well the judge predicts them.

    `spread` is the standard deviation of people's values over the `answers` that need a verdict. `correlation` is
    between people's and the judge's values. `population` is the variance of a question's contribution, over all `n`
    questions. `scale` is the largest price of one verdict. `patterns` has a row for each combination of the judge's
    verdicts: its name, its number of answers, and the standard deviation of people's values on these.
    """

    run: str
    baseline: str | None
    measure: str
    spread: float
    correlation: float
    population: float
    answers: int
    n: int
    patterns: tuple[tuple[str, int, float], ...]
    scale: float = 1.0


def spreads(labels: Labels, measure: Measure, runs: Sequence[int], correlation: float | None = None) -> Spreads:
    """Return the `Spreads` of one run, or of the difference of two runs.

    Without labels, the judge's values replace people's, and `correlation` states how well they correlate.
    """
    data = labels.data
    use: Array = np.all(data.present[list(runs)], axis=0)
    silent = data.column("unanswered")[:, use]
    signs = (1, -1)[: len(runs)]
    sides = [
        Side(run, sign, form_of(measure, float(silent[run].mean()))) for run, sign in zip(runs, signs, strict=True)
    ]
    units = judged_of(labels, sides, use)
    open_, judge = ~units.known, units.judge[:, 0]
    seen = open_ & ~np.isnan(units.people)
    values = units.people if seen.any() else judge
    seen = seen if seen.any() else open_
    rho = correlation
    if rho is None:
        enough = int(seen.sum()) >= FEWEST and values[seen].std() > 0 and judge[seen].std() > 0
        rho = float(np.corrcoef(values[seen], judge[seen])[0, 1]) if enough else math.nan
    spread = float(values[seen].std(ddof=1)) if int(seen.sum()) > 1 else math.nan
    rights = [float((data.column("correct")[side.run, use]).mean()) for side in sides]
    pulls = [side.sign * side.form.silence(a) for side, a in zip(sides, rights, strict=True)]
    needless = sum((pull * silent[side.run] for side, pull in zip(sides, pulls, strict=True)), np.zeros(units.n))
    population = spread_over_strata(
        [((values + needless)[units.known], int(units.known.sum())), ((values + needless)[seen], int(open_.sum()))]
    )
    return Spreads(
        data.runs[runs[0]],
        data.runs[runs[1]] if len(runs) > 1 else None,
        measure.label,
        spread,
        max(rho, 0.0),
        population,
        int(open_.sum()),
        units.n,
        _patterns(labels, sides, use, (values, seen, open_), spread),
        max(abs(side.price) for side in sides),
    )


def _patterns(
    labels: Labels, sides: Sequence[Side], use: Array, cells: tuple[Values, Array, Array], spread: float
) -> tuple[tuple[str, int, float], ...]:
    """Return a row for each combination of the judge's verdicts, as `Spreads.patterns` describes it.

    A combination with fewer than 10 labels has the spread of all answers.
    """
    values, seen, open_ = cells
    words = np.array(["incorrect", "correct", "unanswered"])
    states = [np.where(labels.known[s.run, use], 2, labels.data.column("correct")[s.run, use]) for s in sides]
    names = np.array([", ".join(row) for row in words[np.stack(states, axis=1).astype(int)]], dtype=object)
    if not (labels.labelled.any() and open_.any()):
        return ()
    rows = []
    for name in sorted(set(names[open_])):
        here = open_ & (names == name)
        sample = values[here & seen]
        rows.append((name, int(here.sum()), float(sample.std(ddof=1)) if len(sample) >= OWN_WEIGHT else spread))
    return tuple(rows)
