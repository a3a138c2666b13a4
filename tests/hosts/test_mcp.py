"""The server of tools, driven by the official client over standard input and output."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from click.testing import CliRunner
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from nescio.cli.app import app
from nescio.errors import SPELLING, in_python
from nescio.hosts.mcp import answer, only_inside, schema_of
from nescio.sources.remote import ALLOWED
from nescio.verbs import every_verb

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
EXAMPLES = Path(__file__).parents[2] / "examples"
OUTCOMES = str(EXAMPLES / "outcomes.csv")

# What each tool is asked, and the command that says the same.
ASKED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "check": ({"source": [OUTCOMES]}, ["check", OUTCOMES]),
    "score": (
        {"source": [OUTCOMES], "measures": ["c@1", "UF"], "ci": 90},
        ["score", OUTCOMES, "-m", "c@1", "-m", "UF", "--ci", "90"],
    ),
    "compare": (
        {"source": [OUTCOMES], "measures": ["c@1"], "baseline": "old", "resamples": 500},
        ["compare", OUTCOMES, "-m", "c@1", "--baseline", "old", "--resamples", "500"],
    ),
    "plan": (
        {"rates": [0.5, 0.3, 0.2], "agreement": 0.4, "difference": 0.1, "questions": 200},
        ["plan", "--rates", "0.5,0.3,0.2", "--agreement", "0.4", "--difference", "0.1", "--questions", "200"],
    ),
    "tune": (
        {"source": [OUTCOMES], "run": "mine", "resamples": 500},
        ["tune", OUTCOMES, "--run", "mine", "--resamples", "500"],
    ),
}


@asynccontextmanager
async def session() -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "nescio", "mcp"], env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()
        yield client


Answers = Callable[..., tuple[list[CallToolResult], list[float]]]


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[BlockingPortal, ClientSession]]:
    """One server for all tests, as an assistant has it, and a thread to speak with it: a browser that an earlier test
    opened keeps a loop running in this one."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(session()) as client:
        yield portal, client
    gc.collect()  # the client leaves streams open, of which another test must not hear


@pytest.fixture
def answers(server: tuple[BlockingPortal, ClientSession]) -> Answers:
    """What the server answers to calls, one after another, and the progress that it tells."""
    portal, client = server

    def ask(*calls: tuple[str, dict[str, Any]]) -> tuple[list[CallToolResult], list[float]]:
        told: list[float] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            told.append(progress / (total or 1))

        async def talk() -> list[CallToolResult]:
            return [await client.call_tool(name, given, progress_callback=tell) for name, given in calls]

        return portal.call(talk), told

    return ask


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def without_command(value: Any) -> Any:
    return {name: part for name, part in value.items() if name != "command"} if isinstance(value, dict) else value


def test_each_tool_gives_the_json_of_its_command(
    answers: Answers, server: tuple[BlockingPortal, ClientSession]
) -> None:
    portal, client = server
    results, told = answers(*((name, given) for name, (given, _) in ASKED.items()))
    assert sorted(tool.name for tool in portal.call(client.list_tools).tools) == sorted(ASKED)
    for result, (_, command) in zip(results, ASKED.values(), strict=True):
        assert not result.isError, text(result)
        printed = CliRunner().invoke(app, [*command, "-f", "json"], standalone_mode=False).stdout
        assert without_command(json.loads(text(result))) == without_command(json.loads(printed))
    assert told
    assert told[-1] <= 1


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("score", {"source": ["nowhere.csv"]}, "nowhere.csv: there is no such file"),
    (
        "score",
        {"source": ["memory://outcomes.csv"]},
        "this is an address; files are paths on the server's machine",
    ),
    ("score", {"source": ["/etc/hostname"]}, "/etc/hostname: lies outside"),
    ("score", {"source": [OUTCOMES], "labels": "http://127.0.0.1:9/labels.csv"}, "this is an address"),
    ("score", {"source": [OUTCOMES], "labels": OUTCOMES, "also_judged": ["/etc/hostname"]}, "lies outside"),
    ("compare", {"source": [OUTCOMES], "baseline": "old", "require_certificate": "/etc/hostname"}, "lies outside"),
    ("score", {"source": {"one": OUTCOMES, "two": "s3://bucket/outcomes.csv"}}, "this is an address"),
    ("score", {"source": [OUTCOMES], "measures": ["c@2"]}, "unknown measure 'c@2'; did you mean c@1?"),
    ("score", {"source": [OUTCOMES], "missing": "ignore"}, "missing"),
    ("compare", {}, "source must be given"),
    (
        "tune",
        {"source": [OUTCOMES], "run": "mine", "measures": ["accuracy"]},
        "tune takes no 'measures'; it takes source",
    ),
    ("score", {"source": [OUTCOMES], "output": "x.csv"}, "score takes no 'output'"),
    ("score", {"source": [OUTCOMES], "seed": True}, "seed takes a whole number, 0 or more (found True)"),
    ("score", {"source": [OUTCOMES], "ci": "95"}, "ci takes a level in percent"),
    ("score", {"source": [OUTCOMES], "over": "benchmarks"}, "over needs a suite of benchmarks or suite_by"),
    ("score", {"source": [OUTCOMES], "measures": ["c@1"], "fail_under": {"Brier": 1}}, '"fail_over": {"Brier": VALUE}'),
    ("guess", {}, "guess"),
]


def test_bad_input_is_an_error_of_the_call_and_the_server_goes_on(answers: Answers) -> None:
    good = ("check", {"source": [OUTCOMES]})
    calls = [call for name, given, _ in BAD for call in ((name, given), good)]
    results, _ = answers(*calls)
    for (name, given, message), bad, after in zip(BAD, results[::2], results[1::2], strict=True):
        assert bad.isError, (name, given)
        assert message in text(bad)
        assert "Traceback" not in text(bad)
        assert not after.isError


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
    verb = {verb.name: verb for verb in every_verb()}["compare" if given else "score"]
    asked = {"source": [str(source)], **given}
    said, failed = answer(verb, verb.name, asked, lambda *_: None)
    assert SPELLING.get() is in_python  # what comes next has another reader
    assert failed
    assert "lies outside" in said


def test_gates_are_in_the_answer(answers: Answers) -> None:
    given = {"source": [OUTCOMES], "measures": ["c@1"], "fail_under": {"c@1": 0.9}}
    (result,), _ = answers(("score", given))
    said = json.loads(text(result))
    assert said["status"] == 1
    assert {gate["run"] for gate in said["gates"]} == {"mine", "old", "other"}


def test_a_text_is_one_file_or_one_measure(answers: Answers) -> None:
    (result,), _ = answers(("score", {"source": OUTCOMES, "measures": "c@1"}))
    assert {row["measure"] for row in json.loads(text(result))["scores"]} == {"c@1"}


def test_each_argument_is_described() -> None:
    for verb in every_verb():
        if verb.tool:
            schema = schema_of(verb)
            assert all(one["description"] for one in schema["properties"].values())
            assert not any("--" in one["description"] for one in schema["properties"].values())


def test_a_long_job_tells_how_far_it_is(answers: Answers) -> None:
    """Reports of one call that go up and never beyond the whole."""
    given = {
        "source": [OUTCOMES],
        "measures": ["AUROC", "AURC"],
        "baseline": "old",
        "resamples": 40_000,
    }
    (result,), told = answers(("compare", given))
    assert not result.isError, text(result)
    assert len(told) > 2
    assert all(0 <= share <= 1 for share in told)
    assert told == sorted(told)
    assert told[-1] > 0.9
