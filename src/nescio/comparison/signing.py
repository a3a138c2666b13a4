"""Sign comparisons with the settings that reproduce them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nescio.comparison.margins import shared_margin
from nescio.data.signature import Signature, exactly, sign
from nescio.measures import Measure
from nescio.pipeline import Loaded
from nescio.scoring.corrected import METHOD


def signed(
    loaded: Loaded,
    wanted: Sequence[Measure],
    *,
    ci: float,
    margin: float | None,
    test: str,
    correction: str,
    drawn: tuple[int, int],
    unpaired: bool = False,
    corrected: Mapping[str, object] | None = None,
) -> Signature:
    """Return the signature of comparisons: the settings with which they can be computed again.

    `drawn` holds the number of resamples and their seed. With `unpaired`, each run counts on the questions that it has.
    `corrected` names the labels that correct the comparisons; with labels, nothing is drawn.
    """
    resamples, seed = drawn
    how = {"draw": f"patterns of {loaded.data.resampled}", "resamples": str(resamples), "seed": str(seed)}
    names = "t (unpaired)" if unpaired else "t (paired)"
    return sign(
        measures="+".join(m.name for m in wanted),
        **loaded.signature,
        **(corrected or {}),
        ci=exactly(ci),
        interval=names if corrected is None else METHOD,
        test=test,
        correction=correction,
        **shared_margin(wanted, margin),
        **(how if corrected is None else {}),
    )
