"""The pages of a campaign: plain HTML with the look of the reports, without a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nescio._version import __version__
from nescio.campaigns.runs import Fault
from nescio.reporting.page.rendering import asset, templates
from nescio.text import sanitize


def faults_page(campaign: str, files: Sequence[Any], faults: Iterable[Fault]) -> str:
    """Return the page of what is wrong with runs."""
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    return rendered("faults.html.jinja", f"Check of {campaign}", files=files, by_file=by_file)


def rendered(template: str, title: str, *, above: Mapping[str, str] | None = None, **values: Any) -> str:
    """Return a page: `template` filled in, its style inside, with nothing that is fetched or run; `above` are links to
    the pages above it, by their names."""
    from markupsafe import Markup

    return (
        templates("nescio.campaigns", "html")
        .get_template(template)
        .render(
            title=sanitize(title, 200, target="page"),
            above=above or {},
            style=Markup(asset("page.css")),
            nescio=__version__,
            **values,
        )
    )
