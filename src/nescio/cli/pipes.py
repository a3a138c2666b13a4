"""Keep the exit status of a command whose output nobody reads to the end (head, grep -q)."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Lasting(io.FileIO):
    """An output stream that drops everything written after its reader has closed the pipe."""

    forgiven: type[OSError] = BrokenPipeError

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # Python writes what is left once more when it ends
            os.close(nowhere)
            if not isinstance(error, self.forgiven):
                raise
            return memoryview(data).nbytes


class _Told(_Lasting):
    """Standard error that never fails. Messages are lost if a disk is full, but the exit status stays the same."""

    forgiven = OSError


def outlast_readers() -> None:
    """Make standard output and standard error ignore that a reader has closed the pipe.

    In `nescio compare … 2>&1 | grep -q MERGE`, grep stops reading early. Otherwise a failing gate would end with the
    status of the broken pipe instead of its own.
    """
    for name, kind in (("stdout", _Lasting), ("stderr", _Told)):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
            continue
        stream.flush()
        raw = kind(stream.fileno(), "w", closefd=False)
        unbuffered = not isinstance(stream.buffer, io.BufferedWriter)  # as with python -u
        lasting = io.TextIOWrapper(
            raw if unbuffered else io.BufferedWriter(raw),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        setattr(sys, name, lasting)
