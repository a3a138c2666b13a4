"""What speaks for a column as the verdict, and against it: its name, its words, and what else the table says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.formats.native import roles
from nescio.formats.native.readings.columns import Column, is_of_tools
from nescio.formats.native.readings.table import Table

VERDICTS = ("outcome", "score", "wrong", "failure")  # the parts of verdicts
SURE = 2.0  # what a verdict needs to be taken
FEW_ROWS = 8  # of which nothing is said by what they have in common
_FEW_HITS = 3  # answers that are the gold answer, or are not, of which nothing is said either
_MOST = 0.8  # of them, of which a verdict says the same


class Evidence(Struct, frozen=True):
    """One thing that speaks for a verdict, or against it (a `weight` below 0), in words."""

    weight: float
    words: str


def evidence_of(table: Table, column: Column, alike: int | None) -> list[Evidence]:
    """Return all that speaks for a column as the verdict, and against it; `alike` says whether it goes with the gold
    answers (`with_gold`)."""
    found = [*_of_its_name(column), *_of_its_words(table, column)]
    if table.is_of_the_question(column):
        sure = sum(one.weight for one in found) >= SURE
        found.append(Evidence(-0.5 if sure else -3.0, "it says the same of all answers to a question"))
    if table.counts_repeats(column):
        found.append(Evidence(-3.0, "it tells the answers to each question apart, as repeats do"))
    return [*found, *_of_the_gold(column, alike)]


def _of_its_name(column: Column) -> Iterator[Evidence]:
    right, wrong = column.named("outcome"), column.named("wrong")
    if max(right, wrong):
        yield Evidence(max(right, wrong), f"its name speaks of what is {'wrong' if wrong else 'right'}")
    if column.strangers and not column.is_worded and roles.part_of(column.own) not in VERDICTS:
        yield Evidence(-0.5 * column.strangers, "its name speaks of other things, too")
    if column.named("fact") or column.named("repeat"):
        yield Evidence(-3.0, "its name speaks of what is no verdict")
    if max(column.named("abstained"), column.named("answered")) and not column.is_worded and not right:
        yield Evidence(-3.0, "its name speaks of what was declined")


def _of_its_words(table: Table, column: Column) -> Iterator[Evidence]:
    given = {word for word, state in column.states.items() if state in (CORRECT, INCORRECT)}
    right_or_wrong = max(column.named("outcome"), column.named("wrong"))
    yes_or_no = all(roles.truth_of(word) is not None for word in given)
    if column.is_worded:
        yield Evidence(1.0 if yes_or_no else 2.0, "its words say what is right and wrong")
    if yes_or_no and not right_or_wrong and _others_say(table, column, given):
        yield Evidence(-3.0, "its yes and no may be the answers: the gold answers are yes and no, too")
    elif not any(map(str.isalnum, "".join(column.words))):
        yield Evidence(1.0, "it holds marks, as verdicts do")
    if _is_of_nothing(table, column):
        yield Evidence(-3.0, "it says yes where a text is empty")
    if column.is_worded and not right_or_wrong and all(map(is_of_tools, column.words)):
        yield Evidence(-3.0, "its words may be those of a program that ran or failed")
    if column.is_coded and len(min(column.words)) == 1:
        silent = None if SILENT in column.states.values() else right_or_wrong  # of A and B alone a name has to speak
        weight = -2.0 if silent is None or silent else -4.0
        yield Evidence(weight, "its letters may be the answers, or marks of something else")
    if len({*column.states.values()}) < 2 and table.size >= FEW_ROWS:
        yield Evidence(-2.0, "it says the same of all answers")


def _others_say(table: Table, column: Column, given: set[str]) -> bool:
    """Say whether the gold answers are the words of a column."""
    gold = table.gold
    return gold is not None and gold is not column and len(gold.words) > 1 and gold.words == given


def _is_of_nothing(table: Table, column: Column) -> bool:
    """Say whether just those rows are right of which a text is empty: there nothing was answered."""
    right = [cell is not None and column.states[cell] == CORRECT for cell in column.cells]
    texts = [c for c in table.columns if None in c.cells and len(c.words) > _FEW_HITS and not c.is_measured]
    return any([cell is None for cell in c.cells] == right for c in texts)


def _of_the_gold(column: Column, alike: int | None) -> Iterator[Evidence]:
    named = column.named("outcome") or column.named("wrong")
    if alike == 0:
        yield Evidence(-1.0, "it does not go with the answers that are the gold answer")
    elif alike == -1 and column.is_worded:
        yield Evidence(-3.0, "it says the opposite of the gold answers")
    elif alike:
        how = "goes with" if alike > 0 else "is the opposite of"
        yield Evidence(2.0 if named else 1.0, f"it {how} whether the answer is the gold answer")


def with_gold(table: Table, column: Column) -> int | None:
    """Say whether a column says yes (1) or no (-1) of the answers that are the gold answer, and the other thing of
    those that are not; 0 where it does neither, None where there are too few to tell."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for cell, hit in zip(column.cells, table.hits, strict=True):
        state = None if cell is None else column.states.get(cell)
        if state in (CORRECT, INCORRECT) and hit is not None:
            counts[state == CORRECT, hit] += 1
    hits, misses = (counts[True, hit] + counts[False, hit] for hit in (True, False))
    if not counts[True, True] and not counts[False, False] and hits and misses:
        return -1
    if hits < _FEW_HITS or misses < _FEW_HITS:
        return None
    of_hits, of_misses = counts[True, True] / hits, counts[True, False] / misses
    if of_hits >= _MOST and of_misses <= 1 - _MOST / 2:
        return 1
    return -1 if of_hits <= 1 - _MOST and of_misses >= _MOST / 2 else 0
