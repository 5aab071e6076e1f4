"""Inputs of a training, as the native part takes them: graphs, targets, settings and a seed."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import _safe_indexing

from einsicht import _core
from einsicht._data.checks import warn
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.reading import ReadAs, check_parameters, of_graphs, of_parameters
from einsicht._data.targets import Task, as_table, in_columns_of, native, tasks_of
from einsicht._explanation.patterns import Pattern
from einsicht._training.settings import class_weights, metric_of


class Prepared(NamedTuple):
    """Inputs of a training; they can be sent to another process."""

    graphs: GraphSet
    tasks: list[Task]
    #: Whether y has one column only.
    single: bool
    #: Preset and parameters that were given, as JSON.
    settings: str
    seed: int
    #: The graphs from this index on are the validation set; if None, folds choose the model, or without folds a fifth
    #: of the graphs.
    num_train: int | None
    #: Number of rows of X, and the positions of those that could be read.
    given: tuple[int, list[int]]

    def arguments(self) -> tuple[_core.Graphs, list[Any], str, int]:
        """The first arguments of every native function that trains."""
        return self.graphs._core, native(self.tasks), self.settings, self.seed


def prepare(estimator: Any, X: Any, y: Any, eval_set: Any = None, on_bad: str = "stop") -> Prepared:
    """Converts and checks the arguments of `fit`."""
    if y is None and isinstance(X, GraphSet):
        y = X.y  # the targets of the source
    graphs, y, given = read_rows(estimator, X, y, of_parameters(estimator), on_bad)
    check_parameters(graphs._core, estimator)
    classify = estimator._is_classifier(y)
    tasks, single = tasks_of(y, graphs, classify=classify)
    if single and np.asarray(y).ndim == 2:
        # As scikit-learn does it.
        warn(
            "a column-vector y was passed when a 1d array was expected: it is taken as one target",
            DataConversionWarning,
        )
    num_train = None
    if eval_set is not None:
        valid, valid_y = _pair(eval_set)
        num_train = len(graphs)
        # A list is read as the training graphs are.
        more, valid_y, _ = read_rows(estimator, valid, valid_y, of_graphs(graphs._core), on_bad)
        joined, _ = tasks_of(_joined_targets(y, valid_y, tasks, more), graphs + more, classify=classify)
        graphs = graphs + more
        tasks = [new._replace(name=old.name) for old, new in zip(tasks, joined, strict=True)]
    settings = settings_of(estimator)
    return Prepared(graphs, tasks, single, json.dumps(settings), estimator._seed(), num_train, given)


def _joined_targets(y: Any, valid_y: Any, tasks: list[Task], valid: GraphSet) -> np.ndarray:
    """The targets of the training set and those of the validation set below them, column by column."""
    if valid_y is None:
        valid_y = valid.y  # the targets of the source
    if valid_y is None:
        raise ValueError("eval_set must be (X, y), but its y is None")
    both = [as_table(part) for part in (y, in_columns_of(valid_y, [task.name for task in tasks]))]
    both = [part.reshape(len(part), -1) if part.ndim in (1, 2) else part for part in both]
    if both[1].ndim != 2 or both[0].shape[1] != both[1].shape[1] or len(both[1]) != len(valid):
        raise ValueError(
            f"y of eval_set must have one row for each of {len(valid)} graphs and {both[0].shape[1]} columns, but its"
            f" shape is {np.shape(valid_y)}"
        )
    kinds = ["number" if part.dtype.kind in "iuf" else part.dtype.kind for part in both]
    if kinds[0] != kinds[1] and "O" not in kinds:
        raise TypeError(
            f"y of eval_set must have values of the type of y, but has {both[1][0].tolist()[0]!r} where y has"
            f" {both[0][0].tolist()[0]!r}"
        )
    joined = np.concatenate([part.astype(object) if kinds[0] != kinds[1] else part for part in both])
    return joined[:, 0] if joined.shape[1] == 1 else joined


def read_rows(estimator: Any, X: Any, y: Any, how: ReadAs, on_bad: str) -> tuple[GraphSet, Any, tuple[int, list[int]]]:
    """The graphs that can be read with their values, and which of how many they are; the others are reported, or an
    error.
    """
    graphs = estimator._as_graphs(X, how.keeping_rows(on_bad))
    missing = graphs.missing
    there = np.flatnonzero(~missing).tolist()
    given = len(graphs), there
    if not missing.any():
        return graphs, y, given
    if y is not None and len(y) != len(graphs):
        raise ValueError(
            "y must have one row per graph: found input variables with inconsistent numbers of samples:"
            f" {[len(graphs), len(y)]}"
        )
    if not there:
        raise ValueError("X must have a graph that can be read, but has none")
    why = graphs.skipped
    row = int(graphs.source_rows[missing][0])
    warn(f"{missing.sum()} of {len(graphs)} rows cannot be read and are left out, the first is row {row}: {why[row]}")
    return graphs[there], None if y is None else _safe_indexing(y, there), given


def settings_of(estimator: Any) -> dict[str, Any]:
    """Preset and parameters that were given."""
    settings = {name: plain_parameter(getattr(estimator, name)) for name in _core.PARAMETERS}
    settings["qualifiers"] = plain_parameter(qualifiers_of(estimator.qualifiers))
    settings["select"] = metric_of(settings["select"])
    for name in ("exclude", "require"):
        settings[name] = _named(getattr(estimator, name), name, of_parameters(estimator))
    return {name: value for name, value in settings.items() if value is not None}


def qualifiers_of(given: Any) -> Any:
    """The parameter `qualifiers` as text, as in the program: a list of names, or a path, may be given too."""
    if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
        return ",".join(given) if given else "none"
    return os.fspath(given) if isinstance(given, os.PathLike) else given


def memory_of(estimator: Any) -> str | None:
    """The memory limit as text, as in the program."""
    return None if estimator.memory is None else str(estimator.memory)


def weights_of(estimator: Any, sample_weight: Any, prepared: Prepared) -> list[float] | None:
    """One weight per graph of the training, and 1 for each of the validation set; None if all are 1."""
    (count, there), num_train = prepared.given, prepared.num_train
    by_class = class_weights(estimator, prepared.tasks, np.arange(len(there)))
    if sample_weight is None:
        if by_class is None:
            return None
        sample_weight = 1.0
    try:
        weights = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f'sample_weight must be numbers, one per graph, got {sample_weight!r}: class_weight="balanced" weighs'
            " classes"
        ) from None
    if weights.ndim == 0:
        weights = np.full(count, float(weights))
    if weights.shape != (count,):
        raise ValueError(
            f"sample_weight must have one weight per graph, but has shape {weights.shape} for {count} graphs"
        )
    if count and not weights.any():
        raise ValueError("at least one sample_weight must be above 0, but all are zero")
    valid = 0 if num_train is None else len(prepared.graphs) - num_train
    found = weights[there] if by_class is None else weights[there] * by_class
    return found.tolist() + [1.0] * valid


#: What SMARTS has and SMILES has not: numbers of elements, lists and negations in brackets, any bond.
_SMARTS = re.compile(r"\[[^\]]*[#;,!]|~")


def _named(patterns: Any, name: str, how: ReadAs) -> list[Any] | None:
    """Subgraphs by the names of their labels and qualifiers; SMARTS as it is."""
    if patterns is None:
        return None
    if isinstance(patterns, (str, bytes, dict, Pattern)) or not isinstance(patterns, Iterable):
        raise TypeError(f"{name} must be a list of subgraphs, got one {type(patterns).__name__}")
    named: list[Any] = []
    for at, pattern in enumerate(patterns):
        if isinstance(pattern, str) and _SMARTS.search(pattern):
            named.append(pattern)
            continue
        if not isinstance(pattern, Pattern):
            try:
                pattern = as_graph_set([pattern], how)[0]
            except (TypeError, ValueError) as problem:
                raise type(problem)(f"{name} must be subgraphs, but number {at} is not: {problem}") from None
        named.append({"vertices": list(pattern.vertices), "edges": list(pattern.edges)})
    return named


def plain_parameter(value: Any) -> Any:
    """A parameter as JSON can represent it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list, range, np.ndarray)):
        return [plain_parameter(item) for item in value]
    is_plain = (
        value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
    )
    # The native part refuses a word with the range of the parameter.
    return value if is_plain else repr(value)


def _pair(eval_set: Any) -> tuple[Any, Any]:
    is_list = isinstance(eval_set, list) and len(eval_set) == 1
    pairs = eval_set[0] if is_list else eval_set
    if not isinstance(pairs, tuple) or len(pairs) != 2:
        raise ValueError("eval_set must be (X, y), or a list of one such pair")
    return pairs
