r"""Write results as LaTeX: booktabs, aligned numbers, the best in bold, and superscripts for worse runs.

A leaderboard with intervals or marks is a `table` whose caption explains them; other results are bare `tabular`s. A
table wider than the text is scaled down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from nescio.reporting.grid import Cell, Grid
from nescio.text import sanitize

SPECIALS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",  # LaTeX's oldest encoding prints these three as other signs
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # babel makes this a command in some languages
    "'": "'{}",  # two of these would become another sign
    "`": r"\symbol{96}",
    "†": r"\textdagger{}",
    "–": r"\textendash{}",
    "→": r"$\to$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "\u200c": "",  # no font has joiners either
    "\u200d": "",
    "\N{REPLACEMENT CHARACTER}": "(?)",  # no font has the replacement of a control character
}
PREAMBLE = r"% needs \usepackage{booktabs,graphicx}"
# from graphicx, for tables that are too wide
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_POINT = re.compile(r"([<+-]?)([\d,]+)\.(\d.*)", re.DOTALL)
_WHOLE = re.compile(r"([<+-]?)([\d,]+)")
_SIGNS = {"<": "$<$", "+": "$+$", "-": "$-$", "": ""}


def escape(text: str) -> str:
    """Return the text for LaTeX: signs of commands are escaped, and consecutive hyphens do not become a dash."""
    return re.sub(r"(?<=-)(?=-)", "{}", "".join(SPECIALS.get(c, c) for c in sanitize(text, target="line")))


def tabular(grid: Grid, label: str = "tab:scores") -> str:
    """Return the table as a LaTeX `tabular`. A leaderboard with intervals or signs is a `table` with a caption.

    `label` is the label of that `table`.
    """
    rows: Sequence[Sequence[Cell]] = grid.cells or [[Cell(cell) for cell in row] for row in grid.rows]
    if not grid.legend and not grid.about:
        return _tabular(grid.head, rows, grid.texts, {})
    caption = [f"{escape(grid.about)}."] if grid.about else []
    names: dict[str, str] = {}
    if grid.legend:
        caption.append(rf"The best of each column is in bold; $^{{\dagger}}$ {escape(grid.legend)}.")
    if any(cell.better_than for row in rows for cell in row):
        at = grid.head.index("run")
        runs = dict.fromkeys(row[at].value for row in rows)
        names = dict(zip(runs, letters(len(runs)), strict=True))
        lettered = ", ".join(rf"$^{{{letter}}}$~{escape(run)}" for run, letter in names.items())
        caption.append(f"A superscript names the runs that are significantly worse by the same tests: {lettered}.")
        # Each run has its own letter beside its name.
        rows = [
            [replace(cell, better_than=(cell.value,)) if i == at else cell for i, cell in enumerate(row)]
            for row in rows
        ]
    table = _tabular(grid.head, rows, grid.texts, names)
    caption_text = " ".join(caption)
    return "\n".join(
        [r"\begin{table}", r"\centering", rf"\caption{{{caption_text}}}", rf"\label{{{label}}}", table, r"\end{table}"]
    )


def _tabular(head: Sequence[str], rows: Sequence[Sequence[Cell]], text: Sequence[bool], names: dict[str, str]) -> str:
    pointed = [not text[i] and any(_POINT.fullmatch(row[i].value) for row in rows) for i in range(len(head))]
    align = "".join("l" if text[i] else "r@{.}l" if pointed[i] else "r" for i in range(len(head)))
    titles = [
        rf"\multicolumn{{2}}{{c}}{{{escape(name)}}}" if pointed[i] else escape(name) for i, name in enumerate(head)
    ]
    body = [_line([_cell(cell, pointed[i], names) for i, cell in enumerate(row)]) for row in rows]
    return "\n".join(
        [
            FITTED,
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            _line(titles),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}}",
        ]
    )


def letters(count: int) -> Sequence[str]:
    """Return `count` short names for the runs in superscripts: a … z, then aa, ab, …"""
    letters_used = []
    for i in range(count):
        name, rest = "", i + 1
        while rest:
            rest, digit = divmod(rest - 1, 26)
            name = chr(ord("a") + digit) + name
        letters_used.append(name)
    return letters_used


def _line(cells: Sequence[str]) -> str:
    text = " & ".join(cells)
    # After a line break, LaTeX would read a bracket as a length and swallow a star.
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def _cell(cell: Cell, pointed: bool, names: dict[str, str]) -> str:
    """Return a cell of a leaderboard in LaTeX. Superscripts name the runs that this run significantly beats.

    If `pointed`, the column is aligned on the decimal point. The cell then becomes two, before and after the point, or
    one cell across both. `names` maps each run to its letter.
    """
    raised = ("," if len(names) > 26 else "").join(names[run] for run in names if run in cell.better_than)
    over = (r"\dagger" if cell.tied else "") + (r"\," if cell.tied and raised else "") + raised
    sign = f"$^{{{over}}}$" if over else ""
    interval = f" {_figures(cell.interval)}" if cell.interval else ""
    if not pointed:
        return _bold(escape(cell.value), cell) + sign + interval
    if whole_number := _WHOLE.fullmatch(cell.value):
        sign_, digits = whole_number.groups()
        return rf"\multicolumn{{1}}{{r@{{}}}}{{{_bold(_SIGNS[sign_] + digits, cell)}}} & {sign}{interval}"
    parts = _POINT.fullmatch(cell.value)
    if parts is None:
        return rf"\multicolumn{{2}}{{c}}{{{_bold(escape(cell.value), cell)}{sign}{interval}}}"
    whole, fraction = _SIGNS[parts[1]] + parts[2], _figures(parts[3])
    return f"{_bold(whole, cell)} & {_bold(fraction, cell)}{sign}{interval}"


def _figures(text: str) -> str:
    """Return a text for LaTeX in which a hyphen before a digit is a minus sign."""
    return re.sub(r"-(?=\d)", "$-$", escape(text))


def _bold(text: str, cell: Cell) -> str:
    return rf"\textbf{{{text}}}" if cell.best else text
