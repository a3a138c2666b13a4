"""Tell the files of a campaign from those that desktops, editors and killed steps leave in its folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath

from nescio.sources.writing import DRAFT

# No other hidden file: a site would serve it.
_OF_DESKTOPS = re.compile(r"\.DS_Store|Thumbs\.db|desktop\.ini|\.directory", re.IGNORECASE)
_OF_EDITORS = re.compile(r"key/(\..*\.sw[a-p]|\.~lock\..*#|~\$.*|.*~|\.?#.*)")  # beside a key, which nothing serves


def is_own(path: PurePath) -> bool:
    """Return whether a file belongs to a campaign: no desktop or editor writes it, and it is no draft."""
    name = path.name
    return not (
        _OF_DESKTOPS.fullmatch(name) or DRAFT.fullmatch(name) or _OF_EDITORS.fullmatch(f"{path.parent.name}/{name}")
    )


def own_files(folder: Path) -> list[Path]:
    """Return the files of a campaign in a folder and its subfolders, sorted."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and is_own(path)]


def of_own(digests: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of a campaign's files alone; earlier versions of nescio also stated those of other files."""
    return {name: value for name, value in digests.items() if is_own(PurePosixPath(name))}
