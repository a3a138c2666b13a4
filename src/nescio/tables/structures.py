"""Find the columns that name the run, the question and the repeat of each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, product
from math import inf

from nescio.data.stake_labels import are_stated, label
from nescio.sources.tables import first
from nescio.tables.columns import Column, Table
from nescio.tables.lexicon import names_collections, roles_of
from nescio.tables.mapping import Expression, Mapped, joined
from nescio.tables.roles import NOTHING, Roles, is_own, varies


def structures(roles: Roles, answer: Mapped, taken: set[str], *, alone: bool) -> list[dict[str, Expression]]:
    """Return the mappings of run, question and repeat under which no answer occurs twice.

    If none exists, returns the mapping with the most columns. With `alone`, only the columns in `answer` are used.
    """
    table = roles.table
    if alone or answer.get("question", NOTHING).header:
        return [{role: answer[role] for role in ("run", "question", "repeat") if role in answer}]
    free = {role: [n for n in roles.all(role) if n not in taken] for role in ("run", "condition", "repeat", "text")}
    ids = [name for name in roles.all("question") if name not in taken and name not in free["run"]]
    rows = [name for name in roles.all("row") if name not in taken]
    prompts = [name for name in free["text"] if any(_crosses(table, name, other) for other in (*ids, *rows))]
    if is_own(table):  # A text that each question has one of may be a part of the question's name.
        prompts = [name for name in prompts if not _has_one(table, "question", name)]
    free["condition"] += prompts  # one text for all questions, which distinguishes the runs
    free["text"] = [name for name in free["text"] if name not in prompts]
    questions: list[Expression] = [Expression((name,)) for name in ids or [*rows, *free["text"]]]
    asked = Expression(("question",))
    if asked in questions:  # nescio's own name: a column that numbers rows, not texts, names no question
        questions.sort(key=lambda question: question != asked)
    if "question" in answer:
        questions = [answer["question"]]
    else:
        collections = [n for n in table.columns if n and n not in taken and names_collections(n)]
        questions = [
            expression for question in questions for expression in _in_collections(table, question, collections)
        ]
    mappings: list[dict[str, Expression]] = []
    doubled: list[dict[str, Expression]] = []  # mappings under which answers occur twice
    most: float = inf  # different names that questions may have
    for question in questions:
        if most < inf and (question.columns != ("id",) or is_own(table) or different(table, question) > most):
            continue
        unique, widest = _told_apart_by(roles, answer, free, question)
        mappings += unique
        doubled += [] if unique else [widest]
        if unique and question == asked:
            most = different(table, asked)
    if not mappings:
        return doubled[:1] if asked in questions else doubled
    if all("run" in mapping and is_unique(table, {"question": mapping["question"]}, {}) for mapping in mappings):
        mappings += doubled  # no two runs share a question, so another id may be meant
    mappings.sort(key=lambda mapping: (mapping["question"] == asked, "run" not in mapping))
    if "run" not in answer and free["text"] and not any("run" in mapping for mapping in mappings):
        mappings += _run_by_texts(roles, Expression((free["text"][0],)), taken)
    return mappings


def _crosses(table: Table, text: str, question: str) -> bool:
    """Return whether each text occurs with each question, so that the texts are prompts that distinguish runs."""
    texts, questions = (Expression((name,)) for name in (text, question))
    many, asked = different(table, texts), different(table, questions)
    return 1 < many < asked < table.rows and different(table, texts, questions) == many * asked


def _has_one(table: Table, question: str, name: str) -> bool:
    """Return whether all rows of a question have the same cell in the column `name`."""
    questions, texts = Expression((question,)), Expression((name,))
    return different(table, questions, texts) == different(table, questions)


def _in_collections(table: Table, question: Expression, collections: Sequence[str]) -> list[Expression]:
    """Return expressions that may name a question: those with a column of collections come first, then `question`.

    A column of collections is needed if a question's name occurs in several collections.
    """
    alone = different(table, question)
    pairs = [Expression((name, *question.columns)) for name in collections if name not in question.columns]
    return [*(pair for pair in pairs if different(table, pair) > alone), question]


def _run_by_texts(roles: Roles, text: Expression, taken: set[str]) -> list[dict[str, Expression]]:
    """Return the mappings in which the run is a column with an unknown name, and the question its text.

    Each word of this column occurs with all questions, once with each.
    """
    table = roles.table
    texts = different(table, text)
    if not 1 < texts < table.rows:
        return []
    mappings: list[dict[str, Expression]] = []
    for column in table.columns.values():
        silent = column.name and column.name not in taken and not roles_of(column.name) and not column.is_number
        if silent and len(column.words or ()) * texts == table.rows:
            mapping = {"run": Expression((column.name,)), "question": text}
            mappings += [mapping] if is_unique(table, mapping, {}) else []
    return mappings


def _told_apart_by(
    roles: Roles, answer: Mapped, free: Mapping[str, Sequence[str]], question: Expression
) -> tuple[list[dict[str, Expression]], dict[str, Expression]]:
    """Return the mappings of run and repeat under which no answer to a question occurs twice.

    Also returns the mapping that uses the most columns for the run. `free` has the columns without another use, by
    role.
    """
    table = roles.table
    others = [name for name in free["condition"] if name not in question.columns and varies(roles, name)]
    runs = [answer["run"]] if "run" in answer else _run_choices(roles, free["run"], others)
    named = [name for name in ("repeat", "stake") if name in free["repeat"] and _states(roles.column(name))]
    repeats = [Expression((named[0],))] if named else _subsets(free["repeat"])
    repeats = [answer["repeat"]] if "repeat" in answer else repeats
    unique: list[dict[str, Expression]] = []
    for run, repeat in sorted(product(runs, repeats), key=lambda pair: len(pair[0].columns) + len(pair[1].columns)):
        mapping = {"run": run, "question": question, "repeat": repeat}
        mapping = {role: expression for role, expression in mapping.items() if expression != NOTHING}
        if "text" not in answer and free["text"] and question.columns != (free["text"][0],):
            mapping["text"] = Expression((free["text"][0],))
        used = {*run.columns, *repeat.columns}
        if any(used > {*_columns(other, "run"), *_columns(other, "repeat")} for other in unique):
            continue
        if is_unique(table, mapping, answer):
            unique.append(mapping)
    whole = runs[-1] if runs else NOTHING
    if unique and whole.columns and others and not any(_columns(other, "run") == {*whole.columns} for other in unique):
        unique.append({**unique[0], "run": whole})
    counted = [mapping for mapping in unique if "repeat" not in mapping and _may_count_repeats(roles, mapping)]
    unique += [
        {**{role: e for role, e in mapping.items() if role != "run"}, "repeat": mapping["run"]} for mapping in counted
    ]
    widest = {"run": whole, "question": question}
    return unique, {role: expression for role, expression in widest.items() if expression != NOTHING}


def _may_count_repeats(roles: Roles, mapping: Mapped) -> bool:
    """Return whether the run is a column of several numbers that the user did not name; they may number repeats."""
    names = mapping.get("run", NOTHING).columns
    if len(names) != 1 or "run" in roles.given or roles.is_own:
        return False
    return roles.column(names[0]).is_number and varies(roles, names[0])


def _states(column: Column) -> bool:
    """Return whether a column with a name of nescio's own says which repeat of a question an answer is.

    The column `stake` says so only if its words state stakes.
    """
    return column.name != "stake" or are_stated([label(column.name, word) for word in column.words or ()])


def different(table: Table, *expressions: Expression) -> int:
    """Return the number of different cells of a column, or of different rows of several columns."""
    cells = ", ".join(joined(table, expression) for expression in expressions)
    return int(first(table.connection, f"SELECT count(DISTINCT ({cells})) FROM {table.relation}")[0])


def _columns(mapping: Mapped, role: str) -> set[str]:
    return {*mapping.get(role, NOTHING).columns}


def _run_choices(roles: Roles, runs: Sequence[str], conditions: Sequence[str]) -> list[Expression]:
    """Return expressions for the columns that may name the run, with ever more of the columns of `conditions`.

    A column with the same value in all rows is left out if another column varies.
    """
    varying = [name for name in runs if varies(roles, name)]
    base = [Expression((name,)) for name in varying]
    if len(varying) > 1:
        base.append(Expression(tuple(varying)))
    if not varying:
        base = [Expression((runs[0],))] if runs and not conditions else [NOTHING]
    subsets = [expression.columns for expression in _subsets(conditions)]
    made = [Expression((*expression.columns, *more)) for more in subsets for expression in base]
    if not varying and runs:
        made = [expression if expression.columns else Expression((runs[0],)) for expression in made]
    return list(dict.fromkeys(made))


def _subsets(names: Sequence[str]) -> list[Expression]:
    """Return all subsets of some columns, the smallest first.

    For many columns, returns only the empty set, each column alone, and all columns.
    """
    sizes: Iterable[int] = range(len(names) + 1) if len(names) <= 4 else (0, 1, len(names))
    return [Expression(subset) for subset in chain.from_iterable(combinations(names, size) for size in sizes)]


def is_unique(table: Table, mapping: Mapped, answer: Mapped) -> bool:
    """Return whether each answer occurs only once, so that no run answers a question twice in one repeat."""
    roles = [role for role in ("run", "question", "repeat") if mapping.get(role, NOTHING) != NOTHING]
    keys = [joined(table, mapping[role]) for role in roles]
    if "rank" in answer or "rank" in table.columns:
        keys.append(table.columns[answer["rank"].column if "rank" in answer else "rank"].cell)
    key = ", ".join(["file", *keys])
    many, different = first(table.connection, f"SELECT count(*), count(DISTINCT ({key})) FROM {table.relation}")
    return bool(many == different)
