"""Compare the files of a campaign with its log: runs with receipts, results with their inputs, and the chain of the log
itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

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
    text_of,
)
from nescio.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.campaigns.judgements import HISTORY
from nescio.campaigns.log import HELD, Entry, digests, read_log
from nescio.campaigns.receipts import (
    TAKING,
    TOLD,
    read_receipts,
    taken_in,
    told_head,
    told_text,
)
from nescio.campaigns.runs import Fault, examine
from nescio.campaigns.settings import SETTINGS
from nescio.text import plural

PENDING = "pending.json"  # in the receipts: what an intake has begun to take in
SEAL = "digests.json"  # in the site: what it was made from


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
