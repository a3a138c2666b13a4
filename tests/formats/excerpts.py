"""A small excerpt of every format, invented, in the shape that its tool writes, and what was counted in it by hand.

The files are in `tests/data/excerpts`, but for those that users see: these are in `examples/logs`. What was counted is
in `tests/data/readers`, in the file of the format, where a comment says what the answers are, one after the other.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.evidence import Tally
from nescio.formats import REGISTRY
from nescio.pipeline import Loaded, Options, load

from .encodings import LEFT

LOGS = {format_.name for format_ in REGISTRY.values() if format_.read.__module__.startswith("nescio.formats.logs.")}
EXCERPTS = Path(__file__).parents[1] / "data" / "excerpts"
EXAMPLES = Path(__file__).parents[2] / "examples" / "logs"
READERS = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(EXCERPTS.with_name("readers").glob("*.toml"))
}
Counts = tuple[int, int, int]


def place_of(path: str) -> Path:
    """Where an excerpt lies, by its path below either folder."""
    return EXAMPLES / path if (EXAMPLES / path).exists() else EXCERPTS / path


@dataclass(frozen=True)
class Excerpt:
    """What to read, and how many answers of each run were counted as correct, incorrect and unanswered by hand, where
    empty and unparsed outputs count as unanswered.

    `paths` are files or folders below one of the two; `sums` holds sums over a column, of formats that have no such
    outcomes.
    """

    format: str
    paths: tuple[str, ...]
    counts: dict[str, Counts] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    ungraded: dict[str, int] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The paths from where the tests run."""
        return [place_of(path) for path in self.paths]

    def read(self) -> Loaded:
        """Read the excerpt as its options say."""
        return load(self.files, Options(**self.options))

    def arguments(self, *taken: str) -> list[str]:
        """Say the options as on the command line; of the policies and the judge those that a command takes, or all."""
        single = (*(taken or ("ungraded", "missing", "judge")), *LEFT)
        words = [f"--{name}={self.options[name]}" for name in single if name in self.options]
        words += [f"--choose={name}={value}" for name, value in self.options.get("choose", {}).items()]
        return words + [f"--declined-pattern={pattern}" for pattern in self.options.get("declined_pattern", ())]


def _excerpts() -> dict[str, Excerpt]:
    every = {}
    for format_, held in READERS.items():
        for given in held["excerpt"]:
            rest = {name: value for name, value in given.items() if name not in ("name", "paths", "counts")}
            rest["options"] = LEFT | rest.get("options", {})
            counted = {run: tuple(row) for run, row in given.get("counts", {}).items()}
            every[given["name"]] = Excerpt(format_, tuple(given["paths"]), counted, **rest)
    return every


EVERY = _excerpts()


def counts(data: Any) -> dict[str, Counts]:
    """Count the questions of each run that are correct, incorrect and unanswered."""
    names = ("correct", "incorrect", "unanswered")
    if isinstance(data, Tally):
        totals = data.totals()
        table = np.stack([totals[name] for name in names], axis=1)
    else:
        table = np.stack([(data.columns[name] * data.present).sum(axis=1) for name in names], axis=1)
    return {run: (int(row[0]), int(row[1]), int(row[2])) for run, row in zip(data.runs, table, strict=True)}
