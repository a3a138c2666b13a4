"""Tables of people's verdicts: the words and columns that are read, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Label
from nescio.errors import FormatError, MismatchError, NescioError, UsageError
from nescio.formats.native import headers
from nescio.formats.native.judgements import read_judgements
from nescio.judging.human import human
from nescio.pipeline import load
from tests import strategies
from tests.formats.encodings import ENCODINGS, FILES, encode, line_of
from tests.notes import in_words

ROWS: list[dict[str, Any]] = [
    {"run": "a", "question_id": "q1", "question": "Who?", "prediction": "Ann", "acceptable": "Yes"},
    {"run": "a", "question_id": "q2", "question": "Where?", "prediction": "Rome", "acceptable": "No"},
    {"run": "b", "question_id": "q1", "question": "Who?", "prediction": "Bob", "acceptable": None},
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_table_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    labels, notes = read_judgements(encode(ROWS, encoding, tmp_path))
    found = [(one.run, one.question, one.answer, one.state) for one in labels]
    assert found == [("a", "q1", "Ann", CORRECT), ("a", "q2", "Rome", INCORRECT), ("b", "q1", "Bob", NOT_GRADED)]
    assert [text.split(": ", 1)[1] for text in in_words(notes)] == [
        "1 × 'No' read as incorrect",
        "1 × 'Yes' read as correct",
    ]


def states(words: list[Any], folder: Path, column: str = "verdict", **options: Any) -> list[int]:
    rows = [{"qid": f"q{i}", column: word} for i, word in enumerate(words)]
    return [label.state for label in read_judgements(encode(rows, "jsonl", folder), **options)[0]]


def test_words(tmp_path: Path) -> None:
    assert states(["correct", "incorrect", "unanswered"], tmp_path) == [CORRECT, INCORRECT, SILENT]
    assert states(["R", "W", "X", "U", "unknown"], tmp_path) == [CORRECT, INCORRECT, INCORRECT, INCORRECT, NOT_GRADED]
    assert states([True, False, None], tmp_path) == [CORRECT, INCORRECT, NOT_GRADED]
    assert states([1, 0, 1.0], tmp_path) == [CORRECT, INCORRECT, CORRECT]
    assert states(["CORRECT", "NOT_ATTEMPTED"], tmp_path) == [CORRECT, SILENT]
    assert states(["A", "B", "C", "A"], tmp_path) == [CORRECT, INCORRECT, SILENT, CORRECT]
    assert states(["U", "fine"], tmp_path, outcome_map={"U": "correct", "fine": "correct"}) == [CORRECT, CORRECT]


def test_every_word_that_an_outcome_table_knows_is_known(tmp_path: Path) -> None:
    """In all its languages; and in both an expression of several words may have spaces, hyphens or underscores."""
    for word, state in headers.WORDS.items():
        assert states([word, word.upper(), word.replace(" ", "_"), "correct"], tmp_path)[:3] == [state] * 3, word


def test_verdicts_of_several_people_on_one_answer_name_the_column_that_tells_them_apart(tmp_path: Path) -> None:
    rows = [{"qid": f"q{i}", "who": who, "verdict": "R", "note": "x"} for i in range(3) for who in ("ann", "bo", "cy")]
    labels, _ = read_judgements(encode(rows, "csv", tmp_path))
    assert human(labels, ["a"], ["q0", "q1", "q2"])[1][-1].code == "judgements.doubled"  # they agree: one counts
    rows[4]["verdict"] = "W"
    labels, _ = read_judgements(encode(rows, "csv", tmp_path))
    with pytest.raises(MismatchError, match=r"\(who 'ann'\), and .*\(who 'bo'\); keep one verdict on each answer"):
        human(labels, ["a"], ["q0", "q1", "q2"])
    table = encode([{**row, "outcome": "correct", "annotator": row.pop("who")} for row in rows], "csv", tmp_path)
    with pytest.raises(FormatError, match="'annotator' says whose verdict it is: keep one verdict on each answer"):
        load(table)


@pytest.mark.parametrize("encoding", FILES)
def test_a_word_that_is_no_verdict(encoding: str, tmp_path: Path) -> None:
    rows = [*ROWS[:2], {**ROWS[0], "question_id": "q3", "acceptable": "0.5"}]
    path = encode(rows, encoding, tmp_path)
    with pytest.raises(FormatError) as caught:
        read_judgements(path)
    assert str(caught.value).startswith(
        f"{path}, {line_of(3, encoding)}: a verdict is correct, incorrect or unanswered"
    )
    assert "(found '0.5')" in str(caught.value)


def test_letters_among_words_are_no_verdicts(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 1.*\(found 'A'\)"):
        states(["A", "correct"], tmp_path)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("run", "acceptable"), "judgements name the question in a column question_id, qid, id, question"),
        (("qid", "run"), "judgements hold the verdict in a column outcome, verdict"),
        (("qid", "grade", "correct"), "grade and correct could each be the verdict; name one with --verdict"),
    ],
)
def test_columns_that_do_not_tell(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    path = encode([dict.fromkeys(names, "1")], "csv", tmp_path)
    with pytest.raises(FormatError, match=message):
        read_judgements(path)


def test_the_column_may_be_named(tmp_path: Path) -> None:
    path = encode([{"qid": "q", "grade": "A", "annotator1": "No", "correct": "?"}], "csv", tmp_path)
    assert read_judgements(path, verdict="annotator1")[0][0].state == INCORRECT
    with pytest.raises(UsageError, match="there is no column 'annotator3'; columns are qid, grade"):
        read_judgements(path, verdict="annotator3")


def test_a_row_without_a_question(tmp_path: Path) -> None:
    path = encode([ROWS[0], {**ROWS[1], "question_id": None}], "csv", tmp_path)
    with pytest.raises(FormatError, match="line 3: the question is empty"):
        read_judgements(path)


def test_what_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "human.json"
    path.write_text('[{"qid": "q1", "verdict": "R"}]')
    with pytest.raises(FormatError, match="judgements are a table"):
        read_judgements(path)
    with pytest.raises(FormatError, match="there is no such file"):
        read_judgements(tmp_path / "none.csv")


def test_an_outcome_table_serves(tmp_path: Path) -> None:
    path = encode([{"run": "a", "question": "q1", "outcome": "correct", "confidence": 0.5}], "csv", tmp_path)
    assert read_judgements(path)[0] == [Label("q1", CORRECT, "a", None, f"{path}, row 1")]


SOUND = b'run,question_id,prediction,verdict\na,q1,"Rome, Italy",correct\na,q2,,W\nb,q1,Oslo,\n'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(strategies.damage(SOUND), st.sampled_from([".csv", ".tsv", ".jsonl"]))
def test_random_damage_is_read_or_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"human{suffix}"
    path.write_bytes(content)
    try:
        labels, _ = read_judgements(path)
    except NescioError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert labels
