"""Find columns of the topics that would give the right answers away to teams."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from nescio.data.model import Question
from nescio.judging.choice import option
from nescio.sources.literals import literal_or
from nescio.text import squeeze

LANGUAGE = "language"
_NEARLY = 0.8  # the share of a column's values that equal the gold answer, from which on the column is the key
_FEW = 5  # so many questions with an answer, and without one, show that the values of a column tell them apart
_CHANCE = 0.01  # In few questions, a value tells them apart by chance, above all if there are several values.
_MENTION = "mention"
_TOKEN, _TEXT = re.compile(r"\b(?:[A-Z]|[0-9]{1,2})\b"), re.compile(r"\w+")
_KEYS = (
    "answers?|keys?|gold|correct|solutions?|target|truths?|expected|reference|alias|aliases|rationales?|explanations?|"
    "answerable|unanswerable|impossible|incorrect|wrong|distractors?"
)
_BESIDE = r"ids?|index|letter|number|options?|text|the|value|is|has|no|ground|possible|[\W\d_]"
_KEY = re.compile(f"(?:{_BESIDE})*(?:{_KEYS})(?:{_KEYS}|{_BESIDE})*", re.IGNORECASE)  # ANSWERKEY, too


def gives_away(questions: Sequence[Question], column: str) -> str | None:
    """Return the reason why a column of the questions looks like the key; None if it does not.

    A column looks like the key if 80% of its values are the gold answer or a list of gold answers, list all other
    options, or set a right option apart from the others (`_told`). It also does if its name consists of words such as
    "answer" or "key", or if its values tell the questions with an answer from those that are marked as unanswerable;
    the language may do so.
    """
    values = [(q, q.strata[column]) for q in questions if q.strata.get(column, "").strip()]
    known = [(q, value) for q, value in values if q.answers]
    count = _told(known)
    if known and count >= _NEARLY * len(known):
        return f"{count} of its {len(known)} values equal the right answer, or tell it from the other options"
    if column != LANGUAGE and _tells_silence(questions, column):
        return "its values tell which questions have no answer"
    return "its name suggests that it holds the key" if _KEY.fullmatch(column) else None


def _tells(question: Question, value: str) -> bool:
    """Return whether a value is a gold answer, a list of gold answers, or the list of all other options."""
    listed, golds = cell_of(value), {*map(squeeze, question.answers)}
    texts = {squeeze(str(entry)) for entry in listed} if isinstance(listed, list) else {squeeze(value)}
    is_rest = isinstance(listed, list) and texts == {*map(squeeze, question.options)} - golds
    return squeeze(value) in golds or bool(texts and (texts <= golds or is_rest))


def _told(known: Sequence[tuple[Question, str]]) -> int:
    """Return how many values are right answers (`_tells`), or set right options of their question apart by one mark.

    A mark is whether the value names or mentions an option, by its text, letter or number, or what the value has at the
    option's position or beside its text. Marks that could be right so often by chance are not counted.
    """
    texts = {at for at, (question, value) in enumerate(known) if _tells(question, value)}
    pairs = defaultdict[tuple[str, str], list[tuple[int, Hashable, Hashable]]](list)
    shares = []
    for number, (question, value) in enumerate(known):
        gold = {option(question, answer) for answer in question.answers} - {None} if question.options else ()
        shares += [len(gold) / len(question.options)] if gold else []
        for way, marks in _marks(question, value) if gold else ():
            names = [*map(squeeze, question.options)] if way == _MENTION else range(len(question.options))
            right = frozenset(names[at] for at in gold if at is not None)
            for mark in {*marks}:
                options = frozenset(name for name, given in zip(names, marks, strict=True) if given == mark)
                pairs[way, mark].append((number, options if options <= right else right, options))
    hits = {key: {at for at, right, options in triples if right == options} for key, triples in pairs.items()}
    enough = [key for key, numbers in hits.items() if len(numbers | texts) >= _NEARLY * len(known)]
    least = sum(shares) / max(len(shares), 1)
    sure = [hits[key] for key in enough if not _by_chance(len(hits[key]), [pair for _, *pair in pairs[key]], least)]
    return max((len(numbers | texts) for numbers in sure), default=len(texts))


def _by_chance(hits: int, pairs: Sequence[Sequence[Hashable]], least: float) -> bool:
    """Return whether so many of the pairs could be equal by chance (binomial), if the chance is at least `least`."""
    from scipy.stats import binom

    first, other = (Counter(side) for side in zip(*pairs, strict=True))
    rate = max(least, sum(first[name] * other[name] for name in first) / len(pairs) ** 2)
    return bool(binom.sf(hits - 1, len(pairs), rate) > _CHANCE)


def _marks(question: Question, value: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a value tells about each of the options, with the name of the way in which it tells this."""
    options = question.options
    tokens, pieces = {*_TOKEN.findall(value)}, re.split(r"[\s,;|]+", value.strip())
    cell = literal_or(value, None) if value.lstrip()[:1] in ("[", "{") else None
    if isinstance(cell, dict):
        beside = {squeeze(str(name)): str(mark) for name, mark in cell.items()}
        yield "beside", [beside.get(squeeze(text), "") for text in options]
    lists = cell.values() if isinstance(cell, dict) else (cell if isinstance(cell, list) else pieces,)
    for listed in lists:
        if isinstance(listed, list) and len(listed) == len(options):
            yield "position", [str(mark) for mark in listed]
    named = {option(question, str(entry)) for entry in (cell if isinstance(cell, list) else [value])}
    yield "named", [str(at in named) for at in range(len(options))]
    yield "letter", [str(chr(ord("A") + at) in tokens) for at in range(len(options))]
    yield from ((f"from {first}", [str(str(at + first) in tokens) for at in range(len(options))]) for first in (0, 1))
    words, marks = f" {_plain(value)} ", dict.fromkeys(options, "")
    for text in sorted(options, key=len, reverse=True):  # "no way" mentions no "no"
        if (word := f" {_plain(text)} ").strip() and word in words:
            words, marks[text] = words.replace(word, "  "), "mentioned"
    yield _MENTION, [marks[text] for text in options]


def _plain(text: str) -> str:
    """Return the words of a text, in lower case and with single spaces."""
    return " ".join(_TEXT.findall(squeeze(text)))


def _tells_silence(questions: Sequence[Question], column: str) -> bool:
    """Return whether one value, or its absence, tells nearly all unanswerable questions from nearly all others.

    A question without a key may have an answer: people judge it.
    """
    without = Counter(_value(q, column) for q in questions if q.answerable is False)
    others = Counter(_value(q, column) for q in questions if q.answerable is not False and (q.answers or q.answerable))
    if min(without.total(), others.total()) < _FEW:
        return False
    return any(_sets_apart(cell, *pair) for pair in ((without, others), (others, without)) for cell in pair[0])


def _sets_apart(value: str, counts: Counter[str], rest: Counter[str]) -> bool:
    """Return whether nearly all questions of one kind share a value that hardly any question of the `rest` has.

    With values at random, the kind would have the value as often with a probability of at most `_CHANCE`
    (hypergeometric).
    """
    if counts[value] < _NEARLY * counts.total() or rest.total() - rest[value] < _NEARLY * rest.total():
        return False
    from scipy.stats import hypergeom

    size, several = counts.total() + rest.total(), counts[value] + rest[value]
    return bool(hypergeom.sf(counts[value] - 1, size, several, counts.total()) <= _CHANCE)


def _value(question: Question, column: str) -> str:
    return squeeze(question.strata.get(column, ""))


def cell_of(text: str) -> str | list[object]:
    """Return the list that a table's cell contains, written as in Python or JSON; else the text of the cell."""
    value = literal_or(text, None) if text.lstrip()[:1] == "[" else None  # to try prose takes long
    return value if isinstance(value, list) else text
