"""Which columns could say which answers were declined, and whether the rest of the table bears it out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress, pairwise

from msgspec import Struct

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.formats.native import roles
from nescio.formats.native.headers import STEMS
from nescio.formats.native.readings.columns import CONTAINERS, Column, speaks
from nescio.formats.native.readings.table import Table
from nescio.formats.native.readings.verdicts import Verdict, differs
from nescio.sources.tables import NOTHING
from nescio.text import decimal

_FEW = 3  # rows that two columns may have in common by chance
_MOST_WORDS = 4  # of a column that may say so in words that nobody knows
_CHANCE = 0.01  # that rows are as they are by
_OFTEN = 0.02  # of many answers, in a text that may be silence
_MOST = 0.75  # of what is silent by itself, which a column has to say


class Silence(Struct, frozen=True):
    """A column taken for that of silence: the part that it plays, the words that mean it, where that is, and whether
    its name or its words say so by themselves."""

    column: Column
    part: str
    words: frozenset[str]
    rows: tuple[bool, ...]
    named: bool


def silences_of(table: Table, verdict: Verdict | None, proofs: set[tuple[bool, ...]] | None = None) -> list[Silence]:
    """Return the columns that could say which answers were declined: by their names and words, or because they say
    something of just those answers that have no verdict or no text. Where the verdict itself says so there are none."""
    if verdict is not None and SILENT in verdict.column.states.values():
        return []
    proofs = _proofs(table, verdict) if proofs is None else proofs
    taken = table.claimed("outcome", "score", "abstained", "answered")
    taken |= {c.name for c in (table.run, table.question, table.prediction, table.gold) if c}
    taken |= {verdict.column.name} if verdict else set()
    free = [c for c in table.columns if c.name not in taken and not differs(verdict, c) and not c.is_half_known]
    free = [c for c in free if c.is_truth or c.is_verdict or c.silent_words or not c.named("outcome")]
    found = [silence for column in free for silence in _of_column(table, column, proofs)]
    found += [silence for column in free if verdict for silence in _of_letters(column, verdict)]
    found = [one for one in found if one.named or not table.is_of_the_question(one.column)]
    return [one for one in found if any(one.rows) and not all(one.rows) and _may_be(table, verdict, one.rows)]


class Apart(Struct, frozen=True):
    """A word that stands in some rows of a column and beside no answer that is right, what `chance` that has where it
    says nothing of answers, and the option that takes it for silence."""

    column: Column
    word: str
    rows: tuple[bool, ...]
    chance: float

    @property
    def option(self) -> str:
        """Write the option that says that the word means silence."""
        if self.column.is_truth:
            return roles.option("abstained" if roles.truth_of(self.word) else "answered", self.column.name)
        return f"{roles.option('abstained', self.column.name)} {roles.mapped(self.word, SILENT)}"


def never_right(table: Table, verdict: Verdict) -> Iterator[Apart]:
    """Yield the words that stand beside no answer that is right (or none that is wrong, where the verdict finds that
    alone), in columns of a few words, or of one and empty cells: whatever such a word is, it may say what was declined.
    One that stands beside all other answers says what is wrong with them. Where the verdict has a word for silence
    there are none."""
    if SILENT in verdict.states:
        return
    taken = table.claimed("prediction") | {c.name for c in (table.run, table.question, table.gold) if c}
    free = [c for c in table.columns if c.name not in taken and c is not verdict.column and not c.is_counted]
    free = [c for c in free if len(c.words) <= _MOST_WORDS or c is table.prediction]
    free = [c for c in free if c.words and (len(c.words) > 1 or None in c.cells)]
    free = [c for c in free if not (c.is_measured or table.is_of_the_question(c))]
    free = [c for c in free if not (c.named("fact") and (c.is_truth or any(decimal(w) is not None for w in c.words)))]
    asked = table.gold.words if table.gold is not None else frozenset[str]()
    same = table.question.cells if table.question is not None else ()  # one answer to it is right or wrong in each run
    for given in dict.fromkeys((CORRECT, verdict.given)):
        others = [state != given for state in verdict.states]
        for column in free:
            beside = {cell for cell, state in zip(column.cells, verdict.states, strict=True) if state == given}
            alone = len(column.words) == 1  # beside empty cells
            filled = [o and (alone or cell is not None) for o, cell in zip(others, column.cells, strict=True)]
            among = column.words - beside - (asked if column is table.prediction else {*()})
            if len(column.words) > roles.FEW:
                often = stands_out(Counter(cell for cell in column.cells if cell in among), table.size)
                among = frozenset() if often is None or table.reads(often) else frozenset([often])
            for word in sorted(among):
                rows = tuple(cell == word for cell in column.cells)
                if _FEW <= sum(rows) < sum(filled):
                    times = len({*compress(same, rows)}) if column is table.prediction and same else sum(rows)
                    yield Apart(column, word, rows, (sum(others) / table.size) ** times)


def stands_out(said: Counter[str | None], size: int) -> str | None:
    """Return the text among answers that stands far more often than any other, and in no small share of all of them;
    None where none does. Yes and no are answers."""
    (text, times), (_, next_most), *_ = [*said.most_common(2), (None, 0), (None, 0)]
    often = times >= max(_FEW, _OFTEN * size, 2 * next_most)
    return text if often and text is not None and roles.truth_of(text) is None else None


def may_be_silent(table: Table, verdict: Verdict) -> bool:
    """Say whether a column of a few words says one thing of no answer that a verdict could only say of one that was
    given, and that is no chance; or whether texts that may be the answers are empty there, or say one thing."""
    apart = any(one.chance <= _CHANCE for one in never_right(table, verdict))
    return apart or any(c is not table.prediction for c, _, _ in quiet_texts(table, verdict))


def never_hit(table: Table) -> Iterator[Apart]:
    """Yield the words that stand beside no answer that is the gold answer; without those of which the other words say
    that the answer is, as a verdict does."""
    if table.gold is None or table.prediction is None:
        return
    verdict = Verdict(table.prediction, (), inverted=False)
    verdict.states = [CORRECT if hit else INCORRECT for hit in table.hits]
    for one in never_right(table, verdict):
        others = zip(table.hits, one.rows, one.column.cells, strict=True)
        if sum(not hit for hit, quiet, cell in others if cell is not None and not quiet) >= _FEW:
            yield one


def quiet_texts(table: Table, verdict: Verdict) -> Iterator[tuple[Column, frozenset[str | None], tuple[bool, ...]]]:
    """Yield the columns of many texts that may be the answers, with the texts (None for an empty one) that stand beside
    nothing that a verdict says of an answer that was given, and where that is: there it was declined. Of the texts of a
    column they are the one that stands most often, and those that read like silence."""
    if SILENT in verdict.states or not table.size:
        return
    taken = table.claimed("prediction") | {c.name for c in (*table.key, table.gold, verdict.column) if c}
    free = [c for c in table.columns if c.name not in taken and not table.is_of_the_question(c)]
    free = [c for c in free if _are_texts(c) or (not c.is_verdict and _may_be_texts(table, c))]
    free = [c for c in free if not c.is_counted]
    given = 1 - sum(state == verdict.given for state in verdict.states) / table.size
    for column in sorted(free, key=lambda c: c is not table.prediction):
        said = {cell for cell, state in zip(column.cells, verdict.states, strict=True) if state == verdict.given}
        among = Counter(column.cells)
        (text, many), *others = [(None, among[None]), *among.most_common(2)][among[None] < _FEW :]
        next_most = others[0][1] if others else 0
        often = many >= _FEW and (text is None or many > next_most or given**many < _CHANCE)
        quiet: set[str | None] = {text} if often else set()
        spoken = {word for word in column.words if table.reads(word)}
        quiet = (quiet | spoken) - said
        if spoken & quiet or sum(among[word] for word in quiet) >= _FEW:
            yield column, frozenset(quiet), tuple(cell in quiet for cell in column.cells)


def _are_texts(column: Column) -> bool:
    return sum(decimal(word) is None for word in column.words) > roles.FEW // 2


def _may_be_texts(table: Table, column: Column) -> bool:
    """Say whether a few words may be answers: some are empty, or read like silence."""
    few = None in column.cells and len(column.words) > 1 and not any(map(decimal, column.words)) and not column.is_truth
    return few or any(map(table.reads, column.words))


def settled_silence(table: Table, verdict: Verdict | None) -> Silence | None:
    """Return the column that says which answers were declined where nothing speaks against it: none of them is marked
    as right, unless nobody could answer, and whatever else could say so says the same, or less of what is proved."""
    proofs = _proofs(table, verdict)
    found = silences_of(table, verdict, proofs)
    proved = [one for one in found if _proved(one.rows, proofs)]
    candidates = proved or [one for one in found if one.named and not names_something_else(one.column)]
    if not candidates or len({one.rows for one in candidates}) > 1:
        return None
    chosen = max(candidates, key=lambda one: one.named)
    return chosen if verdict is None or verdict.faults or not _marked(table, verdict, chosen.rows) else None


def names_something_else(column: Column) -> bool:
    """Say whether a name that speaks of silence also names what was declined, which is no answer (`refund_refused`)."""
    beside = {stem for part in ("between", "whose", "run", "acts", "id") for stem in STEMS[part]} | {
        "do",
        "does",
        "did",
        "to",
        "provided",
        "given",
        "gave",
        "yes",
        "no",
    }
    begin = tuple(stem for stem in beside if len(stem) > _FEW)
    parts = ("abstained", "answered", "prediction", "outcome", "wrong")
    pairs = ["".join(pair) for pair in pairwise(column.tokens)]  # `gave up`
    known = [any(speaks(t, part) for part in parts) for t in (*column.tokens, *pairs)]
    told, joined = known[: len(column.tokens)], [False, *known[len(column.tokens) :], False]
    strange = [t for t, *said in zip(column.tokens, told, joined, joined[1:], strict=False) if not any(said)]
    return column.is_truth and any(not (t in beside or t.startswith(begin)) for t in strange)


def _proofs(table: Table, verdict: Verdict | None) -> set[tuple[bool, ...]]:
    """Return the sets of rows that are silent by themselves: without a verdict, or without the text of an answer."""
    sets = [tuple(table.unsaid)]
    if verdict is not None:
        sets.append(tuple(state is None for state in verdict.states))
    return {rows for rows in sets if _FEW <= sum(rows) < table.size}


def _proved(rows: Sequence[bool], proofs: set[tuple[bool, ...]]) -> bool:
    """Say whether rows are silent by themselves, and most of those that are."""
    return sum(rows) >= _FEW and any(
        sum(rows) >= _MOST * sum(proof) and all(proof[i] for i, row in enumerate(rows) if row) for proof in proofs
    )


def _of_column(table: Table, column: Column, proofs: set[tuple[bool, ...]]) -> list[Silence]:
    """Say in which ways a column could tell what was declined."""
    if column.is_truth:
        fits = [(part, silent, 0.0) for part, silent in (("abstained", True), ("answered", False))]
        if not column.named("fact"):
            of_answers = not names_something_else(column)
            fits = [(part, silent, _named(column, part) if of_answers else 0.0) for part, silent, _ in fits]
        most = max(weight for _, _, weight in fits)
        found = []
        for part, silent, weight in fits:
            words = frozenset(word for word in column.words if roles.truth_of(word) is silent)
            rows = tuple(cell in words for cell in column.cells)
            if (weight and weight == most) or (not most and _is_proof(column, rows, proofs) and len(column.words) == 2):
                found.append(Silence(column, part, words, rows, bool(weight)))
        return found[:1]
    if column.silent_words:
        words = column.silent_words | {word for word in column.words if table.reads(word)}
        return [Silence(column, "abstained", words, tuple(cell in words for cell in column.cells), True)]
    if reasons := reasons_of(column):
        rows = tuple(cell in reasons for cell in column.cells)
        return [Silence(column, "abstained", frozenset(reasons), rows, False)]
    few = 1 < len(column.words) <= roles.FEW // 2 and not any(word.startswith(CONTAINERS) for word in column.words)
    if few and not column.is_verdict and not any(map(decimal, column.words)):
        for word in column.words:
            rows = tuple(cell == word for cell in column.cells)
            if _is_proof(column, rows, proofs):
                return [Silence(column, "abstained", frozenset([word]), rows, False)]
    return []


def reasons_of(column: Column) -> set[str]:
    """Return the words of a column that says by its name why an answer was declined, and else nothing: where all cells
    are filled, it is yes and no in words that nobody knows."""
    said = {word for word in column.words if re.fullmatch(NOTHING, word.strip(), re.IGNORECASE) is None}
    known = any(decimal(word) is not None or roles.silence_of(word) is not None for word in said)
    if not said or known or not column.named("abstained"):
        return set()
    return said if len(said) < len(column.words) or None in column.cells else set()


def _named(column: Column, part: str) -> float:
    """Say how far a name speaks for a part of silence, and not for a verdict on what was answered."""
    return 0.0 if column.last("outcome") > column.last(part) else column.named(part)


def _is_proof(column: Column, rows: tuple[bool, ...], proofs: set[tuple[bool, ...]]) -> bool:
    """Say whether a column whose name says nothing of silence, and nothing of questions, says where all is silent."""
    return rows in proofs and not (column.named("fact") or column.named("gold"))


def _of_letters(column: Column, verdict: Verdict) -> list[Silence]:
    """Read a column of graders' letters that says what the verdict says of the answers that were given."""
    if not column.is_coded or SILENT not in column.states.values():
        return []
    words = frozenset(word for word, state in column.states.items() if state == SILENT)
    graded = [(verdict.states[i], column.states[cell]) for i, cell in enumerate(column.cells) if cell is not None]
    differ = sum(a != b for a, b in graded if a is not None and b != SILENT)
    return [] if differ else [Silence(column, "abstained", words, tuple(cell in words for cell in column.cells), True)]


def _may_be(table: Table, verdict: Verdict | None, rows: Sequence[bool]) -> bool:
    """Say whether rows can be silent beside a verdict: not most of them are marked as right."""
    return verdict is None or verdict.faults or 2 * _marked(table, verdict, rows) <= sum(rows)


def _marked(table: Table, verdict: Verdict, rows: Sequence[bool]) -> int:
    """Count the rows that are marked as right, of questions that have an answer."""
    states = zip(verdict.states, rows, table.unanswerable, strict=True)
    return sum(state == CORRECT for state, silent, free in states if silent and not free)
