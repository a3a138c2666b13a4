"""pass@k and its kin: unbiased by enumeration, as published code computes them, and the figures that other tools
give of real logs with repeats."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

import nescio
from nescio.data.evidence import Evidence
from nescio.measures import parse
from nescio.measures.several_answers import all_of, right_among
from nescio.pipeline import load

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not here")

AT_K: dict[str, Callable[[str], bool]] = {
    "pass@k": lambda drawn: "C" in drawn,
    "pass^k": lambda drawn: {*drawn} == {"C"},
    "never_wrong@k": lambda drawn: "W" not in drawn,
    "right_never_wrong@k": lambda drawn: "C" in drawn and "W" not in drawn,
    "answered@k": lambda drawn: {*drawn} != {"U"},
    "always_answered^k": lambda drawn: "U" not in drawn,
}
OF_TWO: dict[str, Callable[[str, str], bool]] = {
    "disagreement": lambda one, other: one != other,
    "flip_rate": lambda one, other: (one == "C") != (other == "C"),
    "contradiction_rate": lambda one, other: {one, other} == {"C", "W"},
}
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}
answers = st.lists(st.text("CWU", min_size=1, max_size=6), min_size=1, max_size=5)
Holds = Callable[..., float]


def table(questions: list[str], run: str = "m") -> list[dict[str, Any]]:
    """A row for each letter of each question."""
    return [
        {"run": run, "question": f"q{i}", "repeat": repeat, "outcome": WORDS[letter]}
        for i, letters in enumerate(questions)
        for repeat, letter in enumerate(letters)
    ]


@pytest.mark.sampled
@given(questions=answers, k=st.integers(1, 4))
def test_a_measure_is_the_share_of_all_draws_of_k_answers_or_of_two(questions: list[str], k: int) -> None:
    measured: dict[str, tuple[int, Holds]] = {f"{name}(k={k})": (k, holds) for name, holds in AT_K.items()}
    for t in (0.0, 0.5, 0.7, 1.0):
        least = max(math.ceil(t * k), 1)
        measured[f"G-pass@k(k={k}, t={t})"] = (k, lambda drawn, least=least: drawn.count("C") >= least)
    if k > 1:
        measured[f"mG-pass@k(k={k})"] = (k, lambda drawn: max(drawn.count("C") - math.ceil(k / 2), 0) * 2 / k)
    measured |= {name: (2, lambda drawn, holds=holds: holds(*drawn)) for name, holds in OF_TWO.items()}
    rows = nescio.score(table(questions), list(measured), ci=None, column={"repeat": "repeat"})
    assert [row.measure for row in rows] == list(measured)
    for row, (size, holds) in zip(rows, measured.values(), strict=True):
        often = [letters for letters in questions if len(letters) >= size]
        shares = [np.mean([holds("".join(drawn)) for drawn in combinations(letters, size)]) for letters in often]
        expected = float(np.mean(shares)) if shares else math.nan
        assert row.value == pytest.approx(expected, nan_ok=True, abs=1e-12), row.measure


def estimator(n: int, c: int, k: int) -> float:
    """pass@k as it was published with Chen et al. 2021 (human-eval, evaluation.py, estimate_pass_at_k)."""
    if n - c < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))


@pytest.mark.sampled
@given(n=st.integers(1, 400), data=st.data())
def test_pass_at_k_is_that_of_the_published_code(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    ours = float(1 - all_of(np.array([float(n - c)]), np.array([float(n)]), k)[0])
    assert ours == pytest.approx(estimator(n, c, k), abs=1e-12)


@pytest.mark.sampled
@given(n=st.integers(1, 100), data=st.data())
def test_G_pass_at_k_is_the_hypergeometric_tail_of_the_published_code(n: int, data: st.DataObject) -> None:
    """Liu et al. 2024: GPassK, lighteval_metric.py takes hypergeom.sf(m - 1, n, c, k)."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    chances = [float(chance[0]) for chance in right_among(np.array([float(c)]), np.array([float(n)]), k)]
    assert sum(chances) == pytest.approx(1, abs=1e-12)
    least = data.draw(st.integers(1, k))
    assert sum(chances[least:]) == pytest.approx(hypergeom.sf(least - 1, n, c, k), abs=1e-9)


def test_fewer_answers_than_are_drawn_have_no_chance() -> None:
    assert all_of(np.array([1.0, 2, 2]), np.array([1.0, 2, 3]), 2) == pytest.approx([math.nan, 1, 1 / 3], nan_ok=True)


def test_questions_that_a_run_was_asked_too_seldom_are_left_out() -> None:
    scores = nescio.score(table(["CCC", "CW", "U"]), "pass^k(k=2)", ci=None)
    assert (scores.rows[0].value, scores.rows[0].n) == (0.5, 2)
    note = "pass^k(k=2): 1 of 3 questions left out because they were not asked often enough (run 'm')"
    assert note in map(str, scores.notes)
    assert (parse("pass@k(k=1)")(3, 1, 0), math.isnan(parse("pass@k(k=2)")(3, 1, 0))) == (0.75, True)
    both = [*table(["CC", "CW", "C"], "x"), *table(["CW", "WWW", "CC"], "y")]
    row = nescio.compare(both, "pass^k(k=2)", baseline="y", run="x").rows[0]
    assert (row.difference, row.n, row.p) == (0.5, 2, 1.0)


# ---- real logs ----


# benchmark, the field of a row that says whether it is right (and what it says then), the name of the figure
NEMO = [
    ("gpqa", "symbolic_correct", True, "symbolic_correct"),
    ("math", "symbolic_correct", True, "symbolic_correct"),
    ("human-eval", "is_correct", True, "passing_base_tests"),
    ("human-eval", "is_correct-plus", True, "passing_plus_tests"),
    ("minif2f", "proof_status", "completed", "lean4_correct"),
]


@real
@pytest.mark.parametrize(("benchmark", "key", "right", "figure"), NEMO)
def test_nemo_skills_own_pass_at_k(benchmark: str, key: str, right: object, figure: str) -> None:
    """Its metrics file says in per cent what pass@k is for every k; lines of one number are repeats."""
    own = json.loads((DATA / "nemo_skills" / "metrics.json-test").read_text())[benchmark]
    paths = sorted((DATA / "nemo_skills" / benchmark).glob("output-rs*"))
    rows = [
        {"question": line, "repeat": seed, "outcome": "correct" if json.loads(text)[key] == right else "incorrect"}
        for seed, path in enumerate(paths)
        for line, text in enumerate(filter(None, path.read_text().splitlines()))
    ]
    ks = range(1, len(paths) + 1)
    scores = nescio.score(rows, [f"pass@k(k={k})" for k in ks], ci=None)
    assert [100 * row.value for row in scores] == pytest.approx([own[f"pass@{k}"][figure] for k in ks], abs=1e-9)


@real
@pytest.mark.slow
def test_the_epochs_of_inspect_reduced_as_it_reduces_them() -> None:
    """Inspect's reducers mean, mode, at_least and pass_at, called on the log's own scores, beside ours."""
    scorer = pytest.importorskip("inspect_ai.scorer", reason="inspect_ai is not installed")
    log = next((DATA.parent / "logs" / "inspect").glob("*popularity_CuCFPdqnwXupUkxp69nJ2a.eval"))
    data = load(log).data
    assert isinstance(data, Evidence)
    assert data.repeats is not None
    right = data.columns["correct"][0]
    question = data.repeats.question

    def reduced(reducer: Any) -> float:
        scores = ([scorer.Score(value=float(one)) for one in right[question == q]] for q in range(data.size))
        return float(np.mean([float(reducer(each).value) for each in scores]))

    ks = (1, 2, 5)
    names = ["accuracy", *(f"pass@k(k={k})" for k in ks), "pass^k(k=5)"]
    # of five epochs at least one, or all five, are right
    theirs = [scorer.mean_score(), *map(scorer.pass_at, ks), scorer.at_least(5)]
    ours = [row.value for row in nescio.score(log, names, ci=None)]
    assert ours == pytest.approx([reduced(reducer) for reducer in theirs])
    assert ours[3] == pytest.approx(reduced(scorer.at_least(1)))
