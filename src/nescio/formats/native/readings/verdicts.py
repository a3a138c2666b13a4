"""Which columns could say which answers are right: what speaks for each, and against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.formats.native import roles
from nescio.formats.native.headers import REASONING, REASONS
from nescio.formats.native.readings.columns import Column, speaks_of_faults
from nescio.formats.native.readings.evidence import FEW_ROWS, SURE, VERDICTS, Evidence, evidence_of, with_gold
from nescio.formats.native.readings.table import Table

LIKELY, AHEAD = 1.5, 1.5  # what the best needs to be proposed, and beyond the next one that differs
_MOST_WORDS = 4  # of a verdict in unknown words
_TELLING = 3.84  # chi squared for each of them that is no chance
_ODD = 2.0  # what may speak against a second judge's
_ALIKE = 0.5  # phi of two judges
_FOUND: WeakKeyDictionary[Table, list[Verdict]] = WeakKeyDictionary()  # of tables that are still looked at


class Verdict:
    """A column taken for the verdict: what its rows are then, how much speaks for it, and whether yes means wrong."""

    def __init__(self, column: Column, evidence: Sequence[Evidence], *, inverted: bool) -> None:
        self.column, self.evidence, self.inverted = column, evidence, inverted

    @cached_property
    def weight(self) -> float:
        """How much speaks for it, less what speaks against it."""
        return sum(one.weight for one in self.evidence)

    @cached_property
    def states(self) -> list[int | None]:
        """What each row is."""
        turned = {CORRECT: INCORRECT, INCORRECT: CORRECT} if self.inverted else {}
        means = {word: turned.get(state, state) for word, state in self.column.states.items() if state is not None}
        return [None if cell is None else means.get(cell) for cell in self.column.cells]

    @property
    def turned(self) -> bool:
        """Whether its yes and no have to change places beyond what its name says."""
        return self.inverted != roles.says_failure(self.column.name, self.column.words)

    @property
    def faults(self) -> bool:
        """Whether it only says what is wrong or made up, which says nothing of an answer that was not given."""
        return self.inverted or speaks_of_faults(self.column.name, self.column.words)

    @property
    def given(self) -> int:
        """What it only says of answers that were given: what is right, or wrong where it only says that."""
        return INCORRECT if self.faults else CORRECT

    @cached_property
    def meant(self) -> dict[str, int]:
        """What its words mean that mean nothing, or something else, by themselves."""
        states = self.column.states.items()
        return {word: state for word, state in states if state is not None and roles.state_of(word) != state}

    def option(self) -> str:
        """Write the options that read it so."""
        name = f"{roles.TURNED}{self.column.name}" if self.turned else self.column.name
        return " ".join([roles.option("outcome", name), *(roles.mapped(w, s) for w, s in sorted(self.meant.items()))])


def verdicts_of(table: Table) -> list[Verdict]:
    """Return the columns that could say which answers are right, the likeliest first."""
    if table not in _FOUND:
        taken = table.claimed(*VERDICTS, "judge") | {c.name for c in (table.run, table.question) if c}
        found = [_weighed(table, c) for c in table.columns if c.name not in taken and c.is_verdict and not c.is_counted]
        _FOUND[table] = sorted(found, key=lambda v: -v.weight)
    return _FOUND[table]


def marks_of(table: Table) -> list[Column]:
    """Return the columns that are verdicts of which a word is yet to be explained: under a name for one, 1, 0 and -1 or
    a few words; words of which some say what is right, and others what is wrong; and what goes with the gold answers,
    whatever its name."""
    claimed = table.claimed(*VERDICTS)
    free = [c for c in table.columns if (c.name not in claimed or c is table.one("judge")) and c not in table.key]
    free = [c for c in free if not c.is_truth and roles.squash(c.own) not in (*REASONS, REASONING)]
    free = [c for c in free if len(c.words) != 2 or not c.silent_words]  # which says what was declined, and no more
    plain = [c for c in free if not c.named("fact")]
    own = [c for c in plain if c.named("outcome") and c.name not in table.claimed() and (c.is_marks or c.is_in_doubt)]
    return own + [c for c in free if c not in own and ((c in plain and c.is_half_known) or goes_with_gold(table, c))]


def goes_with_gold(table: Table, column: Column) -> bool:
    """Say whether a column of two to four words that are no verdicts by themselves tells the answers that are the gold
    answer from the others, by no chance (phi): then it says which are right."""
    if not 1 < len(column.words) <= _MOST_WORDS or column in (*table.key, table.gold, table.prediction):
        return False
    if column.is_verdict or column.is_counted:
        return False
    counts: dict[str, Counter[bool]] = {word: Counter() for word in column.words}
    for cell, hit, silent in zip(column.cells, table.hits, table.unsaid, strict=True):
        if cell is not None and hit is not None and not silent:
            counts[cell][hit] += 1
    right = [own for own in counts.values() if own[True] > own[False]]
    both = sum(right, Counter[bool]()), sum((own for own in counts.values() if own not in right), Counter[bool]())
    cells = [side[hit] for side in both for hit in (True, False)]
    return sum(cells) >= FEW_ROWS and phi(*cells) >= max(_ALIKE, (_TELLING * len(counts) / sum(cells)) ** 0.5)


def phi(a: int, b: int, c: int, d: int) -> float:
    """Return phi of four counts, 0 where a side has none: (ad - bc) / sqrt((a + b)(c + d)(a + c)(b + d))."""
    below = (a + b) * (c + d) * (a + c) * (b + d)
    return (a * d - b * c) / below**0.5 if below else 0.0


def settled_verdict(table: Table) -> Verdict | None:
    """Return the verdict that stands above all others; None where none does, or where whole names say which it is."""
    found = verdicts_of(table)
    known = [c for name in table.known.all(*VERDICTS) if (c := table.by_name.get(name))]
    if (
        not found
        or found[0].weight < SURE
        or any(not found[0].column.is_worded and c.is_verdict for c in known if c is not found[0].column)
    ):
        return None
    first, *others = found
    open_ = [c for c in known if 1 < len(c.words) <= _MOST_WORDS and not c.is_verdict] + marks_of(table)
    if any(c is not first.column and not table.is_of_the_question(c) for c in open_):
        return None
    if first.column in known and not first.meant and roles.part_of(first.column.own) != "failure":
        return None
    said = {*first.column.states.values()} & {CORRECT, INCORRECT}
    return None if len(said) < 2 or rivals_of(first, others) else first


def rivals_of(first: Verdict, others: Sequence[Verdict]) -> list[Verdict]:
    """Return the other verdicts that the best does not leave far behind, or that by their cells are a second judge's:
    they differ from it, and mostly agree."""
    differ = [v for v in others if _differ(first, v)]
    return [
        v
        for v in differ
        if (v.weight > first.weight - AHEAD and v.weight > 0) or _agree(first, v) or differs(first, v.column)
    ]


def differs(first: Verdict | None, column: Column) -> bool:
    """Say whether a column says right, wrong and silent in words, and something else than a verdict (if there is one)
    of an answer that was given: it is a verdict of its own, and not one of silence."""
    if not column.is_worded or not {CORRECT, INCORRECT, SILENT} <= {*column.states.values()}:
        return False
    if first is None:
        return True
    said = [None if cell is None else column.states[cell] for cell in column.cells]
    given = (CORRECT, INCORRECT)
    return any(a != b for a, b in zip(first.states, said, strict=True) if a in given and b in given)


def _agree(first: Verdict, other: Verdict) -> bool:
    """Say whether a column of no telling name mostly says what a verdict does (phi)."""
    if other.weight < -_ODD:
        return False
    pairs = zip(first.states, other.states, strict=True)
    counts = Counter((a, b) for a, b in pairs if a in (CORRECT, INCORRECT) and b in (CORRECT, INCORRECT))
    a, b, c, d = (counts[x, y] for x in (CORRECT, INCORRECT) for y in (CORRECT, INCORRECT))
    return counts.total() >= FEW_ROWS and phi(a, b, c, d) >= _ALIKE


def _differ(first: Verdict, other: Verdict) -> bool:
    """Say whether two verdicts say other things of an answer of which both say that it is right or wrong, or silent
    where both have a word for that."""
    said = {CORRECT, INCORRECT, SILENT} & {*first.states, CORRECT, INCORRECT} & {*other.states, CORRECT, INCORRECT}
    return any(a != b for a, b in zip(first.states, other.states, strict=True) if a in said and b in said)


def _weighed(table: Table, column: Column) -> Verdict:
    """Weigh what speaks for a verdict, and against it. Where it goes against the gold answers, yes is wrong."""
    alike = with_gold(table, column)
    found = evidence_of(table, column, alike)
    inverted = (alike < 0 if alike else column.named("wrong") > 0) and not column.is_worded
    return Verdict(column, found, inverted=inverted)


def counted(states: Iterable[int | None], silent: Sequence[bool] = ()) -> str:
    """Say what rows would be, and what c@1 of all of them."""
    found = Counter(SILENT if silent and silent[i] else state for i, state in enumerate(states))
    right, wrong, quiet = (found[state] for state in (CORRECT, INCORRECT, SILENT))
    n = right + wrong + quiet
    c_at_1 = f", c@1 {right * (1 + quiet / n) / n:.3f}" if n else ""
    return f"{right} right, {wrong} wrong, {quiet} silent{c_at_1}"
