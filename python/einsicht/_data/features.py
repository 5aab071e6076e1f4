"""Columns of numbers beside the graphs, from what a user has: a data frame, a dictionary, an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from einsicht._data.tables import names_of, values_of
from einsicht._data.tokens import is_missing

#: Names of the columns, and for each graph one number per column.
Table = tuple[list[str], list[list[float]]]


def table_of(features: Any, count: int) -> Table | None:
    """The columns of so many graphs; NaN where a value is missing."""
    if features is None:
        return None
    columns = _columns(features)
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"features must have different names, but they are {names}")
    numbers = [_numbers(name, values) for name, values in columns]
    for name, values in zip(names, numbers, strict=True):
        if len(values) != count:
            raise ValueError(f"features must have one row per graph, but {name!r} has {len(values)} for {count} graphs")
    return names, [list(row) for row in zip(*numbers, strict=True)] if numbers else []


def _columns(features: Any) -> list[tuple[str, Any]]:
    names = list(features) if isinstance(features, Mapping) else names_of(features)
    if names is not None:
        return [(str(name), values_of(features[name])) for name in names]
    if isinstance(features, str):
        raise TypeError(
            f"features must be columns of numbers (a data frame, a dictionary, an array), got {features!r}: names of"
            " columns need from_dataframe or read"
        )
    if getattr(features, "name", None) is not None:
        return [(str(features.name), features)]
    array = np.asarray(features, dtype=object)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise ValueError(f"features must be a table with one row per graph, but the array has {array.ndim} dimensions")
    return [(f"feature_{at}", array[:, at]) for at in range(array.shape[1])]


def _numbers(name: str, values: Any) -> list[float]:
    return [_number(name, row, value) for row, value in enumerate(values)]


def _number(name: str, row: int, value: Any) -> float:
    if is_missing(value):
        return float("nan")
    if isinstance(value, (str, bytes)):
        raise TypeError(f"feature {name!r} must hold numbers, but row {row} is {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"feature {name!r} must hold numbers, but row {row} is {value!r}") from None
