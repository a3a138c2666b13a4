"""SQuAD 2.0's figures the obvious way, as evaluate-v2.0.py goes about it: every text is normalised each time it is
looked at.

`python benchmarks/squad_literal.py GOLD PREDICTIONS` prints them. Written for the benchmark from the script's
description.
"""

from __future__ import annotations

import collections
import json
import re
import string
import sys
from typing import Any

import numpy as np  # noqa: F401  the script imports it, too


def plain(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces."""
    marks = set(string.punctuation)
    bare = "".join(c for c in text.lower() if c not in marks)
    return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", bare).split())


def exact(gold: str, said: str) -> int:
    """Whether two texts are the same."""
    return int(plain(gold) == plain(said))


def f1(gold: str, said: str) -> float:
    """Return the F1 of their common words."""
    a, b = (plain(text).split() if text else [] for text in (gold, said))
    same = sum((collections.Counter(a) & collections.Counter(b)).values())
    if not a or not b:
        return int(a == b)
    if same == 0:
        return 0
    precision, recall = 1.0 * same / len(b), 1.0 * same / len(a)
    return (2 * precision * recall) / (precision + recall)


def figures(gold: str, predictions: str) -> dict[str, Any]:
    """Exact match and F1 in percent: of all questions, and of those with and without an answer."""
    with open(gold) as file:
        data = json.load(file)["data"]
    with open(predictions) as file:
        said = json.load(file)
    has: dict[str, bool] = {}
    scores: dict[str, tuple[int, float]] = {}
    for article in data:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                has[asked["id"]] = bool(asked["answers"])
                golds = [answer["text"] for answer in asked["answers"] if plain(answer["text"])] or [""]
                text = said[asked["id"]]
                scores[asked["id"]] = max(exact(a, text) for a in golds), max(f1(a, text) for a in golds)
    found: dict[str, Any] = {}
    for prefix, names in (
        ("", list(scores)),
        ("HasAns_", [name for name in scores if has[name]]),
        ("NoAns_", [name for name in scores if not has[name]]),
    ):
        found[f"{prefix}exact"] = 100.0 * sum(scores[name][0] for name in names) / len(names)
        found[f"{prefix}f1"] = 100.0 * sum(scores[name][1] for name in names) / len(names)
        found[f"{prefix}total"] = len(names)
    return found


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1], sys.argv[2]), indent=2))
