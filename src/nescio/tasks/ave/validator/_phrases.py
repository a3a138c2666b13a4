"""Compare the statement of question and answer with the text, as it is and transformed; examine the answer's edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from nescio.tasks.ave.validator._case import NONE, TITLE, Case, longest_common, longest_run
from nescio.tasks.ave.validator._lexical import Row, share, shared_grams
from nescio.tasks.ave.validator._lexicon import lemmas
from nescio.tasks.ave.validator._words import Words, is_name, is_number
from nescio.text import ARTICLES, STOP_WORDS, find_words, word_set


def hypothesis(case: Case) -> Row:
    """Return features of the statement that question and answer make: how much of it the text has in the same order."""
    stated, t = case.stated_stems, case.text.stem
    answer_stems = case.answer.stem
    return {
        "subsequence": share(longest_common(stated, t), len(stated)),
        "run beyond answer": math.log1p(max(0, longest_run(stated, t) - len(answer_stems))),
        "bigrams": shared_grams(stated, t, 2),
        "beside answer": _beside(stated, case),
    }


def _beside(stated: Sequence[str], case: Case) -> float:
    """Return the share of the statement's words around the answer that the text has near the answer too.

    The words around the answer are up to three content words on each side.
    """
    starts = find_words(stated, case.answer.stem)
    if not starts:
        return 0.0
    at, n = starts[0], len(case.answer)
    first, end = case.span
    stops = case.question.stops
    left = [w for w in stated[:at] if w not in stops][-3:]
    right = [w for w in stated[at + n :] if w not in stops][:3]
    before, after = set(case.text.stem[max(0, first - 8) : first]), set(case.text.stem[end : end + 8])
    return share(sum(w in before for w in left) + sum(w in after for w in right), len(left) + len(right))


def phrases(case: Case) -> Row:
    """Return features of other forms of the statement, such as the passive, and of words in the text that often
    introduce an answer, such as "named"."""
    stated = case.stated_stems
    rest = tuple(stem for i, stem in enumerate(case.question.stem) if i != case.asks)
    answer_stems, t = case.answer.stem, case.text.stem
    forms = (
        stated,
        (*answer_stems, *rest),
        (*rest, *answer_stems),
        (*rest[len(rest) // 2 :], *answer_stems, *rest[: len(rest) // 2]),
    )
    lengths = [longest_common(form, t) for form in forms]
    first, end = case.span
    lower = case.text.lower
    previous, following = lower[max(0, first - 3) : first], lower[end : end + 2]
    apart = first > 0 and case.text.place[first] - case.text.place[first - 1] > 1
    return {
        "best form": share(max(lengths), len(stated)),
        "gain": share(max(lengths) - lengths[0], len(stated)),
        "order": _order(case),
        **_exchanged(stated, case),
        **conflicts(case),
        **_sides(stated, case),
        **_pairs(case),
        "set apart before": float(apart),
        "set apart after": float(0 < end < len(lower) and case.text.place[end] - case.text.place[end - 1] > 1),
        "by before": float(bool(previous) and previous[-1] == "by"),
        "named": float(any(w in ("called", "named", "known", "termed", "titled") for w in previous)),
        "copula": float(any(w in ("is", "are", "was", "were") for w in (*previous[-1:], *following[:1]))),
    }


def conflicts(case: Case) -> Row:
    """Return features of question words in whose place the text has another word: "in Berlin" for "in Warsaw".

    The function looks in the text for the neighbour of each question word that the text lacks. It counts another word
    of the same kind (name, number or other) beside the neighbour, unless question or answer has that word too. A
    function word can be the neighbour of names and numbers only.
    """
    q, t = case.question, case.text
    known = {*q.stem, *case.answer.stem, *(t.stem[i] for i in range(*case.span))}
    sums = dict.fromkeys(("name", "number", "other"), 0.0)
    weight = 0.0
    for m in case.matches:
        if m.level != NONE:
            continue
        kind = _kind(q, m.at)
        others = [i for side in (-1, 1) for i in _beside_slot(q, t, m.at, side) if t.stem[i] not in known]
        others = [i for i in others if _kind(t, i) == kind and t.lower[i] not in STOP_WORDS]
        sums[kind] += float(bool(others))
        weight = max([weight, *(min(m.weight, case.weight(t.stem[i])) for i in others)])
    return {f"{kind} filled otherwise": value for kind, value in sums.items()} | {"filled otherwise": weight}


def _sides(stated: Sequence[str], case: Case) -> Row:
    """Return features of word order and voice.

    They say whether the question's words are on the same side of the answer in statement and text, and whether question
    and text are passive.
    """
    answer_stems = case.answer.stem
    at = next(iter(find_words(stated, answer_stems)), len(stated) if answer_stems else 0)
    same = near = weight = 0.0
    nearest = (math.inf, 0.5)
    for m in case.matches:
        if m.level <= TITLE or m.stem not in stated:
            continue
        agrees = float((stated.index(m.stem) < at) == m.before)
        same += agrees
        weight += m.near
        near += agrees * m.near
        nearest = min(nearest, (m.distance, agrees))
    matched = sum(m.level > TITLE and m.stem in stated for m in case.matches)
    voices = _passive(case.question, 0, len(case.question)), _passive(case.text, case.span[0] - 8, case.span[1] + 8)
    return {
        "same side": same / matched if matched else 0.5,
        "same side, near": near / weight if weight else 0.5,
        "same side, nearest": nearest[1],
        "voice differs": float(voices[0] != voices[1]),
        "question passive": float(voices[0]),
    }


def _passive(words: Words, first: int, end: int) -> bool:
    """Return whether the words from `first` to `end` seem passive: a form of be at most three words before a
    participle, or "by" right after a participle."""
    lower = words.lower[max(0, first) : end]
    for i, word in enumerate(lower):
        if not (word.endswith(("ed", "en")) or (word in lemmas() and len(word) > 3)):
            continue
        if {"is", "are", "was", "were", "been", "being", "be"} & set(lower[max(0, i - 3) : i]) or "by" in lower[
            i + 1 : i + 2
        ]:
            return True
    return False


def _pairs(case: Case) -> Row:
    """Return features of pairs of adjacent content words of the question: how far apart the text has the two words."""
    places: dict[str, list[float]] = {}
    for word, place in zip(case.text.stem, case.text.place, strict=True):
        places.setdefault(word, []).append(place)
    content = case.question.content
    pairs = [(case.question.stem[i], case.question.stem[j]) for i, j in pairwise(content) if j - i == 1]
    gaps = [
        min(abs(x - z) for x in places[a] for z in places[b])
        for a, b in pairs
        if a in places and b in places and a != b
    ]
    torn = sum(gap > 4 for gap in gaps)
    half = sum((a in places) != (b in places) for a, b in pairs)
    return {
        "pairs kept": share(len(gaps) - torn, len(gaps)) if gaps else 0.5,
        "pairs torn": float(torn),
        "pairs halved": float(half),
    }


def _kind(words: Words, i: int) -> str:
    return "number" if is_number(words.lower[i]) else "name" if is_name(words, i) else "other"


def _beside_slot(q: Words, t: Words, at: int, side: int) -> list[int]:
    """Return the places in the text beside a neighbour of the question word at `at`, where that word would fit.

    The neighbour is the word before the place if `side` is -1, and the word after it if `side` is 1.
    """
    beside = at + side
    if not 0 <= beside < len(q) or (q.lower[beside] in STOP_WORDS and _kind(q, at) == "other"):
        return []
    places = [i - side for i in range(len(t)) if t.stem[i] == q.stem[beside]]
    return [i for i in places if 0 <= i < len(t)]


def _exchanged(stated: Sequence[str], case: Case) -> Row:
    """Return features of one or two words of the statement that the text replaces by others, such as a month by a year.

    The words before and after the exchange are the same in both.
    """
    t = case.text.stem
    known = set(stated)
    blocks = SequenceMatcher(None, stated, t, autojunk=False).get_matching_blocks()
    count = weight = 0.0
    for left, right in pairwise(blocks):
        between, instead = stated[left.a + left.size : right.a], t[left.b + left.size : right.b]
        inside = left.size > 0 and right.size > 0
        ours = [word for word in between if word not in STOP_WORDS and word not in t]
        theirs = [word for word in instead if word not in STOP_WORDS and word not in known]
        if inside and 1 <= len(ours) <= 2 and 1 <= len(theirs) <= 2:
            count += 1
            weight = max(weight, *map(case.weight, ours))
    return {"exchanged": count, "exchanged weight": weight}


def _order(case: Case) -> float:
    """Return the share of pairs of successive question words that the text has in the same order; ½ without a pair."""
    first: dict[str, int] = {}
    for i, word in enumerate(case.text.stem):
        first.setdefault(word, i)
    places = [first[m.stem] for m in case.matches if m.stem in first]
    pairs = list(pairwise(places))
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else 0.5


# ---- the edges of the answer ----

_LINKS = word_set(
    "of in on at to from by for with about into over after before between under during through as than since until"
)
_VERBS = word_set(
    "is are was were be been being am has have had do does did can could will would shall should may might must"
)
_CLASSES = ("name", "number", "content", "article", "link", "other")


def _class(words: Words, i: int) -> str:
    word = words.lower[i]
    if is_number(word):
        return "number"
    if word in ARTICLES:
        return "article"
    if word in _LINKS:
        return "link"
    if word in STOP_WORDS:
        return "other"
    return "name" if words.surface[i][0].isupper() else "content"


def _neighbour(words: Words, i: int, inside: int) -> str:
    """Return the class of the i-th word, which is beside the first or last word of the answer, at the index `inside`.

    It is "edge" if punctuation separates the two words, or if the text has no i-th word.
    """
    if not 0 <= i < len(words) or abs(words.place[i] - words.place[inside]) > 1:
        return "edge"
    return _class(words, i)


def chunks(case: Case) -> Row:
    """Return features of the answer's boundaries: the classes of its first and last word, and of the words beside
    it."""
    answer, text, (first, end) = case.answer, case.text, case.span
    begins, ends = (_class(answer, 0), _class(answer, len(answer) - 1)) if len(answer) else ("other", "other")
    before = _neighbour(text, first - 1, first) if first < end else "edge"
    after = _neighbour(text, end, end - 1) if first < end else "edge"
    inner = answer.lower[1:-1]
    raw = answer.text
    return {
        **{f"begins with {kind}": float(begins == kind) for kind in _CLASSES},
        **{f"ends with {kind}": float(ends == kind) for kind in _CLASSES},
        **{f"after {kind}": float(before == kind) for kind in (*_CLASSES, "edge")},
        **{f"before {kind}": float(after == kind) for kind in (*_CLASSES, "edge")},
        "cuts a name": float((before == begins == "name") or (after == ends == "name")),
        "of follows": float(end < len(text) and after == "link" and text.lower[end] == "of"),
        "holds a verb": float(any(word in _VERBS for word in answer.lower)),
        "holds a link": float(any(word in _LINKS for word in inner)),
        "holds and": float("and" in inner or "or" in inner),
        "holds a comma": float("," in raw),
        "holds a stop": float(any(mark in raw.rstrip(".") for mark in (". ", ";", ":"))),
        "unbalanced": float(raw.count("(") != raw.count(")") or raw.count('"') % 2 == 1),
        "quoted": float('"' in raw or "“" in raw),
    }
