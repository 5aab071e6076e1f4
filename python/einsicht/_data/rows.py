"""Rows of what users call a list: a column of a table, an array, a generator; not a string, and not a table that would
be iterated by its names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from einsicht._data.tables import column_of, names_of, values_of


def rows_of(given: Any, name: str, wanted: str) -> list[Any]:
    """The elements of a list, or of the only column of a table; what is something else is refused with what it must be.
    """
    names = None if isinstance(given, dict) else names_of(given)
    if names is not None and len(names) == 1:
        return column_of(given, names[0])
    if names is not None:
        raise ValueError(
            f"{name} must be one column of SMILES or graphs, but has {len(names)} ({names}): give one of them, or use "
            "GraphSet.from_dataframe"
        )
    if isinstance(given, (str, bytes, dict)) or not isinstance(given, Iterable) or _is_one_graph(given):
        raise TypeError(f"{name} must be {wanted}, got {kind_of(given)}: one alone goes into a list, [...]")
    shape = getattr(given, "shape", None)
    is_column = isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1
    return list(np.asarray(given)[:, 0]) if is_column else values_of(given)


def _is_one_graph(given: Any) -> bool:
    """Whether this is a graph of networkx or PyTorch Geometric, which would be iterated by its nodes or its attributes.
    """
    return (hasattr(given, "is_directed") and hasattr(given, "nodes")) or type(given).__name__ in ("Data", "HeteroData")


def kind_of(item: Any) -> str:
    """What something is, for messages."""
    return "None" if item is None else f"a {type(item).__name__}"
