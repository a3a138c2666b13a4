"""Compare two systems, each at its own best threshold, on questions that chose neither threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.comparison.comparing import compare
from nescio.comparison.two_runs import take_two
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import note
from nescio.data.results import Comparison, Results
from nescio.errors import MismatchError, UnknownNameError
from nescio.measures import Measure, parse
from nescio.options.edge import Progress
from nescio.scoring.score import open_data
from nescio.selective.crossfit import choose
from nescio.selective.curve import one_run
from nescio.selective.thresholds import check_follows
from nescio.selective.tuned import Tuning
from nescio.selective.tuning import tune


class TunedPair(Results[Tuning], frozen=True):
    """The result of `tune_pair`: a `Tuning` of each run, the baseline first.

    `tables["comparison"]` compares the run with the baseline, each at its own threshold and on held-out questions.
    `tables["as_given"]` compares them without these thresholds.
    """

    @property
    def comparison(self) -> Comparison:
        """Return the paired difference on held-out questions: run minus baseline."""
        row: Comparison = self.tables["comparison"][0]
        return row


def tune_pair(
    source: Any,
    measure: str | Measure,
    *,
    run: str | None,
    baseline: str | None,
    folds: int,
    ci: float,
    resamples: int,
    seed: int,
    jobs: int,
    progress: Progress | None,
    **options: Any,
) -> TunedPair:
    """Return a comparison of two runs, each at the threshold that is best for it.

        nescio.tune(["outcomes.csv"], run="mine", baseline="old").comparison.difference

    The comparison is nested. The questions are dealt into `folds` parts, and each part of each run gets the threshold
    that was chosen on the run's other parts. The paired test and interval of `nescio.compare` then compare the two runs
    on these held-out outcomes. No question helps to choose the threshold at which it is answered, and a system gains
    nothing by having more thresholds to choose from. The thresholds in the rows are chosen on all questions: use these.
    `run` and `baseline` need no names if there are two runs. Other arguments are those of `nescio.tune` and
    `nescio.compare`.

    Raises NescioError: MismatchError if there are not two runs, or no confidences, UsageError for invalid options.
    """
    bound = parse(measure)
    loaded = take_two(open_data(source, {"strata": (), **options}, [bound]), baseline, run)
    data = with_questions(loaded.data, "tune a threshold on")
    drawn: dict[str, Any] = {"ci": ci, "resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    pair: dict[str, Any] = {"baseline": data.runs[0], "run": data.runs[1]}
    tuned = [tune(loaded, bound, run=name, folds=folds, **drawn) for name in data.runs]
    unseen = together([held_out(data, i, bound, folds, seed) for i in range(2)])
    compared = compare(replace(loaded, data=unseen), bound, **pair, **drawn)
    given = compare(loaded, bound, **pair, **drawn)
    notes = [*(remark for result in tuned for remark in result.notes), *compared.notes]
    lost = len(data.questions) - len(unseen.questions)
    if lost:
        notes.append(
            note(
                "tuning.not_shared",
                "{lost:,} of {total:n question} left out of the comparison, "
                "because one or both runs have no confidence there",
                lost=lost,
                total=len(data.questions),
            )
        )
    line = compared.signature.extend(tuned="each run", folds=folds)
    tables = {"comparison": tuple(compared), "as_given": tuple(given)}
    return TunedPair(tuple(result.rows[0] for result in tuned), line, tuple(dict.fromkeys(notes)), "tuning", tables)


def held_out(data: Evidence, run: int, measure: Measure, folds: int, seed: int) -> Evidence:
    """Return a run with each question at the threshold for `measure` that was chosen without the question's part."""
    alone = one_run(data, run)
    check_follows(alone, measure)
    choice = choose(alone, measure, folds, seed)
    if not len(choice.without):
        raise MismatchError("there is only one question or cluster, so nothing can be held out and compared")
    return alone.apply(choice.held_out(alone))


def at_thresholds(data: Evidence, thresholds: Mapping[str, float]) -> Evidence:
    """Return the runs with the given thresholds applied, on the questions that all runs have.

    A run without a threshold stays unchanged. Raises UnknownNameError for an unknown run, and the errors of `one_run`.
    """
    for run in thresholds:
        if run not in data.runs:
            raise UnknownNameError("run", run, data.runs)
    runs = []
    for i, run in enumerate(data.runs):
        if run in thresholds:
            alone = one_run(data, i)
            runs.append(alone.apply(alone.accept(thresholds[run])))
        else:
            runs.append(data.take_runs([i]))
    return together(runs)


def together(runs: Sequence[Evidence]) -> Evidence:
    """Return one Evidence of all runs, on the questions (and repeats) that all runs have."""
    keys = [
        list(zip(part.questions, part.repeats.label, strict=True)) if part.repeats else list(part.questions)
        for part in runs
    ]
    places = [{key: i for i, key in enumerate(labels)} for labels in keys]
    shared = [key for key in keys[0] if all(key in place for place in places)]
    if not shared:
        raise MismatchError(f"the {'two ' if len(runs) == 2 else ''}runs have no question in common")
    cut = [part.select(np.array([place[key] for key in shared])) for part, place in zip(runs, places, strict=True)]
    first = cut[0]
    names = [name for name in first.columns if all(name in part.columns for part in cut)]
    return replace(
        first,
        runs=tuple(run for part in cut for run in part.runs),
        columns={name: np.concatenate([part.columns[name] for part in cut]) for name in names},
        absence=np.concatenate([part.absence for part in cut]),
    )
