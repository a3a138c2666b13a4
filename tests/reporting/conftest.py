"""Pages made by the command line, and a real browser to open them in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nescio.cli.app import run
from tests.browser import AXE

HOSTILE = (
    "</script><script>window.pwned = 1</script>",
    '<img src=x onerror="window.pwned = 2">',
    "\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u2067open",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308",
    "long " + "x" * 100_000,
    "NUL \x00 bell \x07 escape \x1b[31m",
    "line\u2028separator ]]> <!-- {{ 7*7 }}",
    "' onmouseover='window.pwned = 3",
)


@pytest.fixture(scope="module")
def script(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that holds nothing but the script of the tests' module (`SCRIPT`)."""
    page = chromium.new_page()
    page.add_script_tag(content=request.module.SCRIPT.read_text(encoding="utf-8"))
    yield page
    page.close()


def make(output: Path, *arguments: object) -> Path:
    """`nescio report` on these arguments."""
    with pytest.raises(SystemExit) as stopped:
        run(["report", *map(str, arguments), "-o", str(output), "--resamples", "500"])
    assert not stopped.value.code
    return output


def outcome_table(path: Path, runs: dict[str, str], *, confidence: bool = False) -> Path:
    """An outcome table from a letter a question; questions q000, q001 … fall into topics red, green and blue by
    turns."""
    words = {"C": "correct", "W": "incorrect", "U": "unanswered"}
    rows = ["run,question,outcome,topic" + (",confidence" if confidence else "")]
    for name, letters in runs.items():
        for i, letter in enumerate(letters):
            sure = f",{0.99 - 0.9 * i / len(letters):.3f}" if confidence else ""
            rows.append(f"{name},q{i:03},{words[letter]},{('red', 'green', 'blue')[i % 3]}{sure}")
    path.write_text("\n".join(rows) + "\n")
    return path


THREE = {"guesser": "CCWWCW" * 50, "modest": "CCUUCW" * 50, "weak": "CWWWUW" * 50}


@pytest.fixture(scope="session")
def three_runs_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three runs on 300 questions with confidences."""
    folder = tmp_path_factory.mktemp("three")
    return make(folder / "page.html", outcome_table(folder / "three.csv", THREE, confidence=True), "--by", "topic")


# Of each move from an old run to a new one, how many questions there are. Won 6 + 2, lost 4 + 3, newly silent 3 + 5,
# newly answered 2 + 1, as before 30 + 20 + 9.
MOVES = {"CC": 30, "CW": 4, "CU": 3, "WC": 6, "WW": 20, "WU": 5, "UC": 2, "UW": 1, "UU": 9}


@pytest.fixture(scope="session")
def diff_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs on 80 questions that both have, two that only the old one has, and one that only the new
    one has."""
    folder = tmp_path_factory.mktemp("diff")
    moves = "".join(move * many for move, many in MOVES.items())
    table = outcome_table(folder / "two.csv", {"old": moves[::2], "new": moves[1::2]})
    with table.open("a") as more:
        more.write("old,only1,correct,red\nold,only2,unanswered,red\nnew,fresh,incorrect,blue\n")
    return make(folder / "diff.html", table, "--baseline", "old", "--missing", "common")


@pytest.fixture(scope="session")
def hostile_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """A collection whose questions, answers, names and topics try to get out, and two runs."""
    folder = tmp_path_factory.mktemp("hostile")
    asked = [
        {"id": f"{i} {text[:3000]}", "question": text, "answers": ["right"], "topic": HOSTILE[i % 2]}
        for i, text in enumerate(HOSTILE)
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in asked))
    runs = []
    for name in ("<b onclick=alert(1)>bold", "plain"):
        said = [{"id": q["id"], "answer": q["question"] if name == "plain" else "right"} for q in asked]
        runs.append(folder / f"{name}.jsonl")
        runs[-1].write_text("".join(json.dumps(a) + "\n" for a in said))
    return folder / "questions.jsonl", *runs


@pytest.fixture(scope="session")
def hostile_page(hostile_files: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of that collection."""
    page = tmp_path_factory.mktemp("pages") / "page.html"
    return make(page, *hostile_files, "--by", "topic", "--title", HOSTILE[0])


@pytest.fixture(scope="session")
def hostile_diff_page(hostile_files: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of what changed between its runs."""
    page = tmp_path_factory.mktemp("pages") / "diff.html"
    return make(page, *hostile_files, "--baseline", hostile_files[1].stem)


def assert_accessible(page: Any) -> None:
    """axe-core finds nothing in the page with everything opened. Drawings are emptied first: they are hidden from
    assistive technology, which a test of `cleaned` holds them to, and axe would spend seconds on walking them."""
    page.focus("#grid")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator("details.table table").last.wait_for()
    assert page.evaluate("[...document.querySelectorAll('.plot svg')].every((svg) => svg.ariaHidden === 'true')")
    page.evaluate("document.querySelectorAll('.plot svg > *').forEach((part) => part.remove())")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []
