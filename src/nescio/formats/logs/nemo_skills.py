"""NeMo-Skills: `output-rs0.jsonl`, `output-rs1.jsonl`, … of a benchmark, one file per random seed; or `output.jsonl`.

A benchmark is a folder, and its seeds are repeats. If rows have no `id` and no `problem`, questions are identified by
their line, which pairs the seeds. The metrics are `symbolic_correct`, `judgement` (of a judge; beside
`expected_judgement` it is the answer itself), `is_correct` and `is_correct-plus` of code, `strict_eval` and
`loose_eval` of instructions, `proof_status` of proofs; `--choose metric=NAME` says which is the outcome if there are
several. A `predicted_answer` that is null counts as incorrect (`--unparsed`), and so does a judgement in no known form
that is itself the answer; one by a judge is not graded.

`metrics.json` holds only figures, in percent: `pass@1` is over all seeds, and `pass@1[avg-of-2]` over the first two. If
it is given with the files, `pass@1` is checked against them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nescio.data.notes import Note
from nescio.data.outcomes import SAID_SO
from nescio.data.reasons import EMPTY, NO_FORM
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded, declined
from nescio.formats.logs.grading import compared, identity, labels, number
from nescio.formats.logs.metrics import Marked, by_metric, question_name
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, by_role, reader
from nescio.sources.elements import as_object, part_of
from nescio.sources.source import Source, own_path
from nescio.sources.tables import json_lines

# By the name that metrics.json has for it, where a metric stands in a row.
FLAGS = {
    "symbolic_correct": ("symbolic_correct",),
    "passing_base_tests": ("is_correct",),
    "passing_plus_tests": ("is_correct-plus",),
    "prompt_strict_accuracy": ("strict_eval", "follow_all_instructions"),
    "prompt_loose_accuracy": ("loose_eval", "follow_all_instructions"),
}
JUDGEMENT, EXPECTED, PROOF, PREDICTED = "judgement", "expected_judgement", "proof_status", "predicted_answer"
VERDICTS = {*(place[0] for place in FLAGS.values()), JUDGEMENT, PROOF}
_BESIDE = {"num_generated_tokens", "generation", "generation_start_time", PREDICTED}
_OWN = {
    "num_generated_tokens",
    "generation_start_time",
    "symbolic_correct",
    PROOF,
    "strict_eval",
}  # no one else's names
_SEED = re.compile(r"output-rs(\d+)")
_VERDICT = re.compile(r"\*{0,2}Judgement\*{0,2}\s*:\s*(yes|no)?", re.IGNORECASE)  # the tool's own rule
_RESULTS = "eval-results"  # the folder that holds one folder a benchmark


def recognise(source: Source) -> str | None:
    """Recognise lines with `symbolic_correct`, `strict_eval`, `proof_status`, or with `judgement` or `is_correct` and
    the tool's number of tokens, beside `predicted_answer`, `generation` or `num_generated_tokens`; or a document of
    `pass@1` figures by benchmark."""
    columns = {*source.columns}
    if source.kind == "lines":
        return "output" if columns & VERDICTS and columns & _BESIDE and columns & _OWN else None
    if source.kind != "document" or not isinstance(source.document, dict) or not source.document:
        return None
    groups = list(source.document.values())
    known = all(isinstance(group, dict) for group in groups) and any("pass@1" in group for group in groups)
    return "figures" if known else None


@reader(
    "nemo_skills",
    about="outputs of NeMo-Skills: output-rs*.jsonl, one file per seed, with or without metrics.json",
    recognise=recognise,
    sniff_keys={"lines": (*_BESIDE,), "objects": ()},
    files=("output-rs*.jsonl", "output.jsonl", "metrics.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read all files of one folder of results as a run, each benchmark a task of it, each seed a repeat."""
    notes: list[Note] = []
    by_part = by_role(parts)
    outputs, figures = by_part["output"], by_part["figures"]
    if not outputs:
        rule = (
            "it holds figures and no answers: those are in the folder of each benchmark, output-rs0.jsonl and so on,"
            " beside it"
        )
        raise FormatError(figures[0].label, rule)
    places = {source.label: _place(source) for source in outputs}
    several = len({task for _, task in places.values()}) > 1
    seeds: dict[tuple[str, str], int] = {}
    answers: list[Marked] = []
    for source in outputs:
        run, task = places[source.label]
        seeds[run, task] = seeds.get((run, task), 0) + 1
        seed = match[1] if (match := _SEED.match(source.stem)) else str(seeds[run, task] - 1)
        answers += _answers(source, run, task if several else "", seed, options)
    for source in figures:
        notes += _against_figures(answers, source, {task for _, task in places.values()})
    return by_metric(answers, outputs[0].label, options, notes, keep=("task",))


def _place(source: Source) -> tuple[str, str]:
    """Return the run and the benchmark of a file by its folders: RUN/eval-results/BENCHMARK/output-rs0.jsonl."""
    folders = [name for name in own_path(source.label).parts[1:-1] if name != _RESULTS]
    if not _SEED.match(source.stem) and not source.stem.startswith("output"):
        return source.stem, folders[-1] if folders else ""
    return (folders[-2] if len(folders) > 1 else source.stem), (folders[-1] if folders else source.stem)


def _answers(source: Source, run: str, task: str, seed: str, options: ReadOptions) -> Iterator[Marked]:
    for i, (row, line) in enumerate(json_lines(source, lenient=True)):
        name = _name(row, i)
        scores = _scores(source, row, f"line {line}")
        graded = Graded(
            run,
            f"{task}/{name}" if task else name,
            0,
            strata=_strata(row, task, options),
            where=f"line {line}",
            path=source.label,
            repeat=seed,
            texts=_words(row) if options.texts else None,
        )
        yield Marked(graded, scores, _silence(row, options), task=task)


def _words(row: Mapping[str, Any]) -> AnswerTexts:
    """Return what was asked, what is right, what was said, what of it was graded, and the judge's words."""
    gold = [row.get("expected_answer", row.get(EXPECTED))]
    reason = None if EXPECTED in row else row.get(JUDGEMENT)
    asked = next((row[key] for key in ("problem", "question", "prompt") if row.get(key)), None)
    return texts_of(asked, gold, row.get("generation", row.get(JUDGEMENT)), row.get(PREDICTED), reason)


def _name(row: Mapping[str, Any], i: int) -> str:
    """Return what a question is called: its identifier, its text, or its place in the file."""
    for key in ("id", "question_id", "problem_id", "task_id"):
        value = row.get(key)
        if isinstance(value, (int, str)) and not isinstance(value, bool) and value != "":
            return identity(value)
    text = row.get("problem", row.get("question"))
    return question_name(text) if isinstance(text, str) and text.strip() else str(i)


def _strata(row: Mapping[str, Any], task: str, options: ReadOptions) -> dict[str, str]:
    subset = row.get("subset_for_metrics")
    held = {"subset": subset} if isinstance(subset, str) else {}
    return labels(held, options) | ({"task": task} if task else {})


def _scores(source: Source, row: Mapping[str, Any], where: str) -> dict[str, float]:
    """Return the metrics of a row by the name that metrics.json has for them."""
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
    """Return what a judgement says: "Judgement: Yes" or "Judgement: No", as the tool reads it; None where it says
    neither."""
    match = _VERDICT.search(text) if isinstance(text, str) else None
    return None if match is None or match[1] is None else match[1].lower() == "yes"


def _silence(row: Mapping[str, Any], options: ReadOptions) -> str | None:
    generation = row.get("generation")
    if any(isinstance(text, str) and declined(options, text) for text in (row.get(PREDICTED), generation)):
        return SAID_SO
    if PREDICTED in row and row[PREDICTED] is None:
        return NO_FORM
    if EXPECTED in row and _judged(row.get(JUDGEMENT)) is None:
        return NO_FORM
    return EMPTY if isinstance(generation, str) and not generation.strip() else None


def _against_figures(answers: Sequence[Marked], source: Source, tasks: set[str]) -> Iterator[Note]:
    """Note where pass@1, the mean over all seeds in percent, is not what the answers give."""
    only = next(iter(tasks)) if len(tasks) == 1 else None
    for task, figures in source.document.items():
        if task not in tasks:
            continue
        mine = [answer for answer in answers if answer.task in (task, "" if only == task else task)]
        for name, value in as_object(part_of(figures, "pass@1")).items():
            scores = [answer.scores[name] for answer in mine if name in answer.scores]
            figure = number(value)
            if scores and figure is not None:
                yield from compared(figure / 100, None, scores, f"pass@1 of {task} ({name})", source.name)
