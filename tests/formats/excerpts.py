"""Provide a small invented excerpt of every format, in the shape that its tool writes, with counts made by hand.

The files are in `tests/data/excerpts`; those that users see are in `examples/logs`. The counts are in
`tests/data/readers`, in the file of the format, where a comment lists the answers.
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
    """Return the place of an excerpt, given its path below either folder."""
    return EXAMPLES / path if (EXAMPLES / path).exists() else EXCERPTS / path


@dataclass(frozen=True)
class Excerpt:
    """An excerpt to read, with the numbers of correct, incorrect and unanswered answers of each run, counted by hand.

    Empty and unparsed outputs count as unanswered. `paths` are files or folders below one of the two folders. `sums`
    holds sums over a column, for formats without such outcomes.
    """

    format: str
    paths: tuple[str, ...]
    counts: dict[str, Counts] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    ungraded: dict[str, int] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """Return the paths from where the tests run."""
        return [place_of(path) for path in self.paths]

    def read(self) -> Loaded:
        """Return the excerpt, read with its options."""
        return load(self.files, Options(**self.options))

    def arguments(self, *taken: str) -> list[str]:
        """Return the options as on the command line; of the policies and the judge only those `taken`, or all."""
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
    """Return the numbers of correct, incorrect and unanswered questions of each run."""
    names = ("correct", "incorrect", "unanswered")
    if isinstance(data, Tally):
        totals = data.totals()
        table = np.stack([totals[name] for name in names], axis=1)
    else:
        table = np.stack([(data.columns[name] * data.present).sum(axis=1) for name in names], axis=1)
    return {run: (int(row[0]), int(row[1]), int(row[2])) for run, row in zip(data.runs, table, strict=True)}
