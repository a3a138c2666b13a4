"""Verify a campaign: compare its files with its log, and make pool, results and site again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.data.signature import sign
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import Entry
from nescio.people.campaigns.faults import Fault, Faults
from nescio.people.campaigns.folder import LOG, RECEIPTS, SECRET, Campaign, open_campaign, put, step, text_of
from nescio.people.campaigns.log import HELD, digest, digests, read_log
from nescio.people.campaigns.receipts import lists_faults, read_receipts, receipt_bytes, write_told
from nescio.people.campaigns.repeating import UNCHECKED, repeatable, repeated
from nescio.people.campaigns.settings import SETTINGS
from nescio.people.campaigns.tampering import faults, guarded, links
from nescio.sources.locks import locked
from nescio.text import on_one_line, plural

LONGEST = 200  # characters of an argument that a message quotes
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


class Verified(Faults, frozen=True):
    """The result of `verify`: the state of the log, and a fault for each difference between files and log."""

    def __str__(self) -> str:
        (state,) = self.tables["log"]
        lines = [
            *map(str, self.rows),
            f"campaign.log: {plural(state.lines, 'line')}"
            + (f"; the digest of the last line is {state.head}" if state.lines else ""),
        ]
        lines.append(f"{plural(len(self.rows), 'fault')}" if self.rows else "everything matches the log")
        return "\n".join(lines)


class LogState(Struct, frozen=True):
    """The state of the log: the number of its lines, and the digest of the last line."""

    lines: int
    head: str


def verify(
    campaign: Path | str, *, restore: bool = False, against: Path | str | None = None, progress: Progress | None = None
) -> Verified:
    """Check a campaign against its log, and return the faults.

    First the log, the runs with their receipts, and the collected judgements are checked. Then pool, results and site
    are made again and compared with the existing files, unless a fault makes this impossible.

    An output whose input has changed since cannot be made again: this is a fault, as is any other impossible check.
    `restore` first writes changed or lost receipts again, from the log. `against` is a digest of the log that somebody
    kept outside the folder, or a file (or its text) that begins with such a digest: the receipts of a group, or
    `digests.json` of the site. It may also be a copy of the log. Only such a copy can show that the log was rewritten,
    and only up to the line with this digest. `progress` is called with the progress of each step. Raises UsageError if
    the folder is not a campaign, and if a step ran while the files were read.
    """
    if (Path(campaign) / SETTINGS).is_symlink():
        raise MismatchError(
            f"{Path(campaign) / SETTINGS} is a link, but nescio makes no links; put the original file back"
        )
    opened = open_campaign(campaign)
    linked = any(links(opened.folder))
    if restore and not linked:
        with step(campaign):
            _restore(opened)
    before = digest(opened / LOG)
    meanwhile = UsageError(f"a step of {opened.folder} ran meanwhile; run nescio campaign verify again")
    try:
        outcome = _verified(opened, against, progress, linked=linked)
    except (MismatchError, FormatError, OSError):
        if digest(opened / LOG) != before or _at_work(opened.folder):
            raise meanwhile from None
        raise
    if digest(opened / LOG) != before or (outcome.rows and _at_work(opened.folder)):
        raise meanwhile
    return outcome


def _at_work(folder: Path) -> bool:
    """Return whether a step of a campaign is running."""
    try:
        with locked(folder) as free:
            return not free
    except OSError:  # where nobody may write, no step runs
        return False


def _verified(opened: Campaign, against: Path | str | None, progress: Progress | None, *, linked: bool) -> Verified:
    anchored = () if against is None else _not_in_log(opened, str(against))
    rows, notes = [*guarded(faults(opened)), *anchored], list[Note]()
    entries = list[Entry]()
    with suppress(MismatchError):  # a fault says so
        entries = [] if linked else read_log(opened)
    if entries:
        notes = [*_backwards(entries), *_changes(opened, entries)]
    again, left = list[Fault](), bool(rows)
    if repeatable(opened, entries, rows):
        again = [*guarded(repeated(opened, entries, progress))]
        left = left and any(fault.rule.startswith(UNCHECKED) for fault in again)
    rows += [fault for fault in again if not (left and fault.rule.startswith(UNCHECKED))]
    if left:  # because of a fault that is told already
        notes.append(
            note(
                "campaign.not_repeated",
                "nescio did not repeat all steps that make pool, results and site, because there are faults",
            )
        )
    lines = chain.links(opened / LOG)
    state = LogState(len(lines), lines[-1] if lines else "")
    line = sign(campaign="verify", name=opened.settings.name, lines=len(lines))
    return Verified(tuple(rows), line, tuple(notes), "faults", {"log": (state,)})


def _not_in_log(campaign: Campaign, against: str) -> Iterator[Fault]:
    """Yield a fault if no line of the log has the digest that somebody kept.

    `against` is the digest itself, a file that begins with the digest, the text of such a file, or a copy of the log.
    """
    path, text = Path(against), against  # a long text is the name of no file
    if digest(path):
        text = chain.links(path)[-1] if chain.last_row(path, Entry) else text_of(path)
    try:
        kept = {*_DIGEST.findall(json.loads(text)["log"].casefold())}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Below the first line, a receipt quotes what groups wrote.
        kept = {*_DIGEST.findall(text.partition("\n")[0].casefold())}
    if len(kept) != 1:
        rule = "neither a digest of 64 hexadecimal digits nor a file that begins with one digest of the log"
        raise UsageError(f"{on_one_line(against[:LONGEST])}: {rule}")
    (held,) = kept
    if held not in chain.links(campaign / LOG):
        yield Fault(LOG, None, f"no line has the digest {held}, which was kept earlier: somebody rewrote the log")


def _changes(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Note]:
    """Yield notes on the organisers' files that changed between two steps, or since the last step."""
    for number, (before, after) in enumerate(pairwise(entries), 2):
        known = {*before.held, *after.held} - {*after.wrote}  # what a step writes is no change between steps
        if SECRET not in before.held:
            known.discard(SECRET)  # which the first line leaves out
        names = [name for name in sorted(known) if after.held.get(name) != before.held.get(name)]
        if before.held and after.held and names:
            yield note(
                "campaign.changed_between",
                "{subject} changed between lines {before} and {after} of the log",
                ", ".join(names),
                before=number - 1,
                after=number,
            )
    there = digests(campaign, *HELD)
    last = entries[-1].held
    names = [name for name in {**last, **there} if there.get(name) != last.get(name)]
    if names:
        yield note("campaign.changed_since", "{subject} changed since the last line of the log", ", ".join(names))


def _backwards(entries: Sequence[Entry]) -> Iterator[Note]:
    """Yield a note for each line of the log with an earlier time than the line before it.

    Earlier versions of nescio wrote such lines when a clock was set back.
    """
    for number, (before, after) in enumerate(pairwise(entries), 2):
        if datetime.fromisoformat(after.at) < datetime.fromisoformat(before.at):
            yield note(
                "campaign.earlier_time",
                "line {line} of the log has the time {after}, but the line before it has the later time {before}: a "
                "clock was wrong, or somebody rewrote the log",
                line=number,
                after=after.at,
                before=before.at,
            )


def _restore(campaign: Campaign) -> None:
    """Write the receipts again from the log, except receipts that list faults, because the log has no faults."""
    receipts = read_receipts(campaign)
    for receipt in receipts:
        if not lists_faults(receipt.reasons):
            put(campaign / RECEIPTS / receipt.place, receipt_bytes(receipt))
    for group in dict.fromkeys(receipt.group for receipt in receipts):
        write_told(campaign, group)
