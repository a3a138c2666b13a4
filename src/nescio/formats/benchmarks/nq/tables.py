"""Tables of questions, gold answers and predictions, as rows: the columns by their names, the cells as texts and
lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from nescio.data.notes import Note, note
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, MismatchError, opt
from nescio.formats.logs.grading import identity
from nescio.formats.native import roles
from nescio.formats.native.headers import SUMS
from nescio.formats.native.outcome_table.loaded import Loaded
from nescio.formats.native.outcome_table.proposing import what_tells_apart
from nescio.formats.native.outcome_table.unread import unread
from nescio.formats.native.readings.proposing import propose, rivals_of_judging
from nescio.formats.native.readings.silences import never_hit, stands_out
from nescio.formats.native.readings.table import table_of
from nescio.formats.native.readings.ways import Way
from nescio.formats.native.summary_rows import LEAST, RULE
from nescio.sources.database import connect
from nescio.sources.literals import UnsoundLiteralError, json_or, read_literal
from nescio.sources.source import Source, small
from nescio.sources.tables import first, json_lines, load_rows, locate, with_points, without_blanks
from nescio.sources.text_files import WHITE
from nescio.text import composed, finite, squeeze

GOLD = ("gold_answers", "golden_answers", "answers", "gold", "reference", "references", "answer")
IDS, RUNS = ("question_id", "qid", "id"), ("run", "model", "system")
PEOPLE = ("acceptable", "human", "judgement", "judgment", "verdict")
if TYPE_CHECKING:
    import duckdb

_ITS_GOLD = ("gold_answers", "golden_answers", "answers")
_ANSWERS = ("answer", "antwort", "reponse", "respuesta", "risposta")  # of which of the two, nobody can know
_EACH = 3  # gold answers of each word, where words are few
_SEVERAL, _MOST_SILENT = 3, 2  # answers in a word, and words that may all mean silence
_SURE = 5  # different gold answers of the questions that are answered in one text, by no chance
LONGEST_LABEL = 60


class Row(Struct):
    """One prediction: its question, what is gold, and the texts given, the first of which is the answer."""

    run: str
    id: str
    question: str
    answers: tuple[str, ...]
    given: tuple[str, ...]
    confidence: float | None
    verdict: str | None
    where: Any
    declined: bool = False
    answerable: bool = True
    labels: dict[str, str] = field(default_factory=dict)
    repeat: str | None = None

    @property
    def best(self) -> str | None:
        """The first text given; None where it is empty, whatever stands below it."""
        return self.given[0] if self.given and self.given[0].strip(WHITE) else None


class _Columns(Struct, frozen=True):
    """The columns of a table that play a part; `people` is that of their verdicts."""

    question: str
    prediction: str
    gold: str
    ids: str | None
    run: str | None
    people: str | None
    confidence: str | None
    abstained: tuple[str, ...]
    answered: tuple[str, ...]
    answerable: tuple[str, ...]
    unanswerable: tuple[str, ...]
    repeat: str | None

    @property
    def nothing(self) -> tuple[tuple[tuple[str, ...], bool], ...]:
        """Those that say of a question that it has no answer, and the word of each that does."""
        return (self.unanswerable, True), (self.answerable, False)

    @property
    def own(self) -> set[str | None]:
        """All of them."""
        single = (
            self.question,
            self.prediction,
            self.gold,
            self.ids,
            self.run,
            self.people,
            self.confidence,
            self.repeat,
        )
        return {*single, *self.abstained, *self.answered, *IDS, *RUNS, *PEOPLE}


def _ask_which(
    connection: duckdb.DuckDBPyConnection, source: Source, have: Mapping[str, str], named: roles.Roles
) -> None:
    """Raise FormatError where several columns could be the gold answer, or the prediction, and they differ."""
    answers = [name for name in have if roles.squash(name) in _ANSWERS]
    answers = [] if named.all("prediction") == tuple(answers) else answers  # beside a gold answer by its whole name
    for part, what in (("gold", "the gold answer"), ("prediction", "the answer given")):
        if part in named.named:
            continue
        columns = list(dict.fromkeys((*named.all(part), *(answers if part == "gold" else ()))))
        other = {*named.all("gold", "prediction")} - {*columns}
        columns = [name for name in columns if name not in other and name not in named.named.values()]
        differ = (f"{have[columns[0]]} IS DISTINCT FROM {have[name]}" for name in columns[1:])
        if len(columns) > 1 and first(connection, f"SELECT 1 FROM predictions WHERE {' OR '.join(differ)} LIMIT 1"):
            if part == "gold" and (given := named.one("prediction")):
                _ask_of_verdicts(source, columns, given)
            names = " and ".join(map(repr, columns))
            raise roles.ask(source, f"{names}: each could be {what}, but they differ", part, columns)


def _columns(source: Source, have: Mapping[str, str], notes: list[Note]) -> _Columns:
    """Find the columns: by this format's own names where it has them all, else by what people call them."""
    named = roles.roles_of((name for name in have if name is not None), source.named)

    def one(own: Sequence[str], *parts: str) -> str | None:
        user = next((named.named[part] for part in parts if part in named.named), None)
        return user or next((name for name in own if name in have), None) or named.one(*parts)

    prediction = one(("prediction",), "prediction")
    gold = one([name for name in GOLD if name != prediction], "gold")
    question = one(("question",), "text", "id")
    for name, column in (("question", question), ("gold", gold), ("prediction", prediction)):
        if column is None:
            raise FormatError(source.label, f"no row has {name!r}", where=source.head)
    runs = [name for name in named.all("run") if name not in RUNS]
    if len(runs) > 1 and not any(name in have for name in RUNS):
        raise roles.ask(source, f"{' and '.join(map(repr, runs))} could each name the run", "run", runs)
    assert question is not None
    assert prediction is not None
    assert gold is not None
    ids = one(IDS, "id")
    columns = _Columns(
        question=question,
        prediction=prediction,
        gold=gold,
        ids=ids,
        run=one(RUNS, "run"),
        people=one(PEOPLE, "outcome", "score"),
        confidence=one(("confidence",), "confidence"),
        abstained=named.all("abstained"),
        answered=named.all("answered"),
        answerable=named.all("answerable"),
        unanswerable=named.all("unanswerable"),
        repeat=named.one(REPEAT),
    )
    parts = {"run": columns.run, "question": ids or question, "prediction": prediction, "gold": gold}
    parts |= {part: source.named[part] for part in ("abstained", "answered") if part in source.guessed}
    others = [(part, name) for part, name in parts.items() if name not in (None, part, *IDS, *RUNS, *_ITS_GOLD)]
    if others:
        notes.append(
            note(
                "nq.columns",
                "{subject}: {columns:each %s is the column %r}; its answers are judged "
                f"({opt('judge', of='NAME')} says how)",
                str(source.label),
                columns=others,
            )
        )
    return columns


def table(source: Source, stem: str, before: set[str], notes: list[Note], mapped: Mapping[str, str] = {}) -> list[Row]:
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "predictions")
        notes += without_blanks(connection, "predictions", source, have)
        _ask_which(connection, source, have, roles.roles_of((name for name in have if name is not None), source.named))
        columns = _columns(source, have, notes)
        notes += _unread(Loaded(connection, "predictions", source, have), columns)
        names = [column for column in have if column is not None]
        notes += with_points(connection, "predictions", source, {n: have[n] for n in names if n == columns.confidence})
        cells = connection.execute(
            f"SELECT row, {', '.join(have[n] for n in names)} FROM predictions ORDER BY row"
        ).fetchall()
    cells = _whole(cells, names, (columns.prediction, columns.gold), source, notes)
    structured = _structured(source, columns.prediction, columns.gold) if source.kind == "lines" else None
    _ask_of_gold(source, columns, [row[names.index(columns.gold) + 1] for row in cells])
    own, ids = columns.own, columns.ids
    quiet = {name: _quiet(source, mapped, {row[names.index(name) + 1] for row in cells}) for name in columns.abstained}
    said = [name for name, words in quiet.items() if not words]
    rows: list[Row] = []
    seen: dict[tuple[str, ...], int] = {}
    repeats: Counter[tuple[str, str]] = Counter()
    for at, *values in cells:
        cell: dict[str, str | None] = dict(zip(names, values, strict=True))
        place = source, at
        text = cell[columns.question]
        if text is None:
            raise fail(place, "the question is empty")
        run, name = _cell(cell, columns.run) or stem, composed(cell.get(ids) if ids is not None else text)
        if name is None:
            raise fail(place, f"the {ids} is empty")
        if ids is None and columns.repeat is None:
            repeats[run, name] += 1
            if repeats[run, name] > 1 and (ways := _told_apart(source, columns)):
                raise fail(place, f"question {name!r} appears twice{ways}")
            name = name if repeats[run, name] == 1 else f"{name} ({repeats[run, name]})"
        repeat = _cell(cell, columns.repeat)
        key = (run, name, repeat or "")
        if key in seen:
            rule = f"question {name!r} of run {run!r} appears twice; first on {locate(source, seen[key])}"
            raise fail(place, rule + _told_apart(source, columns))
        if run in before:
            raise MismatchError(f"run {run!r} is in {source.label} and in an earlier file")
        seen[key] = at
        labels = {key: value or "" for key, value in cell.items() if key not in own}
        answers = _listed(cell[columns.gold], place, structured, columns.gold)
        predictions = _given(cell[columns.prediction], place, structured, columns.prediction)
        verdict, confidence = _cell(cell, columns.people), _confidence(_cell(cell, columns.confidence), place)
        silent = _any(cell, ((said, True), (columns.answered, False)), place, "an answer was declined")
        silent = silent or any(cell[name] in words for name, words in quiet.items())
        asked = bool(answers) and not _any(cell, columns.nothing, place, "a question has an answer")
        rows.append(
            Row(run, name, text, answers, predictions, confidence, verdict, place, silent, asked, labels, repeat)
        )
    _no_sum(rows, stem if columns.run else None)
    if repeated := sum(count - 1 for count in repeats.values()):
        notes.append(
            note(
                "nq.repeats",
                "{subject}: {rows} {rows:row repeats/rows repeat} a question; without question_id they are "
                "distinguished by a number",
                str(source.label),
                rows=repeated,
            )
        )
    return rows


def _ask_of_gold(source: Source, columns: _Columns, gold: Sequence[str | None]) -> None:
    """Raise FormatError where no question has a gold answer, and nothing says that none has an answer; or where the
    gold answers may be verdicts."""
    if gold and not any(gold) and not (columns.answerable or columns.unanswerable):
        rule = f"all cells of {columns.gold!r} are empty, so nothing says what is right, or that nothing could be"
        ways = f"{roles.option('gold', 'NAME')} names the gold answers, {roles.option('outcome', 'NAME')} a verdict"
        raise FormatError(source.label, f"{rule}; {ways}", where=source.head)
    if "gold" not in source.named.keys() - source.guessed:
        _ask_of_verdicts(source, [columns.gold], columns.prediction)


def _ask_of_verdicts(source: Source, gold: Sequence[str], prediction: str) -> None:
    """Raise FormatError where a column of gold answers (`y`) says yes and no, and most answers do not."""
    seen = table_of(source)
    answers = [roles.truth_of(cell) is None for cell in seen.by_name[prediction].cells if cell]
    verdicts = [name for name in gold if seen.by_name[name].is_truth and len(seen.by_name[name].words) > 1]
    if verdicts and 2 * sum(answers) > len(answers):
        what = f"{verdicts[0]!r} says yes or no, and most answers do not: it could be a verdict, or the gold answer"
        others = [name for name in gold if name not in verdicts] or verdicts
        raise roles.ask(source, what, "outcome", verdicts, f" or {roles.options('gold', others)}")


def _no_sum(rows: Sequence[Row], stem: str | None) -> None:
    """Raise FormatError where the last row is no question, but sums up the others: by its name, because it alone names
    no run, in the place of which the file's name `stem` then stands, or because it alone has neither answer nor gold
    answer, nor a number in its name."""
    if len(rows) <= LEAST:
        return
    *others, last = rows
    alone = last.run == stem and all(row.run != stem and row.id != last.id for row in others)
    bare = not (any(last.given) or any(last.answers) or any(map(str.isdigit, last.id)))
    bare = bare and all(any(row.answers) and any(map(str.isdigit, row.id)) for row in others)
    if alone or bare or last.id.strip().casefold() in SUMS:
        raise fail(last.where, RULE, last.id)


def _unread(table: Loaded, columns: _Columns) -> list[Note]:
    """Note the columns that may say which answers are right, and those that may say what was declined where none is
    read that does; verdicts by names of this format's own have a note of theirs."""
    named = roles.roles_of(filter(None, table.have), table.source.named)
    verdicts = {columns.people, *named.all("outcome", "score", "wrong", "failure")} - {*PEOPLE}
    silent = bool(columns.abstained or columns.answered)
    claimed = {*named.names, *columns.own} - verdicts
    return unread(table, claimed, silent=silent, judged=True, confidence=columns.confidence)


def _cell(cells: Mapping[str, str | None], column: str | None) -> str | None:
    return None if column is None else cells.get(column)


_WHOLE, _WITH_ZERO = re.compile(r"[+-]?\d+"), re.compile(r"([+-]?\d+)\.0")


def _whole(
    cells: list[tuple[Any, ...]], names: Sequence[str], pair: tuple[str, str], source: Source, notes: list[Note]
) -> list[tuple[Any, ...]]:
    """Return the rows with 2 for 2.0 in the one column of a pair that has such numbers alone, where the other has whole
    numbers alone: so pandas writes a column of whole numbers in which a cell is empty."""
    at = [names.index(name) + 1 for name in pair]
    for here, other in (at, at[::-1]):
        whole = all(row[other] is None or _WHOLE.fullmatch(row[other]) for row in cells)
        if (
            whole
            and any(row[here] for row in cells)
            and all(row[here] is None or _WITH_ZERO.fullmatch(row[here]) for row in cells)
        ):
            notes.append(
                note(
                    "nq.whole_numbers",
                    "{subject}: the whole numbers of {column!r} are written with .0, and those of {other!r} without:"
                    " 2.0 is read as 2",
                    str(source.label),
                    column=names[here - 1],
                    other=names[other - 1],
                )
            )
            return [(*row[:here], row[here] and row[here].removesuffix(".0"), *row[here + 1 :]) for row in cells]
    return cells


def _told_apart(source: Source, columns: _Columns) -> str:
    """Say which columns would tell the answers to a question apart; empty where none would."""
    parts = {"question": columns.ids or columns.question, "run": columns.run, REPEAT: columns.repeat}
    taken = {part: name for part, name in parts.items() if name}
    return what_tells_apart(source, taken, {name for name in columns.own if name})


def refuse_other_verdicts(rows: Sequence[Row]) -> None:
    """Raise FormatError where a column that nobody knows may say which answers are right."""
    source = rows[0].where[0]
    verdicts = rivals_of_judging(source)
    if verdicts:
        quiet = [one for one in never_hit(table_of(source)) if one.column.name in verdicts]  # it may be silence
        before = [Way(one.option, remark="judges the others") for one in quiet]
        ways = propose(source, judged=False, before=before) or f"name it with {roles.options('outcome', verdicts)}"
        what = f"{' and '.join(map(repr, verdicts))} may say which answers are right"
        judge = opt("judge", of="NAME")
        ways += f"  {judge}  (judges the answers)\n" if ways.endswith("\n") else f"; or judge the answers with {judge}"
        raise FormatError(source.label, f"{what}: {ways}", where=source.head)


def no_gold_answers(rows: Sequence[Row], reads: Callable[[str], bool]) -> tuple[dict[str, int], bool]:
    """Count the answers to several questions in words that no question has for its gold answer, and say whether that
    is no chance: where all questions are answered in a few words, no more words than silence may have; else the text
    that stands far more often than any other, where it does not read like silence, which is told elsewhere."""
    gold = Counter(_folded(text) for row in rows for text in row.answers)
    few = 1 < len(gold) <= roles.FEW and gold.total() >= _EACH * len(gold)
    others = [row for row in rows if row.best and not row.declined and _folded(row.best) not in gold]
    said: Counter[str | None] = Counter(row.best.strip() for row in others if row.best)
    if few:
        asked = Counter(word for word, _ in {(row.best.strip(), row.id) for row in others if row.best})
        odd = {word: times for word, times in said.items() if word and times >= _SEVERAL and asked[word] > 1}
        return (odd if len(said) <= _MOST_SILENT else {}), True
    text = stands_out(said, len(rows))
    of_different = {row.answers for row in others if row.best and row.best.strip() == text}
    odd = {text: said[text]} if text and len(of_different) >= _SEVERAL and not reads(text) else {}
    return odd, len(of_different) >= _SURE


def _folded(text: str) -> str:
    return squeeze(text).casefold()


def fail(place: tuple[Source, int], rule: str, value: object = None) -> FormatError:
    source, row = place
    return FormatError(source.label, rule, where=locate(source, row), value=value)


Structured = Mapping[tuple[int, str], type] | None  # by row and column; None where only its text tells


def _structured(source: Source, *names: str) -> Structured:
    """Return where JSON Lines hold a list or an object in one of these columns: a text may look like one."""
    rows = enumerate(json_lines(source), 1)
    return {
        (at, name): type(row[name])
        for at, (row, _) in rows
        for name in names
        if isinstance(row.get(name), (list, dict))
    }


def _kind(text: str, place: tuple[Source, int], structured: Structured, column: str) -> type:
    """Return what a cell holds: a list, an object (of JSON alone: in a delimited file it is a text), or a text."""
    if structured is not None:
        return structured.get((place[1], column), str)
    if text.startswith("{") and text.endswith("}") and place[0].kind in ("parquet", "table"):
        return dict
    return list if text.startswith("[") and text.endswith("]") else str


def _refuse_object(text: str, place: tuple[Source, int], column: str) -> FormatError:
    rule = (
        f"the cells of {column!r} are objects, but an answer must be a text or a list of texts: give "
        "it a column of its own"
    )
    return fail(place, rule, text)


def _listed(text: str | None, place: tuple[Source, int], structured: Structured, column: str) -> tuple[str, ...]:
    """Return the gold answers in a cell: a list as JSON or Python writes it, SQuAD's {"text": [...]}, or texts with
    " | " between them."""
    if text is None:
        return ()
    kind = _kind(text, place, structured, column)
    if kind is dict:
        texts = _squad_texts(text)
        if texts is None:
            raise _refuse_object(text, place, column)
        return texts
    if kind is list:
        items = _list(text, place)
        if items is not None:
            return tuple(dict.fromkeys(item for item in items if item.strip(WHITE)))
        if place[0].kind in ("parquet", "table"):
            raise fail(place, "a list of gold answers must be JSON", text)
    return tuple(dict.fromkeys(part for piece in text.split(" | ") if (part := piece.strip(WHITE))))


def _squad_texts(text: str) -> tuple[str, ...] | None:
    """Return the texts of SQuAD's answers, {"text": [...], "answer_start": [...]}; None where this is another
    object."""
    held = json_or(text, None)
    texts = held.get("text") if isinstance(held, dict) else None
    if not isinstance(texts, list) or not all(isinstance(item, str) for item in texts):
        return None
    return tuple(dict.fromkeys(item for item in texts if item.strip(WHITE)))


def _given(text: str | None, place: tuple[Source, int], structured: Structured, column: str) -> tuple[str, ...]:
    """Return the prediction in a cell; a list of them, which JSON may hold, is in the order of their ranks."""
    if text is None:
        return ()
    kind = _kind(text, place, structured, column)
    if kind is dict:
        raise _refuse_object(text, place, column)
    items = _list(text, place) if structured is not None and kind is list else None
    return (text,) if items is None else tuple(items)


def _list(text: str, place: tuple[Source, int]) -> list[str] | None:
    try:
        items = read_literal(text)
    except UnsoundLiteralError as error:
        raise fail(place, f"this looks like a list but cannot be read: {error}", text) from None
    except ValueError:
        return None
    if not isinstance(items, list) or any(isinstance(x, bool) or not isinstance(x, (str, int, float)) for x in items):
        return None
    return [identity(item) for item in items]


def _quiet(source: Source, mapped: Mapping[str, str], words: set[str | None]) -> set[str]:
    """Return those words of a column about declining that mean that an answer was declined, those that were
    `mapped` to it before others; none where it says yes and no."""
    told = {*source.meant.get("abstained", ()), *(word for word, state in mapped.items() if state == "unanswered")}
    given = {word for word in words if word is not None}
    return told & given or roles.silent_among(given)


def _any(
    cell: Mapping[str, str | None],
    columns: Sequence[tuple[Sequence[str], bool]],
    place: tuple[Source, int],
    what: str,
) -> bool:
    """Say whether one of some columns of yes and no, each with the word that counts, has its word."""
    found = False
    for name, means in ((name, means) for names, means in columns for name in names):
        text = cell.get(name)
        truth = None if text is None else roles.truth_of(text)
        if text is not None and truth is None:
            raise fail(place, f"{name!r} says whether {what}, and must be true, false or empty", text)
        found = found or truth is means
    return found


def _confidence(text: str | None, place: tuple[Source, int]) -> float | None:
    if text is None:
        return None
    confidence = finite(text)
    if confidence is None:
        raise fail(place, "confidence must be a finite number", text)
    return confidence
