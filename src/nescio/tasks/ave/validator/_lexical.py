"""Compare words: overlap of stems, sequences of words, the words near the answer, and what words mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nescio.tasks.ave.validator import _lexicon
from nescio.tasks.ave.validator._case import EXACT, NONE, TITLE, Case, Match, focus, longest_common, longest_run
from nescio.tasks.ave.validator._words import is_name, is_number
from nescio.text import word_set

Row = dict[str, float]


def share(part: float, whole: float) -> float:
    """Return part / whole, or 0 if the whole is 0."""
    return part / whole if whole else 0.0


def lexical(case: Case) -> Row:
    """Return features of the stems that question, answer and text share, and of the words that the answer adds."""
    missing = [m for m in case.matches if m.level <= TITLE]
    unknown = [m for m in missing if m.level == NONE]
    plain = [m for m in missing if not is_name(case.question, m.at) and not is_number(case.question.lower[m.at])]
    answer_content = case.answer.content
    of_question = {m.stem for m in case.matches}
    text = set(case.text.content_stems)
    q, a, t = (math.log1p(len(words)) for words in (case.question, case.answer, case.text))
    return {
        "coverage": share(len(case.matches) - len(missing), len(case.matches)),
        "weighted coverage": case.share(m for m in case.matches if m.level == EXACT),
        "related coverage": case.share(m for m in case.matches if m.level > TITLE),
        "rarest missing": max((m.weight for m in missing), default=0.0),
        "rarest plain missing": max((m.weight for m in plain), default=0.0),
        "missing": math.log1p(len(missing)),
        "in title": float(len(missing) - len(unknown)),
        "rarest not in title": max((m.weight for m in unknown), default=0.0),
        "everything there": float(not missing),
        "one missing": float(len(missing) == 1),
        "one plain missing": float(len(missing) == len(plain) == 1),
        "matched weight": math.log1p(math.fsum(m.weight for m in case.matches if m.level == EXACT)),
        "text asked about": share(len(of_question & text), len(text)),
        "question length": q,
        "text length": t,
        "answer length": a,
        "answer length squared": a * a,
        "answer to question": a - q,
        "answer to text": share(len(case.answer), len(case.text)),
        "answer repeats question": share(
            sum(case.answer.stem[i] in of_question for i in answer_content), len(answer_content)
        ),
        "answer weight": share(
            math.fsum(case.weight(case.answer.stem[i]) for i in answer_content), len(answer_content)
        ),
        "answer begins with function word": float(
            bool(case.answer.lower) and case.answer.lower[0] in case.answer.stops
        ),
    }


def _grams(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def shared_grams(first: Sequence[str], second: Sequence[str], n: int) -> float:
    first_grams = _grams(first, n)
    return share(len(first_grams & _grams(second, n)), len(first_grams))


def ngrams(case: Case) -> Row:
    """Return features of consecutive words that question and text share: n-grams, the longest common subsequence, and
    the longest common run of words."""
    q, t = case.question.stem, case.text.stem
    run = longest_run(q, t)
    content, others = case.question.content_stems, case.text.content_stems
    return {
        "bigrams": shared_grams(q, t, 2),
        "trigrams": shared_grams(q, t, 3),
        "content bigrams": shared_grams(content, others, 2),
        "subsequence": share(longest_common(q, t), len(q)),
        "content subsequence": share(longest_common(content, others), len(content)),
        "run": share(run, len(q)),
        "run length": math.log1p(run),
    }


def proximity(case: Case) -> Row:
    """Return features of the question words in the text: their distances from the answer, sides, and order."""
    matched = [m for m in case.matches if m.level > TITLE]
    aim = focus(case)
    last = case.question.content[-1] if case.question.content else None
    aimed = next((m for m in case.matches if m.at == aim), None)
    return {
        "near": case.share([Match(m.at, m.stem, m.weight * m.near, m.level) for m in matched]),
        "nearest": math.log1p(min((m.distance for m in matched), default=60.0)),
        "mean distance": math.log1p(share(math.fsum(m.distance for m in matched), len(matched)) if matched else 60.0),
        "within five": share(sum(m.distance <= 5 for m in matched), len(case.matches)),
        "beyond fifteen": share(sum(m.distance > 15 for m in matched), len(case.matches)),
        "before": share(sum(m.before for m in matched), len(matched)),
        "focus there": float(aimed is not None and aimed.level > TITLE),
        "focus near": aimed.near if aimed else 0.0,
        "focus in answer": float(aim is not None and case.question.stem[aim] in case.answer.stem),
        "last word there": float(any(m.at == last and m.level > TITLE for m in matched)),
        "position": share(case.span[0], len(case.text)),
        "places": math.log1p(case.places),
        "not in text": float(not case.places),
    }


# ---- meaning, with only a small lexicon: synonyms, opposites, negations, pronouns ----

_PRONOUNS = word_set("he she it they his her its their him them this these those such")


def references(case: Case) -> Row:
    """Return features of the text's pronouns, because a pronoun may refer to a name that the text lacks."""
    lower = case.text.lower
    pronouns = [i for i, word in enumerate(lower) if word in _PRONOUNS]
    missing = sum(is_name(case.question, m.at) and m.level <= TITLE for m in case.matches)
    return {
        "pronouns": math.log1p(len(pronouns)),
        "begins with one": float(any(i < 3 for i in pronouns)),
        "for a missing name": float(bool(pronouns) and missing > 0),
        "missing names, no pronoun": float(not pronouns and missing > 0),
        "question refers back": float(any(word in _PRONOUNS for word in case.question.lower)),
    }


def similar(case: Case) -> Row:
    """Return features of meaning by the small lexicon.

    A synonym in the text counts as a match of a question word, and an opposite or a negation counts against it.
    """
    stems, lemmas = set(case.text.stem), set(case.text.lemma)
    none: frozenset[str] = frozenset()
    matched = odd = opposite = rival = 0.0
    others = stems.difference(case.question.stem)
    for m in case.matches:
        against = not _lexicon.opposites().get(m.stem, none).isdisjoint(others)
        rival += m.level <= TITLE and not _lexicon.rivals().get(m.stem, none).isdisjoint(others)
        turned = any(_lexicon.negated(case.question.lemma[m.at], other) for other in lemmas)
        if m.level == EXACT:
            matched += m.weight
        elif (against or turned) and m.level <= TITLE:
            opposite += 1
        elif m.level > TITLE or not _lexicon.synonyms().get(m.stem, none).isdisjoint(stems):
            matched += m.weight
        else:
            odd += m.weight
    limits = [w for w in case.question.lower if w in _lexicon.RESTRICTIONS]
    in_question = _negations(case.question.lower)
    here = _negations(case.text.lower[max(0, case.span[0] - 12) : case.span[1] + 12])
    return {
        "coverage with synonyms": matched / case.total,
        "without a synonym": odd,
        "opposites": opposite,
        "rivals": rival,
        "limits missing": float(sum(w not in case.text.lower for w in limits)),
        "limits": float(len(limits)),
        "question negated": float(in_question > 0),
        "text negated": float(here > 0),
        "negations differ": float((in_question > 0) != (here > 0)),
        "negation missing": float(in_question > 0 and _negations(case.text.lower) == 0),
    }


def _negations(words: tuple[str, ...]) -> int:
    return sum(word in _lexicon.NEGATIONS or word.endswith("n't") for word in words)
