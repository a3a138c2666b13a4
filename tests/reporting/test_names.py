"""Names that JavaScript, a shell, Markdown or a terminal could take for something else."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nescio.reporting import charts, latex
from nescio.reporting.grid import make_grid
from nescio.reporting.markdown import _MARKDOWN, markdown_code, markdown_table
from nescio.reporting.numbers import number, signed
from nescio.reporting.page import browser, drawing
from nescio.reporting.page.browser import Seen
from nescio.reporting.page.commands import Commands
from nescio.reporting.page.figure import Figure
from nescio.text import command_text, sanitize
from tests.browser import Opened
from tests.notes import in_words
from tests.reporting.conftest import make
from tests.reporting.test_page_browser import assert_address, assert_count, search

INHERITED = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty")
LONG = "c" * 90


@pytest.fixture(scope="module")
def inherited_names_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of runs and questions with names that every object of JavaScript has, and strata that are alike for
    80 letters."""
    folder = tmp_path_factory.mktemp("inherited")
    with (folder / "table.jsonl").open("w") as file:
        for r, run in enumerate(INHERITED):
            for i, question in enumerate((*INHERITED, "e\u0301", "\u00e9", "last")):
                outcome = ("correct", "incorrect", "unanswered")[(r + i) % 3]
                strata = {"__proto__": INHERITED[i % 5], LONG + "1": i % 2, LONG + "2": i // 4}
                file.write(json.dumps({"run": run, "question": question, "outcome": outcome, **strata}) + "\n")
    return make(folder / "page.html", folder / "table.jsonl", "--by", "__proto__")


def figure(name: str) -> Figure:
    rows = ({"run": name, "value": 0.5, "low": 0.4, "high": 0.6, "tip": name},)
    return Figure("one", name, "", name, rows, lambda width: charts.intervals(rows, [name], width, name), "nescio")


@pytest.mark.parametrize("name", [*INHERITED, "isPrototypeOf", "__defineGetter__", "a\x00b", "\x1b[31m", "a\ud800b"])
def test_a_chart_is_drawn_whatever_its_names_are(name: str) -> None:
    drawn = drawing.drawn([figure(name)])["one"]
    shown = sanitize(name, target="line")
    assert shown in str(drawn.wide).replace("\u2060", "")
    assert drawn.title.isprintable()
    assert drawing.table(figure(name))["rows"][0][0] == shown


def test_small_figures_stay_figures_in_the_data() -> None:
    rows = ({"p": 3.21987e-12, "difference": 0.12345678, "low": -0.0001234567, "high": float("nan")},)
    held = drawing.table(Figure("one", "", "", "", rows, lambda width: width, ""))
    assert held["rows"] == [[3.22e-12, 0.123457, -0.0001235, None]]


def test_inherited_names_are_names(inherited_names_page: Path, visit: Any) -> None:
    opened: Opened = visit(inherited_names_page)
    page = opened.page
    assert_count(page, "All 8 questions")
    assert {"constructor", "__proto__"} <= set(page.locator("#board tbody th").all_inner_texts())
    search(page, "constructor")
    assert_count(page, "2 of 8 questions")  # the question, and \u00e9, which is in that part
    search(page, "\u00e9")  # composed or not, it is one letter
    assert_count(page, "2 of 8 questions")
    opened.assert_quiet()


def test_strata_that_are_alike_once_shortened_have_filters_of_their_own(inherited_names_page: Path, visit: Any) -> None:
    page = visit(inherited_names_page).page
    page.select_option("#f-facet-1", label="1")  # every second question
    assert_count(page, "4 of 8 questions")
    again = visit(inherited_names_page, "#" + page.url.partition("#")[2]).page
    assert_count(again, "4 of 8 questions")
    assert [again.input_value(f"#f-facet-{i}") for i in (1, 2)] == ["1", ""]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("run=guesser|9", "150 of 300 questions"),  # no outcome has this number: the first one
        ("run=nobody|1&runs=toString&order=constructor&in.topic=__proto__", "All 300 questions"),
        ("search=" + "q00%20" * 20_000, "10 of 300 questions"),
        ("run=guesser%7C1&" * 2_000, "150 of 300 questions"),
        ("search=%00%FF%ED%A0%80", "0 of 300 questions"),
        ("%", "All 300 questions"),
    ],
)
def test_an_address_that_someone_tampered_with(three_runs_page: Path, visit: Any, address: str, shown: str) -> None:
    opened: Opened = visit(three_runs_page, "#questions?" + address)
    assert_count(opened.page, shown)
    assert opened.page.locator(".pair").count() <= 20
    opened.assert_quiet()


def test_back_and_forward_bring_back_the_filters(diff_page: Path, visit: Any) -> None:
    page = visit(diff_page).page
    page.click(".card.won a")
    assert_count(page, "8 of 83 questions")
    page.click(".card.lost a")
    assert_count(page, "7 of 83 questions")
    page.go_back()
    assert_count(page, "8 of 83 questions")
    page.go_back()  # to an address without filters
    assert_count(page, "All 83 questions")
    page.go_forward()
    assert_count(page, "8 of 83 questions")
    page.click("nav a[href='#how']")
    assert_address(page, "#questions?change=won")  # the address still says what is shown
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('section').id") == "how"


def test_without_javascript_nothing_pretends_to_work(three_runs_page: Path, visit: Any) -> None:
    page = visit(three_runs_page, java_script_enabled=False).page
    for control in ("#theme", "#filters", "#grid", "button.download >> nth=0", ".own"):
        assert not page.is_visible(control)
    assert page.is_visible("noscript p")


def test_no_name_makes_the_filters_wider_than_the_screen(tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("run,question,outcome\n" + "".join(f"{c * 79},q,correct\n" for c in "WM"))
    opened: Opened = visit(make(tmp_path / "page.html", table), viewport={"width": 768, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 768


def test_long_texts_of_many_strata_are_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    questions = [f"q{i}" for i in range(100)]
    strata = {"story": np.array([f"{i} " + "x" * 1000 for i in range(100)], dtype=object)}
    seen = Seen(["a"], questions, np.ones((1, 100), dtype=np.uint8), strata)
    found, notes = browser.browser(seen)
    assert found is not None
    assert notes == ()
    monkeypatch.setattr(browser, "MOST_TEXT", 20_000)
    found, notes = browser.browser(seen)
    assert found is not None
    assert in_words(found.notes) == in_words(notes) == ("story: cut to 100 characters in this page",)
    assert len(found.payload["further"][0]["texts"][7]) < 140
    monkeypatch.setattr(browser, "MOST_TEXT", 100)
    found, notes = browser.browser(seen)
    assert found is not None
    assert found.payload["further"] == []
    assert in_words(notes) == ("story: too long for one page and left out of it",)


def test_a_command_line_is_taken_by_a_shell_as_it_was_given() -> None:
    words = ["it's $x `y`", "\x1b[31m'\\", "\udcff1", "\u202eb", "a\nb", "", "\u00e9\u2028", "-m"]
    said = command_text(["printf", "%s|", *words])
    assert said.isprintable()
    done = subprocess.run(["bash", "-c", said], capture_output=True, check=True)
    assert done.stdout == b"".join(os.fsencode(word) + b"|" for word in words)


def test_commands_name_files_whole_and_never_as_options() -> None:
    files = tuple(f"{'x' * 90}{i}.jsonl" for i in range(60))
    assert Commands(files).line("score").endswith(" " + files[-1])
    assert Commands(("-m.csv",)).line("score", "-m", "c@1") == "nescio score ./-m.csv -m c@1"


def test_the_commands_of_a_page_run(tmp_path: Path) -> None:
    table = tmp_path / "it's $x \u202e.csv"
    table.write_text("run,question,outcome\n" + "".join(f"-{r},{q},correct\n" for r in "ab" for q in "xyz"))
    text = make(tmp_path / "page.html", table).read_text(encoding="utf-8")
    commands = {html.unescape(found) for found in re.findall(r'<pre tabindex="0"><code>(nescio [^<\n]*)', text)}
    counted = next(command for command in commands if command.startswith("nescio check"))
    program = (
        f'cd {shlex.quote(str(tmp_path))} && nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}; {counted}'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"-a +3 +0 +0 ", done.stdout)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("__proto__", r"\_\_proto\_\_"),
        ("_em_", r"\_em\_"),
        ("run_1", "run_1"),
        ("[a](http://b)", r"[a]\(http://b)"),
        ("$x$", r"\$x\$"),
        ("+0.1 [-0.2, 0.4]", "+0.1 [-0.2, 0.4]"),
        ("\\_", r"\\\_"),
    ],
)
def test_a_name_is_no_markdown(name: str, shown: str) -> None:
    assert markdown_table(make_grid(["run"], [[name]], [True])).splitlines()[-1] == f"| {shown} |"
    assert set(_MARKDOWN) >= {"|", "`", "<"}


def test_code_in_markdown_ends_where_it_should() -> None:
    assert markdown_code("a`b\nc") == "`` a`b c ``"
    assert markdown_code("plain") == "`plain`"


def test_letters_keep_what_joins_them() -> None:
    family, persian = "\U0001f468\u200d\U0001f469", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert sanitize(family, target="line") == family
    assert sanitize(persian, target="line") == persian
    assert sanitize("a\u00a0b\u3000c", target="line") == "a b c"
    assert sanitize("\U0001fae8", target="line") == "\U0001fae8"  # Unicode 15, newer than Python 3.11 knows
    assert sanitize("\u202ea\x1b\u2028\ud800", target="line") == "\ufffda\ufffd\ufffd\ufffd"
    assert latex.escape("a\u200db") == "ab"


def test_numbers_without_bounds_are_not_written_out() -> None:
    assert number(1e308) == "1e+308"
    assert number(-1234567.8) == "-1234567.800"
    assert number(-0.0) == number(-1e-9) == "0.000"
    assert signed(-1e300) == "-1e+300"
    assert number(float("nan")) == "undefined"


def test_what_counts_as_silence_does_so_in_the_scores_of_the_questions_shown(tmp_path: Path, visit: Any) -> None:
    """Each run lacks two of four questions, one of which has no answer: there silence is right."""
    table = tmp_path / "half.csv"
    rows = ["a,q1,correct,true", "a,q2,incorrect,false", "b,q3,correct,true", "b,q4,incorrect,false"]
    table.write_text("run,question,outcome,answerable\n" + "\n".join(rows) + "\n")
    page = visit(make(tmp_path / "diff.html", table, "--baseline", "a", "--missing", "unanswered")).page
    page.locator("#own tbody tr").nth(1).wait_for()
    shown = [text.split("\n")[0] for text in page.locator("#own tbody tr:first-child td").all_inner_texts()]
    # one right, one wrong, one silent, one rightly silent: accuracy 2/4, c@1 (2 + 2/4)/4, coverage 2/4
    assert shown == ["0.625", "0.500", "0.500", "4"]
    assert page.locator(".legend .rare0").is_visible()
    assert page.locator("#moves td").last.inner_text() == "0"
