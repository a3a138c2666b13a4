"""A release: one version everywhere, workflows that hold no secret, and the action that runs gates on files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools import owner as tool

import nescio

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
ACTION, SCRIPT = ROOT / "action.yml", GITHUB / "evaluate.sh"
# Written in two parts, so that this file does not name them either.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "ana" + "conda.org", "npm" + "js.org")
KEPT = ("src", "tests", "docs", "paper", "recipe", "tools", "studies", "benchmarks", "examples", ".github", ".ci")


def read_yaml(path: Path) -> Any:
    """A YAML file; the key `on` of a workflow is a truth value to YAML 1.1."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_version_is_declared_once_and_said_everywhere() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", nescio.__version__)
    assert read_yaml(ROOT / "CITATION.cff")["version"] == nescio.__version__
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert nescio.__version__ in headings[:2]  # what comes next may stand above it


def test_the_owner_is_declared_once_and_written_everywhere_by_a_command(tmp_path: Path) -> None:
    declared = tool.owner(ROOT)
    texts = {path: path.read_text(encoding="utf-8", errors="ignore") for path in kept() if path.suffix != ".jpg"}
    found = {path.relative_to(ROOT).as_posix() for path, text in texts.items() if f"{declared}/nescio" in text}
    assert found - {"tools/owner.py", "tests/test_release.py"} == {*tool.FILES}
    for name in tool.FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    tool.rename(tmp_path, "some-body")
    for name in tool.FILES:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "some-body/nescio" in text, name
        assert f"{declared}/nescio" not in text, name
    with pytest.raises(SystemExit, match="no name of an owner"):
        tool.rename(tmp_path, "some/body")


def kept(*, demo: bool = False) -> list[Path]:
    """The files of the repository that people read; with `demo` those that are made, too."""
    loose = [path for path in ROOT.iterdir() if path.is_file() and path.name != "uv.lock"]
    files = [path for folder in KEPT for path in (ROOT / folder).rglob("*") if path.is_file()]
    made = {"__pycache__"} if demo else {"__pycache__", "demo", "measures"}
    return [path for path in [*loose, *files] if not made & {*path.parts}]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    texts = {path: path.read_bytes() for path in kept(demo=True)}
    named = [
        f"{path.relative_to(ROOT)}: {host}" for path, data in texts.items() for host in HOSTS if host.encode() in data
    ]
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
    # What is published was signed by the job that built it; by hand, all is tried and nothing published.
    build = workflow["jobs"]["build"]
    assert build["permissions"]["attestations"] == "write"
    signed = [step for step in build["steps"] if "attest-build-provenance" in step.get("uses", "")]
    assert [step["with"]["subject-path"] for step in signed] == ["dist/*"]
    assert "workflow_dispatch" in workflow[True]
    assert publish["if"] == "github.event_name == 'push'"


def test_actions_of_others_are_pinned_to_a_commit() -> None:
    """A tag can be moved to other code; a comment says which version the commit is."""
    for path in (ACTION, *(GITHUB / "workflows").glob("*.yml")):
        used = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
        assert all(re.fullmatch(r"\./|[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action, _ in used)
        assert all(action == "./" or re.fullmatch(r"  # v\d+\.\d+\.\d+", comment) for action, comment in used)
        assert used


def test_no_expression_is_pasted_into_a_shell() -> None:
    """What a stranger writes (the title of a pull request, the name of a branch) must not become a command."""
    for path in (GITHUB / "workflows").glob("*.yml"):
        steps = [step for job in read_yaml(path)["jobs"].values() for step in job["steps"]]
        assert [step for step in steps if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(("file", "status"), [("examples/outcomes.csv", 0), ("examples/helpdesk.csv", 2)])
def test_a_hook_checks_the_files_of_a_commit(file: str, status: int) -> None:
    hooks = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert hooks.keys() == {"nescio-check", "nescio-gate"}
    words = hooks["nescio-check"]["entry"].split()
    done = subprocess.run([sys.executable, "-m", *words, ROOT / file], capture_output=True, check=False)
    assert done.returncode == status


def test_an_issue_template_asks_for_something() -> None:
    for path in (GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        template = read_yaml(path)
        assert {"name", "description", "body"} <= set(template)
        fields = [field for field in template["body"] if field["type"] != "markdown"]
        assert len({field["id"] for field in fields}) == len(fields) >= 2
        assert any(field.get("validations", {}).get("required") for field in fields)


def read_action() -> Any:
    return read_yaml(ACTION)


def test_the_action_gives_every_input_to_its_script() -> None:
    action = read_action()
    assert {"name", "description", "author"} <= action.keys()
    assert len(action["description"]) <= 125
    assert set(action["branding"]) == {"icon", "color"}
    assert action["runs"]["using"] == "composite"
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "evaluate"]
    assert step["shell"] == "bash"
    assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])
    passed = {value for value in step["env"].values() if "inputs." in value}
    assert passed == {f"${{{{ inputs.{name} }}}}" for name in action["inputs"] if name not in ("install", "python")}
    written = set(re.findall(r"^\s*echo \"([a-z-]+)=", SCRIPT.read_text(), re.MULTILINE))
    assert set(action["outputs"]) == written


def run_action(
    folder: Path, github: Mapping[str, str] | None = None, **inputs: str
) -> tuple[int, dict[str, str], str, str]:
    """Exit status of the action's script with these inputs, its outputs, its summary and what it printed.

    `github` is the environment that GitHub sets; PROGRAMS is a folder of programs that a job finds.
    """
    job = dict(github or {})
    programs = job.pop("PROGRAMS", "")
    shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
    action = read_action()
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "evaluate"]
    values = {name: str(about.get("default", "")) for name, about in action["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    given = {
        name: values[match[1]] if (match := re.search(r"inputs\.([a-z-]+)", value)) else str(ROOT)
        for name, value in step["env"].items()
    }
    (folder / "bin").mkdir()
    program = folder / "bin" / "nescio"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m nescio "$@"\n')
    program.chmod(0o755)
    output, summary = folder / "github-output", folder / "github-summary"
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        cwd=folder,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
            **given,
            **job,
            "PATH": os.pathsep.join([str(program.parent), programs, os.environ["PATH"]]),
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


CASES: dict[str, tuple[str, dict[str, str], int, str, str]] = {  # inputs, exit status, verdict, and what is said
    "fails": ("questions.jsonl\nruns/old.jsonl", {"fail_under": "c@1=0.9"}, 1, "failed", "nescio score: failed"),
    "let pass": ("outcomes.csv", {"fail_under": "c@1=0.6", "undecided": "pass"}, 0, "undecided", "::warning"),
    "undecided": ("outcomes.csv", {"fail_under": "c@1=0.6", "undecided": "fail"}, 3, "undecided", "::warning"),
    "bad input": ("nothing.csv", {}, 2, "error", "nothing.csv"),
    "no gate": ("outcomes.csv", {}, 0, "none", "No gate was asked for"),
    "options": (
        "samples_*.jsonl",
        {"options": "--choose filter=strict-match", "fail_under": "c@1=0.01"},
        0,
        "passed",
        "",
    ),
    "open quote": (
        "outcomes.csv",
        {"options": "--declined-pattern I don't know\n--require-certificate no.json", "fail_under": "c@1=0.01"},
        2,
        "error",
        "the words of `options` cannot be told apart",
    ),
    "place of the JUnit files": (
        "outcomes.csv",
        {"junit": "outcomes.csv/junit", "fail_under": "c@1=0.01"},
        2,
        "error",
        "the folder outcomes.csv/junit cannot be made",
    ),
    "no JUnit files": ("outcomes.csv", {"junit": "", "fail_under": "c@1=0.6", "undecided": "fail"}, 3, "undecided", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_action_ends_as_its_gates_do(case: str, tmp_path: Path) -> None:
    files, inputs, expected, verdict, says = CASES[case]
    report = {} if case == "fails" else {"report": ""}
    given = {"files": files, "measures": "c@1", **inputs, **report}
    status, outputs, summary, printed = run_action(tmp_path, None, **given)
    assert (status, outputs["verdict"]) == (expected, verdict), printed
    assert says in summary + printed
    if verdict == "failed":
        assert (tmp_path / outputs["report"]).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("baseline", "run", "verdict"), [("model-a", "model-b", "passed"), ("model-b", "model-a", "failed")]
)
def test_a_page_that_cannot_be_made_changes_no_verdict(baseline: str, run: str, verdict: str, tmp_path: Path) -> None:
    """A suite has no page of changes, and a page must be HTML."""
    inputs = {"files": "suite/suite.toml", "measures": "c@1", "baseline": baseline, "run": run}
    status, outputs, summary, printed = run_action(tmp_path, None, report="page.txt", **inputs)
    assert (status, outputs["verdict"]) == (int(verdict == "failed"), verdict), printed
    assert (outputs["report"], outputs["changes"]) == ("", "")
    assert printed.count("::warning") == printed.count("page.txt could not be made") == 1
    assert f"nescio compare: {verdict}" in summary
    assert "## nescio: error" not in summary


@pytest.mark.slow
@pytest.mark.parametrize("junit", ["nescio-junit", ""])
@pytest.mark.parametrize("gate", [{"fail_under": "accuracy=0.6"}, {"baseline": "old"}])
def test_the_action_lets_nothing_pass_that_has_no_ground(gate: dict[str, str], junit: str, tmp_path: Path) -> None:
    """700 of the new run's 1,000 answers have no grade."""
    rows = [f"old,q{i},{'correct' if i < 600 else 'incorrect'}" for i in range(1000)]
    rows += [f"new,q{i},{'correct' if i < 300 else 'ungraded'}" for i in range(1000)]
    (tmp_path / "runs.csv").write_text("run,question,outcome\n" + "\n".join(rows) + "\n")
    inputs = {"files": "runs.csv", "measures": "accuracy", "options": "--ungraded exclude", "undecided": "pass"}
    status, outputs, _, printed = run_action(tmp_path, None, report="", junit=junit, **inputs, **gate)
    assert "mkdir" not in printed
    assert (status, outputs["verdict"]) == (3, "no-ground"), printed
    assert "::error" in printed


@pytest.mark.slow
def test_the_action_takes_no_name_in_a_pull_request_for_a_command(tmp_path: Path) -> None:
    """Neither that of a file, which could be an option, nor that of a run, which could begin a line of the log."""
    table = (ROOT / "examples" / "outcomes.csv").read_text(encoding="utf-8").replace("mine,", "::error::x,")
    (tmp_path / "--declined-pattern=.*|.csv").write_text(table, encoding="utf-8")
    status, _, _, printed = run_action(tmp_path, files="--*.csv", measures="c@1", report="", options="--ci none")
    assert status == 0, printed
    lines = printed.splitlines()
    (said,) = [i for i, line in enumerate(lines) if line.startswith("::error::x")]
    stopped = [i for i, line in enumerate(lines) if line.startswith("::stop-commands::")]
    token = lines[stopped[0]].removeprefix("::stop-commands::")
    assert len(token) == 32
    assert stopped[0] < said < lines.index(f"::{token}::")


@pytest.mark.slow
def test_the_action_runs_no_file_of_a_pull_request(of_pull_request: dict[str, str], tmp_path: Path) -> None:
    """The step runs in its checkout, from which Python would import json.py, and links lead out of it."""
    (tmp_path / "json.py").write_text("import os, pathlib\npathlib.Path(os.environ['KEPT'], 'owned').touch()\n")
    kept = tmp_path / "kept.html"
    kept.write_text("kept")
    (tmp_path / "page.html").symlink_to(kept)
    inputs = {"files": "outcomes.csv", "measures": "c@1", "fail_under": "c@1=0.9", "report": "page.html"}
    status, outputs, _, printed = run_action(tmp_path, of_pull_request, **inputs)
    assert (status, outputs["verdict"]) == (1, "failed"), printed
    assert outputs["comment"] == of_pull_request["ANSWER"]  # the number of the pull request was read
    assert not (tmp_path / "owned").exists()
    assert kept.read_text() == "kept"
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_action_starts_python_apart_from_the_checkout() -> None:
    steps = [step["run"] for step in read_action()["runs"]["steps"] if "run" in step]
    started = re.findall(r"\bpython\S* (-\S+)", "\n".join([*steps, SCRIPT.read_text()]))
    assert started == ["-I"] * 3


@pytest.mark.slow
def test_the_token_is_for_the_comment_alone(of_pull_request: dict[str, str], tmp_path: Path) -> None:
    job = of_pull_request | {"TOKEN": "secret"}
    program = Path(job["PROGRAMS"]) / "sed"
    program.write_text(
        '#!/bin/sh\nenv | grep -c secret >>"$KEPT/seen"\nexec /usr/bin/env -i PATH=/usr/bin:/bin sed "$@"\n'
    )
    program.chmod(0o755)
    run_action(tmp_path, job, files="outcomes.csv", measures="c@1", report="")
    assert {*(tmp_path / "seen").read_text().split()} == {"0"}


@pytest.mark.slow
def test_the_action_writes_its_pages_and_says_so(tmp_path: Path) -> None:
    status, outputs, summary, printed = run_action(
        tmp_path, files="outcomes.csv", measures="c@1", baseline="old", run="mine", margin="0.02"
    )
    assert (status, outputs["verdict"]) == (0, "passed"), printed
    for name, begins in (("report", "<html"), ("changes", "<html"), ("junit", "<testsuite")):
        path = tmp_path / outputs[name]
        assert begins in (path / "compare.xml" if name == "junit" else path).read_text(encoding="utf-8")
    assert "nescio compare: passed" in summary


def new_run(path: Path, correct: int) -> str:
    """A table of one run of 1,000 questions, so many of them right."""
    rows = [f"new,q{i},{'correct' if i < correct else 'incorrect'}" for i in range(1000)]
    path.write_text("run,question,outcome\n" + "\n".join(rows) + "\n")
    return path.name


EVENT = ROOT / "tests" / "data" / "github" / "pull_request.json"
GH = """#!/usr/bin/env bash
# A stand-in for GitHub's command line: it keeps what it was asked, and the text of the comment.
printf '%s\\n' "$@" >>"$KEPT/asked"
cp "${@: -1}" "$KEPT/body"
echo "$ANSWER"
exit "$ENDS"
"""


@pytest.fixture
def of_pull_request(tmp_path: Path) -> dict[str, str]:
    """The environment of a job that a pull request started, with a stand-in for `gh`."""
    program = tmp_path / "programs" / "gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    job = {"GITHUB_EVENT_PATH": str(EVENT), "GITHUB_REPOSITORY": "lamplighter/harbour", "KEPT": str(tmp_path)}
    return job | {"ANSWER": "https://github.example/1", "ENDS": "0", "PROGRAMS": str(program.parent)}


@pytest.mark.slow
@pytest.mark.parametrize(("ends", "answer"), [("0", "https://github.example/1"), ("1", "the token only reads")])
def test_a_pull_request_gets_one_comment_and_the_gate_stays_as_it_is(
    ends: str, answer: str, of_pull_request: dict[str, str], tmp_path: Path
) -> None:
    job = of_pull_request | {"ENDS": ends, "ANSWER": answer}
    table = (ROOT / "examples" / "outcomes.csv").read_text(encoding="utf-8").replace("mine,", "@ana,")
    (tmp_path / "runs.csv").write_text(table, encoding="utf-8")
    inputs = {"measures": "c@1", "fail_under": "c@1=0.9", "report": ""}
    status, outputs, summary, printed = run_action(tmp_path, job, files=str(tmp_path / "runs.csv"), **inputs)
    assert (status, outputs["verdict"]) == (1, "failed"), printed
    assert outputs["comment"] == answer
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[:7] == ["pr", "comment", "12", "--repo", "lamplighter/harbour", "--edit-last", "--create-if-none"]
    body = (tmp_path / "body").read_text(encoding="utf-8")
    assert "nescio score: failed" in body
    assert "nescio score: failed" in summary
    assert "@ana" in summary
    assert "@ana" not in body  # nobody has the name by the name of a run
    assert not [*tmp_path.rglob("owned")]  # the recorded event's title would make a file


@pytest.mark.slow
def test_there_is_no_comment_without_a_pull_request_or_a_wish_for_one(
    of_pull_request: dict[str, str], tmp_path: Path
) -> None:
    inputs = {"files": "outcomes.csv", "measures": "c@1", "report": ""}
    _, outputs, _, _ = run_action(tmp_path / "none", of_pull_request, comment="", **inputs)
    assert outputs["comment"] == ""
    _, outputs, _, _ = run_action(tmp_path / "push", of_pull_request | {"GITHUB_EVENT_PATH": ""}, **inputs)
    assert outputs["comment"] == "no comment: this job was not started by a pull request"
    assert not (tmp_path / "asked").exists()
