"""Scores of predictions as scikit-learn defines them, over the values that are there: without a value or a prediction
there is no score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from einsicht._data.targets import as_table, gaps, plain


def accuracy(y: Any, predicted: np.ndarray, sample_weight: Any) -> float:
    """The part of the rows whose values are all predicted; rows without any value do not count."""
    columns, guesses = _columns(y, predicted)
    missing = np.column_stack([gaps(column) | gaps(guess) for column, guess in zip(columns, guesses, strict=True)])
    right = missing.copy()
    for at, (column, guess) in enumerate(zip(columns, guesses, strict=True)):
        there = ~missing[:, at]
        _check_types(column[there], guess[there])
        right[there, at] = plain(column[there]) == plain(guess[there])
    rows = ~missing.all(axis=1)
    weights = None if sample_weight is None else np.asarray(sample_weight, float)[rows]
    return float(accuracy_score(np.ones(rows.sum()), right.all(axis=1)[rows], sample_weight=weights))


def r2(y: Any, predicted: np.ndarray, sample_weight: Any) -> float:
    """The mean over the columns."""
    found = []
    for column, guess in zip(*_columns(y, predicted), strict=True):
        rows = ~gaps(column) & ~gaps(guess)
        weights = None if sample_weight is None else np.asarray(sample_weight, float)[rows]
        found.append(r2_score(column[rows].astype(float), guess[rows], sample_weight=weights))
    return float(np.mean(found))


def _check_types(values: np.ndarray, predicted: np.ndarray) -> None:
    """Refuses to compare words with numbers, of which none would be right."""
    words = [any(isinstance(value, str) for value in part.tolist()) for part in (values, predicted)]
    if len(values) and words[0] != words[1]:
        raise ValueError(
            f"classes of y must be of the type of classes_, but y has {values.tolist()[0]!r} and the model predicts"
            f" {predicted.tolist()[0]!r}"
        )


def _columns(y: Any, predicted: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The columns of both, which must have the same shape."""
    table = as_table(y)
    both = [part.reshape(len(part), -1) if part.ndim else part.reshape(0, 1) for part in (table, predicted)]
    if both[0].shape != both[1].shape:
        raise ValueError(
            "y must have one row per graph and one column per task: found input variables with inconsistent numbers of"
            f" samples: {[both[1].shape, both[0].shape]}"
        )
    if not (~np.column_stack([gaps(column) for column in both[0].T])).any():
        raise ValueError("y must have a value to score, but all are missing")
    return list(both[0].T), list(both[1].T)
