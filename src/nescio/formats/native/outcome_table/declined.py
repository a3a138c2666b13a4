"""Which answers of an outcome table were declined: by a column that says so, by words, or by an empty answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from nescio.data.outcomes import INCORRECT, NOT_GRADED, SILENT, STATES
from nescio.errors import FormatError, opt
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.loaded import Loaded, cases
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.silences import Apart, names_something_else, reasons_of, silences_of
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.native.readings.verdicts import Verdict
from nescio.formats.native.roles import Roles
from nescio.formats.registry import Declined
from nescio.sources.source import Source
from nescio.sources.tables import literal

_FEW_WORDS = 4  # of a column of silence that nobody knows
_CHANCE = 0.01  # that a word stands beside no right answer
_MOST_TEXTS = 10_000  # of answers without a verdict, in which silence is looked for


def has_silence(table: Loaded, outcome: str) -> bool:
    """Say whether some verdicts are that nothing was answered."""
    return roles.speaks_of_silence(table.words(outcome))


def ask_of_silence(seen: Table, verdict: Verdict, claimed: Collection[str], source: Source) -> None:
    """Raise the error that asks whether a column says which answers were declined: by its words, or by yes and no and
    what its name is made of."""
    found = [one for one in silences_of(seen, verdict) if one.column.name not in claimed]
    found = [one for one in found if not (names_something_else(one.column) or seen.is_of_the_question(one.column))]
    found.sort(key=lambda one: -sum(one.rows))
    if found:
        names = " and ".join(repr(one.column.name) for one in found)
        what = f"{names} may say which answers were declined ({sum(found[0].rows)} of them)"
        option = roles.option(found[0].part, found[0].column.name)
        instead = f"or {roles.option('abstained', roles.NONE)} if none does"
        rule = f"{what}, and the verdict alone says nothing of it: {option}, {instead}"
        raise FormatError(source.label, rule, where=source.head)


def ask_of_words(source: Source, apart: Iterable[Apart]) -> None:
    """Raise the error that asks whether a word that stands beside no right answer, and that by no chance, means that
    the answer was declined. Where a column has several, or its name speaks of what is wrong, they say why answers are
    wrong."""
    apart = [*apart]
    several = Counter(one.column.name for one in apart)
    telling = [one for one in apart if one.chance <= _chance(one.column) and several[one.column.name] == 1]
    telling = [one for one in telling if not any(map(one.column.named, ("wrong", "gold", "judges")))]
    if telling:
        first_one = min(telling, key=lambda one: one.chance)
        what = f"{first_one.column.name!r} is {first_one.word!r} of {sum(first_one.rows)} answers, none of them right"
        instead = f"{roles.option('abstained', roles.NONE)} takes them as they are"
        rule = f"{what}: {first_one.option} reads them as declined, {instead}"
        raise FormatError(source.label, rule, where=source.head)


def _chance(column: Column) -> float:
    """Return how likely a word may be by chance to be asked about: half a proof is a name that speaks of silence, and
    of something else too, or that one of many texts stands again and again."""
    return _CHANCE**0.5 if column.named("abstained") or len(column.words) > roles.FEW else _CHANCE


def claimed_by(columns: Mapping[str, str], named: Roles) -> set[str]:
    """Return the columns that play a part, and those whose names are for one; but for other verdicts."""
    verdicts = {*named.all("outcome", "score", "failure")} - {*columns.values()}
    return {*columns.values(), *named.names} - verdicts


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
            among = (
                meant or roles.silent_among(words) or reasons_of(table_of(table.source).by_name[column])
                if silent
                else set()
            )
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
