"""Draw the answers that people should judge next, and write the sheet on which they do.

FILES are judged answers, as for `nescio score`. The sheet (OUTPUT) has a row for each answer to the questions drawn,
without the judge's verdict; people fill the column `verdict` (correct or incorrect).

\b
nescio labels-draw questions.jsonl runs/*.jsonl sheet.csv --draw 30
nescio labels-draw outcomes.csv more.csv --draw 6 --labels people.csv
nescio labels-draw outcomes.csv more.csv --draw 6 --labels people.csv --how adaptive
nescio score questions.jsonl runs/*.jsonl --labels people.csv

With --labels, the sheet also has the answers judged so far, and takes their place. With --how adaptive, the column
`inclusion` says how likely each question was to be drawn, and --labels of `nescio score` and `compare` weighs by it.
That pays from some 100 labels on, where the judge errs far more often on one kind of questions than on another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nescio.data.assessors import Resolution
from nescio.formats.native.outcome_table.outcome_table_writer import guard
from nescio.options import argument, option, verb
from nescio.options.kinds import NAMES
from nescio.pipeline import Loaded
from nescio.reporting.labels_screen import show_draw
from nescio.reporting.page.question_texts import Texts, texts_of
from nescio.scoring.corrected_scores import open_labelled
from nescio.scoring.drawing import Draw, How, ToLabel, draw_labels
from nescio.scoring.score import open_data
from nescio.sources.writing import csv_text, write_text
from nescio.verbs._output_paths import check_file
from nescio.verbs._shared import OWN_FILE, RESOLVE, Reading, Seeded, Sourced


class LabelsDrawRequest(Reading, Seeded, Sourced):
    """What `nescio labels-draw` is asked."""

    output: Path | str = argument(kw_only=False, argument=True, metavar="OUTPUT", help="The sheet to write (.csv).")
    draw: int = option(default=50, low=1, help="How many questions to draw.")
    labels: Any = option(
        default=None, kind=OWN_FILE, help="The labels so far (run, question, verdict): draw more beside them."
    )
    runs: Sequence[str] = option(
        default=(), kind=NAMES, flags=("--run",), help="Whose answers are judged. Repeatable.", default_words="all runs"
    )
    how: How | None = option(
        default=None,
        help="Any question alike (simple), or more of those of which the judge is more often wrong (adaptive).",
        default_words="simple, and adaptive beside labels that were drawn so",
    )
    resolve: Resolution = option(default="adjudicated", needs="labels", help=RESOLVE)


class Sheet(Draw, frozen=True):
    """A draw, and what became of the sheet."""

    wrote: tuple[str, ...] = ()


@verb(LabelsDrawRequest, working="drawing", show=show_draw, prints="json")
def labels_draw(request: LabelsDrawRequest) -> Sheet:
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
    write_text(output, csv_text(map(guarded, _rows(drawn.to_label, loaded))))
    new = sum(not one.verdict for one in drawn.to_label)
    wrote = (f"wrote {len(drawn.to_label):,} answers to {output}, {new:,} of them to be judged",)
    return replace(Sheet(**{name: getattr(drawn, name) for name in drawn.__struct_fields__}), wrote=wrote)


def guarded(row: Sequence[Any]) -> list[Any]:
    """Make texts inert that a spreadsheet would take for formulas."""
    return [guard(cell) for cell in row]


def _rows(to_label: Sequence[ToLabel], loaded: Loaded) -> Iterator[Sequence[Any]]:
    """Yield the sheet: what was asked and said only where the files have it, probabilities only of what has some."""
    texts = texts_of(loaded) or Texts()
    weighed = any(one.inclusion is not None for one in to_label)
    yield ["question_id", *(["question", "gold", "answer"] * bool(texts)), "run", *(["inclusion"] * weighed), "verdict"]
    for one in to_label:
        key = (one.question, None)
        asked, gold = texts.asked.get(key, ("", ""))
        said = texts.said.get(one.run, {}).get(key)
        words = [asked, gold, said.answer if said else ""] if texts else []
        yield [one.question, *words, one.run, *([one.inclusion] * weighed), one.verdict]
