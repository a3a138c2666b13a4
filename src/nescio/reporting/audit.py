"""Show an audit of measures: a matrix of measures by tests, and the findings of each test in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby

from nescio import plugins
from nescio.data.results import Finding, Results
from nescio.meta_evaluation.audit import TESTS, registered
from nescio.reporting import layout
from nescio.reporting.grid import Grid, make_grid
from nescio.reporting.markdown import markdown_table
from nescio.reporting.printing import in_line, print_grid, show_signature, show_text
from nescio.text import command_text, sanitize

# Each head has two lines, so that all ten columns fit beside the longest name.
HEADS = {
    "all silent": "all\nsilent",
    "one right answer": "one\nright",
    "one wrong answer": "one\nwrong",
    "random answers": "random\nanswer",
    "random silence": "random\nsilent",
    "equals accuracy": "equals\naccur.",
    "silence for wrong": "wrong\nto U",
    "silence for right": "right\nto U",
    "nothing answered": "silent\nis 0",
    "bounded": "in\nrange",
}
MARKS = {
    "resists": "ok",
    "cheated": "cheat",
    "holds": "ok",
    "fails": "fails",
    "undefined": "undef",
    "not applicable": "n/a",
}
FEW = 5  # a terminal shows findings in words for at most this many measures
LEGEND = (
    (
        "cheat: scores as well as an honest system with more than half of its answers right (random silence: scores "
        "better than before)"
    ),
    "undef: 0/0 on one side of a comparison; ok: the search found no counterexample",
)


def grids(results: Results) -> list[Grid]:
    """Return the audit as plain tables: the result of each test for each measure, then the counterexamples in words."""
    texts = [
        [sanitize(row.measure, target="line"), row.test, sanitize(words(row), target="line")]
        for row in results
        if row.counterexample
    ]
    findings = [make_grid(["measure", "test", "finding"], texts, [True] * 3)] if texts else []
    return [_marks(results, [test for test, _ in TESTS]), *findings]


def show(results: Results) -> None:
    """Print the audit: the result of each test for each measure, and, for a few measures, every finding in words."""
    for part in _printed(results):
        if isinstance(part, str):
            show_text(part, style="dim" if part in LEGEND else "bold")
        else:
            print_grid(part.with_cells(in_line))  # our own heads have two lines
            show_text("")
    show_signature(results.signature)


def plain(results: Results) -> str:
    """Return the text that `show` prints, without fitting it to the width of a terminal."""
    parts = [f"{part}\n" if isinstance(part, str) else f"{layout.drawn(part)}\n" for part in _printed(results)]
    return "".join([*parts, f"{results.signature}\n"])


def _printed(results: Results) -> list[Grid | str]:
    """Return the tables to print and the lines of text between and below them, from top to bottom."""
    measures = _by_measure(results)
    parts: list[Grid | str] = [_marks(results, [HEADS[test] for test, _ in TESTS])]
    if len(measures) > FEW:
        return [
            *parts,
            *LEGEND,
            "For the findings in words, use `nescio audit -m NAME`, or -o FILE.md for all measures.",
        ]
    if results.tables["scores"]:
        parts.append(_scores(results))
    for name, by_test in measures:
        findings = {"all tests": next(iter(by_test.values()))} if _exempt(by_test) else by_test
        printed = [[test, MARKS[row.result], sanitize(words(row), target="line")] for test, row in findings.items()]
        parts += [sanitize(name, target="line"), make_grid([""] * 3, printed, [True] * 3)]
    return [*parts, *LEGEND]


def words(row: Finding) -> str:
    """Return the finding of one test of a measure in words: the counterexample, or the extent of the search."""
    if row.counterexample:
        share = f" ({100 * row.worth:.0f}% right)" if row.result == "cheated" and row.test != "random silence" else ""
        gains = f" (up to {100 * row.worth:.0f}% right)" if row.result == "cheated" and not share else ""
        return row.counterexample + share + gains
    if row.result == "resists":
        return f"{_number(row.value)}; an honest run has {_number(row.against)}"
    left = f", undefined in {row.undefined:,}" if row.undefined else ""
    return f"no violation in {row.cases:,} cases{left}"


def page(results: Results) -> str:
    """Return the whole audit as a page of Markdown, with an explanation of the tests."""
    return "\n".join([overview(results), "## Counterexamples\n", counterexamples(results), made(results)])


def overview(results: Results) -> str:
    """Return the tests and how to read them, each measure's verdicts, and the systems' scores, as Markdown."""
    introduction = files("nescio.reporting").joinpath("audit.md.in").read_text(encoding="utf-8")
    measures = _by_measure(results)
    tests = [test for test, _ in TESTS]
    audited = [(name, tested) for name, tested in measures if not _exempt(tested)]
    matrix = [[name, *(_verdict(tested[test]) for test in tests)] for name, tested in audited]
    parts = [
        introduction.replace("QUESTIONS", results.signature["questions"]),
        "## Every measure, every test\n",
        markdown_table(_matrix(["measure", *tests], matrix)) + "\n",
    ]
    exempt = [f"`{name}`" for name, tested in measures if _exempt(tested)]
    if exempt:
        parts.append(
            f"Not audited, because they need columns that outcomes alone do not determine: {', '.join(exempt)}.\n"
        )
    if results.tables["scores"]:
        earned = _scores(results)
        head, *turned = zip(earned.head, *earned.rows, strict=True)
        parts += ["## What the systems earn\n", markdown_table(_matrix(["measure", *head[1:]], turned)) + "\n"]
    return "\n".join(parts)


def counterexamples(results: Results) -> str:
    """Return the counterexamples to each audited measure as Markdown, with a table for each measure.

    Tests without a decision have no counterexample, so they appear only in the matrix of `overview`.
    """
    parts = []
    for name, tested in _by_measure(results):
        broken = ((test, row) for test, row in tested.items() if row.result in ("cheated", "fails"))
        rows = [[test, row.result, words(row)] for test, row in broken]
        if rows and not _exempt(tested):
            table = make_grid(["test", "result", "finding"], rows, [True] * 3)
            parts += [f"### {name}\n", markdown_table(table), ""]
    return "\n".join(parts)


def made(results: Results) -> str:
    """Return a section of Markdown with the command that makes the page, and the signature of the results."""
    return "\n".join(["## How it was made\n", f"    {command(results)}\n", f"`{results.signature}`\n"])


def command(results: Results) -> str:
    """Return the command line that makes the page of the audit again, with its measures and plug-ins.

    The line leaves out the number of questions and the seed, which the signature of the results shows.
    """
    measures = list(dict.fromkeys(row.measure for row in results))
    usual = {measure.label for measure in registered()}
    extra = [name for name in measures if name not in usual] if usual <= set(measures) else measures
    every = ["--all"] if usual <= set(measures) and extra else []
    chosen = [part for name in extra for part in ("-m", name)]
    return command_text(["nescio", "audit", *every, *chosen, *plugins.words(), "-o", "audit.md"])


def summary(rows: Sequence[Finding]) -> str:
    """Return one sentence on a measure: which cheats work, which axioms it breaks, or that it passes all tests."""
    if rows[0].result == "not applicable":
        return f"not applicable: {rows[0].counterexample}"
    by_result: dict[str, list[str]] = {}
    for row in rows:
        by_result.setdefault(row.result, []).append(row.test)
    verbs = {"cheated": "cheated by", "fails": "breaks", "undefined": "undefined:"}
    parts = [f"{verb} {', '.join(by_result[result])}" for result, verb in verbs.items() if result in by_result]
    how = f" (`{command_text(['nescio', 'audit', '-m', rows[0].measure, *plugins.words()])}` shows how)"
    return "; ".join(parts) + how if parts else "resists every cheat and satisfies every axiom"


def _verdict(row: Finding) -> str:
    if row.result == "holds":
        return f"holds ({row.cases:,})"
    return f"cheated, {100 * row.worth:.0f}%" if row.result == "cheated" else row.result


def _exempt(rows: dict[str, Finding]) -> bool:
    return all(row.result == "not applicable" for row in rows.values())


def _by_measure(results: Results) -> list[tuple[str, dict[str, Finding]]]:
    return [(name, {row.test: row for row in rows}) for name, rows in groupby(results, key=lambda row: row.measure)]


def _scores(results: Results) -> Grid:
    earned = results.tables["scores"]
    cell = {(row.system, row.measure): row.value for row in earned}
    measures = list(dict.fromkeys(row.measure for row in earned))
    systems = list(dict.fromkeys(row.system for row in earned))
    rows = [[s, *(_number(cell[s, m]) if (s, m) in cell else "–" for m in measures)] for s in systems]
    return _matrix(["system", *(sanitize(item, target="line") for item in measures)], rows)


def _marks(results: Results, heads: Sequence[str]) -> Grid:
    """Return a table with a row for each measure, and a word for the result of each test under its head."""
    rows = [
        [sanitize(name, target="line"), *(MARKS[by_test[test].result] for test, _ in TESTS)]
        for name, by_test in _by_measure(results)
    ]
    return _matrix(["measure", *heads], rows)


def _matrix(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """Return a table with names in the first column, and one sign or number in each other cell."""
    return make_grid(head, rows, [True] + [False] * (len(head) - 1))


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{round(value, 12):.4g}"  # the last bits depend on the processor
