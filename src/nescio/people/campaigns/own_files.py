"""Tell the files of a campaign from those that desktops and killed steps leave in its folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from nescio.sources.writing import DRAFT

# No other hidden file: a site would serve it.
_OF_DESKTOPS = re.compile(r"\.DS_Store|Thumbs\.db|desktop\.ini|\.directory", re.IGNORECASE)


def is_own(name: str) -> bool:
    """Return whether a file of this name belongs to a campaign: no desktop writes it, and it is no draft."""
    return not (_OF_DESKTOPS.fullmatch(name) or DRAFT.fullmatch(name))


def own_files(folder: Path) -> list[Path]:
    """Return the files of a campaign in a folder and its subfolders, sorted."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and is_own(path.name)]


def of_own(digests: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of a campaign's files alone; earlier versions of nescio also stated those of other files."""
    return {name: value for name, value in digests.items() if is_own(PurePosixPath(name).name)}
