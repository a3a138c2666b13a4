"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, one row a document and filter, and its `results_<date>.json` beside them.

A run is a folder, and its tasks are a stratum; a file that is named otherwise is a run of its own. An answer that the filter
could not extract (`[invalid]`, or the task's own fallback where the results file is given) or that is empty is silence. The
confidence of a choice is the softmax of the options' log-probabilities at the option chosen.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nescio.errors import FormatError, MismatchError
from nescio.formats import _scores
from nescio.formats._format import Part, Read, ReadOptions, reader
from nescio.formats._graded import SAID_SO, Graded, choose, declined, outcomes_of
from nescio.formats._scores import EMPTY, NO_FORM, NO_SCORE, SCORE, Scale, number
from nescio.formats._source import Source
from nescio.formats._tables import json_lines
from nescio.formats._whole import printable
from nescio.outcomes import NOT_GRADED, SILENT

SAMPLE = {"doc_id", "doc", "filtered_resps"}
RESULTS = {"results", "configs", "versions"}
NOT_METRICS = {*SAMPLE, "target", "arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"}
INVALID = "[invalid]"
BY_LENGTH = ("acc_norm", "acc_bytes")  # metrics that choose the option of the best log-probability for its length
BOTH_WAYS = (
    "acc_mutual_info"  # a metric for which the options' log-probabilities without the question follow those with it
)
_NAMED = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class Item:
    """One row: its metrics (None for what is no number), why it is no answer, whether there is one, its texts where a pattern
    asks for them, and how sure the options make the choice of the best one, and of the best one for its length."""

    doc: str
    filter: str
    values: dict[str, float | None]
    why: str | None
    answerable: bool
    texts: tuple[str, ...]
    sure: tuple[float, float | None] | None
    labels: dict[str, str]
    hash: int | None
    where: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One samples file: the task that its name tells, the run it belongs to, its rows, and the results file beside it."""

    path: Path
    task: str | None
    run: str
    items: list[Item]
    results: Mapping[str, Any] | None

    def figure(self, *names: str) -> Any:
        """What the results file holds under these names, or None."""
        found: Any = self.results
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found


def recognise(source: Source) -> str | None:
    """JSON Lines (or a JSON list) of `doc_id`, `doc`, `filtered_resps`; or a document of `results`, `configs`, `versions`."""
    columns = {*source.columns}
    if source.kind == "lines" or (source.kind == "document" and isinstance(source.document, list)):
        return "samples" if columns >= SAMPLE else None
    if source.kind == "document" and columns >= RESULTS and isinstance(source.document["results"], dict):
        return "results"
    return None


@reader(
    "lm_eval",
    about="a log of lm-evaluation-harness: samples_*.jsonl (doc_id, doc, filtered_resps), with or without its results_*.json",
    recognise=recognise,
)
def read(parts: Sequence[Part], options: ReadOptions) -> Read:
    """Read the samples of any number of runs; `--choose filter=`, `metric=` and `threshold=` say which figure is meant."""
    results = [(Path(source.label), source.document) for part, source in parts if part == "results"]
    samples = [source for part, source in parts if part == "samples"]
    if not samples:
        rule = (
            "this file of lm-evaluation-harness holds figures of whole tasks and no answers; give its samples_*.jsonl"
        )
        raise FormatError(results[0][0], rule, value=list(results[0][1]["results"]))
    sheets = _sheets(samples, results, options)
    notes = _other_documents(sheets)
    rows: list[Graded] = []
    kinds: dict[bool, str] = {}
    _known("filter", {item.filter for sheet in sheets for item in sheet.items}, options)
    _known("metric", {name for sheet in sheets for item in sheet.items for name in item.values}, options)
    for sheet in sheets:
        found, metric, outcomes = _graded(sheet, options, notes)
        rows += found
        kinds[outcomes] = f"{metric} of {sheet.path}"
    if len(kinds) > 1:
        raise MismatchError(f"{kinds[True]} gives outcomes, {kinds[False]} only scores: score them apart")
    if False in kinds:
        return _scores.tidy(_scores.scores_only(rows, sheets[0].path, options, notes), options, ("task",))
    data = outcomes_of(rows, sheets[0].path, options, notes)
    return _scores.tidy(Read(data, tuple(notes)), options, ("task",))


def _known(name: str, found: set[str], options: ReadOptions) -> None:
    """Raise UsageError where what was asked for is in none of the files."""
    if name in options.choose:
        choose(options, name, sorted(found), f"{name}s")


# ---- files and runs ----


def _sheets(
    samples: Sequence[Source], results: Sequence[tuple[Path, Mapping[str, Any]]], options: ReadOptions
) -> list[Sheet]:
    """The files, each with its run: one a folder, or one a folder and date where the folder holds a task twice."""
    named = [_NAMED.fullmatch(source.stem) for source in samples]
    folders = [Path(source.label).absolute().parent for source in samples]
    tasks = Counter((folder, found["task"]) for folder, found in zip(folders, named, strict=True) if found)
    again = {folder for (folder, _), many in tasks.items() if many > 1}
    keys: list[tuple[Path, str | None]] = []
    beside: list[Mapping[str, Any] | None] = []
    names: dict[tuple[Path, str | None], tuple[str, str]] = {}
    for source, folder, found in zip(samples, folders, named, strict=True):
        task, date = (found["task"], found["date"]) if found else (None, None)
        beside.append(_beside(folder, task, date, results))
        key = (folder, date if folder in again else None) if found else (folder / source.stem, None)
        keys.append(key)
        model = (beside[-1] or {}).get("model_name")
        apart = f"{_scores.place(key[0])} {key[1]}" if key[1] else _scores.place(key[0])
        names.setdefault(key, (printable(model) if isinstance(model, str) and model else key[0].name or "run", apart))
    runs = dict(zip(names, _scores.run_names(list(names.values())), strict=True))
    sheets = []
    for source, key, found, by in zip(samples, keys, named, beside, strict=True):
        task = found["task"] if found else None
        items = list(_items(source, _fallbacks(by, task), options, alone=len(samples) == 1))
        sheets.append(Sheet(Path(source.label), task, runs[key], items, by))
    return sheets


def _beside(
    folder: Path, task: str | None, date: str | None, results: Sequence[tuple[Path, Mapping[str, Any]]]
) -> Mapping[str, Any] | None:
    """The results file of the same folder that holds the task; of several, the one of the same date."""
    found = [(path, held) for path, held in results if path.absolute().parent == folder and task in held["results"]]
    dated = [held for path, held in found if date and date in path.name]
    return next(iter([*dated, *(held for _, held in found)]), None)


def _fallbacks(results: Mapping[str, Any] | None, task: str | None) -> set[str]:
    """What the task's filters put where they extract nothing."""
    sheet = Sheet(Path(), task, "", [], results)
    found = {INVALID}
    for chain in _listed(sheet.figure("configs", str(task), "filter_list")):
        for step in _listed(chain.get("filter") if isinstance(chain, dict) else None):
            fallback = step.get("fallback") if isinstance(step, dict) else None
            if isinstance(fallback, str):
                found.add(fallback.strip())
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# ---- rows ----


def _items(source: Source, fallbacks: set[str], options: ReadOptions, *, alone: bool) -> Iterator[Item]:
    """The rows of a file; the hashes of its documents are kept where there are others to compare them with."""
    rows: Iterator[tuple[Any, str]]
    if source.kind == "lines":
        rows = ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
    else:
        rows = ((row, f"item {i}") for i, row in enumerate(source.document, 1))
    for row, where in rows:
        if not isinstance(row, dict):
            raise FormatError(source.label, "each item must be an object", where=where, value=row)
        item = _item(row, where, source, fallbacks, options)
        yield (
            item
            if alone
            else replace(item, hash=hash(row.get("doc_hash")) if isinstance(row.get("doc_hash"), str) else None)
        )


def _item(row: dict[str, Any], where: str, source: Source, fallbacks: set[str], options: ReadOptions) -> Item:
    doc, filter_, responses = row.get("doc_id"), row.get("filter", "none"), row.get("filtered_resps")
    if isinstance(doc, bool) or not isinstance(doc, (int, str)) or doc == "":
        raise FormatError(source.label, "doc_id must be a whole number or a text", where=where, value=doc)
    if not isinstance(filter_, str):
        raise FormatError(source.label, "filter must be a text", where=where, value=filter_)
    if not isinstance(responses, list):
        raise FormatError(source.label, "filtered_resps must be a list", where=where, value=responses)
    metrics = row.get("metrics")
    names = metrics if isinstance(metrics, list) else [name for name in row if name not in NOT_METRICS]
    values = {printable(name): number(row.get(name)) for name in names if isinstance(name, str)}
    pairs = _pairs(responses)
    said = [] if pairs else [text.strip() for text in _texts(responses)]
    why = None
    if not pairs and not any(said):
        why = EMPTY
    elif said and all(text in fallbacks for text in said):
        why = NO_FORM
    texts = (*said, *_texts(row.get("resps"))) if options.declined.asked and not pairs else ()
    asked = _lengths(row.get("arguments"), len(pairs)) if len(pairs) > 1 else None
    sure = _sure(pairs[: len(pairs) // 2] if BOTH_WAYS in values else pairs, asked)
    held = row.get("doc")
    labels = _scores.labels(held, options) if isinstance(held, dict) else {}
    target = row.get("target")
    answerable = not isinstance(target, str) or _scores.has_answer([target], options)
    return Item(
        _scores.identity(doc),
        printable(filter_),
        values,
        why,
        answerable,
        texts,
        sure,
        labels,
        None,
        where,
    )


def _texts(value: Any) -> list[str]:
    """The texts in nested lists, in order; a number is one too."""
    found, left = [], [value]
    while left:
        each = left.pop()
        if isinstance(each, list):
            left += reversed(each)
        elif each is not None:
            found.append(str(each))
    return found


def _pairs(responses: list[Any]) -> list[float]:
    """The log-probabilities of options, where each response is [log-probability, is it the greedy one]; else none."""
    found = []
    for each in responses:
        if not isinstance(each, list) or len(each) != 2 or str(each[1]) not in ("True", "False"):
            return []
        log = number(each[0])
        if log is None:
            return []
        found.append(log)
    return found


def _lengths(arguments: Any, count: int) -> list[int] | None:
    """How many characters each option has, from the requests made for it."""
    if isinstance(arguments, dict):
        asked = [arguments.get(f"gen_args_{i}") for i in range(count)]
        texts = [one.get("arg_1") if isinstance(one, dict) else None for one in asked]
    else:
        texts = [one[1] if isinstance(one, list) and len(one) > 1 else None for one in _listed(arguments)]
    lengths = [len(text.removeprefix(" ")) for text in texts if isinstance(text, str)]
    return lengths if len(lengths) == count and all(lengths) else None


def _sure(logs: Sequence[float], lengths: Sequence[int] | None) -> tuple[float, float | None] | None:
    """The softmax at the best option, and at the best for its length; None where there is one option, or no finite number.

    The log-probability of a single text is that of the gold answer: it says nothing of the answer given.
    """
    if len(logs) < 2 or not math.isfinite(top := max(logs)) or any(map(math.isnan, logs)):
        return None
    weights = [math.exp(log - top) for log in logs]
    total = math.fsum(weights)
    if lengths is None or len(lengths) < len(logs):
        return 1 / total, None
    best = max(range(len(logs)), key=lambda i: logs[i] / lengths[i])
    return 1 / total, weights[best] / total


# ---- outcomes ----


def _graded(sheet: Sheet, options: ReadOptions, notes: list[str]) -> tuple[list[Graded], str, bool]:
    """The rows of one file by the chosen filter and metric; and whether they are outcomes or only scores."""
    name = _pick(options, "filter", [item.filter for item in sheet.items])
    items = [item for item in sheet.items if item.filter == name]
    metric = _metric(sheet, items, options, notes)
    scores = [math.nan if (value := item.values.get(metric)) is None else value for item in items]
    scale = _scores.scale_of(scores, options)
    what, column = f"{sheet.path.name}: {metric}", metric if _scores.free(metric) else SCORE
    if scale:
        notes += _scores.say_partial(scale, what, len(items), options)
    else:
        notes.append(_scores.no_outcome(what, column))
    held = {SCORE if scale else column} if not scale or scale.between else set()
    held |= {asked for asked in options.graded if asked == SCORE or any(asked in item.values for item in items)}
    rows: list[Graded] = []
    sheet.items.clear()
    items.reverse()
    for score in scores:
        item = items.pop()  # so that it makes room for its row: a log may be larger than what memory is left
        rows.append(_row(sheet, item, score, options, metric=metric, scale=scale, held=held))
    if scale and any(row.state == SILENT and score > 0 for row, score in zip(rows, scores, strict=True)):
        rows = [replace(row, scores={**row.scores, SCORE: score}) for row, score in zip(rows, scores, strict=True)]
    notes += _against_results(sheet, f"{metric},{name}", scores)
    return rows, metric, scale is not None


def _row(
    sheet: Sheet,
    item: Item,
    score: float,
    options: ReadOptions,
    *,
    metric: str,
    scale: Scale | None,
    held: Collection[str],
) -> Graded:
    state, why = NOT_GRADED, NO_SCORE if math.isnan(score) else None
    if scale and not math.isnan(score):
        silence = SAID_SO if any(declined(options, text) for text in item.texts) else item.why
        state, why = _scores.settled(scale.state(score), silence, answerable=item.answerable)
    given = {name: score if name in (SCORE, metric) else item.values.get(name) for name in held}
    row = Graded(
        sheet.run,
        f"{sheet.task}/{item.doc}" if sheet.task else item.doc,
        state,
        None if item.sure is None else item.sure[metric in BY_LENGTH],
        why=why,
        where=item.where,
        path=sheet.path,
        answerable=-1 if item.answerable else 0,
    )
    labels = item.labels if not sheet.task or options.strata == () else {"task": sheet.task} | item.labels
    scores = {name: value for name, value in given.items() if value is not None and _scores.free(name)}
    return replace(row, strata=labels, scores=scores) if labels or scores else row


def _pick(options: ReadOptions, name: str, found: Sequence[str]) -> str:
    """The one chosen, or the only one there is: another task may have what was asked for."""
    there = list(dict.fromkeys(found))
    return there[0] if len(there) == 1 else choose(options, name, there, f"{name}s")


def _metric(sheet: Sheet, items: Sequence[Item], options: ReadOptions, notes: list[str]) -> str:
    """The metric asked for; else the only one that is right or wrong, or that lies between 0 and 1, or that is a number."""
    values: dict[str, list[float]] = {}
    lists: dict[str, None] = {}
    for item in items:
        for name, value in item.values.items():
            lists.setdefault(name)
            if value is not None:
                values.setdefault(name, []).append(value)
    other = [name for name in lists if name not in values]
    if not values:
        rule = "no metric in it has a number for each answer (lists hold what a figure of the whole task is made from)"
        raise FormatError(sheet.path, rule, value=other or None)
    graded = {name: [value for value in found if not math.isnan(value)] for name, found in values.items()}
    certain = [name for name, found in graded.items() if all(value in (0, 1) for value in found)]
    partial = [name for name, found in graded.items() if all(0 <= value <= 1 for value in found)]
    pool = list(values) if options.choose.get("metric") in values else certain or partial or list(values)
    metric = _pick(options, "metric", pool) if len(pool) == 1 else choose(options, "metric", pool, "metrics")
    left = [name for name in values if name != metric]
    if left or other:
        notes.append(
            f"{sheet.path.name}: by {metric}; not used: {', '.join([*left, *(f'{name} (lists)' for name in other)])}"
        )
    return metric


def _against_results(sheet: Sheet, figure: str, scores: Sequence[float]) -> list[str]:
    """Notes where the results file counts other documents than the samples hold, or gives another figure."""
    task = str(sheet.task)
    of, own = sheet.figure("n-samples", task, "effective"), sheet.figure("results", task, figure)
    return _scores.compared(own, of if isinstance(of, int) else None, scores, figure, sheet.path.name)


def _other_documents(sheets: Sequence[Sheet]) -> list[str]:
    """A note where two runs have different documents under one number."""
    seen: dict[tuple[str | None, str], tuple[int, str]] = {}
    differ: Counter[tuple[str, str]] = Counter()
    for sheet in sheets:
        for doc, hash_ in {item.doc: item.hash for item in sheet.items if item.hash is not None}.items():
            before, run = seen.setdefault((sheet.task, doc), (hash_, sheet.run))
            if before != hash_:
                differ[run, sheet.run] += 1
    return [
        f"runs {one!r} and {other!r}: {many} documents have one doc_id and not one doc_hash; are these the same questions?"
        for (one, other), many in differ.items()
    ]
