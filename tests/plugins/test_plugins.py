"""Plug-ins: files of Python and installed packages, here and in processes of their own, as users have them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import pytest

from nescio import judging, plugins
from nescio.errors import FormatError
from nescio.hosts.mcp import answer, schema_of
from nescio.measures import REGISTRY
from nescio.verbs import every_verb
from tests.cli.conftest import Command

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
PLUGIN, TABLE = ROOT / "examples" / "plugin", ROOT / "examples" / "table3.csv"
MODULES = ("half_credit", "begins", "verdict_log", "quiz_log", "spared")
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


@pytest.fixture(autouse=True)
def _taken_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it."""
    import nescio.formats
    import nescio.judging  # noqa: F401  whose tables are there to be kept

    before = plugins.names()
    for known in ("_FILES", "_PLACES"):
        monkeypatch.setattr(plugins, known, {})
    plugins._installed.cache_clear()
    yield
    plugins.take_back(before)
    plugins._installed.cache_clear()
    for name in {"faulty", "here", *MODULES} & {*sys.modules}:
        del sys.modules[name]


def packaged(folder: Path, modules: dict[str, str], points: str = "") -> Path:
    """A folder as an installer leaves it, with modules that are entry points of a package."""
    information = folder / "my_nescio-1.0.dist-info"
    information.mkdir(parents=True)
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my_nescio\nVersion: 1.0\n")
    points = points or "".join(f"{module} = {module}\n" for module in modules)
    (information / "entry_points.txt").write_text(f"[nescio.plugins]\n{points}")
    (information / "WHEEL").write_text("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    (information / "RECORD").touch()
    files = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    (information / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return folder


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-ins of the examples, as a package that is found."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["nescio.plugins"] == dict(zip(MODULES, MODULES, strict=True))
    modules = {name: (PLUGIN / f"{name}.py").read_text() for name in MODULES}
    monkeypatch.syspath_prepend(packaged(tmp_path / "site", modules))


def test_the_page_shows_the_files() -> None:
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    for file in (*(f"{name}.py" for name in MODULES), "pyproject.toml"):
        assert f"\n{(PLUGIN / file).read_text(encoding='utf-8')}```" in page


@pytest.mark.usefixtures("installed")
def test_an_installed_package_is_everywhere(
    nescio: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(PLUGIN)
    assert re.search("^half_credit ", nescio("measures").out, re.MULTILINE)
    assert "My course, 2026" in nescio("measures", "half_credit").out
    scored = nescio("score", "verdicts.log", "-m", "half_credit", "-f", "json").json
    assert {row["run"]: row["value"] for row in scored["scores"]} == {"mine": 2.5 / 4, "yours": 0.5}
    page = tmp_path / "report.html"
    assert nescio("report", "verdicts.log", "-m", "half_credit", "-o", page).status == 0
    assert "half_credit" in page.read_text(encoding="utf-8")
    judged = nescio("score", "../questions.jsonl", "../runs/mine.jsonl", "--judge", "begins").out
    assert "mine" in judged
    assert "half_credit" in nescio("audit", "-m", "half_credit", "--questions", "200").out
    score = {verb.name: verb for verb in every_verb()}["score"]
    assert "half_credit" in schema_of(score)["properties"]["measures"]["examples"]
    given = {"source": ["verdicts.log"], "measures": ["half_credit"]}
    said, failed = answer(score, "score", given, lambda *_: None)
    assert ({row["measure"] for row in json.loads(said)["scores"]}, failed) == ({"half_credit"}, False)


def test_a_statistic_is_a_command_of_its_file(nescio: Command, tmp_path: Path) -> None:
    """Six questions, counted by hand. The baseline is wrong on a to d, and the run silent on a, b and c: 3/4. The run is
    wrong on d and e, and the baseline silent on e: 1/2. An exchange of labels on a question is one of 2^6.
    """
    outcomes = {"mine": "UUUWWC", "old": "WWWWUC"}
    words = {"U": "unanswered", "W": "incorrect", "C": "correct"}
    rows = [f"{run},{q},{words[one]}" for run, of in outcomes.items() for q, one in zip("abcdef", of, strict=True)]
    table = tmp_path / "outcomes.csv"
    table.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    plugin = ("--plugin", PLUGIN / "spared.py")
    assert len((PLUGIN / "spared.py").read_text().splitlines()) <= 60
    (row,) = nescio("lab", "spared", table, *plugin, "--baseline", "old", "-f", "json").json["spared"]

    def value(swapped: tuple[bool, ...]) -> float:
        pairs = [(y, x) if swap else (x, y) for swap, x, y in zip(swapped, *outcomes.values(), strict=True)]
        theirs, ours = (sum(pair[side] == "W" for pair in pairs) for side in (1, 0))
        spared, back = pairs.count(("U", "W")), pairs.count(("W", "U"))
        return spared / theirs - back / ours if theirs and ours else float("nan")

    law = [value(swaps) for swaps in product((False, True), repeat=6)]
    p = sum(not abs(one) < 1 / 4 - 1e-9 for one in law) / 64
    assert (row["errors"], row["spared"], row["n"], row["test"]) == (4, 1 / 4, 6, "exact")
    assert (row["p"], row["verdict"]) == (p, "cannot tell")
    shown = nescio("lab", "spared", table, *plugin, "--baseline", "old").out
    assert "+0.250" in shown
    assert "turned round." in shown
    nescio("lab", "spared", table, *plugin, "--run", "mine", "-o", tmp_path / "spared.json")
    (alone,) = json.loads((tmp_path / "spared.json").read_text())["spared"]
    assert alone == row
    nescio("lab", "spared", table, *plugin, "--run", "old", "--baseline", "old").assert_refused("is the baseline")
    nescio("lab", "spared", table, *plugin, "--run", "mime").assert_refused("did you mean mine?")
    assert "Ask how many errors" in nescio("lab", "spared", *plugin, "--help").out
    assert "Ask how many errors" in nescio("lab", "--help", *plugin).out
    nescio("lab", "Spared_", table, *plugin).assert_refused("did you mean spared")


@pytest.mark.parametrize("name", ["vote", "spared"])
def test_a_statistic_takes_no_name_that_is_taken(nescio: Command, tmp_path: Path, name: str) -> None:
    text = (PLUGIN / "spared.py").read_text().replace("def spared(", f"def {name}(")
    for file in ("one.py", "two.py"):
        (tmp_path / file).write_text(text)
    plugins_of = [word for file in ("one.py", "two.py") for word in ("--plugin", tmp_path / file)]
    nescio("lab", name, TABLE, *plugins_of).assert_refused(f"a statistic named {name!r} is already registered")


def test_without_plugins_nothing_is_known(nescio: Command) -> None:
    nescio("score", TABLE, "-m", "half_credit").assert_refused("unknown measure")
    nescio("lab", "spared", TABLE).assert_refused("unknown nescio lab command 'spared'")
    assert "spared" not in nescio("lab", "--help").out


def test_the_laws_run_on_a_measure_of_ones_own(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot.restore", lambda _: None)  # nescio's modules register once
    quiet = ("-p", "nescio.hosts.pytest_plugin", "-p", "no:cacheprovider", "--nescio-laws")
    shutil.copy(PLUGIN / "half_credit.py", pytester.path)
    done = pytester.runpytest_inprocess(*quiet, "half_credit", "--nescio-plugin", "half_credit.py")
    done.assert_outcomes(passed=4)
    broken = {
        "within_bounds": MEASURE.format(name="lawless", value="2 * total.correct / total.n"),
        "undefined_of_nothing": MEASURE.format(name="lawless", value="total.correct / (total.n + (total.n == 0))"),
        "alone_as_together": MEASURE.format(name="lawless", value="total.correct.sum() / total.n.sum()"),
        "as_often_as_weighed": BY_PLACE,
    }
    for law, text in broken.items():
        before = plugins.names()
        file = pytester.path / f"{law}.py"
        file.write_text(text)
        said = pytester.runpytest_inprocess(*quiet, "lawless", "--nescio-plugin", file.name).stdout.str()
        plugins.take_back(before)
        failed = {*re.findall(r"FAILED nescio::lawless::(\w+)", said)}
        assert failed == {law} if law == "as_often_as_weighed" else law in failed, said


def test_printed_commands_name_the_file_and_run(
    nescio: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "outcomes.csv", "o.csv")
    shutil.copy(PLUGIN / "half_credit.py", "half.py")
    options = ("--plugin", "half.py", "-m", "half_credit", "--resamples", "100")
    assert nescio("report", "o.csv", *options, "-o", "r.html").status == 0
    found = {*re.findall(r"nescio (score o.csv[^<\n]*half_credit[^<\n]*)", Path("r.html").read_text())}
    assert found
    for line in found:
        assert "--plugin half.py" in line
        assert nescio(*line.split()).status == 0
    assert "--plugin half.py` shows how" in nescio("measures", "half_credit", *options[:2]).out


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
def test_a_fault_is_one_message_with_its_line(
    fault: str,
    as_file: bool,
    nescio: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, message = FAULTS[fault]
    monkeypatch.chdir(tmp_path)
    if as_file:
        Path("faulty.py").write_text(text)
        nescio("score", TABLE, "-m", "faulty", "--plugin", "faulty.py").assert_refused(f"nescio: faulty.py, {message}")
    else:
        monkeypatch.syspath_prepend(packaged(tmp_path / "site", {"faulty": text}))
        by_package = "nescio: plug-in 'faulty' of my_nescio 1.0 (faulty), "
        nescio("score", TABLE, "-m", "faulty").assert_refused(by_package, f"faulty.py, {message}")


def test_a_plugin_that_is_not_there(
    nescio: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    nescio("measures", "--plugin", "none.py").assert_refused("none.py: there is no such file")
    Path("notes.txt").write_text("")
    nescio("measures", "--plugin", "notes.txt").assert_refused("NAME.py")
    monkeypatch.syspath_prepend(packaged(tmp_path / "site", {"here": ""}, points="gone = gone\n"))
    nescio("measures").assert_refused("plug-in 'gone' of my_nescio 1.0 (gone): ModuleNotFoundError")


def test_what_a_faulty_plugin_registered_is_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "half.py"
    file.write_text(MEASURE.format(name="taken_back", value="total.n") + "1/0\n")
    with pytest.raises(FormatError, match="line 6: ZeroDivisionError"):
        plugins.load_file(file)
    assert "taken_back" not in REGISTRY
    assert "c@1" in REGISTRY


JUDGE = """
from nescio.judging import judge
@judge({name!r})
def grade(question, answer):
    return {rule}
"""


def test_a_judge_of_a_plugin_is_known_by_its_code(nescio: Command, tmp_path: Path) -> None:
    """Two judges of one name would let a run pass that a lenient one judged."""
    rules = {"strict": "answer in question.answers", "lenient": "True", "again": "answer in question.answers"}
    questions = [json.dumps({"id": f"q{i}", "question": f"Q{i}?", "answers": [f"a{i}"]}) for i in range(60)]
    (tmp_path / "q.jsonl").write_text("\n".join(questions))
    for run, right in (("old", 40), ("new", 20)):
        rows = [json.dumps({"id": f"q{i}", "answer": f"a{i}" if i < right else "no"}) for i in range(60)]
        (tmp_path / f"{run}.jsonl").write_text("\n".join(rows))
    base = tmp_path / "base.json"
    done = {}
    for name, rule in rules.items():
        before = plugins.names()
        (tmp_path / f"{name}.py").write_text(JUDGE.format(name="own", rule=rule))
        judged = ("--judge", "own", "--plugin", tmp_path / f"{name}.py", "-m", "accuracy")
        if name == "strict":
            nescio("compare", tmp_path / "q.jsonl", tmp_path / "old.jsonl", *judged, "--save-baseline", base)
        new = (tmp_path / "q.jsonl", tmp_path / "new.jsonl")
        done[name] = nescio("compare", *new, *judged, "--baseline", base, "--fail-on-regression")
        plugins.take_back(before)
    assert done["strict"].status == done["again"].status == 1
    done["lenient"].assert_refused("the baseline was judged by own(code=", "and these files by own(code=")
    assert judging.known("exact").record.parameters == ()


def python(code: str, path: Path | None = None, folder: Path = PLUGIN) -> str:
    """What a program prints, with another folder to import from."""
    search = os.pathsep.join(filter(None, [str(ROOT / "src"), str(path or ""), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": search, "COLUMNS": "200"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment).stdout


@pytest.mark.slow
def test_an_installer_and_other_processes_have_the_plugins(tmp_path: Path) -> None:
    """A wheel is installed by the installer that there is, from nowhere else; a file is loaded in each process."""
    built = packaged(tmp_path / "built", {name: (PLUGIN / f"{name}.py").read_text() for name in MODULES})
    made, site = tmp_path / "my_nescio-1.0-py3-none-any.whl", tmp_path / "site"
    with ZipFile(made, "w") as wheel:
        for file in sorted(built.rglob("*")):
            if file.is_file():
                wheel.write(file, file.relative_to(built))
    uv = shutil.which("uv")
    installer = [uv, "pip"] if uv else [sys.executable, "-m", "pip"]
    command = [*installer, "install", "--quiet", "--no-index", "--no-deps", "--target", str(site), str(made)]
    subprocess.run(command, capture_output=True, check=True)
    start = "import sys; sys.argv = 'nescio score verdicts.log -m half_credit -f json'.split()\n"
    scored = json.loads(python(f"{start}from nescio.cli import main; main()", path=site))
    assert {row["run"]: row["value"] for row in scored["scores"]} == {"mine": 2.5 / 4, "yours": 0.5}
    code = (
        "import nescio.plugins; from nescio.stats.parallel import each; from nescio.measures import parse;"
        f"nescio.plugins.load_file({str(PLUGIN / 'half_credit.py')!r});"
        "from types import SimpleNamespace as S;"
        "rows = [S(correct=1, unanswered=1, n=3), S(correct=3, unanswered=0, n=3)];"
        "print(list(each(parse('half_credit').declaration.formula, rows, 2)))"
    )
    assert python(code).splitlines() == ["[0.5, 1.0]"]
    code = (
        "import sys; from nescio.cli.app import run; import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): run(['--version'])\n"
        "assert 'nescio.plugins' not in sys.modules or not sys.modules['nescio.plugins']._installed.cache_info().misses"
    )
    python(code)
