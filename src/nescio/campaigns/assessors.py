"""Who was asked to judge, how many verdicts each answer is to have, and how many of these came back."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from nescio.campaigns.folder import SHEETS, Campaign, put
from nescio.campaigns.judgements import Judgement, by_item, read_judgements
from nescio.campaigns.pooling import Item, read_pool
from nescio.data.notes import Note, note
from nescio.text import plural

ADJUDICATION = "adjudication"
ASKED = "assessors.json"


class Asked(Struct, frozen=True):
    """Everybody whom a sheet was written for, and how many of them judge each answer by the last sheets."""

    overlap: int = 1
    assessors: tuple[str, ...] = ()


class Returned(Struct, frozen=True):
    """How many verdicts came back of those that the answers of the pool are to have, and who gave none."""

    verdicts: int
    of: int
    none_of: tuple[str, ...]

    def __str__(self) -> str:
        text = f"{self.verdicts:,} of {plural(self.of, 'verdict')}"
        if self.none_of:
            text += f"; {', '.join(self.none_of)} {'has' if len(self.none_of) == 1 else 'have'} returned none"
        return text


def read_asked(campaign: Campaign) -> Asked:
    """Read who was asked; nobody where no sheet was written."""
    path = campaign / SHEETS / ASKED
    return msgspec.json.decode(path.read_bytes(), type=Asked) if path.is_file() else Asked()


def write_asked(campaign: Campaign, assessors: Sequence[str], overlap: int) -> None:
    """Write down who is asked, beside all who were asked before."""
    names = sorted({*read_asked(campaign).assessors, *assessors})
    put(campaign / SHEETS / ASKED, json.dumps(asdict(Asked(overlap, tuple(names)))).encode() + b"\n")


def returned(campaign: Campaign, items: Sequence[Item], judgements: Sequence[Judgement]) -> Returned:
    """Count the verdicts that came back; an adjudication is none of them."""
    asked = read_asked(campaign)
    own = [one for one in judgements if one.assessor != ADJUDICATION]
    given = by_item(own)
    came = sum(min(len(given.get(item.id, ())), asked.overlap) for item in items)
    back = {one.assessor for one in own}
    return Returned(came, asked.overlap * len(items), tuple(name for name in asked.assessors if name not in back))


def outstanding(campaign: Campaign) -> list[Note]:
    """Note the verdicts that have not come back, where anybody was asked."""
    back = returned(campaign, read_pool(campaign), read_judgements(campaign))
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
