"""Gather answers into one relation with fixed columns, whatever names their tables use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from nescio.data.kept import KEPT
from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS
from nescio.data.repeats import FIRST, REPEAT
from nescio.sources.source import name_runs
from nescio.sources.tables import literal, unguarded
from nescio.tables.columns import Table, cases, words_of
from nescio.tables.failures import endings, failures
from nescio.tables.lexicon import AS_GIVEN, declines, squash, state_of, truth_of
from nescio.tables.mapping import Expression, Mapped, any_yes, compared, flag, joined, scaled
from nescio.tables.views import OF_RUNS, View, views

if TYPE_CHECKING:
    import duckdb

    from nescio.formats.registry import ReadOptions

Placed = Sequence[tuple[Table, Mapped]]
JUDGE = "judge"
CLUSTER = "cluster"
Held = Literal["TABLE", "VIEW"]
# The columns of all answers, whatever names their tables use.
CELLS = (
    *("run", "question", "outcome", "confidence", "candidate", "rank", "answerable", "cluster", "known_answers"),
    *("judge", REPEAT, *KEPT, "silent", "failed", "ended", "text", "gold", "prediction", "grade"),
)
RESERVED = CELLS[: CELLS.index("silent")]  # the columns of nescio's own tables
_FEW_ROWS = 1 << 14


def gathered(
    connection: duckdb.DuckDBPyConnection, placed: Placed, options: ReadOptions, seen: Sequence[Sequence[View]] = ()
) -> dict[str, str]:
    """Create the relation `gathered`, which has a row for each answer, and return the further columns of the tables.

    `gathered` has the columns `CELLS`. If each of several columns of a table belongs to one run, each run gets its own
    rows. The result maps the name of each further column to its SQL in `gathered`; it is empty if no option uses
    further columns. `seen` has the views of each table, whose mappings may also have columns that change no outcome.
    """
    outcome_map, wanted = options.outcome_map, options.strata != () or options.graded or options.texts
    names = dict.fromkeys(name for table, mapping in placed if wanted for name in _others(table, mapping))
    extra = {name: f"x{i}" for i, name in enumerate(names)}
    unnamed = [source for table, mapping in placed if "run" not in mapping for source in table.sources.values()]
    stems = dict(zip(map(id, unnamed), name_runs(unnamed), strict=True))
    selects = []
    for (table, mapping), of_runs in zip(placed, seen or [views(*pair) for pair in placed], strict=True):
        others = _others(table, mapping)
        table_stems = {at: stems[id(source)] for at, source in table.sources.items() if id(source) in stems}
        for view in of_runs:
            cells = _cells(view, table_stems, outcome_map)
            cells |= {column: others.get(name, "NULL") for name, column in extra.items()}
            shown = ", ".join(f"{cell}::VARCHAR AS {name}" for name, cell in cells.items())
            selects.append(f"SELECT file, row, {shown} FROM {table.relation}")
    rows = sum(table.rows for table, _ in placed)
    held: Held = "TABLE" if rows <= _FEW_ROWS or len(selects) > 64 else "VIEW"
    connection.execute(f"CREATE OR REPLACE TEMP {held} gathered AS {' UNION ALL '.join(selects)}")
    return extra


def _others(table: Table, mapping: Mapped) -> dict[str, str]:
    """Return the SQL of each further column's cells, keyed by the column's name.

    Columns that belong to one run, and columns named after their role ("question"), are left out.
    """
    namesakes = {role for role, expression in mapping.items() if expression.columns == (role,)} & {*CELLS}
    of_runs = {role for role in OF_RUNS if role in mapping and len(mapping[role].columns) > 1}
    taken = {name for role in namesakes | of_runs for name in mapping[role].columns}
    source = table.source
    return {
        f"{name}{AS_GIVEN}" if name in RESERVED else name: unguarded(source, column.cell)
        for name, column in table.columns.items()
        if name and name not in taken
    }


def _cells(view: View, stems: Mapping[int, str], outcome_map: Mapping[str, str]) -> dict[str, str]:
    """Return the SQL of each column in `CELLS`, for the view of one run.

    `stems` maps the number of each file that names no run to the run's name. `outcome_map` maps words to the
    outcomes that the user gave them.
    """
    run, table, mapping = view.run, view.table, view.mapping
    source = table.source
    named, of_headers = joined(table, mapping["run"]) if "run" in mapping else "", mapping["question"].header
    whole = len(stems) == len(table.sources)
    parts = [named] if named else []
    if run and not of_headers:
        parts.append(literal(run))
    elif whole and not named:
        names = " ".join(f"WHEN {at} THEN {literal(stem)}" for at, stem in stems.items())
        parts.append(f"CASE file {names} END")
    cells = dict.fromkeys(CELLS, "NULL")
    cells["run"] = unguarded(source, f" || {literal(' · ')} || ".join(parts))
    cells["question"] = literal(run) if of_headers else unguarded(source, joined(table, mapping["question"]))
    cells[REPEAT] = joined(table, mapping["repeat"]) if "repeat" in mapping else literal(FIRST)
    for role in ("candidate", "rank", "known_answers", "cluster", *KEPT, "text", "prediction"):
        if role in mapping and mapping[role].columns:
            cells[role] = unguarded(source, table.columns[mapping[role].column].cell)
    if JUDGE in mapping and mapping[JUDGE].columns:
        cells[JUDGE] = unguarded(source, _judge_cell(table, mapping[JUDGE]))
    if "gold" in mapping and mapping["gold"].columns:
        golds = ", ".join(table.columns[name].cell for name in mapping["gold"].columns)
        # With an outcome, all of several columns are compared between runs, and nothing is judged by them.
        several = "outcome" in mapping and len(mapping["gold"].columns) > 1
        cells["gold"] = f"nullif(concat_ws('; ', {golds}), '')" if several else f"coalesce({golds})"
    if "confidence" in mapping and mapping["confidence"].columns:
        cells["confidence"] = scaled(table, mapping["confidence"])
    cells["outcome"] = outcome(table, mapping.get("outcome", Expression()), outcome_map)
    if "outcome" in mapping and mapping["outcome"].sign:
        cells["grade"] = table.columns[mapping["outcome"].column].cell
    cells["silent"] = silent(table, mapping, outcome_map)
    cells["answerable"] = answerable(table, mapping, outcome_map)
    errors = mapping.get("error")
    if errors is not None and errors.columns:
        cells["failed"] = failures(table, errors)
    columns: Sequence[str] = errors.columns if errors is not None else ()
    if "prediction" in mapping and (errors is None or columns):  # else only the user knows whether a text lacks
        taken = {name for role, expression in mapping.items() if role != "error" for name in expression.columns}
        columns = [name for name in table.columns if name not in taken]
    cells["ended"] = endings(table, columns)
    return cells


def _judge_cell(table: Table, judge: Expression) -> str:
    """Return the SQL of the text of a judge, as in the column `judge`; columns of other names are its parameters."""
    cells = {name: table.columns[name].cell for name in judge.columns}
    if len(cells) == 1 and squash(judge.column) == JUDGE:
        return next(iter(cells.values()))
    pairs = ", ".join(f"{literal(_escaped(name))} || '=' || {_escape(cell)}" for name, cell in cells.items())
    return f"nullif('{JUDGE}(' || concat_ws(', ', {pairs}) || ')', '{JUDGE}()')"


def _escape(cell: str) -> str:
    return rf"regexp_replace({cell}, '([\\(),=])', '\\\1', 'g')"


def _escaped(name: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\(),=" else letter for letter in name)


def outcome(table: Table, expression: Expression, told: Mapping[str, str]) -> str:
    """Return the SQL of the word that states the outcome of each answer.

    A word means what `told` maps it to or, otherwise, what the lexicon says. If the expression is inverted, words for
    right and wrong change places.
    """
    if not expression.columns:
        return "NULL"
    if (comparison := compared(table, expression)) is not None:
        return cases(comparison, {"yes": "'correct'", "no": "'incorrect'"})
    cell = table.columns[expression.column].cell
    if not expression.inverted:
        return cell
    opposite = {CORRECT: "'incorrect'", INCORRECT: "'correct'"}
    states = {word: MEANINGS.get(told.get(word, ""), state_of(word)) for word in words_of(table, cell)}
    return cases(cell, {word: opposite[state] for word, state in states.items() if state in opposite}, cell)


def silent(table: Table, mapping: Mapped, told: Mapping[str, str]) -> str:
    """Return the SQL that is 'yes' if a column says that the system abstained, 'no' if it answered, else NULL.

    If `told` gives a meaning to a word of the column on abstaining, the unknown words of this column mean an answer.
    """
    flags = []
    if "abstained" in mapping and mapping["abstained"].columns:
        meanings = {word: to == "unanswered" for word, to in told.items()}
        known = meanings.keys() & flag_words(table, mapping, "abstained")
        of_word = lambda word: meanings.get(word, declines(word))  # noqa: E731
        flags.append(flag(table, mapping["abstained"], of_word, other="'no'" if known else ""))
    if "answered" in mapping and mapping["answered"].columns:
        cell = _about_answers(table, mapping, "answered", told)
        flags.append(f"CASE {cell} WHEN 'yes' THEN 'no' WHEN 'no' THEN 'yes' ELSE {cell} END")
    return any_yes(flags) if flags else "NULL"


def flag_words(table: Table, mapping: Mapped, *roles: str) -> set[str]:
    """Return the different words in the columns that have one of these roles."""
    names = [name for role in roles if role in mapping for name in mapping[role].columns]
    return {word for name in names for word in table.columns[name].words or ()}


def _about_answers(table: Table, mapping: Mapped, role: str, outcome_map: Mapping[str, str]) -> str:
    """Return the SQL that is 'yes' if the column of a role says that there is an answer, 'no' if it says there is none,
    else NULL.

    The role is "answered" (the system gave an answer) or "answerable" (the question has one). `outcome_map` maps words
    to the meanings that the user gave them.
    """
    known = {word: to != "unanswered" for word, to in outcome_map.items()}
    other = "'yes'" if known.keys() & flag_words(table, mapping, role) else ""
    return flag(table, mapping[role], lambda word: known.get(word, _answers(word)), other=other)


def _answers(word: str) -> bool | None:
    """Return whether a word says that there is an answer; None for an unknown word.

    It may be a word for yes or no, or a word for what a system does or should do, such as "answer" and "abstain".
    """
    truth = truth_of(word)
    if truth is not None:
        return truth
    declined = declines(word)
    return None if declined is None else not declined


def answerable(table: Table, mapping: Mapped, told: Mapping[str, str]) -> str:
    """Return the SQL for whether a question has an answer: true, false or NULL."""
    expression = mapping.get("answerable", Expression())
    if expression.columns:
        cell = _about_answers(table, mapping, "answerable", told)
        return f"CASE {cell} WHEN 'yes' THEN 'true' WHEN 'no' THEN 'false' ELSE {cell} END"
    gold = mapping.get("gold", Expression()) if "answerable" not in mapping else Expression()
    columns = [table.columns[name] for name in gold.columns]
    if columns and any(column.filled for column in columns):
        given = " OR ".join(f"({column.cell} IS NOT NULL AND {column.cell} <> '[]')" for column in columns)
        return f"CASE WHEN NOT ({given}) THEN 'false' END"
    return "NULL"
