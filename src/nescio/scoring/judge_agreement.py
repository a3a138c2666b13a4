"""Compare a judge with people: measure their agreement, and estimate people's verdict on every run.

People judged some answers of each run, the judge all of them. Abstentions and answers to unanswerable questions need no
verdict. They count in the accuracy of a run, but not in a table of agreement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.judge_record import TARGETS, Target
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, ANSWERED, CORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.data.policy_notes import CLUSTERS_APART
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.scoring.agreement_tables import (
    NEW,
    PEOPLE,
    THESE,
    Agreement,
    Confusion,
    Corrected,
    Declining,
    agreement_of,
    by_run,
    confusion_of,
    declining_tables,
    only_answered,
    resampled,
    share_of,
    tables_of,
)
from nescio.scoring.judge_conclusion import conclude
from nescio.stats import bias_correction, resampling
from nescio.stats.bias_correction import Estimate
from nescio.stats.intervals import wilson
from nescio.stats.prediction_powered import FEWEST

HOW = ("judge alone", "people alone", "prediction-powered (PPI++)", "Rogan-Gladen")
_FEW = 30
_CHANCE = 0.001  # level of a warning that labels may not be a random sample


def against(
    judged: Outcomes,
    people: Outcomes,
    sampled: NDArray[np.bool_],
    *,
    judge: str = "judge",
    target: Target = "collection",
    corrects: bool = True,
    ci: float = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
) -> Results:
    """Return agreement, Cohen's kappa, a confusion table, and the corrected accuracy of each run.

    `judged` and `people` have the same runs and questions; `people` is NOT_GRADED if nobody judged. `sampled` has shape
    (runs, questions) and marks the answers that needed a verdict. A run's labels must be a simple random sample of
    these, unless `corrects` is False: then no accuracy is corrected, and nothing concluded. `target` names the
    population of the accuracy. `collection` means these questions and people's verdicts on all their answers;
    `population` means questions of this kind.

    Intervals of one run's shares are Wilson's. Intervals over all runs, and of kappa, are percentiles of a bootstrap of
    questions. `nescio.stats.bias_correction` gives the formulas of the estimates. Raises MismatchError if people judged
    no answer.
    """
    _check(judged, people, target, ci)
    labelled = sampled & np.isin(people.state, (*PEOPLE, ANSWERED))
    if not labelled.any():
        raise MismatchError("people's verdicts cover none of these answers; check runs, questions and texts")
    blocks, level = resampling.blocks(resamples, seed), ci / 100
    declining = declining_tables(judged.state, people.state, labelled)
    spoken = [
        agreement_of(name, table.sum(axis=0), resampled(table, blocks), level, Declining)
        for name, table in by_run(judged.runs, declining)
    ]
    agreements: list[Agreement] = spoken
    confusions: list[Confusion] = []
    estimates: list[Corrected] = []
    if only_answered(people.state):
        notes = [_of_declining(labelled)]
    else:
        agreements, notes = [], _notes(judged, labelled)
        if corrects:
            notes = [_of_target(target), *notes]
            notes += chosen_labels(judged.runs, judged.state == CORRECT, sampled, labelled)
        for name, table in by_run(judged.runs, tables_of(judged.state, people.state, labelled)):
            drawn = resampled(table, blocks)
            agreements.append(agreement_of(name, table.sum(axis=0), drawn, level))
            confusions += confusion_of(name, table.sum(axis=0), drawn, level)
        for r, name in enumerate(judged.runs if corrects else ()):
            estimates += _corrected(name, _cells(judged, people, sampled, labelled, r), level, target, notes)
    line = sign(
        judge=judge,
        runs=len(judged.runs),
        questions=len(judged.questions),
        data=outcomes_digest(judged),
        people=outcomes_digest(people),
        labels=int(labelled.sum()),
        target=target,
        ci=f"{ci:g}",
        resamples=resamples,
        seed=seed,
    )
    more: dict[str, Any] = {"confusion": tuple(confusions)} if confusions else {}
    if more and corrects:
        more["corrected"] = tuple(estimates)
    if more and declining[..., 0].any() | declining[..., 0, :].any():
        more["declined"] = tuple(spoken)
    if more and corrects:
        verdicts = judged.state, people.state, labelled
        more["conclusion"] = conclude(judged.runs, verdicts, confusions, estimates, level)
    return JudgeAgreement(tuple(agreements), line, tuple(notes), "agreement", more)


def _check(judged: Outcomes, people: Outcomes, target: Target, ci: float) -> None:
    """Raise UsageError for an unknown target or level, and MismatchError for other runs or questions of people."""
    if target not in TARGETS:
        raise UsageError(f"target must be {' or '.join(TARGETS)} (found {target!r})")
    if not 0 < ci < 100:
        raise UsageError(f"ci must be a level in percent, between 0 and 100 (found {ci!r})")
    if judged.runs != people.runs or judged.questions != people.questions:
        raise MismatchError("judge and people must have the same runs and questions, in the same order")


def _of_declining(labelled: NDArray[np.bool_]) -> Note:
    """Return the note that people's labels say only which answers decline."""
    return note(
        "agreement.only_answered",
        "people's {labels:n label} {labels:says/say} only whether the system answered or declined. So "
        "agreement is about declining only, and no accuracy is corrected",
        labels=int(labelled.sum()),
    )


TITLES = {
    None: "Agreement with people, on the answers that both graded",
    "declined": "Agreement on which answers decline (sensitivity) and which do not decline (specificity)",
    "confusion": "The judge's verdicts on the answers that people call correct, incorrect or unanswered, in shares",
    "alternative": "The judge in place of each person (the alternative annotator test)",
    "stand_in": "May the judge replace people?",
    "corrected": "The accuracy of each run: by the judge alone, by people alone, and by both (PPI++ and Rogan-Gladen)",
    "conclusion": "In short",
}


class JudgeAgreement(Results[Agreement], frozen=True):
    """The agreement of people with a judge whose verdicts they checked, and the conclusions from it."""

    def title(self, name: str | None = None) -> str:
        """Return the title of the table `name`, or of the main table if that is None."""
        return TITLES.get(name, "")


class _Cells(Struct, frozen=True):
    """The verdicts of people and judge on one run's answers, 1 for correct.

    `people` and `judge` have the verdicts on the labelled answers. `every` has the judge's verdicts on all answers that
    need one; `ungraded` counts the answers that need one and have none. `known` counts the answers that need no
    verdict, and `known_right` the right ones among these.
    """

    people: NDArray[np.float64]
    judge: NDArray[np.float64]
    every: NDArray[np.float64]
    ungraded: int
    known: int
    known_right: int

    @property
    def answers(self) -> int:
        return len(self.every)

    @property
    def n(self) -> int:
        return self.answers + self.known


def _cells(judged: Outcomes, people: Outcomes, sampled: Array, labelled: Array, run: int) -> _Cells:
    state, use, rest = judged.state[run], labelled[run], ~sampled[run] & (judged.state[run] != ABSENT)
    right = state[rest] == CORRECT
    if judged.answerable is not None:
        right |= (state[rest] == SILENT) & (judged.answerable[rest] == 0)
    return _Cells(
        (people.state[run][use] == CORRECT).astype(float),
        (state[use] == CORRECT).astype(float),
        (state[sampled[run]] == CORRECT).astype(float),
        int((state[sampled[run]] == NOT_GRADED).sum()),
        int(rest.sum()),
        int(right.sum()),
    )


def _corrected(name: str, cells: _Cells, level: float, target: Target, notes: list[Note]) -> list[Corrected]:
    n, labels = cells.n, len(cells.people)
    if not n:
        return []
    share = float(cells.every.mean()) if cells.answers else 0.0
    sample = cells.people, cells.judge, share, cells.answers, level
    estimates = [
        bias_correction.human_sample_mean(cells.people, cells.answers, level),
        bias_correction.prediction_powered(*sample),
        bias_correction.rogan_gladen(*sample),
    ]
    if labels >= FEWEST and math.isnan(estimates[2].value):
        notes.append(_undefined_note(name, cells))
    graded, right = n - cells.ungraded, cells.known_right + int(cells.every.sum())
    judge = Estimate(share_of(right, graded), *wilson(right, graded, level))
    whole = [judge, *(_of_all(estimate, cells, target, level) for estimate in estimates)]
    if target == "population":
        known = cells.known, cells.known_right
        whole[2] = bias_correction.prediction_powered_population(*sample, known=known)
    others = NEW if target == "population" else THESE
    counts = labels, cells.answers, n
    return [
        Corrected(
            name,
            how,
            estimate.value,
            estimate.low,
            estimate.high,
            *counts,
            estimate.weight,
            NEW if estimate is judge else others,
        )
        for how, estimate in zip(HOW, whole, strict=True)
    ]


def _of_all(estimate: Estimate, cells: _Cells, target: Target, level: float) -> Estimate:
    """Return the estimated share correct of all questions, from the `estimate` for the answers that need a verdict.

    The known outcomes of the other answers are added.
    """
    value, low, high = (
        (cells.known_right + cells.answers * x) / cells.n for x in (estimate.value, estimate.low, estimate.high)
    )
    whole = Estimate(value, low, high, estimate.weight)
    return whole if target == "collection" else bias_correction.superpopulation(whole, cells.n, level)


def _undefined_note(run: str, cells: _Cells) -> Note:
    right = int(cells.people.sum())
    if right in (0, len(cells.people)):
        return note(
            "agreement.people_alike",
            "run {subject!r}: Rogan-Gladen is undefined because people call {all_right:all/none} of the {labels} "
            "labelled answers correct",
            run,
            all_right=bool(right),
            labels=len(cells.people),
        )
    return note(
        "agreement.judge_uninformative",
        "run {subject!r}: Rogan-Gladen is undefined because the judge's sensitivity and specificity sum to 1 or less",
        run,
    )


def _of_target(target: Target) -> Note:
    """Return a note on what the corrected accuracies describe, and on what they assume."""
    if target == "collection":
        return note(
            "agreement.collection",
            "the corrected accuracies estimate people's verdicts on all answers to these questions, if the "
            "labels of a run are a random sample of its answers",
        )
    return note(
        "agreement.population",
        "the corrected accuracies are for all questions of this kind, if these questions are a random "
        "sample, and the labels of a run are a random sample of its answers",
    )


def _notes(judged: Outcomes, labelled: Array) -> list[Note]:
    notes, counts = list[Note](), labelled.sum(axis=1)
    for run in np.flatnonzero((counts > 0) & (counts < _FEW)):
        notes.append(
            note(
                "agreement.few_labels",
                "run {subject!r}: {labels:n label} {labels:is/are} few for an interval based on a normal approximation",
                judged.runs[run],
                labels=int(counts[run]),
            )
        )
    for run in np.flatnonzero(counts == 0):
        notes.append(
            note("agreement.no_labels", "run {subject!r}: people judged none of its answers", judged.runs[run])
        )
    ungraded = int((judged.state == NOT_GRADED).sum())
    if ungraded:
        notes.append(
            note(
                "agreement.ungraded",
                "the judge left {answers} answers ungraded. Agreement, kappa and the judge's own accuracy leave "
                "these out. The corrections treat these as not judged correct, which causes no bias",
                answers=ungraded,
            )
        )
    if judged.clusters is not None:
        notes.append(note(CLUSTERS_APART, "questions are clustered, but these intervals treat them as independent"))
    return notes


def chosen_labels(names: Sequence[str], right: Array, sampled: Array, labelled: Array) -> list[Note]:
    """Return a note on the runs whose labelled answers do not look like a random sample.

    The judge calls a larger or smaller share of their labelled answers correct than of their other answers. Arrays have
    shape (runs, questions), and `right` marks the answers that the judge calls correct.

    Suppose that the judge calls K of N answers correct. A random sample of L of them holds on average LK/N such
    answers, with the variance of the hypergeometric law. The note appears beyond the normal quantile of a level of
    0.001, divided by the number of runs.
    """
    runs = []
    for run, name in enumerate(names):
        if differs_by_more_than_chance(right[run], sampled[run], labelled[run], len(names)):
            n, drawn, rights = (int(mask.sum()) for mask in (sampled[run], labelled[run], sampled[run] & right[run]))
            hits, rest = int((labelled[run] & right[run]).sum()), n - drawn
            runs.append(
                note(
                    "agreement.shares",
                    "run {subject!r}: {labelled:.0%} of its {labels:,} labelled answers, but {others:.0%} of its "
                    "{rest:,} others",
                    name,
                    labelled=hits / drawn,
                    labels=drawn,
                    others=(rights - hits) / rest,
                    rest=rest,
                )
            )
    if not runs:
        return []
    return [
        note(
            "agreement.chosen_labels",
            "in some runs, the judge's shares of correct answers among labelled and other answers differ by more "
            "than chance in a random sample ({runs:list ;}). If people chose what to label, the corrected "
            "accuracies can mislead",
            runs=runs,
        )
    ]


def differs_by_more_than_chance(right: Array, sampled: Array, labelled: Array, looks: int = 1) -> bool:
    """Return whether the share of right answers differs between labelled and other answers by more than chance.

    The test is that of `chosen_labels`, and `looks` is the number of runs tested.
    """
    n, drawn, rights = (int(mask.sum()) for mask in (sampled, labelled, sampled & right))
    if not 0 < drawn < n or not 0 < rights < n:
        return False
    share = rights / n
    spread = math.sqrt(drawn * share * (1 - share) * (n - drawn) / (n - 1))
    far = NormalDist().inv_cdf(1 - _CHANCE / 2 / looks)
    return abs(int((labelled & right).sum()) - drawn * share) > far * spread


def outcomes_digest(outcomes: Outcomes) -> str:
    """Return a short hash of the graded outcomes, which changes if an outcome does."""
    return apply_policies(outcomes, Policies(missing="unanswered", ungraded="exclude"))[0].digest()
