"""Parameters of the estimators in other words: those of scikit-learn, and numbers relative to the graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from einsicht._data.targets import Task

#: What the native part can count to; how many threads a machine can have is decided there.
MOST_THREADS = 2**32

#: Metrics by their names in scikit-learn.
METRICS = {
    "roc_auc": "auc",
    "average_precision": "pr_auc",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "neg_log_loss": "loss",
}


def threads_of(estimator: Any) -> int | None:
    """Number of threads; None is one per core. `n_jobs` is the word of scikit-learn for it, where -1 is one per core.
    """
    found: int | None = None
    for name, least in (("n_jobs", -1), ("threads", 1)):
        given = getattr(estimator, name)
        if given is None:
            continue
        if (
            isinstance(given, bool)
            or not isinstance(given, (int, np.integer))
            or given < least
            or given == 0
            or given > MOST_THREADS
        ):
            wanted = "None or at least 1" if name == "threads" else "None, -1 or at least 1"
            raise ValueError(f"{name} must be {wanted}, not {given!r}")
        found = None if given == -1 else int(given)
    return found


def metric_of(select: Any) -> Any:
    """The metric that chooses, also by its name in scikit-learn."""
    return METRICS.get(select, select) if isinstance(select, str) else select


def class_weights(estimator: Any, tasks: list[Task], rows: Any) -> np.ndarray | None:
    """The weight of each of these graphs by its classes, counted over them; None if they all count the same."""
    given = estimator.class_weight
    if given is None:
        return None
    if any(task.classes is None for task in tasks):
        raise ValueError(f"class_weight needs classes, but these are numbers: leave it out, got {given!r}")
    if not isinstance(given, dict) and not (isinstance(given, str) and given == "balanced"):
        raise ValueError(
            f'class_weight must be None, "balanced" or a dictionary from classes to weights, got {given!r}'
        )
    rows = np.asarray(rows, dtype=int)
    weights = np.ones(len(rows))
    for task in tasks:
        values = task.values[rows]
        there = ~np.isnan(values)
        labels = task.classes[values[there].astype(int)] if task.classes is not None else values
        weights[there] *= compute_sample_weight(given, labels)
    return weights
