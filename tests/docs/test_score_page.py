"""The page of the site that scores a table: in the browser, offline, with Python's figures, and safe from what it is given."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

import nescio
from tests.browser import Opened
from tests.rings import many

from .console import ROOT
from .test_site import PROGRAM, needs_zensical, violations

pytestmark = [pytest.mark.slow, needs_zensical]
OUTCOMES = ("correct", "incorrect", "unanswered")
SMALL = {"width": 375, "height": 800}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page alone, built as the site is."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs" / "assets", folder / "docs" / "assets")
    text = (ROOT / "docs" / "score.md").read_text(encoding="utf-8")
    (folder / "docs" / "score.md").write_text(re.sub(r"\]\((?!http)[^)]*\)", "](score.md)", text), encoding="utf-8")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    config |= {"nav": [{"Score": "score.md"}], "plugins": ["search"]}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    subprocess.run([PROGRAM, "build"], cwd=folder, check=True, capture_output=True, timeout=120)
    return folder / "site" / "score.html"


def assert_quiet(opened: Opened, page: Path) -> None:
    """Nothing went wrong, and nothing was asked for outside the folder of the site."""
    no_search = "Failed to load resource: net::ERR_FILE_NOT_FOUND"  # of the site, which has it on a server alone
    assert [said for said in opened.trouble if said != no_search] == []
    assert [asked for asked in opened.requests if not asked.startswith(f"file://{page.parent}/")] == []


def give(opened: Opened, name: str, text: str | bytes) -> None:
    """Choose a file, as a drop does."""
    data = text.encode() if isinstance(text, str) else text
    opened.page.evaluate("document.querySelector('#score').ariaBusy = 'true'")  # before the page hears of the file
    opened.page.set_input_files("#score-file", {"name": name, "mimeType": "text/plain", "buffer": data})
    opened.page.wait_for_selector("#score[aria-busy=false]")


def rows(opened: Opened, label: str) -> dict[str, list[float]]:
    """All figures of a table of the page, with every digit, by the name of the row."""
    found = opened.page.locator(f'#score [aria-label="{label}"] tbody tr').evaluate_all(
        "(rows) => rows.map((row) => [row.querySelector('th').textContent, "
        "[...row.querySelectorAll('data')].map((one) => Number(one.value))])"
    )
    return dict(found)


def assert_as_python(opened: Opened, path: Path, **options: Any) -> None:
    """The table of the page has the runs and the figures of Python, to the last bits."""
    scores, found = nescio.score(path, ["c@1", "accuracy", "coverage"], mark=False, **options), rows(opened, "Scores")
    assert set(found) == {row.run for row in scores}
    for run, figures in found.items():
        held = [scores[run, name] for name in ("c@1", "accuracy", "coverage")]
        expected = [value for row in held for value in (row.value, row.low, row.high)]
        assert figures[:9] == pytest.approx(expected, abs=1e-12, rel=0), (path, run)


def generated(seed: int) -> str:
    """A table of two or three runs, as CSV with one of its separators or as JSON Lines, its rows in any order."""
    draw = random.Random(seed)
    shares = {run: [draw.random() for _ in OUTCOMES] for run in ("café", "b, the 2nd", "ψ")[: draw.choice([2, 3])]}
    n = draw.choice([6, 40, 333])
    cells = [(run, f"q{i}", draw.choices(OUTCOMES, own)[0]) for run, own in shares.items() for i in range(n)]
    draw.shuffle(cells)
    if seed % 5 == 0:
        lines = [json.dumps(dict(zip(("run", "question", "outcome"), row, strict=True))) for row in cells]
        return "\n".join(lines) + "\n"
    separator, end = draw.choice(",;\t"), draw.choice(["\n", "\r\n"])
    quoted = [[f'"{cell}"' if "," in cell else cell for cell in row] for row in cells]
    return end.join(separator.join(row) for row in [["run", "question", "outcome"], *quoted]) + end


def test_tables_have_pythons_figures(tmp_path: Path, page: Path, visit: Any) -> None:
    opened: Opened = visit(page)
    for seed in range(many(12, 50)):
        text = generated(seed)
        kind = "jsonl" if seed % 5 == 0 else "tsv" if "\t" in text else "csv"
        path = tmp_path / f"{seed}.{kind}"
        path.write_bytes(text.encode())
        give(opened, path.name, text)
        assert_as_python(opened, path)
        found = rows(opened, "Scores")
        first, second = list(found)[:2]
        (row,) = nescio.compare(path, "c@1", baseline=second, run=first)
        difference, *ends, p = rows(opened, "Differences")["c@1"]
        assert [difference, *ends, p] == pytest.approx(
            [row.difference, *([] if row.low != row.low else [row.low, row.high]), row.p], abs=1e-12, rel=1e-10
        )
    assert_quiet(opened, page)


def test_a_file_can_be_dropped(page: Path, visit: Any) -> None:
    opened: Opened = visit(page)
    held = opened.page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["run,question,outcome\\na,1,correct\\na,2,unanswered\\n"], "dropped.csv"));
            return data;
        }"""
    )
    opened.page.dispatch_event("#score .drop", "drop", {"dataTransfer": held})
    opened.page.wait_for_selector("#score .figures table")
    assert rows(opened, "Scores")["a"][0] == 0.75  # (1 + 1 · 1/2)/2
    assert "nescio score dropped.csv" in opened.page.inner_text("#score .next")


UNSURE = "Wer;Was;Wie\nA;1;ja\nA;2;nein\nB;1;keine\nB;2;ja\n"


def test_what_is_unsure_is_asked_and_the_command_says_what_was_answered(tmp_path: Path, page: Path, visit: Any) -> None:
    opened: Opened = visit(page)
    give(opened, "mine.csv", UNSURE)
    asked = opened.page.locator("#score .asks label")
    assert asked.count() == 3
    assert opened.page.locator("#score .figures").is_hidden()
    for column in ("Wer", "Was", "Wie"):
        opened.page.locator("#score .asks select").nth(("Wer", "Was", "Wie").index(column)).select_option(label=column)
    assert asked.count() == 6
    assert opened.page.locator("#score .figures").is_hidden()  # words are not guessed, either
    for place, meaning in zip((3, 4, 5), OUTCOMES, strict=True):
        opened.page.locator("#score .asks select").nth(place).select_option(meaning)
    assert rows(opened, "Scores")["A"][-4:] == [1, 1, 0, 2]
    assert rows(opened, "Scores")["B"][-4:] == [1, 0, 1, 2]
    assert [rows(opened, "Scores")[run][0] for run in "AB"] == [0.5, 0.75]  # (1 + 0)/2 and (1 + 1 · 1/2)/2
    (tmp_path / "mine.csv").write_text(UNSURE)
    command = opened.page.locator("#score .next code").first.inner_text()
    _, _, name, *words = shlex.split(command)
    options = dict(word.split("=") for word in words if "=" in word)
    columns = {key: options[key] for key in ("run", "question", "outcome")}
    meanings = {word: options[word] for word in ("ja", "nein", "keine")}
    found = nescio.score(tmp_path / name, "c@1", column=columns, outcome_map=meanings, ci=None)
    assert [row.value for row in found] == [0.5, 0.75]


HEAD = "run,question,outcome"
TWO = f"{HEAD}\na,1,correct\na,2,unanswered\nb,1,incorrect\n"
OPEN = f"{HEAD},answerable\na,1,correct,true\na,2,unanswered,false\na,3,incorrect,0\n"
CLUSTERS = f"{HEAD},cluster\n" + "".join(f"a,{i},{OUTCOMES[i % 7 % 3]},{i % 4}\n" for i in range(30))
ASKED: list[tuple[str, list[str], dict[str, Any]]] = [
    (TWO, ["unanswered"], {"missing": "unanswered"}),
    (TWO, ["common"], {"missing": "common"}),
    (OPEN, ["correct"], {}),
    (f"{OPEN}a,4,unanswered,1\n", ["exclude"], {"unanswerable": "exclude"}),
    (CLUSTERS, [], {}),
    ("Modell,Frage-Nr.,Urteil\na,1,correct\na,2,unanswered\n", [], {}),  # names that the command line knows
]


@pytest.mark.parametrize(("text", "answers", "options"), ASKED)
def test_what_is_answered_has_the_figures_of_the_options(
    text: str, answers: Sequence[str], options: dict[str, Any], tmp_path: Path, page: Path, visit: Any
) -> None:
    opened: Opened = visit(page)
    give(opened, "t.csv", text)
    assert opened.page.locator("#score .asks select").count() == len(answers)
    for place, answer in enumerate(answers):
        assert opened.page.locator("#score .figures").is_hidden()
        opened.page.locator("#score .asks select").nth(place).select_option(answer)
    (tmp_path / "t.csv").write_text(text)
    assert_as_python(opened, tmp_path / "t.csv", **options)
    assert_quiet(opened, page)


def test_four_counts_that_do_not_add_up_are_refused(page: Path, visit: Any) -> None:
    opened: Opened = visit(page)
    opened.page.get_by_text("Type four counts instead").click()
    for place, value in enumerate(("237", "156", "107", "500")):
        opened.page.fill(f"#score-n{place}", value)
    opened.page.click("#score .count")
    assert "0.575 [0.527, 0.622]" in opened.page.inner_text("#score .figures")  # the paper's c@1 of 0.58
    assert "nescio c@1 237 156 107" in opened.page.inner_text("#score .next")
    opened.page.fill("#score-n3", "501")
    opened.page.click("#score .count")
    assert opened.page.inner_text("#score .problem") == "Line 2: n is 501, and the three counts add up to 500"
    assert opened.page.locator("#score .figures").is_hidden()


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "there is nothing in it"),
    "no table": (b"\x89PNG\r\n\x1a\n\xff\xfe\x00", "not text in UTF-8"),
    "latin 1": ("run,question,outcome\ncafé,1,correct\n".encode("latin-1"), "not text in UTF-8"),
    "one column": ("run\na\n", "one column"),
    "names alone": ("run,question,outcome\n", "no row"),
    "short row": ("run,question,outcome\na,1,correct\na,2\n", "Line 3: this row has 2 cells"),
    "open quote": ('run,question,outcome\na,"1,correct\n', "Line 2: a quotation mark is opened"),
    "twice": ("run,question,outcome\na,1,correct\n\na,1,correct\n", "Line 4: question \"1\" of run \"a\" appears twice; first on line 2"),
    "bad line": ('{"run": "a", "question": 1, "outcome": "correct"}\n{"run": \n', "Line 2: this is not valid JSON"),
    "no question": ("run,correct,incorrect,unanswered\na,0,0,0\n", "Line 2: there is not a single question"),
    "asked again": ("run,question,repeat,outcome\na,1,1,correct\n", "asked several times"),
}  # fmt: skip


def test_a_broken_file_gets_one_message_and_no_figures(page: Path, visit: Any) -> None:
    opened: Opened = visit(page)
    for what, (text, message) in BROKEN.items():
        give(opened, "good.csv", "run,question,outcome\na,1,correct\n")
        assert opened.page.locator("#score .figures").is_visible()
        give(opened, "t.csv", text)
        assert message in opened.page.inner_text("#score .problem"), what
        assert opened.page.locator("#score .figures").is_hidden(), what
    assert_quiet(opened, page)


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "=1+1",
    "__proto__",
    "constructor",
    "\u202eevil",
    "x" * 5000,
    "'; rm -rf /",
]


def test_hostile_names_stay_text(page: Path, visit: Any) -> None:
    opened: Opened = visit(page, viewport=SMALL)
    opened.page.on("dialog", lambda box: opened.trouble.append(box.message))
    cells = [(run, f"{question} {i}", "correct") for run in HOSTILE for i, question in enumerate(HOSTILE)]
    text = "\n".join(json.dumps({"run": r, "question": q, "outcome": o, "__proto__": 1}) for r, q, o in cells)
    give(opened, "'$(touch x)'.jsonl", text)
    assert opened.page.locator("#score .figures table").first.locator("tbody tr").count() == len(HOSTILE)
    assert opened.page.locator("#score img").count() == 0
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    assert r"nescio score ''\''$(touch x)'\''.jsonl'" in opened.page.inner_text("#score .next")
    assert_quiet(opened, page)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_the_page_is_accessible_and_fits(width: int, scheme: str, page: Path, visit: Any) -> None:
    opened: Opened = visit(page, viewport={"width": width, "height": 800}, color_scheme=scheme)
    for text in (None, UNSURE, "x", "run,question,outcome,answerable\na,1,correct,true\nb,1,unanswered,true\n"):
        opened.page.click("#score .example") if text is None else give(opened, "t.csv", text)
        assert violations(opened.page, "'#score'") == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
