"""Count figures of real logs with the standard library alone.

    python tests/recounts/counting.py ../shared/data

The folder is no part of this project. `test_recounts.py` compares nescio's figures with these.
"""

from __future__ import annotations

import csv
import json
import math
import random
import re
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

T_17 = 2.109815577833317  # Student's .975 quantile with 17 degrees of freedom, from tables
T_49 = 2.009575237129235  # the same with 49 degrees of freedom
COST = Path("tables2026") / "latitude_results.jsonl"
TRIALS = Path("logs2026") / "tau_bench" / "gpt-4o-airline.json"
PAN = Path("pan20")
PEOPLE = Path("nq301") / "runs_human.csv"
SEEDS = Path("logs2026") / "nemo_skills"


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def per_task(data: Path) -> dict[str, list[tuple[float, float]]]:
    """Return the mean cost and the solved share of each task's trials, by model, with tasks in one order."""
    cells: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in lines(data / COST):
        cells[row["model"]][row["task"]].append((float(row["costUsd"]), float(row["solved"])))
    return {
        model: [tuple(sum(column) / len(own) for column in zip(*own, strict=True)) for _, own in sorted(tasks.items())]
        for model, tasks in cells.items()
    }


def prices(data: Path) -> dict[str, tuple[float, float, float]]:
    """Return each model's cost of a solved task with its interval, averaging the trials of a task first."""
    found = {}
    for model, means in per_task(data).items():
        n = len(means)
        assert n == 18
        paid, solved = sum(k for k, _ in means) / n, sum(c for _, c in means) / n
        price = paid / solved
        error = math.sqrt(sum((k - price * c) ** 2 for k, c in means) / (n * (n - 1))) / solved
        apart = math.exp(T_17 * error / price)
        found[model] = price, price / apart, price * apart
    return found


def student_tail(t: float, freedom: int, steps: int = 20_000) -> float:
    """Return the two-sided p of Student's t, by Simpson's rule over his density between 0 and t."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    width = abs(t) / steps
    density = [scale * (1 + (i * width) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
    inside = width / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))
    return 1 - 2 * inside


def price_ratio(data: Path, one: str, other: str) -> tuple[float, float, float, float]:
    """Return the ratio of two models' costs of a solved task, with its interval and p.

    The standard error comes from each task's influence on the logarithm of the ratio, with both models on the same
    tasks.
    """
    tasks = per_task(data)
    n = len(tasks[one])
    paid, solved = ({m: sum(row[i] for row in tasks[m]) / n for m in (one, other)} for i in (0, 1))
    moved = [
        (x[0] / paid[one] - x[1] / solved[one] - y[0] / paid[other] + y[1] / solved[other]) / n
        for x, y in zip(tasks[one], tasks[other], strict=True)
    ]
    error = math.sqrt(n / (n - 1) * sum(value**2 for value in moved))
    ratio = (paid[one] / solved[one]) / (paid[other] / solved[other])
    apart = math.exp(T_17 * error)
    return ratio, ratio / apart, ratio * apart, student_tail(math.log(ratio) / error, n - 1)


def front(data: Path, draws: int = 4_000) -> dict[str, tuple[bool, float]]:
    """Return whether no model solves as much for as little, and the share of resampled tasks where none does."""
    tasks = per_task(data)
    n = len(next(iter(tasks.values())))

    def on_it(drawn: Sequence[int]) -> set[str]:
        sums = {m: (sum(own[i][1] for i in drawn), sum(own[i][0] for i in drawn)) for m, own in tasks.items()}
        sums = {m: (round(right, 9), round(cost, 9)) for m, (right, cost) in sums.items()}
        return {
            m
            for m, (right, cost) in sums.items()
            if not any(r >= right and c <= cost and (r, c) != (right, cost) for r, c in sums.values())
        }

    rng = random.Random(32)
    times = Counter(m for _ in range(draws) for m in on_it(rng.choices(range(n), k=n)))
    whole = on_it(range(n))
    return {m: (m in whole, times[m] / draws) for m in tasks}


def stated(prompts: Path, answers: Path, silence: str) -> dict[str, Any]:
    """Return a model's earnings at each stake that its prompts stated, and figures on its silence.

    These are the slope of silence for a stake ten times as high with its interval and exact p, and each question's
    contribution to the area. There are 50 questions at stakes of powers of three.
    """
    gold = {row["id"]: row["target"] for row in lines(prompts)}
    cells: dict[str, dict[float, tuple[int, int]]] = defaultdict(dict)
    for row in lines(answers):
        question, _, stake = row["id"].partition("@stake=")
        above, _, below = stake.partition("/")
        silent = row["answer"] == silence
        right = not silent and row["answer"] in gold[row["id"]]
        cells[question][int(above) / int(below or 1)] = (int(right), int(not right and not silent))
    stakes = sorted({stake for own in cells.values() for stake in own})
    n = len(cells)
    assert n == 50
    utility = [sum(own[s][0] - s * own[s][1] for own in cells.values()) / n for s in stakes]
    at = [round(math.log(s, 3)) for s in stakes]  # -1, 0, 1, 2
    middle = sum(at) / len(at)
    around = sum((x - middle) ** 2 for x in at)
    rows = [[1 - sum(own[s]) for s in stakes] for own in cells.values()]
    slopes = [sum((x - middle) * s for x, s in zip(at, row, strict=True)) / around for row in rows]
    slope = sum(slopes) / n
    error = math.sqrt(sum((one - slope) ** 2 for one in slopes) / (n * (n - 1)))
    tenfold = math.log(10) / math.log(3)
    law = {0: 1.0}
    for silences in rows:  # these outcomes fall on the stakes of a question with equal chance
        sums = [sum(some) for some in combinations(at, sum(silences))]
        new: dict[int, float] = defaultdict(float)
        for value, chance in law.items():
            for more in sums:
                new[value + more] += chance / len(sums)
        law = new
    seen = sum(x * s for row in rows for x, s in zip(at, row, strict=True))
    targets = [s / (1 + s) for s in stakes]
    ends = [targets[0], *targets, targets[-1]]
    step = [(after - before) / 2 for before, after in zip(ends, ends[2:], strict=False)]
    whole = sum(w * (1 - t) for w, t in zip(step, targets, strict=True))
    area = {
        question: sum(w * ((1 - t) * own[s][0] - t * own[s][1]) for w, t, s in zip(step, targets, stakes, strict=True))
        / whole
        for question, own in cells.items()
    }
    return {
        "utility": utility,
        "slope": (slope * tenfold, (slope - T_49 * error) * tenfold, (slope + T_49 * error) * tenfold),
        "p": sum(chance for value, chance in law.items() if value >= seen),
        "area": area,
    }


def exchanged(one: dict[str, float], other: dict[str, float]) -> tuple[float, float, float, float]:
    """Return the mean difference of two models, its standard error, degrees of freedom, and exact p.

    The degrees of freedom follow from the kurtosis, and p from exchanging the models' labels on each question.
    """
    values = [one[question] - other[question] for question in one]
    n, mean = len(values), sum(values) / len(values)
    square = sum((value - mean) ** 2 for value in values)
    error = math.sqrt(square / (n * (n - 1)))
    kurtosis = n * sum((value - mean) ** 4 for value in values) / square**2
    law = {0.0: 1.0}
    for value in values:
        new: dict[float, float] = defaultdict(float)
        for total, chance in law.items():
            for sign in (1, -1):
                new[round(total + sign * value, 9)] += chance / 2
        law = new
    p = sum(chance for total, chance in law.items() if abs(total) >= abs(sum(values)) - 1e-6)
    return mean, error, min(n - 1, 2 * n / (kurtosis - 1)), p


def trials(data: Path) -> dict[str, float]:
    """Return the accuracy of trials, and the shares of tasks with all or some of k of four trials right."""
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


@lru_cache
def verified(data: Path, *systems: str) -> list[tuple[bool, ...]]:
    """Return for each pair of texts whether one author wrote both, and the systems' values."""
    truth = {row["id"]: row["same"] for row in lines(data / PAN / "truth.jsonl")}
    values: dict[str, list[Any]] = {question: [same] for question, same in truth.items()}
    for system in systems:
        for row in lines(data / PAN / "runs" / system / "answers.jsonl"):
            values[row["id"]].append(float(row["value"][0] if isinstance(row["value"], list) else row["value"]))
    return [tuple(row) for row in values.values()]


def cascade(data: Path, first: str, second: str, sure: tuple[float, float]) -> tuple[int, int, int]:
    """Return how often a cascade of two systems for author verification is right, wrong and silent.

    The first answers if it is sure enough, else the second if it is, else nobody. .5 is no answer.
    """
    right = wrong = silent = 0
    for same, *values in verified(data, first, second):
        for value, least in zip(values, sure, strict=True):
            if value != 0.5 and max(value, 1 - value) >= least:
                right += (value > 0.5) == same
                wrong += (value > 0.5) != same
                break
        else:
            silent += 1
    return right, wrong, silent


def judged(data: Path) -> list[dict[str, str]]:
    """Return the rows of nine systems' answers with people's verdicts, empty for unjudged ones."""
    with (data / PEOPLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def people(data: Path) -> dict[str, tuple[int, int, int]]:
    """Return how many answers of each system people call right, call wrong, and did not judge."""
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
    """Return the number of answers that the first two people judged, their agreement, and kappa."""
    pairs = [(row["annotator1"], row["annotator2"]) for row in judged(data)]
    pairs = [pair for pair in pairs if all(pair)]
    return len(pairs), sum(one == other for one, other in pairs) / len(pairs), kappa(pairs)


def normal(text: str) -> str:
    """Return a text as SQuAD compares it: without capitals, punctuation, articles and extra spaces."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def exact_match(data: Path) -> dict[str, tuple[int, float, float, float, float]]:
    """Return for each system the number of judged answers, and the agreement of exact match with people.

    The agreement is the share, kappa, sensitivity and specificity.
    """
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
    """Return the figures of a benchmark that was run with several seeds; a question is the same line in each file."""
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
    print(price_ratio(folder, "gpt-5.5", "claude-sonnet-5"), front(folder))
    print(trials(folder))
    print(cascade(folder, "araujo20-large", "weerasinghe20-large", (0.9, 0.6)))
    print(people(folder), two_people(folder), exact_match(folder))
    print(seeds(folder, "math", "symbolic_correct", True))
