"""Pages and figures at once: a temporary page of anything that can be read, a served one, and drawings as files."""

from __future__ import annotations

import html
import json
import re
import shlex
import threading
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.errors import FormatError, NescioError, offer, opt
from nescio.options.edge import SAY, say
from nescio.verbs.view import Live, ViewRequest, server_of

from .conftest import EXAMPLES, Command, lines, written

SHARED = EXAMPLES.parents[1] / "shared" / "data"
TABLE = EXAMPLES / "outcomes.csv"


def test_view_writes_a_temporary_page(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = nescio("view", TABLE, "-m", "c@1", "--resamples", 100)
    assert found.status == 0, found.err
    (page,) = tmp_path.glob("nescio-*/report.html")
    assert opened == [page.as_uri()]
    assert f"opened {page}" in found.flat
    assert "connect-src" not in page.read_text()
    assert nescio("view", TABLE, "-m", "c@1", "--resamples", 100, "--no-show").status == 0
    assert len(opened) == 1


def test_a_report_without_a_name_is_report_html(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    found = nescio("report", TABLE, "-m", "c@1", "--resamples", 100, "--open")
    assert found.status == 0, found.err
    assert opened == [(tmp_path / "report.html").as_uri()]
    assert "wrote report.html" in found.err


# ---- a page that is served ----


def growing(path: Path, lengths: dict[str, int]) -> Path:
    rows = [f"{run},q{i},correct\n" for run, n in lengths.items() for i in range(n)]
    return written(path, "run,question,outcome\n" + "".join(rows))


@contextmanager
def served(live: Live) -> Iterator[str]:
    """The address of a page while it is served."""
    live.refresh()
    with server_of(live) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_served_page_follows_its_files_and_answers_this_machine_alone(tmp_path: Path) -> None:
    table = growing(tmp_path / "growing.csv", {"a": 20})
    said: list[str] = []
    before = SAY.set(said.append)
    live = Live(ViewRequest([table], ["accuracy"], resamples=100), say)
    SAY.reset(before)
    with served(live) as address:

        def get(path: str, **headers: str) -> str:
            request = urllib.request.Request(address + path, headers=headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read().decode())

        first, now = get("/"), json.loads(get("/version"))
        assert "a got 100.0% of 20 questions right" in first
        assert "connect-src" in first
        assert f'"version":"{now["version"]}"' in first.replace('"version": ', '"version":')
        assert not now["refused"]
        with table.open("a") as more:
            more.write("a,q20,right\n")  # an outcome is called otherwise
            more.write('a,q21,"inc')  # half a line
        then = json.loads(get("/version"))
        assert then["version"] == now["version"]
        assert then["refused"].startswith("not read at ")
        assert "not read this time: " in said[-1]  # from the server's thread
        table.write_text(table.read_text().replace("right\n", "correct\n") + 'orrect"\n')
        assert json.loads(get("/version"))["version"] != now["version"]
        assert "of 22 questions" in get("/")
        for path, headers in (("/", {"Host": "evil.example"}), ("/etc/passwd", {})):
            with pytest.raises(urllib.error.HTTPError) as refused:
                get(path, **headers)
            refused.value.close()


def test_a_page_that_is_served_waits_for_runs_and_files(tmp_path: Path) -> None:
    path = growing(tmp_path / "growing.csv", {"a": 50, "b": 41})
    live = Live(ViewRequest([path], resamples=50, missing="common"), lambda _: None)
    assert live.refresh()["version"]
    assert "updated" in live.text
    assert "41 of 50 questions, waiting for b" in live.text
    live = Live(ViewRequest([written(path, "")], resamples=50), lambda _: None)
    assert live.refresh()["refused"]
    assert "Waiting for files" in live.text
    growing(path, {"a": 1})
    assert live.refresh()["version"]
    assert "a scores" in re.sub("<[^>]+>", "", live.text)


@pytest.mark.slow
def test_the_browser_shows_what_came_while_it_opened(tmp_path: Path, visit: Any) -> None:
    table = growing(tmp_path / "growing.csv", {"a": 20, "b": 20})
    start = written(tmp_path / "start.html", "<!doctype html><title>start</title>")
    with served(Live(ViewRequest([table], resamples=50, missing="common"), lambda _: None)) as address:
        page = visit(start).page
        page.goto(f"{address}/")
        with table.open("a") as more:
            more.write("a,q20,incorrect\na,q21,incorrect\nb,q20,correct\n")
        page.locator("#live", has_text="21 of 22 questions, waiting for b").wait_for()
        assert "of 21 questions" in page.inner_text("#answer")
        with table.open("a") as more:
            more.write('b,q21,"half')
        page.locator("#live", has_text="not read at").wait_for()


# ---- a page of every file that can be read at all: what it assumes, and a command for each other reading ----


@pytest.fixture
def view(nescio: Command) -> Callable[..., str]:
    """A function that gives the page that a command shows."""

    def call(*words: object) -> str:
        shown = nescio("view", *words, "--no-show", "--resamples", 20)
        assert not shown.status, shown.err
        page = re.search(r"wrote (/\S+report.html)", shown.err.replace("\n  ", " "))
        assert page is not None
        return Path(page[1]).read_text(encoding="utf-8")

    return call


def assumed(page: str) -> str:
    banner = re.search(r'<section class="assumed".*?</section>', page, re.DOTALL)
    return html.unescape(banner[0]) if banner else ""


def others(page: str) -> list[list[str]]:
    """The words of the commands for other readings."""
    blocks = re.findall(r"<pre tabindex=\"0\"><code>(.*?)</code></pre>", assumed(page), re.DOTALL)
    return [shlex.split(line)[2:] for block in blocks for line in block.splitlines()]


N = range(12)
HEAD = "run,question,outcome\n"
SAMPLE = {"target": "4", "arguments": [], "resps": [["4"]], "filtered_resps": ["4"], "metrics": ["exact_match"]}
SAMPLE |= {"doc_hash": "d", "prompt_hash": "p", "target_hash": "t", "doc": {"question": "2+2?"}}  # type: ignore[dict-item]
FILTERED = [SAMPLE | {"doc_id": i, "filter": f, "exact_match": i % 2} for i in N for f in ("first", "second")]
# A file of each kind that means several things, or nothing that can be scored, and what the page says of it.
KINDS: dict[str, tuple[str | list[Any], str]] = {
    "graded.csv": (HEAD + "".join(f"a,q{i},{('pass', 'fail', 'skipped')[i % 3]} it\n" for i in N), ""),
    "letters.csv": (HEAD + "".join(f"a,q{i},{'CWU'[i % 3]}\n" for i in N), "nothing is scored"),
    "samples_sums_2026-01-01T00-00-00.jsonl": (FILTERED, "filter=first"),
    "part.csv": (HEAD + "".join(f"a,q{i},{'correct' if i % 3 else ''}\n" for i in N), "--ungraded exclude"),
    "missing.csv": (
        HEAD + "".join(f"{r},q{i},correct\n" for r in "ab" for i in N if r == "a" or i),
        "--missing unanswered",
    ),
    "answers.jsonl": ([{"id": f"q{i}", "answer": f"said {i} " + "x" * 900} for i in N], "nothing is scored"),
    "asked.jsonl": ([{"id": f"q{i}", "question": f"why {i}?", "answers": ["so"]} for i in N], "nothing is scored"),
    "twice.csv": (HEAD + "a,q1,correct\na,q1,incorrect\n" * 3, "--duplicates first"),
    "anything.csv": ("colour,size\n" + "".join(f"red{i},big{i}\n" for i in N), "nothing is scored"),
    "figures.json": ('{"accuracy": 0.5, "model": "m", "date": "2026-01-01"}', "nothing is scored"),
    "notes.txt": ("a line\n\nand another\n", "nothing is scored"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_score_refuses_opens_and_says_what_was_assumed(
    name: str, tmp_path: Path, view: Callable[..., str]
) -> None:
    content, says = KINDS[name]
    path = written(tmp_path / name, content) if isinstance(content, str) else lines(tmp_path / name, content)
    with pytest.raises(NescioError):
        package.score(path)
    page = view(path)
    assert assumed(page), "no banner"
    assert says in assumed(page)
    for words in others(page)[:2]:
        assert words[0] == path.name  # from the folder that holds the files
        assert view(path, *words[1:]) != page  # the command is of another reading


def test_what_a_page_assumes_of_files_of_the_examples(tmp_path: Path, view: Callable[..., str]) -> None:
    """Texts of answers are no runs: 107 texts cross 70 questions nowhere but where they were given."""
    (state,) = sorted((EXAMPLES / "logs" / "helm").iterdir())[0].glob("scenario_state.json")
    options = written(tmp_path / "options.csv", HEAD + "".join(f"a,q{i},{'ABC'[i % 3]}\n" for i in N))
    for path, said in (
        (state, "files beside it"),
        (EXAMPLES / "judged.csv", "--outcome-map W=incorrect"),
        (options, "C=unanswered"),
    ):
        page = assumed(view(path))
        assert said in page
        assert "run=answer" not in page
    assert not assumed(view(TABLE))


def test_a_file_that_is_not_there_or_holds_nothing_is_refused(nescio: Command, tmp_path: Path) -> None:
    empty, header = written(tmp_path / "empty.csv", ""), written(tmp_path / "header.csv", HEAD)
    for path in (tmp_path / "none.csv", empty, header):
        nescio("view", path, "--no-show").assert_refused(f"nescio: {path}")


def test_an_error_names_its_ways_out() -> None:
    ways = f"{opt('missing', 'common')}, {opt('column', {'run': 'model'})} or {opt('judge')}"
    error = FormatError("x", f"use {ways}{offer('column', {'run': 'name'})}")
    assert error.offers == (("missing", "common"), ("column", {"run": "model"}), ("column", {"run": "name"}))
    assert "name" not in str(error).split("or ")[1]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the checkout")
def test_real_logs_open(view: Callable[..., str]) -> None:
    page = view(*sorted((SHARED / "logs" / "lm_eval" / "gsm8k_phi3_10docs").glob("*.jsonl")))
    assert "filter=strict-match" in assumed(page)
    assert [words[-2:] for words in others(page)] == [["--choose", "filter=flexible-extract"]]


# ---- figures as files ----

PAPERS = EXAMPLES / "papers"
STABLE = ("meta", "stability", TABLE, "-m", "c@1", "-m", "UF", "--trials", "5", "--figure")
FIGURES: list[tuple[tuple[object, ...], set[str]]] = [
    (
        (*("ave", "score", PAPERS / "ave2007-de.xml"), *(PAPERS / f"iglockner_{i}.txt" for i in (1, 2)), "--roc"),
        {"iglockner_1", "iglockner_2", "right answers accepted (share)"},
    ),
    (
        ("read", "score", EXAMPLES / "developset", EXAMPLES / "student-run.response", "--ci", "none", "--figure"),
        {"read.recall", "read.precision", "read.AutSent", "student-run"},
    ),
    (STABLE, {"c@1", "UF", "proportion of ties", "error rate"}),
]


@pytest.mark.parametrize(("words", "shown"), FIGURES, ids=["a curve", "a series over the runs", "ties"])
def test_a_figure_of_a_paper_is_drawn(
    words: tuple[object, ...], shown: set[str], nescio: Command, tmp_path: Path
) -> None:
    path = tmp_path / "drawn.svg"
    said = nescio(*words, path)
    assert (said.status, f"wrote {path}" in said.flat) == (0, True)
    assert shown <= {"".join(node.itertext()) for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.slow
def test_figures_bring_no_report_of_their_own(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert nescio("report", TABLE, "-m", "c@1", "--resamples", 100, "--figures", "drawn").status == 0
    assert not (tmp_path / "drawn" / "report.html").exists()
