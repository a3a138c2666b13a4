"""Every reader is fuzzed: a new one without a test marked `fuzz("its name")` fails here."""

from __future__ import annotations

import re
from pathlib import Path

from nescio.formats import REGISTRY
from tests.rings import together

MARKED = re.compile(r"pytest\.mark\.fuzz\(([^)]*)\)")


@together("name", REGISTRY)
def test_every_reader_is_fuzzed(name: str) -> None:
    marks = [mark for path in Path(__file__).parent.glob("test_*.py") for mark in MARKED.findall(path.read_text())]
    assert any(f'"{name}"' in mark for mark in marks)
