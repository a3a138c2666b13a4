"""Read the lists of nuggets that assessors make on pages, make the key of these lists, and find reworded nuggets."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nescio.data.notes import Note, note
from nescio.people.campaigns.chain import UNREADABLE
from nescio.people.campaigns.judgements import Change, Present
from nescio.people.campaigns.screens import LONGEST as SHOWN
from nescio.people.campaigns.screens import ListedNugget
from nescio.people.campaigns.shown_texts import LIST, kind_of_id, listed_part, nuggets_part, texts_key
from nescio.text import sanitize, squeeze

LONGEST_NUGGET = 10_000  # characters
MOST_NUGGETS = 200


def listed_nuggets(verdict: str) -> list[ListedNugget] | None:
    """Return the nuggets that a verdict on a target lists, or None if the verdict is not a valid list."""
    try:
        rows = msgspec.json.decode(verdict, type=list[ListedNugget])
    except UNREADABLE:
        return None
    sound = all(row.id.isalnum() and row.text.strip() and len(row.text) <= LONGEST_NUGGET for row in rows)
    return rows if sound and len({row.id for row in rows}) == len(rows) <= MOST_NUGGETS else None


def key_of_lists(present: Present, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the rows of the nugget key file, keyed by target. A row holds the latest list of nuggets for its target.

    `texts` has the text of each target; other targets are left out.
    """
    key: dict[str, dict[str, Any]] = {}
    for line in sorted(present.lines.values(), key=lambda line: line.said or line.at):
        kind, _, question = line.item.partition(":")
        listed = (listed_nuggets(line.after) if kind == LIST else None) or []
        nuggets = [{"id": nugget.id, "text": nugget.text.strip(), "vital": nugget.vital} for nugget in listed]
        if nuggets and question in texts:
            key[question] = {"id": question, "target": texts[question], "nuggets": nuggets}
    return key


def changed_lists(
    rows: Mapping[str, Mapping[str, Any]], present: Present, texts: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield each target whose list from a page the key's `rows` would change, with the assessor of this list.

    The rows may hold an earlier list of the assessor. `texts` has the text of each target.
    """
    for question in sorted(rows.keys() & key_of_lists(present, texts).keys()):
        lines = [line for line in present.records.values() if line.item == f"{LIST}:{question}" and line.after]
        given = listed_nuggets(json.dumps(rows[question]["nuggets"])) or []
        if nugget_keys(given) not in [nugget_keys(listed_nuggets(line.after) or []) for line in lines]:
            yield question, " and ".join(sorted({line.assessor for line in lines}))


def nugget_keys(nuggets: Sequence[ListedNugget]) -> set[tuple[str, str, bool]]:
    """Return a key of each nugget, which is equal for nuggets that differ in case and white space alone."""
    return {(nugget.id, squeeze(nugget.text), nugget.vital) for nugget in nuggets}


def reworded(history: Iterable[Change], questions: Mapping[str, str]) -> Iterator[Note]:
    """Yield one note on each nugget whose text was changed after another assessor's verdicts named the nugget.

    A verdict names a nugget by its number, and would count for the new text. `questions` has the question of each item.
    """
    lines, noted = [*history], set[tuple[str, str, str]]()
    lists: dict[str, list[Change]] = {}
    parts: dict[str, dict[str, Change]] = {}  # the last version of each target's list with these digests
    for line in sorted(lines, key=lambda line: line.said or line.at):
        kind, _, question = line.item.partition(":")
        if kind == LIST and line.after:
            lists.setdefault(question, []).append(line)
            parts.setdefault(question, {})[_list_part(line)] = line
    for (item, who), held in Present(lines).lines.items():
        versions = lists.get(questions.get(item, ""), [])
        time, by = held.said or held.at, nuggets_part(held.texts)
        if not versions or versions[-1].assessor == who:
            continue
        earlier = [line for line in versions if (line.said or line.at) <= time] or versions[:1]
        then = parts[questions[item]].get(by, earlier[-1]) if by else earlier[-1]
        # Who named a nugget that this version lacks must have seen it in another one; clocks may differ.
        first = {number: text for line in reversed(versions) for number, text in _texts_of(line).items()}
        before, now = first | _texts_of(then), _texts_of(versions[-1])
        for number in held.after.split(","):
            changed = squeeze(before.get(number, "")) != squeeze(now.get(number, before.get(number, "")))
            if changed and (questions[item], number, who) not in noted:
                noted.add((questions[item], number, who))
                yield note(
                    "campaign.reworded_after",
                    "nugget {number} of {subject} was {before!r} when {who} named it, but is {after!r} now; ask "
                    "{who} to look again",
                    questions[item],
                    number=number,
                    who=who,
                    before=before[number],
                    after=now[number],
                )


def by_earlier_lists(
    history: Iterable[Change], questions: Mapping[str, str], nuggets: Mapping[str, Sequence[Sequence[str]]]
) -> Iterator[Note]:
    """Yield a note for each person and target with verdicts by a list that lacked some of the present `nuggets`.

    `questions` has the question of each item. Whoever made a list on a page knows its nuggets. `pool` takes back
    verdicts on targets whose list is from a sheet.
    """
    present = Present(history).lines
    makers = {(line.item.partition(":")[2], who) for (_, who), line in present.items() if kind_of_id(line.item) == LIST}
    verdicts = [
        (question, who, line.texts)
        for (item, who), line in present.items()
        if line.after and (question := questions.get(item)) and (question, who) not in makers
    ]
    yield from lacking_nuggets(verdicts, nuggets, {question for question, _ in makers})


def lacking_nuggets(
    verdicts: Iterable[tuple[str, str, str]],
    nuggets: Mapping[str, Sequence[Sequence[str]]],
    on_pages: Collection[str],
) -> Iterator[Note]:
    """Yield a note for each person and target with verdicts by a list that lacked some of the present `nuggets`.

    Such a verdict does not say that the string lacks these nuggets. `verdicts` has for each its target, its person, and
    the key of the texts that the person saw. The lists of the targets `on_pages` were made on a page.
    """
    strings: Counter[tuple[str, str]] = Counter()
    lacking: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for question, who, texts in verdicts:
        shown = nuggets_part(texts).split(",")
        rows = nuggets.get(question, ()) if any(shown) else ()
        if new := [text for number, _, text in rows if listed_part(number, text) not in shown]:
            strings[who, question] += 1
            lacking[who, question].update(new)
    for (who, question), count in sorted(strings.items()):
        yield note(
            "campaign.earlier_list",
            "{who} judged {strings:n string} of {subject} by an earlier list, which lacked {names:list}; {way}",
            question,
            who=who,
            strings=count,
            names=[repr(text) for text in sorted(lacking[who, question])],
            way=f"ask {who} to look again" if question in on_pages else f"nescio campaign pool asks {who} again",
        )


def _list_part(line: Change) -> str:
    """Return the digests of the nuggets that a line of the history lists, as a page's key of texts has them."""
    shown = [(number, sanitize(text.strip(), SHOWN, target="page")) for number, text in _texts_of(line).items()]
    return nuggets_part(texts_key("", (), shown))


def _texts_of(line: Change) -> dict[str, str]:
    """Return the texts of the nuggets that a line of the history lists, keyed by the nuggets' numbers."""
    return {nugget.id: nugget.text for nugget in listed_nuggets(line.after) or []}
