"""Count doubts about the judging of answers while they are judged.

There are three kinds: wrong answers that read like an abstention, right answers that differ from gold in marks that the
judge ignores, and answers that another judge grades differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from nescio.data.model import Question
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.errors import opt, shorten
from nescio.judging._judge import AnswerToJudge, Grade, Judge, known, rule_of
from nescio.judging._marks import blurred
from nescio.judging.declined.recognise import Verdict
from nescio.judging.declined.silence import SilenceReader, silence_note, undetermined_note

_BLIND = ("exact", "contains")  # judges that ignore such marks, as the publications that define them do
_RIVALS = {"fitting": ("exact", "contains")}  # other plausible judges in place of a default one
_MOST_ASKED = 10_000  # the most answers that are shown to the other judges
_UNIFORM = 10  # From so many equal answers on, a note says that a run always answers the same.
_FEW = 3  # differences that need no note, and answers that a note shows


class Doubts:
    """A counter of reasons to doubt a judge's grades, such as wrong answers that read like an abstention.

    `chosen` says that the user named the judge. In that case no other judge is compared with it.
    """

    def __init__(self, judge: Judge, *, chosen: bool) -> None:
        self._name = judge.record.name
        self._judge = judge
        self._wrong: dict[Verdict, Counter[str]] = {verdict: Counter() for verdict in Verdict}
        self._reads = SilenceReader()
        self._lost = 0
        self._shown: dict[tuple[str, str], None] = {}
        self._rivals = {} if chosen else {name: known(name) for name in _RIVALS.get(self._name, ())}
        self._others: dict[str, list[tuple[str, str]]] = {name: [] for name in self._rivals}
        self._asked = 0
        # keyed by hash and beginning, so that texts are not kept
        self._answers: dict[str, Counter[tuple[int, str]]] = {}
        self._gold: set[int] = set()

    def see(self, run: str, question: Question, answer: str, grade: Grade) -> None:
        """Count the reasons to doubt the grade that the judge gave to an answer of a run."""
        answers = self._answers.setdefault(run, Counter())
        if len(answers) < 2:  # A second distinct text is enough.
            text = answer.strip()
            answers[hash(text), shorten(text)] += 1
        if len(self._gold) < 2:
            self._gold.add(hash(tuple(question.answers)))
        if grade.state == INCORRECT and (verdict := self._reads.verdict(answer)) is not Verdict.ANSWERED:
            self._wrong[verdict][answer.strip()] += 1
        if grade.state not in (CORRECT, INCORRECT) or question.answerable is False:
            return
        if self._name in _BLIND and blurred(grade.state == CORRECT, question.answers, answer, self._again(question)):
            self._lost += 1
            if len(self._shown) <= _FEW:
                self._shown[_shown(question, answer)] = None
        if self._asked < _MOST_ASKED:
            self._asked += 1
            for name, rival in self._rivals.items():
                if rival.grade([AnswerToJudge("", question, answer)])[0].state != grade.state:
                    self._others[name].append(_shown(question, answer))

    def _again(self, question: Question) -> Callable[[tuple[str, ...], str], bool]:
        def again(gold: tuple[str, ...], answer: str) -> bool:
            asked = AnswerToJudge("", replace(question, answers=gold), answer)
            return self._judge.grade([asked])[0].state == CORRECT

        return again

    def notes(self) -> Iterator[Note]:
        """Yield notes on the counted reasons for doubt."""
        then = str(self._judge.record)
        for run, texts in self._answers.items():
            if len(texts) == 1 and texts.total() >= _UNIFORM and len(self._gold) > 1:
                yield note(
                    "judging.uniform",
                    "{subject} gives the same answer to every question ({questions:n answered question}): {answer}",
                    run,
                    questions=texts.total(),
                    answer=next(iter(texts))[1],
                )
        if silent := self._wrong[Verdict.DECLINED]:
            yield silence_note(silent, self._reads, then=then)
        if self._name != "declined" and (undetermined := self._wrong[Verdict.UNDETERMINED]):
            yield undetermined_note(undetermined, then)
        if self._lost:
            yield note(
                "judging.marks_ignored",
                "`{judge}` ignores signs, decimal points and operators, so it accepts {answers:n answer} that "
                "{answers:differs/differ} from every gold answer only in these ({shown:each %s for "
                f"%s}}{{more}}); {opt('judge', 'fitting')} compares these marks too",
                judge=self._name,
                answers=self._lost,
                shown=list(self._shown)[:_FEW],
                more=", …" if len(self._shown) > _FEW else "",
            )
        for name, others in self._others.items():
            if len(others) > _FEW:
                yield note(
                    "judging.doubtful",
                    "{judge} and {other} disagree on {answers:,} of {total:n answer}{first} ({shown:each %s for "
                    "%s}, …): {flag} judges by {other}",
                    judge=self._name,
                    other=name,
                    answers=len(others),
                    total=self._asked,
                    first=" that were compared" if self._asked == _MOST_ASKED else "",
                    shown=list(dict.fromkeys(others))[:_FEW],
                    flag=opt("judge", name),
                )


def _shown(question: Question, answer: str) -> tuple[str, str]:
    return shorten(answer), shorten(" | ".join(question.answers))


def default_note(judge: Judge) -> Note:
    """Return a note which says that the user named no judge, and by which rule this judge grades."""
    return note(
        "judging.default",
        "judged by `{judge}`, because no judge was named: {rule}; {flag} chooses another judge",
        judge=judge.record.name,
        rule=rule_of(judge.record.name),
        flag=opt("judge", of="NAME"),
    )
