"""Prints what nescio makes of made tables: `python -m tests.tables SEEDS [FIRST] [--examples N]`."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from tests.tables.maker import made
from tests.tables.reading import Outcome, Reading, outcome_of
from tests.tables.table import Made
from tests.tables.writing import write

FAILURES = (Outcome.SILENTLY, Outcome.WRONG_PROPOSAL, Outcome.CRASHED, Outcome.SAID, Outcome.NOWHERE)


def shown(table: Made, reading: Reading, content: bytes) -> str:
    """Show one example: the table, its truth, and what was made of it."""
    lines = [
        f"seed {table.seed}: {table.kind}, {table.medium}, {table.language}",
        content[:700].decode(errors="replace"),
    ]
    lines += [f"  columns {dict(table.columns)}  beside: {table.oddities}  doubts: {table.doubts}"]
    lines += [f"  message: {message}" for message in reading.messages]
    lines += [f"  followed: {proposal}" for proposal in reading.followed]
    lines += [f"  note: {note}" for note in reading.notes]
    return "\n".join([*lines, f"  read: {reading.counts}", f"  truth: {dict(table.truth)}"])


def share(counted: Counter[Outcome]) -> str:
    total = counted.total() or 1
    return "  ".join(f"{outcome}: {counted[outcome]} ({counted[outcome] / total:.1%})" for outcome in Outcome)


def main() -> None:
    """Print the figures, and the first examples of each failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.tables", description=__doc__)
    parser.add_argument("seeds", type=int, help="how many tables")
    parser.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    parser.add_argument("--examples", type=int, default=10, help="how many of each failure to show")
    arguments = parser.parse_args()
    every: Counter[Outcome] = Counter()
    sensible: Counter[Outcome] = Counter()
    by: dict[str, dict[str, Counter[Outcome]]] = defaultdict(lambda: defaultdict(Counter))
    examples: dict[Outcome, list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            table = made(seed)
            path = write(table, Path(folder))
            reading = outcome_of(table, path)
            every[reading.outcome] += 1
            sensible[reading.outcome] += table.sensible
            for group in ("layout", "verdict", "silence", "medium", "language", "kind"):
                by[group][getattr(table, group)][reading.outcome] += 1
            for oddity in table.oddities + table.doubts:
                by["beside"][oddity][reading.outcome] += 1
            if len(examples[reading.outcome]) < arguments.examples:
                examples[reading.outcome].append(shown(table, reading, path.read_bytes()))
            path.unlink()
    for outcome in FAILURES:
        for example in examples[outcome]:
            print(f"\n=== {outcome} === {example}")
    for group, counts in by.items():
        print(f"\n--- by {group}")
        for value, counted in sorted(counts.items(), key=lambda item: -item[1].total()):
            print(f"{value:45} {counted.total():5}  " + "  ".join(f"{o}: {n}" for o, n in counted.most_common()))
    print(f"\nall {every.total()}:  {share(every)}")
    print(f"sensible {sensible.total()}:  {share(sensible)}")


if __name__ == "__main__":
    main()
