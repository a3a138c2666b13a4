"""nescio measures."""

from __future__ import annotations

import click

from nescio.cli import options
from nescio.measures import REGISTRY, parse
from nescio.meta.audit import with_defaults
from nescio.reporting import catalogue


@options.command("measures")
@click.argument("name", required=False)
@options.TABLE_OR_JSON
def command(name: str | None, printed: str) -> None:
    """List the measures, or explain one: formula, range, source.

    An explanation also says what happens at 0/0 (an undefined value is not 0) and what `nescio audit` found.

    \b
    nescio measures
    nescio measures c@1
    nescio measures 'penalty(t=0.75)'
    """
    if name is None:
        declarations = sorted(REGISTRY.values(), key=lambda d: ("." in d.name, d.name.lower()))
        catalogue.show_all(declarations) if printed == "table" else click.echo(catalogue.as_json(declarations))
        return
    known = with_defaults(REGISTRY[name]) if name in REGISTRY else parse(name)
    click.echo(catalogue.as_json([known.declaration], known)) if printed == "json" else catalogue.show_one(known)
