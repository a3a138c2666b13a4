"""Write the page on the audit of measures, which shows some measures, and the tables of all of them.

    python tools/audit.py           writes docs/evidence/audit.md, audit.csv and audit_systems.csv

`nescio audit -o FILE.md` writes all of it as one page. A test compares the files with the current findings.
"""

from __future__ import annotations

import csv
import io
import math
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nescio.data.results import Audit

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
PAGE, FOUND, EARNED = DOCS / "audit.md", DOCS / "audit.csv", DOCS / "audit_systems.csv"
SHOWN = (  # the measures on the page; the tables have all of them
    "accuracy", "c@1", "precision", "eq6", "penalty(t=0.75)", "UF", "UF01", "all_unanswered_right", "coverage", "AUROC",
    "AURC", "ECE", "Brier", "CWS", "abstention_F1", "simpleqa.F", "pan.c@1", "trec.RR",
)  # fmt: skip
PICTURE = (
    "![Which honest systems each cheat matches by each measure: by accuracy and c@1 none, by precision one right "
    "answer matches the perfect one](../assets/pictures/audit.svg)\n"
)
LINKS = """\
The page shows some measures. [audit.csv](audit.csv) has every measure and test with the smallest counterexample.
[audit_systems.csv](audit_systems.csv) has what the systems earn. `nescio audit -m NAME` prints the same for any
measure, your own among them.
"""


def command() -> str:
    """Return the command that the page names for making it."""
    found = re.search(r"^    (nescio audit .*) -o audit\.md$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"{PAGE} does not say which command made it")
    return found.group(1)


def forms() -> list[str]:
    """Return the forms of measures that this command names besides the registered measures."""
    arguments = shlex.split(command())
    return [arguments[i + 1] for i, argument in enumerate(arguments) if argument == "-m"]


def everything() -> Audit:
    """Return the audit of every registered measure, and of the forms that the command names."""
    from nescio.meta_evaluation.audit import audit, registered

    return audit(registered(forms()))


def pages(results: Audit) -> dict[Path, str]:
    """Return the page and the tables beside it."""
    from nescio.reporting.audit import made, overview

    page = overview(results).replace("\n**Cheats**", f"\n{PICTURE}\n**Cheats**")
    page = page.replace("## Every measure, every test\n", f"## Some measures, every test\n\n{LINKS}")
    kept = [line for line in page.split("\n") if not line.startswith("| ") or _is_shown(line)]
    found, earned = tables(results)
    return {PAGE: "\n".join([*kept, made(results)]), FOUND: _written(found), EARNED: _written(earned)}


def _is_shown(line: str) -> bool:
    return line.startswith(("| measure |", "| --- |", *(f"| {name} |" for name in SHOWN)))


def tables(results: Audit) -> tuple[list[list[str]], list[list[str]]]:
    """Return the findings of each test of each measure, and the score of each system, both with a head."""
    from nescio.reporting.audit import words

    found = [[row.measure, row.test, row.result, words(row)] for row in results if row.result != "not applicable"]
    earned = [
        [row.measure, row.system, "undefined" if math.isnan(row.value) else f"{row.value:.6g}"]
        for row in results.tables["scores"]
    ]
    return [["measure", "test", "result", "finding"], *found], [["measure", "system", "value"], *earned]


def _written(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    for path, page in pages(everything()).items():
        path.write_text(page, encoding="utf-8")
