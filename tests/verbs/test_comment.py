"""One comment on a pull request, against a stand-in for GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError, UsageError

from .github_server import BOT, LIST, GitHub, served

PERSON = {"login": "nellboyd", "id": 7, "type": "User"}
MARK = "<!-- nescio comment: {} -->"


@pytest.fixture
def github() -> Iterator[GitHub]:
    with served() as server:
        yield server


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    path = tmp_path / "summary.md"
    path.write_text("## nescio compare: passed\n")
    return path


def test_a_comment_is_written_once_and_then_updated_in_place(github: GitHub, summary: Path) -> None:
    github.add("What a fine change!", PERSON)
    first = nescio.comment(summary, environment=github.environment())
    summary.write_text("## nescio compare: failed\n")
    second = nescio.comment(summary, environment=github.environment())
    assert (first.done, second.done) == ("wrote", "updated")
    assert first.url == second.url == github.comments[1]["html_url"]
    bodies = ["What a fine change!", f"{MARK.format('nescio')}\n## nescio compare: failed\n"]
    assert [one["body"] for one in github.comments] == bodies
    assert [method for method, path in github.calls if path != "/user"] == ["GET", "POST", "GET", "PATCH"]


def test_the_comment_is_found_on_a_later_page(github: GitHub, summary: Path) -> None:
    github.page = 10
    for i in range(34):
        github.add(f"comment {i}", PERSON)
    nescio.comment(summary, environment=github.environment())
    for i in range(9):
        github.add(f"later {i}", PERSON)
    assert nescio.comment(summary, environment=github.environment()).done == "updated"
    assert len(github.comments) == 34 + 1 + 9
    # four pages and a POST; then five pages, who am I, and a PATCH
    assert [method for method, _ in github.calls] == ["GET"] * 4 + ["POST"] + ["GET"] * 6 + ["PATCH"]


def test_a_comment_is_ours_by_its_author_and_its_name(github: GitHub, summary: Path) -> None:
    github.add(f"{MARK.format('small')}\n## nescio compare: passed", PERSON)
    github.add(f"> {MARK.format('small')}\nThis is wrong.", BOT)
    for name in ("small", "large", "small"):
        nescio.comment(summary, name=name, environment=github.environment())
    marks = [one["body"].splitlines()[0] for one in github.comments[2:]]
    assert marks == [MARK.format("small"), MARK.format("large")]


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("| @nellboyd | c@1 |\n", "| @\N{WORD JOINER}nellboyd | c@1 |\n"),  # nobody is called by the name of a run
        ("é" * 70_000, "the summary of the job has all of it)"),  # GitHub takes 65,536 characters
    ],
)
def test_what_github_would_take_amiss_is_changed(github: GitHub, summary: Path, text: str, body: str) -> None:
    summary.write_text(text)
    nescio.comment(summary, environment=github.environment())
    written = github.comments[0]["body"]
    assert written.rstrip().endswith(body.rstrip())
    assert len(written) == (65_536 if len(text) > 65_536 else len(MARK.format("nescio")) + 1 + len(body))


def test_a_token_that_only_reads_says_so(github: GitHub, summary: Path) -> None:
    """As on a pull request from a fork."""
    github.writes = False
    said = nescio.comment(summary, environment=github.environment())
    assert (said.done, github.comments) == ("", [])
    assert "the token may not write it (403 Resource not accessible by integration)" in said.why
    assert "pull-requests: write" in said.why


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"GITHUB_TOKEN": ""}, "GITHUB_TOKEN is not set"),
        ({"GITHUB_TOKEN": "another"}, "401 Bad credentials"),
        *(({"GITHUB_TOKEN": f"SECRET123{end}"}, "GITHUB_TOKEN is not a token") for end in ("\nX: 1", "\x00", "\xe9")),
        ({"GITHUB_EVENT_PATH": ""}, "not started by a pull request"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "did not answer"),
    ],
)
def test_why_there_is_no_comment(github: GitHub, summary: Path, changed: dict[str, str], says: str) -> None:
    said = nescio.comment(summary, environment=github.environment() | changed)
    assert says in str(said)
    assert "SECRET123" not in str(said)
    assert github.comments == []


def test_white_space_around_a_token_is_none_of_it(github: GitHub, summary: Path) -> None:
    environment = github.environment()
    token = {"GITHUB_TOKEN": f" {environment['GITHUB_TOKEN']}\n"}
    assert nescio.comment(summary, environment=environment | token).done == "wrote"


@pytest.mark.parametrize("status", [301, 500])
def test_a_server_that_fails_or_leads_elsewhere_is_not_followed(github: GitHub, summary: Path, status: int) -> None:
    github.fails = status
    assert f"GitHub answered {status}" in nescio.comment(summary, environment=github.environment()).why
    assert github.calls == [("GET", LIST)]


@pytest.mark.parametrize(
    ("event", "done"),
    [
        ({"issue": {"number": 12, "pull_request": {"url": "x"}}}, "wrote"),
        ({"workflow_run": {"pull_requests": [{"number": 12}]}}, "wrote"),
        ({"issue": {"number": 12}}, ""),
        ({"workflow_run": {"pull_requests": []}}, ""),
        ({"ref": "refs/heads/main"}, ""),
    ],
)
def test_events_that_lead_to_a_pull_request(
    github: GitHub, summary: Path, tmp_path: Path, event: object, done: str
) -> None:
    (path := tmp_path / "event.json").write_text(json.dumps(event))
    assert nescio.comment(summary, environment=github.environment(path)).done == done
    assert len(github.comments) == bool(done)


def test_what_makes_no_sense_is_an_error(github: GitHub, summary: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        nescio.comment(tmp_path / "nothing.md", environment=github.environment())
    with pytest.raises(UsageError, match="name takes letters"):
        nescio.comment(summary, name="a --> b", environment=github.environment())
    with pytest.raises(UsageError, match="must be a web address"):
        nescio.comment(summary, environment=github.environment() | {"GITHUB_API_URL": "file:///etc"})
    (event := tmp_path / "event.json").write_text("[")
    with pytest.raises(FormatError, match="not a GitHub event"):
        nescio.comment(summary, environment=github.environment(event))
