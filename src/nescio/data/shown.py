"""Declare how rows of results are shown: structs declare their columns, and every form of output reads these
declarations.

    class Gain(Row, frozen=True):
        over: Annotated[str, Shown("gain over")]
        gain: Annotated[float, Shown(form="signed", interval=("low", "high"))]
        low: float
        high: float

A field without a declaration appears only in JSON and CSV. A cell that must be computed is a property, declared in the
same way by its return type. A struct without declarations shows all of its fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from nescio.data.plain_tables import figure, plain_value, rounded, shown_p, signed_figure

Form = Literal["plain", "number", "count", "signed", "percent", "p", "short"]


class Shown(Struct, frozen=True):
    """A declaration of a column: how a field or a property is shown.

    `head` is the heading (None: the field's name); in braces it may name a field or a property of the first row. `form`
    formats numbers: "plain" by their type, "number" with decimals, "count" without decimals if they are whole, "short"
    with four significant digits; `digits` sets the number of digits. `interval` names the two fields with the bounds of
    the value, `total` the field with the number that a count is out of. `absent` is shown for None and an empty text,
    `undefined` for NaN.

    A column is left out if all its cells are absent or equal to `default`, unless `always` is set. It is also left out
    if it equals the column of the field `same_as` in every row. It comes after the column `after`, if given. Texts are
    cut to `most` characters; `numeric` texts are aligned right. If there is no room, columns with `spare` are left out,
    those with the lowest `spare` first.
    """

    head: str | None = None
    form: Form = "plain"
    interval: tuple[str, str] | None = None
    total: str = ""
    digits: int | None = None
    absent: str = "–"
    undefined: str = "undefined"
    default: Any = None
    always: bool = False
    same_as: str = ""
    numeric: bool = False
    after: str = ""
    most: int = 0
    spare: int = 0


class Row(Struct, frozen=True):
    """A row of results, whose class declares how a list of such rows is shown.

    `most_listed` is the number of rows that a terminal lists (None: all rows; 0: none); JSON always has all rows.
    `across` names two fields: each value of the first field becomes a column, which shows the values of the second.
    """

    most_listed: ClassVar[int | None] = None
    across: ClassVar[tuple[str, str] | None] = None

    @classmethod
    def above(cls, rows: Any) -> Iterable[str]:  # noqa: ARG003
        """Return sentences to show above the table of these rows; none unless a class overrides this."""
        return ()

    @classmethod
    def below(cls, rows: Any) -> Iterable[str]:  # noqa: ARG003
        """Return sentences to show below the table of these rows; none unless a class overrides this."""
        return ()


class Shape(Struct, frozen=True):
    """A column of a table: the name of its field or property, its declaration, and whether it is text.

    Text is aligned left, numbers right.
    """

    name: str
    shown: Shown
    text: bool


class Laid(Struct, frozen=True):
    """A table of texts, ready to print: headings and cells.

    `texts` says which columns hold text, and `spare` names the columns that can be left out, the least important first.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[bool, ...]
    spare: tuple[str, ...]


def lay(rows: Sequence[Any]) -> Laid | None:
    """Return rows of one class as a table of texts, or None if the class declares no column."""
    kind: Any = type(rows[0]) if rows else None
    declared = shapes_of(kind) if rows else ()
    repeated = {shape.shown.same_as: shape for shape in declared if _repeats(rows, shape)}
    shapes = [shape for shape in declared if _is_told(rows, shape) and shape not in repeated.values()]
    if not shapes:
        return None
    if across := getattr(rows[0], "across", None):
        return _lay_across(rows, shapes, across)
    spare = sorted(
        (shape for shape in shapes if shape.shown.spare and shape.name not in repeated),
        key=lambda shape: shape.shown.spare,
    )
    return Laid(
        tuple(_head(rows[0], shape) for shape in shapes),
        tuple(tuple(_cell(row, shape) for shape in shapes) for row in rows),
        tuple(shape.text for shape in shapes),
        tuple(_head(rows[0], shape) for shape in spare),
    )


def _lay_across(rows: Sequence[Any], shapes: Sequence[Shape], across: tuple[str, str]) -> Laid:
    """Return a table with one column for each value of the first field in `across`, which shows the second field.

    Rows that are equal in all other columns become one row.
    """
    by, value = (next(shape for shape in shapes if shape.name == name) for name in across)
    keys = [shape for shape in shapes if shape not in (by, value)]
    names = list(dict.fromkeys(_cell(row, by) for row in rows))
    places: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        places.setdefault(tuple(_cell(row, key) for key in keys), {})[_cell(row, by)] = _cell(row, value)
    return Laid(
        (*(_head(rows[0], key) for key in keys), *(f"{_head(rows[0], by)} {name}" for name in names)),
        tuple((*place, *(cells.get(name, value.shown.absent) for name in names)) for place, cells in places.items()),
        (*(key.text for key in keys), *(value.text for _ in names)),
        (),
    )


@cache
def shapes_of(kind: type) -> tuple[Shape, ...]:
    """Return the columns that a class of rows declares, in the order in which they are shown."""
    placed: list[Shape] = []
    waiting: list[Shape] = []
    for name, hint in _hints(kind).items():
        shown = next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Shown)), None)
        if shown is not None:
            shape = Shape(name, shown, not shown.numeric and _is_text(hint.__origin__))
            (waiting if shown.after else placed).append(shape)
    while waiting:
        names = [shape.name for shape in placed]
        shape = next(shape for shape in waiting if shape.shown.after in names)
        waiting.remove(shape)
        placed.insert(names.index(shape.shown.after) + 1, shape)
    return tuple(placed)


def _hints(kind: type) -> dict[str, Any]:
    """Return the declared types of the fields and properties of a class; empty if none of them declares a column."""
    hints: dict[str, Any] = {}
    for part in reversed(kind.__mro__):
        if any("Shown(" in str(declared) for declared in vars(part).get("__annotations__", {}).values()):
            hints |= get_type_hints(part, include_extras=True)
        for name, member in vars(part).items():
            if isinstance(member, property) and "Shown(" in str(member.fget.__annotations__.get("return")):
                hints[name] = get_type_hints(member.fget, include_extras=True)["return"]
    return hints


def type_alone(declared: str) -> str:
    """Return a declared type as text, without the `Shown(…)` in its annotation."""
    return declared.removeprefix("Annotated[").partition(", Shown(")[0]


def _is_text(kind: Any) -> bool:
    """Return whether values of a type are text: none of its alternatives is a number."""
    allowed = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return int not in allowed and float not in allowed


def _is_told(rows: Sequence[Any], shape: Shape) -> bool:
    """Return whether a column is shown: some cell is neither empty nor equal to the default, or `always` is set."""
    left_out = (None, "", (), shape.shown.default)
    return shape.shown.always or any(getattr(row, shape.name) not in left_out for row in rows)


def _repeats(rows: Sequence[Any], shape: Shape) -> bool:
    """Return whether a column is equal, in every row, to the column that its `same_as` names; NaN equals NaN."""
    other = shape.shown.same_as
    pairs = ([plain_value(getattr(row, name)) for name in (shape.name, other)] for row in rows) if other else ()
    return bool(other) and all(value == named for value, named in pairs)


def _head(row: Any, shape: Shape) -> str:
    head = shape.name.replace("_", " ") if shape.shown.head is None else shape.shown.head
    if "{" not in head:
        return head
    before, _, rest = head.partition("{")
    name, _, after = rest.partition("}")
    return f"{before}{getattr(row, name)}{after}"


def _cell(row: Any, shape: Shape) -> str:
    """Return a cell as text, such as "0.75 [0.61, 0.85]" or "30 of 40": its value, total and interval, as declared."""
    shown, value = shape.shown, getattr(row, shape.name)
    if value is None or value == "":
        return shown.absent
    text = _text(value, shown)
    if shown.total:
        text += f" of {_text(getattr(row, shown.total), shown)}"
    if shown.interval is not None:
        low, high = (getattr(row, name) for name in shown.interval)
        if low is not None and high is not None and not math.isnan(low):
            text += f" [{_text(low, shown)}, {_text(high, shown)}]"
    return text


def _text(value: Any, shown: Shown) -> str:
    """Return a value as text in the form that `shown` declares, such as "yes" for true and "1,234" for 1234."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and shown.form == "plain":
        return f"{value:,}"
    if isinstance(value, (int, float)):
        return shown.undefined if math.isnan(value) else _number(value, shown)
    if isinstance(value, Mapping):
        return " × ".join(f"{name} {size}" for name, size in value.items())
    text = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
    if not shown.most:
        return text
    text = " ".join(text.split())
    return text if len(text) <= shown.most else f"{text[: shown.most - 1]}…"


def _number(value: float, shown: Shown) -> str:
    """Return a number as text, with as many digits as the column declares or as its `form` has by default."""
    if shown.form == "percent":
        return f"{value:.{shown.digits or 0}%}"
    if shown.form == "short":
        return f"{value:.{shown.digits or 4}g}"
    if shown.form == "count" and float(value).is_integer():
        return f"{value:,.0f}"
    if shown.form == "p":
        return shown_p(value)
    if shown.digits is not None:
        return rounded(value, shown.digits)
    return signed_figure(value) if shown.form == "signed" else figure(value)
