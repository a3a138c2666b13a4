"""Convert records to data frames of pandas and Polars, neither of which nescio requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from nescio.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import polars

Kind = Literal["str", "float", "int", "bool", "tuple"]
_PANDAS = {"float": ("float64", "float64"), "int": ("int64", "Int64"), "bool": ("bool", "boolean")}
_POLARS = {"str": "String", "float": "Float64", "int": "Int64", "bool": "Boolean"}


def pandas_frame(records: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]) -> pandas.DataFrame:
    """Return a pandas frame with these columns; a missing value is NaN in numbers, and NA elsewhere."""
    made = _library("pandas").DataFrame([list(record.values()) for record in records], columns=list(kinds))
    types = {}
    for name, kind in kinds.items():
        whole, with_absent = _PANDAS.get(kind, ("object", "object"))
        types[name] = with_absent if made[name].isna().any() else whole
    return made.astype(types)


def polars_frame(records: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]) -> polars.DataFrame:
    """Return a Polars frame with these columns; a missing value is null."""
    library = _library("polars")
    texts = library.List(library.String)
    schema = {name: getattr(library, _POLARS[kind]) if kind in _POLARS else texts for name, kind in kinds.items()}
    return library.DataFrame([list(record.values()) for record in records], schema=schema, orient="row")


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UsageError(f"a {name} data frame needs {name}, which is not installed: pip install {name}") from None
