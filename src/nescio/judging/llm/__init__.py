"""A language model as a judge, at any OpenAI-compatible endpoint.

`prompts` is what it is asked and how a reply is read, `client` one call and its failures, `cache` the paid grades,
`budget` the limits, `grading` many calls at once, and `judge` all of them together. They take time to import, so this
file imports none.
"""

from __future__ import annotations

from nescio.errors import UsageError, opt
from nescio.judging._judge import Judge, Resources, factory


@factory("llm")
def _model(resources: Resources) -> Judge:
    """Ask a language model at its endpoint: `nescio judge --judge llm --base-url URL --model NAME`."""
    if resources.model is None:
        raise UsageError(
            f"the judge `llm` needs an endpoint: use `nescio judge` with {opt('judge', 'llm')},"
            f" {opt('base_url', of='URL')} and {opt('model', of='NAME')}"
        )
    return resources.model()
