"""Conversion of X to a `GraphSet`: SMILES, and graphs of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from einsicht import _core
from einsicht._data import sources
from einsicht._data.graph_set import Graph, GraphSet
from einsicht._data.reading import ReadAs
from einsicht._data.rows import kind_of, rows_of
from einsicht._data.tokens import is_missing


def as_graph_set(graphs: Any, how: ReadAs = ReadAs({}, {})) -> GraphSet:
    """A `GraphSet` from one, from a list of its graphs, of SMILES, or of graphs of RDKit, networkx or PyTorch
    Geometric, read like this.
    """
    if isinstance(graphs, GraphSet):
        return graphs
    # A batch of PyTorch Geometric is a list of its graphs.
    is_batch = hasattr(graphs, "to_data_list")
    items = [graphs] if is_batch else rows_of(graphs, "X", "a GraphSet or a list of graphs or SMILES")
    if not items:
        raise ValueError("X must have at least one graph, but is empty")
    # Where a row may be bad, what is missing says nothing about the others.
    first = next((_kind(item) for item in items if sources.stops(how.options) or not is_missing(item)), "SMILES")
    for index, item in enumerate(items):
        if first is None or (_kind(item) != first and (sources.stops(how.options) or _kind(item) is not None)):
            wanted = (
                f"{first}, as the first one"
                if first
                else "SMILES or graphs (GraphSet, RDKit, networkx, PyTorch Geometric)"
            )
            raise TypeError(f"elements of X must be {wanted}, but index {index} is {kind_of(item)}")
    return _READERS[first](items, how)


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


def _join(graphs: list[Graph], how: ReadAs) -> GraphSet:
    # Consecutive graphs of one set are taken together, so that a shuffled set costs as much as a slice.
    runs: list[tuple[GraphSet, list[int]]] = []
    for graph in graphs:
        if not runs or runs[-1][0] is not graph._set:
            runs.append((graph._set, []))
        runs[-1][1].append(graph._at)
    parts = [graphs._core.take(indices) for graphs, indices in runs]
    return GraphSet(parts[0] if len(parts) == 1 else _core.Graphs.join(parts))


def _smiles(texts: list[Any], how: ReadAs) -> GraphSet:
    return GraphSet(sources.from_smiles(texts, how.keywords.get("backend", "einsicht"), how.of_molecules()))


def _rdkit(molecules: list[Any], how: ReadAs) -> GraphSet:
    return GraphSet(sources.from_rdkit(molecules, how.of_molecules()))


def _networkx(graphs: list[Any], how: ReadAs) -> GraphSet:
    return GraphSet(sources.from_networkx(graphs, how.keywords.get("networkx", {}), how.of_labelled()))


def _pyg(graphs: list[Any], how: ReadAs) -> GraphSet:
    return GraphSet(sources.from_pyg(graphs, how.keywords.get("pyg", {}), how.of_labelled()))


_READERS: dict[str, Callable[[list[Any], ReadAs], GraphSet]] = {
    "graphs of a GraphSet": _join,
    "SMILES": _smiles,
    "molecules of RDKit": _rdkit,
    "graphs of networkx": _networkx,
    "graphs of PyTorch Geometric": _pyg,
}
