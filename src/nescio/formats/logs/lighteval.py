"""lighteval: `details_<task>_<date>.parquet`, one row per document, and the `results_<date>.json` that goes with them.

A row has `doc`, `model_response` and `metric` (before version 0.11 `predictions`, `choices`, `metrics` and others,
possibly all as text). A run is a model, named by the folders between `details` and the date, and its tasks are a
stratum. A document is identified by its task and its `id`. The outcome is the only metric of a task whose scores are
all 0 or 1; `--choose metric=NAME` names it if there are several. An answer whose texts are all empty counts as
incorrect (`--empty`). The confidence of a choice is the softmax of the options' log-probabilities at the best option.

A results file alone holds only figures: its documents are in the details, which `--save-details` writes. If both are
given, its figures are checked against the details of its model and date. A task is lost if the results file states a
deciding metric for it, but no details are given. Groups and subsets of other tasks are never lost. The results file
also says how a metric grades (`config_tasks`, `versions`): no gate compares a run that has this file with one that
lacks it, even if the file defines nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.judge_record import JudgeRecord, combined
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, defined, empty, in_brackets
from nescio.formats.logs.lost_tasks import lost_tasks, same_task
from nescio.formats.logs.metrics import by_metric, decisive
from nescio.formats.logs.prompts import own_texts
from nescio.formats.logs.run_names import printable
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import PARQUET, address, connect, first_line
from nescio.sources.elements import as_list, as_object, identity, number, objects_in, part_of, texts_in, whole_number
from nescio.sources.literals import literal_or
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

if TYPE_CHECKING:
    import duckdb

_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d.-]+")
FORM = b"lighteval_own_text"  # the name of the digests of what remains of a prompt of early versions
OPTIONS = b"lighteval_options"  # the name of those of the text and the options of a question
_AT_ONCE = 1 << 10  # rows read at a time
_MEANS = re.compile(r"all|.*:_average.*", re.DOTALL)  # the names under which figures of several tasks are stated
# the keys of a metric's definition that do not say how it grades an answer
_NOT_OF_GRADING = {"metric_name", "corpus_level_fn", "higher_is_better", "category", "use_case", "batched_compute"}


@reader(
    "lighteval",
    about="lighteval's details_*.parquet (doc, model_response, metric), with or without its results_*.json",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the details of every model as one run over all its tasks."""
    log = Log(parts, options)
    details, figures = log.part("details"), log.part("results")
    if not details:
        raise FormatError(figures[0].label, _why_figures_alone(figures[0]))
    beside = {source: _beside(source, details, figures) for source in details}
    answers: list[Answer] = []
    held: dict[Source, dict[str, set[str]]] = {}  # the runs and the tasks whose answers a results file is about
    for source, files in beside.items():
        run = _model(source)
        tasks: dict[str, list[Answer]] = {}
        for answer in _answers(source, run):
            tasks.setdefault(answer.task, []).append(log.take(answer))
        if not tasks:
            raise FormatError(source.label, "the file holds no rows")
        for task, task_answers in tasks.items():
            _against_figures(log, task_answers, source, files)
            for other in files:
                held.setdefault(other, {}).setdefault(run, set()).add(task)
            _judge(task_answers, files)
            answers += task_answers
    log.say_stray(str(source.label) for source in figures if source not in held)
    deciding = decisive(log, answers)
    for source, runs in held.items():
        every = as_object(source.document.get("results"))
        stated = {
            task: _documents(source, task)
            for task, metrics in every.items()
            if not _MEANS.fullmatch(task) and deciding & {*as_object(metrics)}
        }
        for run, named_tasks in runs.items():
            log.notes += lost_tasks(source.name, run, stated, named_tasks, every)
    return by_metric(log, answers, keep=("task",))


def _model(source: Source) -> str:
    """Return the model of a file: the folders in its path between `details` and the date.

    If the path has no such folders, it is the name of the file's folder, or the stem of the file.
    """
    folders = own_path(source.label).parts[:-1]
    if folders and _DATE.fullmatch(folders[-1]):
        folders = folders[:-1]
    if "details" in folders:
        below = folders[len(folders) - folders[::-1].index("details") :]
        if below:
            return "/".join(below)
    match = _FILE.fullmatch(source.stem)
    return folders[-1] if match and folders else source.stem


def _why_figures_alone(source: Source) -> str:
    tasks = source.document["results"]
    shown = [
        f"{sanitize(str(task), target='message')} {sanitize(str(name), target='message')} {value:g}"
        for task, metrics in as_object(tasks).items()
        for name, value in as_object(metrics).items()
        if isinstance(value, (int, float)) and not str(name).endswith("_stderr")
    ]
    figures = in_brackets(shown[:3] if len(shown) < 4 else [*shown[:2], f"{shown[2]} and others"])
    return (
        f"the file holds figures{figures} but no answers; give details/…/details_*.parquet, which lighteval writes "
        "with --save-details"
    )


# ---- results ----


def _beside(source: Source, details: Sequence[Source], figures: Sequence[Source]) -> list[Source]:
    """Return the results files about the details in `source`: those of their model and date.

    A file whose name has no date may be about any date. If no file names the model, those are taken that name the model
    of none of the `details`.
    """
    models, match = {_model(detail) for detail in details}, _FILE.fullmatch(source.stem)
    named: list[Source] = []
    others: list[Source] = []
    for other in figures:
        date, named_models = _DATE.search(other.stem), _models_of(other) & models
        if match and date and match["date"] != date[0]:
            continue
        if _model(source) in named_models:
            named.append(other)
        elif not named_models:
            others.append(other)
    return named or others


def _models_of(figures: Source) -> set[str]:
    """Return the names of the model of a results file: its folders below `results`, and the name that it states."""
    folders = own_path(figures.label).parts[:-1]
    below = folders[len(folders) - folders[::-1].index("results") :] if "results" in folders else ()
    return {"/".join(below), printable(part_of(figures.document, "config_general", "model_name"))} - {""}


def _of_task(by_task: Any, task: str) -> Any:
    """Return the value of a task in an object of a results file, or None if none or several of its names fit.

    Either name may lack the suite before the task, or parts about few-shot examples after it.
    """
    held = as_object(by_task)
    fitting = [name for name in held if name == task] or [name for name in held if same_task(name, task)]
    return held[fitting[0]] if len(fitting) == 1 else None


def _judge(answers: Sequence[Answer], figures: Sequence[Source]) -> None:
    """Set who graded the answers to a task: each metric, as all its results files define it."""
    names = dict.fromkeys(name for answer in answers for name in answer.scores)
    defined_in = [_definitions(source, answers[0].task, names) for source in figures]
    judges = {name: combined({definitions[name] for definitions in defined_in}) for name in names} if defined_in else {}
    for answer in answers:
        answer.judges = judges


def _definitions(figures: Source, task: str, names: Iterable[str]) -> dict[str, JudgeRecord]:
    """Return how a results file defines each metric of a task, with the version of the task."""
    config = as_object(_of_task(figures.document.get("config_tasks"), task))
    versions = (_of_task(figures.document.get("versions"), task), config.get("version"))
    stated: dict[str, dict[str, Any]] = {}
    for metric in objects_in(config.get("metrics", config.get("metric"))):
        definition = {key: value for key, value in metric.items() if key not in _NOT_OF_GRADING}
        stated |= dict.fromkeys(map(str, as_list(metric.get("metric_name")) or [metric.get("metric_name")]), definition)
    version = next((version for version in versions if version is not None), None)
    return {name: defined(name, {"version": version, **stated.get(name, {})}, figures=True) for name in names}


def _documents(figures: Source, task: str) -> int | None:
    """Return how many documents of a task a results file counts, or None if it does not count them."""
    stated = whole_number(part_of(_of_task(figures.document.get("config_tasks"), task), "effective_num_docs"))
    return stated if stated and stated > 0 else None


# ---- details ----


def _answers(source: Source, run: str) -> Iterator[Answer]:
    match = _FILE.fullmatch(source.stem)
    called = match["task"] if match else source.stem
    rows: Iterable[Mapping[str, Any]] = _rows(source)
    asked: Mapping[str, str] = {}
    if "doc" not in source.columns:  # Early versions know a document by its number, and hold only its prompt.
        rows = list(rows)
        asked = own_texts({str(i): row.get("example") or row.get("full_prompt") for i, row in enumerate(rows, 1)})
    for i, row in enumerate(rows, 1):
        doc, response = as_object(row.get("doc")), as_object(row.get("model_response"))
        metrics = row.get("metric", row.get("metrics"))
        if not isinstance(metrics, dict):
            raise FormatError(
                source.label,
                "metric must be an object that gives each metric's name its score",
                where=f"row {i}",
                value=metrics,
            )
        task = printable(doc.get("task_name")).strip() or called
        texts = texts_in(as_list(response.get("text") if response else row.get("predictions")))
        gold, options, logs = row.get("gold"), as_list(doc.get("choices")), _logs(doc, response)
        right = doc.get("gold_index")
        places = [place for place in as_list(right) or [right] if isinstance(place, int) and 0 <= place < len(options)]
        others = [option for place, option in enumerate(options) if place not in places] if places else []
        asks = [doc.get("query"), *options] if others else doc.get("query")
        key = [options[place] for place in places] or gold
        words = words_digest(asked.get(str(i)), gold) if asked else words_digest(asks, key)
        yield Answer(
            run,
            f"{task}/{identity(printable(doc.get('id')).strip() or str(i - 1))}",
            confidence=_confidence(logs),
            task=task,
            strata={"task": task},
            where=f"row {i}",
            path=source.label,
            scores=_scores(metrics),
            nothing=empty(texts) if texts else None,
            asked=asks,
            prompt=row.get("full_prompt") or row.get("example"),
            gold=key,
            answer=texts or (options[logs.index(max(logs))] if logs else None),
            extracted=texts_in(as_list(response.get("text_post_processed"))),
            words=words and words + (FORM if asked else OPTIONS),
        )


def _logs(doc: Mapping[str, Any], response: Mapping[str, Any]) -> list[float]:
    """Return the log-probabilities of the options; empty if there are fewer than two, or if one is not finite."""
    logs, choices = as_list(response.get("logprobs")), as_list(doc.get("choices"))
    sound = all(isinstance(log, (int, float)) and math.isfinite(log) for log in logs)
    return logs if sound and 1 < len(logs) == len(choices) else []


def _confidence(logs: Sequence[float]) -> float | None:
    """Return the largest softmax of the options' log-probabilities, or None if there are none."""
    return 1 / math.fsum(math.exp(log - max(logs)) for log in logs) if logs else None


def _rows(source: Source) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file with the columns, and the fields of `doc` and the response, that are needed."""
    import duckdb

    columns = ("doc", "metric", "model_response", "metrics", "predictions", "gold", "example", "full_prompt")
    wanted = [name for name in columns if name in source.columns]
    assert source.path is not None
    try:
        with connect() as connection:
            select = ", ".join(_narrow(connection, source.path, name) for name in wanted)
            cursor = connection.execute(f"SELECT {select} FROM {PARQUET}", [address(source.path)])
            while rows := cursor.fetchmany(_AT_ONCE):
                for row in rows:
                    yield {name: _value(cell) for name, cell in zip(wanted, row, strict=True)}
    except duckdb.Error as error:
        raise FormatError(source.label, f"a damaged Parquet file: {first_line(error)}") from None


# What makes the digests of questions and gold answers (query, choices, gold_index) is needed without texts, too.
_NEEDED: dict[str, tuple[str, ...]] = {
    "doc": ("id", "task_name", "choices", "query", "gold_index"),
    "model_response": ("text", "text_post_processed", "logprobs"),
}


def _narrow(connection: duckdb.DuckDBPyConnection, path: Path, column: str) -> str:
    """Return the SQL that selects a column or, in a column of structures, only the fields that nescio needs."""
    needed = _NEEDED.get(column, ())
    if not needed:
        return f'"{column}"'
    described = connection.execute(f'DESCRIBE SELECT "{column}" FROM {PARQUET}', [address(path)]).fetchall()
    if not str(described[0][1]).startswith("STRUCT"):
        return f'"{column}"'
    description = connection.execute(f'SELECT unnest("{column}") FROM {PARQUET} LIMIT 0', [address(path)]).description
    names = {str(field[0]) for field in description or ()}
    packed = ", ".join(f'{name} := "{column}".{name}' for name in needed if name in names)
    return f"struct_pack({packed})" if packed else f'"{column}"'


def _value(cell: Any) -> Any:
    """Return the value of a cell. A text that holds a value, such as "[1, 2]", is decoded."""
    if not isinstance(cell, str) or cell[:1] not in ("{", "["):
        return cell
    return literal_or(cell, cell)


def _scores(metrics: Mapping[Any, Any]) -> dict[str, float]:
    """Return the metrics of a row, keyed by name. A value that is not a finite number becomes NaN.

    Lists and objects are left out, because the tool computes a figure of the whole task from them.
    """
    scores = {}
    for name, value in metrics.items():
        if isinstance(value, (list, dict)):
            continue
        mark = number(value)
        scores[sanitize(str(name), target="message")] = math.nan if mark is None or math.isinf(mark) else mark
    return scores


def _against_figures(log: Log, answers: Sequence[Answer], source: Source, figures: Sequence[Source]) -> None:
    """Add a note if a metric that the tool states for the task of `answers` differs from the mean of their scores, or
    if the tool counts more documents.

    Only metrics are compared whose scores are all 0 or 1. `figures` are the files with the tool's metrics.
    """
    task, run = answers[0].task, answers[0].run
    for other in figures:
        stated = _documents(other, task)
        if stated is not None and stated > len(answers):
            log.notes.append(fewer_held(source.name, [run], stated, len(answers)))
            continue
        for name, value in as_object(_of_task(part_of(other.document, "results"), task)).items():
            scores = [answer.scores[name] for answer in answers if name in answer.scores]
            if scores and all(score in (0, 1) for score in scores if not math.isnan(score)):
                log.compare(source, f"{name} of {task}", value, scores, run=run, metric=name)
