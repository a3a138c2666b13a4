"""nescio ave: AVE campaigns made again, collections built from answers, a validator trained, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.data.model import Question
from nescio.formats import open_source
from nescio.tasks.ave.exercise import Candidate, Exercise, Value, problems
from nescio.tasks.ave.reader import read_pairs, read_responses, write_exercise
from nescio.tasks.ave.validator import OWN, _parsing
from tests.tasks.ave.campaign import LANGUAGES, SPANISH, Language, rounds_to, write_campaign

from .conftest import EXAMPLES, Command, table, written

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


def eight_questions(folder: Path) -> list[Path]:
    """A collection of 8 questions with a right and a wrong answer each, and the validator av, which is right on the
    first seven and rejects all answers to the last."""
    answers = "".join(
        f'<a id="{{0}}_{a}" value="{value}"><a_str>A{a}</a_str><t_str>T</t_str></a>'
        for a, value in enumerate(("VALIDATED", "REJECTED"))
    )
    questions = "".join(f'<q id="q{q}" lang="EN"><q_str>Q?</q_str>{answers.format(q)}</q>' for q in range(8))
    decisions = "".join(f"q{q} {q}_0 {'SELECTED' if q < 7 else 'REJECTED'}\n" for q in range(8))
    return [written(folder / "ave.xml", f"<ave>{questions}</ave>"), written(folder / "av.txt", decisions)]


def test_a_validator_is_compared_with_qa_systems_on_the_same_questions(tmp_path: Path, nescio: Command) -> None:
    """The system is right on the last two questions: av alone is right on 6, qa alone on 1, and so by the binomial law
    p = 2 (C(7,0) + C(7,1)) / 2^7 = 1/8. The interval is that of the same outcomes in one table."""
    given = [*eight_questions(tmp_path), table(tmp_path / "qa.csv", qa="WWWWWUCC")]
    against = ("--baseline", "qa", "-f", "json", "-m")
    (row,) = nescio("compare", *given, *against, "ave.qa_accuracy").json["comparisons"]
    assert (row["run"], row["n"], row["difference"], row["p"]) == ("av", 8, 5 / 8, pytest.approx(1 / 8))
    alike = table(tmp_path / "alike.csv", av="CCCCCCCU", qa="WWWWWUCC")
    (same,) = nescio("compare", alike, *against, "accuracy").json["comparisons"]
    assert [row["low"], row["high"]] == [same["low"], same["high"]]
    scores = nescio("score", *given, *PLAIN).json["scores"]  # without a measure: those that both kinds have
    assert [(one["run"], one["measure"], one["value"]) for one in scores] == [
        (run, f"ave.{name}qa_accuracy", value / 8)
        for run, value in (("av", 7), ("qa", 2))
        for name in ("", "normalized_")
    ]


def test_questions_that_a_qa_system_was_not_asked_count_and_are_told(tmp_path: Path, nescio: Command) -> None:
    given = eight_questions(tmp_path)
    compared = nescio("compare", *given, table(tmp_path / "qa.csv", qa="CC"), "-m", "ave.qa_accuracy")
    assert "the QA systems were not asked 6 of 8 questions; unasked questions count as not correct" in compared.flat
    assert "-0.625" in compared.out  # 2/8 - 7/8
    nescio("compare", *given, table(tmp_path / "av.csv", av="CC")).assert_refused("'av' is the name of a validator")
    other = written(tmp_path / "other.csv", "run,question,outcome\nqa,1,correct\n")
    nescio("compare", *given, other).assert_refused("the QA systems answer no question of the collection")
    twice = "run,question,repeat,outcome\nqa,q1,1,correct\nqa,q1,2,incorrect\n"
    repeated = written(tmp_path / "twice.csv", twice)
    nescio("compare", *given, repeated).assert_refused("answered a question several times")
    counts = written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered\nqa,1,2,3\n")
    nescio("compare", *given, counts).assert_refused("a counts table", "cannot be read together")


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
    assert "1 of 1 question is in PT; nescio has rules for" in str(note)


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
    assert {row["run"] for row in printed["scores"]} == {"held out, threshold chosen on the same answers"}
    assert any("scores and ablation: only the confidences are held out" in note for note in printed["notes"])
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
    assert "the model learned from questions and answers: the hypothesis replaces the question" in told


def test_techniques_are_switched_off_and_on_and_said(nescio: Command, dev: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    nescio("ave", "validate", "train", dev, "-o", model, *QUICK, "--redundancy", "--without", "chunks")
    techniques = json.loads(model.read_text())["techniques"]
    assert ("redundancy" in techniques, "chunks" in techniques) == (True, False)


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


@pytest.mark.parametrize(
    ("spacy", "reason"),
    [(None, "spaCy is not installed"), (object(), "no parser is named with --parser")],
    ids=["without spaCy", "with spaCy"],
)
def test_without_a_parser_a_proof_is_not_explained_but_said(
    nescio: Command, dev: Path, monkeypatch: pytest.MonkeyPatch, spacy: object | None, reason: str
) -> None:
    monkeypatch.setattr(_parsing, "find_spec", lambda _: spacy)
    exercise = collection(5)
    first = exercise.candidates[0]
    printed = nescio("ave", "explain", dev, first.question_id, first.id, "-f", "json").json
    assert printed["statement"] == []
    assert any(reason in each for each in printed["notes"])
    wrong = nescio("ave", "explain", dev, "no such question", first.id)
    assert (wrong.status, "has no question" in wrong.err) == (2, True)
