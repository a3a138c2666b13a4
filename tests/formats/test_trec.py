"""TREC: runs with qrels, and factoid answers judged R, W, X or U."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio import score
from nescio.errors import MismatchError, UsageError

from .encodings import assert_refused, evidence, read, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "trecqa" / "eval_Test-T40.judgment"
QRELS = """\
1 0 d1 0
1 0 d2 1
1 0 d3 0
2 0 d1 1
2 0 d4 0
3 0 d9 1
"""
RUN = """\
1 Q0 d1 2 3.5 mine
1 Q0 d2 1 3.25 mine
2 Q0 d1 1 -1.5 mine
2 Q0 d4 2 -2 mine
3 Q0 d7 1 1e3 mine
"""


def files(folder: Path, qrels: str = QRELS, **runs: str) -> list[Path]:
    """Qrels and runs, the file of each named by its keyword."""
    texts = {f"{name}.run": text for name, text in (runs or {"x": RUN}).items()}
    return write_files(folder, {"test.qrels": qrels, **texts})


def test_a_topic_is_a_question_and_a_document_an_answer(tmp_path: Path) -> None:
    paths = files(tmp_path)
    found, notes = evidence_and_notes(paths)
    assert (found.runs, found.questions) == (("mine",), ("1", "2", "3"))
    assert_array_equal(found.columns["correct"], [[0, 1, 0]])
    assert_array_equal(found.columns["first_right"], [[2, 1, 0]])
    assert_array_equal(found.columns["confidence"], [[3.5, -1.5, 1000]])
    assert notes == ("run 'mine': 1 first documents are not in the qrels, and count as not relevant",)
    assert read(paths).measures == ("MRR", "accuracy")
    assert score(found, ["MRR"], ci=None).value("mine", "MRR") == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_the_order_is_that_of_the_scores_unless_told(tmp_path: Path) -> None:
    """Ties fall to the docno that comes last, as in trec_eval: d2 before d1."""
    assert evidence(files(tmp_path), choose={"order": "rank"}).columns["first_right"][0, 0] == 1
    tied = RUN.replace("3.25", "3.5")
    assert evidence(files(tmp_path, x=tied)).columns["first_right"][0, 0] == 1
    refusal(files(tmp_path), UsageError, choose={"order": "docno"})


def test_scores_are_compared_in_single_precision(tmp_path: Path) -> None:
    """As trec_eval keeps them: 0.9 and 0.9000000001 tie, and db stands before da."""
    import pytrec_eval

    qrels, scores = "1 0 da 1\n1 0 db 0\n", {"da": "0.9000000001", "db": "0.9"}
    paths = files(tmp_path, qrels, x="".join(f"1 Q0 {docno} 1 {score_} t\n" for docno, score_ in scores.items()))
    found = evidence(paths)
    assert found.columns["first_right"][0, 0] == 2
    assert_array_equal(found.columns["confidence"], [[0.9]])
    theirs = pytrec_eval.RelevanceEvaluator({"1": {"da": 1, "db": 0}}, {"recip_rank"})
    given_ = {docno: float(score_) for docno, score_ in scores.items()}
    assert theirs.evaluate({"1": given_})["1"]["recip_rank"] == 1 / 2
    huge = files(tmp_path, qrels, x="1 Q0 da 1 1e300 t\n1 Q0 db 1 1e39 t\n")
    assert evidence(huge).columns["first_right"][0, 0] == 2  # both are infinite there


def test_levels_of_relevance(tmp_path: Path) -> None:
    qrels = QRELS.replace("1 0 d2 1", "1 0 d2 2").replace("2 0 d4 0", "2 0 d4 -1")
    found, notes = evidence_and_notes(files(tmp_path, qrels), choose={"relevance": "2"})
    assert_array_equal(found.columns["first_right"], [[2, 0, 0]])
    assert_array_equal(found.columns["answerable"], [[1, 0, 0]])
    assert "relevance goes up to 2; 2 or more counts as relevant" in notes[0]
    refusal(files(tmp_path), UsageError, choose={"relevance": "high"})


def test_missing_and_unknown_topics(tmp_path: Path) -> None:
    short = "".join(line for line in RUN.splitlines(keepends=True) if not line.startswith("3"))
    paths = files(tmp_path, x=f"{short}8 Q0 d1 1 1 mine\n")
    assert "lacks 1 of 3 questions (first: '3')" in str(refusal(paths, MismatchError))
    found, notes = evidence_and_notes(paths, missing="unanswered")
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1]])
    assert "run 'mine': 1 topics were not judged: left out" in notes
    assert "has no topic that was judged" in str(refusal(files(tmp_path, x="8 Q0 d1 1 1 mine\n"), MismatchError))


def test_names_of_runs(tmp_path: Path) -> None:
    other = RUN.replace("mine", "yours")
    assert evidence(files(tmp_path, a=RUN, b=other)).runs == ("mine", "yours")
    assert evidence(files(tmp_path, a=RUN, b=RUN)).runs == ("a", "b")
    assert evidence(files(tmp_path, a=RUN + other)).runs == ("mine", "yours")
    assert evidence(files(tmp_path, a=RUN + other, b=RUN)).runs == ("a mine", "yours", "b")


JUDGED = """\
1394 APW1 R 1987
1395 NIL R
1396 NIL W NIL
1397 XIE2 X the Nile river
1398 XIE3 U Ann Lee
1399 NYT9 W 42
"""


def test_judgements_alone_are_a_run(tmp_path: Path) -> None:
    """NIL is silence; judged right, it says that there is no answer."""
    found, notes = evidence_and_notes(write_files(tmp_path, {"team.txt": JUDGED}))
    assert found.runs == ("team",)
    assert_array_equal(found.columns["correct"], [[1, 1, 0, 0, 0, 0]])
    assert_array_equal(found.columns["answered"], [[1, 0, 0, 1, 1, 1]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 0, 0, 0]])
    assert_array_equal(found.columns["incorrect"], [[0, 0, 0, 1, 1, 1]])
    assert notes[:3] == (
        "run 'team': 1 inexact (X): incorrect (--outcome-map X=correct is lenient)",
        "run 'team': 1 unsupported (U): incorrect (--outcome-map U=correct is lenient)",
        "run 'team': 2 NIL (of 6)",
    )
    lenient, notes = evidence_and_notes(tmp_path / "team.txt", outcome_map={"U": "correct"})
    assert_array_equal(lenient.columns["correct"], [[1, 1, 0, 0, 1, 0]])
    assert len([note for note in notes if "lenient" in note]) == 1


def test_judgements_in_numbers(tmp_path: Path) -> None:
    """TREC's README of 2005: "-1, 1, 2, 3 for Wrong, Right, Unsupported and ineXact"."""
    letters = (
        JUDGED.replace("APW1", "APW19981001.0001")
        .replace("XIE2", "XIE19960101.0001")
        .replace("NYT9", "NYT19990101.0001")
    )
    numbers = letters
    for letter, number in (("R", "1"), ("W", "-1"), ("U", "2"), ("X", "3")):
        numbers = numbers.replace(f" {letter} ", f" {number} ").replace(f" {letter}\n", f" {number}\n")
    assert "1394 APW19981001.0001 1 1987" in numbers
    one, other = write_files(tmp_path, {"a/team.txt": letters, "b/team.txt": numbers})
    assert evidence_and_notes(one)[1] == evidence_and_notes(other)[1]
    for name, column in evidence(one).columns.items():
        assert_array_equal(column, evidence(other).columns[name])
    assert_array_equal(evidence(other, outcome_map={"2": "correct"}).columns["correct"], [[1, 1, 0, 0, 1, 0]])
    nil = write_files(tmp_path, {"nil.txt": numbers.split("\n", 1)[1]})[0]
    assert_array_equal(evidence(nil).columns["correct"], [[1, 0, 0, 0, 0]])
    broken = write_files(tmp_path, {"c.txt": f"{numbers}1400 APW19981001.0001 R 42\n"})[0]
    assert_refused(broken, "line 7", "a line of judgements is: qid docno 1|-1|2|3 answer (found '1400 APW")


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    team, pool, run = write_files(
        tmp_path,
        {"team.txt": JUDGED.replace("W 42", "W no idea"), "pool": POOL, "a.run": ANSWERS.replace("1988", "No idea")},
    )
    found = evidence(team, declined_pattern=("no idea",))
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 0, 0, 1]])
    found, notes = evidence_and_notes([pool, run], declined_pattern=("no idea",))
    assert_array_equal(found.columns["unanswered"], [[1, 0, 0]])
    assert "run 't': 1 declined in words, 1 NIL (of 3)" in notes


POOL = """\
1 APW1 R 1987
1 APW1 W 1988
2 NIL R
2 APW5 W Bo
3 NYT1 R  Ann   Lee
3 NYT2 U Ann Lee
"""
ANSWERS = """\
1 Q0 APW1 1 0.5 t 1988
1 Q0 APW1 2 0.25 t 1987
2 Q0 NIL 1 0.125 t
3 Q0 NYT1 1 0.75 t ann lee
"""


def test_answers_of_runs_are_looked_up_in_the_pool(tmp_path: Path) -> None:
    other = ANSWERS.replace(" t", " u").replace("ann lee", "Ann").replace("2 Q0 NIL", "2 Q0 APW5")
    paths = write_files(tmp_path, {"pool": POOL, "a.run": ANSWERS, "b.run": other})
    found, notes = evidence_and_notes(paths, ungraded="exclude")
    assert found.runs == ("t", "u")
    assert_array_equal(found.present, [[True, True, True], [True, False, False]])  # "" of APW5 was not judged
    assert_array_equal(found.columns["correct"][0], [0, 1, 1])
    assert_array_equal(found.columns["answered"][0], [1, 0, 1])
    assert_array_equal(found.columns["first_right"][0], [2, 0, 1])
    assert "run 'u': 2 not in the pool (of 3)" in notes


BROKEN: dict[str, tuple[str, str, str]] = {
    "five cells": ("x.run", "1 Q0 d9 1 2", "a line of a run is: qid iter docno rank score tag (found '1 Q0 d9 1 2')"),
    "no rank": ("x.run", "1 Q0 d9 one 2 mine", "the rank must be a whole number (found 'one')"),
    "no score": ("x.run", "1 Q0 d9 1 nan mine", "the score must be a finite number (found 'nan')"),
    "a document twice": ("x.run", "1 Q0 d1 9 2 mine", "document 'd1' of topic '1' appears twice; first on line 1"),
    "three cells": ("test.qrels", "1 0 d9", "a line of qrels is: qid iter docno rel, with a whole number"),
    "five cells in qrels": ("test.qrels", "1 0 d9 1 1", "a line of qrels is: qid iter docno rel"),
    "no level": ("test.qrels", "1 0 d9 yes", "(found '1 0 d9 yes')"),
    "judged twice": ("test.qrels", "1 0 d2 1", "document 'd2' of topic '1' appears twice"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    name, line, rule = BROKEN[twin]
    texts = {"test.qrels": QRELS, "x.run": RUN}
    texts[name] += f"{line}\n"
    paths = write_files(tmp_path, texts)
    message = str(refusal(paths))
    assert message.startswith(f"{tmp_path / name}, line {len(texts[name].splitlines())}: "), message
    assert rule in message


def test_broken_judgements(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"team.txt": f"{JUDGED}1394 APW2 W 1988\n"})[0]
    assert_refused(path, "line 7", "question '1394' appears twice (first on line 1): a pool of answers needs its runs")
    write_files(tmp_path, {"team.txt": f"{JUDGED}1400 APW2 Q 1988\n"})
    assert_refused(path, "line 7", "a line of judgements is: qid docno R|W|X|U answer")
    pool, run = write_files(tmp_path, {"pool": f"{POOL}1 APW1 R 1988\n", "a.run": ANSWERS})
    assert str(refusal([pool, run])) == f"{pool}, line 7: this answer to question '1' has two judgements (found 'R')"
    pool, run = write_files(tmp_path, {"pool": f"{POOL}2 APW6 R Bob\n", "a.run": ANSWERS})
    assert str(refusal([pool, run])) == f"{pool}, line 7: question '2': NIL is judged right, and so is an answer"


def test_files_that_belong_together(tmp_path: Path) -> None:
    qrels, run = files(tmp_path)
    pool = write_files(tmp_path, {"pool": POOL})[0]
    assert str(refusal(qrels, MismatchError)) == f"{qrels} holds qrels; give the runs with it"
    assert "needs one file of qrels or judgements: none was given" in str(refusal(run, MismatchError))
    again = write_files(tmp_path, {"again.qrels": QRELS})[0]
    assert "2 were given" in str(refusal([qrels, again, run], MismatchError))
    assert "give one kind" in str(refusal([qrels, pool, run], MismatchError))


@pytest.mark.fuzz("trec")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    samples = [{"test.qrels": QRELS, "x.run": RUN}, {"team.txt": JUDGED}, {"pool": POOL, "a.run": ANSWERS}]
    samples.append({"team.txt": "1394 NYT19990101.0001 1 1987\n1395 NIL -1\n1396 APW19990101.0001 3 x\n"})
    sample = data.draw(st.sampled_from(samples))
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), sample, missing="unanswered", ungraded="exclude")


def test_AP_says_that_it_ranks_questions(tmp_path: Path) -> None:
    said = "ranks questions by confidence; trec.AP is over the documents of each topic by rank"
    assert f"AP: {said}" in map(str, score(files(tmp_path), ["AP"]).notes)
    assert not [note for note in map(str, score(files(tmp_path), ["trec.AP"]).notes) if said in note]


@pytest.mark.skipif(not DATA.exists(), reason="the judgements of the Wang 2007 test set are not beside the checkout")
def test_reciprocal_ranks_are_those_of_trec_eval(tmp_path: Path) -> None:
    """Through ir_measures, on real judgements and random scores with many ties."""
    import ir_measures

    rng = random.Random(3)
    rows = [line.split() for line in DATA.read_text().splitlines()]
    run = tmp_path / "random.run"
    run.write_text("".join(f"{topic} Q0 {docno} 1 {rng.randint(0, 5)} mine\n" for topic, _, docno, _ in rows))
    found = evidence([DATA, run])
    qrels = [ir_measures.Qrel(topic, docno, int(level)) for topic, _, docno, level in rows]
    scored = [
        ir_measures.ScoredDoc(topic, docno, float(score_))
        for topic, _, docno, _, score_, _ in map(str.split, run.read_text().splitlines())
    ]
    theirs = {metric.query_id: metric.value for metric in ir_measures.iter_calc([ir_measures.RR], qrels, scored)}
    rank = found.columns["first_right"][0]
    ours = dict(zip(found.questions, np.divide(1.0, rank, out=np.zeros(len(rank)), where=rank > 0), strict=True))
    assert len(theirs) == 72
    assert theirs == pytest.approx(ours, abs=1e-4)
    for metric, column, scale in (
        (ir_measures.AP, "trec.ap", 1),
        (ir_measures.RR, "trec.rr", 1),
        (ir_measures.P @ 5, "trec.top5", 5),
        (ir_measures.P @ 10, "trec.top10", 10),
    ):
        values = {each.query_id: each.value for each in ir_measures.iter_calc([metric], qrels, scored)}
        own = dict(zip(found.questions, found.columns[column][0] / scale, strict=True))
        assert values == pytest.approx(own, abs=1e-12 if column != "trec.rr" else 1e-4)
