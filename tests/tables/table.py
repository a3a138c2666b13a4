"""A made table: what is written in its file, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

RIGHT, WRONG, SILENT, UNGRADED = "right", "wrong", "silent", "ungraded"
Row = dict[str, Any]  # a column that is nested has a name with dots: grading.correct


class Counts(NamedTuple):
    """The answers of one run. `withheld` are the silent ones to questions that have no answer: right, where a reader
    knows that of a question, and else silent."""

    right: int = 0
    wrong: int = 0
    silent: int = 0
    ungraded: int = 0
    withheld: int = 0


@dataclass(frozen=True)
class Made:
    """A table, its layout and its truth.

    `columns` says which column plays which part: run, question, text, verdict, silence, answer, gold, answerable,
    unanswerable, repeat. `forms` are the ways in which verdict and silence are written. `doubts` is empty where a
    sensible reader decides without asking: only one column could be the verdict, and its polarity and silence are clear
    from names and values. Of a table of graded scores alone nobody can say what is right but by judging its answers.
    """

    seed: int
    layout: str
    medium: str
    verdict: str
    silence: str
    language: str
    columns: Mapping[str, str]
    rows: tuple[Row, ...]
    document: Any  # what is written: rows, or a document of JSON
    path: tuple[str, ...]  # the keys under which the rows lie in a document
    runs: Mapping[str, Mapping[str, str]]  # wide: the columns of each run, by part
    truth: Mapping[str, Counts]
    questions: int
    oddities: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    silent: Mapping[str, list[str]] = field(default_factory=dict)  # the columns that say what is silent, sentences too
    skipped: tuple[str, ...] = ()  # what stands in the question's column of rows that are no answers

    @property
    def sensible(self) -> bool:
        return not self.doubts

    @property
    def kind(self) -> str:
        return f"{self.layout} × {self.verdict} × {self.silence}"

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The counts of each run as a reading gives them: abstaining rightly is right."""
        return tuple(sorted((c.right + c.withheld, c.wrong, c.silent, c.ungraded) for c in self.truth.values()))
