"""Write pages: the parts that every page shares, and the report."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from nescio._version import __version__
from nescio.data.notes import Note
from nescio.reporting.layout import shortened
from nescio.reporting.numbers import difference, interval, number, spaced_p
from nescio.reporting.page.browser import Browser, browser, seen_by
from nescio.reporting.page.deciding import TOLERATED, promises
from nescio.reporting.page.drawing import drawn, table
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.figures import all_figures
from nescio.reporting.page.heat import heat_map
from nescio.reporting.page.how_to_read import warning, words
from nescio.reporting.page.leaderboard import leaderboard
from nescio.reporting.page.question_texts import Parts, Texts
from nescio.reporting.page.report_data import ReportData, compare_command, score_command
from nescio.reporting.page.sentence import Answer, answer, statements
from nescio.reporting.page.shown_text import as_json, deflated, isolated, run_names
from nescio.reporting.page.statements import Claim
from nescio.reporting.page.thresholds import deciding_payload, threshold_payload, threshold_rows
from nescio.reporting.page.to_read import errors_to_read, nothing_to_read, questions_to_read, run_advised
from nescio.reporting.suites import span
from nescio.text import enumerated, plural, sanitize

if TYPE_CHECKING:
    from jinja2 import Environment

PRINTED = 10  # errors listed in a print
NAMED, HEAD = 34, 20  # characters of a run's name in tables and above columns; the whole name is under the mouse
LONG = 2_000  # parts of the data with more characters are packed
_TICKED = re.compile("`([^`]+)`")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")  # options of a command, in which no line may break
_WHOLE = r'<span class="option">\g<0></span>'
_FOLDERS = re.compile(r"(?<![^\s'\"(])(?:/|[A-Za-z]:\\)(?:[^\s/\\]+[/\\])+(?=[^\s/\\])")  # folders of an absolute path
_INTERVAL = re.compile(r" \[[^][]{1,40}\]|\bp [<=] \.?\d")


class Shared(Struct, frozen=True):
    """The content that all pages have: the title, the answer at the top, the results' signatures, and the notes."""

    title: str
    answer: Answer
    signatures: Sequence[str]
    notes: Sequence[Note]


def page(report: ReportData, *, title: str | None = None, texts: Texts | None = None) -> str:
    """Return the report as one text of HTML. `title` is shown in the tab of the browser and above the report."""
    figures, missing = all_figures(report)
    browsing, unseen = browser(seen_by(report), texts)
    sources = (report.scores, report.comparisons)
    of_pairs = report.comparisons.notes if report.comparisons else ()
    alone = (report.why_alone,) if report.why_alone else ()
    notes = (*report.scores.notes, *of_pairs, *alone, *report.missing, *missing, *unseen)
    plotted = [figure for figure in figures if figure.name != "intervals"]  # the leaderboard draws these
    shared = Shared(
        title or "Report", answer(report), [str(source.signature) for source in sources if source is not None], notes
    )
    return assembled(
        "report.html.jinja",
        (
            "page.js",
            "highlight.js",
            "board.js",
            "thresholds.js",
            "deciding.js",
            "texts.js",
            "graded.js",
            "statistics.js",
            "own_scores.js",
            "reading.js",
            "questions.js",
        ),
        shared,
        plotted,
        browsing,
        held=_held(report),
        runs=[report.shown[run] for run in report.runs],
        board=leaderboard(report),
        shared_name=run_names(report.loaded.data.runs)[1],
        level=report.level,
        main=sanitize(report.main, target="page"),
        commands={"score": score_command(report), "compare": compare_command(report) if report.comparisons else ""},
        silence=_silence(report),
        warning=warning(report),
        words=words(report),
        printed_errors=(errors := errors_to_read(report, texts, PRINTED)),
        to_read=(links := questions_to_read(report, scored=browsing is not None and browsing.scored)),
        nothing_to_read="" if errors or links else nothing_to_read(report, *run_advised(report)),
        browser_lead=browser_lead(browsing),
        heat=heat_map(report),
        tolerated=TOLERATED if promises(report) else None,
        thresholds=threshold_rows(report),
    )


@cache
def templates(package: str, folder: str) -> Environment:
    """Return the jinja environment with the templates of a folder in a package. Each template is compiled once."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inert"] = lambda value: sanitize(str(value), target="page")
    environment.globals.update(number=number, interval=interval, span=span, difference=difference, spaced_p=spaced_p)
    environment.filters["coded"] = _coded
    environment.filters["unbroken"] = _unbroken
    environment.filters["plural"] = plural
    return environment


def assembled(
    template: str,
    scripts: Sequence[str],
    shared: Shared,
    figures: Sequence[Figure],
    browsing: Browser | None,
    *,
    held: Mapping[str, Any] | None = None,
    runs: Sequence[str] = (),
    **own: Any,
) -> str:
    """Return a page of HTML from its template, with the style, the scripts and the data inside.

    A content security policy lets only these scripts run. `held` is further data for the scripts, and `runs` holds the
    names of the runs that the page can highlight.
    """
    from markupsafe import Markup

    held = {**{figure.name: table(figure) for figure in figures}, **(held or {})}
    if browsing:
        held["browser"] = dict(browsing.payload)
    long = {name: part for name, part in held.items() if name != "browser" and len(as_json(part)) > LONG}
    held = {name: part for name, part in held.items() if name not in long}
    held["packed"] = deflated(as_json(long).encode())
    script = '"use strict";\n' + "\n".join(map(asset, ("unpack.js", *scripts)))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    short = shortened(runs, HEAD)
    head = " – ".join(filter(None, [shared.title, enumerated([short.get(run, run) for run in runs], 6)]))
    head = sanitize(head, 200, target="page")
    # in a style sheet, all characters but letters and digits are escaped
    in_css = "".join(sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):06x}" for sign in head)
    return (
        templates("nescio.reporting", "page")
        .get_template(template)
        .render(
            title=sanitize(shared.title, 200, target="page"),
            printed_head=Markup(f'"{in_css}"'),
            answer=_inert_answer(shared.answer, runs),
            figures=drawn(figures, runs),
            questions=browsing.questions if browsing else 0,
            parts={} if browsing is None or browsing.texts is None else _parts(browsing.texts),
            signatures=[sanitize(line, target="page") for line in shared.signatures],
            versions=", ".join(
                [
                    f"nescio {__version__}",
                    f"Python {platform.python_version()}",
                    *(f"{name} {version(name)}" for name in ("numpy", "scipy", "duckdb")),
                ]
            ),
            notes=list(dict.fromkeys(sanitize(_without_folders(remark), target="page") for remark in shared.notes)),
            data=Markup(as_json(held)),
            script=Markup(script),
            style=Markup(asset("page.css")),
            policy=(
                f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri"
                f" 'none'; form-action 'none'"
            ),
            nescio=__version__,
            runs=_names(runs),
            **own,
        )
    )


def _without_folders(remark: Note) -> str:
    """Return a note without the folders of this machine, because readers of the page need not know them."""
    text = str(remark)
    if os.path.isabs(remark.subject):
        text = text.replace(os.path.dirname(remark.subject).rstrip(os.sep) + os.sep, "")
    return _FOLDERS.sub("", text)


def _names(runs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the number of each run, and its shorter names for tables and for their heads, keyed by the run's name."""
    short, head = shortened(runs, NAMED), shortened(runs, HEAD)
    return {
        name: {"place": i, "short": short.get(name, name), "head": head.get(name, name)} for i, name in enumerate(runs)
    }


def _coded(text: str) -> Any:
    """Return the text as HTML in which words between backticks are set as code."""
    from markupsafe import Markup, escape

    return Markup(_TICKED.sub(lambda match: f"<code>{_OPTION.sub(_WHOLE, match[1])}</code>", str(escape(text))))


def _unbroken(text: str) -> str:
    """Return the text with spaces that prevent a line break between a value and its interval, and in p-values."""
    return _INTERVAL.sub(lambda match: match[0].replace(" ", "\u00a0"), text)


def _parts(texts: Parts) -> dict[str, Any]:
    """Return the packed texts for the page, keyed by the id of the element that holds each part.

    They are not escaped, because no character of base64 has a meaning in HTML.
    """
    from markupsafe import Markup

    groups = {"asked": texts.asked, "said": texts.said}
    return {f"{group}-{i}": Markup(part) for group, parts in groups.items() for i, part in enumerate(parts)}


def _inert_answer(headline: Answer, runs: Sequence[str]) -> Answer:
    def shown(text: str) -> str:
        return isolated(sanitize(text, target="page"), runs)

    return Answer(
        shown(headline.before),
        sanitize(headline.name, target="page"),
        shown(headline.after),
        tuple(map(shown, headline.more)),
        shown(headline.advice),
        shown(headline.doubt),
    )


def browser_lead(browsing: Browser | None, more: str = "") -> str:
    """Return the sentence that says what the browser of questions shows."""
    if browsing is None:
        return ""
    n, again = browsing.questions, browsing.payload.get("repeats")
    each = f"each of the {plural(n, 'question')}{more}"
    if again is not None:
        each = f"each of {plural(len(set(again)), 'question')}, asked {n:,} times in all{more}"
    return f"The score of each run on {each}." if browsing.scored else f"What each run did with {each}."


def _held(report: ReportData) -> dict[str, Any]:
    """Return the data for the scripts of a report: names of runs, sentences, and results at each threshold."""
    runs = _names([report.shown[run] for run in report.runs])
    short = [name["short"] for name in runs.values()]
    data: dict[str, Any] = {
        "short": short,
        "statements": [asdict(Claim.of(statement)) for statement in statements(report)],
    }
    if promises(report):
        data["deciding"] = deciding_payload(report)
    return data | ({"thresholds": threshold_payload(report)} if report.operating else {})


def _silence(report: ReportData) -> Sequence[Mapping[str, Any]]:
    """Return the reasons for not answering that the files state, as rows of a table.

    There are none if all the reasons are the same.
    """
    shown = [
        {
            **asdict(row),
            "run": report.shown.get(row.run, sanitize(row.run, 80, target="page")),
            "why": sanitize(row.why, 120, target="page"),
        }
        for row in report.loaded.silence
    ]
    return shown if len({row["why"] for row in shown}) > 1 else []


def asset(name: str) -> str:
    """Return the text of a file that goes into pages: the style sheet or a script."""
    return files("nescio.reporting.page").joinpath(name).read_text(encoding="utf-8")
