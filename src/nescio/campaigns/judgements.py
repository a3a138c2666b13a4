"""The history of judgements: who said what of which answer, and when; what holds now is what was said last.

Nothing that a person said is overwritten: a verdict that is changed or taken back is another line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from nescio.campaigns import chain
from nescio.campaigns.folder import GUIDELINES, JUDGEMENTS, Campaign
from nescio.campaigns.log import digest, now

HISTORY = f"{JUDGEMENTS}/history.jsonl"
Kind = Literal["new", "changed", "withdrawn"]


class Judgement(Struct, frozen=True):
    """An assessor's verdict on an answer of the pool: R, W, X or U, or the nuggets in it; empty: none any more."""

    item: str
    assessor: str
    verdict: str
    comment: str = ""


class Change(Struct, frozen=True):
    """A line of the history. `before` and `after` are verdicts, empty where there was none or is none any more; `pool`
    is the version of the pool, `guidelines` the beginning of the digest of what assessors were told."""

    at: str
    assessor: str
    item: str
    before: str
    after: str
    comment: str
    pool: int
    guidelines: str
    source: str

    @property
    def kind(self) -> Kind:
        """Whether the verdict is new, changed, or taken back."""
        return "withdrawn" if not self.after else "changed" if self.before else "new"


def read_history(campaign: Campaign) -> list[Change]:
    """Read the history; raises MismatchError where its chain is broken."""
    return chain.read_chain(campaign / HISTORY, Change)


def read_judgements(campaign: Campaign) -> list[Judgement]:
    """Return what holds now, in the order in which the answers were first judged."""
    last: dict[tuple[str, str], Judgement] = {}
    for one in read_history(campaign):
        last[one.item, one.assessor] = Judgement(one.item, one.assessor, one.after, one.comment)
    return [one for one in last.values() if one.verdict]


def changes(
    campaign: Campaign, given: Iterable[Judgement], *, pool: int, source: str, before: Sequence[Judgement]
) -> list[Change]:
    """Return what judgements change: nothing where a verdict and its comment are what was said before."""
    held = {(one.item, one.assessor): one for one in before}
    told, at = digest(campaign / GUIDELINES)[:12], now().isoformat()
    rows = []
    for one in given:
        old = held.get((one.item, one.assessor), Judgement(one.item, one.assessor, ""))
        if one != old:
            rows.append(Change(at, one.assessor, one.item, old.verdict, one.verdict, one.comment, pool, told, source))
    return rows


def append_history(campaign: Campaign, rows: Sequence[Change]) -> str:
    """Append to the history, and return the digest of its last line."""
    chain.append(campaign / HISTORY, [asdict(row) for row in rows])
    return (chain.links(campaign / HISTORY) or [""])[-1]


def by_item(judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Return the verdict of each assessor on each answer."""
    items: dict[str, dict[str, str]] = {}
    for one in judgements:
        items.setdefault(one.item, {})[one.assessor] = one.verdict
    return items
