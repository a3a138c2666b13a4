"""Prints what nescio makes of made tables: `python -m tests.tables SEEDS [FIRST] [--examples N]`."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.tables.maker import made
from tests.tables.reading import Outcome, Reading, cause_of, outcome_of
from tests.tables.table import Made
from tests.tables.writing import write

FAILURES = (Outcome.SILENTLY, Outcome.WRONG_PROPOSAL, Outcome.CRASHED, Outcome.SAID, Outcome.NOWHERE)
Read = tuple[Made, Reading]


def readings(seeds: range) -> Iterator[tuple[Made, Reading, str]]:
    """Make, write and read each table; with it the beginning of its file."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            table = made(seed)
            path = write(table, Path(folder))
            yield table, outcome_of(table, path), beginning(table, path)
            path.unlink()


def beginning(table: Made, path: Path) -> str:
    """Show the first lines of a file."""
    if table.medium == "parquet":
        rows = [list(table.rows[0]), *(list(row.values()) for row in table.rows[:3])]
        return "\n".join(map(str, rows))
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    long = len(lines) == 1 or table.medium == "json"
    return "\n".join(lines)[:700] if long else "\n".join(line[:400] for line in lines[:4])


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
    unpaired = undetermined = 0
    for table, reading, text in readings(range(arguments.first, arguments.first + arguments.seeds)):
        outcome = reading.outcome
        every[outcome] += 1
        sensible[outcome] += table.sensible
        groups = {"kind": table.kind, "layout": table.layout, "verdict": table.verdict, "silence": table.silence}
        groups |= {"medium": table.medium, "language": table.language}
        for group, value in [*groups.items(), *(("beside", one) for one in table.oddities + table.doubts)]:
            by[group][value][outcome] += 1
        read = outcome in (Outcome.RIGHT, Outcome.BY_PROPOSAL, Outcome.BY_NOTE)
        unpaired += read and not reading.paired
        undetermined += outcome is Outcome.RIGHT and not table.sensible
        if outcome in FAILURES:
            by[f"cause of: {outcome}"][cause_of(table, reading)][outcome] += 1
        if outcome in FAILURES and len(examples[outcome]) < arguments.examples:
            examples[outcome].append(shown(table, reading, text))
    for outcome in FAILURES:
        for example in examples[outcome]:
            print(f"\n=== {outcome} === {example}")
    causes = [f"cause of: {outcome}" for outcome in FAILURES]
    for group in ("layout", "verdict", "silence", "medium", "language", "beside", "kind", *causes):
        print(f"\n--- by {group}")
        for value, counted in sorted(by[group].items(), key=lambda item: -item[1].total()):
            print(f"{value:45} {counted.total():5}  " + "  ".join(f"{o}: {n}" for o, n in counted.most_common()))
    at_once = sensible[Outcome.RIGHT]
    print(f"\nall {every.total()}:  {share(every)}")
    print(f"sensible {sensible.total()}:  {share(sensible)}")
    print(
        f"of sensible: right at once {at_once / (sensible.total() or 1):.1%}, at once, by a proposal or by a note",
        end=" ",
    )
    print(f"{(at_once + sensible[Outcome.BY_PROPOSAL] + sensible[Outcome.BY_NOTE]) / (sensible.total() or 1):.1%}")
    print(
        f"by one of several ways, which is not the first: {sensible[Outcome.BY_CHOICE] / (sensible.total() or 1):.1%}"
    )
    print(
        f"right with other questions than there are: {unpaired}; right at once where a reader would ask: {undetermined}"
    )


def shown(table: Made, reading: Reading, text: str) -> str:
    """Show one example: the table, its truth, and what was made of it."""
    lines = [f"seed {table.seed}: {table.kind}, {table.medium}, {table.language}", text]
    lines += [f"  columns {dict(table.columns)}  beside: {table.oddities}  doubts: {table.doubts}"]
    lines += [f"  message: {message}" for message in reading.messages]
    lines += [f"  followed: {proposal}" for proposal in reading.followed]
    if reading.format:
        lines += [f"  read as {reading.format}: {counted(reading.counts)}", *(f"  note: {n}" for n in reading.notes)]
    return "\n".join([*lines, f"  truth: {counted(table.truth)}"])


def counted(counts: object) -> str:
    if not isinstance(counts, dict):
        return "no counts"
    return ", ".join(f"{run} {'/'.join(map(str, own))}" for run, own in counts.items())


if __name__ == "__main__":
    main()
