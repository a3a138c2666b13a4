"""Apply the user's policies to outcomes: for missing, ungraded and unanswerable questions, and missing confidences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.evidence import EMPTY_CELL, NO_ROW, PRESENT, UNGRADED, Evidence
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes, with_scores_as_grades
from nescio.data.policy_notes import (
    FEWER_REPEATS,
    NO_VERDICT,
    OTHER_STAKES,
    PERHAPS_DECLINED,
    REPEATS_SILENT,
    RUNS_FEWER_REPEATS,
    UNEQUAL_REPEATS,
    common_note,
    missing_note,
    own_questions_note,
    unanswerable_note,
    ungraded_note,
)
from nescio.data.repeats import REPEAT
from nescio.data.stake_labels import penalties
from nescio.errors import MismatchError, opt
from nescio.text import plural

Missing = Literal["error", "unanswered", "common", "own"]  # the policy for a question that a run lacks
Ungraded = Literal["error", "exclude", "incorrect", "bounds"]  # the policy for an answer without a grade
Unanswerable = Literal["correct", "exclude"]  # the policy for a question without an answer
MissingConfidence = Literal["error", "exclude"]  # the policy for an answer without a confidence, in a run that has some


class Policies(Struct, frozen=True):
    """The policies for a missing row, an ungraded answer, a question without an answer, and a missing confidence.

    The policy for a missing confidence applies only to runs that have confidences for some answers.
    """

    missing: Missing = "error"
    ungraded: Ungraded = "error"
    unanswerable: Unanswerable = "correct"
    missing_confidence: MissingConfidence = "error"


def apply_policies(outcomes: Outcomes, policies: Policies, read: Sequence[Note] = ()) -> tuple[Evidence, list[Note]]:
    """Return Evidence after the policies, and notes on what each policy changed; `read` has the notes of the reader."""
    notes: list[Note] = []
    outcomes = with_scores_as_grades(outcomes)
    outcomes = _settle_unanswerable(_settle_missing(outcomes, policies.missing, notes), policies.unanswerable, notes)
    outcomes = _settle_ungraded(outcomes, policies.ungraded, notes, read)
    absence = np.full(outcomes.state.shape, PRESENT, dtype=np.uint8)
    absence[outcomes.state == ABSENT] = NO_ROW
    absence[outcomes.state == NOT_GRADED] = UNGRADED
    if outcomes.repeats is not None:
        notes += _repeats_notes(outcomes)
    columns = outcomes.extra_columns if outcomes.scores_only else _columns(outcomes)
    return evidence_of(outcomes, columns, absence), notes


def scores_of(outcomes: Outcomes) -> Evidence:
    """Return the graded scores of outcomes as Evidence, in which the cell of an answer without a score is empty."""
    held = np.where(outcomes.scored, PRESENT, EMPTY_CELL)
    absence = np.where(outcomes.state == ABSENT, NO_ROW, held).astype(np.uint8)
    return evidence_of(outcomes, outcomes.extra_columns, absence)


def evidence_of(outcomes: Outcomes, columns: Mapping[str, Array], absence: Array) -> Evidence:
    """Return Evidence with these columns for the runs and the questions of `outcomes`.

    If questions were asked several times, the answers to a question form a cluster, and a stratum holds their labels.
    """
    clusters = None if outcomes.clusters is None else np.unique(outcomes.clusters, return_inverse=True)[1]
    strata = dict(outcomes.strata)
    if outcomes.repeats is not None:
        clusters = outcomes.repeats.question if clusters is None else clusters
        strata[REPEAT] = outcomes.repeats.label
    return Evidence(
        outcomes.runs,
        outcomes.questions,
        columns,
        absence,
        strata=strata,
        clusters=clusters,
        origins=outcomes.origins,
        repeats=outcomes.repeats,
    )


def _columns(outcomes: Outcomes) -> dict[str, Array]:
    state = outcomes.state
    unanswerable = (
        np.zeros(len(outcomes.questions), dtype=bool) if outcomes.answerable is None else outcomes.answerable == 0
    )
    answered = ((state == CORRECT) & ~unanswerable) | (state == INCORRECT)
    columns: dict[str, Array] = {
        "correct": (state == CORRECT) | ((state == SILENT) & unanswerable),
        "incorrect": state == INCORRECT,
        "unanswered": (state == SILENT) & ~unanswerable,
        "answered": answered,
    }
    if outcomes.candidate is not None and (outcomes.candidate >= 0).any():
        declined = (outcomes.candidate >= 0) & ((state == SILENT) | ((state == CORRECT) & unanswerable))
        columns["candidate_correct"] = declined & (outcomes.candidate == 1) & ~unanswerable
        columns["candidate_incorrect"] = declined & ~columns["candidate_correct"]
    columns = {name: column.view(np.int8) for name, column in columns.items()}
    if outcomes.answerable is not None and (outcomes.answerable >= 0).any():
        known = np.broadcast_to(outcomes.answerable, state.shape)
        whole = bool((known >= 0).all())
        columns["answerable"] = known.astype(np.int8) if whole else np.where(known < 0, np.nan, known).astype(float)
    if outcomes.confidence is not None and not np.isnan(outcomes.confidence).all():
        columns["confidence"] = outcomes.confidence
    if outcomes.first_right is not None:
        columns["first_right"] = outcomes.first_right
    return columns | dict(outcomes.extra_columns)


def _settle_missing(outcomes: Outcomes, policy: str, notes: list[Note]) -> Outcomes:
    rows = outcomes.lacking
    if policy == "unanswered" and outcomes.repeats is not None:
        outcomes = _with_repeats(outcomes, notes)
    if not rows.any():
        return outcomes
    lacking = rows if outcomes.repeats is None else outcomes.repeats.counts(rows) > 0
    total = lacking.shape[1]
    common = ~lacking.any(axis=0)
    alone = of_one_run(lacking)
    lacked = [(run, int(missing.sum())) for run, missing in zip(outcomes.runs, lacking, strict=True) if missing.any()]
    if policy == "own" or (policy == "error" and alone):
        notes.append(own_questions_note(len(outcomes.runs), asked=policy == "own", lacking=() if alone else lacked))
        return outcomes
    if policy == "common" and alone:
        raise MismatchError(
            f"{'the two' if len(lacking) == 2 else 'no two'} runs share {'no' if len(lacking) == 2 else 'a'} "
            f"question; use {opt('missing', 'own')} to score each run on its own questions, and to compare runs "
            "without pairing questions"
        )
    if policy == "error":
        run = int(np.flatnonzero(lacking.any(axis=1))[0])
        first = int(np.flatnonzero(rows[run])[0])
        others = int(lacking.any(axis=1).sum()) - 1
        more = f"; {others} more run{'s lack' if others > 1 else ' lacks'} questions" if others else ""
        origin = f"{outcomes.files[run]}: " if outcomes.files else ""
        shared = int(common.sum())
        keep = f"{opt('missing', 'common')} to keep only the {plural(shared, 'question')} that all runs have (no gate "
        keep += "then passes a run that lacks questions), "
        raise MismatchError(
            f"{origin}run {outcomes.runs[run]!r} lacks {lacking[run].sum()} of {plural(total, 'question')} (first: "
            f"{outcomes.questions[first]!r}){more}; use {keep if shared else ''}{opt('missing', 'own')} to score "
            f"each run on its own questions, or {opt('missing', 'unanswered')} if the runs were asked the missing "
            "questions and gave no answer"
        )
    if policy == "unanswered":
        for run in map(int, np.flatnonzero(lacking.any(axis=1))):
            notes.append(missing_note(outcomes.runs[run], int(lacking[run].sum()), total))
        return replace(outcomes, state=np.where(rows, SILENT, outcomes.state).astype(np.int8))
    if not common.any():
        raise MismatchError("the runs have no question in common")
    notes.append(common_note(int(common.sum()), total, lacked))
    return outcomes.select(np.asarray(~rows.any(axis=0)))


def _with_repeats(outcomes: Outcomes, notes: list[Note]) -> Outcomes:
    """Return outcomes with unanswered rows where a run answered a question less often than another run did.

    A question that the run did not answer at all is unchanged. A note for each such run is added to `notes`.
    """
    assert outcomes.repeats is not None
    state, question = outcomes.state.copy(), outcomes.repeats.question
    counts = outcomes.repeats.counts(state != ABSENT)
    wanted = np.where(counts > 0, counts.max(axis=0) - counts, 0)
    for run in map(int, np.flatnonzero(wanted.any(axis=1))):
        absent = np.flatnonzero((state[run] == ABSENT) & (wanted[run] > 0)[question])
        order = absent[np.argsort(question[absent], kind="stable")]
        place = np.arange(len(order)) - np.searchsorted(question[order], question[order])
        state[run, order[place < wanted[run][question[order]]]] = SILENT
        notes.append(
            note(
                REPEATS_SILENT,
                "run {subject!r}: another run has {answers:n more answer} to the same questions; nescio "
                "counts {answers:it/them} as unanswered for this run",
                outcomes.runs[run],
                answers=int(wanted[run].sum()),
                share=float((wanted[run] / np.maximum(1, counts.max(axis=0))).mean()),
            )
        )
    return replace(outcomes, state=state)


def of_one_run(lacking: NDArray[np.bool_]) -> bool:
    """Return whether no two runs share a question; `lacking` is a mask of the questions that a run lacks."""
    return len(lacking) > 1 and bool(((~lacking).sum(axis=0) <= 1).all())


def _repeats_notes(outcomes: Outcomes) -> list[Note]:
    """Return notes on how often questions were asked, and on runs that gave fewer answers to some questions."""
    assert outcomes.repeats is not None
    present = outcomes.state != ABSENT
    counts = outcomes.repeats.counts(present)
    notes = [
        note(
            "outcomes.repeats",
            "questions were asked {times} times: each question counts once, and its answers share the weight equally",
            times=outcomes.repeats.span(present).replace("-", " to "),
        )
    ]
    notes += _unequal_repeats(outcomes, present, counts)
    notes += _other_stakes(outcomes, present)
    alike: dict[tuple[int, int, int], list[str]] = {}
    for run, times in zip(outcomes.runs, counts, strict=True):
        most = int(times.max(initial=0))
        fewer = int(((times > 0) & (times < most)).sum())
        if fewer:
            alike.setdefault((fewer, int((times > 0).sum()), most), []).append(run)
    for (fewer, total, most), runs in alike.items():
        unlike = _not_asked_alike(outcomes.runs, counts, runs)
        if len(runs) > 1:
            notes.append(
                note(
                    RUNS_FEWER_REPEATS,
                    "each of {runs:n run}: {fewer} of {total:n question} {fewer:has/have} fewer than {most} answers",
                    runs=len(runs),
                    names=runs,
                    fewer=fewer,
                    total=total,
                    most=most,
                    unlike=unlike,
                )
            )
            continue
        notes.append(
            note(
                FEWER_REPEATS,
                "run {subject!r}: {fewer} of {total:n question} {fewer:has/have} fewer than {most} answers",
                runs[0],
                fewer=fewer,
                total=total,
                most=most,
                unlike=unlike,
            )
        )
    return notes


def _not_asked_alike(names: Sequence[str], counts: NDArray[np.int64], runs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a run in `runs` and another run that were asked a shared question a different number of
    times.

    `counts` has the number of answers of each run in `names` to each question.
    """
    pairs = []
    for run in runs:
        times = counts[names.index(run)]
        both = (counts > 0) & (times > 0)
        differ = (both & (counts != times)).any(axis=1)
        pairs += [(run, names[other]) for other in np.flatnonzero(differ).tolist()]
    return pairs


def _unequal_repeats(outcomes: Outcomes, present: NDArray[np.bool_], counts: NDArray[np.int64]) -> list[Note]:
    """Return a note on runs that have fewer answers to a question than another run has; empty if there are none.

    At stakes, a run is named only if it lacks answers at a stake at which it was asked some question.
    """
    assert outcomes.repeats is not None
    fewer = counts < counts.max(axis=0)
    if outcomes.repeats.single:
        labels = outcomes.repeats.label.astype(str)  # A run may lack stakes at which it was never asked.
        asked = np.stack([np.isin(labels, np.unique(labels[row])) for row in present])
        fewer = outcomes.repeats.counts(present.any(axis=0) & ~present & asked) > 0
    many = (fewer & (counts > 0)).sum(axis=1)
    runs = [run for run, count in zip(outcomes.runs, many, strict=True) if count]
    if not runs:
        return []
    most = dict(zip(outcomes.runs, counts.max(axis=1).tolist(), strict=True))
    return [
        note(
            UNEQUAL_REPEATS,
            "{names:and 3} {many:has/have} fewer answers to some questions (up to {questions:,}) than another run has",
            names=[repr(run) for run in runs],
            many=len(runs),
            questions=int(many.max()),
            runs=runs,
            outdone=[(run, other) for run in runs for other, times in most.items() if times > most[run]],
        )
    ]


def _other_stakes(outcomes: Outcomes, present: NDArray[np.bool_]) -> list[Note]:
    """Return a note on the runs that were asked at different stakes; empty if there are none."""
    assert outcomes.repeats is not None
    if not outcomes.repeats.single:
        return []
    labels, number = np.unique(outcomes.repeats.label.astype(str), return_inverse=True)
    prices = penalties(labels) or {}
    asked = {  # of each run, the stakes as its labels state them, keyed by the penalty
        run: {prices[label]: label.partition("=")[2] for label in labels[np.unique(number[row])]}
        for run, row in zip(outcomes.runs, present, strict=True)
    }
    pairs = [(run, other) for run, other in combinations(asked, 2) if asked[run].keys() != asked[other].keys()]
    if not pairs:
        return []
    (run, other), stakes = (
        pairs[0],
        {name: [by_price[price] for price in sorted(by_price)] for name, by_price in asked.items()},
    )
    return [
        note(
            OTHER_STAKES,
            "runs were asked at different stakes: {run!r} at {own:and 9}, and {other!r} at {others:and 9}",
            run=run,
            own=stakes[run],
            other=other,
            others=stakes[other],
            pairs=tuple(pairs),
        )
    ]


def _settle_unanswerable(outcomes: Outcomes, policy: str, notes: list[Note]) -> Outcomes:
    if outcomes.answerable is None or not (outcomes.answerable == 0).any():
        return outcomes
    unanswerable = outcomes.answerable == 0
    unanswerable_questions = (
        unanswerable if outcomes.repeats is None else outcomes.repeats.counts(unanswerable[None])[0] > 0
    )
    count, total = int(unanswerable_questions.sum()), len(unanswerable_questions)
    notes.append(unanswerable_note(count, total, policy))
    if policy != "exclude":
        return outcomes
    if unanswerable.all():
        raise MismatchError(f"every question is unanswerable, so {opt('unanswerable', 'exclude')} leaves none")
    return outcomes.select(~unanswerable)


def _settle_ungraded(outcomes: Outcomes, policy: str, notes: list[Note], read: Sequence[Note]) -> Outcomes:
    ungraded = outcomes.state == NOT_GRADED
    if not ungraded.any():
        return outcomes
    if policy == "error":
        silence, tables = opt("outcome_map", {"": "unanswered"}), any(remark.code == NO_VERDICT for remark in read)
        run, question = (int(i[0]) for i in np.nonzero(ungraded))
        total = int(ungraded.sum())
        hint = next((f"{remark.text}; else " for remark in read if remark.code == PERHAPS_DECLINED), "")
        raise MismatchError(
            f"{outcomes.where(run, question)}: the answer is not graded ({total} such "
            f"answer{'s' if total > 1 else ''} in all); {hint}use {opt('ungraded', 'exclude')} to leave ungraded "
            f"answers out, {opt('ungraded', 'incorrect')} to count them as wrong, or {opt('ungraded', 'bounds')} to "
            f"report both extremes{f'; if an empty verdict means an abstention, use {silence}' if tables else ''}"
        )
    for run in map(int, np.flatnonzero(ungraded.any(axis=1))):
        total = int((outcomes.state[run] != ABSENT).sum())
        count, share = int(ungraded[run].sum()), _share_of_questions(outcomes, ungraded, run)
        notes.append(ungraded_note(policy, outcomes.runs[run], count, total, share, kinds=_kinds(outcomes, run)))
    if policy == "bounds" and "k_credit" in outcomes.extra_columns:
        notes.append(
            note("outcomes.k_without_bounds", "K has no bounds for ungraded answers: it uses only the graded answers")
        )
    if policy == "incorrect":
        return replace(outcomes, state=np.where(ungraded, INCORRECT, outcomes.state).astype(outcomes.state.dtype))
    return outcomes if policy == "exclude" else _both_extremes(outcomes, ungraded)


def _share_of_questions(outcomes: Outcomes, ungraded: NDArray[np.bool_], run: int) -> float:
    """Return the weight of a run's ungraded answers as a share of its questions, or of the questions shared with
    another run.

    The largest of these shares is returned, since a difference of two runs uses only shared questions. Answers to one
    question share the weight of this question equally.
    """
    present = outcomes.state != ABSENT
    if outcomes.repeats is None:
        asked, weight = present, float(ungraded[run].sum())
    else:
        counts = outcomes.repeats.counts(present)
        asked = counts > 0
        weight = float((outcomes.repeats.counts(ungraded[run][None])[0] / np.maximum(1, counts[run])).sum())
    shared = (asked & asked[run]).sum(axis=1)
    return min(1.0, weight / int(shared[shared > 0].min()))


def _kinds(outcomes: Outcomes, run: int) -> tuple[float, ...]:
    """Return the shares of a run's answers that are right, wrong (or ungraded), declined, and rightly declined."""
    state, unanswerable = outcomes.state[run], outcomes.answerable == 0 if outcomes.answerable is not None else False
    silent = state == SILENT
    kinds = np.array(
        [state == CORRECT, np.isin(state, (INCORRECT, NOT_GRADED)), silent & ~unanswerable, silent & unanswerable]
    )
    if outcomes.repeats is not None:
        weight = 1 / np.maximum(1, outcomes.repeats.counts((state != ABSENT)[None])[0])
        kinds = kinds * weight[outcomes.repeats.question]
    return tuple((kinds.sum(axis=1) / kinds.sum()).tolist())


def _both_extremes(outcomes: Outcomes, ungraded: Array) -> Outcomes:
    """Return outcomes with two copies of each run that has ungraded answers: all of these are wrong, or all right."""
    names, origins, ways = both_ways(outcomes.runs, np.asarray(ungraded.any(axis=1)))
    taken = outcomes.take_runs([run for run, _ in ways])
    states = [np.where(ungraded[run], EXTREMES[way], outcomes.state[run]) for run, way in ways]
    settled, first = np.array(states, dtype=np.int8), taken.first_right
    return replace(
        taken,
        runs=names,
        origins=origins,
        state=settled,
        first_right=None
        if first is None
        else np.where(ungraded[[run for run, _ in ways]] & (settled == CORRECT), 1, first),
    )


EXTREMES = (NOT_GRADED, INCORRECT, CORRECT)  # the states that ungraded answers get


def both_ways(runs: Sequence[str], ungraded: Array) -> tuple[tuple[str, ...], dict[str, str], list[tuple[int, int]]]:
    """Return the names of the runs, where each run with ungraded answers becomes two: "… wrong]" and "… right]".

    In the first of the two, all ungraded answers count as wrong, in the second as right. Also returned are the original
    name of each such run, and for each name the index of the run and its index in `EXTREMES`.
    """
    ways = [(run, way) for run in range(len(runs)) for way in ((1, 2) if ungraded[run] else (0,))]
    names = tuple(runs[run] + ("", " [ungraded wrong]", " [ungraded right]")[way] for run, way in ways)
    return names, {name: runs[run] for name, (run, way) in zip(names, ways, strict=True) if way}, ways
