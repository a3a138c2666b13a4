"""Draw the questions that people should judge next, with the probability of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.assessors import Resolution
from nescio.data.columns import Array
from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError, UnknownNameError, opt
from nescio.pipeline import Loaded
from nescio.scoring.corrected_scores import lay_labels
from nescio.scoring.labels import NEITHER, Labels, no_labels
from nescio.stats.drawing import inclusion, systematic
from nescio.stats.streams import Stream
from nescio.tables.judgements import read_judgements

How = Literal["adaptive", "simple"]
KINDS = ("all wrong", "all right", "differ")  # the judge's verdicts on the answers to a question
FEWEST = 2  # questions drawn of each kind, if that many exist
WORDS = {CORRECT: "correct", INCORRECT: "incorrect", SILENT: "unanswered"}


class Kind(Struct, frozen=True):
    """A kind of questions, by the judge's verdicts on the answers: how many exist and how many were drawn.

    `judge` tells whether the judge calls the answers to a question all right or all wrong, or whether they differ.
    `inclusion` is the probability with which a question of this kind is drawn. `judged` counts the answers that people
    judged, and `judge_differs` those of them on which the judge disagrees.
    """

    judge: Annotated[str, Shown()]
    questions: Annotated[int, Shown()]
    drawn_before: Annotated[int, Shown()]
    drawn: Annotated[int, Shown()]
    inclusion: Annotated[float, Shown("probability", digits=4)]
    judged: Annotated[int, Shown()]
    judge_differs: Annotated[int, Shown()]


class ToLabel(Struct, frozen=True):
    """An answer for people to judge; `verdict` is empty until they have judged it."""

    run: str
    question: str
    inclusion: float | None
    verdict: str = ""


class Draw(Results[Kind], frozen=True):
    """The result of `labels draw`: the kinds of questions, and the answers to judge (`to_label`).

    Answers to questions that were drawn before come first.
    """

    to_label: tuple[ToLabel, ...] = ()


class Pool(Struct, frozen=True, eq=False):
    """The answers from which questions are drawn: the `rows` of the runs in the data, and the kind of each question.

    `open` has shape (runs, questions) and marks the answers that need a verdict. The kind is -1 if no answer to a
    question needs a verdict.
    """

    laid: Labels
    rows: tuple[int, ...]
    open: NDArray[np.bool_]
    kinds: NDArray[np.int64]


class Before(Struct, frozen=True, eq=False):
    """The questions drawn before, and the probability (`odds`) with which each was drawn; arrays of shape (questions,).

    `words` has people's verdict on each answer, keyed by run and question, "" for an answer without a verdict.
    """

    drawn: NDArray[np.bool_]
    odds: NDArray[np.float64]
    words: Mapping[tuple[str, str], str] = {}


def draw_labels(
    loaded: Loaded,
    labels: Any,
    options: Mapping[str, Any],
    *,
    draw: int,
    runs: Sequence[str],
    how: How | None,
    seed: int,
    resolve: Resolution = "adjudicated",
) -> Draw:
    """Return a draw of questions whose answers people should judge next.

    An adaptive draw takes more of the kinds of questions on which the judge errs more often, by the `labels` so far.
    The probability of a kind is in proportion to the square root of the share of labels on which people and judge
    differ. Raises UsageError if there are too few questions, MismatchError for labels that were not drawn from these
    answers.
    """
    laid = (
        no_labels(loaded)
        if labels is None
        else lay_labels(loaded, labels, options, target="collection", labels_by=None, also_judged=(), resolve=resolve)
    )
    how = how or ("simple" if laid.inclusion is None else "adaptive")
    rows = _rows(laid, runs)
    open_ = laid.data.present[rows] & ~laid.known[rows]
    asked = np.asarray(open_.any(axis=0))
    if not asked.any():
        raise MismatchError("there is nothing to judge: all answers are abstentions, which need no verdict")
    kinds = _kinds(laid, rows, open_)
    if how == "simple":
        kinds = np.where(kinds >= 0, 0, kinds)
    pool = Pool(laid, tuple(rows), open_, kinds)
    before = _before(laid, labels, loaded, kinds, how)
    made = _kinds_of(pool, before, draw, ("anything",) if how == "simple" else KINDS)
    by_kind = np.array([kind.inclusion for kind in made])
    left = asked & ~before.drawn
    odds = by_kind[kinds]
    now = np.zeros(len(asked), dtype=bool)
    # Each draw has its own stream, so that the first draw does not determine the questions of the second.
    key = (int(Stream.LABELS), int(before.drawn.sum()))
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    earlier = before.odds[left]
    now[left] = systematic((odds[left] - earlier) / (1 - earlier), kinds[left], rng)
    chosen = [*np.flatnonzero(before.drawn & asked), *rng.permutation(np.flatnonzero(now))]
    to_label = tuple(_to_label(pool, chosen, None if how == "simple" else odds, before.words))
    rows_of = tuple(
        replace(kind, drawn=int((now & (kinds == k)).sum())) for k, kind in enumerate(made) if kind.questions
    )
    named = {"of": "+".join(runs)} if runs else {}
    line = sign(**loaded.signature, **named, draw=draw, how=how, seed=seed)
    return Draw(rows_of, line, (*loaded.notes, *_notes(laid, before, to_label)), "draw", {}, to_label=to_label)


def _rows(laid: Labels, runs: Sequence[str]) -> list[int]:
    lost = [run for run in runs if run not in laid.data.runs]
    if lost:
        raise UnknownNameError("run", lost[0], laid.data.runs)
    return [laid.data.runs.index(run) for run in runs] if runs else list(range(len(laid.data.runs)))


def _kinds(laid: Labels, rows: Sequence[int], open_: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the kind of each question by the judge's verdicts on the answers that need one.

    A kind is an index of `KINDS`, or -1 if no answer needs a verdict.
    """
    right = laid.data.column("correct")[list(rows)] == 1
    some, every = (open_ & right).any(axis=0), (right | ~open_).all(axis=0)
    return np.where(~open_.any(axis=0), -1, np.where(every, 1, np.where(some, 2, 0)))


def _before(laid: Labels, table: Any, loaded: Loaded, kinds: NDArray[np.int64], how: How) -> Before:
    """Return the questions drawn before: all questions in the `table` of labels, even those without a verdict yet."""
    size, asked = len(laid.data.questions), kinds >= 0
    if table is None:
        return Before(np.zeros(size, dtype=bool), np.zeros(size))
    given, _ = read_judgements(table, loaded.options.outcome_map, named=loaded.options.column)
    place = {question: i for i, question in enumerate(laid.data.questions)}
    given = [label for label in given if label.question in place]
    words = {(label.run, label.question): WORDS.get(label.state, "") for label in given if label.run is not None}
    drawn = np.zeros(size, dtype=bool)
    drawn[[place[label.question] for label in given]] = True
    if laid.inclusion is None:  # a simple sample so far
        return Before(drawn, np.where(asked, (drawn & asked).sum() / asked.sum(), 0.0), words)
    if how == "simple":
        raise MismatchError(
            "these labels have probabilities of inclusion, so they are not a simple random sample; leave "
            f"{opt('how', 'simple')} out"
        )
    odds = np.zeros(size)
    for kind in set(kinds[asked].tolist()):
        inclusions = [label.inclusion for label in given if kinds[place[label.question]] == kind]
        if not inclusions or None in inclusions or not np.ptp(np.array(inclusions, dtype=float)) <= 1e-9:
            raise MismatchError(
                "the probabilities of inclusion of these labels do not fit a draw from these runs; give the same "
                f"files and {opt('runs')} as in the first draw"
            )
        odds[kinds == kind] = inclusions[0]
    return Before(drawn, odds, words)


def _kinds_of(pool: Pool, before: Before, draw: int, names: Sequence[str]) -> list[Kind]:
    """Return the kinds of questions with the probability of each, before this draw.

    `names` has the name of each kind.
    """
    laid, rows, open_, kinds = pool.laid, pool.rows, pool.open, pool.kinds
    right, by_people = laid.data.column("correct")[list(rows)] == 1, laid.said[list(rows)]
    seen = open_ & (by_people != NEITHER)
    differ = seen & ((by_people == 1) != right)
    every = range(max(int(kinds.max()) + 1, 1))
    masks = [kinds == k for k in every]
    units = np.array([int(mask.sum()) for mask in masks])
    judged = np.array([int(seen[:, mask].sum()) for mask in masks])
    wrong = np.array([int(differ[:, mask].sum()) for mask in masks])
    drawn = np.array([int((mask & before.drawn).sum()) for mask in masks])
    weights = np.sqrt((wrong + 1) / (judged + 2))  # we imagine one more answer of either sort
    earlier = np.array([float(before.odds[mask].max()) if mask.any() else 1.0 for mask in masks])
    least = np.where(units > 0, np.minimum(1.0, FEWEST / np.maximum(units, 1)), 1.0)
    earlier = np.where(units == drawn, 1.0, earlier)
    odds = inclusion(weights, draw, units=(units - drawn).astype(float), before=earlier, least=least)
    return [
        Kind(names[k], int(units[k]), int(drawn[k]), 0, float(odds[k]), int(judged[k]), int(wrong[k])) for k in every
    ]


def _to_label(
    pool: Pool, chosen: Sequence[int], odds: Array | None, words: Mapping[tuple[str, str], str]
) -> Iterator[ToLabel]:
    laid = pool.laid
    for q in chosen:
        for place, r in enumerate(pool.rows):
            if pool.open[place, q]:
                run, question = laid.data.runs[r], laid.data.questions[q]
                word = "" if laid.said[r, q] == NEITHER else words.get((run, question)) or WORDS[int(laid.said[r, q])]
                yield ToLabel(run, question, None if odds is None else float(odds[q]), word)


def _notes(laid: Labels, before: Before, to_label: Sequence[ToLabel]) -> Iterator[Note]:
    yield from laid.notes
    questions = {laid.data.questions[q] for q in np.flatnonzero(before.drawn)}
    waiting = sum(not answer.verdict and answer.question in questions for answer in to_label)
    if waiting:
        yield note(
            "draw.waiting",
            "{waiting:n answer} of an earlier draw {waiting:has/have} no verdict yet; the table lists "
            "{waiting:it/them} first",
            waiting=waiting,
        )
