"""Make the report and open it in the browser.

The page is that of `nescio report`, in a temporary file. Where files could mean several things, one is assumed, and the
page says so above all else, with the command for each other reading; rows that nothing can be scored from are shown as
they are.

With --serve the page comes from a server that only this machine can reach; when a file grows, the page is remade, and
the browser reloads it and keeps the filters. Runs are then compared on the questions that all of them have by now
(--missing common), and the page says which run it waits for.

\b
nescio view outcomes.csv
nescio view old.eval new.eval
nescio view logs/ --serve
"""

from __future__ import annotations

import html
import json
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from contextvars import Context, copy_context
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from nescio.errors import NescioError
from nescio.options import option, verb
from nescio.options.edge import say
from nescio.reporting import page
from nescio.sources.arrow import items_of
from nescio.sources.writing import write_text
from nescio.text import enumerated
from nescio.verbs._anyhow import anyhow
from nescio.verbs.report import Paged, gathered, title_of

HOME = "127.0.0.1"
_WAITING = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<title>nescio</title><body style="font: 1rem/1.5 sans-serif; margin: 3rem"><h1>Waiting for files that can be read</h1>
<p>{}</p></body></html>"""


class ViewRequest(Paged):
    """What `nescio view` is asked."""

    show: bool = option(default=True, help="Open the page in the browser.")
    serve: bool = option(
        default=False, help="Serve the page on this machine until Ctrl-C, and remake it whenever the files grow."
    )
    port: int = option(default=0, low=0, high=65535, needs="serve", help="The port.", default_words="any free port")


@verb(ViewRequest, working="working", present=lambda _path, _how: None, prints="")
def view(request: ViewRequest) -> Path:
    path = Path(tempfile.mkdtemp(prefix="nescio-page-")) / "report.html"
    if request.serve:
        _serve(request)
        return path
    write_text(path, _page(request))
    if request.show:
        webbrowser.open(path.as_uri())
    say(f"{'opened' if request.show else 'wrote'} {path}")
    return path


def _page(request: ViewRequest, version: str = "") -> str:
    """Return the page, which says what was assumed to make it; of a server it has a version."""
    data, assumed = anyhow(request, gathered)
    for one in assumed:
        say(f"assumed: {one.taken} ({one.why})")
    live = {"version": version, "says": _progress(data)} if version else None
    title, texts = title_of(request.source), page.texts_of(data.loaded)
    return page.page(data, title=title, texts=texts, live=live, assumed=assumed)


def _progress(data: page.ReportData) -> str:
    """Say when a page was made, and which runs lack questions that another has already."""
    now = time.strftime("%H:%M")
    late = data.loaded.unshared
    if late is None:
        return f"updated {now}"
    have = len(data.loaded.data.questions)
    waiting = [late.runs[run] for run in np.flatnonzero(late.lacking.any(axis=1))]
    return f"updated {now}, {have:,} of {have + len(late.questions):,} questions, waiting for {enumerated(waiting)}"


def _serve(request: ViewRequest) -> None:
    live = Live(request if "missing" in request.given else request.but(missing="common"), say)
    live.refresh()
    with server_of(live, request.port) as server:
        address = f"http://{HOME}:{server.server_port}/"
        say(f"serving {address} until Ctrl-C")
        if request.show:
            webbrowser.open(address)
        server.serve_forever()


Stamp = tuple[tuple[str, int, int], ...]


class Live(Struct):
    """A page that is made again when its files change: `version` says which of them it is, `refused` why the files as
    they are now could not be read."""

    request: ViewRequest
    say: Callable[[str], None]
    text: str = ""
    version: str = ""
    refused: str = ""
    stamp: Stamp = ()
    lock: threading.Lock = field(default_factory=threading.Lock)
    context: Context = field(default_factory=copy_context)  # of who is told, whatever thread makes the page

    def refresh(self) -> dict[str, str]:
        """Make the page again if a file has changed; a log that is half written is read the next time."""
        if self.lock.acquire(blocking=False):
            try:
                self.context.run(self._make_again)
            finally:
                self.lock.release()
        return {"version": self.version, "refused": self.refused}

    def _make_again(self) -> None:
        stamp = stamp_of(self.request.source)
        if stamp == self.stamp:
            return
        self.stamp = stamp  # before the files are read: what comes later is read the next time
        version = str(time.time_ns())
        try:
            self.text = _page(self.request, version)
        except NescioError as error:
            self.say(f"not read this time: {error}")
            self.refused = f"not read at {time.strftime('%H:%M')}: {error}"
            self.text = self.text or _WAITING.format(html.escape(self.refused))
        else:
            self.version, self.refused = version, ""


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
                self._send(json.dumps(live.refresh()), "application/json")
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
