"""Columns that rows declare: every form of output needs nothing else of a new result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, Any, ClassVar

import pytest
from msgspec import Struct

import nescio
from nescio.data.results import Results
from nescio.data.shown import Row, Shown, lay, shapes_of
from nescio.data.signature import sign
from nescio.reporting import screen
from nescio.reporting.tables import render

NAN = float("nan")


class Tasted(Row, frozen=True):
    """A row as a new verb could have it."""

    most_listed: ClassVar[int | None] = 2

    cook: Annotated[str, Shown()]
    gain: Annotated[float, Shown("{kind}", form="signed", interval=("low", "high"))]
    low: float
    high: float
    share: Annotated[float, Shown(form="percent")]
    p: Annotated[float | None, Shown(form="p")]
    right: Annotated[int, Shown(total="n", after="cook")]
    n: int
    remark: Annotated[str | None, Shown()] = None

    @property
    def kind(self) -> str:
        """The heading of the gain."""
        return "gain over soup"

    @property
    def verdict(self) -> Annotated[str, Shown(absent="", after="p")]:
        """A cell that is computed."""
        return "good" if self.gain > 0 else ""

    @classmethod
    def below(cls, rows: tuple[Tasted, ...]) -> Iterable[str]:
        """Return how many were tasted."""
        return [f"{len(rows)} cooks were tasted."]


class Course(Row, frozen=True):
    """A value of each of several courses."""

    across: ClassVar[tuple[str, str] | None] = ("course", "value")

    cook: Annotated[str, Shown()]
    course: Annotated[str, Shown()]
    value: Annotated[float, Shown()]


ROWS = (
    Tasted("ana", 0.25, 0.125, 0.375, 0.5, 0.0004, 1200, 2400),
    Tasted("ben", -0.5, NAN, NAN, NAN, None, 3, 4),
    Tasted("cleo", 0.0, -0.1, 0.1, 1.0, 1.0, 0, 0),
)
COURSES = (Course("ana", "1", 0.5), Course("ana", "2", NAN), Course("ben", "2", 0.25))


def results() -> Results[Tasted]:
    return Results(ROWS, sign(cooks=3), (), "tasted", {"courses": COURSES})


def test_a_terminal_lists_the_first_rows_and_says_how_many_more_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show(results())
    first, second = capsys.readouterr().out.split("\n\n")[:2]
    assert first.splitlines()[0].split() == ["cook", "right", "gain", "over", "soup", "share", "p", "verdict"]
    assert first.splitlines()[1].split() == [
        "ana",
        "1,200",
        "of",
        "2,400",
        "+0.250",
        "[+0.125,",
        "+0.375]",
        "50%",
        "<0.001",
        "good",
    ]
    assert first.splitlines()[2].split() == ["ben", "3", "of", "4", "-0.500", "undefined", "–"]
    assert first.splitlines()[3:] == ["1 more; -f json lists them", "3 cooks were tasted."]
    assert [line.split() for line in second.splitlines()[:3]] == [
        ["cook", "course", "1", "course", "2"],
        ["ana", "0.500", "undefined"],
        ["ben", "–", "0.250"],
    ]


def test_every_form_needs_the_declarations_alone() -> None:
    markdown = render(results(), "markdown")
    assert "| cook | right | gain over soup | share | p | verdict |" in markdown
    assert "| cleo | 0 of 0 | +0.000 [-0.100, +0.100] | 100% | 1.000 |  |" in markdown  # a file has all rows
    assert "-$0 & 500" in render(results(), "latex")
    assert render(results(), "csv").splitlines()[0] == "cook,gain,low,high,share,p,right,n,remark"
    assert json.loads(render(results(), "json"))["tasted"][1]["low"] is None


def test_a_struct_that_declares_nothing_shows_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    class Plain(Struct, frozen=True):
        cook: str
        stars: float

    screen.show(Results((Plain("ana", 0.12345),), sign(cooks=1)))
    assert [line.split() for line in capsys.readouterr().out.splitlines()[:2]] == [["cook", "stars"], ["ana", "0.1235"]]


def declaring() -> list[Any]:
    """Return every struct of the package in whose module something is declared."""
    found: list[Any] = []
    for module in walk_packages(nescio.__path__, "nescio."):
        if module.name.split(".")[1] in ("comparison", "scoring", "selective", "suites", "data", "meta_evaluation"):
            made = vars(import_module(module.name)).values()
            found += [kind for kind in made if isinstance(kind, type) and issubclass(kind, Struct)]
    return [kind for kind in dict.fromkeys(found) if shapes_of(kind)]


def test_declarations_name_fields_that_there_are() -> None:
    kinds = declaring()
    assert len(kinds) > 30
    for kind in kinds:
        for shape in shapes_of(kind):
            for name in (*(shape.shown.interval or ()), *filter(None, [shape.shown.total])):
                assert hasattr(kind, name), (kind, name)


class Twice(Row, frozen=True):
    """A row with a column that may repeat another, which can be spared."""

    p: Annotated[float, Shown(form="p", spare=1)]
    adjusted: Annotated[float, Shown(form="p", always=True, same_as="p")]


@pytest.mark.parametrize(
    ("rows", "head", "spare"),
    [
        ((Twice(0.25, 0.25), Twice(NAN, NAN)), ("p",), ()),
        ((Twice(0.25, 0.25), Twice(0.02, 0.04)), ("p", "adjusted"), ("p",)),
    ],
)
def test_a_column_that_repeats_another_is_left_out(
    rows: tuple[Twice, ...], head: tuple[str, ...], spare: tuple[str, ...]
) -> None:
    laid = lay(rows)
    assert laid is not None
    assert (laid.head, laid.spare) == (head, spare)
