"""Choose the columns of a leaderboard, which may include counts of outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nescio.data.evidence import Data
from nescio.data.results import COUNTS, Counted, Scores
from nescio.errors import MismatchError, UnknownNameError, UsageError, opt
from nescio.scoring.score import strata


def with_columns(scores: Scores, columns: Sequence[str], data: Data, by: str | None) -> Scores:
    """Return the scores with these columns in their table; a column may be a count of outcomes.

    Raises UnknownNameError for an unknown column, UsageError if the columns that name the rows are missing, and
    MismatchError if questions cannot be counted.
    """
    names = tuple(dict.fromkeys(name.strip() for name in columns))
    keys, measures, _ = scores.places()
    known = (*keys, *measures, "n", *COUNTS)
    for name in names:
        if name not in known:
            raise UnknownNameError("column of this table", name, known)
    if missing := [key for key in keys if key not in names]:
        raise UsageError(f"{opt('columns')}: a row needs its {' and its '.join(missing)}; name these columns too")
    scores = replace(scores, columns=names)
    return replace(scores, tables={**scores.tables, "counted": _counts(data, by)}) if {*names} & {*COUNTS} else scores


def _counts(data: Data, by: str | None) -> tuple[Counted, ...]:
    if data.repeats is not None:
        raise MismatchError(
            f"{opt('columns')}: questions were asked several times, so they cannot be counted as correct, incorrect "
            "or unanswered"
        )
    if any(name not in data.columns for name in COUNTS):
        raise MismatchError(f"{opt('columns')}: this data has no outcomes to count")
    rows = []
    for stratum, part in strata(data, by):
        totals = part.tally().totals()
        rows += [Counted(run, stratum, *(int(totals[name][i]) for name in COUNTS)) for i, run in enumerate(part.runs)]
    return tuple(rows)
