"""Find the roles that the columns of a table may have, by their names and cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

from msgspec.structs import replace

from nescio.data.assessed import WORDS, verdicts_in
from nescio.data.kept import DIGEST, DIGESTS, KEPT, OF_RUNS, OUTPUT_WAS
from nescio.data.notes import Note, note
from nescio.data.outcomes import STATES
from nescio.data.reasons import EMPTY, OUTPUT_LACKS
from nescio.errors import opt
from nescio.tables import failures
from nescio.tables.cells import RESERVED
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import (
    declines,
    have_meaning,
    is_measured,
    is_silent_word,
    marker_of,
    rank,
    roles_of,
    speaks_of_answering,
    speaks_of_questions,
    speaks_of_silence,
    speaks_of_verdicts,
    squash,
    state_of,
    tell_of_silence,
    truth_of,
)
from nescio.tables.mapping import Expression, Mapped
from nescio.tables.statuses import is_status
from nescio.tables.words import FEW_WORDS
from nescio.text import decimal

OWN_ALONE = ("candidate", "rank", "known_answers", "cluster", "judge", *KEPT)  # roles that only their own names have
NOTHING = Expression()
ABOUT_ANSWERING = {"abstained", "answered", "answerable", "unanswerable", "expected"}
_KEPT = {name.replace("_", ""): name for name in KEPT}
_SAYING = {*ABOUT_ANSWERING, "outcome", "score", "wrong", "error"}


class Roles:
    """The columns that may have each role, by their names and their cells.

    Columns to which the user gave a role (`given`) are left out.
    """

    def __init__(self, table: Table, given: Mapped, mapped: Collection[str] = ()) -> None:
        self.table, self.given, self.mapped = table, given, mapped
        self.taken = {name for expression in given.values() for name in expression.columns}
        named = [(column, role) for column in table.columns.values() for role in may_be(column, mapped)]
        self.by_role: dict[str, list[str]] = {}
        for column, role in named:
            if column.name not in self.taken and column.filled:
                self.by_role.setdefault(role, []).append(column.name)
        if (
            "question" in table.columns and {"outcome", "prediction"} & table.columns.keys()
        ):  # nescio's own table, whose cells obey its rules
            for name, role in (
                ("run", "run"),
                ("question", "text"),
                ("confidence", "confidence"),
                ("answerable", "answerable"),
            ):
                if name in table.columns and name not in self.taken and table.columns[name].filled:
                    self.by_role[role] = list(dict.fromkeys((name, *self.by_role.get(role, ()))))
        for role, names in self.by_role.items():
            names.sort(key=lambda name: rank(name, role))
            if role in names and (self.is_own or role not in _SAYING):  # nescio's own name for the role
                self.by_role[role] = [role]

    @property
    def is_own(self) -> bool:
        """Return whether this is an outcome table as nescio writes it.

        In such a table, the column `outcome` comes before all other verdicts.
        """
        columns = self.table.columns
        complete = {"run", "question", "outcome"} <= columns.keys()
        return complete and {*(columns["outcome"].words or ("",))} <= {*STATES}

    @property
    def name_runs(self) -> bool:
        """Return whether a column names the run of each row; if it does, no column belongs to a single run."""
        return any(varies(self, name) for name in self.all("run"))

    @property
    def name_conditions(self) -> bool:
        """Return whether a column names the run of each row, or a condition that distinguishes runs.

        A column that may also name the questions does not count.
        """
        conditions = [name for name in self.all("condition") if name not in self.all("question", "row", "text")]
        return self.name_runs or any(varies(self, name) for name in conditions)

    def all(self, *roles: str) -> list[str]:
        """Return the columns that may have one of these roles, in the order of the roles."""
        return list(dict.fromkeys(name for role in roles for name in self.by_role.get(role, ())))

    @cached_property
    def hints(self) -> list[Column]:
        """Return the columns that may be about abstaining although the lexicon lacks their names.

        Their cells have words for abstaining. Or their cells say yes and no, and their names begin like words for
        abstaining.
        """
        columns = [column for column in self.table.columns.values() if column.name and column.name not in self.taken]
        names = {"run", "condition", "question", "row", "repeat"}  # columns whose words are not about answers
        return [c for c in columns if not (has_role(c) or names & {*roles_of(c.name)}) and _is_hint(c)]

    def column(self, name: str) -> Column:
        """Return the column with this name."""
        return self.table.columns[name]


def is_own(table: Table) -> bool:
    """Return whether a table has nescio's own columns of questions and outcomes."""
    return {"question", "outcome"} <= table.columns.keys()


def with_own_columns(table: Table, named: Collection[str]) -> Table:
    """Return a table that nescio wrote without the columns whose names mean nothing there; any other table unchanged.

    Strata and scores keep their names when they are written, so a score may be called "Refusal" or "Correct". Columns
    that the command `named` stay.
    """
    if not is_written(table):
        return table
    names = {*RESERVED, *named}
    columns = {name: column for name, column in table.columns.items() if name in names or kept_role(name)}
    others = {name: column for name, column in table.columns.items() if name not in columns}
    passed_over = [name for name, column in others.items() if name and may_take_a_role(name, column.words or ())]
    return replace(table, columns=columns, passed_over=passed_over)


def on_passed_over(table: Table) -> list[Note]:
    """Return a note on the columns of a table that nescio wrote whose names would have a role in another table."""
    if not table.passed_over:
        return []
    return [
        note(
            "tables.passed_over",
            f"{{subject}}: nescio wrote this table, so {{names:list}} {{many:has/have}} no role; {opt('column')} "
            "names one",
            str(table.source.label),
            names=[*map(repr, table.passed_over)],
            many=len(table.passed_over),
        )
    ]


def is_written(table: Table) -> bool:
    """Return whether nescio wrote a table: it has nescio's outcomes, and a column that only nescio writes."""
    columns, words = table.columns, {*STATES, *WORDS.values()}
    if not {"run", "question", "outcome"} <= columns.keys() or not {*(columns["outcome"].words or ())} <= words:
        return False
    return any(map(_is_of_nescio, columns.values()))


def _is_of_nescio(column: Column) -> bool:
    """Return whether a column keeps evidence as nescio writes it; a user's own digests have another form."""
    role = kept_role(column.name)
    texts = column.words or column.samples
    if role == OUTPUT_WAS:
        return bool({*texts} & {*OUTPUT_LACKS})
    digests = [text for text in texts if re.fullmatch(DIGEST, text)]
    return role in OF_RUNS or (role in DIGESTS and (bool(digests) or not column.filled))


def kept_role(name: str) -> str | None:
    """Return the column of `nescio.data.kept` that a header names, in any case and with spaces ("Answers held")."""
    return _KEPT.get(squash(name)) if name else None


_NO_OUTCOMES = {"run", "row", "text", "score"}  # roles that change no outcome beside nescio's own columns


def may_take_a_role(name: str, words: Collection[str] = ()) -> bool:
    """Return whether a column may change outcomes by its name, or by `words` in its cells, in a table of any origin."""
    spoken = (speaks_of_silence, speaks_of_answering, speaks_of_questions, speaks_of_verdicts, is_status)
    return not {*roles_of(name)} <= _NO_OUTCOMES or any(speaks(name) for speaks in spoken) or tell_of_silence([*words])


def may_be(column: Column, mapped: Collection[str] = ()) -> Iterator[str]:
    """Yield the roles that the lexicon gives to a column's name, if its cells allow them.

    `mapped` are words to which the user gave a meaning as outcomes.
    """
    named_runs = column.name == "candidate" and all(state_of(word) is None for word in column.words or ("",))
    if role := kept_role(column.name):
        yield role
        return
    if column.name in OWN_ALONE and not named_runs:
        if column.name != "judge" or not column.is_share:  # a judge's scores name no judge
            yield "outcome" if column.name == "judge" and column.is_truth else column.name
        return
    roles = roles_of(column.name, of_runs=column.of_runs)
    fitting = [role for role in roles if _fits(column, role, mapped)]
    partly = [
        role
        for role in roles
        if {*fitting} <= ({"gold"} if role == "outcome" else set()) and _fits_partly(column, role)
    ]
    yield from (role for role in roles if role in (*fitting, *partly))


def _fits(column: Column, role: str, mapped: Collection[str]) -> bool:
    known = role in ("outcome", "score") and is_known(column, mapped)
    return known or _FITS.get(role, _any)(column)


def _fits_partly(column: Column, role: str) -> bool:
    """Return whether some cells of a column fit a role, so that nescio can ask the user about the others.

    Outcomes or scores that are numbers of 0 or more do not count, because they may be grades.
    """
    words = column.words or ()
    lacking = [word for word in words if marker_of(word) == EMPTY]
    if role in ("outcome", "score") and 0 < len(lacking) < len(words) and is_known(column, lacking):
        return True
    graded = role in ("outcome", "score") and column.is_number and (column.low or 0) >= 0
    known = role in _MEANT and any(_MEANT[role](word) is not None for word in words)
    return known and len(words) <= FEW_WORDS and not graded


def is_known(column: Column, mapped: Collection[str]) -> bool:
    """Return whether each word of a column is known as an outcome.

    A word is known from the lexicon, as an assessor's code, or because the user `mapped` it.
    """
    words = column.words or ()
    if not words or column.is_points:
        return False
    unknown = {*words} - {*mapped, *verdicts_in(words)}
    return not unknown or have_meaning(unknown, state_of)


def may_be_gold(table: Table, outcome: Expression) -> bool:
    """Return whether a column taken for a verdict of yes and no may be the gold answer by its name, as "label" may."""
    names = [] if outcome.sign else outcome.columns
    golds = [name for name in names if "gold" in roles_of(name) and "outcome" not in roles_of(name)]
    return any(table.columns[name].is_truth for name in golds)


def _any(column: Column) -> bool:
    return not column.structured


def _says(meaning: Callable[[str], object]) -> Callable[[Column], bool]:
    return lambda column: have_meaning(column.words or (), meaning)


# The meaning of a word in a column with a role.
_MEANT: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("outcome", "score"), state_of),
    **dict.fromkeys(("abstained", "answered"), declines),
    "expected": lambda word: None if truth_of(word) is not None else declines(word),  # an act, and not yes or no
    **dict.fromkeys(("wrong", "answerable", "unanswerable"), truth_of),
}
_FITS: Mapping[str, Callable[[Column], bool]] = {
    "gold": lambda column: bool(column.filled),
    # "selected" of yes and no says whether the system gave its answer
    "prediction": lambda column: bool(column.filled) and not (column.is_truth and speaks_of_answering(column.name)),
    "answer": lambda column: bool(column.filled),
    "outcome": lambda column: column.is_verdict,
    "score": lambda column: column.is_verdict,
    "wrong": lambda column: column.is_truth,
    "abstained": lambda column: bool(column.words) and (_says(declines)(column) or not column.is_number),
    "answered": _says(declines),
    "answerable": lambda column: column.is_truth,
    "unanswerable": lambda column: column.is_truth,
    "expected": _says(_MEANT["expected"]),
    "error": lambda column: column.is_truth or not failures.is_count(column),
    "confidence": lambda column: any(decimal(text.rstrip("% ")) is not None for text in column.words or column.samples),
}


def varies(roles: Roles, name: str) -> bool:
    """Return whether a column has several different cells."""
    words = roles.column(name).words
    return words is None or len(words) > 1


def says_more(column: Column) -> bool:
    """Return whether the name or the cells of a column suggest that it describes answers besides their outcomes."""
    return has_role(column) or _is_hint(column) or failures.is_failing_status(column)


def _is_hint(column: Column) -> bool:
    spoken = speaks_of_silence(column.name) or speaks_of_answering(column.name)
    of_questions = speaks_of_questions(column.name) and "answer" in column.name.lower()
    named = spoken or of_questions or is_status(column.name)
    if column.words is None:
        return not (column.is_number or column.structured) and column.has_word_for_none
    return tell_of_silence(column.words) or (column.is_truth and named)


def has_texts_for_none(column: Column) -> bool:
    """Return whether a column of many texts, or of words that name no outcome, has some in place of an answer."""
    words = column.words
    return words is None or not (column.is_truth or any(is_silent_word(w) or declines(w) is not None for w in words))


def said_by(column: Column) -> str:
    """Return "answered" for a column that says whether the system answered, else "abstained"."""
    answering = column.is_truth and not speaks_of_silence(column.name) and speaks_of_answering(column.name)
    return "answered" if answering else "abstained"


def has_role(column: Column, roles: Collection[str] = frozenset(_SAYING)) -> bool:
    """Return whether a column may have one of these roles by its name and its cells.

    By default the roles are those that say something about outcomes or abstaining.
    """
    return bool({*roles} & {*may_be(column)} - ({"score"} if is_measured(column.name) else set()))
