"""Ask the user one question about a table that can be read in several ways, each with its counts and its command."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.errors import TYPED, FormatError, again, opt, shorten, spelled
from nescio.sources.source import Source
from nescio.tables.mapping import ROLES
from nescio.tables.people_beside import comparison
from nescio.text import inert, on_one_line

if TYPE_CHECKING:
    from nescio.formats.registry import ReadOptions
    from nescio.tables.columns import Table

Options = Mapping[str, Any]  # options of a command by name; `column` is a mapping
Counts = tuple[tuple[str, int, int, int, int], ...]  # run, right, wrong, silent, ungraded


class Way(Struct, frozen=True):
    """One way to read a table: the options that choose it, and what results.

    The result is the counts of outcomes of each run, and the number of questions.
    """

    options: Options
    counts: Counts = ()
    questions: int = 0

    def __str__(self) -> str:
        return f"{self.gives}\n     {again(self.options)}"

    @property
    def gives(self) -> str:
        """Return the counts of outcomes in words: "mine 5/3/2, 10 questions" for 5 right, 3 wrong and 2 unanswered.

        Questions for which a run has no row are counted as missing.
        """
        if not self.counts:
            return "a table of counts or scores"
        runs: list[str] = []
        for run, *states in self.counts[:_RUNS]:
            right, wrong, silent, ungraded = states
            missing = self.questions - sum(states)
            more = f" and {ungraded} ungraded" if ungraded else ""
            more += f" and {missing} missing" if missing > 0 else ""
            runs.append(f"{run} {right}/{wrong}/{silent}{more}")
        rest = len(self.counts) - _RUNS
        more = f", and {rest} more run{'s' if rest > 1 else ''}" if rest > 0 else ""
        return (
            f"{', '.join(map(on_one_line, runs))}{more}, {self.questions} question{'s' if self.questions != 1 else ''}"
        )


_WIDEST = 40  # characters of a column's name before its kind
_RUNS = 4  # runs that a way shows
_TEXTS = 5  # texts that a question shows


class AskedError(FormatError):
    """The error for a table with several possible meanings: it asks the user a question.

    `ways` has the options that give each answer to the question. `screen` is the text below the question, which shows
    the result of each answer.
    """

    several_lines = True

    def __init__(
        self,
        source: Source | str,
        question: str,
        ways: Sequence[Options] = (),
        *,
        where: str | None = None,
        value: object = None,
        screen: str = "",
    ) -> None:
        self.question, self.ways = spelled(question), list(ways)
        self.executed: list[Way] = []
        label = source if isinstance(source, str) else source.label
        super().__init__(label, f"{question}{screen}", where=where, value=value)

    @classmethod
    def of_ways(cls, label: str, question: str, ways: Sequence[Way]) -> AskedError:
        """Return an error that asks `question` about the file `label`; each of the ways to answer it has been tried."""
        error = cls(label, question, [way.options for way in ways], screen="\n".join(("", "", *_listed(ways))))
        error.executed = [*ways]
        return error


def of_refusals(source: Source, texts: Counter[str], where: str | None = None) -> AskedError:
    """Return the error that asks how answers with these texts, which may decline in words, should count."""
    ways: list[Options] = [{"refusals": how} for how in ("unanswered", "incorrect")]
    return AskedError(source, of_silence(texts, *["may decline in words"] * 2), ways, where=where)


def of_silence(texts: Counter[str], does: str, do: str) -> str:
    """Return the question how answers with these texts should count, with the number of each frequent text.

    `does` and `do` say what one answer does, and what several do. Empty texts are counted, but not shown.
    """
    many, wordings = texts.total(), Counter({text: times for text, times in texts.items() if text})
    listed = ", ".join(f"{times} × {shorten(text)}" for text, times in wordings.most_common(_TEXTS))
    more = f" and {len(wordings) - _TEXTS} other texts" if len(wordings) > _TEXTS else ""
    subject, what = (f"answer {does}", "does it") if many == 1 else (f"answers {do}", "do they")
    return f"{many} {subject}{f' ({listed}{more})' if wordings else ''}: what {what} count as?"


def _shown(text: str) -> str:
    """Return a text on one line, without unprintable signs."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))


def screen(table: Table, ways: Sequence[Way], options: ReadOptions, more: int = 0) -> str:
    """Return the text below a question about a table, from which the user can choose an answer.

    The text lists the columns with the kind and the first values of their cells. It also lists the mapping that the
    user gave, and the ways to read the table with their results. `more` is the number of further ways, which are not
    listed.
    """
    listed = [(_shown(name), column) for name, column in table.columns.items() if name]
    width = min(max((len(name) for name, _ in listed), default=0), _WIDEST)
    kinds = max((len(column.kind) for _, column in listed), default=0)
    lines = [""]
    for name, column in listed:
        values = " | ".join(map(_shown, column.samples))
        lines.append(f"  {name:{width}}  {column.kind:{kinds}}  {values}".rstrip())
    if options.column:
        lines.append(f"mapping so far: {opt('column', dict(options.column))}")
    if ways:
        lines += ["", *_listed(ways)]
    if more:
        lines.append(
            f"{more} more answer{'s' if more > 1 else ''} not listed; {opt('column', of='ROLE=COLUMN')} excludes some"
        )
    return "\n".join([*lines, *_judge_beside_people(table, ways, options)])


def _judge_beside_people(table: Table, ways: Sequence[Way], options: ReadOptions) -> list[str]:
    """Return the lines with a command that compares a judge's verdicts with people's in another column of the table.

    The list is empty unless the table has columns of both.
    """
    for way in ways:
        both = comparison(table, {**options.column, **way.options.get("column", {})}, options)
        if both is not None:
            judge, people, command = both
            return [
                f"people's verdicts seem to be in {people!r}; this command compares the judge's column {judge!r} "
                "with people:",
                f"     {command}",
            ]
    return []


def _listed(ways: Sequence[Way]) -> list[str]:
    """Return the possible answers to a question as numbered lines, each with the counts of outcomes that result."""
    numbered = [f"  {i}. {way}" for i, way in enumerate(ways, 1)]
    return ["each possible answer, with the counts that it gives (right/wrong/unanswered, per run):", *numbered]


def ask_in_terminal(error: AskedError) -> Options | None:
    """Show the question in the terminal, and return the options of the answer that the user chooses.

    The user may also type a role with its column ("outcome=grade"). Returns None outside a terminal, or if the user
    chooses nothing.
    """
    if not (error.executed and TYPED.get() and sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    print(f"{inert(str(error))}\n")
    while True:
        try:
            typed = input(f"type 1 to {len(error.executed)}, or ROLE=COLUMN, or nothing to stop: ").strip()
        except EOFError:
            return None
        if not typed:
            return None
        if typed.isdecimal() and 1 <= int(typed) <= len(error.executed):
            return error.executed[int(typed) - 1].options
        role, is_mapping, column = typed.partition("=")
        if is_mapping and role in ROLES:  # such as another threshold: outcome=grade>=0.7
            return {"column": {role: column}}
