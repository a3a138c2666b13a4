"""Find questions that runs were asked under one name, but with another text or another gold answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from itertools import combinations
from typing import Any, Literal

from nescio.data.notes import Note, note
from nescio.data.texts import in_words
from nescio.text import composed

# the codes of notes that runs have other questions under the same names: of any log, of lm-eval, and of a table
OTHER_QUESTIONS, OTHER_DOCUMENTS = "questions.differ", "lm_eval.documents_differ"
OTHER_TEXTS = "outcomes_table.texts_differ"
What = Literal["text or other options", "gold answer"]
TEXT: What = "text or other options"
GOLD: What = "gold answer"
_SIZE = 8  # the bytes of a digest
UNSAID = bytes(_SIZE)  # the digest of a text that a file does not state


def words_digest(asked: Any, gold: Any) -> bytes:
    """Return digests of a question (its text, or a list of it and its options) and of its gold answers, one after the
    other.

    Upper case, white space, and the order of several gold answers make no difference. The result is empty if neither
    is stated.
    """
    if asked is None and gold is None:
        return b""
    golds = gold if isinstance(gold, (list, tuple)) else [gold]
    return _digest(asked if isinstance(asked, (list, tuple)) else [asked]) + _digest(sorted({*map(plain, golds)}))


def plain(value: Any) -> str:
    """Return a text, or another JSON value, in the form in which runs are compared: with single spaces, in NFC, and
    without upper case."""
    return composed(" ".join(in_words(value).split()).casefold()) or ""


def changed_words(stated: Callable[[], Iterable[tuple[str, str, bytes]]], total: int) -> list[Note]:
    """Return notes on questions whose text or gold answers differ between runs; `total` is the number of questions.

    `stated` is a function that yields a question, a run, and the digests that `words_digest` returned. The texts of a
    run that states none are not compared, but its gold answers are: its grades may rest on another key.
    """
    notes: list[Note] = []
    for what, part in ((TEXT, slice(_SIZE)), (GOLD, slice(_SIZE, 2 * _SIZE))):
        first: dict[str, bytes] = {}
        runs = {run for _, run, words in stated() if words[part] and (what == GOLD or words[part] != UNSAID)}
        known = ((question, words[part]) for question, run, words in stated() if words[part] and run in runs)
        differ = {question for question, digest in known if first.setdefault(question, digest) != digest}
        if differ:
            said_of = ((question, run, words[part]) for question, run, words in stated() if question in differ)
            notes += changed(what, (statement for statement in said_of if statement[2] and statement[1] in runs), total)
    return notes


def changed(what: What, stated: Iterable[tuple[str, str, Hashable]], total: int) -> list[Note]:
    """Return a note on questions of which two runs state different things; empty if there are none.

    `stated` has a question, a run and what the run states, such as a digest of the text. A run may state several
    things of a question that it was asked several times. Two runs differ if neither states all that the other does.
    UNSAID and an empty tuple stand for nothing. `total` is the number of questions.
    """
    by_question: dict[str, dict[str, set[Hashable]]] = {}
    for question, run, text in stated:
        by_question.setdefault(question, {}).setdefault(run, set()).add(text)
    pairs: dict[tuple[str, str], str] = {}
    questions, or_none = 0, ""
    for question, of_runs in by_question.items():
        differing = _differing(of_runs)
        questions += bool(differing)
        if differing and any({UNSAID, ()} & texts for texts in of_runs.values()):
            or_none = ", or none,"
        for pair in differing:
            pairs.setdefault(pair, question)
    if not pairs:
        return []
    (run, other), question = next(iter(pairs.items()))
    return [
        note(
            OTHER_QUESTIONS,
            "{questions} of {total:n question} {questions:has/have} another {what} in some runs than in others; for "
            "example {question!r} in {run!r} and in {other!r}",
            questions=questions,
            total=total,
            what=what + or_none,
            question=question,
            run=run,
            other=other,
            pairs=tuple(pairs),
            examples=tuple((asked, *pair) for pair, asked in pairs.items()),
        )
    ]


def are_apart(said: Set[Hashable], other: Set[Hashable]) -> bool:
    """Return whether two runs were asked different things: neither states all that the other does."""
    return not (said <= other or other <= said)


def _differing(of_runs: dict[str, set[Hashable]]) -> Sequence[tuple[str, str]]:
    groups: dict[frozenset[Hashable], list[str]] = {}
    for run, texts in of_runs.items():
        groups.setdefault(frozenset(texts), []).append(run)
    apart = [pair for pair in combinations(groups, 2) if are_apart(*pair)]
    return [(name, other) for first, second in apart for name in groups[first] for other in groups[second]]


def _digest(parts: Iterable[Any]) -> bytes:
    texts = [text for text in map(plain, parts) if text]
    if not texts:
        return UNSAID
    return hashlib.blake2b("\0".join(texts).encode(errors="replace"), digest_size=_SIZE).digest()
