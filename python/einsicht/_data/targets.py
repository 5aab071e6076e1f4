"""Conversion of y to tasks (classification or regression), as the native part takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from einsicht._data.checks import warn
from einsicht._data.graph_set import GraphSet
from einsicht._data.tables import column_of, names_of, picked
from einsicht._data.tokens import is_missing, rank_key, token

#: At most this many different numbers may be classes where it is not said.
FEW = 20


class Task(NamedTuple):
    """One column of y."""

    name: str
    #: Names of the classes in the order of `classes`; None for regression.
    class_names: list[str] | None
    #: Indices of the classes, or numbers; NaN where a value is missing.
    values: np.ndarray
    #: The classes as the caller gave them, sorted; None for regression.
    classes: np.ndarray | None


def tasks_of(y: Any, graphs: GraphSet, *, classify: bool) -> tuple[list[Task], bool]:
    """The tasks of y, and whether y has one column only. If y is the target of `graphs`, their names are used."""
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None")
    table = as_table(y)
    if table.ndim not in (1, 2):
        words = f"an array of {table.ndim} dimensions" if table.ndim else f"a {type(y).__name__}"
        raise ValueError(f"y must be a list, an array or a data frame with one row per graph, got {words}")
    if len(table) != len(graphs):
        count = len(table)
        raise ValueError(
            "y must have one row per graph: found input variables with inconsistent numbers of samples:"
            f" {[len(graphs), count]}"
        )
    single = table.ndim == 1 or table.shape[1] == 1
    columns = [table.ravel()] if single else [table[:, at] for at in range(table.shape[1])]
    names = _names(y, columns, graphs)
    if len(set(names)) < len(names):
        raise ValueError(f"columns of y must have different names, but they are {names}")
    encode = _classes if classify else _numbers
    return [encode(name, values) for name, values in zip(names, columns, strict=True)], single


def as_table(y: Any) -> np.ndarray:
    """y as an array in which values stay what they are: numpy would make the word "nan" of a NaN among strings."""
    if hasattr(y, "column_names"):  # a table of Arrow, which numpy would not know by its columns
        columns = [np.array(column_of(y, name), dtype=object) for name in names_of(y) or []]
        return np.column_stack(columns) if columns else np.empty((len(y), 0))
    table = np.asarray(y)
    if isinstance(y, (list, tuple)) and table.dtype.kind in "US":
        values = np.array(y, dtype=object)
        return table if all(isinstance(value, str) for value in values.ravel().tolist()) else values
    return table


def gaps(column: np.ndarray) -> np.ndarray:
    """Which values of a column are missing."""
    if column.dtype.kind in "biuUS":
        return np.zeros(len(column), bool)
    return (
        np.isnan(column)
        if column.dtype.kind == "f"
        else np.array([is_missing(value) for value in column.tolist()], bool)
    )


def without_gaps(column: np.ndarray) -> np.ndarray:
    """The values that are there; numbers and truth values have a type of their own again, if they had one before there
    were gaps.
    """
    missing = gaps(column)
    return plain(column[~missing]) if missing.any() else column


def plain(values: np.ndarray) -> np.ndarray:
    """Objects that are numbers or truth values as an array of these; other values as they are."""
    if values.dtype.kind != "O":
        return values
    try:
        found = np.array(values.tolist())
    except ValueError:  # sequences of different lengths
        return values
    return found if found.dtype.kind in "biuf" else values


def _names(y: Any, columns: list[np.ndarray], graphs: GraphSet) -> list[str]:
    given = names_of(y)
    if given is not None:
        return [str(name) for name in given]
    name = getattr(y, "name", None)
    if isinstance(name, str) and name:
        return [name]
    targets = graphs.y
    own = [] if targets is None else [targets] if targets.ndim == 1 else list(targets.T)
    if len(own) == len(columns) and all(_is_same(a, b) for a, b in zip(own, columns, strict=True)):
        return graphs.target_names
    return ["y"] if len(columns) == 1 else [f"y{at}" for at in range(len(columns))]


def _is_same(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return bool(np.array_equal(a, b, equal_nan=True))
    except TypeError:  # strings cannot be NaN
        return bool(np.array_equal(a, b))


#: Types of classes, which a model file can give back.
CLASS_TYPES = (str, bool, int, float, np.bool_, np.number)


def _classes(name: str, values: np.ndarray) -> Task:
    missing = gaps(values)
    for row in np.flatnonzero(~missing) if values.dtype.kind not in "biufU" else ():
        if not isinstance(values[row], CLASS_TYPES) or isinstance(values[row], (complex, np.complexfloating)):
            raise TypeError(
                f"classes must be words, numbers or truth values, but row {row} of {name} is {values[row]!r}"
            )
    try:
        classes, indices = np.unique(without_gaps(values), return_inverse=True)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values[~missing].tolist()})
        raise TypeError(
            f"classes of {name} must be of one type, so that they have an order, but there are {', '.join(kinds)}"
        ) from None
    codes = np.full(len(values), np.nan)
    codes[~missing] = indices
    names = [token(label) for label in classes.tolist()]
    if {"nan", "<NA>"} & set(names):
        warn(
            f'{name} has a class called "nan": numpy makes this word of a missing value among strings; a list, or'
            " dtype=object, keeps it missing"
        )
    if len(set(names)) < len(names):
        raise ValueError(f"classes of {name} must have different names, but two of {names} are equal")
    return Task(name, names, codes, classes)


def _numbers(name: str, values: np.ndarray) -> Task:
    if values.dtype.kind in "mMc":
        raise ValueError(f"y must be numbers, but {name} has values like {values[0]}: convert it to numbers first")
    missing = gaps(values)
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(float)
    except (TypeError, ValueError):
        row, word = next((int(at), values[at]) for at in np.flatnonzero(~missing) if not _is_number(values[at]))
        raise ValueError(
            f"y must be numbers, but row {row} of {name} is {word!r}: use EINClassifier for classes"
        ) from None
    if np.isinf(numbers).any():
        raise ValueError(
            f"Input y contains infinity: {name} must be finite, but row {int(np.isinf(numbers).argmax())} is not"
        )
    return Task(name, None, numbers, None)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_discrete(y: Any) -> None:
    """Refuses numbers that are no classes, as scikit-learn does; objects may be floats if there are few."""
    table = as_table(y)
    if table.ndim not in (1, 2):
        return
    for column in [table] if table.ndim == 1 else table.T:
        values = plain(without_gaps(column))
        if values.dtype.kind == "f" and (column.dtype.kind == "f" or len(np.unique(values)) > FEW):
            check_classification_targets(values)


def in_columns_of(y: Any, names: list[str]) -> Any:
    """A data frame with its columns in the order of these names, if it has them; one that has only some of them is
    refused.
    """
    own = names_of(y) or []
    given = [str(name) for name in own]
    if given == names or not set(given) & set(names):
        return y
    if sorted(given) != sorted(names):
        raise ValueError(f"y must have a column for each of {names}, but its columns are {given}")
    return picked(y, [own[given.index(name)] for name in names])


def native(tasks: list[Task]) -> list[tuple[str, list[str] | None, np.ndarray]]:
    """The tasks as the native part takes them."""
    return [(task.name, task.class_names, task.values) for task in tasks]


def ranks(classes: np.ndarray) -> np.ndarray:
    """For each class its rank: its index in the order of the native part."""
    names = [token(label) for label in classes.tolist()]
    by_rank = sorted(names, key=rank_key)
    return np.array([by_rank.index(name) for name in names], dtype=int)
