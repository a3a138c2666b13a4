"""Make the report and open it in the browser.

The page is that of `nescio report`, in a temporary file. With --serve it comes from a server that only this machine can
reach; when a file grows, the page is remade, and the browser reloads it and keeps the filters.

\b
nescio view outcomes.csv
nescio view old.eval new.eval
nescio view logs/ --serve
"""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from collections.abc import Callable
from contextvars import Context, copy_context
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from nescio.errors import NescioError
from nescio.options import option, verb
from nescio.options.edge import say
from nescio.reporting import page
from nescio.sources.arrow import items_of
from nescio.sources.writing import write_text
from nescio.verbs.report import Paged, gathered, title_of

HOME = "127.0.0.1"


class ViewRequest(Paged):
    """What `nescio view` is asked."""

    show: bool = option(default=True, help="Open the page in the browser.")
    serve: bool = option(
        default=False, help="Serve the page on this machine until Ctrl-C, and remake it whenever the files grow."
    )
    port: int = option(default=0, low=0, high=65535, needs="serve", help="The port.", default_words="any free port")


@verb(ViewRequest, working="working", present=lambda _path, _how: None, prints="")
def view(request: ViewRequest) -> Path:
    path = Path(tempfile.mkdtemp(prefix="nescio-")) / "report.html"
    if request.serve:
        _serve(request)
        return path
    write_text(path, _page(request))
    if request.show:
        webbrowser.open(path.as_uri())
    say(f"{'opened' if request.show else 'wrote'} {path}")
    return path


def _page(request: ViewRequest, *, live: bool = False) -> str:
    data = gathered(request)
    return page.page(data, title=title_of(request.source), texts=page.texts_of(data.loaded), live=live)


def _serve(request: ViewRequest) -> None:
    live = Live(request, say)
    live.make()
    with server_of(live, request.port) as server:
        address = f"http://{HOME}:{server.server_port}/"
        say(f"serving {address} until Ctrl-C")
        if request.show:
            webbrowser.open(address)
        server.serve_forever()


Stamp = tuple[tuple[str, int, int], ...]


class Live(Struct):
    """A page that is made again when its files change; `version` counts how often it was made."""

    request: ViewRequest
    say: Callable[[str], None]
    text: str = ""
    version: int = 0
    stamp: Stamp = ()
    lock: threading.Lock = field(default_factory=threading.Lock)
    context: Context = field(default_factory=copy_context)  # of who is told, whatever thread makes the page

    def make(self) -> None:
        """Make the page of the files as they are now; raises as `nescio.report` does."""
        self.stamp = stamp_of(self.request.source)
        self.text = _page(self.request, live=True)
        self.version += 1

    def refresh(self) -> int:
        """Make the page again if a file has changed; a log that is half written is read the next time."""
        if self.lock.acquire(blocking=False):
            try:
                self.context.run(self._make_again)
            finally:
                self.lock.release()
        return self.version

    def _make_again(self) -> None:
        try:
            if stamp_of(self.request.source) != self.stamp:
                self.make()
        except NescioError as error:
            self.say(f"not read this time: {error}")


def stamp_of(source: Any) -> Stamp:
    """Say how the files are that were given: what changes when one of them grows."""
    paths = [Path(item) for item in items_of(source) if isinstance(item, (str, Path))]
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return tuple((str(f), f.stat().st_mtime_ns, f.stat().st_size) for f in files if f.is_file())


def server_of(live: Live, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page on this machine alone: `/` is the page, `/version` how often it was made."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = {f"{name}:{self.server.server_port}" for name in (HOME, "localhost")}  # type: ignore[attr-defined]
            if self.headers.get("Host") not in known:  # another site's name that leads here
                self.send_error(403)
            elif self.path == "/":
                self._send(live.text, "text/html; charset=utf-8")
            elif self.path == "/version":
                self._send(str(live.refresh()), "text/plain")
            else:
                self.send_error(404)

        def _send(self, text: str, kind: str) -> None:
            content = text.encode()
            self.send_response(200)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Length", str(len(content))),
                ("Cache-Control", "no-store"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None: ...

    return ThreadingHTTPServer((HOME, port), Handler)
