"""What other tools write is read as they mean it: each tool runs, with a fake model, where an environment has it.

`python tools/real_tools.py` makes an environment for each tool and runs these tests there; they skip otherwise, and say
so. The programs are in `programs`; what was asked, and what the model says, in `programs/harbour.py`: of five questions
two are answered rightly, one wrongly, one not at all, and on one the judge fails. `files.toml` says what is read.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.formats.encodings import assert_refused, evidence
from tests.formats.fuzz import evidence_and_notes

PROGRAMS = Path(__file__).parent / "programs"
ENVIRONMENTS = "NESCIO_TOOLS"  # a folder with an environment for each tool
TOOLS = tomllib.loads((Path(__file__).parent / "files.toml").read_text(encoding="utf-8"))


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
    command = [python, "-W", "ignore", str(PROGRAMS / f"write_{tool}.py"), *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def matched(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_tool_writes_is_read_as_it_means_it(tool: str, tmp_path: Path) -> None:
    expected = TOOLS[tool]
    figures = written(tool, tmp_path)
    assert {name: figures[name] for name in expected.get("figures", {})} == expected.get("figures", {})
    choose = {"choose": expected["choose"]} if "choose" in expected else {}
    for file in expected["files"]:
        patterns = [file["path"]] if isinstance(file["path"], str) else file["path"]
        paths = [matched(tmp_path, pattern) for pattern in patterns]
        options = choose | file.get("options", {})
        data, notes = evidence_and_notes(paths, ungraded="exclude", **options)
        counts = [int((data.columns[name] * data.present).sum()) for name in ("correct", "incorrect", "unanswered")]
        counts.append(int((~data.present).sum()))
        assert counts == file.get("counts", counts), file
        assert any(file.get("note", "") in note for note in [*notes, ""]), file
        assert not any(file.get("no_note", "\0") in note for note in notes), file
        assert [*data.runs] == file.get("runs", [*data.runs])
        assert "tasks" not in file or sorted({*data.strata["task"]}) == file["tasks"]
        assert (data.repeats is not None) or tool != "promptfoo"
    for name, rule in expected.get("refused", {}).items():
        assert_refused(tmp_path / name, "line 1", rule)
    if tool == "mlflow":
        table = evidence(tmp_path / "lamp-2b" / "eval_results_table.json")
        assert table.columns["user.strictly"].mean() == figures["strictly/v1/mean"]
    if tool == "tira":
        assert f'value: "{figures["Words (Min)"]}"' in (tmp_path / "evaluation" / "evaluation.prototext").read_text()
