"""Which columns of an outcome table are its run, question, outcome and silence, where they go by other names than
nescio's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, STATES
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.confidences import as_numbers, choose_confidence
from nescio.formats.native.outcome_table.declined import (
    ask_of_silence,
    ask_of_words,
    claimed_by,
    has_silence,
    silent_cell,
    unsaid,
)
from nescio.formats.native.outcome_table.loaded import Loaded, cases
from nescio.formats.native.outcome_table.one_hot import ask_of_three
from nescio.formats.native.outcome_table.unread import unread
from nescio.formats.native.outcome_table.verdict_column import ask_of_the_opposite, verdict_of
from nescio.formats.native.readings.columns import speaks_of_faults
from nescio.formats.native.readings.proposing import propose
from nescio.formats.native.readings.silences import never_right, quiet_texts
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.native.readings.verdicts import Verdict
from nescio.formats.native.roles import Roles, ask, tokens_of
from nescio.formats.registry import Declined
from nescio.sources.source import Source
from nescio.sources.tables import first, literal

if TYPE_CHECKING:
    import duckdb

_OWN = ("run", "question", "outcome")
_FEW_HITS = 3  # answers that are the gold answer, or are not, of which nothing is said


class Chosen(Struct, frozen=True):
    """What plays each part in one table: by nescio's name for it the cell, in SQL, and the columns that were taken.

    `texts` are the columns that speak of single answers, and group no questions. `silent` is a cell that says "yes"
    where the answer was declined, NULL where not, and what stands there where that is neither; `empty` is true where
    nothing was answered and the table has no other way to say so (`in_words`, where some of these are answers that read
    like silence); `silent_by` are the columns that say so, and `silent_words` those of their words of which the user
    said it; `faults` says that the verdict only finds what is wrong.
    """

    cells: Mapping[str, str]
    columns: Mapping[str, str]
    texts: tuple[str, ...]
    silent: str
    silent_by: tuple[str, ...]
    silent_words: frozenset[str]
    empty: str
    in_words: bool
    faults: bool


def choose(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    source: Source,
    have: Mapping[str, str],
    notes: list[Note],
    *,
    declined: Declined,
    mapped: Mapping[str, str],
    beside: Collection[str] = (),
) -> Chosen:
    """Find what plays each part in a loaded table, and note what was taken for nescio's own columns; `declined` has the
    patterns of answers that mean silence, and words are `mapped` to outcomes; columns `beside` are read for measures of
    their own.

    Raises FormatError, with the options that decide, where several columns could play a part and it makes a difference.
    """
    loaded = Loaded(connection, table, source, have)
    named = roles.roles_of((name for name in have if name is not None), source.named)
    columns = {
        part: named.columns[part][0]
        for part in ("rank", "candidate", "known_answers", "cluster", "judge", "answerable", REPEAT)
        if part in named.columns
    }
    columns["outcome"] = verdict_of(loaded, named)
    if run := _run(loaded, named):
        columns["run"] = run
    columns["question"] = _question(loaded, named, run, plain="rank" not in columns)
    _ask_of_numbered_rows(source, columns)
    if confidence := choose_confidence(loaded, named, notes):
        columns["confidence"] = confidence
    _ask_of_answerable(loaded, named, columns)
    cells = {part: have[column] for part, column in columns.items()}
    if "confidence" in cells:
        cells["confidence"] = as_numbers(loaded, columns["confidence"], notes)
    turned = _direct(loaded, named, columns, cells, notes)
    ask_of_the_opposite(loaded, named, columns["outcome"], cells["outcome"])
    others = {part: column for part, column in columns.items() if part != column and part in (*_OWN, "confidence")}
    if others:
        notes.append(
            note(
                "table.columns",
                "{subject}: {columns:each %s is the column %r}",
                str(source.label),
                columns=[(part, others[part]) for part in (*_OWN, "confidence") if part in others],
            )
        )
    if "outcome" not in source.named.keys() - source.guessed:
        ask_of_three(table_of(source), columns["outcome"], named.all("abstained", "answered"), source)
    silent, words = silent_cell(loaded, named, declined, mapped)
    told = silent != "NULL" or has_silence(loaded, columns["outcome"])
    beside = claimed_by(columns, named).union(beside)
    apart, quiet = [], []
    if not told and (verdict := _verdict(source, columns["outcome"], mapped, declined, turned=turned)):
        seen = table_of(source)
        apart = [
            one for one in never_right(seen, verdict) if one.column.name not in beside - {*named.all("prediction")}
        ]
        quiet = [] if named.one("prediction") and any(seen.unsaid) else [*_quiet(seen, verdict, beside)]
        if not {"abstained", "answered"} & named.named.keys():
            ask_of_silence(seen, verdict, beside, source)
            ask_of_words(source, apart)
    notes += unread(
        loaded,
        beside,
        verdict=None if "" in mapped else columns["outcome"],
        silent=told,
        apart={one.column.name for one in apart},
        texts=quiet,
        confidence=columns.get("confidence"),
    )
    texts = named.all("text", "prediction", "wrong", "abstained", "answered")
    faults = turned or speaks_of_faults(columns["outcome"], loaded.words(columns["outcome"]))
    empty, in_words = "false", False
    if silent == "NULL":
        empty, in_words = unsaid(loaded, named, columns["outcome"], declined, mapped, faults=faults)
    by = named.all("abstained", "answered")
    return Chosen(cells, columns, texts, silent, by, words, empty, in_words, faults)


def _ask_of_numbered_rows(source: Source, columns: Mapping[str, str]) -> None:
    """Raise the error that asks whether rows that have a number each are questions, or the answers of runs that cross
    other questions."""
    crossed = table_of(source).crossed
    if crossed and "run" not in columns and columns["question"] not in [c.name for c in crossed]:
        run, asked = (c.name for c in crossed)
        rule = f"each row has its own {columns['question']!r}, and each {asked!r} stands once with each {run!r}"
        ways = f"{roles.option('run', run)} {roles.option('question', asked)} reads runs"
        one = f"{roles.option('question', columns['question'])} reads a question in each row"
        raise FormatError(source.label, f"{rule}: {ways}, {one}", where=source.head)


def _ask_of_answerable(table: Loaded, named: Roles, columns: Mapping[str, str]) -> None:
    """Raise the error that asks what `has_answer` means where it may be said of the answer, and not of the question: it
    differs within a question, or says no of just the answers that are empty."""
    column = columns.get("answerable")
    if column is None or "answerable" in named.named or "has" not in tokens_of(column):
        return
    cell, prediction = table.have[column], named.one("prediction")
    differs = table.count(columns["question"], column) > table.count(columns["question"])
    empty = "false" if prediction is None else f"{table.have[prediction]} IS NULL"
    no = " OR ".join(f"{cell} = {literal(word)}" for word in table.words(column) if roles.truth_of(word) is False)
    query = f"SELECT count(*) FILTER ({empty}), count(*) FILTER (({empty}) <> coalesce({no or 'false'}, false))"
    quiet, others = first(table.connection, f"{query} FROM {table.name}")
    if differs or (quiet >= _FEW_HITS and not others):
        why = "differs within a question" if differs else f"says no of just the {quiet} answers that are empty"
        ways = (
            f"{roles.option('answered', column)} reads it so, {roles.option('answerable', column)} says which have one"
        )
        rule = f"{column!r} {why}, so it may say which questions were answered, and not which have an answer: {ways}"
        raise FormatError(table.source.label, rule, where=table.source.head)


def _verdict(
    source: Source, outcome: str, mapped: Mapping[str, str], declined: Declined, *, turned: bool
) -> Verdict | None:
    """Return the verdict that was chosen as what its rows are, with what its words are meant to be."""
    column = table_of(source, declined.reads).by_name.get(outcome)
    if column is None or not column.cells:
        return None
    meant = {**source.meant.get("outcome", {}), **mapped}
    verdict = Verdict(column, (), inverted=turned)
    if meant:
        says = {w: STATES.get(meant[w], NOT_GRADED) if w in meant else s for w, s in column.states.items()}
        verdict.states = [STATES.get(meant.get("", "")) if cell is None else says[cell] for cell in column.cells]
    return verdict


def _quiet(seen: Table, verdict: Verdict, but: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the columns of texts that may be the answers, and in how many rows they are empty or read like silence."""
    for column, quiet, _ in quiet_texts(seen, verdict):
        told = {text for text in quiet if text is None or seen.reads(text)}
        if told and column.name not in but:
            yield column.name, sum(cell in told for cell in column.cells)


def _direct(table: Loaded, named: Roles, columns: Mapping[str, str], cells: dict[str, str], notes: list[Note]) -> bool:
    """Make the cells say what is right, and which questions have an answer, where their columns say the opposite;
    return whether the verdict's does."""
    by_name = named.all("wrong", "failure") if "outcome" not in named.named else ()
    says_wrong = columns["outcome"] in by_name or ("outcome" in named.named and _fails(table, columns["outcome"]))
    turned = says_wrong != table.source.turned
    if turned:
        cells["outcome"] = _opposite(table, columns["outcome"], "correct", "incorrect")
        notes.append(
            note(
                "outcomes_table.opposite",
                "{subject}: {column!r} says what is wrong: yes is read as incorrect, and no as correct",
                str(table.source.label),
                column=columns["outcome"],
            )
        )
    elif wrong := named.one("wrong"):
        cells["outcome"] = _both(table, columns["outcome"], wrong)
    if "answerable" in columns:
        cells["answerable"] = _opposite(table, columns["answerable"], "False", "True")
    elif column := named.one("unanswerable"):
        cells["answerable"] = _opposite(table, column, "True", "False")
    return turned


def _fails(table: Loaded, column: str) -> bool:
    """Say whether a column that the user named for the verdict says by its name and by yes and no what is wrong."""
    return roles.says_failure(column) and roles.are_truths(table.words(column))


def _run(table: Loaded, named: Roles) -> str | None:
    columns = named.all("run")
    if columns and "run" not in named.named:
        _ask_of_numbers(table)
    if len(columns) > 1:
        rows = table.rows()
        columns = tuple(column for column in columns if 1 < table.count(column) < rows) or columns[:1]
    if len(columns) > 1:
        most = table.count(*columns)
        if any(table.count(column) != most for column in columns):
            names = " and ".join(map(repr, columns))
            raise ask(table.source, f"{names} could each name the run", "run", columns)
    return columns[0] if columns else None


def _ask_of_numbers(table: Loaded) -> None:
    """Raise the error that asks what numbers in `run` are beside a column such as `model`: they may tell its answers
    apart, and not the runs."""
    among = [name for name in table.have if name and roles.is_run(name)]
    if len(among) < 2:
        return
    numbers = [name for name in among if all(word.strip().isdecimal() for word in table.words(name))]
    for number in numbers:
        for name in among:
            if name not in numbers and table.count(number, name) > min(table.count(number), table.count(name)):
                ways = f"{roles.option('run', name)} {roles.option(REPEAT, number)}"
                rule = f"{number!r} could name the run, or be the repeat of {name!r}; say which: {ways}"
                raise FormatError(
                    table.source.label, f"{rule}, or {roles.option('run', number)}", where=table.source.head
                )


def _question(table: Loaded, named: Roles, run: str | None, *, plain: bool) -> str:
    """Return the column that names the questions: of several, the first that has each once in a run, and the same ones
    in all runs."""
    columns = named.all("id", "text")
    if "question" in columns and named.columns.get("outcome") == ("outcome",) and "id" not in named.named:
        return "question"  # an outcome table as it should be
    if not columns:
        rule = "no column names the questions"
        ways = propose(table.source)
        raise FormatError(table.source.label, f"{rule}; {ways}" if ways else rule, where=table.source.head)
    if len(columns) == 1 or not plain or "id" in named.named:
        return columns[0]
    rows, runs = table.rows(), table.count(run) if run else 1
    key = [*([run] if run else []), *named.all(REPEAT)]
    for shared in (True, False):
        for column in columns:
            once = table.count(*key, column) == rows
            if once and (not shared or runs == 1 or table.count(column) < rows):
                return column
    return columns[0]


def _both(table: Loaded, outcome: str, wrong: str) -> str:
    """Return the verdict of two columns, of which one says what is right and the other what is wrong; neither is no
    verdict."""
    is_right, is_wrong = ({word: roles.truth_of(word) for word in table.words(column)} for column in (outcome, wrong))
    right, bad = f"({cases(table.have[outcome], is_right)})", f"({cases(table.have[wrong], is_wrong)})"
    cell = table.have[outcome]
    return (
        f"CASE WHEN {right} = 'True' AND {bad} = 'True' THEN 'both right and wrong' WHEN {right} = 'True' THEN {cell} "
        f"WHEN {bad} = 'True' THEN 'incorrect' WHEN {right} = 'False' AND {bad} = 'False' THEN NULL ELSE {cell} END"
    )


def _opposite(table: Loaded, column: str, if_no: str, if_yes: str) -> str:
    """Return the cell that has these words for no and for yes, and what is neither as it stands."""
    values = {word: roles.truth_of(word) for word in table.words(column)}
    words = {word: word if truth is None else if_yes if truth else if_no for word, truth in values.items()}
    return cases(table.have[column], words)
