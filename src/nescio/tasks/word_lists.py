"""Load lists of words, which are data: each module's lists are in a TOML file of the same name."""

from __future__ import annotations

import tomllib
from pathlib import Path


def word_lists(module: str) -> dict[str, str]:
    """Return the lists of words in the file that belongs to a module, keyed by name; `module` is the path of the
    module.

    Words are separated by white space, and groups of words by semicolons.
    """
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
