"""Which columns are answers, and which the gold answers: what two have in common, whatever they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from nescio.formats.native import roles
from nescio.formats.native.readings.columns import Column
from nescio.text import decimal, squeeze

FEW_TEXTS = 3  # of which nothing is said by what is the same
_ABOVE = 0.2  # kappa of answers of yes and no, and the gold answers


def same(a: str | None, b: str | None) -> bool:
    """Say whether two answers are one, but for case and spaces."""
    return a is not None and b is not None and squeeze(a).casefold() == squeeze(b).casefold()


def answered(columns: Sequence[Column]) -> Iterator[tuple[Column, Column, int]]:
    """Yield the pairs of columns that may be the answers and the gold answers, and in how many rows they are the same:
    of texts some are; of a few words, both have most of them, and agree more often than by chance. Of yes and no, a
    name has to speak of answers, and none of verdicts."""
    free = [c for c in columns if len(c.words) > 1 and not (c.is_measured or c.is_counted or c.holds_objects)]
    plain = {c: {word: squeeze(word).casefold() for word in c.words} for c in free}
    for one, other in combinations(free, 2):
        if {*plain[one].values()}.isdisjoint(plain[other].values()):
            continue
        pairs = zip(one.cells, other.cells, strict=True)
        alike = sum(a is not None and b is not None and plain[one][a] == plain[other][b] for a, b in pairs)
        if FEW_TEXTS <= alike < len(one.cells) and _are_of_one_kind(one, other, alike):
            yield one, other, alike


def _are_of_one_kind(one: Column, other: Column, alike: int) -> bool:
    least, most = sorted((len(one.words), len(other.words)))
    speak = [max(c.named("gold"), c.named("prediction")) for c in (one, other)]
    numbers = all(decimal(word) is not None for c in (one, other) for word in c.words)
    if numbers and not any(speak):
        return False  # what is counted of an answer is the same by chance
    if least > min(roles.FEW, len(one.cells) // 2):  # texts, most of which stand once
        return True
    shared = len({squeeze(w).casefold() for w in one.words} & {squeeze(w).casefold() for w in other.words})
    if most > roles.FEW:
        return least > FEW_TEXTS
    if shared < 2 or 3 * shared < 2 * least:
        return False
    verdicts = any(max(c.named("outcome"), c.named("wrong")) for c in (one, other) if roles.part_of(c.own) != "score")
    marks = any(c.is_marks or c.is_worded for c in (one, other))
    if marks and (verdicts or not any(speak)):
        return False
    counts = [Counter(squeeze(cell).casefold() for cell in c.cells if cell) for c in (one, other)]
    by_chance = sum(counts[0][word] * counts[1][word] for word in counts[0]) / len(one.cells)
    return alike - by_chance > (_ABOVE if marks else 0) * (len(one.cells) - by_chance)
