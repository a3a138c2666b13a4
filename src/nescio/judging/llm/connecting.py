"""Make a judge from a language model, its endpoint, its limits and its cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from nescio.data.notes import Note, note
from nescio.errors import UsageError, opt
from nescio.judging.llm.budget import Limits
from nescio.judging.llm.cache import own_cache
from nescio.judging.llm.client import Endpoint
from nescio.judging.llm.judge import LLM
from nescio.options.edge import Progress

KEY = "OPENAI_API_KEY"


class ModelOptions(Struct, frozen=True):
    """The options of the model of `--judge llm`. None means the default of `LLM`, `Endpoint` or `Limits`.

    `api_key_env` names the environment variable with the key. `max_cost` and the prices per million tokens are amounts
    of money. `timeout` is in seconds per attempt. `cache` is the file for grades.
    """

    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    concurrency: int | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    retries: int | None = None
    cache: Path | None = None
    retry_ungraded: bool | None = None

    def given(self) -> list[str]:
        """Return those options of the language model that the user has set, spelled as the user spells them."""
        return [opt(name) for name in self.__struct_fields__ if getattr(self, name) is not None]

    def some(self, *names: str) -> dict[str, Any]:
        """Return those of the options `names` that the user has set, keyed by name."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def warnings(options: ModelOptions) -> list[Note]:
    """Return notes for the user before anything is sent. Raises UsageError for an invalid endpoint."""
    if options.base_url is None:
        return []
    endpoint = _endpoint(options)
    if endpoint.key and not endpoint.local and endpoint.url.startswith("http:"):
        return [note("llm.not_encrypted", "the API key is sent over an unencrypted connection")]
    return []


def _endpoint(options: ModelOptions) -> Endpoint:
    return Endpoint(str(options.base_url), _key(options.api_key_env), **options.some("timeout", "retries"))


def connect(
    options: ModelOptions, *, progress: Progress | None = None, waiting: Callable[[Path], None] | None = None
) -> LLM:
    """Return a language model as judge. Raises UsageError for a missing or invalid option.

    `progress` is called with the number of graded answers and their total. `waiting` is called with the path of the
    cache if a stopped run waits for running calls.
    """
    for name in ("base_url", "model"):
        if getattr(options, name) is None:
            raise UsageError(f"{opt('judge', 'llm')} needs {opt(name)}")
    cache = own_cache() if options.cache is None else options.cache
    hooks: dict[str, Any] = {"progress": progress} if progress else {}
    if waiting is not None:
        hooks["waiting"] = lambda: waiting(cache)
    return LLM(
        _endpoint(options),
        str(options.model),
        cache,
        Limits(options.max_calls, options.max_cost, options.price_in, options.price_out),
        notes=warnings(options),
        **hooks,
        **options.some("concurrency", "max_tokens", "retry_ungraded"),
    )


def _key(variable: str | None) -> str | None:
    value = os.environ.get(variable or KEY)
    if variable and not value:
        raise UsageError(f"the environment variable {variable} holds no key")
    return value or None
