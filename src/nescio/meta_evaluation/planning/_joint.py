"""Represent the joint outcomes of two systems on a question, and move them to a given difference.

A table has kinds (outcome of the run, outcome of the baseline), each with a probability. On n questions, the difference
of a measure has the variance Σ p ψ²/n, where ψ is its influence function. Over exchanges of the labels the variance is
Σ p w²/n, where w is the effect of exchanging one question. For c@1 and related measures, the difference is linear in
the exchanges, and w are its weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from nescio.comparison.paired_data import Pair, pair_up
from nescio.data.columns import OUTCOMES, Array
from nescio.errors import UsageError
from nescio.measures import Measure

Floats = NDArray[np.float64]
COLUMNS = (*OUTCOMES, "answered")  # the columns that stated rates determine
STEP = 1e-5  # of numerical derivatives by a probability; the formulas are smooth, and of the order of 1
# the share of questions that is moved to measure the effect of an exchange: exact if it is linear, else within 1e-3
MOVE = 1 / 64
STEEPNESS = np.geomspace(0.01, 200, 60)  # of tilts, from almost none to the point where only one kind is left


class Joint(Struct, frozen=True, eq=False):
    """The joint distribution of two systems over kinds of question, such as "the run is right, the baseline wrong".

    `pair` holds the columns of both systems for each kind, and `probabilities` the probability of each kind.
    """

    pair: Pair
    probabilities: Floats

    @property
    def difference(self) -> float:
        """Return the measure of the run minus that of the baseline."""
        return float(self.pair.resampled(self.probabilities))

    @property
    def apart(self) -> float:
        """Return the share of questions on which the two systems have different outcomes."""
        return float(self.probabilities @ (self.steps() != 0).any(axis=1))

    @property
    def linear(self) -> bool:
        """Return whether the permutation distribution of the difference can be summed exactly.

        It can if the difference is linear in the exchanges of labels, and if the classes of kinds (`classes`) have at
        most three distinct weights.
        """
        counts = np.full(len(self.probabilities), 64)
        # Multiples of the golden ratio give exchanges that are unrelated to the kinds.
        swaps = np.floor(65 * (np.outer(np.arange(1, 33), np.arange(1, len(counts) + 1)) * 0.6180339887 % 1))
        kept = counts - swaps
        differences = self.pair.difference(
            np.concatenate([kept, swaps], axis=-1), np.concatenate([swaps, kept], axis=-1)
        )
        _, weights, _ = exchanges(self, counts)
        straight = np.einsum("tk,kj,j->t", kept - swaps, self.classes()[1], weights)
        unlike = np.unique(np.round(np.abs(weights) / np.abs(weights).max(initial=1e-300), 12))
        return bool(np.allclose(differences, straight, rtol=0, atol=1e-11) and len(unlike[unlike > 0]) <= 3)

    def classes(self) -> tuple[Floats, Floats]:
        """Return classes of kinds of question: kinds whose exchange of labels changes the totals by the same amounts.

        The first result holds these changes, shape (classes, columns). The second, shape (kinds, classes), is 1 or -1
        where a kind belongs to a class, and 0 elsewhere. It is -1 if the exchange has the opposite direction.
        """
        steps = self.steps()
        apart = (steps != 0).any(axis=1)
        # A change and its opposite are one class, in which the first column that changes increases.
        signs = np.sign(steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)])
        moves, of_kind = np.unique(steps[apart] * signs[apart, None], axis=0, return_inverse=True)
        member = np.zeros((len(steps), len(moves)))
        member[np.flatnonzero(apart), of_kind.ravel()] = signs[apart]
        return moves, member

    def steps(self) -> Floats:
        """Return run minus baseline in each column, for each kind of question; shape (kinds, columns)."""
        run, other = np.split(np.stack(list(self.pair.patterns.columns.values()), axis=1), 2)
        return run - other

    def tables(self, questions: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return `size` random collections of `questions` questions, as counts of each kind; shape (size, kinds)."""
        return rng.multinomial(questions, self.probabilities, size=size)

    def influence(self) -> Floats:
        """Return the derivative of the difference by the weight of each kind of question; the mean over kinds is 0."""
        moves = STEP * np.eye(len(self.probabilities))
        rise = self.pair.resampled(self.probabilities + moves) - self.pair.resampled(self.probabilities - moves)
        return rise / (2 * STEP)

    def spreads(self) -> tuple[float, float]:
        """Return √n times the standard error of the difference: under exchanges of labels, and over collections."""
        sizes, weights, _ = exchanges(self, self.probabilities)
        exchanged = float(np.sqrt(np.einsum("j,j->", sizes, weights**2)))
        sampled = float(np.sqrt(np.einsum("k,k->", self.probabilities, self.influence() ** 2)))
        return exchanged, max(sampled, 1e-9)


def exchanges(joint: Joint, counts: Array) -> tuple[Floats, Floats, Floats]:
    """Return the effects of exchanging labels on the difference, for tables of `counts` of shape (…, kinds).

    To exchange the labels of a question is to swap the answers of the two systems. The three results have shape (…,
    classes), for the classes of `Joint.classes`: the questions in a class, the weight w of one question, and the
    balance of the two directions. If labels are exchanged at random, a balance is 2B - size with B of Bin(size, ½). The
    difference is Σ w · balance if it is linear in the exchanges. Otherwise this sum is its leading term about the
    middle.
    """
    columns = joint.pair.patterns.columns
    counts = np.asarray(counts, dtype=np.float64)
    moves, member = joint.classes()
    sizes = np.einsum("...k,kj->...j", counts, np.abs(member))
    balances = np.einsum("...k,kj->...j", counts, member)
    middle = {
        name: np.einsum("...k,k->...", counts, np.add(*np.split(values, 2))) / 2 for name, values in columns.items()
    }
    far = MOVE * counts.sum(axis=-1)
    weights = np.zeros(sizes.shape)
    for j, move in enumerate(moves):
        up, down = (
            joint.pair.measure.of_totals(
                {name: middle[name] + far * step for name, step in zip(columns, way, strict=True)}
            )
            for way in (move, -move)
        )
        weights[..., j] = (up - down) / (2 * far)
    return sizes, weights, balances


def from_pilot(measure: Measure, columns: dict[str, tuple[Array, Array]]) -> Joint:
    """Return the joint distribution observed on a pilot.

    `columns` maps each name to two arrays, the values of the run and of the baseline on the same questions.
    """
    pair = pair_up(measure, columns)
    return Joint(pair, pair.counts / pair.counts.sum())


def from_rates(measure: Measure, run: Sequence[float], baseline: Sequence[float], agreement: float = 0.0) -> Joint:
    r"""Return the joint distribution of two systems with these shares of correct, incorrect and unanswered questions.

    The distribution is $(1 - a)\,r_i b_j + a\,m_{ij}$ for the agreement a. $r_i b_j$ is the distribution of independent
    answers. m has the same margins, and gives the two systems equal outcomes as often as possible. With equal rates, a
    is Cohen's kappa.
    """
    rates, other = np.array(run, dtype=np.float64), np.array(baseline, dtype=np.float64)
    alike = np.minimum(rates, other)
    rest = 1 - alike.sum()
    coupled = np.diag(alike)
    if rest > 1e-12:
        coupled += np.outer(rates - alike, other - alike) / rest
    table = (1 - agreement) * np.outer(rates, other) + agreement * coupled
    # one question of each kind that occurs, and then the probability of each kind
    ends = np.argwhere(table > 0).T
    value = {name: np.eye(3)[i] for i, name in enumerate(OUTCOMES)} | {"answered": np.array([1.0, 1.0, 0.0])}
    pair = pair_up(measure, {name: (value[name][ends[0]], value[name][ends[1]]) for name in COLUMNS})
    outcome = np.argmax([pair.patterns.columns[name] for name in OUTCOMES], axis=0)
    probabilities = table[tuple(np.split(outcome, 2))]
    return Joint(pair, probabilities / probabilities.sum())


def tilt(joint: Joint, difference: float) -> Joint:
    r"""Return the distribution closest to `joint` that has this `difference`, tilted along the measure's influence.

    The probabilities become $p_k e^{\theta\psi_k}$, renormalised, for the influence $\psi_k$ of kind k. Among all
    distributions with the same mean of ψ, this is the closest in the Kullback–Leibler sense. θ is the value that gives
    the difference. Raises UsageError if no θ gives it.
    """
    from scipy.optimize import brentq

    here = joint.difference
    if abs(here - difference) <= 1e-12:
        return joint
    path, width = _path(joint)
    sign = 1.0 if difference > here else -1.0
    last, reached = 0.0, here
    for theta in sign * STEEPNESS / width:
        there = path(theta).difference
        if np.isnan(there):
            break
        reached = max(reached, there, key=lambda d: sign * d)
        if sign * (there - difference) >= 0:
            root = brentq(lambda t: path(t).difference - difference, last, theta, xtol=1e-13 / width, rtol=1e-14)
            return path(root)
        last = theta
    raise UsageError(
        f"{joint.pair.measure.label}: the outcomes of these two systems cannot give a difference of {difference:g}; "
        f"the largest that they can give is {reached:.4g}"
    )


def furthest(joint: Joint, sign: float) -> float:
    """Return the largest difference, positive or negative by `sign`, that tilting `joint` can reach."""
    path, width = _path(joint)
    reached = np.array([joint.difference, *(path(theta).difference for theta in sign * STEEPNESS / width)])
    return sign * float(np.nanmax(sign * reached))


def _path(joint: Joint) -> tuple[Callable[[float], Joint], float]:
    """Return the function that maps θ to the tilted `joint` (see `tilt`), and the range of the influences of its kinds.

    Raises UsageError if no question tells the two systems apart.
    """
    influence = joint.influence()
    width = float(np.ptp(influence))
    if not width > 1e-9:
        raise UsageError(
            f"{joint.pair.measure.label}: the two systems score the same on every question, so no number of questions"
            " like these would tell them apart; let cost or speed decide, or plan for other rates or a lower agreement"
        )

    def tilted(theta: float) -> Joint:
        exponents = theta * influence
        weights = joint.probabilities * np.exp(exponents - exponents.max())
        return replace(joint, probabilities=weights / weights.sum())

    return tilted, width
