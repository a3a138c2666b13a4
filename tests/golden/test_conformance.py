"""The vectors for other tools are those of the golden figures, and the runner tells who agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tools.conformance import FOLDER, vectors, written

RUNNER = [sys.executable, str(FOLDER / "run.py")]
# A tool that counts: c@1 from a row of counts, or from the rows of a table, and "undefined" without any.
TOOL = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
if "correct" in rows[0]:
    right, silent, n = int(rows[0]["correct"]), int(rows[0]["unanswered"]), sum(int(v) for k, v in rows[0].items() if k != "run")
else:
    states = [row["outcome"] for row in rows]
    right, silent, n = states.count("correct"), states.count("unanswered"), len(states)
print("c@1 =", FORMULA if n else "undefined")
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUNNER, *words], capture_output=True, text=True, check=False)


def test_the_vectors_are_those_of_the_golden_figures() -> None:
    files = vectors()
    assert {path.name for path in FOLDER.glob("*.json")} == {*files}
    for name, content in files.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == written(content), "python -m tools.conformance"
        assert json.loads(written(content)) == content


def test_our_own_command_agrees() -> None:
    command = [sys.executable, "-m", "nescio", "score", "{input}", "-m", "{measure}", "--ci", "none", "-f", "json"]
    done = run("--json", "scores.0.value", "--only", "eq6", "abstention_F1", "squad.EM", "--", *command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("0 differs, 0 failed, 0 skipped\n")


@pytest.mark.parametrize(("formula", "agrees"), [("(right + silent * right / n) / n", True), ("right / n", False)])
def test_the_runner_tells_a_right_tool_from_a_wrong_one(tmp_path: Path, formula: str, agrees: bool) -> None:
    tool, names = tmp_path / "tool.py", tmp_path / "names.json"
    tool.write_text(TOOL.replace("FORMULA", formula))
    names.write_text('{"c@1": "c_at_1"}')
    done = run("--names", str(names), "--only", "c@1", "UF01", "--", sys.executable, str(tool), "{input}")
    assert ("c@1, icia091ro: differs: 0.474, not 0.575436" not in done.stdout) == agrees
    assert " 0 skipped" not in done.stdout.splitlines()[-1]  # UF01 has no name in that tool


@pytest.mark.parametrize(
    ("printed", "last"),
    [
        ("unsupported", "0 agrees, 0 differs, 0 failed, 1 skipped"),
        ("c@1 inf", "0 agrees, 1 differs, 0 failed, 0 skipped"),
        ("c@1 = 0.575436", "1 agrees, 0 differs, 0 failed, 0 skipped"),
    ],
)
def test_what_a_tool_prints_last_is_its_value(tmp_path: Path, printed: str, last: str) -> None:
    copied, every = tmp_path / "run.py", json.loads((FOLDER / "c_at_1.json").read_text())["vectors"]
    vector = next(own for own in every if own["name"] == "icia091ro")
    copied.write_text((FOLDER / "run.py").read_text())
    (tmp_path / "c_at_1.json").write_text(json.dumps({"vectors": [vector]}))
    assert (vector["counts"], vector["value"]) == ([237, 156, 107], 0.575436)
    done = subprocess.run(
        [sys.executable, str(copied), "--", sys.executable, "-c", f"print({printed!r})"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == last


def test_a_name_serves_all_parameters_and_the_input_may_be_part_of_a_word(tmp_path: Path) -> None:
    names, log = tmp_path / "names.json", tmp_path / "log.txt"
    names.write_text('{"ECE": "ece"}')
    code = f"import sys; open({str(log)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10)); print('unsupported')"
    done = run("--only", "ECE", "--names", str(names), "--", sys.executable, "-c", code, "{measure}", "--in={input}")
    lines = log.read_text().splitlines()
    assert done.stdout.splitlines()[-1] == f"0 agrees, 0 differs, 0 failed, {len(lines)} skipped"
    assert any(line.startswith("ece(bins=2) --in=/") and line.endswith("run.csv") for line in lines)


def test_a_measure_that_no_vector_has_and_a_program_that_is_missing() -> None:
    done = run("--only", "accuarcy", "--", "true")
    assert (done.returncode, "no vector is of the measure accuarcy" in done.stderr) == (2, True)
    done = run("--only", "eq6", "--", "no-such-program")
    assert done.returncode == 1
    assert ": failed: " in done.stdout


def test_a_tool_that_breaks_has_failed() -> None:
    done = run("--only", "eq6", "--", sys.executable, "-c", "raise SystemExit(4)")
    assert done.returncode == 1
    assert ": failed: status 4" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 agrees, 0 differs")
