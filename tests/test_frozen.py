"""A frozen class is what the standard decorator makes: held to it, method by method."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from nescio.frozen import frozen


class Plain:
    """What both decorators are given."""

    name: str
    scores: tuple[float, ...] = ()
    columns: Mapping[str, int] = field(default_factory=dict)
    secret: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a name is needed")


def _class() -> type:
    return type(
        "Made", (), {key: value for key, value in vars(Plain).items() if key not in ("__dict__", "__weakref__")}
    )


STANDARD: Any = dataclass(frozen=True, slots=True)(_class())
MINE: Any = frozen(_class())
Made: Any = MINE  # where pickle looks for it
Made.__module__, Made.__qualname__ = __name__, "Made"


@frozen
class Base:
    first: int


@frozen
class Derived(Base):
    second: int = 2


def test_its_objects_are_those_of_the_standard() -> None:
    """Values, defaults, repr, equality and hash; fresh defaults from factories."""
    for arguments in (("a",), ("a", (1.0,)), ("a", (), {"x": 1}, "s")):
        mine, theirs = MINE(*arguments), STANDARD(*arguments)
        assert asdict(mine) == asdict(theirs)
        assert repr(mine) == repr(theirs).replace("_class.<locals>.", "")
    assert MINE("a").columns is not MINE("a").columns
    assert MINE("a", secret="x") == MINE("a", secret="y") != MINE("b")
    assert MINE("a") != STANDARD("a")
    assert hash(MINE("a", columns=())) == hash(STANDARD("a", columns=()))
    with pytest.raises(TypeError, match="unhashable type: 'dict'"):
        hash(MINE("a"))


def test_it_is_a_dataclass_with_slots() -> None:
    """Fields, signature, replace and pickle work as with the standard's."""
    assert [f.name for f in fields(MINE)] == [f.name for f in fields(STANDARD)]
    assert not hasattr(MINE("a"), "__dict__")
    assert MINE.__match_args__ == STANDARD.__match_args__
    mine, theirs = inspect.signature(MINE).parameters, inspect.signature(STANDARD).parameters
    assert [(p.name, p.kind, p.annotation) for p in mine.values()] == [
        (p.name, p.kind, p.annotation) for p in theirs.values()
    ]
    assert mine["scores"].default == ()
    one = MINE("a", (1.0,), {"x": 1}, "s")
    assert replace(one, name="b") == MINE("b", (1.0,), {"x": 1})
    for same in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert same == one
        assert same.secret == "s"
    assert is_dataclass(MINE)


def test_it_refuses_what_the_standard_refuses() -> None:
    """Changed and deleted fields, wrong arguments, and what `__post_init__` finds."""
    one = MINE("a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        one.name = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del one.name
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        MINE()
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        MINE("a", other=1)
    with pytest.raises(ValueError, match="a name is needed"):
        MINE("")
    with pytest.raises(ValueError, match="a name is needed"):
        replace(one, name="")


def test_a_frozen_class_can_be_derived_from() -> None:
    """By either decorator: fields of the base come first; a base and what is derived from it are never equal."""
    assert (Derived(1).first, Derived(1).second) == (1, 2)
    assert repr(Derived(1, 3)) == "Derived(first=1, second=3)"
    assert Derived(1) == Derived(1, 2) != Base(1)
    with pytest.raises(FrozenInstanceError):
        Derived(1).first = 2  # type: ignore[misc]

    @dataclass(frozen=True, slots=True)
    class Standard(Base):
        third: int = 3

    assert Standard(1).third == 3
    assert Standard(1).first == 1


def test_without_equality_and_repr() -> None:
    """`eq=False` compares by identity and `repr=False` leaves the class's own."""

    @frozen(eq=False, repr=False)
    class Bare:
        x: int

        def __repr__(self) -> str:
            return "bare"

    one = Bare(1)
    assert one != Bare(1)
    assert {one: 1}[one] == 1
    assert repr(one) == "bare"
