"""Make links for persons, and manage the sessions that links start. Only digests of links and cookies are stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from msgspec import Struct
from sqlalchemy import ColumnElement, delete, insert, select, update

from nescio.data.assessors import ADJUDICATION
from nescio.errors import UsageError, opt
from nescio.people.assessing.database import Database
from nescio.people.assessing.tables import about, people, sessions, units
from nescio.people.campaigns.assessors import check_person

DAY = 86_400
SESSION = 12 * 3_600  # seconds
ASSESSOR, ORGANISER = "assessor", "organiser"


class Person(Struct, frozen=True):
    """The person who sends a request, by the session.

    The pages of the session send its token, `csrf`, with each request.
    """

    name: str
    role: str
    languages: tuple[str, ...]
    csrf: str


class Invited(Struct, frozen=True):
    """The result of `invite`: the new `links`, keyed by person, and the persons whose links were `revoked`.

    A link is shown only once, because the database stores only its digest.
    """

    links: dict[str, str]
    revoked: tuple[str, ...] = ()
    database: str = ""

    def __str__(self) -> str:
        return "\n".join(
            [*(f"{name}: {link}" for name, link in self.links.items()), *(f"{n}: revoked" for n in self.revoked)]
        )


def digest(secret: str) -> str:
    """Return the SHA-256 digest of a secret; the database stores only the digest."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def invite(
    database: Database,
    names: Sequence[str],
    *,
    address: str,
    days: float = 30,
    organiser: bool = False,
    revoke: bool = False,
) -> Invited:
    """Make a new link for each person in `names`; with `revoke`, only make these persons' links and sessions invalid.

    A new link replaces the person's previous link, and is valid for `days` days. A name may come with languages:
    `ana=EN,ES` limits Ana to these languages, in place of earlier ones. Raises UsageError if `address` has a path: the
    pages name their own addresses from the root of the host.
    """
    if urlsplit(address if "//" in address else f"//{address}").path.strip("/"):
        rule = "people must reach the server at the root of a host, such as https://judging.example.org, without a path"
        raise UsageError(f"{opt('address', address)}: {rule}")
    asked = [name.partition("=") for name in names]
    for name, *_ in asked:
        check_person(name)
    links: dict[str, str] = {}
    with database.writing() as connection:
        in_campaign = connection.scalar(select(about.c.value).where(about.c.name == "assessors")) or ()
        earlier = (ADJUDICATION, *in_campaign, *connection.scalars(select(people.c.name)))
        people_by_name = {name.casefold(): name for name in earlier}
        named = units.c.part == "", units.c.language != ""
        there = {*connection.scalars(select(units.c.language).where(*named).distinct())}
        for name, equals, languages in asked:
            if (other := people_by_name.setdefault(name.casefold(), name)) != name:
                raise UsageError(f"{name!r} and {other!r} differ only in case; use one of the two names")
            spoken = [part.strip() for part in languages.split(",") if part.strip()]
            if strange := [language for language in spoken if language not in there]:
                which = (
                    f"the questions are in {', '.join(sorted(there))}" if there else "the questions have no language"
                )
                raise UsageError(f"no question is in {strange[0]!r}; {which}")
            token = None if revoke else secrets.token_urlsafe(32)
            row = {"token": token and digest(token), "expires": time.time() + days * DAY}
            known = connection.execute(select(people.c.role).where(people.c.name == name)).first()
            role = ORGANISER if organiser else ASSESSOR
            if known is None and revoke:
                raise UsageError(f"nobody has the name {name!r}")
            if organiser and name == ADJUDICATION:
                raise UsageError(f"{name} decides where others differ, and is no organiser; choose another name")
            if known is not None and not revoke and known.role != role:
                raise UsageError(f"{name} is an {known.role} already, and can have only one role")
            if known is None:
                connection.execute(insert(people).values(name=name, role=role, languages=spoken, **row))
            else:
                more = {"languages": spoken} if equals else {}
                connection.execute(update(people).where(people.c.name == name).values(**row, **more))
                connection.execute(delete(sessions).where(sessions.c.person == name))
            if token:
                links[name] = f"{address.rstrip('/')}/start/{token}"
    return Invited(links, tuple(name for name, *_ in asked) if revoke else ())


def role_of(database: Database, token: str) -> str:
    """Return the role of the person whose link has this token; empty if the link is invalid or has expired."""
    with database.reading() as connection:
        return connection.scalar(select(people.c.role).where(*_good(token))) or ""


def _good(token: str) -> tuple[ColumnElement[bool], ...]:
    return people.c.token == digest(token), people.c.expires > time.time()


def begin(database: Database, token: str) -> str | None:
    """Start a session for the person whose link has this token, and return the session's cookie.

    Returns None if the link is not valid.
    """
    with database.writing() as connection:
        name = connection.scalar(select(people.c.name).where(*_good(token)))
        if name is None:
            return None
        cookie = secrets.token_urlsafe(32)
        connection.execute(delete(sessions).where(sessions.c.expires < time.time()))
        row = {"cookie": digest(cookie), "person": name, "csrf": secrets.token_urlsafe(32)}
        connection.execute(insert(sessions).values(**row, expires=time.time() + SESSION))
    return cookie


def end(database: Database, cookie: str) -> None:
    """End the session with this cookie."""
    with database.writing() as connection:
        connection.execute(delete(sessions).where(sessions.c.cookie == digest(cookie)))


def is_page_of(database: Database, person: Person, token: str) -> bool:
    """Return whether the page with this token was made for this person, in a session that has not ended."""
    if hmac.compare_digest(token.encode(), person.csrf.encode()):
        return True
    conditions = sessions.c.person == person.name, sessions.c.csrf == token, sessions.c.expires > time.time()
    with database.reading() as connection:
        return connection.scalar(select(sessions.c.person).where(*conditions)) is not None


def who(database: Database, cookie: str) -> Person | None:
    """Return the person whose session has this cookie, or None.

    None means that the session has ended, or that the person's link was revoked or has expired.
    """
    now = time.time()
    good = sessions.c.expires > now, people.c.expires > now, people.c.token.is_not(None)
    with database.reading() as connection:
        row = connection.execute(
            select(people.c.name, people.c.role, people.c.languages, sessions.c.csrf)
            .join(sessions, sessions.c.person == people.c.name)
            .where(sessions.c.cookie == digest(cookie), *good)
        ).first()
    return None if row is None else Person(row.name, row.role, tuple(row.languages), row.csrf)
