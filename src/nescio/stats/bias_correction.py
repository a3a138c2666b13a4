r"""Estimate the share of all answers that people would call correct, from a judge's verdicts on all and people's on a
sample.

N answers have a judge's verdict f (1 says correct). A simple random sample of n of them has people's verdict y too. The
estimate is for the share $\theta$ of these N that people would call correct. The sample is drawn without replacement,
so every variance has the factor $1 - n/N$, which is 0 for n = N. If the N answers are themselves a sample of a larger
population of answers, `superpopulation` widens an interval accordingly.

Two functions correct the judge's own share $\bar f$:

- Prediction-powered inference adds the mean difference between people and the judge. It is unbiased however bad the
  judge is, and its interval is never much wider than that of people's sample alone.
- Rogan and Gladen's estimator divides by the judge's sensitivity plus specificity minus 1. It is undefined if the judge
  tells right answers from wrong ones no better than chance.

A sample without a single disagreement does not prove that there is none. A variance therefore takes the sum of its n
squared residuals to be at least 3. By the rule of three, a rate of 3/n remains possible at 95% if no event occurs in n.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.errors import UsageError
from nescio.stats.intervals import student, wilson
from nescio.stats.prediction_powered import FEWEST, LEAST, Mean, Sample, simple

Verdicts = NDArray[np.float64]
NAN = float("nan")


class Estimate(Struct, frozen=True):
    """An estimated share with its interval, all in [0, 1] or NaN; `weight` is the judge's weight in it."""

    value: float
    low: float
    high: float
    weight: float | None = None


UNDEFINED = Estimate(NAN, NAN, NAN)


def human_sample_mean(people: Verdicts, answers: int, level: float = 0.95) -> Estimate:
    r"""Return the share of the n labelled answers that people call correct, as an estimate for all N `answers`.

    The interval is Wilson's with $n/(1 - n/N)$ for n, because the sample is drawn without replacement. NaN for n = 0.
    """
    n = len(people)
    _check(n, answers)
    if n == 0:
        return UNDEFINED
    share = float(people.mean())
    if n == answers:
        return Estimate(share, share, share)
    effective = n / (1 - n / answers)
    return Estimate(share, *wilson(share * effective, effective, level))


def prediction_powered(
    people: Verdicts, judge: Verdicts, judge_share: float, answers: int, level: float = 0.95
) -> Estimate:
    r"""Return the prediction-powered estimate with a tuned weight, in [0, 1] (PPI++; Angelopoulos, Duchi & Zrnic 2023).

    $\hat\theta = \bar y + \hat\lambda\,(\bar f_N - \bar f_n)$ with $\hat\lambda = \mathrm{Cov}_n(y,
    f)/\mathrm{Var}_N(f)$ clipped to [0, 1] (0 if all verdicts of the judge are equal). `people` and `judge` are y and f
    of the n labelled answers, shape (n,); `judge_share` is $\bar f_N$ over all `answers`. The paper separates labelled
    from unlabelled answers. Its λ is $\hat\lambda$ divided by 1 + n/(N - n), and its estimate is the same.

    Half the width is $t_{n-2}\sqrt{(1 - n/N)\,S/(n(n-2))}$, S being the sum of the squared residuals
    $y - \bar y_n - \hat\lambda(f - \bar f_n)$, at least 3. Undefined below 3 labels.
    """
    mean = _mean(people, judge, judge_share, answers)
    return UNDEFINED if mean is None else _held(mean.value, *mean.interval(level), mean.weights[0])


def prediction_powered_population(
    people: Verdicts,
    judge: Verdicts,
    judge_share: float,
    answers: int,
    level: float = 0.95,
    *,
    known: tuple[int, int] = (0, 0),
) -> Estimate:
    r"""Return the prediction-powered estimate for the population of which these N answers are a sample; in [0, 1].

    `known` has two counts of further answers of that sample: those that need no verdict, and the right ones among them.
    With $n'$ answers in all and the share $p = N/n'$ of those that need a verdict, half the width is
    $t_{n-2}\sqrt{p^2(1 - n/N)S^2/n + \theta(1-\theta)/n'}$. Undefined below 3 labels.
    """
    mean = _mean(people, judge, judge_share, answers)
    if mean is None:
        return UNDEFINED
    total = answers + known[0]
    value = (known[1] + answers * mean.value) / total
    share = min(max(value, 0.0), 1.0)
    whole = replace(mean, value=value, variance=(answers / total) ** 2 * mean.variance, units=total)
    return _held(value, *whole.superpopulation(share * (1 - share)).interval(level), mean.weights[0])


def _mean(people: Verdicts, judge: Verdicts, judge_share: float, answers: int) -> Mean | None:
    n = len(people)
    _check(n, answers)
    if n < FEWEST:
        return None
    every = np.zeros(answers)
    every[: round(answers * judge_share)] = 1  # The judge's verdicts are 0 or 1, so their share says how many are 1.
    return simple(Sample(people, judge, every))


def rogan_gladen(people: Verdicts, judge: Verdicts, judge_share: float, answers: int, level: float = 0.95) -> Estimate:
    r"""Return the judge's share corrected by its sensitivity and specificity (Rogan & Gladen 1978); in [0, 1].

    $\hat\theta = \frac{\bar f_N + \mathrm{sp} - 1}{\mathrm{se} + \mathrm{sp} - 1}$, clipped to [0, 1]. Among the n
    labelled answers, se is the judge's agreement on those that people call right, and sp that on those they call wrong.
    Undefined (NaN) if people call all labelled answers right or all wrong. Also undefined if se + sp ≤ 1, because such
    a judge says nothing about the answers.

    The interval holds every θ with $|\bar f_N - \mathrm{se}\,\theta - (1 - \mathrm{sp})(1 - \theta)| \le t\,s(\theta)$,
    where $s^2(\theta)$ is the variance of the left side. This is Fieller's (1954) method. It keeps its coverage where
    the denominator is small; the delta method does not. The interval is [0, 1] if se + sp - 1 does not differ from 0
    significantly. `weight` is se + sp - 1.
    """
    n = len(people)
    _check(n, answers)
    right = float(people.sum())
    wrong = n - right
    if n < FEWEST or right == 0 or wrong == 0:
        return UNDEFINED
    se = float(judge[people == 1].mean())
    false = float(judge[people == 0].mean())
    youden = se - false
    if youden <= 0:
        return Estimate(NAN, NAN, NAN, youden)
    inflated = (1 - n / answers) * n / (n - 2)
    squares = right * se * (1 - se) + wrong * false * (1 - false)
    # θ² + (1 - θ)² is at least ½, so that this much more in both variances makes up what `squares` lacks
    more = 2 * max(LEAST - squares, 0.0) / n**2
    v1, v0 = inflated * (se * (1 - se) / right + more), inflated * (false * (1 - false) / wrong + more)
    q2, d = float(student(n - 2, level)) ** 2, judge_share - false
    a, b, c = youden**2 - q2 * (v1 + v0), youden * d - q2 * v0, d**2 - q2 * v0
    value = d / youden
    if a <= 0:
        return _held(value, 0.0, 1.0, youden)
    root = max(b * b - a * c, 0.0) ** 0.5
    return _held(value, (b - root) / a, (b + root) / a, youden)


def superpopulation(estimate: Estimate, answers: int, level: float = 0.95) -> Estimate:
    r"""Return the estimate with an interval for the population of which the N judged `answers` are a sample.

    Each half of the interval is combined, as a root of squares, with the half of Wilson's interval of a share among N:
    $z\sqrt{\theta(1-\theta)/N}$. The two errors are uncorrelated, because the first has mean 0 for any N answers.
    """
    if not np.isfinite(estimate.value) or answers <= 0:
        return estimate
    low, high = wilson(estimate.value * answers, answers, level)
    below = np.hypot(estimate.value - estimate.low, estimate.value - low)
    above = np.hypot(estimate.high - estimate.value, high - estimate.value)
    return _held(estimate.value, estimate.value - below, estimate.value + above, estimate.weight)


def _check(labels: int, answers: int) -> None:
    if labels > answers:
        raise UsageError(
            f"people cannot judge more answers than there are (found {labels} labels for {answers} answers)"
        )


def _held(value: float, low: float, high: float, weight: float | None) -> Estimate:
    value, low, high = (float(min(max(x, 0.0), 1.0)) for x in (value, low, high))
    return Estimate(value, min(low, value), max(high, value), weight)
