"""`nescio compare -o FILE.html`: the page of what changed between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nescio.cli import _app
from nescio.cli._again import repeatable

if TYPE_CHECKING:
    from nescio.data.results import Comparisons
    from nescio.pipeline import Loaded

OWN = ("test", "correction", "margin", "ci")  # options of compare that its page repeats


def is_page(output: Path | None) -> bool:
    """Whether a page is asked for."""
    return output is not None and output.suffix.lower() in (".html", ".htm")


def check(output: Path | None, files: Sequence[Path]) -> None:
    """Raise UsageError where `output` could not be written."""
    if output is not None and is_page(output):
        _app.check_place(output, files)
    else:
        _app.check_output(output, files)


def read_two(
    files: Sequence[Path],
    measures: Sequence[str],
    baseline: str | None,
    run: str | None,
    options: dict[str, Any],
    *,
    page: bool,
) -> Loaded:
    """What the files hold of two runs, the old one first. Raises what `two_runs` and the readers raise.

    A run whose ungraded answers are taken both ways, named as in the files, stands there twice; a `page` has no room for that.
    """
    from nescio.data.evidence import Evidence
    from nescio.reporting.page.change import two_runs
    from nescio.scoring.score import open_data

    loaded = open_data(list(files), {"strata": None} | options, list(measures) or None)
    ways = None if page else _both_ways(loaded, baseline, run)
    if ways:
        return ways
    pair = two_runs(loaded, baseline, run)
    if not isinstance(loaded.data, Evidence):
        return loaded  # which `compare` then refuses
    data = loaded.data.take_runs([loaded.data.runs.index(name) for name in pair])
    return replace(loaded, data=data, silence=tuple(row for row in loaded.silence if row.run in pair))


def _both_ways(loaded: Loaded, baseline: str | None, run: str | None) -> Loaded | None:
    """Both runs with all their extremes, where they are named as in the files and one of them has two; else None."""
    from nescio.data.evidence import Evidence

    data = loaded.data
    if not isinstance(data, Evidence) or not {baseline, run} & {*data.origins.values()}:
        return None
    origins = [data.origins.get(name, name) for name in data.runs]
    if baseline is None or run is None or not {baseline, run} <= {*origins}:
        return None
    data = data.take_runs([i for wanted in (baseline, run) for i, origin in enumerate(origins) if origin == wanted])
    return replace(loaded, data=data, silence=tuple(row for row in loaded.silence if row.run in (baseline, run)))


def write(loaded: Loaded, found: Comparisons, files: tuple[Path, ...], output: Path, how: dict[str, Any]) -> None:
    """Write the page, whole or not at all."""
    from nescio.reporting.page import texts_of
    from nescio.reporting.page.change import change_page, gather_change
    from nescio.sources.writing import write_text

    old, new = loaded.data.runs
    change = gather_change(loaded, found, (old, new), repeatable(files, OWN), how)
    texts = texts_of(loaded, change.moves.questions) if change.moves else None
    write_text(output, change_page(change, title=f"{change.old} → {change.new}", texts=texts))
    _app.say(f"wrote {output}")
