"""Taking runs in: whole, or refused with a receipt that says why."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from nescio.campaigns.archives import unpacked
from nescio.campaigns.checking import empty
from nescio.campaigns.folder import RECEIPTS, RUNS, Campaign, put, step
from nescio.campaigns.receipts import ACCEPTED, REFUSED, Receipt, read_receipts, write_receipt
from nescio.campaigns.runs import BROKEN, examine
from nescio.campaigns.settings import is_named_for, moment
from nescio.campaigns.topics import Topics
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import NescioError, UsageError
from nescio.options.edge import Progress
from nescio.stats.parallel import followed
from nescio.text import plural

PENDING = "pending.json"
_PLAIN = re.compile(r"[^\w.-]")


class Delivered(Struct, frozen=True):
    """A file that a group hands in; `why` says why it was refused before it was looked into."""

    file: str
    group: str
    content: bytes
    digest: str
    archive: str | None = None
    why: str | None = None

    @property
    def stem(self) -> str:
        """The name of the file without folders and suffixes, of plain characters."""
        return _PLAIN.sub("_", PurePosixPath(self.file).name.partition(".")[0])[:60] or "run"


class Received(Results[Receipt], frozen=True):
    """What `intake` did: a receipt for each file."""

    @property
    def refused(self) -> int:
        """How many files were refused."""
        return sum(receipt.status == REFUSED for receipt in self.rows)

    @property
    def status(self) -> int:
        """The exit status: 2 if a file was refused."""
        return BROKEN if self.refused else 0

    def __str__(self) -> str:
        taken = len(self.rows) - self.refused
        return "\n".join([*map(str, self.rows), f"{plural(taken, 'run')} accepted, {self.refused} refused"])


class _Desk(Struct):
    """The place where runs come in: the campaign, its topics, what came in before, and the time."""

    campaign: Campaign
    topics: Topics
    received: datetime
    receipts: list[Receipt]


def intake(
    campaign: Path | str,
    folders: Sequence[Path | str],
    *,
    group: str | None = None,
    received: str | datetime | None = None,
    progress: Progress | None = None,
) -> Received:
    """Take runs in, whole, or refuse them; each file gets a receipt.

        print(nescio.campaign.intake("campaign", ["runs/mine.jsonl"], group="uned", received="2026-06-01"))

    `folders` are what groups sent: a folder each, named as the group, with runs or archives of runs. `group` says whose
    they are where the name of the folder does not. `received` is when they came in (None: now). A run has the name of
    its group and of its file; a later version replaces an earlier one, and both are kept. Refused is what is late, of
    an unknown group, of another group, in already, one too many, too large, or has a fault. `progress` is called with
    the number of files read. Raises UsageError where there is nothing to take in.
    """
    with step(campaign) as opened:
        given = {Path(folder): _delivered(opened, Path(folder), group) for folder in folders}
        items = [item for own in given.values() for item in own]
        if not items:
            raise UsageError("there is no file to take in")
        time = moment(received) if received else datetime.now(UTC).replace(microsecond=0)
        time = _begun(opened, items, time)
        desk = _Desk(opened, opened.topics(), time, read_receipts(opened))
        twice = Counter((item.group, item.stem.casefold()) for item in items)
        rows = [
            _take(desk, item, alone=twice[item.group, item.stem.casefold()] == 1) for item in followed(items, progress)
        ]
        (opened / RECEIPTS / PENDING).unlink()
    line = sign(campaign="intake", name=opened.settings.name, task=opened.settings.task, received=time.isoformat())
    return Received(tuple(rows), line, tuple(empty([folder for folder, own in given.items() if not own])), "receipts")


def _delivered(campaign: Campaign, folder: Path, group: str | None) -> list[Delivered]:
    """List the files of a folder, those of archives among them; one that cannot be opened stands for itself."""
    if not folder.exists():
        raise UsageError(f"{folder}: there is no such file or folder")
    whose = group or (folder if folder.is_dir() else folder.absolute().parent).resolve().name
    files = [folder]
    if folder.is_dir():
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink()]
        files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    items = []
    for path in files:
        label = str(path.relative_to(folder)) if folder.is_dir() else path.name
        try:
            contents = [*unpacked(path, campaign.settings.most_bytes)]
            refused = None if contents else "there is no file in it"
        except (NescioError, OSError) as error:
            contents, refused = [], str(error)
        if refused:
            items.append(Delivered(label, whose, b"", _digest_of(path), why=refused))
        for name, content in contents:
            archive = label if name != path.name else None
            inner = str(PurePosixPath(label).parent / name) if archive else label
            items.append(Delivered(inner, whose, content, hashlib.sha256(content).hexdigest(), archive))
    return items


def _digest_of(path: Path) -> str:
    if path.is_symlink():
        return hashlib.sha256(str(path.readlink()).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _begun(campaign: Campaign, items: Sequence[Delivered], time: datetime) -> datetime:
    """Write down what is taken in and when; where the same was begun before and not ended, it goes on with its time."""
    place = campaign / RECEIPTS / PENDING
    listed = [[item.group, item.file, item.digest] for item in items]
    if place.is_file():
        before = json.loads(place.read_text(encoding="utf-8"))
        if before["items"] == listed:
            return moment(before["received"])
    put(place, json.dumps({"received": time.isoformat(), "items": listed}).encode())
    return time


def _take(desk: _Desk, item: Delivered, *, alone: bool) -> Receipt:
    """Take one file in, or refuse it; what has a receipt of this time already keeps it."""
    known = item.group in desk.campaign.settings.groups
    group = item.group if known else _PLAIN.sub("_", item.group)[:60].strip(".") or "unknown"
    receipt = Receipt(
        item.file,
        group,
        _name(group, item.stem),
        "",
        desk.received.isoformat(),
        item.digest,
        len(item.content),
        REFUSED,
        archive=item.archive,
    )
    before = next((old for old in desk.receipts if old.place == receipt.place), None)
    if before is not None:
        return before
    why = item.why or _why_not(desk, item, receipt, alone=alone)
    receipt = replace(receipt, reasons=(why,)) if why else _checked(desk, item, receipt)
    write_receipt(desk.campaign, receipt)
    desk.receipts.append(receipt)
    return receipt


def _name(group: str, stem: str) -> str:
    """Return what a run is called: its file, with its group before it unless it stands there already."""
    return stem if is_named_for(stem, group) else f"{group}_{stem}"


def _why_not(desk: _Desk, item: Delivered, receipt: Receipt, *, alone: bool) -> str | None:
    """Say why a run is not taken in, whatever it holds."""
    settings = desk.campaign.settings
    if item.group not in settings.groups:
        return f"there is no group {item.group!r}; groups are {', '.join(settings.groups)}"
    for other in settings.groups:
        if other != item.group and is_named_for(item.stem, other):
            return f"its name says that it is a run of {other}, but it came from {item.group}"
    if settings.deadline and desk.received > settings.deadline:
        return f"it came after the deadline, {settings.deadline:%Y-%m-%d %H:%M} UTC"
    if not alone:
        return "two files in this delivery are runs with this name"
    return _in_already(desk, item, receipt.run)


def _in_already(desk: _Desk, item: Delivered, run: str) -> str | None:
    """Say where the same bytes, or a run of nearly the same name, came in before."""
    latest = {old.run.casefold(): old for old in desk.receipts if old.status == ACCEPTED}
    for old in latest.values():
        if old.digest == item.digest and old.group == item.group:
            return f"it was already accepted, as version {old.version} of {old.run}, received {old.received}"
        if old.digest == item.digest:
            return "another group submitted the same file"
    known = latest.get(run.casefold())
    if known is not None and known.run == run and moment(known.received) > desk.received:
        return f"a version received later ({known.received}) is in"
    return f"{known.run} has the same name except for case" if known is not None and known.run != run else None


def _checked(desk: _Desk, item: Delivered, receipt: Receipt) -> Receipt:
    settings = desk.campaign.settings
    suffix = "".join(PurePosixPath(item.file).suffixes[-1:]).lower()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PurePosixPath(item.file).parent.name / f"run{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(item.content)
        run = examine(path, desk.topics, name=item.stem, label=item.file)
    if run.faults:
        return replace(receipt, reasons=(f"{plural(len(run.faults), 'fault')}",), faults=run.faults)
    own = {
        old.run
        for old in desk.receipts
        if (old.status, old.group, old.language) == (ACCEPTED, item.group, run.language)
    }
    if receipt.run not in own and len(own) >= settings.runs:
        where = f" in {run.language}" if run.language else ""
        return replace(
            receipt,
            reasons=(
                f"{item.group} has {plural(len(own), 'run')}{where} already ({', '.join(sorted(own))}), the most "
                "allowed",
            ),
        )
    versions = [old.version or 0 for old in desk.receipts if (old.status, old.run) == (ACCEPTED, receipt.run)]
    version = max(versions, default=0) + 1
    stored = f"{item.group}/{receipt.run}/{version}{suffix}"
    put(desk.campaign / RUNS / stored, item.content)
    return replace(receipt, status=ACCEPTED, language=run.language, version=version, stored=stored)
