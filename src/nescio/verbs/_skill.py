"""What a coding agent is told of nescio, made from what the verbs declare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nescio._version import __version__
from nescio.measures import REGISTRY
from nescio.options import Option
from nescio.sources.writing import write_text
from nescio.verbs import every_verb

ABOUT = (
    "Evaluate question-answering systems (LLMs, RAG) that may decline to answer. Use when scoring, comparing or gating "
    "runs, logs or tables of right, wrong and unanswered answers; when choosing a confidence threshold; and before "
    "saying that one model is better."
)
HEAD = """---
name: nescio
description: {about}
---

# nescio {version}

An answer is correct, incorrect or unanswered, and the three never fold into two. nescio has {measures} measures
(`nescio measures`), puts an interval on every score and tests differences.

## How to work with it

1. `nescio check FILES` first: it says what the files hold and what must be decided. Read its notes.
2. If nescio asks (an error that names options), ask the user. Do not guess what a column or a word means.
3. `nescio score FILES -f json` for figures, `nescio compare FILES --baseline NAME -f json` for differences.
4. Report a score with its interval, a difference with its interval, p and verdict, and the signature as it stands.
5. Without `-f json`, output is for people: do not parse it. Messages are on standard error.

## What not to do

- Do not call a run better without `compare`: overlapping intervals decide nothing, in either direction.
- Do not count unanswered or ungraded answers as wrong, or drop them, to make a command pass.
- Do not repeat `compare` while questions arrive: `nescio look` is for that.
- An undefined value (0/0) is undefined, and not 0.

## Exit status

0 is done, 1 a gate that failed, 2 bad input or usage (with one message), 3 a gate that cannot tell (too few questions),
70 a fault in nescio.
"""


def text() -> str:
    """Return the skill."""
    head = HEAD.format(about=ABOUT, version=__version__, measures=len(REGISTRY))
    return "\n".join([head, "## Commands\n", *commands()]) + "\n"


def write(path: Path) -> None:
    """Write the skill to a file, whole or not at all."""
    write_text(path, text())


def commands() -> Iterator[str]:
    """Yield what each command does and how it is called; in full where assistants have it as a tool."""
    for one in every_verb():
        if not one.tool:
            yield f"- `nescio {one.name}`: {one.about}" + (f" `{one.examples[0]}`" if one.examples else "")
            continue
        yield f"\n### nescio {one.name}\n\n{one.about}\n\n```sh\n" + "\n".join(one.examples) + "\n```\n"
        own = [
            described
            for described in one.request.options.values()
            if not (described.group or described.edge or described.argument)
        ]
        yield from (f"- {_flags(described)}: {described.about}" for described in own)
        yield ""


def _flags(one: Option) -> str:
    return f"`{max(one.given_as, key=len)}`" if one.kind.flag else f"`{max(one.given_as, key=len)} {one.metavar}`"
