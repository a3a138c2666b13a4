"""A judge's certificate, and gates that require one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio as library
from nescio.errors import UsageError
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


def test_a_judge_that_agrees_no_more_than_chance(nescio: Command, tmp_path: Path) -> None:
    """Inverted labels: of 90, the 87 that agreed now differ, and kappa is negative."""
    other = {"R": "W", "W": "R"}
    head, *rows = PEOPLE.read_text(encoding="utf-8").splitlines()
    turned = [f"{rest},{other.get(word, word)}" for rest, _, word in (row.rpartition(",") for row in rows)]
    inverted, path = written(tmp_path / "inverted.csv", "\n".join([head, *turned])), tmp_path / "chance.json"
    done = nescio("judge", *ANSWERED, "--judge", "exact", "--against", inverted, "--blind", "--certificate", path)
    assert (done.status, path.exists()) == (0, True)
    assert "do not show that judge and people agree more than by chance" in done.flat
    done = nescio("score", *ANSWERED, "--judge", "exact", "--require-certificate", path)
    done.assert_refused("these 90 labels do not show that judge and people agree", "are the verdicts swapped?")


def test_a_certificate_is_for_the_words_of_its_questions(nescio: Command, certificate: Path, tmp_path: Path) -> None:
    """Questions of the same names have other gold answers, or other texts; the judged table keeps their digests."""
    questions, *runs = ANSWERED
    rows = [json.loads(line) for line in Path(questions).read_text(encoding="utf-8").splitlines()]
    assert rows[0]["answers"]
    changes = [{"answers": [*rows[0]["answers"], "x"]}, {"question": "Which?"}]
    for change in changes:
        lines = [json.dumps(row | change if i == 0 else row) for i, row in enumerate(rows)]
        other = written(tmp_path / "other.jsonl", "\n".join(lines))
        done = nescio("score", other, *runs, "--judge", "exact", "--require-certificate", certificate)
        done.assert_refused("the certificate is for questions of these names with other texts, options or gold answers")
    table = tmp_path / "graded.csv"
    assert nescio("judge", *ANSWERED, "--judge", "exact", "-o", table).status == 0
    assert nescio("score", table, "--require-certificate", certificate).status == 0
    done = nescio(
        "score", *ANSWERED, "--judge", "exact", "--declined-pattern", "a.*", "--require-certificate", certificate
    )
    done.assert_refused("was certified with no --declined-pattern, but these answers are read with --declined-pattern")


def test_a_written_table_meets_a_certificate_although_a_topic_states_nothing(nescio: Command, tmp_path: Path) -> None:
    """Only 30 of 40 topics have a relevant document."""
    qrels = written(tmp_path / "qrels.txt", "\n".join(f"{i} 0 d{i} {int(i < 30)}" for i in range(40)))
    ranked = "\n".join(f"{i} Q0 {'d' if i < 20 else 'e'}{i} 1 1 mine" for i in range(40))
    judged = (qrels, written(tmp_path / "mine.run", ranked), "--judge-name", "nist")
    rows = "\n".join(f"mine,{i},{'R' if i < 20 else 'W'}" for i in range(40))
    people = written(tmp_path / "people.csv", f"run,question,verdict\n{rows}")
    path, table = tmp_path / "judge.json", tmp_path / "table.csv"
    done = nescio("judge", *judged, "--against", people, "--blind", "--certificate", path, "-o", table)
    assert (done.status, '"words": ""' in path.read_text(encoding="utf-8")) == (0, False)
    assert nescio("score", table, "-m", "accuracy", "--require-certificate", path).status == 0


@pytest.mark.parametrize("rest", [0.5, 0.25])
def test_labels_drawn_with_different_probabilities_correct_and_certify_nothing(
    nescio: Command, tmp_path: Path, rest: float
) -> None:
    """Nothing in `judge` weighs by the column `inclusion`; equal probabilities need no weights."""
    head, *rows = PEOPLE.read_text(encoding="utf-8").splitlines()
    own = [f"{row},{0.5 if i % 2 else rest}" for i, row in enumerate(rows)]
    drawn, path = written(tmp_path / "drawn.csv", "\n".join([f"{head},inclusion", *own])), tmp_path / "judge.json"
    agreed = library.judge(ANSWERED, judge="exact", against=drawn).agreement()
    said = "different probabilities in their column `inclusion`, and nothing here weighs by them" in str(agreed)
    assert (said, {"corrected", "conclusion"} <= {*agreed.tables}) == (rest != 0.5, rest == 0.5)
    by_people = library.judge(ANSWERED, judge="human", against=drawn, output=tmp_path / "out.csv")
    assert ("nothing here weighs" in str(by_people)) == (rest != 0.5)
    done = nescio("judge", *ANSWERED, "--judge", "exact", "--against", drawn, "--blind", "--certificate", path)
    assert (done.status != 0, path.exists()) == (rest != 0.5, rest == 0.5)
    if rest != 0.5:
        done.assert_refused("needs verdicts on a simple random sample")


@pytest.mark.parametrize(
    ("kappa", "shown"),
    [
        ({"value": 0.1, "low": -0.1, "high": 0.3}, "kappa is 0.100 [-0.100, 0.300]"),
        ({"value": None, "low": None, "high": None}, "kappa is undefined"),  # all labels are alike
    ],
)
def test_a_certificate_that_shows_no_agreement_opens_no_gate(
    nescio: Command, certificate: Path, kappa: dict[str, Any], shown: str
) -> None:
    weak = edited(certificate, agreement=[{"name": "kappa", **kappa, "undefined": 0}])
    done = nescio("score", *ANSWERED, "--judge", "exact", "--require-certificate", weak)
    done.assert_refused(shown, "label more answers of each outcome")


def test_another_prompt_is_refused_and_no_other_labels_certify(
    nescio: Command, certificate: Path, tmp_path: Path
) -> None:
    graded = written(tmp_path / "g.csv", f'run,question,outcome,judge\nx,q,correct,"{LLM.format("aaaaaaaa")}"\n')
    edited(certificate, judge=LLM.format("bbbbbbbb"), prompt="bbbbbbbb")
    refused = nescio("score", graded, "--require-certificate", certificate)
    refused.assert_refused("is for the prompt bbbbbbbb; llm was asked with the prompt aaaaaaaa")
    for judged, says in (
        (library.judge(ANSWERED, against=PEOPLE), "blind"),
        (library.judge(ANSWERED, judge="human", against=PEOPLE), "people's own verdicts"),
        (library.judge(EXAMPLES / "outcomes.csv", against=PEOPLE), "verdicts of an unnamed judge"),
    ):
        with pytest.raises(UsageError, match=says):
            judged.certificate(blind=says != "blind")


def test_an_answer_that_stands_for_nothing_is_wrong_by_people_and_by_the_judge(tmp_path: Path) -> None:
    """One answer is right and two are "?": people and the judge agree on each of them."""
    said = ["Paris", "?", "?"]
    asked = [{"id": f"q{i}", "question": "Where?", "answers": ["Paris"]} for i in range(3)]
    given = [{"id": f"q{i}", "answer": text} for i, text in enumerate(said)]
    files = [
        written(tmp_path / name, "\n".join(map(json.dumps, rows)) + "\n")
        for name, rows in (("questions.jsonl", asked), ("run.jsonl", given))
    ]
    cells = [f"run,q{i},{text},{'R' if i == 0 else 'W'}" for i, text in enumerate(said)]
    people = written(tmp_path / "people.csv", "\n".join(["run,question_id,answer,verdict", *cells]) + "\n")
    judged = library.judge(files, judge="exact", against=people)
    counts = {(c.people, c.judge): c.count for c in judged.agreement().tables["confusion"]}
    assert {pair: count for pair, count in counts.items() if count} == {
        ("correct", "correct"): 1,
        ("incorrect", "incorrect"): 2,
    }
