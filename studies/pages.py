"""The pages of studies: prose with figures put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def fill(study: str, parts: Mapping[str, str | Sequence[str]]) -> str:
    """Return the template of a study with a text, or lines, in place of each @name@."""
    text = (Path(__file__).parent / f"{study}.md.in").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part if isinstance(part, str) else "\n".join(part))
    return text
