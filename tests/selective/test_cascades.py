"""Cascades and votes, from files to results and back."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError, MismatchError, UnknownNameError, UsageError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "cascade.csv"
PAN = ROOT.parent / "shared" / "data" / "pan20"
COSTED: dict[str, Any] = {"cost": "cost_usd", "right": 0.05}


def table(path: Path, rows: list[str], head: str = "run,question,outcome,confidence") -> Path:
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_the_cheapest_is_asked_first_and_figures_are_those_of_the_rows() -> None:
    found = nescio.lab.cascade(EXAMPLE, **COSTED)
    cascade, small, large = found.rows
    assert [step.system for step in cascade.steps] == ["small", "large"]
    assert (small.way, large.way) == ("small alone", "large alone")
    for row in found:
        assert row.cost is not None
        assert row.correct + row.incorrect + row.unanswered == pytest.approx(1, abs=1e-12)
        assert row.utility == pytest.approx(row.correct - row.incorrect - row.cost / 0.05, abs=1e-12)
    for gain, alone in zip(found.tables["gains"], (small, large), strict=True):
        assert gain.gain == pytest.approx(cascade.utility - alone.utility, abs=1e-12)
        assert gain.low <= gain.gain <= gain.high
        assert gain.n == 200


def test_a_policy_does_in_ten_lines_what_it_does_here(tmp_path: Path) -> None:
    """The function that the how-to page gives, against the file that --run-output writes."""
    page = (ROOT / "docs" / "how-to" / "cascade.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    space: dict[str, Any] = {}
    exec(code[1], space)
    policy, run = tmp_path / "policy.json", tmp_path / "run.jsonl"
    nescio.lab.cascade(EXAMPLE, output=policy, run_output=run, error=2, cost="cost_usd", right=0.1)
    logs: dict[str, dict[str, tuple[str, float]]] = {}
    for line in EXAMPLE.read_text().splitlines()[1:]:
        name, question, outcome, confidence, _ = line.split(",")
        logs.setdefault(name, {})[question] = (outcome, float(confidence))
    written = {row["question"]: row["outcome"] for row in map(json.loads, run.read_text().splitlines())}
    assert len(written) == 200
    steps = json.loads(policy.read_text())["steps"]
    for question, outcome in written.items():
        said = space["answer"](question, {name: log.__getitem__ for name, log in logs.items()}, steps)
        assert (said or "unanswered") == outcome


def test_a_policy_is_applied_to_other_answers(tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    steps = [{"system": "a", "answer_from": 0.8}, {"system": "b", "answer_from": 0.5}]
    policy.write_text(
        json.dumps({"policy": "nescio lab cascade", "steps": steps, "error": 1, "right": 10, "cost": "cost"})
    )
    rows = ["b,q1,correct,0.9,5", "b,q2,incorrect,0.9,5", "b,q3,correct,0.4,5", "b,q4,,0.4,5"]
    rows += ["a,q1,correct,0.8,1", "a,q2,correct,0.7,1", "a,q3,unanswered,,1", "a,q4,correct,0.9,1"]
    log = table(tmp_path / "log.csv", rows, "run,question,outcome,confidence,cost")
    applied = nescio.lab.cascade(log, apply=policy, run_output=tmp_path / "out.csv", ungraded="exclude")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "run,question,outcome,confidence,cost"
    rows_of_all = ["a > b,q1,correct,0.8,1.0", "a > b,q2,incorrect,0.9,6.0", "a > b,q3,unanswered,,6.0"]
    assert lines[1:] == [*rows_of_all, "a > b,q4,correct,0.9,1.0"]  # b is not asked q4, so its grade does not matter
    assert "1 question left out: some system has no graded answer or no cost" in " ".join(map(str, applied.notes))
    policy.write_text("{}")
    with pytest.raises(FormatError, match="not a policy that `nescio lab cascade` wrote"):
        nescio.lab.cascade(log, apply=policy, run_output=tmp_path / "out.csv", ungraded="exclude")


def test_a_right_answer_has_a_price() -> None:
    """Twelve questions cost 0.02 each and eight are right: 0.24 over 8 is 0.03; without costs, or a right answer, there
    is none."""
    plain = [{"run": run, "question": f"q{i}", "confidence": 0.9, "usd": 0.02} for run in "ab" for i in range(12)]
    rows = [{**row, "outcome": "correct" if i % 12 < 8 else "incorrect"} for i, row in enumerate(plain)]
    costed: dict[str, Any] = {"cost": "usd", "right": 1.0, "folds": 3}
    cascade = nescio.lab.cascade(rows, systems=["a", "b"], error=0, **costed)
    assert cascade.rows[1].price == pytest.approx(0.03)
    assert all(row.cost and row.price == pytest.approx(row.cost / row.correct) for row in cascade)
    assert nescio.lab.cascade(rows, systems=["a", "b"], folds=3).rows[1].price is None
    wrong = [{**row, "outcome": "incorrect"} for row in rows]
    assert nescio.lab.cascade(wrong, systems=["a", "b"], **costed).rows[1].price is None


def test_silence_is_right_where_there_is_no_answer(tmp_path: Path) -> None:
    """Nobody is right on the last two, which have no answer: silence earns 1 there."""
    rows = [f"{run},q{i},correct,0.9,true" for run in "ab" for i in range(4)]
    rows += [f"{run},q{i},incorrect,0.2,false" for run in "ab" for i in (4, 5)]
    log = table(tmp_path / "log.csv", rows, "run,question,outcome,confidence,answerable")
    found = nescio.lab.cascade(log, systems=["a", "b"], folds=3)
    assert found.rows[0].in_sample == 1
    assert found.rows[0].utility == 1
    assert (found.rows[0].correct, found.rows[0].unanswered) == pytest.approx((4 / 6, 2 / 6))


def test_what_makes_no_cascade_is_refused(tmp_path: Path) -> None:
    plain = [f"{run},q{i},correct,0.9" for run in "ab" for i in range(4)]
    log = table(tmp_path / "log.csv", plain)
    lacking = table(tmp_path / "l.csv", [row.replace("q1,correct,0.9", "q1,correct,") for row in plain])
    single = table(tmp_path / "one.csv", [plain[0], plain[4]])
    both: dict[str, Any] = {"systems": ["a", "b"]}
    refusals: list[tuple[Path, dict[str, Any], type[Exception], str]] = [
        (log, {}, UsageError, "the order of the systems is unknown"),
        (log, {"systems": ["a", "c"]}, UnknownNameError, "c"),
        (log, {"systems": ["a", "a"]}, UsageError, r"each named once.*found a, a"),
        (log, {**both, "max_risk": 0.1}, UsageError, "grid"),
        (lacking, {**both, "missing_confidence": "exclude"}, MismatchError, "1 of 4 answers have no confidence"),
        (single, both, MismatchError, "needs at least two questions"),
    ]
    for source, how, error, says in refusals:
        with pytest.raises(error, match=says):
            nescio.lab.cascade(source, **how)


def test_what_cannot_be_certified_is_not_written(tmp_path: Path) -> None:
    made = nescio.lab.cascade(EXAMPLE, grid=[0.9], max_risk=0.01, output=tmp_path / "p.json", **COSTED)
    assert made.policy is None
    assert not (tmp_path / "p.json").exists()
    assert all(math.isnan(row.in_sample) for row in made)


VOTES = ["aaabU", "aabbU", "aabcU", "aUUUU", "UUUUU", "bbbac"]


def ballots(path: Path) -> Path:
    """Write the worked example of statistics3-b, section 5: the key is a."""
    rows = []
    for i, answers in enumerate(VOTES):
        for k, letter in enumerate(answers):
            outcome = "unanswered" if letter == "U" else "correct" if letter == "a" else "incorrect"
            rows.append(f"m,q{i},{k},{'' if letter == 'U' else letter.upper() if k == 1 else letter},{outcome}")
    return table(path, rows, "run,question,repeat,answer,outcome")


@pytest.mark.parametrize(
    ("left_out", "options", "message"),
    [
        ("a,q{i},,{sure},1", {}, "200 of a's 400 answers are left out (not graded) and may all be wrong"),
        ("a,q{i},correct,{sure},", {"cost": "cost", "right": 10}, "200 questions left out: some system has no graded"),
    ],
)
def test_no_risk_is_guaranteed_for_questions_that_are_left_out(
    tmp_path: Path, left_out: str, options: dict[str, Any], message: str
) -> None:
    """The 200 answers without a grade, or without a cost, may all be wrong."""
    rows = [f"{run},q{i},correct,{i / 400},1" for run in "ab" for i in range(0, 400, 2)]
    rows += [left_out.format(i=i, sure=i / 400) for i in range(1, 400, 2)]
    rows += [f"b,q{i},correct,{i / 400},1" for i in range(1, 400, 2)]
    log = table(tmp_path / "log.csv", rows, "run,question,outcome,confidence,cost")
    policy = tmp_path / "policy.json"
    how: dict[str, Any] = {"systems": ["a", "b"], "ungraded": "exclude", "grid": [0.3], "output": policy, **options}
    with pytest.raises(UsageError, match=re.escape(message)):
        nescio.lab.cascade(log, max_risk=0.1, **how)
    assert not policy.exists()
    table(log, [row for row in rows if int(row.split(",")[1][1:]) % 2 == 0], "run,question,outcome,confidence,cost")
    nescio.lab.cascade(log, max_risk=0.1, **how)
    assert policy.exists()


def test_votes_of_repeats_from_a_file(tmp_path: Path) -> None:
    """Section 5 of statistics3-b, worked."""
    log = ballots(tmp_path / "votes.csv")
    for rule, right, c_at_1 in (("answers", 1 / 3, 1 / 2), ("samples", 1 / 6, 5 / 18), ("plurality", 1 / 2, 2 / 3)):
        (row,) = nescio.lab.vote(log, rule=rule)  # type: ignore[arg-type]
        assert (row.correct, row.value) == pytest.approx((right, c_at_1), abs=1e-12)
        assert (row.alone, row.n) == (pytest.approx(9 / 30 * (1 + 12 / 30)), 6)
    (row,) = nescio.lab.vote(log, of=3)
    assert row.value == pytest.approx(0.4802777778, abs=1e-9)
    nescio.lab.vote(log, output=tmp_path / "voted.csv")
    assert nescio.score(tmp_path / "voted.csv", "c@1", ci=None).rows[0].value == 0.5


def test_without_texts_votes_are_bounded(tmp_path: Path) -> None:
    log = ballots(tmp_path / "votes.csv")
    bare = [",".join(line.split(",")[i] for i in (0, 1, 2, 4)) for line in log.read_text().splitlines()]
    table(log, bare[1:], bare[0])
    alike, apart = nescio.lab.vote(log, rule="plurality")
    assert (alike.wrong_answers, apart.wrong_answers) == ("all alike", "all different")
    # The third, aabcU, is a tie of two and two if b and c are alike; the last has four wrong ones of one kind.
    assert (alike.correct, alike.incorrect) == pytest.approx((2 / 6, 1 / 6))
    assert (apart.correct, apart.incorrect) == pytest.approx((4 / 6, 0))
    with pytest.raises(UsageError, match="to know which answer won"):
        nescio.lab.vote(log, output=tmp_path / "v.csv")


def test_runs_vote_where_questions_were_asked_once(tmp_path: Path) -> None:
    rows = ["a,q1,Rome,incorrect", "b,q1,Oslo,correct", "c,q1,oslo ,correct"]
    log = table(tmp_path / "runs.csv", rows, "run,question,answer,outcome")
    (row,) = nescio.lab.vote(log)
    assert (row.run, row.correct, row.of) == ("a + b + c", 1, "3")
    with pytest.raises(UsageError, match="at most 3 answers"):
        nescio.lab.vote(log, of=4)
    with pytest.raises(MismatchError, match="several times"):
        nescio.lab.vote(log, across="repeats")
