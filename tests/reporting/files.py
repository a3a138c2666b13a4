"""Make the files behind pages and the pages by kind, and read the data that a page holds for its scripts."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from nescio.cli.app import run
from nescio.reporting.svg import Chart

ROOT = Path(__file__).parents[2]
EXAMPLES, SHARED = ROOT / "examples", ROOT.parent / "shared" / "data"
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}
HOSTILE = (
    "</script><script>window.pwned = 1</script>",
    '<img src=x onerror="window.pwned = 2">',
    "\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u2067open",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308",
    "long " + "x" * 100_000,
    "NUL \x00 bell \x07 escape \x1b[31m",
    "line\u2028separator ]]> <!-- {{ 7*7 }}",
    "' onmouseover='window.pwned = 3",
)
THREE = {"guesser": "CCWWCW" * 50, "modest": "CCUUCW" * 50, "weak": "CWWWUW" * 50}
# The number of questions with each move from an old run to a new one. Won 6 + 2, lost 4 + 3, newly silent 3 + 5, newly
# answered 2 + 1, as before 30 + 20 + 9.
MOVES = {"CC": 30, "CW": 4, "CU": 3, "WC": 6, "WW": 20, "WU": 5, "UC": 2, "UW": 1, "UU": 9}
MOVED = "".join(move * many for move, many in MOVES.items())
LONG = "company/model-of-a-very-long-name-that-goes-on/checkpoint-with-more-words-"
INHERITED = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty")


def called(*words: object) -> int | str | None:
    """Return the exit status of a command."""
    with pytest.raises(SystemExit) as stopped:
        run([*map(str, words)])
    return stopped.value.code


def make(output: Path, *arguments: object) -> Path:
    """Return the page that `nescio report` writes with these arguments."""
    assert not called("report", *arguments, "-o", output, "--resamples", "500")
    return output


def written(path: Path, head: str, rows: Sequence[str]) -> Path:
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def outcome_table(path: Path, runs: dict[str, str], *, confidence: bool = False) -> Path:
    """Write an outcome table from a letter for each question, and return its path.

    Questions q000, q001 … have the topics red, green and blue in turn.
    """
    rows = []
    for name, letters in runs.items():
        for i, letter in enumerate(letters):
            sure = f",{0.99 - 0.9 * i / len(letters):.3f}" if confidence else ""
            rows.append(f"{name},q{i:03},{WORDS[letter]},{('red', 'green', 'blue')[i % 3]}{sure}")
    return written(path, "run,question,outcome,topic" + (",confidence" if confidence else ""), rows)


def diff_files(folder: Path) -> list[object]:
    """Return the files of two runs: 80 shared questions, two that only the old run has, one only the new run."""
    table = outcome_table(folder / "two.csv", {"old": MOVED[::2], "new": MOVED[1::2]})
    with table.open("a") as more:
        more.write("old,only1,correct,red\nold,only2,unanswered,red\nnew,fresh,incorrect,blue\n")
    return [table, "--baseline", "old", "--missing", "common"]


def hostile_files(folder: Path) -> list[Path]:
    """Return a collection whose questions, answers, names and topics try to break out of the page, and two runs."""
    asked = [
        {"id": f"{i} {text[:3000]}", "question": text, "answers": ["right"], "topic": HOSTILE[i % 2]}
        for i, text in enumerate(HOSTILE)
    ]
    files = [folder / "questions.jsonl"]
    files[0].write_text("".join(json.dumps(q) + "\n" for q in asked))
    for name in ("<b onclick=alert(1)>bold", "plain"):
        answers = [{"id": q["id"], "answer": q["question"] if name == "plain" else "right"} for q in asked]
        files.append(folder / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(a) + "\n" for a in answers))
    return files


def answers_table(folder: Path) -> Path:
    """Return a table of three runs on 200 questions with texts, confidences and candidates, made by a rule."""
    rows = []
    for r, name in enumerate(("alpha", "beta", "gamma")):
        for i in range(200):
            kind = (i * 7 + r * 3 + i // 13) % 5
            outcome = ("correct", "incorrect", "unanswered", "correct", "incorrect")[kind]
            candidate = ("correct" if (i + r) % 3 else "incorrect") if outcome == "unanswered" else ""
            text = "" if outcome == "unanswered" else f"answer {i} of {name}"
            sure = ((i * 37 + r * 11) % 100) / 100
            rows.append(
                f"{name},q{i:03},{outcome},{sure},{candidate},What is {i}?,number {i},{text},because of rule {kind}"
            )
    head = "run,question,outcome,confidence,candidate,question_text,gold,prediction,reason"
    return written(folder / "answers.csv", head, rows)


def inherited_table(folder: Path) -> Path:
    """Return a table with names that every JavaScript object has, and strata with equal beginnings of 80 letters."""
    rows = []
    for r, name in enumerate((*INHERITED, "=SUM(1)")):
        for i, question in enumerate((*INHERITED, "e\u0301", "\u00e9", "last")):
            strata = {"__proto__": INHERITED[i % 5], "c" * 90 + "1": i % 2, "c" * 90 + "2": i // 4}
            outcome = ("correct", "incorrect", "unanswered")[(r + i) % 3]
            rows.append(json.dumps({"run": name, "question": question, "outcome": outcome, **strata}))
    return written(folder / "table.jsonl", rows[0], rows[1:])


FOUR = {"first": "CCCWU", "second": "CCWWU", "third": "CCCWW", "fourth": "CWWWU"}
MANY = {f"vendor-model-family-{i % 4}-of-size-{i:03}b-instruct": "C" * (90 - i) + "W" * (20 + i) + "U" * 10
        for i in range(45)}  # fmt: skip
TWELVE = {f"a-system-with-a-name-{i}": "CW"[: 1 + i % 2].ljust(3, "CU"[i % 2]) * 60 for i in range(12)}
# The arguments of `nescio report` for each kind of page.
KINDS: dict[str, Callable[[Path], Sequence[object]]] = {
    "three": lambda folder: [outcome_table(folder / "three.csv", THREE, confidence=True), "--by", "topic"],
    "diff": diff_files,
    "hostile": lambda folder: [*hostile_files(folder), "--by", "topic", "--title", HOSTILE[0]],
    "hostile diff": lambda folder: [*hostile_files(folder), "--baseline", "<b onclick=alert(1)>bold"],
    "four": lambda folder: [
        outcome_table(folder / "four.csv", {f"{LONG}{name}": one * 40 for name, one in FOUR.items()}, confidence=True)
    ],
    "many": lambda folder: [outcome_table(folder / "many.csv", MANY, confidence=True)],
    "twelve": lambda folder: [outcome_table(folder / "t.csv", TWELVE, confidence=True), "--by", "topic"],
    "answers": lambda folder: [answers_table(folder)],
    "inherited": lambda folder: [inherited_table(folder), "--by", "__proto__"],
    "outcomes": lambda _: [EXAMPLES / "outcomes.csv"],
    "polymer": lambda _: [SHARED / "logs" / "lm_eval" / "polymer_tg_mae_infinity"],
}


def embedded(page: Path | str) -> Any:
    """Return the embedded data of a page."""
    text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    held = json.loads(found[1])
    return {**held, **json.loads(inflated(held.pop("packed")))}


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a figure's data as dictionaries."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS)


def marks(page: Path | str, name: str = "cells") -> dict[str, list[int]]:
    """Return what a page holds for each question and run: numbers below 16, two in each byte, question by question."""
    held = embedded(page)["browser"]
    halves = [half for byte in inflated(held[name]) for half in (byte & 15, byte >> 4)]
    k = len(held["runs"])
    return {one: halves[i * k : (i + 1) * k] for i, one in enumerate(json.loads(inflated(held["questions"])))}


def assert_inside(chart: Chart) -> None:
    """Assert that a chart is well-formed XML, and that all its marks lie within the drawing by their attributes."""
    root = ET.fromstring(chart.svg())
    reach = {"x": chart.width, "x1": chart.width, "x2": chart.width, "cx": chart.width}
    reach |= dict.fromkeys(("y", "y1", "y2", "cy"), chart.height)
    for element in root.iter():
        for name, most in reach.items():
            assert 0 <= float(element.get(name, 0)) <= most + 1e-6, ET.tostring(element)
        if element.get("d") and "clip-path" not in element.attrib:
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d", ""))]
            assert all(0 <= x <= chart.width for x in numbers[::2])
            assert all(0 <= y <= chart.height for y in numbers[1::2])


def said_by(chart: Chart) -> str:
    """Return the texts that the marks of a chart show under the mouse."""
    return "\n".join(mark.tip for mark in chart.marks)
