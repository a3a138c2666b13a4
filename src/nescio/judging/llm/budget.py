"""Limit a run: calls, and money if prices are given."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nescio.errors import UsageError, opt

_FRAME = 200  # tokens that an endpoint may add to the messages


class Limits(Struct, frozen=True):
    """The limits of calls to a language model: the number of calls, and their cost. None means no limit.

    `price_in` and `price_out` are the prices of a million tokens of a request and of a reply.
    """

    calls: int | None = None
    cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        if self.calls is not None and self.calls < 0:
            raise UsageError(f"{opt('max_calls')} must be 0 or more (found {self.calls})")
        amounts = (self.cost, self.price_in, self.price_out)
        if any(value is not None and not 0 <= value < float("inf") for value in amounts):
            raise UsageError(f"{opt('max_cost')} and prices must be amounts of money, 0 or more")
        if self.cost is not None and (self.price_in is None or self.price_out is None):
            raise UsageError(
                f"{opt('max_cost')} needs the prices of a million tokens: {opt('price_in')} and {opt('price_out')}"
            )


class Budget:
    """A counter of calls and their cost, which refuses a call that might exceed a limit. Thread-safe.

    A running call counts at its highest possible cost: its request has at most one token per byte, and its reply at
    most as many tokens as requested. When the reply comes, the actual cost replaces the highest cost.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls, self.spent, self.prompt_tokens, self.completion_tokens = 0, 0.0, 0, 0
        self.reached: str | None = None
        self._reserved, self._under_way = 0.0, 0
        self._ended = threading.Condition()

    def most(self, request: int, completion: int) -> float:
        """Return the highest possible cost of a call with `request` bytes and a reply of `completion` tokens."""
        return self._price(request + _FRAME, completion)

    def take(self, most: float) -> bool:
        """Return whether the budget allows one more call; if so, count the call and reserve its highest cost, `most`.

        Waits for running calls if their actual cost may leave enough for this call.
        """
        limits = self.limits
        with self._ended:
            if limits.cost is not None:
                # Running calls usually cost less than reserved, so wait for them.
                while self._under_way and self.spent + self._reserved + most > limits.cost:
                    self._ended.wait()
                if self.spent + self._reserved + most > limits.cost:
                    self.reached = f"{opt('max_cost', limits.cost)}"
            if limits.calls is not None and self.calls >= limits.calls:
                self.reached = f"{opt('max_calls', limits.calls)}"
            if self.reached:
                return False
            self.calls += 1
            self._under_way += 1
            self._reserved += most
            return True

    def settle(self, most: float, tokens: tuple[int, int] | None) -> None:
        """Replace the reserved cost `most` of a call by its actual cost.

        `tokens` are those of the request and of the reply. None means that they are unknown, so that the reserved cost
        counts.
        """
        with self._ended:
            self._under_way -= 1
            self._reserved = self._reserved - most if self._under_way else 0.0
            self.prompt_tokens += tokens[0] if tokens else 0
            self.completion_tokens += tokens[1] if tokens else 0
            self.spent += self._price(*tokens) if tokens else most
            self._ended.notify_all()

    def _price(self, prompt_tokens: int, completion_tokens: int) -> float:
        per_token = [(price or 0.0) / 1e6 for price in (self.limits.price_in, self.limits.price_out)]
        return prompt_tokens * per_token[0] + completion_tokens * per_token[1]


class Meter:
    """A counter of the cost of one call, which may need several attempts.

    The cost of every attempt must be settled, because other calls wait until it is known.
    """

    def __init__(self, budget: Budget, body: Mapping[str, Any]) -> None:
        self._budget, self._open = budget, False
        self._most = budget.most(len(json.dumps(body).encode()), int(body["max_tokens"]))

    def start(self) -> bool:
        """Return whether the budget allows one more attempt of this call; if so, reserve its cost."""
        self._open = self._budget.take(self._most)
        return self._open

    def failed(self, *, maybe_paid: bool) -> None:
        """Settle the cost of a failed attempt: its highest cost if it was `maybe_paid`, else 0."""
        self.settle(None if maybe_paid else (0, 0))

    def settle(self, tokens: tuple[int, int] | None) -> None:
        """Settle the cost of the last attempt, if this was not done before; None means an unknown number of tokens."""
        if self._open:
            self._open = False
            self._budget.settle(self._most, tokens)
