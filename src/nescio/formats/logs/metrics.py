"""What the readers of logs share in which several metrics graded each answer: ragas, MLflow, Langfuse, Phoenix, W&B.

A metric that failed on an answer (NaN, an empty cell, an error) leaves it ungraded by that metric: never wrong, and
never silence. The tools leave such answers out of the means they print, so a note gives both figures.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED
from nescio.errors import FormatError
from nescio.formats.logs.graded import Graded, choose, outcomes_of
from nescio.formats.logs.grading import (
    SCORE,
    UNREAD,
    drop_redundant_columns,
    no_outcome,
    outcome_of,
    say_partial,
    scale_of,
    scores_only,
)
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.text import sanitize

METRIC = "metric"  # --choose metric=NAME
_LONGEST = 100  # characters of a question that can be its name


@dataclass(frozen=True, slots=True)
class Marked:
    """One answer: its row without a state, the score of each metric (NaN where that failed), why it is no answer (None
    where it is one), and why a metric failed where the tool says more than that it did."""

    row: Graded
    scores: Mapping[str, float]
    silent: str | None = None
    failed: Mapping[str, str] = field(default_factory=dict)


def by_metric(
    answers: Sequence[Marked], path: object, options: ReadOptions, notes: list[Note], *, verdicts: bool = True
) -> ReadResult:
    """Return outcomes by the metric chosen with `--choose metric=NAME`, or, where the tool has `verdicts`, by the only
    one whose scores are all 0 or 1; else the scores of all metrics, which mean(NAME) measures.

    Raises FormatError where no metric has a number, UsageError where the metric chosen is not there.
    """
    names = list(dict.fromkeys(name for answer in answers for name in answer.scores))
    scores = {name: [answer.scores.get(name, math.nan) for answer in answers] for name in names}
    if not names:
        raise FormatError(path, "there is no metric in it")
    notes += _both_means(answers, names)
    name = _deciding(scores, options, verdicts=verdicts)
    if name is None:
        notes.append(
            note(
                "metrics.only_scores",
                "scores of {metrics:list}, and no outcomes: --choose metric=NAME takes one of them as the outcome (with"
                " threshold=T, correct from T on)",
                metrics=names,
            )
        )
        rows = [replace(answer.row, state=NOT_GRADED, scores=answer.scores) for answer in answers]
        return drop_redundant_columns(scores_only(rows, path, options, notes), options, ())
    scale = scale_of([score for score in scores[name] if not math.isnan(score)], options)
    if scale is None:
        notes.append(no_outcome(name, name))
        rows = [replace(answer.row, state=NOT_GRADED, scores={name: answer.scores[name]}) for answer in answers]
        return drop_redundant_columns(scores_only(rows, path, options, notes), options, ())
    if len(names) > 1:
        others = [other for other in names if other != name]
        notes.append(note("metrics.one", "outcomes by {subject}; only scores: {others:list}", name, others=others))
    notes += say_partial(scale, name, len(answers), options)
    rows = []
    for answer, score in zip(answers, scores[name], strict=True):
        state, why = scale.state(score), answer.failed.get(name, UNREAD) if math.isnan(score) else None
        if answer.silent:
            state, why = outcome_of(state, answer.silent, answerable=answer.row.answerable != 0)
        marks = {**answer.scores, SCORE: score}
        kept = {other: value for other, value in marks.items() if not math.isnan(value)}
        rows.append(replace(answer.row, state=state, why=why, scores=kept))
    return drop_redundant_columns(ReadResult(outcomes_of(rows, path, options, notes), tuple(notes)), options, ())


def _deciding(scores: Mapping[str, Sequence[float]], options: ReadOptions, *, verdicts: bool) -> str | None:
    """Return the metric that decides: the one chosen, the only one, or the only one that is right or wrong."""
    if METRIC in options.choose:
        return choose(options, METRIC, list(scores), "metrics")
    plain = [name for name, values in scores.items() if verdicts and _is_verdict(values)]
    if len(plain) == 1:
        return plain[0]
    return next(iter(scores)) if len(scores) == 1 and options.choose.get("threshold") is not None else None


def _is_verdict(values: Sequence[float]) -> bool:
    """Say whether all scores that there are say right or wrong."""
    graded = [value for value in values if not math.isnan(value)]
    return bool(graded) and all(value in (0, 1) for value in graded)


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
                    "run {subject!r}: {metric} has no score of any of {total:n answer}: it failed on each, or was not"
                    " run",
                    run,
                    metric=name,
                    total=len(own),
                )
                continue
            yield note(
                "metrics.both_means",
                "run {subject!r}: {metric} has scores of {graded} of {total:n answer}: their mean is {over_graded:.4g}, and"
                " {over_all:.4g} if the others count 0",
                run,
                metric=name,
                graded=len(graded),
                total=len(own),
                over_graded=sum(graded) / len(graded),
                over_all=sum(graded) / len(own),
            )


def question_name(text: str) -> str:
    """Return a name for a question of this text: the text itself, or its beginning and a hash of the whole where it is
    long."""
    plain = " ".join(sanitize(text, target="message").split())
    if plain and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}… #{hashlib.blake2s(text.encode(errors='replace'), digest_size=4).hexdigest()}"


def repeated(rows: Sequence[Graded], what: str, notes: list[Note]) -> list[Graded]:
    """Return the rows, those of one run that are of one question numbered: repeats of it, in one cluster."""
    seen: Counter[tuple[str, str]] = Counter((row.run, row.question) for row in rows)
    again = seen.total() - len(seen)
    if not again:
        return list(rows)
    notes.append(
        note(
            "metrics.repeats",
            "{repeats:n} {subject} of a question that another one is of too: {repeats:it is/they are} repeats",
            what,
            repeats=again,
        )
    )
    seen.clear()
    numbered = []
    for row in rows:
        seen[row.run, row.question] += 1
        times = seen[row.run, row.question]
        name = row.question if times == 1 else f"{row.question} #{times}"
        numbered.append(replace(row, question=name, cluster=row.question))
    return numbered
