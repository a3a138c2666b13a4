"""Measure whether a judge favours some answers over others: by their length, position, or the judge's own model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.comparison.corrections import adjust
from nescio.data.columns import user
from nescio.data.notes import Note, note
from nescio.data.plain_tables import signed_figure
from nescio.data.shown import Shown
from nescio.errors import MismatchError
from nescio.pipeline import Loaded
from nescio.scoring.labels import Labels
from nescio.stats.contrasts import FEWEST, contrast

_TRAITS = ("length", "position", "own model")
_MOST_VALUES = 12  # most values of a column that nobody named; each value is a group


class Preference(Struct, frozen=True):
    """The judge's bias on a group of answers, such as long ones, compared with its bias on another group.

    `bias` and `other` are the bias on each group. `p` is the p-value of the hypothesis that they are equal.
    `p_adjusted` is adjusted after Holm over all groups that were checked.
    """

    trait: Annotated[str, Shown("by")]
    group: Annotated[str, Shown("answers")]
    against: Annotated[str, Shown()]
    bias: float
    other: float
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float
    high: float
    p: Annotated[float, Shown(form="p")]
    p_adjusted: Annotated[float, Shown("p (Holm)", form="p")]
    labels: int
    other_labels: int

    @property
    def biases(self) -> Annotated[str, Shown("bias", numeric=True, after="against")]:
        """Return the judge's bias on the group and on the other group."""
        return f"{signed_figure(self.bias)}, {signed_figure(self.other)}"

    @property
    def both_labels(self) -> Annotated[str, Shown("labels", numeric=True)]:
        """Return the number of labels in the group and in the other group."""
        return f"{self.labels:,} and {self.other_labels:,}"


def preferences(
    loaded: Loaded, laid: Labels, bias: Any, unit: Any, *, by: Sequence[str], own: Sequence[str], level: float
) -> tuple[list[Preference], list[Note]]:
    """Return the judge's bias by several traits over all runs together, and notes on traits that could not be checked.

    The traits of an answer are its length, its position, whether the judge's own model wrote it, and the columns in
    `by`. `own` names the runs of that model. `bias` holds the judge's error on each labelled answer, and `unit` the
    question or cluster of the answer. Raises MismatchError for a column that is not constant within each question.
    """
    cells = np.nonzero(laid.labelled)
    traits = {"length": _by_length(loaded, laid)[cells], "own model": _by_model(loaded, laid, own)[cells[0]]}
    traits |= {name: _by_column(laid, name, named=name in by)[cells] for name in dict.fromkeys(("position", *by))}
    rows, few, checked = list[Preference](), list[str](), set[str]()
    for trait, groups in traits.items():
        names = sorted({*groups.tolist()} - {""})
        two = len(names) == 2
        for name in names[1:] if two else names if len(names) > 2 else ():
            checked.add(trait)
            of = groups == name
            made = contrast(bias, unit, of, ~of & (groups != ""))
            if min(made.sizes) < FEWEST:
                few.append(f"{trait} ({name})")
                continue
            figures = (made.first, made.second, made.difference, *made.interval(level), made.p_value(), math.nan)
            rows.append(Preference(trait, name, names[0] if two else "all others", *figures, *made.sizes))
    adjusted = adjust([row.p for row in rows], "holm")
    rows = [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True) if p is not None]
    return rows, _unchecked([trait for trait in (*_TRAITS, *by) if trait not in checked], few)


def _unchecked(lacking: list[str], few: list[str]) -> list[Note]:
    """Return notes on traits that were not checked.

    All answers fall into one group by the traits in `lacking`; the groups in `few` have too few labels.
    """
    notes = []
    if lacking:
        notes.append(
            note(
                "shift.unchecked",
                "the bias was not checked by {traits:list}: all answers fall into one group",
                traits=lacking,
            )
        )
    if few:
        notes.append(
            note(
                "shift.few",
                "the bias was not checked on {groups:list}: the group and the rest of the answers need at least "
                "{fewest} labels each",
                groups=few,
                fewest=FEWEST,
            )
        )
    return notes


def _by_length(loaded: Loaded, laid: Labels) -> Any:
    """Return for each answer a text such as "longer than 80" or "at most 80", where 80 is the median length.

    The median is that of the labelled answers. The length is the column `length`, or else the number of characters of
    the answer. The text is "" for an answer without a known length.
    """
    data = laid.data
    length = np.full(data.present.shape, np.nan)
    if user("length") in data.columns:
        length = np.asarray(data.columns[user("length")], dtype=np.float64)
    run_at, question_at = ({name: i for i, name in enumerate(names)} for names in (data.runs, data.questions))
    for run, question, answer in _answers(loaded) if np.isnan(length).all() else ():
        if run in run_at and question in question_at and answer:
            length[run_at[run], question_at[question]] = len(answer)
    known = length[laid.labelled & ~np.isnan(length)]
    middle = float(np.median(known)) if len(known) else math.nan
    groups = np.where(length > middle, f"longer than {middle:g}", f"at most {middle:g}").astype(object)
    return np.where(np.isnan(length), "", groups)


def _answers(loaded: Loaded) -> Iterator[tuple[str, str, str | None]]:
    """Yield the text of each answer with its run and question, if texts were read."""
    if loaded.in_words is not None and loaded.in_words.texts is not None:
        for run, texts in zip(loaded.in_words.runs, loaded.in_words.texts, strict=True):
            for question, text in zip(loaded.in_words.questions, texts, strict=True):
                yield run, question, None if text is None else text.answer
    elif loaded.texts is not None:
        for run_texts in loaded.texts.runs:
            yield from (
                (run_texts.name, response.question_id, response.answer)
                for response in run_texts.responses
                if response.rank == 1
            )


def _by_column(laid: Labels, name: str, *, named: bool) -> Any:
    """Return the value of the column `name` for each answer, as text.

    For a column that the user named (`named`), MismatchError is raised if it is lacking or not constant within each
    question. For any other column, all texts are "" if it is lacking or has more than `_MOST_VALUES` values.
    """
    data = laid.data
    if name == "position" and user(name) in data.columns:
        numbers = np.asarray(data.columns[user(name)], dtype=np.float64)
        values = np.array([[f"{x:g}" if x == x else "" for x in row] for row in numbers.tolist()], dtype=object)  # noqa: PLR0124
    elif name in data.strata:
        values = np.broadcast_to(np.array([str(x) for x in data.strata[name]], dtype=object), data.present.shape)
    elif named:
        have = ", ".join(data.strata) or "none"
        raise MismatchError(f"there is no column {name!r} with one value for each question; such columns: {have}")
    else:
        values = np.full(data.present.shape, "", dtype=object)
    return values if named or len({*values[laid.labelled].tolist()}) <= _MOST_VALUES else np.full_like(values, "")


def _by_model(loaded: Loaded, laid: Labels, own_models: Sequence[str]) -> Any:
    """Return a text for each run that tells whether the run is the judge's own model.

    A run is the judge's own model if `own_models` names it or, without `own_models`, if it has the judge's name. All
    texts are "" if no run is the judge's own model.
    """
    judges = {_plain(word) for judge in loaded.judges for word in (judge.model, judge.name) if word}
    runs = laid.data.runs
    names = list(own_models) or [run for run in runs if _plain(run) in judges]
    group = "own: " + " + ".join(names)
    return np.array([group if run in names else "not its own" if names else "" for run in runs], dtype=object)


def _plain(name: str) -> str:
    """Return the letters and digits of a model's name, without its provider."""
    return "".join(c for c in name.rpartition("/")[2].casefold() if c.isalnum())
