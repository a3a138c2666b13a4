"""Collections, pairs and responses of AVE are written as they were read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.errors import FormatError, MismatchError
from nescio.formats import REGISTRY, open_source
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Pair, Validation, Value
from nescio.tasks.ave.reader import (
    read_exercise,
    read_pairs,
    read_responses,
    write_exercise,
    write_pairs,
    write_responses,
)
from tests.formats.cases import Case
from tests.formats.excerpts import READERS
from tests.formats.fuzz import write_files

FILES = Case("ave", "a collection", {"states": ""}).texts()
PAIRS: str = READERS["ave"]["template"]["pairs"]


def test_figure_3_is_read_and_a_test_set_written_without_its_values(tmp_path: Path) -> None:
    collection, _ = write_files(tmp_path, FILES)
    found = read_exercise(open_source(collection))
    assert found.questions == (Question("116", "What is Zanussi?", strata={"language": "EN"}),)
    assert [(each.id, each.answer, each.document, each.value) for each in found.candidates] == [
        ("116_1", "was an Italian producer of home appliances", "Zanussi", Value.VALIDATED),
        ("116_2", "who had also been in Cassibile since August 31", "en/p29/2998260.xml", Value.REJECTED),
        ("116_4", "3", "1618911.xml", Value.UNKNOWN),
    ]
    assert found.candidates[2].text == "(1985) 3 Out of 5 Live (1985) What Is This?"
    write_exercise(found, tmp_path / "test.xml", values=False)
    assert (tmp_path / "test.xml").read_text().count('value=""') == 3
    assert [each.value for each in read_exercise(open_source(tmp_path / "test.xml")).candidates] == [None] * 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.xml", FILES["collection.xml"]),
        ("p.xml", PAIRS),
        ("r.txt", "116 116_1 SELECTED 1\n"),  # as many cells as qrels, the last a whole number
        ("r.res", "\n\n116 116_1 REJECTED\n"),
        ("r.txt", "116 116_1 SELCTED x\n116 116_2 REJECTED 0.25\n"),  # the first line unsound
        ("p.txt", "EN001 YES 0.5\n"),
    ],
)
def test_no_other_format_takes_the_same_file(name: str, content: str, tmp_path: Path) -> None:
    source = open_source(write_files(tmp_path, {name: content})[0])
    assert [each.name for each in REGISTRY.values() if each.recognise(source)] == ["ave"]


texts = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Cf")), min_size=1, max_size=12)
words = texts.map(lambda text: " ".join(text.split()))
names = st.from_regex(r"\A[\w.-]{1,5}\Z")
candidates = st.builds(
    Candidate,
    st.just("q"),
    names,
    words,
    words,
    st.none() | words.filter(bool),
    st.none() | st.sampled_from(Value),
    st.none() | words.filter(bool),
)


@pytest.mark.sampled
@given(
    made=st.lists(candidates, min_size=1, max_size=4, unique_by=lambda each: each.id),
    text=words.filter(bool),
    lang=names,
)
def test_what_is_written_is_read_again(
    made: list[Candidate], text: str, lang: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("ave") / "made.xml"
    exercise = Exercise("made", (Question("q", text, strata={"language": lang}),), tuple(made))
    assert write_exercise(exercise, path, systems=True) == 0
    assert read_exercise(open_source(path)) == exercise


def test_pairs_and_responses_are_read_as_written(tmp_path: Path) -> None:
    path, collection, run = write_files(tmp_path, {"p.xml": PAIRS, **FILES})
    pairs = read_pairs(open_source(path))
    assert pairs[0] == Pair("1", "The text.", "The claim.", Value.VALIDATED, "7", "d1", "EN")
    assert [pair.value for pair in pairs] == [Value.VALIDATED, Value.REJECTED, Value.VALIDATED]
    assert write_pairs(pairs, tmp_path / "again.xml") == 0
    assert read_pairs(open_source(tmp_path / "again.xml")) == pairs
    assert write_pairs([Pair("1", "a\x00b", "h")], tmp_path / "odd.xml") == 1
    exercise = read_exercise(open_source(collection))
    decisions = read_responses(open_source(run), exercise)
    write_responses(decisions, tmp_path / "again.txt")
    assert read_responses(open_source(tmp_path / "again.txt"), exercise) == decisions
    with pytest.raises(FormatError, match=r"no answer \(element"):
        read_exercise(open_source(path))


def test_nothing_is_written_that_could_not_be_read(tmp_path: Path) -> None:
    for question, answer, rule in (
        (Question("a b", "?"), "1", "cannot hold the id 'a b'"),
        (Question("a", "?"), "1\n2", "cannot hold the id"),
        (Question("a", " "), "1", "question 'a' has no text"),
    ):
        exercise = Exercise("c", (question,), (Candidate(question.id, answer, "x", "t"),))
        with pytest.raises(MismatchError, match=rule):
            write_exercise(exercise, tmp_path / "c.xml")
    with pytest.raises(MismatchError, match="cannot hold the id ''"):
        write_pairs([Pair("", "t", "h")], tmp_path / "p.xml")
    with pytest.raises(MismatchError, match="cannot hold the id 'a b'"):
        write_responses([Validation("a b", "1", Decision.REJECTED)], tmp_path / "r.txt")
    assert not list(tmp_path.iterdir())
