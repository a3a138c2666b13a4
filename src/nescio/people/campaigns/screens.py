"""What a page or an application shows an assessor: one item a screen, and what can be said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import UsageError
from nescio.people.campaigns.folder import GUIDELINES, Campaign, keyed, text_of
from nescio.people.campaigns.judgements import Judgement, guidelines_of
from nescio.people.campaigns.pages import script_page
from nescio.people.campaigns.pooling import Item
from nescio.people.campaigns.topics import nugget_texts
from nescio.text import sanitize

SENTENCES, LIST = "sentences", "nuggets"  # before the colon in items that are no answer: what is asked of a topic
OWN_KEY = "nuggets.jsonl"  # the key that assessors wrote
NOTHING = "-"  # none of the nuggets, or of the sentences
LONGEST = 50_000  # characters of a text that a screen shows


class ListedNugget(Struct, frozen=True):
    """A nugget as an assessor lists it."""

    id: str
    text: str
    vital: bool


def sentence_items(campaign: Campaign) -> list[Item]:
    """Return an item for each question about a story: which of its sentences answer it?"""
    parts = campaign.topics().parts.values() if campaign.settings.task == "reading" else ()
    return [
        Item(
            f"{SENTENCES}:{question.id}", question.id, question.text, "",
            tuple((None, sentence) for sentence in question.story), part.language,
        )
        for part in parts
        for question in part.questions.values()
        if question.story
    ]  # fmt: skip


def story_items(campaign: Campaign) -> list[Item]:
    """Return the items about sentences of stories; raises UsageError where no topic has a story."""
    items = sentence_items(campaign)
    if not items:
        raise UsageError("people can judge sentences only of stories, but no topic of this campaign has a story")
    return items


def has_own_key(campaign: Campaign) -> bool:
    """Say whether the organisers have a key of their own, so that assessors list no nuggets."""
    return any(path.name != OWN_KEY for path in campaign.key_files)


def list_items(campaign: Campaign) -> list[Item]:
    """Return an item for each target whose nuggets assessors are to list; none if the organisers have a key."""
    if campaign.settings.task != "nuggets" or has_own_key(campaign):
        return []
    return [
        Item(f"{LIST}:{question.id}", question.id, question.text, "", (), part.language)
        for part in campaign.topics().parts.values()
        for question in part.questions.values()
    ]


def other_items(campaign: Campaign) -> dict[str, Item]:
    """Return the items that are no answers of the pool, by their ids."""
    return {item.id: item for item in (*sentence_items(campaign), *list_items(campaign))}


def kind_of(item: Item) -> str:
    """Return what is asked of an item: `sentences`, the `nuggets` of a target, or an `answer`."""
    kind, colon, _ = item.id.partition(":")
    return kind if colon else "answer"


def page_key(secret: str, who: str) -> str:
    """Return what only pages and sheets of this campaign know of an assessor."""
    return keyed(secret, "page", who)[:32]


def shown_item(item: Item, said: Sequence[Judgement] = ()) -> dict[str, Any]:
    """Return an item for the script, with all its support and, for adjudication, the earlier judgements."""

    def shown(text: str | None) -> str:
        return sanitize(text or "", LONGEST, target="page")

    row: dict[str, Any] = {
        "id": item.id,
        "kind": kind_of(item),
        "topic": shown(item.question),
        "question": shown(item.text),
        "answer": shown(item.answer),
        "supports": [[shown(document), shown(text)] for document, text in item.supports],
    }
    if said:
        row["said"] = sorted([one.verdict, shown(one.comment)] for one in said)
    return row


def shown_nuggets(campaign: Campaign) -> dict[str, list[list[str]]]:
    """Return the nuggets of the key by topic: id, vital or okay, and text."""
    nuggets: dict[str, list[list[str]]] = {}
    for question, *rest in nugget_texts(campaign.key_files):
        nuggets.setdefault(question, []).append([sanitize(text, LONGEST, target="page") for text in rest])
    return nuggets


def told(campaign: Campaign) -> str:
    """Return the guidelines."""
    return sanitize(text_of(campaign / GUIDELINES), LONGEST, target="page")


def page_data(campaign: Campaign, who: str, pool: int) -> dict[str, Any]:
    """Return the data that every screen of an assessor needs in addition to its items."""
    return {
        "campaign": sanitize(campaign.settings.name, 200, target="page"),
        "home": campaign.hidden_order("pages")[:16],
        "assessor": who,
        "key": page_key(campaign.secret, who),
        "pool": pool,
        "guidelines": guidelines_of(campaign),
        "names": "nuggets" if campaign.settings.task == "nuggets" else "verdicts",
        "nuggets": shown_nuggets(campaign) if campaign.settings.task == "nuggets" else {},
    }


def assessor_page(
    campaign: Campaign, who: str, items: Sequence[Item], said: Mapping[str, Sequence[Judgement]], pool: int
) -> str:
    """Return the page of an assessor, which needs no server: everything is inside, and nothing is fetched."""
    data = page_data(campaign, who, pool) | {"items": [shown_item(item, said.get(item.id, ())) for item in items]}
    return script_page(f"{campaign.settings.name}: {who}", data, told(campaign))
