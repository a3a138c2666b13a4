"""Is a cell what was written into it, after a spreadsheet had its way with it?

Spreadsheets turn `2010-06-30`, `0012`, `1/2` and `1e5` into dates and numbers, quotation marks and dashes into curly
and long ones, and cut what is longer than a cell. A column that was sorted alone must not pass for that.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from nescio.tables.outcomes_writer import guard
from nescio.text import normal_form, squeeze

CELL = 32_767  # characters that a cell holds
_FOLDED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-"})
_MONTH = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t(ember)?)?|oct(ober)?|nov(ember)?|"
    "dec(ember)?"
)
# A number, date, time, fraction, share or amount of money in any spelling that a spreadsheet reads as one.
_TYPED = re.compile(rf"(?=.*\d)(?:[\s\d.,:/+\-()%$€£¥']|(?<=\d)e(?=[+-]?\d)|\b(?:{_MONTH}|am|pm)\b|(?<=\d)[ap]m\b)+")
_CUT = re.compile(r"(?<=;)(?='*[=+@-])")
_GUARDED_CUT = re.compile(r"(?<=;)'(?='*[=+@-])")
_TRUTH = frozenset({"true", "false"})
_ESCAPE = re.compile("_x[0-9a-f]{4}_", re.IGNORECASE)  # how workbooks write a character that XML lacks


def plain(text: str) -> str:
    """Return a text without what spreadsheets change in it."""
    bare = _ESCAPE.sub("", normal_form("NFKC", unguarded(text)).replace("\ufffd", "")).replace("...", "…")
    return squeeze(normal_form("NFKC", bare.translate(_FOLDED)))


def guarded(cell: Any) -> Any:
    """Return a cell of CSV that no spreadsheet takes for a formula.

    Where lists are separated by semicolons, a program cuts the cell at each, and the rest may begin like a formula.
    """
    return guard(_CUT.sub("'", cell)) if isinstance(cell, str) else cell


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophes of `guarded`."""
    bare = cell[1:] if cell.startswith("'") and guard(cell[1:]) == cell else cell
    return _GUARDED_CUT.sub("", bare)


def is_same(written: str, found: str, others: Collection[str]) -> bool:
    """Return whether a cell can be the value that was written into it.

    `others` are the values of other items, which the cell must not equal. All values have the form of `plain`.
    """
    before, now = plain(written), plain(found)
    if before == now or (len(written) >= CELL and now and before.startswith(now)):
        return True
    if now in others:
        return False
    if before in _TRUTH:
        return bool(now)  # WAHR, VRAI, 1
    return bool(_TYPED.fullmatch(before)) and any(c.isdigit() for c in now)
