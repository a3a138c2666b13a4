"""Make tables as in the papers: F with the baselines among the runs, the ranking of validators among QA systems, and
counts by verdict. `group_tables` makes the tables by group and language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from nescio.comparison.ranks import Rank
from nescio.data.plain_tables import rounded
from nescio.data.results import Scores
from nescio.measures import parse
from nescio.people.campaigns.evidence import RIGHTLY, Cell, JudgedRuns, group_of
from nescio.people.campaigns.settings import Settings
from nescio.reporting import latex
from nescio.reporting.grid import BEST, TIED, Grid, make_grid
from nescio.reporting.markdown import markdown_table
from nescio.reporting.numbers import rank_range
from nescio.sources.writing import csv_text
from nescio.tables.outcomes_writer import guard
from nescio.tasks.ave import baselines as reference
from nescio.tasks.ave.baselines import Place

UNDEFINED = "–"
WIDE = 6  # columns; a table with more is set in small type


class Table(Struct, frozen=True):
    """A table of a paper: a name for its files, a title, a head, and cells as printed.

    `groups_only` says that the table is about groups, so that it is left out if groups are not named. If the rows are a
    ranking, `ties` has a number for each row, and tied rows have equal numbers. `legend` explains marks and columns.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 2  # how many columns from the left are text
    groups_only: bool = False
    ties: tuple[int, ...] = ()
    legend: str = ""

    @property
    def caption(self) -> str:
        """Return the caption of the table: its title, and its legend if it has one."""
        return f"{self.title}. {self.legend}" if self.legend else self.title

    @property
    def grid(self) -> Grid:
        """Return the table as it is laid out for Markdown and LaTeX."""
        return make_grid(self.head, self.rows, [i < self.texts for i in range(len(self.head))])

    def csv(self) -> str:
        """Return the table as CSV. Names that a spreadsheet would run as formulas are changed."""
        return csv_text([self.head, *((*map(guard, row[: self.texts]), *row[self.texts :]) for row in self.rows)])

    def markdown(self) -> str:
        """Return the table as Markdown."""
        return f"{markdown_table(self.grid)}\n\n{self.caption}\n"

    def latex(self) -> str:
        """Return a LaTeX table with a caption and a label; if it is wider than the text, LaTeX scales it down."""
        small = [r"\footnotesize"] if len(self.head) > WIDE else []
        lines = [
            latex.PREAMBLE,
            r"\begin{table}[htbp]",
            r"\centering",
            *small,
            rf"\caption{{{latex.escape(self.caption)}}}",
            rf"\label{{tab:{self.name}}}",
            latex.tabular(self.grid),
            r"\end{table}",
        ]
        return "\n".join([*lines, ""])


def figure(value: float | None, digits: int = 2) -> str:
    """Return a number as the papers print it, halves rounded away from zero (0.625 is 0.63), or a dash if undefined."""
    return UNDEFINED if value is None or math.isnan(value) else rounded(value, digits)


def percent(value: float) -> str:
    """Return a share in percent, with two decimals."""
    return UNDEFINED if math.isnan(value) else f"{rounded(100 * value, 2)}%"


def ties_of(values: Sequence[float]) -> tuple[int, ...]:
    """Return the position of the first equal value, for each of the sorted values."""
    numbers: list[int] = []
    for i, value in enumerate(values):
        same = i > 0 and sortable(value) == sortable(values[i - 1])
        numbers.append(numbers[-1] if same else i)
    return tuple(numbers)


def intervals_of(signature: Mapping[str, str]) -> str:
    """Return the intervals of scores in words, such as "95% intervals"; empty if the scores have none."""
    level = signature.get("ci")
    return f"{level}% intervals" if level else ""


def _in(language: str) -> str:
    return f" for {language}" if language else ""


def named(name: str, language: str) -> str:
    """Return the name of a table for one language, such as "ranking-EN"."""
    return f"{name}-{language}" if language else name


def f_table(judged: JudgedRuns, scores: Scores, settings: Settings) -> Table:
    """Return one of Tables 4 to 7 of AVE 2007: F, precision and recall of each run over the correct answers.

    Two baselines are listed as if they were runs.
    """
    assert judged.exercise is not None
    entries: list[tuple[str, str, tuple[float, ...]]] = []
    for run in judged.runs:
        values = tuple(scores.value(run.run, f"ave.{name}") for name in ("F", "precision", "recall"))
        entries.append((*named_run(run.run, settings, judged.groups), values))
    for row in reference.expected(judged.exercise)[:2]:
        entries.append((row.run, "", (row.F, row.precision, row.recall)))
    entries.sort(key=lambda entry: (-sortable(entry[2][0]), entry[0], entry[1]))
    rows = [(group, system, *(figure(value) for value in values)) for group, system, values in entries]
    language = judged.part.language
    title = f"Precision, Recall and F measure over correct answers{_in(language)}"
    return Table(
        named("f", language),
        title,
        ("Group", "System", "F", "Precision", "Recall"),
        tuple(rows),
        ties=ties_of([entry[2][0] for entry in entries]),
    )


def sortable(value: float) -> float:
    """Return a value by which to sort: an undefined value (NaN) comes out as the smallest."""
    return -math.inf if math.isnan(value) else round(value, 12)


def merit(measure: str, value: float) -> float:
    """Return a key by which better values of the measure sort higher; an undefined value (NaN) is the smallest.

    The measure is "" where no value is defined.
    """
    return sortable(-value if measure and parse(measure).declaration.lower_is_better else value)


def ranking_table(judged: JudgedRuns, places: Sequence[Place], settings: Settings) -> Table:
    """Return one of Tables 8 to 11 of AVE 2007: validators, QA systems and baselines, sorted by QA accuracy.

    The baselines are perfect and random selection.
    """
    language = judged.part.language
    types = {reference.PERFECT: reference.QA, reference.RANDOM: reference.AV}  # as the paper has them
    rows = []
    for place in places:
        baseline = place.type == reference.BASELINE
        group, system = (place.system, "") if baseline else named_run(place.system, settings, judged.groups)
        kind = types[place.system] if baseline else place.type
        rows.append((group, system, kind, figure(place.qa_accuracy), percent(place.share_of_perfect)))
    head = ("Group", "System", "System Type", "QA accuracy", "% of perfect selection")
    title = f"Comparing AV systems performance with QA systems{_in(language)}"
    return Table(
        named("ranking", language), title, head, tuple(rows), 3, ties=ties_of([place.qa_accuracy for place in places])
    )


def named_run(run: str, settings: Settings, taken_in: Mapping[str, str]) -> tuple[str, str]:
    """Return the name of a run's group, as tables print it, and the name of the system without the group.

    If no group has the run, return the name of the run and "".
    """
    group, system = group_of(run, settings, taken_in)
    return (settings.groups[group], system) if group else (run, "")


class Counts(Struct, frozen=True):
    """The numbers of answers of a run by verdict: right, wrong, inexact (X) and unsupported (U).

    `declined_right` counts the unanswered questions whose declined candidate is right. Strict accuracy counts R as
    right, and lenient accuracy also U.
    """

    run: str
    group: str
    language: str
    n: int
    R: int
    W: int
    X: int
    U: int
    unanswered: int
    declined_right: int
    strict: float
    lenient: float
    c_at_1: float


def counts(judged: JudgedRuns) -> list[Counts]:
    """Return the numbers of answers by verdict for each run.

    An abstention on a question without an answer is right, and counts as R. An answer to such a question is W.
    """
    rows = []
    by_run: dict[str, list[Cell]] = {}
    for cell in judged.cells:
        by_run.setdefault(cell.run, []).append(cell)
    for run in judged.runs:
        cells = by_run[run.run]
        wrong = [cell.verdict for cell in cells if cell.outcome == "incorrect"]
        silent = [cell.verdict for cell in cells if cell.outcome == "unanswered"]
        n, right = len(cells), sum(cell.outcome in ("correct", RIGHTLY) for cell in cells)
        inexact, unsupported = wrong.count("X"), wrong.count("U")
        rows.append(
            Counts(
                run.run,
                run.group,
                run.language,
                n,
                right,
                len(wrong) - inexact - unsupported,
                inexact,
                unsupported,
                len(silent),
                silent.count("R"),
                right / n,
                (right + unsupported) / n,
                (right + len(silent) * right / n) / n,
            )
        )
    return rows


def counts_table(judged: JudgedRuns, settings: Settings) -> Table:
    """Return the table of runs with c@1, the counts by verdict, and accuracy; the run with the best c@1 comes first.

    c@1 is the first column, so that a narrow screen shows it.
    """
    rows = sorted(counts(judged), key=lambda row: (-sortable(row.c_at_1), row.run))
    language = judged.part.language
    head = ("Group", "Run", "c@1", "R", "W", "X", "U", "NoA", "NoA right", "Strict", "Lenient")
    cells = [
        (
            *named_run(row.run, settings, judged.groups),
            figure(row.c_at_1),
            *map(str, (row.R, row.W, row.X, row.U, row.unanswered, row.declined_right)),
            *(figure(value) for value in (row.strict, row.lenient)),
        )
        for row in rows
    ]
    title = f"Answers by verdict{_in(language)}: right, wrong, inexact, unsupported, unanswered (and of these right)"
    rightly = any(cell.outcome == RIGHTLY for cell in judged.cells)
    legend = "An abstention on a question without an answer is right, and counts as R, not as NoA." if rightly else ""
    ties = ties_of([row.c_at_1 for row in rows])
    return Table(named("counts", language), title, head, tuple(cells), ties=ties, legend=legend)


def leaderboard(judged: JudgedRuns, scores: Scores, settings: Settings, ranks: Sequence[Rank] = ()) -> Table:
    """Return the table of all runs with every measure and its interval, the best by the first measure first.

    If the runs were compared, the table also has each run's possible ranks and its groups of tied runs.
    """
    measures = list(dict.fromkeys(row.measure for row in scores))
    by = {(row.run, row.measure): row for row in scores}
    place = {rank.run: rank for rank in ranks}
    order = sorted(judged.runs, key=lambda run: (-merit(measures[0], by[run.run, measures[0]].value), run.run))
    rows = []
    for run in order:
        cells = []
        for measure in measures:
            row = by[run.run, measure]
            known = row.low is not None and row.high is not None and not math.isnan(row.low)
            span = f" [{figure(row.low)}, {figure(row.high)}]" if known else ""
            sign = BEST if row.best else TIED if row.tied_with_best else ""
            cells.append(f"{figure(row.value)}{sign}{span}" if not math.isnan(row.value) else UNDEFINED)
        if (run_rank := place.get(run.run)) is not None:
            cells += [rank_range(run_rank.low, run_rank.high), run_rank.groups]
        rows.append((*named_run(run.run, settings, judged.groups), *cells))
    language = judged.part.language
    marked = any(row.best for row in scores)
    legend = f"{BEST} the best; {TIED} not significantly different from it." if marked else ""
    if place:
        legend += f" Ranks that a run may have, and groups of runs that are tied, by {measures[0]}."
    spans = intervals_of(scores.signature) if any(row.low is not None for row in scores) else ""
    title = f"All runs{_in(language)}{f', with {spans}' if spans else ''}"
    head = ("Group", "Run", *measures, *(("Ranks", "Tied in") if place else ()))
    tied = ties_of([by[run.run, measures[0]].value for run in order])
    return Table(named("scores", language), title, head, tuple(rows), ties=tied, legend=legend.strip())
