"""Where shards are counted: in this process, in several of this machine, on Ray, on Spark.

An engine maps a function over parts and gives back what it returns, in whatever order the parts are done. A part whose
worker is lost is done again by another; nothing else is asked of an engine, as adding up counts gives the same in any
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TypeVar

from msgspec import Struct

from nescio.errors import NescioError, UsageError, opt
from nescio.stats import parallel

T = TypeVar("T")
U = TypeVar("U")

SCHEMES = {"ray": ("ray",), "spark": ("spark", "local", "yarn", "k8s")}


class Engine(Struct, frozen=True):
    """An engine by its name, the address of its cluster ("" for one on this machine), and how many jobs it runs
    here."""

    name: str = ""
    address: str = ""
    jobs: int = 1

    def __str__(self) -> str:
        return self.address or f"{self.name.capitalize()} on this machine"


def engine_named(text: str | None, jobs: int = 1) -> Engine:
    """Read what --engine says: ray, ray://HOST:PORT, spark, spark://HOST:PORT; raises UsageError for another."""
    if not text:
        return Engine(jobs=jobs)
    scheme = text.partition("://")[0].partition("[")[0]
    for name, schemes in SCHEMES.items():
        if text == name:
            return Engine(name, "", jobs)
        if scheme in schemes:
            return Engine(name, text, jobs)
    raise UsageError(
        f"{opt('engine')} takes ray, spark, or the address of such a cluster: ray://HOST:PORT (found {text!r})"
    )


def each_part(function: Callable[[T], U], parts: Sequence[T], engine: Engine) -> Iterator[tuple[int, U]]:
    """Yield the place of each part and what the function gives for it, in the order in which they are done.

    Raises UsageError where the engine is not installed, cannot be reached or is lost; errors of the function as they
    are.
    """
    if not engine.name:
        yield from enumerate(parallel.each(function, parts, engine.jobs))
        return
    of_engine = import_module(f"nescio.engines.{engine.name}").each_part
    for place, answer in of_engine(Answer(function), parts, engine):
        if isinstance(answer, NescioError):
            raise answer
        yield place, answer


class Answer(Struct, frozen=True):
    """A function whose errors are answers too, where they are nescio's: doing a part again would give the same."""

    function: Callable[..., object]

    def __call__(self, part: object) -> object:
        try:
            return self.function(part)
        except NescioError as error:
            return error
