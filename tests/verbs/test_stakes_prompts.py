"""Prompts that state a stake, from questions to a report: answered by two models, and read back from a harness's log."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import nescio
from nescio.data.stake_labels import penalties
from nescio.data.stakes import marked, sentence, stakes_of
from nescio.errors import UsageError
from tests.recounts import counting

QUESTIONS = 50
STAKES = ("1/3", "1", "3", "9")
DECLINED = "I don't know"


def says(model: str, prompt: str) -> str:
    """What a model answers: each knows a question with a chance that both share; one answers if that exceeds the
    percentage that the prompt states, and the other ignores it."""
    number = int(re.search(r"the number (\d+)", prompt)[1])  # type: ignore[index]
    rng = np.random.default_rng([7, number])
    sure = float(rng.beta(2, 1.2))
    right = rng.random() < sure
    asked = float(re.search(r"more than ([\d.]+)% sure", prompt)[1]) / 100  # type: ignore[index]
    answers = sure > asked if model == "adapts" else sure > 0.4
    return str(2 * number if right else 2 * number + 1) if answers else DECLINED


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what two harnesses leave: prompts, runs of nescio's own form, and samples of lm-eval."""
    folder = tmp_path_factory.mktemp("stakes")
    rows = [{"id": f"q{i}", "question": f"Double the number {i}.", "answers": [str(2 * i)]} for i in range(QUESTIONS)]
    write(folder / "questions.jsonl", rows)
    made = nescio.lab.stakes_prompts(folder / "questions.jsonl", folder / "prompts.jsonl", stakes=STAKES)
    assert (made.prompts, made.questions) == (4 * QUESTIONS, QUESTIONS)
    prompts = [json.loads(line) for line in (folder / "prompts.jsonl").read_text().splitlines()]
    for model in ("adapts", "ignores"):
        said = [(prompt, says(model, prompt["input"])) for prompt in prompts]
        write(folder / f"{model}.jsonl", [{"id": p["id"], "answer": answer, "run": model} for p, answer in said])
        (folder / "log" / model).mkdir(parents=True)
        log = folder / "log" / model / "samples_doubling_2026-11-25T10-00-00.jsonl"
        write(log, [_sample(i, *one) for i, one in enumerate(said)])
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _sample(number: int, prompt: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """A row of lm-eval's log of samples."""
    target = prompt["target"][0]
    return {
        "doc_id": number,
        "doc": prompt,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt["input"], "arg_1": {"until": []}}},
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": float(answer == target),
    }


@pytest.mark.parametrize("files", [("prompts.jsonl", "adapts.jsonl", "ignores.jsonl"), ("log/*/samples*",)])
def test_the_model_that_adapts_is_told_from_the_one_that_ignores_stakes(asked: Path, files: tuple[str, ...]) -> None:
    paths = [path for name in files for path in sorted(asked.glob(name))]
    found = nescio.lab.stakes(paths, declined_pattern=[DECLINED])
    adapts, ignores = sorted(found.tables["adaptation"], key=lambda row: row.p)
    assert "adapts" in adapts.run
    assert (adapts.p <= 0.001, ignores.p) == (True, 1.0)
    assert adapts.low > 0
    assert [row.penalty for row in found][:4] == pytest.approx([1 / 3, 1, 3, 9])
    scores = nescio.score(paths, declined_pattern=[DECLINED])
    for row in found:
        name = str(Fraction(row.penalty).limit_denominator(10))
        assert scores.value(row.run, f"utility({name})") == pytest.approx(row.utility, abs=1e-12)
    for row in found.tables["adaptation"]:
        assert scores.value(row.run, "stake_area(1/3,1,3,9)") == pytest.approx(row.area, abs=1e-12)
        assert scores.value(row.run, "silence_per_tenfold") == pytest.approx(row.per_tenfold, abs=1e-12)


def test_what_stakes_say_is_what_a_plain_script_counts(asked: Path) -> None:
    """From the answers as the harness left them: tests/recounts/counting.py, which knows nothing of nescio."""
    models = ("adapts", "ignores")
    found = nescio.lab.stakes(
        [asked / "prompts.jsonl", *(asked / f"{m}.jsonl" for m in models)], declined_pattern=[DECLINED]
    )
    theirs = {m: counting.stated(asked / "prompts.jsonl", asked / f"{m}.jsonl", DECLINED) for m in models}
    for run in found.tables["adaptation"]:
        own = theirs[run.run]
        assert [row.utility for row in found if row.run == run.run] == pytest.approx(own["utility"], abs=1e-12)
        assert run.p == pytest.approx(own["p"], rel=1e-9)
        assert run.area == pytest.approx(sum(own["area"].values()) / QUESTIONS, abs=1e-12)
        assert run.per_tenfold == pytest.approx(own["slope"][0], abs=1e-12)
        if run.run == "adapts":  # the other has no slope, so no interval
            assert (run.low, run.high) == pytest.approx(own["slope"][1:], abs=1e-9)
    area = found.tables["differences"][0]
    mean, error, freedom, p = counting.exchanged(theirs[area.run]["area"], theirs[area.baseline]["area"])
    half = float(t.ppf(0.975, freedom)) * error
    assert (area.difference, area.low, area.high, area.p) == pytest.approx(
        (mean, mean - half, mean + half, p), abs=1e-9
    )


def test_the_report_shows_the_utility_over_the_stakes(asked: Path, tmp_path: Path) -> None:
    paths = [asked / name for name in ("prompts.jsonl", "adapts.jsonl", "ignores.jsonl")]
    nescio.report(paths, output=tmp_path / "report.html", declined_pattern=[DECLINED], resamples=50)
    page = (tmp_path / "report.html").read_text()
    assert "Utility over the stakes" in page
    assert page.count("best fixed policy") >= 1


def test_what_an_outcome_table_of_them_says_again(asked: Path, tmp_path: Path) -> None:
    paths = [asked / name for name in ("prompts.jsonl", "adapts.jsonl", "ignores.jsonl")]
    nescio.convert(paths, tmp_path / "outcomes.csv", declined_pattern=[DECLINED])
    found = nescio.lab.stakes(tmp_path / "outcomes.csv").tables["adaptation"]
    assert [row.p <= 0.001 for row in sorted(found, key=lambda row: row.run)] == [True, False]


def test_a_stake_in_words() -> None:
    assert "loses 3 points" in sentence(Fraction(3))
    assert "more than 75% sure" in sentence(Fraction(3))
    assert "costs nothing" in sentence(Fraction(0))
    assert marked("q1", "t=0.9") == "q1@t=0.9"
    assert penalties(["t=0.9", "stake=9"]) == {"t=0.9": 9, "stake=9": 9}
    assert penalties(["1", "2"]) is None
    assert stakes_of(["1", " 3", "t=0.75"]) == [("1", 1), ("3", 3)]


@pytest.mark.parametrize("stake", ["-1", "t=1", "high", "price=3", "1/0"])
def test_what_is_no_stake_is_refused_and_nothing_written(stake: str, asked: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a stake"):
        nescio.lab.stakes_prompts(asked / "questions.jsonl", tmp_path / "prompts.jsonl", stakes=[stake])
    assert not list(tmp_path.iterdir())


def test_a_column_stake_of_something_else_is_a_column_like_any_other(tmp_path: Path) -> None:
    """Words, of questions that were asked once, and twice."""
    rows = ["a,q1,high,correct", "a,q2,low,incorrect", "a,q3,low,unanswered", "a,q4,high,correct"]
    path = tmp_path / "once.csv"
    path.write_text("\n".join(["run,question,stake,outcome", *rows]) + "\n")
    found = nescio.score(path, by="stake", ci=None)
    assert found.value("a", "accuracy", "high") == 1
    assert found.value("a", "c@1") == 0.625
    twice = tmp_path / "twice.csv"
    twice.write_text("\n".join(["run,question,stake,outcome", *rows[:2], "a,q1,low,incorrect"]))
    with pytest.raises(UsageError, match="is not a stake"):
        nescio.lab.stakes(twice, stake="stake")
