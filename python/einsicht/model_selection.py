"""Splitters of scikit-learn that see graphs: scaffolds, clusters of similar graphs, groups, and isomorphic graphs on one side.

    from einsicht.model_selection import ScaffoldKFold
    from sklearn.model_selection import cross_val_score

    cross_val_score(es.EINClassifier(), graphs, y, cv=ScaffoldKFold(5))
    es.experiment(es.EINClassifier(), graphs, y, ScaffoldKFold(5))

The schemes are those of ``einsicht split``. Isomorphic graphs are always on the same side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import type_of_target

from einsicht import _core
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import native, tasks_of

__all__ = ["ClusterKFold", "ClusterSplit", "GroupKFold", "ScaffoldKFold", "ScaffoldSplit", "StratifiedKFold", "scaffolds"]


def scaffolds(X: Any) -> np.ndarray:
    """For each graph the number of its scaffold: ring systems and the paths between them.

    Of molecules these are the Murcko scaffolds of RDKit, without stereo. Numbers count from 0 in the order in which scaffolds first come; all
    graphs without a ring share one.

    Examples
    --------
    >>> scaffolds(["c1ccccc1O", "CCO", "c1ccccc1CC", "CC"]).tolist()
    [0, 1, 0, 1]
    """
    return np.array(_core.scaffold_groups(as_graph_set(X)._core), dtype=int)


class _GraphSplitter(BaseEstimator, ABC):
    """What all splitters have in common."""

    @abstractmethod
    def _plan(self) -> dict[str, Any]:
        """The scheme and its options."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        plan = self._plan()
        return plan.get("repeats", 1) * (plan.get("folds") or 1)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Indices of the training set and of the test set of each split.

        y : targets, where the scheme uses them; rows without a value are in no set.
        groups : one value per graph; graphs of one group are on the same side. Only `GroupKFold` uses it.
        """
        graphs = as_graph_set(X)
        tasks: list[Any] = []
        if y is not None:
            classify = not type_of_target(y).startswith("continuous")
            tasks = native(tasks_of(y, graphs, classify=classify)[0])
        for train, _, test in self._splits(graphs, tasks, groups):
            yield np.array(train, dtype=int), np.array(test, dtype=int)

    def _splits(self, graphs: GraphSet, tasks: list[Any], groups: Any = None) -> list[tuple[list[int], list[int], list[int]]]:
        plan = self._plan()
        scheme = plan.pop("scheme")
        if scheme == "group":
            # Without groups each graph is its own, and isomorphic ones are joined.
            numbers = np.arange(len(graphs)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
            plan["groups"] = numbers.ravel().tolist()
        return _core.make_splits(graphs._core, tasks, scheme, **plan)


class StratifiedKFold(_GraphSplitter):
    """Folds, each with every class, or every tenth of the range of a number, in proportion.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def __init__(self, n_splits: int = 5, *, repeats: int = 1, random_state: int = 0) -> None:
        self.n_splits = n_splits
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {"scheme": "kfold", "folds": self.n_splits, "repeats": self.repeats, "seed": self.random_state}


class GroupKFold(StratifiedKFold):
    """Folds that keep groups whole: those given to `split`, else isomorphic graphs.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def _plan(self) -> dict[str, Any]:
        return {**super()._plan(), "scheme": "group"}


class ScaffoldKFold(StratifiedKFold):
    """Folds that keep scaffolds whole: see `scaffolds`.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def _plan(self) -> dict[str, Any]:
        return {**super()._plan(), "scheme": "scaffold"}


class ClusterKFold(_GraphSplitter):
    """Folds that keep similar graphs together.

    n_splits : number of folds, at least 2.
    similarity : Tanimoto similarity, of the sets of subgraphs with at most three edges, from which on two graphs are in one cluster.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def __init__(self, n_splits: int = 5, *, similarity: float = 0.8, repeats: int = 1, random_state: int = 0) -> None:
        self.n_splits = n_splits
        self.similarity = similarity
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {"scheme": "cluster", "folds": self.n_splits, "similarity": self.similarity, "repeats": self.repeats, "seed": self.random_state}


class ScaffoldSplit(_GraphSplitter):
    """One test set per repeat, of whole scaffolds: see `scaffolds`.

    test_size : fraction of the graphs in the test set.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def __init__(self, test_size: float = 0.2, *, repeats: int = 1, random_state: int = 0) -> None:
        self.test_size = test_size
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {"scheme": "scaffold", "test": self.test_size, "repeats": self.repeats, "seed": self.random_state}


class ClusterSplit(_GraphSplitter):
    """One test set per repeat, of whole clusters: no graph of it is as similar as `similarity` to one of the training set.

    test_size : fraction of the graphs in the test set.
    similarity : Tanimoto similarity, of the sets of subgraphs with at most three edges, from which on two graphs are in one cluster.
    repeats : number of repeats, each with a seed of its own.
    random_state : seed; repeat r uses random_state + r.
    """

    def __init__(self, test_size: float = 0.2, *, similarity: float = 0.8, repeats: int = 1, random_state: int = 0) -> None:
        self.test_size = test_size
        self.similarity = similarity
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {"scheme": "cluster", "test": self.test_size, "similarity": self.similarity, "repeats": self.repeats, "seed": self.random_state}
