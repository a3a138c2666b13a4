"""Define the lines of a campaign's log, and recognise lines that no step of nescio wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from nescio._version import __version__
from nescio.errors import UsageError
from nescio.people.campaigns.faults import Fault
from nescio.people.campaigns.folder import RANKINGS, RECEIPTS, RUNS
from nescio.people.campaigns.settings import moment
from nescio.text import sanitize

ACCEPTED: Literal["accepted"] = "accepted"
REFUSED: Literal["refused"] = "refused"
TAKING, WITHDRAWN, DISQUALIFIED, LIFTED, EXTENDED = "intake", "withdraw", "disqualify", "lift", "extend"
COLLECTING, SCORED = "collect", "score"
RULINGS = (WITHDRAWN, DISQUALIFIED, LIFTED, EXTENDED)
_OTHERS = ("init", "handout", "pool", "sheets", "publish")
PlainName = Annotated[str, Meta(pattern=r"\A[\w-][\w.+-]{0,199}\Z")]  # of a folder or file, and never of another folder
MOST_RESAMPLES = 1_000_000  # of scores: who verifies the campaign of a stranger makes them again
_SUFFIX = re.compile(r"(\.[\w+-]+)?")


class Entry(Struct, frozen=True):
    """A line of the campaign's log: a step, with its time, its inputs and its outputs.

    `read` maps the names of inputs to digests, and `wrote` maps the paths of outputs to digests. `about` has the
    step's options and decisions. `held` has the digests of the organisers' files (settings, key, …) at the time.
    """

    at: str
    step: str
    read: Mapping[str, str] = field(default_factory=dict)
    wrote: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    nescio: str = __version__
    held: Mapping[str, str] = field(default_factory=dict)


class Receipt(Struct, frozen=True):
    """The receipt of a submitted file: the time, the group, the SHA-256 digest, and the reason for a refusal.

    `run` is the name of the run, and `version` the file's number among the accepted versions of the run. `archive` is
    the archive that contained the file, and `stored` the path of the copy. `reasons` has remarks if the file was
    accepted. `same` is the digest of the text without byte-order mark and carriage returns: runs with equal
    digests are one run. `aside` is text for the organisers only, because it is about other groups. `replaces` is the
    file of the previous version, if it had another name. `again` is the number of earlier receipts for the same file
    and time, which a changed rule or a ruling has made obsolete. `asked` is the digest of the topics that the run
    answers, if its ids are those of several languages (`Part.digest`).
    """

    file: str
    group: PlainName
    run: PlainName
    language: str
    received: str
    digest: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    bytes: int
    status: Literal["accepted", "refused"]
    version: int | None = None
    stored: str | None = None
    archive: str | None = None
    reasons: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    same: str = ""
    aside: str = ""
    nescio: str = __version__
    replaces: str = ""
    again: Annotated[int, Meta(ge=0)] = 0
    asked: str = ""

    @property
    def place(self) -> str:
        """Return the path of the receipt's file in the folder of receipts."""
        stamp = "".join(c for c in self.received if c.isalnum())
        again = f".{self.again}" if self.again else ""
        return f"{self.group}/{self.run}.{self.digest[:12]}.{stamp}{again}.json"

    @property
    def _version(self) -> str:
        """Return the run and its version, as in "uned_1, version 2", with the replaced file if its name differed."""
        return f"{self.run}, version {self.version}" + (f", which replaces {self.replaces}" if self.replaces else "")

    def __str__(self) -> str:
        what = sanitize(f"{self.group}/{Path(self.file).name}")
        if self.status == ACCEPTED:
            aside = sanitize(f"; {self.aside}") if self.aside else ""
            taken = f"{self.status} {what}: {sanitize(self._version)} (SHA-256 {self.digest[:12]}…){aside}"
            return "\n".join([taken, *(f"  {sanitize(remark)}" for remark in self.reasons)])
        why = sanitize("; ".join(filter(None, (*self.reasons, self.aside))))
        return "\n".join([f"{self.status} {what}: {why}", *(f"  {fault}" for fault in self.faults[:5])])

    @property
    def told(self) -> str:
        """Return the receipt as the text that the group of the run gets.

        The text has no data on other groups. Line breaks in names are replaced.
        """
        lines = [
            f"{self.status}: {self.file}",
            f"  received {self.received}, {self.bytes:,} bytes, SHA-256 {self.digest}",
            *([f"  run {self._version}"] if self.status == ACCEPTED else []),
            *(f"  {reason}" for reason in self.reasons),
            *(f"    {fault}" for fault in self.faults),
        ]
        return "\n".join(map(sanitize, lines))


class Ruling(Struct, frozen=True):
    """The organisers' decision on a run, or on the deadline of a group, with its reason."""

    step: str
    about: str
    reason: str
    until: str = ""


class ScoringPlan(Struct, frozen=True):
    """The options of `nescio campaign score`, stored in the log so that `verify` can compute the results again."""

    ranking: tuple[str, ...] = ()
    ci: Annotated[float, Meta(gt=0, lt=100)] | None = 95.0
    resamples: Annotated[int, Meta(ge=1, le=MOST_RESAMPLES)] = 10_000
    seed: Annotated[int, Meta(ge=0)] = 0

    def within(self, folder: Path) -> tuple[str, ...]:
        """Return the files of `ranking` with paths in the folder `folder` of the campaign.

        The log has these paths without the folder, so that a campaign can be moved.
        """
        placed = []
        for text in self.ranking:
            language, _, file = text.partition("=")
            placed.append(str(folder / text) if text.startswith(RANKINGS) else f"{language}={folder / file}")
        return tuple(placed)


class Collection(Struct, frozen=True):
    """The state of the history of judgements after `collect`: the digest of the last line ("" if there is none)."""

    history: str


def flaw(entry: Entry) -> str:
    """Return the reason why no step of nescio can have written this line of the log; empty if a step can have."""
    if entry.step not in (TAKING, COLLECTING, SCORED, *RULINGS, *_OTHERS):
        return f"there is no step {entry.step!r}"
    if not is_time(entry.at):
        return f"{entry.at!r} is not a time"
    try:
        if entry.step == TAKING:
            return _flaw_of(msgspec.convert(entry.about, Receipt), entry.wrote)
        if strange := _strange(entry):
            return f"nescio campaign {entry.step} does not {strange}"
        if entry.step == COLLECTING:
            msgspec.convert(entry.about, Collection)
        if entry.step == SCORED:
            msgspec.convert(entry.about, ScoringPlan)
        if entry.step in RULINGS:
            ruling = msgspec.convert({"step": entry.step, **entry.about}, Ruling)
            if entry.step == EXTENDED:
                moment(ruling.until)
    except (msgspec.ValidationError, UsageError) as error:
        return f"nescio campaign {entry.step} does not write such a line: {error}"
    return ""


def _strange(entry: Entry) -> str:
    """Return the first action in a line of the log that its step cannot have done, or "", such as "read /etc/hosts".

    Such actions are to write a run or a receipt, and to read a file outside the campaign.
    """
    if wrote := next((name for name in entry.wrote if name.startswith((f"{RUNS}/", f"{RECEIPTS}/"))), None):
        return f"write {wrote}"
    given = entry.about.get("ranking", ()) if entry.step == SCORED else ()
    kept = (text if text.startswith(RANKINGS) else text.partition("=")[2] for text in map(str, given))
    strange = (name for name in kept if not name.startswith(f"{RANKINGS}/") or ".." in PurePosixPath(name).parts)
    elsewhere = (name for name in entry.read if Path(name).is_absolute())
    read = next((name for name in (*strange, *elsewhere)), None)
    return "" if read is None else f"read {read or 'a file without a name'}"


def _flaw_of(receipt: Receipt, wrote: Mapping[str, str]) -> str:
    if not is_time(receipt.received):
        return f"{receipt.received!r} is not a time"
    place, dot, suffix = (receipt.stored or "").partition(f"{receipt.group}/{receipt.run}/{receipt.version}")
    as_stored = dot and not place and receipt.version is not None and _SUFFIX.fullmatch(suffix)
    if not (as_stored if receipt.status == ACCEPTED else receipt.stored is None):
        return f"intake does not store this run at {receipt.stored!r}"
    files = {f"{RECEIPTS}/{receipt.place}"} | ({f"{RUNS}/{receipt.stored}"} if receipt.stored else set())
    if {*wrote} != files:
        return f"the intake of this run writes only {' and '.join(sorted(files))}"
    if receipt.stored and wrote[f"{RUNS}/{receipt.stored}"] != receipt.digest:
        return f"the run stored at {receipt.stored!r} is not the submitted run"
    return ""


def is_time(text: str) -> bool:
    """Return whether a text is a time in ISO 8601 with its zone."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
