"""What other tools write is read as they mean it: each tool runs, with a fake model, where an environment has it.

`python tools/real_tools.py` makes an environment for each tool and runs these tests there; they skip otherwise, and say
so. The programs are in `programs`; what was asked, and what the model says, in `programs/harbour.py`: of five questions
two are answered rightly, one wrongly, one not at all, and on one the judge fails.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.formats.encodings import assert_refused, evidence
from tests.formats.fuzz import evidence_and_notes

PROGRAMS = Path(__file__).parent / "programs"
ENVIRONMENTS = "NESCIO_TOOLS"  # a folder with an environment for each tool
ALL = (2, 1, 1, 1)  # right, wrong, silent, not graded


def written(tool: str, folder: Path) -> dict[str, Any]:
    """Run the program of a tool in a folder, and return the figures that the tool gives."""
    made, arguments = Path(os.environ.get(ENVIRONMENTS, "/nowhere")) / tool, []
    own, node = made / "bin" / "python", made / "node_modules" / ".bin" / tool
    if own.exists():
        python = str(own)
    elif node.exists():
        python, arguments = sys.executable, [str(node)]
    elif importlib.util.find_spec(tool) is not None:
        python = sys.executable
    else:
        pytest.skip(f"{tool} is in no environment (python tools/real_tools.py {tool})")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-W", "ignore", str(PROGRAMS / f"write_{tool}.py"), *arguments], cwd=folder, env=environment,
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def counts(path: Path | list[Path], **options: Any) -> tuple[int, ...]:
    """Count the answers that are right, wrong, silent and not graded, of each question once."""
    data = evidence(path, ungraded="exclude", **options)
    sums = [(data.columns[name] * data.present).sum() for name in ("correct", "incorrect", "unanswered")]
    return (*map(int, sums), int((~data.present).sum()))


def test_opencompass(tmp_path: Path) -> None:
    figures = written("opencompass", tmp_path)
    assert (
        figures["judged"] == figures["choice"] * 0.8 == 40.0
    )  # the tool counts what its judge could not read as wrong
    (results,) = tmp_path.glob("out/*/results/lamp-2b")
    said = results.parents[1] / "predictions" / "lamp-2b"
    assert counts(results / "exact.json") == (3, 1, 1, 0)
    assert counts(results / "exact_twice.json") == (6, 2, 2, 0)
    assert counts(results / "plain.json", judge="exact") == (3, 1, 1, 0)
    assert counts(results / "plain_twice.json", judge="exact") == (6, 2, 2, 0)
    assert counts(results / "judged.json") == counts([results / "judged.json", said / "judged.json"]) == ALL
    assert counts(results / "judged_replica0.json") == ALL
    assert counts(results / "cascade.json") == (3, 1, 1, 0)
    assert counts(results / "choice.json") == (1, 1, 0, 0)
    # a whole run: the datasets whose details have verdicts, twice 10 + 2 x 5 + 2 answers
    data, notes = evidence_and_notes(results.parents[1], ungraded="exclude")
    assert {*data.strata["task"]} == {"cascade", "choice", "exact", "exact_twice", "judged"}
    assert any("without verdicts not read" in note for note in notes)


def test_phoenix(tmp_path: Path) -> None:
    written("phoenix", tmp_path)
    for name in ("lamp-2b.json", "lamp-2b.csv"):
        assert counts(tmp_path / name) == (4, 2, 2, 2)  # two repetitions of each example
    for name in ("evaluated.json", "evaluated.csv"):
        assert counts(tmp_path / name) == ALL


def test_mlflow(tmp_path: Path) -> None:
    figures = written("mlflow", tmp_path)
    table = evidence(tmp_path / "lamp-2b" / "eval_results_table.json")
    assert figures["strictly/v1/mean"] == table.columns["user.strictly"].mean() == 0.6
    assert figures["right/mean"] == 0.5  # over the four answers that were judged, the empty one as wrong
    for name in ("evaluated.csv", "evaluated.json", "traces.csv", "traces.json", "listed.json"):
        data, notes = evidence_and_notes(tmp_path / name, ungraded="exclude", choose={"metric": "right"})
        assert counts(tmp_path / name, choose={"metric": "right"}) == ALL, name
        assert any("their mean is 0.5" in note for note in notes), name
        assert data.runs == (name.partition(".")[0],)


def test_langfuse(tmp_path: Path) -> None:
    written("langfuse", tmp_path)
    for name in ("items.json", "items_of_python.json"):
        data, _ = evidence_and_notes(tmp_path / name, ungraded="exclude", choose={"metric": "right"})
        assert (data.runs, counts(tmp_path / name, choose={"metric": "right"})) == (("lamp-2b",), ALL)
    # scores alone know no texts: of what was judged, the empty answer is wrong, and a note says so
    assert counts(tmp_path / "scores.json", choose={"metric": "right"}) == (2, 2, 0, 1)
    _, notes = evidence_and_notes(tmp_path / "scores.json", ungraded="exclude", choose={"metric": "right"})
    assert any("nobody can say which of them are silence" in note for note in notes)


def test_swebench(tmp_path: Path) -> None:
    written("swebench", tmp_path)
    report = tmp_path / "lamplighter__lamp-2b.of-may.json"
    # 1 and 2; 3 and 8, whose tests may have failed for the machine; 4 and 5; 6, and 7, for which the machine failed
    assert counts(report, missing="common") == (2, 2, 2, 2)
    _, notes = evidence_and_notes(report, ungraded="exclude", missing="common")
    assert any("2/8 (submitted), 2/9 (total)" in note for note in notes)
    assert any("1 unresolved instance may have failed because of the machine" in note for note in notes)
    # the reports of single instances, where there are any
    assert counts(tmp_path / "logs") == (2, 2, 0, 1)


def test_lighteval(tmp_path: Path) -> None:
    figures = written("lighteval", tmp_path)
    assert (figures["harbour|0"], figures["harbour_choice|0"]) == ({"em": 0.6}, {"acc": 0.5})
    data, notes = evidence_and_notes(tmp_path / "out")
    assert counts(tmp_path / "out") == (3 + 1, 1 + 1, 1, 0)
    assert data.runs == ("lamplighter/lamp-2b",)
    assert not any("its own" in note for note in notes)  # its figures are those of the details


def test_wandb(tmp_path: Path) -> None:
    written("wandb", tmp_path)
    assert counts(tmp_path / "predictions.table.json") == (3, 1, 1, 0)


def test_ragas(tmp_path: Path) -> None:
    figures = written("ragas", tmp_path)
    assert figures == {"right": 0.5, "exact_match": 0.6}  # the tool leaves out what its metric failed on
    choose = {"metric": "right", "threshold": "1"}
    assert counts(tmp_path / "lamp-2b.csv", choose=choose) == ALL
    _, notes = evidence_and_notes(tmp_path / "lamp-2b.csv", ungraded="exclude", choose=choose)
    assert any(
        "right has scores for 4 of 5 answers: their mean is 0.5, and 0.4 if the others" in note for note in notes
    )


def test_deepeval(tmp_path: Path) -> None:
    figures = written("deepeval", tmp_path)
    assert figures == {"passed": 2, "failed": 3}  # the empty answer and the metric that failed among them
    assert counts(tmp_path / ".deepeval") == ALL
    assert counts(tmp_path / "results") == ALL


def test_promptfoo(tmp_path: Path) -> None:
    figures = written("promptfoo", tmp_path)
    assert figures == {"successes": 4, "failures": 6, "errors": 2}
    for name in ("results.json", "results.jsonl"):
        data, notes = evidence_and_notes(tmp_path / name, ungraded="exclude")
        assert data.repeats is not None
        # its failures are two wrong answers, two empty ones, and two whose script crashed
        assert counts(tmp_path / name) == (4, 2, 2, 4)
        assert any("2 empty, 2 graded by a judge that failed, 2 errored (of 12)" in note for note in notes)
    assert_refused(tmp_path / "results.csv", "line 1", "this is promptfoo's table")


def test_tira(tmp_path: Path) -> None:
    figures = written("tira", tmp_path)
    data, _ = evidence_and_notes([tmp_path / "truths" / "truth.jsonl", tmp_path / "lamp"])
    assert data.runs == ("lamp",)
    assert counts([tmp_path / "truths" / "truth.jsonl", tmp_path / "lamp"]) == (3, 1, 1, 0)
    evaluation = tmp_path / "evaluation" / "evaluation.prototext"
    assert f'value: "{figures["Words (Min)"]}"' in evaluation.read_text()
    assert_refused(evaluation, "line 1", "these are figures of TIRA (evaluation.prototext) and no answers")
