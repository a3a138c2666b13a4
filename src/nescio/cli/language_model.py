"""The options of `nescio judge --judge llm`: a language model, its limits and its cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nescio.cli import options
from nescio.cli.help import grouped
from nescio.cli.output import say
from nescio.judging.llm.connecting import KEY, ModelOptions

model_options = options.together(
    click.option(
        "--base-url", metavar="URL", help="With --judge llm: an OpenAI-compatible endpoint, such as https://host/v1."
    ),
    click.option("--model", metavar="NAME", help="The model that grades."),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help=f"The environment variable that holds the key. [default: {KEY}; without it no key is sent]",
    ),
    click.option(
        "--concurrency", type=click.IntRange(1, 256), metavar="N", help="The number of calls at a time. [default: 4]"
    ),
    click.option("--max-calls", type=click.IntRange(min=0), metavar="N", help="The maximum number of calls."),
    click.option("--max-cost", type=float, metavar="AMOUNT", help="The maximum cost, at the given prices."),
    click.option("--price-in", type=float, metavar="AMOUNT", help="The price of a million tokens sent."),
    click.option("--price-out", type=float, metavar="AMOUNT", help="The price of a million tokens received."),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="The maximum number of tokens in one reply. [default: 1024]",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="The time limit of one attempt. [default: 60]",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        metavar="N",
        help="The number of retries of a call that fails temporarily (429, 5xx) or gets no answer. [default: 5]",
    ),
    click.option(
        "--cache",
        type=options.PATH,
        metavar="FILE",
        help="The file that stores grades, so that no grade is paid for twice. [default: nescio-grades.sqlite]",
    ),
    click.option(
        "--retry-ungraded", is_flag=True, default=None, help="Ask again if the stored reply contains no grade."
    ),
)

grouped("Language model", model_options)


def model(arguments: dict[str, Any]) -> ModelOptions:
    """Take what was said of the language model out of what the command was given."""
    return ModelOptions(**{name: arguments.pop(name) for name in ModelOptions.__struct_fields__})


def say_waiting(cache: Path) -> None:
    """Say why a run that is stopped does not end at once."""
    say(f"waiting for the current calls; grades are stored in {cache} (press Ctrl-C again to stop at once)")
