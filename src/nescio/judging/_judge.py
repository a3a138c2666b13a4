"""Define the contract of a judge, and the registry of judges; `_runs.py` turns runs into outcomes.

A judge is one decorated function that takes a question, an answer and its parameters, which have defaults:

    @judge("exact")
    def exact(question, answer): ...                    # right or not

    @judge("token_f1", scores={"f1": 0.0})
    def token_f1(question, answer, threshold=0.5): ...  # a Grade, with a score that becomes the column f1

`scores` maps each column of graded scores to the value for an abstention, or to a function that returns it for a
question. NaN means that abstentions are not counted. `measures` are those that users of the judge expect first. `suits`
returns whether the judge fits a question if the user named none. `remarks` returns notes on oddities of the answers.

Judges that need more than a function (people, a language model) are objects with the attributes of `Judge`. A function
under `@factory` makes them from the `Resources` that they need.

A judge's file has the name of the judge, so that it is imported only when needed. Files that define no judge begin with
an underscore.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import Struct, field

from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Collection, Question, Run
from nescio.data.notes import Note
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.registry import Registry, Rule, as_text, bind, modules_in, parse_call, values_of


class Grade(Struct, frozen=True):
    """A judge's grade of an answer: CORRECT, INCORRECT, SILENT (the answer declines in words) or NOT_GRADED.

    `scores` has further values of the answer, such as its F1, and `why` the reason for NOT_GRADED.
    """

    state: int
    scores: Mapping[str, float] = field(default_factory=lambda: _NO_SCORES)
    why: str = "without a grade"


_NO_SCORES: Mapping[str, float] = {}
RIGHT, WRONG = Grade(CORRECT), Grade(INCORRECT)


class AnswerToJudge(Struct, frozen=True):
    """An answer that a judge is asked to grade, with its question, its run and its rank."""

    run: str
    question: Question
    answer: str
    rank: int = 1


Silent = float | Callable[[Question], float]


class Judge(Protocol):
    """A judge with its parameters; `record` has the name and the parameters.

    Some judges also have the method `one_by_one`, which grades one answer at a time (see `_Bound`), so that the answers
    need not be in memory together.
    """

    @property
    def record(self) -> JudgeRecord: ...

    @property
    def scores(self) -> Mapping[str, Silent]: ...

    def grade(self, answers: Sequence[AnswerToJudge]) -> Sequence[Grade]:
        """Return a grade for each answer, in their order."""

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:
        """Return notes on these runs, or on how they were judged, that users should know."""


class Resources(Struct, frozen=True):
    """What a judge may need besides its parameters: people's verdicts, or a connection to a language model."""

    people: Judge | None = None
    model: Callable[[], Judge] | None = None


Function = Callable[..., bool | Grade]
F = TypeVar("F", bound=Function)
Make = Callable[..., "Judge"]  # takes Resources and parameters
Remarks = Callable[[Collection, Sequence[Run]], Iterable[Note]]
SUITING = ("choice", "deep_read")  # nescio's judges that declare which questions they suit, in order of preference
FALLBACK = "fitting"  # the judge if no other suits


class Declaration(Struct, frozen=True):
    """The declaration of a judge, before its parameters are given; `check` may raise an error for invalid parameters.

    `function` grades an answer to a question. If `made` is true, `function` instead makes the judge from `Resources`.
    """

    name: str
    function: Callable[..., Any]
    scores: Mapping[str, Silent] = field(default_factory=dict)
    valid: Mapping[str, Rule] = field(default_factory=dict)
    check: Callable[..., None] | None = None
    measures: tuple[str, ...] = ()
    suits: Callable[[Question], bool] | None = None
    remarks: Remarks | None = None
    made: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the names of the judge's parameters, with their default values."""
        parameters = list(inspect.signature(self.function).parameters.values())[1 if self.made else 2 :]
        return {p.name: p.default for p in parameters}

    def bind(self, values: Mapping[str, Any], resources: Resources) -> Judge:
        """Return the judge with these values of its parameters.

        Raises UsageError for an unknown or invalid parameter, or if a resource is missing.
        """
        bound = bind(self.name, "judge", self.parameters, values, self.valid)
        if self.made:
            return self.function(resources, **bound)
        if self.check:
            self.check(**bound)
        return _Bound(self, bound)


class _Bound(Struct, frozen=True):
    declaration: Declaration
    parameters: Mapping[str, Any]

    @property
    def record(self) -> JudgeRecord:
        code = {"code": digest} if (digest := code_of(self.declaration.function)) else {}
        stated = {**self.parameters, **code}
        return JudgeRecord(self.declaration.name, tuple((key, as_text(value)) for key, value in stated.items()))

    @property
    def scores(self) -> Mapping[str, Silent]:
        return self.declaration.scores

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:
        return tuple(self.declaration.remarks(collection, runs)) if self.declaration.remarks else ()

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        return list(map(self.one_by_one(len({answer.run for answer in answers}) > 1), answers))

    def one_by_one(self, several: bool) -> Callable[[AnswerToJudge], Grade]:
        """Return a function that grades one answer at a time.

        If there are `several` runs, each distinct short answer is graded only once, and its grade is reused.
        """
        function, parameters = self.declaration.function, self.parameters
        done: dict[tuple[str, str, tuple[str, ...]], Grade] = {}

        def graded(answer: AnswerToJudge) -> Grade:
            result = function(answer.question, answer.answer, **parameters)
            return result if isinstance(result, Grade) else RIGHT if result else WRONG

        def graded_once(answer: AnswerToJudge) -> Grade:
            key = answer.question.id, answer.answer, answer.question.answers
            if (grade := done.get(key)) is not None:
                return grade
            grade = graded(answer)
            if len(answer.answer) <= _SHORT:
                if len(done) == _MOST_KEPT:
                    done.clear()
                done[key] = grade
            return grade

        return graded_once if several else graded


@cache
def code_of(function: Callable[..., Any]) -> str:
    """Return a digest of the code of a judge that is not nescio's: its file, or all modules in its package's folder.

    Two plug-ins may give one name to different judges. The text is empty for nescio's own judges, and for a function
    without a file.
    """
    while isinstance(function, partial):
        function = function.func
    source = function if inspect.isroutine(function) or inspect.isclass(function) else type(function)
    module = inspect.getmodule(source)
    try:
        file = inspect.getsourcefile(source)
    except TypeError:  # It is built in.
        file = None
    if module is None or module.__name__.partition(".")[0] == __name__.partition(".")[0] or not file:
        return ""
    path = Path(file)
    files = sorted(path.parent.glob("*.py")) if module.__package__ else [path]
    texts = [path.read_bytes().replace(b"\r\n", b"\n") for path in files if path.is_file()]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:8] if texts else ""


_SHORT, _MOST_KEPT = 200, 1 << 18  # the longest answer, in characters, and the most answers whose grades are cached


_HERE = {module.rpartition(".")[2]: module for module in modules_in("nescio.judging", [str(Path(__file__).parent)])}
_OF_TASKS = {"deep_read": "nescio.tasks.reading.judge"}
_PLACES = dict(sorted((_HERE | _OF_TASKS).items()))
REGISTRY: Registry[Declaration] = Registry("judge", _PLACES)


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
    """Register the decorated function as a judge. Raises ValueError for a name that is taken.

    `valid` maps each parameter to a rule in words and its test.
    """

    def register(function: F) -> F:
        REGISTRY.add(
            name, Declaration(name, function, scores or {}, valid or {}, check, tuple(measures), suits, remarks)
        )
        return function

    return register


def factory(name: str, *, valid: Mapping[str, Rule] | None = None) -> Callable[[Make], Make]:
    """Register the decorated function, which makes a judge from `Resources` or raises UsageError."""

    def register(make: Make) -> Make:
        REGISTRY.add(name, Declaration(name, make, made=True, valid=valid or {}))
        return make

    return register


def known(text: str, resources: Resources | None = None) -> Judge:
    """Return the judge of a name such as `exact`, `token_f1(threshold=0.8)` or `numeric(0.01)`.

    Raises UnknownNameError with the nearest names, or UsageError for an invalid parameter or a missing resource.
    """
    call = parse_call(text, "judge")
    declared = REGISTRY.find(call.name)
    return declared.bind(values_of(call, declared.parameters, "judge"), resources or Resources())


def default_judge(collection: Collection) -> str:
    """Return the name of the first registered judge that suits all questions of a collection.

    If none does, return `fitting`, a judge that adapts to each gold answer.
    """
    for name in REGISTRY:
        if name in _PLACES and name not in SUITING:
            continue
        suits = REGISTRY[name].suits
        if suits and all(map(suits, collection.questions)):
            return name
    return FALLBACK


def rule_of(name: str) -> str:
    """Return the rule of a judge in words: the first sentence of the file that defines the judge.

    The text is empty for an unknown judge.
    """
    declared = REGISTRY.get(name)
    text = inspect.getdoc(inspect.getmodule(declared.function)) if declared else ""
    first = " ".join((text or "").split("\n\n")[0].split()).rstrip(".")
    return first[:1].lower() + first[1:]


def first_measures(record: JudgeRecord) -> tuple[str, ...]:
    """Return the measures that suit a judge best, which are shown first; empty if it has none."""
    declared = REGISTRY.get(record.name)
    return declared.measures if declared else ()
