"""Judgements on disk: what each assessor said of each answer of the pool."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import astuple

from nescio.campaigns.folder import JUDGEMENTS, Campaign, put
from nescio.sources.writing import csv_text

TABLE = "judgements.csv"


class Judgement(Struct, frozen=True):
    """An assessor's verdict on an answer of the pool: R, W, X or U, or the nuggets in it."""

    item: str
    assessor: str
    verdict: str
    comment: str = ""


def read_judgements(campaign: Campaign) -> list[Judgement]:
    """Read all judgements that were read back."""
    path = campaign / JUDGEMENTS / TABLE
    if not path.is_file():
        return []
    rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    next(rows)
    return [Judgement(*row) for row in rows]


def write_judgements(campaign: Campaign, judgements: Iterable[Judgement]) -> None:
    """Write all judgements, by answer and assessor."""
    rows = sorted(judgements, key=lambda one: (one.item, one.assessor))
    put(campaign / JUDGEMENTS / TABLE, csv_text([Judgement.__struct_fields__, *map(astuple, rows)]).encode())


def by_item(judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Return the verdict of each assessor on each answer."""
    items: dict[str, dict[str, str]] = {}
    for one in judgements:
        items.setdefault(one.item, {})[one.assessor] = one.verdict
    return items
