"""Parts that the readers of other tools' logs share: checked rows, the state of an answer, and the outcome of a score.

A reader yields one `Answer` after another. The rest is here, above all the order of the rules that call an answer
ungraded, an abstention, empty, right or wrong.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from nescio.data.changed_questions import words_digest
from nescio.data.columns import Array, bare, user
from nescio.data.evidence import Evidence
from nescio.data.judge_record import NOT_STATED, JudgeRecord, grader, judges_differ, undated
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, GRADED_RIGHT, INCORRECT, NOT_GRADED, SAID_SO, SILENT, Outcomes
from nescio.data.policies import scores_of
from nescio.data.reasons import EMPTY, abstention, failed_call, kind_of
from nescio.data.texts import texts_of
from nescio.errors import FormatError, MismatchError, opt, shorten
from nescio.formats.answers import NOTHING, SCORE, Answer, number_repeats, outcomes_of
from nescio.formats.choices import threshold
from nescio.formats.logs import faults
from nescio.formats.registry import ReadOptions, ReadResult, SourceRole
from nescio.formats.totals import ROUNDING, Total, contradictions
from nescio.sources.elements import elements, number, placed_rows
from nescio.sources.json_lines import json_lines
from nescio.sources.source import Source
from nescio.text import sanitize

NO_SCORE = "without a score"
UNREAD = "graded by a judge that failed"
PROSE = "\0"  # the beginning of a text that is too long to name a group of questions
_LONGEST = 60
Row = Mapping[str, Any]
Name = faults.Name
T = TypeVar("T", bound=Struct)


class Log:
    """The files of a log that are read together, the user's options, and the notes that reading them adds."""

    def __init__(self, parts: Sequence[SourceRole], options: ReadOptions) -> None:
        self.parts, self.options = parts, options
        self.sources = [source for _, source in parts]
        self.label = parts[0][1].label
        self.notes: list[Note] = []

    def part(self, name: str) -> list[Source]:
        """Return the files with the role `name`."""
        return [source for part, source in self.parts if part == name]

    def say(self, code: str, template: str, subject: str = "", **values: Any) -> None:
        """Add a note made from a template and its values."""
        self.notes.append(note(code, template, subject, **values))

    def take(self, answer: Answer) -> Answer:
        """Return `answer` completed by the function `take` of this module, with the options of the log."""
        return take(answer, self.options)

    def has_answer(self, gold: Iterable[str]) -> bool:
        """Return whether a question with the gold answers `gold` has an answer.

        A question has no answer if one of its gold answers matches `--declined-pattern`, as "I don't know" may do.
        """
        return not (self.options.declined.asked and any(map(self.options.declined.fits, gold)))

    # ---- one verdict or score per answer ----

    def grade(self, answers: Sequence[Answer], what: str, column: str = SCORE) -> bool:
        """Grade the answers by their verdicts or scores, and return whether this gave them outcomes.

        A score of 1 is right, and a lower score is wrong. With `--choose threshold=T`, scores of T or more are right,
        whatever the verdict. A note, which calls the scores `what`, counts those between 0 and 1. Without a threshold,
        scores outside [0, 1] give no outcomes; they become graded scores in the column `column`.
        """
        least = threshold(self.options)
        scores = [
            answer.score
            for answer in answers
            if answer.score is not None and (answer.right is None or least is not None)
        ]
        if least is None and any(score < 0 or score > 1 for score in scores):
            self.notes.append(no_outcome(what, column))
            for answer in answers:
                answer.why = answer.ungraded or (NO_SCORE if answer.score is None or math.isnan(answer.score) else None)
                score = math.nan if answer.score is None else answer.score
                answer.scores, answer.score = {**answer.scores, column: score}, None
            return False
        between = sum(0 < score < 1 for score in scores)
        self.notes += partial(what, between, len(scores), least)
        for answer in answers:
            settle(answer, verdict(answer, least))
        return True

    def result(
        self,
        answers: Iterable[Answer],
        *,
        keep: Collection[str] = (),
        outcomes: bool = True,
        measures: Sequence[str] = (),
    ) -> ReadResult:
        """Return the answers as Outcomes or, if `outcomes` is false because their grades are only scores, as Evidence.

        Unless the user asks for them, two kinds of data are left out. These are scores that repeat the outcomes, and
        strata that are prose or that hardly any two questions share. Strata in `keep` always stay. The suggested
        measures are `measures`, or, for Evidence, the means of the scores.
        """
        data = outcomes_of(answers, self.label, self.options, self.notes)
        if outcomes:
            return ReadResult(_terse(data, self.options, keep), tuple(self.notes), tuple(measures))
        columns, evidence = _scores_only(data, self.notes)
        notes = (*self.notes, *judges_differ(data.runs, list(map(undated, data.judges))))
        words = _with_infinite(data) if data.texts is not None else None
        means = tuple(f"mean({bare(name)})" for name in columns)
        kept = _terse(evidence, self.options, keep)
        return ReadResult(kept, notes, means, data.known_judges, in_words=words)

    def by_score(self, answers: Iterable[Answer], what: str, keep: Collection[str] = ()) -> ReadResult:
        """Return the result of answers that have a verdict or a score each; notes call the scores `what`.

        Strata in `keep` stay.
        """
        answers = list(answers)
        outcomes = self.grade(answers, what)
        return self.result(answers, keep=keep, outcomes=outcomes)

    def number(self, answers: Sequence[Answer]) -> None:
        """Add a note that counts the repeats of questions, after numbering them if the log does not.

        Raises MismatchError if a run answers a question in two files and the log numbers no repeats: these may be two
        runs with one name.
        """
        if any(answer.repeat is not None for answer in answers):
            again = len(answers) - len({(answer.run, answer.question) for answer in answers})
        else:
            self._check_files(answers)
            again = number_repeats(answers)
        if again:
            self.say(
                "kit.repeats",
                "{repeats:n answer} {repeats:has/have} the same question as an earlier answer, and {repeats:is read "
                "as a repeat/are read as repeats}",
                repeats=again,
            )

    def _check_files(self, answers: Sequence[Answer]) -> None:
        files: dict[tuple[str, str], object] = {}
        for answer in answers:
            first = files.setdefault((answer.run, answer.question), answer.path)
            if str(first) != str(answer.path):
                question = shorten(answer.question)
                raise MismatchError(
                    f"run {answer.run!r} answers question {question} in both {first} and {answer.path}; give only one "
                    "of these files, or rename one run"
                )

    # ---- the tool's own figures ----

    def compare(
        self,
        source: Source | str,
        what: str,
        own: Any,
        scores: Sequence[float],
        *,
        of: int | None = None,
        run: str = "",
        metric: str = "",
        rounding: float = ROUNDING,
    ) -> None:
        """Add a note if `own`, a mean that the tool states and calls `what`, differs from the mean of `scores`.

        `of` is the number of answers of `run` that the tool states; a note says if `scores` are more or fewer. `metric`
        names the scores, if answers have several.
        `rounding` is the tolerance for the number of digits in `own`.
        """
        name = source if isinstance(source, str) else source.name
        mean, held = [mean_of(scores)], len(scores)
        self.total(name, what, own, mean, covered=of, held=held, runs=(run,), metric=metric, rounding=rounding)

    def say_stray(self, names: Iterable[str]) -> None:
        """Add a note on each of these files, which are beside no answers that were read."""
        for name in names:
            self.say("kit.stray", "{subject}: this file belongs to none of these answers and is left out", name)

    def total(self, name: str, what: str, own: Any, ours: Sequence[float], **more: Any) -> None:
        """Add a note if `own`, the figure `what` that the file `name` states, differs from every value in `ours`.

        A note also says if the file holds another number of answers than the figure covers. `more` has other fields of
        `Total`; unless it says otherwise, the figure is one that decides.
        """
        self.notes += contradictions([Total(name, what, number(own), ours, **{"deciding": True, **more})])


# ---- rows ----


def rows_in(source: Source, place: Sequence[str] = (), what: str = "each item") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the objects in a file, each with its place, such as "line 3".

    The objects are the lines of JSON Lines or the elements of a JSON list. If `place` is a path of keys, they are the
    elements of the list at this path. Raises FormatError for an element that is not an object; the message calls
    elements `what`.
    """
    if source.kind == "lines":
        yield from ((row, f"line {line}") for row, line in json_lines(source, lenient=True))
    elif not place and not source.outline and isinstance(source.document, list):
        yield from placed_rows(source, source.document, what)
    else:
        for row, where in elements(source, place):
            if not isinstance(row, dict):
                raise FormatError(source.label, f"{what} must be an object", where=where, value=row)
            yield row, where


def checked(kind: type[T], row: Any, source: Source | object, where: str | None, within: str = "") -> T:
    """Return a row as a struct of the type `kind`.

    Raises FormatError for the first value of a wrong type. The message names its key; `within` is text to put before
    this key if the row lies inside another object.
    """
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        label = source.label if isinstance(source, Source) else source
        rule, value = faults.fault_of(kind, row, str(error))
        raise FormatError(label, f"{within}{rule}", where=where, value=value) from None


# ---- the state of an answer ----


def take(answer: Answer, options: ReadOptions) -> Answer:
    """Return `answer` with its texts, its strata, and the reason (`why`) if it counts as no answer or has no grade.

    The fields that held these data, from `labels` to `prompt`, become empty. A text that stands for the answer of a
    failed call has no grade, unless the tool calls it right, or the gold answer begins alike.
    """
    right = answer.right or answer.state == CORRECT or answer.score == 1
    if answer.ungraded is None and not right and not failed_call(answer.gold):
        answer.ungraded = failed_call(answer.answer)
    marked = abstention(answer.silent, answer.nothing, answer.answer, answer.gold)
    answer.why = marked if answer.ungraded is None else answer.ungraded
    if answer.why is None:
        answer.why = SAID_SO if _declines(answer, options) else answer.nothing
    if options.texts:
        gold = answer.gold if isinstance(answer.gold, (list, tuple)) else [answer.gold]
        answer.texts = texts_of(answer.asked or answer.prompt, gold, answer.answer, answer.extracted, answer.reason)
    if answer.labels:
        answer.strata = {**labels(answer.labels, options), **answer.strata}
    answer.words = answer.words or words_digest(answer.asked, answer.gold)
    answer.asked = answer.prompt = answer.gold = answer.answer = answer.extracted = answer.reason = None
    answer.labels = NOTHING
    return answer


def _declines(answer: Answer, options: ReadOptions) -> bool:
    """Return whether the extracted text, or the whole response, declines to answer."""
    if not options.declined.asked:
        return False
    for part in (answer.extracted, answer.answer):
        texts = part if isinstance(part, (list, tuple)) else [part]
        if texts and all(isinstance(text, str) and text and options.declined.fits(text) for text in texts):
            return options.declined.matches(texts[0])
    return False


def verdict(answer: Answer, least: float | None) -> bool | None:
    """Return whether an answer is right, or None if it has neither a verdict nor a score.

    If a threshold `least` is given, the score decides: it must be at least `least`. Without a threshold the tool's
    verdict decides, or, for an answer without a verdict, whether the score is at least 1.
    """
    if answer.score is None or (answer.right is not None and least is None):
        return answer.right
    return answer.score >= (1.0 if least is None else least) if math.isfinite(answer.score) else None


def settle(answer: Answer, right: bool | None, lacking: str = NO_SCORE) -> None:
    """Set the outcome of an answer: ungraded, unanswered, correct or incorrect.

    An answer that counts as no answer (`why` is the reason) is unanswered, even if the tool graded it. If the tool
    graded it as right, that is added to the reason, unless the answer declines a question that has no answer. If
    `right` is None, the answer is ungraded for the reason `lacking`.
    """
    if answer.ungraded is not None:
        answer.state = NOT_GRADED
    elif answer.why is not None:
        graded_right = right and (answer.answerable != 0 or kind_of(answer.why) != "declined")
        answer.state, answer.why = SILENT, f"{answer.why}{GRADED_RIGHT}" if graded_right else answer.why
    elif right is None:
        answer.state, answer.why = NOT_GRADED, lacking if answer.lacking is None else answer.lacking
    else:
        answer.state = CORRECT if right else INCORRECT


def empty(said: Any) -> str | None:
    """Return EMPTY if `said`, a text or a list of texts, holds nothing but white space; else None."""
    texts = said if isinstance(said, (list, tuple)) else [said]
    return None if any(text is not None and str(text).strip() for text in texts) else EMPTY


def partial(what: str, between: int, total: int, least: float | None) -> list[Note]:
    """Return a list with a note that `between` of the `total` scores called `what` lie between 0 and 1.

    The list is empty if there are no such scores. The note says how they count: as incorrect if `least` is None, or
    else by the threshold `least`.
    """
    if not between:
        return []
    if least is None:
        incorrect = note(
            "kit.partial_incorrect",
            "{between} of {total} scores of {subject} lie between 0 and 1 and count as incorrect; "
            f"{opt('choose')} threshold=0.5 counts scores of 0.5 or more as correct; mean({{column}}) averages all "
            "scores",
            what,
            between=between,
            total=total,
            column=SCORE,
        )
        return [incorrect]
    threshold = note(
        "kit.partial_threshold",
        "{between} of {total} scores of {subject} lie between 0 and 1; scores of {least:g} or more count as "
        "correct; mean({column}) averages all scores",
        what,
        least=least,
        between=between,
        total=total,
        column=SCORE,
    )
    return [threshold]


def no_outcome(what: str, column: str) -> Note:
    """Return a note that scores called `what` are not all in [0, 1], and so give only graded scores in `column`."""
    return note(
        "kit.no_outcome",
        "the scores of {subject} are not all between 0 and 1, so they give no outcomes, only mean({column}); if "
        f"higher is better, {opt('choose', of='threshold=T')} turns the scores into outcomes",
        what,
        column=column,
    )


def mean_of(scores: Iterable[float]) -> float:
    """Return the mean of the scores that are not NaN; NaN if there are none."""
    graded = [score for score in scores if not math.isnan(score)]
    return sum(graded) / len(graded) if graded else math.nan


def both_means(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the scores that are not NaN, and the mean of all if the others count as 0."""
    return mean_of(scores), math.fsum(score for score in scores if not math.isnan(score)) / len(scores)


def question_means(scored: Iterable[tuple[str, float]]) -> list[float]:
    """Return the mean score of each question, from pairs of a question and one of its scores."""
    scores: dict[str, list[float]] = {}
    for question, score in scored:
        scores.setdefault(question, []).append(score)
    return [fmean(several) for several in scores.values()]


def labels(of: Row, options: ReadOptions) -> dict[str, str]:
    """Return the values in the row `of` that could serve as strata: short texts, whole numbers, true and false.

    If the user named no strata, longer texts are marked by the prefix PROSE, so that they can be left out later.
    """
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


# ---- results ----


def _scores_only(outcomes: Outcomes, notes: list[Note]) -> tuple[dict[str, Array], Evidence]:
    """Return the graded scores keyed by name, and the same scores as Evidence.

    Infinite scores are left out, and a note for each run counts them. Raises MismatchError if a run lacks a question.
    """
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
                    "kit.infinite",
                    "run {subject!r}: {infinite} of {total} values of {column} are infinite: left out of "
                    "mean({column})",
                    outcomes.runs[run],
                    infinite=int(np.isinf(values[run]).sum()),
                    total=values.shape[1],
                    column=bare(name),
                )
            )
    return columns, scores_of(replace(outcomes, extra_columns=columns))


def _with_infinite(outcomes: Outcomes) -> Outcomes:
    """Return outcomes with a `reason` that names the infinite scores left out, for answers without a reason."""
    assert outcomes.texts is not None
    texts = outcomes.texts.copy()
    infinite = {bare(name): np.isinf(values) for name, values in outcomes.extra_columns.items()}
    for at in map(tuple, np.argwhere(np.any(list(infinite.values()), axis=0)) if infinite else ()):
        words = texts[at]
        if words is not None and not words.reason:
            names = ", ".join(name for name, values in infinite.items() if values[at])
            texts[at] = replace(words, reason=f"{names} is infinite: left out")
    return replace(outcomes, texts=texts)


def _terse(data: Any, options: ReadOptions, keep: Collection[str]) -> Any:
    """Return `data` without scores that only repeat the outcomes, and without strata that do not group the questions.

    Strata in `keep` stay, and so do all strata that the user asked for.
    """
    if isinstance(data, Outcomes) and SCORE not in options.graded:
        undecided = (data.state == NOT_GRADED) | (data.state == ABSENT)
        plain = np.where(undecided, np.nan, data.state == CORRECT)
        if np.array_equal(data.extra_columns.get(user(SCORE), plain), plain, equal_nan=True):
            others = {name: values for name, values in data.extra_columns.items() if name != user(SCORE)}
            data = replace(data, extra_columns=others)
    if options.strata is not None:
        return data
    return replace(data, strata={name: of for name, of in data.strata.items() if name in keep or _groups(of)})


def _groups(values: Array) -> bool:
    return 2 * len(set(values)) <= max(2, len(values)) and not any(value.startswith(PROSE) for value in values)


# ---- who graded ----


def defined(metric: str, stated: Row, *, figures: bool, **known: Any) -> JudgeRecord:
    """Return the record of a metric; `stated` is how a tool's file of `figures` defines it, if there is such a file.

    Its answers were compared with this file, even if the file states nothing on grading; then the record says that.
    `known` is known without the file.
    """
    record, without = grader(metric, **known, **stated), grader(metric, **known)
    return grader(metric, **known, definition=NOT_STATED) if figures and record == without else record


def in_brackets(shown: Sequence[str]) -> str:
    """Return texts in brackets, such as " (mean 0.5, std 0.1)", to be added to a message; "" if there are no texts."""
    return f" ({', '.join(shown)})" if shown else ""
