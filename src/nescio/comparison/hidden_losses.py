"""Find runs that answer worse than their baseline, although no measure of the comparison shows it.

Some measures do not fall if right answers become wrong, such as the Brier score and the share of false refusals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from nescio.data.evidence import Data
from nescio.data.notes import Note, note
from nescio.data.reasons import MUCH
from nescio.data.results import Comparison, Comparisons
from nescio.measures import parse
from nescio.scoring.samples import measure_inputs
from nescio.stats.intervals import FEW

WORSE_ANSWERS = "hidden_losses.worse_answers"  # the code of a note on a run with fewer right and more wrong answers
_RIGHT, _WRONG = "accuracy", "simpleqa.incorrect"


def on_worse_answers(data: Data, pairs: Iterable[tuple[str, str]]) -> Iterator[Note]:
    """Yield a note on each run that has fewer right and more wrong answers than its baseline.

    `pairs` are a run and its baseline. A difference of less than a tenth of the questions has no note, nor one on fewer
    than 30 questions.
    """
    if not {"correct", "incorrect"} <= {*data.columns} or (data.size or 0) < FEW:
        return
    right, wrong = (_shares(data, measure) for measure in (_RIGHT, _WRONG))
    for run, baseline in dict.fromkeys(pairs):
        if not {run, baseline} <= right.keys() & wrong.keys():
            continue
        if min(right[baseline] - right[run], wrong[run] - wrong[baseline]) >= MUCH:
            yield note(
                WORSE_ANSWERS,
                "run {subject!r} against {baseline!r}: right answers {before:.0%} → {right:.0%}, wrong answers "
                "{wrong_before:.0%} → {wrong:.0%}",
                run,
                baseline=baseline,
                before=right[baseline],
                right=right[run],
                wrong_before=wrong[baseline],
                wrong=wrong[run],
            )


def _shares(data: Data, measure: str) -> dict[str, float]:
    """Return the share of questions that a measure counts, keyed by run."""
    of_runs = ((data.runs[sample.run], sample.patterns) for sample in measure_inputs(data, [parse(measure)])[0])
    column = parse(measure).needs[0]
    return {run: float(own.counts @ own.columns[column]) / own.counts.sum() for run, own in of_runs}


def hidden_loss(comparisons: Comparisons, row: Comparison, gated: Collection[str]) -> str:
    """Return why the difference of a row decides nothing: the run answers worse, and no measure of `gated` shows it.

    The result is "" if the run does not answer worse. A measure shows it if its difference is significantly worse, or
    worse by at least half of the lost share of right answers.
    """
    pair = (row.run, row.baseline)
    remarks = [n for n in comparisons.notes if n.code == WORSE_ANSWERS and (n.subject, n["baseline"]) == pair]
    rows = [one for one in comparisons if (one.run, one.baseline) == pair and one.measure in gated]
    if not remarks or any(_shows(one, remarks[0]) for one in rows):
        return ""
    was = remarks[0]
    return (
        f"{row.measure} does not show that right answers fell from {was['before']:.0%} to {was['right']:.0%} of the "
        f"questions, and wrong ones rose from {was['wrong_before']:.0%} to {was['wrong']:.0%}; add a measure of right "
        "answers"
    )


def _shows(row: Comparison, remark: Note) -> bool:
    loss = row.difference if parse(row.measure).declaration.lower_is_better else -row.difference
    return row.verdict == "worse" or loss >= (remark["before"] - remark["right"]) / 2
