"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, one row per document and filter, with its
`results_<date>.json`.

A run is a folder, and its tasks are a stratum. A file with another name is a separate run. So is a results file that
holds the samples itself, as `simple_evaluate` returns them. Version 0.4.0 wrote a JSON list to `<model>_<task>.jsonl`.
An answer that the filter could not extract counts as incorrect (`--unparsed`): `[invalid]`, or the task's own fallback
if the results file is given. So does an empty one (`--empty`). A question with an empty gold answer has no answer if
other documents of the task have a gold answer; declining it is right. Metrics that hold a prediction and its gold
answers, as in `squadv2`, are read as SQuAD's `exact` and `f1`. The confidence of a choice is the softmax of the
options' log-probabilities at the chosen option. Several responses to a document (`repeats`) are repeats if each is
graded: by metrics that list one number per response, or in separate rows. A task is lost if the results file states a
deciding metric for it, but the run has no samples of it. Groups and subsets of other tasks are never lost. The
results file also says how a task is graded: no gate compares a run that has this file with one that lacks it, even if
the file defines nothing. A results file is about the samples in its folder, of the tasks for which it has results.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.changed_questions import OTHER_DOCUMENTS
from nescio.data.outcomes import INCORRECT
from nescio.errors import FormatError, MismatchError, offer
from nescio.formats.answers import SCORE, Answer
from nescio.formats.choices import check_choice, chosen_among, pick
from nescio.formats.logs.kit import NO_SCORE, Log, defined, rows_in
from nescio.formats.logs.lm_eval.rows import EXACT, Item, Rows, numbered, read_items, say_repeats, without_gold
from nescio.formats.logs.lost_tasks import lost_tasks
from nescio.formats.logs.run_names import place, printable, run_names
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, objects_in, part_of, texts_in, whole_number
from nescio.sources.source import Source, own_path
from nescio.text import sanitize

INVALID = "[invalid]"
BY_LENGTH = ("acc_norm", "acc_bytes")  # metrics that choose the option with the best log-probability per length
_NAMED = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")

# The keys of a task's configuration that do not say how an answer is graded: what is asked, how the model answers, and
# the parts that are read by themselves. The gold answer and the text are compared for each question.
_NOT_OF_GRADING = {
    *("task", "task_alias", "tag", "group", "custom_dataset", "dataset_path", "dataset_name", "dataset_kwargs"),
    *("training_split", "validation_split", "test_split", "fewshot_split", "process_docs", "unsafe_code"),
    *("doc_to_text", "doc_to_target", "doc_to_image", "doc_to_audio", "doc_to_choice", "use_prompt", "description"),
    *("target_delimiter", "fewshot_delimiter", "gen_prefix", "fewshot_config", "num_fewshot", "output_type"),
    *("generation_kwargs", "repeats", "should_decontaminate", "doc_to_decontamination_query"),
    *("system_instruction", "fewshot_as_multiturn", "apply_chat_template", "chat_template", "multiple_inputs"),
    *("include_path", "include", "download_mode", "cache_dir", "predict_only"),
    *("metric_list", "filter_list", "metadata"),
}
_NOT_OF_ONE_ANSWER = ("metric", "aggregation", "higher_is_better", "filter", "steps")  # keys of a metric's definition


class Sheet(Struct, frozen=True):
    """A samples file, once its run has a name.

    `task` is the task in the file's name, or None. `items` are its rows, and `results` is the content of the results
    file in the same folder, or None.
    """

    path: Path
    task: str | None
    run: str
    items: list[Item]
    results: Mapping[str, Any] | None


class Given(Struct, frozen=True):
    """A samples file whose run has no name yet.

    `run` identifies the run by its folder, and also by its date if the folder has several runs.
    """

    path: Path
    task: str | None
    run: tuple[Path, str | None]
    rows: Rows
    results: Mapping[str, Any] | None


@reader(
    "lm_eval",
    about=(
        "a log of lm-evaluation-harness: samples_*.jsonl (doc_id, doc, filtered_resps), with or without its"
        " results_*.json"
    ),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the samples of any number of runs; the user selects the scores with `--choose filter=`, `metric=`,
    `threshold=`.

    If tasks have different metrics, the user lists several with commas (`metric=acc,exact_match`).
    """
    log = Log(parts, options)
    results = [(Path(source.label), source.document) for source in log.part("results")]
    files = _given(log.part("samples"), results, log)
    if not files:
        rule = (
            "this file of lm-evaluation-harness holds figures of whole tasks but no answers; give its "
            f"samples_*.jsonl{offer('beside', 'samples_*.jsonl')}"
        )
        raise FormatError(results[0][0], rule, value=list(results[0][1]["results"]))
    sheets = _sheets(files, options)
    _say_other_documents(sheets, log)
    answers: list[Answer] = []
    kinds: dict[bool, str] = {}
    check_choice(options, "filter", (item.filter for sheet in sheets for item in sheet.items))
    check_choice(options, "metric", (name for sheet in sheets for item in sheet.items for name in item.values))
    decided: list[tuple[Sheet, str]] = []  # each sheet with the metric that grades it
    for sheet in sheets:
        graded, metric, outcomes = _graded(sheet, log)
        answers += graded
        decided.append((sheet, metric))
        kinds[outcomes] = f"{metric} of {sheet.path}"
    for path, content in results:
        pairs = [pair for pair in decided if pair[0].results is content]
        _say_lost(log, path, content, pairs)
        log.say_stray([] if pairs else [str(path)])
    if len(kinds) > 1:
        raise MismatchError(
            f"{kinds[True]} gives outcomes, but {kinds[False]} gives only scores: score these files separately"
        )
    return log.result(answers, keep=("task",), outcomes=False not in kinds)


# ---- files and runs ----


def _given(samples: Sequence[Source], results: Sequence[tuple[Path, Mapping[str, Any]]], log: Log) -> list[Given]:
    """Return the samples: first those in samples files, then those that a results file contains.

    The samples in a results file are left out for each task that has a samples file in the same folder.
    """
    named = [_NAMED.fullmatch(source.stem) for source in samples]
    folders = [own_path(source.label).parent for source in samples]
    tasks = Counter((folder, parts["task"]) for folder, parts in zip(folders, named, strict=True) if parts)
    again = {folder for (folder, _), many in tasks.items() if many > 1}
    files = []
    for source, folder, parts in zip(samples, folders, named, strict=True):
        task, date = (parts["task"], parts["date"]) if parts else (None, None)
        run = (folder, date if folder in again else None) if parts else (folder / source.stem, None)
        rows: Rows = rows_in(source, (), "each item")
        files.append(Given(Path(source.label), task, run, rows, _beside(folder, task, date, results)))
    for path, content in results:
        folder = own_path(path).parent
        samples_of = dict(_held(path, content))
        beside = folder not in again and any((folder, task) in tasks for task in samples_of)
        for task, rows in samples_of.items():
            if (folder, task) in tasks:
                template = (
                    "{subject}: the samples of {task} are left out, because a samples file in the same folder also "
                    "has them"
                )
                log.say("lm_eval.samples_beside", template, path.name, task=task)
                continue
            places = ((row, f"samples of {task}, item {i}") for i, row in enumerate(rows, 1))
            files.append(Given(path, task, (folder if beside else folder / path.stem, None), places, content))
    return files


def _held(path: Path, results: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the samples within a results file, one list per task."""
    for task, rows in as_object(results.get("samples")).items():
        if not isinstance(rows, list):
            raise FormatError(path, "samples must be a list for each task", value=rows)
        if rows:
            yield sanitize(task, target="message"), rows


def _sheets(files: Sequence[Given], options: ReadOptions) -> list[Sheet]:
    """Return the samples files with their rows, and with the names of their runs.

    A run is named after the model in the results file, or else after its folder.
    """
    names: dict[tuple[Path, str | None], tuple[str, str]] = {}
    for given in files:
        folder, date = given.run
        model = (given.results or {}).get("model_name")
        apart = f"{place(folder)} {date}" if date else place(folder)
        names.setdefault(given.run, (printable(model) or folder.name or "run", apart))
    runs = dict(zip(names, run_names(list(names.values())), strict=True))
    sheets = []
    for given in files:
        fallbacks = _fallbacks(given.results, given.task)
        items = list(read_items(given.rows, given.path, fallbacks, options, alone=len(files) == 1))
        sheets.append(Sheet(given.path, given.task, runs[given.run], items, given.results))
    return sheets


def _beside(
    folder: Path, task: str | None, date: str | None, results: Sequence[tuple[Path, Mapping[str, Any]]]
) -> Mapping[str, Any] | None:
    """Return the content of a results file in `folder` that has results of `task`, or None if there is none.

    If several fit, the one with `date` in its name is taken, or else the first.
    """
    beside = [
        (path, content) for path, content in results if own_path(path).parent == folder and task in content["results"]
    ]
    dated = [content for path, content in beside if date and date in path.name]
    return next(iter([*dated, *(content for _, content in beside)]), None)


def _fallbacks(results: Mapping[str, Any] | None, task: str | None) -> set[str]:
    """Return the texts that the filters of a task put in place of an answer from which they extract nothing."""
    chains = objects_in(part_of(results, "configs", str(task), "filter_list"))
    steps = [step for chain in chains for step in objects_in(chain.get("filter"))]
    return {INVALID, *(fallback.strip() for fallback in texts_in([step.get("fallback") for step in steps]))}


# ---- outcomes ----


def _graded(sheet: Sheet, log: Log) -> tuple[list[Answer], str, bool]:
    """Return the answers of one file, the metric that grades them, and whether it gives outcomes or only scores.

    The user chooses the filter and the metric. The rows in `sheet` are deleted one by one, to free memory.
    """
    name = pick(log.options, "filter", (item.filter for item in sheet.items))
    items = numbered([item for item in sheet.items if item.filter == name])
    items = without_gold(sheet.path.name, items, log)
    say_repeats(sheet.path.name, items, log)
    metric = _metric(sheet, items, log)
    scores = [math.nan if (value := item.values.get(metric)) is None else value for item in items]
    answers = []
    texts = [item.text for item in items]
    judges = {metric: defined(metric, _definition(sheet, metric, name), figures=sheet.results is not None, filter=name)}
    percent, documents = bool(items) and items[0].paired, len({item.doc for item in items})
    sheet.items.clear()
    items.reverse()
    for score in scores:
        item = items.pop()  # Popping frees memory for the answer: a log may be larger than the memory left.
        answers.append(log.take(_answer(sheet, item, metric, score)))
        answers[-1].texts, answers[-1].words, answers[-1].judges = item.texts, item.words, judges
        answers[-1].kept = item.kept
        wanted = [other for other in log.options.graded if other not in (SCORE, metric)]
        graded_scores = {other: value for other in wanted if (value := item.values.get(other)) is not None}
        if metric in log.options.graded and metric != SCORE:
            graded_scores[metric] = score
        if graded_scores:
            answers[-1].scores = graded_scores
    outcomes = log.grade(answers, f"{sheet.path.name}: {metric}", metric)
    wrong = Counter(text for text, answer in zip(texts, answers, strict=True) if text and answer.state == INCORRECT)
    log.options.declined.wrong.setdefault(str(sheet.path), Counter()).update(wrong)
    _against_results(
        sheet, f"{metric},{name}", [100 * score for score in scores] if percent else scores, documents, log
    )
    return answers, metric, outcomes


def _definition(sheet: Sheet, metric: str, filter_: str) -> dict[str, Any]:
    """Return how the results file defines a metric, a filter and the grading of its task; empty without such a file."""
    config = as_object(part_of(sheet.results, "configs", str(sheet.task)))
    metrics = (entry for entry in objects_in(config.get("metric_list")) if entry.get("metric") == metric)
    filters = (entry for entry in objects_in(config.get("filter_list")) if entry.get("name") == filter_)
    steps = objects_in(next(filters, {}).get("filter"))
    parameters = {name: value for name, value in next(metrics, {}).items() if name not in _NOT_OF_ONE_ANSWER}
    steps = [step for step in steps if step.get("function") != "take_first"]
    # A newer version may state that what is new is off.
    task = {name: value for name, value in config.items() if name not in _NOT_OF_GRADING and value is not False}
    versions = part_of(sheet.results, "versions", str(sheet.task)), part_of(config.get("metadata"), "version")
    return {
        **task,
        **parameters,
        "steps": steps,
        "version": next((version for version in versions if version is not None), None),
    }


def _answer(sheet: Sheet, item: Item, metric: str, score: float) -> Answer:
    return Answer(
        sheet.run,
        f"{sheet.task}/{item.doc}" if sheet.task else item.doc,
        confidence=None if item.sure is None else item.sure[metric in BY_LENGTH],
        ungraded=NO_SCORE if math.isnan(score) else None,
        nothing=item.why,
        score=score,
        where=item.where,
        path=sheet.path,
        answerable=item.answerable,
        strata={"task": sheet.task} | item.labels if sheet.task else item.labels,
        repeat=item.repeat,
        answer=item.declines,
    )


def _metric(sheet: Sheet, items: Sequence[Item], log: Log) -> str:
    """Return the metric that grades the items: the one that the user chose, or else the only suitable one.

    The suitable metrics are those that are always 0 or 1, or else those from 0 to 1, or else all. A note names the
    metrics that are not used. Raises UsageError if several are suitable and none is chosen.
    """
    values: dict[str, list[float]] = {}
    lists: dict[str, None] = {}
    for item in items:
        for name, value in item.values.items():
            lists.setdefault(name)
            if value is not None:
                values.setdefault(name, []).append(value)
    other = [name for name in lists if name not in values]
    if not values:
        rule = (
            "no metric in the file has a number for each answer; metrics that are lists give only figures of the "
            "whole task"
        )
        raise FormatError(sheet.path, rule, value=other or None)
    graded = {name: [value for value in scores if not math.isnan(value)] for name, scores in values.items()}
    certain = [name for name, scores in graded.items() if all(value in (0, 1) for value in scores)]
    if EXACT in certain and any(item.paired for item in items):
        certain = [EXACT]  # F1 is no verdict of its own beside it, even where it is 0 or 1.
    partial = [name for name, scores in graded.items() if all(0 <= value <= 1 for value in scores)]
    pool = list(values) if chosen_among(log.options, "metric", values) else certain or partial or list(values)
    metric = pick(log.options, "metric", pool)
    left = [name for name in values if name != metric]
    if left or other:
        others = [*left, *(f"{name} (lists)" for name in other)]
        template = "{subject}: scored by {metric}; metrics not used: {others:list}"
        log.say("lm_eval.one_metric", template, sheet.path.name, metric=metric, others=others)
    return metric


def _against_results(sheet: Sheet, figure: str, scores: Sequence[float], documents: int, log: Log) -> None:
    """Add a note if the results file states another value of the metric `figure` than the mean of `scores`.

    A note also says if the results file counts more or fewer `documents`. If it does so, or counts documents that have
    several scores, the value is not compared.
    """
    task = str(sheet.task)
    of, result = part_of(sheet.results, "n-samples", task, "effective"), part_of(sheet.results, "results", task, figure)
    of = of if isinstance(of, int) else None
    if of is not None and len(scores) > documents:
        log.total(sheet.path.name, figure, None, (), covered=of, held=documents, runs=(sheet.run,))
    else:
        log.compare(sheet.path.name, figure, result, scores, of=of, run=sheet.run)


def _say_lost(log: Log, path: Path, results: Mapping[str, Any], decided: Sequence[tuple[Sheet, str]]) -> None:
    """Add a note on the lost tasks of a run: the results file states a deciding metric, but there are no samples.

    `decided` are the sheets beside the file, with their metrics.
    """
    tasks = as_object(results.get("results"))
    groups = {name for name, within in as_object(results.get("group_subtasks")).items() if within}
    groups |= {*as_object(results.get("groups"))}
    for run in dict.fromkeys(sheet.run for sheet, _ in decided):
        held = {sheet.task for sheet, _ in decided if sheet.run == run}
        metrics = {metric for sheet, metric in decided if sheet.run == run}
        stated = {
            task: whole_number(part_of(results, "n-samples", task, "effective"))
            for task, figures in tasks.items()
            if task not in groups and metrics & {str(name).partition(",")[0] for name in as_object(figures)}
        }
        if None not in held:
            log.notes += lost_tasks(path.name, run, stated, [*filter(None, held)], tasks)


def _say_other_documents(sheets: Sequence[Sheet], log: Log) -> None:
    """Add a note if two runs have documents with the same number and task, but with different hashes."""
    seen: dict[tuple[str | None, str], tuple[int, str]] = {}
    differ: Counter[tuple[str, str]] = Counter()
    for sheet in sheets:
        for doc, hash_ in {item.doc: item.hash for item in sheet.items if item.hash is not None}.items():
            before, run = seen.setdefault((sheet.task, doc), (hash_, sheet.run))
            if before != hash_:
                differ[run, sheet.run] += 1
    for (first, other), documents in differ.items():
        log.say(
            OTHER_DOCUMENTS,
            "runs {subject!r} and {other!r}: {documents} documents have the same doc_id but different doc_hashes; "
            "check that the runs answer the same questions",
            first,
            other=other,
            documents=documents,
            pairs=((first, other),),
        )
