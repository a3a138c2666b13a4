"""Record which assessors were asked to judge which answers, and count the verdicts that they returned."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from nescio.data.assessors import ADJUDICATION
from nescio.data.notes import Note, note
from nescio.errors import FormatError, UsageError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import COLLECTING, Entry
from nescio.people.campaigns.folder import ASKED, Campaign, decoded
from nescio.people.campaigns.judgements import (
    HISTORY,
    TAKEN_BACK,
    Judgement,
    Present,
    asked_again,
    read_history,
    read_judgements,
)
from nescio.people.campaigns.log import digest, read_log
from nescio.text import plural

if TYPE_CHECKING:
    from nescio.people.campaigns.items import Item

SEALED = {"sealed": ASKED}  # in the log, of lines on `sheets`: no other step changes the file of assessors
MOST_PEOPLE = 1_000  # who judge one question
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,39}")


class Asked(Struct, frozen=True):
    """The assessors who were asked to judge in this campaign, with the items that each of them was asked to judge.

    `answers` has the items on which verdicts are expected back: those of the latest sheets, and those that the assessor
    has judged. If `pool` took back a verdict, or the assessor skipped the item, no verdict is expected until `sheets`
    asks for it again. `given` has all items that the assessor was ever asked to judge. `plan` has the number of people
    who are to judge each item, where somebody chose this number. `lines` is the number of lines that the history of
    judgements had when `sheets` wrote this; earlier versions of nescio did not write it.
    """

    assessors: tuple[str, ...] = ()
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plan: Mapping[str, int] = field(default_factory=dict)
    lines: int | None = None


class Returned(Struct, frozen=True):
    """The number of verdicts that assessors returned, the number `of` requested verdicts, and who returned none."""

    verdicts: int
    of: int
    none_of: tuple[str, ...]

    def __str__(self) -> str:
        text = f"{self.verdicts:,} of {plural(self.of, 'verdict')} returned"
        if self.none_of:
            text += f"; {', '.join(self.none_of)} {'has' if len(self.none_of) == 1 else 'have'} returned no verdict"
        return text


def check_person(name: str) -> None:
    """Raise UsageError if an assessor cannot have this name, because files are named after assessors."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "the name of a person must start with A-Z, a-z or 0-9; at most 39 letters, digits, hyphens and "
            f"underscores may follow (found {name!r})"
        )


def read_asked(campaign: Campaign) -> Asked:
    """Return the assessors of a campaign with their items; none if no sheet was written."""
    path = campaign / ASKED
    if not path.is_file():
        return Asked()
    asked = decoded(path, Asked, "delete it, then run nescio campaign sheets")
    ended: dict[tuple[str, str], str] = {}  # the mark of the line that ended what was asked
    history = read_history(campaign)
    for line in history[_lines_before_sheets(campaign) if asked.lines is None else asked.lines :]:
        whose = line.item, line.assessor
        if line.source == TAKEN_BACK or line.mark == "skip":
            ended[whose] = line.mark
        if line.after or (line.mark != "skip" and ended.get(whose) == "skip"):
            ended.pop(whose, None)
    if ended:  # A skip on one page takes back no verdict on another, in whatever order they are collected.
        judged = {whose for whose, line in Present(history).lines.items() if line.after}
        ended = {whose: mark for whose, mark in ended.items() if whose not in judged}
    answers = {who: tuple(item for item in ids if (item, who) not in ended) for who, ids in asked.answers.items()}
    return replace(asked, answers=answers)


def people_of(campaign: Campaign) -> tuple[str, ...]:
    """Return the names of the assessors who were asked to judge, or have judged."""
    judged = {line.assessor for line in read_history(campaign)}
    return tuple(sorted({*read_asked(campaign).assessors, *judged}))


def _lines_before_sheets(campaign: Campaign) -> int:
    """Return how many lines the history of judgements had when `sheets` was last done, as the log tells it."""
    head = before = ""
    for entry in read_log(campaign):
        head = entry.about.get("history", head) if entry.step == COLLECTING else head
        before = head if entry.step == "sheets" else before
    links = chain.links(campaign / HISTORY)
    return links.index(before) + 1 if before in links else 0


def open_items(campaign: Campaign, plan: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the items that must be judged again, each with the number of people whose verdicts it needs.

    `plan` replaces the numbers of people that `sheets` stored.
    """
    return asked_again(campaign).open_by(read_asked(campaign).plan if plan is None else plan)


def asked_digests(entries: Sequence[Entry]) -> Sequence[str]:
    """Return the digests of the file of assessors that the last two runs of `sheets` wrote.

    A run that was killed after it wrote its line in the log left the file of the run before it. Lines of earlier
    versions of nescio do not count, because other steps of these versions changed the file.
    """
    sealed = [entry for entry in entries if entry.step == "sheets" and entry.about == SEALED]
    return [entry.wrote[ASKED] for entry in sealed if ASKED in entry.wrote][-2:]


def check_asked(campaign: Campaign, entries: Sequence[Entry]) -> None:
    """Raise FormatError if the file of assessors is not as `sheets` wrote it: it decides which answers are open."""
    known = asked_digests(entries)
    if known and digest(campaign / ASKED) not in known:
        rule = "is not as nescio wrote it; delete it, then" if (campaign / ASKED).exists() else "is missing;"
        raise FormatError(ASKED, f"this file {rule} run nescio campaign sheets")


def asked_with(
    campaign: Campaign,
    wanted: Mapping[str, Sequence[Item]],
    judgements: Sequence[Judgement],
    plan: Mapping[str, int] | None = None,
) -> bytes:
    """Return the content of the file of assessors with the items `wanted` of each, added to those before, and the plan.

    Verdicts on these items are expected back from assessors, but not from the adjudicator.
    """
    before, path = read_asked(campaign), campaign / ASKED
    given = {who: {*ids} for who, ids in (before.given or before.answers).items()}
    for who, items in wanted.items():
        given[who] = given.get(who, set()) | {item.id for item in items}
    lines = len(read_history(campaign))
    asked = replace(before, given={who: tuple(sorted(ids)) for who, ids in sorted(given.items()) if ids}, lines=lines)
    asked = asked if plan is None else replace(asked, plan=dict(sorted(plan.items())))
    if ADJUDICATION not in wanted:
        answers: dict[str, list[str]] = {who: [] for who in wanted}
        for judgement in judgements:
            if judgement.assessor != ADJUDICATION:
                answers.setdefault(judgement.assessor, []).append(judgement.item)
        for who, items in wanted.items():
            answers[who] += [item.id for item in items]
        rows = {who: tuple(sorted({*ids})) for who, ids in sorted(answers.items())}
        asked = replace(asked, assessors=tuple(sorted({*before.assessors, *rows})), answers=rows)
    content = json.dumps(asdict(asked)).encode() + b"\n"
    # A step that is repeated writes the same: a longer history is no change.
    same = replace(asked, lines=before.lines) == before and path.is_file() and before == decoded(path, Asked)
    return path.read_bytes() if same else content


def returned(campaign: Campaign, items: Sequence[Item], judgements: Sequence[Judgement]) -> Returned:
    """Return the numbers of requested and of returned verdicts, with the assessors who have returned none.

    Only verdicts on the current `items` count, and none by the adjudicator.
    """
    asked = read_asked(campaign)
    current = {item.id for item in items}
    given = {(judgement.item, judgement.assessor) for judgement in judgements}
    pairs = [(item, who) for who, ids in asked.answers.items() for item in ids if item in current]
    back = {judgement.assessor for judgement in judgements}
    none = tuple(name for name, ids in asked.answers.items() if name not in back and current & {*ids})
    return Returned(sum(pair in given for pair in pairs), len(pairs), none)


def unasked(
    campaign: Campaign, items: Sequence[Item], judgements: Sequence[Judgement], open_: Mapping[str, int]
) -> list[Item]:
    """Return the answers that are not judged and that nobody is asked to judge now.

    `open_` has the items that must be judged again, with the number of people whose verdicts each needs. Such an item
    is returned if too few people are asked.
    """
    given = {(judgement.item, judgement.assessor) for judgement in judgements if judgement.assessor != ADJUDICATION}
    asked = read_asked(campaign).answers.items()
    waiting = Counter(item for who, ids in asked for item in ids if (item, who) not in given)
    held = Counter(item for item, _ in given)
    judged = {judgement.item for judgement in judgements}

    def known(item: str) -> bool:
        if item in open_:
            return bool(waiting[item]) and waiting[item] + held[item] >= open_[item]
        return bool(waiting[item]) or item in judged

    return [item for item in items if not known(item.id)]


def outstanding(campaign: Campaign, items: Sequence[Item]) -> list[Note]:
    """Return a note if assessors were asked to judge `items` and have not returned all verdicts."""
    back = returned(campaign, items, read_judgements(campaign))
    if back.verdicts == back.of or not read_asked(campaign).assessors:
        return []
    return [
        note(
            "campaign.verdicts",
            "judging is not finished: assessors returned {verdicts:,} of {of:n verdict}",
            verdicts=back.verdicts,
            of=back.of,
        )
    ]


def own_order(campaign: Campaign, who: str, items: Sequence[Item]) -> list[Item]:
    """Return items in an order that differs for each assessor `who`; the answers to a question stay together."""
    place = campaign.hidden_order
    return sorted(items, key=lambda item: (place("sheet", who, item.question), place("sheet", who, item.id)))


def times_of(questions: Sequence[str], overlap: float, place: Callable[[str], Any]) -> dict[str, int]:
    """Return the number of people who judge each question, keyed by question.

    An `overlap` of 1 or more is this number. A lower one is the share of the questions that two people judge: the first
    questions in the order of the sort key `place`. Raises UsageError for 0, for negative or huge numbers, and
    for numbers such as 1.5.
    """
    if not 0 < overlap <= MOST_PEOPLE:
        raise UsageError(f"an overlap must be more than 0 and at most {MOST_PEOPLE:,} (found {overlap:g})")
    if overlap >= 1:
        if overlap != int(overlap):
            raise UsageError(
                f"an overlap above 1 must be a whole number of assessors (found {overlap:g}); an overlap below 1 is a "
                "share of the questions"
            )
        return dict.fromkeys(questions, int(overlap))
    twice = {*sorted(questions, key=place)[: ceil(overlap * len(questions))]}
    return {question: 1 + (question in twice) for question in questions}
