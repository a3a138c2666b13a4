"""What data can do: what verbs ask of it, and what they say where it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from nescio.data.evidence import Data, Evidence, Tally, outcome_tally, with_pairs, with_questions
from nescio.errors import MismatchError

COUNTS = np.array([[3, 1, 0], [2, 1, 1]])
EVIDENCE = Evidence(
    ("a", "b"),
    ("q1", "q2"),
    {"correct": np.array([[1, 0], [1, 1]], dtype=np.int8)},
    np.zeros((2, 2), dtype=np.uint8),
)
TABLE = outcome_tally(["a", "b"], COUNTS)
PAIRED = replace(TABLE, size=4, pairs=np.array([[[2, 1, 0], [0, 0, 1], [0, 0, 0]]]))


@pytest.mark.parametrize(
    ("data", "what", "questions", "pairs", "shape"),
    [
        (EVIDENCE, "this data", True, True, {"questions": "2"}),
        (TABLE, "a counts table", False, False, {}),
        (PAIRED, "a pair table", False, True, {"questions": "4"}),
    ],
)
def test_what_data_can_do(data: Data, what: str, questions: bool, pairs: bool, shape: dict[str, str]) -> None:
    assert (data.what, data.has_questions, data.can_pair, data.shape) == (what, questions, pairs, shape)
    assert (data.clusters, data.groups, data.repeats, dict(data.strata)) == (None, None, None, {})
    assert data.resampled == "questions"
    assert isinstance(data.tally(), Tally)
    if data.has_questions:
        assert with_questions(data, "draw") is data
    else:
        with pytest.raises(MismatchError, match=f"^{what} has no questions to draw; count them$"):
            with_questions(data, "draw", "count them")


def test_pairs_are_needed_to_compare() -> None:
    assert with_pairs(EVIDENCE) is EVIDENCE
    assert with_pairs(PAIRED) is PAIRED
    with pytest.raises(MismatchError, match="use an outcome table, or a pair table"):
        with_pairs(TABLE)


def test_n_is_one_of_each_pattern() -> None:
    assert TABLE.column("n").tolist() == [1, 1, 1]
    assert TABLE.column("correct").tolist() == [1, 0, 0]
