"""Make the page of a suite: the best run, the leaderboard, and a heat map of benchmarks and runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from nescio.comparison.best import CONTRADICTED
from nescio.comparison.hidden_losses import hidden_between
from nescio.data.results import Comparison, is_level
from nescio.measures import parse
from nescio.reporting.numbers import number, with_interval
from nescio.reporting.page import fitness
from nescio.reporting.page.browser import Seen, browser
from nescio.reporting.page.fitness import Standing, no_decision, nothing_yet, unfit
from nescio.reporting.page.heat import Cell, shaded
from nescio.reporting.page.leaderboard import Strip, scale_of, strip
from nescio.reporting.page.rendering import Shared, assembled, browser_lead
from nescio.reporting.page.report_data import MOST_BROKEN_DOWN, counts_of
from nescio.reporting.page.sentence import Answer, parted
from nescio.reporting.page.shown_text import names, run_names
from nescio.reporting.page.statements import LEVEL, Claim, Figure, Statement
from nescio.reporting.page.suite_questions import suite_questions, suite_texts
from nescio.reporting.page.to_read import Link, address_of
from nescio.reporting.suites import ordered
from nescio.reporting.svg import written
from nescio.suites.definition import Suite
from nescio.suites.rows import BenchmarkScore, SuiteScore, SuiteScores
from nescio.text import enumerated, plural, sanitize


class Board(Struct, frozen=True):
    """The leaderboard and the heat map of one measure on the page of a suite.

    `lines` are the rows of the leaderboard: a run's name, its scores, and the positions of its interval on a scale.
    `ends` are the ends of that scale as text. The heat map has a column for each of `runs`, and `rows` holds each
    benchmark's name and cells.
    """

    measure: str
    lines: Sequence[tuple[str, SuiteScore, Strip | None]]
    runs: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    has_wins: bool
    has_sure: bool
    ends: Sequence[str]


def suite_page(scores: SuiteScores, *, title: str, command: str = "", suite: Suite | None = None) -> str:
    """Return the page of a suite as one text of HTML.

    `command` is the command line that reproduces its figures. If the scored `suite` is given, the page also has a
    browser with the questions of all benchmarks.
    """
    measures = list(dict.fromkeys(row.measure for row in scores))
    boards = [_board(scores, measure) for measure in measures]
    level = scores.signature.get("ci")
    rows = ordered([row for row in scores if row.measure == measures[0]])
    runs = [row.run for row in rows]
    shown = dict(zip(runs, run_names(runs)[0], strict=True))
    seen = suite_questions(suite, runs, shown, float(level) if level else None) if suite else Seen()
    browsing, unseen = browser(seen, suite_texts(suite) if suite else None)
    shared = Shared(title, answer(scores, suite), [str(scores.signature)], (*scores.notes, *unseen))
    scripts = ("texts.js", "graded.js", "statistics.js", "own_scores.js", "reading.js", "questions.js")
    return assembled(
        "suite.html.jinja",
        ("page.js", *(scripts if browsing else ())),
        shared,
        (),
        browsing,
        held={"statements": [asdict(Claim.of(statement)) for statement in statements(scores, suite)]},
        boards=boards,
        level=float(level) if level else None,
        shared_name=run_names(runs)[1],
        over=scores.signature["over"],
        command=sanitize(command, target="page"),
        to_read=_to_read([shown[run] for run in runs]) if browsing else (),
        browser_lead=browser_lead(browsing),
    )


def answer(scores: SuiteScores, suite: Suite | None = None) -> Answer:
    """Return the answer at the top of a suite's page: the run with the best mean of the first measure.

    The answer also says how sure that is, and on which benchmarks another run is better.
    """
    best, *rest = statements(scores, suite)
    more = [statement.text for statement in rest if statement.kind == "did"]
    if best.figures.get("chosen"):
        of = f"{best.figures['runs']:,} runs"
        more.append(f"The interval above holds for the best of {of}; each interval in the tables is for its run alone.")
    head, *others = [*(statement for statement in rest if statement.kind != "did"), best]
    before, name, after = parted(head.text, str(head.figures["run"]))
    return Answer(before, name, after, tuple(more), " ".join(statement.text for statement in others))


def statements(scores: SuiteScores, suite: Suite | None = None) -> tuple[Statement, ...]:
    """Return every sentence at the top of a suite's page: the best run, the advice, and benchmarks that others win.

    If `suite` is given, its answers may show reasons not to use the best run, which are sentences, too.
    """
    first = scores.rows[0].measure
    rows = ordered([row for row in scores if row.measure == first])
    best, others = rows[0], rows[1:]
    shown = dict(zip([row.run for row in rows], run_names([row.run for row in rows])[0], strict=True))
    name = shown[best.run]
    if math.isnan(best.value):
        return (Statement("degenerate", f"The mean of {first} is undefined for every run.", {"run": "every run"}),)
    chosen = best.chosen_low is not None and len(rows) > 1
    low, high = (best.chosen_low, best.chosen_high) if best.chosen_low is not None else (best.low, best.high)
    figures: dict[str, Figure] = {"run": name, "value": best.value, "low": low, "high": high, "runs": len(rows)}
    figures |= {"benchmarks": best.benchmarks, "measure": first, "chosen": int(chosen)}
    value, of = with_interval(best.value, low, high), plural(best.benchmarks, "benchmark")
    level = scores.signature.get("ci")
    of_level = float(level) / 100 if level else None
    refused = tuple(_refused(scores, suite, rows, name)) if suite else ()
    if not others:
        return (Statement("best", f"{name} has a mean {first} of {value} over {of}.", figures, of_level), *refused)
    after = f"{name} has the best mean {first} over {of}, {value}"
    won = (*refused, *_elsewhere(scores, first, best.run, shown))
    if best.best is None:
        return (Statement("best", f"{after}; no tests were made.", figures, of_level), *won)
    with_mean = [row for row in others if not math.isnan(row.value)]
    if not with_mean:
        return (Statement("best", f"{after}; no other run has a defined mean.", figures, of_level), *won)
    if against := [n for n in scores.notes if n.code == CONTRADICTED and n["measure"] == first]:
        head = f"{after}, but {shown[against[0]['better']]} is significantly better on shared questions."
        return (Statement("best", head, figures, of_level), *won)
    tied = [shown[row.run] for row in others if row.tied_with_best or row.best]
    if not tied:
        advice = Statement("better", f"Ship {name}, if each benchmark counts the same.", figures, LEVEL)
        than = shown[with_mean[0].run] if len(with_mean) == 1 else "every other run"
        than += " with a defined mean" if len(with_mean) not in (1, len(others)) else ""
        head = f"{after}, significantly better than {than}."
    else:
        text = (
            f"These benchmarks do not tell {enumerated([name, *tied], 3)} apart: choose by what the runs cost, by the "
            "benchmark that is most like your use, or ask more questions."
        )
        advice = Statement("tied", text, {"run": name, "tied": len(tied)})
        head = f"{after}, not significantly different from {enumerated(tied, 3)}."
    return (Statement("best", head, figures, of_level), *(() if refused else (advice,)), *won)


def _refused(scores: SuiteScores, suite: Suite, rows: Sequence[SuiteScore], name: str) -> Iterator[Statement]:
    """Yield the reasons not to use the best run, by the rules of the report on a single collection.

    `rows` are the scores of all runs, the best first. Each benchmark counts the same. There are no reasons from errors
    if a benchmark has no outcomes.
    """
    best, runs = rows[0], len(rows)
    benchmarks = [benchmark for benchmark in suite.benchmarks if best.run in benchmark.data.runs]
    yield from no_decision(scores, best.measure, best.run, name, [benchmark.loaded for benchmark in benchmarks])
    for other in [row for row in rows[1:2] if not math.isnan(row.value)]:
        difference = best.value - other.value
        row = Comparison(best.run, other.run, best.measure, difference, None, None, None, None, None, 0)
        if why := hidden_between([benchmark.data for benchmark in suite.benchmarks], scores, row):
            yield nothing_yet(why, name, why)
    counts = [counts_of(benchmark.loaded).get(best.run, (0, 0, 0)) for benchmark in benchmarks]
    if not benchmarks or not all(map(sum, counts)):
        return
    shares = [
        np.divide(fitness.answered_and_wrong(benchmark.data, {best.run: count})[best.run], sum(count))
        for benchmark, count in zip(benchmarks, counts, strict=True)
    ]
    answered, wrong = np.mean(shares, axis=0).tolist()
    silence = float(
        np.mean([fitness.silence_score(best.measure, benchmark.data, best.run) for benchmark in benchmarks])
    )
    if not answered:
        yield Statement("degenerate", f"There is nothing to ship: {name} answered no question.", {"run": name})
        return
    among = ", each benchmark counted alike" if len(benchmarks) > 1 else ""
    yield from unfit(Standing(name, runs, answered, wrong, best.measure, best.value, silence), among=among)


def _elsewhere(scores: SuiteScores, measure: str, best: str, shown: Mapping[str, str]) -> tuple[Statement, ...]:
    """Return the sentence on how many benchmarks the best run wins, and which runs win the other benchmarks."""
    by_benchmark: dict[str, list[BenchmarkScore]] = {}
    for row in scores.tables["benchmarks"]:
        if row.measure == measure and not math.isnan(row.value):
            by_benchmark.setdefault(row.benchmark, []).append(row)
    firsts = {benchmark: ordered(rows) for benchmark, rows in by_benchmark.items()}
    others = []
    for benchmark, rows in firsts.items():
        of_best = next((row for row in rows if row.run == best), None)
        if of_best is not None and not is_level(of_best.value, rows[0].value):
            shown_benchmark = names([benchmark])[0]
            others.append(
                f"{shown[rows[0].run]} on {shown_benchmark} ({number(rows[0].value)} against {number(of_best.value)})"
            )
    led = sum(any(row.run == best and is_level(row.value, rows[0].value) for row in rows) for rows in firsts.values())
    text = f"{shown[best]} has the best {measure} on {led} of {plural(len(firsts), 'benchmark')}"
    text += f"; better on others: {enumerated(others, 4)}. Single benchmarks are not tested." if others else "."
    return (Statement("did", text, {"run": shown[best], "led": led, "benchmarks": len(firsts)}),)


def _to_read(runs: Sequence[str]) -> tuple[Link, ...]:
    """Return links to the questions that the first run gets wrong, and to those among them that the second gets right.

    The runs are in the order of their means, the best first.
    """
    best, *others = runs
    easy = {"order": "easy"} if others else {}
    first = ", starting with those that most runs get right" if others else ""
    links = [Link(address_of(run=f"{best}|2", **easy), f"the errors of {best}{first}")]
    for other in others[:1]:
        text = f"what {other} gets right and {best} gets wrong"
        links.append(Link(address_of(run=[f"{best}|2", f"{other}|1"]), text))
    return tuple(links)


def _board(scores: SuiteScores, measure: str) -> Board:
    rows: list[SuiteScore] = ordered([row for row in scores if row.measure == measure])
    shown = dict(zip([row.run for row in rows], run_names([row.run for row in rows])[0], strict=True))
    of_measure = [row for row in scores.tables["benchmarks"] if row.measure == measure]
    runs = [row.run for row in rows[:MOST_BROKEN_DOWN]]
    benchmarks = list(dict.fromkeys(row.benchmark for row in of_measure))
    scored = {(row.benchmark, row.run): row for row in of_measure}
    heat: list[tuple[str, Sequence[Cell]]] = []
    for benchmark, name in zip(benchmarks, names(benchmarks), strict=True):
        # benchmarks have different scales, so a shade compares runs within one benchmark
        in_row = [scored.get((benchmark, run)) for run in runs]
        heat.append((name, shaded(in_row, lower=parse(measure).declaration.lower_is_better, missing="–")))
    ends = scale_of(rows)
    return Board(
        sanitize(measure, target="page"),
        [(shown[row.run], row, strip(row, ends)) for row in rows],
        [shown[run] for run in runs],
        heat,
        any(row.win_rate is not None for row in rows),
        any(row.sure_low is not None for row in rows),
        written(ends),
    )
