"""Word overlap with a key: by hand, and the figures that the course scorer gives a real system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nescio
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.policies import Policies, apply_policies
from nescio.formats import Unjudged
from nescio.judging import judge_runs
from nescio.judging.overlap import best_overlap

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "cbc4kids"


@pytest.mark.parametrize(
    ("answer", "key", "recall", "precision"),
    [
        ("turned it into a club", "turned it into a fitness club", 5 / 6, 1.0),
        ("(Canada).", "canada", 0.0, 0.0),  # one character goes from either end: "canada)" is left
        ("(Canada)", "canada", 1.0, 1.0),
        ("the the cat", "the cat the cat", 3 / 4, 1.0),  # a multiset
        ("a an the", "the", 1.0, 1 / 3),  # no stop list
        ("club .", "club", 1.0, 1.0),  # a word that is nothing but punctuation is none
        ("clubs", "club", 0.0, 0.0),  # no stems
        ("", "club", 0.0, 0.0),
        ("...", "", 0.0, 0.0),
    ],
)
def test_by_hand(answer: str, key: str, recall: float, precision: float) -> None:
    found = best_overlap(answer, (key,))
    assert found.recall == pytest.approx(recall)
    assert found.precision == pytest.approx(precision)
    f = 2 * recall * precision / (recall + precision) if recall else 0.0
    assert found.f == pytest.approx(f)


def test_the_key_with_the_best_f_decides_and_of_equals_the_first() -> None:
    """Against "x y": F 2/3 with "x" (R 1, P 1/2), 2/5 with "x a b" (R 1/3, P 1/2); "x" and "y" are alike."""
    assert best_overlap("x y", ("x a b", "x"))[:2] == (1.0, 0.5)
    assert best_overlap("x y z", ("x y z w", "x y"))[:2] == (3 / 4, 1.0)
    assert best_overlap("x y z v", ("x", "x y z v a b c d e f g"))[2] == pytest.approx(8 / 15)
    assert best_overlap("x y", ("y a a", "x y b b"))[0] == 0.5


def blocks(path: Path) -> list[dict[str, str]]:
    """The blocks of `Name: value` lines of a file."""
    texts = re.split(r"\n\s*\n", path.read_text(encoding="latin-1"))
    found = [dict(re.findall(r"^(\w+):[ \t]*(.*?)[ \t]*$", text, re.M)) for text in texts]
    return [block for block in found if block]


@pytest.fixture(scope="module")
def course() -> Unjudged:
    """The 504 keyed questions of the course and what a student's system answered."""
    if not DATA.is_dir():
        pytest.skip("the shared data are not beside the checkout")
    keyed = blocks(DATA / "developset" / "expected.answers")
    questions = tuple(
        Question(b["QuestionID"], b["Question"], tuple(key.strip() for key in b["Answer"].split("|"))) for b in keyed
    )
    said = blocks(DATA / "student-run.response")
    responses = tuple(Response(b["QuestionID"], b["Answer"] or None, bool(b["Answer"])) for b in said)
    return Unjudged(Collection("cbc", questions), (Run("student", responses),))


def test_the_course_scorer_is_reproduced(course: Unjudged) -> None:
    """Recall .4835 (243.70 of 504), precision .3569 (148.48 of 416), F .4107: formulas 7.3 of the specification."""
    found, _ = judge_runs(course.collection, course.runs, "overlap")
    evidence, _ = apply_policies(found, Policies())
    scores = nescio.score(evidence, ["mean(overlap.recall)", "mean(overlap.precision)"], ci=None)
    recall, precision = (row.value for row in scores)
    assert [row.n for row in scores] == [504, 416]
    assert (round(recall * 504, 2), round(precision * 416, 2)) == (243.70, 148.48)
    assert (round(recall, 4), round(precision, 4)) == (0.4835, 0.3569)
    assert round(2 * recall * precision / (recall + precision), 4) == 0.4107
