"""Define notes on answers that a file repeats or lacks, so that its sender could have chosen which of them count."""

from __future__ import annotations

from collections.abc import Sequence

from nescio.data.notes import Note, note
from nescio.data.policy_notes import OTHER_ANSWERS
from nescio.errors import opt

FEWER_HELD = "answers.fewer_held"  # the code of a note that a file holds fewer answers than it states
UNSTATED = "counts.unstated"  # the code of a note that counts do not say how many answers were left out
ANOTHER_FIGURE = "totals.another_figure"  # the code of a note that a stated figure differs from the answers
NOT_MAPPED = "nuggets.not_mapped"  # the code of a note that a mapping has no line for some responses of a run


def repeated(run: str, rows: int, differ: int, what: str = "row") -> Note:
    """Return the note that `rows` rows of a run are left out, because others are for the same answers.

    `differ` counts the answers whose rows have different outcomes or texts. The note calls the rows `what`.
    """
    if differ:
        return note(
            OTHER_ANSWERS,
            "run {subject!r}: {rows:n {what}} {rows:repeats/repeat} an answer and {rows:is/are} left out; for "
            "{differ:n question} the {what}s differ, so the choice of {what} matters",
            run,
            rows=rows,
            differ=differ,
            what=what,
        )
    return note(
        "tables.repeated_rows",
        "run {subject!r}: {rows:n {what}} {rows:repeats/repeat} an answer and {rows:is/are} left out",
        run,
        rows=rows,
        what=what,
    )


def fewer_held(
    file: str,
    runs: Sequence[str],
    stated: int | None,
    held: int,
    beside: str = "",
    *,
    among: int = 0,
    tasks: Sequence[str] = (),
    rest: str = "",
) -> Note:
    """Return the note that a file holds only `held` of the `stated` answers of these runs; `beside` is added to it.

    `stated` is None if the number is unknown, as in a log without an end. `share` is the largest share that any of the
    runs may lack. `among` is the number of runs for which the number was stated, if it is not that of `runs`. `tasks`
    are those to which no answer is held, and `rest` is the outcome that an option gave to the answers not held.
    """
    return note(
        FEWER_HELD,
        "{subject}: the file holds {held:,} of {of} answers{beside}",
        file,
        held=held,
        rest=rest,
        of="an unknown number of" if stated is None else f"{stated:,}",
        beside=f"; the others count as {rest} ({opt('rest')})" if rest else beside,
        runs=tuple(runs),
        stated=stated,
        tasks=tuple(tasks),
        share=1.0 if not stated else min(1.0, (among or len(runs)) * (stated - held) / stated),
    )


def lacks_answers(remark: Note) -> bool:
    """Return whether a note is about answers that no file holds, and that may be worse than they count."""
    return remark.code == FEWER_HELD and remark["rest"] != "incorrect"
