"""Call an OpenAI-compatible endpoint: one request, its failures, and retries. Standard library only."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

from nescio.errors import EndpointError, UsageError, opt
from nescio.judging.llm.budget import Meter

PATH = "/chat/completions"
_LOCAL = ("localhost", "127.0.0.1", "::1")
_AGAIN = (408, 409, 425, 429)  # and all statuses from 500
_FATAL = (401, 402, 403, 404, 405)  # The next call would fail in the same way.
_LONGEST_REPLY = 1 << 22
_LONGEST_WAIT = 300.0
_SHOWN = 200
_SHORT = 8  # characters; a shorter key might be a word of a reply, so it is not removed


class CallFailedError(Exception):
    """The error that one call failed, while other calls may succeed. `reached` says whether the endpoint responded."""

    def __init__(self, rule: str, *, reached: bool = True) -> None:
        super().__init__(rule)
        self.reached = reached


class Stopped(Exception):  # noqa: N818  no error: somebody asked for it
    """The error that a call was given up before a further attempt.

    Either the run was asked to stop, or a limit is reached.
    """


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The settings of a connection: the address, the key, the timeout of an attempt in seconds, and the retries.

    If the key is None, no key is sent.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    retries: int = 5
    pause: float = 1.0

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.url)
        if "@" in (parts.netloc or self.url):  # The message does not repeat it, because messages are logged.
            raise UsageError(
                f"{opt('base_url')} must not hold a name or password, because nescio shows and stores the address; "
                f"put the key into an environment variable ({opt('api_key_env')})"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{opt('base_url')} must be an address such as https://host/v1 (found {self.url!r})")
        if self.key is not None and not (self.key.isascii() and self.key.isprintable() and self.key.strip()):
            raise UsageError("the API key must be one line of printable ASCII characters")

    @property
    def address(self) -> str:
        """Return the address to which calls are sent, made from the URL of the endpoint."""
        url = self.url.rstrip("/")
        return url if url.endswith(PATH) else url + PATH

    @property
    def local(self) -> bool:
        """Return whether the endpoint is on this machine, so that no proxy is used."""
        return urllib.parse.urlsplit(self.url).hostname in _LOCAL


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirect, because a redirect would send the key to an unknown address."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        return None


class _Watch:
    """A timer that ends an attempt at its deadline.

    The socket's own timeout would apply to each part of a reply, so that a slow reply could last for ever.
    """

    def __init__(self, seconds: float) -> None:
        self.over = False
        self._connection: http.client.HTTPConnection | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Watch:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()

    def see(self, connection: http.client.HTTPConnection) -> None:
        """Store the connection of this attempt, which is closed at the deadline."""
        self._connection = connection

    def _end(self) -> None:
        self.over = True
        opened = self._connection.sock if self._connection else None
        if opened is not None:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)


_WATCH: threading.local = threading.local()  # the watch of this thread's attempt


class _Watched(http.client.HTTPConnection):
    def connect(self) -> None:
        _WATCH.now.see(self)
        super().connect()


class _WatchedSecure(http.client.HTTPSConnection):
    def connect(self) -> None:
        _WATCH.now.see(self)
        super().connect()


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Watched, request)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_WatchedSecure, request)


class Client:
    """A client that calls an endpoint, and leaves out parameters that the endpoint refused before. Thread-safe."""

    def __init__(self, endpoint: Endpoint, stop: threading.Event | None = None) -> None:
        self.endpoint = endpoint
        self.stop = stop or threading.Event()
        handlers: list[Any] = [_NoRedirect(), _Http(), _Https()]
        if endpoint.local:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)
        self._key = endpoint.key.strip() if endpoint.key else ""
        self._echo = re.compile("".join(map(_in_any_spelling, self._key))) if self._key else None
        self._adapted: tuple[str, ...] = ()

    def complete(self, body: dict[str, Any], meter: Meter) -> dict[str, Any]:
        """Return the endpoint's reply to the request `body`, as parsed JSON with at least one choice.

        Before every attempt, `meter` is asked whether it is allowed; every failure is reported to `meter`. Raises
        CallFailedError if this call cannot succeed, EndpointError if no call can, and Stopped if no further attempt is
        allowed.
        """
        tries = 0
        while True:
            if self.stop.is_set() or not meter.start():
                raise Stopped
            if self.stop.is_set():
                meter.failed(maybe_paid=False)
                raise Stopped
            adapted = self._adapted
            try:
                return self._once(_adapt(body, adapted))
            except _TryAgain as failure:
                meter.failed(maybe_paid=failure.maybe_paid)
                tries += 1
                if tries > self.endpoint.retries:
                    raise CallFailedError(f"{failure} (tried {tries} times)", reached=failure.reached) from None
                self._wait(failure, tries)
            except (CallFailedError, EndpointError):
                meter.failed(maybe_paid=False)
                raise
            except _NotUnderstood as failure:
                meter.failed(maybe_paid=False)
                if failure.what in adapted:
                    raise CallFailedError(str(failure)) from None
                self._adapted = tuple(dict.fromkeys((*self._adapted, failure.what)))

    def _wait(self, failure: _TryAgain, tries: int) -> None:
        pause = min(self.endpoint.pause * 2 ** (tries - 1), 60.0) * (0.5 + random.random())
        if failure.after is not None:
            pause = failure.after
        if pause > _LONGEST_WAIT:
            raise EndpointError(f"{self.endpoint.address} asks to wait {pause:,.0f} seconds; run again later")
        if self.stop.wait(pause):
            raise Stopped

    def _once(self, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "nescio"}
        if self.endpoint.key is not None:
            headers["Authorization"] = f"Bearer {self.endpoint.key.strip()}"
        request = urllib.request.Request(self.endpoint.address, json.dumps(body).encode(), headers, method="POST")
        with _Watch(self.endpoint.timeout) as watch:
            _WATCH.now = watch
            return self._watched(request, watch)

    def _watched(self, request: urllib.request.Request, watch: _Watch) -> dict[str, Any]:
        deadline = time.monotonic() + self.endpoint.timeout
        try:
            with self._opener.open(request, timeout=self.endpoint.timeout) as response:
                content = _read(response, deadline)
            if watch.over:
                raise _TryAgain("the reply did not end in time")
            return self._parsed(content)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error, deadline)
            raise AssertionError from None  # _refused always raises
        except (OSError, HTTPException) as error:  # These include URLError and timeouts.
            reason = "timed out" if watch.over else getattr(error, "reason", None) or error
            raise _TryAgain(
                f"no answer from {self.endpoint.address}: {self._hidden(str(reason) or repr(reason))}", reached=False
            ) from None

    def _refused(self, error: urllib.error.HTTPError, deadline: float) -> None:
        try:
            text = _read(error, deadline).decode(errors="replace")
        except (OSError, HTTPException, _TryAgain):
            text = ""
        message = self._hidden(_message(text))[:_SHOWN]
        rule = f"{self.endpoint.address} answers {error.code}{f': {message}' if message else ''}"
        if "insufficient_quota" in text or error.code in _FATAL or 300 <= error.code < 400:
            raise EndpointError(rule)
        if error.code in _AGAIN or error.code >= 500:
            raise _TryAgain(rule, _seconds(error.headers.get("Retry-After")), maybe_paid=False)
        for what in ("response_format", "max_tokens", "temperature"):
            if error.code in (400, 422) and what in text:
                raise _NotUnderstood(rule, what)
        raise CallFailedError(rule)

    def _parsed(self, content: bytes) -> dict[str, Any]:
        try:
            reply = self._without_key(json.loads(content))
            if isinstance(reply["choices"][0]["message"], dict):
                return dict(reply)
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            pass
        shown = self._hidden(content.decode(errors="replace"))[:60]
        raise _TryAgain(f"the reply is not a chat completion (it begins {shown!r})")

    def _without_key(self, value: Any) -> Any:
        """Return a JSON value in which the API key is replaced, because replies are stored and shown."""
        if len(self._key) < _SHORT:
            return value
        if isinstance(value, dict):
            return {self._hidden(name): self._without_key(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._without_key(item) for item in value]
        return self._hidden(value) if isinstance(value, str) else value

    def _hidden(self, text: str) -> str:
        return self._echo.sub("[key]", text) if self._echo else text


def _in_any_spelling(c: str) -> str:
    """Return a pattern for a character of the API key: the character itself, or one of its escapes in JSON."""
    code = f"{ord(c):04x}"
    hexadecimal = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in code)
    return rf"(?:{re.escape(c)}|\\u{hexadecimal}|\\{re.escape(c)})"


class _TryAgain(Exception):  # noqa: N818
    """The error that an attempt failed and may be repeated.

    `maybe_paid` says that the endpoint may have worked on the attempt, and `after` how many seconds the endpoint asks
    to wait.
    """

    def __init__(self, rule: str, after: float | None = None, *, maybe_paid: bool = True, reached: bool = True) -> None:
        super().__init__(rule)
        self.after, self.maybe_paid, self.reached = after, maybe_paid, reached


class _NotUnderstood(Exception):  # noqa: N818
    def __init__(self, rule: str, what: str) -> None:
        super().__init__(rule)
        self.what = what


def _adapt(body: dict[str, Any], refused: tuple[str, ...]) -> dict[str, Any]:
    """Return the request without the parameters that the endpoint `refused`.

    A refused `max_tokens` is replaced by its newer name, `max_completion_tokens`.
    """
    kept = {name: value for name, value in body.items() if name not in refused}
    if "max_tokens" in refused:
        kept["max_completion_tokens"] = body["max_tokens"]
    return kept


def _read(response: Any, deadline: float) -> bytes:
    parts, size = [], 0
    while part := response.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > _LONGEST_REPLY:
            raise _TryAgain("the reply is too long")
        if time.monotonic() > deadline:
            raise _TryAgain("the reply did not end in time")
    return b"".join(parts)


def _message(text: str) -> str:
    try:
        error = json.loads(text)["error"]
        message = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError, RecursionError):
        message = text
    return " ".join(str(message).split())


def _seconds(header: str | None) -> float | None:
    """Return how many seconds the header Retry-After asks to wait; None without the header.

    The header has a number of seconds or a date.
    """
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
