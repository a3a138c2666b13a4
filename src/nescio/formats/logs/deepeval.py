"""DeepEval: `.deepeval/.latest_test_run.json`, `.latest_run_full.json`, `test_run_*.json`, and the cache of test cases.

A test case has `success` and, for each metric, `success`, `score` and perhaps `error` (`metricsData`; before version 1,
`metricsMetadata`). As in the tool, it is right if all its metrics passed; a `flaky` metric does not decide. A metric
that ended in an error, or has no score, gives no verdict. A case that failed for no other reason is not graded, though
the tool counts it as failed. Neither is a case whose metrics are all flaky. A case that the tool failed, though all
metrics that it lists passed, is wrong: a metric of one of its spans failed. A case that lacks some metrics of its run,
and has them in another run, counts as one with another gold answer. `--choose metric=NAME` uses one metric instead of
all, and with `threshold=T` its score.
An empty `actualOutput` counts as incorrect (`--empty`). A case is identified by its input: runs are compared by it, and
cases with the same input are repeats.

If a metric of tool use decides (Tool Correctness, …), an empty list `expectedTools` means that no tool is needed. Then
calling none is right, whatever the metric says. In other cases calling none is an abstention. Dialogues do not list the
expected tools, and `Tool Use` gives 0 without a call even if no tool was needed. So a note counts the dialogues without
a call that have 0.

The cache (`.deepeval-cache.json`) keeps the cases of earlier runs, so its counts are not those of the last run. In a
`.deepeval` folder, the latest run is read instead of the cache. A file with only a link has its cases at Confident AI;
`.latest_run_full.json` beside it may hold them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from nescio.data.changed_questions import words_digest
from nescio.data.judge_record import JudgeRecord, grader
from nescio.data.outcomes import SAID_SO
from nescio.errors import FormatError, opt
from nescio.formats.answers import Answer
from nescio.formats.choices import choose, threshold
from nescio.formats.logs.kit import NO_SCORE, UNREAD, Log, checked, empty, rows_in
from nescio.formats.logs.metrics import METRIC, abstains, metric_name, question_name
from nescio.formats.logs.run_names import named
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, entries, number, objects_in, part_of
from nescio.sources.json import decode_document
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

CASES, DIALOGUES, MAP, LINK = "testCases", "conversationalTestCases", "test_cases_lookup_map", "testRunLink"
NO_TOOL, ALL_FLAKY = "called no tool", "graded only by flaky metrics"
TOOL_USE = "tool use"  # a metric of dialogues
_OF_TOOLS = ("tool", "argument correctness")  # parts of the names of metrics that look at the tools called
CACHED = "cached_metrics_data"  # the key that each case of the cache has
FOLDER = ".deepeval"
FULL, LATEST, CACHE = ".latest_run_full.json", ".latest_test_run.json", ".deepeval-cache.json"
ORDER = (FULL, LATEST, CACHE)  # the files of one folder, which hold the same cases, the most complete first
# The keys of a metric that do not say how it grades: results, costs, and those that `_judges` reads itself.
_NOT_OF_GRADING = {
    *("name", "metric", "success", "score", "reason", "error", "skipped", "flaky", "evaluationCost", "verboseLogs"),
    *("evaluationModel", "threshold", "minimumScore", "inputTokenCount", "outputTokenCount"),
    *("evaluation_model", "include_reason", "strict_mode", "evaluation_steps"),  # of the cache
}
# The headings, in the verbose logs of a metric, of what it was told; the rest of these logs are results.
_TOLD = re.compile(
    r"(criteria|rubric|evaluation steps|[\w ]*(?:instructions|schema|guidelines))[ \w=(),]*:\s*", re.IGNORECASE
)
_NODE = re.compile(r"_{5,}\n\|[^\n]*\|\n\*{5,}\n(?:Label:[^\n]*\n)?\s*")  # the head of a node of a graph
_FOUND = re.compile(r"\n\n(?=(?:Verdict|Reason|Score|Type|Output)\b[^\n]*:)")  # the results of a node
_EMPTY = ("", "None", "[]")
_PART = " \n \n"  # between the parts of verbose logs; early versions write an empty line
_EARLY = re.compile(r"\n\n(?=(?:Criteria|Evaluation Steps|Rubric|Score)\b)")
_OF_A_RUN = {"metricsScores", "metricScores", "testPassed", "runDuration", "dict_test_cases"}


class Metric(Struct, rename="camel"):
    name: Annotated[str, Meta(pattern=r"\S")]
    success: bool | None = None
    score: Any = None
    minimum_score: Any = None
    threshold: Any = None
    evaluation_model: Any = None
    strict_mode: Any = None
    error: Any = None
    flaky: Any = None
    reason: Any = None
    verbose_logs: Any = None
    more: dict[str, Any] = {}

    @property
    def value(self) -> float | None:
        """Return the score, or None if the metric failed."""
        score = number(self.score)
        return None if self.error or score is None or not math.isfinite(score) else score

    @property
    def passed(self) -> bool | None:
        """Return whether the case passes the metric, or None if the metric failed.

        Early versions of DeepEval write no verdict, but a minimum score, with which the score is compared.
        """
        least = number(self.minimum_score)
        if self.value is None:
            return None
        return self.value >= least if self.success is None and least is not None else self.success


class Case(Struct, rename="camel"):
    """A test case of DeepEval. `success` is the tool's own verdict on it, or None."""

    success: bool | None = None
    name: Any = None
    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    metrics_data: list[Any] | None = None
    metrics_metadata: list[Any] | None = None
    metadata: Any = None
    additional_metadata: Any = None
    scenario: Any = None
    turns: Any = None
    messages: Any = None
    tools_called: Any = None
    expected_tools: Any = None
    flaky: Any = None
    expected_outcome: Any = None


Placed = tuple[Case, dict[str, Metric], str]  # a case, its metrics keyed by name, and its place


def recognise(source: Source) -> str | None:
    """Recognise a document with `testCases` beside `metricsScores` or `testPassed`, alone or under `testRunData`; or
    one with `test_cases_lookup_map`, or `testRunLink`."""
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    if isinstance(cases := source.document.get(MAP), dict):
        return (
            "cache" if all(isinstance(case, dict) and (not case or CACHED in case) for case in cases.values()) else None
        )
    run = part_of(source.document, *_root(source))
    if isinstance(run, dict) and {CASES, DIALOGUES} & {*run}:
        return "run" if _root(source) or source.outline or _OF_A_RUN & {*run} else None
    return "run" if LINK in source.document else None


def _root(source: Source) -> tuple[str, ...]:
    return ("testRunData",) if isinstance(source.document.get("testRunData"), dict) else ()


@reader(
    "deepeval",
    about="a test run of DeepEval (.deepeval/.latest_test_run.json), or its cache of cases",
    recognise=recognise,
    streams=True,
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read every file as a run, named by its identifier or by the folder that holds `.deepeval`."""
    log = Log(parts, options)
    files = [(source, run, list(_cases(source))) for source, run in named(_fullest(log), _name)]
    for source, run, cases in files:
        if not cases:
            raise FormatError(source.label, _why_no_cases(source))
        if MAP in source.document:
            template = (
                "{subject}: the file is a cache, which also keeps cases of earlier runs: some of its {cases:n case} "
                "may be from an earlier run"
            )
            log.say("deepeval.cache", template, str(source.label), cases=len(cases))
        _against_counts(log, source, run, cases)
    placed = [case for _, _, cases in files for case in cases]
    metric = _metric(log, [metrics for _, metrics, _ in placed])
    answers = []
    for source, run, cases in files:
        all_names = dict.fromkeys(name for _, metrics, _ in cases for name in metrics)
        for case, metrics, where in cases:
            lacked = [name for name in all_names if name not in metrics]
            by = metric, threshold(options)
            answers.append(log.take(_answer(case, metrics, lacked, by, Answer(run, "", where=where))))
            answers[-1].path = source.label
    log.number(answers)
    failed = [
        case
        for case, metrics, _ in placed
        if any(m.passed is None and m.flaky is not True for name, m in metrics.items() if metric in (None, name))
    ]
    if failed:
        log.say(
            "deepeval.failed_metrics",
            "{cases:n case} {cases:has/have} a metric with an error or without a score, and {cases:is/are} not graded "
            "unless another metric fails; DeepEval counts {counted} of them as failed",
            cases=len(failed),
            counted=sum(case.success is False for case in failed),
        )
    if unused := sum(_has_0_for_no_tool(case, _deciding(metrics, metric)) for case, metrics, _ in placed):
        log.say(
            "deepeval.no_tool_used",
            "the metric Tool Use gives 0 to {cases:n dialogue} without any tool call, so {cases:it counts/they "
            "count} as incorrect; DeepEval gives 0 even if no tool was needed",
            cases=unused,
        )
    return log.by_score(answers, "the cases")


def _fullest(log: Log) -> list[Source]:
    """Return the files of the log, with only one file for each folder `.deepeval`.

    The files in such a folder hold the same cases, so only the one that holds most about them is read.
    """
    paths = [Path(source.label) for source in log.sources]
    best: dict[Path, int] = {}
    for path in paths:
        if path.name in ORDER:
            best[path.parent] = min(best.get(path.parent, len(ORDER)), ORDER.index(path.name))
    left = [path for path in paths if path.name in ORDER and ORDER.index(path.name) != best[path.parent]]
    if left:
        template = "these files are not read, because another file in their folder has the same cases: {files:list}"
        log.say("deepeval.one_of_folder", template, files=[str(path) for path in left])
    return [source for source, path in zip(log.sources, paths, strict=True) if path not in left]


def _name(source: Source) -> str:
    identifier = part_of(source.document, *_root(source), "identifier")
    if isinstance(identifier, str) and identifier.strip():
        return sanitize(identifier.strip(), target="message")
    path = own_path(source.label)
    if path.parent.name == FOLDER:
        return path.parent.parent.name or FOLDER
    return source.stem.lstrip(".") or source.stem


def _why_no_cases(source: Source) -> str:
    if LINK in source.document:
        return (
            f"the file links to the run at Confident AI but holds no cases; give {FULL} of the same folder, or a run "
            "that was not sent to Confident AI"
        )
    return "the run has no test cases: DeepEval stopped before the first"


# ---- cases ----


def _cases(source: Source) -> Iterator[Placed]:
    """Yield the cases of a run or a cache.

    In a cache, the key of a case is a JSON object with the question and the answer.
    """
    for list_ in (CASES, DIALOGUES):
        for row, where in rows_in(source, (*_root(source), list_), "a test case"):
            yield _placed(source, row, where)
    for key, row, where in entries(source, (MAP,)):
        if not isinstance(row, dict):
            raise FormatError(source.label, "a test case must be an object", where=where, value=row)
        asked = decode_document(str(source.label), key.encode(errors="replace"), source.room, where)
        if not isinstance(asked, dict):
            raise FormatError(source.label, "the key of a cached case must be a JSON object", where=where, value=asked)
        case = {
            "input": asked.get("input"),
            "actualOutput": asked.get("actual_output"),
            "expectedOutput": asked.get("expected_output"),
            "metricsData": [
                as_object(metric.get("metric_configuration"))
                | as_object(metric.get("metric_data", metric.get("metric_metadata")))
                for metric in objects_in(row.get(CACHED))
            ],
        }
        yield _placed(source, case, where)


def _placed(source: Source, row: Any, where: str) -> Placed:
    case = checked(Case, row, source, where)
    turns = objects_in(case.turns or case.messages)
    if turns or case.scenario:
        replies = [turn.get("content") for turn in turns if turn.get("role") == "assistant"]
        replies += [turn.get("actualOutput") for turn in turns if "actualOutput" in turn]
        first = next((turn.get("content", turn.get("input")) for turn in turns), None)
        case.input, case.actual_output = case.scenario or first, replies[-1] if replies else None
    if not isinstance(case.input, str) or not case.input.strip():
        case.input = case.name
    if not isinstance(case.input, str) or not case.input.strip():
        raise FormatError(source.label, "a test case must have an input, or a name", where=where, value=case.input)
    metrics: dict[str, Metric] = {}
    for score_of_metric in objects_in(case.metrics_data or case.metrics_metadata):
        metric = checked(
            Metric, {"name": score_of_metric.get("metric")} | score_of_metric, source, where, "metricsData."
        )
        metric.more = {key: value for key, value in score_of_metric.items() if key not in _NOT_OF_GRADING}
        metrics[metric_name(metric.name, "")] = metric
    return case, metrics, where


def _metric(log: Log, cases: Sequence[dict[str, Metric]]) -> str | None:
    """Return the metric that the user chose, or None if a case must pass all metrics to be right."""
    names = list(dict.fromkeys(name for metrics in cases for name in metrics))
    if METRIC in log.options.choose or threshold(log.options) is not None:
        return choose(log.options, METRIC, names, "metrics")
    if len(names) > 1:
        template = (
            f"a case is right if all its metrics passed ({{metrics:list}}); {opt('choose', of='metric=NAME')} lets "
            "one metric decide"
        )
        log.say("deepeval.all_metrics", template, metrics=names)
    return None


def _answer(
    case: Case, metrics: dict[str, Metric], lacked: Sequence[str], by: tuple[str | None, float | None], answer: Answer
) -> Answer:
    """Return `answer` completed from a case, with the verdict of the metric in `by`, or of all metrics if it is None.

    The answer is ungraded if no metric failed it and some metric gave no verdict. `by` also has the lowest score of the
    metric that is right; if it is None, the tool's verdict decides. `lacked` has the metrics of other cases of the run.
    """
    metric, least = by
    text = case.actual_output if isinstance(case.actual_output, str) else None
    answer.question, answer.labels = question_name(case.input), as_object(case.metadata or case.additional_metadata)
    answer.scores = {name: result.value for name, result in metrics.items() if result.value is not None}
    answer.nothing = empty(text)
    answer.silent = SAID_SO if answer.nothing is None and abstains(answer.scores) else None
    answer.asked, answer.gold, answer.answer = case.input, case.expected_output, text
    expected = [case.expected_output, case.expected_tools, case.expected_outcome, *([] if metric else lacked)]
    answer.words = words_digest(case.input, [part for part in expected if part not in (None, [])] or None)
    answer.reason = [result.reason for result in metrics.values()]
    deciding = _deciding(metrics, metric)
    others = {
        name: result for name, result in deciding.items() if not any(word in name.casefold() for word in _OF_TOOLS)
    }
    answer.judges = _judges(metrics if metric is None else deciding, least, flaky=case.flaky is True)
    if len(others) < len(deciding) and isinstance(case.expected_tools, list):
        answer.answerable = int(bool(case.expected_tools))
        if case.tools_called == [] and not empty(text):
            deciding = deciding if answer.answerable else others  # because calling no tool is right if none is expected
            answer.silent = NO_TOOL if not others or _all_pass(deciding) else None
    if metric is not None:
        mark = metrics.get(metric)
        answer.right = None if mark is None else mark.passed
        if mark is not None and mark.value is not None and least is not None:
            answer.right = mark.value >= least
        answer.lacking = NO_SCORE if mark is None else UNREAD
        return answer
    answer.right = _all_pass(deciding) if deciding else None
    if case.success is False and metrics and _all_pass(metrics):  # A metric of a span failed.
        answer.right = False
    answer.lacking = UNREAD if deciding else ALL_FLAKY if metrics else NO_SCORE
    return answer


def _judges(metrics: dict[str, Metric], least: float | None, *, flaky: bool) -> dict[str, JudgeRecord]:
    """Return who graded: the metrics that gave a score, with all that the log says about how they grade.

    A metric that is marked as flaky, or whose case is (`flaky`), is another grader than one that decides. `least` is
    the user's threshold.
    """
    judges = {}
    for name, metric in metrics.items():
        if metric.value is not None:
            stated = {**metric.more, **_told(metric.verbose_logs), "model": metric.evaluation_model}
            threshold = metric.minimum_score if metric.threshold is None else metric.threshold
            stated["threshold"] = None if least is not None else number(threshold)
            stated["strictMode"] = metric.more.get("strictMode") or None
            judges[name] = grader(f"{name} (flaky)" if flaky or metric.flaky is True else name, **stated)
    return judges


def _told(logs: Any) -> dict[str, str]:
    """Return the parts of a metric's verbose logs that say what it was told, keyed by their headings.

    The model writes the steps itself if it was told criteria, and other ones in each run: they are then left out. Of
    the nodes of a graph (DAG) the first counts, which grades each answer.
    """
    parts: dict[str, str] = {}
    logs = logs if isinstance(logs, str) else ""
    for part in logs.split(_PART) if _PART in logs else _EARLY.split(logs):
        passage = _FOUND.split(_NODE.sub("", part))[0]
        if (heading := _TOLD.match(passage)) and (text := passage[heading.end() :].strip()) not in _EMPTY:
            parts.setdefault(heading[1].casefold(), text)
    return {key: text for key, text in parts.items() if key != "evaluation steps" or "criteria" not in parts}


def _deciding(metrics: dict[str, Metric], metric: str | None) -> dict[str, Metric]:
    """Return the metrics that decide whether a case passes, keyed by name.

    They are `metric` alone or, if `metric` is None, all metrics that are not marked as flaky.
    """
    return {
        name: result
        for name, result in metrics.items()
        if name == metric or (metric is None and result.flaky is not True)
    }


def _all_pass(metrics: dict[str, Metric]) -> bool | None:
    """Return whether a case passes all metrics, or None if it fails none but some gave no verdict."""
    passes = [result.passed for result in metrics.values()]
    return False if False in passes else None if None in passes else True


def _has_0_for_no_tool(case: Case, metrics: dict[str, Metric]) -> bool:
    """Return whether a case is a dialogue without tool calls to which the metric Tool Use gave a score of 0."""
    turns = objects_in(case.turns or case.messages)
    none = bool(turns) and not any(turn.get("toolsCalled") or turn.get("tools_called") for turn in turns)
    return none and any(result.value == 0 for name, result in metrics.items() if name.casefold() == TOOL_USE)


def _against_counts(log: Log, source: Source, name: str, cases: Sequence[Placed]) -> None:
    """Add a note if the counts `testPassed` and `testFailed` of a run differ from the verdicts on its cases.

    A large file, which is read piece by piece, has these counts at its end. They are not compared.
    """
    run = None if source.outline else part_of(source.document, *_root(source))
    passed, failed = number(part_of(run, "testPassed")), number(part_of(run, "testFailed"))
    if passed is None or failed is None or min(passed, failed) < 0 or not 0 < passed + failed < math.inf:
        return
    verdicts = [float(case.success) for case, *_ in cases if case.success is not None]
    share = passed / (passed + failed)
    log.compare(source, "share of passed cases", share, verdicts, of=int(passed + failed), run=name)
