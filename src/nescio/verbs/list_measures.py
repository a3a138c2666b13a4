"""List the measures, or explain one: formula, range, source.

An explanation also says what happens at 0/0 (an undefined value is not 0) and what `nescio audit` found.

\b
nescio measures
nescio measures c@1
nescio measures 'penalty(t=0.75)'
"""

from __future__ import annotations

from typing import Any

from nescio.measures import REGISTRY, Measure, parse
from nescio.meta_evaluation.audit import with_defaults
from nescio.options import argument, verb
from nescio.pipeline.options import Extended
from nescio.plugins import load_installed
from nescio.reporting import catalogue
from nescio.verbs._shared import measure_names


class MeasuresRequest(Extended):
    """The options of `nescio measures`."""

    name: str | None = argument(
        kw_only=False,
        default=None,
        argument=True,
        metavar="NAME",
        complete=measure_names,
        help="The measure to explain.",
    )


def present(found: tuple[Measure, ...] | Measure, how: Any) -> None:
    """Print the list, or the page of one measure."""
    if isinstance(found, Measure):
        in_json = how.form == "json"
        print(catalogue.as_json([found.declaration], found)) if in_json else catalogue.show_one(found)
        return
    declarations = [measure.declaration for measure in found]
    catalogue.show_all(declarations) if how.form == "table" else print(catalogue.as_json(declarations))


@verb(MeasuresRequest, name="measures", present=present, prints="json")
def list_measures(request: MeasuresRequest) -> Any:
    name = request.name
    if name is not None:
        return with_defaults(REGISTRY[name]) if name in REGISTRY else parse(name)
    load_installed()
    declarations = sorted(REGISTRY.values(), key=lambda d: ("." in d.name, d.name.lower()))
    return tuple(map(with_defaults, declarations))
