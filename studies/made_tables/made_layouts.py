"""Write a draft as a file: delimited text, JSON in several shapes, or a workbook."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from made_draft import Column, Draft
from made_words import Cell

ONCE_PER_QUESTION = {"repeats", "duplicates", "row_number"}  # kinds that cannot be keyed by question
CONTAINERS = ["results", "samples", "predictions", "rows", "details", "data"]


def choose_layout(draft: Draft) -> str:
    """Choose a layout that can hold the draft."""
    layouts = draft.layouts or ["csv"] * 9 + ["tsv"] * 2 + ["jsonl"] * 4 + ["rows"] * 3 + ["wrapped"] * 2 + ["xlsx"] * 2
    if not draft.layouts:
        by_column = len(draft.mapping.get("run", ("", []))[1]) == 1
        unique = draft.kind not in ONCE_PER_QUESTION
        if by_column:
            layouts = layouts + ["split"] * 2 + (["split_keyed"] + ["nested"] * 2 if unique else [])
        elif unique:
            layouts = layouts + ["keyed"] * 3
    layout = draft.rng.choice(layouts)
    if layout == "xlsx" and importlib.util.find_spec("openpyxl") is None:
        if "--sheet" in draft.options:
            place = draft.options.index("--sheet")
            del draft.options[place : place + 2]
            draft.asks = [a for a in draft.asks if "sheet" not in a]
        layout = "csv"
    return layout


def mapping_of(draft: Draft) -> dict[str, str]:
    """Return the mapping as text, with the names that the written file has."""
    order = ["run", "question", "repeat", "outcome", "prediction", "gold"]
    roles = [r for r in order if r in draft.mapping] + [r for r in draft.mapping if r not in order]
    return {r: draft.mapping[r][0].format(*(c.name for c in draft.mapping[r][1])) for r in roles}


def write(draft: Draft, layout: str, base: Path) -> Path:
    """Write the draft in a layout and return the path of the file."""
    match layout:
        case "csv" | "tsv":
            path = base.with_name(f"{base.name}.{layout}")
            path.write_bytes(delimited(draft, layout))
        case "xlsx":
            path = base.with_name(f"{base.name}.xlsx")
            workbook(draft, path)
        case "jsonl" | "totals_first" | "totals_last":
            path = base.with_name(f"{base.name}.jsonl")
            objects = rows_of(draft, draft.columns)
            if layout != "jsonl":
                objects.insert(0 if layout == "totals_first" else len(objects), draft.totals)
            ascii_only = draft.rng.random() < 0.3
            path.write_text("".join(json.dumps(o, ensure_ascii=ascii_only) + "\n" for o in objects), encoding="utf-8")
        case _:
            path = base.with_name(f"{base.name}.json")
            indent = draft.rng.choice([None, 1, 2])
            path.write_text(json.dumps(document(draft, layout), ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def rows_of(draft: Draft, columns: Sequence[Column], rows: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Return rows as objects; a dotted name becomes an object in the object."""
    objects: list[dict[str, Any]] = []
    for i in range(len(columns[0].cells)) if rows is None else rows:
        row: dict[str, Any] = {}
        for column in columns:
            *groups, last = column.name.split(".")
            place = row
            for group in groups:
                place = place.setdefault(group, {})
            place[last] = column.cells[i]
        objects.append(row)
    return objects


def document(draft: Draft, layout: str) -> Any:
    """Return the content of a JSON file."""
    rng = draft.rng
    question = draft.mapping["question"][1]
    match layout:
        case "rows":
            return rows_of(draft, draft.columns)
        case "wrapped":
            head: dict[str, Any] = {"created": "2026-10-04", **draft.totals}
            if rng.random() < 0.4:
                head["config"] = {"temperature": 0, "dataset": "cities", "n": len(draft.columns[0].cells)}
            return {**head, rng.choice(CONTAINERS): rows_of(draft, draft.columns)}
        case "keyed":
            return keyed(draft, question[0], range(len(question[0].cells)), rng.random() < 0.5)
        case "nested":
            return nested(draft, question[0])
        case _:
            run = draft.mapping.pop("run")[1][0]
            draft.columns = [c for c in draft.columns if c is not run]
            by_run: dict[str, list[int]] = {}
            for i, name in enumerate(run.cells):
                by_run.setdefault(str(name), []).append(i)
            if layout == "split_keyed":
                return {name: keyed(draft, question[0], rows, True) for name, rows in by_run.items()}
            runs = {name: rows_of(draft, draft.columns, rows) for name, rows in by_run.items()}
            return {"results": runs} if rng.random() < 0.3 else runs


def keyed(draft: Draft, question: Column, rows: Sequence[int], keep: bool) -> dict[str, Any]:
    """Return rows by the question's name; it stays in the row too if `keep` is true."""
    columns = [c for c in draft.columns if keep or c is not question]
    if not keep:
        draft.mapping["question"] = ("#", [])
    objects = rows_of(draft, columns, rows)
    return {str(question.cells[i]): row for i, row in zip(rows, objects, strict=True)}


def nested(draft: Draft, question: Column) -> list[dict[str, Any]]:
    """Return one object per question that holds a list with one object per run."""
    key = draft.rng.choice(["responses", "runs", "answers", "generations"])
    top = [c for c in draft.columns if c.shared]
    inner = [c for c in draft.columns if not c.shared]
    by_question: dict[str, list[int]] = {}
    for i, name in enumerate(question.cells):
        by_question.setdefault(str(name), []).append(i)
    objects = []
    for rows in by_question.values():
        head = rows_of(draft, top, rows[:1])[0]
        objects.append({**head, key: rows_of(draft, inner, rows)})
    for column in inner:
        column.name = f"{key}.{column.name}"
    return objects


def text_of(cell: Cell) -> str:
    """Write a cell as Python's csv module does."""
    return "" if cell is None else str(cell)


def delimited(draft: Draft, layout: str) -> bytes:
    """Return the bytes of a csv or tsv file, with the usual quirks."""
    rng = draft.rng
    delimiter = "\t" if layout == "tsv" else ";" if rng.random() < (0.4 if draft.language != "en" else 0.04) else ","
    header = [c.name for c in draft.columns]
    body = [[text_of(c.cells[i]) for c in draft.columns] for i in range(len(draft.columns[0].cells))]
    body += [[text_of(row.get(name)) for name in header] for row in draft.tail]
    if layout == "csv" and not draft.tail and rng.random() < 0.08:  # the index that pandas writes
        header, body = ["", *header], [[str(i), *row] for i, row in enumerate(body)]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=rng.choice(["\n", "\n", "\r\n"]))
    writer.writerows([header, *body])
    return out.getvalue().encode("utf-8-sig" if rng.random() < 0.1 else "utf-8")


def workbook(draft: Draft, path: Path) -> None:
    """Write a workbook with the results on one sheet and perhaps other sheets beside it."""
    from openpyxl import Workbook

    book = Workbook()
    del book[book.sheetnames[0]]
    grid: list[list[Cell]] = [[c.name for c in draft.columns]]
    grid += [[c.cells[i] for c in draft.columns] for i in range(len(draft.columns[0].cells))]
    grid += [[row.get(c.name) for c in draft.columns] for row in draft.tail]
    pages = [(draft.sheet, grid)]
    for name, content in draft.sheets:
        notes: list[list[Cell]] = [["Notes"], ["made by hand, see mail"], [None], ["n", len(grid) - 1]]
        pages.append((name, notes if content == "notes" else grid[: max(4, len(grid) // 2)]))
    draft.rng.shuffle(pages)
    for name, cells in pages:
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(row)
    book.save(path)
