"""Every command that the documentation shows is run, and prints what stands under it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

import pytest

from nescio import plugins
from tests.judging.llm_server import Server, completion, serving

from .console import (
    ELSEWHERE,
    LONG,
    ROOT,
    Shown,
    bare,
    commands,
    every_page,
    pages,
    parts,
    programs,
    quick_one,
    run_command,
    run_page,
    same,
)

MADE = ROOT / "docs" / "reference" / "cli"  # pages of examples that are made from the help of commands
TOUR = ROOT / "docs" / "tutorial.md"  # which begins with the demo, whose files all else needs
PARTS = [(page, i, part) for page in pages() for i, part in enumerate(parts(page))]


@pytest.fixture(scope="module")
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


def named(page: Path, number: int) -> str:
    return f"{page.relative_to(ROOT)}-{number}"


def assert_so(page: Path, part: list[Shown], folder: Path, server: Server, *, quick: bool) -> None:
    addresses = {"URL": server.url, "http://localhost:8000/v1": server.url}
    ran = list(run_page(page, folder, addresses, part, quick=quick))
    asked = [after.shown.line for before, after in pairwise(ran) if after.shown.command == "echo $?"]
    for number, found in enumerate(ran):
        here = f"{page.name}:{found.shown.line}: {found.shown.command}\n" + "\n".join(found.output)
        if not (number + 1 < len(ran) and ran[number + 1].shown.line in asked):
            assert found.status == 0, here
        if found.shown.output:
            assert same(found.shown.output, found.output), here


@pytest.mark.parametrize(
    ("page", "part"),
    [pytest.param(page, part, id=named(page, i)) for page, i, part in PARTS if page.parent != MADE and page != TOUR],
)
def test_what_a_page_shows_is_so(page: Path, part: list[Shown], tmp_path: Path, server: Server) -> None:
    assert_so(page, part, tmp_path, server, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "part"),
    [
        pytest.param(page, part, id=named(page, i))
        for page, i, part in PARTS
        if page.parent == MADE or any(quick_one(shown.command) for shown in part)
    ],
)
def test_what_takes_long_is_so(page: Path, part: list[Shown], tmp_path: Path, server: Server) -> None:
    assert_so(page, part, tmp_path, server, quick=page.parent == MADE)  # what takes long stands on another page


@pytest.mark.parametrize("page", [page for page in every_page() if programs(page)], ids=lambda page: page.name)
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
    assert "uv run pytest" in script


def test_nothing_is_excused_that_no_page_shows() -> None:
    shown = [bare(shown.command) for page in pages() for shown in commands(page)]
    assert [pattern for pattern in (*ELSEWHERE, *LONG) if not any(fnmatchcase(words, pattern) for words in shown)] == []


def test_a_part_of_a_page_has_every_command_that_names_what_it_writes(tmp_path: Path) -> None:
    lines = [f"$ nescio score {i}.csv" for i in range(7)]
    chain = [
        "$ nescio judge a.csv -o made.csv",
        *lines,
        "$ nescio score made.csv",
        "$ echo $?",
        "$ nescio check b/*.csv",
    ]
    (page := tmp_path / "page.md").write_text("\n".join(["```console", *chain, "$ nescio score b/c.csv", "```"]))
    found = [[shown.command.removeprefix("nescio ") for shown in part] for part in parts(page)]
    assert [len(part) for part in found] == [8, 4]
    assert found[0][0] == "judge a.csv -o made.csv"
    assert {"score made.csv", "echo $?"} <= {*found[0]}
    assert found[1][-2:] == ["check b/*.csv", "score b/c.csv"]
    assert all(shown for page in pages() for shown in parts(page))


def test_output_is_compared() -> None:
    assert same(("a", "...", "d"), ("a", "b", "c", "d"))
    assert not same(("a", "...", "d"), ("a", "b", "c"))
    assert not same(("a",), ("a", "b"))
    assert same(("...",), ())
    assert run_command("nescio c@1 1 2")[0] == 2
