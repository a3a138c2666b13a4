"""Make text from data fit to be shown, so that nothing in it moves, hides or reorders the text around it."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from nescio.reporting.layout import shared_start, shortened
from nescio.text import sanitize

_ESCAPED = re.compile("[<>&\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\x7f-\x9f]")
NAME = 80  # shown characters of a name
LONG = 20  # longer names leave out the parts that all of them share
_BORDERS = "/\\_-.: ,=|"  # signs between the parts of a name


def names(texts: Sequence[str], most: int = NAME) -> list[str]:
    """Return names as a page shows them: on one line, at most `most` characters each, and all different.

    A longer name is cut in the middle.
    """
    shown: list[str] = []
    taken: set[str] = set()
    times: Counter[str] = Counter()
    whole = [" ".join(sanitize(name, 10 * most, target="page").split()) or "(no name)" for name in texts]
    cut = shortened([text for text in whole if len(text) > most], most)  # the distinguishing part stays
    for name in whole:
        text = short = cut.get(name, name)
        while text in taken:
            times[short] += 1
            text = f"{short} ({times[short] + 1})"
        taken.add(text)
        shown.append(text)
    return shown


def run_names(runs: Sequence[str]) -> tuple[list[str], str]:
    """Return the names of runs as a page shows them, and the text that these names leave out ("" if none).

    If names are long, their common beginning and end are left out: "exp-7/llama-seed1" and "exp-7/qwen-seed1" become
    "llama" and "qwen".
    """
    first = last = 0
    if len({*runs}) > 1 and max(map(len, runs)) > LONG:
        first = _up_to_a_border(runs[0][: shared_start(runs)])
        rest = [run[first:] for run in runs]
        last = _up_to_a_border(rest[0][::-1][: shared_start([text[::-1] for text in rest])])
        if not all(any(map(str.isalnum, text[: len(text) - last])) for text in rest):
            first = last = 0
    if not first + last:
        return names(runs), ""
    run = runs[0]
    left_out = f"{run[:first]}…{run[len(run) - last :]}"
    return names([run[first : len(run) - last] for run in runs]), names([left_out])[0]


def _up_to_a_border(text: str) -> int:
    """Return the length of the text up to its last border between parts of a name, such as a "/" or "-"."""
    return max((i + 1 for i, sign in enumerate(text) if sign in _BORDERS), default=0)


def isolated(text: str, own: Sequence[str]) -> str:
    """Return the text with its right-to-left names isolated, so that they do not reorder the figures after them.

    `own` are the names that may occur in the text.
    """
    from_right = [name for name in own if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)]
    for name in sorted(from_right, key=len, reverse=True):
        text = re.sub(rf"(?<!\u2068){re.escape(name)}", f"\u2068{name}\u2069", text)
    return text


def as_json(value: Any) -> str:
    """Return JSON that is safe inside a script element.

    It escapes what could end the element or a line of JavaScript, and characters that change the direction of writing
    or are invalid.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def deflated(data: bytes) -> str:
    """Return bytes as base64 of raw deflate, which the function `page.bytes` of the page's scripts unpacks."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeezed.compress(data) + squeezed.flush()).decode()
