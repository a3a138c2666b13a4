"""Combine several people's verdicts on an answer into one verdict by a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, Label
from nescio.errors import UsageError, opt
from nescio.stats.dawid_skene import Consensus, dawid_skene
from nescio.stats.raters import called_to_disputes
from nescio.text import answer_key

Resolution = Literal["adjudicated", "majority", "refused", "dawid-skene"]
ADJUDICATION = "adjudication"  # the assessor who decides disputes
FEWEST_ASSESSORS = 3  # With two assessors, nobody can tell who errs.
FEWEST_ITEMS = 60  # With fewer items, votes are as good in the study (docs/evidence/assessors.md).

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class Said(Struct, frozen=True, eq=False):
    """The verdicts of several assessors on items, such as answers.

    `table` has shape (items, assessors). A value is the index of the verdict in `categories`, or -1 if the assessor did
    not judge the item.
    """

    items: tuple[Any, ...]
    assessors: tuple[str, ...]
    categories: tuple[Any, ...]
    table: np.ndarray[Any, np.dtype[np.int64]]

    @property
    def enough(self) -> bool:
        """Return whether at least 60 items have three or more assessors, so that Dawid and Skene's model beats a
        majority vote."""
        judged = (self.table >= 0).sum(axis=1)
        return int((judged >= FEWEST_ASSESSORS).sum()) >= FEWEST_ITEMS

    def consensus(self) -> Consensus:
        """Return the estimates that Dawid and Skene's model makes from these verdicts."""
        return dawid_skene(self.table, len(self.categories))


def said_of(verdicts: Mapping[K, Mapping[str, V]]) -> Said:
    """Return the verdicts of all assessors except the adjudicator in a `Said`."""
    without_adjudicator = {
        item: {who: v for who, v in given.items() if who != ADJUDICATION} for item, given in verdicts.items()
    }
    assessors = tuple(sorted({who for given in without_adjudicator.values() for who in given}))
    categories = tuple(sorted({v for given in without_adjudicator.values() for v in given.values()}, key=str))
    column = {who: at for at, who in enumerate(assessors)}
    number = {category: at for at, category in enumerate(categories)}
    table = np.full((len(without_adjudicator), len(assessors)), -1, dtype=np.int64)
    for row, given in enumerate(without_adjudicator.values()):
        for who, verdict in given.items():
            table[row, column[who]] = number[verdict]
    return Said(tuple(without_adjudicator), assessors, categories, table)


def called_in(said: Said) -> list[Note]:
    """Return notes on assessors who judged mainly items on which the others disagree.

    Such an assessor may be the one who decides disputes. Agreement with this assessor is low by construction, and
    changes the agreement of all.
    """
    return [
        note(
            "assessors.called_in",
            "on {disputed:,} of the {answers:,} answers that {who!r} judged with others, the others disagree. So "
            "{who!r} may be the person who decides disputes, which distorts agreement and accuracies. If so, give "
            "{option} to `nescio lab assessors`, or write 'adjudication' as the name in the file",
            who=said.assessors[at],
            answers=answers,
            disputed=disputed,
            option=opt("adjudicator", said.assessors[at]),
        )
        for at, answers, disputed in called_to_disputes(said.table)
    ]


def resolve(verdicts: Mapping[str, V], rule: Resolution, likeliest: V | None = None) -> V | None:
    """Return one verdict on an item from the verdicts of its assessors, or None if the rule leaves it in dispute.

    If all assessors agree, their verdict is taken. Otherwise `majority` takes the verdict of more than half of them,
    and `dawid-skene` takes `likeliest`, or the majority's verdict if `likeliest` is None. If neither gives a verdict,
    or if only one assessor is left because others withdrew their verdicts, the adjudicator's verdict is taken. The rule
    `refused` leaves every disagreement in dispute.
    """
    given = [verdict for who, verdict in verdicts.items() if who != ADJUDICATION]
    alone = len(given) == 1 and ADJUDICATION in verdicts and rule != "refused"
    if len({*given}) == 1 and not alone:
        return given[0]
    if rule == "refused":
        return None
    if alone:
        return verdicts[ADJUDICATION]
    if rule == "dawid-skene" and likeliest is not None:
        return likeliest
    if rule in ("majority", "dawid-skene") and given:
        ((most, times),) = Counter(given).most_common(1)
        if 2 * times > len(given):
            return most
    return verdicts.get(ADJUDICATION)


def resolve_all(verdicts: Mapping[K, Mapping[str, V]], rule: Resolution) -> dict[K, V | None]:
    """Return the verdict on each item, keyed by item; None if the item is in dispute.

    `dawid-skene` weights assessors by their verdicts on all items. It falls back to `majority` if fewer than 60 items
    have three or more assessors. It also does so for an item with two equally likely verdicts.
    """
    likeliest: dict[K, V] = {}
    if rule == "dawid-skene" and verdicts:
        votes = said_of(verdicts)
        if votes.enough:
            labels = votes.consensus().label
            likeliest = {
                item: votes.categories[label] for item, label in zip(votes.items, labels, strict=True) if label >= 0
            }
    return {item: resolve(given, rule, likeliest.get(item)) for item, given in verdicts.items()}


def of_one_answer(label: Label) -> tuple[str, str | None, str | None, int]:
    """Return a key that all labels of one answer share: the question, and run and rank, or else the answer's text."""
    if label.run is not None or label.answer is None:
        return label.question, label.run, None, label.rank
    return label.question, None, answer_key(label.answer), 1


def verdicts_of(labels: Sequence[Label]) -> dict[Any, dict[str, int]]:
    """Return each assessor's verdict, keyed by answer and then by assessor.

    Raises UsageError if an assessor gave one answer two different verdicts.
    """
    by_answer: dict[Any, dict[str, int]] = {}
    for label in labels:
        if label.state == NOT_GRADED or label.assessor is None:
            continue
        before = by_answer.setdefault(of_one_answer(label), {}).setdefault(label.assessor, label.state)
        if before != label.state:
            raise UsageError(
                f"{label.place}: {label.assessor!r} gives two different verdicts on the same answer to "
                f"{label.question!r}; keep one"
            )
    return by_answer


def settled(labels: Sequence[Label], rule: Resolution) -> tuple[list[Label], list[Note]]:
    """Return the labels and a note. Where assessors disagree and `rule` decides, one label replaces the answer's
    labels.

    An answer that is still in dispute keeps all of its labels.
    """
    verdicts = {item: given for item, given in verdicts_of(labels).items() if len({*given.values()}) > 1}
    if not verdicts:
        return list(labels), []
    every = verdicts_of(labels) if rule == "dawid-skene" else verdicts
    final = {item: state for item, state in resolve_all(every, rule).items() if item in verdicts and state is not None}
    kept: dict[Any, Label] = {}
    whole = []
    for label in labels:
        item = of_one_answer(label)
        if item not in final:
            whole.append(label)
        elif item not in kept:
            kept[item] = replace(label, state=final[item], empty=False)
            whole.append(kept[item])
    if not final:
        return whole, []
    return whole, [
        note(
            "assessors.settled",
            "people differ on {answers:n answer}; {settled} of these {rule}",
            answers=len(verdicts),
            settled=len(final),
            rule={"adjudicated": "were adjudicated"}.get(rule, f"were settled by {opt('resolve', rule)}"),
        )
    ]
