"""Many answers graded at once: what is in the cache is taken from it, the rest is asked for, a few calls at a time."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import EndpointError
from nescio.judging._judge import AnswerToJudge
from nescio.judging.llm.budget import Budget
from nescio.judging.llm.cache import Cache, Reply
from nescio.judging.llm.client import CallFailedError, Client, Stopped
from nescio.judging.llm.prompts import read_grade
from nescio.stats.parallel import Progress

_PAUSE = 0.2  # seconds between looks at a call that another process makes
# Calls that fail one after another before an endpoint is given up: where nobody answers, where no call has succeeded
# yet, and where some have. One that fails seven calls of ten is worth going on with: 50 in a row are then one in fifty
# million.
NOBODY, AT_FIRST, LATER = 5, 20, 50


class Call(Struct, frozen=True):
    """One call to be made: its key, what is sent, and what it is about."""

    key: str
    body: dict[str, Any]
    asked: AnswerToJudge


class Done(Struct):
    """What came of all calls: replies by key, why others brought none, what was left unasked, and why where it was
    given up."""

    replies: dict[str, Reply]
    failed: dict[str, str]
    unasked: int = 0
    gave_up: str = ""


class _Meter:
    """What the tries of one call cost; whatever becomes of a try, it is settled, for others may be waiting for that."""

    def __init__(self, budget: Budget, body: Mapping[str, Any]) -> None:
        self._budget, self._open = budget, False
        self._most = budget.most(len(json.dumps(body).encode()), int(body["max_tokens"]))

    def start(self) -> bool:
        self._open = self._budget.take(self._most)
        return self._open

    def failed(self, *, maybe_paid: bool) -> None:
        self.settle(None if maybe_paid else (0, 0))

    def settle(self, tokens: tuple[int, int] | None) -> None:
        if self._open:
            self._open = False
            self._budget.settle(self._most, tokens)


class _Work:
    """The calls that wait, handed out one by one; nothing more is handed out once it is stopped."""

    def __init__(self, calls: Sequence[Call], stop: threading.Event) -> None:
        self._calls: Iterator[Call] = iter(calls)
        self._lock, self._stop = threading.Lock(), stop

    def next(self) -> Call | None:
        with self._lock:
            return None if self._stop.is_set() else next(self._calls, None)


class Means(Struct, frozen=True):
    """What calls are made with: how many at a time, whom to tell of progress and of calls that are waited for, and
    whether replies without a grade are asked for `again`."""

    client: Client
    cache: Cache
    budget: Budget
    concurrency: int
    progress: Progress
    waiting: Callable[[], None]
    again: bool = False


def make_calls(calls: Sequence[Call], means: Means) -> Done:
    """Make the calls, a few at a time, and keep every reply as it comes.

    Stops where the budget is spent, and where too many calls in a row fail. Raises EndpointError where the endpoint
    refuses or no call succeeds, and KeyboardInterrupt where the user stops it. Calls under way are waited for in any
    case, because they are paid for; a second interrupt leaves them.
    """
    gathering = _Gathering(calls, means)
    try:
        gathering.run()
    except KeyboardInterrupt:
        means.client.stop.set()
        means.waiting()
        gathering.run()
        raise
    finally:
        means.client.stop.set()
    if gathering.stopped is not None:
        raise gathering.stopped
    done = gathering.done
    done.unasked = len(calls) - len(done.replies) - len(done.failed)
    return done


class _Gathering:
    """The threads that make the calls, and what has come of them."""

    def __init__(self, calls: Sequence[Call], means: Means) -> None:
        self.done = Done({}, {})
        self.stopped: Exception | None = None
        self._total, self._means, self._in_a_row, self._reached = len(calls), means, 0, False
        self._said: queue.Queue[tuple[Call, Reply | Exception] | None] = queue.Queue()
        self._running = min(means.concurrency, len(calls))
        work = _Work(calls, means.client.stop)
        for _ in range(self._running):
            threading.Thread(target=_worker, args=(work, self._said, means), daemon=True).start()

    def run(self) -> None:
        """Gather until all threads are at their end."""
        while self._running:
            try:
                ended = self._said.get(timeout=0.5)  # not for ever: an interrupt must come through
            except queue.Empty:
                continue
            if ended is None:
                self._running -= 1
            else:
                self._take(*ended)

    def _take(self, call: Call, reply: Reply | Exception) -> None:
        if isinstance(reply, Reply):
            self.done.replies[call.key], self._in_a_row = reply, 0
        elif isinstance(reply, CallFailedError):
            self.done.failed[call.key] = str(reply)
            self._in_a_row += 1
            self._reached = self._reached or reply.reached
            self._give_up(f"{self._in_a_row} calls in a row have failed, the last because {reply}")
        elif not isinstance(reply, Stopped):
            self._stop(reply)
        self._means.progress(len(self.done.replies) + len(self.done.failed), self._total)

    def _give_up(self, why: str) -> None:
        """Stop where that many calls have failed in a row: with an error where none has succeeded."""
        if self.done.replies:
            if self._in_a_row >= LATER and not self.done.gave_up:
                self.done.gave_up = why
                self._means.client.stop.set()
        elif self._in_a_row >= (AT_FIRST if self._reached else NOBODY):
            self._stop(EndpointError(why))

    def _stop(self, why: Exception) -> None:
        self.stopped = self.stopped or why
        self._means.client.stop.set()


def _worker(work: _Work, ended: queue.Queue[tuple[Call, Reply | Exception] | None], means: Means) -> None:
    try:
        while call := work.next():
            try:
                ended.put((call, _one(call, means)))
            except Stopped as stop:
                ended.put((call, stop))
                return
            except Exception as error:  # whatever it is, the main thread raises it
                if isinstance(error, EndpointError):
                    means.client.stop.set()  # now, and not when the main thread comes to it
                ended.put((call, error))
    finally:
        ended.put(None)


def _one(call: Call, means: Means) -> Reply:
    """Make a call, or take the reply that another process has got or is getting for it."""
    while not means.cache.begin(call.key):
        if means.client.stop.wait(_PAUSE):
            raise Stopped
    meter = _Meter(means.budget, call.body)
    completion: dict[str, Any] = {}
    try:
        if (known := means.cache.replies([call.key]).get(call.key)) and (known.grade or not means.again):
            means.cache.drop(call.key)
            return known
        completion = means.client.complete(call.body, meter)
    except (CallFailedError, EndpointError, Stopped):
        means.cache.drop(call.key)
        raise
    finally:
        meter.settle(_tokens(completion) if completion else None)
    reply = _reply(completion)
    means.cache.keep(call.key, reply, call.asked.question.text, call.asked.answer)
    return reply


def _reply(completion: Mapping[str, Any]) -> Reply:
    choice = completion["choices"][0]
    message = choice["message"]
    text = _text(message.get("content"))
    refusal = message.get("refusal")
    grade = None if refusal or text is None else read_grade(text)
    why = None
    if grade is None:
        ended = choice.get("finish_reason")
        why = "cut off" if ended in ("length", "content_filter") else "unreadable" if text else "empty"
        why = "refused" if refusal else why
    model = completion.get("model")
    shown = str(refusal) if refusal else text or ""
    return Reply(grade, shown, model if isinstance(model, str) else "", *(_tokens(completion) or (0, 0)), why)


def _text(content: object) -> str | None:
    """Return the text of a message; some endpoints give it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _tokens(completion: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = completion.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    whole = [count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count >= 0]
    return (whole[0], whole[1]) if len(whole) == 2 else None
