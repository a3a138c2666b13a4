"""Represent a system's behaviours on a question as kinds, and a measure as a function of the counts of kinds.

A kind says what the system did with a question, its confidence, and the question's properties. `columns` converts kinds
to the columns of `nescio.data.evidence`. If a system abstains in place of an answer, nobody judges its candidate. The
question is then unanswered, and its confidence is undefined. Its first right rank and its credit for K are 0. Tasks
define the effect on their columns (`simulate`). On a question without an answer, an abstention is right, by the
rule of the outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from inspect import Parameter

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import REGISTRY, Array, bare, known, resolve
from nescio.data.evidence import Evidence
from nescio.data.patterns import Patterns, compress, compress_ordered, distinct
from nescio.errors import MissingColumnError
from nescio.measures import Measure
from nescio.scoring.samples import columns_for

# Behaviours of a system. SECOND: its first answer is wrong and its second right. HELD: it abstained, and its candidate
# was judged.
RIGHT, WRONG, SECOND, SILENT, HELD_RIGHT, HELD_WRONG = range(6)
BEHAVIOURS = ("right", "wrong", "wrong then right", "silent", "declined right", "declined wrong")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Kinds(Struct, frozen=True, eq=False):
    """Kinds of question: what a system does with a question, and what the question is like.

    The four arrays have the same shape.

    `behaviour` is what the system does, such as `RIGHT` or `SILENT`. `sure` is its confidence, NaN without an answer or
    candidate. For tasks with two classes, such as yes and no, `side` says which one is true.
    """

    behaviour: Ints
    sure: Floats
    side: Bools
    answerable: Bools

    @property
    def answered(self) -> Bools:
        """Return a mask of the kinds with an answer."""
        gave_answer: Bools = self.behaviour <= SECOND
        return gave_answer

    @property
    def right(self) -> Bools:
        """Return a mask of the correct outcomes: right answers, and abstentions on questions without an answer."""
        return np.where(self.answerable, self.behaviour == RIGHT, ~self.answered)

    @property
    def wrong(self) -> Bools:
        """Return a mask of the incorrect outcomes."""
        return self.answered & ~self.right

    def take(self, chosen: Ints) -> Kinds:
        """Return the kinds with the indices `chosen`."""
        return Kinds(self.behaviour[chosen], self.sure[chosen], self.side[chosen], self.answerable[chosen])


def columns(kinds: Kinds) -> dict[str, Array]:
    """Return all columns that `nescio.data.evidence` stores, by name, for these kinds; they have the shape of `kinds`.

    If a system gives two answers, the second has half the confidence of the first.
    """
    did, sure, answered = kinds.behaviour, kinds.sure, kinds.answered
    second = (did == SECOND) & kinds.answerable
    whole = {
        "correct": kinds.right,
        "incorrect": kinds.wrong,
        "unanswered": ~answered & kinds.answerable,
        "answered": answered,
        "candidate_correct": did == HELD_RIGHT,
        "candidate_incorrect": did == HELD_WRONG,
        "answerable": kinds.answerable,
        "first_right": np.where(second, 2, kinds.right),
    }
    stored: dict[str, Array] = {name: column.astype(np.int8) for name, column in whole.items()}
    credit = np.where(second, (sure / 2 - sure) / 2, sure * np.where(kinds.right, 1.0, -1.0))
    return stored | {
        "confidence": sure,
        "k_credit": np.where(answered, credit, 0.0),
        **{name: column.simulate(kinds) for name, column in REGISTRY.items() if column.simulate},
    }


def evidence(runs: Sequence[str], kinds: Kinds) -> Evidence:
    """Return these runs as Evidence. `kinds` has the kind of each question for each run, shape (runs, questions)."""
    questions = tuple(f"q{i}" for i in range(kinds.behaviour.shape[1]))
    return Evidence(tuple(runs), questions, columns(kinds), np.zeros(kinds.behaviour.shape, dtype=np.uint8))


def lacking(measure: Measure) -> list[str]:
    """Return the names of the required parameters, or else of the columns, that a measure needs but an audit lacks.

    A column is lacking if the outcomes and confidences of the questions do not determine it.
    """
    needed = [name for name, default in measure.declaration.parameters.items() if default is Parameter.empty]
    if needed and not measure.parameters:
        return needed
    stock = _stock((0.5,), unanswerable=False)[1]
    return [bare(name) for name in (resolve(read, stock.columns) for read in measure.reads) if not _has(stock, name)]


def _has(stock: Evidence, name: str) -> bool:
    if name in stock.columns:
        return True
    try:
        return known(name).derive is not None and stock.column(name) is not None
    except MissingColumnError:
        return False


@lru_cache
def _stock(levels: tuple[float, ...], *, unanswerable: bool) -> tuple[Kinds, Evidence, Ints]:
    """Return every kind of question, the simple ones first, as `Kinds` and as the `Evidence` of one run.

    `levels` are the possible confidences. If `unanswerable`, some kinds have no answer. The third result is, for each
    kind, the index of the kind that it becomes if the system abstains.
    """
    rows = [
        (did, level if did != SILENT else np.nan, side, answerable)
        for level in levels
        for side in (True, False)
        for answerable in ((True, False) if unanswerable else (True,))
        for did in (
            (RIGHT, WRONG, SECOND, SILENT, HELD_RIGHT, HELD_WRONG) if answerable else (WRONG, SILENT, HELD_WRONG)
        )
        if did != SILENT or level == levels[0]
    ]
    did, sure, side, answerable = (np.array(values) for values in zip(*rows, strict=True))
    place = {(row[2], row[3]): i for i, row in enumerate(rows) if row[0] == SILENT}
    kinds = Kinds(did, sure, side, answerable)
    alone = Kinds(did[None], sure[None], side[None], answerable[None])
    return kinds, evidence(("all kinds",), alone), np.array([place[row[2], row[3]] for row in rows])


class View(Struct, frozen=True, eq=False):
    """A measure as a function of tables of counts, with the kinds of question that the measure distinguishes.

    A table has the number of questions of each kind; tables have shape (tables, kinds). `silence` is the index of the
    kind that each kind becomes if the system abstains. `shown` is the number that describes a kind, such as a
    confidence (NaN if it has no effect). If `plain`, the counts of outcomes describe every table. `sides` are the words
    for the two classes.
    """

    measure: Measure
    kinds: Kinds
    silence: Ints
    shown: Floats
    plain: bool
    patterns: Patterns | None
    usable: Ints
    sides: tuple[str, str]

    def value(self, tables: Ints) -> Floats:
        """Return the measure on each table, NaN where it is undefined (for example, if no question can be used)."""
        used = tables[:, self.usable]
        if self.patterns is None or not len(used):
            return np.full(len(tables), np.nan)
        return np.where(used.sum(axis=1) > 0, self.measure.value(self.patterns, used), np.nan)

    def describe(self, table: Ints) -> str:
        """Return a table as text, such as "C=2 W=1 U=0".

        The kinds follow in parentheses if the measure reads more than outcomes.
        """
        kinds = self.kinds
        right = int(table[kinds.answered & kinds.right].sum())
        silent = int(table[~kinds.answered].sum())
        text = f"C={right} W={int(table.sum()) - right - silent} U={silent}"
        if self.plain:
            return text
        parts = []
        for i in np.flatnonzero(table):
            more = [f"{self.shown[i]:.4g}"] if not np.isnan(self.shown[i]) else []
            more += [] if kinds.side.all() else [self.sides[int(kinds.side[i])]]
            more += [] if kinds.answerable[i] else ["unanswerable"]
            parts.append(" ".join([BEHAVIOURS[kinds.behaviour[i]], *more, *([f"×{table[i]}"] if table[i] > 1 else [])]))
        return f"{text} ({', '.join(parts)})"


def view(measure: Measure, levels: tuple[float, ...]) -> View:
    """Return a measure as a function of tables of counts, which have the number of questions of each kind.

    `levels` are the possible confidences. Kinds without an answer are included only if the measure reads `answerable`.
    """
    kinds, stock, silence = _stock(levels, unanswerable="answerable" in measure.reads)
    measure, read, usable = columns_for(stock, measure)
    cells = np.stack(
        [*(np.asarray(values[0], dtype=float) for values in read.values()), kinds.right, kinds.answered], 1
    )
    _, code = distinct(np.concatenate([np.nan_to_num(cells, neginf=-1e300), np.isnan(cells)], axis=1))
    first = np.unique(code, return_index=True)[1]
    kept = np.sort(first)
    place = np.searchsorted(kept, first[code])  # the kept kind that represents each kind
    kept_kinds = kinds.take(kept)
    declared = [known(name) for name in measure.reads]
    number = kept_kinds.sure
    for column in declared:
        if column.simulate and column.dtype == "score":
            number = np.where(kept_kinds.answered, stock.columns[column.name][0][kept], np.nan)
    sides = next((column.labels for column in declared if column.labels), ("0", "1"))
    if len(np.unique(number[~np.isnan(number)])) < 2:
        number = np.full(len(kept), np.nan)
    plain = bool(
        np.isnan(number).all()
        and kept_kinds.side.all()
        and kept_kinds.answerable.all()
        and np.isin(kept_kinds.behaviour, (0, 1, 3)).all()
    )
    use = np.flatnonzero(usable[0][kept])
    return View(
        measure, kept_kinds, place[silence[kept]], number, plain, _patterns(measure, read, kept[use]), use, sides
    )


def _patterns(measure: Measure, read: dict[str, Array], chosen: Ints) -> Patterns | None:
    if not len(chosen):
        return None
    needs = {name: read[name][0][chosen] for name in measure.needs}
    apart = np.arange(len(chosen))
    if measure.order is None:
        return compress(needs, apart, measure.each)
    return compress_ordered(needs, read[measure.order][0][chosen], apart)
