"""The report, a page with every figure; and the page of what changed between two runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from nescio.commands.places import check_file, listed
from nescio.comparison import Correction, Test, compare
from nescio.comparison.two_runs import take_two, two_runs
from nescio.data.notes import Note
from nescio.data.results import Comparisons, Scores
from nescio.errors import UsageError
from nescio.pipeline import ReadingOptions, check_names
from nescio.reporting import page
from nescio.reporting.page.change import change_page, gather_change
from nescio.reporting.page.report_data import ProgressFor, Study
from nescio.reporting.page.texts import Commands
from nescio.scoring.score import open_data
from nescio.sources.writing import check_new_folder, write_text

PAGES = (".html", ".htm")
MOST_NAMED = 4  # files in the title of a page that has none of its own


@dataclass(frozen=True, slots=True)
class Report:
    """What `report` made: the page, the names of the files of its figures, and the scores that they show."""

    page: Path | None
    figures: tuple[str, ...]
    scores: Scores

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out or touched."""
        return self.scores.notes


def report(
    source: Any,
    measures: Sequence[str] | str | None = None,
    *,
    output: Path | str | None = None,
    figures: Path | str | None = None,
    by: str | None = None,
    studies: Sequence[Study] = (),
    ci: float | None = 95.0,
    title: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    commands: Commands | None = None,
    progress_for: ProgressFor = lambda step: None,  # noqa: ARG005
    **options: Unpack[ReadingOptions],
) -> Report:
    """Write one page with every figure, its charts as files, or both.

        nescio.report("outcomes.csv", ["c@1"], output="report.html")

    `output` is the page (.html), `figures` a new folder for every chart as SVG, PDF, PNG and specification with its
    data. The first measure decides who is best. `studies` also study the measures ("stability", "swap"); `title` stands
    above the page (None: the names of the files); `commands` are the command lines that give the figures again;
    `progress_for` takes the name of a step and gives who is to hear of its progress. Other arguments as in
    `nescio.score`. Raises as `score` and `compare` do, and UsageError where there is nothing to write or no place for
    it.
    """
    check_names(report, options)
    output = None if output is None else Path(output)
    figures = None if figures is None else Path(figures)
    _check_report(output, figures, listed(source))
    data = page.gather(
        source,
        [measures] if isinstance(measures, str) else measures,
        by=by,
        ci=ci,
        commands=commands,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
        studies=studies,
        progress_for=progress_for,
        **options,
    )
    if output is not None:
        write_text(output, page.page(data, title=title or title_of(source), texts=page.texts_of(data.loaded)))
    drawn = page.write_figures(data, figures) if figures is not None else []
    return Report(output, tuple(drawn), data.scores)


def report_change(
    source: Any,
    output: Path | str,
    measures: Sequence[str] | str | None = None,
    *,
    baseline: str | None = None,
    run: str | None = None,
    ci: float = 95.0,
    test: Test = "auto",
    correction: Correction = "holm",
    margin: float = 0.01,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    commands: Commands | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[ReadingOptions],
) -> Comparisons:
    """Write the page of what changed between two runs: won, lost, newly silent, newly answered.

        nescio.report_change("outcomes.csv", "diff.html", baseline="old", run="mine")

    `baseline` is the old run, `run` the new one; where there are two runs, neither need be named. `commands` are the
    command lines that give the figures again. Other arguments as in `nescio.compare`, whose comparisons of the two runs
    are returned; raises as `compare` does, and UsageError where the page cannot be written.
    """
    check_names(report_change, options)
    output = Path(output)
    check_file(output, "the page", PAGES, listed(source))
    loaded = open_data(source, {"strata": None, "texts": True, **options}, measures)
    pair = two_runs(loaded, baseline, run)
    loaded = take_two(loaded, *pair)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    tested: dict[str, Any] = {"ci": ci, "test": test, "correction": correction, "margin": margin}
    comparisons = compare(loaded, measures, baseline=pair[0], **tested, **drawn)
    change = gather_change(loaded, comparisons, pair, commands or Commands(), {"ci": ci, "margin": margin})
    texts = page.texts_of(loaded) if change.moves else None
    write_text(output, change_page(change, title=f"{change.old} → {change.new}", texts=texts))
    return comparisons


def title_of(source: Any) -> str:
    """Return the title of a page that has none of its own: the names of the files."""
    names = [Path(item).name for item in listed(source) if isinstance(item, (str, Path))]
    return ", ".join(names[:MOST_NAMED]) or "nescio"


def _check_report(output: Path | None, figures: Path | None, inputs: Sequence[Any]) -> None:
    """Raise UsageError where there is nothing to write, or it could not be written."""
    if output is None and figures is None:
        raise UsageError("give the page to write with -o FILE.html, or a folder for its charts with --figures DIR")
    if output is not None:
        check_file(output, "the page", PAGES, inputs)
    if figures is not None:
        check_new_folder(figures)
