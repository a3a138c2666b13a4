"""The folder of a campaign: what stands where, one step at a time, and the first step, which makes it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from nescio.campaigns import topics as asked
from nescio.campaigns.settings import SETTINGS, Resolution, Settings, Task, moment, read_settings, settings_of, written
from nescio.errors import UsageError
from nescio.sources.locks import locked
from nescio.sources.writing import atomic_folder, atomic_write, check_new_folder, naming, write_text
from nescio.text import plural

TOPICS, KEY, HANDOUT, RUNS, RECEIPTS = "topics", "key", "handout", "runs", "receipts"
POOL, SHEETS, JUDGEMENTS, RESULTS, SITE = "pool", "sheets", "judgements", "results", "site"
_DRAFT = re.compile(r"\..+\.[a-z0-9_]{8}(\.[^.]*)?")  # what `sources.writing` calls a file or folder until it is whole


class Campaign(Struct, frozen=True):
    """A campaign on disk: its folder and its settings."""

    folder: Path
    settings: Settings

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def topics(self) -> asked.Topics:
        """Read the topics, which have no gold."""
        return asked.read_topics(self / TOPICS, self.settings.task)

    @property
    def key_files(self) -> list[Path]:
        """The files and folders of the key, if there is one."""
        return sorted((self / KEY).glob("*")) if (self / KEY).is_dir() else []


def open_campaign(folder: Path | str) -> Campaign:
    """Open a campaign to look at it; raises UsageError where the folder is not one."""
    return Campaign(Path(folder), read_settings(Path(folder)))


@contextmanager
def step(folder: Path | str) -> Iterator[Campaign]:
    """Open a campaign for a step that writes: one at a time, after the drafts of steps that were killed are gone."""
    campaign = open_campaign(folder)
    with locked(campaign.folder) as free:
        if not free:
            raise UsageError(f"{campaign.folder}: another step of this campaign is running; wait until it ends")
        _sweep(campaign.folder)
        yield campaign


def _sweep(folder: Path) -> None:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [name for name in folders if _DRAFT.fullmatch(name)]:
            shutil.rmtree(Path(root) / name, ignore_errors=True)
            folders.remove(name)
        for name in files:
            if _DRAFT.fullmatch(name):
                (Path(root) / name).unlink(missing_ok=True)


def put(path: Path, content: bytes) -> None:
    """Write a file of a campaign whole or not at all, in a folder that is made where there is none; one that holds
    these bytes already is left alone."""
    with naming(path, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.read_bytes() == content:
        return
    with atomic_write(path) as draft:
        draft.write_bytes(content)


@contextmanager
def renewed(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which takes the place of `path` when the block ends well.

    Between the going of the old one and the coming of the new there is a moment without either; a step that is killed
    then is repeated, and makes it again.
    """
    with naming(path, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        with naming(path, draft):
            yield draft
            if path.exists():
                shutil.rmtree(path)
            draft.chmod(0o755)
            draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what every file of a folder holds, by its path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Made(Struct, frozen=True):
    """A campaign that `init` made: its folder, how many topics it has, and whether a key stands apart from them."""

    folder: Path
    task: Task
    topics: int
    groups: int
    key: bool
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        key = f"the key is kept apart, in {KEY}/" if self.key else "there is no key"
        return (
            f"made {self.folder}: {plural(self.topics, 'topic')}, {plural(self.groups, 'group')}; {key}\n"
            f"next: read {self.folder / SETTINGS}, then `nescio campaign handout {self.folder}`"
        )


def init(
    folder: Path | str,
    topics: Sequence[Path | str],
    *,
    task: Task,
    groups: Sequence[str],
    name: str | None = None,
    languages: Sequence[str] = (),
    runs: int = 3,
    deadline: str | datetime | None = None,
    resolve: Resolution = "adjudicated",
    judge: str | None = None,
    first_of: str | None = None,
) -> Made:
    """Make the folder of a campaign: settings, topics without their gold, and the key apart.

        nescio.campaign.init("campaign", ["questions.jsonl"], task="qa", groups=["uned=UNED", "inaoe=INAOE"])

    `topics` are the questions with or without their key: a collection of any format that nescio reads for qa and
    reading, collections of AVE (one a language), a key of nuggets, or a truth file of PAN. `groups` are short names,
    each with the name for tables after `=`. `runs` is the most that a group may hand in for each of the `languages`,
    `deadline` the moment after which nothing comes in. `resolve` says what becomes of judgements that differ,
    `judge` what judges by the key where no person did. `first_of` names a column of the topics, such as `group`, of
    each value of which only the first question is asked: where later ones cannot be understood alone. All of this
    stands in `campaign.toml`, and more; edit it.

    Raises UsageError for a folder that holds something, and for settings that make no sense; FormatError for topics
    that are unsound.
    """
    folder = Path(folder)
    values = {
        "name": name or folder.resolve().name,
        "task": task,
        "groups": dict(_pair(text) for text in groups),
        "languages": list(languages),
        "runs": runs,
        "deadline": moment(deadline) if deadline else "",
        "resolve": resolve,
        "judge": judge or "",
    }
    settings = settings_of(values, "the settings")
    files = [Path(path) for path in topics]
    there = (folder / SETTINGS).is_file()
    if not there:
        check_new_folder(folder)
    with tempfile.TemporaryDirectory() if there else atomic_folder(folder) as place:
        draft = Path(place)
        (draft / TOPICS).mkdir()
        settings, notes = asked.write_topics(files, draft / TOPICS, settings, first_of)
        key = asked.has_key(files, settings.task)
        if key:
            (draft / KEY).mkdir(mode=0o700)
            asked.write_key(files, draft / KEY)
        write_text(draft / SETTINGS, written(settings))
        count = asked.read_topics(draft / TOPICS, settings.task).count
        if there and any(
            (folder / name).exists() is False or (folder / name).read_bytes() != held
            for name, held in contents(draft).items()
        ):
            raise UsageError(f"{folder} already holds a different campaign; edit {folder / SETTINGS}")
    return Made(folder, settings.task, count, len(settings.groups), key, notes)


def _pair(text: str) -> tuple[str, str]:
    short, equals, title = text.partition("=")
    return short.strip(), (title if equals else short).strip()
