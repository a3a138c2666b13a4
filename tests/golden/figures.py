"""Read the figures of the TOML files here: the input, the expected value, and its source."""

from __future__ import annotations

import ast
import json
import math
import operator
import re
import tomllib
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

HERE = Path(__file__).parent
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered", "T": "true", "F": "false", "-": None, "?": None}
OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {"ln": math.log, "sqrt": math.sqrt, "abs": abs}


def cases() -> list[dict[str, Any]]:
    """Return every case of every file."""
    found = []
    for path in sorted(HERE.glob("*.toml")):
        found += [{"file": path.stem, **case} for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]]
    return found


def exact(expression: str, known: Mapping[str, Any] = MappingProxyType({})) -> Fraction | float:
    """Return the value of an expression such as "237/500 + 1/3 * (2 - ln(3/5))", as a fraction if possible.

    The expression may name `known` values.
    """

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return Fraction(ast.get_source_segment(expression, node) or "")
        if isinstance(node, ast.Name):
            return known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp):
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return FUNCTIONS[node.func.id](value(node.args[0]))
        raise ValueError(f"not arithmetic: {expression}")

    found: Fraction | float = value(ast.parse(expression, mode="eval").body)
    return found


def input_of(case: dict[str, Any], folder: Path) -> Any:
    """Return the input of a case for `nescio.score`."""
    if "counts" in case:
        names = ("correct", "incorrect", "unanswered")
        return pa.table({"run": ["run"]} | {name: [count] for name, count in zip(names, case["counts"], strict=True)})
    if "asked" in case:
        return pa.table(_asked(case["asked"]))
    if "pan" in case:
        return _pan(case["pan"], folder)
    if "files" in case:
        return _files(case["files"], folder)
    if "ave" in case:
        return _ave(case["ave"], folder)
    if "squad" in case:
        return _squad(case["squad"], folder)
    if "reading" in case:
        return _reading(case["reading"], folder)
    if "matrix" in case:
        ((name, cells),) = case["matrix"].items()
        path = folder / f"{name}.csv"
        lines = [f"{i},{cell},{cell}" for i, cell in enumerate("" if math.isnan(cell) else cell for cell in cells)]
        path.write_text("\n".join(["question,one,other", *lines]) + "\n")
        return path
    return pa.table(_table(case["table"]))


def _table(columns: dict[str, Any]) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {
        name: _letters(cells) if isinstance(cells, str) else cells for name, cells in columns.items()
    }
    n = len(table["outcome"])
    silent = [word == "unanswered" for word in table["outcome"]]
    if columns.get("confidence") == "falling":
        table["confidence"] = [1 - i / n for i in range(n)]
    elif columns.get("confidence") == "sure":
        table["confidence"] = [None if quiet else 1.0 for quiet in silent]
    elif "confidence" in columns:
        table["confidence"] = [None if math.isnan(s) else s for s in columns["confidence"]]
    return {"run": ["run"] * n, "question": [str(i) for i in range(n)]} | table


def _asked(questions: list[list[int]]) -> dict[str, list[Any]]:
    """Return the answers to repeated questions, given the numbers of correct, incorrect and unanswered ones."""
    rows = [
        (str(i), str(repeat), word)
        for i, counts in enumerate(questions)
        for repeat, word in enumerate(
            [word for letter, many in zip("CWU", counts, strict=True) for word in [WORDS[letter]] * many]
        )
    ]
    names = ("question", "repeat", "outcome")
    return {"run": ["run"] * len(rows)} | {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _letters(text: str) -> list[str | None]:
    """Return the words for letters: "C2 U" is correct, correct, unanswered."""
    runs = re.findall(r"([CWUTF?-])(\d*)", text)
    return [WORDS[letter] for letter, times in runs for _ in range(int(times or 1))]


def _files(files: dict[str, str], folder: Path) -> list[Path]:
    """Write files unchanged, except that x*200 becomes a word of 200 letters, and return their paths."""
    for name, text in files.items():
        (folder / name).write_text(re.sub(r"x\*(\d+)", lambda m: "x" * int(m[1]), text))
    return [folder / name for name in files]


def _pan(pan: dict[str, list[Any]], folder: Path) -> list[Path]:
    truth, answers = folder / "truth.jsonl", folder / "run" / "answers.jsonl"
    answers.parent.mkdir()
    truth.write_text("".join(json.dumps({"id": str(i), "same": bool(s)}) + "\n" for i, s in enumerate(pan["same"])))
    answers.write_text("".join(json.dumps({"id": str(i), "value": v}) + "\n" for i, v in enumerate(pan["value"])))
    return [truth, answers]


def _ave(ave: dict[str, Any], folder: Path) -> list[Path]:
    """Write an AVE collection and a run, and return their paths.

    A group holds a question's answers as "VRU", and the run's decisions as "SVR" (S selected, - missing). 3*R is R R R.
    """
    words = {"V": "VALIDATED", "R": "REJECTED", "U": "UNKNOWN", "S": "SELECTED"}
    lines, groups = [], []
    sure = iter(ave.get("confidence", []))
    both = (re.sub(r"(\d+)\*(\w+)", lambda m: f"{m[2]} " * int(m[1]), ave[name]).split() for name in ("gold", "said"))
    for q, (gold, said) in enumerate(zip(*both, strict=True)):
        answers = "".join(
            f'<a id="{q}_{i}" value="{words[v]}"><a_str>{i}</a_str><t_str/></a>' for i, v in enumerate(gold)
        )
        groups.append(f'<q id="{q}"><q_str>?</q_str>{answers}</q>')
        lines += [f"{q} {q}_{i} {words[d]} {next(sure, '')}\n" for i, d in enumerate(said) if d != "-"]
    gold_file, run = folder / "gold.xml", folder / "run.txt"
    gold_file.write_text(f"<ave>{''.join(groups)}</ave>")
    run.write_text("".join(lines))
    return [gold_file, run]


def _squad(squad: dict[str, list[Any]], folder: Path) -> list[Path]:
    gold, said = folder / "gold.json", folder / "said.json"
    asked = [{"id": str(i), "answers": [{"text": text} for text in texts]} for i, texts in enumerate(squad["gold"])]
    gold.write_text(json.dumps({"data": [{"title": "", "paragraphs": [{"qas": asked}]}]}))
    said.write_text(json.dumps({str(i): text for i, text in enumerate(squad["said"])}))
    return [gold, said]


def _reading(reading: dict[str, Any], folder: Path) -> list[Path]:
    """Write a question on a story; `said` is the number of the chosen sentence, and none means silence."""
    asked = {"id": "q", "story": "s", "question": reading["question"], "answers": reading["answers"]}
    asked |= {"sentences": reading["accepted"]} if "accepted" in reading else {}
    answer = reading["story"][reading["said"]] if "said" in reading else None
    rows = {
        "questions.jsonl": asked,
        "stories.jsonl": {"id": "s", "sentences": reading["story"]},
        "run.jsonl": {"id": "q", "answer": answer},
    }
    for name, row in rows.items():
        (folder / name).write_text(json.dumps(row) + "\n")
    return [folder / name for name in rows]
