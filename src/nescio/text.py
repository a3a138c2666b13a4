"""Process text for all packages: normalise and split it, find stems and sentences, and show foreign text safely."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

QUESTION_WORDS = ("who", "what", "when", "where", "why", "how", "which")
_AS = {"whose": "who", "whom": "who", "who": "who", "what's": "what", "who's": "who", "where's": "where"}
OTHER_WORD = "other"
MOST_MARKS = 100  # marks on one letter that are put in order: Unicode's own format for streams has 30

# What people and programs write in place of a value, as an expression of RE2 to be matched whole, whatever the case.
NOTHING = (
    r"([\[(<{\"'`*]*(n/?a|n\. ?a\.?|#n/a|nan|none|null|nil|undefined|k\. ?a\.|no[ _-]?(response|output)"
    r"|empty[ _-](response|output))[\])>}\"'`*.!]*"
    r"|[\[(<](empty|blank)[\])>]|\[\s*\]|\{\s*\}|\"\"|''|-+|–|—|[?？]+|\.{2,}|…+)"
)
_NOTHING = re.compile(NOTHING, re.IGNORECASE)
WHITE_SPACE = r"\t-\r\x1c-\x20\x85\p{Z}"  # what str.strip removes, as members of a class of RE2
_LONGEST_NOTHING = 30


def word_set(text: str) -> frozenset[str]:
    """Return the set of words in a text, split at white space."""
    return frozenset(text.split())


_ARTICLE = re.compile(r"\b(a|an|the)\b")
ARTICLES = word_set("a an the")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
# The flag of a region: its letters, unseen alone, say which flag is seen.
_FLAG = re.compile("(\U0001f3f4[\U000e0020-\U000e007f]+)")
# Signs of Arabic, Syriac and Kaithi, which Unicode has among the unseen characters: they are drawn round digits.
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def is_nothing(text: str) -> bool:
    """Return whether a text stands in place of a value, as "None", "N/A", "[]" and "?" do."""
    text = text.strip()
    return len(text) <= _LONGEST_NOTHING and _NOTHING.fullmatch(text) is not None


def all_nothing(said: Any, gold: Any = ()) -> bool:
    """Return whether a text, or each text of a list, stands for nothing and is none of the `gold` answers."""
    texts, right = (side if isinstance(side, (list, tuple)) else [side] for side in (said, gold))
    if not texts or not all(isinstance(text, str) and is_nothing(text) for text in texts):
        return False
    return {squeeze(answer) for answer in right if isinstance(answer, str)}.isdisjoint(map(squeeze, texts))


# Function words, which say little about the subject of a sentence.
STOP_WORDS = word_set("""
a an the this that these those and or but nor so if then than as of in on at to from by for with about into over after
before between under during through is are was were be been being am has have had having do does did doing will would
can could shall should may might must not no it its itself he him his himself she her hers herself they them their
theirs themselves we us our ours ourselves you your yours yourself i me my mine myself there here what which who whom
whose when where why how all any both each few more most other some such only own same too very just also
""")

# Where a sentence may end: marks, the quotation marks and brackets that close with it, white space, and what may begin
# the next.
_END = re.compile(r"""(?<=[.!?])["'”’)\]]*\s+(?=["'“‘(\[]*[A-Z0-9À-Þ])""")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LETTERS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")  # B.C, p.m: the last full stop was removed
_ABBREVIATED = word_set("""
mr mrs ms dr prof st sr jr mt ft gen col sgt capt lt maj cmdr rev hon gov sen rep pres supt messrs mme mlle vs etc no
nos vol fig figs al dept est inc ltd co corp bros jan feb mar apr jun jul aug sep sept oct nov dec cf approx
""")
_ENDS_ANYWAY = word_set("etc al inc ltd co corp bros jr sr")  # before words that often begin a sentence
_BEGINS = word_set("""
the a an this that these those he she it they we you i but and so if in on at when then there his her its their our my
what who how why some many most all no yes not now
""")

# Invisible characters that are kept: the joiners of scripts and emoji.
JOINERS = "\u200c\u200d"
_REORDERING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
LONG = 2_000  # the most characters of an answer or a question on a page
Target = Literal["message", "line", "html", "page"]


def sanitize(text: str, longest: int | None = None, *, target: Target = "line") -> str:
    """Return foreign text with characters replaced that could do harm when shown; letters of any script stay.

    `message` keeps printable characters. `line`, for tables and terminals, also keeps joiners and signs newer than this
    Python, and turns white space into spaces. So no cursor moves, no row breaks and no terminal changes colour. `html`
    also keeps line breaks, and escapes markup. `page` keeps line breaks, removes characters that reorder text, and
    leaves escaping to the writer of HTML or JSON. Replaced characters become U+FFFD. A text over `longest` characters
    (default on a page 2,000, else unlimited) is cut, and the result ends with the number of characters cut off.
    """
    cut = text[: longest or LONG] if longest or target == "page" else text
    shown = cut if cut.isprintable() else "".join(map(_SHOWN[target], cut))
    left = len(text) - len(cut)
    if target == "html":
        import html

        shown = html.escape(shown)
    return f"{shown}… ({left:,} more characters)" if left else shown


def inert(text: str) -> str:
    """Return a message without terminal control characters, because names in it may come from foreign data."""
    return "\n".join(sanitize(line) for line in text.split("\n"))


def on_one_line(text: str) -> str:
    """Return a text with a space for each line break."""
    return " ".join(text.splitlines())


def quoted(text: str, *, python: bool = False) -> str:
    """Return a text as a string of JSON or Python, with invisible characters escaped."""
    plain = json.dumps(text, ensure_ascii=False)
    if plain.isprintable():
        return plain
    shown = (f"\\U{ord(c):08x}" if python and c > "\uffff" else json.dumps(c)[1:-1] for c in plain)
    return "".join(c if c.isprintable() else escape for c, escape in zip(plain, shown, strict=True))


def command_text(words: Iterable[str]) -> str:
    """Return a command line for a shell.

    A word with invisible characters, or with bytes that are not text, is written as bytes, in the quoting of bash, zsh
    and ksh. So every character of the command is visible.
    """
    return " ".join(shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_typed, word))}'" for word in words)


def typed_path(path: str | os.PathLike[str]) -> str:
    """Return a path or address as one word of a command line."""
    return command_text([str(path)])


def _typed(c: str) -> str:
    if c in "'\\":
        return f"\\{c}"
    if c.isprintable():
        return c
    lone = "\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff"  # No system has such a file name.
    return "".join(f"\\x{byte:02x}" for byte in (c.encode("utf-8", "surrogatepass") if lone else os.fsencode(c)))


def _in_message(c: str) -> str:
    return c if c.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _in_line(c: str) -> str:
    if c.isprintable() or c in JOINERS or unicodedata.category(c) in ("Cn", "Co"):
        return c
    return " " if c in "\n\r\t" or unicodedata.category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"


def _in_html(c: str) -> str:
    if c.isprintable() or c in "\n\t" + JOINERS or unicodedata.category(c) in ("Zs", "Cn", "Co"):
        return c
    return "\N{REPLACEMENT CHARACTER}"


def _in_page(c: str) -> str:
    if c in "\n\t":
        return c
    if c == "\r" or c in _REORDERING or unicodedata.category(c) in ("Cc", "Cs"):
        return "\N{REPLACEMENT CHARACTER}"
    return c


_SHOWN: dict[Target, Callable[[str], str]] = {
    "message": _in_message,
    "line": _in_line,
    "html": _in_html,
    "page": _in_page,
}


def decimal(text: str) -> float | None:
    """Return the number that a text writes, infinities and NaN included, or None.

    1_000, which Python reads as a thousand, is None.
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def finite(text: str) -> float | None:
    """Return the finite number that a text writes, or None."""
    number = decimal(text)
    return number if number is not None and math.isfinite(number) else None


def composed(text: str | None) -> str | None:
    """Return the text with each accented letter as one character (NFC), so that both encodings give the same text."""
    return text if text is None or text.isascii() else normal_form("NFC", text)


def normal_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form of Unicode, in time that grows with its length.

    Unicode sorts the marks on a letter, in quadratic time. So this function sorts at most `MOST_MARKS` marks at a time.
    """
    if text.isascii():  # such a text is in every normal form
        return text
    if len(text) <= MOST_MARKS:
        return unicodedata.normalize(form, text)
    cuts, marks = [0], 0
    for at, letter in enumerate(text):
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks == MOST_MARKS:
            cuts.append(at)
            marks = 0
    parts = zip(cuts, [*cuts[1:], len(text)], strict=True)
    return "".join(unicodedata.normalize(form, text[start:end]) for start, end in parts)


def normalise(text: str) -> str:
    """Return a text after SQuAD's normalisation: lower case, no ASCII punctuation, no articles, single spaces.

    Source: Rajpurkar et al. 2016, 2018, evaluate-v2.0.py.
    """
    return " ".join(normalised_words(text))


def normalised_words(text: str) -> list[str]:
    """Return the words of a text after SQuAD's normalisation, repetitions included."""
    kept: list[str] = []
    for word in text.lower().translate(_PUNCTUATION).split():
        if word.isalnum():  # It then has no word boundary, and is an article or contains none.
            if word not in ARTICLES:
                kept.append(word)
        else:
            kept += _ARTICLE.sub(" ", word).split()
    return kept


_PATTERN_MARKS = re.compile(r"[.^$*+?{}\[\]\\|()]")


def literally(text: str) -> str:
    """Return the regular expression that matches only this text, with as few backslashes as possible."""
    return _PATTERN_MARKS.sub(r"\\\g<0>", text)


def without_punctuation(text: str) -> str:
    """Return the text after `squeeze`, without ASCII punctuation unless nothing else is left.

    This is the key for texts that SQuAD's normalisation leaves empty, such as the options "A" and "(a)".
    """
    return squeeze(text.translate(_PUNCTUATION)) or squeeze(text)


def squeeze(text: str) -> str:
    """Return a key that is equal for all spellings of a text.

    The key ignores case, and has single spaces and no invisible characters (zero-width spaces, joiners, soft hyphens).
    Unicode has these in the category Cf; the signs and flags in this category that are drawn stay.
    """
    return " ".join(_visible(text).split()).casefold()


def in_one_form(text: str) -> str:
    """Return the text that both encodings of accented letters give, without invisible characters."""
    return text if text.isascii() else _visible(composed(text) or "")


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(part if _FLAG.match(part) else _seen(part) for part in _FLAG.split(text))


def _seen(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) != "Cf" or c in _SIGNS)


def answer_key(text: str) -> str:
    """Return a key that is equal for all spellings of an answer: `squeeze`, with accents in one encoding.

    Pools, people's verdicts and all look-ups use only this key.
    """
    return squeeze(composed(text) or "")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    return list(map(bare_word, _WORD.findall(text)))


def bare_word(word: str) -> str:
    """Return a word in lower case, without a possessive 's."""
    return word.lower().replace("’", "'").removesuffix("'s")


def without_accents(word: str) -> str:
    """Return a word without the accents of its letters."""
    return "".join(letter for letter in normal_form("NFKD", word) if not unicodedata.combining(letter))


def shared_f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 of the words that two texts share, computed in the order of SQuAD's script."""
    left: dict[str, int] = {}
    for word in gold:
        left[word] = left.get(word, 0) + 1
    shared = 0
    for word in answer:
        if many := left.get(word):
            left[word] = many - 1
            shared += 1
    if not shared:
        return 0.0
    precision, recall = shared / len(answer), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def best_f1(answer: str, golds: Sequence[str]) -> float:
    """Return the best token F1 over the gold answers, in [0, 1], equal to that of evaluate-v2.0.py to the last digit.

    Gold answers that become empty by normalisation (".", "The") do not count. If there are no others, an answer that
    becomes empty has F1 1 and any other answer has F1 0.
    """
    stated = normalised_words(answer)
    keys = [words for gold in golds if (words := _normalised_once(gold))]
    if not keys or not stated:
        return float(not keys and not stated)
    return max(shared_f1(stated, words) for words in keys)


_normalised_once = lru_cache(maxsize=1 << 16)(normalised_words)


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text, in order."""
    return [stem(word) for word in words(text)]


def content_stems(text: str) -> list[str]:
    """Return the stems (Snowball's English stemmer) of the words that are not stop words, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of one lower-case word."""
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def question_word(text: str) -> str:
    """Return the first question word of a question: who, what, when, where, why, how or which; "other" if there is
    none.

    "Whose" counts as who.
    """
    for word in words(text):
        plain = _AS.get(word, word)
        if plain in QUESTION_WORDS:
            return plain
    return OTHER_WORD


def find_words(whole: Sequence[str], part: Sequence[str]) -> list[int]:
    """Return the indices at which one sequence of words occurs in another; an empty `part` occurs nowhere."""
    width, wanted = len(part), tuple(part)
    return [i for i in range(len(whole) - width + 1) if tuple(whole[i : i + width]) == wanted] if width else []


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order, with squeezed white space; a blank line also ends a sentence.

    A sentence ends at . ! or ? before white space and a capital, a digit or an opening mark. It does not end after an
    abbreviation or an initial. No library is used, so that a score does not depend on what is installed.
    """
    parts: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        squeezed, start = " ".join(paragraph.split()), 0
        for end in _END.finditer(squeezed):
            if not _goes_on(squeezed[start : end.start()], squeezed[end.end() :]):
                parts.append(squeezed[start : end.end()].rstrip())
                start = end.end()
        parts.append(squeezed[start:])
    return tuple(sentence for sentence in parts if sentence)


def _goes_on(so_far: str, rest: str) -> bool:
    """Return whether the final full stop of a text belongs to an abbreviation or an initial."""
    if not so_far.endswith("."):
        return False
    last = so_far.rsplit(None, 1)[-1].lstrip("\"'“‘([")[:-1]
    if len(last) == 1:
        return last.isupper() and last != "I"
    letters = _LETTERS.fullmatch(last) is not None
    if not letters and last.lower() not in _ABBREVIATED:
        return False
    following = _WORD.match(rest.lstrip("\"'“‘(["))
    begins = following is not None and following[0].lower() in _BEGINS
    return not (begins and (letters or last.lower() in _ENDS_ANYWAY))


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: "1 question", "2,000 questions". A noun of several words gets its s at the end."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def enumerated(names: Sequence[str], most: int = 3) -> str:
    """Return names as in a sentence, each on one line: "a", "a and b", or the first few, as in "a, b, c and 4 more"."""
    names = [on_one_line(name) for name in names]
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def listed(names: Sequence[object], most: int) -> str:
    """Return the first few names, each on one line, and the number of the others: "a, b, c and 4 more"."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(on_one_line(str(name)) for name in names[:most])}{more}"


def by_value(mapped: Mapping[str, str], words: Collection[str]) -> dict[str, str]:
    """Return what the user mapped words to, with each number as the `words` of a column spell it.

    Libraries write the number 1 as "1.0" as soon as one cell of its column is empty.
    """
    numbers = {number: to for word, to in mapped.items() if (number := decimal(word)) is not None}
    values = {word: decimal(word) for word in words if word} if numbers else {}
    spelled = {word: numbers[value] for word, value in values.items() if value is not None and value in numbers}
    decimals = {values[word] for word in spelled}
    return {word: to for word, to in mapped.items() if word in values or decimal(word) not in decimals} | {
        word: mapped.get(word, to) for word, to in spelled.items()
    }
