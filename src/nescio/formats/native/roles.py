"""Which part does each column of a table play? By what people call columns, by their cells, and by what `--column`
says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from msgspec import Struct, field

from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS, SILENT
from nescio.errors import FormatError, offer, opt
from nescio.formats.native.headers import COLUMNS, GIVEN, MEASUREMENTS, NEGATIONS, NO, STEMS, WITHOUT, WORDS, YES
from nescio.sources.database import connect
from nescio.sources.source import LINES, TABLES, Source, small
from nescio.sources.tables import load_rows
from nescio.tasks.stakes.stating import STAKE
from nescio.text import decimal

if TYPE_CHECKING:
    import duckdb

# What `--column NAME=COLUMN` may name, and the part that it means.
NAMES = {
    "run": "run",
    "question": "id",
    "question_text": "text",
    "outcome": "outcome",
    "answer": "prediction",
    "prediction": "prediction",
    "gold": "gold",
    "confidence": "confidence",
    "abstained": "abstained",
    "answered": "answered",
    "answerable": "answerable",
    "candidate": "candidate",
    "rank": "rank",
    "known_answers": "known_answers",
    "cluster": "cluster",
    "judge": "judge",
    "repeat": "repeat",
    "correct": "correct",
    "incorrect": "incorrect",
    "unanswered": "unanswered",
}
COUNTED = ("correct", "incorrect", "unanswered")  # of a counts table: how many answers were that
# These go by nescio's own names alone; answers at several stakes are repeats.
_OWN = {name: name for name in ("candidate", "rank", "known_answers", "cluster", "judge", "repeat")} | {STAKE: "repeat"}
NONE = "-"  # what `--column NAME=-` names: no column
TURNED = "!"  # before the name of a column of verdicts: yes and no change places
AND = "+"  # between the names of several columns of verdicts, one for each run
DISPLACED = " (as given)"  # how a column ends whose name another column bears
_BRACKETS = re.compile(r"\([^)]*\)|\[[^]]*\]")
BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=是否)|[\W_]+")
FEW = 12  # different words of a column that says what became of an answer
_FEWER = 6  # of one that says whether it was declined
MOST_WORDS = 50  # different cells of a column of verdicts
_MOST_PROPOSED = 4


@cache
def squash(header: str) -> str:
    """Reduce a header to its letters and digits, in lower case, without accents and what stands in brackets."""
    letters = _BRACKETS.sub("", header) or header
    return "".join(c for c in _plain(letters) if c.isalnum())


def fold(cell: str) -> str:
    """Reduce a cell to the words in it: lower case, no accents, one space between words, no full stop at the end."""
    return " ".join(re.sub(r"[\s_-]+", " ", _plain(cell).replace("’", "'")).split()).rstrip(".!") or cell


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold()).replace(_EMOJI, "")
    return "".join(c for c in parts if not unicodedata.combining(c))


def state_of(word: str) -> int | None:
    """Say what a cell means as a verdict: a state of `nescio.data.outcomes`, None where it is no word for one."""
    number = decimal(word)
    if number is not None:
        return {1.0: CORRECT, 0.0: INCORRECT}.get(number)
    return WORDS.get(fold(word))


def is_pass(word: str) -> bool:
    """Say whether a word is made of `pass`, which is right in a test, and silence in a quiz."""
    return fold(word).startswith(_PASS)


def passes_among(words: Iterable[str]) -> set[str]:
    """Return the words made of `pass` beside another that means right: in a quiz, who passes says nothing."""
    right = {word for word in words if state_of(word) == CORRECT}
    passes = set(filter(is_pass, right))
    return passes if passes < right else set()


def silence_of(word: str) -> bool | None:
    """Say whether a cell of a column about declining says that the answer was declined; None where it says neither."""
    truth = truth_of(word)
    if truth is not None:
        return truth
    return True if state_of(word) == SILENT else False if fold(word) in GIVEN else None


def silent_among(words: Collection[str]) -> set[str]:
    """Return those of a column's few words that mean that nothing was answered, by what they mean or are made of; none
    where all do."""
    if not 1 < len(words) <= _FEWER or all(truth_of(word) is not None for word in words):
        return set()
    found = {word for word in words if state_of(word) == SILENT or _begins(word, "abstained")}
    found = {word for word in found if not _begins(word, "fact")}  # unanswerable is the question
    return found if len(found) < len(words) else set()


def _begins(text: str, part: str) -> bool:
    """Say whether a word of a text, or the text as one word, begins as words of a part do."""
    parts = [one for token in BOUNDARY.split(text) if (one := squash(token))]
    speaks = denies_answers if part == "abstained" else None
    return any(one.startswith(STEMS[part]) or (speaks and speaks(one)) for one in ("".join(parts), *parts))


@cache
def denies_answers(word: str) -> bool:
    """Say whether a word denies an answer (`noreply`, `nonanswer`, `unanswered`)."""
    rests = [word.removeprefix(negation) for negation in NEGATIONS]
    return any(rest != word and rest.startswith(_ANSWERS) for rest in rests)


def truth_of(word: str) -> bool | None:
    """Say what a cell means as yes or no; None where it is neither."""
    number = decimal(word)
    if number is not None:
        return {1.0: True, 0.0: False}.get(number)
    words = fold(word)
    return True if words in YES else False if words in NO else None


_ANSWERS = ("attempt", *STEMS["answered"], *STEMS["prediction"])
_PASS = "pass"
_EMOJI = "\ufe0f"  # asks for the coloured form of a sign such as ✔
_PARTS = {squash(name): part for part, names in COLUMNS.items() for name in names.split()}
_PLACE = {name: i for i, name in enumerate(_PARTS)}


class Roles(Struct, frozen=True):
    """The columns that could play each part, the most telling first; `named` are those that the user named, by part."""

    columns: Mapping[str, tuple[str, ...]]
    named: Mapping[str, str] = field(default_factory=dict)

    def all(self, *parts: str) -> tuple[str, ...]:
        """Give the columns of these parts, in this order."""
        return tuple(column for part in parts for column in self.columns.get(part, ()))

    @property
    def names(self) -> list[str]:
        """All columns that play a part."""
        return [column for names in self.columns.values() for column in names]

    def one(self, *parts: str) -> str | None:
        """Give the first column of these parts."""
        return next(iter(self.all(*parts)), None)


def is_run(column: str) -> bool:
    """Say whether a column names a run by its header."""
    return _PARTS.get(squash(column)) == "run"


def says_what_tools_do_not(source: Source) -> bool:
    """Say whether rows name a verdict and, beside it, the run or silence: the tools whose rows have a verdict write one
    run a file, and no column for silence."""
    if not (is_table(source) or isinstance(source.document, list)):
        return False
    known = roles_of(name for name in source.columns if name)
    return bool(known.all("outcome", "wrong") and known.all("id", "text") and known.all("run", "abstained", "answered"))


def part_of(column: str) -> str | None:
    """Return the part that a column plays by its whole name."""
    return _PARTS.get(squash(column))


def may_be_gold(column: str) -> bool:
    """Say whether a name is one of answers that may be the gold answers (`answer`)."""
    return part_of(column) == "answer"


def says_failure(column: str, words: Collection[str] = ()) -> bool:
    """Say whether the name of a column speaks of what is wrong: yes then is no, where its words are yes and no."""
    if words and not are_truths(list(words)):
        return False
    wrong = [t for t in tokens_of(column) if t.startswith(STEMS["wrong"]) and not lacks_faults(t)]
    return part_of(column) in ("wrong", "failure") or bool(wrong)


def lacks_faults(token: str) -> bool:
    """Say whether a word is made of one for what is wrong and one that denies it (`fehlerfrei`)."""
    return token.endswith(WITHOUT) and any(
        token.removesuffix(end).startswith(STEMS["wrong"]) for end in WITHOUT if token.endswith(end)
    )


def longest(token: str, part: str) -> int:
    """Return how many letters of a word the longest beginning of words for a part has."""
    return max((len(stem) for stem in STEMS[part] if token.startswith(stem)), default=0)


@cache
def tokens_of(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, one that denies another joined to it (`notright`, `errorfree`)."""
    parts = [part for token in BOUNDARY.split(name) if (part := squash(token))]
    joined: list[str] = []
    for part in parts:
        if joined and (joined[-1] in NEGATIONS or part in WITHOUT):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


def apart(written: str, columns: Sequence[str]) -> list[str]:
    """Return the columns whose names are written with a plus between them, which may be in the names, too."""
    parts = written.split(AND)
    for i in range(len(parts), 0, -1):
        first, rest = AND.join(parts[:i]), AND.join(parts[i:])
        if first in columns and (not rest or (others := apart(rest, columns))):
            return [first, *(others if rest else [])]
    return []


def mapped(word: str, state: int) -> str:
    """Write the option that says what a word means, as it is typed."""
    return opt("outcome_map", {word: next(name for name, of in MEANINGS.items() if of == state)})


def roles_of(columns: Iterable[str], named: Mapping[str, str] | None = None) -> Roles:
    """Find the part that each column plays by its name; `named` (NAME: COLUMN) comes before all names."""
    columns = tuple(columns)
    user = {NAMES[name]: column for name, column in (named or {}).items() if column in columns}
    none = {NAMES[name] for name, column in (named or {}).items() if column == NONE and column not in columns}
    parts: dict[str, list[str]] = {}
    for column in sorted(columns, key=lambda name: _PLACE.get(squash(name), len(_PLACE))):
        part = _PARTS.get(squash(column)) or _OWN.get(column)
        if part and column not in user.values() and not column.endswith(DISPLACED):
            parts.setdefault(part, []).append(column)
    for part, own in (("outcome", "outcome"), ("run", "run"), ("confidence", "confidence"), ("repeat", "repeat")):
        if own in parts.get(part, ()):
            parts[part] = [own]
    for part, column in user.items():
        parts[part] = [column]
    for part in none:
        parts[part] = []
    if "outcome" in user or "outcome" in parts.get("outcome", ()):
        parts.pop("score", None)
        parts.pop("wrong", None)
    if "id" in user:
        parts["text"] = [column for column in parts.get("text", ()) if column != user["id"]]
    if "answer" in parts:
        instead = "gold" if parts.get("prediction") and not parts.get("gold") else "prediction"
        if not parts.get(instead):
            parts[instead] = parts["answer"]
        del parts["answer"]
    return Roles({part: tuple(names) for part, names in parts.items() if names}, user | dict.fromkeys(none, NONE))


def option(name: str, column: str) -> str:
    """Write the option that names a column, as it is typed."""
    return opt("column", {name: column})


def options(name: str, columns: Sequence[str]) -> str:
    """Write the options that name each of some columns, of which one is to be taken."""
    written = [option(name, column) for column in columns[:_MOST_PROPOSED]]
    return f"{', '.join(written[:-1])} or {written[-1]}" if len(written) > 1 else written[0]


def may_be(part: str, columns: Sequence[str], remarks: Sequence[str] = ()) -> str:
    """Write the option that gives a part its column where several could be it, and which they are, with what each would
    make of the table."""
    shown = [f"{name!r} ({remark})" if remark else repr(name) for name, remark in zip_longest(columns, remarks)]
    ways = "".join(offer("column", {part: name}) for name in columns[:_MOST_PROPOSED])
    return f"{opt('column', of=f'{part}=NAME')}, which may be {'; '.join(shown[:_MOST_PROPOSED])}{ways}"


def runs_among(columns: Sequence[str]) -> str:
    """Propose the column that names the run where one of some columns does by what its name is made of; else say which
    it may be."""
    columns = [name for name in columns if not speaks_of(name, "repeat")]
    named = [name for name in columns if speaks_of(name, "run") and not speaks_of(name, "outcome")]
    if not columns:
        return ""
    only = option("run", (named or columns)[0]) if len(named or columns) == 1 else may_be("run", named or columns)
    return f"; if a column names the run, say so: {only}"


def speaks_of(column: str, part: str) -> bool:
    """Say whether a name is made of words that speak of a part, and of no measurement."""
    return _begins(column, part) and not _tokens(column) & MEASUREMENTS


def speaks_of_confidence(column: str) -> bool:
    """Say whether one of the words that a name is made of is one for a confidence."""
    return any(part_of(word) == "confidence" for word in _tokens(column))


# ---- what a table as a whole can be ----


def is_table(source: Source) -> bool:
    """Say whether a source is a table: delimited, JSON Lines, a list of JSON objects, Parquet or in memory."""
    listed = source.kind == "document" and isinstance(source.document, list) and isinstance(source.first, dict)
    return source.suffix in (*TABLES, *LINES, "") and not listed


def holds_verdicts(source: Source) -> bool:
    """Say whether a table has a column that says which answers are right, and one that names their questions."""
    if not is_table(source):
        return False
    roles = roles_of(source.columns, source.named)
    if not roles.all("id", "text"):
        return False
    verdicts = roles.all("outcome", "wrong")
    if verdicts and holds_answers(source):  # whose verdicts may be yet to come: then the answers are judged
        return any(cells_of(source, name) for name in verdicts)
    if verdicts or any(_speaks(source, name) for name in roles.all("score")):
        return True
    return not holds_answers(source) and any(are_truths(cells_of(source, name)) for name in roles.all("failure"))


def holds_answers(source: Source) -> bool:
    """Say whether a table has questions, gold answers and predictions."""
    if not is_table(source):
        return False
    roles = roles_of(source.columns, source.named)
    return bool(roles.all("id", "text") and roles.one("gold") and roles.one("prediction"))


def _speaks(source: Source, column: str) -> bool:
    """Say whether a column of a vague name is about correctness: its cells are numbers, or some are words for a
    verdict."""
    words = cells_of(source, column)
    return any(state_of(word) is not None or decimal(word) is not None for word in words)


def cells_of(source: Source, column: str) -> list[str]:
    """Give the different cells of one column, but for the empty ones."""
    with connect(small=small(source)) as connection:
        have = load_rows(connection, source, "cells", {column})
        if column not in have:
            return []
        return distinct(connection, "cells", have[column])


def distinct(connection: duckdb.DuckDBPyConnection, table: str, cell: str) -> list[str]:
    """Give the different values of a cell, in order, but for the empty ones."""
    query = f"SELECT DISTINCT {cell} FROM {table} WHERE {cell} IS NOT NULL ORDER BY 1"
    return [row[0] for row in connection.execute(query).fetchall()]


def is_measurement(column: str, columns: Sequence[str]) -> bool:
    """Say whether a header speaks of what is measured (latency_ms) and not of a run, unless all columns share that
    word."""
    own = _tokens(column) & MEASUREMENTS
    shared = frozenset.intersection(*map(_tokens, columns)) if len(columns) > 1 else frozenset()
    return bool(own - shared) or bool(own and not _tokens(column) - MEASUREMENTS)


@cache
def _tokens(header: str) -> frozenset[str]:
    return frozenset(parts_of(header))


def parts_of(name: str) -> list[str]:
    """Return the words that a name is made of, in lower case and without accents."""
    return [part for token in BOUNDARY.split(name) if (part := _plain(token))]


def is_verdicts(words: Sequence[str]) -> bool:
    """Say whether all of these different cells are words for a verdict."""
    return 0 < len(words) <= MOST_WORDS and all(state_of(word) is not None for word in words)


def are_truths(words: Sequence[str]) -> bool:
    """Say whether all of these different cells are yes or no."""
    return bool(words) and all(truth_of(word) is not None for word in words)


def speaks_of_silence(words: Iterable[str]) -> bool:
    """Say whether one of these verdicts is that nothing was answered."""
    return any(state_of(word) == SILENT for word in words)


def ask(source: Source, what: str, name: str, columns: Sequence[str], more: str = "") -> FormatError:
    """Make the error that asks which of several columns is meant."""
    rule = f"{what}; name the one to read: {options(name, columns)}{more}"
    return FormatError(source.label, rule, where=source.head)
