"""Inspect: `.eval` archives and `.json` logs. Epochs are repeats of a question.

The value N is an abstention, and so is a score whose `reason` is a refusal. No response, or a wrong answer that is
empty, counts as incorrect (`--empty`); so does a response in the wrong form (`--unparsed`). Five kinds of answers are
not graded: those that the provider blocked (unless they are graded as right), NaN, a failed grader (whatever its
value), samples that were invalidated, and samples that stopped with an error, whose value is N or missing. A score that
was edited has another judge than the scorer. An empty output that was cut off, or a sample that a limit stopped, is no
abstention either, even with the value N (`--empty`). The tool's own accuracy counts abstentions as wrong, leaves out
ungraded answers, and uses the recorded value if a grader failed.

In logs that nescio writes, metadata with the prefix `nescio_` hold the judge, whether a question has an answer, its
cluster, and what the columns `question_digest`, `gold_digest`, `answers_held`, `no_gate_because` and
`grades_between` of an outcome table hold. The status is `cancelled` if the original files held fewer answers than they
state.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.changed_questions import changed_words, plain, words_digest
from nescio.data.judge_record import grader, parse
from nescio.data.kept import WITH_OPTIONS
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note
from nescio.data.outcomes import CORRECT, INCORRECT, MEANINGS, NOT_GRADED, SILENT
from nescio.data.reasons import CUT, EMPTY, ERRORED, INVALIDATED, NO_FORM, REFUSED, abstention, said_to_abstain
from nescio.errors import FormatError, UsageError, offer, opt, shorten
from nescio.formats.answers import Answer
from nescio.formats.choices import check_choice, pick, threshold
from nescio.formats.logs import kit, run_names
from nescio.formats.logs.inspect.log import HEADERS, Sample, Score, Transcript, checked, open_log
from nescio.formats.logs.kept_members import OWN, KeptMembers, answerable_in, words_in
from nescio.formats.logs.kit import NO_SCORE, Log
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole, Unjudged, reader
from nescio.sources.elements import as_object, number
from nescio.sources.source import Source
from nescio.text import by_value, sanitize

NO_ANSWER, GRADER = "without an answer", "whose grader failed"
WORDS = {"C": 1.0, "CORRECT": 1.0, "I": 0.0, "INCORRECT": 0.0, "P": 0.5, "N": 0.0, "NOT_ATTEMPTED": 0.0}
WORDS |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # The tool reads these words in upper or lower case.
SILENCE = ("N", "NOT_ATTEMPTED")
REASONS = {"refusal": REFUSED, "no_response": EMPTY, "invalid_response_format": NO_FORM}
CLUSTER, JUDGE = f"{OWN}cluster", f"{OWN}judge"  # members of metadata in logs that nescio writes
NO_SCORER = "none"  # --choose scorer=none: nescio judges the answers


def recognise(source: Source) -> str | None:
    """Recognise an archive with the header of a log, or a document with `eval` (its task and model) and `status` or
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
)
def read(parts: Sequence[SourceRole], options: ReadOptions) -> ReadResult:
    """Read logs, each as a run named by its model; logs of one model on several tasks form one run.

    `--choose scorer=`, `key=` (in scores that are dictionaries or lists) and `threshold=` select the score. `--choose
    scorer=none` reads the answers without their grades, so that nescio judges them. `--choose epochs=N` reads the first
    N epochs of each log. Logs of one task may have different numbers of epochs, and a question counts as the mean over
    its epochs.
    """
    log = Log(parts, options)
    opened = [open_log(source, log) for source in log.sources]
    names = run_names.runs_of(
        [script.text("eval", "model") for script in opened],
        [script.text("eval", "task") for script in opened],
        [script.path for script in opened],
    )
    scripts = _first_epochs(
        [checked(replace(script, run=run, prefix=p), log) for script, (run, p) in zip(opened, names, strict=True)], log
    )
    kept = KeptMembers()
    for script in scripts:
        kept.take(script.run, script.path.name, as_object(script.held("eval", "metadata")))
    log.notes += kept.notes()
    if options.choose.get("scorer") == NO_SCORER:
        unjudged, differing = _unjudged(scripts)
        return ReadResult(unjudged, (*log.notes, *differing))
    check_choice(options, "scorer", (name for script in scripts for sample in script.samples for name in sample.scores))
    answers: list[Answer] = []
    outcomes = True
    for script in scripts:
        script_answers, graded = _graded(script, log)
        answers += script_answers
        outcomes = outcomes and graded
    return kept.beside(log.result(answers, keep=("task",), outcomes=outcomes))


def _first_epochs(scripts: list[Transcript], log: Log) -> list[Transcript]:
    chosen = log.options.choose.get("epochs")
    if chosen is None:
        return scripts
    if not chosen.isdecimal() or int(chosen) < 1:
        raise UsageError(f"{opt('choose')} epochs takes a whole number from 1 (found {chosen!r})")
    first = []
    for script in scripts:
        kept = [sample for sample in script.samples if sample.epoch <= int(chosen)]
        first.append(replace(script, samples=kept, left=len(script.samples) - len(kept)))
    lost = sum(script.left for script in first)
    if lost:
        template = "{samples:n sample} of epochs after epoch {epochs} {samples:is/are} left out"
        log.say("inspect.first_epochs", template, samples=lost, epochs=int(chosen))
    return first


# ---- scores ----


class Grade(Struct, frozen=True):
    """The meaning of a score for an answer.

    `score` is a number, or NaN. `silent` is the reason if the score says that the model abstained, and `failed` the
    reason if the grader failed. `state` is the outcome that the user assigned to the score's word. `label` is a word
    whose meaning nobody stated. `own` is the number with which Inspect computes its own figures; `told` is true for a
    score that Inspect does not read, but the user does.
    """

    score: float = math.nan
    silent: str | None = None
    failed: str | None = None
    state: int | None = None
    label: str | None = None
    own: float = math.nan
    told: bool = False


def _graded(script: Transcript, log: Log) -> tuple[list[Answer], bool]:
    """Return the answers of one log, and whether their scores give outcomes (correct or incorrect)."""
    options, samples = log.options, script.samples
    scorer = pick(options, "scorer", (name for sample in samples for name in sample.scores))
    if not scorer and any(sample.stopped == NO_SCORE for sample in samples):
        log.say(
            "inspect.no_scores",
            f"{{subject}}: no sample has a score; with {opt('choose', {'scorer': NO_SCORER})}, nescio judges the "
            "answers",
            script.path.name,
        )
    values = [sample.scores[scorer].value if scorer in sample.scores else None for sample in samples]
    key = pick(options, "key", (name for value in values for name in _parts(value)))
    scores = [_part(sample.scores.get(scorer), key) for sample in samples]
    grades = [grade_of(score, sample, options) for score, sample in zip(scores, samples, strict=True)]
    _no_labels(script, scorer, grades)
    stated = {"part": key, **script.grading(scorer)}
    records = [grader(scorer, **stated), grader(scorer, **stated, edited=True)] if scorer else []
    if judge := script.text("eval", "metadata", JUDGE):
        records = [parse(judge)] * 2
    answers = []
    for sample, score, grade in zip(samples, scores, grades, strict=True):
        answer = answer_of(sample, score, grade, threshold(options))
        known = answerable_in(sample.labels)
        answer.answerable = known if known >= 0 else -1 if log.has_answer(sample.targets) else 0
        answer.run, answer.question, answer.path = script.run, script.prefix + sample.id, script.path
        answer.strata = {"task": script.text("eval", "task")} if script.prefix else {}
        answer.judges = {scorer: records[score is not None and score.edited]} if records else {}
        answers.append(log.take(answer))
    outcomes = log.grade(answers, f"{script.path.name}: {scorer} ({key})" if key else f"{script.path.name}: {scorer}")
    _against_header(log, script, scorer, key, grades)
    return answers, outcomes


def _parts(value: Any) -> dict[str, Any]:
    """Return the elements of a score that is a dictionary or a list, keyed by name, or by number from 1 in a list."""
    if isinstance(value, list):
        return {str(i): part for i, part in enumerate(value, 1)}
    parts = value if isinstance(value, dict) else {}
    return {sanitize(name, target="message"): part for name, part in parts.items()}


def _part(score: Score | None, key: str) -> Score | None:
    if score is None or not isinstance(score.value, (dict, list)):
        return score
    return replace(score, value=_parts(score.value).get(key))


def grade_of(score: Score | None, sample: Sample, options: ReadOptions) -> Grade:
    """Return the grade that a score gives to an answer, before any threshold."""
    if score is None:
        return Grade(failed=sample.stopped)
    value, silent = score.value, REASONS.get(score.reason)
    word = f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    number = _read(value)
    figure = math.nan if number is None else number
    if score.failed or sample.stopped == INVALIDATED:
        return Grade(failed=GRADER if score.failed else INVALIDATED, own=figure)
    meanings = by_value(options.outcome_map, [word])
    if word in meanings:
        state = MEANINGS[meanings[word]]
        by_state = float(state == CORRECT)
        silent = said_to_abstain(silent or NO_ANSWER) if state == SILENT else silent
        unread = number is None
        return Grade(by_state, silent, state=state, own=by_state if unread else figure, told=unread)
    if isinstance(value, str):
        if number is None:
            return Grade(label=word)
        silent = said_to_abstain(silent or NO_ANSWER) if word in SILENCE else silent
    if number is None or math.isnan(number):
        return Grade(silent=silent, failed=None if silent else NO_SCORE)
    return Grade(number, silent, own=figure)


def _read(value: Any) -> float | None:
    """Return the number that Inspect itself reads from the value of a score, or None if it reads none."""
    if not isinstance(value, str):
        return number(value)
    return WORDS.get(value, WORDS.get(value.lower(), number(value)))


def _no_labels(script: Transcript, scorer: str, grades: Sequence[Grade]) -> None:
    """Raise FormatError if a grade has a `label`, a word of unknown meaning.

    The message lists these words, and the option `--outcome-map` that gives them a meaning.
    """
    counts = Counter(grade.label for grade in grades if grade.label is not None)
    if not counts:
        return
    where = next(sample.where for sample, grade in zip(script.samples, grades, strict=True) if grade.label is not None)
    shown = ", ".join(f"{sanitize(shorten(word), target='message')} {many}×" for word, many in counts.most_common(5))
    first = sanitize(next(iter(counts)), target="message")[:40]
    ungraded = "".join(offer("outcome_map", {word: "ungraded"}) for word in counts)
    rule = (
        f"the scores of {scorer!r} are labels, not outcomes: {shown}; {ungraded}say what each label means, as in "
        f"{opt('outcome_map', {first: 'correct'})}"
    )
    raise FormatError(script.path, rule, where=where)


def answer_of(sample: Sample, score: Score | None, grade: Grade, least: float | None) -> Answer:
    """Return the answer of a sample, with its grade or the reason why it counts as no answer.

    An answer graded as wrong counts as no answer if the provider blocked it, or if it is empty. A call that was
    blocked, cut off or stopped by an error or a limit is no abstention, even if it is graded as one. `least` is the
    lowest score that is right; None means 1.
    """
    given = score or Score(None)
    wrong = grade.score < (1.0 if least is None else least) if grade.state is None else grade.state == INCORRECT
    stopped = ERRORED if sample.stopped == ERRORED else CUT if sample.limited else None
    why = (grade.silent and stopped) or ((grade.silent or wrong) and sample.silent) or grade.silent
    is_empty = sample.empty and not given.answer.strip() and grade.state != NOT_GRADED
    empty = EMPTY if is_empty else None
    options = [] if _shows_options(sample) else [f"{chr(65 + i)}. {option}" for i, option in enumerate(sample.options)]
    return Answer(
        "",
        "",
        where=sample.where,
        repeat=sample.epoch,
        ungraded=grade.failed,
        nothing=abstention(why, empty, sample.text, sample.targets) or empty,
        lacking="" if grade.state == NOT_GRADED else None,
        right=None if grade.state in (None, NOT_GRADED) else grade.state == CORRECT,
        score=math.nan if grade.state == NOT_GRADED else grade.score,
        labels={name: value for name, value in sample.labels.items() if not name.startswith(OWN)},
        cluster=cluster if isinstance(cluster := sample.labels.get(CLUSTER), str) else None,
        asked=[sample.question, *options],
        gold=sample.targets,
        answer=sample.text,
        extracted=given.answer,
        reason=given.explanation or sample.error,
        words=_words(sample),
    )


def _words(sample: Sample) -> bytes:
    """Return the digests of a question and its gold answers, which are equal for any order of the options.

    The gold answers are texts, so they do not depend on the letters of the options.
    """
    if digests := words_in(sample.labels, "inspect"):
        return digests
    options = [] if _shows_options(sample) else sorted(sample.options, key=plain)
    words = words_digest([sample.question, *options], sample.targets)
    return words + b"inspect" + WITH_OPTIONS if options else words


def _shows_options(sample: Sample) -> bool:
    return all(option in sample.question for option in sample.options)


def _against_header(log: Log, script: Transcript, scorer: str, key: str, grades: Sequence[Grade]) -> None:
    """Add a note if a mean that the log states differs from the mean of its samples.

    It is not compared if it covers more or fewer samples, or if the log reduces the repeats of a question otherwise
    than to their mean. `scorer` and `key` name the score. Inspect may count a score that only the user can read as 0,
    so with such scores the figure may be either mean, and no gate rests on it.
    """
    figures = [
        (metric, value)
        for by, name, metric, value, reducer in script.figures()
        if reducer in ("", "mean") and (not scorer or (by in (scorer, "None") and name in (key, scorer)))
    ]
    if script.text("status") == "success" and script.expected not in (None, len(script.samples)):
        return
    by_user = any(grade.told for grade in grades)
    readings = [[grade.own for grade in grades], *([[0.0 if grade.told else grade.own for grade in grades]] * by_user)]
    means = []
    for numbers in readings:
        scored = zip((sample.id for sample in script.samples), numbers, strict=True)
        means.append(kit.mean_of(kit.question_means(pair for pair in scored if not math.isnan(pair[1]))))
    for metric, figure in figures[:1]:
        log.total(script.path.name, metric, figure, means, runs=(script.run,), deciding=not by_user)


# ---- answers that nescio judges ----


def _unjudged(logs: Sequence[Transcript]) -> tuple[Unjudged, list[Note]]:
    """Return the questions and the answers of the logs, without grades, and notes on questions that differ.

    A sample that stopped with an error, or was invalidated, has no answer, not even an empty one.
    """
    questions: dict[str, Question] = {}
    words: list[tuple[str, str, bytes]] = []
    runs: dict[str, dict[tuple[str, int], Response]] = {}
    repeats = any(sample.epoch > 1 for log in logs for sample in log.samples)
    for log in logs:
        responses = runs.setdefault(log.run, {})
        for sample in log.samples:
            name = log.prefix + sample.id
            question = Question(name, sample.question, sample.targets, sample.options, None, None, sample.labels)
            questions.setdefault(name, question)
            words.append((name, log.run, _words(sample)))
            if (name, sample.epoch) in responses:
                rule = f"question {name!r} appears twice for run {log.run!r}"
                raise FormatError(log.path, rule, where=sample.where)
            if sample.stopped not in (ERRORED, INVALIDATED):
                answered = bool(sample.text) and not sample.silent
                text = sample.text if answered else None
                repeat = str(sample.epoch) if repeats else None
                why = sample.silent or (None if answered else EMPTY)
                responses[name, sample.epoch] = Response(name, text, answered, why=why, repeat=repeat)
    collection = Collection("inspect", tuple(questions.values()))
    files = {log.run: str(log.path) for log in reversed(logs)}
    answering = tuple(Run(name, tuple(responses.values())) for name, responses in runs.items())
    unjudged = Unjudged(collection, answering, tuple(files[run.name] for run in answering))
    return unjudged, changed_words(lambda: words, len(questions))
