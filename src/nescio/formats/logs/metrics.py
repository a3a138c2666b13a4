"""What the readers of logs share in which several metrics graded each answer: ragas, MLflow, Langfuse, Phoenix, W&B.

A metric that failed on an answer (NaN, an empty cell, an error) leaves it ungraded by that metric: never wrong, and
never silence. The tools leave such answers out of the means they print, so a note gives both figures.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED, SAID_SO
from nescio.errors import FormatError, opt
from nescio.formats.logs.graded import Graded, choose, numbered
from nescio.formats.logs.grading import (
    SCORE,
    UNREAD,
    Scale,
    no_outcome,
    outcome_of,
    result_of,
    say_partial,
    scale_of,
)
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole
from nescio.sources.source import name_runs
from nescio.text import sanitize

METRIC = "metric"  # --choose metric=NAME
# The metric that nescio.integrations gives DeepEval and ragas: 1 right, 0 wrong, and between them unanswered.
OUTCOME = "nescio_outcome"
_LONGEST = 100  # characters of a question that can be its name


class Marked(Struct, frozen=True):
    """One answer: its row without a state, the score of each metric (NaN where that failed), why it is no answer
    (None where it is one), why its metrics failed where the tool says more than that they did, and the task that the
    answer is of, where each has metrics of its own."""

    row: Graded
    scores: Mapping[str, float]
    silent: str | None = None
    failed: str | None = None
    task: str = ""


def by_metric(
    answers: Sequence[Marked],
    path: object,
    options: ReadOptions,
    notes: list[Note],
    *,
    verdicts: bool = True,
    keep: Sequence[str] = (),
) -> ReadResult:
    """Return outcomes by the metric chosen with `--choose metric=NAME`, or, where the tool has `verdicts`, by the only
    one whose scores are all 0 or 1, task by task; else the scores of all metrics, which mean(NAME) measures. Of the
    strata those to `keep` stay.

    Raises FormatError where no metric has a number, UsageError where the metric chosen is not there.
    """
    rows = repeated([answer.row for answer in answers], notes)
    answers = [replace(answer, row=row) for answer, row in zip(answers, rows, strict=True)]
    tasks: dict[str, list[Marked]] = {}
    for answer in answers:
        tasks.setdefault(answer.task, []).append(answer)
    names = list(dict.fromkeys(name for answer in answers for name in answer.scores))
    if not names:
        raise FormatError(path, "there is no metric in it")
    for own in tasks.values():
        notes += _both_means(own, list(dict.fromkeys(name for answer in own for name in answer.scores)))
    tasks = {task: [_abstaining(answer) for answer in own] for task, own in tasks.items()}
    usual = OUTCOME if OUTCOME in names else None
    chosen = choose(options, METRIC, names, "metrics") if METRIC in options.choose else usual
    deciding = {task: _deciding(own, chosen, options, verdicts=verdicts) for task, own in tasks.items()}
    scales = {
        task: scale_of(_graded_scores(tasks[task], name), options) if name else None for task, name in deciding.items()
    }
    if not all(scales.values()):
        notes += _why_no_outcomes(names, deciding)
        rows = [replace(answer.row, state=NOT_GRADED, scores=answer.scores) for answer in answers]
        return result_of(rows, path, options, notes, keep=keep, outcomes=False)
    rows = []
    for task, own in tasks.items():
        name, scale = deciding[task], scales[task]
        assert name is not None
        assert scale is not None
        others = [other for other in dict.fromkeys(n for answer in own for n in answer.scores) if other != name]
        if others:
            what = f"{task}: {name}" if task else name
            notes.append(note("metrics.one", "outcomes by {subject}; only scores: {others:list}", what, others=others))
        notes += say_partial(scale, name, len(own), options)
        rows += [_outcome(answer, name, scale) for answer in own]
    return result_of(rows, path, options, notes, keep=keep)


def by_file(
    parts: Sequence[SourceRole],
    options: ReadOptions,
    answers_of: Callable[[SourceRole, str, list[Note]], Iterable[Marked]],
    *,
    generic: Sequence[str] = (),
    verdicts: bool = True,
) -> ReadResult:
    """Read every file as a run, named by it or, where it has a `generic` name, by its folder."""
    notes: list[Note] = []
    answers: list[Marked] = []
    for part, run in zip(parts, name_runs([source for _, source in parts], generic), strict=True):
        answers += answers_of(part, run, notes)
    return by_metric(answers, parts[0][1].label, options, notes, verdicts=verdicts)


def abstains(scores: Mapping[str, float | None]) -> bool:
    """Say whether nescio's own metric took an answer for silence."""
    score = scores.get(OUTCOME)
    return score is not None and 0 < score < 1


def _abstaining(answer: Marked) -> Marked:
    """Return an answer with what nescio's own metric says of silence in its own place."""
    if not abstains(answer.scores):
        return answer
    return replace(answer, scores={**answer.scores, OUTCOME: 0.0}, silent=answer.silent or SAID_SO)


def _graded_scores(answers: Sequence[Marked], name: str) -> list[float]:
    scores = (answer.scores.get(name, math.nan) for answer in answers)
    return [score for score in scores if not math.isnan(score)]


def _outcome(answer: Marked, name: str, scale: Scale) -> Graded:
    """Return the row of an answer with the state that one metric gives it."""
    score = answer.scores.get(name, math.nan)
    state, why = scale.state(score), (answer.failed or UNREAD) if math.isnan(score) else None
    if answer.silent:
        state, why = outcome_of(state, answer.silent, answerable=answer.row.answerable != 0)
    marks = {**answer.scores, SCORE: score} if scale.between else answer.scores
    return replace(answer.row, state=state, why=why, scores={k: v for k, v in marks.items() if not math.isnan(v)})


def _why_no_outcomes(names: Sequence[str], deciding: Mapping[str, str | None]) -> Iterator[Note]:
    """Say why there are scores only: of which metric nobody said that it decides, or whose scores are no outcomes."""
    if None not in deciding.values():
        for name in dict.fromkeys(filter(None, deciding.values())):
            yield no_outcome(name, name)
        return
    yield note(
        "metrics.only_scores",
        f"scores of {{metrics:list}}, and no outcomes: {opt('choose', of='metric=NAME')} takes one of them as the "
        "outcome (with "
        "threshold=T, correct from T on)",
        metrics=names,
    )


def _deciding(answers: Sequence[Marked], chosen: str | None, options: ReadOptions, *, verdicts: bool) -> str | None:
    """Return the metric that decides in a task: the one chosen, the only one that is right or wrong, or the only one,
    where there is a threshold."""
    names = list(dict.fromkeys(name for answer in answers for name in answer.scores))
    if chosen in names:
        return chosen
    plain = [name for name in names if verdicts and _is_verdict(_graded_scores(answers, name))]
    if len(plain) == 1:
        return plain[0]
    return names[0] if len(names) == 1 and options.choose.get("threshold") is not None else None


def _is_verdict(values: Sequence[float]) -> bool:
    return bool(values) and all(value in (0, 1) for value in values)


def _both_means(answers: Sequence[Marked], names: Sequence[str]) -> Iterator[Note]:
    """Give, of each metric that failed on some answers, its mean over the others and its mean if those count 0."""
    for run in dict.fromkeys(answer.row.run for answer in answers):
        own = [answer for answer in answers if answer.row.run == run]
        for name in names:
            graded = [v for answer in own if not math.isnan(v := answer.scores.get(name, math.nan))]
            if len(graded) == len(own):
                continue
            if not graded:
                yield note(
                    "metrics.none_graded",
                    "run {subject!r}: {metric} has no score for any of {total:n answer}: it failed on each, or was "
                    "not run",
                    run,
                    metric=name,
                    total=len(own),
                )
                continue
            yield note(
                "metrics.both_means",
                "run {subject!r}: {metric} has scores for {graded} of {total:n answer}: their mean is "
                "{over_graded:.4g}, and {over_all:.4g} if the others count 0",
                run,
                metric=name,
                graded=len(graded),
                total=len(own),
                over_graded=sum(graded) / len(graded),
                over_all=sum(graded) / len(own),
            )


def mean_of(scores: Iterable[float]) -> float:
    """Return the mean of what is graded; NaN where nothing is."""
    graded = [score for score in scores if not math.isnan(score)]
    return fmean(graded) if graded else math.nan


def metric_name(name: str, otherwise: str) -> str:
    """Return what a metric is called on one line, `otherwise` where nothing is left of its name."""
    return " ".join(sanitize(name, target="message").split()) or otherwise


def question_name(text: str) -> str:
    """Return a name for a question of this text: the text itself, or its beginning and a hash of the whole where it is
    long."""
    plain = " ".join(sanitize(text, target="message").split())
    if plain and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}… #{hashlib.blake2s(text.encode(errors='replace'), digest_size=4).hexdigest()}"


def repeated(rows: Sequence[Graded], notes: list[Note]) -> list[Graded]:
    """Return the rows with their repeats numbered, where the log does not number them itself, and note how many there
    are."""
    again = len(rows) - len({(row.run, row.question) for row in rows})
    if again:
        notes.append(
            note(
                "metrics.repeats",
                "{repeats:n answer} {repeats:is/are} to a question that already has one: "
                "{repeats:it is a repeat/they are repeats}",
                repeats=again,
            )
        )
    return list(rows) if any(row.repeat is not None for row in rows) else list(numbered(rows))
