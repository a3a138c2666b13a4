"""Find items that do not separate able systems from weak ones, the likely errors of the answer key first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.comparison.corrections import adjust
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.results import Results
from nescio.data.shown import Row, Shown
from nescio.data.signature import sign
from nescio.errors import MismatchError
from nescio.pipeline import Loaded
from nescio.stats.items import (
    DRAWS,
    MOST_STEPS,
    MOST_WORK,
    correlations,
    exact_steps,
    reliability,
    rest_scores,
    smallest_p,
    subset_p,
)
from nescio.stats.two_parameters import Fit, fit

Floats = NDArray[np.float64]
Said = Mapping[str, Mapping[tuple[str, str | None], str]]
FEWEST = 4  # with fewer runs, a correlation means nothing
SMALL = 0.002
LEVEL = 0.1  # rate of false discoveries among the flagged items
FEWEST_MODELLED = 30  # with fewer runs, no two-parameter model is fitted,
UNPENALISED = 200  # and with fewer than this number it is penalised
DEPENDENT = 0.3  # a larger correlation of the abilities to answer and to be right is reported
MANY = 40  # with fewer runs the list does not claim anything about its items (docs/evidence/items.md)


class Item(Row, frozen=True):
    """One question, and how well it separates good runs from bad ones.

    `discrimination` is the correlation, over the runs, between being right on this question and the score on all
    others, and `p` the p-value of the test that it is negative. For each wrong answer that several runs give, a test
    asks whether these runs score higher on all other questions than random runs would. `other_answer` is the wrong
    answer with the smallest p-value, and `p_other` that p-value times the number of wrong answers. `suspicion` is the
    smaller of `p` and `p_other`, adjusted for both tests and for all questions (Benjamini-Hochberg); it is NaN if all
    runs agree. `silence` is the correlation between abstaining on this question and the score on all others.

    From thirty runs on, two two-parameter logistic models are fitted. `slope` and `difficulty` (a, b) describe being
    right when a run answers, `answering_slope` and `answering_difficulty` describe answering at all. They are None if
    there is nothing to estimate.
    """

    most_listed: ClassVar[int | None] = 20

    question: Annotated[str, Shown()]
    right: Annotated[float, Shown(form="percent")]
    unanswered: Annotated[float, Shown("silent", form="percent")]
    discrimination: Annotated[float, Shown()]
    p: Annotated[float, Shown(form="p")]
    silence: Annotated[float, Shown()]
    other_answer: Annotated[str | None, Shown(absent="", most=30)]
    p_other: Annotated[float | None, Shown("p (other answer)", form="p", absent="")]
    suspicion: Annotated[float, Shown(form="p")]
    flagged: bool
    n: int
    slope: Annotated[float | None, Shown(absent="", after="silence")] = None
    difficulty: Annotated[float | None, Shown(absent="", after="slope")] = None
    answering_slope: float | None = None
    answering_difficulty: float | None = None

    @property
    def advice(self) -> Annotated[str, Shown("", absent="", after="suspicion")]:
        """Return the advice for the item: "check the key" if it is flagged, else an empty text."""
        return "check the key" if self.flagged else ""


class Ability(Row, frozen=True):
    """The two abilities of a run, in standard deviations over the runs, each with its posterior standard deviation.

    `ability` is the ability to be right when the run answers. `answering` is its tendency to answer at all, and None if
    no run abstains.
    """

    most_listed: ClassVar[int | None] = 0

    run: str
    ability: float
    ability_sd: float
    answering: float | None
    answering_sd: float | None


class Modelled(Struct, frozen=True, eq=False):
    """Two models of all items: of being right when a run answers, and of answering at all.

    The second is None if no run abstains.
    """

    right: Fit
    answering: Fit | None
    penalised: bool


class Reliability(Struct, frozen=True):
    """How reliably all items rank these runs (KR-20), and how reliably the items without the flagged ones do."""

    runs: Annotated[int, Shown()]
    items: Annotated[int, Shown()]
    kr20: Annotated[float, Shown("reliability of the ranking (KR-20)")]
    flagged_left_out: Annotated[float, Shown("without those flagged")]


class Suspects(Struct, frozen=True, eq=False):
    """The tests of each item, as arrays over the items.

    `p_sign` is the p-value of a negative discrimination. `other` is the wrong answer that able runs agree on most, with
    its p-value, or None. `p` is the smaller of these two p-values, multiplied by how many of them exist. `adjusted` is
    `p` adjusted over all items. Values are NaN if all runs agree.
    """

    discrimination: Floats
    p_sign: Floats
    other: list[tuple[str, float] | None]
    p: Floats
    adjusted: Floats
    flagged: NDArray[np.bool_]


def suspects(right: Floats, texts: Sequence[Sequence[str]] | None) -> Suspects:
    """Return the tests of each item.

    `right` tells which run is right on which item, shape (runs, items). `texts` holds the runs' answers, or is None.
    """
    rest = rest_scores(right)
    whole = np.round(rest).astype(np.int64)
    sign = np.array(_tests([(at, right[:, at] == 1) for at in range(right.shape[1])], whole, positive=False))
    other = _others(right, whole, texts)
    beside = np.array([math.nan if answer is None else answer[1] for answer in other])
    tests = (~np.isnan(sign)).astype(int) + ~np.isnan(beside)
    p = np.minimum(1.0, np.fmin(sign, beside) * tests)
    adjusted = np.array(
        adjust([None if math.isnan(p_value) else p_value for p_value in p.tolist()], "bh"), dtype=np.float64
    )
    return Suspects(correlations(right, rest), sign, other, p, adjusted, adjusted <= LEVEL)


def items(loaded: Loaded, said: Said | None) -> Results[Item]:
    """Return the items, the most suspicious first; `said` holds the texts of the answers, or None.

    Raises MismatchError for fewer than four runs, or for questions that were asked several times.
    """
    data, left_out = _complete(with_questions(loaded.data, "look at"))
    right = data.columns["correct"].astype(np.float64)
    silent = 1 - data.columns["answered"].astype(np.float64)
    texts = None
    if said is not None:
        texts = [[said.get(run, {}).get((question, None), "") for question in data.questions] for run in data.runs]
    tests = suspects(right, texts)
    of_silence = correlations(silent, rest_scores(right))
    models = _modelled(right == 1, silent == 0)
    rows = []
    for at, question in enumerate(data.questions):
        text, p_other = tests.other[at] or (None, None)
        rows.append(
            Item(
                question,
                float(right[:, at].mean()),
                float(silent[:, at].mean()),
                float(tests.discrimination[at]),
                float(tests.p_sign[at]),
                float(of_silence[at]),
                text,
                p_other,
                float(tests.adjusted[at]),
                bool(tests.flagged[at]),
                len(right),
                *(_parameters(models, at) if models else ()),
            )
        )
    order = np.lexsort([tests.discrimination, tests.p])  # undefined values come last
    kept = right[:, ~tests.flagged]
    table = Reliability(len(right), len(rows), reliability(right), reliability(kept))
    line = sign(items=str(len(rows)), **loaded.signature, level=f"{LEVEL:g}", correction="bh")
    notes = (*loaded.notes, *_notes(rows, left_out), *(_notes_of_models(models) if models else ()))
    tables = {"reliability": (table,), **({"abilities": _abilities(data.runs, models)} if models else {})}
    return Results(tuple(rows[at] for at in order), line, notes, "items", tables)


def _modelled(right: NDArray[np.bool_], answered: NDArray[np.bool_]) -> Modelled | None:
    """Return the models of being right and of answering, or None for too few runs.

    Together they are a sequential model (Tutz 1990), in which abstention is an outcome of its own.
    """
    runs = len(right)
    if runs < FEWEST_MODELLED:
        return None
    penalised = runs < UNPENALISED
    everywhere = np.ones(right.shape, dtype=bool)
    answering = None if answered.all() else fit(answered, everywhere, penalised=penalised)
    return Modelled(fit(right, answered, penalised=penalised), answering, penalised)


def _parameters(models: Modelled, at: int) -> Iterator[float | None]:
    for model in (models.right, models.answering):
        for values in (None, None) if model is None else (model.a, model.b):
            yield None if values is None or math.isnan(values[at]) else float(values[at])


def _abilities(runs: Sequence[str], models: Modelled) -> tuple[Ability, ...]:
    of_right, other = models.right.abilities, models.answering and models.answering.abilities
    return tuple(
        Ability(
            run,
            float(of_right.mean[at]),
            float(of_right.sd[at]),
            float(other.mean[at]) if other else None,
            float(other.sd[at]) if other else None,
        )
        for at, run in enumerate(runs)
    )


def _notes_of_models(models: Modelled) -> Iterator[Note]:
    if models.penalised:
        yield note(
            "items.penalised",
            "slopes and difficulties are penalised, because there are fewer than {unpenalised} runs (log a ~ N(0, "
            "0.5²), b ~ N(0, 2²)). A penalised slope is never negative, so also look at discrimination",
            unpenalised=UNPENALISED,
        )
    if models.answering is None:
        return
    with np.errstate(invalid="ignore"):
        r = float(np.corrcoef(models.right.abilities.mean, models.answering.abilities.mean)[0, 1])
    if abs(r) > DEPENDENT:
        yield note(
            "items.dependent",
            "runs that are right more often when they answer also answer {more} (the two abilities correlate with r "
            "= {r:.2f}). The two models assume no correlation, so difficulties of items that many runs decline are "
            "biased",
            more="more" if r > 0 else "less",
            r=r,
        )


def _complete(data: Evidence) -> tuple[Evidence, int]:
    """Return the questions that all runs answered, and the number of other questions."""
    if not data.columns.keys() >= {"correct", "answered"}:
        raise MismatchError("the item analysis needs outcomes: right, wrong or unanswered")
    if data.repeats is not None:
        raise MismatchError(
            "the item analysis needs one answer of each run to each question, but these questions were asked "
            "several times; give only one repeat"
        )
    if len(data.runs) < FEWEST:
        raise MismatchError(f"{len(data.runs)} runs are too few to test items; give at least {FEWEST}, or better 40")
    use: NDArray[np.bool_] = np.asarray(data.present.all(axis=0))
    if use.sum() < 2:
        raise MismatchError("the item analysis needs at least two questions that all runs answered")
    return data.select(use), int((~use).sum())


def _tests(marked: Sequence[tuple[int, NDArray[np.bool_]]], rest: NDArray[np.int64], *, positive: bool) -> list[float]:
    """Return a p-value for each entry of `marked`: are its runs abler (`positive`) or weaker than random runs would be?

    An entry holds an item and a mask of runs. `rest` has the runs' scores on the other items, shape (runs, items). If
    the exact tests together take too many steps, p-values come from random subsets of the runs. In that case, small
    p-values are computed again exactly, unless one such test takes too many steps.
    """
    steps = [exact_steps(rest[:, at], int(runs.sum())) for at, runs in marked]
    many = sum(steps) > MOST_WORK
    p_values = [subset_p(rest[:, at], runs, positive=positive, draws=DRAWS if many else 0) for at, runs in marked]
    for place, (at, runs) in enumerate(marked):
        if many and p_values[place] <= SMALL and steps[place] <= MOST_STEPS:
            p_values[place] = subset_p(rest[:, at], runs, positive=positive)
    return p_values


def _others(
    right: Floats, rest: NDArray[np.int64], texts: Sequence[Sequence[str]] | None
) -> list[tuple[str, float] | None]:
    """Return for each item the wrong answer that able runs agree on most, and its p-value.

    The p-value is multiplied by the number of wrong answers to the item. An entry is None for an item without such an
    answer.
    """
    answers: list[tuple[str, float] | None] = [None] * right.shape[1]
    if texts is None:
        return answers
    marked, of = [], []
    for at in range(right.shape[1]):
        keys = [" ".join(of_run[at].casefold().split()) for of_run in texts]
        ok = {key for key, good in zip(keys, right[:, at], strict=True) if good}
        wrong = {*keys} - ok - {""}
        for key in sorted(key for key in wrong if 1 < keys.count(key) < len(keys)):
            marked.append((at, np.array([other == key for other in keys])))
            of.append((at, texts[keys.index(key)][at], len(wrong)))
    for (at, text, times), p in zip(of, _tests(marked, rest, positive=True), strict=True):
        before = answers[at]
        if before is None or p * times < before[1]:
            answers[at] = (text, min(1.0, p * times))
    return answers


def _notes(rows: Sequence[Item], left_out: int) -> list[Note]:
    made = []
    runs, tested = rows[0].n, sum(not math.isnan(row.suspicion) for row in rows)
    if left_out:
        made.append(
            note(
                "items.left_out",
                "{left_out:n question} {left_out:was/were} not answered by all runs, and {left_out:is/are} left out",
                left_out=left_out,
            )
        )
    if tested and smallest_p(runs) > LEVEL / tested:
        made.append(
            note(
                "items.few_runs",
                "{runs:n run} are too few to flag any of the {tested:n question} on which runs differ; use the "
                "list only as an order in which to check the questions",
                runs=runs,
                tested=tested,
            )
        )
    elif runs < MANY:
        made.append(
            note(
                "items.not_many_runs",
                "{runs:n run} are too few to flag most errors in the gold answers; check the questions in the order "
                "of the list",
                runs=runs,
            )
        )
    if alike := len(rows) - tested:
        made.append(
            note(
                "items.alike",
                "{alike:n question} {alike:does/do} not tell runs apart: all runs are right, or all are wrong",
                alike=alike,
            )
        )
    return made


def known_texts(texts: Any) -> Said | None:
    """Return the text of each answer, keyed by run and question, or None if the files have no texts."""
    if texts is None:
        return None
    return {
        run: {key: text.graded or text.answer for key, text in of_run.items()} for run, of_run in texts.said.items()
    }
