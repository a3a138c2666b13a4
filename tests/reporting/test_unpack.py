"""Blocks of a page are unpacked as zlib packed them, however it did, and in browsers that unpack nothing themselves."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.reporting import page as package
from nescio.reporting.page.browser import floats
from tests.reporting.conftest import make

SCRIPT = Path(package.__file__).with_name("unpack.js")
RNG = np.random.default_rng(47)
BLOCKS = {
    "nothing": b"",
    "one": b"x",
    "same": bytes(70_000),
    "noise": RNG.bytes(140_000),  # more than a block of stored bytes holds
    "words": b" ".join(b"question %d of %d" % (i, i * i % 977) for i in range(5_000)),
    "few": RNG.choice([0, 1, 2, 17], 66_000, p=[0.9, 0.06, 0.03, 0.01]).astype(np.uint8).tobytes(),
    "numbers": (RNG.integers(0, 1000, 9_000) / 1000).astype("<f4").tobytes(),
}


@pytest.mark.parametrize("strategy", ["Z_DEFAULT_STRATEGY", "Z_FIXED", "Z_HUFFMAN_ONLY", "Z_RLE", "Z_FILTERED"])
@pytest.mark.parametrize("level", [0, 1, 9])
def test_what_was_packed_comes_back(script: Any, level: int, strategy: str) -> None:
    for name, block in BLOCKS.items():
        packing = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 8, getattr(zlib, strategy))
        packed = base64.b64encode(packing.compress(block) + packing.flush()).decode()
        size, total = script.evaluate(
            "text => { const found = unpack.bytes(text); let total = 0;"
            " for (const byte of found) total = (31 * total + byte) % 1000003; return [found.length, total]; }",
            packed,
        )
        assert (size, total) == (len(block), rolled(block)), name


def rolled(block: bytes) -> int:
    total = 0
    for byte in block:
        total = (31 * total + byte) % 1_000_003
    return total


def test_numbers_come_back_question_by_question(script: Any) -> None:
    values = np.array([[0.1, 0.25, np.nan], [1.0, 1e-7, -3.5]], dtype=np.float32)  # two runs, three questions
    text = "text => [...unpack.floats(text, 2)].map(String)"
    assert script.evaluate(text, floats(values)) == [
        "0.10000000149011612",
        "1",
        "0.25",
        "1.0000000116860974e-7",
        "NaN",
        "-3.5",
    ]


def test_words_are_read_where_the_browser_unpacks_nothing(tmp_path: Path, chromium: Any) -> None:
    table = tmp_path / "table.csv"
    rows = [f"a,q{i},{'correct' if i % 3 else 'incorrect'},What is {i}?,It is {i * i}" for i in range(40)]
    table.write_text("run,question,outcome,question_text,prediction\n" + "\n".join(rows) + "\n")
    made = make(tmp_path / "page.html", table)
    page = chromium.new_page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(made.as_uri())
    assert page.evaluate("globalThis.DecompressionStream") is None
    page.locator("#grid .row .name", has_text="q13").first.click()
    page.wait_for_selector("#detail:not([hidden])")
    words = page.inner_text("#detail")
    page.close()
    assert "What is 13?" in words
    assert "It is 169" in words
