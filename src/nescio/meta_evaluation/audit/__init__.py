"""Test whether a measure can be cheated, and which axioms it obeys: section 3 of Peñas & Rodrigo (2011) as a program.

Everything is computed, and no measure is treated specially. "Holds" means that a search of many tables of counts found
no counterexample; it is not a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter

from msgspec import Struct

from nescio.data.notes import note
from nescio.data.results import Audit, Finding
from nescio.data.signature import sign
from nescio.errors import UsageError, names_nearest
from nescio.measures import REGISTRY, Declaration, Measure, parse
from nescio.meta_evaluation.audit import _axioms, _cheats, _kinds
from nescio.options.edge import Progress
from nescio.plugins import load_installed
from nescio.stats.resampling import Block
from nescio.stats.streams import Stream

TESTS = (*((name, "cheat") for name in _cheats.CHEATS), *((name, "axiom") for name in _axioms.AXIOMS))
# numbers of questions; with fewer, honest systems that are right on just over half look like guessing
FEWEST, MOST = 200, 10_000
SEARCHED = note(
    "audit.searched", '"holds" means that a search of tables of counts found no counterexample; it is not a proof'
)


class Earned(Struct, frozen=True):
    """The score of one system in the audit.

    The system is a cheat, or an honest system whose name tells its share of right answers.
    """

    measure: str
    system: str
    value: float


@names_nearest
def audit(
    measures: Sequence[str | Measure] | str | None = None,
    *,
    questions: int = 500,
    seed: int = 0,
    progress: Progress | None = None,
) -> Audit:
    """Return the results of testing measures against cheating systems and axioms; by default all registered measures.

        [row.test for row in nescio.audit("c@1") if row.result == "fails"]

    Cheats play on a collection of `questions` (an even number from 200 to 10,000) against honest systems. The cheats
    are: all unanswered; one sure right answer; one wrong answer; random answers (right once in five); random
    abstention. Axioms are searched over all small tables of counts and over random ones drawn from `seed`. They are:
    the measure equals accuracy if all is answered; abstaining in place of a wrong answer never lowers the score;
    abstaining in place of a right answer never raises it; a system that answers nothing scores 0; the score is bounded.
    `tables["scores"]` has the systems' scores. Rows are `Finding`s.

    Raises UnknownNameError or UsageError for an unknown measure, and for invalid numbers.
    """
    names = [measures] if isinstance(measures, str) else measures or ()
    wanted = list({measure.label: measure for measure in map(parse, names)}.values()) or registered()
    rows: list[Finding] = []
    earned: list[Earned] = []
    for done, measure in enumerate(wanted, 1):
        findings, scores = audit_one(measure, questions, seed)
        rows += findings
        earned += scores
        if progress:
            progress(done, len(wanted))
    line = sign(measures="+".join(m.name for m in wanted), questions=questions, seed=seed)
    return Audit(tuple(rows), line, (SEARCHED,), "audit", {"scores": tuple(earned)})


def registered(more: Sequence[str] = ()) -> list[Measure]:
    """Return all registered measures with default parameters, and the measures named in `more`.

    The measures have the order in which `nescio measures` lists them.
    """
    load_installed()
    extra = [parse(name) for name in more]
    by_label = {measure.label: measure for measure in [*map(with_defaults, REGISTRY.values()), *extra]}
    return sorted(by_label.values(), key=lambda m: ("." in m.declaration.name, m.declaration.name.lower()))


def with_defaults(declaration: Declaration) -> Measure:
    """Return a measure with its defaults; a parameter without a default gets its own name, as in mean(column)."""
    needed = {name: name for name, default in declaration.parameters.items() if default is Parameter.empty}
    label = declaration.name + (f"({', '.join(needed)})" if needed else "")
    try:
        return declaration.bind(label, needed)
    except (UsageError, TypeError):  # The parameter is not the name of a column, so nothing can be computed.
        return Measure(label, label, tuple(needed), (float("-inf"), float("inf")), declaration)


def audit_one(measure: Measure, questions: int = 500, seed: int = 0) -> tuple[list[Finding], list[Earned]]:
    """Return the results of all tests of one measure, and the scores of the systems.

    The results do not depend on which other measures are audited.
    """
    nan = float("nan")
    missing = _kinds.lacking(measure)
    if missing or measure.declaration.repeats:
        why = f"it needs {' and '.join(map(repr, missing))}, which outcomes alone do not determine"
        if not missing:
            why = "it needs several answers to each question, but the systems of the audit answer each question once"
        none = (nan, nan, nan, why, 0, 0)
        return [Finding(measure.label, test, kind, "not applicable", *none) for test, kind in TESTS], []
    cheats, scores = _cheats.play(measure, questions)
    axioms = _axioms.search(measure, Block(0, 1, seed).generator(Stream.AUDIT))
    rows = [
        Finding(measure.label, c.cheat, "cheat", c.result, c.value, c.against, c.worth, c.text, c.cases, c.undefined)
        for c in cheats
    ] + [
        Finding(measure.label, a.axiom, "axiom", a.result, a.value, a.against, nan, a.text, a.cases, a.undefined)
        for a in axioms
    ]
    return rows, [Earned(measure.label, system, value) for system, value in scores.items()]
