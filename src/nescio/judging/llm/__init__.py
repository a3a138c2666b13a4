"""A language model as a judge, at any OpenAI-compatible endpoint.

`prompts` has the prompt and the reading of replies, and `client` a call and its failures. `cache` has the paid grades,
`budget` the limits, and `grading` many calls at once; `judge` joins them. Their import takes time, so this file imports
none.
"""

from __future__ import annotations

from nescio.errors import UsageError, opt
from nescio.judging._judge import Judge, Resources, factory


@factory("llm")
def _model(resources: Resources) -> Judge:
    """Return a language model as judge at its endpoint: `nescio judge --judge llm --base-url URL --model NAME`."""
    if resources.model is None:
        raise UsageError(
            f"the judge `llm` needs an endpoint: use `nescio judge` with {opt('judge', 'llm')},"
            f" {opt('base_url', of='URL')} and {opt('model', of='NAME')}"
        )
    return resources.model()
