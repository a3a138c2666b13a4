"""What the benchmarks share: medians, and a table of ratios."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One piece of work, its median time, and what it is measured against; nothing, where a time is to be kept."""

    work: str
    mine: float
    against: str
    theirs: float
    asked: str = ""


def seconds(action: Callable[[], object], repeat: int = 5) -> float:
    """Return the median time of an action."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def process(*arguments: str) -> Callable[[], object]:
    """Return an action that runs a program and waits for it."""
    return lambda: subprocess.run(arguments, check=True, capture_output=True)


def show(rows: Iterable[Row]) -> None:
    """Print the rows with their ratios."""
    for work, mine, against, theirs, asked in rows:
        if not against:
            print(f"{work:72} {mine:9.4f} s{f'   (asked: at most {asked})' if asked else ''}")
            continue
        ratio = f"{mine / theirs:.2f}x its time" if mine > theirs else f"{theirs / mine:.3g}x faster"
        print(
            f"{work:72} {mine:9.4f} s   {against:44} {theirs:9.3f} s   {ratio}{f'   (asked: {asked})' if asked else ''}"
        )


def over(data: Path, makers: Iterable[tuple[str, Callable[[Path], list[Row]]]]) -> list[Row]:
    """Return the rows of each maker whose file is in the folder of data; what is not there is skipped, and said so."""
    rows: list[Row] = []
    for needs, make in makers:
        if (data / needs).exists():
            rows += make(data)
        else:
            print(f"skipped {getattr(make, '__name__', needs)}: there is no {data / needs}", file=sys.stderr)
    return rows
