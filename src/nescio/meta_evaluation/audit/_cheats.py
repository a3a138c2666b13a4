"""Define systems that cheat, and honest ones, and compute the score of each.

An honest system answers every question, is right on more than half of them, and is calibrated. Its confidences lie
between 0.5 and 1, and as many answers are right as the confidences say. A cheat succeeds if it scores as well as some
honest system; the share of right answers of the best such system says by how much. Random abstention succeeds if it
raises the score of an honest system above its score on all questions, and above its score on the answered half alone.
The second condition is needed because means over an order change slightly with the number of questions.

A cheat knows which of its answers are right. Its right answer has confidence 1, and its wrong one 0. A system that
answers at random is right once in five, and has that confidence.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct

from nescio.data.evidence import NO_ROW, Evidence
from nescio.measures import Measure
from nescio.meta_evaluation.audit._axioms import ROUNDING, numbers
from nescio.meta_evaluation.audit._kinds import RIGHT, SILENT, WRONG, Bools, Floats, Kinds, evidence
from nescio.scoring.samples import measure_inputs

CHEATS = ("all silent", "one right answer", "one wrong answer", "random answers", "random silence")
CHANCE = 0.2
SHARE_UNANSWERABLE = 0.2
DECENT = 0.6  # the share right of the honest system that is shown beside a cheat
REFERENCES = (DECENT, 0.8, 1.0)


class Contest(Struct, frozen=True, eq=False):
    """The answers of all cheats and honest systems to the same questions, each as a run.

    The names of honest runs end in the number of right answers. "honest 400" answers every question. "paired 400"
    answers half as many questions, but each of them twice and in the same way. "half silent 400" is the same system,
    but it abstains the second time. "half 400" has only its answered half.
    """

    data: Evidence
    questions: int
    honest: tuple[int, ...]
    paired: tuple[int, ...]

    def nearest(self, share: float, among: tuple[int, ...] = ()) -> int:
        """Return the number of right answers of the honest system whose share of right answers is closest to `share`.

        `among` holds the numbers of right answers to choose from; if it is empty, all honest systems are considered.
        """
        return min(among or self.honest, key=lambda right: abs(right - share * self.questions))

    @property
    def remark(self) -> str:
        """Return the number of questions without an answer as a remark in parentheses, or "" if all have an answer."""
        without = int((self.data.columns["answerable"][0] == 0).sum())
        return f" (of {self.questions} questions, {without} without an answer)" if without else ""

    def counts(self, run: str) -> str:
        """Return the counts of a system's outcomes as text."""
        at = self.data.runs.index(run)
        answered, right = (self.data.columns[name][at] == 1 for name in ("answered", "correct"))
        masks = {"right": answered & right, "wrong": answered & ~right, "silent": ~answered}
        return ", ".join(f"{int(which.sum())} {name}" for name, which in masks.items() if which.any())


class CheatResult(Struct, frozen=True):
    """The result of one cheat: its score `value`, and the score `against` of an honest system with 60% right answers.

    `worth` is a share of right answers: that of the best honest system which scores no better than the cheat. For the
    cheat that abstains on half of the questions, it is that of the best honest system whose score rises by doing so.
    """

    cheat: str
    result: str
    value: float
    against: float
    worth: float
    text: str
    cases: int
    undefined: int


@lru_cache(maxsize=4)
def contest(questions: int, *, unanswerable: bool) -> Contest:
    """Return the answers of the cheats and of the honest systems to `questions` questions.

    If `unanswerable`, some of the questions have no answer.
    """
    rows: dict[str, Kinds] = {}
    open_, few = _answerable(questions, unanswerable), _answerable(questions // 2, unanswerable)
    rights = sorted({questions * percent // 100 for percent in range(51, 101)})
    honest = tuple(right for right in rights if questions // 2 < right <= open_.sum())
    paired = tuple(right for right in honest if right % 2 == 0 and right <= 2 * few.sum())
    for right in honest:
        rows[f"honest {right}"] = _honest(right, open_)
    for right in paired:
        half = _honest(right // 2, few)
        quiet = Kinds(np.full_like(half.behaviour, SILENT), np.full_like(half.sure, np.nan), half.side, half.answerable)
        rows[f"paired {right}"] = _join(half, half)
        rows[f"half silent {right}"] = rows[f"half {right}"] = _join(half, quiet)
    mute = Kinds(np.full(questions, SILENT), np.full(questions, np.nan), _sides(questions), open_)
    rows["all silent"] = mute
    rows["one right answer"] = _but_one(mute, RIGHT, 1.0)
    rows["one wrong answer"] = _but_one(mute, WRONG, 0.0)
    lucky = _first(_spread(questions, 2**0.5), round(CHANCE * open_.sum()), open_)
    rows["random answers"] = Kinds(np.where(lucky, RIGHT, WRONG), np.full(questions, CHANCE), _sides(questions), open_)
    every = Kinds(
        *(np.stack([getattr(k, name) for k in rows.values()]) for name in ("behaviour", "sure", "side", "answerable"))
    )
    data = evidence(tuple(rows), every)
    alone = {f"half {right}" for right in paired}
    data.absence[[name in alone for name in rows], questions // 2 :] = NO_ROW
    return Contest(data, questions, honest, paired)


def _honest(right: int, answerable: Bools) -> Kinds:
    """Return the kind of each question for a calibrated system that answers them all, `right` of them rightly.

    `answerable` is a mask of the questions that have an answer.
    """
    many = int(answerable.sum())
    level = (np.arange(many) + 0.5) / many
    rate = right / many
    # The mean of u**k over u between 0 and 1 is 1/(k + 1), so the mean of these is the rate.
    sure = 0.5 + 0.5 * level ** (1 / (2 * rate - 1) - 1)
    everywhere = np.full(len(answerable), float(np.median(sure)))
    everywhere[answerable] = sure
    margin = np.full(len(answerable), -np.inf)
    margin[answerable] = sure - _spread(many, 2**0.5)
    behaviour = np.where(_first(-margin, right, answerable), RIGHT, WRONG)
    return Kinds(behaviour, everywhere, _sides(len(answerable)), answerable)


def _spread(count: int, step: float) -> Floats:
    """Return `count` numbers that fill [0, 1) evenly and look random: fractional parts of multiples of `step`.

    `step` is an irrational number.
    """
    return np.asarray((np.arange(1, count + 1) * step) % 1, dtype=np.float64)


def _first(key: Floats, many: int, among: Bools) -> Bools:
    """Return a mask of the `many` elements that have the smallest `key`, among those that the mask `among` marks."""
    first = np.zeros(len(key), dtype=bool)
    first[np.argsort(np.where(among, key, np.inf), kind="stable")[:many]] = True
    return first


def _sides(count: int) -> Bools:
    sides: Bools = _spread(count, (5**0.5 - 1) / 2) < 0.5
    return sides


def _answerable(count: int, unanswerable: bool) -> Bools:
    without = round(SHARE_UNANSWERABLE * count) if unanswerable else 0
    return ~_first(_spread(count, 3**0.5), without, np.ones(count, dtype=bool))


def _join(kinds: Kinds, other: Kinds) -> Kinds:
    return Kinds(
        *(np.concatenate([getattr(kinds, n), getattr(other, n)]) for n in ("behaviour", "sure", "side", "answerable"))
    )


def _but_one(mute: Kinds, behaviour: int, sure: float) -> Kinds:
    at = int(np.argmax(mute.answerable & mute.side))
    behaviours, confidence = mute.behaviour.copy(), mute.sure.copy()
    behaviours[at], confidence[at] = behaviour, sure
    return Kinds(behaviours, confidence, mute.side, mute.answerable)


def play(measure: Measure, questions: int) -> tuple[list[CheatResult], dict[str, float]]:
    """Return the result of each cheat against a measure, and the scores of the systems to show, by their names."""
    game = contest(questions, unanswerable="answerable" in measure.reads)
    score = {game.data.runs[sample.run]: sample.value for sample in measure_inputs(game.data, [measure])[0]}
    results = [_reach(measure, game, score, cheat) for cheat in CHEATS[:-1]]
    shown = {name: score[name] for name in CHEATS[:-1]}
    right = game.nearest(DECENT, game.paired)
    shown[f"{_share(right, questions)} right, half silent"] = score[f"half silent {right}"]
    for share in REFERENCES:
        right = game.nearest(share)
        shown[f"{_share(right, questions)} right"] = score[f"honest {right}"]
    return [*results, _silence(measure, game, score)], shown


def _share(right: int, questions: int) -> str:
    return f"{100 * right / questions:.0f}%"


def _reach(measure: Measure, game: Contest, score: dict[str, float], cheat: str) -> CheatResult:
    """Return the result of one cheat, from its score and the scores of the honest systems.

    `score` maps each run of the contest to its score.
    """
    sign = -1 if measure.declaration.lower_is_better else 1
    honest = np.array([score[f"honest {right}"] for right in game.honest])
    value, decent = score[cheat], score[f"honest {game.nearest(DECENT)}"]
    known = ~np.isnan(honest)
    size = {"cases": int(known.sum()), "undefined": int((~known).sum())}
    did = f"{game.counts(cheat)}{game.remark}"
    if np.isnan(value) or not known.any():
        text = f"{did}: {numbers(value)[0]}" + ("" if known.any() else "; no honest system has a score")
        return CheatResult(cheat, "undefined", value, decent, np.nan, text, **size)
    reached = np.flatnonzero(sign * (value - honest) >= -ROUNDING * np.maximum(1, np.abs(honest)))
    if not len(reached):
        return CheatResult(cheat, "resists", value, decent, np.nan, "", **size)
    best = game.honest[reached[-1]]
    mine, theirs = numbers(value, score[f"honest {best}"])
    text = f"{did}: {mine}; an honest system with {game.counts(f'honest {best}')}: {theirs}"
    return CheatResult(cheat, "cheated", value, decent, best / game.questions, text, **size)


def _silence(measure: Measure, game: Contest, score: dict[str, float]) -> CheatResult:
    """Return the result of abstaining on half of the questions: whether an honest system's score rises.

    `score` maps each run of the contest to its score.
    """
    sign = -1 if measure.declaration.lower_is_better else 1
    before, after, alone = (
        np.array([score[f"{which} {right}"] for right in game.paired]) for which in ("paired", "half silent", "half")
    )
    known = ~np.isnan(before) & ~np.isnan(after)
    size = {"cases": int(known.sum()), "undefined": int((~known).sum())}
    rounding = ROUNDING * np.maximum(1, np.abs(before))
    raised = np.flatnonzero((sign * (after - before) > rounding) & ~(sign * (after - alone) <= rounding))
    shown = game.paired.index(game.nearest(DECENT, game.paired))
    if len(raised) and shown not in raised:
        shown = int(raised[-1])
    figure, other = numbers(before[shown], after[shown])
    full, half = (game.counts(f"{which} {game.paired[shown]}") for which in ("paired", "half silent"))
    text = f"{full}{game.remark}: {figure} → {half}: {other}"
    result = "undefined" if not known.any() else "cheated" if len(raised) else "resists"
    worth = game.paired[raised[-1]] / game.questions if len(raised) else np.nan
    shown_text = "" if result == "resists" else text
    return CheatResult(CHEATS[-1], result, float(after[shown]), float(before[shown]), worth, shown_text, **size)
