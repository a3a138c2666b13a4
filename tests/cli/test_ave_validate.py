"""nescio ave validate and nescio ave table12, from files to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from nescio.data.model import Question
from nescio.formats import open_source
from nescio.formats.benchmarks.ave.ave_reader import read_responses, write_exercise
from nescio.systems.validator import OWN
from nescio.tasks.ave.exercise import Candidate, Exercise, Value
from nescio.tasks.ave.rules import problems
from tests.cli.conftest import Command

FEW = [f"--without={name}" for name in OWN if name not in ("lexical", "names")]
QUICK = "--trees 5 --folds 3 --resamples 50".split()  # noqa: SIM905


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
    found = nescio("ave", "validate", "train", str(dev), "-o", str(model), *QUICK, *FEW, "--ablation", "-f", "json")
    printed = found.json
    assert [row["measure"] for row in printed["thresholds"]] == ["F", "c@1"]
    assert {row["run"] for row in printed["ablation"]} >= {"all techniques", "without lexical"}
    assert next(row for row in printed["scores"] if row["measure"] == "ave.F")["value"] == 1
    assert {row["run"] for row in printed["scores"]} == {"held out, threshold chosen here"}
    assert any("chosen on these same answers" in note and "(scores and ablation)" in note for note in printed["notes"])
    assert "redundancy" not in json.loads(model.read_text())["techniques"]
    told = nescio("ave", "validate", "run", str(test), "--model", str(model), "-o", str(out)).err
    assert "5 SELECTED, 0 VALIDATED, 5 REJECTED; 0 of 5 questions stay unanswered" in told
    decisions = read_responses(open_source(out), collection(5))
    assert list(problems(collection(5), decisions)) == []
    nescio("ave", "validate", "run", str(test), "--model", str(model), "-o", str(out), "--threshold", "1")
    assert {line.split()[2] for line in out.read_text().splitlines()} == {"REJECTED"}
    nescio("ave", "validate", "run", str(test), "--model", str(model), "-o", str(out), "--threshold", "1", "--always")
    assert sum(line.split()[2] == "SELECTED" for line in out.read_text().splitlines()) == 5


def test_techniques_are_switched_off_and_on(nescio: Command, dev: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    nescio("ave", "validate", "train", str(dev), "-o", str(model), *QUICK, "--redundancy", "--without", "chunks")
    techniques = json.loads(model.read_text())["techniques"]
    assert "redundancy" in techniques
    assert "chunks" not in techniques


def test_table12_says_what_is_in_use(nescio: Command, tmp_path: Path) -> None:
    rows = nescio("ave", "table12", "--wordnet", tmp_path, "-f", "json").json["techniques"]
    use = {(row["technique"], row["here"]): (row["use"], row["why"]) for row in rows}
    assert use["Chunking", "chunks"][0] == "yes"
    assert use["Wordnet", "wordnet"] == ("skipped", f"no data.noun in {tmp_path}: name WordNet's folder with --wordnet")
    assert use["Theorem prover", "proofs"][0] == "skipped"  # no parser was named
    assert use["Redundancy across systems", "redundancy"][0] == "skipped"


def test_what_makes_no_sense_is_refused(nescio: Command, dev: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    train = ("ave", "validate", "train", str(dev), "-o")

    def error_of(*arguments: str) -> str:
        found = nescio(*arguments)
        assert found.status == 2
        return found.err

    assert "a model is written to .json" in error_of(*train, str(tmp_path / "model.pkl"))
    assert "unknown technique 'magic'" in error_of(*train, str(model), "--without", "magic")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Who?", "answers": ["I"]}\n')
    assert "is not an AVE collection" in error_of("ave", "validate", "train", str(questions), "-o", str(model))
    blank = tmp_path / "blank.xml"
    write_exercise(replace(collection(4)), blank, values=False)
    assert "all the same (or not judged)" in error_of("ave", "validate", "train", str(blank), "-o", str(model))
    run = ("ave", "validate", "run", str(dev), "--model")
    assert "not a saved model" in error_of(*run, str(_json(tmp_path)), "-o", str(tmp_path / "out.txt"))
    assert not model.exists()
    assert not (tmp_path / "out.txt").exists()
    nescio(*train, str(model), *QUICK)
    out = str(tmp_path / "out.txt")
    assert "--threshold takes F, c@1 or a number (found 'F1')" in error_of(
        *run, str(model), "-o", out, "--threshold", "F1"
    )


def _json(folder: Path) -> Path:
    (folder / "other.json").write_text("{}")
    return folder / "other.json"


def test_pairs_of_2006_are_learnt_from_and_decided(nescio: Command, dev: Path, tmp_path: Path) -> None:
    pairs, model, out = tmp_path / "pairs.xml", tmp_path / "model.json", tmp_path / "answers.txt"
    nescio("ave", "pairs", str(dev), "-o", str(pairs))
    learnt = nescio("ave", "validate", "train", str(pairs), "-o", str(model), *QUICK, *FEW, "-f", "json")
    assert {row["measure"] for row in learnt.json["scores"]} == {"ave.AUC", "ave.F"}
    told = nescio("ave", "validate", "run", str(pairs), "--model", str(model), "-o", str(out))
    assert "12 YES, 12 NO" in told.err
    assert "questions and answers" not in told.err
    lines = [line.split() for line in out.read_text().splitlines()]
    assert [line[:2] for line in lines[:2]] == [["q0-q0_1", "YES"], ["q0-q0_2", "NO"]]
    scored = nescio("ave", "score", str(pairs), str(out), "-m", "ave.F", "--ci", "none", "-f", "json")
    assert scored.json["scores"][0]["value"] == 1


def test_a_model_of_questions_says_so_before_pairs(nescio: Command, dev: Path, tmp_path: Path) -> None:
    pairs, model = tmp_path / "pairs.xml", tmp_path / "model.json"
    nescio("ave", "pairs", str(dev), "-o", str(pairs))
    nescio("ave", "validate", "train", str(dev), "-o", str(model), *QUICK, *FEW)
    told = nescio("ave", "validate", "run", str(pairs), "--model", str(model), "-o", str(tmp_path / "answers.txt"))
    assert "the model learnt from questions and answers: the hypothesis stands for the question" in told.err
