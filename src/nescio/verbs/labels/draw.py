"""Draw the answers that people should judge next, and write a sheet for their verdicts.

FILES are judged answers, as for `nescio score`. The sheet (OUTPUT) has a row for each answer to the questions drawn,
without the judge's verdict; people fill the column `verdict` (correct or incorrect).

\b
nescio labels draw questions.jsonl runs/*.jsonl sheet.csv --draw 30
nescio labels draw outcomes.csv more.csv --draw 6 --labels people.csv
nescio labels draw outcomes.csv more.csv --draw 6 --labels people.csv --how adaptive
nescio score questions.jsonl runs/*.jsonl --labels people.csv

With --labels, the sheet also holds the answers judged so far, so it replaces the earlier sheet. With --how adaptive,
the column `inclusion` gives each question's probability of being drawn, and --labels of `nescio score` and `compare`
weights by it. An adaptive draw pays from about 100 labels on, if the judge errs far more often on some kinds of
questions.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.assessors import Resolution
from nescio.data.notes import note
from nescio.errors import MismatchError, opt
from nescio.options import argument, option, verb
from nescio.options.kinds import NAMES
from nescio.pipeline import Loaded
from nescio.reporting.page.question_texts import Texts, texts_of
from nescio.scoring.corrected_scores import open_labelled
from nescio.scoring.drawing import Draw, How, ToLabel, draw_labels
from nescio.scoring.score import open_data
from nescio.sources.writing import csv_text, write_text
from nescio.tables.outcomes_writer import guard
from nescio.text import plural
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Seeded, Sourced

NO_ANSWERS = note(
    "draw.no_answers",
    "these files hold no texts of answers, so the sheet has none; also give people the texts, with question and run",
)


class DrawRequest(Reading, Seeded, Sourced):
    """The options of `nescio labels draw`."""

    output: Path | str = argument(kw_only=False, argument=True, metavar="OUTPUT", help="The sheet to write (.csv).")
    draw: int = option(default=50, low=1, help="How many questions to draw.")
    labels: Any = option(
        default=None,
        kind=OWN_FILE,
        help="The labels so far (run, question, verdict). The sheet contains these labels and the newly drawn "
        "questions.",
    )
    runs: Sequence[str] = option(
        default=(),
        kind=NAMES,
        flags=("--run",),
        help="The runs whose answers people judge. Repeatable.",
        default_words="all runs",
    )
    how: How | None = option(
        default=None,
        help="The kind of draw: all questions with the same probability (simple), or more questions on which the "
        "judge is often wrong (adaptive).",
        default_words="adaptive if the labels so far are from an adaptive draw, else simple",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)


@verb(DrawRequest, working="drawing", prints="forms")
def draw(request: DrawRequest) -> Draw:
    output = Path(request.output)
    check_file(output, "a sheet", (".csv",), request.inputs())
    options: Mapping[str, Any] = {"texts": True, **request.values(Reading)}
    loaded = (
        open_data(request.source, {"strata": (), **options}, None)
        if request.labels is None
        else open_labelled(request.source, None, options, request.labels, ())
    )
    how: dict[str, Any] = {name: getattr(request, name) for name in ("draw", "runs", "how", "seed", "resolve")}
    drawn = draw_labels(loaded, request.labels, options, **how)
    _check_kept(output, drawn.to_label)
    columns = _columns(drawn.to_label, loaded)
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    write_text(output, csv_text([guard(cell) for cell in row] for row in rows))
    new = sum(not row.verdict for row in drawn.to_label)
    wrote = (f"wrote {plural(len(drawn.to_label), 'answer')} to {output}, of which people must still judge {new:,}",)
    return replace(drawn, notes=drawn.notes if "answer" in columns else (*drawn.notes, NO_ANSWERS), wrote=wrote)


def _check_kept(output: Path, to_label: Sequence[ToLabel]) -> None:
    """Raise MismatchError if the new sheet would replace people's verdicts that it does not contain."""
    if not output.is_file():
        return
    kept = {(row.question, row.run) for row in to_label if row.verdict}
    with output.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        judged = [(row.get("question_id"), row.get("run")) for row in csv.DictReader(file) if row.get("verdict")]
    if lost := len(set(judged) - kept):
        raise MismatchError(
            f"{output} has {plural(lost, 'verdict')} of people that the new sheet would overwrite; write to "
            f"another file, and keep the verdicts with {opt('labels', str(output))}"
        )


def _columns(to_label: Sequence[ToLabel], loaded: Loaded) -> dict[str, list[Any]]:
    """Return the columns of the sheet.

    Questions and answers are included if the files have them, and probabilities if some rows have one.
    """
    texts = texts_of(loaded) or Texts()
    asked = [texts.asked.get((row.question, None), ("", "")) for row in to_label]
    responses = [texts.said.get(row.run, {}).get((row.question, None)) for row in to_label]
    words: dict[str, list[Any]] = {
        "question": [question for question, _ in asked],
        "gold": [gold for _, gold in asked],
        "answer": [response.answer if response else "" for response in responses],
    }
    odds = [row.inclusion for row in to_label]
    return {
        "question_id": [row.question for row in to_label],
        **{name: column for name, column in words.items() if any(column)},
        "run": [row.run for row in to_label],
        **({} if None in odds else {"inclusion": odds}),
        "verdict": [row.verdict for row in to_label],
    }
