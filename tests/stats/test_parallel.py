"""Work in blocks: in this process unless more are asked for and there is enough of it, and in the order of the work."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence

import pytest

from nescio.errors import WorkerLostError
from nescio.stats import parallel


def who(item: int) -> tuple[int, int]:
    """The item and the process that has it."""
    return item, os.getpid()


def who_has_all(items: Sequence[int]) -> tuple[list[int], int]:
    """The items and the process that has them."""
    return list(items), os.getpid()


@pytest.mark.parametrize(("work", "jobs"), [([5, 6, 7], 1), ([5], 2), ([], 2)])
def test_one_job_or_one_piece_of_work_stays_here(work: list[int], jobs: int) -> None:
    assert list(parallel.each(who, work, jobs)) == [(item, os.getpid()) for item in work]


@pytest.mark.slow
def test_two_jobs_work_elsewhere_and_keep_the_order() -> None:
    done = list(parallel.each(who, [5, 6], 2))
    assert [item for item, _ in done] == [5, 6]
    assert os.getpid() not in [process for _, process in done]
    work = list(range(20))
    parts = parallel.in_chunks(who_has_all, work, 2, parallel.CHEAP + 1)
    assert [items for items, _ in parts] == [work[:8], work[8:16], work[16:]]
    assert os.getpid() not in [process for _, process in parts]


def test_few_cells_are_computed_at_once_and_here() -> None:
    work = list(range(20))
    assert parallel.in_chunks(who_has_all, work, 2, parallel.CHEAP) == [(work, os.getpid())]
    assert parallel.in_chunks(who_has_all, work, 1, parallel.CHEAP + 1) == [(work, os.getpid())]
    assert list(parallel.each(who, [5, 6, 7])) == [(item, os.getpid()) for item in (5, 6, 7)]


@pytest.mark.slow
def test_a_killed_worker_is_one_error() -> None:
    with pytest.raises(WorkerLostError, match="a worker process was killed"):
        list(parallel.each(die, [1, 2], 2))


def die(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are those of POSIX")
def test_workers_do_not_hear_ctrl_c_which_a_terminal_sends_to_all() -> None:
    assert all(signal.SIGINT in blocked for blocked in parallel.each(blocked_signals, [1, 2], 2))
    assert signal.SIGINT not in blocked_signals(0)


def blocked_signals(_: object) -> set[signal.Signals | int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, []))


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_that_is_ignored_stays_so(heard: None) -> None:  # noqa: ARG001
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with parallel.interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are those of POSIX")
def test_ctrl_c_that_is_held_is_heard_at_the_end(heard: None) -> None:  # noqa: ARG001
    done = []

    def work() -> None:
        with parallel.interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("all")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all"]
    with parallel.interrupts_held():
        done.append("again")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
