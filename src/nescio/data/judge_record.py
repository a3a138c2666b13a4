"""Record who judged an answer, and how. The record is in every file that nescio writes, and in the signature."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.text import sanitize

Target = Literal["collection", "population"]  # the answers that figures corrected by people's labels describe
TARGETS: tuple[Target, ...] = get_args(Target)
NOBODY = "none"  # the judge in a signature if no judge is known
_SPECIAL = re.compile(r"[\\(),=]")
_CALL = re.compile(r"((?:\\.|[^\\(])*)(?:\((.*)\))?", re.DOTALL)
_PARTS = re.compile(r"(?:\\.|[^\\,])+", re.DOTALL)
_PAIR = re.compile(r"((?:\\.|[^\\=])*)=(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?|true|false")  # a detail that counts or measures
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")  # of a Python object that a log shows; each process has another one
_OWN = ("model", "prompt", "date")  # parameters that are stored in separate fields
_NO_MATTER = {"description", "cost"}  # keys in a tool's configuration that cannot change a grade

UNCHECKED = "judgements.unchecked"  # the code of a note on labels that may belong to other answers
STALE = "judgements.stale"  # the code of a note on labels of answers that runs no longer give
OTHER_TEXTS = "judgements.other_texts"  # the code of a note on answers to judged questions that nobody judged
DIFFERENT = "judgements.different"  # the code of a note that not all runs have the same judge
UNKNOWN, NOT_STATED = "an unknown judge", "not stated"
BY_COLUMNS = "judge"  # the name of a judge that columns of a table with other names than `judge` describe
_MANY = 20  # the most values of a parameter that the record of several judges lists
_LONGEST = 60  # the most characters of a parameter that a record keeps as they are
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# the last words of keys that speak of grading; words that may follow them; and words that make any key speak of it
_OF_GRADING = {
    *("model", "judge", "grader", "evaluator", "prompt", "template", "rubric", "rubrics", "criteria", "criterion"),
    *("threshold", "scale", "version", "temperature", "instruction", "instructions", "guideline", "guidelines"),
    *("parser", "schema", "step", "steps"),
}
_AFTER = {"name", "id", "text", "hash", "digest", "sha", "type", "file"}
_STRICT = {"strict", "flaky", "lenient"}
# the last words of keys that say who graded, in the fields of a tool itself
_WHO = {"kind", "source", "code", "config", "settings", "filter", "part"}


class JudgeRecord(Struct, frozen=True):
    """A judge with its parameters; for a language model also the model's name, the digest of the prompt, and the date.

    As text it is `token_f1(threshold=0.5)` or `llm(model=…, prompt=3f2a9c01, date=2026-11-22)`, which `parse` reads.
    """

    name: str
    parameters: tuple[tuple[str, str], ...] = ()
    model: str = ""
    prompt: str = ""
    date: str = ""

    def __str__(self) -> str:
        fields = [(name, value) for name in _OWN if (value := getattr(self, name))]
        pairs = ", ".join(f"{_escape(key)}={_escape(value)}" for key, value in (*self.parameters, *fields))
        return f"{_escape(self.name)}({pairs})" if pairs else _escape(self.name)


def parse(text: str) -> JudgeRecord:
    """Return the record of a judge from its text in an outcome table.

    A text that is not of the form NAME(KEY=VALUE, …) is taken as the name of a judge.
    """
    call = _CALL.fullmatch(text.strip())
    pairs = [_PAIR.fullmatch(part.lstrip()) for part in _PARTS.findall((call[2] or "") if call else "")]
    if call is None or not all(pairs):
        return JudgeRecord(text.strip())
    values = [(_plain(pair[1]), _plain(pair[2])) for pair in pairs if pair]
    fields = {key: value for key, value in values if key in _OWN}
    return JudgeRecord(_plain(call[1]), tuple((key, value) for key, value in values if key not in _OWN), **fields)


def grader(name: str, /, **parameters: Any) -> JudgeRecord:
    """Return the record of a grader that a log states: its name, and its parameters as JSON values.

    A reader gives the whole part of the log that says how answers were graded, without what it knows to be irrelevant,
    instead of the keys that it knows: another grading must give another record. Empty parameters are left out, and so
    are descriptions, costs, and the addresses of objects in memory. A long parameter, such as a prompt, becomes a
    digest.
    """
    kept = {key: value for key, value in parameters.items() if key not in _NO_MATTER}
    texts = {key: text for key, value in kept.items() if (text := _short(value))}
    fields = {key: value for key, value in texts.items() if key in _OWN}
    return JudgeRecord(name, tuple(sorted((key, text) for key, text in texts.items() if key not in _OWN)), **fields)


def speaks_of_grading(key: str) -> bool:
    """Return whether the name of a key speaks of grading, as `judge_model`, `promptVersion` and `threshold` do."""
    words = _words(key)
    return bool(words and (words[-1] in _OF_GRADING or _STRICT & {*words}))


def alike(records: Iterable[tuple[Hashable, Hashable, JudgeRecord]]) -> dict[Hashable, set[JudgeRecord]]:
    """Return the records of each run without the details that vary from answer to answer.

    `records` are a run, the place in it that one grader grades (a file, a task and a metric), and a record. Such a
    detail, as a score of the grader's own, varies in every run that states it, or varies as a number does. One that
    varies in one run only may be another grader on some of its answers. A key that speaks of grading, or of who graded,
    stays, unless it has many values in the run, as a prompt with the answer in it.
    """
    at: dict[tuple[Hashable, Hashable], set[JudgeRecord]] = {}
    for run, place, record in records:
        at.setdefault((run, place), set()).add(record)
    numbers: set[str] = set()
    stating: dict[str, set[Hashable]] = {}
    varying: dict[str, set[Hashable]] = {}
    of_answers: dict[Hashable, set[str]] = {run: set() for run, _ in at}
    for (run, _), judges in at.items():
        values: dict[str, set[str]] = {}
        for key, value in (pair for record in judges for pair in _stated(record)):
            values.setdefault(key, set()).add(value)
        for key, several in values.items():
            stating.setdefault(key, set()).add(run)
            if len(several) > 1 and not _stays(key):
                varying.setdefault(key, set()).add(run)
                numbers |= {key} if all(map(_NUMBER.fullmatch, several)) else set()
            if len(several) > _MANY:
                of_answers[run].add(key)
    for key, runs in varying.items():
        whole = key in numbers or runs == stating[key]
        for run in of_answers if whole else runs if len(runs) > 1 else ():
            of_answers[run].add(key)
    by_run: dict[Hashable, set[JudgeRecord]] = {}
    for (run, _), judges in at.items():
        by_run.setdefault(run, set()).update(_without(record, of_answers[run]) for record in judges)
    return by_run


def constant(named: Mapping[str, Iterable[JudgeRecord | None]]) -> dict[str, set[JudgeRecord | None]]:
    """Return the judge of each run without what varies within the run: its parameters, or its name."""
    stated: dict[str, dict[str, set[str]]] = {}
    for run, records in named.items():
        values = stated.setdefault(run, {})
        for record in filter(None, records):
            pairs = record.parameters if record.name == BY_COLUMNS and record.parameters else (("", str(record)),)
            for key, value in pairs:
                values.setdefault(key, set()).add(value)
    return {
        run: {_of_columns({k: v for k, v in parameters.items() if len(v) == 1})} for run, parameters in stated.items()
    }


def _of_columns(values: Mapping[str, set[str]]) -> JudgeRecord | None:
    pairs = tuple(sorted((key, value) for key, texts in values.items() for value in texts))
    if pairs and not pairs[0][0]:
        return parse(pairs[0][1])
    return JudgeRecord(BY_COLUMNS, pairs) if pairs else None


def combined(records: Collection[JudgeRecord]) -> JudgeRecord:
    """Return one record of all judges of a run, the same for any order of `records`.

    A parameter that only some records of a name state is "not stated" by the others.
    """
    ordered = sorted({*records}, key=str)
    if len(ordered) == 1:
        return ordered[0]
    by_name: dict[str, list[dict[str, str]]] = {}
    for record in ordered:
        by_name.setdefault(record.name, []).append(dict(_stated(record)))
    values = {
        f"{name}.{key}": {details.get(key, NOT_STATED) for details in stated}
        for name, stated in by_name.items()
        for key in {key for details in stated for key in details}
    }
    shown = [(key, texts if len(texts) <= _MANY else {_short(sorted(texts))}) for key, texts in values.items()]
    parameters = tuple(sorted((key, value) for key, texts in shown for value in texts))
    if len(by_name) > _MANY:
        return JudgeRecord(f"{len(by_name)} judges", (("digest", _short([*map(str, ordered)])),))
    return JudgeRecord("+".join(by_name), parameters)


def agree(records: Collection[JudgeRecord], others: Collection[JudgeRecord]) -> bool:
    """Return whether each judge is among the others or has the name of one that states more or less of itself."""

    def known(record: JudgeRecord, among: Collection[JudgeRecord]) -> bool:
        pairs, peers = _stated(record), [_stated(other) for other in among if other.name == record.name]
        return any(pairs <= other or other <= pairs for other in peers)

    return all(known(record, others) for record in records) and all(known(record, records) for record in others)


def _stated(record: JudgeRecord) -> set[tuple[str, str]]:
    pairs = {(name, getattr(record, name)) for name in _OWN} | {*record.parameters}
    return {(name, value) for name, value in pairs if value}


def named(records: Iterable[JudgeRecord | None]) -> str:
    """Return the texts of all known judges, each once and joined by "+", for a signature."""
    return "+".join(dict.fromkeys(str(record) for record in records if record is not None)) or NOBODY


def judges_differ(runs: Sequence[str], judges: Sequence[str | None]) -> list[Note]:
    """Return a note if the runs were not all judged by the same judge.

    `judges` has the text of each run's judge; None means an unknown judge, which differs from every known one.
    """
    texts = [text or UNKNOWN for text in judges]
    if len({*texts}) < 2:
        return []
    return [
        note(
            DIFFERENT,
            "the runs were judged by different judges ({names:list}), so a difference between them could come from the "
            "judges",
            names=list(dict.fromkeys(texts)),
            judges=tuple(zip(runs, texts, strict=False)),
        )
    ]


def kept_judges(notes: Iterable[Note], names: Mapping[str, str], runs: Collection[str]) -> list[Note]:
    """Return the notes, with those on different judges limited to `runs`; `names` maps old names of runs to new
    ones."""
    made: list[Note] = []
    for remark in notes:
        if remark.code != DIFFERENT:
            made.append(remark)
            continue
        judges = [(names.get(run, run), text) for run, text in remark["judges"]]
        kept = [(run, text) for run, text in judges if run in runs]
        made += judges_differ([run for run, _ in kept], [text for _, text in kept])
    return made


def undated(record: JudgeRecord | None) -> str | None:
    """Return a judge as text, without the date on which a language model judged; None for an unknown judge."""
    return None if record is None else str(replace(record, date=""))


def _short(value: Any) -> str:
    """Return a JSON value as a short text; "" for an empty one."""
    value = _pruned(value)
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if value in (None, "") or (isinstance(value, (dict, list)) and not value):
        return ""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    text = sanitize(" ".join(_ADDRESS.sub("", text).split()), target="message")
    return text if len(text) <= _LONGEST else hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]


def _words(key: str) -> list[str]:
    words = [word.casefold() for word in _WORDS.findall(key)]
    while len(words) > 1 and words[-1] in _AFTER:
        words.pop()
    return words


def _stays(key: str) -> bool:
    return key in _OWN or speaks_of_grading(key) or bool(_WHO & {*_words(key)[-1:]})


def _without(record: JudgeRecord, keys: Collection[str]) -> JudgeRecord:
    stated = [key for key, _ in _stated(record) if key in keys]
    parameters = tuple(pair for pair in record.parameters if pair[0] not in keys)
    return replace(record, parameters=parameters, **dict.fromkeys({*_OWN} & {*stated}, "")) if stated else record


def _pruned(value: Any) -> Any:
    """Return a JSON value without its empty and irrelevant members, and with whole numbers as integers."""
    if isinstance(value, dict):
        parts = {str(key): _pruned(part) for key, part in value.items() if key not in _NO_MATTER}
        return {key: part for key, part in parts.items() if part not in (None, "", {}, [])}
    if isinstance(value, (list, tuple)):
        return [_pruned(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
