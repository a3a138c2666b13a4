"""Describe a made table: the content of its file, and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

RIGHT, WRONG, SILENT, UNGRADED = "right", "wrong", "silent", "ungraded"
Row = dict[str, Any]  # a nested column has dots in its name: grading.correct


class Counts(NamedTuple):
    """The answers of one run.

    `withheld` counts the silent ones to questions without an answer. They are right if a reader knows that the question
    has none, and else silent.
    """

    right: int = 0
    wrong: int = 0
    silent: int = 0
    ungraded: int = 0
    withheld: int = 0


@dataclass(frozen=True)
class Made:
    """A table with its layout and its truth.

    `columns` maps parts to columns: run, question, text, verdict, silence, answer, gold, answerable, unanswerable,
    repeat. `forms` says how verdict and silence are written. `doubts` is empty if a sensible reader decides without
    asking: only one column could be the verdict, and names and values show its polarity and silence. In a table of
    graded scores alone nobody can tell which answers are right without judging them.
    """

    seed: int
    layout: str
    medium: str
    verdict: str
    silence: str
    language: str
    columns: Mapping[str, str]
    rows: tuple[Row, ...]
    document: Any  # the content: rows, or a JSON document
    path: tuple[str, ...]  # the keys that lead to the rows in a document
    runs: Mapping[str, Mapping[str, str]]  # wide: the columns of each run, by part
    truth: Mapping[str, Counts]
    questions: int
    oddities: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    silent: Mapping[str, list[str]] = field(default_factory=dict)  # the columns that mark silence, sentences too
    skipped: tuple[str, ...] = ()  # cells in the column of questions for rows that are not answers

    @property
    def sensible(self) -> bool:
        return not self.doubts

    @property
    def kind(self) -> str:
        return f"{self.layout} × {self.verdict} × {self.silence}"

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """Return the sorted counts of each run as a reading gives them; right abstentions are right."""
        return tuple(sorted((c.right + c.withheld, c.wrong, c.silent, c.ungraded) for c in self.truth.values()))
