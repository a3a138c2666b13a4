"""Large Parquet tables are counted by bit masks, and give what reading them row by row gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.errors import MismatchError
from nescio.meta_evaluation import stability, swap
from nescio.sources import number_columns
from nescio.stats import packed
from nescio.tables import large as counting

MEASURES = ["c@1", "accuracy", "coverage", "UF"]
MADE = """
    SELECT 'run ' || r AS run, 'question ' || q AS question, CASE WHEN h % 10 < 4 + r % 2 THEN 'correct' WHEN h % 10 < 8
    THEN 'incorrect' ELSE 'unanswered' END AS outcome, r, q
    FROM (SELECT r, q, hash(q * 1000 + r) AS h FROM range({runs}) a(r), range({questions}) b(q))"""


def write(
    path: Path, select: str = "run, question, outcome", *, runs: int = 3, questions: int = 2000, more: str = ""
) -> Path:
    made = MADE.format(runs=runs, questions=questions)
    duckdb.execute(f"COPY (SELECT {select} FROM ({made}) {more}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "LARGE", 1)


def rows(results: Any) -> list[Any]:
    return [repr(row) for row in results]


@pytest.mark.parametrize("runs", [3, 70])
def test_masks_give_what_the_rows_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int) -> None:
    table = write(tmp_path / "all.parquet", runs=runs, questions=600 if runs == 3 else 200)
    few: dict[str, Any] = {"ci": None} if runs > 3 else {}
    scores, compared = (
        nescio.score(table, MEASURES, **few),
        nescio.compare(table, "c@1", baseline="run 1", resamples=100),
    )
    curve = stability(table, "c@1", fresh=True, trials=3)
    studies: tuple[Callable[..., Any], ...] = (stability, swap)
    shared = [study(table, ["c@1", "UF"], trials=3) for study in studies]
    monkeypatch.setattr(counting, "LARGE", 1)
    masked = nescio.score(table, MEASURES, mark=False, **few)
    assert "read" not in scores.signature
    assert masked.signature["read"] == "bit masks"
    assert [(r.run, r.measure, r.value, r.low, r.high, r.n) for r in scores] == [
        (r.run, r.measure, r.value, r.low, r.high, r.n) for r in masked
    ]
    assert rows(nescio.compare(table, "c@1", baseline="run 1", resamples=100)) == rows(compared)
    assert rows(stability(table, "c@1", fresh=True, trials=3)) == rows(curve)
    for study, by_rows in zip(studies, shared, strict=True):
        by_masks = study(table, ["c@1", "UF"], trials=3)
        assert (rows(by_masks), str(by_masks.signature)) == (rows(by_rows), str(by_rows.signature))


@pytest.mark.parametrize("large", [1, 10**9], ids=["masks", "rows"])
def test_globs_and_folders_are_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    whole = nescio.score(write(tmp_path / "all.parquet"), mark=False)
    monkeypatch.setattr(counting, "LARGE", large)
    (tmp_path / "parts").mkdir()
    for i in range(3):
        write(tmp_path / "parts" / f"part-{i}.parquet", more=f"WHERE (q + r) % 3 = {i}")  # no shard by questions
    made = MADE.format(runs=3, questions=2000)
    duckdb.execute(
        f"COPY (SELECT run, question, outcome FROM ({made})) TO '{tmp_path / 'hive'}' (FORMAT parquet, "
        f"PARTITION_BY (run))"
    )
    values = {(r.run, r.measure): (r.value, r.n) for r in whole}
    for source in (tmp_path / "parts", tmp_path / "parts" / "part-*.parquet", tmp_path / "hive"):
        assert {(r.run, r.measure): (r.value, r.n) for r in nescio.score(source, mark=False)} == values
    with pytest.raises(MismatchError, match="is in both"):
        nescio.score(sorted((tmp_path / "parts").glob("*.parquet")), mark=False)


@pytest.mark.sampled
@given(st.integers(0, 2**32), st.integers(1, 150), st.integers(1, 40), st.integers(1, 4), st.booleans())
def test_pair_tables_are_those_of_a_plain_count(seed: int, units: int, runs: int, kinds: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    states = rng.integers(0 if whole else -1, kinds, size=(runs, units)).astype(np.int8)
    bits = packed.pack(states, np.arange(kinds, dtype=np.int8))
    masks = np.zeros((kinds, units, -(-runs // 64)), dtype=np.uint64)
    for run in range(runs):
        for unit in range(units):
            if states[run, unit] >= 0:
                masks[states[run, unit], unit, run // 64] |= np.uint64(1 << run % 64)
    assert (packed.turn(masks, runs) == bits).all()
    plain = np.zeros((runs * (runs - 1) // 2, kinds, kinds), dtype=np.int64)
    at = 0
    for x in range(runs):
        for y in range(x + 1, runs):
            for a, b in zip(states[x], states[y], strict=True):
                if a >= 0 and b >= 0:
                    plain[at, a, b] += 1
            at += 1
    assert (packed.pair_tables(bits, units) == plain).all()


NUMBERS = "run, question, outcome, (hash(q * 31 + r) % 97) / 97 AS confidence, (hash(q + 7 * r) % 11) AS f1"
ORDERED = ["mean(f1)", "AUROC", "AURC", "Brier", "ECE", "c@1", "risk@coverage(coverage=0.5)"]


@pytest.mark.parametrize(("runs", "kind"), [(3, "DOUBLE"), (70, "DECIMAL(9, 3)")])
def test_numbers_beside_outcomes_give_what_the_rows_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int, kind: str
) -> None:
    empty = "CASE WHEN q % 5 = 0 THEN NULL ELSE f1 / 7 END"
    select = f'run, question, outcome, confidence::{kind} AS confidence, ({empty})::{kind} AS f1, \'x\' AS "odd ""name"'
    inner = f"SELECT {NUMBERS}, r, q FROM ({MADE.format(runs=runs, questions=400)})"
    duckdb.execute(f"COPY (SELECT {select} FROM ({inner}) ORDER BY hash(q), r) TO '{tmp_path / 'all.parquet'}'")
    how: dict[str, Any] = {"ci": None} if runs > 3 else {"resamples": 100}

    def results() -> list[Any]:
        scores = nescio.score(tmp_path / "all.parquet", ORDERED, mark=False, **how)
        made: list[Any] = [rows(scores), str(scores.signature), [str(note) for note in scores.notes]]
        if runs == 3:
            compared = nescio.compare(tmp_path / "all.parquet", ["mean(f1)", "AUROC"], baseline="run 1", resamples=100)
            made += [rows(compared), str(compared.signature)]
            made.append(rows(stability(tmp_path / "all.parquet", ["AUROC"], trials=3)))
            made.append(rows(nescio.tune(tmp_path / "all.parquet", "c@1", run="run 1", resamples=100)))
        return made

    by_rows = results()
    monkeypatch.setattr(counting, "LARGE", 1)
    monkeypatch.setattr(number_columns, "_AT_ONCE", 1 << 14)  # several parts
    monkeypatch.setattr("nescio.tables.table_reader.load_rows", None)  # no row is read
    assert results() == by_rows


def test_a_tally_of_graded_scores_needs_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are those of reading the rows: cells that are empty, and answers that are not graded, count nowhere."""
    cells = "(CASE WHEN q % 5 = 0 THEN NULL ELSE (hash(q + 7 * r) % 1100) / 7 - 20 END)::DECIMAL(9, 3) AS f1, q / 3 AS other"
    graded = "CASE WHEN (q + r) % 9 = 0 THEN NULL ELSE outcome END AS outcome"
    table = write(tmp_path / "all.parquet", f"run || ' ' AS run, question, {graded}, {cells}", questions=300)
    measures = ["mean(f1)", "mean(other)", "c@1"]
    nescio.tally(table, tmp_path / "rows.tally", measures=measures)
    monkeypatch.setattr(counting, "LARGE", 1)
    monkeypatch.setattr("nescio.tables.table_reader.load_rows", None)  # no row is read
    monkeypatch.setattr(number_columns, "_AT_ONCE", 1 << 13)  # several parts
    nescio.tally(table, tmp_path / "masks.tally", measures=measures)
    assert (tmp_path / "masks.tally").read_bytes() == (tmp_path / "rows.tally").read_bytes()
