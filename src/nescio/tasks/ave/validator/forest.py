"""A forest of extremely randomised trees (Geurts, Ernst & Wehenkel 2006) as plain arrays.

scikit-learn grows it. Only numbers are kept, which JSON holds exactly, so a saved model predicts the same to the last
bit and contains nothing executable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from nescio.errors import UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAF = -1


class Tree(Struct, frozen=True, eq=False):
    """A decision tree as arrays of nodes, the root first and children after their parent.

    At an inner node, x goes left if x[feature] <= threshold, and otherwise right. A leaf has the feature -1. `value` is
    the share of right answers among the training candidates that reach a node.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats

    def predict(self, x: Floats) -> Floats:
        """Return the value of the leaf that each row of x reaches; x has the shape (rows, features)."""
        at = np.zeros(len(x), dtype=np.int64)
        rows = np.arange(len(x))
        while (inner := self.feature[at] != LEAF).any():
            here = at[inner]
            low = x[rows[inner], self.feature[here]] <= self.threshold[here]
            at[inner] = np.where(low, self.left[here], self.right[here])
        return self.value[at]


class Forest(Struct, frozen=True):
    """Decision trees; the mean of their values is the probability that an answer is right, before calibration."""

    trees: tuple[Tree, ...]

    def predict(self, x: Floats) -> Floats:
        """Return the mean of the trees' values for each row of x, in [0, 1]; shape (rows,)."""
        narrow = np.asarray(x, dtype=np.float32).astype(np.float64)  # scikit-learn compares in single precision.
        return np.asarray(np.add.reduce([tree.predict(narrow) for tree in self.trees]) / len(self.trees))


def grow(x: Floats, right: NDArray[np.bool_], weight: Floats, *, trees: int, seed: int, jobs: int = 1) -> Forest:
    """Return a forest that separates right answers from wrong; it is the same for the same seed, whatever `jobs`.

    Raises UsageError if scikit-learn is not installed, which only training needs.
    """
    if find_spec("sklearn") is None:
        raise UsageError("training a validator needs scikit-learn: pip install 'nescio[systems]'")
    from sklearn.ensemble import ExtraTreesClassifier

    least = max(1, min(15, len(x) // 20))
    grown = ExtraTreesClassifier(
        trees, min_samples_leaf=least, max_features=0.4, random_state=seed, n_jobs=jobs, bootstrap=False
    )
    grown.fit(x, right, sample_weight=weight)
    at = list(grown.classes_).index(True)
    return Forest(tuple(_tree(estimator.tree_, at) for estimator in grown.estimators_))


def _tree(grown: Any, at: int) -> Tree:
    leaf = grown.children_left == LEAF
    values = grown.value[:, 0, :]
    return Tree(
        np.where(leaf, LEAF, grown.feature).astype(np.int64),
        np.where(leaf, 0.0, grown.threshold),
        np.where(leaf, LEAF, grown.children_left).astype(np.int64),
        np.where(leaf, LEAF, grown.children_right).astype(np.int64),
        values[:, at] / values.sum(axis=1),
    )


def as_lists(forest: Forest) -> list[dict[str, list[Any]]]:
    """Return the forest as lists for JSON."""
    return [{name: values.tolist() for name, values in asdict(tree).items()} for tree in forest.trees]


def from_lists(trees: Sequence[Mapping[str, Sequence[Any]]], features: int) -> Forest:
    """Return the forest from lists such as `as_lists` returns.

    Raises ValueError if they are not valid trees over `features` features.
    """
    return Forest(tuple(_checked(tree, features) for tree in trees))


def _checked(tree: Mapping[str, Sequence[Any]], features: int) -> Tree:
    whole = {name: np.asarray(tree[name], dtype=np.int64) for name in ("feature", "left", "right")}
    real = {name: np.asarray(tree[name], dtype=np.float64) for name in ("threshold", "value")}
    size = len(whole["feature"])
    if not size or any(values.shape != (size,) for values in (*whole.values(), *real.values())):
        raise ValueError("the lists of a tree differ in length")
    if (whole["feature"] < LEAF).any() or (whole["feature"] >= features).any():
        raise ValueError("a tree reads a feature that does not exist")
    inner = np.flatnonzero(whole["feature"] != LEAF)
    for side in ("left", "right"):
        children = whole[side][inner]
        if (children <= inner).any() or (children >= size).any():
            raise ValueError("a child in a tree does not follow its parent")
    if not np.isfinite(real["threshold"]).all() or not ((real["value"] >= 0) & (real["value"] <= 1)).all():
        raise ValueError("a threshold is not a number, or a value is not in [0, 1]")
    return Tree(whole["feature"], real["threshold"], whole["left"], whole["right"], real["value"])
