"""Scores: which interval is made unasked, what a part of the questions has, and what is said of whom."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import multinomial

import nescio
from nescio.data.evidence import Evidence, outcome_tally
from nescio.data.results import Scores
from nescio.errors import MismatchError, UsageError
from nescio.scoring.confidence_intervals import METHODS, IntervalMethod
from tests.comparison.runs import evidence
from tests.formats.excerpts import EVERY
from tests.laws.catalogue import run_of_answers, varied
from tests.notes import in_words

# Of ten answers at each confidence as many are right as it says: a calibrated run, whose resamples are not.
CALIBRATED = run_of_answers([(c, int(i < 10 * c)) for c in (0.1, 0.3, 0.5, 0.7, 0.9) for i in range(10)])


def test_the_interval_that_is_made_unasked() -> None:
    asked = ["c@1", "coverage", "ECE", "accuracy", "Brier"]
    found = nescio.score(CALIBRATED, asked, resamples=300)
    methods = {row.measure: row.interval for row in found}
    assert methods == {
        "c@1": "dirichlet",
        "coverage": "wilson",
        "ECE": "bins",
        "accuracy": "dirichlet",
        "Brier": "logit",
    }
    assert found.signature["interval"] == "dirichlet+wilson+bins+logit"
    assert all(row.low is not None and row.low < row.high for row in found if row.high is not None)
    clustered = replace(CALIBRATED, clusters=np.arange(50) // 5)
    methods = {row.measure: row.interval for row in nescio.score(clustered, asked, resamples=300)}
    assert methods == {**dict.fromkeys(asked, "t"), "ECE": "bins"}


@pytest.mark.parametrize("right", [20, 0])
def test_a_posterior_reaches_to_the_value_and_no_interval_has_no_width(right: int) -> None:
    """A posterior gives no weight to 0 and 1 themselves; of 20 questions all right, or none, every resample is so
    too."""
    data = run_of_answers([(0.5, int(i < right)) for i in range(20)])
    (posterior,) = nescio.score(data, "accuracy", interval="dirichlet", resamples=300)
    near, far = (posterior.high, posterior.low) if right else (posterior.low, posterior.high)
    assert near == right / 20
    assert far is not None
    assert 0 < far < 1
    found = nescio.score(data, "accuracy", interval="percentile", resamples=300)
    assert found.rows[0].low is not None
    assert math.isnan(found.rows[0].low)
    assert any("every resample has the same value" in note for note in in_words(found.notes))
    assert not any("outside its own" in note for note in in_words(found.notes))


def test_a_value_outside_its_own_interval_is_said_to_be() -> None:
    """The calibration error of a calibrated run is 0, and that of its resamples is not."""
    found = nescio.score(CALIBRATED, "ECE(bins=10)", interval="percentile", resamples=1000)
    (row,) = found
    assert row.value == pytest.approx(0)
    assert row.low is not None
    assert row.low > 0.01
    assert [note for note in in_words(found.notes) if "outside its own percentile interval" in note]
    (row,) = undefined = nescio.score(CALIBRATED, "ECE(bins=10)", interval="bca", resamples=1000)
    assert np.isnan(row.low or 0)
    assert [
        note
        for note in in_words(undefined.notes)
        if "the bca interval is undefined because all resamples lie on one side" in note
    ]


@pytest.mark.parametrize(
    ("data", "measure", "interval", "said"),
    [
        (
            evidence(x="CUU"),
            "precision",
            "percentile",
            ["undefined on some resamples", "every resample has the same value"],
        ),
        (
            evidence(x="UUU" * 10),
            "precision",
            "bca",
            ["undefined on some resamples"],
        ),  # no value, and so none of the others
        (varied(200, runs=1), "accuracy", "percentile", []),
        (varied(29, runs=1), "accuracy", "bca", ["fewer than 30 questions"]),
    ],
)
def test_resamples_without_a_value_and_few_questions_are_said(
    data: Evidence, measure: str, interval: IntervalMethod, said: list[str]
) -> None:
    notes = "\n".join(in_words(nescio.score(data, measure, interval=interval, resamples=300).notes))
    remarks = ("undefined on some resamples", "fewer than 30 questions", "every resample", "on one side", "outside")
    assert sum(words in notes for words in remarks) == len(said)
    assert all(words in notes for words in said)


@pytest.mark.parametrize(("wrong", "given"), [(1, False), (2, True)])
def test_a_value_that_one_answer_decides_has_no_interval(wrong: int, *, given: bool) -> None:
    """Wrong answers in the middle of twenty: where a single one lies says nothing of where others would."""
    data = run_of_answers([(i / 20, 0 if 9 <= i < 9 + wrong else 1) for i in range(20)])
    scores = nescio.score(data, "AUROC", resamples=500)
    (row,) = scores
    assert row.low is not None
    assert math.isnan(row.low) is not given
    assert ("interval.no_spread" in {remark.code for remark in scores.notes}) is not given


def test_a_stratum_is_the_questions_that_have_its_value() -> None:
    """Ships: q1 and q2; birds: q3. lamp is right on q1, silent on q2, wrong on q3; owl wrong, right, silent."""
    found = nescio.score(EVERY["outcomes"].files, ["accuracy", "coverage"], by="topic", ci=None)
    expected: dict[tuple[str | None, str], tuple[float, float, int]] = {
        **{(None, run): (1 / 3, 2 / 3, 3) for run in ("lamp", "owl")},
        ("birds", "lamp"): (0, 1, 1),
        ("birds", "owl"): (0, 0, 1),
        ("ships", "lamp"): (1 / 2, 1 / 2, 2),
        ("ships", "owl"): (1 / 2, 1, 2),
    }
    assert [(row.stratum, row.run, row.measure) for row in found] == [
        (*key, measure) for key in expected for measure in ("accuracy", "coverage")
    ]
    figures = [figure for *both, n in expected.values() for figure in ((both[0], n), (both[1], n))]
    assert [(row.value, row.n) for row in found] == [(pytest.approx(value), n) for value, n in figures]


@pytest.mark.parametrize("measures", [["c@1", "precision"], ["AURC"]])
def test_strata_have_what_each_has_alone(measures: list[str]) -> None:
    data = replace(varied(60, 3), strata={"part": np.arange(60) % 4})
    found = nescio.score(data, measures, by="part", resamples=300, mark=False)
    for part in np.unique(data.strata["part"]).tolist():
        alone = nescio.score(data.select(data.strata["part"] == part), measures, resamples=300, mark=False)
        own = [replace(row, stratum=None) for row in found if row.stratum == str(part)]
        assert list(map(repr, own)) == list(map(repr, alone))  # as an undefined value is not equal to itself


def test_the_graded_column_that_a_measure_names_is_read(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("run,question,outcome,f1,topic\na,q1,correct,1,x\na,q2,incorrect,0.5,y\n")
    found = nescio.score(table, "mean(f1)", by="topic", ci=None)
    assert [(row.stratum, row.value) for row in found] == [(None, 0.75), ("x", 1), ("y", 0.5)]


def test_a_remark_names_its_run_and_its_part() -> None:
    found = nescio.score(EVERY["outcomes"].files, "accuracy", by="topic", interval="percentile", resamples=300)
    (few,) = [note for note in in_words(found.notes) if "fewer than 30" in note]
    assert few.endswith("(run 'lamp', run 'owl', run 'lamp' on topic 'ships' and 1 more)")
    (same,) = [note for note in in_words(found.notes) if "every resample has the same value" in note]
    assert same.endswith("(run 'lamp' on topic 'birds', run 'owl' on topic 'birds')")


def test_what_reading_says_stands_before_what_measures_say() -> None:
    found = nescio.score(EVERY["promptfoo"].files, ["c@1", "accuracy"], ci=None, **EVERY["promptfoo"].options)
    loaded = EVERY["promptfoo"].read()
    assert loaded.notes
    assert found.notes[: len(loaded.notes)] == loaded.notes
    ordered = nescio.score(EVERY["outcomes"].files, "AUROC", by="topic", ci=None)
    assert (
        sum("left out because they lack" in note for note in in_words(ordered.notes)) == 1
    )  # said of the whole, and not of each part


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match=f"interval takes one of {', '.join(METHODS)} \\(found 'wald'\\)"):
        nescio.score(CALIBRATED, "c@1", interval="wald")  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match=r"by 'colour'; .*: topic$"):
        nescio.score(EVERY["outcomes"].files, "c@1", by="colour")
    with pytest.raises(MismatchError, match=r"by 'colour'; .*: none$"):
        nescio.score(CALIBRATED, "c@1", by="colour")


def signed(results: Scores) -> dict[str, str]:
    """What a signature says, by name, without the version and the digest of the data."""
    parts = dict(results.signature.fields)
    assert parts.pop("nescio")
    assert len(parts.pop("data")) == 12
    return parts


def test_the_signature_says_all_that_the_figures_depend_on() -> None:
    read = {"runs": "1", "questions": "50", "format": "evidence", "judge": "none"}
    read |= {"missing": "error", "ungraded": "error", "unanswerable": "correct"}
    drawn = {"ci": "95", "interval": "wilson+bins", "draw": "patterns of questions", "resamples": "10000", "seed": "0"}
    found = nescio.score(CALIBRATED, ["coverage", "ECE"])
    assert signed(found) == {"measures": "coverage+ECE(bins=10)", **read, **drawn}
    clustered = replace(CALIBRATED, clusters=np.arange(50) // 5, strata={"half": np.repeat(["a", "b"], 25)})
    found = nescio.score(clustered, "ECE", by="half", ci=90.5, resamples=300, seed=7)
    drawn = {"ci": "90.5", "interval": "bins", "draw": "patterns of clusters", "resamples": "300", "seed": "7"}
    drawn["clusters"] = "10"
    assert signed(found) == {"measures": "ECE(bins=10)", **read, "by": "half", **drawn}
    found = nescio.score(CALIBRATED, "ECE", ci=None)
    assert signed(found) == {"measures": "ECE(bins=10)", **read, "interval": "none"}


def test_progress_is_told_of_every_draw() -> None:
    steps: list[tuple[int, int]] = []
    nescio.score(
        EVERY["outcomes"].files,
        ["c@1", "AURC"],
        by="topic",
        resamples=20,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert steps == [(done, len(steps)) for done in range(1, len(steps) + 1)]
    assert len(steps) == 2 * 2 * 3


def test_progress_is_told_while_many_draws_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    files = EVERY["outcomes"].files
    how: dict[str, Any] = {"mark": False, "resamples": 256 * 20}
    expected = list(nescio.score(files, ["AURC", "AUROC"], **how))
    monkeypatch.setattr("nescio.stats.parallel.CHEAP", 1)
    steps: list[tuple[int, int]] = []
    scores = nescio.score(files, ["AURC", "AUROC"], progress=lambda done, total: steps.append((done, total)), **how)
    assert list(scores) == expected
    total = steps[0][1]
    assert total == 20 * len(expected)
    told = [done for done, _ in steps]
    assert told == sorted(told)
    assert told[-1] == total
    assert 0 < told[0] < total // 2


# Shares of right and wrong answers, and how many questions; the truth is a formula of them, the chance of each table of
# counts a multinomial one. One posterior held these in .736, .811, .787, .880 and .885 of tables.
RARELY_WRONG = [
    ("c@1", 0.95, 0.0, 20, 0.95 * 1.05),
    ("c@1", 0.97, 0.0, 50, 0.97 * 1.03),
    ("c@1", 0.98, 0.0, 200, 0.98 * 1.02),
    ("accuracy", 0.97, 0.03, 20, 0.97),
    ("precision", 0.95, 0.05, 50, 0.95),
]


@pytest.mark.parametrize(("measure", "right", "wrong", "n", "true"), RARELY_WRONG)
def test_the_interval_of_a_system_that_hardly_errs_holds_what_is_true(
    measure: str, right: float, wrong: float, n: int, true: float
) -> None:
    """By enumeration of the tables that have any chance: with no wrong answer, or none unanswered."""
    rare = np.arange(min(n, 16))  # P(more than 15) < 2e-5 in each row
    counts = np.stack([n - rare, rare * (wrong > 0), rare * (wrong == 0)], axis=1)
    scores = nescio.score(outcome_tally([str(k) for k in rare], counts), measure, resamples=1_000, mark=False)
    chance = {str(k): math.comb(n, k) * (1 - right) ** k * right ** (n - k) for k in rare.tolist()}
    ends = {row.run: (row.low, row.high) for row in scores if row.low is not None and row.high is not None}
    assert sum(chance[run] for run, (low, high) in ends.items() if low - 1e-9 <= true <= high + 1e-9) >= 0.93


@pytest.mark.proof
@pytest.mark.parametrize("n", [20, 50])
def test_intervals_of_counts_hold_for_every_system(n: int) -> None:
    """By enumeration of all tables of n questions, for systems all over the triangle of shares and at its edges."""
    counts = np.array([(c, w, n - c - w) for c in range(n + 1) for w in range(n - c + 1)])
    low = (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15)
    edges = (0.0, *low, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.95, 0.97, 0.98, 0.99, 0.995)
    systems = [(c, w, max(0.0, 1 - c - w)) for c in edges if c for w in edges if c + w <= 1 + 1e-9]
    truths: dict[str, list[float]] = {
        "c@1": [c * (1 + u) for c, _, u in systems],
        "accuracy": [c for c, _, _ in systems],
        "precision": [c / (c + w) for c, w, _ in systems],
        "UF": [c - w for c, w, _ in systems],
    }
    chances = np.array([multinomial(n, np.array(p) / sum(p)).pmf(counts) for p in systems])
    names = [str(i) for i in range(len(counts))]
    for measure, true in truths.items():
        scores = nescio.score(outcome_tally(names, counts), measure, resamples=2_000, mark=False)
        ends = {row.run: (row.low, row.high) for row in scores}
        low, high = np.array([ends.get(name, (np.nan, np.nan)) for name in names], dtype=float).T
        t = np.array(true)[:, None]
        held = (chances * ((low - 1e-9 <= t) & (t <= high + 1e-9))).sum(axis=1) / (chances * ~np.isnan(low)).sum(axis=1)
        assert held.min() >= 0.93, (measure, systems[int(held.argmin())], held.min())
