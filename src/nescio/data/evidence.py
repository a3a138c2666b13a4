"""The waist of the hourglass: per-question columns of every run, and the counts of their patterns.

Formats and tasks end here, measures and statistics begin here. A column is an array of shape (runs, questions). Integer
columns count something; float columns are graded, and NaN in them is an absence. The names, and what each means:

    stored
    correct, incorrect, unanswered   the outcome, one of them 1 where present (after the rule for unanswerable questions)
    answered                         1 if the system gave an answer, whatever became of it
    candidate_correct, candidate_incorrect   1 if the answer was declined and would have been right, or wrong
    answerable                       1 if the collection holds an answer
    first_right                      rank of the first right answer, 0 if none is right
    confidence                       higher is surer; of the first answer, or of the declined candidate
    k_credit                         what the question earns in the measure K
    same, value                      PAN: the truth, and the score in [0, 1] with 0.5 for silence
    word_recall, word_precision      reading: the share of the key's, and of the answer's, content words that the other holds
    hum_sent, aut_sent               reading: 1 if the sentence chosen is accepted by people, or has the best word recall
    ave_selected_right, ave_rejected_right   AVE, of a question: 1 if a right answer is SELECTED; if all are rejected, none right
    ave_solvable, ave_random         AVE, of a question: 1 if it has a right answer; the share of its judged answers that are right
    ave_right, ave_accepted, ave_confidence  AVE, of an answer: 1 if right, if SELECTED or VALIDATED; the confidence in it
    nuggets_vital, nuggets_okay      definition questions: the vital and the okay nuggets of the key (R, and the rest)
    vital_found, okay_found          those that assessors found in the response (r and a); `…_partial` those found in part
    response_length                  non-white characters of all answer strings (l)
    string_precision                 a thesis's mean precision of the answer strings; 1 for silence
    pyramid_found, pyramid_weight    the weights of the matched nuggets, and of all in the key
    nugget_order                     Kendall's tau of the matched nuggets, response against key
    automatic_vital, automatic_found POURPRE: the sum of the matches of vital nuggets; how many nuggets match at all
    factoid, definition              TREC's main task: 1 on a question of that type; factoid_right: 1 if answered rightly
    list_distinct, list_returned, list_known   list questions: right distinct instances, all returned, all known
    anything else                    a graded score, named by its file: measured by mean(NAME)

    derived (`Evidence.column`)
    n              1 where present
    right          1 if the answer, or else the declined candidate, is right; absent where there is neither
    candidate      1 if there is an answer or a declined candidate
    failure        1 if that answer or candidate is wrong
    probability    the confidence, which must lie in [0, 1]
    self_score     the probability where answered, 0 on silence
    ranking        the confidence; silence stands below every answer
    standing       the confidence of an answer or a declined candidate; below all of them where there is neither
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nescio.errors import MismatchError, MissingColumnError

OUTCOMES = ("correct", "incorrect", "unanswered")
ABSENCES = ("present", "no row", "ungraded", "empty cell")
PRESENT, NO_ROW, UNGRADED, EMPTY_CELL = range(4)

# Where a row is a question or an answer to it, these are absent from rows of the other kind, and no note needs to say so.
OF_ONE_KIND = frozenset(
    ("ave_selected_right", "ave_rejected_right", "ave_solvable", "ave_random", "ave_right", "ave_accepted")
)

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Columns of shape (runs, questions), which cells are present, and what is known of each question.

    `absence` indexes `ABSENCES`; 0 is present. `clusters` numbers the cluster that each question belongs to. `strata` holds
    one text a question.
    """

    runs: tuple[str, ...]
    questions: tuple[str, ...]
    columns: Mapping[str, Array]
    absence: NDArray[np.uint8]
    strata: Mapping[str, Array] = field(default_factory=dict)
    clusters: NDArray[np.int64] | None = None

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which cells hold a graded outcome or score, shape (runs, questions)."""
        present: NDArray[np.bool_] = self.absence == PRESENT
        return present

    @property
    def unit(self) -> str:
        """What its rows are: questions, or "rows" where some are questions and others answers to them."""
        return "rows" if OF_ONE_KIND & self.columns.keys() else "questions"

    def column(self, name: str) -> Array:
        """A stored or derived column, shape (runs, questions).

        Raises MissingColumnError where no run has it, MismatchError where its values cannot be used.
        """
        if name in self.columns and name != "confidence":
            return self.columns[name]
        if name not in DERIVED:
            have = ", ".join(sorted(self.columns)) or "none"
            raise MissingColumnError(f"there is no column {name!r}; columns of this data: {have}")
        return DERIVED[name](self)

    def select(self, questions: Array) -> Evidence:
        """The same runs on some of the questions: a mask or an index."""
        chosen = np.arange(len(self.questions))[questions]
        clusters = None if self.clusters is None else np.unique(self.clusters[chosen], return_inverse=True)[1]
        return replace(
            self,
            questions=tuple(self.questions[i] for i in chosen),
            columns={name: column[:, chosen] for name, column in self.columns.items()},
            absence=self.absence[:, chosen],
            strata={name: values[chosen] for name, values in self.strata.items()},
            clusters=clusters,
        )

    def take_runs(self, runs: Sequence[int]) -> Evidence:
        """Some of the runs, in the order given."""
        chosen = list(runs)
        return replace(
            self,
            runs=tuple(self.runs[i] for i in chosen),
            columns={name: column[chosen] for name, column in self.columns.items()},
            absence=self.absence[chosen],
        )

    def tally(self) -> Tally:
        """The integer columns, as distinct patterns with how often each occurs in each run."""
        names = [name for name, column in self.columns.items() if column.dtype.kind in "iu"]
        present = self.present
        runs = np.repeat(np.arange(len(self.runs)), present.sum(axis=1))
        whole = len(runs) == present.size
        # Columns stay contiguous, which is what makes `distinct` quick.
        cells = np.stack([(v.ravel() if whole else v[present]) for v in (self.columns[name] for name in names)]).T
        patterns, code = distinct(cells)
        counts = np.bincount(runs * len(patterns) + code, minlength=len(self.runs) * len(patterns))
        columns = {name: patterns[:, i] for i, name in enumerate(names)}
        return Tally(self.runs, columns, counts.reshape(len(self.runs), len(patterns)))

    def digest(self) -> str:
        """A short hash of the data that does not depend on the order of questions, runs or columns."""
        order = sorted(range(len(self.questions)), key=self.questions.__getitem__)
        runs = sorted(range(len(self.runs)), key=self.runs.__getitem__)
        state = hashlib.blake2b(digest_size=6)
        state.update("\0".join([*sorted(self.runs), "", *(self.questions[i] for i in order)]).encode())
        for name in sorted(self.columns):
            state.update(name.encode())
            values = self.columns[name]
            small = values.dtype.kind in "iu" and values.min(initial=0) >= -128 and values.max(initial=0) < 128
            state.update(values[np.ix_(runs, order)].astype(np.int8 if small else np.float64).tobytes())
        state.update(np.ascontiguousarray(self.absence[runs][:, order]).tobytes())
        return state.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How often each pattern of the integer columns occurs in each run: all that count measures need.

    `columns` map a name to one value a pattern, shape (K,); `counts` has shape (runs, K).
    """

    runs: tuple[str, ...]
    columns: Mapping[str, Array]
    counts: NDArray[np.int64]

    def totals(self) -> dict[str, NDArray[np.int64]]:
        """The sum of each column over the questions of each run, and n; shape (runs,)."""
        sums = {name: self.counts @ values for name, values in self.columns.items()}
        return sums | {"n": self.counts.sum(axis=1)}

    def digest(self) -> str:
        """A short hash of the counts that does not depend on the order of the runs."""
        totals = self.totals()
        lines = sorted(f"{run}\0{[int(totals[name][i]) for name in sorted(totals)]}" for i, run in enumerate(self.runs))
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()


def outcome_tally(runs: Sequence[str], counts: NDArray[np.int64]) -> Tally:
    """A Tally from counts of correct, incorrect and unanswered, shape (runs, 3)."""
    identity = np.eye(3, dtype=np.int64)
    columns = dict(zip(OUTCOMES, identity, strict=True)) | {"answered": np.array([1, 1, 0])}
    return Tally(tuple(runs), columns, counts)


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct rows that one run's questions make, and how many resampling units there are of each kind.

    A resample gives each kind of unit a weight, shape (…, U). Without clusters a row is a kind (`unit` is None); with
    clusters and an order, `unit` says which cluster a row belongs to. `starts` marks where each group of tied rows begins.
    """

    columns: dict[str, Array]
    counts: NDArray[np.int64]
    unit: NDArray[np.int64] | None = None
    starts: NDArray[np.int64] | None = None


Each = Callable[[Mapping[str, Array]], Mapping[str, Array]]


def compress(columns: Mapping[str, Array], clusters: Array | None = None, each: Each | None = None) -> Patterns:
    """Distinct rows of additive columns (each of shape (questions,)) with how often each occurs.

    `each` maps columns to new ones and is run once, on the distinct rows. With clusters, a row is the sum over a cluster.
    """
    names = list(columns)
    cells = np.stack([np.asarray(columns[name], dtype=np.float64) for name in names], axis=1)
    if clusters is None:
        rows, code = distinct(cells)
        patterns = {name: rows[:, i] for i, name in enumerate(names)}
        mapped = dict(each(patterns)) if each else patterns
        return Patterns(mapped | {"n": np.ones(len(rows))}, np.bincount(code, minlength=len(rows)))
    _, code = np.unique(clusters, return_inverse=True)
    order = np.lexsort((*cells.T[::-1], code))
    cells, code = cells[order], code[order]
    by_question = {name: cells[:, i] for i, name in enumerate(names)}
    mapped = dict(each(by_question)) if each else by_question
    starts = _starts(code)
    sums = {name: np.add.reduceat(values, starts) for name, values in (mapped | {"n": np.ones(len(cells))}).items()}
    return Patterns(sums, np.ones(len(starts), dtype=np.int64))


def compress_ordered(
    columns: Mapping[str, Array], key: Array, clusters: Array | None = None, *, merge: bool = False
) -> Patterns:
    """Distinct rows in falling order of `key`, rows of one key grouped as tied.

    With `merge`, neighbouring groups that hold nothing but equal rows become one: for a measure that reads each position of
    the order on its own they are as good as copies of one question.
    """
    names = list(columns)
    cells = np.stack(
        [-np.asarray(key, dtype=np.float64), *(np.asarray(columns[n], dtype=np.float64) for n in names)], axis=1
    )
    if clusters is not None:
        _, unit = np.unique(clusters, return_inverse=True)
        order = np.lexsort((unit, *cells.T[::-1]))
        cells, unit = cells[order], unit[order]
        counts = np.ones(unit.max(initial=-1) + 1, dtype=np.int64)
        rows = {name: cells[:, i + 1] for i, name in enumerate(names)} | {"n": np.ones(len(cells))}
        return Patterns(rows, counts, unit, _starts(cells[:, 0]))
    cells, code = distinct(cells)
    counts = np.bincount(code, minlength=len(cells))
    if merge:
        cells, counts = _merge_neighbours(cells, counts)
    rows = {name: cells[:, i + 1] for i, name in enumerate(names)} | {"n": np.ones(len(cells))}
    return Patterns(rows, counts, None, _starts(cells[:, 0]))


def distinct(cells: Array) -> tuple[Array, NDArray[np.int64]]:
    """The distinct rows of a matrix in lexicographic order, and which of them each row is."""
    if cells.dtype.kind in "iu" and len(cells):
        low = [int(column.min()) for column in cells.T]
        span = [int(column.max()) - least + 1 for column, least in zip(cells.T, low, strict=True)]
        if math.prod(span) <= 1 << 16:
            code = np.zeros(len(cells), dtype=np.int64)
            for column, least, values in zip(cells.T, low, span, strict=True):
                code *= values
                code += column.astype(np.int64) - least
            seen = np.bincount(code, minlength=math.prod(span)) > 0
            used = np.flatnonzero(seen)
            rows = np.stack(np.unravel_index(used, span), axis=1) + np.array(low)
            return rows, (np.cumsum(seen) - 1)[code]
    order = np.lexsort(cells.T[::-1])
    ranked = cells[order]
    new = np.ones(len(ranked), dtype=bool)
    new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    code = np.empty(len(ranked), dtype=np.int64)
    code[order] = np.cumsum(new) - 1
    return ranked[new], code


def _starts(sorted_key: Array) -> NDArray[np.int64]:
    return (
        np.flatnonzero(np.concatenate([[True], sorted_key[1:] != sorted_key[:-1]]))
        if len(sorted_key)
        else np.zeros(0, int)
    )


def _merge_neighbours(cells: Array, counts: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    starts = _starts(cells[:, 0])
    if not len(starts):
        return cells, counts
    size = np.diff(np.append(starts, len(cells)))
    alone = np.repeat(size == 1, size)
    same = np.zeros(len(cells), dtype=bool)
    same[1:] = alone[1:] & alone[:-1] & (cells[1:, 1:] == cells[:-1, 1:]).all(axis=1)
    kept = np.flatnonzero(~same)
    return cells[kept], np.add.reduceat(counts, kept)


def _confidence(evidence: Evidence) -> Array:
    if "confidence" not in evidence.columns:
        raise MissingColumnError("there is no confidence in this data: a confidence measure cannot be computed")
    confidence: Array = evidence.columns["confidence"]
    lacking = evidence.present & (evidence.column("answered") == 1) & np.isnan(confidence)
    some = ~np.isnan(confidence).all(axis=1)
    for run in np.flatnonzero(lacking.any(axis=1) & some):
        where = np.flatnonzero(lacking[run])
        raise MismatchError(
            f"run {evidence.runs[run]!r}: {len(where)} answered question{'s have' if len(where) > 1 else ' has'} no "
            f"confidence (first: {evidence.questions[where[0]]!r}); only silence may lack one"
        )
    return confidence


def _has_confidence(evidence: Evidence) -> Array:
    """Whether a run has confidences, or answers nothing and so needs none; shape (runs, 1)."""
    given = ~np.isnan(evidence.columns["confidence"]).all(axis=1, keepdims=True)
    return given | ~((evidence.column("answered") == 1) & evidence.present).any(axis=1, keepdims=True)


def _right(evidence: Evidence) -> Array:
    right = np.where(evidence.column("answered") == 1, evidence.column("correct").astype(float), np.nan)
    if "candidate_correct" in evidence.columns:
        right[evidence.column("candidate_correct") == 1] = 1.0
        right[evidence.column("candidate_incorrect") == 1] = 0.0
    return right


def _probability(evidence: Evidence) -> Array:
    confidence = _confidence(evidence)
    with np.errstate(invalid="ignore"):
        outside = evidence.present & ((confidence < 0) | (confidence > 1))
    for run, question in zip(*np.nonzero(outside), strict=True):
        raise MismatchError(
            f"run {evidence.runs[run]!r}, question {evidence.questions[question]!r}: this measure reads confidence as a "
            f"probability, which lies in [0, 1] (found {float(confidence[run, question])!r})"
        )
    return confidence


def _self_score(evidence: Evidence) -> Array:
    probability = _probability(evidence)
    return np.where((evidence.column("answered") == 0) & _has_confidence(evidence), 0.0, probability)


def _ranking(evidence: Evidence) -> Array:
    confidence = _confidence(evidence)
    silent = (evidence.column("unanswered") == 1) | ((evidence.column("answered") == 0) & np.isnan(confidence))
    return np.where(silent & _has_confidence(evidence), -np.inf, confidence)


def _standing(evidence: Evidence) -> Array:
    confidence = _confidence(evidence)
    nothing = np.isnan(_right(evidence)) | np.isnan(confidence)
    return np.where(nothing & _has_confidence(evidence), -np.inf, confidence)


def _first_right(evidence: Evidence) -> Array:
    return np.asarray(evidence.column("correct"))


def _k_credit(evidence: Evidence) -> Array:
    return _self_score(evidence) * (evidence.column("correct") - evidence.column("incorrect"))


DERIVED: dict[str, Callable[[Evidence], Array]] = {
    "n": lambda evidence: evidence.present.astype(np.int8),
    "confidence": _confidence,
    "right": _right,
    "candidate": lambda evidence: (np.isfinite(_right(evidence)) & np.isfinite(_standing(evidence))).astype(np.int8),
    "failure": lambda evidence: ((_right(evidence) == 0) & np.isfinite(_standing(evidence))).astype(np.int8),
    "probability": _probability,
    "self_score": _self_score,
    "ranking": _ranking,
    "standing": _standing,
    "first_right": _first_right,
    "k_credit": _k_credit,
}
