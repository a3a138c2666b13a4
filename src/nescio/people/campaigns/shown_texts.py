"""Tell whether a verdict on an item still holds after the item's question, supports or nuggets changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from nescio.data.assessors import ADJUDICATION
from nescio.text import squeeze

NOTHING = "-"  # the verdict that no nugget, or no sentence, applies
SENTENCES, LIST = "sentences", "nuggets"  # begin the ids of items that are no answers, before a colon
MARK = "¶"  # between texts in one cell of a sheet
_DIGITS = 12  # of a digest, enough to tell a few texts apart
AGAIN = "again:"  # begins the id of a record with which a server takes back a verdict, before a number and a colon
CHANGED = (
    "the question, its supports or its nuggets changed after this item was shown: judge the item again by its present "
    "texts"
)


def kind_of_id(item: str) -> str:
    """Return what an assessor judges: "sentences" of a story, "nuggets" of a target, or an "answer"."""
    kind, colon, _ = item.partition(":")
    return kind if colon else "answer"


def texts_key(question: str, supports: Iterable[object], nuggets: Iterable[Sequence[str]] = ()) -> str:
    """Return digests of the question and of each support that an assessor sees with an answer, joined by hyphens.

    If the assessor also sees `nuggets`, each with its number first and its text last, a plus sign and a digest of each
    nugget follow.
    """
    key = "-".join(map(_digest, (question, *map(repr, supports))))
    listed = ",".join(sorted(listed_part(number, text) for number, *_, text in nuggets))
    return f"{key}+{listed}" if listed else key


def listed_part(number: str, text: str) -> str:
    """Return the part for one nugget of a key of texts."""
    return f"{number}={_digest(squeeze(text))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGITS]


def nuggets_part(key: str) -> str:
    """Return the digests of the nuggets in a key of texts; empty if it has none."""
    return key.partition("+")[2]


def same_texts(then: str, now: str) -> bool:
    """Return whether two keys are of the same texts; nuggets count only if both keys have them."""
    both = nuggets_part(then) and nuggets_part(now)
    return then == now if both else then.partition("+")[0] == now.partition("+")[0]


def still_holds(kind: str, verdict: str, then: str, now: str) -> bool:
    """Return whether a verdict on an item with the texts `then` also holds for the texts `now`.

    `then` and `now` are values of `texts_key`; an unknown key is "". No verdict holds for another question. R says that
    a text supports the answer, so it holds while no text is lost. U says that no text supports the answer, so it holds
    while no text is new. Other verdicts on answers are about the answer alone. Numbers of sentences hold only while no
    sentence changes. Numbers of nuggets hold only while no nugget is new and no named one changes. A list of nuggets
    always holds, because its author can change it.
    """
    if kind == LIST or not then or same_texts(then, now):
        return True
    before, *supports_then = then.partition("+")[0].split("-")
    after, *supports_now = now.partition("+")[0].split("-")
    if before != after or kind == SENTENCES or not _nuggets_hold(verdict, nuggets_part(then), nuggets_part(now)):
        return False
    if verdict == "R":
        return {*supports_then} <= {*supports_now}
    return verdict != "U" or {*supports_now} <= {*supports_then}


def _nuggets_hold(verdict: str, then: str, now: str) -> bool:
    if not (verdict and then and now):
        return True
    there = {*now.split(",")}
    numbers = {nugget.partition("=")[0] for nugget in there}
    return there <= {*then.split(",")} and {*verdict.split(",")} - {NOTHING} <= numbers


def taking_back(judged: int, token: str) -> str:
    """Return the id of a record that takes back a verdict on an item that `judged` people had judged."""
    return f"{AGAIN}{judged}:{token}"


def taken_back_of(record: str) -> int:
    """Return how many people had judged the item whose verdict this record took back; 0 for any other record."""
    number = record.removeprefix(AGAIN).partition(":")[0] if record.startswith(AGAIN) else ""
    return max(1, int(number)) if number.isascii() and number.isdecimal() and len(number) < _DIGITS else 0


class AskedAgain:
    """The items with a verdict that does not hold any more, and the people who are asked to judge these items again.

    Such an item is open until all of these people have judged it again, until as many people as planned have a verdict
    that holds and not all of these verdicts are from before, or until the adjudicator decides it. Until then, the
    verdicts that are left decide nothing. The adjudicator alone decides such an item only while it would be open
    without the decision. After that, people's verdicts count as on any other item.
    """

    def __init__(self) -> None:
        self.people: dict[str, set[str]] = {}
        self.decided: dict[str, set[str]] = {}  # by the adjudicator, while these people were still asked
        self._enough: dict[str, int] = {}
        self._before: dict[str, set[str]] = {}  # who had judged an item, as far as this is known
        self._since: dict[str, set[str]] = {}  # who has judged it since
        self._holding: dict[str, set[str]] = {}
        self._known: dict[str, set[str]] = {}  # who ever judged it

    def add(self, item: str, who: str, verdict: str, taken_back: int = 0, since: Collection[str] = ()) -> None:
        """Add a judgement that is the latest of this person on this item.

        `taken_back` is 0, unless the judgement takes back a verdict: then it is the number of people who had judged the
        item, as far as this is known, and at least 1. `since` has the people who judged the item after that, though
        their judgements were added before.
        """
        holding = self._holding.setdefault(item, set())
        if who == ADJUDICATION:
            self._adjudicate(item, verdict, taken_back)
            return
        if verdict or taken_back:
            self._known.setdefault(item, set()).add(who)
        if taken_back:
            self._ask(item, who, taken_back, since)
        if verdict:
            holding.add(who)
            self._since.setdefault(item, set()).add(who)
            asked = self.people.get(item, set())
            asked.discard(who)
            self.decided.get(item, set()).discard(who)
            if not asked:
                self.people.pop(item, None)
        else:
            holding.discard(who)
            self._since.get(item, set()).discard(who)

    def holding(self, item: str) -> Collection[str]:
        """Return who has a verdict on an item that holds, without the adjudicator."""
        return self._holding.get(item, ())

    def _adjudicate(self, item: str, verdict: str, taken_back: int) -> None:
        if verdict:
            if item in self.people:
                self.decided[item] = self.people.pop(item) - {ADJUDICATION}
        elif item in self.decided:
            if asked := self.decided.pop(item) | ({ADJUDICATION} if taken_back else set()):
                self.people[item] = asked
        # Two or more people agree, or are in dispute once more. One alone would decide in place of the adjudicator.
        elif taken_back and len(self._holding[item]) == 1:
            self._ask(item, ADJUDICATION, 2)

    def _ask(self, item: str, who: str, enough: int, since: Collection[str] = ()) -> None:
        if item not in self.people:
            self._enough[item], self._before[item] = 0, self._holding[item].difference(since)
            self.people[item] = self.decided.pop(item, set())
        self.people[item].add(who)
        self._before[item].add(who)
        self._since[item] = self._holding[item].intersection(since)
        self._enough[item] = max(self._enough[item], enough)

    def open_by(self, plan: Mapping[str, int]) -> dict[str, int]:
        """Return the items that are open, each with the number of people whose verdicts it needs.

        This is the number in `plan`; for an item that is not in it, the number of people who had judged the item.
        """
        needed = {item: plan.get(item) or self._needed(item) for item in self.people}
        return {item: enough for item, enough in needed.items() if self._lacks(item, enough)}

    def decided_by(self, plan: Mapping[str, int]) -> set[str]:
        """Return the items that would be open (`open_by`) if the adjudicator had not decided them."""
        asked = [item for item, people in self.decided.items() if people]
        return {item for item in asked if self._lacks(item, plan.get(item) or self._needed(item))}

    def _lacks(self, item: str, enough: int) -> bool:
        return not self._since[item] or len(self._holding[item]) < enough

    def _needed(self, item: str) -> int:
        # A file may claim any number of people. No more count than ever judged the item.
        claimed = min(self._enough[item], max(2, len(self._known.get(item, ()))))
        return max(claimed, len(self._before[item] - {ADJUDICATION}))

    @property
    def open(self) -> dict[str, int]:
        """Return the items that are open without a plan."""
        return self.open_by({})
