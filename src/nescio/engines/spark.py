"""Shards on Spark: a partition for each, done again by Spark where its executor is lost."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext, suppress
from threading import Event, Thread
from time import monotonic
from typing import Any

from nescio.engines import Engine
from nescio.errors import UsageError, opt
from nescio.stats.parallel import interrupts_held

AGAIN = 5  # times a part is given to another worker
PATIENCE = 120.0  # seconds without any worker
QUIET = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "log.level": "OFF"}


def each_part(function: Callable[[Any], Any], parts: Sequence[Any], engine: Engine) -> Iterator[tuple[int, Any]]:
    """Yield the place of each part and what the function gives for it, in the order in which they are done."""
    with interrupts_held():  # Spark leaves its Java behind where it is interrupted while that starts
        context = _connected(engine)
    lost, alone = "was lost", Event()
    try:
        with _watched(context, alone) if _is_far(engine) else nullcontext():
            if engine.address:
                lost = "cannot be reached"  # a context is made at once, and looks for its cluster only then
                context.parallelize([0], 1).count()
                lost = "was lost"
            yield from _jobs(context, function, parts)
    except _errors() as error:
        reason = f"it has had no worker for {PATIENCE:.0f} seconds" if alone.is_set() else _reason(error)
        raise UsageError(f"{engine} {lost}: {reason}; run the command again to continue") from None
    finally:
        with suppress(*_errors()):
            context.stop()


def _jobs(context: Any, function: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Give Spark each part as a job, more of them at a time than it has cores: its own local iterator never has more
    than two under way."""
    numbered = context.parallelize(list(enumerate(parts)), max(1, len(parts))).mapValues(function)
    pool = ThreadPoolExecutor(2 * context.defaultParallelism)
    try:
        for done in as_completed([pool.submit(context.runJob, numbered, list, [i]) for i in range(len(parts))]):
            yield from done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _connected(engine: Engine) -> Any:
    with warnings.catch_warnings(), _quiet_java():  # warnings of pandas, which is not used here
        warnings.simplefilter("ignore")
        try:
            from pyspark import SparkConf, SparkContext
        except ImportError:
            raise UsageError(f"{opt('engine', 'spark')} needs Spark and Java 17: pip install 'nescio[spark]'") from None
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf = SparkConf().setAppName("nescio tally")
        conf.setMaster(engine.address or f"local[{max(1, engine.jobs)},{AGAIN}]")
        conf.setAll([(f"spark.{name}", value) for name, value in QUIET.items()])
        try:
            return SparkContext(conf=conf)
        except _errors() as error:
            raise UsageError(f"{engine} cannot be reached: {_reason(error)}") from None


def _is_far(engine: Engine) -> bool:
    return bool(engine.address) and not engine.address.startswith("local")


@contextmanager
def _watched(context: Any, alone: Event) -> Iterator[None]:
    """Cancel what runs, and set `alone`, where the cluster has had no worker for a while: Spark would wait for ever."""
    over = Event()

    def watch() -> None:
        seen = monotonic()
        while not over.wait(1):
            try:
                executors = context._jsc.sc().getExecutorMemoryStatus().size() - 1  # one is this process
                if executors > 0:
                    seen = monotonic()
                elif monotonic() - seen > PATIENCE:
                    alone.set()
                    context.cancelAllJobs()
            except _errors():  # the context has been stopped, which ends the work too
                return

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _quiet_java() -> Iterator[None]:
    """Let what Java says before its log level is known go nowhere: it starts here, and keeps the place."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return Py4JError, PySparkException, OSError


def _reason(error: Exception) -> str:
    """Return what is wrong in a line, from traces of Java and of Python."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line.rpartition("Exception: ")[2] for line in lines if "Exception: " in line]
    if not causes and not lines:
        return type(error).__name__
    return causes[-1] if causes else lines[-1 if lines[0].endswith(":") else 0]
