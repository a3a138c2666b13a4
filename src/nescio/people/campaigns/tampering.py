"""Compare the files of a campaign with its log: runs with receipts, results with their inputs, and the chain of the log
itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.errors import FormatError, MismatchError, NescioError
from nescio.people.campaigns import chain
from nescio.people.campaigns.assessors import asked_digests, check_asked
from nescio.people.campaigns.entries import TAKING, Entry, flaw
from nescio.people.campaigns.faults import Fault
from nescio.people.campaigns.folder import (
    ASKED,
    GUIDELINES,
    HANDOUT,
    HEAD,
    JUDGEMENTS,
    KEY,
    LOG,
    POOL,
    RECEIPTS,
    RESULTS,
    RETURNS,
    RUNS,
    SECRET,
    SHEETS,
    SITE,
    TOPICS,
    Campaign,
    decoded,
    drafts,
)
from nescio.people.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.people.campaigns.judgements import HISTORY, LISTS, Change, flaw_of, lists_taken_in
from nescio.people.campaigns.log import HELD, digest, digests, read_log
from nescio.people.campaigns.receipts import TOLD, is_copy, is_told, read_receipts, taken_in, told_text
from nescio.people.campaigns.runs import TO_FIT, examine
from nescio.people.campaigns.settings import SETTINGS

PENDING = "pending.json"  # in the receipts: what an intake has begun to take in
SEAL = "digests.json"  # in the site: what it was made from


def faults(campaign: Campaign) -> Iterator[Fault]:
    """Yield a fault for each difference between the files of a campaign and its log.

    If any file is a symbolic link, only the links are reported, because other checks would read files outside the
    campaign.
    """
    if linked := [*links(campaign.folder)]:
        yield from linked
        return
    broken = [Fault(LOG, line, rule) for line, rule in chain.breaks(campaign / LOG, Entry, flaw)]
    broken += [Fault(HISTORY, line, rule) for line, rule in chain.breaks(campaign / HISTORY, Change, flaw_of)]
    if not (campaign / LOG).is_file():
        broken.append(Fault(LOG, None, "the log is missing"))
    if not (campaign / SECRET).is_file():
        broken.append(
            Fault(
                SECRET,
                None,
                "the secret is missing; put the file back, because answer ids and orders of sheets depend on it",
            )
        )
    yield from broken
    if any(fault.file == LOG for fault in broken):
        return
    entries = read_log(campaign)
    yield from guarded(_held(campaign, entries))
    yield from _listed(campaign, entries)
    for path in sorted(drafts(campaign.folder)):  # no digest tells of them
        name = path.relative_to(campaign.folder).as_posix()
        yield Fault(name, None, "an interrupted step or somebody else left this file; to delete it, repeat the step")
    try:
        begun = pending(campaign)
    except MismatchError as error:
        begun = None
        yield Fault(f"{RECEIPTS}/{PENDING}", None, str(error))
    if begun is not None:
        yield Fault(f"{RECEIPTS}/{PENDING}", None, "an intake started but did not finish; repeat the step")
    yield from guarded(_receipts(campaign, entries, begun or Pending()))
    yield from guarded(_told(campaign, entries, begun or Pending()))
    yield from guarded(_heads(campaign, entries))
    yield from guarded(_made(campaign, entries))
    yield from guarded(_asked(campaign, entries))
    if _topics_changed(campaign, entries):
        yield from guarded(misfits(campaign, entries))


def guarded(found: Iterator[Fault]) -> Iterator[Fault]:
    """Yield the faults that a check finds.

    If the check ends in an error, the error becomes the last fault, so that other checks can follow.
    """
    try:
        yield from found
    except FormatError as error:
        yield Fault(str(error.path), None, error.rule, None if error.value is None else str(error.value))
    except NescioError as error:
        yield Fault(LOG, None, f"it cannot be compared with the files: {error}")
    except OSError as error:
        yield Fault(str(error.filename or LOG), None, f"it cannot be read: {error.strerror or error}")


def _made(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield a fault for each output that changed since its step, or that the log does not mention."""
    for step, place in ((POOLING, POOL), (SCORING, RESULTS), (PUBLISHING, SITE)):
        old = age(campaign, step, entries)
        if old is None and (campaign / place).exists():
            yield Fault(place, None, "no line of the log mentions this file; repeat the step, or delete the file")
        for name in old.changed if old else ():
            yield Fault(name, None, f"this file is not as nescio campaign {step} wrote it; repeat the step")


def _asked(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield a fault if the file of assessors is not as `sheets` wrote it, or was not when the answers were scored."""
    check_asked(campaign, entries)
    last = max((at for at, entry in enumerate(entries) if entry.step == SCORING), default=0)
    known = asked_digests(entries[:last])
    if known and entries[last].read.get(ASKED) not in known:
        yield Fault(ASKED, None, "when the answers were scored, this file was not as nescio wrote it; repeat the step")


class Pending(Struct, frozen=True):
    """An intake that has begun and is not finished: its time, its files and its command.

    Each file has its group, name and digest. `lines` is the number of lines that the log had before the intake.
    """

    received: str = ""
    items: tuple[tuple[str, str, str], ...] = ()
    command: str = ""
    lines: int = 0


def pending(campaign: Campaign) -> Pending | None:
    """Return the intake that did not finish, or None if there is none.

    Raises MismatchError if the file that describes the intake has other content.
    """
    path = campaign / RECEIPTS / PENDING
    if not path.is_file():
        return None
    return decoded(path, Pending, "delete this file, and accept the last delivery again")


_FILES = (SETTINGS, LOG, HEAD, SECRET, GUIDELINES)
_FOLDERS = (TOPICS, KEY, HANDOUT, RUNS, RECEIPTS, POOL, SHEETS, JUDGEMENTS, RESULTS, SITE, RETURNS)


def links(folder: Path) -> Iterator[Fault]:
    """Yield a fault for each file or folder of a campaign that is a symbolic link."""
    below = (path for place in _FOLDERS if not (folder / place).is_symlink() for path in (folder / place).rglob("*"))
    for path in sorted((*(folder / name for name in (*_FILES, *_FOLDERS)), *below)):
        if path.is_symlink():
            yield Fault(
                path.relative_to(folder).as_posix(),
                None,
                "it is a link, but nescio makes no links; put the original file back",
            )


def _held(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield a fault for each of the organisers' files that changed since the last step.

    Settings, topics and guidelines are left out, because organisers may edit them. `_listed` checks what assessors
    listed.
    """
    last = next((entry for entry in reversed(entries) if entry.held), None)
    if last is None:
        return
    there = digests(campaign, *HELD)
    if SECRET not in last.held:
        there.pop(SECRET, None)
    for name in dict.fromkeys((*last.held, *there)):
        edited = name in there and name.startswith((SETTINGS, TOPICS, GUIDELINES))  # A note says so.
        edited = edited or (name == LISTS and bool(lists_taken_in(entries)))
        if there.get(name) != last.held.get(name) and not edited:
            what = "is gone" if name not in there else "was changed" if name in last.held else "is new"
            rule = (
                f"this file {what} since the last step ({last.step}, {last.at}); if this is intended, repeat the step"
            )
            yield Fault(name, None, rule)


def _listed(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield a fault if the nuggets in the key are not those that assessors listed and `collect` took in.

    Organisers who have a key of their own may delete the list.
    """
    taken, there, has_key = lists_taken_in(entries), digest(campaign / LISTS), campaign.has_own_key
    if taken and there != taken and (there or not has_key):
        how = "run it again with the list, which the assessor corrects on the page, or you in sheets/nuggets.csv if it"
        how += " is from there; or delete this file and put a key of another name into key/"
        how = "delete this list, because there is another key" if has_key else how
        yield Fault(LISTS, None, f"these are not the nuggets that nescio campaign collect took in; {how}")


def _told(campaign: Campaign, entries: Sequence[Entry], begun: Pending) -> Iterator[Fault]:
    """Yield a fault for each text of receipts for a group that differs from the receipts in the log.

    A group's text beside its receipts is not checked while an interrupted intake has the group's runs.
    """
    coming = {group for group, *_ in begun.items}
    for group in dict.fromkeys(receipt.group for receipt in read_receipts(campaign, entries)):
        text = _exactly(campaign / RECEIPTS / group / TOLD)
        whole = text.partition("\n")[2] == told_text(campaign, group, entries)
        if not (whole and is_told(campaign, group, text, entries)) and group not in coming:
            name = f"{RECEIPTS}/{group}/{TOLD}"
            yield Fault(
                name, None, "this text differs from the receipts; nescio campaign verify --restore writes it again"
            )
    for path in sorted((campaign / RETURNS).glob(f"*/{TOLD}")):
        if not is_told(campaign, path.parent.name, _exactly(path), entries):
            name = path.relative_to(campaign.folder).as_posix()
            yield Fault(name, None, "this text differs from the receipts at its publication; repeat the step")


def _exactly(path: Path) -> str:
    """Return the text of a file with its line ends unchanged; empty if there is no file."""
    return path.read_bytes().decode(errors="replace") if path.is_file() else ""


def _receipts(campaign: Campaign, entries: Sequence[Entry], begun: Pending) -> Iterator[Fault]:
    """Yield a fault for each receipt or stored run that differs from the log, is missing, or is not in the log.

    Files of an interrupted intake, which the log does not mention yet, are not faults.
    """
    coming = {digest for *_, digest in begun.items}
    there, wrote = digests(campaign, RUNS, RECEIPTS), dict[str, str]()
    for line, entry in enumerate(entries, 1):
        for name, held in entry.wrote.items() if entry.step == TAKING else ():
            if name in wrote:
                yield Fault(LOG, line, f"an earlier line has {name} already, and no intake writes a file again")
            elif name.startswith(RECEIPTS) and there.get(name) == held and not is_copy(campaign / name, entry.about):
                yield Fault(name, None, "it differs from the receipt in the log")
            wrote[name] = held
    for name, held in wrote.items():
        if there.get(name) != held:
            what = "was changed" if name in there else "is gone"
            how = "; submit the original to nescio campaign intake again" if name.startswith(RUNS) else ""
            yield Fault(name, None, f"it {what}{how or '; nescio campaign verify --restore writes it again'}")
    for name in there:
        is_ours = name.startswith(RUNS) or name.endswith(".json")
        begun_here = there[name] in coming or any(f".{digest[:12]}." in name for digest in coming)
        if name not in wrote and is_ours and name != f"{RECEIPTS}/{PENDING}" and not begun_here:
            yield Fault(name, None, "no line of the log mentions this file: it was never accepted, and does not count")


def drop_unlogged(campaign: Campaign) -> None:
    """Delete the runs and receipts of an interrupted intake, because the log does not say that they were accepted."""
    wrote = {name for entry in read_log(campaign) for name in entry.wrote}
    for name in digests(campaign, RUNS, RECEIPTS):
        if name not in wrote and (name.startswith(RUNS) or name.endswith(".json")) and not name.endswith(PENDING):
            (campaign / name).unlink()


def _heads(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield a fault if the log or the history of judgements does not fit the digests that other files hold."""
    links = chain.links(campaign / LOG)
    last = (campaign / HEAD).read_bytes() if (campaign / HEAD).is_file() else b""
    if last not in {f"{link}\n".encode() for link in links[-2:]}:  # a step that was killed may have left the one before
        yield Fault(HEAD, None, "it is not the digest of the last line of the log: one of the two was changed")
    for name in digests(campaign, JUDGEMENTS):
        if name != HISTORY:
            yield Fault(name, None, "no line of the log mentions this file, and it does not count; delete it")
    heads = [entry.about["history"] for entry in entries if entry.step == "collect"]
    judged = chain.links(campaign / HISTORY)
    if not {*heads} <= {"", *judged}:
        yield Fault(HISTORY, None, "lines of the collected judgements are missing")
    elif judged and judged[-1] not in heads[-1:]:
        whole = judged.index(heads[-1]) + 1 if heads and heads[-1] else 0
        rule = "the log does not mention the lines from this one on: a collect was killed, or somebody else wrote them"
        yield Fault(HISTORY, whole + 1, f"{rule}; these lines do not count, and the next collect removes them")
    seal = campaign / SITE / SEAL
    if seal.is_file():
        try:
            head = decoded(seal, dict[str, Any]).get("log")
        except MismatchError:
            head = None
        if head not in chain.links(campaign / LOG):
            yield Fault(LOG, None, "the site was made from a line that is not in the log: lines were removed")


def _topics_changed(campaign: Campaign, entries: Sequence[Entry]) -> bool:
    """Return whether the topics differ from those at `init`, and from those at every pooling and scoring."""
    now = digests(campaign, TOPICS).items()
    whole = [{**entry.read, **entry.wrote} for entry in entries if entry.step in ("init", POOLING, SCORING)]
    return not any(now <= held.items() for held in whole)


def misfits(campaign: Campaign, entries: Sequence[Entry] | None = None) -> Iterator[Fault]:
    """Yield a fault for each run that counts, but would not be accepted by the current topics."""
    topics = campaign.topics()
    for run in taken_in(campaign, entries):
        submission = examine(run.path, topics, campaign.settings, accepted=run)
        if submission.faults:
            name = run.path.relative_to(campaign.folder).as_posix()
            rule = f"the changed topics make {submission.counted} in this run; {TO_FIT}"
            yield Fault(name, None, rule, str(submission.faults[0]))
