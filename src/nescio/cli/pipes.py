"""Keep the exit status of a command whose output nobody reads to the end (head, grep -q)."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Lasting(io.FileIO):
    """An output stream that discards further output once its reader has closed the pipe."""

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
    """Standard error: a full disk loses messages there, but does not change the exit status."""

    forgiven = OSError


def outlast_readers() -> None:
    """Make standard output and standard error of this process survive a closed pipe.

    A gate that fails would else end with the status of the broken pipe: `nescio compare … 2>&1 | grep -q MERGE`.
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
