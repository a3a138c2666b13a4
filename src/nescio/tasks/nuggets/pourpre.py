r"""POURPRE: match nuggets automatically, by words, if no assessor matched them (Lin & Demner-Fushman, H05-1117).

The match of a nugget is the share of its words, 0 to 1, in the *best single* string of the response. By `count` all
words weigh alike; by `idf` a word weighs $\ln(N/c)$. Words are lower-cased and stemmed, and there are no stop words. N
is the number of nuggets in the key, and c the number of nuggets with the word. So a score does not depend on the other
runs. `idf` therefore gives nothing for a word of every nugget, and a nugget with only such words is matched by count.

The columns of automatic matches, and the measures that read them, have separate names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

from nescio.data.evidence import Evidence
from nescio.data.notes import Note, note
from nescio.errors import UnknownNameError, UsageError
from nescio.tasks.nuggets.scoring import Run, Target, gather, is_vital, response_columns, silences
from nescio.text import stems

Matcher = Callable[[str, Sequence[str]], float]
COUNT: Literal["count"] = "count"
EMBEDDING: Literal["embedding"] = "embedding"
Matching = Literal["count", "idf", "embedding"]
METHODS: tuple[Matching, ...] = get_args(Matching)
MODEL = "all-MiniLM-L6-v2"


def share(nugget: Sequence[str], strings: Sequence[Sequence[str]], weight: Callable[[str], float]) -> float:
    r"""Return the largest share of a nugget's words, by weight, that one of the strings holds.

    This is $\max_s \sum_{t \in n \cap s} w_t / \sum_{t \in n} w_t$, and 0 if there is no string or the nugget's words
    have no weight. A word that the nugget repeats counts each time, even if the string has it only once.
    """
    whole = math.fsum(weight(term) for term in nugget)
    if not whole:
        return 0.0
    string_sets = [frozenset(string) for string in strings]
    return max((math.fsum(weight(t) for t in nugget if t in s) / whole for s in string_sets), default=0.0)


def by_count(nugget: str, strings: Sequence[str]) -> float:
    """Return the largest share of a nugget's words that one string holds.

    For the nugget "A B C D" and the strings "A", "B C D", "D" and "A D", the share is 3/4.
    """
    return share(stems(nugget), list(map(stems, strings)), lambda _: 1.0)


def by_idf(nuggets: Sequence[str]) -> Matcher:
    """Return a function that matches a nugget with strings, weighting words by idf, their rarity in `nuggets`.

    `nuggets` are all nuggets of the key.
    """
    frequency = Counter(term for nugget in nuggets for term in set(stems(nugget)))

    def weight(term: str) -> float:
        return math.log(len(nuggets) / max(frequency[term], 1)) if nuggets else 0.0

    def match(nugget: str, strings: Sequence[str]) -> float:
        nugget_stems = stems(nugget)
        informative = any(weight(term) for term in nugget_stems)
        return share(nugget_stems, list(map(stems, strings)), weight if informative else lambda _: 1.0)

    return match


def by_embedding() -> Matcher:
    """Return a function that matches a nugget with strings by the largest cosine of their vectors, but at least 0.

    Raises UsageError if sentence-transformers is not installed.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise UsageError(
            "matching by embedding needs a library that is not installed: pip install 'nescio[embeddings]'"
        ) from None
    encoder = SentenceTransformer(MODEL)

    def match(nugget: str, strings: Sequence[str]) -> float:
        if not strings:
            return 0.0
        vectors = encoder.encode([nugget, *strings], normalize_embeddings=True)
        return float(max(0.0, *(min(1.0, float(vectors[0] @ vector)) for vector in vectors[1:])))

    return match


def matcher(method: str, targets: Sequence[Target]) -> Matcher:
    """Return the function that matches a nugget with strings by the method of this name, such as "count".

    Raises UnknownNameError for an unknown method, UsageError if its library is missing.
    """
    if method not in METHODS:
        raise UnknownNameError("automatic matching", method, METHODS)
    if method == EMBEDDING:
        return by_embedding()
    return by_count if method == COUNT else by_idf([n.text for target in targets for n in target.nuggets])


def evidence(targets: Sequence[Target], runs: Sequence[Run], method: str = COUNT) -> tuple[Evidence, tuple[Note, ...]]:
    """Return the columns of every run on every target by automatic matching, and notes that the matching is automatic.

    A nugget is vital if more than half of the key's assessors say so. The column `pourpre.match` is the sum of the
    matches of vital nuggets, and `pourpre.found` the number of nuggets whose match is above 0.
    """
    match = matcher(method, targets)
    units: list[tuple[Target, str | None]] = [(target, None) for target in targets]
    rows = [[_cell(target, run, match) for target in targets] for run in runs]
    return gather([run.name for run in runs], units, rows), (_automatic_note(method), *silences(targets, runs))


def _automatic_note(method: str) -> Note:
    if method == EMBEDDING:
        return note(
            "nuggets.automatic_embedding",
            "AUTOMATIC: no assessor mapped these responses; nuggets are matched by embedding",
        )
    return note(
        "nuggets.automatic_words",
        "AUTOMATIC: no assessor mapped these responses; nuggets are matched by words (POURPRE, {method})",
        method=method,
    )


def _cell(target: Target, run: Run, match: Matcher) -> Mapping[str, float]:
    response = run.responses.get(target.id)
    strings = response.strings if response else ()
    scores = [(match(nugget.text, strings), is_vital(nugget)) for nugget in target.nuggets]
    return {
        **response_columns(response, [vital for _, vital in scores]),
        "pourpre.match": math.fsum(score for score, vital in scores if vital),
        "pourpre.found": sum(score > 0 for score, _ in scores),
        "graded": 1,
    }
