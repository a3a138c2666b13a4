"""Write the page on the audit of measures, which shows some measures, and the tables of all of them.

    python tools/audit.py           writes docs/evidence/audit.md, audit.csv and audit_systems.csv

`nescio audit -o FILE.md` writes all of it as one page. A test compares the files with the current findings.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nescio.data.results import Audit

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
PAGE, FOUND, EARNED = DOCS / "audit.md", DOCS / "audit.csv", DOCS / "audit_systems.csv"
FORMS = (  # besides the registered measures
    "accuracy@coverage(1)", "effective_reliability(cost=0)", "effective_reliability(cost=10)", "formula_scoring(k=2)",
    "penalty(t=0)", "penalty(t=0.75)", "risk@coverage(1)",
)  # fmt: skip
SHOWN = (  # the measures on the page; the tables have all of them
    "accuracy", "c@1", "UF", "UF01", "simpleqa.F", "precision", "eq6", "penalty(t=0.75)", "all_unanswered_right",
    "coverage", "AUROC", "AURC", "ECE", "Brier", "CWS", "abstention_F1",
)  # fmt: skip
TEXT = """\
# Can the measures be gamed, and which axioms do they satisfy?

Only {sound} of {audited} audited measures resist every cheat and satisfy every axiom, c@1 and accuracy among them. By
precision, one right answer is as good as a perfect system.

![Which honest systems each cheat matches by each measure: by accuracy and c@1 none, by precision one right answer \
matches the perfect one](../assets/pictures/audit.svg)

{table}

*Cheated* names the share of right answers of the best honest system that the cheat matches (random silence:
that gains). The [definitions of cheats and axioms](../explanation/silence.md#cheats-and-axioms) are on another page.

If one sure answer is enough for a perfect score, put coverage beside the measure. A penalty sets a price on
wrong answers, at which abstaining *is* better than answering; its percentage is that price. Most measures of confidence
ask how well a system knows what it knows, so they need not equal accuracy. *Resists*, and an axiom that is not named,
are results of a search, not proofs. `nescio audit -m NAME` shows the smallest counterexample for any measure, your own
among them.

Set-up: cheats play on {questions} questions against systems that are right on 51% to 100%. Axioms are tried on every
table of up to 22 questions (fewer where a measure sees more than outcomes), and on 400 random tables.

Made by `python tools/audit.py`. All figures: [audit.csv](audit.csv), [audit_systems.csv](audit_systems.csv).
"""


def everything() -> Audit:
    """Return the audit of every registered measure, and of of the forms named above."""
    from nescio.meta_evaluation.audit import audit, registered

    return audit(registered(FORMS))


def pages(results: Audit) -> dict[Path, str]:
    """Return the page and the tables beside it."""
    found, earned = tables(results)
    passed: dict[str, bool] = {}
    for measure, _, result, _ in found[1:]:
        passed[measure] = passed.get(measure, True) and result in ("resists", "holds")
    facts = {"audited": len(passed), "sound": sum(passed.values()), "questions": results.signature["questions"]}
    page = TEXT.format(**facts, table="\n".join(shown(results)))
    return {PAGE: page, FOUND: _written(found), EARNED: _written(earned)}


def shown(results: Audit) -> list[str]:
    """Return a row for each measure on the page: each cheat, and the axioms that do not hold."""
    from nescio.meta_evaluation.audit import TESTS

    by_test = {(row.measure, row.test): row for row in results}
    cheats, axioms = ([test for test, kind in TESTS if kind == of] for of in ("cheat", "axiom"))
    lines = [f"| measure | {' | '.join(cheats)} | axioms that fail |", "| --- |" + " --- |" * (len(cheats) + 1)]
    for name in dict.fromkeys(row.measure for row in results if row.measure in SHOWN):
        found = [by_test[name, cheat] for cheat in cheats]
        cells = [f"cheated, {100 * row.worth:.0f}%" if row.result == "cheated" else row.result for row in found]
        failing = {
            kind: [one for one in axioms if by_test[name, one].result == kind] for kind in ("fails", "undefined")
        }
        broken = ", ".join(failing["fails"])
        if failing["undefined"]:
            broken += ("; " if broken else "") + f"undefined: {', '.join(failing['undefined'])}"
        lines.append(f"| {name} | {' | '.join(cells)} | {broken or 'none'} |")
    return lines


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
