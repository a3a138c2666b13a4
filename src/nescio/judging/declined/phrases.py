"""The phrases of `words.toml`: which of them a text can hold, and their patterns, compiled when first needed."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

SAYS = ("strong", "weak", "aside", "ask", "commit", "states")  # what a clause may do
TOKEN = re.compile(r"[^\W_]+")
# The letters of each script: its words are looked for only in a text that has some of them.
_LETTERS = {
    "latin": "[a-z?/-]",
    "cyrillic": "[\u0400-\u04ff]",
    "arabic": "[\u0600-\u06ff]",
    "han": "[\u3040-\u9fff]",
    "hangul": "[\uac00-\ud7a3]",
}
_GROUP = re.compile(r"\(([^)]*)\)(\??)")

Kinds = frozenset[tuple[str, str]]  # a kind of phrase, and its language


def possible(text: str) -> Kinds:
    """Find the kinds of phrases that a folded text can hold: it has every word that one of them cannot do without."""
    scripts = scripts_of(text)
    found = {(kind, name) for name, script in _scripts().items() if script in scripts for kind in ("whole", *SAYS)}
    words = set(TOKEN.findall(text))
    for word in words & _index().keys():
        found |= {which for which, needs in _index()[word] if not any(map(words.isdisjoint, needs))}
    return frozenset(found)


def scripts_of(text: str) -> tuple[str, ...]:
    """Return the scripts that a text has letters of."""
    return tuple(script for script, letters in _LETTERS.items() if re.search(letters, text))


@cache
def pattern(kind: str, language: str) -> re.Pattern[str]:
    """Compile the phrases of a kind in a language."""
    # An aside stands at the beginning of its clause: "sorry" does, "he was sorry" says something.
    either = _either([language], kind)
    return re.compile(rf"^\W*(?:{either})" if kind == "aside" else either)


@cache
def turns(script: str) -> re.Pattern[str]:
    """Compile the words at which a sentence turns, in all languages of a script."""
    languages = [name for name, one in _languages().items() if one.get("script", "latin") == script]
    return re.compile(f"(?:[,，、;]\\s*)?(?:{_either(languages, 'contrast')})")


@cache
def digest() -> str:
    """Return a short hash of the phrases, which says by which of their versions an answer was judged."""
    return hashlib.sha256(_raw()).hexdigest()[:8]


def _raw() -> bytes:
    return (files(__package__) / "words.toml").read_bytes()


@cache
def _languages() -> Mapping[str, Mapping[str, Any]]:
    import tomllib

    return tomllib.loads(_raw().decode())


@cache
def _scripts() -> Mapping[str, str]:
    """Return the script of each language that `_index` does not know."""
    return {name: one["script"] for name, one in _languages().items() if "script" in one}


@cache
def _index() -> Mapping[str, list[tuple[tuple[str, str], list[frozenset[str]]]]]:
    """Return, for a word in the Latin script, the phrases that are asked about by it, with what they need besides."""
    index = defaultdict[str, list[tuple[tuple[str, str], list[frozenset[str]]]]](list)
    for name in _languages().keys() - _scripts().keys():
        for kind in ("whole", *SAYS):
            for phrase in _languages()[name][kind]:
                first, *needs = sorted(needed(phrase), key=lambda words: (-min(map(len, words)), len(words)))
                for word in first:
                    index[word].append(((kind, name), needs))
    return index


def needed(phrase: str) -> Iterator[frozenset[str]]:
    """Yield what a phrase in the Latin script cannot do without: of each set, one word (an alternative's first)."""
    kept = re.sub(r"\[[^]]*\]", " ", phrase)
    for group, optional in _GROUP.findall(kept):
        words = [TOKEN.findall(alternative)[:1] for alternative in group.split("|")]
        if not optional and all(words):
            yield frozenset(word for (word,) in words)
    yield from (frozenset((word,)) for word in TOKEN.findall(_GROUP.sub(" ", kept)))


def _either(languages: list[str], kind: str) -> str:
    return "|".join(_regex(phrase, _languages()[name]) for name in languages for phrase in _languages()[name][kind])


def _regex(phrase: str, language: Mapping[str, Any]) -> str:
    """Turn a phrase into a regular expression; `words.toml` says how phrases are written."""
    if language.get("script") == "han":
        return f"(?:{phrase})"
    text = re.sub(r"\s*…\s*$", "", re.sub(r"^\s*…\s*", "", phrase.replace(".", r"\.")))
    text = re.sub(r"\[([^]]*)\] ", r"(?:(?:\1) )?", text)
    text = re.sub(r" \[([^]]*)\]", r"(?: (?:\1))?", text)
    text = text.replace("… ", r"(?:\S+ ){0,7}?").replace(" ", r"[\s,]+")
    return rf"(?<![\w'])(?:{text})(?![\w])"
