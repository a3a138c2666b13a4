"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, one row per document and filter, with its
`results_<date>.json`.

A run is a folder, and its tasks are a stratum; a file with another name is a separate run, and so is a results file
that holds the samples itself, as `simple_evaluate` returns them. Version 0.4.0 wrote a JSON list to
`<model>_<task>.jsonl`. An answer that the filter could not extract (`[invalid]`, or the task's own fallback if the
results file is given) counts as incorrect (`--unparsed`), and so does an empty one (`--empty`). A question whose gold
answer is empty has none, if other documents of the task have one: declining is right there. The confidence of a choice
is the softmax of the options' log-probabilities at the option chosen. Several responses to a document
(`repeats`) are repeats if each is graded: by metrics that list a number for each, or in separate rows. The output of
version 0.3 (`<task>_write_out_info.json`) is read as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, SAID_SO, SILENT
from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded, check_choice, chosen_among, declined, pick
from nescio.formats.logs.grading import NO_SCORE, SCORE, Scale
from nescio.formats.logs.lm_eval.rows import (
    SAMPLE,
    Item,
    Rows,
    is_write_out,
    numbered,
    read_items,
    repeats_notes,
    rows_of,
    without_gold,
    write_out_rows,
)
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, objects_in, part_of, texts_in
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

RESULTS = {"results", "configs", "versions"}
RESULTS_0_3 = {"results", "config", "versions"}
INVALID = "[invalid]"
BY_LENGTH = ("acc_norm", "acc_bytes")  # metrics that choose the option of the best log-probability for its length
_WRITTEN_OUT = re.compile(r"(?P<task>.+)_write_out_info(?P<date>)")
_NAMED = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")


class Sheet(Struct, frozen=True):
    """One samples file: the task that its name tells, the run it belongs to, its rows, and the results file beside
    it."""

    path: Path
    task: str | None
    run: str
    items: list[Item]
    results: Mapping[str, Any] | None


class Given(Struct, frozen=True):
    """Samples as they were given: the file, the task, the run by its folder (and date, where that alone tells it from
    another), the rows, and the results beside them."""

    path: Path
    task: str | None
    run: tuple[Path, str | None]
    rows: Rows
    results: Mapping[str, Any] | None


def recognise(source: Source) -> str | None:
    """Recognise JSON Lines (or a JSON list) of `doc_id`, `doc`, `filtered_resps`; or a document of `results`,
    `configs`, `versions`.

    Of version 0.3 a document of `doc_id`, `prompt_0`, `logit_0`, and one of `results`, `config`, `versions`.
    """
    columns = {*source.columns}
    if columns >= SAMPLE and (source.kind == "lines" or isinstance(source.document, list)):
        return "samples"
    if is_write_out(source):
        return "samples"
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    known = columns >= RESULTS or columns >= RESULTS_0_3
    return "results" if known and isinstance(source.document["results"], dict) else None


@reader(
    "lm_eval",
    about=(
        "a log of lm-evaluation-harness: samples_*.jsonl (doc_id, doc, filtered_resps), with or without its"
        " results_*.json"
    ),
    recognise=recognise,
    sniff_keys={"lines": ("doc_id",), "list": ("doc_id",), "object": ("results",), "objects": ()},
    files=("samples_*.jsonl", "*_write_out_info.json", "results*.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the samples of any number of runs; `--choose filter=`, `metric=` and `threshold=` say which figure is
    meant; where tasks have different ones, several between commas (`metric=acc,exact_match`)."""
    notes: list[Note] = []
    results = [(Path(source.label), source.document) for part, source in parts if part == "results"]
    files = _given([source for part, source in parts if part == "samples"], results, notes)
    if not files:
        rule = (
            "this file of lm-evaluation-harness holds figures of whole tasks and no answers; give its samples_*.jsonl"
            f"{offer('beside', 'samples_*.jsonl')}"
        )
        raise FormatError(results[0][0], rule, value=list(results[0][1]["results"]))
    sheets = _sheets(files, options)
    notes += _other_documents(sheets)
    rows: list[Graded] = []
    kinds: dict[bool, str] = {}
    check_choice(options, "filter", (item.filter for sheet in sheets for item in sheet.items))
    check_choice(options, "metric", (name for sheet in sheets for item in sheet.items for name in item.values))
    for sheet in sheets:
        graded, metric, outcomes = _graded(sheet, options, notes)
        rows += graded
        kinds[outcomes] = f"{metric} of {sheet.path}"
    if len(kinds) > 1:
        raise MismatchError(f"{kinds[True]} gives outcomes, {kinds[False]} only scores: score them separately")
    return grading.result_of(rows, sheets[0].path, options, notes, keep=("task",), outcomes=False not in kinds)


# ---- files and runs ----


def _given(
    samples: Sequence[Source], results: Sequence[tuple[Path, Mapping[str, Any]]], notes: list[Note]
) -> list[Given]:
    """Return the samples in files of their own, and then those in results files, unless there is a file of that task
    beside it."""
    named = [_NAMED.fullmatch(source.stem) or _WRITTEN_OUT.fullmatch(source.stem) for source in samples]
    folders = [own_path(source.label).parent for source in samples]
    tasks = Counter((folder, parts["task"]) for folder, parts in zip(folders, named, strict=True) if parts)
    again = {folder for (folder, _), many in tasks.items() if many > 1}
    files = []
    for source, folder, parts in zip(samples, folders, named, strict=True):
        task, date = (parts["task"], parts["date"]) if parts else (None, None)
        run = (folder, date if folder in again else None) if parts else (folder / source.stem, None)
        rows = write_out_rows(source) if is_write_out(source) else rows_of(source)
        files.append(Given(Path(source.label), task, run, rows, _beside(folder, task, date, results)))
    for path, held in results:
        folder = own_path(path).parent
        samples_of = dict(_held(path, held))
        beside = folder not in again and any((folder, task) in tasks for task in samples_of)
        for task, rows in samples_of.items():
            if (folder, task) in tasks:
                notes.append(
                    note(
                        "lm_eval.samples_beside",
                        "{subject}: its samples of {task} are left out, because a file beside it has them",
                        path.name,
                        task=task,
                    )
                )
                continue
            places = ((row, f"samples of {task}, item {i}") for i, row in enumerate(rows, 1))
            files.append(Given(path, task, (folder if beside else folder / path.stem, None), places, held))
    return files


def _held(path: Path, results: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the samples that a results file holds, by their tasks."""
    for task, rows in as_object(results.get("samples")).items():
        if not isinstance(rows, list):
            raise FormatError(path, "samples must be a list for each task", value=rows)
        if rows:
            yield sanitize(task, target="message"), rows


def _sheets(files: Sequence[Given], options: ReadOptions) -> list[Sheet]:
    """Return the samples, each with its run: one a folder, or one a folder and date where the folder holds a task
    twice."""
    names: dict[tuple[Path, str | None], tuple[str, str]] = {}
    for one in files:
        folder, date = one.run
        model = (one.results or {}).get("model_name")
        apart = f"{grading.place(folder)} {date}" if date else grading.place(folder)
        names.setdefault(
            one.run,
            (sanitize(model, target="message") if isinstance(model, str) and model else folder.name or "run", apart),
        )
    runs = dict(zip(names, grading.run_names(list(names.values())), strict=True))
    sheets = []
    for one in files:
        fallbacks = _fallbacks(one.results, one.task)
        items = list(read_items(one.rows, one.path, fallbacks, options, alone=len(files) == 1))
        sheets.append(Sheet(one.path, one.task, runs[one.run], items, one.results))
    return sheets


def _beside(
    folder: Path, task: str | None, date: str | None, results: Sequence[tuple[Path, Mapping[str, Any]]]
) -> Mapping[str, Any] | None:
    """Return the results file of the same folder that holds the task; of several, the one of the same date."""
    beside = [(path, held) for path, held in results if own_path(path).parent == folder and task in held["results"]]
    dated = [held for path, held in beside if date and date in path.name]
    return next(iter([*dated, *(held for _, held in beside)]), None)


def _fallbacks(results: Mapping[str, Any] | None, task: str | None) -> set[str]:
    """Return what the task's filters put where they extract nothing."""
    chains = objects_in(part_of(results, "configs", str(task), "filter_list"))
    steps = [step for chain in chains for step in objects_in(chain.get("filter"))]
    return {INVALID, *(fallback.strip() for fallback in texts_in([step.get("fallback") for step in steps]))}


# ---- outcomes ----


def _graded(sheet: Sheet, options: ReadOptions, notes: list[Note]) -> tuple[list[Graded], str, bool]:
    """Return the rows of one file by the chosen filter and metric; and whether they are outcomes or only scores."""
    name = pick(options, "filter", (item.filter for item in sheet.items))
    items = numbered([item for item in sheet.items if item.filter == name])
    items = without_gold(sheet.path.name, items, notes)
    notes += repeats_notes(sheet.path.name, items)
    metric = _metric(sheet, items, options, notes)
    scores = [math.nan if (value := item.values.get(metric)) is None else value for item in items]
    scale = grading.scale_of(scores, options)
    what, column = f"{sheet.path.name}: {metric}", metric
    if scale:
        notes += grading.say_partial(scale, what, len(items), options)
    else:
        notes.append(grading.no_outcome(what, column))
    held = {SCORE if scale else column} if not scale or scale.between else set()
    held |= {wanted for wanted in options.graded if wanted == SCORE or any(wanted in item.values for item in items)}
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
        silence = SAID_SO if declined(options, item.declines) else item.why
        state, why = grading.outcome_of(scale.state(score), silence, answerable=item.answerable)
    values = {name: score if name in (SCORE, metric) else item.values.get(name) for name in held}
    row = Graded(
        sheet.run,
        f"{sheet.task}/{item.doc}" if sheet.task else item.doc,
        state,
        None if item.sure is None else item.sure[metric in BY_LENGTH],
        why=why,
        where=item.where,
        path=sheet.path,
        answerable=-1 if item.answerable else 0,
        texts=item.texts,
        repeat=item.repeat,
    )
    labels = item.labels if not sheet.task or options.strata == () else {"task": sheet.task} | item.labels
    scores = {name: value for name, value in values.items() if value is not None}
    return replace(row, strata=labels, scores=scores) if labels or scores else row


def _metric(sheet: Sheet, items: Sequence[Item], options: ReadOptions, notes: list[Note]) -> str:
    """Return the metric asked for; else the only one that is right or wrong, or that lies between 0 and 1, or that is a
    number."""
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
    graded = {name: [value for value in scores if not math.isnan(value)] for name, scores in values.items()}
    certain = [name for name, scores in graded.items() if all(value in (0, 1) for value in scores)]
    partial = [name for name, scores in graded.items() if all(0 <= value <= 1 for value in scores)]
    pool = list(values) if chosen_among(options, "metric", values) else certain or partial or list(values)
    metric = pick(options, "metric", pool)
    left = [name for name in values if name != metric]
    if left or other:
        notes.append(
            note(
                "lm_eval.one_metric",
                "{subject}: by {metric}; not used: {others:list}",
                sheet.path.name,
                metric=metric,
                others=[*left, *(f"{name} (lists)" for name in other)],
            )
        )
    return metric


def _against_results(sheet: Sheet, figure: str, scores: Sequence[float]) -> list[Note]:
    """Note where the results file counts other documents than the samples hold, or gives another figure."""
    task = str(sheet.task)
    of, own = part_of(sheet.results, "n-samples", task, "effective"), part_of(sheet.results, "results", task, figure)
    if own is None:
        own = part_of(sheet.results, "results", task, figure.partition(",")[0])  # as version 0.3 has it
    return grading.compared(own, of if isinstance(of, int) else None, scores, figure, sheet.path.name)


def _other_documents(sheets: Sequence[Sheet]) -> list[Note]:
    """Note where two runs have different documents under one number."""
    seen: dict[tuple[str | None, str], tuple[int, str]] = {}
    differ: Counter[tuple[str, str]] = Counter()
    for sheet in sheets:
        for doc, hash_ in {item.doc: item.hash for item in sheet.items if item.hash is not None}.items():
            before, run = seen.setdefault((sheet.task, doc), (hash_, sheet.run))
            if before != hash_:
                differ[run, sheet.run] += 1
    return [
        note(
            "lm_eval.documents_differ",
            "runs {subject!r} and {other!r}: {documents} documents have the same doc_id but different "
            "doc_hashes; are these "
            "the same questions?",
            one,
            other=other,
            documents=documents,
        )
        for (one, other), documents in differ.items()
    ]
