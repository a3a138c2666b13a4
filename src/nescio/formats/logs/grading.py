"""Scores in other tools' logs: how a number becomes an outcome, where it does not, and what else the logs' readers
share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.columns import Array, bare, user
from nescio.data.evidence import NO_ROW, PRESENT, UNGRADED, Evidence
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.policies import evidence_of
from nescio.data.reasons import GRADED_RIGHT, kind_of
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats.logs.graded import Graded, outcomes_of
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.formats.totals import ROUNDING, Total, contradictions
from nescio.text import decimal, sanitize

SCORE = "score"  # what the graded score of an answer is called, as in mean(score)
NO_SCORE = "without a score"
UNREAD = "graded by a judge that failed"
_LONGEST = 60  # characters of a text that can name a group of questions
PROSE = "\0"  # what a longer one begins with


class Scale(Struct, frozen=True):
    """How the scores of one metric become outcomes: right from `least` on. `between` counts those strictly between 0
    and 1."""

    least: float
    between: int = 0

    def state(self, score: float) -> int:
        """Return CORRECT, INCORRECT, or NOT_GRADED for NaN."""
        if math.isnan(score):
            return NOT_GRADED
        return CORRECT if score >= self.least else INCORRECT


def scale_of(scores: Iterable[float], options: ReadOptions) -> Scale | None:
    """Return the scale on which 1 is right and anything below it is wrong; with `--choose threshold=T`, right is a
    score of T or more.

    None where there are scores outside [0, 1] and no threshold: such scores are no outcomes.
    """
    least = threshold(options)
    between, outside = 0, False
    for score in scores:
        between += 0 < score < 1
        outside = outside or score < 0 or score > 1
    if outside and least is None:
        return None
    return Scale(1.0 if least is None else least, between)


def threshold(options: ReadOptions) -> float | None:
    """Return the number of `--choose threshold=T`; raises UsageError where it is none."""
    chosen = options.choose.get("threshold")
    if chosen is None:
        return None
    least = number(chosen)
    if least is None or not math.isfinite(least):
        raise UsageError(f"{opt('choose')} threshold takes a number (found {chosen!r})")
    return least


def number(value: Any) -> float | None:
    """Return a JSON value as a number: true is 1, a text of a number that number; None where it is none."""
    if isinstance(value, str):
        return decimal(value)
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:
        return None


def say_partial(scale: Scale, what: str, total: int, options: ReadOptions) -> list[Note]:
    """Note scores of `what` that lie between wrong and right."""
    if not scale.between:
        return []
    if threshold(options) is None:
        return [
            note(
                "grading.partial_incorrect",
                "{between} of {total} scores of {subject} lie between 0 and 1: counted as incorrect; "
                f"{opt('choose')} "
                "threshold=0.5 moves the line, mean({column}) averages the scores",
                what,
                between=scale.between,
                total=total,
                column=SCORE,
            )
        ]
    return [
        note(
            "grading.partial_threshold",
            "{between} of {total} scores of {subject} lie between 0 and 1: correct from {least:g} on; mean({column}) "
            "averages the scores",
            what,
            between=scale.between,
            total=total,
            least=scale.least,
            column=SCORE,
        )
    ]


def no_outcome(what: str, column: str) -> Note:
    """Note scores that are no outcomes."""
    return note(
        "grading.no_outcome",
        "{subject} is not between 0 and 1, so it gives no outcomes: only mean({column}) is available; if higher is "
        f"better, {opt('choose', of='threshold=T')} turns it into outcomes",
        what,
        column=column,
    )


def outcome_of(state: int, why: str | None, *, answerable: bool = True) -> tuple[int, str | None]:
    """Return state and reason of an answer that its tool graded, given why it is a non-answer (or None).

    A non-answer is silence, whatever its grade; that the tool graded it right is said where the question has an answer,
    and of an output that was empty or unparsed.
    """
    if why is None:
        return state, None
    said = state == CORRECT and (answerable or kind_of(why) != "declined")
    return SILENT, f"{why}{GRADED_RIGHT}" if said else why


def has_answer(gold: Iterable[str], options: ReadOptions) -> bool:
    """Say whether a question has an answer: not where a pattern of `--declined-pattern` matches the gold answer."""
    return not (options.declined.asked and any(map(options.declined.fits, gold)))


def result_of(
    rows: Iterable[Graded],
    path: object,
    options: ReadOptions,
    notes: list[Note],
    *,
    keep: Collection[str] = (),
    outcomes: bool = True,
) -> ReadResult:
    """Return the rows of a log as outcomes; as Evidence where their scores are none.

    Left out, unless asked for, are strata that are prose or that hardly any two questions share, except those to
    `keep`, and scores that say no more than the outcomes do.
    """
    if not outcomes:
        return _drop_redundant_columns(_scores_only(rows, path, options, notes), options, keep)
    data = outcomes_of(rows, path, options, notes)
    return _drop_redundant_columns(ReadResult(data, tuple(notes)), options, keep)


def _scores_only(rows: Iterable[Graded], path: object, options: ReadOptions, notes: list[Note]) -> ReadResult:
    """Return rows whose scores are no outcomes, as Evidence that mean(NAME) measures; an infinite score is left out and
    counted, and is the reason beside its answer.

    Raises MismatchError where a run lacks a question.
    """
    outcomes = outcomes_of(rows, path, options, notes)
    if outcomes.lacking.any():
        run = int(np.flatnonzero(outcomes.lacking.any(axis=1))[0])
        raise MismatchError(
            f"{outcomes.files[run]}: run {outcomes.runs[run]!r} lacks questions that another run has; "
            "score the files separately"
        )
    columns = {}
    for name, values in outcomes.extra_columns.items():
        columns[name] = np.where(np.isfinite(values), values, np.nan)
        for run in map(int, np.flatnonzero(np.isinf(values).any(axis=1))):
            notes.append(
                note(
                    "grading.infinite",
                    "run {subject!r}: {infinite} of {total} values of {column} are infinite: left out of "
                    "mean({column})",
                    outcomes.runs[run],
                    infinite=int(np.isinf(values[run]).sum()),
                    total=values.shape[1],
                    column=bare(name),
                )
            )
    empty = np.all([np.isnan(values) for values in columns.values()], axis=0)
    absence = np.where(outcomes.state == ABSENT, NO_ROW, np.where(empty, UNGRADED, PRESENT)).astype(np.uint8)
    data = evidence_of(outcomes, columns, absence)
    words = _with_infinite(outcomes) if outcomes.texts is not None else None
    return ReadResult(data, tuple(notes), tuple(f"mean({bare(name)})" for name in columns), in_words=words)


def _with_infinite(outcomes: Outcomes) -> Outcomes:
    """Return outcomes whose texts say which scores are left out because they are infinite, where no reason stands."""
    assert outcomes.texts is not None
    texts = outcomes.texts.copy()
    infinite = {bare(name): np.isinf(values) for name, values in outcomes.extra_columns.items()}
    for at in map(tuple, np.argwhere(np.any(list(infinite.values()), axis=0)) if infinite else ()):
        own = texts[at]
        if own is not None and not own.reason:
            names = ", ".join(name for name, values in infinite.items() if values[at])
            texts[at] = replace(own, reason=f"{names} is infinite: left out")
    return replace(outcomes, texts=texts)


def identity(value: object) -> str:
    """Return a name as a text that can be written: half of a surrogate pair cannot."""
    return str(value).encode(errors="replace").decode()


def labels(of: Mapping[str, Any], options: ReadOptions) -> dict[str, str]:
    """Return what a record says of its question that could group questions: texts, whole numbers, true and false."""
    if options.strata == ():
        return {}
    kept = {name: _label(value) for name, value in of.items() if options.strata is None or name in options.strata}
    return {
        sanitize(name, target="message"): label if options.strata is None else label.removeprefix(PROSE)
        for name, label in kept.items()
        if label
    }


def _label(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = " ".join(sanitize(value, target="message").split())
        return text if len(text) <= _LONGEST else PROSE + text
    return str(value) if isinstance(value, int) and abs(value) < 1 << 63 else None


def _drop_redundant_columns(read: ReadResult, options: ReadOptions, keep: Collection[str]) -> ReadResult:
    data = read.data
    if isinstance(data, Outcomes) and SCORE not in options.graded:
        plain = np.select(
            [data.state == CORRECT, data.state == NOT_GRADED, data.state == ABSENT], [1, np.nan, np.nan], 0
        )
        if np.array_equal(data.extra_columns.get(user(SCORE), plain), plain, equal_nan=True):
            data = replace(
                data, extra_columns={name: values for name, values in data.extra_columns.items() if name != user(SCORE)}
            )
    if options.strata is None and isinstance(data, (Outcomes, Evidence)):
        kept = {name: values for name, values in data.strata.items() if name in keep or _groups(values)}
        data = replace(data, strata=kept)
    return replace(read, data=data)


def _groups(values: Array) -> bool:
    return 2 * len(set(values)) <= max(2, len(values)) and not any(value.startswith(PROSE) for value in values)


def runs_of(models: Sequence[str], tasks: Sequence[str], paths: Sequence[Path]) -> list[tuple[str, str]]:
    """Return the run of each log and what its questions' names begin with: a run a model, or a run a log where a model
    has a task twice; the task, where there are several."""
    again = {model for (model, _), count in Counter(zip(models, tasks, strict=True)).items() if count > 1}
    keys = [(model, path if model in again else None) for model, path in zip(models, paths, strict=True)]
    candidates = {key: (key[0] or path.stem, place(path)) for key, path in zip(keys, paths, strict=True)}
    names = dict(zip(candidates, run_names(list(candidates.values())), strict=True))
    several = len({*tasks}) > 1
    return [(names[key], f"{task}/" if several else "") for key, task in zip(keys, tasks, strict=True)]


def run_names(candidates: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of runs, each given as (what it would be called, what tells it apart): the latter is added where
    two agree.

    Raises MismatchError where two would still have one name.
    """
    wanted = [name for name, _ in candidates]
    names = [name if wanted.count(name) == 1 else f"{name} ({apart})" for name, apart in candidates]
    for name in names:
        if names.count(name) > 1:
            raise MismatchError(f"two of these would both be run {name!r}; rename one of the files or folders")
    return names


def place(path: Path) -> str:
    """Name a file or folder by its last two names: what tells runs of one name apart."""
    return "/".join(path.absolute().parts[-2:]).lstrip("/")


def compared(
    figure: Any, of: int | None, scores: Sequence[float], what: str, log: str, *, rounding: float = ROUNDING
) -> list[Note]:
    """Note where a log's own mean covers another number of answers than are in it, or is not what they give.

    They are folded as the tool folds them: the mean of the scores, silence at the score it was given.
    """
    own = number(figure)
    return [*contradictions([Total(log, what, own, (folded(scores),), of, len(scores), rounding)])]


def in_brackets(shown: Sequence[str]) -> str:
    """Return a tool's own figures as a message has them in brackets, nothing where there are none."""
    return f" ({', '.join(shown)})" if shown else ""


def folded(scores: Iterable[float]) -> float:
    """Return the mean as a tool takes it: over what is graded, silence at the score it was given."""
    graded = [score for score in scores if not math.isnan(score)]
    return sum(graded) / len(graded) if graded else math.nan
