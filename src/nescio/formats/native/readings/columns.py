"""What one column could be: what its cells are, and what its name is made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations, pairwise

from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.formats.native import roles
from nescio.formats.native.headers import CODES, HEDGES, MEASUREMENTS, NEGATIONS, STEMS
from nescio.text import decimal

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_SAME = {"outcome": ("outcome", "score"), "wrong": ("wrong", "failure"), "id": ("id", "text")}
MINUS = frozenset(("-1", "-1.0"))  # beside 1 and 0 it is yet to be explained
CONTAINERS = ("{", "[{", '["', "[[")  # of JSON: what stands in them is no word of this column
_LEAVES = ("text", "value", "content")  # names that say nothing of whose text it is
_SHORT = 3  # letters of a word that may be a version, and of one that begins no other (`ha` begins no `halluc`)
_EVERY = tuple(stem for stems in STEMS.values() for stem in stems if len(stem) > _SHORT or not stem.isascii())
_BESIDE = (*STEMS["between"], *STEMS["whose"])
_OF_VERDICTS = (*_BESIDE, *(s for part in ("outcome", "wrong", "faults", "judges", "prediction") for s in STEMS[part]))
_SERIES = 8  # numbers that are in even steps by no chance
_FEW_UNKNOWN = 3  # words of a verdict
_CUT_SHORT, _LEAST = ("outcome", "wrong", "abstained"), 4  # parts whose words are, and the letters left of one
_MEANS = {"abstained": SILENT, "wrong": INCORRECT, "right": CORRECT}


class Column:
    """A column: its name, its cells from the first row on, and what they are."""

    def __init__(self, name: str, cells: Sequence[str | None]) -> None:
        self.name, self.cells = name, cells

    @cached_property
    def words(self) -> frozenset[str]:
        """Its different cells, but for the empty ones."""
        return frozenset(cell for cell in self.cells if cell is not None)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """What its name is made of, with `not` joined to what it denies."""
        return roles.tokens_of(self.own)

    @property
    def own(self) -> str:
        """Its name; of a nested one the last of its names, with the one before it where that says nothing."""
        *above, last = self.name.split(".")
        return ".".join((*above[-1:], last)) if last in _LEAVES or not last else last

    def named(self, part: str) -> float:
        """Say how far its name speaks for a part: 2 by the whole of it or by its last word, 1.5 by another word."""
        if roles.part_of(self.own) in _SAME.get(part, (part,)):
            return 2.0
        at = self.last(part)
        behind = [token for token in self.tokens[at + 1 :] if not token.startswith(_BESIDE)]
        if part == "outcome" and at >= 0 and any(map(_is_object, behind)):
            return 1.0  # `passed_filter` is no verdict on the answer
        whole = "".join(self.tokens)
        if part == "answered" and "".join(reversed(self.tokens)).startswith(STEMS[part]):
            return 2.0  # `answer_provided`
        if (
            whole.startswith(STEMS[part])
            and not _is_rather(whole, part)
            and not (part == "wrong" and roles.lacks_faults(whole))
        ):
            return 2.0
        return 0.0 if at < 0 else 1.5 if behind and len(self.tokens) > 2 else 2.0

    def last(self, part: str) -> int:
        """Return the place of the last word of its name that speaks for a part; -1 where none does."""
        return max((i for i, token in enumerate(self.tokens) if speaks(token, part)), default=-1)

    @cached_property
    def is_counted(self) -> bool:
        """Whether its name speaks of how many or how much, and of no verdict; what numbers the rows, and what holds no
        numbers, counts nothing."""
        named = bool({*self.tokens} & MEASUREMENTS) and not max(self.named("outcome"), self.named("wrong"))
        return named and not self.is_series and (not self.words or any(w[:1].isdigit() for w in self.words))

    @cached_property
    def is_dates(self) -> bool:
        """Whether it holds dates, which may name rows."""
        return bool(self.words) and all(map(_DATE.match, self.words))

    @cached_property
    def strangers(self) -> int:
        """How many words of its name say nothing of verdicts or of who gives them."""
        return sum(not (token.startswith(_OF_VERDICTS) or speaks(token, "outcome")) for token in self.tokens)

    @cached_property
    def states(self) -> dict[str, int | None]:
        """What its words mean as verdicts; of codes such as A, B and C, where all of them are."""
        codes = next((code for code in CODES if {*self.words} <= {*code} and len(self.words) > 1), None)
        if codes is not None:
            return {word: codes[word] for word in self.words}
        if self.is_percentage:
            return {word: CORRECT if decimal(word.rstrip("% ")) else INCORRECT for word in self.words}
        if len(self.words) == 1:
            return {word: roles.state_of(word) for word in self.words}
        return _without_faults_of_tools(meanings(self.words))

    @cached_property
    def is_coded(self) -> bool:
        """Whether its words are letters that need a legend."""
        return any({*self.words} <= {*code} for code in CODES) and len(self.words) > 1

    @cached_property
    def is_percentage(self) -> bool:
        """Whether it holds 0 and 100 alone; or 0 and another mark, under a name that speaks of what is right."""
        numbers = {decimal(word.rstrip("% ")) for word in self.words}
        if len(numbers) == 2 and 0.0 in numbers and self.named("outcome"):
            return all(number is not None and (number == 0 or number > 1) for number in numbers)
        return 100.0 in numbers and numbers <= {0.0, 100.0}

    @cached_property
    def is_verdict(self) -> bool:
        """Whether each of its words can be a verdict, and one is of an answer that was given."""
        if not 0 < len(self.words) <= roles.FEW:
            return False
        means = {*self.states.values()}
        if means == {CORRECT, SILENT} and roles.part_of(self.name) is None:
            return False  # what was answered, and what was declined
        return None not in means and bool({CORRECT, INCORRECT} & means)

    @cached_property
    def is_worded(self) -> bool:
        """Whether its words say right and wrong by themselves, and are not yes and no."""
        return (
            self.is_verdict
            and not self.is_percentage
            and not all(roles.truth_of(word) is not None for word in self.words)
        )

    @cached_property
    def is_half_known(self) -> bool:
        """Whether its few words say what is right and what is wrong, but for one or two that nobody knows."""
        if len(self.words) > roles.FEW // 2 or any(map(decimal, self.words)):
            return False
        unknown = [word for word, state in self.states.items() if state is None]
        return {CORRECT, INCORRECT} <= {*self.states.values()} and 0 < len(unknown) < _FEW_UNKNOWN

    @cached_property
    def is_in_doubt(self) -> bool:
        """Whether it holds a few words, and no numbers, some of which nobody knows."""
        few = 1 < len(self.words) <= roles.FEW // 2 and all(decimal(word) is None for word in self.words)
        return few and None in self.states.values()

    @cached_property
    def is_truth(self) -> bool:
        """Whether it says yes and no."""
        return bool(self.words) and all(roles.truth_of(word) is not None for word in self.words)

    @cached_property
    def is_marks(self) -> bool:
        """Whether it says yes and no, or 1, 0 and -1."""
        words = self.words - MINUS
        return bool(words) and all(roles.truth_of(word) is not None for word in words)

    @cached_property
    def silent_words(self) -> frozenset[str]:
        """Those of its few words that mean that nothing was answered."""
        return frozenset(roles.silent_among(self.words))

    @cached_property
    def is_measured(self) -> bool:
        """Whether it holds numbers with fractions, and none that number the rows."""
        numbers = [decimal(word) for word in self.words]
        fractions = bool(numbers) and None not in numbers and any(number % 1 for number in numbers if number)
        return fractions and not self.is_series

    @cached_property
    def is_series(self) -> bool:
        """Whether its numbers follow each other in even steps, as those of rows do."""
        numbers = [decimal(word) for word in dict.fromkeys(self.cells) if word is not None]
        steps = {round(b - a, 9) for a, b in pairwise(number or 0.0 for number in numbers)}
        return None not in numbers and len(numbers) >= _SERIES and len(steps) == 1

    @cached_property
    def holds_objects(self) -> bool:
        """Whether its cells are objects of JSON, or lists of such."""
        return bool(self.words) and all(word.startswith(("{", "[{")) for word in self.words)

    def is_text_of(self, part: str) -> bool:
        """Whether its name says nothing but that it is the text of a part (`output_text`), which may be numbers."""
        return all(speaks(token, part) or token.startswith((*_BESIDE, "text")) for token in self.tokens)


def exclude(columns: Collection[Column]) -> bool:
    """Say whether of columns of yes and no one never says yes where another does, in rows enough to tell: they say what
    was right, wrong or declined, as two runs, which are right about some of the same questions, hardly would."""
    yes = [{i for i, cell in enumerate(c.cells) if cell and roles.truth_of(cell)} for c in columns if c.is_truth]
    return any(a and b and a.isdisjoint(b) for a, b in combinations(yes, 2)) and len(yes) == len(columns)


def _without_faults_of_tools(means: Mapping[str, int | None]) -> dict[str, int | None]:
    """Return what words mean, where an error beside a word for a wrong answer (`fail`, `error`) is that of a tool, and
    no grade."""
    beside = (*STEMS["broken"], *STEMS["judges"], *STEMS["outcome"], *STEMS["whose"])
    broken = {
        word
        for word, state in means.items()
        if state == INCORRECT
        and all(token.startswith(beside) for token in roles.tokens_of(word))
        and any(token.startswith(STEMS["broken"]) for token in roles.tokens_of(word))
    }
    others = {state for word, state in means.items() if word not in broken}
    return {**means, **(dict.fromkeys(broken, NOT_GRADED) if INCORRECT in others else {})}


def _is_object(token: str) -> bool:
    """Say whether a word of a name is what something is said of, and none of verdicts or gold answers."""
    return token.isalpha() and len(token) > _SHORT and not token.startswith((*_OF_VERDICTS, *STEMS["gold"]))


def _is_rather(token: str, part: str) -> bool:
    """Say whether a word begins rather as one of another part: what needs a correction is not correct, and `reponse` is
    no `rep`."""
    rival = {"outcome": "wrong", "repeat": "prediction"}.get(part)
    return rival is not None and roles.longest(token, rival) > roles.longest(token, part)


@cache
def speaks(token: str, part: str) -> bool:
    """Say whether a word of a name speaks for a part: it begins as a word for it does, denies the other verdict
    (`notmatching`), or cuts a word short (`isCorr`), and none of another part (`gave` of `gaveup` and `gaveanswer`)."""
    if part in ("wrong", "outcome") and roles.lacks_faults(token):
        return part == "outcome"
    if _is_rather(token, part):
        return False
    if token.startswith(STEMS[part]):
        return True
    if part == "abstained" and roles.denies_answers(token):
        return True
    if part == "wrong" and any(_denies(token, negation) for negation in NEGATIONS):
        return True
    short = part in _CUT_SHORT and len(token) >= _LEAST and not token.startswith(_EVERY)
    parts = [one for one in (*_CUT_SHORT, "answered") if any(stem.startswith(token) for stem in STEMS[one])]
    return short and parts == [part]


def speaks_of_faults(name: str, words: Collection[str]) -> bool:
    """Say whether a column says which answers are made up: that one is not then says nothing of an answer that was not
    given."""
    tokens = [*roles.tokens_of(name), *(token for word in words for token in roles.tokens_of(word))]
    return any(token.startswith(STEMS["faults"]) for token in tokens)


def is_of_tools(word: str) -> bool:
    """Say whether a word says of a program that it ran or failed, and not of an answer that it is right or wrong."""
    return all(token.startswith(STEMS["ran"]) for token in roles.tokens_of(word))


def says_facts(name: str) -> bool:
    """Say whether a name is made of nothing but words for what is no verdict (`exit_code`)."""
    tokens = roles.tokens_of(name)
    known = [
        token for token in tokens if token in MEASUREMENTS or token.startswith((*STEMS["fact"], *STEMS["between"]))
    ]
    return bool(tokens) and known == [*tokens] and any(speaks(t, "fact") or t in MEASUREMENTS for t in tokens)


@cache
def meaning(word: str) -> int | None:
    """Say what a word means as a verdict: by itself, or by what it is made of (`confident_error`, `not hallucinated`)
    where nothing in it hedges."""
    state = roles.state_of(word)
    if state is not None or decimal(word) is not None:
        return state
    if word.startswith(CONTAINERS):
        return None
    tokens = roles.tokens_of(word)
    if not tokens or any(token.startswith(HEDGES) for token in tokens):
        return None
    found = {state for token in (*tokens, "".join(tokens)) if (state := _of_token(token)) is not None}
    return found.pop() if len(found) == 1 else None


def meanings(words: Collection[str]) -> dict[str, int | None]:
    """Say what the words of one column mean as verdicts."""
    passes = roles.passes_among(words)
    return {word: None if word in passes else meaning(word) for word in words}


def _denies(token: str, negation: str) -> bool:
    rest = token.removeprefix(negation)
    return rest != token and rest.startswith(STEMS["right"])


def _of_token(token: str) -> int | None:
    for part, state in _MEANS.items():
        if token.startswith(STEMS[part]):
            return state
    for negation in NEGATIONS:
        rest = token.removeprefix(negation)
        if rest != token and rest.startswith(STEMS["wrong"]):
            return CORRECT
        if _denies(token, negation):
            return INCORRECT
    return SILENT if roles.denies_answers(token) else None
