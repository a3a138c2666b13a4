"""Define notes, which state as facts what was left out, guessed or changed. Their text is made when they are shown.

    said = "run {subject!r}: {missing:,} of {total:n question} {missing:is/are} missing"
    note("outcomes.missing", said, run, missing=1, total=70)

A template is one of `str.format` with more forms of a value:

    {n:n question}       "1 question" or "2,000 questions"
    {n:is/are}           the one word for 1 (and True), the other for any other number
    {names:list}         "a, b, c"; `list 2` names the first two "and 1 more"; `list ;` has semicolons between them
    {names:and 3}        "a, b and c", or the first three "and 4 more"
    {pairs:each %d %s}   "3 empty, 2 refused": of a sequence of tuples, each by a pattern

A value may be a note too, or a sequence of them. Programs use the code and the values of a note, and never read its
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import spelled
from nescio.text import enumerated, listed, plural

FEW = 3  # the most runs or benchmarks that a note names


class Note(Struct, frozen=True):
    """A fact that the reader of a result should know: its code, its subject, and the values in its text.

    `measures` names the measures that the note concerns, `whose` the runs whose figures it concerns, and `benchmarks`
    the benchmarks of a suite. Without `benchmarks`, the note concerns all benchmarks, or there is no suite.
    """

    code: str
    template: str
    subject: str = ""
    values: tuple[tuple[str, Any], ...] = ()
    measures: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    @property
    def text(self) -> str:
        """Return the text of the note with its benchmarks, but without its measures."""
        return self._about("")

    def __str__(self) -> str:
        about = f"{', '.join(self.measures)}: " if self.measures else ""
        names = f" ({listed(self.whose, FEW)})" if any(self.whose) else ""
        return f"{self._about(about)}{names}"

    def _about(self, about: str) -> str:
        where = f"{enumerated(self.benchmarks, FEW)}: " if self.benchmarks else ""
        values = {"subject": self.subject, **dict(self.values)}
        return f"{where}{about}{spelled(_FORMATTER.vformat(self.template, (), values))}"


def note(code: str, template: str, /, subject: str = "", **values: Any) -> Note:
    """Return a note with this code, template and subject, and with `values` for the template. Lists become tuples."""
    kept = ((name, tuple(value) if isinstance(value, list) else value) for name, value in values.items())
    return Note(code, template, subject, tuple(kept))


def renamed(remark: Note, names: Mapping[str, str]) -> Note:
    """Return a note with other names of runs; `names` maps old names to new ones."""
    values = tuple((name, _renamed(value, names)) for name, value in remark.values)
    whose = tuple(names.get(run, run) for run in remark.whose)
    return replace(remark, subject=names.get(remark.subject, remark.subject), values=values, whose=whose)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value of a note with its names of runs replaced; `names` maps old names to new ones.

    The value may be a name, a quoted name, a tuple with names in it, or a note.
    """
    if isinstance(value, Note):
        return renamed(value, names)
    if isinstance(value, tuple):
        return tuple(_renamed(part, names) for part in value)
    if not isinstance(value, str):
        return value
    quoted = {repr(old): repr(new) for old, new in names.items()}
    return names.get(value, quoted.get(value, value))


def gather(remarks: Sequence[tuple[Note, str, str]]) -> list[Note]:
    """Return each note once, together with all measures and runs that have it; `remarks` are tuples (note, measure,
    run)."""
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


def texts(notes: Iterable[Note]) -> list[str]:
    """Return the texts of the notes, each once, in their order."""
    return list(dict.fromkeys(map(str, notes)))


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        form, _, rest = format_spec.partition(" ")
        if form == "n":
            return plural(value, rest)
        if form == "list":
            return "; ".join(map(str, value)) if rest == ";" else listed(value, int(rest) if rest else len(value))
        if form == "and":
            return enumerated(list(map(str, value)), int(rest))
        if form == "each":
            return ", ".join(rest % item for item in value)
        if "/" in format_spec:
            singular, _, several = format_spec.partition("/")
            return singular if value == 1 else several
        text: str = super().format_field(value, format_spec)
        return text

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002
        return kwargs[str(key)]


_FORMATTER = _Formatter()
