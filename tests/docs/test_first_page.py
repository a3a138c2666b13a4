"""What the first page says of a public leaderboard is so, in the counts of the examples and in the answers themselves."""

from __future__ import annotations

import csv
import gzip
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import nescio
from nescio.measures import REGISTRY

from .console import ROOT

ANSWERS = ROOT.parent / "shared" / "data" / "czech_simpleqa"
BIBTEX = re.compile(r"```bibtex\n.+?```", re.DOTALL)
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")
RUNS = {  # as the page calls them
    "gpt-4o": "gpt-4o-2024-11-20",
    "Claude 3.5 Sonnet": "claude-3-5-sonnet-20241022",
    "Claude 3.5 Haiku": "claude-3-5-haiku-20241022",
}


def counted() -> dict[str, tuple[int, int, int]]:
    with (ROOT / "examples" / "czech-simpleqa.csv").open(encoding="utf-8") as file:
        return {r["run"]: (int(r["correct"]), int(r["incorrect"]), int(r["unanswered"])) for r in csv.DictReader(file)}


def test_the_order_changes_as_the_page_says() -> None:
    """By the formulas, not by nescio: accuracy is C/n, and c@1 (C + U·C/n)/n."""
    runs = counted()
    accuracy = {run: c / (c + w + u) for run, (c, w, u) in runs.items()}
    c_at_1 = {run: (c + u * c / (c + w + u)) / (c + w + u) for run, (c, w, u) in runs.items()}
    assert max(accuracy, key=lambda run: accuracy[run]) == "gpt-4o"
    assert max(c_at_1, key=lambda run: c_at_1[run]) == "Claude 3.5 Sonnet"
    fewer = runs["gpt-4o"][1] - runs["Claude 3.5 Sonnet"][1]
    lead = c_at_1["Claude 3.5 Sonnet"] - c_at_1["gpt-4o"]
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert f"asks {sum(runs['gpt-4o']):,} questions" in text
        assert f"says {runs['Claude 3.5 Sonnet'][2]} times that it does not know" in text
        assert f"{fewer} fewer wrong answers" in text
        assert f"Sonnet's lead of {lead:.3f} " in text
        assert "p = 0.038 by the exact paired test" in text
        assert BIBTEX.findall(page.read_text(encoding="utf-8")) == BIBTEX.findall(PAGES[0].read_text(encoding="utf-8"))


def test_the_paper_claims_what_is_so() -> None:
    """The figures of paper.md, and that what it cites is in its bibliography."""
    runs, text = counted(), " ".join((ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split())
    (c, w, u), (d, v, s) = runs["gpt-4o"], runs["Claude 3.5 Sonnet"]
    n = c + w + u
    assert f"{n:,} questions, gpt-4o has an accuracy of {c / n:.3f} and Claude 3.5 Sonnet {d / n:.3f}" in text
    assert f"declines {s} questions and gives {w - v} fewer wrong answers" in text
    assert f"leads with {(d + s * d / n) / n:.3f} to {(c + u * c / n) / n:.3f}" in text
    assert "by more than a hundred measures" in text
    assert len(REGISTRY) > 100
    (said,) = re.findall(r"gives p = ([\d.]+\d)", text)
    assert f"p = {said} by the exact paired test" in " ".join(PAGES[0].read_text(encoding="utf-8").split())
    held = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"@(\w+)", text.split("# Summary")[1])) - {"1"} == held


def test_the_recipe_and_the_package_need_the_same() -> None:
    """Conda has duckdb's Python package under another name."""
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    run = re.findall(r"    - ([\w-]+) ?(\S*)", recipe.split("  run:")[1].split("test:")[0])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {tuple(re.fullmatch(r"([\w-]+?)([<>=].*)", one).groups()) for one in project["dependencies"]}  # type: ignore[union-attr]
    assert set(run) == {("python", project["requires-python"])} | {
        ("python-duckdb" if name == "duckdb" else name, bounds) for name, bounds in needed
    }
    assert f'version = "{nescio.__version__}"' in recipe


def answers() -> list[Path]:
    if not ANSWERS.is_dir():
        pytest.skip(f"{ANSWERS} is not here")
    return [ANSWERS / f"{name}.csv.gz" for name in RUNS.values()]


def test_the_counts_are_those_of_the_answers() -> None:
    for (run, counts), path in zip(counted().items(), answers(), strict=True):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            grades = Counter(row["grade"] for row in csv.DictReader(file))
        assert run == next(name for name, full in RUNS.items() if full in path.name)
        assert counts == tuple(grades[grade] for grade in "ABC")


def test_the_lead_is_as_significant_as_the_page_says() -> None:
    first, second = RUNS["Claude 3.5 Sonnet"], RUNS["gpt-4o"]
    (row,) = nescio.compare(answers()[:2], "c@1", baseline=second, run=first)
    assert row.test == "exact"
    assert row.p is not None
    assert f"p = {row.p:.3f} by the exact paired test" in " ".join(PAGES[0].read_text(encoding="utf-8").split())
