"""Spreadsheets for assessors, written: blind, one a person, each in an order of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from nescio.campaigns.assessors import ADJUDICATION, write_asked
from nescio.campaigns.collecting import KEY_SHEET, SheetReader
from nescio.campaigns.folder import SHEETS, Campaign, put, step
from nescio.campaigns.judgements import Judgement, by_item, read_judgements
from nescio.campaigns.pooling import Item, read_pool
from nescio.campaigns.topics import nugget_texts
from nescio.campaigns.verdicts import disputed
from nescio.errors import UsageError
from nescio.formats.native.outcome_table.outcome_table_writer import guard
from nescio.options.edge import Progress
from nescio.sources.writing import csv_text
from nescio.stats.parallel import followed
from nescio.text import plural

HEAD = ("item", "question_id", "question", "answer", "document", "support")
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,39}")


class Sheet(Struct, frozen=True):
    """A sheet that was written: for whom, and how many answers of how many questions are in it."""

    file: str
    assessor: str
    answers: int
    questions: int


class Handed(Struct, frozen=True):
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


def sheets(
    campaign: Path | str,
    assessors: Sequence[str] = (),
    *,
    overlap: int = 1,
    adjudicate: bool = False,
    progress: Progress | None = None,
) -> Handed:
    """Write a spreadsheet (CSV) for each assessor: answers without the names of runs, in an order of their own.

        print(nescio.campaign.sheets("campaign", ["ana", "ben", "eva"], overlap=2))

    All answers to a question go to the same `overlap` assessors, so that they are judged alike; the load is even. What
    is judged already is not asked again. `adjudicate` writes one more sheet, of the answers that are judged
    differently, with the verdicts and without the names of who gave them. `progress` is called with the number of
    sheets written. Raises UsageError where there is no pool, where there are fewer assessors than judgements of an
    answer, or where a sheet holds verdicts that were not read back.
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
        if not adjudicate:
            write_asked(opened, assessors, overlap)
        rows = [_written(opened, who, items, judgements) for who, items in followed(wanted.items(), progress)]
        if opened.settings.task == "nuggets":
            key = [("question_id", "nugget", "vital", "text"), *nugget_texts(opened.key_files)]
            put(opened / SHEETS / KEY_SHEET, _table(key))
    return Handed(
        opened / SHEETS, tuple(rows), f"have them filled in, then run nescio campaign collect {opened.folder}"
    )


def _check_assessors(assessors: Sequence[str], overlap: int) -> None:
    if not assessors or not 1 <= overlap <= len(assessors):
        raise UsageError(f"an overlap of {overlap} needs at least that many assessors (found {len(assessors)})")
    for name in assessors:
        if not _NAME.fullmatch(name) or name.casefold() in (ADJUDICATION, "nuggets"):
            raise UsageError(f"assessors are named by letters, digits and hyphens, as their files are (found {name!r})")
    if len({name.casefold() for name in assessors}) < len(assessors):
        raise UsageError("two assessors have the same name")


def _shared_out(
    campaign: Campaign, pool: Sequence[Item], judgements: Sequence[Judgement], assessors: Sequence[str], overlap: int
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


def _check_collected(campaign: Campaign, wanted: Mapping[str, object], judgements: Sequence[Judgement]) -> None:
    """Raise UsageError where a sheet that would be written anew holds verdicts that nobody read back."""
    known = {(one.item, one.assessor, one.verdict) for one in judgements}
    for who in wanted:
        path = campaign / SHEETS / f"{who}.csv"
        if path.is_file():
            reading = SheetReader(campaign)
            reading.read(path)
            new = [one for one in reading.judgements if (one.item, one.assessor, one.verdict) not in known]
            if new or reading.faults:
                raise UsageError(f"{path} holds verdicts that were not collected; run nescio campaign collect first")


def _written(campaign: Campaign, who: str, items: Sequence[Item], judgements: Sequence[Judgement]) -> Sheet:
    column = "nuggets" if campaign.settings.task == "nuggets" else "verdict"
    head = (*HEAD, *(["verdicts"] if who == ADJUDICATION else []), column, "comment")
    done = by_item(judgements)
    rows = [head]
    for item in items:
        cells = [item.id, item.question, item.text, item.answer, item.document or "", item.support or ""]
        verdicts = sorted(verdict for name, verdict in done.get(item.id, {}).items() if name != ADJUDICATION)
        rows.append((*cells, *([" / ".join(verdicts)] if who == ADJUDICATION else []), "", ""))
    path = campaign / SHEETS / f"{who}.csv"
    put(path, _table(rows))
    return Sheet(f"{SHEETS}/{path.name}", who, len(items), len({item.question for item in items}))


def _table(rows: Sequence[Sequence[str]]) -> bytes:
    """Return CSV as spreadsheets open it: with a byte-order mark, and no text that they would take for a formula."""
    flat = ([guard(" ".join(cell.split())) for cell in row] for row in rows)
    return b"\xef\xbb\xbf" + csv_text(flat, end="\r\n").encode(errors="replace")
