"""Count the questions that no threshold can change."""

from __future__ import annotations

from nescio.data.columns import known
from nescio.data.notes import Note, note
from nescio.selective.curve import OneRun


def remarks(one: OneRun) -> list[Note]:
    """Return notes on questions and answers that no threshold can change, such as questions without a confidence."""
    silent, notes = int((~one.has_confidence).sum()), list[Note]()
    if one.left_out:
        notes.append(without_confidence(one))
    if silent:
        notes.append(
            note(
                "tuning.always_silent",
                "run {subject!r}: {silent:,} of {total:n question} {silent:stays/stay} unanswered at every "
                "threshold, for lack of an answer or a judged candidate with a confidence",
                one.data.runs[0],
                silent=silent,
                total=len(one.has_confidence),
            )
        )
    if any(known(name).lower_ranks for name in one.data.columns):
        notes.append(
            note(
                "tuning.lower_ranks",
                "a threshold applies to the first answer's confidence; answers of lower ranks are left out",
            )
        )
    return notes


def without_confidence(one: OneRun) -> Note:
    """Return the note that counts the answers left out of a curve because they have no confidence."""
    return note(
        "tuning.without_confidence",
        "run {subject!r}: {left_out:,} of {total:n question} left out, as the answer has no confidence",
        one.data.runs[0],
        left_out=one.left_out,
        total=one.left_out + len(one.has_confidence),
    )
