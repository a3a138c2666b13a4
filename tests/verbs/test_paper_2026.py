"""The papers of 2024 to 2026: their counts, what no counts can give, and the data beside the checkout."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.papers import examples, find_item, find_paper

DATA = Path(__file__).parents[3] / "shared" / "data"
has_data = pytest.mark.skipif(not DATA.is_dir(), reason="the data are not beside the checkout")


def counts_in(name: str) -> dict[str, tuple[int, int, int]]:
    with (examples() / "papers" / name).open(encoding="utf-8", newline="") as file:
        return {
            row["run"]: (int(row["correct"]), int(row["incorrect"]), int(row["unanswered"]))
            for row in csv.DictReader(file)
        }


def percent(share: Fraction) -> str:
    """A share as papers print it, to a tenth of a percent."""
    exact = Decimal(share.numerator) * 100 / share.denominator
    return f"{exact.quantize(Decimal('0.1'), ROUND_HALF_UP)}%"


def printed(key: str, label: str) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in find_item(find_paper(key), label).cells}


@pytest.mark.parametrize(
    ("name", "questions"),
    [
        ("simpleqa.csv", 4326),
        ("chinese-simpleqa.csv", 3000),
        ("czech-simpleqa.csv", 4326),
        ("omniscience.csv", 6000),
        ("omniscience-public.csv", 600),
        ("crag-table5.csv", 2 * 1335),
        ("crag-table6.csv", 2000),
    ],
)
def test_the_counts_are_of_as_many_questions_as_the_paper_asks(name: str, questions: int) -> None:
    assert {sum(counts) for counts in counts_in(name).values()} == {questions}


def cells_of_simpleqa(correct: int, incorrect: int, questions: int) -> list[str]:
    """The five cells of SimpleQA's tables, from its definitions."""
    attempted = correct + incorrect
    shares = [Fraction(correct, questions), Fraction(questions - attempted, questions), Fraction(incorrect, questions)]
    given = Fraction(correct, attempted)
    return [percent(share) for share in (*shares, given, 2 * shares[0] * given / (shares[0] + given))]


def some_counts_give(cells: list[str], questions: int) -> bool:
    """Say whether any counts give all cells that are printed: those within a tenth of a percent are tried."""
    right, silent = (Fraction(cell.rstrip("%")) / 100 * questions for cell in cells[:2])
    near = questions // 1000 + 1
    return any(
        all(
            cell in ("", own)
            for cell, own in zip(cells, cells_of_simpleqa(c, questions - c - u, questions), strict=True)
        )
        for c in range(int(right) - near, int(right) + near + 1)
        for u in range(max(int(silent) - near, 0), int(silent) + near + 1)
    )


@pytest.mark.parametrize(("key", "label", "questions"), [("WEI2024", "Results", 4326), ("HE2024", "Leaderboard", 3000)])
def test_no_counts_give_the_rows_that_differ_and_some_give_the_others(key: str, label: str, questions: int) -> None:
    differing = {cell.rpartition(" of ")[2] for cell in find_item(find_paper(key), label).differs}
    impossible = {name for name, cells in printed(key, label).items() if not some_counts_give(cells, questions)}
    assert impossible == differing


def test_the_rate_of_glm_fits_no_counts_of_600_with_its_index() -> None:
    accuracy, rate, index = printed("JACKSON2025", "Public set")["GLM-4.5 Air 106B-A12B"]
    fitting = [
        percent(1 - Fraction(wrong, 600 - right))
        for right in range(600)
        for wrong in range(600 - right + 1)
        if percent(Fraction(right, 600)) == accuracy and percent(Fraction(right - wrong, 600)) == f"{index}%"
    ]
    assert fitting == ["56.1%"]
    assert rate == "39.0%"


def test_the_shares_of_confabulations_are_of_202_questions_and_not_of_201() -> None:
    shares = {row[0] for row in printed("MAZUR2025", "Leaderboard").values()}
    of_201, of_202 = ({percent(Fraction(count, n)) for count in range(n + 1)} for n in (201, 202))
    assert shares <= of_202
    assert not shares <= of_201


def test_no_count_of_humaneval_is_printed_as_galleons() -> None:
    assert "83.6%" not in {percent(Fraction(count, 164)) for count in range(165)}


def ours(key: str, label: str, files: list[Path], column: str) -> dict[str, float]:
    """Our values of a column for files of the user, by the name of the row."""
    found: Any = nescio.paper(key, label, files)
    return {cell.row: cell.value for cell in found if cell.column == column}


@has_data
def test_czech_simpleqa_from_its_answers() -> None:
    files = sorted((DATA / "czech_simpleqa").glob("*.csv.gz"))
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            grades = Counter(row["grade"] for row in csv.DictReader(file))
        assert counts_in("czech-simpleqa.csv")[path.name.removesuffix(".csv.gz")] == tuple(grades[g] for g in "ABC")
    scores = ours("CERVENKA2025", "README", files, "Czech-SimpleQA")
    assert len(scores) == 3
    for name, score in scores.items():
        assert printed("CERVENKA2025", "README")[name][0] == percent(Fraction(score).limit_denominator(10**6))


@has_data
def test_mmlu_pro_from_the_published_results(tmp_path: Path) -> None:
    name = "model_outputs_mathstral-7B_5shots"
    with zipfile.ZipFile(DATA / "mmlu_pro" / "raw" / f"{name}.zip") as archive:
        archive.extract(f"{name}.json", tmp_path)
    rows = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    right = sum(row["pred"] == row["answer"] for row in rows)
    assert (right, len(rows)) == (5053, 12032)
    assert percent(Fraction(right, len(rows))) == printed("WANG2024", "Leaderboard")["Mathstral-7B"][0]
    scores = ours("WANG2024", "Leaderboard", [tmp_path / f"{name}.json"], "Overall")
    assert list(scores.values()) == [pytest.approx(right / len(rows))]


@has_data
def test_confabulations_of_the_questions_that_are_published(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(DATA / "confabulations" / "declined.parquet").to_pylist()
    declined = [
        row["declined"] for row in table if (row["run"], row["kind"]) == ("gpt-5-mini-medium", "no_answer_in_text")
    ]
    (tmp_path / "own.csv").write_text(
        f"run,correct,incorrect,unanswered\nGPT-5 mini,0,{declined.count(0)},{declined.count(1)}\n", encoding="utf-8"
    )
    assert (declined.count(0), len(declined)) == (36, 192)
    assert ours("MAZUR2025", "Leaderboard", [tmp_path / "own.csv"], "Confab %") == {"GPT-5 mini": 36 / 192}
