"""`GraphSet`: labelled graphs as a sequence, and `Graph`, one of them.

A `GraphSet` never changes. Slices are views, so they cost nothing; a view behaves as if its graphs had been read
alone. There is deliberately no attribute `shape`: scikit-learn would take the set for an array.
"""

from __future__ import annotations

import html
import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from einsicht import _core
from einsicht._data import sources
from einsicht._data.tokens import column, word

if TYPE_CHECKING:
    import networkx

#: Graphs that a notebook shows of a set.
SHOWN = 6


class GraphSet(Sequence):
    """Labelled, undirected graphs, in order. Make one with one of the `from_...` methods.

    Options of all readers, by the words of the program: ``edge_labels`` ("auto", "use", "ignore"), ``hydrogens`` ("keep",
    "drop"), ``on_bad`` ("stop", "skip"), ``repair`` (drop self loops and double edges), ``molecule_labels`` (a list of
    "charge", "aromatic", "hydrogens": what atom labels hold besides the element); of files also ``format``, ``target``,
    ``smiles``, ``task``, ``vertex_names``, ``edge_names``.
    """

    __slots__ = ("_core", "_fingerprint")

    def __init__(self, core: _core.Graphs) -> None:
        if not isinstance(core, _core.Graphs):
            raise TypeError("make a GraphSet with GraphSet.from_smiles, from_tu, from_edges, ...")
        self._core = core
        self._fingerprint: str | None = None

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
    def from_gspan(cls, path: str | os.PathLike[str], **options: Any) -> GraphSet:
        """Read a file of t/v/e transactions."""
        return cls.read(path, format="gspan", **options)

    @classmethod
    def from_sdf(cls, path: str | os.PathLike[str], **options: Any) -> GraphSet:
        """Read an SD file."""
        return cls.read(path, format="sdf", **options)

    @classmethod
    def from_smiles(cls, smiles: Iterable[str], *, backend: str = "einsicht", **options: Any) -> GraphSet:
        """Read a list of SMILES. One that is no molecule is named by its index, or left out with ``on_bad="skip"``.

        backend : "einsicht" reads them itself, as RDKit does but many times faster; "rdkit" asks RDKit.
        """
        return cls(sources.from_smiles(smiles, backend, options))

    @classmethod
    def from_rdkit(cls, molecules: Iterable[Any], **options: Any) -> GraphSet:
        """Take over molecules of RDKit, as it perceives them."""
        return cls(sources.from_rdkit(molecules, options))

    @classmethod
    def from_networkx(
        cls, graphs: Iterable[networkx.Graph], vertex_label: str = "label", edge_label: str = "label", **options: Any
    ) -> GraphSet:
        """Take over graphs of networkx; labels are these attributes of nodes and edges, where they have them."""
        return cls(sources.from_networkx(graphs, vertex_label, edge_label, options))

    @classmethod
    def from_pyg(
        cls,
        graphs: Iterable[Any],
        vertex_labels: str | Sequence[int] | None = "x",
        edge_labels: str | Sequence[int] | None = "edge_attr",
        attributes: Sequence[int] | None = None,
        **options: Any,
    ) -> GraphSet:
        """Take over graphs of PyTorch Geometric (`Data` objects, or a data set).

        vertex_labels : what a label is read from: the name of an attribute with one number a vertex or one hot columns, or a
            list of columns of ``x``, which are one hot; None if all vertices look alike. Of a TU data set the columns of
            ``x`` that are labels are found out.
        edge_labels : the same for edges, of ``edge_attr``.
        attributes : columns of ``x`` that are real numbers for a graph network.
        """
        return cls(sources.from_pyg(graphs, vertex_labels, edge_labels, attributes, options))

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
        return cls(sources.from_edges(edges, vertex_labels, edge_labels, options))

    @classmethod
    def from_dataframe(cls, frame: Any, smiles: str = "smiles", target: Any = None, **options: Any) -> GraphSet:
        """Read the SMILES of a column of a pandas or polars data frame; `target` names columns that become `y`."""
        return cls(sources.from_dataframe(frame, smiles, target, options))

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
        if self._fingerprint is None:
            self._fingerprint = self._core.fingerprint()
        return self._fingerprint

    @property
    def ids(self) -> list[str]:
        """What the source calls each graph."""
        return self._core.ids()

    @property
    def source_rows(self) -> np.ndarray:
        """Row of the source of each graph; rows that were left out count."""
        return np.array(self._core.source_rows(), dtype=int)

    @property
    def skipped(self) -> dict[int, str]:
        """Rows of the source that were left out, and why."""
        return dict(self._core.skipped())

    @property
    def vertex_labels(self) -> dict[str, str]:
        """Labels of vertices as they stand in the source, and what people call them."""
        return dict(self._core.vertex_labels())

    @property
    def edge_labels(self) -> dict[str, str]:
        """Labels of edges as they stand in the source, and what people call them."""
        return dict(self._core.edge_labels())

    @property
    def y(self) -> np.ndarray | None:
        """The targets of the source: one value a graph, or one column a target; None if there are none."""
        columns = [column(words, values) for _, words, values in self._core.targets()]
        if not columns:
            return None
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    @property
    def target_names(self) -> list[str]:
        """Names of the targets of the source."""
        return [name for name, _, _ in self._core.targets()]

    # Ways out.

    def to_networkx(self) -> list[networkx.Graph]:
        """The graphs as graphs of networkx, with the attribute `label` where there are labels."""
        return [graph.to_networkx() for graph in self]

    def __repr__(self) -> str:
        return f"GraphSet({_sizes(self)})"

    def _repr_html_(self) -> str:
        head = html.escape(_sizes(self))
        names = [name for name in self.vertex_labels.values() if name != "*"]
        words = ", ".join(html.escape(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
        label = f"<div style='opacity:.7'>vertex labels: {words}</div>" if words else ""
        drawn = "".join(_figure(graph) for graph in self[:SHOWN])
        more = f"<div style='align-self:center;opacity:.7'>... {len(self) - SHOWN} more</div>" if len(self) > SHOWN else ""
        return (
            f"<div><b>GraphSet</b> {head}{label}"
            f"<div style='display:flex;flex-wrap:wrap;gap:12px;margin-top:6px'>{drawn}{more}</div></div>"
        )


class Graph:
    """One graph of a set."""

    __slots__ = ("_at", "_set")

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

    @property
    def id(self) -> str:
        """What the source calls it."""
        return self._set.ids[self._at]

    @property
    def attributes(self) -> np.ndarray | None:
        """Real numbers of the vertices, one row each; None if they have none."""
        found = self._set._core.attributes(self._at)
        return None if found is None else np.array(found[1]).reshape(-1, found[0])

    def to_networkx(self) -> networkx.Graph:
        """The graph as one of networkx."""
        return sources.to_networkx(self.vertices, self.edges)

    def __len__(self) -> int:
        return len(self.vertices)

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

    def _repr_svg_(self) -> str:
        return self._set._core.svg(self._at, repr(self))


def _sizes(graphs: GraphSet) -> str:
    sizes = np.array(graphs._core.sizes()).reshape(-1, 2)
    vertices, edges = sizes.sum(axis=0)
    count = "1 graph" if len(graphs) == 1 else f"{len(graphs)} graphs"
    return f"{count}, {vertices} vertices, {edges} edges"


def _figure(graph: Graph) -> str:
    name = html.escape(graph.id)
    return (
        f"<figure style='margin:0;text-align:center'>{graph._repr_svg_()}"
        f"<figcaption style='opacity:.7'>{name}</figcaption></figure>"
    )


def _unpickle(data: bytes) -> GraphSet:
    return GraphSet(_core.Graphs.from_bytes(data))


def _only(graphs: GraphSet) -> Graph:
    return graphs[0]


__all__ = ["Graph", "GraphSet", "word"]
