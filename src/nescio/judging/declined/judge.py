"""Define the judge that grades declining answers, and leaves the rest to another judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Collection, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.errors import shorten
from nescio.judging._judge import AnswerToJudge, Grade, Judge, Silent
from nescio.judging.declined.phrases import digest
from nescio.judging.declined.recognise import Verdict, declines, is_foreign
from nescio.text import is_nothing

_NAMED = 3  # the most texts that a note shows
_UNDETERMINED = "undetermined: its words do not show whether it declines"


class DeclinedThen(Struct, frozen=True):
    """A judge that first decides whether an answer declines, and lets the judge `then` grade the answers that do not.

    Declining answers get the grade SILENT. `undetermined` says how to grade answers that may or may not decline.
    """

    then: Judge
    undetermined: str = "ungraded"
    model: Judge | None = None
    notes: list[Note] = field(default_factory=list)
    hears_silence: bool = True

    @property
    def record(self) -> JudgeRecord:
        """Return the name and parameters of this judge, for reports.

        The parameters are the record of the judge `then`, the treatment of undetermined answers, and the version of the
        list of words.
        """
        asked = (self.model or self.then).record
        parameters = ("then", str(self.then.record)), ("undetermined", self.undetermined), ("words", digest())
        return JudgeRecord("declined", parameters, model=asked.model, prompt=asked.prompt, date=asked.date)

    @property
    def scores(self) -> Mapping[str, Silent]:
        """Return the scores that the judge `then` gives."""
        return self.then.scores

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:
        """Return notes on how many answers declined or were undetermined, and the remarks of the other judges.

        The counts are known only after `grade`.
        """
        notes = tuple(self.notes)
        self.notes.clear()
        model = self.model.remarks(collection, runs) if self.model else ()
        return (*notes, *self.then.remarks(collection, runs), *model)

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        """Return the grades, in the order of the answers."""
        verdicts, foreign = list[Verdict](), list[bool | None]()
        for answer in answers:
            gold_declines = any(declines(gold) is Verdict.DECLINED for gold in answer.question.answers)
            hollow = is_nothing(answer.answer)
            verdicts.append(Verdict.ANSWERED if gold_declines or hollow else declines(answer.answer))
            foreign.append(is_foreign(answer.answer))
        for i in _in_foreign_runs(answers, foreign):
            verdicts[i] = Verdict.UNDETERMINED
        self._report(answers, verdicts)
        grades = dict[int, Grade]()
        unclear = [i for i, verdict in enumerate(verdicts) if verdict is Verdict.UNDETERMINED]
        if self.model is not None:
            for i, grade in zip(unclear, self.model.grade([answers[i] for i in unclear]), strict=True):
                if grade.state in (CORRECT, INCORRECT):
                    verdicts[i] = Verdict.ANSWERED
                else:
                    grades[i] = Grade(grade.state)
        elif self.undetermined == "answered":
            verdicts = [Verdict.ANSWERED if verdict is Verdict.UNDETERMINED else verdict for verdict in verdicts]
        asked = [i for i, verdict in enumerate(verdicts) if verdict is Verdict.ANSWERED]
        grades |= dict(zip(asked, self.then.grade([answers[i] for i in asked]), strict=True))
        other = {Verdict.DECLINED: Grade(SILENT), Verdict.UNDETERMINED: Grade(NOT_GRADED, why=_UNDETERMINED)}
        return [grades[i] if i in grades else other[verdict] for i, verdict in enumerate(verdicts)]

    def _report(self, answers: Sequence[AnswerToJudge], verdicts: Sequence[Verdict]) -> None:
        """Add two notes: on answers that declined, with the most frequent texts, and on undetermined answers."""
        words = Counter(
            answer.answer.strip() for answer, v in zip(answers, verdicts, strict=True) if v is Verdict.DECLINED
        )
        if words:
            self.notes.append(
                note(
                    "declined.counted",
                    "{declined:n answer} of {answers:,} {declined:declines/decline} in words, and "
                    "{declined:counts/count} as unanswered ({texts:each %s %d×}{more})",
                    declined=words.total(),
                    answers=len(answers),
                    texts=[(shorten(text), times) for text, times in words.most_common(_NAMED)],
                    more=f" and {len(words) - _NAMED} other texts" if len(words) > _NAMED else "",
                )
            )
        unclear = [answer for answer, verdict in zip(answers, verdicts, strict=True) if verdict is Verdict.UNDETERMINED]
        if unclear:
            first = unclear[0]
            self.notes.append(
                note(
                    "declined.undetermined",
                    "the words of {answers:n answer} do not show whether {answers:it answers or declines/they answer "
                    "or decline} (first: run {run!r}, question {question!r}: {text}): {fate}",
                    answers=len(unclear),
                    run=first.run,
                    question=first.question.id,
                    text=shorten(first.answer.strip()),
                    fate=_FATES[self.undetermined],
                )
            )


_FATES = {
    "ungraded": "they stay ungraded; declined(undetermined=llm) asks a model, declined(undetermined=answered) "
    "counts such texts as answers",
    "answered": "they count as answers",
    "llm": "the model decides",
}


def _in_foreign_runs(answers: Sequence[AnswerToJudge], foreign: Sequence[bool | None]) -> Iterator[int]:
    """Yield the indices of answers in an unknown language, which nescio cannot understand.

    They are the answers of a run that has more answers in unknown languages than in known ones. In other runs, an
    answer in no known language may consist of names. `foreign` says of each answer whether its language is unknown;
    None means that it is too short to tell.
    """
    votes = Counter((answer.run, is_one) for answer, is_one in zip(answers, foreign, strict=True))
    yield from (
        i for i, answer in enumerate(answers) if foreign[i] and votes[answer.run, True] > votes[answer.run, False]
    )
