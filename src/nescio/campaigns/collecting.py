"""Spreadsheets of assessors, read back with every fault named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from nescio.campaigns.assessors import ADJUDICATION, read_asked
from nescio.campaigns.folder import SHEETS, Campaign, open_campaign, step
from nescio.campaigns.judgements import Judgement, read_judgements, write_judgements
from nescio.campaigns.pooling import Item, read_pool
from nescio.campaigns.runs import Fault, Faults
from nescio.campaigns.topics import nugget_texts
from nescio.campaigns.verdicts import Agreement, agreement
from nescio.data.model import Verdict
from nescio.data.signature import sign
from nescio.errors import FormatError, UsageError
from nescio.formats import open_source
from nescio.formats.native.outcome_table.outcome_table_writer import guard
from nescio.options.edge import Progress
from nescio.sources.text_files import records
from nescio.stats.parallel import followed
from nescio.text import plural, squeeze

NOTHING = "-"
KEY_SHEET = "nuggets.csv"
_WORDS = {"right": "R", "correct": "R", "wrong": "W", "incorrect": "W", "inexact": "X", "unsupported": "U"}
_MEANING = "R (right), W (wrong), X (inexact) or U (unsupported)"


class Collected(Faults, frozen=True):
    """What `collect` found: faults, in `tables["sheets"]` what each sheet holds, and in `tables["agreement"]` how far
    assessors agree. With a fault nothing was taken over."""

    def __str__(self) -> str:
        lines = [f"{row.file}: {row.judged} of {plural(row.answers, 'answer')} judged" for row in self.tables["sheets"]]
        lines += [f"  {fault}" for fault in self.rows]
        if self.rows:
            return "\n".join([*lines, f"{plural(len(self.rows), 'fault')}; nothing was collected"])
        for row in self.tables["agreement"]:
            span = f" [{row.low:.3f}, {row.high:.3f}]" if row.low is not None and row.high is not None else ""
            left = f"; undefined in {row.undefined:,} resamples" if row.undefined else ""
            lines.append(f"{row.measure} {row.value:.3f}{span}: {row.assessors}, {plural(row.answers, 'answer')}{left}")
        return "\n".join(lines)


class ReadBack(Struct, frozen=True):
    """A sheet that was read back: how many of its answers are judged."""

    file: str
    assessor: str
    answers: int
    judged: int


class SheetReader:
    """Sheets while they are read."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.faults: list[Fault] = []
        self.judgements: list[Judgement] = []
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
                    self.fault(path, line, f"the row has {len(cells)} cells, but the header has {len(source.columns)}")
                first = seen.setdefault(row["item"], line)
                if first != line:
                    self.fault(path, line, f"the item appears twice; first on line {first}", row["item"])
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
                "the answer differs from that of this item in the pool; was one column sorted alone? "
                f"({item.answer!r})",
                row.get("answer"),
            )
        elif written:
            verdict = self._verdict(path, line, item, written)
            if verdict is not None:
                self.judgements.append(Judgement(item.id, who, verdict, row.get("comment", "").strip()))

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

    def of_items(self) -> dict[str, set[str]] | None:
        """Return the nuggets that may stand in each item of the pool; None where verdicts are no nuggets."""
        if self.nuggets is None:
            return None
        return {name: self.nuggets.get(item.question, set()) for name, item in self.items.items()}

    def fault(self, path: Path, line: int | None, rule: str, value: str | None = None) -> None:
        """Put down a fault."""
        self.faults.append(Fault(str(path), line, rule, value))


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and guard(cell[1:]) == cell else cell


def collect(
    campaign: Path | str,
    files: Sequence[Path | str] = (),
    *,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Collected:
    """Read sheets back into `judgements/`, and say how far the assessors agree.

        print(nescio.campaign.collect("campaign"))

    `files` are sheets as they came back, each named as its assessor (none: all in `sheets/`). A row without a verdict
    is not judged yet. An assessor's new verdict on an answer replaces the old one. With any fault (no such item, a word
    that is no verdict, a nugget that the key does not have, an answer beside another item, a name that no sheet was
    written for) nothing is taken over. `progress` is called with the number of sheets read. Raises UsageError where
    there is no sheet.
    """
    opened = open_campaign(campaign)
    paths = [Path(path) for path in files] or sorted((opened / SHEETS).glob("*.csv"))
    paths = [path for path in paths if path.name != KEY_SHEET]
    if not paths:
        raise UsageError(f"there is no sheet to read; nescio campaign sheets {opened.folder} writes some")
    with step(campaign) as opened:
        reading = SheetReader(opened)
        asked = read_asked(opened).assessors
        known = {*asked, ADJUDICATION} if asked else {path.stem for path in paths}
        for path in followed(paths, progress):
            if path.stem in known:
                reading.read(path)
            else:
                rule = f"no sheet was written for {path.stem!r}; assessors are {', '.join(asked)}; rename the file"
                reading.fault(path, None, rule)
        kept = {(one.item, one.assessor): one for one in read_judgements(opened)}
        rows: tuple[Agreement, ...] = ()
        if not reading.faults:
            kept |= {(one.item, one.assessor): one for one in reading.judgements}
            write_judgements(opened, kept.values())
            rows = tuple(agreement(list(kept.values()), resamples, seed, reading.of_items()))
    line = sign(campaign="collect", name=opened.settings.name, resamples=resamples, seed=seed)
    tables = {"sheets": tuple(reading.files), "agreement": rows}
    return Collected(tuple(reading.faults), line, (), "faults", tables)
