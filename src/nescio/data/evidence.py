"""Define the data between formats and measures: per-question columns of every run, and the counts of their patterns.

Formats and tasks produce these data; measures and statistics use them. A column is an array of shape (runs, questions).
Its name and meaning are declared in `nescio.data.columns` or, for a task's columns, in the task's folder.

There are two kinds of data. Both say what they support, so that no code asks for their type:

                    Evidence           Tally
    what            this data          a counts or pair table      in messages
    has_questions   yes                no                          to draw, select, break down, put in order
    can_pair        yes                if `pairs` were counted     how two runs did on the same questions
    questions, strata, clusters, groups, repeats                   empty or None of a Tally
    tally()         its counts         itself

A verb that needs questions or pairs takes the data through `with_questions` or `with_pairs`, whose errors say what is
missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.columns import OUTCOMES, Array, bare, declared, known, parameters, resolve
from nescio.data.patterns import distinct
from nescio.data.repeats import Repeats
from nescio.errors import MismatchError, MissingColumnError, opt
from nescio.stats.packed import pair_index

ABSENCES = ("present", "no row", "ungraded", "empty cell")
PRESENT, NO_ROW, UNGRADED, EMPTY_CELL = range(4)
ANSWERS_AT_ONCE = 1 << 18  # answers that are counted at once; each takes nine bytes, and one more per column


class Evidence(Struct, frozen=True, eq=False):
    """Columns of shape (runs, questions), with a mask of the present cells, and with the properties of each question.

    `absence` has an index into `ABSENCES` for each cell; 0 is present. `clusters` has the number of each question's
    cluster. Each stratum in `strata` has one text per question. `answer_rows` marks the entries on the axis of
    questions that stand for single answers, if a task has such entries. Such an entry has values only in the columns
    for answers, and any other entry only in those for questions. With `repeats`, a row is one of several answers to a
    question. In that case `questions` repeats the question's name, and the answers to a question are in one cluster.
    `origins` maps a run's name here to its name in the files, if these differ. `partial_confidence` says that measures
    leave out answers without a confidence, in a run that has some; otherwise such answers are an error.
    """

    runs: tuple[str, ...]
    questions: tuple[str, ...]
    columns: Mapping[str, Array]
    absence: NDArray[np.uint8]
    strata: Mapping[str, Array] = field(default_factory=dict)
    clusters: NDArray[np.int64] | None = None
    answer_rows: NDArray[np.bool_] | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    partial_confidence: bool = False
    repeats: Repeats | None = None

    what: ClassVar[str] = "this data"
    has_questions: ClassVar[Literal[True]] = True
    can_pair: ClassVar[bool] = True

    @property
    def present(self) -> NDArray[np.bool_]:
        """Return a mask of the answers that have a graded outcome or score, shape (runs, questions)."""
        present: NDArray[np.bool_] = self.absence == PRESENT
        return present

    @property
    def unit(self) -> str:
        """Return the word for the rows in a signature: "questions", or "rows" if some rows are single answers to a
        question."""
        return "questions" if self.answer_rows is None else "rows"

    @property
    def size(self) -> int:
        """Return the number of questions. A question that was asked several times counts once."""
        return len(self.questions) if self.repeats is None else self.repeats.questions

    @property
    def shape(self) -> dict[str, str]:
        """Return the numbers of questions, of repeats and of clusters, as fields for a signature."""
        span = {} if self.repeats is None else {"repeats": self.repeats.span(self.present)}
        clusters = {} if self.groups is None else {"clusters": str(self.units)}
        return {self.unit: str(self.size), **span, **clusters}

    @property
    def resampled(self) -> str:
        """Return the word for the units that are resampled: "clusters" if clusters hold several questions, else
        "questions"."""
        return "questions" if self.groups is None else "clusters"

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """Return the cluster of each row if clusters hold several questions; None if each cluster holds only repeats of
        one."""
        if self.clusters is None or self.repeats is None:
            return self.clusters
        return None if len(np.unique(self.clusters)) == self.repeats.questions else self.clusters

    @property
    def units(self) -> int:
        """Return the number of resampled units: questions, or clusters of them."""
        return self.size if self.groups is None else len(np.unique(self.groups))

    def column(self, name: str) -> Array:
        """Return a column, shape (runs, questions), either stored or derived from other columns.

        Raises MissingColumnError if no run has the column, MismatchError if its values cannot be used.
        """
        name = resolve(name, self.columns)
        column = declared(name)
        if name in self.columns and not (column and column.validated):
            return self.columns[name]
        if column and column.derive:
            return column.derive(self, *parameters(name))
        have = ", ".join(sorted(map(bare, self.columns))) or "none"
        namespace = column.namespace if column else ""
        needs = f"it needs {column.when_missing}, and " if column and column.when_missing else ""
        raise MissingColumnError(f"{needs}there is no column {bare(name)!r}; the data has {have}{self.hint(namespace)}")

    def hint(self, namespace: str = "") -> str:
        """Return advice to add to an error message: which other measures fit the columns that this data has.

        Columns of `namespace` are left out, because the message is about them. The result is "" if there is no advice.
        """
        stored = [known(name) for name in self.columns]
        hints = dict.fromkeys(c.instead for c in stored if c.instead and c.namespace != namespace)
        return "".join(f"; {hint}" for hint in hints)

    def rows_of(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the rows that measures of the columns `names` are about, shape (runs, questions).

        These are the present rows, and those with an empty score, which a measure then lacks. If one of the columns
        describes single answers, these are the rows of answers; otherwise the rows of questions.
        """
        asked: NDArray[np.bool_] = self.present | (self.absence == EMPTY_CELL)
        kinds = {known(resolve(name, self.columns)).row for name in names}
        if self.answer_rows is None or not kinds:
            return asked
        return asked & (self.answer_rows if "answer" in kinds else ~self.answer_rows)

    def select(self, questions: Array) -> Evidence:
        """Return Evidence of the same runs on some of the questions, given a mask or an index."""
        chosen = np.arange(len(self.questions))[questions]
        clusters = None if self.clusters is None else np.unique(self.clusters[chosen], return_inverse=True)[1]
        return replace(
            self,
            questions=tuple(map(self.questions.__getitem__, chosen.tolist())),
            columns={name: column[:, chosen] for name, column in self.columns.items()},
            absence=self.absence[:, chosen],
            strata={name: values[chosen] for name, values in self.strata.items()},
            clusters=clusters,
            answer_rows=None if self.answer_rows is None else self.answer_rows[chosen],
            repeats=None if self.repeats is None else self.repeats.select(chosen),
        )

    def take_runs(self, runs: Sequence[int]) -> Evidence:
        """Return Evidence of some of the runs, whose indices are given in the wanted order."""
        chosen = list(runs)
        return replace(
            self,
            runs=tuple(self.runs[i] for i in chosen),
            columns={name: column[chosen] for name, column in self.columns.items()},
            absence=self.absence[chosen],
        )

    def tally(self) -> Tally:
        """Return a Tally: the distinct combinations of values in the integer columns, and how often they occur in each
        run."""
        names = [name for name, column in self.columns.items() if column.dtype.kind in "iu"]
        every_present = self.present
        at_once = max(1, ANSWERS_AT_ONCE // max(1, every_present.shape[1]))
        rows, counted = [], []
        for first in range(0, len(self.runs), at_once):
            present = every_present[first : first + at_once]
            cells = np.stack([self.columns[name][first : first + at_once][present] for name in names]).T
            distinct_rows, code = distinct(cells)
            run = np.repeat(np.arange(len(present)), present.sum(axis=1))
            times = np.bincount(run * len(distinct_rows) + code, minlength=len(present) * len(distinct_rows))
            rows.append(distinct_rows)
            counted.append(times.reshape(len(present), len(distinct_rows)))
        patterns, place = distinct(np.concatenate(rows))
        counts = np.zeros((len(self.runs), len(patterns)), dtype=np.int64)
        done = 0
        for first, times in zip(range(0, len(self.runs), at_once), counted, strict=True):
            counts[first : first + len(times), place[done : done + times.shape[1]]] = times
            done += times.shape[1]
        columns = {name: patterns[:, i] for i, name in enumerate(names)}
        return Tally(self.runs, columns, counts)

    def sorted_rows(self) -> list[int]:
        """Return the indices of the rows, sorted by the name of the question and then by the label of the repeat."""
        if self.repeats is None:
            return sorted(range(len(self.questions)), key=self.questions.__getitem__)
        labels = list(map(str, self.repeats.label))
        place = {label: i for i, label in enumerate(sorted(set(labels)))}
        by_label = np.fromiter(map(place.__getitem__, labels), np.int64, len(labels))
        # Questions are numbered in order of their names.
        order: list[int] = np.lexsort((by_label, self.repeats.question)).tolist()
        return order

    def digest(self) -> str:
        """Return a short hash of the data. It is the same for any order of the questions, the runs and the columns."""
        order = self.sorted_rows()
        runs = sorted(range(len(self.runs)), key=self.runs.__getitem__)
        state = hashlib.blake2b(digest_size=6)
        state.update("\0".join([*sorted(self.runs), "", *map(self.questions.__getitem__, order)]).encode())
        if self.repeats is not None:
            state.update("\0".join(["", *map(str, self.repeats.label[order])]).encode())
        for name in sorted(self.columns):
            state.update(name.encode())
            values = self.columns[name]
            small = values.dtype.kind in "iu" and values.min(initial=0) >= -128 and values.max(initial=0) < 128
            state.update(values[np.ix_(runs, order)].astype(np.int8 if small else np.float64).tobytes())
        state.update(np.ascontiguousarray(self.absence[runs][:, order]).tobytes())
        return state.hexdigest()


class Tally(Struct, frozen=True, eq=False):
    """The counts of each pattern (a combination of the columns' values) in each run, which suffice for count measures.

    `columns` map a name to one value per pattern, shape (K,); `counts` has shape (runs, K). A pair table also has
    `pairs`, shape (pairs, K, K), in the order of `itertools.combinations`. Its element (i, j) is the number of
    questions with pattern i in the first run and j in the second. The `size` of a pair table is the number of
    questions. If answers were counted at each rounded confidence, `columns` has `confidence`, which is NaN for an
    answer without one.
    """

    runs: tuple[str, ...]
    columns: Mapping[str, Array]
    counts: NDArray[np.int64]
    pairs: NDArray[np.int64] | None = None
    size: int | None = None

    has_questions: ClassVar[Literal[False]] = False
    origins: ClassVar[Mapping[str, str]] = {}
    resampled: ClassVar[str] = "questions"
    questions: ClassVar[tuple[str, ...]] = ()
    strata: ClassVar[Mapping[str, Array]] = {}
    clusters: ClassVar[None] = None
    groups: ClassVar[None] = None
    repeats: ClassVar[None] = None

    @property
    def what(self) -> str:
        """Return the name of this kind of table in messages: "a counts table", or "a pair table" if it compares runs in
        pairs."""
        return "a counts table" if self.size is None else "a pair table"

    @property
    def shape(self) -> dict[str, str]:
        """Return the number of questions, if it is known, as a field for a signature."""
        return {} if self.size is None else {"questions": str(self.size)}

    @property
    def can_pair(self) -> bool:
        """Return whether the table holds the joint counts of two runs on the same questions."""
        return self.pairs is not None

    def tally(self) -> Tally:
        """Return a Tally of the outcomes alone, in which the counts at all confidences are added up."""
        if "confidence" not in self.columns:
            return self
        counts = np.stack([self.counts @ self.columns[name] for name in OUTCOMES], axis=1)
        return outcome_tally(self.runs, counts)

    def weighted_rows(self) -> Evidence:
        """Return Evidence with one row per pattern. Callers use the counts of a pattern as the weights of its row."""
        shape = self.counts.shape
        columns = {name: np.broadcast_to(values, shape) for name, values in self.columns.items()}
        absence = np.where(self.counts > 0, PRESENT, NO_ROW).astype(np.uint8)
        return Evidence(self.runs, tuple(map(str, range(shape[1]))), columns, absence)

    def column(self, name: str) -> Array:
        """Return the value of a column for each pattern, a combination of values that questions have; shape (K,).

        The column `n` is 1 for each pattern, because a pattern describes one question.
        """
        return np.ones(self.counts.shape[1], dtype=np.int64) if name == "n" else self.columns[name]

    def table(self, x: int, y: int) -> NDArray[np.int64]:
        """Return how often each pair of patterns occurs in the runs `x` and `y`, for K patterns an array of shape (K,
        K).

        Element (i, j) is the number of questions with pattern i in run `x` and pattern j in run `y`.
        """
        assert self.pairs is not None
        table: NDArray[np.int64] = self.pairs[pair_index(min(x, y), max(x, y), len(self.runs))]
        return table if x < y else table.T

    def take_runs(self, runs: Sequence[int]) -> Tally:
        """Return a Tally of some of the runs, whose indices are given in the wanted order."""
        chosen = list(runs)
        pairs = self.pairs
        if pairs is not None:
            tables = [self.table(x, y) for x, y in combinations(chosen, 2)]
            pairs = np.stack(tables) if tables else pairs[:0]
        return replace(self, runs=tuple(self.runs[i] for i in chosen), counts=self.counts[chosen], pairs=pairs)

    def totals(self) -> dict[str, NDArray[np.int64]]:
        """Return the sum of each integer column over a run's questions, keyed by column, and the number `n` of these
        questions.

        Each array has shape (runs,).
        """
        sums = {name: self.counts @ values for name, values in self.columns.items() if values.dtype.kind in "iu"}
        return sums | {"n": self.counts.sum(axis=1)}

    def digest(self) -> str:
        """Return a short hash of the counts. It is the same for any order of the runs."""
        totals = self.totals()
        columns = [totals[name].tolist() for name in sorted(totals)]
        if "confidence" in self.columns:
            levels = self.columns["confidence"].tobytes()
            columns.append([hashlib.blake2b(levels + run_counts.tobytes()).hexdigest() for run_counts in self.counts])
        lines = sorted(f"{run}\0{[*numbers]}" for run, *numbers in zip(self.runs, *columns, strict=True))
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()


def outcome_tally(runs: Sequence[str], counts: NDArray[np.int64]) -> Tally:
    """Return a Tally from numbers of correct, incorrect and unanswered answers; `counts` has shape (runs, 3)."""
    identity = np.eye(3, dtype=np.int64)
    columns = dict(zip(OUTCOMES, identity, strict=True)) | {"answered": np.array([1, 1, 0])}
    return Tally(tuple(runs), columns, counts)


def weighted_tally(runs: Sequence[str], levels: NDArray[np.float64], counts: NDArray[np.int64]) -> Tally:
    """Return a Tally from the numbers of correct, incorrect and unanswered answers of each run at each confidence.

    `levels` has the confidences, NaN for answers without a confidence; `counts` has shape (runs, levels, 3).
    """
    outcome = np.tile(np.arange(3), len(levels))
    columns: dict[str, Array] = {name: (outcome == i).astype(np.int8) for i, name in enumerate(OUTCOMES)}
    columns |= {"answered": (outcome < 2).astype(np.int8), "confidence": np.repeat(levels, 3)}
    return Tally(tuple(runs), columns, counts.reshape(len(runs), -1))


Data = Evidence | Tally


def as_rows(data: Data) -> Data:
    """Return Evidence with one row per answer, for a Tally that counts answers at each confidence.

    Any other data are returned unchanged.
    """
    if data.has_questions or "confidence" not in data.columns:
        return data
    weighted = data.weighted_rows()
    size = int(data.counts.sum(axis=1).max())
    patterns = [np.repeat(np.arange(len(counts)), counts) for counts in data.counts]
    row = np.stack([np.pad(rows, (0, size - len(rows))) for rows in patterns])
    absence = np.where(np.arange(size) < [[len(rows)] for rows in patterns], PRESENT, NO_ROW).astype(np.uint8)
    columns = {name: np.take_along_axis(values, row, axis=1) for name, values in weighted.columns.items()}
    return Evidence(data.runs, tuple(map(str, range(size))), columns, absence)


def with_questions(data: Data, purpose: str, instead: str = "") -> Evidence:
    """Return `data` if it has single questions, and raise MismatchError if it has only counts.

    The message says that there are no questions to `purpose` (a verb, such as "resample"), and gives the advice
    `instead`.
    """
    if data.has_questions:
        return data
    raise MismatchError(f"{data.what} has no questions to {purpose}{instead and f'; {instead}'}")


def with_pairs(data: Data) -> Data:
    """Return `data` if it says how two runs did on the same question; raise MismatchError if it has only counts per
    run."""
    if data.can_pair:
        return data
    raise MismatchError(
        "a counts table does not say which questions each run got right, so its runs cannot be compared; use an "
        f"outcome table, or a pair table (nescio sql {opt('only', 'pairs')})"
    )
