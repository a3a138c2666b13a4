"""Define all hypothesis strategies of the project."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from msgspec.structs import replace

from nescio.data.columns import REGISTRY, Array
from nescio.data.evidence import EMPTY_CELL, NO_ROW, PRESENT, UNGRADED, Evidence
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.reasons import BLOCKED, CUT, EMPTY, ERRORED, NO_FORM
from nescio.formats import Unjudged
from nescio.meta_evaluation.audit import _kinds

# The possible outcomes of a question. A declined candidate is an answer that the system withheld.
RIGHT, WRONG, SILENT, DECLINED_RIGHT, DECLINED_WRONG = range(5)

thousandths = st.integers(0, 1000).map(lambda k: k / 1000)  # fine enough; sums of squares keep their digits
seeds = st.integers(0, 2**32)
counts = st.tuples(*[st.integers(0, 1000)] * 3).filter(any)  # correct, incorrect, unanswered


# Draws one of the values for each cell of `rows` rows, by default one row for each run.
Cells = Callable[..., Array]


@st.composite
def evidence(
    draw: DrawFn,
    *,
    min_runs: int = 1,
    max_runs: int = 3,
    max_questions: int = 8,
    absences: bool = True,
    lacking_confidence: bool = True,
) -> Evidence:
    """Return Evidence with every column that a measure may need, all consistent (see `nescio.data.evidence`).

    `absences` allows missing and ungraded cells, `lacking_confidence` a run whose answers have none.
    """
    runs, questions = draw(st.integers(min_runs, max_runs)), draw(st.integers(1, max_questions))
    scores = np.array([0.0, 0.25, 0.5, 0.9, 1.0, *draw(st.tuples(*[thousandths] * 3))])

    def cells(values: object, rows: int = runs) -> Array:
        """Return cells drawn as bytes, which is quick and shrinks to the first value everywhere."""
        size = rows * questions
        drawn = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype=np.uint8)
        chosen: Array = np.asarray(values)[drawn.reshape(rows, questions) % len(np.asarray(values))]
        return np.broadcast_to(chosen, (runs, questions)).copy()

    absence = cells([PRESENT] * 5 + [NO_ROW, UNGRADED, EMPTY_CELL] if absences else [PRESENT]).astype(np.uint8)
    lacks = lacking_confidence and runs > 1 and draw(st.booleans())
    return evidence_of(cells, scores, absence, silent_run=lacks)


def evidence_of(cells: Cells, scores: Array, absence: Array, *, silent_run: bool = False) -> Evidence:
    """Return Evidence of those cells; with `silent_run`, the first run's answers have no confidence."""
    runs, questions = absence.shape
    answerable = cells([1, 1, 1, 0, np.nan], rows=1)
    columns = _outcomes(cells(range(5)), answerable == 0, absence == PRESENT)
    answered = columns["answered"] == 1
    columns["answerable"] = answerable if np.isnan(answerable).any() else answerable.astype(np.int8)
    columns["first_right"] = np.where(answered & (columns["correct"] == 1), 1, cells([0, 2, 3]))
    sure, quiet = cells(scores), ~answered & cells([False, True])
    if silent_run:
        quiet[0] = True
    columns["confidence"] = np.where(quiet, np.nan, sure)
    columns["k_credit"] = np.where(quiet, np.where(quiet.all(axis=1, keepdims=True), np.nan, 0.0), 2 * sure - 1)
    columns["verification.same"] = cells([0, 1], rows=1).astype(np.int8)
    columns["verification.value"] = _pan_values(columns, cells(scores))
    columns["graded"] = cells([*scores, np.nan])
    columns["stakes.penalty"] = np.full((runs, questions), 2.0)  # a stake at which every question was asked
    columns |= _nuggets(cells)
    columns["reading.word_recall"] = np.where(answered, sure, 0.0)
    columns["reading.word_precision"] = np.where(answered, sure, np.nan)
    columns["reading.precision"] = np.nan_to_num(columns["reading.word_precision"])
    columns["reading.hum_sent"] = np.where(cells([True, True, False], rows=1), columns["correct"], np.nan)
    columns["reading.aut_sent"] = columns["correct"].astype(float)
    columns["assessed.unsupported"] = columns["incorrect"] * cells([0.0, 1.0])
    columns["assessed.inexact"] = (columns["incorrect"] - columns["assessed.unsupported"]) * cells([0.0, 1.0])
    columns["squad.exact"] = columns["correct"].copy()
    columns["squad.f1"] = np.where(columns["incorrect"] == 1, sure / 2, columns["correct"])
    columns |= _validation(cells(range(3)), cells([0.0, 0.25, 0.5, 1.0]), cells([0, 1, np.nan]), cells([0, 1]), sure)
    columns = simulated(columns) | columns
    names = tuple(f"q{i}" for i in range(questions))
    return Evidence(tuple(f"run {i}" for i in range(runs)), names, columns, absence, {"topic": cells(list("abc"))[0]})


def simulated(columns: dict[str, Array]) -> dict[str, Array]:
    """Return every declared column as its declaration simulates it, so that new tasks need no line here."""
    declined = np.where(columns["candidate_correct"] == 1, _kinds.HELD_RIGHT, _kinds.HELD_WRONG)
    silent = columns["candidate_correct"] + columns["candidate_incorrect"] == 0
    answer = np.where(columns["correct"] == 1, _kinds.RIGHT, _kinds.WRONG)
    behaviour = np.where(columns["answered"] == 1, answer, np.where(silent, _kinds.SILENT, declined))
    kinds = _kinds.Kinds(
        behaviour, columns["confidence"], columns["verification.same"] == 1, np.asarray(columns["answerable"] != 0)
    )
    return {name: column.simulate(kinds) for name, column in REGISTRY.items() if column.simulate}


def _outcomes(did: Array, unanswerable: Array, present: Array) -> dict[str, Array]:
    """Return the columns of the outcome; on an unanswerable question silence is right and an answer wrong."""
    answered = (did == RIGHT) | (did == WRONG)
    declined = (did == DECLINED_RIGHT) | (did == DECLINED_WRONG)
    worthy = (did == DECLINED_RIGHT) & ~unanswerable
    columns = {
        "correct": np.where(unanswerable, ~answered, did == RIGHT),
        "incorrect": np.where(unanswerable, answered, did == WRONG),
        "unanswered": ~answered & ~unanswerable,
        "answered": answered,
        "candidate_correct": worthy,
        "candidate_incorrect": declined & ~worthy,
    }
    return {name: (column & present).astype(np.int8) for name, column in columns.items()}


def _validation(did: Array, share: Array, right: Array, accepted: Array, sure: Array) -> dict[str, Array]:
    """Return the columns of a validator.

    Outcomes are 0 nothing, 1 a right answer selected, 2 all rejected; rows of the other kind are NaN.
    """
    return {
        "ave.selected_right": (did == 1).astype(float),
        "ave.rejected_right": ((did == 2) & (share == 0)).astype(float),
        "ave.solvable": ((did == 1) | (share > 0)).astype(float),
        "ave.random": np.where(did == 1, np.maximum(share, 0.25), share),
        "ave.right": right.astype(float),
        "ave.accepted": np.where(np.isnan(right), np.nan, accepted),
        "ave.confidence": np.where(sure == 1, -np.inf, sure),
    }


def _pan_values(columns: dict[str, Array], strength: Array) -> Array:
    """Return scores on the side of 0.5 that fits the outcome; 0.5 is silence."""
    away = np.maximum(strength, 0.01) / 2
    on_its_side = np.where(columns["verification.same"] == columns["correct"], 0.5 + away, 0.5 - away)
    return np.where(columns["answered"] == 1, on_its_side, 0.5)


def _nuggets(cells: Cells) -> dict[str, Array]:
    """Return the columns of definition and list questions, with no more found than exists."""
    vital, okay, known = cells([0, 1, 2, 4]), cells([0, 1, 3]), cells([0, 1, 3, 5])
    found, more, listed = np.minimum(cells([0, 1, 4]), vital), np.minimum(cells([0, 1, 3]), okay), cells([0, 1, 2])
    factoid, weight = cells([0, 1]), cells([0.0, 0.5, 3.9])
    return {
        "nuggets.vital": vital,
        "nuggets.okay": okay,
        "nuggets.vital_found": found,
        "nuggets.okay_found": more,
        "nuggets.vital_partial": np.minimum(cells([0, 1]), vital - found),
        "nuggets.okay_partial": np.minimum(cells([0, 1]), okay - more),
        "nuggets.response_length": cells([0, 100, 170, 800]),
        "nuggets.string_length(1)": cells([0, 90, 400]),
        "nuggets.pyramid_weight": weight,
        "nuggets.pyramid_found": weight * cells([0.0, 0.3, 1.0]),
        "nuggets.order": cells([-1.0, 1 / 3, 1.0, np.nan]),
        "pourpre.match": vital * cells([0.0, 0.75, 1.0]),
        "pourpre.found": cells([0, 1, 5]),
        "nuggets.factoid": factoid,
        "nuggets.factoid_right": factoid * cells([0, 1]),
        "nuggets.definition": 1 - factoid,
        "nuggets.list_known": known,
        "nuggets.list_distinct": np.minimum(listed, known),
        "nuggets.list_returned": listed + cells([0, 2]),
    }


@st.composite
def with_weights(draw: DrawFn, of: SearchStrategy[Evidence]) -> tuple[Evidence, Array]:
    """Return Evidence and a whole weight for each question, some 0 but not all."""
    found = draw(of)
    weights = st.lists(st.integers(0, 3), min_size=len(found.questions), max_size=len(found.questions))
    return found, np.array(draw(weights.filter(any)))


@st.composite
def shuffled(draw: DrawFn, of: SearchStrategy[Evidence]) -> tuple[Evidence, Evidence]:
    """Return Evidence, and the same with its questions in another order."""
    found = draw(of)
    return found, found.select(np.array(draw(st.permutations(range(len(found.questions))))))


@st.composite
def clustered(draw: DrawFn, of: SearchStrategy[Evidence]) -> Evidence:
    """Return Evidence whose questions form up to three clusters."""
    found = draw(of)
    members = st.lists(st.integers(0, 2), min_size=len(found.questions), max_size=len(found.questions))
    return replace(found, clusters=np.unique(draw(members), return_inverse=True)[1])


def answers(max_size: int = 6) -> SearchStrategy[list[tuple[float, int]]]:
    """Return a strategy for (confidence, 1 if right) of some answers, with many ties."""
    sure = st.sampled_from([0.2, 0.5, 0.8]) | thousandths
    return st.lists(st.tuples(sure, st.integers(0, 1)), min_size=1, max_size=max_size)


# ---- files and tables, as the readers meet them ----

awkward = st.sampled_from([*"ab01 ,;|\t\n\r\"'\\#[]{}:=%éß漢😀", "\u2028", "null", "NaN", "1.0"])
texts = (
    st.lists(awkward, min_size=1, max_size=6).map("".join).filter(lambda text: text.strip(" \t\n\r\v\f") == text != "")
)


@st.composite
def outcome_rows(draw: DrawFn) -> list[dict[str, str | float | None]]:
    """Return the rows of a sound outcome table: one to three runs with the same questions, in any order."""
    runs = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
    questions = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    stratum, annotation = (f"{kind} {draw(texts)}" for kind in ("stratum", "annotation"))
    topics = {question: draw(texts | st.none()) for question in questions}
    finite = st.floats(allow_nan=False, allow_infinity=False)
    # A table has one scale: shares beside what may be percentages are refused.
    share = draw(st.booleans())
    sure = (st.floats(-1, 1) if share else finite.filter(lambda number: not 0 < number < 1)) | st.none()
    rows: list[dict[str, str | float | None]] = []
    for run in runs:
        for question in questions:
            outcome = draw(st.sampled_from(["correct", "incorrect", "unanswered"]))
            declined = st.sampled_from(["correct", "incorrect", None]) if outcome == "unanswered" else st.none()
            row = {"run": run, "question": question, "outcome": outcome, "confidence": draw(sure)}
            rows.append(
                row | {"candidate": draw(declined), stratum: topics[question], annotation: draw(texts | st.none())}
            )
    return draw(st.permutations(rows))


@st.composite
def unjudged(draw: DrawFn) -> Unjudged:
    """Return a collection of questions with options and strata, and runs that answer some of them in ranks from 1."""
    lists = st.lists(texts, max_size=3).map(tuple)
    strata = draw(st.lists(texts.map("stratum {}".format), max_size=2))
    questions = []
    for name in draw(st.lists(texts, min_size=1, max_size=4, unique=True)):
        answers, labels = draw(lists), {stratum: draw(texts) for stratum in strata}
        answerable = draw(st.sampled_from([None, True, False])) if answers else False
        cluster = draw(texts | st.none())
        questions.append(Question(name, draw(texts), answers, draw(lists), answerable, cluster, labels))
    runs = []
    for name in draw(st.lists(texts | st.just("a/b"), max_size=3, unique=True)):
        names = draw(st.lists(st.sampled_from([one.id for one in questions]), min_size=1, unique=True))
        ranked = [(one, rank) for one in names for rank in range(1, draw(st.integers(1, 2)) + 1)]
        runs.append(Run(name, tuple(_response(draw, one, rank) for one, rank in ranked)))
    return Unjudged(Collection("questions", tuple(questions)), tuple(runs))


def _response(draw: DrawFn, question: str, rank: int) -> Response:
    answer = draw(texts.filter(str.strip) | st.none())
    sure = st.floats(allow_nan=False, allow_infinity=False) | thousandths | st.none()
    answered = answer is not None and draw(st.booleans())
    why = draw(st.sampled_from([None, BLOCKED, CUT, EMPTY, ERRORED, NO_FORM])) if answer is None else None
    return Response(question, answer, answered, draw(sure), rank, draw(texts | st.none()), why)


@st.composite
def damage(draw: DrawFn, sound: bytes) -> bytes:
    """Return a sound file after one to three accidents: changed, lost, doubled or inserted bytes, or a cut end."""
    tokens = [*b',";\n\r\0\xff :{}[]0\t', b"NaN", b"1e999", b"-1", b"\xef\xbb\xbf", b"\\ud800", b"9" * 30, b"null"]
    found = sound
    for _ in range(draw(st.integers(1, 3))):
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(found))] * 2)))
        token = draw(st.sampled_from(tokens))
        let_in = bytes([token]) if isinstance(token, int) else token
        accidents = [
            found[:at] + let_in + found[at:],
            found[:at] + let_in + found[at + 1 :],
            found[:at] + found[min(to, at + 8) :],
            found[:to] + found[at:],
            found[:to],
        ]
        found = draw(st.sampled_from(accidents))
    return found
