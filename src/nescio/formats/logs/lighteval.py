"""lighteval: `details_<task>_<date>.parquet`, one row per document, and the `results_<date>.json` that goes with them.

A row has `doc`, `model_response` and `metric` (before version 0.11 `predictions`, `choices`, `metrics` and others,
possibly all as text). A run is a model, named by the folders between `details` and the date, and its tasks are a
stratum; a document is identified by its task and its `id`. The outcome is the only metric of a task whose scores are
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

from nescio.data.notes import Note
from nescio.data.outcomes import SAID_SO
from nescio.data.reasons import EMPTY
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import compared, identity, number, place, run_names
from nescio.formats.logs.metrics import Marked, by_metric
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.database import PARQUET, address, connect, first_line
from nescio.sources.elements import as_list, as_object, part_of, texts_in
from nescio.sources.literals import literal_or
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

if TYPE_CHECKING:
    import duckdb

NEW, OLD = {"doc", "metric", "model_response"}, {"metrics", "predictions", "gold"}
RESULTS = {"config_general", "results", "summary_general"}
_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d.-]+")
_AT_ONCE = 1 << 10  # rows


def recognise(source: Source) -> str | None:
    """Recognise a Parquet file with the columns `doc`, `metric`, `model_response` (or `metrics`, `predictions`,
    `gold`); or a document of `config_general`, `results`, `summary_general`."""
    columns = {*source.columns}
    if source.kind == "parquet":
        return "details" if columns >= NEW or columns >= OLD else None
    return "results" if source.kind == "document" and columns >= RESULTS else None


@reader(
    "lighteval",
    about="lighteval's details_*.parquet (doc, model_response, metric), with or without its results_*.json",
    recognise=recognise,
    sniff_keys={"parquet": ("doc", "gold"), **dict.fromkeys(("object", "list"), ("config_general",))},
    files=("details_*.parquet", "results_*.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the details of every model as a run, all tasks of it together."""
    notes: list[Note] = []
    by_part = by_role(parts)
    details, figures = by_part["details"], by_part["results"]
    if not details:
        raise FormatError(figures[0].label, _why_figures_alone(figures[0]))
    keys = {_model(source): place(Path(source.label).parent) for source in details}
    names = dict(zip(keys, run_names(list(keys.items())), strict=True))
    answers: list[Marked] = []
    for source in details:
        own = list(_answers(source, names[_model(source)], options))
        if not own:
            raise FormatError(source.label, "there are no rows in it")
        notes += _against_figures(own, source, figures)
        answers += own
    return by_metric(answers, details[0].label, options, notes, keep=("task",))


def _model(source: Source) -> str:
    """Return the name of the model by the folders that lighteval makes, or the stem of a file that lies elsewhere."""
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
    held = f" ({', '.join(shown[:3])}{' and others' if len(shown) > 3 else ''})" if shown else ""
    return (
        f"it holds figures{held} and no answers: those are in details/…/details_*.parquet, which lighteval writes "
        "with --save-details"
    )


# ---- details ----


def _answers(source: Source, run: str, options: ReadOptions) -> Iterator[Marked]:
    match = _FILE.fullmatch(source.stem)
    called = match["task"] if match else source.stem
    for i, row in enumerate(_rows(source, options), 1):
        where = f"row {i}"
        doc, response = as_object(row.get("doc")), as_object(row.get("model_response"))
        metrics = row.get("metric", row.get("metrics"))
        if not isinstance(metrics, dict):
            raise FormatError(source.label, "metric must hold a score by name", where=where, value=metrics)
        task = _text(doc.get("task_name")) or called
        name = _text(doc.get("id")) or str(i - 1)
        graded = Graded(
            run,
            f"{task}/{identity(name)}",
            0,
            _confidence(doc, response),
            strata={"task": task},
            where=where,
            path=source.label,
            texts=_words(row, doc, response) if options.texts else None,
        )
        yield Marked(graded, _scores(metrics), _silence(row, response, options), task=task)


def _words(row: Mapping[str, Any], doc: Mapping[str, Any], response: Mapping[str, Any]) -> AnswerTexts:
    """Return what was asked, the options that are right, and what was said: a text, or the likeliest option."""
    options, right, logs = as_list(doc.get("choices")), doc.get("gold_index"), response.get("logprobs")
    places = right if isinstance(right, list) else [right]
    gold = [options[i] for i in places if isinstance(i, int) and 0 <= i < len(options)]
    answer = response.get("text") if response else row.get("predictions")
    if not answer and isinstance(logs, list) and len(logs) == len(options) > 0:
        answer = options[
            max(range(len(logs)), key=lambda i: logs[i] if isinstance(logs[i], (int, float)) else -math.inf)
        ]
    return texts_of(
        doc.get("query", row.get("full_prompt")), gold or _golds(row), answer, response.get("text_post_processed")
    )


def _golds(row: Mapping[str, Any]) -> list[Any]:
    held = row.get("gold")
    return held if isinstance(held, list) else [held]


def _rows(source: Source, options: ReadOptions) -> Iterator[Mapping[str, Any]]:
    """Yield the rows, of which the long columns (prompts, tokens) are not read where nobody looks at them."""
    import duckdb

    columns = ["doc", "metric", "model_response", "metrics", "predictions"]
    columns += ["gold", "full_prompt"] if options.texts else []
    wanted = [name for name in columns if name in source.columns]
    assert source.path is not None
    try:
        with connect() as connection:
            select = ", ".join(_narrow(connection, source.path, name, options) for name in wanted)
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


def _narrow(connection: duckdb.DuckDBPyConnection, path: Path, column: str, options: ReadOptions) -> str:
    """Return what is needed of a column of structures, in SQL: the whole column where it is none."""
    needed = (*_NEEDED.get(column, ()), *(_WORDS.get(column, ()) if options.texts else ()))
    if not needed:
        return f'"{column}"'
    described = connection.execute(f'DESCRIBE SELECT "{column}" FROM {PARQUET}', [address(path)]).fetchall()
    if not str(described[0][1]).startswith("STRUCT"):
        return f'"{column}"'
    held = connection.execute(f'SELECT unnest("{column}") FROM {PARQUET} LIMIT 0', [address(path)]).description
    names = {str(one[0]) for one in held or ()}
    packed = ", ".join(f'{name} := "{column}".{name}' for name in needed if name in names)
    return f"struct_pack({packed})" if packed else f'"{column}"'


def _value(cell: Any) -> Any:
    """Return a cell; what was written as text for want of another type is read back."""
    if not isinstance(cell, str) or cell[:1] not in ("{", "["):
        return cell
    return literal_or(cell, cell)


def _text(value: Any) -> str:
    return sanitize(value, target="message").strip() if isinstance(value, str) else ""


def _scores(metrics: Mapping[Any, Any]) -> dict[str, float]:
    """Return the metrics that are numbers; lists hold what a figure of the whole task is made from."""
    scores = {}
    for name, value in metrics.items():
        if isinstance(value, (list, dict)):
            continue
        mark = number(value)
        scores[sanitize(str(name), target="message")] = math.nan if mark is None or math.isinf(mark) else mark
    return scores


def _silence(row: Mapping[str, Any], response: Mapping[str, Any], options: ReadOptions) -> str | None:
    """Say why an answer is none: all its texts are empty, or mean that the model does not know."""
    answer = response.get("text") if response else row.get("predictions")
    texts = texts_in(as_list(answer))
    if not texts:
        return None
    forms = [texts, texts_in(as_list(response.get("text_post_processed")))]
    if any(form and all(declined(options, text) for text in form) for form in forms):
        return SAID_SO
    return EMPTY if not any(text.strip() for text in texts) else None


def _confidence(doc: Mapping[str, Any], response: Mapping[str, Any]) -> float | None:
    """Return the softmax of the log-probabilities of the options at the best of them; None where there is one
    option."""
    logs, choices = response.get("logprobs"), doc.get("choices")
    if not isinstance(logs, list) or not isinstance(choices, list) or not 1 < len(logs) == len(choices):
        return None
    values = [log for log in logs if isinstance(log, (int, float)) and math.isfinite(log)]
    if len(values) < len(logs):
        return None
    top = max(values)
    return 1 / math.fsum(math.exp(log - top) for log in values)


def _against_figures(answers: Sequence[Marked], source: Source, figures: Sequence[Source]) -> Iterator[Note]:
    """Note where the tool's own figure of a task is not the mean of the scores in its details."""
    task = answers[0].task
    date = _FILE.fullmatch(source.stem)
    for other in figures:
        if date and date["date"] not in other.stem and len(figures) > 1:
            continue
        for name, value in as_object(part_of(other.document, "results", task)).items():
            scores = [answer.scores[name] for answer in answers if name in answer.scores]
            if scores and all(score in (0, 1) for score in scores if not math.isnan(score)):
                yield from compared(value, None, scores, f"{name} of {task}", source.name)
