"""Splitters of scikit-learn that see graphs: scaffolds, clusters of similar graphs, groups, and isomorphic graphs on
one side.

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

from einsicht import _core
from einsicht._data.checks import whole
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import as_table, native, plain, tasks_of, without_gaps

__all__ = [
    "ClusterKFold",
    "ClusterSplit",
    "GroupKFold",
    "ScaffoldKFold",
    "ScaffoldSplit",
    "StratifiedKFold",
    "scaffolds",
]


def scaffolds(X: Any) -> np.ndarray:
    """For each graph the number of its scaffold: ring systems and the paths between them.

    Of molecules these are the Murcko scaffolds of RDKit, without stereo. Numbers count from 0 in the order in which
    scaffolds first come; all graphs without a ring share one.

    Examples
    --------
    >>> scaffolds(["c1ccccc1O", "CCO", "c1ccccc1CC", "CC"]).tolist()
    [0, 1, 0, 1]
    """
    return np.array(_core.scaffold_groups(as_graph_set(X)._core), dtype=int)


def _is_continuous(y: Any) -> bool:
    """Whether values are numbers that are not whole, gaps left out."""
    seen = plain(without_gaps(as_table(y).ravel()))
    return seen.dtype.kind == "f" and bool((seen != np.floor(seen)).any())


def _numbered(groups: Any) -> np.ndarray:
    """For each graph the number of its group."""
    try:
        return np.unique(np.asarray(groups), return_inverse=True)[1]
    except TypeError:
        raise TypeError("groups must be of one type, words or numbers, and none may be missing") from None


def _seed(random_state: Any) -> int:
    return 0 if random_state is None else whole("random_state", random_state, 0, 2**63 - 1)


def _fraction(test_size: Any) -> float:
    if isinstance(test_size, bool) or not isinstance(test_size, (float, np.floating)) or not 0 < test_size < 1:
        raise ValueError(f"test_size must be a fraction of the graphs between 0 and 1, such as 0.2, got {test_size!r}")
    return float(test_size)


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
            classify = not _is_continuous(y)
            tasks = native(tasks_of(y, graphs, classify=classify)[0])
        for train, _, test in self._splits(graphs, tasks, groups):
            yield np.array(train, dtype=int), np.array(test, dtype=int)

    def _splits(
        self, graphs: GraphSet, tasks: list[Any], groups: Any = None
    ) -> list[tuple[list[int], list[int], list[int]]]:
        plan = self._plan()
        scheme = plan.pop("scheme")
        if scheme == "group":
            # Without groups each graph is its own, and isomorphic ones are joined.
            numbers = np.arange(len(graphs)) if groups is None else _numbered(groups)
            plan["groups"] = numbers.ravel().tolist()
        return _core.make_splits(graphs._core, tasks, scheme, **plan)


class StratifiedKFold(_GraphSplitter):
    """Folds, each with every class, or every tenth of the range of a number, in proportion.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import StratifiedKFold
    >>> splitter = StratifiedKFold(2)
    >>> [len(test) for train, test in splitter.split(["CO", "CN", "CCO", "CCN"], ["alcohol", "amine"] * 2)]
    [2, 2]
    """

    def __init__(self, n_splits: int = 5, *, repeats: int = 1, random_state: int | None = 0) -> None:
        self.n_splits = n_splits
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {
            "scheme": "kfold",
            "folds": whole("n_splits", self.n_splits, 2),
            "repeats": whole("repeats", self.repeats, 1),
            "seed": _seed(self.random_state),
        }


class GroupKFold(StratifiedKFold):
    """Folds that keep groups whole: those given to `split`, else isomorphic graphs.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import GroupKFold
    >>> splitter = GroupKFold(2)
    >>> sorted(test.tolist() for train, test in splitter.split(["CO", "CN", "CCO", "CCN"], groups=["a", "a", "b", "b"]))
    [[0, 1], [2, 3]]
    """

    def _plan(self) -> dict[str, Any]:
        return {**super()._plan(), "scheme": "group"}


class ScaffoldKFold(StratifiedKFold):
    """Folds that keep scaffolds whole: see `scaffolds`.

    n_splits : number of folds, at least 2.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import ScaffoldKFold
    >>> smiles = ["c1ccccc1C", "c1ccccc1O", "C1CCCCC1C", "C1CCCCC1O", "CCO", "CCN"]
    >>> splitter = ScaffoldKFold(3)
    >>> sorted(test.tolist() for train, test in splitter.split(smiles))
    [[0, 1], [2, 3], [4, 5]]
    """

    def _plan(self) -> dict[str, Any]:
        return {**super()._plan(), "scheme": "scaffold"}


class ClusterKFold(_GraphSplitter):
    """Folds that keep similar graphs together.

    n_splits : number of folds, at least 2.
    similarity : Tanimoto similarity, of the sets of subgraphs with at most three edges, from which on two graphs are in
        one cluster.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import ClusterKFold
    >>> smiles = ["c1ccccc1C", "c1ccccc1O", "C1CCCCC1C", "C1CCCCC1O", "CCO", "CCN"]
    >>> splitter = ClusterKFold(2)
    >>> sorted(index for train, test in splitter.split(smiles) for index in test.tolist())
    [0, 1, 2, 3, 4, 5]
    """

    def __init__(
        self, n_splits: int = 5, *, similarity: float = 0.8, repeats: int = 1, random_state: int | None = 0
    ) -> None:
        self.n_splits = n_splits
        self.similarity = similarity
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {
            "scheme": "cluster",
            "folds": whole("n_splits", self.n_splits, 2),
            "similarity": self.similarity,
            "repeats": whole("repeats", self.repeats, 1),
            "seed": _seed(self.random_state),
        }


class ScaffoldSplit(_GraphSplitter):
    """One test set per repeat, of whole scaffolds: see `scaffolds`.

    test_size : fraction of the graphs in the test set.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import ScaffoldSplit
    >>> smiles = ["c1ccccc1C", "c1ccccc1O", "C1CCCCC1C", "C1CCCCC1O", "CCO", "CCN"]
    >>> train, test = next(ScaffoldSplit(0.3).split(smiles))
    >>> len(train), len(test)
    (4, 2)
    """

    def __init__(self, test_size: float = 0.2, *, repeats: int = 1, random_state: int | None = 0) -> None:
        self.test_size = test_size
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {
            "scheme": "scaffold",
            "test": _fraction(self.test_size),
            "repeats": whole("repeats", self.repeats, 1),
            "seed": _seed(self.random_state),
        }


class ClusterSplit(_GraphSplitter):
    """One test set per repeat, of whole clusters: no graph of it is as similar as `similarity` to one of the training
    set.

    test_size : fraction of the graphs in the test set.
    similarity : Tanimoto similarity, of the sets of subgraphs with at most three edges, from which on two graphs are in
        one cluster.
    repeats : number of repeats, each with its own seed.
    random_state : seed; repeat r uses random_state + r; None is 0.

    Examples
    --------
    >>> from einsicht.model_selection import ClusterSplit
    >>> smiles = ["c1ccccc1C", "c1ccccc1O", "C1CCCCC1C", "C1CCCCC1O", "CCO", "CCN"]
    >>> train, test = next(ClusterSplit(0.3).split(smiles))
    >>> sorted([*train.tolist(), *test.tolist()])
    [0, 1, 2, 3, 4, 5]
    """

    def __init__(
        self, test_size: float = 0.2, *, similarity: float = 0.8, repeats: int = 1, random_state: int | None = 0
    ) -> None:
        self.test_size = test_size
        self.similarity = similarity
        self.repeats = repeats
        self.random_state = random_state

    def _plan(self) -> dict[str, Any]:
        return {
            "scheme": "cluster",
            "test": _fraction(self.test_size),
            "similarity": self.similarity,
            "repeats": whole("repeats", self.repeats, 1),
            "seed": _seed(self.random_state),
        }
