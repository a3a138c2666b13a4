"""Questions of a benchmark read without a run: with their texts, options and stories."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from nescio import score
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.folder_reader import files_in
from nescio.pipeline import read_collection

from .cases import SHARED, Case
from .fuzz import evidence_and_notes, write_files

shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared files are not beside the checkout")
QA4MRE = Case("qa4mre", "a gold", {"states": ""}).texts()
CBC = Case(
    "cbc", "a key", {"files": {"s.story": {"like": "school"}, "t.story": {"like": "feet"}}, "states": ""}
).texts()
MCTEST = Case("mctest", "stories", {"states": ""}).texts()


def test_the_questions_of_qa4mre_with_their_texts(tmp_path: Path) -> None:
    gold, run = write_files(tmp_path, QA4MRE)
    gold.write_text(gold.read_text().replace("A text.", "A text. It goes on."))
    collection, _ = read_collection([gold])
    assert [question.answers for question in collection.questions] == [("b",), ("None of the above",), ("now",)]
    assert collection.questions[1].story == ("A text.", "It goes on.")
    with pytest.raises(MismatchError, match="is a run; also give the test"):
        read_collection([run])


def test_a_test_takes_the_right_options_of_its_gold_by_their_texts(tmp_path: Path) -> None:
    """The test numbers its reading tests, and the options of a question, otherwise than the gold."""
    gold_text = str(QA4MRE["EN_GS.xml"])
    test_text = gold_text.replace(' correct="Yes"', "").replace('r_id="1"', 'r_id="9"')
    for old, new in (('a_id="1">a<', 'a_id="x">a<'), ('a_id="2">b<', 'a_id="1">b<'), ('"x">a<', '"2">a<')):
        test_text = test_text.replace(old, new)
    rows = '{"id": "1-9-1", "answer": "b"}\n{"id": "1-9-2", "answer": "None of the above"}\n'
    gold, test, own = write_files(tmp_path, {"GS.xml": gold_text, "test.xml": test_text, "own.jsonl": rows})
    bare, _ = read_collection([test])
    assert [(question.id, question.answers) for question in bare.questions[:2]] == [("1-9-1", ()), ("1-9-2", ())]
    found, notes = evidence_and_notes([gold, test, own], missing="unanswered")
    assert found.columns["correct"].tolist() == [[1, 1, 0]]
    assert "2 of 3 questions have different numbers" in notes[0]


def test_the_questions_of_cbc_with_their_stories(tmp_path: Path) -> None:
    questions = "".join(line for line in str(CBC["dev.answers"]).splitlines(keepends=True) if "Answer:" not in line)
    stories = {name: text for name, text in CBC.items() if name.endswith(".story")}
    collection, _ = read_collection(write_files(tmp_path, {"q.questions": questions, **stories}))
    assert [question.answers for question in collection.questions] == [(), (), ()]
    assert collection.questions[0].story == ("The school is in Canada.", "Betty Jean leads it.")


def test_the_files_of_a_folder_of_cbc(tmp_path: Path) -> None:
    names = ("a.answers", "expected.answers", "a.questions", "a.story", "x.txt")
    write_files(tmp_path, {f"c/{name}": "" for name in names})
    assert [path.name for path in files_in(tmp_path / "c")] == ["expected.answers", "a.questions", "a.story"]
    (tmp_path / "c" / "expected.answers").unlink()
    assert [path.name for path in files_in(tmp_path / "c")] == ["a.answers", "a.questions", "a.story"]
    with pytest.raises(FormatError, match=r"holds no \.story file"):
        files_in(tmp_path)


def test_the_questions_of_mctest_with_their_stories(tmp_path: Path) -> None:
    tsv, ans, _ = write_files(tmp_path, MCTEST)
    collection, notes = read_collection([tsv, ans])
    first = collection.questions[0]
    assert (first.text, first.options, first.answers) == ("Who 0?", ("Ann", "Bob", "Ann", "it"), ("Ann",))
    assert first.story == ("Ann sold a kite.", "Bob slept")
    assert read_collection([tsv])[0].questions[0].answers == ()
    assert notes == ()
    with pytest.raises(UsageError, match="which has no questions"):
        read_collection(write_files(tmp_path, {"t.csv": "run,question,outcome\na,b,correct\n"}))


# ---- the real collections ----


@shared
def test_the_real_stories() -> None:
    """CBC: 73 stories and 504 keyed questions, as the data's own README says. MCTest: MC160 has 160 stories and MC500
    train and dev 350, of four questions each."""
    collection, _ = read_collection(files_in(SHARED / "cbc4kids" / "developset"))
    assert len(collection.questions) == 504
    assert len({question.cluster for question in collection.questions}) == 73
    assert all(len(question.story) > 3 for question in collection.questions)
    folder = SHARED / "mctest"
    collection, _ = read_collection([*sorted(folder.glob("*.tsv")), *sorted(folder.glob("*.ans"))])
    assert len(collection.questions) == 4 * (160 + 350)
    assert all(question.answers and len(question.options) == 4 for question in collection.questions)
    mc160 = [question for question in collection.questions if question.strata["set"] == "mc160.test"]
    assert sum(question.strata["kind"] == "one" for question in mc160) == 112
    assert all("\\" not in sentence for question in mc160 for sentence in question.story)


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


@shared
def test_qa4mre_of_2012_and_of_2013_whose_test_is_numbered_otherwise(tmp_path: Path) -> None:
    """160 questions with 5 options, 40 of them in the first reading tests; the last option is right where the XML says
    so. Of 2013, answers are matched by the wording of the questions, 85 of which have other numbers."""
    gold = SHARED / "qa4mre" / "QA4MRE-2012-EN_GS.xml"
    topics = list(etree.parse(str(gold)).iter("topic"))
    loud = [asked for topic in topics for reading in topic.findall("reading-test")[1:] for asked in reading.iter("q")]
    right = sum(asked.findall("answer")[-1].get("correct") == "Yes" for asked in loud)
    assert len(loud) == 120
    found = score([gold, last_options(gold, tmp_path / "run.xml")], "c@1", ci=None)
    assert found.value("last", "c@1") == pytest.approx((right + 40 * right / 160) / 160)
    gold, test = (SHARED / "qa4mre" / f"QA4MRE-2013-alzheimer-EN_{kind}.xml" for kind in ("GS", "test"))
    data, notes = evidence_and_notes([gold, test, last_options(test, tmp_path / "run.xml")])
    assert notes[0].startswith("85 of 100 questions have different numbers")
    silent = {one.findtext("q_str") for one in etree.parse(str(test)).getroot().find(".//reading-test").iter("q")}
    texts = {
        one.findtext("q_str")
        for one in etree.parse(str(gold)).iter("q")
        if one.findall("answer")[-1].get("correct") == "Yes"
    }
    assert (data.columns["correct"].sum(), data.columns["unanswered"].sum()) == (len(texts - silent), 15)
