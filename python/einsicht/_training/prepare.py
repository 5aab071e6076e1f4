"""Inputs of a training, as the native part takes them: graphs, targets, settings and a seed."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

import numpy as np

from einsicht import _core
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import Task, native, tasks_of
from einsicht._explanation.patterns import Pattern


class Prepared(NamedTuple):
    """Inputs of a training; they can be sent to another process."""

    graphs: GraphSet
    tasks: list[Task]
    #: Whether y has one column only.
    single: bool
    #: Preset and parameters that were given, as JSON.
    settings: str
    seed: int
    #: The graphs from this index on are the validation set; if None, folds choose the model, or without folds a fifth of the graphs.
    num_train: int | None

    def arguments(self) -> tuple[_core.Graphs, list[Any], str, int]:
        """The first arguments of every native function that trains."""
        return self.graphs._core, native(self.tasks), self.settings, self.seed


def prepare(estimator: Any, X: Any, y: Any, eval_set: Any = None) -> Prepared:
    """Converts and checks the arguments of `fit`."""
    graphs = estimator._as_graphs(X)
    classify = estimator._is_classifier(y)
    tasks, single = tasks_of(y, graphs, classify=classify)
    num_train = None
    if eval_set is not None:
        valid, valid_y = _pair(eval_set)
        num_train = len(graphs)
        graphs = graphs + estimator._as_graphs(valid)
        joined, _ = tasks_of(np.concatenate([np.asarray(y), np.asarray(valid_y)]), graphs, classify=classify)
        tasks = [new._replace(name=old.name) for old, new in zip(tasks, joined, strict=True)]
    return Prepared(graphs, tasks, single, json.dumps(settings_of(estimator)), estimator._seed(), num_train)


def settings_of(estimator: Any) -> dict[str, Any]:
    """Preset and parameters that were given."""
    settings = {name: _plain(getattr(estimator, name)) for name in _core.PARAMETERS}
    settings["qualifiers"] = qualifiers_of(estimator.qualifiers)
    for name in ("exclude", "require"):
        settings[name] = _named(getattr(estimator, name), name)
    return {name: value for name, value in settings.items() if value is not None}


def qualifiers_of(given: Any) -> Any:
    """The parameter `qualifiers` as text, as in the program: a list of names, or a path, may be given too."""
    if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
        return ",".join(given) if given else "none"
    return os.fspath(given) if isinstance(given, os.PathLike) else given


def memory_of(estimator: Any) -> str | None:
    """The memory limit as text, as in the program."""
    return None if estimator.memory is None else str(estimator.memory)


def weights_of(sample_weight: Any, count: int) -> list[float] | None:
    """One weight per graph."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=float)
    if weights.ndim == 0:
        weights = np.full(count, float(weights))
    if weights.shape != (count,):
        raise ValueError(f"sample_weight must have one weight per graph, but has shape {weights.shape} for {count} graphs")
    if count and not weights.any():
        raise ValueError("at least one sample_weight must be above 0, but all are zero")
    return weights.tolist()


def _named(patterns: Any, name: str) -> list[dict[str, Any]] | None:
    """Subgraphs by the names of their labels and qualifiers."""
    if patterns is None:
        return None
    if isinstance(patterns, (str, bytes, Pattern)):
        raise TypeError(f"{name} must be a list of subgraphs, got one {type(patterns).__name__}")
    named = []
    for pattern in patterns:
        if not isinstance(pattern, Pattern):
            pattern = as_graph_set([pattern])[0]
        named.append({"vertices": list(pattern.vertices), "edges": list(pattern.edges)})
    return named


def _plain(value: Any) -> Any:
    """A parameter as JSON can represent it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list, range, np.ndarray)):
        return [_plain(item) for item in value]
    return value


def _pair(eval_set: Any) -> tuple[Any, Any]:
    pairs = eval_set if isinstance(eval_set, tuple) else eval_set[0] if len(eval_set) == 1 else None
    if not isinstance(pairs, tuple) or len(pairs) != 2:
        raise ValueError("eval_set must be (X, y), or a list of one such pair")
    return pairs
