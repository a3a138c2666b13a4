"""One comment on a pull request, against a stand-in for GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import nescio
from nescio.errors import FormatError, UsageError

from .github_server import BOT, EVENT, LIST, GitHub, served

PERSON = {"login": "nellboyd", "id": 7, "type": "User"}


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
    assert [one["body"] for one in github.comments] == [
        "What a fine change!",
        "<!-- nescio comment: nescio -->\n## nescio compare: failed\n",
    ]
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


def test_a_mark_that_others_wrote_or_quoted_is_not_taken_for_ours(github: GitHub, summary: Path) -> None:
    github.add("<!-- nescio comment: nescio -->\n## nescio compare: passed", PERSON)
    github.add("> <!-- nescio comment: nescio -->\nThis is wrong.", BOT)
    assert nescio.comment(summary, environment=github.environment()).done == "wrote"
    assert len(github.comments) == 3


def test_comments_of_two_names_are_two(github: GitHub, summary: Path) -> None:
    for name in ("small", "large", "small"):
        nescio.comment(summary, name=name, environment=github.environment())
    assert [one["body"].splitlines()[0] for one in github.comments] == [
        "<!-- nescio comment: small -->",
        "<!-- nescio comment: large -->",
    ]


def test_nobody_is_called_by_the_name_of_a_run_and_measures_stay_as_they_are(github: GitHub, summary: Path) -> None:
    summary.write_text("| @nellboyd | c@1 |\n")
    nescio.comment(summary, environment=github.environment())
    assert github.comments[0]["body"].endswith("| @\N{WORD JOINER}nellboyd | c@1 |\n")


def test_what_is_too_long_for_github_is_cut_and_says_so(github: GitHub, summary: Path) -> None:
    summary.write_text("é" * 70_000)
    nescio.comment(summary, environment=github.environment())
    body = github.comments[0]["body"]
    assert len(body) == 65_536
    assert body.rstrip().endswith("the summary of the job has all of it)")


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
        ({"GITHUB_EVENT_PATH": ""}, "not started by a pull request"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "did not answer"),
    ],
)
def test_why_there_is_no_comment(github: GitHub, summary: Path, changed: dict[str, str], says: str) -> None:
    said = nescio.comment(summary, environment=github.environment() | changed)
    assert says in str(said)
    assert github.comments == []


@pytest.mark.parametrize("token", ["SECRET123\nX: 1", "SECRET123\x00", "SECRET123\N{LATIN SMALL LETTER E WITH ACUTE}"])
def test_a_token_that_no_header_takes_is_refused_and_never_shown(github: GitHub, summary: Path, token: str) -> None:
    said = str(nescio.comment(summary, environment=github.environment(token=token)))
    assert "GITHUB_TOKEN is not a token" in said
    assert "SECRET123" not in said
    assert github.calls == []


def test_white_space_around_a_token_is_none_of_it(github: GitHub, summary: Path) -> None:
    environment = github.environment()
    said = nescio.comment(summary, environment=environment | {"GITHUB_TOKEN": f" {environment['GITHUB_TOKEN']}\n"})
    assert said.done == "wrote"


@pytest.mark.parametrize("status", [301, 307, 500, 502])
def test_a_server_that_fails_or_leads_elsewhere_is_not_followed(github: GitHub, summary: Path, status: int) -> None:
    github.fails = status
    said = nescio.comment(summary, environment=github.environment())
    assert f"GitHub answered {status}" in said.why
    assert github.calls == [("GET", LIST)]


@pytest.mark.parametrize(
    ("event", "number"),
    [
        ({"issue": {"number": 12, "pull_request": {"url": "x"}}}, 12),
        ({"workflow_run": {"pull_requests": [{"number": 12}]}}, 12),
        ({"issue": {"number": 12}}, None),
        ({"workflow_run": {"pull_requests": []}}, None),
        ({"ref": "refs/heads/main"}, None),
    ],
)
def test_events_that_lead_to_a_pull_request(
    github: GitHub, summary: Path, tmp_path: Path, event: object, number: int | None
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    said = nescio.comment(summary, environment=github.environment(path))
    assert said.done == ("wrote" if number else "")
    assert len(github.comments) == (1 if number else 0)


def test_what_makes_no_sense_is_an_error(github: GitHub, summary: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        nescio.comment(tmp_path / "nothing.md", environment=github.environment())
    with pytest.raises(UsageError, match="name takes letters"):
        nescio.comment(summary, name="a --> b", environment=github.environment())
    with pytest.raises(UsageError, match="must be a web address"):
        nescio.comment(summary, environment=github.environment() | {"GITHUB_API_URL": "file:///etc"})
    event = tmp_path / "event.json"
    event.write_text("[")
    with pytest.raises(FormatError, match="not a GitHub event"):
        nescio.comment(summary, environment=github.environment(event))
    assert json.loads(EVENT.read_text())["pull_request"]["number"] == 12
