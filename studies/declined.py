"""Can words tell whether an answer declines? The study behind docs/evidence/declined.md.

    python studies/declined.py [DATA]        writes docs/evidence/declined.md and .csv (seconds)

DATA holds czech_simpleqa, tables2026, squad2 and nq301; it is no part of this project, and by default `../shared/data`
beside the checkout. Answers of the rows marked "seen" were read while the rules were written: they are no test.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
from judges import read
from pages import cells_of, fill, kept_beside, narrowed

from nescio.data.model import Run
from nescio.judging.declined.recognise import Verdict, declines
from nescio.stats.intervals import wilson

ROOT = Path(__file__).parents[1]
SHOWN = {
    "answers": "answers",
    "declined": "declining",
    "found": "found among them",
    "answered": "others",
    "called declined": "wrongly called declining",
}
Answers = Iterable[tuple[bool, str]]  # whether it declines by its grader, and its text

# The words were written beside the answers of the first of these models: it is no test of them.
SEEN, UNSEEN = "claude-3-5-haiku-20241022", ("claude-3-5-sonnet-20241022", "gpt-4o-2024-11-20")
_HELD_OUT = Path(__file__).with_name("refusals.toml")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def declined_table(data: Path, runs: Sequence[Run]) -> list[str]:
    """Return the table of what graders and words call declined, in Markdown."""
    return [
        "| answers | graded by | declined | found | undetermined | answered | called declined | called undetermined |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(row(name, grader, answers) for name, grader, answers in sources(data, runs)),
    ]


def sources(data: Path, runs: Sequence[Run]) -> Iterator[tuple[str, str, Answers]]:
    """Yield answers by their source and grader, first those that no rule was written beside."""
    model = next(run for run in runs if "davinci" in run.name)
    labels = tomllib.loads(_HELD_OUT.read_text(encoding="utf-8"))["reflectscore"]
    for name in UNSEEN:
        yield f"Czech SimpleQA, {name}", "a language model", simpleqa(data, name)
    yield "English, reflectscore", "one reader", reflectscore(data, labels, 0)
    yield "English, SQuAD 2.0, by sentence", "none declines", sentences(data, 1)
    yield f"English, {model.name}", "people", [(False, one.answer or "") for one in model.responses]
    yield from made_up()
    yield f"Czech SimpleQA, {SEEN} (seen)", "a language model", simpleqa(data, SEEN)
    yield "English, reflectscore (seen)", "one reader", reflectscore(data, labels, 1)
    yield "English, prompt-abstention-eval (seen)", "its own rules", prompt_abstention(data)


def row(name: str, grader: str, answers: Answers) -> str:
    """Return the row of a source: of what declines by its grader, and of what answers, what the words make of it."""
    counted = Counter((declined, declines(text)) for declined, text in answers)
    cells = []
    for declined in (True, False):
        total = sum(counted[declined, verdict] for verdict in Verdict)
        cells += [f"{total:,}", *(share(counted[declined, v], total) for v in (Verdict.DECLINED, Verdict.UNDETERMINED))]
    return f"| {name} | {grader} | {' | '.join(cells)} |"


def share(part: int, total: int) -> str:
    """Return a share with its interval."""
    if not total:
        return "–"
    low, high = wilson(float(part), total, 0.95)
    return f"{part / total:.3f} [{low:.3f}, {high:.3f}]"


def simpleqa(data: Path, name: str) -> Answers:
    """Return what a model answered to the Czech SimpleQA: grade C is "not attempted"."""
    with gzip.open(data / "czech_simpleqa" / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        return [(row["grade"] == "C", row["predicted_answer"]) for row in csv.DictReader(file)]


def reflectscore(data: Path, labels: dict[str, list[int]], parity: int) -> Answers:
    """Return the labelled answers to every other unanswerable question."""
    with (data / "tables2026" / "reflectscore_raw_results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    every = [(label == "declined", rows[i]) for label, numbers in labels.items() for i in numbers]
    return [(declined, row["answer"]) for declined, row in every if int(row["id"][1:]) % 2 == parity]


def prompt_abstention(data: Path) -> Answers:
    """Return answers that their authors' rules call abstained or answered."""
    text = (data / "tables2026" / "braeden_explicit_n500.jsonl").read_text(encoding="utf-8")
    return [(row["abstained"], row["model_output"]) for row in map(json.loads, text.splitlines())]


def sentences(data: Path, parity: int) -> Answers:
    """Return the sentences of every other article of SQuAD 2.0, as if each were an answer."""
    articles = json.loads((data / "squad2" / "dev-half.json").read_text(encoding="utf-8"))["data"][parity::2]
    paragraphs = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    return [(False, sentence) for paragraph in paragraphs for sentence in _SENTENCE.split(paragraph)]


def made_up() -> Iterator[tuple[str, str, Answers]]:
    """Yield every other answer that was made up, by language."""
    texts = tomllib.loads(_HELD_OUT.read_text(encoding="utf-8"))
    for language, name in (("en", "English"), ("de", "German")):
        every = {kind: text.strip().splitlines()[1::2] for kind, text in texts[language].items()}
        whole = [(kind == "declined", text) for kind in ("declined", "answered") for text in every[kind]]
        yield f"{name}, made up", "their author", whole
        yield f"{name}, made up, partial", "their author", [(False, text) for text in every["partial"]]


def tested(row: dict[str, str]) -> bool:
    """Say whether the page shows a source: no rule was written beside it, and no answer of it declines in part."""
    return "seen" not in row["answers"] and "partial" not in row["answers"]


def facts(table: Sequence[str]) -> dict[str, str]:
    """Return the figures that the prose names."""
    rows = [dict(zip(cells_of(table[0]), cells_of(line), strict=True)) for line in table[2:]]
    found = [f"{float(row['found'].split()[0]):.0%}" for row in rows[: len(UNSEEN)]]
    wrong = max(float(row["called declined"].split()[0]) for row in rows if "made up" not in row["answers"])
    return {"often": found[0], "seldom": found[1], "wrong": f"{wrong:.1%}"}


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), default=ROOT.parent / "shared" / "data")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "docs" / "evidence")
def main(data: Path, output: Path) -> None:
    """Compare words with graders, and write the page."""
    table = declined_table(data, read(data / "nq301" / "runs_human.csv")[1])
    shown = narrowed(kept_beside(table, output / "declined.csv", tested), SHOWN)
    (output / "declined.md").write_text(fill("declined", {**facts(table), "declined": shown}), encoding="utf-8")


if __name__ == "__main__":
    main()
