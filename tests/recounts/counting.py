"""Count figures of real logs with the standard library alone.

    python tests/recounts/counting.py ../shared/data

The folder is no part of this project. `test_recounts.py` holds nescio's figures to these.
"""

from __future__ import annotations

import csv
import json
import math
import re
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

T_17 = 2.109815577833317  # Student's .975 quantile with 17 degrees of freedom, from tables
COST = Path("tables2026") / "latitude_results.jsonl"
TRIALS = Path("logs2026") / "tau_bench" / "gpt-4o-airline.json"
PAN = Path("pan20")
PEOPLE = Path("nq301") / "runs_human.csv"
SEEDS = Path("logs2026") / "nemo_skills"


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


def judged(data: Path) -> list[dict[str, str]]:
    """Return the rows of nine systems' answers, each with people's verdicts, empty where nobody judged."""
    with (data / PEOPLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def people(data: Path) -> dict[str, tuple[int, int, int]]:
    """Return how many answers of each system people call right, wrong, and did not judge."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in judged(data):
        found[row["run"]][row["acceptable"]] += 1
    return {run: (own["Yes"], own["No"], own[""]) for run, own in found.items()}


def kappa(pairs: Sequence[tuple[object, object]]) -> float:
    """Return Cohen's kappa of two verdicts on each answer."""
    n = len(pairs)
    agree = sum(one == other for one, other in pairs) / n
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(first[word] * second[word] for word in first) / n**2
    return (agree - chance) / (1 - chance)


def two_people(data: Path) -> tuple[int, float, float]:
    """Return how many answers the first two people judged, the share they agree on, and kappa."""
    pairs = [(row["annotator1"], row["annotator2"]) for row in judged(data)]
    pairs = [pair for pair in pairs if all(pair)]
    return len(pairs), sum(one == other for one, other in pairs) / len(pairs), kappa(pairs)


def normal(text: str) -> str:
    """Return a text as SQuAD compares it: no capitals, punctuation, articles or spaces to spare."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def exact_match(data: Path) -> dict[str, tuple[int, float, float, float, float]]:
    """Return, for each system, how many answers people judged, and how exact match agrees with them: share, kappa,
    sensitivity and specificity."""
    cells: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in judged(data):
        if row["acceptable"]:
            equal = normal(row["prediction"]) in {normal(gold) for gold in row["gold_answers"].split(" | ")}
            cells[row["run"]].append((equal, row["acceptable"] == "Yes"))
    found = {}
    for run, own in cells.items():
        right, wrong = ([equal for equal, yes in own if yes is which] for which in (True, False))
        agree = sum(equal == yes for equal, yes in own) / len(own)
        found[run] = len(own), agree, kappa(own), sum(right) / len(right), 1 - sum(wrong) / len(wrong)
    return found


def seeds(data: Path, benchmark: str, right: str, word: object) -> dict[str, float]:
    """Return the figures of a benchmark that was run with several seeds: a question is the same line in each file."""
    files = sorted((data / SEEDS / benchmark).glob("output-rs*"))
    asked = list(zip(*map(lines, files), strict=True))
    hits = [sum(row[right] == word for row in own) for own in asked]
    silent = [sum(row.get("predicted_answer", "") is None for row in own) for own in asked]
    n, k = len(asked), len(files)
    accuracy, declined = sum(hits) / (n * k), sum(silent) / (n * k)
    pairs = sum(math.comb(k - own, 2) / math.comb(k, 2) for own in hits)
    return {
        "accuracy": accuracy,
        "coverage": 1 - declined,
        "c@1": accuracy * (1 + declined),
        "pass@k(2)": 1 - pairs / n,
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for model, price in prices(folder).items():
        print(model, *price)
    print(trials(folder))
    print(cascade(folder, "araujo20-large", "weerasinghe20-large", (0.9, 0.6)))
    print(people(folder), two_people(folder), exact_match(folder))
    print(seeds(folder, "math", "symbolic_correct", True))
