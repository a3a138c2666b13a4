"""The measures as a list, and one of them explained: all of it read from the declarations."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from nescio.data.columns import bare
from nescio.measures import Declaration, Measure
from nescio.reporting import terminal


def show_all(declarations: Sequence[Declaration]) -> None:
    """Print a line a measure."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("measure", "range", "what it says"):
        table.add_column(name, overflow="fold", no_wrap=name != "what it says")
    for declaration in declarations:
        facts = describe(declaration)
        table.add_row(*(Text(str(text)) for text in (facts["usage"], facts["range"], facts["summary"])))
    terminal.console().print(table)


def show_one(measure: Measure) -> None:
    """Print all that the declaration of a measure says, and what its audit found."""
    from rich.text import Text

    from nescio.meta.audit import audit_one
    from nescio.reporting.audit import summary

    declaration = measure.declaration
    facts = describe(declaration) | {"audit": summary(audit_one(measure)[0])}
    console = terminal.console(width=None)
    console.print(Text(facts["usage"], style="bold"))
    console.print(Text("\n" + declaration.doc + "\n"))
    for name in ("range", "needs", "order", "interval", "source", "audit"):
        if facts[name]:
            console.print(Text(f"{name + ':':10}{facts[name]}"))


def as_json(declarations: Sequence[Declaration], audited: Measure | None = None) -> str:
    """Return the same facts for programs; of one measure with its audit, as `nescio audit -f json` has it."""
    import msgspec

    facts = [describe(d) for d in declarations]
    if audited:
        from nescio.meta.audit import audit

        facts = [fact | {"audit": audit([audited]).records()} for fact in facts]
    return msgspec.json.format(msgspec.json.encode({"measures": facts}), indent=2).decode()


def describe(declaration: Declaration) -> dict[str, Any]:
    """Return a declaration as plain values; bounds and needs are those of the default parameters."""
    defaults = declaration.parameters
    bound = {name: value for name, value in defaults.items() if value is not inspect.Parameter.empty}
    shown = [name if value is inspect.Parameter.empty else f"{name}={value}" for name, value in defaults.items()]
    complete = len(bound) == len(defaults)
    needs = declaration.needs if isinstance(declaration.needs, str) else "the column named"
    bounds = declaration.bounds(**bound) if callable(declaration.bounds) and complete else declaration.bounds
    low, high = bounds if isinstance(bounds, tuple) else (float("-inf"), float("inf"))
    proportion = declaration.proportion
    return {
        "name": declaration.name,
        "usage": declaration.name + (f"({', '.join(shown)})" if shown else ""),
        "summary": declaration.summary,
        "formula": declaration.latex,
        "range": f"[{low:.4g}, {high:.4g}]".replace("inf", "∞").replace("[-∞", "(-∞").replace("∞]", "∞)"),
        "needs": ", ".join(needs.split()) if isinstance(declaration.needs, str) else needs,
        "order": f"questions by decreasing {bare(declaration.order)}" if declaration.order else "",
        "interval": f"a proportion: {proportion[0]} of {proportion[1]}" if proportion else "",
        "better": "lower" if declaration.lower_is_better else "higher",
        "source": declaration.source,
    }
