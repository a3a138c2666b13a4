"""PAN's truth and answers: silence is 0.5 or a missing problem."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio.errors import MismatchError, NescioError
from tests import strategies
from tests.notes import in_words

from .encodings import evidence, read, refusal
from .fuzz import at_least

T1: dict[str, Any] = {"id": "p1", "same": True, "authors": ["1", "1"]}
T2: dict[str, Any] = {"id": "p2", "same": False, "authors": ["1", "2"]}
V1: dict[str, Any] = {"id": "p1", "value": 0.9}
V2: dict[str, Any] = {"id": "p2", "value": 0.75}


def lines(path: Path, *rows: Any) -> Path:
    """A file of these objects, or of lines as they are."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def truth_and_answers(
    folder: Path, truth: tuple[Any, ...] = (T1, T2), answers: tuple[Any, ...] = (V1, V2)
) -> list[Path]:
    """A truth file and the answers of one run."""
    return [lines(folder / "truth.jsonl", *truth), lines(folder / "mine" / "answers.jsonl", *answers)]


def test_the_side_of_a_score_is_the_answer_and_its_distance_the_confidence(tmp_path: Path) -> None:
    problems = [{"id": f"p{i}", "same": i < 3} for i in range(6)]
    scores = [{"id": f"p{i}", "value": value} for i, value in enumerate([1, 0.25, 0.5, 0.0, 0.51, 0.5])]
    found = evidence(truth_and_answers(tmp_path, tuple(problems), tuple(scores)))
    assert found.runs == ("mine",)
    expected = {
        "correct": [1, 0, 0, 1, 0, 0],
        "incorrect": [0, 1, 0, 0, 1, 0],
        "unanswered": [0, 0, 1, 0, 0, 1],
        "answered": [1, 1, 0, 1, 1, 0],
        "confidence": [1.0, 0.75, np.nan, 1.0, 0.51, np.nan],
        "verification.same": [1, 1, 1, 0, 0, 0],
        "verification.value": [1, 0.25, 0.5, 0, 0.51, 0.5],
    }
    assert set(found.columns) == set(expected)
    for name, values in expected.items():
        assert_array_equal(found.columns[name], [values])


def test_a_missing_problem_is_silence_and_counted(tmp_path: Path) -> None:
    found = read(truth_and_answers(tmp_path, answers=(V1,)))
    assert in_words(found.notes) == ("run 'mine': 1 of 2 problems missing, counted as unanswered (0.5)",)
    assert found.data.digest() == evidence(truth_and_answers(tmp_path, answers=(V1, V2 | {"value": 0.5}))).digest()


def test_a_list_of_one_number_is_that_number_and_counted(tmp_path: Path) -> None:
    found = read(truth_and_answers(tmp_path, answers=(V1, V2 | {"value": [0.75]})))
    assert in_words(found.notes) == ("run 'mine': 1 value given as a list of one number, read as that number",)
    assert found.data.digest() == evidence(truth_and_answers(tmp_path)).digest()


def test_whole_numbers_are_ids_too(tmp_path: Path) -> None:
    assert evidence(truth_and_answers(tmp_path, (T1 | {"id": 1},), (V1 | {"id": "1"},))).questions == ("1",)


@pytest.mark.parametrize(("same", "expected"), [(True, 1), (False, 0), (1, 1), (0, 0)])
def test_same_is_true_or_false(same: object, expected: int, tmp_path: Path) -> None:
    assert_array_equal(
        evidence(truth_and_answers(tmp_path, (T1 | {"same": same},), (V1,))).columns["verification.same"], [[expected]]
    )


def test_runs_are_named_by_their_folders(tmp_path: Path) -> None:
    paths = [*truth_and_answers(tmp_path), lines(tmp_path / "yours" / "answers.jsonl", V1, V2)]
    assert evidence(paths).runs == ("mine", "yours")
    assert evidence([paths[2], paths[0], paths[1]]).runs == ("yours", "mine")


VALUE = "value must be a number in [0, 1]"
BAD_ANSWERS: dict[str, tuple[Any, str]] = {
    "a text": (V2 | {"value": "0.7"}, f"{VALUE} (found '0.7')"),
    "null": (V2 | {"value": None}, VALUE),
    "missing": ({"id": "p2"}, VALUE),
    "true": (V2 | {"value": True}, f"{VALUE} (found True)"),
    "below 0": (V2 | {"value": -0.01}, f"{VALUE} (found -0.01)"),
    "above 1": (V2 | {"value": 1.01}, f"{VALUE} (found 1.01)"),
    "of 400 digits": (V2 | {"value": 10**400}, VALUE),
    "nan": ('{"id": "p2", "value": NaN}', "not a JSON object: JSON has no NaN; write null"),
    "an empty list": (V2 | {"value": []}, f"{VALUE} (found [])"),
    "a list of two": (V2 | {"value": [0.1, 0.2]}, f"{VALUE} (found [0.1, 0.2])"),
    "a list of text": (V2 | {"value": ["0.1"]}, f"{VALUE} (found '0.1')"),
    "an extra problem": (V2 | {"id": "p3"}, "the truth file does not have this problem (found 'p3')"),
    "twice": (V1, "the problem appears twice (found 'p1')"),
    "no id": ({"value": 0.5}, "id must be a text or a whole number"),
}


@pytest.mark.parametrize("twin", BAD_ANSWERS)
def test_a_broken_answer(twin: str, tmp_path: Path) -> None:
    row, rule = BAD_ANSWERS[twin]
    paths = truth_and_answers(tmp_path, answers=(V1, row))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[1]}, line 2: {rule}"), message


BAD_TRUTH: dict[str, tuple[Any, str]] = {
    "null": (T2 | {"same": None}, "same must be true or false"),
    "in words": (T2 | {"same": "no"}, "same must be true or false (found 'no')"),
    "2": (T2 | {"same": 2}, "same must be true or false (found 2)"),
    "a list": (T2 | {"same": [True]}, "same must be true or false (found [True])"),
    "twice": (T1, "the problem appears twice (found 'p1')"),
    "no id": ({"same": True}, "id must be a text or a whole number"),
}


@pytest.mark.parametrize("twin", BAD_TRUTH)
def test_a_broken_truth(twin: str, tmp_path: Path) -> None:
    row, rule = BAD_TRUTH[twin]
    paths = truth_and_answers(tmp_path, truth=(T1, row))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]}, line 2: {rule}"), message


def test_truth_and_answers_belong_together(tmp_path: Path) -> None:
    truth, answers = truth_and_answers(tmp_path)
    other = lines(tmp_path / "other.jsonl", T1, T2)
    assert str(refusal(truth, MismatchError)) == f"{truth} is a PAN truth file; give the answers of the runs with it"
    assert str(refusal(answers, MismatchError)) == "PAN answers need one truth file with them, and none was given"
    assert "one truth file with them, and 2 were given" in str(refusal([truth, other, answers], MismatchError))


def test_a_name_given_to_two_runs(tmp_path: Path) -> None:
    truth, answers = truth_and_answers(tmp_path)
    other = lines(tmp_path / "yours" / "mine.jsonl", V1, V2)
    message = str(refusal([truth, answers, other], MismatchError))
    assert message == f"{answers} and {other} would both become run 'mine'; rename one of the files or folders"


def text(path: Path, *given: str) -> Path:
    """A file of these lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in given))
    return path


SHARED: dict[str, list[Any]] = {
    "2024": [{"id": "a", "is_human": [True, False]}, {"id": "b", "is_human": [False, True]}],
    "2024 in numbers": [{"id": "a", "is_human": 0}, {"id": "b", "is_human": 1.0}],
    "2025": [{"id": "a", "label": 0, "genre": "news"}, {"id": "b", "label": 1, "genre": "essays"}],
}


@pytest.mark.parametrize("year", SHARED)
def test_the_years_in_which_truth_and_answers_bear_one_key(year: str, tmp_path: Path) -> None:
    key = "label" if year == "2025" else "is_human"
    truth = lines(tmp_path / "test-truth.jsonl", *SHARED[year])
    run = lines(tmp_path / "mine" / "answers.jsonl", {"id": "a", key: 1.25}, {"id": "b", key: 0.5})
    found = read([truth, run])
    assert "pan.F1(silence=negative)" in found.measures
    assert any("1 value outside [0, 1]" in note for note in in_words(found.notes))
    data = evidence([truth, run])
    assert_array_equal(data.columns["verification.same"], [[0, 1]])
    assert_array_equal(data.columns["verification.value"], [[1.0 if key == "is_human" else 1.25, 0.5]])
    assert_array_equal(data.columns["confidence"], [[1.0, np.nan]])
    assert_array_equal(data.columns["unanswered"], [[0, 1]])
    assert ("genre" in data.strata) == (year == "2025")


def test_without_truth_in_its_name_the_truth_of_one_key_is_not_guessed(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.jsonl", *SHARED["2025"])
    run = lines(tmp_path / "mine" / "answers.jsonl", {"id": "a", "label": 0.5})
    assert 'it has "truth" in its name' in str(refusal([gold, run], MismatchError))


def test_lines_of_2014(tmp_path: Path) -> None:
    truth = text(tmp_path / "truth.txt", "\ufeffEN001 Y", "EN002 N", "DR001 N", "DR002 Y")
    run = text(tmp_path / "mine" / "answers.txt", "EN001 0.75", "EN002 .5", "DR001 0.75")
    found = read([truth, run])
    data = evidence([truth, run])
    assert data.questions == ("EN001", "EN002", "DR001", "DR002")
    assert_array_equal(data.columns["correct"], [[1, 0, 0, 0]])
    assert_array_equal(data.columns["unanswered"], [[0, 1, 0, 1]])
    assert list(data.strata["corpus"]) == ["EN", "EN", "DR", "DR"]
    assert in_words(found.notes) == ("run 'mine': 1 of 4 problems missing, counted as unanswered (0.5)",)


def test_letters_of_2013_decide(tmp_path: Path) -> None:
    truth = text(tmp_path / "truth.txt", "EN01 Y", "EN02 N", "EN03 Y")
    run = text(tmp_path / "mine" / "answers.txt", "EN01 Y 0.4", "EN02 - 0.5", "EN03 N 0.1")
    data = evidence([truth, run])
    assert_array_equal(data.columns["correct"], [[1, 0, 0]])
    assert_array_equal(data.columns["verification.value"], [[0.4, 0.5, 0.1]])
    assert any("on the opposite side from the letter" in note for note in in_words(read([truth, run]).notes))
    plain = text(tmp_path / "yours" / "answers.txt", "EN01 Y", "EN02 -", "EN03 N")
    assert_array_equal(evidence([truth, plain]).columns["verification.value"], [[1.0, 0.5, 0.0]])


BAD_LINES = {
    "out of range": ("EN002 1.5", "a line of answers is a problem and a number"),
    "a word": ("EN002 yes", "a line of answers is a problem and a number"),
    "alone": ("EN002", "a line of answers is a problem and a number"),
    "unknown": ("EN003 0.7", "the truth file does not have this problem"),
    "twice": ("EN001 0.7", "the problem appears twice"),
}


@pytest.mark.parametrize("twin", BAD_LINES)
def test_a_broken_line(twin: str, tmp_path: Path) -> None:
    line, rule = BAD_LINES[twin]
    truth = text(tmp_path / "truth.txt", "EN001 Y", "EN002 N")
    run = text(tmp_path / "mine" / "answers.txt", "EN001 0.7", line)
    message = str(refusal([truth, run]))
    assert message.startswith(f"{run}, line 2: {rule}"), message


@settings(max_examples=at_least(60))
@given(data=st.data())
def test_answers_read_at_once_are_those_read_line_by_line(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The slow way is the oracle of the quick one: the same data and notes, or the same refusal."""
    folder = tmp_path_factory.getbasetemp()
    truth = lines(folder / "truth.jsonl", T1, T2)
    sound = "".join(json.dumps(row) + "\n" for row in (V1, V2 | {"value": [0.25]})).encode()
    (folder / "mine").mkdir(exist_ok=True)
    answers = folder / "mine" / "answers.jsonl"
    answers.write_bytes(data.draw(st.one_of(st.just(sound), strategies.damage(sound))))

    def result_or_error() -> Any:
        try:
            found = read([truth, answers])
        except NescioError as error:
            return str(error)
        return found.data.digest(), in_words(found.notes)

    quick = result_or_error()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nescio.formats.benchmarks.pan.answers.plain_rows", lambda *_, **__: None)
        assert result_or_error() == quick
