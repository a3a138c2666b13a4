"""Give meanings to the words of the column `outcome`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product

from nescio.data.assessed import STATES as ASSESSED
from nescio.data.assessed import WORDS, verdicts_in
from nescio.data.model import Verdict
from nescio.data.notes import Note, note
from nescio.data.outcomes import MEANINGS, NOT_GRADED, PARTIAL, STATES
from nescio.errors import opt
from nescio.tables.lexicon import state_of, with_two_meanings
from nescio.text import by_value, decimal

# the measures that read partly right answers
_OF_PARTIAL = "crag.truthfulness, hallucination_rate, non_hallucination, omniscience_index"
FEW_WORDS = 12  # most different words of a column that may be outcomes
_MOST_UNKNOWN = 2  # most words whose meanings are all tried
_ANY = ("incorrect", "correct", "0.5", "unanswered", "ungraded")  # the possible meanings of one unknown word
CODES = (
    {"A": "correct", "B": "incorrect", "C": "unanswered"},
    {"CO": "correct", "IN": "incorrect", "NA": "unanswered"},
    {"C": "correct", "I": "incorrect", "N": "unanswered"},
    {"R": "correct", "W": "incorrect", "U": "unanswered"},
    {"R": "correct", "W": "incorrect", "U": "incorrect", "X": "incorrect"},  # with U for right, but not supported
)
_KEPT: dict[Verdict | None, str] = {verdict: f" ({word}: lenient_accuracy)" for verdict, word in WORDS.items()}


def state_words(
    counted: Sequence[tuple[str | None, int]],
    mapped: Mapping[str, str],
    notes: list[Note],
    worths: Mapping[str, float],
) -> dict[str | None, int | None]:
    """Return the state that each word means, None for an unknown word; add notes on words other than outcomes' names.

    A word means what the user mapped it to, or else what assessors' codes or the lexicon say. An empty word means no
    grade. `worths` has the words to which the user gave a value.
    """
    mapped = by_value(mapped, [word for word, _ in counted if word])
    user_states = {word: MEANINGS[to] for word, to in mapped.items()}
    unclear = with_two_meanings(word for word, _ in counted if word and not _declines(user_states.get(word)))
    assessed = {
        word: verdict for word, verdict in verdicts_in(w for w, _ in counted if w).items() if word not in user_states
    }
    states: dict[str | None, int | None] = {}
    for word, _ in counted:
        if word in assessed:
            states[word] = ASSESSED[assessed[word]]
        else:
            known = NOT_GRADED if word is None else STATES.get(word, state_of(word))
            states[word] = user_states.get(word or "", None if word in unclear else known)
    if idle := [word for word in mapped if word and word not in states]:
        notes.append(
            note(
                "outcomes_table.no_such_word",
                f"{opt('outcome_map')}: no row holds {{words:list}}",
                words=list(map(repr, idle)),
                many=len(idle),
            )
        )
    names = {state: name for name, state in STATES.items()} | {NOT_GRADED: "not graded"}
    kept = {word: _KEPT.get(verdict, "") for word, verdict in assessed.items()}
    kept |= {word: f" (partial: {_OF_PARTIAL})" for word, to in mapped.items() if to == PARTIAL}
    kept |= {word: f" (worth: {worth:g})" for word, worth in worths.items()}
    for word, rows in counted:
        state = states[word]
        if state is not None and STATES.get(word or "") != state and (word is not None or "" in user_states):
            notes.append(
                note(
                    "outcomes_table.word",
                    "{rows} {rows:row/rows}: outcome {word!r} read as {outcome}",
                    rows=rows,
                    word=word or "",
                    outcome=f"{names[state]}{kept.get(word or '', '')}",
                )
            )
    return states


def unclear_words(words: Sequence[str], mapped: Collection[str]) -> list[str]:
    """Return the words that the lexicon lacks or that may mean two things, and that the user did not map."""
    two = with_two_meanings(word for word in words if word not in mapped or state_of(word) is not None)
    return [word for word in words if word not in mapped and (state_of(word) is None or word in two)]


def meanings(words: Sequence[str], unknown: Sequence[str]) -> list[dict[str, str]]:
    """Return the meanings to try for the `unknown` ones among `words`; none if these are too many.

    Letters of graders have their known meanings. Other words may be right or wrong, and a single word also half right
    or ungraded. The likeliest meanings come first: those of letters of graders, then those that differ.
    """
    if not unknown or not 1 < len(words) <= FEW_WORDS:
        return []
    if points := _of_points(unknown):
        return points
    codes = [{word: code[word] for word in words} for code in CODES if {*words} <= {*code}]
    if len(unknown) > _MOST_UNKNOWN or codes:
        return codes
    known = {state_of(word) for word in words if word not in unknown}
    missing = [word for word in ("incorrect", "correct", "unanswered") if MEANINGS[word] not in known]
    any_word = [*missing, *(word for word in _ANY if word not in missing)]  # a word seldom means the same as another
    choices = any_word if len(unknown) == 1 else ("correct", "incorrect")
    every = [dict(zip(unknown, chosen, strict=True)) for chosen in product(choices, repeat=len(unknown))]
    coded = [{word: code[word] for word in unknown} for code in CODES if {*unknown} <= {*code}]
    every.sort(key=lambda meaning: (meaning not in coded, len({*meaning.values()}) < len(unknown)))
    return [meaning for meaning in every if len(words) > len(unknown) or len({*meaning.values()}) > 1]


def _of_points(unknown: Sequence[str]) -> list[dict[str, str]]:
    """Return the meanings of unknown numbers with a negative one; none for other words, and for several grades.

    The negative number may be the penalty for a wrong answer, and 0 no answer. Or it is a code for no answer, as -1
    often is.
    """
    numbers = [decimal(word) for word in unknown]
    signs = [(number > 0) - (number < 0) for number in numbers if number is not None]
    if len(signs) < len(unknown) or -1 not in signs or len({*signs}) < len(signs):
        return []
    penalty, code = ("incorrect", "unanswered", "correct"), ("unanswered", "incorrect", "correct")
    ungraded, plain = ("ungraded", "incorrect", "correct"), ("incorrect", "incorrect", "correct")
    first = (code, penalty) if -1 in numbers and 1 not in signs else (penalty, code)
    every = [
        dict(zip(unknown, (outcomes[sign + 1] for sign in signs), strict=True))
        for outcomes in (*first, ungraded, plain)
    ]
    return [meaning for i, meaning in enumerate(every) if meaning not in every[:i]]


def _declines(state: int | None) -> bool:
    """Return whether the user gave a word a meaning other than right or wrong."""
    return state not in (None, MEANINGS["correct"], MEANINGS["incorrect"])


def what_means(unknown: Sequence[str], columns: Sequence[str]) -> str:
    """Return the question about the meaning of unknown words in columns, with the options that answer it."""
    listed = sorted(unknown)[:FEW_WORDS]
    more = f" and {len(unknown) - len(listed)} more" if len(unknown) > len(listed) else ""
    shown, names = ", ".join(map(repr, listed)), " + ".join(map(repr, columns))
    return f"what {'do' if len(unknown) > 1 else 'does'} {shown}{more} in {names} mean? {as_options(listed, 'OUTCOME')}"


def as_options(words: Sequence[str], outcome: str) -> str:
    """Return the options that give words a meaning."""
    return " ".join(opt("outcome_map", of=f"{word}={outcome}") for word in words)
