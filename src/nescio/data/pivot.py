"""Arrange scores in a table with one row per run and one column per measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nescio.data import frames
from nescio.data.frames import Kind
from nescio.data.plain_tables import html_table, plain_value, text_table

if TYPE_CHECKING:
    import pandas
    import polars


class Pivot(Struct, frozen=True):
    """The result of `Scores.pivot`: values with one row per run and one column per measure.

    `keys` names the keys of a row: "run", or "run" and "stratum". NaN means undefined, and None means not computed.
    """

    keys: tuple[str, ...]
    measures: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]

    def __iter__(self) -> Iterator[tuple[str | float | None, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return text_table("values", self._shown())

    def _repr_html_(self) -> str:
        return html_table("values", self._shown())

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries; an undefined value is None, as in JSON."""
        return [{name: plain_value(value) for name, value in record.items()} for record in self._raw()]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame, with runs (and strata) as its index."""
        return frames.pandas_frame(self.records(), self._kinds()).set_index(list(self.keys))

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars frame, with runs (and strata) as columns."""
        return frames.polars_frame(self.records(), self._kinds())

    def _raw(self) -> list[dict[str, Any]]:
        return [dict(zip((*self.keys, *self.measures), row, strict=True)) for row in self.rows]

    def _shown(self) -> list[dict[str, Any]]:
        return [record | {key: record[key] or "all" for key in self.keys} for record in self._raw()]

    def _kinds(self) -> dict[str, Kind]:
        return {**dict.fromkeys(self.keys, "str"), **dict.fromkeys(self.measures, "float")}
