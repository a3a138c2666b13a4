"""Lay out the answers of a draft: as rows, as rows within a document, or as a column for each run."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.tables import words
from tests.tables.forms import pick
from tests.tables.table import Counts, Made, Row

if TYPE_CHECKING:
    from tests.tables.maker import Draft

MEDIA = {
    "long": {"csv": 40, "semicolons": 6, "tsv": 6, "jsonl": 20, "json": 14, "parquet": 14},
    "wide": {"csv": 6, "tsv": 1, "jsonl": 2, "json": 2, "parquet": 2},
}
FLAT = ("csv", "semicolons", "tsv", "parquet")
SUMS = ("Total", "TOTAL", "Accuracy", "Grand Total", "Mean", "Average", "Overall", "Summary", "ALL QUESTIONS")


def lay_out(draft: Draft) -> Made:
    """Return a draft in its layout, with the figures beside its rows."""
    chance = draft.chance
    kind = "wide" if draft.wide else draft.layout
    medium = pick(chance, MEDIA[kind]) if kind in MEDIA else "json"
    truth = draft.truth.counts()
    runs: dict[str, dict[str, str]] = {}
    rows: list[Row] = draft.rows
    path: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    if draft.wide:
        rows, runs = _wide(draft)
    elif medium not in FLAT:
        rows = _nest(draft)
    if draft.layout == "long":
        rows = _shuffled(draft, rows, medium)
        rows, skipped = _odd_rows(draft, rows, medium)
        rows = _index(draft, rows, medium)
    else:
        rows = rows if draft.wide else _ordered(chance, rows)
    document: Any = rows
    if draft.layout in ("nested", "by_run", "keyed"):
        document, path = _document(draft, rows, truth)
    return Made(
        seed=draft.seed,
        layout=draft.layout,
        medium=medium,
        verdict=draft.form,
        silence=draft.silence,
        language=draft.language,
        columns=draft.columns,
        silent=draft.silent,
        rows=tuple(rows),
        document=document,
        path=path,
        runs=runs,
        truth=truth,
        questions=draft.truth.questions,
        oddities=tuple(draft.oddities),
        doubts=tuple(draft.doubts),
        skipped=skipped,
    )


def _ordered(chance: random.Random, rows: list[Row]) -> list[Row]:
    """Return the rows with columns in some order: in the usual order, or in any."""
    columns = list(rows[0])
    if chance.random() < 0.4:
        chance.shuffle(columns)
    return [{column: row[column] for column in columns} for row in rows]


def _shuffled(draft: Draft, rows: list[Row], medium: str) -> list[Row]:
    rows = _ordered(draft.chance, rows)
    order = draft.chance.choice(("question", "run", "none"))
    if order == "run" and "run" in draft.columns:
        return sorted(rows, key=lambda row: str(row[draft.columns["run"]]))
    if order == "none" and medium != "csv":
        draft.chance.shuffle(rows)
    return rows


def _odd_rows(draft: Draft, rows: list[Row], medium: str) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows with totals at the end, or with a header between two runs, as in joined tables."""
    chance, columns = draft.chance, draft.columns
    if medium not in ("csv", "semicolons", "tsv") or "question" not in columns or draft.truth.repeats > 1:
        return rows, ()
    if draft.form in ("bool", "binary", "score") and chance.random() < 0.07:
        right = [row[columns["verdict"]] for row in rows if row[columns["verdict"]] is not None]
        called = chance.choice(SUMS)
        total = dict.fromkeys(rows[0]) | {columns["question"]: called}
        total[columns["verdict"]] = f"{sum(map(float, right)) / len(right):.3f}"
        draft.oddities.append("a row of totals")
        return [*rows, total], (called,)
    if "run" in columns and chance.random() < 0.05:
        rows = sorted(rows, key=lambda row: str(row[columns["run"]]))
        at = next((i for i in range(1, len(rows)) if rows[i][columns["run"]] != rows[0][columns["run"]]), 0)
        if at:
            header: Row = {column: column for column in rows[0]}
            draft.oddities.append("a header again")
            return [*rows[:at], header, *rows[at:]], (columns["question"],)
    return rows, ()


def _index(draft: Draft, rows: list[Row], medium: str) -> list[Row]:
    """Return the rows with the index of a DataFrame first; in a table of one run it may alone name the questions."""
    chance, columns = draft.chance, draft.columns
    if medium not in ("csv", "parquet") or draft.oddities or chance.random() > 0.15:
        return rows
    called = "__index_level_0__" if medium == "parquet" else chance.choice(("", "", "Unnamed: 0"))
    if len(draft.truth.runs) == 1 and draft.truth.repeats == 1 and chance.random() < 0.4:
        gone = {columns.pop(part) for part in ("question", "text") if part in columns}
        rows = [{column: cell for column, cell in row.items() if column not in gone} for row in rows]
        columns["question"] = called
        draft.oddities.append("an index alone names the questions")
    else:
        draft.oddities.append("an index")
    return [{called: i} | row for i, row in enumerate(rows)]


def _nest(draft: Draft) -> list[Row]:
    """Return the rows with some columns moved into nested objects."""
    chance, columns = draft.chance, draft.columns
    moved: dict[str, str] = {}
    known = {column: part for part, column in columns.items()}
    if chance.random() < 0.35:
        group = chance.choice([name for name in words.OF["groups"] if name not in known])
        parts = ["verdict"] + (["silence"] if chance.random() < 0.5 else [])
        moved = {columns[part]: f"{group}.{columns[part]}" for part in parts if part in columns}
        if "answer" in columns and chance.random() < 0.25:
            moved[columns["answer"]] = f"{chance.choice(words.OF['of_answers'])}.{columns['answer']}"
    if chance.random() < 0.3:
        group = chance.choice(words.OF["others"])
        moved |= {column: f"{group}.{column}" for column in draft.rows[0] if column not in known and column != group}
    if not moved:
        return draft.rows
    draft.oddities.append("nested objects")
    for part, column in columns.items():
        columns[part] = moved.get(column, column)
    draft.silent = {moved.get(column, column): sentences for column, sentences in draft.silent.items()}
    return [{moved.get(column, column): cell for column, cell in row.items()} for row in draft.rows]


def _wide(draft: Draft) -> tuple[list[Row], dict[str, dict[str, str]]]:
    """Return a row for each question, with one or several columns for each run."""
    chance, columns, runs = draft.chance, draft.columns, draft.truth.runs
    parts = [p for p in ("answer", "verdict", "silence") if p in columns and (draft.layout != "wide" or p == "verdict")]
    way = chance.choice(
        ("{run}_{name}", "{name}_{run}", "{run} {name}")
        if len(parts) > 1
        else ("{run}_{name}", "{name}_{run}")
        if draft.form == "inverted"  # only the name tells their meaning
        else ("{run}", "{run}", "{run}_{name}", "{name}_{run}")
    )
    named: dict[str, dict[str, str]] = {
        run: {part: way.format(run=run, name=columns[part]) for part in parts} for run in runs
    }
    rows: dict[int, Row] = {}
    shared = [columns[part] for part in ("question", "text", "gold") if part in columns]
    topic = chance.choice(("category", "topic", "difficulty")) if chance.random() < 0.4 else None
    for answer, old in zip(draft.truth.answers, draft.rows, strict=True):
        row = rows.setdefault(answer.question, {column: old[column] for column in shared})
        if topic:
            row[topic] = ("easy", "hard", "medium")[answer.question % 3]
        row |= {named[answer.run][part]: old[columns[part]] for part in parts}
    for part in ("run", "answerable", "unanswerable"):
        columns.pop(part, None)
    if draft.layout == "wide":
        for part in ("answer", "silence"):
            columns.pop(part, None)
        draft.silent.clear()
    return list(rows.values()), named


def nested(row: Row) -> dict[str, Any]:
    """Return the row with dotted columns turned into objects."""
    made: dict[str, Any] = {}
    for column, cell in row.items():
        group, dot, name = column.partition(".")
        if dot and name:
            made.setdefault(group, {})[name] = cell
        else:
            made[column] = cell
    return made


# ---- documents ----


def _document(draft: Draft, rows: list[Row], truth: Mapping[str, Counts]) -> tuple[Any, tuple[str, ...]]:
    """Return the rows in a document, and the keys that lead to them."""
    chance, columns = draft.chance, draft.columns
    listed = [nested(row) for row in rows]
    key = chance.choice(words.OF["rows"])
    if draft.layout == "keyed":
        body: Any = {str(row[columns["question"]]): item for row, item in zip(rows, listed, strict=True)}
        if chance.random() < 0.5:
            name = columns["question"]
            body = {key: {c: cell for c, cell in item.items() if c != name} for key, item in body.items()}
            columns["question"] = ""
        if chance.random() < 0.5:
            return body, ()
    elif draft.layout == "by_run":
        name, body = columns["run"], {}
        for row, item in zip(rows, listed, strict=True):
            own = {c: cell for c, cell in item.items() if c != name}
            body.setdefault(row[name], []).append(own)
        if chance.random() < 0.45:
            columns["rows"] = chance.choice([one for one in words.OF["rows"] if one != key])
            body = [{name: run, columns["rows"]: own} for run, own in body.items()]
            if chance.random() < 0.5:
                return body, ()
        elif chance.random() < 0.5:
            return body, ()
    else:
        body = listed
    before, after = _beside(draft, truth)
    if "run" not in columns and draft.layout != "by_run":
        before["model"] = draft.truth.runs[0]
    if chance.random() < 0.2:
        outer = chance.choice([name for name in ("run", "evaluation", "benchmark", "output") if name != key])
        return before | {outer: {key: body}} | after, (outer, key)
    return before | {key: body} | after, (key,)


def _beside(draft: Draft, truth: Mapping[str, Counts]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parts of the document before and after the rows: settings, totals, other arrays."""
    chance = draft.chance
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if chance.random() < 0.5:
        before["config"] = {"temperature": 0.0, "max_tokens": 256, "dataset": "things"}
    if chance.random() < 0.3:
        before["timestamp"] = "2026-11-03T10:12:00Z"
    if chance.random() < 0.4:
        other = chance.choice([name for name in words.OF["beside"] if name != "config"])
        after[other] = [{"name": f"{other} {i}", "value": i} for i in range(chance.randint(0, 4))]
        draft.oddities.append("another array")
    counts = list(truth.values())
    if draft.form != "fraction" and chance.random() < 0.55 and not any(one.ungraded or one.withheld for one in counts):
        totals = _totals(chance, counts)
        flat = chance.random() < 0.5
        place = before if chance.random() < 0.5 else after
        place |= totals if flat else {chance.choice(words.OF["summaries"]): totals}
        draft.oddities.append("totals beside")
    return before, after


def _totals(chance: random.Random, counts: list[Counts]) -> dict[str, Any]:
    right, wrong, silent = (sum(one[i] for one in counts) for i in range(3))
    n = right + wrong + silent
    ways: list[dict[str, Any]] = [
        {"total": n, "n_correct": right, "accuracy": round(right / n, 4)},
        {"n": n, "correct": right, "incorrect": wrong, "not_attempted": silent},
        {"accuracy": right / n, "abstention_rate": silent / n, "hallucination_rate": wrong / n},
        {"num_questions": n, "num_correct": right, "num_abstained": silent, "accuracy_pct": round(100 * right / n, 1)},
    ]
    return chance.choice(ways)
