"""Read and append to the log of a campaign: each step, its time, and the digests of its inputs and outputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from nescio.errors import UsageError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import Entry, flaw, is_time
from nescio.people.campaigns.folder import GUIDELINES, HANDOUT, KEY, LOG, SECRET, TOPICS, Campaign, keep_head
from nescio.people.campaigns.own_files import of_own, own_files
from nescio.people.campaigns.settings import SETTINGS

HELD = (SETTINGS, TOPICS, KEY, HANDOUT, GUIDELINES, SECRET)  # Every line has their digests.


def is_fixed() -> bool:
    """Return whether the environment variable SOURCE_DATE_EPOCH sets the time of every step."""
    return bool(os.environ.get("SOURCE_DATE_EPOCH"))


def now() -> datetime:
    """Return the present time, to the second.

    If the environment variable SOURCE_DATE_EPOCH is set, return the time in it instead, so that a campaign can be
    repeated byte for byte.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH must be a whole number of seconds since 1970 (found {fixed!r})") from None


def read_log(campaign: Campaign) -> list[Entry]:
    """Return the lines of the log, with digests of the campaign's own files alone (`of_own`).

    Raises MismatchError if the chain of digests is broken, or if no step of nescio can have written a line.
    """
    return [
        replace(entry, read=of_own(entry.read), wrote=of_own(entry.wrote), held=of_own(entry.held))
        for entry in chain.read_chain(campaign / LOG, Entry, flaw)
    ]


def latest(campaign: Campaign, step: str, entries: Sequence[Entry] | None = None) -> Entry | None:
    """Return the log's last line on a step, or None; `entries` are the log's lines, if they were read before."""
    log = read_log(campaign) if entries is None else entries
    return next((entry for entry in reversed(log) if entry.step == step), None)


def write_log(campaign: Campaign, entry: Entry) -> None:
    """Append a line to the log, without checking the lines before it.

    The line gets the time of the line before it if that is later, because a clock may be set back.
    """
    last = chain.last_row(campaign / LOG, Entry)
    if last is not None and is_time(last.at):
        entry = replace(entry, at=max(entry.at, last.at, key=datetime.fromisoformat))
    chain.append(campaign / LOG, [asdict(replace(entry, held=_held(campaign, entry.step)))])
    keep_head(campaign.folder)


def _held(campaign: Campaign, step: str) -> dict[str, str]:
    """Return the digests of the organisers' files, such as the settings, the topics and the key.

    For the step "init", the secret is left out: it is newly drawn, and repeating the step should give the same bytes.
    """
    return digests(campaign, *(place for place in HELD if place != SECRET or step != "init"))


def record(
    campaign: Campaign,
    step: str,
    read: Mapping[str, str],
    wrote: Mapping[str, str],
    about: Mapping[str, Any] | None = None,
) -> None:
    """Append a line on a step to the log, unless the step's last line differs only in time and version of nescio."""
    entry, before = Entry(now().isoformat(), step, read, wrote, about or {}), latest(campaign, step)
    entry = replace(entry, held=_held(campaign, step))
    if before is None or replace(entry, at=before.at, nescio=before.nescio) != before:
        write_log(campaign, entry)
    else:
        keep_head(campaign.folder)


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file, the reason why the file is unreadable, or "" if there is no such file."""
    try:
        if not path.is_file():
            return ""
    except (OSError, ValueError):
        return ""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"  # so that one file ends no check of the others


def digests(campaign: Campaign, *places: str) -> dict[str, str]:
    """Return the digests of files of a campaign and of all files in its folders, keyed by their paths in the campaign.

    Files of desktops and drafts of killed steps are left out (`own_files`)."""
    there = [campaign / place for place in places]
    paths = [path for place in there for path in ([place] if place.is_file() else own_files(place))]
    return {path.relative_to(campaign.folder).as_posix(): digest(path) for path in paths}
