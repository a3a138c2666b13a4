"""EvalScope: `reviews/<model>/<benchmark>_<subset>.jsonl`, one reviewed sample per line.

A line has `index`, `input`, `target` and `sample_score`: a `score` of values keyed by name, with `prediction` and
`extracted_prediction`. A run is a model, its benchmarks are a stratum, and samples with one `group_id` are repeats of a
question. The outcome is the only value whose scores are all 0 or 1; `--choose metric=NAME` names it if there are
several. A prediction from which nothing was extracted counts as incorrect (`--unparsed`), and so does an empty one
(`--empty`). The text of a question is its `input`, without the lines, the beginning and the end that all inputs of the
file have.

The files in `predictions` hold no scores; if they are given, a subset that has more predictions than reviews lacks
answers. If `reports/<model>/<benchmark>.json` is given, its numbers of samples and its means (`mean_acc` of the value
`acc`) are checked against the reviews of each subset. A subset that only these files have is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.data.changed_questions import words_digest
from nescio.data.dropped import fewer_held
from nescio.data.judge_record import grader
from nescio.data.reasons import NO_FORM
from nescio.errors import FormatError, offer
from nescio.formats.answers import Answer
from nescio.formats.logs.kit import Log, Name, both_means, checked, empty, rows_in
from nescio.formats.logs.lost_tasks import lost_tasks
from nescio.formats.logs.metrics import by_metric, metric_name
from nescio.formats.logs.prompts import own_texts
from nescio.formats.logs.run_names import printable
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, reader
from nescio.sources.elements import as_object, identity, number, objects_in, whole_number
from nescio.sources.source import Source, own_path

_WHO_GRADED = {"source", "judge_strategy", "model"}  # the keys of a score that a judge gave
_OF_SUBSETS = ("-", ["-"])  # the category of means over several subsets, such as "OVERALL"
_ROUNDED = 5e-5  # Scores are rounded to four decimals.
FORM = b"evalscope_own_text"  # the name of the digests of what remains of a prompt


class Score(Struct):
    value: dict[str, Any]
    prediction: Any = None
    extracted_prediction: Any = None
    explanation: Any = None
    metadata: Any = None


class SampleScore(Struct):
    score: Score
    group_id: Name | None = None
    sample_metadata: Any = None


class Review(Struct):
    index: Name
    sample_score: SampleScore
    input: Any = None
    target: Any = None


@reader("evalscope", about="reviews of EvalScope: index, input, target, sample_score, one per line")
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read the reviews of every model as a run that joins all its benchmarks."""
    log = Log(parts, options)
    reviews = log.part("reviews")
    if not reviews:
        what = "figures" if log.part("report") else "predictions"
        rule = f"the file holds {what} of EvalScope, without scores; give the reviews{offer('beside', '*.jsonl')}"
        raise FormatError(log.label, rule)
    places = {source.label: _place(source) for source in reviews}
    several = len({task for _, task in places.values()}) > 1
    answers = []
    held: dict[str, dict[str, list[Answer]]] = {}  # the answers of each run to each subset
    for source in reviews:
        run, task = places[source.label]
        rows = [(checked(Review, row, source, where), where) for row, where in rows_in(source)]
        asked = own_texts({str(i): row.input for i, (row, _) in enumerate(rows)})
        stated = any(row.sample_score.score.prediction is not None for row, _ in rows)
        for i, (row, where) in enumerate(rows):
            answer = _answer(row, Answer(run, "", where=where, path=source.label), stated=stated)
            words = words_digest(asked.get(str(i)), answer.gold)
            answer.words = words and words + FORM
            if several:
                answer.question, answer.task, answer.strata = f"{task}/{answer.question}", task, {"task": task}
            answers.append(log.take(answer))
            held.setdefault(run, {}).setdefault(task, []).append(answer)
    for source in log.part("report"):
        by_subset = held.get(own_path(source.label).parent.name) or held.get(printable(source.document["model_name"]))
        _against_report(log, source, by_subset) if by_subset else log.say_stray([str(source.label)])
    for source in log.part("predictions"):
        run, given = own_path(source.label).parent.name, sum(1 for _ in rows_in(source))
        if run not in held:
            log.say_stray([str(source.label)])
        elif given > (many := len(held[run].get(source.stem, ()))):
            beside = "" if many else f" to {source.stem}"
            log.notes.append(fewer_held(source.name, [run], given, many, beside, tasks=[] if many else [source.stem]))
    return by_metric(log, answers, keep=("task",))


def _place(source: Source) -> tuple[str, str]:
    """Return the model and the benchmark of a file, from its path reviews/MODEL/BENCHMARK_SUBSET.jsonl."""
    folders = own_path(source.label).parts[1:-1]
    return (folders[-1] if folders[-2:-1] == ("reviews",) else source.stem), source.stem


def _against_report(log: Log, source: Source, held: Mapping[str, Sequence[Answer]]) -> None:
    """Add a note if a report states another mean than the reviews of a subset give, or more or fewer samples.

    `held` has the answers of the report's model, keyed by benchmark and subset.
    """
    run, lost = next(iter(held.values()))[0].run, dict[str, int | None]()
    for metric in objects_in(source.document["metrics"]):
        name = str(metric.get("name"))
        categories = [
            category for category in objects_in(metric.get("categories")) if category.get("name") not in _OF_SUBSETS
        ]
        for subset in (subset for category in categories for subset in objects_in(category.get("subsets"))):
            task, samples = f"{source.stem}_{subset.get('name')}", whole_number(subset.get("num"))
            if task not in held:
                lost[task] = samples
                continue
            value = name.removeprefix("mean_")
            scores = [answer.scores[value] for answer in held[task] if value in answer.scores]
            if scores:
                means, what, figure = both_means(scores), f"{name} of {task}", number(subset.get("score"))
                more: dict[str, Any] = {"covered": samples, "held": len(scores), "rounding": _ROUNDED, "metric": value}
                log.total(source.name, what, figure, means, runs=(run,), **more)
    log.notes += lost_tasks(source.name, run, lost, held, [*held, *lost])


def _answer(row: Review, answer: Answer, *, stated: bool) -> Answer:
    """Return an answer completed from a review; a missing prediction is empty if its file has `stated` others."""
    score, group = row.sample_score.score, row.sample_score.group_id
    answer.question = identity(row.index if group is None else group)
    marks = {metric_name(name, "score"): number(value) for name, value in score.value.items()}
    answer.scores = {name: math.nan if mark is None else mark for name, mark in marks.items()}
    if stated:
        unread = score.extracted_prediction is not None and empty(score.extracted_prediction)
        answer.nothing = empty(score.prediction) or (NO_FORM if unread else None)
    answer.labels = as_object(row.sample_score.sample_metadata)
    if by := {key: value for key, value in as_object(score.metadata).items() if key in _WHO_GRADED}:
        answer.judges = {name: grader(name, **by) for name in answer.scores}
    answer.prompt, answer.gold, answer.reason = row.input, row.target, score.explanation
    answer.answer, answer.extracted = score.prediction, score.extracted_prediction
    return answer
