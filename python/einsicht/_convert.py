"""Anything that can be graphs becomes a `GraphSet`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from einsicht import _core
from einsicht._graphs import Graph, GraphSet


def as_graph_set(graphs: Any) -> GraphSet:
    """A `GraphSet` from a `GraphSet`, a list of its graphs, or a list of SMILES."""
    if isinstance(graphs, GraphSet):
        return graphs
    if isinstance(graphs, (str, bytes)) or not isinstance(graphs, Iterable):
        raise TypeError(f"X must be a GraphSet or a list of graphs or SMILES, got {type(graphs).__name__}")
    items = list(graphs)
    if not items:
        raise ValueError("X must hold at least one graph, but is empty")
    kinds = {_kind(item) for item in items}
    if len(kinds) > 1 or None in kinds:
        first = _kind(items[0])
        at = next((at for at, item in enumerate(items) if _kind(item) is None or _kind(item) != first), 0)
        raise TypeError(
            f"all elements of X must be graphs of one kind, but index 0 is {_name(items[0])} and index {at} is {_name(items[at])}"
        )
    return _READERS[kinds.pop()](items)


def _kind(item: Any) -> str | None:
    if isinstance(item, Graph):
        return "graph"
    if isinstance(item, str):
        return "smiles"
    return None


def _name(item: Any) -> str:
    return "None" if item is None else f"a {type(item).__name__}"


def _join(graphs: list[Graph]) -> GraphSet:
    # Runs of one set are taken at once, so that a shuffled set costs as much as a slice.
    runs: list[tuple[GraphSet, list[int]]] = []
    for graph in graphs:
        if not runs or runs[-1][0] is not graph._set:
            runs.append((graph._set, []))
        runs[-1][1].append(graph._at)
    parts = [graphs._core.take(places) for graphs, places in runs]
    return GraphSet(parts[0] if len(parts) == 1 else _core.Graphs.join(parts))


_READERS = {"graph": _join, "smiles": GraphSet.from_smiles}
