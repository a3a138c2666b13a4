"""Compare rivals: other questions about the same text. A text seldom answers two questions of the same kind.

The comparison ignores who answered, and other answers to the same question, so the answers of one system are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from msgspec import Struct

from nescio.tasks.ave.exercise import Candidate
from nescio.tasks.ave.validator._case import Case, Weight
from nescio.tasks.ave.validator._lexical import Row, share


class RivalView(Struct, frozen=True):
    """The data of a candidate for its comparison with answers to other questions about the same text.

    `found` is the share, by weight, of the question's words that the text has. `lacks` is the weight of the words in
    `missing`, which the text lacks.
    """

    question: frozenset[str]
    answer: frozenset[str]
    missing: frozenset[str]
    found: float
    lacks: float

    @property
    def fit(self) -> tuple[float, float]:
        """Return a sort key for how well the text fits the question."""
        return self.found, -self.lacks


def against_rivals(candidates: Sequence[Candidate], cases: Sequence[Case]) -> list[Row]:
    """Return features that compare each candidate with its rivals, which are the other questions with the same text.

    There are five features: the number of rivals, the lead over the best rival and over the most similar one, the
    similarity of the latter, and its missing weight less the candidate's. They are computed for all rivals, for those
    with the same answer, and for those that share a word of the answer. Without rivals, all are 0.
    """
    views = [_view(case) for case in cases]
    by_text: dict[str, list[int]] = {}
    for at, candidate in enumerate(candidates):
        by_text.setdefault(candidate.text, []).append(at)
    rows = []
    for at, candidate in enumerate(candidates):
        about = by_text[candidate.text] if candidate.text else []  # Without a text, there are no rivals.
        others = [
            (candidates[i].question_id, views[i]) for i in about if candidates[i].question_id != candidate.question_id
        ]
        rows.append(_row(views[at], others, cases[at].weight))
    return rows


def contested(candidates: Sequence[Candidate]) -> float:
    """Return the share of the candidates whose text also belongs to a candidate of another question."""
    questions_of: dict[str, set[str]] = {}
    for candidate in candidates:
        questions_of.setdefault(candidate.text, set()).add(candidate.question_id)
    with_rival = [each for each in candidates if each.text and len(questions_of[each.text]) > 1]
    return share(len(with_rival), len(candidates))


def _view(case: Case) -> RivalView:
    question, answer, text = (
        frozenset(stems) for stems in (case.question.content_stems, case.answer.stem, case.text.stem)
    )
    sought = question - answer
    total, lacks = _sum(sought, case.weight), _sum(sought - text, case.weight)
    return RivalView(question, answer, sought - text, 1 - lacks / total if total else 1.0, lacks)


def _row(mine: RivalView, others: Sequence[tuple[str, RivalView]], weight: Weight) -> Row:
    row: dict[str, float] = {}
    for kind, among in (
        ("text", others),
        ("same answer", [rival for rival in others if rival[1].answer == mine.answer]),
        ("near answer", [rival for rival in others if rival[1].answer & mine.answer]),
    ):
        best: dict[str, RivalView] = {}
        for name, other in among:
            if name not in best or other.fit > best[name].fit:
                best[name] = other
        row |= {f"{feature} ({kind})": value for feature, value in _against(mine, list(best.values()), weight).items()}
    return row


def _against(mine: RivalView, others: Sequence[RivalView], weight: Weight) -> Row:
    if not others:
        return dict.fromkeys(("rivals", "lead", "likeness", "lead over the likest", "missing in the likest"), 0.0)
    likeness = [
        share(_sum(mine.question & other.question, weight), _sum(mine.question | other.question, weight))
        for other in others
    ]
    like, _, at = max((likeness[i], other.fit, i) for i, other in enumerate(others))
    likest = others[at]
    less = _sum(likest.missing - mine.question, weight) - _sum(mine.missing - likest.question, weight)
    return {
        "rivals": float(len(others)),
        "lead": mine.found - max(other.found for other in others),
        "likeness": like,
        "lead over the likest": mine.found - likest.found,
        "missing in the likest": less * like,
    }


def _sum(stems: frozenset[str], weight: Weight) -> float:
    """Return the sum of the weights of stems, added exactly, so that their order does not matter."""
    return fsum(map(weight, stems))
