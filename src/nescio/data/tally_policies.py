"""Policies on counted outcomes: what `apply_policies` does to outcomes, done to their counts and tables of pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nescio.data.evidence import Tally
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, NonAnswers, Outcomes
from nescio.data.policies import Policies, apply_policies, missing_note, unanswerable_note, ungraded_note
from nescio.data.tallied import ANSWERABLE, OutcomeCounts, pairs_of
from nescio.errors import MismatchError

Counts = NDArray[np.int64]


def apply_to_counts(found: OutcomeCounts, policies: Policies, read: str = "") -> tuple[Tally, list[Note]]:
    """Apply the policies to counted outcomes, and say in notes what each of them touched.

    Raises MismatchError as `apply_policies` does, and for --missing common: counts do not say which questions all runs
    have.
    """
    notes: list[Note] = []
    found = _settle_missing(found, policies.missing, notes)
    found = _settle_unanswerable(found, policies.unanswerable, notes)
    found, origins = _settle_ungraded(found, policies.ungraded, notes)
    columns, graded = _columns(found.kinds)
    counts = found.counts[:, graded]
    pairs = None if found.pairs is None else found.pairs[:, graded][:, :, graded]
    return Tally(found.runs, columns, counts, pairs, found.size, read, origins, found.sums), notes


def non_answers_of(found: OutcomeCounts) -> tuple[NonAnswers, ...]:
    """Return the non-answers of each run by kind, before any policy is applied."""
    words = {SILENT: "silence", NOT_GRADED: "not graded", ABSENT: "missing"}
    graded = [found.counts[:, found.kinds[:, 0] == state].sum(axis=1) for state in (SILENT, NOT_GRADED)]
    size = found.size
    of_states = np.stack([*graded, size - found.counts.sum(axis=1)], axis=1)
    there, kinds = np.nonzero(of_states), list(words.values())
    return tuple(
        NonAnswers(found.runs[run], kinds[kind], kinds[kind], n, size)
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


def _settle_missing(found: OutcomeCounts, policy: str, notes: list[Note]) -> OutcomeCounts:
    missing = found.size - found.counts.sum(axis=1)
    if not missing.any():
        return found
    if policy == "error":
        run, others = int(np.flatnonzero(missing)[0]), int((missing > 0).sum()) - 1
        more = f"; {others} more run{'s lack' if others > 1 else ' lacks'} some" if others else ""
        raise MismatchError(
            f"run {found.runs[run]!r} lacks {missing[run]} of {found.size} questions{more}; use --missing unanswered "
            "to count them as unanswered"
        )
    if policy == "common":
        raise MismatchError(
            "these questions were counted without keeping which ones all runs have, as --missing common needs; use "
            "--missing unanswered, or score the files themselves"
        )
    for run in np.flatnonzero(missing).tolist():
        notes.append(missing_note(found.runs[run], int(missing[run]), found.size))
    silent = np.array([(SILENT, -1, value) for value in ANSWERABLE], dtype=np.int8)
    kinds = np.unique(np.concatenate([found.kinds, silent]), axis=0)
    wide = found.placed(found.runs, kinds)
    counts, pairs = wide.counts.copy(), None if wide.pairs is None else wide.pairs.copy()
    first, second = np.array(pairs_of(len(found.runs)), dtype=np.int64).reshape(-1, 2).T
    for value, questions in zip(ANSWERABLE, found.questions.tolist(), strict=True):
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


def _settle_unanswerable(found: OutcomeCounts, policy: str, notes: list[Note]) -> OutcomeCounts:
    count, total = int(found.questions[ANSWERABLE.index(0)]), found.size
    if not count:
        return found
    if policy == "exclude" and count == total:
        raise MismatchError("every question is unanswerable, so --unanswerable exclude leaves none")
    notes.append(unanswerable_note(count, total, policy))
    if policy != "exclude":
        return found
    kept = found.kinds[:, 2] != 0
    questions = np.where(np.array(ANSWERABLE) == 0, 0, found.questions)
    pairs = None if found.pairs is None else found.pairs[:, kept][:, :, kept]
    return replace(found, kinds=found.kinds[kept], counts=found.counts[:, kept], pairs=pairs, questions=questions)


def _settle_ungraded(found: OutcomeCounts, policy: str, notes: list[Note]) -> tuple[OutcomeCounts, dict[str, str]]:
    of_kind = found.kinds[:, 0] == NOT_GRADED
    ungraded = found.counts[:, of_kind].sum(axis=1)
    if not ungraded.any():
        return found, {}
    if policy == "error":
        first, total = int(np.flatnonzero(ungraded)[0]), int(ungraded.sum())
        raise MismatchError(
            f"run {found.runs[first]!r}: {total} answer{'s are' if total > 1 else ' is'} not graded; use --ungraded "
            "exclude to leave them out, or --ungraded bounds to report both extremes"
        )
    for at in np.flatnonzero(ungraded):
        own = int(found.counts[int(at)].sum())
        notes.append(ungraded_note(policy, found.runs[int(at)], int(ungraded[int(at)]), own))
    return (found, {}) if policy == "exclude" else _both_extremes(found, ungraded)


def _both_extremes(found: OutcomeCounts, ungraded: Counts) -> tuple[OutcomeCounts, dict[str, str]]:
    """Each run with ungraded answers twice: all of them wrong, and all of them right."""
    ways = []
    for state in (NOT_GRADED, INCORRECT, CORRECT):
        kinds = found.kinds.copy()
        kinds[kinds[:, 0] == NOT_GRADED, 0] = state
        ways.append(kinds)
    kinds = np.unique(np.concatenate(ways), axis=0)
    place = {tuple(kind): i for i, kind in enumerate(kinds.tolist())}
    move = np.zeros((len(ways), len(found.kinds), len(kinds)), dtype=np.int64)
    for matrix, own in zip(move, ways, strict=True):
        matrix[np.arange(len(own)), [place[tuple(kind)] for kind in own.tolist()]] = 1
    take, how, names = [], [], []
    origins: dict[str, str] = {}
    for run, name in enumerate(found.runs):
        touched = bool(ungraded[run])
        for way, suffix in ((1, " [ungraded wrong]"), (2, " [ungraded right]")) if touched else ((0, ""),):
            take.append(run)
            how.append(way)
            names.append(name + suffix)
            if touched:
                origins[name + suffix] = name
    counts = np.einsum("rk,rkl->rl", found.counts[take], move[how])
    pairs = None
    if found.pairs is not None:
        before = Tally(found.runs, {}, found.counts, found.pairs)
        tables = [
            move[how[x]].T
            @ (np.diag(found.counts[take[x]]) if take[x] == take[y] else before.table(take[x], take[y]))
            @ move[how[y]]
            for x, y in pairs_of(len(take))
        ]
        pairs = np.stack(tables) if tables else np.zeros((0, len(kinds), len(kinds)), dtype=np.int64)
    sums = {name: values[take] for name, values in found.sums.items()}
    return replace(found, runs=tuple(names), kinds=kinds, counts=counts, pairs=pairs, sums=sums), origins
