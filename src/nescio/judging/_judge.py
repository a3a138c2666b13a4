"""What a judge is, the registry of them, and how runs become outcomes.

A judge is one decorated function of a question, an answer and its parameters, which have defaults:

    @judge("exact")
    def exact(question, answer): ...                    # right or not

    @judge("token_f1", scores={"f1": 0.0})
    def token_f1(question, answer, threshold=0.5): ...  # a Grade, with a score that becomes the column f1

`scores` names the columns of graded credit, each with what silence earns in it, or a function that says so of a question: NaN
where it earns nothing because it is not counted. `measures` are those that users of the judge expect first. Judges that need more than a function (people, a language model) are objects with the attributes of `Judge`.
"""

from __future__ import annotations

import inspect
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nescio.data.columns import Array
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes, gather
from nescio.errors import UnknownNameError, UsageError


@dataclass(frozen=True, slots=True)
class Grade:
    """What a judge makes of an answer: CORRECT, INCORRECT, SILENT (it declines in words) or NOT_GRADED, and graded scores."""

    state: int
    scores: Mapping[str, float] = field(default_factory=lambda: _NO_SCORES)


_NO_SCORES: Mapping[str, float] = {}
RIGHT, WRONG = Grade(CORRECT), Grade(INCORRECT)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge is asked: is this answer of that run to the question right?"""

    run: str
    question: Question
    answer: str


Silent = float | Callable[[Question], float]


class Judge(Protocol):
    """A judge that is ready to work: `name` says with which parameters."""

    @property
    def name(self) -> str: ...

    @property
    def scores(self) -> Mapping[str, Silent]: ...

    def grade(self, asked: Sequence[Asked]) -> Sequence[Grade]:
        """A grade for each, in their order."""


Function = Callable[..., bool | Grade]
F = TypeVar("F", bound=Function)
Rule = tuple[str, Callable[[Any], bool]]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A registered judge before its parameters are bound; `check` may raise where they cannot be worked with."""

    name: str
    function: Function
    scores: Mapping[str, Silent] = field(default_factory=dict)
    valid: Mapping[str, Rule] = field(default_factory=dict)
    check: Callable[..., None] | None = None
    measures: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their defaults."""
        return {p.name: p.default for p in list(inspect.signature(self.function).parameters.values())[2:]}

    def bind(self, given: Mapping[str, Any]) -> Judge:
        """The judge with parameters; raises UsageError for an unknown or impossible one."""
        known_ = self.parameters
        for name, value in given.items():
            if name not in known_:
                allowed = f"its parameters are {', '.join(known_)}" if known_ else "it takes none"
                raise UsageError(f"judge {self.name} has no parameter {name!r}; {allowed}")
            rule, test = self.valid.get(name, ("", lambda _: True))
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if isinstance(known_[name], float) and not (number and np.isfinite(value)):
                raise UsageError(f"judge {self.name}: {name} must be a finite number (found {value!r})")
            if not test(value):
                raise UsageError(f"judge {self.name}: {rule} (found {name} = {value!r})")
        bound = {**known_, **given}
        if self.check:
            self.check(**bound)
        shown = ", ".join(f"{name}={_written(value)}" for name, value in bound.items())
        return _Bound(f"{self.name}({shown})" if bound else self.name, self.scores, self.function, bound)


@dataclass(frozen=True, slots=True)
class _Bound:
    name: str
    scores: Mapping[str, Silent]
    function: Function
    parameters: Mapping[str, Any]

    def grade(self, asked: Sequence[Asked]) -> list[Grade]:
        """Runs often give one answer; it is looked at once."""
        several = len({one.run for one in asked}) > 1
        done: dict[tuple[str, str], Grade] = {}
        grades = []
        for one in asked:
            key = one.question.id, one.answer
            grade = done.get(key)
            if grade is None:
                found = self.function(one.question, one.answer, **self.parameters)
                grade = found if isinstance(found, Grade) else RIGHT if found else WRONG
                if several:
                    done[key] = grade
            grades.append(grade)
        return grades


REGISTRY: dict[str, Declaration] = {}


def judge(
    name: str,
    *,
    scores: Mapping[str, Silent] | None = None,
    valid: Mapping[str, Rule] | None = None,
    check: Callable[..., None] | None = None,
    measures: Sequence[str] = (),
) -> Callable[[F], F]:
    """Register the decorated function as a judge. A name that is taken raises ValueError.

    `valid` maps each parameter to a rule in words and its test.
    """

    def register(function: F) -> F:
        if name in REGISTRY:
            raise ValueError(f"a judge named {name!r} is registered already")
        REGISTRY[name] = Declaration(name, function, scores or {}, valid or {}, check, tuple(measures))
        return function

    return register


def known(text: str) -> Judge:
    """The judge that a name such as `exact`, `token_f1(threshold=0.8)` or `numeric(0.01)` means.

    Raises UnknownNameError with the nearest names, or UsageError where a parameter makes no sense.
    """
    found = re.fullmatch(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if not found:
        raise UsageError(f"{text!r} is not a judge; write it as NAME or NAME(parameter=value)")
    name, inside = found[1], found[2] or ""
    if name not in REGISTRY:
        from importlib.metadata import entry_points

        for point in entry_points(group="nescio.judges"):
            point.load()
    if name not in REGISTRY:
        raise UnknownNameError("judge", name, REGISTRY)
    declaration = REGISTRY[name]
    names, given = list(declaration.parameters), {}
    for position, part in enumerate(part.strip() for part in inside.split(",") if part.strip()):
        key, equals, value = (piece.strip() for piece in part.rpartition("="))
        if not equals and position >= len(names):
            raise UsageError(f"{text!r} has more parameters than the judge takes ({', '.join(names) or 'none'})")
        key = key if equals else names[position]
        if key in given:
            raise UsageError(f"{text!r} gives {key} twice")
        given[key] = _literal(value)
    return declaration.bind(given)


def _literal(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text.strip("'\"")


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def default_judge(collection: Collection) -> str:
    """`choice` where all questions have options, `deep_read` where all have a story to be read, else `exact`."""
    if all(question.options for question in collection.questions):
        return "choice"
    return "deep_read" if all(question.story for question in collection.questions) else "exact"


def first_measures(judge: str) -> tuple[str, ...]:
    """The measures that users of a judge (`token_f1(threshold=0.8)`) expect first; none where any will do."""
    declaration = REGISTRY.get(judge.partition("(")[0].strip())
    return declaration.measures if declaration else ()


_CELLS = ("run", "question", "rank", "state", "confidence", "candidate")


def judge_runs(
    collection: Collection, runs: Sequence[Run], judge: str | Judge, files: Sequence[str] = ()
) -> tuple[Outcomes, int]:
    """Judge every answer and every declined candidate; returns the outcomes and the number of answers below rank 1.

    On an unanswerable question every answer is incorrect, and the judge is not asked. The graded scores of the answers of
    rank 1 go into `more`; on an unanswerable question they are 1 for silence and 0 for an answer.
    """
    ready = known(judge) if isinstance(judge, str) else judge
    index = {question.id: i for i, question in enumerate(collection.questions)}

    def answers() -> Iterator[tuple[int, int, Response]]:
        for r, run in enumerate(runs):
            for response in run.responses:
                yield r, index[response.question_id], response

    asked = [
        Asked(runs[r].name, collection.questions[q], response.answer)
        for r, q, response in answers()
        if response.answer is not None and collection.questions[q].answerable is not False
    ]
    grades = iter(ready.grade(asked))
    del asked
    cells: dict[str, Any] = {key: array("d" if key == "confidence" else "q") for key in _CELLS}
    # What silence earns, for the questions that a run lacks too: a policy may count them as silence.
    more = {
        name: np.tile(_earned_by_silence(ready, name, collection.questions), (len(runs), 1)) for name in ready.scores
    }
    why = np.full((len(runs), len(index)), None, dtype=object)
    for r, q, response in answers():
        answerable = collection.questions[q].answerable is not False
        grade = None
        if response.answer is not None:
            grade = next(grades) if answerable else Grade(INCORRECT, dict.fromkeys(ready.scores, 0.0))
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
    found, lower = gather(arrays, tuple(run.name for run in runs), tuple(index))
    more = {**found.more, **more}
    return replace(found, files=tuple(files), more=more, why=why, **_of_questions(collection.questions)), lower


def asked_cells(collection: Collection, runs: Sequence[Run]) -> NDArray[np.bool_]:
    """Which answers of rank 1 a judge decides, shape (runs, questions): neither silence nor an answer where there is none."""
    index = {question.id: i for i, question in enumerate(collection.questions)}
    found = np.zeros((len(runs), len(index)), dtype=bool)
    for r, run in enumerate(runs):
        for response in run.responses:
            q = index[response.question_id]
            found[r, q] |= response.answered and response.rank == 1 and collection.questions[q].answerable is not False
    return found


def _outcome(grade: Grade | None, response: Response) -> tuple[int, int]:
    """The state, and whether a declined candidate was right: 1, 0, or -1 where there is none that was judged."""
    if grade is None:
        return SILENT, -1
    if response.answered:
        return grade.state, -1
    return SILENT, {CORRECT: 1, INCORRECT: 0}.get(grade.state, -1)


def _why(state: int, response: Response) -> str | None:
    """Why there is no answer, or no grade of it."""
    if state != SILENT:
        return "without a grade" if state == NOT_GRADED else None
    if response.answer is None:
        return response.why or "empty"
    return "declined in words" if response.answered else "declined, the answer kept"


def _earned_by_silence(ready: Judge, name: str, questions: Sequence[Question]) -> Array:
    """What silence earns in a graded score on each question: 1 where there is no answer."""
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
