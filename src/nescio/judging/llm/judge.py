"""Define the language model as a judge: its calls use the cache, the budget and the endpoint, and are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from nescio.data.judge_record import JudgeRecord
from nescio.data.model import Collection, Run
from nescio.data.notes import Note, note
from nescio.data.outcomes import NOT_GRADED
from nescio.errors import EndpointError, UsageError, opt
from nescio.judging._judge import AnswerToJudge, Grade
from nescio.judging.llm import prompts
from nescio.judging.llm.budget import Budget, Limits
from nescio.judging.llm.cache import Cache, Reply, key_of, own_cache
from nescio.judging.llm.client import Client, Endpoint
from nescio.judging.llm.grading import Call, CallResults, CallSetup, make_calls
from nescio.options.edge import Progress

BESIDE = Path("nescio-grades.sqlite")  # where earlier versions kept grades that nobody named
CALLS_FAILED, GAVE_UP = "llm.failed", "llm.gave_up"  # codes of notes on answers that another run would ask about


class LLM(Struct, frozen=True):
    """A language model that grades answers as correct, incorrect or not attempted.

    Every reply is in `cache` before the next call starts. Cached replies are not asked again, except unreadable ones
    with `retry_ungraded`. An answer stays ungraded if its reply has no grade, or if its call fails finally or exceeds
    `limits`; `notes` counts these answers. Raises EndpointError if the endpoint refuses all calls.
    """

    endpoint: Endpoint
    model: str
    cache: Path = field(default_factory=own_cache)
    limits: Limits = field(default_factory=Limits)
    concurrency: int = 4
    max_tokens: int = 1024
    retry_ungraded: bool = False
    progress: Progress = lambda done, total: None  # noqa: ARG005
    waiting: Callable[[], None] = lambda: None
    notes: list[Note] = field(default_factory=list)
    scores: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError(f"{opt('judge', 'llm')} needs {opt('model', of='NAME')}")
        if self.concurrency < 1 or self.max_tokens < 1:
            raise UsageError(f"{opt('concurrency')} and {opt('max_tokens')} must be 1 or more")

    @property
    def record(self) -> JudgeRecord:
        """Return the record of the model, the digest of the prompt, and today's date."""
        return JudgeRecord("llm", model=self.model, prompt=prompts.VERSION, date=date.today().isoformat())

    def remarks(self, collection: Collection, runs: Sequence[Run]) -> Sequence[Note]:  # noqa: ARG002
        """Return notes on the calls, the cost, and the ungraded answers, once these are known."""
        return tuple(self.notes)

    def grade(self, answers: Sequence[AnswerToJudge]) -> list[Grade]:
        """Return the grades, from the cache and from the endpoint."""
        every = list(map(self._call, answers))
        calls = {call.key: call for call in every}
        if self.cache == own_cache() and BESIDE.exists():
            self.notes.append(
                note(
                    "llm.beside",
                    "this folder has a cache {file}, which is not used because no option names it; add "
                    f"{opt('cache', 'nescio-grades.sqlite')} if you trust it",
                    file=str(BESIDE),
                )
            )
        with Cache(self.cache) as cache:
            known = cache.replies(calls)
            if self.retry_ungraded:
                known = {key: reply for key, reply in known.items() if reply.grade is not None}
            wanted = [call for key, call in calls.items() if key not in known]
            if interrupted := cache.left_under_way(call.key for call in wanted):
                self.notes.append(
                    note(
                        "llm.under_way",
                        "{calls} calls were unfinished when an earlier run was stopped; nescio repeats these calls, "
                        "so you may pay for them twice",
                        calls=interrupted,
                    )
                )
            budget, client = Budget(self.limits), Client(self.endpoint)
            setup = CallSetup(client, cache, budget, self.concurrency, self.progress, self.waiting, self.retry_ungraded)
            try:
                results = make_calls(wanted, setup)
            except EndpointError as error:
                kept = len(cache.replies(calls))
                raise EndpointError(f"{error}; {kept} of {len(calls)} grades are kept in {self.cache}") from None
        replies = known | results.replies
        self._report(len(known), budget, replies, results)
        return [_grade(replies.get(call.key)) for call in every]

    def _call(self, answer: AnswerToJudge) -> Call:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": prompts.messages(answer.question, answer.answer),
            "temperature": 0,
            "response_format": prompts.SCHEMA,
        }
        # The token limit is not part of the key, because it changes the cost of a reply but not the question.
        return Call(key_of(self.endpoint.address, body), body | {"max_tokens": self.max_tokens}, answer)

    def _report(self, known: int, budget: Budget, replies: Mapping[str, Reply], results: CallResults) -> None:
        self.notes.append(self._graded_note(known, len(replies), budget))
        unread = Counter(reply.why for reply in replies.values() if reply.grade is None)
        if unread:
            self.notes.append(
                note(
                    "llm.no_grade",
                    "{replies} replies contain no grade ({reasons:each %d %s}): these answers are ungraded",
                    replies=unread.total(),
                    reasons=[(times, reason) for reason, times in unread.most_common()],
                )
            )
        if results.failed:
            first = next(iter(results.failed.values()))
            self.notes.append(
                note(
                    CALLS_FAILED,
                    "{calls} calls failed: these answers are ungraded, and the next run calls the model again "
                    "({first})",
                    calls=len(results.failed),
                    first=first,
                )
            )
        if results.gave_up:
            self.notes.append(
                note(
                    GAVE_UP,
                    "{why}: no more calls were made, and {answers} more answers are ungraded. Run the command "
                    "again; grades in {cache} are not paid for twice",
                    why=results.gave_up,
                    answers=results.unasked,
                    cache=str(self.cache),
                )
            )
        elif results.unasked:
            self.notes.append(
                note(
                    "llm.limit",
                    "{limit} is reached: {answers:n answer} {answers:is/are} ungraded. Run the command again; "
                    "grades in {cache} are not paid for twice",
                    limit=budget.reached,
                    answers=results.unasked,
                    cache=str(self.cache),
                )
            )

    def _graded_note(self, known: int, graded: int, budget: Budget) -> Note:
        """Return a note with the numbers of graded answers and of grades from the cache, and the cost of the calls."""
        priced = budget.limits.price_in is not None or budget.limits.price_out is not None
        return note(
            "llm.graded",
            "{answers} different answers graded: {known} from {cache}, {new} by {calls} calls ({tokens_in:,} tokens "
            "in, {tokens_out:,} out{spent})",
            answers=graded,
            known=known,
            cache=str(self.cache),
            new=graded - known,
            calls=budget.calls,
            tokens_in=budget.prompt_tokens,
            tokens_out=budget.completion_tokens,
            spent=f", {budget.spent:.4f} spent" if priced else "",
        )


def _grade(reply: Reply | None) -> Grade:
    return Grade(NOT_GRADED if reply is None or reply.grade is None else prompts.GRADES[reply.grade])
