"""Text from data, made fit to be shown: nothing in it moves, hides or reorders what stands around it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from nescio.reporting.layout import shortened
from nescio.text import sanitize

_ESCAPED = re.compile("[<>&\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\x7f-\x9f]")
NAME = 80  # characters of a name that are shown


def names(texts: Sequence[str], most: int = NAME) -> list[str]:
    """Names as they are shown: on one line, short (cut in the middle), and still all different."""
    shown: list[str] = []
    taken: set[str] = set()
    times: Counter[str] = Counter()
    whole = [" ".join(sanitize(name, 10 * most, target="page").split()) or "(no name)" for name in texts]
    cut = shortened([text for text in whole if len(text) > most], most)  # what tells them apart stays
    for name in whole:
        text = short = cut.get(name, name)
        while text in taken:
            times[short] += 1
            text = f"{short} ({times[short] + 1})"
        taken.add(text)
        shown.append(text)
    return shown


def isolated(text: str, own: Sequence[str]) -> str:
    """Keep names that are written from right to left from turning round the figures that stand after them."""
    for name in sorted((name for name in own if any(map(_from_right, name))), key=len, reverse=True):
        text = re.sub(rf"(?<!\u2068){re.escape(name)}", f"\u2068{name}\u2069", text)
    return text


def _from_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("R", "AL")


def as_json(value: Any) -> str:
    """JSON that can stand inside a script element: what could end the element, or a line of JavaScript, is escaped, and
    so is what turns the direction of writing or is no character of a text."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
