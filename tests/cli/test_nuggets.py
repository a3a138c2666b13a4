"""nescio nuggets: scores of definition questions, and the baseline that answers them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nescio.systems.definitions import bundled

from .conftest import Command

HALE = [f"hale v{i} vital fact {i}" for i in range(1, 5)] + [f"hale o{i} okay detail {i}" for i in range(1, 8)]


def write(folder: Path, **files: str) -> list[Path]:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return [folder / f"{name}.txt" for name in files]


@pytest.fixture
def hale_files(tmp_path: Path) -> list[Path]:
    """The thesis's Sir John Hale: 3 of 4 vital and 4 okay nuggets in 1000 characters (formulas: NP .70, F(5) .7479)."""
    return write(
        tmp_path,
        key="\n".join(HALE) + "\n",
        run=f"hale Q0 doc 1 1.0 run {'x' * 600}\nhale Q0 doc 2 0.5 run {'y' * 400}\n",
        mapping="hale run 1 v1,v2,v3\nhale run 2 o1,o2,o3,o4\n",
    )


def test_score_prints_the_scores_of_sir_john_hale(nescio: Command, hale_files: list[Path]) -> None:
    key, run, mapping = hale_files
    found = nescio("nuggets", "score", key, run, "--mapping", mapping, "--beta", 5, "--ci", "none", "-f", "json")
    assert found.status == 0
    values = {row["measure"]: row["value"] for row in found.json["scores"]}
    assert f"{values['nuggets.F(beta=5)']:.4f}" == "0.7479"
    assert values["nuggets.NR"] == 0.75
    assert values["nuggets.NP"] == pytest.approx(0.7)
    assert set(found.json) == {"nescio", "signature", "scores", "notes"}


def test_nuggets_score_and_score_agree(nescio: Command, hale_files: list[Path]) -> None:
    key, run, mapping = hale_files
    one = nescio("nuggets", "score", key, run, "--mapping", mapping, "--resamples", 50, "-f", "json")
    other = nescio("score", key, run, mapping, "--resamples", 50, "-f", "json")
    assert one.json == other.json


def test_what_is_automatic_is_called_so(nescio: Command, hale_files: list[Path]) -> None:
    found = nescio(
        "nuggets", "score", hale_files[0], hale_files[1], "--automatic", "idf", "--beta", 5, "--ci", "none", "-v"
    )
    assert "nuggets.automatic_F(beta=5)" in found.out
    assert "judge:automatic(method=idf)" in found.out
    assert "note: AUTOMATIC" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--automatic", "magic"), "--automatic takes one of count, idf, embedding"),
        (("--assessors", "each"), "assessors are chosen from those of a mapping"),
        (("--beta", "-1"), "beta must be more than 0"),
        (("--beta", "5", "-m", "nuggets.automatic_NR"), "--beta: nuggets.automatic_NR has none"),
        (("-m", "nuggets.FO"), "unknown measure 'nuggets.FO'"),
    ],
)
def test_what_makes_no_sense_is_one_message(
    nescio: Command, hale_files: list[Path], arguments: tuple[str, ...], said: str
) -> None:
    found = nescio("nuggets", "score", hale_files[0], hale_files[1], *arguments)
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1


def test_a_malformed_run_has_no_score(nescio: Command, hale_files: list[Path]) -> None:
    hale_files[1].write_text(hale_files[1].read_text() + "hale Q0 doc 2 0.5 run again\n")
    found = nescio("nuggets", "score", hale_files[0], hale_files[1])
    assert (found.status, found.out) == (2, "")
    assert "run.txt, line 3: rank 2 of question hale appears twice" in found.err


def test_answer_writes_a_run_that_score_reads(nescio: Command, tmp_path: Path) -> None:
    run = tmp_path / "base.jsonl"
    found = nescio("nuggets", "answer", bundled() / "key.jsonl", bundled() / "texts", "-o", run)
    assert (found.status, found.out) == (0, "")
    assert "base answers 6 of 7 questions" in found.err
    scored = nescio("nuggets", "score", bundled() / "key.jsonl", run, "--ci", "none", "-m", "coverage", "-f", "json")
    assert scored.json["scores"][0]["value"] == pytest.approx(6 / 7)
    silent = nescio("nuggets", "answer", bundled() / "key.jsonl", bundled() / "texts", "--threshold", 1, "-o", run)
    assert "answers 0 of 7" in silent.err


def test_answer_refuses_what_it_cannot_write_or_read(nescio: Command, tmp_path: Path) -> None:
    wrong = nescio("nuggets", "answer", bundled() / "key.jsonl", bundled() / "texts", "-o", tmp_path / "x.csv")
    assert (wrong.status, "a run is written to .jsonl or .txt" in wrong.err) == (2, True)
    empty = nescio("nuggets", "answer", bundled() / "key.jsonl", tmp_path, "-o", tmp_path / "x.jsonl")
    assert (empty.status, "there are no texts" in empty.err) == (2, True)
    assert not list(tmp_path.iterdir())


def test_parameters_stand_beside_measures_that_do_not_name_their_own(nescio: Command, hale_files: list[Path]) -> None:
    asked = ["-m", "nuggets.automatic_F", "-m", "nuggets.automatic_F(beta=2)", "-m", "nuggets.automatic_NR"]
    found = nescio("nuggets", "score", *hale_files[:2], *asked, "--beta", 5, "--delta", 50, "--ci", "none")
    assert found.status == 0
    assert "nuggets.automatic_F(beta=5, delta=50)" in found.out
    assert "nuggets.automatic_F(beta=2, delta=50)" in found.out


def test_a_question_without_vital_nuggets_does_not_count(nescio: Command, tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("run,question,vital,okay,vital_in_key,length\na,1,1,0,2,50\na,2,0,1,0,50\na,3,2,0,2,50\n")
    found = nescio("nuggets", "score", counts, "-m", "nuggets.NR", "--ci", "none", "-f", "json")
    (row,) = json.loads(found.out)["scores"]
    assert (row["n"], row["value"]) == (2, 0.75)
