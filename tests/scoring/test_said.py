"""What scores say of themselves: formulas without a value, data that lack what a measure needs, answers that decide."""

from __future__ import annotations

import pyarrow as pa
import pytest

import nescio
from nescio.errors import MissingColumnError


def table(outcomes: list[str], confidences: list[float]) -> pa.Table:
    ids = [str(i) for i in range(len(outcomes))]
    return pa.table({"question": ids, "outcome": outcomes, "confidence": confidences})


def test_a_formula_that_has_no_value_says_so() -> None:
    scores = nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "formula(C/0)", ci=None)
    assert str(scores.rows[0].value) == "nan"
    assert "score.formula_undefined" in {note.code for note in scores.notes}
    defined = nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "formula(C/n)", ci=None)
    assert "score.formula_undefined" not in {note.code for note in defined.notes}


def test_a_measure_of_documents_says_what_the_data_lack() -> None:
    with pytest.raises(MissingColumnError, match=r"trec\.AP: it needs documents that a run ranks .*\(qrels\)"):
        nescio.score(table(["correct", "incorrect"], [0.9, 0.1]), "trec.AP", ci=None)


@pytest.mark.parametrize(("sure", "noted"), [(0, False), (1, True), (9, True), (10, False)])
def test_few_answers_that_are_sure_and_wrong_are_noted(sure: int, noted: bool) -> None:
    data = table(["incorrect"] * 20 + ["correct"] * 40, [0.995] * sure + [0.6] * (60 - sure))
    notes = {note.code for note in nescio.score(data, "BAS", resamples=100).notes}
    assert ("calibration.sure_wrong" in notes) is noted
