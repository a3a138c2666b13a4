"""Grade many answers: known grades come from the cache, and a few parallel calls ask for the rest."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from nescio.errors import EndpointError
from nescio.judging._judge import AnswerToJudge
from nescio.judging.llm.budget import Budget, Meter
from nescio.judging.llm.cache import Cache, Reply
from nescio.judging.llm.client import CallFailedError, Client, Stopped
from nescio.judging.llm.prompts import read_grade
from nescio.options.edge import Progress

_MOST_TOKENS = 1 << 40
_PAUSE = 0.2  # seconds between checks of a call in another process
# Consecutive failures after which an endpoint is given up: if nobody responds, if no call has succeeded yet, and if
# some have. An endpoint that fails seven calls of ten is still useful: 50 failures in a row are then one in fifty
# million.
NOBODY, AT_FIRST, LATER = 5, 20, 50


class Call(Struct, frozen=True):
    """A call to make: the key of its reply in the cache, the body of the request, and the answer to grade (`asked`)."""

    key: str
    body: dict[str, Any]
    asked: AnswerToJudge


class CallResults(Struct):
    """The results of all calls: replies, and reasons of failures, each keyed by the key of the call.

    `unasked` is the number of calls that were not made, and `gave_up` the reason why the calls were stopped.
    """

    replies: dict[str, Reply]
    failed: dict[str, str]
    unasked: int = 0
    gave_up: str = ""


class CallSetup(Struct, frozen=True):
    """The settings of calls. At most `concurrency` calls run in parallel.

    `again` says that a call is repeated if its cached reply has no grade. `waiting` is called if the user interrupts,
    and running calls must end first.
    """

    client: Client
    cache: Cache
    budget: Budget
    concurrency: int
    progress: Progress
    waiting: Callable[[], None]
    again: bool = False


def make_calls(calls: Sequence[Call], setup: CallSetup) -> CallResults:
    """Make the calls, a few in parallel, store every reply at once, and return the results.

    No more calls are made when the budget is spent, or when too many consecutive calls fail. Raises EndpointError if
    the endpoint refuses or no call succeeds, and KeyboardInterrupt if the user stops the calls. Running calls are
    awaited in any case, because they are paid for; a second interrupt abandons them.
    """
    runner = _CallRunner(calls, setup)
    try:
        runner.run()
    except KeyboardInterrupt:
        setup.client.stop.set()
        setup.waiting()
        runner.run()
        raise
    finally:
        setup.client.stop.set()
    if runner.stopped is not None:
        raise runner.stopped
    results = runner.results
    results.unasked = len(calls) - len(results.replies) - len(results.failed)
    return results


class _CallRunner:
    """The threads that make the calls, and the results so far.

    `stopped` is the error that ended the calls early, or None.
    """

    def __init__(self, calls: Sequence[Call], setup: CallSetup) -> None:
        self.results = CallResults({}, {})
        self.stopped: Exception | None = None
        self._total, self._setup, self._in_a_row, self._reached = len(calls), setup, 0, False
        self._ended: queue.Queue[tuple[Call, Reply | Exception] | None] = queue.Queue()
        self._running = min(setup.concurrency, len(calls))
        work: queue.SimpleQueue[Call] = queue.SimpleQueue()
        for call in calls:
            work.put(call)
        for _ in range(self._running):
            threading.Thread(target=_worker, args=(work, self._ended, setup), daemon=True).start()

    def run(self) -> None:
        """Collect the results of the calls, and return when all threads have ended."""
        while self._running:
            try:
                ended = self._ended.get(timeout=0.5)  # With a timeout, so that an interrupt is handled.
            except queue.Empty:
                continue
            if ended is None:
                self._running -= 1
            else:
                self._take(*ended)

    def _take(self, call: Call, reply: Reply | Exception) -> None:
        if isinstance(reply, Reply):
            self.results.replies[call.key], self._in_a_row = reply, 0
        elif isinstance(reply, CallFailedError):
            self.results.failed[call.key] = str(reply)
            self._in_a_row += 1
            self._reached = self._reached or reply.reached
            self._give_up(f"{self._in_a_row} calls in a row have failed, the last because {reply}")
        elif not isinstance(reply, Stopped):
            self._stop(reply)
        self._setup.progress(len(self.results.replies) + len(self.results.failed), self._total)

    def _give_up(self, why: str) -> None:
        """Stop the calls after too many consecutive failures. Raises EndpointError if no call has succeeded."""
        if self.results.replies:
            if self._in_a_row >= LATER and not self.results.gave_up:
                self.results.gave_up = why
                self._setup.client.stop.set()
        elif self._in_a_row >= (AT_FIRST if self._reached else NOBODY):
            self._stop(EndpointError(why))

    def _stop(self, why: Exception) -> None:
        self.stopped = self.stopped or why
        self._setup.client.stop.set()


def _worker(
    work: queue.SimpleQueue[Call], ended: queue.Queue[tuple[Call, Reply | Exception] | None], setup: CallSetup
) -> None:
    try:
        while not setup.client.stop.is_set():
            try:
                call = work.get_nowait()
            except queue.Empty:
                return
            try:
                ended.put((call, _one(call, setup)))
            except Stopped as stop:
                ended.put((call, stop))
                return
            except Exception as error:  # The main thread raises it, whatever it is.
                if isinstance(error, EndpointError):
                    setup.client.stop.set()  # now, before the main thread handles the error
                ended.put((call, error))
    finally:
        ended.put(None)


def _one(call: Call, setup: CallSetup) -> Reply:
    """Return the reply to a call; if another process is making the same call, wait for its reply."""
    while not setup.cache.begin(call.key):
        if setup.client.stop.wait(_PAUSE):
            raise Stopped
    meter = Meter(setup.budget, call.body)
    completion: dict[str, Any] = {}
    try:
        if (known := setup.cache.replies([call.key]).get(call.key)) and (known.grade or not setup.again):
            setup.cache.drop(call.key)
            return known
        completion = setup.client.complete(call.body, meter)
    except (CallFailedError, EndpointError, Stopped):
        setup.cache.drop(call.key)
        raise
    finally:
        meter.settle(_tokens(completion) if completion else None)
    reply = _reply(completion)
    setup.cache.keep(call.key, reply, call.asked.question.text, call.asked.answer)
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
    """Return the text of a message in a reply, also if the endpoint splits it into parts; None if there is no text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _tokens(completion: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = completion.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    whole = [count for count in counts if isinstance(count, int) and not isinstance(count, bool)]
    if any(not 0 <= count <= _MOST_TOKENS for count in whole):
        return None  # No call has so many tokens, so the endpoint's count is useless.
    return (whole[0], whole[1]) if len(whole) == 2 else None
