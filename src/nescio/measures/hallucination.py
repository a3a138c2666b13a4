"""Measure rates of wrong answers that are published as hallucinations, and CRAG's score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nescio.data.columns import Array
from nescio.measures._measure import measure

OMNISCIENCE = "Artificial Analysis 2025, AA-Omniscience (arXiv 2511.13029) and its methodology page"
OF = ("missed", "answered", "all")


def _wrong_among(q: Any, of: str) -> Mapping[str, Array]:
    """Return, for each question, whether its answer is wrong, and whether the denominator named by `of` counts it."""
    wrong = q.incorrect - getattr(q, "partial", 0)
    among = {"missed": 1 - q.correct, "answered": q.answered, "all": q.correct + q.incorrect + q.unanswered}
    return {"wrong": wrong, "among": among[of]}


@measure(
    "hallucination_rate",
    needs="correct incorrect unanswered answered",
    optional="partial",
    lower_is_better=True,
    bounds=(0, 1),
    source=f"of=missed: {OMNISCIENCE}; of=all: CRAG (Yang et al. 2024, arXiv 2406.04744), facebookresearch/CRAG "
    "local_evaluation.py; of=answered: 1 - precision_answered",
    each=_wrong_among,
    proportion=("wrong", "among"),
    valid={"of": (f"of must be one of {', '.join(OF)}", lambda of: of in OF)},
)
def hallucination_rate(total: Any, of: str = "missed") -> Any:  # noqa: ARG001  `each` reads it
    """The share of wrong answers among the questions not answered correctly, among the answers, or among all.

    $W/(n - C)$ for of=missed, $W/answered$ for of=answered, $W/n$ for of=all; undefined for 0/0. Public figures differ
    by this choice: one run has 0.59, 0.40 and 0.31 in the example. Answers that a table marks as partial do not count
    as wrong.

    When to use it: To compare with a published rate, once you know which questions it is a share of. With of=missed a
    system that knows more can score worse, because the easy questions have left the denominator. Abstaining brings each
    rate to 0: rank by c@1 or penalty.

    Example: C = 237, W = 156, U = 107: 156/(500 - 237) = 0.5932. It is 156/393 = 0.3969 with of=answered, and 156/500 =
    0.312 with of=all.
    """
    return total.wrong / total.among


@measure(
    "non_hallucination",
    needs="correct incorrect",
    optional="partial",
    bounds=(0, 1),
    source=OMNISCIENCE,
    each=lambda q: {
        "held_back": 1 - q.correct - q.incorrect + getattr(q, "partial", 0),
        "missed": 1 - q.correct,
    },
    proportion=("held_back", "missed"),
)
def non_hallucination(total: Any) -> Any:
    """The share of the questions not answered correctly on which the system did not answer incorrectly either.

    $(n - C - W)/(n - C)$, undefined if all are right. Equals 1 minus hallucination_rate(of=missed).

    When to use it: To compare with the non-hallucination rate of AA-Omniscience. It does not see how many answers are
    right, and a system that never answers scores 1: read accuracy beside it, or use omniscience_index or c@1.

    Example: C = 237, W = 156, U = 107: 107/(500 - 237) = 0.4068.
    """
    return total.held_back / total.missed


@measure(
    "crag.truthfulness",
    needs="correct incorrect",
    optional="partial",
    bounds=(-1, 1),
    source="CRAG (Yang et al. 2024, arXiv 2406.04744), sec. 4.1 and 4.2; facebookresearch/CRAG local_evaluation.py",
)
def truthfulness(total: Any) -> Any:
    """The mean score of CRAG: 1 for a right answer, -1 for a wrong one, 0 for a missing one, ½ for a partial one.

    $(C + P/2 - W)/n$, undefined for n = 0. Equals UF where no answer is partial, as in automatic evaluation, which
    counts acceptable answers among the right ones.

    When to use it: To compare with CRAG's truthfulness. A wrong answer costs what a right one earns: for another price
    use penalty.

    Example: C = 335, W = 135, U = 530: (335 - 135)/1000 = 0.2. Yang et al. 2024, Table 5, GPT-4 Turbo without
    retrieval: 20.0%.
    """
    partial = getattr(total, "partial", 0)
    return (total.correct + partial / 2 - (total.incorrect - partial)) / total.n
