"""Pages made by the command line, each kind once in a run of the tests, and what tests do with them in a browser."""

from __future__ import annotations

import base64
import csv
import fcntl
import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nescio.cli.app import run
from tests.browser import AXE

ROOT = Path(__file__).parents[2]
EXAMPLES, SHARED = ROOT / "examples", ROOT.parent / "shared" / "data"
WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered"}
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
THREE = {"guesser": "CCWWCW" * 50, "modest": "CCUUCW" * 50, "weak": "CWWWUW" * 50}
# Of each move from an old run to a new one, how many questions there are. Won 6 + 2, lost 4 + 3, newly silent 3 + 5,
# newly answered 2 + 1, as before 30 + 20 + 9.
MOVES = {"CC": 30, "CW": 4, "CU": 3, "WC": 6, "WW": 20, "WU": 5, "UC": 2, "UW": 1, "UU": 9}
MOVED = "".join(move * many for move, many in MOVES.items())
LONG = "company/model-of-a-very-long-name-that-goes-on/checkpoint-with-more-words-"
INHERITED = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty")


# --- Files and pages.


def called(*words: object) -> int | str | None:
    """The exit status of a command."""
    with pytest.raises(SystemExit) as stopped:
        run([*map(str, words)])
    return stopped.value.code


def make(output: Path, *arguments: object) -> Path:
    """`nescio report` on these arguments."""
    assert not called("report", *arguments, "-o", output, "--resamples", "500")
    return output


def written(path: Path, head: str, rows: Sequence[str]) -> Path:
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def outcome_table(path: Path, runs: dict[str, str], *, confidence: bool = False) -> Path:
    """An outcome table from a letter a question; questions q000, q001 … fall into topics red, green and blue by
    turns."""
    rows = []
    for name, letters in runs.items():
        for i, letter in enumerate(letters):
            sure = f",{0.99 - 0.9 * i / len(letters):.3f}" if confidence else ""
            rows.append(f"{name},q{i:03},{WORDS[letter]},{('red', 'green', 'blue')[i % 3]}{sure}")
    return written(path, "run,question,outcome,topic" + (",confidence" if confidence else ""), rows)


def diff_files(folder: Path) -> list[object]:
    """Two runs on 80 questions that both have, two that only the old one has, and one that only the new one has."""
    table = outcome_table(folder / "two.csv", {"old": MOVED[::2], "new": MOVED[1::2]})
    with table.open("a") as more:
        more.write("old,only1,correct,red\nold,only2,unanswered,red\nnew,fresh,incorrect,blue\n")
    return [table, "--baseline", "old", "--missing", "common"]


def hostile_files(folder: Path) -> list[Path]:
    """A collection whose questions, answers, names and topics try to get out, and two runs."""
    asked = [
        {"id": f"{i} {text[:3000]}", "question": text, "answers": ["right"], "topic": HOSTILE[i % 2]}
        for i, text in enumerate(HOSTILE)
    ]
    files = [folder / "questions.jsonl"]
    files[0].write_text("".join(json.dumps(q) + "\n" for q in asked))
    for name in ("<b onclick=alert(1)>bold", "plain"):
        answers = [{"id": q["id"], "answer": q["question"] if name == "plain" else "right"} for q in asked]
        files.append(folder / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(a) + "\n" for a in answers))
    return files


def answers_table(folder: Path) -> Path:
    """Three runs on 200 questions with texts, confidences and candidates, made by a rule."""
    rows = []
    for r, name in enumerate(("alpha", "beta", "gamma")):
        for i in range(200):
            kind = (i * 7 + r * 3 + i // 13) % 5
            outcome = ("correct", "incorrect", "unanswered", "correct", "incorrect")[kind]
            candidate = ("correct" if (i + r) % 3 else "incorrect") if outcome == "unanswered" else ""
            text = "" if outcome == "unanswered" else f"answer {i} of {name}"
            sure = ((i * 37 + r * 11) % 100) / 100
            rows.append(
                f"{name},q{i:03},{outcome},{sure},{candidate},What is {i}?,number {i},{text},because of rule {kind}"
            )
    head = "run,question,outcome,confidence,candidate,question_text,gold,prediction,reason"
    return written(folder / "answers.csv", head, rows)


def inherited_table(folder: Path) -> Path:
    """Runs and questions with names that every object of JavaScript has, and strata that are alike for 80 letters."""
    rows = []
    for r, name in enumerate(INHERITED):
        for i, question in enumerate((*INHERITED, "e\u0301", "\u00e9", "last")):
            strata = {"__proto__": INHERITED[i % 5], "c" * 90 + "1": i % 2, "c" * 90 + "2": i // 4}
            outcome = ("correct", "incorrect", "unanswered")[(r + i) % 3]
            rows.append(json.dumps({"run": name, "question": question, "outcome": outcome, **strata}))
    return written(folder / "table.jsonl", rows[0], rows[1:])


def matrix(folder: Path) -> list[Path]:
    """The average precision of the first 20 runs of TREC-8 on its 50 topics."""
    path = SHARED / "trec_matrices" / "adhoc8_ap.csv"
    if not path.exists():
        return [path]
    rows = [",".join(line.split(",")[:20]) for line in path.read_text().splitlines()]
    return [written(folder / "matrix.csv", rows[0], rows[1:])]


FOUR = {"first": "CCCWU", "second": "CCWWU", "third": "CCCWW", "fourth": "CWWWU"}
MANY = {f"vendor-model-family-{i % 4}-of-size-{i:03}b-instruct": "C" * (90 - i) + "W" * (20 + i) + "U" * 10
        for i in range(45)}  # fmt: skip
TWELVE = {f"a-system-with-a-name-{i}": "CW"[: 1 + i % 2].ljust(3, "CU"[i % 2]) * 60 for i in range(12)}
# The arguments of `nescio report` by the kind of page.
KINDS: dict[str, Callable[[Path], Sequence[object]]] = {
    "three": lambda folder: [outcome_table(folder / "three.csv", THREE, confidence=True), "--by", "topic"],
    "diff": diff_files,
    "hostile": lambda folder: [*hostile_files(folder), "--by", "topic", "--title", HOSTILE[0]],
    "hostile diff": lambda folder: [*hostile_files(folder), "--baseline", "<b onclick=alert(1)>bold"],
    "four": lambda folder: [
        outcome_table(folder / "four.csv", {f"{LONG}{name}": one * 40 for name, one in FOUR.items()}, confidence=True)
    ],
    "many": lambda folder: [outcome_table(folder / "many.csv", MANY, confidence=True)],
    "twelve": lambda folder: [outcome_table(folder / "t.csv", TWELVE, confidence=True), "--by", "topic"],
    "answers": lambda folder: [answers_table(folder)],
    "inherited": lambda folder: [inherited_table(folder), "--by", "__proto__"],
    "outcomes": lambda _: [EXAMPLES / "outcomes.csv"],
    "polymer": lambda _: [SHARED / "logs" / "lm_eval" / "polymer_tg_mae_infinity"],
    "matrix": matrix,
}


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str], Path]:
    """Pages by their kind, in a folder with their files: all processes of a run share them."""
    root = tmp_path_factory.getbasetemp()
    root = (root if worker_id == "master" else root.parent) / "pages"

    def page(kind: str) -> Path:
        folder = root / kind.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "page.html").exists():
                arguments = KINDS[kind](folder)
                if isinstance(arguments[0], Path) and not arguments[0].exists():
                    pytest.skip(f"{arguments[0]} is not here")
                make(folder / "made.html", *arguments).rename(folder / "page.html")
        return folder / "page.html"

    return page


# --- What a page holds for its scripts.


def embedded(page: Path | str) -> Any:
    """The data of a page."""
    text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a figure's data by their columns."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS)


def marks(page: Path | str, name: str = "cells") -> dict[str, list[int]]:
    """Of each question what a page holds of each run: two numbers below 16 a byte, question by question."""
    held = embedded(page)["browser"]
    halves = [half for byte in inflated(held[name]) for half in (byte & 15, byte >> 4)]
    k = len(held["runs"])
    return {one: halves[i * k : (i + 1) * k] for i, one in enumerate(json.loads(inflated(held["questions"])))}


# --- What tests do in a browser.


@pytest.fixture(scope="module")
def script(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that holds nothing but the scripts of the tests' module (`SCRIPTS`)."""
    page = chromium.new_page()
    for path in request.module.SCRIPTS:
        page.add_script_tag(content=path.read_text(encoding="utf-8"))
    yield page
    page.close()


def assert_text(page: Any, where: str, shown: str) -> None:
    """An element comes to say this."""
    from playwright.sync_api import expect

    expect(page.locator(where)).to_have_text(shown, timeout=20_000)


def assert_count(page: Any, shown: str) -> None:
    """So many questions come to be shown: a changed address, and what is typed, are heard of a moment later."""
    assert_text(page, "#f-count", shown)


def assert_address(page: Any, end: str) -> None:
    """The address comes to end so."""
    from playwright.sync_api import expect

    expect(page).to_have_url(re.compile(re.escape(end) + "$"), timeout=20_000)


def still(page: Any) -> None:
    """Nothing fades any more, and what a scroll or a pointer began is drawn."""
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        ".then(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0))))"
    )


def downloaded(page: Any, button: Any) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        button.click()
    return list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))


def in_sight(page: Any, cell: str = ".name bdi") -> list[str]:
    """Of the rows of questions in sight, from above, one cell."""
    return list(
        page.evaluate(
            "(cell) => [...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== 'none')"
            ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.querySelector(cell).textContent)",
            cell,
        )
    )


def assert_fits(page: Any, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def assert_accessible(page: Any, within: str = "body") -> None:
    """axe-core finds nothing. Drawings are emptied first: they are hidden from assistive technology, which a test of
    `cleaned` holds them to, and axe would spend seconds on walking them."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("[...document.querySelectorAll('.plot svg')].every((svg) => svg.ariaHidden === 'true')")
    page.evaluate("document.querySelectorAll('.plot svg > *').forEach((part) => part.remove())")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "(within) => axe.run(within, { resultTypes: ['violations'] }).then((all) => all.violations)", within
    )
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []
