"""nescio view."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.bars import progress
from nescio.cli.output import say
from nescio.cli.typed import commands_of
from nescio.commands.view import HOME, Live, server_of, view


@options.command("view")
@options.FILES
@options.MEASURES
@options.BY
@options.LABELS_SHOWN
@options.CI_OR_NONE
@click.option(
    "--serve",
    is_flag=True,
    help="Serve the page on this machine until Ctrl-C, and make it again whenever the files grow.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of --serve. [default: any free port]")
@click.option("--show/--no-show", default=True, show_default=True, help="Open the page in the browser.")
@options.resampling_options
@options.reading_options
def command(
    files: tuple[Path, ...], measures: tuple[str, ...], *, serve: bool, port: int, show: bool, **arguments: Any
) -> None:
    """Make the report and open it in the browser.

    The page is that of `nescio report`, in a temporary file. With --serve it comes from a server that only this machine
    can reach; when a file grows, the page is made again, and the browser reloads it and keeps the filters.

    \b
    nescio view outcomes.csv
    nescio view old.eval new.eval
    nescio view logs/ --serve
    """
    ci, again, read_options = options.level(arguments.pop("ci")), commands_of(files), options.reading(arguments)
    wanted: dict[str, Any] = {"ci": ci, "commands": again, **arguments, **read_options}
    if not serve:
        with progress("working") as watch:
            made = view(list(files), measures or None, show=show, progress_for=lambda _: watch, **wanted)
        say(f"{'opened' if show else 'wrote'} {made}")
        return
    live = Live(list(files), measures or None, wanted, say)
    live.make()
    with server_of(live, port) as server:
        address = f"http://{HOME}:{server.server_port}/"
        say(f"serving {address} until Ctrl-C")
        if show:
            webbrowser.open(address)
        server.serve_forever()
