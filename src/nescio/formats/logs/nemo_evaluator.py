"""NeMo Evaluator: `results.jsonl` of a benchmark, one answer per line, with or without its bundle `eval-*.json`.

A line has `problem_idx`, `repeat`, `reward`, `model_response`, `extracted_answer`, `expected_answer` and
`scoring_details`. A reward of 1 is right, and repeats are repeats. An answer whose solver or sandbox failed
(`scoring_details.error_category`) is not graded, though the tool counts a reward of 0. An answer is not graded either
if its judge gave no verdict, or one that could not be parsed (`parse_error`). An empty response counts as incorrect
(`--empty`). The bundle names the model and the benchmark, and its pass@1 and mean reward are checked; without it a run
is named by the folder. Of several bundles in a folder the last by name, which holds the date, is that of the results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.judge_record import JudgeRecord, grader
from nescio.data.reasons import ERRORED
from nescio.errors import FormatError, offer
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import UNREAD, Log, checked, empty, question_means, rows_in
from nescio.formats.logs.metrics import made_by
from nescio.formats.logs.run_names import printable, runs_of
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, part_of
from nescio.sources.source import own_path

_GRADES = re.compile(r"judge|scor|grad|verif|metric", re.IGNORECASE)  # keys of a configuration that say how it graded
# what a judge says of one answer
_OF_ONE_ANSWER = {
    "normalized",
    "parse_error",
    "response",
    "raw",
    "grade",
    "swap_score",
    "swap_normalized",
    "position_bias",
}
_ROUNDED = 5e-5  # Figures are rounded to four decimals.


class Result(Struct):
    problem_idx: int
    repeat: int
    reward: float
    model_response: Any = None
    extracted_answer: Any = None
    expected_answer: Any = None
    scoring_details: Any = None
    metadata: Any = None


@reader("nemo_evaluator", about="results.jsonl of NeMo Evaluator (problem_idx, repeat, reward), and its eval-*.json")
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the benchmarks of every model as a run."""
    log = Log(parts, options)
    results = log.part("results")
    if not results:
        rule = f"this bundle holds figures but no answers; give results.jsonl{offer('beside', 'results.jsonl')}"
        raise FormatError(log.label, rule)
    bundles = {own_path(source.label).parent: source for source in log.part("bundle")}
    paths = [Path(source.label) for source in results]
    bundle_files = [bundles.get(own_path(path).parent) for path in paths]
    log.say_stray(str(source.label) for source in log.part("bundle") if source not in bundle_files)
    bundles_of_paths = [{} if bundle is None else as_object(bundle.document) for bundle in bundle_files]
    folders = [own_path(path).parent.name for path in paths]
    models = [
        printable(part_of(bundle, "config", "model")) or name
        for bundle, name in zip(bundles_of_paths, folders, strict=True)
    ]
    tasks = [printable(part_of(bundle, "benchmark", "name")) for bundle in bundles_of_paths]
    answers: list[Answer] = []
    for source, bundle, (run, prefix), task in zip(
        results, bundles_of_paths, runs_of(models, tasks, paths), tasks, strict=True
    ):
        run_answers = []
        for row, where in rows_in(source):
            answer = _answer(checked(Result, row, source, where), Answer(run, "", where=where, path=source.label))
            answer.question = prefix + answer.question
            answer.strata = {"task": task} if prefix else {}
            answer.judges = _judges(as_object(row.get("scoring_details")), bundle)
            run_answers.append((answer.question, float(row["reward"])))
            answers.append(log.take(answer))
        stated = part_of(bundle, "n_results")
        of = stated if isinstance(stated, int) else None
        log.total(source.name, "n_results", None, (), covered=of, held=len(run_answers), runs=(run,))
        passed = [(question, float(reward > 0)) for question, reward in run_answers]
        for name, rewards in (("pass@1", passed), ("mean_reward", run_answers)):
            figure = part_of(bundle, "benchmark", "scores", name, "value")
            log.compare(source, name, figure, question_means(rewards), run=run, rounding=_ROUNDED)
    return log.by_score(answers, "the rewards", keep=("task",))


def _judges(details: Mapping[str, Any], bundle: Mapping[str, Any]) -> dict[str, JudgeRecord]:
    """Return who graded: the method, the judge, and what the configuration of the run says on grading."""
    config = as_object(bundle.get("config"))
    stated = {name: value for name, value in made_by(config).items() if _GRADES.search(name)}
    judge = made_by(as_object(details.get("judge")), _OF_ONE_ANSWER)
    method = details.get("method")
    record = grader("reward", method=method, **{f"judge.{name}": value for name, value in judge.items()}, **stated)
    return {"": record} if (method or judge or stated) and not details.get("error_category") else {}


def _answer(row: Result, answer: Answer) -> Answer:
    details = as_object(row.scoring_details)
    judge = as_object(details.get("judge"))
    answer.question, answer.repeat, answer.score = f"problem {row.problem_idx}", row.repeat, row.reward
    if details.get("error_category"):
        answer.ungraded = ERRORED
    elif judge.get("parse_error") or (details.get("needs_judge") and "normalized" not in judge):
        answer.ungraded = UNREAD
    answer.nothing = empty(row.model_response)
    answer.labels = as_object(row.metadata)
    answer.gold, answer.answer, answer.extracted = row.expected_answer, row.model_response, row.extracted_answer
    answer.reason = details.get("error") or judge.get("reasoning")
    answer.score = None if answer.ungraded else row.reward
    return answer
