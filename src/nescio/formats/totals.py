"""Compare a figure in a file with the figure that its answers give.

A reader lists the figures of its files (`Total`), and `contradictions` compares them. A difference is only a note if
the reading is certain: the keys of a tool prove what its answers are, or the user stated it. For other tables nescio
asks for the missing information (`tables/table_reader.py`).
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.dropped import ANOTHER_FIGURE, fewer_held
from nescio.data.notes import Note, note

ROUNDING = 1e-6  # the tolerance for figures that are written in full


class Total(Struct, frozen=True):
    """A figure that a file states, and the values that nescio computes for it from the file's answers.

    `name` is the name or the path of the figure in `file`. `own` is its value, or None if the file states only the
    number of answers that the figure covers (`covered`). `ours` has nescio's values: several, the likeliest first, if
    `name` leaves open what the figure counts, such as abstentions in or out of the denominator. `held` is the number of
    answers in the file. `rounding` is the tolerance for the digits with which the figure is written. `runs` names the
    runs that the figure is about. `deciding` tells that a tool's log states the figure by which it counts right
    answers, and `metric` names the score of which it is the mean, if answers have several scores. `part` is
    "right", "wrong", "abstained", "answered" or "all" if the name of a figure says which answers it counts.
    """

    file: str
    name: str
    own: float | None
    ours: Sequence[float] = ()
    covered: int | None = None
    held: int = 0
    rounding: float = ROUNDING
    runs: tuple[str, ...] = ()
    deciding: bool = False
    metric: str = ""
    part: str = ""

    @property
    def agrees(self) -> bool:
        """Return whether the stated figure agrees with the answers; true also if the two cannot be compared."""
        if self.covered is not None and self.covered != self.held:
            return False
        figure = self.own
        if figure is None or not self.ours:
            return True
        near = (
            math.isclose(figure, value, abs_tol=self.rounding) or (math.isnan(figure) and math.isnan(value))
            for value in self.ours
        )
        return any(near)


def contradictions(totals: Iterable[Total]) -> Iterator[Note]:
    """Yield a note for each figure that differs from the answers, or that the file states for another number of
    answers."""
    for total in totals:
        if total.agrees:
            continue
        if total.covered is None or total.covered == total.held:
            yield note(
                ANOTHER_FIGURE,
                "{subject}: the file states {figure} {own:g}, but its answers give {ours:g}",
                total.file,
                figure=total.name,
                own=total.own,
                ours=total.ours[0],
                runs=tuple(filter(None, total.runs)),
                deciding=total.deciding,
                metric=total.metric,
            )
        else:
            figure = total.own is not None and total.own != total.covered
            beside = f"; {total.name} is {total.own:g} over all {total.covered}" if figure else ""
            if total.covered > total.held:
                yield fewer_held(total.file, total.runs, total.covered, total.held, beside)
                continue
            yield note(
                "totals.more_answers",
                "{subject}: the stated figures cover {covered} answers, but the file holds {held}{beside}",
                total.file,
                held=total.held,
                covered=total.covered,
                beside=beside,
            )


def decided_by(metrics: Container[str], notes: Iterable[Note]) -> list[Note]:
    """Return the notes, where a figure of a metric that is not among `metrics` no longer counts as deciding."""
    return [
        replace(remark, values=tuple({**dict(remark.values), "deciding": False}.items()))
        if remark.code == ANOTHER_FIGURE and remark["metric"] and remark["metric"] not in metrics
        else remark
        for remark in notes
    ]
