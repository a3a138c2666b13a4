"""Every command that the documentation shows is run, and prints what stands under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from nescio import plugins
from tests.judging.llm_server import Server, completion, serving

from . import console
from .console import ELSEWHERE, LONG, ROOT, Memory, commands, every_page, pages, programs, run_page, same


@pytest.fixture
def server() -> Iterator[Server]:
    """A language model at an address of this machine, for pages on which one judges."""
    with serving(Server(reply=lambda told, tries: completion('{"grade": "CORRECT"}'))) as running:  # noqa: ARG005
        yield running


@pytest.fixture(autouse=True)
def _plugins_of_a_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a page registers is gone after it."""
    import nescio.formats
    import nescio.judging
    import nescio.measures  # noqa: F401  whose tables are there to be kept

    before = plugins.names()
    for known in ("_FILES", "_PLACES"):
        monkeypatch.setattr(plugins, known, {})
    yield
    plugins.take_back(before)


@pytest.fixture(scope="module")
def memory() -> Memory:
    """What the commands of all pages did."""
    return Memory()


MADE = ROOT / "docs" / "reference" / "cli"  # pages of examples that are made from the help of commands


def has_long(page: Path) -> bool:
    return any(shown.command.split("  #")[0].strip() in LONG for shown in commands(page))


@pytest.mark.parametrize(
    ("page", "quick"),
    [
        *(pytest.param(page, True, marks=[pytest.mark.slow] * (page.parent == MADE)) for page in pages()),
        *(pytest.param(page, False, marks=pytest.mark.slow) for page in pages() if has_long(page)),
    ],
    ids=lambda given: str(given.relative_to(ROOT)) if isinstance(given, Path) else "quick" if given else "whole",
)
def test_what_a_page_shows_is_so(page: Path, quick: bool, tmp_path: Path, server: Server, memory: Memory) -> None:
    addresses = {"URL": server.url, "http://localhost:8000/v1": server.url}
    ran = list(run_page(page, tmp_path, addresses, memory, quick=quick))
    asked = [after.shown.line for before, after in pairwise(ran) if after.shown.command == "echo $?"]
    for number, found in enumerate(ran):
        here = f"{page.name}:{found.shown.line}: {found.shown.command}\n" + "\n".join(found.output)
        if not (number + 1 < len(ran) and ran[number + 1].shown.line in asked):
            assert found.status == 0, here
        if found.shown.output:
            assert same(found.shown.output, found.output), here


@pytest.mark.parametrize(
    "page", [page for page in every_page() if programs(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_programs_of_a_page_run(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "examples")
    names: dict[str, object] = {}
    for program in programs(page):
        exec(compile(program, str(page), "exec"), names)
        assert capsys.readouterr().out.strip(), f"a program of {page.name} that shows nothing:\n{program}"


def test_what_is_not_run_here_is_run_by_continuous_integration() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "install --quiet --disable-pip-version-check uv" in script
    assert script.rstrip().endswith("uv run pytest")


def test_nothing_is_excused_that_no_page_shows() -> None:
    shown = [shown.command.split("  #")[0].strip() for page in pages() for shown in commands(page)]
    from fnmatch import fnmatchcase

    assert [pattern for pattern in ELSEWHERE if not any(fnmatchcase(command, pattern) for command in shown)] == []


def test_output_is_compared() -> None:
    assert same(("a", "...", "d"), ("a", "b", "c", "d"))
    assert not same(("a", "...", "d"), ("a", "b", "c"))
    assert not same(("a",), ("a", "b"))
    assert same(("...",), ())


@pytest.mark.parametrize(
    ("words", "times"),
    [(("in", "out"), 3), (("in", "-o", "out"), 2)],
    ids=["may look at what it writes", "writes whole"],
)
def test_a_command_runs_once_in_one_state_of_its_files(
    words: tuple[str, ...], times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def copy(words: Sequence[str]) -> tuple[int, str]:
        calls.append(words)
        Path("out").write_text(Path("in").read_text() + ".")
        return 0, "copied"

    monkeypatch.setattr(console, "_call", copy)
    memory = Memory()

    def run(folder: str, **files: str) -> str:
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / folder)
        for name, held in files.items():
            Path(name).write_text(held)
        assert memory.run(words) == (0, "copied")
        return Path("out").read_text()

    assert run("one", **{"in": "a", "besides": "x"}) == "a."
    assert run("two", **{"in": "a", "besides": "y"}) == "a."  # whatever else lies there
    assert len(calls) == 1
    assert run("three", **{"in": "b"}) == "b."
    assert len(calls) == 2
    assert run("three", **{"in": "a"}) == "a."  # there is something to write over
    assert len(calls) == times
