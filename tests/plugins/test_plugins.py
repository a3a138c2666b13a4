"""Plug-ins: files of Python and installed packages, in processes of their own, as users have them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from nescio import plugins
from nescio.errors import FormatError
from nescio.measures import REGISTRY

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
RECORD = "{}-1.0.dist-info/RECORD"
MODULES = ("half_credit", "begins", "verdict_log")
MEASURE = """
from nescio.measures import measure
@measure({name!r}, needs="correct n", bounds=(0, 1), source="a test")
def formula(total):
    return {value}
"""


# What a question earns by the place where it stands: other orders have other values.
BY_PLACE = """
import numpy as np
from nescio.measures import measure

def place(column):
    return {"late": column.correct * (np.arange(column.correct.shape[-1]) % 2)}

@measure("lawless", needs="correct n", each=place, bounds=(0, 1), source="a test")
def formula(total):
    return total.late / total.n
"""


def ran(*arguments: object, path: Path | None = None, folder: Path = PLUGIN) -> subprocess.CompletedProcess[str]:
    """What `python -m` does with these arguments, with another folder to import from."""
    search = os.pathsep.join(filter(None, [str(ROOT / "src"), str(path or ""), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": search, "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def said(*arguments: object, path: Path | None = None) -> str:
    """What nescio prints where all is well."""
    done = ran("nescio", *arguments, path=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*arguments: object, folder: Path, path: Path | None = None) -> str:
    """The one message of nescio where something is wrong, without the breaks of lines."""
    done = ran("nescio", *arguments, folder=folder, path=path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def wheel(folder: Path, modules: dict[str, str], name: str = "my_nescio", points: str = "") -> Path:
    """A wheel of pure Python; entry points are the modules."""
    points = points or "".join(f"{module} = {module}\n" for module in modules)
    information = f"{name}-1.0.dist-info"
    made = folder / f"{name}-1.0-py3-none-any.whl"
    with ZipFile(made, "w") as file:
        for module, text in modules.items():
            file.writestr(f"{module}.py", text)
        file.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{information}/entry_points.txt", f"[nescio.plugins]\n{points}")
        file.writestr(f"{information}/RECORD", "".join(f"{own},,\n" for own in [*file.namelist(), RECORD.format(name)]))
    return made


def install(made: Path, folder: Path) -> Path:
    """Install a wheel by the installer that there is, from nowhere else."""
    uv = shutil.which("uv")
    installer = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    command = [*installer, "install", "--quiet", "--no-index", "--no-deps", "--target", str(folder), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["nescio.plugins"] == dict(zip(MODULES, MODULES, strict=True))
    return install(wheel(folder, {name: (PLUGIN / f"{name}.py").read_text() for name in MODULES}), folder / "site")


def test_the_page_shows_the_files() -> None:
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    for file in (*(f"{name}.py" for name in MODULES), "pyproject.toml"):
        assert f"\n{(PLUGIN / file).read_text(encoding='utf-8')}```" in page


def test_an_installed_package_is_everywhere(installed: Path, tmp_path: Path) -> None:
    assert re.search("^half_credit ", said("measures", path=installed), re.MULTILINE)
    assert "My course, 2026" in said("measures", "half_credit", path=installed)
    scored = json.loads(said("score", "verdicts.log", "-m", "half_credit", "-f", "json", path=installed))
    assert {row["run"]: row["value"] for row in scored["scores"]} == {"mine": 2.5 / 4, "yours": 0.5}
    page = tmp_path / "report.html"
    said("report", "verdicts.log", "-m", "half_credit", "-o", page, path=installed)
    assert "half_credit" in page.read_text(encoding="utf-8")
    judged = said("score", "../questions.jsonl", "../runs/mine.jsonl", "--judge", "begins", path=installed)
    assert "mine" in judged
    assert "half_credit" in said("audit", "-m", "half_credit", "--questions", "200", path=installed)
    assert "unknown measure" in refused("score", "../table3.csv", "-m", "half_credit", folder=PLUGIN)


def test_assistants_have_installed_plugins_and_cannot_load_files(installed: Path) -> None:
    code = (
        "import json; from nescio.hosts.mcp import answer, schema_of; from nescio.verbs import every_verb;"
        "tools = {verb.name: verb for verb in every_verb() if verb.tool};"
        "print(json.dumps([{name: schema_of(verb) for name, verb in tools.items()},"
        " answer(tools['score'], 'score', {'source': ['verdicts.log'], 'measures': ['half_credit']}, lambda *_: None),"
        " answer(tools['score'], 'score', {'source': ['verdicts.log'], 'plugin': ['begins.py']}, lambda *_: None)]))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(installed)])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PLUGIN, env=environment, check=True
    )
    schemas, (scored, failed), (message, wrong) = json.loads(done.stdout)
    assert "half_credit" in schemas["score"]["properties"]["measures"]["examples"]
    assert not failed
    assert {row["measure"] for row in json.loads(scored)["scores"]} == {"half_credit"}
    assert wrong
    assert "takes no 'plugin'" in message
    assert not [name for name, schema in schemas.items() if "plugin" in schema["properties"]]


def test_the_laws_run_on_an_installed_measure(installed: Path, tmp_path: Path) -> None:
    laws = ("pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path, "--nescio-laws")
    done = ran(*laws, "half_credit", path=installed, folder=tmp_path)
    assert "4 passed" in done.stdout, done.stdout + done.stderr
    for value, law in (
        ("2 * total.correct / total.n", "within_bounds"),
        ("total.correct / (total.n + (total.n == 0))", "undefined_of_nothing"),
        ("total.correct.sum() / total.n.sum()", "alone_as_together"),
    ):
        (tmp_path / "lawless.py").write_text(MEASURE.format(name="lawless", value=value))
        done = ran(*laws, "lawless", "--nescio-plugin", "lawless.py", folder=tmp_path)
        assert done.returncode == 1
        assert f"FAILED nescio::lawless::{law}" in done.stdout
    (tmp_path / "lawless.py").write_text(BY_PLACE)
    done = ran(*laws, "lawless", "--nescio-plugin", "lawless.py", folder=tmp_path)
    assert {*re.findall(r"FAILED nescio::lawless::(\w+)", done.stdout)} == {"as_often_as_weighed"}
    assert "unknown measure" in ran(*laws, "nowhere", folder=tmp_path).stderr


def test_printed_commands_name_the_file_and_run(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_bytes((ROOT / "examples" / "outcomes.csv").read_bytes())
    (tmp_path / "half.py").write_bytes((PLUGIN / "half_credit.py").read_bytes())
    options = ("--plugin", "half.py", "-m", "half_credit")
    assert ran("nescio", "report", "o.csv", *options, "-o", "r.html", folder=tmp_path).returncode == 0
    found = {*re.findall(r"nescio (score o.csv[^<\n]*half_credit[^<\n]*)", (tmp_path / "r.html").read_text())}
    assert found
    for line in found:
        assert "--plugin half.py" in line
        assert ran("nescio", *line.split(), folder=tmp_path).returncode == 0
    assert (
        "--plugin half.py` shows how" in ran("nescio", "measures", "half_credit", *options[:2], folder=tmp_path).stdout
    )


def test_processes_have_the_file(tmp_path: Path) -> None:
    code = (
        "import nescio.plugins; from nescio.stats.parallel import each; from nescio.measures import parse;"
        f"nescio.plugins.load_file({str(PLUGIN / 'half_credit.py')!r});"
        "print(list(each(parse('half_credit').declaration.formula, [], 2)))"
        ";from types import SimpleNamespace as S;"
        "print(list(each(parse('half_credit').declaration.formula, [S(correct=1, unanswered=1, n=3), S(correct=3,"
        " unanswered=0, n=3)], 2)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.stdout.splitlines()[1:] == ["[0.5, 1.0]"], done.stderr


FAULTS = {
    "is taken": (MEASURE.format(name="c@1", value="total.n"), "line 3: a measure named 'c@1' is already registered"),
    "cannot be imported": (
        "import os\nimport nothing.such\n",
        "line 2: ModuleNotFoundError: No module named 'nothing'",
    ),
    "is no Python": ("x = 1\ny = (\n", "line 2: SyntaxError: '(' was never closed"),
    "ends the program": ("raise SystemExit(0)\n", "line 1: SystemExit: 0"),
    "fails later": (MEASURE.format(name="faulty", value="total.wrong"), "line 5: AttributeError: "),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("as_file", [True, False])
def test_a_fault_is_one_message_with_its_line(fault: str, as_file: bool, tmp_path: Path) -> None:
    text, message = FAULTS[fault]
    table = ROOT / "examples" / "table3.csv"
    if as_file:
        (tmp_path / "faulty.py").write_text(text)
        error = refused("score", table, "-m", "faulty", "--plugin", "faulty.py", folder=tmp_path)
        assert error.startswith(f"nescio: faulty.py, {message}")
    else:
        site = install(wheel(tmp_path, {"faulty": text}), tmp_path / "site")
        error = refused("score", table, "-m", "faulty", folder=tmp_path, path=site)
        assert error.startswith("nescio: plug-in 'faulty' of my_nescio 1.0 (faulty), ")
        assert f"faulty.py, {message}" in error


def test_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    assert "none.py: there is no such file" in refused("measures", "--plugin", "none.py", folder=tmp_path)
    (tmp_path / "notes.txt").write_text("")
    assert "NAME.py" in refused("measures", "--plugin", "notes.txt", folder=tmp_path)
    site = install(wheel(tmp_path, {"here": ""}, points="gone = gone\n"), tmp_path / "site")
    assert "plug-in 'gone' of my_nescio 1.0 (gone): ModuleNotFoundError" in refused(
        "measures", folder=tmp_path, path=site
    )


def test_what_a_faulty_plugin_registered_is_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "half.py"
    file.write_text(MEASURE.format(name="taken_back", value="total.n") + "1/0\n")
    with pytest.raises(FormatError, match="line 6: ZeroDivisionError"):
        plugins.load_file(file)
    assert "taken_back" not in REGISTRY
    assert "c@1" in REGISTRY


def test_without_plugins_nothing_is_asked_for() -> None:
    code = (
        "import sys; from nescio.cli.app import run; import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): run(['--version'])\n"
        "assert 'nescio.plugins' not in sys.modules or not sys.modules['nescio.plugins']._installed.cache_info().misses"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
