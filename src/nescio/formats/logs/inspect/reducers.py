"""Reduce a question's repeats to one score as Inspect does, to compare a log's own figure with its answers."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Repeat = tuple[Any, float]  # a scorer's word for an answer, and the number that the tool reads from it, or NaN
Range = tuple[float, float]  # the least and the greatest value that a reducer may have given
_OF_K = re.compile(r"(at_least|pass_at|pass_k)_(\d{1,6})")
_PLAIN: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda scores: sum(scores) / len(scores),
    "median": statistics.median,
    "max": max,
}


def reduced(reducer: str, questions: Iterable[Sequence[Repeat]]) -> Range | None:
    """Return the lowest and the highest possible mean, over the questions, of a question's score after its repeats are
    reduced.

    `reducer` is mean, median, mode, max, at_least_K, pass_at_K or pass_k_K. Only mode leaves a range: Inspect takes the
    first of tied values, and a log does not keep their order. The last three count scores from a threshold on that the
    log does not state, so they are computed only if all scores are 0 or 1. Answers without a score are left out, as in
    Inspect. Returns None if the value cannot be computed.
    """
    name = reducer.removeprefix("inspect_ai/")
    ranges: list[Range] = []
    for repeats in questions:
        scored = [(word, score) for word, score in repeats if not math.isnan(score)]
        if not scored:
            continue
        value_range = _one(name, scored)
        if value_range is None:
            return None
        ranges.append(value_range)
    if not ranges:
        return math.nan, math.nan
    least, greatest = (sum(values) / len(ranges) for values in zip(*ranges, strict=True))
    return least, greatest


def _one(reducer: str, scored: Sequence[Repeat]) -> Range | None:
    scores = [score for _, score in scored]
    if reducer in _PLAIN:
        value = _PLAIN[reducer](scores)
        return value, value
    if reducer == "mode":
        of = dict(scored)
        many = Counter(word for word, _ in scored)
        most = [of[word] for word, count in many.items() if count == max(many.values())]
        return min(most), max(most)
    named = _OF_K.fullmatch(reducer)
    if named is None or not {*scores} <= {0.0, 1.0}:
        return None
    chance = _of_k(named[1], int(named[2]), len(scores), scores.count(1.0))
    return None if chance is None else (chance, chance)


def _of_k(reducer: str, k: int, total: int, right: int) -> float | None:
    """Return the value of a reducer for `right` right answers of `total`.

    `at_least` is 1 if at least k answers are right, else 0. `pass_at` is the chance that at least one of k answers
    drawn is right, and `pass_k` the chance that all k are. `pass_at` and `pass_k` are None for fewer than k answers.
    """
    if reducer == "at_least":
        return float(right >= k)
    if total < k:  # Early versions of the tool give 1 here, later ones no value.
        return None
    if reducer == "pass_at":
        return 1 - math.comb(total - right, k) / math.comb(total, k)
    return math.comb(right, k) / math.comb(total, k)
