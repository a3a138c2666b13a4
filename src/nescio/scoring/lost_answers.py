"""Bound how far answers without a grade, missing answers and lost answers may move a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nescio.data.columns import USER
from nescio.data.dropped import FEWER_HELD
from nescio.data.judge_record import OTHER_TEXTS, STALE
from nescio.data.notes import Note
from nescio.data.policy_notes import (
    MISSING_SILENT,
    REPEATS_SILENT,
    UNGRADED_LEFT_OUT,
    UNGRADED_WRONG,
)
from nescio.data.reasons import MUCH, NOT_DECLINED, left_out_in_words
from nescio.data.results import Results
from nescio.errors import spelled
from nescio.measures import Measure, parse
from nescio.scoring.grounds import ONE_LABEL, Pair, as_in_files
from nescio.text import plural

# the numbers of right, wrong and unanswered answers if one more has this outcome
_COUNTS = {"correct": (6, 2, 8), "incorrect": (5, 3, 8), "unanswered": (5, 2, 9)}

_LACKING = {
    STALE: "the labels are for answers that the run no longer gives, and are not used",
    OTHER_TEXTS: "the run's answers to labelled questions have no label",
}


class Lost(Struct, frozen=True):
    """How far answers that were left out may move a value at most (`shift`), and a description of these answers."""

    shift: float = 0.0
    words: str = ""

    def why_open(self, low: float, slack: float) -> str:
        """Return why no number of further questions could decide a gate that cannot tell, or "" if some could.

        None could without an interval (`low` is NaN). None could either if answers were left out, and the gate would
        pass without these answers (`slack` is at least 0) or no bound is known for their effect.
        """
        if math.isnan(low):
            return "there is no interval"
        return self.words if slack >= 0 or math.isinf(self.shift) else ""


def lost(results: Results[Any], measure: str, run: str, baseline: str | None = None) -> Lost:
    """Return the `Lost` of a run (and its baseline): how far its ungraded, missing and lost answers may move the value.

    A left-out answer may be right or wrong. `Measure.slope` bounds how far a share of the questions moves the value.
    The bound is proven for means over questions, c@1 and similar measures, and infinite for others. If the measure is
    not a mean, a difference may move by the sum over both runs. If a tenth of a run's answers is left out, the result
    is infinite for any measure.
    """
    pair, results = Pair.of(results, run, baseline), as_in_files(results)
    for remark in results.notes:
        if remark.code == NOT_DECLINED and pair.judges(remark.subject):
            return Lost(math.inf, spelled(remark["what"]))
    left_out = _lost_grades(results, measure, pair)
    missing, unread = _lost_rows(results, measure, pair), _never_held(results, measure, pair)
    # A stale label of one of two runs is also a label for one run alone.
    labels = max(
        _lost_labels(results, measure, pair), _stale_labels(results, measure, pair), key=lambda loss: loss.shift
    )
    wrong = _counted_wrong(results, measure, pair)
    filled = _filled(results, measure, pair)
    lost_ones = [loss for loss in (left_out, wrong, missing, unread, filled, labels) if loss.words]
    return Lost(sum(loss.shift for loss in lost_ones), lost_ones[0].words if lost_ones else "")


def may_lead(results: Results[Any], measure: str, best: str) -> str:
    """Return why another run than the best may lead, because many of its answers are missing or not graded; or "".

    It may if it would lead with all of these right, or if no answer is left that gives it a value.
    """
    bound = parse(measure)
    values = {str(row.run): row.value for row in results.rows if row.measure == measure and not _is_part(row)}
    left_out = (UNGRADED_LEFT_OUT, UNGRADED_WRONG, MISSING_SILENT, REPEATS_SILENT)
    others = [
        remark
        for remark in results.notes
        if remark.code in left_out and remark.subject in values and remark.subject != best
    ]
    for remark in [] if _reads_no_outcome(bound) else others:
        share, behind = _share(results, [remark]), abs(values[best] - values[remark.subject])
        if share >= MUCH and not bound.slope * share <= behind:  # `behind` is NaN for a run without a value
            return f"{remark.text}, so {remark.subject} may be better than {best}"
    return ""


def _is_part(row: Any) -> bool:
    return getattr(row, "stratum", None) is not None


def _reads_no_outcome(measure: Measure) -> bool:
    return all(name == "n" or name.startswith(USER) for name in measure.reads)


def _lost_grades(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of answers that were left out because they have no grade."""
    counted = [
        remark for remark in results.notes if remark.code == UNGRADED_LEFT_OUT and remark.subject not in pair.others
    ]
    if not counted:
        return Lost()
    bound = parse(measure)
    share = _share(results, counted)
    whole = max(remark["share"] for remark in counted) == 1  # then nothing is left of a benchmark
    runs = 1 if pair.baseline is None or bound.is_mean else 2
    shift = math.inf if whole or share >= 1 else runs * bound.slope * share / (1 - share)  # of what is graded
    judged = [remark for remark in counted if pair.judges(remark.subject)]
    much = [remark for remark in judged if max(remark["count"] / remark["total"], remark["share"]) >= MUCH]
    words = left_out_in_words((much or judged or counted)[0])
    return Lost(math.inf if much else shift, words)


def _counted_wrong(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of ungraded answers that count as wrong, although a pass would need them to be right.

    These are the answers of the baseline. For a measure of more than the counts of outcomes, such as AUROC, a wrong
    answer may help a run, too.
    """
    bound = parse(measure)
    if _reads_no_outcome(bound):
        return Lost()
    counted = [
        remark for remark in results.notes if remark.code == UNGRADED_WRONG and remark.subject not in pair.others
    ]
    if bound.of_kinds:
        counted = [remark for remark in counted if pair.is_baseline((remark.subject,))]
    if not counted:
        return Lost()
    first, shift = counted[0], 0.0
    for remark in counted:
        shift += _share(results, [remark]) / remark["share"] * bound.if_right(remark["kinds"], remark["share"])
    words = f"{first['count']:,} of {first.subject}'s {plural(first['total'], 'answer')} count as wrong without a grade"
    return Lost(shift, f"{words}, and may be right")


def _lost_rows(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of missing answers, which count as unanswered.

    If abstaining earns more than a wrong answer, the sender of the answers could have left out the wrong ones.
    """
    missing = [remark for remark in results.notes if remark.code in (MISSING_SILENT, REPEATS_SILENT)]
    missing = [remark for remark in missing if pair.judges(remark.subject)]
    bound = parse(measure)
    if not missing or not _earns_more(bound, "unanswered", "incorrect"):
        return Lost()
    share = _share(results, missing)
    (first, *_) = sorted(missing, key=lambda remark: -remark["share"])
    number = f"{first['missing']:,} questions" if first.code == MISSING_SILENT else f"{first['answers']:,} answers"
    words = f"{number} that {first.subject} lacks may be wrong, and count as unanswered"
    return Lost(math.inf if first["share"] >= MUCH else bound.slope * share, words)


def _never_held(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of answers that the judged run's files state but do not hold.

    Answers that count as unanswered (`_lost_rows`), for the run or one that the file counts with it, are not lost
    again. A file may state its answers for a run and for all runs; the former counts. A task that the baseline lost too
    decides nothing between the two.
    """
    fewer = [remark for remark in results.notes if remark.code == FEWER_HELD and not remark["rest"]]
    of_both = {task for remark in fewer if pair.baseline in remark["runs"] for task in remark["tasks"]}
    lacking = [remark for remark in fewer if any(map(pair.judges, remark["runs"]))]
    lacking = [remark for remark in lacking if not remark["tasks"] or {*remark["tasks"]} - of_both]
    lacking = [
        remark
        for remark in lacking
        if not any(two.subject == remark.subject and {*two["runs"]} < {*remark["runs"]} for two in lacking)
    ]
    if not lacking:
        return Lost()
    first = max(lacking, key=lambda remark: float(remark["share"]))
    words = f"{first.subject} holds {first['held']:,} of {first['of']} answers, and the others may be wrong"
    if None in [remark["stated"] for remark in lacking]:
        return Lost(math.inf, words)
    silent = [remark for remark in results.notes if remark.code in (MISSING_SILENT, REPEATS_SILENT)]
    counted = {run for remark in lacking for run in remark["runs"]}
    silent = [remark for remark in silent if pair.judges(remark.subject) or remark.subject in counted]
    filled = sum(int(remark["missing" if remark.code == MISSING_SILENT else "answers"]) for remark in silent)
    left = 1 - filled / sum(remark["stated"] - remark["held"] for remark in lacking)
    if left <= 0:
        return Lost()
    share = left * first["share"]
    return Lost(math.inf if share >= MUCH else parse(measure).slope * share, words)


def _filled(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of answers that no row states, and that count as the option `--rest` says.

    Those of the judged run may be worse, and those of its baseline better.
    """
    bound = parse(measure)

    def may_lose(remark: Note) -> bool:
        (run,), rest = remark["runs"], remark["rest"]
        if run == pair.baseline:
            return any(_earns_more(bound, other, rest) for other in _COUNTS if other != rest)
        return run not in pair.others and any(_earns_more(bound, rest, other) for other in _COUNTS if other != rest)

    filled = [remark for remark in results.notes if remark.code == FEWER_HELD and remark["rest"] and may_lose(remark)]
    if not filled:
        return Lost()
    first = max(filled, key=lambda remark: float(remark["share"]))
    (run,), many = first["runs"], first["stated"] - first["held"]
    words = f"{many:,} of {run}'s {first['stated']:,} answers are in no row, count as {first['rest']}"
    words += f", and may be {'better' if run == pair.baseline else 'worse'}; give a row for each question"
    much = any(remark["share"] >= MUCH and pair.judges(*remark["runs"]) for remark in filled)
    return Lost(math.inf if much else bound.slope * _share(results, filled), words)


def _lost_labels(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of questions that have a label for only one of the two runs of a corrected difference.

    The labeller could have left out labels that are unfavourable to a run. A question adds between -2 and 2 times its
    weight.
    """
    shares = [
        entry[2]
        for remark in results.notes
        if remark.code == ONE_LABEL
        for entry in remark["pairs"]
        if not {entry[0], entry[1]} & pair.others
    ]
    if not shares:
        return Lost()
    words = f"{max(shares):.1%} of the labelled questions have a label for only one of the two runs, and are not used"
    return Lost(math.inf if max(shares) >= MUCH else 4 * parse(measure).slope * max(shares), words)


def _stale_labels(results: Results[Any], measure: str, pair: Pair) -> Lost:
    """Return the `Lost` of answers to labelled questions that have no label of their own, such as changed answers.

    The other labels are not a random sample: they belong to the answers that did not change, or that other runs gave.
    A label adds between -1 and 1 times its weight.
    """
    lacking = [remark for remark in results.notes if remark.code in _LACKING]
    judged = [(share, remark.code) for remark in lacking for run, share in remark["shares"] if pair.judges(run)]
    if not judged:
        return Lost()
    share, code = max(judged)
    shift = math.inf if share >= MUCH else 2 * parse(measure).slope * share
    return Lost(shift, f"{share:.1%} of {_LACKING[code]}")


def _share(results: Results[Any], remarks: Sequence[Note]) -> float:
    """Return the sum of the shares of questions that these notes name; each benchmark of a suite counts the same."""
    benchmarks = len({row.benchmark for row in results.tables.get("benchmarks", ())})
    weights = [len(remark.benchmarks) / benchmarks if remark.benchmarks and benchmarks else 1 for remark in remarks]
    return sum(w * float(remark["share"]) for w, remark in zip(weights, remarks, strict=True))


def _earns_more(measure: Measure, outcome: str, other: str) -> bool:
    """Return whether an answer earns more by one outcome than by another, or whether this is unknown.

    Abstaining earns more than a wrong answer by c@1, but not by accuracy.
    """
    if not measure.counts_outcomes:
        return True
    gain = measure(*_COUNTS[outcome]) - measure(*_COUNTS[other])
    return (-gain if measure.declaration.lower_is_better else gain) > 0
