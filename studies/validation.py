"""Can a validator tell right answers from wrong, and choose among systems? docs/evidence/validation.md.

    python studies/validation.py [DATA] [--embeddings MODEL]  writes validation.md, tables (minutes on one core)

DATA holds squad2 and nq301; it is no part of this project, and by default `../shared/data` beside the checkout. The
validator uses only techniques that need nothing beyond the extras `judges` and `systems`, so that the page is the same
everywhere. Only the rows "validator with embeddings" need more: the extra `embeddings` and a folder with a model.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
import validation_data as lab
from pages import cells_of, fill, write_table
from validation_selection import NAMES, select, selection_facts, selection_table

import nescio
from nescio.data.evidence import Evidence
from nescio.data.policies import Policies, apply_policies
from nescio.data.results import Comparison
from nescio.tasks.ave import validator
from nescio.tasks.ave.baselines import accept_all
from nescio.tasks.ave.building import Built, tally
from nescio.tasks.ave.evidence import evidence, selections
from nescio.tasks.ave.exercise import Exercise, Validation, Value, by_question
from nescio.tasks.ave.validator import Features, Trained, TrainingPlan
from nescio.tasks.ave.validator._rivals import contested
from nescio.tasks.ave.validator.deciding import over_answers
from nescio.tasks.ave.validator.training import ALL

ROOT = Path(__file__).parents[1]
AIM = 0.72  # the area under the ROC curve that was asked for
OVERLAP = ("lexical",)
EMBEDDINGS = "embeddings"
SINGLY = "without rivals"  # the validator that looks at one question at a time
WIDER = "validator with embeddings"


class Validated(Struct, frozen=True):
    """The study of validation: both collections, the validator, and its decisions on the test articles by name."""

    dev: Built
    test: Built
    gold: Exercise
    trained: Trained
    runs: Mapping[str, Sequence[Validation]]
    without: Mapping[str, Sequence[Validation]]
    confidence: np.ndarray[Any, Any]
    wider: Trained | None = None  # with embeddings, where a model is given


def validate(data: lab.Squad, plan: TrainingPlan, model: str | None = None) -> Validated:
    """Train on the development articles, decide on the others; with a model of sentence-transformers also with
    embeddings."""
    dev_articles, test_articles = lab.titles(data)
    dev, test = (
        lab.validation(data, articles, name) for articles, name in ((dev_articles, "dev"), (test_articles, "test"))
    )
    gold = lab.gold_answers(data, dev_articles)
    names, resources = (*validator.OWN, *([EMBEDDINGS] if model else ())), validator.Resources(embeddings=model)
    everything = validator.gather(dev.exercise, gold, names, plan, resources=resources)
    seen = validator.features(test.exercise, names, everything.rare, resources)
    material, found = replace(everything, x=everything.x.without(EMBEDDINGS)), seen.without(EMBEDDINGS)
    trained = validator.fit(dev.exercise, material, plan)
    confidence = trained.model.of_features(found)
    limits = trained.model.thresholds
    runs = {
        "accept all": accept_all(test.exercise),
        "validator": validator.decide(test.exercise, confidence, limits["F"]),
        "never silent": validator.decide(test.exercise, confidence, limits["F"], always=True),
        "tuned silence": validator.decide(test.exercise, confidence, limits["c@1"]),
        "word overlap alone": _overlap(dev.exercise, test.exercise, plan),
    }
    wider = validator.fit(dev.exercise, everything, plan) if model else None
    if wider:
        runs[WIDER] = validator.decide(test.exercise, wider.model.of_features(seen), wider.model.thresholds["F"])
    without = validator.ablation(dev.exercise, material, plan, test=(test.exercise, found))
    return Validated(dev, test, gold, trained, runs, without, confidence, wider)


def _overlap(dev: Exercise, test: Exercise, plan: TrainingPlan) -> list[Validation]:
    """Return the simplest validator: overlap of words, and nothing but the collection to learn from."""
    material = validator.gather(dev, None, OVERLAP, plan)
    trained = validator.fit(dev, material, plan)
    found: Features = validator.features(test, OVERLAP, material.rare)
    return validator.decide(test, trained.model.of_features(found), trained.model.thresholds["F"])


# ---- the same evidence, by question and by article ----


def by_article(data: Evidence, exercise: Exercise) -> Evidence:
    """Return the same rows, with all questions of an article in one cluster."""
    article = {question.id: question.cluster or "" for question in exercise.questions}
    names = [article[name.split(" ")[0]] for name in data.questions]
    return replace(data, clusters=np.unique(names, return_inverse=True)[1])


def answers(found: Validated, names: Sequence[str], runs: Mapping[str, Sequence[Validation]] | None = None) -> Evidence:
    """Return some runs, answer by answer."""
    given = found.runs if runs is None else runs
    data, _ = evidence(found.test.exercise, {name: given[name] for name in names})
    return data


def questions(found: Validated) -> Evidence:
    """Return what the validator selects, with silence and without."""
    runs = {name: found.runs[name] for name in ("never silent", "tuned silence")}
    data, _ = apply_policies(selections(found.test.exercise, runs)[0], Policies())
    return data


def one(rows: Any) -> Comparison:
    """Return the only comparison of a table."""
    (row,) = rows
    return row


# ---- the page ----


def shown(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """Return a value with its interval."""
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def small(p: float | None) -> str:
    """Return a p-value as it is printed."""
    return "undefined" if p is None else "< 0.0001" if p < 1e-4 else f"= {p:.4f}"


def collection_table(found: Validated) -> list[str]:
    """Articles, questions and answers of both collections, and what the rules took away."""
    lines = ["| count | development | test |", "| --- | ---: | ---: |"]
    both = [found.dev, found.test]
    lines += _line("articles", [len({q.cluster for q in b.exercise.questions}) for b in both])
    lines += _line("questions with an answer", [len(b.exercise.questions) for b in both])
    lines += _line("answers to all questions, silence among them", [sum(b.exercise.available.values()) for b in both])
    for rule in ("void", "long", "duplicate", "contained"):
        lines += _line(f"discarded: {rule}", [next(r.answers for r in tally(b) if r.rule == rule) for b in both])
    lines += _line("answers to validate", [len(b.exercise.candidates) for b in both])
    right = [sum(c.value is Value.VALIDATED for c in b.exercise.candidates) for b in both]
    lines += _line("of these VALIDATED", right)
    f = [2 * r / (r + len(b.exercise.candidates)) for r, b in zip(right, both, strict=True)]
    return [*lines, f"| F when all are accepted | {f[0]:.3f} | {f[1]:.3f} |"]


def _line(name: str, values: Sequence[int]) -> list[str]:
    return ["| " + " | ".join([name, *(f"{value:,}" for value in values)]) + " |"]


def score_table(found: Validated) -> list[str]:
    """AUC, F, precision and recall of the ways to decide, by question and by article."""
    names = ("accept all", "word overlap alone", "validator", *([WIDER] if found.wider else ()))
    measures = ("ave.AUC", "ave.F", "ave.precision", "ave.recall")
    data = answers(found, names)
    scored = nescio.score(data, list(measures))
    wide = nescio.score(by_article(data, found.test.exercise), list(measures))
    lines = ["| validator | AUC | F | precision | recall |", "| --- | ---: | ---: | ---: | ---: |"]
    for title, scores, run in (
        *((name, scored, name) for name in names),
        ("validator, intervals by article", wide, "validator"),
        *([(f"{WIDER}, intervals by article", wide, WIDER)] if found.wider else ()),
    ):
        rows = [next(r for r in scores if (r.run, r.measure) == (run, m)) for m in measures]
        cells = ["–" if np.isnan(r.value) else shown(r.value, r.low, r.high) for r in rows]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def silence_table(found: Validated) -> list[str]:
    """c@1, accuracy and coverage with silence and without."""
    measures = ("c@1", "accuracy", "coverage")
    scores = nescio.score(questions(found), list(measures))
    lines = ["| validator | c@1 | accuracy | coverage |", "| --- | ---: | ---: | ---: |"]
    for run in ("never silent", "tuned silence"):
        rows = [next(r for r in scores if (r.run, r.measure) == (run, m)) for m in measures]
        lines.append(f"| {run} | " + " | ".join(shown(r.value, r.low, r.high) for r in rows) + " |")
    return lines


def ablation_table(found: Validated, resamples: int) -> tuple[list[str], str]:
    """Return the validator without each technique: its AUC and F, and how far they are from those with all; and the
    techniques without which it is clearly worse."""
    data = answers(found, list(found.without), found.without)
    measures = ["ave.AUC", "ave.F"]
    scores = nescio.score(data, measures, resamples=resamples)
    apart = nescio.compare(data, measures, baseline=ALL, resamples=resamples)
    lines = ["| validator | AUC | AUC lost | F | F lost |", "| --- | ---: | ---: | ---: | ---: |"]
    for run in found.without:
        cells = []
        for measure in measures:
            row = next(r for r in scores if (r.run, r.measure) == (run, measure))
            cells.append(shown(row.value, row.low, row.high))
            lost = next((r for r in apart if (r.run, r.measure) == (run, measure)), None)
            cells.append(
                "–"
                if lost is None or lost.low is None or lost.high is None
                else shown(-lost.difference, -lost.high, -lost.low, 4)
            )
        lines.append(f"| {run} | " + " | ".join(cells) + " |")
    needed = dict.fromkeys(row.run.removeprefix("without ") for row in apart if row.high is not None and row.high < 0)
    return lines, ", ".join(f"`{name}`" for name in sorted(needed)) or "none"


def facts(found: Validated, resamples: int) -> dict[str, str]:
    """Return the figures beyond the tables: `f` over accepting everything, `c` over never being silent."""
    data = answers(found, ("accept all", "validator"))
    auc = next(
        r for r in nescio.score(data, "ave.AUC", interval="percentile", resamples=resamples) if r.run == "validator"
    )
    within = found.trained.confidence, np.array([c.value is Value.VALIDATED for c in found.dev.exercise.candidates])
    f = one(nescio.compare(data, "ave.F", baseline="accept all", resamples=resamples))
    wide = one(
        nescio.compare(by_article(data, found.test.exercise), "ave.F", baseline="accept all", resamples=resamples)
    )
    c = one(nescio.compare(questions(found), "c@1", baseline="never silent", resamples=resamples))
    calibrated = nescio.score(
        over_answers(found.test.exercise, found.confidence, [x.question_id for x in found.test.exercise.candidates]),
        ["Brier", "ECE"],
        resamples=resamples,
    )
    limits = found.trained.model.thresholds
    scores = nescio.score(
        answers(found, [SINGLY], found.without), "ave.AUC", interval="percentile", resamples=resamples
    )
    (singly,) = (row for row in scores if row.run == SINGLY)
    return {
        "auc singly": shown(singly.value, singly.low, singly.high),
        "contested": f"{contested(found.dev.exercise.candidates):.0%} and "
        f"{contested(found.test.exercise.candidates):.0%}",
        "auc": shown(auc.value, auc.low, auc.high),
        "auc dev": f"{_auc(*within):.3f}",
        "f": shown(f.difference, f.low, f.high),
        "f p": small(f.p),
        "f wide": shown(wide.difference, wide.low, wide.high),
        "f wide p": small(wide.p),
        "c": shown(c.difference, c.low, c.high),
        "c p": small(c.p),
        "threshold F": f"{limits['F']:.3f}",
        "threshold c@1": f"{limits['c@1']:.3f}",
        "expected F": f"{found.trained.tuned['F'].value:.3f}",
        "expected c@1": f"{found.trained.tuned['c@1'].value:.3f}",
        "Brier": f"{calibrated.value('validator', 'Brier'):.3f}",
        "ECE": f"{calibrated.value('validator', 'ECE'):.3f}",
        "features": str(len(found.trained.model.names)),
        "gold": f"{len(found.gold.candidates):,}",
        "alone": f"{np.mean([len(group) == 1 for group in by_question(found.test.exercise.candidates).values()]):.0%}",
    }


def _auc(confidence: Any, right: Any) -> float:
    """P(a right answer's confidence exceeds a wrong one's) + half of P(equal)."""
    order = np.argsort(confidence)
    _, code, many = np.unique(confidence[order], return_inverse=True, return_counts=True)
    rank = (np.cumsum(many) - (many - 1) / 2)[code]
    ones = right[order]
    a, b = ones.sum(), (~ones).sum()
    return float((rank[ones].sum() - a * (a + 1) / 2) / (a * b))


def cell(table: Sequence[str], row: str, column: str) -> str:
    """Return a cell of a Markdown table."""
    at = cells_of(table[0]).index(column)
    return next(cells[at] for cells in map(cells_of, table[2:]) if cells[0] == row)


def page(tables: Mapping[str, Sequence[str]], figures: Mapping[str, str], folder: Path) -> str:
    """Return the page, and write the tables and figures beside it."""
    for name, table in tables.items():
        write_table(table, folder / f"validation-{name}.csv")
    rows = [f"| {name} | {figure} |" for name, figure in figures.items()]
    write_table(["| figure | value |", "| --- | --- |", *rows], folder / "validation-figures.csv")
    both = ("development", "test")
    return fill(
        "validation",
        {
            **figures,
            "scores": tables["scores"],
            "auc value": cell(tables["scores"], "validator", "AUC").split()[0],
            "singly value": cell(tables["techniques"], SINGLY, "AUC").split()[0],
            "articles": " and ".join(cell(tables["collection"], "articles", side) for side in both),
            "answers": " and ".join(cell(tables["collection"], "answers to validate", side) for side in both),
            **{
                f"{data} votes": cell(tables["selection"], NAMES["against votes"], data) for data in ("nq301", "squad2")
            },
        },
    )


@click.command()
@click.argument("data", type=click.Path(path_type=Path), default=ROOT.parent / "shared" / "data")
@click.option("--resamples", default=10_000, show_default=True, help="Resamples of each interval and test.")
@click.option("--jobs", default=1, show_default=True, help="Processes; the page does not depend on it.")
@click.option("--embeddings", metavar="MODEL", help="A folder with all-MiniLM-L6-v2, for the rows with embeddings.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for the page and its tables.",
)
def main(data: Path, resamples: int, jobs: int, embeddings: str | None, output: Path) -> None:
    """Train, decide, choose, and write the page."""
    start = perf_counter()
    plan = TrainingPlan(jobs=jobs)
    squad = lab.squad(data / "squad2")
    found = validate(squad, plan, embeddings)
    click.echo(f"validated after {perf_counter() - start:.0f} s", err=True)
    dev, test = lab.titles(squad)
    streams = {
        "nq301": lab.nq301(data / "nq301" / "runs_human.csv"),
        "squad2": lab.squad_streams(squad, [*dev, *test]),
    }
    chosen = [select(name, each, plan, resamples) for name, each in streams.items()]
    output.mkdir(parents=True, exist_ok=True)
    ablated, needed = ablation_table(found, resamples // 10)
    tables = {
        "collection": collection_table(found),
        "scores": score_table(found),
        "silence": silence_table(found),
        "techniques": ablated,
        "selection": selection_table(chosen),
    }
    figures = {"needed": needed, **facts(found, resamples), **selection_facts(chosen)}
    (output / "validation.md").write_text(page(tables, figures, output), encoding="utf-8")
    click.echo(f"{perf_counter() - start:.0f} s", err=True)


if __name__ == "__main__":
    main()
