"""Define the contract of a measure, the registry of measures, and the parser of names with parameters.

A measure is one decorated function:

    @measure("c@1", needs="correct unanswered", bounds=(0, 1), source="Peñas & Rodrigo, ACL 2011, eq. 4")
    def c_at_1(total): ...

Users read its docstring: one line on what the measure is, the formula, and when it is undefined. Then come a paragraph
"When to use it: …" and one "Example: DATA: STEPS = NUMBER", worked out by hand, which a test recomputes.

The function gets sums of per-question columns and answers for all resamples at once. Four shapes share this contract:

totals      `total.correct` is the sum over the questions, shape (…,); `total.n` is how many there are.
each=       a map from columns to new per-question columns, run once; their sums are what the function gets. A new
            column may have a second axis (the bins of ECE), which stays last.
repeats=    a map like `each`, from sums over all answers to a question that was asked several times: `q.correct` of
            `q.n` answers are right. NaN leaves the question out. (For the other shapes a question counts as the mean of
            its answers.) If the measure has an `each`, too, the columns of `each` are summed over the answers.
order=      the sums are kept apart by the value of a column: the highest value first, tied questions in one group.
            (`{column}` stands for the first column that the measure needs, which a parameter names.)
            `total.correct` has shape (…, groups), and the function works by cumulative sums over the last axis.

A question counts for a measure if all columns that the measure `needs` are present. What an abstention, a weight and a
tie mean is decided before the function is called. A question with weight 2 equals the same question twice.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import index
from types import SimpleNamespace
from typing import Any, Literal, SupportsIndex

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, USER, Array, attribute, bare, known, resolve
from nescio.data.notes import Note
from nescio.data.patterns import Patterns
from nescio.data.repeats import means, sums
from nescio.errors import MissingColumnError, UsageError
from nescio.measures import _index
from nescio.measures._order import MOST_CELLS, Column, Ordered, TooManyCellsError
from nescio.registry import Call, Registry, Rule, bind, parse_call, values_of, written
from nescio.stats.ordered import Scan
from nescio.stats.resampling import Table

Formula = Callable[..., Any]
Bounds = tuple[float, float]
OUTCOME_COLUMNS = frozenset((*OUTCOMES, "n"))
WHEN, EXAMPLE = "When to use it", "Example"  # the beginnings of two paragraphs in a measure's docstring
AUTO = "auto"  # the measure finds the value of such a parameter itself, and its full name omits the parameter
# for measures whose public code has a known error: literal=1 computes what that code computes
LITERAL: Mapping[str, Rule] = {"literal": ("literal must be 0 or 1", lambda literal: literal in (0, 1))}
_ROWS_AT_ONCE = 32
# The kinds of answer: right, wrong, an abstention, and an abstention on a question without an answer.
KINDS_OF_ANSWER = {
    "correct": np.array([1.0, 0.0, 0.0, 1.0]),
    "incorrect": np.array([0.0, 1.0, 0.0, 0.0]),
    "unanswered": np.array([0.0, 0.0, 1.0, 0.0]),
    "answered": np.array([1.0, 1.0, 0.0, 0.0]),
}


_FORMS: dict[tuple[Any, ...], NDArray[np.float64] | None] = {}  # by measure, because every pair of runs needs them


class Measure(Struct, frozen=True):
    """A measure with its parameters bound: the result of `measure("penalty(t=0.75)")`.

    `label` is the name as the user wrote it, `name` the full name that signatures show.
    """

    label: str
    name: str
    needs: tuple[str, ...]
    bounds: Bounds
    declaration: Declaration
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, correct: SupportsIndex, incorrect: SupportsIndex, unanswered: SupportsIndex = 0) -> float:
        """Return the measure of these counts, NaN if it is undefined: `measure("c@1")(237, 156, 107)`.

        Raises MissingColumnError for a measure that needs more than counts, UsageError for values that are not counts.
        """
        counts = [
            _count(*pair) for pair in (("correct", correct), ("incorrect", incorrect), ("unanswered", unanswered))
        ]
        columns = dict(zip(OUTCOMES, np.eye(3), strict=True)) | {"answered": np.array([1.0, 1.0, 0.0])}
        lacking = next((name for name in self.reads if name not in (*columns, "n")), None)
        if lacking is not None:
            what = known(lacking).when_missing or f"the column {bare(lacking)!r}"
            raise MissingColumnError(
                f"{self.label} needs {what}, but counts have only correct, incorrect and unanswered"
            )
        patterns = Patterns({**self.each(columns), "n": np.ones(3)}, np.array(counts))
        return float(self.value(patterns, patterns.counts))

    @property
    def order(self) -> str | None:
        """Return the name of the column that orders the questions, highest values first, or None without an order.

        A declared order of `{column}` means the first column that the measure needs.
        """
        order = self.declaration.order
        return self.needs[0] if order is not None and order.startswith("{") else order

    @property
    def reads_order_alone(self) -> bool:
        """Return whether the measure reads only the order of a column.

        No monotone rescaling of the column then changes the value.
        """
        return self.order is not None and self.order not in self.needs

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the columns that the measure needs, including the column of its order."""
        return tuple(dict.fromkeys((*self.needs, *((self.order,) if self.order else ()))))

    @property
    def user_columns(self) -> tuple[str, ...]:
        """Return the names of the user's own columns that the measure reads."""
        return tuple(bare(name) for name in self.needs if name.startswith(USER))

    def on(self, stored: Mapping[str, Array]) -> Measure:
        """Return the measure with the names that its columns have in the data `stored`.

        For example, `mean(f1)` reads the user's column `f1`. If the data have the optional column, the measure needs it
        too.
        """
        needs = tuple(resolve(name, stored) for name in self.needs)
        optional = self.declaration.optional
        needs = (*needs, optional) if optional in stored and optional not in needs else needs
        return self if needs == self.needs else replace(self, needs=needs)

    @property
    def merge(self) -> bool:
        """Return whether neighbouring groups of tied questions may be merged if their rows are equal."""
        merge = self.declaration.merge
        return bool(merge(**self.parameters)) if callable(merge) else merge

    @property
    def binned(self) -> bool:
        """Return whether bins of the ordering column bound the value; `measure` explains `binned`."""
        binned = self.declaration.binned
        return bool(binned(**self.parameters)) if callable(binned) else binned

    @property
    def imagines_ends(self) -> bool:
        """Return whether Student's interval adds one imagined unit at either end of the measure's range.

        This suits measures whose rare values have a large effect.
        """
        return self.declaration.interval == "t" and all(map(math.isfinite, self.bounds))

    @property
    def of_counts(self) -> bool:
        """Return whether the measure needs only sums over the answers, without their order or repeats."""
        return self.order is None and self.declaration.repeats is None

    @property
    def counts_every_unit(self) -> bool:
        """Return whether every question contributes to the value, as for accuracy but not for precision."""
        if self.counts_outcomes:
            return all(abs(self(*counts) - self(5, 3, 8)) > 0 for counts in ((6, 3, 8), (5, 4, 8), (5, 3, 9)))
        return self.declaration.proportion is not None and self.declaration.proportion[1] == "n"

    @property
    def counts_outcomes(self) -> bool:
        """Return whether the measure needs only the counts of correct, incorrect and unanswered."""
        return self.of_counts and OUTCOME_COLUMNS.issuperset(self.needs)

    @property
    def of_kinds(self) -> bool:
        """Return whether the shares of `KINDS_OF_ANSWER` alone determine the value."""
        return self.of_counts and {*OUTCOME_COLUMNS, "answered"}.issuperset(self.needs)

    def if_right(self, kinds: Sequence[float], share: float) -> float:
        """Return how far the value moves if a `share` of the answers, all of them wrong, becomes right.

        `kinds` has the shares of `KINDS_OF_ANSWER`. The result is infinite for a measure of more than these shares.
        """
        if not self.of_kinds:
            return math.inf
        moved = min(share, kinds[1])
        both = np.array([kinds, [kinds[0] + moved, kinds[1] - moved, *kinds[2:]]])
        patterns = Patterns({**self.each(KINDS_OF_ANSWER), "n": np.ones(4)}, np.ones(4, dtype=np.int64))
        apart = abs(float(np.diff(self.value(patterns, both))[0]))
        return math.inf if math.isnan(apart) else apart

    @property
    def slope(self) -> float:
        r"""Return the most by which the value can change per share of questions changed; infinite if unproven.

        A bound is proven for values that are a quadratic form $x^T Q x$ of the shares x of the kinds of answer: means
        over questions, and c@1 and related measures. If a share s of the questions changes, a path of x moves s from
        some kinds to others, and the value changes by at most $2 s \max_{i,j,k} |Q_{ik} - Q_{jk}|$.
        """
        form = self._quadratic_form()
        return math.inf if form is None else 2 * float(np.ptp(form, axis=0).max())

    @property
    def is_mean(self) -> bool:
        """Return whether the value is a mean of points, where every kind of answer earns a fixed number of points."""
        form = self._quadratic_form()
        return form is not None and bool(np.allclose(form, np.add.outer(np.diag(form), np.diag(form)) / 2))

    def _quadratic_form(self) -> NDArray[np.float64] | None:
        """Return the matrix Q for which the value is $x^T Q x$, with x the shares of kinds of answer, or None."""
        key = self.declaration.formula, self.declaration.each, self.name, self.needs
        if key not in _FORMS:
            _FORMS[key] = self._computed_form()
        return _FORMS[key]

    def _computed_form(self) -> NDArray[np.float64] | None:
        if not self.of_kinds:
            return None
        patterns = Patterns({**self.each(KINDS_OF_ANSWER), "n": np.ones(4)}, np.ones(4, dtype=np.int64))
        kinds = np.eye(4)
        halves = self.value(patterns, kinds[:, None] + kinds)  # for two questions, with answers of the kinds i and j
        corners = np.diag(halves)
        form = 2 * halves - np.add.outer(corners, corners) / 2
        counts = np.array([*np.ndindex(6, 6, 6, 6), (1000, 1, 7, 0), (7, 1000, 1, 3), (1, 7, 1000, 0)][1:])
        shares = counts / counts.sum(axis=1, keepdims=True)
        claimed = np.einsum("pi,ij,pj->p", shares, form, shares)
        return form if np.allclose(self.value(patterns, counts), claimed, rtol=1e-9, atol=1e-12) else None

    def each(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return the columns that the formula sums, one row for each question, if each question was asked once."""
        if self.declaration.repeats is not None:
            columns = self._of_answers(columns)
            return {**columns, **self._of_repeats({**columns, "n": np.ones(len(next(iter(columns.values()))))})}
        return self._of_answers(columns)

    def _of_answers(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        if self.declaration.each is None:
            return columns
        return {**columns, **self.declaration.each(as_namespace(columns), **self.parameters)}

    def of_questions(
        self, columns: Mapping[str, Array], question: NDArray[np.int64]
    ) -> tuple[dict[str, Array], NDArray[np.int64]]:
        """Return the columns that the formula sums, n included, one row for each question, and the questions' numbers.

        A question may have several answers: `question` has the number of the question of each answer. Questions that
        were not asked often enough are left out.
        """
        numbers = np.unique(question)
        if self.declaration.repeats is None:
            mapped = {name: means(values, question) for name, values in self.each(columns).items()}
            return mapped | {"n": np.ones(len(numbers))}, numbers
        answers = self._of_answers(columns)
        counts = {name: sums(np.asarray(values, dtype=np.float64), question) for name, values in answers.items()}
        mapped = dict(self._of_repeats(counts | {"n": sums(np.ones(len(question)), question)}))
        kept = ~np.any([np.isnan(values) for values in mapped.values()], axis=0)
        return {name: values[kept] for name, values in mapped.items()} | {"n": np.ones(kept.sum())}, numbers[kept]

    def _of_repeats(self, counts: Mapping[str, Array]) -> Mapping[str, Array]:
        assert self.declaration.repeats is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.declaration.repeats(as_namespace(counts), **self.parameters)

    def value(self, patterns: Patterns, weights: Array) -> NDArray[np.float64]:
        """Return the value of the measure for each row of weights; NaN means undefined.

        Weights of shape (…, U), for the U kinds of unit in `patterns`, give values of shape (…,).
        """
        if self.order is None:
            weights = np.asarray(weights, dtype=np.float64)
            # A matrix product would give digits that depend on the number of threads.
            with np.errstate(over="ignore"):
                totals = {
                    name: np.einsum("...k,k->..." if values.ndim == 1 else "...k,km->...m", weights, values)
                    for name, values in patterns.columns.items()
                }
            return self.of_totals(totals)
        flat = np.asarray(weights).reshape(-1, np.shape(weights)[-1])
        parts = [self._of_order(patterns, flat[i : i + _ROWS_AT_ONCE]) for i in range(0, len(flat), _ROWS_AT_ONCE)]
        return np.concatenate(parts).reshape(np.shape(weights)[:-1]) if parts else np.zeros(0)

    def under(self, patterns: Patterns, table: Table, *, mirrored: bool = False) -> NDArray[np.float64]:
        """Return the value of an ordered measure in each of many resamples.

        `table`, shape (units, resamples), has the weight of each unit in each resample. If `mirrored`, the weights are
        0 or 1, and the values for the weights 1 - `table` follow.
        """
        assert patterns.starts is not None
        # The compiled passes need rows of equal weight.
        if patterns.shares is not None and (patterns.shares != 1).any():
            return self.value(patterns, np.concatenate([table, 1 - table], axis=1).T if mirrored else table.T)
        unit = np.arange(len(table)) if patterns.unit is None else patterns.unit
        scan = Scan(unit, np.append(patterns.starts, len(unit)), table, mirrored=mirrored)
        try:
            return self.of_totals({name: Ordered(scan, values) for name, values in patterns.columns.items()})
        except TooManyCellsError:
            step = max(1, MOST_CELLS // len(unit))
            table = scan.whole().table
            parts = (np.ascontiguousarray(table[:, i : i + step]) for i in range(0, table.shape[1], step))
            return np.concatenate([self.under(patterns, part) for part in parts])

    def deciding(self, patterns: Patterns) -> float:
        """Return the number of independent comparisons that all agree if the value is at its limit; 0 if unknown."""
        if self.declaration.deciding is None or patterns.unit is not None:
            return 0.0
        totals = {name: patterns.counts * values for name, values in patterns.columns.items()}
        return float(self.declaration.deciding(as_namespace(totals), **self.parameters))

    def of_totals(self, totals: Mapping[str, Column]) -> NDArray[np.float64]:
        """Return the value of the formula for these totals of columns; NaN if it is not finite, as for 0/0."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = np.asarray(self.declaration.formula(as_namespace(totals), **self.parameters), dtype=np.float64)
        return np.where(np.isfinite(values), values, np.nan)

    def _of_order(self, patterns: Patterns, weights: Array) -> NDArray[np.float64]:
        rows = (weights if patterns.unit is None else weights[:, patterns.unit]).astype(np.float64)
        if patterns.shares is not None:
            rows *= patterns.shares
        starts = patterns.starts
        assert starts is not None
        tied = len(starts) < rows.shape[1]
        totals = {}
        for name, values in patterns.columns.items():
            weighted = rows if name == "n" else rows * values
            totals[name] = np.add.reduceat(weighted, starts, axis=1) if tied else weighted
        return np.atleast_1d(self.of_totals(totals))


Measures = Sequence[str | Measure] | str | Measure | None  # as callers write them; None means those that suit the data


class OwnInterval(Struct, frozen=True):
    """A measure's own interval, which `of` computes from a run's patterns, a level and a random generator.

    `name` is the interval's name in a signature. `clustered` says whether the interval is valid for clustered
    questions. `alone` says that no other method is valid, either for the measure or for its differences.
    """

    name: str
    of: Callable[..., Bounds]
    clustered: bool = False
    alone: bool = True


class Declaration(Struct, frozen=True):
    """A registered measure before its parameters are bound; see `measure` for the fields."""

    name: str
    formula: Formula
    needs: str | Callable[..., str | tuple[str, ...]]
    bounds: Bounds | Callable[..., Bounds]
    source: str
    each: Callable[..., Mapping[str, Array]] | None = None
    repeats: Callable[..., Mapping[str, Array]] | None = None
    optional: str = ""
    order: str | None = None
    merge: bool | Callable[..., bool] = True
    binned: bool | Callable[..., bool] = False
    proportion: tuple[str, str] | None = None
    binary: bool = False
    valid: Mapping[str, Rule] = field(default_factory=dict)
    remark: Callable[..., Note | None] | None = None
    lower_is_better: bool = False
    direction: Callable[..., bool] | None = None
    descriptive: bool = False
    of_own_right: bool = False
    same_formula_as: str | None = None
    interval: Literal["percentile", "logit", "t"] | OwnInterval | None = "percentile"
    deciding: Callable[..., Any] | None = None
    beside: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the default of each parameter, by name; it is `inspect.Parameter.empty` for a required parameter."""
        return dict(_parameters(self.formula))

    @property
    def resampling_covers(self) -> bool:
        """Return whether an interval from resampling covers the true value as often as it claims."""
        return self.interval is not None and not (isinstance(self.interval, OwnInterval) and self.interval.alone)

    @property
    def other_names(self) -> tuple[str, ...]:
        """Return the names other than `name` by which a user can call the measure."""
        return tuple(other for other, name in OTHER_NAMES.items() if name == self.name)

    @property
    def doc(self) -> str:
        """Return the docstring of the formula, without the paragraphs on use and example."""
        return re.split(rf"\n\n(?:{WHEN}|{EXAMPLE}): ", inspect.cleandoc(self.formula.__doc__ or ""))[0]

    @property
    def use(self) -> str:
        """Return the advice on use: the purpose of the measure, what it hides, and alternatives."""
        return self._paragraph(WHEN)

    @property
    def example(self) -> str:
        """Return the example worked out by hand: the data, the arithmetic, the number. A test recomputes it."""
        return self._paragraph(EXAMPLE)

    def _paragraph(self, title: str) -> str:
        text = re.search(rf"\n\n{title}: (.+?)(?:\n\n|$)", inspect.cleandoc(self.formula.__doc__ or ""), re.DOTALL)
        return " ".join(text[1].split()) if text else ""

    @property
    def summary(self) -> str:
        """Return the first paragraph of the docstring, on one line."""
        return " ".join(self.doc.split("\n\n", 1)[0].split())

    @property
    def equation(self) -> str:
        """Return the formula as text: the first $…$ of the docstring, without the signs $."""
        formula = re.search(r"\$(.+?)\$", self.doc, re.DOTALL)
        return " ".join(formula.group(1).split()) if formula else ""

    def bind(self, label: str, values: Mapping[str, Any]) -> Measure:
        """Return the measure with these values of its parameters; `label` is its name as the user wrote it.

        Raises UsageError for an unknown, missing or invalid parameter.
        """
        bound = bind(self.name, "measure", self.parameters, values, self.valid)
        needs = self.needs(**bound) if callable(self.needs) else self.needs.format(**bound)
        bounds = self.bounds(**bound) if callable(self.bounds) else self.bounds
        full = written(self.name, {key: value for key, value in bound.items() if value != AUTO})
        columns = needs if isinstance(needs, tuple) else (needs,) if callable(self.needs) else tuple(needs.split())
        if len(set(map(attribute, columns))) < len(columns):
            raise ValueError(f"measure {self.name}: two of its columns have the same name after the last dot ({needs})")
        declaration = replace(self, lower_is_better=self.direction(**bound)) if self.direction else self
        return Measure(label, full, columns, bounds, declaration, bound)


@lru_cache(1 << 10)
def _parameters(formula: Formula) -> tuple[tuple[str, Any], ...]:
    return tuple((p.name, p.default) for p in list(inspect.signature(formula).parameters.values())[1:])


def _count(name: str, number: SupportsIndex) -> int:
    """Return `number` as an integer.

    Raises UsageError, with the name of the outcome, if it cannot be a number of questions.
    """
    try:
        whole = -1 if isinstance(number, bool) else index(number)
    except TypeError:
        whole = -1
    if whole < 0:
        raise UsageError(f"{name} must be a whole number from 0 (found {number!r})")
    return whole


def as_namespace(columns: Mapping[str, Any]) -> SimpleNamespace:
    """Return columns as attributes of an object, for a formula: the column `ave.right` is `total.right` there."""
    return SimpleNamespace(**{attribute(name): values for name, values in columns.items()})


OWN = " (or write a formula of your own, such as 'formula((C + U/2)/n)')"
# Other names of measures, short or from papers. A parameter in one is part of the name: ECE(by=count, bins=5) is
# ECE_by_count(bins=5).
OTHER_NAMES = {
    "price": "price_per_right",
    "ECE(by=count)": "ECE_by_count",
    "ECE(by=width)": "ECE",
    "AdaECE": "ECE_by_count",
    "G-Pass@k": "G-pass@k",
    "mG-Pass@k": "mG-pass@k",
    "R-Acc": "precision_answered",
    "A-Acc": "abstain_accuracy",
    "BAR": "benign_answering",
}
REGISTRY: Registry[Declaration] = Registry("measure", _index.PLACES, OWN)


def measure(
    name: str,
    *,
    needs: str | Callable[..., str | tuple[str, ...]],
    bounds: Bounds | Callable[..., Bounds],
    source: str,
    **more: Any,
) -> Callable[[Formula], Formula]:
    """Register the decorated formula as a measure. Raises ValueError for a name that is taken.

    `needs` names columns of `nescio.data.evidence`, one of which may contain a parameter of the measure
    (`nuggets.string_precision({delta})`). `optional` is a further column that is read if the data have it. `bounds` is
    a pair or a function of the parameters. `proportion` names the two sums whose ratio is the value, which makes
    Wilson's interval available. `binary` says that all columns are 0 or 1, so that the kinds of answer are known.
    `valid` maps a parameter to a rule in words and its test. `merge=False` says that an ordered measure distinguishes
    adjacent equal rows (a threshold may fall between them). `binned=True` says that ties give the expectation over
    their orders, and that swapping a wrong answer with a right one behind it never lowers the score. Bins of confidence
    then bound the value. `remark` may return a note on a run's columns. A `descriptive` measure says what a system
    does, not how well (coverage), so neither higher nor lower is better.
    `of_own_right` says that the sum is divided by the run's own right answers. Such a value rises if a run abstains
    where it is unsure, so no gate uses it. `direction` computes from the parameters whether lower is better.
    `same_formula_as` names a measure with the same formula over other columns; its rules then apply. `interval` is the
    method that the coverage study supports (docs/evidence/coverage.md) if there is neither a posterior of counts nor a
    proportion: percentile, logit, t, or the measure's own. None says that no method is valid, as for measures that
    noise makes larger. `deciding` returns, from the totals, how many independent comparisons all agree if the value is
    at its limit. `beside` names the measure that falls if a run answers less, for a measure by which such a run wins
    and that reads no outcomes.
    """

    def register(formula: Formula) -> Formula:
        REGISTRY.add(name, Declaration(name, formula, needs, bounds, source, **more))
        return formula

    return register


def parse(text: str | Measure) -> Measure:
    """Return the measure for a name such as `c@1`, `penalty(t=0.75)`, `coverage@risk(0.05)` or `mean(ap)`.

        nescio.measure("c@1")(correct=237, incorrect=156, unanswered=107)    # 0.575436
        nescio.score("outcomes.csv", nescio.measure("penalty(t=0.75)"))

    A measure of counts can be called with counts. Every measure can be passed to `nescio.score` and related functions.

    Raises UnknownNameError with the nearest names, or UsageError for an invalid parameter.
    """
    if isinstance(text, Measure):
        return text
    call = _by_own_name(parse_call(text, "measure"))
    declaration = REGISTRY.find(call.name)
    return declaration.bind(call.text.strip(), values_of(call, declaration.parameters, "measure"))


def _by_own_name(call: Call) -> Call:
    """Return a call of a measure under the name by which the measure is registered.

    For example, `ECE(by=count, bins=5)` becomes `ECE_by_count(bins=5)`.
    """
    for other, name in OTHER_NAMES.items():
        if not other.startswith(call.name):
            continue
        published = parse_call(other, "measure")
        if call.name == published.name and {*published.arguments} <= {*call.arguments}:
            rest = tuple(argument for argument in call.arguments if argument not in published.arguments)
            return replace(call, name=name, arguments=rest)
    return call
