"""Compare runs with a judge's verdicts and people's labels: the rows of `compare` with labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from nescio.comparison.adjusted import TestedPairs
from nescio.comparison.verdicts import CORRECTED
from nescio.data.judge_record import Target
from nescio.data.notes import Note, gather, note
from nescio.data.results import Comparison
from nescio.measures import Measure
from nescio.scoring.corrected import Corrected, corrected_difference, corrected_score
from nescio.scoring.corrected_scores import about
from nescio.scoring.grounds import ONE_LABEL
from nescio.scoring.labels import Labels
from nescio.scoring.samples import Remark
from nescio.stats.few_units import unseen_gap


def corrected_pairs(
    labels: Labels,
    wanted: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
    *,
    target: Target,
    level: float,
) -> TestedPairs:
    """Return the corrected difference of each pair (run, baseline) by each measure, tested by Student's t."""
    place = {name: i for i, name in enumerate(labels.data.runs)}
    rows, how = [], []
    remarks: list[Remark] = []
    for measure in wanted:
        for run, baseline in pairs:
            x, y = place[run], place[baseline]
            difference = corrected_difference(labels, measure, (x, y), target=target, level=level)
            rows.append(
                Comparison(
                    run,
                    baseline,
                    measure.label,
                    difference.value,
                    difference.low,
                    difference.high,
                    difference.p,
                    None,
                    CORRECTED,
                    difference.how.n,
                    units=difference.how.labels,
                    spread=difference.error,
                    worst=_worst(labels, measure, (x, y), difference, level, target=target),
                )
            )
            how.append(difference.how)
            if measure is wanted[0] and difference.low < 0 < difference.high and difference.value:
                remarks += _more(labels, measure, (x, y), level, difference)
            remarks += [(remark, measure.label, f"{run!r} against {baseline!r}") for remark in difference.warnings]
    notes = [*labels.notes, *about(labels, target), *gather(remarks), *_one_label(labels, pairs)]
    notes.append(
        note(
            "labels.not_subtracted",
            "a corrected difference is estimated directly, so it need not equal the difference of the two corrected "
            "scores",
        )
    )
    return TestedPairs(tuple(rows), tuple(notes), tuple(how))


def _one_label(labels: Labels, pairs: Sequence[tuple[str, str]]) -> list[Note]:
    """Return a note on questions that have a label for only one of the two runs of a pair; the pair cannot use them.

    The note has the share of these questions for each pair.
    """
    place = {name: i for i, name in enumerate(labels.data.runs)}
    labelled, sure, present = labels.labelled, labels.labelled | labels.known, labels.data.present
    total = 0
    shares: list[tuple[str, str, float]] = []
    for run, baseline in pairs:
        x, y = place[run], place[baseline]
        shared = present[x] & present[y]
        alone = int((shared & ((labelled[x] & ~sure[y]) | (labelled[y] & ~sure[x]))).sum())
        if alone:
            total += alone
            shares.append((run, baseline, alone / int((shared & (labelled[x] | labelled[y])).sum())))
    if not total:
        return []
    return [
        note(
            ONE_LABEL,
            "{questions:n question} {questions:has/have} a label for only one run of a pair, so the pair does "
            "not use {questions:it/them}; label the answers of both runs",
            questions=total,
            pairs=shares,
        )
    ]


def _worst(
    labels: Labels,
    measure: Measure,
    runs: tuple[int, int],
    difference: Corrected,
    level: float,
    *,
    target: Target,
) -> float | None:
    """Return the worst difference that a gate cannot rule out, or None if the corrected difference has no interval.

    Few labels do not rule out rare errors of the judge: Student's interval let a run that is worse by the margin pass
    in up to 15% of trials. So the gate allows for errors that no label shows (`unseen_gap`). That allowance takes the
    place of the three disagreements that `corrected_difference` imagines.
    """
    if math.isnan(difference.low):
        return None
    plain = corrected_difference(labels, measure, runs, target=target, level=level, least=0.0)
    gap = unseen_gap(plain.error, difference.step, level)
    if measure.declaration.lower_is_better:
        return max(difference.high, difference.value + gap)
    return min(difference.low, difference.value - gap)


def _more(
    labels: Labels,
    measure: Measure,
    runs: tuple[int, int],
    level: float,
    difference: Corrected,
) -> list[tuple[Note, str, str]]:
    """Return a note on about how many more labels would tell two runs apart, if their difference stays the same.

    There is no note if the labelled questions are not one random sample, or if all answers have labels.
    """
    from scipy.special import ndtri

    if labels.inclusion is not None or labels.strata is not None or not difference.how.labels < difference.how.answers:
        return []
    of_these = corrected_difference(labels, measure, runs, target="collection", level=level)
    m, answers = difference.how.labels, difference.how.answers
    spread = of_these.error**2 / (1 / m - 1 / answers)  # the variance of a single label
    rest = max(difference.error**2 - of_these.error**2, 0.0)  # the part of the variance that no label reduces
    enough = (difference.value / float(ndtri((1 + level) / 2))) ** 2

    def tell(labels: int) -> bool:
        return spread * (1 / labels - 1 / answers) + rest <= enough

    more = 1 + bisect_left(range(m + 1, answers + 1), True, key=tell)
    whose = f"{labels.data.runs[runs[0]]!r} against {labels.data.runs[runs[1]]!r}"
    if m + more <= answers:
        remark = note(
            "labels.more",
            "about {labels:n more question} with labels for both runs would tell these runs apart, if the difference "
            "stays the same",
            labels=more,
        )
    else:
        remark = note(
            "labels.never",
            "no number of labels would tell these runs apart on so few questions, if the difference stays the same",
        )
    return [(remark, measure.label, whose)]


def corrected_values(labels: Labels, measure: Measure, target: Target) -> list[tuple[str, float]]:
    """Return the name and the corrected score of each run."""
    return [
        (name, corrected_score(labels, measure, run, target=target, level=0.95).value)
        for run, name in enumerate(labels.data.runs)
    ]
