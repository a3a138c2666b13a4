"""Choose one of several objects in a file, as `--choose NAME=VALUE` says: a metric, a scorer, a threshold."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from nescio.errors import UsageError, offer, opt
from nescio.formats.registry import ReadOptions
from nescio.text import decimal

_SHOWN = 50  # the most names in a message


def choose(options: ReadOptions, name: str, names: Sequence[str], what: str, *, elsewhere: bool = False) -> str:
    """Return the element of `names` that `--choose NAME=VALUE` selects, or the only element.

    VALUE may list several names with commas, because files may hold different names; the first that is in `names` is
    taken. Raises UsageError if VALUE is not in `names`, or if there are several names and no VALUE. The message calls
    the names `what`; with `elsewhere` it adds that VALUE may list several.
    """
    chosen, there = options.choose.get(name), list(dict.fromkeys(names))
    if (choice := chosen_among(options, name, there)) is not None:
        return choice
    shown = ", ".join(there[:_SHOWN]) + (f" and {len(there) - _SHOWN:,} more" if len(there) > _SHOWN else "")
    offered = f"{what} to choose from: {shown or 'none'}"
    if chosen is not None:
        several = opt("choose", {name: f"{chosen},{there[0]}"}) if elsewhere and there else ""
        also = f"; {several} takes the first of these names that the file has" if several else ""
        raise UsageError(f"{opt('choose', {name: chosen})} matches nothing; {offered}{also}")
    if len(there) == 1:
        return there[0]
    ways = "".join(offer("choose", {name: value}) for value in there)
    raise UsageError(f"{offered}; name one with {opt('choose', of=name + '=NAME')}{ways}")


def chosen_among(options: ReadOptions, name: str, there: Collection[str]) -> str | None:
    """Return the VALUE of `--choose NAME=VALUE` if it is in `there`, or None.

    If VALUE lists several names with commas, the first of these names that is in `there` is returned.
    """
    chosen = options.choose.get(name)
    return None if chosen is None else next((value for value in (chosen, *chosen.split(",")) if value in there), None)


def pick(options: ReadOptions, name: str, names: Iterable[str]) -> str:
    """Return the only element of `names`, or, if there are several, the one that `--choose NAME=VALUE` selects.

    The only element is returned even if VALUE differs from it, because VALUE may be meant for another file. Without any
    element the result is "".
    """
    there = list(dict.fromkeys(names))
    return "".join(there) if len(there) < 2 else choose(options, name, there, f"{name}s", elsewhere=True)


def check_choice(options: ReadOptions, name: str, names: Iterable[str]) -> None:
    """Raise UsageError if the VALUE of `--choose NAME=VALUE` is in no file; `names` are the possible values of all
    files."""
    if name in options.choose:
        choose(options, name, sorted({*names}), f"{name}s")


def threshold(options: ReadOptions) -> float | None:
    """Return the number of `--choose threshold=T`, or None if it is not given. Raises UsageError if T is not a
    number."""
    chosen = options.choose.get("threshold")
    least = None if chosen is None else decimal(chosen)
    if chosen is not None and (least is None or not math.isfinite(least)):
        raise UsageError(f"{opt('choose')} threshold takes a number (found {chosen!r})")
    return least
