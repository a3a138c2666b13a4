r"""Deep Read (Hirschman, Light, Breck & Burger, ACL 1999): choose the sentence of the story that shares most words with
the question.

Question and sentences are *sets* of words. The sentence with the largest intersection wins. Among several, the one that
matches on longer words wins, and then the earlier one. No word is too common to count. Switches, as in the paper's
Table 1:

    Stem   words are stemmed
    Name   a symbol for a person, a place or a time is added to each sentence that names one, and to who, where and when
           questions
    Sem    the same for the classes of common nouns, by WordNet
    Filt   sentences with the class that the question demands are ranked above the others
    Pro    the words of a person are added to each sentence that speaks of them as he, him, his, she or her

NameHum and ProHum, the paper's upper bounds, need names and references marked by hand, which no collection here has.

With options, the sets of question and option are joined, and the option with the best supporting sentence wins. The
confidence is our own. A word in $n_t$ of the n sentences weighs $w_t = \ln(1 + n / n_t)$. The confidence is the weight
of the question's words in the chosen sentence, divided by the weight of all of them. With options it is m / (1 + m) for
the margin m in weight over the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from nescio.data.model import Question
from nescio.errors import UnknownNameError, UsageError, opt
from nescio.tasks.reading import entities as classes
from nescio.tasks.reading.systems._system import Scored, System, check, weigh
from nescio.tasks.wordnet import HINT, lacking
from nescio.text import content_stems, question_word, stem, words

Switch = Literal["Filt", "Sem", "Pro", "Name", "Stem"]
SWITCHES: tuple[Switch, ...] = get_args(Switch)  # in the order of the paper's names of systems
BY_HAND = ("NameHum", "ProHum")
Bag = frozenset[str]
Merit = tuple[bool, int, tuple[int, ...]]


class _Sentence(Struct, frozen=True):
    """A sentence as Deep Read compares it: a bag of words, and the classes of the entities that it names."""

    bag: Bag
    classes: Bag


def parse_switches(switches: Iterable[str], folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the switches, such as "Stem", in the order of the paper.

    Raises UnknownNameError for an unknown switch, UsageError for a switch that needs something unavailable.
    """
    wanted = set(switches)
    for name in sorted(wanted):
        if name in BY_HAND:
            raise UsageError(
                f"the switch {name} needs names or references that people marked, and nescio has "
                f"no such data; use {name[:-3]}"
            )
        if name not in SWITCHES:
            raise UnknownNameError("switch", name, (*SWITCHES, *BY_HAND))
    if "Sem" in wanted and folder is not None and (file := lacking(folder)):
        raise UsageError(f"Sem needs WordNet, and there is no {file} in {folder}")
    if "Sem" in wanted and folder is None and not classes.has_wordnet():
        raise UsageError(f"Sem needs WordNet, which was not found: {HINT}; or name its folder with {opt('wordnet')}")
    if "Filt" in wanted and not wanted & {"Name", "Sem"}:
        raise UsageError("Filt needs the classes that Name or Sem finds: also switch on Name or Sem")
    return tuple(name for name in SWITCHES if name in wanted)


def deep_read(switches: Iterable[str] = (), folder: Path | None = None) -> System:
    """Return the system Deep Read with `switches` on; `folder` is the folder of WordNet, if not the usual one."""
    on = parse_switches(switches, folder)

    def choose(question: Question) -> Scored:
        check(question, options=False)
        return _choose_option(question, on, folder) if question.options else _choose_sentence(question, on, folder)

    return choose


def _bag(text: str, on: tuple[str, ...]) -> Bag:
    return frozenset(stem(word) if "Stem" in on else word for word in words(text))


@lru_cache(maxsize=1 << 10)
def _sentences(story: tuple[str, ...], on: tuple[str, ...], folder: Path | None) -> tuple[_Sentence, ...]:
    named = classes.recognise(story) if {"Name", "Pro"} & set(on) else ()
    meant = classes.referents(story) if "Pro" in on else ()
    bags = []
    for i, sentence in enumerate(story):
        classes_held: set[str] = set(named[i].classes) if "Name" in on else set()
        if "Sem" in on:
            classes_held.update(*(classes.noun_classes(word, folder) for word in words(sentence)))
        bag = _bag(sentence, on)
        if "Pro" in on and meant[i]:
            bag |= _bag(" ".join(meant[i]), on)
            classes_held |= {classes.PERSON} if "Name" in on else set()
        bags.append(_Sentence(bag | classes_held, frozenset(classes_held)))
    return tuple(bags)


def _question_bag(question: Question, on: tuple[str, ...]) -> tuple[Bag, str | None]:
    """Return the words of a question as a set, and the class of entity that it asks for, such as person, or None.

    `on` has the switches of Deep Read that are on.
    """
    demanded = classes.DEMANDED.get(question_word(question.text)) if {"Name", "Sem"} & set(on) else None
    return _bag(question.text, on) | ({demanded} if demanded else frozenset()), demanded


def _merit(bag: Bag, demanded: str | None, sentence: _Sentence, on: tuple[str, ...]) -> Merit:
    """Return the key by which Deep Read sorts sentences; the largest is best.

    Its parts are whether the sentence names an entity of the `demanded` class, the number of words that it shares with
    the question, and their lengths. The first part matters only with the switch "Filt".
    """
    shared = bag & sentence.bag
    fits = "Filt" not in on or demanded is None or demanded in sentence.classes
    lengths = sorted((len(word) for word in shared if not word.startswith(":")), reverse=True)
    return fits, len(shared), tuple(lengths)


def _choose_sentence(question: Question, on: tuple[str, ...], folder: Path | None) -> Scored:
    story = _sentences(question.story, on, folder)
    bag, demanded = _question_bag(question, on)
    merits = [_merit(bag, demanded, sentence, on) for sentence in story]
    best = max(range(len(story)), key=lambda i: (merits[i], -i))
    sentence_counts = _held(question.story)
    stems = frozenset(content_stems(question.text))
    whole = weigh(stems, sentence_counts, len(story))
    sure = (
        weigh(stems.intersection(content_stems(question.story[best])), sentence_counts, len(story)) / whole
        if whole
        else 0.0
    )
    return Scored(tuple(float(count) for _, count, _ in merits), best, best, round(sure, 9))


def _choose_option(question: Question, on: tuple[str, ...], folder: Path | None) -> Scored:
    story = _sentences(question.story, on, folder)
    bag, demanded = _question_bag(question, on)
    sentence_counts, merited = _held(question.story), []
    for text in question.options:
        option_words = _bag(text, on) - bag
        merits = [
            (bool(option_words & sentence.bag), *_merit(bag | option_words, demanded, sentence, on))
            for sentence in story
        ]
        at = max(range(len(story)), key=lambda i: (merits[i], -i))
        stems = frozenset(content_stems(f"{question.text} {text}")).intersection(content_stems(question.story[at]))
        merited.append((merits[at], weigh(stems, sentence_counts, len(story)) if merits[at][0] else 0.0, at))
    best = max(range(len(merited)), key=lambda i: (merited[i][0], merited[i][1], -i))
    margin = merited[best][1] - max((sentence[1] for i, sentence in enumerate(merited) if i != best), default=0.0)
    sure = round(max(margin, 0.0) / (1 + max(margin, 0.0)), 9)
    return Scored(tuple(float(merit[2]) for merit, _, _ in merited), merited[best][2], best, sure)


@lru_cache(maxsize=1 << 10)
def _held(story: tuple[str, ...]) -> Mapping[str, int]:
    """Return the number of sentences of a story that have each stem of a content word, keyed by stem."""
    return Counter(word for sentence in story for word in set(content_stems(sentence)))
