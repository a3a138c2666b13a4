"""Write and read receipts, one for each accepted or refused run, and find the version of each run that counts.

Receipts are read from the log; the files in `receipts/` are copies for people.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from nescio.errors import MismatchError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import (
    ACCEPTED,
    DISQUALIFIED,
    LIFTED,
    RULINGS,
    TAKING,
    WITHDRAWN,
    Entry,
    Receipt,
    Ruling,
)
from nescio.people.campaigns.folder import LOG, RECEIPTS, RUNS, Campaign, put
from nescio.people.campaigns.log import now, read_log, write_log

TOLD = "receipts.txt"


class TakenIn(Struct, frozen=True):
    """A run that counts, in the last version that was accepted."""

    run: str
    group: str
    language: str
    path: Path
    version: int
    digest: str
    asked: str = ""


def write_receipt(campaign: Campaign, receipt: Receipt, read: Mapping[str, str]) -> None:
    """Write a receipt to a file of its own, and then to the log; only receipts in the log count.

    `read` has the digests of the settings and topics on which the decision rests.
    """
    content = receipt_bytes(receipt)
    short = msgspec.structs.replace(receipt, faults=())
    wrote = {f"{RECEIPTS}/{receipt.place}": hashlib.sha256(content).hexdigest()}
    if receipt.stored:
        wrote[f"{RUNS}/{receipt.stored}"] = receipt.digest
    put(campaign / RECEIPTS / receipt.place, content)
    write_log(campaign, Entry(now().isoformat(), TAKING, read, wrote, msgspec.to_builtins(short)))


def receipt_bytes(receipt: Receipt) -> bytes:
    """Return the content of the file in which a receipt is stored."""
    return json.dumps(msgspec.to_builtins(receipt), ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"


def lists_faults(reasons: Sequence[object]) -> bool:
    """Return whether a receipt's file also lists faults, as the `reasons` for the refusal say.

    The receipt in the log leaves these faults out.
    """
    return any(str(reason).endswith(("fault", "faults")) for reason in reasons)


def is_copy(path: Path, about: Mapping[str, Any]) -> bool:
    """Return whether the file at `path` is a copy of the receipt `about`, which is in the log.

    The list of faults may differ, because the receipt in the log has no faults.
    """
    try:
        copy = msgspec.json.decode(path.read_bytes())
        without = {**copy, "faults": []}
    except (OSError, TypeError, *chain.UNREADABLE):
        return False
    return without == about and (lists_faults(about["reasons"]) or copy == about)


def write_told(campaign: Campaign, group: str) -> None:
    """Write the text that a group gets: the digest of the log's last line, and all receipts of the group.

    With this digest, the group can check later whether somebody has rewritten the log.
    """
    links = chain.links(campaign / LOG)
    text = f"{told_head(links)}\n{told_text(campaign, group)}"
    put(campaign / RECEIPTS / group / TOLD, text.encode(errors="replace"))


def is_told(campaign: Campaign, group: str, text: str, entries: Sequence[Entry]) -> bool:
    """Return whether `text` is a text that `write_told` wrote for a group at some time.

    The first line of the text names a line of the log. The rest must have the receipts up to this line.
    """
    head, _, rest = text.partition("\n")
    links = chain.links(campaign / LOG)
    at = next((n for n in range(1, len(links) + 1) if head == told_head(links[:n])), None)
    return at is not None and rest == told_text(campaign, group, entries[:at])


def told_head(links: Sequence[str]) -> str:
    """Return the first line of a group's text, with the digest of the log's last line; `links` are all lines' digests.

    The line does not say how many lines the log has, because that would tell the group how many files others submit.
    """
    return f"campaign.log: the last line is {links[-1]}"


def told_text(campaign: Campaign, group: str, entries: Sequence[Entry] | None = None) -> str:
    """Return the text with all receipts of a group."""
    receipts = [
        _with_faults(campaign, receipt) for receipt in read_receipts(campaign, entries) if receipt.group == group
    ]
    return "\n".join([f"{campaign.settings.name}: receipts", *(receipt.told for receipt in receipts), ""])


def _with_faults(campaign: Campaign, receipt: Receipt) -> Receipt:
    """Return a receipt of the log with the faults from the receipt's file; without faults if the file was changed."""
    path = campaign / RECEIPTS / receipt.place
    try:
        copy = msgspec.json.decode(path.read_bytes(), type=Receipt)
    except (OSError, *chain.UNREADABLE):
        return receipt
    return copy if msgspec.structs.replace(copy, faults=()) == receipt else receipt


def read_receipts(campaign: Campaign, entries: Sequence[Entry] | None = None) -> list[Receipt]:
    """Return all receipts in the order of arrival, without the faults that they list."""
    log = read_log(campaign) if entries is None else entries
    receipts = [msgspec.convert(entry.about, Receipt) for entry in log if entry.step == TAKING]
    return sorted(receipts, key=lambda receipt: (receipt.received, receipt.group, receipt.run, receipt.version or 0))


def rulings(entries: Sequence[Entry]) -> Iterator[Ruling]:
    """Yield the organisers' decisions on runs and deadlines, in the order of the log."""
    for entry in entries:
        if entry.step in RULINGS:
            yield msgspec.convert({"step": entry.step, **entry.about}, Ruling)


def disqualified(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the reasons for which runs are disqualified, keyed by run."""
    reasons: dict[str, str] = {}
    for ruling in rulings(entries):
        if ruling.step == DISQUALIFIED:
            reasons[ruling.about] = ruling.reason
        elif ruling.step == LIFTED:
            reasons.pop(ruling.about, None)
    return reasons


def taken_in(campaign: Campaign, entries: Sequence[Entry] | None = None) -> list[TakenIn]:
    """Return the runs that count, sorted by group (in the order of the settings) and then by name.

    A run counts in its last accepted version, if it was not withdrawn or disqualified, and if the settings name its
    group.
    """
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
        TakenIn(
            receipt.run,
            receipt.group,
            receipt.language,
            campaign / RUNS / str(receipt.stored),
            receipt.version or 0,
            receipt.digest,
            receipt.asked,
        )
        for receipt in sorted(last.values(), key=lambda receipt: (order.get(receipt.group, 0), receipt.run))
        if receipt.group in order and receipt.run not in out
    ]


def unnamed_groups(campaign: Campaign, receipts: Sequence[Receipt]) -> list[str]:
    """Return the groups that have an accepted run, but that `campaign.toml` does not name (any more)."""
    return sorted({receipt.group for receipt in receipts if receipt.version} - {*campaign.settings.groups})


def check_stored(run: TakenIn) -> None:
    """Raise MismatchError if the stored file of a run differs from the accepted file, or is missing."""
    held = hashlib.sha256(run.path.read_bytes()).hexdigest() if run.path.is_file() else None
    if held != run.digest:
        what = "is missing" if held is None else f"was changed after it was accepted (SHA-256 {held[:12]}…)"
        rule = f"{run.path} {what}; its receipt has the SHA-256 {run.digest[:12]}…"
        raise MismatchError(f"{rule}; to restore the file, submit the original to nescio campaign intake again")
