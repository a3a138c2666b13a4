"""Which answers of an outcome table were declined: by a column that says so, by words, or by an empty answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from nescio.data.outcomes import INCORRECT, NOT_GRADED, SILENT, STATES
from nescio.errors import FormatError, opt
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.loaded import Loaded, cases, right_words
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.silences import Apart, names_something_else
from nescio.formats.native.roles import Roles
from nescio.formats.registry import Declined
from nescio.sources.source import Source
from nescio.sources.tables import NOTHING, first, literal
from nescio.text import decimal

_FEW_WORDS = 4  # of a column of silence that nobody knows
_CHANCE = 0.01  # that a word stands beside no right answer
_MOST_TEXTS = 10_000  # of answers without a verdict, in which silence is looked for


def has_silence(table: Loaded, outcome: str) -> bool:
    """Say whether some verdicts are that nothing was answered."""
    return roles.speaks_of_silence(table.words(outcome))


def ask_of_silence(table: Loaded, named: Roles, columns: Mapping[str, str], outcome: str, *, turned: bool) -> None:
    """Raise the error that asks whether a column says which answers were declined: by its words, or by yes and no and
    what its name is made of. What it says of answers that are marked as right for the most part is no silence, unless
    all that is said of them is that nothing is wrong (`turned`)."""
    claimed = claimed_by(columns, named)
    free = [column for column in table.have if column and column not in claimed]
    free = [name for name in free if not any(roles.speaks_of(name, part) for part in ("prediction", "gold"))]
    right, ways = right_words(table, outcome), []
    for column, words in table.few_words(free).items():
        part, telling = _tells_silence(table, column, words)
        if not telling or names_something_else(Column(column, words)) or _is_of_the_question(table, columns, column):
            continue
        cell = table.have[column]
        among = ", ".join(map(literal, sorted(telling)))
        rows, marked = first(
            table.connection,
            f"SELECT count(*), count(*) FILTER ({outcome} IN ({right})) FROM {table.name} WHERE {cell} IN ({among})",
        )
        if rows and (turned or 2 * marked <= rows):
            ways.append((column, part, rows))
    if ways:
        column, part, rows = ways[0]
        what = f"{' and '.join(repr(name) for name, _, _ in ways)} may say which answers were declined ({rows} of them)"
        instead = f"or {roles.option('abstained', roles.NONE)} if none does"
        raise FormatError(
            table.source.label,
            f"{what}, and the verdict alone says nothing of it: {roles.option(part, column)}, {instead}",
            where=table.source.head,
        )


def ask_of_words(source: Source, apart: Iterable[Apart]) -> None:
    """Raise the error that asks whether a word that stands beside no right answer, and that by no chance, means that
    the answer was declined. Where a column has several, or its name speaks of what is wrong, they say why answers are
    wrong."""
    apart = [*apart]
    several = Counter(one.column.name for one in apart)
    telling = [one for one in apart if one.chance <= _CHANCE and several[one.column.name] == 1]
    telling = [one for one in telling if not any(map(one.column.named, ("wrong", "gold", "judges")))]
    if telling:
        first_one = min(telling, key=lambda one: one.chance)
        what = f"{first_one.column.name!r} is {first_one.word!r} of {sum(first_one.rows)} answers, none of them right"
        instead = f"{roles.option('abstained', roles.NONE)} takes them as they are"
        rule = f"{what}: {first_one.option} reads them as declined, {instead}"
        raise FormatError(source.label, rule, where=source.head)


def _is_of_the_question(table: Loaded, columns: Mapping[str, str], column: str) -> bool:
    """Say whether a column says the same of all answers that several runs gave to a question."""
    questions = table.count(columns["question"])
    return 2 * questions <= table.rows() and table.count(columns["question"], column) == questions


def claimed_by(columns: Mapping[str, str], named: Roles) -> set[str]:
    """Return the columns that play a part, and those whose names are for one; but for other verdicts."""
    verdicts = {*named.all("outcome", "score", "failure")} - {*columns.values()}
    return {*columns.values(), *named.names} - verdicts


def _tells_silence(table: Loaded, column: str, words: Sequence[str]) -> tuple[str, set[str]]:
    """Return the part that a column would play, and its words for what was declined; none where it says nothing."""
    if among := roles.silent_among(words):
        return "abstained", among
    if among := _reasons(table, column, words):
        return "abstained", among
    if {roles.truth_of(word) for word in words} == {True, False} and not roles.speaks_of(column, "fact"):
        for part, silent in (("answered", False), ("abstained", True)):
            if roles.speaks_of(column, part):
                return part, {word for word in words if roles.truth_of(word) is silent}
    return "", set()


def _reasons(table: Loaded, column: str, words: Sequence[str]) -> set[str]:
    """Return the words of a column that says by its name why an answer was declined, and else nothing: where all cells
    are filled, it is yes and no in words that nobody knows."""
    said = {word for word in words if re.fullmatch(NOTHING, word.strip(), re.IGNORECASE) is None}
    known = any(decimal(word) is not None or roles.silence_of(word) is not None for word in said)
    if not said or known or not roles.speaks_of(column, "abstained"):
        return set()
    empty = f"SELECT 1 FROM {table.name} WHERE {table.have[column]} IS NULL LIMIT 1"
    return said if len(said) < len(words) or first(table.connection, empty) else set()


def silent_cell(
    table: Loaded, named: Roles, declined_words: Declined, mapped: Mapping[str, str]
) -> tuple[str, frozenset[str]]:
    """Return a cell that says "yes" where any column says that the answer was declined, or its words mean so; and those
    of its words that the user `mapped` to silence: all others then are of answers that were given.

    Raises FormatError, with the options that decide, where nobody knows what a few words mean.
    """
    cells, told = [], set()
    if declined_words.asked and (prediction := named.one("prediction")):
        counts = table.counted(prediction)
        fitting = [text for text in counts if declined_words.fits(text)]
        declined_words.matched.update({text.strip(): counts[text] for text in fitting})
        if fitting:
            cells.append(f"({cases(table.have[prediction], dict.fromkeys(fitting, 'yes'))})")
    for part, silent in (("abstained", True), ("answered", False)):
        for column in named.all(part):
            says = roles.silence_of if silent else roles.truth_of
            words = table.words(column)
            own = {word for word in words if silent and mapped.get(word) == "unanswered"}
            told |= own
            meant = own or {*table.source.meant.get("abstained", ())} & {*words}
            among = (meant or roles.silent_among(words) or _reasons(table, column, words)) if silent else set()
            values = {word: word in among if among else says(word) for word in words}
            known = sum(truth is not None for truth in values.values())
            if silent and known < 2 <= len(words) <= _FEW_WORDS and known < len(words):
                _ask_of_words(table, column)
            telling = {w: w if truth is None else "yes" for w, truth in values.items() if truth in (None, silent)}
            cells.append(f"({cases(table.have[column], telling)})")
    if not cells:
        return "NULL", frozenset()
    declined = " OR ".join(f"{cell} = 'yes'" for cell in cells)
    return f"CASE WHEN {declined} THEN 'yes' ELSE coalesce({', '.join(cells)}, NULL) END", frozenset(told)


def _ask_of_words(table: Loaded, column: str) -> None:
    """Raise the error that asks which word of a column means that the answer was declined."""
    counts = sorted(table.counted(column).items(), key=lambda one: one[1])
    lines = [f"  {opt('outcome_map', {word: 'unanswered'})}  ({rows} silent)" for word, rows in counts]
    rule = f"{column!r} says in words that nobody knows which answers were declined; one of these says it:"
    raise FormatError(table.source.label, "\n".join([rule, *lines, ""]), where=table.source.head)


def unsaid(
    table: Loaded, named: Roles, outcome: str, declined: Declined, mapped: Mapping[str, str], *, faults: bool
) -> tuple[str, bool]:
    """Return where nothing was answered by the text of the answer, and whether some of these texts are words: it is
    empty and not marked as right, or it reads like silence and has no verdict. That nothing is wrong with it (`faults`)
    marks no such answer as right. Where the table says itself what is silent, nothing is."""
    prediction = named.one("prediction")
    if prediction is None:
        return "false", False
    words = table.words(outcome)
    meant = {**table.source.meant.get("outcome", {}), **mapped}
    states = {w: STATES.get(meant[w], NOT_GRADED) if w in meant else roles.state_of(w) for w in words}
    if SILENT in states.values():
        return "false", False
    cell, verdict = table.have[prediction], table.have[outcome]
    marked = [word for word, state in states.items() if state != INCORRECT]
    right = f"coalesce({verdict} IN ({', '.join(map(literal, marked)) or 'NULL'}), false)"
    free = f"{verdict} IS NULL"
    query = f"SELECT DISTINCT {cell} FROM {table.name} WHERE {cell} IS NOT NULL AND {free} LIMIT {_MOST_TEXTS}"
    quiet = [text for (text,) in table.connection.execute(query).fetchall() if declined.reads(text)]
    empty = f"{cell} IS NULL" if faults else f"({cell} IS NULL AND NOT {right})"
    if not quiet:
        return empty, False
    return f"{empty} OR ({free} AND {cell} IN ({', '.join(map(literal, quiet))}))", True
