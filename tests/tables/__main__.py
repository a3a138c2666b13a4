"""Print nescio's readings of made tables: `python -m tests.tables SEEDS [FIRST] [--examples N]`."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from tests.tables.maker import made
from tests.tables.reading import Outcome, outcome_of
from tests.tables.writing import write

FAILURES = (Outcome.WRONG, Outcome.FAILED, Outcome.REFUSED, Outcome.NONE)


def main() -> None:
    """Print the figures, and the first examples of each failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.tables", description=__doc__)
    parser.add_argument("seeds", type=int, help="how many tables")
    parser.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    parser.add_argument("--examples", type=int, default=3, help="how many of each failure to show")
    arguments = parser.parse_args()
    every: Counter[Outcome] = Counter()
    kinds: dict[Outcome, Counter[str]] = defaultdict(Counter)
    examples: dict[Outcome, list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            table = made(seed)
            path = write(table, Path(folder))
            reading = outcome_of(path, table.key)
            every[reading.outcome] += 1
            kinds[reading.outcome][table.kind] += 1
            if len(examples[reading.outcome]) < arguments.examples:
                content = path.read_bytes()[:700].decode(errors="replace")
                about = f"seed {seed}: {table.kind}, columns {dict(table.columns)}, {table.oddities}, {table.doubts}"
                examples[reading.outcome].append(
                    f"{about}\n{content}\n{reading.said}\n  read: {reading.counts}\n  truth: {table.key}"
                )
            path.unlink()
    for outcome in FAILURES:
        for example in examples[outcome]:
            print(f"\n=== {outcome} === {example}")
    for outcome, count in every.most_common():
        print(f"{outcome:45} {count:5} ({count / every.total():.1%})  {kinds[outcome].most_common(4)}")


if __name__ == "__main__":
    main()
