"""Rows of what users call a list: a column of a table, an array, a generator; not a string, and not a table that would be iterated by its names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def rows_of(given: Any, name: str, wanted: str) -> list[Any]:
    """The elements of a list, or of the only column of a table; what is something else is refused with what it must be."""
    if isinstance(given, (str, bytes, dict)) or not isinstance(given, Iterable) or _is_one_graph(given):
        raise TypeError(f"{name} must be {wanted}, got {kind_of(given)}: one alone goes into a list, [...]")
    shape = getattr(given, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return list(given)
    names = getattr(given, "columns", None)
    if shape[1] == 1:
        return list(np.asarray(given)[:, 0])
    if names is None:
        return list(given)
    raise ValueError(
        f"{name} must be one column of SMILES or graphs, but has {shape[1]} ({list(names)}): give one of them, or use GraphSet.from_dataframe"
    )


def _is_one_graph(given: Any) -> bool:
    """Whether this is a graph of networkx or PyTorch Geometric, which would be iterated by its nodes or its attributes."""
    return (hasattr(given, "is_directed") and hasattr(given, "nodes")) or type(given).__name__ in ("Data", "HeteroData")


def kind_of(item: Any) -> str:
    """What something is, for messages."""
    return "None" if item is None else f"a {type(item).__name__}"
