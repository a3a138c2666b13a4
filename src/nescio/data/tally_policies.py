"""Policies on counted outcomes: what `apply_policies` does to outcomes, done to their counts and tables of pairs."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.evidence import Tally
from nescio.data.graded_sums import Drawn
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, NOT_GRADED, SILENT, NonAnswers, Outcomes
from nescio.data.policies import (
    EXTREMES,
    Policies,
    apply_policies,
    both_ways,
    missing_note,
    unanswerable_note,
    ungraded_note,
)
from nescio.data.tallied import ANSWERABLE, OutcomeCounts, pairs_of
from nescio.errors import MismatchError, opt

Counts = NDArray[np.int64]


def apply_to_counts(counted: OutcomeCounts, policies: Policies, read: str = "") -> tuple[Tally, list[Note]]:
    """Apply the policies to counted outcomes, and say in notes what each of them touched.

    Raises MismatchError as `apply_policies` does, and for --missing common: counts do not say which questions all runs
    have.
    """
    notes: list[Note] = []
    counted = _settle_missing(counted, policies.missing, notes)
    counted = _settle_unanswerable(counted, policies.unanswerable, notes)
    counted, origins = _settle_ungraded(counted, policies.ungraded, notes)
    columns, graded = _columns(counted.kinds)
    counts = counted.counts[:, graded]
    pairs = None if counted.pairs is None else counted.pairs[:, graded][:, :, graded]
    return Tally(
        counted.runs, columns, counts, pairs, counted.size, read, origins, counted.sums, counted.drawn, counted.bins
    ), notes


def non_answers_of(counted: OutcomeCounts) -> tuple[NonAnswers, ...]:
    """Return the non-answers of each run by kind, before any policy is applied."""
    words = {SILENT: "silence", NOT_GRADED: "not graded", ABSENT: "missing"}
    graded = [counted.counts[:, counted.kinds[:, 0] == state].sum(axis=1) for state in (SILENT, NOT_GRADED)]
    size = counted.size
    of_states = np.stack([*graded, size - counted.counts.sum(axis=1)], axis=1)
    there, kinds = np.nonzero(of_states), list(words.values())
    return tuple(
        NonAnswers(counted.runs[run], kinds[kind], kinds[kind], n, size)
        for run, kind, n in zip(*(part.tolist() for part in there), of_states[there].tolist(), strict=True)
    )


def _columns(kinds: NDArray[np.int8]) -> tuple[dict[str, Counts], NDArray[np.bool_]]:
    """Return the integer columns that Evidence has for these kinds, and which of them are graded."""
    names = tuple(map(str, range(len(kinds))))
    state, candidate, answerable = kinds.T
    one_each = Outcomes(("",), names, state[None].copy(), candidate=candidate[None].copy(), answerable=answerable)
    evidence, _ = apply_policies(one_each, Policies(ungraded="exclude"))
    graded = evidence.present[0]
    return {n: v[0, graded] for n, v in evidence.columns.items() if v.dtype.kind in "iu"}, graded


def _settle_missing(counted: OutcomeCounts, policy: str, notes: list[Note]) -> OutcomeCounts:
    missing = counted.size - counted.counts.sum(axis=1)
    if not missing.any():
        return counted
    if policy == "error":
        run, others = int(np.flatnonzero(missing)[0]), int((missing > 0).sum()) - 1
        more = f"; {others} more run{'s lack' if others > 1 else ' lacks'} some" if others else ""
        raise MismatchError(
            f"run {counted.runs[run]!r} lacks {missing[run]} of {counted.size} questions{more}; use {opt('missing')}"
            " unanswered to count them as unanswered"
        )
    if policy == "common":
        raise MismatchError(
            f"these questions were counted without keeping which ones all runs have, as {opt('missing', 'common')} "
            "needs; use "
            f"{opt('missing', 'unanswered')}, or score the files themselves"
        )
    for run in np.flatnonzero(missing).tolist():
        notes.append(missing_note(counted.runs[run], int(missing[run]), counted.size))
    silent = np.array([(SILENT, -1, value) for value in ANSWERABLE], dtype=np.int8)
    kinds = np.unique(np.concatenate([counted.kinds, silent]), axis=0)
    wide = counted.placed(counted.runs, kinds)
    counts, pairs = wide.counts.copy(), None if wide.pairs is None else wide.pairs.copy()
    first, second = np.array(pairs_of(len(counted.runs)), dtype=np.int64).reshape(-1, 2).T
    for value, questions in zip(ANSWERABLE, counted.questions.tolist(), strict=True):
        own = np.flatnonzero(kinds[:, 2] == value)
        to = int(np.flatnonzero((kinds == (SILENT, -1, value)).all(axis=1))[0])
        if pairs is not None and wide.pairs is not None:
            # Of a kind for the one run and absent for the other: what the tables of both leave.
            rows = wide.counts[first][:, own] - wide.pairs[:, own][:, :, own].sum(axis=2)
            columns = wide.counts[second][:, own] - wide.pairs[:, own][:, :, own].sum(axis=1)
            both = questions - wide.pairs[:, own][:, :, own].sum(axis=(1, 2)) - rows.sum(axis=1) - columns.sum(axis=1)
            pairs[:, own, to] += rows
            pairs[:, to, own] += columns
            pairs[:, to, to] += both
        counts[:, to] += questions - wide.counts[:, own].sum(axis=1)
    return replace(wide, counts=counts, pairs=pairs)


def _settle_unanswerable(counted: OutcomeCounts, policy: str, notes: list[Note]) -> OutcomeCounts:
    count, total = int(counted.questions[ANSWERABLE.index(0)]), counted.size
    if not count:
        return counted
    if policy == "exclude" and count == total:
        raise MismatchError(f"every question is unanswerable, so {opt('unanswerable', 'exclude')} leaves none")
    notes.append(unanswerable_note(count, total, policy))
    if policy != "exclude":
        return counted
    kept = counted.kinds[:, 2] != 0
    questions = np.where(np.array(ANSWERABLE) == 0, 0, counted.questions)
    pairs = None if counted.pairs is None else counted.pairs[:, kept][:, :, kept]
    kinds, counts = counted.kinds[kept], counted.counts[:, kept]
    # Sums of graded scores and bins of confidences hold these questions too, and cannot be told apart from them.
    return replace(
        counted, kinds=kinds, counts=counts, pairs=pairs, questions=questions, sums={}, drawn=Drawn(), bins=None
    )


def _settle_ungraded(counted: OutcomeCounts, policy: str, notes: list[Note]) -> tuple[OutcomeCounts, dict[str, str]]:
    of_kind = counted.kinds[:, 0] == NOT_GRADED
    ungraded = counted.counts[:, of_kind].sum(axis=1)
    if not ungraded.any():
        return counted, {}
    if policy == "error":
        first, total = int(np.flatnonzero(ungraded)[0]), int(ungraded.sum())
        raise MismatchError(
            f"run {counted.runs[first]!r}: {total} answer{'s are' if total > 1 else ' is'} not graded; use "
            f"{opt('ungraded')} "
            f"exclude to leave them out, or {opt('ungraded', 'bounds')} to report both extremes"
        )
    for at in np.flatnonzero(ungraded):
        own = int(counted.counts[int(at)].sum())
        notes.append(ungraded_note(policy, counted.runs[int(at)], int(ungraded[int(at)]), own))
    return (counted, {}) if policy == "exclude" else _both_extremes(counted, ungraded)


def _both_extremes(counted: OutcomeCounts, ungraded: Counts) -> tuple[OutcomeCounts, dict[str, str]]:
    """Each run with ungraded answers twice: all of them wrong, and all of them right."""
    ways = []
    for state in EXTREMES:
        kinds = counted.kinds.copy()
        kinds[kinds[:, 0] == NOT_GRADED, 0] = state
        ways.append(kinds)
    kinds = np.unique(np.concatenate(ways), axis=0)
    place = {tuple(kind): i for i, kind in enumerate(kinds.tolist())}
    move = np.zeros((len(ways), len(counted.kinds), len(kinds)), dtype=np.int64)
    for matrix, own in zip(move, ways, strict=True):
        matrix[np.arange(len(own)), [place[tuple(kind)] for kind in own.tolist()]] = 1
    names, origins, of_runs = both_ways(counted.runs, ungraded)
    take, how = ([one[i] for one in of_runs] for i in (0, 1))
    counts = np.einsum("rk,rkl->rl", counted.counts[take], move[how])
    pairs = None
    if counted.pairs is not None:
        before = Tally(counted.runs, {}, counted.counts, counted.pairs)
        tables = [
            move[how[x]].T
            @ (np.diag(counted.counts[take[x]]) if take[x] == take[y] else before.table(take[x], take[y]))
            @ move[how[y]]
            for x, y in pairs_of(len(take))
        ]
        pairs = np.stack(tables) if tables else np.zeros((0, len(kinds), len(kinds)), dtype=np.int64)
    sums = {name: values[take] for name, values in counted.sums.items()}
    # Bins hold graded answers alone, and nobody knows how sure the others were.
    return replace(counted, runs=names, kinds=kinds, counts=counts, pairs=pairs, sums=sums, bins=None), origins
