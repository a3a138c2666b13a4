"""Is everything in a campaign what its log says? Runs against receipts, results against what they were made from, and
the chain of the log itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from nescio.campaigns import chain
from nescio.campaigns.folder import (
    HEAD,
    LOG,
    RECEIPTS,
    RUNS,
    SECRET,
    SITE,
    TOPICS,
    Campaign,
    open_campaign,
    put,
    text_of,
)
from nescio.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.campaigns.judgements import HISTORY
from nescio.campaigns.log import HELD, Entry, digests, read_log
from nescio.campaigns.receipts import (
    TAKING,
    TOLD,
    read_receipts,
    receipt_bytes,
    taken_in,
    told_head,
    told_text,
    write_told,
)
from nescio.campaigns.runs import Fault, Faults, examine
from nescio.campaigns.settings import SETTINGS
from nescio.data.notes import Note, note
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.text import plural

PENDING = "pending.json"  # in the receipts: what an intake has begun to take in
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
SEAL = "digests.json"  # in the site: what it was made from


class Verified(Faults, frozen=True):
    """What `verify` found: a fault for each thing that is not what the log says."""

    def __str__(self) -> str:
        (state,) = self.tables["log"]
        lines = [*map(str, self.rows), f"campaign.log: {plural(state.lines, 'line')}, the last {state.head}"]
        lines.append(f"{plural(len(self.rows), 'fault')}" if self.rows else "everything is what the log says")
        return "\n".join(lines)


class LogState(Struct, frozen=True):
    """The log: how many lines it has, and the digest of the last."""

    lines: int
    head: str


def verify(
    campaign: Path | str,
    *,
    restore: bool = False,
    against: Path | str | None = None,
    progress: Progress | None = None,
) -> Verified:
    """Check a campaign against its log: the chain, runs against receipts, judgements against what was collected; then
    make pool, results and site again, and hold them against those that are there.

        print(nescio.campaign.verify("campaign"))

    What is only older than what it was made from is stale: a note says so, and with `against` a fault. `restore` first
    writes receipts again that were changed or lost, from the log. `against` is a digest of the log that somebody kept
    outside the folder, or a file that begins with one: the receipts of a group, or `digests.json` of the site. Only
    such a copy shows that the log was written anew, and only up to the line that it names. `progress` hears how far
    each step is. Raises UsageError where the
    folder is no campaign.
    """
    from nescio.campaigns.repeating import repeated  # which publishes, and so needs `faults`

    opened = open_campaign(campaign)
    if restore:
        _restore(opened)
    anchored = () if against is None else _not_in_log(opened, str(against))
    rows, notes = [*faults(opened), *_backwards(opened), *anchored], [*_changes(opened)]
    if not rows:
        found = [*repeated(opened, read_log(opened), progress, strict=against is not None)]
        rows = [one for one in found if isinstance(one, Fault)]
        notes += [one for one in found if isinstance(one, Note)]
    links = chain.links(opened / LOG)
    state = LogState(len(links), links[-1] if links else "")
    line = sign(campaign="verify", name=opened.settings.name, lines=len(links))
    return Verified(tuple(rows), line, tuple(notes), "faults", {"log": (state,)})


def _not_in_log(campaign: Campaign, against: str) -> Iterator[Fault]:
    """Yield the digests of the log, as somebody kept them, that the log does not have."""
    text = Path(against).read_text(encoding="utf-8", errors="replace") if Path(against).is_file() else against
    try:
        kept = _DIGEST.search(json.loads(text)["log"])
    except (ValueError, KeyError, TypeError, RecursionError):
        kept = _DIGEST.search(text.partition("\n")[0])  # below it, a receipt quotes what groups wrote
    if kept is None:
        rule = "neither a digest of 64 hexadecimal digits nor a file that begins with one of the log"
        raise UsageError(f"{against}: {rule}")
    if kept[0] not in chain.links(campaign / LOG):
        yield Fault(LOG, None, f"it has no line with the digest {kept[0]} that was kept: the log was written anew")


def _changes(campaign: Campaign) -> Iterator[Note]:
    """Note what the organisers keep and changed between two steps."""
    try:
        entries = read_log(campaign)
    except MismatchError:
        return  # a fault says so
    for number, (before, after) in enumerate(pairwise(entries), 2):
        names = [name for name, held in before.held.items() if after.held.get(name) != held]
        if after.held and names:
            yield note(
                "campaign.changed_between",
                "{subject} changed between lines {before} and {after} of the log",
                ", ".join(names),
                before=number - 1,
                after=number,
            )
    there = digests(campaign, *HELD)
    last = entries[-1].held if entries else there
    names = [name for name in {**last, **there} if there.get(name) != last.get(name)]
    if names:
        yield note("campaign.changed_since", "{subject} changed since the last line of the log", ", ".join(names))


def faults(campaign: Campaign) -> Iterator[Fault]:
    """Yield everything that is not what the log says."""
    broken = [Fault(name, line, rule) for name in (LOG, HISTORY) for line, rule in chain.breaks(campaign / name)]
    if not (campaign / LOG).is_file():
        broken.append(Fault(LOG, None, "the log is gone"))
    if not (campaign / SECRET).is_file():
        broken.append(Fault(SECRET, None, "the secret is gone; put it back, as orders that nobody can guess need it"))
    yield from broken
    if any(fault.file == LOG for fault in broken):
        return
    entries = read_log(campaign)
    yield from _held(campaign, entries)
    yield from _receipts(campaign, entries)
    yield from _told(campaign, entries)
    yield from _heads(campaign, entries)
    for step, place in ((POOLING, "pool"), (SCORING, "results"), (PUBLISHING, "site")):
        old = age(campaign, step, entries)
        if old is None and (campaign / place).exists():
            yield Fault(place, None, "no line of the log says who made it; repeat the step, or delete it")
        for name in old.changed if old else ():
            yield Fault(name, None, f"it is not what nescio campaign {step} wrote; repeat the step")
    if _topics_changed(campaign, entries):
        yield from misfits(campaign, entries)


def interrupted(campaign: Campaign) -> bool:
    """Whether an intake has begun and not ended."""
    return (campaign / RECEIPTS / PENDING).is_file()


def _backwards(campaign: Campaign) -> Iterator[Fault]:
    """Yield the lines that say that they are older than the line before: a clock was wrong, which stops no step, or the
    log was written anew."""
    try:
        entries = read_log(campaign)
    except MismatchError:
        return  # a fault says so
    for number, (before, after) in enumerate(pairwise(entries), 2):
        if after.at < before.at:
            yield Fault(LOG, number, f"it is of {after.at}, and the line before of {before.at}: time runs backwards")


def _held(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield what the organisers keep and somebody changed since the last step."""
    last = next((entry for entry in reversed(entries) if entry.held), None)
    if last is None:
        return
    there = digests(campaign, *HELD)
    if SECRET not in last.held:
        there.pop(SECRET, None)
    for name in dict.fromkeys((*last.held, *there)):
        edited = name in there and name.startswith((SETTINGS, TOPICS))  # which organisers do, and which is noted
        if there.get(name) != last.held.get(name) and not edited:
            what = "is gone" if name not in there else "was changed" if name in last.held else "is new"
            rule = f"it {what} since the last step ({last.step}, {last.at}); if that was meant, repeat the step"
            yield Fault(name, None, rule)


def _told(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield the texts for groups that are not what their receipts say."""
    for group in dict.fromkeys(receipt.group for receipt in read_receipts(campaign, [*entries])):
        head, _, text = text_of(campaign / RECEIPTS / group / TOLD).partition("\n")
        links = chain.links(campaign / LOG)
        whole = any(head == told_head(links[:n]) for n in range(1, len(links) + 1)) and text == told_text(
            campaign, group
        )
        if not whole and not interrupted(campaign):
            name = f"{RECEIPTS}/{group}/{TOLD}"
            yield Fault(name, None, "it is not what the receipts say; nescio campaign verify --restore writes it again")


def _receipts(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield what is wrong with receipts and stored runs."""
    wrote = {name: held for entry in entries if entry.step == TAKING for name, held in entry.wrote.items()}
    there = digests(campaign, RUNS, RECEIPTS)
    for name, held in wrote.items():
        if there.get(name) != held:
            what = "was changed since" if name in there else "is gone"
            how = "; take in the original again, which puts it back" if name.startswith(RUNS) else ""
            yield Fault(name, None, f"it {what}{how or '; nescio campaign verify --restore writes it again'}")
    for name in there:
        own = name.startswith(RUNS) or name.endswith(".json")
        if name not in wrote and own and name != f"{RECEIPTS}/{PENDING}" and not interrupted(campaign):
            yield Fault(name, None, "no line of the log names it: nobody took it in, and it does not count")


def drop_unlogged(campaign: Campaign) -> None:
    """Delete runs and receipts that an interrupted intake left, of which nobody was told that they are in."""
    wrote = {name for entry in read_log(campaign) for name in entry.wrote}
    for name in digests(campaign, RUNS, RECEIPTS):
        if name not in wrote and (name.startswith(RUNS) or name.endswith(".json")) and not name.endswith(PENDING):
            (campaign / name).unlink()


def _heads(campaign: Campaign, entries: Sequence[Entry]) -> Iterator[Fault]:
    """Yield where the log or the history of judgements is another than what was said of it."""
    links = chain.links(campaign / LOG)
    last = (campaign / HEAD).read_bytes() if (campaign / HEAD).is_file() else b""
    if last not in {f"{link}\n".encode() for link in links[-2:]}:  # a step that was killed may have left the one before
        yield Fault(HEAD, None, "it is not the digest of the last line of the log: one of the two was changed")
    heads = [entry.about["history"] for entry in entries if entry.step == "collect"]
    judged = chain.links(campaign / HISTORY)
    if not {*heads} <= {"", *judged}:
        yield Fault(HISTORY, None, "the judgements are not those that were collected: lines are gone")
    elif judged and judged[-1] not in heads[-1:]:
        whole = judged.index(heads[-1]) + 1 if heads and heads[-1] else 0
        rule = "no line of the log names what is from here on: a collect was killed, or somebody wrote it"
        yield Fault(HISTORY, whole + 1, f"{rule}; it counts for nothing, and the next collect takes it out")
    seal = campaign / SITE / SEAL
    if seal.is_file():
        try:
            head = json.loads(seal.read_text(encoding="utf-8"))["log"]
        except (ValueError, KeyError, TypeError):
            head = None
        if head not in chain.links(campaign / LOG):
            yield Fault(LOG, None, "the site was made from a line that it does not have: lines are gone")


def _topics_changed(campaign: Campaign, entries: Sequence[Entry]) -> bool:
    """Whether the topics are other than when they were made, or were last read with all runs."""
    now = digests(campaign, TOPICS).items()
    whole = [{**entry.read, **entry.wrote} for entry in entries if entry.step in ("init", POOLING, SCORING)]
    return not any(now <= held.items() for held in whole)


def misfits(campaign: Campaign, entries: Sequence[Entry] | None = None) -> Iterator[Fault]:
    """Yield the runs that count and do not fit the topics as they are now."""
    topics = campaign.topics()
    for run in taken_in(campaign, entries):
        found = examine(run.path, topics, campaign.settings, name=run.run, language=run.language).faults
        if found:
            name = run.path.relative_to(campaign.folder).as_posix()
            said = (
                f"{plural(len(found), 'fault')} now that the topics have changed; put these back, or withdraw the run"
            )
            yield Fault(name, None, said, str(found[0]))


def _restore(campaign: Campaign) -> None:
    """Write receipts again as they were; those of runs with faults, which the log does not list, cannot be."""
    for receipt in read_receipts(campaign):
        content = receipt_bytes(receipt)
        if not any(reason.endswith(("fault", "faults")) for reason in receipt.reasons):
            put(campaign / RECEIPTS / receipt.place, content)
    for group in dict.fromkeys(receipt.group for receipt in read_receipts(campaign)):
        write_told(campaign, group)
