"""LongMemEval: the answers of one system with the verdicts of `evaluate_qa.py` (`question_id`, `hypothesis`,
`autoeval_label`), one JSON object per line, with or without the questions (`longmemeval_*.json`).

A question whose id contains `_abs` has no answer in the conversations. Its label says whether the system recognised
that: true is a correct abstention, false a wrong answer. For other questions the label says whether the answer is
right. An answer that declines in words is an abstention if `--declined-pattern` matches it. The type of a question is a
stratum if the questions are given, or if the lines hold it. If they are given, a file that answers fewer lacks answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from nescio.data.dropped import fewer_held
from nescio.data.judge_record import grader
from nescio.errors import FormatError, offer
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import NO_SCORE, Log, Name, checked, empty, rows_in
from nescio.formats.logs.run_names import named
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import elements, identity
from nescio.sources.source import Source

UNANSWERABLE = "_abs"
RECOGNISED = "recognised as unanswerable"
# These columns do not group questions.
_TEXTS = {"hypothesis", "question", "answer", "autoeval_label", "question_id", "question_date"}


class Verdict(Struct):
    label: bool | None = None
    model: Any = None


class Line(Struct):
    question_id: Name
    hypothesis: str | None = None
    autoeval_label: Annotated[Verdict | bool | None, Meta(description="true or false")] = None
    question_type: Any = None


class Asked(Struct):
    question_id: Any = None
    question: Any = None
    answer: Any = None
    question_type: Any = None


@reader(
    "longmemeval",
    about="verdicts of LongMemEval's evaluate_qa.py: question_id, hypothesis, autoeval_label; and its questions",
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file of answers as a run, named by its file."""
    log = Log(parts, options)
    if not log.part("answers"):
        rule = f"the file holds questions; give the file that evaluate_qa.py wrote{offer('beside', '*.eval-results-*')}"
        raise FormatError(log.label, rule)
    rows = (row for source in log.part("questions") for row, _ in elements(source, ()) if isinstance(row, dict))
    asked = {str(row.get("question_id")): checked(Asked, row, log.label, None) for row in rows}
    answers = []
    for source, run in named(log.part("answers"), _name):
        held = set[str]()
        for row, where in rows_in(source, (), "an answer"):
            line = checked(Line, row, source, where)
            answer = Answer(run, identity(line.question_id), where=where, path=source.label)
            answer.labels = {name: value for name, value in row.items() if name not in _TEXTS}
            held.add(str(line.question_id))
            answers.append(log.take(_answer(line, asked.get(str(line.question_id), Asked()), answer)))
        if lacking := {*asked} - held:
            log.notes.append(fewer_held(source.name, [run], len(asked), len(asked) - len(lacking)))
    return log.by_score(answers, "the labels", keep=("question_type",))


def _name(source: Source) -> str:
    """Return the name of the graded file of answers, to which `evaluate_qa.py` adds `.eval-results-JUDGE`."""
    name = Path(source.label).name.partition(".eval-results-")[0]
    return name.removesuffix(".jsonl").removesuffix(".json") or source.stem


def _answer(line: Line, asked: Asked, answer: Answer) -> Answer:
    label = line.autoeval_label.label if isinstance(line.autoeval_label, Verdict) else line.autoeval_label
    if isinstance(line.autoeval_label, Verdict):
        answer.judges = {"": grader("autoeval_label", model=line.autoeval_label.model)}
    answer.answerable = int(UNANSWERABLE not in answer.question)
    answer.labels = {**answer.labels, "question_type": asked.question_type or line.question_type}
    answer.asked, answer.gold, answer.answer = asked.question, asked.answer, line.hypothesis
    answer.nothing = empty(line.hypothesis)
    if label is None:
        answer.ungraded = NO_SCORE
    elif answer.answerable:
        answer.right = label
    else:
        answer.right, answer.silent = (None, RECOGNISED) if label else (False, None)
    return answer
