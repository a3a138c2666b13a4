"""Compare nescio's reading of a table with its known truth: right, a question, or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from nescio.pipeline import Options
from nescio.pipeline.judging import judge
from nescio.pipeline.reading import read
from nescio.tables.asking import AskedError
from nescio.tables.trying import counts_of

Key = tuple[tuple[int, ...], ...]  # sorted counts of right, wrong, silent and ungraded of each run


class Outcome(StrEnum):
    """The result of reading a table."""

    RIGHT = "read rightly at once"
    FIRST = "asked, the first answer right"
    AMONG = "asked, another answer right"
    NONE = "asked, no answer right"
    REFUSED = "refused with a rule"
    UNGRADED = "read with ungraded answers, which score asks about"
    WRONG = "wrong in silence"
    FAILED = "a printed answer fails or gives other counts"


@dataclass(frozen=True)
class Reading:
    """The reading of a table: its result, and the message or the counts."""

    outcome: Outcome
    said: str = ""
    counts: Key = ()


def counted(path: Path, **options: Any) -> Key:
    """Return the counts of the runs in a file, as `score` reads them before policies."""
    data = judge(read([path], Options(**options))).data
    if isinstance(data, Evidence):  # a score matrix, whose only column is the score
        (scores,) = data.columns.values()
        return key([("", int((own == 1).sum()), int((own == 0).sum()), 0, int(np.isnan(own).sum())) for own in scores])
    return key(counts_of(data)[0])  # type: ignore[arg-type]


def key(counts: Any) -> Key:
    """Return the counts of runs without their names, sorted."""
    return tuple(sorted(tuple(own[1:]) for own in counts))


def outcome_of(path: Path, truth: Key, options: Mapping[str, Any] = {}) -> Reading:
    """Return the reading of a table, after trying every answer that nescio offers to its question."""
    try:
        found = counted(path, **options)
    except AskedError as asked:
        return _asked(path, truth, asked)
    except NescioError as error:
        return Reading(Outcome.REFUSED, str(error))
    if found != truth and any(own[3] for own in found):
        return Reading(Outcome.UNGRADED, "", found)
    return Reading(Outcome.RIGHT if found == truth else Outcome.WRONG, "", found)


def _asked(path: Path, truth: Key, asked: AskedError) -> Reading:
    for way in asked.executed:
        try:
            found = counted(path, **way.options)
        except NescioError as error:
            return Reading(Outcome.FAILED, f"{way.options}: {error}")
        if found != key(way.counts):
            return Reading(Outcome.FAILED, f"{way.options}: {found}, not {way.counts}")
    right = [i for i, way in enumerate(asked.executed) if key(way.counts) == truth]
    outcome = Outcome.NONE if not right else Outcome.FIRST if right[0] == 0 else Outcome.AMONG
    return Reading(outcome, str(asked), key(asked.executed[0].counts) if asked.executed else ())
