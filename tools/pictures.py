"""Draw the pictures of the documentation.

They are outcomes as bars (for README and site, showing the gain from silence), and a plot of each study, from a
table of its page or a CSV file beside it.

    python tools/pictures.py            writes docs/assets/pictures/*.svg

A test compares the drawings with the pages. `demo.py` makes the interactive pages of the site, and photographs them.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).parents[1]
DOCS, PICTURES = ROOT / "docs", ROOT / "docs" / "assets" / "pictures"
WIDTH = 600
_VALUE = re.compile(
    r"\**\s*([+\-−]?[\d.,]+)(%?)(?:\s*±\s*([\d.]+)%?|\s*[\[(]([+\-−]?[\d.]+)%?(?:,| to)\s*([+\-−]?[\d.]+)%?[\])])?"
)
_DECIMALS = re.compile(r"-?\d+\.\d{4}")  # as `studies/cells.py` writes it


class Plot(Struct, frozen=True):
    """A plot of one table: of a page, by its place there, or of a CSV file beside it, by its name.

    It has the names of rows (made from cells), the columns of values with their names in the legend, the position of a
    line for a promised value, and a filter of rows.
    """

    page: str
    table: int | str
    label: str
    values: dict[str, str]
    title: str
    promise: float | None = None
    rows: Callable[[dict[str, str]], bool] = lambda row: True  # noqa: ARG005
    ends: tuple[float, float] | None = None
    part: str = ""

    @property
    def name(self) -> str:
        """Return the file name of the picture: that of its page, and the part of the page."""
        return f"{self.page}-{self.part}" if self.part else self.page


OF_OUTCOMES = (
    "accuracy",
    "c@1",
    "UF",
    "simpleqa.F",
    "penalty(t=0.75)",
    "UF01",
    "eq6",
    "precision",
    "all_unanswered_right",
)
STUDIES = (
    Plot(
        "audit",
        0,
        "{measure}",
        {
            "all silent": "all silent",
            "one right answer": "one right answer",
            "one wrong answer": "one wrong answer",
            "random silence": "random silence",
        },
        "right answers of the best honest system that a cheat matches; no dot: it matches none",
        rows=lambda row: row["measure"] in OF_OUTCOMES,
        ends=(0.5, 1),
    ),
    Plot(
        "cascades",
        "cascades",
        "{law}, {n} questions",
        {"crossfit": "cross-fitted", "halves": "both halves", "given": "given"},
        "coverage of a 95% interval of what a cascade gains over its first system",
        0.95,
        lambda row: row["over"] == "the first",
    ),
    Plot(
        "coverage",
        "coverage_lowest",
        "{method}",
        {"n = 50": "50 questions", "n = 200": "200", "n = 1,000": "1,000"},
        "lowest coverage of a 95% interval of c@1, over all systems",
        0.95,
        lambda row: row["measure"] == "c@1",
    ),
    Plot(
        "components",
        0,
        "{questions × prompts (× judges)}, {answers a cell} a cell, {spread of prompts}",
        {"questions alone": "questions alone", "Satterthwaite": "Satterthwaite", "nescio's": "given"},
        "coverage of a 95% interval of a score over prompts; none where no interval is given",
        0.95,
    ),
    Plot(
        "contamination",
        "contamination",
        "{suspect}, {reference}, {n} questions",
        {"plain": "whole difference", "given": "given"},
        "tests of accuracy that speak of contamination where there is none",
        0.05,
        lambda row: row["measure"] == "accuracy" and row["harder"] == "0.800" and row["learnt"] == "0.000",
    ),
    Plot(
        "assessors",
        "assessors",
        "{people} people, {answers a question} answers a question, {questions} questions",
        {"one person beaten": "one person beaten", "the judge passes": "the judge passes"},
        "tests that let a judge pass who is worse than the margin allows",
        0.05,
        lambda row: row["margin"] == "0.1",
    ),
    Plot(
        "items",
        0,
        "{runs} runs, {wrong keys} of keys wrong",
        {"wrong among the first ten, by sign": "by sign"},
        "wrong keys among the first ten of 200, of which ten are wrong",
        ends=(0, 10),
        rows=lambda row: row["wrong keys"] != "0%",
    ),
    Plot(
        "promises",
        "promises_methods",
        "{kind}: {method}",
        {"lowest coverage": "lowest", "mean": "mean"},
        "coverage of 95% intervals over all settings",
        0.95,
        lambda row: bool(row["lowest coverage"]) and row["kind"] not in ("stakes", "prompts"),
    ),
    Plot(
        "few-units",
        "few_units_lowest",
        "{clusters × questions}, {right} right",
        {name: name for name in ("score", "score, percentile", "difference", "difference, percentile")},
        "coverage of a 95% interval, the lowest of four measures",
        0.95,
    ),
    Plot(
        "chosen",
        0,
        "best of {runs}, questions: {questions}",
        {"best": "simultaneous", "best, alone": "as of a run picked in advance"},
        "95% intervals of the best run that hold its true value, the lowest of three measures",
        0.95,
        lambda row: row["runs"] in ("3", "30"),
    ),
    Plot(
        "inference",
        "inference",
        "{systems}: {measure}, {test}",
        {"found": "corrected", "plain": "uncorrected"},
        "family-wise error of all pairs",
        0.05,
        lambda row: row["part"] == "families",
    ),
    Plot(
        "meta-evaluation-graded",
        0,
        "{measure}, {runs}",
        {"error rate, %": "error rate", "ties, %": "ties"},
        "error rate and ties at a fuzziness of 5%, in percent",
    ),
    Plot(
        "planning",
        "planning",
        "{from}: {difference} with power {power asked}",
        {"off by": "off by"},
        "power achieved minus power asked, for a difference in c@1",
        0.0,
        lambda row: (row["measure"], row["solved for"]) == ("c@1", "questions"),
    ),
    Plot(
        "early",
        "early",
        "{sequence}, {measure}, {systems}",
        {"wrong": "sequential interval", "every_look": "1.96 rule at every look"},
        "ever wrong, looking after each block",
        0.05,
        lambda row: row["measure"] == "accuracy",
    ),
    Plot(
        "draws",
        0,
        "{people right; judge right on right, wrong}",
        {"each look alone": "each look alone", "betting": "betting"},
        "ever wrong, looking after every 20 of 200 labels",
        0.05,
    ),
    Plot(
        "selective",
        "selective-means",
        "{measure}, {n} questions",
        {"in sample": "in sample", "cross-fitted": "cross-fitted"},
        "error of the value promised for a tuned threshold, × 1,000",
        0.0,
    ),
    Plot(
        "statements",
        "statements-pooled",
        "{sentence}, best of {runs}",
        {"true": "as the report says it", "plain": "as of a run picked in advance"},
        "sentences of the report that are true",
        0.95,
    ),
    Plot(
        "judges",
        0,
        "{judge}",
        {"agreement": "agreement", "Cohen's kappa": "Cohen's kappa"},
        "how far judges agree with people",
    ),
    Plot(
        "declined",
        0,
        "{answers}",
        {"found among them": "declining answers found", "wrongly called declining": "others called declining"},
        "answers that the words call declining",
        ends=(0, 1),
    ),
    Plot(
        "labels",
        "labels",
        "{data}, {judge}, {labels} labels",
        {"corrected": "corrected by labels", "judge alone": "judge alone"},
        "95% intervals that hold the true difference",
        0.95,
        lambda row: row["about"] == "these questions",
    ),
    Plot(
        "stakes",
        "stakes",
        "{law}, {units}",
        {"slope": "slope of silence", "utility": "utility at 9", "utility_difference": "difference at 9"},
        "95% intervals of figures of stated stakes that hold the true one",
        0.95,
        lambda row: row["each"] == "1" and row["units"] in ("20", "50", "200"),
    ),
    Plot(
        "suites",
        "suites",
        "{setting}",
        {"accuracy: held": "accuracy", "c@1: held": "c@1"},
        "95% intervals of the mean over benchmarks that hold the true one",
        0.95,
    ),
    Plot(
        "suites",
        "suites",
        "{setting}",
        {"accuracy: found": "accuracy", "c@1: found": "c@1"},
        "tests that find a difference where there is none",
        0.05,
        part="tests",
    ),
    Plot(
        "techniques",
        0,
        "{validator}",
        {"AUC on test": "AUC"},
        "area under the ROC curve by set of techniques, on test articles",
    ),
    Plot("validation", 0, "{validator}", {"F": "F"}, "F of validated answers"),
    Plot(
        "reading",
        "reading-short",
        "{system}",
        {"word recall": "word recall"},
        "word recall on the stories for children",
    ),
    Plot(
        "nuggets",
        "nuggets",
        "{run}, {matching}",
        {"NR": "nugget recall"},
        "nugget recall by automatic matching",
        rows=lambda row: row["data"] == "cone_rag",
    ),
)
MOST = 16  # most rows of a plot


def tables(page: str) -> list[list[dict[str, str]]]:
    """Return the tables of a page, each a list of rows by column."""
    found: list[list[list[str]]] = [[]]
    for line in (DOCS / "evidence" / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [[dict(zip(map(_plain, t[0]), row, strict=False)) for row in t[2:]] for t in found if t]


def beside(plot: Plot) -> list[dict[str, str]]:
    """Return the rows of the CSV of a plot, with values to three decimals, and labels without zeros at the end.

    A value whose error is in a column of its own gets it after ±.
    """
    with (DOCS / "evidence" / f"{plot.table}.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    named = set(re.findall(r"\{([^}]*)\}", plot.label))
    errors = {column: f"{column}_error" for column in rows[0] if f"{column}_error" in rows[0]}

    def shown(key: str, cell: str) -> str:
        return format(float(cell), "g" if key in named else ".3f") if _DECIMALS.fullmatch(cell) else _plain(cell)

    plain = [{key: shown(key, cell) for key, cell in row.items()} for row in rows]
    return [
        own | {column: f"{own[column]} ± {row[error]}" for column, error in errors.items()}
        for own, row in zip(plain, rows, strict=True)
    ]


def value(cell: str) -> tuple[float, float, float] | None:
    """Return the number of a cell with its interval (two standard errors after ±), or None without a number."""
    match = _VALUE.match(cell.removeprefix("cheated, "))
    if match is None:
        return None
    scale = 0.01 if match[2] else 1.0

    def number(text: str) -> float:
        return float(text.replace(",", "").replace("−", "-")) * scale

    middle = number(match[1])
    if match[3]:
        return middle, middle - 1.96 * number(match[3]), middle + 1.96 * number(match[3])
    return (middle, number(match[4]), number(match[5])) if match[4] else (middle, middle, middle)


def rows_of(plot: Plot) -> Iterator[dict[str, Any]]:
    """Yield the rows of a plot, one for each value; the value is None for an empty cell."""
    table = beside(plot) if isinstance(plot.table, str) else tables(plot.page)[plot.table]
    shown = [row for row in wide(table, plot) if plot.rows(row)][:MOST]
    for row in shown:
        name = re.sub(r"\{([^}]*)\}", lambda part, row=row: _plain(row[part[1]]), plot.label)  # type: ignore[misc]
        for column, series in plot.values.items():
            numbers = value(row[column]) or (None, None, None)
            yield {"name": name, "series": series, **dict(zip(("value", "low", "high"), numbers, strict=True))}


def wide(rows: list[dict[str, str]], plot: Plot) -> list[dict[str, str]]:
    """Return rows of several measures as one row with columns "MEASURE: COLUMN", if the plot uses such columns."""
    if not any(": " in column for column in plot.values):
        return rows
    joined: dict[str, dict[str, str]] = {}
    for row in rows:
        named = {f"{row['measure']}: {column}": cell for column, cell in row.items()}
        joined.setdefault(next(iter(row.values())), dict(row)).update(named)
    return list(joined.values())


def _plain(cell: str) -> str:
    return cell.replace("*", "").replace("`", "")


def study(plot: Plot) -> str:
    """Return the chart of a study: dots with their intervals, a row for each setting."""
    from nescio.reporting import svg
    from nescio.reporting.charts import LINES

    rows = list(rows_of(plot))
    names, series = list(dict.fromkeys(r["name"] for r in rows)), list(dict.fromkeys(r["series"] for r in rows))
    colours = dict(zip(series, LINES, strict=False))
    known = [row for row in rows if row["value"] is not None]
    marks = [row[end] for row in known for end in ("value", "low", "high") if row[end] is not None]
    ends = plot.ends or svg.around([*marks, *([] if plot.promise is None else [plot.promise])])
    keys = [svg.Key(name, colour) for name, colour in colours.items()] if len(series) > 1 else ()
    step = max(20.0, 9.0 * len(series))
    drawn = svg.rows(WIDTH, names, step, svg.Axis(ends, plot.title, most=6), keys, lined=True)
    if plot.promise is not None:
        x = drawn.x(plot.promise)
        drawn.chart.rule((x, drawn.y(0), x, drawn.y(len(names))), svg.MUTED, stroke_dasharray=svg.DASHED)
    for row in known:
        lane = (series.index(row["series"]) + 1) / (len(series) + 1)
        y, colour = drawn.y(names.index(row["name"]) + lane), colours[row["series"]]
        if row["low"] is not None:
            drawn.chart.rule((drawn.x(row["low"]), y, drawn.x(row["high"]), y), colour, 2)
        drawn.chart.dot(drawn.x(row["value"]), y, 3.8, colour)
    return drawn.chart.svg(background="white")


def fuzziness() -> str:
    """Return the chart of error rates over ties for each measure, as in Fig. 2 of the paper."""
    from nescio.reporting import svg
    from nescio.reporting.charts import LINES

    colours = dict(zip(("accuracy", "c@1", "UF"), LINES, strict=False))
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in colours}
    with (DOCS / "evidence" / "meta-evaluation-curves.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["collection"] == "mmlu_pro"]
    for row in rows:
        for name, own in points.items():
            ties, error = value(row[f"{name}: ties"]), value(row[f"{name}: error"])
            if ties and error and ties[0] is not None and error[0] is not None:
                own.append((ties[0], error[0]))
    every = [point for own in points.values() for point in own]
    across = svg.Axis(svg.around(x for x, _ in every), "ties, %")
    upright = svg.Axis(svg.around((y for _, y in every), zero=True), "error rate, %")
    drawn = svg.plot(WIDTH, 230, across, upright, [svg.Key(name, colour, "line") for name, colour in colours.items()])
    for name, own in points.items():
        places = [(drawn.x(x), drawn.y(y)) for x, y in own]
        drawn.chart.path(places, colours[name], 2)
        for x, y in places:
            drawn.chart.dot(x, y, 3.4, colours[name])
    return drawn.chart.svg(background="white")


def drawn() -> dict[str, str]:
    """Return every drawing by name."""
    charts = {plot.name: study(plot) for plot in STUDIES} | {"meta-evaluation": fuzziness()}
    return {"equal-accuracy": equal_accuracy(), "leaderboard": leaderboard(), "pipelines": pipelines(), **charts}


Run = tuple[str, int, int, int]  # a name, and the numbers of correct, incorrect and unanswered answers


def equal_accuracy() -> str:
    """Return the picture of two runs of equal accuracy, one of which stays silent (Table 3 of Peñas & Rodrigo 2011)."""
    return bars(
        [("icia091ro", 237, 156, 107), ("uaic092ro", 236, 264, 0)],
        "Two systems, 500 questions, the same accuracy",
        "c@1 = (C + U·C/n)/n: what is left unanswered counts as often as the rest is right.",
        "Two systems of equal accuracy: the one that abstains instead of answering wrongly has a c@1 of 0.58, the "
        "other 0.47",
    )


def leaderboard() -> str:
    """Return the picture of a leaderboard whose order changes when silence counts, from examples/czech-simpleqa.csv."""
    with (ROOT / "examples" / "czech-simpleqa.csv").open(encoding="utf-8") as file:
        runs = [
            (row["run"], int(row["correct"]), int(row["incorrect"]), int(row["unanswered"]))
            for row in csv.DictReader(file)
        ]
    return bars(
        runs,
        "Czech SimpleQA, 4,326 questions: who leads?",
        "By accuracy, gpt-4o. When silence counts, by c@1, Claude 3.5 Sonnet: it gives 575 fewer wrong answers.",
        "By accuracy gpt-4o leads with 0.31 before Claude 3.5 Sonnet with 0.28; by c@1 Claude 3.5 Sonnet leads with "
        "0.33 before gpt-4o with 0.32",
        both=True,
    )


def pipelines() -> str:
    """Return the picture of a pipeline without and with a validation step, from examples/pipeline.csv."""
    with (ROOT / "examples" / "pipeline.csv").open(encoding="utf-8") as file:
        counted = Counter((row["run"], row["outcome"]) for row in csv.DictReader(file))
    runs = [
        (run, counted[run, "correct"], counted[run, "incorrect"], counted[run, "unanswered"])
        for run in dict.fromkeys(run for run, _ in counted)
    ]
    return bars(
        runs,
        "A pipeline of 625 questions, and a validation step behind it",
        "The step withholds 64 right and 244 wrong answers: accuracy falls, c@1 rises.",
        "A validation step lowers the accuracy of a pipeline from 0.51 to 0.41 and raises its c@1 from 0.51 to 0.61",
    )


def bars(runs: Sequence[Run], title: str, remark: str, spoken: str, *, both: bool = False) -> str:
    """Return a chart of runs as bars of their outcomes, with accuracy and c@1 beside them.

    The largest c@1 is bold, and with `both` also the largest accuracy.
    """
    from nescio.reporting.charts import CORRECT, INCORRECT, UNANSWERED
    from nescio.reporting.svg import INK, MUTED

    left, total = max(90, 20 + 8 * max(len(name) for name, *_ in runs)), sum(runs[0][1:])
    wide, end = 360 - left, 84 + 58 * len(runs)
    accuracy, score = left + wide + 50, left + wide + 120  # the centres of the columns of numbers
    parts = [_text(16, 30, title, INK, weight="bold")]
    parts += [_text(x, 62, word, MUTED, anchor="middle") for x, word in ((accuracy, "accuracy"), (score, "c@1"))]
    scores = [correct / total * (1 + silent / total) for _, correct, _, silent in runs]
    for i, (name, correct, wrong, silent) in enumerate(runs):
        y, x = 78 + 58 * i, float(left)
        parts.append(_text(left - 10, y + 26, name, INK, anchor="end"))
        for n, colour in ((correct, CORRECT), (silent, UNANSWERED), (wrong, INCORRECT)):
            width = wide * n / total
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="40" fill="{colour}"/>')
            fits = width >= 8 * len(str(n))
            parts += [_text(x + width / 2, y + 26, str(n), "white", anchor="middle")] if n and fits else []
            x += width
        weight = "bold" if scores[i] == max(scores) else "normal"
        first = "bold" if both and correct == max(right for _, right, *_ in runs) else "normal"
        parts.append(_text(accuracy, y + 27, f"{correct / total:.2f}", INK, anchor="middle", size=20, weight=first))
        parts.append(_text(score, y + 27, f"{scores[i]:.2f}", INK, anchor="middle", size=20, weight=weight))
    x = float(left)
    for word, colour in (("correct", CORRECT), ("unanswered", UNANSWERED), ("incorrect", INCORRECT)):
        parts.append(f'<rect x="{x}" y="{end}" width="13" height="13" fill="{colour}"/>')
        parts.append(_text(x + 19, end + 11, word, INK))
        x += 42 + 8 * len(word)
    lines = textwrap.wrap(remark, 62)
    parts += [_text(16, end + 44 + 20 * i, line, MUTED) for i, line in enumerate(lines)]
    high = end + 40 + 20 * len(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 {high}" width="650" height="{high * 1.25:g}" '
        'font-family="Arial, Liberation Sans, Helvetica, sans-serif" font-size="14" role="img">'
        f'<title>{spoken}</title><rect width="520" height="{high}" rx="8" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _text(
    x: float, y: float, words: str, fill: str, *, anchor: str = "start", size: int = 14, weight: str = "normal"
) -> str:
    kind = f' text-anchor="{anchor}"' if anchor != "start" else ""
    kind += f' font-size="{size}"' if size != 14 else ""
    kind += f' font-weight="{weight}"' if weight != "normal" else ""
    return f'<text x="{x:.1f}" y="{y}"{kind} fill="{fill}">{words}</text>'


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for stem, svg in drawn().items():
        (PICTURES / f"{stem}.svg").write_text(svg, encoding="utf-8")
