"""Judgements on disk: what each assessor said of each answer of the pool."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from operator import attrgetter

from msgspec import Struct

from nescio.campaign.folder import JUDGEMENTS, Campaign, put

TABLE = "judgements.csv"


class Judged(Struct, frozen=True):
    """An assessor's verdict on an answer of the pool: R, W, X or U, or the nuggets in it."""

    item: str
    assessor: str
    verdict: str
    comment: str = ""


def read_judgements(campaign: Campaign) -> list[Judged]:
    """Read all judgements that were read back."""
    path = campaign / JUDGEMENTS / TABLE
    if not path.is_file():
        return []
    rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    next(rows)
    return [Judged(*row) for row in rows]


def write_judgements(campaign: Campaign, judgements: Iterable[Judged]) -> None:
    """Write all judgements, by answer and assessor."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    names = Judged.__struct_fields__
    table.writerow(names)
    table.writerows(map(attrgetter(*names), sorted(judgements, key=lambda one: (one.item, one.assessor))))
    put(campaign / JUDGEMENTS / TABLE, text.getvalue().encode())


def by_item(judgements: Iterable[Judged]) -> dict[str, dict[str, str]]:
    """Return the verdict of each assessor on each answer."""
    items: dict[str, dict[str, str]] = {}
    for one in judgements:
        items.setdefault(one.item, {})[one.assessor] = one.verdict
    return items
