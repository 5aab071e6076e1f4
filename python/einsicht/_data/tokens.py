"""Tokens of labels and classes: 6, 6.0 and "6" are one label, as in files. Knows nothing of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np


def token(label: Any) -> str:
    """The token of a label: integers without a decimal point."""
    if isinstance(label, str):
        return label
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def is_missing(value: Any) -> bool:
    """Whether a value is none: None, NaN, or NA or NaT of pandas."""
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def label_token(label: Any, where: str) -> str:
    """The token of a vertex or edge label, which must be a word or a whole number."""
    if is_missing(label):
        raise ValueError(f"{where}: a label must be a word or a whole number, but is {label!r}: give what has none a word of its own")
    if isinstance(label, (float, np.floating)) and not float(label).is_integer():
        raise ValueError(f"{where}: a label must be a word or a whole number, but is {label!r}: labels are equal or not, so round numbers to a few values")
    return token(label)


def rank_key(text: str) -> tuple[Any, ...]:
    """Sort key of a token, as in the library: integers by value, then strings by bytes."""
    try:
        return (0, int(text), text.encode())
    except ValueError:
        return (1, 0, text.encode())


def class_values(names: list[str]) -> np.ndarray:
    """Names of classes as an array: integers if all of them are."""
    return np.array([int(text) for text in names]) if all(map(_is_integer, names)) else np.array(names)


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def target_column(names: list[str] | None, values: np.ndarray) -> np.ndarray:
    """A target as an array: numbers, or classes by name; missing values are NaN or None."""
    if names is None:
        return values
    missing = np.isnan(values)
    named = class_values(names)
    if not missing.any():
        return named[values.astype(int)]
    indices = np.where(missing, len(names), values).astype(int)
    if np.issubdtype(named.dtype, np.integer):
        return np.append(named.astype(float), np.nan)[indices]
    return np.array([*names, None], dtype=object)[indices]
