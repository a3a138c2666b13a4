"""Receipts: one for each run that was handed in, taken in or refused; and which version of a run counts."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from msgspec import Struct

from nescio.campaigns.folder import RECEIPTS, RUNS, Campaign, put
from nescio.campaigns.runs import Fault

ACCEPTED, REFUSED = "accepted", "refused"


class Receipt(Struct, frozen=True):
    """What became of a file that was handed in: when, by whom, with which SHA-256 digest, and why it was refused.

    `run` is what the run is called from now on, `version` counts those of it that were taken in. `archive` is the file
    that it was packed in, `stored` where it lies.
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

    @property
    def place(self) -> str:
        """Where it stands among the receipts."""
        stamp = "".join(c for c in self.received if c.isalnum())
        return f"{self.group}/{self.run}.{self.digest[:12]}.{stamp}.json"

    def __str__(self) -> str:
        what = f"{self.group}/{Path(self.file).name}"
        if self.status == ACCEPTED:
            return f"{self.status} {what}: {self.run}, version {self.version} (SHA-256 {self.digest[:12]}…)"
        return "\n".join(
            [f"{self.status} {what}: {'; '.join(self.reasons)}", *(f"  {fault}" for fault in self.faults[:5])]
        )


class TakenIn(Struct, frozen=True):
    """A run that counts: the last version of it that was taken in."""

    run: str
    group: str
    language: str
    path: Path
    version: int
    digest: str


def write_receipt(campaign: Campaign, receipt: Receipt) -> None:
    """Write a receipt, which makes what it says so: a run is in when its receipt is."""
    content = json.dumps(msgspec.to_builtins(receipt), ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"
    put(campaign / RECEIPTS / receipt.place, content)


def read_receipts(campaign: Campaign) -> list[Receipt]:
    """Read all receipts, in the order in which things came in."""
    paths = sorted((campaign / RECEIPTS).glob("*/*.json"))
    receipts = [msgspec.json.decode(path.read_bytes(), type=Receipt) for path in paths]
    return sorted(receipts, key=lambda receipt: (receipt.received, receipt.group, receipt.run, receipt.version or 0))


def taken_in(campaign: Campaign, receipts: list[Receipt] | None = None) -> list[TakenIn]:
    """List the runs that count, by group as the settings have them and by name."""
    last: dict[str, Receipt] = {}
    for receipt in receipts if receipts is not None else read_receipts(campaign):
        before = last.get(receipt.run)
        if receipt.status == ACCEPTED and (before is None or (receipt.version or 0) > (before.version or 0)):
            last[receipt.run] = receipt
    order = {name: i for i, name in enumerate(campaign.settings.groups)}
    return [
        TakenIn(old.run, old.group, old.language, campaign / RUNS / str(old.stored), old.version or 0, old.digest)
        for old in sorted(last.values(), key=lambda old: (order.get(old.group, len(order)), old.run))
    ]
