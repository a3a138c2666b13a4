"""Look at labels while they arrive: decide whether they are enough, or about how many more are needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.data.assessors import Resolution
from nescio.data.notes import Note, gather, note
from nescio.data.outcomes import Label
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.errors import UsageError
from nescio.measures import Measure
from nescio.scoring.corrected import Corrected, Side, corrected_score, judged_of
from nescio.scoring.corrected_scores import WHERE, lay_labels, open_labelled, suitable
from nescio.scoring.labels import Labels
from nescio.scoring.lost_answers import lost
from nescio.scoring.samples import Remark
from nescio.scoring.verdict_form import form_of
from nescio.stats.betting import FEWEST, bets, interval
from nescio.tables.judgements import read_judgements

_ROUNDED = 1e-9  # by how much arithmetic may move a value


class LabelLook(Struct, frozen=True):
    """A look at a run's labels: the score with an interval that holds at all looks together, and the verdict.

    The verdict tells whether to stop. `more` is about how many more answers of the run people would have to judge, from
    the labels so far. It is None if the verdict is to stop, and if it cannot be estimated.
    """

    run: Annotated[str, Shown()]
    measure: str
    value: Annotated[float, Shown("{measure}", interval=("low", "high"))]
    low: float
    high: float
    labels: Annotated[int, Shown(total="answers")]
    answers: int
    verdict: str
    more: int | None

    @property
    def asked(self) -> Annotated[str, Shown("verdict")]:
        """Return the verdict, and about how many more labels are needed."""
        return self.verdict if self.more is None else f"{self.verdict}: about {self.more:,} more"


def look_at_labels(
    source: Any,
    measure: Any,
    options: Mapping[str, Any],
    labels: Any,
    *,
    half_width: float | None,
    limit: float | None,
    ci: float,
    resolve: Resolution,
) -> Results[LabelLook]:
    """Return for every run whether people labelled enough of its answers.

    There are enough labels if the interval of the score is within ± `half_width`, or lies on one side of `limit`.
    Intervals are those of a betting sequence, which hold at any number of looks together.
    """
    loaded = open_labelled(source, (measure,), options, labels, ())
    laid = lay_labels(loaded, labels, options, target="collection", labels_by=None, also_judged=(), resolve=resolve)
    if laid.inclusion is not None:
        raise UsageError(
            "looks need labels of a simple random sample, but these labels have probabilities of inclusion"
        )
    chosen = suitable((measure,), loaded)[0]
    given, _ = read_judgements(labels, loaded.options.outcome_map, named=loaded.options.column)
    rows, remarks = [], list[Remark]()
    for run, name in enumerate(laid.data.runs):
        estimate = corrected_score(laid, chosen, run, target="collection", level=ci / 100)
        doubts = [doubt for doubt in estimate.warnings if doubt.code not in ("labels.approximate", "labels.few_differ")]
        remarks += [(doubt, chosen.label, f"run {name!r}") for doubt in doubts]
        ends, possible = _by_betting(laid, chosen, run, _arrival(laid, name, given), 1 - ci / 100)
        rows.append(_row(estimate, ends, possible, half_width, limit))
    how: dict[str, object] = {"ci": f"{ci:g}", "sequence": "betting"}
    how |= {"half_width": f"{half_width:g}"} if half_width is not None else {}
    how |= {"limit": f"{limit:g}"} if limit is not None else {}
    line = sign(measures=chosen.name, **loaded.signature, **laid.signature, target="collection", **how)
    notes = [*loaded.notes, *laid.notes, *gather(remarks), *_about()]
    looks = Results(tuple(rows), line, tuple(dict.fromkeys(notes)), "look")
    return replace(looks, rows=tuple(_on_grounds(looks, row, half_width, limit) for row in rows))


def _on_grounds(looks: Results[LabelLook], row: LabelLook, half_width: float | None, limit: float | None) -> LabelLook:
    """Return a row, with the verdict "cannot tell" if labels that are lost could turn its decision to stop."""
    left_out = lost(looks, row.measure, row.run)
    low, high = row.low - left_out.shift, row.high + left_out.shift
    beyond = limit is not None and (low > limit or high < limit)
    narrow = half_width is not None and (high - low) / 2 <= half_width
    if not left_out.words or row.more is not None or beyond or narrow:
        return row
    return replace(row, verdict=f"cannot tell, as {left_out.words}")


def _about() -> list[Note]:
    return [
        note("labels.look_about", "the figures describe {where}", where=WHERE["collection"]),
        note(
            "labels.betting",
            "intervals hold at any number of looks, if the labels came in random order and the table keeps this order",
        ),
    ]


def _arrival(laid: Labels, run: str, given: Sequence[Label]) -> NDArray[np.int64]:
    """Return the indices of the labelled questions, in the order in which people judged this run's answers to them.

    Labels of other runs do not count, except for a question that has no label that names this run. Otherwise a label of
    another run could place a label of this run before labels that an earlier look used.
    """
    place = {question: i for i, question in enumerate(laid.data.questions)}
    name = laid.data.origins.get(run, run)
    verdicts = [label for label in given if not label.empty and label.rank == 1]
    questions = [label.question for label in verdicts if label.run in (None, run, name)]
    order = dict.fromkeys([*questions, *(label.question for label in verdicts)])
    return np.array([place[question] for question in order if question in place], dtype=np.int64)


def _by_betting(
    laid: Labels, measure: Measure, run: int, order: Any, alpha: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the interval of a run's score by bets on the labels, and the least and greatest score they leave possible.

    `order` has the questions as they were labelled.
    """
    use = laid.data.present[run]
    silent = laid.data.column("unanswered")[run, use]
    form = form_of(measure, float(silent.mean()))
    plain = judged_of(laid, [Side(run, 1, replace(form, slope=1.0, constant=0.0))], use)
    place = np.full(len(use), -1)
    place[use] = np.arange(int(use.sum()))
    came = [place[q] for q in order if place[q] >= 0]
    came = [q for q in came if not plain.known[q] and not math.isnan(plain.people[q])]
    open_ = ~plain.known
    sure = float(plain.judge[plain.known, 0].sum())
    pool, right = int(open_.sum()), float(plain.people[came].sum())
    ends = (0.0, 0.0)
    if pool:
        made = bets(plain.people[came], plain.judge[came, 0], plain.judge[open_, 0], alpha=alpha)
        ends = interval(made, pool)
    counts = np.array([*ends, 0, 0]) * pool + [0, 0, right, right + pool - len(came)]
    scores = (form.constant + form.slope * (sure + counts) / plain.n).tolist()
    return (min(scores[:2]), max(scores[:2])), (min(scores[2:]), max(scores[2:]))


def _row(
    estimate: Corrected,
    ends: tuple[float, float],
    possible: tuple[float, float],
    half_width: float | None,
    limit: float | None,
) -> LabelLook:
    labels, answers = estimate.how.labels, estimate.how.answers
    low, high = ends if labels < answers else (estimate.value, estimate.value)  # by all labels, the score is known
    half = (high - low) / 2
    why = None
    value = min(max(estimate.value, possible[0]), possible[1])  # a corrected score may lie beyond
    if value < low - _ROUNDED or value > high + _ROUNDED:
        why = "cannot tell, as the looks contradict each other: the labels did not come in random order"
    elif limit is not None and low > limit:
        why = f"stop: above {limit:g}"
    elif limit is not None and high < limit:
        why = f"stop: below {limit:g}"
    elif half_width is not None and half <= half_width:
        why = f"stop: within ±{half_width:g}"
    elif labels >= answers:
        why = "stop: all answers are judged"
    goals = [half_width, None if limit is None else abs(estimate.value - limit)]
    goal = max((g for g in goals if g), default=None)
    more = None if why else _more(estimate, goal, half)
    if why is None:
        why = (
            "go on" if labels >= FEWEST and more is not None else f"go on: {FEWEST} labels or more are needed to decide"
        )
    return LabelLook(estimate.how.run, estimate.how.measure, estimate.value, low, high, labels, answers, why, more)


def _more(estimate: Corrected, goal: float | None, half: float) -> int | None:
    """Return how many more labels of random answers make half of the interval, now `half`, as wide as `goal`.

    Returns None if this is unknown.
    """
    labels, answers = estimate.how.labels, estimate.how.answers
    if goal is None or labels < FEWEST or not math.isfinite(half) or not estimate.error > 0:
        return None
    now = 1 / labels - 1 / answers
    wanted = 1 / (1 / answers + now * (goal / half) ** 2)
    return max(min(math.ceil(wanted), answers) - labels, 1)
