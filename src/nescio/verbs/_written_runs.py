"""Write a run that a rule made: a threshold, a vote or a cascade.

A written run has every question of the original run. Otherwise the questions that the rule leaves out would be lost.
A gate could then pass on the written file, although it fails on the original file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, Outcomes
from nescio.data.policy_notes import COMMON, UNGRADED_BOUNDS
from nescio.errors import UsageError, opt
from nescio.scoring.keeping import kept_of_all
from nescio.tables.outcomes_writer import write_outcomes
from nescio.text import plural


def check_whole(notes: Sequence[Note], output: Path) -> None:
    """Raise UsageError if the written run would lack questions that some run lacks, or have one of two possible
    results."""
    for remark in notes:
        if remark.code == UNGRADED_BOUNDS:
            raise UsageError(
                f"{output}: a written run has one result, but {remark.text}. Use {opt('ungraded', 'exclude')} to write "
                "the answers as they are"
            )
        if remark.code == COMMON:
            raise UsageError(
                f"{output}: a written run has every question of the run, but {remark.text}. Use "
                f"{opt('missing', 'own')} to keep them"
            )


def write_run(
    outcomes: Outcomes, output: Path, found: Sequence[Note], made_of: Sequence[str], *, unit: str, as_given: int = 0
) -> tuple[str, tuple[Note, ...]]:
    """Write a run; return the number of its rows as a phrase, and notes on the rows that the rule did not decide.

    `found` are the notes on the runs `made_of`, and the file keeps what they say to gates. `unit` is the word for a
    row. `as_given` is the number of answers without a confidence, which are written unchanged.
    """
    rows = write_outcomes(kept_of_all(outcomes, found, made_of), output)
    ungraded = int(np.sum(outcomes.state == NOT_GRADED))
    notes, parts = [], []
    if as_given:
        parts.append(f"{as_given:,} as the run gave {'it' if as_given == 1 else 'them'}")
        notes.append(
            note(
                "written_run.as_given",
                "{subject}: {answers:n answer} {answers:has/have} no confidence, so no threshold applies; "
                "{answers:it is/they are} written as the run gave {answers:it/them}",
                str(output),
                answers=as_given,
            )
        )
    if ungraded:
        parts.append(f"{ungraded:,} without an outcome")
        notes.append(
            note(
                "written_run.no_outcome",
                "{subject}: {rows:n row} {rows:has/have} no outcome, because {rows:it rests/they rest} on answers that "
                "are missing or not graded",
                str(output),
                rows=ungraded,
            )
        )
    among = f" ({', '.join(parts)})" if parts else ""
    return f"{plural(rows, unit)}{among}", tuple(notes)
