"""Print a table, figure or equation of the papers behind nescio, with the paper's values beside ours.

Without an item, the command lists the items of the paper; without a paper, it lists the papers. Name an item as you
would say it: "eq 11", "Table 8", "fig. 2". Its command runs on data that come with nescio: the counts printed in the
paper or, if the paper prints none, small examples. With FILES, the item is computed from your files, in the layout of
the paper. The last line of each page says which files the item takes. For a drawing, --figure (or -o FILE.svg) writes
the file.

\b
nescio paper
nescio paper AVE2007
nescio paper PENAS2011 "eq 11"
nescio paper PENAS2011 "table 3" outcomes.csv
nescio paper PENAS2011 "fig 2" --figure ties.svg
nescio paper AVE2007 "table 2" dev.xml test.xml
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import UsageError, opt
from nescio.options import argument, verb
from nescio.options.kinds import FILES
from nescio.papers import Item, Paper, examples, find_item, find_paper, fitting_items, papers
from nescio.reporting import screen
from nescio.reporting.grid import Grid
from nescio.reporting.printing import show_grid, show_text
from nescio.reporting.row_grids import record_grid
from nescio.text import command_text
from nescio.verbs._figures import Figured, figure_of
from nescio.verbs._paper_layout import Cell, agreement, empty_columns, laid_out
from nescio.verbs._paper_runs import Ran, files_for, run_examples, run_on_files

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")  # a link of the page, which a terminal does not follow
_WROTE = re.compile(r"(^|; )wrote \S+?(: |$)")  # a message about a file in a temporary folder


class PaperRequest(Figured):
    """The options of `nescio paper`."""

    paper: str | None = argument(
        kw_only=False,
        default=None,
        argument=True,
        metavar="[PAPER]",
        complete=lambda: list(papers()),
        help="The key of a paper, or a part of the key.",
    )
    item: str | None = argument(
        kw_only=False, default=None, argument=True, metavar="[ITEM]", help="An item, as in 'eq 11' or 'table 8'."
    )
    files: Sequence[Path | str] = argument(
        kw_only=False,
        kind=FILES,
        default=(),
        argument=True,
        reads=True,
        metavar="[FILES]...",
        help="Your files, in place of the paper's data.",
    )


class Listed(Struct, frozen=True):
    """A paper with the number of its items."""

    paper: str
    title: str
    source: str
    items: int


class ListedItem(Struct, frozen=True):
    """An item of a paper, and its first command."""

    item: str
    title: str
    command: str


class Reproduced(Results[Cell], frozen=True, kw_only=True):
    """The result of repeating an item of a paper: the item, its cells, and the results of its commands.

    `given` names the user's files that the commands read; it is empty without such files.
    """

    paper: Paper
    item: Item
    ran: tuple[Ran, ...] = ()
    layout: Grid | None = None
    given: tuple[str, ...] = ()


def show(results: Results) -> None:
    """Print a list of papers, a list of a paper's items, or one item."""
    if not isinstance(results, Reproduced):
        show_grid(record_grid(results.records()))
        known = results.signature.get("paper")
        show_text(f"to show one: nescio paper {known or 'PAPER'}{' ITEM' if known else ''}", style="dim")
        return
    paper, item = results.paper, results.item
    _show_head(results)
    if results.layout is not None:
        show_grid(results.layout)
        if results.given and (lacking := empty_columns(item, results.rows)):
            show_text(f"Left out, because your files lack the data: {', '.join(lacking)}.")
    words = [word.partition("*")[0] for command, _ in item.commands for word in shlex.split(command)]
    if not results.given and any((examples() / word).exists() for word in words):
        show_text(f"in a copy of {examples()}:", style="dim")
    for command in () if results.given else item.before:
        show_text(f"$ nescio {command}", style="dim")
    for ran in results.ran:
        show_text(f"$ {ran.command}", style="dim")
        if results.layout is None:
            _show_one(ran)
    if results.given:
        return
    for text in (agreement(item, results.rows), _LINK.sub(r"\1", item.remark)):
        if text:
            show_text(text)
    if item.yours != ():
        again = command_text(["nescio", "paper", paper.key, item.label])
        show_text(f"on your files: {again} {files_for(item)}", style="dim")


def _show_head(results: Reproduced) -> None:
    """Print the title and the text of an item; without files of the user, also print the paper's own data."""
    paper, item = results.paper, results.item
    show_text(f"{paper.title} ({paper.source})", style="dim")
    # the user's files have another topic than the paper's data
    title = item.title if results.given else item.whole_title
    show_text(": ".join(filter(None, (item.label, title))), style="bold")
    for text in (item.text, "" if results.given else item.data):
        for line in text.strip("\n").splitlines():
            show_text(f"    {line}")
    print()


def _show_one(ran: Ran) -> None:
    """Print the result of a command as the command itself does."""
    if ran.verb.present is not None:
        ran.verb.present(ran.result, SimpleNamespace(form="table", output=None, verbose=False))
    elif isinstance(ran.result, Results):
        (ran.verb.show or screen.show)(ran.result)
    elif line := _WROTE.sub("", str(ran.result)):
        show_text(line)
    for line in ran.text.splitlines():
        show_text(f"    {line}")


@verb(PaperRequest, show=show)
def paper(request: PaperRequest) -> Results:
    if request.item is None and request.figure is not None:
        raise UsageError(f"{opt('figure')} needs an item that is a drawing")
    if request.paper is None:
        rows = [Listed(key, article.title, article.source, len(article.items)) for key, article in papers().items()]
        return Results(tuple(rows), sign(papers=len(rows)), (), "papers")
    article = find_paper(request.paper)
    if request.item is None:
        items = [ListedItem(item.label, item.whole_title, command_of(article, item)) for item in article.items]
        return Results(tuple(items), sign(paper=article.key), (), "items")
    name, files = _in_one(article, request.item, request.files)
    item = find_item(article, name)
    figure = figure_of(request, files)
    ran = run_on_files(article, item, files, figure) if files else run_examples(article, item, figure)
    grid, cells = laid_out(article, item, ran, on_files=bool(files))
    signed = [run.result.signature for run in ran if isinstance(run.result, Results)]
    line = (signed[0] if signed else sign()).extend(paper=article.key, item=item.label)
    return Reproduced(
        cells,
        line,
        tuple(dict.fromkeys(note for run in ran for note in getattr(run.result, "notes", ()))),
        "cells",
        {} if grid is not None else _tables(ran),
        paper=article,
        item=item,
        ran=ran,
        layout=grid,
        given=tuple(map(str, files)),
        wrote=() if figure is None else (f"wrote {figure}",),
    )


def _in_one(article: Paper, name: str, files: Sequence[Path | str]) -> tuple[str, tuple[Path | str, ...]]:
    """Return the name of an item, and the files after it.

    A name such as `eq 11` may arrive as two words, because it was not quoted.
    """
    words = list(files)
    while words and not Path(words[0]).exists() and fitting_items(article, f"{name} {words[0]}"):
        name = f"{name} {words.pop(0)}"
    return name, tuple(words)


def _tables(ran: tuple[Ran, ...]) -> dict[str, tuple[Any, ...]]:
    """Return the tables in the results of commands, keyed by name."""
    tables: dict[str, tuple[Any, ...]] = {}
    for run in ran:
        if isinstance(run.result, Results):
            tables |= {run.result.kind: run.result.rows, **run.result.tables}
    return tables


def command_of(one: Paper, item: Item) -> str:
    """Return the first command of an item, or else the call of `nescio paper` if the item has rows."""
    call = command_text(["nescio", "paper", one.key, item.label])
    return f"nescio {item.commands[0][0]}" if item.commands else call if item.rows else ""
