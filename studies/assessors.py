"""Does a test let a bad judge replace people, and are a model's labels better than votes? docs/evidence/assessors.md.

    python studies/assessors.py        writes docs/evidence/assessors.md and its tables (some five minutes on one core)

Answers are right, wrong or silent in 60, 30 and 10%. Whoever errs says either of the other two. Where a
question has several answers, it is hard for all who judge them, or easy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from pages import fill, write_table

from nescio.stats.alternative import alternative
from nescio.stats.dawid_skene import dawid_skene

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
SHARES = (0.6, 0.3, 0.1)
ACCURACY = 0.85  # of each person
HARD = 1.0  # the spread of what a question adds to the logit of being judged rightly
PEOPLE, ANSWERS, MARGINS, SIZES = (2, 3, 5), (1, 3), (0.1, 0.2), (12, 30, 100, 200)
JUDGES, POWER_SIZES = (0.65, 0.75, 0.85), (30, 50, 100, 200)
LAWS = {"three": (0.9, 0.8, 0.7), "five": (0.9, 0.75, 0.7, 0.7, 0.65)}
LABELLED = (30, 60, 100, 200)
Whole = NDArray[np.int64]


def draw(
    rng: np.random.Generator, questions: int, accuracies: tuple[float, ...], answers: int = 1, copied: float = 0.0
) -> tuple[Whole, Whole, Whole]:
    """Return what is true of each answer, what each assessor says of it, and the question that it answers; the last
    assessor takes over a share of the verdicts of the one before."""
    n = questions * answers
    truth = rng.choice(3, n, p=SHARES)
    hard = np.repeat(rng.normal(0, HARD, questions), answers) if answers > 1 else np.zeros(n)
    said = []
    for accuracy in accuracies:
        logit = np.log(accuracy / (1 - accuracy)) + hard
        right = rng.random(n) < 1 / (1 + np.exp(-logit))
        said.append(np.where(right, truth, (truth + rng.integers(1, 3, n)) % 3))
    if copied:
        said[-1] = np.where(rng.random(n) < copied, said[-2], said[-1])
    return truth, np.array(said).T, np.repeat(np.arange(questions), answers)


def as_bad_as_conceded(people: int, answers: int, margin: float) -> float:
    """Return the accuracy of a judge that loses against a person by just the margin."""
    low, high = 0.4, ACCURACY
    for _ in range(12):
        middle = (low + high) / 2
        _, said, _ = draw(np.random.default_rng(0), 100_000, (*(ACCURACY,) * people, middle), answers)
        worse = alternative(said[:, :-1], said[:, -1], margin).people[0].difference > margin
        low, high = (middle, high) if worse else (low, middle)
    return (low + high) / 2


def sizes_of_the_test(people: int, answers: int, margin: float, n: int, replications: int) -> tuple[float, float]:
    """Return how often one person is beaten without correction by a judge as bad as the margin concedes, and how often
    this judge passes."""
    rng = np.random.default_rng([82, people, answers, n, int(100 * margin)])
    judge = as_bad_as_conceded(people, answers, margin)
    beaten = passed = 0.0
    for _ in range(replications):
        _, said, question = draw(rng, n, (*(ACCURACY,) * people, judge), answers)
        tested = alternative(said[:, :-1], said[:, -1], margin, question)
        beaten += sum(one.p <= 0.05 for one in tested.people) / people
        passed += tested.passes
    return beaten / replications, passed / replications


def passing(judge: float, n: int, replications: int) -> float:
    """Return how often a judge passes beside three people at a margin of .15."""
    rng, passed = np.random.default_rng([81, n, int(100 * judge)]), 0
    for _ in range(replications):
        _, said, _ = draw(rng, n, (*(ACCURACY,) * 3, judge))
        passed += alternative(said[:, :-1], said[:, -1], 0.15).passes
    return passed / replications


def labels_right(law: str, copied: float, n: int, replications: int) -> tuple[float, float]:
    """Return the share of answers whose label is right, by the model and by more than half of the votes."""
    rng, model, votes = np.random.default_rng([83, len(LAWS[law]), n, int(10 * copied)]), 0.0, 0.0
    for _ in range(replications):
        truth, said, _ = draw(rng, n, LAWS[law], copied=copied)
        model += float((dawid_skene(said, 3).label == truth).mean())
        counts = np.array([(said == k).sum(axis=1) for k in range(3)]).T
        votes += float((counts[np.arange(n), truth] * 2 > said.shape[1]).mean())
    return model / replications, votes / replications


def null_table(replications: int) -> Iterator[str]:
    """Yield the rows of the test under its hypothesis."""
    yield "| people | answers a question | margin | questions | one person beaten | the judge passes |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for people in PEOPLE:
        for answers in ANSWERS:
            for margin in MARGINS:
                for n in SIZES:
                    beaten, passed = sizes_of_the_test(people, answers, margin, n, replications)
                    yield f"| {people} | {answers} | {margin:g} | {n} | {beaten:.3f} | {passed:.3f} |"


def power_table(replications: int) -> Iterator[str]:
    """Yield the rows of judges of some accuracy."""
    yield f"| judge's accuracy | {' | '.join(f'{n} questions' for n in POWER_SIZES)} |"
    yield f"| --- |{' --- |' * len(POWER_SIZES)}"
    for judge in JUDGES:
        yield f"| {judge:g} | {' | '.join(f'{passing(judge, n, replications):.3f}' for n in POWER_SIZES)} |"


def label_table(replications: int) -> Iterator[str]:
    """Yield the rows of labels by the model and by votes."""
    yield f"| assessors | copied | {' | '.join(f'{n} answers' for n in LABELLED)} |"
    yield f"| --- | --- |{' --- |' * len(LABELLED)}"
    for law in LAWS:
        for copied in (0.0, 0.5):
            cells = [labels_right(law, copied, n, replications) for n in LABELLED]
            yield f"| {law} | {copied:.0%} | {' | '.join(f'{model:.3f} ({votes:.3f})' for model, votes in cells)} |"


PARTS = {
    "assessors": (null_table, 2_000),
    "assessors-power": (power_table, 1_000),
    "assessors-labels": (label_table, 300),
}


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table that was written."""
    with (DOCS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pass_table() -> Iterator[str]:
    """Yield how often a judge passes: at most, if it is as bad as the margin concedes; and with a given accuracy."""
    null, power = read_table("assessors"), read_table("assessors-power")
    yield f"| judge | people | margin | {' | '.join(f'{n} questions' for n in SIZES)} |"
    yield f"| --- | ---: | ---: |{' ---: |' * len(SIZES)}"
    for people in PEOPLE:
        own = [row for row in null if row["people"] == str(people)]
        shown = [max(row["the judge passes"] for row in own if row["questions"] == str(n)) for n in SIZES]
        yield f"| as bad as the margin concedes | {people} | {' or '.join(map(str, MARGINS))} | {' | '.join(shown)} |"
    for row in power:
        shown = [row.get(f"{n} questions", "–") for n in SIZES]
        accuracy = float(row["judge's accuracy"])
        yield f"| right in {accuracy:.0%} | 3 | 0.15 | {' | '.join(shown)} |"


def facts() -> dict[str, str]:
    """Return the figures that the prose names."""
    null, labels = read_table("assessors"), read_table("assessors-labels")
    beaten = {n: max(float(row["one person beaten"]) for row in null if row["questions"] == str(n)) for n in SIZES}
    alone, copied = ([row for row in labels if row["copied"] == share] for share in ("0%", "50%"))

    def gains(rows: list[dict[str, str]], n: int) -> list[float]:
        """Return by how much the model's share of right labels is above that of votes."""
        cells = [row[f"{n} answers"].strip(")").split(" (") for row in rows]
        return [float(model) - float(votes) for model, votes in cells]

    more = [gain for n in LABELLED[1:] for gain in gains(alone, n)]
    return {
        "passes": f"{max(float(row['the judge passes']) for row in null):.1%}",
        "beaten": f"{max(share for n, share in beaten.items() if n >= 30):.1%}",
        "few": f"{beaten[SIZES[0]]:.1%}",
        "more": f"{100 * min(more):.1f} to {100 * max(more):.1f}",
        "copied": f"{-100 * min(gain for n in LABELLED for gain in gains(copied, n)):.1f}",
    }


def written() -> str:
    """Return the page by the tables that are there."""
    return fill("assessors", {**facts(), "table": list(pass_table())})


@click.command()
@click.option("--page-only", is_flag=True, help="Write the page again from the tables that are there.")
def main(page_only: bool) -> None:
    """Write the tables and the page."""
    if not page_only:
        for name, (rows, replications) in PARTS.items():
            write_table(list(rows(replications)), DOCS / f"{name}.csv")
    (DOCS / "assessors.md").write_text(written(), encoding="utf-8")


if __name__ == "__main__":
    main()
