"""Tell what a prompt asks from what a run puts into all of its prompts, for logs that know a question by its number."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Any

from nescio.data.changed_questions import plain
from nescio.sources.elements import objects_in, texts_in

# what OpenAI evals puts before a message if the model reads a text instead of messages
_SPEAKER = re.compile(r"^(?:System|User|Assistant): ?", re.MULTILINE)
_ENDS_IN_A_WORD = re.compile(r"[0-9a-z]+$")


def own_texts(prompts: Mapping[str, Any]) -> dict[str, str]:
    """Return the prompt of each sample without what all prompts of the run have, which its model or template adds.

    That is the lines that all prompts have, and then the beginning and the end, in whole words, that all remaining
    texts have. If the prompts are all the same, they are all that was asked, and nothing is left out.
    """
    lines = {name: prompt_lines for name, prompt in prompts.items() if (prompt_lines := _lines(prompt))}
    if len({*map(tuple, lines.values())}) < 2:
        return {name: "\n".join(prompt_lines) for name, prompt_lines in lines.items()}
    of_all = set.intersection(*map(set, lines.values()))
    texts = {
        name: "\n".join(line for line in prompt_lines if line not in of_all) for name, prompt_lines in lines.items()
    }
    begun = _ENDS_IN_A_WORD.sub("", _begun([*filter(None, texts.values())]))
    texts = {name: text[len(begun) :] for name, text in texts.items()}
    ended = _ENDS_IN_A_WORD.sub("", _begun([text[::-1] for text in texts.values() if text]))
    return {name: text[: len(text) - len(ended)].strip() for name, text in texts.items()}


def shared_words(prompts: Collection[Any], besides: Collection[str] = ()) -> list[str]:
    """Return what all of the prompts say: the words with which they begin, and the lines with which they end.

    The lines between may be those of the answers, which may have a line in common. So the lines of the texts `besides`,
    which some of the prompts quote, are left out. The result is empty unless there are two different prompts.
    """
    lines = [prompt_lines for prompt in prompts if (prompt_lines := _lines(prompt))]
    if len({*map(tuple, lines)}) < 2:
        return []
    quoted = {line for text in besides for line in _lines(text)}
    begun = _same(["\n".join(prompt_lines).split() for prompt_lines in lines])
    ended = _same([prompt_lines[::-1] for prompt_lines in lines])[::-1]
    return [*filter(None, [" ".join(begun)]), *(line for line in ended if line not in quoted)]


def _begun(texts: Collection[str]) -> str:
    """Return the longest text with which all texts begin."""
    return "".join(_same([min(texts), max(texts)])) if texts else ""


def _same(texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the parts with which all texts begin."""
    return [parts[0] for parts in takewhile(lambda parts: len({*parts}) == 1, zip(*texts, strict=False))]


def _lines(prompt: Any) -> list[str]:
    """Return the different lines of a prompt, which are the same for a list of messages and for one text."""
    messages = [message.get("content", message.get("prompt")) for message in objects_in(prompt)]
    messages = messages or [_SPEAKER.sub("", str(prompt or ""))]
    lines = (plain(line) for text in texts_in(messages) for line in text.splitlines())
    return [line for line in dict.fromkeys(lines) if line]
