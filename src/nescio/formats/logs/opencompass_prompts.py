"""Find the prompts of the model and of the judge in the items of OpenCompass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nescio.sources.elements import part_of

EXAMPLE = "example_abbr"
VERDICTS = ("correct", "is_correct", "cascade_correct")
LETTER, JUDGED = "grade_letter", {"prediction", "gold"}
Item = Mapping[str, Any]


def _is_of_judge(item: Item) -> bool:
    """Return whether an item holds only what a judge was asked and said: its prompt is that of the judge."""
    judge_only = {*item} >= JUDGED and not any(item.get(name) is not None for name in VERDICTS)
    return LETTER in item or judge_only


def judges_prompts(item: Item) -> Iterator[Any]:
    """Yield the prompts of the judge about an item."""
    if _is_of_judge(item):
        prompt = item.get("origin_prompt")
        yield from prompt if EXAMPLE in item and isinstance(prompt, list) else [prompt]
    for name, part in item.items():
        if name not in ("rule_evaluation", "origin_prediction") and isinstance(part, dict):
            yield part.get("origin_prompt")


def prompt_of(item: Item) -> Any:
    """Return the prompt of the model for an item, or None."""
    held = [item.get("origin_prediction"), item.get("rule_evaluation")]
    prompts = [item.get("prompt"), None if _is_of_judge(item) else item.get("origin_prompt")]
    return first_of([*prompts, *(part_of(part, "origin_prompt") for part in held)])


def first_of(values: Iterable[Any]) -> Any:
    """Return the first value that is not None, or None."""
    return next((value for value in values if value is not None), None)
