"""Count figures of real logs with the standard library alone.

    python tests/recounts/counting.py ../shared/data

The folder is no part of this project. `test_recounts.py` holds nescio's figures to these.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

T_17 = 2.109815577833317  # Student's .975 quantile with 17 degrees of freedom, from tables
COST = Path("tables2026") / "latitude_results.jsonl"
TRIALS = Path("logs2026") / "tau_bench" / "gpt-4o-airline.json"
PAN = Path("pan20")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def prices(data: Path) -> dict[str, tuple[float, float, float]]:
    """Return what a solved task cost each model, with its interval: trials of a task are averaged first."""
    cells: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in lines(data / COST):
        cells[row["model"]][row["task"]].append((float(row["costUsd"]), float(row["solved"])))
    found = {}
    for model, tasks in cells.items():
        means = [(sum(k for k, _ in own) / len(own), sum(c for _, c in own) / len(own)) for own in tasks.values()]
        n = len(means)
        assert n == 18
        paid, solved = sum(k for k, _ in means) / n, sum(c for _, c in means) / n
        price = paid / solved
        error = math.sqrt(sum((k - price * c) ** 2 for k, c in means) / (n * (n - 1))) / solved
        apart = math.exp(T_17 * error / price)
        found[model] = price, price / apart, price * apart
    return found


def trials(data: Path) -> dict[str, float]:
    """Return the accuracy of trials, and how often k of a task's four trials are all right, or some of them."""
    right: dict[int, list[int]] = defaultdict(list)
    for run in json.loads((data / TRIALS).read_text(encoding="utf-8")):
        right[run["task_id"]].append(int(run["reward"] == 1))
    n = len(right)
    found = {"accuracy": sum(sum(own) / len(own) for own in right.values()) / n}
    for k in (1, 2, 3, 4):
        every = sum(math.comb(sum(own), k) / math.comb(len(own), k) for own in right.values())
        none = sum(math.comb(len(own) - sum(own), k) / math.comb(len(own), k) for own in right.values())
        found[f"pass^k({k})"], found[f"pass@k({k})"] = every / n, 1 - none / n
    return found


def cascade(data: Path, first: str, second: str, sure: tuple[float, float]) -> tuple[int, int, int]:
    """Return how often two systems are right, wrong and silent that verify authors: the first answers if it is sure
    enough that the authors are one or two, else the second if it is, else nobody does. .5 is no answer."""
    truth = {row["id"]: row["same"] for row in lines(data / PAN / "truth.jsonl")}
    values = []
    for system in (first, second):
        own = {}
        for row in lines(data / PAN / "runs" / system / "answers.jsonl"):
            value = row["value"][0] if isinstance(row["value"], list) else row["value"]
            own[row["id"]] = float(value)
        values.append(own)
    right = wrong = silent = 0
    for question, same in truth.items():
        for own, least in zip(values, sure, strict=True):
            value = own[question]
            if value != 0.5 and max(value, 1 - value) >= least:
                right += (value > 0.5) == same
                wrong += (value > 0.5) != same
                break
        else:
            silent += 1
    return right, wrong, silent


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for model, price in prices(folder).items():
        print(model, *price)
    print(trials(folder))
    print(cascade(folder, "araujo20-large", "weerasinghe20-large", (0.9, 0.6)))
