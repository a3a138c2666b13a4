"""Make result tables whose truth is known, from the page tables4.md alone.

`make(seed, folder)` draws what some runs did on some questions (the facts), chooses how a person might have
written that down (the kind, the names, the words, the layout), writes one file and returns the facts as counts.
The truth is counted from the facts, never by reading the file back: `evaluate.py` does that, with code of its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from made_draft import PARTIAL, RIGHT, SILENT, UNGRADED, WRONG, Draft, styled
from made_kinds import KINDS
from made_layouts import choose_layout, mapping_of, write
from made_words import STYLES

Counts: TypeAlias = tuple[int, int, int]
OWN_NOISE = {"wide", "wide_predictions"}


@dataclass(frozen=True)
class Made:
    """Describe one written table and its hidden truth."""

    seed: int
    kind: str
    layout: str
    path: Path
    truth: dict[str, Counts]  # run -> right, wrong, silent
    ungraded: dict[str, int]  # run -> rows with no outcome: the fourth count
    partial: dict[str, int]  # run -> rows with a grade of stated worth (kind partial_worth only)
    mapping: dict[str, str]  # role -> column expression; empty: no mapping can say it, only asking is right
    options: list[str]  # further arguments, ready for a command line
    asks: list[str]  # what a reader cannot know without being told
    unanswerable_known: bool

    @property
    def ambiguous(self) -> bool:
        """Tell whether a careful person would have to ask before counting."""
        return bool(self.asks)

    def arguments(self) -> list[str]:
        """Return the command-line arguments that state the truth's mapping."""
        columns = [part for role, text in self.mapping.items() for part in ("--column", f"{role}={text}")]
        return columns + self.options


def make(seed: int, folder: Path) -> Made:
    """Write the table of a seed into a folder and return its truth."""
    rng = random.Random(f"tables4 {seed}")
    kind = rng.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
    style = rng.choice(STYLES)
    language = rng.choices(["en", "de", "fr", "es"], [70, 12, 9, 9])[0]
    draft = Draft(rng, kind.__name__, style, language)
    kind(draft)
    if draft.kind not in OWN_NOISE:
        draft.add_noise()
    arrange(draft)
    layout = choose_layout(draft)
    folder.mkdir(parents=True, exist_ok=True)
    path = write(draft, layout, folder / f"{draft.stem}_{seed}")
    truth, ungraded, partial = count(draft, path.stem)
    return Made(
        seed=seed,
        kind=draft.kind,
        layout=layout,
        path=path,
        truth=truth,
        ungraded=ungraded,
        partial=partial,
        mapping=mapping_of(draft) if draft.expressible else {},
        options=draft.options,
        asks=draft.asks,
        unanswerable_known=draft.unanswerable_known,
    )


def arrange(draft: Draft) -> None:
    """Shuffle some tables' columns and put some names into dotted groups."""
    rng = draft.rng
    if draft.kind not in OWN_NOISE and not draft.tail and rng.random() < 0.15:
        group = styled(rng.choice(["judge", "evaluation result", "metrics", "metadata", "output data"]), draft.style)
        keys = {id(c) for role in ("question", "run") for c in draft.mapping.get(role, ("", []))[1]}
        free = [c for c in draft.columns if id(c) not in keys and not c.shared]
        for column in rng.sample(free, min(len(free), rng.randint(1, 3))):
            column.name = f"{group}.{column.name}"
    if rng.random() < 0.35:
        rng.shuffle(draft.columns)


def count(draft: Draft, stem: str) -> tuple[dict[str, Counts], dict[str, int], dict[str, int]]:
    """Count the facts per run; a run without a column is named after the file."""
    hidden = {id(f) for f in draft.hidden}
    facts = [f for f in draft.facts + draft.unlisted if id(f) not in hidden]
    by_run: dict[str, dict[str, int]] = {}
    for fact in facts:
        results = by_run.setdefault(fact.run or stem, dict.fromkeys((RIGHT, WRONG, SILENT, UNGRADED, PARTIAL), 0))
        results[fact.result] += 1
    truth = {run: (r[RIGHT], r[WRONG], r[SILENT]) for run, r in by_run.items()}
    ungraded = {run: r[UNGRADED] for run, r in by_run.items()}
    return truth, ungraded, {run: r[PARTIAL] for run, r in by_run.items() if r[PARTIAL]}
