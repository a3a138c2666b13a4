"""Record organisers' decisions about accepted runs, and about the deadline of one group, with a reason, in the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nescio.errors import UsageError
from nescio.people.campaigns.entries import ACCEPTED, DISQUALIFIED, EXTENDED, LIFTED, WITHDRAWN, Entry
from nescio.people.campaigns.folder import Campaign, step
from nescio.people.campaigns.log import now, read_log, write_log
from nescio.people.campaigns.receipts import disqualified, read_receipts, rulings, taken_in
from nescio.people.campaigns.settings import moment
from nescio.people.campaigns.written_anew import most_alike, versions
from nescio.text import typed_path

_DONE = {WITHDRAWN: "withdrawn", DISQUALIFIED: "disqualified", LIFTED: "admitted again", EXTENDED: "extended"}


class Ruled(Struct, frozen=True):
    """The result of a decision about runs or a group (`about`).

    After a disqualification, `alike` has a sentence for each run that counts and shares more than half of its answers
    with a disqualified run.
    """

    step: str
    about: tuple[str, ...]
    folder: Path
    until: str = ""
    alike: tuple[str, ...] = ()

    def __str__(self) -> str:
        until = f" until {self.until}" if self.until else ""
        lines = [f"{', '.join(self.about)}: {_DONE[self.step]}{until}", *(f"note: {remark}" for remark in self.alike)]
        return "\n".join([*lines, f"next: nescio campaign status {typed_path(self.folder)}"])


def withdraw(campaign: Path | str, runs: Sequence[str], *, reason: str) -> Ruled:
    """Withdraw runs at the request of their groups; a later version of a withdrawn run counts again.

    Judgements of their answers stay valid. Raises UsageError for a run that does not count now, or without a reason.
    """
    with step(campaign) as opened:
        known = [run.run for run in taken_in(opened)]
        return _ruled(opened, WITHDRAWN, runs, known, reason=reason)


def disqualify(campaign: Path | str, runs: Sequence[str], *, reason: str, lift: bool = False) -> Ruled:
    """Disqualify runs: no version of these runs counts until `lift` admits the runs again.

    Judgements of their answers stay valid. Their groups cannot submit the same answers again, under any name. The
    result names the runs that still count and share more than half of their answers with a disqualified run. Raises
    UsageError for a run that was never accepted, or without a reason.
    """
    with step(campaign) as opened:
        log = read_log(opened)
        out = disqualified(log)
        known = {receipt.run for receipt in read_receipts(opened, log) if receipt.status == ACCEPTED}
        known = {*out} if lift else known - {*out}
        ruled = _ruled(opened, LIFTED if lift else DISQUALIFIED, runs, sorted(known), reason=reason)
        return ruled if lift else replace(ruled, alike=tuple(_alike(opened, runs)))


def _alike(campaign: Campaign, runs: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each run that counts and shares more than half of its answers with a run in `runs`.

    `runs` are the names of disqualified runs, whose accepted versions are all compared.
    """
    topics, receipts = campaign.topics(), read_receipts(campaign)
    banned = [*versions(campaign, topics, (receipt for receipt in receipts if receipt.run in runs))]
    counting = {(run.run, run.version) for run in taken_in(campaign)}
    kept = (receipt for receipt in receipts if (receipt.run, receipt.version) in counting)
    for version in versions(campaign, topics, kept):
        if like := most_alike(version.language, version.answers, banned):
            yield f"{version.run} counts: {like}"


def extend(campaign: Path | str, group: str, *, until: str | datetime, reason: str) -> Ruled:
    """Extend the deadline of one group.

    Raises UsageError for a group that the settings do not name, and without a reason. Also raises it if the campaign
    has no deadline, or if `until` is not after the deadline.
    """
    with step(campaign) as opened:
        if opened.settings.deadline is None:
            raise UsageError("the campaign has no deadline to extend")
        end = moment(until)
        if end <= opened.settings.deadline:
            rule = f"the deadline is {opened.settings.deadline:%Y-%m-%d %H:%M} UTC; give a later time"
            raise UsageError(f"{rule} (found {end:%Y-%m-%d %H:%M} UTC)")
        return _ruled(opened, EXTENDED, [group], list(opened.settings.groups), reason=reason, until=end.isoformat())


def _ruled(
    campaign: Campaign, kind: str, about: Sequence[str], known: Sequence[str], *, reason: str, until: str = ""
) -> Ruled:
    if not reason.strip():
        raise UsageError("give a reason for the log")
    if not about:
        raise UsageError("name at least one run or group")
    new = [name for name in dict.fromkeys(about) if name in known]
    # A step that was killed has said it of some.
    ruled_names = {
        ruling.about for ruling in rulings(read_log(campaign)) if (ruling.step, ruling.reason) == (kind, reason.strip())
    }
    for name in about:
        if name not in known and not (new and name in ruled_names):
            already = f"; the log says with this reason that it was {_DONE[kind]}" if name in ruled_names else ""
            raise UsageError(
                f"{name!r} is not one of the names that this command accepts now: {', '.join(known) or 'none'}{already}"
            )
    for name in new:
        more = {"until": until} if until else {}
        write_log(campaign, Entry(now().isoformat(), kind, about={"about": name, "reason": reason.strip(), **more}))
    return Ruled(kind, tuple(dict.fromkeys(about)), campaign.folder, until)


def deadline_of(campaign: Campaign, group: str, entries: Sequence[Entry]) -> datetime | None:
    """Return the deadline of a group: that of the campaign, or the group's latest extension if that is later."""
    common = campaign.settings.deadline
    deadlines = [
        moment(ruling.until) for ruling in rulings(entries) if ruling.step == EXTENDED and ruling.about == group
    ]
    return max(deadlines[-1], common) if deadlines and common else common
