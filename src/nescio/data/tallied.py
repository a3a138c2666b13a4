"""Outcomes counted, before any policy is applied: what tallies of shards hold, and how they are added up.

A kind is what is known of one answer: its outcome, its declined candidate, and whether its question has an answer. Each
run has the number of its answers of each kind, and each pair of runs a table of the kinds on the questions that both
have. Nothing is kept of single questions but hashes of their names. Merging is addition of whole numbers in an order of
runs and kinds that is always the same, so that any partition into shards, merged in any order, gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.graded_sums import NOT_DRAWN, Drawn, added, sum_scores
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes
from nescio.data.tally_bins import bin_answers
from nescio.errors import MismatchError, opt
from nescio.stats import packed

SAMPLE = 1024  # hashes of questions that are kept where not all are
KIND = ("state", "candidate", "answerable")
ANSWERABLE = (-1, 0, 1)

Counts = NDArray[np.int64]


class OutcomeCounts(Struct, frozen=True, eq=False):
    """How often each kind of answer occurs in each run, and in each pair of runs on the questions of both.

    `kinds` has shape (K, 3), its columns are `KIND`; `counts` has shape (runs, K); `pairs`, of shape (pairs, K, K), is
    in the order of `itertools.combinations` of the runs, and None where it was not counted. `questions` says how many
    questions hold no answer, hold one, or do not say (`ANSWERABLE`). `sums` has what `GradedSums` holds of each graded
    score, made as `drawn` says, `bins` the right and the wrong answers by their confidence (`bin_answers`). `ids` are
    hashes of the questions' names, sorted: all of them with `all_ids`, else the least `SAMPLE`. `made` says how
    the shards were read, each way once, and `judges` who judged.
    """

    runs: tuple[str, ...]
    kinds: NDArray[np.int8]
    counts: Counts
    pairs: Counts | None
    questions: Counts
    sums: Mapping[str, Counts] = field(default_factory=dict)
    drawn: Drawn = NOT_DRAWN
    bins: Counts | None = None
    ids: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    all_ids: bool = False
    made: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many questions there are."""
        return int(self.questions.sum())

    def canonical(self) -> OutcomeCounts:
        """Return the same with the runs in the order of their names, and the kinds that occur in that of what they
        are."""
        runs = sorted(range(len(self.runs)), key=self.runs.__getitem__)
        used = np.flatnonzero(self.counts.any(axis=0))
        kinds = used[np.lexsort(self.kinds[used].T[::-1])]
        return self.placed(tuple(self.runs[i] for i in runs), self.kinds[kinds])

    def placed(self, runs: Sequence[str], kinds: NDArray[np.int8]) -> OutcomeCounts:
        """Return the same with these runs and kinds, which are all of its own and may be more: others count 0."""
        row = {run: i for i, run in enumerate(runs)}
        place = np.array([row[run] for run in self.runs], dtype=np.int64)
        of_kind = {tuple(kind): i for i, kind in enumerate(kinds.tolist())}
        own = np.flatnonzero(self.counts.any(axis=0))
        kind = np.array([of_kind[tuple(one)] for one in self.kinds[own].tolist()], dtype=np.int64)
        counts = np.zeros((len(runs), len(kinds)), dtype=np.int64)
        counts[np.ix_(place, kind)] = self.counts[:, own]
        pairs = None
        if self.pairs is not None:
            pairs = np.zeros((len(runs) * (len(runs) - 1) // 2, len(kinds), len(kinds)), dtype=np.int64)
            first, second = _every_pair(len(self.runs))
            x, y = place[first], place[second]
            turned = x > y
            tables = self.pairs[:, own][:, :, own]
            tables[turned] = tables[turned].swapaxes(1, 2)
            at = packed.pair_index(np.minimum(x, y), np.maximum(x, y), len(runs))
            pairs[at[:, None, None], kind[:, None], kind] = tables
        sums = {name: np.zeros((len(runs), self.drawn.width), dtype=np.int64) for name in sorted(self.sums)}
        for name, values in sums.items():
            values[place] = self.sums[name]
        bins = None
        if self.bins is not None:
            bins = np.zeros((len(runs), *self.bins.shape[1:]), dtype=np.int64)
            bins[place] = self.bins
        return replace(self, runs=tuple(runs), kinds=kinds, counts=counts, pairs=pairs, sums=sums, bins=bins)

    def digest(self) -> str:
        """Return a short hash of the counts, which does not depend on the order of runs."""
        own = self.canonical()
        state = hashlib.blake2b("\0".join(own.runs).encode(), digest_size=6)
        for array in (
            own.kinds,
            own.counts,
            own.questions,
            *own.sums.values(),
            *([] if own.bins is None else [own.bins]),
        ):
            state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()


def merged(shards: Iterable[OutcomeCounts]) -> OutcomeCounts:
    """Add up shards that share no question; of hashes that are not all kept, the `SAMPLE` least remain.

    Raises MismatchError where two shards have a question in common (if its hash is kept), or where some have pairs or a
    graded score and others have not.
    """
    return reduce(_add, (shard.canonical() for shard in shards))


def _add(one: OutcomeCounts, other: OutcomeCounts) -> OutcomeCounts:
    shared = np.intersect1d(one.ids, other.ids, assume_unique=True)
    if len(shared):
        raise MismatchError(
            f"the shards have questions in common ({len(shared):,} of those whose hashes are kept); each question "
            "must be in only one shard"
        )
    check_alike(one, other)
    runs = sorted({*one.runs, *other.runs})
    kinds = np.unique(np.concatenate([one.kinds, other.kinds]), axis=0)
    a, b = one.placed(runs, kinds), other.placed(runs, kinds)
    all_ids = a.all_ids and b.all_ids
    ids = np.sort(np.concatenate([a.ids, b.ids]))
    return OutcomeCounts(
        a.runs,
        kinds,
        a.counts + b.counts,
        None if a.pairs is None or b.pairs is None else a.pairs + b.pairs,
        a.questions + b.questions,
        {name: added(name, a.sums[name], b.sums[name]) for name in a.sums},
        a.drawn,
        None if a.bins is None or b.bins is None else a.bins + b.bins,
        ids if all_ids else ids[:SAMPLE],
        all_ids,
        tuple(sorted({*a.made, *b.made})),
        tuple(sorted({*a.judges, *b.judges})),
    )


def check_alike(one: OutcomeCounts, other: OutcomeCounts) -> None:
    """Raise MismatchError where one tally holds what the other does not, so that they have no sum."""
    if (one.pairs is None) != (other.pairs is None):
        raise MismatchError(
            "some shards have tables of pairs of runs and others do not; give nescio tally the same "
            f"{opt('pairs', True)} for all"
        )
    if (one.bins is None) != (other.bins is None):
        raise MismatchError(
            "some shards have bins of confidences and others do not; give nescio tally the same -m for all"
        )
    if one.sums.keys() != other.sums.keys():
        names = sorted(one.sums.keys() ^ other.sums.keys())
        raise MismatchError(
            f"some shards have sums of {', '.join(names)} and others do not; give nescio tally the same -m for all"
        )
    if one.drawn != other.drawn:
        raise MismatchError(
            f"some shards have graded scores with {one.drawn}, and others with {other.drawn}; give nescio tally "
            f"the same {opt('resamples')}, {opt('seed')} and {opt('pairs', True)} for all"
        )


def count_outcomes(
    outcomes: Outcomes,
    graded: Mapping[str, Array] | None = None,
    *,
    pairs: bool = True,
    drawn: Drawn | None = None,
    binned: bool = False,
) -> OutcomeCounts:
    """Count outcomes, and sum the graded scores of this shape, as they are or as `drawn` says; with `binned` count
    answers by their confidence too.

    Raises MismatchError for repeats and clusters, and for scores too large to be summed exactly.
    """
    for there, what in ((outcomes.repeats, "questions that were asked several times"), (outcomes.clusters, "clusters")):
        if there is not None:
            raise MismatchError(
                f"a tally counts questions one by one, but these have {what}; score the files themselves"
            )
    state = outcomes.state
    candidate = np.full(state.shape, -1, np.int8) if outcomes.candidate is None else outcomes.candidate
    answerable = np.full(state.shape[1], -1, np.int8) if outcomes.answerable is None else outcomes.answerable
    code = ((state.astype(np.int16) * 4 + candidate + 1) * 4 + answerable + 1).astype(np.int16)
    code[state == ABSENT] = -1
    values = np.unique(code[code >= 0]).astype(np.int16)
    kinds = np.stack([values // 16, values // 4 % 4 - 1, values % 4 - 1], axis=1).astype(np.int8)
    small = np.searchsorted(values, code).astype(np.int8)
    small[code < 0] = -1
    is_graded = (state != ABSENT) & (state != NOT_GRADED)
    scores = {name: np.where(is_graded, values, np.nan) for name, values in (graded or {}).items()}
    how = (drawn or NOT_DRAWN) if scores else NOT_DRAWN
    bits = packed.pack(small, np.arange(len(values), dtype=np.int8))
    return OutcomeCounts(
        outcomes.runs,
        kinds,
        packed.counts(bits),
        packed.pair_tables(bits, state.shape[1]) if pairs else None,
        np.array([int((answerable == value).sum()) for value in ANSWERABLE], dtype=np.int64),
        sum_scores(scores, outcomes.questions, how),
        how,
        bin_answers(outcomes) if binned else None,
        judges=tuple(sorted({str(judge) for judge in outcomes.judges if judge is not None})),
    )


def hashes(questions: Iterable[str]) -> NDArray[np.uint64]:
    """Hash the names of questions to 64 bits, sorted: the second half of MD5, as DuckDB's `md5_number_upper` gives
    it."""
    numbers = [
        int.from_bytes(hashlib.md5(name.encode(), usedforsecurity=False).digest()[:8], "little") for name in questions
    ]
    return np.sort(np.array(numbers, dtype=np.uint64))


def _every_pair(runs: int) -> tuple[Counts, Counts]:
    first, second = np.triu_indices(runs, 1)
    return first, second


def pairs_of(runs: int) -> list[tuple[int, int]]:
    """List all pairs, in the order of the tables."""
    return list(combinations(range(runs), 2))
