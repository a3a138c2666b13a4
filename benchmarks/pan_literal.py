"""PAN's figures the obvious way, as the organisers' evaluator of 2023 goes about it: a line, and a problem, at a time.

`python benchmarks/pan_literal.py TRUTH ANSWERS` prints them. Written for the benchmark from the evaluator's
description.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score


def read(path: str) -> dict[str, float]:
    """Return the score, or the truth, of each problem."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            value = row["value"] if "value" in row else int(row["same"])
            found[row["id"]] = value[0] if isinstance(value, list) else value
    return found


def figures(truth_path: str, answers_path: str) -> dict[str, float]:
    """AUC, c@1, F0.5u, F1 and the complement of the Brier score."""
    truth, said = read(truth_path), read(answers_path)
    for problem in sorted(truth):
        said.setdefault(problem, 0.5)
    names = sorted(truth)
    same = np.array([truth[name] for name in names], dtype=float)
    value = np.array([said[name] for name in names], dtype=float)
    right = silent = hits = misses = alarms = 0
    for truly, score in zip(same, value, strict=True):
        silent += score == 0.5
        right += score != 0.5 and (score > 0.5) == (truly > 0.5)
        hits += score > 0.5 and truly == 1
        alarms += score > 0.5 and truly == 0
        misses += score < 0.5 and truly == 1
    n = len(names)
    said_so = [(truly, score > 0.5) for truly, score in zip(same, value, strict=True) if score != 0.5]
    return {
        "c@1": (right + silent * right / n) / n,
        "pan.AUC": float(roc_auc_score(same, value)),
        "pan.Brier": float(1 - brier_score_loss(same, value)),
        "pan.F0.5u": 1.25 * hits / (1.25 * hits + 0.25 * (misses + silent) + alarms),
        "pan.F1": float(f1_score([truly for truly, _ in said_so], [score for _, score in said_so])),
    }


if __name__ == "__main__":
    print(json.dumps(figures(*sys.argv[1:3]), indent=1))
