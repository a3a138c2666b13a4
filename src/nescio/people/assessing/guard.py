"""Check the size, the number and the origin of requests before they are handled, and set the headers of answers."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import JSONResponse

from nescio.people.assessing import access

MOST_BYTES = 1 << 20  # of a request
RATE = {
    "/start": 60,
    "/api": 600,
    "/organiser": 20,
    "guess": 60,
    "records": 2_000,
}  # per minute: requests with a link, requests of a session, invalid links from an address, judgements of a session
TOO_MANY = "too many requests; wait a minute"
OWN_SITE = ("same-origin", "none")  # Sec-Fetch-Site of a request from a page of this server, or from no page
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Limiter:
    """A counter that limits each sender's requests per minute; `RATE` has a limit for each beginning of an address."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, deque[float]]] = {kind: {} for kind in RATE}

    def allows(self, who: str, path: str, many: int = 1) -> bool:
        """Return whether the sender `who` may make `many` more requests now; if so, count these requests.

        `path` is the address of the request; it has no limit if it begins with no key of `RATE`. For saved judgements,
        `many` is the number of judgements.
        """
        kind = next((prefix for prefix in RATE if path.startswith(prefix)), "")
        if not kind:
            return True
        now = time.monotonic()
        times = self.times[kind]
        if len(times) > 10_000:  # invented sessions
            times.clear()
        held = times.setdefault(access.digest(who), deque())  # whoever asks chooses how long a cookie is
        while held and held[0] < now - 60:
            held.popleft()
        if len(held) + many > RATE[kind]:
            return False
        held.extend([now] * many)
        return True


class Guard:
    """A filter against large bodies and too many requests, which also sets the headers of every answer."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on to the application, or answer it with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        who = scope["path"] if scope["path"].startswith("/start") else cookie_of(request) or address_of(request)
        length = request.headers.get("content-length", "0")
        status = 0
        if not scope["app"].state.limiter.allows(who, scope["path"]):
            status, why = 429, TOO_MANY
        elif not (length.isascii() and length.isdigit()) or int(length[:20]) > MOST_BYTES:
            status, why = 413, f"this request is larger than {MOST_BYTES:,} bytes, the most allowed"
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
                raise HTTPException(413, f"this request is larger than {MOST_BYTES:,} bytes, the most allowed")
            return message

        async def safe(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                more = [(n.lower().encode(), v.encode()) for n, v in SAFE.items() if n.lower().encode() not in known]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, limited, safe)


def cookie_name(home: str) -> str:
    """Return the name of the cookie of a database, whose name in browsers is `home`.

    Browsers share cookies between the ports of a host, so two servers must not use one name.
    """
    return f"nescio-{home}"


def cookie_of(request: Request) -> str:
    """Return the cookie of the session of a request; empty without one."""
    return request.cookies.get(request.app.state.cookie, "")


def address_of(request: Request) -> str:
    """Return the address of the client of a request."""
    return request.client.host if request.client else ""
