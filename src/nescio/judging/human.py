"""People as a judge: their verdicts are looked up, and an answer without a verdict is not graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.judge_record import OTHER_TEXTS, STALE, UNCHECKED, JudgeRecord
from nescio.data.model import Collection, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, Label, Outcomes
from nescio.errors import MismatchError, UsageError, opt
from nescio.judging._judge import AnswerToJudge, Grade, Judge, Resources, factory
from nescio.text import answer_key

K = TypeVar("K")
PEOPLE = JudgeRecord("human")


@factory("human")
def _people(resources: Resources) -> Judge:
    """Return a judge from people's verdicts in a file: `nescio judge --judge human --against FILE`."""
    if resources.people is None:
        raise UsageError(
            f"the judge `human` needs a file of judgements: use `nescio judge` with {opt('judge', 'human')} and "
            f"{opt('against', of='FILE')}"
        )
    return resources.people


class Human(Struct, frozen=True):
    """People's verdicts (labels) as a judge.

    A label is stored by run and question, or by question and text of the answer. The labels of a run on a question are
    kept apart by the text of the judged answer, None if a label has no text. If labels of several ranks have the same
    text, `by_run` has that of the first rank, and `at_rank` has all. `stale` collects questions with an answer that has
    no label, `unseen` the same for labels of `by_text`, `current` the labels of answers that the run still gives, with
    their texts, and `unchecked` labels that lack the text of the judged answer. `asked` has the questions of `by_text`.
    `overruled` collects answers that people call correct, but the key wrong.
    """

    hears_silence: ClassVar[bool] = True  # so that verdicts on answers to unanswerable questions are counted

    by_run: dict[tuple[str, str], dict[str | None, Label]] = field(default_factory=dict)
    at_rank: dict[tuple[str, str, int], dict[str | None, Label]] = field(default_factory=dict)
    by_text: dict[tuple[str, str], Label] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    stale: set[tuple[str, str]] = field(default_factory=set)
    unseen: set[tuple[str, str]] = field(default_factory=set)
    current: set[tuple[str, str, str | None]] = field(default_factory=set)
    unchecked: set[tuple[str, str]] = field(default_factory=set)
    overruled: set[tuple[str, str, int]] = field(default_factory=set)
    record: JudgeRecord = PEOPLE
    scores: Mapping[str, float] = field(default_factory=dict)

    def label(self, run: str, question: str, *answers: str, rank: int = 1) -> Label | None:
        """Return people's label for a run's answer of this `rank` to a question, or None.

        `answers` are the texts that a label of this answer may hold: the response, and the graded part of the response.
        A label that is stored by the text of an answer is found only with these texts, first among those of the rank;
        a label without a text only at its own rank. Raises MismatchError if no texts are given, and the labels of
        several answers of the rank differ.
        """
        texts, at_rank = self.by_run.get((run, question), {}), self.at_rank.get((run, question, rank), {})
        if not answers and len({label.state for label in at_rank.values()} - {NOT_GRADED}) > 1:
            raise MismatchError(
                f"people's verdicts on several answers of run {run!r} to question {question!r} differ, and these files "
                "have no texts that say which answer the run gives now"
            )
        if not answers:
            return next(iter(at_rank.values()), None)
        keys = [answer_key(answer) for answer in answers]
        matches = [by_text[key] for by_text in (at_rank, texts) for key in keys if key in by_text]
        label = next(iter(matches), None) or at_rank.get(None)
        if label is not None and label.answer is None:
            self.unchecked.add((run, question))
        if label is not None:
            self.current.add((run, question, None if label.answer is None else answer_key(label.answer)))
            return label
        label = next((self.by_text[question, key] for key in keys if (question, key) in self.by_text), None)
        if label is None and texts:
            self.stale.add((run, question))
        elif label is None and keys and rank == 1 and question in self.asked:
            self.unseen.add((run, question))
        elif label is not None:
            self.current.add((run, question, None if label.answer is None else answer_key(label.answer)))
        return label

    def label_of_silence(self, run: str, question: str) -> Label | None:
        """Return a label of a question that a run left unanswered, or None.

        The label changes no figure, but is counted.
        """
        return next(iter(self.by_run.get((run, question), {}).values()), None)

    def spare(self, runs: Sequence[str], questions: Sequence[str], asked: NDArray[np.bool_]) -> None:
        """Forget the `unseen` answers that need no verdict; `asked` marks the others, shape (runs, questions)."""
        if self.unseen:
            rows, columns = (places.tolist() for places in np.nonzero(asked))
            needed = ((runs[r], questions[q]) for r, q in zip(rows, columns, strict=True))
            self.unseen.intersection_update(needed)

    def said_of_stale(self) -> list[Note]:
        """Return notes on how many of the labels looked up so far are `stale`, `unseen`, `unchecked` or `overruled`."""
        notes = []
        if self.overruled:
            notes.append(
                note(
                    "judgements.overruled",
                    "{answers:n answer} {answers:counts/count} as wrong, though people say correct, because the key "
                    "says that there is no answer ({named:list 5}); correct the key if people are right",
                    answers=len(self.overruled),
                    named=sorted({question for _, question, _ in self.overruled}),
                )
            )
        if self.unchecked:
            notes.append(
                note(
                    UNCHECKED,
                    "{labels:n judgement} {labels:does/do} not contain the judged answer, so nescio cannot check "
                    "whether the run still gives this answer",
                    labels=len(self.unchecked),
                )
            )
        if self.unseen:
            run, question = min(self.unseen)
            notes.append(
                note(
                    OTHER_TEXTS,
                    "{answers:n answer} {answers:has/have} no judgement, though other answers to the same "
                    "{answers:question/questions} have one (first: run {run!r}, question {question!r}); so the judged "
                    "answers of a run may be no random sample",
                    answers=len(self.unseen),
                    run=run,
                    question=question,
                    shares=self._shares(self.unseen),
                )
            )
        gone = {key for key in self.stale if any((*key, text) not in self.current for text in self.by_run[key])}
        if not gone:
            return notes
        run, question = min(gone)
        return [
            *notes,
            note(
                STALE,
                "{labels:n judgement} {labels:is/are} for an answer that the run no longer gives, and {labels:is/are} "
                "ignored (first: run {run!r}, question {question!r})",
                labels=len(gone),
                run=run,
                question=question,
                shares=self._shares(gone),
            ),
        ]

    def _shares(self, lost: set[tuple[str, str]]) -> tuple[tuple[str, float], ...]:
        """Return, for each run, the share of its judged questions whose labels are `lost`."""
        by_run = Counter(run for run, _ in lost)
        kept = Counter(run for run, _ in {key[:2] for key in self.current} - lost)
        return tuple((run, many / (many + kept[run])) for run, many in sorted(by_run.items()))

    def said_of_draw(self) -> list[Note]:
        """Return a note if the judged questions were drawn with different probabilities (`inclusion`)."""
        if len({label.inclusion for label in self._labels() if label.state != NOT_GRADED}) < 2:
            return []
        return [
            note(
                "judgements.inclusion",
                "people's verdicts have different probabilities in their column `inclusion`, and nothing here weighs "
                "by them. So agreement is about the judged answers alone, and no accuracy is corrected; "
                "`nescio score` weighs with {option}",
                option=opt("labels", of="FILE"),
            )
        ]

    def _labels(self) -> list[Label]:
        return [*(label for texts in self.by_run.values() for label in texts.values()), *self.by_text.values()]

    def none_judged(self, notes: Sequence[Note] = ()) -> MismatchError:
        """Return an error which says that people's verdicts are on none of the answers; `notes` explain why."""
        labels = self._labels()
        if labels and all(label.empty for label in labels):
            return MismatchError(f"none of {len(labels):,} verdicts is filled in yet")
        why = "; ".join(remark.text for remark in (*notes, *self.said_of_stale()))
        rule = "people's verdicts cover none of these answers; check runs, questions and texts"
        return MismatchError(f"{rule}: {why}" if why else rule)

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:  # noqa: ARG002
        """Return no notes, because callers ask for the notes on labels themselves (`said_of_stale`)."""
        return ()

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        """Return the verdicts; NOT_GRADED for an answer without one."""
        return list(map(self.one_by_one(False), answers))

    def one_by_one(self, several: bool) -> Callable[[AnswerToJudge], Grade]:  # noqa: ARG002
        """Return a function that returns people's verdict on an answer, as a grade."""

        def graded(answer: AnswerToJudge) -> Grade:
            label = self.label(answer.run, answer.question.id, answer.answer, rank=answer.rank)
            if answer.question.answerable is False:
                if label is not None and label.state == CORRECT:
                    self.overruled.add((answer.run, answer.question.id, answer.rank))
                return Grade(INCORRECT)
            return Grade(NOT_GRADED if label is None else label.state)

        return graded


def human(
    labels: Sequence[Label], runs: Sequence[str], questions: Sequence[str], column: str | None = None
) -> tuple[Human, list[Note]]:
    """Return people's verdicts on the answers of these runs to these questions, and notes on labels that are not used.

    A label names its run, or the text of its answer, or neither if there is one run. An answer may have two equal
    verdicts. `column` is the user's name of the column of verdicts, for notes. Raises MismatchError if two verdicts
    on an answer differ, if a label names neither run nor answer and there are several runs, or if no label is for
    these runs and questions.
    """
    people, known_runs, known_questions = Human(), set(runs), set(questions)
    strangers: list[Label] = []
    doubled = 0
    for label in labels:
        if label.question not in known_questions or (label.run is not None and label.run not in known_runs):
            strangers.append(label)
        elif label.run is not None or (label.answer is None and len(runs) == 1):
            texts = people.at_rank.setdefault((label.run or runs[0], label.question, label.rank), {})
            key = None if label.answer is None else answer_key(label.answer)
            others = [other for text, other in texts.items() if key is None or text is None]
            doubled += _add(texts, key, label, others)
        elif label.answer is not None:
            doubled += _add(people.by_text, (label.question, answer_key(label.answer)), label)
            if label.state != NOT_GRADED:
                people.asked.add(label.question)
        else:
            raise MismatchError(
                f"{label.place}: there are {len(runs)} runs, but this verdict names neither a run nor an answer; add "
                "one of these"
            )
    for (run, question, _), texts in sorted(people.at_rank.items(), key=lambda entry: entry[0][2]):
        by_text = people.by_run.setdefault((run, question), {})
        by_text |= {text: label for text, label in texts.items() if text not in by_text}
    if len(strangers) == len(labels):
        first = labels[0] if labels else None
        example = f" (the first judgement is for run {first.run!r}, question {first.question!r})" if first else ""
        raise MismatchError(f"no judgement is for the runs and questions in the data{example}")
    return people, _unused_labels(labels, strangers, doubled, column)


def _unused_labels(labels: Sequence[Label], strangers: Sequence[Label], doubled: int, column: str | None) -> list[Note]:
    """Return notes on labels that are not used: for other runs or questions, without a verdict, or given twice."""
    notes = []
    if strangers:
        stranger = strangers[0]
        whose = (
            f"run {stranger.run!r}, question {stranger.question!r}"
            if stranger.run is not None
            else f"question {stranger.question!r}"
        )
        notes.append(
            note(
                "judgements.not_here",
                "{labels:n judgement} {labels:is/are} for runs or questions that are not in the data (first: {first})",
                labels=len(strangers),
                first=whose,
            )
        )
    empty = sum(label.empty for label in labels)
    if empty:
        notes.append(
            note(
                "judgements.empty",
                "{empty:,} of {labels:n judgement} {empty:has/have} no verdict{where}, and {empty:is/are} ignored",
                empty=empty,
                labels=len(labels),
                where=f" in the column {column!r}" if column else "",
            )
        )
    if doubled:
        notes.append(
            note(
                "judgements.doubled",
                "{labels} judgements repeat the same verdict on the same answer, and count once",
                labels=doubled,
            )
        )
    return notes


def _add(labels: dict[K, Label], key: K, label: Label, others: Sequence[Label] = ()) -> bool:
    """Store a label under this key, and return whether an equal verdict was stored there already.

    `others` are further labels that may be on the same answer. Raises MismatchError if one of them, or the stored
    label, has another verdict.
    """
    before = labels.get(key)
    for other in (*others, *([before] if before else [])):
        if NOT_GRADED not in (other.state, label.state) and other.state != label.state:
            settles = " (nescio lab assessors settles verdicts of several people)" if label.assessor else ""
            raise MismatchError(
                f"question {label.question!r} has two different verdicts: {other.place}, and {label.place}; keep one "
                f"verdict per answer{settles}"
            )
    if before is None or before.state == NOT_GRADED:
        labels[key] = label
    return before is not None and before.state == label.state != NOT_GRADED


def asked_of(outcomes: Outcomes) -> NDArray[np.bool_]:
    """Return a mask of the outcomes that a judge decided, shape (runs, questions), in a log of judged answers.

    Abstentions and unanswerable questions are not among them.
    """
    judged: NDArray[np.bool_] = np.isin(outcomes.state, (CORRECT, INCORRECT, NOT_GRADED))
    return judged if outcomes.answerable is None else judged & (outcomes.answerable != 0)


def people_on(outcomes: Outcomes, people: Human) -> Outcomes:
    """Return `outcomes` with people's verdicts in place of those of the judge in a log; abstentions are unchanged.

    An answer on which people gave no verdict is NOT_GRADED. An answer to an unanswerable question stays incorrect.
    """
    asked = asked_of(outcomes)
    state = np.where(asked, NOT_GRADED, outcomes.state).astype(np.int8)
    for r, q in np.argwhere(asked | (outcomes.state == INCORRECT)):
        run, question = outcomes.runs[r], outcomes.questions[q]
        texts = None if outcomes.texts is None else outcomes.texts[r, q]
        shown = filter(None, (texts.answer, texts.graded)) if texts else ()
        label = people.label(run, question, *shown)
        if label is not None and asked[r, q]:
            state[r, q] = label.state
        elif label is not None and label.state == CORRECT:
            people.overruled.add((run, question, 1))
    return replace(outcomes, state=state, extra_columns={})
