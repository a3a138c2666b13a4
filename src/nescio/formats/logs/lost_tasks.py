"""Find the lost tasks of a log: it states figures of these tasks, but holds no answers to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from nescio.data.dropped import fewer_held
from nescio.data.notes import FEW, Note
from nescio.text import enumerated, sanitize

_SHOTS = re.compile(r"(?:\|\d+)+$")  # the parts of a name of lighteval about few-shot examples
_BETWEEN = re.compile(r"[\W_]+")


def lost_tasks(
    file: str, run: str, stated: Mapping[str, int | None], held: Collection[str], every: Collection[str] = ()
) -> list[Note]:
    """Return a note on the lost tasks of a run; empty if there are none.

    `stated` are the tasks for which the `file` states the figure that decides for the tasks `held`, with their numbers
    of answers. `every` has the names of all tasks in the file. Names are compared without their shots. A
    group or a subset of a held task is not lost: one name begins with the other. A held task that the file does not
    name may be any of its tasks.
    """
    names = {_plain(name) for name in held}
    known = {_plain(name) for name in (*every, *stated)}
    unnamed = [name for name in names if not _among(name, known)]
    lost = [task for task in stated if not _among(_plain(task), names)]
    if len(lost) <= len(unnamed):
        return []
    numbers = [stated[task] for task in lost]
    known_numbers = [number for number in numbers if number is not None]
    answers = sum(known_numbers) if len(known_numbers) == len(numbers) else None
    shown = [sanitize(task, target="message") for task in lost]
    return [fewer_held(file, [run], answers, 0, f" to {enumerated(shown, FEW)}", tasks=shown)]


def _plain(task: str) -> str:
    return _BETWEEN.sub("_", _SHOTS.sub("", task).casefold()).strip("_")


def _among(name: str, others: Collection[str]) -> bool:
    return any(f"{one}_".startswith(f"{name}_") or f"{name}_".startswith(f"{one}_") for one in others)
