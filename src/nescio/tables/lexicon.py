"""Recognise the names that people give to columns and outcomes, by `lexicon.toml` and the additions of plug-ins."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import resources
from itertools import product

from msgspec import Struct

from nescio.data.outcomes import MEANINGS
from nescio.data.reasons import BLOCKED, BY_OUTCOME, CUT, EMPTY, ERRORED, NO_FORM, REFUSED
from nescio.text import decimal, is_nothing, normal_form

_BRACKETS = re.compile(r"\([^)]*\)|\[[^]]*\]")
_LETTER = re.compile(r"[A-Za-z]{2}[ _-][AEIOSaeios]$")  # a letter after a word: of a run or a judge, and no ending
_AT = re.compile(r"@\d+$")
# Short types such as "int8" and "f16" are left out, because they also name quantised models.
_TYPE = re.compile(r"(?<=[^\W_])[\W_]+(bool(ean)?|int(eger)?|float(32|64)?|double|str(ing)?)$", re.IGNORECASE)
BOUNDARY = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
DEEPEST = 8  # parts of a path that may be a name; names of the lexicon have fewer
_IDS = {"id", "idx", "index", "uid", "uuid", "number", "nr", "no", "key"}  # last words of names for a row
_LONGEST_NAME = 200  # characters of a header or a word that may have a meaning
_LONGEST_SUM = 40  # characters of the name of a row that sums up others
_EMOJI = "\ufe0f"  # asks for the coloured form of a sign such as ✔
_VERDICTS = {"outcome", "score", "wrong"}  # roles
ABSTAIN, ANSWER = "abstain", "answer"
AS_GIVEN = " (as given)"  # ends the name of a column in whose place the user named another; it has no role


class Lexicon(Struct):
    """The word lists of `lexicon.toml`.

    `names` has the normalised column names of each role, in the order of the file. `words` maps words for outcomes, in
    lower case and without accents, to their meanings. `lettered` has the names that begin with a letter of its own, as
    "e_correto" does.
    """

    about: dict[str, str]
    names: dict[str, dict[str, int]]
    words: dict[str, int]
    lettered: set[str]
    unknown: set[str]
    yes: set[str]
    no: set[str]
    answered: set[str]
    unparsed: set[str]
    judges: set[str]
    people: set[str]
    machines: set[str]
    judging: set[str]
    sums: set[str]
    annotators: set[str]
    graders: set[str]
    measurements: set[str]
    maxima: set[str]
    silence_stems: tuple[str, ...]
    verdict_stems: tuple[str, ...]
    answer_stems: tuple[str, ...]
    expected_words: set[str]
    assessing: set[str]
    foreign: set[str]
    systems: set[str]
    components: set[str]
    asking: set[str]
    collections: set[str]
    comparing: set[str]
    formal: set[str]
    statuses: set[str]
    endings: dict[str, str]
    reporting: set[str]
    calls: set[str]
    not_failing: set[str]
    passes: set[str]
    passed_over: set[str]
    counts: dict[str, dict[str, int]]

    def extend(self, names: Mapping[str, Iterable[str]], words: Mapping[str, Iterable[str]]) -> None:
        """Add column names by which roles are recognised, and words that mean outcomes.

        `names` is keyed by role ("question"), and `words` by outcome ("correct").
        """
        for role, entries in names.items():
            for name in entries:
                self.names[role].setdefault(squash(name), len(self.names[role]))
                self.lettered |= {squash(name)} if re.match(r"[^\W_][\W_]", plain(name)) else set()
        for outcome, entries in words.items():
            self.words |= {fold(word.replace("_", " ")): MEANINGS[outcome] for word in entries}


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, which all code of this process shares."""
    held = tomllib.loads(text())
    roles, words = held["roles"], {name: listed.split() for name, listed in held["words"].items()}
    answering = tuple(expanded(held["words"]["answer_stems"]))
    made = Lexicon(
        about={role: entry["about"] for role, entry in roles.items()},
        names={role: {} for role in roles},
        words={},
        lettered=set(),
        unknown={fold(word) for word in words["unknown"]},
        yes={fold(word) for word in words["yes"]},
        no={fold(word) for word in words["no"]},
        answered={fold(word) for word in words["answered"]},
        unparsed={fold(word) for word in words["unparsed"]},
        judges={*words["judges"]},
        people={*words["people"]},
        machines={*words["machines"]},
        judging={*words["judging"]},
        sums={*words["sums"]},
        annotators={*words["annotators"]},
        graders={squash(name) for name in expanded(held["words"]["graders"])},
        measurements={*words["measurements"]},
        maxima={*words["maxima"]},
        silence_stems=(*words["silence_stems"], *map("".join, product(words["negations"], answering))),
        verdict_stems=tuple(words["verdict_stems"]),
        answer_stems=answering,
        expected_words={*words["expected_words"]},
        assessing={*words["assessing"]},
        foreign={*words["foreign"], *words["components"]},
        systems={*words["systems"]},
        components={*words["components"]},
        asking={*words["asking"]},
        comparing={squash(name) for name in words["comparing"]},
        formal={squash(name) for name in words["formal"]},
        collections={squash(name) for name in words["collections"]},
        statuses={squash(name) for name in expanded(held["words"]["statuses"])},
        endings={
            fold(word): why
            for name, why in (("failures", ERRORED), ("blocked", BLOCKED), ("cut", CUT), ("refused", REFUSED))
            for word in (why, *expanded(held["words"][name]))
        }
        | {fold(why): why for plain in (EMPTY, NO_FORM) for why in (plain, f"{plain}{BY_OUTCOME}")}
        | {fold(word): NO_FORM for word in words["unparsed"]},
        reporting={*words["reporting"]},
        calls={*words["calls"]},
        not_failing={*words["not_failing"], *words["negations"]},
        passes={fold(word) for word in words["passes"]},
        passed_over={fold(word) for word in words["passed_over"]},
        counts={
            part: {squash(name): i for i, name in enumerate(expanded(names))} for part, names in held["counts"].items()
        },
    )
    made.extend(
        {role: expanded(entry["names"]) for role, entry in roles.items()},
        {name: words[name] for name in MEANINGS if name in words},
    )
    return made


def expanded(names: str) -> list[str]:
    """Return the names that a text lists, with each choice written out: "a_{x,y}" lists "a_x" and "a_y"."""
    parts = [[choice.split(",") for choice in re.split(r"\{([^}]*)\}", name)] for name in names.split()]
    return ["".join(chosen) for choices in parts for chosen in product(*choices)]


def text() -> str:
    """Return the text of `lexicon.toml`."""
    return resources.files("nescio.tables").joinpath("lexicon.toml").read_text(encoding="utf-8")


def extend(names: Mapping[str, Iterable[str]] = {}, words: Mapping[str, Iterable[str]] = {}) -> None:
    """Add column names by which roles are recognised, and words that mean outcomes, for the rest of this process.

    `names` is keyed by role ("question"), and `words` by outcome ("correct"). Plug-ins call this function.
    """
    lexicon().extend(names, words)


def plain(text: str) -> str:
    """Return a text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    parts = normal_form("NFKD", text.casefold()).replace(_EMOJI, "")
    return "".join(c for c in parts if not unicodedata.combining(c))


@cache
def squash(header: str) -> str:
    """Return the letters and digits of a column's name, in lower case and without accents.

    Brackets, a final `@k`, and the type after a known name ("verdict_bool") are left out.
    """
    untyped = _TYPE.sub("", header)
    if untyped != header and any(squash(untyped) in names for names in lexicon().names.values()):
        return squash(untyped)
    if header.isidentifier() and header.isascii():  # as most are
        return header.lower().replace("_", "")
    header = _AT.sub("", header)
    letters = _BRACKETS.sub("", header) or header
    return "".join(c for c in plain(letters) if c.isalnum())


def tokens(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, each in the form that `squash` gives."""
    return tuple(squash(part) for part in BOUNDARY.split(name) if squash(part))


def fold(cell: str) -> str:
    """Return the words of a cell in lower case, without accents and a final full stop, and with single spaces.

    A long text stays unchanged, because no word of the lexicon is so long.
    """
    if len(cell) > _LONGEST_NAME:
        return cell
    return " ".join(re.sub(r"[\s_-]+", " ", plain(cell).replace("’", "'")).split()).rstrip(".!") or cell


@cache
def roles_of(header: str, *, of_runs: bool = False) -> tuple[str, ...]:
    """Return the roles that a column may have by its whole name, or by the last parts of a path in its name.

    For `choices.message.content`, the longest of the ends `message.content` and `content` that has a role counts. If
    columns of several runs end alike (`of_runs`), the path names the run: `baseline.correct` is a verdict.
    """
    if header.endswith(AS_GIVEN):
        return ()
    for name, above in _ends(header):
        if roles := tuple(role for role, names in lexicon().names.items() if name and name in names):
            taken = _taken_by(above, of_runs=of_runs)
            # Without its likeliest meaning the name has none: nescio asks about "judge.is_refusal".
            return () if "abstained" in {*roles} & taken else tuple(role for role in roles if role not in taken)
    parts = tokens(header)
    if not parts or parts[-1] not in _IDS or "." in header:
        return ()
    return ("run",) if "".join(parts[:-1]) in lexicon().names["run"] else ("row",)  # numbers of systems name runs


def _ends(header: str) -> list[tuple[str, str]]:
    """Return the whole name of a column and the ends of the path in it, the longest first, each with the path above.

    For "a.b.c" the result is ("abc", ""), ("bc", "a") and ("c", "a.b"). The result is empty for a name such as
    "correct_a" or "A_certo", whose single letter names a run or a judge.
    """
    if _LETTER.search(header):  # "correct_a" is of a run, and not "correcta"
        return []
    parts = re.split(r"[.\]/]", header)
    starts = range(max(1, len(parts) - DEEPEST), len(parts))
    whole = [] if _of_a_letter(header) else [(squash(header), "")]
    return [*whole, *((squash(".".join(parts[at:])), ".".join(parts[:at])) for at in starts)]


def _of_a_letter(header: str) -> bool:
    """Return whether a letter before a name for outcomes is no part of it: "A_certo" is not "acerto"."""
    name = squash(header)
    alone = len((tokens(header) or ("",))[0]) == 1 and name not in lexicon().lettered
    return alone and any(name[1:] in lexicon().names[role] for role in _VERDICTS)


def _taken_by(above: str, *, of_runs: bool) -> set[str]:
    """Return the roles that a column cannot have because of the path above the end of its name.

    For example, the end of `judge.answer` may mean an answer, but `judge` says that it is not the system's. Where
    columns of several runs end alike (`of_runs`), other systems are runs, and the path takes no verdict.
    """
    held = lexicon()
    words = {squash(part) for part in BOUNDARY.split(above)} - (held.systems if of_runs else set())
    taken = {"abstained", "answered"} if words & held.asking else set()
    if words & (held.assessing | held.foreign):
        taken |= {"run", "prediction", "answer", "confidence", "abstained", "answered"}
    return taken | _VERDICTS if words & held.foreign and not of_runs else taken


def rank(header: str, role: str) -> int:
    """Return the position of a column's name in the lexicon's list of names for a role.

    Columns that may have the same role are ordered by this position.
    """
    names = lexicon().names.get(role, {})
    return next((names[name] for name, _ in _ends(header) if name in names), len(names))


def truth_of(word: str) -> bool | None:
    """Return True for a word that means yes, False for one that means no, and None for any other word."""
    number = decimal(word)
    if number is not None:
        return {1.0: True, 0.0: False}.get(number)
    folded = fold(word)
    return True if folded in lexicon().yes else False if folded in lexicon().no else None


def state_of(word: str) -> int | None:
    """Return the state (a number of `nescio.data.outcomes`) that a word for an outcome means; None if unknown.

    The numbers 1 and 100 mean right, and 0 means wrong. A noun for an answer adds nothing: "wrong answer" means wrong.
    """
    number = decimal(word)
    if number is not None:
        return {1.0: MEANINGS["correct"], 100.0: MEANINGS["correct"], 0.0: MEANINGS["incorrect"]}.get(number)
    folded, held = fold(word), lexicon()
    if folded in held.words or " " not in folded or len(folded) > _LONGEST_NAME:
        return held.words.get(folded)
    alone = " ".join(part for part in folded.split() if not {"answer", "prediction"} & {*roles_of(part)})
    return held.words.get(alone) if alone != folded and alone.startswith(held.verdict_stems) else None


def with_two_meanings(words: Iterable[str]) -> set[str]:
    """Return the words for right or wrong that may also mean that the system gave no answer.

    Such a word is "pass", if another word for right, such as "correct", occurs beside it. Another is 0 beside a
    negative number, which may be the penalty for a wrong answer.
    """
    words = [*words]
    right = {word: fold(word) for word in words if state_of(word) == MEANINGS["correct"]}
    passes = {word for word, folded in right.items() if folded in lexicon().passes}
    numbers = {word: number for word in words if (number := decimal(word)) is not None}
    zeros = {word for word, number in numbers.items() if number == 0} if min(numbers.values(), default=0) < 0 else set()
    return zeros | (passes if len(passes) < len(right) else set())


def declines(word: str) -> bool | None:
    """Return whether a word in a column on abstaining says that the system abstained; None for an unknown word."""
    truth = truth_of(word)
    if truth is not None:
        return truth
    if is_silent_word(word):
        return True
    return False if fold(word) in lexicon().answered else None


def marker_of(word: str) -> str | None:
    """Return the reason (`nescio.data.reasons`) that a marker in place of an answer gives; None for any other text."""
    known = len(word) <= _LONGEST_NAME and {" ".join(plain(word).split()), fold(word)} & lexicon().unparsed
    return EMPTY if is_nothing(word) else NO_FORM if known else None


def is_sum(name: str) -> bool:
    """Return whether a row with this name sums up other rows.

    The name may be a single word ("TOTAL"). It may also contain such a word beside words for outcomes or for numbers of
    answers ("Overall accuracy").
    """
    words, held = {*tokens(name)}, lexicon()
    counted = {*held.words, *held.names["outcome"], *held.names["score"]}.union(*held.counts.values(), held.sums)
    return name.strip().casefold() in held.sums or bool(held.sums & words and counted >= words)


def may_sum(cell: str) -> str:
    """Return the SQL condition that a cell contains a word such as "total", so that its row may sum up other rows."""
    words = "|".join(map(re.escape, sorted(lexicon().sums)))
    letters = f"right(trim({cell}), 1) NOT BETWEEN '0' AND '9' AND length({cell}) <= {_LONGEST_SUM}"  # the cheaper test
    return f"({letters} AND regexp_matches(lower({cell}), '\\b({words})'))"


def is_silent_word(word: str) -> bool:
    """Return whether a cell says with a word of the lexicon that the system, or perhaps its harness, gave no answer."""
    folded, held = fold(word), lexicon()
    return held.words.get(folded) == MEANINGS["unanswered"] or folded in {ABSTAIN, *held.passed_over}


def stands_for_none(word: str) -> bool:
    """Return whether a cell stands in place of an answer, as "Unknown" and "<no answer>" do.

    Markers of empty cells, such as "N/A", do not count, because any column may have them.
    """
    bare = fold(word.strip("<>[]() "))
    return is_silent_word(word) or is_silent_word(bare) or bare in lexicon().unknown


@cache
def words_for_none() -> tuple[str, ...]:
    """Return the words that stand in place of an answer, in the form that `fold` gives."""
    held = lexicon()
    return (*sorted(held.unknown.union(filter(is_silent_word, {*held.words, *held.passed_over}))),)


def have_meaning(words: Collection[str], meaning: Callable[[str], object]) -> bool:
    """Return whether there are words and each has a meaning: `meaning` (such as `state_of`) never returns None."""
    return bool(words) and all(meaning(word) is not None for word in words)


def tell_of_silence(words: Collection[str]) -> bool:
    """Return whether one of the words in a column means that the system gave no answer.

    Such a word is in the lexicon. Or it begins like words for abstaining, and another word of the column means an
    answer.
    """
    if any(map(stands_for_none, words)):
        return True
    answering = [word for word in words if fold(word) in lexicon().answered and truth_of(word) is None]
    return len(words) > 1 and bool(answering) and any(map(speaks_of_silence, words))


def speaks_of_silence(header: str) -> bool:
    """Return whether a column's name contains a word that begins like words for abstaining."""
    return _begins(header, lexicon().silence_stems)


def speaks_of_verdicts(header: str) -> bool:
    """Return whether the last word of a column's name begins like words for right and wrong ("det_correct")."""
    words = tokens(_TYPE.sub("", header[-_LONGEST_NAME:]))
    return bool(words) and words[-1].startswith(lexicon().verdict_stems)


def speaks_of_answering(header: str) -> bool:
    """Return whether a column's name contains a word that begins like words for answering."""
    return _begins(header, lexicon().answer_stems)


def _begins(header: str, stems: tuple[str, ...]) -> bool:
    last = re.split(r"[.\]/]", header[:_LONGEST_NAME])[-1]
    words = tokens(last)
    # "gave_no_answer" contains noanswer
    return any("".join(words[at:]).startswith(stems) for at in range(len(words)))


def speaks_of_faults(header: str) -> bool:
    """Return whether a column's name contains a word that says that something is wrong."""
    return any("wrong" in roles_of(part) for part in BOUNDARY.split(header) if part)


def speaks_of_questions(header: str) -> bool:
    """Return whether a column's name contains a word for what is expected, so that it describes the question."""
    words = tokens(header[:_LONGEST_NAME])
    spoken = {*words} & lexicon().expected_words
    return bool(spoken - {"label"} or words[:1] == ("label",))  # "label_is_abstention", but not "response_label"


def ends_as_a_verdict(header: str) -> bool:
    """Return whether the last word of a name is for outcomes, as in "gold_verdict", or for what is expected."""
    last = (tokens(header[:_LONGEST_NAME]) or ("",))[-1]
    return last in lexicon().expected_words or bool(_VERDICTS & {*roles_of(last)})


def is_of_people(header: str) -> bool:
    """Return whether a column's name has a word for people who judge, and none for a machine."""
    words = {squash(part).rstrip("0123456789") for part in BOUNDARY.split(header[:_LONGEST_NAME])}
    return bool(words & lexicon().people) and not words & lexicon().machines


def is_of_a_judge(header: str) -> bool:
    """Return whether a column's name has a word for a machine or for judging, and none for people."""
    words = {squash(part) for part in BOUNDARY.split(header[:_LONGEST_NAME])}
    return bool(words & (lexicon().machines | lexicon().judging)) and not words & lexicon().people


def names_a_judge(header: str) -> bool:
    """Return whether the end of a column's name is a name for the judge of the answers, or for its settings."""
    parts = re.split(r"[.\]/]", header)
    return any(squash("_".join(end)) in lexicon().graders for end in (parts[-1:], parts[-2:]))


def may_be_of_form(header: str) -> bool:
    """Return whether a name for outcomes may mean instead that the answer is well-formed, as "is_valid" may."""
    return squash(re.split(r"[.\]/]", header)[-1]) in lexicon().formal


def may_mean_wrong(header: str) -> bool:
    """Return whether a name for outcomes leaves open whether yes means right or wrong, as "is_match" does."""
    return squash(re.split(r"[.\]/]", header)[-1]) in lexicon().comparing


def names_collections(header: str) -> bool:
    """Return whether a column's name says that the column names the collection from which each question comes."""
    return squash(header) in lexicon().collections


def of_maximum(header: str) -> str | None:
    """Return the name of the score whose maximum a column has: "score" for "max_score", and "" for "out_of".

    Returns None for a column that does not have a maximum.
    """
    words = tokens(header)
    rest = [word for word in words if word not in lexicon().maxima]
    named = not rest or "score" in roles_of("_".join(rest))
    return "".join(rest) if named and 0 < len(words) != len(rest) else None


def speaks_of_components(header: str) -> bool:
    """Return whether a column's name contains a word for a part of a pipeline, such as a cache."""
    return bool({squash(word) for word in BOUNDARY.split(header)} & lexicon().components)


def is_measured(header: str) -> bool:
    """Return whether a column's name contains a word for a measurement of answers, such as a latency."""
    return bool({squash(word) for word in BOUNDARY.split(header)} & lexicon().measurements)
