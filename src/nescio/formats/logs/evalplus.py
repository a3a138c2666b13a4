"""EvalPlus: `MODEL.eval_results.json`, or `eval_results.json` in a folder, with the samples of each task of HumanEval+
or MBPP+, which have a `base_status` and a `plus_status`.

A sample is right by the metric `base` if it passes the tests of the original benchmark. It is right by `plus` if it
also passes the added ones. Any other status (`fail`, `timeout`) is wrong. If the file has both metrics, `--choose
metric=plus` selects one as the outcome. The samples of a task are its repeats. An empty solution counts as incorrect
(`--empty`). The tool's pass@1 is the mean over its tasks. Its `hash` is the digest of the tests, which say who graded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nescio.data.dropped import fewer_held
from nescio.data.judge_record import grader
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, checked, empty, question_means
from nescio.formats.logs.metrics import by_metric
from nescio.formats.logs.run_names import named
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, part_of
from nescio.sources.source import Source, own_path

PASS = "pass"
FILE = "eval_results"
_NOT_OF_GRADING = {"date", "eval", "pass_at_k"}  # keys of a file that do not say how its samples were graded


class Sample(Struct):
    base_status: str
    plus_status: str | None = None
    solution: str | None = None


@reader("evalplus", about="EvalPlus's eval_results.json: samples by task with base_status and plus_status")
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its file or, if it is called eval_results.json, by its folder."""
    log = Log(parts, options)
    answers: list[Answer] = []
    for source, run in named(log.sources, _name):
        run_answers = [log.take(_answer(row, run, task, i, source)) for task, i, row in _samples(source)]
        tests = {name: value for name, value in source.document.items() if name not in _NOT_OF_GRADING}
        judges = {metric: grader(metric, **tests) for metric in ("base", "plus")}
        if not run_answers:
            raise FormatError(source.label, "the file holds no samples")
        for answer in run_answers:
            answer.judges = judges
        for metric in ("base", "plus"):
            own_figure = part_of(source.document, "pass_at_k", metric, "pass@1")
            means = question_means((answer.question, answer.scores.get(metric, 0.0)) for answer in run_answers)
            log.compare(source, f"pass@1 of {metric}", own_figure, means, run=run, metric=metric)
        tasks, held = as_object(source.document.get("eval")), {answer.question for answer in run_answers}
        if len(held) < len(tasks):
            log.notes.append(fewer_held(source.name, [run], len(tasks), len(held)))
        answers += run_answers
    return by_metric(log, answers)


def _name(source: Source) -> str:
    if source.stem == FILE:
        return own_path(source.label).parent.name or source.stem
    return source.stem.removesuffix(f".{FILE}").removesuffix(f"_{FILE}")


def _samples(source: Source) -> list[tuple[str, int, Any]]:
    """Return the samples of all tasks, each with its task and its number within the task.

    Raises FormatError if the samples of a task are not a list.
    """
    samples = []
    for task, listed in as_object(source.document.get("eval")).items():
        if not isinstance(listed, list):
            raise FormatError(source.label, "the samples of a task must be a list", where=f"eval.{task}", value=listed)
        samples += [(task, i, row) for i, row in enumerate(listed, 1)]
    return samples


def _answer(row: Any, run: str, task: str, number: int, source: Source) -> Answer:
    where = f"eval.{task}[{number - 1}]"
    sample = checked(Sample, row, source, where)
    base = float(sample.base_status == PASS)
    plus = {} if sample.plus_status is None else {"plus": base * (sample.plus_status == PASS)}
    return Answer(
        run,
        identity(task),
        repeat=number,
        where=where,
        path=source.label,
        scores={"base": base, **plus},
        nothing=None if sample.solution is None else empty(sample.solution),
        asked=task,
        answer=sample.solution,
        reason=[sample.base_status, sample.plus_status],
    )
