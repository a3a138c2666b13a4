"""The simulations of `promises.py`: systems with a known truth, and what nescio says of what they answer.

Questions differ in how hard they are, which two systems share: 30% of the variance belongs to a question's cluster,
and 30% to the question. A system is right on a share of the questions, wrong on another, and else silent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from scipy.special import ndtri

import nescio
from nescio.comparison.corrections import Test
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.unpaired import compare_unpaired
from nescio.data.evidence import NO_ROW, PRESENT, Evidence
from nescio.data.repeats import Repeats
from nescio.estimating import (
    Statistic,
    by_exchange,
    closed_form,
    estimate,
    posterior,
    resampled,
    units_of,
)
from nescio.estimating.units import merged
from nescio.measures import parse
from nescio.scoring.confidence_intervals import DOUBTS
from nescio.scoring.corrected import corrected_difference, corrected_score
from nescio.scoring.labels import Labels
from nescio.stats.resampling import blocks

Floats = NDArray[np.float64]
LAWS = {"half right": (0.5, 0.3), "high": (0.81, 0.056), "nearly all right": (0.97, 0.018)}  # shares right, wrong
WORSE = {"half right": (0.4, 0.36), "high": (0.7, 0.1), "nearly all right": (0.93, 0.042)}
OF_CLUSTER, OF_QUESTION = 0.3, 0.3
MANY = 400_000
RESAMPLES = 1_000
AT_ONCE = 50  # runs that are scored at once
OUTCOMES = ("c@1", "accuracy", "precision", "UF")
IGNORED = "clusters ignored"  # the group of what nescio does if it is not told of clusters
GRADED, PRICE = "mean(grade)", "price_per_right"
ORDERED = ("AUROC", "AURC", "Brier")


class Figure(NamedTuple):
    """One figure of one collection: NaN where it has no interval or no p-value, or nothing is known of the truth."""

    statistic: str
    method: str
    value: float
    low: float
    high: float
    truth: float
    p: float = math.nan
    warned: bool = False


class Setting(NamedTuple):
    """What is drawn a number of times."""

    name: str
    draw: Callable[[np.random.Generator], Iterable[Figure]]
    replications: int


class World(NamedTuple):
    """The laws of systems, the sizes of clusters of questions, and how often each question is asked."""

    laws: tuple[tuple[float, float], ...]
    sizes: tuple[int, ...]
    repeats: int = 1
    alike: bool = True  # whether the systems answer the same questions


def draw(rng: np.random.Generator, world: World) -> Evidence:
    """Draw outcomes, confidences, grades and costs of all systems."""
    runs, units, n = len(world.laws), len(world.sizes), sum(world.sizes)
    cluster = np.repeat(np.arange(units), world.sizes)
    sets = 1 if world.alike else runs
    hard = OF_CLUSTER**0.5 * rng.normal(size=(sets, units))[:, cluster] + OF_QUESTION**0.5 * rng.normal(size=(sets, n))
    hard = np.repeat(hard, world.repeats, axis=1)
    shape = (runs, n * world.repeats)
    right_share, wrong_share = (np.array(shares)[:, None] for shares in zip(*world.laws, strict=True))
    right = hard + (1 - OF_CLUSTER - OF_QUESTION) ** 0.5 * rng.normal(size=shape) < ndtri(right_share)
    silent = ~right & (rng.random(shape) > wrong_share / (1 - right_share))
    logit = rng.normal(np.where(right, 1.2, -0.3), 1.2) - 0.3 * hard
    outcomes = {"correct": right, "incorrect": ~right & ~silent, "unanswered": silent, "answered": ~silent}
    columns: dict[str, Any] = {name: marks.astype(np.int8) for name, marks in outcomes.items()}
    columns["confidence"] = 1 / (1 + np.exp(-logit))
    columns["user.grade"] = np.where(right, 1.0, rng.choice([0.0, 0.25, 0.5], size=shape))
    columns["user.cost"] = np.exp(rng.normal(0, 0.7, shape) + 0.3 * hard)
    question = np.repeat(np.arange(n), world.repeats)
    names = tuple(f"q{i:07}" for i in question)
    label = np.array([str(i % world.repeats + 1) for i in range(len(question))], dtype=object)
    data = Evidence(tuple(f"run {i:03}" for i in range(runs)), names, columns, np.full(shape, PRESENT, dtype=np.uint8))
    if world.repeats > 1:
        data = replace(data, repeats=Repeats(question, label), clusters=question)
    return data if units == n else replace(data, clusters=np.repeat(cluster, world.repeats))


def ends(row: Any) -> tuple[float, float]:
    """Return the ends of the interval of a row, NaN where it has none."""
    return (math.nan, math.nan) if row.low is None or row.high is None else (row.low, row.high)


def p_of(row: Any) -> float:
    """Return the p-value of a row, NaN where it has none."""
    return math.nan if row.p is None else float(row.p)


@cache
def truth(law: tuple[float, float], measure: str) -> float:
    """Return a measure of very many questions."""
    if measure in OUTCOMES:
        right, wrong = law
        silent = 1 - right - wrong
        of_shares = (right * (1 + silent), right, right / (right + wrong), right - wrong)
        return dict(zip(OUTCOMES, of_shares, strict=True))[measure]
    data = draw(np.random.default_rng(7), World((law,), (1,) * MANY))
    return nescio.score(data, measure, ci=None, mark=False).rows[0].value


# ---- scores ----


def scores(
    law: tuple[float, float], sizes: tuple[int, ...], measures: Sequence[str], rng: np.random.Generator, **asked: Any
) -> Iterator[Figure]:
    """Score runs of one system, each on questions of its own."""
    repeats = asked.pop("repeats", 1)
    data = draw(rng, World((law,) * AT_ONCE, sizes, repeats, alike=False))
    given = {"resamples": RESAMPLES, "seed": int(rng.integers(1 << 30)), "mark": False, **asked}
    found = nescio.score(data, list(measures), **given)
    doubted = {
        (name, whose) for note in found.notes if note.code in DOUBTS for name in note.measures for whose in note.whose
    }
    for row in found:
        warned = (row.measure, f"run {row.run!r}") in doubted
        name = "clustered" if data.groups is not None else "repeated" if repeats > 1 else ""
        statistic = f"{row.measure}{f', {name}' if name else ''}"
        yield Figure(statistic, str(row.interval), row.value, *ends(row), truth(law, row.measure), warned=warned)


def single(n: int) -> tuple[int, ...]:
    """Return the sizes of single questions."""
    return (1,) * n


UNEQUAL = (2, 3, 5, 5, 5, 10)


def score_settings() -> list[Setting]:
    """Scores of one run, by every method."""
    made = []
    for name, law in LAWS.items():
        for n in (20, 50, 200):
            made.append(Setting(f"{name}, {n}", partial(scores, law, single(n), (*OUTCOMES, GRADED)), 12))
        for method in ("percentile", "bca"):
            for n in (50, 200):
                one = partial(scores, law, single(n), OUTCOMES, interval=method)
                made.append(Setting(f"{name}, {n}", one, 8))
        made.append(
            Setting(f"{name}, 50", partial(scores, law, single(50), ("accuracy", "precision"), interval="wilson"), 12)
        )
        for sizes, words in (((5,) * 6, "6 × 5"), ((5,) * 10, "10 × 5"), (UNEQUAL, "2, 3, 5, 5, 5, 10")):
            made.append(Setting(f"{name}, clusters of {words}", partial(scores, law, sizes, (*OUTCOMES, GRADED)), 12))
        made.append(Setting(f"{name}, 30 asked 4 times", partial(scores, law, single(30), OUTCOMES, repeats=4), 12))
        for n in (50, 300):
            made.append(Setting(f"{name}, {n}", partial(scores, law, single(n), (*ORDERED, "ECE", PRICE)), 6))
        made.append(Setting(f"{name}, 10 clusters of 10", partial(scores, law, (10,) * 10, (*ORDERED, PRICE)), 6))
    return made


# ---- differences ----


def paired(
    laws: tuple[tuple[float, float], ...],
    sizes: tuple[int, ...],
    measures: Sequence[str],
    rng: np.random.Generator,
    *,
    repeats: int = 1,
    **asked: Any,
) -> Iterator[Figure]:
    """Compare two systems on the same questions."""
    data = draw(rng, World(laws, sizes, repeats))
    given = {"resamples": RESAMPLES, "seed": int(rng.integers(1 << 30)), "correction": "none", **asked}
    found = nescio.compare(data, list(measures), **given)
    alike = laws[0] == laws[1]
    kind = ", clustered" if data.groups is not None else ", repeated" if repeats > 1 else ""
    prices = {row.measure: row for row in found.tables.get("prices", ())}
    for row in found:
        true = truth(laws[1], row.measure) - truth(laws[0], row.measure) if not alike else 0.0
        p = row.p if alike and row.p is not None else math.nan
        how = f"t; {asked.get('test', 'exact or drawn exchange')}"
        yield Figure(f"difference of {row.measure}{kind}", how, row.difference, *ends(row), true, p)
        if row.measure in prices:
            price = prices[row.measure]
            ratio = truth(laws[1], row.measure) / truth(laws[0], row.measure)
            own = price.p if alike and price.p is not None else math.nan
            yield Figure(f"ratio of prices{kind}", "t of logarithms", price.ratio, *ends(price), ratio, own)


def paired_settings() -> list[Setting]:
    """Differences of graded scores and ratios of prices of two runs on the same questions, and two further tests."""
    made, measures = [], (GRADED, PRICE)
    for name, law in LAWS.items():
        for sizes, words in ((single(30), "30"), (single(200), "200"), ((5,) * 10, "10 clusters of 5")):
            made.append(Setting(f"{name}, {words}", partial(paired, (law, law), sizes, measures), 400))
        made.append(Setting(f"{name} and worse, 200", partial(paired, (law, WORSE[name]), single(200), measures), 400))
    for test in ("bootstrap", "tukey"):
        one = partial(paired, (LAWS["half right"],) * 2, single(100), ("c@1", "accuracy"), test=test)
        made.append(Setting("half right, 100", one, 400))
    return made


def apart(
    law: tuple[float, float], own: int, shared: int, measures: Sequence[str], rng: np.random.Generator
) -> Iterator[Figure]:
    """Compare two systems that are alike, each on questions of its own and on some that both have."""
    data = draw(rng, World((law, law), single(2 * own + shared)))
    lacks = np.zeros(data.absence.shape, dtype=bool)
    lacks[0, :own] = lacks[1, own : 2 * own] = True
    data = replace(data, absence=np.where(lacks, NO_ROW, data.absence).astype(np.uint8))
    plan = TestPlan(0.95, blocks(RESAMPLES, int(rng.integers(1 << 30))), 1, "auto")
    words = "partly shared" if shared else "unpaired"
    for row, _ in compare_unpaired(data, [parse(name) for name in measures], [(1, 0)], plan):
        p = math.nan if row.p is None else row.p
        yield Figure(
            f"difference of {row.measure}, {words}", f"t by strata; {row.test}", row.difference, *ends(row), 0.0, p
        )


def apart_settings() -> list[Setting]:
    """Differences of two runs that share no questions, or some."""
    measures = (*OUTCOMES, GRADED, "AUROC")
    return [
        Setting(f"{name}, {own} each and {shared} of both", partial(apart, law, own, shared, measures), 300)
        for name, law in LAWS.items()
        for own, shared in ((60, 0), (200, 0), (60, 60), (15, 120))
    ]


# ---- labels ----


def labelled(law: tuple[float, float], n: int, count: int, how: str, rng: np.random.Generator) -> Iterator[Figure]:
    """Correct a judge's verdicts on two systems that are alike by people's labels: a simple sample of them, or one in
    which what the judge calls wrong is four times as likely."""
    data = draw(rng, World((law, law), single(n)))
    right = data.columns["correct"] == 1
    silent = data.columns["unanswered"] == 1
    judged = np.where(rng.random(right.shape) < np.where(right, 0.9, 0.2), 1, 0) * ~silent
    columns = {
        **data.columns,
        "correct": judged.astype(np.int8),
        "incorrect": (~silent & (judged == 0)).astype(np.int8),
    }
    inclusion = None
    if how == "simple":
        chosen = np.zeros(n, dtype=bool)
        chosen[rng.permutation(n)[:count]] = True
    else:
        chance = np.where((judged == 0).any(axis=0), 4.0, 1.0)
        chance = np.minimum(chance * count / chance.sum(), 1.0)
        chosen = rng.random(n) < chance
        inclusion = np.where(chosen & ~silent, chance, np.nan)
    said = np.where(chosen & ~silent, right, -1).astype(np.int8)
    labels = Labels(replace(data, columns=columns), said, silent, inclusion, "")
    for measure in ("accuracy", "c@1"):
        one = corrected_score(labels, parse(measure), 0, target="population", level=0.95)
        way = f"labels, t; {how} sample"
        yield Figure(f"corrected {measure}", way, one.value, one.low, one.high, truth(law, measure))
        both = corrected_difference(labels, parse(measure), (1, 0), target="population", level=0.95)
        yield Figure(f"corrected difference of {measure}", way, both.value, both.low, both.high, 0.0, both.p)


def label_settings() -> list[Setting]:
    """Scores and differences that people's labels correct."""
    return [
        Setting(f"{name}, {count} labels of {n}", partial(labelled, law, n, count, how), 600)
        for name, law in LAWS.items()
        if name != "nearly all right"
        for n, count in ((300, 60), (300, 150))
        for how in ("simple", "weighted")
    ]


# ---- thresholds ----


@cache
def above(law: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return very many confidences of answers and whether they are wrong, the surest first."""
    data = draw(np.random.default_rng(8), World((law,), single(MANY)))
    answered = data.columns["answered"][0] == 1
    sure, wrong = data.columns["confidence"][0][answered], data.columns["incorrect"][0][answered]
    order = np.argsort(-sure)
    return sure[order], np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)


def tuned(law: tuple[float, float], n: int, rng: np.random.Generator) -> Iterator[Figure]:
    """Choose a threshold with a certified risk."""
    data = draw(rng, World((law,), single(n)))
    data = replace(
        data,
        columns={
            **data.columns,
            "confidence": np.where(data.columns["answered"] == 1, data.columns["confidence"], np.nan),
        },
    )
    row = nescio.tune(data, "c@1", max_risk=0.3, ci=None).rows[0]
    risk = low = high = math.nan
    if row.threshold is not None and math.isfinite(row.threshold) and row.risk_upper is not None:
        sure, risks = above(law)
        risk = float(risks[max(0, int(np.searchsorted(-sure, -row.threshold, side="right")) - 1)])
        low, high = 0.0, row.risk_upper
    yield Figure("risk above a threshold", "certified, exact binomial", 0.0, low, high, risk)


def tuned_pair(law: tuple[float, float], n: int, rng: np.random.Generator) -> Iterator[Figure]:
    """Compare two systems that are alike, each at its own threshold."""
    data = draw(rng, World((law, law), single(n)))
    row = nescio.tune(data, "c@1", run="run 001", baseline="run 000", resamples=200).tables["comparison"][0]
    yield Figure(
        "difference at own thresholds", "t; exchange of held-out answers", row.difference, *ends(row), 0.0, p_of(row)
    )


def threshold_settings() -> list[Setting]:
    """Certified thresholds, and two runs at theirs."""
    laws = {name: LAWS[name] for name in ("half right", "high")}
    made = [Setting(f"{name}, {n}", partial(tuned, law, n), 300) for name, law in laws.items() for n in (100, 300)]
    return made + [Setting(f"{name}, 80", partial(tuned_pair, law, 80), 200) for name, law in laws.items()]


def own(law: tuple[float, float], sizes: tuple[int, ...], rng: np.random.Generator) -> Iterator[Figure]:
    """Estimate two statistics of two systems that are alike by every method, with both tests: c@1's difference, and the
    share of the other's errors that a system answers with silence, less the same turned round."""
    data = draw(rng, World((law, law), sizes))
    right, wrong, silent = (data.columns[name].astype(float) for name in ("correct", "incorrect", "unanswered"))
    one, other = (
        {"right": right[i], "silent": silent[i], "back": right[1 - i], "unsaid": silent[1 - i]} for i in (0, 1)
    )
    theirs = [{"theirs": wrong[1 - i], "ours": wrong[i], "spared": wrong[1 - i] * silent[i]} for i in (0, 1)]
    both = [{**theirs[i], "lost": theirs[1 - i]["spared"]} for i in (0, 1)]

    def c_at_1(total: Any) -> Any:
        n = total["n"]
        return total["right"] / n * (1 + total["silent"] / n) - total["back"] / n * (1 + total["unsaid"] / n)

    def single_c_at_1(total: Any) -> Any:
        return total["right"] / total["n"] * (1 + total["silent"] / total["n"])

    def spared(total: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return total["spared"] / total["theirs"] - total["lost"] / total["ours"]

    clusters = data.clusters
    made = (
        ("difference of c@1", Statistic(c_at_1, (-1, 1)), units_of(one, clusters, other)),
        ("errors spared", Statistic(spared, (-1, 1)), units_of(both[0], clusters, both[1])),
    )
    drawn = blocks(RESAMPLES, int(rng.integers(1 << 30)))
    methods: dict[str, Any] = {"t": closed_form, "percentile": partial(resampled, blocks=drawn)}
    for name, statistic, questions in made:
        for method, of in methods.items():
            found = estimate(merged(questions), statistic, partial(of, level=0.95), partial(by_exchange, blocks=drawn))
            kind, warned = "" if clusters is None else ", clustered", bool(found.warnings)
            yield Figure(
                f"{name}{kind}", f"{method}; exchange", found.value, found.low, found.high, 0.0, found.p, warned
            )
    if clusters is None:
        alone = merged(units_of({"right": right[0], "silent": silent[0]}))
        ways = {**methods, "posterior": partial(posterior, blocks=drawn)}
        for method, of in ways.items():
            found = estimate(alone, Statistic(single_c_at_1, (0, 1)), partial(of, level=0.95))
            yield Figure(
                "c@1", method, found.value, found.low, found.high, truth(law, "c@1"), warned=bool(found.warnings)
            )


def own_settings() -> list[Setting]:
    """Statistics of one's own (`nescio.statistic`)."""
    laws = {name: LAWS[name] for name in ("half right", "high")}
    sizes = {"60": single(60), "200": single(200), "10 clusters of 10": (10,) * 10}
    return [
        Setting(f"{name}, {words}", partial(own, law, of), 400)
        for name, law in laws.items()
        for words, of in sizes.items()
    ]


# ---- families ----


def family(rates: Sequence[float], measure: str, test: Test, rng: np.random.Generator) -> Iterator[Figure]:
    """Compare five systems, pair by pair, and see whether one of two equal ones is called better."""
    data = draw(rng, World(tuple((rate * 0.85, (1 - rate) * 0.85) for rate in rates), single(200)))
    resamples = 1 if test == "auto" else RESAMPLES
    found = nescio.compare(data, measure, test=test, resamples=resamples, seed=int(rng.integers(1 << 30)))
    rate = dict(zip(data.runs, rates, strict=True))
    false = any(row.verdict in ("better", "worse") for row in found if rate[row.run] == rate[row.baseline])
    places = {row.run: row for row in found.tables["ranks"]}
    hold = all(
        places[run].low <= 1 + sum(other > share for other in rates)
        and sum(other >= share for other in rates) <= places[run].high
        for run, share in rate.items()
    )
    method = "exact exchange, Holm" if test == "auto" else "Tukey"
    around = (0.0, 1.0) if hold else (2.0, 3.0)  # the truth is 0
    yield Figure(f"ranks and verdicts by {measure}", method, 0.0, *around, 0.0, 0.0 if false else 1.0)


def unequal(value: float, silence: tuple[float, float], rng: np.random.Generator) -> Iterator[Figure]:
    """Compare two systems with the same c@1 and unlike shares of silence."""
    laws = tuple((value / (1 + one), 1 - one - value / (1 + one)) for one in silence)
    data = draw(rng, World(laws, single(400)))
    row = nescio.compare(data, "c@1", resamples=1).rows[0]
    yield Figure("difference of c@1", "exact exchange", row.difference, *ends(row), 0.0, p_of(row))


FAMILIES = {
    "five equal": (0.5,) * 5,
    "three equal, two better": (0.5, 0.5, 0.5, 0.65, 0.8),
    "two pairs of equals, one apart": (0.3, 0.3, 0.55, 0.55, 0.8),
}


TESTED: tuple[tuple[str, Test], ...] = (("c@1", "auto"), ("accuracy", "auto"), ("c@1", "tukey"))


def family_settings() -> list[Setting]:
    """All pairs of several runs, and two runs that are equal by c@1 alone."""
    made = [
        Setting(name, partial(family, rates, measure, test), 400)
        for name, rates in FAMILIES.items()
        for measure, test in TESTED
    ]
    for value, silence in ((0.5, (0.0, 0.3)), (0.5, (0.0, 0.6)), (0.6, (0.1, 0.4))):
        words = f"c@1 of both {value:g}, silence {silence[0]:g} and {silence[1]:g}"
        made.append(Setting(words, partial(unequal, value, silence), 600))
    return made


# ---- for comparison ----


def stories(correlation: float, measure: str, rng: np.random.Generator) -> Iterator[Figure]:
    """Compare two systems that are alike, but do well on stories of their own; with clusters, and without."""
    scale = (1 - correlation) / correlation
    data = draw(rng, World((LAWS["half right"],) * 2, (5,) * 50))
    chance = np.repeat(rng.beta(0.5 * scale, 0.5 * scale, (2, 50)), 5, axis=1)
    answered, lucky = rng.random(chance.shape) >= 0.2, rng.random(chance.shape) < chance
    outcomes = {
        "correct": answered & lucky,
        "incorrect": answered & ~lucky,
        "unanswered": ~answered,
        "answered": answered,
    }
    data = replace(data, columns={name: marks.astype(np.int8) for name, marks in outcomes.items()})
    for clusters, words in ((data.clusters, "clusters"), (None, "clusters ignored")):
        given = replace(data, clusters=clusters)
        row = nescio.compare(given, measure, resamples=RESAMPLES, seed=int(rng.integers(1 << 30))).rows[0]
        yield Figure(f"difference of {measure}", f"t; exchange; {words}", row.difference, *ends(row), 0.0, p_of(row))


def story_settings() -> list[Setting]:
    """Stories that are told to be clusters, and that are not."""
    return [
        Setting(f"50 stories of 5, correlation {correlation:g}", partial(stories, correlation, measure), 300)
        for correlation in (0.1, 0.3)
        for measure in ("c@1", "accuracy")
    ]


GROUPS: dict[str, Callable[[], list[Setting]]] = {
    "score": score_settings,
    "paired": paired_settings,
    "unpaired": apart_settings,
    "labels": label_settings,
    "thresholds": threshold_settings,
    "own statistic": own_settings,
    "family": family_settings,
    IGNORED: story_settings,
}
