"""Tabulate the verdicts of people and a judge on the same answers, and measure their agreement, run by run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.outcomes import ANSWERED, CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.data.shown import Row, Shown
from nescio.errors import opt, spelled
from nescio.stats import resampling
from nescio.stats.agreement import cohen_kappa, observed_agreement
from nescio.stats.intervals import percentile, wilson
from nescio.stats.streams import Stream

ALL = "all runs"
_CATEGORIES = {CORRECT: "correct", INCORRECT: "incorrect", SILENT: "unanswered", NOT_GRADED: "ungraded"}
PEOPLE, JUDGE = (CORRECT, INCORRECT, SILENT), tuple(_CATEGORIES)
NEW, THESE = "new questions", "these questions"  # the questions that an interval is for


class Agreement(Row, frozen=True):
    """The agreement of a judge and people on the `answers` that both graded, out of `labels` that people gave.

    `sensitivity` is the share of people's correct answers that the judge calls correct. `specificity` is the share of
    people's other answers that the judge does not call correct. In the table `declined` both shares are about answers
    that decline, in place of correct ones.
    """

    about: ClassVar[str] = "correct"

    run: Annotated[str, Shown()]
    labels: Annotated[int, Shown()]
    ungraded: Annotated[int, Shown()]
    answers: Annotated[int, Shown()]
    agreement: Annotated[float, Shown(interval=("low", "high"))]
    low: float
    high: float
    kappa: Annotated[float, Shown(interval=("kappa_low", "kappa_high"))]
    kappa_low: float
    kappa_high: float
    sensitivity: Annotated[float, Shown()]
    specificity: Annotated[float, Shown()]

    @classmethod
    def below(cls, rows: Sequence[Agreement]) -> Iterable[str]:  # noqa: ARG003
        """Return sentences that define sensitivity and specificity."""
        yield (
            f"Sensitivity: among answers that people call {cls.about}, the share that the judge calls {cls.about}. "
            f"Specificity: among the other answers, the share that the judge does not call {cls.about}."
        )


class Declining(Agreement, frozen=True):
    """The agreement of a judge and people on which answers decline, that is, abstain."""

    about = "declined"


class Confusion(Struct, frozen=True):
    """The number of answers that people put into the category `people` and the judge into the category `judge`.

    `share` is that number divided by the number of answers in people's category.
    """

    run: Annotated[str, Shown()]
    people: Annotated[str, Shown()]
    judge: Annotated[str, Shown()]
    count: Annotated[int, Shown()]
    share: Annotated[float, Shown(interval=("low", "high"))]
    low: float
    high: float


class Corrected(Row, frozen=True):
    """The accuracy of a run by one estimator, from people's `labels` on some of the `answers` that needed a verdict.

    `n` is the number of questions. `weight` is the tuned weight of prediction-powered inference, or sensitivity +
    specificity - 1 for Rogan-Gladen. `interval_for` tells whether the interval is for new questions of this kind, or
    for these questions only.
    """

    run: Annotated[str, Shown()]
    how: Annotated[str, Shown()]
    accuracy: Annotated[float, Shown(interval=("low", "high"))]
    low: float
    high: float
    labels: Annotated[int, Shown()]
    answers: Annotated[int, Shown()]
    n: Annotated[int, Shown()]
    weight: float | None = None
    interval_for: Annotated[str, Shown(default=NEW, after="accuracy")] = NEW

    @classmethod
    def below(cls, rows: Sequence[Corrected]) -> Iterable[str]:
        """Return a warning if some of the intervals must not be compared with others."""
        if len({row.interval_for for row in rows}) > 1:
            yield spelled(
                f"Do not compare the widths of intervals for {NEW} and for {THESE}. {opt('target', 'population')} "
                f"gives all intervals for {NEW}."
            )


def tables_of(judge: Array, people: Array, labelled: Array) -> NDArray[np.int64]:
    """Return tables of people's verdicts (rows) against the judge's (columns), one for each run and question.

    The shape is (runs, questions, 3, 4), with 1 in the cell of the two verdicts.
    """
    counts = np.zeros((*labelled.shape, len(PEOPLE), len(JUDGE)), dtype=np.int64)
    for i, verdict in enumerate(PEOPLE):
        for j, judged in enumerate(JUDGE):
            counts[..., i, j] = labelled & (people == verdict) & (judge == judged)
    return counts


def only_answered(people: Array) -> bool:
    """Return whether people's labels say only if the system answered, and not if the answer is right."""
    return bool((people == ANSWERED).any())


def declining_tables(judge: Array, people: Array, labelled: Array) -> NDArray[np.int64]:
    """Return tables of declining or answering by people (rows) and judge (columns), one for each run and question.

    The shape is (runs, questions, 2, 3), with 1 in the cell of the two verdicts. The judge's third column is ungraded.
    """
    counts = np.zeros((*labelled.shape, 2, 3), dtype=np.int64)
    right_or_wrong = (CORRECT, INCORRECT)
    theirs = people == SILENT, np.isin(people, (*right_or_wrong, ANSWERED))
    ours = judge == SILENT, np.isin(judge, right_or_wrong), judge == NOT_GRADED
    for i, row in enumerate(theirs):
        for j, column in enumerate(ours):
            counts[..., i, j] = labelled & row & column
    return counts


def by_run(runs: Sequence[str], tables: NDArray[np.int64]) -> list[tuple[str, NDArray[np.int64]]]:
    """Return each run's name with its tables; if there are several runs, all runs together come last."""
    groups = [(name, tables[r]) for r, name in enumerate(runs)]
    return [*groups, (ALL, tables.sum(axis=0))] if len(groups) > 1 else groups


def resampled(tables: NDArray[np.int64], blocks: Sequence[resampling.Block]) -> NDArray[np.int64]:
    """Return the table of verdicts, summed over all questions, for each resample of the questions with labels.

    The shape is (resamples, 3, 4).
    """
    flat = tables.reshape(len(tables), -1)
    kinds, counts = np.unique(flat[flat.any(axis=1)], axis=0, return_counts=True)
    drawn = [resampling.bootstrap(counts, block.size, block.generator(Stream.JUDGE_AGREEMENT)) for block in blocks]
    resampled_counts: NDArray[np.int64] = np.einsum("bk,kc->bc", np.concatenate(drawn), kinds)
    return resampled_counts.reshape(-1, *tables.shape[1:])


def agreement_of(name: str, table: Array, drawn: Array, level: float, kind: type[Agreement] = Agreement) -> Agreement:
    square, squares = table[:, :-1], drawn[..., :-1]
    n, alike = int(square.sum()), int(np.trace(square))
    value = float(observed_agreement(square))
    bounds = wilson(alike, n, level) if name != ALL else percentile(observed_agreement(squares), level)
    right, wrong = table[0].sum(), table[1:].sum()
    return kind(
        name,
        int(table.sum()),
        int(table[:, -1].sum()),
        n,
        value,
        *bounds,
        float(cohen_kappa(square)),
        *percentile(cohen_kappa(squares), level),
        share_of(table[0, 0], right),
        share_of(wrong - table[1:, 0].sum(), wrong),
    )


def confusion_of(name: str, table: Array, drawn: Array, level: float) -> list[Confusion]:
    rows = []
    with np.errstate(invalid="ignore"):
        shares = drawn / drawn.sum(axis=2, keepdims=True)
    for i, verdict in enumerate(PEOPLE):
        whole = int(table[i].sum())
        for j, judged in enumerate(JUDGE):
            if not whole or (not table[:, j].any() and judged in (SILENT, NOT_GRADED)):
                continue
            count = int(table[i, j])
            bounds = percentile(shares[:, i, j], level) if name == ALL else wilson(count, whole, level)
            rows.append(Confusion(name, _CATEGORIES[verdict], _CATEGORIES[judged], count, count / whole, *bounds))
    return rows


def share_of(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
