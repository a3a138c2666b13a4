"""Spreadsheets for assessors: written blind, one a person, and read back with every fault named."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nescio.campaign.folder import SHEETS, Campaign, open_campaign, put, step
from nescio.campaign.judgements import Judged, by_item, read_judgements, write_judgements
from nescio.campaign.pooling import Item, read_pool
from nescio.campaign.runs import Fault
from nescio.campaign.topics import nugget_texts
from nescio.campaign.verdicts import ADJUDICATION, Agreement, agreement, disputed
from nescio.data.model import Verdict
from nescio.data.results import Results
from nescio.data.signature import sign
from nescio.errors import FormatError, UsageError, names_nearest
from nescio.formats import open_source
from nescio.formats.native.outcome_table.writer import guard
from nescio.sources.text_files import records
from nescio.text import plural, squeeze

HEAD = ("item", "question_id", "question", "answer", "document", "support")
NOTHING = "-"
KEY_SHEET = "nuggets.csv"
_WORDS = {"right": "R", "correct": "R", "wrong": "W", "incorrect": "W", "inexact": "X", "unsupported": "U"}
_MEANING = "R (right), W (wrong), X (inexact) or U (unsupported)"
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,39}")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that was written: for whom, and how many answers of how many questions are in it."""

    file: str
    assessor: str
    answers: int
    questions: int


@dataclass(frozen=True, slots=True, repr=False)
class Collected(Results[Fault]):
    """What `collect` found: faults, in `tables["sheets"]` what each sheet holds, and in `tables["agreement"]` how far
    assessors agree. With a fault nothing was taken over."""

    @property
    def sound(self) -> bool:
        """Whether no sheet has a fault."""
        return not self.rows

    def __str__(self) -> str:
        lines = [f"{row.file}: {row.judged} of {plural(row.answers, 'answer')} judged" for row in self.tables["sheets"]]
        lines += [f"  {fault}" for fault in self.rows]
        if self.rows:
            return "\n".join([*lines, f"{plural(len(self.rows), 'fault')}; nothing was taken over"])
        for row in self.tables["agreement"]:
            span = f" [{row.low:.3f}, {row.high:.3f}]" if row.low is not None and row.high is not None else ""
            left = f"; undefined in {row.undefined:,} resamples" if row.undefined else ""
            lines.append(f"{row.measure} {row.value:.3f}{span}: {row.assessors}, {plural(row.answers, 'answer')}{left}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Handed:
    """What `sheets` wrote."""

    folder: Path
    sheets: tuple[Sheet, ...]
    after: str

    def __str__(self) -> str:
        rows = [
            f"{sheet.file}: {plural(sheet.answers, 'answer')} of {plural(sheet.questions, 'question')}"
            for sheet in self.sheets
        ]
        return "\n".join([*rows, f"next: {self.after}"])


# ---- written ----


@names_nearest
def sheets(
    campaign: Path | str, assessors: Sequence[str] = (), *, overlap: int = 1, adjudicate: bool = False
) -> Handed:
    """Write a spreadsheet (CSV) for each assessor: answers without the names of runs, in an order of their own.

        print(nescio.campaign.sheets("campaign", ["ana", "ben", "eva"], overlap=2))

    All answers to a question go to the same `overlap` assessors, so that they are judged alike; the load is even. What
    is judged already is not asked again. `adjudicate` writes one more sheet, of the answers that are judged
    differently, with the verdicts and without the names of who gave them. Raises UsageError where there is no pool,
    where there are fewer assessors than judgements of an answer, or where a sheet holds verdicts that were not read
    back.
    """
    with step(campaign) as opened:
        pool = read_pool(opened)
        if not pool:
            raise UsageError(f"there is no pool; nescio campaign pool {opened.folder} makes one")
        judgements = read_judgements(opened)
        if adjudicate:
            wanted = {ADJUDICATION: disputed(opened, judgements)}
        else:
            _check_assessors(assessors, overlap)
            wanted = _shared_out(opened, pool, judgements, assessors, overlap)
        _check_collected(opened, wanted, judgements)
        rows = [_written(opened, who, items, judgements) for who, items in wanted.items()]
        if opened.settings.task == "nuggets":
            key = [("question_id", "nugget", "vital", "text"), *nugget_texts(opened.key_files)]
            put(opened / SHEETS / KEY_SHEET, _table(key))
    return Handed(opened / SHEETS, tuple(rows), f"let them be filled in, then nescio campaign collect {opened.folder}")


def _check_assessors(assessors: Sequence[str], overlap: int) -> None:
    if not assessors or not 1 <= overlap <= len(assessors):
        raise UsageError(f"an overlap of {overlap} needs as many assessors (found {len(assessors)})")
    for name in assessors:
        if not _NAME.fullmatch(name) or name.casefold() in (ADJUDICATION, "nuggets"):
            raise UsageError(f"assessors are named by letters, digits and hyphens, as their files are (found {name!r})")
    if len({name.casefold() for name in assessors}) < len(assessors):
        raise UsageError("two assessors have one name")


def _shared_out(
    campaign: Campaign, pool: Sequence[Item], judgements: Sequence[Judged], assessors: Sequence[str], overlap: int
) -> dict[str, list[Item]]:
    """Give each question to the assessors who judged it before, then to those with the fewest answers."""
    done = by_item(judgements)
    questions: dict[str, list[Item]] = {}
    for item in pool:
        questions.setdefault(item.question, []).append(item)
    load = dict.fromkeys(assessors, 0)
    wanted: dict[str, list[Item]] = {name: [] for name in assessors}
    for items in questions.values():
        before = {who for item in items for who in done.get(item.id, {})}
        order = sorted(assessors, key=lambda who: (who not in before, load[who], assessors.index(who)))
        for who in order[:overlap]:
            load[who] += len(items)
            open_ = [
                item for item in items if who not in done.get(item.id, {}) and len(done.get(item.id, {})) < overlap
            ]
            wanted[who] += open_
    return {who: _own_order(campaign.settings.seed, who, items) for who, items in wanted.items()}


def _own_order(seed: int, who: str, items: Sequence[Item]) -> list[Item]:
    """Questions in an order of the assessor's own, the answers to one together, in such an order too."""

    def place(text: str) -> str:
        return hashlib.sha256(f"{seed} {who} {text}".encode()).hexdigest()

    return sorted(items, key=lambda item: (place(item.question), item.question, place(item.id)))


def _check_collected(campaign: Campaign, wanted: Mapping[str, object], judgements: Sequence[Judged]) -> None:
    """Raise UsageError where a sheet that would be written anew holds verdicts that nobody read back."""
    known = {(one.item, one.assessor, one.verdict) for one in judgements}
    for who in wanted:
        path = campaign / SHEETS / f"{who}.csv"
        if path.is_file():
            reading = _Sheets(campaign)
            reading.read(path)
            new = [one for one in reading.judgements if (one.item, one.assessor, one.verdict) not in known]
            if new or reading.faults:
                raise UsageError(f"{path} holds verdicts that were not read back; nescio campaign collect first")


def _written(campaign: Campaign, who: str, items: Sequence[Item], judgements: Sequence[Judged]) -> Sheet:
    column = "nuggets" if campaign.settings.task == "nuggets" else "verdict"
    head = (*HEAD, *(["verdicts"] if who == ADJUDICATION else []), column, "comment")
    done = by_item(judgements)
    rows = [head]
    for item in items:
        cells = [item.id, item.question, item.text, item.answer, item.document or "", item.support or ""]
        said = sorted(verdict for name, verdict in done.get(item.id, {}).items() if name != ADJUDICATION)
        rows.append((*cells, *([" / ".join(said)] if who == ADJUDICATION else []), "", ""))
    path = campaign / SHEETS / f"{who}.csv"
    put(path, _table(rows))
    return Sheet(f"{SHEETS}/{path.name}", who, len(items), len({item.question for item in items}))


def _table(rows: Sequence[Sequence[str]]) -> bytes:
    """Return CSV as spreadsheets open it: with a byte-order mark, and no text that they would take for a formula."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([guard(_flat(cell)) for cell in row] for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode(errors="replace")


def _flat(cell: str) -> str:
    return " ".join(cell.split())


# ---- read back ----


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A sheet that was read back: how many of its answers are judged."""

    file: str
    assessor: str
    answers: int
    judged: int


class _Sheets:
    """Sheets while they are read."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.faults: list[Fault] = []
        self.judgements: list[Judged] = []
        self.files: list[ReadBack] = []
        self.items = {item.id: item for item in read_pool(self.campaign)}
        self.nuggets: dict[str, set[str]] | None = None
        if self.campaign.settings.task == "nuggets":
            self.nuggets = {}
            for question, nugget, _, _ in nugget_texts(self.campaign.key_files):
                self.nuggets.setdefault(question, set()).add(nugget)

    def read(self, path: Path) -> None:
        """Read one sheet; its name is the assessor's."""
        who, column = path.stem, "verdict" if self.nuggets is None else "nuggets"
        before, total = len(self.judgements), 0
        seen: dict[str, int] = {}
        try:
            source = open_source(path)
            if lacking := [name for name in ("item", "answer", column) if name not in source.columns]:
                self.fault(path, source.begins, f"there is no column {lacking[0]}", ", ".join(source.columns))
                return
            for cells, line in self._rows(path, source.delimiter):
                total += 1
                row = dict(zip(source.columns, cells, strict=False))
                if len(cells) > len(source.columns):
                    self.fault(path, line, f"the row has {len(cells)} cells, and the head {len(source.columns)}")
                first = seen.setdefault(row["item"], line)
                if first != line:
                    self.fault(path, line, f"the item stands here again; it was on line {first}", row["item"])
                    continue
                self._judge(path, line, who, row, column)
        except FormatError as error:
            self.fault(path, None, f"{error.where}: {error.rule}" if error.where else error.rule)
        self.files.append(ReadBack(str(path), who, total, len(self.judgements) - before))

    def _rows(self, path: Path, delimiter: str) -> Iterator[tuple[list[str], int]]:
        rows = records(path, delimiter)
        next(rows)
        for cells, line in rows:
            if any(cell.strip() for cell in cells):
                yield [_unguarded(cell) for cell in cells], line

    def _judge(self, path: Path, line: int, who: str, row: Mapping[str, str], column: str) -> None:
        item = self.items.get(row["item"])
        written = row.get(column, "").strip()
        if item is None:
            self.fault(path, line, "the pool has no such item", row["item"])
        elif squeeze(row.get("answer", "")) != squeeze(item.answer):
            self.fault(
                path,
                line,
                f"the answer of this item is another; was a column sorted alone? ({item.answer!r})",
                row.get("answer"),
            )
        elif written:
            verdict = self._verdict(path, line, item, written)
            if verdict is not None:
                self.judgements.append(Judged(item.id, who, verdict, row.get("comment", "").strip()))

    def _verdict(self, path: Path, line: int, item: Item, written: str) -> str | None:
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
            rule = f"question {item.question} has no such nugget; it has {', '.join(sorted(known)) or 'none'}"
            self.fault(path, line, rule, ", ".join(strange))
            return None
        return ",".join(sorted({*names}))

    def fault(self, path: Path, line: int | None, rule: str, value: str | None = None) -> None:
        """Put down a fault."""
        self.faults.append(Fault(str(path), line, rule, value))


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and guard(cell[1:]) == cell else cell


@names_nearest
def collect(
    campaign: Path | str, files: Sequence[Path | str] = (), *, resamples: int = 10_000, seed: int = 0
) -> Collected:
    """Read sheets back into `judgements/`, and say how far the assessors agree.

        print(nescio.campaign.collect("campaign"))

    `files` are sheets as they came back, each named as its assessor (none: all in `sheets/`). A row without a verdict
    is not judged yet. An assessor's new verdict on an answer replaces the old one. With any fault (no such item, a
    word that is no verdict, a nugget that the key does not have, an answer beside another item) nothing is taken
    over. Raises UsageError where there is no sheet.
    """
    opened = open_campaign(campaign)
    paths = [Path(path) for path in files] or sorted((opened / SHEETS).glob("*.csv"))
    paths = [path for path in paths if path.name != KEY_SHEET]
    if not paths:
        raise UsageError(
            f"there is no sheet to read; nescio campaign sheets {opened.folder} --assessor NAME writes some"
        )
    with step(campaign) as opened:
        reading = _Sheets(opened)
        for path in paths:
            reading.read(path)
        kept = {(one.item, one.assessor): one for one in read_judgements(opened)}
        rows: tuple[Agreement, ...] = ()
        if not reading.faults:
            kept |= {(one.item, one.assessor): one for one in reading.judgements}
            write_judgements(opened, kept.values())
            rows = tuple(agreement(list(kept.values()), resamples, seed))
    line = sign(campaign="collect", name=opened.settings.name, resamples=resamples, seed=seed)
    tables = {"sheets": tuple(reading.files), "agreement": rows}
    return Collected(tuple(reading.faults), line, (), "faults", tables)
