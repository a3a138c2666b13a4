"""The advice and the errors to read in a terminal: those of the page."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import nescio
from nescio.cli.app import run
from nescio.reporting import page as pages
from nescio.reporting.page.sentence import answer
from tests.reporting.conftest import make, outcome_table

EXAMPLES = Path(__file__).parents[2] / "examples"
KEEN = {"keen": "C" * 120 + "WC" * 10 + "W" * 60, "dull": "CWWWW" * 40}


def test_the_errors_are_those_of_the_run_at_the_threshold_advised(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "two.csv", KEEN, confidence=True)
    said = nescio.advise(table, resamples=200, most=1_000)
    tuned = nescio.tune(table, run="keen", resamples=200).rows[0]
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"] == "keen" and row["outcome"] == "incorrect"]
    assert tuned.threshold is not None
    wrong = [row for row in rows if float(row["confidence"]) >= tuned.threshold - 1e-9]
    assert [row.question for row in said] == [row["question"] for row in wrong]
    assert {row.run for row in said} == {"keen"}
    assert {row.threshold for row in said} == {tuned.threshold}
    shown = answer(pages.gather([table], resamples=200))
    first = [row["text"] for row in said.records("screen")][:2]
    assert first[0] == shown.text
    assert first[1].startswith(shown.advice[:60])


def test_what_is_tolerated_decides_run_and_threshold(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "two.csv", KEEN, confidence=True)
    loose, strict = (nescio.advise(table, resamples=200, most=1_000, tolerate=risk) for risk in (40, 1))
    promise = next(row["text"] for row in loose.records("screen") if row["text"].startswith("For at most 40%"))
    assert "ship keen at threshold" in promise
    assert f"{len(loose)} of these wrongly here" in promise
    assert any(
        row["text"].startswith("No run can promise at most 1% wrong answers") for row in strict.records("screen")
    )


def test_json_has_every_sentence_with_its_claim() -> None:
    found = nescio.advise(EXAMPLES / "outcomes.csv").to_dict()
    claims = {row["kind"]: row for row in found["statements"]}
    assert {"best", "better", "wrong", "another sample", "tied", "alike"} <= set(claims)
    assert claims["wrong"]["level"] == 0.95
    assert all(row["given"] and row["method"] for row in claims.values())


def test_it_fits_a_terminal_and_says_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    files = [EXAMPLES / "questions.jsonl", *sorted((EXAMPLES / "runs").glob("*.jsonl"))]
    with pytest.raises(SystemExit) as stopped:
        run(["advise", *map(str, files), "--most", "3", "--resamples", "200"])
    assert not stopped.value.code
    shown = capsys.readouterr().out
    assert "Ship mine as it is" in shown
    assert "Errors of mine, to be read first:" in shown
    assert "The van had a flat tyre." in shown


@pytest.mark.parametrize("letters", ["U" * 30, "C" * 30, "W"])
def test_data_without_errors_or_answers_have_advice(tmp_path: Path, letters: str) -> None:
    said = nescio.advise(outcome_table(tmp_path / "one.csv", {"one": letters}), resamples=200)
    assert said.records("screen")
    assert len(said) == letters.count("W")


def test_where_there_are_no_errors_to_read_it_says_so(tmp_path: Path) -> None:
    said = nescio.advise(EXAMPLES / "ap.csv", resamples=200).records("screen")
    assert said[-1]["text"] == (
        "No errors to read: the data has scores, and says of no answer whether it is right or wrong."
    )
    page = make(tmp_path / "ap.html", EXAMPLES / "ap.csv").read_text(encoding="utf-8")
    assert "the lowest scores of dense</a>" in page
    table = outcome_table(tmp_path / "one.csv", {"one": "CU" * 20})
    assert nescio.advise(table, resamples=200).records("screen")[-1]["text"] == "No errors to read: one has none."
    assert "No errors to read: one has none." in make(tmp_path / "one.html", table).read_text(encoding="utf-8")
    table.write_text("run,correct,incorrect,unanswered\na,30,20,10\n")
    assert "has counts, and not which" in nescio.advise(table, resamples=200).records("screen")[-1]["text"]


def test_where_judges_disagree_the_evidence_is_weak(tmp_path: Path) -> None:
    """Thirty of 300 answers hold the gold answer in a sentence: wrong by words, right if it is to be contained."""
    rows = ["question,prediction,gold"]
    rows += [
        f"q{i},{f'It is the {i}th gate of Rome' if i < 30 else f'gate {i}'},gate {i if i > 29 else 'of Rome'}"
        for i in range(300)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows) + "\n")
    (said,) = [row["text"] for row in nescio.advise(path).records("screen") if row["text"].startswith("The evidence")]
    assert said.startswith("The evidence is weak: another judge sees 10% of the answers otherwise")
