"""Make pool, results and site again and compare them with the files, to find edits that a changed log hides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from nescio._version import __version__
from nescio.errors import MismatchError, NescioError
from nescio.options.edge import Progress
from nescio.people.campaigns.entries import Entry, ScoringPlan
from nescio.people.campaigns.faults import Fault
from nescio.people.campaigns.folder import LOG, POOL, RESULTS, RETURNS, SECRET, SITE, Campaign, decoded, put
from nescio.people.campaigns.freshness import POOLING, PUBLISHING, SCORING, age
from nescio.people.campaigns.judgements import HISTORY
from nescio.people.campaigns.log import digests
from nescio.people.campaigns.own_files import of_own
from nescio.people.campaigns.pooling import (
    ITEMS,
    STORIES,
    merged_items,
    once_given,
    pool_items,
    pool_lines,
    read_runs,
    story_lines,
)
from nescio.people.campaigns.receipts import TOLD, taken_in
from nescio.people.campaigns.scoring import write_results
from nescio.people.campaigns.site import write_site
from nescio.people.campaigns.tampering import SEAL
from nescio.sources.temporary import temporary_folder

UNCHECKED = "not checked: the output of nescio campaign"  # how the rule of such a fault begins
# Processors add in different orders, so that the last digits of a sum differ.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
_LONG = 14  # digits of a fraction that a sum may leave
_NUMBER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+))(?![\w.])", re.IGNORECASE)


def repeatable(campaign: Campaign, entries: Sequence[Entry], found: Sequence[Fault]) -> bool:
    """Return whether the log can be read, and no fault is in a run, the judgements or the secret.

    From these files the steps make their outputs, so that any fault there would change every output.
    """
    read = {HISTORY, SECRET, *(run.path.relative_to(campaign.folder).as_posix() for run in taken_in(campaign, entries))}
    return bool(entries) and read.isdisjoint(fault.file for fault in found)


def repeated(campaign: Campaign, entries: Sequence[Entry], progress: Progress | None) -> Iterator[Fault]:
    """Yield a fault for each file of the campaign that its step makes differently from the same input.

    A step whose input has changed since cannot be repeated. Steps after a step with a fault are not repeated either,
    because they read its output. A fault names all steps that are not repeated, because a forged log may be the cause.
    """
    last = {entry.step: entry for entry in entries}
    steps = [step for step in _STEPS if step in last]
    for number, step in enumerate(steps):
        faults = [*_differing(campaign, entries, last[step], progress)]
        yield from faults
        if faults:
            if left := steps[number + 1 :]:
                yield Fault(LOG, None, f"{UNCHECKED} {' and '.join(left)}")
            return


def _differing(campaign: Campaign, entries: Sequence[Entry], last: Entry, progress: Progress | None) -> Iterator[Fault]:
    """Yield a fault for each file that comes out different when a step is repeated.

    If the step cannot be repeated, yield a fault that says why.
    """
    old = age(campaign, last.step, entries)
    if old is None or not old.fresh:
        yield Fault(LOG, None, f"{UNCHECKED} {last.step}, which is {old}; repeat the step")
        return
    with temporary_folder() as folder:
        try:
            _STEPS[last.step](campaign, folder, last, progress)
        except NescioError as error:
            by = f" by nescio {__version__}, though {last.nescio} did this step" if last.nescio != __version__ else ""
            yield Fault(LOG, None, f"nescio campaign {last.step} cannot be repeated{by}: {error}")
            return
        made = digests(Campaign(folder, campaign.settings), POOL, RESULTS, SITE, RETURNS)
        other = [name for name in sorted({*last.wrote, *made}) if last.wrote.get(name) != made.get(name)]
        other = [name for name in other if not _alike(name, campaign / name, folder / name)]
    for name in other:
        copy = name.startswith(RETURNS) and name.endswith(TOLD)  # `tampering` compares it with the receipts of its time
        if not copy:
            why = "somebody edited both the file and the log"
            if last.nescio != __version__:
                why = f"nescio {last.nescio} computed it, and {__version__} computes another; repeat the step"
            yield Fault(name, None, f"nescio campaign {last.step} makes a different file from the same input: {why}")


def _alike(name: str, file: Path, other: Path) -> bool:
    """Return whether two files of this name differ only in what depends on the machine or on a desktop.

    These are the last digits of fractions in results, and the digests that a site states of files of desktops.
    """
    if not (name.startswith((RESULTS, f"{SITE}/{SEAL}")) and file.is_file() and other.is_file()):
        return False
    if name == f"{SITE}/{SEAL}":
        return _sealed(file) == _sealed(other)
    parts, others = (_NUMBER.split(path.read_text(encoding="utf-8", errors="replace")) for path in (file, other))
    return len(parts) == len(others) and all(
        a == b or (place % 2 == 1 and _close(a, b)) for place, (a, b) in enumerate(zip(parts, others, strict=True))
    )


def _close(first: str, other: str) -> bool:
    """Return whether two texts are nearly equal fractions that were computed, and no ids such as 1.1 and 1.10.

    Of two such fractions, at least one has many digits.
    """
    a, b = float(first), float(other)
    written = repr(a) == first and repr(b) == other
    long = a == b or max(sum(map(str.isdigit, text.partition("e")[0])) for text in (first, other)) >= _LONG
    return written and long and isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _sealed(path: Path) -> dict[str, Any]:
    with suppress(MismatchError):
        seal = decoded(path, dict[str, str | dict[str, str]])
        return {name: value if isinstance(value, str) else of_own(value) for name, value in seal.items()}
    return {}


def _pool(campaign: Campaign, folder: Path, _: Entry, progress: Progress | None) -> None:
    contents = read_runs(campaign, progress)
    put(folder / POOL / ITEMS, pool_lines(merged_items(pool_items(contents)[0], once_given(campaign))))
    if stories := story_lines(contents.topics):
        put(folder / POOL / STORIES, stories)


def _score(campaign: Campaign, folder: Path, last: Entry, progress: Progress | None) -> None:
    (folder / RESULTS).mkdir()
    plan = msgspec.convert(last.about, ScoringPlan)
    plan = replace(plan, ranking=plan.within(campaign.folder))
    write_results(campaign, folder / RESULTS, plan, progress=progress)


def _publish(campaign: Campaign, folder: Path, _: Entry, progress: Progress | None) -> None:
    write_site(campaign, folder / SITE, folder / RETURNS, progress)


_STEPS: Mapping[str, Callable[[Campaign, Path, Entry, Progress | None], None]] = {
    POOLING: _pool,
    SCORING: _score,
    PUBLISHING: _publish,
}
