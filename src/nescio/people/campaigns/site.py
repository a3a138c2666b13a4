"""Write the site of a campaign: leaderboards, a page for each topic, and LaTeX for the overview; and, not public, a
folder of returns for each group."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import MismatchError
from nescio.formats.folder_writer import file_names
from nescio.options.edge import Progress
from nescio.people.campaigns import pages
from nescio.people.campaigns.faults import Fault
from nescio.people.campaigns.folder import (
    GUIDELINES,
    HANDOUT,
    RECEIPTS,
    RETURNS,
    SITE,
    Campaign,
    renewed,
    step,
    text_of,
)
from nescio.people.campaigns.freshness import PUBLISHING, SCORED, SCORING, done, inputs, refuse_old, scored_line
from nescio.people.campaigns.layouts import Table, figure, merit, named_run
from nescio.people.campaigns.receipts import TOLD
from nescio.people.campaigns.retyped import guarded
from nescio.people.campaigns.scoring import TopicScore, read_results, read_tables
from nescio.people.campaigns.sheet_times import left_in_sheets
from nescio.people.campaigns.standings import agreement_sentence, standings, topic_cells, topic_columns
from nescio.people.campaigns.tampering import SEAL, faults
from nescio.reporting import latex
from nescio.sources.writing import csv_text
from nescio.stats.parallel import followed
from nescio.tasks.ave.baselines import PERFECT, RANDOM
from nescio.text import plural, sanitize, squeeze

LONGEST = 300  # characters of an answer that a page shows


class Published(Struct, frozen=True):
    """The result of `publish`: the site, and its numbers of topic pages and of folders of returns.

    `left` says which sheets hold what nobody collected.
    """

    folder: Path
    topics: int
    groups: int
    left: tuple[str, ...] = ()

    def __str__(self) -> str:
        wrote = (
            f"wrote {self.folder}: index.html, {plural(self.topics, 'topic page')}, LaTeX in latex/; wrote"
            f" {self.folder.parent / RETURNS}: private returns for {plural(self.groups, 'group')}"
        )
        return "\n".join([wrote, *(f"note: {sanitize(remark)}" for remark in self.left)])


class _Site:
    """The data that all pages of a site need: results, tables, and the names of runs that readers may see."""

    def __init__(
        self, campaign: Campaign, parts: list[dict[str, Any]], tables: list[Table], folder: Path, private: Path
    ) -> None:
        self.campaign, self.parts, self.tables, self.folder = campaign, parts, tables, folder
        self.private = private
        settings = campaign.settings
        rows = [TopicScore(*row) for part in self.parts for row in part["topics"]]
        self.by_topic: dict[tuple[str, str], list[TopicScore]] = {}
        self.by_run: dict[str, list[TopicScore]] = {}
        language = [part["language"] for part in self.parts for _ in part["topics"]]
        for row, lang in zip(rows, language, strict=True):
            self.by_topic.setdefault((lang, row.question), []).append(row)
            self.by_run.setdefault(row.run, []).append(row)
        runs = {row.run: row.group for row in rows}
        self.group = runs
        titles = {run: (settings.groups.get(group, group), run) for run, group in runs.items()}
        hidden = sorted(runs, key=lambda run: campaign.hidden_order("blind", run))
        codes = {run: ("", f"run {number}") for number, run in enumerate(hidden, 1)}
        self.shown: Mapping[str, tuple[str, str]] = codes if settings.blind else titles
        self.names = {
            run: code if settings.blind else " ".join(filter(None, named_run(run, settings, runs)))
            for run, (_, code) in self.shown.items()
        }
        names = [f"{language}-{question}" if language else question for language, question in self.by_topic]
        self.file = dict(zip(self.by_topic, file_names(names), strict=True))
        self.median = {
            key: statistics.median(values)
            if (values := [row.score for row in scores if row.score is not None])
            else None
            for key, scores in self.by_topic.items()
        }


def publish(campaign: Path | str, *, progress: Progress | None = None) -> Published:
    """Write the site of results into `site/`: static pages without scripts or requests.

    `index.html` names the best run and those tied with it, and has a chart of the runs, all tables, and scores by run
    and topic. `topics/` has a page for each topic with each run's answer and outcome, `latex/` an overview with all
    tables, and `digests.json` the digests of the inputs. `returns/GROUP/`, beside the site, is for one group: its
    receipts, its runs topic by topic with the median of all runs, and a skeleton of working notes. With `blind = true`
    the site names no group and no run; the returns of a group name only the group's runs. `progress` is called with the
    number of pages written. Raises MismatchError if there are no results, if their inputs have changed since, or if
    files differ from the log.
    """
    with step(campaign) as opened:
        read = inputs(opened, PUBLISHING)
        _refuse(opened)
        with renewed(opened / SITE) as draft, renewed(opened / RETURNS) as private:
            site = write_site(opened, draft, private, progress)
        done(opened, PUBLISHING, read)
        left = tuple(left_in_sheets(opened))
    return Published(opened / SITE, len(site.by_topic), len({*site.group.values()}), left)


def _refuse(campaign: Campaign) -> None:
    """Raise MismatchError if the results are older than their inputs, or if files differ from the log."""
    refuse_old(campaign)
    differences = [
        fault for fault in faults(campaign) if not (fault.file.startswith((SITE, RETURNS)) or _cleared(fault))
    ]
    if differences:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise MismatchError(f"{differences[0]}{more}; to list all faults, run nescio campaign verify {campaign.typed}")


def _cleared(fault: Fault) -> bool:
    """Return whether the step clears a fault, because it reads nothing of the file and takes down its digest."""
    return fault.file.startswith((GUIDELINES, HANDOUT)) and fault.rule.endswith("repeat the step")


def write_site(campaign: Campaign, draft: Path, private: Path, progress: Progress | None = None) -> _Site:
    """Write all pages: those for everybody into the folder `draft`, and those for single groups into `private`."""
    site = _Site(campaign, read_results(campaign)["parts"], read_tables(campaign), draft, private)
    groups = dict.fromkeys(site.group.values())
    _index(site)
    pages_of = [
        *(partial(_topic, site, *key) for key in site.by_topic),
        *(partial(_returns, site, group) for group in groups),
    ]
    for write in followed(pages_of, progress):
        write()
    _latex(site)
    _put(draft / SEAL, json.dumps(_seal(site), indent=1) + "\n")
    return site


def _seal(site: _Site) -> dict[str, Any]:
    """Return the digests of the log's line on scoring and of all inputs, which show from which data the site was made.

    With `blind` the inputs are left out, because the names of the input files would name the runs.
    """
    seal: dict[str, Any] = {"log": scored_line(site.campaign)}
    if not site.campaign.settings.blind:
        seal["scored"] = inputs(site.campaign, SCORING)
        results = inputs(site.campaign, PUBLISHING)
        seal["results"] = {name: value for name, value in results.items() if name != SCORED}
    return seal


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")


def _index(site: _Site) -> None:
    settings = site.campaign.settings
    listed = [_blinded(table, site) for table in site.tables] if settings.blind else site.tables
    standing = standings(site.parts, site.names)
    columns = topic_columns(standing, list(site.names))
    measure = next((row.measure for rows in site.by_topic.values() for row in rows), "")
    scored = {(row.run, key): row.score for key, rows in site.by_topic.items() for row in rows}
    shaded = topic_cells(scored, list(site.by_topic), columns.runs, measure)
    topics = [
        {
            "cells": cells,
            "link": f"topics/{site.file[key]}.html",
            "id": key[1],
            "language": key[0],
            "median": figure(site.median[key], 3),
            "answered": sum(row.answered for row in rows),
            "runs": len(rows),
        }
        for (key, rows), cells in zip(site.by_topic.items(), shaded, strict=True)
    ]
    page = pages.rendered(
        "index.html.jinja",
        settings.name,
        head=scored_line(site.campaign),
        tables=sorted(
            (table for table in listed if table is not None), key=lambda table: not table.name.startswith("scores")
        ),
        topics=topics,
        standings=standing,
        agreement=agreement_sentence(site.tables),
        columns=[site.names[run] for run in columns.runs],
        more_runs=columns.more,
        measure=measure,
        signatures=[part["signature"] for part in site.parts],
        notes=_notes(site),
        languages=bool(settings.languages) and all(language for language, _ in site.by_topic),
        deadline=f"{settings.deadline:%Y-%m-%d %H:%M} UTC" if settings.deadline else "",
    )
    _put(site.folder / "index.html", page)


def _notes(site: _Site) -> list[str]:
    """Return the notes on the results; with `blind`, those that name no run, no group and no QA system."""
    notes = dict.fromkeys(note for part in site.parts for note in part["notes"])
    if not site.campaign.settings.blind:
        return list(notes)
    names = {*site.group, *(word for pair in site.campaign.settings.groups.items() for word in pair)}
    names |= {cell for table in site.tables for row in table.rows if _is_system(table, row) for cell in row[:2]}
    # Whole words, because a short name may be a part of any word; a run's name goes on with an underscore.
    words = "|".join(re.escape(squeeze(name)) for name in names if squeeze(name))
    hidden = re.compile(rf"(?<!\w)(?:{words})(?![^\W_])")
    return [note for note in notes if not hidden.search(squeeze(note))]


def _blinded(table: Table, site: _Site) -> Table | None:
    """Return a table with codes in place of groups and runs, or None for a table about groups."""
    if table.groups_only:
        return None
    settings = site.campaign.settings
    code = {}
    for run, group in site.group.items():
        system = named_run(run, settings, site.group)[1]
        code[settings.groups[group], system] = site.shown[run][1]
    systems = [row for row in table.rows if _is_system(table, row) and (row[0], row[1]) not in code]
    systems.sort(key=lambda row: site.campaign.hidden_order("system", *row[:2]))
    for number, row in enumerate(systems, 1):
        code[row[0], row[1]] = f"QA system {number}"
    rows = [("", code[row[0], row[1]], *row[2:]) if (row[0], row[1]) in code else row for row in table.rows]
    tied = sorted(range(len(rows)), key=lambda i: (table.ties[i] if table.ties else i, _by_number(rows[i])))
    return replace(table, rows=tuple(rows[i] for i in tied))


def _by_number(row: tuple[str, ...]) -> tuple[str, int]:
    """Return a sort key from the code in a row, such as "run 7", so that the order of ties does not reveal groups."""
    word, _, number = row[1].rpartition(" ")
    return (word, int(number)) if number.isdecimal() else (row[0] + row[1], 0)


def _is_system(table: Table, row: tuple[str, ...]) -> bool:
    """Return whether a row of a ranking is about a system; if not, it is about a baseline."""
    return table.name.partition("-")[0] == "ranking" and row[0] not in (PERFECT, RANDOM)


def _topic(site: _Site, language: str, question: str) -> None:
    key = (language, question)
    part = next(part for part in site.parts if part["language"] == language)
    rows = sorted(site.by_topic[key], key=lambda row: (-_merit(row), site.shown[row.run]))
    nuggets = part["nuggets"].get(question, [])
    page = pages.rendered(
        "topic.html.jinja",
        question,
        above={site.campaign.settings.name: "../index.html"},
        text=part["questions"].get(question, ""),
        measure=rows[0].measure,
        median=figure(site.median[key], 3),
        nuggets=nuggets,
        rows=[_row(site, row) for row in rows],
    )
    _put(site.folder / "topics" / f"{site.file[key]}.html", page)


def _row(site: _Site, row: TopicScore) -> dict[str, Any]:
    group, run = site.shown[row.run]
    return {
        "group": group,
        "run": run,
        "outcome": row.outcome,
        "verdict": row.verdict,
        "found": set(row.verdict.split(",")),
        "score": figure(row.score, 3),
        "answer": sanitize(row.answer, LONGEST, target="page"),
    }


def _returns(site: _Site, group: str) -> None:
    settings = site.campaign.settings
    folder = site.private / group
    runs = []
    for run in [run for run, run_group in site.group.items() if run_group == group]:
        rows: list[dict[str, Any]] = []
        table: list[tuple[Any, ...]] = [("question", "outcome", "verdict", "measure", "score", "median", "answer")]
        for row in site.by_run[run]:
            key = (row.language, row.question)
            median = site.median[key]
            fields = {"id": row.question, "median": figure(median, 3), "below": _is_worse(row, median)}
            rows.append({**_row(site, row), **fields})
            cells = (row.question, row.outcome, row.verdict, row.measure, row.score, median, row.answer)
            table.append(tuple(map(guarded, cells)))
        _put(folder / f"{run}.csv", csv_text(table))
        part = next(part for part in site.parts if run in part["versions"])
        version, digest = part["versions"][run]
        scores = [row for row in part["scores"] if row["run"] == run]
        runs.append(
            {
                "name": run,
                "code": site.shown[run][1],
                "rows": rows,
                "scores": scores,
                "version": version,
                "digest": digest,
                "measure": site.by_run[run][0].measure,
                "below": sum(row["below"] for row in rows),
            }
        )
    page = pages.rendered(
        "returns.html.jinja",
        f"Returns of {settings.groups[group]}",
        runs=runs,
        blind=settings.blind,
        figure=lambda value: figure(value, 3),
    )
    _put(folder / "index.html", page)
    receipts = site.campaign / RECEIPTS / group / TOLD
    if receipts.is_file():
        _put(folder / TOLD, text_of(receipts))


def _merit(row: TopicScore) -> float:
    return merit(row.measure, math.nan if row.score is None else row.score)


def _is_worse(row: TopicScore, median: float | None) -> bool:
    return row.score is not None and median is not None and _merit(row) < merit(row.measure, median)


# ---- LaTeX ----

_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{textcomp}
\usepackage[margin=2cm]{geometry}
\setlength{\belowcaptionskip}{4pt}
\setlength{\parindent}{0pt}
"""


def _latex(site: _Site) -> None:
    settings = site.campaign.settings
    listed = [_blinded(table, site) for table in site.tables] if settings.blind else site.tables
    shown = [table for table in listed if table is not None]
    _put(
        site.folder / "latex" / "overview.tex",
        _document(f"Overview of {settings.name}", "The organisers", shown, _OVERVIEW),
    )
    for group in () if settings.blind else dict.fromkeys(site.group.values()):
        title = settings.groups[group]
        tables = [
            replace(table, rows=tuple(row for row in table.rows if row[0] == title))
            for table in shown
            if table.texts > 1
        ]
        kept = [table for table in tables if table.rows]
        text = _document(f"{title} at {settings.name}", title, kept, _NOTES)
        _put(site.private / group / "working-notes.tex", text)


_OVERVIEW = ("Introduction", "Task", "Collections", "Evaluation", "Results", "Conclusions")
_NOTES = ("Introduction", "System description", "Runs submitted", "Results", "Analysis", "Conclusions")


def _document(title: str, author: str, shown: Sequence[Table], sections: Sequence[str]) -> str:
    """Return a LaTeX document with these `sections`. All are empty, except "Results", which has the tables."""
    lines = [
        _PREAMBLE,
        rf"\title{{{latex.escape(title)}}}",
        rf"\author{{{latex.escape(author)}}}",
        r"\begin{document}",
        r"\maketitle",
    ]
    for section in sections:
        lines.append(rf"\section{{{section}}}")
        if section == "Results":
            lines += [rf"Table~\ref{{tab:{table.name}}}: {latex.escape(table.title)}.\par" for table in shown]
            lines += [table.latex() for table in shown]
        else:
            lines.append("% to be written")
    return "\n".join([*lines, r"\end{document}", ""])
