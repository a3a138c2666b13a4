"""Keep in a written file what gates ask of a run, and what its answers alone do not show.

Six columns hold it, and a file has a column only where it says something. `question_digest` and `gold_digest` are
digests of the words of a question and of its gold answers, after the name of the format that stated them:
`inspect:9f86d081884c7d65`. Digests of two tools are not compared, but those of nescio's own formats are compared with
those of any tool, unless these are of a part of a question, or of more than its text (`evalscope_own_text`).
`answers_held` says how many answers the run's file held and stated ("186 of 400", or "186 of unknown"; "700 of 800 in 2
runs" if the file states a number for several runs together; "186 of 400, others incorrect" if the option `--rest` says
what the others count as). `no_gate_because` is the reason why no gate can rest on the run's answers. `grades_between`
is the range of the grades that the user compared with a threshold, such as "0.1 to 0.9 (score)". `output_was` says
what an output lacked (`output_lacks` of `nescio.data.reasons`), such as "empty", whatever its outcome.

Files outlive a version: a format whose reader takes digests of other words than before needs another name in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, product, repeat
from typing import Any

import numpy as np

from nescio.data.changed_questions import UNSAID, are_apart, changed_words
from nescio.data.columns import Array
from nescio.data.dropped import FEWER_HELD, fewer_held
from nescio.data.notes import Note, note

QUESTION_DIGEST, GOLD_DIGEST = "question_digest", "gold_digest"
HELD, NO_GATE, GRADES = "answers_held", "no_gate_because", "grades_between"
DIGESTS, OF_RUNS = (QUESTION_DIGEST, GOLD_DIGEST), (HELD, NO_GATE, GRADES)
OUTPUT_WAS = "output_was"
KEPT = (*DIGESTS, *OF_RUNS, OUTPUT_WAS)
SILENT_ON_ANSWERS = "answerable"  # of the runs whose rows do not say whether a question has an answer
UNFIT = "kept.no_gate"  # the code of a note that no gate can rest on a run, because of what its file says
GOLD_PART = 1  # the number of the gold answers among the parts of digests
_HALF, _WHOLE = len(UNSAID), 2 * len(UNSAID)
DIGEST = r"(\S+):([0-9a-f]{16})"  # the form of a digest
_DIGEST = re.compile(DIGEST)
_HELD = re.compile(r"(\d+) of (\d+|unknown)(?: in (\d+) runs)?(?:, others (correct|incorrect|unanswered))?")
_BETWEEN = "; "
_OWN = (b"", b"questions", b"outcomes")  # the names of digests in nescio's own formats
WITH_OPTIONS = b"_options"  # ends the name of digests of a question and of what it offers to choose from
_APART = (b"_own_text", b"_document", WITH_OPTIONS)  # end the names of digests that are not of a text and gold alone


def in_each_run(digests: Sequence[bytes | None], runs: int) -> Array:
    """Return the digests of questions for so many runs that were asked the same, shape (runs, questions)."""
    row: Array = np.empty(len(digests), dtype=object)
    row[:] = digests
    return np.tile(row, (runs, 1))


def stated_by(words: Array | None, form: str) -> Array | None:
    """Return digests with the name of the format that stated them; digests that have a name keep it."""
    if words is None:
        return None
    made: dict[Any, Any] = {None: None, b"": None}
    flat = words.ravel()
    for digests in flat:
        if digests not in made:
            made[digests] = digests + form.encode() if len(digests) == _WHOLE else digests
    named: Array = np.empty(flat.shape, dtype=object)
    named[:] = [made[digests] for digests in flat]
    return named.reshape(words.shape)


def with_document(words: bytes, document: str) -> bytes:
    """Return digests in which that of the question also covers the hash of its document, as lm-eval states it."""
    asked = blake2b(words[:_HALF] + document.encode(errors="replace"), digest_size=_HALF).digest()
    return asked + (words[_HALF:_WHOLE] or UNSAID) + b"lm_eval_document"


def in_texts(words: bytes | None) -> tuple[str | None, str | None]:
    """Return the cells of `question_digest` and `gold_digest`; a cell is None if its digest is unknown."""
    if not words:
        return None, None
    form = words[_WHOLE:].decode(errors="replace") or "unknown"
    halves = (words[:_HALF], words[_HALF:_WHOLE])
    asked, gold = (None if half == UNSAID else f"{form}:{half.hex()}" for half in halves)
    return asked, gold


def from_texts(asked: Any, gold: Any, form: str = "") -> bytes:
    """Return the digests in two cells, empty if they hold none; the name of the format `form` itself is left out."""
    matches = [_DIGEST.fullmatch(cell) if isinstance(cell, str) else None for cell in (asked, gold)]
    named = next((match[1] for match in matches if match), "")
    if not named:
        return b""
    halves = [bytes.fromhex(match[2]) if match and match[1] == named else UNSAID for match in matches]
    return b"".join(halves) + (b"" if named == form else named.encode())


def _kind(words: bytes) -> bytes:
    """Return the name of the tool whose digests can be compared with these; empty for files in nescio's own formats."""
    form = words[_WHOLE:]
    return b"" if form in _OWN else form


def _can_be_compared(kind: bytes, other: bytes) -> bool:
    """Return whether digests of two kinds can be compared.

    Tools may word one question in two ways, as with its options. A file in nescio's own format states the words of the
    log beside it, but not its options. Two logs of a tool differ if only one has options.
    """
    alike = kind.removesuffix(WITH_OPTIONS) == other.removesuffix(WITH_OPTIONS)
    return alike or (not (kind and other) and not (kind + other).endswith(_APART))


def changed_in(runs: Sequence[str], questions: Sequence[str], words: Array) -> list[Note]:
    """Return notes on questions whose digests differ between runs; `words` has shape (runs, questions).

    Digests of different kinds are not compared.
    """
    total, notes = len({*questions}), list[Note]()
    rows = [zip(repeat(run), questions, row, strict=False) for run, row in zip(runs, words.tolist(), strict=True)]
    by_form: dict[bytes, list[tuple[str, str, bytes]]] = {}
    for run, question, digests in chain(*rows):
        if digests:
            by_form.setdefault(_kind(digests), []).append((question, run, digests[:_WHOLE]))
    groups = [{*pair} for pair in product(by_form, repeat=2) if _can_be_compared(*pair)]
    for group in (group for group in groups if not any(group < other for other in groups)):
        stated = [triple for name, triples in by_form.items() if name in group for triple in triples]
        notes += changed_words(lambda: stated, total)  # noqa: B023 - called at once
    return list(dict.fromkeys(notes))


def asked_alike(
    runs: Array, baseline: tuple[Sequence[str], Array], questions: Sequence[str], part: int
) -> dict[str, bool]:
    """Return whether all runs state of a question what the baseline states, for each question of which both state it.

    `runs` has shape (runs, questions), `baseline` the questions of a single run and its digests. Part 0 is what was
    asked, and GOLD_PART the gold answers. Digests of different kinds are not compared.
    """
    before = _said(*baseline, part)
    alike: dict[str, bool] = {}
    for row in runs:
        for question, by_form in _said(questions, row, part).items():
            kinds = product(by_form, before.get(question, {}))
            for new, old in (pair for pair in kinds if _can_be_compared(*pair)):
                same = not are_apart(by_form[new], before[question][old])
                alike[question] = alike.get(question, True) and same
    return alike


def state_gold(words: Array) -> bool:
    """Return whether some of these digests hold gold answers."""
    return any(digests and digests[_HALF:_WHOLE] not in (b"", UNSAID) for digests in words.flat)


def _said(questions: Sequence[str], row: Array, part: int) -> dict[str, dict[bytes, set[bytes]]]:
    """Return what a run states of each question, keyed by question and by the kind of its digests.

    UNSAID is among it if the run states this part of other questions, and always if this part is the gold answers.
    """
    halves = [
        (question, _kind(digests), digests[part * _HALF : (part + 1) * _HALF])
        for question, digests in zip(questions, row, strict=True)
        if digests
    ]
    forms = {form for _, form, half in halves if part == GOLD_PART or half != UNSAID}
    by_question: dict[str, dict[bytes, set[bytes]]] = {}
    for question, form, half in halves:
        if form in forms:
            by_question.setdefault(question, {}).setdefault(form, set()).add(half)
    return by_question


def held_in_words(notes: Iterable[Note]) -> dict[str, str]:
    """Return the text of `answers_held` for each run whose files state more answers than they hold."""
    parts: dict[str, list[str]] = {}
    for remark in notes:
        if remark.code == FEWER_HELD:
            among, rest = len(remark["runs"]), remark["rest"]
            of = "unknown" if remark["stated"] is None else remark["stated"]
            text = f"{remark['held']} of {of}{f' in {among} runs' if among > 1 else ''}{rest and f', others {rest}'}"
            for run in remark["runs"]:
                parts.setdefault(run, []).append(text)
    return {run: _BETWEEN.join(dict.fromkeys(texts)) for run, texts in parts.items()}


def is_held(text: str) -> bool:
    """Return whether a text is one of `answers_held`."""
    return all(map(_HELD.fullmatch, text.split(_BETWEEN)))


def speaks_of_held(texts: Iterable[str]) -> bool:
    """Return whether texts say how many answers a file held, in nescio's form or another; a user's own texts do not."""
    return any(is_held(text) or any(map(str.isdigit, text)) for text in texts)


def notes_on(held: Iterable[tuple[str, str]], unfit: Iterable[tuple[str, str]], files: Mapping[str, str]) -> list[Note]:
    """Return the notes that the columns about runs stand for: pairs of a run and its text in `answers_held`, and pairs
    of a run and its text in `no_gate_because`.

    `files` has the name of each run's file.
    """
    together: dict[tuple[str, str], list[str]] = {}
    for run, text in held:
        for part in text.split(_BETWEEN):
            names = together.setdefault((files[run], part), [])
            names += [] if run in names else [run]
    notes = []
    for (file, part), runs in together.items():
        if match := _HELD.fullmatch(part):
            number, of, among, rest = match.groups()
            stated = None if of == "unknown" else int(of)
            groups = [runs] if among else [[run] for run in runs]
            how: dict[str, Any] = {"among": int(among or 1), "rest": rest or ""}
            notes += [fewer_held(file, group, stated, int(number), **how) for group in groups]
    for run, why in unfit:
        notes.append(note(UNFIT, "run {subject!r}: its file says that no gate can rest on {why}", run, why=why))
    return notes
