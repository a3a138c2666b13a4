"""SimpleQA results: tables of `problem, target, predicted_answer, grade`, one file per run. NOT_ATTEMPTED is an
abstention.

A grade is A, B or C, or CORRECT, INCORRECT or NOT_ATTEMPTED, as a whole cell. The reference grader looks for a letter
anywhere in a text, and so takes NOT_ATTEMPTED for A and CORRECT for C. An empty answer counts by `--empty`, unless its
grade is C or A. A call that the endpoint refused has no grade. Files hold the questions in different orders, so they
are matched by their text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SILENT
from nescio.errors import FormatError, MismatchError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, empty, settle
from nescio.formats.logs.metric_tables import confidence_of, judge_columns, judges_in, rows_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import locate, require

MEASURES = (
    *("simpleqa.F", "simpleqa.correct", "simpleqa.incorrect", "simpleqa.not_attempted"),
    *("simpleqa.correct_given_attempted", "c@1"),
)
GRADES = {
    **dict.fromkeys(("A", "CORRECT"), CORRECT),
    **dict.fromkeys(("B", "INCORRECT"), INCORRECT),
    **dict.fromkeys(("C", "NOT_ATTEMPTED", "NOT ATTEMPTED"), SILENT),
}
REASONS = ("grader_response", "reason", "rationale", "explanation")  # columns with a grader's reasons
OWN = ("problem", "target", "predicted_answer", "grade", "run", "model", "confidence", "metadata")
_MARKS = re.compile(r"[^\w ]+")
_METADATA = re.compile(r"""["'](topic|answer_type)["']:\s*["']([^"']*)["']""")


@reader(
    "simpleqa",
    about="SimpleQA results: problem, target, predicted_answer, grade (A, B, C or the words)",
    columns=("judge",),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the graded answers of any number of runs, each named by its file (or by its column `run` or `model`)."""
    log = Log(parts, options)
    log.notes += [remark for source in log.sources for remark in source.notes]
    answers: list[Answer] = []
    for source, name in zip(log.sources, name_runs(log.sources), strict=True):
        before = {answer.run for answer in answers}
        run_answers = _answers(log, source, name)
        if again := next((answer.run for answer in run_answers if answer.run in before), None):
            raise MismatchError(f"run {again!r} is in {source.label}, but an earlier file has it too")
        answers += run_answers
    _name_repeats(log, answers)
    return log.result(answers, keep=[name for answer in answers for name in answer.strata], measures=MEASURES)


def _answers(log: Log, source: Source, name: str) -> list[Answer]:
    rows = rows_of(source)
    require(source, ("problem", "grade"), [*rows[0]], "a SimpleQA result")
    judges = judge_columns(source, dict.fromkeys(name for row in rows for name in row))
    answers = []
    for at, row in enumerate(rows, 1):
        problem, run = row["problem"], row.get("run") or row.get("model") or name
        if problem is None:
            raise FormatError(source.label, "the problem is empty", where=locate(source, at))
        state, why = grade_of(row["grade"], log.options.outcome_map)
        text = row.get("predicted_answer")
        answer = Answer(
            run,
            problem,
            confidence=confidence_of(source, row.get("confidence"), at),
            path=source.label,
            ungraded=why if state == NOT_GRADED else None,
            silent=why if state == SILENT else None,
            nothing=empty(text) if "predicted_answer" in row else None,
            strata=dict(_METADATA.findall(row.get("metadata") or ""))
            | {column: value or "" for column, value in row.items() if column and column not in OWN},
            cluster=row.get("target") or "",
            asked=problem,
            gold=row.get("target"),
            answer=text,
            reason=next((row[column] for column in REASONS if row.get(column)), None),
            judges=judges_in(row, judges),
        )
        settle(log.take(answer), state == CORRECT)
        answers.append(answer)
    return answers


def grade_of(text: str | None, outcome_map: Mapping[str, str] | None = None) -> tuple[int, str | None]:
    """Return the outcome that a grade means, and the reason if it is an abstention or no grade.

    `text` is a letter or a word in any case, or both if they agree ("A: CORRECT"), also with marks around them
    ("**B**"). A longer text means that the answer is ungraded. `outcome_map` gives further words and their outcomes.
    """
    if text is None:
        return NOT_GRADED, "without a grade"
    if outcome_map and text in outcome_map:
        state = MEANINGS[outcome_map[text]]
        return state, "not attempted" if state == SILENT else None
    parts = (part.strip() for part in _MARKS.split(" ".join(text.upper().split()).replace("-", " ")))
    states = {GRADES.get(part) for part in parts if part}
    named = states.pop() if len(states) == 1 else None
    if named is None:
        return NOT_GRADED, "with a grade other than A, B or C"
    return named, "not attempted" if named == SILENT else None


def _name_repeats(log: Log, answers: Sequence[Answer]) -> None:
    """Name each question after its text, with a number added if a run has several questions with this text.

    Questions with the same text form a cluster. If all runs have the same targets, they are paired across runs by their
    targets, otherwise by their order. Strata with several values for one question are dropped.
    """
    by_text: dict[str, dict[str, list[Answer]]] = {}
    for answer in answers:
        by_text.setdefault(answer.question, {}).setdefault(answer.run, []).append(answer)
    steady = _steady(answers)
    repeated = [text for text, runs in by_text.items() if max(map(len, runs.values())) > 1]
    if repeated:
        log.say(
            "simpleqa.questions_repeated",
            "{questions:n question} {questions:occurs/occur} more than once in a run, so nescio adds a number to "
            "each repeated question (first: {first!r})",
            questions=len(repeated),
            first=repeated[0],
        )
    for text, runs in by_text.items():
        targets = [sorted(str(answer.cluster) for answer in run_answers) for run_answers in runs.values()]
        alike = targets.count(targets[0]) == len(targets)
        for run_answers in runs.values():
            for i, answer in enumerate(
                sorted(run_answers, key=lambda answer: str(answer.cluster)) if alike else run_answers
            ):
                answer.question = text if not i else f"{text} ({i + 1})"
                while i and answer.question in by_text:
                    answer.question += "'"
    for text, runs in by_text.items():
        for answer in (answer for run_answers in runs.values() for answer in run_answers):
            answer.cluster = text if repeated else None
            answer.strata = {name: value for name, value in answer.strata.items() if name in steady}


def _steady(answers: Sequence[Answer]) -> set[str]:
    """Return the names of the strata that have a single value for each question."""
    values: dict[tuple[str, str, str | None], set[str]] = {}
    for answer in answers:
        for name, value in answer.strata.items():
            values.setdefault((name, answer.question, answer.cluster), set()).add(value)
    return {name for name, *_ in values} - {name for (name, *_), cells in values.items() if len(cells) > 1}
