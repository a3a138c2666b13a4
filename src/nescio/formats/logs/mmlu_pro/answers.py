"""The letter that each answer is read as, by the rules of the repository, and what was met on the way."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, field

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SAID_SO, SILENT
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.data.texts import in_words, texts_of
from nescio.errors import FormatError, opt
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.registry import ReadOptions
from nescio.sources.elements import identifier
from nescio.sources.json import as_text
from nescio.sources.source import Source
from nescio.sources.text_files import WHITE

TEXTS = ("generated_text", "model_outputs", "response")
_STRICT = re.compile(r"answer is \(?([A-J])\)?")
_AGAIN = re.compile(r"[aA]nswer:(?=\s*([A-J]))")
_ALONE = re.compile(r"\b[A-J]\b")


class _Seen(Struct):
    """What was met in a run: letters in pred that the text does not say, or says otherwise, answers without a text, and
    the letters that only the repository's second and third rule find."""

    random: int = 0
    other: int = 0
    textless: int = 0
    again: int = 0
    alone: int = 0


class Reading(Struct):
    """What all files share: how a letter is found, what was met, and what each question was to every run."""

    extract: str
    options: ReadOptions
    seen: dict[str, _Seen] = field(default_factory=dict)
    kinds: dict[str, set[int]] = field(default_factory=dict)


def strict(text: str) -> str | None:
    """Return the letter that the repository's first rule finds in a text: the first after "answer is"."""
    match = _STRICT.search(text)
    return match[1] if match else None


def again(text: str) -> str | None:
    r"""Return the letter that its second rule finds, `.*[aA]nswer:\s*([A-J])`: of the first line that has one, the
    last."""
    letter, end = None, 0
    for match in _AGAIN.finditer(text):
        if letter is not None and "\n" in text[end : match.start()]:
            break
        letter, end = match[1], match.start()
    return letter


def alone(text: str) -> str | None:
    r"""Return the letter that its third rule finds, `\b[A-J]\b(?!.*\b[A-J]\b)`: the last that stands alone."""
    letters = _ALONE.findall(text)
    return letters[-1] if letters else None


def grade(source: Source, run: str, item: Any, where: str, reading: Reading) -> Graded:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=where, value=value)

    if not isinstance(item, dict):
        raise fail("each item must be a JSON object", item)
    name, pred, gold = identifier(item, "question_id", source.label, where), item.get("pred"), item.get("answer")
    if not isinstance(gold, str) or not gold.strip(WHITE):
        raise fail("answer must be a letter", gold)
    if pred is not None and not isinstance(pred, str):
        raise fail("pred must be a letter or null", pred)
    text = next((as_text(item[key]) for key in TEXTS if item.get(key) is not None), None)
    letter, why = _letter(pred.strip(WHITE) if pred else None, text, reading, run)
    gold = gold.strip(WHITE)
    kind = repr((item.get("question"), item.get("options"), gold))
    reading.kinds.setdefault(name.strip(WHITE), set()).add(hash(kind))
    strata = {key: item[key] for key in ("category", "src") if isinstance(item.get(key), str)}
    state = SILENT if letter is None else CORRECT if letter == gold else INCORRECT
    words = None
    if reading.options.texts:
        choices = [f"{chr(65 + i)}. {in_words(one)}" for i, one in enumerate(item.get("options") or ())]
        asked = "\n".join([in_words(item.get("question")), *choices])
        named = ord(gold) - 65 if len(gold) == 1 else -1
        right = choices[named] if 0 <= named < len(choices) else gold
        words = texts_of(asked, [right], text, letter)
    return Graded(run, name.strip(WHITE), state, why=why, strata=strata, where=where, path=source.label, texts=words)


def _letter(pred: str | None, text: str | None, reading: Reading, run: str) -> tuple[str | None, str | None]:
    """Return the letter that an answer is read as, and why there is none."""
    seen = reading.seen.setdefault(run, _Seen())
    if declined(reading.options, text):
        return None, SAID_SO
    if text is None:
        seen.textless += 1
        return pred or None, None if pred else NO_FORM
    letter = strict(text)
    if letter is None:
        second = again(text)
        looser = second or alone(text)
        seen.again += second is not None
        seen.alone += second is None and looser is not None
        letter = looser if reading.extract == "full" else None
    seen.random += letter is None and bool(pred)
    seen.other += letter is not None and letter != pred
    chosen = pred or None if reading.extract == "pred" else letter
    return chosen, None if chosen else NO_FORM if text.strip() else EMPTY


def notes_on(reading: Reading) -> list[Note]:
    notes: list[Note] = []
    trusted, full = reading.extract == "pred", reading.extract == "full"
    for run, seen in reading.seen.items():
        if seen.random and full:
            notes.append(
                note(
                    "mmlu_pro.random_letters",
                    "run {subject!r}: {letters} letters in pred cannot be reproduced from the text by any rule of the "
                    f"repository, and are random: read as unanswered ({opt('choose', {'extract': 'pred'})} trusts "
                    "them)",
                    run,
                    letters=seen.random,
                )
            )
        elif seen.random:
            notes.append(
                note(
                    "mmlu_pro.letters_not_strict",
                    "run {subject!r}: {letters} letters in pred cannot be reproduced from the text by the rule "
                    '"answer is (X)", and are random or come from a looser rule: '
                    f"{{trusted:trusted, as requested/read as unanswered ({opt('choose', {'extract': 'pred'})} trusts "
                    "them)}",
                    run,
                    letters=seen.random,
                    trusted=trusted,
                )
            )
        if (seen.again or seen.alone) and not trusted:
            notes.append(_looser_note(run, seen, read=full))
        if seen.other:
            notes.append(
                note(
                    "mmlu_pro.other_letters",
                    "run {subject!r}: {texts} texts give a different letter from pred: "
                    "{trusted:pred is trusted, as requested/the text is read}",
                    run,
                    texts=seen.other,
                    trusted=trusted,
                )
            )
        if seen.textless:
            notes.append(
                note(
                    "mmlu_pro.textless",
                    "run {subject!r}: {answers:n answer} {answers:has/have} no text: pred is used unchanged",
                    run,
                    answers=seen.textless,
                )
            )
    if differing := sum(len(kinds) > 1 for kinds in reading.kinds.values()):
        notes.append(
            note(
                "mmlu_pro.questions_differ",
                "{questions} of {total} questions are not the same in all files (text, options or answer differ): "
                "each run is graded by its own file",
                questions=differing,
                total=len(reading.kinds),
            )
        )
    return notes


def _looser_note(run: str, seen: _Seen, *, read: bool) -> Note:
    """Count the letters that the repository's second and third rule find; `read` says that they are answers."""
    rules = (
        note("mmlu_pro.after_answer", '{letters} stand after "Answer:"', letters=seen.again),
        note("mmlu_pro.last_alone", "{letters} are the last one alone in the text", letters=seen.alone),
    )
    return note(
        "mmlu_pro.looser_rules",
        "run {subject!r}: letters that only looser rules of the repository find: {rules:list}: "
        f"{{read:read as answers, as requested/unanswered unless {opt('choose', {'extract': 'full'})}}}",
        run,
        rules=[rule for rule in rules if rule["letters"]],
        read=read,
    )
