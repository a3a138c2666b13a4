"""Report a guaranteed risk: the request, and the bound reached or the number of answers that it would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nescio.data.notes import Note, note
from nescio.errors import UsageError
from nescio.selective.certified import GridPoint, Guarantee, needed
from nescio.selective.crossfit import Choice


def guarantee(max_risk: float | None, confidence: float, grid: Sequence[float] | None) -> Guarantee | None:
    """Return the requested guarantee, or None without `max_risk`. Raises UsageError for an invalid grid."""
    if max_risk is None:
        return None
    if grid is None:
        return Guarantee(max_risk, confidence)
    values = sorted({float(value) for value in grid})
    if not values or not np.isfinite(values).all():
        raise UsageError(f"a grid of thresholds needs one or more finite confidences (found {list(grid)!r})")
    return Guarantee(max_risk, confidence, tuple(values))


def reached(wanted: Guarantee | None, choice: Choice, notes: list[Note]) -> dict[str, Any]:
    """Return the fields of `Tuning` on the requested guarantee, and add notes on it to `notes`.

    Returns no fields if `wanted` is None.
    """
    if not wanted:
        return {}
    row: dict[str, Any] = {"max_risk": wanted.max_risk, "confidence": wanted.confidence}
    if choice.threshold < np.inf:
        if choice.threshold == -np.inf:
            notes.append(
                note(
                    "tuning.no_threshold_needed",
                    "a risk of at most {max_risk:g} with confidence {confidence:g} holds when every answer is given, "
                    "so no threshold is needed",
                    max_risk=wanted.max_risk,
                    confidence=wanted.confidence,
                )
            )
        upper = min(point.upper for point in choice.grid if point.threshold == choice.threshold)
        return row | {"risk_upper": upper}
    least, most = needed(wanted), max(point.accepted for point in choice.grid)
    notes.append(_not_certified(wanted, least or 0, most))
    nearest = min(choice.grid, key=lambda point: (point.upper, -point.accepted))
    rate = nearest.wrong / nearest.accepted if nearest.accepted else 0.0
    at_rate = needed(wanted, rate)
    if nearest.wrong:
        notes.append(_promising_note(nearest, rate, at_rate))
    return row | {"answers_needed": least, "answers_needed_at_rate": at_rate}


def _not_certified(wanted: Guarantee, needed_at_least: int, accepted: int) -> Note:
    """Return the note that no threshold has the guarantee; the lowest threshold accepts `accepted` answers."""
    if accepted < needed_at_least:
        return note(
            "tuning.not_certified",
            "a risk of at most {max_risk:g} with confidence {confidence:g} cannot be certified: this needs "
            "{needed:,} accepted answers without an error, but even the lowest threshold of the grid accepts only "
            "{accepted:,}",
            max_risk=wanted.max_risk,
            confidence=wanted.confidence,
            needed=needed_at_least,
            accepted=accepted,
        )
    return note(
        "tuning.too_many_wrong",
        "a risk of at most {max_risk:g} with confidence {confidence:g} cannot be certified: every threshold of the "
        "grid accepts too many wrong answers, or fewer than the {needed:,} answers that this needs even without an "
        "error",
        max_risk=wanted.max_risk,
        confidence=wanted.confidence,
        needed=needed_at_least,
    )


def _promising_note(nearest: GridPoint, rate: float, needed_at_rate: int | None) -> Note:
    """Return a note on the threshold that came nearest to the guarantee, and on how many answers it would need.

    `rate` is the share of wrong answers at this threshold. `needed_at_rate` is None if no number of answers is enough.
    """
    if not needed_at_rate:
        return note(
            "tuning.never_enough",
            "the most promising threshold accepts {accepted:,} answers, {wrong:,} of them wrong ({percent:.1f}%, at "
            "most {upper:.1f}%): at this error rate no number of answers is enough",
            accepted=nearest.accepted,
            wrong=nearest.wrong,
            percent=100 * rate,
            upper=100 * nearest.upper,
        )
    return note(
        "tuning.answers_needed",
        "the most promising threshold accepts {accepted:,} answers, {wrong:,} of them wrong ({percent:.1f}%, at most "
        "{upper:.1f}%): at this error rate about {needed:,} accepted answers would be needed",
        accepted=nearest.accepted,
        wrong=nearest.wrong,
        percent=100 * rate,
        upper=100 * nearest.upper,
        needed=needed_at_rate,
    )


def how_certified(wanted: Guarantee | None) -> dict[str, object]:
    """Return the fields of a signature that describe a guarantee; none if `wanted` is None."""
    if not wanted:
        return {}
    grid = f"{wanted.tries} ranks" if wanted.grid is None else "+".join(f"{value:g}" for value in wanted.grid)
    guarantee = {"max-risk": f"{wanted.max_risk:g}", "confidence": f"{wanted.confidence:g}"}
    return {**guarantee, "grid": grid, "bound": "Clopper-Pearson, Bonferroni"}
