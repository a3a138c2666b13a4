"""Section 3 of Peñas & Rodrigo (2011) as a program: test whether a measure can be cheated, and which axioms it obeys.

Everything is computed: no measure is known by name. What holds was searched for on many tables of counts, and not
proved.
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
FEWEST, MOST = 200, 10_000  # questions; among fewer, honest systems that are right on just over half look like guessing
SEARCHED = note(
    "audit.searched", '"holds" means that a search of tables of counts found no counterexample; it is not a proof'
)


class Earned(Struct, frozen=True):
    """The score that a measure gives to a system: a cheat, or an honest one that answers everything and has this share
    right."""

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
    """Test measures against cheating systems and axioms: every registered one if none is named.

        [row.test for row in nescio.audit("c@1") if row.result == "fails"]

    Cheats play on a collection of so many `questions` (an even number from 200 to 10,000) against honest systems: all
    silent; one sure right answer, the rest silent; one wrong answer, the rest silent; random answers (right once in
    five); random silence. Axioms are searched over all small tables of counts and over random ones drawn from `seed`:
    equals accuracy where all is answered; silence instead of a wrong answer never lowers the score; silence instead of
    a right answer never raises it; nothing answered scores 0; bounded. `tables["scores"]` has what the systems earn.
    Rows are `Finding`s.

    Raises UnknownNameError or UsageError for a measure that is none, and for numbers that make no sense.
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
    """Every registered measure with its defaults, in the order of `nescio measures`, and `more` measures beside their
    like."""
    load_installed()
    extra = [parse(name) for name in more]
    by_label = {measure.label: measure for measure in [*map(with_defaults, REGISTRY.values()), *extra]}
    return sorted(by_label.values(), key=lambda m: ("." in m.declaration.name, m.declaration.name.lower()))


def with_defaults(declaration: Declaration) -> Measure:
    """Return a measure with its defaults; a parameter that has none is given its own name, as in mean(column)."""
    needed = {name: name for name, default in declaration.parameters.items() if default is Parameter.empty}
    label = declaration.name + (f"({', '.join(needed)})" if needed else "")
    try:
        return declaration.bind(label, needed)
    except (UsageError, TypeError):  # the parameter is not the name of a column, and so nothing can be computed
        return Measure(label, label, tuple(needed), (float("-inf"), float("inf")), declaration)


def audit_one(measure: Measure, questions: int = 500, seed: int = 0) -> tuple[list[Finding], list[Earned]]:
    """All tests of one measure, and what it gives to the systems; the same whichever measures are audited with it."""
    nan = float("nan")
    missing = _kinds.lacking(measure)
    if missing or measure.declaration.repeats:
        why = f"it reads {' and '.join(map(repr, missing))}, which outcomes do not decide"
        why = why if missing else "it reads several answers to a question, and these systems answer each once"
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
