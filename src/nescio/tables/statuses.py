"""Tell by the status of a call whether it failed, and why it gave no text: by words, codes of HTTP and exceptions."""

from __future__ import annotations

import re
from functools import cache

from nescio.data.outcomes import MEANINGS
from nescio.data.reasons import ERRORED, failed_call
from nescio.tables.lexicon import BOUNDARY, fold, lexicon, speaks_of_components, squash, state_of, tokens, truth_of
from nescio.text import decimal, is_nothing

PATH = re.compile(r"[.\]/]")
_ASKING = re.compile(r"(is|was|has|had|did)_")
_MOST_WORDS = 4  # of a failure in the lexicon
_LONGEST = 200  # characters of the words of a status before its details
# "429 Too Many Requests", "HTTP/1.1 503", "status_code: 500"
_CODE = re.compile(r"[\W_]*((https?(/[\d.]+)?|status|code|error)[\W_]*)*[45]\d\d\b(?!\.\d)", re.IGNORECASE)
_EXCEPTION = re.compile(r"(<class ')?([\w.]*\.)?[A-Z]\w*(Error|Exception|Timeout)\b")


def ended(status: str) -> str | None:
    """Return the reason why there is no text, by a status such as "length" or "openai.RateLimitError", or None."""
    if (number := decimal(status)) is not None:
        return ERRORED if number in range(400, 600) else None
    if why := lexicon().endings.get(fold(status).rpartition(".")[2]):
        return why
    by_form = failed_call(status) or _CODE.match(status) or _EXCEPTION.match(status)
    return ERRORED if by_form or _names_failure(status) else None


def _names_failure(status: str, *, begins: bool = True) -> bool:
    """Return whether a status, before any details, ends (or begins, with `begins`) with words for a failure."""
    held = lexicon()
    words = [*filter(None, map(squash, BOUNDARY.split(re.split(r"[:(\n]", status[:_LONGEST], maxsplit=1)[0])))]
    for many in range(1, min(_MOST_WORDS, len(words)) + 1):
        before, after = words[:-many][-1:], words[many : many + 1]
        first, last = (held.endings.get(" ".join(phrase)) == ERRORED for phrase in (words[:many], words[-many:]))
        if (begins and first and after != ["free"]) or (last and not held.not_failing & {*before}):
            return True
    return False


def is_fault(word: str) -> bool:
    """Return whether an error such as "factual error" or "retrieval failure" is a fault of an answer, not of a call."""
    *kind, last = [*filter(None, map(squash, BOUNDARY.split(word)))] or [""]
    general = last in lexicon().reporting and bool(kind) and not _EXCEPTION.match(word)
    return general and not lexicon().calls & {*kind} and ended(" ".join(kind)) != ERRORED


def fails(word: str) -> bool | None:
    """Return whether a status (words or an HTTP code) says that a call failed; None for a text that is neither."""
    if (number := decimal(word)) is not None and number in range(100, 400):
        return False
    return True if ended(word) == ERRORED else None


def failed(word: str) -> bool | None:
    """Return whether a cell of an error column says that the call failed; None for any other text, such as a message.

    Words for nothing and for success mean that it did not fail.
    """
    truth = truth_of(word) if fails(word) is None else fails(word)
    if truth is None and (is_nothing(word) or state_of(word) == MEANINGS["correct"]):
        return False
    return truth


def is_status(name: str) -> bool:
    """Return whether a column has a name for statuses, by the last part of a path or the last two."""
    *_, last = parts = PATH.split(name)
    return squash(last) in lexicon().statuses or squash("_".join(parts[-2:])) in lexicon().statuses


def reports(name: str) -> bool:
    """Return whether a column has a name for statuses, or one with a word for them or for errors, but not of a tool."""
    last = PATH.split(name)[-1]
    return is_status(name) or bool(lexicon().reporting & {*tokens(last)} and not speaks_of_components(last))


@cache
def named_ending(name: str) -> str | None:
    """Return the reason that a field such as `truncated` or `is_truncated` gives if it is true, or None."""
    stem = _ASKING.sub("", PATH.split(name)[-1], count=1)
    fails_at_end = _names_failure(stem, begins=False) and not is_fault(stem)
    return lexicon().endings.get(fold(stem)) or (ERRORED if fails_at_end else None)


def counts(name: str, value: object) -> bool:
    """Return whether a value is a number, and its field neither a status nor one that asks, such as `is_timeout`."""
    asks = is_status(name) or bool(_ASKING.match(PATH.split(name)[-1]))
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not asks


def ending(name: str, word: str) -> str | None:
    """Return the reason why there is no text, by a field or a column with this cell; None if it gives no reason."""
    if reports(name) and (why := ended(word)) and (is_status(name) or not is_fault(word)):
        return why
    return named_ending(name) if truth_of(word) else None
