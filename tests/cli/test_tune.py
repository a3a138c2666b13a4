"""nescio tune as its users meet it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Command

PAN = Path(__file__).parents[2].parent / "shared" / "data" / "pan20"
# What programs rely on: the design's shape of `tune -f json`.
SHAPE = [
    "signature",
    "threshold",
    "coverage",
    "risk",
    "risk_upper",
    "value",
    "value_all_answered",
    "value_in_sample",
    "low",
    "high",
    "n",
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """One run: 30 questions with an answer each, falling in confidence and in quality, five declined, three silent,
    two that have no answer; in clusters of five."""
    path = tmp_path / "outcomes.csv"
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
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_shape_that_programs_rely_on(nescio: Command, table: Path) -> None:
    found = nescio("tune", table, "-f", "json")
    assert (found.status, set(SHAPE) <= set(found.json)) == (0, True)
    assert found.json["risk_upper"] is None
    assert found.json["n"] == 40
    assert found.json["low"] < found.json["value"] < found.json["high"]
    assert found.json["value_in_sample"] >= found.json["value_all_answered"]
    assert "stay unanswered at every threshold" in found.err


WAYS = [(), ("-m", "UF"), ("-m", "CWS"), ("--cluster", "topic"), ("--max-risk", "0.6")]


@pytest.mark.parametrize(
    ("arguments", "suffix"), [*((way, ".csv") for way in WAYS), *(((), end) for end in (".tsv", ".jsonl", ".parquet"))]
)
def test_the_written_run_earns_what_was_said(
    nescio: Command, table: Path, tmp_path: Path, arguments: tuple[str, ...], suffix: str
) -> None:
    written = tmp_path / f"tuned{suffix}"
    found = nescio("tune", table, *arguments, "-f", "json", "-o", written)
    assert found.status == 0, found.err
    measure = arguments[1] if "-m" in arguments else "c@1"
    scores = nescio("score", written, "-m", measure, "-m", "coverage", "-m", "coverage@risk(1)", "-f", "json").json
    value, coverage, everything = (row["value"] for row in scores["scores"])
    assert (value, coverage) == (found.json["value_in_sample"], found.json["coverage"])
    assert everything == 37 / 40  # candidates are kept: all but the silent can still be answered
    again = nescio("tune", written, *arguments, "-f", "json").json
    same = set(again) - {"value_as_given", "signature"}
    assert {name: again[name] for name in same} == {name: found.json[name] for name in same}
    if suffix == ".csv":
        head = written.read_text().splitlines()[0]
        expected = "run,question,outcome,confidence,candidate,answerable"
        assert head == expected + (",cluster,topic" if "--cluster" in arguments else ",topic")


def test_a_shuffled_file_gives_the_same_bytes(nescio: Command, table: Path, tmp_path: Path) -> None:
    head, *rows = table.read_text().splitlines()
    other = tmp_path / "shuffled.csv"
    other.write_text("\n".join([head, *rows[::-1]]) + "\n")
    for arguments in ((), ("--max-risk", "0.4"), ("--cluster", "topic")):
        one, two = (nescio("tune", path, *arguments, "-f", "json", "--jobs", 2).out for path in (table, other))
        assert one == two


def test_the_words_teach(nescio: Command, table: Path) -> None:
    out = nescio("tune", table, "--curve").out
    for word in (
        "threshold 0.",
        "% of the answers are wrong",
        "expect this",
        "too optimistic",
        "all answered",
        "as given",
    ):
        assert word in out
    assert (
        len(re.findall(r"^ *0\.\d+ +0\.\d+ +[01]", out, re.MULTILINE)) == 19
    )  # the curve, thinned, but for its first point 1
    assert max(len(line) for line in out.splitlines() if not line.startswith("nescio:")) <= 80
    certified = nescio("tune", table, "--max-risk", "0.6").out
    assert "with 95% confidence" in certified
    assert "too optimistic" not in certified


def test_nothing_to_certify_writes_nothing_and_says_so(nescio: Command, table: Path, tmp_path: Path) -> None:
    written = tmp_path / "tuned.csv"
    found = nescio("tune", table, "--max-risk", "0.01", "-f", "json", "-o", written)
    assert found.status == 3  # a run was to be written
    assert nescio("tune", table, "--max-risk", "0.01").status == 0  # an answer like any other
    assert [found.json[name] for name in ("threshold", "coverage", "risk", "risk_upper", "value", "low")] == [
        None,
        0,
        None,
        None,
        None,
        None,
    ]
    # ln(0.05/20)/ln(0.99) = 596.2
    assert found.json["answers_needed"] == 597
    assert "that takes 597 accepted answers without an error" in found.err
    assert "is not written" in found.err
    assert not written.exists()
    assert "cannot be certified with 95% confidence" in nescio("tune", table, "--max-risk", "0.01").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-m", "c@1", "-m", "UF"), "one measure"),
        (("-m", "mean(f1)"), "f1"),
        (("--max-risk", "5"), "--max-risk takes a number between 0 and 1"),
        (("--max-risk", "0.1", "--confidence", "0.3"), "--confidence takes a share from .5 to below 1"),
        (("--max-risk", "0.1", "--cluster", "topic"), "independent"),
        (("--grid", "0.5"), "--grid needs --max-risk"),
        (("--confidence", "0.9"), "--confidence needs --max-risk"),
        (("--max-risk", "0.1", "--grid", "a,b"), "numbers separated by commas"),
        (("--run", "yours"), "unknown run"),
        (("-o", "tuned.json"), "a run is written to"),
        (("-o", "outcomes.csv"), "one of the input files"),
    ],
)
def test_a_bad_option_is_one_message(
    nescio: Command, table: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(table.parent)
    before = table.read_bytes()
    found = nescio("tune", table, *arguments)
    assert (found.status, found.out) == (2, "")
    assert says in found.err
    assert found.err.count("\n") == 1
    assert table.read_bytes() == before


def test_what_has_no_confidence_is_one_message(nescio: Command, table3: Path, outcomes: Path, tmp_path: Path) -> None:
    assert "a counts table has no questions to tune a threshold on" in nescio("tune", table3).err
    several = nescio("tune", outcomes)
    assert (several.status, several.out) == (2, "")
    assert "name it with --run, or compare two with `nescio tune-pair`: guesser, modest" in several.err
    assert nescio("tune", outcomes, "--run", "modest", "-f", "json").json["run"] == "modest"
    bare = tmp_path / "bare.csv"
    bare.write_text("run,question,outcome\na,q1,correct\na,q2,incorrect\n")
    found = nescio("tune", bare)
    assert (found.status, found.out) == (2, "")
    assert "run 'a' has no confidences" in found.err


def test_two_runs_are_compared_each_at_its_own_threshold(nescio: Command, outcomes: Path, table3: Path) -> None:
    assert "modest minus guesser is" in nescio("tune-pair", outcomes).out
    turned = nescio("tune-pair", outcomes, "--baseline", "modest", "-m", "UF", "-f", "json").json
    assert [(row["run"], row["baseline"], row["measure"]) for row in turned["comparison"]] == [
        ("guesser", "modest", "UF")
    ]
    assert [row["run"] for row in turned["tuning"]] == ["modest", "guesser"]
    for arguments, says in (
        ((outcomes, "-m", "c@1", "-m", "UF"), "-m takes the name of one measure (found ['c@1', 'UF'])"),
        ((outcomes, "--max-risk", "0.1"), "No such option '--max-risk'"),
        ((outcomes, "--run", "yours"), "unknown run"),
        ((table3,), "choose them with --baseline OLD --run NEW"),
    ):
        refused = nescio("tune-pair", *arguments)
        assert (refused.status, refused.out) == (2, "")
        assert says in refused.err


def test_a_declined_pan_problem_has_the_score_of_one_half(nescio: Command, tmp_path: Path) -> None:
    scores = (0.99, 0.9, 0.1, 0.2, 0.6, 0.45, 0.55, 0.5)
    same = (True, True, False, False, False, True, False, True)
    truth, answers = tmp_path / "truth.jsonl", tmp_path / "answers.jsonl"

    def write(values: tuple[float, ...]) -> None:
        truth.write_text("".join(json.dumps({"id": f"p{i}", "same": s}) + "\n" for i, s in enumerate(same)))
        answers.write_text("".join(json.dumps({"id": f"p{i}", "value": v}) + "\n" for i, v in enumerate(values)))

    for measure in ("pan.Brier", "pan.F0.5u", "pan.AUC"):
        write(scores)
        found = nescio("tune", truth, answers, "-m", measure, "-f", "json").json
        # 0.5 where the score is surer than the threshold neither way; the best of all thresholds, tried one by one
        tried = {}
        for limit in (0.55, 0.6, 0.8, 0.9, 0.99, 2):
            write(tuple(v if max(v, 1 - v) >= limit else 0.5 for v in scores))
            row = nescio("score", truth, answers, "-m", measure, "--ci", "none", "-f", "json").json["scores"][0]
            tried[limit] = row["value"]
        assert found["value_in_sample"] == pytest.approx(max(v for v in tried.values() if v is not None))
        assert found["value_all_answered"] == tried[0.55]


def test_on_a_terminal_of_80_columns(table: Path) -> None:
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "nescio", "tune", str(table)], stdout=child, env={**os.environ, "COLUMNS": "80"}
    ) as run:
        os.close(child)
        shown = b""
        while True:
            try:
                part = os.read(parent, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
    os.close(parent)
    assert run.returncode == 0
    assert b"on new questions" in shown


@pytest.mark.skipif(not PAN.exists(), reason="the shared data are not beside the checkout")
def test_real_runs(nescio: Command, tmp_path: Path) -> None:
    files = (
        PAN / "truth.jsonl",
        *(PAN / "runs" / run / "answers.jsonl" for run in ("gagala20-small", "weerasinghe20-large")),
    )
    third = PAN / "runs" / "boenninghoff20-small" / "answers.jsonl"
    assert "with `nescio tune-pair`: gagala20-small, weerasinghe20-large" in nescio("tune", *files, third).err
    pair = nescio("tune-pair", *files, "--resamples", 200, "-f", "json").json
    assert pair["comparison"][0]["verdict"] == "better"
    written = tmp_path / "tuned.csv"
    found = nescio("tune", *files, "--run", "weerasinghe20-large", "-f", "json", "-o", written).json
    assert found["value_all_answered"] < found["value"] < 1
    assert len(found["curve"]) <= 200
    scores = nescio("score", written, "-m", "c@1", "-m", "coverage", "--ci", "none", "-f", "json").json["scores"]
    assert [row["value"] for row in scores] == [found["value_in_sample"], found["coverage"]]
    brier = nescio("tune", *files, "--run", "weerasinghe20-large", "-m", "pan.Brier", "-o", written)
    assert "pan.Brier cannot be scored from it" in brier.err
