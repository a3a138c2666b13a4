"""Make the pages of a campaign: HTML in the style of the reports; only the page on which people judge has a script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from nescio._version import __version__
from nescio.people.campaigns.faults import Fault
from nescio.reporting.page.rendering import asset, templates
from nescio.reporting.page.shown_text import as_json
from nescio.text import sanitize


def faults_page(campaign: str, checked: Sequence[Any], faults: Iterable[Fault]) -> str:
    """Return the HTML page with the faults of runs, sorted by file."""
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    return rendered("faults.html.jinja", f"Check of {campaign}", files=checked, by_file=by_file)


def rendered(template: str, title: str, *, above: Mapping[str, str] | None = None, **values: Any) -> str:
    """Return the HTML page made from `template` and `values`, which fetches nothing.

    `above` has the links to parent pages, keyed by title.
    """
    from markupsafe import Markup

    return (
        templates("nescio.people.campaigns", "html")
        .get_template(template)
        .render(
            title=sanitize(title, 200, target="page"),
            above=above or {},
            style=Markup(asset("page.css")),
            nescio=__version__,
            **values,
        )
    )


def script_page(title: str, data: Mapping[str, Any], told: str, *, nonce: str = "", **values: Any) -> str:
    """Return the HTML page on which an assessor judges; a security policy allows only the page's own script.

    A server passes a `nonce`, and sends the policy in a header. Without a nonce, the page itself holds a policy, with
    the digest of the script.
    """
    from markupsafe import Markup

    folder = files("nescio.people.campaigns").joinpath("html")
    script = folder.joinpath("judge.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return rendered(
        "judge.html.jinja",
        title,
        data=Markup(as_json(data)),
        told=_as_read(told),
        script=Markup(script),
        nonce=nonce,
        policy=""
        if nonce
        else f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; base-uri"
        " 'none'; form-action 'none'",
        own_style=Markup(folder.joinpath("judge.css").read_text(encoding="utf-8")),
        **values,
    )


def _as_read(text: str) -> str:
    """Return a Markdown text for display: the lines of a paragraph are joined, and headings lose their marks."""
    lines: list[str] = []
    for line in text.splitlines():
        before = lines[-1] if lines else ""
        begins = re.match(r"\s*([-*+>|#]|\d+[.)]|$)", line)
        if begins or not before.strip() or before.startswith("#") or before.endswith("  "):
            lines.append(line)
        else:
            lines[-1] = f"{before} {line.strip()}"
    return "\n".join(re.sub(r"^#+ +", "", line) for line in lines)
