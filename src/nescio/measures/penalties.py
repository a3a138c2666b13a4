"""Measures with a fixed price of a wrong answer."""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure


@measure(
    "penalty",
    needs="correct incorrect",
    bounds=lambda t: (-t / (1 - t), 1),
    source="Kalai et al. 2025 (arXiv 2509.04664), sec. 4.2; its 'penalty 2' at t = 0.75 is a misprint for 3",
    valid={"t": ("t must be at least 0 and below 1", lambda t: 0 <= t < 1)},
)
def penalty(total: Any, t: float = 0.5) -> Any:
    """A right answer earns 1, a wrong one costs t/(1-t), an abstention earns 0.

    Answering then pays if the chance of being right exceeds t.

    $(C - t/(1-t)·W)/n$, undefined for n = 0. t = 0 is accuracy, t = 1/2 is UF.

    When to use it: When an error has a price: at t = 0.75 a wrong answer costs three times what a right one earns, and
    answering pays from a chance of 75% on. Rankings depend on t, so fix it before you look; without a price use c@1.

    Example: C = 237, W = 156, U = 107: (237 - 1·156)/500 = 0.162. At t = 0.75 it would be (237 - 3·156)/500 = -0.462.
    """
    return (total.correct - t / (1 - t) * total.incorrect) / total.n


@measure(
    "formula_scoring",
    needs="correct incorrect",
    bounds=lambda k: (-1 / (k - 1), 1),
    source="the SAT's formula score, right - wrong/(k-1), divided by n",
    valid={
        "k": ("k, the number of options, must be a whole number, 2 or more", lambda k: float(k).is_integer() and k >= 2)
    },
)
def formula_scoring(total: Any, k: int = 4) -> Any:
    """A wrong answer costs 1/(k-1), so that guessing among k options earns nothing on average.

    $(C - W/(k-1))/n$, undefined for n = 0. Equals penalty(t = 1/k).

    When to use it: For tests with k options per question, as in examinations: blind guessing earns nothing on average.
    An educated guess still pays; if errors cost more use penalty.

    Example: C = 80, W = 46, U = 0: (80 - 46/3)/126 = 0.5132. With five options, as on a practice sheet of the SAT, 80 -
    46/4 = 68.5 points.
    """
    return (total.correct - total.incorrect / (k - 1)) / total.n


@measure(
    "effective_reliability",
    needs="correct incorrect",
    bounds=lambda cost: (-cost, 1),
    source="Whitehead et al. 2022 (ECCV), Reliable VQA: Φ_c for right-or-wrong answers",
    valid={"cost": ("cost must be 0 or more", lambda cost: cost >= 0)},
)
def effective_reliability(total: Any, cost: float = 1.0) -> Any:
    """Φ_c: a right answer earns 1, a wrong one costs c, an abstention earns 0.

    $(C - c·W)/n$, undefined for n = 0. c = 1 is UF.

    When to use it: To compare with figures of visual question answering (Φ_c at a cost c of 1, 10 or 100). It is
    penalty with t = c/(1 + c); at a large cost a few errors decide it, and intervals are wide.

    Example: C = 237, W = 156, U = 107: (237 - 1·156)/500 = 0.162. At a cost of 10 it would be (237 - 10·156)/500 =
    -2.646.
    """
    return (total.correct - cost * total.incorrect) / total.n


@measure(
    "omniscience_index",
    needs="correct incorrect",
    optional="partial",
    bounds=(-100, 100),
    source="Artificial Analysis 2025, AA-Omniscience",
)
def omniscience_index(total: Any) -> Any:
    """Right minus wrong answers as a percentage of the questions; an abstention scores 0.

    $100·(C - W)/n$, undefined for n = 0. Equals 100 · UF where no answer is partial; a partial one scores 0.

    When to use it: To compare with the figures of AA-Omniscience; it is UF times 100. A wrong answer costs what a right
    one earns: for another price use penalty.

    Example: C = 237, W = 156, U = 107: 100·(237 - 156)/500 = 16.2. The counts are those of Peñas & Rodrigo 2011, Table
    3, icia091ro.
    """
    return 100 * (total.correct - total.incorrect + getattr(total, "partial", 0)) / total.n
