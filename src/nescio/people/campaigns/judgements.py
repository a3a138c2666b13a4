"""Read and append to the history of judgements: assessor, answer, verdict and time. The latest verdict counts.

No line is overwritten: a changed or withdrawn verdict is another line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from nescio.errors import MismatchError
from nescio.people.campaigns import chain
from nescio.people.campaigns.entries import COLLECTING, Entry, is_time
from nescio.people.campaigns.folder import GUIDELINES, JUDGEMENTS, KEY, OWN_KEY, Campaign
from nescio.people.campaigns.log import digest, latest, now
from nescio.people.campaigns.shown_texts import AskedAgain, same_texts, taken_back_of

HISTORY = f"{JUDGEMENTS}/history.jsonl"
LISTS = f"{KEY}/{OWN_KEY}"  # the nuggets that assessors listed
# The source of a line that takes back a verdict, because the pool has other texts now. No sheet has this name.
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
    verdict was given (`shown_texts.texts_key`), or by which it was taken back; empty if it is unknown, as in earlier
    versions of nescio.
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
    """The current judgements of a history: one line for each answer and assessor.

    Sheets, pages and servers do not know each other, so a person may judge an answer in several of them. The newest
    verdict counts, in whatever order they are collected. Who takes back a verdict takes it back where it was given: a
    verdict from elsewhere is then current again. A line without a verdict `before` and `after` only has a comment or a
    mark, and takes nothing back. A judgement from a page or a server has the time at which it was made. A row of a
    sheet was written at some time until it was collected, or until its file was last changed. A row that repeats the
    verdict of an earlier sheet may be a copy, so its line has the time of this verdict, and gives none anew.
    """

    def __init__(self, history: Iterable[Change] = ()) -> None:
        self.lines: dict[tuple[str, str], Change] = {}
        self.records: dict[str, Change] = {}  # the line of each record from a page
        # The last of an item and an assessor from each sheet.
        self.by_source: dict[tuple[str, str], dict[str, Judgement]] = {}
        self.by_sheet: dict[tuple[str, str], Change] = {}  # the line of the last from any sheet of the assessor
        self.comments: set[tuple[str, str, str]] = set()  # every comment on an item by an assessor
        self.collected: set[tuple[str, str, str]] = set()  # every verdict on an item by an assessor
        self.again = AskedAgain()
        self._verdicts: dict[tuple[str, str], list[Change]] = {}  # one from each place that has one, the current last
        self._given: dict[tuple[str, str, str], Change] = {}  # the last line with a verdict on an item by an assessor
        # Until when verdicts do not hold for the present texts, and the key of these texts.
        self._ended: dict[tuple[str, str], str] = {}
        self._taken_back_by: dict[tuple[str, str], str] = {}
        # The last verdict of an assessor on an item in a sheet, with the number of its line.
        self._of_sheets: dict[tuple[str, str], tuple[int, str]] = {}
        self._count = 0
        self._sheets: dict[tuple[str, str], list[str]] = {}  # when a sheet's verdicts were collected
        self._known: dict[tuple[str, str], Sequence[Change]] = {}  # the verdicts when the last of them was
        for line in history:
            self.add(line)

    def add(self, line: Change) -> None:
        """Add a line of the history; the line becomes current unless the current judgement has a later time."""
        self._count += 1
        whose = line.item, line.assessor
        held, verdicts = self.lines.get(whose), self._verdicts.setdefault(whose, [])
        is_newest = held is None or not line.said or line.said >= _time(held)
        if held is not None and _repeats(line, held) and line.said == _time(held):
            self._put_in_place(line)
            return
        if line.taken_back:
            self._taken_back_by[whose] = line.texts
            verdicts[:] = [
                verdict
                for verdict in verdicts
                if (line.said and _time(verdict) > line.said) or self._is_present(verdict)
            ]
            self._ended[whose] = max(self._ended.get(whose, ""), line.said)
            if is_newest:
                self._hold(line)
                if verdicts:
                    self._hold(verdicts[-1])
        elif not line.before and not line.after:
            if held is not None and (held.after or held.taken_back):
                self.lines[whose] = _noted(held, line) if is_newest else held
            elif is_newest:
                self._hold(line)
        elif not line.said or line.said >= self._ended.get(whose, "") or self._is_present(line):
            last = verdicts[-1] if verdicts else None
            _replace(verdicts, self._from_where_it_was_given(line))
            if verdicts and verdicts[-1] is not last:
                self._hold(verdicts[-1])
            elif not verdicts and is_newest:
                self._hold(line)
        self._remember(line)

    def _is_present(self, line: Change) -> bool:
        """Return whether a verdict is by the very texts for which another verdict of the person was taken back."""
        now = self._taken_back_by.get((line.item, line.assessor), "")
        return bool(line.after and line.texts and now) and same_texts(line.texts, now)

    def _from_where_it_was_given(self, line: Change) -> Change:
        """Return a line of the history. A restored verdict gets the source and the record of the line that gave it."""
        given = self._given.get((line.item, line.assessor, line.after))
        if given is None or line.source != TAKEN_BACK:
            return line
        return replace(line, source=given.source, record=given.record)

    def _hold(self, line: Change) -> None:
        held, self.lines[line.item, line.assessor] = self.lines.get((line.item, line.assessor)), line
        if held is None or not (_repeats(line, held) and _same_texts(line, held)):
            self.again.add(line.item, line.assessor, line.after, line.taken_back, self._since(line, held))

    def _since(self, line: Change, held: Change | None) -> Collection[str]:
        """Return who judged an item after a server took back the verdict `held` by a `line` that is collected later.

        They judged the item later than the person of the line, and by other texts.
        """
        if not (line.record and line.taken_back and held is not None and held.after and held.texts):
            return ()
        others = [self.lines[line.item, who] for who in self.again.holding(line.item) if who != line.assessor]
        later = [other for other in others if other.texts and _time(other) > _time(held)]
        return {other.assessor for other in later if not same_texts(other.texts, held.texts)}

    def _remember(self, line: Change) -> None:
        whose = line.item, line.assessor
        self.comments.add((*whose, line.comment))
        if line.record:
            self.records[line.record] = line
        self.collected.add((*whose, line.after))
        if line.source != TAKEN_BACK:
            self._given[*whose, line.after] = line
        if line.taken_back and not line.record:  # so that an equal verdict on the present texts is new
            self.by_source.pop(whose, None)
            self.by_sheet.pop(whose, None)
        elif _of_sheet(line) and (line.before or line.after):
            self._put_in_place(line)
            self._sheets.setdefault(whose, []).append(line.at)
            self._known[whose] = (*self._verdicts[whose],)

    def _put_in_place(self, line: Change) -> None:
        whose = line.item, line.assessor
        self.by_source.setdefault(whose, {})[line.source] = line.judgement
        self.by_sheet[whose] = line
        self._of_sheets[whose] = self._count, line.after

    def earliest(self, item: str, assessor: str) -> str:
        """Return the time after which the assessor must have written what a sheet newly says of the item."""
        whose = item, assessor
        return max(self._sheets.get(whose, [""])[-1], self._ended.get(whose, ""))

    def earlier_sheet(self, item: str, assessor: str) -> str:
        """Return when the last but one of the assessor's verdicts on the item in a sheet was collected."""
        return ["", *self._sheets.get((item, assessor), [])][-2]

    def other(self, item: str, assessor: str, verdict: str, *, by_sheet: bool) -> Change | None:
        """Return the assessor's newest verdict on an item by sheets, or by pages and servers, if it is another one.

        A verdict by pages and servers is not returned if it was collected before the assessor's last sheet.
        """
        whose = item, assessor
        lines = [line for line in self._verdicts.get(whose, ()) if _of_sheet(line) == by_sheet]
        is_known = not by_sheet and any(lines[-1] is line for line in self._known.get(whose, ())) if lines else True
        return None if is_known or lines[-1].after == verdict else lines[-1]

    def of(self, item: str, assessor: str) -> Judgement:
        """Return an assessor's current judgement of an answer; without a judgement, one with an empty verdict."""
        line = self.lines.get((item, assessor))
        return Judgement(item, assessor, "") if line is None else line.judgement

    def time_of_copied(self, one: Judgement) -> str:
        """Return the time of the current judgement if it is from a sheet and a row repeats it; else ""."""
        line = self.lines.get((one.item, one.assessor))
        return _time(line) if line is not None and _of_sheet(line) and line.judgement == one else ""

    def said_by_sheet(self, item: str, assessor: str, source: str = "") -> bool:
        """Return whether the assessor's current verdict on the item is from a sheet; if so, a sheet can withdraw it.

        With a `source`, this sheet must have said the verdict, too.
        """
        line = self.lines.get((item, assessor))
        here = self.by_source.get((item, assessor), {}).get(source)
        is_of_sheet = line is not None and bool(line.after) and _of_sheet(line)
        return is_of_sheet and (not source or (here is not None and here.verdict == self.of(item, assessor).verdict))

    def gives_anew(self, one: Judgement, texts: str, before: int | None) -> bool:
        """Return whether a row repeats the current verdict for the present `texts`, if this verdict is on other texts.

        `before` is as in `is_known`.
        """
        held = self.lines.get((one.item, one.assessor))
        if held is None or self.is_known(one, before) or held.after != one.verdict or not (texts and held.texts):
            return False
        return not same_texts(held.texts, texts)

    def is_known(self, one: Judgement, before: int | None) -> bool:
        """Return whether a sheet gave the verdict of a row that was read before, or another verdict after that.

        `before` is the number of lines of the history after the first `collect` that read the row; None if none did. A
        row that was refused then, and that no later sheet replaced, is not known.
        """
        number, verdict = self._of_sheets.get((one.item, one.assessor), (0, ""))
        return before is not None and number > 0 and (number > before or verdict == one.verdict)

    def line_of_sheet(self, one: Judgement) -> int:
        """Return the number of the last line with a verdict of the same assessor on the same item in a sheet."""
        return self._of_sheets.get((one.item, one.assessor), (0, ""))[0]

    def repeats(self, one: Judgement, source: str = "", before: int | None = None) -> bool:
        """Return whether a row of a sheet with a verdict says nothing new.

        Such a row repeats what is current, if a sheet has said so, or the verdict of the assessor's last sheet, which a
        page has replaced since. With a `source`, the row may also repeat what was collected from this sheet before: a
        later sheet may have replaced that. A row of an unchanged sheet may be known since `before` (`is_known`).
        """
        whose = one.item, one.assessor
        here, held = self.by_source.get(whose, {}).get(source), self.lines.get(whose)
        is_current = one == self.of(*whose) and self.other(*whose, one.verdict, by_sheet=True) is None
        last = self.by_sheet.get(whose)
        if is_current and last is not None and last.after:
            return here is None or here.verdict == one.verdict
        is_taken_back = held is not None and bool(held.taken_back) and held.before == one.verdict
        if not is_taken_back and self.is_known(one, before):
            return True
        return one in (last and last.judgement, here)

    def lacks_comment(self, one: Judgement) -> bool:
        """Return whether a judgement has a comment that is not yet in the history."""
        return bool(one.comment) and (one.item, one.assessor, one.comment) not in self.comments


def _time(line: Change) -> str:
    return line.said or line.at


def _of_sheet(line: Change) -> bool:
    return not line.record and line.source != TAKEN_BACK


def _repeats(line: Change, held: Change) -> bool:
    """Return whether a line from a sheet repeats the judgement of the line `held`."""
    return bool(line.after) and _of_sheet(line) and line.judgement == held.judgement


def _replace(verdicts: list[Change], line: Change) -> None:
    """Put the verdict of a line in the place of the one that it replaces, in a person's `verdicts` on an item.

    They are sorted by time. A page or a server replaces its own verdict, and a sheet that of an earlier sheet. If a
    verdict is taken back, only others on the same texts stay.
    """
    if _of_sheet(line):
        past = [old for old in verdicts if _of_sheet(old)]
    else:
        past = [old for old in verdicts if old.after == line.before and _time(old) <= line.said]
        past = [old for old in past if not _of_sheet(old)] or past  # In earlier histories, it replaced a sheet's, too.
    if past:
        verdicts[:] = [
            verdict
            for verdict in verdicts
            if verdict is not past[-1] and (line.after or _same_texts(verdict, past[-1]))
        ]
    if line.after:
        later = sum(bool(line.said) and _time(verdict) > line.said for verdict in verdicts)
        verdicts.insert(len(verdicts) - later, line)


def _same_texts(line: Change, other: Change) -> bool:
    return not (line.texts and other.texts) or same_texts(line.texts, other.texts)


def _noted(held: Change, line: Change) -> Change:
    """Return the current line `held` with the comment and the flag of a later line that has no verdict."""
    mark = held.mark if line.mark == "skip" else line.mark
    return replace(held, comment=line.comment or held.comment, mark=mark)


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
    texts: Mapping[str, str],
    until: str = "",
    anew: Collection[Judgement] = (),
) -> list[Change]:
    """Return the lines that the rows of a sheet add to the history.

    `texts` has the key of the present texts of each item. `until` is the time when the sheet was filled in, if this is
    known. The rows `anew` repeat a verdict for other texts (`Present.gives_anew`).
    """
    guidelines, at = guidelines_of(campaign), now().isoformat()
    rows = []
    for judgement in given:
        old = present.of(judgement.item, judgement.assessor)
        by_sheet = judgement.verdict or present.said_by_sheet(judgement.item, judgement.assessor)
        before = old.verdict if by_sheet else ""  # of a page: a comment in a sheet does not take it back
        line = Change(
            at,
            judgement.assessor,
            judgement.item,
            before,
            judgement.verdict,
            judgement.comment,
            pool,
            guidelines,
            source,
        )
        if judgement.verdict:
            since = present.earliest(judgement.item, judgement.assessor)
            time = "" if judgement in anew else present.time_of_copied(judgement)
            time = time or (until if since <= until < at else "")
            line = replace(line, said=time, texts=texts.get(judgement.item, ""))
        rows.append(line)
        present.add(line)
    return rows


def taken_back(line: Change, version: int, guidelines: str, texts: str) -> Change:
    """Return the line that takes back the verdict of another line, because it does not hold for the present `texts`."""
    time = line.said or line.at
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
        said=time,
        texts=texts,
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


def refused(line: Change, version: int, present: Present, texts: str) -> list[Change]:
    """Return the lines for a verdict that comes in late and does not hold for the present `texts`; add them to
    `present`.

    They are the same as if the verdict had come in before the texts changed: `line`, and a line that takes it back.
    """
    rows = [line, taken_back(line, version, line.guidelines, texts)]
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
    for judgement in judgements:
        items.setdefault(judgement.item, {})[judgement.assessor] = judgement.verdict
    return items
