"""Tell what a prompt asks from what a run puts into all of its prompts, for logs that know a question by its number."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import takewhile
from typing import Any

from nescio.data.changed_questions import plain
from nescio.sources.elements import objects_in, texts_in

# what OpenAI evals puts before a message if the model reads a text instead of messages
_SPEAKER = re.compile(r"^(?:System|User|Assistant): ?", re.MULTILINE)


def own_lines(prompts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the lines of the prompt of each sample without those that all prompts have.

    A run may add such lines, as a request to reason, and another system prompt or other shots ask the same questions. A
    single prompt does not show which of its lines are its own, so none remain. If several samples have one and the same
    prompt, its lines remain, because they are all that was asked.
    """
    lines = {name: said for name, prompt in prompts.items() if (said := _lines(prompt))}
    if len(lines) != 1 and len({*map(tuple, lines.values())}) <= 1:
        return lines
    of_all = set.intersection(*map(set, lines.values()))
    return {name: [line for line in said if line not in of_all] for name, said in lines.items()}


def shared_words(prompts: Collection[Any], besides: Collection[str] = ()) -> list[str]:
    """Return what all of the prompts say: the words with which they begin, and the lines that all have.

    The lines of the texts `besides`, which some of the prompts quote, are left out. The result is empty unless there
    are two different prompts.
    """
    lines = [said for prompt in prompts if (said := _lines(prompt))]
    if len({*map(tuple, lines)}) < 2:
        return []
    quoted = {line for text in besides for line in _lines(text)}
    of_all = set.intersection(*map(set, lines)) - quoted
    columns = zip(*("\n".join(said).split() for said in lines), strict=False)
    begun = [words[0] for words in takewhile(lambda words: len({*words}) == 1, columns)]
    return [*filter(None, [" ".join(begun)]), *(line for line in lines[0] if line in of_all)]


def _lines(prompt: Any) -> list[str]:
    """Return the different lines of a prompt, which are the same for a list of messages and for one text."""
    said = [message.get("content", message.get("prompt")) for message in objects_in(prompt)]
    said = said or [_SPEAKER.sub("", str(prompt or ""))]
    lines = (plain(line) for text in texts_in(said) for line in text.splitlines())
    return [line for line in dict.fromkeys(lines) if line]
