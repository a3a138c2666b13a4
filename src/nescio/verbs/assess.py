"""Have people judge in a browser (needs the extra `assess`).

For a few assessors, `nescio campaign sheets --html` needs no server. This command is for many: each free person gets
the next answers, several people judge the same ones, and you follow their progress and agreement. The SOURCE may also
be the folder of a campaign; `nescio campaign collect` reads the exported judgements.

\b
nescio assess create questions.jsonl runs/*.jsonl --db answers.db --overlap 2
nescio assess invite ana ben --db answers.db
nescio assess serve --db answers.db
nescio assess status --db answers.db
nescio assess update questions.jsonl runs/*.jsonl --db answers.db
nescio assess export answers --db answers.db
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import structs

from nescio.errors import UsageError
from nescio.options import Request, argument, option, verb
from nescio.options.edge import say
from nescio.options.kinds import FILES, NAMES, PATH
from nescio.reporting.printing import show_lines
from nescio.text import typed_path

HOME = "http://127.0.0.1:8000"


class OfDatabase(Request):
    """The option for the database."""

    db: str = argument(
        kw_only=False, flags=("--db",), metavar="URL", help="The database: an SQLite file, or postgresql://HOST/NAME."
    )


@contextmanager
def _opened(db: str) -> Iterator[Any]:
    """Yield the open database `db`. An error of the database in this context becomes one UsageError."""
    try:
        from sqlalchemy.exc import DBAPIError

        from nescio.people.assessing.database import reason
        from nescio.people.assessing.opening import open_database
    except ImportError:
        raise UsageError("nescio assess needs more packages: pip install 'nescio[assess]'") from None
    database = open_database(db)
    try:
        yield database
    except DBAPIError as error:
        raise UsageError(f"{database.shown}: {reason(error)}") from None
    finally:
        database.close()


class CreateRequest(OfDatabase):
    """The options of `nescio assess create`."""

    sources: Sequence[Path | str] = argument(
        kw_only=False,
        kind=FILES,
        argument=True,
        metavar="SOURCE...",
        help="The folder of a campaign with a pool; or questions and runs.",
    )
    overlap: float = option(
        default=1.0,
        low=0,
        above=True,
        default_words="1",
        help="How many assessors judge each answer. Below 1: the share of questions that a second assessor also "
        "judges.",
    )
    draw: int | None = option(
        default=None,
        low=1,
        help="Draw about this many questions. Questions that tell more about differences between runs are "
        "likelier to be drawn. verdicts.csv then records the probability of each question.",
    )
    grades: Path | str | None = option(
        default=None,
        kind=PATH,
        metavar="FILE",
        help="A judge's verdicts on the runs. After judging an answer, a person sees the judge's verdict and may give "
        "a second one (second.csv).",
    )
    training: Path | str | None = option(
        default=None,
        kind=PATH,
        metavar="FILE",
        help="Training answers: everybody judges them first, and then sees the right verdict. Columns: "
        "question, answer, verdict, why; and language, by which people get them, if the questions have several.",
    )
    control: Path | str | None = option(
        default=None,
        kind=PATH,
        metavar="FILE",
        help="Control answers with known verdicts, hidden among the others. The columns are those of the training "
        "answers; with --grades, also grade (correct or incorrect).",
    )
    sentences: bool = option(
        default=False, help="For reading tests: ask people which sentences of the story answer each question."
    )


@verb(CreateRequest, working="writing", prints="")
def create(request: CreateRequest) -> Any:
    """Make a database of answers to judge.

    A SOURCE is the folder of a campaign, whose pool is judged, or questions and runs, whose distinct answers are
    judged. Each answer appears once, without the names of its runs, and with all supporting texts from these runs.

    \b
    nescio assess create questions.jsonl runs/mine.jsonl --db judging.db
    """
    try:
        from nescio.people.assessing.creating import create as make
    except ImportError:
        raise UsageError("nescio assess needs more packages: pip install 'nescio[assess]'") from None
    return make(
        request.db, request.sources, **{n: v for n, v in request.values().items() if n not in ("db", "sources")}
    )


class UpdateRequest(OfDatabase):
    """The options of `nescio assess update`."""

    sources: Sequence[Path | str] = argument(
        kw_only=False,
        kind=FILES,
        argument=True,
        metavar="SOURCE...",
        help="The sources named at `create`, in their current state: the folder of a campaign, or questions and "
        "all runs.",
    )


@verb(UpdateRequest, working="writing", prints="")
def update(request: UpdateRequest) -> Any:
    """Add the current answers of runs, while people judge.

    New answers also go to people who had finished their question. Changed questions and supports are shown as they are
    now. Answers that no run gives any more are not shown again. Judged answers and their judgements stay. People see no
    judge's verdict on new answers.

    \b
    nescio assess update questions.jsonl runs/mine.jsonl --db judging.db
    """
    with _opened(request.db) as database:
        from nescio.people.assessing.updating import take_in

        return take_in(database, request.sources)


class InviteRequest(OfDatabase):
    """The options of `nescio assess invite`."""

    names: Sequence[str] = argument(
        kw_only=False,
        kind=NAMES,
        argument=True,
        metavar="NAME[=EN,ES]...",
        help="People, with the languages that they judge. The person named `adjudication` decides where others differ.",
    )
    address: str = option(default=HOME, metavar="URL", help="The address at which people reach the server.")
    days: float = option(default=30.0, low=0, above=True, help="How long links and their sessions are valid.")
    organiser: bool = option(
        default=False,
        help="Make links to the organiser's page (progress, agreement, disputes). Organisers do not judge.",
    )
    revoke: bool = option(
        default=False, apart="organiser", help="Revoke the links of these people, and end their sessions."
    )


def _show_links(made: Any, _: Any) -> None:
    show_lines(str(made))
    if made.links:
        address = urlsplit(next(iter(made.links.values())))
        here = address.hostname in ("127.0.0.1", "localhost") and address.port != urlsplit(HOME).port
        port = f" --port {address.port or 80}" if here else ""
        say(f"next: nescio assess serve --db {typed_path(made.database)}{port}; then people open their links")


@verb(InviteRequest, working="writing", present=_show_links, prints="")
def invite(request: InviteRequest) -> Any:
    """Make a link for each person, shown once; a new link replaces the old one.

    Only a digest of the link is stored. Whoever has the link judges in this person's name.

    \b
    nescio assess invite ana ben --db judging.db
    """
    with _opened(request.db) as database:
        from nescio.people.assessing.access import invite as make

        how = {"organiser": request.organiser, "revoke": request.revoke}
        made = make(database, request.names, address=request.address, days=request.days, **how)
        shown = str(request.db) if database.path is not None else database.shown  # a URL may hold a password
        return structs.replace(made, database=shown)


class ServeRequest(OfDatabase):
    """The options of `nescio assess serve`."""

    host: str = option(
        default="127.0.0.1", help="The address to listen on. With the default, only this machine can reach the server."
    )
    port: int = option(default=8000, low=1, high=65_535, help="The port.")
    proxy: str | None = option(
        default=None,
        metavar="ADDRESS",
        help="The address of a TLS server that passes requests on to this server, such as 127.0.0.1. Only its "
        "X-Forwarded headers are trusted.",
    )


@verb(ServeRequest, working="serving", present=lambda _nothing, _how: None, prints="")
def serve(request: ServeRequest) -> None:
    """Serve the pages on which people judge, until Ctrl-C.

    A judgement that the page calls saved is on the disk of the database. Stop the server before you copy an SQLite
    file. If people come from other machines, put a TLS server in front of this one, and name it with --proxy.

    \b
    nescio assess serve --db judging.db
    """
    with _opened(request.db) as database:
        from nescio.people.assessing.connections import bound, check_proxy, listening
        from nescio.people.assessing.server import application

        check_proxy(request.proxy)
        sockets = asyncio.run(bound(request.host, request.port))
        say(f"serving http://{request.host}:{request.port}/ until Ctrl-C; people open their own links")
        listening(application(database), host=request.host, port=request.port, proxy=request.proxy).run(sockets)


@verb(OfDatabase, working="reading", present=lambda standing, _: show_lines(str(standing)), prints="")
def status(request: OfDatabase) -> Any:
    """Show everybody's progress and agreement.

    \b
    nescio assess status --db judging.db
    """
    with _opened(request.db) as database:
        from nescio.people.assessing.following import status as standing

        return standing(database)


class ExportRequest(OfDatabase):
    """The options of `nescio assess export`."""

    folder: Path | str = argument(kw_only=False, argument=True, metavar="FOLDER", help="The folder to write into.")


@verb(ExportRequest, working="writing", prints="")
def export(request: ExportRequest) -> Any:
    """Write all judgements so far.

    FOLDER gets a file for each person, which `nescio campaign collect` reads. It also gets verdicts.csv, with the
    answers that were adjudicated or on which all agree. `nescio judge --judge human --against` and `nescio score
    --labels` read this table.

    \b
    nescio assess export judged --db judging.db
    """
    with _opened(request.db) as database:
        from nescio.people.assessing.exporting import export as exported

        return exported(database, request.folder)
