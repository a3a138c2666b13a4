"""Receipts: one for each run that was handed in, taken in or refused; and which version of a run counts.

The log holds them, and is believed; the files in `receipts/` are copies, for people.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from nescio._version import __version__
from nescio.campaigns import chain
from nescio.campaigns.folder import LOG, RECEIPTS, RUNS, Campaign, put
from nescio.campaigns.log import Entry, now, read_log, write_log
from nescio.campaigns.runs import Fault
from nescio.errors import MismatchError
from nescio.text import plural, sanitize

TOLD = "receipts.txt"
ACCEPTED, REFUSED = "accepted", "refused"
TAKING, WITHDRAWN, DISQUALIFIED, LIFTED, EXTENDED = "intake", "withdraw", "disqualify", "lift", "extend"


class Receipt(Struct, frozen=True):
    """What became of a file that was handed in: when, by whom, with which SHA-256 digest, and why it was refused.

    `run` is what the run is called from now on, `version` counts those of it that were taken in. `archive` is the file
    that it was packed in, `stored` where it lies. `same` is the digest of its text without byte-order mark and carriage
    returns: runs that share it are one run. `aside` is what the organisers alone are told, as it is about others.
    """

    file: str
    group: str
    run: str
    language: str
    received: str
    digest: str
    bytes: int
    status: str
    version: int | None = None
    stored: str | None = None
    archive: str | None = None
    reasons: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    same: str = ""
    aside: str = ""
    nescio: str = __version__

    @property
    def place(self) -> str:
        """Where it stands among the receipts."""
        stamp = "".join(c for c in self.received if c.isalnum())
        return f"{self.group}/{self.run}.{self.digest[:12]}.{stamp}.json"

    def __str__(self) -> str:
        what = sanitize(f"{self.group}/{Path(self.file).name}")
        if self.status == ACCEPTED:
            return f"{self.status} {what}: {self.run}, version {self.version} (SHA-256 {self.digest[:12]}…)"
        why = sanitize("; ".join(filter(None, (*self.reasons, self.aside))))
        return "\n".join([f"{self.status} {what}: {why}", *(f"  {fault}" for fault in self.faults[:5])])

    @property
    def told(self) -> str:
        """The receipt as its team gets it: nothing in it is about others, and no name in it makes a line of its own."""
        lines = [
            f"{self.status}: {self.file}",
            f"  received {self.received}, {self.bytes:,} bytes, SHA-256 {self.digest}",
            *([f"  run {self.run}, version {self.version}"] if self.status == ACCEPTED else []),
            *(f"  {reason}" for reason in self.reasons),
            *(f"    {fault}" for fault in self.faults),
        ]
        return "\n".join(map(sanitize, lines))


class TakenIn(Struct, frozen=True):
    """A run that counts: the last version of it that was taken in."""

    run: str
    group: str
    language: str
    path: Path
    version: int
    digest: str


class Ruling(Struct, frozen=True):
    """What was decided about a run, or about the deadline of a group, and why."""

    step: str
    about: str
    reason: str
    until: str = ""


def write_receipt(campaign: Campaign, receipt: Receipt, read: Mapping[str, str]) -> None:
    """Write a receipt: a run is in when the log says so, and the file is its copy; `read` are the digests of the rules
    that it was held against."""
    content = receipt_bytes(receipt)
    short = msgspec.structs.replace(receipt, faults=())
    wrote = {f"{RECEIPTS}/{receipt.place}": hashlib.sha256(content).hexdigest()}
    if receipt.stored:
        wrote[f"{RUNS}/{receipt.stored}"] = receipt.digest
    put(campaign / RECEIPTS / receipt.place, content)
    write_log(campaign, Entry(now().isoformat(), TAKING, read, wrote, msgspec.to_builtins(short)))


def receipt_bytes(receipt: Receipt) -> bytes:
    """Return a receipt as it is written."""
    return json.dumps(msgspec.to_builtins(receipt), ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"


def write_told(campaign: Campaign, group: str) -> None:
    """Write what a group is told of everything that it handed in, as a text, below the digest of the log's last line,
    by which the group can show later that the log was not written anew."""
    links = chain.links(campaign / LOG)
    text = f"{told_head(links)}\n{told_text(campaign, group)}"
    put(campaign / RECEIPTS / group / TOLD, text.encode(errors="replace"))


def told_head(links: Sequence[str]) -> str:
    """Return what a group is told of the log, whose lines have these digests."""
    return f"campaign.log: {plural(len(links), 'line')}, the last {links[-1]}"


def told_text(campaign: Campaign, group: str) -> str:
    """Return what a group is told of everything that it handed in."""
    own = [_with_faults(campaign, one) for one in read_receipts(campaign) if one.group == group]
    return "\n".join([f"{campaign.settings.name}: receipts", *(one.told for one in own), ""])


def _with_faults(campaign: Campaign, receipt: Receipt) -> Receipt:
    """Return a receipt of the log with the faults that its file lists, if that is what was written."""
    path = campaign / RECEIPTS / receipt.place
    try:
        copy = msgspec.json.decode(path.read_bytes(), type=Receipt)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return receipt
    return copy if msgspec.structs.replace(copy, faults=()) == receipt else receipt


def read_receipts(campaign: Campaign, entries: Sequence[Entry] | None = None) -> list[Receipt]:
    """Read all receipts, without the faults that they list, in the order in which things came in."""
    log = read_log(campaign) if entries is None else entries
    receipts = [msgspec.convert(entry.about, Receipt) for entry in log if entry.step == TAKING]
    return sorted(receipts, key=lambda receipt: (receipt.received, receipt.group, receipt.run, receipt.version or 0))


def rulings(entries: Sequence[Entry]) -> Iterator[Ruling]:
    """Yield what was decided about runs and deadlines, in order."""
    for entry in entries:
        if entry.step in (WITHDRAWN, DISQUALIFIED, LIFTED, EXTENDED):
            yield msgspec.convert({"step": entry.step, **entry.about}, Ruling)


def disqualified(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the runs that are disqualified, with the reason."""
    own: dict[str, str] = {}
    for ruling in rulings(entries):
        if ruling.step == DISQUALIFIED:
            own[ruling.about] = ruling.reason
        elif ruling.step == LIFTED:
            own.pop(ruling.about, None)
    return own


def taken_in(campaign: Campaign, entries: Sequence[Entry] | None = None) -> list[TakenIn]:
    """List the runs that count, by group as the settings have them and by name: the last version of each that was not
    withdrawn since, of a group that the settings name, and not disqualified."""
    log = read_log(campaign) if entries is None else entries
    last: dict[str, Receipt] = {}
    for entry in log:
        if entry.step == WITHDRAWN:
            last.pop(entry.about["about"], None)
        if entry.step == TAKING and entry.about["status"] == ACCEPTED:
            receipt = msgspec.convert(entry.about, Receipt)
            last[receipt.run] = receipt
    out = disqualified(log)
    order = {name: i for i, name in enumerate(campaign.settings.groups)}
    return [
        TakenIn(old.run, old.group, old.language, campaign / RUNS / str(old.stored), old.version or 0, old.digest)
        for old in sorted(last.values(), key=lambda old: (order.get(old.group, 0), old.run))
        if old.group in order and old.run not in out
    ]


def check_stored(run: TakenIn) -> None:
    """Raise MismatchError where the stored file of a run is not what came in."""
    held = hashlib.sha256(run.path.read_bytes()).hexdigest() if run.path.is_file() else None
    if held != run.digest:
        what = "is gone" if held is None else f"was changed since it came in (SHA-256 {held[:12]}…)"
        rule = f"{run.path} {what}; its receipt has {run.digest[:12]}…. Take in the original again, which puts it back"
        raise MismatchError(rule)
