"""A page of every file that can be read at all: what a message asks for is assumed, and said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nescio.errors import NescioError
from nescio.pipeline.unscored import unscored
from nescio.reporting.page.rendering import Assumption
from nescio.reporting.page.report_data import ReportData
from nescio.sources.arrow import items_of
from nescio.verbs._changes import commands_of
from nescio.verbs._shared import Reading, command_line

MOST = 12  # assumptions, one after the other
BESIDE = "beside"  # what is offered that is no option: files beside those given


def anyhow(request: Any, gathered: Callable[[Any], ReportData]) -> tuple[ReportData, tuple[Assumption, ...]]:
    """Gather what a page shows. Where files could mean several things, the first that the message offers is taken, and
    those that were not are commands; where nothing is offered, the rows are shown without a score. Raises the first
    error where these files hold nothing that can be shown."""
    assumed: list[Assumption] = []
    now, first = request, None
    while True:
        try:
            return gathered(now), tuple(assumed)
        except NescioError as error:
            first = first or error
            then = next(_offered(now, error), None) if len(assumed) < MOST else None
            if then is None:
                return _of_rows(request, first), (Assumption(str(first), "nothing is scored", ()),)
            ways = tuple(
                dict.fromkeys(command_line("view", way.but(show=True)) for way in _offered(now, error) if way != then)
            )
            words = then.words(Reading)
            taken = " ".join(word for word in words if word not in now.words(Reading))
            assumed.append(Assumption(str(error), taken or "files beside it", ways))
            now = then


def _of_rows(request: Any, why: NescioError) -> ReportData:
    from nescio.reporting.page import gather

    try:
        loaded = unscored(items_of(request.source))
    except NescioError:
        raise why from None
    return gather(loaded, commands=commands_of(request))


def _offered(request: Any, error: NescioError) -> Iterator[Any]:
    """Yield the requests that a message offers: with the first value of each option first, then with each value in its
    place."""
    values: dict[tuple[str, str], list[str]] = {}
    for name, value in error.offers:
        for key, one in value.items() if isinstance(value, Mapping) else (("", value),):
            values.setdefault((name, key), []).append(one)
    firsts = {which: ones[0] for which, ones in values.items()}
    ways = [firsts, *({**firsts, which: one} for which, ones in values.items() for one in ones[1:])]
    ways += [{which: one} for which, one in firsts.items() if len(firsts) > 1]
    for way in ways:
        made = _with(request, way)
        if made is not None and made != request:
            yield made


def _with(request: Any, way: Mapping[tuple[str, str], str]) -> Any:
    """Return a request with options changed; None where it has no such option, or would not be one."""
    changes: dict[str, Any] = {}
    for (name, key), value in way.items():
        if name == BESIDE:
            changes["source"] = [*changes.get("source", items_of(request.source)), *_beside(request, value)]
        elif name not in request.options:
            return None
        elif key:
            changes[name] = {**(changes.get(name) or getattr(request, name) or {}), key: value}
        else:
            changes[name] = value
    try:
        return request.but(**changes)
    except NescioError:
        return None


def _beside(request: Any, pattern: str) -> list[str]:
    given = [Path(item) for item in items_of(request.source) if isinstance(item, (str, Path))]
    there = {path.resolve() for path in given}
    folders = dict.fromkeys(path.parent for path in given)
    return [str(one) for folder in folders for one in sorted(folder.glob(pattern)) if one.resolve() not in there]
