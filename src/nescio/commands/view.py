"""The report, opened at once: from a temporary file, or from a server on this machine that follows a growing log."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Unpack

from msgspec import Struct, field

from nescio.commands.places import listed
from nescio.commands.report import title_of
from nescio.errors import NescioError
from nescio.pipeline import ReadingOptions, check_names
from nescio.reporting import page
from nescio.reporting.page.report_data import ProgressFor
from nescio.reporting.page.texts import Commands
from nescio.sources.writing import write_text

HOME = "127.0.0.1"


def view(
    source: Any,
    measures: Sequence[str] | str | None = None,
    *,
    by: str | None = None,
    ci: float | None = 95.0,
    labels: Any = None,
    resamples: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    show: bool = True,
    commands: Commands | None = None,
    progress_for: ProgressFor = lambda step: None,  # noqa: ARG005
    **options: Unpack[ReadingOptions],
) -> Path:
    """Make the report of what is given in a temporary file, and open it in the browser.

        nescio.view("outcomes.csv", show=False)

    Returns the file. `show=False` opens nothing. Other arguments as in `nescio.report`, whose page this is. Raises as
    `nescio.report` does.
    """
    check_names(view, options)
    wanted: dict[str, Any] = {"by": by, "ci": ci, "labels": labels, "resamples": resamples, "seed": seed, "jobs": jobs}
    text = _page(source, measures, wanted | {"commands": commands, "progress_for": progress_for} | options)
    path = Path(tempfile.mkdtemp(prefix="nescio-")) / "report.html"
    write_text(path, text)
    if show:
        webbrowser.open(path.as_uri())
    return path


def _page(source: Any, measures: Sequence[str] | str | None, wanted: dict[str, Any], *, live: bool = False) -> str:
    data = page.gather(source, [measures] if isinstance(measures, str) else measures, **wanted)
    return page.page(data, title=title_of(source), texts=page.texts_of(data.loaded), live=live)


Stamp = tuple[tuple[str, int, int], ...]


class Live(Struct):
    """A page that is made again when its files change; `version` counts how often it was made."""

    source: Any
    measures: Sequence[str] | str | None
    wanted: dict[str, Any]
    say: Callable[[str], None] = lambda message: None  # noqa: ARG005
    text: str = ""
    version: int = 0
    stamp: Stamp = ()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def make(self) -> None:
        """Make the page of the files as they are now; raises as `nescio.report` does."""
        self.stamp = stamp_of(self.source)
        self.text = _page(self.source, self.measures, self.wanted, live=True)
        self.version += 1

    def refresh(self) -> int:
        """Make the page again if a file has changed; a log that is half written is read the next time."""
        if self.lock.acquire(blocking=False):
            try:
                if stamp_of(self.source) != self.stamp:
                    self.make()
            except NescioError as error:
                self.say(f"not read this time: {error}")
            finally:
                self.lock.release()
        return self.version


def stamp_of(source: Any) -> Stamp:
    """Say how the files are that were given: what changes when one of them grows."""
    paths = [Path(item) for item in listed(source) if isinstance(item, (str, Path))]
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
