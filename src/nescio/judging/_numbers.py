"""Read the numbers in a text, with their units. text2num reads numbers in words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Context, Decimal, localcontext

from msgspec import Struct

from nescio.judging._units import CURRENCIES, DECADE, PERCENT, unit_of
from nescio.text import normal_form


class Quantity(Struct, frozen=True):
    """A number and its unit: PERCENT, DECADE, a currency, or a unit of Pint.

    The unit is None if the number has none, or one that nescio does not know.
    """

    value: Decimal
    unit: str | None = None


_ANY = Context(prec=50, traps=[])  # No text can raise an error here.
_FRACTIONS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
_FRACTIONS |= {"eighth": 8, "ninth": 9, "tenth": 10, "hundredth": 100}
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "a": 1}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SHORT = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "tn": 12}
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _fraction(match: re.Match[str]) -> str:
    """Return the matched fraction in digits, such as "2/3" for "two thirds", or unchanged if it means a position.

    "a third" is a fraction only before "of" or at the end of a text.
    """
    count, part, plural, of = match[1].lower(), match[2].lower(), match[3], match[4]
    if count in ("a", "one", "1") and part not in ("half", "quarter") and (plural or of is None):
        return match[0]
    return f"{_COUNTS.get(count, count)}/{_FRACTIONS[part]}"


def _scaled(match: re.Match[str]) -> str:
    """Return a matched number and its scale, such as "5 million", with a mark in place of the word for the scale.

    The mark keeps later steps from reading the scale as a number of its own.
    """
    return f"{match[1]}⟪{(_SCALES | _SHORT)[match[2].lower()]}⟫"


# Words such as "hundreds" without a count are not numbers.
_NUMERALS = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred"""
_SPELLED = rf"\b(?:zero|half|dozen|{'|'.join((*_NUMERALS.split(), *_SCALES))})"
_UNCOUNTED = r"(?<!\d)(?<!\d[ -])" + "".join(rf"(?<!\b{word}[ -])" for word in _NUMERALS.split())

_Rewrite = tuple[str, str | Callable[[re.Match[str]], str]]
# These run before numbers in words are read: powers, fractions, scales after digits, and words that only look like
# numbers.
_REWRITES: tuple[_Rewrite, ...] = (
    (r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPT)),
    (r"(\d)([¼-¾⅐-⅞])", r"\1 \2"),
    (r"[¼-¾⅐-⅞]", lambda match: unicodedata.normalize("NFKC", match[0]).replace("⁄", "/")),
    (r"(?i)\b(no|the|this|that|which|any|every|each|some) one\b|\bone (?=of\b|another\b|who\b)|\bone's\b", " "),
    (rf"(?i){_UNCOUNTED}\b(?:ten|dozen|{'|'.join(_SCALES)})s\b", " "),
    (r"(?i)\b(a|one|per|\d) second\b", r"\1 seconds"),
    (rf"(?i)\b({'|'.join(_COUNTS)}|\d{{1,3}})[ -]({'|'.join(_FRACTIONS)})(s?)\b(?=( of\b|\W*$)?)", _fraction),
    (r"(?i)\bhalf\b", "1/2"),
    (r"(?i)\ban? dozen\b", "12"),
    (rf"(?i)(\d)[ -]*(?:of )?(?:an? )?({'|'.join(_SCALES)})s?\b", _scaled),
    (r"(\d) ?(bn|mn|tn|k|M|B)\b(?!/)", _scaled),
    (r"(?i)([$€£¥₹] ?[\d.,]*\d) ?(m|b)\b", _scaled),
    (r"(?i)(?<=[a-z])-(?=[a-z])", " "),
)

_SIGN = r"(?:(?<![\w.)%])[-−–+] ?)?(?:minus )?"
_MONEY = r"(?:US|A|C)?[$€£¥₹] ?|\b(?:USD|EUR|GBP|JPY|INR) "
_FRACTION = r"(?:(?P<whole>\d+)(?: and)? )?(?<!/)(?P<over>\d+) ?/ ?(?P<under>\d+)(?!/|\d)"
_TURNED = r"\d{1,3}(?:\.\d{3})+,\d+(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?![\d.])"  # 1.234,5 and 1.234.567
_GROUPS = r"\d{1,3}(?:(?P<sep>[, '’_])\d{3})(?:(?P=sep)\d{3})*(?!\d)(?:\.\d+)?"
_COMMA = r"\d+,(?!\d{3}(?!\d))\d+(?![\d,])"  # 1,5 and 0,25
_PLAIN = r"\d+(?:\.\d+)?|(?<!\d)\.\d+"
_NUMBER = (  # compiled on demand, because this alone takes 5 ms
    rf"(?P<sign>{_SIGN})(?:(?P<money>{_MONEY})(?P<inner>[-−])?)?"
    rf"(?:{_FRACTION}|(?P<turned>{_TURNED})|(?P<groups>{_GROUPS})|(?P<comma>{_COMMA})"
    rf"|10 ?\^ ?(?P<ten>[+-]?\d{{1,3}})|(?P<plain>{_PLAIN}))"
    r"(?:[eE](?P<e>[+-]?\d{1,3})(?![\w.])| ?[x×·*] ?10 ?\^ ?(?P<power>[+-]?\d{1,3}))?"
    r"(?P<scales>(?:⟪\d+⟫)*)(?P<dozen> dozen\b)?(?P<ordinal>(?:st|nd|rd|th)\b)?"
)
_UNIT = (
    r" ?(?P<percent>%|percent(?:age points?)?\b|per cent\b|pct\b)"
    r"| ?(?P<degrees>degrees? )?(?P<area>square |sq\.? |cubic"
    r" )?-?(?P<word>°?[A-Za-zµμ]+[$]?|[€£¥₹])(?P<power>\^?[23]\b)?"
    r"(?:(?: per |/)(?P<per>[A-Za-z]+)(?:\^?(?P<per_power>[23])\b)?)?"
)
_DECADE = re.compile(r"(?:1\d|2[01])\d0")  # 1990s; 1990 s, 3600s and 10.0s are seconds
_IN_NAME = re.compile(
    r"(?:[^\W\d]|_|\b(?!(?:mid|pre|post|early|late|circa)-)[^\W\d_]{1,10}-)\Z"
)  # MP3, F-16; not mid-1990


def quantities(text: str, decimal: str = ".", *, in_words: bool = True) -> list[Quantity]:
    """Return the numbers of a text in order; `decimal` is its decimal mark, a dot or a comma.

    Without `in_words`, numbers in English words are left out.

    Numbers are written in digits, with separated thousands, as fractions, with powers of ten, or in English words. A
    number within a name (MP3, C-3PO, 3D) does not count. `decimal` decides ambiguous numbers (1,234). Other numbers are
    read by their form: 1.234.567 and 1,5 are read although the mark is a dot.
    """
    if decimal == ",":
        text = re.sub(r"(?<=\d)[.,](?=\d)", lambda numbers: "," if numbers[0] == "." else ".", text)
    text = _rewritten(text)
    return [number for number, _, _ in _found(_spaced(_words_to_digits(text) if in_words else text))]


def amount(text: str) -> Quantity | None:
    """Return the number, in digits, that a text consists of, with its unit; None for any other text.

    A number such as 007 is a name, and gives None.
    """
    prepared = _spaced(_rewritten(text)).rstrip(" .") if any(map(str.isdecimal, text)) else ""
    if not prepared or re.match(r"\D*0\d", prepared):
        return None
    numbers = _found(prepared)
    alone = len(numbers) == 1 and numbers[0][1:] == (0, len(prepared))
    return numbers[0][0] if alone else None


def _rewritten(text: str) -> str:
    text = " ".join(re.sub("[⟪⟫]", " ", text).split())
    for expression, by in _REWRITES:
        text = re.sub(expression, by, text)
    return text


def _spaced(text: str) -> str:
    return " ".join(normal_form("NFKC", text).split())


def _found(text: str) -> list[tuple[Quantity, int, int]]:
    """Return the numbers of a text, each with its start and with the end of its unit.

    Fractions and scales in words must have been replaced before.
    """
    numbers: list[tuple[Quantity, int, int]] = []
    number_in, unit_after = re.compile(_NUMBER), re.compile(_UNIT)
    position = 0
    while match := number_in.search(text, position):
        position = match.end()
        if _IN_NAME.search(text, max(0, match.start() - 12), match.start()):
            while text[position : position + 1].isalnum():
                position += 1
            continue
        unit = unit_after.match(text, match.end())
        counted = _counted(match, unit)
        if counted is None and match.end("ordinal") < 0 and text[position : position + 1].isalpha():
            continue  # 3D, 3PO
        with localcontext(_ANY):
            value = _value(match)
        if unit and counted:
            position = unit.end()
        if value.is_finite():
            numbers.append((Quantity(value, counted), match.start(), position))
    return numbers


def spells_number(text: str) -> bool:
    """Return whether a text may hold a number in English words."""
    return re.search(_SPELLED, text.lower()) is not None


def _words_to_digits(text: str) -> str:
    if not re.search(r"[A-Za-z]{3}", text):
        return text
    from text_to_num import alpha2digit

    converted: str = alpha2digit(text, "en", 0)
    return converted


def _counted(number: re.Match[str], unit: re.Match[str] | None) -> str | None:
    if money := number["money"]:
        name = money.strip().lower()
        return CURRENCIES.get(name) or CURRENCIES[name[-1]]
    if unit is None:
        return None
    if unit["percent"]:
        return PERCENT
    word, adjacent = unit["word"], unit.start("word") == number.end()
    if word == "s" and adjacent and _DECADE.fullmatch(number["plain"] or ""):
        return DECADE
    unit_name = CURRENCIES.get(word.lower()) or unit_of(word, bool(unit["degrees"]))
    if unit_name is None or unit_name in CURRENCIES.values():
        return unit_name
    area = unit["area"] or ""
    power = "^2" if area.startswith("sq") else "^3" if area else f"^{unit['power'][-1]}" if unit["power"] else ""
    per = unit_of(unit["per"]) if unit["per"] else None
    return (
        unit_name + power + (f"/{per}" if per else "") + (f"^{unit['per_power']}" if per and unit["per_power"] else "")
    )


def _value(match: re.Match[str]) -> Decimal:
    if match["over"]:
        under = Decimal(match["under"])
        value = Decimal(match["whole"] or 0) + (Decimal(match["over"]) / under if under else Decimal("NaN"))
    elif match["turned"]:
        value = Decimal(match["turned"].replace(".", "").replace(",", "."))
    elif match["groups"]:
        value = Decimal(match["groups"].replace(match["sep"], ""))
    elif match["ten"]:
        value = Decimal(1).scaleb(int(match["ten"]))
    else:
        value = Decimal((match["comma"] or match["plain"]).replace(",", "."))
    scale = int(match["e"] or match["power"] or 0) + sum(map(int, re.findall(r"\d+", match["scales"])))
    value = value.scaleb(scale) * (12 if match["dozen"] else 1)
    return -value if re.search(r"[-−–]|minus", match["sign"] + (match["inner"] or "")) else value
