"""SimpleQA's figures (Wei et al. 2024), as its evaluation code computes them: 0, not undefined, if nothing is
attempted."""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._measure import measure

SOURCE = "SimpleQA (Wei et al. 2024), openai/simple-evals simpleqa_eval.py"


@measure("simpleqa.correct", needs="correct", bounds=(0, 1), source=SOURCE, proportion=("correct", "n"))
def correct(total: Any) -> Any:
    """The share of questions answered correctly.

    $C/n$, undefined for n = 0.

    When to use it: To compare with published SimpleQA figures; it is accuracy. An abstention counts as a mistake: read
    simpleqa.F or c@1 beside it.

    Example: C = 427, W = 481, U = 92: 427/1000 = 0.427. The shares are those of o1-preview in Wei et al. 2024.
    """
    return total.correct / total.n


@measure(
    "simpleqa.incorrect",
    needs="incorrect",
    lower_is_better=True,
    bounds=(0, 1),
    source=SOURCE,
    proportion=("incorrect", "n"),
)
def incorrect(total: Any) -> Any:
    """The share of questions answered incorrectly.

    $W/n$, undefined for n = 0.

    When to use it: To see how many of all questions got a wrong answer, which SimpleQA calls a hallucination.
    Abstaining brings it to 0: read simpleqa.correct beside it, or use penalty with the price of an error.

    Example: C = 427, W = 481, U = 92: 481/1000 = 0.481. The shares are those of o1-preview in Wei et al. 2024.
    """
    return total.incorrect / total.n


@measure(
    "simpleqa.not_attempted",
    needs="unanswered",
    lower_is_better=True,
    descriptive=True,
    bounds=(0, 1),
    source=SOURCE,
    proportion=("unanswered", "n"),
)
def not_attempted(total: Any) -> Any:
    """The share of questions not attempted.

    $U/n$, undefined for n = 0.

    When to use it: To see how often the model declines, beside the other figures of SimpleQA. It describes and does not
    rank: to reward abstaining in place of errors use c@1.

    Example: C = 427, W = 481, U = 92: 92/1000 = 0.092. The shares are those of o1-preview in Wei et al. 2024.
    """
    return total.unanswered / total.n


@measure("simpleqa.correct_given_attempted", needs="correct incorrect", bounds=(0, 1), source=SOURCE)
def correct_given_attempted(total: Any) -> Any:
    """The share of attempts that are correct; 0 if nothing is attempted, as in its source.

    $C/(C + W)$, 0 for C + W = 0, undefined for n = 0.

    When to use it: To compare with published SimpleQA figures; it is precision, but 0 for a model that never answers.
    It hides what was not attempted: rank by simpleqa.F or c@1.

    Example: C = 427, W = 481, U = 92: 427/(427 + 481) = 0.4703. The shares are those of o1-preview in Wei et al. 2024.
    """
    attempted = total.correct + total.incorrect
    return np.where((attempted == 0) & (total.n > 0), 0.0, total.correct / attempted)


@measure("simpleqa.F", needs="correct incorrect", bounds=(0, 1), source=SOURCE)
def f_score(total: Any) -> Any:
    """The harmonic mean of correct and correct given attempted; 0 if nothing is correct, as in its source.

    $2C/(n + C + W)$, undefined for n = 0.

    When to use it: To compare with published SimpleQA figures. Guessing pays as soon as the chance of being right
    exceeds half of F. If a wrong answer is worse than none use c@1, and if it has a price penalty.

    Example: C = 427, W = 481, U = 92: 2·427/(1000 + 427 + 481) = 0.4476. The shares are those of o1-preview in Wei et
    al. 2024.
    """
    return 2 * total.correct / (total.n + total.correct + total.incorrect)
