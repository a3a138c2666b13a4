"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nescio.errors import UsageError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to beside `path`; it takes the place of `path` when the block ends well, and vanishes otherwise."""
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.absolute().parent} to write it into")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file to write")
    try:
        descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.", suffix=path.suffix)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with whole(path) as draft:
        draft.write_text(text, encoding="utf-8")
