"""A language model as a judge, at any OpenAI-compatible endpoint.

`prompts` is what it is asked and how a reply is read, `client` one call and its failures, `cache` what was paid for, `budget` what
may be spent, `grading` many calls at once, `judge` all of them together. This file imports none of them: they take time.
"""

from __future__ import annotations

from nescio.data.model import Question
from nescio.errors import UsageError
from nescio.judging._judge import judge


@judge("llm")
def _named(question: Question, answer: str) -> bool:  # noqa: ARG001  it is known by name, and needs an endpoint
    raise UsageError("the judge `llm` needs an endpoint: nescio judge --judge llm --base-url URL --model NAME")
