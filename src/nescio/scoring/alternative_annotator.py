"""Test whether a judge can replace each of several people, by the alternative annotator test."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from nescio.data.assessors import Said, called_in
from nescio.data.columns import Array
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT, Outcomes
from nescio.errors import MismatchError
from nescio.stats.alternative import FEWEST, alternative

CATEGORIES = (CORRECT, INCORRECT, SILENT)


class InPlaceOf(Struct, frozen=True):
    """The test whether the judge may replace one assessor.

    `judge_agrees` is the share of answers on which the judge agrees with the other assessors at least as well as this
    assessor does. `assessor_agrees` is the share on which this assessor agrees at least as well as the judge. `beaten`
    tells that the judge may replace this assessor.
    """

    assessor: str
    answers: int
    questions: int
    judge_agrees: float
    assessor_agrees: float
    difference: float
    p: float
    p_adjusted: float
    beaten: bool


class StandIn(Struct, frozen=True):
    """The verdict whether the judge may replace people: it must beat at least half of the assessors.

    In the test of each assessor the judge may be worse by less than `margin`. `advantage` is the share of answers on
    which the judge agrees with the others as well as a person does. Use it to compare judges.
    """

    margin: float
    assessors: int
    winning_rate: float
    passes: bool
    advantage: float


def in_place_of_people(
    judged: Outcomes, people: Mapping[str, Outcomes], sampled: Array, margin: float
) -> tuple[tuple[InPlaceOf, ...], StandIn, list[Note]]:
    """Return the test of each assessor, the verdict on the judge, and notes.

    The test asks whether the judge agrees with the other assessors as well as the tested assessor does. `people` holds
    the assessors' outcomes by name. Only answers that needed a verdict count (`sampled`): agreement about abstentions
    proves nothing. Answers to one question are averaged first. Raises MismatchError if no two assessors judged the same
    answers.
    """
    names = tuple(people)
    verdicts = np.array([_categories(people[name].state[sampled]) for name in names]).reshape(len(names), -1).T
    by_judge = _categories(judged.state[sampled])
    questions = np.broadcast_to(np.arange(judged.state.shape[1]), judged.state.shape)[sampled]
    shared = (verdicts >= 0).sum(axis=1) > 1
    if not (shared & (by_judge >= 0)).any():
        raise MismatchError(
            "the alternative annotator test needs answers that two or more named people judged: add a column such "
            "as annotator, or a column of verdicts for each person"
        )
    tested = alternative(verdicts, by_judge, margin, questions)
    rows = tuple(
        InPlaceOf(name, o.items, o.units, o.advantage, o.own, o.difference, o.p, o.adjusted, o.beaten)
        for name, o in zip(names, tested.people, strict=True)
        if o.units
    )
    stands = StandIn(margin, len(rows), tested.winning, tested.passes, tested.advantage)
    called = called_in(Said((), names, (), verdicts))
    return rows, stands, [*_notes(rows, stands, len(names) - len(rows)), *called]


def _categories(state: Array) -> Array:
    """Return the outcome of each answer as a number: one of three categories, or -1 for an answer without a verdict."""
    numbered: Array = np.where(np.isin(state, CATEGORIES), state, -1).astype(np.int64)
    return numbered


def _notes(rows: tuple[InPlaceOf, ...], stands: StandIn, alone: int) -> list[Note]:
    notes = [
        note(
            "alternative.verdict",
            "the judge {passes:may/may not} replace people: it agrees with the other people as well as {beaten} of "
            "{assessors} people do, with a margin of {margin:g} (so a judge that is somewhat worse than people can "
            "pass)",
            passes=stands.passes,
            beaten=sum(row.beaten for row in rows),
            assessors=len(rows),
            margin=stands.margin,
        )
    ]
    few = [row.assessor for row in rows if row.questions < FEWEST]
    if few:
        notes.append(
            note(
                "alternative.few",
                "fewer than {least} questions: treat the test as approximate for {who:list 3}",
                least=FEWEST,
                who=few,
            )
        )
    if len(rows) == 2:
        notes.append(note("alternative.two", "there are only two assessors; use three or more"))
    if alone:
        notes.append(
            note(
                "alternative.alone",
                "{alone:n assessor} {alone:shares/share} no judged answer with another assessor, and {alone:is/are} "
                "left out",
                alone=alone,
            )
        )
    return notes
