"""The connections of the server: each has a time in which a request comes in whole and its answer goes out, and no
header says where a request comes from unless a proxy is named."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOWEST = 60.0  # seconds that a request may take from its first byte, or its connection, to the end of the answer


class Prompt(H11Protocol):
    """A connection that ends where a request is not done in time, whether its head, its body or its answer is slow."""

    _ends: asyncio.TimerHandle | None = None

    def _begin(self) -> None:
        if self._ends is None:
            self._ends = self.loop.call_later(SLOWEST, self.transport.abort)

    def _end(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None

    def connection_made(self, transport: Any) -> None:
        """Give the first request its time."""
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Give a further request its time."""
        self._begin()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Leave a connection that waits for a further request to the server, which soon closes it."""
        self._end()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection that has ended."""
        self._end()
        super().connection_lost(exc)


def listening(app: Any, *, host: str = "127.0.0.1", port: int, proxy: str | None = None) -> uvicorn.Server:
    """Return a server of an application; it keeps no log of addresses, as links are secrets."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Prompt,
        ws="none",
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        access_log=False,
        log_level="warning",
    )
    return uvicorn.Server(config)
