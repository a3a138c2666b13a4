"""Hold the graded answers of a file, and convert them to Outcomes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from nescio.data.changed_questions import UNSAID, changed_words
from nescio.data.columns import Array, user
from nescio.data.judge_record import BY_COLUMNS, UNKNOWN, JudgeRecord, alike, combined, constant
from nescio.data.kept import GRADES
from nescio.data.merged_runs import mixed_folders
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, Outcomes, reasons_note
from nescio.data.policy_notes import said_by_some
from nescio.data.repeats import FIRST, repeats_of
from nescio.data.scales import grades_in_words, ranges_differ
from nescio.data.texts import AnswerTexts
from nescio.errors import FormatError, MismatchError, differs_between_runs
from nescio.formats.choices import chosen_among, threshold
from nescio.formats.registry import ReadOptions
from nescio.sources.limits import check_cells
from nescio.text import composed

# All answers share this object, because a log may have millions of them.
NOTHING: Mapping[str, Any] = MappingProxyType({})
SCORE = "score"  # the name of the graded score of an answer, as in mean(score)
FEW_REPEATS = 0.01  # From this share of repeats on, intervals and tests treat questions as clusters.


class Answer(Struct, gc=False):
    """An answer of a run to a question. A reader fills in what the file says, and `logs.kit` derives `state` and `why`.

    The first of the next fields that is set decides the state. `ungraded` is the reason why nothing graded the answer.
    `silent` is the reason why the tool calls it an abstention. Words in `answer` or `extracted` that decline make it an
    abstention too. `nothing` is the reason why there is no answer, such as an empty output. `right` is the tool's
    verdict, and `score` its score. An answer without any of these is ungraded, and `lacking` says why.

    If a question is asked several times, all of its answers have the same `question`. `repeat` names the epoch, trial
    or seed, and is None if the log has no repeats. Questions of one `cluster` are resampled together. `strata` are
    constant within the question; `labels` are values of the log that may serve as strata. `where` names the place in
    the file `path`. `scores` holds graded scores, keyed by name. `task` is the task, if each task has its own metrics.
    `answerable` is 0 if declining is right, and -1 if the log does not say. `judges` is who graded
    the answer as the log states it, keyed by the name of the score. `asked` (the text of the question, or a list
    of it and its options), `gold`, `answer`, `extracted` (the part of the answer that was graded) and `reason` are for
    people to read. `prompt` is read in place of a question that the log does not hold; it may differ between runs, but
    `asked` and `gold` may not (`words` has their digests). A written file keeps these, or `kept` if it is set
    (`data/kept.py`). An answer is `unlisted` if its file lists failures alone, and so states nothing of it.
    """

    run: str
    question: str
    state: int = NOT_GRADED
    confidence: float | None = None
    candidate: int = -1
    cluster: str | None = None
    why: str | None = None
    strata: Mapping[str, str] = NOTHING
    where: str | None = None
    path: object = None
    scores: Mapping[str, float] = NOTHING
    answerable: int = -1
    repeat: str | int | None = None
    texts: AnswerTexts | None = None
    task: str = ""
    right: bool | None = None
    score: float | None = None
    ungraded: str | None = None
    silent: str | None = None
    nothing: str | None = None
    lacking: str | None = None
    labels: Mapping[str, Any] = NOTHING
    asked: Any = None
    gold: Any = None
    answer: Any = None
    extracted: Any = None
    reason: Any = None
    prompt: Any = None
    judges: Mapping[str, JudgeRecord] = NOTHING
    words: bytes = b""
    kept: bytes = b""
    unlisted: bool = False


def number_repeats(answers: Iterable[Answer]) -> int:
    """Set the `repeat` of each run's answers to a question to 1, 2, …

    Returns how many answers are not the first answer of their run to their question.
    """
    seen: Counter[tuple[str, str]] = Counter()
    for answer in answers:
        seen[answer.run, answer.question] += 1
        answer.repeat = seen[answer.run, answer.question]
    return seen.total() - len(seen)


class _Layout:
    """The runs and the questions of some answers, and the position of each answer in an array of shape (runs,
    questions).

    `first` has the first answer to each question, `files` the file of each run, and `reasons` the counts of each run's
    reasons for abstentions and ungraded answers. Raises FormatError if a run answers a question twice.
    """

    def __init__(self, answers: Sequence[Answer], path: object, options: ReadOptions) -> None:
        self.runs: dict[str, int] = {}
        self.questions: dict[tuple[str, str], int] = {}
        self.first: list[Answer] = []
        self.files: list[object] = []
        self.reasons: list[Counter[str]] = []
        self._places = np.empty((2, len(answers)), dtype=np.int64)
        seen: set[tuple[int, int]] = set()
        for i, answer in enumerate(answers):
            r = self.runs.setdefault(answer.run, len(self.runs))
            key = composed(answer.question) or "", FIRST if answer.repeat is None else str(answer.repeat)
            q = self.questions.setdefault(key, len(self.questions))
            if (r, q) in seen:
                again = "" if answer.repeat is None else f" in repeat {answer.repeat}"
                rule = f"question {answer.question!r} appears twice for run {answer.run!r}{again}"
                raise FormatError(answer.path or path, rule, where=answer.where)
            seen.add((r, q))
            self._places[:, i] = r, q
            if r == len(self.files):
                self.files.append(answer.path or path)
                self.reasons.append(Counter())
            if q == len(self.first):
                self.first.append(answer)
            else:
                _same_in_all_runs(self.first[q], answer, path, options)
            if answer.why:
                self.reasons[r][answer.why] += 1

    def shared(self) -> set[str]:
        """Return the questions that all runs were asked."""
        questions = [question for question, _ in self.questions]
        place = {question: at for at, question in enumerate(dict.fromkeys(questions))}
        asked = np.zeros((len(self.runs), len(place)), dtype=np.bool_)
        asked[self._places[0], np.array([place[question] for question in questions])[self._places[1]]] = True
        by_all = np.all(asked, axis=0, keepdims=True)[0]
        return {question for question, by_each in zip(place, by_all.tolist(), strict=True) if by_each}

    def array(self, values: Iterable[Any], empty: object, dtype: type) -> Array:
        """Return an array of one value per answer, shape (runs, questions); `empty` is the value where a run has no
        answer."""
        filled: Array = np.full((len(self.runs), len(self.questions)), empty, dtype=dtype)
        column: Array = np.empty(self._places.shape[1], dtype=dtype)
        for i, value in enumerate(values):
            column[i] = value
        filled[self._places[0], self._places[1]] = column
        return filled


def outcomes_of(answers: Iterable[Answer], path: object, options: ReadOptions, notes: list[Note]) -> Outcomes:
    """Return the answers of one file, or of several files that belong together, as Outcomes.

    A run that does not answer a question has the state ABSENT there. Answers to one question with different `repeat`
    share the question's weight. Raises FormatError if a run answers a question twice without different `repeat`. A note
    for each run, added to `notes`, counts the reasons for its abstentions and ungraded answers.
    """
    answers = list(answers)
    if not answers:
        raise FormatError(path, "the file holds no answers")
    layout = _Layout(answers, path, options)
    notes += mixed_folders(((answer.run, answer.path or path) for answer in answers), layout.runs)
    check_cells(str(path), len(layout.runs), len(layout.questions), len(answers))
    array, runs, asked = layout.array, tuple(layout.runs), tuple(question for question, _ in layout.questions)
    confidence = array(
        (np.nan if answer.confidence is None else answer.confidence for answer in answers), np.nan, float
    )
    candidate = array((answer.candidate for answer in answers), -1, np.int8)
    known = array((answer.answerable for answer in answers), -1, np.int8)
    answerable = known.max(axis=0)
    _check_answerable(known, runs, asked, path)
    names = dict.fromkeys(name for answer in answers for name in answer.scores)
    columns = {
        user(name): array((answer.scores.get(name, np.nan) for answer in answers), np.nan, float) for name in names
    }
    if SCORE not in names and any(answer.score is not None for answer in answers):
        scores = (np.nan if answer.score is None else answer.score for answer in answers)
        columns[user(SCORE)] = array(scores, np.nan, float)
    grades = _grades(answers, options)
    notes += ranges_differ(grades.items())
    reasons = zip(runs, layout.reasons, strict=True)
    notes += [reasons_note(run, of_run, len(asked)) for run, of_run in reasons if of_run]
    notes += changed_words(
        lambda: ((answer.question, answer.run, _words(answer) or _silence(answer)) for answer in answers), len({*asked})
    )
    notes += said_by_some([*runs], array((True for _ in answers), False, np.bool_), known, asked)
    why = array((answer.why or None for answer in answers), None, object) if any(layout.reasons) else None
    has_texts = any(answer.texts for answer in answers)
    texts = array((answer.texts for answer in answers), None, object) if has_texts else None
    return Outcomes(
        runs,
        asked,
        array((answer.state for answer in answers), ABSENT, np.int8),
        confidence=None if np.isnan(confidence).all() else confidence,
        candidate=candidate if (candidate >= 0).any() else None,
        answerable=answerable if (answerable >= 0).any() else None,
        extra_columns=columns,
        strata=_strata([answer.strata for answer in layout.first], options),
        clusters=_clusters([answer.cluster for answer in layout.first], notes),
        why=why,
        repeats=repeats_of(asked, [repeat for _, repeat in layout.questions]),
        files=tuple(map(str, layout.files)),
        judges=_judges(answers, runs, layout.shared()),
        texts=texts,
        kept={GRADES: grades} if grades else {},
        words=array((answer.kept or _words(answer) or None for answer in answers), None, object),
    )


def _grades(answers: Sequence[Answer], options: ReadOptions) -> dict[str, str]:
    """Return the ranges of the scores that the user compares with a threshold, keyed by run; empty without one."""
    if (least := threshold(options)) is None:
        return {}
    scores: dict[str, list[float]] = {}
    for answer in answers:
        only = next(iter(answer.scores.values())) if len(answer.scores) == 1 else answer.score
        score = answer.scores.get(chosen_among(options, "metric", answer.scores) or SCORE, only)
        scores.setdefault(answer.run, []).append(math.nan if score is None else score)
    return grades_in_words(options.choose.get("metric", SCORE), scores, least)


def _words(answer: Answer) -> bytes:
    """Return the digests of an answer's question and gold answers; empty if it lacks one and nobody graded it."""
    halves = answer.words[: len(UNSAID)], answer.words[len(UNSAID) : 2 * len(UNSAID)]
    return b"" if UNSAID in halves and not _is_graded(answer) else answer.words


def _silence(answer: Answer) -> bytes:
    """Return the digests of an answer that somebody graded, though it states neither its question nor its gold."""
    return 2 * UNSAID if _is_graded(answer) and not answer.unlisted else b""


def _judges(answers: Sequence[Answer], runs: Sequence[str], shared: Collection[str]) -> tuple[JudgeRecord | None, ...]:
    """Return who graded each run, None for a run of which the log does not say it; empty if it says it of no run.

    Only the grades of `shared` questions count, if there are any: a run may also have been asked another task. Who
    graded an answer is unknown if the log says it of other answers only.
    """
    counted = [answer for answer in answers if not shared or (composed(answer.question) or "") in shared]
    _keep_constant_columns(counted)
    stated = alike(
        (answer.run, (answer.path, answer.task, name), record)
        for answer in counted
        for name, record in answer.judges.items()
        # a grader that failed may state less of itself, or something else
        if _is_graded(answer) or name in answer.scores
    )
    for answer in counted:
        if not answer.judges and answer.run in stated and _is_graded(answer):
            stated[answer.run].add(JudgeRecord(UNKNOWN))
    return tuple(combined(stated[run]) if run in stated else None for run in runs) if stated else ()


def _keep_constant_columns(answers: Sequence[Answer]) -> None:
    """Give all answers of a run the judge that columns name, without what varies: an assessor of some is no judge."""
    named: dict[str, set[JudgeRecord | None]] = {}
    for answer in answers:
        if record := answer.judges.get(BY_COLUMNS):
            named.setdefault(answer.run, set()).add(record)
    kept = {run: record for run, records in constant(named).items() for record in records if record}
    for answer in answers if named else ():
        others = {name: record for name, record in answer.judges.items() if name != BY_COLUMNS}
        answer.judges = others | ({BY_COLUMNS: kept[answer.run]} if answer.run in kept else {})


def _is_graded(answer: Answer) -> bool:
    """Return whether somebody graded an answer: an empty output is incorrect without any grader."""
    if answer.state == NOT_GRADED and answer.why is not None:  # by the metric that decides, whatever others say
        return False
    judged = answer.state in (CORRECT, INCORRECT) and answer.nothing is None
    scores = [answer.score, *answer.scores.values()]
    scored = any(score is not None and not math.isnan(score) for score in scores)
    return answer.ungraded is None and (judged or scored or answer.right is not None)


def _check_answerable(known: Array, runs: Sequence[str], questions: Sequence[str], path: object) -> None:
    """Raise MismatchError if two runs disagree on whether a question has an answer.

    `known` has shape (runs, questions): 1 if a run says that there is an answer, 0 if it says that there is none, else
    -1.
    """
    differ = np.flatnonzero((known == 0).any(axis=0) & (known == 1).any(axis=0))
    if len(differ):
        at = int(differ[0])
        without, with_answer = (runs[int(np.flatnonzero(known[:, at] == says)[0])] for says in (0, 1))
        raise MismatchError(
            f"{path}: question {questions[at]!r} is unanswerable according to run {without!r}, but answerable "
            f"according to run {with_answer!r} (such questions in all: {len(differ):,})"
        )


def _same_in_all_runs(first: Answer, other: Answer, path: object, options: ReadOptions) -> None:
    """Raise MismatchError if two runs have different values for one question in a stratum that the user asked for."""
    for name in options.strata or ():
        value, differs = first.strata.get(name, ""), other.strata.get(name, "")
        if first.run != other.run and value != differs:
            places = [f"{of.path or path}, {of.where}" if of.where else f"{of.path or path}" for of in (first, other)]
            raise differs_between_runs(
                name, other.question, (first.run, places[0], value), (other.run, places[1], differs)
            )


def _strata(rows: Sequence[Mapping[str, str]], options: ReadOptions) -> dict[str, Array]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, "") for row in rows], dtype=object) for name in options.kept(names)}


def _clusters(clusters: Sequence[str | None], notes: list[Note]) -> Array | None:
    """Return `clusters` as an array, or None if too few questions share a cluster to change an interval.

    A note that counts the questions which share a cluster is added to `notes`.
    """
    sizes = Counter(clusters)
    repeats, total = sum(size for size in sizes.values() if size > 1), len(clusters)
    if None in sizes or not repeats:
        return None
    if repeats < FEW_REPEATS * total:
        notes.append(
            note(
                "answers.few_repeats",
                "{repeats} of {total:n question} repeat the text of another question: these are too few to matter, "
                "so nescio resamples every question separately",
                repeats=repeats,
                total=total,
            )
        )
        return None
    notes.append(
        note(
            "answers.repeats",
            "{repeats} of {total:n question} repeat the text of another question: questions with the same text are "
            "resampled together, in {clusters} clusters",
            repeats=repeats,
            total=total,
            clusters=len(sizes),
        )
    )
    return np.array(clusters, dtype=object)
