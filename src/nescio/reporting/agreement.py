"""How a judge and people agree, on the terminal: each table under its title."""

from __future__ import annotations

from nescio.data.results import Results
from nescio.errors import opt
from nescio.reporting.printing import show_signature, show_text
from nescio.reporting.screen import show_records
from nescio.reporting.tables import MOST_ROWS

TITLES = {
    None: "Agreement with people, on the answers that both graded",
    "declined": "Agreement on which answers decline (sensitivity) and which do not (specificity)",
    "confusion": "The judge's verdicts on each category of people (shares of people's category)",
    "alternative": "The judge in the place of each person, beside the others (the alternative annotator test)",
    "stand_in": "May the judge stand in for people?",
    "corrected": "The accuracy of each run: by the judge, by people's labels, and by both together",
}


def show_agreement(results: Results) -> None:
    """Print the tables, but for those that are too long to be read; JSON and files have all of them."""
    for name, title in TITLES.items():
        if name is not None and name not in results.tables:
            continue
        records = results.records(name)
        show_text(f"{title}:")
        if len(records) <= MOST_ROWS:
            show_records(records)
        else:
            show_text(f"{len(records):,} rows (-f json prints them, {opt('report')} FILE.json writes them)")
        print()
    show_signature(results.signature)
