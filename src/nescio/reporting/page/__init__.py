"""Pages: one HTML file that holds all it needs, made from results.

`report_data` gathers what is known of all runs for the report; `sentence`, `leaderboard`, `figures`, `confidence` and
`studies` turn it into what the report shows. `moves` says what became of each question between two runs, and `change`
makes the page of that. Both share the question `browser`, `drawing` and `rendering`, whose templates have one frame
(`base.html.jinja`) and one set of parts (`parts.html.jinja`). Charts are drawn here to SVG, in two widths: a page
without a chart engine is small, opens at once, and needs no right to run code made at run time.
"""

from pathlib import Path

from nescio.reporting.page import drawing
from nescio.reporting.page.figures import all_figures
from nescio.reporting.page.question_texts import texts_of
from nescio.reporting.page.rendering import page
from nescio.reporting.page.report_data import ReportData, gather

__all__ = ["ReportData", "gather", "page", "texts_of", "write_figures"]


def write_figures(report: ReportData, folder: Path) -> list[str]:
    """Every figure of the report as files, into a folder that is new or empty; their names."""
    return drawing.write_figures(all_figures(report)[0], folder)
