"""Prepare what a page or the application shows to an assessor: the items, one on each screen, and the page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import UsageError
from nescio.people.campaigns.folder import GUIDELINES, Campaign, keyed
from nescio.people.campaigns.items import Item, pool_version
from nescio.people.campaigns.judgements import Change, Judgement, Present, guidelines_of, read_history
from nescio.people.campaigns.pages import script_page
from nescio.people.campaigns.shown_texts import LIST, SENTENCES, kind_of_id, texts_key
from nescio.people.campaigns.texts import utf8_text
from nescio.people.campaigns.topics import nugget_texts
from nescio.text import sanitize

LONGEST = 50_000  # characters of a text that a screen shows


class ListedNugget(Struct, frozen=True):
    """A nugget as an assessor lists it."""

    id: str
    text: str
    vital: bool


def sentence_items(campaign: Campaign) -> list[Item]:
    """Return an item for each question about a story; people are asked which sentences of the story answer it."""
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
    """Return an item for each question about a story. Raises UsageError if no topic has a story."""
    items = sentence_items(campaign)
    if not items:
        raise UsageError("people can judge sentences only of stories, but no topic of this campaign has a story")
    return items


def list_items(campaign: Campaign) -> list[Item]:
    """Return an item for each target whose nuggets assessors are to list; none if the organisers have a key."""
    if campaign.settings.task != "nuggets" or campaign.has_own_key:
        return []
    return [
        Item(f"{LIST}:{question.id}", question.id, question.text, "", (), part.language)
        for part in campaign.topics().parts.values()
        for question in part.questions.values()
    ]


def lists_to_make(campaign: Campaign, here: Collection[str] = ()) -> list[Item]:
    """Return the `list_items` of the targets that have no list yet, or one that people can change on this server.

    `here` has the ids of the judgements with which people listed nuggets on this server.
    """
    known = {question for question, *_ in nugget_texts(campaign.key_files)}
    made = {line.item for line in read_history(campaign) if line.record in here}
    return [item for item in list_items(campaign) if item.question not in known or item.id in made]


def other_items(campaign: Campaign) -> dict[str, Item]:
    """Return the items that are not answers: questions on sentences of stories, and lists of nuggets, keyed by id."""
    return {item.id: item for item in (*sentence_items(campaign), *list_items(campaign))}


def kind_of(item: Item) -> str:
    """Return what an assessor judges: "sentences" of a story, "nuggets" of a target, or an "answer"."""
    return kind_of_id(item.id)


def page_key(secret: str, who: str) -> str:
    """Return the key in an assessor's page, which shows that a file of judgements is from this page.

    Nobody can compute the key without the secret of the campaign.
    """
    return keyed(secret, "page", who)[:32]


def shown_item(item: Item, said: Sequence[Judgement] = (), nuggets: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """Return an item as data for the page's script, with the documents and texts that support the answer.

    For adjudication, `said` has the judgements in dispute, which are shown too. `nuggets` are those that the page shows
    with the answer.
    """

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
    row["texts"] = texts_key(row["question"], row["supports"], nuggets if row["kind"] == "answer" else ())
    if said:
        row["said"] = sorted([judgement.verdict, shown(judgement.comment)] for judgement in said)
    return row


def shown_nuggets(campaign: Campaign) -> dict[str, list[list[str]]]:
    """Return the nuggets in the key, keyed by topic. A nugget is given by its id, "vital" or "okay", and its text."""
    nuggets: dict[str, list[list[str]]] = {}
    for question, *rest in nugget_texts(campaign.key_files):
        nuggets.setdefault(question, []).append([sanitize(text, LONGEST, target="page") for text in rest])
    return nuggets


def key_nuggets(campaign: Campaign) -> dict[str, list[list[str]]]:
    """Return the nuggets in the organisers' key, keyed by topic; none if assessors list the nuggets."""
    return shown_nuggets(campaign) if campaign.settings.task == "nuggets" and campaign.has_own_key else {}


def sheet_lists(campaign: Campaign) -> dict[str, list[list[str]]]:
    """Return the nuggets that assessors listed in a sheet and on no page, keyed by topic; none if there is a key."""
    if campaign.settings.task != "nuggets" or campaign.has_own_key:
        return {}
    lines = Present(read_history(campaign)).lines.values()
    on_pages = {line.item.partition(":")[2] for line in lines if kind_of_id(line.item) == LIST and line.after}
    return {topic: nuggets for topic, nuggets in shown_nuggets(campaign).items() if topic not in on_pages}


def shown_keys(items: Iterable[Item], nuggets: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, str]:
    """Return the key of the texts that a page shows with each item, keyed by item; `nuggets` are keyed by topic."""
    return {item.id: str(shown_item(item, (), nuggets.get(item.question, ()))["texts"]) for item in items}


def guidelines(campaign: Campaign) -> str:
    """Return the assessors' guidelines; empty if there are none. Raises FormatError if the file is not UTF-8."""
    path = campaign / GUIDELINES
    return utf8_text(path) if path.is_file() else ""


def told(campaign: Campaign) -> str:
    """Return the assessors' guidelines, made safe for a page."""
    return sanitize(guidelines(campaign), LONGEST, target="page")


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
        "own_key": campaign.has_own_key,
    }


def _collected_lists(campaign: Campaign, who: str) -> dict[str, list[dict[str, Any]]]:
    """Return the collected lists of nuggets of an assessor, keyed by item: the one that counts, after the earlier ones.

    A page knows by the earlier ones that it has the same list, and which numbers were given to nuggets.
    """
    present = Present(read_history(campaign))
    last = {item: line for (item, by), line in present.lines.items() if by == who and kind_of_id(item) == LIST}
    earlier = {item: list[dict[str, Any]]() for item in last}
    for line in present.records.values():
        now = last.get(line.item) if line.assessor == who and line.after else None
        if now is not None and now.after and line.said < now.said:
            earlier[line.item].append(_as_said(line))
    return {item: [*earlier[item], _as_said(line)] for item, line in last.items()}


def _as_said(line: Change) -> dict[str, Any]:
    """Return a line of the history as the record that a page or a server sent."""
    names = ("item", "comment", "mark", "pool", "guidelines", "texts")
    record = {"id": line.record, "at": line.said, "verdict": line.after}
    return record | {name: getattr(line, name) for name in names}


def assessor_page(
    campaign: Campaign, who: str, items: Sequence[Item], said: Mapping[str, Sequence[Judgement]], pool: Sequence[Item]
) -> str:
    """Return the HTML page on which an assessor judges these items; it needs no server and fetches nothing."""
    data = page_data(campaign, who, pool_version(pool))
    rows = [shown_item(item, said.get(item.id, ()), data["nuggets"].get(item.question, ())) for item in items]
    lists = [row for row in rows if row["kind"] == LIST]
    collected = _collected_lists(campaign, who) if lists else {}
    strings: dict[str, list[str]] = {}  # of each list's target, also those that this page does not show
    for item in pool if lists else ():
        strings.setdefault(f"{LIST}:{item.question}", []).append(item.id)
    for row in lists:
        row["collected"] = collected.get(row["id"], [])
        row["strings"] = strings.get(row["id"], [])
    data["items"] = rows
    return script_page(f"{campaign.settings.name}: {who}", data, told(campaign))
