"""Which columns could be a verdict, or say what was declined, and are not read: each is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.data.policies import NO_VERDICT, PERHAPS_DECLINED
from nescio.errors import opt
from nescio.formats.native import roles
from nescio.formats.native.headers import KEPT, LEFT_OUT, STEMS
from nescio.formats.native.outcome_table.loaded import Loaded
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.table import table_of
from nescio.sources.tables import first
from nescio.text import decimal

_MOST_ACTS = 4  # words for what a system does
_SEVERAL = 3  # rows that may be alike by chance
_MOST = 5  # columns that a note names


def unread(
    table: Loaded,
    claimed: Collection[str | None],
    *,
    verdict: str | None = None,
    silent: bool = False,
    judged: bool = False,
    apart: Collection[str] = (),
    texts: Sequence[tuple[str, int]] = (),
    confidence: str | None = None,
) -> list[Note]:
    """Note the columns that play no part, and could: other verdicts; where nothing in the table says which answers were
    declined (`silent`), those of yes and no or of what a system did, the most telling first; weights; and, where no
    `confidence` is read, those that may be one. Of answers that are `judged`, an empty one is silent all the same. One
    that says so of just those answers without a `verdict` is noted by itself, and so is the first of the `texts` that
    are empty, or read like silence, in some rows of which none is right: they may well be the answers."""
    free = [c for c in table_of(table.source).columns if c.name not in claimed and len(c.words) <= roles.MOST_WORDS]
    verdicts = [c.name for c in free if _is_verdict(c) or roles.part_of(c.name) == "outcome"]
    acts = [c.name for c in free if c.name not in verdicts and _may_be_silence(c)]
    acts += [name for name in apart if name not in (*acts, *verdicts)]
    acts.sort(key=lambda column: (not _speaks_of_silence(column), column not in apart))
    weights = [c.name for c in free if _speaks(c.name, "weight")]
    return [
        *_verdicts(table, verdicts),
        *([] if silent else _acts(table, acts, judged=judged)),
        *([] if silent or verdict is None else _ungraded(table, acts, verdict)),
        *_texts(table, texts),
        *_weights(table, weights),
        *_left_out(table, free),
        *([] if confidence else _confidences(table, [c for c in table.have if c and c not in claimed])),
    ]


def _texts(table: Loaded, texts: Sequence[tuple[str, int]]) -> Iterator[Note]:
    for column, rows in texts[:1]:
        yield note(
            "table.quiet_text",
            "{subject}: {column!r} is empty or reads like silence in {rows:n row}, none of which is marked as right, "
            "and is not read: {option} takes it for the answers",
            str(table.source.label),
            column=column,
            rows=rows,
            option=roles.option("answer", column),
        )


def _verdicts(table: Loaded, columns: Sequence[str]) -> Iterator[Note]:
    if columns:
        yield note(
            "table.other_verdicts",
            "{subject}: {columns:list} {many:says/say} right or wrong, too, and {many:is/are} not read: "
            f"{opt('column', of='outcome=NAME')} takes one instead",
            str(table.source.label),
            columns=list(map(repr, columns[:_MOST])),
            many=min(len(columns), _MOST),
        )


def _acts(table: Loaded, columns: Sequence[str], *, judged: bool) -> Iterator[Note]:
    if columns:
        yield note(
            "table.unread",
            "{subject}: {judged:/no answer is unanswered, and }{columns:list} {many:has/have} few words, which may say "
            f"what was declined, and {{many:is/are}} not read: {opt('column', of='abstained=NAME')} or answered=NAME "
            "if so",
            str(table.source.label),
            judged=judged,
            columns=list(map(repr, columns[:_MOST])),
            many=min(len(columns), _MOST),
        )


def _ungraded(table: Loaded, columns: Sequence[str], verdict: str) -> Iterator[Note]:
    """Note the first column of yes and no that says one thing of all answers without a verdict, and of few others, or
    of no others: it may well say which of them were declined. Where there is none, note how no verdict is read as
    silence."""
    free = f"{table.have[verdict]} IS NULL"
    for column in columns:
        said: Counter[tuple[bool | None, bool]] = Counter()  # by what it says, and whether there is no verdict
        query = f"SELECT {table.have[column]}, {free}, count(*) FROM {table.name} GROUP BY ALL"
        for word, ungraded, rows in table.connection.execute(query).fetchall():
            said[None if word is None else roles.truth_of(word), ungraded] += rows
        lacking = sum(rows for (_, ungraded), rows in said.items() if ungraded)
        for truth in (True, False):
            here, others = said[truth, True], said[truth, False]
            alone = not others and here >= _SEVERAL
            unlike = said[not truth, False]
            if unlike and here > 1 and others <= min(here, unlike) and (here == lacking or alone):
                yield note(
                    PERHAPS_DECLINED,
                    "{subject}: {column!r} says {says} of {said:n answer}, {all:among them all/of which none has a "
                    "verdict, and not of all} {free} that have {all:no verdict/none}: {option} reads them as "
                    "unanswered",
                    str(table.source.label),
                    column=column,
                    says="yes" if truth else "no",
                    said=others + here,
                    all=here == lacking,
                    free=lacking,
                    option=roles.option("abstained" if truth else "answered", column),
                )
                return
    lacking = first(table.connection, f"SELECT count(*) FROM {table.name} WHERE {free}")[0]
    if lacking >= _SEVERAL:
        yield note(
            NO_VERDICT,
            "{subject}: {rows:n answer} {rows:has/have} no verdict: {option} reads that as unanswered",
            str(table.source.label),
            rows=lacking,
            option=opt("outcome_map", {"": "unanswered"}),
        )


def _weights(table: Loaded, columns: Sequence[str]) -> Iterator[Note]:
    if columns:
        yield note(
            "table.weights",
            "{subject}: {columns:list} {many:is/are} not read: every question counts alike",
            str(table.source.label),
            columns=list(map(repr, columns[:_MOST])),
            many=min(len(columns), _MOST),
        )


def _left_out(table: Loaded, columns: Sequence[Column]) -> Iterator[Note]:
    """Note the first column that flags rows as ones that may not count."""
    for column in columns:
        tokens = [*column.tokens, "".join(column.tokens)]
        out = any(token.startswith(LEFT_OUT) for token in tokens)
        kept = any(token.startswith(KEPT) for token in tokens)
        kept &= all(token.startswith((*KEPT, *STEMS["between"])) for token in tokens[:-1])  # no `valid_json`
        flagged = _flagged(column, yes=not kept) if out != kept else set()
        if flagged:
            counts = table.counted(column.name)
            yield note(
                "table.left_out",
                "{subject}: {rows:n row} of which {column!r} is {words:list} {rows:is/are} counted, and perhaps should "
                "not be: leave {rows:it/them} out of the file if so",
                str(table.source.label),
                rows=sum(counts.get(word, 0) for word in flagged),
                column=column.name,
                words=list(map(repr, sorted(flagged))),
            )
            return


def _flagged(column: Column, *, yes: bool) -> set[str]:
    """Return the words of a flag that say yes, or no; of one word beside empty cells that one is yes."""
    words = column.words
    if len(words) == 1 and None in column.cells and yes and all(roles.truth_of(word) is None for word in words):
        return {*words}
    return {word for word in words if roles.truth_of(word) is yes} if column.is_truth and len(words) <= 2 else set()


def _confidences(table: Loaded, columns: Sequence[str]) -> Iterator[Note]:
    named = [column for column in columns if roles.speaks_of_confidence(column)]
    if named := [column for column in named if _holds_numbers(table, column)]:
        yield note(
            "table.confidences",
            "{subject}: no confidence is read; {option}",
            str(table.source.label),
            option=roles.may_be("confidence", named) if len(named) > 1 else roles.option("confidence", named[0]),
        )


def _holds_numbers(table: Loaded, column: str) -> bool:
    cell = table.have[column]
    query = f"SELECT count({cell}) > 0 AND 2 * count(TRY_CAST({cell} AS DOUBLE)) > count({cell}) FROM {table.name}"
    return bool(first(table.connection, query)[0])


def _is_verdict(column: Column) -> bool:
    """Say whether a column is a verdict: by words that say right and wrong, by 0 and 100 alone, or by yes and no
    under a name that speaks of it."""
    if column.is_percentage:
        return not _speaks(column.name, "fact")
    if column.is_truth:
        named = any(_speaks(column.name, part) for part in ("outcome", "wrong")) or column.named("outcome") > 1.5
        return len(column.words) > 1 and named and not _speaks(column.name, "fact")
    return column.is_worded and {CORRECT, INCORRECT} <= {*column.states.values()}


def _may_be_silence(column: Column) -> bool:
    """Say whether a column may tell which answers were declined: by yes and no, by a word for silence, or by what a
    system did in a few words."""
    words = column.words
    if len(words) == 2 and {roles.truth_of(word) for word in words} == {True, False}:
        return True
    if _speaks_of_silence(column.name) and words and not any(map(decimal, words)):
        return True
    acts = 1 < len(words) <= _MOST_ACTS and _speaks(column.name, "acts") and all(decimal(w) is None for w in words)
    return acts or (len(words) > 1 and roles.speaks_of_silence(words))


def _speaks(column: str, part: str) -> bool:
    """Say whether a name speaks of a part; of a nested one the last of its names."""
    return roles.speaks_of(column.rpartition(".")[2] or column, part)


def _speaks_of_silence(column: str) -> bool:
    return _speaks(column, "abstained") or _speaks(column, "answered")
