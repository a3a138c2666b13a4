"""What could a table mean whose names nobody knows? Each column is tried as verdict, silence, question and run: its
cells decide what it can be, and what its name is made of says what it is likely to be."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.headers import CODES, STEMS
from nescio.sources.database import connect
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows
from nescio.text import decimal, squeeze

_FEW_ROWS = 8  # of which nothing is said by what they have in common
ROWS = 20_000  # that are looked at
SURE, AHEAD = 2.0, 1.5  # what the best reading needs by itself, and beyond the next one
_ALIKE = 0.6  # of the rows where gold and answer agree or not, how far a verdict goes with that (phi)
_TOKEN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_NOT = frozenset(("not", "no", "non", "nicht", "keine", "un", "never", "didnt"))


class Column:
    """A column: its name, its cells from the first row on, and what they are."""

    def __init__(self, name: str, cells: Sequence[str | None]) -> None:
        self.name, self.cells = name, cells

    @cached_property
    def words(self) -> frozenset[str]:
        """Its different cells, but for the empty ones."""
        return frozenset(cell for cell in self.cells if cell is not None)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """What its name is made of, with `not` joined to what it denies."""
        parts = [part for token in _TOKEN.split(self.name) if (part := roles.squash(token))]
        joined: list[str] = []
        for part in parts:
            if joined and joined[-1] in _NOT:
                joined[-1] += part
            else:
                joined.append(part)
        return tuple(joined)

    def named(self, part: str) -> float:
        """Say how far its name speaks for a part: 2 by the whole of it or by its last word, 1 by another word."""
        if roles.part_of(self.name) in _SAME.get(part, (part,)):
            return 2.0
        stems = STEMS[part]
        at = [i for i, token in enumerate(self.tokens) if token.startswith(stems)]
        return 0.0 if not at else 2.0 if at[-1] == len(self.tokens) - 1 or len(self.tokens) == 2 else 1.5

    @cached_property
    def states(self) -> dict[str, int | None]:
        """What its words mean as verdicts; of codes such as A, B and C, where all of them are."""
        codes = next((code for code in CODES if {*self.words} <= {*code} and len(self.words) > 1), None)
        if codes is not None:
            return {word: codes[word] for word in self.words}
        if self.is_percentage:
            return {word: CORRECT if decimal(word) else INCORRECT for word in self.words}
        return {word: roles.state_of(word) for word in self.words}

    @cached_property
    def is_percentage(self) -> bool:
        """Whether it holds 0 and 100 alone."""
        numbers = {decimal(word) for word in self.words}
        return 100.0 in numbers and numbers <= {0.0, 100.0}

    @cached_property
    def is_verdict(self) -> bool:
        """Whether each of its words can be a verdict, and one is of an answer that was given."""
        means = self.states.values()
        return 0 < len(self.words) <= roles.FEW and None not in means and bool({CORRECT, INCORRECT} & {*means})

    @cached_property
    def is_worded(self) -> bool:
        """Whether its words say right and wrong by themselves, and are not yes and no."""
        return self.is_verdict and not all(roles.truth_of(word) is not None for word in self.words)

    @cached_property
    def is_truth(self) -> bool:
        """Whether it says yes and no."""
        return bool(self.words) and all(roles.truth_of(word) is not None for word in self.words)

    @cached_property
    def silent_words(self) -> frozenset[str]:
        """Those of its few words that mean that nothing was answered."""
        return frozenset(roles.silent_among(self.words))

    @cached_property
    def is_measured(self) -> bool:
        """Whether it holds numbers with fractions."""
        numbers = [decimal(word) for word in self.words]
        return bool(numbers) and None not in numbers and any(number != int(number) for number in numbers if number)


_SAME = {"outcome": ("outcome", "score"), "wrong": ("wrong", "failure"), "id": ("id", "text")}


class Verdict:
    """A column taken for the verdict: what its rows are then, how much speaks for it, and whether yes means wrong."""

    def __init__(self, column: Column, weight: float, *, inverted: bool) -> None:
        self.column, self.weight, self.inverted = column, weight, inverted

    @cached_property
    def states(self) -> list[int | None]:
        """What each row is."""
        turned = {CORRECT: INCORRECT, INCORRECT: CORRECT} if self.inverted else {}
        means = {word: turned.get(state, state) for word, state in self.column.states.items() if state is not None}
        return [None if cell is None else means.get(cell) for cell in self.column.cells]

    def option(self) -> str:
        """Write the options that read it so."""
        says_wrong = roles.says_failure(self.column.name)
        name = self.column.name if self.inverted == says_wrong else f"!{self.column.name}"
        written = [roles.option("outcome", name)]
        plain = {word: roles.state_of(word) for word in self.column.words}
        for word, state in sorted(self.column.states.items()):
            if state is not None and plain[word] != state:
                written.append(roles.mapped(word, state))
        return " ".join(written)


class Table:
    """The columns of a table, and which of them are known by their names."""

    def __init__(self, columns: Sequence[Column], known: roles.Roles) -> None:
        self.columns, self.known = columns, known
        self.by_name = {column.name: column for column in columns}

    @cached_property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].cells) if self.columns else 0

    def one(self, *parts: str) -> Column | None:
        """Return the column that plays a part by its name."""
        name = self.known.one(*parts)
        return None if name is None else self.by_name.get(name)

    @cached_property
    def run(self) -> Column | None:
        """The column that names the run."""
        if found := self.one("run"):
            return found
        several = [c for c in self.columns if c.named("run") and not c.is_worded and not c.named("outcome")]
        several = [c for c in several if not c.named("repeat") and 0 < len(c.words) <= max(1, self.size // 2)]
        return several[0] if len(several) == 1 else None

    @cached_property
    def question(self) -> Column | None:
        """The column that names the questions: the one by its name that has each once in a run."""
        if found := self.one("id", "text"):
            return found
        several = self.run is not None and len(self.run.words) > 1
        fitting = [c for c in self.columns if c.named("id") and not c.is_measured and self.once(c)]
        fitting = [c for c in fitting if not several or len(c.words) < self.size]
        fitting.sort(key=lambda c: -c.named("id"))
        return fitting[0] if fitting else None

    def once(self, column: Column) -> bool:
        """Say whether no two rows of a run have the same there."""
        runs = self.run.cells if self.run else [None] * self.size
        return None not in column.cells and len({*zip(runs, column.cells, strict=True)}) == self.size

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The columns that could say which answers are right, the likeliest first."""
        taken = {c.name for c in (self.run, self.question) if c}
        verdicts = ("outcome", "score", "wrong", "failure")
        taken |= {c for part, names in self.known.columns.items() if part not in verdicts for c in names}
        found = [v for c in self.columns if c.name not in taken and c.is_verdict and (v := self._weighed(c))]
        return sorted(found, key=lambda v: -v.weight)

    def _weighed(self, column: Column) -> Verdict | None:
        """Weigh what speaks for a verdict, and against it."""
        right, wrong = column.named("outcome"), column.named("wrong")
        silent = max(column.named("abstained"), column.named("answered"))
        weight = max(right, wrong)
        inverted = wrong > 0 and not column.is_worded and (wrong >= right or wrong > 0)
        if column.is_worded:
            weight += 2.0
        if column.named("fact") and not wrong:
            weight -= 3.0
        if len({*column.states.values()}) < 2 and self.size >= _FEW_ROWS:
            weight -= 2.0  # it says the same of all answers
        if silent and not column.is_worded:
            weight -= 3.0
        if self._is_of_the_question(column):
            weight -= 3.0
        if (alike := self._alike(column)) is not None:
            if abs(alike) >= _ALIKE:
                weight, inverted = weight + 3.0, alike < 0 if not column.is_worded else inverted
            elif self.size >= _FEW_ROWS:
                weight -= 1.0
        return Verdict(column, weight, inverted=inverted)

    def _is_of_the_question(self, column: Column) -> bool:
        """Say whether it says the same of all answers to a question, which several runs gave."""
        if self.run is None or self.question is None or len(self.run.words) < 2:
            return False
        by_question = defaultdict(set)
        for question, cell in zip(self.question.cells, column.cells, strict=True):
            by_question[question].add(cell)
        shared = 2 * len(by_question) <= self.size
        return shared and len(column.words) > 1 and all(len(cells) == 1 for cells in by_question.values())

    def _alike(self, column: Column) -> float | None:
        """Return how far its yes goes with answers that are the gold answer (phi); None where that cannot be told."""
        gold, given = self.one("gold"), self.one("prediction")
        if gold is None or given is None:
            return None
        counts: Counter[tuple[bool, bool]] = Counter()
        for cell, expected, answer in zip(column.cells, gold.cells, given.cells, strict=True):
            state = None if cell is None else column.states.get(cell)
            if state in (CORRECT, INCORRECT) and expected and answer:
                counts[state == CORRECT, squeeze(expected).casefold() == squeeze(answer).casefold()] += 1
        a, b, c, d = (counts[x, y] for x in (True, False) for y in (True, False))
        below = (a + b) * (c + d) * (a + c) * (b + d)
        return None if below == 0 else float((a * d - b * c) / below**0.5)

    def silences(self, verdict: Verdict) -> list[tuple[Column, str, list[bool]]]:
        """Return the columns that say which answers were declined: the part each plays, and the rows."""
        if SILENT in verdict.column.states.values():
            return []
        found = []
        for column in self.columns:
            if column is verdict.column or column in (self.run, self.question):
                continue
            if column.is_truth and not column.named("fact") and not self._is_of_the_question(column):
                for part in ("abstained", "answered"):
                    if column.named(part) > column.named("answered" if part == "abstained" else "abstained"):
                        yes = part == "abstained"
                        says = [cell is not None and roles.truth_of(cell) is yes for cell in column.cells]
                        found.append((column, part, says))
            elif column.silent_words and not column.named("prediction") and not column.named("gold"):
                found.append((column, "abstained", [cell in column.silent_words for cell in column.cells]))
        return [one for one in found if any(one[2]) and (verdict.inverted or self._may_be_silent(verdict, one[2]))]

    @staticmethod
    def _may_be_silent(verdict: Verdict, rows: Sequence[bool]) -> bool:
        """Say whether rows can be silent beside a verdict: not most of them are marked as right."""
        right = sum(state == CORRECT for state, silent in zip(verdict.states, rows, strict=True) if silent)
        return 2 * right <= sum(rows)


def table_of(source: Source) -> Table:
    """Look at the first rows of a source."""
    with connect(small=small(source)) as connection:
        have = {name: cell for name, cell in load_rows(connection, source, "cells").items() if name is not None}
        cells = ", ".join(have.values())
        rows = connection.execute(f"SELECT {cells} FROM cells ORDER BY row LIMIT {ROWS}").fetchall()
    rows = [row for row in rows if row != tuple(have)]  # a header that is repeated
    columns = [Column(name, column) for name, column in zip(have, zip(*rows, strict=True), strict=True)]
    return Table(columns, roles.roles_of((name for name in have if name), source.named))


def counted(states: Iterable[int | None], silent: Sequence[bool] = ()) -> str:
    """Say what rows would be."""
    rows = list(states)
    found = Counter(SILENT if silent and silent[i] else state for i, state in enumerate(rows))
    return f"{found[CORRECT]} right, {found[INCORRECT]} wrong, {found[SILENT]} silent"


def propose(source: Source, *, judged: bool | None = None) -> str:
    """Say which options would make a table understood; empty where nothing can be proposed. Answers that can be judged
    by gold answers need no verdict, unless `judged` is False."""
    try:
        return _proposed(table_of(source), source, judged=judged) if roles.is_table(source) else ""
    except FormatError:  # it is no sound table, which another message says
        return ""


def _proposed(table: Table, source: Source, *, judged: bool | None) -> str:
    known = table.known
    lines = []
    if judged is None:
        judged = bool(known.one("gold") and known.one("prediction"))
    verdict = "outcome" in source.named or known.one("outcome", "wrong", "failure")
    if not verdict and not judged and table.verdicts:
        lines.append(_of_the_verdict(table))
    elif not verdict and not judged and not known.one("score"):
        lines += _of_the_answers(table)
    if not (lines or verdict or judged or known.one("score")):
        return ""
    if not known.one("id", "text") and (line := _of_the_question(table)):
        lines.append(line)
    if lines and not known.one("run") and table.run is not None and len(table.run.words) > 1:
        lines.append(f"the run with {roles.option('run', table.run.name)}")
    return ", and ".join(lines)


def _of_the_verdict(table: Table) -> str:
    """Propose the verdict, with the silence beside it, where one reading stands above all others; else name what could
    be meant."""
    first, *others = table.verdicts
    same = [v for v in others if v.states == first.states and not {*v.column.tokens} & {*first.column.tokens}]
    rivals = [v for v in others if v not in same and v.weight > first.weight - AHEAD and v.weight > 0]
    if first.weight < SURE or rivals:
        each = [first, *(rivals or [v for v in others if v.weight > first.weight - AHEAD])]
        names, counts = [v.column.name for v in each], [counted(v.states) for v in each]
        return f"the outcome with {roles.may_be('outcome', names, counts)}"
    silences = table.silences(first)
    if not silences:
        return f"the outcome with {first.option()} ({counted(first.states)})"
    if len({tuple(rows) for _, _, rows in silences}) > 1:
        names, counts = [c.name for c, _, _ in silences], [counted(first.states, rows) for _, _, rows in silences]
        return (
            f"the outcome {first.column.name!r}, and what was declined with {roles.may_be('abstained', names, counts)}"
        )
    column, part, rows = silences[0]
    return f"the outcome with {first.option()} {roles.option(part, column.name)} ({counted(first.states, rows)})"


def _of_the_answers(table: Table) -> list[str]:
    """Propose the gold answers or the answers, where only one of the two is known."""
    known = table.known
    if not known.one("gold", "prediction"):
        return []
    part = "prediction" if known.one("gold") else "gold"
    claimed = {column for names in known.columns.values() for column in names}
    free = [c for c in table.columns if c.name not in claimed and len(c.words) > 1 and not c.is_truth]
    named = [c for c in free if c.named(part)]
    if len(named) == 1:
        return [f"the {part} with {roles.option(part, named[0].name)}"]
    return [f"the {part} with {roles.may_be(part, [c.name for c in named or free])}"] if free else []


def _of_the_question(table: Table) -> str:
    """Propose the column that names the questions."""
    if table.question is not None:
        return f"the question with {roles.option('question', table.question.name)}"
    taken = {v.column.name for v in table.verdicts[:1]} | ({table.run.name} if table.run else set())
    free = [
        c for c in table.columns if c.name not in taken and len(c.words) > 1 and not c.is_truth and not c.is_measured
    ]
    free.sort(key=lambda c: (not table.once(c), -len(c.words)))
    return f"the question with {roles.may_be('question', [c.name for c in free])}" if free else ""
