"""Say how often a gate changes its verdict on the same systems, and how many answers a question make it stable.

\b
nescio lab flips trials.csv --run agent-1 -m accuracy
nescio lab flips trials.csv --baseline agent-1 --run agent-2 -m c@1 --margin 0.02
nescio lab flips trials.csv --run agent-2 --margin 0.05 --draws 50

FILES hold several answers of a system to each question (the column `repeat`, or the log itself; --repeats-of joins
runs). Each draw takes k of them for each run and asks the gate of `nescio compare --fail-on-regression`. With --run
alone the run is compared with itself, so a verdict other than "passed" is a false alarm or too few questions.

"flips" is the share of pairs of draws with two different verdicts. k rises until at most 5% do. Where there are fewer
answers than a draw takes, they are drawn with replacement ("again"): the figure then predicts what more answers like
these would give.
"""

from __future__ import annotations

from nescio.comparison.flips import FEW_FLIPS, Flips
from nescio.comparison.flips import flips as count_flips
from nescio.data.results import Results
from nescio.options import option, verb
from nescio.options.kinds import LEVEL
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.verbs._shared import Measured, Reading, Seeded, Worked


class FlipsRequest(Reading, Measured, Seeded, Worked):
    """What `nescio lab flips` is asked."""

    baseline: str | None = option(default=None, metavar="RUN", help="The run that the gate compares with.")
    run: str | None = option(
        default=None, metavar="RUN", help="The run that is gated; without a baseline it is compared with itself."
    )
    margin: float = option(default=0.01, low=0, help="The largest difference that does not matter, as in the gate.")
    ci: float = option(default=95.0, kind=LEVEL, help="The level of the gate's interval in percent.")
    draws: int = option(default=200, low=2, help="How often answers are drawn.")


def show(results: Results[Flips]) -> None:
    """Print the verdicts for each number of answers, and which number makes the gate stable."""
    show_records(
        [
            {
                "answers a question": f"{row.answers}{' (again)' if row.again else ''}",
                "passed": f"{row.passed:.0%}",
                "failed": f"{row.failed:.0%}",
                "cannot tell": f"{row.cannot_tell:.0%}",
                "flips": f"{row.flips:.1%} ± {2 * row.error:.1%}",
            }
            for row in results
        ]
    )
    first, last = results.rows[0], results.rows[-1]
    one = "1 answer" if first.answers == 1 else f"{first.answers} answers"
    text = f"With {one} a question, {first.flips:.0%} of pairs of verdicts on the same systems differ."
    if last.flips > FEW_FLIPS:
        text += f" Even {last.answers} answers leave more than {FEW_FLIPS:.0%}."
    elif last is not first:
        text += f" {last.answers} answers bring that to {FEW_FLIPS:.0%} or less."
    show_text(f"{text}\n")
    show_signature(results.signature)


@verb(FlipsRequest, working="drawing", show=show)
def flips(request: FlipsRequest) -> Results[Flips]:
    return count_flips(**request.values())
