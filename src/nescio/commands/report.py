"""The report, a page with every figure; and the page of what changed between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec import Struct

from nescio.commands.places import check_file, listed
from nescio.comparison import Correction, Test, compare
from nescio.comparison.two_runs import take_two, two_runs
from nescio.data.evidence import Evidence
from nescio.data.notes import Note
from nescio.data.results import Comparisons, Scores
from nescio.errors import UsageError
from nescio.measures import Measures
from nescio.pipeline import Loaded, ReadingOptions, check_names, file_of
from nescio.reporting import page
from nescio.reporting.page.change import Change, change_page, gather_change
from nescio.reporting.page.report_data import ProgressFor, Study
from nescio.reporting.page.texts import Commands
from nescio.scoring.corrected_scores import check_unlabelled
from nescio.scoring.score import QUESTION, open_data
from nescio.sources.writing import check_new_folder, write_text
from nescio.stats.parallel import Progress
from nescio.suites.rows import SuiteScores

PAGES = (".html", ".htm")
OF_LABELS = ("labels", "target", "labels_by", "also_judged")  # what only comparisons that labels correct have a use for
MOST_NAMED = 4  # files in the title of a page that has none of its own


class SuiteReport(Struct, frozen=True):
    """What `report_suite` made: the page, and the scores that it shows."""

    page: Path
    scores: SuiteScores


class Report(Struct, frozen=True):
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
    labels: Any = None,
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
    above the page (None: the names of the files); `labels` are people's verdicts on some answers, which the page shows
    beside the judge's; `commands` are the command lines that give the figures again;
    `progress_for` takes the name of a step and gives who is to hear of its progress. Other arguments as in
    `nescio.score`. Raises as `score` and `compare` do, and UsageError where there is nothing to write or no place for
    it.
    """
    check_names(report, options)
    output = None if output is None else Path(output)
    figures = None if figures is None else Path(figures)
    _check_report(output, figures, listed(source))
    if by == QUESTION:
        raise UsageError("the page lists every question already; leave --by question out")
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
        labels=labels,
        progress_for=progress_for,
        **options,
    )
    if output is not None:
        write_text(output, page.page(data, title=title or title_of(source), texts=page.texts_of(data.loaded)))
    drawn = page.write_figures(data, figures) if figures is not None else []
    return Report(output, tuple(drawn), data.scores)


def report_suite(
    source: Any,
    measures: Measures = None,
    *,
    output: Path | str,
    title: str | None = None,
    command: str = "",
    **options: Any,
) -> SuiteReport:
    """Write one page of a suite: its leaderboard, and a heat map of runs and benchmarks.

        nescio.report_suite("outcomes.csv", "c@1", suite_by="category", output="suite.html")

    `output` is the page (.html); the best are marked whatever it takes (`mark=False`: not); `command` is the command
    line that gives the figures again. Other arguments as in `nescio.score_suite`, whose scores are returned; raises as
    it does, and UsageError where the page cannot be written.
    """
    from nescio.reporting.page.suite import suite_page
    from nescio.suites.scoring import score_suite

    output = Path(output)
    check_file(output, "the page", PAGES, listed(source) if not isinstance(source, Mapping) else ())
    scores = score_suite(source, measures, **{"mark": True, **options})
    write_text(output, suite_page(scores, title=title or "A suite of benchmarks", command=command))
    return SuiteReport(output, scores)


def report_change(
    source: Any,
    output: Path | str,
    measures: Sequence[str] | str | None = None,
    *,
    baseline: str | Path | None = None,
    run: str | None = None,
    ci: float = 95.0,
    test: Test = "auto",
    correction: Correction = "holm",
    margin: float = 0.01,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    commands: Commands | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Comparisons:
    """Write the page of what changed between two runs: won, lost, newly silent, newly answered.

        nescio.report_change("outcomes.csv", "diff.html", baseline="old", run="mine")

    `baseline` is the old run, or the file of a baseline, `run` the new one; where there are two runs, neither need
    be named. `commands` are the command lines that give the figures
    again. Other arguments as in `nescio.compare`, whose comparisons of the two runs
    are returned; raises as `compare` does, and UsageError where the page cannot be written.
    """
    check_names(report_change, options)
    output = Path(output)
    check_file(output, "the page", PAGES, listed(source))
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "jobs": jobs, "progress": progress}
    tested: dict[str, Any] = {"ci": ci, "test": test, "correction": correction, "margin": margin}
    read: dict[str, Any] = {"strata": None, "texts": True, **options}
    pair = Pair(baseline, run)
    change = change_of(source, measures, pair, commands or Commands(), how=tested | drawn, options=read)
    write_change(change, output)
    return change.comparisons


class Pair(Struct, frozen=True):
    """Which two runs are meant: the baseline (a run, or the file of one) and the other."""

    baseline: str | Path | None
    run: str | None

    def read(
        self, source: Any, measures: Sequence[str] | str | None, options: Mapping[str, Any]
    ) -> tuple[Loaded, Pair]:
        """Read what is given; returns it with the pair, in which the baseline is a run."""
        loaded = open_data(source, {"baseline_file": file_of(self.baseline), **options}, measures)
        return loaded, Pair(loaded.baseline or (None if self.baseline is None else str(self.baseline)), self.run)


def change_of(
    source: Any,
    measures: Sequence[str] | str | None,
    pair: Pair,
    commands: Commands,
    *,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Change:
    """Return what changed between two runs; `how` they are compared is what `compare` takes, `options` of reading."""
    loaded, pair = pair.read(source, measures, options)
    old, new = two_runs(loaded, None if pair.baseline is None else str(pair.baseline), pair.run)
    loaded = take_two(loaded, old, new)
    comparisons = compare(loaded, measures, baseline=old, **how)
    return gather_change(loaded, comparisons, (old, new), commands, {"ci": how["ci"], "margin": how["margin"]})


def compared(
    source: Any,
    measures: Sequence[str] | str | None,
    commands: Commands,
    *,
    page: Path | None,
    about_two: bool,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Comparisons, Change | None]:
    """Compare runs, and return what changed where that is wanted.

    With `page` two runs are compared and the page of what changed is written; with `about_two` what changed is returned
    where they are two whose questions are known. `how` is what `compare` takes, with the runs, `options` those of
    reading.
    """
    how, pair = dict(how), Pair(how["baseline"], how["run"])
    if page is None and not about_two:
        return compare(source, measures, **how, **options), None
    if how["labels"] is None:
        check_unlabelled(how["target"], how["labels_by"], how["also_judged"])
    for name in ("baseline", "run", *OF_LABELS):
        del how[name]
    if page is not None:
        options = {"strata": None, "texts": True, **options}
        change = change_of(source, measures, pair, commands, how=how, options=options)
        write_change(change, page)
        return change.comparisons, change
    loaded, pair = pair.read(source, measures, {"strata": (), **options})
    apart = isinstance(loaded.data, Evidence) and not loaded.data.origins
    if apart and pair.baseline is not None and (pair.run is not None or len(loaded.data.runs) == 2):
        change = change_of(loaded, measures, pair, commands, how=how, options={})
        return change.comparisons, change
    return compare(loaded, measures, baseline=pair.baseline, run=pair.run, **how), None


def write_change(change: Change, output: Path) -> None:
    """Write the page of what changed between two runs."""
    title = f"{change.old} → {change.new}"
    write_text(output, change_page(change, title=title, texts=page.texts_of(change.loaded)))


def title_of(source: Any) -> str:
    """Return the title of a page that has none of its own: the names of the files, each once."""
    names = list(dict.fromkeys(Path(item).name for item in listed(source) if isinstance(item, (str, Path))))
    return ", ".join(names[:MOST_NAMED]) or "nescio"


def _check_report(output: Path | None, figures: Path | None, inputs: Sequence[Any]) -> None:
    """Raise UsageError where there is nothing to write, or it could not be written."""
    if output is None and figures is None:
        raise UsageError("give the page to write with -o FILE.html, or a folder for its charts with --figures DIR")
    if output is not None:
        check_file(output, "the page", PAGES, inputs)
    if figures is not None:
        check_new_folder(figures)
