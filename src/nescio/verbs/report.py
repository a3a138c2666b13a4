"""Say which run to use, and write a page with every figure.

The terminal shows the first screen of the page: the best run, the advice with its bound, and the errors to read first.
FILES are as for `nescio score`; the first measure decides.

\b
nescio report outcomes.csv
nescio report questions.jsonl runs/*.jsonl -o report.html --figures figures/
nescio report outcomes.csv --baseline old --run mine -o diff.html
nescio report outcomes.csv -m c@1 -m 'penalty(t=0.75)' --by category -o report.html
nescio report questions.jsonl runs/*.jsonl --labels people.csv
nescio report suite/suite.toml -o suite.html
nescio report outcomes.csv --tolerate 30 --open

With --baseline, the page shows the questions that changed between two runs: won, lost, newly silent, newly answered.
For a suite, the page has a leaderboard over the benchmarks, and a heat map of runs and benchmarks. --tolerate chooses a
run and a threshold that keep the share of wrong answers at or below this limit, with 95% confidence. JSON has every
sentence with its figures, its confidence level and its conditions.
"""

from __future__ import annotations

import html
import webbrowser
from pathlib import Path
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.corrections import Correction, Test
from nescio.data.notes import note
from nescio.data.results import Comparisons, Results
from nescio.errors import UsageError, opt
from nescio.options import Request, option, verb
from nescio.options.kinds import NAME_OR_PATH
from nescio.pipeline import DEFAULT_MEASURES
from nescio.reporting import page
from nescio.reporting.page import drawing
from nescio.reporting.page.change import change_page
from nescio.reporting.page.figures import all_figures
from nescio.reporting.page.to_read import ToRead, advised
from nescio.scoring.score import QUESTION
from nescio.sources.arrow import items_of
from nescio.sources.writing import check_new_folder, write_text
from nescio.verbs._changes import change_of, commands_of, load_two
from nescio.verbs._output_paths import as_path, check_file
from nescio.verbs._shared import (
    MARGIN,
    OWN_FILE,
    BrokenDown,
    Certified,
    Measured,
    Reading,
    Resampled,
    Suited,
    WithOrWithoutInterval,
    Worked,
    command_line,
)

PAGES = (".html", ".htm")
PAGE = Path("report.html")  # the default output
_FRAME = 'style="width: 100%; height: 80vh; border: 0"'
MOST_NAMED = 4  # files in the title of a page without its own


class SinceBaseline(Request, group="What changed"):
    """The options for the page of changes."""

    baseline: str | Path | None = option(
        default=None,
        kind=NAME_OR_PATH,
        metavar="RUN|FILE",
        apart=("suite", "by"),
        help="Write a page of the changes since this run. FILE is a baseline that `compare --save-baseline` wrote.",
    )
    run: str | None = option(
        default=None, metavar="RUN", needs="baseline", help="The new run.", default_words="the other of two runs"
    )
    test: Test = option(default="auto", needs="baseline", help="How the p-value is computed, as for `nescio compare`.")
    correction: Correction = option(
        default="holm", needs="baseline", help="How p-values are adjusted for the number of measures."
    )
    margin: float | None = option(
        default=None,
        low=0,
        needs="baseline",
        help="The largest difference that does not matter, in the unit of the measure.",
        default_words=MARGIN,
    )


class Advised(Request, group="In the terminal"):
    """The options for the errors listed, and for the tolerated wrong answers."""

    most: int = option(default=10, low=1, apart=("suite", "baseline"), help="How many errors to list.")
    tolerate: float | None = option(
        default=None,
        low=0,
        high=100,
        apart=("suite", "baseline"),
        help="The tolerated share of wrong answers, in percent.",
    )


class ReportRequest(
    Advised, SinceBaseline, Suited, Reading, Certified, Resampled, WithOrWithoutInterval, BrokenDown, Measured, Worked
):
    """The options of `nescio report`."""

    labels: Any = option(
        default=None,
        kind=OWN_FILE,
        apart=("suite", "baseline"),
        help="A table of people's verdicts on some answers (run, question, verdict). The page shows people's "
        "verdicts beside the judge's, and the questions where the two differ.",
    )
    output: Path | str | None = option(
        default=None,
        flags=("-o", "--output"),
        metavar="PAGE",
        help="The page to write (.html).",
        default_words=f"report.html, but no page if {opt('figures')} is given; in Python, no file",
    )
    figures: Path | str | None = option(
        default=None,
        metavar="DIR",
        apart=("suite", "baseline"),
        help="Write every chart to a new folder, as SVG and as data. With the extra `figures` installed, also "
        "as PDF and PNG.",
    )
    title: str | None = option(default=None, help="The title of the page.", default_words="the names of the files")
    open: bool = option(default=False, help="Open the page in the browser.")

    @classmethod
    def typed(cls, words: dict[str, Any], **further: Any) -> Self:
        """Return the request that the words of a shell make.

        Without an output or figures, the page goes to `report.html`.
        """
        page_ = {} if {"output", "figures"} & words.keys() else {"output": str(PAGE)}
        return super().typed(words | page_, **further)


class Report(Struct, frozen=True):
    """The result of `report`: the page as a text, and as a file if requested.

    It also has the names of its figures' files, and the scores (or differences) behind them. For a terminal it has the
    errors to read first. `tables` has the sentences of the first screen and their claims.
    """

    page: Path | None
    figures: tuple[str, ...]
    scores: Results
    results: Results[Any]
    folder: Path | None = None
    html: str = ""

    @property
    def wrote(self) -> tuple[str, ...]:
        """Return a sentence on the page and the figures that were written."""
        page = () if self.page is None else (f"wrote {self.page}",)
        if not self.figures:
            return page
        return (*page, f"wrote {', '.join(self.figures)} to {self.folder} as {drawing.forms()}")

    def save(self, path: Path | str) -> Path:
        """Write the page to a file, and return its path."""
        output = Path(path)
        check_file(output, "the page", PAGES, [])
        write_text(output, self.html)
        return output

    def __repr__(self) -> str:
        held = f"a page of {len(self.html):,} characters, which save(PATH) writes" if self.html else ""
        return f"<report: {'; '.join(filter(None, (*self.wrote, held)))}>"

    def _repr_html_(self) -> str:
        """Return the page as HTML for a notebook, in a separate frame in which its scripts run."""
        if not self.html:
            return f"<p>{html.escape(', '.join(self.figures))}</p>"
        shown = html.escape(self.html)
        return f'<iframe srcdoc="{shown}" sandbox="allow-scripts allow-downloads" {_FRAME} title="nescio"></iframe>'


def show(results: Any) -> None:
    """Print the advice of a report, or what changed, or the means over a suite."""
    from nescio.reporting import screen
    from nescio.verbs import compare

    (compare.show if isinstance(results, Comparisons) else screen.show)(results)


@verb(ReportRequest, working="working", show=show, prints="forms")
def report(request: ReportRequest) -> Report:
    output, figures = map(as_path, (request.output, request.figures))
    if output is None and request.open:
        output = PAGE
    if output is not None:
        check_file(output, "the page", PAGES, request.inputs())
    if figures is not None:
        check_new_folder(figures)
    if request.by == QUESTION:
        raise UsageError(f"the page already lists every question; leave {opt('by', QUESTION)} out")
    if request.is_("suite"):
        made = _of_a_suite(request)
    elif request.baseline is not None:
        made = _of_a_change(request)
    else:
        made = _of_runs(request, figures, paged=output is not None or figures is None)
    if output is None:
        return made
    write_text(output, made.html)
    if request.open:
        webbrowser.open(output.absolute().as_uri())
    return replace(made, page=output)


def _of_runs(request: ReportRequest, figures: Path | None, *, paged: bool) -> Report:
    data = page.gather(
        request.source,
        request.chosen,
        commands=commands_of(request),
        labels=request.labels,
        progress=request.progress,
        certificate=request.require_certificate,
        **request.values(WithOrWithoutInterval, BrokenDown, Resampled, Reading),
    )
    texts = page.texts_of(data.loaded)
    files = [Path(item).name for item in items_of(request.source) if isinstance(item, (str, Path))]
    title = request.title or ", ".join(list(dict.fromkeys(files))[:MOST_NAMED]) or "nescio"
    made = page.page(data, title=title, texts=texts) if paged else ""
    drawn = drawing.write_figures(all_figures(data)[0], figures) if figures is not None else []
    return Report(None, tuple(drawn), data.scores, _advice(request, data, texts), figures, made)


def _advice(request: ReportRequest, data: page.ReportData, texts: Any) -> Results[ToRead]:
    """Return the advice that the terminal shows on the runs of a request.

    A note names the deciding measure if the format of the files chose it.
    """
    tolerate = None if request.tolerate is None else request.tolerate / 100
    advice = advised(data, texts, most=request.most, tolerate=tolerate)
    if request.chosen or data.loaded.measures[:1] == DEFAULT_MEASURES[:1]:
        return advice
    by_format = note(
        "advise.measure",
        "the advice uses {measure}, because it is the default measure of the format {format}; {option} "
        "chooses another measure",
        measure=data.main,
        format=data.loaded.format,
        option=opt("measures", DEFAULT_MEASURES[:1]),
    )
    return replace(advice, notes=(*advice.notes, by_format))


def _of_a_suite(request: ReportRequest) -> Report:
    from nescio.reporting.page.suite import suite_page
    from nescio.suites.definition import open_suite
    from nescio.suites.scoring import score_suite

    how = request.values(WithOrWithoutInterval, Suited, Resampled, Worked, Reading)
    del how["source"]
    how["certificate"] = request.require_certificate
    reading = {"texts": True, "certificate": request.require_certificate, **request.values(Reading)}
    suite = open_suite(request.source, reading, request.chosen, by=request.suite_by)
    scores = score_suite(suite, request.chosen, mark=True, **how)
    page_ = suite_page(
        scores, title=request.title or "A suite of benchmarks", command=command_line("report", request), suite=suite
    )
    return Report(None, (), scores, scores, html=page_)


def _of_a_change(request: ReportRequest) -> Report:
    if request.ci is None:
        raise UsageError(f"the page of changes always has intervals; give {opt('ci')} a level")
    how = request.values(WithOrWithoutInterval, Resampled, Worked)
    how |= {"test": request.test, "correction": request.correction, "margin": request.margin}
    reading = {"strata": None, "texts": True, "certificate": request.require_certificate, **request.values(Reading)}
    loaded, baseline = load_two(request.source, request.chosen, request.baseline, request.run, reading)
    change = change_of(loaded, request.chosen, baseline, request.run, commands=commands_of(request), how=how)
    title = request.title or f"{change.old} → {change.new}"
    made = change_page(change, title=title, texts=page.texts_of(change.loaded))
    return Report(None, (), change.comparisons, change.comparisons, html=made)
