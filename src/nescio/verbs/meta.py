"""Study measures on your data: stability, swaps, power, agreement."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.results import Results
from nescio.meta_evaluation.agreement import Agreement
from nescio.meta_evaluation.agreement import agreement as correlate
from nescio.meta_evaluation.comparability import comparability
from nescio.meta_evaluation.power import Power
from nescio.meta_evaluation.power import power as count_significant
from nescio.meta_evaluation.stability import FUZZINESS, Stability
from nescio.meta_evaluation.stability import stability as count_ties
from nescio.meta_evaluation.swap import SwapBin
from nescio.meta_evaluation.swap import swap as count_swaps
from nescio.options import option, verb
from nescio.options.kinds import BETWEEN, BETWEENS, COUNT_OR_ALL, COUNTS, LEVEL
from nescio.reporting.figures import draw
from nescio.verbs._figures import Figured, figure_of
from nescio.verbs._shared import InJobs, Measured, Reading, Seeded, Worked

__all__ = ["agreement", "comparability", "power", "stability", "swap"]


class Drawn(Reading, InJobs, Seeded, Measured, Worked):
    """The options for drawing sub-collections."""

    size: int | Sequence[int] | None = option(
        default=None,
        kind=COUNTS,
        help="The number of questions (or clusters) in a sub-collection. Several sizes are studied one after another.",
        default_words="250, or half of all",
    )
    trials: int | None = option(
        default=100, kind=COUNT_OR_ALL, help="The number of sub-collections; `all` enumerates them."
    )
    fresh: bool = option(
        default=False,
        help="Draw new sub-collections for each pair of runs, as in the published algorithm.",
        default_words="all pairs share sub-collections",
    )


class StabilityRequest(Figured, Drawn):
    """The options of `nescio meta stability`."""

    fuzziness: float | Sequence[float] = option(
        default=FUZZINESS,
        kind=BETWEENS,
        metavar="F,F,…",
        help="Two runs tie if their values differ by less than this share of the larger value. Several shares "
        "give separate results.",
        default_words="0.01,0.02,…,0.10",
    )
    literal: bool = option(
        default=False,
        help="If both runs score 0, count a win for the second run instead of a tie, as in the published algorithm.",
    )
    counters: bool = option(
        default=False, help="Also print the counts of Figure 1 for each pair of runs: EQ(x,y), GT(x,y) and GT(y,x)."
    )
    at_ties: float | Sequence[float] = option(
        default=(),
        kind=BETWEENS,
        metavar="T,T,…",
        help="Also print the error rate of each measure at this share of ties among the comparisons.",
    )


class SwapRequest(Drawn):
    """The options of `nescio meta swap`."""

    confidence: float = option(
        default=95.0, kind=LEVEL, help="The required confidence in percent: 100 minus the allowed swap rate."
    )


class PowerRequest(Reading, InJobs, Seeded, Measured, Worked):
    """The options of `nescio meta power`."""

    resamples: int | None = option(
        default=1000,
        kind=COUNT_OR_ALL,
        group="Resampling",
        help="The number of resamples, shared by all pairs and measures; `all` enumerates them (ten questions at"
        " most).",
    )
    alpha: float | Sequence[float] = option(
        default=0.05,
        kind=BETWEENS,
        metavar="A,A,…",
        help="One or more significance levels; the table has a row for each.",
    )


class AgreementRequest(Reading, Measured, Worked):
    """The options of `nescio meta agreement`."""

    rbo_p: float = option(
        default=0.9,
        kind=BETWEEN,
        metavar="P",
        help="The parameter p of rank-biased overlap. A smaller p gives the top of the ranking more weight.",
    )
    top: int = option(default=5, low=0, help="The number of pairs of runs to show for each pair of measures.")


@verb(StabilityRequest, working="drawing")
def stability(request: StabilityRequest) -> Results[Stability]:
    """Compute error rate and ties (Buckley & Voorhees 2000; Figures 1 and 2, eq. 7-8 of Peñas & Rodrigo 2011).

    The error rate is how often a sub-collection ranks two runs against the majority. A measure with fewer ties
    discriminates better.

    \b
    nescio meta stability outcomes.csv -m c@1 -m accuracy -m UF
    nescio meta stability outcomes.csv -m c@1 -m accuracy -m UF --figure ties.svg
    nescio meta stability outcomes.csv -m c@1 -m accuracy -m UF --at-ties 0.1,0.2
    nescio meta stability outcomes.csv -m c@1 --fuzziness 0.05 --fresh --literal --counters

    --figure draws the error rate over the proportion of ties, with a line per measure and a point per fuzziness.
    """
    path = figure_of(request)
    studied = count_ties(**{name: value for name, value in request.values().items() if name != "figure"})
    if path is None:
        return studied
    spots = [(row.measure, row.ties, row.error_rate) for row in studied.rows]
    return replace(studied, wrote=(draw(path, spots, "proportion of ties", "error rate"),))


@verb(SwapRequest, working="drawing")
def swap(request: SwapRequest) -> Results[SwapBin]:
    """Compute swap rates and the difference that a measure requires (Voorhees & Buckley 2002; Figure 3 and Table 2).

    Two disjoint sub-collections can rank two runs differently. The swap rate is the share of such cases, for each size
    of the difference on the first sub-collection.

    \b
    nescio meta swap outcomes.csv -m c@1 -m accuracy -m UF
    """
    return count_swaps(**request.values())


@verb(PowerRequest, working="resampling")
def power(request: PowerRequest) -> Results[Power]:
    """Compute discriminative power: the share of pairs of runs with a significant difference (Sakai 2006).

    Each pair of runs gets a paired bootstrap test. "share" is the share of pairs whose achieved significance level
    (ASL) is below alpha. "required difference" is the difference above which a pair is expected to differ
    significantly.

    \b
    nescio meta power outcomes.csv -m c@1 -m accuracy -m UF
    nescio meta power ap.csv --alpha 0.01,0.05 -o power.json

    If a measure is a mean over questions, the statistic is the studentised mean, as published. For other measures, such
    as c@1, the statistic is the difference of the measure on each resample. The JSON output has the ASL of every pair.
    Significance is not corrected for the number of pairs, because this command compares measures. `nescio compare`
    compares runs.
    """
    return count_significant(**request.values())


@verb(AgreementRequest, working="comparing")
def agreement(request: AgreementRequest) -> Results[Agreement]:
    """Compare how measures rank the runs, and show where they disagree most.

    Prints Kendall's tau-b, tau_AP and rank-biased overlap (RBO) between the rankings, and then the pairs of runs on
    which two measures disagree most. Two measures disagree if only one of them rates the two runs equal (within 0.005
    of its range), or if each prefers a different run. A counts table is enough.

    \b
    nescio meta agreement outcomes.csv -m accuracy -m c@1
    """
    return correlate(**request.values())
