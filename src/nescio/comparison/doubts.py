"""Say why the data of a comparison cannot support a decision, for gates, policies, looks and thresholds alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from nescio.comparison.hidden_losses import hidden_loss
from nescio.data.results import Results
from nescio.scoring.grounds import no_ground
from nescio.scoring.lost_answers import Lost, lost


class Doubt(Struct, frozen=True):
    """The reasons why the difference of a row may decide nothing; each is "" (or no shift) if there is none.

    `ground` forbids any decision. `hidden` forbids every decision except that the run is worse. `left_out` says how
    much worse the difference may be because of answers that were left out.
    """

    ground: str
    hidden: str
    left_out: Lost

    def against(self, *, worse: bool) -> str:
        """Return why the data forbid the decision that the run is `worse`, or that it is not, or ""."""
        return self.ground or ("" if worse else self.hidden)


def doubt_on(results: Results[Any], row: Any, gated: Collection[str] = ()) -> Doubt:
    """Return the doubt on a row of a comparison, for a decision by the measures `gated` (the row's own if empty)."""
    pair = (row.measure, row.run, row.baseline)
    ground = no_ground(results, *pair)
    return Doubt(
        f"no decision can rest on {ground}" if ground else "",
        hidden_loss(results, row, gated or {row.measure}),
        lost(results, *pair),
    )
