"""Comparisons of runs by people's labels and a judge: the rows of `compare` where there are labels."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.comparison.adjusted import TestedPairs
from nescio.data.judge_record import Target
from nescio.data.notes import gather, note
from nescio.data.results import Comparison
from nescio.measures import Measure
from nescio.scoring.corrected import corrected_difference, corrected_score
from nescio.scoring.corrected_scores import about
from nescio.scoring.labels import Labels
from nescio.scoring.samples import Remark

TEST = "t"


def corrected_pairs(
    labels: Labels,
    wanted: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
    *,
    target: Target,
    level: float,
) -> TestedPairs:
    """Estimate the corrected difference of each pair (run, baseline) by each measure, and test it by Student's t."""
    place = {name: i for i, name in enumerate(labels.data.runs)}
    rows, how, lone = [], [], 0
    remarks: list[Remark] = []
    labelled, sure = labels.labelled, labels.labelled | labels.known
    for measure in wanted:
        for run, baseline in pairs:
            x, y = place[run], place[baseline]
            one = corrected_difference(labels, measure, (x, y), target=target, level=level)
            rows.append(
                Comparison(
                    run,
                    baseline,
                    measure.label,
                    one.value,
                    one.low,
                    one.high,
                    one.p,
                    None,
                    TEST,
                    one.how.n,
                    units=one.how.labels,
                    spread=one.error,
                )
            )
            how.append(one.how)
            remarks += [(remark, measure.label, f"{run!r} against {baseline!r}") for remark in one.remarks]
            if measure is wanted[0]:
                shared = labels.data.present[x] & labels.data.present[y]
                lone += int((shared & ((labelled[x] & ~sure[y]) | (labelled[y] & ~sure[x]))).sum())
    notes = [*labels.notes, *about(labels, target), *gather(remarks)]
    if lone:
        notes.append(
            note(
                "labels.one_run",
                "{questions:n question} {questions:has/have} a label for only one run of a pair, and "
                "{questions:is/are} not used for that pair: label the answers of both",
                questions=lone,
            )
        )
    notes.append(
        note(
            "labels.not_subtracted",
            "a corrected difference is estimated directly: it is not the difference of two corrected scores",
        )
    )
    return TestedPairs(tuple(rows), tuple(notes), tuple(how))


def corrected_values(labels: Labels, measure: Measure, target: Target) -> list[tuple[str, float]]:
    """Return the corrected score of each run, for its rank."""
    return [
        (name, corrected_score(labels, measure, run, target=target, level=0.95).value)
        for run, name in enumerate(labels.data.runs)
    ]
