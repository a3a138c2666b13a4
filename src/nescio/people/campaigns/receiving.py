"""Taking runs in: whole, or refused with a receipt that says why."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import asdict, replace

from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns.archives import MOST_MEMBERS, handed_in_files, opened
from nescio.people.campaigns.checking import empty
from nescio.people.campaigns.entries import ACCEPTED, REFUSED, Entry, Receipt
from nescio.people.campaigns.folder import RECEIPTS, RUNS, TOPICS, Campaign, put, step
from nescio.people.campaigns.log import digest, digests, now, read_log
from nescio.people.campaigns.receipts import disqualified, read_receipts, taken_in, write_receipt, write_told
from nescio.people.campaigns.rulings import deadline_of
from nescio.people.campaigns.runs import (
    BROKEN,
    FILE_RULE,
    FORM_SUFFIXES,
    examine,
    is_file_name,
    plain_name,
    run_name,
)
from nescio.people.campaigns.settings import SETTINGS, is_named_for, moment, named_group
from nescio.people.campaigns.tampering import PENDING, Pending, drop_unlogged, pending
from nescio.people.campaigns.texts import canonical
from nescio.people.campaigns.topics import Topics
from nescio.sources.source import PACKED
from nescio.sources.temporary import temporary_folder
from nescio.stats.parallel import followed
from nescio.text import command_text, plural


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
        """The name of the file without folders and the suffixes of its form, of plain characters."""
        return plain_name(run_name(self.file)) or "run"

    @property
    def plain_group(self) -> str:
        """The group by plain characters, as the name of every group of the settings is."""
        return plain_name(self.group).strip(".") or "unknown"

    @property
    def run(self) -> str:
        """Return the name of the run: its file, after its group unless it begins with that."""
        return self.stem if is_named_for(self.stem, self.plain_group) else f"{self.plain_group}_{self.stem}"


class Received(Results[Receipt], frozen=True):
    """The result of `intake`: a receipt for each file."""

    @property
    def refused(self) -> int:
        """Return the number of refused files."""
        return sum(receipt.status == REFUSED for receipt in self.rows)

    @property
    def status(self) -> int:
        """Return the exit status: 2 if a file was refused."""
        return BROKEN if self.refused else 0

    def __str__(self) -> str:
        taken = len(self.rows) - self.refused
        return "\n".join([*map(str, self.rows), f"{plural(taken, 'run')} accepted, {self.refused} refused"])


class _Desk(Struct):
    """The place where runs come in: the campaign, its topics, what came in before, what was decided, the time, and the
    digests of the rules."""

    campaign: Campaign
    topics: Topics
    received: datetime
    receipts: list[Receipt]
    entries: list[Entry]
    rules: dict[str, str]


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

    `folders` are what groups sent: a folder each, named as the group, with runs or archives of runs; or a folder of
    these, in which everything else is refused. `group` says whose they are where the name of the folder does not.
    `received` is when they came in (None: now). A run has the name of its group and of its file without its suffix; a
    later version replaces an earlier one, and both are kept. Refused is what is late, of an unknown group, of another
    group, in already, one too many, too large, or has a fault. `progress` is called with
    the number of files read. Raises UsageError where there is nothing to take in.
    """
    with step(campaign) as opened:
        places = [place for folder in folders for place in _of_groups(opened, Path(folder), group)]
        given = {place: _delivered(opened, place, group) for place in places}
        items = [item for own in given.values() for item in own]
        if not items:
            raise UsageError("there is no file to accept")
        time = _begun(opened, items, moment(received) if received else now(), folders, group)
        entries = read_log(opened)
        desk = _Desk(
            opened, opened.topics(), time, read_receipts(opened, entries), entries, digests(opened, SETTINGS, TOPICS)
        )
        # What could not be opened is no run, whatever its name.
        runs = Counter(item.run.casefold() for item in items if item.why is None)
        rows = [_take(desk, item, alone=runs[item.run.casefold()] < 2) for item in followed(items, progress)]
        for name in dict.fromkeys(row.group for row in rows):
            write_told(opened, name)
        (opened / RECEIPTS / PENDING).unlink()
    line = sign(campaign="intake", name=opened.settings.name, task=opened.settings.task, received=time.isoformat())
    return Received(tuple(rows), line, tuple(empty([folder for folder, own in given.items() if not own])), "receipts")


def _of_groups(campaign: Campaign, folder: Path, group: str | None) -> list[Path]:
    """Return everything in a folder that holds folders of groups, or else the folder itself. Whatever lies beside the
    groups' folders belongs to no group, and is refused with a receipt."""
    groups = campaign.settings.groups
    if group or not folder.is_dir() or folder.resolve().name in groups:
        return [folder]
    held = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    return held if any(path.is_dir() and path.name in groups for path in held) else [folder]


def _delivered(campaign: Campaign, folder: Path, group: str | None) -> list[Delivered]:
    """List the files of a folder, with the files in its archives; an archive that cannot be opened is listed itself."""
    if not folder.exists() and not folder.is_symlink():
        raise UsageError(f"{folder}: there is no such file or folder")
    whose = group or (folder if folder.is_dir() else folder.absolute().parent).resolve().name
    files = [folder]
    if folder.is_dir():
        files = handed_in_files(folder)
        if len(files) > MOST_MEMBERS:
            raise UsageError(f"{folder}: the folder holds more than {MOST_MEMBERS:,} files; accept them in parts")
    items = []
    for path in files:
        label = str(path.relative_to(folder)) if folder.is_dir() else path.name
        contents, refused = opened(path, campaign.settings.most_bytes)
        if refused:
            items.append(Delivered(label, whose, b"", _digest_of(path, campaign.settings.most_bytes), why=refused))
        for name, content in contents:
            archive = label if name != path.name else None
            inner = str(PurePosixPath(label).parent / name) if archive else label
            items.append(Delivered(inner, whose, content, hashlib.sha256(content).hexdigest(), archive))
    return items


def _digest_of(path: Path, most: int) -> str:
    """Return the digest of a file that is refused: of its size and its first bytes where it is too large to read."""
    if path.is_symlink():
        return hashlib.sha256(str(path.readlink()).encode()).hexdigest()
    if not path.is_file():
        return hashlib.sha256().hexdigest()
    if (size := path.stat().st_size) > most:
        with path.open("rb") as file:
            return hashlib.sha256(b"%d bytes, the first of them " % size + file.read(1 << 20)).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _begun(
    campaign: Campaign, items: Sequence[Delivered], time: datetime, folders: Sequence[Path | str], group: str | None
) -> datetime:
    """Write down what is taken in and when; where the same was begun before and not ended, it goes on with its time."""
    place = campaign / RECEIPTS / PENDING
    listed = tuple((item.group, item.file, item.digest) for item in items)
    before = pending(campaign)
    if before is not None:
        if before.items == listed:
            return moment(before.received, place)
        drop_unlogged(campaign)
    words = ["nescio", "campaign", "intake", str(campaign.folder), *map(str, folders)]
    words += ["--received", time.isoformat(), *(["--group", group] if group else [])]
    begun = Pending(time.isoformat(), listed, command_text(words))
    put(place, json.dumps(asdict(begun)).encode(errors="replace"))
    return time


def _take(desk: _Desk, item: Delivered, *, alone: bool) -> Receipt:
    """Take one file in, or refuse it; what has a receipt of this time already keeps it."""
    receipt = Receipt(
        item.file,
        item.plain_group,
        item.run,
        "",
        desk.received.isoformat(),
        item.digest,
        len(item.content),
        REFUSED,
        archive=item.archive,
        same=hashlib.sha256(canonical(item.content)).hexdigest() if item.content else "",
    )
    before = next((old for old in desk.receipts if old.place == receipt.place), None)
    if before is not None:
        return before
    why, aside = _why_not(desk, item, receipt, alone=alone)
    receipt = replace(receipt, reasons=(why,), aside=aside) if why else _checked(desk, item, receipt)
    write_receipt(desk.campaign, receipt, desk.rules)
    desk.receipts.append(receipt)
    return receipt


_Why = tuple[str, str]  # why a run is not taken in, and what the organisers alone are told
_RENAME = "runs of this group cannot have this name; rename the file"
_ASK = "it cannot be accepted as it is; ask the organisers"


def _why_not(desk: _Desk, item: Delivered, receipt: Receipt, *, alone: bool) -> _Why:
    """Say why a run is not taken in, whatever it holds; empty if it may be. A team is told nothing of others."""
    settings = desk.campaign.settings
    deadline = deadline_of(desk.campaign, item.group, desk.entries)
    if item.group not in settings.groups:
        return (
            f"there is no group {item.group!r}",
            f"groups are {', '.join(settings.groups)} (--group names the group of a file)",
        )
    other = named_group(item.stem, settings.groups)
    if other not in ("", item.group):
        return _RENAME, f"its name says that it is a run of {other}, but it came from {item.group}"
    out = disqualified(desk.entries)
    late = f"it came after the deadline, {deadline:%Y-%m-%d %H:%M} UTC" if deadline else ""
    rules = {
        str(item.why): item.why is not None,
        late: deadline is not None and desk.received > deadline,
        "two files in this delivery are runs with this name": not alone,
        f"the run is disqualified: {out.get(receipt.run)}": receipt.run in out,
        FILE_RULE: not is_file_name(PurePosixPath(item.file).name),
    }
    if broken := next((rule for rule, holds in rules.items() if holds), None):
        return broken, ""
    # The group of a run that is in may be the beginning of another's, which came later.
    before = {old.run.casefold(): old.group for old in desk.receipts if old.status == ACCEPTED}
    if (owner := before.get(receipt.run.casefold(), receipt.group)) != receipt.group:
        return _RENAME, f"a run of {owner} has this name"
    return _in_already(desk, item, receipt, out)


def _in_already(desk: _Desk, item: Delivered, receipt: Receipt, out: Mapping[str, str]) -> _Why:
    """Say where the same run, or one of nearly the same name, came in before; `out` are the disqualified ones, with
    the reason. A stored copy of it that was changed or lost is put back."""
    counting = {(run.run, run.version) for run in taken_in(desk.campaign, read_log(desk.campaign))}
    accepted = [old for old in desk.receipts if old.status == ACCEPTED]
    for old in accepted:
        stored = desk.campaign / RUNS / str(old.stored)
        if old.digest == item.digest and digest(stored) != old.digest:
            put(stored, item.content)
            aside = f"version {old.version} of {old.run} had been changed in the folder, and the original was put back"
            return "it was already accepted", aside
    for old in accepted:
        if old.same == receipt.same and ((old.run, old.version) in counting or old.run in out):
            if old.group != item.group:
                return _ASK, f"{old.group} submitted the same file"
            said = f"it was already accepted, as version {old.version} of {old.run}, received {old.received}"
            return (
                f"it is the file of {old.run}, which is disqualified: {out[old.run]}" if old.run in out else said
            ), ""
    latest = {old.run.casefold(): old for old in accepted}
    known = latest.get(receipt.run.casefold())
    # What came in later than now came in under a wrong clock, and keeps nothing out.
    later = [old for old in accepted if old.run == receipt.run and desk.received < moment(old.received) <= now()]
    if later:
        return f"a version received later ({later[-1].received}) was already accepted", ""
    if known is not None and known.run != receipt.run:
        return f"{known.run} has the same name except for case", ""
    return "", ""


def _checked(desk: _Desk, item: Delivered, receipt: Receipt) -> Receipt:
    settings = desk.campaign.settings
    suffix = PurePosixPath(item.file).suffix.lower()
    suffix = suffix if suffix in (*FORM_SUFFIXES, *PACKED) else ""
    with temporary_folder() as folder:
        path = folder / PurePosixPath(item.file).parent.name / f"run{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(item.content)
        run = examine(path, desk.topics, settings, name=item.stem, label=item.file)
    if run.faults:
        return replace(receipt, reasons=(run.counted,), faults=run.listed)
    own = {
        one.run
        for one in taken_in(desk.campaign, read_log(desk.campaign))
        if (one.group, one.language) == (item.group, run.language)
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
    versions = {old.version or 0: old for old in desk.receipts if (old.status, old.run) == (ACCEPTED, receipt.run)}
    version = max(versions, default=0) + 1
    before = versions[version - 1].file if versions and receipt.run in own else ""
    replaces = before if PurePosixPath(before).name != PurePosixPath(item.file).name else ""
    stored = f"{item.group}/{receipt.run}/{version}{suffix}"
    put(desk.campaign / RUNS / stored, item.content)
    return replace(receipt, status=ACCEPTED, language=run.language, version=version, stored=stored, replaces=replaces)
