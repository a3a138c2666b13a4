"""AutoNuggetizer (castorini/nuggetizer): keys of nuggets, answers of the RAG track, and assignments by a language
model.

    key         `{"qid", "query", "nuggets": [{"text", "importance": "vital"|"okay"}]}`
    assignment  the same with `"assignment": "support"|"partial_support"|"not_support"` for each nugget, `run_id`,
                `answer_text`
    answers     `{"run_id", "topic_id", "answer": [{"text"}, …]}`

Assignments need no other file; a key with answers is matched automatically, by words. Support means a found nugget.
Partial support means neither found nor missing: nuggets.vital and nuggets.all give it half a credit, nuggets.F none. A
response with a failed assignment is ungraded. Each run needs assignments for each topic, because they hold the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.data.judge_record import JudgeRecord
from nescio.data.policy_notes import ungraded_note
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.elements import identifier
from nescio.sources.json_lines import json_lines
from nescio.sources.source import LINES, Source, name_runs
from nescio.tasks.nuggets.parts import At, Keys, Said, check, to_evidence
from nescio.tasks.nuggets.scoring import FULL, PARTIAL, Match, Nugget, Response, Run, evidence
from nescio.text import plural

KEY, ANSWERS, ASSIGNED = "gold", "answers", "assigned"
GRADES = {"support": FULL, "partial_support": PARTIAL, "not_support": None}
FAILED = "failed"
MEASURES = ("nuggets.vital", "nuggets.vital(partial=0)", "nuggets.all", "nuggets.all(partial=0)")


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines of `qid` and `nuggets` (with assignments if the first nugget has one), or of `topic_id` and
    a list `answer`."""
    if source.suffix not in LINES or not isinstance(source.first, dict):
        return None
    nuggets = source.first.get("nuggets")
    if "qid" in source.columns and isinstance(nuggets, list) and nuggets and isinstance(nuggets[0], dict):
        return ASSIGNED if "assignment" in nuggets[0] else KEY if "importance" in nuggets[0] else None
    return ANSWERS if "topic_id" in source.columns and isinstance(source.first.get("answer"), list) else None


@reader(
    "nuggetizer",
    about="AutoNuggetizer: assignments of nuggets, or a key of nuggets with answers, in JSON Lines",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read files in which nuggets are already assigned to answers, or one key and answers.

    The nuggets of a key are matched with the answers automatically.
    """
    by_part = by_role(parts)
    if by_part[ASSIGNED]:
        if len(by_part[ASSIGNED]) < len(parts):
            other = (*by_part[KEY], *by_part[ANSWERS])[0]
            raise MismatchError(f"{other.label}: assignments already hold the key and the answers; give no other files")
        if options.choose:
            raise UsageError(f"{opt('choose')} does not apply to assignments; leave it out")
        return _assigned(by_part[ASSIGNED])
    if len(by_part[KEY]) != 1 or not by_part[ANSWERS]:
        raise MismatchError(
            f"{parts[0][1].label}: give either one key of nuggets and files of answers, or assignments alone"
        )
    keys = Keys()
    for row, line in json_lines(by_part[KEY][0]):
        at = At(by_part[KEY][0], line)
        target = _name(at, row, "qid")
        if target in keys.nuggets:
            raise at.fail("the question appears twice", target)
        for nugget in _nuggets(at, row):
            keys.add(at, target, nugget)
    answers = _answers(by_part[ANSWERS])
    check(keys, answers)
    return to_evidence(keys, answers, (), options)


def _name(at: At, row: dict[str, Any], key: str) -> str:
    return identifier(row, key, at.source.label, at.line).strip()


def _nuggets(at: At, row: dict[str, Any]) -> list[Nugget]:
    items = row.get("nuggets")
    if not isinstance(items, list) or not items:
        raise at.fail("nuggets must be a list with at least one nugget", items)
    nuggets = []
    for place, item in enumerate(items, 1):
        text, importance = (item.get("text"), item.get("importance")) if isinstance(item, dict) else (None, None)
        if not isinstance(text, str) or not text.strip():
            raise at.fail("the text of a nugget must not be empty", item)
        if importance not in ("vital", "okay"):
            raise at.fail("importance must be vital or okay", importance)
        nuggets.append(Nugget(str(place), text.strip(), {"": importance == "vital"}))
    return nuggets


def _answers(sources: Sequence[Source]) -> Said:
    answers = Said()
    for source, stem in zip(sources, name_runs(sources), strict=True):
        for row, line in json_lines(source):
            at = At(source, line)
            run = _name(at, row, "run_id") if "run_id" in row else stem
            key = run, _name(at, row, "topic_id")
            strings = row.get("answer")
            if not isinstance(strings, list):
                raise at.fail("answer must be a list of sentences", strings)
            answers.respond(at, key, None, "answers topic")
            for rank, sentence in enumerate(strings, 1):
                text = sentence.get("text") if isinstance(sentence, dict) else None
                if not isinstance(text, str):
                    raise at.fail("a sentence of an answer must have a text", sentence)
                answers.add(at, key, rank, text, None)
    return answers


def _assigned(sources: Sequence[Source]) -> ReadResult:
    keys, matches = Keys(), []
    runs: dict[str, dict[str, Response]] = {}
    first: dict[str, dict[str, Nugget]] = {}
    failed = Counter[str]()
    for source, stem in zip(sources, name_runs(sources), strict=True):
        for row, line in json_lines(source):
            at = At(source, line)
            if "candidate_text" in row:
                raise at.fail("the file assigns nuggets to passages, not to answers of runs", row.get("docid"))
            run = _name(at, row, "run_id") if "run_id" in row else stem
            target = _name(at, row, "qid")
            if target in runs.setdefault(run, {}):
                raise at.fail(f"run {run!r} answers question {target} again", target)
            nuggets = {nugget.id: nugget for nugget in _nuggets(at, row)}
            if first.setdefault(target, nuggets) != nuggets:
                raise at.fail(f"the nuggets of question {target} differ from its nuggets on an earlier line", target)
            if target not in keys.nuggets:
                for nugget in nuggets.values():
                    keys.add(at, target, nugget)
            labels = _grades(at, row)
            failed[run] += FAILED in labels
            runs[run][target] = Response(target, _text(at, row), graded=FAILED not in labels)
            grades = {str(place): GRADES[grade] for place, grade in enumerate(labels, 1) if grade != FAILED}
            matches += [Match(run, target, name, None, "", grade) for name, grade in grades.items() if grade]
            matches.append(Match(run, target, ""))
    _check_asked(runs, keys)
    data, notes = evidence(keys.targets(), [Run(name, responses) for name, responses in runs.items()], matches)
    total = len(keys.nuggets)
    left_out = (ungraded_note("exclude", run, n, total, n / total) for run, n in failed.items() if n)
    return ReadResult(data, (*notes, *left_out), MEASURES, judges=(JudgeRecord("assignments"),))


def _check_asked(runs: Mapping[str, Mapping[str, Response]], keys: Keys) -> None:
    """Raise MismatchError if a run has no line for a topic: then only other runs say that the topic is in the key."""
    for run, responses in runs.items():
        lacking = [topic for topic in keys.nuggets if topic not in responses]
        if lacking:
            raise MismatchError(
                f"run {run!r} has no assignments for {len(lacking)} of {plural(len(keys.nuggets), 'topic')} (first: "
                f"{lacking[0]!r}); for an abstention, add a line with an empty answer_text and not_support for each "
                "nugget"
            )


def _grades(at: At, row: dict[str, Any]) -> list[str]:
    grades = [nugget.get("assignment") for nugget in row["nuggets"]]
    odd = next((grade for grade in grades if grade not in (*GRADES, FAILED)), None)
    if odd is not None or None in grades:
        raise at.fail(f"an assignment is {', '.join(GRADES)}", odd)
    return grades


def _text(at: At, row: dict[str, Any]) -> tuple[str, ...]:
    """Return the text of an answer as its only string, or no string if the text is empty.

    It stays one string, because assignments do not say which sentence has a nugget.
    """
    text = row.get("answer_text")
    if not isinstance(text, str):
        raise at.fail("answer_text must be a text: nugget precision needs its length", text)
    return (text,) if text.strip() else ()
