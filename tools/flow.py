"""Count the files of nescio that a command enters, and the jumps between them: python tools/flow.py score FILE -m c@1

A command enters a file when it calls one of the file's functions. A jump is a call from a function of one file to a
function of another. The code that modules run on import does not count.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = Path(__file__).parent.parent / "src" / "nescio"


def main(arguments: list[str]) -> None:
    """Print the counts of a command, and its files sorted by the number of calls from others."""
    entered, jumps = flow(arguments)
    print(f"{len(entered)} files entered, {jumps.total()} jumps between files")
    into: Counter[str] = Counter()
    for (_, callee), count in jumps.items():
        into[callee] += count
    for name in sorted(entered, key=lambda name: (-into[name], name)):
        print(f"{into[name]:6}  {name}")


def flow(arguments: list[str]) -> tuple[set[str], Counter[tuple[str, str]]]:
    """Return the files that a command enters, and the number of jumps between each two files."""
    from nescio.cli.app import run as command

    entered: set[str] = set()
    jumps: Counter[tuple[str, str]] = Counter()
    names: dict[str, str | None] = {}

    def name_of(frame: FrameType | None) -> str | None:
        """Return the file of a frame within the package, or None outside it and during the import of a module."""
        if frame is None or frame.f_code.co_name == "<module>":
            return None
        path = frame.f_code.co_filename
        if path not in names:
            inside = path.startswith(str(PACKAGE))
            names[path] = str(Path(path).relative_to(PACKAGE)) if inside else None
        return names[path]

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or importing(frame):
            return
        callee = name_of(frame)
        if callee is None:
            return
        entered.add(callee)
        caller = name_of(frame.f_back)
        if caller is not None and caller != callee:
            jumps[caller, callee] += 1

    sys.setprofile(see)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command(arguments)
    finally:
        sys.setprofile(None)
    return entered, jumps


def importing(frame: FrameType | None) -> bool:
    """Return whether a frame runs while a module of the package is imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    main(sys.argv[1:])
