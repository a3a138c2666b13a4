"""Say what counts leave out, by the notes that say it of rows, so that gates count the same lost answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nescio.data.dropped import UNSTATED, fewer_held
from nescio.data.notes import Note, note
from nescio.data.outcomes import NonAnswers
from nescio.data.policy_notes import common_note, missing_note, ungraded_note
from nescio.errors import MismatchError
from nescio.tables.statements import BESIDE, SETTLED

Numbers = Mapping[str, int]  # the columns of a run beside its outcomes, and the number of all outcomes as `counted`


def unstated(label: str, columns: Iterable[str]) -> list[Note]:
    """Return a note if `nescio sql` counted a table (so it has `BESIDE`), but `columns` lack what was left out."""
    lacking = [name for name in SETTLED if name not in columns]
    if not lacking or not {*BESIDE} <= {*columns}:
        return []
    return [
        note(
            UNSTATED,
            "{subject}: {columns:the column/the columns} {names:list}, which {columns:says/say} what the SQL leaves "
            "out, {columns:is/are} missing",
            label,
            columns=len(lacking),
            names=lacking,
        )
    ]


def left_out(labels: Mapping[str, str], runs: Mapping[str, Numbers]) -> tuple[list[Note], list[NonAnswers]]:
    """Return the notes on what the counts of these runs leave out or count as unanswered, and such answers by reason.

    `labels` has the file of each run. Raises MismatchError if the counts of a run contradict its number of questions.
    """
    notes: list[Note] = []
    silence: list[NonAnswers] = []
    for run, numbers in runs.items():
        held, asked = numbers["counted"], numbers.get("asked", numbers["counted"] + numbers.get("ungraded", 0))
        ungraded = numbers.get("ungraded", max(0, asked - held))
        if held + ungraded != asked:
            mismatch = f"the counts of run {run!r} add up to {held + ungraded:,}, but it was asked {asked:,}"
            raise MismatchError(f"{labels[run]}: {mismatch}")
        if ungraded:
            notes.append(ungraded_note("exclude", run, ungraded, asked, ungraded / asked))
            silence.append(NonAnswers(run, "not graded", "not graded", ungraded, asked))
        if filled := numbers.get("missing_unanswered", 0):
            notes.append(missing_note(run, filled, asked))
            silence.append(NonAnswers(run, "missing", "missing", filled, asked))
        if missing := numbers.get("missing", 0):
            notes.append(fewer_held(labels[run], (run,), asked + missing, asked))
    lacking = [(run, numbers["missing_left_out"]) for run, numbers in runs.items() if numbers.get("missing_left_out")]
    others = max((numbers.get("not_common", 0) for numbers in runs.values()), default=0)
    others = max(others, *(number for _, number in lacking), 0)
    if others:
        common = max(numbers.get("asked", numbers["counted"]) for numbers in runs.values())
        if not common:
            raise MismatchError("the runs have no question in common")
        notes.append(common_note(common, common + others, lacking))
    return notes, silence
