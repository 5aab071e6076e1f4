"""Conversion of X to a `GraphSet`: SMILES, and graphs of other libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from einsicht import _core
from einsicht._data.graph_set import Graph, GraphSet


def as_graph_set(graphs: Any) -> GraphSet:
    """A `GraphSet` from one, from a list of its graphs, of SMILES, or of graphs of RDKit, networkx or PyTorch Geometric."""
    if isinstance(graphs, GraphSet):
        return graphs
    if isinstance(graphs, (str, bytes, dict)) or not isinstance(graphs, Iterable):
        raise TypeError(f"X must be a GraphSet or a list of graphs or SMILES, got {_name(graphs)}")
    items = list(graphs)
    if not items:
        raise ValueError("X must have at least one graph, but is empty")
    first = _kind(items[0])
    for index, item in enumerate(items):
        if first is None or _kind(item) != first:
            wanted = f"{first}, as the first one" if first else "SMILES or graphs (GraphSet, RDKit, networkx, PyTorch Geometric)"
            raise TypeError(f"elements of X must be {wanted}, but index {index} is {_name(item)}")
    return _READERS[first](items)


def _kind(item: Any) -> str | None:
    if isinstance(item, Graph):
        return "graphs of a GraphSet"
    if isinstance(item, str):
        return "SMILES"
    if hasattr(item, "GetAtoms"):
        return "molecules of RDKit"
    if hasattr(item, "is_directed") and hasattr(item, "nodes"):
        return "graphs of networkx"
    if hasattr(item, "edge_index"):
        return "graphs of PyTorch Geometric"
    return None


def _name(item: Any) -> str:
    return "None" if item is None else f"a {type(item).__name__}"


def _join(graphs: list[Graph]) -> GraphSet:
    # Consecutive graphs of one set are taken together, so that a shuffled set costs as much as a slice.
    runs: list[tuple[GraphSet, list[int]]] = []
    for graph in graphs:
        if not runs or runs[-1][0] is not graph._set:
            runs.append((graph._set, []))
        runs[-1][1].append(graph._at)
    parts = [graphs._core.take(indices) for graphs, indices in runs]
    return GraphSet(parts[0] if len(parts) == 1 else _core.Graphs.join(parts))


_READERS: dict[str, Callable[[list[Any]], GraphSet]] = {
    "graphs of a GraphSet": _join,
    "SMILES": GraphSet.from_smiles,
    "molecules of RDKit": GraphSet.from_rdkit,
    "graphs of networkx": GraphSet.from_networkx,
    "graphs of PyTorch Geometric": GraphSet.from_pyg,
}
