"""SQuAD 2.0's figures, as evaluate-v2.0.py computes them without a threshold; here in [0, 1], there in percent.

The columns `squad.exact` and `squad.f1` are the script's scores of each question. On a question without an answer, an
abstention scores 1 and an answer 0. The script's `best_exact` and `best_f1` are tuned on the very questions and depend
on the order of ties. So they are not measures of nescio, but a note states them where a run has odds.
"""

from __future__ import annotations

from typing import Any

from nescio.measures._measure import measure

SOURCE = "SQuAD 2.0 (Rajpurkar et al. 2018), evaluate-v2.0.py"


@measure("squad.EM", needs="squad.exact", bounds=(0, 1), source=SOURCE, proportion=("squad.exact", "n"))
def exact_match(total: Any) -> Any:
    """Exact match: the share of the predictions that equal a gold answer after normalisation.

    $1/n Σ_i e_i$, undefined for n = 0.

    When to use it: To compare with published SQuAD 2.0 figures. It counts a right abstention like a right answer and
    any other string as wrong: squad.F1 gives part of the credit. An abstention on an answerable question counts as
    wrong: to reward it use c@1.

    Example: exact = 0, 1, 0, 1, 0, 1: (0 + 1 + 0 + 1 + 0 + 1)/6 = 0.5.
    """
    return total.exact / total.n


@measure("squad.F1", needs="squad.f1", bounds=(0, 1), source=SOURCE)
def f1(total: Any) -> Any:
    """The best token F1 of the prediction with a gold answer, averaged over questions.

    $1/n Σ_i max_g F_1(p_i, g)$, undefined for n = 0.

    When to use it: To compare with published SQuAD 2.0 figures, with credit for the words in common. A long answer
    around the right one loses less than under squad.EM; a wrong answer that shares words gains.

    Example: f1 = 4/5, 1, 0, 1, 0, 1: (4/5 + 1 + 0 + 1 + 0 + 1)/6 = 0.6333. The first has 2 words of 3 and of 2: F1 is
    2·2/(3 + 2).
    """
    return total.f1 / total.n


@measure(
    "squad.HasAns_EM",
    needs="squad.exact answerable",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"exact": q.exact * q.answerable, "asked": q.answerable},
    proportion=("exact", "asked"),
)
def has_answer_exact_match(total: Any) -> Any:
    """Exact match over the questions that have an answer.

    $(Σ_i a_i e_i)/(Σ_i a_i)$ with a 1 where there is an answer; undefined if there is none.

    When to use it: To see how good the answers are where there is one. Never abstaining raises it: read squad.NoAns_EM
    beside it, or use squad.EM.

    Example: exact = 0, 1, 0, 1, 0, 1; answerable = T, T, T, F, F, F: (0 + 1 + 0)/3 = 0.3333.
    """
    return total.exact / total.asked


@measure(
    "squad.HasAns_F1",
    needs="squad.f1 answerable",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"shared": q.f1 * q.answerable, "asked": q.answerable},
)
def has_answer_f1(total: Any) -> Any:
    """Token F1 over the questions that have an answer.

    $(Σ_i a_i F_i)/(Σ_i a_i)$ with a 1 where there is an answer; undefined if there is none.

    When to use it: To see how good the answers are where there is one, with credit for the words in common. Never
    abstaining raises it: read squad.NoAns_EM beside it, or use squad.F1.

    Example: f1 = 4/5, 1, 0, 1, 0, 1; answerable = T, T, T, F, F, F: (4/5 + 1 + 0)/3 = 0.6.
    """
    return total.shared / total.asked


@measure(
    "squad.NoAns_EM",
    needs="squad.exact answerable",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"exact": q.exact * (1 - q.answerable), "asked": 1 - q.answerable},
    proportion=("exact", "asked"),
)
def no_answer_exact_match(total: Any) -> Any:
    """Exact match over the questions that have no answer, which is the share of correct abstentions. The script's
    NoAns_f1 is the same.

    $(Σ_i (1-a_i) e_i)/(Σ_i (1-a_i))$ with a 1 where there is an answer; undefined if all have one.

    When to use it: To see how often the system abstains where there is no answer. Always abstaining scores 1: read
    squad.HasAns_EM beside it, or use squad.EM.

    Example: exact = 0, 1, 0, 1, 0, 1; answerable = T, T, T, F, F, F: (1 + 0 + 1)/3 = 0.6667.
    """
    return total.exact / total.asked
