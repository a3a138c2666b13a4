"""Search counterexamples to axioms that a measure of systems that may abstain could be expected to obey.

Every table of a few questions is tried, the small ones first, and then larger random ones. The first table that breaks
an axiom is therefore the smallest. If lower is better, the error rate replaces accuracy, and the worst value replaces
0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from msgspec import Struct

from nescio.measures import Measure
from nescio.meta_evaluation.audit._kinds import Bools, Floats, Ints, View, view

COARSE = (0.75, 0.25, 0.5, 1.0, 0.0)  # confidences in the small tables, the simple ones first
FINE = tuple(i / 20 for i in range(21))  # confidences in the random tables
SMALL_TABLES = 2_500
RANDOM_TABLES = 400
SILENCES = 5  # the most answers of a table that become abstentions, one at a time; a small table seldom has more kinds
LARGEST = 200
ROUNDING = 1e-9


class Checks(Struct, frozen=True, eq=False):
    """The check of one axiom on many tables of counts, from small to large.

    `value` is the score of each of the `tables`, `against` the number with which the axiom compares the score, and
    `broken` a mask of the tables that violate the axiom. If the axiom is about a change, such as abstaining once more,
    `after` holds the changed tables.
    """

    tables: Ints
    value: Floats
    against: Floats
    broken: Bools
    after: Ints | None = None

    @property
    def compared(self) -> Bools:
        """Return a mask of the tables on which both `value` and `against` are defined."""
        return ~np.isnan(self.value) & ~np.isnan(self.against)

    @property
    def half(self) -> Bools:
        """Return a mask of the tables on which only one of `value` and `against` is defined."""
        return np.isnan(self.value) != np.isnan(self.against)


class AxiomResult(Struct, frozen=True):
    """The result of the search for counterexamples to one axiom."""

    axiom: str
    result: str
    value: float
    against: float
    text: str
    cases: int
    undefined: int


def search(measure: Measure, rng: np.random.Generator) -> list[AxiomResult]:
    """Return the result for each axiom, checked on every small table of counts and on random larger ones."""
    small, large = view(measure, COARSE), view(measure, FINE)
    pools = [(small, every_table(len(small.kinds.behaviour))), (large, random_tables(large, rng))]
    return [
        _conclude(name, check, [(seen, check(seen, tables)) for seen, tables in pools])
        for name, check in AXIOMS.items()
    ]


@lru_cache
def every_table(kinds: int) -> Ints:
    """Return every table of counts with 1 to m questions, the small tables first; shape (tables, kinds).

    m is the largest number for which there are at most `SMALL_TABLES` tables.
    """
    sizes = 1
    while comb(kinds + sizes + 1, kinds) - 1 <= SMALL_TABLES:
        sizes += 1
    chosen = [c for n in range(1, sizes + 1) for c in combinations_with_replacement(range(kinds), n)]
    tables = np.zeros((len(chosen), kinds), dtype=np.int64)
    for row, members in zip(tables, chosen, strict=True):
        np.add.at(row, list(members), 1)
    return tables


def random_tables(seen: View, rng: np.random.Generator) -> Ints:
    """Return random tables of counts, with 2 to `LARGEST` questions, the small tables first.

    Each behaviour of a system, such as a wrong answer, is equally frequent, however many kinds of question show it.
    """
    _, deed, many = np.unique(seen.kinds.behaviour, return_inverse=True, return_counts=True)
    shares = rng.dirichlet(2 / many[deed], RANDOM_TABLES)
    sizes = np.sort(np.exp(rng.uniform(np.log(2), np.log(LARGEST), RANDOM_TABLES)).astype(np.int64))
    return rng.multinomial(sizes, shares)


def _equals_accuracy(seen: View, tables: Ints) -> Checks:
    full = _only(tables, seen.kinds.answered)
    accuracy = full @ seen.kinds.right.astype(np.int64) / full.sum(axis=1)
    value, against = seen.value(full), 1 - accuracy if seen.measure.declaration.lower_is_better else accuracy
    return Checks(full, value, against, _apart(value, against))


def _silence(seen: View, tables: Ints, instead_of: Bools, improves: bool) -> Checks:
    before, after = _silenced(seen, tables, instead_of)
    value, against = seen.value(after), seen.value(before)
    higher = (value < against) if seen.measure.declaration.lower_is_better else (value > against)
    return Checks(before, value, against, _apart(value, against) & (higher != improves), after)


def _silence_for_wrong(seen: View, tables: Ints) -> Checks:
    """Check that abstaining in place of a wrong answer never lowers the score."""
    return _silence(seen, tables, seen.kinds.wrong, improves=True)


def _silence_for_right(seen: View, tables: Ints) -> Checks:
    """Check that abstaining in place of a right answer never raises the score."""
    return _silence(seen, tables, seen.kinds.right & seen.kinds.answered, improves=False)


def _nothing(seen: View, tables: Ints) -> Checks:
    mute = _only(tables, ~seen.kinds.answered)
    worst = seen.measure.bounds[1] if seen.measure.declaration.lower_is_better else 0.0
    value, against = seen.value(mute), np.full(len(mute), worst)
    return Checks(mute, value, against, _apart(value, against))


def _bounded(seen: View, tables: Ints) -> Checks:
    """Check that the declared range is finite, and that no score lies outside it.

    If the range is infinite, the tables with the most extreme score count as violations.
    """
    low, high = seen.measure.bounds
    value = seen.value(tables)
    known = ~np.isnan(value)
    against = np.where(value < low, low, high)
    broken = _apart(value, np.clip(value, low, high))
    for end, farthest in ((low, np.min), (high, np.max)):
        if np.isinf(end) and known.any():
            far = value == farthest(value[known])
            broken, against = broken | far, np.where(far, end, against)
    return Checks(tables, value, np.where(known, against, np.nan), broken)


Check = Callable[[View, Ints], Checks]
AXIOMS: dict[str, Check] = {
    "equals accuracy": _equals_accuracy,
    "silence for wrong": _silence_for_wrong,
    "silence for right": _silence_for_right,
    "nothing answered": _nothing,
    "bounded": _bounded,
}


def _silenced(seen: View, tables: Ints, which: Bools) -> tuple[Ints, Ints]:
    """Return two arrays of tables: before and after one answer of each table is replaced with an abstention.

    The answer is of one of the kinds that the mask `which` marks.
    """
    there = (tables > 0) & which
    place, many = np.cumsum(there, axis=1) - 1, np.maximum(there.sum(axis=1, keepdims=True), 1)
    # all answers if there are few, or `SILENCES` evenly spread ones
    row, kind = np.nonzero(there & (place * SILENCES % many < SILENCES))
    before, after = tables[row], tables[row]
    after[np.arange(len(row)), kind] -= 1
    after[np.arange(len(row)), seen.silence[kind]] += 1
    return before, after


def _only(tables: Ints, which: Bools) -> Ints:
    """Return the tables with only the kinds that the mask `which` marks, without empty and repeated tables."""
    left = tables * which
    left = left[left.sum(axis=1) > 0]
    return left[np.sort(np.unique(left, axis=0, return_index=True)[1])]


def _apart(value: Floats, other: Floats) -> Bools:
    differ: Bools = np.abs(value - other) > ROUNDING * np.maximum(1, np.abs(value))
    return differ


def _conclude(axiom: str, check: Check, pools: list[tuple[View, Checks]]) -> AxiomResult:
    """Return the result of one axiom, and the first table that shows it if the axiom does not hold.

    That table violates the axiom, or leaves just one of the compared values undefined. `pools` holds the checks on the
    small tables and on the random ones.
    """
    cases = sum(int(checks.compared.sum()) for _, checks in pools)
    undefined = sum(len(checks.tables) for _, checks in pools) - cases
    # A violation has priority over an undefined value.
    for result, which in (("fails", "broken"), ("undefined", "half")):
        for at, (seen, checks) in enumerate(pools):
            if getattr(checks, which).any():
                witness = _first(checks, which) if at == 0 else _smaller(check, seen, _first(checks, which), which)
                value, against = float(witness.value[0]), float(witness.against[0])
                return AxiomResult(axiom, result, value, against, _text(axiom, seen, witness), cases, undefined)
    nan = float("nan")
    return AxiomResult(
        axiom, "holds" if cases else "undefined", nan, nan, "" if cases else "never defined", cases, undefined
    )


def _first(checks: Checks, which: str) -> Checks:
    """Return the check of one table alone: the smallest table with the fault `which`.

    `which` is "broken" (the table violates the axiom) or "half" (just one of the compared values is defined).
    """
    size = checks.tables.sum(axis=1) * 1_000 + (checks.tables > 0).sum(axis=1)
    at = np.array([np.argmin(np.where(getattr(checks, which), size, np.iinfo(np.int64).max))])
    after = None if checks.after is None else checks.after[at]
    return Checks(checks.tables[at], checks.value[at], checks.against[at], checks.broken[at], after)


def _smaller(check: Check, seen: View, witness: Checks, which: str) -> Checks:
    """Return a smaller counterexample than `witness`, reached by removing questions or changing their kind.

    `which` says what makes a counterexample: "broken" (the table violates the axiom) or "half" (just one of the
    compared values is defined).
    """
    while True:
        table = witness.tables[0]
        there = np.flatnonzero(table)
        fewer = []
        for kind in there:
            for left in {0, int(table[kind]) // 2, int(table[kind]) - 1}:
                fewer.append(table.copy())
                fewer[-1][kind] = left
            for other in there[seen.kinds.behaviour[there] <= seen.kinds.behaviour[kind]]:
                fewer.append(table.copy())
                fewer[-1][kind], fewer[-1][other] = 0, table[kind] + table[other] * (other != kind)
        tried = check(seen, np.array([row for row in fewer if row.any()]).reshape(-1, len(table)))
        if not len(tried.tables) or not getattr(tried, which).any():
            return witness
        candidate = _first(tried, which)
        if (candidate.tables.sum(), (candidate.tables > 0).sum()) >= (witness.tables.sum(), (witness.tables > 0).sum()):
            return witness
        witness = candidate


def _text(axiom: str, seen: View, witness: Checks) -> str:
    table = seen.describe(witness.tables[0])
    value, against = numbers(witness.value[0], witness.against[0])
    if witness.after is not None:
        return f"{table}: {against} → {seen.describe(witness.after[0])}: {value}"
    lower = seen.measure.declaration.lower_is_better
    if axiom == "equals accuracy":
        return f"{table}: {value}, and {'the error rate' if lower else 'accuracy'} is {against}"
    if axiom == "nothing answered":
        return f"{table}: {value}" + (f", and the worst score is {against}" if lower else "")
    low, high = seen.measure.bounds
    return f"{table}: {value}; the declared range is {low:g} to {high:g}".replace("inf", "∞")


def numbers(*values: float) -> list[str]:
    """Return values as texts with four digits, or with more digits if different values would look equal."""
    digits, values = 4, tuple(round(float(v), 12) for v in values)  # The last bits depend on the processor.
    while digits < 12 and len({f"{v:.{digits}g}" for v in values}) < len(set(values)):
        digits += 1
    return ["undefined" if np.isnan(v) else f"{v:.{digits}g}".replace("inf", "∞") for v in values]
