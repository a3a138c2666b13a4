"""The evaluation of measures: how stable, how discriminating, how sensitive they are on a given collection.

`stability` and `swap` take whatever `nescio.score` takes, but for counts tables: sub-collections need questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nescio import parallel
from nescio.errors import MismatchError, UsageError
from nescio.evaluate import check_resampling, open_data, parse_all
from nescio.evidence import Evidence
from nescio.load import Loaded
from nescio.measures import Measure
from nescio.meta._trials import Drawing, units
from nescio.meta.stability import FUZZINESS, Stability
from nescio.meta.stability import stability as stability_of
from nescio.meta.swap import Sensitivity, SwapBin
from nescio.meta.swap import swap as swap_of
from nescio.results import Results, signature

__all__ = ["FUZZINESS", "Sensitivity", "Stability", "SwapBin", "stability", "swap"]

Progress = Callable[[int, int], None]
LARGEST_DEFAULT = 250


def stability(
    given: Any,
    measures: Sequence[str] | str | None = None,
    *,
    size: int | None = None,
    trials: int | None = 100,
    fuzziness: Sequence[float] = FUZZINESS,
    fresh: bool = False,
    literal: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Error rate and proportion of ties of each measure at each fuzziness (Buckley & Voorhees 2000).

    `size` is that of the sub-collections (default: 250, or half the questions), `trials` their number (None: every one there
    is). `fresh` draws anew for each pair of runs, as the published figure says; by default all pairs share a trial's
    sub-collection: the expectation is the same. `literal` books exact ties of score 0 as the figure does.
    """
    values = [float(f) for f in ([fuzziness] if isinstance(fuzziness, (int, float)) else fuzziness)]
    if not values or any(not 0 < f < 1 for f in values):
        raise UsageError(f"fuzziness values lie between 0 and 1 (found {values!r})")
    data, loaded, wanted, drawing = _prepare(given, measures, _drawing(size, trials, seed, fresh), jobs, options)
    compute = partial(_stability, data, drawing, tuple(values), literal)
    rows = [row for part in _each_measure(compute, wanted, jobs, progress) for row in part]
    line = _signature(loaded, wanted, drawing, ties="literal" if literal else "equal scores")
    return Results(tuple(rows), line, (*loaded.notes, *_undefined(rows)), "stability")


def swap(
    given: Any,
    measures: Sequence[str] | str | None = None,
    *,
    size: int | None = None,
    trials: int | None = 100,
    confidence: float = 95.0,
    fresh: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Swap rates by difference, and the difference that measures require (Voorhees & Buckley 2002).

    The rows are the 21 bins of each measure; `more["sensitivity"]` has the columns of the paper's Table 2. `confidence` in
    percent is one minus the swap rate that is allowed. Other arguments as in `stability`.
    """
    if not 0 < confidence < 100:
        raise UsageError(f"confidence is a level in percent, between 0 and 100 (found {confidence!r})")
    data, loaded, wanted, drawing = _prepare(given, measures, _drawing(size, trials, seed, fresh), jobs, options)
    found = _each_measure(partial(_swap, data, drawing, 1 - confidence / 100), wanted, jobs, progress)
    rows = [row for part, _ in found for row in part]
    needs = [need for _, need in found]
    notes = [
        f"{need.measure}: swap rates do not fall from bin to bin; from {need.required_from_here_on:.2f} on all are within the level"
        for need in needs
        if not need.monotone
    ]
    line = _signature(loaded, wanted, drawing, confidence=f"{confidence:g}")
    return Results(
        tuple(rows), line, (*loaded.notes, *notes, *_undefined(needs)), "swap", {"sensitivity": tuple(needs)}
    )


def _stability(
    data: Evidence, drawing: Drawing, fuzziness: tuple[float, ...], literal: bool, measure: Measure
) -> list[Stability]:
    return stability_of(data, measure, drawing, fuzziness, literal=literal)


def _swap(data: Evidence, drawing: Drawing, rate: float, measure: Measure) -> tuple[list[SwapBin], Sensitivity]:
    return swap_of(data, measure, drawing, rate)


def _drawing(size: int | None, trials: int | None, seed: int, fresh: bool) -> Drawing:
    for name, value in (("size", size), ("trials", trials)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} must be a whole number from 1 (found {value!r})")
    return Drawing(size or 0, trials, seed, fresh)


def _prepare(
    given: Any, measures: Any, drawing: Drawing, jobs: int, options: dict[str, Any]
) -> tuple[Evidence, Loaded, list[Measure], Drawing]:
    """The data, the measures, and the drawing with its default size where none was named (0)."""
    check_resampling(None, 1, jobs, drawing.seed)
    loaded = open_data(given, {"strata": ()} | options, measures)
    if not isinstance(loaded.data, Evidence):
        raise MismatchError("a counts table has no questions to draw sub-collections of; give an outcome table")
    if len(loaded.data.runs) < 2:
        raise MismatchError(f"there is one run, {loaded.data.runs[0]!r}; measures are studied on pairs of runs")
    count = int(units(loaded.data).max()) + 1
    if count < 2:
        raise MismatchError("there is one question, and no half of it")
    size = drawing.size or min(LARGEST_DEFAULT, count // 2)
    return loaded.data, loaded, parse_all(measures, loaded), replace(drawing, size=size)


def _each_measure(
    compute: Callable[[Measure], Any], wanted: Sequence[Measure], jobs: int, progress: Progress | None
) -> list[Any]:
    found = []
    for part in parallel.each(compute, wanted, jobs):
        found.append(part)
        if progress:
            progress(len(found), len(wanted))
    return found


def _signature(loaded: Loaded, wanted: Sequence[Measure], drawing: Drawing, **more: object) -> str:
    way = "fresh for each pair" if drawing.fresh else "shared by all pairs"
    trials = "all" if drawing.trials is None else drawing.trials
    names = "+".join(measure.name for measure in wanted)
    return signature(
        measures=names, **loaded.signature, size=drawing.size, trials=trials, draw=way, seed=drawing.seed, **more
    )


def _undefined(rows: Sequence[Any]) -> list[str]:
    counts = {row.measure: row.undefined for row in rows if row.undefined}
    return [f"{name}: {many} comparisons had an undefined score and are left out" for name, many in counts.items()]
