"""The page of techniques: what it says of its tables follows from them."""

from __future__ import annotations

import re
from pathlib import Path

from nescio.systems.validator import REDUNDANCY, TECHNIQUES

PAGE = (Path(__file__).parents[2] / "docs" / "techniques.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| .*? \| (\S+) \[(\S+), (\S+)\] \| (\S+) \|", PAGE, re.MULTILINE)


def test_every_technique_that_was_there_has_a_row() -> None:
    absent = {"rivals", REDUNDANCY, "embeddings"}
    assert {name for name, *_ in ROWS} == {*TECHNIQUES} - absent


def test_those_said_to_add_something_are_those_whose_interval_is_above_0() -> None:
    adding = [name for name, _, low, _, _ in ROWS if float(low) > 0]
    assert (
        f"told from nothing: {', '.join(f'`{name}`' for name in adding)}. The other {len(ROWS) - len(adding)} add"
        in PAGE
    )


def test_after_holm_s_correction_none_is_left() -> None:
    assert min(float(p) for *_, p in ROWS) * len(ROWS) > 0.05


def test_the_aim_is_not_met_on_the_page() -> None:
    areas = re.findall(r"^\| (?:what|with|words|everything).*\| (\d\.\d+) \[[^|]*\] \|$", PAGE, re.MULTILINE)
    assert len(areas) == 7
    assert max(map(float, areas)) < 0.72
