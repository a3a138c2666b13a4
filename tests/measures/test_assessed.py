"""R, W, X and U: read from tables, kept when they are written, and measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError, NescioError

MEASURES = ["strict_accuracy", "lenient_accuracy", "inexact_rate", "unsupported_rate", "accuracy"]
# By hand, of ten questions: 4 R, 1 W, 2 X, 1 U and 2 silent.
VALUES = [0.4, 0.5, 0.2, 0.1, 0.4]
LETTERS = "R r R R W X x U unanswered unanswered"


def table(folder: Path, words: str) -> Path:
    path = folder / "t.csv"
    path.write_text("question,outcome\n" + "".join(f"q{i},{word}\n" for i, word in enumerate(words.split())))
    return path


def test_letters_and_words_are_read_and_kept(tmp_path: Path) -> None:
    words = "correct correct correct correct incorrect inexact Inexact unsupported unanswered unanswered"
    paths = [table(tmp_path, words)]
    for suffix in (".csv", ".jsonl", ".parquet"):
        paths.append(tmp_path / f"again{suffix}")
        nescio.convert([table(tmp_path, LETTERS)], paths[-1])
    for path in paths:
        assert [row.value for row in nescio.score(path, MEASURES, ci=None)] == pytest.approx(VALUES)


def test_u_may_be_unanswered_or_unsupported_and_is_refused_without_x(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="what do 'R', 'U', 'W' in 'outcome' mean"):
        nescio.score(table(tmp_path, "R W U"))


def test_a_word_that_the_user_maps_is_what_the_user_says(tmp_path: Path) -> None:
    path = table(tmp_path, "R R W X")
    assert nescio.score(path, "accuracy", outcome_map={"X": "correct"}, ci=None).rows[0].value == pytest.approx(0.75)


def test_data_without_these_verdicts_have_no_lenient_accuracy(tmp_path: Path) -> None:
    with pytest.raises(NescioError, match="unsupported"):
        nescio.score(table(tmp_path, "correct incorrect"), "lenient_accuracy")


def test_an_unsupported_answer_that_silence_replaces_earns_nothing(tmp_path: Path) -> None:
    """Questions that a run lacks count as unanswered: neither inexact nor unsupported."""
    path = tmp_path / "t.csv"
    path.write_text("run,question,outcome\na,1,R\na,2,X\na,3,unsupported\nb,1,R\n")
    scores = nescio.score(path, "lenient_accuracy", missing="unanswered", ci=None)
    assert {row.run: row.value for row in scores} == {"a": pytest.approx(2 / 3), "b": pytest.approx(1 / 3)}
