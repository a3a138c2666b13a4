"""Write a gate's summary into one comment on a pull request, updated in place.

The comment is on the pull request that started this job of GitHub Actions. FILE is what --step-summary=FILE of `nescio
score` and `compare` wrote. The step needs GITHUB_TOKEN in its environment, and the job `permissions: pull-requests:
write`.

\b
nescio compare outcomes.csv --run mine --baseline old --fail-on-regression --step-summary summary.md
nescio comment summary.md --name small-model

If there is no pull request, no token, or one that may only read (as on pull requests from forks), a message says so and
the exit status is still 0, so that only the gates decide. The comment is recognised by its author and by a hidden mark
at its beginning, so text that others quote or forge is never taken for it.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.errors import EndpointError, FormatError, UsageError
from nescio.options import Kind, Request, argument, option, verb
from nescio.options.kinds import ANYTHING

TOKEN, API, EVENT, REPOSITORY = "GITHUB_TOKEN", "GITHUB_API_URL", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY"
DEFAULT_API = "https://api.github.com"
LONGEST = 65_536  # characters of a comment, by GitHub
_CUT = "\n\n… (cut at GitHub's limit; the summary of the job has all of it)\n"
_TIMEOUT = 30.0  # seconds for one request
_MOST_PAGES = 100  # of a hundred comments each
_NEXT = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="?next"?')
_MENTION = re.compile(r"(?<![\w/`])@(?=\w)")
_NAME = re.compile(r"[\w.-]{1,60}")
_READ_ONLY = (401, 403, 404)


class Commented(Struct, frozen=True):
    """What became of a comment: created, updated or neither ("") with the reason; and its address."""

    done: str
    why: str = ""
    url: str = ""

    def __str__(self) -> str:
        return (
            f"{self.done} the comment{f' {self.url}' if self.url else ''}" if self.done else f"no comment: {self.why}"
        )


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError
    return value


class CommentRequest(Request):
    """What `nescio comment` is asked."""

    text: Path | str = argument(kw_only=False, argument=True, reads=True, metavar="FILE", help="The file of Markdown.")
    name: str = option(
        default="nescio",
        kind=Kind("letters, digits, '.', '_' and '-', 60 at most", _name),
        metavar="NAME",
        help="What distinguishes this comment from others, for example in a matrix of jobs.",
    )
    environment: Mapping[str, str] | None = option(
        default=None, kind=ANYTHING, edge=True, help="What GitHub Actions sets: that of the process."
    )


@verb(CommentRequest, prints="")
def comment(request: CommentRequest) -> Commented:
    body = _body(Path(request.text), request.name)
    job = os.environ if request.environment is None else request.environment
    try:
        number, repository = _pull_request(job)
        if number is None:
            return Commented("", "this job was not started by a pull request")
        token = job.get(TOKEN, "").strip()
        if not token:
            return Commented("", f"{TOKEN} is not set; give it to the step: env: {TOKEN}: ${{{{ github.token }}}}")
        if not (token.isascii() and token.isprintable()):
            return Commented("", f"{TOKEN} is not a token: it has characters that no token has")  # and is not shown
        return _write(_Api(job.get(API) or DEFAULT_API, token), repository, number, body, _mark(request.name))
    except EndpointError as error:
        return Commented("", str(error))


def _mark(name: str) -> str:
    return f"<!-- nescio comment: {name} -->"


def _body(path: Path, name: str) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    # A word joiner after the sign: nobody hears of a comment because a run is called @somebody.
    quiet = _MENTION.sub("@\N{WORD JOINER}", text)
    body = f"{_mark(name)}\n{quiet}"
    return body if len(body) <= LONGEST else body[: LONGEST - len(_CUT)] + _CUT


def _pull_request(job: Mapping[str, str]) -> tuple[int | None, str]:
    """Return the number of the pull request that started the job, None where it was none, and its repository."""
    path = job.get(EVENT)
    if not path:
        return None, ""
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(path, f"not a GitHub event: {error}") from None
    if not isinstance(event, dict):
        raise FormatError(path, "not a GitHub event")
    repository = job.get(REPOSITORY) or _at(event, "repository", "full_name")
    if not isinstance(repository, str) or repository.count("/") != 1:
        raise FormatError(path, "the event names no repository", value=repository)
    after = _at(event, "workflow_run", "pull_requests")
    number = _at(event, "pull_request", "number")
    if number is None and _at(event, "issue", "pull_request"):
        number = _at(event, "issue", "number")
    if number is None and isinstance(after, list) and len(after) == 1:
        number = _at(after[0], "number")
    return (number if isinstance(number, int) else None), repository


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _write(api: _Api, repository: str, number: int, body: str, mark: str) -> Commented:
    of = f"/repos/{urllib.parse.quote(repository)}/issues"
    mine = _mine(api, f"{of}/{number}/comments?per_page=100", mark)
    if mine is not None:
        written = api.call("PATCH", f"{of}/comments/{mine}", {"body": body})[0]
        return Commented("updated", url=_url(written))
    return Commented("wrote", url=_url(api.call("POST", f"{of}/{number}/comments", {"body": body})[0]))


def _url(written: Any) -> str:
    return str(_at(written, "html_url") or "")


def _mine(api: _Api, path: str, mark: str) -> int | None:
    """Return the number of the comment that begins with the mark and is the token's own; None where there is none."""
    marked = [one for one in api.listed(path) if str(_at(one, "body") or "").startswith(mark)]
    if not marked:
        return None
    login = api.login()
    for one in marked:
        own = _at(one, "user", "login") == login if login else _at(one, "user", "type") == "Bot"
        number = _at(one, "id")
        if own and isinstance(number, int):
            return number
    return None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow nothing: the token is for one host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _Api:
    url: str
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.url.lower().startswith(("https://", "http://")):
            raise UsageError(f"{API} must be a web address (found {self.url!r})")

    def call(self, method: str, path: str, body: Any = None) -> tuple[Any, str]:
        """Return the JSON of a reply and the address of its next page; raises EndpointError."""
        url = path if path.startswith(f"{self._base}/") else f"{self._base}{path}"
        request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "nescio")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=_TIMEOUT) as reply:
                following = _NEXT.search(reply.headers.get("Link") or "")
                return json.loads(reply.read()), following[1] if following else ""
        except urllib.error.HTTPError as error:
            raise EndpointError(_refused(error)) from None
        except (OSError, HTTPException, ValueError) as error:
            reason = str(getattr(error, "reason", None) or error).replace(self.token, "***")
            raise EndpointError(f"{self._base} did not answer as GitHub would: {reason}") from None

    @property
    def _base(self) -> str:
        return self.url.rstrip("/")

    def listed(self, path: str) -> Iterator[Any]:
        """Yield the items of all pages of a list."""
        for _ in range(_MOST_PAGES):
            items, path = self.call("GET", path)
            yield from items if isinstance(items, list) else ()
            if not path.startswith(f"{self._base}/"):
                return

    def login(self) -> str | None:
        """Return whose token it is; None for that of a job, which is a bot's and may not ask."""
        try:
            return str(_at(self.call("GET", "/user")[0], "login") or "") or None
        except EndpointError:
            return None


def _refused(error: urllib.error.HTTPError) -> str:
    try:
        message = str(_at(json.loads(error.read()), "message") or error.reason)
    except (OSError, HTTPException, ValueError):
        message = str(error.reason)
    reason = " ".join(message.split())[:200]
    if error.code in _READ_ONLY:
        return (
            f"the token may not write it ({error.code} {reason}); the job needs permissions: pull-requests: write, and "
            "on pull requests from forks the token only reads"
        )
    return f"GitHub answered {error.code} {reason}"
