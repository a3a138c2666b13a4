"""Recognise units after a number in a text, and convert them with Pint."""

from __future__ import annotations

import importlib.util
from decimal import Decimal
from functools import lru_cache
from typing import Any

from nescio.errors import UsageError, opt
from nescio.text import word_set

PERCENT, DECADE = "%", "…s"  # 50%; the 1990s
CURRENCIES = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars", "buck", "bucks"), "$"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "€"),
    **dict.fromkeys(("£", "gbp", "sterling"), "£"),
    **dict.fromkeys(("¥", "jpy", "yen"), "¥"),
    **dict.fromkeys(("₹", "inr", "rupee", "rupees"), "₹"),
}
MONEY = frozenset(CURRENCIES.values())

# Symbols that mean nothing else after a number, with Pint's names for those that it does not know.
_AS_THEY_ARE = """mm cm m km ft yd mi mg g kg lb oz ml l mL L ms s nm µm Hz kHz MHz GHz W kW MW GW kWh V kV A J kJ cal
kcal Pa kPa hPa bar psi K KB MB GB TB mph ha N"""
_ABBREVIATED = {
    "lbs": "lb",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "min": "minute",
    "mins": "minute",
    "sec": "second",
}
_ABBREVIATED |= {"secs": "second", "yrs": "year", "t": "tonne", "kph": "km/hour", "kmh": "km/hour"}
_ABBREVIATED |= {"°C": "degC", "°F": "degF", "sqm": "m^2", "sqft": "ft^2", "cc": "cm^3"}
_SYMBOLS = {symbol: symbol for symbol in _AS_THEY_ARE.split()} | _ABBREVIATED
_DEGREES = {"c": "degC", "f": "degF", "celsius": "degC", "centigrade": "degC", "fahrenheit": "degF"}
_KNOWN = word_set("""
meter metre gram gramme liter litre second minute hour day week month year decade century mile yard foot
inch acre hectare ounce pint gallon stone ton tonne kelvin watt volt ampere amp joule calorie pascal hertz byte bit
knot newton fathom furlong carat pound
""")
_SPELLED = {
    "gramme": "gram",
    "amp": "ampere",
    "feet": "foot",
    "inches": "inch",
    "centuries": "century",
    "hertz": "hertz",
}
_PREFIXES = ("", "nano", "micro", "milli", "centi", "deci", "hecto", "kilo", "mega", "giga", "tera")


@lru_cache(maxsize=1 << 12)
def unit_of(word: str, degrees: bool = False) -> str | None:
    """Return Pint's name of the unit that a word after a number denotes, or None; `degrees` says that "degrees"
    precedes it.

    Only words that rarely mean anything else are units: "in", "at" and "a" are not.
    """
    folded = word.lower().replace("μ", "µ")
    if word in _SYMBOLS:
        return _SYMBOLS[word]
    if folded in _DEGREES and (degrees or len(folded) > 1):
        return _DEGREES[folded]
    if folded in _SPELLED:
        return _SPELLED[folded]
    singular = folded.removesuffix("s")
    for prefix in _PREFIXES:
        name = singular.removeprefix(prefix)
        if singular.startswith(prefix) and name in _KNOWN:
            return prefix + _SPELLED.get(name, name)
    return None


def convert(value: Decimal, unit: str, to: str) -> Decimal | None:
    """Return a value in another unit, or None if the two units do not measure the same quantity."""
    need_libraries()
    import pint

    registry = _registry()
    try:
        return Decimal(repr(float(registry.Quantity(float(value), unit).to(to).magnitude)))
    except (pint.PintError, OverflowError):
        return None


def need_libraries() -> None:
    """Raise UsageError if the libraries that read numbers in words and convert units are not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("pint", "text_to_num")):
        raise UsageError(
            "to read numbers in words and convert units, install two libraries with: pip install 'nescio[judges]',"
            f" or take another judge, such as {opt('judge', 'exact')}"
        )


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()
