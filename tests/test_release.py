"""A release: one version everywhere, workflows that hold no secret, and the action that runs gates on files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import nescio

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
ACTION = GITHUB / "actions" / "evaluate"
# Written in two parts, so that this file does not name them either.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "ana" + "conda.org", "npm" + "js.org")
KEPT = ("src", "tests", "docs", "tools", "studies", "benchmarks", "examples", ".github", ".ci")


def read_yaml(path: Path) -> Any:
    """A YAML file; the key `on` of a workflow is a truth value to YAML 1.1."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_version_is_declared_once_and_said_everywhere() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", nescio.__version__)
    assert read_yaml(ROOT / "CITATION.cff")["version"] == nescio.__version__
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert nescio.__version__ in headings[:2]  # what comes next may stand above it


def test_no_file_names_the_host_of_a_package_registry() -> None:
    loose = [path for path in ROOT.iterdir() if path.is_file() and path.name != "uv.lock"]
    files = [path for folder in KEPT for path in (ROOT / folder).rglob("*") if path.is_file()]
    named = []
    for path in [*loose, *files]:
        if "__pycache__" not in path.parts:
            data = path.read_bytes()
            named += [f"{path.relative_to(ROOT)}: {host}" for host in HOSTS if host.encode() in data]
    assert named == []


def test_continuous_integration_runs_the_script_that_developers_run() -> None:
    workflow = read_yaml(GITHUB / "workflows" / "ci.yml")
    commands = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    assert "bash .ci/run" in commands
    assert workflow["permissions"] == {"contents": "read"}
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python3 tools/installation.py" in script


def test_a_release_is_published_by_trust_in_the_workflow_and_not_by_a_secret() -> None:
    path = GITHUB / "workflows" / "release.yml"
    workflow = read_yaml(path)
    assert workflow[True]["push"]["tags"] == ["v*"]
    assert workflow["permissions"] == {"contents": "read"}
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write", "contents": "read"}
    assert publish["environment"] == "release"
    assert "build" in publish["needs"]
    assert "secrets." not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((GITHUB / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_no_expression_is_pasted_into_a_shell(path: Path) -> None:
    """What a stranger writes (the title of a pull request, the name of a branch) must not become a command."""
    for job in read_yaml(path)["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.name)
def test_an_issue_template_asks_for_something(path: Path) -> None:
    template = read_yaml(path)
    assert {"name", "description", "body"} <= set(template)
    fields = [field for field in template["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) >= 2
    assert any(field.get("validations", {}).get("required") for field in fields)


def read_action() -> Any:
    return read_yaml(ACTION / "action.yml")


def test_the_action_gives_every_input_to_its_script() -> None:
    action = read_action()
    assert action["runs"]["using"] == "composite"
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "evaluate"]
    assert step["shell"] == "bash"
    assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])
    passed = {value for value in step["env"].values() if "inputs." in value}
    assert passed == {f"${{{{ inputs.{name} }}}}" for name in action["inputs"] if name not in ("install", "python")}
    written = set(re.findall(r"^\s*echo \"([a-z-]+)=", (ACTION / "evaluate.sh").read_text(), re.MULTILINE))
    assert set(action["outputs"]) == written


def run_action(folder: Path, **inputs: str) -> tuple[int, dict[str, str], str, str]:
    """Exit status of the action's script with these inputs, its outputs, its summary and what it printed."""
    shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
    action = read_action()
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "evaluate"]
    values = {name: str(about.get("default", "")) for name, about in action["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    given = {
        name: values[match[1]] if (match := re.search(r"inputs\.([a-z-]+)", value)) else str(ACTION)
        for name, value in step["env"].items()
    }
    (folder / "bin").mkdir()
    program = folder / "bin" / "nescio"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m nescio "$@"\n')
    program.chmod(0o755)
    output, summary = folder / "github-output", folder / "github-summary"
    done = subprocess.run(
        ["bash", str(ACTION / "evaluate.sh")],
        cwd=folder,
        env={
            **os.environ,
            **given,
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    printed = done.stdout + done.stderr
    lines = output.read_text().splitlines() if output.exists() else []
    text = summary.read_text() if summary.exists() else ""
    return done.returncode, dict(line.split("=", 1) for line in lines), text, printed


def test_the_action_passes_writes_its_pages_and_says_so(tmp_path: Path) -> None:
    status, outputs, summary, printed = run_action(
        tmp_path, files="outcomes.csv", measures="c@1", baseline="old", run="mine", margin="0.02"
    )
    assert status == 0, printed
    assert outputs["verdict"] == "passed"
    assert "<html" in (tmp_path / outputs["report"]).read_text(encoding="utf-8")
    assert "<html" in (tmp_path / outputs["changes"]).read_text(encoding="utf-8")
    assert "<testsuite" in (tmp_path / outputs["junit"] / "compare.xml").read_text(encoding="utf-8")
    assert "nescio compare: passed" in summary


def test_the_action_fails_where_a_gate_fails(tmp_path: Path) -> None:
    status, outputs, summary, printed = run_action(
        tmp_path, files="questions.jsonl\nruns/old.jsonl", measures="c@1", fail_under="c@1=0.9"
    )
    assert status == 1, printed
    assert outputs["verdict"] == "failed"
    assert (tmp_path / outputs["report"]).exists()
    assert "nescio score: failed" in summary


@pytest.mark.parametrize(("undecided", "expected"), [("pass", 0), ("fail", 3)])
def test_what_cannot_be_told_warns_or_fails(undecided: str, expected: int, tmp_path: Path) -> None:
    status, outputs, _, printed = run_action(
        tmp_path, files="outcomes.csv", measures="c@1", fail_under="c@1=0.6", undecided=undecided, report=""
    )
    assert status == expected, printed
    assert outputs["verdict"] == "undecided"
    assert outputs["report"] == ""
    assert "::warning" in printed


def test_bad_input_is_no_verdict(tmp_path: Path) -> None:
    status, outputs, _, printed = run_action(tmp_path, files="nothing.csv", measures="c@1")
    assert status == 2
    assert outputs["verdict"] == "error"
    assert "nothing.csv" in printed


def test_options_and_patterns_of_files_reach_nescio(tmp_path: Path) -> None:
    status, outputs, _, printed = run_action(
        tmp_path, files="samples_*.jsonl", measures="c@1", options="--choose filter=strict-match", fail_under="c@1=0.01"
    )
    assert status == 0, printed
    assert outputs["verdict"] == "passed"
