"""Write the reference of commands, formats, judges and measures from their declarations.

python tools/reference.py             writes docs/reference/ and docs/papers.md, the pages in the repository
    python tools/reference.py --all       and a page for each measure, with its audit (only for building the site)

A test fails if a page in the repository is stale.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from nescio import verbs
from nescio.cli.help import Command
from nescio.data.shown import type_alone
from nescio.errors import SPELLING, in_shell
from nescio.options import Option, Verb
from nescio.papers import Item, Paper, papers
from nescio.verbs.paper import command_of

PAGES = Path(__file__).parents[1] / "docs" / "reference"
EXAMPLE = PAGES.parents[1] / "examples" / "outcomes.csv"
MADE = "<!-- Made by `python tools/reference.py`. Do not edit: change what the program says of itself. -->\n"


def command_line() -> Iterator[tuple[str, str]]:
    """Yield (file, page): a list of all commands, and a page for each verb or group of verbs."""
    from nescio.cli.app import app

    context = click.Context(app, info_name="nescio", **app.context_settings)
    pages: dict[str, list[click.Context]] = {}
    for command in _walk(app, context):
        pages.setdefault(command.command_path.split()[1], []).append(command)
    shared = _shared([command for commands in pages.values() for command in commands])
    rows = []
    for name, commands in pages.items():
        page = f"cli/{file_name(name)}"
        for command in commands:
            path = command.command_path
            place = "" if path == f"nescio {name}" else f"#{anchor(path)}"
            about = _plain((command.command.help or "").partition("\n")[0])
            rows.append(f'| <a id="{anchor(path)}"></a>[{path}]({page}{place}) | {about} |')
        yield page, _joined([MADE, *(part for command in commands for part in _command(command, shared))])
    yield SHARED, _joined([MADE, *_shared_page(shared)])
    head = [
        "# The command line\n",
        "`nescio COMMAND --help` prints the page of a command in a terminal, and `--help-all` the whole of it.",
        "Everywhere: data goes to standard output and messages to standard error; exit status 0 is done, 1 a gate that",
        "failed, 3 a gate that cannot tell or a judge whose calls failed, 2 bad input or usage, 70 a fault in nescio.",
        "What the encoding of a terminal or pipe lacks is written in a plain spelling.",
        f"Options that many commands take are on one page: [shared options]({SHARED}).\n",
    ]
    yield "cli.md", _joined([MADE, *head, "| command | what it does |", "| --- | --- |", *rows])


def anchor(heading: str) -> str:
    """Return the anchor of a heading within its page."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(parts).rstrip() + "\n"


def _walk(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """Yield the contexts of all commands below a group, each group before its own commands."""
    if context.parent is not None:
        yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _walk(below, click.Context(below, info_name=name, parent=context))


@dataclass(frozen=True)
class Documented:
    """An option for a page: its group, its row in a table, its names, and its argument in Python."""

    group: str
    row: str
    shell: str
    python: str
    argument: str


SHARED = "cli/shared.md"
OWN_GROUP = "Options"
MANY = 4  # an option with equal words in at least this many commands goes to the page of shared options


def _documented(context: click.Context) -> list[Documented]:
    """Return the options of a command in the order of its help."""
    command = context.command
    if not isinstance(command, Command):
        return []
    verb = every_verb().get(context.command_path.removeprefix("nescio "))
    options = [*command.declared.values()]
    arguments = {}
    if verb is not None:
        options += [one for one in verb.options.values() if one.edge]
        arguments = {name: _argument(parameter) for name, parameter in inspect.signature(verb).parameters.items()}
    return [
        Documented(
            option.group or OWN_GROUP,
            _row(option, verb, options),
            "" if option.edge else f"`{max(option.given_as, key=len)}`",
            option.name if verb is not None and option.name in verb.options else "",
            arguments.get(option.name, ""),
        )
        for option in options
    ]


def _shared(commands: Sequence[click.Context]) -> dict[str, list[Documented]]:
    """Return, by group, the options that many commands take in the same words."""
    counted = Counter(option for command in commands for option in _documented(command) if option.group != OWN_GROUP)
    # an option may have this wording on the shared page, and others at its commands
    commonest: dict[tuple[str, str, str], Documented] = {}
    for option, count in reversed(counted.most_common()):
        if count >= MANY:
            commonest[option.group, option.shell, option.python] = option
    groups: dict[str, list[Documented]] = {}
    for option in counted:
        if commonest.get((option.group, option.shell, option.python)) is option:
            groups.setdefault(option.group, []).append(option)
    return groups


def _shared_page(shared: dict[str, list[Documented]]) -> Iterator[str]:
    """Yield the page of shared options: a table for each group, with the spelling of arguments in Python."""
    yield "# Shared options\n"
    yield "Many commands take these options. The page of a command says which of them it takes.\n"
    for group, options in shared.items():
        yield f"## {group}\n"
        yield from _table(options, "option, and in Python")
        if arguments := [option.argument for option in options if option.argument]:
            yield "\n".join(["```py", *arguments, "```\n"])


def _table(options: Sequence[Documented], head: str) -> Iterator[str]:
    yield from [f"| {head} | default | what it does |", "| --- | --- | --- |"]
    yield from (option.row for option in options)
    yield ""


def _command(context: click.Context, shared: dict[str, list[Documented]]) -> list[str]:
    """Return the section of a command or group: its purpose, its call, and its options."""
    path, command = context.command_path, context.command
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    parts = [f"{'#' * (len(path.split()) - 1)} {path}\n", f"    {usage}\n", *_prose(command.help or "")]
    if not isinstance(command, Command):
        return parts
    verb = every_verb().get(path.removeprefix("nescio "))
    groups: dict[str, list[Documented]] = {}
    for option in _documented(context):
        groups.setdefault(option.group, []).append(option)
    if verb is not None:
        elsewhere = {option.python for options in shared.values() for option in options} & {
            option.python for group, options in groups.items() for option in options if option in shared.get(group, ())
        }
        calls = [*verb.calls, ""] if verb.calls else []
        parts += ["In Python:\n", "```py", *calls, signature(verb, elsewhere - {""}), "```\n"]
    taken = []
    for group, options in groups.items():
        common = shared.get(group, [])
        if own := [option for option in options if option not in common]:
            parts += [f"**{group}**\n", *_table(own, "option" if verb is None else "option, and in Python")]
        if any(option in common for option in options):
            taken.append(_taken(group, common, options))
    if taken:
        parts.append(f"**[Shared options](shared.md)**: {'; '.join(sorted(taken))}.\n")
    return parts


def _taken(group: str, common: Sequence[Documented], options: Sequence[Documented]) -> str:
    """Return a sentence on a command's shared options of a group: those it takes or lacks, whichever is shorter."""
    link = f"[{group}](shared.md#{anchor(group)})"
    names = [option.shell or f"`{option.python}`" for option in common if option in options]
    others = [option.shell or f"`{option.python}`" for option in common if option not in options]
    if not others:
        return link
    if len(others) < len(names):
        return f"{link} without {', '.join(others)}"
    return f"{link} with {', '.join(names)} only"


@cache
def every_verb() -> dict[str, Verb[Any, Any]]:
    """Return the verbs that Python also has, keyed by their names in a shell."""
    return {one.name: one for one in verbs.every_verb()}


def signature(verb: Verb[Any, Any], elsewhere: Collection[str] = ()) -> str:
    """Return the Python signature of a verb, one argument on each line, without arguments described elsewhere."""
    whole = inspect.signature(verb)
    by_place = [_argument(p) for p in whole.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    named = [p for p in whole.parameters.values() if p.kind is p.KEYWORD_ONLY]
    by_name = [_argument(p) for p in named if p.name not in elsewhere]
    if len(by_name) < len(named):
        by_name.append("...")
    lines = [*by_place, *(["*", *by_name] if by_name else [])]
    written = (f"    {line}," if line != "..." else "    ...  # and the shared options" for line in lines)
    return "\n".join([f"{verb.path}(", *written, f") -> {whole.return_annotation}"])


def _argument(parameter: inspect.Parameter) -> str:
    typed = f"{parameter.name}: {parameter.annotation}"
    return typed if parameter.default is parameter.empty else f"{typed} = {_value(parameter.default)}"


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _row(one: Option, verb: Verb[Any, Any] | None, options: Sequence[Option]) -> str:
    """Return the row of an option: its names in shell and Python, its default, its effect, and its companions."""
    names = [_typed(one), f"`{one.name}`" if verb is not None and one.name in verb.options else ""]
    default = "required" if one.required else one.default_about or _shown_default(one)
    said = [_plain(one.about)]
    if one.kind.choices:
        choices = ", ".join(f"`{choice}`" for choice in one.kind.choices)
        said.append(f"{'Any' if one.kind.several else 'One'} of {choices}.")
    elif one.kind.several and not one.argument:
        said.append("Repeatable.")
    facts = verb.request.facts if verb is not None else {}
    known = {**facts, **{other.name: f"`{max(other.given_as, key=len)}`" for other in options}}
    needed = [known[name] for name in one.needs if name in known]
    if needed:
        said.append(f"Needs {' or '.join(needed)}.")
    apart = dict.fromkeys([*one.apart, *(other.name for other in options if one.name in other.apart)])
    if forbidden := [known[name] for name in apart if name in known]:
        said.append(f"Not with {' or '.join(forbidden)}.")
    return f"| {'<br>'.join(filter(None, names))} | {_plain(default)} | {' '.join(' '.join(said).split())} |"


def _typed(one: Option) -> str:
    """Return an option as a shell takes it, with a placeholder for its value, or an empty text if a shell lacks it."""
    if one.edge:
        return ""
    metavar = "NAME" if one.kind.choices else one.metavar.replace("|", " or ")
    if one.argument:
        return f"`{metavar}`"
    if one.kind.flag:
        both = "" if one.default is False else f" / {max(one.given_as, key=len).replace('--', '--no-', 1)}"
        return f"`{', '.join(one.given_as)}{both}`"
    return f"`{', '.join(one.given_as)} {metavar}`"


def _shown_default(one: Option) -> str:
    if one.default is None or one.default in ((), {}) or one.default is False:
        return ""
    return "yes" if one.default is True else f"{one.default:g}" if isinstance(one.default, float) else str(one.default)


def _prose(help_text: str) -> Iterator[str]:
    """Yield a help page as Markdown; a paragraph with preserved line breaks contains commands to try."""
    for paragraph in help_text.split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield "\n".join(["```console", *(f"$ {line}" for line in paragraph[2:].strip().split("\n")), "```\n"])
        else:
            yield _plain(paragraph).strip() + "\n"


FUNCTIONS = ("<!-- The functions: made by `python tools/reference.py`, up to the end. -->", "<!-- The end. -->")


def python() -> str:
    """Return the page of Python with its generated list of functions; the rest is written by hand."""
    page = (PAGES / "python.md").read_text(encoding="utf-8")
    before, rest = page.split(FUNCTIONS[0])
    after = rest.split(FUNCTIONS[1])[1]
    rows = []
    for verb in every_verb().values():
        name, *below = verb.name.split()
        place = f"#{anchor(f'nescio {verb.name}')}" if below else ""
        link = f"[{verb.path}](cli/{file_name(name)}{place})"
        rows.append(f'| <a id="{verb.path}"></a>{link} | {_plain(verb.about)} |')
    table = "\n".join(["| function | what it does |", "| --- | --- |", *rows])
    return f"{before}{FUNCTIONS[0]}\n\n{table}\n\n{FUNCTIONS[1]}{after}"


PAPERS = PAGES.parent / "papers.md"
ITEMS = re.compile(r"(<!-- The items of (\w+(?:, \w+)*): .+? -->\n).*?(\n<!-- The end. -->)", re.DOTALL)


def paper_page() -> str:
    """Return the page of the papers with a line for each command of an item; the rest is written by hand."""

    def table(found: re.Match[str]) -> str:
        before, keys, after = found.groups()
        of = [papers()[key] for key in keys.split(", ")]
        printed: set[str] = set()
        rows = [row for paper in of for item in paper.items for row in _item_rows(paper, item, printed, len(of) > 1)]
        lines = [
            f"| {' | '.join(_without_repeats(row, above))} |" for row, above in zip(rows, [None, *rows], strict=False)
        ]
        head = ["", "| in the paper | command | prints |", "| --- | --- | --- |"]
        return before + "\n".join([*head, *lines, ""]) + after

    return ITEMS.sub(table, PAPERS.read_text(encoding="utf-8"))


def _item_rows(paper: Paper, item: Item, printed: set[str], named: bool) -> Iterator[tuple[str, str, str]]:
    """Yield item (after its paper, if `named`), command and output for each command of an item.

    Earlier commands that are not yet `printed` are included. `nescio paper` prints the remarks.
    """
    about = ", ".join(
        filter(None, (f"{paper.key} ({paper.title.partition(':')[0]})" if named else "", item.label, item.whole_title))
    )
    if item.basis == "other data":
        about += " –"
    commands = [(f"nescio {command}", prints) for command, prints in item.commands]
    commands = commands or [(command_of(paper, item), item.prints)]
    commands = [(f"nescio {command}", "") for command in item.before if f"nescio {command}" not in printed] + commands
    printed |= {command for command, _ in commands}
    for command, prints in commands:
        yield about, f"`{command}`" if command else "", prints


def _without_repeats(row: tuple[str, str, str], above: tuple[str, str, str] | None) -> tuple[str, str, str]:
    """Return a row with an empty item if the row above has the same one."""
    return ("", *row[1:]) if above is not None and row[0] == above[0] else row


GIVEN = {
    "Rows": (
        "nescio.data.results.Score",
        "nescio.data.results.Comparison",
        "nescio.scoring.corrected.Correction",
        "nescio.selective.Tuning",
        "nescio.comparison.early.Look",
        "nescio.suites.rows.SuiteScore",
        "nescio.suites.rows.BenchmarkScore",
        "nescio.suites.rows.BenchmarkDifference",
        "nescio.suites.rows.MeanRank",
        "nescio.reporting.page.to_read.ToRead",
        "nescio.scoring.repeat_noise.Repeatability",
        "nescio.scoring.repeat_noise.Noise",
        "nescio.scoring.repeat_noise.OfRepeat",
        "nescio.scoring.repeat_noise.Flip",
        "nescio.meta_evaluation.planning.labels.LabelPlan",
        "nescio.meta_evaluation.planning.repeat_plans.RepeatsPlan",
        "nescio.meta_evaluation.planning.PowerPlan",
        "nescio.meta_evaluation.planning.System",
        "nescio.data.results.Finding",
        "nescio.meta_evaluation.audit.Earned",
        "nescio.meta_evaluation.stability.Stability",
        "nescio.meta_evaluation.swap.SwapBin",
        "nescio.meta_evaluation.swap.Sensitivity",
        "nescio.meta_evaluation.power.Power",
        "nescio.meta_evaluation.power.Significance",
        "nescio.meta_evaluation.agreement.Agreement",
        "nescio.meta_evaluation.agreement.Disagreement",
        "nescio.meta_evaluation.agreement.CountedDisagreement",
        "nescio.meta_evaluation.comparability.Correlation",
    ),
    "What was written or found": (
        "nescio.verbs.check.Checked",
        "nescio.comparison.stakes.AtStake",
        "nescio.verbs.read.CandidatesWritten",
        "nescio.verbs._file_summary.FileSummary",
        "nescio.verbs._file_summary.Contents",
        "nescio.verbs.convert.Converted",
        "nescio.verbs.lab.stakes_prompts.PromptsWritten",
        "nescio.verbs.report.Report",
        "nescio.verbs._answers.Answered",
        "nescio.verbs.ave.validate.Validated",
        "nescio.verbs.ave.pairs.Paired",
        "nescio.verbs.read.KeyWritten",
    ),
    "Steps of a campaign": (
        "nescio.people.campaigns.starting.Made",
        "nescio.people.campaigns.handing_out.HandedOut",
        "nescio.people.campaigns.checking.Checked",
        "nescio.people.campaigns.receiving.Received",
        "nescio.people.campaigns.pooling.Pooled",
        "nescio.people.campaigns.sheets.Handed",
        "nescio.people.campaigns.collecting.Collected",
        "nescio.people.campaigns.scoring.Scored",
        "nescio.people.campaigns.site.Published",
        "nescio.people.campaigns.state.Status",
        "nescio.people.campaigns.rulings.Ruled",
        "nescio.people.campaigns.verifying.Verified",
    ),
}


def given() -> tuple[str, str]:
    """Return (file, page) on results of functions: each class's description, and its fields with their types."""
    parts = [
        MADE,
        "# What the functions give\n",
        "The rows of results, and what functions say of the files that they wrote or checked. All of it is immutable;",
        "each entry says what a class is, and lists its fields with their types.\n",
    ]
    for heading, paths in GIVEN.items():
        parts.append(f"## {heading}\n")
        for path in paths:
            parts += _record(path)
    return "python-results.md", _joined(parts)


def _record(path: str) -> Iterator[str]:
    module, _, name = path.rpartition(".")
    made = getattr(import_module(module), name)
    yield f'### <a id="{path}"></a>{name}\n'
    fields = {field.name: _of(made, field.name) for field in structs.fields(made)}
    own = {n: one for n, one in vars(made).items() if not n.startswith("_") and isinstance(one, property)}
    fields |= {n: type_alone(str(one.fget.__annotations__.get("return", ""))) for n, one in own.items() if one.fget}
    first, *rest = _docstring(inspect.cleandoc(made.__doc__ or ""))
    yield first
    yield f"{'; '.join(f'`{n}: {kind}`' for n, kind in fields.items())}.\n"
    yield from rest


def _of(made: type, name: str) -> str:
    kinds = (one for one in made.__mro__ if name in vars(one).get("__annotations__", {}))
    return type_alone(str(next(kinds).__annotations__[name]))


def _plain(text: str) -> str:
    """Return text in which Markdown finds nothing but code."""
    return "".join(part if code else re.sub(r"([*_<\[|])", r"\\\1", part) for code, part in _by_code(text))


def _by_code(text: str) -> Iterator[tuple[bool, str]]:
    for number, part in enumerate(re.split(r"(`[^`]*`)", text)):
        yield number % 2 == 1, part


FAMILIES = {
    "native": (
        "tables-of-your-own",
        "Tables of your own",
        "What you write by hand or by program, and what nescio writes.",
    ),
    "logs": (
        "logs-of-tools",
        "Logs of other tools",
        "Logs of evaluation tools, read unchanged.",
    ),
    "benchmarks": ("benchmarks", "Benchmarks and shared tasks", "Gold and answers as benchmarks publish them."),
}


def formats() -> Iterator[tuple[str, str]]:
    """Yield (file, page): a list of all formats that are read, and a page for each family."""
    from nescio.formats import REGISTRY

    pages: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for name in sorted(REGISTRY):
        _, room, family, *_ = REGISTRY[name].read.__module__.split(".")
        pages[{"tables": "native", "tasks": "benchmarks"}.get(room, family)].append(name)
    head = [
        "# Formats\n",
        "Files are recognised by their suffix and their columns; `nescio check FILE` shows the format and the reason, "
        "and",
        "`--format-in NAME` names the format if that fails. Give gold and answers together, in any order. All files "
        "can be",
        "compressed (.gz, .bz2, .xz; .zst with the extra `zstd`).\n",
    ]
    for family, (file, title, about) in FAMILIES.items():
        page = f"formats/{file}.md"
        sections = [part for name in pages[family] for part in _format(name)]
        yield page, _joined([MADE, f"# {title}\n", f"{about}\n", *sections])
        rows = [
            f'| <a id="{name}"></a>[{name}]({page}#{name}) | {_plain(REGISTRY[name].about)} |' for name in pages[family]
        ]
        head += [f"## {title}\n", f"{about}\n", "| format | holds |", "| --- | --- |", *rows, ""]
    yield "formats.md", _joined([MADE, *head])


def _format(name: str) -> Iterator[str]:
    from nescio.formats import REGISTRY, WRITERS

    module = sys.modules[REGISTRY[name].read.__module__]
    yield f"## {name}\n"
    yield f"Holds {_plain(REGISTRY[name].about)}.\n"
    yield from _docstring(module.__doc__ or "")
    if name in WRITERS:
        yield f"`nescio convert --to {name}` writes {_plain(WRITERS[name].about)}.\n"


def judges() -> Iterator[tuple[str, str]]:
    """Yield (file, page) for every judge with its parameters."""
    from nescio.judging import REGISTRY

    parts = [
        MADE,
        "# Judges\n",
        "A judge says whether an answer is right. `nescio judge --judge NAME`, and `--judge` of every command that "
        "scores, take",
        "one by its name, with parameters as in `'token_f1(threshold=0.5)'`; `--against FILE` compares it with "
        "people.\n",
    ]
    for name in sorted(REGISTRY):
        declaration = REGISTRY[name]
        parts += [f"## {name}\n", *_docstring(sys.modules[declaration.function.__module__].__doc__ or "")]
        if not declaration.made:
            parts += _docstring(inspect.cleandoc(declaration.function.__doc__ or ""))
        if declaration.scores:
            parts.append(f"It leaves graded credit in {', '.join(f'`{score}`' for score in declaration.scores)}.\n")
    yield "judges.md", _joined(parts)


def _docstring(text: str) -> Iterator[str]:
    """Yield a module's docstring as Markdown, with indented text unchanged."""
    for shown, lines in _blocks(text.strip().split("\n")):
        if shown:
            yield "\n".join(["```text", *(line.removeprefix("    ") for line in lines), "```\n"])
        else:
            yield in_words("\n".join(lines).strip()) + "\n"


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield blocks of lines, each with whether it is indented.

    Empty lines separate paragraphs, and stay inside indented blocks.
    """
    block: list[str] = []
    for line in [*lines, ""]:
        indented = bool(block) and block[0].startswith("    ")
        if block and (line.startswith("    ") != indented if line else not indented):
            yield indented, block
            block = []
        if line or indented:
            block = [*block, line] if line or block else []
    if any(block):
        while not block[-1]:
            block.pop()
        yield True, block


def measures() -> Iterator[tuple[str, str]]:
    """Yield (file, page) for the list of all measures and for each measure, with the findings of its audit."""
    from nescio.measures import REGISTRY
    from nescio.meta_evaluation.audit import audit, with_defaults
    from nescio.reporting.audit import summary, words
    from nescio.reporting.catalogue import describe, groups

    order = sorted(REGISTRY, key=lambda name: ("." in name, name.lower()))
    bound = {name: with_defaults(REGISTRY[name]) for name in order}
    found = audit(list(bound.values()))
    worked = _worked(order)
    for name in order:
        facts = describe(REGISTRY[name])
        tested = [row for row in found if row.measure == bound[name].label]
        parts = [
            f"# {_plain(name)}\n",
            f"    nescio score FILES -m {_shell(name)}\n",
            mathematics(REGISTRY[name].doc) + "\n",
        ]
        parts += ["## When to use it\n", _plain(facts["use"]) + "\n"]
        parts += ["## Worked by hand\n", *_example(facts["example"])]
        if name in worked:
            parts += ["## On the examples\n", worked[name] + "\n"]
        keys = ("also", "range", "better", "needs", "order", "interval", "source")
        shown = [(key, facts[key]) for key in keys if facts[key]]
        parts += [f"| measure | {_plain(facts['usage'])} |", "| --- | --- |"]
        parts += [f"| {key} | {_plain(fact)} |" for key, fact in shown]
        parts += ["", "## Its audit\n", _capital(_plain(summary(tested))) + ".\n"]
        parts += ["| test | result | what was found |", "| --- | --- | --- |"]
        parts += [f"| {row.test} | {row.result} | {_plain(words(row))} |" for row in tested]
        parts.append("\n[How the audit is made](../../evidence/audit.md)")
        yield file_name(name), "\n".join(parts) + "\n"
    head = [
        "# Measures\n",
        f"{len(order)} of them, by what they need. `nescio measures` lists them in a terminal, and `nescio measures "
        "NAME` prints the page of one. Higher is better unless a row says otherwise; a page has the range.\n",
    ]
    for title, members in groups([REGISTRY[name] for name in order]):
        head += [f"## {title}\n", "| measure | what it says |", "| --- | --- |"]
        for facts in map(describe, members):
            called = f"[{_plain(facts['name'])}]({file_name(facts['name'])})"
            lower = " Lower is better." if facts["better"] == "lower" else ""
            head.append(f"| {called} | {_plain(facts['summary'])}{lower} |")
        head.append("")
    yield "index.md", "\n".join(head)


def _example(text: str) -> Iterator[str]:
    """Yield an example as Markdown: the data, its steps on one line each, and remarks."""
    data, _, rest = text.partition(": ")
    steps, *remark = re.split(r"\.(?:$| (?=[A-Z]))", rest, maxsplit=1)
    letters = " (C correct, W incorrect, U unanswered)" if re.search(r"outcome|\bC\b", data) else ""
    yield f"Given `{data}`{letters}:\n"
    yield "\n".join(f"    {step}" for step in steps.split("; ")) + "\n"
    if any(remark):
        yield _plain(remark[0]) + "\n"


def _worked(names: list[str]) -> dict[str, str]:
    """Return each measure's value on the examples, if it can be computed there."""
    import nescio
    from nescio.errors import NescioError
    from nescio.pipeline import Options, load
    from nescio.reporting.numbers import number

    loaded, said = load([EXAMPLE], Options()), {}
    for name in names:
        try:
            scores = nescio.score(loaded, [name], ci=None, mark=False)
        except NescioError:
            continue
        values = ", ".join(f"{row.run} {number(row.value)}" for row in scores if not math.isnan(row.value))
        if values:
            said[name] = f"`nescio score outcomes.csv -m {_shell(name)}` gives: {values}. (Three runs, 70 questions.)"
    return said


def file_name(name: str) -> str:
    """Return the file name of the page of a measure or command, without @."""
    return name.replace("@", "-at-") + ".md"


def mathematics(text: str) -> str:
    """Return a text in which formulas, which are between dollars, are set as code."""
    parts = re.split(r"\$(.+?)\$", text, flags=re.DOTALL)
    return "".join(f"`{' '.join(part.split())}`" if number % 2 else _plain(part) for number, part in enumerate(parts))


_SIGNS = {r"\le": "≤", r"\ge": "≥", r"\cdot": "·", r"\max": "max", r"\min": "min", r"\sum": "Σ"}
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def in_words(text: str) -> str:
    """Return a text with LaTeX between dollars as plain text, for readers without mathematics."""
    parts = re.split(r"\$\$?(.+?)\$\$?", text, flags=re.DOTALL)
    return "".join(f"`{_as_line(part)}`" if number % 2 else _plain(part) for number, part in enumerate(parts))


def _as_line(latex: str) -> str:
    """Return a formula as one line, with slashes and letters. Raises ValueError for unknown LaTeX."""
    line = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1 / (\2)", latex)
    line = re.sub(r"\\text\{([^{}]*)\}", r"\1", line)
    line = re.sub(r"_([0-9])", lambda found: found[1].translate(_BELOW), line)
    line = re.sub(r"\\[a-z]+", lambda found: _SIGNS.get(found[0], found[0]), line)
    if re.search(r"[\\{}_^]", line):
        raise ValueError(f"this formula cannot be written in a line: {latex}")
    return line


def _shell(name: str) -> str:
    return shlex.quote(name)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def standing() -> dict[str, str]:
    """Return the pages in the repository, by file."""
    before = SPELLING.set(in_shell)
    try:
        return {
            **dict([*command_line(), *formats(), *judges(), given()]),
            "python.md": python(),
            "../papers.md": paper_page(),
        }
    finally:
        SPELLING.reset(before)


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also a page a measure, in docs/reference/measures.")
def main(everything: bool) -> None:
    """Write the reference pages from the program itself."""
    for name, page in standing().items():
        (PAGES / name).parent.mkdir(exist_ok=True)
        (PAGES / name).write_text(page, encoding="utf-8")
    if everything:
        (PAGES / "measures").mkdir(exist_ok=True)
        for name, text in measures():
            (PAGES / "measures" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
