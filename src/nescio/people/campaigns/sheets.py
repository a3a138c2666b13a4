"""Write a spreadsheet or page for each assessor, without the names of runs, and each in a different order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from nescio.data.assessors import ADJUDICATION
from nescio.data.model import Verdict
from nescio.errors import FormatError, UsageError
from nescio.options.edge import Progress
from nescio.people.campaigns import workbook
from nescio.people.campaigns.assessors import (
    SEALED,
    asked_with,
    check_asked,
    check_person,
    own_order,
    people_of,
    read_asked,
    times_of,
)
from nescio.people.campaigns.collecting import KEY_COLUMNS, VITAL
from nescio.people.campaigns.faults import FaultsOfFiles
from nescio.people.campaigns.folder import ASKED, GUIDELINES, POOL, SHEETS, Campaign, put, step
from nescio.people.campaigns.freshness import POOLING
from nescio.people.campaigns.items import Item
from nescio.people.campaigns.judgements import (
    Judgement,
    asked_again,
    by_item,
    read_judgements,
)
from nescio.people.campaigns.log import digests, latest, read_log, record
from nescio.people.campaigns.pooling import read_pool
from nescio.people.campaigns.retyped import guarded
from nescio.people.campaigns.screens import (
    assessor_page,
    guidelines,
    kind_of,
    list_items,
    shown_keys,
    shown_nuggets,
    story_items,
)
from nescio.people.campaigns.sheet_reading import cells_of, row_key, table
from nescio.people.campaigns.sheet_times import KEY_SHEET, drop_replaced, uncollected
from nescio.people.campaigns.shown_texts import MARK, SENTENCES
from nescio.people.campaigns.topics import nugget_texts
from nescio.people.campaigns.verdicts import MORE_PEOPLE, to_adjudicate
from nescio.sources.writing import csv_text
from nescio.stats.parallel import followed
from nescio.text import plural, squeeze

Form = Literal["csv", "xlsx", "html"]
HEAD = ("item", "key", "question_id", "question", "answer", "document", "support")
BLANKS = 12  # lines that an assessor has for the nuggets of a target
_CELLS = {  # how a sheet is filled in, by its column
    "verdict": "verdict: R, W, X or U; empty: not judged yet",
    "nuggets": "nuggets: their numbers, such as 1;3, or - for none; empty: not judged yet",
    SENTENCES: "sentences: their numbers, such as 0;2, or - for none; empty: not judged yet",
}


class Sheet(Struct, frozen=True):
    """A written sheet: its assessor, and the numbers of answers and questions in it."""

    file: str
    assessor: str
    answers: int
    questions: int


class Handed(Struct, frozen=True):
    """The result of `sheets`: the folder and the written sheets, one for each assessor.

    The `remark` says which answers need more people.
    """

    folder: Path
    sheets: tuple[Sheet, ...]
    after: str
    remark: str = ""

    def __str__(self) -> str:
        rows = [
            f"{sheet.file}: {plural(sheet.answers, 'answer')} of {plural(sheet.questions, 'question')}"
            for sheet in self.sheets
        ]
        return "\n".join([*rows, *([self.remark] if self.remark else []), f"next: {self.after}"])


def sheets(
    campaign: Path | str,
    assessors: Sequence[str] = (),
    *,
    overlap: float | None = None,
    adjudicate: bool = False,
    form: Form = "csv",
    html: bool = False,
    sentences: bool = False,
    progress: Progress | None = None,
) -> Handed:
    """Write a spreadsheet for each assessor: answers without the names of runs, each in a different order.

    All answers to a question go to the same assessors, and the load is even. `ben=EN,ES` judges only these languages.
    `overlap` is the number of assessors for each answer, or, below 1, the share of questions that a second assessor
    judges too; it is 1 if it is None, but an answer that must be judged again keeps its number. Answers with enough
    verdicts are not asked again. `adjudicate` writes one sheet instead, with the answers that assessors judged
    differently or must judge again, their verdicts and comments, but not their names. `form` is csv, or xlsx,
    in which no program turns texts into dates or numbers. `html` writes pages instead, for judging in a browser by
    single keys, without a server. `sentences` asks which sentences of its story answer each question; with `adjudicate`
    only where assessors listed different sentences. `progress` is called with the number of sheets written. Raises
    UsageError if there is no pool, if there are too few assessors for `overlap`, or if a sheet has verdicts that were
    not collected.
    """
    with step(campaign) as opened:
        if (opened / ASKED).exists():  # without it, `sheets` begins anew
            check_asked(opened, read_log(opened))
        pool = read_pool(opened)
        if not pool and latest(opened, POOLING):
            raise UsageError("the pool has no answers: no run answers a question, so there is nothing to judge")
        if not pool:
            raise UsageError(f"there is no pool; nescio campaign pool {opened.typed} makes one")
        if sentences:
            pool = story_items(opened)
        form = "html" if html else form
        judgements, plan, lacking = read_judgements(opened), None, 0
        if adjudicate:
            wanted = {ADJUDICATION: to_adjudicate(opened, judgements)}
            if not html or sentences:
                kind = SENTENCES if sentences else "answer"
                wanted = {who: [item for item in items if kind_of(item) == kind] for who, items in wanted.items()}
        else:
            reads = _languages(assessors, opened)
            plan = _plan(opened, pool, overlap)
            wanted, lacking = _shared_out(
                opened, pool, judgements, reads, overlap=1 if overlap is None else overlap, plan=plan
            )
        _check_collected(opened, wanted)
        with_list = opened.settings.task == "nuggets" and not html
        if with_list:
            _check_list(opened)
        shown = _with_lists(opened, wanted, judgements) if html and not adjudicate else wanted
        made = [_made(opened, who, items, judgements, form) for who, items in followed(shown.items(), progress)]
        asked = asked_with(opened, {who: [*items, *shown[who]] for who, items in wanted.items()}, judgements, plan)
        # Nothing is written before all of it is made, so that an error leaves everything as it was.
        for sheet, content in made:
            put(opened / sheet.file, content)
            for other in {*get_args(Form)} - {form}:
                (opened / sheet.file).with_suffix(f".{other}").unlink(missing_ok=True)
        if with_list:
            _write_nuggets(opened, pool)
        wrote = digests(opened, SHEETS) | {ASKED: hashlib.sha256(asked).hexdigest()}
        record(opened, "sheets", digests(opened, POOL, GUIDELINES), wrote, SEALED)
        put(opened / ASKED, asked)  # after its line in the log, so that `verify` knows it whenever nescio is killed
    cells = _CELLS[SENTENCES if sentences else _column(opened, ())]
    after = f"let the assessors fill in their sheets ({cells}), then run nescio campaign collect {opened.typed}"
    if html:
        then = f"nescio campaign collect {opened.typed} FILE..."
        after = f"send each page to its assessor, then collect the saved files: {then}"
    remark = f"{plural(lacking, 'answer')} that must be judged again: {MORE_PEOPLE}" if lacking else ""
    return Handed(opened / SHEETS, tuple(sheet for sheet, _ in made), after, remark)


def _with_lists(
    campaign: Campaign, wanted: Mapping[str, Sequence[Item]], judgements: Sequence[Judgement]
) -> Mapping[str, Sequence[Item]]:
    """Return the items that pages show to each assessor, including an item for each list of nuggets to make.

    If the organisers supplied no key, the first assessor of a target lists its nuggets, before seeing the answer
    strings of the runs. Other assessors get the strings once this list is collected. Only the author of a list can
    change the list.
    """
    lists = {item.question: item for item in list_items(campaign)}
    if not lists:
        return wanted
    known = {question for question, *_ in nugget_texts(campaign.key_files)}
    makers = {judgement.item: judgement.assessor for judgement in judgements}
    owners = {question: makers.get(item.id, "") for question, item in lists.items() if question in known}
    for who, items in wanted.items():
        for item in items:
            owners.setdefault(item.question, who)
    asked: dict[str, list[Item]] = {who: [] for who in wanted}
    for who, items in wanted.items():
        for item in items:
            is_owner = owners[item.question] == who
            if is_owner and (list_item := lists.get(item.question)) is not None and list_item not in asked[who]:
                asked[who].append(list_item)
            if is_owner or item.question not in lists or item.question in known:
                asked[who].append(item)
    return asked


def _languages(assessors: Sequence[str], campaign: Campaign) -> dict[str, set[str]]:
    """Return the languages that each assessor judges, as texts such as "ben=EN,ES" say.

    An empty set means all languages.
    """
    reads: dict[str, set[str]] = {}
    earlier = people_of(campaign)
    for text in assessors:
        name, _, rest = text.partition("=")
        check_person(name)
        if name.casefold() in (ADJUDICATION, Path(KEY_SHEET).stem, Path(ASKED).stem):
            raise UsageError(f"{SHEETS}/ has another file called {name!r}; choose another name for the assessor")
        alike = [other for other in earlier if other.casefold() == name.casefold()]
        if alike and name not in alike:
            raise UsageError(
                f"{name!r} and the earlier assessor {alike[0]!r} differ only in case; use one of the two names"
            )
        reads[name] = {part.strip() for part in rest.split(",") if part.strip()}
        if strange := sorted(reads[name] - {*campaign.topics().parts}):
            raise UsageError(f"assessor {name} is to judge {strange[0]!r}, but no topic is in this language")
    if len({name.casefold() for name in reads}) < len(assessors):
        raise UsageError("two assessors have the same name")
    return reads


def _shared_out(
    campaign: Campaign,
    pool: Sequence[Item],
    judgements: Sequence[Judgement],
    reads: Mapping[str, set[str]],
    *,
    overlap: float,
    plan: Mapping[str, int],
) -> tuple[dict[str, list[Item]], int]:
    """Return the items that each assessor is to judge, keyed by assessor, and how many open items lack people.

    A question goes first to the assessors who judged it before, and then to the assessors with the fewest answers. An
    item that is open because its texts changed goes first to the assessors whose verdicts were taken back, and to as
    many others as it still needs by the `plan`.
    """
    again, lacking = asked_again(campaign), 0
    open_ = again.open_by(plan)
    done = by_item([judgement for judgement in judgements if judgement.assessor != ADJUDICATION])
    questions: dict[str, list[Item]] = {}
    for item in pool:
        questions.setdefault(item.question, []).append(item)
    times = times_of(list(questions), overlap, lambda question: campaign.hidden_order("overlap", question))
    load, assessors = dict.fromkeys(reads, 0), list(reads)
    wanted: dict[str, list[Item]] = {name: [] for name in assessors}
    for question, items in questions.items():
        before = {who for item in items for who in (*done.get(item.id, ()), *again.people.get(item.id, ()))}
        able = [who for who in assessors if not reads[who] or items[0].language in reads[who]]
        if len(able) < times[question]:
            where = f" for {items[0].language}" if items[0].language else ""
            enough = plural(times[question], "assessor")
            raise UsageError(f"an overlap of {overlap:g} needs at least {enough}{where} (found {len(able)})")
        order = sorted(able, key=lambda who: (who not in before, load[who], assessors.index(who)))
        for who in order[: times[question]]:
            load[who] += len(items)
        for item in items:
            held, many = done.get(item.id, {}), times[question]
            asked = [who for who in order[:many] if who not in held][: max(0, many - len(held))]
            if item.id in open_:
                first, more = again.people[item.id], max(1, max(many, open_[item.id]) - len(held))
                asked = [who for who in order if who in first - held.keys()]
                asked += [who for who in order if who not in first | held.keys()]
                asked = asked[:more]
                lacking += len(asked) < more
            for who in asked:
                wanted[who].append(item)
    return {who: own_order(campaign, who, items) for who, items in wanted.items()}, lacking


def _plan(campaign: Campaign, pool: Sequence[Item], overlap: float | None) -> dict[str, int]:
    """Return how many people are to judge each item, where somebody chose this number; `overlap` is a new choice.

    What was judged again by enough people stays judged.
    """
    plan = dict(read_asked(campaign).plan)
    if overlap is not None:
        again = asked_again(campaign)
        settled = again.people.keys() - again.open_by(plan).keys()
        questions = list(dict.fromkeys(item.question for item in pool))
        times = times_of(questions, overlap, lambda question: campaign.hidden_order("overlap", question))
        plan |= {item.id: times[item.question] for item in pool if item.id not in settled}
    return plan


def _check_collected(campaign: Campaign, wanted: Mapping[str, object]) -> None:
    """Raise UsageError if a sheet that would be overwritten has verdicts or comments that were not collected."""
    forms = {f".{form}" for form in get_args(Form)}
    if held := next((pair for pair in uncollected(campaign, wanted) if pair[0].suffix.lower() in forms), None):
        path, what = held
        raise UsageError(
            f"{path} holds {what} that were not collected; run nescio campaign collect first, and correct or delete "
            "the file if `collect` refuses rows"
        )


def _made(
    campaign: Campaign, who: str, items: Sequence[Item], judgements: Sequence[Judgement], form: Form
) -> tuple[Sheet, bytes]:
    by_id: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.assessor != ADJUDICATION:
            by_id.setdefault(judgement.item, []).append(judgement)
    if form == "html":
        page = assessor_page(campaign, who, items, by_id if who == ADJUDICATION else {}, read_pool(campaign))
        content = page.encode(errors="replace")
    else:
        content = _sheet(campaign, who, items, by_id, form)
    answers = [item for item in items if ":" not in item.id] or items
    return Sheet(f"{SHEETS}/{who}.{form}", who, len(answers), len({item.question for item in items})), content


def _sheet(
    campaign: Campaign, who: str, items: Sequence[Item], by_id: Mapping[str, Sequence[Judgement]], form: Form
) -> bytes:
    """Return the content of an assessor's spreadsheet."""
    column = _column(campaign, items)
    nuggets = shown_nuggets(campaign) if column == "nuggets" else {}
    judging = who == ADJUDICATION
    texts = shown_keys(items, nuggets)
    rows: list[tuple[str, ...]] = [(*HEAD, *(["verdicts", "comments"] if judging else []), column, "comment")]
    for item in items:
        judgements = by_id.get(item.id, [])
        verdicts = " / ".join(sorted(judgement.verdict.replace(",", ";") for judgement in judgements))
        comments = f" {MARK} ".join(sorted(judgement.comment for judgement in judgements if judgement.comment))
        documents, supports = cells_of(item, nuggets.get(item.question, ()))
        key = f"{row_key(campaign.secret, who, item.id)}-{texts[item.id]}"
        cells = [item.id, key, item.question, item.text, item.answer, documents, supports]
        rows.append((*cells, *([verdicts, comments] if judging else []), "", ""))
    if form == "csv":
        return _table(rows)
    text = f"{guidelines(campaign)}\nFill in the column {_CELLS[column]}.\n"
    return workbook.written(rows, text, [str(verdict) for verdict in Verdict] if column == "verdict" else (), column)


def _column(campaign: Campaign, items: Sequence[Item]) -> str:
    """Return the name of the column of a sheet that the assessor fills in: "sentences", "nuggets" or "verdict"."""
    if any(kind_of(item) == SENTENCES for item in items):
        return SENTENCES
    return "nuggets" if campaign.settings.task == "nuggets" else "verdict"


def _check_list(campaign: Campaign) -> None:
    """Raise UsageError if the sheet of nuggets, which would be overwritten, has nuggets that are not in the key.

    Nuggets that another list replaced may be overwritten.
    """
    path = campaign / SHEETS / KEY_SHEET
    if not path.is_file() or campaign.has_own_key or not drop_replaced(campaign, [path], FaultsOfFiles(), alone=False):
        return
    texts = nugget_texts(campaign.key_files)
    known = {(question, number, vital == "vital", squeeze(text)) for question, number, vital, text in texts}
    try:
        for row, _ in table(path, KEY_COLUMNS):
            vital, text = row["vital"].strip().casefold(), squeeze(row["text"])
            nugget = (row["question_id"], row["nugget"].strip(), VITAL.get(vital), text)
            if (text or vital) and nugget not in known:
                raise UsageError(f"{path} holds nuggets that were not collected; run nescio campaign collect first")
    except FormatError as error:
        raise UsageError(f"{error}; correct it, and run nescio campaign collect first") from None


def _write_nuggets(campaign: Campaign, pool: Sequence[Item]) -> None:
    """Write the sheet of the key's nuggets, with empty lines for more if the organisers supplied no key."""
    rows: list[Sequence[str]] = [("question_id", "question", "nugget", "vital", "text")]
    texts = {item.question: item.text for item in pool}
    named = list(nugget_texts(campaign.key_files))
    rows += [(question, texts.get(question, ""), *rest) for question, *rest in named]
    if not campaign.has_own_key:
        used = {(question, number) for question, number, *_ in named}
        numbers = [str(number) for number in range(1, BLANKS + 1)]
        lines = [(question, text, number) for question, text in texts.items() for number in numbers]
        rows += [(*line, "", "") for line in lines if (line[0], line[2]) not in used]
    put(campaign / SHEETS / KEY_SHEET, _table(rows))


def _table(rows: Sequence[Sequence[str]]) -> bytes:
    """Return rows as CSV for spreadsheets, with a byte-order mark.

    Texts that a spreadsheet would run as formulas are changed.
    """
    flat = ([guarded(" ".join(cell.split())) for cell in row] for row in rows)
    return b"\xef\xbb\xbf" + csv_text(flat, end="\r\n").encode(errors="replace")
