"""Collect assessors' sheets into the history of judgements; a row with a fault is reported and not collected."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.assessors import ADJUDICATION
from nescio.data.notes import Note, note
from nescio.data.signature import sign
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns.assessors import read_asked
from nescio.people.campaigns.chain import UNREADABLE, links
from nescio.people.campaigns.faults import Fault, Faults, FaultsOfFiles
from nescio.people.campaigns.folder import Campaign, put, step
from nescio.people.campaigns.freshness import FEW
from nescio.people.campaigns.handed_in import (
    SUFFIX,
    handed_in_changes,
    learn_lists,
    read_handed_in,
    wrong_clock,
)
from nescio.people.campaigns.items import pool_version
from nescio.people.campaigns.judgements import (
    HISTORY,
    LISTS,
    Change,
    Judgement,
    Present,
    append_history,
    changes,
    collected,
    guidelines_of,
    lists_taken_in,
    read_history,
    read_judgements,
    refused,
)
from nescio.people.campaigns.log import digest, digests, now, read_log, record
from nescio.people.campaigns.nugget_lists import by_earlier_lists, changed_lists, key_of_lists, reworded
from nescio.people.campaigns.screens import list_items, sentence_items, shown_nuggets
from nescio.people.campaigns.sheet_reading import SheetReader, SheetRows, table
from nescio.people.campaigns.sheet_times import (
    REFUSED,
    SAID,
    Collects,
    drop_contradictions,
    drop_replaced,
    drop_unordered,
    filled_in_by,
    found_sheets,
    gives_anew,
    is_key_sheet,
    is_new,
    keeps_newer,
    ordered_rows,
    replaces_newer,
    sources_of,
)
from nescio.people.campaigns.shown_texts import CHANGED
from nescio.people.campaigns.topics import nugget_texts, without_list
from nescio.people.campaigns.verdicts import agreement, alike, unlisted
from nescio.stats.parallel import followed
from nescio.text import plural, sanitize, squeeze

Nuggets = Mapping[tuple[str, str], tuple[str, str]]  # importance and text by question and number
KEY_COLUMNS = ("question_id", "nugget", "vital", "text")
_AGAIN = "run nescio campaign sheets for a new sheet"
_OF_A_PAGE = (
    "{who} listed these nuggets on a page, and only this page changes them; undo the changes in this sheet, or delete "
    "key/nuggets.jsonl and put a key of another name into key/"
)
_ALONE = (
    "the verdicts are sorted, but the rows are in their original order; if only the verdicts were sorted, undo the "
    "sorting; if each verdict is beside its answer, sort whole rows by another column, such as answer; then collect "
    "the sheet again"
)
VITAL = {"vital": True, "v": True, "1": True, "okay": False, "ok": False, "o": False, "0": False}


class Collected(Faults, frozen=True):
    """The result of `collect`: a list of the first faults of each file, and the number of all faults (`count`).

    `tables["sheets"]` has the counts of each sheet, and `tables["agreement"]` the agreement of the assessors.
    """

    count: int = 0

    def __str__(self) -> str:
        lines = [str(row) for row in self.tables["sheets"]]
        lines += [f"  {fault}" for fault in self.rows]
        if self.rows:
            lines.append(f"{plural(self.count, 'fault')}: judgements with a fault were not collected; all others were")
        return "\n".join([*lines, *map(str, self.tables["agreement"])])


class ReadBack(Struct, frozen=True):
    """The counts of one collected sheet: its answers, those with a verdict (`judged`), and changed judgements.

    `blank` counts answers that were judged before and have no verdict in this sheet; the earlier verdict stays. Pages
    can also mark answers as `skipped` or `flagged`. `older` is the number of judgements that were already replaced by a
    later judgement of the same answer. `noted` is the number of comments on answers without a verdict.
    """

    file: str
    assessor: str
    answers: int
    judged: int
    new: int = 0
    changed: int = 0
    withdrawn: int = 0
    blank: int = 0
    skipped: int = 0
    flagged: int = 0
    older: int = 0
    noted: int = 0

    def __str__(self) -> str:
        counts = {"new": self.new, "changed": self.changed, "withdrawn": self.withdrawn, "skipped": self.skipped}
        counts |= {"flagged": self.flagged, "superseded by a later judgement": self.older}
        counts |= {"with only a comment": self.noted}
        summary = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count or word == "new")
        back = "(--withdraw with the name of this file alone takes it back)"
        kept = f"; {plural(self.blank, 'blank row')} left with the earlier verdict {back}" if self.blank else ""
        return f"{sanitize(self.file)}: {self.judged} of {plural(self.answers, 'answer')} judged; {summary}{kept}"


def collect(
    campaign: Path | str,
    files: Sequence[Path | str] = (),
    *,
    withdraw: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Collected:
    """Add the judgements in sheets to the history, and return the faults of the sheets and the assessors' agreement.

    `files` are the sheets that assessors returned (.csv or .xlsx, named after the assessor) and the files of pages
    (.jsonl, under any name); if `files` is empty, all files in `sheets/` are read. Every valid row is collected, and
    every other row is reported with its fault: an unknown item, verdict or nugget, or an answer that differs from the
    item's answer. The first 50 faults of each file are listed, and the others counted. A sheet is refused as a whole if
    it is named after somebody who was not asked to judge, or if it is a copy of another assessor's sheet.

    An assessor's new verdict on an answer is added to the history and counts from then on. What a sheet said when it
    was collected before replaces nothing newer, unless this sheet is the only one of `files`. A row without a verdict
    changes nothing, but its comment is collected; with `withdraw`, it takes back a verdict of an earlier sheet, or, in
    a sheet that is found in `sheets/`, a verdict of this sheet.
    Judgements from pages have their own times, and the newest judgement counts, in whatever order files are collected.
    If the definition questions of a campaign have no key, `sheets/nuggets.csv` is read as the key.
    `progress` is called with the number of sheets read. Raises UsageError if there is no sheet.
    """
    with step(campaign) as opened:
        paths = [Path(path) for path in files] or found_sheets(opened)
        if not paths:
            raise UsageError(f"there is no sheet to collect; run nescio campaign sheets {opened.typed} first")
        before, faults, taken = _listed(opened), FaultsOfFiles(), lists_taken_in(read_log(opened))
        by_name = len({*map(Path, files)})
        lists = drop_replaced(opened, [*filter(is_key_sheet, paths)], faults, alone=by_name == 1)
        paths = [path for path in paths if not is_key_sheet(path)]
        read = {path: digest(path) for path in (*lists, *paths)}
        known = digest(opened / LISTS) == taken  # whether all that the key has was collected
        by_sheet = _read_key(opened, lists, faults)
        known = bool(by_sheet) or known
        reading, present = SheetReader(opened, faults), Present(read_history(opened))
        reading.is_list_collected = known
        rows, sheets, of_sheets = _collected(
            reading, paths, present, withdraw=withdraw, named=by_name, progress=progress
        )
        if changed := next((path for path in (*lists, *paths) if digest(path) != read[path]), None):
            raise MismatchError(f"{changed} was changed while it was read; collect again")
        unnamed = len(links(opened / HISTORY)) - collected(opened)
        head = append_history(opened, rows)
        targets = {item.question: item.text for item in list_items(opened)}
        for question, who in changed_lists(by_sheet, present, targets):
            faults.add(Fault(str(lists[-1]), None, _OF_A_PAGE.format(who=who), question))
        known = _put_lists(opened, present) or known
        sources, faulty = sources_of(opened, read), {fault.file for fault in faults.listed}
        held = digest(opened / LISTS) if known else taken
        wrote = digests(opened, HISTORY) | ({LISTS: held} if held else {})
        refused = sorted(sources[path] for path in read if str(path) in faulty)
        about = {"history": head, SAID: reading.said} | ({REFUSED: refused} if refused else {})
        record(opened, "collect", {sources[path]: content for path, content in read.items()}, wrote, about)
        judged = read_judgements(opened)
        kept = [judgement for judgement in judged if judgement.item in reading.items]
        sentences = {item.id: [str(i) for i in range(len(item.supports))] for item in sentence_items(opened)}
        named = [judgement for judgement in judged if judgement.item in sentences]
        agreed = (
            *agreement(kept, resamples, seed, reading.of_items()),
            *agreement(named, resamples, seed, sentences, "question"),
        )
        questions = {item.id: item.question for item in reading.items.values()}
        notes = (*_taken_out(unnamed), *of_sheets, *alike(kept))
        if opened.settings.task == "nuggets":
            notes += (*_key_changes(before, _listed(opened)),)
            notes += _about_nuggets(opened, before if lists else {}, kept, questions)
    line = sign(campaign="collect", name=opened.settings.name, resamples=resamples, seed=seed)
    tables = {"sheets": tuple(sheets), "agreement": agreed}
    return Collected(faults.listed, line, notes, "faults", tables, count=faults.count)


def _key_changes(before: Nuggets, after: Nuggets) -> Iterator[Note]:
    """Yield a note that names the nuggets which differ between two keys; of targets that had a list before."""
    had = {question for question, _ in before}
    changed = []
    for question, number in sorted({**before, **after}):
        old, now = before.get((question, number)), after.get((question, number))
        if question in had and _same_nugget(old) != _same_nugget(now):
            what = "is gone" if now is None else "is new" if old is None else f"is now {now[0]}, {now[1]!r}"
            changed.append(f"nugget {number} of {question} {what}")
    if changed:
        more = [f"{len(changed) - FEW:,} more"] if len(changed) > FEW else []
        what = "; ".join([*changed[:FEW], *more])
        yield note(
            "campaign.key_changed", "the list of nuggets ({subject}) was changed: {changes}", LISTS, changes=what
        )


def _same_nugget(nugget: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return a key that is equal for nuggets which differ in case and white space alone."""
    return nugget and (nugget[0], squeeze(nugget[1]))


def _about_nuggets(
    opened: Campaign, before: Nuggets, kept: Sequence[Judgement], questions: Mapping[str, str]
) -> tuple[Note, ...]:
    """Return notes on contradictions between the nuggets in the key and the judgements `kept`.

    `before` has the nuggets in the previous key, and `questions` maps each item to its question.
    """
    nuggets, history = _listed(opened), read_history(opened)
    asked = [question for part in opened.topics().parts.values() for question in part.questions]
    return (
        *(
            note("campaign.unlisted", "{subject}; ask the assessor to change the judgement or the list", stray)
            for stray in unlisted(kept, questions, nuggets)
        ),
        *_other_texts(before, nuggets, kept, questions),
        *reworded(history, questions),
        *by_earlier_lists(history, questions, shown_nuggets(opened)),
        *without_list(asked, {question for question, _ in nuggets}),
    )


def _collected(
    reading: SheetReader,
    paths: Sequence[Path],
    present: Present,
    *,
    withdraw: bool,
    named: int,
    progress: Progress | None,
) -> tuple[list[Change], list[ReadBack], list[Note]]:
    """Read the sheets at `paths`; return the lines to add to the history, the counts of each sheet, and notes.

    `named` is the number of files that the user named; 0 if nescio found the sheets in the folder of the campaign.
    """
    campaign = reading.campaign
    version = pool_version([*reading.items.values()])
    asked = read_asked(campaign).assessors
    known = {name.casefold(): name for name in (*asked, ADJUDICATION)} if asked else {}
    rows: list[Change] = []
    counts: list[ReadBack] = []
    sheets: list[SheetRows] = []
    notes: list[Note] = []
    sources, collects = sources_of(campaign, paths), Collects(campaign)
    learn_lists(reading, [path for path in paths if path.suffix.lower() == SUFFIX], present)
    # Pages have the times of their judgements, with which sheets are compared.
    for path in followed(sorted(paths, key=lambda path: path.suffix.lower() != SUFFIX), progress):
        if path.suffix.lower() == SUFFIX:
            change, of_files, of_clock = _handed_in(reading, path, present)
            rows, counts, notes = [*rows, *change], [*counts, *of_files], [*notes, *of_clock]
            continue
        who = known.get(path.stem.casefold()) if known else path.stem
        if who is None:
            rule = f"no sheet was written for {path.stem!r}; name the file after its assessor: {', '.join(asked)}"
            reading.fault(path, None, rule)
            continue
        sheet = reading.read(path, who)
        sheet.source, sheet.lies_there, sheet.alone = sources[path], not named, named == 1
        sheet.before, sheet.after = collects.first(sheet)
        alone = reading.is_sorted_alone(sheet)
        if alone:
            reading.fault(path, None, _ALONE)
            continue
        reading.said[sheet.source] = sheet.said
        sheets.append(sheet)
        if alone is None:
            notes.append(
                note(
                    "campaign.sorted_verdicts",
                    "all equal verdicts of {subject} stand together; if somebody sorted this column alone, undo the "
                    "sorting and collect the sheet again",
                    who,
                )
            )
    drop_contradictions(reading, sheets, present, withdraw=withdraw)
    for sheet in sheets:
        change, of_sheet, undone = _of_sheet(reading, sheet, version, present, withdraw=withdraw)
        rows += change
        counts.append(of_sheet)
        notes += undone
    return rows, counts, notes


def _of_sheet(
    reading: SheetReader, sheet: SheetRows, version: int, present: Present, *, withdraw: bool
) -> tuple[list[Change], ReadBack, list[Note]]:
    """Return the lines that a sheet adds to the history, the counts of the sheet, and notes on its age."""
    campaign, path, who, source = reading.campaign, sheet.path, sheet.who, sheet.source
    rows: list[Change] = []
    for line, judgement in sheet.outdated:
        if (judgement.item, who, judgement.verdict) not in present.collected:
            reading.fault(path, line, f"{CHANGED} ({_AGAIN})", judgement.item)
            rows += _refused(reading, judgement, version, source, present)
    until = filled_in_by(campaign, sheet)
    again = {judgement for judgement in sheet.judgements if not is_new(reading, sheet, judgement, present)}
    fresh = ordered_rows(
        reading, sheet, [judgement for judgement in sheet.judgements if judgement not in again], present, until=until
    )
    judged = [blank for blank in sheet.blanks if present.said_by_sheet(blank.item, who)]
    # A comment without a verdict is taken too; what holds of the answer stays as it is.
    back = [blank for blank in judged if withdraw and is_new(reading, sheet, blank, present)]
    remarks = [blank for blank in sheet.blanks if present.lacks_comment(blank) and blank not in back]
    noted = [
        replace(present.of(remark.item, who), comment=remark.comment) if remark in judged else remark
        for remark in remarks
    ]
    judgements = [*fresh, *back, *noted]
    texts, given = reading.texts | sheet.texts, [*again, *fresh]
    same = {judgement for judgement in fresh if judgement == present.of(judgement.item, who)}
    anew = {judgement for judgement in same if gives_anew(reading, sheet, judgement, present)}
    undone = [*replaces_newer(reading, sheet, [*fresh, *back], present)] if sheet.alone else []
    change = changes(
        campaign, judgements, present=present, texts=texts, until=until, anew=anew, pool=version, source=source
    )
    older = sum(present.of(judgement.item, who).verdict != judgement.verdict for judgement in given)
    undone += keeps_newer(campaign, sheet, older)
    kinds = Counter(row.kind for row in change if row.judgement not in same)
    counts = (kinds["new"] + len(anew), kinds["changed"], kinds["withdrawn"], len(judged) - len(back))
    read_back = ReadBack(str(path), who, sheet.answers, len(given), *counts, older=older, noted=kinds["noted"])
    return [*rows, *change], read_back, undone


def _refused(reading: SheetReader, judgement: Judgement, version: int, source: str, present: Present) -> list[Change]:
    """Return the lines for a sheet's verdict on earlier texts; none if this person has another verdict that holds.

    Nobody knows when it was given, and it ends no verdict of a page or a server that comes in later: so it has the
    earliest time that it can have.
    """
    if present.of(judgement.item, judgement.assessor).verdict:
        return []
    at, guidelines = now().isoformat(), guidelines_of(reading.campaign)
    line = Change(
        at, judgement.assessor, judgement.item, "", judgement.verdict, judgement.comment, version, guidelines, source
    )
    line = replace(line, said=present.earliest(judgement.item, judgement.assessor) or reading.begun)
    return refused(line, version, present, reading.now[judgement.item])


def _handed_in(reading: SheetReader, path: Path, present: Present) -> tuple[list[Change], list[ReadBack], list[Note]]:
    """Return the lines that a file from a page adds to the history, the counts of its judgements, and notes."""
    taken = read_handed_in(reading, path, present)
    if taken is None:
        return [], [], []
    who, notes = taken.assessor, wrong_clock(taken)
    drop_unordered(reading, path, taken, present)
    before = {record.item: present.of(record.item, who) for record, _ in [*taken.late, *taken.rows]}
    rows = handed_in_changes(taken, path.name, present, reading.now_on_pages)
    now = {item: present.of(item, who) for item in before}
    ids = {line.record for line in rows}
    last = {line.item: line for line in rows if line.before or line.after}
    kinds = Counter(
        "new" if not old.verdict else "changed" if now[item].verdict else "withdrawn"
        for item, old in before.items()
        if item in last and now[item] != old and (old.verdict or now[item].verdict)
    )
    marks = Counter(judgement.mark for item, judgement in now.items() if judgement.mark != before[item].mark)
    older = sum(bool(line.after) and present.lines[item, who].record not in ids for item, line in last.items())
    remarks = sum(bool(line.comment) and bool(now[line.item].verdict) for line in rows if line.item not in last)
    counts = (kinds["new"], kinds["changed"], kinds["withdrawn"], 0, marks["skip"], marks["flag"], older, remarks)
    return rows, [ReadBack(str(path), who, taken.answers, taken.judged, *counts)], notes


def _taken_out(lines: int) -> Iterator[Note]:
    """Yield a note on the `lines` that were removed from the history, because an interrupted collect had left them."""
    if lines:
        yield note(
            "campaign.uncollected",
            "nescio removed {lines:n line} from {subject}, because the log does not mention {lines:it/them}; if a "
            "collect was killed, collect its files again",
            HISTORY,
            lines=lines,
        )


def _read_key(campaign: Campaign, paths: Sequence[Path], faults: FaultsOfFiles) -> Mapping[str, Any]:
    """Read nuggets from sheets `nuggets.csv`, and store the nuggets as the key unless the organisers have a key.

    Returns the rows of the stored key, keyed by question; none if it was not stored. If a sheet cannot be read to its
    end, the key is not changed.
    """
    if campaign.settings.task != "nuggets":
        for path in paths:
            faults.add(Fault(str(path), None, "only campaigns of the task nuggets have a list of nuggets"))
        return {}
    if not paths or campaign.has_own_key:
        return {}
    questions = {identity: q for part in campaign.topics().parts.values() for identity, q in part.questions.items()}
    nuggets: dict[str, dict[str, dict[str, object]]] = {identity: {} for identity in questions}
    for path in paths:
        try:
            for row, line in table(path, KEY_COLUMNS):
                text, vital = row["text"].strip(), row["vital"].strip().casefold()
                number, by_number = row["nugget"].strip(), nuggets.get(row["question_id"], {})
                if not text:
                    continue
                if row["question_id"] not in nuggets:
                    faults.add(Fault(str(path), line, "no topic has this id", row["question_id"]))
                elif vital not in VITAL:
                    faults.add(Fault(str(path), line, "a nugget is vital or okay", row["vital"]))
                elif number in by_number or not number.isalnum():  # a key with it could not be read again
                    rule = "the number of a nugget must be unique in its question, and have only letters and digits"
                    faults.add(Fault(str(path), line, rule, row["nugget"]))
                else:
                    by_number[number] = {"id": number, "text": text, "vital": VITAL[vital]}
        except FormatError as error:
            faults.add(Fault(str(path), None, error.rule, str(error.value)))
            return {}
    listed = {name: [*by_number.values()] for name, by_number in nuggets.items() if by_number}
    rows = {name: {"id": name, "target": questions[name].text, "nuggets": entries} for name, entries in listed.items()}
    return rows if _put_key(campaign, rows) else {}


def _listed(campaign: Campaign) -> Nuggets:
    """Return the importance and text of each nugget in the key, keyed by (question, number).

    The key is not read for a task without nuggets.
    """
    if campaign.settings.task != "nuggets":
        return {}
    return {(question, number): (vital, text) for question, number, vital, text in nugget_texts(campaign.key_files)}


def _other_texts(
    before: Nuggets,
    after: Nuggets,
    judgements: Sequence[Judgement],
    questions: Mapping[str, str],
) -> Iterator[Note]:
    """Yield notes on nuggets whose text changed from `before` to `after`, although assessors found them in answers."""
    pairs = {(questions[judgement.item], number) for judgement in judgements for number in judgement.verdict.split(",")}
    for question, number in sorted(pairs & before.keys() & after.keys()):
        old, new = before[question, number][1], after[question, number][1]
        if squeeze(old) != squeeze(new):
            yield note(
                "campaign.reworded",
                "nugget {number} of {subject} was {before!r} when assessors found it in strings, but is {after!r} "
                "now; have these strings judged again",
                question,
                number=number,
                before=old,
                after=new,
            )


def _put_lists(campaign: Campaign, present: Present) -> bool:
    """Store in the key the nuggets that assessors listed on pages, and return whether all of the key is from pages.

    A target for which no assessor made a list keeps its nuggets.
    """
    asked = {item.question: item.text for item in list_items(campaign)}
    if listed := key_of_lists(present, asked):
        path = campaign / LISTS
        held = path.read_bytes() if path.is_file() else b""
        try:
            rows = msgspec.json.Decoder(dict[str, Any]).decode_lines(held)
        except UNREADABLE as error:
            raise MismatchError(f"{path} cannot be read as a list of nuggets: {error}") from None
        kept = {str(row.get("id")): row for row in rows}
        return _put_key(campaign, kept | listed) and kept.keys() <= listed.keys()
    return False


def _put_key(campaign: Campaign, rows: Mapping[str, Mapping[str, object]]) -> bool:
    """Store these nuggets as the key, and return whether there are any."""
    if rows:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
        put(campaign / LISTS, text.encode(errors="replace"))
    return bool(rows)
