"""Map a function over blocks of work, in this process or, with several jobs, through joblib."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from nescio.errors import WorkerLostError
from nescio.options.edge import Progress
from nescio.plugins import Loaded

T = TypeVar("T")
U = TypeVar("U")
_TIMES_TOLD = 1000


def followed(items: Collection[T], progress: Progress | None) -> Iterator[T]:
    """Yield the items, and report to `progress` how many are done. A long collection does not report every item."""
    if progress is None:
        yield from items
        return
    every = max(1, len(items) // _TIMES_TOLD)
    for done, item in enumerate(items, 1):
        yield item
        if done % every == 0 or done == len(items):
            progress(done, len(items))


def split_progress(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Return two progress functions, one for each half of some work, which report shares of the whole work."""
    if progress is None:
        return None, None
    return lambda done, total: progress(done, 2 * total), lambda done, total: progress(total + done, 2 * total)


BLOCKS_A_TASK = 8
CHEAP = 1 << 22  # For fewer resampled cells, a second process is not worth its start.


def in_chunks(
    function: Callable[[Sequence[T]], U],
    blocks: Sequence[T],
    jobs: int,
    cells: int,
    done: Callable[[int], None] | None = None,
) -> list[U]:
    """Return the results of `function` on a few blocks at a time, in order.

    If there are few `cells` to compute, this process calls the function once with all blocks. Otherwise it may use
    `jobs` processes, and calls `done` with the number of finished blocks.
    """
    if cells <= CHEAP or (jobs == 1 and done is None):
        return [function(blocks)]
    chunks = [blocks[i : i + BLOCKS_A_TASK] for i in range(0, len(blocks), BLOCKS_A_TASK)]
    parts = []
    for part in each(function, chunks, jobs):
        parts.append(part)
        if done:
            done(min(len(parts) * BLOCKS_A_TASK, len(blocks)))
    return parts


def each(function: Callable[[T], U], work: Sequence[T], jobs: int = 1) -> Iterator[U]:
    """Yield `function(item)` for every item, in the order of the items.

    With `jobs` above 1, joblib's current backend does the work (processes by default; a Dask client's where the caller
    has opened `joblib.parallel_config("dask")`). Raises WorkerLostError if one of these processes is killed.
    """
    if jobs == 1 or len(work) < 2:
        yield from map(function, work)
        return
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing.resource_tracker import ensure_running

    import joblib

    if os.name == "posix":
        ensure_running()  # The start of the resource tracker would unblock Ctrl-C for the workers started after it.
    parallel = joblib.Parallel(n_jobs=min(jobs, len(work)), return_as="generator")
    try:
        with interrupts_held():
            results = parallel(joblib.delayed(_beside)(Loaded(), function, item) for item in work)
        yield from results
    except BrokenProcessPool:
        raise WorkerLostError("a worker process was killed, perhaps for lack of memory: try fewer jobs") from None


def _beside(_: Loaded, function: Callable[[T], U], item: T) -> U:
    """Return `function(item)` in a process that has loaded the plug-ins, which may define the function.

    Unpickling the first argument loads the plug-ins before the function is unpickled.
    """
    return function(item)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Shield processes started in the block from Ctrl-C, which a terminal sends to all processes.

    This process stops them itself. It receives Ctrl-C and SIGTERM when the block ends.
    """
    import signal
    import threading

    other_thread = threading.current_thread() is not threading.main_thread()
    if other_thread or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    pressed: list[signal.Signals] = []
    # A signal may reach any thread, so the handlers are for the whole process. New processes inherit this thread's
    # mask.
    heard = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: handler for number in heard if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, _: pressed.append(signal.Signals(number)))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pressed:
            handlers[pressed[0]](pressed[0], None)
