"""Decide whether a cell still has the text that was written into it, although a spreadsheet may have changed it.

Spreadsheets turn `2010-06-30`, `0012`, `1/2` and `1e5` into dates and numbers, change quotation marks and dashes, and
cut long texts. Such changes are accepted, but no text that was moved, as after a column was sorted alone. A program
changes a text wherever it stands; so a text that is missing from its row and stands in another was moved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
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
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}\b")  # as spreadsheets write 30 juin 2010
_CUT = re.compile(r"(?<=;)(?='*[=+@-])")
_GUARDED_CUT = re.compile(r"(?<=;)'(?='*[=+@-])")
_DIGITS, _LETTERS = re.compile("[0-9]+"), re.compile(r"[^\W\d_]+")
_WHOLE = re.compile("[0-9]{1,11}")  # longer numbers are rounded
_ZEROS = re.compile("[.,]0+$")
_TRUTH = frozenset({"true", "false"})
_ESCAPE = re.compile("_x[0-9a-f]{4}_", re.IGNORECASE)  # how workbooks write a character that XML lacks


def plain(text: str) -> str:
    """Return a form of a text that stays the same if a spreadsheet changes quotation marks, dashes or the like."""
    bare = _ESCAPE.sub("", normal_form("NFKC", unguarded(text)).replace("\ufffd", "")).replace("...", "…")
    return squeeze(normal_form("NFKC", bare.translate(_FOLDED)))


def guarded(cell: Any) -> Any:
    """Return a cell of CSV, changed where necessary, so that no spreadsheet takes it for a formula.

    Some programs split a cell at semicolons, and each piece could begin like a formula.
    """
    return guard(_CUT.sub("'", cell)) if isinstance(cell, str) else cell


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophes that `guarded` put into it."""
    bare = cell[1:] if cell.startswith("'") and guard(cell[1:]) == cell else cell
    return _GUARDED_CUT.sub("", bare)


def moved(pairs: Iterable[tuple[str, str]]) -> set[str]:
    """Return the texts, as `plain` returns them, that left their own cell and are now in another cell.

    `pairs` has the text that was written into each cell, and the text that is there now. A date may have any form. It
    moved if it lacks a number of the text of its cell and has all numbers of the text of another.
    """
    plainly = [(plain(written), plain(cell)) for written, cell in pairs]
    changed = [(before, now) for before, now in plainly if before != now]
    written = {numbers for numbers in (_numbers(before) for before, _ in changed) if len(numbers) > 1}
    dates = {
        now: _numbers(now) for before, now in changed if _DATE.match(now) and not _numbers(before) <= _numbers(now)
    }
    others = {now for now, numbers in dates.items() if any(some <= numbers for some in written)}
    return {before for before, _ in changed} & {now for _, now in changed} | others


def was_moved(written: str, found: str, elsewhere: Collection[str]) -> bool:
    """Return whether the cell `found` has another text than was `written`, and one of the two was `moved`."""
    before, now = plain(written), plain(found)
    return before != now and (before in elsewhere or now in elsewhere)


def is_same(written: str, found: str, elsewhere: Collection[str]) -> bool:
    """Return whether the cell `found` in a returned sheet can be the value that was `written` into it.

    Spreadsheets change some values, such as dates. `elsewhere` has the texts that were `moved`.
    """
    before, now = plain(written), plain(found)
    if before == now or (len(written) >= CELL and now and before.startswith(now)):
        return True
    if before in elsewhere or now in elsewhere:
        return False
    if before in _TRUTH:
        return bool(now)  # WAHR, VRAI, 1
    if not any(c.isdigit() for c in now):
        return False
    if _WHOLE.fullmatch(before):
        return _digits(before) in (_digits(now), _digits(_ZEROS.sub("", now)))
    return bool(_TYPED.fullmatch(before)) or _is_date(before, now)


def _is_date(text: str, date: str) -> bool:
    """Return whether a spreadsheet in any language may write a text such as `30 juin 2010` as `date`.

    A date keeps its day or its year, and each of its words begins as a word of the text.
    """
    words = _LETTERS.findall(date)
    if not _numbers(text) & _numbers(date):
        return False
    if not words:
        return bool(_DATE.match(date))
    before = _LETTERS.findall(text)
    return all(any(old_word[0] == word[0] and len(old_word) >= len(word) for old_word in before) for word in words)


def _numbers(text: str) -> frozenset[int]:
    """Return the last two digits of each number in a text, which a date keeps in most forms."""
    return frozenset(int(number[-2:]) for number in _DIGITS.findall(text))


def _digits(number: str) -> str:
    """Return the digits of a number, without zeros before it."""
    return "".join(c for c in number if c.isdigit()).lstrip("0")
