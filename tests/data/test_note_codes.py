"""Every note that the package makes: a code has one template, and the values of each call fill it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

import nescio
from nescio.data.notes import note
from nescio.errors import SPELLING, in_shell, opt
from tests.rings import together

SOURCE = Path(nescio.__file__).parent
CODE = re.compile(r"[a-z_0-9]+\.[a-z_0-9]+")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of `note` in the source: where it stands, its code and template, and what it is given for the template."""

    place: str
    code: str
    template: str
    given: frozenset[str]


def calls() -> Iterator[Call]:
    for path in sorted(SOURCE.rglob("*.py")):
        names = path.relative_to(SOURCE.parent).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "note(" in text or ".say(" in text else ():
            if isinstance(node, ast.Call) and makes_a_note(node):
                yield call(node, f"{path.relative_to(SOURCE)}:{node.lineno}", ".".join(names))


def makes_a_note(node: ast.AST) -> bool:
    """A call of `note`, or of a reading's `say`, which hands on to it what it is given."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return False
    first = node.args[0]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "say":
        as_it_stands = isinstance(node.args[1], ast.Constant)
        return as_it_stands and isinstance(first, ast.Constant) and bool(CODE.fullmatch(str(first.value)))
    return isinstance(node.func, ast.Name) and node.func.id == "note" and getattr(first, "id", "") != "code"


def call(node: ast.Call, place: str, module: str) -> Call:
    code, template, *subject = node.args
    if isinstance(code, ast.Name):  # a constant, as other rooms ask for it
        named = getattr(import_module(module), code.id)
    else:
        assert isinstance(code, ast.Constant), place
        named = str(code.value)
    if isinstance(template, ast.JoinedStr):  # with options, whose tokens are the same wherever it is called
        named_in = {part.func.id for part in ast.walk(template) if isinstance(part, ast.Call)}  # type: ignore[attr-defined]
        assert named_in == {"opt"}, f"{place}: the template is a text as it stands"
        text = eval(compile(ast.Expression(template), place, "eval"), {"opt": opt, **vars(import_module(module))})
    else:
        assert isinstance(template, ast.Constant), f"{place}: the template is a text as it stands"
        text = str(template.value)
    keywords = {keyword.arg for keyword in node.keywords}
    assert None not in keywords, f"{place}: values have names"
    given = {str(name) for name in keywords} | ({"subject"} if subject else set())
    return Call(place, named, text, frozenset(given))


def fields(template: str) -> Iterator[tuple[str, str]]:
    """The names in a template, with the forms that their values are shown in."""
    for _, name, form, _ in Formatter().parse(template):
        if name is not None:
            yield name, form or ""
            yield from fields(form or "")


def example(form: str) -> Any:
    """A value that can be shown in a form."""
    word, _, rest = form.partition(" ")
    if word == "each":
        return [tuple(1.0 for _ in re.findall(r"%(?!%)", rest))] * 2
    if word in ("list", "and"):
        return ["a", "b", "c", "d", "e"]
    return 2 if form else "name"


CALLS = list(calls())


def test_notes_are_found() -> None:
    assert len(CALLS) > 200


def test_codes_are_short_and_dotted_by_room() -> None:
    assert [one.place for one in CALLS if not CODE.fullmatch(one.code) or len(one.code) > 40] == []


def test_a_code_has_one_template_and_a_template_one_code() -> None:
    templates: dict[str, set[str]] = {}
    codes: dict[str, set[str]] = {}
    for one in CALLS:
        templates.setdefault(one.code, set()).add(one.template)
        codes.setdefault(one.template, set()).add(one.code)
    assert {code: found for code, found in templates.items() if len(found) > 1} == {}
    assert {template: found for template, found in codes.items() if len(found) > 1} == {}


@together("one", CALLS)
def test_the_values_of_a_call_fill_its_template(one: Call) -> None:
    wanted = list(fields(one.template))
    assert {name for name, _ in wanted} <= one.given
    values = {name: example(form) for name, form in sorted(wanted, key=lambda field: field[1]) if name != "subject"}
    made = note(one.code, one.template, "run", **values)
    assert str(made)
    before = SPELLING.set(in_shell)
    assert not set("{}") & set(str(made))
    SPELLING.reset(before)
    assert made in {made}  # so that one that is made twice is shown once
