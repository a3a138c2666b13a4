"""Try readings of a table: execute each mapping, and keep the counts of its outcomes, which are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.reasons import settle as settle_reasons
from nescio.errors import NescioError
from nescio.formats.registry import ReadOptions, Unjudged
from nescio.tables import answers, nameless, outcomes
from nescio.tables.asking import AskedError, Counts
from nescio.tables.cells import Placed
from nescio.tables.columns import Table
from nescio.tables.lexicon import roles_of
from nescio.tables.mapping import Expression, Mapped, parse
from nescio.tables.totals import totals_of
from nescio.text import by_value

if TYPE_CHECKING:
    import duckdb

_MOST_QUESTIONS = 3  # most questions to answer one after another


class Reading(Struct, frozen=True):
    """A way to read a table: a mapping of roles to its columns, and `more` options.

    If the user asks for the mean of a score and for nothing else, `scores_only` says that the table grades no answer.
    """

    table: Table
    mapping: Mapped
    more: Mapping[str, Any] = {}
    scores_only: bool = False


class Tried(Struct, frozen=True):
    """The result of a reading: the counts of outcomes by run, the number of questions, and the outcomes themselves."""

    reading: Reading
    counts: Counts
    questions: int
    outcomes: Outcomes

    @property
    def fits(self) -> bool:
        """Return whether the totals that the file states agree with the outcomes of the reading."""
        return all(total.agrees for total in totals_of(self.reading.table, self.reading.mapping, self.outcomes))

    @property
    def shares_questions(self) -> bool:
        """Return whether two runs answer a common question.

        Also returns True for a single run, and if the questions are the numbers of the rows.
        """
        question = self.reading.mapping.get("question", Expression(row=True))
        if not question.columns or "row" in roles_of(question.column):
            return True
        present = self.outcomes.state != ABSENT
        return len(present) < 2 or bool((present.sum(axis=0) > 1).any())

    def is_finer_in(self, other: Tried) -> bool:
        """Return whether `other` differs from this result only by more unanswered answers.

        In this result, these answers are wrong or ungraded.
        """
        states, state = self.outcomes.state, other.outcomes.state
        if states.shape != state.shape or self.reading.mapping.get("outcome") == other.reading.mapping.get("outcome"):
            return False
        apart = states != state
        return bool(
            apart.any() and (state[apart] == SILENT).all() and np.isin(states[apart], (INCORRECT, NOT_GRADED)).all()
        )

    @property
    def signature(self) -> tuple[object, ...]:
        """Return the outcomes by run and question, in the order of the rows.

        Two readings have equal signatures if they differ only in the names of runs and questions.
        """
        counts = tuple(row[1:] for row in self.counts)  # these differ if abstaining is right
        return self.questions, counts, self.outcomes.state.shape, self.outcomes.state.tobytes()


def execute(
    connection: duckdb.DuckDBPyConnection, placed: Placed, options: ReadOptions
) -> tuple[Outcomes | Unjudged, list[Note]]:
    """Return the data of tables under their mappings; either all mappings have an outcome, or none has."""
    if options.outcome_map:
        columns = [
            table.columns[name] for table, m in placed for expression in m.values() for name in expression.columns
        ]
        words = {word for column in columns for word in column.words or ()}
        options = replace(options, outcome_map=by_value(options.outcome_map, words))
    if all("outcome" in mapping for _, mapping in placed):
        return outcomes.read(connection, placed, options)
    return answers.read(connection, placed, options)


def try_all(
    connection: duckdb.DuckDBPyConnection, allowed: Sequence[Reading], options: ReadOptions, questions: int = 0
) -> tuple[list[Tried], list[NescioError]]:
    """Return the results of the readings that work, and the errors of the others.

    If a reading asks a question, it is tried with each answer. `questions` is the number of questions that were
    answered before.
    """
    tried: list[Tried] = []
    errors: list[NescioError] = []
    for reading in allowed:
        try:
            tried.append(_tried(connection, reading, options))
        except AskedError as asked:
            errors.append(asked)
            if questions < _MOST_QUESTIONS and any("duplicates" in way for way in asked.ways):
                more = [
                    replace(reading, mapping=mapping) for mapping in nameless.told_apart(reading.table, reading.mapping)
                ]
                tried += try_all(connection, more, options, questions + 1)[0]
            if questions < _MOST_QUESTIONS:
                answered = [_with(reading, way) for way in asked.ways]
                further, more_errors = try_all(connection, answered, options, questions + 1)
                tried += further
                errors += [error for error in more_errors if not isinstance(error, AskedError)]
        except NescioError as error:
            errors.append(error)
    return tried, errors


def _with(reading: Reading, way: Mapping[str, Any]) -> Reading:
    """Return a reading to which the mapping and the options of one answer to a question are added."""
    column = parse(way.get("column", {}), [*reading.table.columns], reading.table.source)
    more = {name: value for name, value in way.items() if name != "column"}
    return Reading(reading.table, {**reading.mapping, **column}, {**reading.more, **more})


def _tried(connection: duckdb.DuckDBPyConnection, reading: Reading, options: ReadOptions) -> Tried:
    narrow = replace(options.with_more(reading.more), strata=(), graded=(), texts=False)  # outcomes alone are compared
    result = outcomes_of(connection, [reading], narrow)
    return Tried(reading, *counts_of(result), result)


def outcomes_of(connection: duckdb.DuckDBPyConnection, chosen: Sequence[Reading], options: ReadOptions) -> Outcomes:
    """Return the outcomes of tables under their mappings; answers without outcomes are judged first."""
    placed = [(reading.table, without_none(reading.mapping)) for reading in chosen]
    data, _ = execute(connection, placed, options)
    result = data if isinstance(data, Outcomes) else options.judged(replace(data, no_answer=options.no_answer))
    return settle_reasons(result, options.no_answer)[0]


def without_none(mapping: Mapped) -> Mapped:
    """Return a mapping without those of the roles run, repeat and question that the user excluded (`-`).

    Other excluded roles stay, so that no column takes their place.
    """
    return {
        role: expression
        for role, expression in mapping.items()
        if expression != Expression() or role not in ("run", "repeat", "question")
    }


def counts_of(found: Outcomes) -> tuple[Counts, int]:
    """Return each run's numbers of right, wrong, unanswered and ungraded answers, and then the number of questions."""
    kinds = (CORRECT, INCORRECT, SILENT, NOT_GRADED)
    state = found.state
    if found.answerable is not None:  # abstaining is right if there is no answer
        state = np.where((state == SILENT) & (found.answerable == 0), CORRECT, state)
    counts = [[int((row == kind).sum()) for kind in kinds] for row in state]
    rows = tuple((run, *numbers) for run, numbers in zip(found.runs, counts, strict=True))
    return rows, len({*found.questions})  # type: ignore[return-value]
