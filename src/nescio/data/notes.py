"""Notes: what was left out, guessed or touched on the way, as facts. Their text is made when they are shown.

    note("outcomes.missing", "run {subject!r}: {missing:,} of {total:n question} {missing:is/are} missing", run, missing=1, total=70)

A template is one of `str.format` in which a count has three more forms: `{n:n question}` is "1 question" or "2,000 questions",
`{n:is/are}` one word or the other, and `{names:list 3}` the first three of a sequence "and 4 more". Programs ask for the code
and the values of a note, and never read its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

from nescio.text import plural

FEW = 3  # runs that a note names


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that the reader of a result should know: its code, whom it is about, and the values that its text shows.

    `measures` and `whose` say of which measures, and of whose figures, a remark is made.
    """

    code: str
    template: str
    subject: str = ""
    values: tuple[tuple[str, Any], ...] = ()
    measures: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    @property
    def text(self) -> str:
        """What it says, without whose measure it is said of."""
        return _FORMATTER.vformat(self.template, (), {"subject": self.subject, **dict(self.values)})

    def __str__(self) -> str:
        about = f"{', '.join(self.measures)}: " if self.measures else ""
        names = f" ({listed(self.whose, FEW)})" if self.whose else ""
        return f"{about}{self.text}{names}"


def note(code: str, template: str, /, subject: str = "", **values: Any) -> Note:
    """Make a note; lists among the values become tuples."""
    kept = ((name, tuple(value) if isinstance(value, list) else value) for name, value in values.items())
    return Note(code, template, subject, tuple(kept))


def gather(remarks: Sequence[tuple[Note, str, str]]) -> list[Note]:
    """Make one note of what is said alike of several measures and runs, each given as (remark, measure, whose)."""
    whose: dict[Note, dict[str, dict[str, None]]] = {}
    for remark, measure, name in remarks:
        whose.setdefault(remark, {}).setdefault(measure, {})[name] = None
    notes = []
    for remark, by_measure in whose.items():
        together: dict[tuple[str, ...], list[str]] = {}
        for measure, names in by_measure.items():
            together.setdefault(tuple(names), []).append(measure)
        notes += [replace(remark, measures=tuple(measures), whose=names) for names, measures in together.items()]
    return notes


def listed(names: Sequence[object], most: int) -> str:
    """Name the first few, and count the others: "a, b, c and 4 more"."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(map(str, names[:most]))}{more}"


def texts(notes: Iterable[Note]) -> list[str]:
    """What the notes say, each once, in their order."""
    return list(dict.fromkeys(map(str, notes)))


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("n "):
            return plural(value, format_spec[2:])
        if format_spec.startswith("list "):
            return listed(value, int(format_spec[5:]))
        if "/" in format_spec:
            one, several = format_spec.split("/")
            return one if value == 1 else several
        text: str = super().format_field(value, format_spec)
        return text

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002
        return kwargs[str(key)]


_FORMATTER = _Formatter()
