"""Read assessors' sheets: check each row against the item that it names, and collect verdicts and faults."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import lgamma, log
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from nescio.data.assessors import ADJUDICATION
from nescio.data.model import Verdict
from nescio.errors import FormatError
from nescio.formats import open_source
from nescio.people.campaigns import workbook
from nescio.people.campaigns.assessors import own_order, people_of, read_asked
from nescio.people.campaigns.faults import Fault, FaultsOfFiles
from nescio.people.campaigns.folder import Campaign
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import Judgement, asked_again
from nescio.people.campaigns.log import read_log
from nescio.people.campaigns.pooling import named_by, read_items
from nescio.people.campaigns.retyped import is_same, moved, unguarded, was_moved
from nescio.people.campaigns.screens import (
    key_nuggets,
    kind_of,
    list_items,
    sentence_items,
    sheet_lists,
    shown_keys,
    shown_nuggets,
)
from nescio.people.campaigns.shown_texts import (
    MARK,
    NOTHING,
    SENTENCES,
    nuggets_part,
    same_texts,
    still_holds,
)
from nescio.people.campaigns.topics import nuggets_by_question
from nescio.sources.text_files import records
from nescio.text import plural

_WORDS = {"right": "R", "correct": "R", "wrong": "W", "incorrect": "W", "inexact": "X", "unsupported": "U"}
_MEANING = "R (right), W (wrong), X (inexact) or U (unsupported)"
_DELIMITERS = ",;\t"
_DECIMAL = re.compile("[0-9]+,([0-9]+)")
# If verdicts have so many orders, a sorted one is no chance: orders of all rows, and of questions with their answers.
_MILLION, _MANY = 1_000_000, 10_000
MOST_BYTES = 100 << 20  # of a file that an assessor hands in


def row_key(secret: str, who: str, item: str) -> str:
    """Return the key of an item's row in the sheet of the assessor `who`, which shows where the row is from.

    Nobody can compute the key without the `secret` of the campaign.
    """
    return named_by(secret, "sheet", who, item)


class FirstRead(NamedTuple):
    """The first `collect` that read a sheet: its time, and how many lines the history had after it."""

    at: str
    lines: int


class SheetRows(Struct):
    """The rows of a sheet: the judgements, and the rows without a verdict (`blanks`).

    `outdated` has the verdicts on earlier texts, each with its line. `items` has the items in the order of the sheet.
    `answers` is the number of all answers. `keys` has the keys of the texts that the sheet shows, and `texts` those of
    items that it shows otherwise than now. `collect` says where the sheet is from (`source`), whether it was found in
    the folder of the campaign (`lies_there`), whether somebody named it and no other file (`alone`), when its content
    was collected before (`before`), and after how many lines of the history another content of its file was (`after`).
    """

    path: Path
    who: str
    judgements: list[Judgement] = field(default_factory=list)
    blanks: list[Judgement] = field(default_factory=list)
    outdated: list[tuple[int, Judgement]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    answers: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    source: str = ""
    lies_there: bool = False
    alone: bool = False
    before: FirstRead | None = None
    after: int = 0

    @property
    def said(self) -> str:
        """Return a digest of what the sheet says, which stays the same when a program saves it in another form."""
        rows = [*self.judgements, *self.blanks, *(judgement for _, judgement in self.outdated)]
        contents = sorted((row.item, row.verdict, row.comment, self.keys.get(row.item, "")) for row in rows)
        return hashlib.sha256(json.dumps([self.who, *contents]).encode()).hexdigest()


class SheetReader:
    """A reader of assessors' sheets, which collects the faults."""

    def __init__(self, campaign: Campaign, faults: FaultsOfFiles | None = None) -> None:
        self.campaign = campaign
        self.faults = FaultsOfFiles() if faults is None else faults
        self.items = {item.id: item for item in read_items(self.campaign)}
        self.asked = self.items | {item.id: item for item in sentence_items(self.campaign)}
        shown = [*self.asked.values(), *list_items(campaign)]
        self.key = key_nuggets(campaign)
        self.now = shown_keys(shown, self.key)  # the texts by which a verdict in a sheet must hold
        # A page or a server states the list of nuggets that it showed.
        self.now_on_pages = shown_keys(shown, self.key | sheet_lists(campaign))
        self.listed = shown_nuggets(campaign) if campaign.settings.task == "nuggets" else {}
        self.texts = shown_keys(shown, self.listed)  # the texts that people see now
        self.secret = campaign.secret
        self.given = read_asked(campaign).given
        self.said: dict[str, str] = {}  # the digest of what each sheet says, keyed by its source
        self.makers: dict[str, set[str]] = {}  # who lists the nuggets of each target
        self.is_list_collected = False  # whether the log has the nuggets of the key as they are
        self.other_lists: dict[str, set[str]] = {}  # who made a list of a target that does not count
        self.apart: set[tuple[Path, str]] = set()  # files with a target of which their assessor has another list
        self.nuggets: dict[str, set[str]] | None = None
        if self.campaign.settings.task == "nuggets":
            self.nuggets = nuggets_by_question(campaign.key_files)

    def read(self, path: Path, who: str) -> SheetRows:
        """Return the rows of the sheet of the assessor `who`.

        A row whose key does not belong to this assessor's sheet is a fault.
        """
        column = "verdict" if self.nuggets is None else "nuggets"
        seen: dict[str, int] = {}
        others: list[tuple[int, str, str]] = []
        without_texts: list[int] = []
        rows, unknown = SheetRows(path, who), 0
        columns = ("item", "key", "answer"), (column, SENTENCES)
        elsewhere = self._moved(table(path, *columns))
        try:
            for row, line in table(path, *columns):
                item, (key, _, texts) = row["item"].strip().casefold(), row["key"].strip().partition("-")
                key = key.casefold()
                if item not in self.asked:
                    unknown += 1  # counted and not kept, because there may be millions
                    if row.get(column, row.get(SENTENCES, "")).strip():
                        self.fault(path, line, "no pool of this campaign had this item", row["item"])
                    continue
                first = seen.setdefault(item, line)
                if first != line:
                    self.fault(path, line, f"the item appears twice; first on line {first}", row["item"])
                    continue
                if key != row_key(self.secret, who, item):
                    others.append((line, item, key))
                    continue
                if not texts:
                    without_texts.append(line)
                    continue
                rows.items.append(item)
                rows.keys[item] = texts
                if changed := self._changed(item, row, elsewhere):
                    rule = f"in the pool, this item has another {changed.replace('_id', '')}"
                    rule += "; perhaps one column was sorted without the others"
                    pooled = self._shown(self.asked[item], texts)[changed]
                    self.fault(path, line, f"{rule} (pool: {pooled!r})", row[changed])
                    continue
                self._judge(rows, line, {**row, "item": item}, column if column in row else SENTENCES, texts)
        except FormatError as error:
            self.fault(path, None, f"{error.where}: {error.rule}" if error.where else error.rule, error.value)
        if others:
            self._fault_of_others(path, who, others)
        if without_texts:  # as an earlier version of nescio wrote them
            rule = f"the keys of {plural(len(without_texts), 'row')} from this line on do not say which texts they show"
            self.fault(path, without_texts[0], f"{rule}; copy the verdicts into a new sheet (nescio campaign sheets)")
        rows.answers = len(seen) + unknown
        return rows

    def _shown(self, item: Item, texts: str) -> dict[str, str]:
        """Return what a row of a sheet must show of an item, keyed by the column.

        `texts` is the key of the texts that the row shows. Earlier texts are unknown, and left out.
        """
        fixed = {"answer": item.answer, "question_id": item.question}
        if not same_texts(texts, self.texts[item.id]):
            return fixed
        document, support = cells_of(item, self.listed.get(item.question, ()))
        return fixed | {"question": item.text, "document": document, "support": support}

    def _moved(self, rows: Iterable[tuple[Mapping[str, str], int]]) -> dict[str, set[str]]:
        """Return the texts that were `moved` within each column of a sheet, up to a broken row."""
        changed: dict[str, list[tuple[str, str]]] = {}
        with suppress(FormatError):
            for row, _ in rows:
                item, texts = self.asked.get(row["item"].strip().casefold()), row["key"].strip().partition("-")[2]
                for column, text in self._shown(item, texts).items() if item is not None else ():
                    if row.get(column, text) != text:
                        changed.setdefault(column, []).append((text, row[column]))
        return {column: moved(pairs) for column, pairs in changed.items()}

    def _changed(self, item: str, row: Mapping[str, str], elsewhere: Mapping[str, Collection[str]]) -> str:
        """Return a column of a row with another item's text, or another answer than that of the item; "" if none.

        `elsewhere` has the texts that were `moved`. People may edit what is beside the answer, so it is another item's
        only if it was moved.
        """
        texts = row["key"].strip().partition("-")[2]
        for name, text in self._shown(self.asked[item], texts).items():
            cell, others = row.get(name, text), elsewhere.get(name, ())
            if was_moved(text, cell, others) or (name == "answer" and not is_same(text, cell, others)):
                return name
        return ""

    def is_sorted_alone(self, sheet: SheetRows) -> bool | None:
        """Return whether somebody sorted a sheet's column of verdicts without the other columns; None if unclear.

        True means that the verdicts are sorted, while the rows are still in the order in which they were written.
        Answers to a question stand together and often get the same verdict. If this may be why, the result is None.
        """
        verdicts = [judgement.verdict for judgement in sheet.judgements]
        if _orders(verdicts) < log(_MILLION) or verdicts not in (sorted(verdicts), sorted(verdicts, reverse=True)):
            return False
        items = [self.asked[name] for name in sheet.items]
        if own_order(self.campaign, sheet.who, items) != items:
            return False
        of: dict[str, list[str]] = {}
        for judgement in sheet.judgements:
            of.setdefault(self.asked[judgement.item].question, []).append(judgement.verdict)
        ways = _orders([*map(tuple, of.values())]) + sum(map(_orders, of.values()))
        return True if ways >= log(_MANY) else None

    def _fault_of_others(self, path: Path, who: str, rows: Sequence[tuple[int, str, str]]) -> None:
        """Add a fault on `rows` that are not from the sheet of the assessor `who`.

        If the rows are from other assessors' sheets, the fault names these assessors.
        """
        asked = [*read_asked(self.campaign).assessors, ADJUDICATION]
        owners = [name for name in asked if any(key == row_key(self.secret, name, item) for _, item, key in rows)]
        what = (
            f"this is a copy of the sheet of {' and '.join(owners)}"
            if owners
            else "perhaps one column was sorted without the others"
        )
        rule = f"the keys of {plural(len(rows), 'row')} from this line on are not from the sheet of {who}: {what}"
        self.fault(path, rows[0][0], rule)

    def _judge(self, rows: SheetRows, line: int, row: Mapping[str, str], column: str, texts: str) -> None:
        """Add a row to `rows`; `texts` is the key of the texts that it shows."""
        item, path, who = self.asked[row["item"]], rows.path, rows.who
        written = row.get(column, "").strip()
        if not written:
            rows.blanks.append(Judgement(item.id, who, "", row.get("comment", "").strip()))
        else:
            verdict = None if self._is_cut(path, line, item, written) else self.verdict(path, line, item, written)
            if verdict is None:
                return
            judgement = Judgement(item.id, who, verdict, row.get("comment", "").strip())
            decides = who == ADJUDICATION and item.id in self._again  # by the present texts alone
            nuggets = self.key.get(item.question, ()) if column == "nuggets" else ()
            # A sheet from before the key does not tell which nuggets the assessor had.
            decides = decides or bool(nuggets and item.id in self._again and not nuggets_part(texts))
            shown = same_texts(texts, self.texts[item.id]) and bool(nuggets_part(texts) or not nuggets)
            if not shown:
                rows.texts[item.id] = texts
            holds = still_holds(kind_of(item), verdict, texts, self.now[item.id])
            if shown or (not decides and holds):
                rows.judgements.append(judgement)
            else:
                rows.outdated.append((line, judgement))

    @cached_property
    def begun(self) -> str:
        """Return when the campaign was made; no sheet is older."""
        return read_log(self.campaign)[0].at

    @cached_property
    def people(self) -> Collection[str]:
        """Return the names of the assessors whom the campaign knows."""
        return people_of(self.campaign)

    @cached_property
    def _again(self) -> Collection[str]:
        """Return the items that people were asked to judge again."""
        return asked_again(self.campaign).people.keys()

    def is_asked(self, who: str, item: str, key: str) -> bool:
        """Return whether a sheet or a server asked the assessor `who` to judge an item.

        The `key` of a row proves that. If no sheet was ever written, any assessor may judge any item.
        """
        return not self.given or item in self.given.get(who, ()) or key == row_key(self.secret, who, item)

    def verdict(self, path: Path, line: int, item: Item, written: str) -> str | None:
        """Return the verdict that is `written` in a sheet, in its standard spelling.

        Returns None, and adds a fault, if the verdict is invalid.
        """
        if kind_of(item) == SENTENCES:
            return self._sentences(path, line, item, written)
        if self.nuggets is None:
            verdict = _WORDS.get(written.casefold(), written.upper())
            if verdict in {*Verdict}:
                return verdict
            self.fault(path, line, f"a verdict is {_MEANING}", written)
            return None
        if written == NOTHING:
            return NOTHING
        names = [name.strip() for name in re.split(r"[,;\s]+", written) if name.strip()]
        known = self.nuggets.get(item.question, set())
        if strange := [name for name in names if name not in known]:
            rule = f"question {item.question} has no such nugget; its nuggets: {', '.join(sorted(known)) or 'none'}"
            self.fault(path, line, rule, ", ".join(strange))
            return None
        return ",".join(sorted({*names}))

    def _sentences(self, path: Path, line: int, item: Item, written: str) -> str | None:
        """Return the numbers of the sentences that answer a question.

        Returns None, and adds a fault, if the numbers are invalid.
        """
        numbers, last = {*re.split(r"[,;\s]+", written.strip(" ,;"))}, len(item.supports) - 1
        if written == NOTHING or numbers <= {*map(str, range(last + 1))}:
            return NOTHING if written == NOTHING else ",".join(sorted(numbers, key=int))
        rule = f"the sentences of this story are 0 to {last}; write {NOTHING} if no sentence answers the question"
        self.fault(path, line, rule, written[:80])
        return None

    def _is_cut(self, path: Path, line: int, item: Item, written: str) -> bool:
        """Return whether a list of two numbers may have lost a zero in a spreadsheet, which is added as a fault.

        Where a comma begins the decimals, a spreadsheet takes 3,10 in a CSV file for a number and saves 3,1. The cells
        of a workbook are texts, which keep their zeros.
        """
        if path.suffix.lower() in workbook.SUFFIXES:
            return False
        sentences = kind_of(item) == SENTENCES
        known = map(str, range(len(item.supports))) if sentences else (self.nuggets or {}).get(item.question, ())
        match = _DECIMAL.fullmatch(written)
        if not match or not (longer := [number for number in known if re.fullmatch(f"{match[1]}0+", number)]):
            return False
        rule = f"this may be {written}{min(longer, key=len)[len(match[1]) :]}, from which a spreadsheet took a zero"
        self.fault(path, line, f"{rule}; write numbers with semicolons, such as {written.replace(',', ';')}", written)
        return True

    def of_items(self) -> dict[str, set[str]] | None:
        """Return the nuggets that each answer of the pool may contain; None if assessors give verdicts instead."""
        if self.nuggets is None:
            return None
        return {name: self.nuggets.get(item.question, set()) for name, item in self.items.items()}

    def fault(self, path: Path, line: int | None, rule: str, value: object = None) -> None:
        self.faults.add(Fault(str(path), line, rule, None if value is None else str(value)))


def _orders(things: Sequence[Hashable]) -> float:
    """Return the logarithm of the number of orders of these things, of which some may be equal."""
    return lgamma(len(things) + 1) - sum(lgamma(times + 1) for times in Counter(things).values())


def cells_of(item: Item, nuggets: Sequence[Sequence[str]] = ()) -> tuple[str, str]:
    """Return two cells of an item's row in a sheet: the documents that support the answer, and the supporting texts.

    If there are several texts, each begins with the name of its document; the sentences of a story have numbers. A
    string of a target is shown with the target's `nuggets` in place of texts, each with its number.
    """
    if nuggets:
        listed = f" {MARK} ".join(f"{number}: {text}" for number, *_, text in nuggets)
        return cells_of(item)[0], listed
    if kind_of(item) == SENTENCES:
        return "", f" {MARK} ".join(f"{number}: {text}" for number, (_, text) in enumerate(item.supports))
    documents = list(dict.fromkeys(document for document, _ in item.supports if document))
    texts = [(document, text) for document, text in item.supports if text]
    several = len(texts) > 1
    shown = [f"[{document}] {text}" if several and document else str(text) for document, text in texts]
    return "; ".join(documents), f" {MARK} ".join(shown)


def table(path: Path, needed: Sequence[str], either: Sequence[str] = ()) -> Iterator[tuple[dict[str, str], int]]:
    """Yield the rows of a sheet, keyed by lower-case column, with their line numbers.

    Raises FormatError if the sheet lacks a `needed` column, has none of the columns `either`, or is too large.
    """
    check_length(path)
    if path.suffix.lower() in workbook.SUFFIXES:
        read: Iterator[tuple[list[str], int]] = workbook.rows(path, needed[0])
    else:
        read = records(path, _delimiter(path))
    names: list[str] | None = None
    for cells, line in read:
        if names is None:
            names = [cell.strip().casefold() for cell in cells]
            lacking = [name for name in needed if name not in names]
            if twice := next((name for name in names if name and names.count(name) > 1), None):
                raise FormatError(path, "a column name appears twice", where=f"line {line}", value=twice)
            if lacking := [*lacking, *([] if {*either} & {*names} else either[:1])]:
                raise FormatError(
                    path, f"there is no column {lacking[0]}", where=f"line {line}", value=", ".join(cells)
                )
        elif any(cell.strip() for cell in cells):
            if any(cell.strip() for cell in cells[len(names) :]):
                rule = f"the row has {len(cells)} cells, but the header has {len(names)}"
                raise FormatError(path, rule, where=f"line {line}")
            padded = [*cells, *[""] * (len(names) - len(cells))]
            yield {name: unguarded(cell) for name, cell in zip(names, padded, strict=False)}, line


def check_length(path: Path) -> None:
    """Raise FormatError for a file that is larger than an assessor may hand in."""
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise FormatError(path, f"the file is larger than {MOST_BYTES >> 20} MB")


def _delimiter(path: Path) -> str:
    """Return the delimiter of a CSV file, which depends on the language of the spreadsheet that wrote it."""
    source = open_source(path)
    head = source.delimiter.join(source.columns)
    return max(source.delimiter, *_DELIMITERS, key=head.count)
