"""Measure the accuracy and agreement of several people as judges, and settle their verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessors import (
    ADJUDICATION,
    FEWEST_ASSESSORS,
    FEWEST_ITEMS,
    Resolution,
    Said,
    called_in,
    of_one_answer,
    resolve_all,
    said_of,
    verdicts_of,
)
from nescio.data.notes import Note, note
from nescio.data.outcomes import ANSWERED, STATES, Label
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, opt
from nescio.sources.writing import csv_text, write_text
from nescio.stats.intervals import defined
from nescio.stats.raters import agreement_intervals, kappa_interval
from nescio.text import plural

WORDS = {state: word for word, state in STATES.items()} | {ANSWERED: "answered"}
COLUMNS = ("run", "question_id", "answer", "rank", "verdict", "votes", "of", "chance", "inclusion")


class Assessor(Struct, frozen=True):
    """An assessor, and how good this person's verdicts are.

    `answers` counts the answers that the assessor judged, and `with_others` those of them that others judged too.
    `agrees` is the mean share of others with the same verdict. `accuracy` is how often the assessor is right by Dawid
    and Skene's model, and `above_commonest` how much that exceeds always giving the commonest verdict. `accuracy` and
    `above_commonest` are None if there are too few verdicts.
    """

    assessor: Annotated[str, Shown()]
    answers: Annotated[int, Shown()]
    with_others: Annotated[int, Shown("over", after="agrees")]
    agrees: Annotated[float, Shown()]
    accuracy: Annotated[float | None, Shown()] = None
    above_commonest: Annotated[float | None, Shown()] = None


class Says(Row, frozen=True):
    """How often an assessor gives the verdict `says` to answers whose true category is `true`, by the model."""

    most_listed: ClassVar[int | None] = 0

    assessor: str
    true: str
    says: str
    share: float


class Coefficient(Struct, frozen=True):
    """A coefficient of agreement between assessors, with its interval over resampled questions.

    Kappa is between two assessors, and the other coefficients are between all of them.
    """

    assessors: Annotated[str, Shown()]
    measure: Annotated[str, Shown()]
    value: Annotated[float, Shown(interval=("low", "high"))]
    low: float | None
    high: float | None
    answers: Annotated[int, Shown()]
    questions: int


class Verdict(Row, frozen=True):
    """The one verdict on an answer that follows from the assessors' verdicts, None while it is in dispute.

    `votes` of the `of` assessors gave it, and `chance` is its probability by the model. `rank` is that of the answer,
    None if it is 1.
    """

    most_listed: ClassVar[int | None] = 0

    run: str | None
    question_id: str
    answer: str | None
    verdict: str | None
    votes: int
    of: int
    chance: float | None
    inclusion: float | None
    rank: int | None = None

    @classmethod
    def below(cls, rows: Sequence[Verdict]) -> Iterable[str]:
        """Return a sentence that counts the answers judged alike, settled by the rule, and in dispute."""
        alike = sum(row.votes == row.of for row in rows)
        disputed = sum(row.verdict is None for row in rows)
        settled = len(rows) - alike - disputed
        counts = f"{alike:,} judged alike, {settled:,} settled by the rule, {disputed:,} in dispute"
        return [f"{plural(len(rows), 'answer')}: {counts}"]


def assessors(
    labels: Sequence[Label],
    notes: Sequence[Note],
    rule: Resolution,
    *,
    ci: float = 95.0,
    resamples: int = 10_000,
    seed: int = 0,
) -> Results[Assessor]:
    """Return each assessor with the quality of the verdicts, and in `tables["verdicts"]` one verdict on each answer.

    `rule` turns several verdicts on an answer into one. Raises MismatchError if fewer than two assessors are named.
    """
    verdicts = verdicts_of(labels)
    judgements = said_of(verdicts)
    if len(judgements.assessors) < 2:
        raise MismatchError(
            "the table does not name two or more assessors: add a column such as annotator, or name one column of "
            f"verdicts for each assessor ({opt('verdict', 'ana+ben')})"
        )
    model = judgements.consensus() if judgements.enough else None
    counts = np.array([(judgements.table == k).sum(axis=1) for k in range(len(judgements.categories))]).T
    rows = [_assessor(judgements, counts, at, model) for at in range(len(judgements.assessors))]
    says = [] if model is None else [
        Says(who, WORDS[true], WORDS[word], float(model.confusion[a, j, k]))
        for a, who in enumerate(judgements.assessors)
        for j, true in enumerate(judgements.categories)
        for k, word in enumerate(judgements.categories)
    ]  # fmt: skip
    first = {of_one_answer(label): label for label in reversed(labels)}
    final = resolve_all(verdicts, rule)
    chance = {} if model is None else dict(zip(judgements.items, model.chances, strict=True))
    settled = tuple(
        _verdict(first[item], given, final[item], chance.get(item), judgements) for item, given in verdicts.items()
    )
    agree = _agreement(judgements, counts, ci / 100, resamples, seed)
    line = sign(
        assessors=len(judgements.assessors),
        answers=len(judgements.items),
        resolve=rule,
        ci=f"{ci:g}",
        resamples=resamples,
        seed=seed,
    )
    kept: dict[str, Any] = {"agreement": tuple(agree), "says": tuple(says), "verdicts": settled}
    notes = (*notes, *_empty(labels), *called_in(judgements), *_notes(judgements, settled, rule))
    return Results(tuple(rows), line, notes, "assessors", kept)


def decided_by(labels: Sequence[Label], name: str) -> list[Label]:
    """Return the labels, with the assessor `name` marked as the adjudicator, who decides disputes of the others.

    Raises UnknownNameError if nobody has that name.
    """
    names = list(dict.fromkeys(label.assessor for label in labels if label.assessor))
    if name not in names:
        raise UnknownNameError("assessor", name, names)
    return [replace(label, assessor=ADJUDICATION) if label.assessor == name else label for label in labels]


def write_verdicts(results: Results[Any], path: Path) -> int:
    """Write one verdict for each answer, as `--labels` and `--against` read it; return the number of verdicts.

    An answer in dispute has an empty verdict.
    """
    rows = [
        [row.run, row.question_id, row.answer, row.rank, row.verdict, row.votes, row.of, row.chance, row.inclusion]
        for row in results.tables["verdicts"]
    ]
    empty = {name for at, name in enumerate(COLUMNS) if name != "verdict" and all(row[at] is None for row in rows)}
    kept = [at for at, name in enumerate(COLUMNS) if name not in empty]
    cells = [["" if row[at] is None else row[at] for at in kept] for row in rows]
    write_text(path, csv_text([[COLUMNS[at] for at in kept], *cells]))
    return len(rows)


def _assessor(judgements: Said, counts: Any, at: int, model: Any) -> Assessor:
    codes = judgements.table[:, at]
    use = (codes >= 0) & (counts.sum(axis=1) > 1)
    same = (counts[use, codes[use]] - 1) / (counts[use].sum(axis=1) - 1)
    known = (None, None) if model is None else (float(model.accuracy[at]), defined(model.above_commonest[at]))
    agrees = float(same.mean()) if use.any() else math.nan
    return Assessor(judgements.assessors[at], int((codes >= 0).sum()), int(use.sum()), agrees, *known)


def _verdict(label: Label, given: dict[str, int], state: int | None, chances: Any, judgements: Said) -> Verdict:
    verdicts = [verdict for who, verdict in given.items() if who != ADJUDICATION]
    chance = (
        None
        if chances is None or state not in judgements.categories
        else float(chances[judgements.categories.index(state)])
    )
    word, votes = (None, 0) if state is None else (WORDS[state], verdicts.count(state))
    about = label.inclusion, None if label.rank == 1 else label.rank
    return Verdict(label.run, label.question, label.answer, word, votes, len(verdicts), chance, *about)


def _agreement(judgements: Said, counts: Any, level: float, resamples: int, seed: int) -> list[Coefficient]:
    """Return coefficients of agreement over answers that several assessors judged, and kappa of each two assessors."""
    together = counts.sum(axis=1) > 1
    if not together.any():
        return []
    if counts.shape[1] < 2:  # there is a single verdict throughout
        counts = np.column_stack([counts, np.zeros(len(counts), dtype=counts.dtype)])
    asked = [item[0] for item in judgements.items]
    names, units = np.unique(np.array(asked, dtype=object)[together].astype(str), return_inverse=True)
    figures = agreement_intervals(counts[together], level, resamples, seed, units=[int(unit) for unit in units])
    who, answers = ", ".join(judgements.assessors), int(together.sum())
    rows = [
        Coefficient(who, figure.name, figure.value, figure.low, figure.high, answers, len(names)) for figure in figures
    ]
    k = len(judgements.categories)
    for i, first in enumerate(judgements.assessors):
        for j in range(i + 1, len(judgements.assessors)):
            both = (judgements.table[:, i] >= 0) & (judgements.table[:, j] >= 0)
            if both.any():
                of_both, units = np.unique(np.array(asked, dtype=object)[both].astype(str), return_inverse=True)
                pairs = judgements.table[both][:, [i, j]]
                kappa = kappa_interval(pairs, k, units.tolist(), level=level, resamples=resamples, seed=seed)
                spread = kappa.value, kappa.low, kappa.high, int(both.sum()), len(of_both)
                rows.append(Coefficient(f"{first}, {judgements.assessors[j]}", kappa.name, *spread))
    return rows


def _empty(labels: Sequence[Label]) -> list[Note]:
    empty = sum(label.empty for label in labels)
    if not empty:
        return []
    return [note("assessors.empty", "{empty:n verdict} {empty:is/are} empty, and {empty:is/are} left out", empty=empty)]


def _notes(judgements: Said, settled: Sequence[Verdict], rule: Resolution) -> list[Note]:
    notes = []
    if not judgements.enough:
        notes.append(
            note(
                "assessors.few",
                "accuracies of assessors are not estimated, and votes replace dawid-skene: the model needs {items} "
                "answers that {assessors} or more people judged",
                items=FEWEST_ITEMS,
                assessors=FEWEST_ASSESSORS,
            )
        )
    else:
        notes.append(
            note(
                "assessors.model",
                "accuracies are estimated by Dawid and Skene's model, which assumes that assessors err "
                "independently. Two people who copy each other, or two models of one family, look better than they "
                "are. Accuracies have no interval, because with few answers none is reliable",
            )
        )
    open_ = sum(verdict.verdict is None for verdict in settled)
    if open_:
        notes.append(
            note(
                "assessors.open",
                "the rule {rule} leaves {open:n answer} of {answers:,} in dispute, without a verdict; to decide "
                "these, add verdicts of an assessor named 'adjudication'",
                open=open_,
                answers=len(settled),
                rule=rule,
            )
        )
    return notes
