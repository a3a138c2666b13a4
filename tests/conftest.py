"""What every test needs before it starts."""

import gc
import math
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported; two cores serve the tests better as two processes
os.environ["OMP_NUM_THREADS"] = "1"  # the table engine's threads
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"  # as the engine asks, which may not be the first to import Ray
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.dont_write_bytecode:
    # Where the environment wants no bytecode beside the sources, it is kept beside what pytest keeps: the tests start
    # nescio some hundred times, and each start would compile the package and half of what it imports anew.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

import pytest
from hypothesis import Phase, settings

from tests.browser import chromium, tabs, visit  # noqa: F401  fixtures
from tests.rings import SHARE, many, sample

# Examples of the daily ring, and of the proofs: 2,000, or the share of them that is asked for.
# Without the phase that explains, which traces every line.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
settings.register_profile("nescio", deadline=None, derandomize=not SHARE, max_examples=many(10, 2_000), phases=PHASES)
settings.load_profile("nescio")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Let the garbage collector pass over what is imported and the thousands of tests: nothing of it goes away before
    the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a share of the proofs, keep a seeded twentieth of the tests that run there alone: many do not grow."""
    if not 0 < SHARE < 1:
        return
    alone = [item for item in items if item.get_closest_marker("proof")]
    kept = {id(item) for item in sample(alone, math.ceil(len(alone) / 20))}
    left = [item for item in alone if id(item) not in kept]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if id(item) in kept or not item.get_closest_marker("proof")]


def pytest_sessionfinish(session: pytest.Session) -> None:  # noqa: ARG001
    """Let it see them again: libraries tell at the end what nobody gave back."""
    gc.unfreeze()
