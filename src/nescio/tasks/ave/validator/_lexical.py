"""Compare words: overlap of stems, sequences of words, and the words near the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nescio.tasks.ave.validator._case import EXACT, NONE, TITLE, Case, Match, focus, longest_common, longest_run
from nescio.tasks.ave.validator._words import is_name, is_number

Row = dict[str, float]


def share(part: float, whole: float) -> float:
    """Return a share; 0 if the whole is 0."""
    return part / whole if whole else 0.0


def lexical(one: Case) -> Row:
    """Return features of the overlap of stems: which question words the text holds, and what the answer adds."""
    missing = [m for m in one.matches if m.level <= TITLE]
    unknown = [m for m in missing if m.level == NONE]
    plain = [m for m in missing if not is_name(one.question, m.at) and not is_number(one.question.lower[m.at])]
    own = one.answer.content
    of_question = {m.stem for m in one.matches}
    text = set(one.text.content_stems)
    q, a, t = (math.log1p(len(words)) for words in (one.question, one.answer, one.text))
    return {
        "coverage": share(len(one.matches) - len(missing), len(one.matches)),
        "weighted coverage": one.share(m for m in one.matches if m.level == EXACT),
        "related coverage": one.share(m for m in one.matches if m.level > TITLE),
        "rarest missing": max((m.weight for m in missing), default=0.0),
        "rarest plain missing": max((m.weight for m in plain), default=0.0),
        "missing": math.log1p(len(missing)),
        "in title": float(len(missing) - len(unknown)),
        "rarest not in title": max((m.weight for m in unknown), default=0.0),
        "everything there": float(not missing),
        "one missing": float(len(missing) == 1),
        "one plain missing": float(len(missing) == len(plain) == 1),
        "matched weight": math.log1p(math.fsum(m.weight for m in one.matches if m.level == EXACT)),
        "text asked about": share(len(of_question & text), len(text)),
        "question length": q,
        "text length": t,
        "answer length": a,
        "answer length squared": a * a,
        "answer to question": a - q,
        "answer to text": share(len(one.answer), len(one.text)),
        "answer repeats question": share(sum(one.answer.stem[i] in of_question for i in own), len(own)),
        "answer weight": share(math.fsum(one.weight(one.answer.stem[i]) for i in own), len(own)),
        "answer begins with function word": float(bool(one.answer.lower) and one.answer.lower[0] in one.answer.stops),
    }


def _grams(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def shared_grams(first: Sequence[str], second: Sequence[str], n: int) -> float:
    own = _grams(first, n)
    return share(len(own & _grams(second, n)), len(own))


def ngrams(one: Case) -> Row:
    """Return features of runs of words: shared n-grams, and the longest common subsequence and run."""
    q, t = one.question.stem, one.text.stem
    run = longest_run(q, t)
    content, others = one.question.content_stems, one.text.content_stems
    return {
        "bigrams": shared_grams(q, t, 2),
        "trigrams": shared_grams(q, t, 3),
        "content bigrams": shared_grams(content, others, 2),
        "subsequence": share(longest_common(q, t), len(q)),
        "content subsequence": share(longest_common(content, others), len(content)),
        "run": share(run, len(q)),
        "run length": math.log1p(run),
    }


def proximity(one: Case) -> Row:
    """Return features of the places of question words in the text: their distance from the answer, side and order."""
    matched = [m for m in one.matches if m.level > TITLE]
    aim = focus(one)
    last = one.question.content[-1] if one.question.content else None
    aimed = next((m for m in one.matches if m.at == aim), None)
    return {
        "near": one.share([Match(m.at, m.stem, m.weight * m.near, m.level) for m in matched]),
        "nearest": math.log1p(min((m.distance for m in matched), default=60.0)),
        "mean distance": math.log1p(share(math.fsum(m.distance for m in matched), len(matched)) if matched else 60.0),
        "within five": share(sum(m.distance <= 5 for m in matched), len(one.matches)),
        "beyond fifteen": share(sum(m.distance > 15 for m in matched), len(one.matches)),
        "before": share(sum(m.before for m in matched), len(matched)),
        "focus there": float(aimed is not None and aimed.level > TITLE),
        "focus near": aimed.near if aimed else 0.0,
        "focus in answer": float(aim is not None and one.question.stem[aim] in one.answer.stem),
        "last word there": float(any(m.at == last and m.level > TITLE for m in matched)),
        "position": share(one.span[0], len(one.text)),
        "places": math.log1p(one.places),
        "not in text": float(not one.places),
    }
