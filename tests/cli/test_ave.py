"""nescio ave: AVE campaigns made again, collections built from answers, a validator trained, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.data.model import Question
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.ave_reader import read_pairs, read_responses, write_exercise
from nescio.systems.validator import OWN
from nescio.tasks.ave.exercise import Candidate, Exercise, Value
from nescio.tasks.ave.rules import problems
from tests.tasks.campaign import LANGUAGES, SPANISH, Language, rounds_to, write_campaign

from .conftest import EXAMPLES, Command, lines, written

PLAIN = ("--ci", "none", "-f", "json")


def values_of(found: Any, run: str) -> dict[str, float]:
    """The values of a run in the scores that a command printed as JSON."""
    return {row["measure"]: row["value"] for row in found["scores"] if row["run"] == run}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)
def test_the_tables_of_the_campaign_come_out(language: Language, tmp_path: Path, nescio: Command) -> None:
    """Tables 4 to 7 and 8 to 11, and the twelve cells of the baselines."""
    collection, runs, systems = write_campaign(language, tmp_path)
    found = nescio("ave", "score", collection, *runs, "--ranking", systems, *PLAIN).json
    ranking = {row["system"]: row for row in found["ranking"]}
    for name, ((f, precision, recall), accuracy, percent) in language.validators.items():
        value = values_of(found, name)
        assert rounds_to(value["ave.F"], f)
        assert rounds_to(value["ave.precision"], precision)
        assert rounds_to(value["ave.recall"], recall)
        assert rounds_to(value["ave.qa_accuracy"], accuracy)
        assert rounds_to(value["ave.normalized_qa_accuracy"], percent, 100)
        assert (ranking[name]["type"], ranking[name]["right"]) == ("AV", language.rights[name])
    for name, (accuracy, percent) in language.systems.items():
        row = ranking[name]
        assert (row["type"], row["right"]) == ("QA", language.rights[name])
        assert rounds_to(row["qa_accuracy"], accuracy)
        assert rounds_to(row["share_of_perfect"], percent, 100)
        assert values_of(found, name)["ave.qa_accuracy"] == row["qa_accuracy"]
    assert rounds_to(ranking["Perfect selection"]["qa_accuracy"], language.perfect)
    assert rounds_to(ranking["Random"]["qa_accuracy"], language.random[0])
    assert rounds_to(ranking["Random"]["share_of_perfect"], language.random[1], 100)
    order = [row["qa_accuracy"] for row in found["ranking"]]
    assert order == sorted(order, reverse=True)
    assert found["ranking"][0]["place"] == 1
    found = nescio("ave", "baselines", collection, *PLAIN).json
    for run, (f, precision, recall) in zip(("100% VALIDATED", "50% VALIDATED"), language.baselines, strict=True):
        value = values_of(found, run)
        assert rounds_to(value["ave.F"], f)
        assert rounds_to(value["ave.precision"], precision)
        assert value["ave.recall"] == float(recall)
    assert rounds_to(values_of(found, "100% VALIDATED")["ave.qa_accuracy"], language.random[0])
    assert rounds_to(values_of(found, "Perfect selection")["ave.qa_accuracy"], language.perfect)
    assert values_of(found, "Perfect selection")["ave.normalized_qa_accuracy"] == 1
    assert rounds_to(values_of(found, "100% VALIDATED (drawn)")["ave.F"], language.baselines[0][0])
    counts = (language.questions, language.validated, language.rejected, language.unknown)
    assert found["counts"][0] | {"available": None, "kept": None} == found["counts"][0]
    assert tuple(found["counts"][0][name] for name in ("questions", "validated", "rejected", "unknown")) == counts


def test_score_compare_and_meta_take_the_same_files(tmp_path: Path, nescio: Command) -> None:
    collection, runs, _ = write_campaign(SPANISH, tmp_path)
    plain = nescio("score", collection, *runs, *PLAIN).json
    assert plain["scores"] == nescio("ave", "score", collection, *runs, *PLAIN).json["scores"]
    both = nescio("compare", collection, *runs[:2], "-m", "ave.F", "--resamples", 200, "-f", "json")
    assert (both.status, both.json["comparisons"][0]["n"]) == (0, 551)
    stable = nescio("meta", "stability", collection, *runs, "-m", "ave.qa_accuracy", "--trials", 5, "-f", "json")
    assert stable.status == 0
    chosen = nescio("score", collection, runs[0], "--choose", "view=selection", "-m", "accuracy", *PLAIN)
    assert chosen.json["scores"][0]["value"] == pytest.approx(76 / 170)


# ---- small collections ----


def exercise(folder: Path, *questions: list[str], name: str = "c.xml") -> Path:
    """A collection whose questions have an answer of each value."""
    groups = ""
    for q, values in enumerate(questions, 1):
        given = "".join(f'<a id="{i}" value="{value}"><a_str>{i}</a_str><t_str/></a>' for i, value in enumerate(values))
        groups += f'<q id="{q}"><q_str>?</q_str>{given}</q>'
    return written(folder / name, f"<ave>{groups}</ave>")


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """Three questions with a right and a wrong answer each, and a validator that is right on the first."""
    run = "1 0 SELECTED\n1 1 REJECTED\n2 0 REJECTED\n2 1 SELECTED\n3 0 REJECTED\n3 1 REJECTED\n"
    return exercise(tmp_path, *[["VALIDATED", "REJECTED"]] * 3), written(tmp_path / "mine.txt", run)


def test_measures_of_outcomes_say_how_the_selection_is_read_as_some(small: tuple[Path, Path], nescio: Command) -> None:
    for command in (("score", "-m", "c@1"), ("tune",)):
        nescio(*command, *small).assert_refused("--choose view=selection reads the SELECTED answers as outcomes")


def test_intervals_resample_whole_questions(tmp_path: Path, nescio: Command) -> None:
    """A question of two right answers and one of two wrong ones: resampled together the precision is 0, 1/2 or 1,
    with chances 1/4, 1/2, 1/4, and the middle 60 % reach from 0 to 1; answer by answer they would reach from 1/4 to
    3/4."""
    collection = exercise(tmp_path, ["VALIDATED"] * 2, ["REJECTED"] * 2)
    run = written(tmp_path / "r.txt", "1 0 SELECTED\n1 1 VALIDATED\n2 0 SELECTED\n2 1 VALIDATED\n")
    words = ("-m", "ave.precision", "--ci", "60", "--interval", "percentile", "-f", "json")
    row = nescio("score", collection, run, *words).json["scores"][0]
    assert (row["value"], row["low"], row["high"], row["n"]) == (0.5, 0.0, 1.0, 4)


def test_a_roc_curve_is_written(tmp_path: Path, nescio: Command) -> None:
    """Right .9 and .4, wrong .4 and .1: (0,0), (0,½), (½,1), (1,1)."""
    collection, curve = exercise(tmp_path, ["VALIDATED"] * 2 + ["REJECTED"] * 2), tmp_path / "roc.csv"
    said = "1 0 SELECTED 0.9\n1 1 REJECTED 0.4\n1 2 REJECTED 0.4\n1 3 REJECTED 0.1\n"
    found = nescio("ave", "score", collection, written(tmp_path / "r.txt", said), "--roc", curve, "-f", "json")
    assert values_of(found.json, "r")["ave.AUC"] == 3.5 / 4
    assert curve.read_text().splitlines() == [
        "run,threshold,false_positive_rate,true_positive_rate",
        *("r,,0.0,0.0", "r,0.9,0.0,0.5", "r,0.4,0.5,1.0", "r,0.1,1.0,1.0"),
    ]


VERDICTS = "run,question,answer,verdict\nqa,1,a,R\nqa,2,b,X\nqa,3,c,\nother,1,d,W\n"


def test_peoples_verdicts_are_ranked_as_they_are(small: tuple[Path, Path], tmp_path: Path, nescio: Command) -> None:
    """An inexact answer is a wrong one there, as in the main track; a missing or ungraded one is not right, and is
    counted."""
    judged = written(tmp_path / "judged.csv", VERDICTS)
    found = nescio("ave", "score", *small, "--ranking", judged, *PLAIN)
    rows = {row["system"]: (row["type"], row["right"]) for row in found.json["ranking"]}
    assert rows["qa"] == ("QA", 1)
    assert (rows["other"], rows["mine"]) == (("QA", 0), ("AV", 1))
    for note in (
        "ave.F, ave.precision, ave.recall: undefined because there are no decisions on answers",
        "judged.csv: 1 × 'X' read as incorrect",
        "run 'other': 2 of 3 questions are missing and counted as unanswered",
        "1 answer of QA systems is without a grade, and counts as not correct",
    ):
        assert note in found.flat
    written(judged, VERDICTS + "qa,1,a,W\n")
    nescio("ave", "score", *small, "--ranking", judged).assert_refused("two verdicts on one answer differ")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1 9_9 SELECTED 1", "line 2: question '1' has no such answer (found '9_9')"),
        ("1 1_2 SELECTED 1\n1 1_1 SELECTED 1", "line 3: answer '1_1' of question '1' has two decisions"),
        (
            "1 1_2 SELECT 1",
            "line 2: a decision is SELECTED, VALIDATED, REJECTED, ACCEPTED; a line is: q_id a_id "
            "SELECTED|VALIDATED|REJECTED confidence (found 'SELECT')",
        ),
        ("1 1_2 REJECTED high", "line 2: confidence must be a finite number (found 'high')"),
    ],
)
def test_a_malformed_response_gives_one_line_and_no_score(
    line: str, says: str, tmp_path: Path, nescio: Command
) -> None:
    collection, runs, _ = write_campaign(SPANISH, tmp_path)
    run = written(tmp_path / "bad.txt", f"1 1_1 REJECTED 0.5\n{line}\n")
    for command in ("score", "ave score"):
        nescio(*command.split(), collection, runs[0], run).assert_refused(says)


def test_pairs_of_2006_are_scored_and_have_baselines(tmp_path: Path, nescio: Command) -> None:
    values = ("YES", "NO", "NO", "UNKNOWN")
    body = "".join(f'<pair id="{i}" value="{v}"><t>Text.</t><h>Claim.</h></pair>' for i, v in enumerate(values))
    pairs = written(tmp_path / "pairs.xml", f"<entailment-corpus>{body}</entailment-corpus>")
    run = written(tmp_path / "v.txt", "0 YES 0.9\n1 YES 0.8\n2 NO 0.1\n3 YES 0.7\n")
    value = values_of(nescio("ave", "score", pairs, run, *PLAIN).json, "v")
    assert (value["ave.precision"], value["ave.recall"], value["ave.AUC"]) == (0.5, 1, 1)
    found = nescio("ave", "baselines", pairs, *PLAIN).json
    assert values_of(found, "100% VALIDATED")["ave.F"] == pytest.approx(0.5)


# ---- built from answers ----


@pytest.fixture
def to_build(tmp_path: Path) -> list[Path]:
    """Three questions and three runs: every rule but that of length has its answer."""
    asked = [{"id": f"{q}", "question": "Who?", "answers": ["x"]} for q in (1, 2, 3)]
    said: dict[str, list[str | None]] = {
        "s1": ["Ann Lee", "NIL", None],
        "s2": ["ann lee.", "Oslo", "Rome"],
        "s3": ["Lee", "the city of Oslo", "x" * 10],
    }
    runs = {
        name: [{"id": str(i), "answer": a, "support": f"see {a}"} for i, a in enumerate(answers, 1)]
        for name, answers in said.items()
    }
    return [lines(tmp_path / f"{name}.jsonl", rows) for name, rows in {"questions": asked, **runs}.items()]


def test_a_collection_is_built_counted_and_scored(to_build: list[Path], tmp_path: Path, nescio: Command) -> None:
    verdicts = "s1,1,Ann Lee,R\ns2,1,ann lee.,R\ns3,1,Lee,X\ns2,2,Oslo,R\ns3,2,the city of Oslo,X\ns2,3,Rome,U\n"
    judged = written(tmp_path / "judged.csv", f"run,question,answer,verdict\n{verdicts}")
    made = tmp_path / "collection.xml"
    found = nescio("ave", "build", *to_build, "--judgements", judged, "--language", "en", "-o", made, "-f", "json")
    assert found.status == 0
    assert "judged.csv: 2 × 'X' read as inexact, neither right nor wrong (UNKNOWN in AVE)" in found.err
    (counts,) = found.json["counts"]
    expected = {"language": "EN", "questions": 3, "answers": 4, "available": 9, "kept": 4 / 9}
    assert counts == {**expected, "validated": 1, "rejected": 1, "unknown": 2}
    gone = {row["rule"]: row["answers"] for row in found.json["discarded"]}
    assert gone == {"declined": 0, "nil": 1, "void": 1, "long": 0, "duplicate": 1, "contained": 2}
    text = made.read_text()
    assert 'id="1_2"' not in text  # the one answer that stays is the first, and leaves no gap
    assert "system=" not in text
    decisions = "1 1_1 SELECTED 1\n2 2_1 REJECTED 0\n3 3_1 REJECTED 0.2\n3 3_2 REJECTED 0.1\n"
    scores = nescio("ave", "score", made, written(tmp_path / "v.txt", decisions), *PLAIN).json
    assert values_of(scores, "v")["ave.F"] == 1


def test_judgements_that_fit_no_answer_or_lack_a_verdict_are_said(
    to_build: list[Path], tmp_path: Path, nescio: Command
) -> None:
    rows = "s1,1,Bob,R\ns2,2,Oslo,W\ns3,2,the city of Oslo,\n"
    judged = written(tmp_path / "judged.csv", f"run,question,answer,verdict\n{rows}")
    found = nescio("ave", "build", *to_build, "--judgements", judged, "-o", tmp_path / "c.xml")
    assert found.status == 0
    assert "1 judgement is for an answer that the run no longer gives, and is ignored (first: run 's1'" in found.flat
    assert "1 of 3 judgements have no verdict" in found.flat or "1 of 3 judgements has no verdict" in found.flat
    assert "VALIDATED" not in (tmp_path / "c.xml").read_text()


def test_a_test_set_has_no_values_and_is_not_scored(to_build: list[Path], tmp_path: Path, nescio: Command) -> None:
    made = tmp_path / "collection.xml"
    found = nescio("ave", "build", *to_build, "-o", made, "--test-set", "--systems", "--without-rule", "contained")
    assert (found.status, 'value=""' in made.read_text()) == (0, True)
    assert 'system="s3"' in made.read_text()
    refused = nescio("ave", "score", made, written(tmp_path / "v.txt", "1 1_1 SELECTED 1\n"))
    refused.assert_refused("without its gold")


def test_a_collection_needs_no_gold_answers_where_people_judge(tmp_path: Path, nescio: Command) -> None:
    asked = lines(tmp_path / "q.jsonl", [{"id": "116", "question": "What is Zanussi?"}])
    row = {"id": "116", "answer": "a producer", "support": "Zanussi was a producer.", "doc": "LA-7.xml"}
    run, judged = lines(tmp_path / "a.jsonl", [row]), written(tmp_path / "j.csv", "question,run,verdict\n116,a,R\n")
    nescio("ave", "build", asked, run, "--judgements", judged, "--language", "EN", "-o", tmp_path / "c.xml")
    assert 'value="VALIDATED"' in (tmp_path / "c.xml").read_text()
    assert '<t_str doc="LA-7.xml">' in (tmp_path / "c.xml").read_text()


def test_pairs_keep_values_and_questions_and_are_read_again(nescio: Command, tmp_path: Path) -> None:
    assert nescio("ave", "pairs", EXAMPLES / "dev.xml", "-o", tmp_path / "pairs.xml").status == 0
    pairs = read_pairs(open_source(tmp_path / "pairs.xml"))
    held = (EXAMPLES / "dev.xml").read_text(encoding="utf-8")
    assert len(pairs) == held.count("<a ")
    assert sum(pair.value == "VALIDATED" for pair in pairs) == held.count('value="VALIDATED"')
    assert all(pair.question_id for pair in pairs)
    portuguese = written(
        tmp_path / "pt.xml",
        '<ave><q id="1" lang="PT"><q_str>O que é Zanussi?</q_str>'
        '<a id="1" value="REJECTED"><a_str>x</a_str><t_str>y</t_str></a></q></ave>',
    )
    (note,) = package.ave.pairs(portuguese, tmp_path / "pairs.xml").notes
    assert "1 of 1 questions are in PT; hypotheses are made by the rules of" in str(note)


# ---- a validator ----

FEW = [f"--without={name}" for name in OWN if name not in ("lexical", "names")]
QUICK = ("--trees", "5", "--folds", "3", "--resamples", "50")


def collection(questions: int) -> Exercise:
    """Right answers whose text has the words of the question, and wrong ones."""
    asked = [Question(f"q{i}", f"Who sold the kite number {i}?") for i in range(questions)]
    given = []
    for i in range(questions):
        given.append(Candidate(f"q{i}", f"q{i}_1", "Carla", f"Carla sold the kite number {i}.", value=Value.VALIDATED))
        given.append(Candidate(f"q{i}", f"q{i}_2", "Ben", "Ben slept all day.", value=Value.REJECTED))
    return Exercise("made", tuple(asked), tuple(given))


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    write_exercise(collection(12), tmp_path / "dev.xml")
    return tmp_path / "dev.xml"


def test_from_a_collection_to_responses(nescio: Command, dev: Path, tmp_path: Path) -> None:
    model, test, out = tmp_path / "model.json", tmp_path / "test.xml", tmp_path / "responses.txt"
    write_exercise(collection(5), test, values=False)
    printed = nescio("ave", "validate", "train", dev, "-o", model, *QUICK, *FEW, "--ablation", "-f", "json").json
    assert [row["measure"] for row in printed["thresholds"]] == ["F", "c@1"]
    assert {row["run"] for row in printed["ablation"]} >= {"all techniques", "without lexical"}
    assert next(row for row in printed["scores"] if row["measure"] == "ave.F")["value"] == 1
    assert {row["run"] for row in printed["scores"]} == {"held out, threshold chosen here"}
    assert any("chosen on these same answers" in note and "(scores and ablation)" in note for note in printed["notes"])
    assert "redundancy" not in json.loads(model.read_text())["techniques"]
    decide = ("ave", "validate", "run", test, "--model", model, "-o", out)
    assert "5 SELECTED, 0 VALIDATED, 5 REJECTED; 0 of 5 questions stay unanswered" in nescio(*decide).flat
    assert list(problems(collection(5), read_responses(open_source(out), collection(5)))) == []
    nescio(*decide, "--threshold", "1")
    assert {line.split()[2] for line in out.read_text().splitlines()} == {"REJECTED"}
    nescio(*decide, "--threshold", "1", "--always")
    assert sum(line.split()[2] == "SELECTED" for line in out.read_text().splitlines()) == 5
    nescio(*decide, "--threshold", "F1").assert_refused("--threshold takes F, c@1 or a number (found 'F1')")
    pairs = tmp_path / "pairs.xml"
    nescio("ave", "pairs", dev, "-o", pairs)
    told = nescio("ave", "validate", "run", pairs, "--model", model, "-o", tmp_path / "answers.txt").flat
    assert "the model learnt from questions and answers: the hypothesis stands for the question" in told


def test_techniques_are_switched_off_and_on_and_said(nescio: Command, dev: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    nescio("ave", "validate", "train", dev, "-o", model, *QUICK, "--redundancy", "--without", "chunks")
    techniques = json.loads(model.read_text())["techniques"]
    assert ("redundancy" in techniques, "chunks" in techniques) == (True, False)
    rows = nescio("ave", "table12", "--wordnet", tmp_path, "-f", "json").json["techniques"]
    use = {(row["technique"], row["here"]): (row["use"], row["why"]) for row in rows}
    assert use["Chunking", "chunks"][0] == "yes"
    assert use["Wordnet", "wordnet"] == ("skipped", f"no data.noun in {tmp_path}: name WordNet's folder with --wordnet")
    assert use["Theorem prover", "proofs"][0] == "skipped"  # no parser was named
    assert use["Redundancy across systems", "redundancy"][0] == "skipped"


def test_what_cannot_be_learnt_from_is_refused(nescio: Command, tmp_path: Path) -> None:
    write_exercise(collection(4), tmp_path / "blank.xml", values=False)
    train = nescio("ave", "validate", "train", tmp_path / "blank.xml", "-o", tmp_path / "model.json")
    train.assert_refused("all the same (or not judged)")
    other = written(tmp_path / "other.json", "{}")
    run = nescio("ave", "validate", "run", EXAMPLES / "test.xml", "--model", other, "-o", tmp_path / "out.txt")
    run.assert_refused("not a saved model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blank.xml", "other.json"]


def test_pairs_of_2006_are_learnt_from_and_decided(nescio: Command, dev: Path, tmp_path: Path) -> None:
    pairs, model, out = tmp_path / "pairs.xml", tmp_path / "model.json", tmp_path / "answers.txt"
    nescio("ave", "pairs", dev, "-o", pairs)
    learnt = nescio("ave", "validate", "train", pairs, "-o", model, *QUICK, *FEW, "-f", "json")
    assert {row["measure"] for row in learnt.json["scores"]} == {"ave.AUC", "ave.F"}
    told = nescio("ave", "validate", "run", pairs, "--model", model, "-o", out).err
    assert ("12 YES, 12 NO" in told, "questions and answers" in told) == (True, False)
    decided = [line.split() for line in out.read_text().splitlines()]
    assert [line[:2] for line in decided[:2]] == [["q0-q0_1", "YES"], ["q0-q0_2", "NO"]]
    assert nescio("ave", "score", pairs, out, "-m", "ave.F", *PLAIN).json["scores"][0]["value"] == 1
