"""Build a collection for validators from the answers of many QA runs, by the rules of AVE 2007 (sec. 3).

First, NIL, void and declined answers, and answers with a supporting text of over 700 characters, are removed. So none
of them displaces a good answer. Then, within a question, repeated answers and those contained in a longer one are
removed. So the collection does not reveal how many systems agree. Source: Peñas, Rodrigo & Verdejo 2007.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.model import Question, Run, Verdict
from nescio.data.notes import Note, note
from nescio.errors import MismatchError, UsageError
from nescio.options.edge import Progress
from nescio.stats.parallel import followed
from nescio.tasks.ave.exercise import Candidate, Exercise, Value, language
from nescio.text import composed, find_words, squeeze

Rule = Literal["declined", "nil", "void", "long", "duplicate", "contained"]
RULES: tuple[Rule, ...] = get_args(Rule)
LONGEST = 700  # characters of a supporting text: the limit of the main track of QA@CLEF 2007
NIL = "nil"
VALUES: Mapping[Verdict | None, Value] = {
    Verdict.RIGHT: Value.VALIDATED,
    Verdict.WRONG: Value.REJECTED,
    Verdict.UNSUPPORTED: Value.REJECTED,
    Verdict.INEXACT: Value.UNKNOWN,
    None: Value.UNKNOWN,
}
_TOKEN = re.compile(r"\w+|[^\w\s]")
_EDGES = frozenset(".,;:!?\"'`´‘’“”()[]{}…")


class Offer(Struct, frozen=True):
    """An answer as a QA system gave it, from which a collection is built.

    `verdict` is the assessors' verdict, or None if they did not judge the answer. `answered` is False if the system
    abstained and withheld this answer.
    """

    question_id: str
    system: str
    answer: str | None
    text: str | None = None
    verdict: Verdict | None = None
    document: str | None = None
    answered: bool = True


class Discarded(Struct, frozen=True):
    """An answer of a QA system that was left out of a collection.

    `rule` is the name in `RULES` of the rule that discarded the answer. `for_id` is the id of the kept answer that
    equals or contains the discarded answer, or None if the rule looks at a single answer.
    """

    question_id: str
    id: str
    system: str
    rule: str
    for_id: str | None = None


class Built(Struct, frozen=True):
    """A new collection, with the answers that were left out of it.

    `systems` maps the key of each candidate to the names of all systems that gave this answer, its removed duplicates
    included. How many systems agree is information that AVE hides from validators.
    """

    exercise: Exercise
    discarded: tuple[Discarded, ...]
    systems: Mapping[tuple[str, str], tuple[str, ...]]
    notes: tuple[Note, ...] = ()


class Counts(Struct, frozen=True):
    """The numbers of questions and answers in one language, as in a column of the paper's Tables 1 and 2.

    `available` is the number of answers that the QA systems gave, and `kept` is the share of them in the collection.
    """

    language: str
    questions: int
    answers: int
    available: int | None
    kept: float | None
    validated: int
    rejected: int
    unknown: int


class ByRule(Struct, frozen=True):
    """A rule, and the number of answers that it discarded."""

    rule: str
    answers: int


class _Group(Struct):
    """The answers to one question while the rules are applied: `kept` answers with their tokens, and `gone` ones."""

    kept: list[tuple[Candidate, tuple[str, ...]]] = field(default_factory=list)
    gone: list[Discarded] = field(default_factory=list)
    unlike: int = 0
    lost: int = 0  # right answers that were removed for a longer answer that is not right


def build(
    questions: Iterable[Question],
    offers: Iterable[Offer],
    *,
    name: str = "collection",
    rules: Collection[str] = RULES,
    longest: int = LONGEST,
    progress: Progress | None = None,
) -> Built:
    """Return a collection for validators, built from `questions` and `offers`, the answers of QA systems.

    Answers are removed by the `rules` chosen from `RULES`; of several equal answers, the first judged one is kept. Kept
    answers are ordered by a hash, so that ids do not reveal the system; the k-th answer to question Q gets the id Q_k.
    Right answers become VALIDATED, wrong and unsupported ones REJECTED, and inexact or unjudged ones UNKNOWN. Raises
    MismatchError for an answer to an unknown question, UsageError for an unknown rule.
    """
    if unknown := sorted({*rules} - {*RULES}):
        raise UsageError(f"unknown rule {unknown[0]!r}; rules are {', '.join(RULES)}")
    by_id = {question.id: question for question in questions}
    offered: dict[str, list[Offer]] = {identity: [] for identity in by_id}
    for offer in offers:
        if offer.question_id not in offered:
            raise MismatchError(
                f"system {offer.system!r} answers question {offer.question_id!r}, which is not among the questions"
            )
        offered[offer.question_id].append(offer)
    groups = {identity: _sift(offers_of, rules, longest) for identity, offers_of in followed(offered.items(), progress)}
    available: Counter[str] = Counter()
    for identity, offers_of in offered.items():
        available[language(by_id[identity]).upper()] += len(offers_of)
    used = tuple(question for question in by_id.values() if groups[question.id].kept)
    candidates = tuple(candidate for question in used for candidate, _ in groups[question.id].kept)
    gone = tuple(item for group in groups.values() for item in group.gone)
    exercise = Exercise(name, used, candidates, dict(available))
    unlike, lost = (sum(getattr(group, name) for group in groups.values()) for name in ("unlike", "lost"))
    bare = sum(not item.text for item in candidates)
    notes = tuple(_notes(len(by_id) - len(used), unlike, lost, bare, len(candidates)))
    return Built(exercise, gone, _systems(exercise, gone), notes)


def offers(runs: Iterable[Run], verdict: Callable[[str, str, str, int], Verdict | None]) -> Iterator[Offer]:
    """Yield each answer of the runs as an `Offer`, from which a collection can be built.

    `verdict` returns the assessors' verdict, given the name of a run, the id of a question, an answer and its rank.
    """
    for run in runs:
        for response in run.responses:
            question, answer = response.question_id, response.answer
            judgement = None if answer is None else verdict(run.name, question, answer, response.rank)
            support, document = response.support, response.document
            yield Offer(question, run.name, answer, support, judgement, document, response.answered)


def counts(exercise: Exercise) -> list[Counts]:
    """Return the numbers of questions and answers in each language, as in the paper's Tables 1 and 2.

    An answer without a value counts as UNKNOWN. `kept` is None if it is unknown how many answers the QA systems gave.
    """
    available = exercise.available
    tongue = {question.id: language(question).upper() for question in exercise.questions}
    tables = {name: Counter[str]() for name in [*tongue.values(), *available]}
    for name in tongue.values():
        tables[name]["questions"] += 1
    for candidate in exercise.candidates:
        tables[tongue[candidate.question_id]][candidate.value or Value.UNKNOWN] += 1
    rows = []
    for name, table in tables.items():
        answers = sum(table[value] for value in Value)
        there = available.get(name, 0) if available else None
        kept = answers / there if there else None
        rows.append(Counts(name, table["questions"], answers, there, kept, *(table[value] for value in Value)))
    return rows


def tally(built: Built, rules: Sequence[str] = RULES) -> tuple[ByRule, ...]:
    """Return each rule with the number of answers that it discarded."""
    per_rule = Counter(item.rule for item in built.discarded)
    return tuple(ByRule(rule, per_rule[rule]) for rule in rules)


def tokens(answer: str) -> tuple[str, ...]:
    """Return the tokens by which answers are compared: words and signs in lower case, without punctuation at the ends.

    A comparison of characters would mislead: the answer "3" is not contained in "since August 31" (Figure 3).
    """
    words = _TOKEN.findall((composed(answer) or "").casefold())
    start, end = 0, len(words)
    while start < end and words[start] in _EDGES:
        start += 1
    while end > start and words[end - 1] in _EDGES:
        end -= 1
    return tuple(words[start:end]) or (squeeze(answer),)


def contains(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Return whether the longer sequence contains all tokens of the shorter one consecutively, and has more tokens."""
    return len(longer) > len(shorter) and bool(find_words(longer, shorter))


def _sift(offers: Sequence[Offer], rules: Collection[str], longest: int) -> _Group:
    group = _Group()
    first: dict[tuple[str, ...], Candidate] = {}
    for number, offer in enumerate(sorted(offers, key=lambda offer: offer.verdict is None), 1):
        identity = f"{offer.question_id}_{number}"
        answer, text = (offer.answer or "").strip(), (offer.text or "").strip()
        rule = _rule(offer, answer, text, longest)
        if rule in rules:
            group.gone.append(Discarded(offer.question_id, identity, offer.system, str(rule)))
            continue
        value = VALUES[offer.verdict]
        candidate = Candidate(offer.question_id, identity, answer, text, offer.document, value, offer.system)
        key = tokens(answer)
        before = first.setdefault(key, candidate)
        if before is not candidate and "duplicate" in rules:
            group.unlike += offer.verdict is not None and before.value != value
            group.gone.append(Discarded(offer.question_id, identity, offer.system, "duplicate", before.id))
            continue
        group.kept.append((candidate, key))
    if "contained" in rules:
        _drop_contained(group)
    return _renumbered(group)


def _renumbered(group: _Group) -> _Group:
    """Return the answers of a group with new consecutive numbers: the kept ones, ordered by a hash, come first.

    Gaps in the numbers would reveal how often an answer was given, and the original order would reveal the system.
    """
    stay = sorted(group.kept, key=lambda pair: _place(pair[0]))
    old = [candidate.id for candidate, _ in stay] + [item.id for item in group.gone]
    names = {name: f"{name.rpartition('_')[0]}_{number}" for number, name in enumerate(old, 1)}
    kept = [(replace(candidate, id=names[candidate.id]), key) for candidate, key in stay]
    gone = [
        replace(item, id=names[item.id], for_id=None if item.for_id is None else names[item.for_id])
        for item in group.gone
    ]
    return _Group(kept, gone, group.unlike, group.lost)


def _place(candidate: Candidate) -> str:
    """Return a hash of an answer and its supporting text, by which the answers to a question are sorted."""
    words = json.dumps([candidate.question_id, candidate.answer, candidate.text, candidate.document])
    return hashlib.sha256(words.encode(errors="replace")).hexdigest()


def _rule(offer: Offer, answer: str, text: str, longest: int) -> str | None:
    if not answer:
        return "void"
    if answer.casefold() == NIL:
        return "nil"
    if not offer.answered:
        return "declined"
    return "long" if len(text) > longest else None


def _drop_contained(group: _Group) -> None:
    """Remove from a group each answer that a longer answer of the group contains.

    A longer answer that contains a removed one always remains, because no answer contains the longest one.
    """
    stay = []
    longest_first = sorted(group.kept, key=lambda item: -len(item[1]))
    for candidate, key in group.kept:
        holder = next((other for other, longer_key in longest_first if contains(longer_key, key)), None)
        if holder is None:
            stay.append((candidate, key))
        else:
            group.lost += candidate.right and not holder.right
            group.gone.append(
                Discarded(candidate.question_id, candidate.id, candidate.system or "", "contained", holder.id)
            )
    group.kept = stay


def _systems(exercise: Exercise, gone: Sequence[Discarded]) -> dict[tuple[str, str], tuple[str, ...]]:
    offered_by = {item.key: [item.system or ""] for item in exercise.candidates}
    for item in gone:
        if item.rule == "duplicate" and (key := (item.question_id, str(item.for_id))) in offered_by:
            offered_by[key].append(item.system)
    return {key: tuple(dict.fromkeys(systems)) for key, systems in offered_by.items()}


def _notes(without: int, unlike: int, lost: int, bare: int, kept: int) -> Iterable[Note]:
    if without:
        yield note(
            "ave.no_answer_left",
            "{questions} {questions:question has/questions have} no answer left, and {questions:is/are} not in the "
            "collection",
            questions=without,
        )
    if unlike:
        yield note(
            "ave.duplicates_differ",
            "{answers:n duplicate} {answers:was/were} judged differently from the first answer with the same text; "
            "the first verdict is kept",
            answers=unlike,
        )
    if lost:
        yield note(
            "ave.right_contained",
            "{answers:n right answer} {answers:is/are} contained in a longer one that is not right, and "
            "the rule 'contained' removed {answers:it/them}, so no selection can find {answers:it/them}",
            answers=lost,
        )
    if bare:
        yield note(
            "ave.no_support",
            "{answers} of {total:n answer} {answers:has/have} no supporting text (`support` in a run)",
            answers=bare,
            total=kept,
        )
