"""Evaluate a mapping on a written file, with no code or words of the generator.

`evaluate(path, mapping, options)` returns run -> (right, wrong, silent, ungraded, partial).
Run as a script, it makes tables for N seeds and compares each truth with its evaluation.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

YES = {"true", "1", "1.0", "yes", "y", "ja", "wahr", "oui", "vrai", "sí", "correct", "right", "pass", "✓", "richtig"}
YES |= {"korrekt", "juste", "correcto", "correcta", "corretto", "certo"}
NO = {"false", "0", "0.0", "no", "n", "nein", "falsch", "non", "faux", "incorrect", "wrong", "fail", "✗", "inkorrekt"}
NO |= {"incorrecto", "incorrecta", "errato", "errado"}
QUIET = {"unanswered", "not_attempted", "abstained", "refused", "no answer", "abstain", "declined", "keine antwort"}
QUIET |= {"enthaltung", "sans réponse", "abstention", "sin respuesta", "abstención", "nessuna risposta", "sem resposta"}
ACTS = {"answer": True, "respond": True, "abstain": False, "refuse": False, "decline": False}
NO_REPLY = {"", "i don't know", "i don't know.", "n/a", "unanswerable"}
LAST_ROWS = {"total", "average", "mean", "overall", "gesamt", "summe"}
CONTAINERS = {"results", "samples", "predictions", "rows", "details", "data"}
COUNTED = ("right", "wrong", "silent", "ungraded", "partial")
Row = dict[str, str]


def text(value: Any) -> str:
    """Return a cell as text; nothing becomes an empty text."""
    return "" if value is None else str(value)


def flat(value: dict[str, Any], prefix: str = "", most: int | None = None) -> list[Row]:
    """Unpack an object to rows: objects give dotted names, a list of objects one row per item (at most `most`)."""
    rows: list[Row] = [{}]
    for key, item in value.items():
        name = prefix + key
        if isinstance(item, dict):
            inner = flat(item, name + ".", most)
        elif isinstance(item, list) and item and all(isinstance(i, dict) for i in item):
            inner = [row for i in item[:most] for row in flat(i, name + ".", most)]
        else:
            inner = [{name: text(item)}]
        rows = [{**a, **b} for a in rows for b in inner]
    return rows


def load(path: Path, sheet: str, is_row: Callable[[Row], bool]) -> list[tuple[str, Row]]:
    """Return (run by position in the file, row) pairs."""
    if path.suffix in (".csv", ".tsv"):
        content = path.read_bytes().decode("utf-8-sig")
        head = content.splitlines()[0]
        delimiter = max("\t;,", key=head.count)
        grid = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter))
        return [("", dict(zip(grid[0], line, strict=True))) for line in grid[1:]]
    if path.suffix == ".xlsx":
        from openpyxl import load_workbook

        book = load_workbook(path)
        lines = list((book[sheet] if sheet else book.worksheets[0]).values)
        names = [text(n) for n in lines[0]]
        return [("", dict(zip(names, map(text, line), strict=True))) for line in lines[1:]]
    if path.suffix == ".jsonl":
        return [("", row) for line in path.read_text("utf-8").split("\n") if line for row in flat(json.loads(line))]
    return find_rows(json.loads(path.read_text("utf-8")), "", is_row)


def find_rows(value: Any, run: str, is_row: Callable[[Row], bool]) -> list[tuple[str, Row]]:
    """Find the rows of a JSON document; a key above several rows names a run unless it is a usual container."""
    if isinstance(value, list):
        return [pair for item in value for pair in find_rows(item, run, is_row)]
    if not isinstance(value, dict):
        return []
    if is_row(flat(value, most=1)[0]):
        return [(run, row) for row in flat(value)]
    pairs: list[tuple[str, Row]] = []
    for key, item in value.items():
        single = isinstance(item, dict) and is_row(flat(item, most=1)[0])
        pairs += find_rows(item, run if single or key in CONTAINERS else key, is_row)
    return pairs


def names_in(expression: str, columns: list[str]) -> list[str]:
    """Return the columns that an expression names."""
    if expression in columns:
        return [expression]
    if expression == "#":
        return []
    if "*" in expression:
        pattern = re.compile(re.escape(expression).replace(r"\*", "([^.]+)"))
        return [c for c in columns if pattern.fullmatch(c)]
    bare = re.sub(r">=[\d.]+$|/\d+$", "", expression.removeprefix("!"))
    return [bare] if bare in columns else bare.split("+")


def run_names(columns: list[str]) -> dict[str, str]:
    """Take the end or the start that all verdict columns share, up to a separator, off their names."""
    for tail in (r"[_. \-](?:is_)?[^_. \-]+$", r"^(?:is_)?[^_. \-]+[_. \-]", r"(?:Is)?[A-Z][a-z]+$"):
        if len({match.group() for c in columns if (match := re.search(tail, c))}) == 1:
            return {c: re.sub(tail, "", c) for c in columns}
    return {c: c for c in columns}


def two_valued(cell: str, expression: str, positive: bool = True) -> bool | None:
    """Read a two-valued cell, inverted by `!`; `positive` says what an action such as `answer` means."""
    low = cell.casefold()
    value = True if low in YES else False if low in NO else ACTS.get(low)
    if value is None:
        return None
    return value != expression.startswith("!") if positive else value == expression.startswith("!")


def same(one: str, two: str) -> bool:
    """Compare short answers without case and outer blanks, numbers by value."""
    try:
        return float(one) == float(two)
    except ValueError:
        return one.strip().casefold() == two.strip().casefold()


def grade(cell: str, expression: str, words: dict[str, str]) -> str:
    """Return what a verdict cell says: right, wrong, silent, partial or ungraded."""
    if cell in words:
        said = words[cell]
        return {"correct": "right", "incorrect": "wrong", "unanswered": "silent"}.get(said, "partial")
    if not cell:
        return "ungraded"
    if threshold := re.search(r">=([\d.]+)$", expression):
        return "right" if float(cell) >= float(threshold.group(1)) else "wrong"
    if cell.casefold() in QUIET:
        return "silent"
    value = two_valued(cell, expression)
    if value is None:
        raise ValueError(f"no meaning for {cell!r}")
    return "right" if value else "wrong"


def settle(row: Row, mapping: dict[str, str], column: str, words: dict[str, str], keep: bool | None) -> str:
    """Return the result of one row by the table of tables4.md."""

    def cell(role: str) -> str:
        """Return the cell of a role that names one column."""
        return row[names_in(mapping[role], list(row))[0]]

    if "error" in mapping and cell("error"):
        return "ungraded"
    answerable: bool | None = None
    declined = False
    if "outcome" in mapping:
        verdict = grade(row[column], mapping["outcome"], words)
    else:
        said, gold = row[column], cell("gold")
        verdict = "right" if same(said, gold) else "wrong"
        declined = said.casefold() in NO_REPLY
        answerable = bool(gold) or None if gold else False
    if "answerable" in mapping:
        answerable = two_valued(cell("answerable"), mapping["answerable"])
    if "abstained" in mapping:
        declined = bool(two_valued(cell("abstained"), mapping["abstained"]))
    if "answered" in mapping:
        declined = two_valued(cell("answered"), mapping["answered"]) is False
    if not declined:
        return verdict
    if verdict == "right" and answerable is None:
        if keep is None:
            raise ValueError("--declined-right is needed")
        return "right" if keep else "silent"
    if (verdict == "right") == bool(answerable) and answerable is not None and verdict != "ungraded":
        raise ValueError(f"contradiction: declined, {verdict}, answerable={answerable}")
    return "right" if answerable is False and verdict == "right" else "silent"


def evaluate(path: Path, mapping: dict[str, str], options: list[str]) -> dict[str, tuple[int, ...]]:
    """Return right, wrong, silent, ungraded and partial per run, by the mapping and options alone."""
    pairs = list(zip(options[::2], options[1::2], strict=True))
    option = dict(pairs)
    words = dict(v.rsplit("=", 1) for k, v in pairs if k == "--outcome-map")
    keep = {"keep": True, "unanswered": False}.get(option.get("--declined-right", ""))
    judged = mapping.get("outcome") or mapping["prediction"]

    def is_row(row: Row) -> bool:
        """Tell whether an object holds the columns that are judged and the question."""
        names = names_in(judged, list(row))
        return bool(names) and {*names, *names_in(mapping["question"], list(row))} <= set(row)

    placed = load(path, option.get("--sheet", ""), is_row)
    columns = list(dict.fromkeys(name for _, row in placed for name in row))
    verdicts = names_in(judged, columns)
    placed = [p for p in placed if all(v in p[1] for v in verdicts) and any(p[1].values())]
    if (question := mapping["question"]) != "#":
        placed = [p for p in placed if p[1][question].casefold() not in LAST_ROWS]
    if (policy := option.get("--duplicates")) in ("first", "last"):
        ordered = placed if policy == "last" else placed[::-1]
        keys = [question] + ([mapping["run"]] if "run" in mapping else [])
        placed = list({(p[0], *(p[1][k] for k in keys)): p for p in ordered}.values())
    counts: dict[str, Counter[str]] = {}
    labels = run_names(verdicts) if len(verdicts) > 1 else {}
    for position, row in placed:
        run = "+".join(row[c] for c in names_in(mapping["run"], columns)) if "run" in mapping else position
        for column in verdicts:
            tally = counts.setdefault(labels.get(column, run or path.stem), Counter())
            tally[settle(row, mapping, column, words, keep)] += 1
    if total := option.get("--total"):
        (tally,) = counts.values()
        rest = {"correct": "right", "incorrect": "wrong", "ungraded": "ungraded"}[option["--rest"]]
        tally[rest] += int(total) - tally.total()
    return {run: tuple(tally[c] for c in COUNTED) for run, tally in counts.items()}


def main(seeds: range) -> int:
    """Compare the truth with its evaluation for some seeds; return how many differ."""
    from made_tables import make

    differ = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            made = make(seed, Path(folder))
            if not made.mapping:
                continue
            checked += 1
            truth = {r: (*t, made.ungraded[r], made.partial.get(r, 0)) for r, t in made.truth.items()}
            try:
                got: Any = evaluate(made.path, made.mapping, made.options)
            except Exception as problem:
                got = repr(problem)
            if got != truth:
                differ += 1
                print(seed, made.kind, made.layout, made.mapping, made.options, truth, got, sep="\n  ")
    print(f"{checked} of {len(seeds)} tables have a mapping; {differ} truths differ from its evaluation")
    return differ


if __name__ == "__main__":
    sys.exit(bool(main(range(int(sys.argv[1]), int(sys.argv[2])))))
