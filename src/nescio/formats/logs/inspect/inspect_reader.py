"""Inspect: `.eval` archives and `.json` logs. Epochs are repeats of a question.

The value N abstains, and so does what a score's `reason` calls a refusal. No response and a wrong answer that is empty
count as incorrect (`--empty`), as does a response in the wrong form (`--unparsed`). An answer that the provider
blocked, NaN, a grader that failed (whatever the value beside it) and a sample that stopped with an error are not
graded. The tool's own accuracy counts silence as wrong, leaves out what is not graded, and uses the recorded value of
an answer whose grader failed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SAID_SO, SILENT
from nescio.data.reasons import EMPTY, ERRORED, NO_FORM, REFUSED, said_to_abstain
from nescio.data.texts import AnswerTexts, texts_of
from nescio.errors import FormatError, UsageError, offer, opt, shorten
from nescio.formats.logs import grading
from nescio.formats.logs.graded import Graded, check_choice, declined, pick
from nescio.formats.logs.grading import NO_SCORE, SCORE, Scale
from nescio.formats.logs.inspect.log import HEADERS, Log, Sample, Score, open_log
from nescio.formats.logs.inspect.reducers import reduced
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.sources.source import Source
from nescio.text import sanitize

NO_ANSWER, GRADER = "without an answer", "with a grader that failed"
WORDS = {"C": 1.0, "CORRECT": 1.0, "I": 0.0, "INCORRECT": 0.0, "P": 0.5, "N": 0.0, "NOT_ATTEMPTED": 0.0}
WORDS |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # the tool reads these in any case
SILENCE = ("N", "NOT_ATTEMPTED")
REASONS = {"refusal": REFUSED, "no_response": EMPTY, "invalid_response_format": NO_FORM}
NO_SCORER = "none"  # --choose scorer=none: the answers are judged here


def recognise(source: Source) -> str | None:
    """Recognise an archive with the header of a log; or a document of `eval` (with its task and model) and `status` or
    `plan`."""
    if source.kind == "archive":
        names = {*source.members}
        has_header = names & {*HEADERS[:2]} or (source.suffix == ".eval" and HEADERS[2] in names)
        return "log" if has_header else None
    if source.kind != "document" or not isinstance(source.document, dict):
        return None
    spec = source.document.get("eval")
    known = isinstance(spec, dict) and {"task", "model"} <= {*spec} and {"status", "plan"} & {*source.document}
    return "log" if known else None


@reader(
    "inspect",
    about="a log of Inspect: .eval, or .json (eval, status, samples)",
    recognise=recognise,
    sniff_keys={"archive": (), "object": ("eval",)},
    files=("*.eval", "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T*.json"),
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read logs, each a run named by its model; logs of one model on several tasks are one run.

    `--choose scorer=`, `key=` (in scores that are dictionaries or lists) and `threshold=` say which score is meant;
    `--choose scorer=none` takes the answers without their grades, to be judged here; `--choose epochs=N` the first N
    epochs of each log. Logs of one task may have different numbers of epochs: a question counts as the mean of its own.
    """
    notes: list[Note] = []
    logs = _epochs(_named([open_log(source, options, notes) for _, source in parts]), options, notes)
    if options.choose.get("scorer") == NO_SCORER:
        return ReadResult(_unjudged(logs), tuple(notes))
    check_choice(options, "scorer", (name for log in logs for sample in log.samples for name in sample.scores))
    rows: list[Graded] = []
    outcomes = True
    for log in logs:
        graded, scale = _graded(log, options, notes)
        rows += graded
        outcomes = outcomes and scale is not None
    return grading.result_of(rows, logs[0].path, options, notes, keep=("task",), outcomes=outcomes)


def _named(logs: Sequence[Log]) -> list[Log]:
    models, tasks = ([log.text("eval", key) for log in logs] for key in ("model", "task"))
    runs = grading.runs_of(models, tasks, [log.path for log in logs])
    return [replace(log, run=run, prefix=prefix) for log, (run, prefix) in zip(logs, runs, strict=True)]


def _epochs(logs: Sequence[Log], options: ReadOptions, notes: list[Note]) -> list[Log]:
    chosen = options.choose.get("epochs")
    if chosen is None:
        return list(logs)
    if not chosen.isdecimal() or int(chosen) < 1:
        raise UsageError(f"{opt('choose')} epochs takes a whole number from 1 (found {chosen!r})")
    first = [replace(log, samples=[sample for sample in log.samples if sample.epoch <= int(chosen)]) for log in logs]
    lost = sum(len(log.samples) for log in logs) - sum(len(log.samples) for log in first)
    if lost:
        notes.append(
            note(
                "inspect.first_epochs",
                "{samples:n sample} of later epochs than {epochs} left out",
                samples=lost,
                epochs=int(chosen),
            )
        )
    return first


# ---- scores ----


class Grade(Struct, frozen=True):
    """What a score says: a number (NaN where there is none), why the answer is silence, why it has no grade, the
    outcome that the user gave its word, or a word that is none of these. `own` is the number in the tool's own figures.
    """

    score: float = math.nan
    silent: str | None = None
    failed: str | None = None
    state: int | None = None
    label: str | None = None
    own: float = math.nan


def _graded(log: Log, options: ReadOptions, notes: list[Note]) -> tuple[list[Graded], Scale | None]:
    """Return the rows of one log; and how its scores become outcomes, None where they are none."""
    scorer = pick(options, "scorer", (name for sample in log.samples for name in sample.scores))
    if not scorer and any(sample.stopped == NO_SCORE for sample in log.samples):
        notes.append(
            note(
                "inspect.no_scores",
                f"{{subject}}: no sample has a score; {opt('choose', {'scorer': NO_SCORER})} judges the answers here",
                log.path.name,
            )
        )
    key = _key(log, scorer, options)
    scores = [_part(sample.scores.get(scorer), key) for sample in log.samples]
    grades = [grade_of(score, sample, options) for score, sample in zip(scores, log.samples, strict=True)]
    _no_labels(log, scorer, grades)
    numbers = [grade.score for grade in grades]
    scale = grading.scale_of(numbers, options)
    what = f"{scorer} ({key})" if key else scorer
    if scale:
        notes += grading.say_partial(scale, f"{log.path.name}: {what}", len(numbers), options)
    else:
        notes.append(grading.no_outcome(f"{log.path.name}: {what}", SCORE))
    strata = {"task": log.text("eval", "task")} if log.prefix else {}
    rows = []
    for sample, score, grade in zip(log.samples, scores, grades, strict=True):
        answerable = grading.has_answer(sample.targets, options)
        state, why = outcome_of(sample, score, grade, scale, options, answerable=answerable)
        rows.append(
            Graded(
                log.run,
                log.prefix + sample.id,
                state,
                why=why,
                strata=sample.labels | strata,
                where=sample.where,
                path=log.path,
                scores={SCORE: grade.score},
                answerable=-1 if answerable else 0,
                repeat=sample.epoch,
                texts=_texts(sample, score) if options.texts else None,
            )
        )
    notes += _against_header(log, scorer, key, scores, [grade.own for grade in grades])
    return rows, scale


def _texts(sample: Sample, score: Score | None) -> AnswerTexts:
    graded = score or Score(None)
    choices = [f"{chr(65 + i)}. {option}" for i, option in enumerate(sample.options)]
    asked = [sample.question, *([] if all(option in sample.question for option in sample.options) else choices)]
    return texts_of(asked, sample.targets, sample.text, graded.answer, graded.explanation or sample.error)


def _key(log: Log, scorer: str, options: ReadOptions) -> str:
    """Return which part of scores that are dictionaries, or lists (numbered from 1), is meant; empty where they are
    neither."""
    parts: dict[str, None] = {}
    for sample in log.samples:
        value = sample.scores[scorer].value if scorer in sample.scores else None
        if isinstance(value, (dict, list)):
            parts |= dict.fromkeys(_parts(value))
    return pick(options, "key", parts)


def _parts(value: dict[str, Any] | list[Any]) -> dict[str, Any]:
    if isinstance(value, list):
        return {str(i): part for i, part in enumerate(value, 1)}
    return {sanitize(name, target="message"): part for name, part in value.items()}


def _part(score: Score | None, key: str) -> Score | None:
    if score is None or not isinstance(score.value, (dict, list)):
        return score
    return replace(score, value=_parts(score.value).get(key))


def grade_of(score: Score | None, sample: Sample, options: ReadOptions) -> Grade:
    """Return what a score says of an answer, before a number is held against a threshold."""
    if score is None:
        return Grade(failed=sample.stopped)
    value, silent = score.value, REASONS.get(score.reason)
    word = f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    number = _read(value)
    own = math.nan if number is None else number
    if score.failed:
        return Grade(failed=GRADER, own=own)
    if word in options.outcome_map:
        state = MEANINGS[options.outcome_map[word]]
        by_state = float(state == CORRECT)
        silent = said_to_abstain(silent or NO_ANSWER) if state == SILENT else silent
        return Grade(by_state, silent, state=state, own=by_state if number is None else own)
    if isinstance(value, str):
        if number is None:
            return Grade(label=word)
        silent = said_to_abstain(silent or NO_ANSWER) if word in SILENCE else silent
    if number is None or math.isnan(number):
        return Grade(silent=silent, failed=None if silent else NO_SCORE)
    return Grade(number, silent, own=own)


def _read(value: Any) -> float | None:
    """Return the number that the tool reads in a value."""
    if not isinstance(value, str):
        return grading.number(value)
    return WORDS.get(value, WORDS.get(value.lower(), grading.number(value)))


def _no_labels(log: Log, scorer: str, grades: Sequence[Grade]) -> None:
    """Raise FormatError where scores are words that nobody said the meaning of."""
    counts = Counter(grade.label for grade in grades if grade.label is not None)
    if not counts:
        return
    where = next(sample.where for sample, grade in zip(log.samples, grades, strict=True) if grade.label is not None)
    shown = ", ".join(f"{sanitize(shorten(word), target='message')} {many}×" for word, many in counts.most_common(5))
    first = sanitize(next(iter(counts)), target="message")[:40]
    ungraded = "".join(offer("outcome_map", {word: "ungraded"}) for word in counts)
    rule = (
        f"the scores of {scorer!r} are labels, not outcomes: {shown}; "
        f"{ungraded}{opt('outcome_map', {first: 'correct'})} says what one of them means, and so on for each"
    )
    raise FormatError(log.path, rule, where=where)


def outcome_of(
    sample: Sample, score: Score | None, grade: Grade, scale: Scale | None, options: ReadOptions, *, answerable: bool
) -> tuple[int, str | None]:
    """Return state and reason."""
    if score is None or grade.failed or scale is None:
        return NOT_GRADED, grade.failed
    state = scale.state(grade.score) if grade.state is None else grade.state
    silent = grade.silent
    if declined(options, score.answer) or declined(options, sample.text):
        silent = SAID_SO
    elif silent is None and state == INCORRECT:
        silent = sample.silent or (EMPTY if sample.empty and not score.answer.strip() else None)
    return grading.outcome_of(state, silent, answerable=answerable)


def _against_header(
    log: Log, scorer: str, key: str, scores: Sequence[Score | None], numbers: Sequence[float]
) -> list[Note]:
    """Note where the log's own figure covers other samples than are in it, or is not what they give."""
    reducers: dict[str, tuple[str, float]] = {}
    for by, name, metric, value, reducer in log.figures():
        if not scorer or (by in (scorer, "None") and name in (key, scorer)):
            reducers.setdefault(reducer, (metric, value))
    if log.text("status") == "success" and log.expected != len(log.samples):
        metric, own = next(iter(reducers.values()), ("mean", None))
        return grading.compared(own, log.expected, numbers, metric, log.path.name)
    # The tool makes one score of each question's repeats first.
    of: dict[str, list[tuple[Any, float]]] = {}
    for sample, score, number in zip(log.samples, scores, numbers, strict=True):
        word = score.value if score and isinstance(score.value, (str, int, float)) else None
        of.setdefault(sample.id, []).append((word, number))
    notes: list[Note] = []
    for reducer, (metric, own) in reducers.items():
        bounds = reduced(reducer or "mean", of.values())
        if bounds is None:
            continue
        nearest = bounds[0] if math.isnan(own) else max(bounds[0], min(own, bounds[1]))
        what = f"{metric} ({reducer} of the repeats)" if reducer not in ("", "mean") else metric
        notes += grading.compared(own, None, [nearest], what, log.path.name)
    return notes


# ---- answers to be judged here ----


def _unjudged(logs: Sequence[Log]) -> Unjudged:
    """Return the questions and the answers of the logs without their grades; a sample that stopped with an error is a
    missing row."""
    questions: dict[str, Question] = {}
    runs: dict[str, dict[tuple[str, int], Response]] = {}
    repeats = any(sample.epoch > 1 for log in logs for sample in log.samples)
    for log in logs:
        responses = runs.setdefault(log.run, {})
        for sample in log.samples:
            name = log.prefix + sample.id
            question = Question(name, sample.question, sample.targets, sample.options, None, None, sample.labels)
            questions.setdefault(name, question)
            if (name, sample.epoch) in responses:
                rule = f"question {name!r} appears twice for run {log.run!r}"
                raise FormatError(log.path, rule, where=sample.where)
            if sample.stopped != ERRORED:
                answered = bool(sample.text) and not sample.silent
                text = sample.text if answered else None
                repeat = str(sample.epoch) if repeats else None
                why = sample.silent or (None if answered else EMPTY)
                responses[name, sample.epoch] = Response(name, text, answered, why=why, repeat=repeat)
    collection = Collection("inspect", tuple(questions.values()))
    files = {log.run: str(log.path) for log in reversed(logs)}
    answering = tuple(Run(name, tuple(responses.values())) for name, responses in runs.items())
    return Unjudged(collection, answering, tuple(files[run.name] for run in answering))
