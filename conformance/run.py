"""Run the conformance vectors through any command: `python conformance/run.py -- COMMAND {measure} {input}`.

README.md beside this file says what the vectors hold. This file needs Python's standard library alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
UNDEFINED = ("nan", "none", "null", "undefined")
LAST = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|\b(?:nan|none|null|undefined)\b", re.IGNORECASE)


def vectors(only: list[str]) -> list[dict[str, Any]]:
    """Return the vectors of all measures, or of those named with or without parameters."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.json"))]
    every = [vector for file in files for vector in file["vectors"]]
    return [one for one in every if not only or one["measure"] in only or one["measure"].partition("(")[0] in only]


def write_input(vector: dict[str, Any], folder: Path) -> list[str]:
    """Write the input of a vector to files; return their paths."""
    if "files" in vector:
        for name, text in vector["files"].items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [str(folder / name) for name in vector["files"]]
    columns = vector.get("columns")
    if columns is None:
        names = ("correct", "incorrect", "unanswered")
        columns = {"run": ["run"], **{name: [count] for name, count in zip(names, vector["counts"], strict=True)}}
    table = folder / "run.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in zip(*columns.values(), strict=True))
    return [str(table)]


def command_of(words: list[str], measure: str, paths: list[str]) -> list[str]:
    """Return the command with the measure and the paths in place."""
    command: list[str] = []
    for word in words:
        command += paths if word == "{input}" else [word.replace("{measure}", measure)]
    return command


def value_in(output: str, place: str | None) -> float:
    """Return the value that a command printed, NaN for an undefined one; raises ValueError where there is none."""
    if place is not None:
        value: Any = json.loads(output)
        for key in place.split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
        return math.nan if value is None else float(value)
    found = LAST.findall(output)
    if not found:
        raise ValueError("it printed no number")
    return math.nan if found[-1].lower() in UNDEFINED else float(found[-1])


def result(vector: dict[str, Any], words: list[str], name: str, place: str | None, tolerance: float) -> tuple[str, str]:
    """Return what came of a vector ("agrees", "differs" or "failed"), and the figures or the error."""
    with tempfile.TemporaryDirectory() as folder:
        command = command_of(words, name, write_input(vector, Path(folder)))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return "failed", f"status {done.returncode}: {done.stderr.strip()[-200:]}"
    try:
        value = value_in(done.stdout, place)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return "failed", f"no value in its output: {error}"
    wanted = math.nan if vector["value"] is None else vector["value"]
    same = math.isnan(value) if math.isnan(wanted) else abs(value - wanted) <= tolerance
    return ("agrees" if same else "differs"), f"{value!r}, not {wanted!r}"


def main() -> int:
    """Run the vectors; print each that does not agree, and the numbers of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=Path, help="JSON: the name of each measure in your tool")
    parser.add_argument("--only", nargs="+", default=[], metavar="MEASURE", help="run the vectors of these measures")
    parser.add_argument("--json", metavar="PATH", help="where the value is in JSON output, such as scores.0.value")
    parser.add_argument("--tolerance", type=float, default=1e-12)
    parser.add_argument("command", nargs="+", help="your command, after --")
    given = parser.parse_args()
    words = shlex.split(given.command[0]) if len(given.command) == 1 else given.command
    names = json.loads(given.names.read_text(encoding="utf-8")) if given.names else None
    counts: Counter[str] = Counter()
    for vector in vectors(given.only):
        measure = vector["measure"]
        if names is not None and measure not in names:
            counts["skipped"] += 1
            continue
        name = names[measure] if names is not None else measure
        outcome, figures = result(vector, words, name, given.json, given.tolerance)
        counts[outcome] += 1
        if outcome != "agrees":
            print(f"{measure}, {vector['name']}: {outcome}: {figures}", flush=True)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in ("agrees", "differs", "failed", "skipped")))
    return int(counts["differs"] + counts["failed"] > 0 or not counts["agrees"])


if __name__ == "__main__":
    sys.exit(main())
