"""Parse sentences with spaCy: words with part of speech, function and head, in one set of labels.

Any installed pipeline will do. The user names it, because a parser costs time. Labels of Universal Dependencies and of
German treebanks are converted to those of the English pipelines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.tasks.ave.hypotheses import hypothesis
from nescio.tasks.ave.validator._case import Case
from nescio.tasks.ave.validator._words import spans
from nescio.text import sentences

PIPELINES = "spacy_models"  # the entry points by which spaCy finds its pipelines
_LABELS = {
    "obj": "dobj",
    "oa": "dobj",
    "iobj": "dative",
    "da": "dative",
    "sb": "nsubj",
    "sp": "nsubj",
    "csubj": "nsubj",
    "sbp": "agent",
    "nsubj:pass": "nsubjpass",
    "aux:pass": "auxpass",
    "acl:relcl": "relcl",
    "rc": "relcl",
    "obl:agent": "agent",
    "app": "appos",
    "ng": "neg",
    "pd": "attr",
    "acomp": "attr",
    "nk": "compound",
    "flat": "compound",
}


class Token(Struct, frozen=True):
    """A word of a parsed text: its offset, lemma, part of speech, function, head and class of name."""

    at: int
    lower: str
    lemma: str
    pos: str
    dep: str
    head: int
    entity: str
    plural: bool


Parse = tuple[Token, ...]


class Parsed(Struct, frozen=True):
    """A parsed candidate: the words of its statement and of its text.

    `answer` has the indices of the answer's words in the statement, and `in_text` those in the text.
    """

    stated: Parse
    text: Parse
    answer: range
    in_text: range


def absent(parser: str | None) -> str | None:
    """Return the reason why nothing can be parsed, or None if parsing works."""
    if find_spec("spacy") is None:
        return "spaCy is not installed (pip install 'nescio[syntax]')"
    if parser is None:
        return "no parser is named with --parser"
    if parser not in entry_points(group=PIPELINES).names and not Path(parser).is_dir():
        return f"spaCy has no pipeline {parser}; install it, or name another with --parser"
    return None


def version(parser: str) -> str:
    """Return the name and version of the spaCy pipeline that `parser` names."""
    meta = _pipeline(parser).meta
    return f"{meta['lang']}_{meta['name']} {meta['version']}"


@lru_cache(maxsize=1)
def _pipeline(parser: str) -> Any:
    import spacy

    return spacy.load(parser)


@lru_cache(maxsize=1)
def _known(parser: str) -> dict[str, Parse]:  # noqa: ARG001
    return {}


def parse(parser: str, texts: Sequence[str]) -> list[Parse]:
    """Return the parsed words of each text.

    Each sentence is parsed alone and only once, so that its parse does not depend on its neighbours.
    """
    known = _known(parser)
    divided = [_sentences(text) for text in texts]
    unknown = sorted(
        {part for parts in divided for _, part in parts if part not in known}, key=lambda part: (len(part), part)
    )
    for part, doc in zip(unknown, _pipeline(parser).pipe(unknown, batch_size=128), strict=True):
        known[part] = tuple(
            Token(
                word.idx,
                word.lower_,
                (word.lemma_ or word.text).lower(),
                word.pos_,
                _LABELS.get(word.dep_, word.dep_) if word.head is not word else "ROOT",
                word.head.i,
                word.ent_type_,
                "Plur" in word.morph.get("Number"),
            )
            for word in doc
        )
    return [_whole(parts, known) for parts in divided]


def _sentences(text: str) -> list[tuple[tuple[int, ...], str]]:
    """Split a text into sentences, with white space reduced to single spaces.

    Each sentence comes with the offsets of its words in the original text.
    """
    parts, end = [], 0
    for sentence in sentences(text):
        places = []
        for word in sentence.split():
            places.append(text.index(word, end))
            end = places[-1] + len(word)
        parts.append((tuple(places), sentence))
    return parts


def _whole(parts: Sequence[tuple[tuple[int, ...], str]], known: Mapping[str, Parse]) -> Parse:
    """Join the parses of the sentences of a text; offsets and heads refer to the whole text.

    `parts` has the sentences with the offsets of their words, and `known` the parse of each sentence.
    """
    words: list[Token] = []
    for places, sentence in parts:
        first = len(words)
        for word in known[sentence]:
            before = sentence.rfind(" ", 0, word.at + 1) + 1
            at = places[sentence.count(" ", 0, word.at + 1)] + max(word.at - before, 0)
            words.append(replace(word, at=at, head=word.head + first))
    return tuple(words)


def each_parsed(
    compute: Callable[[Case, Parsed], dict[str, float]],
) -> Callable[[Sequence[Case], str], list[dict[str, float]]]:
    """Wrap `compute`, which returns the features of one parsed candidate, into a function for all candidates."""

    def all_rows(cases: Sequence[Case], parser: str) -> list[dict[str, float]]:
        return [compute(case, parsed) for case, parsed in zip(cases, parsed_cases(cases, parser), strict=True)]

    return all_rows


def parsed_cases(cases: Sequence[Case], parser: str) -> list[Parsed]:
    """Parse the statement and the text of each candidate."""
    statements = [hypothesis(case.question.text, case.answer.text) for case in cases]
    texts = [case.text.text for case in cases]
    parses = parse(parser, [*statements, *texts])
    results = []
    for case, statement, stated, text in zip(
        cases, statements, parses[: len(cases)], parses[len(cases) :], strict=True
    ):
        answer = case.answer.text.strip().rstrip(".")
        at = statement.lower().find(answer.lower())
        places = spans(case.text.text)[slice(*case.span)]
        within = (places[0][0], places[-1][1]) if places else (0, 0)
        named = (at, at + len(answer)) if at >= 0 else (0, 0)
        results.append(Parsed(stated, text, _covered(stated, *named), _covered(text, *within)))
    return results


def _covered(words: Parse, first: int, end: int) -> range:
    """Return the range of the words whose offset in the text is from `first` to below `end`."""
    inside = [i for i, word in enumerate(words) if first <= word.at < end]
    return range(inside[0], inside[-1] + 1) if inside else range(0)


def top(words: Parse, part: range) -> int | None:
    """Return the index of the word that heads the phrase `part`, or None if `part` is empty.

    It is the first word of the range whose head lies outside the range, or that has no head.
    """
    return next((i for i in part if words[i].head not in part or words[i].head == i), None)
