"""Shards on Ray: a task for each, done again by Ray where its worker is lost."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nescio.engines import Engine
from nescio.errors import UsageError, opt

AGAIN = 5  # times a part is given to another worker, or a server that Ray lost at its start is asked for anew
TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")  # what Ray looks for, and then in a file
TOKEN_FILE = Path("~/.ray/auth_token")
NO_UV = "RAY_ENABLE_UV_RUN_RUNTIME_ENV"  # by which Ray sends the folder that one works in to each worker, to install it


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
        raise UsageError(f"{engine} was lost: {_reason(error)}; run the command again to continue") from None
    finally:
        ray.shutdown()


def _call(function: Callable[[Any], Any], part: Any) -> Any:
    return function(part)


def _connected(engine: Engine) -> Any:
    os.environ.setdefault(NO_UV, "0")  # workers have their own nescio, also where `uv run` has started this process
    try:
        import ray
    except ImportError:
        raise UsageError(f"{opt('engine', 'ray')} needs Ray: pip install 'nescio[ray]'") from None
    logging.getLogger("ray").setLevel(logging.ERROR)  # of a client, whose connection comes and goes
    # "local": a cluster of our own, though another may have been started on this machine
    where: dict[str, Any] = {"address": "local", "num_cpus": max(1, engine.jobs), "include_dashboard": False}
    if engine.address:
        where = {"address": engine.address}
    for left in reversed(range(AGAIN)):
        try:
            with warnings.catch_warnings():  # of what the error below says
                warnings.simplefilter("ignore")
                ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
            break
        except Exception as error:  # where its own processes do not start in time, Ray raises no kind of its own
            ray.shutdown()  # what a client has begun would be in the way of the next
            # Aborted by a cluster that was reached: now and then Ray's own fork stops what it starts for a client, and
            # says so in several ways (ray#63202).
            if not left or not isinstance(error, ConnectionAbortedError):
                raise UsageError(f"{engine} cannot be reached: {_reason(error)}{_token(engine)}") from None
    return ray


def _token(engine: Engine) -> str:
    """Say how a cluster is shown its token, where none is at hand: it gives no other sign than silence."""
    if not engine.address or any(os.environ.get(name) for name in TOKENS) or TOKEN_FILE.expanduser().is_file():
        return ""
    return (
        "; a cluster that `ray start` of Ray 2.60 or later has started asks for a token: set RAY_AUTH_MODE=token, and "
        f"{' or '.join(TOKENS)} to what `ray get-auth-token` prints there"
    )


def _reason(error: Exception) -> str:
    """Return what is wrong in a line: the first that Ray prints, or the last where the first announces a trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[-1 if lines[0].endswith(":") else 0]
