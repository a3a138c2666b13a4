"""Large outcome tables that are counted and not read: where nothing that is asked for needs single rows, and the table
says no more of an answer than its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nescio.data.judges import parse
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, Outcomes
from nescio.data.tallied import OutcomeCounts
from nescio.formats.native import roles
from nescio.formats.native.outcome_table.words import state_words
from nescio.formats.registry import ReadOptions, ReadResult
from nescio.sources.masks import group, rows_of
from nescio.sources.source import Source
from nescio.stats import packed

LARGE = 1_000_000  # rows of a table that is counted in this way
COLUMNS = {"run": ("run",), "text": ("question",), "outcome": ("outcome",)}
BESIDE = ("confidence", "judge")  # what else may be said of an answer, as counts do not need it


def count(source: Source, options: ReadOptions) -> ReadResult | None:
    """Count a large Parquet table, or read the outcomes of its questions without a row for each; None where it is
    small, or has to be read row by row."""
    asked = options.counting
    if asked is None or options.strata != () or options.graded or options.judging or source.kind != "parquet":
        return None
    known = roles.roles_of(source.columns, source.named).columns
    beside = ("judge",) if asked.questions else BESIDE
    plain = {name: columns for name, columns in known.items() if name not in beside}
    if source.named or plain != COLUMNS or rows_of(source) < LARGE:
        return None
    notes: list[Note] = [*source.notes]

    def states(words: Sequence[tuple[str | None, int]]) -> Mapping[str | None, int | None]:
        return state_words(words, options.outcome_map, notes)

    judge = "judge" if known.get("judge") == ("judge",) else None
    grouped = group(source, "run", "question", "outcome", states, judge=judge, hashed=asked.ids, named=asked.questions)
    if grouped is None:
        return None
    judges = tuple(parse(text) for text in dict.fromkeys(grouped.judges))
    if asked.questions:
        state = packed.unpack(grouped.masks, grouped.states, len(grouped.runs), ABSENT)
        files = (str(source.label),) * len(grouped.runs)
        return ReadResult(Outcomes(grouped.runs, grouped.questions, state, files=files), tuple(notes), judges=judges)
    bits = packed.turn(grouped.masks, len(grouped.runs))
    units = grouped.masks.shape[1]
    kinds = np.stack([grouped.states, *[np.full(len(grouped.states), -1, np.int8)] * 2], axis=1)
    counts = OutcomeCounts(
        grouped.runs,
        kinds,
        packed.counts(bits),
        packed.pair_tables(bits, units) if asked.pairs else None,
        np.array([units, 0, 0], dtype=np.int64),
        ids=grouped.ids,
        judges=tuple(sorted(set(grouped.judges))),
    )
    return ReadResult(counts, tuple(notes), judges=judges)
