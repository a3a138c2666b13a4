"""Read answers that several metrics graded, as in ragas, MLflow, Langfuse, Phoenix, lighteval and others.

A metric that failed on an answer (NaN, an empty cell, an error) leaves it ungraded by that metric: it is never wrong,
and never an abstention. The tools leave such answers out of their means. So a note gives the mean without and with
them.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from nescio.data.judge_record import BY_COLUMNS, grader, speaks_of_grading
from nescio.data.outcomes import NOT_GRADED, SAID_SO
from nescio.errors import FormatError, opt
from nescio.formats.answers import SCORE, Answer
from nescio.formats.choices import choose, threshold
from nescio.formats.logs.kit import UNREAD, Log, mean_of, no_outcome, partial, settle
from nescio.formats.registry import ReadResult, SourceRole
from nescio.formats.totals import decided_by
from nescio.sources.source import name_runs
from nescio.text import sanitize

METRIC = "metric"  # --choose metric=NAME
# The metric that nescio.integrations adds to DeepEval and ragas: 1 right, 0 wrong, and a value between them unanswered.
OUTCOME = "nescio_outcome"
# keys of a grade that say nothing on who gave it: its result, its reason, its call, and the person who gave it
_CALL = "trace span observation session run user author project queue request message execution experiment item dataset"
_OF_A_GRADE = re.compile(
    rf"(?:{_CALL.replace(' ', '|')}|score|assessment|annotation|parent)_?ids?$|(?:created|updated|deleted)_?at$"
    r"|(?:time|timestamp|duration|latency|cost|usage|tokens?|token_?count)(?:_?m?s|_?seconds)?$"
    r"|^(?:id|uuid|identifier|.*value|score|label|comment|rationale|reason|reasoning|explanation|error|feedback|valid)$"
    r"|(?:^|[_.-])(?:ur[il]|endpoint|host|port|base|verify_ssl)$|[a-z](?-i:Ur[il]|URL|Endpoint|Host|Port)$",
    re.IGNORECASE,
)
# keys of who called, where and for what: names of users, runs and experiments, addresses, states of the code
_OF_A_CALL = re.compile(
    rf"^(?:{_CALL.replace(' ', '|')}|environment|tags?|commit|release)(?:_?name)?s?$", re.IGNORECASE
)
_LONGEST = 100  # the most characters of a question that serves as its name


def by_metric(log: Log, answers: Sequence[Answer], *, verdicts: bool = True, keep: Sequence[str] = ()) -> ReadResult:
    """Return the result of answers graded by one metric, or, if no metric decides, only the scores of all metrics.

    The user chooses the metric with `--choose metric=NAME`. Without a choice, the metric that nescio itself adds
    decides. If there is none, the only metric of a task whose scores are all 0 or 1 decides, unless `verdicts` is
    false. Strata in `keep` stay. Raises FormatError if there is no metric, UsageError if the chosen metric does not
    exist.
    """
    log.number(answers)
    tasks: dict[str, list[Answer]] = {}
    for answer in answers:
        tasks.setdefault(answer.task, []).append(answer)
    names = _metrics(answers)
    if not names:
        raise FormatError(log.label, "the file holds no metric")
    for task_answers in tasks.values():
        _say_both_means(log, task_answers)
    for answer in answers:
        if abstains(answer.scores):
            answer.scores, answer.why = {**answer.scores, OUTCOME: 0.0}, answer.why or SAID_SO
    least = threshold(log.options)
    deciding = _deciding_by_task(log, answers, verdicts=verdicts)
    outside = [
        name
        for task, name in deciding.items()
        if name and least is None and any(score < 0 or score > 1 for score in _graded(tasks[task], name))
    ]
    if outside or None in deciding.values():
        _say_no_outcomes(log, names, deciding)
        for answer in answers:
            answer.state, answer.why = NOT_GRADED, None
        return log.result(answers, keep=keep, outcomes=False)
    log.notes = decided_by([name for name in deciding.values() if name], log.notes)
    for task, task_answers in tasks.items():
        name = str(deciding[task])
        others = [other for other in _metrics(task_answers) if other != name]
        if others:
            what = f"{task}: {name}" if task else name
            log.say(
                "metrics.one",
                "outcomes are from {subject}; these metrics give only scores: {others:list}",
                what,
                others=others,
            )
        between = sum(0 < score < 1 for score in _graded(task_answers, name))
        log.notes += partial(name, between, len(task_answers), least)
        for answer in task_answers:
            score = answer.scores.get(name, math.nan)
            right = score >= (1.0 if least is None else least) if math.isfinite(score) else None
            settle(answer, right, UNREAD)
            judges = answer.judges if math.isnan(score) else {name: grader(name), **answer.judges}
            answer.judges = {key: judges[key] for key in (name, BY_COLUMNS) if key in judges}
            marks = {**answer.scores, SCORE: score} if between else answer.scores
            answer.scores = {name: mark for name, mark in marks.items() if not math.isnan(mark)}
    return log.result(answers, keep=keep)


def decisive(log: Log, answers: Sequence[Answer]) -> set[str]:
    """Return the metrics that decide in some task, as in `by_metric`; all metrics if none decides."""
    return {name for name in _deciding_by_task(log, answers, verdicts=True).values() if name} or {*_metrics(answers)}


def _deciding_by_task(log: Log, answers: Sequence[Answer], *, verdicts: bool) -> dict[str, str | None]:
    """Return the metric that decides in each task; None for a task in which none decides."""
    names, tasks = _metrics(answers), dict[str, list[Answer]]()
    for answer in answers:
        tasks.setdefault(answer.task, []).append(answer)
    usual = OUTCOME if OUTCOME in names else None
    chosen = choose(log.options, METRIC, names, "metrics") if METRIC in log.options.choose else usual
    least = threshold(log.options)
    return {task: _deciding(task_answers, chosen, least, verdicts=verdicts) for task, task_answers in tasks.items()}


def by_file(
    log: Log,
    answers_of: Callable[[SourceRole, str], Iterable[Answer]],
    *,
    generic: Sequence[str] = (),
    verdicts: bool = True,
) -> ReadResult:
    """Return the result of all files, each read as a run.

    The run is named after the file, or after its folder if the file has a `generic` name such as results.json.
    `answers_of` is a function that returns the answers in a file, given the file and the name of the run. `verdicts`
    says whether a metric whose scores are all 0 or 1 may decide which answers are right.
    """
    answers: list[Answer] = []
    for part, run in zip(log.parts, name_runs(log.sources, generic), strict=True):
        for answer in answers_of(part, run):
            answer.path = part[1].label
            answers.append(log.take(answer))
    return by_metric(log, answers, verdicts=verdicts)


def made_by(said: Mapping[str, Any], besides: Collection[str] = ()) -> dict[str, Any]:
    """Return what a grade says on its grader: all keys of `said` but `besides`, and but those of one grade or call.

    The latter are its result, its reason, and the time, cost, address and identifiers of its call.
    """
    return {key: part for key, part in _without_calls(said).items() if key not in besides}


def told_by_user(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a user's own metadata says on a grader: only the keys whose names speak of grading."""
    details = {}
    for key, part in _without_calls(said).items():
        if speaks_of_grading(key):
            details[key] = part
        elif isinstance(part, dict):
            details |= {f"{key}.{name}": inner for name, inner in told_by_user(part).items()}
    return details


def _without_calls(metadata: Mapping[str, Any]) -> dict[str, Any]:
    kept = {str(key): part for key, part in metadata.items()}
    return {
        key: _without_calls(part) if isinstance(part, dict) else part
        for key, part in kept.items()
        if not _OF_A_GRADE.search(key) and not _OF_A_CALL.search(key)
    }


def abstains(scores: Mapping[str, float | None]) -> bool:
    """Return whether the metric that nescio itself adds to a tool marks this answer as an abstention.

    `scores` are the answer's scores, keyed by metric. A score of that metric strictly between 0 and 1 means an
    abstention.
    """
    score = scores.get(OUTCOME)
    return score is not None and 0 < score < 1


def _metrics(answers: Iterable[Answer]) -> list[str]:
    return list(dict.fromkeys(name for answer in answers for name in answer.scores))


def _graded(answers: Iterable[Answer], name: str) -> list[float]:
    scores = (answer.scores.get(name, math.nan) for answer in answers)
    return [score for score in scores if not math.isnan(score)]


def _deciding(answers: Sequence[Answer], chosen: str | None, least: float | None, *, verdicts: bool) -> str | None:
    """Return the metric that decides whether answers to a task are right, or None.

    It is the metric `chosen` by the user, or else the only one whose scores are all 0 or 1. A single metric of any
    values decides if the user gave a threshold `least`. Without `verdicts`, scores of 0 or 1 are not taken for
    verdicts.
    """
    names = _metrics(answers)
    if chosen in names:
        return chosen
    by_name = {name: _graded(answers, name) for name in names} if verdicts else {}
    plain = [name for name, scores in by_name.items() if scores and all(score in (0, 1) for score in scores)]
    if len(plain) == 1:
        return plain[0]
    return names[0] if len(names) == 1 and least is not None else None


def _say_no_outcomes(log: Log, names: Sequence[str], deciding: Mapping[str, str | None]) -> None:
    """Add a note on why the result has scores but no outcomes.

    Either a task has no metric that decides, or the deciding metric has scores outside [0, 1]. `deciding` has the
    metric that decides in each task, or None.
    """
    if None not in deciding.values():
        log.notes += [no_outcome(name, name) for name in dict.fromkeys(filter(None, deciding.values()))]
        return
    template = (
        f"the data has scores of {{metrics:list}}, but no outcomes; {opt('choose', of='metric=NAME')} turns one "
        "metric into outcomes (threshold=T counts scores of T or more as correct)"
    )
    log.say("metrics.only_scores", template, metrics=names)


def _say_both_means(log: Log, answers: Sequence[Answer]) -> None:
    """Add a note for each metric that failed on some answers: its mean without them, and with 0 for them."""
    names = _metrics(answers)
    for run in dict.fromkeys(answer.run for answer in answers):
        run_answers = [answer for answer in answers if answer.run == run]
        for name in names:
            graded = _graded(run_answers, name)
            if not graded:
                template = (
                    "run {subject!r}: {metric} has no score for any of {total:n answer}: the metric always failed, "
                    "or was not run"
                )
                log.say("metrics.none_graded", template, run, metric=name, total=len(run_answers))
            elif len(graded) < len(run_answers):
                log.say(
                    "metrics.both_means",
                    "run {subject!r}: {metric} has scores for {graded} of {total:n answer}: the mean is "
                    "{over_graded:.4g} over these, and {over_all:.4g} if the others count as 0",
                    run,
                    metric=name,
                    graded=len(graded),
                    total=len(run_answers),
                    over_graded=mean_of(graded),
                    over_all=sum(graded) / len(run_answers),
                )


def metric_name(name: str, otherwise: str) -> str:
    """Return a metric's name as printable text on one line, or `otherwise` if the name is empty."""
    return " ".join(sanitize(name, target="message").split()) or otherwise


def question_name(text: str) -> str:
    """Return a name for a question: its text, or, for a long text, its beginning and a hash of the whole."""
    plain = " ".join(sanitize(text, target="message").split())
    if plain and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}… #{hashlib.blake2s(text.encode(errors='replace'), digest_size=4).hexdigest()}"
