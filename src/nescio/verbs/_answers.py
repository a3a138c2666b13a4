"""Describe the run of a system that answered questions."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from nescio.data.notes import Note
from nescio.text import plural


class Answered(Struct, frozen=True):
    """A run that was written: its name, the numbers of questions and of answers, its file, and notes."""

    run: str
    answered: int
    questions: int
    output: Path
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return f"{self.run} answers {self.answered} of {plural(self.questions, 'question')}; wrote {self.output}"
