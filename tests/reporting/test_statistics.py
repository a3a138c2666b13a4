"""What the scripts of pages compute is what Python computes, and what Python packed is unpacked, however it did."""

from __future__ import annotations

import base64
import math
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.reporting import page as package
from nescio.reporting.page.browser import floats
from tests.reporting.files import WORDS, written
from tests.rings import sample

pytestmark = pytest.mark.slow
SCRIPTS = [Path(package.__file__).with_name(name) for name in ("statistics.js", "unpack.js")]
MEASURES = ("c@1", "accuracy")
Z = 1.959963984540054  # of 95%
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


def generated(seed: int, path: Path) -> list[tuple[int, int, int]]:
    """Write a table of two runs that agree now and then, with outcomes that may be rare or missing, and the same with
    clusters of unequal sizes; return the outcomes of both, and the cluster, by question."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 7, 30, 211, 1500]))
    first, second = (rng.choice(3, n, p=share) for share in rng.dirichlet([0.4, 0.4, 0.4], 2))
    second = np.where(rng.random(n) < rng.random(), first, second)
    clusters = rng.integers(0, max(2, n // 4), n)
    words = tuple(WORDS.values())
    rows = [f"{run},q{i},{words[own[i]]}" for run, own in (("a", first), ("b", second)) for i in range(n)]
    written(path, "run,question,outcome", rows)
    grouped = [f"{row},{clusters[i % n]}" for i, row in enumerate(rows)]
    written(path.with_name("clusters.csv"), "run,question,outcome,cluster", grouped)
    return list(zip(first.tolist(), second.tolist(), clusters.tolist(), strict=True))


def assert_same(shown: Any, *expected: float | None) -> None:
    """A value, or both ends of an interval; what Python leaves undefined is null."""
    for value, wanted in zip(shown if isinstance(shown, list) else [shown] * len(expected), expected, strict=True):
        assert wanted is not None
        assert (value is None) == math.isnan(wanted)
        assert value is None or abs(value - wanted) <= 1e-12


def assert_compared(script: Any, pairs: list[int], source: Any) -> None:
    made = script.evaluate("(pairs) => statistics.paired(pairs, 0.95)", pairs)
    for pair in nescio.compare(source, MEASURES, baseline="b"):
        shown = made[pair.measure]
        assert_same(shown["difference"], pair.difference)
        assert pair.test == "exact"
        assert shown["p"] == pytest.approx(pair.p, rel=1e-10, abs=0)
        assert_same(shown["interval"], pair.low, pair.high)
        assert shown["interval"] is None or -1 <= shown["interval"][0] < shown["interval"][1] <= 1


@pytest.mark.sampled
@pytest.mark.parametrize("seed", sample(range(50), 10))
def test_scores_and_comparisons_are_those_of_the_commands(seed: int, tmp_path: Path, script: Any) -> None:
    cells = generated(seed, tmp_path / "table.csv")
    scores = nescio.score(tmp_path / "table.csv", [*MEASURES, "coverage"])
    clustered = nescio.score(tmp_path / "clusters.csv", [*MEASURES, "coverage"])
    for place, run in enumerate("ab"):
        counts = [sum(cell[place] == state for cell in cells) for state in range(3)]
        made = script.evaluate("(counts) => statistics.posterior(...counts, 0.95)", counts)
        for name in MEASURES:
            row = scores[run, name]
            value = "([name, [c, w, u]]) => statistics.measures[name](c, u, c + w + u)"
            assert_same(script.evaluate(value, [name, counts]), row.value)
            assert_same(made[name], row.low, row.high)
        wilson = "([hits, n, z]) => statistics.wilson(hits, n, z)"
        row = scores[run, "coverage"]
        assert_same(script.evaluate(wilson, [counts[0] + counts[1], len(cells), Z]), row.low, row.high)
        grouped: dict[int, list[int]] = {}
        for cell in cells:
            grouped.setdefault(cell[2], [0, 0, 0])[cell[place]] += 1
        by_cluster = [grouped[name] for name in sorted(grouped)]
        made = script.evaluate("(clusters) => statistics.clustered(clusters, 0.95)", by_cluster)
        for name, ends in zip((*MEASURES, "coverage"), made, strict=True):
            assert_same(ends, clustered[run, name].low, clustered[run, name].high)
    moves = Counter((first, second) for first, second, _ in cells)
    assert_compared(script, [moves[divmod(kind, 3)] for kind in range(9)], tmp_path / "table.csv")


@pytest.mark.parametrize(("first", "second"), [("CW", "WC"), ("CCC", "WWC"), ("WWC", "CCC"), ("CCU", "WWC")])
def test_no_interval_goes_beyond_what_a_difference_can_be(first: str, second: str, script: Any, tmp_path: Path) -> None:
    pairs = [list(zip(first, second, strict=True)).count((a, b)) for a in "CWU" for b in "CWU"]
    rows = [f"{run},q{i},{WORDS[c]}" for run, own in (("a", first), ("b", second)) for i, c in enumerate(own)]
    assert_compared(script, pairs, written(tmp_path / "table.csv", "run,question,outcome", rows))


def test_the_interval_of_another_seed_and_of_few_draws(tmp_path: Path, script: Any) -> None:
    table = written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered", ["a,3,9,2"])
    row = nescio.score(table, ["c@1"], seed=2**33 + 5, resamples=1000)["a", "c@1"]
    ends = script.evaluate("() => statistics.posterior(3, 9, 2, 0.95, { draws: 1000, seed: 2 ** 33 + 5 })['c@1']")
    assert ends == pytest.approx([row.low, row.high], abs=1e-12)


@pytest.mark.parametrize("strategy", ["Z_DEFAULT_STRATEGY", "Z_FIXED", "Z_HUFFMAN_ONLY", "Z_RLE", "Z_FILTERED"])
def test_what_was_packed_comes_back(script: Any, strategy: str) -> None:
    for level in (0, 1, 9):
        for name, block in BLOCKS.items():
            packing = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 8, getattr(zlib, strategy))
            packed = base64.b64encode(packing.compress(block) + packing.flush()).decode()
            total = 0
            for byte in block:
                total = (31 * total + byte) % 1_000_003
            rolled = script.evaluate(
                "text => { const found = unpack.bytes(text); let total = 0;"
                " for (const byte of found) total = (31 * total + byte) % 1000003; return [found.length, total]; }",
                packed,
            )
            assert rolled == [len(block), total], (name, level)


def test_numbers_come_back_question_by_question(script: Any) -> None:
    values = np.array([[0.1, 0.25, np.nan], [1.0, 1e-7, -3.5]], dtype=np.float32)  # two runs, three questions
    shown = script.evaluate("text => [...unpack.floats(text, 2)].map(String)", floats(values))
    assert shown == ["0.10000000149011612", "1", "0.25", "1.0000000116860974e-7", "NaN", "-3.5"]


def test_words_are_read_where_the_browser_unpacks_nothing(page_of: Any, chromium: Any) -> None:
    page = chromium.new_page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(page_of("answers").as_uri())
    assert page.evaluate("globalThis.DecompressionStream") is None
    page.locator("#grid .row .name", has_text="q013").first.click()
    page.wait_for_selector("#detail td.words")
    words = page.inner_text("#detail")
    page.close()
    assert "What is 13?" in words
    assert "answer 13 of gamma" in words
