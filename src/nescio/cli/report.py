"""nescio report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import _app
from nescio.cli._again import repeatable
from nescio.errors import UsageError


@click.command("report")
@_app.FILES
@_app.MEASURES
@click.option("--by", metavar="COLUMN", help="Break the scores down by a column that is constant within each question.")
@click.option(
    "--study",
    "studies",
    multiple=True,
    type=click.Choice(("stability", "swap")),
    help="Also study the measures, as `nescio meta` does: error rates and ties, or swap rates and the difference needed. Repeatable.",
)
@click.option(
    "--ci", default="95", show_default=True, metavar="LEVEL|none", help="The level of the intervals in percent."
)
@click.option("--title", metavar="TEXT", help="What stands above the page. [default: the names of the files]")
@_app.resampling_options
@_app.reading_options
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PAGE", help="The page to write (.html).")
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write every chart as SVG, PDF, PNG and specification, with its data, into a new folder.",
)
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    title: str | None,
    output: Path | None,
    figures: Path | None,
    **given: Any,
) -> None:
    """One page with every figure, to be read, sent and printed.

    The page holds all that it shows and asks nothing of the network. The first measure decides who is best, the ranks and what is told apart. FILES are as for `nescio score`.

    \b
    nescio report outcomes.csv -o report.html
    nescio report outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category -o report.html
    nescio report questions.jsonl runs/*.jsonl -o report.html --figures figures/
    nescio report outcomes.csv --study stability --study swap -o report.html
    """
    _check(output, figures, files)
    ci = _app.level(given.pop("ci"))
    by = given.pop("by")
    again = repeatable(files)
    options = _app.reading(given)

    from nescio.reporting import page
    from nescio.sources.writing import write_text

    with _app.progress("working") as progress:
        facts = page.gather(
            list(files), measures, by=by, ci=ci, commands=again, progress_for=lambda _: progress, **given, **options
        )
    if output:
        texts = page.texts_of(facts.loaded)
        write_text(output, page.page(facts, title=title or ", ".join(file.name for file in files[:4]), texts=texts))
        _app.say(f"wrote {output}")
    if figures:
        made = page.write_figures(facts, figures)
        _app.say(f"wrote {', '.join(made)} to {figures}")
    _app.notes(facts.scores.notes)


def _check(output: Path | None, figures: Path | None, files: tuple[Path, ...]) -> None:
    """Raise UsageError where there is nothing to write, or it could not be written."""
    from nescio.sources.writing import check_new_folder

    if output is None and figures is None:
        raise UsageError("name the page to write with -o FILE.html, or a folder for its charts with --figures DIR")
    if output is not None:
        if output.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"{output}: the page is written to .html (found {output.suffix!r})")
        _app.check_place(output, files)
    if figures is not None:
        check_new_folder(figures)
