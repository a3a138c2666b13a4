"""Save the judgements of people. No record is ever changed: a correction is a new record, and so is a withdrawal."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, and_, func, or_, select, update

from nescio.data.assessors import ADJUDICATION
from nescio.data.model import Verdict
from nescio.people.assessing.database import Database
from nescio.people.assessing.tables import claims, items, records, units
from nescio.people.assessing.work import (
    DONE,
    EXPIRED,
    LEASE,
    OPEN,
    PASSED,
    SECOND,
    add,
    asked_again,
    facts,
    hold,
    nuggets_of,
    others_list,
    present,
    recount,
    shown_keys,
)
from nescio.people.campaigns.handed_in import LONGEST, MOST_SAID, Record
from nescio.people.campaigns.nugget_lists import LONGEST_NUGGET, listed_nuggets, nugget_keys
from nescio.people.campaigns.shown_texts import AGAIN, CHANGED, LIST, NOTHING, SENTENCES, still_holds, taking_back
from nescio.text import sanitize

SHORT = 12  # digits of a digest
LONGEST_LIST = LONGEST_KEY = 250_000  # characters of a list of nuggets, or of a key of texts
UNSEEN = "you judged this on another page meanwhile, and that judgement stays; look at it, and then change it here"
OF_REFUSED = (
    "the list of nuggets by which you judged this was not accepted; judge it by the list that the page shows now"
)
_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_KEY = re.compile(r"[0-9a-f-]*")  # of question and supports, as pages send it


class Seen(Struct, frozen=True):
    """What the page showed when a person judged.

    `texts` is the key of the shown texts (`texts_of`). `after` is the id of the person's earlier judgement, which the
    new one replaces. Each is "" if the page does not send it.
    """

    texts: str = ""
    after: str = ""


def save(
    database: Database, person: str, said: Sequence[Record], own: Mapping[str, Any], seen: Mapping[str, Seen]
) -> tuple[list[str], list[dict[str, str]]]:
    """Save judgements; return the ids of the saved ones, which are now on the disk, and the refused ones with reasons.

    `seen` maps ids of judgements to what the page showed. A verdict on texts that have changed since is refused, and
    the page asks again.
    """
    return database.change(partial(_save_all, person=person, said=said, own=own, seen=seen))


def _save_all(
    connection: Connection, person: str, said: Sequence[Record], own: Mapping[str, Any], seen: Mapping[str, Seen]
) -> tuple[list[str], list[dict[str, str]]]:
    saved: list[str] = []
    refused: list[dict[str, str]] = []
    named = [sanitize(judgement.item, 500) for judgement in said]
    hold(connection, connection.scalars(select(items.c.topic).where(items.c.id.in_(named)).distinct()).all())
    if own["names"] == "nuggets":  # An update may have changed the nuggets before the topics were held.
        own = facts(connection)
    topics = set()
    without_list: set[str] = set()  # topics of which this request had a list that was refused
    for judgement in said:
        of = connection.scalar(select(items.c.topic).where(items.c.id == sanitize(judgement.item, 500)))
        is_list = judgement.item.startswith(f"{LIST}:")
        if of in without_list and not is_list and judgement.verdict:
            why, topic = OF_REFUSED, ""
        else:
            why, topic = _save(connection, person, judgement, own, seen.get(judgement.id, Seen()))
        if is_list:
            (without_list.add if why else without_list.discard)(str(of))
        if why:
            refused.append({"id": judgement.id, "why": why} | ({"again": "yes"} if why == CHANGED else {}))
        else:
            saved.append(judgement.id)
            topics.add(topic)
    for topic in sorted(topics - {""}):
        close(connection, person, topic)
    return saved, refused


def _save(
    connection: Connection, person: str, judgement: Record, db_facts: Mapping[str, Any], seen: Seen
) -> tuple[str, str]:
    """Save a judgement; return the reason for a refusal ("" if it is saved) and the topic of the judged item.

    The topic is "" if the judgement was refused or saved before.
    """
    if not _ID.fullmatch(judgement.id):
        return "an id must have 8 to 64 letters, digits and hyphens", ""
    # The lock keeps an update from changing the texts before this judgement is saved.
    query = select(items).where(items.c.id == sanitize(judgement.item, 500)).with_for_update(read=True)
    item = connection.execute(query).first()
    held = connection.execute(select(records).where(records.c.id == judgement.id)).first()
    if held is not None:
        same = item is not None and (held.person, held.item) == (person, item.id)
        verdict = _sound(connection, judgement.verdict, item, db_facts) if same and judgement.verdict else ""
        # A list may have changed since, so that what was a verdict is none now.
        return ("" if same and verdict in (held.verdict, None) else "another judgement has this id"), ""
    row = _refusal(connection, person, judgement, item) or checked(connection, judgement, item, db_facts)
    if item is None or isinstance(row, str):
        return str(row), ""
    shown = shown_keys(connection, db_facts, person, [item])[item.id]
    decides = person == ADJUDICATION and row["verdict"] and seen.texts not in ("", shown)  # by the present texts alone
    if (decides and item.id in asked_again(connection).people) or not (
        (_is_key(seen.texts, shown) and still_holds(item.kind, row["verdict"], seen.texts, shown))
        or _repeats(connection, person, item.id, row["verdict"], seen.texts)
    ):
        return CHANGED, ""
    row["texts"] = seen.texts or shown
    after = sanitize(seen.after, 500)
    row["at"] = _not_before(connection, person, item.id, row["at"], after)
    if _takes_back_unseen(connection, person, item, row, after):
        return UNSEEN, ""
    add(connection, row | {"person": person, "item": item.id, "received": time.time()})
    is_theirs = connection.scalar(select(records.c.person).where(records.c.id == judgement.id)) == person
    return ("", item.topic) if is_theirs else ("another judgement has this id", "")


def _repeats(connection: Connection, person: str, item: str, verdict: str, texts: str) -> bool:
    """Return whether a person only flags or comments on the verdict that counts now, whose texts are known."""
    now = connection.execute(present(records.c.person == person, records.c.item == item)).first()
    return now is not None and bool(verdict and texts) and (now.verdict, now.texts) == (verdict, texts)


def _takes_back_unseen(connection: Connection, person: str, item: Any, row: Mapping[str, Any], after: str) -> bool:
    """Return whether a judgement would take back a verdict that its page did not show, and gives no new verdict.

    A page that shows an older verdict sends it again with a comment or a flag. A list is new only if it keeps all
    nuggets of the list that the page did not show.
    """
    conditions = records.c.person == person, records.c.item == item.id
    now = connection.execute(present(*conditions)).first()
    shown = connection.scalar(select(records.c.verdict).where(*conditions, records.c.id == after))
    if now is None or now.verdict in ("", shown):
        return False
    if item.kind == LIST:
        kept = nugget_keys(listed_nuggets(row["verdict"]) or [])
        return not nugget_keys(listed_nuggets(now.verdict) or []) <= kept
    earlier = {"", *connection.scalars(select(records.c.verdict).where(*conditions))} if after else {""}
    return row["at"] >= now.at and row["verdict"] != now.verdict and row["verdict"] in earlier


def _is_key(texts: str, shown: str) -> bool:
    """Return whether a page can have sent this key; after a plus sign, it has the organisers' ids of nuggets."""
    digests, _, nuggets = texts.partition("+")
    return texts == shown or bool(len(texts) <= LONGEST_KEY and _KEY.fullmatch(digests) and nuggets.isprintable())


def take_back(connection: Connection, item: str, kind: str, then: str, now_shown: str) -> list[str]:
    """Take back the judgements of an item that do not hold for the item's present texts; return who had given them.

    `now_shown` is the key of the present texts. `then` is that of the earlier ones, for records without a key of their
    own. Each person gets a new record without a verdict, so that `close` gives the person the topic again. A person who
    has seen the judge's grade can no longer judge independently. For this person, the record skips the item, so that
    somebody else gets it.
    """
    now = present(records.c.item == item).subquery()
    rows = connection.execute(select(now).where(or_(now.c.verdict != "", now.c.mark == "skip"))).all()
    judged = sum(bool(row.verdict) and row.person != ADJUDICATION for row in rows)
    outdated = [row for row in rows if not still_holds(kind, row.verdict, row.texts or then, now_shown)]
    for row in outdated:
        skips = _knows_grade(connection, row.person, f"{SECOND}:{item}")
        mark = "skip" if skips else "" if row.mark == "skip" else row.mark
        comment = "the texts changed after the judge's grade was shown" if skips else row.comment
        # The record has the time of the judgement that it takes back, because a later one may still arrive and hold.
        at = _not_before(connection, row.person, item, _now()) if skips else row.at
        kept = {"pool": row.pool, "guidelines": row.guidelines, "received": time.time()}
        token = secrets.token_hex(16)
        name = taking_back(judged, f"{token}{_short(then)}") if row.verdict else token
        said_now = {"id": name, "person": row.person, "item": item, "at": at, "verdict": ""}
        add(connection, said_now | {"comment": comment, "mark": mark} | kept)
    return [row.person for row in outdated]


def restore(connection: Connection, item: str, kind: str, now_shown: str) -> list[str]:
    """Restore the judgements of an item that were taken back and hold again; return who had given them.

    `now_shown` is the key of the present texts. A judgement that has no key of its own holds only for the texts for
    which it was taken back. Nobody's judgement is restored who has judged or skipped the item since.
    """
    now = present(records.c.item == item).subquery()
    lost = now.c.id.startswith(AGAIN), now.c.verdict == "", now.c.mark != "skip"
    people = []
    for row in connection.execute(select(now).where(*lost)).all():
        # What a take-back takes back is what was present before it.
        before = records.c.item == item, records.c.person == row.person, records.c.number < row.number
        given = connection.execute(present(*before)).one()._mapping
        same = row.id.endswith(_short(now_shown))
        if still_holds(kind, given["verdict"], given["texts"], now_shown) if given["texts"] else same:
            kept = {column.name: given[column.name] for column in records.c if column.name != "number"}
            add(connection, kept | {"id": secrets.token_hex(16), "at": row.at, "received": time.time()})
            people.append(row.person)
    return people


def _short(key: str) -> str:
    """Return the end of a record's id by which a later update knows the texts of the judgement that it takes back."""
    return hashlib.sha256(key.encode()).hexdigest()[:SHORT]


def _not_before(connection: Connection, person: str, item: str, at: str, after: str = "") -> str:
    """Return the time to store for a new judgement: `at`, or the time of an earlier judgement if that is later.

    Two kinds of earlier judgements are considered: the one with the id `after`, which the new one replaces, and those
    in the future, because this machine's clock was set back. Of equal times, the judgement that arrived last counts.
    """
    now = _now()
    same = records.c.person == person, records.c.item == item
    newest = connection.scalar(
        select(func.max(records.c.at)).where(*same, (records.c.id == after) | (records.c.at > now))
    )
    return max(at, newest or at)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _refusal(connection: Connection, person: str, judgement: Record, item: Any) -> str:
    """Return the reason why a person may not give `judgement`; empty if the person may."""
    if judgement.item.startswith(f"{SECOND}:") and not (item and _knows_grade(connection, person, item.id)):
        return "give your own verdict first"  # also for answers without a grade
    if item is None or not _may_judge(connection, person, item):
        return "you were not asked to judge this item"
    if item.kind == LIST and person != ADJUDICATION:
        connection.execute(select(units.c.topic).where(units.c.topic == item.topic).with_for_update())  # one at a time
        if item.gone or others_list(connection, person, item.id):  # The campaign may have a list now.
            return "somebody else already listed the nuggets of this target; use that list for the strings"
    count = select(func.count()).where(records.c.person == person, records.c.item == item.id)
    if (connection.scalar(count) or 0) >= MOST_SAID:
        return f"you changed this judgement {MOST_SAID:,} times; no more changes are accepted"
    if item.kind != SECOND and _knows_grade(connection, person, f"{SECOND}:{item.id}"):
        now = connection.execute(present(records.c.person == person, records.c.item == item.id)).one()
        if now.verdict != judgement.verdict:
            return "you have seen the judge's grade, so your first verdict stays as it is; give a second verdict"
    return ""


def _knows_grade(connection: Connection, person: str, second: str) -> bool:
    """Return whether a person has seen the judge's grade of an answer.

    `second` is the id of the item with which the person gives the second verdict on this answer.
    """
    shown = select(records.c.id).where(records.c.person == person, records.c.item == second)
    return connection.scalar(shown.limit(1)) is not None


def _may_judge(connection: Connection, person: str, item: Any) -> bool:
    if person == ADJUDICATION:  # what people differ on, or did when it was shown
        others = records.c.item == item.id, records.c.person != person, records.c.verdict != ""
        count = select(func.count(records.c.verdict.distinct())).where(*others)
        return (connection.scalar(count) or 0) > 1
    claim = select(claims.c.topic).where(claims.c.topic == item.topic, claims.c.person == person)
    return connection.scalar(claim) is not None


def checked(connection: Connection, one: Record, item: Any, own: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return a judgement as a row of the database, or a text that says why it is invalid.

    The time in the row is never in the future. Otherwise a later judgement would seem to be the earlier one.
    """
    try:
        at = min(datetime.fromisoformat(one.at).astimezone(UTC), datetime.now(UTC))
    except (ValueError, OverflowError):
        return "`at` must be a time"
    most = LONGEST_LIST if item.kind == LIST else LONGEST
    if len(one.comment) > LONGEST or len(one.verdict) > most or one.mark not in ("", "flag", "skip"):
        return f"a comment has at most {LONGEST:,} characters and a verdict {most:,}; a mark must be flag or skip"
    verdict = _sound(connection, one.verdict, item, own) if one.verdict else ""
    if verdict is None:
        return "an item of this kind cannot have this verdict"
    if item.kind == LIST and (
        gone := _named(connection, item.topic) - {row.id for row in listed_nuggets(verdict) or []}
    ):
        return f"the list must keep nugget {', '.join(sorted(gone))}, because somebody found it in an answer"
    return {
        "id": one.id,
        "at": at.isoformat(timespec="milliseconds"),
        "verdict": verdict,
        "comment": sanitize(one.comment.strip(), LONGEST, target="page"),
        "mark": one.mark,
        "pool": min(max(one.pool, 0), 1 << 30),
        "guidelines": sanitize(one.guidelines[:12], 12),
    }


def _sound(connection: Connection, verdict: str, item: Any, db_facts: Mapping[str, Any]) -> str | None:
    """Return a verdict as it is stored, or None if the verdict is invalid for the item.

    Several nuggets or sentences are stored in a fixed order: "1,0" as "0,1".
    """
    if item.kind == LIST:
        return _clean_list(verdict)
    if item.kind != SENTENCES and db_facts["names"] == "verdicts":
        return verdict if verdict in {*Verdict} else None
    if item.kind == SENTENCES:
        known = [str(i) for i in range(len(item.supports))]
    else:
        known = sorted(name for name, *_ in nuggets_of(connection, db_facts, [item.topic]).get(item.topic, []))
    named = {*verdict.split(",")}
    return verdict if verdict == NOTHING else ",".join(n for n in known if n in named) if named <= {*known} else None


def _named(connection: Connection, topic: str) -> set[str]:
    """Return the ids of the nuggets that some assessor found in an answer to this topic."""
    now = present(records.c.item.in_(select(items.c.id).where(items.c.topic == topic, items.c.kind != LIST))).subquery()
    return {name for verdict in connection.scalars(select(now.c.verdict)) for name in verdict.split(",")} - {
        "",
        NOTHING,
    }


def _clean_list(verdict: str) -> str | None:
    """Return a list of nuggets without harmful characters; None if the verdict is not a valid list of nuggets."""
    listed = listed_nuggets(verdict)
    if listed is None:
        return None
    rows = [
        {"id": nugget.id, "text": sanitize(nugget.text, LONGEST_NUGGET, target="page"), "vital": nugget.vital}
        for nugget in listed
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))  # as pages write it


def close(connection: Connection, person: str, topic: str) -> None:
    """Store whether a person has finished a topic: whether every item in the topic is judged or skipped.

    If the person has finished, but skipped items, the topic is also given to another person.
    """
    hold(connection, [topic])  # so that two requests at once see what the other one said
    asked = items.c.topic == topic, items.c.kind != SECOND, items.c.gone == 0
    ids = connection.scalars(select(items.c.id).where(*asked)).all()
    now = present(records.c.person == person, records.c.item.in_(ids)).subquery()
    rows = connection.execute(select(now.c.item, now.c.verdict, now.c.mark)).all()
    judged = {item for item, verdict, _ in rows if verdict}
    skipped = {item for item, _, mark in rows if mark == "skip"} - judged
    left = [item for item in ids if item not in judged | skipped]
    done = not [item for item in left if not (item.startswith(f"{LIST}:") and others_list(connection, person, item))]
    claim = and_(claims.c.topic == topic, claims.c.person == person)
    before = connection.scalar(select(claims.c.done).where(claim))
    if before is None:
        return
    now_is = (PASSED if skipped else DONE) if done else before if before == EXPIRED else OPEN
    if now_is != before:
        connection.execute(update(claims).where(claim).values(done=now_is, until=time.time() + LEASE))
        recount(connection, [topic])
