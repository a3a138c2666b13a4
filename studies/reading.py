"""Deep Read's switches on short answers, and whether silence pays on multiple choice. docs/evidence/reading.md.

    python studies/reading.py [DATA]      writes docs/evidence/reading.md and its tables (about a minute on one core)

DATA is a folder of real collections made by others, none of which is part of this project: by default `../shared/data`
beside the checkout, with cbc4kids, mctest and qa4mre. The switch Sem needs WordNet's files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
from pages import cells_of, fill, write_table

import nescio
from nescio.comparison.corrections import adjust
from nescio.data.evidence import Evidence
from nescio.data.model import Collection, Run
from nescio.data.policies import Policies, apply_policies
from nescio.data.results import Comparison, Score, Scores
from nescio.formats import Unjudged
from nescio.formats.folder_reader import files_in
from nescio.judging import judge_runs
from nescio.meta_evaluation import comparability
from nescio.pipeline import Options, read, read_collection
from nescio.tasks.reading.systems import answer, has_wordnet
from nescio.text import QUESTION_WORDS

ROOT = Path(__file__).parents[1]
# Hirschman et al. (ACL 1999), Table 1, on 300 questions of other stories: AnsWdRecall and AutSent of the automatic
# rows.
SWITCHES: dict[tuple[str, ...], tuple[float, float] | None] = {
    (): (0.29, 0.28),
    ("Stem",): (0.29, 0.28),
    ("Name",): (0.33, 0.31),
    ("Name", "Stem"): (0.33, 0.31),
    ("Pro", "Name", "Stem"): (0.34, 0.32),
    ("Filt", "Name", "Stem"): None,
    ("Filt", "Pro", "Name", "Stem"): (0.34, 0.32),
    ("Filt", "Sem", "Name", "Stem"): None,
    ("Filt", "Sem", "Pro", "Name", "Stem"): None,
}
MARKS = ("read.recall", "read.precision", "read.AutSent")
SYSTEMS = ("deep-read", "sliding-window", "window-distance", "option-overlap", "sentence-overlap", "word-distance")
THRESHOLDS = (0.0, 0.05, 0.1, 0.25, 0.5)
NEVER = 1.0  # no system is that sure: everything is declined


class Choice(Struct, frozen=True):
    """Thresholds chosen on one collection and tried on another."""

    name: str
    development: Collection
    test: Collection


def evidence(collection: Collection, runs: Sequence[Run], judge: str) -> Evidence:
    """Return the runs judged; questions of one story are a cluster."""
    outcomes, _ = judge_runs(collection, runs, judge)
    return apply_policies(outcomes, Policies())[0]


def interval(row: Score) -> str:
    """Return a value with its interval."""
    return f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]"


def rows_of(scores: Scores, stratum: str | None = None) -> dict[tuple[str, str], Score]:
    """Return the scores of one stratum by run and measure."""
    return {(row.run, row.measure): row for row in scores if row.stratum == stratum}


def difference(row: Comparison) -> str:
    """Return a paired difference with its interval, which no difference at all has not."""
    ends = f" [{row.low:+.3f}, {row.high:+.3f}]" if row.low is not None and np.isfinite(row.low) else ""
    return f"{row.difference:+.3f}{ends}"


def shown(p: float | None) -> str:
    """Return a p-value, without a zero that it is not."""
    return "–" if p is None else f"{p:.3f}" if p >= 0.0005 else "< 0.001"


# ---- short answers: CBC ----


def name_of(switches: Sequence[str]) -> str:
    """Return the run that Deep Read makes with these switches, as `answer` names it."""
    return f"deep-read-{''.join(switches)}@0.00" if switches else "deep-read@0.00"


def cbc(folder: Path) -> tuple[Collection, Evidence, list[tuple[str, ...]]]:
    """Return the collection, its runs marked (the real one last), and the switches that can be had here."""
    files = files_in(folder / "developset")
    student = read([*files, folder / "student-run.response"], Options())
    assert isinstance(student.data, Unjudged)
    collection, real = student.data.collection, student.data.runs[0]
    had = [switches for switches in SWITCHES if "Sem" not in switches or has_wordnet()]
    runs = [answer(collection, "deep-read", switches=switches) for switches in had]
    return collection, evidence(collection, [*runs, answer(collection, "random"), real], "deep_read"), had


def short_table(data: Evidence, had: Sequence[tuple[str, ...]], resamples: int) -> tuple[list[str], list[Comparison]]:
    """Return a row a system: its marks, the paper's on its own stories, and the differences from the base."""
    found = rows_of(nescio.score(data, MARKS, resamples=resamples))
    names = {name_of(switches): "".join(switches) or "Base" for switches in had}
    names |= {"random@0.00": "a sentence by lot", "student-run": "the real student run"}
    marks = ("read.recall", "read.AutSent")
    chosen = data.take_runs([data.runs.index(name) for name in names if name != "random@0.00"])
    rows = list(nescio.compare(chosen, marks, baseline=name_of(()), resamples=resamples))
    against = {(row.run, row.measure): row for row in rows}
    papers = {name_of(switches): f"{paper[0]:.2f}, {paper[1]:.2f}" for switches, paper in SWITCHES.items() if paper}
    lines = [
        "| system | word recall | word precision | AutSent | the paper: recall, AutSent | recall over Base | "
        "AutSent over Base |",
        f"|{' --- |' * 7}",
    ]
    for run, label in names.items():
        cells = [interval(found[run, mark]) for mark in MARKS] + [papers.get(run, "–")]
        for mark in marks:
            row = against.get((run, mark))
            own = "–" if row is None else f"{difference(row)}; p {shown(row.p)}, adjusted {shown(row.p_adjusted)}"
            cells.append(own)
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines, rows


def word_table(data: Evidence, runs: Sequence[str]) -> list[str]:
    """AutSent of some runs for each question word."""
    scores = nescio.score(data, ["read.AutSent"], by="question_word", ci=None)
    head = " | ".join(run.removesuffix("@0.00") for run in runs)
    lines = [f"| question word | questions | {head} |", "| --- | ---: |" + " ---: |" * len(runs)]
    for word in QUESTION_WORDS:
        found = rows_of(scores, word)
        if found:
            cells = " | ".join(f"{found[run, 'read.AutSent'].value:.2f}" for run in runs)
            lines.append(f"| {word} | {found[runs[0], 'read.AutSent'].n} | {cells} |")
    return lines


# ---- multiple choice: MCTest and QA4MRE ----


def choices(data: Path) -> list[Choice]:
    """Return the collections, and which of them thresholds are chosen on."""
    mctest, qa4mre = data / "mctest", data / "qa4mre"

    def sets(*names: str) -> Collection:
        return read_collection([mctest / f"{name}{part}" for name in names for part in (".tsv", ".ans")])[0]

    main = read_collection([qa4mre / "QA4MRE-2012-EN_GS.xml"])[0]
    alzheimer = read_collection(sorted(qa4mre.glob("QA4MRE-2013-alzheimer-EN_*.xml")))[0]
    development = sets("mc160.train", "mc160.dev", "mc500.train", "mc500.dev")
    return [
        Choice("MC160 test", development, sets("mc160.test")),
        Choice("QA4MRE 2013 Alzheimer", main, alzheimer),
        Choice("QA4MRE 2012 main", alzheimer, main),
    ]


def at(run: Run, threshold: float) -> Run:
    """Return the run silent below a threshold."""
    said = tuple(replace(r, answered=r.confidence is not None and r.confidence >= threshold) for r in run.responses)
    return replace(run, name=f"{run.name.partition('@')[0]}@{threshold:.2f}", responses=said)


def threshold_rows(choice: Choice, resamples: int) -> list[str]:
    """c@1 with its interval and the coverage, by system and threshold."""
    runs = [at(answer(choice.test, system), t) for system in SYSTEMS for t in THRESHOLDS]
    data = evidence(choice.test, runs, "choice")
    found = rows_of(nescio.score(data, ["accuracy", "c@1", "coverage"], resamples=resamples))
    lines = []
    for system in SYSTEMS:
        cells = [interval(found[f"{system}@0.00", "accuracy"])]
        for t in THRESHOLDS[1:]:
            name = f"{system}@{t:.2f}"
            cells.append(f"{interval(found[name, 'c@1'])} ({found[name, 'coverage'].value:.2f})")
        lines.append(f"| {choice.name} | {system} | {' | '.join(cells)} |")
    return lines


def tuned_rows(choice: Choice, resamples: int) -> tuple[list[str], list[Comparison]]:
    """Each system with its threshold of the development data, against itself never silent, on the test data."""
    lines, rows = [], []
    ready = [answer(choice.development, system) for system in SYSTEMS]
    data = evidence(choice.development, ready, "choice")
    told: dict[str, float] = {}
    for system, name in zip(SYSTEMS, data.runs, strict=True):
        best = nescio.tune(data, "c@1", run=name, ci=None).rows[0].threshold
        told[system] = NEVER if best is None else best
    pairs: list[Run] = []
    for system in SYSTEMS:
        run = answer(choice.test, system)
        pairs += [replace(run, name=f"{system} never silent"), replace(at(run, told[system]), name=f"{system} tuned")]
    test = evidence(choice.test, pairs, "choice")
    scores = rows_of(nescio.score(test, ["c@1", "coverage"], resamples=resamples))
    for i, system in enumerate(SYSTEMS):
        both = test.take_runs([2 * i, 2 * i + 1])
        (row,) = nescio.compare(both, "c@1", baseline=both.runs[0], correction="none", resamples=resamples)
        before, after = (scores[name, "c@1"].value for name in both.runs)
        cells = [
            f"{told[system]:.3f}",
            f"{scores[both.runs[1], 'coverage'].value:.2f}",
            f"{before:.3f}",
            f"{after:.3f}",
        ]
        lines.append(f"| {choice.name} | {system} | {' | '.join(cells)} | {difference(row)} | {shown(row.p)} |")
        rows.append(row)
    return lines, rows


def summary(choice: Choice, tuned: Sequence[str], rows: Sequence[Comparison]) -> tuple[str, int]:
    """Return the row of a test: what the tuned threshold did for its systems (Holm over the systems), and how often it
    raised c@1 significantly."""
    p = adjust([row.p for row in rows], "holm")
    sure = [row.difference for row, adjusted in zip(rows, p, strict=True) if adjusted is not None and adjusted <= 0.05]
    columns = list(zip(*map(cells_of, tuned), strict=True))
    spans = [f"{min(cells)} to {max(cells)}" for cells in (columns[4], columns[5], columns[3])]
    texts = len({question.cluster for question in choice.test.questions})
    counts = [sum(row.difference > 0 for row in rows), sum(one > 0 for one in sure), sum(one < 0 for one in sure)]
    first = f"| {choice.name} | {len(choice.test.questions)} | {texts} |"
    return f"{first} {' | '.join([*spans, *(f'{count} of {len(rows)}' for count in counts)])} |", counts[1]


def short_facts(collection: Collection, data: Evidence, rows: Sequence[Comparison]) -> dict[str, str]:
    """Return the figures that the prose about CBC names."""
    systems = [i for i, run in enumerate(data.runs) if run.startswith("deep-read")]
    related = comparability(nescio.score(data.take_runs(systems), MARKS, ci=None))
    r = next(row for row in related if (row.measure, row.other) == ("read.recall", "read.AutSent"))
    own = [row for row in rows if row.run != "student-run" and row.measure == "read.recall"]
    sure = [row for row in own if (row.p_adjusted or 0) <= 0.05]
    return {
        "questions": f"{len(collection.questions)}",
        "stories": f"{len({question.cluster for question in collection.questions})}",
        "correlation": f"{r.correlation:.3f}",
        "told": f"{len(sure)} of {len(own)}",
        "least": f"{min(row.difference for row in own):+.3f}",
        "most": f"{max(row.difference for row in own):+.3f}",
    }


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option("--resamples", default=10_000, show_default=True, help="Resamples of each interval.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs" / "evidence",
    help="The folder for the page and its tables.",
)
def main(data: Path, resamples: int, output: Path) -> None:
    """Answer, mark, and write the page and the tables beside it."""
    collection, marked, had = cbc(data / "cbc4kids")
    short, compared = short_table(marked, had, resamples)
    runs = [name_of(s) for s in ((), ("Name", "Stem"), ("Filt", "Pro", "Name", "Stem"))] + ["student-run"]
    head = " | ".join(f"c@1 from {t:g} (coverage)" for t in THRESHOLDS[1:])
    thresholds = [f"| test | system | never silent | {head} |", f"|{' --- |' * (2 + len(THRESHOLDS))}"]
    tuned = [
        "| test | system | threshold | coverage | c@1 never silent | c@1 tuned | difference | p |",
        f"|{' --- |' * 8}",
    ]
    table = [
        "| test | questions | texts | c@1, never silent | c@1, tuned | share answered | c@1 higher | "
        "significantly higher | significantly lower |",
        "| --- |" + " ---: |" * 8,
    ]
    parts: dict[str, str | list[str]] = {**short_facts(collection, marked, compared), "table": table}
    for choice in choices(data):
        thresholds += threshold_rows(choice, resamples)
        lines, rows = tuned_rows(choice, resamples)
        row, raised = summary(choice, lines, rows)
        table.append(row)
        tuned += lines
        parts[choice.name] = f"{raised} of {len(rows)}"
    beside = {"": tuned, "-thresholds": thresholds, "-short": short, "-words": word_table(marked, runs)}
    for name, lines in beside.items():
        write_table(lines, output / f"reading{name}.csv")
    (output / "reading.md").write_text(fill("reading", parts), encoding="utf-8")


if __name__ == "__main__":
    main()
