"""Labels and classes as words, and back: 6, 6.0 and "6" are one label, as in files."""

from __future__ import annotations

from typing import Any

import numpy as np


def word(label: Any) -> str:
    """A label as a word: whole numbers without a point."""
    if isinstance(label, str):
        return label
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def order(text: str) -> tuple[Any, ...]:
    """Rank of a word, as everywhere in einsicht: whole numbers by value, then words by bytes."""
    try:
        return (0, int(text), text.encode())
    except ValueError:
        return (1, 0, text.encode())


def values_of(words: list[str]) -> np.ndarray:
    """Words as Python would have given them: whole numbers if all of them are."""
    return np.array([int(text) for text in words]) if all(map(_is_whole, words)) else np.array(words)


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def column(words: list[str] | None, values: np.ndarray) -> np.ndarray:
    """A target as an array: numbers, or classes by name; what is missing is NaN or None."""
    if words is None:
        return values
    missing = np.isnan(values)
    named = values_of(words)
    if not missing.any():
        return named[values.astype(int)]
    places = np.where(missing, len(words), values).astype(int)
    if np.issubdtype(named.dtype, np.integer):
        return np.append(named.astype(float), np.nan)[places]
    return np.array([*words, None], dtype=object)[places]
