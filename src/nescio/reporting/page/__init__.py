"""Make pages from results: one HTML file that holds all it needs.

`report_data` gathers all data for the report. `sentence`, `leaderboard`, `figures`, and `confidence` turn it
into the parts of the report. `moves` computes the move of each question between two runs, and `change` makes the page
of these moves. Both pages share the question `browser`, `drawing` and `rendering`. Their templates have one frame
(`base.html.jinja`) and one set of parts (`parts.html.jinja`). Charts are drawn as SVG, in two widths, before the page
is opened. A page without a chart engine is small, opens at once, and needs no right to run generated code.
"""

from nescio.reporting.page.question_texts import texts_of
from nescio.reporting.page.rendering import page
from nescio.reporting.page.report_data import ReportData, gather

__all__ = ["ReportData", "gather", "page", "texts_of"]
