"""Read pair tables, as `nescio sql` counts them: a row for each two runs, and for each run with itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nescio.data.evidence import outcome_tally
from nescio.data.notes import Note
from nescio.errors import FormatError, MismatchError
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import connect
from nescio.sources.source import Source, small
from nescio.sources.tables import load_rows, locate
from nescio.stats.packed import pair_index
from nescio.tables.counts import check_asked, check_whole, whole
from nescio.tables.left_out import left_out, unstated
from nescio.tables.statements import BESIDE, PAIRS, SETTLED

RUNS = ("run_a", "run_b")


def _named(source: Source) -> dict[str, str]:
    """Return the columns of a file, keyed by name in lower case, because some database engines return capitals."""
    return {name.lower(): name for name in source.columns if name}


def recognise(source: Source) -> str | None:
    """Recognise a table with two runs in each row, and the nine counts of pairs of their outcomes."""
    return "table" if {*RUNS, *PAIRS} <= {*_named(source)} else None


@reader("pairs", about="a pair table: counts of two runs on the same questions (nescio sql)", recognise=recognise)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:  # noqa: ARG001  it maps nothing
    """Return the data of a pair table, whose pairs may be in several files."""
    cells: dict[tuple[str, str], list[int]] = {}
    asked: dict[tuple[str, str], int] = {}
    beside: dict[str, dict[str, int]] = {}  # what is counted beside the outcomes of each run
    labels: dict[str, str] = {}
    notes: list[Note] = []
    for _, source in parts:
        named = _named(source)
        names = [*PAIRS, *(name for name in (*BESIDE, *SETTLED) if name in named)]
        notes += unstated(str(source.label), named)
        with connect(small=small(source)) as connection:
            have = load_rows(connection, source, "raw")
            shown = ", ".join(have[named[name]] for name in (*RUNS, *names))
            rows = connection.execute(f"SELECT row, {shown} FROM raw ORDER BY 1").fetchall()
        for row, this_run, other, *texts in rows:
            if this_run is None or other is None:
                raise FormatError(source.label, "the run is empty", where=locate(source, row))
            if (this_run, other) in cells or (other, this_run) in cells:
                rule = f"runs {this_run!r} and {other!r} appear twice: add up their counts, or keep one of their rows"
                raise FormatError(source.label, rule, where=locate(source, row))
            numbers = {name: whole(source, row, name, cell) for name, cell in zip(names, texts, strict=True)}
            check_whole(
                source, row, f"run {this_run!r}" if this_run == other else f"{this_run!r} or {other!r}", numbers
            )
            cells[this_run, other] = [numbers[name] for name in PAIRS]
            asked[this_run, other] = numbers.get("asked", sum(cells[this_run, other]) + numbers.get("ungraded", 0))
            if this_run == other:
                labels[this_run] = str(source.label)
                beside[this_run] = {name: many for name, many in numbers.items() if name not in PAIRS}
                beside[this_run]["counted"] = sum(cells[this_run, other])
    words = {pair: f"runs {pair[0]!r} and {pair[1]!r} were both" for pair in asked}
    words |= {(run, run): f"run {run!r} was" for run in beside}
    check_asked({words[pair]: many for pair, many in asked.items()})
    remarks, silence = left_out(labels, beside)
    runs = tuple(sorted({run for pair in cells for run in pair}))
    number = {run: i for i, run in enumerate(runs)}
    counts = np.zeros((len(runs), 3), dtype=np.int64)
    pairs = np.zeros((len(runs) * (len(runs) - 1) // 2, 3, 3), dtype=np.int64)
    for (this_run, other), figures in cells.items():
        x, y, table = number[this_run], number[other], np.array(figures).reshape(3, 3)
        if x == y:
            counts[x] = table.diagonal()
        else:
            pairs[pair_index(np.array(min(x, y)), np.array(max(x, y)), len(runs))] = table if x < y else table.T
    alone = next((run for run in runs if (run, run) not in cells), None)
    if alone is not None:
        raise MismatchError(f"run {alone!r} needs a row that pairs it with itself and counts its outcomes")
    size = max(asked.values())
    tally = replace(outcome_tally(runs, counts), pairs=pairs, size=size)
    return ReadResult(tally, (*notes, *remarks), silence=tuple(silence))
