"""AVE: collections, pairs and responses are read to what they hold, written as they were, and refused where a rule
is broken."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.errors import FormatError, MismatchError, NescioError
from nescio.formats import REGISTRY, open_source
from nescio.formats.benchmarks.ave.ave_reader import (
    read_exercise,
    read_pairs,
    read_responses,
    write_exercise,
    write_pairs,
    write_responses,
)
from nescio.tasks.ave.exercise import Candidate, Decision, Exercise, Pair, Validation, Value
from tests import strategies
from tests.notes import in_words

from .encodings import evidence, read
from .fuzz import assert_damage_is_met, write_files

# Figure 3 of the paper, with values
FIGURE_3 = """<?xml version="1.0" encoding="UTF-8"?>
<ave>
<q id="116" lang="EN">
  <q_str>What is Zanussi?</q_str>
  <a id="116_1" value="VALIDATED">
    <a_str>was an Italian producer of home
    appliances</a_str>
    <t_str doc="Zanussi">Zanussi For the Polish film
    director, see Krzysztof Zanussi.</t_str>
  </a>
  <a id="116_2" value="REJECTED">
    <a_str>who had also been in Cassibile since August
    31</a_str>
    <t_str doc="en/p29/2998260.xml">Only after the signing</t_str>
  </a>
  <a id="116_4" value="UNKNOWN">
    <a_str>3</a_str>
    <t_str doc="1618911.xml">(1985) 3 Out of 5 Live
    (1985) What Is This?</t_str>
  </a>
</q>
</ave>
"""
RUN = "116 116_1 SELECTED 0.9\n116 116_2 REJECTED 0.25\n116 116_4 VALIDATED 1\n"
PAIRS = """<entailment-corpus lang="EN">
<pair id="1" value="YES" task="QA" q_id="7"><t doc="d1">The text.</t><h>The claim.</h></pair>
<pair id="2" value="NO" task="QA" q_id="7"><t>Another.</t><h>Not so.</h></pair>
<pair id="3" entailment="TRUE" task="QA"><t>Third.</t><h>So.</h></pair>
</entailment-corpus>
"""
PAIR_RUN = "1 YES 0.9\n2 NO 0.1\n3 NO 0.2\n"


def files(folder: Path, collection: str = FIGURE_3, run: str = RUN) -> list[Path]:
    """A collection and a response."""
    return write_files(folder, {"collection.xml": collection, "run.txt": run})


def error_of(paths: list[Path], **options: Any) -> str:
    """What the one error says that reading gives."""
    with pytest.raises(NescioError) as caught:
        read(paths, **options)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_figure_3_is_read(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"en.xml": FIGURE_3})
    found = read_exercise(open_source(path))
    assert found.questions == (Question("116", "What is Zanussi?", strata={"language": "EN"}),)
    assert [(each.id, each.answer, each.document, each.value) for each in found.candidates] == [
        ("116_1", "was an Italian producer of home appliances", "Zanussi", Value.VALIDATED),
        ("116_2", "who had also been in Cassibile since August 31", "en/p29/2998260.xml", Value.REJECTED),
        ("116_4", "3", "1618911.xml", Value.UNKNOWN),
    ]
    assert found.candidates[2].text == "(1985) 3 Out of 5 Live (1985) What Is This?"


def test_files_become_evidence_with_their_default_measures(tmp_path: Path) -> None:
    found = read(files(tmp_path))
    assert found.measures == (
        "ave.F",
        "ave.precision",
        "ave.recall",
        "ave.AUC",
        "ave.qa_accuracy",
        "ave.normalized_qa_accuracy",
    )
    assert (found.format, found.data.runs) == ("ave", ("run",))
    pairs = read(write_files(tmp_path, {"pairs.xml": PAIRS, "mine.txt": PAIR_RUN}))
    assert (pairs.measures, pairs.data.runs) == (("ave.F", "ave.precision", "ave.recall", "ave.AUC"), ("mine",))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.xml", FIGURE_3),
        ("p.xml", PAIRS),
        ("r.txt", RUN),
        ("r.txt", "116 116_1 SELECTED 1\n"),  # as many cells as qrels, the last a whole number
        ("r.res", "\n\n116 116_1 REJECTED\n"),
        ("r.txt", "116 116_1 SELCTED x\n116 116_2 REJECTED 0.25\n"),  # the first line unsound
        ("p.txt", PAIR_RUN),
        ("p.txt", "EN001 YES 0.5\n"),
    ],
)
def test_no_other_format_takes_the_same_file(name: str, content: str, tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {name: content})
    source = open_source(path)
    assert [each.name for each in REGISTRY.values() if each.recognise(source)] == ["ave"]


words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Cf")), min_size=1, max_size=12).map(
    lambda t: " ".join(t.split())
)
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


@settings(max_examples=60)
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
    (path,) = write_files(tmp_path, {"p.xml": PAIRS})
    pairs = read_pairs(open_source(path))
    assert pairs[0] == Pair("1", "The text.", "The claim.", Value.VALIDATED, "7", "d1", "EN")
    assert [pair.value for pair in pairs] == [Value.VALIDATED, Value.REJECTED, Value.VALIDATED]
    assert write_pairs(pairs, tmp_path / "again.xml") == 0
    assert read_pairs(open_source(tmp_path / "again.xml")) == pairs
    assert write_pairs([Pair("1", "a\x00b", "h")], tmp_path / "odd.xml") == 1
    collection, run = files(tmp_path)
    exercise = read_exercise(open_source(collection))
    decisions = read_responses(open_source(run), exercise)
    write_responses(decisions, tmp_path / "again.txt")
    assert read_responses(open_source(tmp_path / "again.txt"), exercise) == decisions
    with pytest.raises(MismatchError, match="cannot hold the id 'a b'"):
        write_responses([Validation("a b", "1", Decision.REJECTED)], tmp_path / "odd.txt")


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
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("116 116_1 SELECTED 0.9 extra\n116 116_2 REJECTED 1\n", "line 1: a line is: q_id a_id"),
        ("116 116_1 REJECTED 0.9\n116\n", "line 2: a line is: q_id a_id"),
        (
            "116 116_1 REJECTED 0.9\n\n117 116_2 REJECTED 1\n",
            "line 3: the collection has no such question (found '117')",
        ),
        ("116 116_1 REJECTED 0.9\n116 116_3 REJECTED 1\n", "line 2: question '116' has no such answer (found '116_3')"),
        (
            "116 116_1 REJECTED 0.9\n116 116_1 REJECTED 1\n",
            "line 2: answer '116_1' of question '116' has two decisions",
        ),
        (
            "116 116_1 SELECTED 1\n116 116_2 SELECTED 1\n",
            "line 2: question '116' already has a SELECTED answer ('116_1')",
        ),
        (
            "116 116_1 REJECTED 1\n116 116_2 VALIDATED 1\n",
            "line 2: question '116' has VALIDATED answers, and one of them",
        ),
        (
            "116 116_1 REJECTED 1\n116 116_2 MAYBE 1\n",
            "line 2: a decision is SELECTED, VALIDATED, REJECTED, ACCEPTED; a line is: q_id a_id "
            "SELECTED|VALIDATED|REJECTED "
            "confidence (found 'MAYBE')",
        ),
        (
            "116 116_1 PICK 0.9\n116 116_2 DROP 0.1\n",
            "line 1: its first lines match nothing that goes with ",
        ),
        ("116 116_1 REJECTED nan\n", "line 1: confidence must be a finite number (found 'nan')"),
        ("116 116_1 REJECTED 1e999\n", "line 1: confidence must be a finite number (found '1e999')"),
        ("116 116_1 REJECTED 0,5\n", "line 1: confidence must be a finite number (found '0,5')"),
        (
            "116 116_1 SELECTED 1\n116 116_2 REJECTED\n",
            "line 2: answer '116_2' of question '116' has no confidence, but other",
        ),
    ],
)
def test_a_response_that_breaks_a_rule_is_refused_by_its_line(run: str, says: str, tmp_path: Path) -> None:
    paths = files(tmp_path, run=run)
    said = error_of(paths)
    assert f"run.txt, {says}" in said


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id="116_2"', 'id="116_1"', "line 11: an answer with this id appears twice (found '116_1')"),
        ('id="116_2"', "", "line 11: an answer needs an id without white space"),
        ('id="116_2"', 'id="116 2"', "line 11: an answer needs an id without white space (found '116 2')"),
        ('value="UNKNOWN"', 'value="PERHAPS"', "line 16: a value must be VALIDATED, REJECTED, UNKNOWN or empty"),
        ("<q_str>What is Zanussi?</q_str>", "", "line 3: a question must have its text in q_str (found '116')"),
        ("</q>", '</q><q id="116"><q_str>?</q_str></q>', "a question with this id appears twice (found '116')"),
        ("</ave>", "", "not well-formed XML"),
    ],
)
def test_an_unsound_collection_is_refused_by_its_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert says in error_of(files(tmp_path, FIGURE_3.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("</entailment-corpus>", "", "not well-formed XML"),
        ("<h>So.</h>", "<h>So.</h><h>Not so.</h>", "line 4: h appears twice in one pair (found '3')"),
        (
            "<h>So.</h>",
            '<h>So.</h><pair id="4"><t>t</t><h>h</h></pair>',
            "line 4: a pair is inside another one (found '4')",
        ),
    ],
)
def test_unsound_pairs_are_refused_by_their_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert says in error_of(write_files(tmp_path, {"p.xml": PAIRS.replace(old, new), "r.txt": "1 YES\n"}))


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("1 YES\n2 NO\n1 NO\n", "line 3: this pair has two decisions (found '1')"),
        ("1 YES\n9 NO\n", "line 2: there is no such pair (found '9')"),
        ("1 YES 1\n2 NO\n", "line 2: the decision on pair '2' has no confidence, but others of the run have one"),
        ("1 YES\n2 MAYBE\n", "line 2: a decision is YES, NO; a line is: pair_id YES|NO confidence (found 'MAYBE')"),
    ],
)
def test_a_response_to_pairs_that_breaks_a_rule_is_refused_by_its_line(run: str, says: str, tmp_path: Path) -> None:
    assert f"r.txt, {says}" in error_of(write_files(tmp_path, {"p.xml": PAIRS, "r.txt": run}))


BOMB = """<?xml version="1.0"?><!DOCTYPE ave [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE ave [<!ENTITY a SYSTEM "{path}">]>"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "</ave>",
            '<a id="9" value="VALIDATED"><a_str>x</a_str></a></ave>',
            "line 22: an answer (a) must be directly inside",
        ),
        ('<a id="116_4"', '<q id="7"/><a id="116_4"', "line 16: a question is inside another one (found '7')"),
        (
            "</ave>",
            '<pair id="1"><t>t</t><h>h</h></pair></ave>',
            "line 22: a pair of AVE 2006 is among questions (q)",
        ),
        ("<a_str>3</a_str>", "<a_str>3</a_str><a_str>4</a_str>", "line 17: a_str appears twice in one a"),
        (
            "<q_str>What is Zanussi?</q_str>",
            "<q_str>W</q_str><q_str>V</q_str>",
            "line 4: q_str appears twice in one q",
        ),
    ],
)
def test_what_would_not_be_read_of_a_collection_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    """An answer outside of its question, or a second text, would be dropped without a word."""
    assert f"collection.xml, {says}" in error_of(files(tmp_path, collection=FIGURE_3.replace(old, new), run=RUN))


@pytest.mark.parametrize("head", [BOMB, OUTSIDE])
def test_entities_are_refused_and_nothing_outside_is_read(head: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    body = re.sub(r"<\?xml.*\?>", head.format(path=secret), FIGURE_3).replace("<a_str>3</a_str>", "<a_str>&a;</a_str>")
    said = error_of(files(tmp_path, body))
    assert "declares entities" in said
    assert "a secret" not in said


def test_values_of_a_test_set_are_absent(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"test.xml": re.sub(r'value="\w+"', 'value=""', FIGURE_3)})
    exercise = read_exercise(open_source(path))
    assert [each.value for each in exercise.candidates] == [None] * 3
    write_exercise(exercise, tmp_path / "again.xml", values=False)
    assert (tmp_path / "again.xml").read_text().count('value=""') == 3
    assert "without its gold" in error_of([path, *write_files(tmp_path, {"run.txt": RUN})])


def test_what_is_not_given_together_is_refused(tmp_path: Path) -> None:
    collection, run = files(tmp_path)
    other, pairs, said = write_files(tmp_path, {"other.xml": FIGURE_3, "pairs.xml": PAIRS, "said.txt": PAIR_RUN})
    assert "give the responses of validators with it" in error_of([collection])
    assert "need one collection" in error_of([run])
    assert "were given" in error_of([collection, other, run])
    assert "does not answer" in error_of([collection, said])
    assert "does not answer" in error_of([pairs, said, run])
    with pytest.raises(FormatError, match="no answers"):
        read_exercise(open_source(pairs))


def test_notes_say_what_was_missing_and_what_looks_odd(tmp_path: Path) -> None:
    odd = read(files(tmp_path, run="116 116_1 SELECTED 0.2\n116 116_2 REJECTED 7\n"))
    assert "run 'run': 1 of 2 confidences lie outside [0, 1]" in in_words(odd.notes)
    assert "run 'run': 1 of 3 answers are missing, and count as REJECTED" in in_words(odd.notes)
    assert any("--choose confidence=decision" in note for note in in_words(odd.notes))
    turned = evidence(
        files(tmp_path, run="116 116_1 SELECTED 0.2\n116 116_2 REJECTED 0.75\n"), choose={"confidence": "decision"}
    )
    assert turned.columns["ave.confidence"][0, 1:].tolist() == [0.2, 0.25]
    assert "so 1 minus them" in error_of(
        files(tmp_path, run="116 116_1 REJECTED 7\n"), choose={"confidence": "decision"}
    )


def test_accepted_is_validated_as_in_2008(tmp_path: Path) -> None:
    found = evidence(files(tmp_path, run="116 116_1 ACCEPTED 0.9\n116 116_2 selected 0.5\n"))
    assert found.columns["ave.accepted"][0, 1:].tolist() == [1, 1]


@settings(max_examples=80)
@pytest.mark.fuzz("ave")
@given(data=st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    sound = data.draw(st.sampled_from([{"c.xml": FIGURE_3, "r.txt": RUN}, {"p.xml": PAIRS, "r.txt": PAIR_RUN}]))
    assert_damage_is_met(data, folder, sound)


@settings(max_examples=60)
@given(damaged=strategies.damage(FIGURE_3.encode()))
def test_a_damaged_collection_alone_is_read_or_refused(
    damaged: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (path,) = write_files(tmp_path_factory.getbasetemp(), {"c.xml": damaged})
    with contextlib.suppress(FormatError):  # the one way to say no
        assert read_exercise(open_source(path)).candidates
