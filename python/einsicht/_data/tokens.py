"""Tokens of labels and classes: 6, 6.0 and "6" are one label, as in files. Knows nothing of graphs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

#: A whole number, as the library reads it.
_WHOLE = re.compile("[+-]?[0-9]+")


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
        raise ValueError(
            f"{where}: a label must be a word or a whole number, but is {label!r}: give those without a label a word"
            " such as none"
        )
    if isinstance(label, (float, np.floating)) and not float(label).is_integer():
        raise ValueError(
            f"{where}: a label must be a word or a whole number, but is {label!r}: labels are equal or not, so round"
            " numbers to a few values"
        )
    if not isinstance(label, (str, bool, np.bool_, int, np.integer, float, np.floating)):
        raise TypeError(
            f"{where}: a label must be a word or a whole number, but is {label!r}: make a word of it, as str(label)"
            " does"
        )
    return token(label)


def rank_key(text: str) -> tuple[Any, ...]:
    """Sort key of a token, as in the library: integers by value, then strings by bytes. What Python takes for an
    integer beyond that, `1_000` or a number of 30 digits, is a string."""
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        return (0, int(text), text.encode())
    return (1, 0, text.encode())


def class_values(names: list[str]) -> np.ndarray:
    """Names of classes as an array: truth values or integers if all of them are, written as Python writes them: 007 is
    a word.
    """
    if set(names) <= {"False", "True"}:
        return np.array([text == "True" for text in names], dtype=bool)
    is_whole = all(rank_key(text)[0] == 0 and str(int(text)) == text for text in names)
    return np.array([int(text) for text in names]) if is_whole else np.array(names)


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
    return np.array([*named.tolist(), None], dtype=object)[indices]
