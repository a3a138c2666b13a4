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
UNSUPPORTED = "unsupported"
WORDS = "|".join((*UNDEFINED, UNSUPPORTED, "inf", "infinity"))
LAST = re.compile(rf"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|[-+]?\b(?:{WORDS})\b", re.IGNORECASE)
SECONDS = 60  # after which a command has failed


def vectors(only: list[str]) -> list[dict[str, Any]]:
    """Return the vectors of all measures, or of those named with or without parameters."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.json"))]
    every = [vector for file in files for vector in file["vectors"]]
    return [vector for vector in every if not only or vector["measure"] in only or base(vector["measure"]) in only]


def base(measure: str) -> str:
    """Return the name of a measure without its parameters."""
    return measure.partition("(")[0]


def name_of(measure: str, names: dict[str, str] | None) -> str | None:
    """Return what a tool calls a measure, None if it has no name for it; a name without parameters keeps them."""
    if names is None or measure in names:
        return names[measure] if names else measure
    other = names.get(base(measure))
    return None if other is None else other + measure.removeprefix(base(measure))


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
        named = word.replace("{measure}", measure)
        command += [named.replace("{input}", path) for path in paths] if "{input}" in named else [named]
    return command


def value_in(output: str, place: str | None) -> float | None:
    """Return the value that a command printed: NaN if it is undefined, None if the tool has no such measure.

    Raises ValueError if there is no value.
    """
    if place is not None:
        value: Any = json.loads(output)
        for key in place.split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
        text = "null" if value is None else str(value)
    else:
        found = LAST.findall(output)
        if not found:
            raise ValueError("it printed no number")
        text = found[-1]
    if text.lower() == UNSUPPORTED:
        return None
    return math.nan if text.lower() in UNDEFINED else float(text)


def result(vector: dict[str, Any], words: list[str], name: str, place: str | None, tolerance: float) -> tuple[str, str]:
    """Return what came of a vector ("agrees", "differs", "failed" or "skipped"), and the figures or the error."""
    with tempfile.TemporaryDirectory() as folder:
        command = command_of(words, name, write_input(vector, Path(folder)))
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return "failed", str(error)
    if done.returncode:
        return "failed", f"status {done.returncode}: {done.stderr.strip()[-200:]}"
    try:
        value = value_in(done.stdout, place)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return "failed", f"no value in its output: {error}"
    if value is None:
        return "skipped", UNSUPPORTED
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
    chosen = vectors(given.only)
    if not chosen:
        parser.error(f"no vector is of the measure {' or '.join(given.only)}")
    for vector in chosen:
        measure = vector["measure"]
        name = name_of(measure, names)
        if name is None:
            counts["skipped"] += 1
            continue
        outcome, figures = result(vector, words, name, given.json, given.tolerance)
        counts[outcome] += 1
        if outcome in ("differs", "failed"):
            print(f"{measure}, {vector['name']}: {outcome}: {figures}", flush=True)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in ("agrees", "differs", "failed", "skipped")))
    return int(counts["differs"] + counts["failed"] > 0 or not counts["agrees"])


if __name__ == "__main__":
    sys.exit(main())
