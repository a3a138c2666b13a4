"""Every verb is declared once: the command line, Python, assistants and the reference offer what its declaration says."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import nescio
from nescio import verbs
from nescio.cli.app import app, run
from nescio.cli.derive import parameter_of
from nescio.errors import SPELLING, UsageError, in_json, in_shell, opt, spelled
from nescio.hosts.mcp import parameters_of
from nescio.options import Option, Request, Verb, option, verb
from nescio.pipeline.options import Reading, ReadingAnswers
from tests.rings import together

ROOT = Path(__file__).parents[2]
EVERY = {one.name: one for one in verbs.every_verb()}
SCREEN = 40  # lines
PRINTING = {"form", "output", "verbose"}  # how results are printed: options of the command line alone


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """The commands of a group, and of the groups in it, each by its whole name."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    if name:
        yield name, command
    context = click.Context(command)
    for part in command.list_commands(context):
        below = command.get_command(context, part)
        assert below is not None
        yield from commands(below, f"{name} {part}".strip())


COMMANDS = dict(commands(app))
LEAVES = {name: one for name, one in COMMANDS.items() if not isinstance(one, click.Group)}


def by_path(name: str) -> Any:
    """What Python has under the path of a verb."""
    value: Any = nescio
    for part in EVERY[name].path.split(".")[1:]:
        value = getattr(value, part)
    return value


def test_the_commands_are_the_verbs() -> None:
    assert set(LEAVES) - {"demo", "mcp"} == set(EVERY)
    assert len(EVERY) > 40


@together("name", EVERY)
def test_a_command_has_the_options_of_its_verb(name: str) -> None:
    offered = {str(one.name): one for one in LEAVES[name].params if one.name not in ("help", "help_all")}
    declared = {n: one for n, one in EVERY[name].options.items() if not one.edge}
    assert {n for n in offered if n in declared or n not in PRINTING} == set(declared)
    for n, one in declared.items():
        flags = [] if one.argument else list(one.given_as)
        assert [flag.partition("/")[0] for flag in parameter_of(one).opts if flag.startswith("-")] == flags, n
        assert one.help, f"{name} {n} has no help"


@together("name", EVERY)
def test_python_has_the_verb_and_its_options(name: str) -> None:
    assert by_path(name) is EVERY[name]
    parameters = inspect.signature(EVERY[name]).parameters
    assert list(parameters) == list(EVERY[name].options)
    for n, one in EVERY[name].options.items():
        assert parameters[n].default is (inspect.Parameter.empty if one.required else one.default)
    shown = inspect.getdoc(EVERY[name]) or ""
    assert all(f"    {n}: " in shown for n in EVERY[name].options)
    assert shown.startswith(EVERY[name].about)


def test_assistants_have_five_tools_with_their_options() -> None:
    tools = {name: one for name, one in EVERY.items() if one.tool}
    assert {*tools} == {"check", "score", "compare", "plan", "tune"}
    for one in tools.values():
        declared = {n for n, option in one.options.items() if not (option.edge or option.writes or option.runs)}
        assert set(parameters_of(one)) == declared


def test_what_reads_to_score_takes_every_option_of_reading() -> None:
    reading = [name for name, one in EVERY.items() if issubclass(one.request, Reading)]
    assert {"score", "compare", "report", "tune", "plan", "lab repeats", "check"} <= {*reading}
    assert {name for name in EVERY if name.startswith("meta ")} <= {*reading}
    answers = [name for name, one in EVERY.items() if issubclass(one.request, ReadingAnswers)]
    assert {"judge", "convert", *reading} <= {*answers}


def test_a_shared_option_is_one_declaration() -> None:
    """Verbs may draw in their own ways, but what else looks the same is the same."""
    seen: dict[tuple[str, str], Option] = {}
    for one in EVERY.values():
        for name, declared in one.options.items():
            if declared.group not in ("", "Resampling"):
                first = seen.setdefault((name, declared.group), declared)
                assert first.help == declared.help or one.name in ("campaign collect", "judge", "sql"), (
                    one.name,
                    name,
                )


def test_what_python_offers_is_what_there_is() -> None:
    offered = set(nescio.__all__)
    assert {*verbs.names(), *vars(nescio)["_TYPES"], "__version__"} == offered
    assert set(dir(nescio)) == offered
    assert all(getattr(nescio, name) is not None for name in offered)


# ---- help ----


@together("name", COMMANDS)
def test_help_fits_a_screen(name: str) -> None:
    context = click.Context(COMMANDS[name], info_name=f"nescio {name}", terminal_width=80)
    lines = COMMANDS[name].get_help(context).splitlines()
    assert len(lines) <= SCREEN, f"{len(lines)} lines"
    assert max(map(len, lines)) <= 80


@together("name", LEAVES)
def test_all_of_help_describes_every_option(name: str) -> None:
    context = click.Context(LEAVES[name], info_name=f"nescio {name}", terminal_width=100)
    context.meta["nescio.help"] = "all"
    before = SPELLING.set(in_shell)
    try:
        text = " ".join(LEAVES[name].get_help(context).split())
        abouts = (
            {n: " ".join(one.about.split())[:30] for n, one in EVERY[name].options.items()} if name in EVERY else {}
        )
    finally:
        SPELLING.reset(before)
    for one in LEAVES[name].params:
        if isinstance(one, click.Option):
            assert max(one.opts, key=len) in text
    for own in EVERY[name].options.values() if name in EVERY else ():
        assert own.edge or own.argument or abouts[own.name] in text


@together("name", EVERY)
def test_help_begins_with_what_the_verb_does_and_has_an_example(name: str) -> None:
    first = EVERY[name].doc.split()[0]
    assert first[0].isupper()
    assert first not in ("A", "An", "The", "How", "What", "Whether")
    assert EVERY[name].about.endswith((".", "?")) or ". " in EVERY[name].about
    assert any(line.startswith(f"nescio {name}") for line in EVERY[name].examples)


@together("name", EVERY)
def test_every_option_that_a_help_page_names_is_there(name: str) -> None:
    """An example with an option that there is not would end with status 2."""
    for line in EVERY[name].examples:
        words = shlex.split(line)
        whose = next((own for own in sorted(EVERY, key=len, reverse=True) if line.startswith(f"nescio {own} ")), None)
        if whose is None:
            continue
        flags = {flag for one in LEAVES[whose].params for flag in (*one.opts, *one.secondary_opts)}
        named = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert named <= flags, line


# ---- checks, written once ----


class Ask(Request):
    """A request for the tests."""

    names: tuple[str, ...] = option(default=(), help="Names.")
    pairs: dict[str, str] = option(default={}, metavar="NAME=VALUE", help="Pairs.")
    number: int = option(default=1, low=1, high=9, help="A number.")
    share: float = option(default=0.5, low=0, help="A share.")
    flag: bool = option(default=False, help="A flag.")
    alone: str | None = option(default=None, apart="flag", help="Not beside flag.")
    helper: str | None = option(default=None, needs=("alone", "flag"), help="Only beside one of them.")


@verb(Ask, name="ask")
def give_back(request: Ask) -> Ask:
    """Give back what is asked."""
    return request


ask: Any = give_back  # what a type checker would refuse is asked too


def test_one_text_is_one_name_and_never_its_letters() -> None:
    assert ask(names="f1").names == ("f1",)
    assert ask(names=["f1", "em"]).names == ("f1", "em")
    assert nescio.score.request("x.csv", "f1").measures == ("f1",)
    assert nescio.score.request("x.csv", declined_pattern="I pass").declined_pattern == ("I pass",)
    with pytest.raises(UsageError, match="names takes a list of texts"):
        ask(names=3)


def test_pairs_are_a_mapping_however_they_are_given() -> None:
    for given in ({"a": "b"}, ["a=b"], [("a", "b")], "a=b"):
        assert ask(pairs=given).pairs == {"a": "b"}
    for refused in ("ab", ["=b"], 3, [("a", 1)]):
        with pytest.raises(UsageError, match="pairs takes NAME=VALUE"):
            ask(pairs=refused)


def test_a_level_is_a_share_or_a_percentage() -> None:
    for level in (95, 95.0, 0.95):
        assert nescio.compare.request("x.csv", ci=level).ci == 95
    refused: tuple[Any, ...] = (5, 100, 1, 0.3, "95", True, float("nan"))
    for level in refused:
        with pytest.raises(UsageError, match="ci takes a level in percent"):
            nescio.compare.request("x.csv", ci=level)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"number": 0}, "number takes a whole number, from 1 to 9 (found 0)"),
        ({"number": 1.5}, "number takes a whole number, from 1 to 9 (found 1.5)"),
        ({"number": True}, "number takes a whole number, from 1 to 9 (found True)"),
        ({"number": "3"}, "number takes a whole number, from 1 to 9 (found '3')"),
        ({"share": -1}, "share takes a number, 0 or more (found -1)"),
        ({"share": float("inf")}, "share takes a number, 0 or more (found inf)"),
        ({"flag": "yes"}, "flag takes True or False (found 'yes')"),
        ({"flag": True, "alone": "a"}, "alone cannot be used with flag"),
        ({"helper": "a"}, "helper needs alone or flag"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(named: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask(**named)
    assert str(refused.value) == message


def test_words_of_a_shell_are_checked_by_the_same_rules() -> None:
    assert Ask.typed({"number": "3", "pairs": ["a=b"], "names": ["x"]}).values() == {
        **Ask().values(),
        "number": 3,
        "pairs": {"a": "b"},
        "names": ("x",),
    }
    with pytest.raises(UsageError, match=r"number takes a whole number, from 1 to 9 \(found 'three'\)"):
        Ask.typed({"number": "three"})


@together("one", EVERY.values())
def test_an_unknown_option_is_a_type_error_with_the_nearest_name(one: Verb[Any, Any]) -> None:
    needed = {name: "x" for name, declared in one.options.items() if declared.required}
    name = max(one.options, key=len)
    with pytest.raises(
        TypeError, match=rf"^{one.__name__}\(\) got an unexpected option '{name}x'; did you mean {name}\?$"
    ):
        one(**{**needed, f"{name}x": 1})


def test_values_by_place_are_counted() -> None:
    with pytest.raises(TypeError, match=r"give_back\(\) takes 0 positional values"):
        ask(1)
    with pytest.raises(TypeError, match=r"score\(\) source must be given"):
        nescio.score()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'measures' was given twice"):
        nescio.score("x.csv", "c@1", measures="c@1")  # type: ignore[misc]


def test_a_request_cannot_be_changed_and_travels() -> None:
    request = Ask(number=3)
    with pytest.raises(AttributeError, match="cannot be changed"):
        request.number = 4  # type: ignore[misc]
    assert request.but(number=4).number == 4
    assert pickle.loads(pickle.dumps(request)) == request
    assert request.given == ("number",)
    assert ask(pairs={"a": "b"}, flag=True, names=["x", "y"]).words() == (
        *("--names", "x", "--names", "y", "--pairs", "a=b", "--flag"),
    )


# ---- options in messages ----

NAMED = [
    (opt("missing", "common"), "--missing common", 'missing="common"', '"missing": "common"'),
    (opt("choose", {"filter": "strict match"}), "--choose 'filter=strict match'", 'choose={"filter": "strict match"}', '"choose": {"filter": "strict match"}'),
    (opt("choose", of="filter=NAME"), "--choose filter=NAME", 'choose={"filter": NAME}', '"choose": {"filter": NAME}'),
    (opt("format_in", of="NAME"), "--format-in NAME", "format_in=NAME", '"format_in": NAME'),
    (opt("mark", True), "--mark", "mark=True", '"mark": true'),
    (opt("pairs", False), "--no-pairs", "pairs=False", '"pairs": false'),
    (opt("resamples", 100), "--resamples 100", "resamples=100", '"resamples": 100'),
    (opt("declined_pattern", ["a", "b c"]), "--declined-pattern a --declined-pattern 'b c'", 'declined_pattern=["a", "b c"]', '"declined_pattern": ["a", "b c"]'),
    (opt("judge"), "--judge", "judge", "judge"),
    (opt("column", "outcome=\ufeffx"), "--column $'outcome=\\xef\\xbb\\xbfx'", r'column="outcome=\ufeffx"', r'"column": "outcome=\ufeffx"'),
    (opt("column", {"run": "a\nb"}), "--column $'run=a\\x0ab'", r'column={"run": "a\nb"}', r'"column": {"run": "a\nb"}'),
    (opt("graded", ["\U000e0001"]), "--graded $'\\xf3\\xa0\\x80\\x81'", r'graded=["\U000e0001"]', r'"graded": ["\udb40\udc01"]'),
    (opt("run", "a\ufdd2b"), "--run $'a\\xef\\xb7\\x92b'", r'run="a\ufdd2b"', r'"run": "a\ufdd2b"'),
    (opt("measures", "c@1"), "-m c@1", 'measures="c@1"', '"measures": "c@1"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shell", "python", "assistant"), NAMED)
def test_an_option_in_a_message_is_spelt_for_who_reads_it(text: str, shell: str, python: str, assistant: str) -> None:
    assert spelled(text) == python
    for speller, expected in ((in_shell, shell), (in_json, assistant)):
        before = SPELLING.set(speller)
        try:
            assert str(UsageError(f"use {text}")) == f"use {expected}"
        finally:
            SPELLING.reset(before)


def test_what_looks_like_an_option_in_a_strangers_text_is_no_option() -> None:
    """Its letters stay, and its invisible characters are shown as replaced."""
    for text in (
        "\ufdd0nope\ufdd1\ufdd2",
        "\ufdd0a b\ufdd1s1\ufdd2",
        "\ufdd0x\ufdd1s{\ufdd2",
        "\ufdd0",
        "\ufdd1\ufdd2",
    ):
        assert str(UsageError(text)) == re.sub("[\ufdd0-\ufdd2]", "\N{REPLACEMENT CHARACTER}", text)


def test_what_users_named_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run may be called as an option is (until 0.2.0 its name was rewritten in messages)."""
    table = tmp_path / "t.csv"
    table.write_text("run,question,outcome\ngpt --missing common,1,correct\nb,1,correct\nb,2,correct\n")
    with pytest.raises(nescio.MismatchError) as refused:
        nescio.score(table)
    assert "run 'gpt --missing common' lacks 1 of 2 questions" in str(refused.value)
    assert 'missing="unanswered"' in str(refused.value)
    with pytest.raises(SystemExit) as ended:
        run(["score", str(table)])
    assert ended.value.code == 2
    assert "--missing unanswered" in capsys.readouterr().err


@pytest.mark.slow
def test_no_message_names_an_option_in_one_spelling_alone() -> None:
    """Messages of the rooms name options by tokens: a shell's spelling in a string is a message for a shell alone."""
    alone: list[str] = []
    for path in (ROOT / "src" / "nescio").rglob("*.py"):
        room = path.relative_to(ROOT / "src" / "nescio").parts[0]
        if room in ("cli", "verbs", "hosts", "options", "errors.py", "integrations") or path.name == "options.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and "--" in ast.unparse(node):
                alone += [f"{path.name}:{node.lineno}" for word in ast.unparse(node).split() if word.startswith("--")]
    assert alone == []


# ---- what is typed or passed in vain ----


@together("name", EVERY)
def test_an_empty_text_is_no_value(name: str) -> None:
    """Whatever takes a text, a name or a file refuses an empty one: a variable of a shell that is not set."""
    for n, one in EVERY[name].options.items():
        if one.kind.plain in (str, str | None) and not one.kind.choices and one.bare is None:
            with pytest.raises(UsageError, match=rf"^{n}"):
                one.checked("")
        elif one.kind.several and one.kind.plain == list[str]:
            with pytest.raises(UsageError, match=rf"^{n}"):
                one.checked([""])


def test_an_option_that_takes_one_value_is_given_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["score", "x.csv", "--seed", "1", "--seed", "2"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "nescio: --seed takes one value, but was given '1', '2'\n"
