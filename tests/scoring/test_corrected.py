"""Scores and differences by people's labels: the worked figures through the whole pipeline, and what is said of labels.

Ten questions, of which people judged the first six (S: silent). The figures of `tests/stats/test_prediction_powered.py`
are of the same; here squared residuals are taken to sum to at least 3 times the square of the price of a verdict.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import nescio
from nescio.data.results import Comparison
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.measures import parse
from nescio.scoring.corrected import Correction
from tests.comparison.runs import evidence
from tests.notes import in_words

WORDS = {"1": "correct", "0": "incorrect", "S": "unanswered"}
JUDGE = {"x": "110S1011S0", "y": "10S0110100"}
PEOPLE = {"x": "111S00", "y": "10S000"}
T4 = 2.7764451051977987  # t with 4 degrees of freedom, tabulated


def rows(verdicts: dict[str, str], column: str = "outcome", **extra: Any) -> list[dict[str, Any]]:
    return [
        {"run": run, "question": f"q{i}", column: WORDS[sign], **extra}
        for run, signs in verdicts.items()
        for i, sign in enumerate(signs)
    ]


OUTCOMES, LABELS = rows(JUDGE), rows(PEOPLE, "verdict")


def compared(measure: str = "accuracy", **options: Any) -> tuple[Comparison, Correction]:
    found = nescio.compare(OUTCOMES, measure, **{"labels": LABELS, "baseline": "y", "target": "collection", **options})
    return found.rows[0], found.tables["labels"][0]


@pytest.mark.parametrize(
    ("measure", "difference", "weight", "price"),
    [
        ("accuracy", 0.3850574713, 0.5172413793, 1.0),
        ("c@1", 0.4732466356, 0.5143633540, 1.2),
        ("UF", 2 * 0.3850574713 + 0.1, 0.5172413793, 2.0),  # and what x is silent on more than y
        ("penalty(t=0.75)", 4 * 0.3850574713 + 3 * 0.1, 0.5172413793, 4.0),
    ],
)
def test_the_worked_differences(measure: str, difference: float, weight: float, price: float) -> None:
    row, how = compared(measure)
    assert row.difference == pytest.approx(difference, abs=2e-9)
    assert how.weight == pytest.approx(weight, abs=1e-9)
    error = price * math.sqrt((1 - 6 / 10) * 3 / 4 / 6)  # the residuals sum to less than 3 here
    assert row.spread == pytest.approx(error)
    low, high = parse(measure).bounds
    assert row.low == pytest.approx(max(difference - T4 * error, low - high))
    assert row.p == pytest.approx(2 * stats.t.sf(difference / error, 4))
    assert (row.test, row.n, how.labels, how.answers, how.n) == ("t", 10, 6, 10, 10)
    turned = compared(measure, baseline="x")[0]
    ends = (-(turned.high or 0), -(turned.low or 0))
    assert (row.difference, row.low, row.high) == pytest.approx((-turned.difference, *ends))
    assert turned.p == pytest.approx(row.p)


def test_questions_of_this_kind() -> None:
    """c@1: δ is each run's accuracy by its own labels, and each question adds 1.2 y - 1.1 y' + A s - A' s'."""
    near, far = compared("c@1")[0], compared("c@1", target="population")[0]
    own = nescio.score(OUTCOMES, "accuracy", labels=LABELS, target="collection")
    x, y = own.value("x", "accuracy"), own.value("y", "accuracy")
    added = [
        1.2 * (a == "1") - 1.1 * (b == "1") + x * (a == "S") - y * (b == "S")
        for a, b in zip(PEOPLE["x"], PEOPLE["y"], strict=True)
    ]
    assert far.difference == near.difference
    assert near.spread is not None
    assert far.spread == pytest.approx(math.sqrt(near.spread**2 + np.var(added, ddof=1) / 10))


def test_one_run() -> None:
    """x: 8 answers, 5 labelled; Cov 1/25 (people and judge agree on 3 of 5), Var 15/56; A is 8/10 of the answers' mean."""
    weight = (2 / 5 - 9 / 25) / (15 / 56)
    mean = 3 / 5 + weight * (5 / 8 - 3 / 5)
    found = nescio.score(OUTCOMES, ["accuracy", "c@1"], labels=LABELS, target="collection")
    assert found.value("x", "accuracy") == pytest.approx(0.8 * mean)
    assert found.value("x", "c@1") == pytest.approx(1.2 * 0.8 * mean)
    half = 3.182446305284263 * 0.8 * math.sqrt((1 - 5 / 8) * 3 / 3 / 5)  # t with 3 degrees of freedom
    low = found["x", "accuracy"].low
    assert low == pytest.approx(max(0.8 * mean - half, 0))
    assert found["x", "c@1"].interval == "prediction-powered"
    wide = nescio.score(OUTCOMES, "accuracy", labels=LABELS, ci=60)["x", "accuracy"]
    a = 0.8 * mean
    half = stats.t.ppf(0.8, 3) * math.sqrt(0.64 * (1 - 5 / 8) / 5 + a * (1 - a) / 10)
    assert (wide.low, wide.high) == pytest.approx((a - half, a + half))


def test_known_probabilities() -> None:
    """Residuals sum to less than 3, so that the intervals are wider than the worked figures, which imagine nothing."""
    odds = [0.8, 0.8, 0.5, 0.5, 0.8, 0.5]
    labels = [{**row, "p_drawn": odds[int(row["question"][1:])]} for row in LABELS]
    row, how = compared(labels=labels, column={"inclusion": "p_drawn"})
    assert row.difference == pytest.approx(0.4128113879, abs=1e-9)
    assert how.weight == pytest.approx(0.5017793594, abs=1e-9)
    assert (row.spread or 0) > 0.1606591109
    labels = [{**row, "inclusion": row["p_drawn"]} for row in labels]
    found = nescio.compare(OUTCOMES, "accuracy", labels=labels, baseline="y")
    assert (found.rows[0].spread or 0) > 0.2124998546
    assert found.signature["drawn"] == "inclusion"
    commas = [{**row, "inclusion": str(row["inclusion"]).replace(".", ",")} for row in labels]
    assert nescio.compare(OUTCOMES, "accuracy", labels=commas, baseline="y").rows == found.rows


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"inclusion": 1.5}, FormatError, "above 0 and at most 1"),
        ({"inclusion": None}, MismatchError, "1 label has no probability of inclusion"),
        ({"inclusion": 0.4}, UsageError, "question 'q0': the labels of two runs have different probabilities"),
    ],
)
def test_labels_must_have_one_probability(change: dict[str, Any], error: type[Exception], message: str) -> None:
    labels = [{**row, "inclusion": 0.5} for row in LABELS]
    labels[0] |= change
    with pytest.raises(error, match=message):
        compared(labels=labels)
    with pytest.raises(UsageError, match=r"column=.*odds.*: table has no such column"):
        nescio.score(OUTCOMES, labels=labels, column={"inclusion": "odds"})


def test_strata_of_questions_and_of_verdicts() -> None:
    rng = np.random.default_rng(8)
    truth = {run: "".join(rng.choice(list("10"), 120)) for run in "xy"}
    judge = {run: "".join(s if rng.random() < 0.8 else "10"[s == "1"] for s in signs) for run, signs in truth.items()}
    outcomes = [{**row, "topic": "ab"[int(row["question"][1:]) % 3 > 0]} for row in rows(judge)]
    drawn = [f"q{i}" for i in range(120) if i % 3 == 0 or i % 7 < 2]  # all of topic a, some of topic b
    labels = [row for row in rows(truth, "verdict") if row["question"] in drawn]
    found = nescio.compare(outcomes, "accuracy", labels=labels, baseline="y", labels_by="topic", target="collection")
    d = np.array([(a == "1") * 1.0 - (b == "1") for a, b in zip(truth["x"], truth["y"], strict=True)])
    g = np.array([(a == "1") * 1.0 - (b == "1") for a, b in zip(judge["x"], judge["y"], strict=True)])
    a, known = np.arange(120) % 3 == 0, np.array([f"q{i}" in drawn for i in range(120)])
    b = ~a & known
    weight = np.cov(d[b], g[b], ddof=0)[0, 1] / g[~a].var(ddof=1)
    value = d[a].mean() / 3 + 2 / 3 * (d[b].mean() + weight * (g[~a].mean() - g[b].mean()))
    assert found.rows[0].difference == pytest.approx(value)
    assert found.signature["drawn"] == "by topic"
    patterns = nescio.compare(outcomes, "accuracy", labels=labels, baseline="y", labels_by="verdicts")
    assert patterns.rows[0].difference == pytest.approx(value, abs=0.1)
    with pytest.raises(MismatchError, match=r'labels_by="nowhere": there is no such column .* topic, verdicts'):
        nescio.compare(outcomes, labels=labels, labels_by="nowhere")


def test_two_judges() -> None:
    rng = np.random.default_rng(9)
    truth = {run: "".join(rng.choice(list("10"), 200)) for run in "xy"}
    judge = {run: "".join(rng.choice(list("10"), 200)) for run in "xy"}
    labels = [row for row in rows(truth, "verdict") if int(row["question"][1:]) < 60]
    found = nescio.compare(rows(judge), "accuracy", labels=labels, baseline="y", also_judged=[rows(truth)])
    right = {run: signs.count("1") / 200 for run, signs in truth.items()}
    assert found.rows[0].difference == pytest.approx(right["x"] - right["y"], abs=0.02)
    assert found.tables["labels"][0].correlation == pytest.approx(1)
    assert found.signature["also_judged"] == "1"
    with pytest.raises(UsageError, match="2 judges need at least 20 labels"):
        nescio.compare(rows(judge), labels=labels[:10] + labels[60:70], also_judged=[rows(truth)])
    with pytest.raises(MismatchError, match="the same runs and questions"):
        nescio.compare(rows(judge), labels=labels, also_judged=[OUTCOMES])


@pytest.mark.parametrize("measure", ["coverage", "AUROC"])
def test_measures_that_labels_cannot_correct(measure: str) -> None:
    with pytest.raises(UsageError, match=f"{measure} uses other data too"):
        nescio.score(OUTCOMES, measure, labels=LABELS)
    assert {row.measure for row in nescio.score(OUTCOMES, labels=LABELS)} == {"c@1", "accuracy"}
    assert {row.measure for row in nescio.compare(OUTCOMES, labels=LABELS)} == {"c@1", "accuracy"}


def test_what_is_said_of_labels() -> None:
    labels = [
        *LABELS,
        LABELS[0],  # again
        {"run": "x", "question": "q3", "verdict": "correct"},  # silent, and people say unanswered and correct
        {"run": "x", "question": "q99", "verdict": "correct"},
        {"run": "y", "question": "q8", "verdict": "unanswered"},  # x is silent on it
        {"run": "x", "question": "q7", "verdict": "correct"},  # y has no label on it
    ]
    labels = [row for row in labels if (row["run"], row["question"], row["verdict"]) != ("x", "q3", "unanswered")]
    said = "\n".join(in_words(nescio.compare(OUTCOMES, "accuracy", labels=labels, baseline="y").notes))
    for words in (
        "1 judgements repeat the same verdict",
        "1 judgement is for runs or questions that are not in the data (first: run 'x', question 'q99')",
        "1 label not used: the run left the question unanswered",
        "people call 1 given answer unanswered; with labels it counts as not correct",
        "1 question has a label for only one run of a pair",
        "only 7 labelled questions: treat this interval as approximate",
        "a corrected difference is estimated directly",
        "the figures describe all questions of this kind",
    ):
        assert words in said, said
    with pytest.raises(MismatchError, match="question 'q0' has two different verdicts"):
        nescio.score(OUTCOMES, labels=[*LABELS, {"run": "x", "question": "q0", "verdict": "incorrect"}])


def test_a_useless_judge_and_labels_of_odd_answers_are_said() -> None:
    """People's and the judge's verdicts are uncorrelated on 60 labels: ρ² = 0 < 1/60."""
    truth, useless, odd = "10" * 100, "1100" * 50, "1" * 100 + "0" * 100

    def said(judge: str, people: str) -> str:
        found = nescio.score(rows({"x": judge}), "accuracy", labels=rows({"x": people}, "verdict"))
        return " ".join(map(str, found.notes))

    assert "people's labels alone would give as precise or more precise figures" in said(useless, truth[:60])
    assert not any(
        words in said(truth, truth[:60]) for words in ("alone would give", "approximate", "more than chance")
    )
    assert "by more than chance" in said(odd, odd[:80])


def test_too_few_labels_are_undefined() -> None:
    found = nescio.compare(OUTCOMES, "accuracy", labels=LABELS[:2] + LABELS[6:8], baseline="y")
    assert math.isnan(found.rows[0].difference)
    assert found.rows[0].verdict is None
    assert any(
        "undefined: people judged only 2 of 10 answers; at least 3 are needed" in str(one) for one in found.notes
    )


@pytest.mark.parametrize(
    "measure",
    ["c@1", "accuracy", "UF", "UF01", "penalty(t=0.75)", "precision", "all_unanswered_right", "omniscience_index"],
)
def test_all_labelled_is_the_score_by_people(measure: str) -> None:
    truth = {"x": "1101S", "y": "0S101"}
    judged, labels = rows({"x": "1000S", "y": "1S111"}), rows(truth, "verdict")
    (found,) = nescio.compare(judged, measure, labels=labels, baseline="y", target="collection")
    assert found.difference == pytest.approx(nescio.compare(rows(truth), measure, baseline="y").rows[0].difference)
    assert (found.low, found.high) == pytest.approx((found.difference, found.difference))
    assert found.p == (0 if found.difference else 1)
    scores = nescio.score(judged, measure, labels=labels, target="collection")
    assert [row.value for row in scores] == pytest.approx(
        [row.value for row in nescio.score(rows(truth), measure, ci=None)]
    )


def test_a_part_is_scored_by_its_own_labels() -> None:
    outcomes = [{**row, "half": "first" if int(row["question"][1:]) < 5 else "last"} for row in OUTCOMES]
    found = nescio.score(outcomes, "accuracy", labels=LABELS, target="collection", by="half")
    assert found.value("x", "accuracy", "first") == pytest.approx(3 / 5)  # all of them labelled
    assert math.isnan(found.value("x", "accuracy", "last"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mark": True}, "mark=True tests uncorrected verdicts of the judge"),
        ({"interval": "wilson"}, "interval cannot be used with labels"),
        ({"target": "all"}, "target takes one of collection, population"),
        ({"labels_by": "verdicts", "labels": None}, "labels_by needs labels"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nescio.score(OUTCOMES, **{"labels": LABELS, **options})


def test_tests_of_the_judge_and_data_without_single_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="test cannot be used with labels"):
        nescio.compare(OUTCOMES, labels=LABELS, test="exact")
    with pytest.raises(MismatchError, match="a counts table has no questions to match labels to"):
        nescio.score([{"run": "x", "correct": 3, "incorrect": 1, "unanswered": 0}], labels=LABELS)
    repeated = [{**row, "repeat": i} for row in OUTCOMES for i in (1, 2)]
    with pytest.raises(UsageError, match="asked several times"):
        nescio.score(repeated, labels=LABELS)


def test_runs_that_share_no_question_have_no_corrected_difference() -> None:
    labels = [
        row for row in rows({"x": "1" * 6, "y": "0" * 9}, "verdict") if (row["run"] == "y") == (row["question"] > "q5")
    ]
    apart = evidence(x="CCCWWW---", y="------CWW")
    found = nescio.compare(apart, "accuracy", labels=labels, target="collection")
    (how,) = found.tables["labels"]
    assert (math.isnan(found.rows[0].difference), how.labels, how.answers, how.n) == (True, 0, 0, 0)


def test_how_many_more_labels_would_tell_two_runs_apart_is_said() -> None:
    """λ = 0; d = .02, the squares (1.96) are taken for 3, K = 3/98; 1/(.02²/(1.96² K) + 1/400) = 169.4 labels."""
    outcomes = rows({"x": "1" * 400, "y": "1" * 400})
    labels = rows({"x": "1" * 36 + "0" * 64, "y": "1" * 34 + "0" * 66}, "verdict")
    found = nescio.compare(outcomes, ["accuracy"], labels=labels, target="collection", resamples=10)
    assert abs(found.rows[0].difference) == pytest.approx(0.02)
    assert any(
        "about 70 more questions with labels for both runs would tell these runs apart" in one.text
        for one in found.notes
    )


def test_labels_have_the_headers_of_the_tool_and_no_run(tmp_path: Path) -> None:
    """What a file calls questions and answers, its labels may call so too; of one run they need not name it."""
    log, labels = tmp_path / "log.csv", tmp_path / "labels.csv"
    log.write_text("user_input,response,faithfulness,exact\nq1,a,0.5,1\nq2,b,0.5,1\nq3,c,0.5,0\nq4,d,0.5,0\n")
    rows = ["q1,a,correct", "q2,b,incorrect", "q3,c,correct", "q4,d,incorrect"]
    for header in ("user_input,response,human_label", "user_input,answer,verdict"):
        labels.write_text("\n".join([header, *rows]))
        made = nescio.score(log, choose={"metric": "exact"}, labels=labels, measures=["accuracy"], target="collection")
        # all four answers have a label, and people call two of them right
        assert [score.value for score in made] == [0.5]
        assert "by text" not in " ".join(in_words(made.notes))
    two = tmp_path / "two.csv"
    two.write_text(log.read_text())
    both = nescio.score([log, two], choose={"metric": "exact"}, labels=labels, measures=["accuracy"])
    assert [score.value for score in both] == [0.5, 0.5]  # found by the texts


def test_labels_that_name_answers_by_text_need_one_run_if_the_table_has_no_texts(tmp_path: Path) -> None:
    table, labels = tmp_path / "t.csv", tmp_path / "labels.csv"
    rows = [f"x,q{i},{'correct' if i % 2 else 'incorrect'}\n" for i in range(4)]
    table.write_text("run,question,outcome\n" + "".join(rows))
    labels.write_text("question,answer,verdict\n" + "".join(f"q{i},a,{'in' * (i < 1)}correct\n" for i in range(4)))
    made = nescio.score(table, labels=labels, measures=["accuracy"], target="collection")
    assert [score.value for score in made] == [0.75]
    assert "4 labels name answers by text, but these files hold no texts" in " ".join(in_words(made.notes))
    table.write_text(table.read_text() + "".join(rows).replace("x,", "y,"))
    with pytest.raises(MismatchError, match="add a column run"):
        nescio.score(table, labels=labels, measures=["accuracy"])
