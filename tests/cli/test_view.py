"""The page at once: a temporary file, a default name, and a server that follows a growing log."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from nescio.options.edge import SAY, say
from nescio.verbs.view import Live, ViewRequest, _page, server_of

from .conftest import EXAMPLES, Command

TABLE = EXAMPLES / "outcomes.csv"


def test_view_writes_a_temporary_page(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = nescio("view", TABLE, "-m", "c@1", "--resamples", 100)
    assert found.status == 0, found.err
    (page,) = tmp_path.glob("nescio-*/report.html")
    assert opened == [page.as_uri()]
    assert f"opened {page}" in found.err
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


@pytest.mark.slow
def test_figures_bring_no_report_of_their_own(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert nescio("report", TABLE, "-m", "c@1", "--resamples", 100, "--figures", "drawn").status == 0
    assert not (tmp_path / "drawn" / "report.html").exists()


def test_a_served_page_follows_its_files_and_answers_this_machine_alone(tmp_path: Path) -> None:
    table = tmp_path / "growing.csv"
    table.write_text("run,question,outcome\n" + "".join(f"a,q{i},correct\n" for i in range(20)))
    said: list[str] = []
    before = SAY.set(said.append)
    live = Live(ViewRequest([table], ["accuracy"], resamples=100), say)
    SAY.reset(before)
    live.refresh()
    with server_of(live) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"

        def get(path: str, **headers: str) -> str:
            request = urllib.request.Request(address + path, headers=headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read().decode())

        first, now = get("/"), json.loads(get("/version"))
        assert "a got 100.0% of 20 questions right" in first
        assert "connect-src" in first
        assert f'"version": "{now["version"]}"' in first or f'"version":"{now["version"]}"' in first
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
            with pytest.raises(urllib.error.HTTPError):
                get(path, **headers)
        server.shutdown()


def test_a_page_that_is_served_says_which_run_it_waits_for(tmp_path: Path) -> None:
    table = tmp_path / "growing.csv"
    table.write_text(
        "run,question,outcome\n" + "".join(f"{r},q{i},correct\n" for i in range(50) for r in "ab"[: 1 + (i < 41)])
    )
    assert "updated" in (text := _page(ViewRequest([table], resamples=100, missing="common"), "1"))
    assert "41 of 50 questions, waiting for b" in text


def test_a_file_that_cannot_be_read_yet_is_waited_for(tmp_path: Path) -> None:
    (table := tmp_path / "empty.csv").write_text("")
    live = Live(ViewRequest([table], resamples=100), lambda _: None)
    assert live.refresh()["refused"]
    assert "Waiting for files" in live.text
    table.write_text("run,question,outcome\na,q1,correct\n")
    assert live.refresh()["version"]
    assert "a scores" in re.sub("<[^>]+>", "", live.text)


@pytest.mark.parametrize("later", [0.1, *(pytest.param(later, marks=pytest.mark.slow) for later in (1, 3))])
def test_the_browser_shows_what_came_while_it_opened(later: float, tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "growing.csv"
    table.write_text("run,question,outcome\n" + "".join(f"{run},q{i},correct\n" for run in "ab" for i in range(20)))
    live = Live(ViewRequest([table], resamples=50, missing="common"), lambda _: None)
    live.refresh()
    with server_of(live) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (start := tmp_path / "start.html").write_text("<!doctype html><title>start</title>")
        page = visit(start).page
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        time.sleep(later)
        with table.open("a") as more:
            more.write("a,q20,incorrect\na,q21,incorrect\nb,q20,correct\n")
        page.locator("#live", has_text="21 of 22 questions, waiting for b").wait_for()
        assert "of 21 questions" in page.inner_text("#answer")
        with table.open("a") as more:
            more.write('b,q21,"half')
        page.locator("#live", has_text="not read at").wait_for()
        server.shutdown()
