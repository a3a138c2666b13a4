"""Bins of the confidences of a large outcome table, without a row held in memory for any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nescio.sources.database import connect
from nescio.sources.number_columns import given, numbers_of
from nescio.sources.source import Source
from nescio.sources.tables import literal
from nescio.sources.text_files import WHITE


def confidence_bins(
    source: Source, column: str, keys: Mapping[str, Sequence[str]], wrong: Sequence[str], bins: int
) -> NDArray[np.int64] | None:
    """Count the rows of a Parquet table by bins of a number between 0 and 1, those that are right and those that are
    `wrong`; shape (runs, 2, bins).

    `keys` has the names of the runs, and the outcomes of rows that are right, by the column that they stand in: runs
    first. Returns None where a number is not finite, or lies outside, or is lacking in a run that has others. Another
    way will say what is wrong.
    """
    place, relation, where = given(source)
    run, outcome = (f"trim({place[name]}::VARCHAR, '{WHITE}')" for name in keys)
    runs, right = keys.values()
    with connect() as connection:
        numbers = numbers_of(connection, relation, where, [place[column]])
        if numbers is None:
            return None
        (number,) = numbers
        is_wrong, is_right = (
            f"{outcome} IN ({', '.join(map(literal, words))})" for words in (wrong or [""], right or [""])
        )
        answered = f"({is_right} OR {is_wrong})"
        odd = f"NOT isfinite({number}) OR ({answered} AND NOT ({number} >= 0 AND {number} <= 1))"
        lacking = f"count(*) FILTER (WHERE {answered} AND {number} IS NULL) > 0 AND count({number}) > 0"
        checks = f"SELECT count(*) FILTER (WHERE {odd}) > 0 OR ({lacking}) FROM {relation} GROUP BY {run}"
        if any(broken for (broken,) in connection.execute(checks, where).fetchall()):
            return None
        in_bin = f"least(floor({number} * {bins}), {bins - 1})::INTEGER"
        query = (
            f"SELECT {run} AS run, {is_wrong} AS wrong, {in_bin} AS bin, count(*) FROM {relation} WHERE {answered} AND "
            f"{number} IS NOT NULL GROUP BY 1, 2, 3"
        )
        counts = np.zeros((len(runs), 2, bins), dtype=np.int64)
        row = {name: i for i, name in enumerate(runs)}
        for name, of_wrong, at, count in connection.execute(query, where).fetchall():
            counts[row[name], int(of_wrong), at] = count
    return counts
