"""Read and append to the history of judgements: assessor, answer, verdict and time. The latest verdict counts.

No line is overwritten: a changed or withdrawn verdict is another line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from nescio.errors import MismatchError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import COLLECTING, Entry, is_time
from nescio.people.campaigns.folder import GUIDELINES, JUDGEMENTS, KEY, OWN_KEY, Campaign
from nescio.people.campaigns.log import digest, latest, now
from nescio.people.campaigns.shown_texts import AskedAgain, taken_back_of

HISTORY = f"{JUDGEMENTS}/history.jsonl"
LISTS = f"{KEY}/{OWN_KEY}"  # the nuggets that assessors listed
# The source of a line that takes back a verdict, because the pool has other texts now. No file name has a slash.
TAKEN_BACK = "pool/pool.jsonl"
_TAKEN_BACK_BEFORE = "pool.jsonl"  # the same in earlier campaigns, where such a line has no time `said`
Kind = Literal["new", "changed", "withdrawn", "skipped", "noted"]
Mark = Literal["", "flag", "skip"]


class Judgement(Struct, frozen=True):
    """An assessor's verdict on an answer of the pool: R, W, X or U, or the nuggets in the answer.

    An empty verdict means that the assessor has withdrawn the verdict. `mark` says that the assessor flagged the
    answer, or skipped it for the reason in the comment.
    """

    item: str
    assessor: str
    verdict: str
    comment: str = ""
    mark: Mark = ""


class Change(Struct, frozen=True):
    """A line of the history of judgements: what changed in an assessor's judgement of an item.

    `before` and `after` are verdicts; an empty text means no verdict. `pool` is the version of the pool, and
    `guidelines` the beginning of the digest of the guidelines. `at` is the time of collecting. A judgement from a page
    also has the time `said` at which it was made, and its own id, `record`. A line that takes back a verdict has the
    time of this verdict, so that it never replaces a later judgement. `texts` is the key of the texts by which the
    verdict was given (`shown_texts.texts_key`); earlier versions of nescio did not write it.
    """

    at: str
    assessor: str
    item: str
    before: str
    after: str
    comment: str
    pool: int
    guidelines: str
    source: str
    mark: Mark = ""
    said: str = ""
    record: str = ""
    texts: str = ""

    @property
    def kind(self) -> Kind:
        """Return what the line does: "new", "changed", "withdrawn", "skipped" or "noted".

        The first three are about a verdict, "skipped" is about an answer, and "noted" about a comment alone.
        """
        if not self.after:
            return "withdrawn" if self.before else "skipped" if self.mark == "skip" else "noted"
        return "new" if not self.before else "changed"

    @property
    def taken_back(self) -> int:
        """Return 0, unless the line takes back a verdict because the texts changed: then the number of people who had
        judged the item, as far as the line tells it."""
        earlier = self.source == _TAKEN_BACK_BEFORE and not (self.said or self.after)
        return 0 if self.after else int(self.source == TAKEN_BACK or earlier) or taken_back_of(self.record)

    @property
    def judgement(self) -> Judgement:
        """Return the judgement that is current after this line."""
        return Judgement(self.item, self.assessor, self.after, self.comment, self.mark)


def flaw_of(line: Change) -> str:
    """Return the reason why `collect` cannot have written this line of the history; empty if `collect` can have."""
    bad = next((time for time in filter(None, (line.at, line.said)) if not is_time(time)), None)
    return "" if bad is None else f"{bad!r} is not a time"


class Present:
    """The current judgements of a history: the latest line for each answer and assessor.

    A judgement from a page has the time at which it was made, and never replaces a later judgement, whichever of the
    two is collected first. A row of a sheet has the time at which it is collected.
    """

    def __init__(self, history: Iterable[Change] = ()) -> None:
        self.lines: dict[tuple[str, str], Change] = {}
        self.records: dict[str, Change] = {}  # the line of each record from a page
        # The last of an item and an assessor from each sheet.
        self.by_source: dict[tuple[str, str], dict[str, Judgement]] = {}
        self.by_sheet: dict[tuple[str, str], Judgement] = {}  # the last from any sheet of the assessor
        self.comments: set[tuple[str, str, str]] = set()  # every comment on an item by an assessor
        self.collected: set[tuple[str, str, str]] = set()  # every verdict on an item by an assessor
        self.again = AskedAgain()
        for line in history:
            self.add(line)

    def add(self, line: Change) -> None:
        """Add a line of the history; the line becomes current unless the current judgement has a later time."""
        held = self.lines.get((line.item, line.assessor))
        if held is None or not line.said or line.said >= (held.said or held.at):
            self.lines[line.item, line.assessor] = line
            self.again.add(line.item, line.assessor, line.after, line.taken_back)
        self.comments.add((line.item, line.assessor, line.comment))
        if line.record:
            self.records[line.record] = line
        self.collected.add((line.item, line.assessor, line.after))
        whose = line.item, line.assessor
        if line.taken_back and not line.record:  # so that an equal verdict on the present texts is new
            self.by_source.pop(whose, None)
            self.by_sheet.pop(whose, None)
        elif not line.said:
            self.by_source.setdefault(whose, {})[line.source] = line.judgement
            self.by_sheet[whose] = line.judgement

    def of(self, item: str, assessor: str) -> Judgement:
        """Return an assessor's current judgement of an answer; without a judgement, one with an empty verdict."""
        line = self.lines.get((item, assessor))
        return Judgement(item, assessor, "") if line is None else line.judgement

    def said_by_sheet(self, item: str, assessor: str) -> bool:
        """Return whether the assessor's current verdict on the item is from a sheet; if so, a sheet can withdraw it."""
        line = self.lines.get((item, assessor))
        return line is not None and bool(line.after) and not line.said

    def lacks_comment(self, one: Judgement) -> bool:
        """Return whether a judgement has a comment that is not yet in the history."""
        return bool(one.comment) and (one.item, one.assessor, one.comment) not in self.comments


def collected(campaign: Campaign) -> int:
    """Return the number of lines in the history of judgements that the log confirms.

    Further lines come from an interrupted `collect`, and do not count. Raises MismatchError if confirmed lines are
    missing.
    """
    last, links = latest(campaign, "collect"), chain.links(campaign / HISTORY)
    head = last.about["history"] if last else ""
    if head and head not in links:
        rule = "lines of the collected judgements are missing; put the file back as it was"
        raise MismatchError(f"{campaign / HISTORY}: {rule}")
    return links.index(head) + 1 if head else 0


def lists_taken_in(entries: Sequence[Entry]) -> str:
    """Return the digest of the lists of nuggets that `collect` took in; empty if it took none."""
    if any(LISTS in entry.wrote for entry in entries if entry.step == "init"):
        return ""  # a key of the organisers has this name
    last = next((entry for entry in reversed(entries) if entry.step == COLLECTING), None)
    return last.wrote.get(LISTS, "") if last else ""


def read_history(campaign: Campaign) -> list[Change]:
    """Return the lines of the history of judgements that the log confirms.

    Raises MismatchError if the chain of digests is broken, or if confirmed lines are missing.
    """
    return chain.read_chain(campaign / HISTORY, Change, flaw_of)[: collected(campaign)]


def read_judgements(campaign: Campaign) -> list[Judgement]:
    """Return the current judgements that have a verdict, in the order in which their answers were first judged."""
    lines = Present(read_history(campaign)).lines.values()
    return [line.judgement for line in lines if line.after]


def asked_again(campaign: Campaign) -> AskedAgain:
    """Return the items of which verdicts were taken back, and the people who are asked to judge these items again."""
    return Present(read_history(campaign)).again


def changes(
    campaign: Campaign,
    given: Iterable[Judgement],
    *,
    pool: int,
    source: str,
    present: Present,
    lies_there: bool,
    texts: Mapping[str, str],
) -> list[Change]:
    """Return the lines that the rows of a sheet add to the history.

    A row adds nothing if it repeats the current verdict, or the verdict of the assessor's last sheet, which a page has
    replaced since. `lies_there` says that nescio found the sheet in the folder of the campaign. In that case, a row
    that repeats what was collected from this sheet before also adds nothing: a later sheet may have replaced that.
    `texts` has the key of the present texts of each item.
    """
    told, at = guidelines_of(campaign), now().isoformat()
    rows = []
    for one in given:
        old = present.of(one.item, one.assessor)
        before = {present.by_sheet.get((one.item, one.assessor))}
        if lies_there:
            before.add(present.by_source.get((one.item, one.assessor), {}).get(source))
        if one != old and (not one.verdict or one not in before):
            line = Change(at, one.assessor, one.item, old.verdict, one.verdict, one.comment, pool, told, source)
            rows.append(replace(line, texts=texts.get(one.item, "") if one.verdict else ""))
            present.add(rows[-1])
    return rows


def taken_back(line: Change, version: int, guidelines: str) -> Change:
    """Return the line that takes back the verdict of another line, because this verdict does not hold any more."""
    said = line.said or line.at
    return Change(
        now().isoformat(),
        line.assessor,
        line.item,
        line.after,
        "",
        line.comment,
        version,
        guidelines,
        TAKEN_BACK,
        said=said,
    )


def restored(line: Change, verdict: Change, version: int, guidelines: str) -> Change:
    """Return the line that undoes a line which took back a verdict, because this verdict holds again."""
    return Change(
        now().isoformat(),
        line.assessor,
        line.item,
        "",
        verdict.after,
        verdict.comment,
        version,
        guidelines,
        TAKEN_BACK,
        verdict.mark,
        line.said,
        texts=verdict.texts,
    )


def refused(line: Change, version: int, present: Present) -> list[Change]:
    """Return the lines for a verdict that comes in late and does not hold for the present texts; add them to `present`.

    They are the same as if the verdict had come in before the texts changed: `line`, and a line that takes it back.
    """
    rows = [line, taken_back(line, version, line.guidelines)]
    for row in rows:
        present.add(row)
    return rows


def guidelines_of(campaign: Campaign) -> str:
    """Return the first 12 digits of the digest of the guidelines, which identify their version."""
    return digest(campaign / GUIDELINES)[:12]


def append_history(campaign: Campaign, rows: Sequence[Change]) -> str:
    """Append collected changes to the history, and return the digest of its last line."""
    chain.cut(campaign / HISTORY, collected(campaign))
    chain.append(campaign / HISTORY, [asdict(row) for row in rows])
    return (chain.links(campaign / HISTORY) or [""])[-1]


def by_item(judgements: Iterable[Judgement]) -> dict[str, dict[str, str]]:
    """Return the verdict of each assessor on each item, keyed by item and then by assessor."""
    items: dict[str, dict[str, str]] = {}
    for one in judgements:
        items.setdefault(one.item, {})[one.assessor] = one.verdict
    return items
