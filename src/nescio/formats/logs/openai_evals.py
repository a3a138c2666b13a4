"""OpenAI evals: the event log of one run, one event per line: first the `spec`, then `sampling`, `match` and others,
and last the `final_report`.

`match` says {"correct": bool, "sampled", "expected", …}; `metrics` may say {"score": number or null}. A sample that was
asked and has neither is not graded, nor is one whose grade could not be read (`"choice": "__invalid__"`): a failed
grader does not make an answer wrong. Whether the answer was empty, or declined in words, is read from the `sampling`
event if the grade does not repeat it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SAID_SO
from nescio.data.reasons import EMPTY
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import NO_SCORE, UNREAD
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, texts_in
from nescio.sources.source import Source
from nescio.sources.tables import json_lines
from nescio.text import sanitize

UNREADABLE = "__invalid__"  # the choice of a grade that could not be read; it is given the lowest score


def recognise(source: Source) -> str | None:
    """Recognise lines of which the first is the specification of a run."""
    if source.kind != "lines" or not isinstance(source.first, dict) or source.columns != ("spec",):
        return None
    return "log" if isinstance(source.first.get("spec"), dict) else None


@reader(
    "openai_evals",
    about="OpenAI evals: the event log of a run (spec, sampling, match, …)",
    recognise=recognise,
    sniff_keys={"lines": ("spec",)},
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its completion function."""
    notes: list[Note] = []
    rows: list[Graded] = []
    names = grading.run_names([(_name(source), source.stem) for _, source in parts])
    for (_, source), name in zip(parts, names, strict=True):
        rows += _events(source, name, options, notes)
    return grading.result_of(rows, parts[0][1].label, options, notes)


def _name(source: Source) -> str:
    functions = source.first["spec"].get("completion_fns")
    return grading.identity(functions[0]) if isinstance(functions, list) and functions else source.stem


def _events(source: Source, run: str, options: ReadOptions, notes: list[Note]) -> list[Graded]:
    samples: dict[str, str] = {}
    silences: dict[str, str | None] = {}  # why what was sampled is no answer
    by_sample: dict[str, Graded] = {}
    own: list[dict[str, Any]] = []  # the grades, which the tool's accuracy and score are means of
    asked: dict[str, Any] = {}  # what a sample was asked, and what was sampled
    report: Any = None
    for row, line in json_lines(source, lenient=True):
        report = row.get("final_report", report)
        sample = row.get("sample_id")
        if sample is None:
            continue
        where = f"line {line}"
        if not isinstance(sample, str):
            raise FormatError(source.label, "sample_id must be a text", where=where, value=sample)
        sample, data = grading.identity(sample), row.get("data")
        samples.setdefault(sample, where)
        if row.get("type") == "sampling" and isinstance(data, dict):
            silences[sample] = _why_silent(data.get("sampled"), options)
            if options.texts:
                asked[sample] = data
        graded = _graded(source, row.get("type"), data, where)
        if graded is not None and isinstance(data, dict):
            if sample in by_sample:
                raise FormatError(source.label, "the sample is graded a second time", where=where, value=sample)
            silent = _why_silent(data.get("sampled", data.get("picked")), options) or silences.get(sample)
            state, why = graded if graded[0] == NOT_GRADED else grading.outcome_of(graded[0], silent)
            words = _texts(asked.get(sample, {}), data) if options.texts else None
            by_sample[sample] = Graded(run, sample, state, why=why, where=where, path=source.label, texts=words)
            own.append(data)
    if not samples:
        raise FormatError(source.label, _why_no_samples(report))
    if report is None:
        notes.append(
            note(
                "openai_evals.no_report",
                "run {subject!r}: there is no final report: the run was stopped before it ended",
                run,
            )
        )
    notes += _against_report(as_object(report), own, source)
    lacking = [sample for sample in samples if sample not in by_sample]
    rows = [Graded(run, s, NOT_GRADED, why=NO_SCORE, where=samples[s], path=source.label) for s in lacking]
    return [*by_sample.values(), *rows]


def _against_report(report: dict[str, Any], grades: Sequence[dict[str, Any]], source: Source) -> Iterator[Note]:
    """Note where the accuracy or the score of the final report is not what the grades give."""
    for name, figure in (("correct", "accuracy"), ("score", "score")):
        marks = [mark for grade in grades if (mark := grading.number(grade.get(name))) is not None]
        if marks:
            yield from grading.compared(report.get(figure), None, marks, f"{figure} of the final report", source.name)


def _texts(sampling: Any, graded: Any) -> AnswerTexts:
    """Return the prompt, what was expected, what was sampled, and what of it was graded."""
    expected = graded.get("expected", graded.get("ideal"))
    answer = sampling.get("sampled", graded.get("sampled"))
    taken = graded.get("sampled", graded.get("picked"))
    gold = expected if isinstance(expected, list) else [expected]
    return texts_of(sampling.get("prompt", graded.get("prompt")), gold, answer, taken)


def _why_no_samples(report: Any) -> str:
    if report is None:
        return "there are no samples in it: the run stopped before its first"
    shown = [f"{name} {value:g}" for name, value in as_object(report).items() if isinstance(value, (int, float))]
    held = sanitize(grading.in_brackets(shown), target="message")
    return f"it holds the final report{held} and no samples, so no answer can be scored: give the whole log of events"


def _why_silent(sampled: Any, options: ReadOptions) -> str | None:
    """Return why what was sampled is no answer: all of it is empty, or means "I do not know"; None where it is one, or
    is not said."""
    texts = texts_in(sampled)
    if texts and all(declined(options, text) for text in texts):
        return SAID_SO
    return EMPTY if texts and not any(text.strip() for text in texts) else None


def _graded(source: Source, kind: Any, data: Any, where: str) -> tuple[int, str | None] | None:
    """Return state and reason of an event that grades a sample, None for any other event."""
    if kind not in ("match", "metrics"):
        return None
    if not isinstance(data, dict):
        raise FormatError(source.label, f"the data of a {kind} must be an object", where=where, value=data)
    if kind == "metrics":
        if "score" not in data:
            return None
        score = grading.number(data["score"])
        if data.get("choice") == UNREADABLE:
            return NOT_GRADED, UNREAD
        if score is None or not 0 <= score <= 1:
            return NOT_GRADED, NO_SCORE
        return (CORRECT if score == 1 else INCORRECT), None
    correct = data.get("correct")
    if not isinstance(correct, bool):
        raise FormatError(source.label, "correct must be true or false", where=where, value=correct)
    return (CORRECT if correct else INCORRECT), None
