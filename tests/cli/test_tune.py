"""nescio tune as its users meet it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from nescio.selective import tune

from .conftest import Command, written

PAN = Path(__file__).parents[2].parent / "shared" / "data" / "pan20"
# What programs rely on: the design's shape of `tune -f json`.
SHAPE = {
    *("signature", "threshold", "coverage", "risk", "risk_upper", "value", "value_all_answered"),
    *("value_in_sample", "low", "high", "n"),
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """One run: 30 questions with an answer each, falling in confidence and in quality, five declined, three silent,
    two that have no answer; in clusters of five."""
    rows = ["run,question,outcome,confidence,candidate,answerable,topic"]
    for i in range(40):
        sure = f"{1 - i / 40:.3f}"
        kind = "correct" if (i % 10 != 7 if i < 20 else i % 5 == 0) else "incorrect"
        if i % 8 == 3:
            rows.append(f"mine,q{i},unanswered,{sure},{kind},true,t{i // 5}")
        elif i % 13 == 12:
            rows.append(f"mine,q{i},unanswered,,,true,t{i // 5}")
        elif i in (10, 20):
            rows.append(f"mine,q{i},incorrect,{sure},,false,t{i // 5}")
        else:
            rows.append(f"mine,q{i},{kind},{sure},,true,t{i // 5}")
    return written(tmp_path / "outcomes.csv", "\n".join(rows) + "\n")


def test_the_shape_that_programs_rely_on(nescio: Command, table: Path) -> None:
    found = nescio("tune", table, "-f", "json")
    assert (found.status, set(found.json) >= SHAPE) == (0, True)
    assert found.json["risk_upper"] is None
    assert found.json["n"] == 40
    assert found.json["low"] < found.json["value"] < found.json["high"]
    assert found.json["value_in_sample"] >= found.json["value_all_answered"]
    assert "stay unanswered at every threshold" in found.err


FEW = ("--resamples", "100")
WAYS = [(), ("-m", "UF"), ("-m", "CWS"), ("--cluster", "topic"), ("--max-risk", "0.6")]


@pytest.mark.parametrize(
    ("arguments", "suffix"), [*((way, ".csv") for way in WAYS), *(((), end) for end in (".tsv", ".jsonl", ".parquet"))]
)
def test_the_written_run_earns_what_was_said(
    nescio: Command, table: Path, tmp_path: Path, arguments: tuple[str, ...], suffix: str
) -> None:
    tuned = tmp_path / f"tuned{suffix}"
    few = () if "--max-risk" in arguments else FEW
    found = nescio("tune", table, *arguments, *few, "-f", "json", "-o", tuned)
    assert found.status == 0, found.err
    measures = ("-m", arguments[1] if "-m" in arguments else "c@1", "-m", "coverage", "-m", "coverage@risk(1)")
    scores = nescio("score", tuned, *measures, "--ci", "none", "-f", "json").json
    value, coverage, everything = (row["value"] for row in scores["scores"])
    assert (value, coverage) == (found.json["value_in_sample"], found.json["coverage"])
    assert everything == 37 / 40  # candidates are kept: all but the silent can still be answered
    again = nescio("tune", tuned, *arguments, *few, "-f", "json").json
    same = set(again) - {"value_as_given", "coverage_as_given", "risk_as_given", "signature"}
    assert {name: again[name] for name in same} == {name: found.json[name] for name in same}
    if suffix == ".csv":
        head = "run,question,outcome,confidence,candidate,answerable"
        assert tuned.read_text().splitlines()[0] == head + (",cluster,topic" if "--cluster" in arguments else ",topic")


def test_a_shuffled_file_gives_the_same_bytes(nescio: Command, table: Path, tmp_path: Path) -> None:
    head, *rows = table.read_text().splitlines()
    other = written(tmp_path / "shuffled.csv", "\n".join([head, *rows[::-1]]) + "\n")
    for arguments in (FEW, ("--max-risk", "0.4"), ("--cluster", "topic", *FEW)):
        one, two = (nescio("tune", path, *arguments, "-f", "json", "--jobs", 2).out for path in (table, other))
        assert one == two


def test_the_words_teach(nescio: Command, table: Path) -> None:
    out = nescio("tune", table, "--curve", *FEW).out
    words = "threshold 0.; % of them wrongly); expect this; too optimistic; every answer; as given, it answers"
    assert [word for word in words.split("; ") if word not in out] == []
    # the curve, thinned, but for its first point 1
    assert len(re.findall(r"^ *0\.\d+ +0\.\d+ +[01]", out, re.MULTILINE)) == 19
    assert max(len(line) for line in out.splitlines() if not line.startswith("nescio:")) <= 80
    certified = nescio("tune", table, "--max-risk", "0.6").out
    assert "with 95% confidence" in certified
    assert "too optimistic" not in certified


def test_nothing_to_certify_writes_nothing_and_says_so(nescio: Command, table: Path, tmp_path: Path) -> None:
    tuned = tmp_path / "tuned.csv"
    found = nescio("tune", table, "--max-risk", "0.01", "-f", "json", "-o", tuned)
    assert (found.status, tuned.exists()) == (3, False)
    values = {name: found.json[name] for name in ("threshold", "coverage", "risk", "risk_upper", "value", "low")}
    assert values == {**dict.fromkeys(values), "coverage": 0}
    # ln(0.05/20)/ln(0.99) = 596.2
    assert found.json["answers_needed"] == 597
    assert "this needs 597 accepted answers without an error" in found.err
    assert "is not written" in found.err
    plain = nescio("tune", table, "--max-risk", "0.01")
    assert (plain.status, "cannot be certified with 95% confidence" in plain.out) == (3, True)
    assert "Exit status 3 means that no guarantee is possible" in nescio("tune", "--help-all").flat


def test_a_risk_that_errors_rule_out_is_not_blamed_on_too_few_answers(nescio: Command, tmp_path: Path) -> None:
    """ln(0.05/20)/ln(0.9) = 56.9, and even the highest threshold accepts as many answers with errors among them."""
    rows = [f"mine,q{i},{'incorrect' if i % 5 == 0 else 'correct'},1" for i in range(100)]
    path = written(tmp_path / "sure.csv", "\n".join(["run,question,outcome,confidence", *rows]))
    err = nescio("tune", path, "--max-risk", "0.1").err
    assert "every threshold of the grid accepts too many wrong answers, or fewer than the 57 answers" in err
    assert "accepts only" not in err


def test_a_single_question_is_one_and_none_is_held_out(nescio: Command, tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", "run,question,outcome,confidence\na,q1,correct,0.5\n")
    out = nescio("tune", one).out
    assert out.startswith("run 'a', 1 question: ")
    assert "nothing could be held out" in out
    assert "nan" not in out.split("nescio ")[0]


def test_a_declined_pan_problem_has_the_score_of_one_half(nescio: Command, tmp_path: Path) -> None:
    """The best of all thresholds, tried one by one: 0.5 where the score is surer than the threshold neither way."""
    scores = (0.99, 0.9, 0.1, 0.2, 0.6, 0.45, 0.55, 0.5)
    same = (True, True, False, False, False, True, False, True)
    truth, answers = tmp_path / "truth.jsonl", tmp_path / "answers.jsonl"
    written(truth, "".join(json.dumps({"id": f"p{i}", "same": s}) + "\n" for i, s in enumerate(same)))

    def write(limit: float) -> None:
        values = [v if max(v, 1 - v) >= limit else 0.5 for v in scores]
        written(answers, "".join(json.dumps({"id": f"p{i}", "value": v}) + "\n" for i, v in enumerate(values)))

    measures = ("pan.Brier", "pan.F0.5u", "pan.AUC")
    tried = dict[float, list[float]]()
    for limit in (0.55, 0.6, 0.8, 0.9, 0.99, 2):
        write(limit)
        asked = [word for measure in measures for word in ("-m", measure)]
        rows = nescio("score", truth, answers, *asked, "--ci", "none", "-f", "json").json["scores"]
        tried[limit] = [row["value"] for row in rows]
    write(0)
    for i, measure in enumerate(measures):
        found = nescio("tune", truth, answers, "-m", measure, *FEW, "-f", "json").json
        assert found["value_in_sample"] == pytest.approx(max(v[i] for v in tried.values() if v[i] is not None))
        assert found["value_all_answered"] == tried[0.55][i]


# The measure, its held-out value with an interval, the value as given, and whether the threshold helps.
HELPS = [
    ("c@1", 0.7, (0.6, 0.8), 0.5, True),
    ("c@1", 0.7, (0.6, 0.8), 0.65, None),
    ("c@1", 0.7, (0.6, 0.8), 0.7, False),
    ("c@1", 0.7, (None, None), 0.65, True),
    ("c@1", math.nan, (None, None), 0.65, None),
    ("Brier", 0.3, (0.2, 0.4), 0.5, True),
    ("Brier", 0.3, (0.2, 0.4), 0.1, False),
]


@pytest.mark.parametrize(("measure", "value", "ends", "given", "helps"), HELPS)
def test_a_threshold_helps_where_its_interval_leaves_the_run_as_given_out(
    table: Path, measure: str, value: float, ends: tuple[float | None, float | None], given: float, helps: bool | None
) -> None:
    row = tune(table, resamples=50).rows[0]
    row = replace(row, measure=measure, value=value, low=ends[0], high=ends[1], value_as_given=given)
    assert row.helps is helps


def test_a_threshold_that_does_not_help_is_no_advice(nescio: Command) -> None:
    """`mine` is `old` with the threshold that is best for it already."""
    examples = Path(__file__).parents[2] / "examples" / "outcomes.csv"
    found = nescio("tune", examples, "--run", "mine", *FEW)
    assert "run 'mine', 70 questions: the threshold does not help:" in found.out
    assert "the run as given has 0.736." in found.out
    assert "not help" not in nescio("tune", examples, "--run", "old", *FEW).out


def test_no_risk_is_guaranteed_for_answers_that_nobody_graded(nescio: Command, tmp_path: Path) -> None:
    """All 200 ungraded answers may be wrong, so that no bound below a half holds."""
    rows = [f"r,q{i},{'correct' if i % 2 else ''},{i / 400}" for i in range(400)]
    path = written(tmp_path / "u.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    call = ("tune", path, "--ungraded", "exclude", "--max-risk", "0.1")
    tuned = tmp_path / "tuned.csv"
    nescio(*call, "-o", tuned).assert_refused("200 of r's 400 answers are left out (not graded) and may all be wrong")
    assert not tuned.exists()
    graded = [row for row in rows if "correct" in row]
    written(path, "\n".join(["run,question,outcome,confidence", *graded]) + "\n")
    assert nescio(*call).status == 0


@pytest.mark.parametrize(
    ("lost", "option", "left_out", "reason"),
    [
        ("{run},{q},,{sure}", ("--ungraded", "exclude"), "not graded", "not graded"),
        ("{run},{q},incorrect,", ("--missing-confidence", "exclude"), "no confidence", "without a confidence"),
    ],
)
def test_no_run_is_better_by_the_answers_that_are_left_out(
    nescio: Command, tmp_path: Path, lost: str, option: tuple[str, str], left_out: str, reason: str
) -> None:
    """Both runs are right on 70 of 100 questions; the wrong answers of the new run have no grade or no confidence."""
    rows = []
    for run, times in (("old", 3), ("new", 1)):
        for i in range(100):
            right = i * times % 10 < 7
            row = "{run},{q},{outcome},{sure}" if run == "old" or right else lost
            outcome = "correct" if right else "incorrect"
            rows.append(row.format(run=run, q=f"q{i}", outcome=outcome, sure=(i * 37 % 100) / 100))
    table = written(tmp_path / "o.csv", "\n".join(["run,question,outcome,confidence", *rows]) + "\n")
    found = nescio("tune", table, "--baseline", "old", "--run", "new", *option, *FEW, "-m", "accuracy")
    assert found.status == 0, found.flat
    assert "30 of 100 questions left out of the comparison" in found.flat
    assert f"an answer of one or both runs cannot be used: 30 {reason}" in found.flat
    assert f": cannot tell, as 30 of new's 100 answers are left out ({left_out})." in found.flat
    assert "better" not in found.flat
