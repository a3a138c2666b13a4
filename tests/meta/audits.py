"""The whole audit, made once for all tests that look at it."""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from pathlib import Path

from nescio.data.results import Audit, Finding
from nescio.meta.audit import audit, registered

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


@lru_cache
def everything() -> Audit:
    """What docs/audit.md shows: every registered measure, and the forms that its command names."""
    return audit(registered(forms()))


def forms() -> list[str]:
    arguments = shlex.split(command_on_the_page())
    return [arguments[i + 1] for i, argument in enumerate(arguments) if argument == "-m"]


def command_on_the_page() -> str:
    found = re.search(r"^    (nescio audit .*) -o audit\.md$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"{PAGE} does not say which command made it")
    return found.group(1)


def finding(results: Audit, measure: str, test: str) -> Finding:
    """The one row of a measure and a test."""
    (row,) = [row for row in results if (row.measure, row.test) == (measure, test)]
    return row
