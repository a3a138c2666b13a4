"""Names and texts that JavaScript, a shell, Markdown, LaTeX or a terminal could take for something else."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nescio.reporting import charts, latex
from nescio.reporting.grid import make_grid
from nescio.reporting.layout import shortened
from nescio.reporting.markdown import markdown_code, markdown_table
from nescio.reporting.numbers import number, signed
from nescio.reporting.page import browser, drawing
from nescio.reporting.page.browser import Seen
from nescio.reporting.page.commands import Commands
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.shown_text import as_json, isolated, names, run_names
from nescio.text import command_text, enumerated, sanitize
from tests.notes import in_words
from tests.reporting.files import HOSTILE, INHERITED, make, written


def figure(name: str) -> Figure:
    rows = ({"run": name, "value": 0.5, "low": 0.4, "high": 0.6, "tip": name},)
    return Figure("one", name, "", name, rows, lambda width: charts.intervals(rows, [name], width, name), "nescio")


@pytest.mark.parametrize("name", [*INHERITED, "isPrototypeOf", "__defineGetter__", "a\x00b", "\x1b[31m", "a\ud800b"])
def test_a_chart_is_drawn_whatever_its_names_are(name: str) -> None:
    drawn = drawing.drawn([figure(name)])["one"]
    shown = sanitize(name, target="line")
    assert shown in str(drawn.wide)
    assert drawn.title.isprintable()
    assert drawing.table(figure(name))["rows"][0][0] == shown


def test_a_figure_is_written_in_every_form(tmp_path: Path) -> None:
    assert drawing.write_figures([figure("run")], tmp_path / "figures") == ["one"]
    files = {path.name: path for path in (tmp_path / "figures").iterdir()}
    assert {*files} == {f"one.{end}" for end in ("svg", "pdf", "png", "csv")}
    assert files["one.pdf"].read_bytes().startswith(b"%PDF")
    assert files["one.csv"].read_text() == "run,value,low,high,tip\nrun,0.5,0.4,0.6,run\n"


def test_small_figures_stay_figures_in_the_data() -> None:
    rows = ({"p": 3.21987e-12, "difference": 0.12345678, "low": -0.0001234567, "high": float("nan")},)
    held = drawing.table(Figure("one", "", "", "", rows, lambda width: width, ""))
    assert held["rows"] == [[3.22e-12, 0.123457, -0.0001235, None]]


def test_a_drawing_says_names_as_text_and_whose_its_marks_are() -> None:
    name = "<script>x</script>"
    svg = str(drawing.drawn([figure(name)], [name])["one"].wide)
    assert "<script" not in svg
    assert 'data-run="0"' in svg
    assert 'data-tip="&lt;script&gt;x&lt;/script&gt;"' in svg
    assert 'aria-hidden="true" focusable="false"' in svg


def test_long_texts_of_many_strata_are_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    strata = {"story": np.array([f"{i} " + "x" * 1000 for i in range(100)], dtype=object)}
    seen = Seen(["a"], [f"q{i}" for i in range(100)], np.ones((1, 100), dtype=np.uint8), strata)
    for most, longest, note in (
        (browser.MOST_TEXT, 450, ()),
        (20_000, 140, ("story: cut to 100 characters in this page",)),
        (100, 0, ("story: too long for one page and left out of it",)),
    ):
        monkeypatch.setattr(browser, "MOST_TEXT", most)
        made, notes = browser.browser(seen)
        assert made is not None
        assert in_words(notes) == note
        texts = [text for stratum in made.payload["further"] for text in stratum["texts"]]
        assert max(map(len, texts), default=0) <= longest
        assert len(texts) == (100 if longest else 0)


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


@pytest.mark.slow
def test_the_commands_of_a_page_run(tmp_path: Path) -> None:
    rows = [f"-{run},{question},correct" for run in "ab" for question in "xyz"]
    table = written(tmp_path / "it's $x \u202e.csv", "run,question,outcome", rows)
    text = make(tmp_path / "page.html", table).read_text(encoding="utf-8")
    commands = {html.unescape(one) for one in re.findall(r'<pre tabindex="0"><code>(nescio [^<\n]*)', text)}
    counted = next(command for command in commands if command.startswith("nescio check"))
    nescio = f'nescio() {{ {shlex.quote(sys.executable)} -m nescio "$@"; }}'
    program = f"cd {shlex.quote(str(tmp_path))} && {nescio}; {counted}"
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
        ("a|b`c<d", r"a\|b\`c&lt;d"),
        ("+0.1 [-0.2, 0.4]", "+0.1 [-0.2, 0.4]"),
        ("\\_", r"\\\_"),
    ],
)
def test_a_name_is_no_markdown(name: str, shown: str) -> None:
    assert markdown_table(make_grid(["run"], [[name]], [True])).splitlines()[-1] == f"| {shown} |"


def test_code_in_markdown_ends_where_it_should() -> None:
    assert markdown_code("a`b\nc") == "`` a`b c ``"
    assert markdown_code("plain") == "`plain`"


def test_texts_keep_letters_and_lose_what_moves_them() -> None:
    family, persian = "\U0001f468\u200d\U0001f469", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    for text, shown in (
        (family, family),
        (persian, persian),
        ("a\u00a0b\u3000c", "a b c"),
        ("\U0001fae8", "\U0001fae8"),  # Unicode 15, newer than Python 3.11 knows
        ("\u202ea\x1b\u2028\ud800", "\ufffda\ufffd\ufffd\ufffd"),
    ):
        assert sanitize(text, target="line") == shown
    assert sanitize("a\x00b\x1b[1m\u202ec\ud800", target="page") == "a\ufffdb\ufffd[1m\ufffdc\ufffd"
    assert sanitize(HOSTILE[3], target="page") == HOSTILE[3]  # joiners hold an emoji together
    assert sanitize("x" * 100_000, 10, target="page") == "xxxxxxxxxx… (99,990 more characters)"
    assert latex.escape("a\u200db") == "ab"
    assert len(set(names(["x" * 500, "x" * 501, "", "x" * 500 + "\0"]))) == 4
    assert json.loads(as_json(list(HOSTILE))) == list(HOSTILE)
    assert not set("<>&\u2028\u2029") & set(as_json(list(HOSTILE)))
    assert [enumerated(list(one)) for one in ("a", "ab", "abcdefg")] == ["a", "a and b", "a, b, c and 4 more"]


def test_names_from_right_to_left_do_not_turn_figures_round() -> None:
    """Without isolation "X 0.187; Y 0.200" would be read with 0.200 before Y, as Y draws the digits to its left."""
    arabic, han = "نموذج-أول", "模型二"
    shown = f"{han} 0.187; \u2068{arabic}\u2069 0.200"
    assert isolated(f"{han} 0.187; {arabic} 0.200", [han, arabic]) == shown
    both = f"\u2068{arabic}-2\u2069 and \u2068{arabic}\u2069"
    assert isolated(f"{arabic}-2 and {arabic}", [arabic, f"{arabic}-2"]) == both
    assert isolated("plain 1", ["plain"]) == "plain 1"


@pytest.mark.parametrize(
    ("runs", "shown", "left_out"),
    [
        (["exp-2025/llama-3-8b-seed1", "exp-2025/qwen-2-7b-seed1"], ["llama-3-8b", "qwen-2-7b"], "exp-2025/…-seed1"),
        (["mine", "mine-2"], None, ""),  # short names keep all
        (["a-model-of-some-size-", "a-model-of-some-size-2"], None, ""),  # nothing of the first would be left
        (["first-model-with-a-name", "second-model-with-a-name"], ["first", "second"], "…-model-with-a-name"),
        (["only-one-run-of-this-very-long-name"], None, ""),
        (["runs/gpt-4o-2024-08-06", "runs/gpt-4o-2024-11-20"], ["08-06", "11-20"], "runs/gpt-4o-2024-…"),
    ],
)
def test_names_leave_out_what_all_share(runs: list[str], shown: list[str] | None, left_out: str) -> None:
    assert run_names(runs) == (shown or runs, left_out)


def test_what_tells_names_apart_is_not_cut() -> None:
    models = ["Meta-Llama-3_1-70B-Instruct", "Meta-Llama-3_1-8B-Instruct", "Mixtral-8x7B-Instruct-v0.1", "short"]
    for width in (20, 16):
        short = shortened(models, width)
        assert "70B" in short[models[0]]
        assert "8B" in short[models[1]]
        assert all(len(name) <= width for name in short.values())
        assert len(set(short.values())) == 3


def test_numbers_without_bounds_are_not_written_out() -> None:
    assert [number(value) for value in (1e308, -1234567.8, -0.0, -1e-9, float("nan"))] == [
        *("1.00e+308", "-1.23e+06", "0.000", "0.000", "undefined"),
    ]
    assert signed(-1e300) == "-1.00e+300"
