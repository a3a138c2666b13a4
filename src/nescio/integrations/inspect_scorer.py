"""The scorer that Inspect finds by itself if nescio is installed (entry point `inspect_ai`); it counts abstentions.

inspect score logs/mine.eval --scorer nescio/abstaining -S judge=fitting -S declined="I don't know.*"
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nescio.data.outcomes import CORRECT, INCORRECT, SILENT
from nescio.integrations import state_of
from nescio.integrations.inspect import measure

_inspect = import_module("inspect_ai.scorer")
VALUES = {CORRECT: _inspect.CORRECT, INCORRECT: _inspect.INCORRECT, SILENT: _inspect.NOANSWER}


@_inspect.scorer(metrics=[measure("c@1"), measure("accuracy"), measure("coverage")])  # type: ignore[untyped-decorator]
def abstaining(judge: str = "exact", declined: str | None = None) -> Any:
    """Return a scorer for Inspect that grades each answer by a judge of nescio: C if correct, I if incorrect, N if
    unanswered.

    An answer is unanswered if it is empty or matches `declined` as a whole. An answer that the judge cannot grade is
    NaN, which Inspect leaves out. Raises UnknownNameError for the judge.
    """
    patterns = () if declined is None else (declined,)

    async def score(state: Any, target: Any) -> Any:
        completion = state.output.completion
        state_number = state_of(completion, list(target), judge=judge, declined_pattern=patterns)
        return _inspect.Score(value=VALUES.get(state_number, float("nan")), answer=completion)

    return score
