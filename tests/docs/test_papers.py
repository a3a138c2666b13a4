"""The page that leads from the papers to commands: each runs, and prints the figures that stand beside it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from .console import ROOT, Memory, _expanded, _width

PAGE = ROOT / "docs" / "papers.md"


def rows() -> list[tuple[str, str, list[str]]]:
    """Return what each line of the page is about, its command, and what the command prints."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 4 and cells[1].startswith("`nescio "):
            found.append((cells[0], cells[1].strip("`"), [part.strip() for part in cells[2].split(",")]))
    return found


def test_every_line_runs_and_prints_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    memory, wrong = Memory(), []
    with _width():
        for about, command, prints in rows():
            status, output = memory.run(tuple(_expanded(shlex.split(command)[1:])))
            lacking = [figure for figure in prints if figure not in output]
            if status or lacking:
                wrong.append(f"{about}: {command}\nstatus {status}, not printed: {lacking}\n{output}")
    assert not wrong, "\n\n".join(wrong)


def test_the_page_has_a_line_for_what_the_papers_number() -> None:
    """The equations, tables and figures that the four papers number, each on the page by its number."""
    first, second, third, fourth = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert numbered(first, "eq. ") >= {*range(1, 13)}
    assert numbered(first, "Table ") | numbered(first, "Tables ") >= {1, 2, 3}
    assert numbered(first, "Figure ") >= {1, 2, 3}
    assert numbered(second, "eq. ") >= {*range(1, 7)}
    assert numbered(second, "Table ") | numbered(second, "Tables ") >= {1, 2, *range(4, 13)}
    assert numbered(second, "Figure ") >= {1, 2, 3, 4}
    assert "Sir John Hale" in third
    assert numbered(fourth, "Figure ") >= {2, 3}


def numbered(text: str, word: str) -> set[int]:
    """Return the numbers after a word at the start of a line of a table: eq. 1-3 are 1, 2 and 3."""
    found: set[int] = set()
    for first, last in re.findall(rf"^\|[^|]*?{re.escape(word)}(\d+)(?:(?:-| and )(\d+))?", text, re.MULTILINE):
        found |= {*range(int(first), int(last or first) + 1)}
    return found | {int(number) for number in re.findall(rf"{re.escape(word)}\d+ \((\d+)\)", text)}
