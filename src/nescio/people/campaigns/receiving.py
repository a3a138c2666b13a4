"""Accept runs, or refuse them with a receipt that has the reason."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import asdict, replace

from nescio.data.notes import note
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns.archives import MOST_MEMBERS, handed_in_files, opened
from nescio.people.campaigns.checking import empty, remarks
from nescio.people.campaigns.entries import ACCEPTED, REFUSED, Entry, Receipt
from nescio.people.campaigns.faults import BROKEN, LONGEST
from nescio.people.campaigns.folder import RECEIPTS, RUNS, TOPICS, Campaign, put, step
from nescio.people.campaigns.log import digest, digests, is_fixed, now, read_log
from nescio.people.campaigns.receipts import TakenIn, disqualified, read_receipts, taken_in, write_receipt, write_told
from nescio.people.campaigns.rulings import deadline_of
from nescio.people.campaigns.runs import FILE_RULE, FORM_SUFFIXES, examine, is_file_name, plain_name, run_name
from nescio.people.campaigns.settings import SETTINGS, is_named_for, moment, named_group
from nescio.people.campaigns.tampering import PENDING, Pending, drop_unlogged, pending
from nescio.people.campaigns.texts import canonical
from nescio.people.campaigns.topics import Topics
from nescio.people.campaigns.written_anew import Version, answers_of, most_alike, versions
from nescio.sources.source import PACKED
from nescio.sources.temporary import temporary_folder
from nescio.stats.parallel import followed
from nescio.text import command_text, plural, sanitize


class Delivered(Struct, frozen=True):
    """A file that a group submits, not yet accepted or refused.

    `source` is the file itself, or the archive that contains the file at the position `number`. `why` is the reason if
    the file is refused before it is read.
    """

    file: str
    group: str
    digest: str
    size: int
    source: Path
    number: int = 0
    archive: str | None = None
    why: str | None = None

    @property
    def stem(self) -> str:
        """Return the file's name without folder and suffixes, such as ".jsonl.gz", and without special characters."""
        return plain_name(run_name(self.file)) or "run"

    @property
    def plain_group(self) -> str:
        """Return the name of the group without special characters, as the names in the settings are written."""
        return plain_name(self.group).strip(".") or "unknown"

    @property
    def run(self) -> str:
        """Return the name of the run: the name of its file, such as `uned_1`.

        If the file is not named after its group, the name of the group comes first.
        """
        return self.stem if is_named_for(self.stem, self.plain_group) else f"{self.plain_group}_{self.stem}"


class _Contents:
    """A reader of the submitted files, which keeps only one file or archive in memory at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.source: Path | None = None
        self.held: list[bytes] = []

    def of(self, item: Delivered) -> bytes:
        """Return the content of a submitted file; empty if the file was refused before it was read.

        Raises MismatchError if the file has changed since the intake began.
        """
        if item.why is not None:
            return b""
        if self.source != item.source:
            self.held = []  # before the next are read
            self.held = [content for _, content in opened(item.source, self.most)[0]]
            self.source = item.source
        content = self.held[item.number] if item.number < len(self.held) else b""
        if hashlib.sha256(content).hexdigest() != item.digest:
            raise MismatchError(f"{item.source} was changed during intake; run nescio campaign intake again")
        return content


class Received(Results[Receipt], frozen=True):
    """The result of `intake`: a receipt for each file."""

    @property
    def refused(self) -> int:
        """Return the number of refused files."""
        return sum(receipt.status == REFUSED for receipt in self.rows)

    @property
    def status(self) -> int:
        """Return the exit status of the command: 2 if a file was refused, else 0."""
        return BROKEN if self.refused else 0

    def __str__(self) -> str:
        taken = len(self.rows) - self.refused
        return "\n".join([*map(str, self.rows), f"{plural(taken, 'run')} accepted, {self.refused} refused"])


class _Desk(Struct):
    """The data for deciding which submitted files are accepted: the campaign, its topics, receipts, log, and the time.

    `rules` has the digests of settings and topics. `since` has the receipts that this intake wrote before it was
    interrupted. `sole` says that only one file is taken in. `out` maps disqualified runs to the reasons, and `banned`
    has all versions of these runs. `languages` maps the runs of these groups to their languages by the present topics;
    None if a run does not fit them any more.
    """

    campaign: Campaign
    topics: Topics
    received: datetime
    receipts: list[Receipt]
    entries: list[Entry]
    rules: dict[str, str]
    contents: _Contents
    since: list[Receipt]
    sole: bool
    out: dict[str, str]
    banned: list[Version]
    languages: dict[str, str | None]


def intake(
    campaign: Path | str,
    folders: Sequence[Path | str],
    *,
    group: str | None = None,
    received: str | datetime | None = None,
    progress: Progress | None = None,
) -> Received:
    """Accept runs or refuse them; each file gets a receipt.

    `folders` are the deliveries of groups: a folder for each, named after the group, with runs or archives of runs.
    The names of subfolders have no meaning. `group` names the group if the folder is not named after it. `received` is
    the time of receipt (None: now). A version that was replaced or withdrawn counts again only if it is the only file
    taken in. A run is named after its group and its file, without the file's suffix. A later
    version replaces an earlier one, and both are kept. A file is refused if it is late, too large or faulty, or was
    accepted already. It is also refused if its group is unknown, has too many runs, or is not the group that the file
    names. `progress` is called with the number of files read. Raises UsageError if there is no file.
    """
    with step(campaign) as opened:
        given = {place: _delivered(opened, place, group) for place in map(Path, folders)}
        items = [item for delivery in given.values() for item in delivery]
        if not items:
            raise UsageError("there is no file to accept")
        stated = moment(received) if received else None
        entries = read_log(opened)
        begun, resumed = _begun(opened, items, stated, folders, group, lines=len(entries))
        time, since = moment(begun.received), read_receipts(opened, entries[begun.lines :])
        topics, receipts, out = opened.topics(), read_receipts(opened, entries), disqualified(entries)
        banned = [*versions(opened, topics, (receipt for receipt in receipts if receipt.run in out))]
        groups = {item.group for item in items}
        group_runs = [run for run in taken_in(opened, entries) if run.group in groups]
        languages = {run.run: _present_language(opened, topics, run) for run in group_runs}
        rules = digests(opened, SETTINGS, TOPICS)
        contents = _Contents(opened.settings.most_bytes)
        sole = len(items) == 1
        desk = _Desk(opened, topics, time, receipts, entries, rules, contents, since, sole, out, banned, languages)
        # What could not be opened is no run, whatever its name.
        runs = Counter(_printed(item.run, item.plain_group) for item in items if item.why is None)
        rows = [
            _take(desk, item, alone=runs[_printed(item.run, item.plain_group)] < 2)
            for item in followed(items, progress)
        ]
        for name in dict.fromkeys(row.group for row in rows):
            write_told(opened, name)
        (opened / RECEIPTS / PENDING).unlink()
    line = sign(campaign="intake", name=opened.settings.name, task=opened.settings.task, received=time.isoformat())
    notes = [*empty([folder for folder, delivery in given.items() if not delivery])]
    if stated is None and not resumed and is_fixed():
        notes.append(
            note(
                "campaign.fixed_time",
                "the time of receipt is {time}: SOURCE_DATE_EPOCH sets it, not the clock",
                time=time.isoformat(),
            )
        )
    return Received(tuple(rows), line, tuple(notes), "receipts")


def _present_language(campaign: Campaign, topics: Topics, run: TakenIn) -> str | None:
    """Return the language of an accepted run by the present topics; None if the run does not fit them any more."""
    if digest(run.path) != run.digest:
        return run.language if run.language in topics.parts else None
    submission = examine(run.path, topics, campaign.settings, accepted=run)
    return None if submission.faults else submission.language


def _delivered(campaign: Campaign, folder: Path, group: str | None) -> list[Delivered]:
    """Return the files in a folder and in its archives, to be accepted or refused.

    An archive that cannot be opened counts as one file. The files belong to `group`, or else to the group after which
    the folder is named.
    """
    if not folder.exists() and not folder.is_symlink():
        raise UsageError(f"{folder}: there is no such file or folder")
    whose = group or Path(os.path.abspath(folder if folder.is_dir() else folder.parent)).name  # not that of a link
    files = [folder]
    if folder.is_dir():
        files = handed_in_files(folder)
        if len(files) > MOST_MEMBERS:
            raise UsageError(
                f"{folder}: the folder holds more than {MOST_MEMBERS:,} files; split it into several deliveries"
            )
    items, most = [], campaign.settings.most_bytes
    for path in files:
        label = str(path.relative_to(folder)) if folder.is_dir() else path.name
        contents, refused = opened(path, most)
        if refused:
            items.append(Delivered(label, whose, _digest_of(path, most), 0, path, why=refused))
        for number, (name, content) in enumerate(contents):
            archive = label if name != path.name else None
            inner = str(PurePosixPath(label).parent / name) if archive else label
            digest = hashlib.sha256(content).hexdigest()
            items.append(Delivered(inner, whose, digest, len(content), path, number, archive))
    return items


def _digest_of(path: Path, most: int) -> str:
    """Return the digest of a refused file; if the file has more than `most` bytes, that of its size and first megabyte.

    For a link, return the digest of its target's path.
    """
    if path.is_symlink():
        return hashlib.sha256(str(path.readlink()).encode()).hexdigest()
    if not path.is_file():
        return hashlib.sha256().hexdigest()
    if (size := path.stat().st_size) > most:
        with path.open("rb") as file:
            return hashlib.sha256(b"%d bytes, the first of them " % size + file.read(1 << 20)).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _begun(
    campaign: Campaign,
    items: Sequence[Delivered],
    stated: datetime | None,
    folders: Sequence[Path | str],
    group: str | None,
    *,
    lines: int,
) -> tuple[Pending, bool]:
    """Store the list of submitted files; return what was stored, and whether an interrupted intake is continued.

    An interrupted intake of the same files is continued with the same time, unless the user states another time.
    `lines` is the number of lines of the log.
    """
    place = campaign / RECEIPTS / PENDING
    listed = tuple((item.group, item.file, item.digest) for item in items)
    before = pending(campaign)
    if before is not None:
        begun_at = moment(before.received, place)
        if before.items == listed and stated in (None, begun_at):
            return before, True
        drop_unlogged(campaign)
    time = stated or now()
    words = ["nescio", "campaign", "intake", str(campaign.folder), *map(str, folders)]
    words += ["--received", time.isoformat(), *(["--group", group] if group else [])]
    begun = Pending(time.isoformat(), listed, command_text(words), lines)
    put(place, json.dumps(asdict(begun)).encode(errors="replace"))
    return begun, False


def _printed(run: str, group: str) -> tuple[str, str]:
    """Return the group and the rest of a run's name, in lower case.

    Two runs with the same result, such as `uned_1` and `UNED-1`, would look alike in a table.
    """
    rest = run[len(group) + 1 :] if is_named_for(run, group) else run
    return group.casefold(), rest.casefold()


def _take(desk: _Desk, item: Delivered, *, alone: bool) -> Receipt:
    """Accept or refuse one submitted file, and return its receipt.

    `alone` says that no other submitted file has the same run name. A file keeps its earlier receipt if the same intake
    wrote it before an interruption, or if this version of the run still counts. Otherwise the decision is made anew,
    because rules and rulings may have changed.
    """
    content = desk.contents.of(item)
    receipt = Receipt(
        item.file,
        item.plain_group,
        item.run,
        "",
        desk.received.isoformat(),
        item.digest,
        item.size,
        REFUSED,
        archive=item.archive,
        same=hashlib.sha256(canonical(content)).hexdigest() if content else "",
    )
    before = [old for old in desk.receipts if replace(old, again=0).place == receipt.place]
    same = [old for old in before if old.digest == receipt.digest]  # the place has only a part of it
    if same and (same[-1] in desk.since or _counts(desk, same[-1])):
        return same[-1]
    why, aside = _why_not(desk, item, receipt, alone=alone)
    receipt = replace(receipt, reasons=(why,), aside=aside) if why else _checked(desk, item, receipt)
    if same and (same[-1].status, same[-1].reasons) == (REFUSED, receipt.reasons):
        return same[-1]
    receipt = replace(receipt, again=len(before))
    write_receipt(desk.campaign, receipt, desk.rules)
    desk.receipts.append(receipt)
    return receipt


def _counts(desk: _Desk, receipt: Receipt) -> bool:
    """Return whether the version in a receipt was accepted, and not replaced, withdrawn or disqualified since."""
    counting = {(run.run, run.version) for run in taken_in(desk.campaign, read_log(desk.campaign))}
    return receipt.status == ACCEPTED and (receipt.run, receipt.version) in counting


_Why = tuple[str, str]  # why a run is not accepted, and a text that only the organisers see
_RENAME = "runs of this group cannot have this name; rename the file"
_ASK = "the file cannot be accepted; ask the organisers"


def _why_not(desk: _Desk, item: Delivered, receipt: Receipt, *, alone: bool) -> _Why:
    """Return two texts on why a run is refused, whatever its content is; empty if it is not refused.

    The first text is for the run's group. The second, for the organisers only, may name other groups.
    """
    settings = desk.campaign.settings
    deadline = deadline_of(desk.campaign, item.group, desk.entries)
    if item.group not in settings.groups:
        return (
            f"there is no group {item.group!r}",
            f"the groups are {', '.join(settings.groups)} (give the folder of each group, or name the group with "
            "--group)",
        )
    other = named_group(item.stem, settings.groups)
    if other not in ("", item.group):
        return _RENAME, f"the file name names the group {other}, but the file came from {item.group}"
    late = f"the file came after the deadline, {deadline:%Y-%m-%d %H:%M} UTC" if deadline else ""
    rules = {
        str(item.why): item.why is not None,
        late: deadline is not None and desk.received > deadline,
        "another file in this delivery has the same run name": not alone,
        f"the run is disqualified: {desk.out.get(receipt.run)}": receipt.run in desk.out,
        FILE_RULE: not is_file_name(PurePosixPath(item.file).name),
    }
    if broken := next((rule for rule, holds in rules.items() if holds), None):
        return broken, ""
    # The group of a run that is in may be the beginning of another's, which came later.
    before = {old.run.casefold(): old.group for old in desk.receipts if old.status == ACCEPTED}
    if (owner := before.get(receipt.run.casefold(), receipt.group)) != receipt.group:
        return _RENAME, f"{owner} already has a run with this name"
    return _in_already(desk, item, receipt)


def _in_already(desk: _Desk, item: Delivered, receipt: Receipt) -> _Why:
    """Return the two texts of `_why_not` if accepted files forbid a run; empty if they do not.

    They forbid the same content, a nearly equal name, and a version that is older than an accepted one. The same
    content is forbidden to a version that counts no more only if other files came with it, or a later one counts. If
    the stored copy of the same file was changed or lost, it is restored from the submitted file.
    """
    counting = {(run.run, run.version) for run in taken_in(desk.campaign, read_log(desk.campaign))}
    accepted = [old for old in desk.receipts if old.status == ACCEPTED]
    for old in accepted:
        stored = desk.campaign / RUNS / str(old.stored)
        if old.digest == item.digest and digest(stored) != old.digest:
            put(stored, desk.contents.of(item))
            aside = f"the stored file of version {old.version} of {old.run} had changed; the original was put back"
            return "the file was already accepted", aside
    for old in accepted:
        if old.same != receipt.same:
            continue
        if old.group != item.group and ((old.run, old.version) in counting or old.run in desk.out):
            return _ASK, f"{old.group} submitted the same file"
        counts = (old.run, old.version) in counting
        if counts or (old.run == receipt.run and not desk.sole):
            more = "" if counts else ", and does not count any more; to let it count again, hand it in alone"
            return (
                f"the file was already accepted as version {old.version} of {old.run}, received {old.received}{more}",
                "",
            )
    latest = {_printed(old.run, old.group): old for old in accepted}
    known = latest.get(_printed(receipt.run, receipt.group))
    # What came in later than now came in under a wrong clock, and keeps nothing out.
    receipts = [old for old in accepted if old.run == receipt.run]
    later = [old for old in receipts if desk.received < moment(old.received) <= now()]
    if any(old.same == receipt.same for old in receipts):
        later = [old for old in later if (old.run, old.version) in counting]
    if later:
        return f"a version received later ({later[-1].received}) was already accepted", ""
    if known is not None and known.run != receipt.run:
        return f"the name differs from {known.run} only in case, or in the mark after the group's name", ""
    return "", ""


def _checked(desk: _Desk, item: Delivered, receipt: Receipt) -> Receipt:
    settings = desk.campaign.settings
    suffix = PurePosixPath(item.file).suffix.lower()
    suffix = suffix if suffix in (*FORM_SUFFIXES, *PACKED) else ""
    with temporary_folder() as folder:
        path = folder / PurePosixPath(item.file).parent.name / f"run{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(desk.contents.of(item))
        run = examine(path, desk.topics, settings, name=item.stem, label=item.file)
    if run.faults:
        return replace(receipt, reasons=(run.counted,), faults=run.listed)
    banned = sorted(desk.banned, key=lambda version: version.group != item.group)  # of equals the group's own
    like = most_alike(run.language, answers_of(settings.task, run.said), banned)
    if like is not None and like.whole and like.version.group == item.group:
        name = like.version.run
        why = f"the file gives the same answers as {name}, which is disqualified: {desk.out[name]}"
        return replace(receipt, reasons=(why,))
    counting = taken_in(desk.campaign, read_log(desk.campaign))
    held = {old.run: desk.languages.get(old.run) for old in counting if old.group == item.group}
    other = held.get(receipt.run)
    if other is not None and other != run.language:
        return replace(receipt, reasons=(f"{receipt.run} is already a run in {other}; give this file another name",))
    runs = {name for name, language in held.items() if language == run.language}
    if receipt.run not in runs and len(runs) >= settings.runs:
        where = f" in {run.language}" if run.language else ""
        return replace(
            receipt,
            reasons=(
                f"{item.group} already has {plural(len(runs), 'run')}{where} ({', '.join(sorted(runs))}), and no group "
                "may have more",
            ),
        )
    versions = {old.version or 0: old for old in desk.receipts if (old.status, old.run) == (ACCEPTED, receipt.run)}
    version = max(versions, default=0) + 1
    before = versions[version - 1].file if versions and receipt.run in held else ""
    replaces = before if PurePosixPath(before).name != PurePosixPath(item.file).name else ""
    stored = f"{item.group}/{receipt.run}/{version}{suffix}"
    put(desk.campaign / RUNS / stored, desk.contents.of(item))
    desk.languages[receipt.run] = run.language
    noted = remarks(replace(run, path=Path(item.file)), desk.topics, settings)
    reasons = tuple(sanitize(remark.text, 2 * LONGEST) for remark in noted)
    receipt = replace(
        receipt,
        status=ACCEPTED,
        language=run.language,
        asked=run.asked,
        version=version,
        stored=stored,
        replaces=replaces,
        reasons=reasons,
    )
    return receipt if like is None else replace(receipt, aside=f"{like}, which is disqualified")
