"""Compare two systems, each at its own best threshold, on questions that chose neither threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from nescio.comparison.comparing import compare
from nescio.comparison.doubts import doubt_on
from nescio.comparison.two_runs import take_two
from nescio.comparison.verdicts import NONE_SEEN, TOO_FEW, TOO_FEW_RESAMPLES
from nescio.data.evidence import NO_ROW, Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.reasons import MUCH, NotDeclined
from nescio.data.results import Comparison, Comparisons, Results
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
    `tables["as_given"]` compares them without these thresholds. A verdict is "cannot tell" if answers that are left out
    could turn it, or for another reason that forbids a decision.
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
    if len(unseen.questions) < len(data.questions):
        notes.append(_left_out_note(data, len(unseen.questions)))
    line = compared.signature.extend(tuned="each run", folds=folds)
    no_confidence = [
        NotDeclined(int(present.sum()) - result.rows[0].n, int(present.sum()), "no confidence", left_out=True)
        for present, result in zip(data.present, tuned, strict=True)
    ]
    tables = {"comparison": _on_grounds(compared, no_confidence), "as_given": _on_grounds(given, ())}
    return TunedPair(tuple(result.rows[0] for result in tuned), line, tuple(dict.fromkeys(notes)), "tuning", tables)


def _left_out_note(data: Evidence, kept: int) -> Note:
    """Return the note on the rows of `data` that the comparison leaves out, because it compares only `kept` of them."""
    lacking = (data.absence == NO_ROW).any(axis=0)
    ungraded = ~lacking & ~data.present.all(axis=0)
    left_out = len(data.questions) - kept
    reasons = {"lacking": int(lacking.sum()), "not graded": int(ungraded.sum())}
    reasons["without a confidence"] = left_out - sum(reasons.values())
    return note(
        "tuning.not_shared",
        "{lost:,} of {total:n question} left out of the comparison, because an answer of one or both runs cannot be "
        "used: {reasons:each %d %s}",
        lost=left_out,
        total=len(data.questions),
        reasons=[(count, reason) for reason, count in reasons.items() if count],
    )


def _on_grounds(compared: Comparisons, no_confidence: Sequence[NotDeclined]) -> tuple[Comparison, ...]:
    """Return the rows of a comparison, with the verdict "cannot tell" if the data cannot support another (`doubt_on`).

    `no_confidence` counts the answers of the baseline and of the run that are left out because they have no confidence.
    Such answers could turn a verdict, too.
    """
    return tuple(_row_on_grounds(compared, row, no_confidence) for row in compared)


def _row_on_grounds(compared: Comparisons, row: Comparison, no_confidence: Sequence[NotDeclined]) -> Comparison:
    if row.verdict is None or row.verdict in (TOO_FEW, NONE_SEEN, TOO_FEW_RESAMPLES):
        return row
    doubt = doubt_on(compared, row)
    if why := doubt.against(worse=row.verdict == "worse"):
        return replace(row, verdict=f"cannot tell, as {why}", no_larger_than=None)
    shift, words = doubt.left_out.shift, [doubt.left_out.words] if doubt.left_out.words else []
    for run, counted in zip((row.baseline, row.run), no_confidence, strict=False):
        if counted.lost:
            share = counted.lost / counted.of
            shift += math.inf if share >= MUCH else parse(row.measure).slope * share / (1 - share)
            words.append(counted.words(run))
    if not words:
        return row
    low, high = (math.nan, math.nan) if row.low is None or row.high is None else (row.low - shift, row.high + shift)
    if low > 0 or high < 0:
        return row
    return replace(row, verdict=f"cannot tell, as {words[0]}", no_larger_than=None)


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
