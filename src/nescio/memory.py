"""Limit the memory of a command (`--memory-limit`), and the share of this memory for each step."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from nescio.errors import UsageError, opt

LEAST = 512_000_000  # bytes: Python, NumPy and the table engine take about 200 MB before any data
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}
_SIZE = re.compile(rf"([0-9]+(?:\.[0-9]+)?) ?({'|'.join(_UNITS)})", re.IGNORECASE)
_LIMIT: ContextVar[int | None] = ContextVar("memory_limit", default=None)
WHAT_TO_DO = "count the answers in your database (nescio sql), or compute fewer measures at a time"


def size_of(text: str) -> int:
    """Return the number of bytes of a text such as 2GB or 512MiB. Raises UsageError for any other text, or too few
    bytes.

    Example:
        >>> size_of("1.5GB")
        1500000000
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{opt('memory_limit')} is a size such as 2GB or 512MiB (found {text!r})")
    size = int(float(match[1]) * _UNITS[match[2].upper()])
    if size < LEAST:
        raise UsageError(f"{opt('memory_limit', text)} is too little: nescio needs {LEAST // 10**6}MB for itself")
    return size


def limit() -> int | None:
    """Return the memory limit in bytes, or None if there is no limit."""
    return _LIMIT.get()


def of_machine() -> int | None:
    """Return the bytes of memory of this machine or its control group; None if the system reports neither."""
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            sizes.append(int(Path(place).read_text()))
    return min(sizes, default=None)


def at_most(size: int, part: int) -> int:
    """Return `size` bytes, but at most the memory limit divided by `part`."""
    known = _LIMIT.get()
    return size if known is None else min(size, known // part)


@contextmanager
def memory_limit(text: str | None = None) -> Iterator[None]:
    """Apply a memory limit to the block (None: keep the present one). Raises UsageError if the memory runs out."""
    token = _LIMIT.set(_LIMIT.get() if text is None else size_of(text))
    try:
        yield
    except Exception as error:
        # raised by the table engine
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
            raise UsageError(too_little()) from None
        raise
    finally:
        _LIMIT.reset(token)


def too_little() -> str:
    """Return the message that there is not enough memory, with the remedy."""
    known, what_to_do = _LIMIT.get(), WHAT_TO_DO
    if known is None:
        return f"not enough memory; {what_to_do}"
    shown = f"{known / 10**9:g}GB" if known >= 10**9 else f"{known / 10**6:g}MB"
    return (
        f"not enough memory: {shown} ({opt('memory_limit')}) is too little for this data; raise the limit, {what_to_do}"
    )


def limit_process(text: str) -> Callable[[], None]:
    """Apply a memory limit to this process, if the system can (Linux). Return a function that lifts the limit."""
    size = size_of(text)
    token = _LIMIT.set(size)
    try:
        import resource

        before = resource.getrlimit(resource.RLIMIT_DATA)
        hard = before[1]
        resource.setrlimit(resource.RLIMIT_DATA, (size if hard < 0 else min(size, hard), hard))
    except (ImportError, ValueError, OSError):
        return lambda: _LIMIT.reset(token)

    def lift() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        _LIMIT.reset(token)

    return lift
