"""Score runs as a leaderboard: values, intervals, and marks of the best run and the runs tied with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from nescio.data.assessors import Resolution
from nescio.data.judge_record import Target
from nescio.data.results import Scores
from nescio.errors import opt, spelled
from nescio.measures import Measures
from nescio.options.edge import Progress
from nescio.pipeline import Loaded
from nescio.scoring import score as scoring
from nescio.scoring.columns import with_columns
from nescio.scoring.confidence_intervals import IntervalMethod
from nescio.stats import resampling


def score(
    source: Any,
    measures: Measures = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    interval: IntervalMethod = "auto",
    mark: bool | None = None,
    labels: Any = None,
    target: Target | None = None,
    labels_by: str | None = None,
    also_judged: Sequence[Any] = (),
    resolve: Resolution = "adjudicated",
    pool: Any = None,
    next: int | None = None,
    simultaneous: bool = False,
    columns: Sequence[str] = (),
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Scores:
    """Return the scores of every run by every measure, with intervals and the marks of the best and tied runs.

    The arguments are those of `nescio.score`. With `mark` None, runs are marked if exact tests are cheap.
    """
    if labels is not None:
        from nescio.scoring.corrected_scores import score_labelled

        how: dict[str, Any] = {"target": target or "population", "labels_by": labels_by, "also_judged": also_judged}
        how["resolve"] = resolve
        corrected = score_labelled(source, measures, options, labels, by=by, ci=ci, **how)
        why = (
            ("No marks: use nescio compare --labels to test corrected differences.") if len(corrected.rows) > 1 else ""
        )
        return replace(corrected, why_unmarked=why)
    if pool is not None:
        from nescio.scoring.pooled import score_pooled

        return score_pooled(source, measures, options, pool, ci=ci, target=target or "population")
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs}
    measures = scoring.parse_all(measures, None)  # read by name once
    loaded = scoring.open_by(source, by, options, measures)
    how = {"by": by, "ci": ci, "interval": interval, "next": next}
    how["together"] = len(loaded.data.runs) if simultaneous else 1
    scores = scoring.compute_scores(loaded, measures, progress=progress, **how, **drawn)
    if columns:
        scores = with_columns(scores, columns, loaded.data, by)
    if ci is not None and by is None and len(loaded.data.runs) > 1:
        from nescio.comparison.front import front

        names = [row.measure for row in scores]
        if placed := front(loaded.data, names, ci / 100, resampling.blocks(resamples, seed), jobs):
            scores = replace(scores, tables={**scores.tables, "front": placed})
    if mark is False or (mark is None and len(loaded.data.runs) < 2):
        return scores
    from nescio.comparison import best  # imported here because a single run is compared with nothing

    if mark:
        return best.mark(scores, loaded, by=by, ci=ci, progress=progress, **drawn)
    marked = best.mark(scores, loaded, by=by, every=False, ci=ci, **drawn)
    return replace(marked, why_unmarked=spelled(why_unmarked(marked, loaded)))


def why_unmarked(scores: Scores, loaded: Loaded) -> str:
    """Return the reason why no run has a mark if other options or data could give marks, else an empty text.

    Counts alone cannot be paired, and a single run has no other run to compare.
    """
    data = loaded.data
    from nescio.comparison import best

    if not data.has_questions:
        return (
            ""
            if data.can_pair or data.size is None
            else f"Ties not marked (the table is large); use {opt('mark', True)}."
        )
    if len(data.runs) < 2 or any(row.best is not None for row in scores):
        return ""
    if data.origins:
        return (
            f"no marks: use nescio compare {opt('ungraded', 'bounds')} to compare runs whose ungraded answers count "
            "both as wrong and as right"
        )
    pairs = math.comb(len(data.runs), 2)
    if data.groups is not None:
        reason = "clustered tests are slow"
    elif pairs * len(data.questions) > best.MOST_WORK:
        reason = f"the tests of {pairs:,} pairs of runs are slow"
    else:
        reason = "these measures have no fast exact test"
    return f"Ties not marked ({reason}); use {opt('mark', True)}."
