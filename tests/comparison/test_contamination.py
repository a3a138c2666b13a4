"""Originals against paraphrases: statistics3, section 9, and statistics3-b, section 10, worked by independent scripts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nescio
from nescio.stats.paraphrases import exchange

OUTCOME = {"C": "correct", "W": "incorrect", "U": "unanswered"}
# The original and the paraphrase of the suspect, then those of the reference, question by question.
WORKED = ["CCCC", "CWCC", "CUCC", "CWWW", "CCCW", "CWCC", "WWCC", "CUUC", "CCCC", "UWWU", "CWCW", "CCUC"]
OTHER = [a + b + c + d for a, b, c, d in zip("CCCCUCCWCC", "CWUCUWCWCU", "CWCUCWCCUC", "CWCUCWCWUC", strict=True)]


def rows(cells: list[str]) -> list[dict[str, Any]]:
    """A table of the suspect x and the reference y."""
    made: list[dict[str, Any]] = []
    for i, (xo, xp, yo, yp) in enumerate(map(tuple, cells)):
        for run, original, paraphrase in (("x", xo, xp), ("y", yo, yp)):
            made.append({"run": run, "question": f"q{i:02}", "outcome": OUTCOME[original], "paraphrase_of": None})
            made.append(
                {"run": run, "question": f"p{i:02}", "outcome": OUTCOME[paraphrase], "paraphrase_of": f"q{i:02}"}
            )
    return made


@pytest.mark.parametrize(
    ("measure", "difference", "error", "one_sided"),
    [
        ("accuracy", 1 / 2, 0.2302830932, 7 / 128),
        ("UF", 5 / 6, 0.3658392869, 5 / 128),
        ("c@1", 11 / 24, 0.2284481389, 9 / 256),
    ],
)
def test_the_worked_example_of_section_9(measure: str, difference: float, error: float, one_sided: float) -> None:
    """t of 11 degrees of freedom is 2.2009851601."""
    (row,) = nescio.lab.contamination(rows(WORKED), measure, suspect="x").rows
    assert row.difference == pytest.approx(difference, abs=1e-9)
    assert row.high is not None
    assert (row.high - row.difference) / 2.2009851600916384 == pytest.approx(error, abs=1e-9)
    if measure == "accuracy":
        assert row.high - row.difference == pytest.approx(0.5068496708, abs=1e-9)
    assert row.p_exchange == pytest.approx(one_sided, abs=1e-9)
    assert row.p_two_sided == pytest.approx(2 * one_sided, abs=1e-9)
    assert (row.test, row.n) == ("exact", 12)
    if measure == "c@1":
        found = (row.original, row.paraphrase, row.reference_original, row.reference_paraphrase)
        assert found == pytest.approx((65 / 72, 7 / 18, 7 / 9, 13 / 18), abs=1e-9)


def test_three_references() -> None:
    """By hand, d of x, y1, y2, y3: the excesses are 1, 1, 2/3, 0, 4/3, 2/3, 1/3 and 1, with a mean of 3/4.

    None is below 0, so only the flips that keep the signs of all seven others reach this mean: p is 1/128.
    """
    lost = [[1, 0, 0, 0]] * 2 + [[1, 0, 1, 0], [0] * 4, [1, -1, 0, 0], [1, 0, 0, 1], [0, 0, -1, 0], [1, 0, 0, 0]]
    table = []
    for i, of_systems in enumerate(lost):
        for run, own in zip(("x", "y1", "y2", "y3"), of_systems, strict=True):
            asked = ((f"q{i}", None, own >= 0), (f"p{i}", f"q{i}", own <= 0))
            for question, original, right in asked:
                outcome = OUTCOME["CW"[not right]]
                table.append({"run": run, "question": question, "outcome": outcome, "paraphrase_of": original})
    (row,) = nescio.lab.contamination(table, "accuracy", suspect="x").rows
    assert row.difference == pytest.approx(3 / 4, abs=1e-9)
    assert (row.p_exchange, row.p_two_sided) == pytest.approx((1 / 128, 1 / 64), abs=1e-9)
    assert row.test == "exact"
    # The square is no sum. None of 99 random exchanges of 20 units that all speak against x reaches the observed.
    units = np.zeros((20, 4, 2, 1))
    units[:, 0, 0, 0] = 1
    drawn = exchange(lambda means: means[..., 0] ** 2, units, 20, np.random.default_rng(0), draws=99)
    assert (drawn.p, drawn.how) == (1 / 100, "permutation")


@pytest.mark.parametrize("measure", ["accuracy", "c@1", "UF"])
def test_copies_of_a_reference_change_nothing(measure: str) -> None:
    """Five references that answer alike tell no more than one of them."""
    table = rows(WORKED)
    copies = [dict(row, run=f"y{i}") for row in table if row["run"] == "y" for i in range(4)]
    (alone,) = nescio.lab.contamination(table, measure, suspect="x").rows
    (among,) = nescio.lab.contamination(table + copies, measure, suspect="x").rows
    assert len(among.references) == 5
    for name in ("difference", "low", "high", "explained", "p", "p_exchange", "p_two_sided"):
        assert getattr(among, name) == pytest.approx(getattr(alone, name), abs=1e-9), name


@pytest.mark.parametrize(
    ("measure", "difference", "error", "ends", "p"),
    [
        ("accuracy", 0.3, 0.2134374746, (-0.1828291119, 0.7828291119), 384 / 1024),
        ("UF", 0.4, 0.3711842909, (-0.4396772023, 1.2396772023), 448 / 1024),
        ("c@1", 0.24, 0.2341889076, (-0.2897721148, 0.7697721148), None),  # whose test exchanged wordings there
    ],
)
def test_the_worked_example_of_section_b_10(
    measure: str, difference: float, error: float, ends: tuple[float, float], p: float | None
) -> None:
    """Of additive measures the exchange of systems is that of wordings; t of 9 degrees of freedom is 2.2621571628."""
    (row,) = nescio.lab.contamination(rows(OTHER), measure, suspect="x").rows
    assert row.difference == pytest.approx(difference, abs=1e-9)
    assert row.high is not None
    assert (row.high - row.difference) / 2.2621571628540993 == pytest.approx(error, abs=1e-9)
    assert (row.low, row.high) == pytest.approx(ends, abs=1e-9)
    assert p is None or row.p_two_sided == pytest.approx(p, abs=1e-9)


def test_what_strength_explains_does_not_count() -> None:
    cells = ["".join("CW"[not one] for one in (i < 288, i < 248, i >= 80, i >= 120)) for i in range(400)]
    (row,) = nescio.lab.contamination(rows(cells), "accuracy", suspect="x").rows
    # The reference falls from 4/5 to 7/10, by a step of .539; the suspect, at log odds of .717, would fall by .1184.
    assert row.explained == pytest.approx(0.1184 - 0.1, abs=1e-4)
    assert row.p is not None
    assert row.p_exchange is not None
    assert row.p > row.p_exchange


def test_references_that_are_too_unlike_get_no_p_value() -> None:
    cells = ["CWCC"] * 12 + ["CCCC"] * 10 + ["WWCC"] * 6 + ["CCCW"] * 5 + ["WCCC"] * 3
    found = nescio.lab.contamination(rows(cells), "accuracy", suspect="x")
    assert found.rows[0].p is None
    assert found.rows[0].p_exchange is not None
    assert "contamination.unlike" in {note.code for note in found.notes}


def test_several_paraphrases_are_their_mean_and_repeats_too() -> None:
    table = rows(["CCCC", "CWCC", "CCWC"])
    again = [dict(row, question="p00b", outcome="incorrect") for row in table if row["question"] == "p00"]
    (row,) = nescio.lab.contamination(table + again, "accuracy", suspect="x").rows
    assert row.paraphrase == pytest.approx((1 / 2 + 0 + 1) / 3)
    repeated = [dict(row, repeat="1") for row in table]
    repeated += [dict(row, repeat="2", outcome="incorrect") for row in table if row["question"] == "p00"]
    (other,) = nescio.lab.contamination(repeated, "accuracy", suspect="x").rows
    assert other.paraphrase == row.paraphrase


def test_questions_without_both_wordings_are_left_out_and_counted() -> None:
    table = rows(WORKED)
    table += [{"run": run, "question": "q99", "outcome": "correct", "paraphrase_of": None} for run in "xy"]
    table += [{"run": run, "question": "p98", "outcome": "correct", "paraphrase_of": "q98"} for run in "xy"]
    found = nescio.lab.contamination(table, "accuracy", suspect="x")
    assert found.rows[0].n == 12
    (one,) = [note for note in found.notes if note.code == "contamination.left_out"]
    assert (
        "2 questions left out, because some system has no graded outcome on the original or on the paraphrase"
        in one.text
    )


@pytest.mark.parametrize(
    ("cells", "p", "exchange", "two_sided"),
    [
        (["CCCC", "WWWW", "UUUU"], 1.0, 1.0, 1.0),  # nothing is discordant
        (["CWCC"], None, 0.5, 1.0),  # one question decides nothing, and the two are too unlike
    ],
)
def test_what_decides_nothing(cells: list[str], p: float | None, exchange: float, two_sided: float) -> None:
    (row,) = nescio.lab.contamination(rows(cells), "accuracy", suspect="x").rows
    assert (row.p, row.p_exchange, row.p_two_sided, row.low, row.high) == (p, exchange, two_sided, None, None)


def test_clusters_are_exchanged_whole() -> None:
    """Six questions in three clusters, all of which speak against x: p is 1/8."""
    cells = ["CWCC", "CCCC"] * 3
    table = [dict(row, cluster=str(int(row["question"][1:]) // 2)) for row in rows(cells)]
    (row,) = nescio.lab.contamination(table, "accuracy", suspect="x").rows
    assert row.p_exchange == pytest.approx(1 / 8)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"suspect": "z"}, "z"),
        ({"suspect": "x", "references": ["x"]}, "references"),
        ({"suspect": "x", "paraphrase_of": "source"}, "paraphrase_of"),
        ({"suspect": "x", "measures": "AURC"}, "AURC"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(options: dict[str, Any], said: str) -> None:
    table = [dict(row, confidence=0.5) for row in rows(WORKED)]
    with pytest.raises(nescio.NescioError, match=said):
        nescio.lab.contamination(table, **options)


@pytest.mark.proof
def test_a_small_version_of_the_study() -> None:
    """200 samples of 60 questions whose paraphrases are harder for both: few rejections, and the interval holds."""
    rng = np.random.default_rng(9)
    chance = np.array([0.7, 0.5])
    held = rejected = 0
    for _ in range(200):
        units = (rng.random((60, 2, 2)) < chance).astype(float)[..., None]
        rejected += exchange(lambda means: means[..., 0], units, 60, rng).p <= 0.05
        lost = units[:, :, 0, 0] - units[:, :, 1, 0]
        gained = lost[:, 0] - lost[:, 1]
        held += abs(gained.mean()) <= 2.0009953780882688 * gained.std(ddof=1) / 60**0.5
    assert rejected / 200 <= 0.06 + 3 * (0.05 * 0.95 / 200) ** 0.5
    assert held / 200 >= 0.93 - 3 * (0.05 * 0.95 / 200) ** 0.5


@pytest.mark.proof
def test_references_of_one_family_do_not_accuse_the_suspect() -> None:
    """300 samples of 60 questions; eight references share nine tenths of what is not difficulty of the question."""
    rng, size = np.random.default_rng(10), (60, 1, 2)
    rejected = 0
    for _ in range(300):
        family = np.concatenate([rng.normal(size=size), np.repeat(rng.normal(size=size), 8, axis=1)], axis=1)
        strength = 0.8 * rng.normal(size=(60, 1, 1)) + 0.9**0.5 * family + 0.1**0.5 * rng.normal(size=(60, 9, 2))
        units = (strength > 0).astype(float)[..., None]
        rejected += exchange(lambda means: means[..., 0], units, 60, rng, draws=199).p <= 0.05
    assert rejected / 300 <= 0.06 + 3 * (0.05 * 0.95 / 300) ** 0.5
