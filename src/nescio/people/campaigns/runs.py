"""Read a submitted run: its answers to the topics, and all its faults; no key is needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from nescio.data.model import Response
from nescio.data.notes import Note, note
from nescio.data.reasons import EMPTY
from nescio.data.repeats import REPEAT
from nescio.errors import FormatError, NescioError
from nescio.formats import Source, open_source
from nescio.people.campaigns.archives import PACKING
from nescio.people.campaigns.faults import MOST_LISTED, Fault, cut, left_out
from nescio.people.campaigns.option_names import is_text_of_another, option_at
from nescio.people.campaigns.settings import Settings, Task
from nescio.people.campaigns.texts import encoding_fault, text_fault
from nescio.people.campaigns.topics import Accepted, Part, Topics
from nescio.sources.json import MemoryBudget
from nescio.sources.json_lines import json_lines
from nescio.sources.source import BY_SUFFIX, LINES, PACKED
from nescio.tables.responses import responses_of
from nescio.tasks.ave.documents import decisions_of, hold
from nescio.tasks.ave.exercise import Exercise, Validation, problems, upside_down
from nescio.tasks.nuggets.parts import Said
from nescio.tasks.nuggets.reader import read_run
from nescio.tasks.nuggets.scoring import Response as Strings
from nescio.tasks.pan.answers import answers_of
from nescio.tasks.pan.truth import SHARED
from nescio.tasks.reading import cbc
from nescio.text import answer_key, plural

FORMS: Mapping[Task, str] = {
    "qa": 'JSON Lines of {"id", "answer", "confidence"?, "support"?, "doc"?, "answered"?}; answer null abstains',
    "reading": 'JSON Lines of {"id", "answer", "confidence"?}, or blocks of QuestionID: and Answer:',
    "ave": "lines of `q_id a_id SELECTED|VALIDATED|REJECTED confidence`",
    "nuggets": 'lines of `qid Q0 docid rank score tag text`, or JSON Lines of {"id", "strings"}; strings [] abstains',
    "pan": 'JSON Lines of {"id", "value"}, or lines of `EN001 0.8`; 0.5 abstains',
}
# Suffixes of formats, which are no part of a run's name; `.response` is that of Deep Read.
FORM_SUFFIXES = (*BY_SUFFIX, ".txt", ".response")
LONGEST_NAME = 80  # bytes of the name of a run's file: names of receipts are made from it
FILE_RULE = f"the file name of a run has at most {LONGEST_NAME} bytes, and only letters, digits, and . _ + -"
_FILE_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*")
_NOT_PLAIN = re.compile(r"[^\w.+-]")
MOST_COUNTED = 10_000  # faults that are counted; then the run is read no further
FEW_LINES, LINES_A_TOPIC = 10_000, 1_000  # a run has at most the first plus the second for each topic
TO_FIT = (
    "put topics and settings back and name topics that no longer count in the setting `dropped`, take in a version "
    "that fits, or withdraw the run"
)
_LINE = re.compile(r"line (\d+)")
_IDS = re.compile(r"[A-Za-z0-9]+")


def is_file_name(name: str) -> bool:
    """Return whether a run's file may have this name, which must consist of plain characters and be short enough."""
    return _FILE_NAME.fullmatch(name) is not None and len(name.encode(errors="replace")) <= LONGEST_NAME


def plain_name(text: str) -> str:
    """Return a text as a file name: characters that names may not have become "_"; a permitted name is unchanged."""
    return _NOT_PLAIN.sub("_", text).encode(errors="replace")[:LONGEST_NAME].decode(errors="ignore")


def run_name(file: str) -> str:
    """Return a run's name: its file's name without suffixes of format and compression; `gpt-4.0.jsonl` is "gpt-4.0"."""
    path = PurePosixPath(PurePosixPath(file).name)
    while path.suffix.lower() in PACKING:
        path = path.with_suffix("")
    return path.stem if path.suffix.lower() in FORM_SUFFIXES else path.name


class Submission(Struct, frozen=True):
    """A submitted run: its name, its language, its faults, and its answers if anything can be read.

    `said` depends on the task: the responses (qa, reading), the validations (ave), the strings keyed by target
    (nuggets), or the scores in the order of the problems (pan). `answered` counts the topics with an answer, and `of`
    all topics. `more` counts the faults that are not listed. `unread` has the names of fields that are not read, and
    `letters` the answers that are the text of one option and the letter of another.
    """

    path: Path
    name: str
    language: str
    faults: tuple[Fault, ...]
    said: Any = None
    answered: int = 0
    of: int = 0
    more: int = 0
    unread: tuple[str, ...] = ()
    asked: str = ""  # as in a receipt
    letters: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of all faults, also of those that are not listed."""
        return len(self.faults) + self.more

    @property
    def counted(self) -> str:
        """Return the number of faults as a phrase, such as "3 faults" or "at least 10,000 faults"."""
        return f"{'at least ' * (self.more >= MOST_COUNTED)}{plural(self.count, 'fault')}"

    @property
    def listed(self) -> tuple[Fault, ...]:
        """Return the listed faults; if there are more, a last fault says how many."""
        if not self.more:
            return self.faults
        end = "; the file was read no further" if self.more >= MOST_COUNTED else ""
        return (*self.faults, left_out(self.faults[0].file, self.more, end))


class _EnoughError(Exception):
    """The error that ends the reading of a run with too many faults."""


class _FirstFaults(list[FormatError]):
    """A list of the first faults of a run; `more` is the number of further faults."""

    more = 0

    def append(self, error: FormatError, /) -> None:
        """Store a fault, or only count it if enough are stored. Raises _EnoughError for too many faults."""
        if len(self) < MOST_LISTED:
            super().append(error)
            return
        self.more += 1
        if self.more >= MOST_COUNTED:
            raise _EnoughError


class _Reading(Struct):
    source: Source
    topics: Topics
    settings: Settings
    hint: str  # the name of the file and of its folder, which may say the language
    accepted: Accepted | None  # None: the run is handed in
    faults: _FirstFaults = field(default_factory=_FirstFaults)
    language: str = ""
    asked: str = ""
    unread: set[str] = field(default_factory=set)
    letters: list[str] = []

    def fail(self, rule: str, value: object = None, line: int | None = None) -> None:
        where = f"line {line}" if line else None
        self.faults.append(FormatError(self.source.label, rule, where=where, value=value))

    def part(self, ids: Iterable[str]) -> Part | None:
        """Return the topics in the run's language: the language in the run's name, or that of most question `ids`.

        The ids come first if the run was accepted earlier, because languages may have other names since; if languages
        share ids, the topics that it answered then. Returns None, and adds a fault, if nothing decides.
        """
        parts, given = self.topics.parts, list(ids)
        words = {word.casefold() for word in _IDS.findall(self.hint)}
        named = [name for name in parts if name.casefold() in words]
        held = {name: [identity for identity in given if identity in part.questions] for name, part in parts.items()}
        most = max(map(len, held.values()))
        best = [name for name, matches in held.items() if len(matches) == most and most]
        is_shared = sum(len({*matches}) for matches in held.values()) > len(
            {identity for matches in held.values() for identity in matches}
        )
        ways = [best, named] if self.accepted and not is_shared else [named, best]
        if self.accepted and is_shared:
            ways.insert(0, [name for name, part in parts.items() if part.digest == self.accepted.asked])
        for names in ([*parts], *ways):
            if len(names) == 1:
                self.language = names[0]
                self.asked = parts[names[0]].digest if is_shared else ""
                return parts[names[0]]
        known = ", ".join(filter(None, parts))
        self.fail(
            f"the language of the run is unknown; its file name must contain one of {known}, as in run1-{known[:2]}"
        )
        return None

    def sound(self, what: str, text: str | None) -> bool:
        """Return whether a text can be accepted; if not, add a fault, which calls the text `what`."""
        rule = text_fault(text, self.settings.characters) if text else None
        if rule:
            self.fail(f"{what}: {rule}")
        return rule is None

    def missing(self, ids: Iterable[str], answered: Iterable[str], what: str, hint: str = "") -> None:
        """Add a fault that lists the `ids` that are not `answered`; `what` is what they lack ("answer")."""
        given = {*answered}
        if lacking := [identity for identity in ids if identity not in given]:
            self.fail(f"{plural(len(lacking), what)} missing{hint}", " ".join(lacking))


def examine(
    path: Path,
    topics: Topics,
    settings: Settings,
    *,
    name: str | None = None,
    label: str | None = None,
    accepted: Accepted | None = None,
) -> Submission:
    """Return a run with its answers and faults; a fault raises no error.

    The `settings` limit the length of answers and say how options are numbered. `name` is the name of the run (None:
    that of the file), and `label` that of the file in faults. A run that was `accepted` earlier keeps its name, and has
    its language by these topics; only in others, an answer that is an empty text is a fault.
    """
    run = accepted.run if accepted else name or run_name(path.name)
    content = b"" if path.suffix.lower() in PACKED else path.read_bytes()
    if rule := encoding_fault(content) or _too_long(content, topics):
        return Submission(path, run, "", (_fault(label or str(path), rule, None, None),))
    try:
        source = _open(path)
        hint = (accepted and accepted.language) or f"{path.absolute().parent.name} {path.name} {run}"
        reading = _Reading(source, topics, settings, hint, accepted)
        answers, answered, total = _said(reading)
    except NescioError as error:
        rule, where, value = (
            (error.rule_alone, error.where, error.value) if isinstance(error, FormatError) else (str(error), None, None)
        )
        # A message may quote the path, which is temporary for an unpacked run.
        rule = rule.replace(str(path), label or str(path))
        return Submission(path, run, "", (_fault(label or str(path), rule, where, value),))
    if accepted is None and name is None and not is_file_name(path.name):
        reading.faults.insert(0, FormatError(source.label, FILE_RULE, value=path.name))
    faults = [
        _hinted(_fault(label or str(path), fault.rule_alone, fault.where, fault.value), topics)
        for fault in reading.faults
    ]
    faults.sort(key=lambda fault: (fault.line is None, fault.line or 0))
    distinct, unread = tuple(dict.fromkeys(faults)), tuple(map(cut, map(repr, sorted(reading.unread))))
    counts = answered, total, reading.faults.more
    letters = tuple(reading.letters)
    return Submission(path, run, reading.language, distinct, answers, *counts, unread, reading.asked, letters)


def _too_long(content: bytes, topics: Topics) -> str | None:
    """Return a message if a run has too many lines, else None."""
    lines, most = content.count(b"\n"), FEW_LINES + LINES_A_TOPIC * topics.count
    return f"the file has {lines:,} lines, but a run has at most {most:,}" if lines > most else None


def _hinted(fault: Fault, topics: Topics) -> Fault:
    """Return a fault; if it is about an unknown id, its rule also names any topic whose id differs only in case."""
    if fault.value is None or "id" not in fault.rule.split():
        return fault
    folded = fault.value.casefold().strip()
    alike = next((name for part in topics.parts.values() for name in part.questions if name.casefold() == folded), None)
    return replace(fault, rule=f"{fault.rule}; there is a topic {alike}, and case matters") if alike else fault


def _open(path: Path) -> Source:
    """Open the file of a run, even if its first line of JSON is faulty, so that all lines are checked."""
    try:
        return open_source(path)
    except FormatError as error:
        if path.suffix.lower() not in LINES or not (error.where or "").startswith("line 1"):
            raise
        return Source(path.name, path=path, kind="lines", room=MemoryBudget(path.stat().st_size))


def _fault(file: str, rule: str, where: str | None, value: object) -> Fault:
    line = _LINE.match(where or "")
    shown = None if value is None else value if isinstance(value, str) else repr(value)
    return Fault(file, int(line[1]) if line else None, rule if line or not where else f"{where}: {rule}", shown)


_Said = tuple[Any, int, int]  # a run's answers, the number of topics with an answer, and the number of topics


def _said(reading: _Reading) -> _Said:
    """Return the answers of a run, the number of topics that it answers, and the number of all topics.

    Returns (None, 0, 0) if the run has too many faults.
    """
    try:
        return _SAID[reading.topics.task](reading)
    except _EnoughError:
        return None, 0, 0


def _questions(reading: _Reading) -> _Said:
    source, topics = reading.source, reading.topics
    known = {identity for part in topics.parts.values() for identity in part.questions} | topics.dropped
    if source.suffix in LINES:
        # By the rules of a campaign, a run abstains by the answer null, whatever else its line says.
        runs = responses_of(source, source.stem, known, reading.faults, unread=reading.unread, statuses=False)
        if len(runs) > 1:
            reading.fail("a file must be one run, but its lines name several runs", ", ".join(runs))
        responses = [response for run in runs.values() for response in run]
    elif topics.task == "reading" and source.kind == "text" and cbc.recognise(source) == "answers":
        responses = list(cbc.responses_of(source, known, reading.faults))
    else:
        reading.fail(f"a run of the task {topics.task} must be {FORMS[topics.task]}", source.kind)
        return None, 0, 0
    responses = [response for response in responses if response.question_id not in topics.dropped]
    if again := list(dict.fromkeys(r.question_id for r in responses if r.repeat is not None)):
        reading.fail(
            f"a run of a campaign answers each question once, so it cannot have the column {REPEAT!r}", " ".join(again)
        )
    if reading.accepted is None and (blank := _blank(responses)):
        reading.fail("an answer may not be an empty text; to abstain, answer null", " ".join(blank))
    part = reading.part(response.question_id for response in responses)
    if part is None:
        return None, 0, 0
    kept = [answer for response in responses if (answer := _response(reading, part, response)) is not None]
    reading.missing(part.questions, (r.question_id for r in responses), "answer", "; to abstain, answer null")
    answered = len({response.question_id for response in kept if response.answered})
    return tuple(kept), answered, len(part.questions)


def _blank(responses: Iterable[Response]) -> list[str]:
    """Return the ids of the questions to which a run answers with a text in which nothing can be seen.

    A line that says `"answered": false` abstains, whatever its text.
    """
    ids = [r.question_id for r in responses if r.why == EMPTY or (r.answered and not answer_key(r.answer or ""))]
    return list(dict.fromkeys(ids))


def _response(reading: _Reading, part: Part, response: Response) -> Response | None:
    """Return a response, in which an option's number or letter becomes the option's text.

    If the response breaks a rule, return None and add a fault.
    """
    identity = response.question_id
    question = part.questions.get(identity)
    if question is None:
        reading.fail(f"the question is not in the run's language, {part.language}", identity)
        return None
    texts = {"answer": response.answer, "support": response.support, "document": response.document}
    if not all(reading.sound(f"{what} to question {identity!r}", text) for what, text in texts.items()):
        return None
    if response.confidence is not None and not 0 <= response.confidence <= 1:
        reading.fail(f"the confidence of question {identity!r} must be from 0 to 1", response.confidence)
        return None
    if not question.options or response.answer is None:
        return response
    at = option_at(question, response.answer, reading.settings.options_from)
    if isinstance(at, str):
        reading.fail(f"the answer to question {identity!r} {at}", response.answer)
        return None
    if response.answered and is_text_of_another(question, response.answer):
        reading.letters.append(response.answer)
    return replace(response, answer=question.options[at])


def _validations(reading: _Reading) -> _Said:
    """Return a validator's decisions; for each answer without a decision or confidence, add a fault."""
    source = reading.source
    if source.kind != "text":
        reading.fail(f"a run of the task ave must be {FORMS['ave']}", source.kind)
        return None, 0, 0
    validations, lines = decisions_of(source, reading.faults)
    counted = [i for i, validation in enumerate(validations) if validation.question_id not in reading.topics.dropped]
    validations, lines = [validations[i] for i in counted], [lines[i] for i in counted]
    part = reading.part(validation.question_id for validation in validations)
    if part is None:
        return None, 0, 0
    exercise = part.exercise or Exercise("", (), ())
    hold(source, lines, problems(exercise, validations), reading.faults)
    if all(validation.confidence is None for validation in validations):  # else `problems` names each
        for line in lines:
            reading.fail("a decision needs a confidence: q_id a_id SELECTED|VALIDATED|REJECTED confidence", line=line)
    for validation, line in zip(validations, lines, strict=True):
        if validation.confidence is not None and not 0 <= validation.confidence <= 1:
            reading.fail("a confidence must be from 0 to 1", validation.confidence, line)
    answers = [f"{candidate.question_id}/{candidate.id}" for candidate in exercise.candidates]
    given = (f"{validation.question_id}/{validation.answer_id}" for validation in validations)
    reading.missing(answers, given, "decision")
    answered = len({v.question_id for v in validations if v.decision == "SELECTED"})
    return tuple(validations), answered, len(part.questions)


def doubted(subject: str, validations: Sequence[Validation]) -> Iterator[Note]:
    """Yield a note if a validator's confidences may be about its decisions instead of the answers."""
    if upside_down(validations):
        yield note(
            "campaign.upside_down",
            "{subject}: REJECTED answers have higher confidences than accepted answers; ave.AUC needs the confidence "
            "that an answer is right, which is low for a sure REJECTED",
            subject,
        )


def _strings(reading: _Reading) -> _Said:
    source = reading.source
    if source.suffix not in LINES and source.kind != "text":
        reading.fail(f"a run of the task nuggets must be {FORMS['nuggets']}", source.kind)
        return None, 0, 0
    responses = Said()
    read_run(source, source.stem, responses, reading.faults)
    if len(responses.runs) > 1:
        reading.fail("a file must be one run, but its lines name several runs", ", ".join(responses.runs))
    part = reading.part(target for _, target in responses.where)
    if part is None:
        return None, 0, 0
    for (_, target), at in responses.where.items():
        if target not in part.questions and target not in reading.topics.dropped:
            reading.fail("no topic has this id", target, at.line)
    hint = "" if source.suffix in LINES else '; to abstain, write {"id", "strings": []} in JSON Lines'
    reading.missing(part.questions, (target for _, target in responses.where), "answer", hint)
    strings: dict[str, Strings] = {
        target: response
        for run in responses.found()
        for target, response in run.responses.items()
        if target in part.questions and all(reading.sound(f"a string of {target!r}", text) for text in response.strings)
    }
    _note_unread(reading, ("id", "run", "strings", "confidence"))
    return strings, sum(bool(response.strings) for response in strings.values()), len(part.questions)


def _note_unread(reading: _Reading, known: Iterable[str]) -> None:
    """Store the names of fields that the lines of a sound run have beside the `known` fields."""
    if reading.source.suffix in LINES and not reading.faults:
        reading.unread |= {name for row, _ in json_lines(reading.source) for name in row} - {*known}


def _scores(reading: _Reading) -> _Said:
    source = reading.source
    if source.suffix not in LINES and source.kind != "text":
        reading.fail(f"a run of the task pan must be {FORMS['pan']}", source.kind)
        return None, 0, 0
    first = next(iter(reading.topics.parts.values()))
    reading.language, ids = first.language, list(first.questions)
    values, sides = answers_of(source, ids, reading.faults, left_out=reading.topics.dropped)
    given = (i for i, value in zip(ids, values, strict=True) if not np.isnan(value))
    reading.missing(ids, given, "answer", "; to abstain, answer 0.5")
    _note_unread(reading, ("id", "value", *SHARED))
    answered = int((~np.isnan(values) & (sides != 0.5)).sum())
    return (values, sides), answered, len(ids)


_SAID: Mapping[Task, Callable[[_Reading], _Said]] = {
    "qa": _questions,
    "reading": _questions,
    "ave": _validations,
    "nuggets": _strings,
    "pan": _scores,
}
