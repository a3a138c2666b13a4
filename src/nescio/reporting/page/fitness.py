"""Judge whether the best run is fit for use at all, before the page of a collection or a suite says "ship"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.data.columns import OUTCOMES
from nescio.data.evidence import Data, Evidence
from nescio.data.reasons import NOT_DECLINED, not_declined, notes_on_pairs
from nescio.data.results import Results
from nescio.errors import spelled
from nescio.measures import Measure, parse
from nescio.pipeline import Loaded
from nescio.reporting.page.statements import Figure, Statement
from nescio.scoring.grounds import no_ground
from nescio.scoring.lost_answers import lost, may_lead

MOSTLY = 0.5  # with a larger share of wrong answers, never answering scores more if an error costs one right answer


class Standing(Struct, frozen=True):
    """The results of the best of `runs` runs, from which `unfit` decides whether to warn against it.

    `run` is its name as shown. `answered` and `wrong` are counts or shares of questions. `value` is its score by
    `measure`. `silence` is the score of a run that never answers, and is NaN if the measure does not penalise errors.
    """

    run: str
    runs: int
    answered: float
    wrong: float
    measure: str
    value: float
    silence: float


def unfit(one: Standing, at: str = "", among: str = "") -> Iterator[Statement]:
    """Yield a warning if most answers of the best run are wrong, or if never answering would score more.

    `at` is the run's threshold in words, and `among` says in words to which questions the results refer.
    """
    name = f"{one.run}{at}"
    best = f"{name} is the best of these, but" if one.runs > 1 else f"Do not ship {name}:"
    never = ": do not ship it." if one.runs > 1 else "."
    figures: dict[str, Figure] = {"run": one.run, "runs": one.runs}
    if one.wrong > MOSTLY * one.answered:
        text = f"{best} most of its answers are wrong{among}{never}"
        yield Statement("mostly wrong", text, {**figures, "answered": one.answered, "wrong": one.wrong})
    elif one.value < one.silence:
        text = f"{best} never answering scores more by {one.measure}{among}{never}"
        yield Statement("silence", text, {**figures, "value": one.value, "silence": one.silence})


def no_decision(
    results: Results[Any], measure: str, run: str, shown: str, benchmarks: Sequence[Loaded]
) -> Iterator[Statement]:
    """Yield the reasons to decide nothing about a run by its scores, such as many lost answers.

    A gate refuses to decide for the same reasons. `benchmarks` are the data of all runs that the scores are about.
    """
    if ground := no_ground(results, measure, None):  # a choice depends on all runs
        yield nothing_yet(f"no decision can rest on {ground}", shown, ground)
    refusal = next(filter(None, (_lost(run, shown, loaded) for loaded in benchmarks)), None)
    gone = lost(results, measure, run)
    if refusal is None and math.isinf(gone.shift):
        refusal = nothing_yet(gone.words, shown, gone.words)
    if refusal is None and (other := may_lead(results, measure, run)):
        refusal = nothing_yet(other, shown, other)
    if refusal is not None:
        yield refusal


def _lost(run: str, shown: str, loaded: Loaded) -> Statement | None:
    """Return a warning if a run lost many answers without declining, or if many are left out without a grade.

    Another warning is for many empty outputs that are graded as right or as abstentions, unlike those of another run; a
    gate on the two runs would refuse.
    """
    silence = [loaded.silence]
    if gone := not_declined(run, silence, ungraded_left_out=loaded.ungraded_left_out):
        why = f"{gone.words(shown)}. Check how answers are parsed and why calls failed, and score again"
        return nothing_yet(why, shown, gone.why, lost=gone.lost, of=gone.of)
    remarks = notes_on_pairs([(run, rival) for rival in loaded.data.runs if rival != run], silence)
    whys = (spelled(remark["what"]) for remark in remarks if remark.code == NOT_DECLINED)
    return next((nothing_yet(why, shown, why) for why in whys), None)


def nothing_yet(words: str, shown: str, why: str, **figures: Figure) -> Statement:
    """Return the advice to use no run yet, for a reason in `words`."""
    return Statement("no decision", f"Ship nothing yet: {words}.", {"run": shown, **figures, "why": why})


def answered_and_wrong(data: Data, counts: Mapping[str, tuple[int, int, int]]) -> dict[str, tuple[int, int]]:
    """Return the numbers of answered and of wrongly answered questions, keyed by run.

    `counts` maps a run to its numbers of correct, incorrect and unanswered questions.
    """
    if not isinstance(data, Evidence) or not {"answered", "incorrect"} <= data.columns.keys():
        return {run: (correct + incorrect, incorrect) for run, (correct, incorrect, _) in counts.items()}
    places = {run: i for i, run in enumerate(data.runs)}
    at = [places[run] for run in counts]
    answered = data.present[at] & (data.columns["answered"][at] == 1)
    wrong = answered & (data.columns["incorrect"][at] == 1)
    return dict(zip(counts, zip(answered.sum(axis=1).tolist(), wrong.sum(axis=1).tolist(), strict=True), strict=True))


def silent_share(data: Data, run: str) -> float:
    """Return the score of a run that never answers, which is the share of this run's questions without an answer."""
    if not isinstance(data, Evidence) or "answerable" not in data.columns:
        return 0.0
    i = data.runs.index(run)
    return float((data.columns["answerable"][i][data.present[i]] == 0).mean())


def totals(measure: Measure, columns: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the totals from which a measure of outcomes computes its value, for many samples of n questions.

    `columns` holds the number of each outcome in each sample.
    """
    kinds = {name: np.eye(3)[i] for i, name in enumerate(OUTCOMES)}
    each = measure.each(kinds)
    stacked = np.stack([columns[name] for name in OUTCOMES], axis=1)
    return {
        **{name: stacked @ np.asarray(values) for name, values in each.items()},
        "n": np.full(len(stacked), float(n)),
    }


def silence_score(name: str, data: Data, run: str) -> float:
    """Return the score that never answering would have on this run's questions by the measure `name`.

    The score is NaN if the measure does not penalise errors.
    """
    measure, share = parse(name), silent_share(data, run)
    if not measure.counts_outcomes or measure.declaration.lower_is_better or not measure.bounds[0] < 0:
        return math.nan
    silent = {"correct": np.array([share]), "incorrect": np.array([0.0]), "unanswered": np.array([1 - share])}
    return float(measure.of_totals(totals(measure, silent, 1))[0])
