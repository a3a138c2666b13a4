r"""Estimate means of people's verdicts if a judge has judged all N units and people some of them.

A unit has the value d by people and g by the judge: a verdict, a verdict times a price, or the difference of two
systems' verdicts on one question. The judge's values are known for all N units, people's for m of them.
Prediction-powered inference (PPI++; Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453) corrects people's mean by the
judge's values on the units that people did not see. The weight λ depends on how well the judge agrees with people:
$\hat\theta = \bar d_m + \lambda(\bar g_N - \bar g_m)$. The estimate is unbiased, however good the judge is.

There is one function per way of drawing the units that people see: at random (`simple`), at random within strata
(`stratified`), and with known probabilities (`weighted`). Every variance is about the mean of these N units, so it is 0
if people judged all of them. `superpopulation` adds the uncertainty about the population from which they come.

A sample without a single disagreement does not prove that there is none. Therefore we take the sum of the squared
residuals to be at least `least`, in units of one verdict. By the rule of three, a rate of 3/m remains possible at 95%
if no event occurs in m.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.stats.intervals import student

Values = NDArray[np.float64]
FEWEST = 3  # With fewer labels, a variance has no degree of freedom.
LEAST = 3.0
CELLS = 64  # equally likely values of the sum of squared residuals, over which a power is averaged
OWN_WEIGHT = 10  # the labels that a stratum needs for its own weight, and that each further judge needs
NAN = float("nan")


class Mean(Struct, frozen=True, eq=False):
    """An estimated mean over `units`, of which people judged `labels`.

    `variance` is the square of its standard error, and `freedom` are Student's degrees of freedom. `weights` holds λ
    for each judge (or each stratum). `correlation` is that of people's and the judge's values on the labelled units,
    NaN if either is constant. `residual` is S², the variance of one label after the judge's correction. For the
    weighted estimate, `terms` holds each unit's contribution to the mean. `imagined` is the part of the variance that
    comes from imagined disagreements.
    """

    value: float
    variance: float
    freedom: float
    weights: tuple[float, ...]
    labels: int
    units: int
    correlation: float = NAN
    residual: float = NAN
    terms: Values | None = None
    imagined: float = 0.0

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return Student's interval at a level such as 0.95."""
        if not (self.freedom > 0 and math.isfinite(self.variance)):
            return NAN, NAN
        half = float(student(self.freedom, level)) * math.sqrt(self.variance)
        return self.value - half, self.value + half

    def p_value(self) -> float:
        """Return the two-sided p-value of the hypothesis that the mean is 0; 0 or 1 if the variance is 0."""
        if not (self.freedom > 0 and math.isfinite(self.variance)):
            return NAN
        if self.variance == 0:
            return 0.0 if self.value else 1.0
        from scipy.special import stdtr

        return float(2 * stdtr(self.freedom, -abs(self.value) / math.sqrt(self.variance)))

    def superpopulation(self, spread: float) -> Mean:
        """Return the estimate for the population of which the units are a sample; `spread` is its variance."""
        return replace(self, variance=self.variance + spread / self.units) if self.units else self


class Sample(Struct, frozen=True, eq=False):
    """The values of m labelled units by `people` and by the `judge`, shape (m,), and the judge's on `every` unit (N,).

    With several judges, `judge` and `every` have one column per judge.
    """

    people: Values
    judge: Values
    every: Values

    def __post_init__(self) -> None:
        if len(self.people) != len(self.judge) or self.judge.ndim != self.every.ndim:
            raise UsageError("people and judge must have a value for each labelled unit")
        if len(self.people) > len(self.every):
            raise UsageError(
                f"people cannot judge more answers than there are "
                f"(found {len(self.people)} labels for {len(self.every)} answers)"
            )

    @property
    def remaining(self) -> float:
        """Return the share of units without a label."""
        return 1 - len(self.people) / len(self.every)


UNDEFINED = Mean(NAN, NAN, 0.0, (), 0, 0)


def simple(sample: Sample, *, scale: float = 1.0, least: float = LEAST) -> Mean:
    r"""Estimate a mean from a simple random sample of m of N units.

    $\lambda = \mathrm{Cov}_m(d, g)/\mathrm{Var}_N(g)$ with the divisors m and N - 1, clipped to [0, 1]; 0 if all
    verdicts of the judge are equal. $S^2 = \sum(d - \bar d - \lambda(g - \bar g_m))^2/(m - 2)$. The sum is at least
    `least` times the square of `scale`, the price of one verdict. The variance is $(1 - m/N)S^2/m$, for Student's t
    with m - 2 degrees of freedom. For q judges $\lambda = \mathrm{Var}_N(G)^{+}\mathrm{Cov}_m(G, d)$, not clipped, with
    m - 1 - q degrees of freedom. Undefined (NaN) below 3 labels.

        simple(Sample(np.array([1., 0, 1, 1]), np.array([1., 0, 0, 1]), np.array([1., 0, 0, 1, 1, 0]))).value

    Raises UsageError for more judges than a tenth of the labels.
    """
    m, n = len(sample.people), len(sample.every)
    if m < FEWEST:
        return replace(UNDEFINED, labels=m, units=n)
    judges = 1 if sample.every.ndim == 1 else sample.every.shape[1]
    if judges > 1 and judges * OWN_WEIGHT > m:
        raise UsageError(f"{judges} judges need at least {judges * OWN_WEIGHT} labels (found {m})")
    weights = _weight(sample) if judges == 1 else _weights(sample)
    judge, every = sample.judge.reshape(m, -1), sample.every.reshape(n, -1)
    value = float(sample.people.mean() + (every.mean(axis=0) - judge.mean(axis=0)) @ weights)
    residuals = sample.people - sample.people.mean() - (judge - judge.mean(axis=0)) @ weights
    freedom = m - 1 - judges
    residual = max(float(residuals @ residuals), least * scale**2) / freedom
    variance = max(sample.remaining, 0.0) * residual / m
    correlation = _multiple_correlation(sample.people, judge)
    return Mean(value, variance, freedom, tuple(map(float, weights)), m, n, correlation, residual)


def stratified(samples: Sequence[Sample], *, scale: float = 1.0, least: float = LEAST) -> Mean:
    r"""Estimate a mean over all units from simple random samples within strata.

    $\hat\theta = \sum_h (N_h/N)\,\hat\theta_h$ with the variance $\sum_h (N_h/N)^2 (1 - m_h/N_h) S_h^2/m_h$. A stratum
    with 10 labels or more has its own weight λ and the divisor $m_h - 2$. The others share one weight, from the
    covariances within all strata, and have the divisor $m_h - 1$. The degrees of freedom are the sum of the divisors.
    A stratum whose few labels show no disagreement may still hold some. An unseen disagreement would weigh as much as
    all the units that one label represents. Therefore the squared residuals of one stratum are raised to `least`: of
    the stratum for which this adds most to the variance (docs/decisions/labels.md).

    Raises UsageError if a stratum has fewer than 2 labels and units without one.
    """
    parts = [sample for sample in samples if len(sample.every)]
    total = sum(len(sample.every) for sample in parts)
    for sample in parts:
        if len(sample.people) < min(2, len(sample.every)):
            raise UsageError(
                f"each stratum needs 2 labels or more, "
                f"but a stratum with {len(sample.every)} questions has {len(sample.people)}"
            )
    shared = _shared_weight(parts)
    value, freedom, squares, weights = 0.0, 0, [], []
    for sample in parts:
        has_weight = len(sample.people) >= OWN_WEIGHT
        weight = float(_weight(sample)[0]) if has_weight else shared
        weights.append(weight)
        value += (
            len(sample.every)
            / total
            * float(sample.people.mean() + weight * (sample.every.mean() - sample.judge.mean()))
        )
        residuals = sample.people - sample.people.mean() - weight * (sample.judge - sample.judge.mean())
        squares.append(float(residuals @ residuals))
        freedom += len(sample.people) - (2 if has_weight else 1)
    labels = sum(len(sample.people) for sample in parts)
    variance, unseen = 0.0, 0.0
    for sample, square in zip(parts, squares, strict=True):
        m, n = len(sample.people), len(sample.every)
        if m < n:
            divisor = m - (2 if m >= OWN_WEIGHT else 1)
            of_one = (n / total) ** 2 * sample.remaining / divisor / m
            variance += of_one * square
            unseen = max(unseen, of_one * (least * scale**2 - square))
    variance += unseen
    people = np.concatenate([sample.people - sample.people.mean() for sample in parts]) if parts else np.zeros(0)
    judge = np.concatenate([sample.judge - sample.judge.mean() for sample in parts]) if parts else np.zeros(0)
    correlation = _multiple_correlation(people, judge[:, None])
    return Mean(value, variance, max(freedom, 1), tuple(weights), labels, total, correlation)


def weighted(
    people: Values,
    judge: Values,
    inclusion: Values,
    drawn: NDArray[np.bool_],
    *,
    scale: float = 1.0,
    least: float = LEAST,
) -> Mean:
    r"""Estimate a mean if each unit was drawn independently with a known probability π.

    $R_i = \lambda g_i + (\xi_i/\pi_i)(d_i - \lambda g_i)$, where ξ is 1 for drawn units. $\hat\theta = \bar R$ with
    $\lambda = \mathrm{cov}(\xi d/\pi,\ g(\xi/\pi - 1))/\mathrm{var}(g(\xi/\pi - 1))$ clipped to [0, 1]. The variance is
    $\sum \xi(1-\pi)/\pi^2\,(d - \lambda g)^2/N^2$. All arrays have shape (N,); `people` and `inclusion` are read only
    for `drawn` units. `terms` holds the $R_i$. There are m - 2 degrees of freedom, as in `simple`.

    If a judge is rarely wrong, few disagreements make up the variance, and those of units with a small π weigh most.
    Therefore the variance counts one imagined disagreement, with the least π that 10 labels or more share. In all it
    counts at least `least` disagreements, with any π (docs/decisions/labels.md).
    """
    m, n = int(drawn.sum()), len(judge)
    if m < FEWEST:
        return replace(UNDEFINED, labels=m, units=n)
    drawn_by = inclusion[drawn]
    if not ((drawn_by > 0) & (drawn_by <= 1)).all():
        raise UsageError("a probability of inclusion must be above 0 and at most 1")
    odds, seen = np.zeros(n), np.zeros(n)
    odds[drawn], seen[drawn] = 1 / drawn_by, people[drawn] / drawn_by
    pull = judge * (odds - 1)
    spread = float(pull.var())
    weight = float(np.mean((seen - seen.mean()) * (pull - pull.mean()))) / spread if spread > 0 else 0.0
    weight = min(max(weight, 0.0), 1.0)
    terms = seen - weight * pull
    residuals, left = people[drawn] - weight * judge[drawn], (1 - drawn_by) / drawn_by**2
    seen_squares = float(left @ residuals**2)
    open_ = left[left > 0] if least else np.zeros(0)
    floor = least * float(open_.mean()) - seen_squares / scale**2 if len(open_) else 0.0
    imagined = max(_one_more(left, drawn_by), floor) if len(open_) else 0.0
    imagined *= scale**2 / n**2
    variance = seen_squares / n**2 + imagined
    correlation = _multiple_correlation(people[drawn], judge[drawn][:, None])
    return Mean(float(terms.mean()), variance, m - 2, (weight,), m, n, correlation, terms=terms, imagined=imagined)


def _one_more(left: Values, odds: Values) -> float:
    """Return the largest variance that one more disagreement can add, on average over the labels of a group.

    Ten labels or more with the same probability (`odds`) form a group. All other labels form one more group.
    `left` holds the variance that a disagreement of each label adds.
    """
    _, place, many = np.unique(np.round(odds, 12), return_inverse=True, return_counts=True)
    groups = np.where(many[place] >= OWN_WEIGHT, place, -1)
    return max(float(left[groups == group].mean()) for group in set(groups.tolist()))


def superpopulation_of_terms(mean: Mean, known: Values | float = 0.0) -> Mean:
    """Return the weighted estimate for the population of which the units are a sample, from the spread of its `terms`.

    `known` is the contribution of each unit that needs no label.
    """
    if mean.terms is None:
        return mean
    return replace(mean, variance=float((mean.terms + known).var(ddof=1)) / mean.units + mean.imagined)


def spread_over_strata(values: Sequence[tuple[Values, int]]) -> float:
    r"""Estimate the variance of values over all N units from samples within strata.

    `values` has one pair per stratum: the sampled values, and its number of units.

    $\frac{1}{N-1}\sum_h [(N_h - 1)s_h^2 + N_h(\bar e_h - \bar e)^2]$. For one stratum it is the sample's own variance.
    """
    parts = [(seen, units) for seen, units in values if units and len(seen)]
    total = sum(units for _, units in parts)
    if total < 2:
        return 0.0
    centre = sum(units * float(seen.mean()) for seen, units in parts) / total
    within = sum((units - 1) * float(seen.var(ddof=1)) for seen, units in parts if len(seen) > 1)
    return (within + sum(units * (float(seen.mean()) - centre) ** 2 for seen, units in parts)) / (total - 1)


def labels_needed(
    spread: float,
    correlation: float,
    units: int,
    *,
    level: float,
    half_width: float | None = None,
    difference: float = 0.0,
    power: float = 0.8,
    population: float | None = None,
    scale: float = 1.0,
) -> float:
    r"""Return the least number of labels with which the interval of `simple` reaches its aim; ∞ if no number does.

    The aim is a half width or, without one, to find a difference with a power.

    $S^2 = S_d^2(1 - \rho^2)$ for people's spread $S_d^2$ and the correlation ρ of people's and the judge's values. With
    m labels of N units the variance is $v(Q) = (1 - m/N)\max(Q, 3)/(m(m - 2)) + V/N$ for the sum Q of the squared
    residuals, in units of one verdict (`scale`). V (`population`) is the variance of the values in the population from
    which the units come; without it the term is 0.

    In half of the samples $t_{m-2}\sqrt{v(Q)}$ is at most the half width, with $Q = (m - 2)S^2 + 1/3$: the median of a
    count of rare disagreements is at most 1/3 above its mean. A difference d is found with the probability
    $E_Q\,\Phi((d - t_{m-2}\sqrt{v(Q)})/\sigma)$, with the true standard error σ. Q varies as a count of disagreements
    does (a gamma distribution with mean and variance $(m - 2)S^2$). The weight λ comes from the same labels as the
    mean, which pulls the estimate towards 0 by about $(1 - m/N)\rho^2\kappa/(m S_d^2)$. κ is the third central moment
    of people's values: $d(1 - 3S_d^2 - d^2)$ for the values -1, 0 and 1, and at most $S_d^2$.
    """
    if units < FEWEST or not spread >= 0:
        return math.inf
    seen, sought = spread / scale**2, abs(difference) / scale
    moment = min(sought * max(1 - 3 * seen - sought**2, 0.0), seen)
    pull = correlation**2 * moment / seen if seen > 0 else 0.0
    plan = _Plan(seen * (1 - correlation**2), units, scale, (population or 0.0) / units, scale * pull)

    def reached(labels: int) -> bool:
        if half_width is not None:
            return plan.half_width(labels, level) <= half_width
        return plan.power(labels, abs(difference), level) >= power

    if not reached(units):
        return math.inf
    return FEWEST + bisect_left(range(FEWEST, units), True, key=reached)


class _Plan(Struct, frozen=True):
    """The precision that a number of labels has: see `labels_needed`.

    `residual` is S² in units of one verdict, and `rest` the variance that no label reduces. The estimate is pulled
    towards 0 by `pull` divided by the number of labels.
    """

    residual: float
    units: int
    scale: float
    rest: float
    pull: float

    def variance(self, labels: int, squares: Values | float) -> Values | float:
        """Return the estimated variance if the squared residuals have these sums."""
        each = (1 - labels / self.units) * self.scale**2 / labels / (labels - 2)
        return each * np.maximum(squares, LEAST) + self.rest

    def half_width(self, labels: int, level: float) -> float:
        """Return the half width that the interval has at most in half of the samples."""
        squares = (labels - 2) * self.residual + 1 / 3
        return float(student(labels - 2, level)) * math.sqrt(self.variance(labels, squares))

    def power(self, labels: int, difference: float, level: float) -> float:
        """Return the probability that the test finds a difference."""
        from scipy.special import gammaincinv, ndtr

        shape = (labels - 2) * self.residual
        quantiles = (np.arange(CELLS) + 0.5) / CELLS
        squares = gammaincinv(shape, quantiles) if shape > 0 else np.zeros(1)
        error = math.sqrt((1 - labels / self.units) * self.scale**2 * self.residual / labels + self.rest)
        difference -= (1 - labels / self.units) * self.pull / labels
        beyond = difference - student(labels - 2, level) * np.sqrt(self.variance(labels, squares))
        return float(np.mean(ndtr(beyond / error) if error > 0 else beyond > 0))


def allocation(strata: Sequence[tuple[int, float]], labels: float) -> list[float]:
    """Return the number of labels for each stratum, in proportion to its units times its standard deviation.

    This is Neyman's (1934) allocation of `labels` labels. A stratum gets at most as many labels as it has units.
    `strata` holds the number of units and the standard deviation of each stratum.
    """
    shares = [0.0] * len(strata)
    left, open_ = labels, [i for i, (units, sd) in enumerate(strata) if units * sd > 0]
    while open_ and left > 0:
        weight = sum(strata[i][0] * strata[i][1] for i in open_)
        wanted = {i: left * strata[i][0] * strata[i][1] / weight for i in open_}
        full = [i for i in open_ if wanted[i] >= strata[i][0]]
        for i in full or open_:
            shares[i] = min(wanted[i], float(strata[i][0]))
        if not full:
            break
        left -= sum(shares[i] for i in full)
        open_ = [i for i in open_ if i not in full]
    return shares


def _weight(sample: Sample) -> Values:
    """Return the weight λ of a single judge, clipped to [0, 1]."""
    spread = float(sample.every.var(ddof=1)) if len(sample.every) > 1 else 0.0
    if not spread > 0:
        return np.zeros(1)
    covariance = float(np.mean((sample.people - sample.people.mean()) * (sample.judge - sample.judge.mean())))
    return np.array([min(max(covariance / spread, 0.0), 1.0)])


def _weights(sample: Sample) -> Values:
    centred = sample.every - sample.every.mean(axis=0)
    spread = centred.T @ centred / (len(centred) - 1)
    centred_judge = sample.judge - sample.judge.mean(axis=0)
    weights: Values = np.linalg.pinv(spread) @ (
        centred_judge.T @ (sample.people - sample.people.mean()) / len(centred_judge)
    )
    return weights


def _shared_weight(parts: Sequence[Sample]) -> float:
    """Return the weight λ from the covariances within strata, clipped to [0, 1]."""
    labels, units = sum(len(sample.people) for sample in parts), sum(len(sample.every) for sample in parts)
    spread = sum(float(((sample.every - sample.every.mean()) ** 2).sum()) for sample in parts) / max(
        units - len(parts), 1
    )
    if not spread > 0:
        return 0.0
    covariance = sum(
        float(((sample.people - sample.people.mean()) * (sample.judge - sample.judge.mean())).sum()) for sample in parts
    )
    return min(max(covariance / labels / spread, 0.0), 1.0)


def _multiple_correlation(people: Values, judge: Values) -> float:
    """Return the correlation of people's values with the best linear function of the judges' values.

    For a single judge it may be negative.
    """
    if len(people) < 2:
        return NAN
    centred, centred_judge = people - people.mean(), judge - judge.mean(axis=0)
    total = float(centred @ centred)
    if judge.shape[1] == 1:
        other = float(centred_judge[:, 0] @ centred_judge[:, 0])
        product = total * other
        return float(centred @ centred_judge[:, 0]) / math.sqrt(product) if product > 0 else NAN
    if not total > 0:
        return NAN
    fitted = centred_judge @ np.linalg.lstsq(centred_judge, centred, rcond=None)[0]
    return math.sqrt(min(max(float(fitted @ fitted) / total, 0.0), 1.0))
