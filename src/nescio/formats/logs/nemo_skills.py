"""NeMo-Skills: `output-rs0.jsonl`, `output-rs1.jsonl`, … of a benchmark, one file per random seed; or `output.jsonl`.

A benchmark is a folder, and its seeds are repeats. If rows have no `id` and no `problem`, questions are identified by
their line number, which pairs the seeds. The metrics are `symbolic_correct`, `judgement` (of a judge; beside
`expected_judgement` it is the answer itself), `is_correct` and `is_correct-plus` of code, `strict_eval` and
`loose_eval` of instructions, and `proof_status` of proofs. `--choose metric=NAME` selects the outcome if there are
several. A null `predicted_answer` counts as incorrect (`--unparsed`). So does a judgement in no known form that is
itself the answer; such a judgement by a judge leaves the answer ungraded.

`metrics.json` holds only figures, in percent: `pass@1` is over all seeds, and `pass@1[avg-of-2]` over the first two. If
it is given with the files, `pass@1` is checked against them. A benchmark is lost if this file states the deciding
metric for it, but it has no files of its own. Groups and subsets of other benchmarks are never lost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nescio.data.reasons import NO_FORM
from nescio.errors import FormatError
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, both_means, empty, rows_in
from nescio.formats.logs.lost_tasks import lost_tasks
from nescio.formats.logs.metrics import by_metric, decisive, question_name
from nescio.formats.logs.run_names import check_folders
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, number, part_of, whole_number
from nescio.sources.source import Source, own_path

# The place of a metric in a row, keyed by its name in metrics.json.
FLAGS = {
    "symbolic_correct": ("symbolic_correct",),
    "passing_base_tests": ("is_correct",),
    "passing_plus_tests": ("is_correct-plus",),
    "prompt_strict_accuracy": ("strict_eval", "follow_all_instructions"),
    "prompt_loose_accuracy": ("loose_eval", "follow_all_instructions"),
}
JUDGEMENT, EXPECTED, PROOF, PREDICTED = "judgement", "expected_judgement", "proof_status", "predicted_answer"
_SEED = re.compile(r"output-rs(\d+)")
_VERDICT = re.compile(r"\*{0,2}Judgement\*{0,2}\s*:\s*(yes|no)?", re.IGNORECASE)  # the tool's own pattern
_RESULTS = "eval-results"  # holds one folder per benchmark


@reader(
    "nemo_skills",
    about="outputs of NeMo-Skills: output-rs*.jsonl, one file per seed, with or without metrics.json",
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read all files of one folder of results as a run; each benchmark is a task, and each seed a repeat."""
    log = Log(parts, options)
    outputs, figures = log.part("output"), log.part("figures")
    if not outputs:
        rule = (
            "the file holds figures but no answers; give the outputs (output-rs0.jsonl and so on), which are in a "
            "folder for each benchmark beside this file"
        )
        raise FormatError(figures[0].label, rule)
    places = {source.label: _place(source) for source in outputs}
    check_folders(outputs, lambda source: (_place(source), own_path(source.label).parent))
    several = len({task for _, task in places.values()}) > 1
    seeds: dict[tuple[str, str], int] = {}
    answers: list[Answer] = []
    for source in outputs:
        run, task = places[source.label]
        seeds[run, task] = seeds.get((run, task), 0) + 1
        seed = match[1] if (match := _SEED.match(source.stem)) else str(seeds[run, task] - 1)
        for i, (row, where) in enumerate(rows_in(source)):
            answer = _answer(source, row, i, Answer(run, "", where=where, path=source.label, repeat=seed))
            if several:
                answer.question, answer.task, answer.strata = f"{task}/{answer.question}", task, {"task": task}
            answers.append(log.take(answer))
    deciding = decisive(log, answers)
    for source in figures:
        of_run = _run_of(source, {answer.run for answer in answers})
        held = dict.fromkeys(task for run, task in places.values() if run == of_run)  # a set has no order
        if not held.keys() & {*source.document}:
            log.say_stray([str(source.label)])
        for task in held:
            own_answers = [
                answer for answer in answers if answer.run == of_run and answer.task == (task if several else "")
            ]
            _against_figures(log, own_answers, source, task)
        stated = {
            task: whole_number(part_of(task_figures, "pass@1", "num_entries"))
            for task, task_figures in source.document.items()
            if deciding & {*as_object(part_of(task_figures, "pass@1"))}
        }
        if of_run is not None:
            log.notes += lost_tasks(source.name, of_run, stated, held, source.document)
    return by_metric(log, answers, keep=("task",))


def _place(source: Source) -> tuple[str, str]:
    """Return the run and the benchmark of a file, from its path RUN/eval-results/BENCHMARK/output-rs0.jsonl."""
    folders = [name for name in own_path(source.label).parts[1:-1] if name != _RESULTS]
    if not _SEED.match(source.stem) and not source.stem.startswith("output"):
        return source.stem, folders[-1] if folders else ""
    return (folders[-2] if len(folders) > 1 else source.stem), (folders[-1] if folders else source.stem)


def _answer(source: Source, row: Mapping[str, Any], i: int, answer: Answer) -> Answer:
    text = row.get("generation")
    answer.question, answer.scores = _name(row, i), _scores(source, row, str(answer.where))
    subset = row.get("subset_for_metrics")
    answer.labels = {"subset": subset} if isinstance(subset, str) else {}
    unread = EXPECTED in row and _judged(row.get(JUDGEMENT)) is None
    unparsed = PREDICTED in row and row[PREDICTED] is None
    answer.nothing = NO_FORM if unparsed or unread else empty(text) if isinstance(text, str) else None
    answer.asked = next((row[key] for key in ("problem", "question") if row.get(key)), None)
    answer.prompt = row.get("prompt")
    answer.gold = row.get("expected_answer", row.get(EXPECTED))
    answer.answer, answer.extracted = row.get("generation", row.get(JUDGEMENT)), row.get(PREDICTED)
    answer.reason = None if EXPECTED in row else row.get(JUDGEMENT)
    return answer


def _name(row: Mapping[str, Any], i: int) -> str:
    """Return the name of a row's question: the identifier in the row, else the question's text, else the number `i`."""
    for key in ("id", "question_id", "problem_id", "task_id"):
        value = row.get(key)
        if isinstance(value, (int, str)) and not isinstance(value, bool) and value != "":
            return identity(value)
    text = row.get("problem", row.get("question"))
    return question_name(text) if isinstance(text, str) and text.strip() else str(i)


def _scores(source: Source, row: Mapping[str, Any], where: str) -> dict[str, float]:
    """Return the verdicts in a row (1, 0, or NaN without a verdict), keyed by their names in metrics.json."""
    scores: dict[str, float] = {}
    for name, place in FLAGS.items():
        if place[0] not in row:
            continue
        value = part_of(row, *place)
        mark = number(value)
        if value is not None and mark is None:
            raise FormatError(source.label, f"{'.'.join(place)} must be true or false", where=where, value=value)
        scores[name] = math.nan if mark is None else mark
    if PROOF in row:
        scores["lean4_correct"] = float(row[PROOF] == "completed")
    if EXPECTED in row:
        judged, expected = _judged(row.get(JUDGEMENT)), _judged(row[EXPECTED])
        scores["correct_judgements"] = math.nan if expected is None else float(judged == expected)
    elif JUDGEMENT in row:
        judged = _judged(row[JUDGEMENT])
        scores["judge_correct"] = math.nan if judged is None else float(judged)
    if not scores:
        raise FormatError(source.label, "there is no verdict in this row", where=where, value=list(row))
    return scores


def _judged(text: Any) -> bool | None:
    """Return whether a judgement says "Judgement: Yes" or "Judgement: No"; None if it says neither."""
    match = _VERDICT.search(text) if isinstance(text, str) else None
    return None if match is None or match[1] is None else match[1].lower() == "yes"


def _run_of(figures: Source, runs: set[str]) -> str | None:
    """Return the run of a file of figures: the only one, or the one that is a folder in its path; None if unknown."""
    if len(runs) == 1:
        return next(iter(runs))
    return next((name for name in own_path(figures.label).parts[-2::-1] if name in runs), None)


def _against_figures(log: Log, answers: Sequence[Answer], source: Source, task: str) -> None:
    """Add a note if a pass@1 that the tool states in percent for a task differs from the mean of a run's answers to it.

    The tool counts an answer as wrong if its judge gave no verdict.
    """
    runs, figures = (answers[0].run,), as_object(part_of(source.document, task, "pass@1"))
    entries, questions = whole_number(figures.get("num_entries")), len({answer.question for answer in answers})
    covered = entries if entries is not None and entries > questions else None
    log.total(source.name, task, None, (), covered=covered, held=questions, runs=runs)
    for name, value in figures.items():
        scores = [answer.scores[name] for answer in answers if name in answer.scores]
        figure = number(value)
        if scores and figure is not None:
            what = f"pass@1 of {task} ({name})"
            log.total(source.name, what, figure / 100, both_means(scores), runs=runs, metric=name)
