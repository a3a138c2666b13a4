"""The page at once: a temporary file, a default name, and a server that follows a growing log."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from nescio.options.edge import SAY, say
from nescio.verbs.view import Live, ViewRequest, server_of

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
    live.make()
    with server_of(live) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"

        def get(path: str, **headers: str) -> str:
            request = urllib.request.Request(address + path, headers=headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read().decode())

        first = get("/")
        assert "a got 100.0% of 20 questions right" in first
        assert "connect-src" in first
        assert get("/version") == "1"
        with table.open("a") as more:
            more.write("a,q20,inc")  # half a line: no outcome is called so
        assert get("/version") == "1"
        assert "not read this time: " in said[-1]  # from the server's thread
        with table.open("a") as more:
            more.write("orrect\n")
        assert get("/version") == "2"
        assert "of 21 questions" in get("/")
        for path, headers in (("/", {"Host": "evil.example"}), ("/etc/passwd", {})):
            with pytest.raises(urllib.error.HTTPError):
                get(path, **headers)
        server.shutdown()
