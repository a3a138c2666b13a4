"""Prepare the environment of every test."""

import gc
import math
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

# set before importing NumPy; two processes with one thread each serve the tests better on two cores
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"  # the table engine's threads
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"  # the engine asks for this, and it may not be the first to import Ray
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell, because tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.dont_write_bytecode:
    # If the environment writes no bytecode beside the sources, we write it beside pytest's cache. The tests start
    # nescio some hundred times, and each start would compile the package and half of its imports anew.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

import pytest
from hypothesis import Phase, settings

from tests.browser import chromium, tabs, visit  # noqa: F401  fixtures
from tests.rings import SHARE, many, sample

# Examples of the daily ring, and of the proofs: 2,000, or the requested share of them.
# Without the explain phase, which traces every line.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
settings.register_profile("nescio", deadline=None, derandomize=not SHARE, max_examples=many(10, 2_000), phases=PHASES)
settings.load_profile("nescio")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Exclude imports and the thousands of tests from garbage collection.

    Nothing of them is freed before the end.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a seeded share of the tests that run only in the proofs, because many of them do not grow with the share."""
    if not 0 < SHARE < 1:
        return
    alone = [item for item in items if item.get_closest_marker("proof")]
    kept = {id(item) for item in sample(alone, math.ceil(len(alone) / 20))}
    left = [item for item in alone if id(item) not in kept]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if id(item) in kept or not item.get_closest_marker("proof")]


def pytest_sessionfinish(session: pytest.Session) -> None:  # noqa: ARG001
    """Include the objects again, because libraries report at the end which were not released."""
    gc.unfreeze()
