"""Define the server: the page on which people judge, and the JSON that it exchanges with the browser.

Handlers are synchronous: what one of them acknowledges is on the disk.
"""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from nescio._version import __version__
from nescio.people.assessing import access, saving, work
from nescio.people.assessing.clocks import Clocks
from nescio.people.assessing.database import Database, reason
from nescio.people.assessing.following import status
from nescio.people.assessing.guard import TOO_MANY, Guard, Limiter, address_of, cookie_name, cookie_of
from nescio.people.campaigns.handed_in import LONGEST, Record
from nescio.people.campaigns.layouts import figure
from nescio.people.campaigns.pages import rendered, script_page

MOST_RECORDS = 200  # of one request
pages, api = APIRouter(include_in_schema=False), APIRouter(prefix="/api")


class Judgement(BaseModel):
    """A judgement that a browser sends: the item, the verdict, and an id of the judgement.

    The browser makes the id, so that a judgement that is sent twice is saved once. If a judgement is invalid, only this
    judgement is refused; the others in the request are saved.
    """

    model_config = ConfigDict(extra="forbid")
    id: Annotated[str, Field(description="8 to 64 letters, digits and hyphens")]
    item: str
    at: Annotated[str, Field(description="ISO 8601")]
    verdict: str = ""
    comment: Annotated[str, Field(description=f"at most {LONGEST:,} characters")] = ""
    mark: Annotated[str, Field(description="flag, skip or nothing")] = ""
    pool: int = 0
    guidelines: str = ""
    texts: Annotated[
        str, Field(description="the value `texts` of the item that the page showed; empty: texts are not compared")
    ] = ""
    after: Annotated[str, Field(description="the id of the judgement that this one replaces")] = ""


class Judgements(BaseModel):
    """The judgements in one request: those of which the browser does not know yet that they are saved."""

    model_config = ConfigDict(extra="forbid")
    records: Annotated[list[Judgement], Field(max_length=MOST_RECORDS)]
    sent: Annotated[str, Field(description="the time by the browser's clock when it sends the records, ISO 8601")] = ""


class Saved(BaseModel):
    """The answer to a request that saves judgements: the ids of the saved and of the refused judgements.

    Each refused judgement has its id and the reason, and `again` if the person must judge the item again.
    """

    saved: list[str]
    refused: list[dict[str, str]]


class Escaped(JSONResponse):
    """A response in JSON that is written in ASCII, because UTF-8 cannot represent lone surrogates."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


def application(database: Database) -> FastAPI:
    """Return the web application with which people judge the items of a database."""
    app = FastAPI(title="nescio assess", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.database, app.state.facts, app.state.limiter = database, work.Facts(database), Limiter()
    app.state.clocks, app.state.cookie = Clocks(), cookie_name(app.state.facts.now()["home"])
    app.add_middleware(Guard)
    app.add_exception_handler(DBAPIError, database_failed)
    app.add_exception_handler(PoolTimeout, database_failed)
    app.add_exception_handler(RequestValidationError, unsound)
    app.add_exception_handler(404, nowhere)
    app.include_router(pages)
    app.include_router(api)
    return app


# ---- who asks, and what they need ----


def database_of(request: Request) -> Database:
    """Return the database that the server was started with."""
    database: Database = request.app.state.database
    return database


def facts_of(request: Request) -> dict[str, Any]:
    """Return the current data that every assessor needs (the table `about`)."""
    facts: work.Facts = request.app.state.facts
    return facts.now()


def visitor(request: Request) -> access.Person | None:
    """Return the person who sends a request; None without a session."""
    return access.who(database_of(request), cookie_of(request))


def signed_in(found: Annotated[access.Person | None, Depends(visitor)]) -> access.Person:
    """Return the person who sends a request. Raises HTTPException 401 without a session."""
    if found is None:
        why = "this session has ended: open your link again in this browser, which then sends all unsent judgements"
        raise HTTPException(401, why)
    return found


def sender(request: Request, found: Annotated[access.Person, Depends(signed_in)]) -> access.Person:
    """Return the person who sends a request from their own page.

    Two people may open their links in one browser, so that the page of one is sent the cookie of the other. Therefore
    each request, reads too, names its page by the token. Raises HTTPException 403 if the page is not of this person.
    """
    if not access.is_page_of(database_of(request), found, request.headers.get("x-csrf-token", "")):
        why = "somebody opened another link in this browser, or the page is too old; open your own link again"
        raise HTTPException(403, why)
    return found


def judging(found: Annotated[access.Person, Depends(sender)]) -> access.Person:
    """Return the assessor who sends a request. Raises HTTPException 403 for an organiser."""
    if found.role != access.ASSESSOR:
        raise HTTPException(403, "an organiser cannot judge; invite yourself as an assessor under another name")
    return found


Room = Annotated[Database, Depends(database_of)]
Facts = Annotated[dict[str, Any], Depends(facts_of)]
Visitor = Annotated[access.Person | None, Depends(visitor)]


# ---- pages ----


@pages.get("/start/{token}", response_class=HTMLResponse)
def welcome(token: str, request: Request, database: Room) -> Response:
    """Return the page that a person's link opens. On this page, the person starts a session."""
    role = access.role_of(database, token)
    return _start_page(request, 200, token=token, role=role) if role else _not_good(request)


@pages.post("/start/{token}")
def start(token: str, request: Request, database: Room) -> Response:
    """Start a session for the person whose link has this token."""
    cookie = access.begin(database, token)
    if cookie is None:
        return _not_good(request)
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    name = request.app.state.cookie
    response.set_cookie(name, cookie, max_age=access.SESSION, httponly=True, samesite="strict", secure=secure)
    return response


@pages.get("/", response_class=HTMLResponse)
def judge(request: Request, found: Visitor, facts: Facts) -> Response:
    """Return the page on which a person judges."""
    if found is None:
        return _start_page(request, 401)
    if found.role == access.ORGANISER:
        return RedirectResponse("/organiser", 303)
    nonce = secrets.token_urlsafe(16)
    data = {
        **{name: facts[name] for name in ("home", "pool", "guidelines", "names")},
        "campaign": facts["name"],
        "assessor": found.name,
        "key": "",
        "nuggets": {},
        "items": [],
        "server": {"api": "/api", "token": found.csrf},
    }
    text = script_page(f"{facts['name']}: {found.name}", data, facts["told"], nonce=nonce)
    return HTMLResponse(text, headers={"Content-Security-Policy": policy(nonce)})


@pages.get("/organiser", response_class=HTMLResponse)
def organiser(request: Request, found: Visitor, database: Room) -> Response:
    """Return the page on which an organiser follows the progress of judging."""
    if found is None or found.role != access.ORGANISER:
        return _start_page(request, 401 if found is None else 403)
    standing = status(database)
    return _page(request, "organiser.html.jinja", 200, standing=standing, figure=lambda value: figure(value, 3))


# ---- what the page sends and gets ----


@api.get("/next")
def following(
    request: Request, found: Annotated[access.Person, Depends(judging)], database: Room, facts: Facts
) -> dict[str, Any]:
    """Return the next items for a person to judge, with the person's earlier judgements of these items.

    The times of the judgements are by the browser's clock.
    """
    clocks: Clocks = request.app.state.clocks
    rows = work.next_items(database, found.name, found.languages, facts)
    for held in (row["held"] for row in rows if "held" in row):
        held["at"] = clocks.by_theirs(found.csrf, held["at"])
    with database.reading() as connection:
        nuggets = work.nuggets_of(connection, facts, list({row["topic"] for row in rows}))
        return {"items": rows, "nuggets": nuggets, "judged": work.judged(connection, found.name)}


@api.post("/judgements", response_class=Escaped)
def judgements(
    request: Request, sent: Judgements, found: Annotated[access.Person, Depends(judging)], database: Room, facts: Facts
) -> Saved:
    """Save the judgements of a request. A judgement may be sent again: it is saved only once."""
    if not request.app.state.limiter.allows(found.csrf, "records", len(sent.records)):
        raise HTTPException(429, TOO_MANY, {"Retry-After": "60"})
    records = [Record(**record.model_dump(exclude={"after"})) for record in sent.records]
    seen = {record.id: saving.Seen(record.texts, record.after) for record in sent.records}
    clocks: Clocks = request.app.state.clocks
    dated = [*clocks.by_this(found.csrf, records, sent.sent)]
    saved, refused = saving.save(database, found.name, dated, facts, seen)
    return Saved(saved=saved, refused=refused)


@api.post("/leave")
def leave(request: Request, found: Annotated[access.Person, Depends(sender)], database: Room) -> dict[str, str]:
    """End the session."""
    access.end(database, cookie_of(request))
    return {"left": found.name}


# ---- answers to failed requests ----


def database_failed(_: Request, error: Exception) -> Response:
    """Return the response that tells a browser that the database cannot be reached, or is too busy."""
    why = reason(error) if isinstance(error, DBAPIError) else "it is too busy now"
    detail = f"not saved yet: the database says {why!r}. Your browser keeps the judgement and tries again."
    return JSONResponse({"detail": detail}, 503, {"Retry-After": "5"})


def unsound(_: Request, error: Any) -> Response:
    """Return the response to an invalid request.

    The response does not repeat the content of the request, because JSON may be unable to represent it.
    """
    errors = [{name: fault[name] for name in ("type", "loc", "msg")} for fault in error.errors()]
    return Escaped({"detail": errors}, 422)


def nowhere(request: Request, error: Any) -> Response:
    """Return the response to a request for an unknown address."""
    if request.url.path.startswith("/api"):
        return JSONResponse({"detail": error.detail}, 404)
    return _start_page(request, 404)


def _not_good(request: Request) -> Response:
    """Return the response to a request with an invalid link.

    Such a request may be a guess. Therefore only a few per minute are answered for each client's address. Valid links
    still work.
    """
    if not request.app.state.limiter.allows(address_of(request), "guess"):
        return JSONResponse({"detail": TOO_MANY}, 429, {"Retry-After": "60"})
    return _start_page(request, 403)


def policy(nonce: str) -> str:
    """Return the Content-Security-Policy of a page whose script and style have a nonce."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _start_page(request: Request, status: int, *, token: str = "", role: str = "") -> Response:
    return _page(request, "start.html.jinja", status, token=token, role=role)


def _page(request: Request, template: str, status: int, **values: Any) -> Response:
    nonce = secrets.token_urlsafe(16)
    text = rendered(template, facts_of(request)["name"], nonce=nonce, **values)
    return HTMLResponse(text, status, {"Content-Security-Policy": policy(nonce)})
