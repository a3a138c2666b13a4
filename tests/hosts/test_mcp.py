"""The tools of assistants: in process as the server answers them, and driven by the official client."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from nescio.cli.app import app
from nescio.errors import SPELLING, in_python
from nescio.hosts.mcp import answer, only_inside, schema_of
from nescio.sources.remote import ALLOWED
from nescio.verbs import every_verb

EXAMPLES = Path(__file__).parents[2] / "examples"
OUTCOMES = str(EXAMPLES / "outcomes.csv")
VERBS = {verb.name: verb for verb in every_verb()}

# What each tool is asked, and the command that says the same.
ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "check": ({"source": [OUTCOMES]}, f"check {OUTCOMES}"),
    "score": (
        {"source": [OUTCOMES], "measures": ["c@1", "UF"], "ci": 90},
        f"score {OUTCOMES} -m c@1 -m UF --ci 90",
    ),
    "compare": (
        {"source": [OUTCOMES], "measures": ["c@1"], "baseline": "old", "resamples": 200},
        f"compare {OUTCOMES} -m c@1 --baseline old --resamples 200",
    ),
    "plan": (
        {"rates": [0.5, 0.3, 0.2], "agreement": 0.4, "difference": 0.1, "questions": 200},
        "plan --rates 0.5,0.3,0.2 --agreement 0.4 --difference 0.1 --questions 200",
    ),
    "tune": ({"source": [OUTCOMES], "run": "mine", "resamples": 100}, f"tune {OUTCOMES} --run mine --resamples 100"),
}


def asked(name: str, given: dict[str, Any], tell: Callable[..., None] = lambda *_: None) -> tuple[str, bool]:
    """What a tool answers, and whether that is an error."""
    said = answer(VERBS[name], name, given, tell)
    assert SPELLING.get() is in_python  # what comes next has another reader
    return said


def without_command(value: Any) -> Any:
    return {name: part for name, part in value.items() if name != "command"} if isinstance(value, dict) else value


@pytest.fixture
def at_home() -> Iterator[None]:
    """The examples may be read, and nothing else."""
    before = ALLOWED.set(only_inside(EXAMPLES))
    yield
    ALLOWED.reset(before)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("name", ASKED)
def test_each_tool_gives_the_json_of_its_command(name: str) -> None:
    given, command = ASKED[name]
    said, failed = asked(name, given)
    printed = CliRunner().invoke(app, [*command.split(), "-f", "json"], standalone_mode=False).stdout
    assert (without_command(json.loads(said)), failed) == (without_command(json.loads(printed)), False)


TABLE = {"source": [OUTCOMES]}
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("score", {"source": [str(EXAMPLES / "nowhere.csv")]}, "nowhere.csv: there is no such file"),
    (
        "score",
        {"source": ["memory://outcomes.csv"]},
        "this is a web address; give the path of a file on the server's machine",
    ),
    ("score", {"source": ["/etc/hostname"]}, "/etc/hostname: lies outside"),
    ("score", {**TABLE, "labels": "http://127.0.0.1:9/labels.csv"}, "this is a web address"),
    ("score", {**TABLE, "labels": OUTCOMES, "also_judged": ["/etc/hostname"]}, "lies outside"),
    ("compare", {**TABLE, "baseline": "old", "require_certificate": "/etc/hostname"}, "lies outside"),
    ("score", {"source": {"one": OUTCOMES, "two": "s3://bucket/outcomes.csv"}}, "this is a web address"),
    ("score", {**TABLE, "measures": ["c@2"]}, "unknown measure 'c@2'; did you mean c@1?"),
    ("score", {**TABLE, "missing": "ignore"}, "missing"),
    ("compare", {}, "source must be given"),
    (
        "tune",
        {**TABLE, "run": "mine", "measures": ["accuracy"]},
        "the tool tune has no argument 'measures'; its arguments are source",
    ),
    ("score", {**TABLE, "output": "x.csv"}, "the tool score has no argument 'output'"),
    ("score", {**TABLE, "plugin": ["begins.py"]}, "the tool score has no argument 'plugin'"),
    ("score", {**TABLE, "seed": True}, "seed takes a whole number, 0 or more (found True)"),
    ("score", {**TABLE, "ci": "95"}, "ci takes a level in percent"),
    ("score", {**TABLE, "over": "benchmarks"}, "over needs a suite of benchmarks or suite_by"),
    ("score", {**TABLE, "measures": ["c@1"], "fail_under": {"Brier": 1}}, '"fail_over": {"Brier": VALUE}'),
]


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(("name", "given", "message"), BAD)
def test_bad_input_is_an_error_of_the_call(name: str, given: dict[str, Any], message: str) -> None:
    said, failed = asked(name, given)
    assert failed
    assert message in said
    assert "Traceback" not in said


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A folder that alone may be read, beside one with a table."""
    (tmp_path / "in").mkdir()
    shutil.copy(OUTCOMES, tmp_path / "out.csv")
    before = ALLOWED.set(only_inside(tmp_path / "in"))
    yield tmp_path / "in"
    ALLOWED.reset(before)


@pytest.mark.parametrize("how", ["suite", "link", "parent", "folder of links", "baseline"])
def test_nothing_outside_the_folder_is_read_however_it_is_named(how: str, root: Path) -> None:
    outside, given = root.parent / "out.csv", dict[str, Any]()
    if how == "suite":
        (root / "suite.toml").write_text(f"[benchmarks.one]\nfiles = ['{outside}']\n")
        source = root / "suite.toml"
    elif how == "parent":
        source = root / ".." / "out.csv"
    elif how == "link":
        (source := root / "link.csv").symlink_to(outside)
    elif how == "folder of links":
        (source := root / "all").mkdir()
        pd.read_csv(OUTCOMES).to_parquet(root.parent / "out.parquet")
        (source / "link.parquet").symlink_to(root.parent / "out.parquet")
    else:
        shutil.copy(outside, source := root / "in.csv")
        (root.parent / "old.json").write_text("{}")
        given = {"baseline": str(root.parent / "old.json")}
    said, failed = asked("compare" if given else "score", {"source": [str(source)], **given})
    assert failed
    assert "lies outside" in said


@pytest.mark.usefixtures("at_home")
def test_gates_are_in_the_answer_and_a_text_is_one_file_or_one_measure() -> None:
    said = json.loads(asked("score", {"source": OUTCOMES, "measures": "c@1", "fail_under": {"c@1": 0.9}})[0])
    assert said["status"] == 1
    assert {gate["run"] for gate in said["gates"]} == {"mine", "old", "other"}
    assert {row["measure"] for row in said["scores"]} == {"c@1"}
    command = ["score", OUTCOMES, "-m", "c@1", "--fail-under", "c@1=0.9", "-f", "json"]
    printed = json.loads(CliRunner().invoke(app, command, standalone_mode=False).stdout)
    assert without_command(said) == without_command(printed | {"status": 1})


def test_each_argument_is_described() -> None:
    for verb in VERBS.values():
        if verb.tool:
            properties = schema_of(verb)["properties"]
            assert all(one["description"] for one in properties.values())
            assert not any("--" in one["description"] for one in properties.values())
            assert "plugin" not in properties


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["</dev/null", "</dev/null | true", "<&-", "</dev/null >&-"])
def test_the_end_of_the_client_is_a_normal_end(streams: str) -> None:
    command = f"set -o pipefail; '{sys.executable}' -m nescio mcp {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@asynccontextmanager
async def session() -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "nescio", "mcp"], env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_official_client_lists_the_tools_is_answered_and_told_how_far_it_is() -> None:
    """In a loop of a thread's own, as a browser that an earlier test opened keeps one running in this."""
    from anyio.from_thread import start_blocking_portal

    told: list[float] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
        told.append(progress / (total or 1))

    async def talk() -> tuple[list[str], list[Any]]:
        async with session() as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            long = {**TABLE, "measures": ["AUROC", "AURC"], "baseline": "old", "resamples": 20_000}
            calls = [("score", {"source": ["nowhere.csv"]}), ("guess", {}), ("check", TABLE), ("compare", long)]
            return listed, [await client.call_tool(name, given, progress_callback=tell) for name, given in calls]

    with start_blocking_portal() as portal:
        listed, results = portal.call(talk)
    gc.collect()  # the client leaves streams open, of which another test must not hear
    assert sorted(listed) == sorted(ASKED)
    texts = [result.content[0].text for result in results]
    assert [result.isError for result in results] == [True, True, False, False], texts
    assert "nowhere.csv: there is no such file" in texts[0]
    assert len(told) > 2
    assert all(0 <= share <= 1 for share in told)
    assert told[-1] > 0.9
