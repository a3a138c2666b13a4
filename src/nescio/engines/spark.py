"""Shards on Spark: a partition for each, done again by Spark where its executor is lost."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from nescio.engines import Engine
from nescio.errors import UsageError

AGAIN = 5  # times a part is given to another worker
QUIET = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "log.level": "OFF"}


def each_part(function: Callable[[Any], Any], parts: Sequence[Any], engine: Engine) -> Iterator[tuple[int, Any]]:
    """Yield the place of each part and what the function gives for it, in their order."""
    context = _connected(engine)
    lost = "was lost"
    try:
        if engine.address:
            lost = "cannot be reached"  # a context is made at once, and looks for its cluster only then
            context.parallelize([0], 1).count()
            lost = "was lost"
        numbered = context.parallelize(list(enumerate(parts)), max(1, len(parts)))
        yield from numbered.mapValues(function).toLocalIterator(prefetchPartitions=True)
    except _errors() as error:
        raise UsageError(f"{engine} {lost}: {_reason(error)}; run the command again to go on") from None
    finally:
        with suppress(*_errors()):
            context.stop()


def _connected(engine: Engine) -> Any:
    try:
        with warnings.catch_warnings():  # of pandas, which is not used here
            warnings.simplefilter("ignore")
            from pyspark import SparkConf, SparkContext
    except ImportError:
        raise UsageError("--engine spark needs Spark and Java 17: pip install 'nescio[spark]'") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setAppName("nescio tally").setMaster(engine.address or f"local[{max(1, engine.jobs)},{AGAIN}]")
    conf.setAll([(f"spark.{name}", value) for name, value in QUIET.items()])
    try:
        return SparkContext(conf=conf)
    except _errors() as error:
        raise UsageError(f"{engine} cannot be reached: {_reason(error)}") from None


def _errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return Py4JError, PySparkException, OSError


def _reason(error: Exception) -> str:
    """Return what is wrong in a line, from traces of Java and of Python."""
    causes = [line.strip() for line in str(error).splitlines() if "Exception: " in line]
    return causes[-1].rpartition("Exception: ")[2] if causes else type(error).__name__
