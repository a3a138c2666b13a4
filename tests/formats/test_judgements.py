"""Tables of people's verdicts: the words and columns that are read, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT, Label
from nescio.errors import FormatError, MismatchError, NescioError, UsageError
from nescio.judging.human import human
from nescio.tables.judgements import read_judgements
from nescio.tables.lexicon import lexicon
from tests import strategies
from tests.notes import in_words

from .encodings import ENCODINGS, FILES, encode, line_of
from .excerpts import place_of

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
    words = [text.split(": ", 1)[1] for text in in_words(notes)]
    assert words == ["1 × 'No' read as incorrect", "1 × 'Yes' read as correct"]


def test_the_excerpt_is_read() -> None:
    labels, _ = read_judgements(place_of("judgements") / "people.csv")
    states = [("lamp", "q1", CORRECT), ("lamp", "q2", INCORRECT), ("owl", "q1", NOT_GRADED)]
    assert [(one.run, one.question, one.state) for one in labels] == states


def states_in(words: list[Any], folder: Path, **options: Any) -> list[int]:
    rows = [{"qid": f"q{i}", "verdict": word} for i, word in enumerate(words)]
    return [label.state for label in read_judgements(encode(rows, "jsonl", folder), **options)[0]]


@pytest.mark.parametrize(
    ("words", "states"),
    [
        (["correct", "incorrect", "unanswered"], [CORRECT, INCORRECT, SILENT]),
        (["R", "W", "X", "U", "unknown"], [CORRECT, INCORRECT, INCORRECT, INCORRECT, NOT_GRADED]),
        ([True, False, None], [CORRECT, INCORRECT, NOT_GRADED]),
        ([1, 0, 1.0], [CORRECT, INCORRECT, CORRECT]),
        (["CORRECT", "NOT_ATTEMPTED"], [CORRECT, SILENT]),
        (["A", "B", "C", "A"], [CORRECT, INCORRECT, SILENT, CORRECT]),
    ],
)
def test_words(words: list[Any], states: list[int], tmp_path: Path) -> None:
    assert states_in(words, tmp_path) == states


def test_words_may_be_given_another_meaning(tmp_path: Path) -> None:
    told = {"U": "correct", "fine": "correct"}
    assert states_in(["U", "fine"], tmp_path, outcome_map=told) == [CORRECT, CORRECT]
    with pytest.raises(FormatError, match=r"line 1.*\(found 'A'\)"):  # a letter among words
        states_in(["A", "correct"], tmp_path)


def test_every_word_that_an_outcome_table_knows_is_known(tmp_path: Path) -> None:
    """In all its languages; and in both an expression of several words may have spaces, hyphens or underscores."""
    for change in (str, str.upper, lambda word: word.replace(" ", "_")):
        words = {word: state for word, state in lexicon().words.items() if word != "skipped"}  # a person skipped it
        assert states_in([change(word) for word in words], tmp_path) == list(words.values())


def test_verdicts_of_several_people_on_one_answer_name_the_column_that_tells_them_apart(tmp_path: Path) -> None:
    rows = [{"qid": f"q{i}", "who": who, "verdict": "R", "note": "x"} for i in range(3) for who in ("ann", "bo", "cy")]
    labels, _ = read_judgements(encode(rows, "csv", tmp_path))
    assert human(labels, ["a"], ["q0", "q1", "q2"])[1][-1].code == "judgements.doubled"  # they agree: one counts
    rows[4]["verdict"] = "W"
    labels, _ = read_judgements(encode(rows, "csv", tmp_path))
    with pytest.raises(MismatchError, match=r"\(who 'ann'\), and .*\(who 'bo'\); keep one verdict per answer"):
        human(labels, ["a"], ["q0", "q1", "q2"])


def test_only_verdicts_of_several_people_are_sent_to_the_command_that_settles_them(tmp_path: Path) -> None:
    for people, advised in ((["ann", "bo", "ann"], True), (["ann", "bo", "cy"], False)):  # `who` of persons or of ids
        verdicts = zip(("q0", "q0", "q1"), people, "RWR", strict=True)
        rows = [{"qid": question, "who": who, "verdict": verdict} for question, who, verdict in verdicts]
        labels, _ = read_judgements(encode(rows, "csv", tmp_path))
        with pytest.raises(MismatchError) as caught:
            human(labels, ["a"], ["q0", "q1"])
        assert ("nescio lab assessors settles" in str(caught.value)) is advised


@pytest.mark.parametrize("encoding", FILES)
def test_a_word_that_is_no_verdict(encoding: str, tmp_path: Path) -> None:
    path = encode([*ROWS[:2], {**ROWS[0], "question_id": "q3", "acceptable": "0.5"}], encoding, tmp_path)
    with pytest.raises(FormatError, match=r"\(found '0.5'\)") as caught:
        read_judgements(path)
    place = f"{path}, {line_of(3, encoding)}: "
    assert str(caught.value).startswith(f"{place}a verdict is correct, incorrect or unanswered")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"run": "1", "acceptable": "1"}, r"the table of judgements has no column of questions \(question_id, qid, id"),
        ({"qid": "1", "run": "1"}, r"the table of judgements has no column of verdicts \(outcome, verdict"),
        (
            {"qid": "1", "grade": "1", "correct": "1"},
            "grade and correct could each be the column of verdicts; name one with --verdict",
        ),
        ({"question_id": None, "verdict": "R"}, "line 2: the question is empty"),
    ],
)
def test_tables_that_do_not_tell(row: dict[str, str | None], message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_judgements(encode([row], "csv", tmp_path))


def test_the_column_may_be_named(tmp_path: Path) -> None:
    path = encode([{"qid": "q", "grade": "A", "annotator1": "No", "correct": "?"}], "csv", tmp_path)
    assert read_judgements(path, verdict="annotator1")[0][0].state == INCORRECT
    with pytest.raises(UsageError, match="there is no column 'annotator3'; columns are qid, grade"):
        read_judgements(path, verdict="annotator3")


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


@pytest.mark.sampled
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
