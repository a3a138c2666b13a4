"""What comparisons are signed with: how they were made, so that they can be made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nescio.data.evidence import Data
from nescio.data.signature import Signature, sign
from nescio.measures import Measure
from nescio.pipeline import Loaded
from nescio.scoring.corrected import METHOD
from nescio.scoring.summed import how_drawn, is_summed


def signed(
    loaded: Loaded,
    wanted: Sequence[Measure],
    *,
    ci: float,
    margin: float,
    test: str,
    correction: str,
    drawn: tuple[int, int],
    unpaired: bool = False,
    corrected: Mapping[str, object] | None = None,
) -> Signature:
    """Return the signature of comparisons.

    `drawn` are the resamples and their seed. With `unpaired`, runs count on their own questions. `corrected` names the
    labels that correct them; then nothing is drawn.
    """
    resamples, seed = drawn
    names = "t (unpaired)" if unpaired else interval_names(loaded.data, wanted)
    how = how_drawn(loaded.data, wanted, resamples, seed)
    return sign(
        measures="+".join(m.name for m in wanted),
        **loaded.signature,
        **(corrected or {}),
        ci=f"{ci:g}",
        interval=names if corrected is None else METHOD,
        test=test,
        correction=correction,
        margin=f"{margin:g}",
        **(how if corrected is None else {}),
    )


def interval_names(data: Data, wanted: Sequence[Measure]) -> str:
    """Name the intervals of paired differences by these measures."""
    closed = (not is_summed(data, measure) for measure in wanted)
    return "+".join(sorted({"t (paired)" if one else "percentile (paired)" for one in closed}, reverse=True))
