"""Find the confidence above which a run should answer.

Answers below the threshold become declined candidates, and declined candidates above it become answers. FILES are as
for `nescio score`, with confidences.

\b
nescio tune outcomes.csv --run mine
nescio tune outcomes.csv --run mine -m 'penalty(t=0.75)' -o mine-tuned.csv
nescio tune outcomes.csv --run mine --max-risk 0.5 --confidence 0.95

"on new questions" is the expected value, from held-out questions. The "in sample" value is too optimistic. In the row
"every answer", the run gives all answers, withheld candidates too. The threshold helps if its expected value is better
than the value of the run "as given". It helps significantly if its interval excludes the value "as given".

A threshold belongs to one run. --baseline compares two runs, each at its own threshold. Each part of the questions is
held out in turn, so no question helps to choose the threshold that decides on it. With --max-risk, exit status 3 means
that no threshold could be certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from nescio.data.columns import bare, known
from nescio.data.evidence import Evidence
from nescio.data.notes import note
from nescio.errors import UsageError, opt
from nescio.measures import parse
from nescio.options import option, verb
from nescio.options.kinds import BETWEEN, NUMBERS, SHARE
from nescio.pipeline.loading import Loaded
from nescio.reporting.tuning import show_tuned, show_tuned_pair
from nescio.scoring.keeping import as_read
from nescio.scoring.score import open_data
from nescio.selective import Tuned, TunedPair, as_outcomes
from nescio.selective import tune as tune_run
from nescio.selective import tune_pair as tune_two
from nescio.selective.tuning import POINTS
from nescio.tables.outcomes_writer import SUFFIXES
from nescio.text import on_one_line
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import Further, Reading, Resampled, Sourced, WithMeasure, WithOrWithoutInterval, Worked
from nescio.verbs._written_runs import check_whole, write_run

MOST_NAMED = 20  # runs that a message names


class Thresholds(
    Reading,
    Resampled,
    WithMeasure,
    Sourced,
    Worked,
    reworded={"measure": {"help": "The measure that the threshold optimises."}},
):
    """The options for choosing a threshold, and for estimating its score on new questions."""

    folds: int = option(
        default=10, low=2, help="The number of cross-validation folds to estimate the score on new questions."
    )


class TuneRequest(Thresholds, Further, WithOrWithoutInterval):
    """The options of `nescio tune`."""

    run: str | None = option(default=None, metavar="RUN", help="The run to tune, if there are several.")
    baseline: str | None = option(
        default=None,
        metavar="RUN",
        group="Two runs",
        apart=("max_risk", "curve", "output", "next", "simultaneous"),
        help="Compare the run with this baseline, each at its own best threshold, on held-out questions.",
    )
    max_risk: float | None = option(
        default=None,
        kind=BETWEEN,
        help="Answer as many questions as possible, with a guarantee that at most this share of the answers to new "
        "questions is wrong. The measure then does not choose the threshold. Exit status 3 means that no "
        "guarantee is possible.",
    )
    confidence: float = option(
        default=0.95, kind=SHARE, needs="max_risk", help="The confidence level of the guarantee."
    )
    grid: Sequence[float] | None = option(
        default=None,
        kind=NUMBERS,
        metavar="C,C,…",
        needs="max_risk",
        help=f"The thresholds to test with {opt('max_risk')}. Choose them before you look at the data.",
        default_words="thresholds at 20 evenly spaced ranks of the confidences",
    )
    curve: bool = option(
        default=False,
        help=f"Print 20 points of the risk-coverage curve. JSON then holds all points instead of {POINTS}.",
    )
    output: Path | None = option(
        writes=True,
        default=None,
        flags=("-o", "--output"),
        metavar="RUN",
        help="Apply the threshold and write the run as an outcome table (.csv, .tsv, .jsonl, .parquet). "
        "Declined answers stay in it as candidates, and answers without a confidence or a grade as they are.",
    )

    def check(self) -> None:
        """Raise UsageError for options that need an interval, or a bound on the risk, if there is none."""
        super().check()
        if self.simultaneous and self.ci is None and self.max_risk is None:
            raise UsageError(f"{opt('simultaneous')} needs intervals; give {opt('ci')} a level")
        if self.baseline is not None and self.ci is None:
            raise UsageError(f"{opt('baseline')} needs intervals; give {opt('ci')} a level")


def show(tuned: Any) -> None:
    """Print the threshold and its figures, or two runs at their own thresholds."""
    if isinstance(tuned, TunedPair):
        show_tuned_pair(tuned)
    else:
        show_tuned(tuned, curve=tuned.whole_curve)


@verb(TuneRequest, working="tuning", show=show, prints="forms", tool=True)
def tune(request: TuneRequest) -> Tuned:
    if request.baseline is not None:
        pair = request.values(Thresholds, WithOrWithoutInterval)
        return cast(Tuned, tune_two(**pair, run=request.run, baseline=request.baseline))
    if request.output is not None:
        check_file(request.output, "a run", SUFFIXES, request.inputs())
    strata = () if request.output is None else None  # the written run keeps all columns
    reading = {"strata": strata, "written": request.output is not None, **request.values(Reading)}
    loaded = open_data(request.source, reading, [request.measure])
    if request.output is not None:
        check_whole(loaded.notes, request.output)
    if request.run is None and isinstance(loaded.data, Evidence) and len(loaded.data.runs) > 1:
        runs = loaded.data.runs
        more = f" and {len(runs) - MOST_NAMED} more" if len(runs) > MOST_NAMED else ""
        raise UsageError(
            f"these files hold {len(runs)} runs, and each needs its own threshold; name the run to tune with "
            f"{opt('run')}, or two runs with {opt('run')} and {opt('baseline')}; the runs are "
            f"{', '.join(map(on_one_line, runs[:MOST_NAMED]))}{more}"
        )
    tuned = tune_run(
        loaded,
        request.measure,
        run=request.run,
        max_risk=request.max_risk,
        confidence=request.confidence,
        grid=request.grid,
        folds=request.folds,
        points=None if request.curve else POINTS,
        **request.values(WithOrWithoutInterval, Further, Resampled, Worked),
    )
    tuned = replace(tuned, whole_curve=request.curve)
    return tuned if request.output is None else _written(tuned, request.output, loaded)


def _written(tuned: Tuned, output: Path, loaded: Loaded) -> Tuned:
    """Write the run with its threshold applied, and return the result with a message about the file.

    `loaded` is the data of all runs. Nothing is written if no threshold was chosen.
    """
    if tuned.applied is None:
        why = f"{output} is not written, because there is no threshold to apply"
        return replace(tuned, wrote=(why,))
    row = tuned.rows[0]
    as_given = int(tuned.applied.present.sum()) - row.n
    made = as_read(as_outcomes(tuned.applied), loaded.whole)
    rows, left_out = write_run(made, output, tuned.notes, loaded.data.runs, unit="question", as_given=as_given)
    message = f"wrote run {row.run!r} with the threshold applied, {rows} to {output}"
    tuned = replace(tuned, wrote=(message,), notes=(*left_out, *tuned.notes))
    if lost := sorted(bare(name) for name in parse(row.measure).reads if known(name).namespace):
        no_columns = note(
            "tune.no_columns",
            "an outcome table has no {columns}: {measure} cannot be scored from it",
            columns=" and no ".join(lost),
            measure=row.measure,
        )
        return replace(tuned, notes=(no_columns, *tuned.notes))
    return tuned
