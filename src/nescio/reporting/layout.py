"""Lay out tables as lines of a terminal that fit its width and keep every number whole.

A table that is too wide is fitted step by step, only as far as needed. Values that are equal in all rows go above the
table. Intervals go below their values. Heads and texts break between words, and long names are shortened in the middle.
Then columns that the table can spare (`Grid.spare`, the first of them first) are left out, and a line below names them.
A table that is still too wide continues below, with the first columns repeated. At last each row becomes a block.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.reporting.grid import Grid

WIDE = 10_000  # in a pipe a table takes the width that it needs
GAP = 2  # spaces between columns
LEAST = 14  # names are shortened to at least this many characters
LEAST_PROSE = 24  # columns of sentences are narrowed to at least this many characters
TYPED, LEAST_TYPED = "measure", 40  # users type these names, so they stay whole up to this many characters
WORDS = 3  # a text with more words than this is a sentence
CUT = "…"


class Fitted(Struct, frozen=True):
    """A table fitted to a width: one or several tables, and the names of the columns left out.

    `above` is a text with the columns that have the same value in every row, which are not in the tables.
    """

    above: str
    tables: tuple[Grid, ...]
    left_out: tuple[str, ...] = ()


def fit(grid: Grid, width: int) -> Fitted:
    """Return a table fitted to a width, given as a number of terminal columns."""
    if table_width(grid) <= width:
        return Fitted("", (grid,))
    above, grid = _without_constants(grid)
    if table_width(grid) <= width:
        return Fitted(above, (grid,))
    grid = _broken_heads(grid.with_cells(lambda cell: cell.replace(" [", "\n[")))
    spare = [name for name in grid.spare if name in map(_plain, grid.head)]
    for many in range(len(spare) + 1):
        kept = [i for i, name in enumerate(grid.head) if _plain(name) not in spare[:many]]
        narrow = narrowed(grid.take(kept), width)
        if table_width(narrow) <= width:
            return Fitted(above, (narrow,), tuple(spare[:many]))
    parts = tuple(_parts(grid, width))
    return Fitted(above, parts if all(table_width(part) <= width for part in parts) else (grid,))


def table_width(grid: Grid) -> int:
    """Return the number of terminal columns that a table takes without being fitted."""
    return sum(_widths(grid)) + GAP * (len(grid.head) - 1)


def lines(grid: Grid, width: int) -> list[list[str]]:
    """Return the lines of a table, the lines of the head first. Each line is a list of padded cells.

    A table that cannot fit has a block for each row instead, with a line "head: value" for each cell.
    """
    if table_width(grid) > width:
        return [[line] for line in _blocks(grid, width)]
    widths = _widths(grid)
    drawn = []
    for row in ([grid.head] if any(grid.head) else []) + list(grid.rows):
        cells = [cell.split("\n") for cell in row]
        high = max(map(len, cells), default=1)
        if row is grid.head:  # heads end on the line above the first row
            cells = [[""] * (high - len(cell)) + cell for cell in cells]
        for i in range(high):
            padded = []
            for cell, wide, text in zip(cells, widths, grid.texts, strict=True):
                line = cell[i] if i < len(cell) else ""
                room = " " * (wide - length(line))
                padded.append(line + room if text else room + line)
            drawn.append(padded)
    return drawn


def narrowed(grid: Grid, width: int) -> Grid:
    """Return the table with narrower columns of text, the widest first, until it fits or none can be narrower."""
    widths = _widths(grid)
    least = [
        min(wide, max(_least(grid, i), _longest_word(grid.head[i]))) if text else wide
        for i, (wide, text) in enumerate(zip(widths, grid.texts, strict=True))
    ]
    over = sum(widths) + GAP * (len(widths) - 1) - width
    while over > 0:
        widest = max(range(len(widths)), key=lambda i: widths[i] - least[i])
        room = widths[widest] - least[widest]
        if room <= 0:
            break
        others = [widths[i] for i in range(len(widths)) if widths[i] > least[i] and widths[i] < widths[widest]]
        step = min(over, room, max(1, widths[widest] - max(others, default=widths[widest] - over)))
        widths[widest] -= step
        over -= step
    columns = []
    for i, text in enumerate(grid.texts):
        cells = [row[i] for row in grid.rows]
        columns.append(_folded(cells, widths[i]) if text else cells)
    heads = tuple(
        "\n".join(_wrapped(name, wide)) if text else name
        for name, wide, text in zip(grid.head, widths, grid.texts, strict=True)
    )
    return replace(grid, head=heads, rows=tuple(zip(*columns, strict=True)) if columns else ())


def shortened(texts: Sequence[str], width: int) -> dict[str, str]:
    """Return short forms of the names, all different: each name longer than `width` is cut in the middle.

    If the names differ only in the middle, the part that they share is cut instead.
    """
    long = [text for text in dict.fromkeys(texts) if length(text) > width]
    short = {text: middle(text, width) for text in long}
    for alike in [[text for text in long if short[text] == cut] for cut in dict.fromkeys(short.values())]:
        if len(alike) > 1:
            first, last = shared_start(alike), shared_start([text[::-1] for text in alike])
            short |= {text: _around(text, first, len(text) - last, width) for text in alike}
    taken = {text for text in texts if length(text) <= width}
    for text in long:
        times, name = 1, short[text]
        while name in taken:
            times += 1
            name = f"{middle(short[text], width - len(str(times)) - 1)}~{times}"
        taken.add(name)
        short[text] = name
    return short


def length(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


COMMAND = re.compile(r" +nescio ")


def paragraph(text: str, width: int, hanging: str = "") -> str:
    """Return the text broken into lines of a width. A word or path that is longer than a line is broken, too.

    Each line after the first begins with `hanging`. An indented command stays on one line, so that users can copy it.
    """
    return "\n".join(
        "\n".join(
            textwrap.wrap(line, max(20, width), subsequent_indent=hanging, break_on_hyphens=False)
            if line and not COMMAND.match(line)
            else [line]
        )
        for line in text.split("\n")
    )


def _widths(grid: Grid) -> list[int]:
    rows = (grid.head, *grid.rows)
    return [
        max((length(line) for row in rows for line in row[i].split("\n")), default=0) for i in range(len(grid.head))
    ]


def _plain(head: str) -> str:
    return head.replace("\n", " ")


def _without_constants(grid: Grid) -> tuple[str, Grid]:
    columns = range(len(grid.head))
    same = [i for i in columns if len({row[i] for row in grid.rows}) == 1] if len(grid.rows) > 1 else []
    if not same or len(same) == len(grid.head):
        return "", grid
    above = ", ".join(f"{_plain(grid.head[i])}: {grid.rows[0][i].strip()}" for i in same)
    return above, grid.take([i for i in columns if i not in same])


def _broken_heads(grid: Grid) -> Grid:
    """Return the table with each head broken between its words, so that it fits the width of its column."""
    body = _widths(replace(grid, head=("",) * len(grid.head)))
    heads = [
        "\n".join(_wrapped(name, max(wide, _longest_word(name)))) for name, wide in zip(grid.head, body, strict=True)
    ]
    return replace(grid, head=tuple(heads))


def _least(grid: Grid, i: int) -> int:
    if _plain(grid.head[i]).strip() == TYPED:
        return LEAST_TYPED
    return LEAST_PROSE if _is_prose(grid, i) else LEAST


def _longest_word(text: str) -> int:
    return max((length(word) for word in text.split()), default=0)


def _wrapped(text: str, width: int) -> list[str]:
    if length(text) <= width:
        return text.split("\n")
    return [
        part
        for line in text.split("\n")
        for part in textwrap.wrap(line, max(1, width), break_on_hyphens=False, break_long_words=False) or [""]
    ]


def _is_prose(grid: Grid, i: int) -> bool:
    return any(len(row[i].split()) > WORDS for row in grid.rows)


def _folded(cells: Sequence[str], width: int) -> list[str]:
    """Return the cells with texts broken into lines of a width. A word longer than a line is cut in the middle."""
    if all(length(line) <= width for cell in cells for line in cell.split("\n")):
        return list(cells)
    short = shortened([word for cell in cells for word in cell.split()], width)
    return [
        "\n".join(_wrapped(" ".join(short.get(word, word) for word in cell.split()), width))
        if length(cell) > width
        else cell
        for cell in cells
    ]


def middle(text: str, width: int) -> str:
    """Return a text of at most this width. A longer text loses characters in the middle."""
    if length(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}{CUT}{text[-end:] if end else ''}"


def _around(text: str, start: int, stop: int, width: int) -> str:
    """Return a name cut to a width, so that the words between the indices `start` and `stop` stay whole.

    The remaining room goes to the beginning and the end of the name. If even these words do not fit, they are cut, too.
    """
    stop = max(start, stop)
    while start > 0 and text[start - 1].isalnum():  # as in 70B, where 70 is the difference
        start -= 1
    while stop < len(text) and text[stop].isalnum():
        stop += 1
    head, middle_part, tail = text[:start], text[start:stop], text[stop:]
    room = width - length(middle_part) - 2 * length(CUT)
    if room < 0:
        return middle(f"{CUT if head else ''}{middle_part}{CUT if tail else ''}", width)
    after = min(len(tail), room // 2)
    before = min(len(head), room - after)
    after = min(len(tail), room - before)
    short_head = head if before == len(head) else head[:before] + CUT
    return short_head + middle_part + (tail if after == len(tail) else CUT + tail[len(tail) - after :])


def shared_start(texts: Sequence[str]) -> int:
    """Return the number of characters that all texts share at their start."""
    low, high = min(texts), max(texts)
    return next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))


def _parts(grid: Grid, width: int) -> Iterator[Grid]:
    """Yield tables that fit, which together have all columns. Each repeats the leading columns of text (the names)."""
    keys = int(grid.texts[0])
    while keys < len(grid.texts) and grid.texts[keys] and not _is_prose(grid, keys):
        keys += 1
    keys = min(keys, len(grid.head) - 1)
    rest = list(range(keys, len(grid.head)))
    while rest:
        many = len(rest)
        while many > 1 and table_width(narrowed(grid.take([*range(keys), *rest[:many]]), width)) > width:
            many -= 1
        part = grid.take([*range(keys), *rest[:many]])
        narrow = narrowed(part, width)
        yield narrow if table_width(narrow) <= width else part
        rest = rest[many:]


def _blocks(grid: Grid, width: int) -> Iterator[str]:
    for row in grid.rows:
        for name, cell in zip(grid.head, row, strict=True):
            text = f"{_plain(name)}: {cell.replace(chr(10), ' ').strip()}" if name else cell
            yield from paragraph(text, width, "  ").split("\n")
        yield ""


def drawn(grid: Grid) -> str:
    """Return a table as text, without fitting it to a width."""
    return "".join((" " * GAP).join(cells).rstrip() + "\n" for cells in lines(grid, WIDE))
