"""Help, versions, what is imported when, and the demo."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nescio as package
from nescio.cli import commands, overview
from nescio.cli.derive import command_named
from nescio.measures import REGISTRY
from tests.rings import together
from tests.verbs.test_declarations import COMMANDS

from .conftest import Command

ROOT = Path(__file__).parents[2]


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


@together("name, about", commands().items())
def test_the_help_page_says_what_each_command_says_of_itself(name: str, about: str) -> None:
    """The overview reads the first line of a file, without importing it."""
    command = command_named(name)
    assert (command.help or "").split("\n", 1)[0] == about


@together("name", COMMANDS)
def test_an_example_in_a_help_page_is_a_line(name: str) -> None:
    """Formatted as prose, several examples are one paragraph that nobody can copy."""
    blocks = (COMMANDS[name].help or "").split("\b")
    assert all(block.startswith("\n") for block in blocks[1:])
    for line in "".join(blocks[1:]).splitlines():
        assert len(re.findall(r"\bnescio ", line)) < 2, line


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("nescio sc", ["score"]),
        ("nescio plan-", ["plan-labels", "plan-repeats"]),
        ("nescio meta st", ["stability"]),
        ("nescio score --missing ", ["error", "unanswered", "common"]),
        ("nescio score -m c@", ["c@1"]),
        ("nescio look --sequence a", ["auto", "asymptotic"]),
        ("nescio convert x.csv y --to q", ["questions"]),
        ("nescio report --suite", ["--suite-by"]),
    ],
)
def test_a_shell_is_told_what_may_come_next(
    typed: str, offered: list[str], nescio: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_NESCIO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
    assert [line.partition(",")[2] for line in nescio().out.splitlines()] == offered


def test_help_is_one_text_whoever_prints_it(nescio: Command) -> None:
    assert nescio("--help").out.strip() == overview().strip()
    assert python("-m", "nescio", "--help").stdout == overview()
    assert python("-m", "nescio", "--version").stdout == f"nescio {package.__version__}\n"


def test_help_and_version_import_nothing_heavy() -> None:
    for option in ("--help", "--version"):
        found = python("-X", "importtime", "-m", "nescio", option).stderr
        imported = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in found.splitlines() if "|" in line}
        assert not imported & {"click", "numpy", "duckdb", "rich", "scipy", "msgspec", "typing", "re"}


def test_scoring_counts_imports_neither_scipy_nor_joblib_nor_charts() -> None:
    code = "import sys; sys.argv = ['nescio', 'score', 'examples/table3.csv']\ntry: import nescio.cli; nescio.cli.main()\nexcept SystemExit: pass\nprint(sorted(m for m in ('scipy', 'joblib', 'altair', 'pandas', 'pyarrow') if m in sys.modules))"
    found = python("-c", code, cwd=ROOT)
    assert found.stdout.splitlines()[-1] == "[]"


def test_an_unknown_command_offers_the_nearest(nescio: Command) -> None:
    found = nescio("scoer")
    assert (found.status, found.out) == (2, "")
    assert "did you mean score" in found.err


def test_every_measure_is_listed_and_explained(nescio: Command) -> None:
    listed = nescio("measures").out
    for name, declaration in REGISTRY.items():
        assert f"\n{name}" in f"\n{listed}"
        assert declaration.latex, f"{name} has no formula"
        assert "undefined" in declaration.doc.lower(), f"{name} does not say when it is undefined"
        assert declaration.source
    assert json.loads(nescio("measures", "c@1", "-f", "json").out)["measures"][0]["range"] == "[0, 1]"


def without_what_is_made(folder: Path, to: Path) -> Path:
    """A folder with only what the commands of the demo in `folder` begin from."""
    for name in ("runs", "sentences"):
        (to / name).mkdir(parents=True)
    for name in ("questions.jsonl", "stories.jsonl", "commands.sh"):
        shutil.copyfile(folder / name, to / name)
    return to


def contents(folder: Path) -> dict[str, bytes]:
    """What every file in a folder holds."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
def test_the_demo_is_made_by_the_commands_that_it_leaves(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = nescio("demo", "-o", "made")
    assert demo.status == 0, demo.err
    assert "window-distance@0.50" in demo.out
    assert "read.HumSent" in demo.out
    again = without_what_is_made(tmp_path / "made", tmp_path / "again")
    monkeypatch.chdir(again)
    for line in (again / "commands.sh").read_text().splitlines():
        if line.startswith("nescio "):
            done = nescio(*shlex.split(line)[1:])
            assert done.status == 0, done.err
    assert contents(again) == contents(tmp_path / "made")


@pytest.mark.slow
def test_a_shell_runs_the_commands_of_the_demo(tmp_path: Path) -> None:
    """A process a command; the test above holds the same commands to the same bytes within one."""
    demo = python("-m", "nescio", "demo", cwd=tmp_path)
    assert demo.returncode == 0, demo.stderr
    again = without_what_is_made(tmp_path / "nescio-demo", tmp_path / "again")
    program = f'nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}; . ./commands.sh'
    subprocess.run(["sh", "-c", program], cwd=again, check=True, capture_output=True)
    assert contents(again) == contents(tmp_path / "nescio-demo")
