"""Score systems that were told the cost of an error, and test whether they abstain more if it is higher."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.corrections import adjust
from nescio.comparison.two_runs import pairs_of
from nescio.data.evidence import Evidence, with_questions
from nescio.data.notes import Note, note
from nescio.data.plain_tables import figure
from nescio.data.results import Results
from nescio.data.shown import Shown
from nescio.data.signature import sign
from nescio.data.stake_labels import are_stated, penalties
from nescio.errors import MismatchError, opt
from nescio.estimating import Estimate
from nescio.estimating.means import difference, mean
from nescio.pipeline import Options, load
from nescio.stats import stakes as formulas
from nescio.stats.intervals import EVERYWHERE
from nescio.stats.streams import Stream

Floats = NDArray[np.float64]
Scale = Literal["auto", "penalty", "target"]
Candidates = Literal["stated", "lower"]
FINEST = 10**9  # earnings are rounded to this unit if they have none as large
FEW = 20  # questions: with fewer, no interval of a difference was found to hold (docs/evidence/stakes.md)


class AtStake(Struct, frozen=True):
    """The figures of a run at one stake, over `n` questions.

    `utility` is (C - λW)/n plus what abstentions on unanswerable questions earn, and `normalised` is utility/(1 + λ).
    `always` is the utility of answering every question, `never` that of answering none, and `rule` that of answering if
    the confidence exceeds the target t = λ/(1+λ). `regret` is `rule` minus `utility`. If it is unknown whether declined
    answers were right, `always`, `rule` and `regret` are NaN, and the regret lies between `regret_least` and
    `regret_most`. `consistency` is the share of questions on which the run follows the rule. `stated_regret` is the
    loss by the run's own confidences.
    """

    run: Annotated[str, Shown()]
    penalty: Annotated[float, Shown("stake", form="short", digits=6)]
    target: float
    utility: Annotated[float, Shown(interval=("low", "high"))]
    low: float | None
    high: float | None
    normalised: float
    coverage: Annotated[float, Shown()]
    precision: Annotated[float, Shown()]
    always: Annotated[float, Shown()]
    never: Annotated[float, Shown()]
    rule: Annotated[float, Shown("own rule")]
    regret: float
    regret_least: float
    regret_most: float
    consistency: Annotated[float, Shown("consistent")]
    stated_regret: float
    unknown: int
    n: Annotated[int, Shown()]

    @property
    def regret_range(self) -> Annotated[str, Shown("regret", numeric=True, after="rule")]:
        """Return the regret, or its range if the outcome of declined answers is unknown."""
        if self.regret_least == self.regret_most:
            return figure(self.regret)
        least, most = figure(self.regret_least), figure(self.regret_most)
        return least if math.isnan(self.regret_least) else f"{least} to {most}"


class Adapts(Struct, frozen=True):
    """How the abstentions of a run follow the stakes, and the area under its utility over all stakes.

    `per_tenfold` is the change of the share of abstentions for a stake ten times as high. `p` is the one-sided p-value
    of the hypothesis that the run ignores its stakes.
    """

    run: Annotated[str, Shown()]
    per_tenfold: Annotated[float, Shown("silence per tenfold", interval=("low", "high"))]
    low: float | None
    high: float | None
    p: Annotated[float, Shown("p (ignores stakes)", form="p")]
    test: Annotated[str, Shown()]
    area: Annotated[float, Shown(interval=("area_low", "area_high"))]
    area_low: float | None
    area_high: float | None
    n: Annotated[int, Shown()]
    left_out: int


class StakeDifference(Struct, frozen=True):
    """One run's figure minus another run's, on the questions that both have.

    If `penalty` is None, the figure is the area over all stakes, which is primary. Otherwise it is the utility at that
    stake; the p-values of single stakes are adjusted after Holm among themselves.
    """

    run: Annotated[str, Shown()]
    baseline: Annotated[str, Shown()]
    penalty: Annotated[float | None, Shown("stake", form="short", digits=6, absent="all")]
    difference: Annotated[float, Shown(form="signed", interval=("low", "high"))]
    low: float | None
    high: float | None
    p: Annotated[float, Shown(form="p")]
    p_adjusted: Annotated[float, Shown(form="p")]
    test: str
    n: Annotated[int, Shown()]


class Setting(Struct, frozen=True, eq=False):
    """The settings that all runs share.

    They are the stakes λ, the earnings of abstentions on unanswerable questions, the level of intervals as a share, the
    cluster of each question, and the draws of tests that are not exact.
    """

    declared: Sequence[Fraction]
    earns: float
    level: float
    clusters: NDArray[np.int64] | None
    rng: np.random.Generator

    def mean(self, values: Floats, use: NDArray[np.bool_], bounds: tuple[float, float] = EVERYWHERE) -> Estimate:
        """Return the mean of the values of some questions, with its interval."""
        return mean(values, self.level, None if self.clusters is None else self.clusters[use], bounds)


class Asked(Struct, frozen=True, eq=False):
    """What one run answered, in arrays of shape (questions, stakes), NaN if a question was not asked at a stake."""

    right: Floats
    wrong: Floats
    silent: Floats
    answerable: Floats
    confidence: Floats
    candidate: Floats


def stakes(
    source: Any,
    *,
    stake: str | None,
    scale: Scale,
    silence_earns: float,
    candidates: Candidates,
    baseline: str | None,
    ci: float,
    seed: int,
    **options: Any,
) -> Results[AtStake]:
    """Score runs that were asked the same questions at several stated stakes.

    A stake is the price λ of an error or the target t = λ/(1+λ), as `scale` says; "auto" decides by the column's name.
    The stakes are in the column that `stake` names. If it is None, they are in the column `stake`, or in ids such as
    `q1@stake=3`. Rows are `AtStake`. `tables["adaptation"]` says whether abstentions follow the stakes, and
    `tables["differences"]` compares runs. Raises UsageError for an invalid stake.
    """
    named = {} if stake is None else {"repeat": stake}
    column = {**options.pop("column", {}), **named}
    loaded = load(source, Options(**{**options, "column": column, "strata": ()}))
    data = with_questions(loaded.data, "tell its stakes apart")
    if "correct" not in data.columns:
        raise MismatchError("stakes need outcomes: right, wrong or unanswered")
    labels = [] if data.repeats is None else [str(label) for label in data.repeats.label]
    prices = penalties(labels, "penalty" if named and scale == "auto" and not are_stated(labels) else scale)
    if not labels or prices is None:
        raise MismatchError(
            f"no question was asked at two stakes; {opt('stake')} names the column that holds the stakes"
        )
    declared = sorted(set(prices.values()))
    order = {label: declared.index(price) for label, price in prices.items()}
    place = np.array([order[label] for label in labels])
    rng = np.random.default_rng([seed, int(Stream.STAKES)])
    setting = Setting(declared, silence_earns, ci / 100, _clusters(data), rng)
    asked = [_asked(data, run, place, setting, candidates) for run in range(len(data.runs))]
    rows = [
        _row(run, outcomes, k, setting)
        for run, outcomes in zip(data.runs, asked, strict=True)
        for k in range(len(declared))
        if not np.isnan(outcomes.right[:, k]).all()
    ]
    adapts = [_adapts(run, outcomes, setting) for run, outcomes in zip(data.runs, asked, strict=True)]
    slopes = [_of_answerable(run, outcomes, setting) for run, outcomes in zip(data.runs, asked, strict=True)]
    tables: dict[str, tuple[Any, ...]] = {"adaptation": tuple(adapts)}
    different = _differences(data.runs, asked, pairs_of(data.runs, baseline), setting)
    if different:
        tables["differences"] = tuple(different)
    line = sign(
        stakes="+".join(f"{float(price):g}" for price in declared),
        silence_earns=f"{silence_earns:g}",
        candidates=candidates,
        **loaded.signature,
        ci=f"{ci:g}",
        interval="t",
        seed=seed,
    )
    notes = (
        *(remark for remark in loaded.notes if remark.code != "outcomes.repeats"),
        *_notes(rows, adapts, different, asked, setting, candidates=candidates),
        *filter(None, slopes),
    )
    return Results(tuple(rows), line, notes, "stakes", tables)


def _clusters(data: Evidence) -> NDArray[np.int64] | None:
    """Return the cluster of each question, in the order of the questions' numbers, or None without clusters."""
    if data.groups is None or data.repeats is None:
        return None
    clusters = np.zeros(data.repeats.questions, dtype=np.int64)
    clusters[data.repeats.question] = data.groups
    return clusters


def _asked(data: Evidence, run: int, place: NDArray[np.int64], setting: Setting, candidates: str) -> Asked:
    assert data.repeats is not None
    shape = (data.repeats.questions, len(setting.declared))
    here = data.present[run]
    at = (data.repeats.question[here], place[here])
    if np.bincount(np.ravel_multi_index(at, shape), minlength=1).max() > 1:
        raise MismatchError(f"run {data.runs[run]!r} was asked a question twice at one stake")

    def laid(name: str) -> Floats:
        table = np.full(shape, np.nan)
        if name in data.columns:
            table[at] = data.columns[name][run][here]
        return table

    answered, correct = laid("answered"), laid("correct")
    silent = 1 - answered
    none = (silent * correct == 1) | (laid("answerable") == 0)  # without the column, only a right abstention shows it
    answerable = np.where(np.isnan(silent), np.nan, np.where(none, 0.0, 1.0))
    right = np.where(silent == 1, np.where(answerable == 0, setting.earns, 0.0), correct)
    wrong = laid("incorrect")
    known = np.where(laid("candidate_correct") == 1, 1.0, np.where(laid("candidate_incorrect") == 1, 0.0, np.nan))
    if candidates == "lower":
        last = np.full(shape[0], np.nan)
        for k in range(shape[1]):
            last = np.where(answered[:, k] == 1, correct[:, k], last)
            known[:, k] = np.where(np.isnan(known[:, k]) & (silent[:, k] == 1), last, known[:, k])
    known = np.where(answered == 1, correct, np.where(answerable == 0, 0.0, known))
    return Asked(right, wrong, silent, answerable, laid("confidence"), known)


def _row(run: str, outcomes: Asked, k: int, setting: Setting) -> AtStake:
    use = ~np.isnan(outcomes.right[:, k])
    right, wrong, silent = outcomes.right[use, k], outcomes.wrong[use, k], outcomes.silent[use, k]
    price, earns, n = float(setting.declared[k]), setting.earns, int(use.sum())
    target = price / (1 + price)
    nan = math.nan
    earned = formulas.gain(right, wrong, price)
    got = setting.mean(earned, use, (-price, 1.0))
    answered = 1 - silent
    correct = float((right * answered).sum())
    precision = correct / float(answered.sum()) if answered.any() else nan
    candidate = outcomes.candidate[use, k]
    always = _bracket(candidate, price)
    f, open_ = outcomes.confidence[use, k], outcomes.answerable[use, k] == 1
    of = ~np.isnan(f) & (open_ | (earns == 0))
    rule, regret, consistency, stated, unknown = nan, (nan, nan), nan, nan, int(np.isnan(candidate).sum())
    if of.any():
        answers, agrees, stated = formulas.rule_figures(f[of], answered[of] == 1, target)
        ends = _bracket(np.where(answers, candidate[of], -1.0), price)
        utility = float(earned[of].mean())
        rule, regret, consistency = ends[0], (ends[0] - utility, ends[1] - utility), float(agrees.mean())
        rule = rule if ends[0] == ends[1] else nan
    return AtStake(
        run,
        price,
        target,
        got.value,
        got.low,
        got.high,
        got.value / (1 + price),
        float(answered.mean()),
        precision,
        always[0] if always[0] == always[1] else nan,
        earns * float((outcomes.answerable[use, k] == 0).mean()),
        rule,
        regret[0] if regret[0] == regret[1] else nan,
        *regret,
        consistency,
        stated,
        unknown,
        n,
    )


def _bracket(candidate: Floats, price: float) -> tuple[float, float]:
    """Return the mean utility if the answers of unknown outcome are all wrong, and if they are all right.

    `candidate` holds each answer: right (1), wrong (0), not given (-1), or unknown (NaN). `price` is the price of a
    wrong answer.
    """
    unknown = np.isnan(candidate)
    known = np.where(candidate == 1, 1.0, np.where(candidate == 0, -price, 0.0))
    return float(np.where(unknown, -price, known).mean()), float(np.where(unknown, 1.0, known).mean())


def _area(outcomes: Asked, declared: Sequence[Fraction]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return each question's contribution to the area under the utility, and a mask of questions asked at all stakes.

    `declared` holds the stakes over which the area is computed.
    """
    alpha, beta = formulas.area_weights([x / (1 + x) for x in declared])
    whole: NDArray[np.bool_] = np.logical_not(np.isnan(outcomes.right).any(axis=1))
    earned = outcomes.right @ np.array(alpha, dtype=float) - outcomes.wrong @ np.array(beta, dtype=float)
    return earned, whole


def _adapts(run: str, outcomes: Asked, setting: Setting) -> Adapts:
    stated = [k for k, x in enumerate(setting.declared) if x]
    log = np.log([float(setting.declared[k]) for k in stated])
    slope = formulas.adaptation(log, outcomes.silent[:, stated], setting.level, setting.rng, setting.clusters)
    area, whole = _area(outcomes, setting.declared)
    _, wrong = formulas.area_weights([x / (1 + x) for x in setting.declared])
    of_area = setting.mean(area[whole], whole, (-float(sum(wrong)), 1.0))
    ten, asked = math.log(10), int((~np.isnan(outcomes.right)).any(axis=1).sum())
    change = (slope.slope * ten, slope.low * ten, slope.high * ten)
    left_out, ends = asked - of_area.n, (of_area.low, of_area.high)
    return Adapts(run, *change, slope.p, slope.how, of_area.value, *ends, of_area.n, left_out)


def _of_answerable(run: str, outcomes: Asked, setting: Setting) -> Note | None:
    """Return a note on how abstentions follow the stakes on answerable questions, or None if all or none are.

    A system that abstains on unanswerable questions at every stake seems to follow the stakes less on all questions.
    """
    none = (outcomes.answerable == 0).any(axis=1)
    stated = [k for k, x in enumerate(setting.declared) if x]
    if not none.any() or none.all():
        return None
    log = np.log([float(setting.declared[k]) for k in stated])
    slope = formulas.adaptation(log, outcomes.silent[~none][:, stated], setting.level, np.random.default_rng(0))
    return (
        note(
            "stakes.answerable",
            "run {subject!r}: silence per tenfold is {slope:.3f} on the {questions:n answerable question} alone",
            run,
            slope=slope.slope * math.log(10),
            questions=slope.n,
        )
        if slope.n
        else None
    )


class Earned(Struct, frozen=True, eq=False):
    """The earnings of a run on each question over some stakes, in whole numbers of 1/`unit`, whose sums are exact.

    `whole` is 0 for a question that was not `asked` at each of these stakes. A right answer earns 1 more than
    abstaining, and at most `width` more than an error.
    """

    whole: NDArray[np.int64]
    asked: NDArray[np.bool_]
    unit: int
    width: float


def _earned(outcomes: Asked, stakes: Sequence[int], setting: Setting) -> Earned:
    alpha, beta = formulas.area_weights([x / (1 + x) for x in (setting.declared[k] for k in stakes)])
    unit = math.lcm(*(x.denominator for x in (*alpha, *beta)))
    unit = min(unit * Fraction(setting.earns).limit_denominator(1000).denominator, FINEST)
    right, wrong = (np.array(weights, dtype=float) * unit for weights in (alpha, beta))
    earned = outcomes.right[:, stakes] @ right - outcomes.wrong[:, stakes] @ wrong
    asked: NDArray[np.bool_] = np.logical_not(np.isnan(earned))
    return Earned(np.rint(np.where(asked, earned, 0)).astype(np.int64), asked, unit, float(1 + sum(beta)))


def _differences(
    runs: Sequence[str], asked: Sequence[Asked], pairs: Sequence[tuple[int, int]], setting: Setting
) -> list[StakeDifference]:
    """Return the comparisons of pairs of runs, first by the area over all stakes and then at each stake."""
    if not pairs:
        return []
    every = list(range(len(setting.declared)))
    chosen = [every, *([[k] for k in every] if len(every) > 1 else [])]
    prices = [float(setting.declared[of[0]]) if len(of) == 1 else None for of in chosen]
    earned = [[_earned(outcomes, of, setting) for of in chosen] for outcomes in asked]
    made: list[StakeDifference] = []
    for x, y in pairs:
        both = zip(prices, earned[x], earned[y], strict=True)
        rows = [_difference((runs[x], runs[y]), price, gains, other, setting) for price, gains, other in both]
        adjusted = adjust([row.p for row in rows[1:]], "holm")
        made += rows[:1]
        made += [
            replace(row, p_adjusted=math.nan if p is None else p) for row, p in zip(rows[1:], adjusted, strict=True)
        ]
    return made


def _difference(
    names: tuple[str, str], penalty: float | None, gains: Earned, other: Earned, setting: Setting
) -> StakeDifference:
    """Return the comparison of two runs by utility at the stake `penalty`, or by area over all stakes if None."""
    both = gains.asked & other.asked
    whole = gains.whole - other.whole
    whole = whole if both.all() else whole[both]
    clusters = None if setting.clusters is None else setting.clusters[both]
    values, times = formulas.counted(whole) if clusters is None else (whole, None)
    if len(whole) < FEW:
        got = mean(values / gains.unit, setting.level, clusters, times=times)
    else:
        got = difference(values / gains.unit, setting.level, gains.width, clusters, times)
    if clusters is not None:
        unit = np.unique(clusters, return_inverse=True)[1]
        whole = np.rint(np.bincount(unit, whole)).astype(np.int64)
    p, how = formulas.exchange_p(whole, setting.rng)
    p = p if got.n else math.nan
    return StakeDifference(*names, penalty, got.value, got.low, got.high, p, p, how, got.n)


def _notes(
    rows: Sequence[AtStake],
    adapts: Sequence[Adapts],
    different: Sequence[StakeDifference],
    asked: Sequence[Asked],
    setting: Setting,
    *,
    candidates: str,
) -> list[Note]:
    made = []
    if any((outcomes.answerable == 0).any() for outcomes in asked):
        made.append(
            note(
                "stakes.unanswerable",
                "abstaining on an unanswerable question earns "
                "{earns:g}{some:; consistency and regret use only answerable questions/}",
                earns=setting.earns,
                some=bool(setting.earns),
            )
        )
    if Fraction(0) in setting.declared:
        made.append(
            note(
                "stakes.free",
                "the slope leaves out rows with a stake of 0, because it is over the logarithm of the stake",
            )
        )
    for row in adapts:
        if row.left_out:
            made.append(
                note(
                    "stakes.incomplete",
                    "{left_out:n question} of run {subject!r} {left_out:was/were} not asked at every stake, so the "
                    "area leaves {left_out:it/them} out",
                    row.run,
                    left_out=row.left_out,
                )
            )
    if few := [row.n for row in different if 1 < row.n < FEW]:
        made.append(
            note(
                "stakes.few",
                "with only {n:n question}, the intervals of differences cover the true value less often than "
                "stated: rely on the p-values",
                n=max(few),
            )
        )
    if any(row.regret_least < row.regret_most for row in rows):
        unknown = (
            note(
                "stakes.unknown",
                "some questions were declined at every lower stake too, so it is unknown whether an answer would be "
                "right. The regret of a rule that answers these questions is a range",
            )
            if candidates == "lower"
            else note(
                "stakes.candidates",
                "the outcome of declined answers is unknown, so the regret of a rule that gives such answers is a "
                f"range; {opt('candidates', 'lower')} takes the answer at the nearest lower stake",
            )
        )
        made.append(unknown)
    return made
