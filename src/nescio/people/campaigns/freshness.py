"""Find out whether a step's output is still up to date: compare the digests of its inputs and outputs with the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import MismatchError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import Entry
from nescio.people.campaigns.folder import (
    ASKED,
    JUDGEMENTS,
    KEY,
    LOG,
    POOL,
    RESULTS,
    RETURNS,
    SHEETS,
    SITE,
    TOPICS,
    Campaign,
)
from nescio.people.campaigns.judgements import HISTORY
from nescio.people.campaigns.log import digests, latest, read_log, record
from nescio.people.campaigns.receipts import taken_in

POOLING, SCORING, PUBLISHING = "pool", "score", "publish"
_SETTINGS = {  # on which a step depends
    POOLING: ("task", "languages", "depth", "distinct", "options_from", "dropped"),
    SCORING: (
        *("name", "task", "groups", "languages", "distinct", "resolve", "judge", "measures", "options_from"),
        *("dropped", "systems"),
    ),
    PUBLISHING: ("name", "task", "groups", "languages", "deadline", "blind"),
}
_READS = {POOLING: (TOPICS,), SCORING: (TOPICS, KEY, HISTORY, ASKED), PUBLISHING: (RESULTS,)}
_WRITES = {POOLING: (POOL,), SCORING: (RESULTS,), PUBLISHING: (SITE, RETURNS)}
NUGGETS = "the key of nuggets"  # of the organisers, an input of the pool
SCORED = "the scoring"  # its last line in the log, an input of the site, which shows the digest of this line
FEW = 3


class Age(Struct, frozen=True):
    """The changes since a step: the inputs that are `newer` than the step, and the output files that were `changed`."""

    step: str
    newer: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def fresh(self) -> bool:
        """Return whether no input and no output of the step has changed."""
        return not (self.newer or self.changed)

    def __str__(self) -> str:
        parts = [f"older than {_listed(self.newer)}"] if self.newer else []
        parts += [f"changed since: {_listed(self.changed)}"] if self.changed else []
        return "; ".join(parts)


_SAID = {
    JUDGEMENTS: "the judgements",
    RESULTS: "the results",
    SCORED: "the results",
    SHEETS: "the requests to assessors",
}


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(_SAID.get(name.partition("/")[0], name) for name in names))
    shown = [*names[:FEW], *([f"{len(names) - FEW} more"] if len(names) > FEW else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def inputs(campaign: Campaign, step: str, entries: Sequence[Entry] | None = None) -> dict[str, str]:
    """Return the digests of all inputs of a step, keyed by the name of the input."""
    values: Mapping[str, Any] = {name: getattr(campaign.settings, name) for name in _SETTINGS[step]}
    hashes = {
        f"{name} in campaign.toml": hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()
        for name, value in values.items()
    }
    hashes |= digests(campaign, *_READS[step])
    if step == POOLING and campaign.settings.task == "nuggets":
        nuggets = json.dumps(digests(campaign, KEY) if campaign.has_own_key else {})
        hashes[NUGGETS] = hashlib.sha256(nuggets.encode()).hexdigest()
    if step == PUBLISHING:
        hashes[SCORED] = scored_line(campaign, entries)
    else:
        hashes |= {f"run {run.run}": f"version {run.version}, {run.digest}" for run in taken_in(campaign, entries)}
    return hashes


def scored_line(campaign: Campaign, entries: Sequence[Entry] | None = None) -> str:
    """Return the digest of the log's last line on scoring; empty if the answers were not scored."""
    log = read_log(campaign) if entries is None else entries
    at = max((number for number, entry in enumerate(log) if entry.step == SCORING), default=None)
    return "" if at is None else chain.links(campaign / LOG)[at]


def done(campaign: Campaign, step: str, read: Mapping[str, str], about: Mapping[str, Any] | None = None) -> None:
    """Record in the log that a step is done, with the digests of its inputs and outputs.

    `read` has the digests of the inputs before the step began. If somebody changed an input while the step worked, the
    input therefore counts as newer than the step.
    """
    record(campaign, step, read, digests(campaign, *_WRITES[step]), about)


def age(campaign: Campaign, step: str, entries: Sequence[Entry] | None = None) -> Age | None:
    """Return the inputs and outputs that changed since a step was done; None if the step was never done."""
    log = read_log(campaign) if entries is None else entries
    last = latest(campaign, step, log)
    if last is None:
        return None
    now = inputs(campaign, step, log)
    for name in (NUGGETS, SCORED):
        if name not in last.read:  # An earlier version of nescio did not state this input.
            now.pop(name, None)
    wrote = digests(campaign, *_WRITES[step])
    return Age(step, tuple(_differing(last.read, now)), tuple(_differing(last.wrote, wrote)))


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield each name whose digest differs between `before` and `now`, or that only one of them has."""
    for name in dict.fromkeys((*before, *now)):
        if before.get(name) != now.get(name):
            yield f"{name} (gone)" if name not in now else name


def newer_than_pool(campaign: Campaign) -> list[str]:
    """Return the names of questions, nuggets, runs and settings of answers that are newer than the pool.

    There are none if no pool was made.
    """
    old = age(campaign, POOLING)
    names = old.newer if old else ()
    shown = f"{TOPICS}/", NUGGETS, "run ", "distinct in ", "options_from in "
    return [name for name in names if name.startswith(shown) and not name.endswith("(gone)")]


def refuse_old_pool(campaign: Campaign) -> None:
    """Raise MismatchError if the pool, or anything from which it was made, has changed since.

    Verdicts may be about the earlier questions, supports or answers, and only `pool` takes these verdicts back.
    """
    old = age(campaign, POOLING)
    if old is not None and not old.fresh:
        campaign.topics()  # whose errors `pool` would raise, too
        state = f"is {old}" if old.newer else "was changed by hand"
        raise MismatchError(f"the pool {state}; run nescio campaign pool {campaign.typed} first")


def refuse_old(campaign: Campaign) -> None:
    """Raise MismatchError if there are no results, or if results or inputs have changed since the scoring."""
    old = age(campaign, SCORING)
    if old is None:
        raise MismatchError(f"there are no results yet; run nescio campaign score {campaign.typed} first")
    if not old.fresh:
        state = f"are {old}" if old.newer else "were changed after the scoring"
        raise MismatchError(f"the results {state}; run nescio campaign score {campaign.typed} first")
