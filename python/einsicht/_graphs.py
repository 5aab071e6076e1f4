"""`GraphSet`: labelled graphs as a sequence, and `Graph`, one of them.

A `GraphSet` never changes. Slices are views, so they cost nothing; a view behaves as if its graphs had been read
alone. There is deliberately no attribute `shape`: scikit-learn would take the set for an array.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from einsicht import _core


def word(label: Any) -> str:
    """A label as a word: whole numbers without a point, so that 6, 6.0 and "6" are one label."""
    if isinstance(label, str):
        return label
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    return str(label)


class GraphSet(Sequence):
    """Labelled, undirected graphs, in order. Make one with one of the `from_...` methods."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Graphs) -> None:
        if not isinstance(core, _core.Graphs):
            raise TypeError("make a GraphSet with GraphSet.from_smiles, from_tu, from_edges, ...")
        self._core = core

    # Ways in.

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> GraphSet:
        """Read whatever the program reads: a TU folder, a t/v/e file, a table of SMILES, an SD file, JSON lines."""
        return cls(_core.Graphs.read(os.fspath(path), options))

    @classmethod
    def from_tu(cls, path: str | os.PathLike[str], **options: Any) -> GraphSet:
        """Read a folder of the TU collection."""
        return cls.read(path, format="tu", **options)

    @classmethod
    def from_smiles(cls, smiles: Iterable[str], **options: Any) -> GraphSet:
        """Read a list of SMILES. One that is no molecule is named by its index, or left out with ``on_bad="skip"``."""
        texts = list(smiles)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"a SMILES must be a string, but index {index} is {text!r}")
        return cls(_core.Graphs.from_smiles(texts, options))

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Iterable[Any]],
        vertex_labels: Iterable[Iterable[Any]] | None = None,
        edge_labels: Iterable[Iterable[Any]] | None = None,
        **options: Any,
    ) -> GraphSet:
        """Graphs from lists of edges.

        edges : for each graph its edges, pairs of vertices counted from 0, or triples with a label; an (m, 2) array serves.
        vertex_labels : for each graph one label a vertex; without it all vertices look alike.
        edge_labels : for each graph one label an edge, where the edges are pairs.
        """
        edges = [list(graph) for graph in edges]
        labels = None if vertex_labels is None else [[word(label) for label in graph] for graph in vertex_labels]
        bonds = None if edge_labels is None else [[word(label) for label in graph] for graph in edge_labels]
        for name, given in [("vertex_labels", labels), ("edge_labels", bonds)]:
            if given is not None and len(given) != len(edges):
                raise ValueError(f"{name} must have one list a graph, but there are {len(given)} for {len(edges)} graphs")
        graphs = []
        for index, graph in enumerate(edges):
            triples = [_triple(index, edge) for edge in graph]
            if bonds is not None:
                if len(bonds[index]) != len(triples):
                    raise ValueError(
                        f"graph {index} must have one edge label an edge, but has {len(bonds[index])} for {len(triples)}"
                    )
                triples = [(u, v, bond) for (u, v, _), bond in zip(triples, bonds[index], strict=True)]
            if labels is not None:
                vertices = labels[index]
            else:
                vertices = ["*"] * (1 + max((max(u, v) for u, v, _ in triples), default=-1))
            graphs.append((vertices, triples))
        return cls(_core.Graphs.build("edges", graphs, None, options))

    # A sequence.

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, index: int) -> Graph: ...
    @overload
    def __getitem__(self, index: slice | Iterable[int]) -> GraphSet: ...

    def __getitem__(self, index: Any) -> Graph | GraphSet:
        if isinstance(index, slice):
            return GraphSet(self._core.take(list(range(*index.indices(len(self))))))
        if isinstance(index, (int, np.integer)) and not isinstance(index, (bool, np.bool_)):
            return Graph(self, self._place(index))
        places = np.asarray(index)
        if places.ndim == 1 and places.dtype == bool:
            if len(places) != len(self):
                raise IndexError(f"a mask must have one value a graph, but has {len(places)} for {len(self)} graphs")
            places = np.flatnonzero(places)
        if places.ndim != 1 or (len(places) and not np.issubdtype(places.dtype, np.integer)):
            raise TypeError(f"an index must be a whole number, a slice, a list of these or a mask, got {index!r}")
        return GraphSet(self._core.take([self._place(place) for place in places.tolist()]))

    def _place(self, index: Any) -> int:
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} graphs, but index {place} was asked for")
        return place + len(self) if place < 0 else place

    def __iter__(self) -> Iterator[Graph]:
        return (Graph(self, place) for place in range(len(self)))

    def __add__(self, other: GraphSet) -> GraphSet:
        if not isinstance(other, GraphSet):
            return NotImplemented
        return GraphSet(_core.Graphs.join([self._core, other._core]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphSet):
            return NotImplemented
        return len(self) == len(other) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return int(self.fingerprint[:15], 16)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.to_bytes(),)

    # What is in it.

    @property
    def fingerprint(self) -> str:
        """A number over all graphs and their labels, not their targets; the same wherever they come from."""
        return self._core.fingerprint()

    @property
    def ids(self) -> list[str]:
        """What the source calls each graph."""
        return self._core.ids()

    @property
    def y(self) -> np.ndarray | None:
        """The targets of the source: one value a graph, or one column a target; None if there are none."""
        columns = [_column(words, values) for _, words, values in self._core.targets()]
        if not columns:
            return None
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    @property
    def target_names(self) -> list[str]:
        """Names of the targets of the source."""
        return [name for name, _, _ in self._core.targets()]

    def __repr__(self) -> str:
        return f"GraphSet({len(self)} graphs)"


class Graph:
    """One graph of a set."""

    __slots__ = ("_set", "_at")

    def __init__(self, graphs: GraphSet, at: int) -> None:
        self._set, self._at = graphs, at

    @property
    def vertices(self) -> list[str]:
        """Labels of the vertices."""
        return self._set._core.graph(self._at)[0]

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """Two vertices and a label."""
        return self._set._core.graph(self._at)[1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self._set._core.graph(self._at) == other._set._core.graph(other._at)

    def __hash__(self) -> int:
        vertices, edges = self._set._core.graph(self._at)
        return hash((tuple(vertices), tuple(edges)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _only, (self._set[self._at : self._at + 1],)

    def __repr__(self) -> str:
        vertices, edges = self._set._core.graph(self._at)
        return f"Graph({len(vertices)} vertices, {len(edges)} edges)"


def _unpickle(data: bytes) -> GraphSet:
    return GraphSet(_core.Graphs.from_bytes(data))


def _only(graphs: GraphSet) -> Graph:
    return graphs[0]


def _triple(index: int, edge: Any) -> tuple[int, int, str]:
    parts = list(edge)
    if len(parts) not in (2, 3):
        raise ValueError(f"an edge must be two vertices and perhaps a label, but graph {index} has {edge!r}")
    try:
        u, v = operator.index(parts[0]), operator.index(parts[1])
    except TypeError:
        raise TypeError(f"vertices of edges must be whole numbers, but graph {index} has {edge!r}") from None
    if u < 0 or v < 0:
        raise ValueError(f"vertices count from 0, but graph {index} has the edge {edge!r}")
    return u, v, word(parts[2]) if len(parts) == 3 else ""


def _column(words: list[str] | None, values: np.ndarray) -> np.ndarray:
    if words is None:
        return values
    whole = all(text.lstrip("-").isdigit() for text in words)
    missing = np.isnan(values)
    if whole and not missing.any():
        return np.array([int(text) for text in words])[values.astype(int)]
    if whole:
        numbers = np.array([float(text) for text in words] + [np.nan])
        return numbers[np.where(missing, len(words), values).astype(int)]
    named = np.array([*words, None] if missing.any() else words, dtype=object if missing.any() else None)
    return named[np.where(missing, len(words), values).astype(int)]
