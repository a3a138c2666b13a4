"""What is to be judged, put into a database: the pool of a campaign, or the answers of runs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import insert

from nescio.assessing.database import open_database
from nescio.assessing.tables import about, items, units
from nescio.campaigns.folder import SECRET, Campaign, open_campaign
from nescio.campaigns.judgements import guidelines_of
from nescio.campaigns.pooling import Item, named_by, pool_version, read_pool
from nescio.campaigns.screens import kind_of, list_items, sentence_items, shown_item, shown_nuggets, told
from nescio.campaigns.settings import SETTINGS
from nescio.campaigns.starting import default_guidelines
from nescio.errors import UsageError
from nescio.formats import Unjudged
from nescio.pipeline import Options, read
from nescio.text import composed, plural, squeeze

BATCH = 5_000


class Content(Struct, frozen=True):
    """What is to be judged, and what everybody who judges it needs."""

    name: str
    items: tuple[Item, ...]
    guidelines: str
    told: str
    secret: str
    names: str = "verdicts"
    pool: int = 1
    nuggets: Mapping[str, Any] = {}


class Created(Struct, frozen=True):
    """A database that was made, and how much there is to judge in it."""

    database: str
    items: int
    topics: int
    judgements: int

    def __str__(self) -> str:
        return (
            f"made {self.database}: {plural(self.items, 'item')} of {plural(self.topics, 'topic')},"
            f" {self.judgements:,} to be judged\nnext: nescio assess invite --db {self.database} NAME"
        )


def create(db: str, sources: Sequence[Path | str], *, overlap: float = 1, sentences: bool = False) -> Created:
    """Make a database of what is to be judged: the folder of a campaign with a pool, or questions and runs."""
    paths = [Path(source) for source in sources]
    campaign = len(paths) == 1 and (paths[0] / SETTINGS).is_file()
    content = _of_campaign(open_campaign(paths[0]), sentences) if campaign else _of_runs(paths, sentences)
    if not content.items:
        raise UsageError("there is nothing to judge; has the campaign a pool (nescio campaign pool)?")
    topics = {item.question: item.language for item in content.items}
    times = _times(list(topics), overlap)
    lonely = secrets.SystemRandom()
    database = open_database(db, new=True)
    values = {
        "name": content.name,
        "guidelines": content.guidelines,
        "told": content.told,
        "secret": content.secret,
        "home": secrets.token_hex(8),
        "names": content.names,
        "pool": content.pool,
        "nuggets": dict(content.nuggets),
    }
    with database.writing() as connection:
        connection.execute(insert(about), [{"name": name, "value": value} for name, value in values.items()])
        rows = [
            {"topic": topic, "language": language, "times": times[topic], "taken": 0, "rank": lonely.random()}
            for topic, language in topics.items()
        ]
        for at in range(0, len(rows), BATCH):
            connection.execute(insert(units), rows[at : at + BATCH])
        for at in range(0, len(content.items), BATCH):
            connection.execute(insert(items), [_row(item) for item in content.items[at : at + BATCH]])
    database.close()
    asked = sum(times[item.question] for item in content.items)
    return Created(
        database.shown if database.path is None else str(database.path), len(content.items), len(topics), asked
    )


def _row(item: Item) -> dict[str, Any]:
    shown = shown_item(item)
    return {
        "id": item.id,
        "topic": item.question,
        "kind": kind_of(item),
        "question": shown["question"],
        "answer": shown["answer"],
        "supports": shown["supports"],
        "pool": item.version,
    }


def _times(topics: Sequence[str], overlap: float) -> dict[str, int]:
    """Return how many judge each topic: as many as `overlap` says, or a second one of a share, drawn at random."""
    if overlap >= 1:
        return dict.fromkeys(topics, int(overlap))
    twice = {*secrets.SystemRandom().sample(topics, ceil(overlap * len(topics)))}
    return {topic: 1 + (topic in twice) for topic in topics}


def _of_campaign(campaign: Campaign, sentences: bool) -> Content:
    pool = read_pool(campaign)
    asked = sentence_items(campaign) if sentences else [*list_items(campaign), *pool]
    if sentences and not asked:
        raise UsageError("sentences are judged of stories, but no topic of this campaign has one")
    nuggets = campaign.settings.task == "nuggets"
    known = {item.question for item in pool}
    return Content(
        campaign.settings.name,
        tuple(item for item in asked if sentences or item.question in known),
        guidelines_of(campaign),
        told(campaign),
        (campaign / SECRET).read_text(encoding="utf-8"),
        "nuggets" if nuggets else "verdicts",
        pool_version(pool),
        shown_nuggets(campaign) if nuggets else {},
    )


def _of_runs(paths: Sequence[Path], sentences: bool) -> Content:
    """Return the distinct answers of runs, declined candidates included, with all that they rest on."""
    if sentences:
        raise UsageError("sentences are judged in a campaign of the task reading")
    result = read(list(paths), Options())
    if not isinstance(result.data, Unjudged):
        raise UsageError(f"these files are {result.about}; people judge questions and runs, or a campaign")
    questions = {question.id: question for question in result.data.collection.questions}
    given: dict[str, tuple[str, str, set[tuple[str | None, str | None]]]] = {}
    for run in result.data.runs:
        for one in run.responses:
            if one.answer is not None and one.answer.strip() and one.question_id in questions:
                name = named_by([one.question_id, squeeze(composed(one.answer) or "")])
                held = given.setdefault(name, (one.question_id, one.answer, set()))
                if one.document or one.support:
                    held[2].add((one.document, one.support))
    pooled = tuple(
        Item(
            name,
            q,
            questions[q].text,
            answer,
            tuple(sorted(supports, key=str)),
            questions[q].strata.get("language", ""),
        )
        for name, (q, answer, supports) in given.items()
    )
    text = default_guidelines("qa")
    return Content(paths[0].stem, pooled, "", text, secrets.token_hex(32))
