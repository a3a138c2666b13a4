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
    of answers. `every` has the names of all tasks in the file. A group or a subset of a held task is not lost: one name
    begins with the other. A name without shots may have any. A held task that the file does not name may be any of its
    tasks.
    """
    unnamed = [name for name in {*held} if not _among(name, {*every, *stated})]
    lost = [task for task in stated if not _among(task, held)]
    if len(lost) <= len(unnamed):
        return []
    numbers = [stated[task] for task in lost]
    known_numbers = [number for number in numbers if number is not None]
    answers = sum(known_numbers) if len(known_numbers) == len(numbers) else None
    shown = [sanitize(task, target="message") for task in lost]
    return [fewer_held(file, [run], answers, 0, f" to {enumerated(shown, FEW)}", tasks=shown)]


def same_task(one: str, other: str) -> bool:
    """Return whether two names may be those of one task, as lighteval writes them: "lighteval|gsm8k|5|0", "gsm8k|5".

    Either may lack the suite before the task, or parts about few-shot examples after it.
    """
    names = [f"|{_SHOTS.sub('', name)}" for name in (one, other)]
    return _shots_agree(one, other) and (names[0].endswith(names[1]) or names[1].endswith(names[0]))


def _shots_agree(task: str, other: str) -> bool:
    stated = [f"{name[len(_SHOTS.sub('', name)) :]}|" for name in (task, other)]
    return _begins(*stated)


def _among(name: str, others: Collection[str]) -> bool:
    begun = (other for other in others if _begins(f"{_plain(name)}_", f"{_plain(other)}_"))
    return any(_shots_agree(name, other) for other in begun) or any(same_task(name, other) for other in others)


def _plain(task: str) -> str:
    return _BETWEEN.sub("_", _SHOTS.sub("", task).casefold()).strip("_")


def _begins(name: str, other: str) -> bool:
    return name.startswith(other) or other.startswith(name)
