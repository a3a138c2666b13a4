"""A judge's certificate, and gates that require one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as library
from nescio.errors import FormatError, UsageError
from nescio.pipeline.certificates import read_certificate

from .conftest import ANSWERED, EXAMPLES, PEOPLE, Command, written

LLM = "llm(model=m, prompt={}, date=2026-01-01)"


@pytest.fixture
def certificate(nescio: Command, tmp_path: Path) -> Path:
    path = tmp_path / "judge.json"
    done = nescio("judge", *ANSWERED, "--judge", "exact", "--against", PEOPLE, "--blind", "--certificate", path)
    assert (done.status, f"wrote {path}" in done.flat) == (0, True)
    return path


def edited(path: Path, **fields: Any) -> Path:
    return written(path, json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields))


def test_what_a_certificate_says(certificate: Path) -> None:
    """87 of 90 labels agree; each coefficient is that of the table of all runs, which `judge --against` prints."""
    said = json.loads(certificate.read_text(encoding="utf-8"))
    assert (said["judge"], said["prompt"], said["labels"]) == ("exact", "", 90)
    assert said["categories"] == ["correct", "incorrect"]
    judged = library.judge(ANSWERED, judge="exact", against=PEOPLE)
    table = {(c.people, c.judge): c.count for c in judged.agreement().tables["confusion"] if c.run == "all runs"}
    a, b, c, d = (table[p, j] for p in ("correct", "incorrect") for j in ("correct", "incorrect"))
    n = a + b + c + d
    p_o, pi = (a + d) / n, (2 * a + b + c) / (2 * n)
    p_e = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
    expected = {
        "agreement": p_o,
        "kappa": (p_o - p_e) / (1 - p_e),
        "AC1": (p_o - 2 * pi * (1 - pi)) / (1 - 2 * pi * (1 - pi)),
        "alpha": 1 - (2 * n - 1) * 2 * (b + c) / ((2 * n) ** 2 - (2 * a + b + c) ** 2 - (2 * d + b + c) ** 2),
    }
    found = {one["name"]: one for one in said["agreement"]}
    assert p_o == 87 / 90
    for name, value in expected.items():
        assert found[name]["value"] == pytest.approx(value, abs=1e-12)
        assert found[name]["low"] < value < found[name]["high"] + 1e-12
    assert read_certificate(certificate) == judged.certificate(blind=True)


def test_the_same_judge_prompt_and_questions_are_certified(nescio: Command, certificate: Path, tmp_path: Path) -> None:
    """Other runs on the same questions are what a gate is for; outcomes may name their judge."""
    done = nescio("score", *ANSWERED[:2], "--judge", "exact", "--require-certificate", certificate)
    assert (done.status, "exact is certified by 90 blind labels of" in done.err) == (0, True)
    assert nescio("compare", *ANSWERED, "--judge", "exact", "--require-certificate", certificate).status == 0
    graded = tmp_path / "graded.csv"
    nescio("judge", *ANSWERED, "--judge", "exact", "-o", graded)
    assert nescio("score", graded, "--require-certificate", certificate).status == 0


def test_another_judge_prompt_or_other_questions_are_refused(
    nescio: Command, certificate: Path, tmp_path: Path
) -> None:
    def refused(says: str, *arguments: object) -> None:
        nescio("score", *arguments, "--require-certificate", certificate, "-m", "c@1").assert_refused(says)

    f1 = "token_f1(threshold=0.8)"
    refused(f"is for the judge exact; {f1} judged", *ANSWERED, "--judge", f1)
    refused("it is unknown who judged these answers", EXAMPLES / "outcomes.csv")
    refused("but this data names none", EXAMPLES / "table3.csv")
    graded = tmp_path / "graded.csv"
    nescio("judge", *ANSWERED, "--judge", "exact", "-o", graded)
    lines = graded.read_text(encoding="utf-8").splitlines(keepends=True)
    question = lines[1].split(",")[1]
    written(graded, "".join(line for line in lines if line.split(",")[1] != question))
    refused("is for different questions", graded)
    written(graded, f'run,question,outcome,judge\nx,q,correct,"{LLM.format("aaaaaaaa")}"\n')
    edited(certificate, judge=LLM.format("bbbbbbbb"), prompt="bbbbbbbb")
    refused("is for the prompt bbbbbbbb; llm was asked with the prompt aaaaaaaa", graded)


def test_a_judge_that_agrees_no_more_than_chance(nescio: Command, certificate: Path, tmp_path: Path) -> None:
    """Inverted labels: of 90, the 87 that agreed now differ, and kappa is negative."""
    other = {"R": "W", "W": "R"}
    head, *rows = PEOPLE.read_text(encoding="utf-8").splitlines()
    turned = [f"{rest},{other.get(word, word)}" for rest, _, word in (row.rpartition(",") for row in rows)]
    inverted, path = written(tmp_path / "inverted.csv", "\n".join([head, *turned])), tmp_path / "chance.json"
    done = nescio("judge", *ANSWERED, "--judge", "exact", "--against", inverted, "--blind", "--certificate", path)
    assert (done.status, path.exists()) == (0, True)
    assert "do not show that the judge agrees with people more than chance" in done.flat
    done = nescio("score", *ANSWERED, "--judge", "exact", "--require-certificate", path)
    done.assert_refused("the judge agrees with people no more than chance would")
    weak = [{"name": "kappa", "value": 0.1, "low": -0.1, "high": 0.3, "undefined": 0}]
    done = nescio("score", *ANSWERED, "--judge", "exact", "--require-certificate", edited(certificate, agreement=weak))
    assert (done.status, "kappa 0.100 [-0.100, 0.300] is not above 0" in done.flat) == (0, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,question", "this is not a certificate of a judge"),
        ("[1]", "this is not a certificate of a judge"),
        ('{"kind": "certificate of a judge"}', "lacks a field"),
    ],
)
def test_what_is_no_certificate(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_certificate(written(tmp_path / "judge.json", text))
    with pytest.raises(UsageError, match="cannot be read"):
        read_certificate(tmp_path / "nowhere.json")


def test_labels_must_be_stated_to_be_blind(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    done = nescio("judge", *ANSWERED, "--against", PEOPLE, "--certificate", path)
    done.assert_refused("give --blind if people gave their verdicts without seeing the judge's")
    assert not path.exists()
    with pytest.raises(UsageError, match="blind"):
        library.judge(ANSWERED, against=PEOPLE).certificate()
    with pytest.raises(UsageError, match="people's own verdicts"):
        library.judge(ANSWERED, judge="human", against=PEOPLE).certificate(blind=True)
    with pytest.raises(UsageError, match="of a judge that the files do not name"):
        library.judge(EXAMPLES / "outcomes.csv", against=PEOPLE).certificate(blind=True)


def test_no_way_of_scoring_passes_by_the_certificate(
    nescio: Command, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, *more in (
        ("compare", "--baseline", "old", "--run", "mine", "-o", "found.json"),
        ("look", "--baseline", "old", "--run", "mine", "-m", "accuracy"),
        ("compare", "--baseline", "old", "--suite-by", "category"),
        ("score", "--suite-by", "category"),
        ("score", "--labels", PEOPLE),
    ):
        done = nescio(command, EXAMPLES / "outcomes.csv", *more, "--require-certificate", certificate)
        done.assert_refused("it is unknown who judged these answers")
    assert not (tmp_path / "found.json").exists()
