"""The server: a page on which people judge, and the JSON that it sends and gets. Handlers are synchronous: what one
acknowledges is on the disk."""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections import deque
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from nescio._version import __version__
from nescio.people.assessing import access, work
from nescio.people.assessing.database import Database, reason
from nescio.people.assessing.following import status
from nescio.people.campaigns.layouts import figure
from nescio.people.campaigns.pages import rendered, script_page

COOKIE = "nescio"
MOST_BYTES = 1 << 20  # of a request
MOST_RECORDS = 200
RATE = {
    "/start": 60,
    "/api": 600,
    "/organiser": 20,
    "guess": 60,
}  # requests a minute: of a link, of a session, and of links that are not good from an address
TOO_MANY = "too many requests; wait a minute"
OWN_SITE = ("same-origin", "none")  # what a browser says of a request from a page of this server, or of nobody's
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Judgement(BaseModel):
    """A judgement: its item and verdict, and an id made by the browser, so that it can be sent again.

    One that cannot be taken is refused by itself, and holds none of the others back.
    """

    model_config = ConfigDict(extra="forbid")
    id: Annotated[str, Field(description="8 to 64 letters, digits and hyphens")]
    item: str
    at: Annotated[str, Field(description="ISO 8601")]
    verdict: str = ""
    comment: Annotated[str, Field(description=f"at most {work.LONGEST:,} characters")] = ""
    mark: Annotated[str, Field(description="flag, skip or nothing")] = ""
    pool: int = 0
    guidelines: str = ""


class Judgements(BaseModel):
    """The judgements that a browser does not know to be saved."""

    model_config = ConfigDict(extra="forbid")
    records: Annotated[list[Judgement], Field(max_length=MOST_RECORDS)]
    sent: Annotated[str, Field(description="the browser's clock when it sends them, ISO 8601")] = ""


class Saved(BaseModel):
    """The ids of judgements that are on the disk, and why others are not taken."""

    saved: list[str]
    refused: list[dict[str, str]]


class Escaped(JSONResponse):
    """JSON in ASCII: what names half a character is answered, too."""

    def render(self, content: Any) -> bytes:
        """Return the text of an answer."""
        return json.dumps(content, separators=(",", ":")).encode()


class Limiter:
    """Counts requests of the last minute."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, deque[float]]] = {kind: {} for kind in RATE}

    def allows(self, who: str, path: str) -> bool:
        """Say whether one more request is within what is allowed."""
        kind = next((prefix for prefix in RATE if path.startswith(prefix)), "")
        if not kind:
            return True
        now = time.monotonic()
        times = self.times[kind]
        if len(times) > 10_000:  # made-up sessions, which give nobody more guesses of another kind
            times.clear()
        held = times.setdefault(access.digest(who), deque())  # whoever asks chooses how long a cookie is
        while held and held[0] < now - 60:
            held.popleft()
        if len(held) >= RATE[kind]:
            return False
        held.append(now)
        return True


class Guard:
    """A filter against large bodies and too many requests, which also sets the headers of every answer."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        who = scope["path"] if scope["path"].startswith("/start") else request.cookies.get(COOKIE, address_of(request))
        length = request.headers.get("content-length", "0")
        status = 0
        if not scope["app"].state.limiter.allows(who, scope["path"]):
            status, why = 429, TOO_MANY
        elif not (length.isascii() and length.isdigit()) or int(length[:20]) > MOST_BYTES:
            status, why = 413, f"a request has at most {MOST_BYTES:,} bytes"
        elif scope["method"] != "GET" and request.headers.get("sec-fetch-site", "same-origin") not in OWN_SITE:
            status, why = 403, "this request comes from another site's page"
        if status:
            response = JSONResponse({"detail": why}, status, {**SAFE, "Retry-After": "60"})
            await response(scope, receive, send)
            return
        got = 0

        async def limited() -> Any:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > MOST_BYTES:
                raise HTTPException(413, f"a request has at most {MOST_BYTES:,} bytes")
            return message

        async def safe(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                more = [(n.lower().encode(), v.encode()) for n, v in SAFE.items() if n.lower().encode() not in known]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, limited, safe)


def address_of(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""


def signed_in(request: Request) -> access.Person:
    """Return who is asking; refuses whoever has no session."""
    found = access.who(request.app.state.database, request.cookies.get(COOKIE, ""))
    if found is None:
        why = "this session has ended: open your link again in this browser, which then sends all unsent judgements"
        raise HTTPException(401, why)
    return found


def judging(found: Annotated[access.Person, Depends(signed_in)]) -> access.Person:
    """Return who is to judge; refuses an organiser, who does not."""
    if found.role != access.ASSESSOR:
        raise HTTPException(403, "an organiser does not judge; invite yourself by another name")
    return found


def sender(request: Request, found: Annotated[access.Person, Depends(signed_in)]) -> access.Person:
    """Return who asks to change something, from a page of their own."""
    if not hmac.compare_digest(request.headers.get("x-csrf-token", "").encode(), found.csrf.encode()):
        raise HTTPException(403, "the token of this page is missing or old; reload the page")
    return found


def application(database: Database) -> FastAPI:
    """Return the application of a database."""
    current = work.Facts(database).now
    app = FastAPI(title="nescio assess", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.database, app.state.limiter = database, Limiter()
    app.add_middleware(Guard)

    @app.exception_handler(DBAPIError)
    @app.exception_handler(PoolTimeout)
    def failed(_: Request, error: Exception) -> JSONResponse:
        why = reason(error) if isinstance(error, DBAPIError) else "it is too busy now"
        detail = f"not saved yet: the database says {why!r}. Your browser keeps the judgement and tries again."
        return JSONResponse({"detail": detail}, 503, {"Retry-After": "5"})

    @app.exception_handler(RequestValidationError)
    def unsound(_: Request, error: Any) -> Response:
        # Without what was sent, which JSON may be unable to hold.
        return Escaped(
            {"detail": [{name: one[name] for name in ("type", "loc", "msg")} for one in error.errors()]}, 422
        )

    @app.exception_handler(404)
    def nowhere(request: Request, error: Any) -> Response:
        if request.url.path.startswith("/api"):
            return JSONResponse({"detail": error.detail}, 404)
        return _start_page(current()["name"], 404)

    def not_good(request: Request) -> Response:
        """Answer to a link that is not good. Guesses are counted; nobody with a good link waits for those of others."""
        if not request.app.state.limiter.allows(address_of(request), "guess"):
            return JSONResponse({"detail": TOO_MANY}, 429, {"Retry-After": "60"})
        return _start_page(current()["name"], 403)

    @app.get("/start/{token}", response_class=HTMLResponse, include_in_schema=False)
    def welcome(token: str, request: Request) -> Response:
        role = access.role_of(database, token)
        return _start_page(current()["name"], 200, token=token, role=role) if role else not_good(request)

    @app.post("/start/{token}", include_in_schema=False)
    def start(token: str, request: Request) -> Response:
        cookie = access.begin(database, token)
        if cookie is None:
            return not_good(request)
        response = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, cookie, max_age=access.SESSION, httponly=True, samesite="strict", secure=secure)
        return response

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def judge(request: Request) -> Response:
        found = access.who(database, request.cookies.get(COOKIE, ""))
        if found is None:
            return _start_page(current()["name"], 401)
        if found.role == access.ORGANISER:
            return RedirectResponse("/organiser", 303)
        nonce, own = secrets.token_urlsafe(16), current()
        data = {
            **{name: own[name] for name in ("home", "pool", "guidelines", "names")},
            "campaign": own["name"],
            "assessor": found.name,
            "key": "",
            "nuggets": {},
            "items": [],
            "server": {"api": "/api", "token": found.csrf},
        }
        text = script_page(f"{own['name']}: {found.name}", data, own["told"], nonce=nonce)
        return HTMLResponse(text, headers={"Content-Security-Policy": policy(nonce)})

    @app.get("/organiser", response_class=HTMLResponse, include_in_schema=False)
    def organiser(request: Request) -> Response:
        found = access.who(database, request.cookies.get(COOKIE, ""))
        if found is None or found.role != access.ORGANISER:
            return _start_page(current()["name"], 401 if found is None else 403)
        title, standing = current()["name"], status(database)
        return _page("organiser.html.jinja", title, standing=standing, figure=lambda value: figure(value, 3))

    @app.get("/api/next")
    def following(found: Annotated[access.Person, Depends(judging)]) -> dict[str, Any]:
        """Return the next items to judge, with their earlier judgements."""
        own = current()
        rows = work.next_items(database, found.name, found.languages, own)
        with database.reading() as connection:
            nuggets = work.nuggets_of(connection, own, list({row["topic"] for row in rows}))
            return {"items": rows, "nuggets": nuggets, "judged": work.judged(connection, found.name)}

    @app.post("/api/judgements", response_class=Escaped)
    def judgements(sent: Judgements, found: Annotated[access.Person, Depends(sender)]) -> Saved:
        """Save judgements; each may be sent again, and counts once."""
        judging(found)
        said = [work.Said(**record.model_dump()) for record in sent.records]
        saved, refused = work.save(database, found.name, [*work.by_this_clock(said, sent.sent)], current())
        return Saved(saved=saved, refused=refused)

    @app.post("/api/leave")
    def leave(request: Request, found: Annotated[access.Person, Depends(sender)]) -> dict[str, str]:
        """End the session."""
        access.end(database, request.cookies.get(COOKIE, ""))
        return {"left": found.name}

    return app


def policy(nonce: str) -> str:
    """Return the policy of a page whose script and style carry a nonce."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _start_page(name: str, status: int, *, token: str = "", role: str = "") -> Response:
    return _page("start.html.jinja", name, status, token=token, role=role)


def _page(template: str, title: str, status: int = 200, **values: Any) -> Response:
    nonce = secrets.token_urlsafe(16)
    text = rendered(template, title, nonce=nonce, **values)
    return HTMLResponse(text, status, {"Content-Security-Policy": policy(nonce)})
