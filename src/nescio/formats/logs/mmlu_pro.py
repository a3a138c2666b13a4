"""MMLU-Pro result files: JSON arrays of questions with `pred` and the model's text, also inside their ZIP. No letter is
silence.

The repository's first rule is applied to every text again, because some files hold a random letter where it found none:
the answer is the first letter after "answer is", as in "the answer is (C)". Where it finds none, the repository goes on
to look for "Answer: C", and then for the last letter from A to J that stands alone anywhere in the text, be it the
first word of "I do not know": `--choose extract=full` does so too. The first rule alone is the default, as its letters
are answers: of those that only the last rule finds in the published texts of mathstral-7B and Llama-2-7b, 13 of 82 and
49 of 468 are right, which is about what guessing among ten options gives. A note says how many letters the other rules
would add.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.data.texts import in_words, texts_of
from nescio.errors import FormatError, MismatchError
from nescio.formats.logs import grading
from nescio.formats.logs.graded import SAID_SO, Graded, choose, declined, outcomes_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.documents import read_member
from nescio.sources.json import as_text, decode_document
from nescio.sources.source import Source
from nescio.sources.tables import json_lines
from nescio.sources.text_files import WHITE
from nescio.text import sanitize

KEYS = {"question_id", "options", "answer", "pred"}
TEXTS = ("generated_text", "model_outputs", "response")
NO_LETTER, EMPTY = "without an answer in the asked form", "empty"
RULES = ("strict", "full", "pred")
_STRICT = re.compile(r"answer is \(?([A-J])\)?")
_AGAIN = re.compile(r"[aA]nswer:(?=\s*([A-J]))")
_ALONE = re.compile(r"\b[A-J]\b")
_SUMMARY, _RESULT = "_summary", "_result"
_NAME = re.compile(r"^(?:model_outputs_)?(.+?)(?:_\d+_?shots?)?$")
_HEAD = 1 << 14


def recognise(source: Source) -> str | None:
    """Recognise a JSON array (or JSON Lines) of objects with `question_id`, `options`, `answer` and `pred`; or a ZIP of
    such arrays.

    Beside them, a `_summary.json` of categories with `corr` and `wrong`.
    """
    if source.kind == "archive":
        names = _members(source)
        return "results" if source.suffix == ".zip" and names and _begins(source, names[0]) else None
    if source.kind == "lines" or (source.kind == "document" and isinstance(source.document, list)):
        return "results" if set(source.columns) >= KEYS and "outcome" not in source.columns else None
    return "summary" if source.stem.endswith(_SUMMARY) and _is_summary(source.document) else None


def _is_summary(document: Any) -> bool:
    if not isinstance(document, dict) or "total" not in document:
        return False
    return all(isinstance(entry, dict) and {"corr", "wrong"} <= {*entry} for entry in document.values())


def _members(source: Source) -> list[str]:
    """Return the members that hold results."""
    names = [name for name in source.members if name.lower().endswith(".json") and not name.startswith("__MACOSX/")]
    return [name for name in names if not name.endswith(f"{_SUMMARY}.json")]


def _begins(source: Source, name: str) -> bool:
    """Say whether a member begins as an array of questions does; a damaged one does not."""
    assert source.path is not None
    try:
        with zipfile.ZipFile(source.path) as archive, archive.open(name) as member:
            head = member.read(_HEAD).lstrip()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError):
        return name.rpartition("/")[2].startswith("model_outputs_")  # the reader will say what is wrong with it
    return head.startswith(b"[") and b'"question_id"' in head


@dataclass(slots=True)
class _Seen:
    """What was met in a run: letters in pred that the text does not say, or says otherwise, answers without a text, and
    the letters that only the repository's second and third rule find."""

    random: int = 0
    other: int = 0
    textless: int = 0
    again: int = 0
    alone: int = 0


@dataclass(slots=True)
class _Reading:
    """What all files share: how a letter is found, what was met, and what each question was to every run."""

    extract: str
    options: ReadOptions
    seen: dict[str, _Seen] = field(default_factory=dict)
    kinds: dict[str, set[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _File:
    """One array: what messages call it, its stem, the folders it lies in, and its items with their places."""

    label: str
    stem: str
    folders: tuple[str, ...]
    items: Iterator[tuple[Any, str]]

    def run(self) -> tuple[str, str, Iterator[tuple[Any, str]]]:
        """Return the run, and the category that this is the file of, or nothing; and all items, the first of which
        tells it."""
        first = next(self.items, None)
        items = self.items if first is None else chain([first], self.items)
        category = first[0].get("category") if first is not None and isinstance(first[0], dict) else None
        if self.stem.endswith(_RESULT) or (isinstance(category, str) and _folded(category) == _folded(self.stem)):
            return self._model(), self.stem, items
        return _NAME.sub(r"\1", self.stem), "", items

    def _model(self) -> str:
        """Return the folder; in the repository's own layout, `model/CoT/subjects`, the model."""
        folders = [*self.folders]
        if folders[-2:-1] == ["CoT"]:
            folders = folders[:-2]
        elif folders[-1:] in (["all"], ["CoT"]):
            folders = folders[:-1]
        path = folders or [*self.folders]
        return path[-1] if path and path[-1] else self.stem


def _folded(name: str) -> str:
    return name.replace("_", " ").casefold()


@reader(
    "mmlu-pro",
    about="MMLU-Pro results: question_id, options, answer, pred and the model's text, as JSON or in a ZIP",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read result files, each a run named by its file, or by its folder where there is a file a category:
    `law_result.json`, or `law.json` (`model/CoT/all/law.json` is of the run `model`).

    `--choose extract=full` applies all rules of the repository, `--choose extract=pred` believes `pred` instead of the
    text.
    """
    sources = [source for part, source in parts if part == "results"]
    if not sources:
        first = parts[0][1]
        rule = (
            f"this holds the figures of a category and no answers; give {_results_of(first.stem)}.json of its"
            " folder too"
        )
        raise FormatError(first.label, rule)
    extract = choose(options, "extract", RULES, "rules") if "extract" in options.choose else "strict"
    reading = _Reading(extract, options)
    rows: list[Graded] = []
    taken: dict[tuple[str, str], str] = {}
    figures = _Figures(_summaries(parts))
    for source in sources:
        for file in _files(source):
            run, category, items = file.run()
            key = run, category
            if key in taken or (not category and any(run == other for other, _ in taken)):
                raise MismatchError(
                    f"{taken.get(key, file.label)} and {file.label} would both be run {run!r}; rename one of them"
                )
            taken[key] = file.label
            kept = figures.kept(file, items)
            rows += [_grade(source, run, item, where, reading) for item, where in kept]
    notes = _notes(reading) + figures.notes()
    outcomes = outcomes_of(rows, sources[0].label, options, notes)
    return ReadResult(outcomes, tuple(notes))


def _files(source: Source) -> Iterator[_File]:
    """Yield each array in a source."""
    assert source.path is not None
    path = source.packed.path if source.packed else source.path
    own = path.absolute().parts[1:-1]
    if source.kind == "lines":
        lines = ((item, f"line {line}") for item, line in json_lines(source))
        yield _File(str(source.label), source.stem, own, lines)
    elif source.kind == "document":
        yield _File(str(source.label), source.stem, own, _numbered(source.document, ""))
    else:
        for name in _members(source):
            *folders, file = name.split("/")
            label, items = f"{source.label}, member {sanitize(name, target='message')}", _of_member(source, name)
            yield _File(label, file[: -len(".json")], (source.stem, *folders), items)


# ---- the repository's own figures ----


def _results_of(summary: str) -> str:
    return summary.removesuffix(_SUMMARY) + _RESULT


def _summaries(parts: Sequence[SourceRole]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield the summaries beside the results: folders, stem and content."""
    for part, source in parts:
        if part == "summary":
            yield Path(source.label).absolute().parts[1:-1], source.stem, source.document
        elif source.kind == "archive":
            assert source.path is not None
            for name in source.members:
                *folders, file = name.split("/")
                if file.endswith(f"{_SUMMARY}.json") and not name.startswith("__MACOSX/"):
                    yield (source.stem, *folders), file[: -len(".json")], _decoded(source, name)


class _Figures:
    """What the summaries say, held against `pred` in the results that they are of."""

    def __init__(self, summaries: Iterator[tuple[tuple[str, ...], str, Any]]) -> None:
        self._of = {(folders, _results_of(stem)): (stem, held) for folders, stem, held in summaries}
        self._given: dict[tuple[tuple[str, ...], str], list[float]] = {}

    def kept(self, file: _File, items: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        """Return the items, whose grades are kept if there is a summary of them."""
        key = file.folders, file.stem
        if key not in self._of:
            return items
        return self._keep(self._given.setdefault(key, []), items)

    @staticmethod
    def _keep(grades: list[float], items: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        for item, where in items:
            grades.append(_own_grade(item))
            yield item, where

    def notes(self) -> list[Note]:
        """Note where a summary says something else than `pred`, or where what it is of was not given."""
        notes: list[Note] = []
        for key, (stem, held) in self._of.items():
            total = held.get("total") if _is_summary(held) else None
            right, wrong = (grading.number((total or {}).get(name)) for name in ("corr", "wrong"))
            if key not in self._given:
                notes.append(
                    note(
                        "mmlu_pro.results_not_given",
                        "{subject}.json: left out, as {results}.json was not given",
                        stem,
                        results=key[1],
                    )
                )
            elif right is None or wrong is None or not 0 < right + wrong < 1e9:
                notes.append(note("mmlu_pro.no_counts", "{subject}.json: left out, as there are no counts in it", stem))
            else:
                own, many = right / (right + wrong), round(right + wrong)
                notes += grading.compared(own, many, self._given[key], "accuracy by pred", f"{stem}.json")
        return notes


def _own_grade(item: Any) -> float:
    """Return what the repository counts: it takes a random option, always the same, where pred is null."""
    if not isinstance(item, dict):
        return 0.0
    if pred := item.get("pred"):
        return float(pred == item.get("answer"))
    options = item.get("options")
    return float(isinstance(options, list) and _random_option(len(options)) == item.get("answer_index"))


@lru_cache(maxsize=16)
def _random_option(many: int) -> int:
    return Random(12345).randint(0, many - 1) if many else -1


def _of_member(source: Source, name: str) -> Iterator[tuple[Any, str]]:
    document = _decoded(source, name)
    if not isinstance(document, list):
        raise FormatError(
            source.label,
            "an array of questions is expected",
            where=f"member {sanitize(name, target='message')}",
            value=document,
        )
    yield from _numbered(document, f"member {sanitize(name, target='message')}, ")


def _decoded(source: Source, name: str) -> Any:
    assert source.path is not None
    return decode_document(
        str(source.label), read_member(source.path, name), source.room, f"member {sanitize(name, target='message')}"
    )


def _numbered(items: Sequence[Any], place: str) -> Iterator[tuple[Any, str]]:
    for number, item in enumerate(items, 1):
        yield item, f"{place}item {number}"


# ---- letters ----


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


def _grade(source: Source, run: str, item: Any, where: str, reading: _Reading) -> Graded:
    def fail(rule: str, value: object) -> FormatError:
        return FormatError(source.label, rule, where=where, value=value)

    if not isinstance(item, dict):
        raise fail("each item must be a JSON object", item)
    name, pred, gold = item.get("question_id"), item.get("pred"), item.get("answer")
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip(WHITE):
        raise fail("question_id must be a text or a whole number", name)
    if not isinstance(gold, str) or not gold.strip(WHITE):
        raise fail("answer must be a letter", gold)
    if pred is not None and not isinstance(pred, str):
        raise fail("pred must be a letter or null", pred)
    text = next((as_text(item[key]) for key in TEXTS if item.get(key) is not None), None)
    letter, why = _letter(pred.strip(WHITE) if pred else None, text, reading, run)
    gold = gold.strip(WHITE)
    kind = repr((item.get("question"), item.get("options"), gold))
    reading.kinds.setdefault(str(name).strip(WHITE), set()).add(hash(kind))
    strata = {key: item[key] for key in ("category", "src") if isinstance(item.get(key), str)}
    state = SILENT if letter is None else CORRECT if letter == gold else INCORRECT
    words = None
    if reading.options.texts:
        choices = [f"{chr(65 + i)}. {in_words(one)}" for i, one in enumerate(item.get("options") or ())]
        asked = "\n".join([in_words(item.get("question")), *choices])
        named = ord(gold) - 65 if len(gold) == 1 else -1
        right = choices[named] if 0 <= named < len(choices) else gold
        words = texts_of(asked, [right], text, letter)
    return Graded(
        run, str(name).strip(WHITE), state, why=why, strata=strata, where=where, path=source.label, texts=words
    )


def _letter(pred: str | None, text: str | None, reading: _Reading, run: str) -> tuple[str | None, str | None]:
    """Return the letter that an answer is read as, and why there is none."""
    seen = reading.seen.setdefault(run, _Seen())
    if declined(reading.options, text):
        return None, SAID_SO
    if text is None:
        seen.textless += 1
        return pred or None, None if pred else NO_LETTER
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
    return chosen, None if chosen else NO_LETTER if text.strip() else EMPTY


def _notes(reading: _Reading) -> list[Note]:
    notes: list[Note] = []
    believed, full = reading.extract == "pred", reading.extract == "full"
    for run, seen in reading.seen.items():
        if seen.random and full:
            notes.append(
                note(
                    "mmlu_pro.random_letters",
                    "run {subject!r}: {letters} letters in pred do not come of the text by any rule of the "
                    "repository, and are random: read as unanswered (--choose extract=pred believes them)",
                    run,
                    letters=seen.random,
                )
            )
        elif seen.random:
            notes.append(
                note(
                    "mmlu_pro.letters_not_strict",
                    'run {subject!r}: {letters} letters in pred do not come of the text by the rule "answer is (X)", '
                    "and are random or of a looser rule: "
                    "{believed:believed, as asked/read as unanswered (--choose extract=pred believes them)}",
                    run,
                    letters=seen.random,
                    believed=believed,
                )
            )
        if (seen.again or seen.alone) and not believed:
            notes.append(_looser_note(run, seen, read=full))
        if seen.other:
            notes.append(
                note(
                    "mmlu_pro.other_letters",
                    "run {subject!r}: {texts} texts say another letter than pred: "
                    "{believed:pred is believed, as asked/the text is read}",
                    run,
                    texts=seen.other,
                    believed=believed,
                )
            )
        if seen.textless:
            notes.append(
                note(
                    "mmlu_pro.textless",
                    "run {subject!r}: {answers:n answer} {answers:has/have} no text: pred is read as it stands",
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
        "{read:read as answers, as asked/unanswered unless --choose extract=full}",
        run,
        rules=[rule for rule in rules if rule["letters"]],
        read=read,
    )
