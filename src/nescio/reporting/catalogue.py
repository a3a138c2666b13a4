"""List the measures, or explain one of them, from their declarations."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from nescio.data.columns import bare
from nescio.measures import Declaration, Measure
from nescio.pipeline import DEFAULT_MEASURES
from nescio.reporting import terminal
from nescio.reporting.grid import make_grid
from nescio.reporting.printing import show_grid, show_lines, show_text

DEFAULT = "*"
ROOMY = 100  # terminals with at least this many columns show a measure on one line
NEEDS = {
    "counts": "From correct, incorrect and unanswered",
    "confidence": "From confidences",
    "answerable": "From questions without an answer (column answerable)",
    "candidate": "From declined candidates (column candidate)",
    "ranked": "From several answers per question (column rank)",
    "repeats": "From several answers to the same question, asked again (column repeat)",
    "assessed": "From assessors' verdicts (R, W, X, U)",
    "graded": "From graded scores",
}
TASKS = {
    "simpleqa": "SimpleQA",
    "crag": "CRAG",
    "squad": "SQuAD 2.0",
    "pan": "PAN: authorship verification",
    "read": "Reading comprehension",
    "nuggets": "Definition questions: nuggets",
    "ave": "Answer validation",
    "trec": "Ranked documents",
}
_READS: tuple[tuple[str, frozenset[str]], ...] = (
    ("ranked", frozenset({"first_right", "k_credit"})),
    ("confidence", frozenset({"confidence", "probability", "self_score", "ranking_score", "selection_score"})),
    ("answerable", frozenset({"answerable"})),
    ("candidate", frozenset({"candidate_correct", "candidate_incorrect"})),
    ("assessed", frozenset({"assessed.inexact", "assessed.unsupported"})),
)
_ORDER = [*NEEDS.values(), *TASKS.values()]
_ARROWS = {"higher": "↑", "lower": "↓", "neither": "–"}


def show_all(declarations: Sequence[Declaration]) -> None:
    """Print the measures in groups by the columns they need, on one line each, or on two in a narrow terminal."""
    for title, members in groups(declarations):
        show_text(title, style="bold")
        facts = map(describe, members)
        names = dict.fromkeys(DEFAULT_MEASURES, f" {DEFAULT}")
        rows = [
            [f"{fact['usage']}{names.get(fact['name'], '')}", _ARROWS[fact["better"]], fact["range"], fact["summary"]]
            for fact in facts
        ]
        if terminal.width() < ROOMY:
            for name, better, bounds, summary in rows:
                show_text(f"{name}  {better} {bounds}")
                show_text(f"    {summary}", hanging="    ")
        else:
            show_grid(make_grid(["", "", "", ""], rows, [True] * 4))
        show_text("")
    show_text(
        f"{DEFAULT} scored where no measure is named; ↑ higher is better, ↓ lower is better, – neither: it "
        "describes a run",
        style="dim",
    )


def groups(declarations: Sequence[Declaration]) -> list[tuple[str, list[Declaration]]]:
    """Return the measures grouped by the columns they need, each group with its title."""
    by_need: dict[str, list[Declaration]] = {}
    for declaration in declarations:
        by_need.setdefault(group_of(declaration), []).append(declaration)
    return sorted(by_need.items(), key=lambda group: _ORDER.index(group[0]))


def group_of(declaration: Declaration) -> str:
    """Return the title of a measure's group: a task, or the columns that the measure reads."""
    space = declaration.name.partition(".")[0] if "." in declaration.name else ""
    if space in TASKS:
        return TASKS[space]
    if not isinstance(declaration.needs, str):
        return NEEDS["graded"]
    if declaration.repeats is not None:
        return NEEDS["repeats"]
    reads = {*declaration.needs.split(), declaration.order or ""}
    return next((NEEDS[name] for name, columns in _READS if reads & columns), NEEDS["counts"])


def show_one(measure: Measure) -> None:
    """Print the whole declaration of a measure, and the findings of its audit."""
    from nescio.meta_evaluation.audit import audit_one
    from nescio.reporting.audit import summary

    declaration = measure.declaration
    facts = describe(declaration) | {"audit": summary(audit_one(measure)[0])}
    formula = declaration.equation
    show_text(facts["usage"], style="bold")
    show_text("")
    show_text(formula if " = " in formula.partition("(")[0] else f"{declaration.name} = {formula}")
    show_text("")
    for paragraph in declaration.doc.replace("$", "").split("\n\n"):
        show_lines(paragraph if "\n    " in paragraph else " ".join(paragraph.split()))
        show_text("")
    facts["better"] = f"{facts['better']} is better"
    for name in ("also", "use", "example", "range", "better", "needs", "order", "interval", "source", "audit"):
        if facts[name]:
            show_text(f"{name + ':':10}{facts[name]}", hanging=" " * 10)


def as_json(declarations: Sequence[Declaration], audited: Measure | None = None) -> str:
    """Return the declarations as JSON. The audit of the measure `audited` is added, if it is given."""
    import msgspec

    facts = [describe(d) for d in declarations]
    if audited:
        from nescio.meta_evaluation.audit import audit

        facts = [fact | {"audit": audit([audited]).records()} for fact in facts]
    return msgspec.json.format(msgspec.json.encode({"measures": facts}), indent=2).decode()


def describe(declaration: Declaration) -> dict[str, Any]:
    """Return the declaration of a measure as plain values for JSON.

    If the measure has parameters, its bounds and the columns it needs are those for the default parameters.
    """
    defaults = declaration.parameters
    bound = {name: value for name, value in defaults.items() if value is not inspect.Parameter.empty}
    shown = [name if value is inspect.Parameter.empty else f"{name}={value}" for name, value in defaults.items()]
    complete = len(bound) == len(defaults)
    needs = declaration.needs.format(**bound) if isinstance(declaration.needs, str) else "the column named"
    bounds = declaration.bounds(**bound) if callable(declaration.bounds) and complete else declaration.bounds
    low, high = bounds if isinstance(bounds, tuple) else (float("-inf"), float("inf"))
    proportion = declaration.proportion
    return {
        "name": declaration.name,
        "usage": declaration.name + (f"({', '.join(shown)})" if shown else ""),
        "summary": declaration.summary,
        "also": ", ".join(declaration.other_names),
        "formula": declaration.equation,
        "use": declaration.use,
        "example": declaration.example,
        "range": f"[{low:.4g}, {high:.4g}]".replace("inf", "∞").replace("[-∞", "(-∞").replace("∞]", "∞)"),
        "needs": ", ".join(needs.split()) if isinstance(declaration.needs, str) else needs,
        "order": f"questions by decreasing {bare(declaration.order)}" if declaration.order else "",
        "interval": f"a proportion: {proportion[0]} of {proportion[1]}" if proportion else "",
        "better": "neither" if declaration.descriptive else "lower" if declaration.lower_is_better else "higher",
        "source": declaration.source,
    }
