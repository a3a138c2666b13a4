"""The options of `nescio judge --judge llm`, and the judge that they make."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nescio.cli import _app
from nescio.data.notes import Note, note
from nescio.errors import UsageError

if TYPE_CHECKING:
    from nescio.judging.llm.judge import LLM

_KEY = "OPENAI_API_KEY"
INCOMPLETE = 3  # the exit status where answers are left that another run would ask about
_OPTIONS = (
    click.option(
        "--base-url", metavar="URL", help="With --judge llm: an OpenAI-compatible endpoint, such as https://host/v1."
    ),
    click.option("--model", metavar="NAME", help="The model that grades."),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help=f"The environment variable that holds the key. [default: {_KEY}; without it no key is sent]",
    ),
    click.option("--concurrency", type=click.IntRange(1, 256), metavar="N", help="Calls at a time. [default: 4]"),
    click.option("--max-calls", type=click.IntRange(min=0), metavar="N", help="The most calls that this run may make."),
    click.option(
        "--max-cost", type=float, metavar="AMOUNT", help="The most money that this run may spend, at the prices given."
    ),
    click.option("--price-in", type=float, metavar="AMOUNT", help="The price of a million tokens sent."),
    click.option("--price-out", type=float, metavar="AMOUNT", help="The price of a million tokens received."),
    click.option(
        "--max-tokens", type=click.IntRange(min=1), metavar="N", help="The most tokens of one reply. [default: 1024]"
    ),
    click.option(
        "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="For one try. [default: 60]"
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        metavar="N",
        help="Further tries of a call that is refused for now (429, 5xx) or gets no answer. [default: 5]",
    ),
    click.option(
        "--cache",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Where grades are kept; what is there is not paid for again. [default: nescio-grades.sqlite]",
    ),
    click.option(
        "--retry-ungraded", is_flag=True, default=None, help="Ask again where the reply that is kept states no grade."
    ),
)
_NAMES = (
    *(
        "base_url",
        "model",
        "api_key_env",
        "concurrency",
        "max_calls",
        "max_cost",
        "price_in",
        "price_out",
        "max_tokens",
    ),
    *("timeout", "retries", "cache", "retry_ungraded"),
)


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the language model."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def taken(given: dict[str, Any]) -> dict[str, Any]:
    """What was said of the language model; removes it all from `given`."""
    found = {name: given.pop(name) for name in _NAMES}
    return {name: value for name, value in found.items() if value is not None}


def refuse(told: dict[str, Any]) -> None:
    """Raise UsageError where the language model is told something, and is not the judge."""
    if told:
        raise UsageError(f"--{next(iter(told)).replace('_', '-')} is for --judge llm")


def judge(told: dict[str, Any], progress: Callable[[int, int], None]) -> LLM:
    """The judge; raises UsageError where an option is missing or makes no sense."""
    from nescio.judging.llm.budget import Limits
    from nescio.judging.llm.client import Endpoint
    from nescio.judging.llm.judge import CACHE, LLM

    for name in ("base_url", "model"):
        if name not in told:
            raise UsageError(f"--judge llm needs --{name.replace('_', '-')}")
    cache = told.get("cache", CACHE)
    endpoint = Endpoint(told["base_url"], _key(told.get("api_key_env")), **_some(told, "timeout", "retries"))
    if endpoint.key and not endpoint.local and endpoint.url.startswith("http:"):
        _app.notes([note("llm.not_encrypted", "the API key goes over a connection that is not encrypted")])
    limits = Limits(told.get("max_calls"), told.get("max_cost"), told.get("price_in"), told.get("price_out"))
    return LLM(
        endpoint,
        told["model"],
        cache,
        limits,
        progress=progress,
        waiting=lambda: _app.say(
            f"waiting for the calls under way; grades are kept in {cache} (Ctrl-C again leaves at once)"
        ),
        **_some(told, "concurrency", "max_tokens", "retry_ungraded"),
    )


def _key(variable: str | None) -> str | None:
    found = os.environ.get(variable or _KEY)
    if variable and not found:
        raise UsageError(f"the environment variable {variable} holds no key")
    return found or None


def _some(told: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: told[name] for name in names if name in told}


def status(notes: Sequence[Note]) -> int:
    """Give the exit status: `INCOMPLETE` where calls have failed, else 0."""
    codes = {one.code for one in notes}
    if not any(code.startswith("llm.") for code in codes):
        return 0  # and nothing is imported that takes time
    from nescio.judging.llm.judge import CALLS_FAILED, GAVE_UP

    return INCOMPLETE if codes & {CALLS_FAILED, GAVE_UP} else 0
