"""Write a skill for coding agents: when to use nescio, how, and what never to do with its figures.

The file is made from what the commands declare, as --help is. Agents that read skills find it as nescio/SKILL.md in
their folder of skills; without -o it is printed.

\b
nescio skill
nescio skill -o SKILL.md
"""

from __future__ import annotations

from pathlib import Path

from nescio.cli.output import say
from nescio.options import Request, option, verb
from nescio.verbs._skill import text, write


class SkillRequest(Request):
    """What `nescio skill` is asked."""

    output: Path | None = option(
        default=None, flags=("-o", "--output"), metavar="FILE", help="The file to write, such as SKILL.md."
    )


@verb(SkillRequest, name="skill", prints="")
def skill(request: SkillRequest) -> None:
    if request.output is None:
        print(text(), end="")
        return
    write(request.output)
    say(f"wrote {request.output}")
