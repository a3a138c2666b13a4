"""Answers that several metrics graded, as ragas, MLflow, Langfuse, Phoenix, lighteval and others give them.

A metric that failed on an answer (NaN, an empty cell, an error) leaves it ungraded by that metric: never wrong, and
never silence. The tools leave such answers out of the means they print, so a note gives both figures.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from nescio.data.outcomes import NOT_GRADED, SAID_SO
from nescio.errors import FormatError, opt
from nescio.formats.answers import SCORE, Answer
from nescio.formats.choices import choose, threshold
from nescio.formats.logs.kit import UNREAD, Log, mean_of, no_outcome, partial, settle
from nescio.formats.registry import ReadResult, SourceRole
from nescio.sources.source import name_runs
from nescio.text import sanitize

METRIC = "metric"  # --choose metric=NAME
# The metric that nescio.integrations gives DeepEval and ragas: 1 right, 0 wrong, and between them unanswered.
OUTCOME = "nescio_outcome"
_LONGEST = 100  # characters of a question that can be its name


def by_metric(log: Log, answers: Sequence[Answer], *, verdicts: bool = True, keep: Sequence[str] = ()) -> ReadResult:
    """Return outcomes, or the scores of all metrics, which mean(NAME) measures. The outcomes are by the metric chosen
    with `--choose metric=NAME`, or, if the tool has `verdicts`, by the only one whose scores are all 0 or 1, task by
    task. Only the strata in `keep` are kept.

    Raises FormatError if no metric has a number, UsageError if the chosen metric is not there.
    """
    log.number(answers)
    tasks: dict[str, list[Answer]] = {}
    for one in answers:
        tasks.setdefault(one.task, []).append(one)
    names = _metrics(answers)
    if not names:
        raise FormatError(log.label, "the file holds no metric")
    for own in tasks.values():
        _say_both_means(log, own)
    for one in answers:
        if abstains(one.scores):
            one.scores, one.why = {**one.scores, OUTCOME: 0.0}, one.why or SAID_SO
    usual = OUTCOME if OUTCOME in names else None
    chosen = choose(log.options, METRIC, names, "metrics") if METRIC in log.options.choose else usual
    least = threshold(log.options)
    deciding = {task: _deciding(own, chosen, least, verdicts=verdicts) for task, own in tasks.items()}
    outside = [
        name
        for task, name in deciding.items()
        if name and least is None and any(score < 0 or score > 1 for score in _graded(tasks[task], name))
    ]
    if outside or None in deciding.values():
        _say_no_outcomes(log, names, deciding)
        for one in answers:
            one.state, one.why = NOT_GRADED, None
        return log.result(answers, keep=keep, outcomes=False)
    for task, own in tasks.items():
        name = str(deciding[task])
        others = [other for other in _metrics(own) if other != name]
        if others:
            what = f"{task}: {name}" if task else name
            log.say(
                "metrics.one",
                "outcomes are from {subject}; these metrics give only scores: {others:list}",
                what,
                others=others,
            )
        between = sum(0 < score < 1 for score in _graded(own, name))
        log.notes += partial(name, between, len(own), least)
        for one in own:
            score = one.scores.get(name, math.nan)
            right = None if math.isnan(score) else score >= (1.0 if least is None else least)
            settle(one, right, UNREAD)
            marks = {**one.scores, SCORE: score} if between else one.scores
            one.scores = {name: mark for name, mark in marks.items() if not math.isnan(mark)}
    return log.result(answers, keep=keep)


def by_file(
    log: Log,
    answers_of: Callable[[SourceRole, str], Iterable[Answer]],
    *,
    generic: Sequence[str] = (),
    verdicts: bool = True,
) -> ReadResult:
    """Read every file as a run, named by it or, if it has a `generic` name, by its folder."""
    answers: list[Answer] = []
    for part, run in zip(log.parts, name_runs(log.sources, generic), strict=True):
        for one in answers_of(part, run):
            one.path = part[1].label
            answers.append(log.take(one))
    return by_metric(log, answers, verdicts=verdicts)


def abstains(scores: Mapping[str, float | None]) -> bool:
    """Return whether nescio's own metric took an answer for silence."""
    score = scores.get(OUTCOME)
    return score is not None and 0 < score < 1


def _metrics(answers: Iterable[Answer]) -> list[str]:
    return list(dict.fromkeys(name for one in answers for name in one.scores))


def _graded(answers: Iterable[Answer], name: str) -> list[float]:
    scores = (one.scores.get(name, math.nan) for one in answers)
    return [score for score in scores if not math.isnan(score)]


def _deciding(answers: Sequence[Answer], chosen: str | None, least: float | None, *, verdicts: bool) -> str | None:
    """Return the metric that decides in a task: the chosen one, or the only one that can say right or wrong."""
    names = _metrics(answers)
    if chosen in names:
        return chosen
    by_name = {name: _graded(answers, name) for name in names} if verdicts else {}
    plain = [name for name, scores in by_name.items() if scores and all(score in (0, 1) for score in scores)]
    if len(plain) == 1:
        return plain[0]
    return names[0] if len(names) == 1 and least is not None else None


def _say_no_outcomes(log: Log, names: Sequence[str], deciding: Mapping[str, str | None]) -> None:
    """Return a note on why there are only scores: no metric is chosen, or the chosen one's scores are no outcomes."""
    if None not in deciding.values():
        log.notes += [no_outcome(name, name) for name in dict.fromkeys(filter(None, deciding.values()))]
        return
    template = (
        f"scores of {{metrics:list}}, but no outcomes: {opt('choose', of='metric=NAME')} turns one metric into "
        "outcomes (with threshold=T, correct from T on)"
    )
    log.say("metrics.only_scores", template, metrics=names)


def _say_both_means(log: Log, answers: Sequence[Answer]) -> None:
    """Note, for each metric that failed on some answers, its mean over the others and its mean if the failures count
    0."""
    names = _metrics(answers)
    for run in dict.fromkeys(one.run for one in answers):
        own = [one for one in answers if one.run == run]
        for name in names:
            graded = _graded(own, name)
            if not graded:
                template = (
                    "run {subject!r}: {metric} has no score for any of {total:n answer}: the metric always failed, "
                    "or was not run"
                )
                log.say("metrics.none_graded", template, run, metric=name, total=len(own))
            elif len(graded) < len(own):
                log.say(
                    "metrics.both_means",
                    "run {subject!r}: {metric} has scores for {graded} of {total:n answer}: the mean is "
                    "{over_graded:.4g} over these, and {over_all:.4g} if the others count as 0",
                    run,
                    metric=name,
                    graded=len(graded),
                    total=len(own),
                    over_graded=mean_of(graded),
                    over_all=sum(graded) / len(own),
                )


def metric_name(name: str, otherwise: str) -> str:
    """Return the name of a metric on one line, or `otherwise` if nothing is left of its name."""
    return " ".join(sanitize(name, target="message").split()) or otherwise


def question_name(text: str) -> str:
    """Return a name for a question of this text: the text itself, or, if it is long, its beginning and a hash of the
    whole."""
    plain = " ".join(sanitize(text, target="message").split())
    if plain and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}… #{hashlib.blake2s(text.encode(errors='replace'), digest_size=4).hexdigest()}"
