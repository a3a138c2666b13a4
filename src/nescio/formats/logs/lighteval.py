"""lighteval: `details_<task>_<date>.parquet`, one row per document, and the `results_<date>.json` that goes with them.

A row has `doc`, `model_response` and `metric` (before version 0.11 `predictions`, `choices`, `metrics` and others,
possibly all as text). A run is a model, named by the folders between `details` and the date, and its tasks are a
stratum. A document is identified by its task and its `id`. The outcome is the only metric of a task whose scores are
all 0 or 1; `--choose metric=NAME` names it if there are several. An answer whose texts are all empty counts as
incorrect (`--empty`). The confidence of a choice is the softmax of the options' log-probabilities at the best option.

A results file alone holds only figures: its documents are in the details, which `--save-details` writes. If both are
given, its figures are checked against the details.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, empty, in_brackets, named, printable
from nescio.formats.logs.metrics import by_metric
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.database import PARQUET, address, connect, first_line
from nescio.sources.elements import as_list, as_object, identity, number, part_of, texts_in
from nescio.sources.literals import literal_or
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

if TYPE_CHECKING:
    import duckdb

_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d.-]+")
_AT_ONCE = 1 << 10  # rows read at a time


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
    first = list({_model(source): source for source in reversed(details)}.values())
    names = {_model(source): run for source, run in named(first, _model, lambda source: Path(source.label).parent)}
    answers: list[Answer] = []
    for source in details:
        task_answers = [log.take(answer) for answer in _answers(source, names[_model(source)], texts=options.texts)]
        if not task_answers:
            raise FormatError(source.label, "the file holds no rows")
        _against_figures(log, task_answers, source, figures)
        answers += task_answers
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


# ---- details ----


def _answers(source: Source, run: str, *, texts: bool) -> Iterator[Answer]:
    match = _FILE.fullmatch(source.stem)
    called = match["task"] if match else source.stem
    for i, row in enumerate(_rows(source, texts=texts), 1):
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
        said = texts_in(as_list(response.get("text") if response else row.get("predictions")))
        gold, options, logs = row.get("gold"), as_list(doc.get("choices")), _logs(doc, response)
        right = doc.get("gold_index")
        places = right if isinstance(right, list) else [right]
        yield Answer(
            run,
            f"{task}/{identity(printable(doc.get('id')).strip() or str(i - 1))}",
            confidence=_confidence(logs),
            task=task,
            strata={"task": task},
            where=f"row {i}",
            path=source.label,
            scores=_scores(metrics),
            nothing=empty(said) if said else None,
            asked=doc.get("query"),
            prompt=row.get("full_prompt"),
            gold=[options[place] for place in places if isinstance(place, int) and 0 <= place < len(options)] or gold,
            answer=said or (options[logs.index(max(logs))] if logs else None),
            extracted=texts_in(as_list(response.get("text_post_processed"))),
        )


def _logs(doc: Mapping[str, Any], response: Mapping[str, Any]) -> list[float]:
    """Return the log-probabilities of the options; empty if there are fewer than two, or if one is not finite."""
    logs, choices = as_list(response.get("logprobs")), as_list(doc.get("choices"))
    sound = all(isinstance(log, (int, float)) and math.isfinite(log) for log in logs)
    return logs if sound and 1 < len(logs) == len(choices) else []


def _confidence(logs: Sequence[float]) -> float | None:
    """Return the largest softmax of the options' log-probabilities, or None if there are none."""
    return 1 / math.fsum(math.exp(log - max(logs)) for log in logs) if logs else None


def _rows(source: Source, *, texts: bool) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file. If `texts` is false, columns that are only for people to read are left out."""
    import duckdb

    columns = ["doc", "metric", "model_response", "metrics", "predictions"]
    columns += ["gold", "full_prompt"] if texts else []
    wanted = [name for name in columns if name in source.columns]
    assert source.path is not None
    try:
        with connect() as connection:
            select = ", ".join(_narrow(connection, source.path, name, texts=texts) for name in wanted)
            cursor = connection.execute(f"SELECT {select} FROM {PARQUET}", [address(source.path)])
            while rows := cursor.fetchmany(_AT_ONCE):
                for row in rows:
                    yield {name: _value(cell) for name, cell in zip(wanted, row, strict=True)}
    except duckdb.Error as error:
        raise FormatError(source.label, f"a damaged Parquet file: {first_line(error)}") from None


_NEEDED: dict[str, tuple[str, ...]] = {
    "doc": ("id", "task_name", "choices"),
    "model_response": ("text", "text_post_processed", "logprobs"),
}
_WORDS: dict[str, tuple[str, ...]] = {"doc": ("query", "gold_index")}


def _narrow(connection: duckdb.DuckDBPyConnection, path: Path, column: str, *, texts: bool) -> str:
    """Return the SQL that selects a column or, in a column of structures, only the fields that nescio needs.

    If `texts` is true, these include the fields that are only for people to read.
    """
    needed = (*_NEEDED.get(column, ()), *(_WORDS.get(column, ()) if texts else ()))
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
    """Add a note if a metric that the tool states for the task of `answers` differs from the mean of their scores.

    Only metrics are compared whose scores are all 0 or 1. `figures` are the files with the tool's metrics.
    """
    task = answers[0].task
    date = _FILE.fullmatch(source.stem)
    for other in figures:
        if date and date["date"] not in other.stem and len(figures) > 1:
            continue
        for name, value in as_object(part_of(other.document, "results", task)).items():
            scores = [answer.scores[name] for answer in answers if name in answer.scores]
            if scores and all(score in (0, 1) for score in scores if not math.isnan(score)):
                log.compare(source, f"{name} of {task}", value, scores, run=answers[0].run, metric=name)
