"""Columns of tables: data frames of pandas and polars, tables, record batches and columns of Arrow."""

from __future__ import annotations

from typing import Any


def names_of(table: Any) -> list[Any] | None:
    """Names of the columns; None if this is no table."""
    # What Arrow calls `columns` are the columns themselves.
    names = getattr(table, "column_names", None)
    names = getattr(table, "columns", None) if names is None else names
    return None if names is None else list(names)


def column_of(table: Any, name: Any) -> list[Any]:
    """The values of a column."""
    return values_of(table[name])


def values_of(column: Any) -> list[Any]:
    """The elements of a column, an array or any other iterable, as values of Python where Arrow holds them."""
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def picked(table: Any, names: list[Any]) -> Any:
    """These columns, as a table of the same kind."""
    return table.select(names) if hasattr(table, "select") else table[names]


def as_arrow(table: Any) -> Any:
    """A table of Arrow from one, or from a data frame; None if this is none."""
    if hasattr(table, "to_arrow"):  # polars
        return table.to_arrow()
    if hasattr(table, "column_names"):
        return table
    if hasattr(table, "columns") and hasattr(table, "iloc"):
        import pyarrow

        return pyarrow.Table.from_pandas(table, preserve_index=False)
    return None
