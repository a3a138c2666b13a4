"""Define the properties that each column of Evidence declares, and the registry of columns.

The three outcomes and the columns derived from them are declared here and have bare names. A task declares its columns
in its folder (`tasks/ave/columns.py`), with the task's name as prefix: `ave.right`. A judge declares the graded scores
that it gives. A column from a user's file is `user.NAME`, so that it cannot be confused with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from nescio.errors import MismatchError, MissingColumnError, opt

Array = NDArray[Any]

OUTCOMES = ("correct", "incorrect", "unanswered")
USER = "user."  # the prefix of a user's own columns
UNCHANGED: Literal["unchanged"] = "unchanged"


class Cells(Protocol):
    """The parts of Evidence from which a column may be computed; arrays have shape (runs, questions)."""

    @property
    def runs(self) -> tuple[str, ...]: ...
    @property
    def questions(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> Mapping[str, Array]: ...
    @property
    def present(self) -> NDArray[np.bool_]: ...
    @property
    def partial_confidence(self) -> bool: ...
    def column(self, name: str) -> Array: ...


class Summary(Struct, frozen=True):
    """The way in which `nescio check` summarises a column over a run's questions.

    `how` says what is computed: the sum of the values, the number of values, or the number of zeros. `words` describes
    the result.
    """

    how: Literal["sum", "count", "zeros"]
    words: str


class Column(Struct, frozen=True):
    """A column that readers, judges and tasks may fill, or that is derived from other columns.

    A `count` holds whole numbers and is never absent. A `score` holds graded values, and NaN marks an absence. `row`
    says whether the column describes questions, or single answers to them. `when_missing` names what a question without
    the column lacks ("a confidence"). `when_declined` is the value for a question whose answer a threshold declines: a
    number, `UNCHANGED`, or None if unknown, so that no threshold is tuned for it. `lower_ranks` marks columns computed
    from answers below the first, which a threshold on the first answer does not affect. `derive` is a function of the
    cells, and of the parameter in the column's name, that computes the column if it is not stored. With `validated`,
    `derive` also runs on a stored column, to check its values. `instead` is advice for a user whose data has this
    column, but not the columns that a measure needs. `unlike` maps a measure whose name wrongly suggests this column to
    a text that says so. `simulate` generates the column from simulated behaviour, for the audit. `labels` are the words
    for the values 0 and 1.
    """

    name: str
    meaning: str
    dtype: Literal["count", "score"]
    row: Literal["question", "answer"] = "question"
    when_missing: str = ""
    summaries: tuple[Summary, ...] = ()
    when_declined: float | Literal["unchanged"] | None = None
    lower_ranks: bool = False
    derive: Callable[..., Array] | None = None
    validated: bool = False
    instead: str = ""
    unlike: Mapping[str, str] = field(default_factory=dict)
    simulate: Callable[[Any], Array] | None = None
    labels: tuple[str, str] | None = None

    @property
    def namespace(self) -> str:
        """Return the part of the column's name before the first dot, which names a task, a judge or `user`; "" without
        a dot."""
        return self.name.partition(".")[0] if "." in self.name else ""

    @property
    def lacking(self) -> str:
        """Return words that say what a question without this column lacks, such as "a confidence"; else the column's
        name."""
        return self.when_missing or bare(self.name)


REGISTRY: dict[str, Column] = {}


def declare(*columns: Column) -> None:
    """Register columns. Raises ValueError for a name that is taken, or that has the prefix of users' columns."""
    for column in columns:
        if column.name in REGISTRY or column.name.startswith(USER):
            raise ValueError(f"a column named {column.name!r} cannot be declared, or is already declared")
        REGISTRY[column.name] = column


def known(name: str) -> Column:
    """Return the declaration of a column. A column that nobody declared is a score from the user's file."""
    summary = Summary("count", f"with {bare(name)}")
    return declared(name) or Column(name, "a score of the user's own", "score", summaries=(summary,))


def declared(name: str) -> Column | None:
    """Return the declaration of a column, or None if it is not declared.

    The name may have a parameter, as `nuggets.string_length(2)` does.
    """
    return REGISTRY.get(name) or (REGISTRY.get(name.partition("(")[0]) if parameters(name) else None)


@lru_cache(1 << 14)
def parameters(name: str) -> tuple[float, ...]:
    """Return the parameters in the name of a column, such as 50.0 of `nuggets.string_precision(50)`."""
    call = None if name.startswith(USER) else re.fullmatch(r"[^()]+\((\d+(?:\.\d+)?(?:e[+-]?\d+)?)\)", name)
    return (float(call[1]),) if call else ()


def user(name: str) -> str:
    """Return the name under which nescio stores the column `name` of a user's file, such as "user.f1" for "f1"."""
    return f"{USER}{name}"


def bare(name: str) -> str:
    """Return a column's name as the user knows it: without the prefix `user.`, which nescio puts before a user's
    columns."""
    return name.removeprefix(USER)


@lru_cache(1 << 14)
def attribute(name: str) -> str:
    """Return the part of a column's name that formulas use as an attribute, such as `right` for `ave.right`.

    A parameter in the name is left out.
    """
    return (name.partition("(")[0] if parameters(name) else name).rpartition(".")[2]


def resolve(name: str, stored: Mapping[str, Array]) -> str:
    """Return the name of the stored column to which `name` refers; `name` itself if it refers to no other.

    `user.f1`, from mean(f1), refers to the user's own column f1 if there is one. Otherwise it refers to a column that
    is named `f1`, or to the only column whose name ends in `.f1` (`token_f1.f1`).
    """
    if name in stored or not name.startswith(USER):
        return name
    plain = bare(name)
    if plain in stored:
        return plain
    ending = [column for column in stored if column.endswith(f".{plain}")]
    return ending[0] if len(ending) == 1 else name


def _confidence(evidence: Cells) -> Array:
    if "confidence" not in evidence.columns:
        raise MissingColumnError("this data has no confidences, so a confidence measure cannot be computed")
    confidence: Array = evidence.columns["confidence"]
    lacking = evidence.present & (evidence.column("answered") == 1) & np.isnan(confidence)
    some = ~np.isnan(confidence).all(axis=1)
    if evidence.partial_confidence:
        return confidence
    for run in np.flatnonzero(lacking.any(axis=1) & some):
        where = np.flatnonzero(lacking[run])
        raise MismatchError(
            f"run {evidence.runs[run]!r}: {len(where)} answered question{'s have' if len(where) > 1 else ' has'} no "
            f"confidence (first: {evidence.questions[where[0]]!r}), but only unanswered questions may lack one; use "
            f"{opt('missing_confidence', 'exclude')} to leave such answers out of measures that use confidence"
        )
    return confidence


def _has_confidence(evidence: Cells) -> Array:
    """Return, for each run, whether it has confidences, or has no answers and so needs none; shape (runs, 1)."""
    any_confidence = ~np.isnan(evidence.columns["confidence"]).all(axis=1, keepdims=True)
    return any_confidence | ~((evidence.column("answered") == 1) & evidence.present).any(axis=1, keepdims=True)


def _right(evidence: Cells) -> Array:
    right = np.where(evidence.column("answered") == 1, evidence.column("correct").astype(float), np.nan)
    if "candidate_correct" in evidence.columns:
        right[evidence.column("candidate_correct") == 1] = 1.0
        right[evidence.column("candidate_incorrect") == 1] = 0.0
    return right


def _probability(evidence: Cells) -> Array:
    confidence = _confidence(evidence)
    with np.errstate(invalid="ignore"):
        outside = evidence.present & ((confidence < 0) | (confidence > 1))
    for run, question in zip(*np.nonzero(outside), strict=True):
        raise MismatchError(
            f"run {evidence.runs[run]!r}, question {evidence.questions[question]!r}: this measure reads confidence as "
            f"a probability, which must lie in [0, 1] (found {float(confidence[run, question])!r}); for a column "
            f"in percent, use {opt('column', of='confidence=COLUMN/100')}"
        )
    return confidence


def _self_score(evidence: Cells) -> Array:
    probability = _probability(evidence)
    return np.where((evidence.column("answered") == 0) & _has_confidence(evidence), 0.0, probability)


def _ranking_score(evidence: Cells) -> Array:
    confidence = _confidence(evidence)
    silent = (evidence.column("unanswered") == 1) | ((evidence.column("answered") == 0) & np.isnan(confidence))
    return np.where(silent & _has_confidence(evidence), -np.inf, confidence)


def _selection_score(evidence: Cells) -> Array:
    confidence = _confidence(evidence)
    nothing = np.isnan(_right(evidence)) | (np.isnan(confidence) & (evidence.column("answered") != 1))
    return np.where(nothing & _has_confidence(evidence), -np.inf, confidence)


def _candidate(evidence: Cells) -> Array:
    return (np.isfinite(_right(evidence)) & np.isfinite(_selection_score(evidence))).astype(np.int8)


def _failure(evidence: Cells) -> Array:
    return ((_right(evidence) == 0) & np.isfinite(_selection_score(evidence))).astype(np.int8)


def _k_credit(evidence: Cells) -> Array:
    return _self_score(evidence) * (evidence.column("correct") - evidence.column("incorrect"))


def _outcome(name: str, meaning: str) -> Column:
    return Column(name, meaning, "count", summaries=(Summary("sum", name),), when_declined=UNCHANGED)


def _derived(
    name: str, meaning: str, derive: Callable[[Cells], Array], dtype: Literal["count", "score"], lacking: str = ""
) -> Column:
    return Column(name, meaning, dtype, when_missing=lacking, when_declined=UNCHANGED, derive=derive)


CONFIDENCE = "a confidence"

declare(
    _outcome("correct", "1 if the outcome is correct: a right answer, or an abstention if there is no answer"),
    _outcome("incorrect", "1 if the outcome is incorrect"),
    _outcome("unanswered", "1 if the question is left unanswered, and has an answer"),
    _outcome("candidate_correct", "1 if the answer was declined and would have been right"),
    _outcome("candidate_incorrect", "1 if the answer was declined and would have been wrong"),
    Column(
        "answered",
        "1 if the system gave an answer, whatever its outcome",
        "count",
        summaries=(Summary("zeros", "declined"),),
        when_declined=UNCHANGED,
    ),
    Column(
        "answerable",
        "1 if the collection holds an answer to the question",
        "score",
        when_missing="known answerability",
        summaries=(Summary("count", "with answerable"),),
        when_declined=UNCHANGED,
    ),
    Column(
        "partial",
        "1 if the answer is incorrect, but right in part",
        "score",
        summaries=(Summary("sum", "partial"),),
        when_declined=0.0,
        derive=lambda evidence: np.nan_to_num(evidence.columns["partial"]),  # NaN marks a cell without a value.
        validated=True,
    ),
    Column(
        "confidence",
        "the confidence in the first answer, or in the declined candidate; higher is surer",
        "score",
        when_missing=CONFIDENCE,
        summaries=(Summary("count", "with confidence"),),
        when_declined=UNCHANGED,
        derive=_confidence,
        validated=True,
    ),
    Column(
        "first_right",
        "the rank of the first right answer, 0 if none is right",
        "count",
        when_declined=UNCHANGED,
        lower_ranks=True,
        derive=lambda evidence: np.asarray(evidence.column("correct")),
    ),
    Column(
        "k_credit",
        "the credit that the question earns in the measure K",
        "score",
        when_missing=CONFIDENCE,
        summaries=(Summary("count", "with k_credit"),),
        when_declined=UNCHANGED,
        lower_ranks=True,
        derive=_k_credit,
    ),
    _derived("n", "1 where there is an outcome or a score", lambda evidence: evidence.present.astype(np.int8), "count"),
    _derived(
        "right",
        "1 if the answer, or else the declined candidate, is right; absent if the question has neither",
        _right,
        "score",
        "an answer or a judged candidate",
    ),
    _derived("candidate", "1 if there is an answer or a declined candidate", _candidate, "count"),
    _derived("failure", "1 if the answer or the declined candidate is wrong", _failure, "count"),
    _derived("probability", "the confidence, which must lie in [0, 1]", _probability, "score", CONFIDENCE),
    _derived("self_score", "the probability where answered, 0 for an abstention", _self_score, "score", CONFIDENCE),
    _derived(
        "ranking_score", "the confidence; an abstention ranks below every answer", _ranking_score, "score", CONFIDENCE
    ),
    _derived(
        "selection_score",
        "the confidence of an answer or a declined candidate; below all confidences if the question has neither",
        _selection_score,
        "score",
        CONFIDENCE,
    ),
)
