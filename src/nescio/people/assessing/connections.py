"""Limit the connections of the server: their number, and the time from the start of a request to the end of the answer.

Headers about the address of the client are only trusted from a named proxy.
"""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_network
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from nescio.errors import UsageError, opt

SLOWEST = 60.0  # seconds that a request may take from its first byte, or its connection, to the end of the answer


MOST = 400  # connections, well below the 1,024 files that a process may usually open
MOST_OF_ONE = 100  # of one address; a proxy that is named may have all of them
ACCEPTED = 50  # connections that are taken before the first of too many can end


class Crowd:
    """The open connections of a server, with the addresses of the clients.

    The connections are sorted by their latest request, so that the first connection has been idle the longest.
    """

    def __init__(self, proxy: str | None) -> None:
        self.proxies = {address.strip() for address in (proxy or "").split(",")}
        self.open: dict[Prompt, str] = {}

    def take(self, connection: Prompt, address: str) -> None:
        """Add a connection, or move it to the end if it is open already, because it has the latest request.

        If too many connections are open, the one that has been idle the longest is closed.
        """
        self.open.pop(connection, None)
        self.open[connection] = address
        alike = [other for other, where in self.open.items() if where == address and address not in self.proxies]
        for most, held in ((MOST_OF_ONE, alike), (MOST, [*self.open])):
            if len(held) > most:
                self.leave(held[0])
                held[0].transport.abort()

    def leave(self, connection: Prompt) -> None:
        """Remove a connection from the open connections."""
        self.open.pop(connection, None)


class Prompt(H11Protocol):
    """A connection that is closed if a request takes too long, from its first byte to the end of the answer."""

    crowd: Crowd
    _ends: asyncio.TimerHandle | None = None

    def _begin(self) -> None:
        if self._ends is None:
            self._ends = self.loop.call_later(SLOWEST, self.transport.abort)
            self.crowd.take(self, self.client[0] if self.client else "")

    def _end(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None

    def connection_made(self, transport: Any) -> None:
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Start the time limit of a further request."""
        self._begin()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """End the time limit of the answered request; if the next request has arrived, start the next limit."""
        self._end()
        super().on_response_complete()
        if self.conn.trailing_data[0] or self.conn.their_state is not h11.IDLE:
            self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove a connection that has ended from the open connections."""
        self._end()
        self.crowd.leave(self)
        super().connection_lost(exc)


def check_proxy(proxy: str | None) -> None:
    """Raise UsageError unless `proxy` lists only IP addresses and networks, because no other name is trusted."""
    for address in proxy.split(",") if proxy is not None else ():
        try:
            ip_network(address.strip())
        except ValueError:
            raise UsageError(f"{opt('proxy', proxy)}: {address.strip()!r} is no IP address or network") from None


async def bound(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets for an address. Raises UsageError if no server can listen there."""
    try:
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port, start_serving=False)
        async with server:
            sockets = [listener.dup() for listener in server.sockets]
        for listener in sockets:
            listener.listen(ACCEPTED)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"no server can listen at {opt('host', host)} {opt('port', port)}: {why}") from None
    return sockets


def listening(app: Any, *, host: str = "127.0.0.1", port: int, proxy: str | None = None) -> uvicorn.Server:
    """Return a server for the application `app`. The server keeps no log of requests, because links are secrets."""

    class Counted(Prompt):
        crowd = Crowd(proxy)

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Counted,
        ws="none",
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        backlog=ACCEPTED,
        access_log=False,
        log_level="warning",
    )
    return uvicorn.Server(config)
