"""Audit a measure: can it be gamed, which axioms does it keep?

Gaming systems (all silent, one answer only, random answers, random silence) are scored next to honest ones. A search
then looks for outcome counts that violate an axiom. `docs/explanation/silence.md` and -o FILE.md explain each test.

\b
nescio audit
nescio audit -m c@1 -m precision -m eq6
nescio audit -m 'penalty(t=0.75)' -f json
"""

from __future__ import annotations

from typing import Any

from nescio.data.results import Audit
from nescio.meta_evaluation.audit import FEWEST, MOST, registered
from nescio.meta_evaluation.audit import audit as audit_measures
from nescio.options import Kind, option, verb
from nescio.options.kinds import number
from nescio.verbs._shared import Seeded, WithMeasures, Worked


def _even(value: Any) -> int:
    even: int = number(int, FEWEST, MOST).check(value)
    if even % 2:
        raise ValueError
    return even


EVEN = Kind(f"an even number from {FEWEST} to {MOST:,}", _even, int, int, "N")


class AuditRequest(Seeded, WithMeasures, Worked, reworded={"measures": {"default_words": "every registered measure"}}):
    """The options of `nescio audit`."""

    all: bool = option(default=False, help="Audit all registered measures, in addition to those named by -m.")
    questions: int = option(
        default=500,
        kind=EVEN,
        help="The number of questions for scoring systems that game a measure; it must be even.",
    )


@verb(AuditRequest, working="auditing")
def audit(request: AuditRequest) -> Audit:
    named: Any = request.measures
    measures = registered(named or ()) if request.all else named
    return audit_measures(measures, **request.values(Seeded, Worked), questions=request.questions)
