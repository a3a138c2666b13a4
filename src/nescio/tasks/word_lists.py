"""Lists of words, which are data: each module that uses some has them in a TOML file of its name."""

from __future__ import annotations

import tomllib
from pathlib import Path


def word_lists(module: str) -> dict[str, str]:
    """Return the lists of the module in this file, by name: words between white space, or groups between semicolons."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
