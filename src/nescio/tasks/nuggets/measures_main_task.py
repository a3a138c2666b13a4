"""Measure TREC's main QA task, 2003-2004: list questions, and the score that combines three kinds of questions.

The kinds are factoid, list and definition. On one list question, D distinct right instances are returned, N in all, and
S are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nescio.measures._measure import measure
from nescio.tasks.nuggets.measures import POSITIVE, _f, _over, _precision, _recall

SOURCE = "TREC 2003 (Voorhees), as printed in H05-1038"


def _list_f(q: Any) -> Any:
    return _over(2.0 * q.list_distinct, q.list_returned + q.list_known)


def _known(q: Any) -> Any:
    return q.list_known > 0


@measure(
    "nuggets.list_IP",
    needs="nuggets.list_distinct nuggets.list_returned",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"score": _over(q.list_distinct, q.list_returned), "given": (q.list_returned > 0).astype(float)},
    beside="nuggets.list_IR",
)
def instance_precision(total: Any) -> Any:
    """Instance precision of list questions: distinct right instances over all returned, averaged over the answered
    questions.

    $IP = D/N$; undefined on a question where nothing is returned, which is left out.

    When to use it: To see how clean the returned lists are. Returning one sure instance gives 1, and unanswered
    questions are left out: use nuggets.list_F.

    Example: list_distinct = 2, 0; list_returned = 4, 0: 2/4 = 0.5. Nothing is returned to the second question.
    """
    return total.score / total.given


@measure(
    "nuggets.list_IR",
    needs="nuggets.list_distinct nuggets.list_known",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"score": _over(q.list_distinct, q.list_known), "asked": _known(q).astype(float)},
)
def instance_recall(total: Any) -> Any:
    """Instance recall of list questions: distinct right instances over those known, averaged over questions.

    $IR = D/S$; a question without a known instance is left out, undefined if all are.

    When to use it: To see how complete the lists are. Returning everything wins: use nuggets.list_F.

    Example: list_distinct = 2, 0; list_known = 5, 3: (2/5 + 0/3)/2 = 0.2.
    """
    return total.score / total.asked


@measure(
    "nuggets.list_F",
    needs="nuggets.list_distinct nuggets.list_returned nuggets.list_known",
    bounds=(0, 1),
    source=SOURCE,
    each=lambda q: {"score": np.where(_known(q), _list_f(q), 0.0), "asked": _known(q).astype(float)},
)
def list_f(total: Any) -> Any:
    """F of list questions: the harmonic mean of instance precision and recall, averaged over questions.

    $F = 2·IP·IR/(IP + IR) = 2D/(N + S)$; 0 where nothing is returned. A question without a known instance is left out;
    undefined if all are.

    When to use it: For questions whose answer is a list of instances, as at TREC 2003. A wrong instance costs no more
    than a missing one: if it should, read nuggets.list_IP beside it.

    Example: list_distinct = 2, 0; list_returned = 4, 0; list_known = 5, 3: (2·2/(4 + 5) + 0)/2 = 0.2222.
    """
    return total.score / total.asked


def _parts(q: Any, beta: float, delta: float) -> dict[str, Any]:
    defined = (q.definition == 1) & (q.vital > 0)
    f = _f(_precision(q.vital_found + q.okay_found, q.response_length, delta), _recall(q), beta)
    return {
        "definition_f": np.where(defined, f, 0.0),
        "definitions": defined.astype(float),
        "list_f": np.where(_known(q), _list_f(q), 0.0),
        "lists": _known(q).astype(float),
    }


@measure(
    "nuggets.combined",
    needs=(
        "nuggets.factoid nuggets.factoid_right nuggets.definition nuggets.list_distinct nuggets.list_returned"
        " nuggets.list_known nuggets.vital_found nuggets.okay_found nuggets.vital nuggets.response_length"
    ),
    bounds=(0, 1),
    source=SOURCE,
    each=_parts,
    valid=POSITIVE,
)
def combined(total: Any, beta: float = 5, delta: float = 100) -> Any:  # noqa: ARG001  it is named to `each`
    """TREC 2003's score of a run: one half factoid accuracy, a quarter list F, a quarter definition F (beta 5,
    delta 100).

    $1/2 A + 1/4 F_list + 1/4 F_def$, each the mean over its questions. If no question asks for a list, it is $.67 A +
    .33 F_def$, as for a series without one. Undefined without factoid or without definition questions.

    When to use it: To compare with the main task of TREC 2003. It mixes three kinds of questions with fixed weights and
    hides which of them a system fails: read accuracy, nuggets.list_F and nuggets.F beside it.

    Example: type = factoid, factoid, list, list, definition; correct = 1, 0, 3×-; distinct = 2×-, 2, 0, -; returned =
    2×-, 4, 0, -; known = 2×-, 5, 3, -; vital = 4×-, 3; okay = 4×-, 4; vital_in_key = 4×-, 4; length = 4×-, 700: A =
    1/2; list = (2·2/(4 + 5) + 0)/2; NR = 3/4; def = 26·1·NR/(25·1 + NR); A/2 + list/4 + def/4 = 0.4949.
    """
    factoid = total.factoid_right / total.factoid
    definition = total.definition_f / total.definitions
    lists = _over(total.list_f, total.lists)
    return np.where(
        total.lists > 0, 0.5 * factoid + 0.25 * lists + 0.25 * definition, 0.67 * factoid + 0.33 * definition
    )
