"""`GraphSet`: labelled graphs as a sequence, and `Graph`, one of them.

A `GraphSet` never changes. Slices are views without a copy; a view behaves as if its graphs had been read alone. There
is deliberately no attribute `shape`: scikit-learn would take the set for an array.
"""

from __future__ import annotations

import html
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from einsicht import _core
from einsicht._data import export, sources
from einsicht._data.checks import warn
from einsicht._data.drawing import Drawing
from einsicht._data.features import table_of
from einsicht._data.reading import described
from einsicht._data.tokens import target_column
from einsicht._docstrings import documented

if TYPE_CHECKING:
    import networkx

#: Number of graphs that a notebook shows of a set.
SHOWN = 6


@documented
class GraphSet(Sequence):
    """Labelled, undirected graphs, in order. Make one with one of the `from_...` methods.

    Options of all readers, as in the program: ``edge_labels`` ("auto", "use", "ignore"), ``hydrogens`` ("keep",
    "drop"), ``largest_fragment`` (True: of SMILES and files only the largest fragment of each molecule is kept),
    ``coordinates`` ("leave-out": models do not read vertex attributes that are places in space, "keep"), ``on_bad``
    ("stop": a row that is no graph is an error; "skip": it is left out; "nan": it keeps its place, see `missing`),
    ``repair`` (drop self loops and double edges), ``molecule_labels`` (a list of "charge", "aromatic", "hydrogens":
    what atom labels have besides the element), ``features`` (columns of numbers that models read beside the subgraphs,
    one row per graph: a data frame, a dictionary or an array, as in ``features=df[["logP", "dose"]]``; of files and
    data frames the names of columns); of files also ``format``, ``target``, ``smiles``, ``task``, ``vertex_names``,
    ``edge_names``.

    Examples
    --------
    >>> import einsicht as es
    >>> graphs = es.GraphSet.from_smiles(["CCO", "c1ccccc1"])
    >>> graphs
    GraphSet(2 graphs, 9 vertices, 8 edges)
    >>> graphs[0].vertices, graphs[0].edges
    (['C', 'C', 'O'], [(0, 1, 'single'), (1, 2, 'single')])
    >>> graphs[1:] + graphs[:1] == graphs
    False
    """

    __slots__ = ("_core", "_fingerprint")

    def __init__(self, core: _core.Graphs) -> None:
        if not isinstance(core, _core.Graphs):
            raise TypeError("make a GraphSet with GraphSet.from_smiles, from_tu, from_edges, ...")
        self._core = core
        self._fingerprint: str | None = None

    # Constructors.

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> GraphSet:
        """Read any format of the program: a TU folder, a t/v/e file, a table of SMILES, an SD file, JSON lines."""
        graphs = _core.Graphs.read(os.fspath(path), options)
        # The labels of a TU folder are classes by its format.
        for call in [] if "task" in options or os.path.isdir(path) else graphs.close_calls():
            warn(call)
        return cls(graphs)

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
        """Read a list of SMILES. An invalid one, and None or NaN, is an error with its index; see ``on_bad``.

        backend : "einsicht" (native, the same result as RDKit, much faster), or "rdkit".
        """
        return cls(sources.from_smiles(smiles, backend, options))

    @classmethod
    def from_rdkit(cls, molecules: Iterable[Any], **options: Any) -> GraphSet:
        """Convert molecules of RDKit, with its aromaticity; kekulized ones get it back."""
        return cls(sources.from_rdkit(molecules, options))

    @classmethod
    def from_networkx(
        cls,
        graphs: Iterable[networkx.Graph],
        vertex_label: str = "label",
        edge_label: str = "label",
        vertex_properties: Sequence[str] | None = None,
        **options: Any,
    ) -> GraphSet:
        """Convert graphs of networkx.

        vertex_label, edge_label : name of the attribute of nodes, or of edges, that is the label. A node or edge
            without it is unlabelled; a name that occurs nowhere is an error.
        vertex_properties : attributes of nodes that become properties, which subgraphs may require (`qualifiers`); by
            default those that `to_networkx` wrote, whose numbers (`attributes`) are read too.
        """
        keywords = {"vertex_label": vertex_label, "edge_label": edge_label, "vertex_properties": vertex_properties}
        return cls(sources.from_networkx(graphs, keywords, options))

    @classmethod
    def from_pyg(
        cls,
        graphs: Iterable[Any],
        vertex_labels: str | Sequence[int] | None = "x",
        edge_labels: str | Sequence[int] | None = "edge_attr",
        attributes: Sequence[int] | None = None,
        **options: Any,
    ) -> GraphSet:
        """Convert graphs of PyTorch Geometric: `Data` objects, a data set, a batch or a `DataLoader`; a batch is as
        many graphs as it was made of. Their ``y``, one number or one row per graph, becomes `y`.

        vertex_labels : source of the labels: the name of an attribute with one number per vertex or one-hot columns, or
            a list of one-hot columns of ``x``; None if all vertices have the same label. For a TU data set the columns
            of ``x`` that are labels are detected.
        edge_labels : the same for edges, of ``edge_attr``.
        attributes : columns of ``x`` that are real numbers for a graph network.
        """
        keywords = {"vertex_labels": vertex_labels, "edge_labels": edge_labels, "attributes": attributes}
        return cls(sources.from_pyg(graphs, keywords, options))

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Iterable[Any]],
        vertex_labels: Iterable[Iterable[Any]] | None = None,
        edge_labels: Iterable[Iterable[Any]] | None = None,
        vertex_properties: Mapping[str, Iterable[Iterable[Any]]] | None = None,
        **options: Any,
    ) -> GraphSet:
        """Graphs from lists of edges.

        edges : for each graph its edges, pairs of vertices counted from 0, or triples with a label; or an (m, 2) array.
        vertex_labels : for each graph one label per vertex; without it all vertices have the same label.
        edge_labels : for each graph one label per edge, where the edges are pairs.
        vertex_properties : properties of vertices with few values, which subgraphs may require (`qualifiers`), by name:
            for each graph one value per vertex, or None, as in ``{"colour": [["red", "blue"], ...]}``.

        Examples
        --------
        >>> GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]], [["C", "C", "O"], ["N", "O"]])
        GraphSet(2 graphs, 5 vertices, 3 edges)
        """
        return cls(sources.from_edges(edges, vertex_labels, edge_labels, vertex_properties, options))

    @classmethod
    def from_dataframe(cls, frame: Any, smiles: str = "smiles", target: Any = None, **options: Any) -> GraphSet:
        """Read the SMILES of a column of a data frame of pandas or polars, or of a table of Arrow; `target` names
        columns that become `y`, ``features`` those that models read beside the subgraphs.

        Words stay as they are: "NA" and "None" are classes, "1" and "01" two of them; a value is missing only if the
        frame says so.

        target : name or names of the columns that become `y`; "*" is all. ``task`` says whether they are classes
            ("classify") or numbers ("regress"); without it their values do, as in a file.
        """
        graphs = sources.from_dataframe(frame, smiles, target, options)
        for call in [] if options.get("task") else graphs.close_calls():
            warn(call)
        return cls(graphs)

    # Sequence.

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
            return Graph(self, self._index(index))
        indices = np.asarray(index)
        if indices.ndim == 1 and indices.dtype == bool:
            if len(indices) != len(self):
                raise IndexError(f"a mask must have one value per graph, but has {len(indices)} for {len(self)} graphs")
            indices = np.flatnonzero(indices)
        if indices.ndim != 1 or (len(indices) and not np.issubdtype(indices.dtype, np.integer)):
            raise TypeError(f"an index must be an integer, a slice, a list of these or a mask, got {index!r}")
        return GraphSet(self._core.take([self._index(position) for position in indices.tolist()]))

    def take(self, indices: Any, axis: int = 0) -> GraphSet:
        """The graphs with these indices. With `iloc` and `loc` it lets scikit-learn split a set into sets
        (`train_test_split`).
        """
        return self[np.asarray(indices)]

    @property
    def iloc(self) -> GraphSet:
        """The set itself: see `take`."""
        return self

    loc = iloc

    def _index(self, index: Any) -> int:
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"there are {len(self)} graphs, but index {position} was given")
        return position + len(self) if position < 0 else position

    def __iter__(self) -> Iterator[Graph]:
        return (Graph(self, position) for position in range(len(self)))

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

    # Contents.

    @property
    def fingerprint(self) -> str:
        """Hash of all graphs and their labels, not of their targets; independent of the source."""
        if self._fingerprint is None:
            self._fingerprint = self._core.fingerprint()
        return self._fingerprint

    @property
    def ids(self) -> list[str]:
        """Identifier of each graph in the source."""
        return self._core.ids()

    @property
    def source_rows(self) -> np.ndarray:
        """Row of the source of each graph; skipped rows count."""
        return np.array(self._core.source_rows(), dtype=int)

    @property
    def reading(self) -> dict[str, Any]:
        """How the graphs were read, as far as it decides their labels: the options of the constructors that make the
        same labels.
        """
        return described(self._core.reading())

    @property
    def skipped(self) -> dict[int, str]:
        """Rows of the source that were skipped, and why."""
        return dict(self._core.skipped())

    @property
    def missing(self) -> np.ndarray:
        """Which graphs stand for rows that could not be read, with ``on_bad="nan"``: one truth value per graph."""
        found = np.zeros(len(self), bool)
        found[self._core.missing()] = True
        return found

    @property
    def vertex_labels(self) -> dict[str, str]:
        """Labels of vertices in the source, and their display names."""
        return dict(self._core.vertex_labels())

    @property
    def edge_labels(self) -> dict[str, str]:
        """Labels of edges in the source, and their display names."""
        return dict(self._core.edge_labels())

    @property
    def vertex_properties(self) -> dict[str, list[str]]:
        """Properties of vertices that the source has, such as hydrogens, and the values of each."""
        return dict(self._core.property_values())

    @property
    def features(self) -> dict[str, np.ndarray]:
        """Numeric columns that models read in addition to the subgraphs, by name; see `with_features`."""
        return {name: np.array(values) for name, values in self._core.features()}

    def with_features(self, features: Any) -> GraphSet:
        """The same graphs with these numeric columns, one row per graph, instead of their own.

        features : a data frame, a dictionary of columns, or an array; None removes all columns.

        Examples
        --------
        >>> import einsicht as es
        >>> graphs = es.GraphSet.from_smiles(["CCO", "CCN"]).with_features({"dose": [1.0, 2.5]})
        >>> graphs.features
        {'dose': array([1. , 2.5])}
        """
        return GraphSet(self._core.with_features(table_of(features, len(self)) or ([], [[] for _ in range(len(self))])))

    @property
    def y(self) -> np.ndarray | None:
        """The targets of the source: one value per graph, or one column per target; None if there are none."""
        columns = [target_column(names, values) for _, names, values in self._core.targets()]
        if not columns:
            return None
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    @property
    def target_names(self) -> list[str]:
        """Names of the targets of the source."""
        return [name for name, _, _ in self._core.targets()]

    # Conversion and display.

    def to_networkx(self) -> list[networkx.Graph]:
        """The graphs as graphs of networkx, with the attribute `label` where there are labels, one for each property,
        and `attributes`, a list of numbers, where vertices have some. `from_networkx` reads all of them back."""
        return [graph.to_networkx() for graph in self]

    def to_rdkit(self) -> list[Any]:
        """The graphs as molecules of RDKit, if they are molecules."""
        return [graph.to_rdkit() for graph in self]

    def __repr__(self) -> str:
        return f"GraphSet({_sizes(self)})"

    def _repr_html_(self) -> str:
        head = html.escape(_sizes(self))
        names = [name for name in self.vertex_labels.values() if name != "*"]
        listed = ", ".join(html.escape(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
        label = f"<div style='opacity:.7'>vertex labels: {listed}</div>" if listed else ""
        drawn = "".join(_figure(graph) for graph in self[:SHOWN])
        more = (
            f"<div style='align-self:center;opacity:.7'>... {len(self) - SHOWN} more</div>" if len(self) > SHOWN else ""
        )
        return (
            f"<div><b>GraphSet</b> {head}{label}"
            f"<div style='display:flex;flex-wrap:wrap;gap:12px;margin-top:6px'>{drawn}{more}</div></div>"
        )


class Graph:
    """One graph of a set.

    Examples
    --------
    >>> import einsicht as es
    >>> graph = es.GraphSet.from_smiles(["CO"])[0]
    >>> graph.vertices, len(graph.edges)
    (['C', 'O'], 1)
    """

    __slots__ = ("_at", "_set")

    def __init__(self, graphs: GraphSet, at: int) -> None:
        self._set, self._at = graphs, at

    @property
    def vertices(self) -> list[str]:
        """Labels of the vertices."""
        return self._set._core.graph(self._at)[0]

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """Two vertices and a label, in the order in which they were read: two graphs may be equal in another one."""
        return self._set._core.graph(self._at)[1]

    @property
    def id(self) -> str:
        """Identifier in the source."""
        return self._set._core.id(self._at)

    @property
    def attributes(self) -> np.ndarray | None:
        """Real numbers of the vertices, one row each; None if they have none."""
        found = self._set._core.attributes(self._at)
        return None if found is None else np.array(found[1]).reshape(-1, found[0])

    @property
    def properties(self) -> dict[str, list[str | None]]:
        """Properties of the vertices, by name: one value per vertex, or None."""
        return self._set._core.properties(self._at)

    def to_networkx(self) -> networkx.Graph:
        """The graph as one of networkx."""
        return export.to_networkx(self._set._core.graph(self._at), self.properties, self.attributes)

    def to_rdkit(self) -> Any:
        """The graph as a molecule of RDKit, if it is one: elements, bonds, charges and hydrogens; chirality is not
        kept.
        """
        return export.to_rdkit(self._set._core.graph(self._at), self.properties, self.id)

    def __len__(self) -> int:
        return len(self.vertices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self._alone() == other._alone()

    def __hash__(self) -> int:
        return hash(self._alone())

    def _alone(self) -> GraphSet:
        """A set of this graph, which says what is equal: not the order of edges."""
        return self._set[self._at : self._at + 1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _only, (self._alone(),)

    def __repr__(self) -> str:
        vertices, edges = self._set._core.graph(self._at)
        return f"Graph({len(vertices)} vertices, {len(edges)} edges)"

    def draw(self) -> Drawing:
        """A drawing: a molecule as chemists draw it."""
        return Drawing(self._set._core.svg(self._at, repr(self)))

    def _repr_svg_(self) -> str:
        return str(self.draw())


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


__all__ = ["Graph", "GraphSet"]
