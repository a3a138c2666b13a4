"""Of which answers a judge is kinder than people: long ones, those in a position, those of its own model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.corrections import adjust
from nescio.data.columns import Array, user
from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.pipeline import Loaded
from nescio.scoring.labels import Labels
from nescio.stats.contrasts import FEWEST, Mask, contrast

if TYPE_CHECKING:
    from nescio.comparison.judge_shift import Labelled

_TRAITS = ("length", "position", "own model")
_MOST_VALUES = 12  # of a column, so that each is a group


class Preference(Struct, frozen=True):
    """The judge's bias on a group of answers against another: `bias` and `other`, their difference with its interval,
    the p-value of no difference, and the same adjusted after Holm for all groups that were checked."""

    trait: str
    group: str
    against: str
    bias: float
    other: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    labels: int
    other_labels: int


class _Group(Struct, frozen=True, eq=False):
    """A group of answers and those that it is held against; answers in neither have no value of the trait."""

    trait: str
    name: str
    against: str
    first: Mask
    second: Mask


def preferences(
    loaded: Loaded, laid: Labels, cells: Labelled, *, by: Sequence[str], own: Sequence[str], level: float
) -> tuple[list[Preference], list[Note]]:
    """Return the judge's bias by the length of answers, by position, by its own model and by the columns `by`, over all
    runs together; and a note that names what could not be checked. Raises MismatchError for a column that is not
    constant within each question."""
    groups = [*_by_length(loaded, laid, cells), *_by_columns(laid, cells, by), *_by_model(loaded, laid, cells, own)]
    values, _ = cells.error("bias")
    found, few = list[Preference](), list[str]()
    for group in groups:
        made = contrast(values, cells.unit, group.first, group.second)
        if min(made.sizes) < FEWEST:
            few.append(f"{group.trait} ({group.name})")
            continue
        means = made.first, made.second, made.difference
        names = group.trait, group.name, group.against
        found.append(Preference(*names, *means, *made.interval(level), made.p_value(), math.nan, *made.sizes))
    adjusted = adjust([row.p for row in found], "holm")
    found = [replace(row, p_adjusted=p) for row, p in zip(found, adjusted, strict=True) if p is not None]
    return found, _unchecked([trait for trait in _TRAITS if trait not in {group.trait for group in groups}], few)


def _unchecked(lacking: list[str], few: list[str]) -> list[Note]:
    """Note what was not checked."""
    notes = []
    if lacking:
        notes.append(
            note(
                "shift.unchecked",
                "the bias was not checked by {traits:list}: the files have no two groups of answers by it",
                traits=lacking,
            )
        )
    if few:
        notes.append(
            note(
                "shift.few",
                "the bias was not checked on {groups:list ;}: a group needs {fewest} labels, and so do the others",
                groups=few,
                fewest=FEWEST,
            )
        )
    return notes


def _by_length(loaded: Loaded, laid: Labels, cells: Labelled) -> Iterator[_Group]:
    """Yield the longer half of the labelled answers against the shorter one: those above the median."""
    length = _lengths(loaded, laid)[cells.run, cells.question]
    known = ~np.isnan(length)
    if not known.any():
        return
    middle = float(np.median(length[known]))
    longer = known & (length > middle)
    if not longer.any():
        return
    yield _Group("length", f"longer than {middle:g}", f"at most {middle:g}", longer, known & ~longer)


def _lengths(loaded: Loaded, laid: Labels) -> Array:
    """Return the length of each answer: the column `length`, or the characters of the answer itself; else NaN."""
    data = laid.data
    if user("length") in data.columns:
        return np.asarray(data.columns[user("length")], dtype=np.float64)
    lengths = np.full(data.present.shape, np.nan)
    run_at, question_at = ({name: i for i, name in enumerate(names)} for names in (data.runs, data.questions))
    for run, question, answer in _answers(loaded):
        if run in run_at and question in question_at and answer:
            lengths[run_at[run], question_at[question]] = len(answer)
    return lengths


def _answers(loaded: Loaded) -> Iterator[tuple[str, str, str | None]]:
    """Yield the words of each answer, where they were read, with its run and question."""
    if loaded.in_words is not None and loaded.in_words.texts is not None:
        for run, texts in zip(loaded.in_words.runs, loaded.in_words.texts, strict=True):
            for question, text in zip(loaded.in_words.questions, texts, strict=True):
                yield run, question, None if text is None else text.answer
    elif loaded.texts is not None:
        for one in loaded.texts.runs:
            for response in one.responses:
                if response.rank == 1:
                    yield one.name, response.question_id, response.answer


def _by_columns(laid: Labels, cells: Labelled, by: Sequence[str]) -> Iterator[_Group]:
    """Yield each value of a column against all others; of two values the second against the first."""
    data = laid.data
    for name in dict.fromkeys(("position", *by)):
        if name == "position" and user(name) in data.columns:
            numbers = np.asarray(data.columns[user(name)], dtype=np.float64)[cells.run, cells.question]
            column = np.array(["" if math.isnan(number) else f"{number:g}" for number in numbers], dtype=object)
        elif name in data.strata:
            column = np.array([str(value) for value in data.strata[name]], dtype=object)[cells.question]
        elif name in by:
            have = ", ".join(data.strata) or "none"
            raise MismatchError(
                f"there is no column {name!r} that is constant within each question; such columns: {have}"
            )
        else:
            continue
        values = sorted({*column.tolist()} - {""})
        if name not in by and len(values) > _MOST_VALUES:
            continue
        for value in values[1:] if len(values) == 2 else values if len(values) > 2 else ():
            of = column == value
            others = values[0] if len(values) == 2 else "all others"
            yield _Group(name, value, others, of, ~of & (column != ""))


def _by_model(loaded: Loaded, laid: Labels, cells: Labelled, own: Sequence[str]) -> Iterator[_Group]:
    """Yield the runs of the judge's own model against all others: those named so, or whose name is the judge's."""
    judges = {_plain(word) for judge in loaded.judges for word in (judge.model, judge.name) if word}
    names = list(own) or [run for run in laid.data.runs if _plain(run) in judges]
    if not names or len(names) == len(laid.data.runs):
        return
    of: Any = np.isin(cells.run, [laid.data.runs.index(name) for name in names])
    yield _Group("own model", " + ".join(names), "all other runs", of, ~of)


def _plain(name: str) -> str:
    """Return the letters and digits of a model's name, without who provides it."""
    return "".join(c for c in name.rpartition("/")[2].casefold() if c.isalnum())
