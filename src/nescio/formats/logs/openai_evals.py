"""OpenAI evals: the event log of one run, one event per line: first the `spec`, then `sampling`, `match` and others,
and last the `final_report`.

`match` has the form {"correct": bool, "sampled", "expected", …}; `metrics` may have {"score": number or null}. A sample
is not graded if it was asked but has neither, or if its grade could not be parsed (`"choice": "__invalid__"`): a failed
grader does not make an answer wrong. If the grade does not repeat the answer, the `sampling` event shows whether it was
empty or declined in words.

The name of a sample is only a number in its data set. So the record of who graded also has the name of the eval and the
file of samples, and the first prompts of a sample must agree between runs, apart from the lines, the beginning and the
end that all prompts of the run have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.judge_record import JudgeRecord, grader
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import NO_SCORE, UNREAD, Log, checked, empty, in_brackets, rows_in
from nescio.formats.logs.prompts import own_texts
from nescio.formats.logs.run_names import run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.formats.shapes import kind_of
from nescio.sources.elements import as_list, as_object, identity, number, part_of, texts_in
from nescio.sources.source import Source
from nescio.text import sanitize

UNREADABLE = "__invalid__"  # the choice for a grade that could not be parsed, to which the tool gives the lowest score

# the parameters of an eval that say how, and how much of, its data set was asked
_OF_SAMPLES = ("samples_jsonl", "few_shot_jsonl", "num_few_shot", "max_samples", "seed")
FORM = b"openai_evals_own_text"  # the name of the digests of what remains of a prompt
_PACKED = (".gz", ".zst", ".bz2", ".xz")


class Event(Struct):
    sample_id: str | None = None
    type: Any = None
    data: Any = None
    final_report: Any = None


def recognise(source: Source) -> str | None:
    """Recognise lines of which the first is the specification of a run."""
    first = source.first if isinstance(source.first, dict) else {}
    return "log" if kind_of(source) == "lines" and [*first] == ["spec"] and isinstance(first["spec"], dict) else None


@reader(
    "openai_evals",
    about="OpenAI evals: the event log of a run (spec, sampling, match, …)",
    recognise=recognise,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its completion function."""
    log = Log(parts, options)
    names = run_names([(_name(source), source.stem) for source in log.sources])
    answers = [
        log.take(answer)
        for source, run in zip(log.sources, names, strict=True)
        for answer in _answers(log, source, run)
    ]
    return log.by_score(answers, "the grades")


def _name(source: Source) -> str:
    functions = source.first["spec"].get("completion_fns")
    return identity(functions[0]) if isinstance(functions, list) and functions else source.stem


def _judges(source: Source) -> dict[str, JudgeRecord]:
    """Return who graded a run, by its specification: the class of the eval, its parameters, its data set, and the
    grading model."""
    spec = source.first["spec"]
    declared = part_of(spec, "run_config", "eval_spec")
    functions, name = as_list(spec.get("completion_fns")), part_of(declared, "cls")
    if not isinstance(name, str):
        return {}
    stated = as_object(part_of(declared, "args"))
    parameters = {key: value for key, value in stated.items() if key not in _OF_SAMPLES}
    data = {"eval": spec.get("eval_name"), "samples": _file(str(stated.get("samples_jsonl") or ""))}
    return {"": grader(name.rpartition(":")[2], **{"model": functions[1:], **data, **parameters})}


def _file(path: str) -> str:
    """Return the last two names in a path of any system without the ending of a packed file: the folders above may be
    moved."""
    place = "/".join(path.replace("\\", "/").split("/")[-2:])
    return next((place.removesuffix(ending) for ending in _PACKED if place.endswith(ending)), place)


def _answers(log: Log, source: Source, run: str) -> Iterator[Answer]:
    answers: dict[str, Answer] = {}
    samples: dict[str, dict[str, Any]] = {}  # the prompt and the response of each sample
    first: dict[str, Any] = {}  # the first prompt of each sample: a later one may be the grader's
    grades: dict[str, dict[str, Any]] = {}  # The tool's accuracy and score are means of these.
    report: Any = None
    for row, where in rows_in(source):
        event = checked(Event, row, source, where)
        report = report if event.final_report is None else event.final_report
        if event.sample_id is None:
            continue
        name = identity(event.sample_id)
        answers.setdefault(name, Answer(run, name, where=where, path=source.label))
        if event.type == "sampling":
            samples[name] = as_object(event.data)
            first.setdefault(name, samples[name].get("prompt"))
        elif event.type in ("match", "metrics"):
            if not isinstance(event.data, dict):
                rule = f"the data of a {event.type} must be an object"
                raise FormatError(source.label, rule, where=where, value=event.data)
            if event.type == "metrics" and "score" not in event.data:
                continue
            if name in grades:
                raise FormatError(source.label, "the sample is graded a second time", where=where, value=name)
            grades[name] = event.data
            answers[name].where = where
            _grade(answers[name], event, source)
    if not answers:
        raise FormatError(source.label, _why_no_samples(report))
    if report is None:
        ended = "; it has no final report, so the run was stopped before its end"
        log.notes.append(fewer_held(source.name, [run], None, len(answers), ended))
    for key, figure in (("correct", "accuracy"), ("score", "score")):
        marks = [mark for grade in grades.values() if (mark := number(grade.get(key))) is not None]
        if marks:
            log.compare(source, f"{figure} of the final report", as_object(report).get(figure), marks, run=run)
    judges, asked = _judges(source), own_texts(first)
    for name in (*grades, *(name for name in answers if name not in grades)):
        answers[name].judges = judges
        answer = _with_words(answers[name], samples.get(name, {}), grades.get(name))
        words = words_digest(asked.get(name), answer.gold)
        answer.words = words and words + FORM
        yield answer


def _grade(answer: Answer, event: Event, source: Source) -> None:
    if event.type == "match":
        right = event.data.get("correct")
        if not isinstance(right, bool):
            raise FormatError(source.label, "correct must be true or false", where=answer.where, value=right)
        answer.right = right
        return
    score = number(event.data["score"])
    if event.data.get("choice") == UNREADABLE:
        answer.ungraded = UNREAD
    elif score is None or not 0 <= score <= 1:
        answer.ungraded = NO_SCORE
    else:
        answer.right = score == 1


def _with_words(answer: Answer, sampling: dict[str, Any], grade: dict[str, Any] | None) -> Answer:
    """Return `answer` with its texts: the prompt, the expected text, the response, and the part that was graded.

    The texts come from the event `sampling` and from `grade`. Without a grade the answer is ungraded.
    """
    if grade is None:
        answer.ungraded = NO_SCORE
        return answer
    taken = grade.get("sampled", grade.get("picked"))
    answer.prompt, answer.gold = sampling.get("prompt", grade.get("prompt")), grade.get("expected", grade.get("ideal"))
    answer.answer, answer.extracted = sampling.get("sampled", grade.get("sampled")), taken
    texts = texts_in(taken), texts_in(sampling.get("sampled"))
    answer.nothing = next((empty(text) for text in texts if text and empty(text)), None)
    return answer


def _why_no_samples(report: Any) -> str:
    if report is None:
        return "the file holds no samples: the run stopped before its first sample"
    shown = [f"{name} {value:g}" for name, value in as_object(report).items() if isinstance(value, (int, float))]
    figures = sanitize(in_brackets(shown), target="message")
    return (
        f"the file holds the final report{figures} but no samples, so no answer can be scored; give the whole log of "
        "events"
    )
