"""Find the sense of a word by extended Lesk over WordNet.

It is the sense whose glosses, and those of its neighbours, share most with the surrounding words.

Source: Banerjee & Pedersen 2002, "An adapted Lesk algorithm for word sense disambiguation using WordNet".
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from nescio.tasks.ave.validator._case import TITLE, Case
from nescio.tasks.ave.validator._lexical import Row
from nescio.tasks.ave.validator._parsing import parse
from nescio.tasks.ave.validator._words import Words, spans
from nescio.tasks.wordnet import open_folder
from nescio.text import content_stems

# from a parser's parts of speech to WordNet's
_PARTS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
STEPS = 3  # the distance above a sense up to which two words are of one kind


@lru_cache(maxsize=1 << 15)
def _signatures(folder: Path, word: str, part: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the senses of a word in WordNet, each with the stems of its gloss and of the glosses of related senses.

    `part` is a part of speech such as "n". Senses of other parts of speech are left out, unless no sense has this part
    of speech or it is "".
    """
    signatures, net = [], open_folder(folder)
    for sense in (net.synsets(word, part) if part else ()) or net.synsets(word):
        near = [sense, *sense.hypernyms(), *sense.hyponyms(), *sense.part_meronyms(), *sense.part_holonyms()]
        stems: set[str] = set()
        for other in near:
            stems |= _gloss(folder, other.name())
        signatures.append((sense.name(), frozenset(stems)))
    return tuple(signatures)


@lru_cache(maxsize=1 << 16)
def _gloss(folder: Path, name: str) -> frozenset[str]:
    sense: Any = open_folder(folder).synset(name)
    words = " ".join((sense.definition(), *sense.examples(), *sense.lemma_names())).replace("_", " ")
    return frozenset(content_stems(words))


def sense(folder: Path, word: str, own: str, around: frozenset[str], part: str = "") -> str | None:
    """Return the sense of a word whose gloss shares most stems with `around`, the stems of the words nearby.

    At a tie it is the commonest sense; None if WordNet has no sense. `own` is the word's own stem, which is ignored in
    `around`. `part` is the word's part of speech ("n", "v", "a" or "r"), or "" if it is unknown.
    """
    senses = _signatures(folder, word, part)
    if len(senses) < 2:
        return senses[0][0] if senses else None
    context = around - {own}
    return max(senses, key=lambda each: len(each[1] & context))[0]


@lru_cache(maxsize=1 << 14)
def _above(folder: Path, name: str) -> frozenset[str]:
    """Return the names of a WordNet sense and of its hypernyms up to three steps above it."""
    level, names = [open_folder(folder).synset(name)], {name}
    for _ in range(STEPS):
        level = [other for each in level for other in each.hypernyms()]
        names |= {other.name() for other in level}
    return frozenset(names)


@lru_cache(maxsize=1 << 12)
def _senses(folder: Path, words: tuple[tuple[str, str, str], ...]) -> dict[str, str]:
    """Return the sense of each word of a text, keyed by the word's stem."""
    around = frozenset(stem for _, stem, _ in words)
    sense_of_stem = ((stem, sense(folder, word, stem, around, part)) for word, stem, part in words)
    return {stem: name for stem, name in sense_of_stem if name is not None}


def _content(words: Words, parser: str | None) -> tuple[tuple[str, str, str], ...]:
    """Return the lemma, the stem and the part of speech of each content word of a text.

    Without a parser, the part of speech is "".
    """
    if parser is None:
        return tuple(dict.fromkeys((words.lemma[i], words.stem[i], "") for i in words.content))
    tags = {word.at: _PARTS.get(word.pos, "") for word in parse(parser, [words.text])[0]}
    first = [at for at, _ in spans(words.text)]
    return tuple(dict.fromkeys((words.lemma[i], words.stem[i], tags.get(first[i], "")) for i in words.content))


def senses(case: Case, folder: Path, parser: str | None = None) -> Row:
    """Return features of word senses: whether question and text use a word in the same sense.

    They also say whether another word of the text has the sense of a question word that the text lacks.
    """
    question, text = (_senses(folder, _content(words, parser)) for words in (case.question, case.text))
    sums = {"same": 0.0, "another": 0.0, "by another word": 0.0, "of its kind": 0.0, "nothing": 0.0}
    there = frozenset(text.values())
    for m in case.matches:
        question_sense = question.get(m.stem)
        if question_sense is None:
            continue
        if m.level > TITLE:
            kind = "same" if text.get(m.stem, question_sense) == question_sense else "another"
        elif question_sense in there:
            kind = "by another word"
        else:
            kind = "of its kind" if any(question_sense in _above(folder, other) for other in there) else "nothing"
        sums[kind] += m.weight
    return {name: value / case.total for name, value in sums.items()}
