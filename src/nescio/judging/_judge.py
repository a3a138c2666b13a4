"""What a judge is, the registry of them, and how runs become outcomes.

A judge is one decorated function of a question, an answer and its parameters, which have defaults:

    @judge("exact")
    def exact(question, answer): ...                    # right or not

    @judge("token_f1", scores={"f1": 0.0})
    def token_f1(question, answer, threshold=0.5): ...  # a Grade, with a score that becomes the column f1

`scores` names the columns of graded credit, each with what silence earns in it, or a function that says so of a
question: NaN where it earns nothing because it is not counted. `measures` are those that users of the judge expect
first. `suits` says of a question whether the judge is the one to take where nobody named any; `remarks` says what is
odd about the answers of runs.

Judges that need more than a function (people, a language model) are objects with the attributes of `Judge`, made by a
function under `@factory` from the `Resources` that they need.
"""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.judges import JudgeRecord
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes, gather
from nescio.data.repeats import FIRST, repeats_of
from nescio.registry import Registry, Rule, as_text, bind, parse_call, values_of


@dataclass(frozen=True, slots=True)
class Grade:
    """What a judge makes of an answer: CORRECT, INCORRECT, SILENT (it declines in words) or NOT_GRADED, and graded
    scores."""

    state: int
    scores: Mapping[str, float] = field(default_factory=lambda: _NO_SCORES)


_NO_SCORES: Mapping[str, float] = {}
RIGHT, WRONG = Grade(CORRECT), Grade(INCORRECT)


@dataclass(frozen=True, slots=True)
class AnswerToJudge:
    """What a judge is asked: is this answer of that run to the question right?"""

    run: str
    question: Question
    answer: str


Silent = float | Callable[[Question], float]


class Judge(Protocol):
    """A judge that is ready to work; `record` says which, with which parameters."""

    @property
    def record(self) -> JudgeRecord: ...

    @property
    def scores(self) -> Mapping[str, Silent]: ...

    def grade(self, answers: Sequence[AnswerToJudge]) -> Sequence[Grade]:
        """Give a grade for each, in their order."""

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:
        """Say what is odd about these answers, or was about judging them."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What some judges need and a name does not hold: people's verdicts, and a language model at its endpoint."""

    people: Judge | None = None
    model: Callable[[], Judge] | None = None


Function = Callable[..., bool | Grade]
F = TypeVar("F", bound=Function)
Make = Callable[..., "Judge"]  # of Resources, and parameters
Remarks = Callable[[Collection, Sequence[Run]], Iterable[Note]]
FALLBACK = "exact"  # the judge where none suits


@dataclass(frozen=True, slots=True)
class Declaration:
    """A registered judge before its parameters are bound; `check` may raise where they cannot be worked with."""

    name: str
    function: Function
    scores: Mapping[str, Silent] = field(default_factory=dict)
    valid: Mapping[str, Rule] = field(default_factory=dict)
    check: Callable[..., None] | None = None
    measures: tuple[str, ...] = ()
    suits: Callable[[Question], bool] | None = None
    remarks: Remarks | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their defaults."""
        return {p.name: p.default for p in list(inspect.signature(self.function).parameters.values())[2:]}

    def bind(self, values: Mapping[str, Any]) -> Judge:
        """Give the judge its parameters; raises UsageError for an unknown or impossible one."""
        bound = bind(self.name, "judge", self.parameters, values, self.valid)
        if self.check:
            self.check(**bound)
        return _Bound(self, bound)


@dataclass(frozen=True, slots=True)
class Factory:
    """A registered judge that is made from `Resources` and its parameters."""

    name: str
    make: Make
    scores: Mapping[str, Silent] = field(default_factory=dict)
    valid: Mapping[str, Rule] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their defaults."""
        return {p.name: p.default for p in list(inspect.signature(self.make).parameters.values())[1:]}

    @property
    def doc(self) -> str:
        """What it does, in its own words."""
        return inspect.cleandoc(self.make.__doc__ or "")


@dataclass(frozen=True, slots=True)
class _Bound:
    declaration: Declaration
    parameters: Mapping[str, Any]

    @property
    def record(self) -> JudgeRecord:
        return JudgeRecord(
            self.declaration.name, tuple((key, as_text(value)) for key, value in self.parameters.items())
        )

    @property
    def scores(self) -> Mapping[str, Silent]:
        return self.declaration.scores

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:
        return tuple(self.declaration.remarks(collection, runs)) if self.declaration.remarks else ()

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        """Grade each answer once, however many runs give it."""
        several = len({one.run for one in answers}) > 1
        done: dict[tuple[str, str, tuple[str, ...]], Grade] = {}
        grades = []
        for one in answers:
            key = one.question.id, one.answer, one.question.answers
            grade = done.get(key)
            if grade is None:
                result = self.declaration.function(one.question, one.answer, **self.parameters)
                grade = result if isinstance(result, Grade) else RIGHT if result else WRONG
                if several:
                    done[key] = grade
            grades.append(grade)
        return grades


REGISTRY: Registry[Declaration | Factory] = Registry("judge", "nescio.judges")


def judge(
    name: str,
    *,
    scores: Mapping[str, Silent] | None = None,
    valid: Mapping[str, Rule] | None = None,
    check: Callable[..., None] | None = None,
    measures: Sequence[str] = (),
    suits: Callable[[Question], bool] | None = None,
    remarks: Remarks | None = None,
) -> Callable[[F], F]:
    """Register the decorated function as a judge. A name that is taken raises ValueError.

    `valid` maps each parameter to a rule in words and its test.
    """

    def register(function: F) -> F:
        REGISTRY.add(
            name, Declaration(name, function, scores or {}, valid or {}, check, tuple(measures), suits, remarks)
        )
        return function

    return register


def factory(name: str, *, valid: Mapping[str, Rule] | None = None) -> Callable[[Make], Make]:
    """Register the decorated function as what makes a judge from `Resources`; it raises UsageError for one that is
    missing. `valid` is that of `judge`."""

    def register(make: Make) -> Make:
        REGISTRY.add(name, Factory(name, make, valid=valid or {}))
        return make

    return register


def known(text: str, resources: Resources | None = None) -> Judge:
    """Find the judge that a name such as `exact`, `token_f1(threshold=0.8)` or `numeric(0.01)` means.

    Raises UnknownNameError with the nearest names, or UsageError where a parameter makes no sense or a resource is
    missing.
    """
    call = parse_call(text, "judge")
    declared = REGISTRY.find(call.name)
    if isinstance(declared, Factory):
        values = values_of(call, declared.parameters, "judge")
        bound = bind(declared.name, "judge", declared.parameters, values, declared.valid)
        return declared.make(resources or Resources(), **bound)
    return declared.bind(values_of(call, declared.parameters, "judge"))


def default_judge(collection: Collection) -> str:
    """Name the first judge that suits all questions of a collection, or else `exact`."""
    for name, declared in REGISTRY.items():
        if isinstance(declared, Declaration) and declared.suits and all(map(declared.suits, collection.questions)):
            return name
    return FALLBACK


def first_measures(record: JudgeRecord) -> tuple[str, ...]:
    """Name the measures that users of a judge expect first; none where any will do."""
    declared = REGISTRY.get(record.name)
    return declared.measures if isinstance(declared, Declaration) else ()


_CELLS = ("run", "question", "rank", "state", "confidence", "candidate")


def judge_runs(
    collection: Collection, runs: Sequence[Run], judge: str | Judge, files: Sequence[str] = ()
) -> tuple[Outcomes, tuple[Note, ...]]:
    """Judge every answer and every declined candidate; returns the outcomes, and notes on what the judge met.

    On an unanswerable question every answer is incorrect, and the judge is not asked, unless it `hears_silence`: then
    it is asked only what declines. The graded scores of the answers
    of rank 1 go into `extra_columns`; on an unanswerable question they are 1 for silence and 0 for an answer.
    """
    ready = known(judge) if isinstance(judge, str) else judge
    index = _rows(collection, runs)
    by_id = {question.id: question for question in collection.questions}
    questions = [by_id[name] for name, _ in index]

    def answers() -> Iterator[tuple[int, int, Response]]:
        for r, run in enumerate(runs):
            for response in run.responses:
                yield r, index[_key(response)], response

    hears = getattr(ready, "hears_silence", False)
    to_judge = [
        AnswerToJudge(runs[r].name, _as_run_has_it(questions[q], runs[r]), response.answer)
        for r, q, response in answers()
        if response.answer is not None and (hears or questions[q].answerable is not False)
    ]
    grades = iter(ready.grade(to_judge))
    del to_judge
    cells: dict[str, Any] = {key: array("d" if key == "confidence" else "q") for key in _CELLS}
    # What silence earns, for the questions that a run lacks too: a policy may count them as silence.
    more = {name: np.tile(_earned_by_silence(ready, name, questions), (len(runs), 1)) for name in ready.scores}
    why = np.full((len(runs), len(index)), None, dtype=object)
    for r, q, response in answers():
        answerable = questions[q].answerable is not False
        grade = None
        if response.answer is not None:
            grade = next(grades) if answerable or hears else Grade(INCORRECT)
            if not answerable and grade.state in (CORRECT, INCORRECT):
                grade = Grade(INCORRECT, dict.fromkeys(ready.scores, 0.0))
        state, candidate = _outcome(grade, response)
        confidence = float("nan") if response.confidence is None else response.confidence
        for key, value in zip(cells, (r, q, response.rank, state, confidence, candidate), strict=True):
            cells[key].append(value)
        if response.rank == 1:
            why[r, q] = _why(state, response)
            if grade is not None and response.answered and grade.state != SILENT:
                for name, scores in more.items():
                    scores[r, q] = np.nan if grade.state == NOT_GRADED else grade.scores.get(name, np.nan)
    arrays: dict[str, Array] = {key: np.asarray(values) for key, values in cells.items()}
    arrays["known"] = np.ones(len(arrays["run"]), dtype=np.int64)
    names = tuple(question.id for question in questions)
    outcomes, lower = gather(arrays, tuple(run.name for run in runs), names)
    outcomes = replace(outcomes, repeats=repeats_of(names, [label for _, label in index]))
    more = {**outcomes.extra_columns, **more}
    notes = list(ready.remarks(collection, runs))
    if lower:
        notes.append(
            note(
                "judging.lower_ranks",
                "{n:n answer} {n:is/are} below rank 1: MRR and K read them, outcomes are those of rank 1",
                n=lower,
            )
        )
    judges = (ready.record,) * len(runs)
    said = _of_questions(questions)
    return replace(outcomes, files=tuple(files), extra_columns=more, why=why, judges=judges, **said), tuple(notes)


def _key(response: Response) -> tuple[str, str]:
    return response.question_id, FIRST if response.repeat is None else response.repeat


def _rows(collection: Collection, runs: Sequence[Run]) -> dict[tuple[str, str], int]:
    """Return a number for each answer that there can be: a question and a repeat of it, in the order of the
    collection."""
    labels: dict[str, dict[str, None]] = {question.id: {} for question in collection.questions}
    for run in runs:
        for response in run.responses:
            labels[response.question_id].setdefault(_key(response)[1])
    keys = ((name, label) for name, own in labels.items() for label in own or (FIRST,))
    return {key: i for i, key in enumerate(keys)}


def _as_run_has_it(question: Question, run: Run) -> Question:
    """Give the question with the gold answers that came with the run, where they are others."""
    return replace(question, answers=run.gold[question.id]) if question.id in run.gold else question


def asked_cells(collection: Collection, runs: Sequence[Run]) -> NDArray[np.bool_]:
    """Return which answers of rank 1 a judge decides, shape (runs, questions): neither silence nor an answer where
    there is none."""
    index = _rows(collection, runs)
    unanswerable = {question.id for question in collection.questions if question.answerable is False}
    cells = np.zeros((len(runs), len(index)), dtype=bool)
    for r, run in enumerate(runs):
        for response in run.responses:
            asked = response.answered and response.rank == 1 and response.question_id not in unanswerable
            cells[r, index[_key(response)]] |= asked
    return cells


def _outcome(grade: Grade | None, response: Response) -> tuple[int, int]:
    """Return the state, and whether a declined candidate was right: 1, 0, or -1 where there is none that was judged."""
    if grade is None:
        return SILENT, -1
    if response.answered:
        return grade.state, -1
    return SILENT, {CORRECT: 1, INCORRECT: 0}.get(grade.state, -1)


def _why(state: int, response: Response) -> str | None:
    """Return why there is no answer, or no grade of it."""
    if state != SILENT:
        return "without a grade" if state == NOT_GRADED else None
    if response.answer is None:
        return response.why or "empty"
    return "declined in words" if response.answered else "declined, the answer kept"


def _earned_by_silence(ready: Judge, name: str, questions: Sequence[Question]) -> Array:
    """Return what silence earns in a graded score on each question: 1 where there is no answer."""
    silent = ready.scores[name]
    earned = [silent(question) if callable(silent) else silent for question in questions]
    return np.array(
        [1.0 if q.answerable is False and not np.isnan(e) else e for q, e in zip(questions, earned, strict=True)]
    )


def _of_questions(questions: Sequence[Question]) -> dict[str, Any]:
    # A question with gold answers is answerable, whether or not it says so.
    answerable = [int(question.answerable is not False) for question in questions]
    names = list(dict.fromkeys(name for question in questions for name in question.strata))
    clusters = [question.cluster for question in questions]
    return {
        "answerable": np.array(answerable, dtype=np.int8) if 0 in answerable else None,
        "strata": {
            name: np.array([question.strata.get(name, "") for question in questions], dtype=object) for name in names
        },
        "clusters": np.array(clusters, dtype=object) if None not in clusters else None,
    }
