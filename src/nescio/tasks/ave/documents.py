"""Read and write the files of the Answer Validation Exercise: collections, AVE 2006's pairs, and responses.

AVE 2006's files are no longer publicly available. Pairs are read and written in the form that its overview and the RTE
challenges share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from nescio.data.model import Question
from nescio.errors import FormatError, MismatchError, collected
from nescio.options.edge import Progress
from nescio.sources.documents import cells_of
from nescio.sources.source import Source
from nescio.sources.writing import atomic_write
from nescio.sources.xml import Element, fault_in, text_in, written
from nescio.stats.parallel import followed
from nescio.tasks.ave.exercise import (
    Candidate,
    Decision,
    Exercise,
    Pair,
    Problem,
    Validation,
    Value,
    pair_problems,
    problems,
)
from nescio.tasks.kit import fault_at
from nescio.text import finite

# The call for AVE 2008 says ACCEPTED. The call before it, and its own response format, say VALIDATED.
DECISIONS: Mapping[str, Decision] = {**Decision.__members__, "ACCEPTED": Decision.VALIDATED}
ENTAILED: Mapping[str, Decision] = {"YES": Decision.VALIDATED, "NO": Decision.REJECTED}
_VALUES: Mapping[str, Value] = {
    **Value.__members__,
    **dict.fromkeys(("YES", "TRUE", "ENTAILMENT"), Value.VALIDATED),  # RTE-1 and SPARTE say TRUE, RTE-2 and 3 YES
    **dict.fromkeys(("NO", "FALSE", "NONENTAILMENT"), Value.REJECTED),
}
_WORDS = {Value.VALIDATED: "YES", Value.REJECTED: "NO", Value.UNKNOWN: "UNKNOWN", None: ""}
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_LINE = "a line is: q_id a_id SELECTED|VALIDATED|REJECTED confidence"
_PAIR_LINE = "a line is: pair_id YES|NO confidence"


def _identity(source: Source, element: Element, seen: Mapping[str, object], what: str) -> str:
    """Return the id of an XML element. Raises FormatError if the id is not one word, or is in `seen`.

    An id becomes a cell of a line in a response file, so it must not have white space. `what` names the element in
    errors, such as "a question".
    """
    identity = element.get("id") or ""
    if len(identity.split()) != 1 or identity != identity.strip():
        raise fault_in(source, element, f"{what} needs an id without white space", element.get("id"))
    if identity in seen:
        raise fault_in(source, element, f"{what} with this id appears twice", identity)
    return identity


def _value(source: Source, element: Element, words: str) -> Value | None:
    written = element.get("value") or element.get("entailment") or ""
    if written.strip() and written.strip().upper() not in _VALUES:
        raise fault_in(source, element, f"a value must be {words} or empty", written)
    return _VALUES.get(written.strip().upper())


def _language(element: Element) -> str:
    return next(
        (ancestor.get("lang") or "" for ancestor in (element, *element.ancestors()) if ancestor.get("lang")), ""
    )


# ---- AVE 2007 ----


def read_exercise(source: Source) -> Exercise:
    """Return the collection in a file of AVE 2007's format (Figure 3 of its overview).

    Its answers have the assessors' values if the file states them. Raises FormatError with the line of the first
    invalid question or answer.
    """
    assert source.path is not None
    questions: dict[str, Question] = {}
    candidates: list[Candidate] = []
    root = source.document
    _hold_places(source, root)
    for element in root.tagged("q"):
        identity = _identity(source, element, questions, "a question")
        tongue = _language(element)
        strata = {"language": tongue} if tongue else {}
        questions[identity] = Question(identity, text_in(_child(source, element, "q_str")), strata=strata)
        if not questions[identity].text:
            raise fault_in(source, element, "a question must have its text in q_str", identity)
        candidates += _candidates(source, element, identity)
    if not candidates:
        raise FormatError(source.label, "the collection has no answer (element a within q) to validate")
    return Exercise(source.stem, tuple(questions.values()), tuple(candidates), _available(source, root))


def _available(source: Source, root: Element) -> dict[str, int]:
    """Return the number of answers before the collection was built, keyed by language.

    The numbers are in an attribute of the root element, such as `available="EN=335 ES=852"`.
    """
    counts = {}
    for word in (root.get("available") or "").split():
        language, _, count = word.rpartition("=")
        if not count.isdecimal():
            raise fault_in(
                source, root, "available must list the number of answers in each language, as in EN=335 ES=852", word
            )
        counts[language] = int(count)
    return counts


def _hold_places(source: Source, root: Element) -> None:
    """Raise FormatError for an element in a place where this reader would ignore it.

    Such elements are a pair beside questions, a question within a question, and an answer outside a question.
    """
    pair = next(root.tagged("pair"), None)
    if pair is not None and root.find(".//q") is not None:
        raise fault_in(
            source, pair, "the file mixes pairs of AVE 2006 with questions (q); split it into two files", pair.get("id")
        )
    for element in root.tagged("q", "a"):
        above = element.above
        if element.tag == "a" and (above is None or above.tag != "q"):
            raise fault_in(source, element, "an answer (a) must be directly inside its question (q)", element.get("id"))
        if element.tag == "q" and next(element.ancestors("q"), None) is not None:
            raise fault_in(source, element, "a question is inside another one", element.get("id"))


def _child(source: Source, element: Element, name: str) -> Element | None:
    """Return the only child of `element` with the name `name`, or None. Raises FormatError for two such children."""
    children = element.children(name)
    if len(children) > 1:
        raise fault_in(source, children[1], f"{name} appears twice in one {element.tag}", element.get("id"))
    return children[0] if children else None


def _candidates(source: Source, question: Element, identity: str) -> Iterator[Candidate]:
    seen: dict[str, Candidate] = {}
    for element in question.children("a"):
        name = _identity(source, element, seen, "an answer")
        answer, support = _child(source, element, "a_str"), _child(source, element, "t_str")
        if answer is None:
            raise fault_in(source, element, "an answer must have its text in a_str", name)
        seen[name] = Candidate(
            identity,
            name,
            text_in(answer),
            text_in(support),
            None if support is None else support.get("doc"),
            _value(source, element, "VALIDATED, REJECTED, UNKNOWN"),
            element.get("system"),
        )
        yield seen[name]


def write_exercise(
    exercise: Exercise,
    path: Path,
    *,
    values: bool = True,
    systems: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write a collection in the format of AVE 2007, and return how many characters XML could not hold.

    Such a character becomes U+FFFD. The file is written completely or not at all. Without `values`, the file is a test
    set: it hides the assessors' values, and the numbers of answers before the collection was built. With `systems`, it
    names the system of each answer. Raises MismatchError for an id with white space or a question without a text,
    because the file could not be read again.
    """
    _hold_ids([*(question.id for question in exercise.questions), *(entry.id for entry in exercise.candidates)])
    if empty := next((question.id for question in exercise.questions if not question.text.strip()), None):
        raise MismatchError(f"question {empty!r} has no text, but an AVE collection needs a text in q_str")
    clean = _Clean()
    root = ElementTree.Element("ave")
    if values and exercise.available:
        root.set("available", " ".join(f"{language}={count}" for language, count in exercise.available.items()))
    groups: dict[str, list[Candidate]] = {question.id: [] for question in exercise.questions}
    for candidate in exercise.candidates:
        groups[candidate.question_id].append(candidate)
    for question in followed(exercise.questions, progress):
        tongue = question.strata.get("language")
        element = ElementTree.SubElement(root, "q", clean({"id": question.id, "lang": tongue}))
        ElementTree.SubElement(element, "q_str").text = clean.text(question.text)
        for entry in groups[question.id]:
            value = (entry.value or "") if values else ""
            attributes = {"id": entry.id, "value": value, "system": entry.system if systems else None}
            answer = ElementTree.SubElement(element, "a", clean(attributes))
            ElementTree.SubElement(answer, "a_str").text = clean.text(entry.answer)
            ElementTree.SubElement(answer, "t_str", clean({"doc": entry.document})).text = clean.text(entry.text)
    _write(root, path)
    return clean.replaced


def _hold_ids(identities: Iterable[str]) -> None:
    """Raise MismatchError if an id is not one word, because a line of a response file could not hold it."""
    for identity in identities:
        if len(identity.split()) != 1 or identity != identity.strip():
            raise MismatchError(f"a response file cannot hold the id {identity!r}: white space separates its cells")


class _Clean:
    """A function that replaces the characters that XML cannot hold, and counts them in `replaced`."""

    def __init__(self) -> None:
        self.replaced = 0

    def text(self, text: str) -> str:
        cleaned, many = re.subn(_NOT_XML, "\N{REPLACEMENT CHARACTER}", text)
        self.replaced += many
        return cleaned

    def __call__(self, attributes: Mapping[str, str | None]) -> dict[str, str]:
        return {name: self.text(value) for name, value in attributes.items() if value is not None}


def _write(root: ElementTree.Element, path: Path) -> None:
    with atomic_write(path) as draft:
        draft.write_bytes(written(root))


# ---- AVE 2006 ----


def read_pairs(source: Source) -> list[Pair]:
    """Return the pairs of text (`t`) and hypothesis (`h`) in a file.

    The assessors' value of a pair is in the attribute `value` or, as in RTE-2 and RTE-3, `entailment`. The attribute
    `q_id` may name its question. Raises FormatError with the line of the first invalid pair.
    """
    assert source.path is not None
    pairs: dict[str, Pair] = {}
    for element in source.document.tagged("pair"):
        identity = _identity(source, element, pairs, "a pair")
        if next(element.ancestors("pair"), None) is not None:
            raise fault_in(source, element, "a pair is inside another one", identity)
        text, hypothesis = _child(source, element, "t"), _child(source, element, "h")
        if text is None or hypothesis is None or not text_in(hypothesis):
            raise fault_in(source, element, "a pair must have a text (t) and a hypothesis (h)", identity)
        value = _value(source, element, "YES, NO, UNKNOWN")
        group = (element.get("q_id") or "").strip() or None
        pairs[identity] = Pair(
            identity, text_in(text), text_in(hypothesis), value, group, text.get("doc"), _language(element)
        )
    if not pairs:
        raise FormatError(source.label, "there are no pairs")
    return list(pairs.values())


def write_pairs(pairs: Sequence[Pair], path: Path, *, values: bool = True) -> int:
    """Write pairs in the format of AVE 2006, and return how many characters XML could not hold.

    Such a character becomes U+FFFD. The file is written completely or not at all. Without `values`, the file is a test
    set, which hides the assessors' values.
    """
    _hold_ids(pair.id for pair in pairs)
    clean = _Clean()
    root = ElementTree.Element("entailment-corpus")
    for pair in pairs:
        value = _WORDS[pair.value] if values else ""
        attributes = {
            "id": pair.id,
            "value": value,
            "task": "QA",
            "q_id": pair.question_id,
            "lang": pair.language or None,
        }
        element = ElementTree.SubElement(root, "pair", clean(attributes))
        ElementTree.SubElement(element, "t", clean({"doc": pair.document})).text = clean.text(pair.text)
        ElementTree.SubElement(element, "h").text = clean.text(pair.hypothesis)
    _write(root, path)
    return clean.replaced


# ---- responses ----


def read_responses(source: Source, exercise: Exercise) -> list[Validation]:
    """Return a validator's decisions on the collection `exercise`, read from its response file.

    Raises FormatError with the line of the first decision that breaks a rule of AVE.
    """
    validations, lines = decisions_of(source)
    hold(source, lines, problems(exercise, validations))
    return validations


def decisions_of(source: Source, faults: list[FormatError] | None = None) -> tuple[list[Validation], list[int]]:
    """Return the decisions in a response file and their line numbers, without checking them against a collection.

    Raises FormatError at the first line that is not a decision; with `faults`, such errors are collected there instead.
    """
    return _decisions(source, 2, DECISIONS, _LINE, faults)


def read_pair_responses(source: Source, pairs: Sequence[Pair]) -> list[Validation]:
    """Return a validator's decisions on AVE 2006's pairs; YES is read as VALIDATED, and NO as REJECTED.

    Raises FormatError with the line of the first decision that breaks a rule.
    """
    validations, lines = _decisions(source, 1, ENTAILED, _PAIR_LINE)
    hold(source, lines, pair_problems(pairs, validations))
    return validations


def _decisions(
    source: Source, ids: int, words: Mapping[str, Decision], rule: str, faults: list[FormatError] | None = None
) -> tuple[list[Validation], list[int]]:
    """Return the decisions of a response file, and the line number of each.

    A line has one or two ids (`ids` says how many; one id is that of a pair), a decision, and perhaps a confidence.
    `words` translates the words of the file to decisions, such as "YES" to VALIDATED. `rule` is the sentence in errors
    that says what a line must have. With `faults`, errors are collected there instead of raised.
    """
    validations, lines = [], []
    for cells, line in cells_of(source):
        with collected(faults):
            if len(cells) not in (ids + 1, ids + 2):
                raise fault_at(source, line, rule, " ".join(cells))
            decision = words.get(cells[ids].upper())
            if decision is None:
                raise fault_at(source, line, f"a decision is {', '.join(words)}; {rule}", cells[ids])
            sure = finite(cells[-1]) if len(cells) == ids + 2 else None
            if sure is None and len(cells) == ids + 2:
                raise fault_at(source, line, "confidence must be a finite number", cells[-1])
            validations.append(Validation(cells[0], cells[ids - 1], decision, sure))
            lines.append(line)
    return validations, lines


def hold(
    source: Source, lines: Sequence[int], broken: Iterator[Problem], faults: list[FormatError] | None = None
) -> None:
    """Raise FormatError for the first problem in `broken`, or add an error for each problem to `faults` if it is given.

    `lines` has the line number of each decision in the file.
    """
    for problem in broken:
        with collected(faults):
            raise fault_at(source, lines[problem.at], problem.rule, problem.value)


def write_responses(validations: Sequence[Validation], path: Path, *, pairs: bool = False) -> None:
    """Write a validator's decisions as a response file, completely or not at all.

    With `pairs`, decisions are written as YES and NO, as in AVE 2006. Raises MismatchError if an id is not one word.
    """
    lines = []
    _hold_ids(identity for validation in validations for identity in (validation.question_id, validation.answer_id))
    for validation in validations:
        sure = "" if validation.confidence is None else f" {validation.confidence!r}"
        decided = f"{validation.question_id} {validation.answer_id} {validation.decision}"
        if pairs:
            decided = f"{validation.answer_id} {'NO' if validation.decision is Decision.REJECTED else 'YES'}"
        lines.append(f"{decided}{sure}\n")
    with atomic_write(path) as draft:
        draft.write_text("".join(lines), encoding="utf-8")
