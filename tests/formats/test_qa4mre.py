"""CLEF's QA4MRE: gold, test and runs in XML; no chosen option is silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from numpy.testing import assert_array_equal

from nescio import score
from nescio.errors import MismatchError
from nescio.pipeline import read_collection

from .encodings import evidence, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "qa4mre"
real = pytest.mark.skipif(not DATA.exists(), reason="the QA4MRE files are not beside the checkout")
GOLD = """<?xml version="1.0" encoding="UTF-8"?>
<test-set><topic t_id="1" t_name="AIDS">
<reading-test r_id="1"><doc d_id="1">A text.</doc>
<q q_id="1"><q_str>Why?</q_str><answer a_id="1">a</answer><answer a_id="2" correct="Yes">b</answer></q>
<q q_id="2"><q_str>Who?</q_str><answer a_id="1">Ann</answer><answer a_id="2" correct="Yes">None of the above</answer></q>
</reading-test>
<reading-test r_id="2"><doc d_id="2">Another.</doc>
<question q_id="1"><q_str>When?</q_str><answer a_id="1" correct="Yes">now</answer><answer a_id="2">2</answer></question>
</reading-test></topic></test-set>
"""
RUN = """<output run_id="team1205enen"><topic t_id="1">
<reading-test r_id="1">
<question q_id="1" answered="YES"><answer a_id="2"/></question>
<question q_id="2" answered="NO"/>
</reading-test>
<reading-test r_id="2">
<question q_id="1" answered="YES"><answer a_id="2" confidence="0.5"/></question>
</reading-test></topic></output>
"""


def files(folder: Path, gold: str = GOLD, run: str = RUN) -> list[Path]:
    """A gold file and a run."""
    return write_files(folder, {"EN_GS.xml": gold, "run.xml": run})


def test_what_files_hold(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(files(tmp_path))
    assert (found.runs, found.questions, notes) == (("team1205enen",), ("1-1-1", "1-1-2", "1-2-1"), ())
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])
    assert_array_equal(found.columns["incorrect"], [[0, 0, 1]])  # by its a_id: the other option's text is "2"
    assert_array_equal(found.columns["unanswered"], [[0, 1, 0]])
    assert_array_equal(found.columns["confidence"], [[np.nan, np.nan, 0.5]])
    assert list(found.strata["topic"]) == ["AIDS"] * 3
    assert list(found.strata["reading_test"]) == ["1-1", "1-1", "1-2"]
    assert found.clusters is not None
    assert list(found.clusters) == [0, 0, 1]


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ('<question q_id="2"/>', "unanswered"),
        ('<question q_id="2" answered="NO_CANDIDATE"/>', "unanswered"),
        ('<question q_id="2" answered="NO"><answer a_id=""/></question>', "unanswered"),
        ('<question q_id="2"><answer a_id="2">None of the above</answer></question>', "correct"),
        ('<q q_id="2"><answer a_id="1"/></q>', "incorrect"),
        ('<q q_id="2"><answer a_id="1"/><answer a_id="2" selected="YES"/></q>', "correct"),
        ('<q q_id="2"><answer a_id="1" selected="no"/><answer a_id="2" selected="no"/></q>', "unanswered"),
        ('<question q_id="2" answered="NO"><answer a_id="2"/></question>', "candidate_correct"),
        ('<question q_id="2" answered="NO"><answer a_id="1"/></question>', "candidate_incorrect"),
    ],
)
def test_ways_to_answer_and_not_to(question: str, column: str, tmp_path: Path) -> None:
    found = evidence(files(tmp_path, run=RUN.replace('<question q_id="2" answered="NO"/>', question)))
    assert found.columns[column][0, 1] == 1
    if column.startswith("candidate"):
        assert found.columns["unanswered"][0, 1] == 1


def test_a_run_without_topics(tmp_path: Path) -> None:
    run = RUN.replace('<topic t_id="1">', "").replace("</topic>", "").replace(' run_id="team1205enen"', "")
    found = evidence(files(tmp_path, run=run))
    assert found.runs == ("run",)
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])


def test_a_gold_that_numbers_its_tests_otherwise(tmp_path: Path) -> None:
    """In the test that the run answered, the two reading tests stand the other way round."""
    unmarked = GOLD.replace(' correct="Yes"', "")
    turned = unmarked.replace('r_id="1"', 'r_id="x"').replace('r_id="2"', 'r_id="1"').replace('r_id="x"', 'r_id="2"')
    run = RUN.replace('r_id="1"', 'r_id="x"').replace('r_id="2"', 'r_id="1"').replace('r_id="x"', 'r_id="2"')
    gold, mine = files(tmp_path, run=run)
    test = write_files(tmp_path, {"EN_test.xml": turned})[0]
    found, notes = evidence_and_notes([gold, test, mine])
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])
    assert notes[0].startswith("3 of 3 questions have different numbers in ")
    assert "has no such question" in str(refusal([gold, mine]))
    same = write_files(tmp_path, {"EN_test.xml": unmarked})[0]
    assert evidence_and_notes([gold, same, files(tmp_path)[1]])[1] == ()
    other = write_files(tmp_path, {"EN_test.xml": unmarked.replace("Who?", "Which?")})[0]
    assert "has no question worded like question 1-1-2" in str(refusal([gold, other, mine], MismatchError))


def test_files_that_belong_together(tmp_path: Path) -> None:
    gold, mine = files(tmp_path)
    test = write_files(tmp_path, {"EN_test.xml": GOLD.replace(' correct="Yes"', "")})[0]
    for given_, rule in (
        ([test], "a test without its gold"),
        ([test, mine], "a test without its gold"),
        ([mine], "a run"),
    ):
        message = str(refusal(given_, MismatchError))
        assert f'is {rule}: give the file in which right options are marked correct="Yes"' in message
    assert str(refusal(gold, MismatchError)) == f"{gold} is a gold file of QA4MRE; give the runs with it"
    again = write_files(tmp_path, {"again.xml": GOLD})[0]
    assert "are both gold files of QA4MRE" in str(refusal([gold, again, mine], MismatchError))


BROKEN_RUNS: dict[str, tuple[str, str]] = {
    "an unknown option": (
        '<question q_id="2"><answer a_id="9"/></question>',
        "no option has this a_id; those of this question are 1, 2",
    ),
    "two answers": ('<q q_id="2"><answer a_id="1"/><answer a_id="2"/></q>', "a question can have at most one answer"),
    "answered by nothing": ('<question q_id="2" answered="YES"/>', "is marked as answered, but has no answer"),
    "answered perhaps": ('<question q_id="2" answered="perhaps"/>', "answered must be YES or NO (found 'perhaps')"),
    "an unknown question": (
        '<question q_id="7"/>',
        "the test has no such question (topic, reading test, question) (found '1-1-7')",
    ),
    "twice": ('<question q_id="1"/>', "question 1-1-1 appears twice; first on line 3"),
    "no number": ("<question/>", "a question must have a q_id and be in a reading-test with an r_id"),
    "other words": (
        '<q q_id="2"><q_str>What?</q_str></q>',
        "the gold has a different question with this number ('Who?')",
    ),
    "confidence": (
        '<q q_id="2"><answer a_id="1" confidence="x"/></q>',
        "confidence must be a finite number (found 'x')",
    ),
}


@pytest.mark.parametrize("twin", BROKEN_RUNS)
def test_a_broken_run(twin: str, tmp_path: Path) -> None:
    question, rule = BROKEN_RUNS[twin]
    paths = files(tmp_path, run=RUN.replace('<question q_id="2" answered="NO"/>', question))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[1]}, line 4: "), message
    assert rule in message


BROKEN_GOLD: dict[str, tuple[str, str, str]] = {
    "nothing marked": ('correct="Yes">b', ">b", 'no option of question 1-1-1 is marked correct="Yes"'),
    "no options": (
        '<answer a_id="1">a</answer><answer a_id="2" correct="Yes">b</answer>',
        "",
        "a question must have options",
    ),
    "an option twice": (
        '<answer a_id="1">a',
        '<answer a_id="2">a',
        "an answer must have an a_id of its own (found '2')",
    ),
    "an empty option": ('<answer a_id="1">a', '<answer a_id="1">', "an option is empty (found '1')"),
    "a question twice": ('<q q_id="2">', '<q q_id="1">', "question 1-1-1 appears twice; first on line 4"),
}


@pytest.mark.parametrize("twin", BROKEN_GOLD)
def test_a_broken_gold(twin: str, tmp_path: Path) -> None:
    old, new, rule = BROKEN_GOLD[twin]
    paths = files(tmp_path, GOLD.replace(old, new))
    message = str(refusal(paths))
    assert message.startswith(f"{paths[0]}, line "), message
    assert rule in message


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    paths = files(tmp_path, GOLD.replace("<test-set>", f"{bomb}<test-set>").replace(">now<", ">&b;<"))
    assert str(refusal(paths)).startswith(str(paths[0]))


@pytest.mark.fuzz("qa4mre")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    sample = {"EN_GS.xml": GOLD, "run.xml": RUN}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), sample, missing="unanswered")


def last_options(test: Path, run: Path) -> Path:
    """A run that names the last option of every question but those of the first reading test, where it is silent."""
    root, output = etree.parse(str(test)).getroot(), etree.Element("output", run_id="last")
    for topic in root.iter("topic"):
        above = etree.SubElement(output, "topic", t_id=topic.get("t_id"))
        for i, reading in enumerate(topic.iter("reading-test")):
            inside = etree.SubElement(above, "reading-test", r_id=reading.get("r_id"))
            for asked in reading.iter("q"):
                said = etree.SubElement(inside, "question", q_id=asked.get("q_id"), answered="YES" if i else "NO")
                if i:
                    etree.SubElement(said, "answer", a_id=asked.findall("answer")[-1].get("a_id"))
    etree.ElementTree(output).write(str(run))
    return run


@real
def test_the_collection_of_2012(tmp_path: Path) -> None:
    """160 questions with 5 options; the last option is right where the XML says so, counted here anew."""
    gold = DATA / "QA4MRE-2012-EN_GS.xml"
    run = last_options(gold, tmp_path / "run.xml")
    asked = list(etree.parse(str(gold)).getroot().iter("q"))
    firsts = {
        reading.get("r_id")
        for reading in (topic.find("reading-test") for topic in etree.parse(str(gold)).iter("topic"))
    }
    loud = [one for one in asked if one.getparent().get("r_id") not in firsts]
    right = sum(one.findall("answer")[-1].get("correct") == "Yes" for one in loud)
    silent = len(asked) - len(loud)
    assert (len(asked), silent) == (160, 40)
    found = score([str(gold), str(run)], ["c@1"], ci=None)
    assert found.value("last", "c@1") == pytest.approx((right + silent * right / 160) / 160)


@real
def test_the_test_of_2013_is_numbered_otherwise_than_its_gold(tmp_path: Path) -> None:
    """A run on the test: its answers are matched by the wording of the questions, 85 of which have other numbers."""
    gold, test = DATA / "QA4MRE-2013-alzheimer-EN_GS.xml", DATA / "QA4MRE-2013-alzheimer-EN_test.xml"
    run = last_options(test, tmp_path / "run.xml")
    found, notes = evidence_and_notes([gold, test, run])
    assert notes[0].startswith("85 of 100 questions have different numbers")
    asked = list(etree.parse(str(gold)).getroot().iter("q"))
    first = etree.parse(str(test)).getroot().find(".//reading-test")
    silent = {one.findtext("q_str") for one in first.iter("q")}
    right = {one.findtext("q_str") for one in asked if one.findall("answer")[-1].get("correct") == "Yes"}
    assert found.columns["correct"].sum() == len(right - silent)
    assert found.columns["unanswered"].sum() == 15


def test_the_questions_with_their_texts(tmp_path: Path) -> None:
    gold, run = files(tmp_path, GOLD.replace("A text.", "A text. It goes on."))
    collection, _ = read_collection([gold])
    assert [question.answers for question in collection.questions] == [("b",), ("None of the above",), ("now",)]
    assert collection.questions[1].story == ("A text.", "It goes on.")
    assert "is a run; give the test" in str(refusal_of_collection([run]))


def test_a_test_takes_the_right_options_of_its_gold_by_their_texts(tmp_path: Path) -> None:
    """The test numbers its reading tests, and the options of a question, otherwise than the gold."""
    test = GOLD.replace(' correct="Yes"', "").replace('r_id="1"', 'r_id="9"')
    test = test.replace(
        '<answer a_id="1">a</answer><answer a_id="2">b</answer>',
        '<answer a_id="2">a</answer><answer a_id="1">b</answer>',
    )
    gold, test_ = write_files(tmp_path, {"GS.xml": GOLD, "test.xml": test})
    bare, _ = read_collection([test_])
    assert [(question.id, question.answers) for question in bare.questions[:2]] == [("1-9-1", ()), ("1-9-2", ())]
    rows = '{"id": "1-9-1", "answer": "b"}\n{"id": "1-9-2", "answer": "None of the above"}\n'
    (own,) = write_files(tmp_path, {"own.jsonl": rows})
    found, notes = evidence_and_notes([gold, test_, own], missing="unanswered")
    assert_array_equal(found.columns["correct"], [[1, 1, 0]])
    assert "2 of 3 questions have different numbers" in notes[0]


def refusal_of_collection(paths: list[Path]) -> MismatchError:
    with pytest.raises(MismatchError) as caught:
        read_collection(paths)
    return caught.value
