"""Which column of an outcome table says which answers are right, and what is asked of it: whether another says it,
which way about it is, and whether it holds the answers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from nescio.data.outcomes import SILENT
from nescio.errors import FormatError, opt
from nescio.formats.native import roles
from nescio.formats.native.headers import BETTER, DIRECTIONS, LESS, MORE
from nescio.formats.native.outcome_table.loaded import Loaded, cases, right_words
from nescio.formats.native.readings.answers import answered
from nescio.formats.native.readings.columns import Column
from nescio.formats.native.readings.proposing import rivals_of_name
from nescio.formats.native.readings.table import Table, table_of
from nescio.formats.native.readings.verdicts import phi
from nescio.formats.native.readings.ways import shown, ways_of_words
from nescio.formats.native.roles import Roles, ask
from nescio.formats.native.summary_rows import RULE, called_sums
from nescio.sources.tables import first, locate
from nescio.text import decimal

_LEAST_PHI = 0.2  # of a verdict and whether the answer is the gold answer
_GOLDEN = 1.5  # answers to a question that are right, of several that are given
_FEW_HITS = 3  # answers that are the gold answer, or are not, of which nothing is said


def verdict_of(table: Loaded, named: Roles) -> str:
    """Return the column that says which answers are right.

    Raises FormatError, with the options that decide, where another could say it, or where it may say something else.
    """
    strong, vague = named.all("outcome"), named.all("score")
    if not strong and (wrong := named.one("wrong")):
        return wrong
    if len(strong) == 1:
        _ask_of_rivals(table, named, strong[0], whole=True)
        _ask_of_gold(table, named, strong[0])
        _ask_of_answers(table, named, strong[0])
        if "outcome" not in table.source.named.keys() - table.source.guessed:
            _ask_of_direction(table, strong[0])
        return strong[0]
    if strong:
        return _alike(table, strong, "outcome", "each could say which answers are right")
    clear = [column for column in vague if roles.is_verdicts(table.words(column))]
    failures = [column for column in named.all("failure") if roles.are_truths(table.words(column))]
    if not clear and failures:
        return failures[0] if len(failures) == 1 else _alike(table, failures, "outcome", "each could say what is wrong")
    if not clear:
        return _no_verdict(table, named, vague)
    column = clear[0] if len(clear) == 1 else _alike(table, clear, "outcome", "each could say which answers are right")
    _ask_of_rivals(table, named, column, whole=False)
    _ask_of_gold(table, named, column)
    _ask_of_answers(table, named, column)
    _ask_of_answers_alike(table, named, column)
    _ask_what_is_scored(table, column)
    _ask_of_direction(table, column)
    return column


def _ask_of_direction(table: Loaded, column: str) -> None:
    """Raise the error that asks which way about a column of yes and no is, beside one that says of some rows that less
    is better."""
    if not roles.are_truths(table.words(column)):
        return
    for other in table_of(table.source).columns:
        lower = [word for word in other.words if _prefers_less(other.name, word)]
        if lower and other.name != column and len(other.words) <= 2:
            rows = "all rows" if len(other.words) == 1 else "some rows, and not in others"
            rule = f"{other.name!r} is {lower[0]!r} in {rows}, so 1 of {column!r} may say what is wrong"
            turned = roles.option("outcome", f"{roles.TURNED}{column}")
            way = f"{turned} reads it so, {roles.option('outcome', column)} takes 1 for right"
            raise FormatError(table.source.label, f"{rule}: {way}", where=table.source.head)


def _prefers_less(name: str, word: str) -> bool:
    """Say whether a cell says that less is better, or, under such a name, yes; or that more is not."""
    tokens = roles.tokens_of(name)
    less, more = (any(token.startswith(stems) for token in tokens) for stems in (LESS, MORE))
    truth = roles.truth_of(word)
    if truth is not None:
        return any(token.startswith(BETTER) for token in tokens) and ((less and truth) or (more and not truth))
    return any(token.startswith(DIRECTIONS) for token in tokens) and any(
        token.startswith(LESS) for token in roles.tokens_of(word)
    )


def _ask_what_is_scored(table: Loaded, column: str) -> None:
    """Raise the error that asks which way about a column of a vague name is, of yes and no, beside one that says in all
    rows that what is scored is wrong (`metric` is `hallucination`)."""
    seen = table_of(table.source)
    for other in seen.columns:
        if len(other.words) == 1 and other not in seen.key and roles.are_truths(table.words(column)):
            (word,) = other.words
            if decimal(word) is None and roles.truth_of(word) is None and roles.says_failure(word):
                turned = roles.option("outcome", f"{roles.TURNED}{column}")
                rule = f"{other.name!r} is {word!r} in all rows, so 1 of {column!r} may say what is wrong"
                way = f"{turned} reads it so, {roles.option('outcome', column)} takes 1 for right"
                raise FormatError(table.source.label, f"{rule}: {way}", where=table.source.head)


def _ask_of_answers_alike(table: Loaded, named: Roles, column: str) -> None:
    """Raise the error that asks what a column of a vague name is that has the words of the answers, and most often the
    same as they: it may be the gold answer."""
    seen, prediction = table_of(table.source), named.one("prediction")
    pair = [seen.by_name[name] for name in (column, prediction) if name in seen.by_name]
    if named.one("gold") or len(pair) < 2:
        return
    own, given = pair
    if any(answered(pair)) or (roles.squash(column) == "label" and own.is_truth and own.words & given.words):
        what = f"{column!r} could be the answer that is right, or a verdict on the answer"
        others = sum(cell is not None and cell not in own.words for cell in given.cells)
        verdict = 2 * others > seen.size or (seen.question and _golden(seen, own) > len(seen.question.words))
        first_one, other = ("outcome", "gold") if verdict else ("gold", "outcome")
        raise ask(table.source, what, first_one, [column], f" or {roles.option(other, column)}")


def _golden(seen: Table, column: Column) -> int:
    """Count the gold answers that questions would have in a column: a question has one, though several are given."""
    return len({*zip(seen.question.cells, column.cells, strict=True)}) if seen.question else 0


def _ask_of_rivals(table: Loaded, named: Roles, column: str, *, whole: bool) -> None:
    """Raise the error that asks which of several verdicts is meant, where one is it by its name and says other things
    than those."""
    if "outcome" in named.named:
        return
    seen = table_of(table.source)
    if not any(c.is_verdict for c in seen.columns if c.name != column):
        return
    rivals, ways = rivals_of_name(seen, column, whole=whole)
    if rivals:
        what = f"{' and '.join(map(repr, [column, *rivals]))} say right or wrong, and differ"
        raise FormatError(table.source.label, f"{what}; name {ways}", where=table.source.head)


def _ask_of_gold(table: Loaded, named: Roles, column: str) -> None:
    """Raise the error that asks what `correct` or `label` means beside answers in the same words, as the right ones
    may be."""
    prediction = named.one("prediction")
    told = named.named.keys() - table.source.guessed
    if prediction is None or named.one("gold") or {"outcome", "prediction"} & told:
        return
    seen = table_of(table.source)
    own = seen.by_name.get(column)
    golden = _golden(seen, own) / len(seen.question.words) if seen.question and seen.run and own else 1.0
    if golden > _GOLDEN:
        return
    answers, verdicts = table.words(prediction), table.words(column)
    if answers and len(answers) <= roles.FEW and {*verdicts} <= {*answers}:
        what = f"{column!r} could be a verdict on the answer {prediction!r}, or the answer that is right"
        verdict = all(roles.state_of(word) is not None for word in verdicts) and roles.squash(column) != "label"
        verdict |= own is not None and own.is_coded and SILENT in own.states.values()  # three letters, as graders write
        verdict |= golden > 1
        first_one, other = ("outcome", "gold") if verdict else ("gold", "outcome")
        raise ask(table.source, what, first_one, [column], f" or {roles.option(other, column)}")


def ask_of_the_opposite(table: Loaded, named: Roles, column: str, cell: str) -> None:
    """Raise the error that asks which way about a verdict is that calls all answers wrong that are the gold answer, and
    all others right."""
    gold, answer = named.one("gold"), named.one("prediction")
    if gold is None or answer is None or "outcome" in named.named.keys() - table.source.guessed:
        return
    same = f"lower(trim({table.have[gold]})) = lower(trim({table.have[answer]}))"
    right = f"{cell} IN ({right_words(table, cell)})"
    both = product((same, f"NOT {same}"), (right, f"NOT {right}"))
    counts = [f"count(*) FILTER ({hit} AND {said})" for hit, said in both]
    cells = first(table.connection, f"SELECT {', '.join(counts)} FROM {table.name}")
    hits, misses, alike = cells[0] + cells[1], cells[2] + cells[3], cells[0] + cells[3]
    if cells[1] >= _FEW_HITS and alike and phi(*cells) < _LEAST_PHI:
        rule = f"{column!r} calls {cells[1]} of {hits} answers wrong that are the gold answer"
        rule += f", and {cells[2]} of {misses} others right"
        way = f"{roles.option('outcome', column)} takes it as it is, {opt('judge', 'fitting')} judges the answers"
        raise FormatError(table.source.label, f"{rule}: {way}", where=table.source.head)
    if hits >= _FEW_HITS and misses >= _FEW_HITS and not alike:
        turned = roles.option("outcome", f"{roles.TURNED}{column}")
        rule = f"{column!r} calls all answers wrong that are the gold answer, and all others right"
        way = f"{turned} turns it, {roles.option('outcome', column)} takes it as it is"
        raise FormatError(table.source.label, f"{rule}: {way}", where=table.source.head)


def _ask_of_answers(table: Loaded, named: Roles, column: str) -> None:
    """Raise the error that asks what a verdict is beside gold answers of the same words, where no column is the answer:
    it then may be the answer itself."""
    gold = named.one("gold")
    if gold is None or named.one("prediction") or "outcome" in named.named or "correct" in roles.squash(column):
        return
    words, right = ({roles.fold(word) for word in table.words(name)} for name in (column, gold))
    if column != "outcome" and words and words <= right | {"correct", "incorrect"} and words & right:
        what = f"{column!r} could be a verdict on an answer, or the answer itself beside the gold {gold!r}"
        raise ask(table.source, what, "outcome", [column], f" or {roles.option('prediction', column)}")


def _no_verdict(table: Loaded, named: Roles, vague: Sequence[str]) -> str:
    """Raise the error of a table whose only columns of verdicts hold other things."""
    source = table.source
    if not vague:
        raise FormatError(
            source.label, "no column says which answers are right", where=source.head, value=list(table.have)
        )
    column = vague[0]
    _ask_of_answers_alike(table, named, column)
    cells = ", ".join(cell for name, cell in table.have.items() if name)
    row, *last = first(table.connection, f"SELECT row, {cells} FROM {table.name} ORDER BY row DESC LIMIT 1")
    if called_sums(last):
        raise FormatError(source.label, RULE, where=locate(source, row))
    seen = table_of(table.source)
    if meanings := ways_of_words(seen, seen.by_name[column]):
        rule = f"{column!r} seems to say how good an answer is, and nothing says what all of its words mean"
        raise FormatError(source.label, f"{rule}; name {shown(seen, meanings)}", where=source.head)
    odd = next((word for word in table.words(column) if roles.state_of(word) is None), None)
    rule = f"{column!r} seems to say how good an answer is, and holds other things than words for right and wrong"
    ways = f"{roles.option('outcome', column)} with {opt('outcome_map', of='WORD=OUTCOME')} says what they mean"
    if named.one("gold") and named.one("prediction"):
        ways += f"; {opt('judge', 'fitting')} judges the answers instead"
    raise FormatError(source.label, f"{rule}: {ways}", where=source.head, value=odd)


def _alike(table: Loaded, columns: Sequence[str], name: str, what: str) -> str:
    """Return the first of some columns if all say the same of every row; raises FormatError if they differ."""
    states = {column: {word: roles.state_of(word) for word in table.words(column)} for column in columns}
    shown = [cases(table.have[column], states[column]) for column in columns]
    differ = " OR ".join(f"({shown[0]}) IS DISTINCT FROM ({other})" for other in shown[1:])
    odd = any(state is None for column in columns for state in states[column].values())
    if odd or first(table.connection, f"SELECT 1 FROM {table.name} WHERE {differ} LIMIT 1"):
        names = " and ".join(map(repr, columns))
        raise ask(table.source, f"{names}: {what}, and they differ", name, columns)
    return columns[0]
