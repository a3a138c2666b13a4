"""Compute two-sided p-values of a mean difference over benchmarks, with labels exchanged within each benchmark.

The difference on a benchmark depends only on how many units of each kind keep their labels, and these numbers are
binomial. The distribution of the difference therefore follows from these numbers. The distribution of the mean of
independent differences is a convolution, which is exact if its two halves stay small. Otherwise it is computed on a
grid, and the reported p-value is an upper bound that allows for the rounding of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nescio.stats.exact_p_values import (
    ROUNDING,
    SMALLEST,
    Atoms,
    Difference,
    atoms_of,
    chances_of,
    halves_p,
    merge_own,
    of_one,
    steps_of,
    sum_p,
    summed_atoms,
)

Floats = NDArray[np.float64]
LARGEST_HALF = 1 << 18  # the most atoms of one half of an exact distribution
TIE = 1e-12  # Values this close count as equal, relative to the largest possible difference.
ENUMERABLE = 1 << 18  # the most exchanges of a benchmark whose differences are not sums
ATOMS_AT_ONCE = 1 << 15  # the most atoms of a group of kinds that is rounded to the grid at once
FEW_PARTS = 4  # kinds; those with the same step in several benchmarks count once
COARSEST, FINEST = 1 << 15, 1 << 18  # the numbers of cells of the coarsest and the finest grid
CLOSE = 0.02  # A p-value whose bounds differ by less, relatively, needs no finer grid.
REACH = 9.0  # Beyond so many standard deviations, the probability is below a rounding error.
FOURIER_ERROR = 1e-14


class Law(Struct, frozen=True):
    """The distribution of a difference under exchanges of labels.

    A linear difference has `sizes` and `steps`: each unit of a kind changes it by plus or minus the step of its kind.
    Any other difference has `atoms`: its possible values and their probabilities.
    """

    sizes: tuple[int, ...] = ()
    steps: tuple[float, ...] = ()
    atoms: Atoms | None = None

    def times(self, weight: float) -> Law:
        """Return the distribution of the difference times a weight."""
        if self.atoms is not None:
            return Law(atoms=(self.atoms[0] * weight, self.atoms[1]))
        return Law(self.sizes, tuple(step * weight for step in self.steps))


class MacroP(Struct, frozen=True):
    """A p-value, and a lower bound of it (`least`).

    Both are equal if `how` is "exact". If it is "grid", they differ by the rounding of a grid.
    """

    p: float
    least: float
    how: str


def law_of(difference: Difference, n: NDArray[np.int64]) -> Law | None:
    """Return the distribution of a difference that depends on how many of n units of each kind keep their labels.

    Returns None if the difference is not linear and has too many values to enumerate, or a value that is undefined.
    """
    if not n.sum():
        return Law()
    weights, linear = steps_of(of_one(difference), n[None], slice(0, 1))
    if linear[0]:
        sizes, steps = merge_own(n, weights[0])
        return Law(tuple(sizes), tuple(steps))
    if float(np.prod(n.astype(float) + 1)) > ENUMERABLE:
        return None
    counts = np.stack(np.unravel_index(np.arange(int(np.prod(n + 1))), tuple(int(size) + 1 for size in n)), axis=1)
    values = difference(counts.astype(float))
    return None if np.isnan(values).any() else Law(atoms=(values, chances_of(counts.T.astype(np.int64), n.tolist())))


def law_p(law: Law, observed: float) -> MacroP:
    """Return the p-value P(|D| ≥ |observed|) for a difference D on one benchmark, whose distribution is `law`.

    If D is linear, the p-value is that of `exact_p`. If it is not, or has too many values, `macro_p` computes the
    p-value.
    """
    if law.atoms is None and not math.isnan(observed):
        scale = float(np.dot(law.sizes, law.steps))
        p = 1.0 if abs(observed) <= ROUNDING * scale else sum_p([*law.sizes], [*law.steps], abs(observed))
        if p is not None:
            return MacroP(p, p, "exact")
    return macro_p([law], observed)


def macro_p(laws: Sequence[Law], observed: float, *, largest_half: int = LARGEST_HALF) -> MacroP:
    """Return P(|D| ≥ |observed|) for the sum D of independent differences, which are distributed as in `laws`.

    Their weights are already applied. A p-value below 1e-16 is returned as 1e-16, an upper bound.
    """
    if math.isnan(observed):
        return MacroP(math.nan, math.nan, "exact")
    parts = _parts(laws)
    scale = sum(float(np.abs(values).max()) for values, _ in map(_atoms, parts))
    if not parts or abs(observed) <= TIE * scale:
        return MacroP(1.0, 1.0, "exact")
    spread = math.sqrt(sum(float(chance @ values**2) for values, chance in map(_atoms, parts)))
    if 2 * math.exp(-0.5 * (observed / _bound(parts)) ** 2) < SMALLEST:  # Hoeffding's bound
        return MacroP(SMALLEST, SMALLEST, "exact")
    exact = _halves_p(laws, parts, abs(observed), scale, largest_half)
    if exact is not None:
        return MacroP(exact, exact, "exact")
    groups = list(_grouped(parts))
    bounds = _grid_p(groups, abs(observed), spread, scale, COARSEST)
    apart = (bounds.p - bounds.least) / bounds.p
    if apart > CLOSE and bounds.p > FOURIER_ERROR / CLOSE:
        finer = min(FINEST, COARSEST * 2 ** math.ceil(math.log2(apart / CLOSE)))
        bounds = _grid_p(groups, abs(observed), spread, scale, finer)
    return bounds


def _parts(laws: Iterable[Law]) -> list[Law]:
    """Return distributions whose sum is the sum of all `laws`: one for each kind of unit, and those that have atoms.

    Kinds with equal steps are merged into one, also across benchmarks. Distributions that are always 0 are left out.
    """
    atoms = [law for law in laws if law.atoms is not None and np.abs(law.atoms[0]).max(initial=0) > 0]
    sizes = [size for law in laws for size in law.sizes]
    steps = [step for law in laws for step in law.steps]
    if not sizes:
        return atoms
    merged = merge_own(np.array(sizes, dtype=np.int64), np.array(steps))
    return [Law((size,), (step,)) for size, step in zip(*merged, strict=True)] + atoms


def _atoms(part: Law) -> Atoms:
    if part.atoms is not None:
        return part.atoms
    return atoms_of(part.sizes[0], part.steps[0])


def _bound(parts: Sequence[Law]) -> float:
    """Return the standard deviation that Hoeffding's bound uses for a sum of independent distributions.

    Each unit counts with the square of its step, and a distribution of atoms with the square of its largest value.
    """
    squares = [
        part.sizes[0] * part.steps[0] ** 2 if part.atoms is None else float(np.abs(part.atoms[0]).max()) ** 2
        for part in parts
    ]
    return math.sqrt(sum(squares))


def _halves_p(laws: Sequence[Law], parts: Sequence[Law], observed: float, scale: float, largest: int) -> float | None:
    """Return the exact p-value, or None if the sum over one half of the distributions takes too many values.

    The sums of one half are compared with the tails of the other. `largest` is the number of values allowed.
    """
    if len(parts) <= FEW_PARTS:
        summed = [[_atoms(part)] for part in parts]
    else:
        summed = [[_atoms(part) for part in _parts([law])] for law in laws]
    # Three kinds of one benchmark lie on a lattice, so there are about as many sums as pairs of counts of two kinds.
    supports = [sorted((len(values) for values, _ in kinds), reverse=True)[:2] for kinds in summed]
    if math.log2(largest) * 2 + 6 < sum(math.log2(size) for sizes in supports for size in sizes):
        return None
    add = partial(_convolved, scale=scale, largest=largest)
    of_laws = []
    for kinds in summed:
        law: Atoms | None = (np.zeros(1), np.ones(1))
        for kind in kinds:
            law = add(law, kind) if law else None
        if law is None:
            return None
        of_laws.append(law)
    of_laws.sort(key=lambda law: len(law[0]), reverse=True)
    return halves_p(of_laws, add, observed - TIE * scale)


def _convolved(atoms: Atoms, other: Atoms, scale: float, largest: int) -> Atoms | None:
    """Return the distribution of the sum of two independent differences, or None if it has too many values.

    `largest` is the number of values allowed.
    """
    if len(atoms[0]) * len(other[0]) > 16 * largest:
        return None
    made = summed_atoms(atoms, other, scale)
    return None if len(made[0]) > largest else made


def _grouped(parts: Sequence[Law]) -> Iterable[Atoms]:
    """Group the `parts`, small ones first, and yield the distribution of each group's sum.

    The atoms of a sum are rounded to the grid once, which loses less than rounding each part.
    """
    group: Atoms = (np.zeros(1), np.ones(1))
    for part in sorted(parts, key=lambda part: len(_atoms(part)[0])):
        values, probabilities = _atoms(part)
        if len(group[0]) * len(values) > ATOMS_AT_ONCE and len(group[0]) > 1:
            yield group
            group = (np.zeros(1), np.ones(1))
        group = (np.add.outer(group[0], values).ravel(), np.multiply.outer(group[1], probabilities).ravel())
    yield group


def _grid_p(groups: Sequence[Atoms], observed: float, spread: float, scale: float, cells: int) -> MacroP:
    """Return bounds of the p-value from distributions rounded to a grid and convolved by Fourier transforms.

    Probability beyond the grid wraps round to its other end; it is below a rounding error.
    """
    width = min(2 * REACH * spread, 2.02 * scale) + 2 * observed / cells
    if observed > 0.49 * width:
        width = observed / 0.49
    step = width / (cells - 2 * len(groups) - 2)
    product = np.ones(cells // 2 + 1, dtype=np.complex128)
    for values, probabilities in groups:
        place = np.rint(values / step).astype(np.int64) % cells
        product *= np.fft.rfft(np.bincount(place, weights=probabilities, minlength=cells))
    chance = np.fft.irfft(product, cells)
    distance = np.minimum(np.arange(cells), cells - np.arange(cells)) * step
    slack, rounding = len(groups) * step / 2, TIE * scale
    upper = float(chance[distance >= observed - slack - rounding].sum()) + FOURIER_ERROR
    lower = float(chance[distance >= observed + slack + rounding].sum()) - FOURIER_ERROR
    return MacroP(min(1.0, max(SMALLEST, upper)), min(1.0, max(0.0, lower)), "grid")
