"""Define the folder of a campaign: the places of its files, the lock for one step at a time, and its secret."""

from __future__ import annotations

import hmac
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from nescio.errors import MismatchError, UsageError
from nescio.people.campaigns import topics as asked
from nescio.people.campaigns.chain import UNREADABLE, links
from nescio.people.campaigns.own_files import is_own, own_files
from nescio.people.campaigns.settings import Settings, read_settings
from nescio.sources.locks import locked
from nescio.sources.writing import DRAFT, atomic_write, draft_of, naming
from nescio.text import typed_path

TOPICS, KEY, HANDOUT, RUNS, RECEIPTS = "topics", "key", "handout", "runs", "receipts"
POOL, SHEETS, JUDGEMENTS, RESULTS, SITE = "pool", "sheets", "judgements", "results", "site"
ASKED = f"{SHEETS}/assessors.json"  # who was asked to judge what
RETURNS, GUIDELINES = "returns", "guidelines.md"
RANKINGS = f"{RESULTS}/rankings"  # copies of the outcomes of QA systems
LOG, SECRET = "campaign.log", "campaign.secret"
# Folders that only their owner may open. Topics, handout and site are public.
PRIVATE = (KEY, SHEETS, RUNS, RECEIPTS, POOL, JUDGEMENTS, RESULTS, RETURNS)
CLOSED = (KEY, SHEETS)  # private folders whose files are private too, because people may copy them elsewhere
HEAD = "campaign.head"  # the digest of the last line of the log
OWN_KEY = "nuggets.jsonl"  # the key that assessors wrote
_Kind = TypeVar("_Kind")


class Campaign(Struct, frozen=True):
    """A campaign on disk: its folder and its settings. `campaign / name` is a path in the folder."""

    folder: Path
    settings: Settings

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def topics(self) -> asked.Topics:
        """Return the topics without gold, except those that the organisers dropped."""
        return asked.without(asked.read_topics(self / TOPICS, self.settings.task), self.settings.dropped)

    def hidden_order(self, *words: str) -> str:
        """Return a sort key for the item with these `words`. Nobody without the secret can predict the order.

        Raises UsageError if the file of the secret is missing.
        """
        return keyed(self.secret, *words)

    @property
    def typed(self) -> str:
        """Return the folder as one word of a command line."""
        return typed_path(self.folder)

    @property
    def secret(self) -> str:
        """Return the random secret of the campaign, from which ids of answers and the order of sheets are computed.

        Raises UsageError if the file of the secret is missing.
        """
        if not (self / SECRET).is_file():
            raise UsageError(
                f"{self / SECRET} is missing; put the file back, because answer ids and orders of sheets depend on it"
            )
        return text_of(self / SECRET)

    @property
    def key_files(self) -> list[Path]:
        """Return the files and folders of the key; none if the organisers have no key."""
        return [path for path in sorted((self / KEY).glob("*")) if is_own(path)]

    @property
    def has_own_key(self) -> bool:
        """Return whether the organisers supplied a key, so that assessors list no nuggets."""
        return any(path.name != OWN_KEY for path in self.key_files)


def keyed(secret: str, *words: str) -> str:
    """Return an HMAC of these words: 64 hexadecimal digits that nobody can compute without the secret."""
    return hmac.new(secret.encode(), json.dumps(words).encode(), "sha256").hexdigest()


def open_campaign(folder: Path | str) -> Campaign:
    """Return a campaign for reading. Raises UsageError if the folder is not a campaign."""
    return Campaign(Path(folder), read_settings(Path(folder)))


@contextmanager
def step(folder: Path | str) -> Iterator[Campaign]:
    """Yield a campaign for a step that changes it, and lock it, because only one step at a time can change a campaign.

    Drafts that interrupted steps left behind are deleted first.
    """
    campaign = open_campaign(folder)
    with locked(campaign.folder) as free:
        if not free:
            raise UsageError(f"{campaign.folder}: another step of this campaign is running; wait until it ends")
        _sweep(campaign.folder)
        keep_head(campaign.folder)
        yield campaign


def _sweep(folder: Path) -> None:
    for path in [*drafts(folder)]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def drafts(folder: Path) -> Iterator[Path]:
    """Yield the drafts in a folder: the files and folders that unfinished steps were writing, as their names say."""
    for root, folders, files in os.walk(folder):
        names = [name for name in (*folders, *files) if DRAFT.fullmatch(name)]
        kept = (".git",) if Path(root) == folder else ()  # the organisers' own repository
        folders[:] = [name for name in folders if name not in (*kept, *names)]
        yield from (Path(root) / name for name in names)


def keep_head(folder: Path) -> None:
    """Write the digest of the log's last line to campaign.head, if this file is missing or has an older digest.

    A step that was killed after it wrote its line leaves an older digest. `verify` reports any other content."""
    *earlier, last = links(folder / LOG) or [""]
    path = folder / HEAD
    if last and (not path.exists() or path.read_bytes().decode(errors="replace").strip() in earlier):
        put(path, f"{last}\n".encode())


def put(path: Path, content: bytes) -> None:
    """Write a file of a campaign, completely or not at all; make the file's folder if the folder is missing.

    A file that has this content already is not written. Raises MismatchError if `path` is a link, because the content
    would go into another file.
    """
    private = path.parent.name in CLOSED
    if path.is_symlink():
        raise MismatchError(f"{path} is a link, but nescio makes no links; delete the link")
    with naming(path, path.parent):
        for folder in reversed([path.parent, *path.parent.parents]):
            folder.mkdir(0o700 if folder.name in PRIVATE else 0o777, exist_ok=True)
    if path.is_file() and path.read_bytes() == content:
        if private:
            path.chmod(0o600)  # an earlier nescio let others read it
        return
    with atomic_write(path, 0o600 if private else 0o666) as draft:
        draft.write_bytes(content)


def text_of(path: Path) -> str:
    """Return the text of a file, with U+FFFD in place of bytes that are not UTF-8; empty if there is no file."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def decoded(path: Path, kind: type[_Kind], then: str = "") -> _Kind:
    """Return the content of a JSON file that nescio wrote, as an object of the type `kind`.

    Raises MismatchError if the content is of another type; the message ends with the advice `then`.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except UNREADABLE as error:
        raise MismatchError(f"{path} is not as nescio wrote it: {error}{then and f'; {then}'}") from None


@contextmanager
def renewed(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which replaces the folder `path` when the block ends without an error.

    If a step is killed between the removal of the old folder and the renaming of the new one, both are missing;
    repeating the step makes the folder again.
    """
    with naming(path, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    try:
        with naming(path, draft):
            draft.mkdir(0o700)
            yield draft
            kept = path.stat().st_mode & 0o777 if path.is_dir() else 0o700  # which the organisers may have changed
            draft.chmod(kept if path.name in PRIVATE else 0o755)
            old = draft_of(path)
            if path.exists():
                path.rename(old)
            draft.rename(path)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of every file of a campaign in a folder, keyed by the file's path relative to the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in own_files(folder)}
