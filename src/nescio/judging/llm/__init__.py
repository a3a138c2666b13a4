"""A language model as a judge, at any OpenAI-compatible endpoint.

`prompts` is what it is asked and how a reply is read, `client` one call and its failures, `cache` what was paid for,
`budget` what may be spent, `grading` many calls at once, `judge` all of them together. This file imports none of them:
they take time.
"""

from __future__ import annotations

from nescio.errors import UsageError
from nescio.judging._judge import Judge, Resources, factory


@factory("llm")
def _model(resources: Resources) -> Judge:
    """Ask a language model at its endpoint: `nescio judge --judge llm --base-url URL --model NAME`."""
    if resources.model is None:
        raise UsageError("the judge `llm` needs an endpoint: nescio judge --judge llm --base-url URL --model NAME")
    return resources.model()
