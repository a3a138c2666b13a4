"""Write the notes on policies for missing, ungraded and unanswerable questions, and list the codes of such notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.notes import Note, note

PERHAPS_DECLINED = "table.perhaps_declined"  # of a note that names the column with the reasons for ungraded answers
NO_VERDICT = "table.no_verdict"  # the code of a note on an empty verdict that is read as an abstention
OWN, APART = "outcomes.own_questions", "outcomes.apart"  # codes of notes that runs are scored on different questions
SAMPLED = "pool.about"  # the code of a note that each run's questions are taken for a random sample of a pool
CHOSEN = "pool.chosen"  # the code of a note that a run's questions seem to be chosen from a pool, and not drawn
CLUSTERS_APART = "agreement.clusters"  # the code of a note that an interval takes clustered questions for independent
COMMON = "outcomes.common"  # the code of a note that only questions which all runs have count
# codes of notes on one run, and on several runs
FEWER_REPEATS, UNEQUAL_REPEATS = "outcomes.fewer_repeats", "outcomes.unequal_repeats"
RUNS_FEWER_REPEATS = "outcomes.runs_fewer_repeats"  # the code of a note on several runs with the same lack
# codes of notes on missing answers
MISSING_SILENT, REPEATS_SILENT = "outcomes.missing_silent", "outcomes.repeats_silent"
OTHER_STAKES = "outcomes.other_stakes"  # the code of a note that runs were asked at different stakes
OTHER_GOLD = "tables.other_gold"  # the code of a note that runs have their own gold answers
OTHER_ANSWERS = "tables.other_answers"  # the code of a note that a run has other answers, of which one counts
MIXED_FILES = "runs.mixed_files"  # the code of a note that files with the attempts of one run hold other runs, too
ONE_SIDED = "answerable.one_sided"  # the code of a note that only some runs say which questions have no answer
UNGRADED_LEFT_OUT = "outcomes.ungraded_left_out"  # the code of a note that a ranking does not need
UNGRADED_WRONG, UNGRADED_BOUNDS = "outcomes.ungraded_incorrect", "outcomes.ungraded_bounds"
# codes of notes on benchmarks that a run lacks, and on a benchmark with few clusters
LACKING, FEW_CLUSTERS = "suite.lacking", "suite.few_clusters"


def depths(runs: Sequence[str], run: Array, rank: Array) -> list[Note]:
    """Return a note if one run ranks more answers to a question than another; empty if no run ranks several.

    `run` has the number of a run for each answer, and `rank` the answer's rank.
    """
    last = np.zeros(len(runs), dtype=np.int64)
    np.maximum.at(last, run, rank)
    deep, shallow = int(last.argmax()), int(last.argmin())
    if last[deep] in (last[shallow], 1):
        return []
    return [
        note(
            "outcomes.depths",
            "run {deep!r} ranks up to {most} answers to a question, and run {shallow!r} up to {least}: further answers "
            "can raise MRR, and never lower it",
            deep=runs[deep],
            most=int(last[deep]),
            shallow=runs[shallow],
            least=int(last[shallow]),
        )
    ]


def one_sided(runs: Sequence[str], questions: int) -> Note:
    """Return the note that only the rows of these runs say whether `questions` questions have an answer."""
    return note(
        ONE_SIDED,
        "only the rows of {names:list} say whether {questions:n question} {questions:has/have} an answer; nescio "
        "applies this to all runs",
        names=[repr(run) for run in runs],
        questions=questions,
        runs=runs,
    )


def said_by_some(runs: Sequence[str], given: NDArray[np.bool_], known: Array, questions: Sequence[str]) -> list[Note]:
    """Return a note on the questions for which some runs say whether there is an answer, and others do not.

    `given` tells which run has a row for which question, and `known` what that row says (1 answer, 0 none, -1 nothing).
    The note is needed because a run's sender could claim that the questions which the run cannot answer have no answer.
    """
    claims = given & (known >= 0)
    some = np.asarray(claims.any(axis=0) & (given & ~claims).any(axis=0))
    if not some.any():
        return []
    names = [runs[at] for at in np.flatnonzero(claims[:, some].any(axis=1)).tolist()]
    return [one_sided(sorted(names), len({questions[at] for at in np.flatnonzero(some).tolist()}))]


def own_questions_note(runs: int, *, asked: bool, lacking: Sequence[tuple[str, int]] = ()) -> Note:
    """Return the note that each run is scored on its own questions.

    If `asked` is true, the user asked for this; otherwise the reason is that no two runs share a question. `lacking`
    has the number of questions that each run lacks.
    """
    if asked:
        return note(
            OWN,
            "each run is scored on its own questions; a difference is paired only on questions that both runs share",
            lacking=tuple(lacking),
        )
    return note(
        APART,
        "no two of the {runs} runs share a question: each run is scored on its own questions, and differences are "
        "unpaired. If the runs were asked the same questions, give the questions the same ids",
        runs=runs,
    )


def common_note(common: int, total: int, lacking: Sequence[tuple[str, int]]) -> Note:
    """Return the note that only the `common` questions count; `lacking` has how many questions each run lacks."""
    return note(
        COMMON,
        "{common} of {total:n question} are common to all runs; the other {others} are left out",
        common=common,
        total=total,
        others=total - common,
        lacking=lacking,
    )


def missing_note(run: str, missing: int, total: int) -> Note:
    """Return a note that a run lacks `missing` of the `total` questions, which count as unanswered."""
    return note(
        MISSING_SILENT,
        "run {subject!r}: {missing} of {total:n question} {missing:is/are} missing and counted as unanswered",
        run,
        missing=missing,
        total=total,
        share=missing / total,
    )


def unanswerable_note(count: int, total: int, policy: str) -> Note:
    """Return a note that `count` of the `total` questions have no answer, and how the policy treats these questions."""
    if policy == "exclude":
        return note(
            "outcomes.unanswerable_left_out",
            "{count} of {total:n question} {count:has/have} no answer and {count:is/are} left out",
            count=count,
            total=total,
        )
    return note(
        "outcomes.unanswerable",
        "{count} of {total:n question} {count:has/have} no answer: abstaining on {count:it/them} is correct, and "
        "answering is incorrect",
        count=count,
        total=total,
    )


def extremes(notes: Iterable[Note]) -> dict[str, str]:
    """Return the runs whose ungraded answers count both as wrong and as right, keyed by both names of each run."""
    runs = [remark.subject for remark in notes if remark.code == UNGRADED_BOUNDS]
    return {f"{run} [ungraded {way}]": run for way in ("wrong", "right") for run in runs}


def ungraded_note(policy: str, run: str, count: int, total: int, share: float, *, kinds: Sequence[float] = ()) -> Note:
    """Return a note that `count` of a run's `total` answers are not graded, and how the policy treats these answers.

    `share` is the weight of these answers among the run's questions, and `kinds` has the shares of all its answers.
    """
    if policy == "exclude":
        return note(
            UNGRADED_LEFT_OUT,
            "run {subject!r}: {count} of {total:n answer} {count:is/are} not graded and left out",
            run,
            count=count,
            total=total,
            share=share,
        )
    if policy == "incorrect":
        return note(
            UNGRADED_WRONG,
            "run {subject!r}: {count} of {total} answers {count:is/are} not graded and {count:counts/count} as "
            "incorrect",
            run,
            count=count,
            total=total,
            share=share,
            kinds=tuple(kinds),
        )
    return note(
        UNGRADED_BOUNDS,
        "run {subject!r}: {count} of {total:n answer} {count:is/are} not graded; one result counts {count:it/them} "
        "as wrong, and the other as right",
        run,
        count=count,
        total=total,
    )
