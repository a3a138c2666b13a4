"""Summarise changes between two runs in Markdown, as the page does, for comments on pull requests."""

from __future__ import annotations

from nescio.reporting.grid import make_grid
from nescio.reporting.markdown import in_markdown, markdown_code, markdown_table
from nescio.reporting.page.change import Change, sentence
from nescio.reporting.page.moves import GROUPS

TILES = ("won", "lost", "newly-silent", "newly-answered", "same")
LISTED = ("lost", "newly-silent")  # groups that a reviewer looks at first
MOST_NAMED = 10


def tiles(change: Change) -> list[str]:
    """Return the summary of a change between two runs as paragraphs of Markdown.

    The paragraphs hold the decision, the number of questions in each group of moves, and the first questions that are
    lost or newly silent.
    """
    headline = sentence(change)
    parts = [f"{in_markdown(headline.before)}**{in_markdown(headline.name)}**{in_markdown(headline.after)}"]
    moved = change.moves
    if moved is None:
        return parts
    names = [GROUPS[slug][0] for slug in TILES]
    counts = [f"{len(moved.group(slug)):,}" for slug in TILES]
    parts.append(markdown_table(make_grid(names, [counts], [False] * len(TILES))))
    for slug in LISTED:
        places = moved.group(slug)
        if len(places):
            some = ", ".join(markdown_code(moved.questions[at]) for at in places[:MOST_NAMED])
            rest = f", and {len(places) - MOST_NAMED:,} more" if len(places) > MOST_NAMED else ""
            parts.append(f"{GROUPS[slug][0].capitalize()}: {some}{rest}.")
    return parts
