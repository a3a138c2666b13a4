"""The rows of files from which nothing can be scored: shown as they are, each a question that nobody has graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nescio.data.notes import note
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.data.texts import AnswerTexts, in_words
from nescio.errors import FormatError
from nescio.pipeline.loading import Loaded
from nescio.pipeline.recognition import open_files
from nescio.sources.database import connect
from nescio.sources.documents import text_lines
from nescio.sources.rows import tables_of
from nescio.sources.source import Source, name_runs
from nescio.sources.tables import load_rows
from nescio.tables.lexicon import roles_of

_LONGEST = 100_000  # characters of a cell
_WORDS = ("text", "gold", "prediction")
Columns = Mapping[str, Sequence[str | None]]


def unscored(items: Sequence[Any]) -> Loaded:
    """Return the rows of tables, each file a run of which nothing is graded; raises FormatError for files that hold no
    rows."""
    sources, notes = open_files(items)
    tables = [_rows_of(source) for source in sources]
    rows = [row for k, table in enumerate(tables) for row in _named(k, table, several=len(tables) > 1)]
    shape = (len(sources), len(rows))
    state, texts = np.full(shape, ABSENT, dtype=np.int8), np.full(shape, None, dtype=object)
    for i, (run, _, words, _) in enumerate(rows):
        state[run, i] = NOT_GRADED
        texts[run, i] = words
    others = dict.fromkeys(name for *_, more in rows for name in more)
    strata = {name: np.array([more.get(name, "") for *_, more in rows], dtype=object) for name in others}
    outcomes = Outcomes(
        tuple(name_runs(sources)), tuple(name for _, name, _, _ in rows), state, strata=strata, texts=texts
    )
    data, more = apply_policies(outcomes, Policies(ungraded="exclude"))
    shown = note("unscored.rows", "{rows:n row} {rows:is/are} shown as {rows:it is/they are}", rows=len(rows))
    return Loaded(data, (*notes, shown, *more), format="rows", in_words=outcomes)


def _rows_of(source: Source) -> Columns:
    """Return the columns of a table, or of the rows of a document; the members of one that has none; or the lines of a
    text."""
    table = source if source.kind in ("delimited", "lines", "parquet", "table") else next(iter(tables_of(source)), None)
    if table is not None:
        with connect() as connection:
            have = load_rows(connection, table, "raw")
            cells = ", ".join(f"left({cell}, {_LONGEST})" for cell in have.values())
            rows = connection.execute(f"SELECT {cells} FROM raw ORDER BY row").fetchall()
        return dict(zip(have, zip(*rows, strict=True), strict=True))
    if source.kind == "text":
        pairs = [(f"line {line}", text) for text, line in text_lines(source)]
    elif isinstance(source.document, dict):
        pairs = [(str(name), in_words(value)[:_LONGEST]) for name, value in source.document.items()]
    else:
        raise FormatError(source.label, "it holds no rows that could be shown")
    names, texts = zip(*pairs, strict=True)
    return {"id": names, "question": texts}


def _named(run: int, columns: Columns, *, several: bool) -> Iterator[tuple[int, str, AnswerTexts, dict[str, str]]]:
    """Yield each row with its name: its own where no other has it, else its number."""
    by_role = {role: name for name in reversed([*columns]) if name for role in roles_of(name)}
    own = by_role.get("question") or by_role.get("row")
    words = [by_role.get(role) for role in _WORDS]
    size = len(next(iter(columns.values()), ()))
    ids = columns.get(own or "", ())
    once = len(set(ids)) == size and None not in ids
    for i in range(size):
        name = str(ids[i]) if once else f"row {i + 1:,}"
        spoken = [str(columns[word][i] or "") if word is not None and word in columns else "" for word in words]
        others = {c: str(cells[i] or "") for c, cells in columns.items() if c not in (*words, own if once else None)}
        yield run, f"{name} ({run + 1})" if several else name, AnswerTexts(*spoken), others
