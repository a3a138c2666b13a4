"""Makes the pages on the audit of measures: what it tests, with the verdicts, and beside it what breaks each measure.

    python tools/audit.py           writes docs/audit.md and docs/audit-counterexamples.md

`nescio audit -o FILE.md` writes the same as one page. A test holds the pages to what is found now.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nescio.data.results import Audit

DOCS = Path(__file__).parents[1] / "docs"
PAGE, SECOND = DOCS / "audit.md", DOCS / "audit-counterexamples.md"
PICTURE = (
    "![Which honest systems each cheat matches by each measure: by accuracy and c@1 none, by precision one right "
    "answer matches the perfect one](assets/pictures/audit.svg)\n"
)
LINK = "[What breaks each measure?](audit-counterexamples.md) has the smallest counterexample to each axiom.\n"
HEAD = """# What breaks each measure?

What the [audit](audit.md) found of each measure: the cheats that succeed and the smallest counterexample to each axiom.
C, W and U count right, wrong and unanswered questions; brackets hold what else the measure sees. `nescio audit -m NAME`
shows the same for any measure, your own among them.
"""


def command() -> str:
    """Return the command that the page says it was made by."""
    found = re.search(r"^    (nescio audit .*) -o audit\.md$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"{PAGE} does not say which command made it")
    return found.group(1)


def forms() -> list[str]:
    """Return the measures that this command names beside all that are registered."""
    arguments = shlex.split(command())
    return [arguments[i + 1] for i, argument in enumerate(arguments) if argument == "-m"]


def everything() -> Audit:
    """Audit every registered measure, and the forms that the command names."""
    from nescio.meta_evaluation.audit import audit, registered

    return audit(registered(forms()))


def pages(results: Audit) -> dict[Path, str]:
    """Return both pages."""
    from nescio.reporting.audit import counterexamples, made, overview

    first = overview(results).replace("\n**Cheats**", f"\n{PICTURE}\n**Cheats**")
    first = first.replace("## Every measure, every test\n", f"## Every measure, every test\n\n{LINK}")
    second = counterexamples(results).replace("\n### ", "\n## ").replace("### ", "## ", 1)
    return {PAGE: f"{first}\n{made(results)}", SECOND: f"{HEAD}\n{second}"}


if __name__ == "__main__":
    for path, page in pages(everything()).items():
        path.write_text(page, encoding="utf-8")
