"""Shards on Ray: a task for each, done again by Ray where its worker is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nescio.engines import Engine
from nescio.errors import UsageError

AGAIN = 5  # times a part is given to another worker


def each_part(function: Callable[[Any], Any], parts: Sequence[Any], engine: Engine) -> Iterator[tuple[int, Any]]:
    """Yield the place of each part and what the function gives for it, in the order in which they are done."""
    ray = _connected(engine)
    try:
        task = ray.remote(max_retries=AGAIN)(_call)
        waiting = {task.remote(function, part): i for i, part in enumerate(parts)}
        while waiting:
            (done, *_), _ = ray.wait(list(waiting), num_returns=1)
            yield waiting.pop(done), ray.get(done)
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise UsageError(f"{engine} was lost: {_reason(error)}; run the command again to go on") from None
    finally:
        ray.shutdown()


def _call(function: Callable[[Any], Any], part: Any) -> Any:
    return function(part)


def _connected(engine: Engine) -> Any:
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray needs Ray: pip install 'nescio[ray]'") from None
    where: dict[str, Any] = {"num_cpus": max(1, engine.jobs), "include_dashboard": False}
    if engine.address:
        where = {"address": engine.address}
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # where its own processes do not start in time, Ray raises no kind of its own
        raise UsageError(f"{engine} cannot be reached: {_reason(error)}") from None
    return ray


def _reason(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
