"""Compare the totals beside rows ({"accuracy": 0.56, "total": 50, "results": […]}) with the rows as they are read.

The name of a total says what the total counts. Without words such as `n`, `rate` and `questions`, one word of the name
must be left. The denominator of a share is unknown: it may or may not include abstentions and ungraded answers. A total
contradicts the rows only if no way of counting gives it, to its written digits.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from msgspec import Struct

from nescio.data.columns import Array
from nescio.data.dropped import FEWER_HELD
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.formats.totals import Total
from nescio.sources.source import Source
from nescio.tables.columns import Table
from nescio.tables.lexicon import squash, tokens
from nescio.tables.mapping import Expression, Mapped
from nescio.tables.wide import parts
from nescio.text import decimal, word_set

# The words in names of figures beside rows, besides the word that says what is counted.
PERCENT = word_set("percent percentage pct")
SHARES = PERCENT | word_set("rate ratio share fraction proportion mean avg average quote anteil taux tasa tasso")
COUNTS = word_set("n num number nr no count counts total totals sum size anzahl nombre numero of is overall all")
UNITS = word_set("""questions question answers answer items item samples sample examples example rows row cases case
tasks task prompts prompt tests test instances instance problems problem records record responses queries predictions
entries fragen preguntas domande""")
DENIALS = word_set("not non no un")
# A figure is about other answers, or no count, if its path has one of these words.
ELSEWHERE = word_set("""judge baseline previous prior target goal threshold config configuration settings setting params
parameters args human agreement per by train dev expected chance random majority best worst min max std stderr sd se ci
lower upper low high median timing usage cost costs tokens time latency delta diff difference change gain kappa
weighted macro micro given calibration confidence batch concurrency workers retries retry seed limit version budget""")
_PARTS = {
    "abstained": re.compile(
        r"(abst|skip|defer|declin|refus|unanswer|notanswer|noanswer|notattempt|nonanswer|idk|silen|withh)\w*"
    ),
    "wrong": re.compile(r"(incorrect|wrong|notcorrect|notright|falsch|mistak|inaccur|hallucinat)\w*"),
    "answered": re.compile(r"(answered|attempted|respond|beantwort|repondu|coverage)\w*"),
}

_RIGHT = re.compile(
    r"accura\w*|acc|correct(a|as|o|os|e|es|s)?|right|pass|passed|passes|passing|success(es|ful)?|solved|"
    r"resolved|richtige?|korrekte?|justes?|aciertos?|corrett[aeio]"
)


def totals_beside(source: Source, outcomes: Outcomes) -> list[Total]:
    """Return the totals that a document states beside its rows, if they are about these outcomes.

    The names in a total's path say whether it is about all outcomes, one run, or the questions of one stratum.
    """
    totals = []
    for path, written in source.beside.items():
        figure = _Figure.of(path[-1], written)
        if path[-1].endswith("[]") and figure is not None and figure.part != "abstained":
            continue  # the length of a list tells only how many were skipped
        among = None if figure is None else _scope(path[:-1], source, outcomes)
        if figure is not None and among is not None and among.any():
            ours = figure.counted(_Counts.of(outcomes, among))
            if ours:
                covered = int(figure.value) if figure.part == "all" and figure.value > max(ours) else None
                runs = tuple(outcomes.runs[at] for at in np.flatnonzero(among.any(axis=1)))
                held, about = int(among.sum()), (figure.rounding, runs)
                total = Total(
                    str(source.label), ".".join(path), figure.value, ours, covered, held, *about, part=figure.part
                )
                totals.append(total)
    return totals


def totals_of(table: Table, mapping: Mapped, outcomes: Outcomes) -> list[Total]:
    """Return the totals in the files of a table.

    They are stated beside the rows, or in rows that sum up other rows.
    """
    totals = [total for source in table.sources.values() for total in totals_beside(source, outcomes)]
    outcome = mapping.get("outcome", Expression())
    several = len(outcome.columns) > 1
    runs = {names["outcome"]: run for run, names in parts({"outcome": outcome.columns})} if several else {}
    named = mapping["run"].columns if "run" in mapping else ()
    by_run = [(row, [row.cells.get(name) or "" for name in named]) for row in table.sums if not outcome.sign]
    alone = [(row, runs_of) for row, runs_of in by_run if [runs_of for _, runs_of in by_run].count(runs_of) == 1]
    for (row, runs_of), column in product(alone, outcome.columns):
        here = [name for name in ([runs[column]] if column in runs else runs_of) if name in outcomes.runs]
        among = _scope((*here,), row.source, outcomes)
        text = (row.cells.get(column) or "").partition("/")[0].strip()  # in "7/10" the first number is the count
        value = decimal(text.removesuffix("%").strip())
        if among is not None and value is not None and math.isfinite(value):
            counts = _Counts.of(outcomes, among)
            right = (counts.wrong,) if outcome.inverted else (counts.right, counts.right + counts.rightly_silent)
            shares = counts.of_all(*right)
            ours = [[*map(float, right), float(counts.all)], [*shares, *(100 * share for share in shares)]]
            ours = ours if value % 1 == 0 else ours[::-1]
            off = 10.0 ** -_decimals(text) / 2 * (1 + 1e-9)
            name = f"{row.name}.{column}"
            totals.append(Total(str(row.source.label), name, value, [*ours[0], *ours[1]], rounding=off))
    return totals


def is_stated(remark: Note, totals: Iterable[Total]) -> bool:
    """Return whether a note counts answers that no row states, although a total of the file confirms their outcome."""
    if remark.code != FEWER_HELD or not remark["rest"]:
        return False
    parts = ("abstained", "answered") if remark["rest"] == "unanswered" else ("right", "wrong")
    return any(total.agrees and total.part in parts and total.runs == remark["runs"] for total in totals)


def _names_a_share(words: Sequence[str]) -> bool:
    return bool({*words} & SHARES) or any(word.startswith(("acc", "cover")) for word in words)


def _scope(path: tuple[str, ...], source: Source, outcomes: Outcomes) -> Array | None:
    """Return a mask of the answers that the totals at a path are about; None if that is unclear.

    These are the answers of a run, those to the questions of a stratum, or all.
    """
    here = np.array([file == str(source.label) for file in outcomes.files] or [True] * len(outcomes.runs))
    among = (outcomes.state != ABSENT) & here[:, None]
    for i, name in enumerate(path):
        if name in outcomes.runs:
            among = among & (np.array(outcomes.runs) == name)[:, None]
        elif in_strata := [np.asarray(values == name) for values in outcomes.strata.values() if name in values]:
            if len(in_strata) > 1:
                return None
            among = among & in_strata[0]
        elif {*tokens(name)} & ELSEWHERE or _is_breakdown(path[:i], source):
            return None
    return among


def _is_breakdown(path: tuple[str, ...], source: Source) -> bool:
    """Return whether the objects at a path have the same fields, so that each is about a part of the answers."""
    members: dict[str, set[str]] = {}
    for other in source.beside:
        if other[: len(path)] == path and len(other) == len(path) + 2:
            members.setdefault(other[-2], set()).add(other[-1])
    return len(members) > 1 and len({frozenset(names) for names in members.values()}) == 1


class _Counts(Struct, frozen=True):
    """The numbers of right, wrong, unanswered (`silent`) and ungraded answers, and of questions.

    `repeats` is the largest number of answers to a question, and `rightly_silent` counts the unanswered among the
    unanswerable questions.
    """

    right: int
    wrong: int
    silent: int
    ungraded: int
    questions: int
    repeats: int
    rightly_silent: int
    unanswerable: int

    @classmethod
    def of(cls, outcomes: Outcomes, among: Array) -> _Counts:
        kinds = (CORRECT, INCORRECT, SILENT, NOT_GRADED)
        right, wrong, silent, ungraded = (int(((outcomes.state == kind) & among).sum()) for kind in kinds)
        there = np.asarray(among.any(axis=0))
        asked = Counter(question for question, here in zip(outcomes.questions, there, strict=True) if here)
        without = np.zeros(len(there), dtype=np.bool_) if outcomes.answerable is None else outcomes.answerable == 0
        rightly = int(((outcomes.state == SILENT) & among & without).sum())
        repeats = max(asked.values(), default=1)
        return cls(right, wrong, silent, ungraded, len(asked), repeats, rightly, int((among & without).sum()))

    @property
    def all(self) -> int:
        return self.right + self.wrong + self.silent + self.ungraded

    def of_all(self, *counts: int) -> list[float]:
        """Return each count as a share of all answers, of the graded ones, and of those that are right or wrong."""
        below = [self.all, self.all - self.ungraded, self.right + self.wrong]
        return [count / of for count in counts for of in below if of]


class _Figure(Struct, frozen=True):
    """A total that a file states: what it counts (`part`), its value, and its rounding.

    The value may be a number of answers (`is_count`) or a share of them (`is_share`).
    """

    part: str
    value: float
    is_count: bool
    is_share: bool
    rounding: float

    @classmethod
    def of(cls, name: str, written: float | str) -> _Figure | None:
        """Return the total that a name and its written value state.

        Returns None if the name is unknown, or if the value cannot be a number or a share of answers.
        """
        words = tokens(name)
        part = _part_of(words)
        text = written.strip() if isinstance(written, str) else repr(written)
        value = decimal(text.removesuffix("%").strip())
        if part is None or value is None or not 0 <= value < float("inf"):
            return None
        named_share = _names_a_share(words)
        percent = text.endswith("%") or bool({*words} & PERCENT) or (named_share and value > 1)
        is_count = value == int(value) and not named_share and not percent
        is_share = part != "all" and (percent or value <= 1)
        if not (is_count or is_share) or (percent and value > 100):
            return None
        scale = 100.0 if percent else 1.0
        step = 10.0 ** -max(_decimals(text), 0 if percent else 2)
        return cls(part, value / scale, is_count, is_share, step / scale / 2 * (1 + 1e-9) if is_share else 0.0)

    def counted(self, of: _Counts) -> list[float]:
        """Return the values that the total may have according to the counted answers `of`.

        Numbers come before shares, and likelier values before others.
        """
        gave = of.right + of.wrong
        ways = {
            "all": [of.all, of.all - of.ungraded, of.questions, of.repeats, gave],
            "right": [of.right, of.right + of.rightly_silent],
            "wrong": [of.wrong, of.wrong + of.silent - of.rightly_silent, of.all - of.right],
            "abstained": [of.silent, of.rightly_silent, of.silent - of.rightly_silent, of.silent + of.ungraded],
            "answered": [gave, gave + of.ungraded],
        }[self.part]
        counts = list(map(float, ways)) if self.is_count else []
        shares = of.of_all(*ways) if self.is_share else []
        if self.part == "abstained" and self.is_share:
            of_each = ((of.rightly_silent, of.unanswerable), (of.silent - of.rightly_silent, of.all - of.unanswerable))
            shares += [count / below for count, below in of_each if below]
        return [*counts, *shares]


def _decimals(text: str) -> int:
    digits = text.removesuffix("%").strip().casefold().partition(".")[2]
    return 17 if "e" in digits else len(digits)


def _part_of(words: Sequence[str]) -> str | None:
    """Return what a name of these words counts (right, wrong, abstained, answered, or all), or None if unclear."""
    if {*words} & ELSEWHERE:
        return None
    denied = bool({*words} & DENIALS)
    beside = SHARES | COUNTS - DENIALS | (frozenset() if denied else UNITS)
    left = [word for word in words if word not in beside]
    word = squash("".join(left))
    if not left:
        return "all" if not {*words} & SHARES else None
    if len(left) > 1 + denied:
        return None
    part = next((part for part, pattern in _PARTS.items() if pattern.fullmatch(word)), None)
    return part or ("right" if _RIGHT.fullmatch(word) else None)
