"""Every figure of the TOML files here comes out: as the exact fraction to 1e-12, and as printed to the last digit."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nescio
from nescio.measures import REGISTRY, parse
from tests.golden.figures import cases, exact, input_of
from tests.rings import together

CASES = cases()


def label(case: dict[str, Any]) -> str:
    return f"{case['file']}: {case['name']}"


def wanted(case: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys([*case.get("exact", {}), *case.get("printed", {}), *case.get("undefined", [])]))


@together("case", CASES)
def test_the_figures_come_out(case: dict[str, Any], tmp_path: Path) -> None:
    judge = case.get("reading", {}).get("judge")
    scores = nescio.score(input_of(case, tmp_path), wanted(case), ci=None, judge=judge)
    value = {row.measure: row.value for row in scores if row.run == scores.rows[0].run}
    for measure, expression in case.get("exact", {}).items():
        assert value[measure] == pytest.approx(float(exact(expression)), rel=0, abs=1e-12), measure
    for measure, printed in case.get("printed", {}).items():
        digits = Decimal(printed)
        rounded = Decimal(repr(round(value[measure], 12))).quantize(digits, rounding=ROUND_HALF_UP)
        assert rounded == digits, measure
    for measure in case.get("undefined", []):
        assert math.isnan(value[measure]), measure


@together("case", CASES)
def test_a_figure_says_where_it_comes_from_and_agrees_with_its_print(case: dict[str, Any]) -> None:
    assert case["source"].strip()
    assert case["where"].strip()
    for measure, printed in case.get("printed", {}).items():
        if measure in case.get("exact", {}):
            last_digit = Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))
            assert abs(float(exact(case["exact"][measure])) - float(printed)) <= float(last_digit) / 2 + 1e-12


def test_every_registered_measure_has_a_figure() -> None:
    tested = {parse(name).declaration.name for case in CASES for name in wanted(case)}
    assert tested == set(REGISTRY)


def test_c_at_1_and_accuracy_rank_two_runs_of_table_3_oppositely() -> None:
    """Peñas & Rodrigo, ACL 2011, sec. 4.4: loga092de is below base092de by accuracy and above it by c@1."""
    table = {case["name"]: case["counts"] for case in CASES if case["file"] == "penas_rodrigo_2011"}
    rows = [dict(zip(("correct", "incorrect", "unanswered"), table[run], strict=True)) for run in table]
    scores = nescio.score(pa.Table.from_pylist([{"run": run} | row for run, row in zip(table, rows, strict=True)]))
    loga, base = ((scores.value(run, "accuracy"), scores.value(run, "c@1")) for run in ("loga092de", "base092de"))
    assert loga[0] < base[0]
    assert loga[1] > base[1]
