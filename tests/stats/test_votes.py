"""Votes: statistics3, section 4, and statistics3-b, section 5, worked by independent scripts."""

from __future__ import annotations

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.stats.votes import vote


def keys(*rows: str, right: str, silent: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.array([[-1 if letter == silent else ord(letter) for letter in row] for row in rows])
    return table, table == ord(right)


def figures(found: object) -> tuple[float, float, float]:
    return tuple(float(getattr(found, name).mean()) for name in ("right", "wrong", "silent"))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("of", "at_least", "right", "wrong", "silent", "c_at_1", "uf"),
    [
        (1, 1, 2 / 5, 1 / 2, 1 / 10, 11 / 25, -1 / 10),
        (3, 2, 13 / 40, 13 / 40, 7 / 20, 351 / 800, 0),
        (3, 3, 1 / 40, 1 / 10, 7 / 8, 3 / 64, -3 / 40),
        (5, 3, 1 / 4, 1 / 4, 1 / 2, 3 / 8, 0),
        (5, 4, 0, 1 / 4, 3 / 4, 0, -1 / 4),
    ],
)
def test_votes_that_need_so_many(
    of: int, at_least: int, right: float, wrong: float, silent: float, c_at_1: float, uf: float
) -> None:
    """Section 4, worked: R right, 1 and 2 wrong answers, S silent."""
    table, good = keys("RRR12", "RR11S", "1111R", "RR12S", right="R", silent="S")
    found = figures(vote(table, good, of, "answers", at_least))
    assert found == pytest.approx((right, wrong, silent), abs=1e-12)
    assert found[0] * (1 + found[2]) == pytest.approx(c_at_1, abs=1e-12)
    assert found[0] - found[1] == pytest.approx(uf, abs=1e-12)


def test_three_rules() -> None:
    table, good = keys("aaabU", "aabbU", "aabcU", "aUUUU", "UUUUU", "bbbac", right="a", silent="U")
    for rule, expected in (("answers", "CUUCUW"), ("samples", "CUUUUW"), ("plurality", "CUCCUW")):
        found = vote(table, good, 5, rule)  # type: ignore[arg-type]
        said = ["C" if c else "W" if w else "U" for c, w in zip(found.right, found.wrong, strict=True)]
        assert "".join(said) == expected


def test_votes_of_fewer_samples_than_there_are() -> None:
    """Section 5 of statistics3-b, worked: the mean over all sets of three of five."""
    table, good = keys("aaabU", "aabbU", "aabcU", "aUUUU", "UUUUU", "bbbac", right="a", silent="U")
    for rule, expected, c_at_1 in (
        ("answers", (0.3166666667, 0.1666666667, 0.5166666667), 0.4802777778),
        ("samples", (0.2166666667, 0.1666666667, 0.6166666667), 0.3502777778),
    ):
        found = figures(vote(table, good, 3, rule))  # type: ignore[arg-type]
        assert found == pytest.approx(expected, abs=1e-9)
        assert found[0] * (1 + found[2]) == pytest.approx(c_at_1, abs=1e-9)


def test_an_answer_with_two_verdicts_has_that_of_most() -> None:
    table = np.array([[1, 1, 1], [1, 1, -1]])
    right = np.array([[True, True, False], [True, False, False]])
    found = vote(table, right, 3, "answers")
    assert (found.right.tolist(), found.wrong.tolist()) == ([1, 0], [0, 1])


def test_more_sets_than_can_be_counted_are_refused() -> None:
    with pytest.raises(UsageError, match="too many sets of 15 of 30"):
        vote(np.zeros((1, 30), dtype=np.int64), np.ones((1, 30), dtype=bool), 15, "answers")
