"""Measures of an order from bins of confidence: within the bounds that they state of what the answers themselves give."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nescio
from nescio.data.outcomes import Outcomes
from nescio.data.tally_bins import bin_answers
from nescio.errors import MismatchError, MissingColumnError, UsageError
from nescio.formats.native.outcome_table import counting
from nescio.measures import parse
from nescio.scoring.tally_bins import bracket, in_bins
from nescio.sources.opening import open_source

BINNED = ["AUROC", "AURC", "AURC(variant=geifman)", "AURC(variant=trapezoid)", "E-AURC", "AUGRC", "E-AUGRC", "PRR", "PRR(rejection=0.5)"]  # fmt: skip
NUMBERS = np.array([0.95, 0.9, 0.7, 0.6, 0.55])  # of the worked example: right, right, wrong, right, wrong


def outcomes(right: Any, confidence: Any) -> Outcomes:
    n = len(right)
    state, numbers = np.array([right], dtype=np.int8), np.array([confidence], dtype=np.float64)
    return Outcomes(("run",), tuple(f"q{i}" for i in range(n)), state, confidence=numbers)


def of_bins(name: str, data: Outcomes, bins: int) -> tuple[float, float, float]:
    """The value of a measure on bins, and the ends of its bracket."""
    (counts,), measure = bin_answers(data, bins), parse(name)
    patterns = in_bins(counts)
    return (float(measure.value(patterns, patterns.counts)), *bracket(measure, counts))


def of_answers(name: str, right: Any, confidence: Any) -> float:
    columns = {"run": ["run"] * len(right), "question": [*range(len(right))], "confidence": [*confidence]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row, is_right in zip(rows, right, strict=True):
        row["outcome"] = "correct" if is_right else "incorrect"
    return nescio.score(rows, name, ci=None).rows[0].value


def test_the_worked_example_in_four_bins() -> None:
    """By hand, bins [0.75, 1] with two right and [0.5, 0.75) with two wrong and one right. AUROC: 4 pairs in order and 2
    tied of 6: 5/6, and 4/6 or 6/6 at the ends. AURC of the orders CC CWW and CC WWC: (1/4 + 2/5)/5 = 0.13 and (1/3 +
    2/4 + 2/5)/5 = 0.24667, the mean over the three places of C 0.19111."""
    data = outcomes([1, 1, 0, 1, 0], NUMBERS)
    assert of_bins("AUROC", data, 4) == pytest.approx((5 / 6, 4 / 6, 1))
    assert of_bins("AURC", data, 4) == pytest.approx((0.1911111111, 0.13, 0.2466666667))
    # Bins so narrow that each answer has one of its own: what the answers give, and nothing between.
    assert of_bins("AUROC", data, 4096) == pytest.approx((5 / 6,) * 3)
    assert of_bins("AURC", data, 4096) == pytest.approx(((1 / 3 + 1 / 4 + 2 / 5) / 5,) * 3)


def test_bins_end_where_they_should() -> None:
    """0, 1/4, just below 1/2, 1/2 and 1 in four bins: 1 stands in the last; and a declined candidate counts."""
    data = outcomes([1, 1, 1, 1, 0], [0, 0.25, np.nextafter(0.5, 0), 0.5, 1])
    assert bin_answers(data, 4).tolist() == [[[1, 2, 1, 0], [0, 0, 0, 1]]]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=1, max_size=25), st.sampled_from([1, 2, 5, 13]))
@pytest.mark.parametrize("name", BINNED)
def test_the_value_of_the_answers_lies_in_the_bracket(name: str, answers: list[tuple[bool, int]], bins: int) -> None:
    """Ties among the answers too, within a bin and on its edge."""
    right, confidence = [int(is_right) for is_right, _ in answers], [place / 12 for _, place in answers]
    value, least, greatest = of_bins(name, outcomes(right, confidence), bins)
    exact = of_answers(name, right, confidence)
    assert math.isnan(value) == math.isnan(exact)
    if not math.isnan(exact):
        assert least - 1e-12 <= min(exact, value) <= max(exact, value) <= greatest + 1e-12


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(8)
    lines = ["run,question,outcome,confidence"]
    for run in ("a", "b"):
        for i in range(1500):
            confidence = rng.beta(2, 1)
            silent = rng.uniform() < 0.1
            word = "unanswered" if silent else "correct" if rng.uniform() < confidence else "incorrect"
            lines.append(f"{run},q{i},{word},{'' if silent else confidence}")
    path = tmp_path / "all.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_tallies_state_how_far_they_may_be(tmp_path: Path, table: Path) -> None:
    nescio.tally(table, tmp_path / "all.tally", measures=["AUROC", "c@1"])
    exact = nescio.score(table, ["AUROC", "AURC"])
    found = nescio.score(tmp_path / "all.tally", ["AUROC", "AURC"])
    stated = {(row.run, row.measure): row for row in found.tables["bins"]}
    assert len(stated) == 4
    for one, other in zip(exact, found, strict=True):
        bound = stated[one.run, one.measure]
        assert other.n == one.n
        assert bound.least <= one.value <= bound.greatest
        assert abs(other.value - one.value) <= bound.error < 1e-3
        assert (other.value, other.interval) == (bound.value, "logit")
        # The same law with other draws: of 10,000 a standard deviation has a relative standard error of about 0.7%,
        # so two widths agree within 5 * 0.7% * sqrt(2) = 5%.
        assert None not in (one.low, one.high, other.low, other.high)
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.05)  # type: ignore[operator]
    said = next(note for note in found.notes if note.code == "measure.binned")
    assert said["bins"] == 4096
    largest = max(row.error for row in stated.values() if row.measure == "AUROC")
    assert largest <= said["error"] < 1.1 * largest  # two digits, rounded up
    assert found.signature["order"] == "4096 bins of confidence"
    assert any("questions left out because they lack" in str(note) for note in found.notes)
    assert found.to_dict()["bins"][0]["error"] == stated["a", "AUROC"].error


@pytest.mark.parametrize("large", [1, 10**9], ids=["masks", "rows"])
@pytest.mark.parametrize(
    ("confidence", "rule"),
    [
        ("1.5", "between 0 and 1"),
        ("-0.1", "between 0 and 1"),
        ("NULL", "has no confidence"),
        ("'nan'::DOUBLE", "finite number"),
    ],
)
def test_confidences_that_cannot_be_binned_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confidence: str, rule: str, large: int
) -> None:
    monkeypatch.setattr(counting, "LARGE", large)
    rows = (
        f"SELECT 'a' AS run, q AS question, 'correct' AS outcome, CASE q WHEN 3 THEN {confidence} ELSE 0.5 END::DOUBLE"
    )
    duckdb.execute(f"COPY ({rows} AS confidence FROM range(9) t(q)) TO '{tmp_path / 'x.parquet'}' (FORMAT parquet)")
    with pytest.raises(nescio.NescioError, match=rule):
        nescio.tally(tmp_path / "x.parquet", tmp_path / "x.tally", measures="AUROC")


def test_what_bins_cannot_tell_is_refused(tmp_path: Path, table: Path) -> None:
    nescio.tally(table, tmp_path / "all.tally", measures="AUROC")
    with pytest.raises(MismatchError, match="bins the confidences of each run separately"):
        nescio.compare(tmp_path / "all.tally", "AUROC")
    assert all(row.best is None for row in nescio.score(tmp_path / "all.tally", "AUROC", ci=None, mark=True))
    with pytest.raises(MissingColumnError, match=r"needs a confidence, but a tally"):
        nescio.score(tmp_path / "all.tally", "Brier")
    for name in ("Brier", "FPR@95TPR", "AURC(variant=fd-shifts)"):
        with pytest.raises(UsageError, match="needs each answer with its confidence"):
            nescio.tally(table, tmp_path / "x.tally", measures=name)
    apart = tmp_path / "apart.csv"
    apart.write_text(table.read_text().replace("a,q", "a,p").replace("b,q", "b,p"))
    nescio.tally(apart, tmp_path / "none.tally")
    with pytest.raises(MissingColumnError, match=r"nescio tally -m AUROC keeps bins of it"):
        nescio.score(tmp_path / "none.tally", "AUROC")
    with pytest.raises(
        MismatchError, match="bins of confidences and others do not; give nescio tally the same -m for all"
    ):
        nescio.score([tmp_path / "none.tally", tmp_path / "all.tally"], "c@1")
    assert open_source(tmp_path / "all.tally")
    assert (tmp_path / "all.tally").stat().st_size < 2 * 64 * 1024 + 16 * 1024  # 64 kB a run
